/* A cost: how long (or how many bytes) a stage asks of its station.
 *
 * Most costs are a constant, one exponential draw, or an expression; those three have fast paths
 * that the engine takes by `kind`. A Lua function that could not be traced is called protected.
 * Owns its expression and jitter. Built by the binding, read by engine and lowering. */
#ifndef TDM_MODEL_COST_H
#define TDM_MODEL_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dist/dist.h"
#include "model/expr/expr.h"

typedef enum {
  TDM_COST_CONSTANT,
  TDM_COST_EXPONENTIAL, /* one draw, known mean: also done by vector kernels */
  TDM_COST_EXPR,
  TDM_COST_FUNCTION, /* Lua, through tdm_hooks */
  TDM_COST_GIVEN     /* by the request itself: a process says what it uses */
} tdm_cost_kind;

typedef struct {
  tdm_cost_kind kind;
  double constant;   /* TDM_COST_CONSTANT, in the cost's unit: seconds, or bytes on a link */
  double mean;       /* TDM_COST_EXPONENTIAL */
  uint32_t child;    /* TDM_COST_EXPONENTIAL: child of the stage's stream that draws */
  uint32_t function; /* TDM_COST_FUNCTION */
  tdm_expr *expr;    /* NULL for functions */
  tdm_dist *jitter;  /* multiplier, NULL: none; child TDM_JITTER_CHILD of the stage's stream */
} tdm_cost;

#define TDM_JITTER_CHILD 1000u

/* Takes expr and jitter over. */
void tdm_cost_from_expr(tdm_cost *cost, tdm_expr *expr, tdm_dist *jitter);
void tdm_cost_from_function(tdm_cost *cost, uint32_t function, tdm_dist *jitter);
void tdm_cost_given(tdm_cost *cost);
void tdm_cost_free(tdm_cost *cost);

/* True when the cost needs nothing but the request's ordinal: no state, no Lua, no batch. */
bool tdm_cost_is_state_free(const tdm_cost *cost);

/* Of one request by itself; see tdm_expr_moments. */
tdm_moments tdm_cost_moments(const tdm_cost *cost, const tdm_moments *attrs, const double *gpu);

#endif
