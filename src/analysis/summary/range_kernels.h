/* Kernels by the ranges that launched them, as `nsys stats -r nvtx_kern_sum` has them: a kernel
 * counts in every range around its call. */
#ifndef TDM_ANALYSIS_SUMMARY_RANGE_KERNELS_H
#define TDM_ANALYSIS_SUMMARY_RANGE_KERNELS_H

#include "analysis/analysis.h"

/* Options: by = "name" (default), "base" (kernels without parameters and template arguments);
 * each = "thread" (default; the range's), "device", "stream", "process", "rank" (the kernel's). A
 * kernel outside all ranges has a row without a range. */
tdm_status tdm_answer_range_kernels(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                    tdm_error *error);

#endif
