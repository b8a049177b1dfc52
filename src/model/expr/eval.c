/* Evaluating compiled expressions, one request at a time or a column of them, and asking what they
 * use. Both expand the same
 * operator list and call the same samplers, so they give the same bits.
 * Owns no state. Called by the engine and its kernels. */
#include "model/expr/inside.h"

#include <string.h>

#define WIDTH_MAX 256u  /* requests at a time */
#define ROOM      8192u /* doubles of registers on the stack: 64 KiB */

static inline double draw_one(const tdm_expr *expr, uint16_t index, const tdm_expr_input *input) {
  const expr_draw *draw = &expr->draws[index];
  tdm_stream stream = tdm_stream_child(input->stream, draw->child);
  return tdm_dist_draw(draw->dist, stream, input->n, input->script);
}

double tdm_expr_eval(const tdm_expr *expr, const tdm_expr_input *input) {
  double registers[EXPR_REGISTERS_MAX];
  const double *const from[FROM_COUNT] = {
      [FROM_REGISTER] = registers, [FROM_CONSTANT] = expr->constants,
      [FROM_ATTR] = input->attrs,  [FROM_SUM] = input->sums != NULL ? input->sums : input->attrs,
      [FROM_GPU] = input->gpu,     [FROM_BATCH] = &input->batch};
  const expr_step *step = expr->steps, *const end = step + expr->step_count;
#define READ(operand) from[(operand).source][(operand).index]
#define CASE_UNARY(name, value)                                                                    \
  case TDM_EXPR_##name: {                                                                          \
    double a = READ(step->a);                                                                      \
    registers[step->into] = (value);                                                               \
    break;                                                                                         \
  }
#define CASE_BINARY(name, value)                                                                   \
  case TDM_EXPR_##name: {                                                                          \
    double a = READ(step->a), b = READ(step->b);                                                   \
    registers[step->into] = (value);                                                               \
    break;                                                                                         \
  }
  for (; step < end; step++) {
    switch (step->code) {
      EXPR_BINARY(CASE_BINARY)
      EXPR_UNARY(CASE_UNARY)
    case TDM_EXPR_SELECT: {
      double a = READ(step->b), b = READ(step->c);
      registers[step->into] = expr_holds(READ(step->a)) ? a : b;
      break;
    }
    case CODE_DRAW: registers[step->into] = draw_one(expr, step->a.index, input); break;
    case CODE_INTERP:
      registers[step->into] = expr_interp(&expr->curves[step->b.index], READ(step->a));
      break;
    default: __builtin_unreachable(); /* spares the range check, a tenth of the time */
    }
  }
  return READ(expr->root);
}
#undef READ
#undef CASE_UNARY
#undef CASE_BINARY

/* A column of values, or one value for the whole column. */
typedef struct {
  const double *at;
  bool uniform;
} view;

/* The state of one stretch of at most WIDTH_MAX requests. */
typedef struct {
  const tdm_expr *expr;
  const tdm_expr_input *base;
  const double *const *columns;
  const uint64_t *n;
  size_t first;  /* of the stretch, within the columns */
  size_t width;  /* of the stretch */
  size_t stride; /* of registers */
  double *registers;
  bool *uniform; /* by register: only its first item is set */
} stretch;

static view look(const stretch *s, expr_operand operand) {
  switch (operand.source) {
  case FROM_REGISTER:
    return (view){s->registers + operand.index * s->stride, s->uniform[operand.index]};
  case FROM_CONSTANT: return (view){s->expr->constants + operand.index, true};
  case FROM_GPU: return (view){s->base->gpu + operand.index, true};
  case FROM_BATCH: return (view){&s->base->batch, true};
  case FROM_SUM:
    if (s->base->sums != NULL) return (view){s->base->sums + operand.index, true};
    break;
  default: break;
  }
  return (view){s->columns[operand.index] + s->first, false};
}

#define LOOP_UNARY(name, value)                                                                    \
  case TDM_EXPR_##name:                                                                            \
    for (size_t i = 0; i < width; i++) {                                                           \
      double a = x.at[i];                                                                          \
      into[i] = (value);                                                                           \
    }                                                                                              \
    break;
#define LOOP_BINARY(name, value)                                                                   \
  case TDM_EXPR_##name:                                                                            \
    if (y.uniform) {                                                                               \
      double b = y.at[0];                                                                          \
      for (size_t i = 0; i < width; i++) {                                                         \
        double a = x.at[i * x_stride];                                                             \
        into[i] = (value);                                                                         \
      }                                                                                            \
    } else if (x.uniform) {                                                                        \
      double a = x.at[0];                                                                          \
      for (size_t i = 0; i < width; i++) {                                                         \
        double b = y.at[i];                                                                        \
        into[i] = (value);                                                                         \
      }                                                                                            \
    } else {                                                                                       \
      for (size_t i = 0; i < width; i++) {                                                         \
        double a = x.at[i], b = y.at[i];                                                           \
        into[i] = (value);                                                                         \
      }                                                                                            \
    }                                                                                              \
    break;

