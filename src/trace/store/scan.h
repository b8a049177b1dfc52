/* A stored run read: its small tables, its rows chunk by chunk, the artifacts that a source left
 * behind. */
#ifndef TDM_TRACE_STORE_SCAN_H
#define TDM_TRACE_STORE_SCAN_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/record.h"

/* The small tables of one stored run, in memory: layouts, tracks, clocks of sources; names on
 * demand.
 *
 * Owns everything it gives out. Called by scans, the virtual tables and tdm_store_load; one thread
 * at a time, and the connection must stay open. */

typedef struct tdm_run_tables tdm_run_tables;

/* TDM_INVALID: no run of this number. */
tdm_status tdm_run_tables_open(sqlite3 *database, int64_t run, tdm_run_tables **tables,
                               tdm_error *error);
void tdm_run_tables_close(tdm_run_tables *tables);

int64_t tdm_run_tables_run(const tdm_run_tables *tables);
uint32_t tdm_run_tables_layouts(const tdm_run_tables *tables);
uint32_t tdm_run_tables_tracks(const tdm_run_tables *tables);
uint32_t tdm_run_tables_sources(const tdm_run_tables *tables);

/* An id that the run does not have gives NULL. */
const tdm_layout *tdm_run_tables_layout(const tdm_run_tables *tables, int64_t id);
const tdm_track *tdm_run_tables_track(const tdm_run_tables *tables, int64_t id);
const tdm_source *tdm_run_tables_source(const tdm_run_tables *tables, int64_t id);

/* The text of a name; NULL: there is none, or it cannot be read. Good until the tables close. */
const char *tdm_run_tables_name(tdm_run_tables *tables, int64_t id, size_t *length);

/* Between which ids the chunks of a source lie, so that who wants one file of a thousand passes by
 * no chunk of the others. *first > *last: it has none. Asked of the store at the first call. */
tdm_status tdm_run_tables_chunks(tdm_run_tables *tables, int64_t source, int64_t *first,
                                 int64_t *last, tdm_error *error);

/* TDM_IO once a name could not be read: until then that looks like a name that is not there. Scans
 * ask at each chunk and after the last. */
tdm_status tdm_run_tables_sound(const tdm_run_tables *tables, tdm_error *error);

/* The rows of a stored run, chunk by chunk, only those columns that are asked for.
 *
 * Chunks that cannot hold a wanted row are not read: by shape, category, time and track. Rows of
 * the chunks that are read are not filtered further. Times are made the run's (a source's offset is
 * added). Owns its buffers and statements; the tables are borrowed. Called by the virtual tables,
 * tdm_store_load and the analyses; one thread at a time. */

typedef struct {
  uint32_t shapes;      /* bits 1 << tdm_shape */
  const char *category; /* NULL: any. Borrowed while the scan is open */
  int64_t from_ns;      /* rows that end at or after it; INT64_MIN: all */
  int64_t to_ns;        /* rows that start at or before it; INT64_MAX: all */
  int64_t track;        /* TDM_NONE: any */
  int64_t source;       /* a file; TDM_NONE: any */
} tdm_scan_filter;

#define TDM_SCAN_ALL                                                                               \
  ((tdm_scan_filter){.shapes = UINT32_MAX,                                                         \
                     .category = NULL,                                                             \
                     .from_ns = INT64_MIN,                                                         \
                     .to_ns = INT64_MAX,                                                           \
                     .track = TDM_NONE,                                                            \
                     .source = TDM_NONE})

typedef struct tdm_scan tdm_scan;

tdm_status tdm_scan_open(sqlite3 *database, tdm_run_tables *tables, const tdm_scan_filter *filter,
                         tdm_scan **scan, tdm_error *error);
void tdm_scan_close(tdm_scan *scan);

/* How many rows all its chunks hold, at most; ask before the first chunk. */
tdm_status tdm_scan_rows(tdm_scan *scan, size_t *rows, tdm_error *error);

/* The next chunk: *rows is 0 after the last. */
tdm_status tdm_scan_next(tdm_scan *scan, size_t *rows, tdm_error *error);

/* Of the present chunk. */
uint32_t tdm_scan_layout(const tdm_scan *scan);
uint32_t tdm_scan_source(const tdm_scan *scan);
int64_t tdm_scan_first_row(const tdm_scan *scan); /* number of its first row within the run */

/* A column of the present chunk, unpacked at the first call; good until the next chunk. NULL: the
 * chunk is damaged, *error says so. */
const int64_t *tdm_scan_column(tdm_scan *scan, uint32_t column, tdm_error *error);

/* A time of a source as the run's, at most as far as 64 bits go. */
int64_t tdm_scan_shifted(int64_t time_ns, int64_t offset_ns);

/* From now on `tell` is told, after each chunk that this thread reads, of which run it was and how
 * many rows it has: what a progress line goes by. NULL: nobody is. */
void tdm_scan_watch(void (*tell)(void *context, int64_t run, size_t rows), void *context);

/* Artifacts of a stored run: texts and files that a source left behind (graphs, generated code).
 *
 * The reader owns its statement and the bytes of the last artifact; the connection is borrowed and
 * must stay open. Called by tdm_store_load and by analyses; one thread at a time. */

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
