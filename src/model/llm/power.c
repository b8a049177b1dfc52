/* Energy of steps. See power.h. */
#include "model/llm/power.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

double tdm_llm_power_steps_j(const tdm_llm_power *p, const tdm_llm_batch *batch, int64_t steps,
                             double seconds) {
  double memory_s, arithmetic_s;
  if (steps == 1) { /* maybe with prompts */
    memory_s = tdm_llm_step_s(p->memory_step, batch);
    arithmetic_s = tdm_llm_step_s(p->arithmetic_step, batch);
  } else {
    memory_s = tdm_llm_decode_run_s(p->memory_step, batch, steps);
    arithmetic_s = tdm_llm_decode_run_s(p->arithmetic_step, batch, steps);
  }
  double drawn = p->active * seconds + p->memory * memory_s + p->arithmetic * arithmetic_s;
  if (drawn > p->cap * seconds) drawn = p->cap * seconds;
  return p->width * p->limit_w * (drawn - p->idle * seconds);
}

static bool is_share(double value) {
  return value >= 0 && value <= 1;
}

tdm_status tdm_llm_power_new(const tdm_llm_power *power, tdm_llm_power **out, tdm_error *error) {
  bool fit = power->limit_w > 0 && !isinf(power->limit_w) && is_share(power->idle) &&
             is_share(power->active) && power->idle <= power->active && power->idle <= power->cap &&
             power->cap <= 1 && power->memory >= 0 && power->arithmetic >= 0 && power->width > 0;
  tdm_llm_power *made = fit ? malloc(sizeof *made) : NULL;
  *out = made;
  if (made != NULL) {
    *made = *power;
    return TDM_OK;
  }
  tdm_llm_step_free(power->memory_step);
  tdm_llm_step_free(power->arithmetic_step);
  if (fit) return tdm_error_memory(error, "a power model", sizeof *made);
  return tdm_error_set(error, TDM_INVALID,
                       "power: wants a limit above 0 W and shares with 0 ≤ idle ≤ active ≤ 1");
}

void tdm_llm_power_free(tdm_llm_power *power) {
  if (power == NULL) return;
  tdm_llm_step_free(power->memory_step);
  tdm_llm_step_free(power->arithmetic_step);
  free(power);
}
