/* Stages that an LLM server serves: when replicas are woken, what is noted of them. What a replica
 * does is engine/serving's, which one gets a request dispatch's; this file is their clock and their
 * books.
 *
 * A request's number is its id in the replica. Events come from within tdm_serving_advance, which
 * must not be called from there: requests that are done are collected and go on afterwards. A
 * replica's station counts who waits, and one busy server while a step runs. Called by route.c and
 * the clock. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/state.h"
#include "model/llm/callback.h"

/* ---- events of a replica */

/* Waits until a batch is full, however long. */
static bool is_static(const tdm_serving_config *config) {
  return config->batching == TDM_SERVING_BATCH && config->batch_wait_ns == INT64_MAX;
}

void tdm_generate_queued(tdm_replica_run *replica, int change) {
  tdm_engine *e = replica->engine;
  tdm_station_run *st = &e->stations[replica->station];
  st->waiting += (uint32_t)change;
  st->queue_sum -= (uint64_t)e->now_ns * (uint64_t)change;
  if (is_static(&replica->pool->config)) e->batch_waiting += (uint64_t)(int64_t)change;
}

static void on_scheduled(void *context, uint64_t id, int64_t now_ns, int64_t cached_tokens,
                         bool resumed) {
  tdm_replica_run *replica = context;
  tdm_engine *e = replica->engine;
  (void)now_ns, (void)cached_tokens;
  tdm_generate_queued(replica, -1);
  if (resumed) return;
  e->requests[id].start_ns = e->now_ns;
  tdm_station_started(e, replica->station, (uint32_t)id, -1);
}

static void on_preempted(void *context, uint64_t id, int64_t now_ns, int64_t lost_tokens) {
  tdm_replica_run *replica = context;
  (void)id, (void)now_ns, (void)lost_tokens;
  tdm_generate_queued(replica, 1);
  replica->note->preemptions++;
}

static void keep_times(tdm_engine *e, size_t row, uint32_t slice, int64_t time_ns, int64_t times) {
  if (!tdm_tally_times(e->tally, row, slice, time_ns, times))
    tdm_engine_fail(e, TDM_MEMORY, "out of memory: latency histogram");
}

/* Gaps belong to no single request: they count where they end. */
static void on_token_gaps(void *context, int64_t begin_ns, int64_t end_ns, int64_t steps,
                          int64_t sequences) {
  tdm_replica_run *replica = context;
  tdm_engine *e = replica->engine;
  const tdm_llm_server *server = &e->model->servers[replica->server];
  uint32_t slice = e->slice < TDM_SLICES ? e->slice : TDM_SLICES - 1;
  size_t row = server->first_times + TDM_LLM_ITL * server->stage_count;
  /* A row of steps grows by what one more token costs: its mean stands for each, in whole ns. */
  int64_t total_ns = end_ns - begin_ns, longer = total_ns % steps;
  if (longer > 0) keep_times(e, row, slice, total_ns / steps + 1, longer * sequences);
  if (steps > longer) keep_times(e, row, slice, total_ns / steps, (steps - longer) * sequences);
}

/* Books a replica's steps, or what of them is over, less what was booked of them before. */
static void book(tdm_replica_run *replica, const tdm_serving_step *step, bool over) {
  tdm_pool_note *note = replica->note;
  bool begun = replica->booked_ns > step->begin_ns; /* at a slice's end */
  int64_t duration_ns = step->end_ns - (begun ? replica->booked_ns : step->begin_ns);
  int64_t steps = step->steps - (begun ? replica->booked_steps : 0);
  note->steps += steps;
  note->busy_ns += duration_ns;
  note->held_ns[step->held] += duration_ns;
  note->sequences += steps * (step->batch.prefill_seqs + step->batch.decode_seqs);
  note->prefill_tokens += steps * step->batch.prefill_tokens;
  note->output_tokens += step->tokens - (begun ? replica->booked_tokens : 0);
  note->kv_area += (double)step->kv_blocks * (double)duration_ns * 1e-9;
  if (step->kv_blocks > note->kv_peak) note->kv_peak = step->kv_blocks;
  replica->booked_ns = over ? INT64_MIN : step->end_ns;
  replica->booked_steps = step->steps;
  replica->booked_tokens = step->tokens;
}

