/* core.capture.follow, which bind/capture offers. */
#ifndef TDM_BIND_CAPTURE_FOLLOW_H
#define TDM_BIND_CAPTURE_FOLLOW_H

#include <lua.h>

int tdm_bind_capture_follow(lua_State *L);

#endif
