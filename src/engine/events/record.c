/* What a replication tells: tracks, spans and requests for the sink, the view a hook gets. What it
 * counts is in slices.c. Called by every file of the engine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/histogram.h"
#include "base/memory.h"
#include "engine/events/llm.h"

#define RECORD_BLOCK 1024

/* Tracks: two a station (service, queue), one a memory (queue), one for delays, one a replica of an
 * LLM server (its steps). */
static uint32_t track_of(const tdm_engine *e, uint32_t station, bool queued) {
  uint32_t stations = (uint32_t)e->model->station_count;
  uint32_t memories = (uint32_t)e->model->memory_count;
  if (station == TDM_NO_INDEX) return 2 * stations + memories;
  if (station >= stations) return 2 * stations + (station - stations);
  return 2 * station + queued;
}

static tdm_status announce_track(tdm_engine *e, uint32_t station, bool queued, const char *name,
                                 uint32_t gpu, tdm_lane lane, uint32_t servers) {
  tdm_sink_track track = {.id = track_of(e, station, queued),
                          .process = gpu != TDM_NO_INDEX ? e->model->gpus[gpu].name : "host",
                          .name = name,
                          .lane = lane,
                          .capacity = servers == TDM_UNLIMITED ? 0 : servers};
  return e->options.sink->track(e->options.sink->context, &track, e->error);
}

static uint32_t steps_track(const tdm_engine *e, uint32_t replica) {
  return track_of(e, TDM_NO_INDEX, false) + 1 + replica;
}

enum { RUNNING, WAITING, KV_BLOCKS, PREEMPTIONS, REPLICA_COUNTERS };

enum { REPLICAS, REPLICAS_READY, POOL_COUNTERS };

static uint32_t pool_counter(const tdm_engine *e, uint32_t pool) {
  return REPLICA_COUNTERS * (uint32_t)e->replica_count + POOL_COUNTERS * pool;
}

/* Behind those of all pools; ids of tiers that are not there stay unused. */
static uint32_t tier_counter(const tdm_engine *e, uint32_t replica, size_t tier) {
  return pool_counter(e, (uint32_t)e->pool_count) + TDM_KV_TIERS * replica + (uint32_t)tier;
}

static tdm_status announce_tiers(tdm_engine *e, uint32_t replica, const char *station) {
  const tdm_sink *sink = e->options.sink;
  const tdm_serving_config *config = &e->replicas[replica].pool->config;
  tdm_status status = TDM_OK;
  char name[256];
  for (size_t k = 0; sink->counter != NULL && k < config->tier_count && status == TDM_OK; k++) {
    snprintf(name, sizeof name, "%s %s blocks", station, config->tiers[k].name);
    status = sink->counter(sink->context, tier_counter(e, replica, k), name, "blocks", e->error);
  }
  return status;
}

/* Counters only where numbers may change. */
static bool pool_changes(const tdm_engine *e, uint32_t pool) {
  return e->pools[pool].rule->on || e->failure_count > 0;
}

static tdm_status announce_pool(tdm_engine *e, uint32_t index) {
  static const char *const counters[POOL_COUNTERS] = {"replicas", "replicas ready"};
  const tdm_sink *sink = e->options.sink;
  const tdm_pool_run *pool = &e->pools[index];
  const tdm_llm_server *server = &e->model->servers[pool->server];
  bool several = server->pool_count > 1;
  tdm_status status = TDM_OK;
  char name[256];
  for (uint32_t i = 0; sink->counter != NULL && i < POOL_COUNTERS && status == TDM_OK; i++) {
    snprintf(name, sizeof name, "%s%s%s %s", server->name, several ? " " : "",
             several ? pool->model->name : "", counters[i]);
    status = sink->counter(sink->context, pool_counter(e, index) + i, name, "replicas", e->error);
  }
  if (status == TDM_OK) tdm_record_pool(e, index);
  return status != TDM_OK ? status : e->status;
}

