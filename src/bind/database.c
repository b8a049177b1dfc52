/* The Lua object around an SQLite connection; see database.h. Owns it until collected or closed.
 * Statements and what their failures mean are statement.c's. */
#include "bind/database.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "bind/bind.h"
#include "bind/statement.h"
#include "trace/store/pages.h"
#include "trace/store/still.h"
#include "trace/store/store.h"

enum { INTERRUPT_STEPS = 10000 }; /* SQLite's instructions between looks at the flag */

static const char type_name[] = "tandem.database";

static tdm_database *check(lua_State *L) {
  tdm_database *database = luaL_checkudata(L, 1, type_name);
  if (database->handle == NULL) luaL_error(L, "this database is closed");
  return database;
}

static const char *check_sql(lua_State *L) {
  size_t length;
  const char *sql = luaL_checklstring(L, 2, &length);
  luaL_argcheck(L, strlen(sql) == length, 2, "SQL with a zero byte");
  return sql;
}

static int failure(lua_State *L, tdm_database *database, int code) {
  tdm_error error;
  tdm_statement_failure(database, code, NULL, NULL, &error);
  return tdm_bind_failure(L, &error);
}

/* ---- opening and closing ---- */

typedef struct {
  bool readonly;      /* refuses statements that write; the file must exist */
  bool store;         /* must be a tandem store; an empty file becomes one */
  bool interruptible; /* Ctrl-C ends a statement: for people's own queries */
  bool trusting;      /* pages that another program wrote are taken as they are: for repairs */
} options;

static options check_options(lua_State *L, int at) {
  options given = {0};
  if (lua_isnoneornil(L, at)) return given;
  luaL_checktype(L, at, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, at) != 0; lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    bool value = lua_toboolean(L, -1);
    if (strcmp(name, "readonly") == 0)
      given.readonly = value;
    else if (strcmp(name, "store") == 0)
      given.store = value;
    else if (strcmp(name, "interruptible") == 0)
      given.interruptible = value;
    else if (strcmp(name, "trusting") == 0)
      given.trusting = value;
    else
      luaL_argerror(L, at, "unknown option: there are readonly, store, interruptible, trusting");
  }
  return given;
}

static void close_database(tdm_database *database) {
  while (database->cursors != NULL) tdm_cursor_end(database->cursors);
  for (int i = 0; i < TDM_STATEMENTS_IDLE; i++) sqlite3_finalize(database->idle[i]);
  if (database->lent)
    sqlite3_progress_handler(database->handle, 0, NULL, NULL);
  else
    sqlite3_close(database->handle); /* rolls an open transaction back */
  free(database->path);
  *database = (tdm_database){0};
}

/* db:close(): twice is fine */
static int close_object(lua_State *L) {
  close_database(luaL_checkudata(L, 1, type_name));
  return 0;
}

static int look_at_flag(void *flag) {
  return atomic_load_explicit((atomic_int *)flag, memory_order_relaxed) != 0;
}

/* SQLite's own gives the addresses of functions, and takes some. */
static void no_tokenizer(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc, (void)argv;
  sqlite3_result_error(context, "fts3_tokenizer is not available", -1);
}

static int withhold_addresses(sqlite3 *handle) {
  int code = SQLITE_OK;
  for (int arguments = 1; arguments <= 2 && code == SQLITE_OK; arguments++)
    code = sqlite3_create_function(handle, "fts3_tokenizer", arguments, SQLITE_UTF8, NULL,
                                   no_tokenizer, NULL, NULL);
  return code;
}

/* Where the file lies is nobody's who reads it. */
static int no_paths(void *context, int action, const char *name, const char *value,
                    const char *database, const char *inside) {
  (void)context, (void)value, (void)database, (void)inside;
  bool told = action == SQLITE_PRAGMA && name != NULL && strcasecmp(name, "database_list") == 0;
  return told ? SQLITE_DENY : SQLITE_OK;
}

