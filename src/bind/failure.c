/* Statuses as exit codes; owns nothing. */
#include "bind/bind.h"

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
  lua_pushnil(L);
  lua_pushstring(L, error->message);
  lua_pushinteger(L, exit_code(error->status));
  return 3;
}
