/* The tables of a store, and who may open it. See store.h. Owns no state. */
#include "trace/store/store.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "trace/store/inside.h"
#include "trace/store/pages.h"

#define TEXT_OF(number)  #number
#define VALUE_OF(number) TEXT_OF(number)

/* What belongs to a run is clustered by (run, id): a run's rows lie together, are appended at the
 * end of the tree, and need no other index to be found. The columns of a chunk lie in a table of
 * their own, so that looking for chunks reads small rows only. Times of rows, first_ns and last_ns
 * are on the clock of their source: its offset_ns makes them the run's. */
static const char schema_sql[] =
    "CREATE TABLE run(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    " kind TEXT NOT NULL CHECK(kind IN ('simulated','measured')), name TEXT NOT NULL,"
    " state TEXT NOT NULL CHECK(state IN ('complete','interrupted')),"
    " created_utc_ns INTEGER," /* since 1970; NULL: not known */
    " scenario TEXT, scenario_hash TEXT, seed INTEGER, version TEXT, summary_json TEXT,"
    " note TEXT NOT NULL DEFAULT '', spans INTEGER NOT NULL DEFAULT 0,"
    " spans_dropped INTEGER NOT NULL DEFAULT 0," /* by the limit of a collected trace */
    " complete_until_ns INTEGER,"                /* spans from there on were dropped; NULL: none */
    " first_ns INTEGER, last_ns INTEGER) STRICT;"
    "CREATE TABLE run_tag(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " tag TEXT NOT NULL, PRIMARY KEY(run, tag)) STRICT, WITHOUT ROWID;"
    /* one file that was read, or the simulation; alignment: how offset_ns was found */
    "CREATE TABLE source(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " id INTEGER NOT NULL, path TEXT NOT NULL, format TEXT NOT NULL, detail TEXT NOT NULL,"
    " rank INTEGER, utc_ns INTEGER, offset_ns INTEGER NOT NULL, alignment TEXT NOT NULL DEFAULT"
    " 'none', residual_ns INTEGER, first_ns INTEGER, last_ns INTEGER, rows INTEGER NOT NULL,"
    " PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE fact(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " source INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(run, source, key)) STRICT, WITHOUT ROWID;"
    /* records that a reader dropped or repaired */
    "CREATE TABLE problem(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " source INTEGER NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL,"
    " PRIMARY KEY(run, source, kind)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE class(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE track(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " id INTEGER NOT NULL, process TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,"
    " lane TEXT NOT NULL, capacity INTEGER," /* NULL: unlimited or unknown */
    " pid INTEGER, tid INTEGER, device INTEGER, context INTEGER, stream INTEGER,"
    " source INTEGER NOT NULL, PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE name(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    /* what the rows of a chunk are, and their arguments in order */
    "CREATE TABLE layout(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " id INTEGER NOT NULL, category TEXT NOT NULL, shape TEXT NOT NULL,"
    " PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE layout_arg(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " layout INTEGER NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, type TEXT NOT NULL,"
    " PRIMARY KEY(run, layout, position)) STRICT, WITHOUT ROWID;"
    /* first_row: how many rows of the run stand before it; last_ns: the latest end */
    "CREATE TABLE chunk(id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(number) ON"
    " DELETE CASCADE, layout INTEGER NOT NULL, source INTEGER NOT NULL, first_row INTEGER NOT"
    " NULL, rows INTEGER NOT NULL, first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL,"
    " first_track INTEGER NOT NULL, last_track INTEGER NOT NULL) STRICT;"
    "CREATE INDEX chunk_run ON chunk(run, id);"
    "CREATE TABLE chunk_data(id INTEGER PRIMARY KEY REFERENCES chunk(id) ON DELETE CASCADE,"
    " data BLOB NOT NULL) STRICT;"
    "CREATE TABLE request(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " id INTEGER NOT NULL, class INTEGER NOT NULL, arrival_ns INTEGER NOT NULL,"
    " end_ns INTEGER," /* NULL: still open */
    " gpu INTEGER,"    /* NULL: none chosen */
    " outcome TEXT NOT NULL, PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE metric(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " id INTEGER NOT NULL, scope TEXT NOT NULL, subject TEXT, ordinal INTEGER, name TEXT NOT NULL,"
    " unit TEXT, value REAL, text TEXT, PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;"
    /* data: zstd when bytes (its length) is larger than what lies here */
    "CREATE TABLE artifact(run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
    " id INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, bytes INTEGER NOT NULL,"
    " data BLOB NOT NULL, PRIMARY KEY(run, id)) STRICT;"
    /* Which launch of its kernel each is, from 0; and what Nsight Compute measured of it. That tool
     * names kernels in full or in short, and counts launches under the name it gives. */
    "CREATE VIEW kernel_launch AS SELECT run, id, start_ns, dur_ns, device, stream, name, "
    "short_name,"
    " row_number() OVER (PARTITION BY run, name ORDER BY start_ns, id) - 1 AS launch,"
    " row_number() OVER (PARTITION BY run, short_name ORDER BY start_ns, id) - 1 AS short_launch"
    " FROM (SELECT *, coalesce(args ->> '$.short_name', name) AS short_name FROM span"
    " WHERE category = 'kernel');"
    "CREATE VIEW kernel_metric AS SELECT l.run, l.id AS span, l.name AS kernel, l.launch,"
    " m.name AS metric, m.unit, m.value, m.text FROM metric AS m JOIN kernel_launch AS l"
    " ON l.run = m.run AND ((l.name = m.subject AND (m.ordinal IS NULL OR m.ordinal = l.launch))"
    " OR (l.short_name = m.subject AND l.short_name <> l.name"
    " AND (m.ordinal IS NULL OR m.ordinal = l.short_launch))) WHERE m.scope = 'kernel';"
    /* what was asked to be sent and has not arrived; runs: JSON list of ids */
    "CREATE TABLE outbox(id INTEGER PRIMARY KEY, url TEXT NOT NULL,"
    " form TEXT NOT NULL CHECK(form IN ('store','json')), raw INTEGER NOT NULL,"
    " runs TEXT NOT NULL, key TEXT, asked_utc_ns INTEGER NOT NULL,"
    " tries INTEGER NOT NULL DEFAULT 0, next_utc_ns INTEGER, error TEXT,"
    " UNIQUE(url, form, raw, runs)) STRICT;"
    /* what others send; runs: once it is done */
    "CREATE TABLE upload(id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL,"
    " sha256 TEXT NOT NULL, media_type TEXT NOT NULL, begun_utc_ns INTEGER NOT NULL, runs TEXT)"
    " STRICT, WITHOUT ROWID;"
    /* by what they contain, so that none comes twice */
    "CREATE TABLE upload_run(digest TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(number)"
    " ON DELETE CASCADE) STRICT, WITHOUT ROWID;"
    "CREATE INDEX upload_run_run ON upload_run(run);"
    "PRAGMA application_id=" VALUE_OF(TDM_STORE_APPLICATION) ";PRAGMA user_version=" VALUE_OF(
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

static tdm_status cannot_open(sqlite3 *database, const char *path, int code, bool empty,
                              tdm_error *error) {
  if (code == SQLITE_NOTADB)
    return tdm_error_set(error, TDM_INVALID, "%s is not a tandem store (not an SQLite file)", path);
  if (code == SQLITE_READONLY && empty) /* laying it out writes */
    return tdm_error_set(error, TDM_INVALID, "%s is not a tandem store (it is empty)", path);
  if (code == SQLITE_CORRUPT && tdm_pages_failed_reads(database) == 0)
    return tdm_error_set(error, TDM_IO, "cannot open the store %s: it is damaged or cut off", path);
  if (code == SQLITE_CANTOPEN && sqlite3_system_errno(database) != 0)
    return tdm_error_set(error, TDM_IO, "cannot open the store %s: %s", path,
                         strerror(sqlite3_system_errno(database)));
  int full = code == SQLITE_FULL || sqlite3_system_errno(database) == ENOSPC;
  return tdm_error_set(error, TDM_IO, "cannot open the store %s: %s", path,
                       full ? "the disk is full" : tdm_pages_reason(database));
}

/* Says whether the file is empty; refuses what is not ours. Inside a transaction: another process
 * may be laying the file out just now. */
static tdm_status identify(sqlite3 *database, const char *path, bool *empty, tdm_error *error) {
  sqlite3_int64 application = 0, version = 0, objects = 0;
  int code = read_integer(database, "PRAGMA application_id", &application);
  if (code == SQLITE_OK) code = read_integer(database, "PRAGMA user_version", &version);
  if (code == SQLITE_OK)
    code = read_integer(database, "SELECT count(*) FROM sqlite_schema", &objects);
  if (code != SQLITE_OK) return cannot_open(database, path, code, false, error);
  *empty = application == 0 && version == 0 && objects == 0;
  if (*empty) return TDM_OK;
  if (application != TDM_STORE_APPLICATION)
    return tdm_error_set(error, TDM_INVALID,
                         "%s is not a tandem store (an SQLite file of another program)", path);
  if (version == TDM_STORE_VERSION && !tdm_pages_checked(database))
    return tdm_error_set(error, TDM_IO, "cannot read the store %s: %s", path,
                         tdm_pages_failed_reads(database) > 0 ? "the disk fails: try again"
                                                              : "its header is damaged");
  if (version >= TDM_STORE_UNCHECKED && version <= TDM_STORE_VERSION) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID,
                       "%s is a store of %s tandem (store version %lld, this one reads %d)", path,
                       version > TDM_STORE_VERSION ? "a newer" : "an older", (long long)version,
                       TDM_STORE_VERSION);
}

