/* Stacks by weight: what a flame graph is made of.
 *
 * Options: "weight" host (time on threads), gpu (time of the work launched inside a frame) or
 * samples, the first of these that the run has unless told; "least_ns", "least_share", "depth",
 * "small_ns", "merge", "only" (categories of host spans, with commas). Frames "functions" and
 * "stacks", the latter in preorder, the heaviest first. Called through the table of analyses. */
#ifndef TDM_ANALYSIS_FLAME_FLAME_H
#define TDM_ANALYSIS_FLAME_FLAME_H

#include "analysis/analysis.h"

tdm_status tdm_answer_flame(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error);

#endif
