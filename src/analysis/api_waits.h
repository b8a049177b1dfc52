/* Calls of the CUDA (HIP) API in which the host waits for the GPU: the one place that tells them by
 * their names.
 *
 * Owns no state. Used by summaries, phases, critical paths, maps and evidence. */
#ifndef TDM_ANALYSIS_API_WAITS_H
#define TDM_ANALYSIS_API_WAITS_H

#include "analysis/run_view.h"

typedef enum {
  TDM_WAITS_NOT,
  TDM_WAITS_DEVICE, /* or a context: for all that was asked */
  TDM_WAITS_STREAM,
  TDM_WAITS_EVENT
} tdm_api_waits;

/* What a call of this name waits for, a tdm_api_waits: cudaDeviceSynchronize, cuCtxSynchronize,
 * hipStreamSynchronize_spt, and cudaStreamSync, as tracers shorten it; not cudaMemcpyAsync. A test
 * for name marks. */
uint8_t tdm_api_waits_for(const char *name);

/* The same by row of calls. A call inside another that waits is the same wait
 * (cudaDeviceSynchronize calls cuCtxSynchronize): it is TDM_WAITS_NOT and counts in *inside. NULL:
 * out of memory. The caller frees it. */
uint8_t *tdm_api_waits_of(tdm_run_view *view, const tdm_table *calls, size_t *inside);

#endif
