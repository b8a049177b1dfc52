/* Calls of user code that Ctrl-C can stop: what the engine's binding needs to say to it. Owned by
 * guard.c. Called by the binding that runs the engine, around each run. */
#ifndef TDM_BIND_GUARD_H
#define TDM_BIND_GUARD_H

#include <lua.h>

/* Between these two the running C code polls the interrupt flag itself and returns partial
 * results, so the first Ctrl-C leaves Lua alone; a second one stops Lua hooks too. They nest. */
void tdm_guard_engine_enter(void);
void tdm_guard_engine_leave(void);

/* Ends the program by the signal that stopped its command, if one did, so that who started it sees
 * which. Called last of all by main. */
void tdm_guard_leave(void);

/* Where the innermost thread of Lua that runs is noted, for handlers of signals: the guard's own,
 * as core.guard.resume and core.guard.wrap keep it. Who runs a thread of Lua from C sets it, and
 * sets it back. */
lua_State *volatile *tdm_guard_running(void);

/* coroutine.resume and coroutine.wrap that keep account of which coroutine runs, so that a signal
 * handler can stop that one. Used by guard.c for a person's session and by worker.c. Sets both in
 * the table on top. `running` must outlive the state; it holds the innermost coroutine that runs,
 * and what it held before once that one is left. May raise. */
void tdm_coroutine_functions(lua_State *L, lua_State *volatile *running);

#endif
