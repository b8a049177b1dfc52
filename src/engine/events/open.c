/* How a replication begins and ends: what it holds is made from its model, and freed. Which ops the
 * clock may take by itself is decided here, once. Called as engine.h says. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/events/engine.h"
#include "engine/events/llm.h"

static void open_stage(tdm_engine *e, uint32_t index) {
  tdm_stage_run *run = &e->stages[index];
  const tdm_stage *stage = &e->model->stages[index];
  run->stage = stage;
  run->kind = stage->cost.kind;
  run->fixed_station = stage->station;
  run->constant_ns = tdm_round_ns(stage->cost.constant * 1e9);
  run->mean_ns = stage->cost.mean * 1e9;
  run->stream = tdm_stream_named(e->options.seed, e->options.replication, stage->stream);
  run->draws = tdm_stream_child(run->stream, stage->cost.child);
  run->jitter_mean = -1;
  if (run->kind != TDM_COST_EXPONENTIAL && stage->cost.jitter != NULL &&
      tdm_dist_is_exponential(stage->cost.jitter, &run->jitter_mean))
    run->draws = tdm_stream_child(run->stream, TDM_JITTER_CHILD);
  run->batched = stage->batch.max > 1;
}

static void open_station(tdm_engine *e, uint32_t index) {
  tdm_station_run *run = &e->stations[index];
  const tdm_station *station = &e->model->stations[index];
  char name[256];
  snprintf(name, sizeof name, "station/%s", station->name);
  run->station = station;
  run->discipline = station->discipline;
  run->servers = station->servers;
  run->queue_limit = station->queue_limit;
  run->timer = TDM_NO_INDEX;
  run->stream = tdm_stream_named(e->options.seed, e->options.replication, name);
  for (int level = 0; level < TDM_PRIORITIES; level++)
    run->queue[level] = (tdm_list){TDM_NO_INDEX, TDM_NO_INDEX};
  bool fails = station->mtbf != NULL ||
               (station->gpu != TDM_NO_INDEX && tdm_gpu_fails(&e->model->gpus[station->gpu]));
  run->interruptible = fails || station->discipline == TDM_PREEMPT;
  run->plain = station->discipline == TDM_FIFO && station->link == TDM_NO_INDEX && !fails;
  run->simple = run->plain; /* until batch.c says otherwise */
}

static bool restarts(const tdm_model *m) {
  for (size_t i = 0; i < m->station_count; i++)
    if (m->stations[i].on_failure == TDM_FAILED_RESTART && !m->stations[i].replica) return true;
  return false;
}

/* Does any request keep anything beside its one cache line? */
static bool uses_more(const tdm_model *m) {
  for (size_t i = 0; i < m->class_count; i++)
    if (m->classes[i].patience != NULL || m->classes[i].timeout != NULL ||
        m->classes[i].retry.max > 0)
      return true;
  for (size_t i = 0; i < m->op_count; i++)
    if (m->ops[i].code != TDM_OP_SERVE && m->ops[i].code != TDM_OP_DELAY &&
        m->ops[i].code != TDM_OP_END && m->ops[i].code != TDM_OP_ROUTE)
      return true;
  for (size_t i = 0; i < m->stage_count; i++)
    if (m->stages[i].batch.max > 1) return true;
  for (size_t i = 0; i < m->station_count; i++)
    if (m->stations[i].discipline != TDM_FIFO || m->stations[i].link != TDM_NO_INDEX ||
        m->stations[i].mtbf != NULL)
      return true;
  for (size_t i = 0; i < m->gpu_count; i++)
    if (tdm_gpu_fails(&m->gpus[i])) return true;
  return false;
}

/* Which ops the inner loop may take by itself. */
static void open_plain_ops(tdm_engine *e) {
  const tdm_model *m = e->model;
  bool impatient = false, closed = false, routed = false;
  for (size_t i = 0; i < m->op_count; i++) routed |= m->ops[i].code == TDM_OP_ROUTE;
  for (size_t c = 0; c < m->class_count; c++) {
    impatient |= m->classes[c].patience != NULL;
    closed |= m->classes[c].arrivals->kind == TDM_ARRIVE_CLOSED;
  }
  const uint32_t ends = 1u << TDM_HOOK_COMPLETE | 1u << TDM_HOOK_DROP;
  bool plain_end = !e->uses_more && !closed && !routed && (e->hook_events & ends) == 0 &&
                   (e->options.sink == NULL || e->options.sink->requests == NULL);
  for (size_t i = 0; i < m->op_count; i++) {
    const tdm_op *op = &m->ops[i];
    if (op->code == TDM_OP_END && plain_end) e->plain_ops[i].kind = TDM_PLAIN_END;
    if (op->code != TDM_OP_SERVE || impatient) continue;
    uint32_t station = m->stages[op->a].station;
    if (station == TDM_NO_INDEX || m->stages[op->a].batch.max > 1) continue;
    const tdm_station_run *st = &e->stations[station];
    if (st->simple && st->queue_limit == TDM_UNLIMITED)
      e->plain_ops[i] = (tdm_plain_op){TDM_PLAIN_SERVE, station, op->a};
  }
}

