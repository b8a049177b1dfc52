/* The reader of rocpd, rocprofv3's SQLite database.
 *
 * Tables are called rocpd_WHAT and a suffix for each recording; a merged file has several, and rows
 * of one bear its guid. Three layouts are known: a row has its process, thread, agent and times; it
 * has a track and times; it has a track and the numbers of its times. So columns are looked for,
 * one by one. Views are not used: they leave out rows without a region or an event. Command lines
 * and environments are not read. Called through tdm_readers. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/json/json.h"
#include "read/rocprof/inside.h"
#include "read/rocprof/rocpd_query.h"
#include "read/rocprof/tables.h"
#include "read/sqlite_file.h"

enum { PROGRESS_ROWS = 2048, SUFFIXES = 4096, JSON_BYTES = 2 << 20 };

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_rocprof out;
  tdm_rocprof_tables agents; /* of the recording in hand */
  tdm_rocprof_launches launches;
  tdm_rocpd schema; /* of the recording in hand */
  sqlite3_stmt *row;
  tdm_json *json;
  uint64_t rows, processes;
  char version[32];
  tdm_status status;
  tdm_error *error;
} job;

enum { FIRST_OWN = TDM_ROCPD_OWN };

/* ---- rows ---- */

static int64_t number(const job *j, int column) {
  return sqlite3_column_type(j->row, column) == SQLITE_INTEGER
             ? sqlite3_column_int64(j->row, column)
             : TDM_NONE;
}

static const char *text(const job *j, int column) {
  const char *said = (const char *)sqlite3_column_text(j->row, column);
  return said != NULL ? said : "";
}

static void each_row(job *j, sqlite3_str *sql, void (*take)(job *)) {
  char *query = sqlite3_str_finish(sql);
  int code = SQLITE_NOMEM;
  if (j->status != TDM_OK || query == NULL) {
    if (query == NULL) j->status = tdm_error_memory(j->error, "a query", 1);
    sqlite3_free(query);
    return;
  }
  tdm_sqlite_rows rows;
  if (tdm_sqlite_rows_open(j->schema.database, query, &rows) == SQLITE_OK)
    while (j->status == TDM_OK && (code = tdm_sqlite_rows_next(&rows)) == SQLITE_ROW) {
      j->row = rows.statement;
      take(j);
      if (++j->rows % PROGRESS_ROWS != 0) continue;
      if (tdm_recorder_failed(j->out.recorder)) break;
      j->status = tdm_read_progress(j->input, j->options, j->error);
    }
  if (j->status == TDM_OK && code != SQLITE_DONE && code != SQLITE_ROW)
    j->status = tdm_sqlite_file_failed(j->schema.database, tdm_input_path(j->input), j->error);
  tdm_sqlite_rows_close(&rows);
  j->row = NULL;
  sqlite3_free(query);
}

static void take_agent(job *j) {
  char key[48];
  bool gpu = strcmp(text(j, 1), "GPU") == 0;
  int64_t index = number(j, 2) != TDM_NONE ? number(j, 2) : number(j, 3);
  const char *product = "AMD GPU";
  for (int column = 6; column >= 4; column--)
    if (*text(j, column) != 0) product = text(j, column);
  tdm_rocprof_agent_put(&j->agents, number(j, 0), gpu, index != TDM_NONE ? index : 0, product);
  if (!gpu || index == TDM_NONE) return;
  snprintf(key, sizeof key, "gpu.%lld.name", (long long)index);
  tdm_record_fact(j->out.recorder, key, product);
}

static tdm_rocprof_time time_of(const job *j) {
  return (tdm_rocprof_time){number(j, TDM_ROCPD_START), number(j, TDM_ROCPD_END),
                            number(j, TDM_ROCPD_CORRELATION)};
}

static tdm_rocprof_place place_of(const job *j, const tdm_rocprof_agent *agent, int queue,
                                  int stream) {
  return (tdm_rocprof_place){.gpu = agent != NULL ? agent->heading : "AMD GPU",
                             .pid = number(j, TDM_ROCPD_PROCESS),
                             .device = agent != NULL ? agent->number : TDM_NONE,
                             .queue = number(j, queue),
                             .stream = number(j, stream)};
}

