/* What plans of continuous batching share, and the plan of mixed steps, vLLM's. Called by serving
 * through the policy. */
#include "base/order.h"
#include "engine/serving/inside.h"

void tdm_scheduler_take_turned(tdm_serving *s, int64_t seen_ns) {
  while (s->turned.head != TDM_NO_JOB && s->jobs[s->turned.head].turned_ns < seen_ns)
    tdm_job_take_turned(s, s->turned.head);
}

static void take_aborts(tdm_serving *s, int64_t seen_ns) {
  size_t kept = 0;
  for (size_t i = 0; i < s->abort_count; i++) {
    tdm_abort abort = s->aborts[i];
    if (abort.at_ns >= seen_ns)
      s->aborts[kept++] = abort;
    else if (s->jobs[abort.job].ordinal == abort.ordinal)
      tdm_job_abort(s, abort.job);
  }
  s->abort_count = kept;
}

void tdm_scheduler_accept(tdm_serving *s, int64_t seen_ns) {
  tdm_scheduler_take_turned(s, seen_ns);
  if (s->loading.count > 0) tdm_loads_end(s, seen_ns);
  while (s->inbox.head != TDM_NO_JOB && s->jobs[s->inbox.head].arrival_ns < seen_ns) {
    uint32_t job = s->inbox.head;
    tdm_job_unlink(s, &s->inbox, job);
    s->policy.wait(s, job, false);
    if (s->tiers.prefetch) tdm_loads_prefetch(s, job);
  }
  if (s->abort_count > 0) take_aborts(s, seen_ns);
}

/* ---- running requests */

int64_t tdm_scheduler_lacking(const tdm_serving *s, const tdm_job *j, int64_t tokens) {
  int64_t blocks = tdm_kv_blocks(&s->shape, tokens) - j->hold.blocks;
  return blocks > 0 ? blocks : 0;
}

void tdm_scheduler_grow(tdm_serving *s, tdm_job *j, int64_t blocks) {
  tdm_kv_hold_grow(&j->hold, &s->pool, blocks);
  s->promised_blocks -= blocks;
}

void tdm_scheduler_promise(tdm_serving *s, const tdm_job *j, int sign) {
  if (s->config.admission == TDM_ADMIT_MAXIMUM)
    s->promised_blocks += sign * (j->whole - j->hold.blocks);
}

static void grant(tdm_serving *s, tdm_job *j) {
  tdm_scheduler_grow(s, j, tdm_scheduler_lacking(s, j, j->computed + j->chunk));
}

static void publish_chunks(tdm_serving *s) {
  if (s->config.shares_computed) return;
  for (size_t i = 0; i < s->explicit_count; i++) {
    tdm_job *j = &s->jobs[s->explicit_jobs[i]];
    int64_t known = tdm_least(j->computed + j->chunk, j->prompt + j->generated);
    if (j->chunk > 0) tdm_kv_hold_publish(&j->hold, &s->shape, &s->pool, known);
  }
}

bool tdm_scheduler_make_room(tdm_serving *s, int64_t now_ns) {
  bool preempted = false;
  int64_t blocks;
  while ((blocks = tdm_decoders_blocks(&s->decoders, 0, 1)) > s->pool.free) {
    uint32_t loser = s->policy.victim(s);
    if (s->jobs[loser].state == TDM_JOB_DECODING) tdm_job_make_explicit(s, loser);
    tdm_job_preempt(s, loser, now_ns);
    preempted = true;
  }
  if (blocks > 0) tdm_kv_pool_take(&s->pool, blocks);
  s->promised_blocks -= blocks;
  return preempted;
}

/* No implicit decoder was admitted after an explicit job. */
static bool explicit_last(const tdm_serving *s) {
  uint32_t job = s->running.tail;
  for (size_t i = s->explicit_count; i-- > 0; job = s->jobs[job].prev) {
    while (s->jobs[job].state == TDM_JOB_DONE) job = s->jobs[job].prev;
    if (job != s->explicit_jobs[i]) return false;
  }
  return true;
}

/* When tokens and blocks last for all, implicit decoders need no look. False: they do not. */
static bool grant_at_once(tdm_serving *s, int64_t *budget) {
  int64_t left = *budget - s->decoders.count * (1 + s->config.draft_tokens);
  int64_t implicit = tdm_decoders_blocks(&s->decoders, 0, 1), blocks = implicit;
  bool scarce = false;
  if (left < 0) return false;
  for (size_t i = 0; i < s->explicit_count; i++) {
    tdm_job *j = &s->jobs[s->explicit_jobs[i]];
    int64_t wanted = s->policy.chunk(s, s->explicit_jobs[i], tdm_job_todo(j), left);
    wanted += tdm_job_drafts(s, j);
    j->chunk = tdm_least(wanted, left);
    scarce |= j->chunk < wanted;
    left -= j->chunk;
    if (j->chunk > 0) blocks += tdm_scheduler_lacking(s, j, j->computed + j->chunk);
  }
  if (blocks > s->pool.free || (scarce && !explicit_last(s))) return false;
  if (implicit > 0) tdm_kv_pool_take(&s->pool, implicit);
  s->promised_blocks -= implicit;
  for (size_t i = 0; i < s->explicit_count; i++) grant(s, &s->jobs[s->explicit_jobs[i]]);
  *budget = left;
  return true;
}

