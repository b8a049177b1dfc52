/* A stored run pushed into a record sink. See tdm_store_load in store.h. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/store/pages.h"
#include "trace/store/scan.h"
#include "trace/store/store.h"

typedef struct {
  sqlite3 *database;
  int64_t run;
  const tdm_record_sink *sink;
} load;

static const char *text_at(sqlite3_stmt *row, int column) {
  return (const char *)sqlite3_column_text(row, column);
}

static int64_t number_at(sqlite3_stmt *row, int column) {
  return sqlite3_column_type(row, column) == SQLITE_NULL ? TDM_NONE
                                                         : sqlite3_column_int64(row, column);
}

static tdm_status take_name(load *l, sqlite3_stmt *row, tdm_error *error) {
  const char *text = text_at(row, 1);
  size_t length = (size_t)sqlite3_column_bytes(row, 1);
  return l->sink->name(l->sink->context, (uint32_t)sqlite3_column_int64(row, 0),
                       text != NULL ? text : "", length, error);
}

static tdm_status take_fact(load *l, sqlite3_stmt *row, tdm_error *error) {
  return l->sink->fact(l->sink->context, (uint32_t)sqlite3_column_int64(row, 0), text_at(row, 1),
                       text_at(row, 2), error);
}

static tdm_status take_problem(load *l, sqlite3_stmt *row, tdm_error *error) {
  return l->sink->problem(l->sink->context, (uint32_t)sqlite3_column_int64(row, 0), text_at(row, 1),
                          (uint64_t)sqlite3_column_int64(row, 2), error);
}

static tdm_status take_class(load *l, sqlite3_stmt *row, tdm_error *error) {
  return l->sink->request_class(l->sink->context, (uint32_t)sqlite3_column_int64(row, 0),
                                text_at(row, 1), error);
}

static tdm_status take_metric(load *l, sqlite3_stmt *row, tdm_error *error) {
  int has_value = sqlite3_column_type(row, 5) != SQLITE_NULL;
  tdm_metric metric = {.scope = text_at(row, 0),
                       .subject = text_at(row, 1),
                       .ordinal = number_at(row, 2),
                       .name = text_at(row, 3),
                       .unit = text_at(row, 4),
                       .value = has_value ? sqlite3_column_double(row, 5) : __builtin_nan(""),
                       .text = text_at(row, 6)};
  return l->sink->metric(l->sink->context, &metric, error);
}

static tdm_outcome outcome_of(const char *text) {
  for (int i = 0; i < TDM_OUTCOMES; i++)
    if (text != NULL && strcmp(text, tdm_outcome_name((tdm_outcome)i)) == 0) return (tdm_outcome)i;
  return TDM_OUTCOME_OPEN;
}

static tdm_status take_request(load *l, sqlite3_stmt *row, tdm_error *error) {
  int has_gpu = sqlite3_column_type(row, 4) != SQLITE_NULL;
  tdm_request_record record = {.request = (uint64_t)sqlite3_column_int64(row, 0),
                               .class_index = (uint32_t)sqlite3_column_int64(row, 1),
                               .arrival_ns = sqlite3_column_int64(row, 2),
                               .end_ns = sqlite3_column_int64(row, 3),
                               .gpu = has_gpu ? sqlite3_column_int(row, 4) : -1,
                               .outcome = outcome_of(text_at(row, 5))};
  return l->sink->requests(l->sink->context, &record, 1, error);
}

static tdm_status take_artifact(load *l, sqlite3_stmt *row, tdm_error *error) {
  const void *data = sqlite3_column_blob(row, 3);
  size_t stored = (size_t)sqlite3_column_bytes(row, 3);
  int64_t bytes = sqlite3_column_int64(row, 2);
  void *whole;
  tdm_status status = tdm_artifact_unpack(text_at(row, 0), data, stored, bytes, &whole, error);
  if (status != TDM_OK) return status;
  if (whole != NULL) {
    data = whole;
    stored = (size_t)bytes;
  }
  status = l->sink->artifact(l->sink->context, text_at(row, 0), text_at(row, 1),
                             data != NULL ? data : "", stored, error);
  free(whole);
  return status;
}

static tdm_status each(load *l, int wanted, const char *sql,
                       tdm_status (*take)(load *, sqlite3_stmt *, tdm_error *), tdm_error *error) {
  if (!wanted) return TDM_OK;
  sqlite3_stmt *rows = NULL;
  tdm_status status = TDM_OK;
  int code = sqlite3_prepare_v2(l->database, sql, -1, &rows, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(rows, 1, l->run);
  while (code == SQLITE_OK && status == TDM_OK) {
    int step = sqlite3_step(rows);
    if (step == SQLITE_DONE) break;
    if (step == SQLITE_ROW)
      status = take(l, rows, error);
    else
      code = step;
  }
  sqlite3_finalize(rows);
  if (code != SQLITE_OK)
    return tdm_error_set(error, TDM_IO, "cannot read the store: %s", tdm_pages_reason(l->database));
  return status;
}

/* A source as its rows are when a scan has read them: on the run's clock, which no offset parts it
 * from any more. Who added the stored one again would be that far off. */
