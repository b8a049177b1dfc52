/* Builds distributions and expressions from their table forms. Owns the spelling of both: the
 * names of families, their keys, the operators that are not expr.c's. See formula.h. */
#include "bind/formula.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- distributions */

typedef tdm_status (*dist_maker)(tdm_reader *r, tdm_dist **out, tdm_error *error);

static tdm_status make_constant(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  return tdm_dist_constant(tdm_read_number(r, "value"), out, error);
}

static tdm_status make_uniform(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  double min = tdm_read_number(r, "min");
  return tdm_dist_uniform(min, tdm_read_number(r, "max"), out, error);
}

static tdm_status make_exponential(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  return tdm_dist_exponential(tdm_read_number(r, "mean"), out, error);
}

static tdm_status make_normal(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  double mean = tdm_read_number(r, "mean"), sd = tdm_read_number(r, "sd");
  double min = tdm_read_number_or(r, "min", 0), max = tdm_read_number_or(r, "max", INFINITY);
  return tdm_dist_normal(mean, sd, min, max, out, error);
}

/* "p50" is 50, "p99.9" and "p999" are 99.9; 0 for any other key. */
static double percentile_of(const char *key) {
  if (key[0] != 'p' || key[1] < '0' || key[1] > '9') return 0;
  char *end;
  double percent = strtod(key + 1, &end);
  if (*end != '\0') return 0;
  while (percent > 100) percent /= 10;
  return percent;
}

static tdm_status make_lognormal(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  if (tdm_read_has(r, "mean")) {
    double mean = tdm_read_number(r, "mean");
    return tdm_dist_lognormal(mean, tdm_read_number(r, "cv"), out, error);
  }
  double percents[2] = {0, 0}, values[2] = {0, 0};
  size_t count = 0;
  for (lua_pushnil(r->L); lua_next(r->L, -2) != 0; lua_pop(r->L, 1)) {
    if (lua_type(r->L, -2) != LUA_TSTRING || lua_type(r->L, -1) != LUA_TNUMBER) continue;
    double percent = percentile_of(lua_tostring(r->L, -2));
    if (!(percent > 0)) continue;
    if (count < 2) {
      percents[count] = percent;
      values[count] = lua_tonumber(r->L, -1);
    }
    count++;
  }
  if (count != 2) {
    tdm_read_fail(r, "a lognormal wants mean and cv, or two percentiles such as p50 and p99");
    return TDM_OK;
  }
  size_t low = percents[0] < percents[1] ? 0 : 1; /* not in the table's order, which may vary */
  return tdm_dist_lognormal_percentiles(percents[low], values[low], percents[1 - low],
                                        values[1 - low], out, error);
}

static tdm_status make_gamma(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  double mean = tdm_read_number(r, "mean");
  return tdm_dist_gamma(mean, tdm_read_number(r, "cv"), out, error);
}

static tdm_status make_erlang(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  double k = tdm_read_number(r, "k");
  return tdm_dist_erlang(k, tdm_read_number(r, "mean"), out, error);
}

static tdm_status make_weibull(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  if (tdm_read_has(r, "shape")) {
    double shape = tdm_read_number(r, "shape");
    return tdm_dist_weibull_shape(shape, tdm_read_number(r, "scale"), out, error);
  }
  double mean = tdm_read_number(r, "mean");
  return tdm_dist_weibull(mean, tdm_read_number(r, "cv"), out, error);
}

static tdm_status make_pareto(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  double min = tdm_read_number(r, "min"), max = tdm_read_number_or(r, "max", INFINITY);
  return tdm_dist_pareto(min, max, tdm_read_number(r, "alpha"), out, error);
}

static tdm_status make_zipf(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  double n = tdm_read_number(r, "n");
  return tdm_dist_zipf(n, tdm_read_number(r, "s"), out, error);
}

typedef tdm_status (*two_lists)(const double *a, const double *b, size_t count, tdm_dist **out,
                                tdm_error *error);

/* Two lists, the second `extra` items longer than the first; the maker gets the first one's count.
 */
