/* The clock: pops events in order, lets requests arrive, keeps the timers. How a replication is
 * opened and closed is open.c's, what happens at a station station.c's, what a request does next
 * route.c's, what is measured record.c's. Called by parallel/replicate and tests. */
#include "engine/events/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/events/llm.h"
#include "engine/events/plain.h"

#define SAME_INSTANT_CHECKS 4000
#define STOP_CHECK_EVENTS   1024 /* a Ctrl-C is seen within microseconds */

tdm_status tdm_engine_fail(tdm_engine *e, tdm_status status, const char *message) {
  if (e->status == TDM_OK) {
    e->status = status;
    tdm_error_set(e->error, status, "%s", message);
  }
  return e->status;
}

/* ---- events and timers */

void tdm_engine_schedule(tdm_engine *e, int64_t time_ns, tdm_event_rank rank, uint32_t payload) {
  tdm_event_key key = tdm_event_make(time_ns, rank, e->sequence++, payload);
  if (!tdm_event_set_push(&e->events, key)) tdm_engine_fail(e, TDM_MEMORY, "out of memory: events");
}

uint32_t tdm_timer_set(tdm_engine *e, int64_t time_ns, tdm_timer_kind kind, uint32_t subject) {
  uint32_t index = e->free_timer;
  if (index != TDM_NO_INDEX) {
    e->free_timer = e->timers[index].next_free;
  } else {
    index = (uint32_t)e->timer_count;
    if (!tdm_array_grow(&e->timers, &e->timer_capacity, e->timer_count + 1, sizeof *e->timers)) {
      tdm_engine_fail(e, TDM_MEMORY, "out of memory: timers");
      return TDM_NO_INDEX;
    }
    e->timer_count++;
  }
  e->timers[index] = (tdm_timer){.kind = kind, .live = true, .subject = subject};
  tdm_engine_schedule(e, time_ns, TDM_EVENT_TIMER, index);
  return index;
}

/* The event stays in the set and is thrown away when it comes up. */
void tdm_timer_cancel(tdm_engine *e, uint32_t *timer) {
  if (*timer != TDM_NO_INDEX) e->timers[*timer].live = false;
  *timer = TDM_NO_INDEX;
}

static void fire_retry(tdm_engine *e, uint32_t index) {
  tdm_request *r = &e->requests[index];
  r->op = e->model->classes[r->class_index].entry;
  r->gpu = TDM_NO_INDEX;
  bool conversed = e->model->conversation != TDM_NO_INDEX;
  bool recorded = e->model->classes[r->class_index].arrivals->rows.firsts != NULL;
  if (conversed || recorded) r->ordinal &= ((uint64_t)1 << TDM_VISIT_SHIFT) - 1; /* all again */
  if (conversed) tdm_prefix_forget(e, index);
  e->more[index].begun = 0;
  if (recorded) tdm_request_turn(e, index);
  tdm_route_advance(e, index);
}

static void fire_tick(tdm_engine *e) {
  tdm_view view = {.now_ns = e->now_ns, .stage = TDM_NO_INDEX, .gpu = TDM_NO_INDEX};
  tdm_status status = e->hooks->event(e->hooks->context, TDM_HOOK_TICK, &view, e->error);
  if (status != TDM_OK) e->status = status;
  if (tdm_engine_alive(e))
    tdm_timer_set(e, e->now_ns + tdm_round_ns(e->model->tick_s * 1e9), TDM_TIMER_TICK, 0);
}

static void issue(tdm_engine *e, uint32_t class_index, uint64_t row);

