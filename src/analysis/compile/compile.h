/* torch.compile: graph breaks, recompilations, compile time, caches, fusion, failures. */
#ifndef TDM_ANALYSIS_COMPILE_COMPILE_H
#define TDM_ANALYSIS_COMPILE_COMPILE_H

#include "analysis/analysis.h"

/* From TORCH_TRACE logs: frames summary, breaks, recompiles, failures, compilations, fusion,
 * caches, phases. From traces of compiled models: kernels, regions. No options. */
tdm_status tdm_answer_compile(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                              tdm_error *error);

#endif
