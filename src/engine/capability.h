/* About how many requests a second an LLM server can take at most: what its step models say of
 * steps that are full, for requests of mean size.
 *
 * Optimistic where it must choose: prompts that caches have save their computation and blocks,
 * routers lose nothing, nobody is preempted, batches are as large as is best up to the largest. So
 * a server that is offered more is overloaded, while one that is offered less may be. Owns nothing.
 * Called by backlog. */
#ifndef TDM_ENGINE_CAPABILITY_H
#define TDM_ENGINE_CAPABILITY_H

#include "engine/tally.h"

/* Requests of mean size. */
typedef struct {
  double prompt_tokens, cached_tokens; /* cached: of the prompt */
  double decode_steps;                 /* one token each, after the first */
  double context;                      /* tokens that a decode step of it reads */
} tdm_request_size;

/* All replicas together; NaN: it cannot be said (batches that finish together, drafted tokens,
 * steps timed by the user's function). *by_steps: larger batches would not help, steps are what
 * limits. */
double tdm_capability_per_s(const tdm_llm_server *server, const tdm_request_size *size,
                            bool *by_steps);

#endif
