/* Builds, checks and frees models. Owns everything a model points to.
 * Called by the binding and by tests; engines only read. */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/memory.h"

enum { GPUS, STATIONS, LINKS, MEMORIES, GROUPS, STAGES, OPS, CHOICES, SERVERS };

tdm_model *tdm_model_new(void) {
  tdm_model *model = tdm_array_new(1, sizeof *model);
  if (model != NULL) {
    model->duration_ns = INT64_MAX;
    model->requests = UINT64_MAX;
    model->conversation = TDM_NO_INDEX;
  }
  return model;
}

static void free_names(char **names, size_t count) {
  for (size_t i = 0; i < count; i++) free(names[i]);
  free(names);
}

static void free_class(tdm_class *class, size_t attr_count) {
  free(class->name);
  tdm_arrivals_free(class->arrivals);
  for (size_t i = 0; class->attrs != NULL && i < attr_count; i++) tdm_cost_free(&class->attrs[i]);
  free(class->attrs);
  free(class->attr_set);
  free(class->slo_levels);
  tdm_dist_free(class->patience);
  tdm_dist_free(class->timeout);
}

static void free_pools(tdm_llm_server *server) {
  for (size_t i = 0; i < server->pool_count; i++) {
    free(server->pools[i].name);
    free(server->pools[i].stations);
    free(server->pools[i].shares);
    tdm_llm_step_free(server->pools[i].step);
    tdm_llm_step_free(server->pools[i].draft);
    tdm_llm_power_free(server->pools[i].power);
  }
  free(server->pools);
}

void tdm_model_free(tdm_model *model) {
  if (model == NULL) return;
  for (size_t i = 0; i < model->gpu_count; i++) {
    tdm_gpu *gpu = &model->gpus[i];
    free(gpu->name);
    free(gpu->kind);
    free(gpu->params);
    tdm_dist_free(gpu->mtbf);
    tdm_dist_free(gpu->mttr);
    free(gpu->outages);
  }
  for (size_t i = 0; i < model->station_count; i++) {
    free(model->stations[i].name);
    tdm_dist_free(model->stations[i].mtbf);
    tdm_dist_free(model->stations[i].mttr);
  }
  for (size_t i = 0; i < model->link_count; i++) free(model->links[i].name);
  for (size_t i = 0; i < model->memory_count; i++) free(model->memories[i].name);
  for (size_t i = 0; i < model->group_count; i++) {
    free(model->groups[i].name);
    free(model->groups[i].members);
    free(model->groups[i].weights);
    free(model->groups[i].scaling.steps_ns);
    free(model->groups[i].scaling.steps);
  }
  for (size_t i = 0; i < model->stage_count; i++) {
    free(model->stages[i].name);
    free(model->stages[i].stream);
    free(model->stages[i].batch.preferred);
    tdm_cost_free(&model->stages[i].cost);
    tdm_cost_free(&model->stages[i].bytes);
    tdm_cost_free(&model->stages[i].prompt);
    tdm_cost_free(&model->stages[i].output);
    tdm_cost_free(&model->stages[i].prefix);
    tdm_cost_free(&model->stages[i].prefix_group);
    tdm_cost_free(&model->stages[i].key);
    tdm_cost_free(&model->stages[i].adapter);
    tdm_cost_free(&model->stages[i].tenant);
    tdm_cost_free(&model->stages[i].max_output);
    tdm_cost_free(&model->stages[i].predicted);
  }
  for (size_t i = 0; i < model->op_count; i++) tdm_cost_free(&model->ops[i].cost);
  for (size_t i = 0; i < model->class_count; i++) free_class(&model->classes[i], model->attr_count);
  for (size_t i = 0; i < model->server_count; i++) {
    free_pools(&model->servers[i]);
    free(model->servers[i].name);
    free(model->servers[i].stages);
  }
  free_names(model->attrs, model->attr_count);
  free_names(model->params, model->param_count);
  free(model->gpus);
  free(model->stations);
  free(model->links);
  free(model->memories);
  free(model->groups);
  free(model->stages);
  free(model->ops);
  free(model->choices);
  free(model->classes);
  free(model->servers);
  free(model->name);
  free(model);
}

bool tdm_class_has_attribute(const tdm_class *class, uint32_t slot) {
  return class->attr_set[slot] || tdm_rows_have(&class->arrivals->rows, slot);
}

