/* Shared and own blocks of a request. Called by the scheduler. */
#include "engine/serving/kv.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* How many leading hashes cover so many blocks. */
static size_t covering(const tdm_kv_shape *shape, const int64_t *ends, size_t count,
                       int64_t blocks) {
  if (ends == NULL) return (size_t)((blocks + shape->unit_blocks - 1) / shape->unit_blocks);
  size_t few = 0;
  while (few < count && blocks > (few > 0 ? ends[few - 1] / shape->block_tokens : 0)) few++;
  return few;
}

bool tdm_kv_hold_open(tdm_kv_hold *hold, const tdm_kv_shape *shape, const uint64_t *hashes,
                      const int64_t *ends, size_t count, int64_t hashed_tokens) {
  *hold = (tdm_kv_hold){.kept = TDM_KV_NONE};
  if (count == 0) return true;
  int64_t named =
      ends != NULL ? ends[count - 1] / shape->block_tokens : (int64_t)count * shape->unit_blocks;
  hold->hashed_blocks = tdm_least(hashed_tokens / shape->block_tokens, named);
  count = covering(shape, ends, count, hold->hashed_blocks);
  if (count == 0) return true;
  size_t each = sizeof *hold->hashes + sizeof *hold->units;
  if (ends != NULL) each += sizeof *hold->ends;
  hold->hashes = malloc(count * each);
  if (hold->hashes == NULL) return false;
  memcpy(hold->hashes, hashes, count * sizeof *hashes);
  void *behind = hold->hashes + count;
  if (ends != NULL) {
    hold->ends = behind;
    for (size_t i = 0; i < count; i++) hold->ends[i] = ends[i] / shape->block_tokens;
    behind = hold->ends + count;
  }
  hold->units = behind;
  for (size_t i = 0; i < count; i++) hold->units[i] = TDM_KV_NONE;
  hold->hash_count = (uint32_t)count;
  return true;
}

void tdm_kv_hold_close(tdm_kv_hold *hold) {
  free(hold->hashes);
  *hold = (tdm_kv_hold){.kept = TDM_KV_NONE};
}

/* How many of a unit's blocks the hashes cover: fewer in the last one. */
static int64_t blocks_in(const tdm_kv_hold *hold, const tdm_kv_shape *shape, uint32_t unit) {
  return tdm_least(tdm_kv_unit_end(hold, shape, unit), hold->hashed_blocks) -
         tdm_kv_unit_begin(hold, shape, unit);
}

void tdm_kv_hold_find(const tdm_kv_hold *hold, const tdm_kv_shape *shape, const tdm_kv_pool *pool,
                      int64_t tokens, tdm_kv_hit *hit) {
  *hit = (tdm_kv_hit){0};
  if (hold->hash_count == 0 && hold->kept == TDM_KV_NONE) return;
  int64_t limit = (tokens - 1) / shape->block_tokens;
  while (hit->units < hold->hash_count && hit->blocks < limit) {
    uint32_t id = tdm_kv_pool_find(pool, hold->hashes[hit->units]);
    if (id == TDM_KV_NONE) break;
    const tdm_kv_unit *unit = &pool->units[id];
    int64_t part =
        tdm_least(tdm_least(unit->blocks, blocks_in(hold, shape, hit->units)), limit - hit->blocks);
    hit->blocks += part;
    if (unit->refs == 0) hit->free += part;
    hit->units++;
    if (hit->blocks < tdm_kv_unit_end(hold, shape, hit->units - 1)) break;
  }
  if (hold->kept != TDM_KV_NONE && hit->blocks == hold->hashed_blocks) {
    hit->kept = tdm_least(tdm_least(tdm_kv_pool_kept(pool, hold->kept), hold->kept_full),
                          limit - hit->blocks);
    hit->blocks += hit->kept;
    hit->free += hit->kept;
  }
}

size_t tdm_kv_hold_units(const tdm_kv_hold *hold, const tdm_kv_shape *shape, int64_t tokens) {
  int64_t blocks = tdm_least(tokens / shape->block_tokens, hold->hashed_blocks);
  if (hold->ends == NULL) return covering(shape, NULL, hold->hash_count, blocks);
  size_t few = 0;
  while (few < hold->hash_count && tdm_kv_unit_begin(hold, shape, (uint32_t)few) < blocks) few++;
  return few;
}

