/* A chain's life: opening, the source of requests, sending chunks through the stations, counting
 * those that leave, writing the tally. The stations themselves are serve.c's.
 * Called by lowered.c. */
#include "engine/lowered/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exponential.h"
#include "base/histogram.h"
#include "base/memory.h"

/* ---- notes at slice ends */

static int64_t bound_after(const tdm_tally *tally, uint32_t slice, bool open_ended) {
  return slice >= TDM_SLICES || (open_ended && slice == TDM_SLICES - 1)
             ? INT64_MAX
             : tally->bounds_ns[slice + 1];
}

/* ∫ (those past the point) dt, of the slice that ends at t_ns. */
static void add_areas(const tdm_passage *p, uint32_t k, int64_t t_ns) {
  uint64_t past = p->count * (uint64_t)t_ns - p->time_sum;
  if (p->begins != NULL) {
    int64_t *area = &p->begins[k * TDM_AREA_STEP];
    *area = (int64_t)((uint64_t)*area + past);
  }
  if (p->ends != NULL) {
    int64_t *area = &p->ends[k * TDM_AREA_STEP];
    *area = (int64_t)((uint64_t)*area - past);
  }
}

/* Runs bounded by their number of requests have no known end: their last slice is open. The bound
 * of that slice is INT64_MAX in the tally while the chain runs. */
void tdm_passage_note(tdm_passage *p, const tdm_tally *tally) {
  if (p->noted != NULL) {
    p->noted->count[p->slice] = p->count;
    p->noted->time_sum[p->slice] = p->time_sum;
  }
  add_areas(p, p->slice, tally->bounds_ns[p->slice + 1]);
  p->slice++;
  p->bound_ns = bound_after(tally, p->slice, tally->window_ns < 0);
}

void tdm_chain_note_start(tdm_link_in_chain *link, tdm_tally *tally) {
  tdm_tally_note_stage(tally, link->stage_index, link->starts.slice, &link->note);
  link->note.max_wait_ns = 0;
  tdm_passage_note(&link->starts, tally);
}

/* ---- life */

static tdm_status open_link(tdm_chain *chain, size_t i, const tdm_op *op, uint64_t seed,
                            uint32_t replication) {
  const tdm_stage *stage = &chain->model->stages[op->a];
  tdm_link_in_chain *link = &chain->links[i];
  link->stage = stage;
  link->stage_index = op->a;
  link->station_index = op->code == TDM_OP_DELAY ? TDM_NO_INDEX : stage->station;
  link->servers =
      op->code == TDM_OP_DELAY ? TDM_UNLIMITED : chain->model->stations[stage->station].servers;
  link->stream = tdm_stream_named(seed, replication, stage->stream);
  link->draws = tdm_stream_child(link->stream, stage->cost.child);
  link->mean_ns = stage->cost.mean * 1e9;
  link->constant_ns = tdm_round_ns(stage->cost.constant * 1e9);
  bool constant = stage->cost.kind == TDM_COST_CONSTANT;
  link->keeps_order = link->servers == 1 || constant;
  link->in_order = i == 0 || (link[-1].in_order && link[-1].keeps_order);
  link->enters.bound_ns = link->starts.bound_ns = chain->tally->bounds_ns[1];
  link->enters.ends = i > 0 ? link[-1].starts.begins : NULL;
  if (link->station_index != TDM_NO_INDEX) {
    tdm_station_note *areas =
        &chain->tally->stations[(size_t)link->station_index * (TDM_SLICES + 1)];
    link->enters.begins = link->starts.ends = &areas->queue_area_ns;
    link->starts.begins = &areas->busy_area_ns;
  }
  if (link->servers == TDM_UNLIMITED) return TDM_OK;
  link->pool = tdm_array_new(link->servers, sizeof *link->pool);
  link->pool_count = link->ghosts = link->servers;
  if (link->pool == NULL)
    return tdm_error_memory(chain->error, "servers", link->servers * sizeof *link->pool);
  for (uint32_t k = 0; k < link->servers; k++) link->pool[k] = (tdm_server){.free_ns = -1};
  return TDM_OK;
}

