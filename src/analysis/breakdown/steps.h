/* What each training or inference step spent its time on, every nanosecond once. */
#ifndef TDM_ANALYSIS_BREAKDOWN_STEPS_H
#define TDM_ANALYSIS_BREAKDOWN_STEPS_H

#include "analysis/analysis.h"

/* A row for each GPU and step, a step being a range (NVTX, annotation) whose name begins with the
 * option name ("ProfilerStep"). By the priority of PyTorch's TensorBoard plugin: kernel, memcpy,
 * memset, communication, runtime, data loader, CPU operators, other. Options of tdm_gpu_rows_open.
 */
tdm_status tdm_answer_steps(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error);

#endif
