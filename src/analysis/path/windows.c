/* The parts of a run that a filter leaves, each with a path of its own: walked, and replayed. See
 * path.h. */
#include "analysis/path/path.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

/* Of these the last record, not where a thread goes on after it. */
static bool is_goal(const tdm_path *path, uint32_t point) {
  uint32_t row = tdm_dag_row(&path->dag, point);
  if (row == TDM_NO_ROW || row < path->work->count) return row != TDM_NO_ROW;
  return path->active[tdm_table_track(path->host, row - path->work->count)];
}

bool tdm_path_ends_with(const tdm_path *path, uint32_t point) {
  uint32_t thread = tdm_path_thread(path, point);
  return thread == TDM_NO_ROW || path->active[thread];
}

/* When the first point is, the last by a time, and the last of these that is a goal; TDM_NO_POINT:
 * none. */
typedef struct {
  int64_t begins_ns;
  uint32_t latest, goal;
} bounds;

/* Numbers of a thread's points run with time: from the last one on few are later than others. */
static bounds bounds_of_all(const tdm_path *path, int64_t to_ns) {
  const tdm_dag *dag = &path->dag;
  bounds b = {INT64_MAX, TDM_NO_POINT, TDM_NO_POINT};
  int64_t latest_ns = INT64_MIN, goal_ns = INT64_MIN;
  for (uint32_t p = (uint32_t)dag->points; p-- > 0;) {
    int64_t time_ns = tdm_dag_time_ns(dag, p);
    if (time_ns < b.begins_ns) b.begins_ns = time_ns;
    if (time_ns > to_ns) continue;
    if (b.latest == TDM_NO_POINT || time_ns > latest_ns ||
        (time_ns == latest_ns && tdm_dag_comes_before(dag, b.latest, p)))
      b.latest = p, latest_ns = time_ns;
    if ((b.goal == TDM_NO_POINT || time_ns > goal_ns ||
         (time_ns == goal_ns && tdm_dag_comes_before(dag, b.goal, p))) &&
        is_goal(path, p))
      b.goal = p, goal_ns = time_ns;
  }
  return b;
}

static bounds bounds_in_order(const tdm_path *path, int64_t to_ns) {
  const tdm_dag *dag = &path->dag;
  size_t latest = tdm_dag_at(dag, to_ns), goal = latest;
  while (goal < dag->points && !is_goal(path, dag->order[goal])) goal--;
  return (bounds){tdm_dag_time_ns(dag, dag->order[0]),
                  latest < dag->points ? dag->order[latest] : TDM_NO_POINT,
                  goal < dag->points ? dag->order[goal] : TDM_NO_POINT};
}

/* The part of a window between the first and last point in it; false: none is. *begins_ns: when the
 * first of all is. */
static bool window_at(const tdm_path *path, size_t index, int64_t *begins_ns, int64_t *from_ns,
                      uint32_t *last) {
  const tdm_dag *dag = &path->dag;
  const tdm_intervals *times = tdm_run_view_times(path->view);
  if (dag->points == 0) return false;
  bounds b = dag->order != NULL ? bounds_in_order(path, times->end_ns[index])
                                : bounds_of_all(path, times->end_ns[index]);
  *begins_ns = b.begins_ns;
  *from_ns = b.begins_ns < path->begins_ns ? b.begins_ns : path->begins_ns;
  if (*from_ns < times->start_ns[index]) *from_ns = times->start_ns[index];
  *last = b.goal;
  if (b.goal == TDM_NO_POINT || tdm_dag_time_ns(dag, b.goal) <= *from_ns) *last = b.latest;
  return *last != TDM_NO_POINT && tdm_dag_time_ns(dag, *last) > *from_ns;
}

bool tdm_path_ends(const tdm_path *path, int64_t *from_ns, uint32_t *point) {
  int64_t begins_ns;
  return tdm_run_view_times(path->view)->count > 0 &&
         window_at(path, 0, &begins_ns, from_ns, point);
}

static tdm_status join(tdm_path *path, int64_t from_ns, uint32_t last, tdm_error *error) {
  tdm_status status = tdm_joints_open(&path->dag, last, &path->joints, error);
  if (status != TDM_OK) return status;
  size_t count = path->joints.count;
  path->joined_ns = from_ns;
  path->joint_ends = tdm_array_new(count + 1, 1);
  if (path->joint_ends == NULL) return tdm_error_memory(error, "the critical path", count);
  bool any = tdm_path_ends_with(path, last);
  for (size_t i = 0; i < count; i++)
    path->joint_ends[i] = !any || tdm_path_ends_with(path, path->joints.point[i]);
  return TDM_OK;
}

tdm_status tdm_path_walk_windows(tdm_path *path, tdm_error *error) {
  size_t windows = tdm_run_view_times(path->view)->count;
  tdm_status status = windows != 1 ? tdm_dag_sort(&path->dag, error) : TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < windows; i++) {
    int64_t begins_ns, from_ns;
    uint32_t last;
    if (!window_at(path, i, &begins_ns, &from_ns, &last)) continue;
    path->total_ns += tdm_dag_time_ns(&path->dag, last) - from_ns;
    status = tdm_path_walk(path, from_ns, last, NULL, NULL, &path->steps, error);
    if (status == TDM_OK && windows == 1 && from_ns <= begins_ns)
      status = join(path, from_ns, last, error);
  }
  if (status == TDM_OK && path->joints.count == 0) status = tdm_dag_sort(&path->dag, error);
  return status;
}

/* The position in the order of the last point of a window. */
static size_t position_of(const tdm_dag *dag, uint32_t point) {
  size_t at = tdm_dag_at(dag, tdm_dag_time_ns(dag, point));
  while (dag->order[at] != point) at--;
  return at;
}

int64_t tdm_change_replay_windows(const tdm_change *change, int64_t *at_ns) {
  const tdm_path *path = change->path;
  if (path->joints.count > 0) return tdm_change_replay_joints(change, at_ns);
  int64_t sum_ns = 0;
  for (size_t i = 0; i < tdm_run_view_times(path->view)->count; i++) {
    int64_t begins_ns, from_ns;
    uint32_t last;
    if (window_at(path, i, &begins_ns, &from_ns, &last))
      sum_ns += tdm_change_replay(change, from_ns, position_of(&path->dag, last), at_ns);
  }
  return sum_ns;
}
