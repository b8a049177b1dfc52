/* Packs functions and all they reach; see ship.h and inside.h.
 *
 * The walk is breadth first over numbered objects. Environments (the globals, a sandbox's table)
 * are special: of them only entries travel whose name occurs in the code that travels, else a
 * function would drag the whole session along. Runs protected: buffers belong to the shipment,
 * which the caller frees when Lua raised. */
#include "bind/ship/ship.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/ship/inside.h"

/* Stack of the protected walk. */
enum {
  LIST = 1, /* the functions */
  WALK,     /* light userdata: the walk */
  NAMES,    /* object → its name in every state */
  IDS,      /* object → id */
  QUEUE,    /* id → object */
  ORIGIN,   /* id → what leads there: "upvalue 'f' of the function at demo.lua:12" */
  CELLS,    /* light userdata of an upvalue → id << 8 | position of its first user */
  ENVS,     /* environment → { name = true once carried } */
  FIXED = ENVS
};

typedef struct {
  tdm_shipment *shipment;
  lua_Integer done; /* ids up to here have been walked */
} walk;

/* ---- bytes */

static void put(lua_State *L, tdm_ship_buffer *b, const void *bytes, size_t size) {
  if (!tdm_array_grow(&b->bytes, &b->capacity, b->length + size, 1))
    luaL_error(L, "not enough memory");
  if (size > 0) memcpy(b->bytes + b->length, bytes, size);
  b->length += size;
}

static void put_tag(lua_State *L, tdm_ship_buffer *b, unsigned tag) {
  unsigned char byte = (unsigned char)tag;
  put(L, b, &byte, 1);
}

static void put_u32(lua_State *L, tdm_ship_buffer *b, uint32_t value) {
  put(L, b, &value, sizeof value);
}

static void put_text(lua_State *L, tdm_ship_buffer *b, const char *text, size_t length) {
  if (length > UINT32_MAX) luaL_error(L, "a text of %f bytes is too long to carry", (double)length);
  put_u32(L, b, (uint32_t)length);
  put(L, b, text, length);
}

static void put_function(lua_State *L, tdm_ship_buffer *b, lua_CFunction function) {
  put(L, b, &function, sizeof function);
}

typedef struct {
  tdm_ship_buffer *buffer;
} dump_target;

static int write_code(lua_State *L, const void *bytes, size_t size, void *context) {
  put(L, ((dump_target *)context)->buffer, bytes, size);
  return 0;
}

/* ---- objects */

static uint32_t object_id(lua_State *L, walk *w, int index, const char *origin);

static int refuse(lua_State *L, const char *what, const char *origin, const char *advice) {
  return luaL_error(L, "%s cannot be carried to the threads that run replications: %s; %s", what,
                    origin, advice);
}

/* "demo.lua:12" */
static const char *push_position(lua_State *L, int index) {
  lua_Debug ar;
  lua_pushvalue(L, index);
  lua_getinfo(L, ">S", &ar);
  return lua_pushfstring(L, "%s:%d", ar.short_src, ar.linedefined);
}

static bool has_upvalues(lua_State *L, int index) {
  if (lua_getupvalue(L, index, 1) == NULL) return false;
  lua_pop(L, 1);
  return true;
}

static void put_new_function(lua_State *L, tdm_ship_buffer *b, int index, const char *origin) {
  if (lua_iscfunction(L, index)) {
    if (has_upvalues(L, index))
      refuse(L, "a function written in C that holds state", origin,
             "make it inside the function that uses it");
    put_tag(L, b, TDM_SHIP_C);
    put_function(L, b, lua_tocfunction(L, index));
    return;
  }
  put_tag(L, b, TDM_SHIP_CODE);
  size_t mark = b->length;
  put_u32(L, b, 0);
  dump_target target = {b};
  lua_pushvalue(L, index);
  lua_dump(L, write_code, &target, 0); /* 0: keep line numbers */
  lua_pop(L, 1);
  uint32_t length = (uint32_t)(b->length - mark - sizeof length);
  memcpy(b->bytes + mark, &length, sizeof length);
}

