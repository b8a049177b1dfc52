/* Prompts computed by one replica, outputs by another: a request on its way between them.
 *
 * A prefill replica computes the prompt and with it the first token, and keeps the KV cache of both
 * in its blocks. The request queues at a decode replica; when its turn comes that reserves blocks,
 * the KV goes over the server's link (a station like any other, so transfers share it or queue for
 * it), the blocks at the prefill replica are free again, and the request decodes. Tokens that the
 * decode replica has cached do not travel. Who asks for one token never leaves the prefill replica.
 *
 * While a request is on its way its op stays at the LLM stage, which it enters again at each step
 * of the way; `phase` says where it is. Replicas that fail lose what they hold: it shows when the
 * KV is next needed, and the request begins anew. Owns the records by request. Called by
 * generate.c, by route.c when a request ends. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/events/llm.h"

static tdm_handover *handover_of(tdm_engine *e, uint32_t index) {
  return index < e->handover_count ? &e->handovers[index] : NULL;
}

static const tdm_llm_server *server_of(const tdm_engine *e, uint32_t index) {
  const tdm_op *op = &e->model->ops[e->requests[index].op]; /* on its way: at its stage */
  return &e->model->servers[e->model->stages[op->a].server];
}

static bool grow(tdm_engine *e, uint32_t index) {
  if (index < e->handover_count) return true;
  if (!tdm_array_grow(&e->handovers, &e->handover_capacity, (size_t)index + 1,
                      sizeof *e->handovers)) {
    tdm_engine_fail(e, TDM_MEMORY, "out of memory: requests between replicas");
    return false;
  }
  memset(e->handovers + e->handover_count, 0,
         (e->handover_capacity - e->handover_count) * sizeof *e->handovers);
  e->handover_count = e->handover_capacity;
  return true;
}

/* ---- blocks at both ends */

/* A replica that has failed since has nothing any more. */
static bool is_there(const tdm_engine *e, const tdm_handover_end_point *end) {
  return e->replicas[end->replica].life == end->life;
}

static tdm_handover_end_point end_point(const tdm_engine *e, uint32_t replica, uint32_t handle) {
  return (tdm_handover_end_point){
      .replica = replica, .life = e->replicas[replica].life, .handle = handle};
}

static void release(tdm_engine *e, const tdm_handover_end_point *end) {
  if (!is_there(e, end)) return;
  tdm_replica_run *replica = &e->replicas[end->replica];
  tdm_generate_settle(e, end->replica);
  tdm_serving_release(replica->serving, e->now_ns, end->handle);
  tdm_generate_settle(e, end->replica);
  tdm_generate_arm(e, end->replica);
}

static void release_source(tdm_engine *e, tdm_handover *h) {
  if (!is_there(e, &h->source)) return;
  release(e, &h->source);
  e->replicas[h->source.replica].keeping--;
  tdm_roster_emptied(e, h->source.replica);
}

static void release_target(tdm_engine *e, tdm_handover *h) {
  if (!is_there(e, &h->target)) return;
  release(e, &h->target);
  e->replicas[h->target.replica].outstanding--;
  tdm_roster_emptied(e, h->target.replica);
}

void tdm_handover_forget(tdm_engine *e, uint32_t index) {
  tdm_handover *h = handover_of(e, index);
  if (h == NULL || h->phase == TDM_HANDOVER_NONE) return;
  tdm_handover_phase phase = h->phase;
  tdm_request *r = &e->requests[index];
  h->phase = TDM_HANDOVER_NONE;
  r->op++;
  if (phase >= TDM_HANDOVER_COMPUTED) r->enter_ns = h->enter_ns;
  if (phase >= TDM_HANDOVER_COMPUTED && phase <= TDM_HANDOVER_MOVING) release_source(e, h);
  if (phase >= TDM_HANDOVER_RESERVED && phase <= TDM_HANDOVER_MOVING) release_target(e, h);
}

/* What it needs next was lost with its replica. */
static void begin_anew(tdm_engine *e, uint32_t index, uint32_t replica) {
  e->requests[index].start_ns = -1;
  tdm_handover_forget(e, index);
  tdm_roster_restart(e, index, replica);
}

/* ---- the prompt */

