/* Stations: queues by discipline, servers, the start and end of a service, its cost.
 * The plain case (FIFO, nothing that interrupts) is plain.h's: it is the engine's inner loop.
 * Sharing (ps, links) is share.c's, batches batch.c's. Called by route.c and the clock. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "engine/events/plain.h"

/* ---- draws */

/* The first draw asked of a block is made alone: who visits a stage rarely, or in many rounds at
 * once, would throw most of each block away. True: the block is wanted now. */
static bool wants_block(tdm_stage_run *run, uint64_t n) {
  size_t slot = n / 64 % TDM_DRAW_BLOCKS;
  uint64_t tag = n / 64 + 1;
  bool again = run->asked_tag[slot] == tag;
  run->asked_tag[slot] = tag;
  if (again) run->block_tag[slot] = tag;
  return again;
}

int64_t tdm_stage_draw(tdm_stage_run *run, uint64_t n) {
  if (!wants_block(run, n))
    return tdm_round_ns(tdm_exponential(tdm_stream_bits(run->draws, n)) * run->mean_ns);
  int64_t *block = run->block_ns[n / 64 % TDM_DRAW_BLOCKS];
  tdm_exponential_run(run->draws, n & ~(uint64_t)63, 64, run->mean_ns, block);
  return block[n % 64];
}

double tdm_stage_jitter(tdm_stage_run *run, uint64_t n) {
  if (!wants_block(run, n))
    return run->jitter_mean * tdm_exponential(tdm_stream_bits(run->draws, n));
  double *block = run->block_jitter[n / 64 % TDM_DRAW_BLOCKS];
  tdm_exponential_numbers(run->draws, n & ~(uint64_t)63, 64, run->jitter_mean, block);
  return block[n % 64];
}

/* ---- cost */

static inline void fill_input(tdm_engine *e, uint32_t index, tdm_stream stream,
                              tdm_expr_input *input) {
  const tdm_request *r = &e->requests[index];
  bool batch = e->more[index].members > 1;
  uint32_t gpu = tdm_request_gpu(e, r);
  if (batch) tdm_batch_aggregate(e, index);
  *input = (tdm_expr_input){.attrs = batch ? e->largest
                                           : e->state + (size_t)index * e->model->state_slots,
                            .sums = batch ? e->sums : NULL,
                            .gpu = gpu != TDM_NO_INDEX ? e->model->gpus[gpu].params : NULL,
                            .batch = (double)e->more[index].members,
                            .stream = stream,
                            .n = r->ordinal,
                            .script = e->hooks != NULL ? e->hooks->script : NULL};
}

static double call_cost(tdm_engine *e, const tdm_cost *cost, uint32_t index) {
  double amount = NAN;
  if (e->hooks == NULL || e->hooks->cost == NULL) {
    tdm_engine_fail(e, TDM_INVALID, "a cost is a Lua function, and no Lua is at hand to call it");
    return 0;
  }
  tdm_status status = e->hooks->cost(e->hooks->context, cost->function, tdm_record_glance(e, index),
                                     &amount, e->error);
  if (status != TDM_OK) e->status = status;
  return amount;
}

static __attribute__((noinline)) double evaluate(tdm_engine *e, const tdm_cost *cost,
                                                 tdm_stream stream, uint32_t index) {
  tdm_expr_input input;
  fill_input(e, index, stream, &input);
  return tdm_expr_eval(cost->expr, &input);
}

/* Without its jitter. */
static inline double plain_value(tdm_engine *e, const tdm_cost *cost, tdm_stream stream,
                                 uint32_t index) {
  return cost->kind == TDM_COST_FUNCTION ? call_cost(e, cost, index)
                                         : evaluate(e, cost, stream, index);
}

double tdm_cost_value(tdm_engine *e, const tdm_cost *cost, tdm_stream stream, uint32_t index) {
  uint64_t n = e->requests[index].ordinal;
  if (cost->kind == TDM_COST_CONSTANT) return cost->constant;
  if (cost->kind == TDM_COST_EXPONENTIAL)
    return tdm_exponential(tdm_stream_bits(tdm_stream_child(stream, cost->child), n)) * cost->mean;
  if (cost->kind == TDM_COST_GIVEN) return e->more[index].amount;
  double value = plain_value(e, cost, stream, index);
  if (cost->jitter != NULL)
    value *= tdm_dist_draw(cost->jitter, tdm_stream_child(stream, TDM_JITTER_CHILD), n,
                           e->hooks != NULL ? e->hooks->script : NULL);
  return value;
}

