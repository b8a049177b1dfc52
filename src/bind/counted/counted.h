/* Functions of Lua's string and table libraries whose work is counted, so that whoever stops Lua
 * code stops these as well: one call of Lua's own string.find can take longer than the universe is
 * old, and no hook looks at it. Results and messages are those of Lua 5.4. Called by whoever opens
 * a state. */
#ifndef TDM_BIND_COUNTED_COUNTED_H
#define TDM_BIND_COUNTED_COUNTED_H

#include <lua.h>

/* Replaces string.find, match, gmatch, gsub, rep, table.move, insert, remove, sort and xpcall in a
 * state whose libraries are open. May raise. */
void tdm_counted_install(lua_State *L);

/* From now on string.format shows tables, functions and the like by their type, and knows no "%p":
 * an address differs from run to run, and is nobody's business who may send a script. For states
 * that run scripts of strangers. May raise. */
void tdm_counted_hide_addresses(lua_State *L);

/* Pushes the value at `at` as a text in the same way; the text. */
const char *tdm_counted_text(lua_State *L, int at);

#endif
