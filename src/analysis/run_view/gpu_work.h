/* What GPUs did, and who asked for it: the tables of rows that most analyses share, what kind of
 * work a row of the first is, and the one join of both. */
#ifndef TDM_ANALYSIS_RUN_VIEW_GPU_WORK_H
#define TDM_ANALYSIS_RUN_VIEW_GPU_WORK_H

#include "base/hash_map.h"
#include "analysis/answer.h"
#include "analysis/run_view/run_view.h"

/* Which row of one table caused which rows of another, by an id that both carry: calls and what
 * they launched, operators and theirs.
 *
 * The whole join at once, both ways, and the index it was made with, for rows of other tables. Ids
 * are unique within a process (run_view.h) and positive: 0 and less are none. Owns its arrays; the
 * view and its tables are borrowed. Calls and GPU work are joined once a view: gpu_work.h. */

#define TDM_NO_ROW UINT32_MAX

typedef struct tdm_correlation {
  uint32_t *cause;  /* by row of the effects: the row of the causes that has its id, of several the
                       first: a runtime call rather than the driver's within it; TDM_NO_ROW: none */
  uint32_t *first;  /* [causes + 1] where each cause's effects begin in `effect` */
  uint32_t *effect; /* rows of the effects, cause by cause, in their order */
  size_t joined;    /* effects that have a cause */
  /* private */
  const tdm_table *causes;
  size_t id;               /* which argument of the causes */
  const uint32_t *process; /* by track */
  tdm_hash_map map;        /* rows of the causes by id and process */
} tdm_correlation;

/* `cause_key` and `effect_key`: arguments of the tables. */
tdm_status tdm_correlation_open(tdm_run_view *view, const tdm_table *causes, size_t cause_key,
                                const tdm_table *effects, size_t effect_key, tdm_correlation *out,
                                tdm_error *error);
void tdm_correlation_close(tdm_correlation *correlation);

/* The cause that has the id of any row on a track; TDM_NO_ROW: none. */
uint32_t tdm_correlation_find(const tdm_correlation *correlation, int64_t track, int64_t id);

/* Kernels, copies, memsets, graphs that were recorded as a whole, and simulated stages on a GPU or
 * a copy engine. Arguments by tdm_work_key. */
extern const tdm_wanted tdm_gpu_work;
enum { TDM_WORK_KERNEL, TDM_WORK_MEMCPY, TDM_WORK_MEMSET, TDM_WORK_GRAPH, TDM_WORK_STAGE };
typedef enum {
  TDM_WORK_CORRELATION,
  TDM_WORK_BYTES,
  TDM_WORK_COPY_KIND, /* a name id */
  TDM_WORK_GRAPH_NODE,
  TDM_WORK_GRAPH_ID,
  TDM_WORK_EXTERNAL_ID, /* of the operator, as PyTorch numbers them */
  TDM_WORK_BANDWIDTH    /* of a copy as its profiler has it, in GB/s: the bits of a double */
} tdm_work_key;

/* Calls of the CUDA (HIP) runtime and driver. */
extern const tdm_wanted tdm_api_calls;
enum { TDM_API_RUNTIME, TDM_API_DRIVER };
enum { TDM_API_CORRELATION };

typedef enum { TDM_CLASS_COMPUTE, TDM_CLASS_COMM, TDM_CLASS_COPY, TDM_CLASS_MEMSET } tdm_work_class;

/* One class a row of tdm_gpu_work: collectives (NCCL, RCCL, HCCL by name) are communication, copies
 * between devices are copies, graphs and simulated services compute. NULL: out of memory. The
 * caller frees it. */
uint8_t *tdm_gpu_classes(tdm_run_view *view, const tdm_table *work);

/* Which call launched which work: an API call and what has its correlation, within a process. The
 * view keeps it: joined at the first call. Rows of other tables that carry a correlation find their
 * call with tdm_correlation_find. */
typedef struct {
  const tdm_table *calls, *work; /* tdm_api_calls, tdm_gpu_work */
  tdm_correlation by_call;
} tdm_launched;
/* The work that the filter leaves, with its calls wherever they lie in time: `calls` are those of
 * the view at all times. */
tdm_status tdm_gpu_launched(tdm_run_view *view, const tdm_launched **out, tdm_error *error);
/* The same of the calls that the filter leaves alone, for what goes through calls. */
tdm_status tdm_gpu_launched_within(tdm_run_view *view, const tdm_launched **out, tdm_error *error);

/* Says in the answer why nothing is joined: which category or argument is missing. */
void tdm_gpu_launched_missing(const tdm_run_view *view, const tdm_launched *launched,
                              const char *what, tdm_answer *out);

/* Whether a call launches a CUDA (HIP) graph, by its name: a test for name marks. */
uint8_t tdm_call_launches_graph(const char *name);

/* Calls of the CUDA (HIP) API in which the host waits for the GPU: the one place that tells them by
 * their names.
 *
 * Owns no state. Used by summaries, phases, critical paths, maps and evidence. */

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

/* Which ranges lie in which on their threads, and which calls in them: one sweep over both in order
 * of time with a stack of open ranges a thread.
 *
 * A range that ends after one that was open when it began does not nest; it is kept apart ("loose")
 * and nothing lies in it. Owns its arrays. Used by projections of ranges onto GPUs, by operators.
 */

typedef struct {
  uint32_t *parent;    /* by range: the one around it on its thread; TDM_NO_ROW: none, or loose */
  uint32_t *innermost; /* by call: the innermost range with the whole call in it; TDM_NO_ROW */
  uint32_t *loose;     /* the ranges that do not nest, in order */
  size_t looses, loose_room;
} tdm_nesting;

/* A range ends before one begins at the same time. A call lies in a range whose ends it touches,
 * but one without duration (a simulation's) in what begins with it, not in what ends there. */
tdm_status tdm_nesting_open(tdm_run_view *view, const tdm_table *ranges, const tdm_table *calls,
                            tdm_nesting *out, tdm_error *error);
void tdm_nesting_close(tdm_nesting *nesting);

/* By range: whether one of its name is around it on its thread, so that a sum over the name has its
 * time already. NULL: out of memory. The caller frees it. */
bool *tdm_nesting_recursive(const tdm_nesting *nesting, const tdm_table *ranges);

#endif
