/* The writer of Nsight Systems' SQLite layout (schema 3.25), as `nsys export --type sqlite` makes
 * it: what reads those exports reads this file too.
 *
 * Rows go where their category has a table (tables.c); what has none is counted and told to
 * the caller. The database is made in the temporary file of an outfile, so that it too appears when
 * it is complete. Owns nothing beyond the call. */
#include "write/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/outfile.h"
#include "trace/recorder.h"
#include "write/nsys/inside.h"

enum { MARK = 34, PUSH_POP = 59, START_END = 60, DOMAIN_CREATE = 75 };

/* ---- SQL ---- */

static tdm_status failed(tdm_to_nsys_out *out) {
  return tdm_error_set(out->error, TDM_IO, "cannot write the trace: %s",
                       sqlite3_errmsg(out->database));
}

tdm_status tdm_to_nsys_run(tdm_to_nsys_out *out, const char *sql) {
  return sqlite3_exec(out->database, sql, NULL, NULL, NULL) == SQLITE_OK ? TDM_OK : failed(out);
}

tdm_status tdm_to_nsys_prepare(tdm_to_nsys_out *out, const char *sql, sqlite3_stmt **statement) {
  return sqlite3_prepare_v2(out->database, sql, -1, statement, NULL) == SQLITE_OK ? TDM_OK
                                                                                  : failed(out);
}

tdm_status tdm_to_nsys_step(tdm_to_nsys_out *out, sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? TDM_OK : failed(out);
}

/* The id of a name in StringIds. 0: failed, or no name. */
static int64_t string_id(tdm_to_nsys_out *out, int64_t name) {
  size_t length;
  if (name < 0 || name >= tdm_recording_names(out->recording)) return 0;
  if (out->string_of[name] != 0) return out->string_of[name];
  const char *text = tdm_recording_name(out->recording, name, &length);
  if (text == NULL) return 0;
  sqlite3_bind_int64(out->put_string, 1, out->strings + 1);
  sqlite3_bind_text64(out->put_string, 2, text, length, SQLITE_STATIC, SQLITE_UTF8);
  if (tdm_to_nsys_step(out, out->put_string) != TDM_OK) return 0;
  return out->string_of[name] = ++out->strings;
}

/* ---- domains of ranges ---- */

/* One domain of one process; its number is its position in the list, + 1: 0 is the default one. */
typedef struct {
  int64_t global_pid;
  const char *name;
} domain;

typedef struct {
  domain *items;
  size_t count, room;
  sqlite3_stmt *create;
} domains;

static tdm_status create_domain(tdm_to_nsys_out *out, domains *all, const tdm_to_nsys_track *track,
                                const char *name, int64_t start_ns) {
  if (!tdm_array_grow(&all->items, &all->room, all->count + 1, sizeof *all->items))
    return tdm_error_memory(out->error, "domains", all->count);
  if (all->create == NULL) {
    tdm_status status = tdm_to_nsys_prepare(
        out,
        "INSERT INTO NVTX_EVENTS(start, eventType, text, globalTid, domainId) VALUES(?,?,?,?,?)",
        &all->create);
    if (status != TDM_OK) return status;
  }
  all->items[all->count++] = (domain){track->global_pid, name};
  sqlite3_bind_int64(all->create, 1, start_ns);
  sqlite3_bind_int(all->create, 2, DOMAIN_CREATE);
  sqlite3_bind_text(all->create, 3, name, -1, SQLITE_STATIC);
  sqlite3_bind_int64(all->create, 4, track->global_tid);
  sqlite3_bind_int64(all->create, 5, (int64_t)all->count);
  return tdm_to_nsys_step(out, all->create);
}

/* -1: failed. */
static int64_t domain_of(tdm_to_nsys_out *out, domains *all, const tdm_to_nsys_track *track,
                         const char *name, int64_t start_ns) {
  if (name == NULL || name[0] == 0) return 0;
  for (size_t i = 0; i < all->count; i++)
    if (all->items[i].global_pid == track->global_pid && strcmp(all->items[i].name, name) == 0)
      return (int64_t)i + 1;
  return create_domain(out, all, track, name, start_ns) == TDM_OK ? (int64_t)all->count : -1;
}

/* ---- rows ---- */

/* Rows of one layout on their way into a table. */
typedef struct {
  const tdm_to_nsys_table *table;
  const tdm_layout *layout;
  const tdm_kept_rows *rows;
  int class;
  uint32_t arg[NSYS_COLUMNS]; /* by column of the table; 0: none */
  uint32_t domain;            /* argument */
  sqlite3_stmt *insert;
} route;

