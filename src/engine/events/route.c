/* A request's way: interprets the ops of its class's route, holds memory for it, asks its
 * coroutine, and sees it out. Branches are branches.c's. Called by the clock and by stations when a
 * service ends. */
#include <math.h>

#include "engine/events/llm.h"

static double *slots_of(tdm_engine *e, uint32_t index) {
  return e->state + (size_t)index * e->model->state_slots;
}

/* ---- memory */

static void memory_update(tdm_engine *e, tdm_memory_run *memory) {
  memory->area += memory->held * (double)(e->now_ns - memory->at_ns);
  memory->at_ns = e->now_ns;
}

static uint32_t memory_of(const tdm_engine *e, uint32_t index, uint32_t memory) {
  if (memory != TDM_NO_INDEX) return memory;
  uint32_t gpu = e->requests[index].gpu;
  return gpu != TDM_NO_INDEX ? e->model->gpus[gpu].memory : TDM_NO_INDEX;
}

static void take(tdm_engine *e, tdm_memory_run *memory, double bytes) {
  memory_update(e, memory);
  memory->held += bytes;
}

/* Memory has been given: the wait for it counts as that of the step's stage, where it has one. */
static void note_seized(tdm_engine *e, uint32_t index) {
  const tdm_request *r = &e->requests[index];
  if (e->more[index].handle != 0) return; /* a process: its op is not a seize */
  const tdm_op *op = &e->model->ops[r->op - 1];
  if (op->max == TDM_NO_INDEX) return;
  tdm_stage_note *note = &e->stages[op->max].note;
  int64_t wait_ns = e->now_ns - r->enter_ns;
  note->visits++;
  note->wait_ns += wait_ns;
  note->delayed += wait_ns > 0;
  if (wait_ns > note->max_wait_ns) note->max_wait_ns = wait_ns;
}

/* True when it holds the memory now; otherwise it waits, or the run has failed. */
static bool seize(tdm_engine *e, uint32_t id, uint32_t index, double bytes) {
  if (id == TDM_NO_INDEX || !(bytes >= 0)) {
    tdm_engine_fail(e, TDM_INVALID,
                    "a request asks for memory where there is none, or for less than 0 bytes");
    return false;
  }
  tdm_memory_run *memory = &e->memories[id];
  if (bytes > memory->memory->bytes) {
    if (e->status == TDM_OK)
      e->status = tdm_error_set(e->error, TDM_INVALID,
                                "a request asks for %.6g bytes of \"%s\", which has %.6g", bytes,
                                memory->memory->name, memory->memory->bytes);
    return false;
  }
  tdm_request *r = &e->requests[index];
  r->enter_ns = e->now_ns;
  if (memory->queue.head == TDM_NO_INDEX && memory->held + bytes <= memory->memory->bytes) {
    take(e, memory, bytes);
    note_seized(e, index);
    return true;
  }
  r->station = id;
  r->at = TDM_AT_MEMORY;
  e->more[index].amount = bytes;
  tdm_list_push(e, &memory->queue, index);
  memory->waiting++;
  memory->queue_sum -= (uint64_t)e->now_ns;
  return false;
}

static void release(tdm_engine *e, uint32_t id, double bytes) {
  tdm_memory_run *memory = &e->memories[id];
  memory_update(e, memory);
  memory->held -= bytes;
  if (memory->held < 0) memory->held = 0; /* the last bit of a sum of doubles */
  while (memory->queue.head != TDM_NO_INDEX && e->status == TDM_OK) {
    uint32_t index = memory->queue.head;
    double wants = e->more[index].amount;
    if (memory->held + wants > memory->memory->bytes) return;
    tdm_list_pop(e, &memory->queue);
    note_seized(e, index);
    memory->waiting--;
    memory->queue_sum += (uint64_t)e->now_ns;
    take(e, memory, wants);
    e->requests[index].at = TDM_AT_MOVE;
    if (e->tracing && e->now_ns > e->requests[index].enter_ns)
      tdm_record_span(e, (uint32_t)(e->model->station_count + id), true, e->requests[index].stage,
                      index, e->requests[index].enter_ns, e->now_ns - e->requests[index].enter_ns,
                      1);
    tdm_route_advance(e, index);
  }
}

