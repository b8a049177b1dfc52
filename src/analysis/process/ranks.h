/* The analysis ranks: what each rank did, and how far apart ranks arrive at their collectives.
 * Called through the table of analyses. */
#ifndef TDM_ANALYSIS_PROCESS_RANKS_H
#define TDM_ANALYSIS_PROCESS_RANKS_H

#include "analysis/analysis.h"

tdm_status tdm_answer_ranks(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error);

#endif
