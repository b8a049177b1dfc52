/* From the model table that lua/tandem/lower makes to a tdm_model.
 *
 * The table is trusted to be lower's work but not to be right: every field is checked, and the
 * first wrong one is reported with its key path. Called by the binding that runs the engine, once
 * per scenario, in the state that lowered it. */
#ifndef TDM_BIND_MODEL_MODEL_H
#define TDM_BIND_MODEL_MODEL_H

#include <lua.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/hooks.h"
#include "model/model.h"

/* The user's Lua functions of a model, numbered 0, 1, 2, … as the model's `function` fields name
 * them. A function met twice has one number. */
typedef struct {
  int list; /* registry reference of the array { function, … }: number n is item n + 1 */
  uint32_t count;
  uint32_t events[TDM_HOOK_EVENTS]; /* number by event, TDM_NO_INDEX: not asked for */
  uint32_t admit;                   /* number, or TDM_NO_INDEX */
} tdm_bind_functions;

/* Reads the table at `index`; leaves the stack as it was. On success *out is finished and the
 * caller's, and so is *functions. Otherwise *out is NULL, *functions is empty and *error says where
 * the table is wrong: "model.classes[1].route[3].cost: …". Never raises. */
tdm_status tdm_bind_model(lua_State *L, int index, tdm_model **out, tdm_bind_functions *functions,
                          tdm_error *error);

/* Drops the registry reference; an empty one is fine. */
void tdm_bind_functions_free(lua_State *L, tdm_bind_functions *functions);

#endif
