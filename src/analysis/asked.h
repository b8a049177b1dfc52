/* Which API call asked for each piece of GPU work, by process and correlation. Owns no state. Used
 * by diffs within a range, and by evidence. */
#ifndef TDM_ANALYSIS_ASKED_H
#define TDM_ANALYSIS_ASKED_H

#include "analysis/gpu_work.h"

#define TDM_NOT_ASKED UINT32_MAX

/* (*call)[i] is the row of `calls` (tdm_api_calls) that asked for row i of `work` (tdm_gpu_work),
 * the outermost where runtime and driver both did; TDM_NOT_ASKED: none was recorded. Free *call. */
tdm_status tdm_asked_by(tdm_run_view *view, const tdm_table *work, const tdm_table *calls,
                        uint32_t **call, tdm_error *error);

#endif