static inline double stage_value(tdm_engine *e, tdm_stage_run *run, uint32_t index) {
  if (run->jitter_mean >= 0)
    return plain_value(e, &run->stage->cost, run->stream, index) *
           tdm_plain_jitter(run, e->requests[index].ordinal);
  return tdm_cost_value(e, &run->stage->cost, run->stream, index);
}

/* The value as it is when it is an amount; else the run fails. */
static double check_amount(tdm_engine *e, const tdm_stage_run *run, uint32_t index, double amount) {
  if (amount >= 0 && amount < 1e18) return amount;
  if (e->status == TDM_OK) {
    e->status =
        tdm_error_set(e->error, TDM_INVALID,
                      "stage \"%s\": the cost of request %llu is %g; it must be a number "
                      "of at least 0",
                      run->stage->name, (unsigned long long)e->requests[index].ordinal + 1, amount);
  }
  return 0;
}

static double amount_of(tdm_engine *e, uint32_t stage, uint32_t index) {
  tdm_stage_run *run = &e->stages[stage];
  return check_amount(e, run, index, stage_value(e, run, index));
}

int64_t tdm_stage_cost_ns(tdm_engine *e, uint32_t stage, uint32_t index) {
  tdm_stage_run *run = &e->stages[stage];
  if (run->kind == TDM_COST_EXPONENTIAL) return tdm_plain_draw(run, e->requests[index].ordinal);
  if (run->kind == TDM_COST_CONSTANT) return run->constant_ns;
  double amount = stage_value(e, run, index);
  double ns = amount * 1e9;
  if (__builtin_expect(ns >= 0 && ns <= TDM_MAX_DURATION_NS, 1)) return tdm_round_ns(ns);
  ns = check_amount(e, run, index, amount) * 1e9;
  if (ns > TDM_MAX_DURATION_NS && e->status == TDM_OK)
    e->status = tdm_error_set(e->error, TDM_LIMIT,
                              "stage \"%s\": one service takes %g s; the limit is 26 days",
                              run->stage->name, ns * 1e-9);
  return tdm_round_ns(ns);
}

/* ---- starting */

void tdm_station_started(tdm_engine *e, uint32_t station, uint32_t index, int64_t cost_ns) {
  tdm_request *r = &e->requests[index];
  tdm_timer_cancel(e, &e->more[index].patience);
  if (e->tracing) {
    if (r->enter_ns < e->now_ns)
      tdm_record_span(e, station, true, r->stage, index, r->enter_ns, e->now_ns - r->enter_ns, 1);
    if (cost_ns >= 0) tdm_record_service(e, station, index, e->now_ns, cost_ns);
  }
  if (e->hook_events & 1u << TDM_HOOK_START) tdm_record_hook(e, TDM_HOOK_START, index, NULL);
}

static void remember_serving(tdm_engine *e, tdm_station_run *st, uint32_t index) {
  if (!tdm_array_grow(&st->serving, &st->serving_capacity, st->serving_count + 1,
                      sizeof *st->serving)) {
    tdm_engine_fail(e, TDM_MEMORY, "out of memory: jobs in service");
    return;
  }
  e->more[index].serving = (uint32_t)st->serving_count;
  st->serving[st->serving_count++] = index;
}

static void forget_serving(tdm_engine *e, tdm_station_run *st, uint32_t index) {
  uint32_t at = e->more[index].serving;
  uint32_t moved = st->serving[--st->serving_count];
  st->serving[at] = moved;
  e->more[moved].serving = at;
}

