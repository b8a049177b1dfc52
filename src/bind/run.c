/* tandem.core.run: a model table in, a result table out.
 *
 * Everything the run owns hangs on one userdata, so that an error raised on the way loses nothing.
 * Functions of the model are shipped to worker states, one worker a replication. Called by Lua
 * (scenario:run). */
#include <lauxlib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/exponential.h"
#include "base/memory.h"
#include "bind/bind.h"
#include "bind/guard.h"
#include "bind/metrics.h"
#include "bind/model/model.h"
#include "bind/result/result.h"
#include "bind/ship/ship.h"
#include "bind/trace.h"
#include "bind/worker/worker.h"
#include "engine/lowered/lowered.h"

#define DEFAULT_REPLICATIONS 8
#define DEFAULT_SPANS        4000000 /* of a trace; more are counted, not kept */

static const char type_name[] = "tandem.run";

typedef struct {
  tdm_model *model;
  tdm_bind_functions functions;
  bool has_functions;
  tdm_shipment *shipment;
  tdm_worker_pool *pool;
  tdm_replications replications;
  tdm_recorded_book *book; /* what hooks recorded */
  tdm_replicate_options options;
  double confidence;
  tdm_worker_options worker_options;
  tdm_error hook_error; /* of a distribution, seen after its replication */
  tdm_status hook_status;
  uint32_t hook_replication;
  pthread_mutex_t lock; /* guards hook_*: workers end on any thread */
} run;

static int close_run(lua_State *L) {
  run *r = luaL_checkudata(L, 1, type_name);
  if (r->pool != NULL) tdm_worker_pool_close(r->pool);
  tdm_shipment_free(r->shipment);
  if (r->has_functions) tdm_bind_functions_free(L, &r->functions);
  tdm_replications_free(&r->replications);
  tdm_recorded_book_free(r->book);
  tdm_model_free(r->model);
  pthread_mutex_destroy(&r->lock);
  memset(r, 0, sizeof *r);
  pthread_mutex_init(&r->lock, NULL);
  return 0;
}

static run *new_run(lua_State *L) {
  run *r = lua_newuserdatauv(L, sizeof *r, 0);
  memset(r, 0, sizeof *r);
  pthread_mutex_init(&r->lock, NULL);
  if (luaL_newmetatable(L, type_name)) {
    lua_pushcfunction(L, close_run);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, close_run);
    lua_setfield(L, -2, "__close");
  }
  lua_setmetatable(L, -2);
  lua_toclose(L, -1);
  return r;
}

/* ---- options */

static lua_Integer integer_option(lua_State *L, const char *key, lua_Integer standard,
                                  lua_Integer least) {
  lua_getfield(L, 2, key);
  lua_Integer value = luaL_optinteger(L, -1, standard);
  lua_pop(L, 1);
  if (value < least) luaL_error(L, "%s must be a whole number of at least %d", key, (int)least);
  return value;
}

static int64_t warmup_option(lua_State *L) {
  int64_t warmup_ns = TDM_WARMUP_AUTO;
  lua_getfield(L, 2, "warmup");
  if (lua_type(L, -1) == LUA_TNUMBER)
    warmup_ns = tdm_round_ns(lua_tonumber(L, -1) * 1e9);
  else if (lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "none") == 0)
    warmup_ns = 0;
  lua_pop(L, 1);
  return warmup_ns;
}

/* What one call of a user's function may use, for scenarios that are not trusted. */
static void read_worker_options(lua_State *L, tdm_worker_options *o) {
  o->instructions = (uint64_t)integer_option(L, "instructions", 0, 0);
  o->memory_bytes = (size_t)integer_option(L, "memory_bytes", TDM_CALL_MOST_BYTES, 0);
  lua_getfield(L, 2, "call_s");
  o->call_s = luaL_optnumber(L, -1, TDM_CALL_MOST_S);
  lua_pop(L, 1);
}

static void read_options(lua_State *L, run *r) {
  tdm_replicate_options *o = &r->options;
  static const char *const engines[] = {"auto", "event", "lowered", NULL};
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_getfield(L, 2, "engine");
  o->engine = (tdm_engine_choice)luaL_checkoption(L, -1, "auto", engines);
  lua_getfield(L, 2, "confidence");
  r->confidence = luaL_optnumber(L, -1, 0.95);
  lua_pop(L, 2);
  if (!(r->confidence > 0 && r->confidence < 1))
    luaL_error(L, "confidence must be between 0 and 1");
  o->seed = (uint64_t)integer_option(L, "seed", 1, LUA_MININTEGER);
  o->replications = (uint32_t)integer_option(L, "replications", DEFAULT_REPLICATIONS, 1);
  o->first = (uint32_t)integer_option(L, "first", 0, 0);
  o->threads = (uint32_t)integer_option(L, "threads", 0, 0);
  o->heap_limit = (size_t)integer_option(L, "heap_limit", 0, 0);
  o->warmup_ns = warmup_option(L);
  o->stop = tdm_bind_interrupt(L);
}

