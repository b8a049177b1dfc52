/* Decisions in C, and which of them a configuration means. Called by serving. */
#include "engine/serving/inside.h"

#include "base/order.h"

/* ---- admission */

/* Blocks found free are not free any more once they are taken; those it has are no more needed. */
static int64_t claimed(const tdm_candidate *c) {
  return c->hit.free - c->hit.blocks - c->held;
}

static int64_t admit_input(tdm_serving *s, const tdm_candidate *c) {
  int64_t blocks = tdm_kv_blocks(&s->shape, c->computed + c->chunk);
  bool parted = c->computed + c->chunk < c->known;
  int64_t room =
      s->config.reserve_full_input && parted ? tdm_kv_blocks(&s->shape, c->known) : blocks;
  return room + claimed(c) + s->pending_blocks > s->pool.free ? -1 : blocks;
}

/* As TensorRT-LLM counts: what is cached is neither needed nor missing. */
static int64_t admit_prompt(tdm_serving *s, const tdm_candidate *c) {
  int64_t blocks = tdm_kv_blocks(&s->shape, c->known);
  return blocks - c->held + s->pending_blocks > s->pool.free ? -1 : blocks;
}

/* Who holds blocks already was promised the others with them. */
static int64_t admit_maximum(tdm_serving *s, const tdm_candidate *c) {
  int64_t blocks = tdm_kv_blocks(&s->shape, c->known);
  if (c->held > 0) return blocks;
  int64_t room = s->jobs[c->job].whole + s->pending_blocks + s->promised_blocks;
  return room > s->pool.free ? -1 : blocks;
}

static int64_t may_add(const tdm_serving *s) {
  if (s->unbounded == 0) return s->may_add - s->decoders.count * s->decoders.clock + s->ended_adds;
  int64_t sum = s->ended_adds;
  for (uint32_t job = s->running.head; job != TDM_NO_JOB; job = s->jobs[job].next) {
    const tdm_job *j = &s->jobs[job];
    if (j->state != TDM_JOB_DECODING) continue;
    int64_t generated = j->generated + s->decoders.clock - j->joined;
    sum += tdm_least(j->max_output - generated, s->config.new_tokens_most);
  }
  return sum;
}

/* The share of the tokens it still may add that a running request is expected to. */
static double ratio_of(const tdm_serving *s) {
  const tdm_serving_config *c = &s->config;
  double fall = c->new_token_ratio_steps > 0 ? (c->new_token_ratio - c->new_token_ratio_min) /
                                                   (double)c->new_token_ratio_steps
                                             : 0;
  if (s->ratio_steps == 0) return s->ratio;
  double ratio = s->ratio - fall * (double)s->ratio_steps;
  return ratio > c->new_token_ratio_min ? ratio : c->new_token_ratio_min;
}

double tdm_policy_room(const tdm_serving *s) {
  return (double)((s->pool.free - s->pending_blocks) * s->shape.block_tokens) -
         (double)s->plan_adds - ratio_of(s) * (double)may_add(s);
}

static int64_t admit_estimate(tdm_serving *s, const tdm_candidate *c) {
  const tdm_job *j = &s->jobs[c->job];
  int64_t adds = tdm_least(j->max_output - j->generated, s->config.new_tokens_most);
  int64_t takes = (c->hit.free - c->hit.blocks) * s->shape.block_tokens + c->known;
  if ((double)(takes + adds) >= tdm_policy_room(s)) return -1;
  return tdm_kv_blocks(&s->shape, c->computed + c->chunk);
}

/* ---- chunks */

static int64_t chunk_greedy(tdm_serving *s, uint32_t job, int64_t todo, int64_t left) {
  (void)job, (void)left;
  int64_t most = s->config.long_prefill_tokens;
  return most > 0 ? tdm_least(todo, most) : todo;
}

/* ---- whom to preempt */

static uint32_t victim_last(tdm_serving *s) {
  return s->running.tail;
}