void tdm_kv_hold_claim(tdm_kv_hold *hold, const tdm_kv_shape *shape, tdm_kv_pool *pool,
                       const tdm_kv_hit *hit) {
  int64_t found = hit->blocks - hit->kept;
  hold->published = 0;
  for (uint32_t i = 0; i < hit->units; i++) {
    int64_t begin = tdm_kv_unit_begin(hold, shape, i), end = tdm_kv_unit_end(hold, shape, i);
    hold->units[i] = tdm_kv_pool_find(pool, hold->hashes[i]);
    tdm_kv_pool_hold(pool, hold->units[i], tdm_least(found, end) - begin);
    if (pool->tiers != NULL)
      tdm_kv_tiers_computed(pool->tiers, hold->hashes[i], tdm_least(found, end) - begin,
                            pool->units[hold->units[i]].requests);
    if (end <= found) hold->published = i + 1;
  }
  if (hold->kept != TDM_KV_NONE) {
    tdm_kv_pool_claim(pool, hold->kept, hit->kept);
    hold->kept = TDM_KV_NONE;
  }
  hold->blocks = hit->blocks;
  hold->own = hit->kept;
}

/* The request has filled `full` blocks of a unit that it does not hold. */
static void publish_own(tdm_kv_hold *hold, tdm_kv_pool *pool, uint32_t index, int64_t full) {
  uint32_t id = tdm_kv_pool_add(pool, hold->hashes[index]);
  if (id == TDM_KV_NONE) return;
  hold->own -= full;
  pool->units[id].blocks = full;
  hold->units[index] = id;
}

void tdm_kv_hold_publish(tdm_kv_hold *hold, const tdm_kv_shape *shape, tdm_kv_pool *pool,
                         int64_t tokens) {
  if (hold->published == hold->hash_count) return;
  int64_t complete = tdm_least(tokens / shape->block_tokens, hold->hashed_blocks);
  uint32_t settled = hold->published, i = settled;
  for (; i < hold->hash_count; i++) {
    int64_t begin = tdm_kv_unit_begin(hold, shape, i);
    if (begin >= complete) break;
    int64_t full = tdm_least(tdm_kv_unit_end(hold, shape, i), complete) - begin;
    uint32_t id = hold->units[i];
    if (id == TDM_KV_NONE) {
      publish_own(hold, pool, i, full);
    } else if (pool->units[id].blocks < full) {
      hold->own -= full - pool->units[id].blocks;
      pool->units[id].blocks = full;
    }
    if (full == blocks_in(hold, shape, i)) hold->published = i + 1;
    if (pool->tiers != NULL)
      tdm_kv_tiers_computed(pool->tiers, hold->hashes[i], full,
                            pool->units[hold->units[i]].requests);
  }
  if (pool->tiers != NULL && i > settled) tdm_kv_tiers_touch(pool->tiers, hold->hashes, i);
}

void tdm_kv_hold_release(tdm_kv_hold *hold, const tdm_kv_shape *shape, tdm_kv_pool *pool,
                         int64_t tokens, bool keep) {
  tdm_kv_hold_publish(hold, shape, pool, tokens);
  int64_t tail = hold->blocks > hold->hashed_blocks ? hold->blocks - hold->hashed_blocks : 0;
  int64_t rest = hold->own - tail; /* not filled, or filled by others meanwhile */
  if (keep && tail > 0) {
    int64_t full = tokens / shape->block_tokens - hold->hashed_blocks;
    hold->kept = tdm_kv_pool_keep(pool, tail);
    hold->kept_full = full > 0 ? full : 0;
  } else {
    tdm_kv_pool_give(pool, tail);
  }
  tdm_kv_pool_give(pool, rest);
  for (uint32_t i = hold->hash_count; i-- > 0;) {
    if (hold->units[i] != TDM_KV_NONE) tdm_kv_pool_release(pool, hold->units[i]);
    hold->units[i] = TDM_KV_NONE;
  }
  hold->blocks = hold->own = 0;
  hold->published = 0;
}
