/* Batchers: requests of one stage wait at a station until a batch may start.
 *
 * A batch starts when a server is free and (a) `max` members wait, (b) a preferred size is reached
 * or the user's function says so, (c) the oldest has waited `wait`, or (d) wait is 0: whoever is
 * there goes at once. Without a
 * wait (static batching) only full batches start, and at last what nobody will complete any more.
 * The members of a batch hang on its leader by `next`. Called by station.c and the clock. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/events/llm.h"

static tdm_status add_batcher(tdm_engine *e, uint32_t stage, uint32_t station, size_t *capacity) {
  tdm_station_run *st = &e->stations[station];
  uint32_t id = e->model->stages[stage].batcher;
  for (uint32_t i = 0; i < st->batcher_count; i++)
    if (e->model->stages[e->batchers[st->batchers[i]].stage].batcher == id) return TDM_OK;
  size_t list_capacity = st->batcher_count;
  if (!tdm_array_grow(&e->batchers, capacity, e->batcher_count + 1, sizeof *e->batchers) ||
      !tdm_array_grow(&st->batchers, &list_capacity, st->batcher_count + 1, sizeof *st->batchers))
    return tdm_error_memory(e->error, "batchers", sizeof *e->batchers);
  e->batchers[e->batcher_count] = (tdm_batcher){.queue = {TDM_NO_INDEX, TDM_NO_INDEX},
                                                .timer = TDM_NO_INDEX,
                                                .stage = stage,
                                                .station = station};
  st->batchers[st->batcher_count++] = (uint32_t)e->batcher_count++;
  st->simple = false;
  return TDM_OK;
}

tdm_status tdm_batch_open(tdm_engine *e) {
  const tdm_model *m = e->model;
  size_t capacity = 0;
  for (uint32_t s = 0; s < m->stage_count; s++) {
    const tdm_stage *stage = &m->stages[s];
    if (stage->batch.max <= 1) continue;
    if (stage->station != TDM_NO_INDEX) {
      tdm_status status = add_batcher(e, s, stage->station, &capacity);
      if (status != TDM_OK) return status;
      continue;
    }
    for (size_t i = 0; stage->group != TDM_NO_INDEX && i < m->groups[stage->group].count; i++) {
      uint32_t gpu = m->groups[stage->group].members[i];
      tdm_status status = add_batcher(e, s, m->gpus[gpu].stations[stage->role], &capacity);
      if (status != TDM_OK) return status;
    }
  }
  return TDM_OK;
}

static uint32_t batcher_of(tdm_engine *e, uint32_t stage, uint32_t station) {
  const tdm_station_run *st = &e->stations[station];
  uint32_t id = e->model->stages[stage].batcher;
  for (uint32_t i = 0; i < st->batcher_count; i++)
    if (e->model->stages[e->batchers[st->batchers[i]].stage].batcher == id) return st->batchers[i];
  return TDM_NO_INDEX;
}

static const tdm_batch_rule *rule_of(const tdm_engine *e, const tdm_batcher *batcher) {
  return &e->model->stages[batcher->stage].batch;
}

/* The user's function decides; whatever it says is kept within what waits and what fits. */
static uint32_t ask_size(tdm_engine *e, const tdm_batcher *batcher, const tdm_batch_rule *rule,
                         int64_t waited_ns) {
  if (e->hooks == NULL || e->hooks->script == NULL) {
    tdm_engine_fail(e, TDM_INVALID, "a batch is decided by a Lua function, and no Lua is at hand");
    return 0;
  }
  double facts[] = {batcher->waiting, (double)waited_ns * 1e-9, rule->max};
  double size = e->hooks->script->call(e->hooks->script->context, rule->function, facts, 3);
  if (!(size >= 0)) {
    tdm_engine_fail(e, TDM_INVALID, "the function that decides a batch gave no number from 0");
    return 0;
  }
  if (size > rule->max) size = rule->max;
  return size < batcher->waiting ? (uint32_t)size : batcher->waiting;
}

/* How many members would start now, 0: none yet. */
static uint32_t size_now(tdm_engine *e, const tdm_batcher *batcher) {
  const tdm_batch_rule *rule = rule_of(e, batcher);
  if (batcher->waiting == 0) return 0;
  if (batcher->waiting >= rule->max) return rule->max;
  int64_t oldest_ns = e->requests[batcher->queue.head].enter_ns;
  if (rule->wait_ns != INT64_MAX && e->now_ns - oldest_ns >= rule->wait_ns) return batcher->waiting;
  if (e->flushing && rule->wait_ns == INT64_MAX) return batcher->waiting;
  if (rule->function != TDM_NO_INDEX) return ask_size(e, batcher, rule, e->now_ns - oldest_ns);
  for (size_t i = rule->preferred_count; i-- > 0;)
    if (rule->preferred[i] <= batcher->waiting) return rule->preferred[i];
  return 0;
}

