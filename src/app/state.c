/* Opens a Lua state with everything that `require` may find; see app.h. Modules are preloaded,
 * not opened: start-up pays only for what is used. */
#include "app/app.h"

#include <lauxlib.h>
#include <lua-cjson.h>
#include <lualib.h>

#include "bind/bind.h"
#include "bind/counted/counted.h"

static int open_all(lua_State *L) {
  luaL_openlibs(L);
  tdm_counted_install(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_cjson);
  lua_setfield(L, -2, "cjson");
  lua_pushcfunction(L, luaopen_tandem_core);
  lua_setfield(L, -2, "tandem.core");
  tdm_embedded_install(L);
  tdm_bind_set_interrupt(L, tdm_interrupt_flag());
  tdm_bind_set_maker(L, tdm_state_open);
  return 0;
}

lua_State *tdm_state_open(void) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return NULL;
  lua_gc(L, LUA_GCSTOP); /* nothing made here becomes garbage */
  lua_pushcfunction(L, open_all);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    lua_close(L);
    return NULL;
  }
  lua_gc(L, LUA_GCRESTART);
  return L;
}
