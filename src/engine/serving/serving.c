/* An instance from outside: opened, fed, advanced, closed. Called by whoever owns the clock. */
#include "engine/serving/serving.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/serving/state.h"

#define TOKENS_MAX       ((int64_t)1 << 40) /* so that sums of them cannot overflow */
#define BLOCK_TOKENS_MAX ((int64_t)1 << 20) /* nor tokens in all blocks */

void tdm_serving_config_default(tdm_serving_config *config) {
  *config = (tdm_serving_config){.block_tokens = 16,
                                 .blocks = 10000,
                                 .max_batched_tokens = 2048,
                                 .max_seqs = 256,
                                 .chunked_prefill = true,
                                 .reserve_full_input = true,
                                 .prefix_caching = true,
                                 .hash_tokens = 16,
                                 .new_token_ratio = 0.7,
                                 .new_token_ratio_min = 0.098,
                                 .new_token_ratio_steps = 600,
                                 .new_tokens_most = 4096,
                                 .preempted_steps = 20,
                                 .input_weight = 1,
                                 .output_weight = 2,
                                 .batch_wait_ns = INT64_MAX};
}

static tdm_status check_mechanics(const tdm_serving_config *c, tdm_error *error) {
  bool plain = c->host_blocks == 0 && c->draft_tokens == 0 && c->max_adapters == 0;
  if (c->batching == TDM_SERVING_BATCH && (c->prefix_caching || c->plans_ahead || !plain))
    return tdm_error_set(error, TDM_INVALID,
                         "prefix caching, planning ahead, swapping, speculation and adapters are "
                         "for continuous batching");
  if (c->steps != TDM_STEPS_MIXED && !plain)
    return tdm_error_set(error, TDM_INVALID,
                         "swapping, speculation and adapters are for mixed steps");
  const double times[] = {c->swap_block_s, c->draft_s, c->draft_share, c->adapter_load_s,
                          c->adapter_step_s};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    if (!(times[i] >= 0) || isinf(times[i]))
      return tdm_error_set(error, TDM_INVALID,
                           "what swapping, drafting and adapters take must be at least 0");
  if (c->draft_tokens > TDM_DRAFT_MAX || !(c->acceptance >= 0 && c->acceptance <= 1))
    return tdm_error_set(error, TDM_INVALID,
                         "draft_tokens must not be above %d, acceptance in 0 … 1", TDM_DRAFT_MAX);
  if (c->draft_tokens > 0 && c->plans_ahead)
    return tdm_error_set(error, TDM_INVALID,
                         "a step cannot be planned ahead of what the one before it accepts");
  bool moves = c->order == TDM_SERVING_FAIR || c->order == TDM_SERVING_LONGEST_PREFIX ||
               c->order == TDM_SERVING_PREFIX_WEIGHT || c->preempted_last;
  if (c->max_adapters > 0 && moves)
    return tdm_error_set(error, TDM_INVALID,
                         "with adapters the queue is in order of arrival or of a key");
  if (c->draft_tokens > 0 && (c->order == TDM_SERVING_FAIR || c->victim != TDM_PREEMPT_LAST))
    return tdm_error_set(error, TDM_INVALID,
                         "fair order and choosing whom to preempt count a token a step, and "
                         "speculation gives several");
  return TDM_OK;
}

