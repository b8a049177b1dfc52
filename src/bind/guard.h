/* Calls of user code that Ctrl-C can stop: what the engine's binding needs to say to it.
 * Owned by guard.c. Called by the binding that runs the engine, around each run. */
#ifndef TDM_BIND_GUARD_H
#define TDM_BIND_GUARD_H

/* Between these two the running C code polls the interrupt flag itself and returns partial
 * results, so the first Ctrl-C leaves Lua alone; a second one stops Lua hooks too. They nest. */
void tdm_guard_engine_enter(void);
void tdm_guard_engine_leave(void);

#endif
