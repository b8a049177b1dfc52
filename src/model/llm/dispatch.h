/* How requests are given to the replicas of an LLM server, and how many there are, as data. Plain
 * numbers; owns nothing. Obeyed by dispatch and scaling of engine/events. */
#ifndef TDM_MODEL_LLM_DISPATCH_H
#define TDM_MODEL_LLM_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  TDM_REPLICA_ROUND_ROBIN,
  TDM_REPLICA_LEAST_OUTSTANDING,
  TDM_REPLICA_LEAST_KV, /* KV blocks in use */
  TDM_REPLICA_RANDOM,
  TDM_REPLICA_POWER_OF_TWO, /* the less loaded of two at random */
  TDM_REPLICA_WEIGHTED,     /* highest weighted sum of scores */
  TDM_REPLICA_PREFIX_AWARE, /* most cached tokens, unless loads are too far apart */
  TDM_REPLICA_AFFINITY,     /* one key, one replica */
  TDM_REPLICA_FUNCTION
} tdm_replica_router;

typedef struct {
  tdm_replica_router router;
  /* WEIGHTED; scores are 0…1: share of the prompt that is cached, how short the queue is between
   * the shortest and the longest, share of KV blocks that is free. */
  double prefix_weight, queue_weight, kv_weight;
  /* PREFIX_AWARE: less than this share of the prompt in a cache is none. */
  double cached_min;
  /* PREFIX_AWARE: the least loaded is taken while the most loaded has more than load_gap requests
   * above it, and more than load_ratio times as many. */
  double load_gap, load_ratio;
  uint32_t function; /* FUNCTION */
} tdm_dispatch_rule;

/* How many replicas an LLM server has, or GPUs a group, when that follows its load: as data. */
typedef enum {
  TDM_SCALE_BY_OUTSTANDING, /* requests that are there */
  TDM_SCALE_BY_QUEUE,       /* requests that wait */
  TDM_SCALE_BY_KV,          /* share of the KV blocks in use */
  TDM_SCALE_BY_UTILIZATION, /* share of the time with a step */
  TDM_SCALE_BY_FUNCTION
} tdm_scaling_metric;

/* Every every_ns as many replicas are wanted as would each have `target` of what all have together;
 * a number that is wanted for up_ns (more) or down_ns (fewer) without a break is acted upon. */
typedef struct {
  bool on; /* else all replicas are there for ever */
  uint32_t least, start;
  tdm_scaling_metric metric;
  double target;
  double tolerance; /* as long as it is off by no more than this share, nothing changes */
  int64_t every_ns, up_ns, down_ns;
  int64_t delay_ns; /* from the decision until a new replica takes requests */
  uint32_t function;
  /* Of GPUs alone, in place of all that: steps[i] of them from steps_ns[i] on, the first from 0. */
  size_t step_count;
  int64_t *steps_ns;
  uint32_t *steps;
} tdm_scaling_rule;

#endif