static bool fits_source(tdm_to_nsys_source source, tdm_arg_type type) {
  switch (source) {
  case NSYS_NUMBER:
  case NSYS_OTHER_THREAD: return type == TDM_ARG_INT || type == TDM_ARG_BOOL;
  case NSYS_REAL: return type == TDM_ARG_REAL;
  case NSYS_JSON: return type == TDM_ARG_JSON || type == TDM_ARG_TEXT;
  case NSYS_WORD:
  case NSYS_STRING:
  case NSYS_TEXT: return type == TDM_ARG_TEXT || type == TDM_ARG_JSON;
  default: return false;
  }
}

static void find_arguments(route *r) {
  for (uint32_t c = 0; c < r->table->count; c++) {
    const tdm_to_nsys_column *column = &r->table->columns[c];
    uint32_t at = column->key != NULL ? tdm_layout_column(r->layout, column->key) : 0;
    if (at != 0 && fits_source(column->source, r->layout->arg[at - TDM_ARGS].type)) r->arg[c] = at;
  }
  uint32_t at = tdm_layout_column(r->layout, "domain");
  if (at != 0 && r->layout->arg[at - TDM_ARGS].type == TDM_ARG_TEXT) r->domain = at;
}

static int64_t word_of(tdm_to_nsys_out *out, int words, int64_t name) {
  const char *text = tdm_recording_name(out->recording, name, NULL);
  for (size_t i = 0; text != NULL && i < tdm_to_nsys_enums[words].count; i++)
    if (strcmp(tdm_to_nsys_enums[words].words[i].word, text) == 0)
      return tdm_to_nsys_enums[words].words[i].id;
  out->unknown_words += text != NULL;
  return TDM_NONE;
}

static void bind_text(const tdm_to_nsys_out *out, sqlite3_stmt *statement, int at, int64_t name) {
  size_t length = 0;
  const char *text = tdm_recording_name(out->recording, name, &length);
  if (text == NULL)
    sqlite3_bind_null(statement, at);
  else
    sqlite3_bind_text64(statement, at, text, length, SQLITE_STATIC, SQLITE_UTF8);
}

static int range_type(tdm_shape shape) {
  return shape == TDM_SHAPE_ASYNC ? START_END : shape == TDM_SHAPE_INSTANT ? MARK : PUSH_POP;
}

/* Annotations that are not NVTX's have a domain of their category's name. */
static const char *domain_name(const tdm_to_nsys_out *out, const route *r, size_t row) {
  if (r->domain != 0 && tdm_kept(r->rows, r->domain, row) >= 0)
    return tdm_recording_name(out->recording, tdm_kept(r->rows, r->domain, row), NULL);
  return r->class > 0 ? r->layout->category : NULL;
}

static void bind_argument(tdm_to_nsys_out *out, const route *r, uint32_t c, size_t row,
                          const tdm_to_nsys_track *track) {
  const tdm_to_nsys_column *column = &r->table->columns[c];
  int at = (int)c + 1;
  int64_t value = r->arg[c] != 0 ? tdm_kept(r->rows, r->arg[c], row) : TDM_NONE;
  int64_t string;
  switch (column->source) {
  case NSYS_NUMBER: tdm_to_nsys_bind(r->insert, at, value); break;
  case NSYS_OTHER_THREAD:
    tdm_to_nsys_bind(r->insert, at,
                     value >= 0 && value <= 0xffffff ? track->global_pid | value : TDM_NONE);
    break;
  case NSYS_REAL:
    if (r->arg[c] == 0 || isnan(tdm_record_double(value)))
      sqlite3_bind_null(r->insert, at);
    else
      sqlite3_bind_double(r->insert, at, tdm_record_double(value));
    break;
  case NSYS_WORD: tdm_to_nsys_bind(r->insert, at, word_of(out, column->words, value)); break;
  case NSYS_STRING:
    string = string_id(out, value);
    if (string == 0 && column->or_name) string = string_id(out, tdm_kept(r->rows, TDM_NAME, row));
    tdm_to_nsys_bind(r->insert, at, string != 0 ? string : TDM_NONE);
    break;
  case NSYS_TEXT:
  case NSYS_JSON: bind_text(out, r->insert, at, value); break;
  default: sqlite3_bind_null(r->insert, at); break;
  }
}

