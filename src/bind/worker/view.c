/* The request object that hooks see, `r`: which fields it has and how they are answered.
 *
 * The first read of a field misses, is answered by __index from the current view and noted; later
 * calls of that function find the field filled in. Called by hooks.c and process.c. */
#include <lauxlib.h>
#include <string.h>

#include "bind/worker/inside.h"

const char *const tdm_view_fields[TDM_FIELDS] = {
    "id", "time", "now", "arrival", "waited", "class", "stage", "gpu", "batch", "sum", "outcome"};

/* The names that a traced cost function may not shadow with an attribute
 * (lua/tandem/expr/tracing.lua). */
static bool is_reserved(uint32_t field) {
  return field != TDM_FIELD_TIME && field != TDM_FIELD_WAITED && field != TDM_FIELD_STAGE &&
         field != TDM_FIELD_OUTCOME;
}

/* ---- unknown fields */

int tdm_view_unknown(lua_State *L, int names, const char *what, const char *word) {
  tdm_worker_push_helper(L, "unknown");
  lua_pushstring(L, what);
  lua_pushstring(L, word);
  lua_pushvalue(L, names);
  lua_call(L, 3, 1);
  return luaL_error(L, "%s", lua_tostring(L, -1));
}

/* ---- GPUs */

static int unknown_parameter(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  return tdm_view_unknown(L, 1, "the GPU", lua_tostring(L, 2));
}

/* { name = …, flops = …, … }, kept for the replication. */
static void push_gpu(lua_State *L, const tdm_worker *w, uint32_t gpu) {
  tdm_worker_push_fixed(L, TDM_AT_GPUS);
  if (lua_rawgeti(L, -1, (lua_Integer)gpu + 1) != LUA_TNIL) {
    lua_remove(L, -2);
    return;
  }
  lua_pop(L, 1);
  const tdm_gpu *g = &w->model->gpus[gpu];
  lua_createtable(L, 0, (int)w->model->param_count + 2);
  for (size_t i = 0; i < w->model->param_count; i++) {
    double value = g->params[i];
    if (value != value) continue; /* this GPU has no such parameter */
    lua_pushnumber(L, value);
    lua_setfield(L, -2, w->model->params[i]);
  }
  lua_pushstring(L, g->name);
  lua_setfield(L, -2, "name");
  if (g->kind != NULL) {
    lua_pushstring(L, g->kind);
    lua_setfield(L, -2, "kind");
  }
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, unknown_parameter);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, (lua_Integer)gpu + 1);
  lua_remove(L, -2);
}

/* ---- fields */

static double seconds(int64_t ns) {
  return (double)ns / 1e9;
}

static void push_item(lua_State *L, int fixed, lua_Integer item) {
  tdm_worker_push_fixed(L, fixed);
  lua_rawgeti(L, -1, item);
  lua_remove(L, -2);
}

static void push_sums(lua_State *L, tdm_worker *w, uint32_t function);

/* Pushes a field's value. */
static void push_other_field(lua_State *L, tdm_worker *w, const tdm_lens *lens, tdm_field field) {
  const tdm_view *view = w->view;
  switch (field) {
  case TDM_FIELD_ID: lua_pushinteger(L, (lua_Integer)view->ordinal + 1); break;
  case TDM_FIELD_TIME:
  case TDM_FIELD_NOW: lua_pushnumber(L, seconds(view->now_ns)); break;
  case TDM_FIELD_ARRIVAL: lua_pushnumber(L, seconds(view->arrival_ns)); break;
  case TDM_FIELD_WAITED: lua_pushnumber(L, seconds(view->wait_ns)); break;
  case TDM_FIELD_CLASS: push_item(L, TDM_AT_CLASSES, (lua_Integer)view->class_index + 1); break;
  case TDM_FIELD_STAGE: push_item(L, TDM_AT_STAGES, (lua_Integer)view->stage + 1); break;
  case TDM_FIELD_GPU:
    if (view->gpu != TDM_NO_INDEX)
      push_gpu(L, w, view->gpu);
    else
      lua_pushnil(L);
    break;
  case TDM_FIELD_BATCH: lua_pushnumber(L, view->batch); break;
  case TDM_FIELD_SUM:
    if (lens->function < w->function_count)
      push_sums(L, w, lens->function);
    else
      lua_pushnil(L); /* a process is never a batch */
    break;
  case TDM_FIELD_OUTCOME:
    if (view->outcome != NULL)
      lua_pushstring(L, view->outcome);
    else
      lua_pushnil(L);
    break;
  case TDM_FIELDS: lua_pushnil(L); break;
  }
}

