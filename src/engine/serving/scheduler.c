/* Continuous batching: one step's plan. Called by serving. */
#include "engine/serving/state.h"

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t prefill_limit(const tdm_serving *s, int64_t todo) {
  int64_t most = s->config.long_prefill_tokens;
  return most > 0 ? least(todo, most) : todo;
}

void tdm_scheduler_accept(tdm_serving *s, int64_t seen_ns) {
  while (s->inbox.head != TDM_NO_JOB && s->jobs[s->inbox.head].arrival_ns < seen_ns) {
    uint32_t job = s->inbox.head;
    tdm_job_unlink(s, &s->inbox, job);
    tdm_job_wait(s, job, false);
  }
}

/* ---- running requests */

/* Blocks that the job lacks to have `tokens` tokens. */
static int64_t lacking(const tdm_serving *s, const tdm_job *j, int64_t tokens) {
  int64_t blocks = tdm_kv_blocks(&s->shape, tokens) - j->hold.blocks;
  return blocks > 0 ? blocks : 0;
}

static void grant(tdm_serving *s, tdm_job *j) {
  tdm_kv_hold_grow(&j->hold, &s->pool, lacking(s, j, j->computed + j->chunk));
}

static void publish_chunks(tdm_serving *s) {
  for (size_t i = 0; i < s->explicit_count; i++) {
    tdm_job *j = &s->jobs[s->explicit_jobs[i]];
    if (j->chunk > 0) tdm_kv_hold_publish(&j->hold, &s->shape, &s->pool, j->computed + j->chunk);
  }
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
  int64_t left = *budget - s->decoders.count;
  int64_t implicit = tdm_decoders_blocks(&s->decoders, 0, 1), blocks = implicit;
  bool scarce = false;
  for (size_t i = 0; i < s->explicit_count; i++) {
    tdm_job *j = &s->jobs[s->explicit_jobs[i]];
    int64_t wanted = prefill_limit(s, tdm_job_todo(j));
    j->chunk = least(wanted, left);
    scarce |= j->chunk < wanted;
    left -= j->chunk;
    if (j->chunk > 0) blocks += lacking(s, j, j->computed + j->chunk);
  }
  if (blocks > s->pool.free || (scarce && !explicit_last(s))) return false;
  if (implicit > 0) tdm_kv_pool_take(&s->pool, implicit);
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

/* Whom to preempt: the last to be admitted, or the least important, the latest of those. */
static uint32_t victim(const tdm_serving *s) {
  if (s->config.order == TDM_SERVING_FCFS) return s->running.tail;
  uint32_t worst = s->running.head;
  for (uint32_t job = worst; job != TDM_NO_JOB; job = s->jobs[job].next) {
    const tdm_job *a = &s->jobs[job], *b = &s->jobs[worst];
    if (a->priority != b->priority       ? a->priority > b->priority
        : a->arrival_ns != b->arrival_ns ? a->arrival_ns > b->arrival_ns
                                         : a->ordinal > b->ordinal)
      worst = job;
  }
  return worst;
}

/* One by one in order of admission; whoever finds no block preempts. True: somebody was. */
static bool grant_one_by_one(tdm_serving *s, int64_t *budget, int64_t now_ns) {
  bool preempted = false;
  make_all_explicit(s);
  for (size_t i = 0; i<s->explicit_count && * budget> 0; i++) {
    uint32_t job = s->explicit_jobs[i];
    int64_t chunk = least(prefill_limit(s, tdm_job_todo(&s->jobs[job])), *budget);
    int64_t blocks = lacking(s, &s->jobs[job], s->jobs[job].computed + chunk);
    while (blocks > s->pool.free) {
      uint32_t loser = victim(s);
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

void tdm_scheduler_admit(tdm_serving *s, uint32_t job, const tdm_kv_hit *hit, int64_t tokens,
                         int64_t chunk, int64_t now_ns) {
  tdm_job *j = &s->jobs[job];
  bool resumed = j->scheduled_ns >= 0;
  tdm_job_leave_queue(s, job);
  tdm_job_append(s, &s->running, job);
  j->order = s->admitted++;
  if (!j->ready) tdm_kv_hold_claim(&j->hold, &s->shape, &s->pool, hit);
  tdm_kv_hold_grow(&j->hold, &s->pool, lacking(s, j, tokens));
  if (j->swapped > 0)
    tdm_job_swap_in(s, job);
  else if (!j->ready)
    j->computed = hit->blocks * s->shape.block_tokens;
  if (!resumed) {
    j->scheduled_ns = now_ns;
    if (!j->ready) j->cached_tokens = j->computed;
    if (j->computed < j->given) j->computed = j->given;
  }
  j->ready = false;
  j->chunk = chunk;
  tdm_job_go_explicit(s, job);
  tdm_kv_hold_publish(&j->hold, &s->shape, &s->pool, j->computed + chunk);
  if (s->events.scheduled != NULL)
    s->events.scheduled(s->events.context, j->id, now_ns, j->computed, resumed);
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

/* Blocks for all that is known of a request whose KV is elsewhere. */
static bool reserve(tdm_serving *s, uint32_t job, const tdm_kv_hit *hit, int64_t now_ns) {
  tdm_job *j = &s->jobs[job];
  int64_t known = j->prompt + j->generated, cached = hit->blocks * s->shape.block_tokens;
  if (tdm_kv_blocks(&s->shape, known) + hit->free - hit->blocks > s->pool.free)
    return hold(s, TDM_SERVING_BLOCKS);
  tdm_job_leave_queue(s, job);
  tdm_job_append(s, &s->parked, job);
  j->state = TDM_JOB_PARKED;
  tdm_kv_hold_claim(&j->hold, &s->shape, &s->pool, hit);
  tdm_kv_hold_grow(&j->hold, &s->pool, lacking(s, j, known));
  j->cached_tokens = cached;
  j->computed = cached > j->given ? cached : j->given;
  if (s->events.reserved != NULL)
    s->events.reserved(s->events.context, j->id, now_ns, job,
                       j->given > cached ? j->given - cached : 0);
  return true;
}

/* The first in the queue, if it may run in this step. */
static bool admit_first(tdm_serving *s, int64_t *budget, int64_t now_ns) {
  uint32_t job = tdm_job_first_waiting(s);
  if (job == TDM_NO_JOB) return false;
  if (s->running.count == s->config.max_seqs) return hold(s, TDM_SERVING_SEQS);
  if (*budget == 0) return hold(s, TDM_SERVING_TOKENS);
  tdm_job *j = &s->jobs[job];
  int64_t known = j->prompt + j->generated;
  tdm_kv_hit hit = {0};
  if (s->config.prefix_caching && j->swapped == 0 && !j->ready)
    hit = tdm_kv_hold_find(&j->hold, &s->shape, &s->pool, known);
  if (j->remote) return reserve(s, job, &hit, now_ns);
  bool has = j->swapped > 0 || j->ready;
  int64_t computed = has ? j->computed : hit.blocks * s->shape.block_tokens;
  if (j->scheduled_ns < 0 && computed < j->given) computed = j->given;
  int64_t chunk = prefill_limit(s, known - computed);
  if (!s->config.chunked_prefill && chunk > *budget) return hold(s, TDM_SERVING_TOKENS);
  chunk = least(chunk, *budget);
  if (s->config.max_partial_prefills > 0 && computed + chunk < known &&
      partial_prefills(s) >= s->config.max_partial_prefills)
    return hold(s, TDM_SERVING_RULE);
  int64_t claimed = hit.free - hit.blocks; /* blocks found free are not free any more */
  int64_t room = s->config.reserve_full_input ? known : computed + chunk;
  int64_t held = j->ready ? j->hold.blocks : 0;
  if (tdm_kv_blocks(&s->shape, room) + claimed - held > s->pool.free)
    return hold(s, TDM_SERVING_BLOCKS);
  tdm_scheduler_admit(s, job, &hit, computed + chunk, chunk, now_ns);
  *budget -= chunk;
  return true;
}

void tdm_scheduler_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns) {
  tdm_scheduler_accept(s, seen_ns);
  int64_t budget = s->config.max_batched_tokens;
  bool preempted = false;
  if (!grant_at_once(s, &budget)) preempted = grant_one_by_one(s, &budget, now_ns);
  publish_chunks(s);
  s->held = preempted ? TDM_SERVING_BLOCKS : TDM_SERVING_NOT_HELD;
  while (!preempted && admit_first(s, &budget, now_ns)) continue;
}