/* Notes what a process seizes (bytes > 0) or releases (< 0). */
static void note_hold(tdm_engine *e, uint32_t index, uint32_t memory, double bytes) {
  tdm_request_more *more = &e->more[index];
  size_t slot = TDM_PROCESS_HOLDS;
  for (size_t i = TDM_PROCESS_HOLDS; i-- > 0;)
    if (more->holds[i].memory == memory + 1) slot = i;
  for (size_t i = TDM_PROCESS_HOLDS; slot == TDM_PROCESS_HOLDS && i-- > 0;)
    if (more->holds[i].memory == 0) slot = i;
  double held = slot < TDM_PROCESS_HOLDS ? more->holds[slot].bytes + bytes : -1;
  if (held < 0) {
    tdm_engine_fail(e, TDM_INVALID,
                    bytes < 0 ? "a process releases more memory than it holds"
                              : "a process holds more than four memories at once");
    return;
  }
  more->holds[slot].memory = held > 0 ? memory + 1 : 0;
  more->holds[slot].bytes = held;
}

static void release_of_process(tdm_engine *e, uint32_t index) {
  for (size_t i = 0; i < TDM_PROCESS_HOLDS; i++) {
    uint32_t memory = e->more[index].holds[i].memory;
    double bytes = e->more[index].holds[i].bytes;
    e->more[index].holds[i].memory = 0;
    e->more[index].holds[i].bytes = 0;
    if (memory != 0 && bytes > 0) release(e, memory - 1, bytes);
  }
}

/* Its coroutine will begin anew. */
static void forget_process(tdm_engine *e, uint32_t index) {
  if (e->hooks != NULL && e->hooks->forget != NULL)
    e->hooks->forget(e->hooks->context, e->more[index].handle);
  e->more[index].handle = 0;
  e->more[index].uses = 0;
  release_of_process(e, index);
}

/* Gives back what a request still holds when it leaves before its release. */
static void release_holds(tdm_engine *e, uint32_t index) {
  release_of_process(e, index);
  for (uint32_t i = 0; i < e->model->op_count; i++) {
    const tdm_op *op = &e->model->ops[i];
    if (op->code != TDM_OP_SEIZE) continue;
    double bytes = slots_of(e, index)[op->b];
    if (!(bytes > 0)) continue;
    slots_of(e, index)[op->b] = 0;
    release(e, memory_of(e, index, op->a), bytes);
  }
}

/* ---- leaving */

static void leave_gpu(tdm_engine *e, uint32_t index) {
  tdm_request *r = &e->requests[index];
  const tdm_request_more *more = &e->more[index];
  if (r->gpu != TDM_NO_INDEX && (more->parent == TDM_NO_INDEX || more->unit != 0) &&
      e->gpus[r->gpu].outstanding > 0) {
    e->gpus[r->gpu].outstanding--;
    tdm_fleet_left(e, r->gpu);
  }
  r->gpu = TDM_NO_INDEX;
}

static bool retry(tdm_engine *e, uint32_t index) {
  tdm_request *r = &e->requests[index];
  const tdm_retry *rule = &e->model->classes[r->class_index].retry;
  tdm_request_more *more = &e->more[index];
  if (more->attempt >= rule->max) return false;
  double u = tdm_stream_unit(e->classes[r->class_index].retry,
                             r->ordinal + ((uint64_t)more->attempt << TDM_VISIT_SHIFT));
  double seconds =
      rule->backoff * pow(rule->factor, more->attempt) * (1 + rule->jitter * (2 * u - 1));
  more->attempt++;
  more->left_ns = -1;
  more->late = false;
  r->flags = 0;
  tdm_tally_slice(e->tally, r->class_index, r->slice)->retried++;
  tdm_timer_set(e, e->now_ns + tdm_round_ns(seconds * 1e9), TDM_TIMER_RETRY, index);
  return true;
}

