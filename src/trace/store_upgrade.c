/* Version 1 kept a row of SQL for every span, of simulated runs only. Its tables are set aside,
 * each run is read back into a trace and written as today, and the old tables go. See
 * store_upgrade.h. */
#include "trace/store_upgrade.h"

#include <stdint.h>
#include <string.h>

#include "trace/collect.h"
#include "trace/simulated.h"
#include "trace/store_inside.h"

static const char aside_sql[] =
    "ALTER TABLE run RENAME TO old_run; ALTER TABLE class RENAME TO old_class;"
    "ALTER TABLE track RENAME TO old_track; ALTER TABLE name RENAME TO old_name;"
    "ALTER TABLE counter RENAME TO old_counter; ALTER TABLE span RENAME TO old_span;"
    "ALTER TABLE sample RENAME TO old_sample; ALTER TABLE request RENAME TO old_request;"
    "DROP TABLE edge;";
static const char drop_sql[] =
    "DROP TABLE old_run; DROP TABLE old_class; DROP TABLE old_track; DROP TABLE old_name;"
    "DROP TABLE old_counter; DROP TABLE old_span; DROP TABLE old_sample; DROP TABLE old_request;";

static const char *text_at(sqlite3_stmt *row, int column) {
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text != NULL ? text : "";
}

static tdm_status take_class(tdm_trace *trace, const tdm_sink *sink, sqlite3_stmt *row,
                             tdm_error *error) {
  (void)sink;
  return tdm_trace_class_name(trace, (uint32_t)sqlite3_column_int64(row, 0), text_at(row, 1),
                              error);
}

static tdm_status take_track(tdm_trace *trace, const tdm_sink *sink, sqlite3_stmt *row,
                             tdm_error *error) {
  (void)trace;
  tdm_track track = {.id = (uint32_t)sqlite3_column_int64(row, 0),
                     .process = text_at(row, 1),
                     .name = text_at(row, 2),
                     .lane = TDM_LANE_OTHER,
                     .capacity = (uint32_t)sqlite3_column_int64(row, 4)};
  for (int i = 0; i < TDM_LANES; i++)
    if (strcmp(tdm_lane_name((tdm_lane)i), text_at(row, 3)) == 0) track.lane = (tdm_lane)i;
  return sink->track(sink->context, &track, error);
}

static tdm_status take_name(tdm_trace *trace, const tdm_sink *sink, sqlite3_stmt *row,
                            tdm_error *error) {
  (void)trace;
  return sink->name(sink->context, (uint32_t)sqlite3_column_int64(row, 0), text_at(row, 1), error);
}

static tdm_status take_counter(tdm_trace *trace, const tdm_sink *sink, sqlite3_stmt *row,
                               tdm_error *error) {
  (void)trace;
  return sink->counter(sink->context, (uint32_t)sqlite3_column_int64(row, 0), text_at(row, 1),
                       text_at(row, 2), error);
}

static tdm_status take_span(tdm_trace *trace, const tdm_sink *sink, sqlite3_stmt *row,
                            tdm_error *error) {
  (void)trace;
  static _Thread_local tdm_span_block block;
  block.count = 1;
  block.start_ns[0] = sqlite3_column_int64(row, 0);
  block.dur_ns[0] = sqlite3_column_int64(row, 1);
  block.track[0] = (uint32_t)sqlite3_column_int64(row, 2);
  block.name[0] = (uint32_t)sqlite3_column_int64(row, 3);
  block.request[0] = (uint64_t)sqlite3_column_int64(row, 4);
  block.arg[0] = (uint64_t)sqlite3_column_int64(row, 5);
  block.bytes[0] = TDM_NO_BYTES;
  return sink->spans(sink->context, &block, error);
}

static tdm_status take_sample(tdm_trace *trace, const tdm_sink *sink, sqlite3_stmt *row,
                              tdm_error *error) {
  (void)trace;
  int has_value = sqlite3_column_type(row, 2) != SQLITE_NULL;
  tdm_counter_sample sample = {.time_ns = sqlite3_column_int64(row, 0),
                               .counter = (uint32_t)sqlite3_column_int64(row, 1),
                               .value =
                                   has_value ? sqlite3_column_double(row, 2) : __builtin_nan("")};
  return sink->counters(sink->context, &sample, 1, error);
}

static tdm_status take_request(tdm_trace *trace, const tdm_sink *sink, sqlite3_stmt *row,
                               tdm_error *error) {
  (void)trace;
  int has_gpu = sqlite3_column_type(row, 4) != SQLITE_NULL;
  tdm_request_record record = {.request = (uint64_t)sqlite3_column_int64(row, 0),
                               .class_index = (uint32_t)sqlite3_column_int64(row, 1),
                               .arrival_ns = sqlite3_column_int64(row, 2),
                               .end_ns = sqlite3_column_int64(row, 3),
                               .gpu = has_gpu ? sqlite3_column_int(row, 4) : -1};
  for (int i = 0; i < TDM_OUTCOMES; i++)
    if (strcmp(tdm_outcome_name((tdm_outcome)i), text_at(row, 5)) == 0)
      record.outcome = (tdm_outcome)i;
  return sink->requests(sink->context, &record, NULL, 1, error);
}