/* All running jobs become explicit, in the list's order. */
static void make_all_explicit(tdm_serving *s) {
  s->explicit_count = 0;
  for (uint32_t job = s->running.head; job != TDM_NO_JOB; job = s->jobs[job].next) {
    s->jobs[job].chunk = 0;
    if (s->jobs[job].state == TDM_JOB_DECODING)
      tdm_job_make_explicit(s, job);
    else if (s->jobs[job].state == TDM_JOB_EXPLICIT)
      tdm_job_go_explicit(s, job);
  }
}

/* One by one in order of admission; whoever finds no block preempts. True: somebody was. */
static bool grant_one_by_one(tdm_serving *s, int64_t *budget, int64_t now_ns) {
  bool preempted = false;
  make_all_explicit(s);
  for (size_t i = 0; i<s->explicit_count && * budget> 0; i++) {
    uint32_t job = s->explicit_jobs[i];
    const tdm_job *j = &s->jobs[job];
    int64_t wanted = s->policy.chunk(s, job, tdm_job_todo(j), *budget) + tdm_job_drafts(s, j);
    int64_t chunk = tdm_least(wanted, *budget);
    int64_t blocks = tdm_scheduler_lacking(s, j, j->computed + chunk);
    while (blocks > s->pool.free) {
      uint32_t loser = s->policy.victim(s);
      if (s->jobs[loser].state == TDM_JOB_EXPLICIT && s->jobs[loser].chunk > 0) {
        *budget += s->jobs[loser].chunk; /* it was before this one, which moves up */
        i--;
      }
      preempted = true;
      tdm_job_preempt(s, loser, now_ns);
      if (loser == job) return true;
    }
    s->jobs[job].chunk = chunk;
    grant(s, &s->jobs[job]);
    *budget -= chunk;
  }
  return preempted;
}

/* ---- waiting requests */

void tdm_scheduler_candidate(const tdm_serving *s, uint32_t job, tdm_candidate *c) {
  const tdm_job *j = &s->jobs[job];
  bool has = j->swapped > 0 || j->ready;
  c->job = job;
  c->known = j->prompt + j->generated;
  c->held = j->ready ? j->hold.blocks : 0;
  c->chunk = 0;
  if (s->config.prefix_caching && !has)
    tdm_kv_hold_find(&j->hold, &s->shape, &s->pool, c->known, &c->hit);
  else
    c->hit = (tdm_kv_hit){0};
  c->computed = has ? j->computed : c->hit.blocks * s->shape.block_tokens;
  if (j->scheduled_ns < 0 && c->computed < j->given) c->computed = j->given;
}

void tdm_scheduler_admit(tdm_serving *s, const tdm_candidate *c, int64_t blocks, int64_t now_ns) {
  tdm_job *j = &s->jobs[c->job];
  bool resumed = j->scheduled_ns >= 0;
  tdm_job_append(s, &s->running, c->job);
  j->order = s->admitted++;
  if (j->adapter != TDM_NO_ADAPTER) tdm_passed_admitted(s, c->job);
  if (!j->ready) tdm_kv_hold_claim(&j->hold, &s->shape, &s->pool, &c->hit);
  if (!j->ready && s->tiers.count > 0) tdm_loads_touch(s, c);
  int64_t lacking = blocks - j->hold.blocks;
  tdm_kv_hold_grow(&j->hold, &s->pool, lacking > 0 ? lacking : 0);
  if (!j->ready) tdm_scheduler_promise(s, j, 1);
  if (j->swapped > 0) tdm_job_swap_in(s, c->job);
  if (!resumed) {
    j->scheduled_ns = now_ns;
    if (!j->ready) j->cached_tokens = c->hit.blocks * s->shape.block_tokens;
  }
  j->computed = j->settled = c->computed;
  j->ready = false;
  j->chunk = c->chunk;
  tdm_job_go_explicit(s, c->job);
  if (!s->config.shares_computed)
    tdm_kv_hold_publish(&j->hold, &s->shape, &s->pool, j->computed + j->chunk);
  if (s->events.scheduled != NULL)
    s->events.scheduled(s->events.context, j->id, now_ns, j->computed,
                        s->tiers.count > 0 ? tdm_loads_found(s, c->job) : 0, resumed);
}

