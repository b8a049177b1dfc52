/* Prefill-first steps, as SGLang 0.5.9 schedules: as long as anybody may start, a step computes
 * prompts alone; else all that run decode. With its overlap (plans_ahead) arrivals and free blocks
 * are seen a step late, what running requests are expected to add is not. Room is estimated, so
 * decoding may run out of it: then requests are retracted and the estimate rises. After somebody
 * did not fit, nobody is tried before a decode step has seen another one end. Blocks are taken when
 * all of a step are chosen, so that what these evict is found before. Called by serving through the
 * policy. */
#include "base/order.h"
#include "engine/serving/inside.h"

/* What is left of a step's prompts. */
typedef struct {
  int64_t input, chunk; /* tokens */
  bool started;         /* somebody is in */
} prefill_budget;

static int64_t paged(const tdm_serving *s, int64_t tokens) {
  return tdm_kv_blocks(&s->shape, tokens) * s->shape.block_tokens;
}

static void spend(tdm_serving *s, prefill_budget *budget, const tdm_job *j) {
  int64_t tokens = paged(s, j->chunk);
  budget->input -= tokens;
  budget->chunk -= tokens;
  budget->started = true;
  if (tdm_job_todo(j) == j->chunk)
    s->plan_adds += tdm_least(j->max_output, s->config.new_tokens_most);
}

/* Somebody may follow. */
static bool more(tdm_serving *s, const prefill_budget *budget) {
  if (s->config.admission == TDM_ADMIT_ESTIMATE && (tdm_policy_room(s) <= 0 || s->pool.free == 0)) {
    s->full = true;
    return false;
  }
  return budget->input > 0 && budget->chunk > 0;
}

/* A prompt that is in parts goes on before any other starts. */
static void go_on(tdm_serving *s, uint32_t job, prefill_budget *budget) {
  tdm_job *j = &s->jobs[job];
  int64_t limit = budget->chunk;
  if (s->config.admission == TDM_ADMIT_ESTIMATE) {
    double room = tdm_policy_room(s);
    if (room >= 1 && room < (double)limit) limit = (int64_t)room;
  }
  int64_t blocks = j->hold.blocks + s->pool.free - s->pending_blocks;
  int64_t fits = blocks * s->shape.block_tokens - j->computed;
  j->chunk = tdm_least(s->policy.chunk(s, job, tdm_job_todo(j), limit), tdm_least(limit, fits));
  if (j->chunk <= 0) {
    j->chunk = 0;
    return;
  }
  s->pending_blocks += tdm_kv_blocks(&s->shape, j->chunk); /* as if it began a block */
  spend(s, budget, j);
}

/* The chunk of a candidate, whole blocks unless it is all of it; 0: none in this step. */
static int64_t first_chunk(tdm_serving *s, const tdm_candidate *c, const prefill_budget *budget) {
  int64_t todo = c->known - c->computed, block = s->shape.block_tokens;
  if (!s->config.chunked_prefill) return todo;
  int64_t wanted = s->policy.chunk(s, c->job, todo, budget->chunk);
  if (wanted == todo && paged(s, todo) <= budget->chunk) return todo;
  if (wanted < block) wanted = block;
  return tdm_least(todo, tdm_least(wanted, budget->chunk) / block * block);
}

static bool start_first(tdm_serving *s, prefill_budget *budget, int64_t now_ns) {
  uint32_t job = tdm_queue_first(s);
  if (job == TDM_NO_JOB || s->full) return false;
  /* who has ended since the last decode step still has its seat */
  s->full = s->running.count + s->ended >= s->config.max_seqs;
  if (s->full) return false;
  tdm_candidate c;
  tdm_kv_below below;
  tdm_scheduler_candidate(s, job, &c);
  bool loads = s->tiers.count > 0 && tdm_loads_join(s, &c, &below, now_ns);
  if (s->config.admission == TDM_ADMIT_ESTIMATE) {
    tdm_candidate unlocked = c; /* what it would find still counts as free */
    unlocked.hit.free = 0;
    s->full = s->policy.admit(s, &unlocked) < 0;
    if (s->full) return false;
  }
  if (budget->started && paged(s, c.known - c.computed) >= budget->input) return false;
  c.chunk = first_chunk(s, &c, budget);
  int64_t blocks = s->policy.admit(s, &c);
  s->full = blocks < 0;
  if (s->full || c.chunk == 0) return false;
  s->policy.leave(s, job);
  s->pending_blocks += blocks - c.hit.blocks;
  if (loads) tdm_loads_taken(s, &c, &below, now_ns);
  tdm_scheduler_admit(s, &c, c.hit.blocks, now_ns);
  spend(s, budget, &s->jobs[job]);
  return more(s, budget);
}

/* True: the step computes prompts. */
static bool prefill(tdm_serving *s, int64_t now_ns) {
  size_t parts = s->explicit_count;
  if (parts == 0 && (s->full || tdm_queue_count(s) == 0)) return false;
  const tdm_serving_config *config = &s->config;
  prefill_budget budget = {.input = INT64_MAX, .chunk = INT64_MAX};
  if (config->max_prefill_tokens > 0) budget.input = config->max_prefill_tokens;
  if (config->chunked_prefill) budget.chunk = config->max_batched_tokens;
  s->plan_adds = s->pending_blocks = 0;
  if (s->policy.arrange != NULL) s->policy.arrange(s);
  for (size_t i = 0; i < parts; i++) go_on(s, s->explicit_jobs[i], &budget);
  while (start_first(s, &budget, now_ns)) continue;
  s->pending_blocks = 0;
  for (size_t i = 0; i < s->explicit_count; i++) {
    tdm_job *j = &s->jobs[s->explicit_jobs[i]];
    if (j->chunk > 0) tdm_scheduler_grow(s, j, tdm_scheduler_lacking(s, j, j->computed + j->chunk));
  }
  return budget.started;
}

/* Tokens generated over tokens allowed, in some steps from now. */
static double ratio_after_retraction(const tdm_serving *s) {
  int64_t generated = 0, allowed = 0;
  for (uint32_t job = s->running.head; job != TDM_NO_JOB; job = s->jobs[job].next) {
    const tdm_job *j = &s->jobs[job];
    if (j->state != TDM_JOB_DECODING) continue;
    generated += j->generated + s->decoders.clock - j->joined + s->config.preempted_steps;
    allowed += j->max_output;
  }
  double ratio = allowed > 0 ? (double)generated / (double)allowed : 1;
  return ratio < 1 ? ratio : 1;
}

static void decode(tdm_serving *s, int64_t now_ns) {
  if (s->ended > 0) s->full = false;
  s->ended = s->ended_adds = 0;
  if (!tdm_scheduler_make_room(s, now_ns)) {
    s->ratio_steps++;
    return;
  }
  s->full = false;
  s->ratio = ratio_after_retraction(s);
  s->ratio_steps = 0;
}

void tdm_prefill_first_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns) {
  tdm_scheduler_accept(s, seen_ns);
  s->resting = prefill(s, now_ns);
  if (!s->resting && s->decoders.count > 0) {
    decode(s, now_ns);
  } else if (!s->resting) {
    s->full = false;
    s->ended = s->ended_adds = 0;
    s->resting = prefill(s, now_ns);
  }
  if (s->running.count == 0) { /* idle */
    s->ratio = s->config.new_token_ratio;
    s->ratio_steps = 0;
  }
}
