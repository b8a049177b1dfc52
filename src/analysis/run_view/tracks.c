/* Which tracks a view's filter leaves, and numbers in it that no record has. See run_view.h. */
#include <sqlite3.h>
#include <stdio.h>

#include "analysis/run_view/inside.h"
#include "base/memory.h"

static bool leaves(int64_t wanted, int64_t has) {
  return wanted == TDM_NONE || has == TDM_NONE || wanted == has;
}

static bool keeps_track(const tdm_run_view *view, uint32_t track) {
  const tdm_run_view_filter *filter = &view->filter;
  const tdm_track *about = tdm_run_tables_track(view->tables, track);
  if (about == NULL) return true;
  if (!leaves(filter->pid, about->pid)) return false;
  const tdm_source *source = tdm_run_tables_source(view->tables, about->source);
  if (source != NULL && !leaves(filter->rank, source->rank)) return false;
  if (about->kind == TDM_TRACK_THREAD) return leaves(filter->tid, about->tid);
  return leaves(filter->device, about->device) && leaves(filter->stream, about->stream);
}

enum { DEVICE, STREAM, PROCESS, THREAD, RANK, NUMBERS };

static int64_t number_of(const tdm_run_view *view, uint32_t track, int which) {
  const tdm_track *about = tdm_run_tables_track(view->tables, track);
  if (about == NULL) return TDM_NONE;
  const tdm_source *source = tdm_run_tables_source(view->tables, about->source);
  bool is_thread = about->kind == TDM_TRACK_THREAD;
  switch (which) {
  case DEVICE: return is_thread ? TDM_NONE : about->device;
  case STREAM: return is_thread ? TDM_NONE : about->stream;
  case PROCESS: return about->pid;
  case THREAD: return is_thread ? about->tid : TDM_NONE;
  default: return source != NULL ? source->rank : TDM_NONE;
  }
}

/* A GPU on which nothing ran may be told of by allocations, in their arguments, and by figures: the
 * segments of a memory snapshot. */
static bool may_have_device(const tdm_run_view *view, int64_t device) {
  if (tdm_run_view_has(view, "memory")) return true;
  sqlite3_stmt *row = NULL;
  bool has = sqlite3_prepare_v2(view->database,
                                "SELECT 1 FROM metric WHERE run = ?1 AND subject = 'GPU #' || ?2",
                                -1, &row, NULL) == SQLITE_OK &&
             sqlite3_bind_int64(row, 1, tdm_run_tables_run(view->tables)) == SQLITE_OK &&
             sqlite3_bind_int64(row, 2, device) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW;
  sqlite3_finalize(row);
  return has;
}

/* Numbers that no track has would leave nothing or, where records do not say theirs, everything. */
static tdm_status check_number(const tdm_run_view *view, int which, int64_t wanted,
                               tdm_error *error) {
  static const char *const names[NUMBERS] = {"device", "stream", "process", "thread", "rank"};
  enum { MOST = 8 };
  int64_t known[MOST];
  size_t count = 0, length = 0;
  char list[MOST * 24] = "";
  bool more = false;
  for (uint32_t t = 0; t < tdm_run_tables_tracks(view->tables) && wanted != TDM_NONE; t++) {
    int64_t number = number_of(view, t, which);
    size_t k = 0;
    if (number == wanted) return TDM_OK;
    while (k < count && known[k] != number) k++;
    if (number == TDM_NONE || k < count) continue;
    more = count == MOST;
    if (more) continue;
    known[count++] = number;
    length += (size_t)snprintf(list + length, sizeof list - length, "%s%lld", count > 1 ? ", " : "",
                               (long long)number);
  }
  if (wanted == TDM_NONE || (which == DEVICE && may_have_device(view, wanted))) return TDM_OK;
  return tdm_error_set(
      error, TDM_INVALID, "the run has no %s %lld; %s%s%s", names[which], (long long)wanted,
      count > 0 ? "there are " : "its records do not say theirs", list, more ? " …" : "");
}

tdm_status tdm_run_view_check_numbers(const tdm_run_view *view, tdm_error *error) {
  const tdm_run_view_filter *filter = &view->filter;
  const int64_t wanted[NUMBERS] = {filter->device, filter->stream, filter->pid, filter->tid,
                                   filter->rank};
  tdm_status status = TDM_OK;
  for (int k = 0; status == TDM_OK && k < NUMBERS; k++)
    status = check_number(view, k, wanted[k], error);
  return status;
}

tdm_status tdm_run_view_choose_tracks(tdm_run_view *view, tdm_error *error) {
  uint32_t tracks = tdm_run_tables_tracks(view->tables);
  view->keeps = tdm_array_new(tracks + 1, 1);
  if (view->keeps == NULL) return tdm_error_memory(error, "tracks", tracks);
  view->keeps_all = true;
  for (uint32_t t = 0; t < tracks; t++) {
    view->keeps[t] = keeps_track(view, t);
    view->keeps_all &= view->keeps[t];
  }
  return TDM_OK;
}
