/* Runs R independent replications of a model on a pool of threads and keeps what each measured.
 *
 * A replication depends on model, seed and its number only, and results are stored by number, so
 * every thread count gives the same bytes. Feed-forward models go through the lowered engine, eight
 * replications to a vector where the machine can. Models of very many stages are run lean: one
 * replication a thread, on few threads, and the first ones twice, once for their warm-up and once
 * knowing it, so that nobody keeps what each stage did in each slice; same bytes. Called by
 * bind/run, benchmarks and tests. */
#ifndef TDM_PARALLEL_REPLICATE_H
#define TDM_PARALLEL_REPLICATE_H

#include <stdatomic.h>

#include "engine/events/engine.h"
#include "engine/measure/measure.h"

#define TDM_WARMUP_AUTO (-1)

typedef enum { TDM_ENGINE_AUTO, TDM_ENGINE_EVENT, TDM_ENGINE_LOWERED } tdm_engine_choice;

/* Where hooks come from: one worker a replication, so none sees another's leftovers. NULL members:
 * the model has no Lua. */
typedef struct {
  void *context;
  tdm_status (*open)(void *context, uint32_t replication, void **worker, const tdm_hooks **hooks,
                     tdm_error *error);
  /* After the replication, in no order of replications; may keep what the hooks recorded. */
  void (*close)(void *context, uint32_t replication, void *worker);
  /* Stop was asked a while ago and calls may still run: from the calling thread, again and again
   * until all have come back. May be NULL. */
  void (*interrupt)(void *context);
  /* While they run: from the calling thread, again and again. May be NULL. */
  void (*look)(void *context);
} tdm_hook_source;

typedef struct {
  uint64_t seed;
  uint32_t first;        /* number of the first replication: its luck, nothing else */
  uint32_t replications; /* at least 1 */
  uint32_t threads;      /* 0: one for each processor */
  tdm_engine_choice engine;
  size_t heap_limit;    /* see tdm_engine_options; 0: default */
  size_t lean_stages;   /* more stages than that: run in little memory; 0: default */
  int64_t warmup_ns;    /* or TDM_WARMUP_AUTO */
  const tdm_sink *sink; /* of replication 0; NULL: none */
  tdm_hook_source hooks;
  const atomic_int *stop;                                      /* NULL: not interruptible */
  void (*progress)(void *context, uint32_t done, uint32_t of); /* on the calling thread; NULL */
  void *progress_context;
} tdm_replicate_options;

typedef struct {
  tdm_measure *measures; /* by replication; its own latency histogram is merged away */
  uint32_t count;        /* complete from 0 on; fewer than asked when interrupted */
  tdm_histogram latency; /* of all of them */
  bool lowered;
  bool warmup_unsettled; /* see tdm_warmup_find */
  bool interrupted;
} tdm_replications;

/* On TDM_INTERRUPTED *out holds what was finished, and the cut-short replication 0 if there is
 * nothing else. */
tdm_status tdm_replicate(const tdm_model *model, const tdm_replicate_options *options,
                         tdm_replications *out, tdm_error *error);
void tdm_replications_free(tdm_replications *replications);

/* Processors this process may use. */
uint32_t tdm_processors(void);

#endif
