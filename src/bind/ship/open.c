/* Opens shipments in a worker's state; see ship.h. Trusts the bytes: ship.c wrote them in this
 * process. Everything here may raise, and owns nothing that a raise would lose. */
#include <lauxlib.h>
#include <string.h>

#include "bind/confine.h"
#include "bind/ship/inside.h"
#include "bind/ship/ship.h"

typedef struct {
  const unsigned char *at, *end;
} cursor;

static cursor cursor_of(const tdm_ship_buffer *buffer) {
  return (cursor){buffer->bytes, buffer->bytes + buffer->length};
}

static void take(cursor *c, void *out, size_t size) {
  memcpy(out, c->at, size);
  c->at += size;
}

static unsigned take_tag(cursor *c) {
  return *c->at++;
}

static uint32_t take_u32(cursor *c) {
  uint32_t value;
  take(c, &value, sizeof value);
  return value;
}

static const char *take_text(cursor *c, size_t *length) {
  *length = take_u32(c);
  const char *text = (const char *)c->at;
  c->at += *length;
  return text;
}

static lua_CFunction take_function(cursor *c) {
  lua_CFunction function;
  take(c, &function, sizeof function);
  return function;
}

void tdm_shipment_prepare(lua_State *L, const tdm_shipment *shipment) {
  int top = lua_gettop(L);
  cursor c = cursor_of(&shipment->origin);
  lua_getglobal(L, "package");
  while (c.at < c.end) {
    size_t length;
    switch (take_tag(&c)) {
    case TDM_SHIP_PRELOAD: {
      const char *name = take_text(&c, &length);
      lua_getfield(L, top + 1, "preload");
      lua_pushlstring(L, name, length);
      lua_pushcfunction(L, take_function(&c));
      lua_settable(L, -3);
      break;
    }
    case TDM_SHIP_SEARCHER: { /* second: after preload, before the search path */
      lua_getfield(L, top + 1, "searchers");
      for (lua_Integer i = (lua_Integer)lua_rawlen(L, -1); i >= 2; i--) {
        lua_rawgeti(L, -1, i);
        lua_rawseti(L, -2, i + 1);
      }
      lua_pushcfunction(L, take_function(&c));
      lua_rawseti(L, -2, 2);
      break;
    }
    case TDM_SHIP_PATH: {
      const char *field = take_text(&c, &length);
      lua_pushlstring(L, field, length);
      const char *path = take_text(&c, &length);
      lua_pushlstring(L, path, length);
      lua_settable(L, top + 1);
      break;
    }
    }
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  tdm_bind_confine(L);
}

/* What user code sees as the globals of the standard library; a worker puts its own print and pairs
 * there, which our modules must not get. */
static void push_base(lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, TDM_SHIP_BASE) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_pushglobaltable(L);
}

/* Pushes the module's table; the opening's own copy where user code may assign into it. */
static void push_module(lua_State *L, int copies, const char *name) {
  if (strcmp(name, "_G") == 0) {
    push_base(L);
    return;
  }
  if (lua_getfield(L, copies, name) != LUA_TNIL) return;
  lua_pop(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_getglobal(L, "require");
    lua_pushstring(L, name);
    lua_call(L, 1, 1);
  }
  lua_remove(L, -2);
  if (tdm_ship_is_copied(name)) {
    lua_createtable(L, 0, 32);
    lua_pushnil(L);
    while (lua_next(L, -3) != 0) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -4);
    }
    if (lua_getmetatable(L, -2)) lua_setmetatable(L, -2);
    lua_remove(L, -2);
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, copies, name);
}

static void push_named(lua_State *L, int copies, const char *path, size_t length) {
  const char *end = path + length, *stop = memchr(path, '\n', length);
  lua_pushlstring(L, path, (size_t)((stop ? stop : end) - path));
  push_module(L, copies, lua_tostring(L, -1));
  lua_remove(L, -2);
  while (stop != NULL) {
    const char *field = stop + 1;
    stop = memchr(field, '\n', (size_t)(end - field));
    lua_pushlstring(L, field, (size_t)((stop ? stop : end) - field));
    lua_rawget(L, -2);
    lua_remove(L, -2);
    if (lua_isnil(L, -1) || (stop != NULL && !lua_istable(L, -1))) {
      lua_pushlstring(L, path, length);
      luaL_gsub(L, lua_tostring(L, -1), "\n", ".");
      luaL_error(L, "%s, used by a function of the scenario, is not there in the worker",
                 lua_tostring(L, -1));
    }
  }
}

