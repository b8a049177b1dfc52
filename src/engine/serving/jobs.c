/* A request's life: running, preempted, done. Called by the plans, the queue and serving. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/serving/inside.h"

/* ---- lists */

void tdm_job_prepend(tdm_serving *s, tdm_job_list *list, uint32_t job) {
  s->jobs[job].prev = TDM_NO_JOB;
  s->jobs[job].next = list->head;
  if (list->head != TDM_NO_JOB)
    s->jobs[list->head].prev = job;
  else
    list->tail = job;
  list->head = job;
  list->count++;
}

void tdm_job_insert(tdm_serving *s, tdm_job_list *list, uint32_t job, uint32_t next) {
  if (next == list->head) {
    tdm_job_prepend(s, list, job);
  } else if (next == TDM_NO_JOB) {
    tdm_job_append(s, list, job);
  } else {
    uint32_t prev = s->jobs[next].prev;
    s->jobs[job].prev = prev;
    s->jobs[job].next = next;
    s->jobs[prev].next = s->jobs[next].prev = job;
    list->count++;
  }
}

/* Appends to an array of job numbers; the instance fails when memory is out. */
static void note(tdm_serving *s, uint32_t **jobs, size_t *count, size_t *capacity, uint32_t job) {
  if (tdm_array_grow(jobs, capacity, *count + 1, sizeof **jobs))
    (*jobs)[(*count)++] = job;
  else
    s->failed = true;
}

static void forget(uint32_t *jobs, size_t *count, uint32_t job) {
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++)
    if (jobs[i] != job) jobs[kept++] = jobs[i];
  *count = kept;
}

/* ---- jobs */

uint32_t tdm_job_new(tdm_serving *s) {
  uint32_t job = s->unused_jobs;
  if (job != TDM_NO_JOB) {
    s->unused_jobs = s->jobs[job].next;
  } else {
    if (s->job_count >= TDM_NO_JOB ||
        !tdm_array_grow(&s->jobs, &s->job_capacity, s->job_count + 1, sizeof *s->jobs))
      return TDM_NO_JOB;
    job = (uint32_t)s->job_count++;
  }
  tdm_memory_zero(&s->jobs[job], sizeof *s->jobs);
  return job;
}

void tdm_job_free(tdm_serving *s, uint32_t job) {
  tdm_kv_hold_close(&s->jobs[job].hold);
  s->jobs[job].state = TDM_JOB_DONE;
  s->jobs[job].next = s->unused_jobs;
  s->unused_jobs = job;
}

/* ---- running */

void tdm_job_go_explicit(tdm_serving *s, uint32_t job) {
  s->jobs[job].state = TDM_JOB_EXPLICIT;
  note(s, &s->explicit_jobs, &s->explicit_count, &s->explicit_capacity, job);
}

static tdm_speculator speculator_of(const tdm_job *j) {
  return (tdm_speculator){.luck = j->luck,
                          .generated = j->generated,
                          .output = j->output,
                          .computed = j->computed,
                          .settled = j->settled,
                          .blocks = j->hold.blocks};
}

/* Where decoding pauses for prompts: since when those that decode have had no token. Whoever has
 * joined at the time of a group, or before the first one's, is in it. */
static void begin_rest(tdm_serving *s, const tdm_job *j) {
  int64_t since_ns = j->last_token_ns;
  if (s->rest_count > 0 && s->rests[s->rest_count - 1].since_ns == since_ns)
    s->rests[s->rest_count - 1].count++;
  else if (tdm_array_grow(&s->rests, &s->rest_capacity, s->rest_count + 1, sizeof *s->rests))
    s->rests[s->rest_count++] = (tdm_rest){.since_ns = since_ns, .count = 1};
  else
    s->failed = true;
  if (s->gaps.count > 0 && !s->failed && !tdm_gaps_rest(&s->gaps, s->rest_count - 1, j->groups, 1))
    s->failed = true;
}

static int64_t end_rest(tdm_serving *s, const tdm_job *j) {
  for (size_t i = 0; i < s->rest_count; i++) {
    if (s->rests[i].since_ns < j->last_token_ns) continue;
    s->rests[i].count--;
    if (s->gaps.count > 0) tdm_gaps_rest(&s->gaps, i, j->groups, -1);
    return s->rests[i].since_ns;
  }
  return j->last_token_ns;
}

