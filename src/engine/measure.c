/* Tally → measure: cuts the warm-up off, turns sums into means.
 * Owns nothing. Called by parallel/replicate on the thread that ran the replication. */
#include "engine/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "engine/latency.h"

const double tdm_quantile_levels[TDM_QUANTILES] = {0.5, 0.9, 0.95, 0.99, 0.999};
const double tdm_llm_levels[TDM_LLM_LEVELS] = {0.01, 0.05, 0.1, 0.15, 0.2,  0.25, 0.3, 0.35,
                                               0.4,  0.45, 0.5, 0.55, 0.6,  0.65, 0.7, 0.75,
                                               0.8,  0.85, 0.9, 0.95, 0.99, 0.999};

static double ratio(double a, double b) {
  return b > 0 ? a / b : NAN;
}
/* Of a time average: in a window without length nothing was busy. */
static double share(double area, double window) {
  return window > 0 ? area / window : 0;
}
static double seconds(int64_t ns) {
  return (double)ns / 1e9; /* one rounding: equal times stay equal */
}

static double *batch_means(const tdm_series *series) {
  double *means = tdm_array_new(series->count, sizeof *means);
  for (size_t i = 0; means != NULL && i < series->count; i++)
    means[i] = seconds(series->sums_ns[i]) / (double)series->batch;
  return means;
}

/* First slice that is kept. Never more than half is left out: the rest must carry the estimate. */
static uint32_t first_slice(const tdm_tally *t, int64_t warmup_ns) {
  uint32_t slice = 0;
  while (slice < TDM_SLICES / 2 && t->bounds_ns[slice] < warmup_ns) slice++;
  return slice;
}

static void take_stages(const tdm_tally *t, uint32_t from, tdm_measure *m) {
  for (size_t i = 0; i < t->stage_count; i++) {
    const tdm_stage_note *notes = &t->stages[i * (TDM_SLICES + 1)];
    tdm_stage_note start = from > 0 ? notes[from - 1] : (tdm_stage_note){0};
    const tdm_stage_note *end = &notes[TDM_SLICES]; /* all who came are served in the end */
    tdm_stage_measure *out = &m->stages[i];
    out->visits = end->visits - start.visits;
    out->delayed = end->delayed - start.delayed;
    out->batches = end->batches - start.batches;
    out->wait_s = ratio(seconds(end->wait_ns - start.wait_ns), (double)out->visits);
    out->service_s = ratio(seconds(end->service_ns - start.service_ns), (double)out->visits);
    int64_t max_ns = 0;
    for (uint32_t k = from; k <= TDM_SLICES; k++)
      if (notes[k].max_wait_ns > max_ns) max_ns = notes[k].max_wait_ns;
    out->max_wait_s = seconds(max_ns);
  }
}

static void take_stations(const tdm_model *model, const tdm_tally *t, uint32_t from,
                          tdm_measure *m) {
  double window_s = seconds(t->window_ns - t->bounds_ns[from]);
  bool open_ended = tdm_tally_open_ended(model);
  double arriving_s = seconds(open_ended ? t->last_arrival_ns : t->window_ns);
  for (size_t i = 0; i < t->station_count; i++) {
    const tdm_station *station = &model->stations[i];
    const tdm_station_note *notes = &t->stations[i * (TDM_SLICES + 1)];
    tdm_station_note start = from > 0 ? notes[from - 1] : (tdm_station_note){0};
    const tdm_station_note *end = &notes[TDM_SLICES - 1];
    bool shared = station->discipline == TDM_PS;
    /* An unlimited station has no capacity: its utilization is the mean number at work. */
    double servers = shared || station->servers == TDM_UNLIMITED ? 1 : (double)station->servers;
    double capacity_s = servers * window_s;
    tdm_station_measure *out = &m->stations[i];
    out->utilization = share(seconds(end->busy_area_ns - start.busy_area_ns), capacity_s);
    out->queue = share(seconds(end->queue_area_ns - start.queue_area_ns), window_s);
    out->down = share(seconds(end->down_area_ns - start.down_area_ns), window_s);
    /* All the work that came in the whole window was done by the end of the drain. */
    out->offered = ratio(seconds(notes[TDM_SLICES].busy_area_ns), servers * arriving_s);
  }
  for (size_t i = 0; i < t->memory_count; i++) {
    const tdm_memory_note *notes = &t->memories[i * (TDM_SLICES + 1)];
    tdm_memory_note start = from > 0 ? notes[from - 1] : (tdm_memory_note){0};
    const tdm_memory_note *end = &notes[TDM_SLICES - 1];
    m->memories[i].utilization =
        share(end->held_area - start.held_area, window_s * model->memories[i].bytes);
    m->memories[i].queue = share(seconds(end->queue_area_ns - start.queue_area_ns), window_s);
  }
}

