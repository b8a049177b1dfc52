/* Building and compiling cost expressions: node sharing, constant folding, register allocation.
 * Owns builders and compiled expressions. Evaluation is eval.c. Called by the binding. */
#include "model/expr/expr.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/memory.h"
#include "model/expr/inside.h"

#define NODES_MAX 60000u /* operands index with 16 bits */
#define NO_NODE   UINT32_MAX
#define NO_USE    UINT32_MAX

/* Node kinds: operators and CODE_ values, then leaves. */
enum { NODE_CONSTANT = CODE_INTERP + 1, NODE_ATTR, NODE_SUM, NODE_GPU, NODE_BATCH };

typedef struct {
  unsigned kind;
  uint32_t index; /* slot, draw or curve */
  tdm_expr_node args[3];
  double value; /* NODE_CONSTANT */
} node;

struct tdm_expr_builder {
  node *nodes;
  size_t count, capacity;
  tdm_hash_map map; /* nodes that are equal */
  expr_draw *draws;
  size_t draw_count, draw_capacity;
  expr_curve *curves;
  size_t curve_count, curve_capacity;
  tdm_error error; /* the first problem */
};

static const tdm_expr_op_info operators[] = {
    {"add", TDM_EXPR_ADD, 2, UINT_MAX}, {"sub", TDM_EXPR_SUB, 2, 2},
    {"mul", TDM_EXPR_MUL, 2, UINT_MAX}, {"div", TDM_EXPR_DIV, 2, 2},
    {"pow", TDM_EXPR_POW, 2, 2},        {"min", TDM_EXPR_MIN, 2, UINT_MAX},
    {"max", TDM_EXPR_MAX, 2, UINT_MAX}, {"mod", TDM_EXPR_MOD, 2, 2},
    {"lt", TDM_EXPR_LT, 2, 2},          {"le", TDM_EXPR_LE, 2, 2},
    {"eq", TDM_EXPR_EQ, 2, 2},          {"neg", TDM_EXPR_NEG, 1, 1},
    {"abs", TDM_EXPR_ABS, 1, 1},        {"sqrt", TDM_EXPR_SQRT, 1, 1},
    {"exp", TDM_EXPR_EXP, 1, 1},        {"log", TDM_EXPR_LOG, 1, 1},
    {"floor", TDM_EXPR_FLOOR, 1, 1},    {"ceil", TDM_EXPR_CEIL, 1, 1},
    {"select", TDM_EXPR_SELECT, 3, 3}}; /* in the order of tdm_expr_op */
#define OPERATORS (sizeof operators / sizeof operators[0])

const tdm_expr_op_info *tdm_expr_op_find(const char *name) {
  for (size_t i = 0; i < OPERATORS; i++) {
    if (strcmp(operators[i].name, name) == 0) return &operators[i];
  }
  return NULL;
}

tdm_expr_builder *tdm_expr_builder_new(void) {
  return tdm_array_new(1, sizeof(tdm_expr_builder));
}

void tdm_expr_builder_free(tdm_expr_builder *builder) {
  if (builder == NULL) return;
  for (size_t i = 0; i < builder->draw_count; i++) tdm_dist_free(builder->draws[i].dist);
  for (size_t i = 0; i < builder->curve_count; i++) free(builder->curves[i].points);
  free(builder->nodes);
  tdm_hash_map_free(&builder->map);
  free(builder->draws);
  free(builder->curves);
  free(builder);
}

static bool failed(const tdm_expr_builder *builder) {
  return builder->error.status != TDM_OK;
}

static tdm_expr_node no_memory(tdm_expr_builder *builder, size_t bytes) {
  if (!failed(builder)) tdm_error_memory(&builder->error, "an expression", bytes);
  return NO_NODE;
}

static uint64_t value_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint32_t node_hash(const node *n) {
  uint64_t hash = tdm_mix(n->kind * TDM_GAMMA + n->index);
  for (int i = 0; i < 3; i++) hash = tdm_mix(hash + n->args[i] * TDM_GAMMA);
  return tdm_hash_number(hash ^ value_bits(n->value));
}

static bool node_same(const node *a, const node *b) {
  return a->kind == b->kind && a->index == b->index && a->args[0] == b->args[0] &&
         a->args[1] == b->args[1] && a->args[2] == b->args[2] &&
         value_bits(a->value) == value_bits(b->value);
}

