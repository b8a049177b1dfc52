/* tandem.core, the C side of the Lua front end: one file per noun, each with an opener that adds
 * its functions to the module table. Functions here raise on a wrong argument (a bug of the caller)
 * and return nil, message, code when the world or the user's input is at fault. */
#ifndef TDM_BIND_BIND_H
#define TDM_BIND_BIND_H

#include <lua.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* For package.preload["tandem.core"]. */
int luaopen_tandem_core(lua_State *L);

/* Openers: the module table is on top of the stack and stays there. [-0, +0, m] */
void tdm_bind_open_allowance(lua_State *L);
void tdm_bind_open_analysis(lua_State *L);
void tdm_bind_open_capture(lua_State *L);
void tdm_bind_open_confine(lua_State *L);
void tdm_bind_open_core(lua_State *L);
void tdm_bind_open_crew(lua_State *L);
void tdm_bind_open_database(lua_State *L);
void tdm_bind_open_describe(lua_State *L);
void tdm_bind_open_dist(lua_State *L);
void tdm_bind_open_digest(lua_State *L);
void tdm_bind_open_edit(lua_State *L);
void tdm_bind_open_envelope(lua_State *L);
void tdm_bind_open_estimate(lua_State *L);
void tdm_bind_open_files(lua_State *L);
void tdm_bind_open_guard(lua_State *L);
void tdm_bind_open_json_read(lua_State *L);
void tdm_bind_open_json_stream(lua_State *L);
void tdm_bind_open_json_write(lua_State *L);
void tdm_bind_open_keep(lua_State *L);
void tdm_bind_open_llm(lua_State *L);
void tdm_bind_open_log(lua_State *L);
void tdm_bind_open_metrics(lua_State *L);
void tdm_bind_open_overlay(lua_State *L);
void tdm_bind_open_pieces(lua_State *L);
void tdm_bind_open_rules(lua_State *L);
void tdm_bind_open_run(lua_State *L);
void tdm_bind_open_serving(lua_State *L);
void tdm_bind_open_sheet(lua_State *L);
void tdm_bind_open_ship(lua_State *L);
void tdm_bind_open_stats(lua_State *L);
void tdm_bind_open_store(lua_State *L);
void tdm_bind_open_timeline(lua_State *L);
void tdm_bind_open_visits(lua_State *L);

/* Takes what a function in C did for a script out of what that may execute; the next of its
 * instructions notices. False: no limit holds, nothing was taken. */
bool tdm_allowance_spend(lua_State *L, uint64_t instructions);

/* The flag that long work polls, nonzero to stop; kept in the registry so that bind/ needs not
 * know who sets it. NULL when nobody gave one. The flag outlives the state. */
void tdm_bind_set_interrupt(lua_State *L, atomic_int *flag);
atomic_int *tdm_bind_interrupt(lua_State *L);

/* How to open another state like this one, for threads that run whole scenarios; NULL when nobody
 * said. What it makes is the caller's to close. */
typedef lua_State *(*tdm_state_maker)(void);
void tdm_bind_set_maker(lua_State *L, tdm_state_maker maker);
tdm_state_maker tdm_bind_maker(lua_State *L);

/* How a failure of the core reaches Lua: nil, message, code. Called by bind/ files whose work can
 * fail because of the world or of the user's input. */

/* Pushes nil, the message and the exit code of its status: 3 invalid, 4 I/O, 70 bug, 130
 * interrupted. Returns 3. */
int tdm_bind_failure(lua_State *L, const tdm_error *error);

/* Whether the first line of what was raised says that memory ended, as Lua words it, and C beside
 * it; or the second, of a shared object that could not be loaded. NULL: it does not. */
bool tdm_bind_tells_of_memory(const char *message);

#endif
