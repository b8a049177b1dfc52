/* See packed_file.h. */
#include "trace/packed_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "trace/outfile.h"

enum { PIECE = 1 << 17 };

typedef struct {
  const char *from, *to;
  FILE *in;
  tdm_outfile out;
  char *read, *made; /* PIECE each */
  int64_t bytes, most;
} job;

static tdm_status cannot_read(const job *j, tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "cannot read %s: %s", j->from, strerror(errno));
}

static tdm_status take(job *j, size_t bytes, tdm_error *error) {
  j->bytes += (int64_t)bytes;
  if (j->bytes > j->most)
    return tdm_error_set(error, TDM_LIMIT, "%s has more than %lld bytes in it", j->from,
                         (long long)j->most);
  tdm_outfile_put(&j->out, j->made, bytes);
  return TDM_OK;
}

static tdm_status failed(size_t code, tdm_status kind, const char *what, tdm_error *error) {
  if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
    return tdm_error_memory(error, "zstd", PIECE);
  return tdm_error_set(error, kind, kind == TDM_BUG ? "%s: %s" : "%s is damaged: %s", what,
                       ZSTD_getErrorName(code));
}

static tdm_status pack(job *j, ZSTD_CCtx *context, tdm_error *error) {
  for (;;) {
    ZSTD_inBuffer in = {j->read, fread(j->read, 1, PIECE, j->in), 0};
    if (ferror(j->in)) return cannot_read(j, error);
    ZSTD_EndDirective mode = feof(j->in) ? ZSTD_e_end : ZSTD_e_continue;
    size_t left;
    do {
      ZSTD_outBuffer out = {j->made, PIECE, 0};
      left = ZSTD_compressStream2(context, &out, &in, mode);
      if (ZSTD_isError(left)) return failed(left, TDM_BUG, "zstd", error);
      tdm_status status = take(j, out.pos, error);
      if (status != TDM_OK) return status;
    } while (mode == ZSTD_e_end ? left != 0 : in.pos < in.size);
    if (mode == ZSTD_e_end) return TDM_OK;
  }
}

static tdm_status expand(job *j, ZSTD_DCtx *context, tdm_error *error) {
  size_t left = 1; /* 0 at the end of a frame */
  size_t count;
  while ((count = fread(j->read, 1, PIECE, j->in)) > 0) {
    ZSTD_inBuffer in = {j->read, count, 0};
    while (in.pos < in.size) {
      ZSTD_outBuffer out = {j->made, PIECE, 0};
      left = ZSTD_decompressStream(context, &out, &in);
      if (ZSTD_isError(left)) return failed(left, TDM_INVALID, j->from, error);
      tdm_status status = take(j, out.pos, error);
      if (status != TDM_OK) return status;
    }
  }
  while (left != 0 && !ferror(j->in)) { /* what the window still holds */
    ZSTD_inBuffer in = {j->read, 0, 0};
    ZSTD_outBuffer out = {j->made, PIECE, 0};
    left = ZSTD_decompressStream(context, &out, &in);
    if (ZSTD_isError(left) || out.pos == 0) break;
    tdm_status status = take(j, out.pos, error);
    if (status != TDM_OK) return status;
  }
  if (ferror(j->in)) return cannot_read(j, error);
  return left == 0 ? TDM_OK : tdm_error_set(error, TDM_INVALID, "%s is cut off", j->from);
}

/* Opens both files, calls one of the two above, and leaves the result only when it is complete. */
static tdm_status carry_out(job *j, int level, tdm_error *error) {
  j->in = fopen(j->from, "rbe");
  if (j->in == NULL) return cannot_read(j, error);
  tdm_status status = tdm_outfile_open(&j->out, j->to, error);
  if (status != TDM_OK) return status;
  ZSTD_CCtx *packer = level > 0 ? ZSTD_createCCtx() : NULL;
  ZSTD_DCtx *expander = level > 0 ? NULL : ZSTD_createDCtx();
  if (packer == NULL && expander == NULL) {
    status = tdm_error_memory(error, "zstd", 0);
  } else if (packer != NULL) {
    ZSTD_CCtx_setParameter(packer, ZSTD_c_compressionLevel, level);
    status = pack(j, packer, error);
  } else {
    status = expand(j, expander, error);
  }
  ZSTD_freeCCtx(packer);
  ZSTD_freeDCtx(expander);
  if (status == TDM_OK) return tdm_outfile_commit(&j->out, error);
  tdm_outfile_abort(&j->out);
  return status;
}

static tdm_status run(const char *from, const char *to, int level, int64_t most, int64_t *bytes,
                      tdm_error *error) {
  job *j = tdm_array_new(1, sizeof *j);
  if (j == NULL) return tdm_error_memory(error, "a file's buffer", sizeof *j);
  j->from = from;
  j->to = to;
  j->most = most;
  j->read = malloc(PIECE);
  j->made = malloc(PIECE);
  tdm_status status = j->read != NULL && j->made != NULL ? carry_out(j, level, error)
                                                         : tdm_error_memory(error, "a file", PIECE);
  *bytes = j->bytes;
  if (j->in != NULL) fclose(j->in);
  free(j->read);
  free(j->made);
  free(j);
  return status;
}

tdm_status tdm_file_pack(const char *from, const char *to, int level, int64_t *bytes,
                         tdm_error *error) {
  return run(from, to, level, INT64_MAX, bytes, error);
}

tdm_status tdm_file_expand(const char *from, const char *to, int64_t most, int64_t *bytes,
                           tdm_error *error) {
  return run(from, to, 0, most, bytes, error);
}

tdm_status tdm_file_peek(const char *from, void *bytes, size_t room, size_t *count,
                         tdm_error *error) {
  *count = 0;
  FILE *in = fopen(from, "rbe");
  if (in == NULL) return tdm_error_set(error, TDM_IO, "cannot read %s: %s", from, strerror(errno));
  char *read = malloc(PIECE);
  ZSTD_DCtx *context = ZSTD_createDCtx();
  tdm_status status = TDM_OK;
  ZSTD_outBuffer out = {bytes, room, 0};
  if (read == NULL || context == NULL) status = tdm_error_memory(error, "a file", PIECE);
  while (status == TDM_OK && out.pos < out.size) {
    ZSTD_inBuffer packed = {read, fread(read, 1, PIECE, in), 0};
    if (packed.size == 0) break;
    while (packed.pos < packed.size && out.pos < out.size) {
      size_t left = ZSTD_decompressStream(context, &out, &packed);
      if (!ZSTD_isError(left)) continue;
      status = failed(left, TDM_INVALID, "it", error);
      break;
    }
  }
  *count = out.pos;
  ZSTD_freeDCtx(context);
  free(read);
  fclose(in);
  return status;
}