static void on_step(void *context, const tdm_serving_step *step) {
  tdm_replica_run *replica = context;
  tdm_engine *e = replica->engine;
  tdm_pool_note *note = replica->note;
  book(replica, step, true);
  note->swapped_out += step->swapped_out * replica->pool->config.block_tokens;
  note->swapped_in += step->swapped_in * replica->pool->config.block_tokens;
  note->drafted += step->drafted;
  note->accepted += step->accepted;
  note->adapter_loads += step->adapter_loads;
  if (replica->pool->power != NULL)
    note->energy_j += tdm_llm_power_steps_j(replica->pool->power, &step->batch, step->steps,
                                            (double)(step->end_ns - step->begin_ns) * 1e-9);
  if (e->tracing) tdm_record_steps(e, (uint32_t)(replica - e->replicas), replica->step, step);
}

static void keep_outcome(tdm_engine *e, uint32_t index, const tdm_serving_outcome *o) {
  const tdm_request *r = &e->requests[index];
  const tdm_stage *stage = &e->model->stages[r->stage];
  const tdm_class *class = &e->model->classes[r->class_index];
  const tdm_llm_server *server = &e->model->servers[stage->server];
  size_t row = server->first_times + stage->member, each = server->stage_count;
  /* The replica's own clock of it begins anew with each start; the request's does not. */
  int64_t streamed_ns = tdm_round_ns(server->api.output_token_s * 1e9);
  int64_t ttft_ns = o->first_token_ns - r->enter_ns + streamed_ns;
  int64_t e2e_ns = o->finished_ns - r->enter_ns + streamed_ns;
  bool good = ttft_ns <= class->ttft_ns;
  keep_times(e, row + TDM_LLM_TTFT * each, r->slice, ttft_ns, 1);
  keep_times(e, row + TDM_LLM_E2E * each, r->slice, e2e_ns, 1);
  keep_times(e, row + TDM_LLM_QUEUE * each, r->slice, o->scheduled_ns - r->enter_ns, 1);
  int64_t normalized_ns = tdm_round_ns((double)e2e_ns / (double)o->output_tokens);
  keep_times(e, row + TDM_LLM_NORM * each, r->slice, normalized_ns, 1);
  if (o->output_tokens > 1) {
    double tpot_ns = (double)(e2e_ns - ttft_ns) / (double)(o->output_tokens - 1);
    keep_times(e, row + TDM_LLM_TPOT * each, r->slice, tdm_round_ns(tpot_ns), 1);
    good = good && tpot_ns <= (double)class->tpot_ns;
  }
  if (!good) e->more[index].late = true;
  good = good && e2e_ns <= class->slo_ns;
  tdm_tally_slice(e->tally, (uint32_t)(row + TDM_LLM_E2E * each), r->slice)->within_slo += good;
}

/* Streaming the tokens of a request that is done. */
static void take_tokens(tdm_engine *e, const tdm_replica_run *replica, int64_t tokens) {
  const tdm_api_costs *api = &e->model->servers[replica->server].api;
  double work_s = api->output_token_s * (double)tokens;
  if (api->workers > 0 && work_s > 0)
    tdm_front_take(api, &e->servers[replica->server].front, e->now_ns, tdm_round_ns(work_s * 1e9));
}

/* It goes on when its last token is with the client. */
static void leave(tdm_engine *e, uint32_t index) {
  const tdm_stage *stage = &e->model->stages[e->requests[index].stage];
  int64_t streamed_ns = tdm_round_ns(e->model->servers[stage->server].api.output_token_s * 1e9);
  if (streamed_ns > 0 && !tdm_handover_under_way(e, index))
    tdm_timer_set(e, e->now_ns + streamed_ns, TDM_TIMER_STREAMED, index);
  else
    tdm_route_advance(e, index);
}

/* All at the end: what a visit took is known only then. */
static void note_visit(tdm_engine *e, uint32_t stage, int64_t wait_ns, int64_t service_ns) {
  tdm_stage_note *note = &e->stages[stage].note;
  note->visits++;
  note->wait_ns += wait_ns;
  note->delayed += wait_ns > 0;
  note->service_ns += service_ns;
  if (wait_ns > note->max_wait_ns) note->max_wait_ns = wait_ns;
}