static tdm_status check(const tdm_serving_config *c, tdm_error *error) {
  const struct {
    const char *name;
    int64_t value, least;
  } numbers[] = {{"block_tokens", c->block_tokens, 1},
                 {"blocks", c->blocks, 1},
                 {"max_seqs", c->max_seqs, 1},
                 {"max_batched_tokens", c->max_batched_tokens, 1},
                 {"long_prefill_tokens", c->long_prefill_tokens, 0},
                 {"max_partial_prefills", c->max_partial_prefills, 0},
                 {"host_blocks", c->host_blocks, 0},
                 {"max_adapters", c->max_adapters, 0},
                 {"draft_tokens", c->draft_tokens, 0}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i].value < numbers[i].least || numbers[i].value > TOKENS_MAX)
      return tdm_error_set(error, TDM_INVALID, "%s must be at least %lld, and not above 2^40",
                           numbers[i].name, (long long)numbers[i].least);
  if (c->block_tokens > BLOCK_TOKENS_MAX)
    return tdm_error_set(error, TDM_INVALID, "block_tokens must not be above 2^20");
  if (c->batch_wait_ns < 0)
    return tdm_error_set(error, TDM_INVALID, "batch_wait_ns must be at least 0");
  if (c->batching == TDM_SERVING_CONTINUOUS && c->steps != TDM_STEPS_PREFILL_FIRST &&
      c->max_batched_tokens < c->max_seqs)
    return tdm_error_set(error, TDM_INVALID,
                         "max_batched_tokens must not be below max_seqs: each running request "
                         "may need one token of a step");
  if (c->steps != TDM_STEPS_MIXED && (c->plans_ahead || c->batching == TDM_SERVING_BATCH))
    return tdm_error_set(error, TDM_INVALID,
                         "planning ahead and whole batches are for mixed steps only");
  if (c->steps != TDM_STEPS_MIXED && c->chunked_prefill && c->max_batched_tokens < c->block_tokens)
    return tdm_error_set(error, TDM_INVALID, "max_batched_tokens must not be below block_tokens");
  if (c->steps == TDM_STEPS_PREFILL_FIRST && !c->shares_computed)
    return tdm_error_set(error, TDM_INVALID, "prefill-first steps share prefixes once computed");
  if (c->admission == TDM_ADMIT_ESTIMATE && c->steps != TDM_STEPS_PREFILL_FIRST)
    return tdm_error_set(error, TDM_INVALID, "estimates are for prefill-first steps");
  if ((c->chunking == TDM_CHUNK_BLOCKS || c->chunking == TDM_CHUNK_EQUAL) !=
          (c->steps == TDM_STEPS_DECODE_FIRST) &&
      c->chunking != TDM_CHUNK_FUNCTION)
    return tdm_error_set(error, TDM_INVALID,
                         "decode-first steps share by blocks or equally, and only they");
  if (!(c->new_token_ratio >= 0 && c->new_token_ratio_min >= 0 &&
        c->new_token_ratio_min <= c->new_token_ratio && c->new_token_ratio <= 1) ||
      c->new_token_ratio_steps < 0 || c->new_tokens_most < 0 || c->preempted_steps < 0)
    return tdm_error_set(error, TDM_INVALID,
                         "new_token_ratio falls from at most 1 to new_token_ratio_min ≥ 0");
  if (c->order == TDM_SERVING_FAIR && !(c->input_weight >= 0 && c->output_weight > 0))
    return tdm_error_set(error, TDM_INVALID, "output tokens must count, and input not below 0");
  for (size_t i = 0; i < c->tenant_count; i++)
    if (!(c->tenant_weights[i] > 0 && c->tenant_weights[i] < 1e9))
      return tdm_error_set(error, TDM_INVALID, "the weight of tenant %zu must be above 0", i);
  tdm_status status = check_mechanics(c, error);
  if (status != TDM_OK) return status;
  if (c->prefix_caching && (c->hash_tokens < c->block_tokens || c->hash_tokens > TOKENS_MAX ||
                            c->hash_tokens % c->block_tokens != 0))
    return tdm_error_set(error, TDM_INVALID, "hash_tokens must be a multiple of block_tokens");
  return TDM_OK;
}

static bool open_speculation(tdm_serving *s) {
  const tdm_serving_config *c = &s->config;
  if (c->draft_tokens == 0) return true;
  s->decoders.speculation = malloc(sizeof *s->decoders.speculation);
  if (s->decoders.speculation == NULL) return false;
  tdm_speculation_open(s->decoders.speculation, c->draft_tokens, c->acceptance, c->block_tokens);
  return true;
}