static void take_links(const tdm_model *model, const tdm_tally *t, uint32_t from, tdm_measure *m) {
  double window_s = seconds(t->window_ns - t->bounds_ns[from]);
  double arriving_s = seconds(tdm_tally_open_ended(model) ? t->last_arrival_ns : t->window_ns);
  for (size_t i = 0; i < t->link_count; i++) {
    const double *moved = &t->links[i * (TDM_SLICES + 1)];
    double bandwidth = model->links[i].bandwidth;
    m->links[i].utilization =
        share(moved[TDM_SLICES - 1] - (from > 0 ? moved[from - 1] : 0), bandwidth * window_s);
    m->links[i].offered = ratio(moved[TDM_SLICES], bandwidth * arriving_s);
  }
}

/* ---- LLM servers */

/* A class's levels, then those of distributions. */
static double *levels_of(const tdm_class *class) {
  double *levels = tdm_array_new(class->slo_count + TDM_LLM_LEVELS, sizeof *levels);
  if (levels == NULL) return NULL;
  for (size_t i = 0; i < class->slo_count; i++) levels[i] = class->slo_levels[i];
  memcpy(levels + class->slo_count, tdm_llm_levels, sizeof tdm_llm_levels);
  return levels;
}

static bool take_stage_times(const tdm_class *class, size_t first, size_t each, const tdm_tally *t,
                             uint32_t from, tdm_histogram *scratch, size_t stage,
                             tdm_server_measure *out) {
  double *levels = levels_of(class);
  bool room = levels != NULL;
  for (size_t kind = 0; kind < TDM_LLM_TIMES && room; kind++)
    room = tdm_latency_take(t, first + kind * each + stage, 1, from, levels,
                            class->slo_count + TDM_LLM_LEVELS, scratch,
                            &out->stage_times[kind][stage]);
  free(levels);
  return room;
}

static bool take_times(const tdm_model *model, const tdm_llm_server *server, const tdm_tally *t,
                       uint32_t from, tdm_histogram *scratch, tdm_server_measure *out) {
  size_t each = server->stage_count;
  bool room = true;
  for (size_t kind = 0; kind < TDM_LLM_TIMES && room; kind++)
    room = tdm_latency_take(t, server->first_times + kind * each, each, from, tdm_llm_levels,
                            TDM_LLM_LEVELS, scratch, &out->times[kind]);
  for (size_t i = 0; i < each && room; i++)
    room = take_stage_times(&model->classes[model->stages[server->stages[i]].class_index],
                            server->first_times, each, t, from, scratch, i, out);
  for (size_t kind = 0; kind < TDM_LLM_TIMES; kind++)
    for (size_t i = 0; i < server->tenant_count && room; i++)
      room = tdm_latency_take(t, server->tenant_times + kind * server->tenant_count + i, 1, from,
                              tdm_llm_levels, TDM_LLM_LEVELS, scratch, &out->tenant_times[kind][i]);
  return room;
}

