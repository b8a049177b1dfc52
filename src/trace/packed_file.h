/* A whole file compressed with zstd, and back. The same bytes give the same bytes: one thread, a
 * stated level. Expanding stops at a limit, since what strangers send may claim to be anything. The
 * result is there when it is complete, or not at all. Owns nothing beyond a call. Called by
 * bind/digest.c for uploads. */
#ifndef TDM_TRACE_PACKED_FILE_H
#define TDM_TRACE_PACKED_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* `bytes`: of the result. */
tdm_status tdm_file_pack(const char *from, const char *to, int level, int64_t *bytes,
                         tdm_error *error);

/* TDM_INVALID: not zstd, damaged, cut off; TDM_LIMIT: more than `most` bytes come out. */
tdm_status tdm_file_expand(const char *from, const char *to, int64_t most, int64_t *bytes,
                           tdm_error *error);

/* The first bytes of what is packed in a file, up to `room`; the rest is not looked at. */
tdm_status tdm_file_peek(const char *from, void *bytes, size_t room, size_t *count,
                         tdm_error *error);

#endif
