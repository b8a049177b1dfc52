/* Prefixes that come from tiers below the GPUs' KV cache. What the GPUs lack of a prefix and tiers
 * have is loaded when a request's turn comes; how depends on the steps, as servers differ:
 *
 * Mixed steps, as vLLM's OffloadingConnector: the request leaves the queue with blocks for all that
 * is known of it, others go on meanwhile, and with the first plan after its loads it runs, before
 * all that wait. What need not be waited for counts as computed at once. A tier that prefetches
 * begins when the request comes, and keeps what it fetches aside until its turn.
 *
 * Prefill-first, as SGLang's HiCache: the request runs at once and the first tier loads layer by
 * layer beside the step, which ends no sooner than its loads. Tiers further down are only
 * prefetched from, into the first one: who is to wait for that stands beside the queue, at whose
 * place it is then; a prefetch that is cut short has what has come by then, and its load goes on in
 * vain.
 *
 * Decode-first, as TensorRT-LLM: the request runs at once, the step computes when what it onboards
 * is there, and that leaves the tier.
 *
 * Loads that have begun come to their end, though their blocks leave the tier meanwhile. Two that
 * load the same at once load it twice. Called by the plans and by jobs. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "engine/serving/inside.h"

/* Tokens that SGLang finds worth a load, a prefetch (load_back_threshold, prefetch_threshold). */
#define LOAD_LEAST     10
#define PREFETCH_LEAST 256

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

static tdm_kv_prefix prefix_of(const tdm_serving *s, uint32_t job) {
  const tdm_kv_hold *hold = &s->jobs[job].hold;
  return (tdm_kv_prefix){.hashes = hold->hashes,
                         .ends = hold->ends,
                         .scale = 1,
                         .unit_blocks = s->shape.unit_blocks,
                         .count = hold->hash_count,
                         .blocks = hold->hashed_blocks};
}

/* Its blocks that may be found: the last token is always computed. */
static int64_t most_of(const tdm_serving *s, int64_t known) {
  return (known - 1) / s->shape.block_tokens;
}

/* What the first tiers have beyond what the GPUs have of the job's first `known` tokens. */
static void find(const tdm_serving *s, size_t tiers, uint32_t job, int64_t known,
                 const tdm_kv_hit *hit, tdm_kv_below *below) {
  const tdm_job_below *mine = &s->below[job];
  const tdm_kv_prefix prefix = prefix_of(s, job);
  tdm_kv_tiers_find(&s->tiers, tiers, &prefix, hit->blocks, most_of(s, known), mine->ahead,
                    mine->ahead_end, s->plan_ns, below);
}

static const tdm_kv_tier *tier_of(const tdm_serving *s, size_t k) {
  return &s->tiers.tiers[k]->is;
}

static bool has_steps(const tdm_serving *s, tdm_serving_steps steps) {
  return s->config.steps == steps;
}

/* ---- ahead of its turn */

/* How long it waits for what is prefetched of a tier, from now on. */
static int64_t patience_ns(const tdm_serving *s, size_t k, int64_t blocks, int64_t there_ns) {
  const tdm_kv_tier *tier = tier_of(s, k);
  double tokens = (double)(blocks * s->shape.block_tokens);
  double seconds = tier->timeout_s + tokens * tier->timeout_token_s;
  if (tier->prefetch == TDM_KV_BEST_EFFORT) return s->plan_ns;
  if (tier->prefetch == TDM_KV_WAIT_COMPLETE || seconds >= (double)(there_ns - s->plan_ns) * 1e-9)
    return there_ns;
  return s->plan_ns + (int64_t)(seconds * 1e9 + 0.5);
}

/* Loads into the first tier begin; until when it waits for them. */
static int64_t fetch(tdm_serving *s, uint32_t job, const int64_t *loads) {
  tdm_job_below *mine = &s->below[job];
  int64_t until_ns = s->plan_ns, all = 0;
  for (size_t k = 0; k < s->tiers.count; k++) all += loads[k];
  if (all * s->shape.block_tokens < PREFETCH_LEAST) return until_ns;
  mine->fetching = true;
  for (size_t k = 0; k < s->tiers.count; k++) {
    int64_t one[TDM_KV_TIERS] = {0};
    one[k] = mine->fetches[k] = loads[k];
    if (loads[k] == 0) continue;
    int64_t free_ns = s->tiers.tiers[k]->load_ns;
    mine->fetch_ns[k] = free_ns > s->plan_ns ? free_ns : s->plan_ns;
    int64_t there_ns = tdm_kv_tiers_load(&s->tiers, one, s->plan_ns);
    int64_t at_ns = patience_ns(s, k, loads[k], there_ns);
    if (at_ns > until_ns) until_ns = at_ns;
  }
  return until_ns;
}