static void fire_timer(tdm_engine *e, uint32_t index) {
  tdm_timer timer = e->timers[index];
  e->timers[index].kind = TDM_TIMER_FREE;
  e->timers[index].next_free = e->free_timer;
  e->free_timer = index;
  if (!timer.live) return;
  uint32_t subject = timer.subject;
  switch ((tdm_timer_kind)timer.kind) {
  case TDM_TIMER_FREE: break;
  case TDM_TIMER_SERVED:
    e->more[subject].done = TDM_NO_INDEX;
    tdm_station_complete(e, subject);
    break;
  case TDM_TIMER_PATIENCE:
    e->more[subject].patience = TDM_NO_INDEX;
    tdm_route_remove(e, subject, TDM_OUTCOME_ABANDONED);
    break;
  case TDM_TIMER_TIMEOUT:
    e->more[subject].timeout = TDM_NO_INDEX;
    tdm_route_remove(e, subject, TDM_OUTCOME_TIMED_OUT);
    break;
  case TDM_TIMER_RETRY: fire_retry(e, subject); break;
  case TDM_TIMER_BATCH: tdm_batch_fire(e, subject); break;
  case TDM_TIMER_SHARE: tdm_share_fire(e, subject); break;
  case TDM_TIMER_LINK: tdm_link_fire(e, subject); break;
  case TDM_TIMER_FAIL: tdm_failure_begin(e, subject); break;
  case TDM_TIMER_REPAIR: tdm_failure_end(e, subject); break;
  case TDM_TIMER_THINK:
    e->pending_arrivals--;
    if (e->now_ns < e->model->duration_ns) issue(e, subject, 0);
    break;
  case TDM_TIMER_TOKENIZED: tdm_generate_tokenized(e, subject); break;
  case TDM_TIMER_STREAMED: tdm_route_advance(e, subject); break;
  case TDM_TIMER_SCALE: tdm_scaling_fire(e, subject); break;
  case TDM_TIMER_FLEET: tdm_fleet_fire(e, subject); break;
  case TDM_TIMER_GPU_READY: tdm_fleet_ready(e, subject); break;
  case TDM_TIMER_READY: tdm_roster_ready(e, subject); break;
  case TDM_TIMER_TICK: fire_tick(e); break;
  }
}

/* ---- requests */

static bool grow_requests(tdm_engine *e) {
  size_t need = e->request_count + 1;
  size_t slots = e->model->state_slots;
  if (need >= (size_t)1 << TDM_PAYLOAD_BITS) {
    tdm_engine_fail(e, TDM_LIMIT,
                    "more than 67 million requests are inside at once: the load exceeds what the "
                    "stations serve, or a queue needs a limit");
    return false;
  }
  /* At least one slot, so that the state of a request is always somewhere. */
  if (tdm_array_grow(&e->requests, &e->request_capacity, need, sizeof *e->requests) &&
      tdm_array_grow(&e->more, &e->more_capacity, need, sizeof *e->more) &&
      tdm_array_grow(&e->state, &e->state_capacity, need * (slots > 0 ? slots : 1),
                     sizeof *e->state))
    return true;
  tdm_engine_fail(e, TDM_MEMORY, "out of memory: requests");
  return false;
}

static const tdm_request_more fresh_more = {.parent = TDM_NO_INDEX,
                                            .patience = TDM_NO_INDEX,
                                            .timeout = TDM_NO_INDEX,
                                            .done = TDM_NO_INDEX,
                                            .members = 1,
                                            .left_ns = -1};

uint32_t tdm_request_new(tdm_engine *e) {
  uint32_t index = e->free_request;
  if (index != TDM_NO_INDEX) {
    e->free_request = e->requests[index].next;
  } else {
    if (!grow_requests(e)) return TDM_NO_INDEX;
    index = (uint32_t)e->request_count++;
    memcpy(&e->more[index], &fresh_more, sizeof fresh_more);
  }
  return index;
}

/* `more` of a free request is always fresh; most requests never touch theirs. */
void tdm_request_free(tdm_engine *e, uint32_t index) {
  if (e->uses_more) memcpy(&e->more[index], &fresh_more, sizeof fresh_more);
  e->requests[index].next = e->free_request;
  e->free_request = index;
}

size_t tdm_request_row(const tdm_engine *e, uint32_t index) {
  const tdm_request *r = &e->requests[index];
  const tdm_request_rows *rows = &e->model->classes[r->class_index].arrivals->rows;
  uint64_t n = r->ordinal & (((uint64_t)1 << TDM_VISIT_SHIFT) - 1);
  uint64_t round = r->ordinal >> TDM_VISIT_SHIFT;
  uint32_t unit = e->more[index].unit;
  if (unit != 0) return tdm_rows_turn(rows, unit - 1, round);
  return tdm_rows_at(rows, e->classes[r->class_index].picks, n, round);
}

void tdm_request_turn(tdm_engine *e, uint32_t index) {
  const tdm_request *r = &e->requests[index];
  const tdm_request_rows *rows = &e->model->classes[r->class_index].arrivals->rows;
  double *state = e->state + (size_t)index * e->model->state_slots;
  size_t row = tdm_request_row(e, index);
  for (uint32_t slot = 0; slot < rows->column_count; slot++)
    if (rows->columns[slot] != NULL) state[slot] = rows->columns[slot][row];
}

