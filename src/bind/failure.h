/* Whether a text that was raised tells of a file rather than of a bug. Called by core.c. */
#ifndef TDM_BIND_FAILURE_H
#define TDM_BIND_FAILURE_H

#include <lua.h>

/* core.blamed(text) → the last failure to read or write, where `text`, which was raised, tells of
 * it; else nil */
int tdm_bind_blamed(lua_State *L);

#endif
