/* Older stores brought to this version. Called by store_schema.c, inside its transaction. */
#ifndef TDM_TRACE_STORE_UPGRADE_H
#define TDM_TRACE_STORE_UPGRADE_H

#include <sqlite3.h>

#include "base/error.h"

/* From version 1 to the present one; `schema_sql` lays out the present one. */
tdm_status tdm_store_upgrade(sqlite3 *database, const char *path, const char *schema_sql,
                             tdm_error *error);

#endif