/* Requests of one arrival of a list have the same row. */
static void set_attributes(tdm_engine *e, uint32_t index, uint32_t class_index, uint64_t arrival) {
  const tdm_class *class = &e->model->classes[class_index];
  const tdm_request_rows *rows = &class->arrivals->rows;
  uint64_t n = class->arrivals->kind == TDM_ARRIVE_LIST ? arrival : e->requests[index].ordinal;
  size_t row = rows->count > 0 ? tdm_rows_at(rows, e->classes[class_index].picks, n, 0) : 0;
  double *state = e->state + (size_t)index * e->model->state_slots;
  memset(state, 0, e->model->state_slots * sizeof *state);
  for (uint32_t slot = 0; slot < e->model->attr_count; slot++) {
    if (tdm_rows_have(rows, slot))
      state[slot] = rows->columns[slot][row];
    else if (class->attr_set[slot])
      state[slot] = tdm_cost_value(e, &class->attrs[slot],
                                   tdm_stream_child(e->classes[class_index].attrs, slot), index);
  }
}

/* A request that nobody watches and that carries nothing enters the system. */
static inline void issue_plain(tdm_engine *e, uint32_t class_index) {
  tdm_class_run *run = &e->classes[class_index];
  if (e->issued >= e->model->requests) return;
  uint32_t index = e->free_request;
  if (__builtin_expect(index == TDM_NO_INDEX, 0)) {
    index = tdm_request_new(e);
    if (index == TDM_NO_INDEX) return;
  } else {
    e->free_request = e->requests[index].next;
  }
  e->issued++;
  while (e->now_ns >= e->arrival_slice_end_ns && e->arrival_slice < TDM_SLICES - 1) {
    e->arrival_slice++;
    e->arrival_slice_end_ns += e->tally->slice_ns;
  }
  tdm_request *r = &e->requests[index];
  r->arrival_ns = e->now_ns;
  r->ordinal = run->issued++;
  r->op = run->entry;
  r->gpu = TDM_NO_INDEX;
  r->stage = r->station = TDM_NO_INDEX;
  r->class_index = (uint16_t)class_index;
  r->slice = (uint8_t)e->arrival_slice;
  r->flags = 0;
  r->at = TDM_AT_MOVE;
  r->priority = run->priority;
  e->in_system++;
  e->in_system_sum -= (uint64_t)e->now_ns;
  e->tally->last_arrival_ns = e->now_ns;
  tdm_tally_slice(e->tally, class_index, e->arrival_slice)->arrived++;
  tdm_plain_step(e, index);
}

/* Has the class reached its own end, before the model's? */
static inline bool class_over(const tdm_engine *e, uint32_t class_index, int64_t time_ns) {
  if (!e->classes[class_index].limited) return false;
  const tdm_arrivals *arrivals = e->model->classes[class_index].arrivals;
  return (arrivals->end_ns > 0 && time_ns >= arrivals->end_ns) ||
         (arrivals->limit > 0 && e->classes[class_index].issued >= arrivals->limit);
}

/* One request enters the system, unless enough have. */
static void issue(tdm_engine *e, uint32_t class_index, uint64_t row) {
  if (e->issued >= e->model->requests || class_over(e, class_index, e->now_ns)) return;
  e->issued++;
  uint32_t index = tdm_request_new(e);
  if (index == TDM_NO_INDEX) return;
  tdm_class_run *run = &e->classes[class_index];
  const tdm_class *class = &e->model->classes[class_index];
  while (e->now_ns >= e->arrival_slice_end_ns && e->arrival_slice < TDM_SLICES - 1) {
    e->arrival_slice++;
    e->arrival_slice_end_ns += e->tally->slice_ns;
  }
  e->requests[index] = (tdm_request){.arrival_ns = e->now_ns,
                                     .enter_ns = e->now_ns,
                                     .ordinal = run->issued++,
                                     .op = class->entry,
                                     .stage = TDM_NO_INDEX,
                                     .station = TDM_NO_INDEX,
                                     .gpu = TDM_NO_INDEX,
                                     .class_index = (uint16_t)class_index,
                                     .slice = (uint8_t)e->arrival_slice,
                                     .priority = (uint8_t) class->priority};
  e->in_system++;
  e->tally->last_arrival_ns = e->now_ns;
  e->in_system_sum -= (uint64_t)e->now_ns;
  tdm_tally_slice(e->tally, class_index, e->arrival_slice)->arrived++;
  if (e->model->state_slots > 0) set_attributes(e, index, class_index, row);
  if (class->timeout != NULL) {
    double timeout_s = tdm_dist_draw(class->timeout, run->timeouts, e->requests[index].ordinal,
                                     e->hooks != NULL ? e->hooks->script : NULL);
    e->more[index].timeout =
        tdm_timer_set(e, e->now_ns + tdm_round_ns(timeout_s * 1e9), TDM_TIMER_TIMEOUT, index);
  }
  if (e->hooks != NULL) {
    if (e->hook_events & 1u << TDM_HOOK_ARRIVAL) tdm_record_hook(e, TDM_HOOK_ARRIVAL, index, NULL);
    if (e->hooks->admit != NULL) {
      tdm_view view;
      bool yes = true;
      tdm_record_view(e, index, &view);
      tdm_status status = e->hooks->admit(e->hooks->context, &view, &yes, e->error);
      if (status != TDM_OK) e->status = status;
      if (!yes) {
        tdm_route_end(e, index, TDM_OUTCOME_REFUSED);
        return;
      }
    }
  }
  tdm_route_advance(e, index);
}

