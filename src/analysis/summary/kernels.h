/* Kernels by name: count, time and its moments, as `nsys stats -r cuda_gpu_kern_sum` has them. */
#ifndef TDM_ANALYSIS_SUMMARY_KERNELS_H
#define TDM_ANALYSIS_SUMMARY_KERNELS_H

#include "analysis/analysis.h"

/* Options: by = "name" (default), "base" (without parameters and template arguments), "mangled" (as
 * the compiler names them), "grid" (name, grid and block); each = "device", "stream", "process",
 * "rank" (default: none): a row for each. */
tdm_status tdm_answer_kernels(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                              tdm_error *error);

#endif
