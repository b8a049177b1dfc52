/* See rocpd_query.h. */
#include "read/rocprof/rocpd_query.h"

#include <stdio.h>
#include <string.h>

#include "read/sqlite_file.h"

bool tdm_rocpd_has(const tdm_rocpd *schema, const char *what, const char *column) {
  char *table = sqlite3_mprintf("rocpd_%s%s", what, schema->suffix);
  bool there =
      table != NULL && sqlite3_table_column_metadata(schema->database, NULL, table, column, NULL,
                                                     NULL, NULL, NULL, NULL) == SQLITE_OK;
  sqlite3_free(table);
  return there;
}

tdm_rocpd_layout tdm_rocpd_layout_of(const tdm_rocpd *schema, const char *what) {
  bool id = tdm_rocpd_has(schema, what, "start_id") || tdm_rocpd_has(schema, what, "timestamp_id");
  return (tdm_rocpd_layout){.what = what,
                            .track = tdm_rocpd_has(schema, what, "track_id") &&
                                     tdm_rocpd_has(schema, "track", "id"),
                            .stamps = id && tdm_rocpd_has(schema, "timestamp", "value")};
}

/* "X.column", "T.column" or NULL, with a comma before it. */
void tdm_rocpd_select_place(const tdm_rocpd *schema, sqlite3_str *sql, const tdm_rocpd_layout *of,
                            const char *column) {
  if (tdm_rocpd_has(schema, of->what, column))
    sqlite3_str_appendf(sql, ",X.\"%w\"", column);
  else if (of->track && tdm_rocpd_has(schema, "track", column))
    sqlite3_str_appendf(sql, ",T.\"%w\"", column);
  else
    sqlite3_str_appendall(sql, ",NULL");
}

void tdm_rocpd_select_column(const tdm_rocpd *schema, sqlite3_str *sql, const char *alias,
                             const char *what, const char *column) {
  if (tdm_rocpd_has(schema, what, column))
    sqlite3_str_appendf(sql, ",%s.\"%w\"", alias, column);
  else
    sqlite3_str_appendall(sql, ",NULL");
}

void tdm_rocpd_select_text(const tdm_rocpd *schema, sqlite3_str *sql, const char *alias,
                           const char *what, const char *column, int most) {
  char *table = sqlite3_mprintf("rocpd_%s%s", what, schema->suffix);
  sqlite3_str_appendall(sql, ",");
  if (table != NULL && tdm_rocpd_has(schema, what, column))
    tdm_sqlite_file_select(schema->database, sql, table, alias, column, most);
  else
    sqlite3_str_appendall(sql, "NULL");
  sqlite3_free(table);
}

/* "rocpd_WHAT AS alias ON alias.id = key and the same guid"; false: there is no such table. */
bool tdm_rocpd_join(const tdm_rocpd *schema, sqlite3_str *sql, const char *what, const char *alias,
                    const char *key) {
  if (!tdm_rocpd_has(schema, what, "id")) return false;
  sqlite3_str_appendf(sql, " LEFT JOIN \"rocpd_%w%w\" AS %s ON %s.id = %s", what, schema->suffix,
                      alias, alias, key);
  if (tdm_rocpd_has(schema, what, "guid")) sqlite3_str_appendf(sql, " AND %s.guid = X.guid", alias);
  return true;
}

static void select_time(const tdm_rocpd *schema, sqlite3_str *sql, const tdm_rocpd_layout *of,
                        const char *column, const char *alias) {
  char name[32];
  snprintf(name, sizeof name, "%s_id", column);
  if (of->stamps && tdm_rocpd_has(schema, of->what, name))
    sqlite3_str_appendf(sql, "%s.value", alias);
  else if (tdm_rocpd_has(schema, of->what, column))
    sqlite3_str_appendf(sql, "X.\"%w\"", column);
  else
    sqlite3_str_appendall(sql, "NULL");
}

/* Where a number of its process or thread stands. */
static const char *place_of(const tdm_rocpd *schema, const tdm_rocpd_layout *of, const char *column,
                            const char *own, const char *of_track) {
  if (tdm_rocpd_has(schema, of->what, column)) return own;
  return of->track && tdm_rocpd_has(schema, "track", column) ? of_track : "NULL";
}

void tdm_rocpd_select_common(const tdm_rocpd *schema, sqlite3_str *sql, const tdm_rocpd_layout *of,
                             const char *begins, const char *ends) {
  sqlite3_str_appendall(sql, "SELECT ");
  select_time(schema, sql, of, begins, "DS");
  sqlite3_str_appendall(sql, ",");
  select_time(schema, sql, of, ends, "DE");
  const char *pid = place_of(schema, of, "pid", "X.pid", "T.pid");
  const char *tid = place_of(schema, of, "tid", "X.tid", "T.tid");
  bool process = tdm_rocpd_has(schema, "info_process", "pid"),
       thread = tdm_rocpd_has(schema, "info_thread", "tid");
  bool event = tdm_rocpd_has(schema, of->what, "event_id") &&
               tdm_rocpd_has(schema, "event", "correlation_id");
  sqlite3_str_appendf(sql, process ? ",coalesce(P.pid,%s)" : ",%s", pid);
  sqlite3_str_appendf(sql, thread ? ",coalesce(H.tid,%s)" : ",%s", tid);
  sqlite3_str_appendall(sql, event ? ",E.correlation_id" : ",NULL");
  if (event && tdm_rocpd_has(schema, "info_category", "name"))
    tdm_rocpd_select_text(schema, sql, "C", "info_category", "name", TDM_ROCPD_TEXT);
  else if (event)
    tdm_rocpd_select_text(schema, sql, "C", "string", "string", TDM_ROCPD_TEXT);
  else
    sqlite3_str_appendall(sql, ",NULL");
}

void tdm_rocpd_from_common(const tdm_rocpd *schema, sqlite3_str *sql, const tdm_rocpd_layout *of,
                           const char *begins, const char *ends) {
  char key[48];
  sqlite3_str_appendf(sql, " FROM \"rocpd_%w%w\" AS X", of->what, schema->suffix);
  if (of->track) tdm_rocpd_join(schema, sql, "track", "T", "X.track_id");
  snprintf(key, sizeof key, "X.%s_id", begins);
  if (of->stamps && tdm_rocpd_has(schema, of->what, key + 2))
    tdm_rocpd_join(schema, sql, "timestamp", "DS", key);
  snprintf(key, sizeof key, "X.%s_id", ends);
  if (of->stamps && tdm_rocpd_has(schema, of->what, key + 2))
    tdm_rocpd_join(schema, sql, "timestamp", "DE", key);
  tdm_rocpd_join(schema, sql, "info_process", "P", place_of(schema, of, "pid", "X.pid", "T.pid"));
  tdm_rocpd_join(schema, sql, "info_thread", "H", place_of(schema, of, "tid", "X.tid", "T.tid"));
  if (tdm_rocpd_has(schema, of->what, "event_id") &&
      tdm_rocpd_has(schema, "event", "correlation_id")) {
    tdm_rocpd_join(schema, sql, "event", "E", "X.event_id");
    tdm_rocpd_join(schema, sql,
                   tdm_rocpd_has(schema, "info_category", "name") ? "info_category" : "string", "C",
                   "E.category_id");
  }
}
