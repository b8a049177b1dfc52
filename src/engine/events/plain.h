/* The engine's inner loop, inline: requests that go from FIFO station to FIFO station and leave,
 * with nobody watching. Whatever is more than that is handed to the general functions, which do the
 * same in the plain case; so features that a model does not use cost one test.
 *
 * Included by engine.c (the loop) and station.c (which shares the start of a service). */
#ifndef TDM_ENGINE_EVENTS_PLAIN_H
#define TDM_ENGINE_EVENTS_PLAIN_H

#include "engine/events/state.h"

/* ---- cost */

/* Draws come from blocks of 64 made by vector code, one in `n / 64 % TDM_DRAW_BLOCKS`; what is not
 * there tdm_stage_draw makes. */
static inline bool tdm_plain_has(const tdm_stage_run *run, uint64_t n) {
  return __builtin_expect(run->block_tag[n / 64 % TDM_DRAW_BLOCKS] == n / 64 + 1, 1);
}

/* The draw for one request of an exponential stage. */
static inline int64_t tdm_plain_draw(tdm_stage_run *run, uint64_t n) {
  return tdm_plain_has(run, n) ? run->block_ns[n / 64 % TDM_DRAW_BLOCKS][n % 64]
                               : tdm_stage_draw(run, n);
}

/* The same for a multiplier. */
static inline double tdm_plain_jitter(tdm_stage_run *run, uint64_t n) {
  return tdm_plain_has(run, n) ? run->block_jitter[n / 64 % TDM_DRAW_BLOCKS][n % 64]
                               : tdm_stage_jitter(run, n);
}

static inline int64_t tdm_plain_cost_ns(tdm_engine *e, tdm_stage_run *run, uint32_t index) {
  if (run->kind == TDM_COST_EXPONENTIAL) return tdm_plain_draw(run, e->requests[index].ordinal);
  if (run->kind == TDM_COST_CONSTANT) return run->constant_ns;
  return tdm_stage_cost_ns(e, e->requests[index].stage, index);
}

/* ---- service */

/* Counters of a start after a wait; the service is known now or added when it ends. */
static inline void tdm_plain_note(const tdm_engine *e, tdm_stage_run *run, tdm_request *r) {
  int64_t wait_ns = e->now_ns - r->enter_ns;
  r->start_ns = e->now_ns;
  r->at = TDM_AT_MOVE;
  run->note.visits++;
  run->note.wait_ns += wait_ns;
  run->note.delayed += wait_ns > 0;
  if (wait_ns > run->note.max_wait_ns) run->note.max_wait_ns = wait_ns;
}

static inline void tdm_plain_push(tdm_engine *e, int64_t time_ns, uint32_t index) {
  tdm_event_key key = tdm_event_make(time_ns, TDM_EVENT_COMPLETE, e->sequence++, index);
  if (!tdm_event_set_push(&e->events, key)) tdm_engine_fail(e, TDM_MEMORY, "out of memory: events");
}

/* A FIFO server takes a request; the caller has counted the server busy. */
static inline void tdm_plain_start(tdm_engine *e, uint32_t station, uint32_t index) {
  tdm_request *r = &e->requests[index];
  tdm_stage_run *run = &e->stages[r->stage];
  tdm_plain_note(e, run, r);
  int64_t cost_ns = tdm_plain_cost_ns(e, run, index);
  run->note.service_ns += cost_ns;
  tdm_plain_push(e, e->now_ns + cost_ns, index);
  if (__builtin_expect(e->watched, 0)) tdm_station_started(e, station, index, cost_ns);
}

/* ---- steps */

static inline void tdm_plain_leave(tdm_engine *e, uint32_t index) {
  tdm_request *r = &e->requests[index];
  e->in_system--;
  e->in_system_sum += (uint64_t)e->now_ns;
  e->finished++;
  tdm_departure *d = &e->departures[e->departure_count++];
  d->latency_ns = e->now_ns - r->arrival_ns;
  d->arrival_ns = r->arrival_ns;
  d->class_index = r->class_index;
  d->slice = r->slice;
  if (__builtin_expect(e->departure_count == TDM_DEPARTURES, 0)) tdm_slices_departures(e);
  r->next = e->free_request;
  e->free_request = index;
}

static inline void tdm_plain_enter(tdm_engine *e, uint32_t station, uint32_t stage,
                                   uint32_t index) {
  tdm_station_run *st = &e->stations[station];
  tdm_request *r = &e->requests[index];
  r->station = station;
  r->stage = stage;
  r->enter_ns = e->now_ns;
  if (st->busy < st->servers) { /* a plain station with a free server has nobody waiting */
    st->busy++;
    st->busy_sum -= (uint64_t)e->now_ns;
    tdm_plain_start(e, station, index);
    return;
  }
  tdm_list_push(e, &st->queue[0], index);
  r->at = TDM_AT_QUEUE;
  st->waiting++;
  st->queue_sum -= (uint64_t)e->now_ns;
}

/* A request's next step. */
static inline void tdm_plain_step(tdm_engine *e, uint32_t index) {
  tdm_request *r = &e->requests[index];
  const tdm_plain_op *op = &e->plain_ops[r->op];
  if (op->kind == TDM_PLAIN_SERVE && r->flags == 0) {
    r->op++;
    tdm_plain_enter(e, op->station, op->stage, index);
  } else if (op->kind == TDM_PLAIN_END) {
    tdm_plain_leave(e, index);
  } else {
    tdm_route_advance(e, index);
  }
}

/* A service ends. */
static inline void tdm_plain_complete(tdm_engine *e, uint32_t index) {
  uint32_t station = e->requests[index].station;
  if (station == TDM_NO_INDEX || !e->stations[station].simple) {
    tdm_station_complete(e, index);
    return;
  }
  tdm_station_run *st = &e->stations[station];
  if (st->waiting == 0) {
    st->busy--;
    st->busy_sum += (uint64_t)e->now_ns;
  } else { /* the server goes on with the next: busy stays as it is */
    uint32_t next = tdm_list_pop(e, &st->queue[0]);
    st->waiting--;
    st->queue_sum += (uint64_t)e->now_ns;
    tdm_plain_start(e, station, next);
  }
  tdm_plain_step(e, index);
}

#endif