enum {
  AGENT = FIRST_OWN,
  QUEUE,
  STREAM,
  DISPATCH,
  KERNEL,
  PRIVATE,
  GROUP,
  SIZES,
  NAME = SIZES + 6
};

static void take_kernel(job *j) {
  char unnamed[48];
  const tdm_rocprof_agent *agent = tdm_rocprof_agent_of(&j->agents, number(j, AGENT));
  const char *name = *text(j, NAME) != 0 ? text(j, NAME) : text(j, NAME + 1);
  if (*name == 0) {
    snprintf(unnamed, sizeof unnamed, "kernel %lld", (long long)number(j, KERNEL));
    name = unnamed;
    tdm_record_problem(j->out.recorder, "kernels without a name", 1);
  }
  tdm_rocprof_dispatch dispatch = {
      .place = place_of(j, agent, QUEUE, STREAM),
      .time = time_of(j),
      .name = name,
      .name_length = strlen(name),
      .dispatch = number(j, DISPATCH),
      .kernel = number(j, KERNEL),
      .block = {number(j, SIZES), number(j, SIZES + 1), number(j, SIZES + 2)},
      .grid = {number(j, SIZES + 3), number(j, SIZES + 4), number(j, SIZES + 5)},
      .shared_bytes = number(j, GROUP),
      .scratch_bytes = number(j, PRIVATE),
      .vgpr = number(j, NAME + 2),
      .sgpr = number(j, NAME + 3)};
  tdm_rocprof_kernel(&j->out, &dispatch);
}

static void take_copy(job *j) {
  enum { FROM = FIRST_OWN, TO, COPY_QUEUE, COPY_STREAM, SIZE, DIRECTION };
  const tdm_rocprof_agent *from = tdm_rocprof_agent_of(&j->agents, number(j, FROM));
  const tdm_rocprof_agent *to = tdm_rocprof_agent_of(&j->agents, number(j, TO));
  tdm_rocprof_place place = place_of(j, to != NULL && to->gpu ? to : from, COPY_QUEUE, COPY_STREAM);
  tdm_rocprof_time time = time_of(j);
  const char *direction = text(j, DIRECTION);
  tdm_rocprof_copy(&j->out, &place, &time, *direction != 0 ? direction : "copy", number(j, SIZE));
}

/* Scratch is a kernel's own, and comes and goes with it. */
static void take_allocation(job *j) {
  enum { WHERE = FIRST_OWN, TYPE, LEVEL, ADDRESS, SIZE };
  const tdm_rocprof_agent *agent = tdm_rocprof_agent_of(&j->agents, number(j, WHERE));
  if (strcmp(text(j, LEVEL), "SCRATCH") == 0) {
    tdm_record_problem(j->out.recorder, "records of other kinds (left out)", 1);
    return;
  }
  tdm_rocprof_allocation allocation = {.place = place_of(j, agent, WHERE, WHERE),
                                       .time = time_of(j),
                                       .operation = text(j, TYPE),
                                       .address = number(j, ADDRESS),
                                       .bytes = number(j, SIZE),
                                       .host = agent != NULL && !agent->gpu,
                                       .known = agent != NULL};
  tdm_rocprof_allocate(&j->out, &allocation);
}

/* What the "message" of an event says; "" without one. Good until the next. */
static const char *message_of(job *j, const char *extdata, size_t length) {
  if (memmem(extdata, length, "\"message\"", 9) == NULL) return "";
  if (j->json == NULL && (j->json = tdm_json_new_text()) == NULL) {
    j->status = tdm_error_memory(j->error, "a text of JSON", length);
    return "";
  }
  tdm_json_text(j->json, extdata, length);
  if (tdm_json_next(j->json) != TDM_JSON_OBJECT) return "";
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    bool found = strcmp(tdm_json_value(j->json, NULL), "message") == 0;
    tdm_json_token value = found ? tdm_json_next(j->json) : TDM_JSON_NULL;
    if (value == TDM_JSON_STRING || value == TDM_JSON_NUMBER) return tdm_json_value(j->json, NULL);
    if (found) break;
    tdm_json_skip(j->json);
  }
  return "";
}

