/* core.ship_call: runs a function in another state, as a worker would get it. For the tests of
 * bind/ship and for users who wonder what a thread will see. Owns that state for the call. */
#include <lauxlib.h>
#include <lualib.h>

#include "bind/bind.h"
#include "bind/counted/counted.h"
#include "bind/ship/ship.h"

typedef struct {
  lua_State *state;
  tdm_shipment *shipment;
} passage;

static int close_passage(lua_State *L) {
  passage *p = lua_touserdata(L, 1);
  if (p->state != NULL) lua_close(p->state);
  tdm_shipment_free(p->shipment);
  *p = (passage){NULL, NULL};
  return 0;
}

static passage *new_passage(lua_State *L) {
  passage *p = lua_newuserdatauv(L, sizeof *p, 0);
  *p = (passage){NULL, NULL};
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_passage);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return p;
}

/* Copies plain values between states; what is not plain becomes its type's name. Cannot raise in
 * `to` but for memory. */
static void copy_values(lua_State *from, int first, int last, lua_State *to) {
  for (int i = first; i <= last; i++) {
    size_t length;
    const char *text;
    switch (lua_type(from, i)) {
    case LUA_TNIL: lua_pushnil(to); break;
    case LUA_TBOOLEAN: lua_pushboolean(to, lua_toboolean(from, i)); break;
    case LUA_TNUMBER:
      if (lua_isinteger(from, i))
        lua_pushinteger(to, lua_tointeger(from, i));
      else
        lua_pushnumber(to, lua_tonumber(from, i));
      break;
    case LUA_TSTRING:
      text = lua_tolstring(from, i, &length);
      lua_pushlstring(to, text, length);
      break;
    default: lua_pushstring(to, luaL_typename(from, i)); break;
    }
  }
}

typedef struct {
  lua_State *from;
  const tdm_shipment *shipment;
  int arguments;
} order;

/* In the other state: opens the shipment, calls its function with the arguments that the caller
 * has from index 2 on. */
static int run_there(lua_State *L) {
  order o = *(order *)lua_touserdata(L, 1);
  lua_settop(L, 0);
  luaL_openlibs(L);
  tdm_counted_install(L);
  tdm_shipment_prepare(L, o.shipment);
  tdm_shipment_open(L, o.shipment);
  lua_rawgeti(L, 1, 1);
  lua_remove(L, 1);
  luaL_checkstack(L, o.arguments + 1, "arguments");
  copy_values(o.from, 2, o.arguments + 1, L);
  lua_call(L, o.arguments, LUA_MULTRET);
  return lua_gettop(L);
}

/* core.ship_call(fn, …) → what fn(…) returns there, plain values only | nil, message, "invalid" */
static int ship_call(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  order o = {.from = L, .arguments = lua_gettop(L) - 1};
  int top = lua_gettop(L);
  passage *p = new_passage(L);
  lua_createtable(L, 1, 0);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 1);
  tdm_error error;
  if (tdm_ship(L, -1, &p->shipment, &error) != TDM_OK) {
    luaL_pushfail(L);
    lua_pushstring(L, error.message);
    lua_pushliteral(L, "invalid");
    return 3;
  }
  p->state = luaL_newstate();
  if (p->state == NULL) return luaL_error(L, "not enough memory");
  o.shipment = p->shipment;
  lua_settop(L, top + 1);
  lua_pushcfunction(p->state, run_there);
  lua_pushlightuserdata(p->state, &o);
  if (lua_pcall(p->state, 1, LUA_MULTRET, 0) != LUA_OK) {
    luaL_pushfail(L);
    copy_values(p->state, -1, -1, L);
    lua_pushliteral(L, "hook");
    return 3;
  }
  int results = lua_gettop(p->state);
  luaL_checkstack(L, results, "results");
  copy_values(p->state, 1, results, L);
  return results;
}

/* core.ship_bytes(fn) → size of the shipment */
static int ship_bytes(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_createtable(L, 1, 0);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 1);
  tdm_shipment *shipment;
  tdm_error error;
  if (tdm_ship(L, -1, &shipment, &error) != TDM_OK) {
    luaL_pushfail(L);
    lua_pushstring(L, error.message);
    lua_pushliteral(L, "invalid");
    return 3;
  }
  lua_pushinteger(L, (lua_Integer)tdm_shipment_bytes(shipment));
  tdm_shipment_free(shipment);
  return 1;
}

void tdm_bind_open_ship(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"ship_call", ship_call}, {"ship_bytes", ship_bytes}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