static tdm_status connect_once(tdm_database *database, const char *path, options given,
                               tdm_error *error) {
  database->path = tdm_string_copy(path[0] != 0 ? path : "a temporary file");
  if (database->path == NULL) return tdm_error_memory(error, "a file name", strlen(path) + 1);
  database->readonly = given.readonly;
  /* Not SQLITE_OPEN_READONLY: such a reader cannot tidy up and leaves -wal and -shm files behind.
   */
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  if (!given.readonly) flags |= SQLITE_OPEN_CREATE;
  int code = tdm_pages_open(path, flags, &database->handle);
  if (database->handle == NULL) return tdm_error_set(error, TDM_MEMORY, "%s: out of memory", path);
  sqlite3_busy_timeout(database->handle, TDM_DATABASE_BUSY_MS);
  if (code == SQLITE_OK) code = withhold_addresses(database->handle);
  if (code == SQLITE_OK && given.readonly)
    code = sqlite3_exec(database->handle, "PRAGMA query_only=ON", NULL, NULL, NULL);
  if (given.readonly) { /* who reads one file opens no other */
    sqlite3_limit(database->handle, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_set_authorizer(database->handle, no_paths, NULL);
  }
  if (code == SQLITE_OK && given.trusting) tdm_pages_trust_unmarked(database->handle);
  if (code == SQLITE_OK && given.store) {
    tdm_status status = tdm_store_schema(database->handle, path, error);
    if (status != TDM_OK) return status;
  }
  if (code == SQLITE_OK) /* opening is lazy: this looks at the file */
    code = sqlite3_exec(database->handle, "PRAGMA foreign_keys=ON; PRAGMA schema_version", NULL,
                        NULL, NULL);
  if (code == SQLITE_OK && !given.readonly && sqlite3_db_readonly(database->handle, "main") == 1)
    code = SQLITE_READONLY; /* SQLite falls back to reading by itself */
  return code == SQLITE_OK ? TDM_OK : tdm_statement_failure(database, code, NULL, NULL, error);
}

static tdm_status connect(tdm_database *database, const char *path, options given,
                          tdm_error *error) {
  int tries = 0;
  tdm_status status = connect_once(database, path, given, error);
  while (status == TDM_IO && given.readonly && tdm_still_again(path, &tries)) {
    close_database(database);
    status = connect_once(database, path, given, error);
  }
  return status;
}

static void let_interrupt(tdm_database *database, atomic_int *flag) {
  if (flag != NULL) sqlite3_progress_handler(database->handle, INTERRUPT_STEPS, look_at_flag, flag);
}

tdm_database *tdm_bind_database_new(lua_State *L) {
  tdm_database *database = lua_newuserdatauv(L, sizeof *database, 0);
  *database = (tdm_database){0};
  luaL_setmetatable(L, type_name);
  return database;
}

tdm_status tdm_bind_database_lend(tdm_database *database, sqlite3 *handle, const char *path,
                                  atomic_int *flag, tdm_error *error) {
  database->path = tdm_string_copy(path);
  if (database->path == NULL) return tdm_error_memory(error, "a file name", strlen(path) + 1);
  database->handle = handle;
  database->lent = true;
  let_interrupt(database, flag);
  return TDM_OK;
}

void tdm_bind_database_take_back(tdm_database *database) {
  close_database(database);
}

static bool has_log(const char *path) {
  struct stat about;
  char *log = sqlite3_mprintf("%s-wal", path);
  bool has = log != NULL && stat(log, &about) == 0 && about.st_size > 0;
  sqlite3_free(log);
  return has;
}

/* core.database(path, { readonly, store, interruptible }) → db | nil, message, code. ":memory:"
 * and "" (a temporary file) work. */
static int open_database(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  options given = check_options(L, 2);
  tdm_database *database = tdm_bind_database_new(L);
  tdm_error error;
  if (connect(database, path, given, &error) != TDM_OK) {
    /* What is refused stays as it is: a log beside it is not taken in. An empty one is SQLite's
     * own, which it removes. */
    if (database->handle != NULL && has_log(path))
      sqlite3_db_config(database->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    close_database(database);
    return tdm_bind_failure(L, &error);
  }
  /* Readers and a writer at once. Where the file system cannot, or another process is in the way
   * just now, SQLite stays with its rollback journal, which is as safe. */
  if (!given.readonly) {
    sqlite3_exec(database->handle, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
    sqlite3_exec(database->handle, "PRAGMA synchronous=FULL", NULL, NULL, NULL);
  }
  if (given.interruptible) let_interrupt(database, tdm_bind_interrupt(L));
  return 1;
}

/* ---- writing ---- */

/* Steps to the end and adds the rows that were inserted, updated or deleted. */
static int step_through(tdm_database *database, sqlite3_stmt *statement, lua_Integer *changes) {
  sqlite3_int64 before = sqlite3_total_changes64(database->handle);
  int code;
  do code = tdm_statement_step(statement);
  while (code == SQLITE_ROW);
  if (sqlite3_total_changes64(database->handle) != before)
    *changes += sqlite3_changes64(database->handle);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int wrong_count(lua_State *L, int wanted, int given) {
  return luaL_error(L, "parameters in the SQL: %d, given: %d", wanted, given);
}

/* All statements of `sql`, none of which has parameters. */
static int run_script(lua_State *L, tdm_database *database, const char *sql) {
  lua_Integer changes = 0;
  const char *at = sql, *tail = sql;
  for (; *at != 0; at = tail) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database->handle, at, -1, &statement, &tail);
    int wanted = sqlite3_bind_parameter_count(statement);
    if (code == SQLITE_OK && statement != NULL) code = tdm_statement_allowed(database, statement);
    if (wanted == 0 && code == SQLITE_OK && statement != NULL)
      code = step_through(database, statement, &changes);
    tdm_error error;
    if (code != SQLITE_OK) tdm_statement_failure(database, code, sql, at, &error);
    sqlite3_finalize(statement);
    if (code != SQLITE_OK) return tdm_bind_failure(L, &error);
    if (wanted > 0) return wrong_count(L, wanted, 0);
  }
  lua_pushinteger(L, changes);
  return 1;
}

/* db:run(sql, …) → changes | nil, message, code. Several statements, of which those before a
 * failure have happened, or one with parameters. */
static int run(lua_State *L) {
  tdm_database *database = check(L);
  const char *sql = check_sql(L);
  int last = lua_gettop(L);
  if (last == 2) return run_script(L, database, sql);
  tdm_statement_check(L, 3);
  tdm_error error;
  sqlite3_stmt *statement;
  lua_Integer changes = 0;
  if (tdm_statement_take(database, sql, &statement, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  int wanted = sqlite3_bind_parameter_count(statement), code = SQLITE_OK;
  code = tdm_statement_bind(L, 3, last, statement, false);
  bool fits = code != SQLITE_RANGE;
  if (code == SQLITE_OK) code = step_through(database, statement, &changes);
  if (code != SQLITE_OK) tdm_statement_failure(database, code, sql, sql, &error);
  tdm_statement_give(database, statement);
  if (!fits) return wrong_count(L, wanted, last - 2);
  if (code != SQLITE_OK) return tdm_bind_failure(L, &error);
  lua_pushinteger(L, changes);
  return 1;
}

/* ---- reading ---- */

/* Pushes a cursor over the statement and parameters that the arguments give. When that fails it
 * pushes nil, message, code instead and returns NULL. */
static tdm_cursor *open_cursor(lua_State *L) {
  tdm_database *database = check(L);
  const char *sql = check_sql(L);
  int last = lua_gettop(L);
  tdm_statement_check(L, 3);
  tdm_cursor *cursor = tdm_cursor_new(L, database);
  tdm_error error;
  if (tdm_statement_take(database, sql, &cursor->statement, &error) != TDM_OK) {
    tdm_cursor_end(cursor);
    tdm_bind_failure(L, &error);
    return NULL;
  }
  int wanted = sqlite3_bind_parameter_count(cursor->statement);
  int code = tdm_statement_bind(L, 3, last, cursor->statement, true);
  if (code == SQLITE_OK) return cursor;
  if (code != SQLITE_RANGE) tdm_statement_failure(database, code, sql, sql, &error);
  tdm_cursor_end(cursor);
  if (code == SQLITE_RANGE) wrong_count(L, wanted, last - 2);
  tdm_bind_failure(L, &error);
  return NULL;
}

/* Fetches the next row: SQLITE_ROW or SQLITE_DONE; otherwise fills *error. The cursor ends with
 * its rows. */
static int step_cursor(tdm_cursor *cursor, tdm_error *error) {
  int code = tdm_statement_step(cursor->statement);
  if (code == SQLITE_ROW) return code;
  if (code != SQLITE_DONE) {
    const char *sql = sqlite3_sql(cursor->statement);
    tdm_statement_failure(cursor->database, code, sql, sql, error);
  }
  tdm_cursor_end(cursor);
  cursor->done = true;
  return code;
}

/* The iterator of db:rows and db:lists. */
static int next_row(lua_State *L) {
  tdm_cursor *cursor = lua_touserdata(L, lua_upvalueindex(1));
  tdm_error error;
  if (cursor->done) return 0;
  if (cursor->database == NULL) return luaL_error(L, "this database is closed");
  int code = cursor->waiting ? SQLITE_ROW : step_cursor(cursor, &error);
  cursor->waiting = false;
  if (code == SQLITE_DONE) return 0;
  if (code != SQLITE_ROW) {      /* rows were given out already: nil would look like their end */
    tdm_bind_failure(L, &error); /* who catches it may ask what was blamed */
    lua_pop(L, 1);
    return lua_error(L);
  }
  if (lua_toboolean(L, lua_upvalueindex(2)))
    tdm_statement_push_list(L, cursor->statement);
  else
    tdm_statement_push_row(L, cursor->statement);
  return 1;
}

static int iterate(lua_State *L, bool lists) {
  tdm_cursor *cursor = open_cursor(L);
  if (cursor == NULL) return 3;
  tdm_error error;
  int code = step_cursor(cursor, &error);
  if (code != SQLITE_ROW && code != SQLITE_DONE) return tdm_bind_failure(L, &error);
  cursor->waiting = code == SQLITE_ROW;
  lua_pushvalue(L, -1);
  lua_pushboolean(L, lists);
  lua_pushcclosure(L, next_row, 2);
  lua_insert(L, -2);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_rotate(L, -3, 2);
  return 4; /* iterator, nil, nil, cursor: closed when the loop is left */
}

/* db:rows(sql, …) → iterator over { name = value }, for a generic for, | nil, message, code. The
 * first row is fetched here, where a failure can be returned; a later failure raises its line. */
static int rows(lua_State *L) {
  return iterate(L, false);
}

/* db:lists(sql, …): as rows, but a row is the list of its values in the order of db:columns, for
 * queries whose columns may share a name. NULL leaves a hole. */
static int lists(lua_State *L) {
  return iterate(L, true);
}

/* db:one(sql, …) → the first row or nil | nil, message, code */
static int one(lua_State *L) {
  tdm_cursor *cursor = open_cursor(L);
  if (cursor == NULL) return 3;
  tdm_error error;
  int code = step_cursor(cursor, &error);
  if (code == SQLITE_ROW)
    tdm_statement_push_row(L, cursor->statement);
  else
    lua_pushnil(L);
  tdm_cursor_end(cursor);
  return code == SQLITE_ROW || code == SQLITE_DONE ? 1 : tdm_bind_failure(L, &error);
}

/* db:all(sql, …) → list of rows | nil, message, code */
static int all(lua_State *L) {
  tdm_cursor *cursor = open_cursor(L);
  if (cursor == NULL) return 3;
  tdm_error error;
  int code;
  lua_newtable(L);
  for (lua_Integer i = 1; (code = step_cursor(cursor, &error)) == SQLITE_ROW; i++) {
    tdm_statement_push_row(L, cursor->statement);
    lua_rawseti(L, -2, i);
  }
  return code == SQLITE_DONE ? 1 : tdm_bind_failure(L, &error);
}

/* db:columns(sql) → list of its rows' names, in order, also of NULLs | nil, message, code */
static int columns(lua_State *L) {
  tdm_database *database = check(L);
  const char *sql = check_sql(L);
  tdm_cursor *cursor = tdm_cursor_new(L, database); /* finalizes when Lua raises */
  tdm_error error;
  if (tdm_statement_take(database, sql, &cursor->statement, &error) != TDM_OK) {
    tdm_cursor_end(cursor);
    return tdm_bind_failure(L, &error);
  }
  int count = sqlite3_column_count(cursor->statement);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_pushstring(L, sqlite3_column_name(cursor->statement, i));
    lua_rawseti(L, -2, i + 1);
  }
  tdm_cursor_end(cursor);
  return 1;
}

/* ---- damage ---- */

/* db:unread() → why the file could not be read, where a statement failed of that, or nil */
static int unread(lua_State *L) {
  tdm_database *database = check(L);
  if (database->unread.status == TDM_OK) tdm_pages_sound(database->handle, &database->unread);
  if (database->unread.status == TDM_OK) return 0;
  lua_pushstring(L, database->unread.message);
  return 1;
}

/* db:failed_reads() → how often the disk did not give a part of the file */
static int failed_reads(lua_State *L) {
  lua_pushinteger(L, tdm_pages_failed_reads(check(L)->handle));
  return 1;
}

typedef struct {
  lua_State *L;
  lua_Integer damaged, unmarked;
} page_lists;

/* The lists lie on top of the stack: damaged, then unmarked. */
static void tell_page(void *context, int64_t page, bool is_unmarked) {
  page_lists *lists = context;
  lua_pushinteger(lists->L, page);
  lua_rawseti(lists->L, is_unmarked ? -2 : -3, is_unmarked ? ++lists->unmarked : ++lists->damaged);
}

/* db:pages() → { checked, count, damaged = { page… }, unmarked = { page… } } | nil, message, code:
 * all pages of the file, read again; unmarked ones were written by another program */
static int pages(lua_State *L) {
  tdm_database *database = check(L);
  page_lists lists = {.L = L};
  int64_t count;
  tdm_error error;
  lua_createtable(L, 0, 4);
  lua_newtable(L);
  lua_newtable(L);
  luaL_checkstack(L, 4, "pages");
  if (tdm_pages_look(database->handle, tell_page, &lists, &count, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  lua_setfield(L, -3, "unmarked");
  lua_setfield(L, -2, "damaged");
  lua_pushinteger(L, count);
  lua_setfield(L, -2, "count");
  lua_pushboolean(L, tdm_pages_checked(database->handle));
  lua_setfield(L, -2, "checked");
  return 1;
}

/* db:check_run(number) → rows of its chunks | nil, message, code */
static int check_run(lua_State *L) {
  tdm_database *database = check(L);
  uint64_t count;
  tdm_error error;
  if (tdm_store_check_run(database->handle, luaL_checkinteger(L, 2), &count, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  lua_pushinteger(L, (lua_Integer)count);
  return 1;
}

/* ---- transactions ---- */

static int execute(tdm_database *database, const char *sql) {
  errno = 0;
  return sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
}

static void roll_back(tdm_database *database) {
  if (database->handle != NULL && !sqlite3_get_autocommit(database->handle))
    execute(database, "ROLLBACK");
}

/* db:transaction(fn) → what fn(db) returns | nil, message, code. Commits when fn returns; rolls
 * back when it raises, and passes the error on, or when it returns a failure (nil, message, …). */
static int transaction(lua_State *L) {
  tdm_database *database = check(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  if (!sqlite3_get_autocommit(database->handle))
    return luaL_error(L, "a transaction is open on this database already");
  int code = execute(database, database->readonly ? "BEGIN" : "BEGIN IMMEDIATE");
  if (code != SQLITE_OK) return failure(L, database, code);
  lua_pushvalue(L, 1);
  if (lua_pcall(L, 1, LUA_MULTRET, 0) != LUA_OK) {
    roll_back(database);
    return lua_error(L);
  }
  if (database->handle == NULL) return luaL_error(L, "the database was closed in its transaction");
  if (lua_gettop(L) >= 3 && lua_isnil(L, 2) && lua_type(L, 3) == LUA_TSTRING) {
    roll_back(database);
    return lua_gettop(L) - 1;
  }
  if (sqlite3_get_autocommit(database->handle)) { /* a full disk, say, and fn went on regardless */
    tdm_error error;
    tdm_error_set(&error, TDM_IO, "%s: a failed write undid the transaction", database->path);
    return tdm_bind_failure(L, &error);
  }
  code = execute(database, "COMMIT");
  if (code == SQLITE_OK) return lua_gettop(L) - 1;
  int pushed = failure(L, database, code);
  roll_back(database);
  return pushed;
}

/* database_damage(forget) → what was damaged in any store that this process read since it was told
 * to forget, or nil */
static int met_damage(lua_State *L) {
  tdm_error error;
  if (tdm_pages_met_damage(lua_toboolean(L, 1), &error) == TDM_OK) return 0;
  lua_pushstring(L, error.message);
  return 1;
}

void tdm_bind_open_database(lua_State *L) {
  static const luaL_Reg methods[] = {{"run", run},
                                     {"rows", rows},
                                     {"lists", lists},
                                     {"one", one},
                                     {"all", all},
                                     {"columns", columns},
                                     {"transaction", transaction},
                                     {"unread", unread},
                                     {"failed_reads", failed_reads},
                                     {"pages", pages},
                                     {"check_run", check_run},
                                     {"close", close_object},
                                     {"__gc", close_object},
                                     {"__close", close_object},
                                     {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  lua_pushcfunction(L, open_database);
  lua_setfield(L, -2, "database");
  lua_pushcfunction(L, met_damage);
  lua_setfield(L, -2, "database_damage");
}
