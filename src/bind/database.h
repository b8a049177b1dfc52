/* SQLite for the Lua side: core.database(path, options) → db | nil, message, code. The methods
 * stand in database.c, in the order in which one meets them. Errors in the caller's code raise;
 * what the disk, another process or a user's SQL did wrong comes back as nil, message, code.
 *
 * Called through the table of openers; used by sweep/ledger.lua. */
#ifndef TDM_BIND_DATABASE_H
#define TDM_BIND_DATABASE_H

#include <lua.h>

/* How long a writer waits for another process's transaction. */
#define TDM_DATABASE_BUSY_MS 5000

void tdm_bind_open_database(lua_State *L);

#endif
