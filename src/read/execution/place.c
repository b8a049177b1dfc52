/* When the nodes of a graph start; see inside.h for the rule. */
#include <stdlib.h>

#include "base/memory.h"
#include "read/execution/inside.h"

/* A node that waits for nothing more. */
typedef struct {
  int64_t ready_ns;
  uint64_t id;
  uint32_t node;
} ready;

typedef struct {
  tdm_graph *graph;
  int64_t *start_ns;
  int64_t *ready_ns; /* by node: the latest end of those it waits for, so far */
  uint32_t *missing; /* by node: how many of them have not ended; UINT32_MAX: placed */
  size_t *first;     /* by node, one more: where its followers begin */
  uint32_t *follower;
  ready *heap;
  size_t count;
  int64_t *free_ns; /* by track: when it is free */
} placing;

static bool before(const ready *a, const ready *b) {
  return a->ready_ns != b->ready_ns ? a->ready_ns < b->ready_ns : a->id < b->id;
}

static void push(placing *p, uint32_t node) {
  ready one = {p->ready_ns[node], p->graph->node[node].id, node};
  size_t at = p->count++;
  while (at > 0 && before(&one, &p->heap[(at - 1) / 2])) {
    p->heap[at] = p->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  p->heap[at] = one;
}

static uint32_t pop(placing *p) {
  uint32_t node = p->heap[0].node;
  ready last = p->heap[--p->count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= p->count) break;
    if (child + 1 < p->count && before(&p->heap[child + 1], &p->heap[child])) child++;
    if (!before(&p->heap[child], &last)) break;
    p->heap[at] = p->heap[child];
    at = child;
  }
  p->heap[at] = last;
  return node;
}

/* ---- who waits for whom ---- */

/* The node that a wait names; TDM_ID_NONE: not in the file, or the node itself. */
static uint32_t waited_for(const tdm_graph *graph, size_t node, size_t wait) {
  uint32_t found = tdm_id_map_get(&graph->by_id, graph->wait[wait]);
  return found == node ? TDM_ID_NONE : found;
}

static void count_followers(placing *p) {
  const tdm_graph *graph = p->graph;
  for (size_t n = 0, first; n < graph->nodes; n++)
    for (size_t w = 0, count = tdm_graph_waits(graph, n, &first); w < count; w++) {
      uint32_t to = waited_for(graph, n, first + w);
      if (to == TDM_ID_NONE) continue;
      p->first[to + 1]++;
      p->missing[n]++;
    }
  for (size_t n = 0; n < graph->nodes; n++) p->first[n + 1] += p->first[n];
}

/* From the back, each beginning falling to its place. */
static void list_followers(placing *p) {
  const tdm_graph *graph = p->graph;
  size_t *next = p->first; /* ends, which become beginnings */
  for (size_t n = graph->nodes; n > 0; n--) next[n] = next[n - 1];
  next[0] = 0;
  for (size_t n = 0, first; n < graph->nodes; n++)
    for (size_t w = 0, count = tdm_graph_waits(graph, n, &first); w < count; w++) {
      uint32_t to = waited_for(graph, n, first + w);
      if (to != TDM_ID_NONE) p->follower[next[to + 1]++] = (uint32_t)n;
    }
}

/* ---- placing ---- */

static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static void place(placing *p, uint32_t node) {
  const tdm_graph_node *n = &p->graph->node[node];
  int64_t start_ns = later(p->ready_ns[node], p->free_ns[n->track]), end_ns;
  int64_t dur_ns = n->dur_ns != TDM_NONE && n->dur_ns > 0 ? n->dur_ns : 0;
  if (__builtin_add_overflow(start_ns, dur_ns, &end_ns)) end_ns = INT64_MAX;
  p->start_ns[node] = start_ns;
  if (dur_ns > 0) p->free_ns[n->track] = end_ns;
  p->missing[node] = UINT32_MAX;
  for (size_t f = p->first[node]; f < p->first[node + 1]; f++) {
    uint32_t follower = p->follower[f];
    if (p->missing[follower] == UINT32_MAX) continue;
    p->ready_ns[follower] = later(p->ready_ns[follower], end_ns);
    if (--p->missing[follower] == 0) push(p, follower);
  }
}

/* What is left waits for itself through others: the first of it goes as if it did not. */
static void place_all(placing *p) {
  size_t nodes = p->graph->nodes;
  for (uint32_t n = 0; n < nodes; n++)
    if (p->missing[n] == 0) push(p, n);
  for (uint32_t n = 0; n < nodes; n++) {
    while (p->count > 0) place(p, pop(p));
    if (p->missing[n] == UINT32_MAX) continue;
    tdm_record_problem(p->graph->recorder,
                       "nodes that wait for themselves through others (placed before they may)", 1);
    place(p, n);
  }
}

bool tdm_graph_place(tdm_graph *graph, int64_t *start_ns) {
  uint32_t tracks = 0;
  for (size_t n = 0; n < graph->nodes; n++)
    if (graph->node[n].track >= tracks) tracks = graph->node[n].track + 1;
  placing p = {.graph = graph,
               .start_ns = start_ns,
               .ready_ns = tdm_array_new(graph->nodes + 1, sizeof *p.ready_ns),
               .missing = tdm_array_new(graph->nodes + 1, sizeof *p.missing),
               .first = tdm_array_new(graph->nodes + 2, sizeof *p.first),
               .follower = tdm_array_new(graph->waits + 1, sizeof *p.follower),
               .heap = tdm_array_new(graph->nodes + 1, sizeof *p.heap),
               .free_ns = tdm_array_new(tracks + 1, sizeof *p.free_ns)};
  bool whole = p.ready_ns != NULL && p.missing != NULL && p.first != NULL && p.follower != NULL &&
               p.heap != NULL && p.free_ns != NULL;
  if (whole) {
    count_followers(&p);
    list_followers(&p);
    place_all(&p);
  }
  free(p.ready_ns);
  free(p.missing);
  free(p.first);
  free(p.follower);
  free(p.heap);
  free(p.free_ns);
  return whole;
}
