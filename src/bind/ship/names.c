/* What need not be carried because every state has it: the standard library and tandem's modules,
 * by name. Other modules are user code and travel as they are, with the state they hold. */
#include <lauxlib.h>
#include <string.h>

#include "bind/ship/inside.h"

enum { MODULE_DEPTH = 3 }; /* tandem.node.metatables.dist */

static const char *const libraries[] = {"coroutine", "table",      "io",      "os",
                                        "string",    "math",       "utf8",    "debug",
                                        "cjson",     "cjson.safe", "package", "tandem"};

static const char *const basic[] = {
    "assert",       "collectgarbage", "dofile",   "error",  "getmetatable", "ipairs",
    "load",         "loadfile",       "next",     "pairs",  "pcall",        "print",
    "rawequal",     "rawget",         "rawlen",   "rawset", "require",      "select",
    "setmetatable", "tonumber",       "tostring", "type",   "warn",         "xpcall"};

bool tdm_ship_is_copied(const char *module) {
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (strcmp(module, libraries[i]) == 0) return strcmp(module, "package") != 0;
  return false;
}

/* The basic functions, unless the user replaced them. */
static void name_basic(lua_State *L, int names) {
  lua_pushglobaltable(L);
  for (size_t i = 0; i < sizeof basic / sizeof *basic; i++) {
    lua_pushstring(L, basic[i]);
    lua_rawget(L, -2);
    if (lua_iscfunction(L, -1)) {
      lua_pushfstring(L, "_G\n%s", basic[i]);
      lua_rawset(L, names);
    } else {
      lua_pop(L, 1);
    }
  }
  lua_pushliteral(L, "_G");
  lua_rawset(L, names);
}

/* Names the table on top, and what it holds under string keys; in_lua: also functions in Lua, which
 * in a library are the user's additions. names: index of the result. */
static void name_table(lua_State *L, int names, const char *path, int depth, bool in_lua) {
  luaL_checkstack(L, 8, "naming library functions");
  lua_pushvalue(L, -1);
  lua_rawget(L, names);
  bool known = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (known) return;
  lua_pushvalue(L, -1);
  lua_pushstring(L, path);
  lua_rawset(L, names);
  if (depth == 0) return;
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    int type = lua_type(L, -1);
    if (lua_type(L, -2) == LUA_TSTRING) {
      const char *inner = lua_pushfstring(L, "%s\n%s", path, lua_tostring(L, -2));
      lua_insert(L, -2);
      if (type == LUA_TTABLE) {
        if (depth > 1) name_table(L, names, inner, depth - 1, in_lua);
      } else if (lua_iscfunction(L, -1) || type == LUA_TUSERDATA ||
                 (in_lua && type == LUA_TFUNCTION)) {
        lua_pushvalue(L, -1);
        if (lua_rawget(L, names) == LUA_TNIL) {
          lua_pushvalue(L, -2);
          lua_pushvalue(L, -4);
          lua_rawset(L, names);
        }
        lua_pop(L, 1);
      }
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

void tdm_ship_push_names(lua_State *L) {
  lua_newtable(L);
  int names = lua_gettop(L);
  name_basic(L, names);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  int loaded = names + 1;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    bool ours = strcmp(libraries[i], "tandem") == 0;
    if (lua_getfield(L, loaded, libraries[i]) == LUA_TTABLE)
      name_table(L, names, libraries[i], 1, ours);
    lua_pop(L, 1);
  }
  lua_pushnil(L);
  while (lua_next(L, loaded) != 0) {
    const char *module = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (lua_istable(L, -1) && strncmp(module, "tandem.", 7) == 0)
      name_table(L, names, module, MODULE_DEPTH, true);
    lua_pop(L, 1);
  }
  lua_settop(L, names);
}