/* Steps have a track each beside the requests in them, and a name after those of the stages. */
static tdm_status announce_replica(tdm_engine *e, uint32_t replica, uint32_t station) {
  static const char *const counters[REPLICA_COUNTERS] = {"running", "waiting", "KV blocks",
                                                         "preemptions"};
  static const char *const units[REPLICA_COUNTERS] = {"requests", "requests", "blocks", "requests"};
  const tdm_sink *sink = e->options.sink;
  const tdm_station *s = &e->model->stations[station];
  char name[256];
  tdm_status status = TDM_OK;
  snprintf(name, sizeof name, "%s steps", s->name);
  tdm_sink_track track = {.id = steps_track(e, replica),
                          .process = s->gpu != TDM_NO_INDEX ? e->model->gpus[s->gpu].name : "host",
                          .name = name,
                          .lane = TDM_LANE_GPU,
                          .capacity = 1};
  if (sink->track != NULL) status = sink->track(sink->context, &track, e->error);
  for (uint32_t i = 0; sink->counter != NULL && i < REPLICA_COUNTERS && status == TDM_OK; i++) {
    snprintf(name, sizeof name, "%s %s", s->name, counters[i]);
    status = sink->counter(sink->context, REPLICA_COUNTERS * replica + i, name, units[i], e->error);
  }
  return status == TDM_OK ? announce_tiers(e, replica, s->name) : status;
}

static tdm_status announce_servers(tdm_engine *e) {
  const tdm_sink *sink = e->options.sink;
  tdm_status status = TDM_OK;
  for (uint32_t k = 0; k < e->replica_count && status == TDM_OK; k++)
    status = announce_replica(e, k, e->replicas[k].station);
  for (uint32_t i = 0; i < e->pool_count && status == TDM_OK; i++)
    if (pool_changes(e, i)) status = announce_pool(e, i);
  if (e->replica_count > 0 && sink->name != NULL && status == TDM_OK)
    status = sink->name(sink->context, (uint32_t)e->model->stage_count, "step", e->error);
  return status;
}

static tdm_status announce(tdm_engine *e) {
  const tdm_model *m = e->model;
  const tdm_sink *sink = e->options.sink;
  tdm_status status = TDM_OK;
  for (uint32_t i = 0; sink->track != NULL && i < m->station_count && status == TDM_OK; i++) {
    const tdm_station *s = &m->stations[i];
    status = announce_track(e, i, false, s->name, s->gpu, s->lane,
                            s->replica ? TDM_UNLIMITED : s->servers);
    if (status == TDM_OK) status = announce_track(e, i, true, s->name, s->gpu, TDM_LANE_QUEUE, 0);
  }
  for (uint32_t i = 0; sink->track != NULL && i < m->memory_count && status == TDM_OK; i++)
    status = announce_track(e, (uint32_t)m->station_count + i, true, m->memories[i].name,
                            m->memories[i].gpu, TDM_LANE_QUEUE, 0);
  if (sink->track != NULL && status == TDM_OK)
    status = announce_track(e, TDM_NO_INDEX, false, "outside", TDM_NO_INDEX, TDM_LANE_OTHER, 0);
  if (status == TDM_OK) status = announce_servers(e);
  for (uint32_t i = 0; sink->name != NULL && i < m->stage_count && status == TDM_OK; i++)
    status = sink->name(sink->context, i, m->stages[i].name, e->error);
  for (uint32_t i = 0; e->values != NULL && i < m->attr_count && status == TDM_OK; i++)
    status = sink->attribute(sink->context, i, m->attrs[i], e->error);
  return status;
}

