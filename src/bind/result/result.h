/* From replications' measures to the result table that Lua holds.
 * Called by bind/run; may raise (memory) and owns nothing that a raise could lose. */
#ifndef TDM_BIND_RESULT_RESULT_H
#define TDM_BIND_RESULT_RESULT_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "parallel/replicate.h"

typedef struct {
  uint64_t seed;
  double confidence;
  int model_index; /* the model table, for the classes' objectives */
  bool brief;      /* nothing over time, no histogram */
  bool values;     /* estimates also carry their readings, one a replication */
  bool whole;      /* nothing is cut off as warm-up */
  bool moving;     /* the load has no steady state */
} tdm_result_facts;

/* Pushes the table. At least one replication must be there. */
void tdm_bind_result(lua_State *L, const tdm_model *model, const tdm_replications *replications,
                     const tdm_result_facts *facts);

/* Reads the limit that a class's objective, the model's entry on top, has in each window. */
void tdm_result_window_limits(lua_State *L, tdm_class *class);

#endif
