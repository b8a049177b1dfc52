/* xpcall whose handler is left out where a hook raised: a handler runs inside the hook then, where
 * no other hook comes, so one that does not end could not be stopped. Called through counted.h. */
#include <lauxlib.h>
#include <string.h>

#include "bind/counted/inside.h"

/* Upvalue: the user's handler. */
static int handle(lua_State *L) {
  lua_Debug own;
  if (lua_getstack(L, 0, &own) != 0 && lua_getinfo(L, "n", &own) != 0 &&
      strcmp(own.namewhat, "hook") == 0)
    return 1;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

static int finish(lua_State *L, int status, lua_KContext beneath) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)beneath;
  lua_pushboolean(L, false);
  lua_insert(L, -2);
  return 2;
}

/* xpcall(f, handler, …) */
static int call_protected(lua_State *L) {
  enum { BENEATH = 2 }; /* f, and the handler */
  luaL_checktype(L, 2, LUA_TFUNCTION);
  int arguments = lua_gettop(L) - BENEATH;
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, handle, 1);
  lua_replace(L, 2);
  lua_pushboolean(L, true);
  lua_pushvalue(L, 1);
  lua_rotate(L, BENEATH + 1, 2);
  int status = lua_pcallk(L, arguments, LUA_MULTRET, 2, BENEATH, finish);
  return finish(L, status, BENEATH);
}

void tdm_counted_protected(lua_State *L) {
  lua_pushcfunction(L, call_protected);
  lua_setglobal(L, "xpcall");
}
