/* What of a measure is LLM servers': times of their requests, counts of their replicas, what stages
 * and tenants got. Owns nothing. Called by measure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/measure/inside.h"

static bool take_times(const tdm_llm_server *server, const tdm_tally *t, tdm_cut *cut,
                       tdm_server_measure *out) {
  size_t each = server->stage_count;
  bool room = true;
  for (size_t kind = 0; kind < TDM_LLM_TIMES && room; kind++) {
    size_t first = server->first_times + kind * each;
    size_t tenants = server->tenant_times + kind * server->tenant_count;
    room = tdm_latency_take(t, first, each, cut, &cut->whole, &out->times[kind]);
    for (size_t i = 0; i < each && room; i++)
      room = tdm_latency_take(t, first + i, 1, cut, &cut->whole, &out->stage_times[kind][i]);
    for (size_t i = 0; i < server->tenant_count && room; i++)
      room = tdm_latency_take(t, tenants + i, 1, cut, &cut->whole, &out->tenant_times[kind][i]);
  }
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
  for (size_t k = 0; k < TDM_KV_TIERS; k++) {
    sum.tier_tokens[k] -= start.tier_tokens[k], sum.tier_requests[k] -= start.tier_requests[k];
    sum.tier_stored[k] -= start.tier_stored[k], sum.tier_loaded[k] -= start.tier_loaded[k];
  }
  sum.load_ns -= start.load_ns;
  for (size_t why = 0; why < TDM_SERVING_HELD; why++) sum.held_ns[why] -= start.held_ns[why];
  for (size_t why = 0; why < TDM_REFUSED; why++) sum.refused[why] -= start.refused[why];
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
  for (size_t k = 0; k < TDM_KV_TIERS; k++) {
    to->tier_tokens[k] += one->tier_tokens[k], to->tier_requests[k] += one->tier_requests[k];
    to->tier_stored[k] += one->tier_stored[k], to->tier_loaded[k] += one->tier_loaded[k];
  }
  to->load_ns += one->load_ns;
  for (size_t why = 0; why < TDM_SERVING_HELD; why++) to->held_ns[why] += one->held_ns[why];
  for (size_t why = 0; why < TDM_REFUSED; why++) to->refused[why] += one->refused[why];
}

/* Block-seconds and GPU-seconds that were held, `finished` requests. */
static void take_counts(const tdm_pool_note *note, double block_s, double gpu_s, double finished,
                        double window_s, tdm_pool_measure *out) {
  double steps = (double)note->steps, prompts = (double)note->prompt_tokens;
  out->steps = (uint64_t)note->steps;
  out->finished_per_s = tdm_measure_ratio(finished, window_s);
  out->output_per_s = tdm_measure_ratio((double)note->output_tokens, window_s);
  out->prompt_per_s = tdm_measure_ratio(prompts, window_s);
  out->preemptions = tdm_measure_ratio((double)note->preemptions, finished);
  out->swapped_out = tdm_measure_ratio((double)note->swapped_out, finished);
  out->swapped_in = tdm_measure_ratio((double)note->swapped_in, finished);
  out->accepted = tdm_measure_ratio((double)note->accepted, (double)note->drafted);
  out->adapter_loads = tdm_measure_ratio((double)note->adapter_loads, finished);
  out->batch = tdm_measure_ratio((double)note->sequences, steps);
  out->step_s = tdm_measure_ratio(tdm_measure_seconds(note->busy_ns), steps);
  out->kv_mean = tdm_measure_share(note->kv_area, block_s);
  out->moved_per_s = tdm_measure_ratio(note->kv_moved, window_s);
  out->restarts = tdm_measure_ratio((double)note->restarts, finished);
  out->replicas_mean = tdm_measure_ratio(tdm_measure_seconds(note->replica_area_ns), window_s);
  out->gpus_mean = tdm_measure_ratio(gpu_s, window_s);
  out->gpu_s = gpu_s;
  out->cached = tdm_measure_ratio((double)note->cached_tokens, prompts);
  for (size_t k = 0; k < TDM_KV_TIERS; k++) {
    out->below[k] = tdm_measure_ratio((double)note->tier_tokens[k], prompts);
    out->below_requests[k] = tdm_measure_ratio((double)note->tier_requests[k], finished);
    out->stored_per_s[k] = tdm_measure_ratio(note->tier_stored[k], window_s);
    out->loaded_per_s[k] = tdm_measure_ratio(note->tier_loaded[k], window_s);
  }
  out->load_s = tdm_measure_ratio(tdm_measure_seconds(note->load_ns), finished);
  for (size_t why = 0; why < TDM_SERVING_HELD; why++)
    out->held[why] = tdm_measure_ratio((double)note->held_ns[why], (double)note->busy_ns);
  for (size_t why = 0; why < TDM_REFUSED; why++) out->refused[why] = (uint64_t)note->refused[why];
  out->energy_j = note->energy_j;
  out->power_w = tdm_measure_ratio(note->energy_j, window_s);
  out->token_j = tdm_measure_ratio(note->energy_j, (double)note->output_tokens);
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
    double held_s = tdm_measure_seconds(sum.replica_area_ns);
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
  out->api =
      tdm_measure_ratio(tdm_measure_seconds(all.api_ns), window_s * (double)server->api.workers);
  out->goodput_per_s = tdm_measure_ratio((double)out->times[TDM_LLM_E2E].within_slo, window_s);
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
  return tdm_measure_ratio(sum * sum, count * squares);
}

