/* The walk back along what was tight, as steps: what happened on each stretch. See path.h. */
#include <string.h>

#include "analysis/path/path.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

static const char *const bound_names[TDM_BOUNDS] = {
    [TDM_BOUND_CPU] = "cpu_bound",
    [TDM_BOUND_COMPUTE] = "gpu_compute_bound",
    [TDM_BOUND_COMM] = "gpu_communication_bound",
    [TDM_BOUND_COPY] = "gpu_copy_bound",
    [TDM_BOUND_LAUNCH] = "gpu_kernel_launch_overhead",
    [TDM_BOUND_KERNEL_GAP] = "gpu_kernel_kernel_overhead",
    [TDM_BOUND_IDLE] = "idle"};

const char *tdm_bound_name(tdm_bound bound) {
  return bound_names[bound];
}

/* ---- what a row is bound by ---- */

static tdm_bound bound_of_lane(tdm_lane lane) {
  switch (lane) {
  case TDM_LANE_GPU: return TDM_BOUND_COMPUTE;
  case TDM_LANE_COMM: return TDM_BOUND_COMM;
  case TDM_LANE_H2D:
  case TDM_LANE_D2H: return TDM_BOUND_COPY;
  default: return TDM_BOUND_CPU;
  }
}

static tdm_bound bound_of_work(const tdm_path *path, uint32_t work) {
  if (tdm_table_category(path->work, work) == TDM_WORK_STAGE) {
    const tdm_track *track = tdm_run_view_track(path->view, tdm_table_track(path->work, work));
    return bound_of_lane(track != NULL ? track->lane : TDM_LANE_OTHER);
  }
  switch (path->work_class[work]) {
  case TDM_CLASS_COMM: return TDM_BOUND_COMM;
  case TDM_CLASS_COPY:
  case TDM_CLASS_MEMSET: return TDM_BOUND_COPY;
  default: return TDM_BOUND_COMPUTE;
  }
}

bool tdm_path_waits(const char *name) {
  static const char *const words[] = {"wait", "poll", "select", "sleep", "lock", "join", NULL};
  for (const char *const *word = words; *word != NULL; word++)
    if (strstr(name, *word) != NULL) return true;
  return false;
}

static tdm_bound bound_of_row(const tdm_path *path, uint32_t row) {
  if (row == TDM_NO_ROW) return TDM_BOUND_IDLE;
  if (row < path->work->count) return bound_of_work(path, row);
  uint32_t host = row - (uint32_t)path->work->count;
  return tdm_table_category(path->host, host) == TDM_HOST_OSRT &&
                 tdm_path_waits(tdm_run_view_name(path->view, tdm_table_name(path->host, host)))
             ? TDM_BOUND_IDLE
             : TDM_BOUND_CPU;
}

/* ---- steps ---- */

typedef struct {
  const tdm_path *path;
  int64_t from_ns;
  tdm_steps *steps;
  size_t begun; /* steps before this walk's */
} walk;

/* Steps come from the last to the first; neighbours that are the same become one. */
static int add_step(walk *w, tdm_step step) {
  tdm_steps *steps = w->steps;
  if (step.from_ns < w->from_ns) step.from_ns = w->from_ns;
  if (step.to_ns <= step.from_ns) return 1;
  tdm_step *last = steps->count > w->begun ? &steps->step[steps->count - 1] : NULL;
  if (last != NULL && last->from_ns == step.to_ns && last->row == step.row &&
      last->bound == step.bound && last->what == step.what && last->inferred == step.inferred) {
    last->from_ns = step.from_ns;
    return 1;
  }
  if (!tdm_array_grow(&steps->step, &steps->room, steps->count + 1, sizeof *steps->step)) return 0;
  steps->step[steps->count++] = step;
  return 1;
}

static int add(walk *w, int64_t from_ns, int64_t to_ns, uint32_t row, tdm_bound bound) {
  return add_step(w, (tdm_step){from_ns, to_ns, TDM_NOTHING, row, (uint8_t)bound, false});
}

/* A stretch of a thread without a record: on a CPU where scheduling or samples say so. */
static int add_unrecorded(walk *w, uint32_t track, int64_t from_ns, int64_t to_ns) {
  const tdm_path *path = w->path;
  if (from_ns < w->from_ns) from_ns = w->from_ns;
  int32_t between = track != TDM_NO_ROW && path->scheduled[track] ? TDM_OFF_CPU : TDM_NOTHING;
  uint32_t i = track == TDM_NO_ROW ? TDM_NO_ROW : tdm_path_piece_before(path, track, to_ns);
  while (i != TDM_NO_ROW && path->piece[i].end_ns > from_ns) {
    const tdm_piece *piece = &path->piece[i];
    int64_t start_ns = piece->start_ns > from_ns ? piece->start_ns : from_ns;
    int64_t end_ns = piece->end_ns < to_ns ? piece->end_ns : to_ns;
    if (!add_step(w, (tdm_step){end_ns, to_ns, between, TDM_NO_ROW, TDM_BOUND_IDLE, false}) ||
        !add_step(w, (tdm_step){start_ns, end_ns, (int32_t)piece->what, TDM_NO_ROW, TDM_BOUND_CPU,
                                false}))
      return 0;
    to_ns = start_ns;
    i = i > path->first_piece[track] ? i - 1 : TDM_NO_ROW;
  }
  return add_step(w, (tdm_step){from_ns, to_ns, between, TDM_NO_ROW, TDM_BOUND_IDLE, false});
}

