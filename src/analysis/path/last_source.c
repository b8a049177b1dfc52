/* Which of several files ends last: its graph alone leads to the end of the run. See path.h.
 *
 * Files are looked at from the one with the latest record on, until no other can end later, and
 * from the earliest on for the beginning; rows are passed by. */
#include <stdlib.h>
#include <string.h>

#include "analysis/path/path.h"
#include "base/memory.h"

static const char *const call_categories[] = {"runtime", "driver", NULL};
static const char *const op_categories[] = {"cpu_op", "mpi", NULL};
static const char *const rest_categories[] = {"osrt", "python_function", "user_annotation", "nvtx",
                                              NULL};
static const char *const work_categories[] = {"kernel", "memcpy", "memset", "graph", "stage", NULL};
static const tdm_wanted wanted_calls = {.categories = call_categories};
static const tdm_wanted wanted_ops = {.categories = op_categories};
static const tdm_wanted wanted_rest = {.categories = rest_categories};
static const tdm_wanted wanted_work = {.categories = work_categories};

/* The last record of a file that counts. Of two that end at once a thread's is later, then the one
 * that begins later. */
typedef struct {
  int64_t end_ns, start_ns;
  bool is_host, found;
} ending;

typedef struct {
  tdm_run_view *view;
  tdm_name_marks polls;
  ending *of_track;
  unsigned char *active;  /* by track: see tdm_path */
  bool calls, busy, host; /* what is passed by now */
  int64_t begins_ns;
} looking;

static bool is_later(const ending *a, const ending *b) {
  if (!a->found || !b->found) return a->found && !b->found;
  if (a->end_ns != b->end_ns) return a->end_ns > b->end_ns;
  if (a->is_host != b->is_host) return a->is_host;
  return a->start_ns > b->start_ns;
}

static uint8_t is_poll(const char *name) {
  return strstr(name, "EventQuery") != NULL || strstr(name, "StreamQuery") != NULL;
}

static void look(void *context, const tdm_row_block *rows) {
  looking *l = context;
  for (size_t k = 0; k < rows->count; k++) {
    uint32_t i = rows->row[k];
    int64_t start_ns = rows->start_ns[i], dur_ns = rows->dur_ns[i], track = rows->track[i];
    ending now = {.start_ns = start_ns, .end_ns = start_ns, .is_host = l->host, .found = true};
    if (dur_ns > 0 && __builtin_add_overflow(start_ns, dur_ns, &now.end_ns)) now.end_ns = INT64_MAX;
    if (start_ns < l->begins_ns) l->begins_ns = start_ns;
    if (is_later(&now, &l->of_track[track])) l->of_track[track] = now;
    if (l->busy && !(l->calls && tdm_name_mark(&l->polls, l->view, rows->name[i], is_poll)))
      l->active[track] = 1;
  }
}

/* How a file ends; l->begins_ns: no later than when it begins. */
static tdm_status look_at(looking *l, int64_t source, ending *out, tdm_error *error) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(l->view));
  const struct {
    const tdm_wanted *wanted;
    bool calls, busy, host;
  } passes[] = {{&wanted_work, false, false, false},
                {&wanted_calls, true, true, true},
                {&wanted_ops, false, true, true},
                {&wanted_rest, false, false, true}};
  tdm_run_view *of_source = NULL;
  *out = (ending){0};
  memset(l->of_track, 0, tracks * sizeof *l->of_track);
  memset(l->active, 0, tracks);
  tdm_status status = tdm_run_view_of_source(l->view, source, &of_source, error);
  for (size_t p = 0; status == TDM_OK && p < sizeof passes / sizeof *passes; p++) {
    l->calls = passes[p].calls;
    l->busy = passes[p].busy;
    l->host = passes[p].host;
    status = tdm_run_view_pass(of_source, passes[p].wanted, look, l, error);
  }
  tdm_run_view_close(of_source);
  for (uint32_t t = 0; status == TDM_OK && t < tracks; t++)
    if ((!l->of_track[t].is_host || l->active[t]) && is_later(&l->of_track[t], out))
      *out = l->of_track[t];
  return status;
}

/* ---- files in turn ---- */

typedef struct {
  int64_t number, first_ns, last_ns;
} file;

static int by_end(const void *left, const void *right) {
  const file *a = left, *b = right;
  if (a->last_ns != b->last_ns) return a->last_ns > b->last_ns ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

static int by_beginning(const void *left, const void *right) {
  const file *a = left, *b = right;
  if (a->first_ns != b->first_ns) return a->first_ns < b->first_ns ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

/* Files that hold rows, with times of the run. */
static size_t list_files(tdm_run_view *view, file *files) {
  const tdm_run_tables *tables = tdm_run_view_tables(view);
  size_t count = 0;
  for (uint32_t s = 0; s < tdm_run_tables_sources(tables); s++) {
    const tdm_source *about = tdm_run_tables_source(tables, s);
    if (about == NULL || about->first_ns == TDM_NONE || about->last_ns == TDM_NONE) continue;
    files[count++] = (file){s, tdm_scan_shifted(about->first_ns, about->offset_ns),
                            tdm_scan_shifted(about->last_ns, about->offset_ns)};
  }
  return count;
}

static tdm_status find(looking *l, file *files, size_t count, int64_t *source, tdm_error *error) {
  ending last = {0}, one;
  tdm_status status = TDM_OK;
  qsort(files, count, sizeof *files, by_end);
  for (size_t i = 0; status == TDM_OK && i < count; i++) {
    if (last.found && files[i].last_ns < last.end_ns) break;
    status = look_at(l, files[i].number, &one, error);
    bool alike = last.found && one.found && !is_later(&last, &one) && !is_later(&one, &last);
    if (!is_later(&one, &last) && !(alike && files[i].number > *source)) continue;
    last = one;
    *source = files[i].number;
  }
  qsort(files, count, sizeof *files, by_beginning);
  for (size_t i = 0; status == TDM_OK && i < count && files[i].first_ns < l->begins_ns; i++)
    status = look_at(l, files[i].number, &one, error);
  return status;
}

tdm_status tdm_path_last_source(tdm_run_view *view, int64_t *source, int64_t *begins_ns,
                                tdm_error *error) {
  const tdm_run_tables *tables = tdm_run_view_tables(view);
  uint32_t tracks = tdm_run_tables_tracks(tables), sources = tdm_run_tables_sources(tables);
  looking l = {.view = view,
               .of_track = tdm_array_new((size_t)tracks + 1, sizeof *l.of_track),
               .active = tdm_array_new((size_t)tracks + 1, 1),
               .begins_ns = INT64_MAX};
  file *files = tdm_array_new((size_t)sources + 1, sizeof *files);
  tdm_status status = TDM_OK;
  *source = TDM_NONE;
  if (l.of_track == NULL || l.active == NULL || files == NULL)
    status = tdm_error_memory(error, "the critical path", tracks * sizeof *l.of_track);
  if (status == TDM_OK) status = find(&l, files, list_files(view, files), source, error);
  *begins_ns = l.begins_ns;
  tdm_name_marks_close(&l.polls);
  free(l.of_track);
  free(l.active);
  free(files);
  return status;
}