tdm_status tdm_serving_open(const tdm_serving_config *config, const tdm_llm_step *step,
                            const tdm_serving_events *events, tdm_serving **out, tdm_error *error) {
  *out = NULL;
  tdm_status status = check(config, error);
  if (status != TDM_OK) return status;
  tdm_serving *s = calloc(1, sizeof *s);
  if (s == NULL) return tdm_error_memory(error, "a serving instance", sizeof *s);
  s->config = *config;
  s->config.tenant_weights = NULL;
  s->policy = tdm_policy_of(config);
  s->ratio = config->new_token_ratio;
  s->model = step;
  if (events != NULL) s->events = *events;
  s->shape.block_tokens = config->block_tokens;
  s->shape.unit_blocks = config->prefix_caching ? config->hash_tokens / config->block_tokens : 1;
  s->unused_jobs = TDM_NO_JOB;
  s->inbox = s->waiting = s->running = s->parked = s->turned = s->ready =
      (tdm_job_list){.head = TDM_NO_JOB, .tail = TDM_NO_JOB};
  s->wake_ns = INT64_MAX;
  s->host_free = config->host_blocks;
  tdm_adapters_open(&s->adapters, config->max_adapters);
  bool growing = config->batching == TDM_SERVING_CONTINUOUS;
  if (!tdm_decoders_open(&s->decoders, config->block_tokens, growing) || !open_speculation(s) ||
      !tdm_kv_pool_open(&s->pool, config->blocks) ||
      !tdm_fairness_open(&s->fairness, config->input_weight, config->output_weight,
                         config->tenant_weights, config->tenant_count)) {
    tdm_serving_close(s);
    return tdm_error_memory(error, "a serving instance", sizeof *s);
  }
  *out = s;
  return TDM_OK;
}

static void close_list(tdm_serving *s, const tdm_job_list *list) {
  for (uint32_t job = list->head; job != TDM_NO_JOB; job = s->jobs[job].next)
    tdm_kv_hold_close(&s->jobs[job].hold);
}

void tdm_serving_close(tdm_serving *s) {
  if (s == NULL) return;
  close_list(s, &s->inbox);
  close_list(s, &s->running);
  close_list(s, &s->parked);
  close_list(s, &s->turned);
  tdm_passed_close(s);
  tdm_queue_close(s);
  tdm_decoders_close(&s->decoders);
  tdm_kv_pool_close(&s->pool);
  free(s->jobs);
  free(s->explicit_jobs);
  free(s->done);
  free(s->rests);
  free(s->candidates);
  free(s->ranks);
  free(s->views);
  free(s);
}

/* ---- submission */

/* Requests and what they may add stay below all blocks, so that an empty instance takes each. */
static int64_t estimate_limit(const tdm_serving *s) {
  return s->config.blocks * s->config.block_tokens - 2;
}

static int64_t most_output(const tdm_serving *s, const tdm_serving_request *r) {
  int64_t most = r->max_output > r->output_tokens ? r->max_output : r->output_tokens;
  if (s->config.admission != TDM_ADMIT_ESTIMATE) return most;
  int64_t limit = estimate_limit(s) - r->prompt_tokens;
  return most > limit ? limit : most;
}