static tdm_status make_lists(tdm_reader *r, const char *key_a, const char *key_b, size_t extra,
                             bool b_optional, two_lists make, tdm_dist **out, tdm_error *error) {
  size_t count_a, count_b = 0;
  double *a = tdm_read_numbers(r, key_a, &count_a), *b = NULL;
  if (!b_optional || tdm_read_has(r, key_b)) {
    b = tdm_read_numbers(r, key_b, &count_b);
    if (count_b != count_a + extra)
      tdm_read_fail(r, "%s has %zu items, %s has %zu", key_a, count_a, key_b, count_b);
  }
  tdm_status status = TDM_OK;
  if (r->status == TDM_OK) status = make(a, b, count_a, out, error);
  free(a);
  free(b);
  return status;
}

static tdm_status make_hyperexponential(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  return make_lists(r, "weights", "means", 0, false, tdm_dist_hyperexponential, out, error);
}

static tdm_status make_empirical(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  return make_lists(r, "values", "weights", 0, true, tdm_dist_empirical, out, error);
}

static tdm_status histogram_of(const double *counts, const double *edges, size_t bins,
                               tdm_dist **out, tdm_error *error) {
  return tdm_dist_histogram(edges, counts, bins, out, error);
}

static tdm_status make_histogram(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  return make_lists(r, "counts", "edges", 1, false, histogram_of, out, error);
}

static tdm_status make_mixture(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  size_t count = 0;
  double *weights = tdm_read_numbers(r, "weights", &count);
  tdm_dist **parts = tdm_array_new(count, sizeof *parts);
  tdm_read_allocated(r, parts, "a mixture");
  size_t mark = tdm_read_open(r, "parts");
  size_t length = tdm_read_length(r);
  if (length != count) tdm_read_fail(r, "%zu parts for %zu weights", length, count);
  for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
    size_t item = tdm_read_open_item(r, i + 1);
    parts[i] = tdm_read_dist_here(r);
    tdm_read_close(r, item);
  }
  tdm_read_close(r, mark);
  tdm_status status = TDM_OK;
  if (r->status == TDM_OK) status = tdm_dist_mixture(weights, parts, count, out, error);
  if (*out == NULL && parts != NULL)
    for (size_t i = 0; i < count; i++) tdm_dist_free(parts[i]);
  free(parts);
  free(weights);
  return status;
}

static tdm_status make_lua(tdm_reader *r, tdm_dist **out, tdm_error *error) {
  uint32_t function = tdm_read_function(r, "fn");
  if (function == TDM_NO_INDEX) {
    tdm_read_fail(r, "fn is missing");
    return TDM_OK;
  }
  return tdm_dist_lua(function, out, error);
}

static const struct {
  const char *name;
  dist_maker make;
} families[] = {{"constant", make_constant},
                {"uniform", make_uniform},
                {"exponential", make_exponential},
                {"normal", make_normal},
                {"lognormal", make_lognormal},
                {"gamma", make_gamma},
                {"erlang", make_erlang},
                {"hyperexponential", make_hyperexponential},
                {"weibull", make_weibull},
                {"pareto", make_pareto},
                {"zipf", make_zipf},
                {"empirical", make_empirical},
                {"histogram", make_histogram},
                {"mixture", make_mixture},
                {"lua", make_lua}};

static tdm_dist *dist_from_table(tdm_reader *r) {
  const char *name = tdm_read_word(r, "dist");
  if (name == NULL) {
    tdm_read_fail(r, "a distribution is missing its name, dist");
    return NULL;
  }
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    if (strcmp(families[i].name, name) != 0) continue;
    tdm_dist *dist = NULL;
    tdm_error error = {0};
    tdm_read_check(r, families[i].make(r, &dist, &error), &error);
    if (r->status == TDM_OK) return dist;
    tdm_dist_free(dist);
    return NULL;
  }
  tdm_read_fail(r, "there is no distribution \"%s\"", name);
  return NULL;
}