/* Every member of a batch has waited; the leader carries the service. */
static void note_batch(tdm_engine *e, uint32_t station, uint32_t leader, int64_t cost_ns) {
  e->stages[e->requests[leader].stage].note.batches++;
  for (uint32_t i = leader; i != TDM_NO_INDEX; i = e->requests[i].next) {
    tdm_request *r = &e->requests[i];
    tdm_stage_run *run = &e->stages[r->stage];
    tdm_plain_note(e, run, r);
    run->note.service_ns += cost_ns;
    bool known = i == leader && !e->stations[station].interruptible; /* else: when it ends */
    if (e->tracing && i != leader && r->enter_ns == e->now_ns) /* a trace tells every member */
      tdm_record_span(e, station, true, r->stage, i, e->now_ns, 0, 1);
    tdm_station_started(e, station, i, known ? cost_ns : -1);
  }
}

static void start(tdm_engine *e, uint32_t station, uint32_t index) {
  tdm_station_run *st = &e->stations[station];
  if (st->plain && !e->stages[e->requests[index].stage].batched) {
    tdm_plain_start(e, station, index);
    return;
  }
  tdm_request *r = &e->requests[index];
  tdm_request_more *more = &e->more[index];
  uint32_t stage = r->stage;
  if (st->station->link != TDM_NO_INDEX || st->discipline == TDM_PS) {
    tdm_plain_note(e, &e->stages[stage], r);
    tdm_station_started(e, station, index, -1);
    double amount = amount_of(e, stage, index); /* who shares is never interrupted */
    if (st->station->link != TDM_NO_INDEX)
      tdm_link_add(e, st->station->link, index, amount);
    else
      tdm_share_add(e, station, index, amount * 1e9);
    return;
  }
  bool again = more->left_ns >= 0;
  int64_t cost_ns = again ? more->left_ns : tdm_stage_cost_ns(e, stage, index);
  more->left_ns = -1;
  if (again) { /* resumed: the visit was counted, only the further wait is new */
    e->stages[stage].note.wait_ns += e->now_ns - r->enter_ns;
    e->stages[stage].note.service_ns += cost_ns;
    r->start_ns = e->now_ns;
    r->at = TDM_AT_MOVE;
    if (!st->interruptible)
      tdm_station_started(e, station, index, cost_ns);
    else
      tdm_station_started(e, station, index, -1);
  } else if (e->stages[stage].batched) {
    note_batch(e, station, index, cost_ns);
  } else {
    tdm_plain_note(e, &e->stages[stage], r);
    e->stages[stage].note.service_ns += cost_ns;
    tdm_station_started(e, station, index, st->interruptible ? -1 : cost_ns);
  }
  if (st->interruptible) {
    e->more[index].done = tdm_timer_set(e, e->now_ns + cost_ns, TDM_TIMER_SERVED, index);
    e->more[index].amount = (double)(e->now_ns + cost_ns); /* when it is due */
    remember_serving(e, st, index);
  } else {
    tdm_engine_schedule(e, e->now_ns + cost_ns, TDM_EVENT_COMPLETE, index);
  }
}

/* ---- queues */

static uint32_t level_of(const tdm_station_run *st, const tdm_request *r) {
  return st->discipline == TDM_PRIORITY || st->discipline == TDM_PREEMPT ? r->priority : 0;
}

/* The request that would be served next, TDM_NO_INDEX when nobody waits. */
static uint32_t peek(tdm_engine *e, tdm_station_run *st, bool take) {
  switch (st->discipline) {
  case TDM_FIFO:
  case TDM_PS: return st->queue[0].head;
  case TDM_LIFO: return st->queue[0].tail;
  case TDM_PRIORITY:
  case TDM_PREEMPT:
    for (int level = 0; level < TDM_PRIORITIES; level++)
      if (st->queue[level].head != TDM_NO_INDEX) return st->queue[level].head;
    return TDM_NO_INDEX;
  case TDM_RANDOM: break;
  }
  uint32_t index = st->queue[0].head, length = 0;
  for (uint32_t i = index; i != TDM_NO_INDEX; i = e->requests[i].next) length++;
  if (length == 0 || !take) return index;
  uint64_t pick = tdm_index_below(tdm_stream_bits(st->stream, st->picks++), length);
  while (pick-- > 0) index = e->requests[index].next;
  return index;
}

static void append(tdm_engine *e, tdm_station_run *st, uint32_t index, bool front) {
  tdm_request *r = &e->requests[index];
  tdm_list *queue = &st->queue[level_of(st, r)];
  if (front)
    tdm_list_push_front(e, queue, index);
  else
    tdm_list_push(e, queue, index);
  r->at = TDM_AT_QUEUE;
  st->waiting++;
  st->queue_sum -= (uint64_t)e->now_ns;
}

