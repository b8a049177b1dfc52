/* Threads as chains: records nest, and what is innermost is what the thread does. See path.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/path/path.h"
#include "base/memory.h"

enum { LONG_GAP_NS = 10000 }; /* shorter ones are nobody's turn */

typedef struct {
  uint32_t row;
  int64_t end_ns; /* not after that of the one around it */
} open_record;

typedef struct {
  tdm_path *path;
  open_record *stack;
  size_t depth, room, busy_depth;
  uint32_t next_point, last_point;
  int64_t last_ns;
  uint32_t track;
  unsigned char *polls; /* by name id: 2 polls, 1 does not, 0 not asked yet */
  size_t names;
  bool failed;
} walking;

/* Calls that ask whether the GPU is done, and do not wait: what watchdogs do all the time. */
static bool is_poll(walking *w, int64_t name) {
  if (name < 0) return false;
  if ((size_t)name >= w->names) {
    size_t before = w->names;
    if (!tdm_array_grow(&w->polls, &w->names, (size_t)name + 1, 1)) {
      w->failed = true;
      return false;
    }
    memset(w->polls + before, 0, w->names - before);
  }
  if (w->polls[name] == 0) {
    const char *text = tdm_run_view_name(w->path->view, name);
    bool polls = strstr(text, "EventQuery") != NULL || strstr(text, "StreamQuery") != NULL;
    w->polls[name] = polls ? 2 : 1;
  }
  return w->polls[name] == 2;
}

/* Whether a record is work of its thread; annotations and functions only say where it is. */
static bool is_busy(walking *w, uint32_t row) {
  const tdm_table *host = w->path->host;
  if (tdm_table_category(host, row) > TDM_HOST_MPI) return false;
  return tdm_table_category(host, row) > TDM_HOST_DRIVER || !is_poll(w, tdm_table_name(host, row));
}

/* `marks`: whether it opens a record, else it closes the innermost. */
static uint32_t add_point(walking *w, int64_t time_ns, int marks) {
  tdm_path *path = w->path;
  tdm_dag *dag = &path->dag;
  uint32_t p = w->next_point++;
  if (!tdm_dag_add_row(dag, w->depth == 0
                                ? TDM_NO_ROW
                                : (uint32_t)path->work->count + w->stack[w->depth - 1].row))
    w->failed = true;
  bool first = w->last_point == TDM_NO_POINT; /* else the last one is the number before */
  dag->marks[p] = (uint8_t)(TDM_POINT_PROGRAM | marks | (first ? 0 : TDM_POINT_FOLLOWS));
  if (w->busy_depth == 0 && (first || time_ns - w->last_ns >= LONG_GAP_NS)) {
    if (tdm_array_grow(&path->gap, &path->gap_room, path->gaps + 1, sizeof *path->gap))
      path->gap[path->gaps++] = (tdm_gap){p, w->track};
    else
      w->failed = true;
  }
  w->last_point = p;
  w->last_ns = time_ns;
  return p;
}

static bool is_call(const tdm_path *path, uint32_t row) {
  return tdm_table_category(path->host, row) <= TDM_HOST_DRIVER;
}

static void close_one(walking *w) {
  tdm_path *path = w->path;
  const open_record *top = &w->stack[w->depth - 1];
  uint32_t p = add_point(w, top->end_ns, 0);
  if (is_call(path, top->row)) path->call_end[tdm_picks_place(&path->calls, top->row)] = p;
  if (top->end_ns != tdm_table_end_ns(path->host, top->row) &&
      !tdm_dag_tell(&path->dag, p, top->end_ns))
    w->failed = true;
  w->depth--;
  if (!is_busy(w, top->row) || --w->busy_depth > 0) return;
  path->busy[path->busies - 1].end_point = p;
}

/* A range that begins within the call that opens it and goes on after that (PyTorch's
 * record_function among frames of Python): the call is cut, not the range, as it loses less. */
static bool is_cut_by(const walking *w, uint32_t row) {
  const tdm_table *host = w->path->host;
  if (w->depth == 0) return false;
  const open_record *top = &w->stack[w->depth - 1];
  return tdm_table_category(host, top->row) >= TDM_HOST_PYTHON &&
         tdm_table_end_ns(host, row) > top->end_ns &&
         top->end_ns - tdm_table_start_ns(host, row) < tdm_table_end_ns(host, row) - top->end_ns;
}