void tdm_route_end(tdm_engine *e, uint32_t index, tdm_outcome outcome) {
  tdm_request_more *more = &e->more[index];
  if (more->pending > 0) { /* before its branches: they go first */
    tdm_branch_withdraw(e, index, outcome);
    return;
  }
  tdm_handover_forget(e, index);
  tdm_timer_cancel(e, &more->patience);
  if (more->handle != 0) {
    if (e->hooks != NULL && e->hooks->forget != NULL)
      e->hooks->forget(e->hooks->context, more->handle);
    more->handle = 0;
  }
  if (outcome != TDM_OUTCOME_OK && e->model->memory_count > 0) release_holds(e, index);
  more = &e->more[index];
  if (more->parent != TDM_NO_INDEX) { /* a branch: its end is the parent's news */
    uint32_t parent = more->parent;
    if (outcome != TDM_OUTCOME_OK) e->requests[parent].flags |= TDM_FLAG_DROPPED;
    e->more[parent].late |= more->late;
    if (more->unit != 0) leave_gpu(e, index);
    tdm_request_free(e, index);
    tdm_branch_ended(e, parent);
    return;
  }
  if (e->requests[index].gpu != TDM_NO_INDEX) leave_gpu(e, index);
  if (outcome != TDM_OUTCOME_OK && outcome != TDM_OUTCOME_TIMED_OUT && retry(e, index)) return;
  tdm_timer_cancel(e, &e->more[index].timeout);
  tdm_record_request(e, index, outcome);
  if (e->batch_waiting > 0) tdm_batch_flush(e);
  uint32_t class_index = e->requests[index].class_index;
  uint64_t ordinal = e->requests[index].ordinal & (((uint64_t)1 << TDM_VISIT_SHIFT) - 1);
  tdm_request_free(e, index);
  const tdm_arrivals *arrivals = e->model->classes[class_index].arrivals;
  if (arrivals->kind == TDM_ARRIVE_CLOSED) {
    if (ordinal < arrivals->users && --e->tally->round_left == 0)
      e->tally->round_end_ns = e->now_ns;
    tdm_engine_think(e, class_index, ordinal);
  }
}

/* A branch has only its step to begin anew: its parent waits for it where it is. */
void tdm_route_restart(tdm_engine *e, uint32_t index) {
  tdm_request *r = &e->requests[index];
  tdm_request_more *more = &e->more[index];
  bool process = more->handle != 0;
  bool anywhere = more->parent == TDM_NO_INDEX && more->routed > 0;
  tdm_timer_cancel(e, &more->patience);
  more->left_ns = -1;
  if (r->flags != 0) { /* timed out meanwhile */
    tdm_route_advance(e, index);
    return;
  }
  if (process) forget_process(e, index);
  if (anywhere) {
    release_holds(e, index);
    r = &e->requests[index];
    r->op = e->more[index].routed - 1;
    r->ordinal = e->more[index].routed_ordinal;
    if (e->model->classes[r->class_index].arrivals->rows.firsts != NULL) tdm_request_turn(e, index);
  }
  if (anywhere || process)
    tdm_route_advance(e, index);
  else
    tdm_station_return(e, r->station, index);
}

void tdm_route_remove(tdm_engine *e, uint32_t index, tdm_outcome outcome) {
  tdm_request *r = &e->requests[index];
  uint8_t was_at = r->at;
  uint32_t station = r->station;
  if (outcome == TDM_OUTCOME_TIMED_OUT && was_at == TDM_AT_MOVE) {
    /* Being served: its work is wasted. It leaves afterwards, or with an LLM server's next step. */
    r->flags |= TDM_FLAG_TIMED_OUT;
    if (e->more[index].waits)
      tdm_branch_remove_all(e, index);
    else
      tdm_generate_abort(e, index);
    return;
  }
  if (was_at == TDM_AT_QUEUE && e->more[index].members > 1) {
    r->flags |= TDM_FLAG_TIMED_OUT; /* it leads an interrupted batch, which goes on with it */
    return;
  }
  r->at = TDM_AT_MOVE;
  if (was_at == TDM_AT_QUEUE)
    tdm_station_unqueue(e, station, index);
  else if (was_at == TDM_AT_BATCHER)
    tdm_batch_unqueue(e, index);
  else if (was_at == TDM_AT_MEMORY) {
    tdm_memory_run *memory = &e->memories[station];
    tdm_list_remove(e, &memory->queue, index);
    memory->waiting--;
    memory->queue_sum += (uint64_t)e->now_ns;
    /* It leaves without what it waited for. */
    if (e->more[index].handle == 0)
      slots_of(e, index)[e->model->ops[r->op - 1].b] = 0;
    else
      note_hold(e, index, station, -e->more[index].amount);
  }
  tdm_route_end(e, index, outcome);
}

/* ---- steps */

