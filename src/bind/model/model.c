/* The model table as a whole: GPUs, links, stations, memories, groups, classes, hooks, in the order
 * in which they refer to each other. Values are bind/value's and bind/formula's, routes
 * bind/route's, arrivals bind/arrivals', LLM servers bind/server's. See model.h. */
#include "bind/model/model.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/model/inside.h"
#include "bind/model/value.h"

/* Calls read(r) with each item of the list under `key` as the value. */
static void each(tdm_reader *r, const char *key, void (*read)(tdm_reader *r)) {
  size_t mark = tdm_read_open(r, key);
  size_t count = tdm_read_length(r);
  for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
    size_t item = tdm_read_open_item(r, i + 1);
    read(r);
    tdm_read_close(r, item);
  }
  tdm_read_close(r, mark);
}

/* ---- names */

static void read_attrs(tdm_reader *r) {
  tdm_model *m = r->model;
  size_t mark = tdm_read_open(r, "attrs");
  size_t count = tdm_read_length(r);
  m->attrs = tdm_array_new(count, sizeof *m->attrs);
  if (!tdm_read_allocated(r, m->attrs, "attribute names")) count = 0;
  for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
    lua_rawgeti(r->L, -1, (lua_Integer)i + 1);
    if (lua_type(r->L, -1) == LUA_TSTRING) {
      m->attrs[i] = tdm_string_copy(lua_tostring(r->L, -1));
      if (tdm_read_allocated(r, m->attrs[i], "attribute names")) m->attr_count++;
    } else {
      tdm_read_fail(r, "item %zu is not a name", i + 1);
    }
    lua_pop(r->L, 1);
  }
  m->state_slots = m->attr_count;
  tdm_read_close(r, mark);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the GPU's numeric parameter names to the model's, which are sorted once all are in. */
static void read_param_names(tdm_reader *r) {
  tdm_model *m = r->model;
  size_t mark = tdm_read_open(r, "params");
  if (tdm_read_present(r) && tdm_read_table(r)) {
    for (lua_pushnil(r->L); lua_next(r->L, -2) != 0; lua_pop(r->L, 1)) {
      if (lua_type(r->L, -2) != LUA_TSTRING || lua_type(r->L, -1) != LUA_TNUMBER) continue;
      const char *name = lua_tostring(r->L, -2);
      if (r->status != TDM_OK || tdm_name_find(m->params, m->param_count, name) != TDM_NO_INDEX)
        continue;
      char **grown = realloc(m->params, (m->param_count + 1) * sizeof *grown);
      if (!tdm_read_allocated(r, grown, "GPU parameter names")) continue;
      m->params = grown;
      m->params[m->param_count] = tdm_string_copy(name);
      if (tdm_read_allocated(r, m->params[m->param_count], "GPU parameter names")) m->param_count++;
    }
  }
  tdm_read_close(r, mark);
}

/* ---- resources */

static void read_outages(tdm_reader *r, tdm_gpu *gpu) {
  if (!tdm_read_has(r, "outages")) return;
  gpu->outages = tdm_read_numbers(r, "outages", &gpu->outage_count);
  if (gpu->mtbf != NULL) tdm_read_fail(r, "a GPU has outages or mtbf and mttr, not both");
  for (size_t i = 0; i < gpu->outage_count; i++)
    if (!(gpu->outages[i] >= 0)) tdm_read_fail(r, "outages are times of at least 0 s");
}

static void read_gpu(tdm_reader *r) {
  tdm_model *m = r->model;
  tdm_gpu *gpu = tdm_model_add_gpu(m);
  if (!tdm_read_allocated(r, gpu, "a GPU")) return;
  gpu->name = tdm_read_name(r, "name");
  gpu->kind = tdm_read_name(r, "kind");
  gpu->mtbf = tdm_read_dist(r, "mtbf");
  gpu->mttr = tdm_read_dist(r, "mttr");
  if ((gpu->mtbf == NULL) != (gpu->mttr == NULL))
    tdm_read_fail(r, "failures need both mtbf and mttr");
  read_outages(r, gpu);
  gpu->params = tdm_array_new(m->param_count, sizeof *gpu->params);
  if (!tdm_read_allocated(r, gpu->params, "GPU parameters")) return;
  size_t mark = tdm_read_open(r, "params");
  for (size_t i = 0; i < m->param_count && tdm_read_present(r); i++) {
    lua_pushstring(r->L, m->params[i]);
    lua_rawget(r->L, -2);
    gpu->params[i] = lua_type(r->L, -1) == LUA_TNUMBER ? lua_tonumber(r->L, -1) : NAN;
    lua_pop(r->L, 1);
  }
  tdm_read_close(r, mark);
}