/* Blocks of a tier that have come by now. */
static int64_t come(const tdm_serving *s, const tdm_job_below *mine, size_t k, int64_t now_ns) {
  const tdm_kv_tier *tier = tier_of(s, k);
  double seconds = (double)(now_ns - mine->fetch_ns[k]) * 1e-9 - tier->latency_s;
  double blocks = tier->block_s > 0 ? seconds / tier->block_s + 1e-6 : (double)mine->fetches[k];
  if (seconds < 0) return 0;
  return blocks < (double)mine->fetches[k] ? (int64_t)blocks : mine->fetches[k];
}

/* Its prefetch ends with what has come. */
static void fetched(tdm_serving *s, uint32_t job, int64_t now_ns) {
  tdm_job_below *mine = &s->below[job];
  const tdm_job *j = &s->jobs[job];
  const tdm_kv_prefix prefix = prefix_of(s, job);
  int64_t has[TDM_KV_TIERS] = {0}, came[TDM_KV_TIERS] = {0};
  mine->fetching = false;
  for (size_t k = 0; k < s->tiers.count; k++) has[k] = come(s, mine, k, now_ns);
  tdm_kv_tiers_bring(&s->tiers, &prefix, mine->ahead, most_of(s, j->prompt + j->generated), has,
                     came);
  for (size_t k = 1; k < s->tiers.count; k++) mine->brought[k] = came[k];
}

/* Beside the queue, at whose place it is then. */
static void stand_aside(tdm_serving *s, uint32_t job, int64_t until_ns) {
  s->policy.leave(s, job);
  tdm_job_append(s, &s->parked, job);
  s->jobs[job].state = TDM_JOB_PARKED;
  s->below[job].loading = true;
  s->below[job].begin_ns = s->plan_ns;
  tdm_heap_item item = {.key = until_ns, .order = s->loads++, .member = job};
  if (!tdm_heap_push(&s->loading, item)) s->failed = true;
}

void tdm_loads_prefetch(tdm_serving *s, uint32_t job) {
  const tdm_job *j = &s->jobs[job];
  tdm_job_below *mine = &s->below[job];
  int64_t known = j->prompt + j->generated;
  tdm_kv_hit hit;
  tdm_kv_below below;
  if (j->remote || j->hold.hash_count == 0) return;
  tdm_kv_hold_find(&j->hold, &s->shape, &s->pool, known, &hit);
  find(s, s->tiers.count, job, known, &hit, &below);
  for (size_t k = 0; k < s->tiers.count; k++)
    if (tier_of(s, k)->prefetch == TDM_KV_NO_PREFETCH) below.loads[k] = 0;
  mine->ahead = hit.blocks;
  if (has_steps(s, TDM_STEPS_PREFILL_FIRST)) {
    int64_t until_ns = fetch(s, job, below.loads);
    if (until_ns > s->plan_ns) stand_aside(s, job, until_ns);
    return;
  }
  mine->ahead_ns = tdm_kv_tiers_load(&s->tiers, below.loads, s->plan_ns);
  mine->ahead_end = hit.blocks + below.blocks;
}

/* ---- its turn */

void tdm_loads_touch(tdm_serving *s, const tdm_candidate *c) {
  const tdm_kv_hold *hold = &s->jobs[c->job].hold;
  tdm_kv_tiers_touch(&s->tiers, hold->hashes, tdm_kv_hold_units(hold, &s->shape, c->known));
}

static void note_found(tdm_serving *s, uint32_t job, const tdm_kv_below *below) {
  tdm_job_below *mine = &s->below[job];
  int64_t brought = 0;
  if (s->jobs[job].scheduled_ns >= 0) return;
  for (size_t k = 1; k < s->tiers.count; k++) {
    int64_t blocks = tdm_least(mine->brought[k], below->found[0] - brought);
    mine->tokens[k] = (below->found[k] + blocks) * s->shape.block_tokens;
    brought += blocks;
  }
  mine->tokens[0] = (below->found[0] - brought) * s->shape.block_tokens;
}

int64_t tdm_loads_taken(tdm_serving *s, const tdm_candidate *c, const tdm_kv_below *below,
                        int64_t now_ns) {
  int64_t there_ns = tdm_kv_tiers_load(&s->tiers, below->loads, now_ns);
  note_found(s, c->job, below);
  if (has_steps(s, TDM_STEPS_PREFILL_FIRST) && there_ns > s->beside.until_ns)
    s->beside.until_ns = there_ns;
  if (has_steps(s, TDM_STEPS_DECODE_FIRST)) {
    const tdm_kv_prefix prefix = prefix_of(s, c->job);
    if (there_ns > s->beside.ready_ns) s->beside.ready_ns = there_ns;
    tdm_kv_tiers_leave(&s->tiers, &prefix, c->hit.blocks, c->hit.blocks + below->blocks);
  }
  return there_ns;
}

