/* Sorts costs into the kinds the engine has fast paths for. Owns no state. */
#include "model/cost.h"

#include <stddef.h>

void tdm_cost_from_expr(tdm_cost *cost, tdm_expr *expr, tdm_dist *jitter) {
  *cost = (tdm_cost){.kind = TDM_COST_EXPR, .expr = expr, .jitter = jitter};
  const tdm_dist *dist;
  double scale, mean, value;
  uint32_t child;
  if (tdm_expr_is_constant(expr, &value)) {
    cost->constant = value;
    if (jitter == NULL) {
      cost->kind = TDM_COST_CONSTANT;
    } else if (tdm_dist_is_exponential(jitter, &mean) && value >= 0) {
      cost->kind = TDM_COST_EXPONENTIAL;
      cost->mean = value * mean;
      cost->child = TDM_JITTER_CHILD;
    }
  } else if (jitter == NULL && tdm_expr_is_draw(expr, &dist, &scale, &child) && scale >= 0 &&
             tdm_dist_is_exponential(dist, &mean)) {
    cost->kind = TDM_COST_EXPONENTIAL;
    cost->mean = scale * mean;
    cost->child = child;
  }
}

void tdm_cost_from_function(tdm_cost *cost, uint32_t function, tdm_dist *jitter) {
  *cost = (tdm_cost){.kind = TDM_COST_FUNCTION, .function = function, .jitter = jitter};
}

void tdm_cost_given(tdm_cost *cost) {
  *cost = (tdm_cost){.kind = TDM_COST_GIVEN};
}

void tdm_cost_free(tdm_cost *cost) {
  tdm_expr_free(cost->expr);
  tdm_dist_free(cost->jitter);
  *cost = (tdm_cost){0};
}

bool tdm_cost_is_state_free(const tdm_cost *cost) {
  if (cost->kind == TDM_COST_FUNCTION || cost->kind == TDM_COST_GIVEN) return false;
  if (cost->jitter != NULL && tdm_dist_needs_script(cost->jitter)) return false;
  return !tdm_expr_needs_script(cost->expr) && !tdm_expr_uses_batch(cost->expr);
}

tdm_moments tdm_cost_moments(const tdm_cost *cost, const tdm_moments *attrs, const double *gpu) {
  if (cost->expr == NULL) return tdm_moments_unknown();
  tdm_moments m = tdm_expr_moments(cost->expr, attrs, gpu);
  if (cost->jitter == NULL) return m;
  tdm_moments jitter = tdm_moments_of_dist(cost->jitter);
  jitter.draws = m.draws == UINT64_MAX ? 0 : ~m.draws; /* its own */
  return tdm_moments_product(&m, &jitter);
}