static tdm_status announce(const tdm_chain *chain) {
  const tdm_sink *sink = chain->sink;
  const tdm_model *m = chain->model;
  tdm_status status = TDM_OK;
  for (uint32_t k = 0; sink->track != NULL && k < 2 * m->station_count && status == TDM_OK; k++) {
    const tdm_station *s = &m->stations[k / 2];
    tdm_sink_track track = {.id = k,
                            .process = s->gpu != TDM_NO_INDEX ? m->gpus[s->gpu].name : "host",
                            .name = s->name,
                            .lane = k % 2 == 1 ? TDM_LANE_QUEUE : s->lane,
                            .capacity = k % 2 == 1 || s->servers == TDM_UNLIMITED ? 0 : s->servers};
    status = sink->track(sink->context, &track, chain->error);
  }
  for (uint32_t k = 0; sink->track != NULL && k < m->memory_count && status == TDM_OK; k++) {
    uint32_t gpu = m->memories[k].gpu;
    tdm_sink_track track = {.id = 2 * (uint32_t)m->station_count + k,
                            .process = gpu != TDM_NO_INDEX ? m->gpus[gpu].name : "host",
                            .name = m->memories[k].name,
                            .lane = TDM_LANE_QUEUE};
    status = sink->track(sink->context, &track, chain->error);
  }
  tdm_sink_track outside = {.id = (uint32_t)(2 * m->station_count + m->memory_count),
                            .process = "host",
                            .name = "outside",
                            .lane = TDM_LANE_OTHER};
  if (sink->track != NULL && status == TDM_OK)
    status = sink->track(sink->context, &outside, chain->error);
  for (uint32_t i = 0; sink->name != NULL && i < m->stage_count && status == TDM_OK; i++)
    status = sink->name(sink->context, i, m->stages[i].name, chain->error);
  for (uint32_t i = 0; chain->values != NULL && i < m->attr_count && status == TDM_OK; i++)
    status = sink->attribute(sink->context, i, m->attrs[i], chain->error);
  return status;
}

/* Whether the sink wants the requests' attributes, and there are any. */
static bool tells_attributes(const tdm_chain *chain) {
  return chain->sink != NULL && chain->sink->requests != NULL && chain->sink->attribute != NULL &&
         chain->model->attr_count > 0;
}

static bool needs_columns(const tdm_chain *chain) {
  if (tells_attributes(chain)) return true;
  for (size_t i = 0; i < chain->link_count; i++) {
    const tdm_stage *stage = chain->links[i].stage;
    if (stage->cost.kind == TDM_COST_EXPR && tdm_expr_uses_attrs(stage->cost.expr) != 0)
      return true;
    if (stage->moves_bytes && stage->bytes.kind == TDM_COST_EXPR &&
        tdm_expr_uses_attrs(stage->bytes.expr) != 0)
      return true;
  }
  return false;
}