static tdm_status check_request(const tdm_serving *s, const tdm_serving_request *r,
                                tdm_error *error) {
  if (r->prompt_tokens < 1 || r->output_tokens < 1)
    return tdm_error_set(error, TDM_INVALID,
                         "a request has at least one prompt token and one output token");
  if (r->prompt_tokens > TOKENS_MAX || r->output_tokens > TOKENS_MAX)
    return tdm_error_set(error, TDM_LIMIT, "a request has more than 2^40 tokens");
  if (r->made_tokens < 0 || r->made_tokens >= r->output_tokens)
    return tdm_error_set(error, TDM_INVALID, "made_tokens must be below output_tokens");
  if (r->given_tokens < 0 || r->given_tokens >= r->prompt_tokens + r->made_tokens)
    return tdm_error_set(error, TDM_INVALID,
                         "given_tokens must be below the prompt and the tokens "
                         "made, whose last is still to be computed");
  if (r->remote && s->config.steps != TDM_STEPS_MIXED)
    return tdm_error_set(error, TDM_INVALID, "blocks are reserved by plans of mixed steps only");
  if (s->config.batching == TDM_SERVING_BATCH && (r->remote || r->keeps))
    return tdm_error_set(error, TDM_INVALID,
                         "requests go from instance to instance by continuous "
                         "batching only");
  if (r->hashed_tokens < 0 || r->hashed_tokens > r->prompt_tokens + r->output_tokens)
    return tdm_error_set(error, TDM_INVALID, "more tokens are hashed than the request has");
  int64_t drafts = r->output_tokens > 1 ? s->config.draft_tokens : 0;
  int64_t tokens = r->prompt_tokens + r->output_tokens - 1;
  if (tdm_kv_blocks(&s->shape, tokens + drafts) > s->config.blocks)
    return tdm_error_set(error, TDM_LIMIT, "%lld tokens need more than all %lld KV blocks",
                         (long long)(tokens + drafts), (long long)s->config.blocks);
  if (r->tenant >= TDM_SERVING_TENANTS)
    return tdm_error_set(error, TDM_INVALID, "tenant %u is not below %u", r->tenant,
                         TDM_SERVING_TENANTS);
  int64_t whole = r->prompt_tokens + most_output(s, r);
  if (s->config.admission == TDM_ADMIT_MAXIMUM &&
      tdm_kv_blocks(&s->shape, whole) > s->config.blocks)
    return tdm_error_set(error, TDM_LIMIT, "%lld tokens may need more than all %lld KV blocks",
                         (long long)whole, (long long)s->config.blocks);
  if (s->config.admission == TDM_ADMIT_ESTIMATE && tokens + 1 > estimate_limit(s))
    return tdm_error_set(error, TDM_LIMIT,
                         "%lld tokens are more than %lld, all but two of the KV "
                         "cache",
                         (long long)tokens + 1, (long long)estimate_limit(s));
  if (s->config.batching == TDM_SERVING_CONTINUOUS && !s->config.chunked_prefill &&
      s->config.steps != TDM_STEPS_PREFILL_FIRST && tokens > s->config.max_batched_tokens)
    return tdm_error_set(error, TDM_LIMIT,
                         "%lld tokens do not fit into a step of %lld, and prompts are not chunked",
                         (long long)tokens, (long long)s->config.max_batched_tokens);
  return TDM_OK;
}

static int64_t all_waiting(const tdm_serving *s) {
  return tdm_queue_count(s) + s->inbox.count;
}

/* An arrival that a plan could act upon ends a row of steps; an idle instance wakes up. */
static void notice(tdm_serving *s, int64_t now_ns) {
  const tdm_serving_config *c = &s->config;
  if (c->batching == TDM_SERVING_BATCH) {
    if (s->stepping) return;
    bool full = all_waiting(s) >= c->max_seqs;
    s->wake_ns = full || s->draining ? now_ns : tdm_batching_wake_ns(s);
    if (s->wake_ns < now_ns) s->wake_ns = now_ns;
    return;
  }
  if (!s->stepping)
    s->wake_ns = now_ns;
  else if (tdm_policy_heeds_arrival(s))
    tdm_jump_cut(s, now_ns);
}

/* The first end of a step from now on. */
static int64_t next_step_ns(const tdm_serving *s, int64_t now_ns) {
  if (!s->stepping) return now_ns;
  return s->steps == 1 ? s->end_ns : tdm_jump_end_ns(s, tdm_jump_steps_over(s, now_ns - 1) + 1);
}

