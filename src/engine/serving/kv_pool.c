/* The queue of free runs and the table of cached units. Called by kv_hold. */
#include "engine/serving/kv.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"

/* ---- the free queue */

/* An unlinked run, zeroed but for its indices. */
static uint32_t run_new(tdm_kv_pool *pool) {
  uint32_t run = pool->unused_runs;
  if (run != TDM_KV_NONE) {
    pool->unused_runs = pool->runs[run].next;
  } else {
    if (pool->run_count >= TDM_KV_NONE ||
        !tdm_array_grow(&pool->runs, &pool->run_capacity, pool->run_count + 1,
                        sizeof *pool->runs)) {
      pool->failed = true;
      return TDM_KV_NONE;
    }
    run = (uint32_t)pool->run_count++;
  }
  pool->runs[run] = (tdm_kv_run){.prev = TDM_KV_NONE, .next = TDM_KV_NONE, .unit = TDM_KV_NONE};
  return run;
}

static void run_free(tdm_kv_pool *pool, uint32_t run) {
  pool->runs[run].next = pool->unused_runs;
  pool->unused_runs = run;
}

static void append(tdm_kv_pool *pool, uint32_t run) {
  pool->runs[run].prev = pool->tail;
  pool->runs[run].next = TDM_KV_NONE;
  if (pool->tail != TDM_KV_NONE)
    pool->runs[pool->tail].next = run;
  else
    pool->head = run;
  pool->tail = run;
}

static void unlink_run(tdm_kv_pool *pool, uint32_t run) {
  tdm_kv_run *r = &pool->runs[run];
  if (r->prev != TDM_KV_NONE)
    pool->runs[r->prev].next = r->next;
  else
    pool->head = r->next;
  if (r->next != TDM_KV_NONE)
    pool->runs[r->next].prev = r->prev;
  else
    pool->tail = r->prev;
}

static bool anonymous(const tdm_kv_pool *pool, uint32_t run) {
  return run != TDM_KV_NONE && pool->runs[run].unit == TDM_KV_NONE && !pool->runs[run].kept;
}

/* A linked run that has become anonymous joins its neighbours, so that there are never more
 * anonymous runs than others. */
static void merge(tdm_kv_pool *pool, uint32_t run) {
  uint32_t prev = pool->runs[run].prev, next = pool->runs[run].next;
  if (anonymous(pool, next)) {
    pool->runs[run].blocks += pool->runs[next].blocks;
    unlink_run(pool, next);
    run_free(pool, next);
  }
  if (anonymous(pool, prev)) {
    pool->runs[prev].blocks += pool->runs[run].blocks;
    unlink_run(pool, run);
    run_free(pool, run);
  }
}

/* Behind all others; blocks are counted free. */
static uint32_t give_run(tdm_kv_pool *pool, int64_t count) {
  pool->free += count;
  uint32_t run = run_new(pool);
  if (run == TDM_KV_NONE) return run;
  pool->runs[run].blocks = count;
  append(pool, run);
  return run;
}

bool tdm_kv_pool_open(tdm_kv_pool *pool, int64_t blocks) {
  *pool = (tdm_kv_pool){.blocks = blocks,
                        .head = TDM_KV_NONE,
                        .tail = TDM_KV_NONE,
                        .unused_runs = TDM_KV_NONE,
                        .unused_units = TDM_KV_NONE};
  tdm_kv_pool_give(pool, blocks);
  return !pool->failed;
}

void tdm_kv_pool_close(tdm_kv_pool *pool) {
  free(pool->runs);
  free(pool->units);
  free(pool->buckets);
  *pool = (tdm_kv_pool){0};
}

void tdm_kv_pool_give(tdm_kv_pool *pool, int64_t count) {
  if (count == 0) return;
  if (anonymous(pool, pool->tail)) {
    pool->free += count;
    pool->runs[pool->tail].blocks += count;
  } else {
    give_run(pool, count);
  }
}

uint32_t tdm_kv_pool_keep(tdm_kv_pool *pool, int64_t count) {
  uint32_t run = give_run(pool, count);
  if (run != TDM_KV_NONE) pool->runs[run].kept = true;
  return run;
}

