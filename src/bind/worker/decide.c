/* Decisions of an LLM server's scheduler by the user's functions: order(request, state) → key,
 * admit(request, state) → boolean or tokens, preempt(requests, state) → index or request,
 * chunk(request, budget, state) → tokens; and how many replicas there are. What they see is made
 * anew each time. Called by the engine through tdm_hooks. */
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/worker/inside.h"

static void set_integer(lua_State *L, const char *name, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static void set_number(lua_State *L, const char *name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

static void push_request(lua_State *L, const tdm_model *model, const tdm_decision_view *view,
                         size_t index) {
  const tdm_serving_view *r = &view->requests[index];
  lua_createtable(L, 0, 12);
  lua_pushstring(L, model->classes[view->classes[index]].name);
  lua_setfield(L, -2, "class");
  set_number(L, "arrival", (double)r->arrival_ns / 1e9);
  set_number(L, "waited", (double)(view->now->now_ns - r->arrival_ns) / 1e9);
  set_integer(L, "prompt", r->prompt_tokens);
  set_integer(L, "max_output", r->max_output);
  set_integer(L, "predicted", r->predicted_output);
  set_integer(L, "generated", r->generated_tokens);
  set_integer(L, "computed", r->computed_tokens);
  set_integer(L, "kv_blocks", r->kv_blocks);
  set_integer(L, "preemptions", r->preemptions);
  set_integer(L, "priority", r->priority);
  set_integer(L, "tenant", r->tenant);
}

/* (worker, view) → the arguments */
static int push_arguments(lua_State *L) {
  const tdm_worker *w = lua_touserdata(L, 1);
  const tdm_decision_view *view = lua_touserdata(L, 2);
  if (view->decision == TDM_DECIDE_PREEMPT) {
    lua_createtable(L, (int)view->count, 0);
    for (size_t i = 0; i < view->count; i++) {
      push_request(L, w->model, view, i);
      lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
  } else {
    push_request(L, w->model, view, 0);
  }
  if (view->decision == TDM_DECIDE_CHUNK) lua_pushinteger(L, view->left);
  lua_createtable(L, 0, 6);
  set_number(L, "time", (double)view->now->now_ns / 1e9);
  set_integer(L, "running", view->now->running);
  set_integer(L, "waiting", view->now->waiting);
  set_integer(L, "free_blocks", view->now->free_blocks);
  set_integer(L, "blocks", view->now->blocks);
  set_integer(L, "block_tokens", view->now->block_tokens);
  return view->decision == TDM_DECIDE_CHUNK ? 3 : 2;
}

/* The index of the request on top among those that were shown, at `list`; 0: none of them. */
static lua_Integer index_of(lua_State *L, int list, size_t count) {
  for (size_t i = 0; lua_istable(L, -1) && i < count; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
    if (same) return (lua_Integer)i + 1;
  }
  return 0;
}

/* The answer on top. False: it is none. */
static bool read_answer(lua_State *L, const tdm_decision_view *view, int list, double *answer) {
  bool number = lua_type(L, -1) == LUA_TNUMBER;
  double value = lua_tonumber(L, -1);
  switch (view->decision) {
  case TDM_DECIDE_ADMIT:
    if (lua_isboolean(L, -1)) {
      *answer = lua_toboolean(L, -1) ? 0 : -1;
      return true;
    }
    *answer = value;
    return number && value >= 0;
  case TDM_DECIDE_PREEMPT:
    if (!number) value = (double)index_of(L, list, view->count);
    *answer = value - 1;
    return value >= 1 && value <= (double)view->count && value == floor(value);
  case TDM_DECIDE_CHUNK: *answer = value; return number && value >= 1;
  default: *answer = value; return number && value == value;
  }
}

tdm_status tdm_worker_decide(void *context, uint32_t function, const tdm_decision_view *view,
                             double *answer, tdm_error *error) {
  static const char *const wanted[TDM_DECISIONS] = {
      "a number: the least comes first", "true, false or the tokens to have room for",
      "an index or one of the requests", "a number of tokens, at least 1"};
  static const char *const names[TDM_DECISIONS] = {"order", "admit", "preempt", "chunk"};
  tdm_worker *w = context;
  lua_State *L = w->L;
  int top = lua_gettop(L);
  if (w->failure.status != TDM_OK) return tdm_worker_failure(w, error);
  lua_pushcfunction(L, push_arguments);
  lua_pushlightuserdata(L, w);
  lua_pushlightuserdata(L, (void *)(uintptr_t)view);
  if (lua_pcall(L, 2, LUA_MULTRET, 0) != LUA_OK) return tdm_worker_failed(w, error);
  int count = lua_gettop(L) - top;
  lua_pushvalue(L, top + 1); /* stays, to be compared with what comes back */
  lua_insert(L, top + 1);
  lua_rawgeti(L, TDM_AT_FUNCTIONS, (lua_Integer)function + 1);
  lua_insert(L, top + 2);
  tdm_worker_enter(w, function, NULL);
  int status = lua_pcall(L, count, 1, TDM_AT_HANDLER);
  tdm_worker_leave(w);
  if (status != LUA_OK) {
    tdm_status code = tdm_worker_failed(w, error);
    lua_settop(L, top);
    return code;
  }
  bool good = read_answer(L, view, top + 1, answer);
  const char *type = luaL_typename(L, -1);
  double value = lua_tonumber(L, -1);
  bool number = lua_type(L, -1) == LUA_TNUMBER;
  lua_settop(L, top);
  if (good) return TDM_OK;
  if (number)
    return tdm_worker_complain(w, function, error, "%s returned %g; wanted %s",
                               names[view->decision], value, wanted[view->decision]);
  return tdm_worker_complain(w, function, error, "%s returned %s %s; wanted %s",
                             names[view->decision], strcmp(type, "nil") == 0 ? "just" : "a", type,
                             wanted[view->decision]);
}

/* ---- scaling: the user's policy */

/* (view) → the table */
static int push_scaling(lua_State *L) {
  const tdm_scaling_view *view = lua_touserdata(L, 1);
  const struct {
    const char *name;
    lua_Integer value;
  } counts[] = {{"replicas", view->replicas}, {"starting", view->starting}, {"down", view->down},
                {"draining", view->draining}, {"min", view->least},         {"max", view->most}};
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"time", (double)view->now_ns / 1e9},
                 {"outstanding", view->outstanding},
                 {"waiting", view->waiting},
                 {"kv", view->kv},
                 {"utilization", view->utilization}};
  lua_createtable(L, 0, 12);
  lua_pushstring(L, view->server);
  lua_setfield(L, -2, "server");
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    lua_pushinteger(L, counts[i].value);
    lua_setfield(L, -2, counts[i].name);
  }
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    lua_pushnumber(L, numbers[i].value);
    lua_setfield(L, -2, numbers[i].name);
  }
  return 1;
}

