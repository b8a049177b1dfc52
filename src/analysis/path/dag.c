/* See dag.h. Sorting is by radix: points are many and their times close together. */
#include "analysis/path/dag.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"

tdm_status tdm_dag_open(tdm_dag *dag, size_t points, tdm_error *error) {
  *dag = (tdm_dag){.points = points};
  dag->time_ns = malloc((points + 1) * sizeof *dag->time_ns);
  dag->before = malloc((points + 1) * sizeof *dag->before);
  dag->row = malloc((points + 1) * sizeof *dag->row);
  dag->role = malloc(points + 1);
  dag->tight = malloc((points + 1) * sizeof *dag->tight);
  dag->order = malloc((points + 1) * sizeof *dag->order);
  if (points >= TDM_NO_POINT || dag->time_ns == NULL || dag->before == NULL || dag->row == NULL ||
      dag->role == NULL || dag->tight == NULL || dag->order == NULL)
    return tdm_error_memory(error, "the critical path", points * 25);
  return TDM_OK;
}

void tdm_dag_close(tdm_dag *dag) {
  free(dag->time_ns);
  free(dag->before);
  free(dag->row);
  free(dag->role);
  free(dag->tight);
  free(dag->order);
  free(dag->edge);
  free(dag->first);
  *dag = (tdm_dag){0};
}

int tdm_dag_edge(tdm_dag *dag, uint32_t from, uint32_t to, tdm_edge_kind kind) {
  if (!tdm_array_grow(&dag->edge, &dag->room, dag->edges + 1, sizeof *dag->edge)) return 0;
  dag->edge[dag->edges++] = (tdm_edge){.from = from, .to = to, .kind = kind};
  return 1;
}

/* ---- order ---- */

static tdm_status sort_points(tdm_dag *dag, tdm_error *error) {
  uint64_t *key = malloc((dag->points + 1) * sizeof *key);
  if (key == NULL) return tdm_error_memory(error, "the critical path", dag->points * sizeof *key);
  int64_t least = INT64_MAX;
  for (size_t p = 0; p < dag->points; p++)
    if (dag->time_ns[p] < least) least = dag->time_ns[p];
  for (size_t p = 0; p < dag->points; p++)
    key[p] = ((uint64_t)dag->time_ns[p] - (uint64_t)least) << 2 | dag->role[p];
  tdm_status status = tdm_order_by(key, dag->order, dag->points, error);
  free(key);
  return status;
}

/* As sorted: by time, by role, by number. */
static int comes_before(const tdm_dag *dag, uint32_t a, uint32_t b) {
  if (dag->time_ns[a] != dag->time_ns[b]) return dag->time_ns[a] < dag->time_ns[b];
  return dag->role[a] != dag->role[b] ? dag->role[a] < dag->role[b] : a < b;
}

/* Keeps the edges that agree with the order, side by side for each point they lead to. */
static tdm_status gather_edges(tdm_dag *dag, size_t *dropped, tdm_error *error) {
  tdm_edge *gathered = malloc((dag->edges + 1) * sizeof *gathered);
  dag->first = tdm_array_new(dag->points + 2, sizeof *dag->first);
  if (gathered == NULL || dag->first == NULL || dag->edges >= UINT32_MAX) {
    free(gathered);
    return tdm_error_memory(error, "the critical path", dag->edges * sizeof *gathered);
  }
  size_t kept = 0;
  for (size_t e = 0; e < dag->edges; e++) {
    tdm_edge *edge = &dag->edge[e];
    if (!comes_before(dag, edge->from, edge->to)) continue;
    dag->first[edge->to + 1]++;
    dag->edge[kept++] = *edge;
  }
  *dropped = dag->edges - kept;
  dag->edges = kept;
  for (size_t p = 0; p < dag->points; p++) dag->first[p + 1] += dag->first[p];
  for (size_t e = 0; e < kept; e++) gathered[dag->first[dag->edge[e].to]++] = dag->edge[e];
  memmove(dag->first + 1, dag->first, dag->points * sizeof *dag->first);
  dag->first[0] = 0;
  free(dag->edge);
  dag->edge = gathered;
  return TDM_OK;
}

/* ---- tightness ---- */

static int64_t recorded_ns(const tdm_dag *dag, const tdm_edge *edge) {
  return dag->time_ns[edge->to] - dag->time_ns[edge->from];
}

/* The edge that could have been the last to allow the point: the latest with its usual delay; of
 * equal ones the one that was left last. Waits of threads were added because they are. */