/* What slices from … last added to a pool's counts. */
static tdm_pool_note during(const tdm_pool_note *notes, uint32_t from, uint32_t last) {
  tdm_pool_note start = from > 0 ? notes[from - 1] : (tdm_pool_note){0};
  tdm_pool_note sum = notes[last];
  sum.steps -= start.steps, sum.busy_ns -= start.busy_ns, sum.sequences -= start.sequences;
  sum.output_tokens -= start.output_tokens, sum.prompt_tokens -= start.prompt_tokens;
  sum.cached_tokens -= start.cached_tokens, sum.finished -= start.finished;
  sum.preemptions -= start.preemptions, sum.handed_over -= start.handed_over;
  sum.swapped_out -= start.swapped_out, sum.swapped_in -= start.swapped_in;
  sum.drafted -= start.drafted, sum.accepted -= start.accepted;
  sum.adapter_loads -= start.adapter_loads;
  sum.kv_moved -= start.kv_moved, sum.kv_area -= start.kv_area, sum.restarts -= start.restarts;
  sum.api_ns -= start.api_ns, sum.energy_j -= start.energy_j;
  sum.replica_area_ns -= start.replica_area_ns, sum.prefill_tokens -= start.prefill_tokens;
  for (size_t why = 0; why < TDM_SERVING_HELD; why++) sum.held_ns[why] -= start.held_ns[why];
  return sum;
}

static void add_note(tdm_pool_note *to, const tdm_pool_note *one) {
  to->steps += one->steps, to->busy_ns += one->busy_ns, to->sequences += one->sequences;
  to->output_tokens += one->output_tokens, to->prompt_tokens += one->prompt_tokens;
  to->cached_tokens += one->cached_tokens, to->finished += one->finished;
  to->preemptions += one->preemptions, to->handed_over += one->handed_over;
  to->swapped_out += one->swapped_out, to->swapped_in += one->swapped_in;
  to->drafted += one->drafted, to->accepted += one->accepted;
  to->adapter_loads += one->adapter_loads;
  to->kv_moved += one->kv_moved, to->kv_area += one->kv_area, to->restarts += one->restarts;
  to->api_ns += one->api_ns, to->energy_j += one->energy_j;
  to->replica_area_ns += one->replica_area_ns, to->prefill_tokens += one->prefill_tokens;
  for (size_t why = 0; why < TDM_SERVING_HELD; why++) to->held_ns[why] += one->held_ns[why];
}

/* Block-seconds and GPU-seconds that were held, `finished` requests. */
static void take_counts(const tdm_pool_note *note, double block_s, double gpu_s, double finished,
                        double window_s, tdm_pool_measure *out) {
  double steps = (double)note->steps, prompts = (double)note->prompt_tokens;
  out->steps = (uint64_t)note->steps;
  out->finished_per_s = ratio(finished, window_s);
  out->output_per_s = ratio((double)note->output_tokens, window_s);
  out->prompt_per_s = ratio(prompts, window_s);
  out->preemptions = ratio((double)note->preemptions, finished);
  out->swapped_out = ratio((double)note->swapped_out, finished);
  out->swapped_in = ratio((double)note->swapped_in, finished);
  out->accepted = ratio((double)note->accepted, (double)note->drafted);
  out->adapter_loads = ratio((double)note->adapter_loads, finished);
  out->batch = ratio((double)note->sequences, steps);
  out->step_s = ratio(seconds(note->busy_ns), steps);
  out->kv_mean = share(note->kv_area, block_s);
  out->moved_per_s = ratio(note->kv_moved, window_s);
  out->restarts = ratio((double)note->restarts, finished);
  out->replicas_mean = ratio(seconds(note->replica_area_ns), window_s);
  out->gpus_mean = ratio(gpu_s, window_s);
  out->gpu_s = gpu_s;
  out->cached = ratio((double)note->cached_tokens, prompts);
  for (size_t why = 0; why < TDM_SERVING_HELD; why++)
    out->held[why] = ratio((double)note->held_ns[why], (double)note->busy_ns);
  out->energy_j = note->energy_j;
  out->power_w = ratio(note->energy_j, window_s);
  out->token_j = ratio(note->energy_j, (double)note->output_tokens);
}