static void take_takers(const tdm_llm_server *server, const tdm_tally *t, uint32_t from,
                        double window_s, tdm_server_measure *out) {
  for (size_t i = 0; i < server->stage_count + server->tenant_count; i++) {
    const tdm_class_measure *e2e = i < server->stage_count
                                       ? &out->stage_times[TDM_LLM_E2E][i]
                                       : &out->tenant_times[TDM_LLM_E2E][i - server->stage_count];
    tdm_taker_slice sum = taken(t, server->first_taker + i, from);
    out->takers[i].output_per_s = tdm_measure_ratio((double)sum.output_tokens, window_s);
    out->takers[i].prompt_per_s = tdm_measure_ratio((double)sum.prompt_tokens, window_s);
    out->takers[i].goodput_per_s = tdm_measure_ratio((double)e2e->within_slo, window_s);
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
  }
  return true;
}

static bool open_server(const tdm_llm_server *server, tdm_server_measure *out) {
  out->stage_count = server->stage_count;
  out->pools = tdm_array_new(server->pool_count, sizeof *out->pools);
  if (out->pools == NULL) return false;
  for (size_t kind = 0; kind < TDM_LLM_TIMES; kind++) {
    out->stage_times[kind] = tdm_array_new(server->stage_count, sizeof *out->stage_times[kind]);
    if (out->stage_times[kind] == NULL) return false;
  }
  return open_tenants(server, out);
}

tdm_status tdm_measure_servers(const tdm_model *model, const tdm_tally *t, tdm_cut *cut,
                               tdm_measure *m, tdm_error *error) {
  uint32_t from = cut->from;
  double window_s = tdm_measure_seconds(t->window_ns - t->bounds_ns[from]);
  for (size_t i = 0; i < model->server_count; i++) {
    const tdm_llm_server *server = &model->servers[i];
    if (!open_server(server, &m->servers[i]) || !take_times(server, t, cut, &m->servers[i]))
      return tdm_error_memory(error, "times of LLM servers", TDM_EXACT_LIMIT * sizeof(int64_t));
    take_pools(server, t, from, window_s, &m->servers[i]);
    take_takers(server, t, from, window_s, &m->servers[i]);
    m->servers[i].backlog = tdm_backlog_of(model, t, i);
  }
  return TDM_OK;
}

void tdm_measure_free_server(tdm_server_measure *server) {
  free(server->pools);
  for (size_t kind = 0; kind < TDM_LLM_TIMES; kind++) {
    tdm_class_measure *times = server->stage_times[kind];
    tdm_sections_free(&server->times[kind].sections);
    for (size_t i = 0; times != NULL && i < server->stage_count; i++)
      tdm_sections_free(&times[i].sections);
    free(times);
    times = server->tenant_times[kind];
    for (size_t i = 0; times != NULL && i < server->tenant_count; i++)
      tdm_sections_free(&times[i].sections);
    free(times);
  }
  free(server->takers);
}

/* ---- series */

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
    sum_s += tdm_measure_seconds(t->classes[row * TDM_SLICES + k].latency_ns);
    count += (double)t->classes[row * TDM_SLICES + k].completed;
  }
  return tdm_measure_ratio(sum_s, count);
}

void tdm_measure_server_slice(const tdm_model *model, const tdm_tally *t, size_t i, uint32_t k,
                              tdm_measure *m) {
  const tdm_llm_server *server = &model->servers[i];
  double width_s = tdm_measure_seconds(t->bounds_ns[k + 1] - t->bounds_ns[k]), block_s = 0;
  double *series = tdm_measure_series(m, tdm_measure_llm_series(m, i, TDM_LLM_SERIES_OUTPUT)) + k;
  tdm_pool_note sum = {0};
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_replica_pool *pool = &server->pools[p];
    tdm_pool_note one = during(&t->pools[(server->first_pool + p) * (TDM_SLICES + 1)], k, k);
    block_s += tdm_measure_seconds(one.replica_area_ns) * (double)pool->config.blocks * pool->lanes;
    add_note(&sum, &one);
  }
  series[TDM_LLM_SERIES_OUTPUT * TDM_SLICES] =
      tdm_measure_ratio((double)sum.output_tokens, width_s);
  series[TDM_LLM_SERIES_PREFILL * TDM_SLICES] =
      tdm_measure_ratio((double)sum.prefill_tokens, width_s);
  series[TDM_LLM_SERIES_BATCH * TDM_SLICES] =
      tdm_measure_ratio((double)sum.sequences, (double)sum.steps);
  series[TDM_LLM_SERIES_KV * TDM_SLICES] = tdm_measure_share(sum.kv_area, block_s);
  series[TDM_LLM_SERIES_WAITING * TDM_SLICES] = waiting_in(server, k, m);
  series[TDM_LLM_SERIES_PREEMPTIONS * TDM_SLICES] =
      tdm_measure_ratio((double)sum.preemptions, width_s);
  series[TDM_LLM_SERIES_TTFT * TDM_SLICES] = ttft_in(server, t, k);
}