static inline void push_field(lua_State *L, tdm_worker *w, const tdm_lens *lens, uint32_t code) {
  const tdm_view *view = w->view;
  tdm_view_look(w->view);
  if (code >= w->attr_count) {
    push_other_field(L, w, lens, (tdm_field)(code - w->attr_count));
    return;
  }
  const double *values = lens->sums && view->sums != NULL ? view->sums : view->attrs;
  if (values != NULL)
    lua_pushnumber(L, values[code]);
  else
    lua_pushnil(L);
}

/* r.sum: filled anew, for its fields are of an earlier call. */
static void push_sums(lua_State *L, tdm_worker *w, uint32_t function) {
  const tdm_lens *lens = &w->sum_lenses[function];
  push_item(L, TDM_AT_SUMS, (lua_Integer)function + 1);
  for (uint32_t i = 0; i < lens->count; i++) {
    push_item(L, TDM_AT_KEYS, (lua_Integer)lens->codes[i] + 1);
    push_field(L, w, lens, lens->codes[i]);
    lua_rawset(L, -3);
  }
}

/* Runs where the worker's stack indices hold: no detour over the registry for what is common. */
void tdm_view_fill(tdm_worker *w, const tdm_lens *lens, int index) {
  lua_State *L = w->L;
  tdm_view_look(w->view);
  for (uint32_t i = 0; i < lens->count; i++) {
    uint32_t code = lens->codes[i];
    lua_pushvalue(L, w->first_key + (int)code);
    if (code == w->attr_count + TDM_FIELD_GPU && w->view->gpu != TDM_NO_INDEX) {
      if (lua_rawgeti(L, TDM_AT_GPUS, (lua_Integer)w->view->gpu + 1) == LUA_TNIL) {
        lua_pop(L, 1);
        push_field(L, w, lens, code);
      }
    } else {
      push_field(L, w, lens, code);
    }
    lua_rawset(L, index);
  }
}

static bool is_prefetched(const tdm_lens *lens, uint32_t code) {
  for (uint32_t i = 0; i < lens->count; i++)
    if (lens->codes[i] == code) return true;
  return false;
}

/* __index of a request; upvalues: its lens, the table of field names. */
static int index_request(lua_State *L) {
  tdm_lens *lens = lua_touserdata(L, lua_upvalueindex(1));
  tdm_worker *w = lens->worker;
  const char *what = lens->sums ? "r.sum" : lens->function < w->function_count ? "a request" : "p";
  if (lua_type(L, 2) != LUA_TSTRING)
    return luaL_error(L, "%s has no field [%s]", what, luaL_typename(L, 2));
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNUMBER)
    return tdm_view_unknown(L, lua_upvalueindex(2), what, lua_tostring(L, 2));
  uint32_t code = (uint32_t)lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (w->view == NULL)
    return luaL_error(L, "%s is kept from an earlier call; copy the fields you need", what);
  if (lens->prefetch && lens->count < TDM_LENS_FIELDS && !is_prefetched(lens, code))
    lens->codes[lens->count++] = code;
  push_field(L, w, lens, code);
  return 1;
}

static int refuse_assignment(lua_State *L) {
  return luaL_error(L,
                    "a request cannot be changed by a function (field '%s'); give the class "
                    "attrs = { … } instead",
                    lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2));
}

static int refuse_pairs(lua_State *L) {
  return luaL_error(L, "a request cannot be listed with pairs; name the fields");
}