static void take_pools(const tdm_llm_server *server, const tdm_tally *t, uint32_t from,
                       double window_s, tdm_server_measure *out) {
  tdm_pool_note all = {0};
  double all_block_s = 0, all_gpu_s = 0;
  out->all.kv_peak = out->all.replicas_peak = 0;
  for (size_t i = 0; i < server->pool_count; i++) {
    const tdm_replica_pool *pool = &server->pools[i];
    const tdm_pool_note *notes = &t->pools[(server->first_pool + i) * (TDM_SLICES + 1)];
    double each = (double)pool->config.blocks, kv = 0, replicas = 0;
    tdm_pool_note sum = during(notes, from, TDM_SLICES - 1);
    double held_s = seconds(sum.replica_area_ns);
    double block_s = held_s * each * pool->lanes, gpu_s = held_s * pool->gpus;
    sum.energy_j += pool->power != NULL ? pool->power->idle * pool->power->limit_w * gpu_s : NAN;
    take_counts(&sum, block_s, gpu_s, (double)sum.finished, window_s, &out->pools[i]);
    for (uint32_t k = from; k < TDM_SLICES; k++) {
      kv = fmax(kv, (double)notes[k].kv_peak / each);
      replicas = fmax(replicas, (double)notes[k].replica_peak);
    }
    out->pools[i].kv_peak = kv;
    out->pools[i].replicas_peak = replicas;
    out->all.kv_peak = fmax(out->all.kv_peak, kv);
    out->all.replicas_peak += replicas; /* of each pool by itself */
    all_block_s += block_s;
    all_gpu_s += gpu_s;
    add_note(&all, &sum);
  }
  double done = (double)(all.finished - all.handed_over);
  take_counts(&all, all_block_s, all_gpu_s, done, window_s, &out->all);
  out->api = ratio(seconds(all.api_ns), window_s * (double)server->api.workers);
  out->goodput_per_s = ratio((double)out->times[TDM_LLM_E2E].within_slo, window_s);
}

/* ---- stages and tenants */

static tdm_taker_slice taken(const tdm_tally *t, size_t taker, uint32_t from) {
  tdm_taker_slice sum = {0};
  for (uint32_t k = from; k < TDM_SLICES; k++) {
    sum.prompt_tokens += t->takers[taker * TDM_SLICES + k].prompt_tokens;
    sum.output_tokens += t->takers[taker * TDM_SLICES + k].output_tokens;
  }
  return sum;
}

/* Jain's index of tokens as the first pool weighs them by the shares of tenants: 1 when each got
 * what was due to it, 1/n when one got all. Of those that got something. */
static double fairness_of(const tdm_llm_server *server, const tdm_tally *t, uint32_t from) {
  const tdm_serving_config *c = &server->pools[0].config;
  double sum = 0, squares = 0, count = 0;
  if (server->tenant_count == 0) return NAN;
  for (size_t i = 0; i < TDM_TENANTS_TOLD; i++) {
    tdm_taker_slice one = taken(t, server->first_taker + server->stage_count + i, from);
    double share = i < c->tenant_count ? c->tenant_weights[i] : 1;
    double service = (c->input_weight * (double)one.prompt_tokens +
                      c->output_weight * (double)one.output_tokens) /
                     share;
    if (!(service > 0)) continue;
    sum += service, squares += service * service, count++;
  }
  return ratio(sum * sum, count * squares);
}

