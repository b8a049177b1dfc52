/* What a trace of a compiled model shows of torch.compile: kernels that Inductor wrote, and the
 * regions on the host that run them. Called by compile.c. */
#ifndef TDM_ANALYSIS_COMPILE_GENERATED_H
#define TDM_ANALYSIS_COMPILE_GENERATED_H

#include "analysis/answer.h"
#include "analysis/run_view.h"

/* Frames "kernels" (generated ones on each device against all) and "regions". *any: there were
 * some; otherwise no frame is made. */
tdm_status tdm_compile_put_generated(tdm_run_view *view, bool *any, tdm_answer *out,
                                     tdm_error *error);

#endif