static tdm_source on_run_clock(tdm_source source) {
  int64_t offset_ns = source.offset_ns;
  source.offset_ns = 0;
  if (source.utc_ns != TDM_NONE && __builtin_sub_overflow(source.utc_ns, offset_ns, &source.utc_ns))
    source.utc_ns = TDM_NONE;
  if (source.first_ns != TDM_NONE) {
    source.first_ns = tdm_scan_shifted(source.first_ns, offset_ns);
    source.last_ns = tdm_scan_shifted(source.last_ns, offset_ns);
  }
  return source;
}

static tdm_status push_tables(load *l, const tdm_run_tables *tables, tdm_error *error) {
  const tdm_record_sink *sink = l->sink;
  tdm_status status = TDM_OK;
  for (uint32_t i = 0; sink->track && status == TDM_OK && i < tdm_run_tables_tracks(tables); i++) {
    const tdm_track *track = tdm_run_tables_track(tables, i);
    if (track != NULL) status = sink->track(sink->context, i, track, error);
  }
  for (uint32_t i = 0; sink->layout && status == TDM_OK && i < tdm_run_tables_layouts(tables);
       i++) {
    const tdm_layout *layout = tdm_run_tables_layout(tables, i);
    if (layout != NULL) status = sink->layout(sink->context, i, layout, error);
  }
  for (uint32_t i = 0; sink->source && status == TDM_OK && i < tdm_run_tables_sources(tables);
       i++) {
    const tdm_source *source = tdm_run_tables_source(tables, i);
    if (source == NULL) continue;
    tdm_source aligned = on_run_clock(*source);
    status = sink->source(sink->context, i, &aligned, error);
  }
  return status;
}

/* Rows of a chunk that touch a window of time, gathered; scratch has room for a chunk's columns. */
static size_t gather(int64_t *const *column, uint32_t columns, size_t count, tdm_shape shape,
                     int64_t from_ns, int64_t to_ns, int64_t *scratch) {
  const int64_t *start = column[TDM_START], *dur = column[TDM_DUR];
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t end = start[i];
    if (shape != TDM_SHAPE_EDGE && __builtin_add_overflow(start[i], dur[i], &end)) end = INT64_MAX;
    if (start[i] > to_ns || (start[i] < from_ns && end < from_ns)) continue;
    for (uint32_t c = 0; c < columns; c++) scratch[c * count + kept] = column[c][i];
    kept++;
  }
  return kept;
}

static tdm_status push_window(load *l, tdm_rows *rows, int64_t **column, const tdm_layout *layout,
                              int64_t from_ns, int64_t to_ns, tdm_error *error) {
  uint32_t columns = TDM_ARGS + layout->args;
  int64_t *scratch = tdm_array_new(columns * rows->count, sizeof *scratch);
  if (scratch == NULL) return tdm_error_memory(error, "rows", columns * rows->count);
  size_t kept = gather(column, columns, rows->count, layout->shape, from_ns, to_ns, scratch);
  for (uint32_t c = 0; c < columns; c++) column[c] = scratch + c * rows->count;
  rows->count = kept;
  tdm_status status = kept > 0 ? l->sink->rows(l->sink->context, rows, error) : TDM_OK;
  free(scratch);
  return status;
}

