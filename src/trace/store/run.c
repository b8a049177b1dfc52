/* Writing a run into a store: a record sink over prepared statements. See store.h.
 *
 * Rows are cut into chunks and packed here. The whole run is one transaction. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "base/rng.h"
#include "trace/chunk.h"
#include "trace/store/inside.h"
#include "trace/store/pages.h"

/* One statement a table. ?1 is the run; the rest in the order of the bind calls below. */
enum {
  PUT_NAME,
  PUT_TRACK,
  PUT_LAYOUT,
  PUT_ARG,
  PUT_CHUNK,
  PUT_DATA,
  PUT_SOURCE,
  PUT_FACT,
  PUT_PROBLEM,
  PUT_METRIC,
  PUT_ARTIFACT,
  PUT_REQUEST,
  PUT_CLASS,
  PUT_STATEMENTS
};
static const char *const put_sql[PUT_STATEMENTS] = {
    "INSERT INTO name(run, id, name) VALUES(?1, ?2, ?3)",
    /* A track may be announced again, when its name comes after its rows. */
    "INSERT OR REPLACE INTO track VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    "INSERT INTO layout VALUES(?1, ?2, ?3, ?4)",
    "INSERT INTO layout_arg VALUES(?1, ?2, ?3, ?4, ?5)",
    "INSERT INTO chunk(run, layout, source, first_row, rows, first_ns, last_ns, first_track,"
    " last_track) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    "INSERT INTO chunk_data VALUES(?1, ?2)",
    "INSERT INTO source(run, id, path, format, detail, rank, utc_ns, offset_ns, first_ns, last_ns,"
    " rows) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    "INSERT OR REPLACE INTO fact VALUES(?1, ?2, ?3, ?4)",
    "INSERT INTO problem VALUES(?1, ?2, ?3, ?4)",
    "INSERT INTO metric VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    "INSERT INTO artifact VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    "INSERT INTO request VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    "INSERT INTO class VALUES(?1, ?2, ?3)",
};

struct tdm_store_run {
  tdm_store *store;
  sqlite3_int64 number;
  sqlite3_stmt *put[PUT_STATEMENTS];
  tdm_packer *packer;
  tdm_shape *shapes; /* by layout */
  uint32_t *columns;
  size_t layouts, shape_room, column_room;
  sqlite3_int64 rows, spans, metrics, artifacts;
  int failed; /* a write failed: only rolling back is left */
  char id[TDM_STORE_ID_LENGTH + 1];
};

static tdm_status store_failure(const tdm_store *store, tdm_error *error) {
  int code = sqlite3_errcode(store->database);
  if (code == SQLITE_FULL)
    return tdm_error_set(error, TDM_IO,
                         "cannot write to the store %s: the disk is full; nothing of this run was"
                         " stored",
                         store->path);
  if (code == SQLITE_READONLY)
    return tdm_error_set(error, TDM_IO, "cannot write to the store %s: it is read-only",
                         store->path);
  return tdm_error_set(error, TDM_IO, "cannot write to the store %s: %s", store->path,
                       tdm_pages_reason(store->database));
}

/* ---- beginning ---- */

/* Ids come from what the run is and its position in the file: the same runs into a fresh store get
 * the same ids. `attempt` gives another one when a digest is taken. */
static void make_id(const tdm_store_run *run, const tdm_run_info *info, uint64_t attempt,
                    char *id) {
  const char *what = info->scenario_hash != NULL ? info->scenario_hash
                     : info->name != NULL        ? info->name
                                                 : "";
  tdm_stream stream = tdm_stream_named(info->seed, 0, what);
  uint64_t bits = tdm_stream_bits(tdm_stream_child(stream, (uint64_t)run->number), attempt);
  for (int i = 0; i < TDM_STORE_ID_LENGTH; i++) id[i] = "0123456789abcdef"[bits >> (4 * i) & 15];
  id[TDM_STORE_ID_LENGTH] = 0;
}

static int bind_text(sqlite3_stmt *statement, int at, const char *text) {
  return sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC); /* NULL binds NULL */
}

static void bind_number(sqlite3_stmt *statement, int at, int64_t value) {
  if (value == TDM_NONE)
    sqlite3_bind_null(statement, at);
  else
    sqlite3_bind_int64(statement, at, value);
}