static tdm_status open_chain(tdm_chain *chain, uint64_t seed, uint32_t replication,
                             int64_t lean_ns) {
  const tdm_model *m = chain->model;
  char name[256];
  snprintf(name, sizeof name, "class/%s", chain->class->name);
  tdm_stream stream = tdm_stream_named(seed, replication, name);
  tdm_arrival_cursor_open(&chain->cursor, chain->class->arrivals, tdm_stream_child(stream, 0),
                          NULL);
  chain->attrs = tdm_stream_child(stream, 1);
  chain->picks = tdm_stream_child(stream, 7);
  tdm_status status =
      tdm_tally_new(m, tdm_tally_expected_ns(m), lean_ns, &chain->tally, chain->error);
  if (status != TDM_OK) return status;
  if (tdm_tally_open_ended(m)) chain->tally->window_ns = -1; /* see tdm_passage_note */
  chain->arrivals.bound_ns = chain->departures.bound_ns = chain->tally->bounds_ns[1];
  chain->arrivals.noted = &chain->arrived;
  chain->departures.noted = &chain->departed;
  uint32_t entry = chain->class->entry;
  while (m->ops[entry + chain->link_count].code != TDM_OP_END) chain->link_count++;
  chain->links = tdm_aligned_new(chain->link_count, sizeof *chain->links);
  if (chain->links == NULL)
    return tdm_error_memory(chain->error, "chain", chain->link_count * sizeof *chain->links);
  for (size_t i = 0; i < chain->link_count && status == TDM_OK; i++)
    status = open_link(chain, i, &m->ops[entry + i], seed, replication);
  if (chain->link_count > 0)
    chain->departures.ends = chain->links[chain->link_count - 1].starts.begins;
  if (status == TDM_OK && needs_columns(chain)) {
    chain->columns = tdm_aligned_new(m->attr_count * TDM_CHUNK, sizeof *chain->columns);
    chain->column_of = tdm_array_new(m->attr_count, sizeof *chain->column_of);
    if (chain->columns == NULL || chain->column_of == NULL)
      return tdm_error_memory(chain->error, "columns", m->attr_count * TDM_CHUNK * 8);
  }
  if (chain->sink != NULL && status == TDM_OK) {
    chain->spans = tdm_aligned_new(1, sizeof *chain->spans);
    chain->records = tdm_array_new(TDM_CHUNK, sizeof *chain->records);
    if (chain->spans == NULL || chain->records == NULL)
      return tdm_error_memory(chain->error, "trace blocks", sizeof *chain->spans);
    if (tells_attributes(chain)) {
      chain->values = tdm_array_new(TDM_CHUNK * m->attr_count, sizeof *chain->values);
      if (chain->values == NULL)
        return tdm_error_memory(chain->error, "attributes", TDM_CHUNK * m->attr_count * 8);
    }
    status = announce(chain);
  }
  return status;
}

tdm_status tdm_chain_open(const tdm_model *model, uint64_t seed, uint32_t replication,
                          int64_t lean_ns, const tdm_sink *sink, tdm_chain **out,
                          tdm_error *error) {
  tdm_chain *chain = tdm_aligned_new(1, sizeof *chain);
  *out = chain;
  if (chain == NULL) return tdm_error_memory(error, "chain", sizeof *chain);
  chain->model = model;
  chain->class = &model->classes[0];
  chain->sink = sink;
  chain->error = error;
  return open_chain(chain, seed, replication, lean_ns);
}

void tdm_chain_close(tdm_chain *chain) {
  if (chain == NULL) return;
  for (size_t i = 0; chain->links != NULL && i < chain->link_count; i++) free(chain->links[i].pool);
  free(chain->links);
  tdm_tally_free(chain->tally);
  free(chain->columns);
  free(chain->column_of);
  free(chain->spans);
  free(chain->records);
  free(chain->values);
  free(chain);
}

/* ---- source */

static bool next_arrival(tdm_chain *chain) {
  if (chain->pending > 0) return true;
  if (!tdm_arrival_next(&chain->cursor, &chain->pending_ns, &chain->pending) ||
      chain->pending_ns >= chain->model->duration_ns) {
    chain->source_ended = true;
    return false;
  }
  chain->groups++;
  return true;
}

/* A whole chunk of Poisson arrivals at once; false when it might reach an end, a slice's end, or
 * the middle of the cursor's block. */