/* A marker's words are in its event's extdata. */
static void take_region(job *j) {
  tdm_rocprof_time time = time_of(j);
  const char *extdata = text(j, FIRST_OWN + 1);
  const char *name = message_of(j, extdata, (size_t)sqlite3_column_bytes(j->row, FIRST_OWN + 1));
  if (*name == 0) name = text(j, FIRST_OWN);
  tdm_rocprof_call(&j->out, text(j, TDM_ROCPD_CATEGORY), *name != 0 ? name : "call",
                   number(j, TDM_ROCPD_PROCESS), number(j, TDM_ROCPD_THREAD), &time);
}

static void take_sample(job *j) {
  if (strncmp(text(j, TDM_ROCPD_CATEGORY), "MARKER", 6) == 0)
    take_region(j);
  else
    tdm_record_problem(j->out.recorder, "samples (left out)", 1);
}

static void take_counter(job *j) {
  enum { LAUNCH, VALUE, SHOWN, MANGLED, SYMBOL, COUNTER, UNIT };
  const char *kernel = *text(j, SHOWN) != 0 ? text(j, SHOWN) : text(j, MANGLED);
  if (*kernel == 0 || sqlite3_column_type(j->row, VALUE) == SQLITE_NULL) {
    tdm_record_problem(j->out.recorder, "counters of no kernel (left out)", 1);
    return;
  }
  tdm_metric metric = {.scope = "kernel",
                       .subject = kernel,
                       .ordinal = tdm_rocprof_launch_of(&j->launches, kernel, number(j, LAUNCH)),
                       .name = *text(j, SYMBOL) != 0 ? text(j, SYMBOL) : text(j, COUNTER),
                       .unit = *text(j, UNIT) != 0 ? text(j, UNIT) : NULL,
                       .value = sqlite3_column_double(j->row, VALUE)};
  tdm_record_metric(j->out.recorder, &metric);
}

/* ---- tables ---- */

static void name_of(const job *j, sqlite3_str *sql, const char *alias, const char *what,
                    const char *column) {
  tdm_rocpd_select_text(&j->schema, sql, alias, what, column, TDM_ROCPD_TEXT);
}

static void read_agents(job *j) {
  static const char *const columns[] = {"type",         "type_index", "logical_index",
                                        "product_name", "model_name", "name"};
  if (!tdm_rocpd_has(&j->schema, "info_agent", "id")) return;
  sqlite3_str *sql = sqlite3_str_new(j->schema.database);
  sqlite3_str_appendall(sql, "SELECT X.id");
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (i == 1 || i == 2)
      tdm_rocpd_select_column(&j->schema, sql, "X", "info_agent", columns[i]);
    else
      name_of(j, sql, "X", "info_agent", columns[i]);
  sqlite3_str_appendf(sql, " FROM \"rocpd_info_agent%w\" AS X ORDER BY X.id", j->schema.suffix);
  each_row(j, sql, take_agent);
}

