/* The log that a killed writer left beside a store, for `tandem verify`; see trace/store/log.h.
 * Owns nothing. */
#include <lauxlib.h>
#include <string.h>

#include "bind/bind.h"
#include "trace/store/log.h"

/* core.log.look(path) → nil: nothing is wrong with it | { text, frames, whole, keep, unread }. The
 * process must not have the store open. */
static int look(lua_State *L) {
  tdm_log_state state;
  tdm_log_look(luaL_checkstring(L, 1), &state);
  if (!state.damaged) return 0;
  lua_createtable(L, 0, 5);
  lua_pushstring(L, state.text);
  lua_setfield(L, -2, "text");
  lua_pushinteger(L, state.frames);
  lua_setfield(L, -2, "frames");
  lua_pushinteger(L, state.whole);
  lua_setfield(L, -2, "whole");
  lua_pushinteger(L, state.keep);
  lua_setfield(L, -2, "keep");
  lua_pushboolean(L, state.unread);
  lua_setfield(L, -2, "unread");
  return 1;
}

/* core.log.cut(path, keep) → true | nil, message */
static int cut(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  int failed = tdm_log_cut(path, luaL_checkinteger(L, 2));
  lua_pushboolean(L, failed == 0);
  if (failed == 0) return 1;
  lua_pushnil(L);
  lua_pushfstring(L, "%s-wal: %s", path, strerror(failed));
  return 2;
}

void tdm_bind_open_log(lua_State *L) {
  static const luaL_Reg functions[] = {{"look", look}, {"cut", cut}, {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "log");
}