static bool source_block(tdm_chain *chain, size_t limit) {
  tdm_arrival_cursor *c = &chain->cursor;
  tdm_flow *flow = &chain->flow;
  if (c->gap_mean_ns < 0 || c->arrivals->batch != NULL || limit < TDM_CHUNK || c->n % 64 != 0 ||
      chain->pending > 0 || chain->model->requests - chain->issued < TDM_CHUNK ||
      c->time_ns > INT64_MAX / 4)
    return false;
  tdm_exponential_run(c->gaps, c->n, TDM_CHUNK, c->gap_mean_ns, flow->time_ns);
  int64_t time_ns = c->time_ns;
  uint64_t sum = 0;
  for (size_t i = 0; i < TDM_CHUNK; i++) {
    time_ns += flow->time_ns[i];
    flow->time_ns[i] = flow->arrival_ns[i] = time_ns;
    flow->id[i] = chain->issued + i;
    sum += (uint64_t)time_ns;
  }
  if (time_ns >= chain->model->duration_ns || time_ns >= chain->arrivals.bound_ns) return false;
  c->n += TDM_CHUNK;
  c->time_ns = chain->tally->last_arrival_ns = time_ns;
  chain->issued += TDM_CHUNK;
  chain->groups += TDM_CHUNK;
  chain->arrivals.count += TDM_CHUNK;
  chain->arrivals.time_sum += sum;
  flow->count = TDM_CHUNK;
  if (chain->issued >= chain->model->requests) chain->source_ended = true;
  return true;
}

static void source(tdm_chain *chain, size_t limit) {
  tdm_flow *flow = &chain->flow;
  if (source_block(chain, limit)) return;
  flow->count = 0;
  while (flow->count < limit && chain->issued < chain->model->requests && next_arrival(chain)) {
    size_t i = flow->count++;
    chain->pending--;
    flow->id[i] = chain->issued++;
    flow->time_ns[i] = flow->arrival_ns[i] = chain->pending_ns;
    tdm_passage_add(&chain->arrivals, chain->tally, chain->pending_ns);
    chain->tally->last_arrival_ns = chain->pending_ns;
  }
  if (chain->issued >= chain->model->requests) chain->source_ended = true;
}

/* ---- leaving */

/* `i`: which of the flow that leaves, whose attributes are in the columns. */
static void record_request(tdm_chain *chain, size_t i, uint64_t id, int64_t arrival_ns,
                           int64_t end_ns) {
  size_t attrs = chain->model->attr_count;
  for (uint32_t slot = 0; chain->values != NULL && slot < attrs; slot++)
    chain->values[chain->record_count * attrs + slot] =
        tdm_class_has_attribute(chain->class, slot) ? chain->column_of[slot][i] : NAN;
  chain->records[chain->record_count++] = (tdm_request_record){.request = id,
                                                               .arrival_ns = arrival_ns,
                                                               .end_ns = end_ns,
                                                               .gpu = -1,
                                                               .outcome = TDM_OUTCOME_OK};
  if (chain->record_count < TDM_CHUNK) return;
  tdm_status status = chain->sink->requests(chain->sink->context, chain->records, chain->values,
                                            chain->record_count, chain->error);
  chain->record_count = 0;
  if (status != TDM_OK && chain->status == TDM_OK) chain->status = status;
}

/* A chunk of one slice of arrivals that ends before the next slice of departures, and wholly before
 * or after latencies go to histograms: no look at bounds. False: nothing is changed. */
