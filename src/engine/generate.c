/* Stages that an LLM server serves: which replica gets a request, when replicas are woken, what is
 * noted of them. What a replica does is engine/serving's; this file is its clock and its books.
 *
 * A request's number is its id in the replica. Events come from within tdm_serving_advance, which
 * must not be called from there: requests that are done are collected and go on afterwards. A
 * replica's station counts who waits, and one busy server while a step runs. Called by route.c and
 * the clock. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/state.h"

/* ---- events of a replica */

static tdm_server_run *server_of(const tdm_replica_run *replica) {
  return &replica->engine->servers[replica->server];
}

static void changes_queue(tdm_engine *e, uint32_t station, int change) {
  tdm_station_run *st = &e->stations[station];
  st->waiting += (uint32_t)change;
  st->queue_sum -= (uint64_t)e->now_ns * (uint64_t)change;
}

static void on_scheduled(void *context, uint64_t id, int64_t now_ns, int64_t cached_tokens,
                         bool resumed) {
  tdm_replica_run *replica = context;
  tdm_engine *e = replica->engine;
  (void)now_ns, (void)cached_tokens;
  changes_queue(e, replica->station, -1);
  if (resumed) return;
  e->requests[id].start_ns = e->now_ns;
  tdm_station_started(e, replica->station, (uint32_t)id, -1);
}

static void on_preempted(void *context, uint64_t id, int64_t now_ns, int64_t lost_tokens) {
  tdm_replica_run *replica = context;
  (void)id, (void)now_ns, (void)lost_tokens;
  changes_queue(replica->engine, replica->station, 1);
  server_of(replica)->note.preemptions++;
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
  tdm_server_note *note = &server_of(replica)->note;
  bool begun = replica->booked_ns > step->begin_ns; /* at a slice's end */
  int64_t duration_ns = step->end_ns - (begun ? replica->booked_ns : step->begin_ns);
  int64_t steps = step->steps - (begun ? replica->booked_steps : 0);
  note->steps += steps;
  note->busy_ns += duration_ns;
  note->held_ns[step->held] += duration_ns;
  note->sequences += steps * (step->batch.prefill_seqs + step->batch.decode_seqs);
  note->prefill_tokens += steps * step->batch.prefill_tokens;
  note->output_tokens += steps * step->batch.sampled;
  note->kv_area += (double)step->kv_blocks * (double)duration_ns * 1e-9;
  if (step->kv_blocks > note->kv_peak) note->kv_peak = step->kv_blocks;
  replica->booked_ns = over ? INT64_MIN : step->end_ns;
  replica->booked_steps = step->steps;
}

static void on_step(void *context, const tdm_serving_step *step) {
  tdm_replica_run *replica = context;
  tdm_engine *e = replica->engine;
  book(replica, step, true);
  if (e->tracing)
    tdm_record_steps(e, (uint32_t)(replica - e->replicas), e->model->servers[replica->server].step,
                     step);
}

