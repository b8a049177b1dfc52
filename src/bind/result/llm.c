/* The part of the result table about LLM servers: times of requests and tokens, rates, KV cache.
 * Called by result.c. */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bind/result/inside.h"

static const char *const time_names[TDM_LLM_TIMES] = {"ttft",     "tpot",       "itl",     "e2e",
                                                      "queueing", "normalized", "transfer"};

/* ---- readings */

enum { MEAN, MAX, QUANTILE };

#define FIELD_BITS 10
#define ALL_STAGES 0

/* Stages count from 1, tenants follow them: 0 is all of them together. */
static size_t reading_of(size_t stage, size_t time, size_t field) {
  return (stage * TDM_LLM_TIMES + time) << FIELD_BITS | field;
}

static const tdm_class_measure *times_of(const tdm_measure *m, size_t server, size_t which) {
  size_t pair = which >> FIELD_BITS, stage = pair / TDM_LLM_TIMES, time = pair % TDM_LLM_TIMES;
  const tdm_server_measure *of = &m->servers[server];
  if (stage == ALL_STAGES) return &of->times[time];
  return stage <= of->stage_count ? &of->stage_times[time][stage - 1]
                                  : &of->tenant_times[time][stage - 1 - of->stage_count];
}

static double read_time(const tdm_measure *m, size_t server, size_t which) {
  size_t field = which & ((1u << FIELD_BITS) - 1);
  const tdm_class_measure *times = times_of(m, server, which);
  if (times->completed == 0) return NAN;
  if (field == MEAN) return times->mean_s;
  if (field == MAX) return times->max_s;
  return times->quantiles_s[field - QUANTILE];
}

/* Pools count from 1: 0 is all of them together. */
static const tdm_pool_measure *counts_of(const tdm_measure *m, size_t server, size_t pool) {
  return pool == 0 ? &m->servers[server].all : &m->servers[server].pools[pool - 1];
}

#define COUNT(name)                                                                                \
  static double read_##name(const tdm_measure *m, size_t server, size_t pool) {                    \
    return counts_of(m, server, pool)->name;                                                       \
  }
COUNT(output_per_s)
COUNT(prompt_per_s)
COUNT(finished_per_s)
COUNT(preemptions)
COUNT(swapped_out)
COUNT(swapped_in)
COUNT(accepted)
COUNT(adapter_loads)
COUNT(batch)
COUNT(step_s)
COUNT(kv_mean)
COUNT(kv_peak)
COUNT(cached)
COUNT(energy_j)
COUNT(power_w)
COUNT(token_j)
COUNT(moved_per_s)
COUNT(replicas_mean)
COUNT(replicas_peak)
COUNT(gpus_mean)
COUNT(gpu_s)
COUNT(restarts)
COUNT(load_s)
#undef COUNT

/* By tier below the KV cache. */
#define BELOW_OF(pool, tier) ((pool)*TDM_KV_TIERS + (tier))
#define BELOW(name)                                                                                \
  static double read_##name(const tdm_measure *m, size_t server, size_t which) {                   \
    return counts_of(m, server, which / TDM_KV_TIERS)->name[which % TDM_KV_TIERS];                 \
  }
BELOW(below)
BELOW(below_requests)
BELOW(stored_per_s)
BELOW(loaded_per_s)
#undef BELOW

static double read_goodput_per_s(const tdm_measure *m, size_t server, size_t which) {
  (void)which;
  return m->servers[server].goodput_per_s;
}

#define HELD_OF(pool, why) ((pool)*TDM_SERVING_HELD + (why))
static double read_held(const tdm_measure *m, size_t server, size_t which) {
  return counts_of(m, server, which / TDM_SERVING_HELD)->held[which % TDM_SERVING_HELD];
}

static double read_api(const tdm_measure *m, size_t server, size_t which) {
  (void)which;
  return m->servers[server].api;
}

