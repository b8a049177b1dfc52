/* An instance from outside: opened, fed, advanced, closed. Called by whoever owns the clock. */
#include "engine/serving/serving.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/serving/inside.h"

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
  tdm_status status = tdm_serving_check(config, error);
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
  s->extras = config->draft_tokens > 0 || config->host_blocks > 0 || config->max_adapters > 0 ||
              config->tier_count > 0;
  tdm_adapters_open(&s->adapters, config->max_adapters);
  tdm_kv_tiers_open(&s->tiers, config->tiers, config->prefix_caching ? config->tier_count : 0);
  bool growing = config->batching == TDM_SERVING_CONTINUOUS;
  if (!tdm_decoders_open(&s->decoders, config->block_tokens, growing) || !open_speculation(s) ||
      !tdm_kv_pool_open(&s->pool, config->blocks) ||
      !tdm_fairness_open(&s->fairness, config->input_weight, config->output_weight,
                         config->tenant_weights, config->tenant_count)) {
    tdm_serving_close(s);
    return tdm_error_memory(error, "a serving instance", sizeof *s);
  }
  if (s->tiers.count > 0) s->pool.tiers = &s->tiers;
  *out = s;
  return TDM_OK;
}

tdm_kv_store *tdm_kv_store_new(const tdm_kv_tier *tier) {
  return tdm_kv_lower_new(tier);
}

void tdm_kv_store_free(tdm_kv_store *store) {
  tdm_kv_lower_free(store);
}

void tdm_serving_share(tdm_serving *s, tdm_kv_store *store) {
  if (s->tiers.count > 0) tdm_kv_tiers_share(&s->tiers, store);
}

tdm_status tdm_serving_tell_apart(tdm_serving *s, size_t first, size_t second, tdm_error *error) {
  tdm_gaps_close(&s->gaps);
  if (tdm_gaps_open(&s->gaps, first, second, s->decoders.speculation != NULL)) return TDM_OK;
  return tdm_error_memory(error, "groups of requests", (first + second) * sizeof(int64_t));
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
  tdm_gaps_close(&s->gaps);
  tdm_kv_pool_close(&s->pool);
  tdm_kv_tiers_close(&s->tiers);
  tdm_loads_close(s);
  free(s->jobs);
  free(s->explicit_jobs);
  free(s->aborts);
  free(s->done);
  free(s->rests);
  free(s->candidates);
  free(s->ranks);
  free(s->views);
  free(s);
}

/* ---- submission */

