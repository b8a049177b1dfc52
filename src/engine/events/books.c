/* The books of LLM servers: what is noted of a replica's steps and of its requests, as its events
 * tell it.
 *
 * Steps count when they are over, and up to the end of a slice what of them is over by then; a
 * request when it is done. A request's number is its id in the replica; those that are done are
 * collected for generate.c, since a replica must not be called from its events. Owns no memory but
 * what is in the replicas' notes. Called by serving through the events, by generate.c, handover.c
 * and the clock. */
#include "engine/events/llm.h"

/* ---- steps */

void tdm_books_queued(tdm_replica_run *replica, int change) {
  tdm_engine *e = replica->engine;
  tdm_station_run *st = &e->stations[replica->station];
  st->waiting += (uint32_t)change;
  st->queue_sum -= (uint64_t)e->now_ns * (uint64_t)change;
  if (tdm_serving_is_static(&replica->pool->config)) e->batch_waiting += (uint64_t)(int64_t)change;
}

static void on_scheduled(void *context, uint64_t id, int64_t now_ns, int64_t cached_tokens,
                         int64_t below_tokens, bool resumed) {
  tdm_replica_run *replica = context;
  tdm_engine *e = replica->engine;
  (void)now_ns;
  tdm_books_queued(replica, -1);
  if (tdm_served_wanted(e))
    tdm_served_scheduled(replica, id, cached_tokens - below_tokens, below_tokens, resumed);
  if (resumed) return;
  e->requests[id].start_ns = e->now_ns;
  tdm_station_started(e, replica->station, (uint32_t)id, -1);
}

static void on_preempted(void *context, uint64_t id, int64_t now_ns, int64_t lost_tokens) {
  tdm_replica_run *replica = context;
  (void)now_ns, (void)lost_tokens;
  tdm_books_queued(replica, 1);
  if (tdm_served_wanted(replica->engine)) tdm_served_preempted(replica, id);
  replica->note->preemptions++;
  replica->preemptions++;
}

static void keep_times(tdm_engine *e, size_t row, uint32_t slice, int64_t time_ns, int64_t times) {
  if (!tdm_tally_times(e->tally, row, slice, time_ns, times))
    tdm_engine_fail(e, TDM_MEMORY, "out of memory: latency histogram");
}

/* … by windows of time: of what requests that came then took, or of gaps that ended then. */
static void keep_in_window(tdm_engine *e, const tdm_llm_server *server, tdm_llm_time kind,
                           size_t member, int64_t at_ns, int64_t time_ns, int64_t times) {
  const tdm_class *class = &e->model->classes[e->model->stages[server->stages[member]].class_index];
  size_t row = server->first_window + (size_t)kind * server->stage_count + member;
  if (e->tally->windows == NULL || kind >= TDM_LLM_WINDOW_TIMES) return;
  if (!tdm_windows_time(e->tally->windows, class, row, at_ns, time_ns, times))
    tdm_engine_fail(e, TDM_MEMORY, "out of memory: windows of time");
}

/* Gaps belong to no single request, but to its stage and its tenant: they count where they end. */
static void on_token_gaps(void *context, int64_t begin_ns, int64_t end_ns, int64_t steps,
                          int64_t sequences, uint32_t group) {
  tdm_replica_run *replica = context;
  tdm_engine *e = replica->engine;
  const tdm_llm_server *server = &e->model->servers[replica->server];
  uint32_t slice = e->slice < TDM_SLICES ? e->slice : TDM_SLICES - 1;
  size_t row = group < server->stage_count
                   ? server->first_times + TDM_LLM_ITL * server->stage_count + group
                   : server->tenant_times + TDM_LLM_ITL * server->tenant_count +
                         (group - server->stage_count);
  if (group < server->stage_count && tdm_served_wanted(e))
    tdm_served_gaps(replica, begin_ns, end_ns, sequences);
  /* A row of steps grows by what one more token costs: its mean stands for each, in whole ns. */
  int64_t total_ns = end_ns - begin_ns, longer = total_ns % steps;
  for (int64_t more = 1; more >= 0; more--) {
    int64_t time_ns = total_ns / steps + more, times = more ? longer : steps - longer;
    if (times <= 0) continue;
    keep_times(e, row, slice, time_ns, times * sequences);
    if (group < server->stage_count)
      keep_in_window(e, server, TDM_LLM_ITL, group, end_ns, time_ns, times * sequences);
  }
}

/* Beyond idling. Of a step that is not over what it draws is taken to be that of the whole. */
static double energy_j(const tdm_llm_power *power, const tdm_serving_step *step) {
  if (power == NULL) return 0;
  int64_t steps = step->steps > 0 ? step->steps : 1;
  double seconds = (double)(step->end_ns - step->begin_ns) * 1e-9;
  return tdm_llm_power_steps_j(power, &step->batch, steps, seconds);
}

/* Books a replica's steps, or what of them is over, less what was booked of them before. Where it
 * is closed meanwhile the steps may end before what is booked, which stays. */
