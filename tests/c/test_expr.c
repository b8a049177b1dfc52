/* model/expr: compiled expressions against direct C arithmetic, on chosen cases and on random
 * graphs; many evaluations against single ones; what the queries report. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/expr/expr.h"

static bool same(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static tdm_expr_node apply2(tdm_expr_builder *b, tdm_expr_op op, tdm_expr_node x, tdm_expr_node y) {
  return tdm_expr_apply(b, op, (tdm_expr_node[]){x, y}, 2);
}

static tdm_expr_node apply1(tdm_expr_builder *b, tdm_expr_op op, tdm_expr_node x) {
  return tdm_expr_apply(b, op, &x, 1);
}

static tdm_expr *finished(tdm_expr_builder *builder, tdm_expr_node root) {
  tdm_expr *expr;
  tdm_error error = {TDM_OK, ""};
  assert_int_equal(tdm_expr_finish(builder, root, &expr, &error), TDM_OK);
  return expr;
}

static tdm_dist *exponential(double mean) {
  tdm_dist *dist;
  assert_int_equal(tdm_dist_exponential(mean, &dist, NULL), TDM_OK);
  return dist;
}

/* (2 + 3 X) Y, X exponential of mean 1, Y attribute 0 with moments of an exponential of mean 5. */
static void moments_of_sums_and_products_are_exact(void **state) {
  (void)state;
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr_node x = tdm_expr_draw(b, exponential(1), 0), y = tdm_expr_attr(b, 0);
  tdm_expr_node sum = apply2(b, TDM_EXPR_ADD, tdm_expr_constant(b, 2),
                             apply2(b, TDM_EXPR_MUL, tdm_expr_constant(b, 3), x));
  tdm_expr *expr = finished(b, apply2(b, TDM_EXPR_MUL, sum, y));
  tdm_moments attr = {.of = {1, 5, 50, 750, 15000}, .attrs = 1};
  tdm_moments m = tdm_expr_moments(expr, &attr, NULL);
  /* E(2 + 3X)^k by hand: 1, 5, 34, 314, 3784 (E X^k = k!). */
  const double expected[] = {1, 5 * 5, 34 * 50, 314 * 750, 3784 * 15000.0};
  for (int k = 0; k < 5; k++) assert_true(fabs(m.of[k] / expected[k] - 1) < 1e-12);
  assert_int_equal(m.attrs, 1);
  assert_true(m.draws != 0);
  assert_true(isnan(tdm_expr_moments(expr, NULL, NULL).of[2]));
  tdm_expr_free(expr);
}

static void moments_of_what_hangs_together_are_not_known(void **state) {
  (void)state;
  for (int op = 0; op < 4; op++) {
    tdm_expr_builder *b = tdm_expr_builder_new();
    tdm_expr_node x = tdm_expr_draw(b, exponential(1), 0), one = tdm_expr_constant(b, 1);
    tdm_expr_node more = apply2(b, TDM_EXPR_ADD, x, one);
    tdm_expr_node root = op == 0   ? apply2(b, TDM_EXPR_MUL, x, x)
                         : op == 1 ? apply2(b, TDM_EXPR_ADD, x, more)
                         : op == 2 ? apply2(b, TDM_EXPR_MIN, x, one)
                                   : apply2(b, TDM_EXPR_DIV, one, x);
    tdm_expr *expr = finished(b, root);
    assert_true(isnan(tdm_expr_moments(expr, NULL, NULL).of[2]));
    tdm_expr_free(expr);
  }
  /* Draws of their own do not. */
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr *expr = finished(b, apply2(b, TDM_EXPR_SUB, tdm_expr_draw(b, exponential(1), 0),
                                      tdm_expr_draw(b, exponential(1), 1)));
  tdm_moments m = tdm_expr_moments(expr, NULL, NULL); /* Laplace's */
  assert_true(m.of[1] == 0 && m.of[2] == 2 && m.of[3] == 0 && m.of[4] == 24);
  tdm_expr_free(expr);
}