int64_t tdm_kv_pool_kept(const tdm_kv_pool *pool, uint32_t run) {
  return pool->runs[run].blocks;
}

void tdm_kv_pool_claim(tdm_kv_pool *pool, uint32_t run, int64_t count) {
  tdm_kv_run *r = &pool->runs[run];
  bool linked = r->blocks > 0; /* tdm_kv_pool_take unlinks what it empties */
  r->blocks -= count;
  r->kept = false;
  pool->free -= count;
  if (r->blocks > 0) {
    merge(pool, run);
    return;
  }
  if (linked) unlink_run(pool, run);
  run_free(pool, run);
}

/* ---- cached units */

/* A table of its own, chained through the units: with base/hash_map, whose slots take four times
 * the memory, prefix caches of Mooncake's conversations (tests/bench, serving-mooncake) took 8 to
 * 17 % longer, by cache misses. */
static size_t bucket_of(const tdm_kv_pool *pool, uint64_t hash) {
  return (size_t)tdm_mix(hash) & (pool->bucket_count - 1);
}

static bool rehash(tdm_kv_pool *pool, size_t count) {
  uint32_t *buckets = tdm_array_new(count, sizeof *buckets);
  if (buckets == NULL) return false;
  for (size_t i = 0; i < count; i++) buckets[i] = TDM_KV_NONE;
  size_t old_count = pool->bucket_count;
  pool->bucket_count = count;
  for (size_t i = 0; i < old_count; i++) {
    for (uint32_t unit = pool->buckets[i], next; unit != TDM_KV_NONE; unit = next) {
      size_t bucket = bucket_of(pool, pool->units[unit].hash);
      next = pool->units[unit].next;
      pool->units[unit].next = buckets[bucket];
      buckets[bucket] = unit;
    }
  }
  free(pool->buckets);
  pool->buckets = buckets;
  return true;
}

uint32_t tdm_kv_pool_find(const tdm_kv_pool *pool, uint64_t hash) {
  if (pool->bucket_count == 0) return TDM_KV_NONE;
  uint32_t unit = pool->buckets[bucket_of(pool, hash)];
  while (unit != TDM_KV_NONE && pool->units[unit].hash != hash) unit = pool->units[unit].next;
  return unit;
}

uint32_t tdm_kv_pool_add(tdm_kv_pool *pool, uint64_t hash) {
  if (pool->units_cached >= pool->bucket_count &&
      !rehash(pool, pool->bucket_count == 0 ? 1024 : 2 * pool->bucket_count)) {
    pool->failed = true;
    return TDM_KV_NONE;
  }
  uint32_t unit = pool->unused_units;
  if (unit != TDM_KV_NONE) {
    pool->unused_units = pool->units[unit].next;
  } else {
    if (pool->unit_count >= TDM_KV_NONE ||
        !tdm_array_grow(&pool->units, &pool->unit_capacity, pool->unit_count + 1,
                        sizeof *pool->units)) {
      pool->failed = true;
      return TDM_KV_NONE;
    }
    unit = (uint32_t)pool->unit_count++;
  }
  tdm_kv_unit *u = &pool->units[unit];
  *u = (tdm_kv_unit){
      .hash = hash, .refs = 1, .requests = 1, .run = TDM_KV_NONE, .next = TDM_KV_NONE};
  u->twin_before = u->twin_after = unit;
  uint32_t oldest = tdm_kv_pool_find(pool, hash);
  if (oldest == TDM_KV_NONE) {
    uint32_t *bucket = &pool->buckets[bucket_of(pool, hash)];
    u->next = *bucket;
    *bucket = unit;
  } else {
    pool->twins++;
    u->requests = ++pool->units[oldest].requests;
    u->twin_after = oldest;
    u->twin_before = pool->units[oldest].twin_before;
    pool->units[u->twin_before].twin_after = unit;
    pool->units[oldest].twin_before = unit;
  }
  pool->units_cached++;
  return unit;
}

/* Out of the table, where the next twin takes its place; its run, if any, is the caller's affair.
 */
