/* Operators (of PyTorch) by name: their time on the host, and that of the GPU work that was
 * launched in them. */
#ifndef TDM_ANALYSIS_SUMMARY_OPS_H
#define TDM_ANALYSIS_SUMMARY_OPS_H

#include "analysis/analysis.h"

/* Options: each = "process", "rank", "thread" (of the operators). Two frames: operators, and
 * kernels by the operator that launched them, split by the kernels' stream when each = "stream".
 * Work is launched by the innermost operator around its API call; where no call was recorded, by
 * the operator of the same external id. */
tdm_status tdm_answer_ops(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                          tdm_error *error);

#endif