static uint64_t routing_bits(tdm_engine *e, const tdm_op *op, uint32_t index) {
  const tdm_request *r = &e->requests[index];
  return tdm_stream_bits(tdm_stream_child(e->classes[r->class_index].routing, op->stream),
                         r->ordinal);
}

static tdm_stream value_stream(tdm_engine *e, const tdm_op *op, uint32_t index) {
  return tdm_stream_child(
      tdm_stream_child(e->classes[e->requests[index].class_index].routing, op->stream), 1);
}

/* The same, remembered: a process asks for it at each step. */
static tdm_stream process_stream(tdm_engine *e, const tdm_op *op, uint32_t index) {
  tdm_class_run *class = &e->classes[e->requests[index].class_index];
  if (class->process != op) {
    class->process = op;
    class->process_draws = value_stream(e, op, index);
  }
  return class->process_draws;
}

static uint32_t branch(tdm_engine *e, const tdm_op *op, uint32_t index) {
  double u = tdm_unit(routing_bits(e, op, index));
  uint32_t choice = op->a;
  while (choice + 1 < op->a + op->b && u > e->model->choices[choice].cumulative) choice++;
  return e->model->choices[choice].target;
}

/* Opens a loop; false: no round at all. */
static bool enter_loop(tdm_engine *e, const tdm_op *op, uint32_t index) {
  double rounds = 0;
  if (op->again < 0) {
    rounds = floor(tdm_cost_value(e, &op->cost, value_stream(e, op, index), index) + 0.5);
    if (!(rounds >= 1)) return false;
    if (rounds > op->max) rounds = op->max;
  }
  slots_of(e, index)[op->b] = rounds;
  return true;
}

static bool another_round(tdm_engine *e, const tdm_op *op, uint32_t index) {
  double *count = &slots_of(e, index)[op->b];
  bool more;
  if (op->again < 0) {
    *count -= 1;
    more = *count > 0.5;
  } else {
    *count += 1;
    more = *count < op->max && tdm_unit(routing_bits(e, op, index)) <= op->again;
  }
  if (!more) return false;
  tdm_request *r = &e->requests[index];
  r->ordinal += (uint64_t)1 << TDM_VISIT_SHIFT;
  if (e->model->classes[r->class_index].arrivals->rows.firsts != NULL) tdm_request_turn(e, index);
  return true;
}

/* Starts a hold without a resource. */
static void wait_for(tdm_engine *e, uint32_t index, int64_t ns) {
  tdm_request *r = &e->requests[index];
  r->station = TDM_NO_INDEX;
  r->at = TDM_AT_MOVE;
  tdm_engine_schedule(e, e->now_ns + ns, TDM_EVENT_COMPLETE, index);
}

static void delay(tdm_engine *e, uint32_t stage, uint32_t index) {
  tdm_stage_run *run = &e->stages[stage];
  e->requests[index].stage = stage;
  e->requests[index].enter_ns = e->requests[index].start_ns = e->now_ns;
  int64_t ns = tdm_stage_cost_ns(e, stage, index);
  run->note.visits++;
  run->note.service_ns += ns;
  if (e->tracing) tdm_record_span(e, TDM_NO_INDEX, false, stage, index, e->now_ns, ns, 1);
  wait_for(e, index, ns);
}

static uint32_t station_for(const tdm_engine *e, uint32_t stage, uint32_t index) {
  uint32_t fixed = e->stages[stage].fixed_station;
  if (fixed != TDM_NO_INDEX) return fixed;
  uint32_t gpu = e->requests[index].gpu;
  return gpu != TDM_NO_INDEX ? e->model->gpus[gpu].stations[e->stages[stage].stage->role]
                             : TDM_NO_INDEX;
}

static bool process_memory(tdm_engine *e, uint32_t index, const tdm_action *action) {
  bool seizes = action->act == TDM_ACT_SEIZE;
  note_hold(e, index, action->subject, seizes ? action->amount : -action->amount);
  if (e->status != TDM_OK) return false;
  if (seizes) return seize(e, action->subject, index, action->amount);
  release(e, action->subject, action->amount);
  return true;
}

