/* Raw moments of cost expressions: exact for sums and products of parts that have nothing in common
 * and for what does not vary, not known elsewhere. Owns nothing. Called by model/cost. */
#include "model/expr/inside.h"

#define MOMENTS (TDM_DIST_MOMENTS + 1)

tdm_moments tdm_moments_fixed(double value) {
  tdm_moments m = {.of = {1}};
  for (unsigned k = 1; k < MOMENTS; k++) m.of[k] = m.of[k - 1] * value;
  return m;
}

tdm_moments tdm_moments_unknown(void) {
  tdm_moments m = {.of = {NAN}, .draws = UINT64_MAX, .attrs = UINT64_MAX};
  for (unsigned k = 0; k < MOMENTS; k++) m.of[k] = NAN;
  return m;
}

tdm_moments tdm_moments_of_dist(const tdm_dist *dist) {
  tdm_moments m = {.draws = 1};
  for (unsigned k = 0; k < MOMENTS; k++) m.of[k] = tdm_dist_moment(dist, k);
  return m;
}

static bool fixed(const tdm_moments *m) {
  return m->draws == 0 && m->attrs == 0;
}

static bool apart(const tdm_moments *a, const tdm_moments *b) {
  return (a->draws & b->draws) == 0 && (a->attrs & b->attrs) == 0;
}

static tdm_moments negated(tdm_moments a) {
  for (unsigned k = 1; k < MOMENTS; k += 2) a.of[k] = -a.of[k];
  return a;
}

static tdm_moments sum_of(const tdm_moments *a, const tdm_moments *b) {
  tdm_moments m = {.draws = a->draws | b->draws, .attrs = a->attrs | b->attrs};
  for (unsigned k = 0; k < MOMENTS; k++) {
    double choose = 1;
    for (unsigned i = 0; i <= k; i++) {
      m.of[k] += choose * a->of[i] * b->of[k - i];
      choose *= (double)(k - i) / (i + 1);
    }
  }
  return m;
}

tdm_moments tdm_moments_product(const tdm_moments *a, const tdm_moments *b) {
  if (!apart(a, b)) return tdm_moments_unknown();
  tdm_moments m = {.draws = a->draws | b->draws, .attrs = a->attrs | b->attrs};
  for (unsigned k = 0; k < MOMENTS; k++) m.of[k] = a->of[k] * b->of[k];
  return m;
}

#define FIXED(name, value)                                                                         \
  case TDM_EXPR_##name: return tdm_moments_fixed(value);

static tdm_moments of_fixed(unsigned code, double a, double b) {
  switch (code) {
    EXPR_BINARY(FIXED)
    EXPR_UNARY(FIXED)
  default: return tdm_moments_unknown();
  }
}

static tdm_moments of_operator(unsigned code, const tdm_moments *a, const tdm_moments *b) {
  if (fixed(a) && fixed(b)) return of_fixed(code, a->of[1], b->of[1]);
  tdm_moments other;
  switch (code) {
  case TDM_EXPR_ADD: return apart(a, b) ? sum_of(a, b) : tdm_moments_unknown();
  case TDM_EXPR_SUB:
    other = negated(*b);
    return apart(a, b) ? sum_of(a, &other) : tdm_moments_unknown();
  case TDM_EXPR_MUL: return tdm_moments_product(a, b);
  case TDM_EXPR_DIV:
    if (!fixed(b)) break;
    other = tdm_moments_fixed(1 / b->of[1]);
    return tdm_moments_product(a, &other);
  case TDM_EXPR_NEG: return negated(*a);
  case TDM_EXPR_FLOOR:
  case TDM_EXPR_CEIL: return *a; /* as far as tails go */
  default: break;
  }
  return tdm_moments_unknown();
}

typedef struct {
  const tdm_expr *expr;
  const tdm_moments *attrs;
  const double *gpu;
  tdm_moments registers[EXPR_REGISTERS_MAX];
} reckoning;

static tdm_moments look(const reckoning *r, expr_operand operand) {
  switch (operand.source) {
  case FROM_REGISTER: return r->registers[operand.index];
  case FROM_CONSTANT: return tdm_moments_fixed(r->expr->constants[operand.index]);
  case FROM_ATTR:
  case FROM_SUM: /* of one request */
    if (r->attrs != NULL) return r->attrs[operand.index];
    break;
  case FROM_GPU:
    if (r->gpu != NULL) return tdm_moments_fixed(r->gpu[operand.index]);
    break;
  case FROM_BATCH: return tdm_moments_fixed(1);
  default: break;
  }
  return tdm_moments_unknown();
}

static tdm_moments of_step(const reckoning *r, const expr_step *step) {
  if (step->code == CODE_DRAW) {
    tdm_moments m = tdm_moments_of_dist(r->expr->draws[step->a.index].dist);
    m.draws = step->a.index < 64 ? (uint64_t)1 << step->a.index : UINT64_MAX;
    return m;
  }
  tdm_moments a = look(r, step->a);
  if (step->code == CODE_INTERP)
    return fixed(&a) ? tdm_moments_fixed(expr_interp(&r->expr->curves[step->b.index], a.of[1]))
                     : tdm_moments_unknown();
  bool unary = step->code >= TDM_EXPR_NEG && step->code <= TDM_EXPR_CEIL;
  tdm_moments b = unary ? tdm_moments_fixed(0) : look(r, step->b);
  if (step->code != TDM_EXPR_SELECT) return of_operator(step->code, &a, &b);
  if (!fixed(&a)) return tdm_moments_unknown();
  return expr_holds(a.of[1]) ? b : look(r, step->c);
}

tdm_moments tdm_expr_moments(const tdm_expr *expr, const tdm_moments *attrs, const double *gpu) {
  reckoning r = {.expr = expr, .attrs = attrs, .gpu = gpu};
  for (size_t i = 0; i < expr->step_count; i++)
    r.registers[expr->steps[i].into] = of_step(&r, &expr->steps[i]);
  return look(&r, expr->root);
}
