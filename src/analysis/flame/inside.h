/* What flame graphs are made of: frames as a tree, the host's stacks in it, GPU work under them.
 * Shared by the files of this room. */
#ifndef TDM_ANALYSIS_FLAME_INSIDE_H
#define TDM_ANALYSIS_FLAME_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/run_view/gpu_work.h"
#include "base/error.h"
#include "trace/intern.h"

/* A tree of stacks: a frame is its parent, its kind and its label; weights add up in it.
 *
 * Owns its nodes. A parent always has a smaller number than its children; node 0 is the root.
 * Labels mean what the caller wants them to mean, a kind being a name space of its own. Called by
 * the flame analysis. */

typedef struct {
  uint32_t parent, kind, label;
  uint32_t depth;      /* 0: the root */
  int64_t self, total; /* nanoseconds or samples; total after tdm_flame_sum */
  int64_t count;       /* how often the frame was there */
} tdm_flame_node;

typedef struct {
  tdm_flame_node *node;
  size_t count, room;
  tdm_intern known;
  /* After tdm_flame_order: the children of n, the heaviest first, are
   * child[first[n] … first[n + 1]). */
  size_t *first;
  uint32_t *child;
} tdm_flame_tree;

#define TDM_FLAME_FAILED UINT32_MAX

tdm_status tdm_flame_open(tdm_flame_tree *tree, uint32_t root_kind, tdm_error *error);
void tdm_flame_close(tdm_flame_tree *tree);

/* The child of a node, made when it is new. TDM_FLAME_FAILED: out of memory. */
uint32_t tdm_flame_child(tdm_flame_tree *tree, uint32_t parent, uint32_t kind, uint32_t label);

/* Totals from selves. Call it after the last frame, and again after nodes were moved. */
void tdm_flame_sum(tdm_flame_tree *tree);

/* Which frames stay. Frames below `deepest` become the own weight of the one above them. Lighter
 * ones than `least`, and leaves of the kinds in `small_kinds` (bits) whose mean is below
 * `small_mean`, are gathered: one frame of kind `gathered` under their parent, its label the number
 * of frames in it. Needs totals, keeps them. */
typedef struct {
  uint32_t deepest; /* UINT32_MAX: any */
  int64_t least, small_mean;
  uint32_t small_kinds, gathered;
} tdm_flame_limits;
tdm_status tdm_flame_prune(tdm_flame_tree *tree, const tdm_flame_limits *limits, tdm_error *error);

tdm_status tdm_flame_order(tdm_flame_tree *tree, tdm_error *error);

/* What is open on threads at a time: the host's spans as stacks in a tree, and the stack in which
 * each call to the GPU was made.
 *
 * Spans of a thread nest in order of their start; one that outlasts the one it began in is cut
 * there, and counted. Owns the stacks and the frames of calls; view and tree are borrowed. Called
 * by the flame analysis. */

/* Spans on threads, and stacks that were sampled. */
extern const tdm_wanted tdm_flame_spans, tdm_flame_samples;

/* Kinds of frames. First the categories of host spans, in the order of the wanted table. The label
 * of an NVTX range is a text of ours: PyTorch numbers its ranges, "aten::mul, op_id = 317105", and
 * ranges are the same frame up to that number. */
enum {
  TDM_FLAME_NVTX,
  TDM_FLAME_ANNOTATION,
  TDM_FLAME_OP,
  TDM_FLAME_PYTHON,
  TDM_FLAME_RUNTIME,
  TDM_FLAME_DRIVER,
  TDM_FLAME_OSRT,
  TDM_FLAME_MPI,
  TDM_FLAME_NCCL,
  TDM_FLAME_SAMPLE,
  TDM_FLAME_KERNEL, /* the categories of tdm_gpu_work, in its order */
  TDM_FLAME_MEMCPY,
  TDM_FLAME_MEMSET,
  TDM_FLAME_GRAPH,
  TDM_FLAME_STAGE,
  TDM_FLAME_NAMED = TDM_FLAME_STAGE, /* up to here labels are names of the run */
  TDM_FLAME_FRAME,                   /* of a sample; from here on they are texts of ours */
  TDM_FLAME_RANK,
  TDM_FLAME_DEVICE,
  TDM_FLAME_PROCESS,
  TDM_FLAME_THREAD,
  TDM_FLAME_STREAM,
  TDM_FLAME_UNKNOWN,
  TDM_FLAME_GATHERED, /* the label is a number */
  TDM_FLAME_ROOT,
  TDM_FLAME_KINDS
};
const char *tdm_flame_kind_name(uint32_t kind); /* "cpu_op", "thread", … */

typedef struct {
  tdm_run_view *view;
  tdm_flame_tree *tree;
  tdm_intern *texts;
  uint32_t kinds;  /* bits: which host spans */
  uint32_t *range; /* by name id: the text of an NVTX range + 1; 0: not asked yet */
  size_t range_room;
  bool merged;    /* threads and processes are no frames */
  uint32_t *root; /* [tracks] their frame + 1 */
  struct tdm_flame_open *open;
  const tdm_launched *launched; /* NULL: frames of calls are not remembered */
  uint32_t *call_frame;         /* by call of `launched`: its frame + 1, or 0 */
  size_t spans, cut;
  int64_t cut_ns;
} tdm_flame_stacks;

tdm_status tdm_flame_stacks_open(tdm_flame_stacks *stacks, tdm_error *error);
void tdm_flame_stacks_close(tdm_flame_stacks *stacks);

bool tdm_flame_is_named(uint32_t kind); /* labels are names of the run, not texts */

/* All host spans of the view. `weigh`: their time is added to their frames, else the frames are
 * made and those of calls remembered. */
tdm_status tdm_flame_stacks_read(tdm_flame_stacks *stacks, bool weigh, tdm_error *error);

/* Stack samples that are instants: one sample each. */
tdm_status tdm_flame_stacks_samples(tdm_flame_stacks *stacks, tdm_error *error);

/* The frame of the call that launched a row of tdm_gpu_work; TDM_FLAME_FAILED: not known. */
uint32_t tdm_flame_stacks_launch(const tdm_flame_stacks *stacks, size_t row);

/* A child whose label is a text. */
uint32_t tdm_flame_text_child(tdm_flame_tree *tree, tdm_intern *texts, uint32_t parent,
                              uint32_t kind, const char *text, size_t length);

/* The frame that keeps files apart, where there are several: "rank 3". */
uint32_t tdm_flame_source_frame(tdm_run_view *view, tdm_flame_tree *tree, tdm_intern *texts,
                                uint32_t source);

/* GPU work under the stacks that launched it: kernels, copies, memsets and graphs as leaves below
 * the host frames that were open when they were asked for, GPU by GPU.
 *
 * Work whose call is not known lies under its stream. Owns no state. Called by the flame analysis.
 */

typedef struct {
  size_t rows, without_call;
  int64_t total_ns, without_call_ns;
} tdm_flame_launched;

/* `stacks` has been read without weights; its tree is that of the host. Fills `tree`. */
tdm_status tdm_flame_launched_read(const tdm_flame_stacks *stacks, tdm_flame_tree *tree,
                                   tdm_flame_launched *seen, tdm_error *error);

#endif