static void read_link(tdm_reader *r) {
  tdm_link *link = tdm_model_add_link(r->model);
  if (!tdm_read_allocated(r, link, "a link")) return;
  link->name = tdm_read_name(r, "name");
  link->bandwidth = tdm_read_number(r, "bandwidth");
  if (!(link->bandwidth > 0)) tdm_read_fail(r, "bandwidth must be above 0 bytes/s");
}

static void read_station(tdm_reader *r) {
  static const char *const disciplines[] = {"fifo",     "lifo",    "random",
                                            "priority", "preempt", "ps"}; /* tdm_discipline */
  static const char *const failed[] = {"wait", "restart", "lost"};        /* tdm_failed */
  static const tdm_lane lanes[TDM_ROLES] = {TDM_LANE_H2D, TDM_LANE_GPU, TDM_LANE_D2H};
  tdm_model *m = r->model;
  tdm_station *station = tdm_model_add_station(m);
  if (!tdm_read_allocated(r, station, "a station")) return;
  station->name = tdm_read_name(r, "name");
  station->lane = tdm_bind_lane(r, "lane");
  station->gpu = tdm_read_index(r, "gpu", m->gpu_count);
  station->servers = tdm_read_count_or(r, "servers", 1);
  station->discipline = (tdm_discipline)tdm_read_choice(r, "discipline", disciplines, 6);
  station->queue_limit = tdm_read_count_or(r, "queue", TDM_UNLIMITED);
  station->link = tdm_read_index(r, "link", m->link_count);
  station->rate = tdm_read_number_or(r, "rate", 0);
  station->mtbf = tdm_read_dist(r, "mtbf");
  station->mttr = tdm_read_dist(r, "mttr");
  station->replica = tdm_read_flag(r, "replica");
  station->on_failure = (tdm_failed)tdm_read_choice(r, "on_failure", failed, 3);
  if (!(station->rate >= 0)) tdm_read_fail(r, "rate must be at least 0 bytes/s");
  if (isinf(station->rate)) station->rate = 0; /* only the link limits */
  for (int role = 0; role < TDM_ROLES && station->gpu != TDM_NO_INDEX; role++) {
    if (station->lane != lanes[role] || station->replica) continue;
    uint32_t *station_index = &m->gpus[station->gpu].stations[role];
    if (*station_index != TDM_NO_INDEX)
      tdm_read_fail(r, "its GPU has a station on this lane already");
    *station_index = (uint32_t)(m->station_count - 1);
  }
}

static void read_memory(tdm_reader *r) {
  tdm_model *m = r->model;
  tdm_memory *memory = tdm_model_add_memory(m);
  if (!tdm_read_allocated(r, memory, "a memory")) return;
  memory->name = tdm_read_name(r, "name");
  memory->gpu = tdm_read_index(r, "gpu", m->gpu_count);
  memory->bytes = tdm_read_number(r, "bytes");
  if (!(memory->bytes > 0)) tdm_read_fail(r, "bytes must be above 0");
  if (memory->gpu != TDM_NO_INDEX) m->gpus[memory->gpu].memory = (uint32_t)(m->memory_count - 1);
}

static void read_members(tdm_reader *r, tdm_group *group) {
  double *members = tdm_read_numbers(r, "members", &group->count);
  group->members = tdm_array_new(group->count, sizeof *group->members);
  tdm_read_allocated(r, group->members, "group members");
  for (size_t i = 0; i < group->count && r->status == TDM_OK; i++) {
    if (members[i] >= 1 && members[i] <= (double)r->model->gpu_count &&
        members[i] == floor(members[i]))
      group->members[i] = (uint32_t)members[i] - 1;
    else
      tdm_read_fail(r, "member %zu is not a GPU, there are %zu", i + 1, r->model->gpu_count);
  }
  free(members);
}

/* Stores them cumulative, ending at exactly 1. */
static void read_weights(tdm_reader *r, tdm_group *group) {
  if (!tdm_read_has(r, "weights")) return;
  size_t count;
  double sum = 0, total = 0;
  group->weights = tdm_read_numbers(r, "weights", &count);
  if (count != group->count) tdm_read_fail(r, "%zu weights for %zu members", count, group->count);
  for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
    if (!(group->weights[i] >= 0) || isinf(group->weights[i]))
      tdm_read_fail(r, "weight %zu must be finite and at least 0", i + 1);
    total += group->weights[i];
  }
  if (!(total > 0)) tdm_read_fail(r, "weights must not all be 0");
  size_t last = 0;
  for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
    if (group->weights[i] > 0) last = i;
    sum += group->weights[i];
    group->weights[i] = sum / total;
  }
  for (size_t i = last; i < count && r->status == TDM_OK; i++) group->weights[i] = 1;
}

