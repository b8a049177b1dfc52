/* SQLite for the Lua side: core.database(path, options) → db | nil, message, code. The methods
 * stand in database.c, in the order in which one meets them. Errors in the caller's code raise;
 * what the disk, another process or a user's SQL did wrong comes back as nil, message, code.
 *
 * Called through the table of openers; used by store/, sweep/ledger.lua; lent by store.c. */
#ifndef TDM_BIND_DATABASE_H
#define TDM_BIND_DATABASE_H

#include <lua.h>
#include <stdatomic.h>

#include "base/error.h"

struct sqlite3;
typedef struct tdm_database tdm_database;

/* How long a writer waits for another process's transaction. */
#define TDM_DATABASE_BUSY_MS 5000

/* Pushes an object that is closed; a connection of somebody else's, who goes on owning it, makes it
 * work until it is taken back, which ends its cursors and statements. A flag that is not NULL ends
 * statements as Ctrl-C does. */
tdm_database *tdm_bind_database_new(lua_State *L);
tdm_status tdm_bind_database_lend(tdm_database *database, struct sqlite3 *handle, const char *path,
                                  atomic_int *flag, tdm_error *error);
void tdm_bind_database_take_back(tdm_database *database);

void tdm_bind_open_database(lua_State *L);

#endif
