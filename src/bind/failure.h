/* How a failure of the core reaches Lua: nil, message, code. Called by bind/ files whose work can
 * fail because of the world or of the user's input. */
#ifndef TDM_BIND_FAILURE_H
#define TDM_BIND_FAILURE_H

#include <lua.h>

#include "base/error.h"

/* Pushes nil, the message and the exit code of its status: 3 invalid, 4 I/O, 70 bug, 130
 * interrupted. Returns 3. */
int tdm_bind_failure(lua_State *L, const tdm_error *error);
int tdm_bind_exit_code(tdm_status status);

#endif