static void take_takers(const tdm_llm_server *server, const tdm_tally *t, uint32_t from,
                        double window_s, tdm_server_measure *out) {
  for (size_t i = 0; i < server->stage_count + server->tenant_count; i++) {
    const tdm_class_measure *e2e = i < server->stage_count
                                       ? &out->stage_times[TDM_LLM_E2E][i]
                                       : &out->tenant_times[TDM_LLM_E2E][i - server->stage_count];
    tdm_taker_slice sum = taken(t, server->first_taker + i, from);
    out->takers[i].output_per_s = ratio((double)sum.output_tokens, window_s);
    out->takers[i].prompt_per_s = ratio((double)sum.prompt_tokens, window_s);
    out->takers[i].goodput_per_s = ratio((double)e2e->within_slo, window_s);
  }
  out->fairness = fairness_of(server, t, from);
}

static bool open_tenants(const tdm_llm_server *server, tdm_server_measure *out) {
  out->tenant_count = server->tenant_count;
  out->takers = tdm_array_new(server->stage_count + server->tenant_count, sizeof *out->takers);
  if (out->takers == NULL) return false;
  for (size_t kind = 0; kind < TDM_LLM_TIMES; kind++) {
    tdm_class_measure *times = tdm_array_new(server->tenant_count, sizeof *times);
    out->tenant_times[kind] = times;
    if (times == NULL) return false;
    for (size_t i = 0; i < server->tenant_count; i++) {
      times[i].slo_s = tdm_array_new(TDM_LLM_LEVELS, sizeof(double));
      if (times[i].slo_s == NULL) return false;
    }
  }
  return true;
}

static bool open_server(const tdm_model *model, const tdm_llm_server *server,
                        tdm_server_measure *out) {
  out->stage_count = server->stage_count;
  out->pools = tdm_array_new(server->pool_count, sizeof *out->pools);
  if (out->pools == NULL) return false;
  for (size_t kind = 0; kind < TDM_LLM_TIMES; kind++) {
    out->stage_times[kind] = tdm_array_new(server->stage_count, sizeof *out->stage_times[kind]);
    out->times[kind].slo_s = tdm_array_new(TDM_LLM_LEVELS, sizeof(double));
    if (out->stage_times[kind] == NULL || out->times[kind].slo_s == NULL) return false;
    for (size_t i = 0; i < server->stage_count; i++) {
      const tdm_class *class = &model->classes[model->stages[server->stages[i]].class_index];
      double *levels = tdm_array_new(class->slo_count + TDM_LLM_LEVELS, sizeof *levels);
      out->stage_times[kind][i].slo_s = levels;
      if (levels == NULL) return false;
    }
  }
  return open_tenants(server, out);
}

static tdm_status take_servers(const tdm_model *model, const tdm_tally *t, uint32_t from,
                               tdm_histogram *scratch, tdm_measure *m, tdm_error *error) {
  double window_s = seconds(t->window_ns - t->bounds_ns[from]);
  for (size_t i = 0; i < model->server_count; i++) {
    const tdm_llm_server *server = &model->servers[i];
    if (!open_server(model, server, &m->servers[i]) ||
        !take_times(model, server, t, from, scratch, &m->servers[i]))
      return tdm_error_memory(error, "times of LLM servers", TDM_EXACT_LIMIT * sizeof(int64_t));
    take_pools(server, t, from, window_s, &m->servers[i]);
    take_takers(server, t, from, window_s, &m->servers[i]);
    m->servers[i].backlog = tdm_backlog_of(model, t, i);
  }
  return TDM_OK;
}

static void free_server(tdm_server_measure *server) {
  free(server->pools);
  for (size_t kind = 0; kind < TDM_LLM_TIMES; kind++) {
    tdm_class_measure *times = server->stage_times[kind];
    free(server->times[kind].slo_s);
    for (size_t i = 0; times != NULL && i < server->stage_count; i++) free(times[i].slo_s);
    free(times);
    times = server->tenant_times[kind];
    for (size_t i = 0; times != NULL && i < server->tenant_count; i++) free(times[i].slo_s);
    free(times);
  }
  free(server->takers);
}

