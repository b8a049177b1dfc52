/* Those that wait, by order: one list, a heap of keys, or a list for each tenant. Called by the
 * plans through the policy. */
#include <string.h>

#include "engine/serving/inside.h"

static void put(tdm_serving *s, tdm_job_list *list, uint32_t job, bool preempted) {
  bool in_front = preempted && !s->config.preempted_last;
  s->jobs[job].state = TDM_JOB_WAITING;
  s->jobs[job].key = in_front ? --s->first_key : ++s->last_key;
  if (in_front)
    tdm_job_prepend(s, list, job);
  else
    tdm_job_append(s, list, job);
}

/* ---- one list */

static void list_wait(tdm_serving *s, uint32_t job, bool preempted) {
  put(s, &s->waiting, job, preempted);
}

static void list_restore(tdm_serving *s, uint32_t job) {
  tdm_job_prepend(s, &s->waiting, job);
}

static void list_leave(tdm_serving *s, uint32_t job) {
  tdm_job_unlink(s, &s->waiting, job);
}

static uint32_t list_first(const tdm_serving *s) {
  return s->waiting.head;
}

/* ---- keys */

/* Doubles in their order as integers. */
static int64_t ordered(double key) {
  int64_t bits;
  memcpy(&bits, &key, sizeof bits);
  return bits < 0 ? INT64_MIN - bits : bits;
}

static int64_t key_of(tdm_serving *s, uint32_t job) {
  const tdm_job *j = &s->jobs[job];
  switch (s->config.order) {
  case TDM_SERVING_PRIORITY: return j->priority;
  case TDM_SERVING_SHORTEST_PROMPT: return j->prompt;
  case TDM_SERVING_SHORTEST_JOB: return j->predicted;
  case TDM_SERVING_ORDER_FUNCTION: return ordered(tdm_ask_order(s, job));
  default: return 0;
  }
}

static void key_restore(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  tdm_heap_item item = {.key = j->key, .tie = j->arrival_ns, .order = j->ordinal, .member = job};
  if (!tdm_heap_push(&s->by_key, item)) s->failed = true;
}

static void key_wait(tdm_serving *s, uint32_t job, bool preempted) {
  (void)preempted;
  s->jobs[job].state = TDM_JOB_WAITING;
  s->jobs[job].key = key_of(s, job);
  key_restore(s, job);
}

static void key_leave(tdm_serving *s, uint32_t job) {
  tdm_heap_remove(&s->by_key, job);
}

static uint32_t key_first(const tdm_serving *s) {
  const tdm_heap_item *first = tdm_heap_first(&s->by_key);
  return first != NULL ? first->member : TDM_NO_JOB;
}

/* ---- tenants */

static void fair_wait(tdm_serving *s, uint32_t job, bool preempted) {
  uint32_t tenant = s->jobs[job].tenant;
  if (!tdm_fairness_wait(&s->fairness, tenant, !preempted, s->decoders.clock)) s->failed = true;
  put(s, &s->fairness.tenants[tenant].waiting, job, preempted);
}

static void fair_leave(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  tdm_tenant *t = &s->fairness.tenants[j->tenant];
  tdm_job_unlink(s, &t->waiting, job);
  tdm_fairness_leave(&s->fairness, j->tenant);
  if (j->scheduled_ns < 0) t->input += j->prompt; /* what is computed anew is no service */
}

static void fair_restore(tdm_serving *s, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  tdm_tenant *t = &s->fairness.tenants[j->tenant];
  if (!tdm_fairness_wait(&s->fairness, j->tenant, false, 0)) s->failed = true;
  tdm_job_prepend(s, &t->waiting, job);
  if (j->scheduled_ns < 0) t->input -= j->prompt;
}