static void on_finished(void *context, const tdm_serving_outcome *o) {
  tdm_replica_run *replica = context;
  tdm_engine *e = replica->engine;
  uint32_t index = (uint32_t)o->id;
  tdm_request *r = &e->requests[index];
  tdm_pool_note *note = replica->note;
  tdm_serving_outcome whole = *o;
  int64_t wait_ns = r->start_ns - r->enter_ns, service_ns = e->now_ns - r->start_ns;
  if (e->tracing) tdm_record_service(e, replica->station, index, r->start_ns, service_ns);
  note->finished++;
  if (replica->pool->role != TDM_POOL_DECODE) note->prompt_tokens += o->prompt_tokens;
  if (replica->pool->role != TDM_POOL_DECODE) note->cached_tokens += o->cached_tokens;
  if (!tdm_handover_finished(e, replica, &whole, &wait_ns, &service_ns)) {
    note_visit(e, r->stage, wait_ns, service_ns);
    keep_outcome(e, index, &whole);
    take_tokens(e, replica, whole.output_tokens);
    if (e->model->stages[r->stage].remembers) tdm_prefix_answered(e, index);
  }
  replica->outstanding--;
  tdm_list_remove(e, &replica->inside, index);
  replica->done[replica->done_count++] = index; /* there is room for all that are here */
}

static void on_reserved(void *context, uint64_t id, int64_t now_ns, uint32_t handle,
                        int64_t missing_tokens) {
  tdm_replica_run *replica = context;
  (void)now_ns;
  tdm_handover_reserved(replica->engine, replica, (uint32_t)id, handle, missing_tokens);
  replica->done[replica->done_count++] = (uint32_t)id;
}

void tdm_generate_moved(tdm_engine *e, uint32_t index, int64_t time_ns) {
  const tdm_request *r = &e->requests[index];
  const tdm_stage *stage = &e->model->stages[r->stage];
  const tdm_llm_server *server = &e->model->servers[stage->server];
  size_t row = server->first_times + TDM_LLM_TRANSFER * server->stage_count + stage->member;
  keep_times(e, row, r->slice, time_ns, 1);
}

/* ---- the clock */

void tdm_generate_arm(tdm_engine *e, uint32_t index) {
  tdm_replica_run *replica = &e->replicas[index];
  int64_t due_ns = tdm_serving_next_ns(replica->serving);
  if (due_ns == replica->due_ns) return;
  replica->due_ns = due_ns; /* an event for another time is thrown away when it comes up */
  if (due_ns != INT64_MAX) tdm_engine_schedule(e, due_ns, TDM_EVENT_STEP, index);
}

/* Steps count the blocks that are in use while they run; without a step only what is kept or
 * reserved is. */
void tdm_generate_settle(tdm_engine *e, uint32_t index) {
  tdm_replica_run *replica = &e->replicas[index];
  if (e->stations[replica->station].busy > 0 || replica->pool->role == TDM_POOL_WHOLE) return;
  double idle_s = (double)(e->now_ns - replica->idle_ns) * 1e-9;
  replica->note->kv_area += (double)replica->idle_blocks * idle_s;
  replica->idle_ns = e->now_ns;
  replica->idle_blocks = tdm_serving_load_at(replica->serving, e->now_ns).kv_blocks;
}

void tdm_generate_fire(tdm_engine *e, uint32_t index) {
  tdm_replica_run *replica = &e->replicas[index];
  if (replica->due_ns != e->now_ns) return;
  tdm_station_run *st = &e->stations[replica->station];
  tdm_generate_settle(e, index);
  tdm_status status = tdm_serving_advance(replica->serving, e->now_ns, e->error);
  if (status != TDM_OK && e->status == TDM_OK) e->status = status;
  if (e->status != TDM_OK) return;
  uint32_t busy = tdm_serving_next_ns(replica->serving) != INT64_MAX;
  st->busy_sum += (uint64_t)e->now_ns * ((uint64_t)st->busy - busy);
  if (e->tracing && st->busy > 0 && busy == 0) tdm_record_idle(e, index);
  st->busy = busy;
  replica->idle_ns = e->now_ns;
  if (busy == 0) replica->idle_blocks = tdm_serving_load_at(replica->serving, e->now_ns).kv_blocks;
  replica->due_ns = INT64_MAX;
  tdm_generate_arm(e, index);
  /* Who goes on may come back here at once, which may move the list but adds nobody to it. */
  for (size_t i = 0; i < replica->done_count && e->status == TDM_OK; i++)
    leave(e, replica->done[i]);
  replica->done_count = 0;
  tdm_roster_emptied(e, index);
}

