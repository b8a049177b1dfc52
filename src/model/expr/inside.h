/* The inside of a compiled expression, shared by the compiler (expr.c) and the evaluator
 * (eval.c). Nobody else includes this. */
#ifndef TDM_MODEL_EXPR_INSIDE_H
#define TDM_MODEL_EXPR_INSIDE_H

#include <math.h>

#include "model/expr/expr.h"

#define EXPR_REGISTERS_MAX 256u /* values alive at one time */

/* Every operator once: its enumerator's ending and its value. Folding, single and many evaluation
 * expand these, so that they cannot differ. */
#define EXPR_BINARY(X)                                                                             \
  X(ADD, a + b)                                                                                    \
  X(SUB, a - b)                                                                                    \
  X(MUL, a *b)                                                                                     \
  X(DIV, a / b)                                                                                    \
  X(POW, pow(a, b))                                                                                \
  X(MIN, b < a ? b : a)                                                                            \
  X(MAX, b > a ? b : a)                                                                            \
  X(MOD, expr_mod(a, b))                                                                           \
  X(LT, a < b ? 1.0 : 0.0)                                                                         \
  X(LE, a <= b ? 1.0 : 0.0)                                                                        \
  X(EQ, a == b ? 1.0 : 0.0)
#define EXPR_UNARY(X)                                                                              \
  X(NEG, -a)                                                                                       \
  X(ABS, fabs(a))                                                                                  \
  X(SQRT, sqrt(a))                                                                                 \
  X(EXP, exp(a))                                                                                   \
  X(LOG, log(a))                                                                                   \
  X(FLOOR, floor(a))                                                                               \
  X(CEIL, ceil(a))

/* Lua's % on floats: the remainder takes the divisor's sign. */
static inline double expr_mod(double a, double b) {
  double rest = fmod(a, b);
  return rest * b < 0 ? rest + b : rest;
}

static inline bool expr_holds(double condition) {
  return condition != 0;
}

/* Codes beyond the operators. */
enum { CODE_DRAW = TDM_EXPR_SELECT + 1, CODE_INTERP };

/* Where an operand is read: in place, so that inputs and constants cost no instruction. */
typedef enum {
  FROM_REGISTER,
  FROM_CONSTANT,
  FROM_ATTR,
  FROM_SUM,
  FROM_GPU,
  FROM_BATCH,
  FROM_COUNT
} expr_source;

typedef struct {
  uint8_t source; /* expr_source */
  uint16_t index;
} expr_operand;

/* into ← code(a, b, c). CODE_DRAW: a.index is the draw; CODE_INTERP: table b.index at a. */
typedef struct {
  uint8_t code;
  uint16_t into;
  expr_operand a, b, c;
} expr_step;

typedef struct {
  tdm_dist *dist; /* owned */
  uint32_t child;
} expr_draw;

typedef struct {
  double x, y, slope; /* of the piece that starts here; 0 for the last */
} expr_point;

typedef struct {
  expr_point *points; /* owned */
  size_t count;
} expr_curve;

struct tdm_expr {
  expr_step *steps; /* the last one makes the result, unless root is not a register */
  size_t step_count;
  expr_operand root;
  uint32_t registers;
  double *constants;
  expr_draw *draws;
  size_t draw_count;
  expr_curve *curves;
  size_t curve_count;
  uint64_t attrs;
  bool uses_batch, uses_gpu, needs_script;
  bool is_draw; /* draws[0] × scale, and nothing else */
  double scale;
};

static inline double expr_interp(const expr_curve *curve, double x) {
  const expr_point *points = curve->points;
  size_t last = curve->count - 1;
  if (x <= points[0].x) return points[0].y;
  if (x >= points[last].x) return points[last].y;
  size_t low = 0, high = last; /* points[low].x ≤ x < points[high].x */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (points[middle].x <= x)
      low = middle;
    else
      high = middle;
  }
  return points[low].y + (x - points[low].x) * points[low].slope;
}

#endif
