/* The time of the critical path, split among causes: every instant of it has one.
 *
 * A node is a cause, a name within it and a place: the loads of a data loader on a thread, copies
 * "HtoD, pinned" of a GPU, kernels of one name. Rows of the graph belong to nodes whether they lie
 * on the path or not, so that a change made to a node is made to all of it. Owns its arrays and
 * names; the path is borrowed, and so are its steps. causes.c splits, attention.c finds attention
 * among kernels, claims.c asks what changes would gain. */
#ifndef TDM_ANALYSIS_PATH_CAUSES_H
#define TDM_ANALYSIS_PATH_CAUSES_H

#include "analysis/path/path.h"
#include "trace/intern.h"

typedef enum {
  TDM_CAUSE_LOADER,    /* waits for a data loader, and its work where it has no workers */
  TDM_CAUSE_HOST,      /* operators, functions and ranges of the host, by themselves */
  TDM_CAUSE_LAUNCH,    /* calls that ask for kernels, and their way to the GPU */
  TDM_CAUSE_SYNC,      /* the way back from a wait; a wait itself is what is waited for */
  TDM_CAUSE_ALLOCATE,  /* calls that allocate and free */
  TDM_CAUSE_COPY,      /* copies, with the calls that ask for them */
  TDM_CAUSE_COMM,      /* collectives */
  TDM_CAUSE_ATTENTION, /* kernels between and with two batched products around a softmax */
  TDM_CAUSE_KERNEL,    /* other kernels, memsets, graphs, simulated services */
  TDM_CAUSE_GAP,       /* from one piece of GPU work to the next, both asked for in time */
  TDM_CAUSE_SYSTEM,    /* waits in the operating system, time off the CPU */
  TDM_CAUSE_HELD,      /* work that was asked for waits for what is not recorded */
  TDM_CAUSE_NOTHING,   /* nothing recorded */
  TDM_CAUSES
} tdm_cause;

const char *tdm_cause_name(tdm_cause cause);
/* The cause of a name; TDM_CAUSES: none has it. */
tdm_cause tdm_cause_named(const char *name);

typedef struct {
  tdm_cause cause;
  const char *name;
  uint32_t device; /* TDM_NO_DEVICE: of a thread, or of nothing */
  uint32_t track;  /* the thread; TDM_NO_ROW: none */
  int64_t ns;      /* of the path */
  size_t steps;
  uint32_t longest; /* of the steps; TDM_NO_ROW: it has none */
} tdm_cause_node;

typedef struct {
  const tdm_path *path;
  tdm_kept_rows node_of; /* by row of the graph, then by step: its node */
  size_t rows;           /* of the graph */
  tdm_cause_node *node;
  size_t nodes;
  /* private: names */
  tdm_base_names folded, calls;
  tdm_intern words;
} tdm_causes;

/* The node of a row of the graph; of a step. */
static inline uint32_t tdm_causes_of_row(const tdm_causes *causes, size_t row) {
  return (uint32_t)tdm_kept(&causes->node_of, 0, row);
}
static inline uint32_t tdm_causes_of_step(const tdm_causes *causes, size_t step) {
  return tdm_causes_of_row(causes, causes->rows + step);
}

tdm_status tdm_causes_open(const tdm_path *path, tdm_causes *causes, tdm_error *error);
void tdm_causes_close(tdm_causes *causes);
/* The view's, made at the first call; it keeps them. */
tdm_status tdm_causes_of(tdm_run_view *view, const tdm_causes **causes, tdm_error *error);

/* They go, as the graph is needed for something else. */
void tdm_causes_forget(tdm_run_view *view);

/* By work: whether it is part of attention that no one kernel does: from a product of batches
 * through a softmax to the next product of its stream, by the operators that launched them. NULL:
 * out of memory. The caller frees it. */
uint8_t *tdm_path_attention(const tdm_path *path);

#endif
