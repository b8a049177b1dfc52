/* What ran on GPUs (or was served): in order of its stream, after the call that launched it, after
 * what its graph or request had before it. See path.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/path/path.h"
#include "base/memory.h"
#include "base/ranks.h"

enum { SAMPLES = 1 << 16 }; /* of delays, to know the usual one */

int64_t tdm_path_asked_ns(const tdm_path *path, uint32_t work) {
  uint32_t call = path->launch[work];
  return call != TDM_NO_ROW ? tdm_table_start_ns(path->host, call)
                            : tdm_table_start_ns(path->work, work);
}

/* ---- streams ---- */

static tdm_status order_streams(tdm_path *path, tdm_error *error) {
  const tdm_table *work = path->work;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(path->view));
  path->first_work = tdm_array_raw((size_t)tracks + 2, sizeof *path->first_work);
  path->first_ended = tdm_array_raw((size_t)tracks + 2, sizeof *path->first_ended);
  path->works = tdm_array_raw(work->count + 1, sizeof *path->works);
  path->ended = tdm_array_raw(work->count + 1, sizeof *path->ended);
  path->ended_at_ns = tdm_array_raw(work->count + 1, sizeof *path->ended_at_ns);
  uint32_t *by_end = tdm_array_raw(work->count + 1, sizeof *by_end);
  int32_t *track = tdm_array_raw(work->count + 1, sizeof *track);
  tdm_status status = TDM_OK;
  if (path->first_work == NULL || path->first_ended == NULL || path->works == NULL ||
      path->ended == NULL || path->ended_at_ns == NULL || by_end == NULL || track == NULL)
    status = tdm_error_memory(error, "streams", work->count * 40);
  if (status == TDM_OK) {
    tdm_order_by_kept_track(work->track, work->count, tracks, path->first_work, path->works);
    for (size_t i = 0; i < work->count; i++)
      path->ended_at_ns[i] = (int64_t)((uint64_t)tdm_table_end_ns(work, i) ^ 1ull << 63);
    status = tdm_order_by((const uint64_t *)path->ended_at_ns, by_end, work->count, error);
  }
  if (status == TDM_OK) {
    for (size_t i = 0; i < work->count; i++) track[i] = tdm_table_track(work, by_end[i]);
    tdm_order_by_track(track, work->count, tracks, path->first_ended, path->ended);
    for (size_t i = 0; i < work->count; i++) {
      path->ended[i] = by_end[path->ended[i]];
      path->ended_at_ns[i] = tdm_table_end_ns(work, path->ended[i]);
    }
  }
  free(by_end);
  free(track);
  return status == TDM_OK ? tdm_ended_open(path, &path->finished, error) : status;
}