/* Does the number inside keep growing? Compares the window's last quarter with its second. */
static double growth(const tdm_tally *t) {
  const int quarter = TDM_SLICES / 4;
  double early = seconds(t->in_system_ns[2 * quarter - 1] - t->in_system_ns[quarter - 1]);
  double late = seconds(t->in_system_ns[TDM_SLICES - 1] - t->in_system_ns[3 * quarter - 1]);
  double early_s = seconds(t->bounds_ns[2 * quarter] - t->bounds_ns[quarter]);
  double late_s = seconds(t->bounds_ns[TDM_SLICES] - t->bounds_ns[3 * quarter]);
  return ratio(ratio(late, late_s), ratio(early, early_s));
}

/* Of a slice: requests that wait, and the first tokens of those that came. */
static double waiting_in(const tdm_llm_server *server, uint32_t k, const tdm_measure *m) {
  double sum = 0;
  for (size_t p = 0; p < server->pool_count; p++)
    for (size_t s = 0; s < server->pools[p].count; s++) {
      size_t station = server->pools[p].stations[s];
      sum += tdm_measure_series(m, TDM_SERIES_SYSTEM + 2 * station + 1)[k];
    }
  return sum;
}

static double ttft_in(const tdm_llm_server *server, const tdm_tally *t, uint32_t k) {
  double sum_s = 0, count = 0;
  for (size_t s = 0; s < server->stage_count; s++) {
    size_t row = server->first_times + TDM_LLM_TTFT * server->stage_count + s;
    sum_s += seconds(t->classes[row * TDM_SLICES + k].latency_ns);
    count += (double)t->classes[row * TDM_SLICES + k].completed;
  }
  return ratio(sum_s, count);
}

static void take_server_slice(const tdm_model *model, const tdm_tally *t, size_t i, uint32_t k,
                              tdm_measure *m) {
  const tdm_llm_server *server = &model->servers[i];
  double width_s = seconds(t->bounds_ns[k + 1] - t->bounds_ns[k]), block_s = 0;
  double *series = tdm_measure_series(m, tdm_measure_llm_series(m, i, TDM_LLM_SERIES_OUTPUT)) + k;
  tdm_pool_note sum = {0};
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_replica_pool *pool = &server->pools[p];
    tdm_pool_note one = during(&t->pools[(server->first_pool + p) * (TDM_SLICES + 1)], k, k);
    block_s += seconds(one.replica_area_ns) * (double)pool->config.blocks * pool->lanes;
    add_note(&sum, &one);
  }
  series[TDM_LLM_SERIES_OUTPUT * TDM_SLICES] = ratio((double)sum.output_tokens, width_s);
  series[TDM_LLM_SERIES_PREFILL * TDM_SLICES] = ratio((double)sum.prefill_tokens, width_s);
  series[TDM_LLM_SERIES_BATCH * TDM_SLICES] = ratio((double)sum.sequences, (double)sum.steps);
  series[TDM_LLM_SERIES_KV * TDM_SLICES] = share(sum.kv_area, block_s);
  series[TDM_LLM_SERIES_WAITING * TDM_SLICES] = waiting_in(server, k, m);
  series[TDM_LLM_SERIES_PREEMPTIONS * TDM_SLICES] = ratio((double)sum.preemptions, width_s);
  series[TDM_LLM_SERIES_TTFT * TDM_SLICES] = ttft_in(server, t, k);
}

