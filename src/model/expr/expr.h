/* Cost expressions: built as a graph of nodes, compiled to a small register machine.
 *
 * Builders share equal subexpressions and fold constants while nodes are made; draws are never
 * merged nor folded. Compiled expressions are immutable and shared by threads. Building is expr.c,
 * evaluation eval.c.
 *
 * Semantics are Lua's on floats: mod takes the divisor's sign, min keeps its first argument unless
 * a later one is less (max: greater), so NaN behaves as in math.min. Both sides of a select are
 * evaluated; any condition but 0 picks the first.
 *
 * Built by the binding from the array form, evaluated by the engine and its kernels. */
#ifndef TDM_MODEL_EXPR_EXPR_H
#define TDM_MODEL_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dist/dist.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/script.h"

typedef struct tdm_expr tdm_expr;
typedef struct tdm_expr_builder tdm_expr_builder;
typedef uint32_t tdm_expr_node;

#define TDM_EXPR_ATTRS_MAX 64u   /* attribute slots, because tdm_expr_uses_attrs is a mask */
#define TDM_EXPR_GPU_MAX   4096u /* GPU parameter slots */

typedef enum {
  TDM_EXPR_ADD,
  TDM_EXPR_SUB,
  TDM_EXPR_MUL,
  TDM_EXPR_DIV,
  TDM_EXPR_POW,
  TDM_EXPR_MIN,
  TDM_EXPR_MAX,
  TDM_EXPR_MOD,
  TDM_EXPR_LT,
  TDM_EXPR_LE,
  TDM_EXPR_EQ,
  TDM_EXPR_NEG,
  TDM_EXPR_ABS,
  TDM_EXPR_SQRT,
  TDM_EXPR_EXP,
  TDM_EXPR_LOG,
  TDM_EXPR_FLOOR,
  TDM_EXPR_CEIL,
  TDM_EXPR_SELECT
} tdm_expr_op;

typedef struct {
  const char *name; /* as in the array form: "add" */
  tdm_expr_op op;
  unsigned min_arguments;
  unsigned max_arguments; /* UINT_MAX: any number */
} tdm_expr_op_info;

/* NULL when no operator has this name (attr, sum, batch, gpu, draw and interp are not operators).
 */
const tdm_expr_op_info *tdm_expr_op_find(const char *name);

/* Builder. Node makers never fail on the spot: the first problem is kept and finish reports it. */
tdm_expr_builder *tdm_expr_builder_new(void); /* NULL: out of memory */
void tdm_expr_builder_free(tdm_expr_builder *builder);

tdm_expr_node tdm_expr_constant(tdm_expr_builder *builder, double value);
tdm_expr_node tdm_expr_attr(tdm_expr_builder *builder, uint32_t slot);
tdm_expr_node tdm_expr_sum(tdm_expr_builder *builder, uint32_t slot);
tdm_expr_node tdm_expr_batch(tdm_expr_builder *builder);
tdm_expr_node tdm_expr_gpu(tdm_expr_builder *builder, uint32_t slot);
/* Takes dist over in every case. Draws from tdm_stream_child(input.stream, child). */
tdm_expr_node tdm_expr_draw(tdm_expr_builder *builder, tdm_dist *dist, uint32_t child);
/* Any operator on as many arguments as its info allows; add, mul, min and max fold from the left.
 */
tdm_expr_node tdm_expr_apply(tdm_expr_builder *builder, tdm_expr_op op,
                             const tdm_expr_node *arguments, size_t count);
/* Piecewise linear through `points` pairs x1,y1,x2,y2,… (copied), x rising, clamped at the ends. */
tdm_expr_node tdm_expr_interp(tdm_expr_builder *builder, tdm_expr_node x, const double *pairs,
                              size_t points);

/* Compiles the graph under root. Frees the builder in every case; *out is NULL on failure. */
tdm_status tdm_expr_finish(tdm_expr_builder *builder, tdm_expr_node root, tdm_expr **out,
                           tdm_error *error);
void tdm_expr_free(tdm_expr *expr); /* its distributions too; NULL is fine */

/* What an evaluation reads. Pointers may be NULL where the expression does not look; sums == NULL
 * means not batched: sum(x) is attr(x). */
typedef struct {
  const double *attrs; /* by slot */
  const double *sums;  /* by slot */
  const double *gpu;   /* by parameter slot */
  double batch;        /* members, 1 when not batched */
  tdm_stream stream;   /* the stage's */
  uint64_t n;          /* request ordinal */
  const tdm_script *script;
} tdm_expr_input;

double tdm_expr_eval(const tdm_expr *expr, const tdm_expr_input *input);

/* out[i] = tdm_expr_eval of *base with attrs[s] = attr_columns[s][i] and n = n[i], bit for bit.
 * base->attrs and base->n are not read; columns of unused slots may be NULL. */
void tdm_expr_eval_many(const tdm_expr *expr, const tdm_expr_input *base,
                        const double *const *attr_columns, const uint64_t *n, size_t count,
                        double *out);

bool tdm_expr_is_constant(const tdm_expr *expr, double *value); /* value may be NULL */
/* True for a draw, or a draw times a constant, alone. The value is then
 * scale × tdm_dist_draw(dist, tdm_stream_child(input.stream, child), n, script), and without the
 * multiplication when scale is 1. dist stays the expression's. */
bool tdm_expr_is_draw(const tdm_expr *expr, const tdm_dist **dist, double *scale, uint32_t *child);
bool tdm_expr_uses_batch(const tdm_expr *expr);     /* {"batch"} or any sum */
uint64_t tdm_expr_uses_attrs(const tdm_expr *expr); /* bit s: slot s, by attr or sum */
bool tdm_expr_uses_gpu(const tdm_expr *expr);
bool tdm_expr_needs_script(const tdm_expr *expr);

/* Raw moments, of[k] = E[X^k], and on which draws and attributes of a request they rest; NaN: not
 * known. Where no bit is set it is a constant. */
typedef struct {
  double of[TDM_DIST_MOMENTS + 1];
  uint64_t draws, attrs;
} tdm_moments;

tdm_moments tdm_moments_fixed(double value);
tdm_moments tdm_moments_unknown(void);
tdm_moments tdm_moments_of_dist(const tdm_dist *dist);
/* Of a product; not known where the two have something in common. */
tdm_moments tdm_moments_product(const tdm_moments *a, const tdm_moments *b);

/* Of one request by itself. attrs by slot, gpu by parameter slot; NULL: not known. */
tdm_moments tdm_expr_moments(const tdm_expr *expr, const tdm_moments *attrs, const double *gpu);

#endif
