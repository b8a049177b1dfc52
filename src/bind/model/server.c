/* LLM servers of the model table: pools of replicas, how they schedule, how long steps take, what
 * they draw. How replicas are chosen and scaled is bind/dispatch's, step models are bind/llm's.
 * Called by bind/model. */
#include "bind/model/inside.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "bind/llm.h"
#include "model/llm/llm.h"

static void read_replicas(tdm_reader *r, tdm_replica_pool *pool) {
  double *stations = tdm_read_numbers(r, "stations", &pool->count);
  pool->stations = tdm_array_new(pool->count, sizeof *pool->stations);
  tdm_read_allocated(r, pool->stations, "replicas");
  for (size_t i = 0; i < pool->count && r->status == TDM_OK; i++) {
    if (stations[i] >= 1 && stations[i] <= (double)r->model->station_count &&
        stations[i] == floor(stations[i]))
      pool->stations[i] = (uint32_t)stations[i] - 1;
    else
      tdm_read_fail(r, "station %zu is none of %zu", i + 1, r->model->station_count);
  }
  free(stations);
}

static void read_decisions(tdm_reader *r, tdm_replica_pool *pool) {
  static const char *const names[TDM_DECISIONS] = {"order", "admit", "preempt", "chunk"};
  size_t mark = tdm_read_open(r, "decide");
  for (int i = 0; i < TDM_DECISIONS; i++)
    pool->decide[i] = tdm_read_present(r) ? tdm_read_function(r, names[i]) : TDM_NO_INDEX;
  tdm_read_close(r, mark);
  if (!tdm_read_has(r, "shares")) return;
  pool->shares = tdm_read_numbers(r, "shares", &pool->config.tenant_count);
  pool->config.tenant_weights = pool->shares;
}

/* NULL: a problem. */
static tdm_llm_step *read_step(tdm_reader *r, const char *key) {
  tdm_llm_step *step = NULL;
  tdm_error error = {0};
  size_t mark = tdm_read_open(r, key);
  if (tdm_read_table(r) && tdm_read_has(r, "fn")) {
    uint32_t function = tdm_read_function(r, "fn");
    if (function != TDM_NO_INDEX)
      tdm_read_check(r, tdm_llm_callback_new(function, &step, &error), &error);
  } else if (tdm_read_table(r)) {
    step = tdm_bind_llm_step_new(r->L, -1, &error);
    if (step == NULL) tdm_read_check(r, TDM_INVALID, &error);
  }
  tdm_read_close(r, mark);
  return step;
}

static void read_power(tdm_reader *r, tdm_replica_pool *pool) {
  size_t mark = tdm_read_open(r, "power");
  if (tdm_read_present(r)) {
    tdm_error error = {0};
    tdm_llm_power power = {.limit_w = tdm_read_number_or(r, "limit", 0),
                           .idle = tdm_read_number_or(r, "idle", 0),
                           .active = tdm_read_number_or(r, "active", 0),
                           .memory = tdm_read_number_or(r, "memory", 0),
                           .arithmetic = tdm_read_number_or(r, "arithmetic", 0),
                           .cap = tdm_read_number_or(r, "cap", 1),
                           .width = tdm_read_number_or(r, "width", 1)};
    power.memory_step = read_step(r, "memory_step");
    power.arithmetic_step = read_step(r, "arithmetic_step");
    if (power.memory_step != NULL && power.arithmetic_step != NULL) {
      tdm_read_check(r, tdm_llm_power_new(&power, &pool->power, &error), &error);
    } else {
      tdm_llm_step_free(power.memory_step);
      tdm_llm_step_free(power.arithmetic_step);
    }
  }
  tdm_read_close(r, mark);
}

static void read_pool(tdm_reader *r, tdm_replica_pool *pool) {
  static const char *const roles[] = {"whole", "prefill", "decode"}; /* tdm_pool_role */
  pool->name = tdm_read_name(r, "name");
  pool->role = (tdm_pool_role)tdm_read_choice(r, "role", roles, 3);
  pool->gpus = tdm_read_count_or(r, "gpus", 1);
  pool->lanes = tdm_read_count_or(r, "lanes", 1);
  read_replicas(r, pool);
  tdm_bind_scaling(r, pool->count / (pool->lanes > 0 ? pool->lanes : 1), &pool->scaling);
  tdm_error error = {0};
  size_t mark = tdm_read_open(r, "config");
  if (tdm_read_table(r))
    tdm_read_check(r, tdm_bind_serving_config(r->L, -1, &pool->config, &error), &error);
  tdm_read_close(r, mark);
  read_decisions(r, pool);
  pool->step = read_step(r, "step");
  if (tdm_read_has(r, "draft")) pool->config.draft = pool->draft = read_step(r, "draft");
  read_power(r, pool);
}

static void read_api(tdm_reader *r, tdm_api_costs *api) {
  size_t mark = tdm_read_open(r, "api");
  if (tdm_read_present(r)) {
    api->workers = tdm_read_count_or(r, "workers", 1);
    api->request_s = tdm_read_number_or(r, "request", 0);
    api->prompt_token_s = tdm_read_number_or(r, "prompt_token", 0);
    api->output_token_s = tdm_read_number_or(r, "output_token", 0);
    if (!(api->request_s >= 0 && api->prompt_token_s >= 0 && api->output_token_s >= 0) ||
        api->workers == 0)
      tdm_read_fail(r, "wants seconds of at least 0 and at least one worker");
  }
  tdm_read_close(r, mark);
}

static double read_amount(tdm_reader *r, const char *key) {
  double value = tdm_read_number_or(r, key, 0);
  if (!(value >= 0) || isinf(value)) tdm_read_fail(r, "%s must be a number of at least 0", key);
  return value;
}

static void read_handover(tdm_reader *r, tdm_llm_server *server) {
  size_t mark = tdm_read_open(r, "handover");
  if (tdm_read_present(r)) {
    server->link_station = tdm_read_index(r, "station", r->model->station_count);
    server->link_rate = read_amount(r, "rate");
    server->link_latency_s = read_amount(r, "latency_s");
    server->kv_token_bytes = read_amount(r, "token_bytes");
    server->kv_sequence_bytes = read_amount(r, "sequence_bytes");
    if (server->link_station == TDM_NO_INDEX) tdm_read_fail(r, "wants a station");
    if (!(server->link_rate > 0) && r->status == TDM_OK &&
        r->model->stations[server->link_station].link == TDM_NO_INDEX)
      tdm_read_fail(r, "wants a rate, or the station of a link that is shared");
  }
  tdm_read_close(r, mark);
}

void tdm_bind_server(tdm_reader *r) {
  tdm_llm_server *server = tdm_model_add_server(r->model);
  if (!tdm_read_allocated(r, server, "an LLM server")) return;
  server->name = tdm_read_name(r, "name");
  server->restarts = tdm_read_count_or(r, "restarts", 0);
  tdm_bind_dispatch(r, &server->dispatch);
  read_api(r, &server->api);
  server->request_s = read_amount(r, "request_s");
  read_handover(r, server);
  size_t mark = tdm_read_open(r, "pools");
  size_t count = tdm_read_length(r);
  server->pools = tdm_array_new(count, sizeof *server->pools);
  if (tdm_read_allocated(r, server->pools, "pools of replicas")) server->pool_count = count;
  for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
    size_t item = tdm_read_open_item(r, i + 1);
    read_pool(r, &server->pools[i]);
    tdm_read_close(r, item);
  }
  tdm_read_close(r, mark);
}
