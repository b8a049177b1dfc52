/* Runs into the store, and their names. See store.h; the tables are in store_schema.c. */
#include "trace/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "trace/store_schema.h"

enum {
  PUT_CLASS,
  PUT_TRACK,
  PUT_NAME,
  PUT_COUNTER,
  PUT_SPAN,
  PUT_SAMPLE,
  PUT_REQUEST,
  PUT_STATEMENTS
};

static const char *const put_sql[PUT_STATEMENTS] = {
    [PUT_CLASS] = "INSERT OR REPLACE INTO class(run, id, name) VALUES(?1, ?2, ?3)",
    [PUT_TRACK] = "INSERT OR REPLACE INTO track(run, id, process, name, lane, capacity)"
                  " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    [PUT_NAME] = "INSERT OR REPLACE INTO name(run, id, name) VALUES(?1, ?2, ?3)",
    [PUT_COUNTER] = "INSERT OR REPLACE INTO counter(run, id, name, unit) VALUES(?1, ?2, ?3, ?4)",
    [PUT_SPAN] = "INSERT INTO span(run, seq, start_ns, dur_ns, track, name, request, batch)"
                 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [PUT_SAMPLE] = "INSERT INTO sample(run, seq, time_ns, counter, value)"
                   " VALUES(?1, ?2, ?3, ?4, ?5)",
    [PUT_REQUEST] = "INSERT OR REPLACE INTO request(run, id, class, arrival_ns, end_ns, gpu,"
                    " outcome) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
};

struct tdm_store {
  sqlite3 *database;
  char *path;
  tdm_store_run *open_run;
  sqlite3_stmt *put[PUT_STATEMENTS];
};

struct tdm_store_run {
  tdm_store *store;
  sqlite3_int64 number;
  sqlite3_int64 spans, samples; /* the next seq */
  int failed;                   /* a write failed: only rolling back is left */
  char id[TDM_STORE_ID_LENGTH + 1];
};

static tdm_status store_failure(const tdm_store *store, tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "cannot write to the store %s: %s", store->path,
                       sqlite3_errmsg(store->database));
}

static int execute(tdm_store *store, const char *sql) {
  return sqlite3_exec(store->database, sql, NULL, NULL, NULL);
}

tdm_status tdm_store_open(const char *path, tdm_store **out, tdm_error *error) {
  *out = NULL;
  tdm_store *store = tdm_array_new(1, sizeof *store);
  if (store == NULL) return tdm_error_memory(error, "a store", sizeof *store);
  store->path = tdm_string_copy(path);
  tdm_status status = TDM_OK;
  if (store->path == NULL) {
    status = tdm_error_memory(error, "a file name", strlen(path) + 1);
  } else if (sqlite3_open_v2(path, &store->database,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                             NULL) != SQLITE_OK) {
    status = tdm_error_set(error, TDM_IO, "cannot open the store %s: %s", path,
                           sqlite3_errmsg(store->database));
  } else {
    sqlite3_busy_timeout(store->database, TDM_STORE_BUSY_MS);
    status = tdm_store_schema(store->database, path, error);
  }
  if (status == TDM_OK) {
    /* Readers and a writer at once. Where the file system cannot, or another process is in the
     * way just now, SQLite stays with its rollback journal, which is as safe. */
    execute(store, "PRAGMA journal_mode=WAL");
    execute(store, "PRAGMA synchronous=NORMAL");
    *out = store;
  } else {
    tdm_store_close(store);
  }
  return status;
}

void tdm_store_close(tdm_store *store) {
  if (store == NULL) return;
  if (store->open_run != NULL) tdm_store_discard_run(store->open_run);
  for (int i = 0; i < PUT_STATEMENTS; i++) sqlite3_finalize(store->put[i]);
  sqlite3_close(store->database);
  free(store->path);
  free(store);
}

sqlite3 *tdm_store_database(tdm_store *store) {
  return store->database;
}

/* ---- finding runs ---- */

