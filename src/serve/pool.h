/* Threads that answer requests, each with a Lua state of its own, so that no request waits for
 * another's Lua. Owns the threads, their states and the queue. A state requires the handler's
 * module once and calls its `handle` for each request; what the handler may ask of the server is
 * convert.h's. */
#ifndef TDM_SERVE_POOL_H
#define TDM_SERVE_POOL_H

#include "base/error.h"
#include "bind/bind.h"
#include "serve/jobs/jobs.h"
#include "serve/request.h"
#include "serve/settings.h"

typedef struct tdm_pool tdm_pool;

typedef struct {
  const tdm_settings *settings;
  tdm_state_maker make_state;
  const char *module; /* require(module).open(setup) → { handle = … } */
  const char *setup;  /* a text for it */
  tdm_jobs **jobs;    /* set before the first request */
  tdm_stats *stats;
} tdm_pool_options;

/* Returns when every worker is ready. */
tdm_status tdm_pool_open(const tdm_pool_options *options, tdm_pool **out, tdm_error *error);
/* The request's connection must be suspended; it is resumed when the answer is there. False: no
 * more are taken, the caller answers and resumes. */
bool tdm_pool_put(tdm_pool *pool, tdm_request *request);
/* Answers what is queued and ends the threads; the pool takes no more. NULL is fine. */
void tdm_pool_finish(tdm_pool *pool);
/* When nobody can put any more. */
void tdm_pool_close(tdm_pool *pool);

#endif