static void read_kernels(job *j) {
  static const char *const columns[] = {
      "dispatch_id",      "kernel_id",        "private_segment_size", "group_segment_size",
      "workgroup_size_x", "workgroup_size_y", "workgroup_size_z",     "grid_size_x",
      "grid_size_y",      "grid_size_z"};
  static const char *const symbols[] = {"display_name", "kernel_name", "arch_vgpr_count",
                                        "sgpr_count"};
  tdm_rocpd_layout of = tdm_rocpd_layout_of(&j->schema, "kernel_dispatch");
  if (!tdm_rocpd_has(&j->schema, of.what, "id")) return;
  sqlite3_str *sql = sqlite3_str_new(j->schema.database);
  tdm_rocpd_select_common(&j->schema, sql, &of, "start", "end");
  tdm_rocpd_select_place(&j->schema, sql, &of, "agent_id");
  tdm_rocpd_select_place(&j->schema, sql, &of, "queue_id");
  tdm_rocpd_select_place(&j->schema, sql, &of, "stream_id");
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    tdm_rocpd_select_column(&j->schema, sql, "X", of.what, columns[i]);
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (i < 2)
      name_of(j, sql, "S", "info_kernel_symbol", symbols[i]);
    else
      tdm_rocpd_select_column(&j->schema, sql, "S", "info_kernel_symbol", symbols[i]);
  tdm_rocpd_from_common(&j->schema, sql, &of, "start", "end");
  tdm_rocpd_join(&j->schema, sql, "info_kernel_symbol", "S", "X.kernel_id");
  each_row(j, sql, take_kernel);
}

static void read_copies(job *j) {
  tdm_rocpd_layout of = tdm_rocpd_layout_of(&j->schema, "memory_copy");
  if (!tdm_rocpd_has(&j->schema, of.what, "id")) return;
  sqlite3_str *sql = sqlite3_str_new(j->schema.database);
  tdm_rocpd_select_common(&j->schema, sql, &of, "start", "end");
  tdm_rocpd_select_column(&j->schema, sql, "X", of.what, "src_agent_id");
  tdm_rocpd_select_column(&j->schema, sql, "X", of.what, "dst_agent_id");
  tdm_rocpd_select_place(&j->schema, sql, &of, "queue_id");
  tdm_rocpd_select_place(&j->schema, sql, &of, "stream_id");
  tdm_rocpd_select_column(&j->schema, sql, "X", of.what, "size");
  name_of(j, sql, "N", "string", "string");
  tdm_rocpd_from_common(&j->schema, sql, &of, "start", "end");
  tdm_rocpd_join(&j->schema, sql, "string", "N", "X.name_id");
  each_row(j, sql, take_copy);
}

static void read_allocations(job *j) {
  static const char *const columns[] = {"type", "level", "address", "size"};
  tdm_rocpd_layout of = tdm_rocpd_layout_of(&j->schema, "memory_allocate");
  if (!tdm_rocpd_has(&j->schema, of.what, "id")) return;
  sqlite3_str *sql = sqlite3_str_new(j->schema.database);
  tdm_rocpd_select_common(&j->schema, sql, &of, "start", "end");
  tdm_rocpd_select_place(&j->schema, sql, &of, "agent_id");
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (i < 2)
      name_of(j, sql, "X", of.what, columns[i]);
    else
      tdm_rocpd_select_column(&j->schema, sql, "X", of.what, columns[i]);
  tdm_rocpd_from_common(&j->schema, sql, &of, "start", "end");
  sqlite3_str_appendall(sql, " ORDER BY 1");
  each_row(j, sql, take_allocation);
}

static void read_regions(job *j, const char *what, const char *begins, const char *ends,
                         void (*take)(job *)) {
  tdm_rocpd_layout of = tdm_rocpd_layout_of(&j->schema, what);
  if (!tdm_rocpd_has(&j->schema, of.what, "id")) return;
  bool named =
      tdm_rocpd_has(&j->schema, what, "name_id") && tdm_rocpd_has(&j->schema, "string", "string");
  bool event = tdm_rocpd_has(&j->schema, what, "event_id") &&
               tdm_rocpd_has(&j->schema, "event", "correlation_id");
  sqlite3_str *sql = sqlite3_str_new(j->schema.database);
  tdm_rocpd_select_common(&j->schema, sql, &of, begins, ends);
  if (named)
    name_of(j, sql, "N", "string", "string");
  else
    sqlite3_str_appendall(sql, ",NULL");
  if (event && tdm_rocpd_has(&j->schema, "event", "extdata"))
    tdm_rocpd_select_text(&j->schema, sql, "E", "event", "extdata", JSON_BYTES);
  else
    sqlite3_str_appendall(sql, ",NULL");
  tdm_rocpd_from_common(&j->schema, sql, &of, begins, ends);
  if (named) tdm_rocpd_join(&j->schema, sql, "string", "N", "X.name_id");
  each_row(j, sql, take);
}