/* ---- hooks */

static tdm_status open_worker(void *context, uint32_t replication, void **worker,
                              const tdm_hooks **hooks, tdm_error *error) {
  run *r = context;
  tdm_worker *taken = NULL;
  tdm_status status =
      tdm_worker_pool_take(r->pool, r->options.seed, r->options.first + replication, &taken, error);
  if (status != TDM_OK) return status;
  *worker = taken;
  *hooks = tdm_worker_hooks(taken);
  return TDM_OK;
}

static void close_worker(void *context, uint32_t replication, void *worker) {
  run *r = context;
  tdm_error error;
  tdm_status status = tdm_worker_failure(worker, &error);
  if (status == TDM_OK) status = tdm_recorded_book_add(r->book, replication, worker, &error);
  if (status != TDM_OK) {
    pthread_mutex_lock(&r->lock);
    if (r->hook_status == TDM_OK || replication < r->hook_replication) {
      r->hook_status = status;
      r->hook_error = error;
      r->hook_replication = replication;
    }
    pthread_mutex_unlock(&r->lock);
  }
  tdm_worker_pool_give(r->pool, worker);
}

static void interrupt_workers(void *context) {
  tdm_worker_pool_interrupt(((run *)context)->pool);
}

static void look_at_workers(void *context) {
  tdm_worker_pool_look(((run *)context)->pool);
}

static tdm_status open_hooks(lua_State *L, run *r, tdm_error *error) {
  if (r->functions.count == 0) return TDM_OK;
  lua_rawgeti(L, LUA_REGISTRYINDEX, r->functions.list);
  tdm_status status = tdm_ship(L, -1, &r->shipment, error);
  lua_pop(L, 1);
  if (status == TDM_OK)
    status = tdm_worker_pool_open(r->shipment, r->model, &r->functions, &r->worker_options,
                                  &r->pool, error);
  if (status == TDM_OK) status = tdm_recorded_book_new(r->options.replications, &r->book, error);
  if (status == TDM_OK)
    r->options.hooks =
        (tdm_hook_source){r, open_worker, close_worker, interrupt_workers, look_at_workers};
  return status;
}

/* Event hooks and admission have to be asked: only the event engine does that. */
static bool watches(const tdm_bind_functions *functions) {
  for (int event = 0; event < TDM_HOOK_EVENTS; event++)
    if (functions->events[event] != TDM_NO_INDEX) return true;
  return functions->admit != TDM_NO_INDEX;
}

/* ---- objectives: which percentiles the model has to keep */

static void read_objectives(lua_State *L, tdm_model *model) {
  lua_getfield(L, 1, "classes");
  for (size_t c = 0; c < model->class_count; c++) {
    tdm_class *class = &model->classes[c];
    lua_rawgeti(L, -1, (lua_Integer)c + 1);
    lua_getfield(L, -1, "slo");
    lua_Integer count = lua_istable(L, -1) ? luaL_len(L, -1) : 0;
    class->slo_levels = tdm_array_new((size_t)count, sizeof *class->slo_levels);
    if (class->slo_levels == NULL) luaL_error(L, "not enough memory");
    for (lua_Integer i = 1; i <= count; i++) {
      lua_rawgeti(L, -1, i);
      lua_getfield(L, -1, "metric");
      const char *metric = luaL_checkstring(L, -1);
      lua_getfield(L, -2, "window");
      bool by_window = !lua_isnil(L, -1);
      lua_pop(L, 1);
      if (by_window) {
        lua_pop(L, 1);
        tdm_result_window_limits(L, class);
        lua_pop(L, 1);
        continue;
      }
      const char *of = strchr(metric, '_'); /* "ttft_p99" */
      if (of != NULL) metric = of + 1;
      /* "p99.9", and "p999" in the short form */
      if (metric[0] == 'p') {
        double percent = strtod(metric + 1, NULL);
        while (percent > 100) percent /= 10;
        class->slo_levels[class->slo_count++] = percent / 100;
      }
      lua_pop(L, 2);
    }
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
}

/* ---- running */

typedef struct {
  lua_State *L;
  bool failed; /* the script's progress function raised: not asked again */
} progress_call;

static void report_progress(void *context, uint32_t done, uint32_t of) {
  progress_call *call = context;
  if (call->failed) return;
  lua_State *L = call->L;
  lua_getfield(L, 2, "progress");
  lua_pushnumber(L, (double)done / (double)of);
  call->failed = lua_pcall(L, 1, 0, 0) != LUA_OK;
  if (call->failed) lua_pop(L, 1);
}

static bool wants(lua_State *L, const char *key) {
  lua_getfield(L, 2, key);
  bool wanted = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return wanted;
}

/* Workers have a state of their own, where only a run on calls anything: it may not start more. */
static void refuse_in_worker(lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, TDM_SHIP_BASE) != LUA_TNIL)
    luaL_error(L, "a run is on; a hook or a cost function cannot start another");
  lua_pop(L, 1);
}

