/* What other files of bind/ may take from core.llm. */
#ifndef TDM_BIND_LLM_H
#define TDM_BIND_LLM_H

#include <lua.h>

#include "model/llm/step.h"

/* The step model at this index, NULL when there is none; lives as long as its Lua object. */
const tdm_llm_step *tdm_bind_llm_step(lua_State *L, int index);

#endif
