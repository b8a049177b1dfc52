/* Workers and their hooks; see worker.h for what they promise and inside.h for what they hold.
 *
 * Between calls a worker's state has its fixed values on the stack and nothing above them, so that
 * a call is: push the function, fill and push its request table, lua_pcall. */
#include "bind/worker/worker.h"

#include <lauxlib.h>
#include <lualib.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/counted/counted.h"
#include "bind/worker/inside.h"

/* ---- calls */

static int handle_error(lua_State *L) {
  char message[sizeof((tdm_error *)0)->message];
  const char *text = tdm_counted_text(L, 1);
  tdm_worker_describe(L, text, message, sizeof message);
  lua_pushstring(L, message);
  return 1;
}

tdm_status tdm_worker_failed(tdm_worker *w, tdm_error *error) {
  const char *message = lua_tostring(w->L, -1);
  if (message != NULL && strcmp(message, "not enough memory") == 0 && w->options.memory_bytes > 0)
    tdm_worker_complain(w, w->called, error, "the functions hold more than %zu bytes of memory",
                        w->options.memory_bytes);
  else
    tdm_error_set(error, tdm_worker_verdict(w), "%s",
                  message != NULL ? message : "an error without a message");
  lua_pop(w->L, 1);
  return tdm_worker_verdict(w);
}

tdm_status tdm_worker_complain(tdm_worker *w, uint32_t function, tdm_error *error,
                               const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  lua_Debug ar;
  lua_rawgeti(w->L, TDM_AT_FUNCTIONS, (lua_Integer)function + 1);
  lua_getinfo(w->L, ">S", &ar);
  if (ar.linedefined > 0)
    return tdm_error_set(error, tdm_worker_verdict(w), "%s:%d: %s", ar.short_src, ar.linedefined,
                         text);
  return tdm_error_set(error, tdm_worker_verdict(w), "%s", text);
}

/* Pushes a function and its filled request table. Returns the number of arguments: none for a
 * function that takes none. */
static inline int push_call(tdm_worker *w, uint32_t function, tdm_view *view) {
  int at = w->first_function + 2 * (int)function;
  const tdm_lens *lens = &w->lenses[function];
  tdm_worker_enter(w, function, view);
  lua_pushvalue(w->L, at);
  if (!lens->taken) return 0;
  if (lens->count > 0) tdm_view_fill(w, lens, at + 1);
  lua_pushvalue(w->L, at + 1);
  return 1;
}

static inline tdm_status call(tdm_worker *w, int arguments, int results, tdm_error *error) {
  int status = lua_pcall(w->L, arguments, results, TDM_AT_HANDLER);
  tdm_worker_leave(w);
  return status == LUA_OK ? TDM_OK : tdm_worker_failed(w, error);
}

/* ---- costs */

/* (worker, value, bytes) → number, or light userdata of a distribution */
static int convert(lua_State *L) {
  const tdm_dist *dist;
  double number;
  if (tdm_worker_amount(L, 1, lua_toboolean(L, 2), &number, &dist))
    lua_pushnumber(L, number);
  else
    lua_pushlightuserdata(L, (void *)(uintptr_t)dist);
  return 1;
}

static bool is_in_bytes(const tdm_worker *w, tdm_view *view) {
  tdm_view_look(view);
  if (view->stage == TDM_NO_INDEX) return false;
  const tdm_stage *stage = &w->model->stages[view->stage];
  uint32_t station = stage->station;
  if (station == TDM_NO_INDEX && view->gpu != TDM_NO_INDEX)
    station = w->model->gpus[view->gpu].stations[stage->role];
  return station != TDM_NO_INDEX && w->model->stations[station].link != TDM_NO_INDEX;
}

/* The value on top, which is not a number, as an amount: "5ms", or a draw from a distribution.
 * Pops it. */