static void open_one(walking *w, uint32_t row) {
  tdm_path *path = w->path;
  const tdm_table *host = path->host;
  while (is_cut_by(w, row)) {
    w->stack[w->depth - 1].end_ns = tdm_table_start_ns(host, row);
    close_one(w);
  }
  uint32_t p = add_point(w, tdm_table_start_ns(host, row), TDM_POINT_OPENS);
  if (is_call(path, row)) path->call_start[tdm_picks_place(&path->calls, row)] = p;
  path->parent[row] = w->depth > 0 ? w->stack[w->depth - 1].row : TDM_NO_ROW;
  int64_t end_ns = tdm_table_end_ns(host, row);
  if (w->depth > 0 && end_ns > w->stack[w->depth - 1].end_ns)
    end_ns = w->stack[w->depth - 1].end_ns;
  if (is_busy(w, row) && w->busy_depth++ == 0) {
    if (tdm_array_grow(&path->busy, &path->busy_room, path->busies + 1, sizeof *path->busy))
      path->busy[path->busies++] = (tdm_busy){.start_point = p, .track = w->track};
    else
      w->failed = true;
  }
  if (tdm_array_grow(&w->stack, &w->room, w->depth + 1, sizeof *w->stack))
    w->stack[w->depth++] = (open_record){row, end_ns};
  else
    w->failed = true;
}

static void walk_thread(walking *w, const uint32_t *row, size_t count) {
  w->last_point = TDM_NO_POINT;
  for (size_t i = 0; i < count && !w->failed; i++) {
    int64_t start_ns = tdm_table_start_ns(w->path->host, row[i]);
    while (w->depth > 0 && w->stack[w->depth - 1].end_ns <= start_ns) close_one(w);
    open_one(w, row[i]);
  }
  while (w->depth > 0 && !w->failed) close_one(w);
}

static bool find_calls(tdm_path *path) {
  if (!tdm_picks_open(&path->calls, path->host->count)) return false;
  for (uint32_t c = 0; c < path->host->count; c++)
    if (is_call(path, c)) tdm_picks_add(&path->calls, c);
  tdm_picks_count(&path->calls);
  path->call_start = tdm_array_raw(path->calls.count + 1, sizeof *path->call_start);
  path->call_end = tdm_array_raw(path->calls.count + 1, sizeof *path->call_end);
  return path->call_start != NULL && path->call_end != NULL;
}

tdm_status tdm_path_add_threads(tdm_path *path, tdm_error *error) {
  size_t rows = path->host->count;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(path->view));
  uint32_t *first = tdm_array_raw((size_t)tracks + 2, sizeof *first);
  uint32_t *row = tdm_array_raw(rows + 1, sizeof *row);
  path->parent = tdm_array_raw(rows + 1, sizeof *path->parent);
  path->active = tdm_array_new((size_t)tracks + 1, 1);
  path->first_point = tdm_array_raw((size_t)tracks + 2, sizeof *path->first_point);
  walking w = {.path = path, .next_point = (uint32_t)(2 * path->work->count + path->arrivals)};
  if (first == NULL || row == NULL || !find_calls(path) || path->parent == NULL ||
      path->active == NULL || path->first_point == NULL)
    w.failed = true;
  if (!w.failed) tdm_order_by_kept_track(path->host->track, rows, tracks, first, row);
  for (uint32_t t = 0; t < tracks && !w.failed; t++) {
    w.track = t;
    path->first_point[t] = w.next_point;
    walk_thread(&w, row + first[t], first[t + 1] - first[t]);
  }
  if (!w.failed) path->first_point[tracks] = w.next_point;
  for (size_t i = 0; i < path->busies; i++) path->active[path->busy[i].track] = 1;
  free(w.stack);
  free(w.polls);
  free(first);
  free(row);
  return w.failed ? tdm_error_memory(error, "the critical path", rows * 40) : TDM_OK;
}

uint32_t tdm_path_thread(const tdm_path *path, uint32_t point) {
  uint32_t low = 0, high = tdm_run_tables_tracks(tdm_run_view_tables(path->view));
  if (high == 0 || point < path->first_point[0]) return TDM_NO_ROW;
  while (low + 1 < high) {
    uint32_t middle = low + (high - low) / 2;
    if (path->first_point[middle] <= point)
      low = middle;
    else
      high = middle;
  }
  return low;
}
