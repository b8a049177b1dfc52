/* The view behind core.view's object, for other files of bind/ that ask one; see analysis.c. */
#ifndef TDM_BIND_ANALYSIS_H
#define TDM_BIND_ANALYSIS_H

#include <lua.h>

#include "analysis/run_view.h"

/* The open view at a stack index, the object's own; raises on anything else. */
tdm_run_view *tdm_bind_check_view(lua_State *L, int at);

#endif
