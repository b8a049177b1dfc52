/* Visits for Lua: core.visits(view, spec?) → visits | nil, message, code: a capture through a map,
 * or a simulated run without one; core.visits_of(tables) → visits | nil, message, code.
 *
 * visits:head(), visits:requests(), visits:of(stage), visits:left() make tables of what is asked,
 * columns as lists. Stages are numbered in order of the pipeline. Owns the visits; the form for
 * people is lua/tandem/visits. */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/visits/visits.h"
#include "base/memory.h"
#include "bind/analysis.h"
#include "bind/bind.h"
#include "bind/visit_map.h"

static const char type_name[] = "tandem.visits (C)";

typedef struct {
  tdm_visit_map map;
  tdm_mapped mapped;
  tdm_simulated_visits simulated;
  tdm_visits given;
  tdm_pieces pieces; /* while visits are made of tables */
  int64_t *arrival_ns, *end_ns;
  tdm_visit_stage *stage;
  uint32_t stages;
  const tdm_visits *visits; /* one of the above */
} made;

static int close_made(lua_State *L) {
  made *m = luaL_checkudata(L, 1, type_name);
  tdm_visit_map_close(&m->map);
  tdm_mapped_close(&m->mapped);
  tdm_simulated_visits_close(&m->simulated);
  tdm_visits_close(&m->given);
  for (uint32_t i = 0; i < m->stages; i++) free(m->stage[i].name);
  free(m->stage);
  free(m->pieces.piece);
  free(m->arrival_ns);
  free(m->end_ns);
  *m = (made){0};
  return 0;
}

static made *new_made(lua_State *L) {
  made *m = lua_newuserdatauv(L, sizeof *m, 1);
  *m = (made){0};
  luaL_setmetatable(L, type_name);
  return m;
}

/* core.visits(view, spec?) */
static int of_run(lua_State *L) {
  tdm_run_view *view = tdm_bind_view(L, 1);
  lua_settop(L, 2);
  made *m = new_made(L);
  tdm_error error;
  tdm_status status = TDM_OK;
  lua_pushvalue(L, 1); /* names are the view's */
  lua_setiuservalue(L, 3, 1);
  if (lua_isnil(L, 2)) {
    status = tdm_simulated_visits_open(view, &m->simulated, &error);
    m->visits = &m->simulated.visits;
  } else {
    status = tdm_bind_read_map(L, 2, &m->map, &error);
    if (status == TDM_OK) status = tdm_mapped_open(view, &m->map, &m->mapped, &error);
    m->visits = &m->mapped.visits;
  }
  if (status == TDM_OK) status = tdm_run_view_sound(view, &error);
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  lua_settop(L, 3);
  return 1;
}

/* ---- from tables ---- */

static int64_t integer_at(lua_State *L, int list, size_t i, const char *what) {
  int is_integer = 0;
  lua_rawgeti(L, list, (lua_Integer)i + 1);
  int64_t value = lua_tointegerx(L, -1, &is_integer);
  if (!is_integer)
    luaL_error(L, "%s[%d] is %s; wanted an integer", what, (int)i + 1, luaL_typename(L, -1));
  lua_pop(L, 1);
  return value;
}

static int64_t *times(lua_State *L, int at, const char *key, size_t *count) {
  lua_getfield(L, at, key);
  luaL_checktype(L, -1, LUA_TTABLE);
  *count = lua_rawlen(L, -1);
  int64_t *list = tdm_array_new(*count + 1, sizeof *list);
  if (list == NULL) luaL_error(L, "not enough memory");
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i + 1);
    list[i] = lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return list;
}

