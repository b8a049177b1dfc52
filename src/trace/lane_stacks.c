/* See lane_stacks.h. */
#include "trace/lane_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The end on top of a lane with nothing open: everything fits, and nothing is to be taken off. */
#define NO_END INT64_MAX

void tdm_lane_stacks_free(tdm_lane_stacks *stacks) {
  free(stacks->nodes);
  free(stacks->top);
  free(stacks->least);
  free(stacks->greatest);
  *stacks = (tdm_lane_stacks){0};
}

static void refresh(tdm_lane_stacks *stacks, uint32_t lane) {
  uint32_t top = stacks->top[lane], at = stacks->leaves + lane;
  stacks->least[at] = stacks->greatest[at] = top > 0 ? stacks->nodes[top - 1].end_ns : NO_END;
  for (at /= 2; at > 0; at /= 2) {
    uint32_t a = 2 * at, b = a + 1;
    stacks->least[at] = stacks->least[a] < stacks->least[b] ? stacks->least[a] : stacks->least[b];
    stacks->greatest[at] =
        stacks->greatest[a] > stacks->greatest[b] ? stacks->greatest[a] : stacks->greatest[b];
  }
}

void tdm_lane_stacks_clear(tdm_lane_stacks *stacks) {
  for (uint32_t lane = 0; lane < stacks->lanes; lane++) {
    if (stacks->top[lane] == 0) continue;
    stacks->top[lane] = 0;
    refresh(stacks, lane);
  }
  stacks->node_count = 0;
  stacks->free_node = stacks->lanes = stacks->last = 0;
}

/* Twice the leaves. */
static int widen(tdm_lane_stacks *stacks) {
  uint32_t old = stacks->leaves, leaves = old > 0 ? 2 * old : 2;
  if (leaves < old || leaves > UINT32_MAX / 4) return 0;
  uint32_t *top = tdm_array_new(leaves, sizeof *top);
  int64_t *least = tdm_array_new(2 * (size_t)leaves, sizeof *least);
  int64_t *greatest = tdm_array_new(2 * (size_t)leaves, sizeof *greatest);
  if (top == NULL || least == NULL || greatest == NULL) {
    free(top);
    free(least);
    free(greatest);
    return 0;
  }
  if (old > 0) memcpy(top, stacks->top, old * sizeof *top);
  free(stacks->top);
  free(stacks->least);
  free(stacks->greatest);
  stacks->top = top;
  stacks->least = least;
  stacks->greatest = greatest;
  stacks->leaves = leaves;
  for (uint32_t i = 0; i < 2 * leaves; i++) least[i] = greatest[i] = NO_END;
  for (uint32_t lane = 0; lane < old; lane++) refresh(stacks, lane);
  return 1;
}

/* Takes off what has ended. */
static void settle(tdm_lane_stacks *stacks, uint32_t lane, int64_t now_ns) {
  uint32_t top = stacks->top[lane], before = top;
  while (top > 0 && stacks->nodes[top - 1].end_ns <= now_ns) {
    tdm_lane_node *node = &stacks->nodes[top - 1];
    uint32_t below = node->below;
    node->below = stacks->free_node;
    stacks->free_node = top;
    top = below;
  }
  if (top == before) return;
  stacks->top[lane] = top;
  refresh(stacks, lane);
}

/* The lowest lane whose top ended by `start_ns` or ends at `end_ns` or later. There is one. */
static uint32_t candidate(const tdm_lane_stacks *stacks, int64_t start_ns, int64_t end_ns) {
  uint32_t at = 1;
  while (at < stacks->leaves) {
    at *= 2;
    if (stacks->least[at] > start_ns && stacks->greatest[at] < end_ns) at++;
  }
  return at - stacks->leaves;
}

/* The lowest lane where it fits, a new one if need be. UINT32_MAX: out of memory. */
static uint32_t lowest(tdm_lane_stacks *stacks, int64_t start_ns, int64_t end_ns, int nests) {
  /* Where nothing may nest, only a lane with nothing open will do. */
  int64_t reach_ns = nests ? end_ns : NO_END;
  if (stacks->leaves == 0 && !widen(stacks)) return UINT32_MAX;
  for (;;) {
    if (stacks->least[1] > start_ns && stacks->greatest[1] < reach_ns && !widen(stacks))
      return UINT32_MAX;
    uint32_t lane = candidate(stacks, start_ns, reach_ns);
    settle(stacks, lane, start_ns);
    uint32_t top = stacks->top[lane];
    if (top == 0 || (nests && stacks->nodes[top - 1].end_ns >= end_ns)) return lane;
  }
}

static int push(tdm_lane_stacks *stacks, uint32_t lane, int64_t end_ns, uint32_t *depth) {
  uint32_t below = stacks->top[lane], node = stacks->free_node;
  if (node > 0) {
    stacks->free_node = stacks->nodes[node - 1].below;
  } else {
    if (stacks->node_count >= UINT32_MAX - 1 ||
        !tdm_array_grow(&stacks->nodes, &stacks->node_room, stacks->node_count + 1,
                        sizeof *stacks->nodes))
      return 0;
    node = (uint32_t)++stacks->node_count;
  }
  *depth = below > 0 ? stacks->nodes[below - 1].depth + 1 : 0;
  stacks->nodes[node - 1] = (tdm_lane_node){end_ns, below, *depth};
  stacks->top[lane] = node;
  refresh(stacks, lane);
  return 1;
}

int tdm_lane_stacks_put(tdm_lane_stacks *stacks, int64_t start_ns, int64_t end_ns, int nests,
                        uint32_t *lane, uint32_t *depth) {
  uint32_t at = UINT32_MAX;
  /* Else it would look like a lane with nothing open. */
  if (end_ns == NO_END) end_ns = NO_END - 1;
  if (stacks->lanes > 0 && nests) {
    settle(stacks, stacks->last, start_ns);
    uint32_t top = stacks->top[stacks->last];
    if (top > 0 && stacks->nodes[top - 1].end_ns >= end_ns) at = stacks->last;
  }
  if (at == UINT32_MAX) at = lowest(stacks, start_ns, end_ns, nests);
  if (at == UINT32_MAX || !push(stacks, at, end_ns, depth)) return 0;
  if (at >= stacks->lanes) stacks->lanes = at + 1;
  stacks->last = at;
  *lane = at;
  return 1;
}
