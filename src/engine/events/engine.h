/* The event engine: walks one replication of a model through time.
 *
 * open → advance (once or in pieces, same result) → take the tally → close. Everything it produces
 * leaves through the tally and the sink; it knows neither Lua nor SQLite, never prints, and its
 * results depend on model, seed and replication only. Called by parallel/replicate and tests. */
#ifndef TDM_ENGINE_EVENTS_ENGINE_H
#define TDM_ENGINE_EVENTS_ENGINE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/hooks.h"
#include "engine/sink.h"
#include "engine/tally.h"
#include "model/model.h"

typedef struct tdm_engine tdm_engine;

typedef struct {
  uint64_t seed;
  uint32_t replication;
  size_t heap_limit;      /* pending events above which the ladder queue takes over; 0: default */
  const tdm_sink *sink;   /* NULL: no trace */
  const tdm_hooks *hooks; /* NULL: no Lua */
  const atomic_int *stop; /* set from outside to end the run early; NULL: never */
  bool lean;              /* stages are too many to keep all their notes */
  int64_t warmup_ns;      /* lean: what is left out */
} tdm_engine_options;

tdm_status tdm_engine_open(const tdm_model *model, const tdm_engine_options *options,
                           tdm_engine **out, tdm_error *error);

/* Handles every event before until_ns (INT64_MAX: until all requests have left). Returns
 * TDM_INTERRUPTED when stopped from outside: the tally holds what was measured until then. */
tdm_status tdm_engine_advance(tdm_engine *engine, int64_t until_ns, tdm_error *error);

/* Closes the books at the present time and hands the tally over; afterwards only close remains. */
tdm_status tdm_engine_finish(tdm_engine *engine, tdm_tally **out, tdm_error *error);

void tdm_engine_close(tdm_engine *engine); /* NULL is fine */

#endif
