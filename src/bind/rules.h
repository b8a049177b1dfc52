/* Rule sets as objects of Lua; made by rules.c, handed to analyses by analysis.c. */
#ifndef TDM_BIND_RULES_H
#define TDM_BIND_RULES_H

#include <lua.h>

#include "analysis/rules/rule_set.h"

/* The set at a place of the stack, which keeps owning it; NULL when it is something else. */
tdm_rule_set *tdm_bind_rule_set(lua_State *L, int at);

#endif
