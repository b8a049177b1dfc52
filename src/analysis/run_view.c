/* See run_view.h. Loading is run_view_load.c's; here a view's life, its tracks, its devices. */
#include "analysis/run_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run_view_inside.h"
#include "base/memory.h"

/* ---- devices ---- */

static bool is_gpu_lane(tdm_lane lane) {
  return lane == TDM_LANE_GPU || lane == TDM_LANE_H2D || lane == TDM_LANE_D2H ||
         lane == TDM_LANE_COMM;
}

static bool same_device(const tdm_device *device, const tdm_place *place) {
  if (device->source != place->source) return false;
  if (place->device != TDM_NONE) return device->number == place->device;
  return device->number == TDM_NONE && strcmp(device->name, place->process) == 0;
}

/* Files that do not say their rank may call their devices the same: "NVIDIA H100 #0 (2)". */
static tdm_status name_apart(tdm_run_view *view, tdm_error *error) {
  for (uint32_t d = view->devices; d-- > 0;) { /* the last first: earlier ones have their names */
    tdm_device *device = &view->device[d];
    unsigned before = 0;
    for (uint32_t e = 0; e < d; e++)
      before +=
          view->device[e].rank == device->rank && strcmp(view->device[e].name, device->name) == 0;
    if (before == 0) continue;
    size_t room = strlen(device->name) + 16;
    char *name = malloc(room);
    if (name == NULL) return tdm_error_memory(error, "devices", room);
    snprintf(name, room, "%s (%u)", device->name, before + 1);
    device->name = name;
    tdm_status status = tdm_run_view_keep(view, name, name, free, error);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

static tdm_status find_devices(tdm_run_view *view, tdm_error *error) {
  uint32_t tracks = tdm_run_tables_tracks(view->tables);
  view->device_of = tdm_array_new(tracks + 1, sizeof *view->device_of);
  view->device = tdm_array_new(tracks + 1, sizeof *view->device);
  if (view->device_of == NULL || view->device == NULL)
    return tdm_error_memory(error, "devices", tracks * sizeof *view->device);
  for (uint32_t t = 0; t < tracks; t++) {
    view->device_of[t] = TDM_NO_DEVICE;
    const tdm_place *place = tdm_run_tables_track(view->tables, t);
    if (place == NULL) continue;
    bool simulated = place->device == TDM_NONE && place->kind == TDM_TRACK_SERVER;
    if (place->device == TDM_NONE && !(simulated && is_gpu_lane(place->lane))) continue;
    uint32_t d = 0;
    while (d < view->devices && !same_device(&view->device[d], place)) d++;
    if (d == view->devices) {
      const tdm_source *source = tdm_run_tables_source(view->tables, place->source);
      view->device[view->devices++] = (tdm_device){.source = place->source,
                                                   .number = place->device,
                                                   .rank = source != NULL ? source->rank : TDM_NONE,
                                                   .name = place->process};
    }
    view->device_of[t] = d;
  }
  return name_apart(view, error);
}

/* ---- which tracks the filter leaves ---- */

static bool leaves(int64_t wanted, int64_t has) {
  return wanted == TDM_NONE || has == TDM_NONE || wanted == has;
}

static bool keeps_track(const tdm_run_view *view, uint32_t track) {
  const tdm_run_view_filter *filter = &view->filter;
  const tdm_place *place = tdm_run_tables_track(view->tables, track);
  if (place == NULL) return true;
  if (!leaves(filter->pid, place->pid)) return false;
  const tdm_source *source = tdm_run_tables_source(view->tables, place->source);
  if (source != NULL && !leaves(filter->rank, source->rank)) return false;
  if (place->kind == TDM_TRACK_THREAD) return leaves(filter->tid, place->tid);
  return leaves(filter->device, place->device) && leaves(filter->stream, place->stream);
}

enum { DEVICE, STREAM, PROCESS, THREAD, RANK, NUMBERS };

static int64_t number_of(const tdm_run_view *view, uint32_t track, int which) {
  const tdm_place *place = tdm_run_tables_track(view->tables, track);
  if (place == NULL) return TDM_NONE;
  const tdm_source *source = tdm_run_tables_source(view->tables, place->source);
  bool is_thread = place->kind == TDM_TRACK_THREAD;
  switch (which) {
  case DEVICE: return is_thread ? TDM_NONE : place->device;
  case STREAM: return is_thread ? TDM_NONE : place->stream;
  case PROCESS: return place->pid;
  case THREAD: return is_thread ? place->tid : TDM_NONE;
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

static tdm_status check_numbers(const tdm_run_view *view, tdm_error *error) {
  const tdm_run_view_filter *filter = &view->filter;
  const int64_t wanted[NUMBERS] = {filter->device, filter->stream, filter->pid, filter->tid,
                                   filter->rank};
  tdm_status status = TDM_OK;
  for (int k = 0; status == TDM_OK && k < NUMBERS; k++)
    status = check_number(view, k, wanted[k], error);
  return status;
}

static tdm_status choose_tracks(tdm_run_view *view, tdm_error *error) {
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

/* ---- categories ---- */

static tdm_status list_categories(tdm_run_view *view, tdm_error *error) {
  uint32_t layouts = tdm_run_tables_layouts(view->tables), count = 0;
  view->categories = tdm_array_new(layouts + 1, sizeof *view->categories);
  if (view->categories == NULL) return tdm_error_memory(error, "categories", layouts);
  for (uint32_t i = 0; i < layouts; i++) {
    const tdm_layout *layout = tdm_run_tables_layout(view->tables, i);
    uint32_t known = 0;
    if (layout == NULL) continue;
    while (known < count && strcmp(view->categories[known], layout->category) != 0) known++;
    if (known == count) view->categories[count++] = layout->category;
  }
  return TDM_OK;
}

const char *const *tdm_run_view_categories(const tdm_run_view *view) {
  return view->categories;
}

/* ---- times ---- */

/* The windows within the extent; their sum is a number, however odd the run's times are. */
static tdm_status find_times(tdm_run_view *view, tdm_error *error) {
  int64_t from_ns = view->from_ns, to_ns = view->to_ns;
  bool fits = true;
  if (from_ns < 0 && to_ns > INT64_MAX + from_ns) to_ns = INT64_MAX + from_ns;
  if (view->window == NULL) fits = tdm_intervals_add(&view->times, from_ns, to_ns);
  for (size_t i = 0; fits && i < view->windows; i++) {
    const tdm_window *window = &view->window[i];
    fits = tdm_intervals_add(&view->times, window->from_ns > from_ns ? window->from_ns : from_ns,
                             window->to_ns < to_ns ? window->to_ns : to_ns);
  }
  return fits ? TDM_OK : tdm_error_memory(error, "ranges", view->windows);
}

/* ---- life ---- */

tdm_status tdm_run_view_open(sqlite3 *database, int64_t run, const tdm_run_view_filter *filter,
                             int (*stopped)(void *context), void *context, tdm_run_view **out,
                             tdm_error *error) {
  *out = NULL;
  tdm_run_view *view = tdm_array_new(1, sizeof *view);
  if (view == NULL) return tdm_error_memory(error, "a view", sizeof *view);
  view->database = database;
  view->filter = *filter;
  view->stopped = stopped;
  view->context = context;
  tdm_status status = tdm_run_tables_open(database, run, &view->tables, error);
  if (status == TDM_OK) status = list_categories(view, error);
  if (status == TDM_OK) status = find_devices(view, error);
  if (status == TDM_OK) status = check_numbers(view, error);
  if (status == TDM_OK) status = choose_tracks(view, error);
  if (status == TDM_OK) status = tdm_run_view_find_extent(view, error);
  if (status == TDM_OK && filter->range != NULL) status = tdm_run_view_find_windows(view, error);
  if (status == TDM_OK) status = find_times(view, error);
  view->filter.range = view->filter.domain = NULL; /* the caller's; their windows are known now */
  if (status == TDM_OK)
    *out = view;
  else
    tdm_run_view_close(view);
  return status;
}

void tdm_run_view_close(tdm_run_view *view) {
  if (view == NULL) return;
  while (view->kept != NULL) {
    tdm_kept *kept = view->kept;
    view->kept = kept->next;
    kept->destroy(kept->object);
    free(kept);
  }
  while (view->loaded != NULL) {
    tdm_loaded *loaded = view->loaded;
    view->loaded = loaded->next;
    for (uint32_t c = 0; c < TDM_LOADED_COLUMNS; c++) free(loaded->column[c]);
    free(loaded);
  }
  tdm_run_tables_close(view->tables);
  free(view->categories);
  free(view->device_of);
  free(view->device);
  free(view->keeps);
  free(view->window);
  tdm_intervals_close(&view->times);
  free(view);
}

const void *tdm_run_view_kept(const tdm_run_view *view, const void *key) {
  for (const tdm_kept *kept = view->kept; kept != NULL; kept = kept->next)
    if (kept->key == key) return kept->object;
  return NULL;
}

tdm_status tdm_run_view_keep(tdm_run_view *view, const void *key, void *object,
                             void (*destroy)(void *object), tdm_error *error) {
  tdm_kept *kept = malloc(sizeof *kept);
  if (kept == NULL) {
    destroy(object);
    return tdm_error_memory(error, "a view", sizeof *kept);
  }
  *kept = (tdm_kept){.next = view->kept, .key = key, .object = object, .destroy = destroy};
  view->kept = kept;
  return TDM_OK;
}

/* ---- looks ---- */

const tdm_run_view_filter *tdm_run_view_filter_of(const tdm_run_view *view) {
  return &view->filter;
}

bool tdm_run_view_looks_at(const tdm_run_view *view, int64_t time_ns) {
  return time_ns >= view->filter.from_ns && time_ns <= view->filter.to_ns &&
         (view->window == NULL || tdm_run_view_in_windows(view, time_ns, time_ns));
}

tdm_status tdm_run_view_whole(tdm_run_view *view, tdm_run_view **whole, tdm_error *error) {
  tdm_run_view_filter filter = view->filter;
  *whole = view;
  if (!tdm_run_view_narrowed(view)) return TDM_OK;
  filter.from_ns = INT64_MIN;
  filter.to_ns = INT64_MAX;
  return tdm_run_view_open(view->database, tdm_run_tables_run(view->tables), &filter, view->stopped,
                           view->context, whole, error);
}

bool tdm_run_view_has_key(const tdm_run_view *view, const char *category, const char *key) {
  for (uint32_t i = 0; i < tdm_run_tables_layouts(view->tables); i++) {
    const tdm_layout *layout = tdm_run_tables_layout(view->tables, i);
    if (layout == NULL || strcmp(layout->category, category) != 0) continue;
    if (key == NULL || tdm_layout_column(layout, key) != 0) return true;
  }
  return false;
}

bool tdm_run_view_has(const tdm_run_view *view, const char *category) {
  return tdm_run_view_has_key(view, category, NULL);
}

const char *tdm_run_view_lacking(const tdm_run_view *view, const tdm_wanted *wanted) {
  bool filtered = !view->keeps_all || view->window != NULL || view->filter.from_ns != INT64_MIN ||
                  view->filter.to_ns != INT64_MAX;
  for (const char *const *category = wanted->categories; filtered && *category != NULL; category++)
    if (tdm_run_view_has(view, *category)) return "the filter leaves";
  return "the run has";
}

void tdm_run_view_extent(const tdm_run_view *view, int64_t *from_ns, int64_t *to_ns) {
  *from_ns = view->from_ns;
  *to_ns = view->to_ns;
}

int64_t tdm_run_view_origin(const tdm_run_view *view) {
  return view->origin_ns;
}

const tdm_intervals *tdm_run_view_times(const tdm_run_view *view) {
  return &view->times;
}

bool tdm_run_view_narrowed(const tdm_run_view *view) {
  return view->window != NULL || view->filter.from_ns != INT64_MIN ||
         view->filter.to_ns != INT64_MAX;
}

tdm_run_tables *tdm_run_view_tables(tdm_run_view *view) {
  return view->tables;
}
sqlite3 *tdm_run_view_database(tdm_run_view *view) {
  return view->database;
}

const tdm_place *tdm_run_view_place(const tdm_run_view *view, int64_t track) {
  return tdm_run_tables_track(view->tables, track);
}

const char *tdm_run_view_name(tdm_run_view *view, int64_t name) {
  const char *text = tdm_run_tables_name(view->tables, name, NULL);
  return text != NULL ? text : "";
}

uint32_t tdm_run_view_devices(const tdm_run_view *view) {
  return view->devices;
}

const tdm_device *tdm_run_view_device(const tdm_run_view *view, uint32_t index) {
  return index < view->devices ? &view->device[index] : NULL;
}

uint32_t tdm_run_view_device_of(const tdm_run_view *view, int64_t track) {
  if (track < 0 || track >= tdm_run_tables_tracks(view->tables)) return TDM_NO_DEVICE;
  return view->device_of[track];
}
