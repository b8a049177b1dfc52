/* Orders that look at the prefix cache, as SGLang arranges its queue: the longest match first, or
 * depth first through the tree of matches, the child for which most wait before its siblings.
 * Arranging is as long as the queue, so plans ask for it only when somebody may be admitted; beyond
 * LONGEST_QUEUE requests the longest match is not looked for and the queue stays as it is. Called
 * through the policy. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "engine/serving/inside.h"

enum {
  LONGEST_QUEUE = 128,
  SHORT_MATCH = 32, /* tokens: with no more in the cache, who shares as many with an earlier one
                     * that waits comes after all others, to find them there later */
};

/* Fills s->ranks with the waiting list. 0: out of memory. */
static size_t collect(tdm_serving *s) {
  size_t count = 0, wanted = (size_t)s->waiting.count;
  if (!tdm_array_grow(&s->ranks, &s->rank_capacity, wanted, sizeof *s->ranks)) {
    s->failed = true;
    return 0;
  }
  for (uint32_t job = s->waiting.head; job != TDM_NO_JOB; job = s->jobs[job].next) {
    tdm_job *j = &s->jobs[job];
    tdm_kv_hit hit;
    tdm_kv_hold_find(&j->hold, &s->shape, &s->pool, j->prompt + j->generated, &hit);
    s->ranks[count] = (tdm_queue_rank){
        .job = job, .position = (uint32_t)count, .units = hit.units, .key = hit.blocks};
    count++;
  }
  return count;
}

static void relink(tdm_serving *s, size_t count) {
  s->waiting = (tdm_job_list){.head = TDM_NO_JOB, .tail = TDM_NO_JOB};
  for (size_t i = 0; i < count; i++) tdm_job_append(s, &s->waiting, s->ranks[i].job);
}

/* Greatest key first, equal ones as they were. */
static int by_key(const void *left, const void *right) {
  const tdm_queue_rank *a = left, *b = right;
  if (a->key != b->key) return TDM_ORDER(b->key, a->key);
  return TDM_ORDER(a->position, b->position);
}

/* ---- the longest match */

/* Those that hardly find anything, but would find what an earlier one of them is to compute. */
static void put_off_followers(tdm_serving *s, size_t count) {
  int64_t blocks = (SHORT_MATCH + s->shape.block_tokens - 1) / s->shape.block_tokens;
  uint64_t leaders[LONGEST_QUEUE];
  size_t leader_count = 0;
  for (size_t i = 0; i < count; i++) {
    const tdm_kv_hold *hold = &s->jobs[s->ranks[i].job].hold;
    if (s->ranks[i].key * s->shape.block_tokens > SHORT_MATCH) continue;
    uint32_t unit = 0;
    while (unit < hold->hash_count && tdm_kv_unit_end(hold, &s->shape, unit) < blocks) unit++;
    if (unit >= hold->hash_count || tdm_kv_unit_end(hold, &s->shape, unit) > hold->hashed_blocks)
      continue;
    size_t leader = 0;
    while (leader < leader_count && leaders[leader] != hold->hashes[unit]) leader++;
    if (leader < leader_count)
      s->ranks[i].key = -1;
    else
      leaders[leader_count++] = hold->hashes[unit];
  }
}

void tdm_prefix_order_longest(tdm_serving *s) {
  if (s->waiting.count < 2 || s->waiting.count > LONGEST_QUEUE) return;
  size_t count = collect(s);
  if (count == 0) return;
  put_off_followers(s, count);
  qsort(s->ranks, count, sizeof *s->ranks, by_key);
  relink(s, count);
}

/* ---- depth first */

static int by_hash(const void *left, const void *right) {
  const tdm_queue_rank *a = left, *b = right;
  if (a->ends != b->ends) return a->ends ? 1 : -1;
  if (!a->ends && a->hash != b->hash) return TDM_ORDER(a->hash, b->hash);
  return TDM_ORDER(a->position, b->position);
}

/* Most requests first, then the group of the earliest; who ends here comes last. */
static int by_group(const void *left, const void *right) {
  const tdm_queue_rank *a = left, *b = right;
  if (a->ends != b->ends) return a->ends ? 1 : -1;
  if (a->key != b->key) return TDM_ORDER(b->key, a->key);
  if (a->group != b->group) return TDM_ORDER(a->group, b->group);
  return TDM_ORDER(a->position, b->position);
}

static size_t group_end(const tdm_queue_rank *ranks, size_t from, size_t count) {
  size_t end = from + 1;
  while (end < count && !ranks[end].ends && ranks[end].hash == ranks[from].hash) end++;
  return end;
}

/* Groups by the unit at `depth`. Returns how many do not end before it. */
static size_t split(const tdm_serving *s, tdm_queue_rank *ranks, size_t count, uint32_t depth) {
  size_t deeper = 0;
  for (size_t i = 0; i < count; i++) {
    ranks[i].ends = ranks[i].units <= depth;
    ranks[i].hash = ranks[i].ends ? 0 : s->jobs[ranks[i].job].hold.hashes[depth];
    ranks[i].key = 0;
    ranks[i].group = 0;
    deeper += !ranks[i].ends;
  }
  qsort(ranks, count, sizeof *ranks, by_hash);
  for (size_t i = 0, end; i < deeper; i = end) {
    end = group_end(ranks, i, deeper);
    for (size_t k = i; k < end; k++) {
      ranks[k].key = (int64_t)(end - i);
      ranks[k].group = ranks[i].position;
    }
  }
  qsort(ranks, count, sizeof *ranks, by_group);
  return deeper;
}

/* Recurs into all groups but the first, none of which is longer than that: no deeper than the
 * logarithm of the count. */
static void depth_first(const tdm_serving *s, tdm_queue_rank *ranks, size_t count, uint32_t depth) {
  while (count > 1) {
    size_t deeper = split(s, ranks, count, depth);
    if (deeper == 0) return;
    depth++;
    size_t first = group_end(ranks, 0, deeper);
    for (size_t i = first, end; i < deeper; i = end) {
      end = group_end(ranks, i, deeper);
      depth_first(s, &ranks[i], end - i, depth);
    }
    count = first;
  }
}

void tdm_prefix_order_weight(tdm_serving *s) {
  if (s->waiting.count < 2) return;
  size_t count = collect(s);
  if (count == 0) return;
  depth_first(s, s->ranks, count, 0);
  relink(s, count);
}
