/* Views and answers, for other files of bind/ that ask views. */
#ifndef TDM_BIND_ANALYSIS_H
#define TDM_BIND_ANALYSIS_H

#include <lua.h>

#include "analysis/answer.h"
#include "analysis/rules/rule_set.h"
#include "analysis/run_view/run_view.h"

/* The view at a stack index, open; raises. It is good while the object is and nobody closes it. */
tdm_run_view *tdm_bind_view(lua_State *L, int at);

/* An answer that is freed whatever Lua raises meanwhile; stays on the stack, to be closed. */
tdm_answer *tdm_bind_new_answer(lua_State *L);

/* { frames = { … }, basis = { text… }, cannot = { text… } }, or what went wrong. */
int tdm_bind_answer(lua_State *L, const tdm_answer *made, tdm_status status, tdm_error *error);

/* Rule sets as objects of Lua; made by rules.c, handed to analyses by analysis.c. The set at a
 * place of the stack, which keeps owning it; NULL when it is something else. */
tdm_rule_set *tdm_bind_rule_set(lua_State *L, int at);

#endif
