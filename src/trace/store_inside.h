/* What the files of the store share: the store's fields. Included by store.c,
 * store_run.c and store_upgrade.c only. */
#ifndef TDM_TRACE_STORE_INSIDE_H
#define TDM_TRACE_STORE_INSIDE_H

#include <sqlite3.h>

#include "trace/store.h"

struct tdm_store {
  sqlite3 *database;
  char *path;
  tdm_store_run *open_run;
  int nested; /* the caller holds the transaction: runs neither begin nor end one */
  int (*stopped)(void *context);
  void *stopped_context;
};

int tdm_store_execute(tdm_store *store, const char *sql);

#endif