static void *add(void *items, size_t *count, size_t *capacity, size_t size) {
  if (!tdm_array_grow(items, capacity, *count + 1, size)) return NULL;
  char *base;
  memcpy(&base, items, sizeof base);
  void *item = memset(base + *count * size, 0, size);
  *count += 1;
  return item;
}

tdm_gpu *tdm_model_add_gpu(tdm_model *model) {
  tdm_gpu *gpu = add(&model->gpus, &model->gpu_count, &model->capacity[GPUS], sizeof *gpu);
  if (gpu != NULL) {
    for (int role = 0; role < TDM_ROLES; role++) gpu->stations[role] = TDM_NO_INDEX;
    gpu->memory = TDM_NO_INDEX;
  }
  return gpu;
}

tdm_station *tdm_model_add_station(tdm_model *model) {
  tdm_station *station =
      add(&model->stations, &model->station_count, &model->capacity[STATIONS], sizeof *station);
  if (station != NULL) {
    station->gpu = station->link = TDM_NO_INDEX;
    station->servers = 1;
    station->queue_limit = TDM_UNLIMITED;
  }
  return station;
}

tdm_link *tdm_model_add_link(tdm_model *model) {
  return add(&model->links, &model->link_count, &model->capacity[LINKS], sizeof(tdm_link));
}

tdm_memory *tdm_model_add_memory(tdm_model *model) {
  tdm_memory *memory =
      add(&model->memories, &model->memory_count, &model->capacity[MEMORIES], sizeof *memory);
  if (memory != NULL) memory->gpu = TDM_NO_INDEX;
  return memory;
}

tdm_group *tdm_model_add_group(tdm_model *model) {
  tdm_group *group =
      add(&model->groups, &model->group_count, &model->capacity[GROUPS], sizeof *group);
  if (group != NULL) group->key_attr = TDM_NO_INDEX;
  return group;
}

tdm_stage *tdm_model_add_stage(tdm_model *model) {
  tdm_stage *stage =
      add(&model->stages, &model->stage_count, &model->capacity[STAGES], sizeof *stage);
  if (stage != NULL) {
    stage->station = stage->group = stage->server = TDM_NO_INDEX;
    stage->batch.max = 1;
    stage->batch.function = TDM_NO_INDEX;
  }
  return stage;
}

tdm_op *tdm_model_add_op(tdm_model *model, tdm_opcode code) {
  tdm_op *op = add(&model->ops, &model->op_count, &model->capacity[OPS], sizeof *op);
  if (op != NULL) op->code = code;
  return op;
}

tdm_choice *tdm_model_add_choice(tdm_model *model) {
  return add(&model->choices, &model->choice_count, &model->capacity[CHOICES], sizeof(tdm_choice));
}

tdm_llm_server *tdm_model_add_server(tdm_model *model) {
  tdm_llm_server *server =
      add(&model->servers, &model->server_count, &model->capacity[SERVERS], sizeof(tdm_llm_server));
  if (server != NULL) server->link_station = TDM_NO_INDEX;
  return server;
}

tdm_status tdm_model_set_classes(tdm_model *model, size_t count, tdm_error *error) {
  model->classes = tdm_array_new(count, sizeof *model->classes);
  if (model->classes == NULL)
    return tdm_error_memory(error, "classes", count * sizeof *model->classes);
  model->class_count = count;
  for (size_t i = 0; i < count; i++) {
    tdm_class *class = &model->classes[i];
    class->slo_ns = class->ttft_ns = class->tpot_ns = INT64_MAX;
    class->attrs = tdm_array_new(model->attr_count, sizeof *class->attrs);
    class->attr_set = tdm_array_new(model->attr_count, sizeof *class->attr_set);
    if (class->attrs == NULL || class->attr_set == NULL)
      return tdm_error_memory(error, "class attributes", model->attr_count * sizeof *class->attrs);
  }
  return TDM_OK;
}

static tdm_status check_batch(const tdm_stage *stage, const tdm_station *station,
                              tdm_error *error) {
  if (station->discipline != TDM_PS && station->link == TDM_NO_INDEX) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID,
                       "stage %s: a batch needs a station that serves whole jobs, not %s",
                       stage->name, station->link != TDM_NO_INDEX ? "a shared link" : "\"ps\"");
}