static void read_stages(lua_State *L, int at, made *m) {
  lua_getfield(L, at, "stages");
  luaL_checktype(L, -1, LUA_TTABLE);
  int list = lua_gettop(L);
  size_t count = lua_rawlen(L, list);
  m->stage = tdm_array_new(count + 1, sizeof *m->stage);
  if (m->stage == NULL) luaL_error(L, "not enough memory");
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    m->stages = (uint32_t)i + 1;
    lua_getfield(L, -1, "name");
    m->stage[i].name = tdm_string_copy(luaL_checkstring(L, -1));
    if (m->stage[i].name == NULL) luaL_error(L, "not enough memory");
    lua_getfield(L, -2, "lane");
    m->stage[i].lane = tdm_bind_check_lane(L, luaL_optstring(L, -1, "OTHER"));
    lua_getfield(L, -3, "capacity");
    m->stage[i].capacity = luaL_optinteger(L, -1, TDM_NONE);
    lua_pop(L, 4);
  }
  lua_pop(L, 1);
}

/* Lists of a piece's numbers; besides them bytes (false: not told) and wait. */
enum { COLUMN_REQUEST, COLUMN_STAGE, COLUMN_RESOURCE, COLUMN_START, COLUMN_END, COLUMNS };

static void read_pieces(lua_State *L, int at, size_t requests, made *m) {
  static const char *const names[COLUMNS] = {"request", "stage", "resource", "start_ns", "end_ns"};
  int column = lua_gettop(L) + 1;
  for (int c = 0; c < COLUMNS; c++) {
    lua_getfield(L, at, names[c]);
    luaL_checktype(L, -1, LUA_TTABLE);
  }
  lua_getfield(L, at, "bytes");
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_getfield(L, at, "wait");
  luaL_checktype(L, -1, LUA_TTABLE);
  size_t count = lua_rawlen(L, column);
  for (size_t i = 0; i < count; i++) {
    int64_t value[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) value[c] = integer_at(L, column + c, i, names[c]);
    luaL_argcheck(L, value[COLUMN_REQUEST] >= 1 && (uint64_t)value[COLUMN_REQUEST] <= requests, at,
                  "no such request");
    luaL_argcheck(L, value[COLUMN_STAGE] >= 1 && value[COLUMN_STAGE] <= m->stages, at,
                  "no such stage");
    luaL_argcheck(L, value[COLUMN_END] >= value[COLUMN_START], at, "a piece ends before it begins");
    lua_rawgeti(L, column + COLUMNS, (lua_Integer)i + 1);
    int64_t bytes = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : TDM_NONE;
    lua_rawgeti(L, column + COLUMNS + 1, (lua_Integer)i + 1);
    tdm_piece piece = {.request = (uint32_t)value[COLUMN_REQUEST] - 1,
                       .stage = (uint32_t)value[COLUMN_STAGE] - 1,
                       .resource = (uint32_t)value[COLUMN_RESOURCE],
                       .is_wait = lua_toboolean(L, -1) != 0,
                       .start_ns = value[COLUMN_START],
                       .end_ns = value[COLUMN_END],
                       .bytes = bytes};
    lua_pop(L, 2);
    if (!tdm_pieces_add(&m->pieces, piece)) luaL_error(L, "not enough memory");
  }
  lua_pop(L, COLUMNS + 2);
}

/* core.visits_of { stages, arrival_ns, end_ns, pieces = { request = { … }, … }, tells_waits } */
static int of_tables(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  luaL_checkstack(L, 24, "visits");
  made *m = new_made(L);
  size_t requests, ends;
  read_stages(L, 1, m);
  m->arrival_ns = times(L, 1, "arrival_ns", &requests);
  m->end_ns = times(L, 1, "end_ns", &ends);
  luaL_argcheck(L, requests == ends, 1, "as many ends as arrivals");
  lua_getfield(L, 1, "pieces");
  luaL_checktype(L, -1, LUA_TTABLE);
  read_pieces(L, 3, requests, m);
  lua_getfield(L, 1, "tells_waits");
  tdm_visit_input input = {.requests = requests,
                           .arrival_ns = m->arrival_ns,
                           .end_ns = m->end_ns,
                           .stage = m->stage,
                           .stages = m->stages,
                           .pieces = &m->pieces,
                           .tells_waits = lua_toboolean(L, -1) != 0};
  tdm_error error;
  tdm_status status = tdm_visits_make(&input, &m->given, &error);
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  m->visits = &m->given;
  lua_settop(L, 2);
  return 1;
}

/* ---- what is asked ---- */

