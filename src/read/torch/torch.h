/* The readers of what PyTorch's own tools write, beside its profiler's traces (read/kineto). Called
 * by the table in read/reader.c. */
#ifndef TDM_READ_TORCH_TORCH_H
#define TDM_READ_TORCH_TORCH_H

#include "read/reader.h"

extern const tdm_reader tdm_reader_torch_timeline; /* export_memory_timeline */
extern const tdm_reader tdm_reader_torch_snapshot; /* torch.cuda.memory._snapshot() */
extern const tdm_reader tdm_reader_torch_trace;    /* TORCH_TRACE */

/* Calls options->progress. TDM_INTERRUPTED when it says so. */
static inline tdm_status tdm_torch_progress(const tdm_input *input, const tdm_read_options *options,
                                            tdm_error *error) {
  uint64_t done, total;
  if (options->progress == NULL) return TDM_OK;
  tdm_input_progress(input, &done, &total);
  if (options->progress(options->context, done, total) == 0) return TDM_OK;
  return tdm_error_set(error, TDM_INTERRUPTED, "%s: interrupted", tdm_input_path(input));
}

#endif