static void drop(tdm_kv_pool *pool, uint32_t unit) {
  tdm_kv_unit *u = &pool->units[unit];
  pool->twins -= u->twin_after != unit;
  uint32_t *link = &pool->buckets[bucket_of(pool, u->hash)];
  while (*link != unit && *link != TDM_KV_NONE) link = &pool->units[*link].next;
  if (*link == unit) {
    *link = u->next;
    if (u->twin_after != unit) {
      pool->units[u->twin_after].next = u->next;
      *link = u->twin_after;
    }
  }
  pool->units[u->twin_before].twin_after = u->twin_after;
  pool->units[u->twin_after].twin_before = u->twin_before;
  u->next = pool->unused_units;
  pool->unused_units = unit;
  pool->units_cached--;
}

void tdm_kv_pool_hold(tdm_kv_pool *pool, uint32_t unit, int64_t blocks) {
  tdm_kv_unit *u = &pool->units[unit];
  u->requests++;
  if (u->refs++ > 0) return;
  uint32_t run = u->run;
  if (pool->tiers != NULL && blocks < u->blocks)
    tdm_kv_tiers_evicted(pool->tiers, u->hash, u->blocks);
  pool->free -= blocks;
  pool->runs[run].blocks -= blocks;
  pool->runs[run].unit = TDM_KV_NONE;
  u->blocks = blocks;
  u->run = TDM_KV_NONE;
  if (pool->runs[run].blocks > 0) {
    merge(pool, run);
    return;
  }
  unlink_run(pool, run);
  run_free(pool, run);
}

void tdm_kv_pool_release(tdm_kv_pool *pool, uint32_t unit) {
  tdm_kv_unit *u = &pool->units[unit];
  if (--u->refs > 0) return;
  u->run = give_run(pool, u->blocks);
  if (u->run != TDM_KV_NONE) pool->runs[u->run].unit = unit;
}

/* ---- taking */

/* The front run has lost blocks of its unit, whose twins, if any, are worth more now. */
static void shrink_unit(tdm_kv_pool *pool, uint32_t run) {
  uint32_t unit = pool->runs[run].unit;
  int64_t blocks = pool->runs[run].blocks;
  bool alone = pool->units[unit].twin_after == unit;
  if (pool->tiers != NULL && alone)
    tdm_kv_tiers_evicted(pool->tiers, pool->units[unit].hash, pool->units[unit].blocks);
  pool->units[unit].blocks = blocks;
  if (blocks > 0 && alone) return;
  drop(pool, unit);
  pool->runs[run].unit = TDM_KV_NONE;
}

void tdm_kv_pool_take(tdm_kv_pool *pool, int64_t count) {
  pool->free -= count;
  while (count > 0 && pool->head != TDM_KV_NONE) {
    uint32_t run = pool->head;
    tdm_kv_run *r = &pool->runs[run];
    int64_t part = count < r->blocks ? count : r->blocks;
    count -= part;
    r->blocks -= part;
    if (r->unit != TDM_KV_NONE) shrink_unit(pool, run);
    if (r->blocks > 0) {
      if (anonymous(pool, run)) merge(pool, run);
      continue;
    }
    unlink_run(pool, run);
    if (!r->kept) run_free(pool, run);
  }
}

int64_t tdm_kv_pool_plain(const tdm_kv_pool *pool, int64_t count) {
  int64_t plain = 0;
  for (uint32_t run = pool->head; run != TDM_KV_NONE && plain < count; run = pool->runs[run].next) {
    uint32_t unit = pool->runs[run].unit;
    if (unit != TDM_KV_NONE && pool->units[unit].twin_after != unit) return plain;
    plain += pool->runs[run].blocks;
  }
  return count;
}

int64_t tdm_kv_pool_nobodys(const tdm_kv_pool *pool, int64_t count) {
  int64_t plain = 0;
  for (uint32_t run = pool->head; run != TDM_KV_NONE && plain < count; run = pool->runs[run].next) {
    if (pool->runs[run].unit != TDM_KV_NONE) return plain;
    plain += pool->runs[run].blocks;
  }
  return count;
}