static const struct {
  const char *sql;
  tdm_status (*take)(tdm_trace *, const tdm_sink *, sqlite3_stmt *, tdm_error *);
} steps[] = {
    {"SELECT id, name FROM old_class WHERE run = ?1 ORDER BY id", take_class},
    {"SELECT id, process, name, lane, capacity FROM old_track WHERE run = ?1 ORDER BY id",
     take_track},
    {"SELECT id, name FROM old_name WHERE run = ?1 ORDER BY id", take_name},
    {"SELECT id, name, unit FROM old_counter WHERE run = ?1 ORDER BY id", take_counter},
    {"SELECT start_ns, dur_ns, track, name, request, batch FROM old_span WHERE run = ?1"
     " ORDER BY seq",
     take_span},
    {"SELECT time_ns, counter, value FROM old_sample WHERE run = ?1 ORDER BY seq", take_sample},
    {"SELECT id, class, arrival_ns, end_ns, gpu, outcome FROM old_request WHERE run = ?1"
     " ORDER BY id",
     take_request},
};

static tdm_status cannot_read(sqlite3 *database, const char *path, tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "cannot bring the store %s up to date: %s", path,
                       sqlite3_errmsg(database));
}

static tdm_status read_trace(const tdm_store *store, int64_t run, tdm_trace *trace,
                             tdm_error *error) {
  tdm_sink sink;
  tdm_trace_sink(trace, &sink);
  tdm_status status = TDM_OK;
  for (size_t i = 0; i < sizeof steps / sizeof *steps && status == TDM_OK; i++) {
    sqlite3_stmt *rows = NULL;
    int code = sqlite3_prepare_v2(store->database, steps[i].sql, -1, &rows, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(rows, 1, run);
    if (code == SQLITE_OK) code = SQLITE_ROW;
    while (status == TDM_OK && code == SQLITE_ROW && (code = sqlite3_step(rows)) == SQLITE_ROW)
      status = steps[i].take(trace, &sink, rows, error);
    if (status == TDM_OK && code != SQLITE_DONE)
      status = cannot_read(store->database, store->path, error);
    sqlite3_finalize(rows);
  }
  return status;
}

static tdm_status write_trace(tdm_store_run *run, const tdm_trace *trace, const char *path,
                              tdm_error *error) {
  tdm_record_sink sink;
  tdm_store_run_sink(run, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  if (recorder == NULL) return tdm_error_memory(error, "a recorder", 0);
  tdm_status status = tdm_simulated_record(trace, path, recorder, error);
  if (status == TDM_OK) status = tdm_recorder_end_source(recorder, error);
  tdm_recorder_free(recorder);
  return status;
}

/* `row`: number, name, scenario, hash, seed, version, summary, state, dropped, until, id. */
static tdm_status upgrade_run(tdm_store *store, sqlite3_stmt *row, tdm_error *error) {
  tdm_run_info info = {.name = text_at(row, 1),
                       .scenario = (const char *)sqlite3_column_text(row, 2),
                       .scenario_hash = (const char *)sqlite3_column_text(row, 3),
                       .seed = (uint64_t)sqlite3_column_int64(row, 4),
                       .version = (const char *)sqlite3_column_text(row, 5),
                       .created_utc_ns = TDM_NONE};
  const char *summary = (const char *)sqlite3_column_text(row, 6);
  tdm_trace *trace = tdm_trace_new(SIZE_MAX);
  if (trace == NULL) return tdm_error_memory(error, "a trace", 0);
  tdm_store_run *run = NULL;
  tdm_status status = read_trace(store, sqlite3_column_int64(row, 0), trace, error);
  if (status == TDM_OK) status = tdm_store_begin_run(store, &info, &run, error);
  if (status == TDM_OK) status = write_trace(run, trace, text_at(row, 1), error);
  tdm_trace_free(trace);
  if (status == TDM_OK)
    status = tdm_store_run_extent(run, (uint64_t)sqlite3_column_int64(row, 8),
                                  sqlite3_column_int64(row, 9), error);
  if (status != TDM_OK) {
    if (run != NULL) tdm_store_discard_run(run);
    return status;
  }
  return strcmp(text_at(row, 7), "complete") == 0 ? tdm_store_commit_run(run, summary, error)
                                                  : tdm_store_abort_run(run, summary, error);
}

tdm_status tdm_store_upgrade(sqlite3 *database, const char *path, const char *schema_sql,
                             tdm_error *error) {
  tdm_store store = {.database = database, .path = (char *)(uintptr_t)path, .nested = 1};
  if (tdm_store_execute(&store, aside_sql) != SQLITE_OK ||
      tdm_store_execute(&store, schema_sql) != SQLITE_OK)
    return cannot_read(database, path, error);
  sqlite3_stmt *runs = NULL;
  int code = sqlite3_prepare_v2(database,
                                "SELECT number, name, scenario, scenario_hash, seed, version,"
                                " summary_json, state, spans_dropped, complete_until_ns, id"
                                " FROM old_run ORDER BY number",
                                -1, &runs, NULL);
  tdm_status status = TDM_OK;
  if (code == SQLITE_OK) code = SQLITE_ROW;
  while (status == TDM_OK && code == SQLITE_ROW && (code = sqlite3_step(runs)) == SQLITE_ROW)
    status = upgrade_run(&store, runs, error);
  sqlite3_finalize(runs);
  if (status != TDM_OK) return status;
  /* Ids are what people wrote down. */
  if (code != SQLITE_DONE ||
      tdm_store_execute(&store, "UPDATE run SET id = (SELECT id FROM old_run WHERE old_run.number"
                                " = run.number)") != SQLITE_OK ||
      tdm_store_execute(&store, drop_sql) != SQLITE_OK)
    return cannot_read(database, path, error);
  return TDM_OK;
}
