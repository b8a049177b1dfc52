/* Calls of the CUDA (HIP) runtime and driver by name, as `nsys stats -r cuda_api_sum` has them. */
#ifndef TDM_ANALYSIS_SUMMARY_API_H
#define TDM_ANALYSIS_SUMMARY_API_H

#include "analysis/analysis.h"

/* Options: each = "process", "rank", "thread". Names are without the version of the interface. */
tdm_status tdm_answer_api(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                          tdm_error *error);

#endif
