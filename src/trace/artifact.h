/* Artifacts of a stored run: texts and files that a source left behind (graphs, generated code).
 *
 * The reader owns its statement and the bytes of the last artifact; the connection is borrowed and
 * must stay open. Called by tdm_store_load and by analyses; one thread at a time. */
#ifndef TDM_TRACE_ARTIFACT_H
#define TDM_TRACE_ARTIFACT_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What lies in the store as it was, `bytes` long: *whole is malloc'd, or NULL where `data` is it
 * already. TDM_IO: it is damaged; `name` is for the message. */
tdm_status tdm_artifact_unpack(const char *name, const void *data, size_t stored, int64_t bytes,
                               void **whole, tdm_error *error);

typedef struct tdm_artifacts tdm_artifacts;

tdm_status tdm_artifacts_open(sqlite3 *database, int64_t run, tdm_artifacts **artifacts,
                              tdm_error *error);
void tdm_artifacts_close(tdm_artifacts *artifacts); /* NULL is fine */

/* The first artifact of a name, good until the next call; *text is NULL when there is none. Not
 * NUL-terminated. */
tdm_status tdm_artifacts_read(tdm_artifacts *artifacts, const char *name, const char **text,
                              size_t *length, tdm_error *error);

#endif