static void book(tdm_replica_run *replica, const tdm_serving_step *step, bool over) {
  tdm_pool_note *note = replica->note;
  bool begun = replica->booked_ns > step->begin_ns; /* at a slice's end */
  int64_t from_ns = begun ? replica->booked_ns : step->begin_ns;
  int64_t duration_ns = step->end_ns > from_ns ? step->end_ns - from_ns : 0;
  double drawn_j = energy_j(replica->pool->power, step);
  int64_t steps = step->steps - (begun ? replica->booked_steps : 0);
  note->steps += steps;
  note->busy_ns += duration_ns;
  note->held_ns[step->held] += duration_ns;
  note->sequences += steps * (step->batch.prefill_seqs + step->batch.decode_seqs);
  note->prefill_tokens += steps * step->batch.prefill_tokens;
  note->output_tokens += step->tokens - (begun ? replica->booked_tokens : 0);
  note->kv_area += (double)step->kv_blocks * (double)duration_ns * 1e-9;
  if (step->kv_blocks > note->kv_peak) note->kv_peak = step->kv_blocks;
  note->energy_j += duration_ns > 0 ? drawn_j - (begun ? replica->booked_j : 0) : 0;
  replica->booked_ns = over ? INT64_MIN : step->end_ns;
  replica->booked_steps = step->steps;
  replica->booked_tokens = step->tokens;
  replica->booked_j = drawn_j;
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
  if (tdm_served_wanted(e)) tdm_served_step(replica, step);
  if (e->tracing) tdm_record_steps(e, (uint32_t)(replica - e->replicas), replica->step, step);
}

/* A time of a request: its stage's, and its tenant's. */
static void keep_time(tdm_engine *e, uint32_t index, tdm_llm_time kind, int64_t time_ns) {
  const tdm_request *r = &e->requests[index];
  const tdm_stage *stage = &e->model->stages[r->stage];
  const tdm_llm_server *server = &e->model->servers[stage->server];
  keep_times(e, server->first_times + kind * server->stage_count + stage->member, r->slice, time_ns,
             1);
  keep_in_window(e, server, kind, stage->member, r->arrival_ns, time_ns, 1);
  if (server->tenant_count == 0) return;
  size_t row = tdm_tenant_row(e->more[index].tenant);
  keep_times(e, server->tenant_times + kind * server->tenant_count + row, r->slice, time_ns, 1);
}

/* Done in time, by the row of a time; tokens, by a taker. */
static void keep_taken_by(tdm_engine *e, uint32_t slice, size_t time, size_t taker, bool good,
                          const tdm_serving_outcome *o) {
  tdm_tally_slice(e->tally, (uint32_t)time, slice)->within_slo += good;
  if (e->slice >= TDM_SLICES) return; /* after the window */
  tdm_taker_slice *taken = &e->tally->takers[taker * TDM_SLICES + e->slice];
  taken->prompt_tokens += o->prompt_tokens;
  taken->output_tokens += o->output_tokens;
}

/* Its stage's and its tenant's. */
static void keep_taken(tdm_engine *e, uint32_t index, bool good, const tdm_serving_outcome *o) {
  const tdm_request *r = &e->requests[index];
  const tdm_stage *stage = &e->model->stages[r->stage];
  const tdm_llm_server *server = &e->model->servers[stage->server];
  keep_taken_by(e, r->slice,
                server->first_times + TDM_LLM_E2E * server->stage_count + stage->member,
                server->first_taker + stage->member, good, o);
  if (server->tenant_count == 0) return;
  size_t row = tdm_tenant_row(e->more[index].tenant);
  keep_taken_by(e, r->slice, server->tenant_times + TDM_LLM_E2E * server->tenant_count + row,
                server->first_taker + server->stage_count + row, good, o);
}

static void keep_outcome(tdm_engine *e, uint32_t index, const tdm_serving_outcome *o) {
  const tdm_request *r = &e->requests[index];
  const tdm_class *class = &e->model->classes[r->class_index];
  const tdm_llm_server *server = &e->model->servers[e->model->stages[r->stage].server];
  /* The replica's own clock of it begins anew with each start; the request's does not. */
  int64_t streamed_ns = tdm_llm_server_streamed_ns(server);
  int64_t ttft_ns = o->first_token_ns - r->enter_ns + streamed_ns;
  int64_t e2e_ns = o->finished_ns - r->enter_ns + streamed_ns;
  bool good = ttft_ns <= class->ttft_ns;
  keep_time(e, index, TDM_LLM_TTFT, ttft_ns);
  keep_time(e, index, TDM_LLM_E2E, e2e_ns);
  keep_time(e, index, TDM_LLM_QUEUE, o->scheduled_ns - r->enter_ns);
  keep_time(e, index, TDM_LLM_NORM, tdm_round_ns((double)e2e_ns / (double)o->output_tokens));
  if (o->output_tokens > 1) {
    double tpot_ns = (double)(e2e_ns - ttft_ns) / (double)(o->output_tokens - 1);
    keep_time(e, index, TDM_LLM_TPOT, tdm_round_ns(tpot_ns));
    good = good && tpot_ns <= (double)class->tpot_ns;
  }
  if (!good) e->more[index].late = true;
  keep_taken(e, index, good && e2e_ns <= class->slo_ns, o);
}