static int insert_run(tdm_store_run *run, const tdm_run_info *info) {
  sqlite3_stmt *insert = NULL;
  int code = sqlite3_prepare_v2(
      run->store->database,
      "INSERT INTO run(number, id, kind, name, state, created_utc_ns, scenario, scenario_hash,"
      " seed, version) VALUES(?1, ?2, ?3, ?4, 'interrupted', ?5, ?6, ?7, ?8, ?9)",
      -1, &insert, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_int64(insert, 1, run->number);
    bind_text(insert, 2, run->id);
    bind_text(insert, 3, info->measured ? "measured" : "simulated");
    bind_text(insert, 4, info->name != NULL ? info->name : "");
    bind_number(insert, 5, info->created_utc_ns);
    bind_text(insert, 6, info->scenario);
    bind_text(insert, 7, info->scenario_hash);
    if (!info->measured) sqlite3_bind_int64(insert, 8, (sqlite3_int64)info->seed);
    bind_text(insert, 9, info->version);
    code = sqlite3_step(insert);
  }
  sqlite3_finalize(insert);
  return code;
}

/* Inside the transaction: no other process can take the number or the id. */
static int register_run(tdm_store_run *run, const tdm_run_info *info) {
  sqlite3 *database = run->store->database;
  sqlite3_stmt *next = NULL;
  int code =
      sqlite3_prepare_v2(database, "SELECT coalesce(max(number), 0) + 1 FROM run", -1, &next, NULL);
  if (code == SQLITE_OK && sqlite3_step(next) == SQLITE_ROW)
    run->number = sqlite3_column_int64(next, 0);
  sqlite3_finalize(next);
  if (run->number == 0) return SQLITE_ERROR;
  for (uint64_t attempt = 0; attempt < 64; attempt++) {
    make_id(run, info, attempt, run->id);
    code = insert_run(run, info);
    if (sqlite3_extended_errcode(database) != SQLITE_CONSTRAINT_UNIQUE) break;
  }
  return code;
}

tdm_status tdm_store_begin_run(tdm_store *store, const tdm_run_info *info, tdm_store_run **out,
                               tdm_error *error) {
  *out = NULL;
  if (store->open_run != NULL)
    return tdm_error_set(error, TDM_BUG, "store: run %s is still open", store->open_run->id);
  tdm_store_run *run = tdm_array_new(1, sizeof *run);
  if (run != NULL) run->packer = tdm_packer_new();
  if (run == NULL || run->packer == NULL) {
    free(run);
    return tdm_error_memory(error, "a run", sizeof *run);
  }
  run->store = store;
  store->open_run = run;
  int code = tdm_store_execute(store, "BEGIN IMMEDIATE");
  for (int i = 0; i < PUT_STATEMENTS && code == SQLITE_OK; i++)
    code = sqlite3_prepare_v3(store->database, put_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
                              &run->put[i], NULL);
  if (code == SQLITE_OK) code = register_run(run, info);
  if (code != SQLITE_DONE) {
    tdm_status status = store_failure(store, error);
    tdm_store_discard_run(run);
    return status;
  }
  *out = run;
  return TDM_OK;
}

const char *tdm_store_run_id(const tdm_store_run *run) {
  return run->id;
}

int64_t tdm_store_run_number(const tdm_store_run *run) {
  return run->number;
}

/* ---- the sink ---- */

/* Runs a bound statement once and makes it ready for the next row. */
static tdm_status put_row(tdm_store_run *run, sqlite3_stmt *statement, tdm_error *error) {
  tdm_status status = TDM_OK;
  if (sqlite3_step(statement) != SQLITE_DONE) {
    run->failed = 1;
    status = store_failure(run->store, error);
  }
  sqlite3_reset(statement);
  return status;
}

static sqlite3_stmt *start_row(tdm_store_run *run, int which, sqlite3_int64 id) {
  sqlite3_stmt *statement = run->put[which];
  sqlite3_bind_int64(statement, 1, run->number);
  sqlite3_bind_int64(statement, 2, id);
  return statement;
}

static tdm_status put_name(void *context, uint32_t id, const char *text, size_t length,
                           tdm_error *error) {
  sqlite3_stmt *row = start_row(context, PUT_NAME, id);
  sqlite3_bind_text64(row, 3, text, length, SQLITE_STATIC, SQLITE_UTF8);
  return put_row(context, row, error);
}