/* Rows of `sql` (ids), with `text` bound as ?1 when not NULL: copies the first, counts up to 2. */
static int find_ids(tdm_store *store, const char *sql, const char *text, char *id) {
  sqlite3_stmt *statement = NULL;
  int found = 0, code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
  if (code == SQLITE_OK && text != NULL)
    code = sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = SQLITE_ROW;
  while (code == SQLITE_ROW && found < 2) {
    code = sqlite3_step(statement);
    if (code != SQLITE_ROW) break;
    if (found++ == 0) {
      const char *value = (const char *)sqlite3_column_text(statement, 0);
      id[0] = 0;
      if (value != NULL) strncat(id, value, TDM_STORE_ID_LENGTH);
    }
  }
  sqlite3_finalize(statement);
  return code == SQLITE_ROW || code == SQLITE_DONE ? found : -1;
}

tdm_status tdm_store_find(tdm_store *store, const char *text, char id[TDM_STORE_ID_LENGTH + 1],
                          tdm_error *error) {
  int last = strcmp(text, "last") == 0;
  int found = last ? find_ids(store, "SELECT id FROM run ORDER BY number DESC LIMIT 1", NULL, id)
                   : find_ids(store,
                              "SELECT id FROM run WHERE substr(id, 1, length(?1)) = ?1"
                              " AND ?1 <> '' ORDER BY number LIMIT 2",
                              text, id);
  if (found == 1) return TDM_OK;
  if (found < 0)
    return tdm_error_set(error, TDM_IO, "cannot read the store %s: %s", store->path,
                         sqlite3_errmsg(store->database));
  if (found > 1)
    return tdm_error_set(error, TDM_INVALID, "'%s' names more than one run in %s: add digits", text,
                         store->path);
  if (last) return tdm_error_set(error, TDM_INVALID, "%s has no runs yet", store->path);
  return tdm_error_set(error, TDM_INVALID, "no run '%s' in %s", text, store->path);
}

/* ---- one run ---- */

/* Ids come from what the run is and its place in the file: the same runs into a fresh store get
 * the same ids. `attempt` gives another one when a digest is taken. */
static void make_id(const tdm_store_run *run, const tdm_run_info *info, uint64_t attempt,
                    char *id) {
  const char *hash = info->scenario_hash != NULL ? info->scenario_hash : "";
  tdm_stream stream = tdm_stream_named(info->seed, 0, hash);
  uint64_t bits = tdm_stream_bits(tdm_stream_child(stream, (uint64_t)run->number), attempt);
  for (int i = 0; i < TDM_STORE_ID_LENGTH; i++) id[i] = "0123456789abcdef"[bits >> (4 * i) & 15];
  id[TDM_STORE_ID_LENGTH] = 0;
}

static int bind_text(sqlite3_stmt *statement, int at, const char *text) {
  return sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC); /* NULL binds NULL */
}