static tdm_status push_rows(load *l, tdm_run_tables *tables, int64_t from_ns, int64_t to_ns,
                            tdm_error *error) {
  if (l->sink->rows == NULL) return TDM_OK;
  tdm_scan_filter filter = TDM_SCAN_ALL;
  filter.from_ns = from_ns;
  filter.to_ns = to_ns;
  tdm_scan *scan;
  tdm_status status = tdm_scan_open(l->database, tables, &filter, &scan, error);
  while (status == TDM_OK) {
    size_t count;
    status = tdm_scan_next(scan, &count, error);
    if (status != TDM_OK || count == 0) break;
    int64_t *column[TDM_ARGS + TDM_LAYOUT_ARGS];
    tdm_rows rows = {.layout = tdm_scan_layout(scan),
                     .source = tdm_scan_source(scan),
                     .count = count,
                     .column = column};
    const tdm_layout *layout = tdm_run_tables_layout(tables, rows.layout);
    uint32_t columns = TDM_ARGS + layout->args;
    for (uint32_t c = 0; c < columns && status == TDM_OK; c++) {
      const int64_t *values = tdm_scan_column(scan, c, error);
      if (values == NULL) status = TDM_IO;
      column[c] = (int64_t *)(uintptr_t)values; /* sinks only look */
    }
    if (status != TDM_OK) break;
    status = from_ns == INT64_MIN && to_ns == INT64_MAX
                 ? l->sink->rows(l->sink->context, &rows, error)
                 : push_window(l, &rows, column, layout, from_ns, to_ns, error);
  }
  tdm_scan_close(scan);
  return status;
}

tdm_status tdm_store_load(sqlite3 *database, int64_t run, int64_t from_ns, int64_t to_ns,
                          const tdm_record_sink *sink, tdm_error *error) {
  load l = {database, run, sink};
  tdm_run_tables *tables;
  tdm_status status = tdm_run_tables_open(database, run, &tables, error);
  if (status != TDM_OK) return status;
  status = each(&l, sink->name != NULL, "SELECT id, name FROM name WHERE run = ?1 ORDER BY id",
                take_name, error);
  if (status == TDM_OK) status = push_tables(&l, tables, error);
  if (status == TDM_OK)
    status = each(&l, sink->fact != NULL,
                  "SELECT source, key, value FROM fact WHERE run = ?1 ORDER BY source, key",
                  take_fact, error);
  if (status == TDM_OK)
    status = each(&l, sink->problem != NULL,
                  "SELECT source, kind, count FROM problem WHERE run = ?1 ORDER BY source, kind",
                  take_problem, error);
  if (status == TDM_OK)
    status = each(&l, sink->request_class != NULL,
                  "SELECT id, name FROM class WHERE run = ?1 ORDER BY id", take_class, error);
  if (status == TDM_OK)
    status = each(&l, sink->requests != NULL,
                  "SELECT id, class, arrival_ns, end_ns, gpu, outcome FROM request"
                  " WHERE run = ?1 ORDER BY id",
                  take_request, error);
  if (status == TDM_OK)
    status = each(&l, sink->metric != NULL,
                  "SELECT scope, subject, ordinal, name, unit, value, text FROM metric"
                  " WHERE run = ?1 ORDER BY id",
                  take_metric, error);
  if (status == TDM_OK)
    status = each(&l, sink->artifact != NULL,
                  "SELECT name, type, bytes, data FROM artifact WHERE run = ?1 ORDER BY id",
                  take_artifact, error);
  if (status == TDM_OK) status = push_rows(&l, tables, from_ns, to_ns, error);
  tdm_run_tables_close(tables);
  return status;
}