static tdm_status put_track(void *context, uint32_t id, const tdm_track *track, tdm_error *error) {
  sqlite3_stmt *row = start_row(context, PUT_TRACK, id);
  bind_text(row, 3, track->process);
  bind_text(row, 4, track->name);
  bind_text(row, 5, tdm_track_kind_name(track->kind));
  bind_text(row, 6, tdm_lane_name(track->lane));
  const int64_t numbers[] = {track->capacity, track->pid,     track->tid,
                             track->device,   track->context, track->stream};
  for (int i = 0; i < 6; i++) bind_number(row, 7 + i, numbers[i]);
  sqlite3_bind_int64(row, 13, track->source);
  return put_row(context, row, error);
}

static tdm_status put_layout(void *context, uint32_t id, const tdm_layout *layout,
                             tdm_error *error) {
  tdm_store_run *run = context;
  if (!tdm_array_grow(&run->shapes, &run->shape_room, (size_t)id + 1, sizeof *run->shapes) ||
      !tdm_array_grow(&run->columns, &run->column_room, (size_t)id + 1, sizeof *run->columns))
    return tdm_error_memory(error, "a layout", id);
  for (; run->layouts <= id; run->layouts++) run->columns[run->layouts] = 0;
  run->shapes[id] = layout->shape;
  run->columns[id] = TDM_ARGS + layout->args;
  sqlite3_stmt *row = start_row(run, PUT_LAYOUT, id);
  bind_text(row, 3, layout->category);
  bind_text(row, 4, tdm_shape_name(layout->shape));
  tdm_status status = put_row(run, row, error);
  for (uint32_t i = 0; i < layout->args && status == TDM_OK; i++) {
    row = start_row(run, PUT_ARG, id);
    sqlite3_bind_int64(row, 3, i);
    bind_text(row, 4, layout->arg[i].key);
    bind_text(row, 5, tdm_arg_type_name(layout->arg[i].type));
    status = put_row(run, row, error);
  }
  return status;
}

typedef struct {
  int64_t first_ns, last_ns, first_track, last_track;
} extent;

static extent extent_of(const tdm_rows *rows, tdm_shape shape, size_t first, size_t count) {
  const int64_t *start = rows->column[TDM_START] + first, *dur = rows->column[TDM_DUR] + first;
  const int64_t *track = rows->column[TDM_TRACK] + first;
  extent e = {start[0], start[0], track[0], track[0]};
  for (size_t i = 0; i < count; i++) {
    int64_t end;
    if (__builtin_add_overflow(start[i], dur[i], &end)) end = INT64_MAX;
    if (shape == TDM_SHAPE_EDGE || end < start[i]) end = start[i];
    if (start[i] < e.first_ns) e.first_ns = start[i];
    if (end > e.last_ns) e.last_ns = end;
    if (track[i] < e.first_track) e.first_track = track[i];
    if (track[i] > e.last_track) e.last_track = track[i];
  }
  return e;
}

static tdm_status put_chunk(tdm_store_run *run, const tdm_rows *rows, size_t first, size_t count,
                            tdm_error *error) {
  const unsigned char *bytes;
  size_t length;
  tdm_status status = tdm_pack(run->packer, rows->column, run->columns[rows->layout], first, count,
                               &bytes, &length, error);
  if (status != TDM_OK) return status;
  extent e = extent_of(rows, run->shapes[rows->layout], first, count);
  sqlite3_stmt *row = start_row(run, PUT_CHUNK, rows->layout);
  sqlite3_bind_int64(row, 3, rows->source);
  sqlite3_bind_int64(row, 4, run->rows);
  sqlite3_bind_int64(row, 5, (sqlite3_int64)count);
  sqlite3_bind_int64(row, 6, e.first_ns);
  sqlite3_bind_int64(row, 7, e.last_ns);
  sqlite3_bind_int64(row, 8, e.first_track);
  sqlite3_bind_int64(row, 9, e.last_track);
  status = put_row(run, row, error);
  if (status != TDM_OK) return status;
  row = run->put[PUT_DATA];
  sqlite3_bind_int64(row, 1, sqlite3_last_insert_rowid(run->store->database));
  sqlite3_bind_blob64(row, 2, bytes, length, SQLITE_STATIC);
  run->rows += (sqlite3_int64)count;
  return put_row(run, row, error);
}