tdm_status tdm_record_open(tdm_engine *e) {
  for (size_t c = 0; c < e->model->class_count; c++)
    e->watched |= e->model->classes[c].patience != NULL;
  e->watched |= (e->hook_events & 1u << TDM_HOOK_START) != 0;
  if (e->options.sink == NULL) return TDM_OK;
  e->tracing = e->options.sink->spans != NULL;
  e->watched |= e->tracing;
  e->spans = tdm_aligned_new(1, sizeof *e->spans);
  e->records = tdm_array_new(RECORD_BLOCK, sizeof *e->records);
  if (e->spans == NULL || e->records == NULL)
    return tdm_error_memory(e->error, "trace blocks", sizeof *e->spans);
  size_t values = e->options.sink->attribute != NULL ? RECORD_BLOCK * e->model->attr_count : 0;
  if (values > 0 && (e->values = tdm_array_new(values, sizeof *e->values)) == NULL)
    return tdm_error_memory(e->error, "attributes", values * sizeof *e->values);
  return announce(e);
}

void tdm_record_flush(tdm_engine *e) {
  const tdm_sink *sink = e->options.sink;
  tdm_status status = TDM_OK;
  if (sink == NULL) return;
  if (e->spans->count > 0 && sink->spans != NULL)
    status = sink->spans(sink->context, e->spans, e->error);
  e->spans->count = 0;
  if (status == TDM_OK && e->record_count > 0)
    status = sink->requests(sink->context, e->records, e->values, e->record_count, e->error);
  e->record_count = 0;
  if (status != TDM_OK && e->status == TDM_OK) e->status = status;
}

/* ---- requests */

static uint64_t request_id(const tdm_request *r) {
  uint64_t ordinal = r->ordinal & (((uint64_t)1 << TDM_VISIT_SHIFT) - 1);
  return (uint64_t)r->class_index << 48 | ordinal;
}

static void record_values(tdm_engine *e, uint32_t index) {
  const tdm_class *class = &e->model->classes[e->requests[index].class_index];
  const double *state = e->state + (size_t)index * e->model->state_slots;
  double *values = e->values + e->record_count * e->model->attr_count;
  for (uint32_t slot = 0; slot < e->model->attr_count; slot++)
    values[slot] = tdm_class_has_attribute(class, slot) ? state[slot] : NAN;
}

void tdm_record_request(tdm_engine *e, uint32_t index, tdm_outcome outcome) {
  const tdm_request *r = &e->requests[index];
  int64_t latency_ns = e->now_ns - r->arrival_ns;
  e->in_system--;
  e->in_system_sum += (uint64_t)e->now_ns;
  if (outcome == TDM_OUTCOME_OK) {
    e->finished++;
    e->departures[e->departure_count++] =
        (tdm_departure){latency_ns, r->arrival_ns, r->class_index, r->slice, e->more[index].late};
    if (e->departure_count == TDM_DEPARTURES) tdm_slices_departures(e);
  } else {
    tdm_class_slice *slice = tdm_tally_slice(e->tally, r->class_index, r->slice);
    slice->dropped += outcome == TDM_OUTCOME_DROPPED || outcome == TDM_OUTCOME_REFUSED;
    slice->abandoned += outcome == TDM_OUTCOME_ABANDONED;
    slice->timed_out += outcome == TDM_OUTCOME_TIMED_OUT;
    tdm_windows *windows = e->tally->windows;
    if (windows != NULL && !tdm_windows_lost(windows, r->class_index, r->arrival_ns))
      tdm_engine_fail(e, TDM_MEMORY, "out of memory: windows of time");
  }
  if (e->hook_events != 0) {
    tdm_hook_event event = outcome == TDM_OUTCOME_OK ? TDM_HOOK_COMPLETE : TDM_HOOK_DROP;
    if (e->hook_events & 1u << event) tdm_record_hook(e, event, index, tdm_outcome_name(outcome));
  }
  if (e->options.sink == NULL || e->options.sink->requests == NULL) return;
  if (e->values != NULL) record_values(e, index);
  e->records[e->record_count++] =
      (tdm_request_record){.request = request_id(r),
                           .arrival_ns = r->arrival_ns,
                           .end_ns = e->now_ns,
                           .gpu = r->gpu == TDM_NO_INDEX ? -1 : (int)r->gpu,
                           .class_index = r->class_index,
                           .outcome = outcome};
  if (e->record_count == RECORD_BLOCK) tdm_record_flush(e);
}

