/* About how many requests a second an LLM server can take at most; see inside.h. Called by
 * backlog.c. */
#include "engine/measure/inside.h"

#include <math.h>

#include "base/order.h"
#include "model/llm/llm.h"

#define ENOUGH 8 /* times as large batches: they would help if anything did */

/* `seqs` decode and `prompts` compute `tokens` each, on top of `context`. */
static double step_s(const tdm_replica_pool *pool, const tdm_request_size *size, double seqs,
                     int64_t prompts, int64_t tokens, int64_t context) {
  tdm_llm_batch batch = {0};
  batch.decode_seqs = (int64_t)(seqs + 0.5);
  batch.decode_context = (double)batch.decode_seqs * size->context;
  batch.decode_squares = batch.decode_context * size->context;
  batch.decode_context_max = batch.decode_seqs > 0 ? (int64_t)(size->context + 0.5) : 0;
  batch.sampled = batch.decode_seqs;
  for (int64_t i = 0; i < prompts; i++) tdm_llm_batch_add_prefill(&batch, tokens, context, 1);
  return tdm_llm_step_s(pool->step, &batch);
}

/* A prompt computed, or a part of it. */
typedef struct {
  double parts; /* of a request */
  int64_t tokens, context;
} prompt_part;

/* Parts of at most `room` tokens. */
static prompt_part part_of(const tdm_request_size *size, double room) {
  double todo = fmax(1, size->prompt_tokens - size->cached_tokens);
  double tokens = fmax(1, tdm_least_real(todo, room));
  double before = size->cached_tokens + (todo - tokens) / 2;
  return (prompt_part){todo / tokens, (int64_t)(tokens + 0.5), (int64_t)(before + 0.5)};
}

/* Seconds that a request's prompt takes where steps compute nothing else: one at a time, or as many
 * as a step takes. */
static double prompt_s(const tdm_replica_pool *pool, const tdm_request_size *size) {
  double budget = (double)pool->config.max_batched_tokens;
  prompt_part part = part_of(size, pool->config.chunked_prefill ? budget : HUGE_VAL);
  double many = fmax(1, floor(budget / (double)part.tokens));
  many = tdm_least_real(many, (double)pool->config.max_seqs);
  if (many > 256) many = 256;
  double one_s = step_s(pool, size, 0, 1, part.tokens, part.context);
  double all_s = step_s(pool, size, 0, (int64_t)many, part.tokens, part.context);
  return part.parts * tdm_least_real(one_s, all_s / many);
}

/* Mean seconds of a step in which `seqs` decode, prompts coming as often as these leave. */
static double mixed_s(const tdm_replica_pool *pool, const tdm_request_size *size, double seqs) {
  double prompts = seqs / size->decode_steps;
  if (pool->config.steps == TDM_STEPS_PREFILL_FIRST)
    return step_s(pool, size, seqs, 0, 0, 0) + prompts * prompt_s(pool, size);
  double room = pool->config.chunked_prefill ? (double)pool->config.max_batched_tokens - seqs
                                             : (double)pool->config.max_batched_tokens;
  prompt_part part = part_of(size, room);
  prompts *= part.parts;
  double whole = floor(prompts), rest = prompts - whole;
  double fewer_s = step_s(pool, size, seqs, (int64_t)whole, part.tokens, part.context);
  if (!(rest > 0)) return fewer_s;
  double more_s = step_s(pool, size, seqs, (int64_t)whole + 1, part.tokens, part.context);
  return fewer_s + rest * (more_s - fewer_s);
}

/* Sequences that decode at a time, at most. */
static double largest(const tdm_replica_pool *pool, const tdm_request_size *size) {
  const tdm_serving_config *c = &pool->config;
  double todo = pool->role == TDM_POOL_DECODE ? 0 : size->prompt_tokens - size->cached_tokens;
  double held = fmax(1, size->context - size->cached_tokens);
  double count = tdm_least_real((double)c->max_seqs, (double)(c->blocks * c->block_tokens) / held);
  if (c->steps != TDM_STEPS_PREFILL_FIRST)
    count = tdm_least_real(count, (double)c->max_batched_tokens /
                                      (1 + fmax(0, todo) / size->decode_steps));
  return fmax(1, floor(count));
}

/* Of one scheduler whose sequences decode. */
static double decoding_per_s(const tdm_replica_pool *pool, const tdm_request_size *size,
                             double seqs) {
  double s =
      pool->role == TDM_POOL_DECODE ? step_s(pool, size, seqs, 0, 0, 0) : mixed_s(pool, size, seqs);
  return s > 0 ? seqs / (size->decode_steps * s) : HUGE_VAL;
}

/* Of one scheduler, with the best of its batches. */
static double best_per_s(const tdm_replica_pool *pool, const tdm_request_size *size) {
  if (pool->role == TDM_POOL_PREFILL || !(size->decode_steps > 0)) {
    double s = pool->role == TDM_POOL_DECODE ? 0 : prompt_s(pool, size);
    return s > 0 ? 1 / s : HUGE_VAL;
  }
  double best = 0;
  for (double seqs = largest(pool, size); seqs >= 1; seqs = floor(seqs / 2))
    best = fmax(best, decoding_per_s(pool, size, seqs));
  return best;
}

static double scheduler_per_s(const tdm_replica_pool *pool, const tdm_request_size *size,
                              bool *by_steps) {
  double best = best_per_s(pool, size);
  tdm_replica_pool wide = *pool;
  wide.config.max_seqs *= ENOUGH, wide.config.blocks *= ENOUGH;
  wide.config.max_batched_tokens *= ENOUGH;
  *by_steps = best_per_s(&wide, size) < 1.1 * best;
  return best;
}

static bool can_tell(const tdm_llm_server *server) {
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_replica_pool *pool = &server->pools[p];
    if (pool->config.batching != TDM_SERVING_CONTINUOUS || pool->config.draft_tokens > 0 ||
        tdm_llm_callback_is(pool->step))
      return false;
  }
  return true;
}

double tdm_capability_per_s(const tdm_llm_server *server, const tdm_request_size *size,
                            bool *by_steps) {
  double entries = 0, decodes = HUGE_VAL;
  bool entry_steps = false, decode_steps = false;
  if (!can_tell(server)) return NAN;
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_replica_pool *pool = &server->pools[p];
    bool one;
    double all = (double)pool->count * scheduler_per_s(pool, size, &one);
    if (pool->role == TDM_POOL_DECODE) {
      decodes = decodes < HUGE_VAL ? decodes + all : all;
      decode_steps |= one;
    } else {
      entries += all;
      entry_steps |= one;
    }
  }
  *by_steps = entries < decodes ? entry_steps : decode_steps;
  return tdm_least_real(entries, decodes);
}
