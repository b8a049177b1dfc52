/* Rows of a view: scanned, filtered, sorted, kept. See run_view.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/inside.h"
#include "base/memory.h"
#include "trace/chunk.h"
#include "trace/store/pages.h"
#include "trace/store/scan.h"

enum { SPANS = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN };

/* ---- one chunk into the columns ---- */

typedef struct {
  tdm_run_view *view;
  const tdm_wanted *wanted;
  const char *const *categories;
  tdm_loaded *to;
  size_t keys;
  int64_t **values; /* by column of `to`: room for those of a chunk */
  int64_t category;
  void (*visit)(void *context, const tdm_row_block *rows); /* NULL: rows are kept in `to` */
  void *context;
} filling;

bool tdm_run_view_in_windows(const tdm_run_view *view, int64_t start_ns, int64_t end_ns) {
  size_t low = 0, high = view->windows; /* the first window that ends at or after the start */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (view->window[middle].to_ns < start_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low < view->windows && view->window[low].from_ns <= end_ns;
}

/* Whether no row of the chunk is left out, so that none need be looked at one by one. */
static bool takes_all(const filling *f, const int64_t *track, size_t count) {
  const tdm_run_view *view = f->view;
  if (tdm_run_view_filtered(view)) return false;
  uint64_t tracks = tdm_run_tables_tracks(view->tables);
  bool known = true;
  for (size_t i = 0; i < count; i++) known &= (uint64_t)track[i] < tracks;
  return known;
}

/* How many rows of the present chunk are wanted; their positions in `kept` when not all are.
 * `correlation`: NULL, they have none. */
static size_t choose(const filling *f, const int64_t *const *from, const tdm_launcher *launcher,
                     const int64_t *correlation, size_t count, uint32_t *kept) {
  const int64_t *start = from[TDM_START], *dur = from[TDM_DUR], *track = from[TDM_TRACK];
  const tdm_run_view *view = f->view;
  int64_t tracks = tdm_run_tables_tracks(view->tables);
  bool stages = f->wanted->stage_lanes != 0 && strcmp(f->categories[f->category], "stage") == 0;
  if (!stages && takes_all(f, track, count)) return count;
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    if (track[i] < 0 || track[i] >= tracks || !view->keeps[track[i]]) continue;
    if (!tdm_run_view_touches(view, start[i], tdm_loaded_end_ns(start[i], dur[i]))) continue;
    if (launcher->chooses &&
        !tdm_run_view_launched(view, launcher, track[i], correlation != NULL ? correlation[i] : 0))
      continue;
    if (stages) {
      const tdm_track *about = tdm_run_tables_track(view->tables, track[i]);
      if (about == NULL || !(f->wanted->stage_lanes >> about->lane & 1)) continue;
    }
    kept[n++] = (uint32_t)i;
  }
  return n;
}

static int64_t rounded(int64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return fabs(value) < 9.2e18 ? (int64_t)llround(value) : TDM_NONE;
}

/* The wanted values of a chunk: where they are, when all are, else side by side in `out`. */
static int64_t *take_values(int64_t *out, const int64_t *values, const uint32_t *kept, size_t n,
                            size_t count) {
  if (n == count) return (int64_t *)(uintptr_t)values;
  for (size_t i = 0; i < n; i++) out[i] = values[kept[i]];
  return out;
}

static bool are_ids(const int64_t *values, size_t count) {
  bool fine = true;
  for (size_t i = 0; i < count; i++) fine &= values[i] >= 0 && values[i] <= INT32_MAX;
  return fine;
}

/* Ids; what is none has no name. */
static int64_t *take_ids(int64_t *out, const int64_t *values, const uint32_t *kept, size_t n,
                         size_t count) {
  if (n == count && are_ids(values, n)) return (int64_t *)(uintptr_t)values;
  for (size_t i = 0; i < n; i++) {
    int64_t id = values[n == count ? i : kept[i]];
    out[i] = id >= 0 && id <= INT32_MAX ? id : -1;
  }
  return out;
}