static void put_new_table(lua_State *L, tdm_ship_buffer *b, int index) {
  lua_pushglobaltable(L);
  bool globals = lua_rawequal(L, -1, index);
  lua_pop(L, 1);
  if (globals) {
    put_tag(L, b, TDM_SHIP_GLOBALS);
    return;
  }
  uint32_t all = 0, items = (uint32_t)lua_rawlen(L, index);
  lua_pushnil(L);
  for (; lua_next(L, index) != 0; lua_pop(L, 1)) all++;
  put_tag(L, b, TDM_SHIP_TABLE);
  put_u32(L, b, items < all ? items : all);
  put_u32(L, b, all > items ? all - items : 0);
}

/* Number of the table or function at an absolute index; a new one gets its record now and its
 * contents when its turn comes. */
static uint32_t object_id(lua_State *L, walk *w, int index, const char *origin) {
  lua_pushvalue(L, index);
  if (lua_rawget(L, IDS) != LUA_TNIL) {
    uint32_t id = (uint32_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return id;
  }
  lua_pop(L, 1);
  uint32_t id = ++w->shipment->object_count;
  tdm_ship_buffer *b = &w->shipment->objects;
  lua_pushvalue(L, index);
  lua_pushinteger(L, id);
  lua_rawset(L, IDS);
  lua_pushvalue(L, index);
  bool named = lua_rawget(L, NAMES) != LUA_TNIL;
  size_t length = 0;
  const char *name = named ? lua_tolstring(L, -1, &length) : NULL;
  if (named && strcmp(name, "_G") != 0) {
    put_tag(L, b, TDM_SHIP_NAMED);
    put_text(L, b, name, length);
    lua_pushboolean(L, 0); /* nothing to walk */
  } else {
    if (lua_istable(L, index))
      put_new_table(L, b, index);
    else if (lua_isfunction(L, index))
      put_new_function(L, b, index, origin);
    else if (lua_type(L, index) == LUA_TTHREAD)
      refuse(L, "a coroutine", origin, "make it inside the function that uses it");
    else if (luaL_testudata(L, index, LUA_FILEHANDLE) != NULL)
      refuse(L, "an open file", origin, "open it inside the function, or read it beforehand");
    else
      refuse(L, "a userdata", origin, "make it inside the function that uses it");
    lua_pushvalue(L, index);
  }
  lua_rawseti(L, QUEUE, id);
  lua_pop(L, 1);
  lua_pushstring(L, origin);
  lua_rawseti(L, ORIGIN, id);
  return id;
}

/* Appends the value at an absolute index to the links. */
static void put_value(lua_State *L, walk *w, int index, const char *origin) {
  tdm_ship_buffer *b = &w->shipment->links;
  switch (lua_type(L, index)) {
  case LUA_TNIL: put_tag(L, b, TDM_SHIP_NIL); break;
  case LUA_TBOOLEAN: put_tag(L, b, lua_toboolean(L, index) ? TDM_SHIP_TRUE : TDM_SHIP_FALSE); break;
  case LUA_TNUMBER:
    if (lua_isinteger(L, index)) {
      lua_Integer value = lua_tointeger(L, index);
      put_tag(L, b, TDM_SHIP_INTEGER);
      put(L, b, &value, sizeof value);
    } else {
      lua_Number value = lua_tonumber(L, index);
      put_tag(L, b, TDM_SHIP_NUMBER);
      put(L, b, &value, sizeof value);
    }
    break;
  case LUA_TSTRING: {
    size_t length;
    const char *text = lua_tolstring(L, index, &length);
    put_tag(L, b, TDM_SHIP_STRING);
    put_text(L, b, text, length);
    break;
  }
  case LUA_TLIGHTUSERDATA: {
    void *pointer = lua_touserdata(L, index);
    put_tag(L, b, TDM_SHIP_POINTER);
    put(L, b, &pointer, sizeof pointer);
    break;
  }
  default: {
    uint32_t id = object_id(L, w, index, origin);
    put_tag(L, b, TDM_SHIP_OBJECT);
    put_u32(L, b, id);
    break;
  }
  }
}

/* ---- contents */

static void mark_environment(lua_State *L, int index) {
  for (int depth = 0; depth < 8 && lua_istable(L, index); depth++) {
    lua_pushvalue(L, index);
    if (lua_rawget(L, ENVS) == LUA_TNIL) {
      lua_pushvalue(L, index);
      lua_newtable(L);
      lua_rawset(L, ENVS);
    }
    lua_pop(L, 1);
    if (!lua_getmetatable(L, index)) return;
    lua_pushliteral(L, "__index"); /* names that it does not have are looked up there */
    lua_rawget(L, -2);
    lua_remove(L, -2);
    index = lua_gettop(L);
  }
}

static void put_field(lua_State *L, walk *w, uint32_t id, int key, int value, const char *origin) {
  luaL_checkstack(L, 8, "packing");
  char text[64];
  if (lua_type(L, key) == LUA_TSTRING)
    snprintf(text, sizeof text, "%.50s", lua_tostring(L, key));
  else if (lua_isinteger(L, key))
    snprintf(text, sizeof text, "[%lld]", (long long)lua_tointeger(L, key));
  else
    snprintf(text, sizeof text, "[%s]", luaL_typename(L, key));
  const char *where = strlen(origin) < 160 ? lua_pushfstring(L, "field '%s' in %s", text, origin)
                                           : lua_pushstring(L, origin);
  /* Values may number new objects but write only their own bytes to the links. */
  put_tag(L, &w->shipment->links, TDM_SHIP_FIELD);
  put_u32(L, &w->shipment->links, id);
  put_value(L, w, key, where);
  put_value(L, w, value, where);
  lua_pop(L, 1);
}

static void walk_table(lua_State *L, walk *w, uint32_t id, int index, const char *origin) {
  if (lua_getmetatable(L, index)) {
    int metatable = lua_gettop(L);
    const char *where = lua_pushfstring(L, "the metatable of %s", origin);
    put_tag(L, &w->shipment->links, TDM_SHIP_META);
    put_u32(L, &w->shipment->links, id);
    put_value(L, w, metatable, where);
    lua_settop(L, metatable - 1);
  }
  lua_pushvalue(L, index);
  bool environment = lua_rawget(L, ENVS) != LUA_TNIL;
  lua_pop(L, 1);
  if (environment) return;
  int key = lua_gettop(L) + 1;
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    put_field(L, w, id, key, key + 1, origin);
    lua_settop(L, key);
  }
}

