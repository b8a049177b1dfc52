/* Lua states of a process that opens files of one folder only. Called by whoever opens another
 * state for what a script may reach. */
#ifndef TDM_BIND_CONFINE_H
#define TDM_BIND_CONFINE_H

#include <lua.h>

/* Enters the process's rule, when there is one: after the libraries and what `require` finds are
 * set up, before anything else. [-0, +0, e] */
void tdm_bind_confine(lua_State *L);

#endif
