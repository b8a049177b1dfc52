/* Views and answers, for other files of bind/ that ask views. */
#ifndef TDM_BIND_ANALYSIS_H
#define TDM_BIND_ANALYSIS_H

#include <lua.h>

#include "analysis/answer.h"
#include "analysis/run_view.h"

/* The view at a stack index, open; raises. It is good while the object is and nobody closes it. */
tdm_run_view *tdm_bind_view(lua_State *L, int at);

/* An answer that is freed whatever Lua raises meanwhile; stays on the stack, to be closed. */
tdm_answer *tdm_bind_new_answer(lua_State *L);

/* { frames = { … }, basis = { text… }, cannot = { text… } }, or what went wrong. */
int tdm_bind_answer(lua_State *L, const tdm_answer *made, tdm_status status, tdm_error *error);

#endif