static tdm_status slow_amount(tdm_worker *w, uint32_t function, bool bytes, double *amount,
                              tdm_error *error) {
  lua_State *L = w->L;
  lua_pushcfunction(L, convert);
  lua_insert(L, -2);
  lua_pushboolean(L, bytes);
  if (lua_pcall(L, 2, 1, 0) != LUA_OK) {
    tdm_error why;
    tdm_worker_failed(w, &why);
    return tdm_worker_complain(w, function, error,
                               "the function returned what is not an amount: %.200s", why.message);
  }
  const tdm_dist *dist = lua_touserdata(L, -1);
  *amount = lua_tonumber(L, -1);
  lua_pop(L, 1);
  if (dist != NULL) {
    tdm_stream stream = tdm_stream_named(w->seed, w->replication, "draws of functions");
    *amount =
        tdm_dist_draw(dist, tdm_stream_child(stream, function), w->draws[function]++, &w->script);
    return tdm_worker_failure(w, error);
  }
  return TDM_OK;
}

/* The value on top, whatever it is, pops it. */
static __attribute__((noinline)) tdm_status
odd_cost(tdm_worker *w, uint32_t function, tdm_view *view, double *amount, tdm_error *error) {
  if (lua_type(w->L, -1) == LUA_TNUMBER) {
    *amount = lua_tonumber(w->L, -1);
    lua_pop(w->L, 1);
  } else {
    tdm_status status = slow_amount(w, function, is_in_bytes(w, view), amount, error);
    if (status != TDM_OK) return status;
  }
  if (*amount >= 0 && *amount < INFINITY) return TDM_OK;
  return tdm_worker_complain(w, function, error, "the cost is %g; it must be 0 or more, and finite",
                             *amount);
}

static tdm_status hook_cost(void *context, uint32_t function, tdm_view *view, double *amount,
                            tdm_error *error) {
  tdm_worker *w = context;
  lua_State *L = w->L;
  if (w->failure.status != TDM_OK) return tdm_worker_failure(w, error);
  tdm_status status = call(w, push_call(w, function, view), 1, error);
  if (status != TDM_OK) return status;
  if (lua_type(L, -1) == LUA_TNUMBER) {
    double value = lua_tonumber(L, -1);
    if (value >= 0 && value < INFINITY) {
      *amount = value;
      lua_pop(L, 1);
      return TDM_OK;
    }
  }
  return odd_cost(w, function, view, amount, error);
}

/* ---- events and admission */

static tdm_status hook_event(void *context, tdm_hook_event event, tdm_view *view,
                             tdm_error *error) {
  tdm_worker *w = context;
  uint32_t function = w->functions.events[event];
  if (w->failure.status != TDM_OK) return tdm_worker_failure(w, error);
  if (event != TDM_HOOK_TICK) return call(w, push_call(w, function, view), 0, error);
  tdm_worker_enter(w, function, NULL);
  lua_pushvalue(w->L, w->first_function + 2 * (int)function);
  lua_pushnumber(w->L, (double)view->now_ns / 1e9);
  return call(w, 1, 0, error);
}

static tdm_status hook_admit(void *context, tdm_view *view, bool *yes, tdm_error *error) {
  tdm_worker *w = context;
  if (w->failure.status != TDM_OK) return tdm_worker_failure(w, error);
  tdm_status status = call(w, push_call(w, w->functions.admit, view), 1, error);
  if (status != TDM_OK) return status;
  *yes = lua_toboolean(w->L, -1) != 0;
  lua_pop(w->L, 1);
  return TDM_OK;
}

/* ---- routers */

static const char *const candidate_fields[] = {"outstanding", "waiting", "running", "down",
                                               "index",       "name",    "kv",      "cached"};
enum {
  OUTSTANDING,
  WAITING,
  RUNNING,
  DOWN,
  INDEX,
  NAME,
  GPU_FIELDS, /* replicas of LLM servers have these too: */
  KV = GPU_FIELDS,
  CACHED,
  CANDIDATE_FIELDS
};

/* (function, count, fields): makes sure that the function's router has so many elements. Elements
 * and the list that the function sees are apart, because users sort lists. */
