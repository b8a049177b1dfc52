/* Threads that take turns: one does nothing while another of its process works, and goes on when
 * that one is done (a backward pass in a thread of its own). Traces do not tell, so it is inferred:
 * see tdm_path_add_handoffs. See path.h. */
#include <stdlib.h>

#include "analysis/groups.h"
#include "analysis/path/path.h"
#include "base/memory.h"

/* Stretches of work by process, and by end within one. */
typedef struct {
  uint32_t *order;
  uint32_t *first; /* by process */
} turns;

static tdm_status gather(const tdm_path *path, uint32_t tracks, turns *all, tdm_error *error) {
  uint64_t *key = tdm_array_raw(path->busies + 1, sizeof *key);
  uint32_t *by_end = tdm_array_raw(path->busies + 1, sizeof *by_end);
  int32_t *process = NULL;
  all->order = tdm_array_raw(path->busies + 1, sizeof *all->order);
  all->first = tdm_array_raw((size_t)tracks + 2, sizeof *all->first);
  tdm_status status = TDM_OK;
  if (key == NULL || by_end == NULL || all->order == NULL || all->first == NULL)
    status = tdm_error_memory(error, "threads", path->busies * 24);
  for (size_t i = 0; status == TDM_OK && i < path->busies; i++)
    key[i] = (uint64_t)tdm_dag_time_ns(&path->dag, path->busy[i].end_point) ^ 1ull << 63;
  if (status == TDM_OK) status = tdm_order_by(key, by_end, path->busies, error);
  free(key); /* before there is more */
  if (status == TDM_OK && (process = tdm_array_raw(path->busies + 1, sizeof *process)) == NULL)
    status = tdm_error_memory(error, "threads", path->busies * sizeof *process);
  if (status == TDM_OK) {
    for (size_t i = 0; i < path->busies; i++)
      process[i] = (int32_t)path->process[path->busy[by_end[i]].track];
    tdm_order_by_track(process, path->busies, tracks, all->first, all->order);
    for (size_t i = 0; i < path->busies; i++) all->order[i] = by_end[all->order[i]];
  }
  free(by_end);
  free(process);
  return status;
}

/* The stretch of a process that ended last by a time; TDM_NO_ROW: none. */
static uint32_t last_turn(const tdm_path *path, const turns *all, uint32_t process, int64_t by_ns) {
  uint32_t low = all->first[process], high = all->first[process + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (tdm_dag_time_ns(&path->dag, path->busy[all->order[middle]].end_point) <= by_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low > all->first[process] ? all->order[low - 1] : TDM_NO_ROW;
}

/* Whether the thread of a stretch had nothing to do at a time after it. */
static bool rests_at(const tdm_path *path, uint32_t turn, int64_t at_ns) {
  uint32_t next = turn + 1;
  return next >= path->busies || path->busy[next].track != path->busy[turn].track ||
         tdm_dag_time_ns(&path->dag, path->busy[next].start_point) >= at_ns;
}

/* Before a gap's end another thread stopped last, and rests itself now; what is left of the gap
 * after that is no more than half of it. A thread's first record follows whoever stopped last. */
static int add_handoff(tdm_path *path, const turns *all, const tdm_gap *gap) {
  const tdm_dag *dag = &path->dag;
  uint32_t before = tdm_dag_before(dag, gap->point);
  int64_t to_ns = tdm_dag_time_ns(dag, gap->point);
  uint32_t turn = last_turn(path, all, path->process[gap->track], to_ns);
  if (turn == TDM_NO_ROW || path->busy[turn].track == gap->track) return 1;
  int64_t stopped_ns = tdm_dag_time_ns(dag, path->busy[turn].end_point);
  if (!rests_at(path, turn, to_ns)) return 1;
  if (before != TDM_NO_POINT) {
    int64_t from_ns = tdm_dag_time_ns(dag, before);
    if (stopped_ns < from_ns || to_ns - stopped_ns > (to_ns - from_ns) / 2) return 1;
  }
  path->handoffs++;
  return tdm_dag_edge(&path->dag, path->busy[turn].end_point, gap->point, TDM_EDGE_HANDOFF);
}

tdm_status tdm_path_add_handoffs(tdm_path *path, tdm_error *error) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(path->view));
  turns all = {0};
  if (path->gaps == 0) return TDM_OK;
  tdm_status status = gather(path, tracks, &all, error);
  for (size_t i = 0; status == TDM_OK && i < path->gaps; i++)
    if (!add_handoff(path, &all, &path->gap[i])) status = tdm_error_memory(error, "threads", 0);
  free(all.order);
  free(all.first);
  return status;
}