static tdm_status put_row(tdm_to_nsys_out *out, const route *r, domains *all, size_t row) {
  const tdm_to_nsys_track *track = &out->tracks.track[tdm_kept(r->rows, TDM_TRACK, row)];
  int64_t start_ns, end_ns, number;
  if (__builtin_add_overflow(tdm_kept(r->rows, TDM_START, row), track->offset_ns, &start_ns))
    start_ns = tdm_kept(r->rows, TDM_START, row);
  if (__builtin_add_overflow(start_ns, tdm_kept(r->rows, TDM_DUR, row), &end_ns))
    end_ns = INT64_MAX;
  for (uint32_t c = 0; c < r->table->count; c++) {
    int at = (int)c + 1;
    switch (r->table->columns[c].source) {
    case NSYS_START: sqlite3_bind_int64(r->insert, at, start_ns); break;
    case NSYS_END:
      tdm_to_nsys_bind(r->insert, at,
                       r->layout->shape == TDM_SHAPE_OPEN || r->layout->shape == TDM_SHAPE_INSTANT
                           ? TDM_NONE
                           : end_ns);
      break;
    case NSYS_DEVICE: tdm_to_nsys_bind(r->insert, at, track->device); break;
    case NSYS_CONTEXT: tdm_to_nsys_bind(r->insert, at, track->context); break;
    case NSYS_STREAM: tdm_to_nsys_bind(r->insert, at, track->stream); break;
    case NSYS_PROCESS: sqlite3_bind_int64(r->insert, at, track->global_pid); break;
    case NSYS_THREAD: sqlite3_bind_int64(r->insert, at, track->global_tid); break;
    case NSYS_NAME:
      number = string_id(out, tdm_kept(r->rows, TDM_NAME, row));
      tdm_to_nsys_bind(r->insert, at, number != 0 ? number : TDM_NONE);
      break;
    case NSYS_NAME_TEXT: bind_text(out, r->insert, at, tdm_kept(r->rows, TDM_NAME, row)); break;
    case NSYS_CLASS: sqlite3_bind_int(r->insert, at, r->class); break;
    case NSYS_RANGE_TYPE: sqlite3_bind_int(r->insert, at, range_type(r->layout->shape)); break;
    case NSYS_DOMAIN:
      number = domain_of(out, all, track, domain_name(out, r, row), start_ns);
      if (number < 0) return failed(out);
      sqlite3_bind_int64(r->insert, at, number);
      break;
    default: bind_argument(out, r, c, row, track); break;
    }
  }
  if (out->first_ns == TDM_NONE || start_ns < out->first_ns) out->first_ns = start_ns;
  if (out->last_ns == TDM_NONE || end_ns > out->last_ns) out->last_ns = end_ns;
  return tdm_to_nsys_step(out, r->insert);
}

/* "a, b, c" in double quotes, behind `head`; "?" for each when `marks`. */
static void table_sql(const tdm_to_nsys_table *table, bool marks, char *sql, size_t room) {
  size_t length = (size_t)snprintf(sql, room, marks ? "INSERT INTO %s VALUES(" : "CREATE TABLE %s(",
                                   table->name);
  for (uint32_t c = 0; c < table->count && length < room; c++) {
    const tdm_to_nsys_column *column = &table->columns[c];
    bool text = column->source == NSYS_NAME_TEXT || column->source == NSYS_TEXT ||
                column->source == NSYS_JSON;
    const char *type = text ? "TEXT" : column->source == NSYS_REAL ? "REAL" : "INTEGER";
    if (marks)
      length += (size_t)snprintf(sql + length, room - length, c > 0 ? ",?" : "?");
    else
      length += (size_t)snprintf(sql + length, room - length, "%s\"%s\" %s", c > 0 ? ", " : "",
                                 column->name, type);
  }
  if (length < room) snprintf(sql + length, room - length, ")");
}

/* Tables are made when they get their first row: one that is missing had none. */
static tdm_status open_table(tdm_to_nsys_out *out, const tdm_to_nsys_table *table,
                             sqlite3_stmt **insert) {
  char sql[4096];
  table_sql(table, false, sql, sizeof sql);
  tdm_status status = tdm_to_nsys_run(out, sql);
  table_sql(table, true, sql, sizeof sql);
  return status == TDM_OK ? tdm_to_nsys_prepare(out, sql, insert) : status;
}

