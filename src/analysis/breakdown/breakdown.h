/* Where each GPU's time goes: computing, communicating, copying, idle; exposed and hidden. */
#ifndef TDM_ANALYSIS_BREAKDOWN_BREAKDOWN_H
#define TDM_ANALYSIS_BREAKDOWN_BREAKDOWN_H

#include "analysis/analysis.h"

/* Frames: breakdown (a GPU a row; TraceLens' gpu_timeline: memset computes), temporal
 * (HolisticTraceAnalysis' temporal breakdown: memset does not), ranks (sums over a rank's GPUs).
 * Options of tdm_gpu_rows_open. */
tdm_status tdm_answer_breakdown(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error);

/* How much of communication and copies is hidden, and which kinds of work ran at once. Frames:
 * overlap (a GPU a row), kinds (HolisticTraceAnalysis' kernel breakdown). Options of
 * tdm_gpu_rows_open. */
tdm_status tdm_answer_overlap(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                              tdm_error *error);

#endif