static uint32_t fair_first(const tdm_serving *s) {
  const tdm_fairness *f = &s->fairness;
  uint32_t first = TDM_NO_JOB;
  double least = 0;
  for (size_t i = 0; i < f->backlog_count; i++) {
    uint32_t job = f->tenants[f->backlog[i]].waiting.head;
    double counter = tdm_fairness_counter(f, f->backlog[i], s->decoders.clock);
    if (first != TDM_NO_JOB &&
        (counter > least || (counter == least && s->jobs[job].ordinal > s->jobs[first].ordinal)))
      continue;
    first = job;
    least = counter;
  }
  return first;
}

/* ---- all */

void tdm_queue_choose(tdm_policy *policy, tdm_serving_order order) {
  policy->overtaking = order != TDM_SERVING_FCFS;
  switch (order) {
  case TDM_SERVING_LONGEST_PREFIX: policy->arrange = tdm_prefix_order_longest; break;
  case TDM_SERVING_PREFIX_WEIGHT: policy->arrange = tdm_prefix_order_weight; break;
  default: break;
  }
  policy->dated = order == TDM_SERVING_FAIR || order == TDM_SERVING_ORDER_FUNCTION;
  policy->shifting = policy->arrange != NULL || order == TDM_SERVING_FAIR;
  policy->wait = key_wait;
  policy->leave = key_leave;
  policy->restore = key_restore;
  policy->first = key_first;
  if (order == TDM_SERVING_FCFS || policy->arrange != NULL) {
    policy->wait = list_wait;
    policy->leave = list_leave;
    policy->restore = list_restore;
    policy->first = list_first;
  } else if (order == TDM_SERVING_FAIR) {
    policy->wait = fair_wait;
    policy->leave = fair_leave;
    policy->restore = fair_restore;
    policy->first = fair_first;
  }
}

void tdm_queue_return(tdm_serving *s, uint32_t job) {
  tdm_job_list *list = &s->waiting;
  if (s->policy.wait == fair_wait) list = &s->fairness.tenants[s->jobs[job].tenant].waiting;
  s->jobs[job].state = TDM_JOB_WAITING;
  s->policy.restore(s, job);
  if (s->policy.restore == key_restore) return;
  /* from the front, where it was put, behind those that came before it */
  uint32_t next = s->jobs[job].next;
  if (next == TDM_NO_JOB || s->jobs[next].key > s->jobs[job].key) return;
  tdm_job_unlink(s, list, job);
  uint32_t behind = list->tail;
  for (next = TDM_NO_JOB; s->jobs[behind].key > s->jobs[job].key; behind = s->jobs[behind].prev)
    next = behind;
  tdm_job_insert(s, list, job, next);
}

static uint32_t older(const tdm_serving *s, uint32_t a, uint32_t b) {
  if (a == TDM_NO_JOB || b == TDM_NO_JOB) return a == TDM_NO_JOB ? b : a;
  return s->jobs[b].ordinal < s->jobs[a].ordinal ? b : a;
}

/* The first of a list has come first: only a plan that preempts or arranges changes that, and
 * batches, which ask, do neither. */
uint32_t tdm_queue_oldest(const tdm_serving *s) {
  uint32_t oldest = s->waiting.head;
  for (size_t i = 0; i < s->by_key.count; i++) oldest = older(s, oldest, s->by_key.items[i].member);
  for (size_t i = 0; i < s->fairness.backlog_count; i++)
    oldest = older(s, oldest, s->fairness.tenants[s->fairness.backlog[i]].waiting.head);
  return oldest;
}

static void close_list(tdm_serving *s, const tdm_job_list *list) {
  for (uint32_t job = list->head; job != TDM_NO_JOB; job = s->jobs[job].next)
    tdm_kv_hold_close(&s->jobs[job].hold);
}

void tdm_queue_close(tdm_serving *s) {
  close_list(s, &s->ready);
  close_list(s, &s->waiting);
  for (size_t i = 0; i < s->by_key.count; i++)
    tdm_kv_hold_close(&s->jobs[s->by_key.items[i].member].hold);
  for (size_t i = 0; i < s->fairness.count; i++) close_list(s, &s->fairness.tenants[i].waiting);
  tdm_heap_close(&s->by_key);
  tdm_fairness_close(&s->fairness);
}
