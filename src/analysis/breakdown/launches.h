/* Which API call launched which piece of GPU work: correlations joined once for all rows.
 *
 * The join is kept with the view, so that the first analysis pays for all. Used by idle causes,
 * gaps, queues, launch delays, steps. */
#ifndef TDM_ANALYSIS_BREAKDOWN_LAUNCHES_H
#define TDM_ANALYSIS_BREAKDOWN_LAUNCHES_H

#include "analysis/answer.h"
#include "analysis/run_view.h"

#define TDM_NO_CALL UINT32_MAX

typedef struct {
  const tdm_table *work, *calls; /* tdm_gpu_work, tdm_api_calls */
  uint32_t *call;                /* by row of `work`: the row of `calls`, or TDM_NO_CALL */
  size_t joined;                 /* rows that have one */
} tdm_launches;

/* Correlations are unique within a process. Of several calls with the same one (runtime and driver)
 * the first counts, of equal starts the longest. Good until the view closes. */
tdm_status tdm_launches_of(tdm_run_view *view, const tdm_launches **launches, tdm_error *error);

/* Whether a call launches a CUDA (HIP) graph, by its name: a test for name marks. */
uint8_t tdm_launches_graph(const char *name);

/* Says in the answer why nothing is joined: which category or argument is missing. */
void tdm_launches_missing(const tdm_run_view *view, const char *what, tdm_answer *out);

#endif