/* Position in `ended` after the last work of a track that ended by a time. */
static uint32_t ended_by(const tdm_path *path, uint32_t track, int64_t by_ns) {
  uint32_t low = path->first_ended[track], high = path->first_ended[track + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (path->ended_at_ns[middle] <= by_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Work without a recorded launch is taken to have been asked for in time: mostly before the
 * recording began. */
uint32_t tdm_path_ended(const tdm_path *path, uint32_t track, int64_t by_ns, int64_t launched_ns) {
  for (uint32_t i = ended_by(path, track, by_ns); i > path->first_ended[track]; i--) {
    uint32_t work = path->ended[i - 1];
    if (path->launch[work] == TDM_NO_ROW || tdm_path_asked_ns(path, work) < launched_ns)
      return work;
  }
  return TDM_NO_ROW;
}

/* The work before in its stream: the last to end when this one began. */
uint32_t tdm_path_before(const tdm_path *path, uint32_t work) {
  uint32_t track = (uint32_t)tdm_table_track(path->work, work);
  for (uint32_t i = ended_by(path, track, tdm_table_start_ns(path->work, work));
       i > path->first_ended[track]; i--)
    if (path->ended[i - 1] < work) return path->ended[i - 1];
  return TDM_NO_ROW;
}

void tdm_path_launch(const tdm_path *path, const tdm_edge *edge, int64_t *call_ns,
                     int64_t *delay_ns) {
  enum { FAR_NS = 1000000, FAR_TIMES = 10 };
  uint32_t work = edge->to / 2, call = path->launch[work];
  int64_t usual_ns = path->typical_ns[TDM_EDGE_LAUNCH];
  *call_ns = tdm_table_end_ns(path->host, call) - tdm_table_start_ns(path->host, call);
  int64_t lag_ns = tdm_dag_edge_ns(&path->dag, edge);
  if (*call_ns > lag_ns) *call_ns = lag_ns;
  *delay_ns = lag_ns - *call_ns;
  bool first = path->works[path->first_work[tdm_table_track(path->work, work)]] == work;
  if (first && *delay_ns > FAR_NS && *delay_ns > FAR_TIMES * usual_ns) *delay_ns = usual_ns;
}

/* ---- edges ---- */

/* Of the works of one launch or request: the one that began last, and the one that ended last of
 * those that had ended when it began. */
typedef struct {
  uint32_t begun, ended;
} bundle;

static uint32_t bundle_before(const tdm_path *path, bundle *b, uint32_t work) {
  const tdm_table *table = path->work;
  int64_t now_ns = tdm_table_start_ns(path->work, work);
  uint32_t before = TDM_NO_ROW;
  if (b->begun != TDM_NO_ROW && tdm_table_end_ns(table, b->begun) <= now_ns &&
      (b->ended == TDM_NO_ROW ||
       tdm_table_end_ns(table, b->begun) >= tdm_table_end_ns(table, b->ended)))
    b->ended = b->begun;
  if (b->ended != TDM_NO_ROW) before = b->ended;
  b->begun = work;
  return before;
}

static uint32_t arrival_point(const tdm_path *path, uint32_t request) {
  return (uint32_t)(2 * path->work->count) + request;
}

/* Works of one launch, by the place of its call among those that launch; of one request. */
typedef struct {
  tdm_picks launching;
  bundle *of_call, *of_request;
} bundles;

static int add_edges(tdm_path *path, uint32_t w, bundles *all) {
  tdm_dag *dag = &path->dag;
  uint32_t start = 2 * w, call = path->launch[w];
  uint32_t request = path->request != NULL ? path->request[w] : TDM_NO_ROW;
  uint32_t before = tdm_path_before(path, w);
  int fine = before == TDM_NO_ROW || tdm_dag_edge(dag, 2 * before + 1, start, TDM_EDGE_STREAM);
  if (call != TDM_NO_ROW) {
    bundle *of_call = &all->of_call[tdm_picks_place(&all->launching, call)];
    uint32_t from = path->call_start[tdm_picks_place(&path->calls, call)];
    fine = fine && tdm_dag_edge(dag, from, start, TDM_EDGE_LAUNCH);
    uint32_t other = bundle_before(path, of_call, w);
    if (other != TDM_NO_ROW && other != before)
      fine = fine && tdm_dag_edge(dag, 2 * other + 1, start, TDM_EDGE_GRAPH);
  }
  if (request != TDM_NO_ROW) {
    uint32_t other = bundle_before(path, &all->of_request[request], w);
    uint32_t from = other != TDM_NO_ROW ? 2 * other + 1 : arrival_point(path, request);
    fine = fine && tdm_dag_edge(dag, from, start, TDM_EDGE_REQUEST);
  }
  return fine;
}

static bundle *new_bundles(size_t count) {
  bundle *all = tdm_array_raw(count + 1, sizeof *all);
  if (all != NULL) memset(all, 0xff, (count + 1) * sizeof *all);
  return all;
}

static bool open_bundles(const tdm_path *path, bundles *all) {
  if (!tdm_picks_open(&all->launching, path->host->count)) return false;
  for (size_t w = 0; w < path->work->count; w++)
    if (path->launch[w] != TDM_NO_ROW) tdm_picks_add(&all->launching, path->launch[w]);
  tdm_picks_count(&all->launching);
  all->of_call = new_bundles(all->launching.count);
  all->of_request = new_bundles(path->arrivals);
  return all->of_call != NULL && all->of_request != NULL;
}

static void set_roles(tdm_path *path) {
  const tdm_table *work = path->work;
  tdm_dag *dag = &path->dag;
  for (uint32_t w = 0; w < work->count; w++) {
    bool instant = tdm_table_end_ns(work, w) == tdm_table_start_ns(work, w);
    dag->marks[2 * w] =
        (uint8_t)((instant ? TDM_POINT_PROGRAM : TDM_POINT_START) | TDM_POINT_OPENS);
    dag->marks[2 * w + 1] =
        (uint8_t)((instant ? TDM_POINT_PROGRAM : TDM_POINT_END) | TDM_POINT_FOLLOWS);
  }
}

/* ---- the usual delays ---- */

/* Whether another stream of its process still did, when a work was asked for, what was asked
 * before: the work may have waited for that. */
static bool may_have_waited(const tdm_path *path, uint32_t work) {
  int32_t own = tdm_table_track(path->work, work);
  uint32_t process = path->process[own];
  int64_t asked_ns = tdm_path_asked_ns(path, work);
  uint32_t at = tdm_ended_by(path, process, tdm_table_start_ns(path->work, work));
  while ((at = tdm_ended_asked(path, process, at, asked_ns)) > 0) {
    uint32_t other = path->finished.order[--at];
    if (tdm_table_end_ns(path->work, other) <= asked_ns) return false;
    if (tdm_table_track(path->work, other) != own) return true;
  }
  return false;
}

/* Between works of a stream when the second was surely there in time; from a call to its work when
 * the stream was surely free, and the others too where that is ever so. */
static tdm_status find_typical(tdm_path *path, tdm_error *error) {
  const tdm_table *work = path->work;
  int64_t *gap = tdm_array_raw(3 * SAMPLES, sizeof *gap);
  if (gap == NULL) return tdm_error_memory(error, "delays", 3 * SAMPLES * sizeof *gap);
  int64_t *delay = gap + SAMPLES, *alone = delay + SAMPLES;
  size_t gaps = 0, delays = 0, alones = 0, stride = work->count / SAMPLES + 1;
  for (size_t i = 0; i < work->count; i += stride) {
    uint32_t w = (uint32_t)i, call = path->launch[w];
    if (call == TDM_NO_ROW) continue;
    uint32_t before = tdm_path_before(path, w);
    int64_t start_ns = tdm_table_start_ns(work, w), asked_ns = tdm_table_start_ns(path->host, call);
    int64_t free_ns = before == TDM_NO_ROW ? INT64_MIN : tdm_table_end_ns(work, before);
    if (before != TDM_NO_ROW && free_ns <= asked_ns && start_ns >= asked_ns) {
      delay[delays++] = start_ns - asked_ns;
      if (!may_have_waited(path, w)) alone[alones++] = start_ns - asked_ns;
    }
    if (before != TDM_NO_ROW &&
        tdm_table_end_ns(path->host, call) <= tdm_table_start_ns(work, before))
      gap[gaps++] = start_ns - free_ns;
  }
  int64_t usual_ns = tdm_ranks_median_ns(gap, gaps);
  path->typical_ns[TDM_EDGE_STREAM] = path->typical_ns[TDM_EDGE_GRAPH] =
      path->typical_ns[TDM_EDGE_EVENT] = usual_ns;
  path->typical_ns[TDM_EDGE_LAUNCH] =
      alones > 0 ? tdm_ranks_median_ns(alone, alones) : tdm_ranks_median_ns(delay, delays);
  free(gap);
  return TDM_OK;
}

tdm_status tdm_path_add_work(tdm_path *path, tdm_error *error) {
  const tdm_table *work = path->work;
  set_roles(path);
  bundles all = {0};
  tdm_status status = open_bundles(path, &all)
                          ? order_streams(path, error)
                          : tdm_error_memory(error, "the critical path", work->count * 4);
  for (uint32_t w = 0; status == TDM_OK && w < work->count; w++)
    if (!add_edges(path, w, &all)) status = tdm_error_memory(error, "the critical path", 0);
  tdm_picks_close(&all.launching);
  free(all.of_call);
  free(all.of_request);
  return status == TDM_OK ? find_typical(path, error) : status;
}
