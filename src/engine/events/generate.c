/* Stages that an LLM server serves: when replicas are woken. What a replica does is
 * engine/serving's, which one gets a request dispatch's, what is noted of it books'; this file is
 * their clock.
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
#include "engine/events/llm.h"
#include "model/llm/llm.h"

/* ---- the clock */

/* It goes on when its last token is with the client. */
static void leave(tdm_engine *e, uint32_t index) {
  const tdm_stage *stage = &e->model->stages[e->requests[index].stage];
  int64_t streamed_ns = tdm_llm_server_streamed_ns(&e->model->servers[stage->server]);
  if (streamed_ns > 0 && e->requests[index].flags == 0 && !tdm_handover_under_way(e, index))
    tdm_timer_set(e, e->now_ns + streamed_ns, TDM_TIMER_STREAMED, index);
  else
    tdm_route_advance(e, index);
}

/* Who goes on may come back here at once, which may move the list but adds nobody to it. */
static void leave_all(tdm_engine *e, uint32_t index) {
  tdm_replica_run *replica = &e->replicas[index];
  for (size_t i = 0; i < replica->done_count && e->status == TDM_OK; i++)
    leave(e, replica->done[i]);
  replica->done_count = 0;
  tdm_roster_emptied(e, index);
}

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
  bool never = replica->pool->role == TDM_POOL_WHOLE && replica->pool->config.tier_count == 0;
  if (e->stations[replica->station].busy > 0 || never) return;
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
  uint32_t busy = tdm_serving_works(replica->serving);
  st->busy_sum += (uint64_t)e->now_ns * ((uint64_t)st->busy - busy);
  if (e->tracing && st->busy > 0 && busy == 0) tdm_record_idle(e, index);
  st->busy = busy;
  replica->idle_ns = e->now_ns;
  if (busy == 0) replica->idle_blocks = tdm_serving_load_at(replica->serving, e->now_ns).kv_blocks;
  replica->due_ns = INT64_MAX;
  tdm_generate_arm(e, index);
  leave_all(e, index);
}

void tdm_generate_abort(tdm_engine *e, uint32_t index) {
  uint32_t job = e->more[index].job, number = e->more[index].replica;
  if (job == 0) return;
  tdm_serving_abort(e->replicas[number].serving, e->now_ns, job - 1);
  tdm_generate_arm(e, number);
  leave_all(e, number);
}

bool tdm_generate_drain(tdm_engine *e) {
  bool woken = false;
  for (uint32_t i = 0; i < e->replica_count; i++) {
    tdm_replica_run *replica = &e->replicas[i];
    if (replica->outstanding == 0 || replica->due_ns != INT64_MAX ||
        !tdm_serving_is_static(&replica->pool->config))
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
  double tokens =
      cost->kind == TDM_COST_CONSTANT
          ? cost->constant
          : tdm_cost_value(e, cost, tdm_stream_child(e->stages[stage].stream, child), index);
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
  const tdm_cost *cost = &e->model->stages[stage].adapter;
  if (cost->kind == TDM_COST_CONSTANT && cost->constant == 0) return 0;
  tdm_stream stream = tdm_stream_child(e->stages[stage].stream, 7);
  double value = tdm_cost_value(e, cost, stream, index) + 0.0;
  uint64_t name;
  memcpy(&name, &value, sizeof name);
  return name;
}

void tdm_generate_identify(tdm_engine *e, uint32_t index, tdm_serving_request *request) {
  uint32_t number = e->requests[index].stage;
  const tdm_stage *stage = &e->model->stages[number];
  request->groups[0] = (uint32_t)stage->member;
  request->groups[1] = (uint32_t)tdm_tenant_row(e->more[index].tenant);
  int64_t prefix = tokens_of(e, &stage->prefix, number, 3, index);
  uint64_t group = (uint64_t)tokens_of(e, &stage->prefix_group, number, 4, index);
  if (e->status == TDM_OK) tdm_prefix_name(e, stage, index, prefix, group, request);
  if (e->servers[stage->server].drafts) request->luck = luck_of(e, number, index);
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
  e->more[index].tenant = request.tenant;
  if (request.prompt_tokens < 1) request.prompt_tokens = 1; /* servers take no less */
  if (request.output_tokens < 1) request.output_tokens = 1;
  if (stage->remembers)
    tdm_prefix_ask(e, index, tokens_of(e, &stage->prefix, number, 3, index), &request);
  tdm_generate_identify(e, index, &request);
  return request;
}

/* The first token comes with the prompt. */
static void count_asked(tdm_engine *e, uint32_t server, const tdm_serving_request *r, int sign) {
  tdm_asked *asked = &e->pool_notes[e->model->servers[server].first_pool].asked;
  double prompt = (double)r->prompt_tokens, output = (double)r->output_tokens;
  asked->requests += sign;
  asked->prompt_tokens += sign * r->prompt_tokens;
  asked->output_tokens += sign * r->output_tokens;
  asked->context += sign * (output - 1) * (prompt + output / 2);
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
    replica->note->refused[tdm_serving_refused(replica->serving)]++;
    count_asked(e, replica->server, request, -1);
    tdm_route_end(e, index, TDM_OUTCOME_DROPPED);
    return;
  }
  if (status != TDM_OK) {
    tdm_engine_fail(e, status, error.message);
    return;
  }
  replica->outstanding++;
  e->more[index].replica = chosen;
  e->more[index].job = tdm_serving_handle(replica->serving) + 1;
  tdm_list_push(e, &replica->inside, index);
  tdm_books_queued(replica, 1);
  if (tdm_served_wanted(e)) tdm_served_came(replica, request);
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
  count_asked(e, server, &request, 1);
  uint32_t chosen = tdm_dispatch_choose(e, roster, index, &request);
  tdm_handover_begin(e, index, &request);
  if (chosen != TDM_NO_INDEX) tdm_generate_submit(e, chosen, &request);
}