/* The timer follows the oldest member. */
static void plan(tdm_engine *e, uint32_t id) {
  tdm_batcher *batcher = &e->batchers[id];
  const tdm_batch_rule *rule = rule_of(e, batcher);
  tdm_timer_cancel(e, &batcher->timer);
  if (batcher->waiting == 0 || rule->wait_ns == INT64_MAX) return;
  int64_t due_ns = e->requests[batcher->queue.head].enter_ns + rule->wait_ns;
  if (due_ns > e->now_ns) batcher->timer = tdm_timer_set(e, due_ns, TDM_TIMER_BATCH, id);
}

void tdm_batch_enter(tdm_engine *e, uint32_t stage, uint32_t station, uint32_t index) {
  uint32_t id = batcher_of(e, stage, station);
  tdm_batcher *batcher = &e->batchers[id];
  tdm_station_run *st = &e->stations[station];
  const tdm_dist *patience = e->model->classes[e->requests[index].class_index].patience;
  tdm_list_push(e, &batcher->queue, index);
  e->requests[index].at = TDM_AT_BATCHER;
  batcher->waiting++;
  e->batch_waiting++;
  st->waiting++;
  st->queue_sum -= (uint64_t)e->now_ns;
  if (patience != NULL)
    e->more[index].patience = tdm_timer_set(
        e,
        e->now_ns + tdm_round_ns(tdm_dist_draw(patience,
                                               e->classes[e->requests[index].class_index].patience,
                                               e->requests[index].ordinal,
                                               e->hooks != NULL ? e->hooks->script : NULL) *
                                 1e9),
        TDM_TIMER_PATIENCE, index);
  if (batcher->waiting == 1) plan(e, id);
  tdm_station_next(e, station);
  tdm_batch_flush(e);
}

bool tdm_batch_force(tdm_engine *e) {
  uint64_t before = e->batch_waiting;
  e->flushing = true;
  for (uint32_t i = 0; i < e->batcher_count; i++)
    if (e->batchers[i].waiting > 0) tdm_station_next(e, e->batchers[i].station);
  bool woken = tdm_generate_drain(e);
  e->flushing = false;
  return woken || e->batch_waiting < before;
}

void tdm_batch_flush(tdm_engine *e) {
  if (e->pending_arrivals == 0 && e->batch_waiting > 0 && e->batch_waiting == e->in_system &&
      !e->flushing)
    tdm_batch_force(e);
}

uint32_t tdm_batch_ready(tdm_engine *e, uint32_t station, bool take, int64_t *oldest_ns) {
  tdm_station_run *st = &e->stations[station];
  tdm_batcher *best = NULL;
  uint32_t best_size = 0, best_id = 0;
  for (uint32_t i = 0; i < st->batcher_count; i++) {
    tdm_batcher *batcher = &e->batchers[st->batchers[i]];
    uint32_t size = size_now(e, batcher);
    if (size == 0) continue;
    int64_t enter_ns = e->requests[batcher->queue.head].enter_ns;
    if (best == NULL || enter_ns < *oldest_ns) {
      best = batcher;
      best_size = size;
      best_id = st->batchers[i];
      *oldest_ns = enter_ns;
    }
  }
  if (best == NULL) return TDM_NO_INDEX;
  uint32_t leader = best->queue.head;
  if (!take) return leader;
  uint32_t last = leader;
  for (uint32_t i = 1; i < best_size; i++) last = e->requests[last].next;
  best->queue.head = e->requests[last].next;
  if (best->queue.head != TDM_NO_INDEX)
    e->requests[best->queue.head].prev = TDM_NO_INDEX;
  else
    best->queue.tail = TDM_NO_INDEX;
  e->requests[last].next = TDM_NO_INDEX;
  best->waiting -= best_size;
  e->batch_waiting -= best_size;
  st->waiting -= best_size;
  st->queue_sum += (uint64_t)e->now_ns * best_size;
  e->more[leader].members = best_size;
  plan(e, best_id);
  return leader;
}

void tdm_batch_fire(tdm_engine *e, uint32_t id) {
  e->batchers[id].timer = TDM_NO_INDEX;
  tdm_station_next(e, e->batchers[id].station);
}

void tdm_batch_unqueue(tdm_engine *e, uint32_t index) {
  const tdm_request *r = &e->requests[index];
  uint32_t id = batcher_of(e, r->stage, r->station);
  tdm_batcher *batcher = &e->batchers[id];
  tdm_station_run *st = &e->stations[r->station];
  bool oldest = batcher->queue.head == index;
  tdm_list_remove(e, &batcher->queue, index);
  batcher->waiting--;
  e->batch_waiting--;
  st->waiting--;
  st->queue_sum += (uint64_t)e->now_ns;
  if (oldest) plan(e, id);
}

void tdm_batch_aggregate(tdm_engine *e, uint32_t leader) {
  size_t slots = e->model->attr_count;
  for (size_t slot = 0; slot < slots; slot++) e->sums[slot] = 0;
  for (uint32_t i = leader; i != TDM_NO_INDEX; i = e->requests[i].next) {
    const double *state = e->state + (size_t)i * e->model->state_slots;
    for (size_t slot = 0; slot < slots; slot++) {
      e->sums[slot] += state[slot];
      if (i == leader || state[slot] > e->largest[slot]) e->largest[slot] = state[slot];
    }
  }
}