static tdm_status take_arg(filling *f, tdm_scan *scan, size_t key, const uint32_t *kept, size_t n,
                           size_t count, int64_t **taken, tdm_error *error) {
  const tdm_arg *wanted = &f->wanted->keys[key];
  int64_t *out = *taken;
  const tdm_layout *layout = tdm_run_tables_layout(f->view->tables, tdm_scan_layout(scan));
  uint32_t column = tdm_layout_column(layout, wanted->key);
  tdm_arg_type type = column != 0 ? layout->arg[column - TDM_ARGS].type : wanted->type;
  bool is_rounded = wanted->type == TDM_ARG_INT && type == TDM_ARG_REAL;
  if (column == 0 || (type != wanted->type && !is_rounded)) {
    for (size_t i = 0; i < n; i++) out[i] = TDM_NONE;
    return TDM_OK;
  }
  const int64_t *values = tdm_scan_column(scan, column, error);
  if (values == NULL) return TDM_IO;
  *taken = take_values(out, values, kept, n, count);
  for (size_t i = 0; is_rounded && i < n; i++) out[i] = rounded((*taken)[i]);
  if (is_rounded) *taken = out;
  return TDM_OK;
}

/* Rows of the present chunk: columns that are as they are wanted stay the scan's. */
static tdm_status take_rows(filling *f, tdm_scan *scan, const int64_t *const *from,
                            const uint32_t *kept, size_t n, size_t count, tdm_error *error) {
  int64_t *column[TDM_LOADED_ARGS + TDM_WANTED_KEYS];
  memcpy(column, f->values, f->to->rows.columns * sizeof *column);
  int64_t *category = column[TDM_LOADED_CATEGORY];
  column[TDM_START] = take_values(column[TDM_START], from[TDM_START], kept, n, count);
  column[TDM_DUR] = take_values(column[TDM_DUR], from[TDM_DUR], kept, n, count);
  column[TDM_TRACK] = take_ids(column[TDM_TRACK], from[TDM_TRACK], kept, n, count);
  column[TDM_NAME] = take_ids(column[TDM_NAME], from[TDM_NAME], kept, n, count);
  for (size_t i = 0; i < n; i++) category[i] = f->category;
  tdm_status status = TDM_OK;
  for (size_t k = 0; k < f->keys && status == TDM_OK; k++) {
    uint32_t c = f->to->column[k];
    if (c != 0) status = take_arg(f, scan, k, kept, n, count, &column[c], error);
  }
  const tdm_rows rows = {.count = n, .column = column};
  if (status == TDM_OK && !tdm_kept_rows_add(&f->to->rows, &rows))
    status = tdm_error_memory(error, "rows of a run", n * f->to->rows.columns * sizeof(int64_t));
  return status;
}

static tdm_status take_chunk(filling *f, tdm_scan *scan, size_t count, uint32_t *kept,
                             tdm_error *error) {
  const int64_t *from[TDM_ARGS], *correlation = NULL;
  for (uint32_t c = 0; c < TDM_ARGS; c++)
    if ((from[c] = tdm_scan_column(scan, c, error)) == NULL) return TDM_IO;
  tdm_launcher launcher;
  const tdm_layout *layout = tdm_run_tables_layout(f->view->tables, tdm_scan_layout(scan));
  tdm_status status = tdm_run_view_launcher(f->view, layout, &launcher, error);
  if (status != TDM_OK) return status;
  if (launcher.calls != NULL &&
      (correlation = tdm_scan_column(scan, launcher.column, error)) == NULL)
    return TDM_IO;
  size_t n = choose(f, from, &launcher, correlation, count, kept);
  if (f->visit != NULL) {
    for (size_t i = 0; n == count && i < n; i++) kept[i] = (uint32_t)i;
    f->visit(f->context, &(tdm_row_block){n, kept, from[TDM_START], from[TDM_DUR], from[TDM_TRACK],
                                          from[TDM_NAME]});
    return TDM_OK;
  }
  return n > 0 ? take_rows(f, scan, from, kept, n, count, error) : TDM_OK;
}

/* ---- a whole table ---- */

static bool is_stopped(const tdm_run_view *view) {
  return view->stopped != NULL && view->stopped(view->context) != 0;
}

static tdm_status open_scan(const filling *f, tdm_scan **scan, tdm_error *error) {
  tdm_scan_filter filter = TDM_SCAN_ALL;
  filter.shapes = f->wanted->shapes != 0 ? f->wanted->shapes : SPANS;
  filter.category = f->categories[f->category];
  filter.from_ns = f->view->filter.from_ns;
  filter.to_ns = f->view->filter.to_ns;
  filter.source = f->view->source;
  return tdm_scan_open(f->view->database, f->view->tables, &filter, scan, error);
}