static made *check_made(lua_State *L) {
  made *m = luaL_checkudata(L, 1, type_name);
  if (m->visits == NULL) luaL_error(L, "these visits are closed");
  return m;
}

static void set_integer(lua_State *L, const char *key, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, key);
}

/* visits:head() → { count, stages = { { name, lane, concurrency, capacity?, count, given } … } } */
static int head(lua_State *L) {
  const tdm_visits *v = check_made(L)->visits;
  lua_createtable(L, 0, 3);
  set_integer(L, "count", (int64_t)v->requests);
  if (v->requests > 0) set_integer(L, "first_ns", v->arrival_ns[0]);
  lua_createtable(L, (int)v->stages, 0);
  for (uint32_t i = 0; i < v->stages; i++) {
    const tdm_visit_stage *stage = &v->stage[v->order[i]];
    lua_createtable(L, 0, 6);
    lua_pushstring(L, stage->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, tdm_lane_name(stage->lane));
    lua_setfield(L, -2, "lane");
    set_integer(L, "concurrency", stage->concurrency);
    set_integer(L, "count", (int64_t)stage->count);
    set_integer(L, "given", (int64_t)v->order[i] + 1);
    if (stage->capacity != TDM_NONE) set_integer(L, "capacity", stage->capacity);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "stages");
  return 1;
}

