/* Statements and cursors over them; see statement.h. */
#include "bind/statement.h"

#include <errno.h>
#include <lauxlib.h>
#include <string.h>

#include "trace/store/pages.h"

/* ---- failures in words ---- */

/* SQLite's own text on one line. */
static void copy_line(char *out, size_t size, const char *text) {
  size_t i = 0;
  for (; text[i] != 0 && i + 1 < size; i++) out[i] = (unsigned char)text[i] < 0x20 ? ' ' : text[i];
  out[i] = 0;
}

static tdm_status sql_failure(sqlite3 *handle, const char *sql, const char *statement,
                              tdm_error *error) {
  char text[256];
  copy_line(text, sizeof text, sqlite3_errmsg(handle));
  int offset = sql != NULL ? sqlite3_error_offset(handle) : -1;
  if (offset < 0) return tdm_error_set(error, TDM_INVALID, "SQL: %s", text);
  int line = 1, column = 1;
  for (const char *c = sql; c < statement + offset; c++) {
    if (*c == '\n') {
      line++;
      column = 1;
    } else if (((unsigned char)*c & 0xC0) != 0x80) { /* columns are characters */
      column++;
    }
  }
  return tdm_error_set(error, TDM_INVALID, "SQL: %s (line %d, column %d)", text, line, column);
}

/* SQLite passes the system's error number on when it opens a file, not when a step fails: there it
 * is still in errno, which whoever steps has cleared. */
static const char *disk_reason(sqlite3 *handle) {
  int number = sqlite3_system_errno(handle);
  if (number == 0) number = errno;
  if (number == ENOSPC) return "the disk is full";
  if (number == EDQUOT) return "the disk quota is used up";
  if (number == EFBIG) return "the limit on a file's size is reached (ulimit -f)";
  return number != 0 ? strerror(number) : sqlite3_errmsg(handle);
}

int tdm_statement_step(sqlite3_stmt *statement) {
  errno = 0;
  return sqlite3_step(statement);
}

static tdm_status failure_in_words(const tdm_database *database, int code, const char *sql,
                                   const char *statement, tdm_error *error) {
  const char *path = database->path;
  sqlite3 *handle = database->handle;
  char text[256];
  switch (code & 0xff) { /* the rest of an extended code says more than a person wants */
  case SQLITE_ERROR:
  case SQLITE_AUTH:
  case SQLITE_TOOBIG: return sql_failure(handle, sql, statement, error);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return tdm_error_set(error, TDM_IO, "%s is locked: another process is writing to it", path);
  case SQLITE_FULL: return tdm_error_set(error, TDM_IO, "cannot write %s: the disk is full", path);
  case SQLITE_IOERR:
    if (sqlite3_extended_errcode(handle) == SQLITE_IOERR_DATA)
      return tdm_error_set(error, TDM_IO, "cannot read %s: %s", path, tdm_pages_reason(handle));
    return tdm_error_set(error, TDM_IO, "cannot read or write %s: %s", path, disk_reason(handle));
  case SQLITE_READONLY: return tdm_error_set(error, TDM_IO, "%s is read-only", path);
  case SQLITE_CANTOPEN:
    return tdm_error_set(error, TDM_IO, "cannot open %s: %s", path, disk_reason(handle));
  case SQLITE_NOTADB: return tdm_error_set(error, TDM_INVALID, "%s is not an SQLite file", path);
  case SQLITE_CORRUPT:
    return tdm_error_set(error, TDM_IO, "cannot read %s: %s", path,
                         tdm_pages_failed_reads(handle) > 0 ? "the disk fails: try again"
                                                            : "it is damaged");
  case SQLITE_NOMEM: return tdm_error_set(error, TDM_MEMORY, "%s: out of memory", path);
  case SQLITE_INTERRUPT: return tdm_error_set(error, TDM_INTERRUPTED, "%s: interrupted", path);
  case SQLITE_MISUSE: return tdm_error_set(error, TDM_BUG, "%s: SQLite was misused", path);
  default:
    copy_line(text, sizeof text, sqlite3_errmsg(handle));
    return tdm_error_set(error, TDM_INVALID, "%s: %s", path, text);
  }
}

tdm_status tdm_statement_failure(tdm_database *database, int code, const char *sql,
                                 const char *statement, tdm_error *error) {
  tdm_status status = failure_in_words(database, code, sql, statement, error);
  int kind = code & 0xff;
  if (database->unread.status == TDM_OK && (kind == SQLITE_IOERR || kind == SQLITE_CORRUPT))
    database->unread = *error;
  return status;
}

/* ---- statements ---- */

/* The statement of this text among those that wait. */
static sqlite3_stmt *find_idle(tdm_database *database, const char *sql) {
  for (int i = 0; i < TDM_STATEMENTS_IDLE; i++) {
    sqlite3_stmt *statement = database->idle[i];
    if (statement != NULL && strcmp(sqlite3_sql(statement), sql) == 0) {
      database->idle[i] = NULL;
      return statement;
    }
  }
  return NULL;
}

int tdm_statement_allowed(const tdm_database *database, sqlite3_stmt *statement) {
  return database->readonly && !sqlite3_stmt_readonly(statement) ? SQLITE_READONLY : SQLITE_OK;
}