static void keep_outcome(tdm_engine *e, uint32_t index, const tdm_serving_outcome *o) {
  const tdm_request *r = &e->requests[index];
  const tdm_stage *stage = &e->model->stages[r->stage];
  const tdm_class *class = &e->model->classes[r->class_index];
  const tdm_llm_server *server = &e->model->servers[stage->server];
  size_t row = server->first_times + stage->member, each = server->stage_count;
  int64_t ttft_ns = o->first_token_ns - o->arrival_ns, e2e_ns = o->finished_ns - o->arrival_ns;
  bool good = ttft_ns <= class->ttft_ns;
  keep_times(e, row + TDM_LLM_TTFT * each, r->slice, ttft_ns, 1);
  keep_times(e, row + TDM_LLM_E2E * each, r->slice, e2e_ns, 1);
  keep_times(e, row + TDM_LLM_QUEUE * each, r->slice, o->scheduled_ns - o->arrival_ns, 1);
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

static void on_finished(void *context, const tdm_serving_outcome *o) {
  tdm_replica_run *replica = context;
  tdm_engine *e = replica->engine;
  uint32_t index = (uint32_t)o->id;
  tdm_request *r = &e->requests[index];
  tdm_stage_note *stage = &e->stages[r->stage].note;
  tdm_server_note *note = &server_of(replica)->note;
  int64_t wait_ns = r->start_ns - r->enter_ns;
  note->finished++;
  note->prompt_tokens += o->prompt_tokens;
  note->cached_tokens += o->cached_tokens;
  stage->visits++; /* all at the end: what a visit took is known only now */
  stage->wait_ns += wait_ns;
  stage->delayed += wait_ns > 0;
  stage->service_ns += e->now_ns - r->start_ns;
  if (wait_ns > stage->max_wait_ns) stage->max_wait_ns = wait_ns;
  keep_outcome(e, index, o);
  if (e->tracing)
    tdm_record_service(e, replica->station, index, r->start_ns, e->now_ns - r->start_ns);
  replica->outstanding--;
  replica->done[replica->done_count++] = index; /* there is room for all that are here */
}

/* ---- the clock */

static void arm(tdm_engine *e, uint32_t index) {
  tdm_replica_run *replica = &e->replicas[index];
  int64_t due_ns = tdm_serving_next_ns(replica->serving);
  if (due_ns == replica->due_ns) return;
  replica->due_ns = due_ns; /* an event for another time is thrown away when it comes up */
  if (due_ns != INT64_MAX) tdm_engine_schedule(e, due_ns, TDM_EVENT_STEP, index);
}

void tdm_generate_fire(tdm_engine *e, uint32_t index) {
  tdm_replica_run *replica = &e->replicas[index];
  if (replica->due_ns != e->now_ns) return;
  tdm_station_run *st = &e->stations[replica->station];
  tdm_status status = tdm_serving_advance(replica->serving, e->now_ns, e->error);
  if (status != TDM_OK && e->status == TDM_OK) e->status = status;
  if (e->status != TDM_OK) return;
  uint32_t busy = tdm_serving_next_ns(replica->serving) != INT64_MAX;
  st->busy_sum += (uint64_t)e->now_ns * ((uint64_t)st->busy - busy);
  if (e->tracing && st->busy > 0 && busy == 0) tdm_record_idle(e, index);
  st->busy = busy;
  replica->due_ns = INT64_MAX;
  arm(e, index);
  /* Who goes on may come back here at once, which may move the list but adds nobody to it. */
  for (size_t i = 0; i < replica->done_count && e->status == TDM_OK; i++)
    tdm_route_advance(e, replica->done[i]);
  replica->done_count = 0;
}

/* ---- the way in */

static uint64_t load_of(const tdm_engine *e, const tdm_replica_run *replica,
                        tdm_replica_router router) {
  if (router != TDM_REPLICA_LEAST_KV) return replica->outstanding;
  return (uint64_t)tdm_serving_load_at(replica->serving, e->now_ns).kv_blocks;
}

/* The first of the least loaded from `turn` on, so that an idle server uses all replicas. */
static size_t least(const tdm_engine *e, const tdm_replica_run *replicas, size_t count, size_t turn,
                    tdm_replica_router router) {
  size_t best = turn;
  uint64_t best_load = UINT64_MAX;
  for (size_t k = 0; k < count; k++) {
    size_t i = (turn + k) % count;
    uint64_t load = load_of(e, &replicas[i], router);
    if (load < best_load) {
      best_load = load;
      best = i;
    }
  }
  return best;
}

static uint32_t choose(tdm_engine *e, uint32_t server, uint32_t index) {
  const tdm_llm_server *model = &e->model->servers[server];
  tdm_server_run *run = &e->servers[server];
  const tdm_replica_run *replicas = &e->replicas[run->first];
  const tdm_request *r = &e->requests[index];
  size_t count = model->count, turn = (size_t)(run->turn++ % count), pick = turn;
  if (count == 1) return run->first;
  /* As routers of GPUs: requests of all classes share the stream. */
  uint64_t bits = tdm_stream_bits(run->stream, r->ordinal ^ (uint64_t)r->class_index << 56);
  switch (model->router) {
  case TDM_REPLICA_ROUND_ROBIN: break;
  case TDM_REPLICA_LEAST_OUTSTANDING:
  case TDM_REPLICA_LEAST_KV: pick = least(e, replicas, count, turn, model->router); break;
  case TDM_REPLICA_RANDOM: pick = (size_t)tdm_index_below(bits, count); break;
  case TDM_REPLICA_POWER_OF_TWO: {
    size_t a = (size_t)tdm_index_below(bits, count);
    size_t b = (size_t)tdm_index_below(tdm_mix(bits + TDM_GAMMA), count - 1);
    b += b >= a;
    pick = replicas[b].outstanding < replicas[a].outstanding ? b : a;
    break;
  }
  }
  return run->first + (uint32_t)pick;
}

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

/* Names of the shared prefix's whole blocks, the same for all requests of a group. */
static void name_prefix(tdm_engine *e, const tdm_stage *stage, uint32_t index,
                        tdm_serving_request *request) {
  uint32_t number = e->requests[index].stage;
  const tdm_serving_config *config = &e->model->servers[stage->server].config;
  tdm_server_run *run = &e->servers[stage->server];
  int64_t prefix = tokens_of(e, &stage->prefix, number, 3, index);
  uint64_t group = (uint64_t)tokens_of(e, &stage->prefix_group, number, 4, index);
  if (prefix > request->prompt_tokens) prefix = request->prompt_tokens;
  size_t count = config->prefix_caching ? (size_t)(prefix / config->hash_tokens) : 0;
  if (count == 0 || e->status != TDM_OK) return;
  if (!tdm_array_grow(&run->hashes, &run->hash_capacity, count, sizeof *run->hashes)) {
    tdm_engine_fail(e, TDM_MEMORY, "out of memory: prefixes");
    return;
  }
  for (size_t i = 0; i < count; i++) run->hashes[i] = tdm_mix(tdm_mix(group + TDM_GAMMA) + i);
  request->hashes = run->hashes;
  request->hash_count = count;
}

/* Room for all that are inside to be done at once. */
static bool reserve(tdm_replica_run *replica) {
  size_t need = (size_t)replica->outstanding + 1;
  return tdm_array_grow(&replica->done, &replica->done_capacity, need, sizeof *replica->done);
}

void tdm_generate_enter(tdm_engine *e, uint32_t stage, uint32_t index) {
  const tdm_stage *model = &e->model->stages[stage];
  tdm_serving_request request = {.id = index, .priority = e->requests[index].priority};
  e->requests[index].stage = stage;
  request.prompt_tokens = tokens_of(e, &model->prompt, stage, 1, index);
  request.output_tokens = tokens_of(e, &model->output, stage, 2, index);
  if (request.prompt_tokens < 1) request.prompt_tokens = 1; /* servers take no less */
  if (request.output_tokens < 1) request.output_tokens = 1;
  name_prefix(e, model, index, &request);
  if (e->status != TDM_OK) return;
  uint32_t chosen = choose(e, model->server, index);
  tdm_replica_run *replica = &e->replicas[chosen];
  tdm_request *r = &e->requests[index];
  r->station = replica->station;
  r->enter_ns = e->now_ns;
  r->place = TDM_AT_MOVE;
  if (!reserve(replica)) {
    tdm_engine_fail(e, TDM_MEMORY, "out of memory: requests of an LLM server");
    return;
  }
  tdm_error error;
  tdm_status status = tdm_serving_submit(replica->serving, e->now_ns, &request, &error);
  if (status == TDM_LIMIT) { /* servers refuse what they could never run */
    tdm_route_end(e, index, TDM_OUTCOME_DROPPED);
    return;
  }
  if (status != TDM_OK) {
    tdm_engine_fail(e, status, error.message);
    return;
  }
  replica->outstanding++;
  changes_queue(e, replica->station, 1);
  arm(e, chosen);
}

/* ---- life */

static tdm_status open_replica(tdm_engine *e, uint32_t server, uint32_t station,
                               tdm_replica_run *replica) {
  const tdm_llm_server *model = &e->model->servers[server];
  *replica = (tdm_replica_run){.engine = e,
                               .server = server,
                               .station = station,
                               .due_ns = INT64_MAX,
                               .booked_ns = INT64_MIN};
  tdm_serving_events events = {.context = replica,
                               .scheduled = on_scheduled,
                               .token_gaps = on_token_gaps,
                               .preempted = on_preempted,
                               .finished = on_finished,
                               .step = on_step};
  return tdm_serving_open(&model->config, model->step, &events, &replica->serving, e->error);
}

tdm_status tdm_generate_open(tdm_engine *e) {
  const tdm_model *m = e->model;
  size_t replicas = 0;
  for (size_t i = 0; i < m->server_count; i++) replicas += m->servers[i].count;
  if (replicas == 0) return TDM_OK;
  e->servers = tdm_array_new(m->server_count, sizeof *e->servers);
  e->replicas = tdm_array_new(replicas, sizeof *e->replicas);
  if (e->servers == NULL || e->replicas == NULL)
    return tdm_error_memory(e->error, "LLM servers", replicas * sizeof *e->replicas);
  for (uint32_t i = 0; i < m->server_count; i++) {
    char name[256];
    snprintf(name, sizeof name, "server/%s", m->servers[i].name);
    e->servers[i].stream = tdm_stream_named(e->options.seed, e->options.replication, name);
    e->servers[i].first = (uint32_t)e->replica_count;
    for (size_t k = 0; k < m->servers[i].count; k++) {
      tdm_status status =
          open_replica(e, i, m->servers[i].stations[k], &e->replicas[e->replica_count]);
      if (status != TDM_OK) return status;
      e->replica_count++;
    }
  }
  return TDM_OK;
}

void tdm_generate_note(tdm_engine *e, uint32_t slice, int64_t at_ns) {
  tdm_serving_step step;
  for (size_t i = 0; i < e->replica_count; i++)
    if (tdm_serving_step_at(e->replicas[i].serving, at_ns, &step))
      book(&e->replicas[i], &step, false);
  for (size_t i = 0; i < e->tally->server_count; i++) {
    e->tally->servers[i * (TDM_SLICES + 1) + slice] = e->servers[i].note;
    e->servers[i].note.kv_peak = 0;
  }
}

void tdm_generate_close(tdm_engine *e) {
  for (size_t i = 0; i < e->replica_count; i++) {
    tdm_serving_close(e->replicas[i].serving);
    free(e->replicas[i].done);
  }
  for (size_t i = 0; e->servers != NULL && i < e->model->server_count; i++)
    free(e->servers[i].hashes);
  free(e->replicas);
  free(e->servers);
}
