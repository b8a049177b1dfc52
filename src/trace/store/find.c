/* Runs by what people call them. See tdm_store_number in store.h. Owns no state. */
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

#include "trace/store/pages.h"
#include "trace/store/store.h"

typedef struct {
  int count; /* up to 2 */
  int64_t number;
  char id[TDM_STORE_ID_LENGTH + 1]; /* of the first */
} found;

/* Rows (number, id) of `sql`, with `text` bound as ?1 when not NULL. */
static int find_runs(sqlite3 *database, const char *sql, const char *text, found *out) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
  if (code == SQLITE_OK && text != NULL)
    code = sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
  while (code == SQLITE_OK && out->count < 2) {
    int step = sqlite3_step(statement);
    if (step == SQLITE_DONE) break;
    if (step != SQLITE_ROW) code = step;
    if (step == SQLITE_ROW && out->count++ == 0) {
      const char *id = (const char *)sqlite3_column_text(statement, 1);
      out->number = sqlite3_column_int64(statement, 0);
      strncat(out->id, id != NULL ? id : "", TDM_STORE_ID_LENGTH);
    }
  }
  sqlite3_finalize(statement);
  return code;
}

static tdm_status unread(sqlite3 *database, const char *path, tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "cannot read the store %s: %s", path,
                       tdm_pages_reason(database));
}

static tdm_status find(sqlite3 *database, const char *text, found *out, tdm_error *error) {
  const char *path = sqlite3_db_filename(database, "main");
  if (path == NULL || path[0] == 0) path = "the store";
  int last = strcmp(text, "last") == 0;
  *out = (found){0};
  int code = last ? find_runs(database, "SELECT number, id FROM run ORDER BY number DESC LIMIT 1",
                              NULL, out)
                  : find_runs(database,
                              "SELECT number, id FROM run WHERE substr(id, 1, length(?1)) = ?1"
                              " AND ?1 <> '' ORDER BY number LIMIT 2",
                              text, out);
  if (code != SQLITE_OK) return unread(database, path, error);
  const char *name = strrchr(path, '/');
  name = name != NULL ? name + 1 : path;
  if (out->count == 1) return TDM_OK;
  bool digits = out->count > 1; /* too few of them; but they may be a name */
  if (!last) {
    *out = (found){0};
    code = find_runs(database, "SELECT number, id FROM run WHERE name = ?1 AND ?1 <> '' LIMIT 2",
                     text, out);
    if (code != SQLITE_OK) return unread(database, path, error);
    if (out->count == 1) return TDM_OK;
    if (out->count > 1)
      return tdm_error_set(error, TDM_INVALID,
                           "more than one run in %s is called '%s': take an id (`tandem runs`)",
                           name, text);
  }
  if (digits)
    return tdm_error_set(error, TDM_INVALID, "'%s' names more than one run in %s: add digits", text,
                         name);
  if (last) return tdm_error_set(error, TDM_INVALID, "%s has no runs yet", name);
  return tdm_error_set(error, TDM_INVALID, "no run '%s' in %s; `tandem runs` lists them", text,
                       name);
}

tdm_status tdm_store_number(sqlite3 *database, const char *text, int64_t *number, char *id,
                            tdm_error *error) {
  found run;
  tdm_status status = find(database, text, &run, error);
  *number = run.number;
  if (id != NULL) memcpy(id, run.id, sizeof run.id);
  return status;
}