static void count_gaps(tdm_serving *s, const tdm_job *j, int sign) {
  tdm_gaps_count(&s->gaps, j->groups, sign);
  if (s->decoders.speculation != NULL)
    tdm_gaps_draft(&s->gaps, s->decoders.speculation, j->groups, speculator_of(j), j->joined,
                   s->decoders.clock, sign);
}

/* Brings the numbers of a job that decodes implicitly up to date and takes it out. */
static void leave_decoders(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  int64_t grown = 0;
  if (s->gaps.count > 0) count_gaps(s, j, -1);
  if (s->decoders.speculation != NULL) {
    tdm_speculator now = speculator_of(j);
    tdm_speculation_leave(s->decoders.speculation, j->joined, s->decoders.clock, &now);
    j->computed = now.computed;
    j->settled = now.settled;
    j->generated = now.generated;
    grown = now.blocks - j->hold.blocks;
  } else {
    j->computed += s->decoders.clock - j->joined;
    j->generated += s->decoders.clock - j->joined;
    j->settled = j->computed;
    if (s->decoders.residues != NULL)
      grown = tdm_kv_blocks(&s->shape, j->computed) - j->hold.blocks;
  }
  j->hold.blocks += grown;
  j->hold.own += grown;
  tdm_decoders_leave(&s->decoders, job, j->computed);
  if (s->config.order == TDM_SERVING_FAIR)
    tdm_fairness_part(&s->fairness, j->tenant, j->joined, s->decoders.clock);
  if (s->config.steps == TDM_STEPS_PREFILL_FIRST) j->last_token_ns = end_rest(s, j);
  if (s->config.admission == TDM_ADMIT_ESTIMATE) {
    s->may_add -= j->max_output - j->generated + s->decoders.clock;
    s->unbounded -= j->max_output > s->config.new_tokens_most;
  }
  s->run.valid = false;
}

static void join_decoders(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  tdm_decoder decoder = {.member = job,
                         .order = j->order,
                         .computed = j->computed,
                         .remaining = j->output - j->generated};
  j->state = TDM_JOB_DECODING;
  j->joined = s->decoders.clock;
  if (s->gaps.count > 0) count_gaps(s, j, 1);
  if (s->decoders.speculation != NULL)
    decoder.remaining = tdm_speculation_join(s->decoders.speculation, j->joined, speculator_of(j));
  if (!tdm_decoders_join(&s->decoders, &decoder)) s->failed = true;
  if (s->config.order == TDM_SERVING_FAIR)
    tdm_fairness_join(&s->fairness, j->tenant, s->decoders.clock);
  if (s->config.admission == TDM_ADMIT_ESTIMATE) {
    s->may_add += j->max_output - j->generated + s->decoders.clock;
    s->unbounded += j->max_output > s->config.new_tokens_most;
  }
  if (s->config.steps == TDM_STEPS_PREFILL_FIRST) begin_rest(s, j);
  s->run.valid = false;
}

bool tdm_job_speculates_on(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  leave_decoders(s, job);
  j->state = TDM_JOB_EXPLICIT;
  if (j->generated == j->output) return false;
  join_decoders(s, job);
  return true;
}

void tdm_job_make_explicit(tdm_serving *s, uint32_t job) {
  leave_decoders(s, job);
  if (s->config.steps != TDM_STEPS_PREFILL_FIRST) s->jobs[job].last_token_ns = s->last_ns;
  tdm_job_go_explicit(s, job);
}

static void release(tdm_serving *s, uint32_t job, bool keep) {
  tdm_job *j = &s->jobs[job];
  tdm_job_unlink(s, &s->running, job);
  if (j->adapter != TDM_NO_ADAPTER) tdm_passed_ended(s, job);
  tdm_scheduler_promise(s, j, -1);
  tdm_kv_hold_release(&j->hold, &s->shape, &s->pool, j->settled, keep && s->config.prefix_caching);
}

