/* What a store file must look like. Called by store.c alone. */
#ifndef TDM_TRACE_STORE_SCHEMA_H
#define TDM_TRACE_STORE_SCHEMA_H

#include <sqlite3.h>

#include "base/error.h"

/* Checks that the file is ours and of this version; lays an empty one out. Changes nothing in a
 * file that it refuses. */
tdm_status tdm_store_schema(sqlite3 *database, const char *path, tdm_error *error);

#endif
