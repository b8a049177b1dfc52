/* See path.h: tables, tracks of processes, the graph's life. */
#include "analysis/path/path.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

static const char *const host_categories[] = {
    "runtime",         "driver",          "cpu_op", "mpi", "osrt",
    "python_function", "user_annotation", "nvtx",   NULL};
static const tdm_wanted wanted_host = {.categories = host_categories};

/* As tdm_gpu_work, with the simulated stages of all lanes. */
static const char *const work_categories[] = {"kernel", "memcpy", "memset", "graph", "stage", NULL};
static const tdm_arg work_keys[] = {
    {"correlation", TDM_ARG_INT}, {"request", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_work = {.categories = work_categories, .keys = work_keys};

static const char *const wait_categories[] = {"wait", NULL};
static const tdm_arg wait_keys[] = {{"request", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_wait = {.categories = wait_categories, .keys = wait_keys};

static const char *const sync_categories[] = {"sync", NULL};
static const tdm_arg sync_keys[] = {{"correlation", TDM_ARG_INT},
                                    {"kind", TDM_ARG_TEXT},
                                    {"cuda_sync_kind", TDM_ARG_TEXT},
                                    {"event", TDM_ARG_INT},
                                    {"event_sync", TDM_ARG_INT},
                                    {"wait_on_stream", TDM_ARG_INT},
                                    {"wait_on_cuda_event_record_corr_id", TDM_ARG_INT},
                                    {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_sync = {.categories = sync_categories,
                                       .keys = sync_keys,
                                       .shapes = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN |
                                                 1u << TDM_SHAPE_ASYNC};

static const char *const event_categories[] = {"cuda_event", NULL};
static const tdm_arg event_keys[] = {{"correlation", TDM_ARG_INT},
                                     {"event", TDM_ARG_INT},
                                     {"event_sync", TDM_ARG_INT},
                                     {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_event = {
    .categories = event_categories, .keys = event_keys, .shapes = 1u << TDM_SHAPE_INSTANT};

static const char *const overhead_categories[] = {"overhead", NULL};
static const tdm_arg overhead_keys[] = {
    {"correlation", TDM_ARG_INT}, {"kind", TDM_ARG_TEXT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_overhead = {.categories = overhead_categories,
                                           .keys = overhead_keys};

static tdm_status load(tdm_path *path, tdm_error *error) {
  tdm_status status = tdm_run_view_table(path->view, &wanted_host, &path->host, error);
  if (status == TDM_OK) status = tdm_run_view_table(path->view, &wanted_work, &path->work, error);
  if (status == TDM_OK) status = tdm_run_view_table(path->view, &wanted_wait, &path->wait, error);
  if (status == TDM_OK) status = tdm_run_view_table(path->view, &wanted_sync, &path->sync, error);
  if (status == TDM_OK) status = tdm_run_view_table(path->view, &wanted_event, &path->event, error);
  if (status == TDM_OK)
    status = tdm_run_view_table(path->view, &wanted_overhead, &path->overhead, error);
  return status;
}

/* Requests of simulated work, and when each came: the beginning of its first wait, or of its first
 * service. */
static tdm_status find_requests(tdm_path *path, tdm_error *error) {
  const tdm_table *work = path->work, *wait = path->wait;
  tdm_groups requests;
  if (!tdm_run_view_has(path->view, "stage")) return TDM_OK;
  tdm_status status = tdm_groups_open(&requests, 2, work->count + wait->count, error);
  path->request = tdm_array_raw(work->count + 1, sizeof *path->request);
  path->arrival_ns = tdm_array_raw(work->count + 1, sizeof *path->arrival_ns);
  if (status == TDM_OK && (path->request == NULL || path->arrival_ns == NULL))
    status = tdm_error_memory(error, "requests", work->count * 12);
  for (size_t w = 0; status == TDM_OK && w < work->count; w++) {
    path->request[w] = TDM_NO_ROW;
    if (tdm_table_category(work, w) != TDM_WORK_STAGE ||
        tdm_table_arg(work, TDM_PATH_WORK_REQUEST, w) == TDM_NONE)
      continue;
    const int64_t key[] = {path->process[tdm_table_track(work, w)],
                           tdm_table_arg(work, TDM_PATH_WORK_REQUEST, w)};
    uint32_t r = path->request[w] = tdm_groups_add(&requests, key);
    if (r == UINT32_MAX) status = tdm_error_memory(error, "requests", 0);
    if (r == path->arrivals) path->arrival_ns[path->arrivals++] = tdm_table_start_ns(work, w);
  }
  for (size_t i = 0; status == TDM_OK && i < wait->count; i++) {
    const int64_t key[] = {path->process[tdm_table_track(wait, i)], tdm_table_arg(wait, 0, i)};
    uint32_t r = tdm_groups_add(&requests, key);
    if (r < path->arrivals && tdm_table_start_ns(wait, i) < path->arrival_ns[r])
      path->arrival_ns[r] = tdm_table_start_ns(wait, i);
  }
  tdm_groups_close(&requests);
  return status;
}

static tdm_status open_graph(tdm_path *path, tdm_error *error) {
  size_t works = path->work->count, points = 2 * (works + path->host->count) + path->arrivals;
  tdm_status status = tdm_dag_open(&path->dag, points, path->work, path->host, error);
  for (size_t r = 0; status == TDM_OK && r < path->arrivals; r++) {
    uint32_t p = (uint32_t)(2 * works + r);
    path->dag.marks[p] = TDM_POINT_END;
    if (!tdm_dag_add_row(&path->dag, TDM_NO_ROW) ||
        !tdm_dag_tell(&path->dag, p, path->arrival_ns[r]))
      status = tdm_error_memory(error, "requests", path->arrivals * sizeof(tdm_told));
  }
  return status;
}

/* What only the building of the graph needs: of calls and streams, then of threads, too. */
static void forget_calls(tdm_path *path) {
  free(path->sync_call);
  free(path->record_call);
  free(path->event_call);
  free(path->overhead_call);
  tdm_picks_close(&path->calls);
  free(path->call_start);
  free(path->call_end);
  free(path->first_ended);
  free(path->ended);
  free(path->ended_at_ns);
  tdm_ended_close(&path->finished);
  free(path->request);
  free(path->arrival_ns);
  path->sync_call = path->record_call = path->event_call = path->overhead_call = NULL;
  path->call_start = path->call_end = path->request = path->first_ended = path->ended = NULL;
  path->ended_at_ns = path->arrival_ns = NULL;
}

static void forget_scaffold(tdm_path *path) {
  forget_calls(path);
  free(path->busy);
  free(path->gap);
  path->busy = NULL;
  path->gap = NULL;
  tdm_path_tidy(path);
}

void tdm_path_tidy(const tdm_path *path) {
  enum { MANY = 1 << 20 };
  if (path->dag.points > MANY) tdm_memory_return();
}

tdm_status tdm_path_open(tdm_run_view *view, tdm_path *path, tdm_error *error) {
  *path = (tdm_path){.view = view,
                     .own = path->own,
                     .source = path->source,
                     .begins_ns = path->begins_ns,
                     .leaves = path->leaves};
  tdm_status status = load(path, error);
  const tdm_processes *processes = NULL;
  if (status == TDM_OK) status = tdm_processes_of(view, &processes, error);
  if (status == TDM_OK) path->process = processes->of;
  if (status == TDM_OK) status = find_requests(path, error);
  if (status == TDM_OK) status = tdm_path_find_calls(path, error);
  if (status == TDM_OK) status = open_graph(path, error);
  if (status == TDM_OK) {
    path->work_class = tdm_gpu_classes(view, path->work);
    if (path->work_class == NULL) status = tdm_error_memory(error, "the critical path", 0);
  }
  if (status == TDM_OK) status = tdm_path_add_threads(path, error);
  if (status == TDM_OK) status = tdm_path_add_on_cpu(path, error);
  if (status == TDM_OK) status = tdm_path_add_work(path, error);
  if (status == TDM_OK) status = tdm_path_add_waits(path, error);
  forget_calls(path);
  if (status == TDM_OK) status = tdm_path_add_handoffs(path, error);
  forget_scaffold(path);
  tdm_run_view_forget_args(view, &wanted_work);
  if (status == TDM_OK)
    status = tdm_dag_tighten(&path->dag, path->typical_ns, &path->backwards, error);
  return status;
}

/* Times further apart than some 73 years do not fit the keys that sort points, nor sums of them. */
static bool is_too_long(const tdm_run_view *view) {
  int64_t from_ns, to_ns;
  tdm_run_view_extent(view, &from_ns, &to_ns);
  return (uint64_t)to_ns - (uint64_t)from_ns > INT64_MAX / 4;
}

static tdm_status find_loads(tdm_path *path, tdm_error *error) {
  const tdm_table *host = path->host;
  tdm_name_marks marks = {0};
  bool failed = false;
  path->first_load = TDM_NO_ROW;
  for (uint32_t c = 0; c < host->count && !failed; c++) {
    uint32_t parent = path->parent[c];
    bool is = tdm_name_mark(&marks, path->view, tdm_table_name(host, c), tdm_path_is_load) != 0;
    if (is && path->loads == NULL) {
      path->loads = tdm_array_new(host->count + 1, 1);
      failed = path->loads == NULL;
    }
    if (path->loads == NULL) continue;
    if (is && (path->first_load == TDM_NO_ROW ||
               tdm_table_start_ns(host, c) < tdm_table_start_ns(host, path->first_load)))
      path->first_load = c;
    path->loads[c] = is || (parent != TDM_NO_ROW && path->loads[parent]);
  }
  tdm_name_marks_close(&marks);
  return failed ? tdm_error_memory(error, "loads of data", host->count) : TDM_OK;
}

static tdm_status follow(tdm_path *path, tdm_error *error) {
  tdm_status status = tdm_path_walk_windows(path, error);
  if (status != TDM_OK) return status;
  int64_t *at_ns = tdm_array_raw(tdm_change_scratch(path), sizeof *at_ns);
  if (at_ns == NULL) return tdm_error_memory(error, "a replay", tdm_change_scratch(path) * 8);
  const tdm_change nothing = {.path = path};
  path->replayed_ns = tdm_change_replay_windows(&nothing, at_ns);
  free(at_ns);
  tdm_path_tidy(path);
  return find_loads(path, error);
}

/* The rows it is of, of several files those of the one that ends last. They are its own, so that it
 * outlasts what analyses forget. */
static tdm_status choose_rows(tdm_path *path, tdm_error *error) {
  tdm_run_view *view = path->view;
  path->source = TDM_NONE;
  path->begins_ns = INT64_MAX;
  tdm_status status = TDM_OK;
  if (tdm_run_tables_sources(tdm_run_view_tables(view)) > 1 && !tdm_run_view_narrowed(view))
    status = tdm_path_last_source(view, &path->source, &path->begins_ns, error);
  if (status != TDM_OK) return status;
  return path->source != TDM_NONE ? tdm_run_view_of_source(view, path->source, &path->own, error)
                                  : tdm_run_view_apart(view, &path->own, error);
}

static void destroy(void *object) {
  tdm_path_close(object);
  free(object);
}

tdm_status tdm_path_of(tdm_run_view *view, const tdm_path **out, tdm_error *error) {
  *out = tdm_run_view_kept(view, &wanted_work);
  if (*out != NULL) return TDM_OK;
  tdm_path *path = tdm_array_new(1, sizeof *path);
  if (path == NULL) return tdm_error_memory(error, "the critical path", sizeof *path);
  path->view = view;
  path->too_long = is_too_long(view);
  tdm_status status = path->too_long ? TDM_OK : choose_rows(path, error);
  if (status == TDM_OK && !path->too_long) status = tdm_path_open(path->own, path, error);
  if (status == TDM_OK && !path->too_long) status = follow(path, error);
  if (status != TDM_OK) {
    destroy(path);
    return status;
  }
  *out = path;
  return tdm_run_view_keep_apart(view, &wanted_work, path, destroy, error);
}

void tdm_path_close(tdm_path *path) {
  forget_scaffold(path);
  tdm_joints_close(&path->joints);
  free(path->joint_ends);
  tdm_dag_close(&path->dag);
  free(path->work_class);
  free(path->parent);
  free(path->launch);
  free(path->first_work);
  free(path->works);
  free(path->active);
  free(path->first_point);
  tdm_base_names_close(&path->leaves);
  free(path->piece);
  free(path->first_piece);
  free(path->scheduled);
  free(path->loads);
  free(path->steps.step);
  tdm_run_view_close(path->own);
  *path = (tdm_path){0};
}