/* core.run(model, options) → result, trace or nil | nil, message, code */
static int run_model(lua_State *L) {
  tdm_error error = {0};
  tdm_sink sink = {0};
  tdm_served_sink served;
  luaL_checktype(L, 1, LUA_TTABLE);
  refuse_in_worker(L);
  if (lua_isnoneornil(L, 2)) {
    lua_settop(L, 1);
    lua_newtable(L);
  }
  lua_settop(L, 2);
  run *r = new_run(L);
  read_options(L, r);
  read_worker_options(L, &r->worker_options);
  if (tdm_bind_model(L, 1, &r->model, &r->functions, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  r->has_functions = true;
  read_objectives(L, r->model);
  if (open_hooks(L, r, &error) != TDM_OK) return tdm_bind_failure(L, &error);
  if (watches(&r->functions)) {
    if (r->options.engine == TDM_ENGINE_LOWERED) {
      tdm_error_set(&error, TDM_INVALID,
                    "this scenario cannot be lowered: hooks watch single requests");
      return tdm_bind_failure(L, &error);
    }
    r->options.engine = TDM_ENGINE_EVENT;
  }
  tdm_trace **trace = tdm_bind_trace_new(L);
  int trace_index = lua_gettop(L);
  bool spans = wants(L, "trace") || wants(L, "store");
  if (spans || wants(L, "requests_log")) {
    *trace = tdm_trace_new((size_t)integer_option(L, "trace_limit", DEFAULT_SPANS, 1));
    if (*trace == NULL) return luaL_error(L, "not enough memory");
    tdm_trace_sink(*trace, &sink);
    if (!spans) { /* a log of requests alone: their attributes are not in it */
      sink.spans = NULL;
      sink.attribute = NULL;
    }
    r->options.sink = &sink;
    for (size_t c = 0; c < r->model->class_count; c++)
      if (tdm_trace_class_name(*trace, (uint32_t)c, r->model->classes[c].name, &error) != TDM_OK)
        return tdm_bind_failure(L, &error);
  }
  tdm_bind_metrics *metrics = tdm_bind_metrics_new(L, &served);
  if (metrics != NULL) {
    sink.served = &served;
    r->options.sink = &sink;
  }
  progress_call call = {.L = L, .failed = false};
  if (wants(L, "progress")) {
    r->options.progress = report_progress;
    r->options.progress_context = &call;
  }
  tdm_guard_engine_enter();
  tdm_status status = tdm_replicate(r->model, &r->options, &r->replications, &error);
  tdm_guard_engine_leave();
  r->options.sink = NULL;
  if (status == TDM_OK && r->hook_status != TDM_OK && r->hook_status != TDM_INTERRUPTED) {
    status = r->hook_status;
    error = r->hook_error;
  }
  /* A distribution that failed gave NaN, which the engine met as a bad cost: tell the cause. */
  if (status == TDM_INVALID && r->hook_status == TDM_HOOK) error = r->hook_error;
  if (r->hook_status == TDM_INTERRUPTED) {
    if (status != TDM_INTERRUPTED) error = r->hook_error;
    status = TDM_INTERRUPTED;
  }
  bool partial = status == TDM_INTERRUPTED && r->replications.count > 0;
  if (status != TDM_OK && !partial) return tdm_bind_failure(L, &error);
  if (tdm_bind_metrics_write(metrics, &error) != TDM_OK) return tdm_bind_failure(L, &error);
  tdm_result_facts facts = {.seed = r->options.seed,
                            .confidence = r->confidence,
                            .model_index = 1,
                            .values = wants(L, "values"),
                            .brief = wants(L, "brief"),
                            .whole = r->options.warmup_ns == 0,
                            .moving = wants(L, "moving")};
  tdm_bind_result(L, r->model, &r->replications, &facts);
  if (r->book != NULL) tdm_recorded_book_push(L, r->book);
  if (*trace != NULL)
    lua_pushvalue(L, trace_index);
  else
    lua_pushnil(L);
  return 2;
}

/* core.lowering(model) → nil when it can be lowered, else why not */
static int tell_lowering(lua_State *L) {
  tdm_error error = {0};
  luaL_checktype(L, 1, LUA_TTABLE);
  run *r = new_run(L);
  if (tdm_bind_model(L, 1, &r->model, &r->functions, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  r->has_functions = true;
  const char *why =
      watches(&r->functions) ? "hooks watch single requests" : tdm_lowered_refuses(r->model);
  lua_pushstring(L, why);
  return 1;
}

void tdm_bind_open_run(lua_State *L) {
  lua_pushcfunction(L, run_model);
  lua_setfield(L, -2, "run");
  lua_pushcfunction(L, tell_lowering);
  lua_setfield(L, -2, "lowering");
}
