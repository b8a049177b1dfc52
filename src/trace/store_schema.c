/* The tables of a store, and who may open it. See store_schema.h. Owns no state. */
#include "trace/store_schema.h"

#include <string.h>

#include "trace/store.h"

#define TEXT_OF(number)  #number
#define VALUE_OF(number) TEXT_OF(number)

/* The big tables are clustered by (run, order of arrival): a run's rows lie together, are appended
 * at the end of the tree, and need no other index to be found. */
static const char schema_sql[] =
    "CREATE TABLE run(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " scenario TEXT, scenario_hash TEXT, seed INTEGER NOT NULL, version TEXT, summary_json TEXT,"
    " state TEXT NOT NULL CHECK(state IN ('complete','interrupted')),"
    " spans_dropped INTEGER NOT NULL DEFAULT 0," /* by the limit of a collected trace */
    " complete_until_ns INTEGER) STRICT;"        /* spans from there on were dropped; NULL: none */
    "CREATE TABLE class(run INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL,"
    " PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE track(run INTEGER NOT NULL, id INTEGER NOT NULL, process TEXT NOT NULL,"
    " name TEXT NOT NULL, lane TEXT NOT NULL, capacity INTEGER," /* NULL: unlimited */
    " PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE name(run INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL,"
    " PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE counter(run INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL,"
    " unit TEXT NOT NULL, PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    /* request: class << 48 | ordinal, as in the request table; batch: members served together */
    "CREATE TABLE span(run INTEGER NOT NULL, seq INTEGER NOT NULL, start_ns INTEGER NOT NULL,"
    " dur_ns INTEGER NOT NULL, track INTEGER NOT NULL, name INTEGER NOT NULL,"
    " request INTEGER NOT NULL, batch INTEGER NOT NULL, PRIMARY KEY(run, seq))"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE sample(run INTEGER NOT NULL, seq INTEGER NOT NULL, time_ns INTEGER NOT NULL,"
    " counter INTEGER NOT NULL, value REAL," /* NULL: not a number */
    " PRIMARY KEY(run, seq)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE request(run INTEGER NOT NULL, id INTEGER NOT NULL, class INTEGER NOT NULL,"
    " arrival_ns INTEGER NOT NULL, end_ns INTEGER," /* NULL: still open */
    " gpu INTEGER,"                                 /* NULL: none chosen */
    " outcome TEXT NOT NULL, PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    /* what caused what, by span.seq: launch → kernel. Measured traces have them. */
    "CREATE TABLE edge(run INTEGER NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL,"
    " kind TEXT NOT NULL, PRIMARY KEY(run, source, target)) STRICT, WITHOUT ROWID;"
    "PRAGMA application_id=" VALUE_OF(TDM_STORE_APPLICATION) ";"
                                                             "PRAGMA user_version=" VALUE_OF(
                                                                 TDM_STORE_VERSION) ";";

/* A single integer that `sql` yields. */
static int read_integer(sqlite3 *database, const char *sql, sqlite3_int64 *value) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
  if (code == SQLITE_OK) {
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) *value = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  return code == SQLITE_ROW ? SQLITE_OK : code;
}

static tdm_status cannot_open(sqlite3 *database, const char *path, int code, tdm_error *error) {
  if (code == SQLITE_NOTADB)
    return tdm_error_set(error, TDM_INVALID, "%s is not a tandem store (not an SQLite file)", path);
  if (code == SQLITE_READONLY) /* only laying out writes */
    return tdm_error_set(error, TDM_INVALID, "%s is not a tandem store (it is empty)", path);
  return tdm_error_set(error, TDM_IO, "cannot open the store %s: %s", path,
                       sqlite3_errmsg(database));
}

/* Sets *empty for a file without any content; refuses what is not ours. Inside a transaction:
 * another process may be laying the file out just now. */
static tdm_status identify(sqlite3 *database, const char *path, int *empty, tdm_error *error) {
  sqlite3_int64 application = 0, version = 0, objects = 0;
  int code = read_integer(database, "PRAGMA application_id", &application);
  if (code == SQLITE_OK) code = read_integer(database, "PRAGMA user_version", &version);
  if (code == SQLITE_OK)
    code = read_integer(database, "SELECT count(*) FROM sqlite_schema", &objects);
  if (code != SQLITE_OK) return cannot_open(database, path, code, error);
  *empty = application == 0 && version == 0 && objects == 0;
  if (*empty) return TDM_OK;
  if (application != TDM_STORE_APPLICATION)
    return tdm_error_set(error, TDM_INVALID,
                         "%s is not a tandem store (an SQLite file of another program)", path);
  if (version == TDM_STORE_VERSION) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID,
                       "%s is a store of %s tandem (store version %lld, this one reads %d)", path,
                       version > TDM_STORE_VERSION ? "a newer" : "an older", (long long)version,
                       TDM_STORE_VERSION);
}

/* Identifies the file in a transaction begun by `begin`; lays it out when that may write. */
static tdm_status settle(sqlite3 *database, const char *path, const char *begin, int may_write,
                         int *empty, tdm_error *error) {
  int code = sqlite3_exec(database, begin, NULL, NULL, NULL);
  if (code != SQLITE_OK) return cannot_open(database, path, code, error);
  tdm_status status = identify(database, path, empty, error);
  if (status == TDM_OK && *empty && may_write)
    code = sqlite3_exec(database, schema_sql, NULL, NULL, NULL);
  if (status == TDM_OK && code == SQLITE_OK)
    code = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
  if (status == TDM_OK && code != SQLITE_OK) status = cannot_open(database, path, code, error);
  if (status != TDM_OK) sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
  return status;
}

tdm_status tdm_store_schema(sqlite3 *database, const char *path, tdm_error *error) {
  int empty;
  tdm_status status = settle(database, path, "BEGIN", 0, &empty, error);
  if (status != TDM_OK || !empty) return status;
  return settle(database, path, "BEGIN IMMEDIATE", 1, &empty, error);
}
