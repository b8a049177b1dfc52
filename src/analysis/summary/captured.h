/* Which call of a stream's capture made each node of a CUDA (HIP) graph that was launched: calls
 * between StreamBeginCapture and StreamEndCapture on one thread, in their order, against the work
 * that has the correlation of a GraphLaunch. Captures may lie in another file of the run, as vLLM
 * and SGLang write them.
 *
 * A capture fits a launch when it has a call for each node: of the kernel's name where calls tell
 * it (HIP's do), otherwise of its kind, in order. Of several that fit, those of the launching
 * process come first, then those of its rank; if they differ in what was captured, none is taken.
 * Owns its arrays; the view's tables are borrowed. Used by launching_ops.c. */
#ifndef TDM_ANALYSIS_SUMMARY_CAPTURED_H
#define TDM_ANALYSIS_SUMMARY_CAPTURED_H

#include "analysis/run_view/gpu_work.h"

typedef struct {
  uint32_t *call;   /* by work: the call that was captured; TDM_NO_ROW. NULL: nothing was */
  size_t told;      /* nodes that have one */
  size_t ambiguous; /* launches that captures of different operators fit */
} tdm_captured;

/* same: whether two calls were captured by equal operators. Close it in any case. */
tdm_status tdm_captured_open(tdm_run_view *view, const tdm_launched *launched,
                             bool (*same)(const void *context, uint32_t a, uint32_t b),
                             const void *context, tdm_captured *out, tdm_error *error);
void tdm_captured_close(tdm_captured *captured);

#endif