static uint32_t find_tight(const tdm_dag *dag, uint32_t point,
                           const int64_t typical_ns[TDM_EDGE_KINDS]) {
  uint32_t best = TDM_BY_CHAIN;
  int64_t latest = INT64_MIN;
  for (uint32_t e = dag->first[point]; e < dag->first[point + 1]; e++) {
    const tdm_edge *edge = &dag->edge[e], *other = best == TDM_BY_CHAIN ? NULL : &dag->edge[best];
    int64_t delay = recorded_ns(dag, edge), usual = typical_ns[edge->kind];
    int64_t left_ns = dag->time_ns[edge->from], ready = left_ns + (usual < delay ? usual : delay);
    if (ready < latest) continue;
    if (ready == latest && other != NULL) {
      int64_t other_ns = dag->time_ns[other->from];
      if (left_ns < other_ns || (left_ns == other_ns && edge->kind > other->kind)) continue;
    }
    latest = ready;
    best = e;
  }
  return best;
}

tdm_status tdm_dag_tighten(tdm_dag *dag, const int64_t typical_ns[TDM_EDGE_KINDS], size_t *dropped,
                           tdm_error *error) {
  tdm_status status = sort_points(dag, error);
  if (status == TDM_OK) status = gather_edges(dag, dropped, error);
  for (uint32_t p = 0; status == TDM_OK && p < dag->points; p++) {
    dag->tight[p] = find_tight(dag, p, typical_ns);
    for (uint32_t e = dag->first[p]; e < dag->first[p + 1]; e++) {
      tdm_edge *edge = &dag->edge[e];
      int64_t delay = recorded_ns(dag, edge), usual = typical_ns[edge->kind];
      edge->lag_ns = e == dag->tight[p] || delay < usual ? delay : usual;
    }
  }
  return status;
}

int64_t tdm_dag_lag_ns(const tdm_dag *dag, uint32_t p) {
  uint32_t before = dag->before[p], tight = dag->tight[p];
  if (before == TDM_NO_POINT) return 0;
  int64_t lag_ns = dag->time_ns[p] - dag->time_ns[before];
  if (tight == TDM_BY_CHAIN) return lag_ns;
  /* The thread waited: of its own time only the way back from the wait is left. */
  int64_t back_ns = dag->edge[tight].kind == TDM_EDGE_HANDOFF ? 0 : dag->edge[tight].lag_ns;
  return back_ns < lag_ns ? back_ns : lag_ns;
}

/* ---- replay ---- */

size_t tdm_dag_at(const tdm_dag *dag, int64_t time_ns) {
  size_t low = 0, high = dag->points; /* the first position after the time */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (dag->time_ns[dag->order[middle]] <= time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? dag->points : low - 1;
}

/* What lies before from_ns is not replayed. */
static int64_t at(const tdm_dag *dag, uint32_t p, int64_t from_ns, const int64_t *at_ns) {
  return dag->time_ns[p] < from_ns ? dag->time_ns[p] - from_ns : at_ns[p];
}

static int64_t reached_ns(const tdm_dag *dag, uint32_t p, int64_t from_ns,
                          const tdm_dag_costs *costs, const int64_t *at_ns) {
  int64_t latest = INT64_MIN;
  if (dag->before[p] != TDM_NO_POINT) {
    int64_t lag = costs == NULL ? tdm_dag_lag_ns(dag, p) : costs->stretch_ns(costs->context, p);
    latest = at(dag, dag->before[p], from_ns, at_ns) + lag;
  }
  for (uint32_t e = dag->first[p]; e < dag->first[p + 1]; e++) {
    const tdm_edge *edge = &dag->edge[e];
    int64_t lag = costs == NULL ? edge->lag_ns : costs->edge_ns(costs->context, edge);
    int64_t ready = at(dag, edge->from, from_ns, at_ns) + lag;
    if (ready > latest) latest = ready;
  }
  return latest == INT64_MIN ? dag->time_ns[p] - from_ns : latest;
}

int64_t tdm_dag_replay(const tdm_dag *dag, int64_t from_ns, size_t last, const tdm_dag_costs *costs,
                       int64_t *at_ns) {
  if (last >= dag->points) return 0;
  int64_t end_ns = 0;
  size_t before = tdm_dag_at(dag, from_ns - 1), first = before == dag->points ? 0 : before + 1;
  for (size_t i = first; i <= last; i++) {
    uint32_t p = dag->order[i];
    at_ns[p] = reached_ns(dag, p, from_ns, costs, at_ns);
    if (at_ns[p] > end_ns &&
        (costs == NULL || costs->ends == NULL || costs->ends(costs->context, p)))
      end_ns = at_ns[p];
  }
  return end_ns;
}
