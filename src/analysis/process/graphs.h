/* The analysis graphs: CUDA graphs as they were launched, recorded node by node or as a whole,
 * and what their launches cost against kernels launched singly. Called through the table of
 * analyses. */
#ifndef TDM_ANALYSIS_PROCESS_GRAPHS_H
#define TDM_ANALYSIS_PROCESS_GRAPHS_H

#include "analysis/analysis.h"

tdm_status tdm_answer_graphs(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error);

#endif