static void take_series(const tdm_model *model, const tdm_tally *t, tdm_measure *m) {
  for (uint32_t k = 0; k < TDM_SLICES; k++) {
    double width_s = seconds(t->bounds_ns[k + 1] - t->bounds_ns[k]);
    double arrived = 0, completed = 0, latency_s = 0;
    for (size_t c = 0; c < t->class_count; c++) {
      const tdm_class_slice *slice = &t->classes[c * TDM_SLICES + k];
      arrived += (double)slice->arrived;
      completed += (double)slice->completed;
      latency_s += seconds(slice->latency_ns);
    }
    uint64_t finished = t->finished[k] - (k > 0 ? t->finished[k - 1] : 0);
    int64_t inside = t->in_system_ns[k] - (k > 0 ? t->in_system_ns[k - 1] : 0);
    tdm_measure_series(m, TDM_SERIES_ARRIVED)[k] = arrived;
    tdm_measure_series(m, TDM_SERIES_FINISHED)[k] = (double)finished;
    tdm_measure_series(m, TDM_SERIES_IN_SYSTEM)[k] = ratio(seconds(inside), width_s);
    tdm_measure_series(m, TDM_SERIES_LATENCY)[k] = ratio(latency_s, completed);
    for (size_t i = 0; i < t->station_count; i++) {
      const tdm_station_note *note = &t->stations[i * (TDM_SLICES + 1) + k];
      tdm_station_note before = k > 0 ? note[-1] : (tdm_station_note){0};
      const tdm_station *station = &model->stations[i];
      bool one = station->discipline == TDM_PS || station->servers == TDM_UNLIMITED;
      double servers = one ? 1 : (double)station->servers;
      tdm_measure_series(m, TDM_SERIES_SYSTEM + 2 * i)[k] =
          ratio(seconds(note->busy_area_ns - before.busy_area_ns), servers * width_s);
      tdm_measure_series(m, TDM_SERIES_SYSTEM + 2 * i + 1)[k] =
          ratio(seconds(note->queue_area_ns - before.queue_area_ns), width_s);
    }
    for (size_t i = 0; i < model->server_count; i++) take_server_slice(model, t, i, k, m);
  }
}

/* The books: what came in has gone out or is inside, and ∫L dt equals the sojourns it is made of.
 */
static void check_books(const tdm_tally *t, tdm_measure *m) {
  uint64_t arrived = 0, left = 0, finished = 0, ended_early = 0;
  int64_t latency_ns = 0;
  for (size_t i = 0; i < t->class_count * TDM_SLICES; i++) {
    const tdm_class_slice *slice = &t->classes[i];
    arrived += slice->arrived;
    finished += slice->completed;
    ended_early += slice->dropped + slice->abandoned + slice->timed_out;
    latency_ns += slice->latency_ns;
  }
  left = finished + ended_early + t->open;
  m->conserved = arrived == left && finished == t->finished[TDM_SLICES];
  m->little_error = 0;
  if (t->open == 0 && ended_early == 0 && latency_ns > 0)
    m->little_error = fabs((double)t->in_system_ns[TDM_SLICES] / (double)latency_ns - 1);
}

static tdm_status take_latencies(const tdm_model *model, const tdm_tally *t, uint32_t from,
                                 tdm_histogram *scratch, tdm_measure *m, tdm_error *error) {
  bool one = t->class_count == 1, room = true;
  for (size_t c = 0; c < t->class_count && room; c++)
    room =
        tdm_latency_take(t, c, 1, from, model->classes[c].slo_levels, model->classes[c].slo_count,
                         one ? &m->latency : scratch, &m->classes[c]);
  if (room && one) {
    m->all = m->classes[0];
    m->all.slo_s = NULL;
  } else if (room) {
    room = tdm_latency_take(t, 0, t->class_count, from, NULL, 0, &m->latency, &m->all);
  }
  room = room && tdm_latency_series(t, scratch, tdm_measure_series(m, TDM_SERIES_LATENCY_99));
  return room ? TDM_OK : tdm_error_memory(error, "latencies", TDM_EXACT_LIMIT * sizeof(int64_t));
}