bool tdm_generate_drain(tdm_engine *e) {
  bool woken = false;
  for (uint32_t i = 0; i < e->replica_count; i++) {
    tdm_replica_run *replica = &e->replicas[i];
    if (replica->outstanding == 0 || replica->due_ns != INT64_MAX ||
        !is_static(&replica->pool->config))
      continue;
    tdm_serving_drain(replica->serving, e->now_ns);
    tdm_generate_arm(e, i);
    woken = true;
  }
  return woken;
}

/* ---- the way in */

/* Whole. */
static int64_t tokens_of(tdm_engine *e, const tdm_cost *cost, uint32_t stage, uint32_t child,
                         uint32_t index) {
  double tokens = tdm_cost_value(e, cost, tdm_stream_child(e->stages[stage].stream, child), index);
  if (tokens >= 0 && tokens < 1e12) return (int64_t)floor(tokens + 0.5);
  if (e->status == TDM_OK)
    e->status = tdm_error_set(e->error, TDM_INVALID,
                              "stage \"%s\": request %llu has %g tokens; it must be a number of at "
                              "least 0",
                              e->model->stages[stage].name,
                              (unsigned long long)e->requests[index].ordinal + 1, tokens);
  return 0;
}

/* The same whichever replica it is given. */
static uint64_t luck_of(const tdm_engine *e, uint32_t stage, uint32_t index) {
  tdm_stream drafts = tdm_stream_child(e->stages[stage].stream, 6);
  return tdm_stream_child(drafts, e->requests[index].ordinal).key;
}

/* Any number but 0 names an adapter. */
static uint64_t adapter_of(tdm_engine *e, uint32_t stage, uint32_t index) {
  tdm_stream stream = tdm_stream_child(e->stages[stage].stream, 7);
  double value = tdm_cost_value(e, &e->model->stages[stage].adapter, stream, index) + 0.0;
  uint64_t name;
  memcpy(&name, &value, sizeof name);
  return name;
}

void tdm_generate_identify(tdm_engine *e, uint32_t index, tdm_serving_request *request) {
  uint32_t number = e->requests[index].stage;
  const tdm_stage *stage = &e->model->stages[number];
  int64_t prefix = tokens_of(e, &stage->prefix, number, 3, index);
  uint64_t group = (uint64_t)tokens_of(e, &stage->prefix_group, number, 4, index);
  if (e->status == TDM_OK) tdm_prefix_name(e, stage, index, prefix, group, request);
  request->luck = luck_of(e, number, index);
  request->adapter = adapter_of(e, number, index);
}

/* Room for all that are inside to be done at once. */
static bool reserve(tdm_replica_run *replica) {
  size_t need = (size_t)replica->outstanding + 1;
  return tdm_array_grow(&replica->done, &replica->done_capacity, need, sizeof *replica->done);
}

static uint32_t tenant_of(tdm_engine *e, uint32_t stage, uint32_t index) {
  tdm_stream stream = tdm_stream_child(e->stages[stage].stream, 10);
  double value = tdm_cost_value(e, &e->model->stages[stage].tenant, stream, index);
  if (value >= 0 && value < TDM_SERVING_TENANTS && value == floor(value)) return (uint32_t)value;
  if (e->status == TDM_OK)
    e->status = tdm_error_set(e->error, TDM_INVALID,
                              "stage \"%s\": tenant %g; tenants are whole numbers from 0 to %u",
                              e->model->stages[stage].name, value, TDM_SERVING_TENANTS - 1);
  return 0;
}

/* What it asks of the server, the same each time it is asked: in a conversation all that was said
 * before comes first, at its beginning the prefix. */
