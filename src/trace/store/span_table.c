/* Three eponymous virtual tables over one cursor. See store.h.
 *
 * The planner's constraints become a tdm_scan_filter; SQLite checks rows itself afterwards, but for
 * `run`, which is exact. */
#include "trace/store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/store/inside.h"
#include "trace/store/scan.h"

typedef enum { TABLE_SPAN, TABLE_EDGE, TABLE_COUNTER, TABLES } table_kind;

enum {
  RUN,
  ID,
  SPAN_START,
  SPAN_DUR,
  SPAN_END,
  SPAN_CATEGORY,
  SPAN_NAME,
  SPAN_TRACK,
  SPAN_LANE,
  SPAN_SHAPE,
  SPAN_DEVICE,
  SPAN_STREAM,
  SPAN_PID,
  SPAN_TID,
  SPAN_CORRELATION,
  SPAN_BYTES,
  SPAN_KIND,
  SPAN_REQUEST,
  SPAN_BATCH,
  SPAN_SOURCE,
  SPAN_ARGS
};
enum { EDGE_KIND = 2, EDGE_FROM_NS, EDGE_FROM_TRACK, EDGE_TO_NS, EDGE_TO_TRACK, EDGE_FLOW };
enum { COUNTER_TIME = 2, COUNTER_TRACK, COUNTER_NAME, COUNTER_VALUE, COUNTER_UNIT };

/* Span columns that are arguments of a layout, by key. */
enum { KEYS = SPAN_BATCH - SPAN_CORRELATION + 1 };
static const char *const keys[KEYS] = {"correlation", "bytes", "kind", "request", "batch"};

static const struct {
  const char *sql;
  uint32_t shapes;
  int start, end, category, track; /* columns; -1: none */
} tables[TABLES] = {
    {"CREATE TABLE x(run INTEGER, id INTEGER, start_ns INTEGER, dur_ns INTEGER, end_ns INTEGER,"
     " category TEXT, name TEXT, track INTEGER, lane TEXT, shape TEXT, device INTEGER,"
     " stream INTEGER, pid INTEGER, tid INTEGER, correlation INTEGER, bytes INTEGER, kind TEXT,"
     " request INTEGER, batch INTEGER, source INTEGER, args TEXT)",
     TDM_STORE_SPAN_SHAPES, SPAN_START, SPAN_END, SPAN_CATEGORY, SPAN_TRACK},
    {"CREATE TABLE x(run INTEGER, id INTEGER, kind TEXT, from_ns INTEGER, from_track INTEGER,"
     " to_ns INTEGER, to_track INTEGER, flow INTEGER)",
     1u << TDM_SHAPE_EDGE, EDGE_FROM_NS, -1, -1, EDGE_FROM_TRACK},
    {"CREATE TABLE x(run INTEGER, id INTEGER, time_ns INTEGER, track INTEGER, name TEXT,"
     " value REAL, unit TEXT)",
     1u << TDM_SHAPE_SAMPLE, COUNTER_TIME, -1, -1, COUNTER_TRACK},
};

typedef struct {
  sqlite3_vtab base;
  sqlite3 *database;
  table_kind kind;
} table;

typedef struct {
  sqlite3_vtab_cursor base;
  sqlite3_stmt *runs; /* their numbers; NULL: one run only */
  int64_t run;        /* the one run */
  int done;
  tdm_scan_filter filter;
  char *category;
  tdm_run_tables *tables;
  tdm_scan *scan;
  size_t row, rows;
  const tdm_layout *layout;
  uint32_t key_column[KEYS]; /* of the layout; 0: it has none */
  tdm_args_json *json;
  const int64_t *start, *dur, *track; /* of the chunk, once fetched */
} cursor;

static int connect(sqlite3 *database, void *which, int argc, const char *const *argv,
                   sqlite3_vtab **out, char **message) {
  (void)argc, (void)argv, (void)message;
  table *made = sqlite3_malloc(sizeof *made);
  if (made == NULL) return SQLITE_NOMEM;
  memset(made, 0, sizeof *made);
  made->database = database;
  made->kind = (table_kind)(intptr_t)which;
  *out = &made->base;
  return sqlite3_declare_vtab(database, tables[made->kind].sql);
}