tdm_dist *tdm_read_dist_here(tdm_reader *r) {
  if (r->status != TDM_OK) return NULL;
  if (lua_type(r->L, -1) != LUA_TNUMBER) return tdm_read_table(r) ? dist_from_table(r) : NULL;
  tdm_dist *dist = NULL;
  tdm_error error = {0};
  tdm_read_check(r, tdm_dist_constant(lua_tonumber(r->L, -1), &dist, &error), &error);
  return dist;
}

tdm_dist *tdm_read_dist(tdm_reader *r, const char *key) {
  size_t mark = tdm_read_open(r, key);
  tdm_dist *dist = tdm_read_present(r) ? tdm_read_dist_here(r) : NULL;
  tdm_read_close(r, mark);
  return dist;
}

/* ---- expressions */

typedef struct {
  tdm_expr_builder *builder;
  uint32_t draws; /* children of the stage's stream given out so far */
} expr_state;

static tdm_expr_node node_here(tdm_reader *r, expr_state *state);

static tdm_expr_node node_item(tdm_reader *r, expr_state *state, size_t item) {
  size_t mark = tdm_read_open_item(r, item);
  tdm_expr_node node = node_here(r, state);
  tdm_read_close(r, mark);
  return node;
}

/* The name at item 2, as a slot of `names`. */
static uint32_t slot_item(tdm_reader *r, char *const *names, size_t count, const char *what) {
  uint32_t slot = 0;
  size_t mark = tdm_read_open_item(r, 2);
  if (r->status == TDM_OK) {
    const char *name = lua_type(r->L, -1) == LUA_TSTRING ? lua_tostring(r->L, -1) : "";
    slot = tdm_name_find(names, count, name);
    if (slot == TDM_NO_INDEX) tdm_read_fail(r, "\"%s\" is no %s of this model", name, what);
  }
  tdm_read_close(r, mark);
  return slot;
}

/* Takes dist over. */
static tdm_expr_node draw(tdm_reader *r, expr_state *state, tdm_dist *dist) {
  if (dist == NULL) return 0;
  if (state->draws == TDM_JITTER_CHILD)
    tdm_read_fail(r, "more than %u draws in one cost", TDM_JITTER_CHILD);
  return tdm_expr_draw(state->builder, dist, state->draws++);
}

static tdm_expr_node draw_item(tdm_reader *r, expr_state *state) {
  size_t mark = tdm_read_open_item(r, 2);
  tdm_dist *dist = tdm_read_dist_here(r);
  tdm_read_close(r, mark);
  return draw(r, state, dist);
}

static tdm_expr_node interp(tdm_reader *r, expr_state *state) {
  tdm_expr_node x = node_item(r, state, 2);
  size_t mark = tdm_read_open_item(r, 3);
  size_t length = tdm_read_length(r);
  double *pairs = tdm_array_new(length, sizeof *pairs);
  if (tdm_read_allocated(r, pairs, "a table of points")) {
    if (length == 0 || length % 2 != 0) tdm_read_fail(r, "wants pairs x1,y1,x2,y2,…");
    for (size_t i = 0; i < length; i++) {
      lua_rawgeti(r->L, -1, (lua_Integer)i + 1);
      if (lua_type(r->L, -1) == LUA_TNUMBER)
        pairs[i] = lua_tonumber(r->L, -1);
      else
        tdm_read_fail(r, "item %zu is not a number", i + 1);
      lua_pop(r->L, 1);
    }
  }
  tdm_read_close(r, mark);
  tdm_expr_node node =
      r->status == TDM_OK ? tdm_expr_interp(state->builder, x, pairs, length / 2) : 0;
  free(pairs);
  return node;
}

static tdm_expr_node apply(tdm_reader *r, expr_state *state, const char *name) {
  const tdm_expr_op_info *info = tdm_expr_op_find(name);
  size_t count = tdm_read_length(r) - 1;
  if (info == NULL) {
    tdm_read_fail(r, "there is no operator \"%s\"", name);
    return 0;
  }
  if (count < info->min_arguments || count > info->max_arguments) {
    tdm_read_fail(r, "\"%s\" does not take %zu arguments", name, count);
    return 0;
  }
  tdm_expr_node *arguments = tdm_array_new(count, sizeof *arguments);
  tdm_read_allocated(r, arguments, "an expression");
  for (size_t i = 0; i < count && r->status == TDM_OK; i++)
    arguments[i] = node_item(r, state, i + 2);
  tdm_expr_node node =
      r->status == TDM_OK ? tdm_expr_apply(state->builder, info->op, arguments, count) : 0;
  free(arguments);
  return node;
}

