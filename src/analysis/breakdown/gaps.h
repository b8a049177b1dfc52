/* Times when a GPU did nothing: between what, why, and what the host did meanwhile. */
#ifndef TDM_ANALYSIS_BREAKDOWN_GAPS_H
#define TDM_ANALYSIS_BREAKDOWN_GAPS_H

#include "analysis/analysis.h"

/* Frames: gaps (the longest first), devices (how many, how long together). Options: threshold (ns,
 * 1 ms), most (1000 rows of the first frame), overhead (the profiler's own time counts), those of
 * tdm_gpu_rows_open. */
tdm_status tdm_answer_gaps(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                           tdm_error *error);

#endif
