/* See dag.h. */
#include "analysis/path/dag.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/natural_order.h"

tdm_status tdm_dag_open(tdm_dag *dag, size_t points, const tdm_table *work, const tdm_table *host,
                        tdm_error *error) {
  *dag = (tdm_dag){.points = points, .work = work, .host = host};
  dag->marks = malloc(points + 1);
  if (!tdm_kept_rows_open(&dag->rows, 0, 1) || points >= TDM_NO_POINT || dag->marks == NULL)
    return tdm_error_memory(error, "the critical path", points);
  return TDM_OK;
}

void tdm_dag_close(tdm_dag *dag) {
  tdm_kept_rows_close(&dag->rows);
  free(dag->marks);
  free(dag->told);
  free(dag->order);
  free(dag->edge);
  free(dag->first_edge);
  *dag = (tdm_dag){0};
}

bool tdm_dag_tell(tdm_dag *dag, uint32_t point, int64_t time_ns) {
  if (!tdm_array_grow(&dag->told, &dag->told_room, dag->tolds + 1, sizeof *dag->told)) return false;
  dag->told[dag->tolds++] = (tdm_told){time_ns, point};
  dag->marks[point] |= TDM_POINT_TOLD;
  return true;
}

bool tdm_dag_add_row(tdm_dag *dag, uint32_t row) {
  return tdm_kept_rows_append(&dag->rows, row == TDM_NO_ROW ? TDM_NONE : row);
}

int64_t tdm_dag_told_ns(const tdm_dag *dag, uint32_t point) {
  size_t low = 0, high = dag->tolds;
  while (low + 1 < high) {
    size_t middle = low + (high - low) / 2;
    if (dag->told[middle].point <= point)
      low = middle;
    else
      high = middle;
  }
  return dag->told[low].time_ns;
}

int tdm_dag_edge(tdm_dag *dag, uint32_t from, uint32_t to, tdm_edge_kind kind) {
  if (!tdm_array_grow(&dag->edge, &dag->room, dag->edges + 1, sizeof *dag->edge)) return 0;
  dag->edge[dag->edges++] = (tdm_edge){.from = from, .to = to, .kind = kind};
  return 1;
}

/* ---- order ---- */

static bool is_wrong(const void *context, uint32_t a, uint32_t b) {
  return !tdm_dag_comes_before(context, a, b); /* a is the lower number */
}

/* Threads are in order, and mostly the work of a stream. */
tdm_status tdm_dag_sort(tdm_dag *dag, tdm_error *error) {
  bool sorted;
  if (dag->order != NULL) return TDM_OK;
  dag->order = tdm_natural_order(dag->points, is_wrong, dag, &sorted);
  if (sorted) {
    dag->order = tdm_array_raw(dag->points + 1, sizeof *dag->order);
    for (uint32_t p = 0; dag->order != NULL && p < dag->points; p++) dag->order[p] = p;
  }
  if (dag->order != NULL) return TDM_OK;
  return tdm_error_memory(error, "the critical path", dag->points * sizeof *dag->order);
}

/* Where each block's begin, of edges by `to`. */
static void index_edges(tdm_dag *dag, size_t blocks) {
  size_t at = 0;
  for (size_t b = 0; b < blocks; b++) {
    while (at < dag->edges && dag->edge[at].to >> TDM_POINT_BLOCK < b) at++;
    dag->first_edge[b] = (uint32_t)at;
  }
  for (size_t e = 0; e < dag->edges; e++) dag->marks[dag->edge[e].to] |= TDM_POINT_EDGES;
}

/* Keeps the edges that agree with the order, side by side for each point they lead to. */
static tdm_status gather_edges(tdm_dag *dag, size_t *dropped, tdm_error *error) {
  size_t blocks = (dag->points >> TDM_POINT_BLOCK) + 1, kept = 0;
  tdm_edge *gathered = tdm_array_raw(dag->edges + 1, sizeof *gathered);
  uint32_t *first = tdm_array_new(dag->points + 2, sizeof *first);
  dag->first_edge = tdm_array_raw(blocks, sizeof *dag->first_edge);
  if (gathered == NULL || first == NULL || dag->first_edge == NULL || dag->edges >= UINT32_MAX) {
    free(gathered);
    free(first);
    return tdm_error_memory(error, "the critical path", dag->edges * sizeof *gathered);
  }
  for (size_t e = 0; e < dag->edges; e++) {
    tdm_edge *edge = &dag->edge[e];
    if (!tdm_dag_comes_before(dag, edge->from, edge->to)) continue;
    first[edge->to + 1]++;
    dag->edge[kept++] = *edge;
  }
  *dropped = dag->edges - kept;
  dag->edges = kept;
  for (size_t p = 0; p < dag->points; p++) first[p + 1] += first[p];
  for (size_t e = 0; e < kept; e++) gathered[first[dag->edge[e].to]++] = dag->edge[e];
  free(first);
  free(dag->edge);
  dag->edge = gathered;
  index_edges(dag, blocks);
  return TDM_OK;
}