static void walk_function(lua_State *L, walk *w, uint32_t id, int index) {
  if (lua_iscfunction(L, index)) return;
  const char *position = push_position(L, index);
  int value = lua_gettop(L) + 1;
  const char *name;
  for (int i = 1; (name = lua_getupvalue(L, index, i)) != NULL; i++) {
    lua_Integer cell = (lua_Integer)id << 8 | i;
    tdm_ship_buffer *links = &w->shipment->links;
    if (lua_rawgetp(L, CELLS, lua_upvalueid(L, index, i)) != LUA_TNIL) {
      cell = lua_tointeger(L, -1);
      put_tag(L, links, TDM_SHIP_JOIN);
      put_u32(L, links, id);
      put_u32(L, links, (uint32_t)i);
      put_u32(L, links, (uint32_t)(cell >> 8));
      put_u32(L, links, (uint32_t)(cell & 255));
    } else {
      lua_pushinteger(L, cell);
      lua_rawsetp(L, CELLS, lua_upvalueid(L, index, i));
      if (strcmp(name, "_ENV") == 0) mark_environment(L, value);
      const char *origin = lua_pushfstring(L, "upvalue '%s' of the function at %s", name, position);
      put_tag(L, links, TDM_SHIP_UPVALUE);
      put_u32(L, links, id);
      put_u32(L, links, (uint32_t)i);
      put_value(L, w, value, origin);
    }
    lua_settop(L, value - 1);
  }
  lua_settop(L, value - 2);
}