/* ---- spans */

static void add_span(tdm_engine *e, uint32_t station, bool queued, uint32_t stage, uint32_t index,
                     int64_t start_ns, int64_t dur_ns, uint32_t members, int64_t bytes) {
  tdm_span_block *block = e->spans;
  uint32_t i = block->count++;
  block->start_ns[i] = start_ns;
  block->dur_ns[i] = dur_ns;
  block->request[i] = request_id(&e->requests[index]);
  block->track[i] = track_of(e, station, queued);
  block->name[i] = stage != TDM_NO_INDEX ? stage : 0;
  block->arg[i] = members;
  block->bytes[i] = bytes;
  if (block->count == TDM_BLOCK_SPANS) tdm_record_flush(e);
}

void tdm_record_span(tdm_engine *e, uint32_t station, bool queued, uint32_t stage, uint32_t index,
                     int64_t start_ns, int64_t dur_ns, uint32_t members) {
  add_span(e, station, queued, stage, index, start_ns, dur_ns, members, TDM_NO_BYTES);
}

void tdm_record_service(tdm_engine *e, uint32_t station, uint32_t index, int64_t start_ns,
                        int64_t dur_ns) {
  uint32_t stage = e->requests[index].stage;
  const tdm_stage_run *run = &e->stages[stage];
  int64_t bytes = TDM_NO_BYTES;
  if (run->stage->hands_over)
    bytes = tdm_span_bytes(e->handovers[index].bytes);
  else if (run->stage->moves_bytes)
    bytes = tdm_span_bytes(tdm_cost_value(e, &run->stage->bytes, run->stream, index));
  add_span(e, station, false, stage, index, start_ns, dur_ns, e->more[index].members, bytes);
}

static void count_replica(tdm_engine *e, uint32_t replica, int64_t at_ns,
                          const int64_t values[REPLICA_COUNTERS]) {
  const tdm_sink *sink = e->options.sink;
  tdm_counter_sample samples[REPLICA_COUNTERS];
  if (sink->counters == NULL || e->status != TDM_OK) return;
  for (uint32_t i = 0; i < REPLICA_COUNTERS; i++)
    samples[i] = (tdm_counter_sample){at_ns, REPLICA_COUNTERS * replica + i, (double)values[i]};
  e->status = sink->counters(sink->context, samples, REPLICA_COUNTERS, e->error);
}

/* Those that have changed. */
static void count_tiers(tdm_engine *e, uint32_t replica, int64_t at_ns) {
  const tdm_sink *sink = e->options.sink;
  tdm_replica_run *run = &e->replicas[replica];
  if (sink->counters == NULL) return;
  for (size_t k = 0; k < run->pool->config.tier_count && e->status == TDM_OK; k++) {
    int64_t blocks = tdm_serving_tier_blocks(run->serving, k);
    tdm_counter_sample sample = {at_ns, tier_counter(e, replica, k), (double)blocks};
    if (blocks == run->tier_blocks[k]) continue;
    run->tier_blocks[k] = blocks;
    e->status = sink->counters(sink->context, &sample, 1, e->error);
  }
}

