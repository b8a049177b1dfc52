/* Calls of the operating system's runtime (read, poll, pthread_cond_wait …) by name, as
 * `nsys stats -r osrt_sum` has them. */
#ifndef TDM_ANALYSIS_SUMMARY_OSRT_H
#define TDM_ANALYSIS_SUMMARY_OSRT_H

#include "analysis/analysis.h"

/* Options: each = "process", "rank", "thread". */
tdm_status tdm_answer_osrt(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                           tdm_error *error);

#endif
