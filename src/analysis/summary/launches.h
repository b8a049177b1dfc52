/* Launches of kernels: the API call, the wait in the queue, the kernel, and all of it, as
 * `nsys stats -r cuda_kern_exec_sum` has them. */
#ifndef TDM_ANALYSIS_SUMMARY_LAUNCHES_H
#define TDM_ANALYSIS_SUMMARY_LAUNCHES_H

#include "analysis/analysis.h"

/* Options: by = "name" (default), "base" (kernels without parameters and template arguments);
 * each = "device", "stream", "process", "rank", "thread": instead of the rows for each thread and
 * device that there are unless told. */
tdm_status tdm_answer_launches(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                               tdm_error *error);

#endif
