/* What is open on threads at a time: the host's spans as stacks in a tree, and the stack in which
 * each call to the GPU was made.
 *
 * Spans of a thread nest in order of their start; one that outlasts the one it began in is cut
 * there, and counted. Owns the stacks and the frames of calls; view and tree are borrowed. Called
 * by the flame analysis. */
#ifndef TDM_ANALYSIS_FLAME_STACKS_H
#define TDM_ANALYSIS_FLAME_STACKS_H

#include <stdbool.h>

#include "analysis/flame/tree.h"
#include "analysis/gpu_work.h"

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

#endif