static tdm_expr_node node_from_table(tdm_reader *r, expr_state *state) {
  lua_rawgeti(r->L, -1, 1);
  const char *name = lua_type(r->L, -1) == LUA_TSTRING ? lua_tostring(r->L, -1) : NULL;
  lua_pop(r->L, 1);
  if (name == NULL) return draw(r, state, dist_from_table(r));
  const tdm_model *model = r->model;
  if (strcmp(name, "attr") == 0)
    return tdm_expr_attr(state->builder,
                         slot_item(r, model->attrs, model->attr_count, "request attribute"));
  if (strcmp(name, "sum") == 0)
    return tdm_expr_sum(state->builder,
                        slot_item(r, model->attrs, model->attr_count, "request attribute"));
  if (strcmp(name, "gpu") == 0)
    return tdm_expr_gpu(state->builder,
                        slot_item(r, model->params, model->param_count, "GPU parameter"));
  if (strcmp(name, "batch") == 0) return tdm_expr_batch(state->builder);
  if (strcmp(name, "draw") == 0) return draw_item(r, state);
  if (strcmp(name, "interp") == 0) return interp(r, state);
  return apply(r, state, name);
}

/* The value is the expression. 0 after a problem: the builder is then thrown away. */
static tdm_expr_node node_here(tdm_reader *r, expr_state *state) {
  if (r->status != TDM_OK) return 0;
  switch (lua_type(r->L, -1)) {
  case LUA_TNUMBER: return tdm_expr_constant(state->builder, lua_tonumber(r->L, -1));
  case LUA_TTABLE: return node_from_table(r, state);
  case LUA_TNIL: tdm_read_fail(r, "is missing"); return 0;
  default:
    tdm_read_fail(r, "a number or an expression was expected, not a %s", luaL_typename(r->L, -1));
    return 0;
  }
}

static tdm_expr *expr_here(tdm_reader *r) {
  expr_state state = {.builder = tdm_expr_builder_new()};
  if (!tdm_read_allocated(r, state.builder, "an expression")) return NULL;
  tdm_expr_node root = node_here(r, &state);
  tdm_expr *expr = NULL;
  if (r->status != TDM_OK) {
    tdm_expr_builder_free(state.builder);
    return NULL;
  }
  tdm_error error = {0};
  tdm_read_check(r, tdm_expr_finish(state.builder, root, &expr, &error), &error);
  return expr;
}

/* ---- costs */

/* The number of the function that the value is or holds as `fn`; TDM_NO_INDEX: an expression. */
static uint32_t function_of(tdm_reader *r) {
  if (lua_isfunction(r->L, -1)) return tdm_read_function_here(r);
  if (!lua_istable(r->L, -1)) return TDM_NO_INDEX;
  lua_rawgeti(r->L, -1, 1);
  bool expression = !lua_isnil(r->L, -1);
  lua_pop(r->L, 1);
  return expression || tdm_read_has(r, "dist") ? TDM_NO_INDEX : tdm_read_function(r, "fn");
}

void tdm_read_cost(tdm_reader *r, const char *key, tdm_dist *jitter, tdm_cost *out) {
  size_t mark = tdm_read_open(r, key);
  *out = (tdm_cost){0};
  uint32_t function = r->status == TDM_OK ? function_of(r) : TDM_NO_INDEX;
  tdm_expr *expr = function == TDM_NO_INDEX && r->status == TDM_OK ? expr_here(r) : NULL;
  if (r->status != TDM_OK)
    tdm_dist_free(jitter);
  else if (function != TDM_NO_INDEX)
    tdm_cost_from_function(out, function, jitter);
  else
    tdm_cost_from_expr(out, expr, jitter);
  tdm_read_close(r, mark);
}