static bool leave_quickly(tdm_chain *chain, const tdm_flow *flow) {
  tdm_tally *tally = chain->tally;
  tdm_class_slice *slice = tdm_tally_slice(tally, 0, chain->done_slice);
  tdm_exact *exact = &tally->exact[0];
  bool kept = exact->count + flow->count <= TDM_EXACT_LIMIT;
  int64_t low_ns = tally->bounds_ns[chain->done_slice];
  int64_t high_ns =
      chain->done_slice < TDM_SLICES - 1 ? tally->bounds_ns[chain->done_slice + 1] : INT64_MAX;
  uint64_t within = 0, time_sum = 0;
  int64_t sum_ns = 0, least_ns = INT64_MAX, most_ns = INT64_MIN;
  bool inside = true;
  if ((slice->counts == NULL && !kept) || (chain->sink != NULL && chain->sink->requests != NULL) ||
      flow->time_ns[flow->count - 1] >= chain->departures.bound_ns ||
      tally->series.batch - tally->series.filled <= flow->count)
    return false;
  for (size_t i = 0; i < flow->count; i++)
    inside &= flow->arrival_ns[i] >= low_ns && flow->arrival_ns[i] < high_ns;
  if (!inside) return false;
  for (size_t i = 0; i < flow->count; i++) {
    int64_t latency_ns = flow->time_ns[i] - flow->arrival_ns[i];
    time_sum += (uint64_t)flow->time_ns[i];
    sum_ns += latency_ns;
    within += latency_ns <= chain->class->slo_ns;
    least_ns = latency_ns < least_ns ? latency_ns : least_ns;
    most_ns = latency_ns > most_ns ? latency_ns : most_ns;
  }
  if (kept) {
    for (size_t i = 0; i < flow->count; i++)
      exact->latency_ns[exact->count + i] = flow->time_ns[i] - flow->arrival_ns[i];
    memset(exact->slice + exact->count, (int)chain->done_slice, flow->count);
  } else {
    for (size_t i = 0; i < flow->count; i++)
      slice->counts[tdm_histogram_bucket(flow->time_ns[i] - flow->arrival_ns[i])]++;
  }
  slice->completed += flow->count;
  slice->latency_ns += sum_ns;
  slice->within_slo += within;
  if (least_ns < slice->min_ns) slice->min_ns = least_ns;
  if (most_ns > slice->max_ns) slice->max_ns = most_ns;
  exact->count += flow->count;
  tally->series.sum_ns += sum_ns;
  tally->series.filled += flow->count;
  chain->departures.count += flow->count;
  chain->departures.time_sum += time_sum;
  tally->end_ns = flow->time_ns[flow->count - 1];
  return true;
}

static void leave(tdm_chain *chain, const tdm_flow *flow) {
  tdm_tally *tally = chain->tally;
  bool records = chain->sink != NULL && chain->sink->requests != NULL;
  if (leave_quickly(chain, flow)) return;
  if (chain->values != NULL) tdm_chain_columns(chain, flow->id, flow->count);
  for (size_t i = 0; i < flow->count; i++) {
    int64_t end_ns = flow->time_ns[i], arrival_ns = flow->arrival_ns[i];
    int64_t latency_ns = end_ns - arrival_ns;
    while (arrival_ns >= tally->bounds_ns[chain->done_slice + 1] &&
           chain->done_slice < TDM_SLICES - 1)
      chain->done_slice++;
    while (arrival_ns < tally->bounds_ns[chain->done_slice]) chain->done_slice--;
    tdm_class_slice *slice = tdm_tally_slice(tally, 0, chain->done_slice);
    if (!tdm_tally_latency(tally, 0, chain->done_slice, latency_ns)) {
      chain->status = tdm_error_memory(chain->error, "latency histogram", 0);
      return;
    }
    slice->completed++;
    slice->latency_ns += latency_ns;
    slice->within_slo += latency_ns <= chain->class->slo_ns;
    if (latency_ns < slice->min_ns) slice->min_ns = latency_ns;
    if (latency_ns > slice->max_ns) slice->max_ns = latency_ns;
    tdm_series_add(&tally->series, latency_ns, arrival_ns);
    tdm_passage_add(&chain->departures, tally, end_ns);
    if (end_ns > tally->end_ns) tally->end_ns = end_ns;
    if (records) record_request(chain, i, flow->id[i], arrival_ns, end_ns);
  }
}

/* ---- stations */

static void pass(tdm_chain *chain, size_t from) {
  for (size_t k = from; k < chain->link_count && chain->flow.count > 0; k++) {
    tdm_chain_serve(chain, &chain->links[k], &chain->flow);
    if (chain->status != TDM_OK) return;
  }
  if (chain->flow.count > 0) leave(chain, &chain->flow);
}