/* The node equal to `made`, new if there is none. Two draws differ by their index, so never meet.
 */
static tdm_expr_node intern(tdm_expr_builder *builder, node made) {
  if (failed(builder)) return NO_NODE;
  if (builder->count >= NODES_MAX) {
    tdm_error_set(&builder->error, TDM_LIMIT, "an expression may have at most %u operations",
                  NODES_MAX);
    return NO_NODE;
  }
  uint32_t hash = node_hash(&made);
  for (tdm_hash_slot *s = tdm_hash_first(&builder->map, hash); s;
       s = tdm_hash_next(&builder->map, s))
    if (node_same(&builder->nodes[s->row], &made)) return s->row;
  if (!tdm_array_grow(&builder->nodes, &builder->capacity, builder->count + 1, sizeof made) ||
      !tdm_hash_add(&builder->map, hash, (uint32_t)builder->count))
    return no_memory(builder, builder->capacity * 2 * sizeof made);
  builder->nodes[builder->count] = made;
  return (tdm_expr_node)builder->count++;
}

static tdm_expr_node leaf(tdm_expr_builder *builder, unsigned kind, uint32_t index) {
  return intern(builder, (node){.kind = kind, .index = index, .args = {NO_NODE, NO_NODE, NO_NODE}});
}

tdm_expr_node tdm_expr_constant(tdm_expr_builder *builder, double value) {
  return intern(builder,
                (node){.kind = NODE_CONSTANT, .args = {NO_NODE, NO_NODE, NO_NODE}, .value = value});
}

static tdm_expr_node slot_leaf(tdm_expr_builder *builder, unsigned kind, uint32_t slot,
                               uint32_t most, const char *what) {
  if (slot >= most && !failed(builder)) {
    tdm_error_set(&builder->error, TDM_LIMIT, "expressions can use at most %u %s", most, what);
  }
  return leaf(builder, kind, slot);
}

tdm_expr_node tdm_expr_attr(tdm_expr_builder *builder, uint32_t slot) {
  return slot_leaf(builder, NODE_ATTR, slot, TDM_EXPR_ATTRS_MAX, "request attributes");
}

tdm_expr_node tdm_expr_sum(tdm_expr_builder *builder, uint32_t slot) {
  return slot_leaf(builder, NODE_SUM, slot, TDM_EXPR_ATTRS_MAX, "request attributes");
}

tdm_expr_node tdm_expr_gpu(tdm_expr_builder *builder, uint32_t slot) {
  return slot_leaf(builder, NODE_GPU, slot, TDM_EXPR_GPU_MAX, "GPU parameters");
}

tdm_expr_node tdm_expr_batch(tdm_expr_builder *builder) {
  return leaf(builder, NODE_BATCH, 0);
}

tdm_expr_node tdm_expr_draw(tdm_expr_builder *builder, tdm_dist *dist, uint32_t child) {
  if (failed(builder) || !tdm_array_grow(&builder->draws, &builder->draw_capacity,
                                         builder->draw_count + 1, sizeof(expr_draw))) {
    tdm_dist_free(dist);
    return no_memory(builder, builder->draw_capacity * 2 * sizeof(expr_draw));
  }
  builder->draws[builder->draw_count] = (expr_draw){dist, child};
  return leaf(builder, CODE_DRAW, (uint32_t)builder->draw_count++);
}

/* Arguments must be nodes of this builder; a bad one is the binding's mistake. */
static bool known(tdm_expr_builder *builder, const tdm_expr_node *arguments, size_t count) {
  if (failed(builder)) return false;
  for (size_t i = 0; i < count; i++) {
    if (arguments[i] < builder->count) continue;
    tdm_error_set(&builder->error, TDM_BUG, "an expression refers to a node that does not exist");
    return false;
  }
  return true;
}

static bool constant_of(const tdm_expr_builder *builder, tdm_expr_node at, double *value) {
  if (at == NO_NODE || builder->nodes[at].kind != NODE_CONSTANT) return false;
  *value = builder->nodes[at].value;
  return true;
}