tdm_status tdm_worker_scale(void *context, uint32_t function, const tdm_scaling_view *view,
                            double *wanted, tdm_error *error) {
  tdm_worker *w = context;
  lua_State *L = w->L;
  if (w->failure.status != TDM_OK) return tdm_worker_failure(w, error);
  lua_rawgeti(L, TDM_AT_FUNCTIONS, (lua_Integer)function + 1);
  lua_pushcfunction(L, push_scaling);
  lua_pushlightuserdata(L, (void *)(uintptr_t)view);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
    tdm_status status = tdm_worker_failed(w, error);
    lua_pop(L, 1);
    return status;
  }
  tdm_worker_enter(w, function, NULL);
  int status = lua_pcall(L, 1, 1, TDM_AT_HANDLER);
  tdm_worker_leave(w);
  if (status != LUA_OK) return tdm_worker_failed(w, error);
  bool number = lua_type(L, -1) == LUA_TNUMBER;
  *wanted = lua_tonumber(L, -1);
  const char *type = luaL_typename(L, -1);
  lua_pop(L, 1);
  if (number && *wanted >= 0) return TDM_OK;
  if (number)
    return tdm_worker_complain(w, function, error,
                               "the policy returned %g; wanted a number of replicas", *wanted);
  return tdm_worker_complain(w, function, error,
                             "the policy returned %s %s; wanted a number of replicas",
                             strcmp(type, "nil") == 0 ? "just" : "a", type);
}
