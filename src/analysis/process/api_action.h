/* What a call of the CUDA (HIP) API does, by its name: for phases of a process. Owns no state. */
#ifndef TDM_ANALYSIS_PROCESS_API_ACTION_H
#define TDM_ANALYSIS_PROCESS_API_ACTION_H

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

#endif
