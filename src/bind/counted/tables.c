/* table.move, insert, remove and sort with counted steps: a metatable can say that a table has as
 * many elements as there are integers. Called through counted.h. */
#include <lauxlib.h>

#include "bind/counted/inside.h"

typedef struct {
  lua_State *L;
  uint64_t steps;
} account;

/* to[put] = from[taken]; both are positions on the stack. */
static void shift(account *a, int from, lua_Integer taken, int to, lua_Integer put) {
  lua_geti(a->L, from, taken);
  lua_seti(a->L, to, put);
  if (++a->steps < TDM_STEPS_PAID) return;
  tdm_counted_pay(a->L, a->steps);
  a->steps = 0;
}

/* What Lua itself does; upvalue 1. */
static int by_lua(lua_State *L) {
  int arguments = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, arguments, LUA_MULTRET);
  return lua_gettop(L);
}

static int insert(lua_State *L) {
  if (lua_type(L, 1) != LUA_TTABLE) return by_lua(L);
  account a = {.L = L};
  lua_Integer end = (lua_Integer)((lua_Unsigned)luaL_len(L, 1) + 1), at = end;
  switch (lua_gettop(L)) {
  case 2: break;
  case 3:
    at = luaL_checkinteger(L, 2);
    luaL_argcheck(L, (lua_Unsigned)at - 1 < (lua_Unsigned)end, 2, "position out of bounds");
    for (lua_Integer i = end; i > at; i--) shift(&a, 1, i - 1, 1, i);
    break;
  default: return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  lua_seti(L, 1, at);
  return 0;
}

static int take_out(lua_State *L) {
  if (lua_type(L, 1) != LUA_TTABLE) return by_lua(L);
  account a = {.L = L};
  lua_Integer size = luaL_len(L, 1), at = luaL_optinteger(L, 2, size);
  luaL_argcheck(L, at == size || (lua_Unsigned)at - 1 <= (lua_Unsigned)size, 2,
                "position out of bounds");
  lua_geti(L, 1, at);
  for (; at < size; at++) shift(&a, 1, at + 1, 1, at);
  lua_pushnil(L);
  lua_seti(L, 1, at);
  return 1;
}

static int move(lua_State *L) {
  lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
  lua_Integer to = luaL_checkinteger(L, 4);
  int target = lua_isnoneornil(L, 5) ? 1 : 5;
  if (lua_type(L, 1) != LUA_TTABLE || lua_type(L, target) != LUA_TTABLE) return by_lua(L);
  account a = {.L = L};
  if (last >= first) {
    luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    lua_Integer count = last - first + 1;
    luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    if (to > last || to <= first || (target != 1 && !lua_compare(L, 1, target, LUA_OPEQ)))
      for (lua_Integer i = 0; i < count; i++) shift(&a, 1, first + i, target, to + i);
    else
      for (lua_Integer i = count - 1; i >= 0; i--) shift(&a, 1, first + i, target, to + i);
  }
  lua_pushvalue(L, target);
  return 1;
}

enum { SORTED_FREE = 100000 }; /* elements: so many are sorted within a fraction of a second */

/* Comparisons are paid ahead, two of them a step: what has many elements may have none but in the
 * word of its metatable, or be compared by a function in C. */
static int sort(lua_State *L) {
  if (lua_type(L, 1) == LUA_TTABLE) {
    lua_Integer size = luaL_len(L, 1);
    uint64_t levels = 0;
    for (lua_Integer left = size; left > 0; left /= 2) levels++;
    if (size > SORTED_FREE) tdm_counted_pay(L, (uint64_t)size / 2 * levels);
  }
  return by_lua(L);
}

void tdm_counted_tables(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"insert", insert}, {"remove", take_out}, {"move", move}, {"sort", sort}, {NULL, NULL}};
  for (const luaL_Reg *f = functions; f->name != NULL; f++) {
    lua_getfield(L, -1, f->name);
    lua_pushcclosure(L, f->func, 1);
    lua_setfield(L, -2, f->name);
  }
}
