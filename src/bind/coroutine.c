/* coroutine.resume and coroutine.wrap with account of who runs; see guard.h. */
#include "bind/guard.h"

#include <lauxlib.h>
#include <stdint.h>

/* Moves `arguments` values to co and runs it. Returns the number of values that it left on L, or
 * -1 with the error value on top. [-arguments, +results, m] */
static int resume_into(lua_State *L, lua_State *co, int arguments, lua_State *volatile *running) {
  int results = 0;
  if (!lua_checkstack(co, arguments)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, arguments);
  lua_State *outer = *running;
  *running = co;
  int status = lua_resume(co, L, arguments, &results);
  *running = outer;
  if (status != LUA_OK && status != LUA_YIELD) {
    /* What stopped the coroutine stops whoever catches that, too. */
    lua_Hook hook = lua_gethook(co);
    if (hook != NULL && (hook != lua_gethook(L) || lua_gethookcount(co) < lua_gethookcount(L)))
      lua_sethook(L, hook, lua_gethookmask(co), lua_gethookcount(co));
    lua_xmove(co, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, results);
  return results;
}

/* coroutine.resume; upvalue: where the running coroutine is noted */
static int resume(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  luaL_argexpected(L, co != NULL, 1, "coroutine");
  int results = resume_into(L, co, lua_gettop(L) - 1, lua_touserdata(L, lua_upvalueindex(1)));
  lua_pushboolean(L, results >= 0);
  int returned = results >= 0 ? results : 1;
  lua_insert(L, -(returned + 1));
  return returned + 1;
}

/* upvalues: the coroutine, where the running one is noted */
static int wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  int results = resume_into(L, co, lua_gettop(L), lua_touserdata(L, lua_upvalueindex(2)));
  if (results >= 0) return results;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) { /* it died: closes its pending variables */
    status = lua_resetthread(co);
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* coroutine.wrap; upvalue: the same */
static int wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, wrapped, 2);
  return 1;
}

void tdm_coroutine_functions(lua_State *L, lua_State *volatile *running) {
  static const luaL_Reg functions[] = {{"resume", resume}, {"wrap", wrap}, {NULL, NULL}};
  lua_pushlightuserdata(L, (void *)(uintptr_t)running);
  luaL_setfuncs(L, functions, 1);
}
