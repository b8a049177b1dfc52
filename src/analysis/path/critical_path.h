/* The analysis critical_path: the longest chain of dependent work from the first record to the
 * last, by what it is and by what bounds it; and how long the run would take if something changed.
 * Called through the table of analyses. */
#ifndef TDM_ANALYSIS_PATH_CRITICAL_PATH_H
#define TDM_ANALYSIS_PATH_CRITICAL_PATH_H

#include "analysis/analysis.h"

tdm_status tdm_answer_critical_path(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                    tdm_error *error);

#endif
