/* What GPUs did, and who asked for it: the tables of rows that most analyses share, what kind of
 * work a row of the first is, and the one join of both. */
#ifndef TDM_ANALYSIS_GPU_WORK_H
#define TDM_ANALYSIS_GPU_WORK_H

#include "analysis/answer.h"
#include "analysis/correlation.h"

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

#endif
