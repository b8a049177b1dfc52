/* What one request holds of the KV pool: leading blocks shared with others through cached units,
 * and blocks of its own.
 *
 * A request publishes the blocks it has filled under its hashes, so that others with the same
 * prefix hold them too; where somebody was faster it keeps a copy of its own. Tokens beyond the
 * hashes are nobody else's, but a preempted request finds its own again unless they were taken
 * meanwhile. Owns its copy of the hashes. Used by the scheduler. */
#ifndef TDM_ENGINE_SERVING_KV_HOLD_H
#define TDM_ENGINE_SERVING_KV_HOLD_H

#include "engine/serving/kv_pool.h"

typedef struct {
  int64_t block_tokens;
  int64_t unit_blocks; /* that a hash covers */
} tdm_kv_shape;

typedef struct {
  uint64_t *hashes; /* NULL: none */
  uint32_t *units;  /* by hash: held, or TDM_KV_NONE; behind the hashes in one allocation */
  uint32_t hash_count;
  uint32_t published;    /* units before it are settled */
  int64_t hashed_blocks; /* leading full blocks that the hashes cover */
  int64_t blocks;        /* all that it has, shared or own */
  int64_t own;
  uint32_t kept;     /* after a preemption: what it may find again, or TDM_KV_NONE */
  int64_t kept_full; /* how many of those were full of tokens */
} tdm_kv_hold;

/* Leading blocks that need not be computed. */
typedef struct {
  int64_t blocks; /* all */
  int64_t kept;   /* the last of them, from before a preemption */
  int64_t free;   /* blocks that leave the free queue when these are taken */
  uint32_t units;
} tdm_kv_hit;

/* Hashes are copied. False: out of memory. */
bool tdm_kv_hold_open(tdm_kv_hold *hold, const tdm_kv_shape *shape, const uint64_t *hashes,
                      size_t count, int64_t hashed_tokens);
void tdm_kv_hold_close(tdm_kv_hold *hold); /* holds nothing any more */

static inline int64_t tdm_kv_blocks(const tdm_kv_shape *shape, int64_t tokens) {
  return (tokens + shape->block_tokens - 1) / shape->block_tokens;
}

/* What a request that holds nothing would find for its first `tokens` tokens; the last one is
 * always computed, since its output is wanted. */
void tdm_kv_hold_find(const tdm_kv_hold *hold, const tdm_kv_shape *shape, const tdm_kv_pool *pool,
                      int64_t tokens, tdm_kv_hit *hit);
/* Takes what was found, nothing having changed since. */
void tdm_kv_hold_claim(tdm_kv_hold *hold, const tdm_kv_shape *shape, tdm_kv_pool *pool,
                       const tdm_kv_hit *hit);
/* `count` ≤ free more blocks. */
static inline void tdm_kv_hold_grow(tdm_kv_hold *hold, tdm_kv_pool *pool, int64_t count) {
  hold->blocks += count;
  hold->own += count;
  if (count > 0) tdm_kv_pool_take(pool, count);
}
/* Shares the blocks that the first `tokens` tokens fill. */
void tdm_kv_hold_publish(tdm_kv_hold *hold, const tdm_kv_shape *shape, tdm_kv_pool *pool,
                         int64_t tokens);
/* Gives everything back, its last block first; `tokens` are computed. With `keep` it may come
 * back. */
void tdm_kv_hold_release(tdm_kv_hold *hold, const tdm_kv_shape *shape, tdm_kv_pool *pool,
                         int64_t tokens, bool keep);
/* Will not come back for what it kept. */
void tdm_kv_hold_abandon(tdm_kv_hold *hold, tdm_kv_pool *pool);

#endif