/* All that is computed moves to host memory, if there is room. */
static bool swap_out(tdm_serving *s, tdm_job *j) {
  int64_t blocks = tdm_kv_blocks(&s->shape, j->computed);
  if (blocks == 0 || blocks > s->host_free) return false;
  j->swapped = blocks;
  s->host_free -= blocks;
  s->beside.swapped_out += blocks;
  s->beside.pause_s += (double)blocks * s->config.swap_block_s;
  return true;
}

void tdm_job_swap_in(tdm_serving *s, uint32_t job) {
  int64_t blocks = s->jobs[job].swapped;
  s->jobs[job].swapped = 0;
  s->host_free += blocks;
  s->beside.swapped_in += blocks;
  s->beside.pause_s += (double)blocks * s->config.swap_block_s;
}

void tdm_job_preempt(tdm_serving *s, uint32_t job, int64_t now_ns) {
  tdm_job *j = &s->jobs[job];
  if (j->state == TDM_JOB_DONE) { /* it only loses what it no longer needs */
    forget(s->done, &s->done_count, job);
    release(s, job, false);
    tdm_job_free(s, job);
    return;
  }
  forget(s->explicit_jobs, &s->explicit_count, job);
  bool swapped = swap_out(s, j);
  int64_t lost = swapped ? 0 : j->computed;
  if (s->config.shares_computed && j->settled > j->prefilled) j->settled = j->prefilled;
  release(s, job, !swapped);
  if (!swapped) j->computed = 0;
  j->chunk = 0;
  j->drafting = false;
  j->preemptions++;
  s->policy.wait(s, job, true);
  if (s->events.preempted != NULL) s->events.preempted(s->events.context, j->id, now_ns, lost);
}

static void tell_finished(const tdm_serving *s, const tdm_job *j, int64_t now_ns) {
  if (s->events.finished == NULL) return;
  tdm_serving_outcome outcome = {.id = j->id,
                                 .arrival_ns = j->arrival_ns,
                                 .queued_ns = j->queued_ns,
                                 .scheduled_ns = j->scheduled_ns,
                                 .first_token_ns = j->first_token_ns,
                                 .finished_ns = now_ns,
                                 .prompt_tokens = j->prompt,
                                 .output_tokens = j->output,
                                 .cached_tokens = j->cached_tokens,
                                 .preemptions = j->preemptions,
                                 .priority = j->priority,
                                 .tenant = j->tenant,
                                 .handle = (uint32_t)(j - s->jobs)};
  if (s->below != NULL) {
    const tdm_job_below *below = &s->below[j - s->jobs];
    memcpy(outcome.below_tokens, below->tokens, sizeof outcome.below_tokens);
    outcome.load_ns = below->load_ns;
  }
  s->events.finished(s->events.context, &outcome);
}

void tdm_job_finish(tdm_serving *s, uint32_t job, int64_t now_ns) {
  tdm_job *j = &s->jobs[job];
  if (j->state == TDM_JOB_DECODING) {
    leave_decoders(s, job);
    int64_t rest = j->max_output - j->generated;
    s->ended_adds += rest < s->config.new_tokens_most ? rest : s->config.new_tokens_most;
    s->ended++;
  } else {
    s->full = false;
  }
  bool together = s->config.batching == TDM_SERVING_BATCH && s->config.batch_returns_together;
  if (!together) tell_finished(s, j, now_ns);
  if (j->keeps) {
    tdm_job_unlink(s, &s->running, job);
    if (j->adapter != TDM_NO_ADAPTER) tdm_passed_ended(s, job);
    tdm_scheduler_promise(s, j, -1);
    tdm_job_append(s, &s->parked, job);
    j->state = TDM_JOB_PARKED;
    return;
  }
  if (together || s->config.plans_ahead) {
    j->state = TDM_JOB_DONE;
    note(s, &s->done, &s->done_count, &s->done_capacity, job);
    return;
  }
  release(s, job, false);
  tdm_job_free(s, job);
}

void tdm_job_take_turned(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  tdm_job_unlink(s, &s->turned, job);
  if (j->released) {
    if (j->remote) tdm_scheduler_promise(s, j, -1);
    tdm_kv_hold_release(&j->hold, &s->shape, &s->pool, j->remote ? 0 : j->settled, false);
    tdm_job_free(s, job);
    s->full = false;
    return;
  }
  j->remote = false;
  j->ready = true;
  tdm_kv_hold_publish(&j->hold, &s->shape, &s->pool, j->computed);
  j->state = TDM_JOB_WAITING;
  tdm_job_append(s, &s->ready, job);
}