static int grow_router(lua_State *L) {
  lua_Integer function = lua_tointeger(L, 1), count = lua_tointeger(L, 2);
  lua_Integer fields = lua_tointeger(L, 3);
  lua_settop(L, 2);
  tdm_worker_push_fixed(L, TDM_AT_ROUTERS);
  if (lua_rawgeti(L, 3, function + 1) == LUA_TNIL) {
    lua_createtable(L, 2, 0);
    for (int i = 1; i <= 2; i++) {
      lua_createtable(L, (int)count, 0);
      lua_rawseti(L, -2, i);
    }
    lua_pushvalue(L, -1);
    lua_rawseti(L, 3, function + 1);
    lua_replace(L, 4);
  }
  lua_settop(L, 4);
  lua_rawgeti(L, 4, 1);
  lua_rawgeti(L, 4, 2);
  for (lua_Integer i = (lua_Integer)lua_rawlen(L, 5) + 1; i <= count; i++) {
    lua_createtable(L, 0, (int)fields);
    for (lua_Integer k = 0; k < fields; k++) {
      lua_pushinteger(L, i);
      lua_setfield(L, -2, candidate_fields[k]);
    }
    lua_pushvalue(L, -1);
    lua_rawseti(L, 5, i);
    lua_rawseti(L, 6, i);
  }
  return 0;
}

static void set_candidate(tdm_worker *w, const tdm_candidate *candidate) {
  lua_State *L = w->L;
  const uint32_t numbers[] = {candidate->outstanding, candidate->waiting, candidate->running};
  int element = lua_gettop(L);
  for (int k = OUTSTANDING; k <= RUNNING; k++) {
    lua_pushvalue(L, w->first_router_key + k);
    lua_pushinteger(L, numbers[k]);
    lua_rawset(L, element);
  }
  lua_pushvalue(L, w->first_router_key + DOWN);
  lua_pushboolean(L, candidate->down);
  lua_rawset(L, element);
  lua_pushvalue(L, w->first_router_key + NAME);
  bool replica = candidate->gpu == TDM_NO_INDEX;
  lua_pushstring(L, replica ? w->model->stations[candidate->station].name
                            : w->model->gpus[candidate->gpu].name);
  lua_rawset(L, element);
  if (!replica) return;
  lua_pushvalue(L, w->first_router_key + KV);
  lua_pushnumber(L, candidate->kv);
  lua_rawset(L, element);
  lua_pushvalue(L, w->first_router_key + CACHED);
  lua_pushinteger(L, candidate->cached);
  lua_rawset(L, element);
}

/* Pushes elements and list of a router, filled. */
static tdm_status push_candidates(tdm_worker *w, uint32_t function, const tdm_candidate *candidates,
                                  size_t count, tdm_error *error) {
  lua_State *L = w->L;
  lua_pushcfunction(L, grow_router);
  lua_pushinteger(L, function);
  lua_pushinteger(L, (lua_Integer)count);
  lua_pushinteger(L, candidates[0].gpu == TDM_NO_INDEX ? CANDIDATE_FIELDS : GPU_FIELDS);
  if (lua_pcall(L, 3, 0, 0) != LUA_OK) return tdm_worker_failed(w, error);
  lua_rawgeti(L, TDM_AT_ROUTERS, (lua_Integer)function + 1);
  lua_rawgeti(L, -1, 1);
  lua_rawgeti(L, -2, 2);
  lua_remove(L, -3);
  int list = lua_gettop(L), elements = list - 1;
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, elements, (lua_Integer)i + 1);
    set_candidate(w, &candidates[i]);
    lua_rawseti(L, list, (lua_Integer)i + 1);
  }
  for (lua_Integer i = (lua_Integer)lua_rawlen(L, list); i > (lua_Integer)count; i--) {
    lua_pushnil(L);
    lua_rawseti(L, list, i);
  }
  return TDM_OK;
}