static void walk_pending(lua_State *L, walk *w) {
  int top = lua_gettop(L);
  while (w->done < (lua_Integer)w->shipment->object_count) {
    lua_Integer id = ++w->done;
    lua_rawgeti(L, ORIGIN, id);
    lua_rawgeti(L, QUEUE, id);
    int index = top + 2;
    const char *origin = lua_tostring(L, top + 1);
    if (lua_istable(L, index))
      walk_table(L, w, (uint32_t)id, index, origin);
    else if (lua_isfunction(L, index))
      walk_function(L, w, (uint32_t)id, index);
    lua_settop(L, top);
  }
}

/* ---- environments */

/* Whether the code on its way holds this constant. Strings stand in binary chunks after their
 * length, in seven bits a byte; looking for the short ones' own length byte avoids most doubt. */
static bool is_mentioned(const walk *w, const char *name, size_t length) {
  char pattern[130];
  const tdm_ship_buffer *b = &w->shipment->objects;
  if (length >= 120) return memmem(b->bytes, b->length, name, length) != NULL;
  pattern[0] = (char)(unsigned char)((length + 1) | 0x80);
  memcpy(pattern + 1, name, length);
  return memmem(b->bytes, b->length, pattern, length + 1) != NULL;
}

/* Carries entries of the environment at `index` that the code names and that did not go yet. */
static void walk_environment(lua_State *L, walk *w, int index, int carried) {
  lua_pushvalue(L, index);
  if (lua_rawget(L, IDS) == LUA_TNIL) { /* reached through a chain of __index that stayed home */
    lua_pop(L, 1);
    return;
  }
  uint32_t id = (uint32_t)lua_tointeger(L, -1);
  lua_pop(L, 1);
  int key = lua_gettop(L) + 1;
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    size_t length = 0;
    bool text = lua_type(L, key) == LUA_TSTRING;
    const char *name = text ? lua_tolstring(L, key, &length) : "";
    lua_pushvalue(L, key);
    bool gone = lua_rawget(L, carried) != LUA_TNIL;
    if (!gone && (!text || is_mentioned(w, name, length))) {
      lua_pushvalue(L, key);
      lua_pushboolean(L, 1);
      lua_rawset(L, carried);
      const char *origin = lua_pushfstring(L, "the global '%s'", text ? name : "?");
      put_tag(L, &w->shipment->links, TDM_SHIP_FIELD);
      put_u32(L, &w->shipment->links, id);
      put_value(L, w, key, origin);
      put_value(L, w, key + 1, origin);
    }
    lua_settop(L, key);
  }
}

static void walk_environments(lua_State *L, walk *w) {
  uint32_t before;
  do {
    before = w->shipment->object_count;
    size_t environments = 0, now = 0;
    lua_pushnil(L);
    for (; lua_next(L, ENVS) != 0; lua_pop(L, 1)) {
      environments++;
      walk_environment(L, w, lua_gettop(L) - 1, lua_gettop(L));
    }
    walk_pending(L, w);
    lua_pushnil(L);
    for (; lua_next(L, ENVS) != 0; lua_pop(L, 1)) now++;
    if (now != environments) before = 0; /* a new environment: its entries have their turn */
  } while (before != w->shipment->object_count);
}

/* ---- the whole */