static int64_t all_waiting(const tdm_serving *s) {
  return tdm_queue_count(s) + s->inbox.count + (int64_t)s->loading.count;
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

/* What it says, into a job that is zeroed. */
static void take_in(tdm_serving *s, tdm_job *j, int64_t now_ns,
                    const tdm_serving_request *request) {
  j->id = request->id;
  j->ordinal = s->submitted++;
  j->prompt = request->prompt_tokens;
  j->output = request->output_tokens;
  j->given = request->given_tokens;
  j->generated = request->made_tokens;
  j->remote = request->remote;
  j->keeps = request->keeps;
  j->max_output = tdm_serving_most_output(s, request);
  j->predicted = request->predicted_output > 0 ? request->predicted_output : request->output_tokens;
  if (s->config.admission == TDM_ADMIT_MAXIMUM)
    j->whole = tdm_kv_blocks(&s->shape, tdm_serving_whole_tokens(s, request));
  j->luck = request->luck;
  j->tenant = request->tenant;
  j->priority = request->priority;
  j->arrival_ns = now_ns;
  j->queued_ns = next_step_ns(s, now_ns);
  j->scheduled_ns = -1;
  j->first_token_ns = j->last_token_ns = request->made_tokens > 0 ? request->made_ns : -1;
}

tdm_status tdm_serving_submit(tdm_serving *s, int64_t now_ns, const tdm_serving_request *request,
                              tdm_error *error) {
  if (now_ns < s->last_ns || now_ns > tdm_serving_next_ns(s))
    return tdm_error_set(error, TDM_INVALID, "a request comes out of the order of time");
  tdm_status status = tdm_serving_check_request(s, request, error);
  if (status != TDM_OK) return status;
  uint32_t adapter = TDM_NO_ADAPTER;
  if (s->config.max_adapters > 0 && request->adapter != 0 &&
      !tdm_adapters_name(&s->adapters, request->adapter, &adapter))
    return tdm_error_memory(error, "a LoRA adapter", sizeof *s->adapters.items);
  uint32_t job = tdm_job_new(s);
  if (s->config.order == TDM_SERVING_FAIR && !tdm_fairness_know(&s->fairness, request->tenant))
    return tdm_error_memory(error, "a tenant", sizeof *s->fairness.tenants);
  if (job == TDM_NO_JOB) return tdm_error_memory(error, "a request", sizeof *s->jobs);
  if (s->tiers.count > 0 && !tdm_loads_know(s, job)) {
    tdm_job_free(s, job);
    return tdm_error_memory(error, "a request", sizeof *s->below);
  }
  tdm_job *j = &s->jobs[job];
  take_in(s, j, now_ns, request);
  j->adapter = adapter;
  int64_t hashed = request->hashed_tokens > 0 ? request->hashed_tokens : request->prompt_tokens;
  size_t hashes = s->config.prefix_caching ? request->hash_count : 0;
  if (!tdm_kv_hold_open(&j->hold, &s->shape, request->hashes, request->hash_ends, hashes, hashed)) {
    tdm_job_free(s, job);
    return tdm_error_memory(error, "a request's hashes", hashes * sizeof *request->hashes);
  }
  memcpy(j->groups, request->groups, sizeof j->groups);
  s->last_ns = now_ns;
  s->draining = false; /* somebody came all the same */
  tdm_job_append(s, &s->inbox, job);
  s->latest = job;
  notice(s, now_ns);
  return TDM_OK;
}

tdm_serving_refusal tdm_serving_refused(const tdm_serving *s) {
  return s->refusal;
}

uint32_t tdm_serving_handle(const tdm_serving *s) {
  return s->latest;
}

void tdm_serving_abort(tdm_serving *s, int64_t now_ns, uint32_t handle) {
  if (!s->config.abort) return;
  if (!tdm_array_grow(&s->aborts, &s->abort_capacity, s->abort_count + 1, sizeof *s->aborts)) {
    s->failed = true;
    return;
  }
  s->aborts[s->abort_count++] =
      (tdm_abort){.job = handle, .ordinal = s->jobs[handle].ordinal, .at_ns = now_ns};
  s->last_ns = s->tiers.now_ns = now_ns;
  if (s->stepping) {
    tdm_jump_cut(s, now_ns);
  } else if (s->loading.count > 0) {
    s->wake_ns = now_ns;
  } else if (s->wake_ns > now_ns) { /* it waits for a batch that has not begun */
    tdm_scheduler_accept(s, INT64_MAX);
    s->wake_ns = tdm_batching_wake_ns(s);
  }
}

/* As arrivals, it counts from the first plan after it on. */
static void turn(tdm_serving *s, int64_t now_ns, uint32_t handle, bool released) {
  tdm_job *j = &s->jobs[handle];
  tdm_job_unlink(s, &s->parked, handle);
  tdm_job_append(s, &s->turned, handle);
  j->turned_ns = now_ns;
  j->released = released;
  s->last_ns = s->tiers.now_ns = now_ns;
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
  if (s->stepping) return s->end_ns;
  int64_t loaded_ns = tdm_loads_next_ns(s);
  return loaded_ns < s->wake_ns ? loaded_ns : s->wake_ns;
}

bool tdm_serving_works(const tdm_serving *s) {
  return s->stepping || s->wake_ns != INT64_MAX;
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
static void tell_gaps(tdm_serving *s) {
  if (s->decoders.count == 0 || s->events.token_gaps == NULL) return;
  if (s->gaps.count > 0) {
    tdm_gaps_tell(
        &s->gaps, &s->events, s->decoders.clock,
        &(tdm_serving_step){.begin_ns = s->begin_ns, .end_ns = s->end_ns, .steps = s->steps});
    return;
  }
  s->events.token_gaps(s->events.context, s->begin_ns, s->end_ns, s->steps, s->decoders.count, 0);
  if (s->decoders.speculation == NULL) return;
  int64_t more =
      tdm_speculation_at(s->decoders.speculation, s->decoders.clock)->tokens - s->decoders.count;
  if (more > 0) s->events.token_gaps(s->events.context, s->end_ns, s->end_ns, 1, more, 0);
}

/* Of those that have rested, and rest again from now on. */
static void tell_rests(tdm_serving *s) {
  for (size_t i = 0; i < s->rest_count; i++) {
    if (s->rests[i].count == 0 || s->events.token_gaps == NULL) continue;
    if (s->gaps.count > 0)
      tdm_gaps_tell_rest(&s->gaps, &s->events, i, s->rests[i].since_ns,
                         &(tdm_serving_step){.end_ns = s->end_ns, .steps = s->steps});
    else
      s->events.token_gaps(s->events.context, s->rests[i].since_ns, s->end_ns, s->steps,
                           s->rests[i].count, 0);
  }
  s->rest_count = s->decoders.count > 0;
  if (s->decoders.count > 0)
    s->rests[0] = (tdm_rest){.since_ns = s->end_ns, .count = s->decoders.count};
  if (s->gaps.count > 0) tdm_gaps_rest_all(&s->gaps);
}

/* Those that decode have got a token in each step. */
static void advance_decoders(tdm_serving *s) {
  if (s->config.steps == TDM_STEPS_PREFILL_FIRST) {
    tell_rests(s);
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
  s->tiers.now_ns = now_ns;
  int64_t blocks = tdm_decoders_blocks(&s->decoders, 1, s->steps - 1);
  if (blocks > 0) tdm_kv_pool_take(&s->pool, blocks);
  tell_step(s);
  take_turned_inside(s);
  if (s->extras) s->beside = (tdm_serving_beside){0};
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
  if (s->tiers.count > 0) tdm_kv_tiers_step_done(&s->tiers, now_ns);
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
  s->plan_ns = s->tiers.now_ns = now_ns;
  s->policy.plan(s, now_ns, seen_ns);
  for (int64_t more = s->running.count + 2; more > 0 && !has_work(s); more--) {
    if (s->config.plans_ahead) tdm_job_release_done(s, now_ns);
    s->policy.plan(s, now_ns, now_ns + 1);
  }
  s->wake_ns = INT64_MAX;
  if (has_work(s)) {
    tdm_jump_begin(s, now_ns);
    if (s->loading.count > 0) tdm_jump_cut(s, tdm_loads_next_ns(s));
  } else if (s->config.batching == TDM_SERVING_BATCH) {
    s->wake_ns = tdm_batching_wake_ns(s);
  }
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
  if (s->failed || s->pool.failed || s->tiers.failed)
    return tdm_error_memory(error, "a serving instance", 0);
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

void tdm_serving_moved(const tdm_serving *s, size_t tier, int64_t *stored, int64_t *loaded) {
  *stored = s->tiers.stored[tier];
  *loaded = s->tiers.loaded[tier];
}

int64_t tdm_serving_tier_blocks(const tdm_serving *s, size_t tier) {
  const tdm_kv_lower *lower = s->tiers.tiers[tier];
  return lower->is.blocks - lower->free;
}

/* Blocks `from` … `most` − 1 in tiers, as tokens of their worth. */
static int64_t worth_below(const tdm_serving *s, const tdm_serving_request *request, int64_t from,
                           int64_t most, int64_t now_ns) {
  tdm_kv_below below;
  const tdm_kv_prefix prefix = {.hashes = request->hashes,
                                .ends = request->hash_ends,
                                .scale = s->shape.block_tokens,
                                .unit_blocks = s->shape.unit_blocks,
                                .count = request->hash_count,
                                .blocks = most};
  tdm_kv_tiers_find(&s->tiers, s->tiers.count, &prefix, from, most, 0, 0, now_ns, &below);
  return tdm_kv_tiers_worth(&s->tiers, &below, s->shape.block_tokens);
}

int64_t tdm_serving_cached_tokens(const tdm_serving *s, int64_t now_ns,
                                  const tdm_serving_request *request) {
  int64_t blocks = 0, limit = (request->prompt_tokens - 1) / s->shape.block_tokens;
  for (size_t i = 0; s->config.prefix_caching && i < request->hash_count; i++) {
    uint32_t unit = tdm_kv_pool_find(&s->pool, request->hashes[i]);
    if (unit == TDM_KV_NONE) break;
    const int64_t *ends = request->hash_ends;
    int64_t end =
        ends != NULL ? ends[i] / s->shape.block_tokens : (int64_t)(i + 1) * s->shape.unit_blocks;
    blocks += s->pool.units[unit].blocks;
    if (blocks < end) break;
  }
  if (blocks > limit) blocks = limit;
  int64_t tokens = blocks * s->shape.block_tokens;
  return s->tiers.count > 0 ? tokens + worth_below(s, request, blocks, limit, now_ns) : tokens;
}