/* An environment of its own for globals; what no function named is found in the state's. */
static void push_globals(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  push_base(L);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

static void push_object(lua_State *L, int copies, cursor *c) {
  size_t length;
  switch (take_tag(c)) {
  case TDM_SHIP_NAMED: {
    const char *path = take_text(c, &length);
    push_named(L, copies, path, length);
    break;
  }
  case TDM_SHIP_C: lua_pushcfunction(L, take_function(c)); break;
  case TDM_SHIP_TABLE: {
    uint32_t items = take_u32(c), fields = take_u32(c);
    lua_createtable(L, (int)items, (int)fields);
    break;
  }
  case TDM_SHIP_GLOBALS: push_globals(L); break;
  default: {
    const char *code = take_text(c, &length);
    if (luaL_loadbufferx(L, code, length, "=shipped", "b") != LUA_OK) lua_error(L);
    break;
  }
  }
}

static void push_value(lua_State *L, int objects, cursor *c) {
  switch (take_tag(c)) {
  case TDM_SHIP_NIL: lua_pushnil(L); break;
  case TDM_SHIP_FALSE: lua_pushboolean(L, 0); break;
  case TDM_SHIP_TRUE: lua_pushboolean(L, 1); break;
  case TDM_SHIP_INTEGER: {
    lua_Integer value;
    take(c, &value, sizeof value);
    lua_pushinteger(L, value);
    break;
  }
  case TDM_SHIP_NUMBER: {
    lua_Number value;
    take(c, &value, sizeof value);
    lua_pushnumber(L, value);
    break;
  }
  case TDM_SHIP_STRING: {
    size_t length;
    const char *text = take_text(c, &length);
    lua_pushlstring(L, text, length);
    break;
  }
  case TDM_SHIP_POINTER: {
    void *value;
    take(c, &value, sizeof value);
    lua_pushlightuserdata(L, value);
    break;
  }
  default: lua_rawgeti(L, objects, take_u32(c)); break;
  }
}

static void do_link(lua_State *L, int objects, cursor *c) {
  unsigned tag = take_tag(c);
  lua_rawgeti(L, objects, take_u32(c));
  switch (tag) {
  case TDM_SHIP_FIELD:
    push_value(L, objects, c);
    push_value(L, objects, c);
    lua_rawset(L, -3);
    break;
  case TDM_SHIP_META:
    push_value(L, objects, c);
    lua_setmetatable(L, -2);
    break;
  case TDM_SHIP_UPVALUE: {
    int position = (int)take_u32(c);
    push_value(L, objects, c);
    lua_setupvalue(L, -2, position);
    break;
  }
  default: {
    int position = (int)take_u32(c);
    lua_rawgeti(L, objects, take_u32(c));
    lua_upvaluejoin(L, -2, position, -1, (int)take_u32(c));
    lua_pop(L, 1);
    break;
  }
  }
  lua_pop(L, 1);
}

void tdm_shipment_open(lua_State *L, const tdm_shipment *shipment) {
  luaL_checkstack(L, 16, "opening a shipment");
  lua_createtable(L, (int)shipment->object_count, 0);
  int objects = lua_gettop(L), copies = objects + 1;
  lua_newtable(L);
  cursor c = cursor_of(&shipment->objects);
  for (lua_Integer id = 1; c.at < c.end; id++) {
    push_object(L, copies, &c);
    lua_rawseti(L, objects, id);
  }
  c = cursor_of(&shipment->links);
  while (c.at < c.end) do_link(L, objects, &c);
  lua_rawgeti(L, objects, 1);
  lua_replace(L, objects);
  lua_settop(L, objects);
}
