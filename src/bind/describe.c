/* core.model_describe(table): what the engine would be given for a model table, as plain data.
 * For `explain --ops` and for tests of the binding. Numbers of things count from 1, as in the table
 * itself; a NONE of the model is an absent field. */
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/model/model.h"
#include "bind/model/value.h"

static const char box_name[] = "tandem.described";

typedef struct {
  tdm_model *model;
  tdm_bind_functions functions;
} box; /* a userdata, so that an error of Lua's on the way frees the model */

static int box_gc(lua_State *L) {
  box *b = luaL_checkudata(L, 1, box_name);
  tdm_model_free(b->model);
  tdm_bind_functions_free(L, &b->functions);
  b->model = NULL;
  return 0;
}

static void set_integer(lua_State *L, const char *key, uint64_t value) {
  lua_pushinteger(L, (lua_Integer)value);
  lua_setfield(L, -2, key);
}

static void set_index(lua_State *L, const char *key, uint32_t index) {
  if (index != TDM_NO_INDEX) set_integer(L, key, (uint64_t)index + 1);
}

static void set_number(lua_State *L, const char *key, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}

static void set_text(lua_State *L, const char *key, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

static void set_names(lua_State *L, const char *key, char *const *names, size_t count) {
  lua_newtable(L);
  for (size_t i = 0; i < count; i++) {
    lua_pushstring(L, names[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, key);
}

/* { kind = …, value | mean | function = …, jitter = text } */
static void set_cost(lua_State *L, const char *key, const tdm_cost *cost) {
  static const char *const kinds[] = {"constant", "exponential", "expression", "function", "given"};
  lua_newtable(L);
  set_text(L, "kind", kinds[cost->kind]);
  if (cost->kind == TDM_COST_CONSTANT) set_number(L, "value", cost->constant);
  if (cost->kind == TDM_COST_EXPONENTIAL) set_number(L, "mean", cost->mean);
  if (cost->kind == TDM_COST_FUNCTION) set_index(L, "function", cost->function);
  if (cost->jitter != NULL) {
    char text[120];
    set_text(L, "jitter", tdm_dist_describe(cost->jitter, text, sizeof text));
  }
  lua_setfield(L, -2, key);
}

static void set_stages(lua_State *L, const tdm_model *m) {
  static const char *const roles[TDM_ROLES] = {"h2d", "gpu", "d2h"};
  lua_newtable(L);
  for (size_t i = 0; i < m->stage_count; i++) {
    const tdm_stage *stage = &m->stages[i];
    lua_newtable(L);
    set_text(L, "name", stage->name);
    set_text(L, "stream", stage->stream);
    set_text(L, "lane", tdm_lane_name(stage->lane));
    set_index(L, "class", stage->class_index);
    set_index(L, "station", stage->station);
    set_index(L, "group", stage->group);
    if (stage->group != TDM_NO_INDEX) set_text(L, "role", roles[stage->role]);
    set_index(L, "batcher", stage->batcher);
    set_index(L, "server", stage->server);
    if (stage->batch.max > 1) {
      set_integer(L, "batch_max", stage->batch.max);
      set_number(L, "batch_wait_s",
                 stage->batch.wait_ns == INT64_MAX ? INFINITY : (double)stage->batch.wait_ns / 1e9);
    }
    set_cost(L, "cost", &stage->cost);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "stages");
}

static void set_choices(lua_State *L, const tdm_model *m, const tdm_op *op) {
  lua_newtable(L);
  for (uint32_t i = 0; i < op->b; i++) {
    lua_newtable(L);
    if (op->code == TDM_OP_BRANCH) set_number(L, "cumulative", m->choices[op->a + i].cumulative);
    set_index(L, "target", m->choices[op->a + i].target);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "choices");
}

static void set_round(lua_State *L, const tdm_op *op) {
  set_index(L, "target", op->a);
  set_index(L, "slot", op->b);
  set_index(L, "draws", op->stream);
  set_integer(L, "max", op->max);
  if (op->again >= 0)
    set_number(L, "again", op->again);
  else if (op->code == TDM_OP_ENTER)
    set_cost(L, "times", &op->cost);
}

static void set_op(lua_State *L, const tdm_model *m, const tdm_op *op) {
  switch (op->code) {
  case TDM_OP_SERVE:
  case TDM_OP_DELAY:
  case TDM_OP_GENERATE:
    set_index(L, "stage", op->a);
    set_text(L, "name", m->stages[op->a].name);
    break;
  case TDM_OP_ROUTE: set_index(L, "group", op->a); break;
  case TDM_OP_SEIZE:
    set_index(L, "draws", op->stream);
    set_cost(L, "bytes", &op->cost); /* fallthrough */
  case TDM_OP_RELEASE:
    set_index(L, "memory", op->a);
    set_index(L, "slot", op->b);
    break;
  case TDM_OP_BRANCH:
    set_index(L, "draws", op->stream);
    set_choices(L, m, op);
    break;
  case TDM_OP_JUMP: set_index(L, "target", op->a); break;
  case TDM_OP_ENTER:
  case TDM_OP_LOOP: set_round(L, op); break;
  case TDM_OP_FORK:
    set_choices(L, m, op);
    set_index(L, "target", op->max);
    break;
  case TDM_OP_PROCESS:
    set_index(L, "function", op->a);
    set_index(L, "stage", op->b);
    set_index(L, "draws", op->stream);
    break;
  case TDM_OP_JOIN:
  case TDM_OP_END: break;
  }
}

static void set_ops(lua_State *L, const tdm_model *m) {
  static const char *const names[] = {"serve",  "delay",   "route",    "seize", "release",
                                      "branch", "jump",    "loop",     "enter", "fork",
                                      "join",   "process", "generate", "end"}; /* tdm_opcode */
  lua_newtable(L);
  for (size_t i = 0; i < m->op_count; i++) {
    lua_newtable(L);
    set_text(L, "op", names[m->ops[i].code]);
    set_op(L, m, &m->ops[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "ops");
}

static void set_classes(lua_State *L, const tdm_model *m) {
  lua_newtable(L);
  for (size_t i = 0; i < m->class_count; i++) {
    lua_newtable(L);
    set_text(L, "name", m->classes[i].name);
    set_index(L, "entry", m->classes[i].entry);
    set_number(L, "rps", tdm_arrivals_rate(m->classes[i].arrivals));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "classes");
}

static void set_hooks(lua_State *L, const tdm_bind_functions *functions) {
  static const char *const events[TDM_HOOK_EVENTS] = {"arrival", "start", "complete", "drop",
                                                      "tick"};
  lua_newtable(L);
  for (int i = 0; i < TDM_HOOK_EVENTS; i++) set_index(L, events[i], functions->events[i]);
  set_index(L, "admit", functions->admit);
  lua_setfield(L, -2, "hooks");
  lua_rawgeti(L, LUA_REGISTRYINDEX, functions->list);
  lua_setfield(L, -2, "functions");
}

/* core.model_describe(table) → description | nil, message, status */
static int describe(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  box *b = lua_newuserdatauv(L, sizeof *b, 0);
  *b = (box){.functions = {.list = LUA_NOREF}};
  luaL_setmetatable(L, box_name);
  tdm_error error = {0};
  tdm_status status = tdm_bind_model(L, 1, &b->model, &b->functions, &error);
  if (status != TDM_OK) {
    lua_pushnil(L);
    lua_pushstring(L, error.message);
    lua_pushinteger(L, status);
    return 3;
  }
  const tdm_model *m = b->model;
  lua_newtable(L);
  set_text(L, "name", m->name);
  if (m->duration_ns != INT64_MAX) set_number(L, "duration_s", (double)m->duration_ns / 1e9);
  if (m->requests != UINT64_MAX) set_integer(L, "requests", m->requests);
  if (m->tick_s > 0) set_number(L, "tick_s", m->tick_s);
  set_names(L, "attrs", m->attrs, m->attr_count);
  set_names(L, "params", m->params, m->param_count);
  set_integer(L, "gpus", m->gpu_count);
  set_integer(L, "stations", m->station_count);
  set_integer(L, "links", m->link_count);
  set_integer(L, "memories", m->memory_count);
  set_integer(L, "groups", m->group_count);
  set_integer(L, "slots", m->state_slots);
  set_integer(L, "batchers", m->batcher_count);
  set_classes(L, m);
  set_stages(L, m);
  set_ops(L, m);
  set_hooks(L, &b->functions);
  return 1;
}

void tdm_bind_open_describe(lua_State *L) {
  luaL_newmetatable(L, box_name);
  lua_pushcfunction(L, box_gc);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  lua_pushcfunction(L, describe);
  lua_setfield(L, -2, "model_describe");
}