tdm_status tdm_statement_take(tdm_database *database, const char *sql, sqlite3_stmt **statement,
                              tdm_error *error) {
  *statement = find_idle(database, sql);
  if (*statement != NULL) return TDM_OK;
  const char *tail = sql;
  int code =
      sqlite3_prepare_v3(database->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, &tail);
  if (code != SQLITE_OK) return tdm_statement_failure(database, code, sql, sql, error);
  if (*statement == NULL) return tdm_error_set(error, TDM_INVALID, "SQL: no statement");
  sqlite3_stmt *second = NULL; /* comments and blanks give none */
  code = sqlite3_prepare_v2(database->handle, tail, -1, &second, NULL);
  sqlite3_finalize(second);
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_ERROR) { /* memory, the disk: not a second one */
    tdm_status failed = tdm_statement_failure(database, code, sql, sql, error);
    sqlite3_finalize(*statement);
    *statement = NULL;
    return failed;
  }
  bool single = code == SQLITE_OK && second == NULL;
  if (single) code = tdm_statement_allowed(database, *statement);
  bool bare = code == SQLITE_OK && single && sqlite3_stmt_isexplain(*statement) == 1;
  if (code == SQLITE_OK && single && !bare) return TDM_OK;
  sqlite3_finalize(*statement);
  *statement = NULL;
  if (bare) /* its rows show addresses */
    return tdm_error_set(error, TDM_INVALID,
                         "SQL: EXPLAIN is not available; EXPLAIN QUERY PLAN is");
  if (single) return tdm_statement_failure(database, code, sql, sql, error);
  return tdm_error_set(error, TDM_INVALID, "SQL: more than one statement where one was wanted");
}

void tdm_statement_give(tdm_database *database, sqlite3_stmt *statement) {
  if (statement == NULL) return;
  sqlite3_reset(statement); /* repeats the failure of its last step, which was dealt with */
  sqlite3_clear_bindings(statement);
  unsigned oldest = database->next_idle++ % TDM_STATEMENTS_IDLE;
  sqlite3_finalize(database->idle[oldest]);
  database->idle[oldest] = statement;
}

void tdm_statement_check(lua_State *L, int first) {
  for (int at = first; at <= lua_gettop(L); at++) {
    int type = lua_type(L, at);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN && type != LUA_TNUMBER && type != LUA_TSTRING)
      luaL_typeerror(L, at, "number, string, boolean or nil");
  }
}

static int bind_one(lua_State *L, int at, sqlite3_stmt *statement, int number, bool copy) {
  switch (lua_type(L, at)) {
  case LUA_TBOOLEAN: return sqlite3_bind_int(statement, number, lua_toboolean(L, at));
  case LUA_TNUMBER:
    if (lua_isinteger(L, at)) return sqlite3_bind_int64(statement, number, lua_tointeger(L, at));
    return sqlite3_bind_double(statement, number, lua_tonumber(L, at)); /* NaN becomes NULL */
  case LUA_TSTRING: {
    size_t length;
    const char *text = lua_tolstring(L, at, &length);
    return sqlite3_bind_text64(statement, number, text, length,
                               copy ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
  }
  default: return sqlite3_bind_null(statement, number);
  }
}

/* A failure would leave NULL, which finds nothing. */
int tdm_statement_bind(lua_State *L, int first, int last, sqlite3_stmt *statement, bool copy) {
  int count = last < first ? 0 : last - first + 1, code = SQLITE_OK;
  if (sqlite3_bind_parameter_count(statement) != count) return SQLITE_RANGE;
  for (int i = 0; i < count && code == SQLITE_OK; i++)
    code = bind_one(L, first + i, statement, i + 1, copy);
  return code;
}

static void push_value(lua_State *L, sqlite3_stmt *statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
  case SQLITE_NULL: lua_pushnil(L); break;
  case SQLITE_INTEGER: lua_pushinteger(L, sqlite3_column_int64(statement, column)); break;
  case SQLITE_FLOAT: lua_pushnumber(L, sqlite3_column_double(statement, column)); break;
  default: {
    const char *bytes = sqlite3_column_blob(statement, column); /* NULL when empty */
    if (bytes == NULL && sqlite3_errcode(sqlite3_db_handle(statement)) == SQLITE_NOMEM)
      luaL_error(L, "not enough memory");
    lua_pushlstring(L, bytes != NULL ? bytes : "", (size_t)sqlite3_column_bytes(statement, column));
  }
  }
}

void tdm_statement_push_row(lua_State *L, sqlite3_stmt *statement) {
  int count = sqlite3_column_count(statement);
  lua_createtable(L, 0, count);
  for (int i = 0; i < count; i++) {
    if (sqlite3_column_type(statement, i) == SQLITE_NULL) continue;
    push_value(L, statement, i);
    lua_setfield(L, -2, sqlite3_column_name(statement, i));
  }
}

void tdm_statement_push_list(lua_State *L, sqlite3_stmt *statement) {
  int count = sqlite3_column_count(statement);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    push_value(L, statement, i);
    lua_rawseti(L, -2, i + 1);
  }
}

/* ---- cursors ---- */

void tdm_cursor_end(tdm_cursor *cursor) {
  tdm_database *database = cursor->database;
  if (database == NULL) return;
  tdm_cursor **link = &database->cursors;
  while (*link != cursor) link = &(*link)->next;
  *link = cursor->next;
  tdm_statement_give(database, cursor->statement);
  *cursor = (tdm_cursor){0};
}

static const char type_name[] = "tandem.cursor";

static int close_cursor(lua_State *L) {
  tdm_cursor_end(luaL_checkudata(L, 1, type_name));
  return 0;
}

tdm_cursor *tdm_cursor_new(lua_State *L, tdm_database *database) {
  tdm_cursor *cursor = lua_newuserdatauv(L, sizeof *cursor, 1);
  *cursor = (tdm_cursor){0};
  if (luaL_newmetatable(L, type_name)) {
    lua_pushcfunction(L, close_cursor);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, close_cursor);
    lua_setfield(L, -2, "__close");
  }
  lua_setmetatable(L, -2);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  cursor->database = database;
  cursor->next = database->cursors;
  database->cursors = cursor;
  return cursor;
}