void tdm_station_unqueue(tdm_engine *e, uint32_t station, uint32_t index) {
  tdm_station_run *st = &e->stations[station];
  tdm_list_remove(e, &st->queue[level_of(st, &e->requests[index])], index);
  st->waiting--;
  st->queue_sum += (uint64_t)e->now_ns;
}

/* Puts a request in service back: what is left of its service waits for a server. */
static void interrupt(tdm_engine *e, uint32_t station, uint32_t index) {
  tdm_station_run *st = &e->stations[station];
  tdm_request *r = &e->requests[index];
  tdm_request_more *more = &e->more[index];
  int64_t left_ns = (int64_t)more->amount - e->now_ns;
  tdm_timer_cancel(e, &more->done);
  forget_serving(e, st, index);
  e->stages[r->stage].note.service_ns -= left_ns;
  if (e->tracing && e->now_ns > r->start_ns)
    tdm_record_span(e, station, false, r->stage, index, r->start_ns, e->now_ns - r->start_ns,
                    more->members);
  more->left_ns = left_ns;
  r->enter_ns = e->now_ns;
  uint32_t next = r->next; /* a batch's chain of members hangs on it */
  st->busy--;
  st->busy_sum += (uint64_t)e->now_ns;
  append(e, st, index, true);
  if (more->members > 1) more->chain = next;
}

/* Lowest priority in service, latest start among equals; TDM_NO_INDEX when none is below
 * `priority`. */
static uint32_t victim(const tdm_engine *e, const tdm_station_run *st, uint8_t priority) {
  uint32_t worst = TDM_NO_INDEX;
  for (size_t i = 0; i < st->serving_count; i++) {
    const tdm_request *r = &e->requests[st->serving[i]];
    if (r->priority <= priority) continue;
    if (worst == TDM_NO_INDEX || r->priority > e->requests[worst].priority ||
        (r->priority == e->requests[worst].priority && r->start_ns > e->requests[worst].start_ns))
      worst = st->serving[i];
  }
  return worst;
}

static void set_patience(tdm_engine *e, uint32_t index) {
  tdm_request *r = &e->requests[index];
  const tdm_dist *patience = e->model->classes[r->class_index].patience;
  if (patience == NULL || e->more[index].left_ns >= 0) return;
  double seconds = tdm_dist_draw(patience, e->classes[r->class_index].patience, r->ordinal,
                                 e->hooks != NULL ? e->hooks->script : NULL);
  e->more[index].patience =
      tdm_timer_set(e, e->now_ns + tdm_round_ns(seconds * 1e9), TDM_TIMER_PATIENCE, index);
}

static inline bool has_room(const tdm_station_run *st) {
  return !st->down && st->busy < st->servers;
}

void tdm_station_enter(tdm_engine *e, uint32_t station, uint32_t stage, uint32_t index) {
  tdm_station_run *st = &e->stations[station];
  tdm_request *r = &e->requests[index];
  r->station = station;
  r->stage = stage;
  r->enter_ns = e->now_ns;
  if (e->stages[stage].batched) {
    if (st->waiting >= st->queue_limit)
      tdm_route_end(e, index, TDM_OUTCOME_DROPPED);
    else
      tdm_batch_enter(e, stage, station, index);
    return;
  }
  if (has_room(st) && st->waiting == 0) {
    st->busy++;
    st->busy_sum -= (uint64_t)e->now_ns;
    if (st->plain)
      tdm_plain_start(e, station, index);
    else
      start(e, station, index);
    return;
  }
  if (st->discipline == TDM_PREEMPT && !st->down) {
    uint32_t loser = victim(e, st, r->priority);
    if (loser != TDM_NO_INDEX) {
      interrupt(e, station, loser);
      st->busy++;
      st->busy_sum -= (uint64_t)e->now_ns;
      start(e, station, index);
      return;
    }
  }
  if (st->waiting >= st->queue_limit) {
    tdm_route_end(e, index, TDM_OUTCOME_DROPPED);
    return;
  }
  append(e, st, index, false);
  if (e->model->classes[r->class_index].patience != NULL) set_patience(e, index);
  if (has_room(st)) tdm_station_next(e, station); /* batches wait, this one need not */
}