static double fold(tdm_expr_op op, double a, double b) {
  switch (op) {
#define CASE(name, value)                                                                          \
  case TDM_EXPR_##name: return value;
    EXPR_BINARY(CASE)
    EXPR_UNARY(CASE)
#undef CASE
  case TDM_EXPR_SELECT: break; /* picks a node, not a value */
  }
  return NAN;
}

static tdm_expr_node apply_one(tdm_expr_builder *builder, tdm_expr_op op, tdm_expr_node a,
                               tdm_expr_node b) {
  if (failed(builder)) return NO_NODE;
  double left = 0, right = 0;
  if (constant_of(builder, a, &left) && (b == NO_NODE || constant_of(builder, b, &right))) {
    return tdm_expr_constant(builder, fold(op, left, right));
  }
  bool commutes = op == TDM_EXPR_ADD || op == TDM_EXPR_MUL || op == TDM_EXPR_EQ;
  if (commutes && b < a) { /* so that a·b and b·a are one node */
    tdm_expr_node swap = a;
    a = b;
    b = swap;
  }
  return intern(builder, (node){.kind = op, .args = {a, b, NO_NODE}});
}

tdm_expr_node tdm_expr_apply(tdm_expr_builder *builder, tdm_expr_op op,
                             const tdm_expr_node *arguments, size_t count) {
  if (!known(builder, arguments, count)) return NO_NODE;
  const tdm_expr_op_info *info = &operators[op];
  if (count < info->min_arguments || count > info->max_arguments) {
    tdm_error_set(&builder->error, TDM_INVALID, "%s takes %u%s argument%s, not %zu", info->name,
                  info->min_arguments, info->max_arguments == UINT_MAX ? " or more" : "",
                  info->min_arguments == 1 ? "" : "s", count);
    return NO_NODE;
  }
  if (op == TDM_EXPR_SELECT) {
    double condition;
    if (constant_of(builder, arguments[0], &condition)) {
      return expr_holds(condition) ? arguments[1] : arguments[2];
    }
    if (arguments[1] == arguments[2]) return arguments[1];
    return intern(builder, (node){.kind = op, .args = {arguments[0], arguments[1], arguments[2]}});
  }
  if (count == 1) return apply_one(builder, op, arguments[0], NO_NODE);
  tdm_expr_node result = arguments[0];
  for (size_t i = 1; i < count; i++) result = apply_one(builder, op, result, arguments[i]);
  return result;
}

/* The curve through these pairs, shared when it exists already. */
static bool curve_of(tdm_expr_builder *builder, const double *pairs, size_t count,
                     uint32_t *index) {
  for (size_t i = 0; i < builder->curve_count; i++) {
    const expr_curve *curve = &builder->curves[i];
    bool same = curve->count == count;
    for (size_t j = 0; same && j < count; j++) {
      same = value_bits(curve->points[j].x) == value_bits(pairs[2 * j]) &&
             value_bits(curve->points[j].y) == value_bits(pairs[2 * j + 1]);
    }
    *index = (uint32_t)i;
    if (same) return true;
  }
  expr_point *points = tdm_array_new(count, sizeof *points);
  if (points == NULL || !tdm_array_grow(&builder->curves, &builder->curve_capacity,
                                        builder->curve_count + 1, sizeof(expr_curve))) {
    free(points);
    no_memory(builder, count * sizeof *points);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    points[i] = (expr_point){pairs[2 * i], pairs[2 * i + 1], 0};
    if (i == 0) continue;
    points[i - 1].slope = (points[i].y - points[i - 1].y) / (points[i].x - points[i - 1].x);
  }
  builder->curves[builder->curve_count] = (expr_curve){points, count};
  *index = (uint32_t)builder->curve_count++;
  return true;
}

