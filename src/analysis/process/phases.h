/* The analysis phases: an inference process by its API calls: initialization, weights, input,
 * execution, retrieval, cleanup; where it idles and how often it changes between host and GPU.
 * Called through the table of analyses. */
#ifndef TDM_ANALYSIS_PROCESS_PHASES_H
#define TDM_ANALYSIS_PROCESS_PHASES_H

#include "analysis/analysis.h"

tdm_status tdm_answer_phases(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error);

/* The same phases one after another, without idle time at their ends. */
typedef struct {
  uint32_t process, track;  /* of processes.h; of its first call */
  const char *phase;        /* static: "input", "execute", … */
  int64_t start_ns, end_ns; /* of its first call, of its last one */
  int64_t bytes;            /* copied to or from the GPU; TDM_NONE: not told */
} tdm_phase;

typedef struct {
  tdm_phase *phase; /* process by process, in order of time */
  size_t count, room;
} tdm_phases; /* zeroed: none; the caller frees `phase` */

tdm_status tdm_process_phases(tdm_run_view *view, tdm_phases *out, tdm_error *error);

#endif