/* What it has computed is lost, but for prefixes that the cache keeps. */
static void abort_running(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  if (j->state == TDM_JOB_DECODING) {
    leave_decoders(s, job);
    int64_t rest = j->max_output - j->generated;
    s->ended_adds += rest < s->config.new_tokens_most ? rest : s->config.new_tokens_most;
    s->ended++;
  } else {
    forget(s->explicit_jobs, &s->explicit_count, job);
    s->run.valid = false;
  }
  s->full = false;
  if (s->config.shares_computed && j->settled > j->prefilled) j->settled = j->prefilled;
  release(s, job, true);
}

static void abort_waiting(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  bool holds = j->ready;
  j->scheduled_ns = 0; /* its tenant is not charged for it */
  if (j->passed)
    tdm_passed_leave(s, job);
  else
    tdm_queue_leave(s, job);
  s->host_free += j->swapped;
  if (!holds) return;
  tdm_scheduler_promise(s, j, -1);
  tdm_kv_hold_release(&j->hold, &s->shape, &s->pool, j->settled, s->config.prefix_caching);
}

void tdm_job_abort(tdm_serving *s, uint32_t job) {
  const tdm_job *j = &s->jobs[job];
  bool loading = tdm_loads_has(s, job), waiting = j->state == TDM_JOB_WAITING || loading;
  bool running = j->state == TDM_JOB_EXPLICIT || j->state == TDM_JOB_DECODING;
  if (!waiting && (!running || s->config.batching == TDM_SERVING_BATCH)) return;
  uint64_t id = j->id;
  if (loading)
    tdm_loads_abort(s, job);
  else if (waiting)
    abort_waiting(s, job);
  else
    abort_running(s, job);
  tdm_job_free(s, job);
  if (s->events.aborted != NULL) s->events.aborted(s->events.context, id, waiting);
}

void tdm_job_release_done(tdm_serving *s, int64_t now_ns) {
  bool together = s->config.batching == TDM_SERVING_BATCH && s->config.batch_returns_together;
  for (size_t i = 0; i < s->done_count; i++) {
    uint32_t job = s->done[i];
    if (together) tell_finished(s, &s->jobs[job], now_ns);
    release(s, job, false);
    tdm_job_free(s, job);
  }
  s->done_count = 0;
}

void tdm_job_step_done(tdm_serving *s, uint32_t job, int64_t now_ns) {
  tdm_job *j = &s->jobs[job];
  int64_t todo = tdm_job_todo(j), got = 1 + j->accepted;
  j->computed += j->chunk < todo ? j->chunk : todo;
  j->settled = j->computed;
  j->chunk = j->accepted = 0;
  if (s->config.shares_computed) {
    tdm_kv_hold_publish(&j->hold, &s->shape, &s->pool, j->computed);
    j->prefilled = j->computed;
  }
  if (tdm_job_todo(j) > 0) {
    note(s, &s->explicit_jobs, &s->explicit_count, &s->explicit_capacity, job);
    return;
  }
  if (got > j->output - j->generated) got = j->output - j->generated;
  j->generated += got;
  j->computed += got - 1;
  j->drafting = s->config.draft_tokens > 0;
  if (s->config.order == TDM_SERVING_FAIR) s->fairness.tenants[j->tenant].output += got;
  if (j->generated == 1) {
    j->first_token_ns = now_ns;
    if (s->events.first_token != NULL) s->events.first_token(s->events.context, j->id, now_ns);
  } else if (s->events.token_gaps != NULL) {
    tdm_gaps_one(&s->gaps, &s->events, j->groups, j->last_token_ns, now_ns, 1);
    if (got > 1) tdm_gaps_one(&s->gaps, &s->events, j->groups, now_ns, now_ns, got - 1);
  }
  j->last_token_ns = now_ns;
  if (j->generated == j->output)
    tdm_job_finish(s, job, now_ns);
  else
    join_decoders(s, job);
}