static tdm_serving_request request_of(tdm_engine *e, uint32_t index) {
  uint32_t number = e->requests[index].stage;
  const tdm_stage *stage = &e->model->stages[number];
  tdm_serving_request request = {.id = index, .priority = e->requests[index].priority};
  request.prompt_tokens = tokens_of(e, &stage->prompt, number, 1, index);
  request.output_tokens = tokens_of(e, &stage->output, number, 2, index);
  request.max_output = tokens_of(e, &stage->max_output, number, 8, index);
  request.predicted_output = tokens_of(e, &stage->predicted, number, 9, index);
  request.tenant = stage->by_tenant ? tenant_of(e, number, index) : e->requests[index].class_index;
  if (request.prompt_tokens < 1) request.prompt_tokens = 1; /* servers take no less */
  if (request.output_tokens < 1) request.output_tokens = 1;
  if (stage->remembers)
    tdm_prefix_ask(e, index, tokens_of(e, &stage->prefix, number, 3, index), &request);
  tdm_generate_identify(e, index, &request);
  return request;
}

void tdm_generate_submit(tdm_engine *e, uint32_t chosen, const tdm_serving_request *request) {
  uint32_t index = (uint32_t)request->id;
  tdm_replica_run *replica = &e->replicas[chosen];
  e->requests[index].station = replica->station;
  if (!reserve(replica)) {
    tdm_engine_fail(e, TDM_MEMORY, "out of memory: requests of an LLM server");
    return;
  }
  tdm_error error;
  tdm_status status = tdm_serving_submit(replica->serving, e->now_ns, request, &error);
  if (status == TDM_LIMIT) { /* servers refuse what they could never run */
    tdm_route_end(e, index, TDM_OUTCOME_DROPPED);
    return;
  }
  if (status != TDM_OK) {
    tdm_engine_fail(e, status, error.message);
    return;
  }
  replica->outstanding++;
  tdm_list_push(e, &replica->inside, index);
  tdm_generate_queued(replica, 1);
  tdm_generate_arm(e, chosen);
  tdm_batch_flush(e);
}

void tdm_generate_send(tdm_engine *e, uint32_t index) {
  if (tdm_handover_waits(e, index)) {
    tdm_handover_send(e, index);
    return;
  }
  tdm_handover_forget(e, index);
  uint32_t server = e->model->stages[e->requests[index].stage].server;
  tdm_roster *roster = &e->rosters[e->servers[server].entry];
  e->requests[index].start_ns = -1;
  if (roster->live_count == 0) {
    tdm_roster_park(e, roster, index);
    return;
  }
  tdm_serving_request request = request_of(e, index);
  if (e->status != TDM_OK) return;
  uint32_t chosen = tdm_dispatch_choose(e, roster, index, &request);
  tdm_handover_begin(e, index, &request);
  if (chosen != TDM_NO_INDEX) tdm_generate_submit(e, chosen, &request);
}

/* A worker of the API server takes the request in first, where there is one. */
void tdm_generate_enter(tdm_engine *e, uint32_t stage, uint32_t index) {
  if (tdm_handover_resume(e, stage, index)) return;
  tdm_request *r = &e->requests[index];
  uint32_t server = e->model->stages[stage].server;
  const tdm_api_costs *api = &e->model->servers[server].api;
  r->stage = stage;
  r->enter_ns = e->now_ns;
  r->place = TDM_AT_MOVE;
  e->more[index].restarts = 0;
  int64_t ready_ns = e->now_ns;
  if (api->workers > 0) {
    int64_t tokens = tokens_of(e, &e->model->stages[stage].prompt, stage, 1, index);
    double work_s = api->request_s + api->prompt_token_s * (double)tokens;
    ready_ns =
        tdm_front_take(api, &e->servers[server].front, e->now_ns, tdm_round_ns(work_s * 1e9));
  }
  if (ready_ns > e->now_ns)
    tdm_timer_set(e, ready_ns, TDM_TIMER_TOKENIZED, index);
  else if (e->status == TDM_OK)
    tdm_generate_send(e, index);
}

/* ---- life */

