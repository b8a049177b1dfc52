/* See run_view.h. Loading is load.c's, devices are devices.c's, what the
 * filter leaves of tracks tracks.c's; here a view's life, its times, its looks. */
#include "analysis/run_view/run_view.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/inside.h"
#include "base/memory.h"
#include "trace/store/pages.h"

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
  view->source = TDM_NONE;
  view->database = database;
  view->filter = *filter;
  view->stopped = stopped;
  view->context = context;
  tdm_status status = tdm_run_tables_open(database, run, &view->tables, error);
  if (status == TDM_OK) status = list_categories(view, error);
  if (status == TDM_OK) status = tdm_run_view_find_devices(view, error);
  if (status == TDM_OK) status = tdm_run_view_check_numbers(view, error);
  if (status == TDM_OK) status = tdm_run_view_choose_tracks(view, error);
  if (status == TDM_OK) status = tdm_run_view_find_extent(view, error);
  if (status == TDM_OK && filter->range != NULL) status = tdm_run_view_find_windows(view, error);
  if (status == TDM_OK) status = find_times(view, error);
  view->filter.range = view->filter.domain = NULL; /* the caller's; their windows are known now */
  view->fixed = view->kept;
  if (status == TDM_OK)
    *out = view;
  else
    tdm_run_view_close(view);
  return status;
}

tdm_status tdm_run_view_of_source(tdm_run_view *view, int64_t source, tdm_run_view **out,
                                  tdm_error *error) {
  tdm_run_view *made = *out = tdm_array_new(1, sizeof *made);
  if (made == NULL) return tdm_error_memory(error, "a view", sizeof *made);
  *made = *view;
  made->of = view;
  made->source = source;
  made->loaded = NULL;
  made->kept = made->fixed = NULL;
  made->whole = NULL;
  return TDM_OK;
}

tdm_status tdm_run_view_apart(tdm_run_view *view, tdm_run_view **out, tdm_error *error) {
  return tdm_run_view_of_source(tdm_run_view_all_sources(view), view->source, out, error);
}

tdm_run_view *tdm_run_view_all_sources(tdm_run_view *view) {
  return view->of != NULL ? view->of : view;
}

static void forget_kept(tdm_run_view *view, const tdm_kept_object *until) {
  while (view->kept != until) {
    tdm_kept_object *kept = view->kept;
    view->kept = kept->next;
    kept->destroy(kept->object);
    free(kept);
  }
}

static void forget_tables(tdm_run_view *view) {
  while (view->loaded != NULL) {
    tdm_loaded *loaded = view->loaded;
    view->loaded = loaded->next;
    tdm_kept_rows_close(&loaded->rows);
    free(loaded);
  }
}

void tdm_run_view_forget_args(tdm_run_view *view, const tdm_wanted *wanted) {
  for (tdm_loaded *loaded = view->loaded; loaded != NULL; loaded = loaded->next)
    for (size_t k = 0; loaded->wanted == wanted && k < TDM_WANTED_KEYS; k++) {
      if (loaded->table.arg[k] == NULL) continue;
      tdm_kept_rows_forget(&loaded->rows, loaded->column[k]);
      loaded->table.arg[k] = NULL;
    }
}

static size_t bytes_of(const tdm_run_view *view) {
  size_t bytes = 0;
  for (const tdm_loaded *loaded = view->loaded; loaded != NULL; loaded = loaded->next)
    bytes += tdm_kept_rows_bytes(&loaded->rows);
  return bytes;
}

void tdm_run_view_trim(tdm_run_view *view, size_t most_bytes) {
  if (view->whole != NULL && view->whole != view) tdm_run_view_trim(view->whole, most_bytes);
  if (bytes_of(view) <= most_bytes) return;
  forget_kept(view, view->fixed); /* first: it may be made of tables */
  forget_tables(view);
  /* Nothing goes back to the system: what is asked next takes as much, page by page. */
}

