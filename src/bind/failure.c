/* Statuses as exit codes, and the last one that blamed a file: code that asserts turns it into a
 * raised text. Owns that one, a thread's own. */
#include "bind/failure.h"

#include <lauxlib.h>
#include <string.h>

#include "bind/bind.h"

static _Thread_local char blamed[sizeof(((tdm_error *)0)->message)];

static int exit_code(tdm_status status) {
  switch (status) {
  case TDM_OK: return 0;
  case TDM_INVALID:
  case TDM_HOOK:
  case TDM_LIMIT: return 3;
  case TDM_IO:
  case TDM_MEMORY: return 4;
  case TDM_INTERRUPTED: return 130;
  case TDM_BUG: break;
  }
  return 70;
}

int tdm_bind_failure(lua_State *L, const tdm_error *error) {
  if (error->status == TDM_IO || error->status == TDM_MEMORY)
    memcpy(blamed, error->message, sizeof blamed);
  lua_pushnil(L);
  lua_pushstring(L, error->message);
  lua_pushinteger(L, exit_code(error->status));
  return 3;
}

int tdm_bind_blamed(lua_State *L) {
  const char *text = luaL_checkstring(L, 1);
  if (blamed[0] == 0 || strstr(text, blamed) == NULL) return 0;
  lua_pushstring(L, blamed);
  return 1;
}