/* ---- tightness ---- */

static int64_t recorded_ns(const tdm_dag *dag, const tdm_edge *edge) {
  return tdm_dag_time_ns(dag, edge->to) - tdm_dag_time_ns(dag, edge->from);
}

/* The edge that could have been the last to allow the point: the latest with its usual delay; of
 * equal ones the one that was left last. Waits of threads were added because they are. */
static size_t find_tight(const tdm_dag *dag, size_t first, size_t end) {
  size_t best = end; /* there is one at least */
  int64_t latest = INT64_MIN;
  for (size_t e = first; e < end; e++) {
    const tdm_edge *edge = &dag->edge[e], *other = best == end ? NULL : &dag->edge[best];
    int64_t delay = recorded_ns(dag, edge), usual = dag->typical_ns[edge->kind];
    int64_t left_ns = tdm_dag_time_ns(dag, edge->from),
            ready = left_ns + (usual < delay ? usual : delay);
    if (ready < latest) continue;
    if (ready == latest && other != NULL) {
      int64_t other_ns = tdm_dag_time_ns(dag, other->from);
      if (left_ns < other_ns || (left_ns == other_ns && edge->kind > other->kind)) continue;
    }
    latest = ready;
    best = e;
  }
  return best;
}

tdm_status tdm_dag_tighten(tdm_dag *dag, const int64_t typical_ns[TDM_EDGE_KINDS], size_t *dropped,
                           tdm_error *error) {
  memcpy(dag->typical_ns, typical_ns, sizeof dag->typical_ns);
  tdm_status status = gather_edges(dag, dropped, error);
  for (size_t first = 0, end; status == TDM_OK && first < dag->edges; first = end) {
    uint32_t point = dag->edge[first].to;
    for (end = first + 1; tdm_dag_leads(dag, end, point);) end++;
    size_t tight = find_tight(dag, first, end);
    tdm_edge edge = dag->edge[tight];
    dag->edge[tight] = dag->edge[first];
    dag->edge[first] = edge;
  }
  return status;
}

int64_t tdm_dag_edge_ns(const tdm_dag *dag, const tdm_edge *edge) {
  int64_t delay = recorded_ns(dag, edge), usual = dag->typical_ns[edge->kind];
  bool is_tight = edge == dag->edge || edge[-1].to != edge->to;
  return is_tight || delay < usual ? delay : usual;
}

int64_t tdm_dag_lag_ns(const tdm_dag *dag, uint32_t p) {
  if (!(dag->marks[p] & TDM_POINT_FOLLOWS)) return 0;
  int64_t lag_ns = tdm_dag_time_ns(dag, p) - tdm_dag_time_ns(dag, p - 1);
  const tdm_edge *tight = tdm_dag_tight(dag, p);
  if (tight == NULL) return lag_ns;
  /* The thread waited: of its own time only the way back from the wait is left. */
  int64_t back_ns = tight->kind == TDM_EDGE_HANDOFF ? 0 : tdm_dag_edge_ns(dag, tight);
  return back_ns < lag_ns ? back_ns : lag_ns;
}

/* ---- replay ---- */

size_t tdm_dag_at(const tdm_dag *dag, int64_t time_ns) {
  size_t low = 0, high = dag->points; /* the first position after the time */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (tdm_dag_time_ns(dag, dag->order[middle]) <= time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? dag->points : low - 1;
}

/* What lies before from_ns is not replayed. */
static int64_t at(const tdm_dag *dag, uint32_t p, int64_t from_ns, const int64_t *at_ns) {
  return tdm_dag_time_ns(dag, p) < from_ns ? tdm_dag_time_ns(dag, p) - from_ns : at_ns[p];
}

static int64_t reached_ns(const tdm_dag *dag, uint32_t p, int64_t from_ns,
                          const tdm_dag_costs *costs, const int64_t *at_ns) {
  int64_t latest = INT64_MIN;
  if (tdm_dag_before(dag, p) != TDM_NO_POINT) {
    int64_t lag = costs == NULL ? tdm_dag_lag_ns(dag, p) : costs->stretch_ns(costs->context, p);
    latest = at(dag, p - 1, from_ns, at_ns) + lag;
  }
  for (size_t e = tdm_dag_edges_to(dag, p); tdm_dag_leads(dag, e, p); e++) {
    const tdm_edge *edge = &dag->edge[e];
    int64_t lag = costs == NULL ? tdm_dag_edge_ns(dag, edge) : costs->edge_ns(costs->context, edge);
    int64_t ready = at(dag, edge->from, from_ns, at_ns) + lag;
    if (ready > latest) latest = ready;
  }
  return latest == INT64_MIN ? tdm_dag_time_ns(dag, p) - from_ns : latest;
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