tdm_status tdm_serving_submit(tdm_serving *s, int64_t now_ns, const tdm_serving_request *request,
                              tdm_error *error) {
  if (now_ns < s->last_ns || now_ns > tdm_serving_next_ns(s))
    return tdm_error_set(error, TDM_INVALID, "a request comes out of the order of time");
  tdm_status status = check_request(s, request, error);
  if (status != TDM_OK) return status;
  uint32_t adapter = TDM_NO_ADAPTER;
  if (s->config.max_adapters > 0 && request->adapter != 0 &&
      !tdm_adapters_name(&s->adapters, request->adapter, &adapter))
    return tdm_error_memory(error, "a LoRA adapter", sizeof *s->adapters.items);
  uint32_t job = tdm_job_new(s);
  if (s->config.order == TDM_SERVING_FAIR && !tdm_fairness_know(&s->fairness, request->tenant))
    return tdm_error_memory(error, "a tenant", sizeof *s->fairness.tenants);
  if (job == TDM_NO_JOB) return tdm_error_memory(error, "a request", sizeof *s->jobs);
  tdm_job *j = &s->jobs[job];
  *j = (tdm_job){.ordinal = s->submitted++,
                 .prompt = request->prompt_tokens,
                 .output = request->output_tokens,
                 .given = request->given_tokens,
                 .generated = request->made_tokens,
                 .remote = request->remote,
                 .keeps = request->keeps,
                 .max_output = most_output(s, request),
                 .predicted = request->predicted_output > 0 ? request->predicted_output
                                                            : request->output_tokens,
                 .id = request->id,
                 .luck = request->luck,
                 .adapter = adapter,
                 .arrival_ns = now_ns,
                 .queued_ns = next_step_ns(s, now_ns),
                 .scheduled_ns = -1,
                 .first_token_ns = request->made_tokens > 0 ? request->made_ns : -1,
                 .last_token_ns = request->made_tokens > 0 ? request->made_ns : -1,
                 .tenant = request->tenant,
                 .priority = request->priority};
  j->whole = tdm_kv_blocks(&s->shape, j->prompt + j->max_output);
  int64_t hashed = request->hashed_tokens > 0 ? request->hashed_tokens : request->prompt_tokens;
  size_t hashes = s->config.prefix_caching ? request->hash_count : 0;
  if (!tdm_kv_hold_open(&j->hold, &s->shape, request->hashes, hashes, hashed)) {
    tdm_job_free(s, job);
    return tdm_error_memory(error, "a request's hashes", hashes * sizeof *request->hashes);
  }
  s->last_ns = now_ns;
  s->draining = false; /* somebody came all the same */
  tdm_job_append(s, &s->inbox, job);
  notice(s, now_ns);
  return TDM_OK;
}

/* As arrivals, it counts from the first plan after it on. */
static void turn(tdm_serving *s, int64_t now_ns, uint32_t handle, bool released) {
  tdm_job *j = &s->jobs[handle];
  tdm_job_unlink(s, &s->parked, handle);
  tdm_job_append(s, &s->turned, handle);
  j->turned_ns = now_ns;
  j->released = released;
  s->last_ns = now_ns;
  bool wanted = !released || all_waiting(s) > 0;
  if (!s->stepping && wanted)
    s->wake_ns = now_ns;
  else if (!s->stepping)
    tdm_scheduler_take_turned(s, INT64_MAX); /* nobody will plan */
  else if (wanted && s->running.count < s->config.max_seqs)
    tdm_jump_cut(s, now_ns);
}

void tdm_serving_filled(tdm_serving *s, int64_t now_ns, uint32_t handle) {
  turn(s, now_ns, handle, false);
}

void tdm_serving_release(tdm_serving *s, int64_t now_ns, uint32_t handle) {
  turn(s, now_ns, handle, true);
}

void tdm_serving_drain(tdm_serving *s, int64_t now_ns) {
  s->draining = true;
  if (!s->stepping && all_waiting(s) > 0) s->wake_ns = now_ns;
}

/* ---- time */

int64_t tdm_serving_next_ns(const tdm_serving *s) {
  return s->stepping ? s->end_ns : s->wake_ns;
}

static tdm_serving_step present(const tdm_serving *s) {
  bool speculates = s->decoders.speculation != NULL;
  int64_t tokens = speculates ? s->beside.tokens : s->steps * s->batch.sampled;
  return (tdm_serving_step){.begin_ns = s->begin_ns,
                            .end_ns = s->end_ns,
                            .steps = s->steps,
                            .batch = s->batch,
                            .kv_blocks = s->config.blocks - s->pool.free,
                            .tokens = tokens,
                            .drafted = s->beside.drafted,
                            .accepted = s->beside.accepted,
                            .swapped_out = s->beside.swapped_out,
                            .swapped_in = s->beside.swapped_in,
                            .adapter_loads = s->beside.adapter_loads,
                            .running = s->running.count - (int64_t)s->done_count,
                            .waiting = all_waiting(s),
                            .held = s->held};
}