/* A long gap before work whose launch is not recorded: it may not have been asked for yet. */
static bool is_unexplained(const tdm_path *path, const tdm_edge *edge, uint32_t row) {
  enum { FAR_NS = 20000, FAR_TIMES = 10 };
  if (edge->kind != TDM_EDGE_STREAM || path->launch[row] != TDM_NO_ROW) return false;
  int64_t lag_ns = tdm_dag_edge_ns(&path->dag, edge);
  return lag_ns > FAR_NS && lag_ns > FAR_TIMES * path->typical_ns[TDM_EDGE_STREAM];
}

static int add_edge(walk *w, const tdm_edge *edge) {
  const tdm_path *path = w->path;
  const tdm_dag *dag = &path->dag;
  int64_t from_ns = tdm_dag_time_ns(dag, edge->from), to_ns = tdm_dag_time_ns(dag, edge->to);
  uint32_t row = tdm_dag_row(dag, edge->to);
  bool simulated = row < path->work->count && tdm_table_category(path->work, row) == TDM_WORK_STAGE;
  switch (edge->kind) {
  case TDM_EDGE_LAUNCH: {
    int64_t call_ns, delay_ns;
    tdm_path_launch(path, edge, &call_ns, &delay_ns);
    uint32_t call = (uint32_t)path->work->count + path->launch[row];
    return add(w, to_ns - delay_ns, to_ns, row, TDM_BOUND_LAUNCH) &&
           add_step(w, (tdm_step){from_ns + call_ns, to_ns - delay_ns, TDM_HELD_UP, TDM_NO_ROW,
                                  TDM_BOUND_IDLE, false}) &&
           add(w, from_ns, from_ns + call_ns, call, TDM_BOUND_CPU);
  }
  case TDM_EDGE_SYNC: return add(w, from_ns, to_ns, row, TDM_BOUND_CPU);
  case TDM_EDGE_HANDOFF:
    return add_step(w, (tdm_step){from_ns, to_ns, TDM_NOTHING, TDM_NO_ROW, TDM_BOUND_IDLE, true});
  default:
    return simulated || is_unexplained(path, edge, row)
               ? add(w, from_ns, to_ns, TDM_NO_ROW, TDM_BOUND_IDLE)
               : add(w, from_ns, to_ns, row, TDM_BOUND_KERNEL_GAP);
  }
}

static void reverse(tdm_step *step, size_t count) {
  for (size_t i = 0; i < count / 2; i++) {
    tdm_step other = step[i];
    step[i] = step[count - 1 - i];
    step[count - 1 - i] = other;
  }
}

/* The stretch of the chain to a point. */
static int add_stretch(walk *w, uint32_t p) {
  const tdm_dag *dag = &w->path->dag;
  int64_t from_ns = tdm_dag_time_ns(dag, p - 1);
  uint32_t row = tdm_dag_row(dag, p);
  if (row == TDM_NO_ROW)
    return add_unrecorded(w, tdm_path_thread(w->path, p), from_ns, tdm_dag_time_ns(dag, p));
  return add(w, from_ns, tdm_dag_time_ns(dag, p), row, bound_of_row(w->path, row));
}

tdm_status tdm_path_walk(const tdm_path *path, int64_t from_ns, uint32_t point,
                         const uint8_t *stops, uint32_t *stopped, tdm_steps *steps,
                         tdm_error *error) {
  const tdm_dag *dag = &path->dag;
  size_t begun = steps->count;
  walk w = {path, from_ns, steps, begun};
  int fine = 1;
  uint32_t p = point;
  if (stopped != NULL) *stopped = TDM_NO_ROW;
  while (fine && tdm_dag_time_ns(dag, p) > from_ns) {
    const tdm_edge *edge = tdm_dag_tight(dag, p);
    if (edge != NULL) {
      fine = add_edge(&w, edge);
      p = edge->from;
    } else if (tdm_dag_before(dag, p) == TDM_NO_POINT) {
      fine = add_unrecorded(&w, tdm_path_thread(path, p), from_ns, tdm_dag_time_ns(dag, p));
      break;
    } else if (stops != NULL && tdm_dag_row(dag, p) < path->work->count &&
               stops[tdm_dag_row(dag, p)]) {
      *stopped = tdm_dag_row(dag, p);
      break;
    } else {
      fine = add_stretch(&w, p);
      p--;
    }
  }
  reverse(steps->step + begun, steps->count - begun);
  return fine ? TDM_OK : tdm_error_memory(error, "the critical path", 0);
}
