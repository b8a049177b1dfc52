/* The part of the model table about routers and scaling of LLM servers, and the user's functions
 * that decide how many replicas there are. Defaults are lua/tandem's; here every field is given.
 * Called by model.c; the hook by engine/scaling. */
#include "bind/dispatch.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/worker.h"

/* A function under `key`, TDM_NO_INDEX: it is something else. */
static uint32_t function_at(tdm_reader *r, const char *key) {
  size_t mark = tdm_read_open(r, key);
  bool function = tdm_read_present(r) && lua_isfunction(r->L, -1);
  uint32_t number = function ? tdm_read_function_here(r) : TDM_NO_INDEX;
  tdm_read_close(r, mark);
  return number;
}

static double not_negative(tdm_reader *r, const char *key, double fallback) {
  double value = tdm_read_number_or(r, key, fallback);
  if (!(value >= 0)) tdm_read_fail(r, "%s must be at least 0", key);
  return value;
}

void tdm_bind_dispatch(tdm_reader *r, tdm_dispatch_rule *rule) {
  static const char *const routers[] = {"round_robin",  "least_outstanding", "least_kv",
                                        "random",       "power_of_two",      "weighted",
                                        "prefix_aware", "affinity"}; /* tdm_replica_router */
  *rule = (tdm_dispatch_rule){.function = function_at(r, "router")};
  rule->router =
      rule->function != TDM_NO_INDEX
          ? TDM_REPLICA_FUNCTION
          : (tdm_replica_router)tdm_read_choice(r, "router", routers, TDM_REPLICA_FUNCTION);
  size_t mark = tdm_read_open(r, "routing");
  if (tdm_read_present(r)) {
    rule->prefix_weight = not_negative(r, "prefix_weight", 0);
    rule->queue_weight = not_negative(r, "queue_weight", 0);
    rule->kv_weight = not_negative(r, "kv_weight", 0);
    rule->cached_min = not_negative(r, "cached_min", 0);
    rule->load_gap = not_negative(r, "load_gap", INFINITY);
    rule->load_ratio = not_negative(r, "load_ratio", 1);
  }
  tdm_read_close(r, mark);
}

static void read_rule(tdm_reader *r, size_t count, tdm_scaling_rule *rule) {
  static const char *const metrics[] = {"outstanding", "queue", "kv",
                                        "utilization"}; /* tdm_scaling_metric */
  rule->on = true;
  rule->function = tdm_read_function(r, "policy");
  rule->metric =
      rule->function != TDM_NO_INDEX
          ? TDM_SCALE_BY_FUNCTION
          : (tdm_scaling_metric)tdm_read_choice(r, "metric", metrics, TDM_SCALE_BY_FUNCTION);
  rule->least = tdm_read_count_or(r, "min", 1);
  rule->start = tdm_read_count_or(r, "start", rule->least);
  rule->target = tdm_read_number_or(r, "target", 1);
  rule->tolerance = not_negative(r, "tolerance", 0);
  rule->every_ns = tdm_read_ns_or(r, "every_s", 0);
  rule->up_ns = tdm_read_ns_or(r, "up_after_s", 0);
  rule->down_ns = tdm_read_ns_or(r, "down_after_s", 0);
  rule->delay_ns = tdm_read_ns_or(r, "delay_s", 0);
  if (rule->every_ns < 1) tdm_read_fail(r, "every_s must be above 0");
  if (rule->up_ns < 0 || rule->down_ns < 0 || rule->delay_ns < 0)
    tdm_read_fail(r, "up_after_s, down_after_s and delay_s must be at least 0");
  if (!(rule->target > 0)) tdm_read_fail(r, "target must be above 0");
  if (rule->least > rule->start || rule->start > count)
    tdm_read_fail(r, "wants min ≤ start ≤ the %zu replicas", count);
}

void tdm_bind_scaling(tdm_reader *r, size_t count, tdm_scaling_rule *rule) {
  size_t mark = tdm_read_open(r, "scaling");
  *rule = (tdm_scaling_rule){.function = TDM_NO_INDEX};
  if (tdm_read_present(r)) read_rule(r, count, rule);
  tdm_read_close(r, mark);
}

/* ---- the user's policy: what it sees is made anew each time, which is seldom */

/* (view) → the table */
static int push_view(lua_State *L) {
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
  lua_pushcfunction(L, push_view);
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