static tdm_status open_arrays(tdm_engine *e) {
  const tdm_model *m = e->model;
  e->stages = tdm_aligned_new(m->stage_count, sizeof *e->stages);
  e->stations = tdm_aligned_new(m->station_count, sizeof *e->stations);
  e->links = tdm_array_new(m->link_count, sizeof *e->links);
  e->memories = tdm_array_new(m->memory_count, sizeof *e->memories);
  e->gpus = tdm_array_new(m->gpu_count, sizeof *e->gpus);
  e->classes = tdm_array_new(m->class_count, sizeof *e->classes);
  e->plain_ops = tdm_array_new(m->op_count, sizeof *e->plain_ops);
  e->turns = tdm_array_new(m->group_count, sizeof *e->turns);
  e->group_streams = tdm_array_new(m->group_count, sizeof *e->group_streams);
  e->sums = tdm_array_new(m->attr_count, sizeof *e->sums);
  e->largest = tdm_array_new(m->attr_count, sizeof *e->largest);
  e->candidates = tdm_array_new(m->gpu_count + m->station_count, sizeof *e->candidates);
  /* Never NULL: a model without attributes hands its costs no attributes, not no address. */
  e->state = tdm_array_new(1, sizeof *e->state);
  e->state_capacity = e->state != NULL;
  if (e->stages == NULL || e->stations == NULL || e->links == NULL || e->memories == NULL ||
      e->gpus == NULL || e->classes == NULL || e->plain_ops == NULL || e->turns == NULL ||
      e->group_streams == NULL || e->sums == NULL || e->largest == NULL || e->candidates == NULL ||
      e->state == NULL)
    return tdm_error_memory(e->error, "engine", m->stage_count * sizeof *e->stages);
  for (uint32_t i = 0; i < m->stage_count; i++) open_stage(e, i);
  for (uint32_t i = 0; i < m->station_count; i++) open_station(e, i);
  for (uint32_t i = 0; i < m->link_count; i++)
    e->links[i] = (tdm_link_run){.link = &m->links[i], .timer = TDM_NO_INDEX};
  for (uint32_t i = 0; i < m->memory_count; i++)
    e->memories[i] =
        (tdm_memory_run){.memory = &m->memories[i], .queue = {TDM_NO_INDEX, TDM_NO_INDEX}};
  for (uint32_t i = 0; i < m->group_count; i++) {
    char name[256];
    snprintf(name, sizeof name, "group/%s", m->groups[i].name);
    e->group_streams[i] = tdm_stream_named(e->options.seed, e->options.replication, name);
  }
  return TDM_OK;
}

tdm_status tdm_engine_open(const tdm_model *model, const tdm_engine_options *options,
                           tdm_engine **out, tdm_error *error) {
  *out = NULL;
  tdm_engine *e = tdm_array_new(1, sizeof *e);
  if (e == NULL) return tdm_error_memory(error, "engine", sizeof *e);
  e->model = model;
  e->options = *options;
  e->hooks = options->hooks;
  e->hook_events = e->hooks != NULL ? e->hooks->events : 0;
  e->error = error;
  e->free_request = e->free_timer = TDM_NO_INDEX;
  e->restarts = restarts(model);
  e->uses_more = e->restarts || uses_more(model);
  e->grows = tdm_tally_grows(model);
  size_t limit = options->heap_limit > 0 ? options->heap_limit : TDM_HEAP_LIMIT;
  if (!tdm_event_set_open(&e->events, limit)) e->status = tdm_error_memory(error, "events", 0);
  if (e->status == TDM_OK) e->status = open_arrays(e);
  if (e->status == TDM_OK)
    e->status =
        tdm_tally_new(model, tdm_tally_expected_ns(model),
                      options->lean ? options->warmup_ns : TDM_TALLY_WHOLE, &e->tally, error);
  if (e->status == TDM_OK) e->status = tdm_fleet_open(e);
  if (e->status == TDM_OK) e->status = tdm_failure_open(e);
  if (e->status == TDM_OK) e->status = tdm_generate_open(e);
  if (e->status == TDM_OK) e->status = tdm_slices_open(e);
  if (e->status == TDM_OK) e->status = tdm_record_open(e); /* announces what is there */
  if (e->status == TDM_OK) e->status = tdm_batch_open(e);
  if (e->status == TDM_OK) open_plain_ops(e);
  if (e->status == TDM_OK) {
    e->arrival_slice_end_ns = e->tally->slice_ns;
    tdm_engine_open_classes(e);
    tdm_engine_start_classes(e);
    if (model->tick_s > 0 && (e->hook_events & 1u << TDM_HOOK_TICK))
      tdm_timer_set(e, tdm_round_ns(model->tick_s * 1e9), TDM_TIMER_TICK, 0);
  }
  if (e->status != TDM_OK) {
    tdm_status status = e->status;
    tdm_engine_close(e);
    return status;
  }
  *out = e;
  return TDM_OK;
}

void tdm_engine_close(tdm_engine *e) {
  if (e == NULL) return;
  const tdm_model *m = e->model;
  for (size_t i = 0; e->stations != NULL && i < m->station_count; i++) {
    free(e->stations[i].batchers);
    free(e->stations[i].jobs);
    free(e->stations[i].serving);
  }
  for (size_t i = 0; e->links != NULL && i < m->link_count; i++) free(e->links[i].flows);
  for (size_t i = 0; e->hooks != NULL && e->hooks->forget != NULL && i < e->request_count; i++)
    if (e->more[i].handle != 0) e->hooks->forget(e->hooks->context, e->more[i].handle);
  tdm_generate_close(e);
  tdm_handover_close(e);
  tdm_event_set_close(&e->events);
  tdm_tally_free(e->tally);
  free(e->stages);
  free(e->stations);
  free(e->batchers);
  free(e->links);
  free(e->memories);
  free(e->gpus);
  free(e->fleets);
  free(e->classes);
  free(e->failures);
  free(e->plain_ops);
  free(e->turns);
  free(e->group_streams);
  free(e->sums);
  free(e->largest);
  free(e->candidates);
  free(e->requests);
  free(e->more);
  free(e->state);
  free(e->timers);
  free(e->spans);
  free(e->records);
  free(e->values);
  free(e->departures);
  free(e);
}