/* The latest of the least important. */
static uint32_t victim_least_important(tdm_serving *s) {
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

static int64_t generated(const tdm_serving *s, const tdm_job *j) {
  return j->generated + (j->state == TDM_JOB_DECODING ? s->decoders.clock - j->joined : 0);
}

/* Of those alike the last to be admitted. Who is still at its prompt comes last of all. */
static uint32_t victim_least_output(tdm_serving *s) {
  uint32_t worst = TDM_NO_JOB;
  int64_t worst_output = 0;
  for (uint32_t job = s->running.head; job != TDM_NO_JOB; job = s->jobs[job].next) {
    const tdm_job *j = &s->jobs[job];
    int64_t output = tdm_job_todo(j) > 1 && j->state == TDM_JOB_EXPLICIT && j->chunk == 0
                         ? INT64_MAX
                         : generated(s, j);
    if (worst != TDM_NO_JOB &&
        (output > worst_output || (output == worst_output && j->prompt < s->jobs[worst].prompt)))
      continue;
    worst = job;
    worst_output = output;
  }
  return worst;
}

/* ---- all */

static void choose_admission(tdm_policy *p, const tdm_serving_config *c) {
  switch (c->admission) {
  case TDM_ADMIT_INPUT: p->admit = admit_input; break;
  case TDM_ADMIT_PROMPT: p->admit = admit_prompt; break;
  case TDM_ADMIT_ESTIMATE: p->admit = admit_estimate; break;
  case TDM_ADMIT_MAXIMUM: p->admit = admit_maximum; break;
  case TDM_ADMIT_FUNCTION: p->admit = tdm_ask_admit; break;
  }
}

static void choose_victim(tdm_policy *p, const tdm_serving_config *c) {
  switch (c->victim) {
  case TDM_PREEMPT_LAST:
    p->victim = c->order == TDM_SERVING_PRIORITY ? victim_least_important : victim_last;
    break;
  case TDM_PREEMPT_LEAST_OUTPUT: p->victim = victim_least_output; break;
  case TDM_PREEMPT_FUNCTION: p->victim = tdm_ask_victim; break;
  }
}

tdm_policy tdm_policy_of(const tdm_serving_config *config) {
  tdm_policy policy = {.plan = tdm_scheduler_plan};
  tdm_queue_choose(&policy, config->order);
  choose_admission(&policy, config);
  choose_victim(&policy, config);
  policy.chunk = config->chunking == TDM_CHUNK_FUNCTION ? tdm_ask_chunk : chunk_greedy;
  if (config->steps == TDM_STEPS_PREFILL_FIRST) policy.plan = tdm_prefill_first_plan;
  if (config->steps == TDM_STEPS_DECODE_FIRST) policy.plan = tdm_decode_first_plan;
  if (config->batching == TDM_SERVING_BATCH) policy.plan = tdm_batching_plan;
  return policy;
}

/* The first that waits is kept out by what only an end can give, unless another takes its place or
 * a function changes its mind. */
bool tdm_policy_steady(const tdm_serving *s) {
  if (tdm_queue_count(s) == 0 || s->running.count == s->config.max_seqs) return true;
  if (s->tiers.back) return false; /* more may be found there as blocks leave the GPUs */
  if (s->tiers.count > 0 && tdm_kv_tiers_storing(&s->tiers, s->plan_ns)) return false;
  if (s->config.steps == TDM_STEPS_PREFILL_FIRST) return s->full;
  return !s->closed && !s->policy.shifting && s->config.admission != TDM_ADMIT_FUNCTION &&
         s->config.chunking != TDM_CHUNK_FUNCTION;
}

bool tdm_policy_heeds_arrival(const tdm_serving *s) {
  if (s->policy.dated || s->tiers.prefetch) return true;
  if (s->config.steps == TDM_STEPS_PREFILL_FIRST) return !s->full;
  return s->running.count < s->config.max_seqs && (s->policy.overtaking || s->waiting.count == 0);
}