tdm_status tdm_measure_take(const tdm_model *model, const tdm_tally *t, int64_t warmup_ns,
                            double confidence, tdm_measure *m, tdm_error *error) {
  *m = (tdm_measure){.window_ns = t->window_ns,
                     .end_ns = t->end_ns,
                     .events = t->events,
                     .open = t->open,
                     .series_batches = t->series.count,
                     .interrupted = t->interrupted,
                     .slice_ns = t->slice_ns,
                     .batch_half_s = NAN,
                     .class_count = t->class_count,
                     .stage_count = t->stage_count,
                     .station_count = t->station_count,
                     .memory_count = t->memory_count,
                     .link_count = t->link_count,
                     .server_count = model->server_count};
  tdm_histogram scratch = {0};
  double *means = batch_means(&t->series);
  m->classes = tdm_array_new(t->class_count, sizeof *m->classes);
  m->stages = tdm_array_new(t->stage_count, sizeof *m->stages);
  m->stations = tdm_array_new(t->station_count, sizeof *m->stations);
  m->memories = tdm_array_new(t->memory_count, sizeof *m->memories);
  m->links = tdm_array_new(t->link_count, sizeof *m->links);
  m->servers = tdm_array_new(model->server_count, sizeof *m->servers);
  m->series = tdm_array_new(tdm_measure_llm_series(m, model->server_count, 0) * TDM_SLICES,
                            sizeof *m->series);
  bool room = m->classes != NULL;
  for (size_t c = 0; room && c < t->class_count; c++) {
    m->classes[c].slo_s = tdm_array_new(model->classes[c].slo_count, sizeof(double));
    room = m->classes[c].slo_s != NULL;
  }
  tdm_status status = tdm_histogram_new(&m->latency, error);
  if (status == TDM_OK) status = tdm_histogram_new(&scratch, error);
  if (status == TDM_OK &&
      (means == NULL || !room || m->stages == NULL || m->stations == NULL || m->memories == NULL ||
       m->links == NULL || m->servers == NULL || m->series == NULL))
    status = tdm_error_memory(error, "measures", t->stage_count * sizeof *m->stages);
  if (status == TDM_OK) {
    uint32_t from = first_slice(t, warmup_ns);
    m->from_ns = t->bounds_ns[from];
    status = take_latencies(model, t, from, &scratch, m, error);
    if (status == TDM_OK) status = take_servers(model, t, from, &scratch, m, error);
    take_stages(t, from, m);
    take_stations(model, t, from, m);
    take_links(model, t, from, m);
    m->growth = growth(t);
    take_series(model, t, m);
    check_books(t, m);
    double window_s = seconds(m->window_ns - m->from_ns);
    uint64_t before = from > 0 ? t->finished[from - 1] : 0;
    m->finished_per_s = ratio((double)(t->finished[TDM_SLICES - 1] - before), window_s);
    int64_t inside = t->in_system_ns[TDM_SLICES - 1] - (from > 0 ? t->in_system_ns[from - 1] : 0);
    m->in_system = ratio(seconds(inside), window_s);
    size_t skip = 0;
    while (skip < t->series.count && t->series.arrivals_ns[skip] < m->from_ns) skip++;
    if (t->series.count > skip)
      m->batch_half_s =
          tdm_batch_means(means + skip, t->series.count - skip, confidence, NULL).half;
  }
  tdm_histogram_free(&scratch);
  free(means);
  if (status != TDM_OK) tdm_measure_free(m);
  return status;
}

void tdm_measure_free(tdm_measure *m) {
  for (size_t c = 0; m->classes != NULL && c < m->class_count; c++) free(m->classes[c].slo_s);
  free(m->classes);
  free(m->stages);
  free(m->stations);
  free(m->memories);
  free(m->links);
  for (size_t i = 0; m->servers != NULL && i < m->server_count; i++) free_server(&m->servers[i]);
  free(m->servers);
  free(m->series);
  tdm_histogram_free(&m->latency);
  *m = (tdm_measure){0};
}