static double ask_step(void *context, uint32_t function, const tdm_llm_batch *batch) {
  tdm_engine *e = context;
  double seconds = 0;
  if (e->status != TDM_OK) return 0;
  if (e->hooks == NULL || e->hooks->step == NULL) {
    tdm_engine_fail(e, TDM_INVALID, "steps are timed by a Lua function, and no Lua is at hand");
    return 0;
  }
  e->status = e->hooks->step(e->hooks->context, function, batch, &seconds, e->error);
  return e->status == TDM_OK ? seconds : 0;
}

static tdm_status open_serving(tdm_engine *e, tdm_replica_run *replica) {
  tdm_serving_events events = {.context = replica,
                               .scheduled = on_scheduled,
                               .token_gaps = on_token_gaps,
                               .preempted = on_preempted,
                               .reserved = on_reserved,
                               .finished = on_finished,
                               .step = on_step};
  tdm_status status =
      tdm_serving_open(&replica->pool->config, replica->step, &events, &replica->serving, e->error);
  if (status == TDM_OK) tdm_decide_open(replica);
  return status;
}

/* Those inside leave the station's books; parked requests stay in them. */
static void clear_station(tdm_engine *e, uint32_t index) {
  const tdm_replica_run *replica = &e->replicas[index];
  const tdm_roster *roster = &e->rosters[replica->roster];
  tdm_station_run *st = &e->stations[replica->station];
  uint32_t parked = index == roster->first ? roster->parked_count : 0;
  uint32_t inside = st->waiting - parked;
  st->queue_sum += (uint64_t)e->now_ns * inside;
  st->waiting = parked;
  st->busy_sum += (uint64_t)e->now_ns * st->busy;
  st->busy = 0;
  if (is_static(&replica->pool->config)) e->batch_waiting -= inside;
}

void tdm_generate_renew(tdm_engine *e, uint32_t index) {
  tdm_replica_run *replica = &e->replicas[index];
  tdm_serving_halt(replica->serving, e->now_ns);
  tdm_serving_close(replica->serving);
  clear_station(e, index);
  replica->due_ns = INT64_MAX;
  replica->outstanding = replica->keeping = 0;
  replica->life++;
  replica->idle_blocks = 0;
  replica->inside = (tdm_list){TDM_NO_INDEX, TDM_NO_INDEX};
  tdm_status status = open_serving(e, replica);
  if (status != TDM_OK && e->status == TDM_OK) e->status = status;
}

static tdm_status open_replica(tdm_engine *e, uint32_t roster, uint32_t pool, size_t number) {
  const tdm_replica_pool *kind = e->pools[pool].model;
  tdm_replica_run *replica = &e->replicas[e->replica_count++];
  *replica = (tdm_replica_run){.engine = e,
                               .server = e->pools[pool].server,
                               .pool = kind,
                               .note = &e->pool_notes[pool],
                               .station = kind->stations[number],
                               .roster = roster,
                               .pool_number = pool,
                               .timer = TDM_NO_INDEX,
                               .due_ns = INT64_MAX,
                               .booked_ns = INT64_MIN,
                               .inside = {TDM_NO_INDEX, TDM_NO_INDEX}};
  const tdm_llm_asking asking = {.context = e, .step_s = ask_step};
  tdm_status status = tdm_llm_callback_bind(kind->step, &asking, &replica->own_step, e->error);
  if (status != TDM_OK) return status;
  replica->step = replica->own_step != NULL ? replica->own_step : kind->step;
  return open_serving(e, replica);
}

static tdm_status open_pool(tdm_engine *e, uint32_t server, uint32_t roster, size_t number) {
  const tdm_replica_pool *model = &e->model->servers[server].pools[number];
  uint32_t index = (uint32_t)e->pool_count++;
  e->pools[index] = (tdm_pool_run){.model = model,
                                   .rule = &model->scaling,
                                   .server = server,
                                   .roster = roster,
                                   .first = (uint32_t)e->replica_count,
                                   .count = (uint32_t)model->count};
  for (size_t k = 0; k < model->count; k++) {
    tdm_status status = open_replica(e, roster, index, k);
    if (status != TDM_OK) return status;
  }
  tdm_scaling_open(e, index);
  return e->status;
}

