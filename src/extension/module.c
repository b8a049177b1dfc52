/* tandem.so: the span, edge and counter tables and run('last') for the plain sqlite3 shell, and for
 * whatever else loads SQLite extensions:
 *
 *   sqlite3 tandem.db -cmd ".load build/tandem"
 *
 * A shared object of its own, made of this file and those of src/trace that it needs; SQLite is the
 * one of the program that loads it (api.h). Reads only. */
#include "extension/api.h"

#include "trace/store/store.h"

SQLITE_EXTENSION_INIT1

/* SQLite derives this name from the file's. */
int sqlite3_tandem_init(sqlite3 *database, char **message, const sqlite3_api_routines *api);

int sqlite3_tandem_init(sqlite3 *database, char **message, const sqlite3_api_routines *api) {
  SQLITE_EXTENSION_INIT2(api);
  tdm_error error;
  if (tdm_span_table_open(database, &error) == TDM_OK) return SQLITE_OK;
  *message = sqlite3_mprintf("%s", error.message);
  return SQLITE_ERROR;
}