static tdm_status put_rows(void *context, const tdm_rows *rows, tdm_error *error) {
  tdm_store_run *run = context;
  if (rows->layout >= run->layouts || run->columns[rows->layout] == 0)
    return tdm_error_set(error, TDM_BUG, "store: rows of unknown layout %u", rows->layout);
  tdm_status status = TDM_OK;
  for (size_t at = 0; at < rows->count && status == TDM_OK; at += TDM_CHUNK_ROWS) {
    size_t left = rows->count - at;
    status = put_chunk(run, rows, at, left < TDM_CHUNK_ROWS ? left : TDM_CHUNK_ROWS, error);
  }
  tdm_shape shape = run->shapes[rows->layout];
  if (shape != TDM_SHAPE_EDGE && shape != TDM_SHAPE_SAMPLE)
    run->spans += (sqlite3_int64)rows->count;
  return status;
}

static tdm_status put_source(void *context, uint32_t id, const tdm_source *source,
                             tdm_error *error) {
  tdm_store_run *run = context;
  sqlite3_stmt *row = start_row(run, PUT_SOURCE, id);
  bind_text(row, 3, source->path);
  bind_text(row, 4, source->format);
  bind_text(row, 5, source->detail);
  bind_number(row, 6, source->rank);
  bind_number(row, 7, source->utc_ns);
  sqlite3_bind_int64(row, 8, source->offset_ns);
  bind_number(row, 9, source->first_ns);
  bind_number(row, 10, source->last_ns);
  sqlite3_bind_int64(row, 11, (sqlite3_int64)source->rows);
  return put_row(run, row, error);
}

static tdm_status put_fact(void *context, uint32_t source, const char *key, const char *value,
                           tdm_error *error) {
  sqlite3_stmt *row = start_row(context, PUT_FACT, source);
  bind_text(row, 3, key);
  bind_text(row, 4, value);
  return put_row(context, row, error);
}

static tdm_status put_problem(void *context, uint32_t source, const char *kind, uint64_t count,
                              tdm_error *error) {
  sqlite3_stmt *row = start_row(context, PUT_PROBLEM, source);
  bind_text(row, 3, kind);
  sqlite3_bind_int64(row, 4, (sqlite3_int64)count);
  return put_row(context, row, error);
}

static tdm_status put_metric(void *context, const tdm_metric *metric, tdm_error *error) {
  tdm_store_run *run = context;
  sqlite3_stmt *row = start_row(run, PUT_METRIC, run->metrics++);
  bind_text(row, 3, metric->scope != NULL ? metric->scope : "run");
  bind_text(row, 4, metric->subject);
  bind_number(row, 5, metric->ordinal);
  bind_text(row, 6, metric->name != NULL ? metric->name : "");
  bind_text(row, 7, metric->unit);
  sqlite3_bind_double(row, 8, metric->value); /* SQLite turns NaN into NULL */
  bind_text(row, 9, metric->text);
  return put_row(run, row, error);
}

static tdm_status put_artifact(void *context, const char *name, const char *type, const void *bytes,
                               size_t length, tdm_error *error) {
  tdm_store_run *run = context;
  size_t bound = ZSTD_compressBound(length);
  void *squeezed = malloc(bound);
  if (squeezed == NULL) return tdm_error_memory(error, "an artifact", bound);
  size_t small = ZSTD_compress(squeezed, bound, bytes, length, 3);
  int smaller = !ZSTD_isError(small) && small < length;
  sqlite3_stmt *row = start_row(run, PUT_ARTIFACT, run->artifacts++);
  bind_text(row, 3, name);
  bind_text(row, 4, type);
  sqlite3_bind_int64(row, 5, (sqlite3_int64)length);
  if (smaller)
    sqlite3_bind_blob64(row, 6, squeezed, small, SQLITE_STATIC);
  else
    sqlite3_bind_blob64(row, 6, length > 0 ? bytes : "", length, SQLITE_STATIC);
  tdm_status status = put_row(run, row, error);
  free(squeezed);
  return status;
}

