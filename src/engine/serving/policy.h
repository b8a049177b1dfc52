/* The decisions of a step, one function each: who is next, whether it may run, what its chunk is,
 * whom to preempt, and the plan that asks them.
 *
 * A server's policy is a choice of each by its configuration, made once when an instance is opened;
 * vLLM's are the first of every enumeration in model/llm/replica.h. A plan grants blocks and
 * tokens, a decision only looks. Owns nothing: what decisions remember is in the instance. Called
 * by serving and the plans. */
#ifndef TDM_ENGINE_SERVING_POLICY_H
#define TDM_ENGINE_SERVING_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/serving/kv_hold.h"
#include "model/llm/replica.h"

struct tdm_serving;

/* A waiting request that might run in this step. */
typedef struct {
  uint32_t job;
  int64_t known;    /* tokens: its prompt and what it has generated */
  int64_t computed; /* of these: found in the cache, or given */
  int64_t held;     /* blocks that it has already */
  int64_t chunk;    /* would be computed in this step */
  tdm_kv_hit hit;
} tdm_candidate;

typedef struct {
  /* The queue. `first` is TDM_NO_JOB when nobody waits; `arrange`, before a plan admits anybody,
   * may be NULL. */
  void (*wait)(struct tdm_serving *s, uint32_t job, bool preempted);
  void (*leave)(struct tdm_serving *s, uint32_t job);
  void (*restore)(struct tdm_serving *s, uint32_t job); /* as if it had not left */
  void (*arrange)(struct tdm_serving *s);
  uint32_t (*first)(const struct tdm_serving *s);
  bool overtaking; /* a newcomer may become the first */
  bool dated;      /* a newcomer's place depends on when it is seen */
  bool shifting;   /* so may anybody while requests only decode */

  /* The blocks that the candidate has then if it may run, −1: it may not. */
  int64_t (*admit)(struct tdm_serving *s, const tdm_candidate *candidate);
  /* Tokens of a prompt in this step, 1 … todo; the plan takes no more of them than are left. */
  int64_t (*chunk)(struct tdm_serving *s, uint32_t job, int64_t todo, int64_t left);
  /* One of the running. */
  uint32_t (*victim)(struct tdm_serving *s);

  void (*plan)(struct tdm_serving *s, int64_t now_ns, int64_t seen_ns);
} tdm_policy;

tdm_policy tdm_policy_of(const tdm_serving_config *config);

/* While requests only decode, and nobody comes or ends, a plan would admit nobody. */
bool tdm_policy_steady(const struct tdm_serving *s);
/* Somebody who comes now might be admitted by the next plan. */
bool tdm_policy_heeds_arrival(const struct tdm_serving *s);

#endif
