/* The arguments of one record of a CUDA-API trace, and the layouts that such sets make.
 *
 * A set is kept in order of its keys, so that equal sets of keys make one layout whatever their
 * order in the file was. Called by read/cuda_api/record (which fills sets) and read/cuda_api/calls
 * (which merges and writes them). */
#ifndef TDM_READ_CUDA_API_ARGS_H
#define TDM_READ_CUDA_API_ARGS_H

#include <stdbool.h>

#include "trace/intern.h"
#include "trace/recorder.h"

/* The keys that tandem knows; those of a file's own follow. */
typedef enum {
  TDM_API_BYTES,
  TDM_API_KIND,
  TDM_API_BANDWIDTH, /* bytes/s, by the call's own time on the host */
  TDM_API_GRID_X,
  TDM_API_GRID_Y,
  TDM_API_GRID_Z,
  TDM_API_BLOCK_X,
  TDM_API_BLOCK_Y,
  TDM_API_BLOCK_Z,
  TDM_API_THREADS,
  TDM_API_SHARED_BYTES,
  TDM_API_STREAM,
  TDM_API_DEVICE,
  TDM_API_FUNCTION,
  TDM_API_PTR,
  TDM_API_CORRELATION,
  TDM_API_OP_ID,
  TDM_API_RETURN_CODE,
  TDM_API_FD,
  TDM_API_CMD,
  TDM_API_CPU,
  TDM_API_TARGET_PID,
  TDM_API_ARG0,
  TDM_API_ARG1,
  TDM_API_KNOWN_ARGS
} tdm_api_arg;

enum { TDM_API_ARGS = 32, TDM_API_OWN_ARGS = 64 };

extern const char *const tdm_api_arg_names[TDM_API_KNOWN_ARGS];

typedef struct {
  uint8_t key; /* tdm_api_arg, or TDM_API_KNOWN_ARGS + one of the file's own */
  uint8_t type;
} tdm_api_key;

typedef struct {
  uint32_t count;
  tdm_api_key key[TDM_API_ARGS];
  int64_t value[TDM_API_ARGS];
} tdm_api_args;

/* Sets an argument; a later value replaces an earlier one. False: there is no room for it. */
bool tdm_api_args_put(tdm_api_args *args, uint8_t key, tdm_arg_type type, int64_t value);
/* NULL: not there, or of another type. */
const int64_t *tdm_api_args_get(const tdm_api_args *args, uint8_t key, tdm_arg_type type);
/* What `more` has goes to `args`. False: something had no room. */
bool tdm_api_args_merge(tdm_api_args *args, const tdm_api_args *more);

typedef struct {
  tdm_intern sets; /* category, shape and keys → layout */
  uint32_t *layout;
  size_t room;
  const char *const *own; /* names of a file's own keys; somebody else's */
} tdm_api_layouts;

void tdm_api_layouts_clear(tdm_api_layouts *layouts);

/* Writes one row. Where a file has more kinds of records than is sensible, later kinds lose their
 * arguments, which is counted. False: out of memory. */
bool tdm_api_args_write(tdm_api_layouts *layouts, tdm_recorder *recorder, const char *category,
                        tdm_shape shape, int64_t start_ns, int64_t dur_ns, uint32_t track,
                        uint32_t name, const tdm_api_args *args);

#endif