/* ---- arrivals */

static bool ask_gap(void *context, const tdm_arrivals *arrivals, uint64_t n, double t_s,
                    double *gap_s) {
  tdm_engine *e = context;
  bool more = false;
  if (e->hooks == NULL || e->hooks->gap == NULL) return false;
  tdm_status status = e->hooks->gap(e->hooks->context, arrivals->function, arrivals->coroutine, n,
                                    t_s, gap_s, &more, e->error);
  if (status != TDM_OK) e->status = status;
  return status == TDM_OK && more;
}

static void schedule_arrival(tdm_engine *e, uint32_t class_index) {
  int64_t time_ns;
  tdm_class_run *run = &e->classes[class_index];
  if (!tdm_arrival_next_quickly(&run->cursor, &time_ns)) {
    if (!tdm_arrival_next(&run->cursor, &time_ns, &run->burst)) return;
  }
  if (time_ns >= e->model->duration_ns || class_over(e, class_index, time_ns)) return;
  /* Among arrivals of one instant the class order decides, not who was scheduled first. */
  tdm_event_key key = tdm_event_make(time_ns, TDM_EVENT_ARRIVAL, class_index, class_index);
  e->pending_arrivals++;
  if (!tdm_event_set_push(&e->events, key)) tdm_engine_fail(e, TDM_MEMORY, "out of memory: events");
}

/* One pending arrival less; when it was the last, batches need not wait for company any more. */
static inline void arrived(tdm_engine *e) {
  if (--e->pending_arrivals == 0 && e->batch_waiting > 0) tdm_batch_flush(e);
}

static void arrive(tdm_engine *e, uint32_t class_index) {
  if (e->classes[class_index].plain && e->classes[class_index].burst == 1) {
    issue_plain(e, class_index);
    if (e->issued < e->model->requests) schedule_arrival(e, class_index);
    arrived(e);
    return;
  }
  uint32_t burst = e->classes[class_index].burst;
  uint64_t row = e->classes[class_index].cursor.n - 1;
  for (uint32_t i = 0; i < burst && e->status == TDM_OK; i++) issue(e, class_index, row);
  if (e->issued < e->model->requests) schedule_arrival(e, class_index);
  arrived(e);
}

void tdm_engine_think(tdm_engine *e, uint32_t class_index, uint64_t draw) {
  const tdm_dist *think = e->model->classes[class_index].arrivals->think;
  double seconds = think == NULL ? 0
                                 : tdm_dist_draw(think, e->classes[class_index].think, draw,
                                                 e->hooks != NULL ? e->hooks->script : NULL);
  int64_t at_ns = e->now_ns + tdm_round_ns(seconds * 1e9);
  if (e->issued >= e->model->requests || at_ns >= e->model->duration_ns ||
      class_over(e, class_index, at_ns))
    return;
  e->pending_arrivals++;
  tdm_timer_set(e, at_ns, TDM_TIMER_THINK, class_index);
}