static void operators_compute_what_lua_does(void **state) {
  (void)state;
  const struct {
    const char *name;
    double a, b, expected;
  } cases[] = {
      {"add", 2, 3, 5},        {"sub", 2, 3, -1},      {"mul", 2, 3, 6},     {"div", 3, 2, 1.5},
      {"div", 1, 0, INFINITY}, {"pow", 2, 10, 1024},   {"min", 2, 3, 2},     {"max", 2, 3, 3},
      {"min", NAN, 3, NAN},    {"min", 3, NAN, 3},     {"mod", 5, 3, 2},     {"mod", -5, 3, 1},
      {"mod", 5, -3, -1},      {"mod", -6, 3, -0.0},   {"lt", 2, 3, 1},      {"lt", 3, 3, 0},
      {"le", 3, 3, 1},         {"le", NAN, 3, 0},      {"eq", 3, 3, 1},      {"eq", NAN, NAN, 0},
      {"neg", 4, 0, -4},       {"abs", -4, 0, 4},      {"sqrt", 9, 0, 3},    {"exp", 0, 0, 1},
      {"log", 1, 0, 0},        {"floor", -1.5, 0, -2}, {"ceil", -1.5, 0, -1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const tdm_expr_op_info *info = tdm_expr_op_find(cases[i].name);
    assert_non_null(info);
    for (int folded = 0; folded < 2; folded++) {
      tdm_expr_builder *b = tdm_expr_builder_new();
      tdm_expr_node arguments[2];
      arguments[0] = folded ? tdm_expr_constant(b, cases[i].a) : tdm_expr_attr(b, 0);
      arguments[1] = folded ? tdm_expr_constant(b, cases[i].b) : tdm_expr_attr(b, 1);
      size_t count = info->max_arguments == 1 ? 1 : 2;
      tdm_expr *expr = finished(b, tdm_expr_apply(b, info->op, arguments, count));
      double attrs[] = {cases[i].a, cases[i].b};
      tdm_expr_input input = {.attrs = attrs, .batch = 1};
      assert_true(same(tdm_expr_eval(expr, &input), cases[i].expected));
      assert_int_equal(tdm_expr_is_constant(expr, NULL), folded);
      tdm_expr_free(expr);
    }
  }
}

static const char *const names[] = {"add", "sub", "mul",   "div",  "pow",   "min", "max",
                                    "mod", "lt",  "le",    "eq",   "neg",   "abs", "sqrt",
                                    "exp", "log", "floor", "ceil", "select"}; /* by tdm_expr_op */

static void operators_are_found_by_name(void **state) {
  (void)state;
  for (size_t i = 0; i <= TDM_EXPR_SELECT; i++) {
    const tdm_expr_op_info *info = tdm_expr_op_find(names[i]);
    assert_non_null(info);
    assert_int_equal(info->op, i);
    assert_string_equal(info->name, names[i]);
  }
  assert_null(tdm_expr_op_find("attr"));
  assert_null(tdm_expr_op_find(""));
}

static void long_sums_fold_from_the_left(void **state) {
  (void)state;
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr_node arguments[] = {tdm_expr_attr(b, 0), tdm_expr_attr(b, 1), tdm_expr_attr(b, 2),
                               tdm_expr_constant(b, 1e16)};
  tdm_expr *expr = finished(b, tdm_expr_apply(b, TDM_EXPR_ADD, arguments, 4));
  double attrs[] = {1, 1, 1};
  tdm_expr_input input = {.attrs = attrs, .batch = 1};
  assert_true(tdm_expr_eval(expr, &input) == ((1.0 + 1.0) + 1.0) + 1e16);
  tdm_expr_free(expr);
}

static void interpolation_is_linear_and_clamped(void **state) {
  (void)state;
  const double pairs[] = {1, 10, 2, 20, 4, 0};
  const double cases[][2] = {{-5, 10}, {1, 10}, {1.5, 15}, {2, 20}, {3, 10}, {4, 0}, {9, 0}};
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr *expr = finished(b, tdm_expr_interp(b, tdm_expr_attr(b, 0), pairs, 3));
  for (size_t i = 0; i < 7; i++) {
    tdm_expr_input input = {.attrs = &cases[i][0], .batch = 1};
    assert_true(same(tdm_expr_eval(expr, &input), cases[i][1]));
    tdm_expr_builder *constant = tdm_expr_builder_new();
    tdm_expr_node at = tdm_expr_constant(constant, cases[i][0]);
    tdm_expr *folded = finished(constant, tdm_expr_interp(constant, at, pairs, 3));
    double value;
    assert_true(tdm_expr_is_constant(folded, &value) && same(value, cases[i][1]));
    tdm_expr_free(folded);
  }
  double nan = NAN;
  tdm_expr_input input = {.attrs = &nan, .batch = 1};
  assert_true(isnan(tdm_expr_eval(expr, &input)));
  tdm_expr_free(expr);
}

static void inputs_are_read_from_their_places(void **state) {
  (void)state;
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr_node terms[] = {tdm_expr_attr(b, 3), tdm_expr_sum(b, 3), tdm_expr_gpu(b, 1),
                           tdm_expr_batch(b)};
  tdm_expr *expr = finished(b, tdm_expr_apply(b, TDM_EXPR_ADD, terms, 4));
  double attrs[] = {0, 0, 0, 5}, sums[] = {0, 0, 0, 70}, gpu[] = {0, 900};
  tdm_expr_input input = {.attrs = attrs, .sums = sums, .gpu = gpu, .batch = 8000};
  assert_true(tdm_expr_eval(expr, &input) == 8975);
  input.sums = NULL; /* not batched: the sum is the attribute */
  assert_true(tdm_expr_eval(expr, &input) == 8910);
  assert_true(tdm_expr_uses_attrs(expr) == 8);
  assert_true(tdm_expr_uses_batch(expr) && tdm_expr_uses_gpu(expr));
  assert_false(tdm_expr_needs_script(expr));
  tdm_expr_free(expr);
}

static void an_input_alone_is_an_expression(void **state) {
  (void)state;
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr *expr = finished(b, tdm_expr_attr(b, 1));
  double attrs[] = {1, 2}, column[] = {4, 5, 6}, out[3];
  tdm_expr_input input = {.attrs = attrs, .batch = 1};
  assert_true(tdm_expr_eval(expr, &input) == 2);
  const double *columns[] = {NULL, column};
  tdm_expr_eval_many(expr, &input, columns, NULL, 3, out);
  assert_memory_equal(out, column, sizeof out);
  assert_false(tdm_expr_uses_batch(expr) || tdm_expr_uses_gpu(expr));
  assert_true(tdm_expr_uses_attrs(expr) == 2);
  tdm_expr_free(expr);
}

static void dead_parts_leave_no_trace(void **state) {
  (void)state;
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_dist *scripted = NULL;
  assert_int_equal(tdm_dist_lua(1, &scripted, NULL), TDM_OK);
  tdm_expr_node args[] = {tdm_expr_constant(b, 0), tdm_expr_draw(b, scripted, 0),
                          tdm_expr_attr(b, 0)};
  tdm_expr *expr = finished(b, tdm_expr_apply(b, TDM_EXPR_SELECT, args, 3));
  assert_false(tdm_expr_needs_script(expr));
  assert_true(tdm_expr_uses_attrs(expr) == 1);
  tdm_expr_free(expr);
}

static void draws_are_neither_merged_nor_folded(void **state) {
  (void)state;
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr_node first = tdm_expr_draw(b, exponential(1), 0);
  tdm_expr_node second = tdm_expr_draw(b, exponential(1), 1);
  tdm_expr *expr = finished(b, apply2(b, TDM_EXPR_SUB, first, second));
  tdm_dist *dist = exponential(1);
  tdm_expr_input input = {.batch = 1, .stream = {77}};
  for (input.n = 0; input.n < 100; input.n++) {
    double expected = tdm_dist_draw(dist, tdm_stream_child(input.stream, 0), input.n, NULL) -
                      tdm_dist_draw(dist, tdm_stream_child(input.stream, 1), input.n, NULL);
    assert_true(same(tdm_expr_eval(expr, &input), expected));
  }
  tdm_dist_free(dist);
  tdm_expr_free(expr);
  tdm_dist *constant;
  assert_int_equal(tdm_dist_constant(3, &constant, NULL), TDM_OK);
  b = tdm_expr_builder_new();
  expr = finished(b, apply1(b, TDM_EXPR_NEG, tdm_expr_draw(b, constant, 0)));
  assert_false(tdm_expr_is_constant(expr, NULL));
  assert_true(tdm_expr_eval(expr, &input) == -3);
  tdm_expr_free(expr);
}

static void a_scaled_draw_is_recognised(void **state) {
  (void)state;
  for (int form = 0; form < 5; form++) {
    tdm_expr_builder *b = tdm_expr_builder_new();
    tdm_expr_node drawn = tdm_expr_draw(b, exponential(2), 9);
    tdm_expr_node root = drawn;
    if (form == 1) root = apply2(b, TDM_EXPR_MUL, drawn, tdm_expr_constant(b, 3));
    if (form == 2) root = apply2(b, TDM_EXPR_MUL, tdm_expr_constant(b, 3), drawn);
    if (form == 3) root = apply2(b, TDM_EXPR_MUL, drawn, tdm_expr_attr(b, 0));
    if (form == 4) root = apply2(b, TDM_EXPR_ADD, drawn, tdm_expr_constant(b, 3));
    tdm_expr *expr = finished(b, root);
    const tdm_dist *dist;
    double scale = 0, attr = 1;
    uint32_t child = 0;
    assert_int_equal(tdm_expr_is_draw(expr, &dist, &scale, &child), form < 3);
    if (form < 3) {
      assert_true(scale == (form == 0 ? 1 : 3) && child == 9);
      tdm_expr_input input = {.attrs = &attr, .batch = 1, .stream = {5}, .n = 4};
      double drawn_value = tdm_dist_draw(dist, tdm_stream_child(input.stream, child), 4, NULL);
      assert_true(same(tdm_expr_eval(expr, &input), scale * drawn_value));
    }
    tdm_expr_free(expr);
  }
}

static double scripted(void *context, uint32_t function, const double *arguments, size_t count) {
  (void)context;
  (void)count;
  return function + arguments[0];
}

static void scripts_reach_the_draw(void **state) {
  (void)state;
  tdm_dist *dist;
  assert_int_equal(tdm_dist_lua(40, &dist, NULL), TDM_OK);
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr *expr = finished(b, apply1(b, TDM_EXPR_FLOOR, tdm_expr_draw(b, dist, 0)));
  tdm_script script = {NULL, scripted};
  tdm_expr_input input = {.batch = 1, .script = &script};
  assert_true(tdm_expr_needs_script(expr));
  assert_true(tdm_expr_eval(expr, &input) == 40);
  input.script = NULL;
  assert_true(isnan(tdm_expr_eval(expr, &input)));
  tdm_expr_free(expr);
}

/* Random graphs: the same nodes are built and kept here for a direct evaluation. */
enum { NODES = 60, SLOTS = 4 };

typedef struct {
  int kind; /* an operator, or one of the leaves below */
  int args[3];
  double value;
  uint32_t index;
} model_node;

enum { LEAF_CONSTANT = 100, LEAF_ATTR, LEAF_SUM, LEAF_GPU, LEAF_BATCH, LEAF_DRAW, LEAF_INTERP };

static const double curve[] = {-2, 1, 0, 3, 0.5, -1, 7, 2};

static double direct(const model_node *nodes, const tdm_expr_input *in, tdm_dist *dist) {
  double v[NODES];
  for (int i = 0; i < NODES; i++) {
    const model_node *n = &nodes[i];
    double a = n->args[0] >= 0 ? v[n->args[0]] : 0, b = n->args[1] >= 0 ? v[n->args[1]] : 0;
    switch (n->kind) {
    case TDM_EXPR_ADD: v[i] = a + b; break;
    case TDM_EXPR_SUB: v[i] = a - b; break;
    case TDM_EXPR_MUL: v[i] = a * b; break;
    case TDM_EXPR_DIV: v[i] = a / b; break;
    case TDM_EXPR_POW: v[i] = pow(a, b); break;
    case TDM_EXPR_MIN: v[i] = b < a ? b : a; break;
    case TDM_EXPR_MAX: v[i] = a < b ? b : a; break;
    case TDM_EXPR_MOD:
      v[i] = fmod(a, b);
      if (v[i] * b < 0) v[i] += b;
      break;
    case TDM_EXPR_LT: v[i] = a < b; break;
    case TDM_EXPR_LE: v[i] = a <= b; break;
    case TDM_EXPR_EQ: v[i] = a == b; break;
    case TDM_EXPR_NEG: v[i] = -a; break;
    case TDM_EXPR_ABS: v[i] = fabs(a); break;
    case TDM_EXPR_SQRT: v[i] = sqrt(a); break;
    case TDM_EXPR_EXP: v[i] = exp(a); break;
    case TDM_EXPR_LOG: v[i] = log(a); break;
    case TDM_EXPR_FLOOR: v[i] = floor(a); break;
    case TDM_EXPR_CEIL: v[i] = ceil(a); break;
    case TDM_EXPR_SELECT: v[i] = a != 0 ? b : v[n->args[2]]; break;
    case LEAF_CONSTANT: v[i] = n->value; break;
    case LEAF_ATTR: v[i] = in->attrs[n->index]; break;
    case LEAF_SUM: v[i] = in->sums != NULL ? in->sums[n->index] : in->attrs[n->index]; break;
    case LEAF_GPU: v[i] = in->gpu[n->index]; break;
    case LEAF_BATCH: v[i] = in->batch; break;
    case LEAF_DRAW:
      v[i] = n->value * tdm_dist_draw(dist, tdm_stream_child(in->stream, n->index), in->n, NULL);
      break;
    default: /* LEAF_INTERP, by the textbook */
      v[i] = a <= curve[0] ? curve[1] : curve[7];
      for (int p = 0; p < 3; p++) {
        const double *at = &curve[2 * p];
        if (a >= at[0] && a < at[2]) {
          v[i] = at[1] + (a - at[0]) * ((at[3] - at[1]) / (at[2] - at[0]));
        }
      }
      if (isnan(a)) v[i] = NAN;
    }
  }
  return v[NODES - 1];
}

static void random_graph(tdm_rng *rng, model_node *nodes, tdm_expr_builder *b,
                         tdm_expr_node *made) {
  static const double constants[] = {0, 1, -1, 0.5, 2, 3, 1e-3, 100};
  uint32_t draws = 0;
  for (int i = 0; i < NODES; i++) {
    model_node *n = &nodes[i];
    *n = (model_node){.args = {-1, -1, -1}};
    uint64_t pick = tdm_index_below(tdm_rng_bits(rng), 10);
    if (i < 4 || pick < 3) {
      n->kind = LEAF_CONSTANT + (int)tdm_index_below(tdm_rng_bits(rng), 6);
      n->index = (uint32_t)tdm_index_below(tdm_rng_bits(rng), SLOTS);
      n->value = constants[tdm_index_below(tdm_rng_bits(rng), 8)];
      if (n->kind == LEAF_DRAW) n->index = draws++;
      if (n->kind == LEAF_DRAW) n->value = 1;
    } else if (pick == 3) {
      n->kind = LEAF_INTERP;
    } else {
      n->kind = (int)tdm_index_below(tdm_rng_bits(rng), TDM_EXPR_SELECT + 1);
    }
    size_t count = n->kind == LEAF_INTERP ? 1 : 0;
    if (n->kind <= TDM_EXPR_SELECT) count = tdm_expr_op_find(names[n->kind])->min_arguments;
    tdm_expr_node arguments[3];
    for (size_t j = 0; j < count; j++) { /* mostly recent ones, so that the root reaches far */
      uint64_t reach = j == 0 && i > 6 ? 3 : (uint64_t)i;
      n->args[j] = i - 1 - (int)tdm_index_below(tdm_rng_bits(rng), reach);
      arguments[j] = made[n->args[j]];
    }
    switch (n->kind) {
    case LEAF_CONSTANT: made[i] = tdm_expr_constant(b, n->value); break;
    case LEAF_ATTR: made[i] = tdm_expr_attr(b, n->index); break;
    case LEAF_SUM: made[i] = tdm_expr_sum(b, n->index); break;
    case LEAF_GPU: made[i] = tdm_expr_gpu(b, n->index); break;
    case LEAF_BATCH: made[i] = tdm_expr_batch(b); break;
    case LEAF_DRAW: made[i] = tdm_expr_draw(b, exponential(0.7), n->index); break;
    case LEAF_INTERP: made[i] = tdm_expr_interp(b, arguments[0], curve, 4); break;
    default: made[i] = tdm_expr_apply(b, (tdm_expr_op)n->kind, arguments, count);
    }
  }
}

static void random_graphs_equal_direct_arithmetic(void **state) {
  (void)state;
  enum { REQUESTS = 600, GRAPHS = 400 };
  static double columns[SLOTS][REQUESTS];
  static uint64_t n[REQUESTS];
  static double out[REQUESTS];
  tdm_rng rng = {42};
  tdm_dist *dist = exponential(0.7);
  const double *pointers[SLOTS];
  size_t finite = 0;
  for (size_t s = 0; s < SLOTS; s++) pointers[s] = columns[s];
  for (int graph = 0; graph < GRAPHS; graph++) {
    model_node nodes[NODES];
    tdm_expr_node made[NODES];
    tdm_expr_builder *b = tdm_expr_builder_new();
    random_graph(&rng, nodes, b, made);
    tdm_expr *expr = finished(b, made[NODES - 1]);
    for (size_t i = 0; i < REQUESTS; i++) {
      n[i] = tdm_rng_bits(&rng) >> 20;
      for (size_t s = 0; s < SLOTS; s++) columns[s][i] = 8 * tdm_rng_unit(&rng) - 3;
    }
    double sums[SLOTS] = {5, -6, 0.25, 8}, gpu[SLOTS] = {1e3, 0.1, 2, -4};
    for (int batched = 0; batched < 2; batched++) {
      tdm_expr_input input = {.gpu = gpu, .batch = 3, .stream = {(uint64_t)graph}};
      if (batched) input.sums = sums;
      tdm_expr_eval_many(expr, &input, pointers, n, REQUESTS, out);
      for (size_t i = 0; i < REQUESTS; i++) {
        double attrs[SLOTS];
        for (size_t s = 0; s < SLOTS; s++) attrs[s] = columns[s][i];
        input.attrs = attrs;
        input.n = n[i];
        double expected = direct(nodes, &input, dist);
        assert_true(same(tdm_expr_eval(expr, &input), expected));
        assert_true(same(out[i], expected));
        finite += isfinite(expected) && !tdm_expr_is_constant(expr, NULL);
      }
    }
    tdm_expr_free(expr);
  }
  tdm_dist_free(dist);
  assert_true(finite > (size_t)GRAPHS * REQUESTS); /* more than half: the test tests something */
}

static void a_shared_value_in_every_place_survives_register_reuse(void **state) {
  (void)state;
  double gpu = 3, column[300], out[300];
  for (int i = 0; i < 300; i++) column[i] = i - 150;
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr_node whole = apply1(b, TDM_EXPR_NEG, tdm_expr_gpu(b, 0)); /* the same for all requests */
  tdm_expr_node each = apply1(b, TDM_EXPR_ABS, tdm_expr_attr(b, 0));
  tdm_expr_node test = apply2(b, TDM_EXPR_LT, tdm_expr_attr(b, 0), tdm_expr_constant(b, 0));
  tdm_expr_node root = tdm_expr_apply(b, TDM_EXPR_SELECT, (tdm_expr_node[]){test, whole, each}, 3);
  tdm_expr *expr = finished(b, apply2(b, TDM_EXPR_MUL, root, root));
  tdm_expr_input input = {.gpu = &gpu, .batch = 1};
  const double *columns[] = {column};
  tdm_expr_eval_many(expr, &input, columns, NULL, 300, out);
  for (int i = 0; i < 300; i++) {
    input.attrs = &column[i];
    assert_true(out[i] == (i < 150 ? 9 : (i - 150.0) * (i - 150.0)));
    assert_true(tdm_expr_eval(expr, &input) == out[i]);
  }
  tdm_expr_free(expr);
}

/* Σ of `count` values that all live until the end. */
static tdm_status wide(size_t count, tdm_expr **expr, tdm_error *error) {
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr_node *terms = malloc(count * sizeof *terms);
  assert_non_null(terms);
  for (size_t i = 0; i < count; i++) {
    terms[i] = apply2(b, TDM_EXPR_MUL, tdm_expr_attr(b, 0), tdm_expr_constant(b, (double)i + 2));
  }
  tdm_expr_node root = tdm_expr_apply(b, TDM_EXPR_ADD, terms, count);
  free(terms);
  return tdm_expr_finish(b, root, expr, error);
}

static void wide_expressions_work_up_to_a_stated_limit(void **state) {
  (void)state;
  tdm_expr *expr;
  tdm_error error;
  assert_int_equal(wide(250, &expr, &error), TDM_OK);
  double column[100], out[100];
  for (int i = 0; i < 100; i++) column[i] = i;
  const double *columns[] = {column};
  tdm_expr_input input = {.batch = 1};
  tdm_expr_eval_many(expr, &input, columns, NULL, 100, out);
  for (int i = 0; i < 100; i++) assert_true(out[i] == i * (250 * 251 / 2.0 + 250));
  tdm_expr_free(expr);
  assert_int_equal(wide(300, &expr, &error), TDM_LIMIT);
  assert_null(expr);
  assert_non_null(strstr(error.message, "intermediate values"));
}

static void deep_expressions_need_no_stack(void **state) {
  (void)state;
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr_node node = tdm_expr_attr(b, 0), step = tdm_expr_gpu(b, 0);
  for (int i = 0; i < 20000; i++) node = apply2(b, TDM_EXPR_ADD, node, step);
  tdm_expr *expr = finished(b, node);
  double attr = 5, gpu = 1;
  tdm_expr_input input = {.attrs = &attr, .gpu = &gpu, .batch = 1};
  assert_true(tdm_expr_eval(expr, &input) == 20005);
  tdm_expr_free(expr);
}

static void expect_failure(tdm_expr_builder *b, tdm_expr_node root, tdm_status status,
                           const char *text) {
  tdm_expr *expr = (tdm_expr *)&status;
  tdm_error error;
  assert_int_equal(tdm_expr_finish(b, root, &expr, &error), status);
  assert_null(expr);
  if (strstr(error.message, text) == NULL) assert_string_equal(error.message, text);
}

static void the_first_problem_is_reported(void **state) {
  (void)state;
  const double falling[] = {1, 0, 1, 2}, infinite[] = {1, INFINITY};
  tdm_expr_builder *b = tdm_expr_builder_new();
  tdm_expr_node x = tdm_expr_attr(b, 0);
  tdm_expr_node bad = tdm_expr_apply(b, TDM_EXPR_DIV, &x, 1);
  bad = tdm_expr_interp(b, apply1(b, TDM_EXPR_NEG, bad), falling, 2);
  expect_failure(b, apply2(b, TDM_EXPR_ADD, bad, tdm_expr_draw(b, exponential(1), 0)), TDM_INVALID,
                 "div takes 2 arguments, not 1");
  b = tdm_expr_builder_new();
  expect_failure(b, tdm_expr_apply(b, TDM_EXPR_ADD, NULL, 0), TDM_INVALID,
                 "add takes 2 or more arguments, not 0");
  b = tdm_expr_builder_new();
  expect_failure(b, tdm_expr_interp(b, tdm_expr_attr(b, 0), falling, 2), TDM_INVALID,
                 "point 2 has 1 after 1");
  b = tdm_expr_builder_new();
  expect_failure(b, tdm_expr_interp(b, tdm_expr_attr(b, 0), infinite, 1), TDM_INVALID,
                 "is not finite");
  b = tdm_expr_builder_new();
  expect_failure(b, tdm_expr_interp(b, tdm_expr_attr(b, 0), NULL, 0), TDM_INVALID,
                 "at least one point");
  b = tdm_expr_builder_new();
  expect_failure(b, tdm_expr_attr(b, TDM_EXPR_ATTRS_MAX), TDM_LIMIT, "at most 64");
  b = tdm_expr_builder_new();
  expect_failure(b, 7, TDM_BUG, "does not exist");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_compute_what_lua_does),
      cmocka_unit_test(operators_are_found_by_name),
      cmocka_unit_test(long_sums_fold_from_the_left),
      cmocka_unit_test(interpolation_is_linear_and_clamped),
      cmocka_unit_test(inputs_are_read_from_their_places),
      cmocka_unit_test(an_input_alone_is_an_expression),
      cmocka_unit_test(dead_parts_leave_no_trace),
      cmocka_unit_test(draws_are_neither_merged_nor_folded),
      cmocka_unit_test(a_scaled_draw_is_recognised),
      cmocka_unit_test(scripts_reach_the_draw),
      cmocka_unit_test(random_graphs_equal_direct_arithmetic),
      cmocka_unit_test(a_shared_value_in_every_place_survives_register_reuse),
      cmocka_unit_test(wide_expressions_work_up_to_a_stated_limit),
      cmocka_unit_test(deep_expressions_need_no_stack),
      cmocka_unit_test(moments_of_sums_and_products_are_exact),
      cmocka_unit_test(moments_of_what_hangs_together_are_not_known),
      cmocka_unit_test(the_first_problem_is_reported),
  };
  return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