static tdm_status hook_choose(void *context, uint32_t function, tdm_view *view,
                              const tdm_candidate *candidates, size_t count, uint32_t *index,
                              tdm_error *error) {
  tdm_worker *w = context;
  lua_State *L = w->L;
  int top = lua_gettop(L);
  if (w->failure.status != TDM_OK) return tdm_worker_failure(w, error);
  tdm_status status = push_candidates(w, function, candidates, count, error);
  if (status != TDM_OK) return status;
  int arguments = push_call(w, function, view);
  if (arguments > 0) {
    lua_pushvalue(L, top + 2);
    arguments++;
  }
  status = call(w, arguments, 1, error);
  if (status != TDM_OK) {
    lua_settop(L, top);
    return status;
  }
  int is_number = 0;
  lua_Integer answer = lua_tointegerx(L, -1, &is_number);
  for (size_t i = 0; i < count && lua_istable(L, top + 3) && !is_number; i++) {
    lua_rawgeti(L, top + 1, (lua_Integer)i + 1);
    is_number = lua_rawequal(L, -1, top + 3);
    if (is_number) answer = (lua_Integer)i + 1;
    lua_pop(L, 1);
  }
  bool number = lua_type(L, top + 3) == LUA_TNUMBER;
  const char *type = luaL_typename(L, top + 3);
  lua_Number value = lua_tonumber(L, top + 3);
  const char *kind = candidates[0].gpu == TDM_NO_INDEX ? "replicas" : "GPUs";
  lua_settop(L, top);
  if (is_number && answer >= 1 && answer <= (lua_Integer)count) {
    *index = (uint32_t)(answer - 1);
    return TDM_OK;
  }
  if (number)
    return tdm_worker_complain(w, function, error,
                               "the router returned %g; wanted an index from 1 to %zu or one of "
                               "its %s",
                               value, count, kind);
  return tdm_worker_complain(w, function, error,
                             "the router returned %s %s; wanted an index from 1 to %zu or one of "
                             "its %s",
                             strcmp(type, "nil") == 0 ? "just" : "a", type, count, kind);
}

/* ---- arrivals and distributions */

static tdm_status hook_gap(void *context, uint32_t function, bool coroutine, uint64_t n, double t_s,
                           double *gap_s, bool *more, tdm_error *error) {
  tdm_worker *w = context;
  tdm_status status;
  *more = false;
  if (w->failure.status != TDM_OK) return tdm_worker_failure(w, error);
  if (coroutine) {
    status = tdm_process_gap(w, function, more, error);
    if (status != TDM_OK || !*more) return status;
  } else {
    tdm_worker_enter(w, function, NULL);
    lua_pushvalue(w->L, w->first_function + 2 * (int)function);
    lua_pushinteger(w->L, (lua_Integer)n + 1);
    lua_pushnumber(w->L, t_s);
    status = call(w, 2, 1, error);
    if (status != TDM_OK) return status;
    *more = !lua_isnil(w->L, -1);
  }
  if (!*more || lua_type(w->L, -1) == LUA_TNUMBER) {
    *gap_s = lua_tonumber(w->L, -1);
    lua_pop(w->L, 1);
  } else {
    status = slow_amount(w, function, false, gap_s, error);
    if (status != TDM_OK) return status;
  }
  if (!*more || (*gap_s >= 0 && *gap_s < INFINITY)) return TDM_OK;
  return tdm_worker_complain(w, function, error,
                             "the gap is %g; it must be 0 or more seconds, or nil to end", *gap_s);
}

static double script_call(void *context, uint32_t function, const double *arguments, size_t count) {
  tdm_worker *w = context;
  lua_State *L = w->L;
  if (w->failure.status != TDM_OK) return NAN;
  tdm_worker_enter(w, function, NULL);
  lua_rawgeti(L, TDM_AT_FUNCTIONS, (lua_Integer)function + 1);
  for (size_t i = 0; i < count; i++) lua_pushnumber(L, arguments[i]);
  if (call(w, (int)count, 1, &w->failure) != TDM_OK) return NAN;
  int is_number;
  double value = lua_tonumberx(L, -1, &is_number);
  const char *type = luaL_typename(L, -1);
  lua_pop(L, 1);
  if (is_number && value == value) return value;
  tdm_worker_complain(w, function, &w->failure, "the function returned %s; wanted a number",
                      is_number ? "nan" : type);
  return NAN;
}

