/* What other rooms ask of processes: what a call of the API does, phases one after another. */
#ifndef TDM_ANALYSIS_PROCESS_PROCESS_H
#define TDM_ANALYSIS_PROCESS_PROCESS_H

#include "analysis/analysis.h"
#include "analysis/groups.h"

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

/* Where ranks meet: the k-th kernels of one name (and group of ranks, where known) on every rank
 * that has that name equally often are parts of one collective.
 *
 * A rank is a process with GPU work. Filled file by file, so that only communicating kernels of
 * all of them are in memory. Used by the analysis of ranks and by the path across them. */

typedef struct {
  int64_t start_ns, end_ns, name, track;
  uint32_t process, source;
  uint32_t nth; /* of its file's communicating work, in the order of tables */
  /* private */
  uint32_t kind;
  int64_t who, ordinal;
} tdm_collective_part;

typedef struct {
  tdm_collective_part *part; /* after tdm_collectives_match: in order of start, longer ones first */
  size_t parts, room;
  size_t count;        /* collectives, matched or not */
  const size_t *first; /* [count + 1] where each one's parts begin in `of` */
  const uint32_t *of;  /* positions in `part` */
  /* private */
  int64_t *often; /* by kind: how often on every rank that has it; -1: not equally often */
  tdm_groups kinds, same;
} tdm_collectives; /* zeroed: none */

/* Kernels, copies, memsets and graphs with what tells who communicates. */
extern const tdm_wanted tdm_collective_work;

/* The communicating work of a file: a table of tdm_collective_work and its tdm_gpu_classes. */
tdm_status tdm_collectives_add(tdm_collectives *collectives, const tdm_table *work,
                               const uint8_t *work_class, const uint32_t *process, uint32_t source,
                               tdm_error *error);
/* After the last file. */
tdm_status tdm_collectives_match(tdm_collectives *collectives, tdm_error *error);
/* Whether ranks meet in it: it is on several, as often on all that have it. */
bool tdm_collectives_meet(const tdm_collectives *collectives, size_t collective);
int64_t tdm_collectives_ordinal(const tdm_collectives *collectives, size_t collective);
/* All of them of a view at all times. */
tdm_status tdm_collectives_open(tdm_run_view *view, tdm_collectives *out, tdm_error *error);
void tdm_collectives_close(tdm_collectives *collectives);

#endif
