/* Prefixes that come from tiers below the GPUs' KV cache, as vLLM's OffloadingConnector loads them.
 *
 * When a request's turn comes, what the GPUs lack of its prefix and tiers have is loaded: the
 * request leaves the queue with blocks for all that is known of it, others go on meanwhile, and
 * with the first plan after its loads it runs, before all that wait. What need not be waited for
 * counts as computed at once. A tier that prefetches begins when the request comes, and keeps what
 * it fetches aside until its turn. Loads that have begun come to their end, though their blocks
 * leave the tier meanwhile. Two that load the same at once load it twice. Called by the plans and
 * by jobs. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "engine/serving/inside.h"

bool tdm_loads_know(tdm_serving *s, uint32_t job) {
  if (!tdm_array_grow(&s->below, &s->below_capacity, (size_t)job + 1, sizeof *s->below))
    return false;
  s->below[job] = (tdm_job_below){0};
  return true;
}

void tdm_loads_close(tdm_serving *s) {
  free(s->below);
  tdm_heap_close(&s->loading);
}

/* What tiers have beyond what the GPUs have of the job's first `known` tokens; the last one is
 * always computed. */
static void find(const tdm_serving *s, uint32_t job, int64_t known, const tdm_kv_hit *hit,
                 tdm_kv_below *below) {
  const tdm_kv_hold *hold = &s->jobs[job].hold;
  const tdm_job_below *mine = &s->below[job];
  const tdm_kv_prefix prefix = {.hashes = hold->hashes,
                                .ends = hold->ends,
                                .scale = 1,
                                .unit_blocks = s->shape.unit_blocks,
                                .count = hold->hash_count,
                                .blocks = hold->hashed_blocks};
  tdm_kv_tiers_find(&s->tiers, &prefix, hit->blocks, (known - 1) / s->shape.block_tokens,
                    mine->ahead, mine->ahead_end, below);
}

void tdm_loads_prefetch(tdm_serving *s, uint32_t job) {
  const tdm_job *j = &s->jobs[job];
  tdm_job_below *mine = &s->below[job];
  int64_t known = j->prompt + j->generated;
  tdm_kv_hit hit;
  tdm_kv_below below;
  if (j->remote || j->hold.hash_count == 0) return;
  tdm_kv_hold_find(&j->hold, &s->shape, &s->pool, known, &hit);
  find(s, job, known, &hit, &below);
  for (size_t k = 0; k < s->tiers.count; k++)
    if (!s->tiers.tiers[k].is.prefetch) below.loads[k] = 0;
  mine->ahead_ns = tdm_kv_tiers_load(&s->tiers, below.loads, s->plan_ns);
  mine->ahead = hit.blocks;
  mine->ahead_end = hit.blocks + below.blocks;
}

void tdm_loads_touch(tdm_serving *s, const tdm_candidate *c) {
  const tdm_kv_hold *hold = &s->jobs[c->job].hold;
  tdm_kv_tiers_touch(&s->tiers, hold->hashes, tdm_kv_hold_units(hold, &s->shape, c->known));
}

void tdm_loads_taken(tdm_serving *s, const tdm_candidate *c, const tdm_kv_below *below,
                     int64_t now_ns) {
  tdm_kv_tiers_load(&s->tiers, below->loads, now_ns);
  if (s->jobs[c->job].scheduled_ns >= 0) return;
  for (size_t k = 0; k < s->tiers.count; k++)
    s->below[c->job].tokens[k] = below->found[k] * s->shape.block_tokens;
}

/* Something is under way that the candidate needs. */
static bool under_way(const tdm_serving *s, const tdm_kv_below *below) {
  for (size_t k = 0; k < s->tiers.count; k++)
    if (below->found[k] > below->loads[k]) return true;
  return false;
}

static void park(tdm_serving *s, const tdm_candidate *c, const tdm_kv_below *below, int64_t now_ns,
                 int64_t there_ns) {
  tdm_job *j = &s->jobs[c->job];
  tdm_job_below *mine = &s->below[c->job];
  int64_t cached = c->hit.blocks * s->shape.block_tokens;
  tdm_scheduler_park(s, c);
  tdm_loads_taken(s, c, below, now_ns);
  if (j->scheduled_ns < 0) j->cached_tokens = cached;
  j->settled = cached;
  j->computed = cached + below->blocks * s->shape.block_tokens;
  mine->loading = true;
  mine->begin_ns = now_ns;
  tdm_heap_item item = {.key = there_ns, .order = s->loads++, .member = c->job};
  if (!tdm_heap_push(&s->loading, item)) s->failed = true;
}

tdm_loads_answer tdm_loads_ask(tdm_serving *s, tdm_candidate *c, tdm_kv_below *below,
                               int64_t now_ns) {
  const tdm_job *j = &s->jobs[c->job];
  if (j->ready || j->swapped > 0 || j->hold.hash_count == 0 || c->hit.kept > 0 ||
      c->computed > c->hit.blocks * s->shape.block_tokens)
    return TDM_LOADS_NONE;
  find(s, c->job, c->known, &c->hit, below);
  if (below->blocks == 0) return TDM_LOADS_NONE;
  int64_t there_ns = tdm_kv_tiers_there_ns(&s->tiers, below->loads, now_ns);
  if (under_way(s, below) && s->below[c->job].ahead_ns > there_ns)
    there_ns = s->below[c->job].ahead_ns;
  if (!tdm_scheduler_has_room(s, c)) return TDM_LOADS_HELD;
  if (there_ns <= now_ns) {
    c->computed += below->blocks * s->shape.block_tokens;
    return TDM_LOADS_THERE;
  }
  park(s, c, below, now_ns, there_ns);
  return TDM_LOADS_WAIT;
}

void tdm_loads_end(tdm_serving *s, int64_t seen_ns) {
  for (const tdm_heap_item *first;
       (first = tdm_heap_first(&s->loading)) != NULL && first->key < seen_ns;) {
    uint32_t job = first->member;
    tdm_job *j = &s->jobs[job];
    s->below[job].load_ns += first->key - s->below[job].begin_ns;
    s->below[job].loading = false;
    tdm_heap_remove(&s->loading, job);
    tdm_job_unlink(s, &s->parked, job);
    j->settled = j->computed;
    j->ready = true;
    tdm_kv_hold_publish(&j->hold, &s->shape, &s->pool, j->computed);
    j->state = TDM_JOB_WAITING;
    tdm_job_append(s, &s->ready, job);
  }
}

void tdm_loads_abort(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  s->below[job].loading = false;
  tdm_heap_remove(&s->loading, job);
  tdm_job_unlink(s, &s->parked, job);
  tdm_scheduler_promise(s, j, -1);
  tdm_kv_hold_release(&j->hold, &s->shape, &s->pool, j->settled, false);
}