void tdm_generate_tokenized(tdm_engine *e, uint32_t index) {
  if (e->requests[index].flags != 0)
    tdm_route_advance(e, index); /* timed out meanwhile */
  else
    tdm_generate_send(e, index);
}

/* A worker of the API server takes the request in first, where there is one. */
void tdm_generate_enter(tdm_engine *e, uint32_t stage, uint32_t index) {
  if (tdm_handover_resume(e, stage, index)) return;
  tdm_request *r = &e->requests[index];
  uint32_t server = e->model->stages[stage].server;
  const tdm_api_costs *api = &e->model->servers[server].api;
  r->stage = stage;
  r->enter_ns = e->now_ns;
  r->at = TDM_AT_MOVE;
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

/* The store that the last tiers of a server's replicas are, opened with the first that has one. */
static tdm_status open_store(tdm_engine *e, tdm_server_run *server, const tdm_kv_tier *tier) {
  if (server->store == NULL) {
    server->stored = tier;
    server->store = tdm_kv_store_new(tier);
    return server->store != NULL ? TDM_OK : tdm_error_memory(e->error, "a store", sizeof *tier);
  }
  if (server->stored->blocks == tier->blocks && server->stored->block_bytes == tier->block_bytes)
    return TDM_OK;
  return tdm_error_set(
      e->error, TDM_INVALID,
      "kv_tiers: \"%s\" is shared by replicas whose blocks are %.0f and %.0f bytes; "
      "give it a block",
      tier->name, server->stored->block_bytes, tier->block_bytes);
}

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
  tdm_serving_events events = tdm_books_listen(replica);
  tdm_serving_config config = replica->pool->config;
  config.step_by_step |= tdm_served_wanted(e);
  tdm_status status =
      tdm_serving_open(&config, replica->step, &events, &replica->serving, e->error);
  const tdm_llm_server *server = &e->model->servers[replica->server];
  tdm_server_run *run = &e->servers[replica->server];
  const tdm_kv_tier *last = config.tier_count > 0 ? &config.tiers[config.tier_count - 1] : NULL;
  if (status == TDM_OK && last != NULL && last->shared) {
    last = &replica->pool->config.tiers[config.tier_count - 1]; /* which stays */
    status = open_store(e, run, last);
    if (status == TDM_OK) tdm_serving_share(replica->serving, run->store);
  }
  if (status == TDM_OK) tdm_decide_open(replica);
  if (status == TDM_OK)
    status = tdm_serving_tell_apart(replica->serving, server->stage_count, server->tenant_count,
                                    e->error);
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
  if (tdm_serving_is_static(&replica->pool->config)) e->batch_waiting -= inside;
}

void tdm_generate_renew(tdm_engine *e, uint32_t index) {
  tdm_replica_run *replica = &e->replicas[index];
  tdm_serving_halt(replica->serving, e->now_ns);
  tdm_books_tiers(replica);
  tdm_serving_close(replica->serving);
  clear_station(e, index);
  replica->due_ns = INT64_MAX;
  replica->outstanding = replica->keeping = 0;
  replica->life++;
  replica->idle_blocks = 0;
  memset(replica->tier_stored, 0, sizeof replica->tier_stored);
  memset(replica->tier_loaded, 0, sizeof replica->tier_loaded);
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
  e->servers[server].drafts |= model->config.draft_tokens > 0;
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
  return tdm_served_open(e);
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
    tdm_kv_store_free(e->servers[i].store);
    tdm_front_close(&e->servers[i].front);
  }
  free(e->replicas);
  free(e->rosters);
  free(e->decision_classes);
  free(e->pools);
  free(e->pool_notes);
  free(e->servers);
}