static int disconnect(sqlite3_vtab *base) {
  sqlite3_free(base);
  return SQLITE_OK;
}

/* ---- what the planner asks ---- */

enum { PLAN_RUN = 1, PLAN_CATEGORY = 2, PLAN_TRACK = 4, PLAN_FROM = 8, PLAN_TO = 16 };

/* Bounds on time: rows at or after, rows at or before. */
static int time_plan(table_kind kind, int column, unsigned char op) {
  int begins = column == tables[kind].start, ends = column == tables[kind].end;
  if (!begins && !ends) return 0;
  if (op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE) return PLAN_FROM;
  return op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE ? PLAN_TO : 0;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  table_kind kind = ((table *)base)->kind;
  int slot[5] = {-1, -1, -1, -1, -1}, arguments = 0;
  for (int i = 0; i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    if (!c->usable) continue;
    int equal = c->op == SQLITE_INDEX_CONSTRAINT_EQ;
    int plan = 0;
    if (equal && c->iColumn == RUN) plan = PLAN_RUN;
    if (equal && c->iColumn == tables[kind].category &&
        strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0)
      plan = PLAN_CATEGORY;
    if (equal && c->iColumn == tables[kind].track) plan = PLAN_TRACK;
    if (plan == 0) plan = time_plan(kind, c->iColumn, c->op);
    if (plan == 0) continue;
    int *at = &slot[__builtin_ctz((unsigned)plan)];
    if (*at < 0) *at = i; /* of two bounds on one side the first is enough: SQLite checks both */
  }
  double cost = 1e9;
  static const double saves[5] = {1e3, 8, 16, 4, 4};
  for (int i = 0; i < 5; i++) {
    if (slot[i] < 0) continue;
    info->idxNum |= 1 << i;
    info->aConstraintUsage[slot[i]].argvIndex = ++arguments;
    /* Exact, and asking run('last') again for each row would be all the time a query takes. */
    info->aConstraintUsage[slot[i]].omit = 1 << i == PLAN_RUN;
    cost /= saves[i];
  }
  info->estimatedCost = cost;
  info->estimatedRows = (sqlite3_int64)cost;
  return SQLITE_OK;
}

/* ---- the cursor ---- */

static int fail(cursor *c, const tdm_error *error) {
  sqlite3_free(c->base.pVtab->zErrMsg);
  static const char by_reader[] = "cannot read the store: "; /* as whoever asked will say, too */
  const char *text = error->message;
  if (strncmp(text, by_reader, sizeof by_reader - 1) == 0) text += sizeof by_reader - 1;
  c->base.pVtab->zErrMsg = sqlite3_mprintf("%s", text);
  return error->status == TDM_IO ? SQLITE_IOERR_DATA : SQLITE_ERROR;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out) {
  (void)base;
  cursor *c = sqlite3_malloc(sizeof *c);
  if (c == NULL) return SQLITE_NOMEM;
  memset(c, 0, sizeof *c);
  c->json = tdm_args_json_new();
  if (c->json == NULL) {
    sqlite3_free(c);
    return SQLITE_NOMEM;
  }
  *out = &c->base;
  return SQLITE_OK;
}

static void close_run(cursor *c) {
  tdm_scan_close(c->scan);
  tdm_run_tables_close(c->tables);
  c->scan = NULL;
  c->tables = NULL;
}

static void reset(cursor *c) {
  close_run(c);
  sqlite3_finalize(c->runs);
  free(c->category);
  c->runs = NULL;
  c->category = NULL;
  c->done = 0;
  c->row = c->rows = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  reset(c);
  tdm_args_json_free(c->json);
  sqlite3_free(c);
  return SQLITE_OK;
}

