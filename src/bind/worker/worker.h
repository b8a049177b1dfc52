/* Workers: Lua states that run the user's functions for the engine.
 *
 * A worker opens the same shipment anew for each replication, so that a replication never sees
 * another's leftovers and results do not depend on which thread ran what. math.random is seeded
 * with the replication's number. A pool keeps states for reuse; it may be asked from any thread, a
 * worker belongs to one thread at a time. Called by bind/run and the tests of bind/. */
#ifndef TDM_BIND_WORKER_WORKER_H
#define TDM_BIND_WORKER_WORKER_H

#include <lua.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "bind/model/model.h"
#include "bind/ship/ship.h"
#include "engine/hooks.h"
#include "model/model.h"

typedef struct tdm_worker tdm_worker;
typedef struct tdm_worker_pool tdm_worker_pool;

typedef struct {
  size_t memory_bytes;   /* limit of one worker's Lua memory; 0: none */
  uint64_t instructions; /* limit of one call, in VM instructions; 0: none (and full speed) */
  double call_s;         /* of the processor's time that one call may take, as pools look; 0: any */
} tdm_worker_options;

#define TDM_CALL_MOST_S     10.0 /* calls take microseconds */
#define TDM_CALL_MOST_BYTES (INT64_C(1) << 30)

/* A new state, nothing loaded yet. All arguments but error must outlive the worker; options may be
 * NULL. `functions` tells which numbers are hooks; its registry reference is not used. */
tdm_status tdm_worker_open(const tdm_shipment *shipment, const tdm_model *model,
                           const tdm_bind_functions *functions, const tdm_worker_options *options,
                           tdm_worker **out, tdm_error *error);
void tdm_worker_close(tdm_worker *worker); /* NULL is fine */

/* Fresh functions for a replication: before its engine opens. */
tdm_status tdm_worker_begin(tdm_worker *worker, uint64_t seed, uint32_t replication,
                            tdm_error *error);

/* Valid from begin until the next begin. */
const tdm_hooks *tdm_worker_hooks(tdm_worker *worker);

/* TDM_HOOK, with the user's line, when a distribution function failed since begin: its caller got
 * NaN and could not say why. To be asked after each replication. */
tdm_status tdm_worker_failure(const tdm_worker *worker, tdm_error *error);

/* What td.record collected in this replication under one name. */
typedef struct {
  const char *name;
  uint64_t count;
  double sum, min, max;
  const double *values; /* the first `kept` of them, in order */
  size_t kept;
} tdm_recorded;

#define TDM_RECORDED_VALUES 65536 /* kept per name and replication; the rest only counts */

/* One call per name, in the order in which the names first occurred; valid until the next begin. */
void tdm_worker_recorded(const tdm_worker *worker,
                         void (*each)(void *context, const tdm_recorded *recorded), void *context);

/* ---- pool: same arguments, same lifetimes */

tdm_status tdm_worker_pool_open(const tdm_shipment *shipment, const tdm_model *model,
                                const tdm_bind_functions *functions,
                                const tdm_worker_options *options, tdm_worker_pool **out,
                                tdm_error *error);
/* All workers must have been given back. */
void tdm_worker_pool_close(tdm_worker_pool *pool);
/* A worker begun for the replication. */
tdm_status tdm_worker_pool_take(tdm_worker_pool *pool, uint64_t seed, uint32_t replication,
                                tdm_worker **out, tdm_error *error);
void tdm_worker_pool_give(tdm_worker_pool *pool, tdm_worker *worker);
/* Stops the user's functions that run at this moment, even endless ones: their calls fail with
 * TDM_INTERRUPTED. From a thread that has no worker. A function that catches the error and goes on
 * is stopped again at its next instruction; long calls of string.find and its like are stopped, too
 * (bind/counted). */
void tdm_worker_pool_interrupt(tdm_worker_pool *pool);
/* Looks, again and again, whether a call does not end, and stops it: it fails with TDM_HOOK. */
void tdm_worker_pool_look(tdm_worker_pool *pool);

/* What hooks recorded with td.record, gathered over replications in their order. Called by
 * bind/run; adding is safe from any thread, one replication each. */

typedef struct tdm_recorded_book tdm_recorded_book;

tdm_status tdm_recorded_book_new(uint32_t replications, tdm_recorded_book **out, tdm_error *error);
void tdm_recorded_book_free(tdm_recorded_book *book); /* NULL is fine */

/* Copies what the worker has recorded in this replication. */
tdm_status tdm_recorded_book_add(tdm_recorded_book *book, uint32_t replication,
                                 const tdm_worker *worker, tdm_error *error);

/* Sets field `recorded` of the table on top: name → { count, sum, mean, min, max, values }; absent
 * when nothing was recorded. [-0, +0, m] */
void tdm_recorded_book_push(lua_State *L, const tdm_recorded_book *book);

#endif