static void read_group(tdm_reader *r) {
  static const char *const routers[] = {"round_robin",    "random",       "least_outstanding",
                                        "shortest_queue", "power_of_two", "weighted",
                                        "affinity"}; /* tdm_router */
  tdm_model *m = r->model;
  tdm_group *group = tdm_model_add_group(m);
  if (!tdm_read_allocated(r, group, "a group")) return;
  group->name = tdm_read_name(r, "name");
  read_members(r, group);
  read_weights(r, group);
  size_t mark = tdm_read_open(r, "router");
  bool function = tdm_read_present(r) && lua_isfunction(r->L, -1);
  if (function) group->function = tdm_read_function_here(r);
  tdm_read_close(r, mark);
  group->router =
      function ? TDM_ROUTE_FUNCTION : (tdm_router)tdm_read_choice(r, "router", routers, 7);
  if (group->router == TDM_ROUTE_WEIGHTED && group->weights == NULL)
    tdm_read_fail(r, "a weighted router wants weights");
  tdm_bind_scaling(r, group->count, &group->scaling);
  const char *key = tdm_read_word(r, "key");
  if (key == NULL) return;
  group->key_attr = tdm_name_find(m->attrs, m->attr_count, key);
  if (group->key_attr == TDM_NO_INDEX)
    tdm_read_fail(r, "key: \"%s\" is not a request attribute of this model", key);
}

/* ---- classes */

static void read_class_attrs(tdm_reader *r, tdm_class *class) {
  const tdm_model *m = r->model;
  size_t mark = tdm_read_open(r, "attrs");
  if (tdm_read_present(r)) tdm_read_names(r, m->attrs, m->attr_count, "request attribute");
  for (size_t slot = 0; slot < m->attr_count && tdm_read_present(r); slot++) {
    if (!tdm_read_has(r, m->attrs[slot])) continue;
    tdm_read_cost(r, m->attrs[slot], NULL, &class->attrs[slot]);
    class->attr_set[slot] = true;
    const tdm_expr *expr = class->attrs[slot].expr;
    if (expr != NULL && tdm_expr_uses_attrs(expr) >> slot != 0)
      tdm_read_fail(r, "\"%s\" reads itself or an attribute that stands after it in attrs",
                    m->attrs[slot]);
    if (expr != NULL && tdm_expr_uses_gpu(expr))
      tdm_read_fail(r, "\"%s\" is set at arrival, before there is a GPU to ask", m->attrs[slot]);
  }
  tdm_read_close(r, mark);
}

static void read_retry(tdm_reader *r, tdm_retry *retry) {
  size_t mark = tdm_read_open(r, "retry");
  if (tdm_read_present(r)) {
    retry->max = tdm_read_count_or(r, "max", 1);
    retry->backoff = tdm_read_number_or(r, "backoff", 0);
    retry->factor = tdm_read_number_or(r, "factor", 1);
    retry->jitter = tdm_read_number_or(r, "jitter", 0);
    if (!(retry->backoff >= 0 && retry->factor >= 0 && retry->jitter >= 0 && retry->jitter <= 1))
      tdm_read_fail(r, "wants backoff and factor of at least 0 and jitter from 0 to 1");
  }
  tdm_read_close(r, mark);
}

static void read_class(tdm_reader *r, uint32_t index) {
  tdm_class *class = &r->model->classes[index];
  class->name = tdm_read_name(r, "name");
  class->arrivals = tdm_bind_arrivals(r, "arrivals");
  class->priority = tdm_read_count_or(r, "priority", 0);
  class->patience = tdm_read_dist(r, "patience");
  class->timeout = tdm_read_dist(r, "timeout");
  class->slo_ns = tdm_read_ns_or(r, "slo_s", INT64_MAX);
  class->ttft_ns = tdm_read_ns_or(r, "ttft_s", INT64_MAX);
  class->tpot_ns = tdm_read_ns_or(r, "tpot_s", INT64_MAX);
  read_class_attrs(r, class);
  read_retry(r, &class->retry);
  tdm_bind_route(r, "route", index);
}

static void read_classes(tdm_reader *r) {
  size_t mark = tdm_read_open(r, "classes");
  size_t count = tdm_read_length(r);
  if (r->status == TDM_OK) r->status = tdm_model_set_classes(r->model, count, r->error);
  for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
    size_t item = tdm_read_open_item(r, i + 1);
    read_class(r, (uint32_t)i);
    tdm_read_close(r, item);
  }
  tdm_read_close(r, mark);
}

