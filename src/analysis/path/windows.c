/* The parts of a run that a filter leaves, each with a path of its own: walked, and replayed. See
 * path.h. */
#include "analysis/path/path.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

/* Of these the last record, not where a thread goes on after it. */
static bool is_goal(const tdm_path *path, uint32_t point) {
  uint32_t row = path->dag.row[point];
  if (row == TDM_NO_ROW || row < path->work->count) return row != TDM_NO_ROW;
  return path->active[path->host->track[row - path->work->count]];
}

bool tdm_path_ends_with(const tdm_path *path, uint32_t point) {
  uint32_t thread = tdm_path_thread(path, point);
  return thread == TDM_NO_ROW || path->active[thread];
}

/* The part of a window between the first and last point in it; false: none is. */
static bool window_at(const tdm_path *path, size_t index, int64_t *from_ns, size_t *last) {
  const tdm_dag *dag = &path->dag;
  const tdm_intervals *times = tdm_run_view_times(path->view);
  *from_ns = times->start_ns[index];
  if (dag->points == 0) return false;
  int64_t begins_ns = dag->time_ns[dag->order[0]];
  if (begins_ns > path->begins_ns) begins_ns = path->begins_ns;
  if (*from_ns < begins_ns) *from_ns = begins_ns;
  size_t latest = tdm_dag_at(dag, times->end_ns[index]);
  for (*last = latest; *last < dag->points && !is_goal(path, dag->order[*last]);) (*last)--;
  if (*last >= dag->points || dag->time_ns[dag->order[*last]] <= *from_ns) *last = latest;
  return *last < dag->points && dag->time_ns[dag->order[*last]] > *from_ns;
}

bool tdm_path_ends(const tdm_path *path, int64_t *from_ns, uint32_t *point) {
  size_t last;
  if (tdm_run_view_times(path->view)->count == 0 || !window_at(path, 0, from_ns, &last))
    return false;
  *point = path->dag.order[last];
  return true;
}

tdm_status tdm_path_walk_windows(const tdm_path *path, tdm_steps *steps, int64_t *total_ns,
                                 tdm_error *error) {
  tdm_status status = TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < tdm_run_view_times(path->view)->count; i++) {
    int64_t from_ns;
    size_t last;
    if (!window_at(path, i, &from_ns, &last)) continue;
    *total_ns += path->dag.time_ns[path->dag.order[last]] - from_ns;
    status = tdm_path_walk(path, from_ns, path->dag.order[last], NULL, NULL, steps, error);
  }
  return status;
}

tdm_status tdm_path_join_windows(tdm_path *path, tdm_error *error) {
  int64_t from_ns;
  size_t last;
  if (tdm_run_view_times(path->view)->count != 1 || !window_at(path, 0, &from_ns, &last) ||
      from_ns > path->dag.time_ns[path->dag.order[0]])
    return TDM_OK;
  tdm_status status = tdm_joints_open(&path->dag, last, &path->joints, error);
  if (status != TDM_OK) return status;
  size_t count = path->joints.count;
  path->joined_ns = from_ns;
  path->joint_ends = tdm_array_new(count + 1, 1);
  if (path->joint_ends == NULL) return tdm_error_memory(error, "the critical path", count);
  bool any = tdm_path_ends_with(path, path->dag.order[last]);
  for (size_t i = 0; i < count; i++)
    path->joint_ends[i] = !any || tdm_path_ends_with(path, path->joints.point[i]);
  return TDM_OK;
}

int64_t tdm_change_replay_windows(const tdm_change *change, int64_t *at_ns) {
  const tdm_path *path = change->path;
  if (path->joints.count > 0) return tdm_change_replay_joints(change, at_ns);
  int64_t sum_ns = 0;
  for (size_t i = 0; i < tdm_run_view_times(path->view)->count; i++) {
    int64_t from_ns;
    size_t last;
    if (window_at(path, i, &from_ns, &last))
      sum_ns += tdm_change_replay(change, from_ns, last, at_ns);
  }
  return sum_ns;
}