static void put_origin(lua_State *L, tdm_ship_buffer *b) {
  static const char *const paths[] = {"path", "cpath"};
  int top = lua_gettop(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, LUA_LOADLIBNAME) != LUA_TTABLE) {
    lua_settop(L, top);
    return;
  }
  int package = lua_gettop(L);
  for (size_t i = 0; i < 2; i++) {
    size_t length;
    lua_getfield(L, package, paths[i]);
    const char *path = lua_tolstring(L, -1, &length);
    if (path == NULL) continue;
    put_tag(L, b, TDM_SHIP_PATH);
    put_text(L, b, paths[i], strlen(paths[i]));
    put_text(L, b, path, length);
  }
  lua_settop(L, package);
  if (lua_getfield(L, package, "preload") == LUA_TTABLE) {
    lua_pushnil(L);
    for (; lua_next(L, package + 1) != 0; lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING || !lua_iscfunction(L, -1) ||
          has_upvalues(L, lua_gettop(L)))
        continue;
      size_t length;
      const char *name = lua_tolstring(L, -2, &length);
      put_tag(L, b, TDM_SHIP_PRELOAD);
      put_text(L, b, name, length);
      put_function(L, b, lua_tocfunction(L, -1));
    }
  }
  lua_settop(L, package);
  if (lua_getfield(L, package, "searchers") == LUA_TTABLE) {
    for (lua_Integer i = (lua_Integer)lua_rawlen(L, -1); i >= 1; i--) {
      lua_rawgeti(L, package + 1, i);
      if (lua_iscfunction(L, -1) && !has_upvalues(L, lua_gettop(L))) {
        put_tag(L, b, TDM_SHIP_SEARCHER);
        put_function(L, b, lua_tocfunction(L, -1));
      }
      lua_pop(L, 1);
    }
  }
  lua_settop(L, top);
}

static int pack(lua_State *L) {
  walk *w = lua_touserdata(L, WALK);
  luaL_checktype(L, LIST, LUA_TTABLE);
  luaL_checkstack(L, 64, "packing functions");
  tdm_ship_push_names(L);
  for (int i = IDS; i <= FIXED; i++) lua_newtable(L);
  lua_pushglobaltable(L);
  mark_environment(L, lua_gettop(L));
  lua_settop(L, FIXED);
  w->shipment->function_count = (uint32_t)lua_rawlen(L, LIST);
  for (lua_Integer i = 1; i <= (lua_Integer)w->shipment->function_count; i++) {
    const char *name;
    if (lua_rawgeti(L, LIST, i) == LUA_TFUNCTION && !lua_iscfunction(L, -1))
      for (int k = 1; (name = lua_getupvalue(L, FIXED + 1, k)) != NULL; k++)
        if (strcmp(name, "_ENV") == 0) mark_environment(L, lua_gettop(L));
    lua_settop(L, FIXED);
  }
  put_origin(L, &w->shipment->origin);
  object_id(L, w, LIST, "the list of functions");
  walk_pending(L, w);
  walk_environments(L, w);
  return 0;
}

tdm_status tdm_ship(lua_State *L, int index, tdm_shipment **out, tdm_error *error) {
  *out = NULL;
  tdm_shipment *shipment = tdm_array_new(1, sizeof *shipment);
  if (shipment == NULL || !lua_checkstack(L, 4)) {
    free(shipment);
    return tdm_error_memory(error, "a shipment", sizeof *shipment);
  }
  walk w = {.shipment = shipment};
  index = lua_absindex(L, index);
  lua_pushcfunction(L, pack);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, &w);
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
    const char *message = lua_tostring(L, -1);
    tdm_error_set(error, TDM_INVALID, "%s", message != NULL ? message : "packing failed");
    lua_pop(L, 1);
    tdm_shipment_free(shipment);
    return TDM_INVALID;
  }
  *out = shipment;
  return TDM_OK;
}

void tdm_shipment_free(tdm_shipment *shipment) {
  if (shipment == NULL) return;
  free(shipment->objects.bytes);
  free(shipment->links.bytes);
  free(shipment->origin.bytes);
  free(shipment);
}

size_t tdm_shipment_bytes(const tdm_shipment *shipment) {
  return shipment->objects.length + shipment->links.length + shipment->origin.length;
}

size_t tdm_shipment_count(const tdm_shipment *shipment) {
  return shipment->function_count;
}
