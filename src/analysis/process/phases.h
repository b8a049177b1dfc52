/* The analysis phases: an inference process by its API calls: initialization, weights, input,
 * execution, retrieval, cleanup; where it idles and how often it changes between host and GPU.
 * Called through the table of analyses. */
#ifndef TDM_ANALYSIS_PROCESS_PHASES_H
#define TDM_ANALYSIS_PROCESS_PHASES_H

#include "analysis/analysis.h"

tdm_status tdm_answer_phases(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error);

#endif