void tdm_handover_begin(tdm_engine *e, uint32_t index, tdm_serving_request *request) {
  const tdm_llm_server *server =
      &e->model->servers[e->model->stages[e->requests[index].stage].server];
  if (server->link_station == TDM_NO_INDEX || request->output_tokens < 2 || !grow(e, index)) return;
  e->handovers[index] = (tdm_handover){.phase = TDM_HANDOVER_PREFILL,
                                       .prompt_tokens = request->prompt_tokens,
                                       .output_tokens = request->output_tokens};
  int64_t most = request->prompt_tokens + 1, each = server->pools[0].config.hash_tokens;
  if (request->hashed_tokens > most) { /* names reached to the end of the output */
    request->hashed_tokens = most;
    request->hash_count = (size_t)((most + each - 1) / each);
  }
  request->output_tokens = 1;
  request->keeps = true;
  e->requests[index].op--; /* comes back to this stage */
}

/* Its prompt is computed: it goes on when the present call is over. */
static void prompt_done(tdm_engine *e, tdm_replica_run *replica, uint32_t index,
                        const tdm_serving_outcome *o) {
  tdm_handover *h = &e->handovers[index];
  tdm_request *r = &e->requests[index];
  h->phase = TDM_HANDOVER_COMPUTED;
  h->source = end_point(e, (uint32_t)(replica - e->replicas), o->handle);
  h->first = *o;
  h->enter_ns = r->enter_ns;
  h->wait_ns = r->start_ns - r->enter_ns;
  h->service_ns = e->now_ns - r->start_ns;
  replica->keeping++;
  replica->note->handed_over++;
}

/* All is done: the outcome is that of both parts, the wait is the time that nobody worked for it.
 */
static void output_done(tdm_engine *e, uint32_t index, tdm_serving_outcome *o) {
  tdm_handover *h = &e->handovers[index];
  tdm_request *r = &e->requests[index];
  h->wait_ns += r->start_ns - r->enter_ns;
  o->arrival_ns = h->first.arrival_ns;
  o->queued_ns = h->first.queued_ns;
  o->scheduled_ns = h->first.scheduled_ns;
  o->first_token_ns = h->first.first_token_ns;
  o->preemptions += h->first.preemptions;
  r->enter_ns = h->enter_ns;
  h->service_ns += e->now_ns - r->start_ns;
  h->phase = TDM_HANDOVER_NONE;
  r->op++;
}

bool tdm_handover_under_way(tdm_engine *e, uint32_t index) {
  const tdm_handover *h = handover_of(e, index);
  return h != NULL && h->phase != TDM_HANDOVER_NONE;
}

bool tdm_handover_finished(tdm_engine *e, tdm_replica_run *replica, tdm_serving_outcome *o,
                           int64_t *wait_ns, int64_t *service_ns) {
  uint32_t index = (uint32_t)o->id;
  tdm_handover *h = handover_of(e, index);
  if (h == NULL || h->phase == TDM_HANDOVER_NONE) return false;
  if (h->phase == TDM_HANDOVER_PREFILL) {
    prompt_done(e, replica, index, o);
    return true;
  }
  output_done(e, index, o);
  *wait_ns = h->wait_ns;
  *service_ns = h->service_ns;
  return false;
}

/* ---- the way */

void tdm_handover_reserved(tdm_engine *e, tdm_replica_run *replica, uint32_t index, uint32_t handle,
                           int64_t missing_tokens) {
  tdm_handover *h = &e->handovers[index];
  tdm_request *r = &e->requests[index];
  const tdm_llm_server *server = server_of(e, index);
  h->phase = TDM_HANDOVER_RESERVED;
  h->target = end_point(e, (uint32_t)(replica - e->replicas), handle);
  h->bytes = (double)missing_tokens * server->kv_token_bytes + server->kv_sequence_bytes;
  h->reserved_ns = e->now_ns;
  h->wait_ns += e->now_ns - r->enter_ns;
  if (e->tracing && e->now_ns > r->enter_ns)
    tdm_record_span(e, replica->station, true, r->stage, index, r->enter_ns,
                    e->now_ns - r->enter_ns, 1);
  tdm_books_queued(replica, -1);
  e->more[index].job = 0; /* on its way nobody has it */
  tdm_list_remove(e, &replica->inside, index);
}

