/* What other rooms ask of processes: what a call of the API does, phases one after another. */
#ifndef TDM_ANALYSIS_PROCESS_PROCESS_H
#define TDM_ANALYSIS_PROCESS_PROCESS_H

#include "analysis/analysis.h"

/* What a call of the CUDA (HIP) API does, by its name: for phases of a process. Owns no state. */

typedef enum {
  TDM_ACTION_OTHER, /* queries, streams, events: no phase of their own */
  TDM_ACTION_INIT,  /* devices, contexts, modules */
  TDM_ACTION_ALLOC,
  TDM_ACTION_FREE, /* memory, contexts, modules */
  TDM_ACTION_TO_GPU,
  TDM_ACTION_FROM_GPU,
  TDM_ACTION_COPY,   /* within a GPU or host, or a copy whose way is not known */
  TDM_ACTION_LAUNCH, /* kernels, graphs, memsets */
  TDM_ACTION_WAIT    /* until the GPU is done */
} tdm_api_action;

tdm_api_action tdm_api_action_of(const char *name);

/* The way of a copy by its kind ("HtoD"); TDM_ACTION_COPY: another. */
tdm_api_action tdm_api_copy_way(const char *kind);

/* Phases of an inference process by its API calls, one after another, without idle time at their
 * ends. */
typedef struct {
  uint32_t process, track;  /* of run_view.h; of its first call */
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