static int insert_run(tdm_store_run *run, const tdm_run_info *info) {
  sqlite3_stmt *insert = NULL;
  int code = sqlite3_prepare_v2(
      run->store->database,
      "INSERT INTO run(number, id, name, scenario, scenario_hash, seed, version, state)"
      " VALUES(?7, ?1, ?2, ?3, ?4, ?5, ?6, 'interrupted')",
      -1, &insert, NULL);
  if (code == SQLITE_OK) {
    bind_text(insert, 1, run->id);
    bind_text(insert, 2, info->name != NULL ? info->name : "");
    bind_text(insert, 3, info->scenario);
    bind_text(insert, 4, info->scenario_hash);
    sqlite3_bind_int64(insert, 5, (sqlite3_int64)info->seed);
    bind_text(insert, 6, info->version);
    sqlite3_bind_int64(insert, 7, run->number);
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
  if (run == NULL) return tdm_error_memory(error, "a run", sizeof *run);
  run->store = store;
  int code = execute(store, "BEGIN IMMEDIATE");
  if (code != SQLITE_OK) {
    free(run);
    return store_failure(store, error);
  }
  store->open_run = run;
  for (int i = 0; i < PUT_STATEMENTS && code == SQLITE_OK; i++)
    if (store->put[i] == NULL)
      code = sqlite3_prepare_v3(store->database, put_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
                                &store->put[i], NULL);
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

/* Runs a bound statement once and makes it ready for the next row. */
static tdm_status put_row(tdm_store_run *run, sqlite3_stmt *statement, tdm_error *error) {
  if (sqlite3_step(statement) != SQLITE_DONE) {
    run->failed = 1;
    tdm_status status = store_failure(run->store, error);
    sqlite3_reset(statement);
    return status;
  }
  sqlite3_reset(statement);
  return TDM_OK;
}

static sqlite3_stmt *start_row(tdm_store_run *run, int which, sqlite3_int64 id) {
  sqlite3_stmt *statement = run->store->put[which];
  sqlite3_bind_int64(statement, 1, run->number);
  sqlite3_bind_int64(statement, 2, id);
  return statement;
}

static tdm_status put_track(void *context, const tdm_track *track, tdm_error *error) {
  tdm_store_run *run = context;
  sqlite3_stmt *row = start_row(run, PUT_TRACK, track->id);
  bind_text(row, 3, track->process);
  bind_text(row, 4, track->name);
  bind_text(row, 5, tdm_lane_name(track->lane));
  if (track->capacity > 0)
    sqlite3_bind_int64(row, 6, track->capacity);
  else
    sqlite3_bind_null(row, 6);
  return put_row(run, row, error);
}

static tdm_status put_name(void *context, uint32_t id, const char *name, tdm_error *error) {
  sqlite3_stmt *row = start_row(context, PUT_NAME, id);
  bind_text(row, 3, name);
  return put_row(context, row, error);
}

tdm_status tdm_store_run_class(tdm_store_run *run, uint32_t index, const char *name,
                               tdm_error *error) {
  sqlite3_stmt *row = start_row(run, PUT_CLASS, index);
  bind_text(row, 3, name);
  return put_row(run, row, error);
}

static tdm_status put_counter(void *context, uint32_t id, const char *name, const char *unit,
                              tdm_error *error) {
  sqlite3_stmt *row = start_row(context, PUT_COUNTER, id);
  bind_text(row, 3, name);
  bind_text(row, 4, unit);
  return put_row(context, row, error);
}

static tdm_status put_spans(void *context, const tdm_span_block *block, tdm_error *error) {
  tdm_store_run *run = context;
  for (uint32_t i = 0; i < block->count; i++) {
    sqlite3_stmt *row = start_row(run, PUT_SPAN, run->spans++);
    sqlite3_bind_int64(row, 3, block->start_ns[i]);
    sqlite3_bind_int64(row, 4, block->dur_ns[i]);
    sqlite3_bind_int64(row, 5, block->track[i]);
    sqlite3_bind_int64(row, 6, block->name[i]);
    sqlite3_bind_int64(row, 7, (sqlite3_int64)block->request[i]);
    sqlite3_bind_int64(row, 8, (sqlite3_int64)block->arg[i]);
    tdm_status status = put_row(run, row, error);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

static tdm_status put_samples(void *context, const tdm_counter_sample *samples, size_t count,
                              tdm_error *error) {
  tdm_store_run *run = context;
  for (size_t i = 0; i < count; i++) {
    sqlite3_stmt *row = start_row(run, PUT_SAMPLE, run->samples++);
    sqlite3_bind_int64(row, 3, samples[i].time_ns);
    sqlite3_bind_int64(row, 4, samples[i].counter);
    sqlite3_bind_double(row, 5, samples[i].value); /* SQLite turns NaN into NULL */
    tdm_status status = put_row(run, row, error);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

static tdm_status put_requests(void *context, const tdm_request_record *records, size_t count,
                               tdm_error *error) {
  tdm_store_run *run = context;
  for (size_t i = 0; i < count; i++) {
    const tdm_request_record *record = &records[i];
    sqlite3_stmt *row = start_row(run, PUT_REQUEST, (sqlite3_int64)record->request);
    sqlite3_bind_int64(row, 3, record->class_index);
    sqlite3_bind_int64(row, 4, record->arrival_ns);
    sqlite3_bind_int64(row, 5, record->end_ns);
    if (record->outcome == TDM_OUTCOME_OPEN) sqlite3_bind_null(row, 5);
    sqlite3_bind_int64(row, 6, record->gpu);
    if (record->gpu < 0) sqlite3_bind_null(row, 6);
    bind_text(row, 7, tdm_outcome_name(record->outcome));
    tdm_status status = put_row(run, row, error);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

void tdm_store_run_sink(tdm_store_run *run, tdm_sink *out) {
  *out = (tdm_sink){
      .context = run,
      .track = put_track,
      .name = put_name,
      .counter = put_counter,
      .spans = put_spans,
      .counters = put_samples,
      .requests = put_requests,
  };
}

/* What the trace's limit kept out, so that nobody takes a prefix for the whole. */
static tdm_status put_extent(tdm_store_run *run, tdm_trace_extent extent, tdm_error *error) {
  sqlite3_stmt *update = NULL;
  int code = sqlite3_prepare_v2(
      run->store->database,
      "UPDATE run SET spans_dropped = ?1, complete_until_ns = ?2 WHERE number = ?3", -1, &update,
      NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_int64(update, 1, (sqlite3_int64)extent.dropped);
    if (extent.dropped > 0) sqlite3_bind_int64(update, 2, extent.complete_until_ns);
    sqlite3_bind_int64(update, 3, run->number);
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

tdm_status tdm_store_run_trace(tdm_store_run *run, const tdm_trace *trace, tdm_error *error) {
  tdm_status status = TDM_OK;
  for (uint32_t i = 0; i < tdm_trace_classes(trace) && status == TDM_OK; i++)
    if (tdm_trace_class(trace, i) != NULL)
      status = tdm_store_run_class(run, i, tdm_trace_class(trace, i), error);
  if (status == TDM_OK) status = put_extent(run, tdm_trace_span_extent(trace), error);
  if (status != TDM_OK) return status;
  tdm_sink sink;
  tdm_store_run_sink(run, &sink);
  return tdm_trace_replay(trace, &sink, error);
}

static tdm_status finish_run(tdm_store_run *run, const char *state, const char *summary_json,
                             tdm_error *error) {
  tdm_store *store = run->store;
  if (run->failed) {
    tdm_store_discard_run(run);
    return tdm_error_set(error, TDM_IO, "the run was not stored: an earlier write to %s failed",
                         store->path);
  }
  sqlite3_stmt *update = NULL;
  int code = sqlite3_prepare_v2(store->database,
                                "UPDATE run SET state = ?1, summary_json = ?2 WHERE number = ?3",
                                -1, &update, NULL);
  if (code == SQLITE_OK) {
    bind_text(update, 1, state);
    bind_text(update, 2, summary_json);
    sqlite3_bind_int64(update, 3, run->number);
    code = sqlite3_step(update);
  }
  sqlite3_finalize(update);
  if (code == SQLITE_DONE) code = execute(store, "COMMIT");
  tdm_status status = code == SQLITE_OK ? TDM_OK : store_failure(store, error);
  tdm_store_discard_run(run); /* after a commit there is nothing left to roll back */
  return status;
}

tdm_status tdm_store_commit_run(tdm_store_run *run, const char *summary_json, tdm_error *error) {
  return finish_run(run, "complete", summary_json, error);
}

tdm_status tdm_store_abort_run(tdm_store_run *run, const char *summary_json, tdm_error *error) {
  return finish_run(run, "interrupted", summary_json, error);
}

void tdm_store_discard_run(tdm_store_run *run) {
  tdm_store *store = run->store;
  store->open_run = NULL;
  if (!sqlite3_get_autocommit(store->database)) execute(store, "ROLLBACK");
  free(run);
}