static tdm_status put_layout(tdm_to_nsys_out *out, route *r, domains *all) {
  tdm_status status = TDM_OK;
  find_arguments(r);
  for (size_t row = 0; row < r->rows->count && status == TDM_OK; row++) {
    int64_t track = tdm_kept(r->rows, TDM_TRACK, row);
    if (track >= 0 && track < out->tracks.count) status = put_row(out, r, all, row);
  }
  return status;
}

static tdm_status put_tables(tdm_to_nsys_out *out) {
  tdm_status status = TDM_OK;
  domains all = {0};
  for (const tdm_to_nsys_table *table = tdm_to_nsys_tables; table->name != NULL && status == TDM_OK;
       table++) {
    sqlite3_stmt *insert = NULL;
    for (uint32_t l = 0; l < tdm_recording_layouts(out->recording) && status == TDM_OK; l++) {
      const tdm_layout *layout = tdm_recording_layout(out->recording, l);
      int which;
      if (layout == NULL || tdm_to_nsys_table_of(layout->category, &which) != table ||
          layout->shape == TDM_SHAPE_EDGE || layout->shape == TDM_SHAPE_SAMPLE)
        continue;
      route r = {.table = table,
                 .layout = layout,
                 .rows = tdm_recording_rows(out->recording, l),
                 .class = which};
      if (r.rows->count == 0) continue;
      if (insert == NULL) status = open_table(out, table, &insert);
      r.insert = insert;
      if (status == TDM_OK) status = put_layout(out, &r, &all);
    }
    sqlite3_finalize(insert);
  }
  sqlite3_finalize(all.create);
  free(all.items);
  return status;
}

/* ---- the whole ---- */

static tdm_status open_strings(tdm_to_nsys_out *out) {
  uint32_t names = tdm_recording_names(out->recording);
  out->string_of = tdm_array_new(names, sizeof *out->string_of);
  if (out->string_of == NULL)
    return tdm_error_memory(out->error, "the names of a trace", names * sizeof *out->string_of);
  tdm_status status = tdm_to_nsys_run(
      out, "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
  return status == TDM_OK
             ? tdm_to_nsys_prepare(out, "INSERT INTO StringIds VALUES(?,?)", &out->put_string)
             : status;
}

static tdm_status fill(tdm_to_nsys_out *out, const char *path) {
  if (sqlite3_open_v2(path, &out->database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
    return failed(out);
  /* Nobody else knows the file, and after a failure it is removed. */
  tdm_status status =
      tdm_to_nsys_run(out, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  if (status == TDM_OK) status = tdm_to_nsys_tracks_open(&out->tracks, out->recording, out->error);
  if (status == TDM_OK) status = open_strings(out);
  if (status == TDM_OK) status = put_tables(out);
  if (status == TDM_OK && out->first_ns == TDM_NONE)
    status = tdm_error_set(out->error, TDM_INVALID,
                           "nothing in the run has a place in this format (a simulated run has, "
                           "with --as-captured)");
  if (status == TDM_OK) status = tdm_to_nsys_target_put(out);
  if (status == TDM_OK) status = tdm_to_nsys_run(out, "COMMIT");
  sqlite3_finalize(out->put_string);
  free(out->string_of);
  tdm_to_nsys_tracks_close(&out->tracks);
  return status;
}

static tdm_status write_nsys(const tdm_recording *recording, const char *path,
                             const tdm_write_options *options, tdm_error *error) {
  tdm_to_nsys_out out = {.recording = recording,
                         .options = options,
                         .first_ns = TDM_NONE,
                         .last_ns = TDM_NONE,
                         .error = error};
  tdm_outfile *file = tdm_array_new(1, sizeof *file);
  if (file == NULL) return tdm_error_memory(error, "writing a trace", sizeof *file);
  tdm_status status = tdm_outfile_open(file, path, error);
  if (status == TDM_OK) {
    status = file->temporary != NULL
                 ? fill(&out, file->temporary)
                 : tdm_error_set(error, TDM_INVALID,
                                 "an SQLite file cannot be written to %s: name a file", path);
    if (sqlite3_close(out.database) != SQLITE_OK && status == TDM_OK) status = failed(&out);
    if (status == TDM_OK)
      status = tdm_outfile_commit(file, error);
    else
      tdm_outfile_abort(file);
  }
  free(file);
  if (status == TDM_OK) tdm_to_nsys_note_left_out(&out);
  return status;
}

const tdm_writer tdm_writer_nsys = {.name = "nsys",
                                    .title = "Nsight Systems SQLite export",
                                    .ending = ".sqlite",
                                    .write = write_nsys};
