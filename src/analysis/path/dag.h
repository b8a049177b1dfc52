/* The dependency graph of a run: points in time, chains of them, and edges between chains.
 *
 * A point is the beginning or the end of a record. Points of a chain (a thread, or a piece of GPU
 * work) have numbers one after the other: each follows the one before it after a lag, and every
 * edge into it after the edge's. One of
 * these is tight: it explains the recorded time to the nanosecond, the others allow it. So a replay
 * without a change gives the recorded times, and walking back along the tight ones is the longest
 * path. Owns its arrays; the tables of records, whose times points have, are borrowed. Used by the
 * analysis of the critical path. */
#ifndef TDM_ANALYSIS_PATH_DAG_H
#define TDM_ANALYSIS_PATH_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/run_view/run_view.h"
#include "base/error.h"

#define TDM_NO_POINT UINT32_MAX
#define TDM_NO_ROW   UINT32_MAX

typedef enum {
  TDM_EDGE_STREAM,  /* the work before in its stream, or the service before at its server */
  TDM_EDGE_LAUNCH,  /* from the beginning of the call that launched it */
  TDM_EDGE_GRAPH,   /* the work before of the same launch of a graph */
  TDM_EDGE_EVENT,   /* a stream that waits for an event of another */
  TDM_EDGE_REQUEST, /* the stage before of the same request */
  TDM_EDGE_SYNC,    /* work that a call waited for, to the call's end */
  TDM_EDGE_HANDOFF, /* a thread that waited for another */
  TDM_EDGE_KINDS
} tdm_edge_kind;

typedef struct {
  uint32_t from, to;
  tdm_edge_kind kind;
} tdm_edge;

/* Which of the points of one time comes first, */
enum { TDM_POINT_END, TDM_POINT_PROGRAM, TDM_POINT_START, TDM_POINT_ROLE = 3 };
/* and what else is marked: it follows the one before it; edges lead to it; it is the beginning of
 * the row of the point that follows it, not the end of its own; its time is told apart. */
enum { TDM_POINT_FOLLOWS = 4, TDM_POINT_EDGES = 8, TDM_POINT_OPENS = 16, TDM_POINT_TOLD = 32 };

/* The time of a point that is not that of a record. */
typedef struct {
  int64_t time_ns;
  uint32_t point;
} tdm_told;

typedef struct {
  size_t points;
  const tdm_table *work, *host; /* rows are work's, then host's */
  tdm_kept_rows rows;           /* see tdm_dag_row; of work's points they are told by the number */
  uint8_t *marks;               /* TDM_POINT_…: its role, and bits */
  tdm_told *told;               /* in order of points */
  size_t tolds, told_room;
  uint32_t *order; /* points by time: whatever it follows comes before it; NULL: not sorted */
  size_t edges, room;
  tdm_edge *edge;       /* when tightened: by `to`, the tight one first */
  uint32_t *first_edge; /* by 1 << TDM_POINT_BLOCK points: the first that leads to one of these */
  int64_t typical_ns[TDM_EDGE_KINDS];
} tdm_dag;

enum { TDM_POINT_BLOCK = 4 };

tdm_status tdm_dag_open(tdm_dag *dag, size_t points, const tdm_table *work, const tdm_table *host,
                        tdm_error *error);
void tdm_dag_close(tdm_dag *dag);

/* Tells a point's time apart, once its marks are there: of points in their order. False: out of
 * memory. */
bool tdm_dag_tell(tdm_dag *dag, uint32_t point, int64_t time_ns);
/* The row of the next point after those of work, which are two each: of all, in their order. False:
 * out of memory. */
bool tdm_dag_add_row(tdm_dag *dag, uint32_t row);
int64_t tdm_dag_told_ns(const tdm_dag *dag, uint32_t point);

/* What happens between the point before and this one: a row, or TDM_NO_ROW. */
static inline uint32_t tdm_dag_row(const tdm_dag *dag, size_t point) {
  size_t of_work = 2 * dag->work->count;
  if (point < of_work) return (uint32_t)(point / 2);
  int64_t row = tdm_kept(&dag->rows, 0, point - of_work);
  return row == TDM_NONE ? TDM_NO_ROW : (uint32_t)row;
}

