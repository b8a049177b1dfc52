/* A tree of stacks: a frame is its parent, its kind and its label; weights add up in it; see
 * inside.h. */
#include "analysis/flame/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

tdm_status tdm_flame_open(tdm_flame_tree *tree, uint32_t root_kind, tdm_error *error) {
  *tree = (tdm_flame_tree){0};
  if (!tdm_array_grow(&tree->node, &tree->room, 1, sizeof *tree->node))
    return tdm_error_memory(error, "a tree of stacks", sizeof *tree->node);
  tree->node[0] = (tdm_flame_node){.kind = root_kind};
  tree->count = 1;
  return TDM_OK;
}

void tdm_flame_close(tdm_flame_tree *tree) {
  tdm_intern_clear(&tree->known);
  free(tree->node);
  free(tree->first);
  free(tree->child);
  *tree = (tdm_flame_tree){0};
}

uint32_t tdm_flame_child(tdm_flame_tree *tree, uint32_t parent, uint32_t kind, uint32_t label) {
  const uint32_t key[] = {parent, kind, label};
  int fresh;
  uint32_t id = tdm_intern_put(&tree->known, key, sizeof key, &fresh);
  if (id == TDM_INTERN_FAILED) return TDM_FLAME_FAILED;
  size_t at = (size_t)id + 1; /* the root is not in the table */
  if (!fresh) return (uint32_t)at;
  if (!tdm_array_grow(&tree->node, &tree->room, at + 1, sizeof *tree->node))
    return TDM_FLAME_FAILED;
  tree->node[at] = (tdm_flame_node){
      .parent = parent, .kind = kind, .label = label, .depth = tree->node[parent].depth + 1};
  tree->count = at + 1;
  return (uint32_t)at;
}

void tdm_flame_sum(tdm_flame_tree *tree) {
  for (size_t i = 0; i < tree->count; i++) tree->node[i].total = tree->node[i].self;
  for (size_t i = tree->count; i-- > 1;)
    tree->node[tree->node[i].parent].total += tree->node[i].total;
}

/* ---- pruning ---- */

enum { KEPT, GONE, DEEP, GATHERED };

static unsigned char fate_of(const tdm_flame_tree *tree, const tdm_flame_limits *limits,
                             const unsigned char *is_inner, size_t i) {
  const tdm_flame_node *node = &tree->node[i];
  if (node->depth > limits->deepest) return DEEP;
  if (node->total < limits->least) return GATHERED;
  if (!is_inner[i] && (limits->small_kinds >> node->kind & 1) != 0 && node->count > 0 &&
      node->total / node->count < limits->small_mean)
    return GATHERED;
  return KEPT;
}

/* Nodes that stay move together; *moved is where each went. */
static void compact(tdm_flame_tree *tree, const unsigned char *fate, uint32_t *moved) {
  size_t kept = 0;
  for (size_t i = 0; i < tree->count; i++) {
    if (fate[i] != KEPT) continue;
    moved[i] = (uint32_t)kept;
    tdm_flame_node node = tree->node[i];
    node.parent = i == 0 ? 0 : moved[node.parent];
    tree->node[kept++] = node;
  }
  tree->count = kept;
}

/* The frame that gathers under a node, made when it is the first. */
static tdm_flame_node *gatherer(tdm_flame_tree *tree, uint32_t *made, uint32_t parent,
                                uint32_t kind) {
  if (made[parent] == 0) {
    if (!tdm_array_grow(&tree->node, &tree->room, tree->count + 1, sizeof *tree->node)) return NULL;
    tree->node[tree->count] =
        (tdm_flame_node){.parent = parent, .kind = kind, .depth = tree->node[parent].depth + 1};
    made[parent] = (uint32_t)tree->count++;
  }
  return &tree->node[made[parent]];
}

static tdm_status prune(tdm_flame_tree *tree, const tdm_flame_limits *limits, unsigned char *fate,
                        unsigned char *is_inner, uint32_t *made, tdm_error *error) {
  size_t count = tree->count;
  for (size_t i = 1; i < count; i++) is_inner[tree->node[i].parent] = 1;
  for (size_t i = 1; i < count; i++) {
    uint32_t parent = tree->node[i].parent;
    fate[i] = fate[parent] == KEPT ? fate_of(tree, limits, is_inner, i) : GONE;
    if (fate[i] == DEEP) tree->node[parent].self += tree->node[i].total;
    if (fate[i] != GATHERED) continue;
    tdm_flame_node *one = gatherer(tree, made, parent, limits->gathered);
    if (one == NULL) return tdm_error_memory(error, "a tree of stacks", tree->count * sizeof *one);
    one->self += tree->node[i].total;
    one->total = one->self;
    one->count += tree->node[i].count;
    one->label++;
  }
  return TDM_OK;
}

tdm_status tdm_flame_prune(tdm_flame_tree *tree, const tdm_flame_limits *limits, tdm_error *error) {
  /* At most one gatherer a node. */
  unsigned char *fate = tdm_array_new(2 * tree->count, 1);
  unsigned char *is_inner = tdm_array_new(tree->count, 1);
  uint32_t *made = tdm_array_new(tree->count, sizeof *made);
  uint32_t *moved = tdm_array_new(2 * tree->count, sizeof *moved);
  tdm_status status = TDM_OK;
  if (fate == NULL || is_inner == NULL || made == NULL || moved == NULL)
    status = tdm_error_memory(error, "a tree of stacks", tree->count * sizeof *moved);
  else
    status = prune(tree, limits, fate, is_inner, made, error);
  if (status == TDM_OK) compact(tree, fate, moved);
  free(fate);
  free(is_inner);
  free(made);
  free(moved);
  return status;
}

/* ---- order ---- */

typedef struct {
  int64_t total;
  uint32_t node;
} heavy;

static int heavier_first(const void *a, const void *b) {
  const heavy *p = a, *q = b;
  if (p->total != q->total) return p->total > q->total ? -1 : 1;
  return p->node < q->node ? -1 : p->node > q->node;
}

tdm_status tdm_flame_order(tdm_flame_tree *tree, tdm_error *error) {
  size_t count = tree->count;
  heavy *all = tdm_array_new(count, sizeof *all);
  tree->first = tdm_array_new(count + 2, sizeof *tree->first);
  tree->child = tdm_array_new(count, sizeof *tree->child);
  if (all == NULL || tree->first == NULL || tree->child == NULL) {
    free(all);
    return tdm_error_memory(error, "a tree of stacks", count * sizeof *all);
  }
  size_t *first = tree->first;
  for (size_t i = 1; i < count; i++) first[tree->node[i].parent + 2]++;
  for (size_t i = 2; i < count + 2; i++) first[i] += first[i - 1];
  for (size_t i = 1; i < count; i++)
    all[first[tree->node[i].parent + 1]++] = (heavy){tree->node[i].total, (uint32_t)i};
  for (size_t i = 0; i < count; i++)
    qsort(all + first[i], first[i + 1] - first[i], sizeof *all, heavier_first);
  for (size_t i = 0; i + 1 < count; i++) tree->child[i] = all[i].node;
  free(all);
  return TDM_OK;
}