void tdm_view_push_metatable(lua_State *L, tdm_lens *lens) {
  lua_createtable(L, 0, 4);
  lua_pushlightuserdata(L, lens);
  lua_pushvalue(L, TDM_AT_FIELDS);
  lua_pushcclosure(L, index_request, 2);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, refuse_assignment);
  lua_setfield(L, -2, "__newindex");
  lua_pushcfunction(L, refuse_pairs);
  lua_setfield(L, -2, "__pairs");
  lua_pushliteral(L, "request");
  lua_setfield(L, -2, "__metatable");
}

/* ---- set-up */

static void push_names(lua_State *L, const tdm_model *model) {
  lua_createtable(L, (int)model->class_count, 0);
  for (size_t i = 0; i < model->class_count; i++) {
    lua_pushstring(L, model->classes[i].name);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_replace(L, TDM_AT_CLASSES);
  lua_createtable(L, (int)model->stage_count, 0);
  for (size_t i = 0; i < model->stage_count; i++) {
    lua_pushstring(L, model->stages[i].name);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_replace(L, TDM_AT_STAGES);
}

static void set_code(lua_State *L, const char *name, uint32_t code) {
  lua_pushinteger(L, code);
  lua_setfield(L, TDM_AT_FIELDS, name);
}

/* Names of the fields by code, as a list and on the stack. */
static void push_keys(lua_State *L, tdm_worker *w) {
  const tdm_model *model = w->model;
  for (uint32_t i = 0; i < TDM_FIELDS; i++) set_code(L, tdm_view_fields[i], w->attr_count + i);
  w->first_key = lua_gettop(L) + 1;
  for (uint32_t i = 0; i < w->attr_count + TDM_FIELDS; i++) {
    const char *name = i < w->attr_count ? model->attrs[i] : tdm_view_fields[i - w->attr_count];
    lua_pushstring(L, name);
    lua_pushvalue(L, -1);
    lua_rawseti(L, TDM_AT_KEYS, (lua_Integer)i + 1);
    bool taken = i >= w->attr_count;
    for (uint32_t k = 0; k < TDM_FIELDS; k++)
      taken = taken || (is_reserved(k) && strcmp(name, tdm_view_fields[k]) == 0);
    if (!taken) set_code(L, name, i);
  }
}

/* r, or r.sum: room for all fields it may hold, so that filling never allocates. */
static void push_request(lua_State *L, tdm_lens *lens) {
  lua_createtable(L, 0, 2 * TDM_LENS_FIELDS);
  tdm_view_push_metatable(L, lens);
  lua_setmetatable(L, -2);
}

static bool is_event(const tdm_worker *w, uint32_t function) {
  for (int i = 0; i < TDM_HOOK_EVENTS; i++)
    if (w->functions.events[i] == function) return true;
  return w->functions.admit == function;
}

/* Of the function on top. */
static bool takes_request(lua_State *L) {
  lua_Debug ar;
  if (!lua_isfunction(L, -1)) return true;
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">u", &ar);
  return ar.nparams > 0 || ar.isvararg != 0;
}

void tdm_view_open(lua_State *L, tdm_worker *w) {
  luaL_checkstack(L, (int)(2 * w->function_count + w->attr_count + 64), "functions of a scenario");
  push_names(L, w->model);
  push_keys(L, w);
  w->first_function = lua_gettop(L) + 1;
  for (uint32_t i = 0; i < w->function_count; i++) {
    /* What a function reads is learnt once and stays known over replications. */
    tdm_lens *lens = &w->lenses[i], *sums = &w->sum_lenses[i];
    lens->worker = sums->worker = w;
    lens->function = sums->function = i;
    lens->prefetch = sums->prefetch = !is_event(w, i);
    sums->sums = true;
    push_request(L, sums);
    lua_rawseti(L, TDM_AT_SUMS, (lua_Integer)i + 1);
    lua_rawgeti(L, TDM_AT_FUNCTIONS, (lua_Integer)i + 1);
    lens->taken = takes_request(L);
    push_request(L, lens);
  }
  w->process_lens = (tdm_lens){.worker = w, .function = UINT32_MAX};
}