/* Nobody is served meanwhile. */
static void wait_latency(tdm_engine *e, uint32_t index, int64_t latency_ns) {
  tdm_request *r = &e->requests[index];
  r->station = TDM_NO_INDEX;
  r->at = TDM_AT_MOVE;
  tdm_engine_schedule(e, e->now_ns + latency_ns, TDM_EVENT_COMPLETE, index);
}

static void move(tdm_engine *e, uint32_t index) {
  tdm_handover *h = &e->handovers[index];
  const tdm_llm_server *server = server_of(e, index);
  const tdm_stage *stage = &e->model->stages[e->requests[index].stage];
  int64_t latency_ns = tdm_round_ns(server->link_latency_s * 1e9);
  if (h->phase == TDM_HANDOVER_RESERVED) {
    h->phase = TDM_HANDOVER_LATENCY;
    if (latency_ns > 0) {
      wait_latency(e, index, latency_ns);
      return;
    }
  }
  h->phase = TDM_HANDOVER_MOVING;
  e->stages[stage->transfer].note.service_ns += latency_ns;
  e->more[index].amount = server->link_rate > 0 ? h->bytes / server->link_rate : h->bytes;
  tdm_station_enter(e, server->link_station, stage->transfer, index);
}

static void arrive(tdm_engine *e, uint32_t index) {
  tdm_handover *h = &e->handovers[index];
  tdm_request *r = &e->requests[index];
  tdm_replica_run *target = &e->replicas[h->target.replica];
  if (!is_there(e, &h->source) || !is_there(e, &h->target)) {
    begin_anew(e, index, is_there(e, &h->source) ? h->target.replica : h->source.replica);
    return;
  }
  h->phase = TDM_HANDOVER_DECODE;
  tdm_books_moved(e, index, e->now_ns - h->reserved_ns);
  target->note->kv_moved += h->bytes;
  r->station = target->station;
  e->more[index].replica = h->target.replica;
  e->more[index].job = h->target.handle + 1;
  r->enter_ns = e->now_ns;
  r->start_ns = -1;
  tdm_books_queued(target, 1);
  tdm_list_push(e, &target->inside, index);
  tdm_generate_settle(e, h->target.replica);
  tdm_serving_filled(target->serving, e->now_ns, h->target.handle);
  tdm_generate_arm(e, h->target.replica);
  release_source(e, h);
}

void tdm_handover_send(tdm_engine *e, uint32_t index) {
  tdm_handover *h = &e->handovers[index];
  tdm_roster *roster =
      &e->rosters[e->servers[e->model->stages[e->requests[index].stage].server].decode];
  e->requests[index].start_ns = -1;
  if (roster->live_count == 0) {
    tdm_roster_park(e, roster, index);
    return;
  }
  if (!is_there(e, &h->source)) {
    begin_anew(e, index, h->source.replica);
    return;
  }
  tdm_serving_request request = {.id = index,
                                 .priority = e->requests[index].priority,
                                 .prompt_tokens = h->prompt_tokens,
                                 .output_tokens = h->output_tokens,
                                 .given_tokens = h->prompt_tokens,
                                 .made_tokens = 1,
                                 .made_ns = h->first.first_token_ns,
                                 .remote = true};
  tdm_generate_identify(e, index, &request);
  if (e->status != TDM_OK) return;
  uint32_t chosen = tdm_dispatch_choose(e, roster, index, &request);
  if (chosen == TDM_NO_INDEX) return;
  h->phase = TDM_HANDOVER_QUEUED;
  tdm_generate_submit(e, chosen, &request);
}

bool tdm_handover_waits(const tdm_engine *e, uint32_t index) {
  return index < e->handover_count && e->handovers[index].phase == TDM_HANDOVER_COMPUTED;
}

bool tdm_handover_resume(tdm_engine *e, uint32_t stage, uint32_t index) {
  tdm_handover *h = handover_of(e, index);
  if (h == NULL || h->phase == TDM_HANDOVER_NONE) return false;
  tdm_request *r = &e->requests[index];
  r->op--; /* it comes back once more */
  r->stage = stage;
  r->at = TDM_AT_MOVE;
  if (h->phase == TDM_HANDOVER_COMPUTED) {
    r->enter_ns = e->now_ns;
    tdm_handover_send(e, index);
  } else if (h->phase == TDM_HANDOVER_MOVING) {
    arrive(e, index);
  } else {
    move(e, index);
  }
  return true;
}

void tdm_handover_close(tdm_engine *e) {
  free(e->handovers);
}