static bool has_category(const filling *f) {
  return tdm_run_view_has(f->view, f->categories[f->category]);
}

static bool has_argument(const filling *f, const char *key) {
  for (const char *const *category = f->categories; *category != NULL; category++)
    if (tdm_run_view_has_key(f->view, *category, key)) return true;
  return false;
}

static tdm_status take_category(filling *f, uint32_t *kept, tdm_error *error) {
  if (!has_category(f)) return TDM_OK;
  tdm_scan *scan;
  tdm_status status = open_scan(f, &scan, error);
  while (status == TDM_OK) {
    size_t count;
    status = tdm_scan_next(scan, &count, error);
    if (status != TDM_OK || count == 0) break;
    status = take_chunk(f, scan, count, kept, error);
    if (status == TDM_OK && is_stopped(f->view))
      status = tdm_error_set(error, TDM_INTERRUPTED, "stopped");
  }
  tdm_scan_close(scan);
  return status;
}

/* A column an argument that some layout has, and room for a chunk of each. */
static tdm_status open_columns(filling *f, tdm_error *error) {
  const tdm_arg *keys = f->wanted->keys;
  uint32_t columns = TDM_LOADED_ARGS;
  for (; keys != NULL && f->keys < TDM_WANTED_KEYS && keys[f->keys].key != NULL; f->keys++)
    if (has_argument(f, keys[f->keys].key)) f->to->column[f->keys] = columns++;
  bool fine = tdm_kept_rows_open(&f->to->rows, 0, columns);
  f->values = tdm_array_new(columns, sizeof *f->values);
  int64_t *room = tdm_array_raw(columns * TDM_CHUNK_ROWS, sizeof *room);
  if (!fine || f->values == NULL || room == NULL) {
    free(room);
    return tdm_error_memory(error, "rows of a run", columns * TDM_CHUNK_ROWS * sizeof *room);
  }
  for (uint32_t c = 0; c < columns; c++) f->values[c] = room + (size_t)c * TDM_CHUNK_ROWS;
  return TDM_OK;
}

static void close_values(filling *f) {
  if (f->values != NULL) free(f->values[0]);
  free(f->values);
}

static const char *const *wanted_categories(const tdm_run_view *view, const tdm_wanted *wanted) {
  return wanted->categories != NULL ? wanted->categories : view->categories;
}

static tdm_status take_all(filling *f, tdm_error *error) {
  uint32_t *kept = tdm_array_raw(TDM_CHUNK_ROWS, sizeof *kept);
  tdm_status status = kept == NULL ? tdm_error_memory(error, "rows of a run", 0) : TDM_OK;
  for (; status == TDM_OK && f->categories[f->category] != NULL; f->category++)
    status = take_category(f, kept, error);
  free(kept);
  return status;
}

tdm_status tdm_run_view_pass(tdm_run_view *view, const tdm_wanted *wanted,
                             void (*visit)(void *context, const tdm_row_block *rows), void *context,
                             tdm_error *error) {
  filling f = {.view = view,
               .wanted = wanted,
               .categories = wanted_categories(view, wanted),
               .visit = visit,
               .context = context};
  tdm_status status = tdm_run_view_check_thread(view, wanted, error);
  return status == TDM_OK ? take_all(&f, error) : status;
}

static tdm_status load(tdm_run_view *view, const tdm_wanted *wanted, tdm_loaded *to,
                       tdm_error *error) {
  filling f = {
      .view = view, .wanted = wanted, .categories = wanted_categories(view, wanted), .to = to};
  tdm_status status = open_columns(&f, error);
  if (status == TDM_OK) status = take_all(&f, error);
  close_values(&f);
  if (status != TDM_OK) return status;
  if (!tdm_loaded_order(to))
    return tdm_error_memory(error, "rows of a run", to->rows.count * sizeof(int64_t));
  tdm_kept_block **column = to->rows.column;
  to->table = (tdm_table){.count = to->rows.count,
                          .start = column[TDM_START],
                          .end = column[TDM_DUR],
                          .track = column[TDM_TRACK],
                          .name = column[TDM_NAME],
                          .category = column[TDM_LOADED_CATEGORY]};
  for (size_t k = 0; k < f.keys; k++)
    if (to->column[k] != 0) to->table.arg[k] = column[to->column[k]];
  return TDM_OK;
}

