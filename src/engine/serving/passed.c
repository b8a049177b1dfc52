/* Waiting requests that are passed over because their LoRA adapter finds no place: as vLLM, which
 * looks at the next one instead.
 *
 * They stand beside the queue, in its order, and come back to where they were: all of an adapter
 * when it comes to be used, the first of all when there is a place. So nobody is looked at more
 * often than adapters change. Called by the scheduler and the queue. */
#include "engine/serving/inside.h"

static tdm_heap_item item_of(const tdm_serving *s, uint32_t job) {
  const tdm_job *j = &s->jobs[job];
  return (tdm_heap_item){.key = j->key,
                         .tie = s->policy.overtaking ? j->arrival_ns : 0,
                         .order = s->policy.overtaking ? j->ordinal : 0,
                         .member = job};
}

static bool before(const tdm_heap_item *a, const tdm_heap_item *b) {
  if (a->key != b->key) return a->key < b->key;
  return a->tie != b->tie ? a->tie < b->tie : a->order < b->order;
}

static void pass_over(tdm_serving *s, uint32_t job) {
  s->policy.leave(s, job);
  s->jobs[job].passed = true;
  tdm_job_append(s, &s->adapters.items[s->jobs[job].adapter].passed, job);
  if (!tdm_heap_push(&s->passed_over, item_of(s, job))) s->failed = true;
}

void tdm_passed_leave(tdm_serving *s, uint32_t job) {
  tdm_heap_remove(&s->passed_over, job);
  tdm_job_unlink(s, &s->adapters.items[s->jobs[job].adapter].passed, job);
  s->jobs[job].passed = false;
}

/* To its place. Only who was preempted meanwhile stands before it in a list. */
static void come_back(tdm_serving *s, uint32_t job) {
  tdm_passed_leave(s, job);
  if (s->policy.overtaking) {
    s->policy.restore(s, job);
    return;
  }
  uint32_t next = s->waiting.head;
  while (next != TDM_NO_JOB && s->jobs[next].key < s->jobs[job].key) next = s->jobs[next].next;
  tdm_job_insert(s, &s->waiting, job, next);
}

uint32_t tdm_passed_first(tdm_serving *s) {
  if (s->ready.count > 0 && tdm_adapters_admit(&s->adapters, s->jobs[s->ready.head].adapter))
    return s->ready.head;
  for (;;) {
    uint32_t job = s->policy.first(s);
    const tdm_heap_item *passed = tdm_heap_first(&s->passed_over);
    if (passed != NULL && s->adapters.used < s->adapters.most) {
      tdm_heap_item first = {0};
      if (job != TDM_NO_JOB) first = item_of(s, job);
      if (job == TDM_NO_JOB || before(passed, &first)) {
        come_back(s, passed->member);
        continue;
      }
    }
    if (job == TDM_NO_JOB || tdm_adapters_admit(&s->adapters, s->jobs[job].adapter)) return job;
    pass_over(s, job);
    if (s->failed) return TDM_NO_JOB;
  }
}

void tdm_passed_admitted(tdm_serving *s, uint32_t job) {
  uint32_t adapter = s->jobs[job].adapter;
  int64_t used = s->adapters.used;
  if (tdm_adapters_take(&s->adapters, adapter)) {
    s->beside.adapter_loads++;
    s->beside.pause_s += s->config.adapter_load_s;
  }
  if (s->adapters.used == used) return;
  s->run.valid = false;
  for (uint32_t back; (back = s->adapters.items[adapter].passed.head) != TDM_NO_JOB;)
    come_back(s, back);
}

void tdm_passed_ended(tdm_serving *s, uint32_t job) {
  uint32_t adapter = s->jobs[job].adapter;
  int64_t used = s->adapters.used;
  tdm_adapters_give(&s->adapters, adapter);
  if (s->adapters.used != used) s->run.valid = false;
}

void tdm_passed_close(tdm_serving *s) {
  for (size_t i = 0; i < s->passed_over.count; i++)
    tdm_kv_hold_close(&s->jobs[s->passed_over.items[i].member].hold);
  tdm_heap_close(&s->passed_over);
  tdm_adapters_close(&s->adapters);
}