tdm_expr_node tdm_expr_interp(tdm_expr_builder *builder, tdm_expr_node x, const double *pairs,
                              size_t points) {
  if (!known(builder, &x, 1)) return NO_NODE;
  if (points == 0) {
    tdm_error_set(&builder->error, TDM_INVALID, "interp needs at least one point x,y");
    return NO_NODE;
  }
  for (size_t i = 0; i < points; i++) {
    if (!isfinite(pairs[2 * i]) || !isfinite(pairs[2 * i + 1])) {
      tdm_error_set(&builder->error, TDM_INVALID, "interp: point %zu (%g, %g) is not finite", i + 1,
                    pairs[2 * i], pairs[2 * i + 1]);
      return NO_NODE;
    }
    if (i > 0 && !(pairs[2 * i] > pairs[2 * i - 2])) {
      tdm_error_set(&builder->error, TDM_INVALID,
                    "interp: x must rise from point to point; point %zu has %g after %g", i + 1,
                    pairs[2 * i], pairs[2 * i - 2]);
      return NO_NODE;
    }
  }
  uint32_t curve;
  if (!curve_of(builder, pairs, points, &curve)) return NO_NODE;
  double value;
  if (constant_of(builder, x, &value)) {
    return tdm_expr_constant(builder, expr_interp(&builder->curves[curve], value));
  }
  return intern(builder,
                (node){.kind = CODE_INTERP, .index = curve, .args = {x, NO_NODE, NO_NODE}});
}

/* What compiling needs beside the builder. */
typedef struct {
  tdm_expr_builder *builder;
  tdm_expr *expr;
  uint32_t *last_use;    /* by node: the last node that reads it; NO_USE: dead */
  expr_operand *operand; /* by node: where its value is */
  uint32_t *moved;       /* by draw and curve of the builder: index in the expression + 1 */
  uint16_t unused[EXPR_REGISTERS_MAX]; /* registers free again */
  uint32_t unused_count;
  size_t constant_count;
} compiler;

static void note_input(tdm_expr *expr, unsigned kind, uint32_t index) {
  if (kind == NODE_ATTR || kind == NODE_SUM) expr->attrs |= (uint64_t)1 << index;
  if (kind == NODE_SUM || kind == NODE_BATCH) expr->uses_batch = true;
  if (kind == NODE_GPU) expr->uses_gpu = true;
}

static void leaf_operand(compiler *c, size_t at) {
  static const uint8_t sources[] = {FROM_CONSTANT, FROM_ATTR, FROM_SUM, FROM_GPU, FROM_BATCH};
  const node *n = &c->builder->nodes[at];
  uint32_t index = n->index;
  if (n->kind == NODE_CONSTANT) {
    index = (uint32_t)c->constant_count;
    c->expr->constants[c->constant_count++] = n->value;
  }
  note_input(c->expr, n->kind, n->index);
  c->operand[at] = (expr_operand){sources[n->kind - NODE_CONSTANT], (uint16_t)index};
}

/* Draws and curves that live on move from the builder into the expression. */
static uint16_t take_draw(compiler *c, uint32_t index) {
  expr_draw *draw = &c->builder->draws[index];
  c->expr->draws[c->expr->draw_count] = *draw;
  c->expr->needs_script = c->expr->needs_script || tdm_dist_needs_script(draw->dist);
  draw->dist = NULL;
  return (uint16_t)c->expr->draw_count++;
}

static uint16_t take_curve(compiler *c, uint32_t index) {
  if (c->moved[index] == 0) {
    c->expr->curves[c->expr->curve_count] = c->builder->curves[index];
    c->builder->curves[index].points = NULL;
    c->moved[index] = (uint32_t)++c->expr->curve_count;
  }
  return (uint16_t)(c->moved[index] - 1);
}

/* Adds the step of node `at`; its register may be one that an argument leaves here. */
static tdm_status emit(compiler *c, size_t at, tdm_error *error) {
  const node *n = &c->builder->nodes[at];
  expr_step step = {.code = (uint8_t)n->kind};
  expr_operand *operands[3] = {&step.a, &step.b, &step.c};
  for (int i = 0; i < 3; i++) {
    if (n->args[i] == NO_NODE) continue;
    *operands[i] = c->operand[n->args[i]];
    bool repeated = (i > 0 && n->args[i] == n->args[0]) || (i > 1 && n->args[i] == n->args[1]);
    if (!repeated && c->last_use[n->args[i]] == at && operands[i]->source == FROM_REGISTER) {
      c->unused[c->unused_count++] = operands[i]->index;
    }
  }
  if (n->kind == CODE_DRAW) step.a.index = take_draw(c, n->index);
  if (n->kind == CODE_INTERP) step.b.index = take_curve(c, n->index);
  if (c->unused_count > 0) {
    step.into = c->unused[--c->unused_count];
  } else if (c->expr->registers < EXPR_REGISTERS_MAX) {
    step.into = (uint16_t)c->expr->registers++;
  } else {
    return tdm_error_set(error, TDM_LIMIT,
                         "an expression may hold at most %u intermediate values at a time",
                         EXPR_REGISTERS_MAX);
  }
  c->operand[at] = (expr_operand){FROM_REGISTER, step.into};
  c->expr->steps[c->expr->step_count++] = step;
  return TDM_OK;
}