tdm_status tdm_run_view_table(tdm_run_view *view, const tdm_wanted *wanted, const tdm_table **table,
                              tdm_error *error) {
  for (tdm_loaded *known = view->loaded; known != NULL; known = known->next) {
    if (known->wanted != wanted) continue;
    *table = &known->table;
    return TDM_OK;
  }
  *table = NULL;
  tdm_loaded *loaded = tdm_array_new(1, sizeof *loaded);
  if (loaded == NULL) return tdm_error_memory(error, "rows of a run", sizeof *loaded);
  tdm_status status = tdm_run_view_check_thread(view, wanted, error);
  if (status == TDM_OK) status = load(view, wanted, loaded, error);
  loaded->next = view->loaded; /* also when it failed, so that close frees it */
  loaded->wanted = status == TDM_OK ? wanted : NULL;
  view->loaded = loaded;
  *table = &loaded->table;
  return status;
}

/* ---- extent and windows ---- */

tdm_status tdm_run_view_find_extent(tdm_run_view *view, tdm_error *error) {
  sqlite3_stmt *row = NULL;
  int code = sqlite3_prepare_v2(
      view->database, "SELECT first_ns, last_ns FROM run WHERE number = ?1", -1, &row, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(row, 1, tdm_run_tables_run(view->tables));
  if (code == SQLITE_OK) code = sqlite3_step(row);
  if (code == SQLITE_ROW && sqlite3_column_type(row, 0) != SQLITE_NULL) {
    view->from_ns = view->origin_ns = sqlite3_column_int64(row, 0);
    view->to_ns = sqlite3_column_int64(row, 1);
  }
  if (code == SQLITE_ROW || code == SQLITE_DONE) code = SQLITE_OK;
  sqlite3_finalize(row);
  if (view->from_ns < view->filter.from_ns) view->from_ns = view->filter.from_ns;
  if (view->to_ns > view->filter.to_ns) view->to_ns = view->filter.to_ns;
  if (view->to_ns < view->from_ns) view->to_ns = view->from_ns;
  return code == SQLITE_OK ? TDM_OK
                           : tdm_error_set(error, TDM_IO, "cannot read the store: %s",
                                           tdm_pages_reason(view->database));
}

/* The rows of the ranges that the filter names, joined where they touch. */
tdm_status tdm_run_view_find_windows(tdm_run_view *view, tdm_error *error) {
  static const char *const categories[] = {"nvtx", "user_annotation", NULL};
  static const tdm_arg keys[] = {{"domain", TDM_ARG_TEXT}, {NULL, TDM_ARG_INT}};
  static const tdm_wanted ranges = {
      .categories = categories, .keys = keys, .shapes = SPANS | 1u << TDM_SHAPE_ASYNC};
  const tdm_table *table = NULL;
  tdm_status status = tdm_run_view_table(view, &ranges, &table, error);
  if (status != TDM_OK) return status;
  size_t room = 0;
  for (size_t i = 0; i < table->count; i++) {
    if (!tdm_name_is(tdm_run_view_name(view, tdm_table_name(table, i)), view->filter.range))
      continue;
    if (view->filter.domain != NULL) {
      int64_t domain = tdm_table_arg(table, 0, i);
      const char *text = domain == TDM_NONE ? "" : tdm_run_view_name(view, domain);
      if (strcmp(text, view->filter.domain) != 0) continue;
    }
    tdm_window *last = view->windows > 0 ? &view->window[view->windows - 1] : NULL;
    if (last != NULL && tdm_table_start_ns(table, i) <= last->to_ns) {
      if (tdm_table_end_ns(table, i) > last->to_ns) last->to_ns = tdm_table_end_ns(table, i);
      continue;
    }
    if (!tdm_array_grow(&view->window, &room, view->windows + 1, sizeof *view->window))
      return tdm_error_memory(error, "ranges", view->windows * sizeof *view->window);
    view->window[view->windows++] =
        (tdm_window){tdm_table_start_ns(table, i), tdm_table_end_ns(table, i)};
  }
  if (view->windows > 0) return TDM_OK;
  const char *domain = view->filter.domain;
  return tdm_error_set(error, TDM_INVALID, "the run has no range '%s'%s%s", view->filter.range,
                       domain != NULL ? " in domain " : "", domain != NULL ? domain : "");
}