static void run_unary(unsigned code, view x, size_t width, double *into) {
  switch (code) {
    EXPR_UNARY(LOOP_UNARY)
  default: break;
  }
}

static void run_binary(unsigned code, view x, view y, size_t width, double *into) {
  size_t x_stride = x.uniform ? 0 : 1; /* both uniform: width is 1 */
  switch (code) {
    EXPR_BINARY(LOOP_BINARY)
  default: break;
  }
}

static void run_step(stretch *s, const expr_step *step, double *into) {
  bool *uniform = &s->uniform[step->into];
  if (step->code == CODE_DRAW) {
    const expr_draw *draw = &s->expr->draws[step->a.index];
    tdm_stream stream = tdm_stream_child(s->base->stream, draw->child);
    tdm_dist_fill(draw->dist, stream, s->n + s->first, s->width, s->base->script, into);
    *uniform = false;
    return;
  }
  view x = look(s, step->a);
  if (step->code == CODE_INTERP) {
    const expr_curve *curve = &s->expr->curves[step->b.index];
    size_t width = x.uniform ? 1 : s->width;
    for (size_t i = 0; i < width; i++) into[i] = expr_interp(curve, x.at[i]);
    *uniform = x.uniform;
    return;
  }
  if (step->code >= TDM_EXPR_NEG && step->code <= TDM_EXPR_CEIL) {
    run_unary(step->code, x, x.uniform ? 1 : s->width, into);
    *uniform = x.uniform;
    return;
  }
  view y = look(s, step->b);
  if (step->code != TDM_EXPR_SELECT) {
    bool both = x.uniform && y.uniform;
    run_binary(step->code, x, y, both ? 1 : s->width, into);
    *uniform = both;
    return;
  }
  view views[3] = {x, y, look(s, step->c)};
  bool all = true;
  double single[3];
  size_t by[3];
  for (int i = 0; i < 3; i++) {
    all = all && views[i].uniform;
    by[i] = views[i].uniform ? 0 : 1;
    if (!views[i].uniform) continue;
    single[i] = views[i].at[0]; /* a copy: its register may be the one written below */
    views[i].at = &single[i];
  }
  size_t width = all ? 1 : s->width;
  for (size_t i = 0; i < width; i++) {
    double a = views[1].at[i * by[1]], b = views[2].at[i * by[2]];
    into[i] = expr_holds(views[0].at[i * by[0]]) ? a : b;
  }
  *uniform = all;
}

void tdm_expr_eval_many(const tdm_expr *expr, const tdm_expr_input *base,
                        const double *const *attr_columns, const uint64_t *n, size_t count,
                        double *out) {
  double registers[ROOM];
  bool uniform[EXPR_REGISTERS_MAX];
  size_t stride = WIDTH_MAX;
  if (expr->registers * stride > ROOM) stride = ROOM / expr->registers;
  stretch s = {.expr = expr,
               .base = base,
               .columns = attr_columns,
               .n = n,
               .stride = stride,
               .registers = registers,
               .uniform = uniform};
  for (s.first = 0; s.first < count; s.first += s.width) {
    s.width = count - s.first < stride ? count - s.first : stride;
    for (size_t i = 0; i < expr->step_count; i++) {
      const expr_step *step = &expr->steps[i];
      run_step(&s, step, registers + step->into * stride);
    }
    view root = look(&s, expr->root);
    if (root.uniform) {
      for (size_t i = 0; i < s.width; i++) out[s.first + i] = root.at[0];
    } else {
      memcpy(out + s.first, root.at, s.width * sizeof *out);
    }
  }
}

bool tdm_expr_is_constant(const tdm_expr *expr, double *value) {
  if (expr->root.source != FROM_CONSTANT) return false;
  if (value != NULL) *value = expr->constants[expr->root.index];
  return true;
}

bool tdm_expr_is_draw(const tdm_expr *expr, const tdm_dist **dist, double *scale, uint32_t *child) {
  if (!expr->is_draw) return false;
  if (dist != NULL) *dist = expr->draws[0].dist;
  if (scale != NULL) *scale = expr->scale;
  if (child != NULL) *child = expr->draws[0].child;
  return true;
}

bool tdm_expr_uses_batch(const tdm_expr *expr) {
  return expr->uses_batch;
}

uint64_t tdm_expr_uses_attrs(const tdm_expr *expr) {
  return expr->attrs;
}

bool tdm_expr_uses_gpu(const tdm_expr *expr) {
  return expr->uses_gpu;
}

bool tdm_expr_needs_script(const tdm_expr *expr) {
  return expr->needs_script;
}