/* The number of the next run to scan; 0: no more. */
static int next_run(cursor *c, int64_t *run) {
  *run = 0;
  if (c->runs == NULL) {
    *run = c->run;
    c->run = 0;
    return SQLITE_OK;
  }
  int code = sqlite3_step(c->runs);
  if (code == SQLITE_ROW) *run = sqlite3_column_int64(c->runs, 0);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static int open_run(cursor *c, int64_t run) {
  sqlite3 *database = ((table *)c->base.pVtab)->database;
  tdm_error error;
  tdm_status status = tdm_run_tables_open(database, run, &c->tables, &error);
  if (status == TDM_INVALID) return SQLITE_OK; /* no such run: no rows */
  if (status == TDM_OK) status = tdm_scan_open(database, c->tables, &c->filter, &c->scan, &error);
  return status == TDM_OK ? SQLITE_OK : fail(c, &error);
}

static void look_at_layout(cursor *c) {
  c->layout = tdm_run_tables_layout(c->tables, tdm_scan_layout(c->scan));
  for (int i = 0; i < KEYS; i++) c->key_column[i] = tdm_layout_column(c->layout, keys[i]);
  c->start = c->dur = c->track = NULL;
}

/* Goes on to the next chunk that has rows, of this run or the next. */
static int next_chunk(cursor *c) {
  for (;;) {
    tdm_error error;
    if (c->scan != NULL) {
      if (tdm_scan_next(c->scan, &c->rows, &error) != TDM_OK) return fail(c, &error);
      c->row = 0;
      if (c->rows > 0) {
        look_at_layout(c);
        return SQLITE_OK;
      }
    }
    close_run(c);
    int64_t run;
    int code = next_run(c, &run);
    if (code != SQLITE_OK) return code;
    if (run == 0) {
      c->done = 1;
      return SQLITE_OK;
    }
    code = open_run(c, run);
    if (code != SQLITE_OK) return code;
  }
}

/* The number of a run; 0: of none. Whoever computes with numbers has 3.0 as easily as 3. */
static int64_t run_of(sqlite3_value *value) {
  int type = sqlite3_value_numeric_type(value);
  int64_t run = type == SQLITE_INTEGER ? sqlite3_value_int64(value) : 0;
  double real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
  if (real >= 1 && real < 0x1p53 && real == trunc(real)) run = (int64_t)real;
  return run > 0 ? run : 0;
}

static int filter_rows(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                       sqlite3_value **argv) {
  (void)text, (void)argc;
  cursor *c = (cursor *)base;
  table *t = (table *)base->pVtab;
  reset(c);
  c->filter = TDM_SCAN_ALL;
  c->filter.shapes = tables[t->kind].shapes;
  if (plan & PLAN_RUN) {
    c->run = run_of(*argv++);
  } else {
    int code = sqlite3_prepare_v2(t->database, "SELECT number FROM run ORDER BY number", -1,
                                  &c->runs, NULL);
    if (code != SQLITE_OK) return code;
  }
  if (plan & PLAN_CATEGORY) {
    const char *category = (const char *)sqlite3_value_text(*argv++);
    c->category = category != NULL ? tdm_string_copy(category) : NULL;
    if (c->category == NULL) {
      c->done = 1; /* equal to NULL: nothing is */
      return SQLITE_OK;
    }
    c->filter.category = c->category;
  }
  if (plan & PLAN_TRACK) {
    sqlite3_value *track = *argv++;
    if (sqlite3_value_numeric_type(track) == SQLITE_INTEGER)
      c->filter.track = sqlite3_value_int64(track);
  }
  if (plan & PLAN_FROM) {
    sqlite3_value *from = *argv++;
    if (sqlite3_value_numeric_type(from) == SQLITE_INTEGER)
      c->filter.from_ns = sqlite3_value_int64(from);
  }
  if (plan & PLAN_TO) {
    sqlite3_value *to = *argv;
    if (sqlite3_value_numeric_type(to) == SQLITE_INTEGER) c->filter.to_ns = sqlite3_value_int64(to);
  }
  return next_chunk(c);
}

static int next_row(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  return ++c->row < c->rows ? SQLITE_OK : next_chunk(c);
}

static int at_end(sqlite3_vtab_cursor *base) {
  return ((cursor *)base)->done;
}

/* ---- values ---- */

static void put_number(sqlite3_context *context, int64_t value) {
  if (value == TDM_NONE)
    sqlite3_result_null(context);
  else
    sqlite3_result_int64(context, value);
}

/* Names live as long as the tables of the run, longer than the row: SQLite copies. */
static int put_name(sqlite3_context *context, cursor *c, int64_t id) {
  size_t length;
  const char *text = tdm_run_tables_name(c->tables, id, &length);
  tdm_error error;
  if (text == NULL && tdm_run_tables_sound(c->tables, &error) != TDM_OK) return fail(c, &error);
  if (text == NULL)
    sqlite3_result_null(context);
  else
    sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
  return SQLITE_OK;
}

static int put_arg(sqlite3_context *context, cursor *c, uint32_t column, int64_t value) {
  switch (c->layout->arg[column - TDM_ARGS].type) {
  case TDM_ARG_REAL: {
    double real;
    memcpy(&real, &value, sizeof real);
    sqlite3_result_double(context, real); /* SQLite makes NULL of a NaN */
    break;
  }
  case TDM_ARG_TEXT:
  case TDM_ARG_JSON:
    if (value != TDM_NONE) return put_name(context, c, value);
    sqlite3_result_null(context);
    break;
  default: put_number(context, value);
  }
  return SQLITE_OK;
}

static const char *name_of(cursor *c, uint32_t column, tdm_error *error) {
  const int64_t *values = column > 0 ? tdm_scan_column(c->scan, column, error) : NULL;
  return values != NULL ? tdm_run_tables_name(c->tables, values[c->row], NULL) : NULL;
}

static int fetch(cursor *c, const int64_t **values, uint32_t column) {
  tdm_error error;
  if (*values == NULL) *values = tdm_scan_column(c->scan, column, &error);
  return *values != NULL ? SQLITE_OK : fail(c, &error);
}

static int put_column(sqlite3_context *context, cursor *c, uint32_t column) {
  const int64_t *values = NULL;
  int code = fetch(c, &values, column);
  return code == SQLITE_OK ? put_arg(context, c, column, values[c->row]) : code;
}

static int put_lane(sqlite3_context *context, cursor *c) {
  tdm_error error;
  const tdm_track *track = tdm_run_tables_track(c->tables, c->track[c->row]);
  const char *name = name_of(c, TDM_NAME, &error);
  const char *kind = name_of(c, c->key_column[SPAN_KIND - SPAN_CORRELATION], &error);
  tdm_lane lane = tdm_record_lane(c->layout->category, kind, name != NULL ? name : "",
                                  track != NULL ? track->lane : TDM_LANE_OTHER);
  if (tdm_run_tables_sound(c->tables, &error) != TDM_OK) return fail(c, &error);
  sqlite3_result_text(context, tdm_lane_name(lane), -1, SQLITE_STATIC);
  return SQLITE_OK;
}

static int put_args(sqlite3_context *context, cursor *c) {
  tdm_error error;
  int64_t values[TDM_LAYOUT_ARGS];
  for (uint32_t i = 0; i < c->layout->args; i++) {
    const int64_t *column = NULL;
    int code = fetch(c, &column, TDM_ARGS + i);
    if (code != SQLITE_OK) return code;
    values[i] = column[c->row];
  }
  size_t length;
  const char *text = tdm_args_json_write(c->json, c->layout, values, c->tables, &length);
  if (text == NULL) return SQLITE_NOMEM;
  if (tdm_run_tables_sound(c->tables, &error) != TDM_OK) return fail(c, &error);
  sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
  return SQLITE_OK;
}

static int span_value(sqlite3_context *context, cursor *c, int column) {
  const tdm_track *track;
  switch (column) {
  case SPAN_CATEGORY:
    sqlite3_result_text(context, c->layout->category, -1, SQLITE_TRANSIENT);
    return SQLITE_OK;
  case SPAN_SHAPE:
    sqlite3_result_text(context, tdm_shape_name(c->layout->shape), -1, SQLITE_STATIC);
    return SQLITE_OK;
  case SPAN_LANE: return put_lane(context, c);
  case SPAN_DEVICE:
  case SPAN_STREAM:
  case SPAN_PID:
  case SPAN_TID:
    track = tdm_run_tables_track(c->tables, c->track[c->row]);
    if (track != NULL)
      put_number(context, column == SPAN_DEVICE   ? track->device
                          : column == SPAN_STREAM ? track->stream
                          : column == SPAN_PID    ? track->pid
                                                  : track->tid);
    return SQLITE_OK;
  case SPAN_SOURCE: sqlite3_result_int64(context, tdm_scan_source(c->scan)); return SQLITE_OK;
  case SPAN_ARGS: return put_args(context, c);
  default: {
    uint32_t key = c->key_column[column - SPAN_CORRELATION];
    return key > 0 ? put_column(context, c, key) : SQLITE_OK;
  }
  }
}

static int column_value(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  cursor *c = (cursor *)base;
  table_kind kind = ((table *)base->pVtab)->kind;
  int code = SQLITE_OK;
  int time = kind == TABLE_EDGE ? EDGE_FROM_NS : tables[kind].start;
  if (column == RUN) {
    sqlite3_result_int64(context, tdm_run_tables_run(c->tables));
  } else if (column == ID) {
    sqlite3_result_int64(context, tdm_scan_first_row(c->scan) + (int64_t)c->row);
  } else if (column == time) {
    code = fetch(c, &c->start, TDM_START);
    if (code == SQLITE_OK) sqlite3_result_int64(context, c->start[c->row]);
  } else if (column == tables[kind].track) {
    code = fetch(c, &c->track, TDM_TRACK);
    if (code == SQLITE_OK) sqlite3_result_int64(context, c->track[c->row]);
  } else if (column == (kind == TABLE_SPAN   ? SPAN_NAME
                        : kind == TABLE_EDGE ? EDGE_KIND
                                             : COUNTER_NAME)) {
    const int64_t *names = NULL;
    code = fetch(c, &names, TDM_NAME);
    if (code == SQLITE_OK) code = put_name(context, c, names[c->row]);
  } else if (kind == TABLE_SPAN && column == SPAN_DUR) {
    code = fetch(c, &c->dur, TDM_DUR);
    if (code == SQLITE_OK) sqlite3_result_int64(context, c->dur[c->row]);
  } else if ((kind == TABLE_SPAN && column == SPAN_END) ||
             (kind == TABLE_EDGE && column == EDGE_TO_NS)) {
    code = fetch(c, &c->start, TDM_START);
    if (code == SQLITE_OK) code = fetch(c, &c->dur, TDM_DUR);
    int64_t end;
    if (code == SQLITE_OK && !__builtin_add_overflow(c->start[c->row], c->dur[c->row], &end))
      sqlite3_result_int64(context, end);
  } else if (kind == TABLE_SPAN) {
    code = fetch(c, &c->track, TDM_TRACK);
    if (code == SQLITE_OK) code = span_value(context, c, column);
  } else { /* the two arguments of edges and samples, in order */
    uint32_t first = kind == TABLE_EDGE ? EDGE_TO_TRACK : COUNTER_VALUE;
    uint32_t arg = (uint32_t)column - first;
    if (arg < c->layout->args) code = put_column(context, c, TDM_ARGS + arg);
  }
  return code;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id) {
  cursor *c = (cursor *)base;
  *id = tdm_run_tables_run(c->tables) << 40 | (tdm_scan_first_row(c->scan) + (int64_t)c->row);
  return SQLITE_OK;
}

static const sqlite3_module module = {.iVersion = 1,
                                      .xConnect = connect,
                                      .xBestIndex = best_index,
                                      .xDisconnect = disconnect,
                                      .xDestroy = disconnect,
                                      .xOpen = open_cursor,
                                      .xClose = close_cursor,
                                      .xFilter = filter_rows,
                                      .xNext = next_row,
                                      .xEof = at_end,
                                      .xColumn = column_value,
                                      .xRowid = row_id};

tdm_status tdm_span_table_open(sqlite3 *database, tdm_error *error) {
  static const char *const names[TABLES] = {"span", "edge", "counter"};
  int code = SQLITE_OK;
  for (int i = 0; i < TABLES && code == SQLITE_OK; i++)
    code = sqlite3_create_module(database, names[i], &module, (void *)(intptr_t)i);
  if (code == SQLITE_OK) code = tdm_store_functions_open(database);
  if (code == SQLITE_OK) return TDM_OK;
  return tdm_error_set(error, TDM_IO, "cannot make the table of spans: %s",
                       sqlite3_errmsg(database));
}
