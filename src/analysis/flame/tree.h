/* A tree of stacks: a frame is its parent, its kind and its label; weights add up in it.
 *
 * Owns its nodes. A parent always has a smaller number than its children; node 0 is the root.
 * Labels mean what the caller wants them to mean, a kind being a name space of its own. Called by
 * the flame analysis. */
#ifndef TDM_ANALYSIS_FLAME_TREE_H
#define TDM_ANALYSIS_FLAME_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/intern.h"

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

#endif
