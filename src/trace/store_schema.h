/* What a store file must look like. Called by store.c and the binding's database. */
#ifndef TDM_TRACE_STORE_SCHEMA_H
#define TDM_TRACE_STORE_SCHEMA_H

#include <sqlite3.h>

#include "base/error.h"

/* Checks that the file is ours; lays an empty one out, brings an older one to this version, all or
 * nothing. Changes nothing in a file that it refuses. Then registers the virtual tables of
 * span_table.h on this connection. */
tdm_status tdm_store_schema(sqlite3 *database, const char *path, tdm_error *error);

#endif