static inline int64_t tdm_dag_time_ns(const tdm_dag *dag, uint32_t point) {
  uint8_t marks = dag->marks[point];
  if (marks & TDM_POINT_TOLD) return tdm_dag_told_ns(dag, point);
  bool opens = (marks & TDM_POINT_OPENS) != 0;
  size_t works = dag->work->count;
  const tdm_table *table = dag->work;
  size_t row = point / 2;
  if (point >= 2 * works) { /* of the host, which has a row */
    table = dag->host;
    row = (size_t)tdm_kept(&dag->rows, 0, point + opens - 2 * works) - works;
  }
  return tdm_kept_in(opens ? table->start : table->end, row);
}

/* False: out of memory. An edge to an earlier point, or one the order has before it, is left out
 * later and counted. */
int tdm_dag_edge(tdm_dag *dag, uint32_t from, uint32_t to, tdm_edge_kind kind);

/* When all edges are there: drops those that run backwards in time (*dropped), finds the tight one
 * of each point. `typical_ns` by kind: the least delay that is usual, which is the
 * lag of edges that are not tight, or what was recorded when that is less. */
tdm_status tdm_dag_tighten(tdm_dag *dag, const int64_t typical_ns[TDM_EDGE_KINDS], size_t *dropped,
                           tdm_error *error);

/* Whether a point stands before another: by time, by role, by number. */
static inline bool tdm_dag_comes_before(const tdm_dag *dag, uint32_t a, uint32_t b) {
  int64_t a_ns = tdm_dag_time_ns(dag, a), b_ns = tdm_dag_time_ns(dag, b);
  int x = dag->marks[a] & TDM_POINT_ROLE, y = dag->marks[b] & TDM_POINT_ROLE;
  return a_ns != b_ns ? a_ns < b_ns : x != y ? x < y : a < b;
}

/* Makes `order`, of which replays without joints and looks by time are; twice is fine. */
tdm_status tdm_dag_sort(tdm_dag *dag, tdm_error *error);

/* The one before a point in its chain; TDM_NO_POINT: none. */
static inline uint32_t tdm_dag_before(const tdm_dag *dag, uint32_t point) {
  return dag->marks[point] & TDM_POINT_FOLLOWS ? point - 1 : TDM_NO_POINT;
}

/* Where the edges to a point begin; they end where `to` is another's. dag->edges: there are none.
 */
static inline size_t tdm_dag_edges_to(const tdm_dag *dag, uint32_t point) {
  if (!(dag->marks[point] & TDM_POINT_EDGES)) return dag->edges;
  size_t at = dag->first_edge[point >> TDM_POINT_BLOCK];
  while (dag->edge[at].to != point) at++;
  return at;
}
static inline bool tdm_dag_leads(const tdm_dag *dag, size_t at, uint32_t point) {
  return at < dag->edges && dag->edge[at].to == point;
}

/* The tight edge to a point; NULL: its chain is. */
static inline const tdm_edge *tdm_dag_tight(const tdm_dag *dag, uint32_t point) {
  return dag->marks[point] & TDM_POINT_EDGES ? &dag->edge[tdm_dag_edges_to(dag, point)] : NULL;
}

/* The lag of an edge of the graph: what was recorded of the tight one of its point. */
int64_t tdm_dag_edge_ns(const tdm_dag *dag, const tdm_edge *edge);

/* After how long a point follows the one before it in its chain, where there is one: what was
 * recorded; of a point that waited for something else no more than the way back from there. */
int64_t tdm_dag_lag_ns(const tdm_dag *dag, uint32_t point);

/* The last position in `order` of a point at or before a time; points: none. */
size_t tdm_dag_at(const tdm_dag *dag, int64_t time_ns);

/* Costs under a change, of the chain's stretch to a point and of an edge. */
typedef struct {
  int64_t (*stretch_ns)(void *context, uint32_t point);
  int64_t (*edge_ns)(void *context, const tdm_edge *edge);
  void *context;
  bool (*ends)(void *context, uint32_t point); /* whether the last may be this; NULL: any may */
} tdm_dag_costs;

/* How long after `from_ns` the last of the points up to position `last` of the order would be
 * reached. What lies before from_ns stays as recorded, and so does the beginning of what follows
 * nothing. `at_ns` [points] is scratch. NULL costs: as recorded. */
int64_t tdm_dag_replay(const tdm_dag *dag, int64_t from_ns, size_t last, const tdm_dag_costs *costs,
                       int64_t *at_ns);

#endif