/* Nodes are made after their arguments, so one pass backwards finds the living, one forwards
 * compiles them. */
static tdm_status compile(compiler *c, tdm_expr_node root, tdm_error *error) {
  const node *nodes = c->builder->nodes;
  for (size_t i = 0; i <= root; i++) c->last_use[i] = NO_USE;
  c->last_use[root] = (uint32_t)c->builder->count;
  for (size_t i = (size_t)root + 1; i-- > 0;) {
    if (c->last_use[i] == NO_USE) continue;
    for (int j = 0; j < 3; j++) {
      tdm_expr_node arg = nodes[i].args[j];
      if (arg != NO_NODE && c->last_use[arg] == NO_USE) c->last_use[arg] = (uint32_t)i;
    }
  }
  for (size_t i = 0; i <= root; i++) {
    if (c->last_use[i] == NO_USE) continue;
    if (nodes[i].kind >= NODE_CONSTANT) {
      leaf_operand(c, i);
      continue;
    }
    tdm_status status = emit(c, i, error);
    if (status != TDM_OK) return status;
  }
  c->expr->root = c->operand[root];
  return TDM_OK;
}

/* Recognises d, k·d and d·k. */
static void find_pure_draw(const tdm_expr_builder *builder, tdm_expr_node root, tdm_expr *expr) {
  const node *n = &builder->nodes[root];
  expr->scale = 1;
  if (n->kind == TDM_EXPR_MUL) {
    bool first = constant_of(builder, n->args[0], &expr->scale);
    if (!first && !constant_of(builder, n->args[1], &expr->scale)) return;
    n = &builder->nodes[n->args[first ? 1 : 0]];
  }
  expr->is_draw = n->kind == CODE_DRAW;
}

tdm_status tdm_expr_finish(tdm_expr_builder *builder, tdm_expr_node root, tdm_expr **out,
                           tdm_error *error) {
  *out = NULL;
  known(builder, &root, 1);
  if (failed(builder)) {
    tdm_status status = builder->error.status;
    tdm_error_set(error, status, "%s", builder->error.message);
    tdm_expr_builder_free(builder);
    return status;
  }
  size_t count = builder->count;
  tdm_expr *expr = tdm_array_new(1, sizeof *expr);
  compiler c = {.builder = builder,
                .expr = expr,
                .last_use = tdm_array_new(count, sizeof(uint32_t)),
                .operand = tdm_array_new(count, sizeof(expr_operand)),
                .moved = tdm_array_new(builder->curve_count, sizeof(uint32_t))};
  tdm_status status = TDM_OK;
  if (expr != NULL) {
    expr->steps = tdm_array_new(count, sizeof *expr->steps);
    expr->constants = tdm_array_new(count, sizeof *expr->constants);
    expr->draws = tdm_array_new(builder->draw_count, sizeof *expr->draws);
    expr->curves = tdm_array_new(builder->curve_count, sizeof *expr->curves);
  }
  if (expr == NULL || expr->steps == NULL || expr->constants == NULL || expr->draws == NULL ||
      expr->curves == NULL || c.last_use == NULL || c.operand == NULL || c.moved == NULL) {
    status = tdm_error_memory(error, "an expression", count * sizeof(expr_step));
  } else {
    status = compile(&c, root, error);
  }
  if (status == TDM_OK) {
    find_pure_draw(builder, root, expr);
    *out = expr;
  } else {
    tdm_expr_free(expr);
  }
  free(c.last_use);
  free(c.operand);
  free(c.moved);
  tdm_expr_builder_free(builder);
  return status;
}

void tdm_expr_free(tdm_expr *expr) {
  if (expr == NULL) return;
  for (size_t i = 0; i < expr->draw_count; i++) tdm_dist_free(expr->draws[i].dist);
  for (size_t i = 0; i < expr->curve_count; i++) free(expr->curves[i].points);
  free(expr->steps);
  free(expr->constants);
  free(expr->draws);
  free(expr->curves);
  free(expr);
}