static void set_times(lua_State *L, const char *key, const int64_t *value, size_t count) {
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_pushinteger(L, value[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, key);
}

/* Names of ranges, else numbers. */
static void set_ids(lua_State *L, const made *m, tdm_run_view *view) {
  size_t count = m->visits->requests;
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    if (m->visits == &m->simulated.visits)
      lua_pushinteger(L, m->simulated.id[i]);
    else if (view != NULL && m->mapped.name[i] != TDM_NONE)
      lua_pushstring(L, tdm_run_view_name(view, m->mapped.name[i]));
    else
      lua_pushinteger(L, (lua_Integer)i + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "id");
}

/* Lists of numbers by the map's order of sizes; false: not there. */
static void set_sizes(lua_State *L, const made *m) {
  size_t count = m->visits->requests;
  lua_createtable(L, (int)m->map.sizes, 0);
  for (uint32_t s = 0; s < m->map.sizes; s++) {
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
      double value = m->mapped.size[s * count + i];
      if (isnan(value))
        lua_pushboolean(L, 0);
      else
        lua_pushnumber(L, value);
      lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_rawseti(L, -2, (lua_Integer)s + 1);
  }
  lua_setfield(L, -2, "sizes");
}

/* visits:requests() → { arrival_ns, end_ns, tail_ns, given, id, outcome?, sizes } */
static int requests(lua_State *L) {
  made *m = check_made(L);
  const tdm_visits *v = m->visits;
  tdm_run_view *view = NULL;
  if (v == &m->mapped.visits) {
    lua_getiuservalue(L, 1, 1);
    view = tdm_bind_view(L, lua_gettop(L));
  }
  lua_createtable(L, 0, 7);
  set_times(L, "arrival_ns", v->arrival_ns, v->requests);
  set_times(L, "end_ns", v->end_ns, v->requests);
  set_times(L, "tail_ns", v->tail_ns, v->requests);
  set_ids(L, m, view);
  set_sizes(L, m);
  lua_createtable(L, (int)v->requests, 0);
  for (size_t i = 0; i < v->requests; i++) {
    lua_pushinteger(L, (lua_Integer)v->given[i] + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "given");
  if (v != &m->simulated.visits) return 1;
  lua_createtable(L, (int)v->requests, 0);
  for (size_t i = 0; i < v->requests; i++) {
    lua_pushstring(L, tdm_outcome_name(m->simulated.outcome[i]));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "outcome");
  return 1;
}

static int64_t field_of(const tdm_visit *visit, int field) {
  switch (field) {
  case 0: return (int64_t)visit->request + 1;
  case 1: return visit->start_ns;
  case 2: return visit->end_ns;
  case 3: return visit->busy_ns;
  case 4: return visit->own_ns;
  case 5: return visit->wait_ns;
  case 6: return visit->rest_ns;
  case 7: return visit->pieces;
  default: return visit->bytes != TDM_NONE ? visit->bytes : 0;
  }
}

/* visits:of(stage) → columns by visit */
static int of_stage(lua_State *L) {
  static const char *const fields[] = {"request", "start_ns", "end_ns", "busy_ns", "own_ns",
                                       "wait_ns", "rest_ns",  "pieces", "bytes"};
  const tdm_visits *v = check_made(L)->visits;
  lua_Integer at = luaL_checkinteger(L, 2);
  luaL_argcheck(L, at >= 1 && at <= (lua_Integer)v->stages, 2, "no such stage");
  const tdm_visit_stage *stage = &v->stage[v->order[at - 1]];
  lua_createtable(L, 0, 9);
  for (int f = 0; f < 8 + stage->has_bytes; f++) {
    lua_createtable(L, (int)stage->count, 0);
    for (size_t i = 0; i < stage->count; i++) {
      lua_pushinteger(L, field_of(&stage->visit[i], f));
      lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, fields[f]);
  }
  return 1;
}

/* ---- what is left ---- */

static void set_outside(lua_State *L, const made *m) {
  const tdm_visits *v = m->visits;
  lua_createtable(L, (int)v->stages, 0);
  for (uint32_t i = 0; i < v->stages; i++) {
    const tdm_outside *outside = &m->mapped.outside[v->order[i]];
    lua_createtable(L, 0, 2);
    set_integer(L, "rows", (int64_t)outside->rows);
    set_integer(L, "total_ns", outside->total_ns);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "outside");
}

static void set_unmapped(lua_State *L, const made *m, tdm_run_view *view) {
  lua_createtable(L, (int)m->mapped.unmappeds, 0);
  for (size_t i = 0; i < m->mapped.unmappeds; i++) {
    const tdm_unmapped *one = &m->mapped.unmapped[i];
    lua_createtable(L, 0, 4);
    lua_pushstring(L, tdm_run_view_name(view, one->name));
    lua_setfield(L, -2, "name");
    lua_pushstring(L, one->on_gpu ? "GPU" : "host");
    lua_setfield(L, -2, "where");
    set_integer(L, "rows", (int64_t)one->rows);
    set_integer(L, "total_ns", one->total_ns);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "unmapped");
}

/* visits:left() → counts of what is no part of the visits */
static int left(lua_State *L) {
  made *m = check_made(L);
  lua_createtable(L, 0, 10);
  if (m->visits == &m->simulated.visits) {
    set_integer(L, "open", (int64_t)m->simulated.open);
    set_integer(L, "untraced", (int64_t)m->simulated.untraced);
    set_integer(L, "lost_members", (int64_t)m->simulated.lost_members);
    set_integer(L, "outside_rows", (int64_t)m->simulated.outside_rows);
  }
  if (m->visits != &m->mapped.visits) return 1;
  int table = lua_gettop(L);
  lua_getiuservalue(L, 1, 1);
  tdm_run_view *view = tdm_bind_view(L, table + 1);
  lua_settop(L, table);
  set_integer(L, "inside", (int64_t)m->mapped.missed.inside);
  set_integer(L, "before", (int64_t)m->mapped.missed.before);
  set_integer(L, "open", (int64_t)m->mapped.missed.open);
  set_integer(L, "unclear", (int64_t)m->mapped.unclear);
  set_integer(L, "by_launch", (int64_t)m->mapped.by_launch);
  set_integer(L, "by_time", (int64_t)m->mapped.by_time);
  set_outside(L, m);
  set_unmapped(L, m, view);
  return 1;
}

void tdm_bind_open_visits(lua_State *L) {
  static const luaL_Reg methods[] = {{"head", head}, {"requests", requests}, {"of", of_stage},
                                     {"left", left}, {"close", close_made},  {NULL, NULL}};
  static const luaL_Reg functions[] = {{"visits", of_run}, {"visits_of", of_tables}, {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  lua_pushcfunction(L, close_made);
  lua_setfield(L, -2, "__gc");
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
