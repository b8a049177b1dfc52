/* coroutine.resume and coroutine.wrap that keep account of which coroutine runs, so that a signal
 * handler can stop that one. Used by guard.c for a person's session and by worker.c. */
#ifndef TDM_BIND_COROUTINE_H
#define TDM_BIND_COROUTINE_H

#include <lua.h>

/* Sets both in the table on top. `running` must outlive the state; it holds the innermost coroutine
 * that runs, and what it held before once that one is left. May raise. */
void tdm_coroutine_functions(lua_State *L, lua_State *volatile *running);

#endif