void tdm_record_steps(tdm_engine *e, uint32_t replica, const tdm_llm_step *model,
                      const tdm_serving_step *step) {
  const int64_t values[REPLICA_COUNTERS] = {step->running, step->waiting, step->kv_blocks,
                                            e->replicas[replica].preemptions};
  uint64_t sequences = (uint64_t)(step->batch.prefill_seqs + step->batch.decode_seqs);
  uint64_t tokens = (uint64_t)(step->batch.prefill_tokens + step->batch.decode_seqs);
  int64_t begin_ns = step->begin_ns;
  for (int64_t j = 1; j <= step->steps; j++) {
    int64_t end_ns = step->end_ns;
    if (j < step->steps)
      end_ns = step->begin_ns + tdm_round_ns(tdm_llm_decode_run_s(model, &step->batch, j) * 1e9);
    if (end_ns > step->end_ns) end_ns = step->end_ns;
    uint32_t i = e->spans->count++;
    e->spans->start_ns[i] = begin_ns;
    e->spans->dur_ns[i] = end_ns - begin_ns;
    e->spans->request[i] = TDM_NO_REQUEST;
    e->spans->track[i] = steps_track(e, replica);
    e->spans->name[i] = (uint32_t)e->model->stage_count;
    e->spans->arg[i] = sequences << 32 | tokens;
    e->spans->bytes[i] = TDM_NO_BYTES;
    if (e->spans->count == TDM_BLOCK_SPANS) tdm_record_flush(e);
    begin_ns = end_ns;
  }
  count_replica(e, replica, step->begin_ns, values);
  count_tiers(e, replica, step->end_ns);
}

void tdm_record_idle(tdm_engine *e, uint32_t replica) {
  const int64_t values[REPLICA_COUNTERS] = {[PREEMPTIONS] = e->replicas[replica].preemptions};
  count_replica(e, replica, e->now_ns, values);
}

void tdm_record_pool(tdm_engine *e, uint32_t index) {
  const tdm_pool_run *pool = &e->pools[index];
  tdm_counter_sample samples[POOL_COUNTERS];
  uint32_t ready = 0;
  if (!e->tracing || e->options.sink->counters == NULL || !pool_changes(e, index)) return;
  for (uint32_t i = pool->first; i < pool->first + pool->count; i += pool->model->lanes)
    ready += e->replicas[i].state == TDM_REPLICA_READY && !e->stations[e->replicas[i].station].down;
  const uint32_t values[POOL_COUNTERS] = {pool->held, ready};
  for (uint32_t i = 0; i < POOL_COUNTERS; i++)
    samples[i] = (tdm_counter_sample){e->now_ns, pool_counter(e, index) + i, values[i]};
  if (e->status == TDM_OK)
    e->status =
        e->options.sink->counters(e->options.sink->context, samples, POOL_COUNTERS, e->error);
}

/* ---- hooks */

void tdm_record_view(tdm_engine *e, uint32_t index, tdm_view *view) {
  const tdm_request *r = &e->requests[index];
  bool batch = e->more[index].members > 1;
  uint32_t gpu = tdm_request_gpu(e, r);
  if (batch) tdm_batch_aggregate(e, index);
  /* One by one: a literal would clear the whole first, which takes longer than the rest. */
  view->look = NULL;
  view->engine = e;
  view->now_ns = e->now_ns;
  view->arrival_ns = r->arrival_ns;
  view->wait_ns = 0;
  view->ordinal = r->ordinal & (((uint64_t)1 << TDM_VISIT_SHIFT) - 1);
  view->class_index = r->class_index;
  view->stage = r->stage;
  view->gpu = gpu;
  view->request = index;
  view->batch = e->more[index].members;
  view->attrs = batch ? e->largest : e->state + (size_t)index * e->model->state_slots;
  view->sums = batch ? e->sums : NULL;
  view->params = gpu != TDM_NO_INDEX ? e->model->gpus[gpu].params : NULL;
  view->outcome = NULL;
}

void tdm_record_look(tdm_view *view) {
  tdm_record_view(view->engine, view->request, view);
}

void tdm_record_hook(tdm_engine *e, tdm_hook_event event, uint32_t index, const char *outcome) {
  tdm_view view;
  tdm_record_view(e, index, &view);
  view.outcome = outcome;
  if (event == TDM_HOOK_START) view.wait_ns = e->now_ns - e->requests[index].enter_ns;
  tdm_status status = e->hooks->event(e->hooks->context, event, &view, e->error);
  if (status != TDM_OK && e->status == TDM_OK) e->status = status;
}