static tdm_status put_requests(void *context, const tdm_request_record *records, size_t count,
                               tdm_error *error) {
  tdm_store_run *run = context;
  for (size_t i = 0; i < count; i++) {
    const tdm_request_record *record = &records[i];
    sqlite3_stmt *row = start_row(run, PUT_REQUEST, (sqlite3_int64)record->request);
    sqlite3_bind_int64(row, 3, record->class_index);
    sqlite3_bind_int64(row, 4, record->arrival_ns);
    bind_number(row, 5, record->outcome == TDM_OUTCOME_OPEN ? TDM_NONE : record->end_ns);
    bind_number(row, 6, record->gpu < 0 ? TDM_NONE : record->gpu);
    bind_text(row, 7, tdm_outcome_name(record->outcome));
    tdm_status status = put_row(run, row, error);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

static tdm_status put_class(void *context, uint32_t index, const char *name, tdm_error *error) {
  sqlite3_stmt *row = start_row(context, PUT_CLASS, index);
  bind_text(row, 3, name);
  return put_row(context, row, error);
}

void tdm_store_run_sink(tdm_store_run *run, tdm_record_sink *out) {
  *out = (tdm_record_sink){.context = run,
                           .name = put_name,
                           .track = put_track,
                           .layout = put_layout,
                           .rows = put_rows,
                           .source = put_source,
                           .fact = put_fact,
                           .problem = put_problem,
                           .metric = put_metric,
                           .artifact = put_artifact,
                           .requests = put_requests,
                           .request_class = put_class};
}

/* ---- ending ---- */

/* Runs one statement, its values bound by ?1 …: `sql` must end with the run as the last of them. */
static tdm_status update_run(tdm_store_run *run, const char *sql, const int64_t *numbers, int count,
                             const char *text, tdm_error *error) {
  sqlite3_stmt *update = NULL;
  int code = sqlite3_prepare_v2(run->store->database, sql, -1, &update, NULL), at = 0;
  if (code == SQLITE_OK) {
    while (at < count) {
      bind_number(update, at + 1, numbers[at]);
      at++;
    }
    bind_text(update, at + 1, text);
    sqlite3_bind_int64(update, at + 2, run->number);
    code = sqlite3_step(update);
  }
  tdm_status status = TDM_OK;
  if (code != SQLITE_DONE) {
    run->failed = 1;
    status = store_failure(run->store, error);
  }
  sqlite3_finalize(update);
  return status;
}

tdm_status tdm_store_run_extent(tdm_store_run *run, uint64_t dropped, int64_t complete_until_ns,
                                tdm_error *error) {
  const int64_t numbers[] = {(int64_t)dropped, dropped > 0 ? complete_until_ns : TDM_NONE};
  return update_run(run,
                    "UPDATE run SET spans_dropped = ?1, complete_until_ns = ?2, note ="
                    " coalesce(?3, note) WHERE number = ?4",
                    numbers, 2, NULL, error);
}

/* From its first record to its last, on the run's clock: the offsets of sources may have changed
 * since they were put. A sum beyond 64 bits is real, which the cast makes the nearest integer. */
#define SET_EXTENT                                                                                 \
  "first_ns = (SELECT CAST(min(s.first_ns + s.offset_ns) AS INTEGER) FROM source AS s"             \
  " WHERE s.run = number), last_ns = (SELECT CAST(max(s.last_ns + s.offset_ns) AS INTEGER)"        \
  " FROM source AS s WHERE s.run = number)"

static tdm_status finish_run(tdm_store_run *run, const char *sql, const char *summary_json,
                             tdm_error *error) {
  tdm_store *store = run->store;
  if (run->failed) {
    tdm_store_discard_run(run);
    return tdm_error_set(error, TDM_IO, "the run was not stored: an earlier write to %s failed",
                         store->path);
  }
  const int64_t spans = run->spans;
  tdm_status status = update_run(run, sql, &spans, 1, summary_json, error);
  if (status == TDM_OK && tdm_store_execute(store, "COMMIT") != SQLITE_OK)
    status = store_failure(store, error);
  tdm_store_discard_run(run); /* after a commit there is nothing left to roll back */
  return status;
}

tdm_status tdm_store_commit_run(tdm_store_run *run, const char *summary_json, tdm_error *error) {
  return finish_run(run,
                    "UPDATE run SET state = 'complete', spans = ?1, summary_json = ?2, " SET_EXTENT
                    " WHERE number = ?3",
                    summary_json, error);
}

tdm_status tdm_store_abort_run(tdm_store_run *run, const char *summary_json, tdm_error *error) {
  return finish_run(
      run,
      "UPDATE run SET state = 'interrupted', spans = ?1, summary_json = ?2, " SET_EXTENT
      " WHERE number = ?3",
      summary_json, error);
}

void tdm_store_discard_run(tdm_store_run *run) {
  tdm_store *store = run->store;
  store->open_run = NULL;
  for (int i = 0; i < PUT_STATEMENTS; i++) sqlite3_finalize(run->put[i]);
  if (!sqlite3_get_autocommit(store->database)) tdm_store_execute(store, "ROLLBACK");
  tdm_packer_free(run->packer);
  free(run->shapes);
  free(run->columns);
  free(run);
}
