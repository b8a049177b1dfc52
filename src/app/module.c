/* What Lua 5.4 of any other program loads with `require "tandem"`: tandem's modules in a state that
 * somebody else opened, whose libraries, signals and files' permissions stay as they are. lua-cjson
 * is the host's. No part of the program: `make module` links it in place of main.c and state.c. */
#include <lauxlib.h>
#include <lualib.h>

#include "app/app.h"
#include "bind/bind.h"
#include "bind/counted/counted.h"

int luaopen_tandem(lua_State *L);
static lua_State *open_state(void);

static void install(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_tandem_core);
  lua_setfield(L, -2, "tandem.core");
  lua_pop(L, 1);
  tdm_embedded_install(L);
  tdm_bind_set_interrupt(L, tdm_interrupt_flag());
  tdm_bind_set_maker(L, open_state);
}

static int open_all(lua_State *L) {
  luaL_openlibs(L);
  tdm_counted_install(L);
  install(L);
  return 0;
}

/* For threads that run whole scenarios. */
static lua_State *open_state(void) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return NULL;
  lua_pushcfunction(L, open_all);
  if (lua_pcall(L, 0, 0, 0) == LUA_OK) return L;
  lua_close(L);
  return NULL;
}

/* → what lua/tandem/init.lua returns */
int luaopen_tandem(lua_State *L) {
  luaL_checkversion(L);
  install(L);
  if (!tdm_embedded_load(L, "lua/tandem/init.lua")) return luaL_error(L, "lua/tandem is not there");
  lua_call(L, 0, 1);
  return 1;
}