void tdm_engine_open_classes(tdm_engine *e) {
  const tdm_model *m = e->model;
  const tdm_script *script = e->hooks != NULL ? e->hooks->script : NULL;
  bool admission = e->hooks != NULL && e->hooks->admit != NULL;
  for (uint32_t c = 0; c < m->class_count; c++) {
    char name[256];
    tdm_class_run *run = &e->classes[c];
    snprintf(name, sizeof name, "class/%s", m->classes[c].name);
    tdm_stream stream = tdm_stream_named(e->options.seed, e->options.replication, name);
    tdm_arrival_cursor_open(&run->cursor, m->classes[c].arrivals, tdm_stream_child(stream, 0),
                            script);
    run->entry = m->classes[c].entry;
    run->priority = (uint8_t)m->classes[c].priority;
    run->plain = m->state_slots == 0 && m->classes[c].timeout == NULL && !admission &&
                 (e->hook_events & 1u << TDM_HOOK_ARRIVAL) == 0;
    run->limited = m->classes[c].arrivals->end_ns > 0 || m->classes[c].arrivals->limit > 0;
    run->cursor.call = ask_gap;
    run->cursor.call_context = e;
    run->attrs = tdm_stream_child(stream, 1);
    run->routing = tdm_stream_child(stream, 2);
    run->patience = tdm_stream_child(stream, 3);
    run->timeouts = tdm_stream_child(stream, 4);
    run->think = tdm_stream_child(stream, 5);
    run->retry = tdm_stream_child(stream, 6);
    run->picks = tdm_stream_child(stream, 7);
  }
}

void tdm_engine_start_classes(tdm_engine *e) {
  for (uint32_t c = 0; c < e->model->class_count; c++) {
    const tdm_arrivals *arrivals = e->model->classes[c].arrivals;
    if (arrivals->kind != TDM_ARRIVE_CLOSED) {
      schedule_arrival(e, c);
      continue;
    }
    e->tally->round_left += arrivals->users;
    for (uint32_t user = 0; user < arrivals->users; user++)
      tdm_engine_think(e, c, (uint64_t)1 << 48 | user);
  }
}

/* ---- the loop */

static bool stop_asked(tdm_engine *e) {
  e->same_instant = e->now_ns == e->last_check_ns ? e->same_instant + 1 : 0;
  e->last_check_ns = e->now_ns;
  if (e->same_instant > SAME_INSTANT_CHECKS) {
    tdm_engine_fail(e, TDM_LIMIT,
                    "time stands still: millions of events at one instant; something loops "
                    "without taking time (a closed loop without think time before a full queue, "
                    "a retry without back-off, a process that holds for 0)");
    return true;
  }
  if (e->sequence >= TDM_SEQUENCE_MAX - STOP_CHECK_EVENTS) {
    tdm_engine_fail(e, TDM_LIMIT, "a replication has more than 17 billion events");
    return true;
  }
  if (e->options.stop == NULL || atomic_load_explicit(e->options.stop, memory_order_relaxed) == 0)
    return false;
  e->tally->interrupted = true;
  return true;
}

tdm_status tdm_engine_advance(tdm_engine *e, int64_t until_ns, tdm_error *error) {
  tdm_event_key key;
  e->error = error;
  uint64_t handled = 0;
  /* When nobody is inside and nobody will come, what is left (dead timers, outages) is no part of
   * the run: it ends when its last request leaves. */
  while (e->status == TDM_OK && tdm_engine_alive(e)) {
    if (!tdm_event_set_pop(&e->events, &key)) {
      /* Nothing more will happen by itself: forks may have kept an incomplete batch unnoticed. */
      if (e->batch_waiting == 0 || !tdm_batch_force(e)) break;
      continue;
    }
    int64_t time_ns = tdm_event_time(key);
    if (time_ns >= until_ns) {
      if (!tdm_event_set_push(&e->events, key)) e->status = TDM_MEMORY;
      break;
    }
    while (time_ns >= e->bound_ns) tdm_slices_next(e);
    e->now_ns = time_ns;
    uint32_t payload = tdm_event_payload(key);
    switch (tdm_event_rank_of(key)) {
    case TDM_EVENT_COMPLETE: tdm_plain_complete(e, payload); break;
    case TDM_EVENT_TIMER: fire_timer(e, payload); break;
    case TDM_EVENT_ARRIVAL: arrive(e, payload); break;
    case TDM_EVENT_STEP: tdm_generate_fire(e, payload); break;
    }
    if (++handled % STOP_CHECK_EVENTS == 0 && stop_asked(e)) break;
  }
  e->tally->events += handled;
  /* A call of user code was stopped: what was seen ends here, not at the end of the arrivals. */
  if (e->status == TDM_INTERRUPTED) e->tally->interrupted = true;
  if (e->status == TDM_OK && e->tally->interrupted)
    return tdm_error_set(error, TDM_INTERRUPTED, "interrupted");
  return e->status;
}

tdm_status tdm_engine_finish(tdm_engine *e, tdm_tally **out, tdm_error *error) {
  e->error = error;
  tdm_slices_close(e);
  tdm_record_flush(e);
  *out = e->tally;
  e->tally = NULL;
  return e->status;
}