/* Runs a request's coroutine until it has to wait. True: it is done, the route goes on. */
static bool process(tdm_engine *e, const tdm_op *op, uint32_t index) {
  for (;;) {
    tdm_action action = {.act = TDM_ACT_DONE};
    if (e->hooks == NULL || e->hooks->resume == NULL) {
      tdm_engine_fail(e, TDM_INVALID, "a process is a Lua function, and no Lua is at hand");
      return false;
    }
    tdm_status status = e->hooks->resume(e->hooks->context, op->a, tdm_record_glance(e, index),
                                         &e->more[index].handle, &action, e->error);
    if (status != TDM_OK) {
      e->status = status;
      return false;
    }
    if (action.act == TDM_ACT_DONE) return true;
    tdm_request_more *more = &e->more[index];
    tdm_request *r = &e->requests[index];
    if (action.dist != NULL) {
      tdm_stream stream = process_stream(e, op, index);
      uint64_t n = r->ordinal + ((uint64_t)more->uses++ << TDM_VISIT_SHIFT);
      action.amount = tdm_dist_draw(action.dist, stream, n, e->hooks->script);
    }
    if (!(action.amount >= 0)) {
      tdm_engine_fail(e, TDM_INVALID, "a process asks for a time or amount below 0");
      return false;
    }
    r->op--; /* come back here afterwards */
    if (action.act == TDM_ACT_HOLD) {
      wait_for(e, index, tdm_round_ns(action.amount * 1e9));
      return false;
    }
    if (action.act == TDM_ACT_USE) {
      more->amount = action.amount;
      tdm_station_enter(e, action.subject, op->b + action.subject, index);
      return false;
    }
    if (!process_memory(e, index, &action)) return false;
    e->requests[index].op++;
  }
}

void tdm_route_advance(tdm_engine *e, uint32_t index) {
  for (;;) {
    tdm_request *r = &e->requests[index];
    if (r->flags != 0) {
      tdm_route_end(e, index,
                    r->flags & TDM_FLAG_TIMED_OUT ? TDM_OUTCOME_TIMED_OUT : TDM_OUTCOME_DROPPED);
      return;
    }
    const tdm_op *op = &e->model->ops[r->op++];
    switch (op->code) {
    case TDM_OP_SERVE: {
      uint32_t station = station_for(e, op->a, index);
      if (station == TDM_NO_INDEX) {
        tdm_engine_fail(e, TDM_BUG, "a stage runs on a GPU before the request was routed to one");
        return;
      }
      tdm_station_enter(e, station, op->a, index);
      return;
    }
    case TDM_OP_DELAY: delay(e, op->a, index); return;
    case TDM_OP_GENERATE: tdm_generate_enter(e, op->a, index); return;
    case TDM_OP_ROUTE: {
      leave_gpu(e, index);
      if (e->restarts) {
        e->more[index].routed = r->op;
        e->more[index].routed_ordinal = r->ordinal;
      }
      uint32_t gpu = tdm_router_choose(e, op->a, index);
      if (gpu == TDM_NO_INDEX) return;
      e->requests[index].gpu = gpu;
      e->gpus[gpu].outstanding++;
      break;
    }
    case TDM_OP_SEIZE: {
      double bytes = tdm_cost_value(e, &op->cost, value_stream(e, op, index), index);
      slots_of(e, index)[op->b] = bytes;
      if (!seize(e, memory_of(e, index, op->a), index, bytes)) return;
      break;
    }
    case TDM_OP_RELEASE: {
      double bytes = slots_of(e, index)[op->b];
      slots_of(e, index)[op->b] = 0;
      release(e, memory_of(e, index, op->a), bytes);
      break;
    }
    case TDM_OP_BRANCH: r->op = branch(e, op, index); break;
    case TDM_OP_JUMP: r->op = op->a; break;
    case TDM_OP_ENTER:
      if (!enter_loop(e, op, index))
        e->requests[index].op = op->a;
      else if (!tdm_branch_turn(e, index))
        return;
      break;
    case TDM_OP_LOOP:
      if (!another_round(e, op, index)) break;
      e->requests[index].op = op->a;
      if (!tdm_branch_turn(e, index)) return;
      break;
    case TDM_OP_FORK: tdm_branch_fork(e, op, index); return;
    case TDM_OP_JOIN:
    case TDM_OP_END:
      if (tdm_branch_await(e, index)) tdm_route_end(e, index, TDM_OUTCOME_OK);
      return;
    case TDM_OP_PROCESS:
      if (!process(e, op, index)) return;
      break;
    }
    if (e->status != TDM_OK) return;
  }
}
