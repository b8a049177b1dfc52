/* Opening a store. See store.h; find.c finds runs, run.c writes, load.c reads. */
#include "trace/store/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/store/inside.h"
#include "trace/store/pages.h"
#include "trace/store/still.h"

enum { WAIT_MS = 10, PATIENCE = 6000 /* waits, when nobody can interrupt */ };

static int wait_for_other(void *context, int waited) {
  tdm_store *store = context;
  if (store->stopped != NULL ? store->stopped(store->stopped_context) : waited >= PATIENCE)
    return 0;
  sqlite3_sleep(WAIT_MS);
  return 1;
}

static tdm_status connect(tdm_store *store, tdm_error *error) {
  sqlite3_close(store->database); /* of a try before */
  if (tdm_pages_open(store->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                     &store->database) != SQLITE_OK)
    return tdm_error_set(error, TDM_IO, "cannot open the store %s: %s", store->path,
                         tdm_pages_reason(store->database));
  sqlite3_busy_handler(store->database, wait_for_other, store);
  /* Readers and a writer at once. Where the file system cannot, or another process is in the way
   * just now, SQLite stays with its rollback journal, which is as safe. */
  return tdm_store_schema(store->database, store->path, error);
}

tdm_status tdm_store_open(const char *path, int (*stopped)(void *context), void *context,
                          tdm_store **out, tdm_error *error) {
  *out = NULL;
  tdm_store *store = tdm_array_new(1, sizeof *store);
  if (store == NULL) return tdm_error_memory(error, "a store", sizeof *store);
  store->stopped = stopped;
  store->stopped_context = context;
  store->path = tdm_string_copy(path);
  tdm_status status = TDM_OK;
  int tries = 0;
  if (store->path == NULL)
    status = tdm_error_memory(error, "a file name", strlen(path) + 1);
  else
    do status = connect(store, error);
    while (status == TDM_IO && tdm_still_again(path, &tries));
  if (status == TDM_OK) {
    tdm_store_execute(store, "PRAGMA journal_mode=WAL");
    tdm_store_execute(store, "PRAGMA synchronous=FULL");
    *out = store;
  } else {
    tdm_store_close(store);
  }
  return status;
}

void tdm_store_close(tdm_store *store) {
  if (store == NULL) return;
  if (store->open_run != NULL) tdm_store_discard_run(store->open_run);
  sqlite3_close(store->database);
  free(store->path);
  free(store);
}

sqlite3 *tdm_store_database(tdm_store *store) {
  return store->database;
}

int tdm_store_execute(tdm_store *store, const char *sql) {
  return sqlite3_exec(store->database, sql, NULL, NULL, NULL);
}
