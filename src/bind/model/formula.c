/* Builds cost expressions from their table forms. Owns the spelling of the operators that are not
 * expr.c's; distributions are dist.c's. See value.h. */
#include "bind/model/value.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
    if (slot == TDM_NO_INDEX) tdm_read_fail(r, "this model has no %s \"%s\"", what, name);
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
  if (name == NULL) return draw(r, state, tdm_read_dist_here(r));
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
