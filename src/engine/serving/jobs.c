/* A request's life: queue, running, preempted, done. Called by scheduler, batching and serving. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/serving/state.h"

/* ---- lists */

void tdm_job_append(tdm_serving *s, tdm_job_list *list, uint32_t job) {
  s->jobs[job].prev = list->tail;
  s->jobs[job].next = TDM_NO_JOB;
  if (list->tail != TDM_NO_JOB)
    s->jobs[list->tail].next = job;
  else
    list->head = job;
  list->tail = job;
  list->count++;
}

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

void tdm_job_unlink(tdm_serving *s, tdm_job_list *list, uint32_t job) {
  uint32_t prev = s->jobs[job].prev, next = s->jobs[job].next;
  if (prev != TDM_NO_JOB)
    s->jobs[prev].next = next;
  else
    list->head = next;
  if (next != TDM_NO_JOB)
    s->jobs[next].prev = prev;
  else
    list->tail = prev;
  list->count--;
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
    return job;
  }
  if (s->job_count >= TDM_NO_JOB ||
      !tdm_array_grow(&s->jobs, &s->job_capacity, s->job_count + 1, sizeof *s->jobs))
    return TDM_NO_JOB;
  return (uint32_t)s->job_count++;
}

void tdm_job_free(tdm_serving *s, uint32_t job) {
  tdm_kv_hold_close(&s->jobs[job].hold);
  s->jobs[job].next = s->unused_jobs;
  s->unused_jobs = job;
}

/* ---- the queue */

int64_t tdm_job_waiting_count(const tdm_serving *s) {
  return s->waiting.count + (int64_t)s->by_priority.count;
}

uint32_t tdm_job_first_waiting(const tdm_serving *s) {
  if (s->config.order == TDM_SERVING_FCFS) return s->waiting.head;
  const tdm_heap_item *first = tdm_heap_first(&s->by_priority);
  return first != NULL ? first->member : TDM_NO_JOB;
}

void tdm_job_wait(tdm_serving *s, uint32_t job, bool in_front) {
  tdm_job *j = &s->jobs[job];
  j->state = TDM_JOB_WAITING;
  if (s->config.order == TDM_SERVING_PRIORITY) {
    tdm_heap_item item = {
        .key = j->priority, .tie = j->arrival_ns, .order = j->ordinal, .member = job};
    if (!tdm_heap_push(&s->by_priority, item)) s->failed = true;
  } else if (in_front) {
    tdm_job_prepend(s, &s->waiting, job);
  } else {
    tdm_job_append(s, &s->waiting, job);
  }
}

void tdm_job_leave_queue(tdm_serving *s, uint32_t job) {
  if (s->config.order == TDM_SERVING_PRIORITY)
    tdm_heap_remove(&s->by_priority, job);
  else
    tdm_job_unlink(s, &s->waiting, job);
}

/* ---- running */

void tdm_job_go_explicit(tdm_serving *s, uint32_t job) {
  s->jobs[job].state = TDM_JOB_EXPLICIT;
  note(s, &s->explicit_jobs, &s->explicit_count, &s->explicit_capacity, job);
}

/* Brings the numbers of a job that decodes implicitly up to date and takes it out. */
static void leave_decoders(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  int64_t steps = s->decoders.clock - j->joined;
  j->computed += steps;
  j->generated += steps;
  if (s->decoders.residues != NULL) {
    int64_t grown = tdm_kv_blocks(&s->shape, j->computed) - j->hold.blocks;
    j->hold.blocks += grown;
    j->hold.own += grown;
  }
  tdm_decoders_leave(&s->decoders, job, j->computed);
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
  if (!tdm_decoders_join(&s->decoders, &decoder)) s->failed = true;
  s->run.valid = false;
}

void tdm_job_make_explicit(tdm_serving *s, uint32_t job) {
  leave_decoders(s, job);
  s->jobs[job].last_token_ns = s->last_ns;
  tdm_job_go_explicit(s, job);
}

static void release(tdm_serving *s, uint32_t job, bool keep) {
  tdm_job *j = &s->jobs[job];
  tdm_job_unlink(s, &s->running, job);
  tdm_kv_hold_release(&j->hold, &s->shape, &s->pool, j->computed, keep && s->config.prefix_caching);
}

/* All that is computed moves to host memory, if there is room. */
static bool swap_out(tdm_serving *s, tdm_job *j) {
  int64_t blocks = tdm_kv_blocks(&s->shape, j->computed);
  if (blocks == 0 || blocks > s->host_free) return false;
  j->swapped = blocks;
  s->host_free -= blocks;
  s->moves.swapped_out += blocks;
  s->moves.pause_s += (double)blocks * s->config.swap_block_s;
  return true;
}

void tdm_job_swap_in(tdm_serving *s, uint32_t job) {
  int64_t blocks = s->jobs[job].swapped;
  s->jobs[job].swapped = 0;
  s->host_free += blocks;
  s->moves.swapped_in += blocks;
  s->moves.pause_s += (double)blocks * s->config.swap_block_s;
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
  release(s, job, !swapped);
  int64_t lost = swapped ? 0 : j->computed;
  if (!swapped) j->computed = 0;
  j->chunk = 0;
  j->preemptions++;
  tdm_job_wait(s, job, true);
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
  s->events.finished(s->events.context, &outcome);
}

void tdm_job_finish(tdm_serving *s, uint32_t job, int64_t now_ns) {
  tdm_job *j = &s->jobs[job];
  if (j->state == TDM_JOB_DECODING) leave_decoders(s, job);
  bool together = s->config.batching == TDM_SERVING_BATCH && s->config.batch_returns_together;
  if (!together) tell_finished(s, j, now_ns);
  if (j->keeps) {
    tdm_job_unlink(s, &s->running, job);
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

void tdm_job_release_parked(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  tdm_job_unlink(s, &s->parked, job);
  tdm_kv_hold_release(&j->hold, &s->shape, &s->pool, j->remote ? 0 : j->computed, false);
  tdm_job_free(s, job);
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
  j->computed += j->chunk;
  j->chunk = 0;
  if (tdm_job_todo(j) > 0) {
    note(s, &s->explicit_jobs, &s->explicit_count, &s->explicit_capacity, job);
    return;
  }
  j->generated++;
  if (j->generated == 1) {
    j->first_token_ns = now_ns;
    if (s->events.first_token != NULL) s->events.first_token(s->events.context, j->id, now_ns);
  } else if (s->events.token_gaps != NULL) {
    s->events.token_gaps(s->events.context, j->last_token_ns, now_ns, 1, 1);
  }
  j->last_token_ns = now_ns;
  if (j->generated == j->output)
    tdm_job_finish(s, job, now_ns);
  else
    join_decoders(s, job);
}