static double read_output_per_gpu(const tdm_measure *m, size_t server, size_t which) {
  (void)which;
  const tdm_pool_measure *all = &m->servers[server].all;
  return all->gpus_mean > 0 ? all->output_per_s / all->gpus_mean : NAN;
}

static double read_met(const tdm_measure *m, size_t server, size_t which) {
  (void)which;
  const tdm_class_measure *all = &m->servers[server].times[TDM_LLM_E2E];
  return all->completed > 0 ? (double)all->within_slo / (double)all->completed : NAN;
}

/* Of takers: stages, then tenants. */
#define TAKEN(name)                                                                                \
  static double read_taken_##name(const tdm_measure *m, size_t server, size_t taker) {             \
    return m->servers[server].takers[taker].name;                                                  \
  }
TAKEN(output_per_s)
TAKEN(prompt_per_s)
TAKEN(goodput_per_s)
#undef TAKEN

static double read_taken_met(const tdm_measure *m, size_t server, size_t taker) {
  const tdm_server_measure *of = &m->servers[server];
  const tdm_class_measure *e2e = taker < of->stage_count
                                     ? &of->stage_times[TDM_LLM_E2E][taker]
                                     : &of->tenant_times[TDM_LLM_E2E][taker - of->stage_count];
  return e2e->completed > 0 ? (double)e2e->within_slo / (double)e2e->completed : NAN;
}

static double read_fairness(const tdm_measure *m, size_t server, size_t which) {
  (void)which;
  return m->servers[server].fairness;
}

/* ---- parts */

static bool hands_over(const tdm_model *model, size_t server) {
  return model->servers[server].link_station != TDM_NO_INDEX;
}

static void set_times(const tdm_result_writer *w, size_t server, size_t stage) {
  for (size_t time = 0; time < TDM_LLM_TIMES; time++) {
    if (time == TDM_LLM_TRANSFER && !hands_over(w->model, server)) continue;
    lua_createtable(w->L, 0, 8);
    size_t which[TDM_RESULT_TIMES] = {reading_of(stage, time, MEAN)};
    for (size_t q = 0; q < TDM_QUANTILES; q++) which[q + 1] = reading_of(stage, time, QUANTILE + q);
    tdm_result_set_times(w, times_of, read_time, server, which);
    double most = NAN;
    for (size_t r = 0; r < w->count; r++)
      most = fmax(most, read_time(&w->measures[r], server, reading_of(stage, time, MAX)));
    tdm_result_number(w->L, "max", most);
    lua_setfield(w->L, -2, time_names[time]);
  }
}

