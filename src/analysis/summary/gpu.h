/* Everything GPUs did in one table: kernels, copies, memsets, graphs; on request the API calls with
 * them. As `nsys stats -r cuda_gpu_sum` and `-r cuda_api_gpu_sum` have them. */
#ifndef TDM_ANALYSIS_SUMMARY_GPU_H
#define TDM_ANALYSIS_SUMMARY_GPU_H

#include "analysis/analysis.h"

/* Options: by = "name" (default), "base" (kernels without parameters and template arguments);
 * api: with API calls; each = "device", "stream", "process", "rank". */
tdm_status tdm_answer_gpu(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                          tdm_error *error);

#endif