/* Fills free servers from the queue and the batchers, in order of arrival where both wait. */
void tdm_station_next(tdm_engine *e, uint32_t station) {
  tdm_station_run *st = &e->stations[station];
  while (has_room(st) && e->status == TDM_OK) {
    uint32_t index = peek(e, st, true);
    uint32_t leader = TDM_NO_INDEX;
    if (st->batcher_count > 0) {
      int64_t oldest_ns = 0;
      leader = tdm_batch_ready(e, station, false, &oldest_ns);
      if (leader != TDM_NO_INDEX &&
          (index == TDM_NO_INDEX || oldest_ns < e->requests[index].enter_ns))
        leader = tdm_batch_ready(e, station, true, &oldest_ns);
      else
        leader = TDM_NO_INDEX;
    }
    if (leader == TDM_NO_INDEX && index == TDM_NO_INDEX) return;
    st->busy++;
    st->busy_sum -= (uint64_t)e->now_ns;
    if (leader != TDM_NO_INDEX) {
      start(e, station, leader);
    } else {
      tdm_station_unqueue(e, station, index);
      if (e->more[index].members > 1) e->requests[index].next = e->more[index].chain;
      start(e, station, index);
    }
  }
}

/* ---- ending */

static void end_service(tdm_engine *e, uint32_t station, uint32_t index) {
  tdm_station_run *st = &e->stations[station];
  tdm_request *r = &e->requests[index];
  st->busy--;
  st->busy_sum += (uint64_t)e->now_ns;
  if (st->interruptible && st->station->link == TDM_NO_INDEX && st->discipline != TDM_PS)
    forget_serving(e, st, index);
  bool shared = st->station->link != TDM_NO_INDEX || st->discipline == TDM_PS;
  if (shared) e->stages[r->stage].note.service_ns += e->now_ns - r->start_ns;
  if (e->tracing && (shared || st->interruptible))
    tdm_record_service(e, station, index, r->start_ns, e->now_ns - r->start_ns);
  tdm_station_next(e, station);
}

/* What is not simple: plain.h ends the services of simple stations itself. */
void tdm_station_complete(tdm_engine *e, uint32_t index) {
  uint32_t station = e->requests[index].station;
  if (station == TDM_NO_INDEX) { /* a delay */
    tdm_route_advance(e, index);
    return;
  }
  end_service(e, station, index);
  uint32_t members = e->more[index].members;
  e->more[index].members = 1;
  for (uint32_t i = index; members > 0; members--) {
    uint32_t next = e->requests[i].next;
    tdm_route_advance(e, i);
    i = next;
  }
}

/* ---- outages */

void tdm_station_return(tdm_engine *e, uint32_t station, uint32_t index) {
  tdm_request *r = &e->requests[index];
  r->enter_ns = e->now_ns;
  if (e->stages[r->stage].batched) {
    tdm_batch_enter(e, r->stage, station, index);
    return;
  }
  append(e, &e->stations[station], index, false);
  set_patience(e, index);
}

void tdm_station_stop(tdm_engine *e, uint32_t station) {
  tdm_station_run *st = &e->stations[station];
  if (st->outages++ > 0) return;
  st->down = true;
  st->down_sum -= (uint64_t)e->now_ns;
  if (st->discipline == TDM_PS)
    tdm_share_freeze(e, station);
  else if (st->station->link != TDM_NO_INDEX)
    tdm_link_refresh(e, st->station->link);
  else
    while (st->serving_count > 0) interrupt(e, station, st->serving[st->serving_count - 1]);
}

void tdm_station_resume(tdm_engine *e, uint32_t station) {
  tdm_station_run *st = &e->stations[station];
  if (--st->outages > 0) return;
  st->down = false;
  st->down_sum += (uint64_t)e->now_ns;
  if (st->discipline == TDM_PS)
    tdm_share_freeze(e, station);
  else if (st->station->link != TDM_NO_INDEX)
    tdm_link_refresh(e, st->station->link);
  tdm_station_next(e, station);
}