static void read_counters(job *j) {
  if (!tdm_rocpd_has(&j->schema, "pmc_event", "pmc_id") ||
      !tdm_rocpd_has(&j->schema, "info_pmc", "name") ||
      !tdm_rocpd_has(&j->schema, "kernel_dispatch", "event_id"))
    return;
  sqlite3_str *sql = sqlite3_str_new(j->schema.database);
  sqlite3_str_appendall(sql, "SELECT K.dispatch_id,X.value");
  name_of(j, sql, "S", "info_kernel_symbol", "display_name");
  name_of(j, sql, "S", "info_kernel_symbol", "kernel_name");
  name_of(j, sql, "I", "info_pmc", "symbol");
  name_of(j, sql, "I", "info_pmc", "name");
  name_of(j, sql, "I", "info_pmc", "units");
  sqlite3_str_appendf(sql,
                      " FROM \"rocpd_pmc_event%w\" AS X LEFT JOIN \"rocpd_kernel_dispatch%w\" AS K "
                      "ON K.event_id = X.event_id AND K.guid = X.guid",
                      j->schema.suffix, j->schema.suffix);
  tdm_rocpd_join(&j->schema, sql, "info_kernel_symbol", "S", "K.kernel_id");
  tdm_rocpd_join(&j->schema, sql, "info_pmc", "I", "X.pmc_id");
  sqlite3_str_appendall(sql, " ORDER BY K.id,X.id");
  each_row(j, sql, take_counter);
}

static void take_host(job *j) {
  if (*text(j, 1) != 0) tdm_record_fact(j->out.recorder, "host.name", text(j, 1));
  if (*text(j, 2) != 0) tdm_record_fact(j->out.recorder, "system.os", text(j, 2));
}

static void take_schema(job *j) {
  snprintf(j->version, sizeof j->version, "%.31s", text(j, 1));
}

static void take_process(job *j) {
  j->processes++;
}

static void read_about(job *j) {
  sqlite3_str *sql;
  if (tdm_rocpd_has(&j->schema, "metadata", "tag") &&
      tdm_rocpd_has(&j->schema, "metadata", "value")) {
    sql = sqlite3_str_new(j->schema.database);
    sqlite3_str_appendall(sql, "SELECT NULL");
    tdm_rocpd_select_text(&j->schema, sql, "X", "metadata", "value", sizeof j->version);
    sqlite3_str_appendf(sql, " FROM \"rocpd_metadata%w\" AS X WHERE tag='schema_version'",
                        j->schema.suffix);
    each_row(j, sql, take_schema);
  }
  if (tdm_rocpd_has(&j->schema, "info_node", "hostname") &&
      tdm_rocpd_has(&j->schema, "info_node", "release")) {
    sql = sqlite3_str_new(j->schema.database);
    sqlite3_str_appendall(sql, "SELECT NULL");
    name_of(j, sql, "X", "info_node", "hostname");
    name_of(j, sql, "X", "info_node", "release");
    sqlite3_str_appendf(sql, " FROM \"rocpd_info_node%w\" AS X", j->schema.suffix);
    each_row(j, sql, take_host);
  }
  if (tdm_rocpd_has(&j->schema, "info_process", "pid")) {
    sql = sqlite3_str_new(j->schema.database);
    sqlite3_str_appendf(sql, "SELECT pid FROM \"rocpd_info_process%w\"", j->schema.suffix);
    each_row(j, sql, take_process);
  }
}

/* ---- recordings ---- */

