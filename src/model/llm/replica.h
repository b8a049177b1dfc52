/* How one replica of an LLM server schedules its requests: configuration as data.
 *
 * Filled by the binding (tdm_serving_config_default has vLLM's values), kept by models, obeyed and
 * checked by engine/serving. Plain numbers; owns nothing. */
#ifndef TDM_MODEL_LLM_REPLICA_H
#define TDM_MODEL_LLM_REPLICA_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  TDM_SERVING_CONTINUOUS,
  TDM_SERVING_BATCH /* static or dynamic: see batch_wait_ns */
} tdm_serving_batching;

typedef enum {
  TDM_SERVING_FCFS,
  TDM_SERVING_PRIORITY /* lower priority first, then earlier arrival; preempts the contrary */
} tdm_serving_order;

/* Zeroes are not defaults: tdm_serving_config_default fills in vLLM's. */
typedef struct {
  int64_t block_tokens;
  int64_t blocks;               /* usable ones: vLLM keeps one of its count for itself */
  int64_t max_batched_tokens;   /* of one step, ≥ max_seqs; continuous batching only */
  int64_t max_seqs;             /* running at a time; size of a batch */
  bool chunked_prefill;         /* without: a prompt that does not fit into the step waits */
  int64_t long_prefill_tokens;  /* most prompt tokens of one request in a step; 0: no limit */
  int64_t max_partial_prefills; /* unfinished prompts that a further one may join; 0: no limit */
  bool reserve_full_input;      /* admit only when all known tokens would fit */
  bool prefix_caching;
  int64_t hash_tokens; /* tokens that each hash covers: a multiple of block_tokens */
  tdm_serving_order order;
  /* A step is planned while the one before it runs: it knows of arrivals and freed blocks one step
   * late, as vLLM with asynchronous scheduling. */
  bool plans_ahead;
  tdm_serving_batching batching;
  int64_t batch_wait_ns; /* a batch starts when full or its oldest has waited so long; INT64_MAX:
                          * only when full, or when told that nobody else comes */
  bool batch_returns_together; /* nobody leaves before the last of the batch */
  /* Continuous batching only, from here on. A preempted request's blocks move to host memory while
   * there is room, and back when it runs again, before the step computes: as vLLM V0's cache engine
   * copies them on the stream that then computes. */
  int64_t host_blocks; /* room; 0: what is preempted is computed anew */
  double swap_block_s; /* one block, either way */
  bool step_by_step;   /* many steps one by one, for tests */
} tdm_serving_config;

#endif