/* ---- the whole */

static void read_hooks(tdm_reader *r, tdm_bind_functions *functions) {
  static const char *const events[TDM_HOOK_EVENTS] = {"arrival", "start", "complete", "drop",
                                                      "tick"}; /* tdm_hook_event */
  size_t mark = tdm_read_open(r, "hooks");
  if (tdm_read_present(r)) {
    for (int i = 0; i < TDM_HOOK_EVENTS; i++)
      functions->events[i] = tdm_read_function(r, events[i]);
    functions->admit = tdm_read_function(r, "admit");
    if (functions->events[TDM_HOOK_TICK] != TDM_NO_INDEX) {
      r->model->tick_s = tdm_read_number_or(r, "tick_s", 1);
      if (!(r->model->tick_s > 0)) tdm_read_fail(r, "tick_s must be above 0 seconds");
    }
  }
  tdm_read_close(r, mark);
}

static void read_extent(tdm_reader *r) {
  r->model->duration_ns = tdm_read_ns_or(r, "duration", INT64_MAX);
  r->model->window_ns = tdm_read_ns_or(r, "window", 0);
  uint64_t requests = tdm_read_requests(r);
  if (requests > 0) r->model->requests = requests;
}

static void read_model(tdm_reader *r, tdm_bind_functions *functions) {
  tdm_model *m = r->model;
  if (!tdm_read_table(r)) return;
  m->name = tdm_read_name(r, "name");
  read_extent(r);
  read_attrs(r);
  each(r, "gpus", read_param_names);
  if (m->param_count > 1) qsort(m->params, m->param_count, sizeof *m->params, by_name);
  each(r, "gpus", read_gpu);
  each(r, "links", read_link);
  each(r, "stations", read_station);
  each(r, "memories", read_memory);
  each(r, "groups", read_group);
  each(r, "servers", tdm_bind_server);
  read_classes(r);
  read_hooks(r, functions);
  tdm_error error = {0};
  if (r->status == TDM_OK) tdm_read_check(r, tdm_model_finish(m, &error), &error);
}

typedef struct {
  tdm_reader reader;
  tdm_bind_functions *functions;
} build;

/* Under lua_pcall, for the one error that raw access can raise: Lua out of memory. The model is
 * freed then; the one value that was being read is lost. */
static int build_model(lua_State *L) {
  build *b = lua_touserdata(L, 1);
  tdm_reader *r = &b->reader;
  luaL_checkstack(L, (int)TDM_READ_DEPTH + LUA_MINSTACK, NULL);
  lua_newtable(L);
  r->function_list = lua_gettop(L);
  lua_newtable(L);
  r->function_numbers = lua_gettop(L);
  lua_pushvalue(L, 2);
  read_model(r, b->functions);
  b->functions->count = r->function_count;
  lua_pushvalue(L, r->function_list);
  b->functions->list = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

tdm_status tdm_bind_model(lua_State *L, int index, tdm_model **out, tdm_bind_functions *functions,
                          tdm_error *error) {
  *out = NULL;
  *functions = (tdm_bind_functions){.list = LUA_NOREF, .admit = TDM_NO_INDEX};
  for (int i = 0; i < TDM_HOOK_EVENTS; i++) functions->events[i] = TDM_NO_INDEX;
  build b = {.functions = functions};
  b.reader = (tdm_reader){.L = L,
                          .model = tdm_model_new(),
                          .error = error,
                          .path = "model",
                          .path_length = strlen("model")};
  if (b.reader.model == NULL || !lua_checkstack(L, 4)) {
    tdm_model_free(b.reader.model);
    return tdm_error_memory(error, "a model", sizeof *b.reader.model);
  }
  index = lua_absindex(L, index);
  lua_pushcfunction(L, build_model);
  lua_pushlightuserdata(L, &b);
  lua_pushvalue(L, index);
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
    b.reader.status = tdm_error_memory(error, "a model in Lua", 0);
    lua_pop(L, 1);
  }
  if (b.reader.status == TDM_OK) {
    *out = b.reader.model;
    return TDM_OK;
  }
  tdm_model_free(b.reader.model);
  tdm_bind_functions_free(L, functions);
  return b.reader.status;
}

void tdm_bind_functions_free(lua_State *L, tdm_bind_functions *functions) {
  luaL_unref(L, LUA_REGISTRYINDEX, functions->list);
  functions->list = LUA_NOREF;
  functions->count = 0;
}