void tdm_run_view_close(tdm_run_view *view) {
  enum { MANY_BYTES = 16 << 20 };
  if (view == NULL) return;
  bool large = bytes_of(view) > MANY_BYTES;
  if (view->whole != view) tdm_run_view_close(view->whole);
  forget_kept(view, NULL);
  forget_tables(view);
  if (large) tdm_memory_return(); /* what comes after it takes memory, too */
  if (view->of != NULL) {         /* the rest is the run's */
    free(view);
    return;
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
  for (const tdm_kept_object *kept = view->kept; kept != NULL; kept = kept->next)
    if (kept->key == key) return kept->object;
  return NULL;
}

tdm_status tdm_run_view_keep(tdm_run_view *view, const void *key, void *object,
                             void (*destroy)(void *object), tdm_error *error) {
  tdm_kept_object *kept = malloc(sizeof *kept);
  if (kept == NULL) {
    destroy(object);
    return tdm_error_memory(error, "a view", sizeof *kept);
  }
  *kept = (tdm_kept_object){.next = view->kept, .key = key, .object = object, .destroy = destroy};
  view->kept = kept;
  return TDM_OK;
}

void tdm_run_view_forget(tdm_run_view *view, const void *key) {
  tdm_kept_object **place = &view->kept;
  while (*place != NULL && (*place)->key != key) place = &(*place)->next;
  tdm_kept_object *kept = *place;
  if (kept == NULL) return;
  *place = kept->next;
  if (view->fixed == kept) view->fixed = kept->next;
  kept->destroy(kept->object);
  free(kept);
}

tdm_status tdm_run_view_keep_apart(tdm_run_view *view, const void *key, void *object,
                                   void (*destroy)(void *object), tdm_error *error) {
  tdm_status status = tdm_run_view_keep(view, key, object, destroy, error);
  if (status != TDM_OK) return status;
  tdm_kept_object *made = view->kept, **place = &view->kept;
  view->kept = made->next;
  while (*place != view->fixed) place = &(*place)->next;
  made->next = view->fixed;
  *place = view->fixed = made;
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

bool tdm_run_view_touches(const tdm_run_view *view, int64_t start_ns, int64_t end_ns) {
  return start_ns <= view->filter.to_ns && end_ns >= view->filter.from_ns &&
         (view->window == NULL || tdm_run_view_in_windows(view, start_ns, end_ns));
}

tdm_status tdm_run_view_unfiltered(const tdm_run_view *view, tdm_run_view **out, tdm_error *error) {
  return tdm_run_view_open(view->database, tdm_run_tables_run(view->tables), &TDM_RUN_VIEW_ALL,
                           view->stopped, view->context, out, error);
}

tdm_status tdm_run_view_at_all_times(tdm_run_view *view, tdm_run_view **whole, tdm_error *error) {
  tdm_run_view_filter filter = view->filter;
  tdm_status status = TDM_OK;
  filter.from_ns = INT64_MIN;
  filter.to_ns = INT64_MAX;
  if (!tdm_run_view_narrowed(view)) {
    view->whole = view;
  } else if (view->whole == NULL && view->of != NULL) {
    tdm_run_view *all = NULL;
    status = tdm_run_view_at_all_times(view->of, &all, error);
    if (status == TDM_OK) status = tdm_run_view_of_source(all, view->source, &view->whole, error);
  } else if (view->whole == NULL) {
    status = tdm_run_view_open(view->database, tdm_run_tables_run(view->tables), &filter,
                               view->stopped, view->context, &view->whole, error);
  }
  *whole = view->whole;
  return status;
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

bool tdm_run_view_filtered(const tdm_run_view *view) {
  return !view->keeps_all || view->filter.tid != TDM_NONE || tdm_run_view_narrowed(view);
}

const char *tdm_run_view_lacking(const tdm_run_view *view, const tdm_wanted *wanted) {
  bool filtered = tdm_run_view_filtered(view);
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
tdm_status tdm_run_view_sound(const tdm_run_view *view, tdm_error *error) {
  tdm_status status = tdm_run_tables_sound(view->tables, error);
  return status == TDM_OK ? tdm_pages_sound(view->database, error) : status;
}

sqlite3 *tdm_run_view_database(tdm_run_view *view) {
  return view->database;
}

const tdm_track *tdm_run_view_track(const tdm_run_view *view, int64_t track) {
  return tdm_run_tables_track(view->tables, track);
}

const char *tdm_run_view_name(tdm_run_view *view, int64_t name) {
  const char *text = tdm_run_tables_name(view->tables, name, NULL);
  return text != NULL ? text : "";
}