tdm_status tdm_worker_failure(const tdm_worker *w, tdm_error *error) {
  if (w->failure.status == TDM_OK) return TDM_OK;
  return tdm_error_set(error, w->failure.status, "%s", w->failure.message);
}

const tdm_hooks *tdm_worker_hooks(tdm_worker *w) {
  return &w->hooks;
}

/* ---- a replication's beginning */

static void push_router_keys(lua_State *L, tdm_worker *w) {
  w->first_router_key = lua_gettop(L) + 1;
  for (int i = 0; i < CANDIDATE_FIELDS; i++) lua_pushstring(L, candidate_fields[i]);
}

/* Builds the fixed part of the stack: its own frame becomes that part when it returns all of it.
 * The argument is the worker. */
static int begin(lua_State *L) {
  tdm_worker *w = lua_touserdata(L, 1);
  lua_getglobal(L, "math");
  lua_getfield(L, -1, "randomseed");
  lua_pushinteger(L, (lua_Integer)w->seed);
  lua_pushinteger(L, w->replication);
  lua_call(L, 2, 0);
  lua_settop(L, 0);
  luaL_checkstack(L, TDM_AT_END + 16, "a worker");
  lua_pushcfunction(L, handle_error);
  while (lua_gettop(L) < TDM_AT_END - 1) lua_newtable(L);
  /* Callbacks find these tables before anything of the user's runs. */
  tdm_shipment_open(L, w->shipment);
  lua_replace(L, TDM_AT_FUNCTIONS);
  w->all_functions = w->function_count;
  tdm_view_open(L, w);
  push_router_keys(L, w);
  tdm_step_open(L, w);
  tdm_process_open(L, w);
  tdm_worker_set_fixed(L);
  return lua_gettop(L);
}

static void free_dists(tdm_worker *w) {
  for (size_t i = 0; i < w->dist_count; i++) tdm_dist_free(w->dists[i]);
  w->dist_count = 0;
}

tdm_status tdm_worker_begin(tdm_worker *w, uint64_t seed, uint32_t replication, tdm_error *error) {
  lua_State *L = w->L;
  w->seed = seed;
  w->replication = replication;
  w->failure = (tdm_error){.status = TDM_OK};
  tdm_worker_reset_hook(w);
  lua_settop(L, 0);
  tdm_process_clear(w);
  tdm_record_clear(w);
  free_dists(w);
  if (w->function_count > 0) memset(w->draws, 0, w->function_count * sizeof *w->draws);
  lua_pushcfunction(L, begin);
  lua_pushlightuserdata(L, w);
  int status = lua_pcall(L, 1, LUA_MULTRET, 0);
  if (status != LUA_OK) {
    const char *message = lua_tostring(L, -1);
    tdm_status code = status == LUA_ERRMEM ? TDM_MEMORY : TDM_HOOK;
    tdm_error_set(error, code, "%s", message != NULL ? message : "opening the functions failed");
    lua_settop(L, 0);
    return code;
  }
  /* What calls push on top: up to a filled field, a few tables, and the arguments. */
  if (!lua_checkstack(L, LUA_MINSTACK)) return tdm_error_memory(error, "a worker's stack", 0);
  return TDM_OK;
}

/* ---- life: what tdm_hooks and tdm_script point to */

void tdm_worker_bind_hooks(tdm_worker *w) {
  w->script = (tdm_script){.context = w, .call = script_call};
  w->hooks = (tdm_hooks){.context = w,
                         .script = &w->script,
                         .cost = hook_cost,
                         .choose = hook_choose,
                         .scale = tdm_worker_scale,
                         .decide = tdm_worker_decide,
                         .gap = hook_gap,
                         .step = tdm_step_ask,
                         .resume = tdm_process_resume,
                         .forget = tdm_process_forget};
  for (unsigned i = 0; i < TDM_HOOK_EVENTS; i++)
    if (w->functions.events[i] != TDM_NO_INDEX) w->hooks.events |= 1u << i;
  if (w->hooks.events != 0) w->hooks.event = hook_event;
  if (w->functions.admit != TDM_NO_INDEX) w->hooks.admit = hook_admit;
}
