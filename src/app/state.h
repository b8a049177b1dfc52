/* A Lua state as tandem uses it: standard libraries, embedded modules, tandem.core, cjson.
 * Called by main, the fuzzers and the C tests of bind/. */
#ifndef TDM_APP_STATE_H
#define TDM_APP_STATE_H

#include <lua.h>

/* A new state, owned by the caller (lua_close), or NULL when memory is short. */
lua_State *tdm_state_open(void);

#endif