/* Of the pools that requests come to, or of decode pools. */
static tdm_status open_roster(tdm_engine *e, uint32_t server, bool decode) {
  const tdm_llm_server *model = &e->model->servers[server];
  char name[256];
  snprintf(name, sizeof name, "server/%s%s", model->name, decode ? "/decode" : "");
  uint32_t index = (uint32_t)e->roster_count++;
  tdm_roster *roster = &e->rosters[index];
  *roster = (tdm_roster){.dispatch = &model->dispatch,
                         .server = server,
                         .first = (uint32_t)e->replica_count,
                         .stream = tdm_stream_named(e->options.seed, e->options.replication, name)};
  size_t count = decode ? model->count - model->entries : model->entries;
  roster->count = (uint32_t)count;
  if (!tdm_roster_open(roster)) return tdm_error_memory(e->error, "replicas", count);
  for (size_t p = 0; p < model->pool_count; p++) {
    if ((model->pools[p].role == TDM_POOL_DECODE) != decode) continue;
    tdm_status status = open_pool(e, server, index, p);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

static tdm_status open_server(tdm_engine *e, uint32_t server) {
  const tdm_llm_server *model = &e->model->servers[server];
  e->servers[server].entry = e->servers[server].decode = (uint32_t)e->roster_count;
  tdm_status status = open_roster(e, server, false);
  if (status != TDM_OK || model->entries == model->count) return status;
  e->servers[server].decode = (uint32_t)e->roster_count;
  return open_roster(e, server, true);
}

tdm_status tdm_generate_open(tdm_engine *e) {
  const tdm_model *m = e->model;
  size_t replicas = 0;
  for (size_t i = 0; i < m->server_count; i++) replicas += m->servers[i].count;
  if (replicas == 0) return TDM_OK;
  e->servers = tdm_array_new(m->server_count, sizeof *e->servers);
  e->replicas = tdm_array_new(replicas, sizeof *e->replicas);
  e->rosters = tdm_array_new(2 * m->server_count, sizeof *e->rosters);
  e->pools = tdm_array_new(m->pool_count, sizeof *e->pools);
  e->pool_notes = tdm_array_new(m->pool_count, sizeof *e->pool_notes);
  if (e->servers == NULL || e->replicas == NULL || e->rosters == NULL || e->pools == NULL ||
      e->pool_notes == NULL)
    return tdm_error_memory(e->error, "LLM servers", replicas * sizeof *e->replicas);
  for (uint32_t i = 0; i < m->server_count; i++) {
    if (!tdm_front_open(&m->servers[i].api, &e->servers[i].front))
      return tdm_error_memory(e->error, "an API server", m->servers[i].api.workers);
    tdm_status status = open_server(e, i);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

void tdm_generate_note(tdm_engine *e, uint32_t slice, int64_t at_ns) {
  tdm_serving_step step;
  for (size_t i = 0; i < e->replica_count; i++)
    if (e->replicas[i].serving != NULL && tdm_serving_step_at(e->replicas[i].serving, at_ns, &step))
      book(&e->replicas[i], &step, false);
  for (size_t i = 0; e->servers != NULL && i < e->model->server_count; i++)
    e->pool_notes[e->model->servers[i].first_pool].api_ns = e->servers[i].front.work_ns;
  for (size_t i = 0; i < e->pool_count; i++) {
    tdm_pool_run *pool = &e->pools[i];
    tdm_pool_note *note = &e->pool_notes[i];
    note->replica_area_ns = (int64_t)(pool->held_sum + pool->held * (uint64_t)at_ns);
    note->replica_peak = pool->held_peak;
    e->tally->pools[i * (TDM_SLICES + 1) + slice] = *note;
    note->kv_peak = 0;
    pool->held_peak = pool->held;
  }
}

void tdm_generate_close(tdm_engine *e) {
  for (size_t i = 0; i < e->replica_count; i++) {
    tdm_serving_close(e->replicas[i].serving);
    tdm_llm_step_free(e->replicas[i].own_step);
    free(e->replicas[i].done);
  }
  for (size_t i = 0; i < e->roster_count; i++) free(e->rosters[i].live);
  for (size_t i = 0; e->servers != NULL && i < e->model->server_count; i++) {
    free(e->servers[i].hashes);
    tdm_front_close(&e->servers[i].front);
  }
  free(e->replicas);
  free(e->rosters);
  free(e->decision_classes);
  free(e->pools);
  free(e->pool_notes);
  free(e->servers);
}