int64_t tdm_loads_found(const tdm_serving *s, uint32_t job) {
  int64_t tokens = 0;
  for (size_t k = 0; k < s->tiers.count; k++) tokens += s->below[job].tokens[k];
  return tokens;
}

/* Something is under way that the candidate needs. */
static bool under_way(const tdm_serving *s, const tdm_kv_below *below) {
  for (size_t k = 0; k < s->tiers.count; k++)
    if (below->found[k] > below->loads[k]) return true;
  return false;
}

/* Its blocks may be written to once what had them is stored; steps need not wait for that. */
static void park(tdm_serving *s, const tdm_candidate *c, const tdm_kv_below *below, int64_t now_ns,
                 int64_t ahead_ns) {
  tdm_job *j = &s->jobs[c->job];
  tdm_job_below *mine = &s->below[c->job];
  int64_t cached = c->hit.blocks * s->shape.block_tokens, left_ns = s->tiers.left_ns;
  tdm_scheduler_park(s, c);
  int64_t there_ns = tdm_loads_taken(s, c, below, now_ns);
  if (there_ns < ahead_ns) there_ns = ahead_ns;
  if (s->tiers.left_ns > there_ns && s->tiers.left_ns > left_ns) there_ns = s->tiers.left_ns;
  s->tiers.left_ns = left_ns;
  if (j->scheduled_ns < 0) j->cached_tokens = cached;
  j->settled = cached;
  j->computed = cached + below->blocks * s->shape.block_tokens;
  mine->loading = true;
  mine->begin_ns = now_ns;
  tdm_heap_item item = {.key = there_ns, .order = s->loads++, .member = c->job};
  if (!tdm_heap_push(&s->loading, item)) s->failed = true;
}

/* It may find something below that is of use to it. */
static bool may_load(const tdm_serving *s, const tdm_candidate *c) {
  const tdm_job *j = &s->jobs[c->job];
  return !j->ready && j->swapped == 0 && j->hold.hash_count > 0 && c->hit.kept == 0 &&
         c->computed <= c->hit.blocks * s->shape.block_tokens;
}

tdm_loads_answer tdm_loads_ask(tdm_serving *s, tdm_candidate *c, tdm_kv_below *below,
                               int64_t now_ns) {
  if (!may_load(s, c)) return TDM_LOADS_NONE;
  find(s, s->tiers.count, c->job, c->known, &c->hit, below);
  if (below->blocks == 0) return TDM_LOADS_NONE;
  int64_t there_ns = tdm_kv_tiers_there_ns(&s->tiers, below->loads, now_ns);
  int64_t ahead_ns = under_way(s, below) ? s->below[c->job].ahead_ns : 0;
  if (!tdm_scheduler_has_room(s, c)) return TDM_LOADS_HELD;
  if (there_ns <= now_ns && ahead_ns <= now_ns) {
    c->computed += below->blocks * s->shape.block_tokens;
    return TDM_LOADS_THERE;
  }
  park(s, c, below, now_ns, ahead_ns);
  return TDM_LOADS_WAIT;
}

bool tdm_loads_join(tdm_serving *s, tdm_candidate *c, tdm_kv_below *below, int64_t now_ns) {
  if (!may_load(s, c)) return false;
  if (s->below[c->job].fetching) fetched(s, c->job, now_ns);
  find(s, 1, c->job, c->known, &c->hit, below);
  int64_t tokens = below->blocks * s->shape.block_tokens;
  if (tokens < (has_steps(s, TDM_STEPS_PREFILL_FIRST) ? LOAD_LEAST : 1)) return false;
  c->computed += tokens;
  return true;
}

/* ---- its loads end */

void tdm_loads_end(tdm_serving *s, int64_t seen_ns) {
  for (const tdm_heap_item *first;
       (first = tdm_heap_first(&s->loading)) != NULL && first->key < seen_ns;) {
    uint32_t job = first->member;
    int64_t at_ns = first->key;
    tdm_job *j = &s->jobs[job];
    s->below[job].load_ns += at_ns - s->below[job].begin_ns;
    s->below[job].loading = false;
    tdm_heap_remove(&s->loading, job);
    tdm_job_unlink(s, &s->parked, job);
    if (s->below[job].fetching) {
      fetched(s, job, at_ns);
      tdm_queue_return(s, job);
      continue;
    }
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
  if (s->below[job].fetching) return;
  tdm_scheduler_promise(s, j, -1);
  tdm_kv_hold_release(&j->hold, &s->shape, &s->pool, j->settled, false);
}
