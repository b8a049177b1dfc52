/* A collected trace as a Lua object: trace:chrome(path, notes), trace:requests(…).
 * Made by bind/run, which hands it its trace; the object frees it. bind/keep stores it. */
#ifndef TDM_BIND_TRACE_H
#define TDM_BIND_TRACE_H

#include <lua.h>

#include "trace/collect.h"

/* Pushes an object that owns nothing yet; *slot is where its trace goes. [-0, +1, m] */
tdm_trace **tdm_bind_trace_new(lua_State *L);

/* The trace of the object at a stack index; raises when it is closed or something else. */
tdm_trace *tdm_bind_trace_check(lua_State *L, int at);

#endif