static int64_t partial_prefills(const tdm_serving *s) {
  int64_t count = 0;
  for (size_t i = 0; i < s->explicit_count; i++) {
    const tdm_job *j = &s->jobs[s->explicit_jobs[i]];
    count += tdm_job_todo(j) > j->chunk;
  }
  return count;
}

static bool hold(tdm_serving *s, tdm_serving_held why) {
  s->held = why;
  return false;
}

bool tdm_scheduler_has_room(const tdm_serving *s, const tdm_candidate *c) {
  bool promises = s->config.admission == TDM_ADMIT_MAXIMUM;
  int64_t room = promises ? s->jobs[c->job].whole + s->promised_blocks
                          : tdm_kv_blocks(&s->shape, c->known) + c->hit.free - c->hit.blocks;
  return room <= s->pool.free;
}

void tdm_scheduler_park(tdm_serving *s, const tdm_candidate *c) {
  tdm_job *j = &s->jobs[c->job];
  s->policy.leave(s, c->job);
  tdm_job_append(s, &s->parked, c->job);
  j->state = TDM_JOB_PARKED;
  tdm_kv_hold_claim(&j->hold, &s->shape, &s->pool, &c->hit);
  if (s->tiers.count > 0) tdm_loads_touch(s, c);
  tdm_kv_hold_grow(&j->hold, &s->pool, tdm_scheduler_lacking(s, j, c->known));
  tdm_scheduler_promise(s, j, 1);
}

/* Blocks for all that is known of a request whose KV is elsewhere. */
static bool reserve(tdm_serving *s, const tdm_candidate *c, int64_t now_ns) {
  tdm_job *j = &s->jobs[c->job];
  int64_t cached = c->hit.blocks * s->shape.block_tokens;
  if (!tdm_scheduler_has_room(s, c)) return hold(s, TDM_SERVING_BLOCKS);
  tdm_scheduler_park(s, c);
  j->cached_tokens = cached;
  j->computed = j->settled = cached > j->given ? cached : j->given;
  if (s->events.reserved != NULL)
    s->events.reserved(s->events.context, j->id, now_ns, c->job,
                       j->given > cached ? j->given - cached : 0);
  return true;
}

/* The first in the queue, if it may run in this step. */
static bool admit_first(tdm_serving *s, int64_t *budget, int64_t now_ns) {
  if (s->running.count == s->config.max_seqs) return hold(s, TDM_SERVING_SEQS);
  if (*budget == 0) return hold(s, TDM_SERVING_TOKENS);
  uint32_t job = s->adapters.most > 0 ? tdm_passed_first(s) : tdm_queue_first(s);
  if (job == TDM_NO_JOB) return hold(s, TDM_SERVING_RULE);
  tdm_candidate c;
  tdm_scheduler_candidate(s, job, &c);
  if (s->jobs[job].remote) return reserve(s, &c, now_ns);
  tdm_kv_below below;
  tdm_loads_answer loads = TDM_LOADS_NONE;
  if (s->tiers.count > 0) loads = tdm_loads_ask(s, &c, &below, now_ns);
  if (loads == TDM_LOADS_WAIT) return true;
  if (loads == TDM_LOADS_HELD) return hold(s, TDM_SERVING_BLOCKS);
  c.chunk = s->policy.chunk(s, job, c.known - c.computed, *budget);
  if (tdm_job_comes_whole(s, &s->jobs[job]) && c.chunk > *budget)
    return hold(s, TDM_SERVING_TOKENS);
  c.chunk = tdm_least(c.chunk, *budget);
  if (c.chunk == 0) return hold(s, TDM_SERVING_RULE);
  if (s->config.max_partial_prefills > 0 && c.computed + c.chunk < c.known &&
      partial_prefills(s) >= s->config.max_partial_prefills)
    return hold(s, TDM_SERVING_RULE);
  int64_t blocks = s->policy.admit(s, &c);
  if (blocks < 0) return hold(s, TDM_SERVING_BLOCKS);
  tdm_queue_leave(s, job);
  if (loads == TDM_LOADS_THERE) tdm_loads_taken(s, &c, &below, now_ns);
  tdm_scheduler_admit(s, &c, blocks, now_ns);
  *budget -= c.chunk;
  return true;
}

void tdm_scheduler_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns) {
  tdm_scheduler_accept(s, seen_ns);
  int64_t budget = s->config.max_batched_tokens;
  bool preempted = false;
  if (!grant_at_once(s, &budget)) preempted = grant_one_by_one(s, &budget, now_ns);
  publish_chunks(s);
  s->held = TDM_SERVING_BLOCKS;
  if (preempted) return;
  if (s->policy.arrange != NULL && budget > 0 && s->running.count < s->config.max_seqs)
    s->policy.arrange(s);
  while (admit_first(s, &budget, now_ns)) continue;
  if (tdm_queue_count(s) == 0) s->held = TDM_SERVING_NOT_HELD;
}
