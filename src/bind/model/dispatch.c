/* The part of the model table about routers and scaling of LLM servers. Defaults are lua/tandem's;
 * here every field is given. Called by server.c. */
#include "base/memory.h"
#include "bind/model/inside.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* A schedule: { at, count, at, count, … }. */
static bool read_steps(tdm_reader *r, size_t count, tdm_scaling_rule *rule) {
  size_t values = 0;
  if (!tdm_read_has(r, "steps")) return false;
  double *steps = tdm_read_numbers(r, "steps", &values);
  rule->step_count = values / 2;
  rule->least = 1;
  rule->steps_ns = tdm_array_new(rule->step_count + 1, sizeof *rule->steps_ns);
  rule->steps = tdm_array_new(rule->step_count + 1, sizeof *rule->steps);
  tdm_read_allocated(r, rule->steps_ns, "steps");
  tdm_read_allocated(r, rule->steps, "steps");
  for (size_t i = 0; i < rule->step_count && r->status == TDM_OK; i++) {
    double at_s = steps[2 * i], number = steps[2 * i + 1];
    if (!(at_s >= 0 && at_s < 9e9) || !(number >= 1 && number <= (double)count) ||
        (i == 0 && at_s > 0) || (i > 0 && at_s <= steps[2 * i - 2]))
      tdm_read_fail(r, "steps: rising times from 0, and from 1 to %zu GPUs, are wanted", count);
    else {
      rule->steps_ns[i] = (int64_t)(at_s * 1e9);
      rule->steps[i] = (uint32_t)number;
    }
  }
  free(steps);
  if (rule->step_count == 0) tdm_read_fail(r, "steps are empty");
  return true;
}

static void read_rule(tdm_reader *r, size_t count, tdm_scaling_rule *rule) {
  static const char *const metrics[] = {"outstanding", "queue", "kv",
                                        "utilization"}; /* tdm_scaling_metric */
  rule->on = true;
  if (read_steps(r, count, rule)) return;
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