/* Identifies the file in a transaction begun by `begin`; lays it out when that may write. */
static tdm_status settle(sqlite3 *database, const char *path, const char *begin, bool may_write,
                         bool *empty, tdm_error *error) {
  int code = may_write ? tdm_pages_begin(database) : SQLITE_OK;
  if (code == SQLITE_OK) code = sqlite3_exec(database, begin, NULL, NULL, NULL);
  if (code != SQLITE_OK) return cannot_open(database, path, code, may_write, error);
  tdm_status status = identify(database, path, empty, error);
  if (status == TDM_OK && *empty && may_write)
    code = sqlite3_exec(database, schema_sql, NULL, NULL, NULL);
  if (status == TDM_OK && code == SQLITE_OK)
    code = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
  if (status == TDM_OK && code != SQLITE_OK)
    status = cannot_open(database, path, code, may_write, error);
  if (status != TDM_OK) sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
  return status;
}

tdm_status tdm_store_schema(sqlite3 *database, const char *path, tdm_error *error) {
  bool empty = false;
  tdm_status status = settle(database, path, "BEGIN", false, &empty, error);
  if (status == TDM_OK && empty)
    status = settle(database, path, "BEGIN IMMEDIATE", true, &empty, error);
  return status == TDM_OK ? tdm_span_table_open(database, error) : status;
}