static void tell_step(tdm_serving *s) {
  if (s->events.step == NULL) return;
  tdm_serving_step step = present(s);
  s->events.step(s->events.context, &step);
}

/* Those that have all their tokens and were admitted before `order`. */
static void finish_decoders(tdm_serving *s, uint64_t order) {
  for (uint32_t job; (job = tdm_decoders_ended(&s->decoders)) != TDM_DECODERS_NONE;) {
    if (s->jobs[job].order >= order) return;
    if (s->decoders.speculation != NULL && tdm_job_speculates_on(s, job)) continue;
    tdm_job_finish(s, job, s->end_ns);
  }
}

/* Plans inside a row of steps, which were not made, would have seen what was released then: before
 * anybody ends, since free blocks are reused in the order in which they came free. */
static void take_turned_inside(tdm_serving *s) {
  if (s->turned.count == 0 || s->steps < 2) return;
  int64_t last = s->steps - 1 - s->config.plans_ahead;
  tdm_scheduler_take_turned(s, last > 0 ? tdm_jump_end_ns(s, last) : s->begin_ns);
}

/* Of those that decode beside every prompt; tokens that come together have none between them. */
static void tell_gaps(const tdm_serving *s) {
  if (s->decoders.count == 0 || s->events.token_gaps == NULL) return;
  s->events.token_gaps(s->events.context, s->begin_ns, s->end_ns, s->steps, s->decoders.count);
  if (s->decoders.speculation == NULL) return;
  int64_t more =
      tdm_speculation_at(s->decoders.speculation, s->decoders.clock)->tokens - s->decoders.count;
  if (more > 0) s->events.token_gaps(s->events.context, s->end_ns, s->end_ns, 1, more);
}

/* Those that decode have got a token in each step. */
static void advance_decoders(tdm_serving *s) {
  if (s->config.steps == TDM_STEPS_PREFILL_FIRST) {
    for (size_t i = 0; i < s->rest_count; i++)
      if (s->rests[i].count > 0 && s->events.token_gaps != NULL)
        s->events.token_gaps(s->events.context, s->rests[i].since_ns, s->end_ns, s->steps,
                             s->rests[i].count);
    s->rest_count = s->decoders.count > 0;
    if (s->decoders.count > 0)
      s->rests[0] = (tdm_rest){.since_ns = s->end_ns, .count = s->decoders.count};
    s->ratio_steps += s->steps - 1;
  } else {
    tell_gaps(s);
  }
  tdm_decoders_advance(&s->decoders, s->steps);
  s->run.steps += s->steps;
}

/* The step, or the row of them, is over: tokens are there, requests end. */
static void complete(tdm_serving *s) {
  int64_t now_ns = s->end_ns;
  s->stepping = false;
  int64_t blocks = tdm_decoders_blocks(&s->decoders, 1, s->steps - 1);
  if (blocks > 0) tdm_kv_pool_take(&s->pool, blocks);
  tell_step(s);
  take_turned_inside(s);
  s->beside = (tdm_serving_beside){0};
  s->promised_blocks -= blocks;
  if (!s->resting) advance_decoders(s);
  if (s->config.plans_ahead) tdm_job_release_done(s, now_ns);
  size_t count = s->explicit_count;
  s->explicit_count = 0; /* filled anew, never faster than it is read */
  for (size_t i = 0; i < count; i++) {
    finish_decoders(s, s->jobs[s->explicit_jobs[i]].order);
    tdm_job_step_done(s, s->explicit_jobs[i], now_ns);
  }
  finish_decoders(s, UINT64_MAX);
}

static bool has_work(const tdm_serving *s) {
  if (s->decoders.count > 0) return true;
  for (size_t i = 0; i < s->explicit_count; i++)
    if (s->jobs[s->explicit_jobs[i]].chunk > 0) return true;
  return false;
}