/* Times by levels, of all replications together. */
static void set_levels(const tdm_result_writer *w, size_t server, size_t stage, size_t time) {
  double levels[TDM_LLM_LEVELS];
  const tdm_pool *pool = tdm_result_pool(w, times_of, server, reading_of(stage, time, 0));
  for (size_t i = 0; i < TDM_LLM_LEVELS; i++)
    levels[i] = pool != NULL ? tdm_pool_level(pool, tdm_llm_levels[i]) : NAN;
  lua_createtable(w->L, TDM_LLM_LEVELS, 0);
  for (size_t i = 0; i < TDM_LLM_LEVELS; i++) {
    if (isnan(levels[i])) continue;
    lua_pushnumber(w->L, levels[i]);
    lua_rawseti(w->L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(w->L, -2, time_names[time]);
}

/* Distributions: at which levels, and the times there. */
static void set_cdf(const tdm_result_writer *w, size_t server, size_t stage) {
  if (w->brief) return;
  lua_createtable(w->L, 0, TDM_LLM_TIMES + 1);
  lua_createtable(w->L, TDM_LLM_LEVELS, 0);
  for (int i = 0; i < TDM_LLM_LEVELS; i++) {
    lua_pushnumber(w->L, tdm_llm_levels[i]);
    lua_rawseti(w->L, -2, i + 1);
  }
  lua_setfield(w->L, -2, "levels");
  for (size_t time = 0; time < TDM_LLM_TIMES; time++) {
    if (time == TDM_LLM_TRANSFER && !hands_over(w->model, server)) continue;
    set_levels(w, server, stage, time);
  }
  lua_setfield(w->L, -2, "cdf");
}

/* A class that asks a server in several steps has figures of each: CLASS, CLASS#2, … */
static void set_stage_name(const tdm_result_writer *w, const tdm_llm_server *server,
                           size_t member) {
  uint32_t class_index = w->model->stages[server->stages[member]].class_index;
  const char *name = w->model->classes[class_index].name;
  int twins = 1;
  for (size_t i = 0; i < member; i++)
    twins += w->model->stages[server->stages[i]].class_index == class_index;
  if (twins == 1)
    lua_pushstring(w->L, name);
  else
    lua_pushfstring(w->L, "%s#%d", name, twins);
  lua_setfield(w->L, -2, "name");
}

static void set_taken(const tdm_result_writer *w, size_t server, size_t taker) {
  tdm_result_set(w, "output_tokens_per_s", read_taken_output_per_s, server, taker);
  tdm_result_set(w, "prompt_tokens_per_s", read_taken_prompt_per_s, server, taker);
  tdm_result_set(w, "goodput_rps", read_taken_goodput_per_s, server, taker);
  tdm_result_set(w, "slo_met", read_taken_met, server, taker);
}

static void set_stages(const tdm_result_writer *w, size_t server) {
  const tdm_llm_server *model = &w->model->servers[server];
  lua_createtable(w->L, (int)model->stage_count, 0);
  for (size_t i = 0; i < model->stage_count; i++) {
    lua_createtable(w->L, 0, 12);
    set_stage_name(w, model, i);
    set_times(w, server, i + 1);
    set_taken(w, server, i);
    set_cdf(w, server, i + 1);
    lua_rawseti(w->L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(w->L, -2, "classes");
}

/* Its number, or the class that it is. */
static void set_tenant_name(const tdm_result_writer *w, const tdm_llm_server *server, size_t row) {
  if (row == TDM_TENANTS_TOLD)
    lua_pushliteral(w->L, "others");
  else if (!server->by_tenant && row < w->model->class_count)
    lua_pushstring(w->L, w->model->classes[row].name);
  else
    lua_pushfstring(w->L, "%d", (int)row);
  lua_setfield(w->L, -2, "name");
}

static bool was_there(const tdm_result_writer *w, size_t server, size_t row) {
  for (size_t r = 0; r < w->count; r++)
    if (w->measures[r].servers[server].tenant_times[TDM_LLM_E2E][row].completed > 0) return true;
  return false;
}

static void set_tenants(const tdm_result_writer *w, size_t server) {
  const tdm_llm_server *model = &w->model->servers[server];
  lua_Integer count = 0;
  if (model->tenant_count == 0) return;
  lua_newtable(w->L);
  for (size_t row = 0; row < model->tenant_count; row++) {
    if (!was_there(w, server, row)) continue;
    lua_createtable(w->L, 0, 12);
    set_tenant_name(w, model, row);
    set_times(w, server, model->stage_count + row + 1);
    set_taken(w, server, model->stage_count + row);
    set_cdf(w, server, model->stage_count + row + 1);
    lua_rawseti(w->L, -2, ++count);
  }
  lua_setfield(w->L, -2, "tenants");
  tdm_result_set(w, "fairness", read_fairness, server, 0);
}

static const char *const held_names[TDM_SERVING_HELD] = {NULL, "blocks", "seqs", "tokens", "rule"};

static void set_held(const tdm_result_writer *w, size_t server, size_t pool) {
  lua_createtable(w->L, 0, TDM_SERVING_HELD - 1);
  for (size_t why = TDM_SERVING_NOT_HELD + 1; why < TDM_SERVING_HELD; why++)
    tdm_result_set(w, held_names[why], read_held, server, HELD_OF(pool, why));
  lua_setfield(w->L, -2, "held");
}

/* Requests that could never run, of all replications, by what they were too long for: that limit in
 * tokens and how many there were. Nothing where there were none. */
static void set_refused(const tdm_result_writer *w, size_t server) {
  static const char *const names[TDM_REFUSED] = {"tokens", "kv_cache", "step"};
  const tdm_serving_config *c = &w->model->servers[server].pools[0].config;
  const int64_t limits[TDM_REFUSED] = {(int64_t)1 << 40, c->blocks * c->block_tokens,
                                       c->max_batched_tokens};
  uint64_t sums[TDM_REFUSED] = {0}, all = 0;
  for (size_t r = 0; r < w->count; r++)
    for (size_t why = 0; why < TDM_REFUSED; why++) {
      sums[why] += w->measures[r].servers[server].all.refused[why];
      all += w->measures[r].servers[server].all.refused[why];
    }
  if (all == 0) return;
  lua_createtable(w->L, TDM_REFUSED, 0);
  lua_Integer row = 0;
  for (size_t why = 0; why < TDM_REFUSED; why++) {
    if (sums[why] == 0) continue;
    lua_createtable(w->L, 0, 3);
    tdm_result_text(w->L, "longer_than", names[why]);
    tdm_result_integer(w->L, "tokens", (uint64_t)limits[why]);
    tdm_result_integer(w->L, "requests", sums[why]);
    lua_rawseti(w->L, -2, ++row);
  }
  lua_setfield(w->L, -2, "refused");
}

/* The pool that a server's tiers belong to: all that have some have the same. */
static const tdm_serving_config *tiered(const tdm_llm_server *server, size_t pool) {
  for (size_t p = 0; p < server->pool_count; p++)
    if (server->pools[p].config.tier_count > 0 && (pool == 0 || pool == p + 1))
      return &server->pools[p].config;
  return NULL;
}

/* What was found below the KV cache, and what moved. Nothing where there are no tiers. */
static void set_tiers(const tdm_result_writer *w, size_t server, size_t pool) {
  const tdm_serving_config *config = tiered(&w->model->servers[server], pool);
  if (config == NULL) return;
  lua_createtable(w->L, (int)config->tier_count, 0);
  for (size_t k = 0; k < config->tier_count; k++) {
    lua_createtable(w->L, 0, 6);
    tdm_result_text(w->L, "name", config->tiers[k].name);
    tdm_result_integer(w->L, "blocks", (uint64_t)config->tiers[k].blocks);
    tdm_result_set(w, "cached", read_below, server, BELOW_OF(pool, k));
    tdm_result_set(w, "requests", read_below_requests, server, BELOW_OF(pool, k));
    tdm_result_set(w, "stored_bytes_per_s", read_stored_per_s, server, BELOW_OF(pool, k));
    tdm_result_set(w, "loaded_bytes_per_s", read_loaded_per_s, server, BELOW_OF(pool, k));
    lua_rawseti(w->L, -2, (lua_Integer)k + 1);
  }
  lua_setfield(w->L, -2, "kv_tiers");
  tdm_result_set(w, "load_wait_s", read_load_s, server, pool);
}

static bool knows_power(const tdm_llm_server *server, size_t pool) {
  for (size_t p = 0; p < server->pool_count; p++)
    if (server->pools[p].power == NULL && (pool == 0 || pool == p + 1)) return false;
  return true;
}

/* Of one run, how they come over time says how sure their rate is. */
static void set_output(const tdm_result_writer *w, size_t server, size_t pool) {
  size_t series = tdm_measure_llm_series(&w->measures[0], server, TDM_LLM_SERIES_OUTPUT);
  if (w->count > 1 || pool > 0)
    return tdm_result_set(w, "output_tokens_per_s", read_output_per_s, server, pool);
  tdm_result_push(w, tdm_result_over_time(w, read_output_per_s, server, pool, series, true));
  lua_setfield(w->L, -2, "output_tokens_per_s");
}

/* What every pool has, and all of them together. */
static void set_counts(const tdm_result_writer *w, size_t server, size_t pool) {
  set_output(w, server, pool);
  tdm_result_set(w, "prompt_tokens_per_s", read_prompt_per_s, server, pool);
  tdm_result_set(w, "finished_rps", read_finished_per_s, server, pool);
  tdm_result_set(w, "preemptions", read_preemptions, server, pool);
  tdm_result_set(w, "swapped_out", read_swapped_out, server, pool);
  tdm_result_set(w, "swapped_in", read_swapped_in, server, pool);
  tdm_result_set(w, "accepted", read_accepted, server, pool);
  tdm_result_set(w, "adapter_loads", read_adapter_loads, server, pool);
  tdm_result_set(w, "batch", read_batch, server, pool);
  tdm_result_set(w, "step_s", read_step_s, server, pool);
  tdm_result_set(w, "kv_mean", read_kv_mean, server, pool);
  tdm_result_set(w, "kv_peak", read_kv_peak, server, pool);
  tdm_result_set(w, "cached", read_cached, server, pool);
  tdm_result_set(w, "replicas_mean", read_replicas_mean, server, pool);
  tdm_result_set(w, "replicas_peak", read_replicas_peak, server, pool);
  tdm_result_set(w, "gpus_mean", read_gpus_mean, server, pool);
  tdm_result_set(w, "gpu_seconds", read_gpu_s, server, pool);
  tdm_result_set(w, "restarts", read_restarts, server, pool);
  set_held(w, server, pool);
  set_tiers(w, server, pool);
  if (!knows_power(&w->model->servers[server], pool)) return;
  tdm_result_set(w, "energy_j", read_energy_j, server, pool);
  tdm_result_set(w, "power_w", read_power_w, server, pool);
  tdm_result_set(w, "joules_per_output_token", read_token_j, server, pool);
}

static void set_pools(const tdm_result_writer *w, size_t i) {
  static const char *const roles[] = {"whole", "prefill", "decode"}; /* tdm_pool_role */
  const tdm_llm_server *server = &w->model->servers[i];
  lua_createtable(w->L, (int)server->pool_count, 0);
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_replica_pool *pool = &server->pools[p];
    lua_createtable(w->L, 0, 24);
    tdm_result_text(w->L, "name", pool->name);
    tdm_result_text(w->L, "role", roles[pool->role]);
    tdm_result_number(w->L, "replicas", (double)(pool->count / pool->lanes));
    tdm_result_number(w->L, "gpus", (double)(pool->count / pool->lanes * pool->gpus));
    tdm_result_number(w->L, "kv_blocks", (double)(pool->config.blocks * pool->lanes));
    set_counts(w, i, p + 1);
    lua_rawseti(w->L, -2, (lua_Integer)p + 1);
  }
  lua_setfield(w->L, -2, "pools");
}

static void set_server(const tdm_result_writer *w, size_t i) {
  const tdm_llm_server *server = &w->model->servers[i];
  size_t gpus = 0, replicas = 0;
  double blocks = 0;
  for (size_t p = 0; p < server->pool_count; p++) {
    size_t whole = server->pools[p].count / server->pools[p].lanes;
    replicas += whole;
    gpus += whole * server->pools[p].gpus;
    blocks += (double)server->pools[p].config.blocks * (double)server->pools[p].count;
  }
  lua_createtable(w->L, 0, 32);
  tdm_result_text(w->L, "name", server->name);
  tdm_result_number(w->L, "replicas", (double)replicas);
  tdm_result_number(w->L, "gpus", (double)gpus);
  tdm_result_number(w->L, "kv_blocks", blocks / (double)replicas); /* a replica, mean */
  tdm_result_number(w->L, "block_tokens", (double)server->pools[0].config.block_tokens);
  set_times(w, i, ALL_STAGES);
  set_counts(w, i, 0);
  set_refused(w, i);
  tdm_result_set(w, "output_tokens_per_s_gpu", read_output_per_gpu, i, 0);
  tdm_result_set(w, "goodput_rps", read_goodput_per_s, i, 0);
  if (hands_over(w->model, i)) tdm_result_set(w, "transfer_bytes_per_s", read_moved_per_s, i, 0);
  tdm_result_set(w, "slo_met", read_met, i, 0);
  set_cdf(w, i, ALL_STAGES);
  if (server->api.workers > 0) tdm_result_set(w, "api", read_api, i, 0);
  set_stages(w, i);
  set_tenants(w, i);
  if (server->pool_count > 1) set_pools(w, i);
}

void tdm_result_llm(const tdm_result_writer *w) {
  if (w->model->server_count == 0) return;
  lua_createtable(w->L, (int)w->model->server_count, 0);
  for (size_t i = 0; i < w->model->server_count; i++) {
    set_server(w, i);
    lua_rawseti(w->L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(w->L, -2, "llm");
}

void tdm_result_llm_series(const tdm_result_writer *w) {
  static const char *const keys[TDM_LLM_SERIES] = {"output_tokens_per_s",
                                                   "prefill_tokens_per_s",
                                                   "batch",
                                                   "kv",
                                                   "waiting",
                                                   "preemptions_per_s",
                                                   "ttft_mean"};
  if (w->model->server_count == 0) return;
  lua_createtable(w->L, (int)w->model->server_count, 0);
  for (size_t i = 0; i < w->model->server_count; i++) {
    lua_createtable(w->L, 0, TDM_LLM_SERIES + 1);
    tdm_result_text(w->L, "name", w->model->servers[i].name);
    for (size_t kind = 0; kind < TDM_LLM_SERIES; kind++)
      tdm_result_series(w, keys[kind],
                        tdm_measure_llm_series(&w->measures[0], i, (tdm_llm_series)kind));
    lua_rawseti(w->L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(w->L, -2, "llm");
}

/* ---- objectives */

const tdm_stage *tdm_result_llm_stage(const tdm_model *model, size_t class_index) {
  for (size_t i = 0; i < model->stage_count; i++)
    if (model->stages[i].class_index == class_index && model->stages[i].server != TDM_NO_INDEX)
      return &model->stages[i];
  return NULL;
}

tdm_llm_time tdm_result_llm_time(const char *name, size_t length) {
  size_t time = 0;
  while (time < TDM_LLM_TIMES &&
         (strlen(time_names[time]) != length || strncmp(time_names[time], name, length) != 0))
    time++;
  return (tdm_llm_time)time;
}

bool tdm_result_llm_objective(const tdm_result_writer *w, size_t class_index, const char *metric,
                              size_t level, tdm_result_objective *out) {
  const tdm_stage *stage = tdm_result_llm_stage(w->model, class_index);
  const char *of = strchr(metric, '_');
  if (stage == NULL || of == NULL) return false;
  size_t time = tdm_result_llm_time(metric, (size_t)(of - metric));
  if (time == TDM_LLM_TIMES) return false;
  const tdm_class *class = &w->model->classes[class_index];
  size_t times = reading_of(stage->member + 1, time, 0);
  if (strcmp(of + 1, "mean") == 0)
    out->value = tdm_result_time_mean(w, times_of, stage->server, times);
  else if (strcmp(of + 1, "max") == 0)
    out->value =
        tdm_result_estimate(w, read_time, stage->server, reading_of(stage->member + 1, time, MAX));
  else if (level < class->slo_count)
    tdm_result_percentile(w, times_of, stage->server, times, class->slo_levels[level], out);
  else
    return false;
  return true;
}
