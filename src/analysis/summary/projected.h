/* Ranges projected onto GPUs: from the start of the first to the end of the last operation that was
 * launched inside, as `nsys stats -r nvtx_gpu_proj_sum` has them. */
#ifndef TDM_ANALYSIS_SUMMARY_PROJECTED_H
#define TDM_ANALYSIS_SUMMARY_PROJECTED_H

#include "analysis/analysis.h"

/* Options: each = "device", "stream" (a range is projected onto each apart), "process", "rank",
 * "thread". A range that nests on its thread has the calls that lie in it; one that does not (start
 * and end) has those that its thread began while it was open, no level and no children. */
tdm_status tdm_answer_projected(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error);

#endif