static void read_recording(job *j, const char *suffix) {
  j->schema.suffix = suffix;
  tdm_rocprof_tables_free(&j->agents);
  read_about(j);
  read_agents(j);
  read_regions(j, "region", "start", "end", take_region);
  read_regions(j, "sample", "timestamp", "timestamp", take_sample);
  read_kernels(j);
  read_copies(j);
  read_allocations(j);
  if (j->status == TDM_OK) read_counters(j);
  if (j->status == TDM_OK && (j->agents.failed || j->launches.failed))
    j->status = tdm_error_memory(j->error, "names of rocpd", j->launches.room);
}

/* Every suffix of a table of strings is a recording. */
static void read_recordings(job *j) {
  static const char query[] =
      "SELECT substr(name,13) FROM sqlite_master WHERE type='table' AND "
      "rootpage>0 AND name LIKE 'rocpd\\_string%' ESCAPE '\\' ORDER BY name";
  char **suffixes = NULL;
  size_t count = 0, room = 0;
  sqlite3_stmt *names = NULL;
  int code = sqlite3_prepare_v2(j->schema.database, query, -1, &names, NULL);
  while (code == SQLITE_OK && count < SUFFIXES && sqlite3_step(names) == SQLITE_ROW) {
    const char *said = (const char *)sqlite3_column_text(names, 0);
    char *suffix = tdm_string_copy(said != NULL ? said : "");
    if (suffix == NULL || !tdm_array_grow(&suffixes, &room, count + 1, sizeof *suffixes)) {
      free(suffix);
      j->status = tdm_error_memory(j->error, "a list of recordings", count);
      break;
    }
    suffixes[count++] = suffix;
  }
  sqlite3_finalize(names);
  if (code != SQLITE_OK)
    j->status = tdm_sqlite_file_failed(j->schema.database, tdm_input_path(j->input), j->error);
  size_t recordings = 0;
  for (size_t i = 0; i < count && j->status == TDM_OK; i++) {
    j->schema.suffix = suffixes[i];
    if (!tdm_rocpd_has(&j->schema, "string", "guid")) continue;
    recordings++;
    read_recording(j, suffixes[i]);
  }
  for (size_t i = 0; i < count; i++) free(suffixes[i]);
  free(suffixes);
  if (j->status == TDM_OK && recordings == 0)
    j->status =
        tdm_error_set(j->error, TDM_INVALID,
                      "%s is an SQLite file, but none of rocprofv3's: it has no rocpd_string "
                      "tables with guids",
                      tdm_input_path(j->input));
}

static tdm_status read_rocpd(tdm_input *input, const tdm_read_options *options,
                             tdm_recorder *recorder, tdm_error *error) {
  const char *where;
  char detail[96];
  bool settled;
  job j = {.input = input, .options = options, .error = error};
  j.status = tdm_input_file(input, &where, error);
  if (j.status != TDM_OK) return j.status;
  tdm_rocprof_open(&j.out, recorder, options);
  j.status =
      tdm_sqlite_file_open(where, tdm_input_path(input), &j.schema.database, &settled, error);
  if (j.status == TDM_OK) read_recordings(&j);
  snprintf(detail, sizeof detail, "rocpd%s%s, %llu process%s", *j.version != 0 ? ", schema " : "",
           j.version, (unsigned long long)j.processes, j.processes == 1 ? "" : "es");
  tdm_recorder_detail(recorder, detail);
  sqlite3_close(j.schema.database);
  tdm_json_free(j.json);
  tdm_rocprof_tables_free(&j.agents);
  tdm_rocprof_launches_free(&j.launches);
  tdm_rocprof_close(&j.out);
  return j.status;
}

static int detect_rocpd(const unsigned char *head, size_t length, const char *path) {
  static const char magic[] = "SQLite format 3";
  (void)path;
  if (length < sizeof magic || memcmp(head, magic, sizeof magic) != 0) return 0;
  return memmem(head, length, "rocpd_string", 12) != NULL ? 92 : 0;
}

const tdm_reader tdm_reader_rocpd = {.name = "rocpd",
                                     .title = "rocprofv3 SQLite database (rocpd, ROCm)",
                                     .accepts = "*_results.db",
                                     .detect = detect_rocpd,
                                     .read = read_rocpd};
