/* What other files of bind/ may take from core.llm. */
#ifndef TDM_BIND_LLM_H
#define TDM_BIND_LLM_H

#include <lua.h>

#include "base/error.h"
#include "model/llm/llm.h"

/* The step model at this index, NULL when there is none; lives as long as its Lua object. */
const tdm_llm_step *tdm_bind_llm_step(lua_State *L, int index);

/* Made of the table at this index, as llm.step makes them; the caller's. Never raises: what is
 * wrong with the table is in *error, and NULL comes back. */
tdm_llm_step *tdm_bind_llm_step_new(lua_State *L, int index, tdm_error *error);

/* vLLM's configuration with the fields that the table at this index has. In bind/serving.c. */
tdm_status tdm_bind_serving_config(lua_State *L, int index, tdm_serving_config *config,
                                   tdm_error *error);

#endif