static tdm_status check_stage(const tdm_model *m, const tdm_stage *stage, tdm_error *error) {
  if (stage->station != TDM_NO_INDEX && stage->station >= m->station_count)
    return tdm_error_set(error, TDM_BUG, "stage %s: station %u does not exist", stage->name,
                         stage->station);
  if (stage->group != TDM_NO_INDEX) {
    const tdm_group *group = &m->groups[stage->group];
    for (size_t i = 0; i < group->count; i++)
      if (m->gpus[group->members[i]].stations[stage->role] == TDM_NO_INDEX)
        return tdm_error_set(error, TDM_INVALID, "stage %s: %s has no such engine", stage->name,
                             m->gpus[group->members[i]].name);
  }
  if (stage->batch.max == 0)
    return tdm_error_set(error, TDM_INVALID, "stage %s: batch.max must be at least 1", stage->name);
  if (stage->batch.max == 1) return TDM_OK;
  if (stage->station != TDM_NO_INDEX)
    return check_batch(stage, &m->stations[stage->station], error);
  for (size_t i = 0; stage->group != TDM_NO_INDEX && i < m->groups[stage->group].count; i++) {
    const tdm_gpu *gpu = &m->gpus[m->groups[stage->group].members[i]];
    tdm_status status = check_batch(stage, &m->stations[gpu->stations[stage->role]], error);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

static tdm_status check_station(const tdm_model *m, const tdm_station *s, tdm_error *error) {
  if (s->servers == 0)
    return tdm_error_set(error, TDM_INVALID, "%s: needs at least one server", s->name);
  if (s->link != TDM_NO_INDEX && s->link >= m->link_count)
    return tdm_error_set(error, TDM_BUG, "%s: link %u does not exist", s->name, s->link);
  if ((s->mtbf == NULL) != (s->mttr == NULL))
    return tdm_error_set(error, TDM_INVALID, "%s: failures need both mtbf and mttr", s->name);
  return TDM_OK;
}

/* Stages of one name on one station (or role of one group) share a batcher. */
static bool same_batcher(const tdm_stage *a, const tdm_stage *b) {
  return a->station == b->station && a->group == b->group && a->role == b->role &&
         a->batch.max == b->batch.max && a->batch.function == b->batch.function &&
         a->batch.wait_ns == b->batch.wait_ns && strcmp(a->name, b->name) == 0;
}

/* False: out of memory. */
static bool join_batchers(tdm_model *m) {
  tdm_hash_map first = {0}; /* stage of each batcher, by name */
  bool fits = true;
  for (uint32_t i = 0; i < m->stage_count && fits; i++) {
    tdm_stage *stage = &m->stages[i];
    uint32_t hash = tdm_hash_bytes(stage->name, strlen(stage->name));
    tdm_hash_slot *slot = tdm_hash_first(&first, hash);
    while (slot != NULL && !same_batcher(stage, &m->stages[slot->row]))
      slot = tdm_hash_next(&first, slot);
    if (slot != NULL) {
      stage->batcher = m->stages[slot->row].batcher;
    } else {
      stage->batcher = (uint32_t)m->batcher_count++;
      fits = tdm_hash_add(&first, hash, i);
    }
  }
  tdm_hash_map_free(&first);
  return fits;
}

static char *name_stream(const char *class, const char *stage, size_t twins) {
  size_t bytes = strlen(class) + strlen(stage) + 32;
  char *stream = malloc(bytes);
  if (stream == NULL) return NULL;
  if (twins == 1)
    snprintf(stream, bytes, "%s/%s", class, stage);
  else
    snprintf(stream, bytes, "%s/%s#%zu", class, stage, twins);
  return stream;
}

/* A class's stages of one name draw from streams of their own. False: out of memory. */
static bool name_streams(tdm_model *m) {
  tdm_hash_map last = {0}; /* stage of each class and name */
  size_t *twins = tdm_array_new(m->stage_count, sizeof *twins);
  bool fits = twins != NULL || m->stage_count == 0;
  for (uint32_t i = 0; i < m->stage_count && fits; i++) {
    tdm_stage *stage = &m->stages[i];
    uint32_t hash =
        tdm_hash_pair(stage->class_index, tdm_hash_bytes(stage->name, strlen(stage->name)));
    tdm_hash_slot *slot = tdm_hash_first(&last, hash);
    while (slot != NULL && (m->stages[slot->row].class_index != stage->class_index ||
                            strcmp(m->stages[slot->row].name, stage->name) != 0))
      slot = tdm_hash_next(&last, slot);
    twins[i] = slot != NULL ? twins[slot->row] + 1 : 1;
    if (slot != NULL)
      slot->row = i;
    else
      fits = tdm_hash_add(&last, hash, i);
    stage->stream = name_stream(m->classes[stage->class_index].name, stage->name, twins[i]);
    fits = fits && stage->stream != NULL;
  }
  tdm_hash_map_free(&last);
  free(twins);
  return fits;
}

/* Classes that all end by themselves end the run: its window lasts until the last of them. */
static void take_class_ends(tdm_model *m) {
  int64_t end_ns = 0;
  uint64_t requests = 0;
  bool ends = true, limits = true;
  for (size_t i = 0; i < m->class_count && m->classes[i].arrivals != NULL; i++) {
    const tdm_arrivals *arrivals = m->classes[i].arrivals;
    bool list = arrivals->kind == TDM_ARRIVE_LIST;
    ends = ends && (arrivals->end_ns > 0 || list);
    limits = limits && arrivals->limit > 0;
    requests += arrivals->limit;
    if (arrivals->end_ns > end_ns) end_ns = arrivals->end_ns;
  }
  if (ends && end_ns > 0 && m->duration_ns == INT64_MAX) m->duration_ns = end_ns;
  if (limits && requests > 0 && requests < m->requests) m->requests = requests;
}

static tdm_status check_pool(const tdm_model *m, const tdm_replica_pool *pool, tdm_error *error) {
  if (pool->count == 0 || pool->step == NULL)
    return tdm_error_set(error, TDM_INVALID, "%s: needs a replica and a step model", pool->name);
  if (pool->lanes == 0 || pool->count % pool->lanes != 0)
    return tdm_error_set(error, TDM_INVALID, "%s: %zu stations are not replicas of %u", pool->name,
                         pool->count, pool->lanes);
  for (size_t i = 0; i < pool->count; i++)
    if (pool->stations[i] >= m->station_count || !m->stations[pool->stations[i]].replica)
      return tdm_error_set(error, TDM_INVALID, "%s: replica %zu has no station of its own",
                           pool->name, i + 1);
  return TDM_OK;
}

/* Counts the server's replicas; names of blocks are the same in all its pools. */
static tdm_status check_server(const tdm_model *m, tdm_llm_server *server, tdm_error *error) {
  const tdm_replica_pool *first = server->pools;
  if (server->pool_count == 0)
    return tdm_error_set(error, TDM_INVALID, "%s: needs a pool of replicas", server->name);
  size_t roles[TDM_POOL_DECODE + 1] = {0};
  for (size_t i = 0; i < server->pool_count; i++) {
    const tdm_replica_pool *pool = &server->pools[i];
    tdm_status status = check_pool(m, pool, error);
    if (status != TDM_OK) return status;
    if (pool->config.hash_tokens != first->config.hash_tokens)
      return tdm_error_set(error, TDM_INVALID, "%s: block_tokens must be alike in all pools",
                           server->name);
    if (i > 0 && pool->role < pool[-1].role)
      return tdm_error_set(error, TDM_INVALID, "%s: decode pools stand last", server->name);
    roles[pool->role] += pool->count;
    server->count += pool->count;
  }
  server->entries = roles[TDM_POOL_WHOLE] + roles[TDM_POOL_PREFILL];
  bool split = roles[TDM_POOL_PREFILL] > 0;
  if (split != (server->link_station != TDM_NO_INDEX) ||
      (split && server->link_station >= m->station_count))
    return tdm_error_set(error, TDM_INVALID, "%s: prefill pools want a link to decode pools",
                         server->name);
  if (split != (roles[TDM_POOL_DECODE] > 0) || (split && roles[TDM_POOL_WHOLE] > 0))
    return tdm_error_set(error, TDM_INVALID, "%s: prefill and decode pools go together, alone",
                         server->name);
  return TDM_OK;
}

/* Tenants have figures where somebody names them or is fair to them. */
static void count_takers(tdm_model *m, tdm_llm_server *server) {
  bool fair = false;
  for (size_t p = 0; p < server->pool_count; p++)
    fair = fair || server->pools[p].config.order == TDM_SERVING_FAIR;
  for (size_t i = 0; i < server->stage_count; i++)
    server->by_tenant = server->by_tenant || m->stages[server->stages[i]].by_tenant;
  server->tenant_count = server->by_tenant || fair ? TDM_TENANT_ROWS : 0;
  server->tenant_times = m->times_count;
  m->times_count += TDM_LLM_TIMES * server->tenant_count;
  server->first_taker = m->taker_count;
  m->taker_count += server->stage_count + server->tenant_count;
}

/* Tells servers and their stages of each other, and numbers the times that are kept of them. */
static tdm_status join_servers(tdm_model *m, tdm_error *error) {
  m->times_count = m->window_rows = m->class_count;
  for (uint32_t k = 0; k < m->server_count; k++) {
    tdm_llm_server *server = &m->servers[k];
    tdm_status status = check_server(m, server, error);
    if (status != TDM_OK) return status;
    server->first_pool = m->pool_count;
    m->pool_count += server->pool_count;
    server->stages = tdm_array_new(m->stage_count, sizeof *server->stages);
    if (server->stages == NULL) return tdm_error_memory(error, "stages", m->stage_count);
    for (uint32_t i = 0; i < m->stage_count; i++) {
      if (m->stages[i].server != k) continue;
      m->stages[i].member = (uint32_t)server->stage_count;
      server->stages[server->stage_count++] = i;
    }
    server->first_times = m->times_count;
    m->times_count += TDM_LLM_TIMES * server->stage_count;
    server->first_window = m->window_rows;
    m->window_rows += TDM_LLM_WINDOW_TIMES * server->stage_count;
    count_takers(m, server);
  }
  return TDM_OK;
}

static bool is_steady(const tdm_model *m, const tdm_group *group) {
  for (size_t i = 0; i < group->count; i++) {
    const tdm_gpu *gpu = &m->gpus[group->members[i]];
    if (tdm_gpu_fails(gpu)) return false;
    for (int role = 0; role < TDM_ROLES; role++)
      if (gpu->stations[role] != TDM_NO_INDEX && m->stations[gpu->stations[role]].mtbf != NULL)
        return false;
  }
  return true;
}

/* GPUs may be in several groups: where one of these scales, none is steady. */
static void find_steady_groups(tdm_model *m) {
  bool scaled = false;
  for (size_t i = 0; i < m->group_count; i++) scaled |= m->groups[i].scaling.on;
  for (size_t i = 0; i < m->group_count; i++)
    m->groups[i].steady = !scaled && is_steady(m, &m->groups[i]);
}

tdm_status tdm_model_finish(tdm_model *m, tdm_error *error) {
  tdm_status status = TDM_OK;
  if (m->class_count == 0) return tdm_error_set(error, TDM_INVALID, "a model needs a class");
  for (size_t i = 0; i < m->station_count && status == TDM_OK; i++)
    status = check_station(m, &m->stations[i], error);
  for (size_t i = 0; i < m->stage_count && status == TDM_OK; i++)
    status = check_stage(m, &m->stages[i], error);
  if (status == TDM_OK) status = join_servers(m, error);
  take_class_ends(m);
  find_steady_groups(m);
  bool bounded = m->duration_ns != INT64_MAX || m->requests != UINT64_MAX;
  for (size_t i = 0; i < m->class_count && status == TDM_OK; i++) {
    const tdm_class *class = &m->classes[i];
    if (class->arrivals == NULL)
      return tdm_error_set(error, TDM_INVALID, "class %s has no arrivals", class->name);
    if (class->priority >= TDM_PRIORITIES)
      return tdm_error_set(error, TDM_INVALID, "class %s: priority must be 0…%d, not %u",
                           class->name, TDM_PRIORITIES - 1, class->priority);
    if (!bounded && class->arrivals->kind != TDM_ARRIVE_LIST && class->arrivals->end_ns == 0 &&
        class->arrivals->limit == 0)
      return tdm_error_set(error, TDM_INVALID,
                           "the run would never end: give a duration or a number of requests");
    status = tdm_arrivals_check(class->arrivals, error);
  }
  if (status != TDM_OK) return status;
  if (!join_batchers(m) || !name_streams(m))
    return tdm_error_memory(error, "stages", m->stage_count * sizeof *m->stages);
  return TDM_OK;
}

bool tdm_model_comes_and_goes(const tdm_model *model, size_t station) {
  for (size_t g = 0; g < model->group_count; g++) {
    const tdm_group *group = &model->groups[g];
    for (size_t i = 0; group->scaling.on && i < group->count; i++) {
      const uint32_t *stations = model->gpus[group->members[i]].stations;
      uint32_t first = stations[TDM_ROLE_GPU] != TDM_NO_INDEX   ? stations[TDM_ROLE_GPU]
                       : stations[TDM_ROLE_H2D] != TDM_NO_INDEX ? stations[TDM_ROLE_H2D]
                                                                : stations[TDM_ROLE_D2H];
      if (first == station) return true;
    }
  }
  return false;
}