bool tdm_chain_chunk(tdm_chain *chain, size_t limit) {
  if (chain->source_ended) return false;
  source(chain, limit);
  pass(chain, 0);
  return !chain->source_ended;
}

/* Empties station after station, in order of the chain. */
void tdm_chain_drain(tdm_chain *chain) {
  for (size_t k = 0; k < chain->link_count && chain->status == TDM_OK; k++)
    while (chain->status == TDM_OK && tdm_chain_empty(&chain->links[k], &chain->flow))
      pass(chain, k + 1);
}

/* ---- the books */

static void close_passage(tdm_passage *p, const tdm_tally *tally) {
  while (p->slice < TDM_SLICES) tdm_passage_note(p, tally);
}

/* ∫ (those past `in` and not past `out`) dt up to t, from what both had noted there. */
static int64_t area(uint64_t in_count, uint64_t in_sum, uint64_t out_count, uint64_t out_sum,
                    int64_t t_ns) {
  return (int64_t)(out_sum - in_sum + (in_count - out_count) * (uint64_t)t_ns);
}

static int64_t area_at(const tdm_passage *in, const tdm_passage *out, uint32_t k, int64_t t_ns) {
  if (k == TDM_SLICES) return area(in->count, in->time_sum, out->count, out->time_sum, t_ns);
  return area(in->noted->count[k], in->noted->time_sum[k], out->noted->count[k],
              out->noted->time_sum[k], t_ns);
}

void tdm_chain_settle(tdm_chain *chain, bool interrupted) {
  tdm_tally *t = chain->tally;
  bool bounded = !tdm_tally_open_ended(chain->model) && !interrupted;
  t->window_ns = bounded ? t->bounds_ns[TDM_SLICES] : t->end_ns;
  for (uint32_t k = 0; k < TDM_SLICES && !bounded; k++) {
    bool last = k == TDM_SLICES - 1 || t->bounds_ns[k + 1] >= t->end_ns;
    if (last) t->bounds_ns[k + 1] = t->end_ns;
  }
  int64_t final_ns = t->end_ns > t->window_ns ? t->end_ns : t->window_ns;
  close_passage(&chain->arrivals, t);
  close_passage(&chain->departures, t);
  t->events = chain->groups;
  for (size_t i = 0; i < chain->link_count; i++) {
    tdm_link_in_chain *link = &chain->links[i];
    while (link->starts.slice < TDM_SLICES) tdm_chain_note_start(link, t);
    close_passage(&link->enters, t);
    add_areas(&link->enters, TDM_SLICES, final_ns);
    add_areas(&link->starts, TDM_SLICES, final_ns);
    tdm_tally_note_stage(t, link->stage_index, TDM_SLICES, &link->note);
    t->events += link->note.visits;
  }
  add_areas(&chain->departures, TDM_SLICES, final_ns);
  for (uint32_t k = 0; k <= TDM_SLICES; k++) {
    int64_t at_ns = k < TDM_SLICES ? t->bounds_ns[k + 1] : final_ns;
    t->in_system_ns[k] = area_at(&chain->arrivals, &chain->departures, k, at_ns);
    t->finished[k] = k < TDM_SLICES ? chain->departed.count[k] : chain->departures.count;
    if (k == TDM_SLICES) break;
    uint64_t until = k < TDM_SLICES - 1 ? chain->arrived.count[k] : chain->arrivals.count;
    uint64_t before = k > 0 ? chain->arrived.count[k - 1] : 0;
    tdm_tally_slice(t, 0, k)->arrived = until - before;
  }
  t->open = chain->arrivals.count - chain->departures.count;
  t->interrupted = interrupted;
  if (chain->spans == NULL) return;
  tdm_chain_flush_spans(chain);
  if (chain->record_count > 0 && chain->status == TDM_OK)
    chain->status = chain->sink->requests(chain->sink->context, chain->records, chain->values,
                                          chain->record_count, chain->error);
}