/* A plan that leaves nothing to do takes no time: another is made, which sees everything. Each of
 * them either does something or preempts somebody. */
static void begin(tdm_serving *s, int64_t now_ns, int64_t seen_ns) {
  s->plan_ns = now_ns;
  s->policy.plan(s, now_ns, seen_ns);
  for (int64_t more = s->running.count + 2; more > 0 && !has_work(s); more--) {
    if (s->config.plans_ahead) tdm_job_release_done(s, now_ns);
    s->policy.plan(s, now_ns, now_ns + 1);
  }
  s->wake_ns = INT64_MAX;
  if (has_work(s))
    tdm_jump_begin(s, now_ns);
  else if (s->config.batching == TDM_SERVING_BATCH)
    s->wake_ns = tdm_batching_wake_ns(s);
}

tdm_status tdm_serving_advance(tdm_serving *s, int64_t now_ns, tdm_error *error) {
  if (now_ns != tdm_serving_next_ns(s) || now_ns == INT64_MAX)
    return tdm_error_set(error, TDM_INVALID, "an instance is advanced when nothing is due");
  int64_t seen_ns = now_ns;
  if (s->stepping) {
    if (s->config.plans_ahead)
      seen_ns = s->steps > 1 ? tdm_jump_end_ns(s, s->steps - 1) : s->begin_ns;
    complete(s);
  }
  s->last_ns = now_ns;
  begin(s, now_ns, seen_ns);
  if (s->error.status != TDM_OK)
    return tdm_error_set(error, s->error.status, "%s", s->error.message);
  if (s->failed || s->pool.failed) return tdm_error_memory(error, "a serving instance", 0);
  if (!s->stepping && s->config.batching == TDM_SERVING_CONTINUOUS &&
      s->parked.count + s->turned.count == 0 && (s->running.count > 0 || tdm_queue_count(s) > 0))
    return tdm_error_set(error, TDM_BUG, "requests wait and no step can be planned");
  return TDM_OK;
}

void tdm_serving_halt(tdm_serving *s, int64_t now_ns) {
  int64_t over = s->stepping && s->steps > 1 ? tdm_jump_steps_over(s, now_ns) : 0;
  if (over == 0) return;
  s->end_ns = tdm_jump_end_ns(s, over);
  s->steps = over;
  complete(s);
}

/* ---- questions */

tdm_serving_load tdm_serving_load_at(const tdm_serving *s, int64_t now_ns) {
  tdm_serving_load load = {.running = s->running.count - (int64_t)s->done_count,
                           .waiting = all_waiting(s),
                           .kv_blocks = s->config.blocks - s->pool.free,
                           .host_blocks = s->config.host_blocks - s->host_free};
  if (s->stepping && s->steps > 1)
    load.kv_blocks += tdm_decoders_blocks(&s->decoders, 1, tdm_jump_steps_over(s, now_ns));
  return load;
}

bool tdm_serving_step_at(const tdm_serving *s, int64_t now_ns, tdm_serving_step *step) {
  if (!s->stepping || now_ns < s->begin_ns) return false;
  *step = present(s);
  step->end_ns = now_ns;
  step->steps = tdm_jump_steps_over(s, now_ns);
  /* How many tokens drafts have given is known at the end. */
  step->tokens = s->decoders.speculation != NULL ? 0 : step->steps * s->batch.sampled;
  step->kv_blocks = tdm_serving_load_at(s, now_ns).kv_blocks;
  return true;
}

int64_t tdm_serving_cached_tokens(const tdm_serving *s, const tdm_serving_request *request) {
  int64_t blocks = 0, limit = (request->prompt_tokens - 1) / s->shape.block_tokens;
  for (size_t i = 0; s->config.prefix_caching && i < request->hash_count; i++) {
    uint32_t unit = tdm_kv_pool_find(&s->pool, request->hashes[i]);
    if (unit == TDM_KV_NONE) break;
    blocks += s->pool.units[unit].blocks;
    if (s->pool.units[unit].blocks < s->shape.unit_blocks) break;
  }
  return (blocks < limit ? blocks : limit) * s->shape.block_tokens;
}