/* Streaming the tokens of a request that is done. */
static void take_tokens(tdm_engine *e, const tdm_replica_run *replica, int64_t tokens) {
  const tdm_api_costs *api = &e->model->servers[replica->server].api;
  double work_s = api->output_token_s * (double)tokens;
  if (api->workers > 0 && work_s > 0)
    tdm_front_take(api, &e->servers[replica->server].front, e->now_ns, tdm_round_ns(work_s * 1e9));
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

static void gone(tdm_replica_run *replica, uint32_t index) {
  replica->outstanding--;
  replica->engine->more[index].job = 0;
  tdm_list_remove(replica->engine, &replica->inside, index);
  replica->done[replica->done_count++] = index; /* there is room for all that are here */
}

/* Found in tiers below the KV cache. */
static void note_below(tdm_replica_run *replica, const tdm_serving_outcome *o) {
  tdm_pool_note *note = replica->note;
  for (size_t k = 0; k < replica->pool->config.tier_count; k++) {
    note->tier_tokens[k] += o->below_tokens[k];
    note->tier_requests[k] += o->below_tokens[k] > 0;
  }
  note->load_ns += o->load_ns;
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
  if (tdm_served_wanted(e)) tdm_served_done(replica, o);
  note->finished++;
  if (replica->pool->role != TDM_POOL_DECODE) note->prompt_tokens += o->prompt_tokens;
  if (replica->pool->role != TDM_POOL_DECODE) note->cached_tokens += o->cached_tokens;
  if (replica->pool->config.tier_count > 0) note_below(replica, o);
  if (!tdm_handover_finished(e, replica, &whole, &wait_ns, &service_ns)) {
    note_visit(e, r->stage, wait_ns, service_ns);
    keep_outcome(e, index, &whole);
    take_tokens(e, replica, whole.output_tokens);
    if (e->model->stages[r->stage].remembers) tdm_prefix_answered(e, index);
  }
  gone(replica, index);
}

/* Nobody waits for its answer: no time of it counts. */
static void on_aborted(void *context, uint64_t id, bool waiting) {
  tdm_replica_run *replica = context;
  tdm_engine *e = replica->engine;
  uint32_t index = (uint32_t)id;
  const tdm_request *r = &e->requests[index];
  if (waiting) tdm_books_queued(replica, -1);
  if (tdm_served_wanted(e)) tdm_served_aborted(replica, id, waiting);
  e->pool_notes[e->model->servers[replica->server].first_pool].asked.left++;
  if (e->tracing && r->start_ns >= 0 && e->now_ns > r->start_ns)
    tdm_record_span(e, replica->station, false, r->stage, index, r->start_ns,
                    e->now_ns - r->start_ns, 1);
  gone(replica, index);
}

static void on_reserved(void *context, uint64_t id, int64_t now_ns, uint32_t handle,
                        int64_t missing_tokens) {
  tdm_replica_run *replica = context;
  (void)now_ns;
  tdm_handover_reserved(replica->engine, replica, (uint32_t)id, handle, missing_tokens);
  replica->done[replica->done_count++] = (uint32_t)id;
}

void tdm_books_tiers(tdm_replica_run *replica) {
  int64_t stored, loaded;
  for (size_t k = 0; k < replica->pool->config.tier_count; k++) {
    double bytes = replica->pool->config.tiers[k].block_bytes;
    tdm_serving_moved(replica->serving, k, &stored, &loaded);
    replica->note->tier_stored[k] += (double)(stored - replica->tier_stored[k]) * bytes;
    replica->note->tier_loaded[k] += (double)(loaded - replica->tier_loaded[k]) * bytes;
    replica->tier_stored[k] = stored;
    replica->tier_loaded[k] = loaded;
  }
}

void tdm_books_moved(tdm_engine *e, uint32_t index, int64_t time_ns) {
  keep_time(e, index, TDM_LLM_TRANSFER, time_ns);
}

void tdm_books_note(tdm_engine *e, uint32_t slice, int64_t at_ns) {
  tdm_serving_step step;
  for (size_t i = 0; i < e->replica_count; i++) {
    if (e->replicas[i].serving == NULL) continue;
    tdm_books_tiers(&e->replicas[i]);
    if (tdm_serving_step_at(e->replicas[i].serving, at_ns, &step))
      book(&e->replicas[i], &step, false);
  }
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

tdm_serving_events tdm_books_listen(tdm_replica_run *replica) {
  return (tdm_serving_events){.context = replica,
                              .scheduled = on_scheduled,
                              .first_token =
                                  tdm_served_wanted(replica->engine) ? tdm_served_first : NULL,
                              .token_gaps = on_token_gaps,
                              .preempted = on_preempted,
                              .reserved = on_reserved,
                              .finished = on_finished,
                              .aborted = on_aborted,
                              .step = on_step};
}
