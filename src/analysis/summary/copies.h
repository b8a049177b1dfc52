/* Copies and memsets by kind: their times and their sizes, as `nsys stats -r cuda_gpu_mem_time_sum`
 * and `-r cuda_gpu_mem_size_sum` have them. */
#ifndef TDM_ANALYSIS_SUMMARY_COPIES_H
#define TDM_ANALYSIS_SUMMARY_COPIES_H

#include "analysis/analysis.h"

/* Options: by = "kind" (default), "memory" (the kind with the memory it goes from and to: pageable,
 * pinned, device, managed); each = "device", "stream", "process", "rank". */
tdm_status tdm_answer_copies(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error);

/* "[CUDA memcpy Host-to-Device]" of "HtoD"; another kind as it is called, "" gives "[CUDA memcpy]".
 */
void tdm_copy_label(const char *kind, char *out, size_t room);
#define TDM_COPY_LABEL_ROOM 96

#endif
