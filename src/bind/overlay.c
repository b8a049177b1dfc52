/* Two runs in one time frame, for Lua: core.overlay, a table of
 *   lanes(view, by) → lanes            | nil, message, code
 *   given({ { label, lane, start_ns, end_ns }… }) → lanes
 *   align(lanes, lanes, "first"|"activity", drift?) → alignment | nil, message, code
 *   fit(times, times, drift?) → alignment  | nil, message, code
 *   starts(view, expression, most) → times, count | nil, message, code
 *
 * Lanes keep the view they came from alive for the names of its rows. Owns no other state; what is
 * counted is src/analysis/overlay's. */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/overlay/align.h"
#include "analysis/overlay/named.h"
#include "base/memory.h"
#include "bind/analysis.h"
#include "bind/bind.h"
#include "bind/failure.h"

static const char type_name[] = "tandem.lanes";

/* ---- lanes ---- */

static int free_lanes(lua_State *L) {
  tdm_lane_set_close(luaL_checkudata(L, 1, type_name));
  return 0;
}

static tdm_lane_set *new_lanes(lua_State *L) {
  tdm_lane_set *set = lua_newuserdatauv(L, sizeof *set, 1);
  *set = (tdm_lane_set){0};
  luaL_setmetatable(L, type_name);
  return set;
}

static int lanes(lua_State *L) {
  static const char *const bys[] = {"lane", "device", "stream", "stage", NULL};
  tdm_run_view *view = tdm_bind_view(L, 1);
  int by = luaL_checkoption(L, 2, "lane", bys);
  tdm_lane_set *set = new_lanes(L);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  tdm_error error;
  if (tdm_lane_set_of(view, (tdm_lanes_by)by, set, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  return 1;
}

/* The integers of a list on the stack's top, which stays; NULL for an empty one. */
static int64_t *times_at(lua_State *L, int at, size_t *count) {
  luaL_checktype(L, at, LUA_TTABLE);
  at = lua_absindex(L, at);
  *count = lua_rawlen(L, at);
  int64_t *times = lua_newuserdatauv(L, (*count + 1) * sizeof *times, 0);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, at, (lua_Integer)i + 1);
    int whole;
    times[i] = lua_tointegerx(L, -1, &whole);
    if (!whole) luaL_error(L, "times are whole nanoseconds");
    lua_pop(L, 1);
  }
  return times;
}

static tdm_lane lane_named(const char *name) {
  for (int lane = 0; lane < TDM_LANES; lane++)
    if (strcmp(tdm_lane_name((tdm_lane)lane), name) == 0) return (tdm_lane)lane;
  return TDM_LANE_OTHER;
}

/* Texts and arrays stay on the stack, whose room is made here. */
static int given(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t count = lua_rawlen(L, 1);
  tdm_lane_given *list = lua_newuserdatauv(L, (count + 1) * sizeof *list, 0);
  for (size_t i = 0; i < count; i++) {
    luaL_checkstack(L, 16, "lanes");
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    int one = lua_gettop(L);
    lua_getfield(L, one, "label");
    list[i].label = luaL_checkstring(L, -1);
    lua_getfield(L, one, "lane");
    list[i].lane = lane_named(luaL_optstring(L, -1, "OTHER"));
    size_t ends;
    lua_getfield(L, one, "start_ns");
    list[i].start_ns = times_at(L, -1, &list[i].count);
    lua_getfield(L, one, "end_ns");
    list[i].end_ns = times_at(L, -1, &ends);
    if (ends != list[i].count) return luaL_error(L, "as many ends as starts");
  }
  tdm_lane_set *set = new_lanes(L);
  tdm_error error;
  if (tdm_lane_set_given(list, (uint32_t)count, set, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  return 1;
}

/* lanes:extent() → first_ns, last_ns, rows */
static int extent(lua_State *L) {
  const tdm_lane_set *set = luaL_checkudata(L, 1, type_name);
  lua_pushinteger(L, set->first_ns);
  lua_pushinteger(L, set->last_ns);
  lua_pushinteger(L, (lua_Integer)set->rows);
  return 3;
}

/* lanes:list() → { { label, lane, rows, most, plain }… } */
static int list_lanes(lua_State *L) {
  const tdm_lane_set *set = luaL_checkudata(L, 1, type_name);
  lua_createtable(L, (int)set->lanes, 0);
  for (uint32_t i = 0; i < set->lanes; i++) {
    lua_createtable(L, 0, 4);
    lua_pushstring(L, set->lane[i].label);
    lua_setfield(L, -2, "label");
    lua_pushstring(L, tdm_lane_name(set->lane[i].lane));
    lua_setfield(L, -2, "lane");
    lua_pushinteger(L, (lua_Integer)set->lane[i].count);
    lua_setfield(L, -2, "rows");
    lua_pushinteger(L, set->lane[i].steps.most);
    lua_setfield(L, -2, "most");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushboolean(L, set->plain);
  lua_setfield(L, -2, "plain");
  return 1;
}

/* ---- alignment ---- */

static tdm_drift drift_at(lua_State *L, int at) {
  static const char *const words[] = {"auto", "on", "off", NULL};
  return (tdm_drift)luaL_checkoption(L, at, "auto", words);
}

static void put_number(lua_State *L, const char *key, double value) {
  if (isnan(value)) return;
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}

static void put_whole(lua_State *L, const char *key, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, key);
}

static int push_alignment(lua_State *L, const tdm_alignment *found) {
  lua_createtable(L, 0, 8);
  put_whole(L, "offset_ns", found->clock.offset_ns);
  put_whole(L, "origin_ns", found->clock.origin_ns);
  put_number(L, "drift_ppm", found->clock.drift_ppm);
  put_number(L, "measured_drift_ppm", found->drift_ppm);
  put_number(L, "drift_error_ppm", found->drift_error_ppm);
  put_number(L, "residual_ns", found->residual_ns);
  put_whole(L, "events", (int64_t)found->events);
  return 1;
}

static int align(lua_State *L) {
  static const char *const ways[] = {"first", "activity", NULL};
  const tdm_lane_set *a = luaL_checkudata(L, 1, type_name), *b = luaL_checkudata(L, 2, type_name);
  int way = luaL_checkoption(L, 3, NULL, ways);
  tdm_drift drift = drift_at(L, 4);
  tdm_lane_pairs pairs;
  tdm_alignment found;
  tdm_error error;
  double likeness = NAN;
  tdm_status status = tdm_lane_pairs_open(a, b, &pairs, &error);
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  status = way == 0 ? tdm_align_first(&pairs, drift, &found, &error)
                    : tdm_align_activity(&pairs, drift, &found, &likeness, &error);
  tdm_lane_pairs_close(&pairs);
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  push_alignment(L, &found);
  put_number(L, "likeness", likeness);
  return 1;
}

static int fit(lua_State *L) {
  tdm_drift drift = drift_at(L, 3);
  size_t a_count, b_count;
  const int64_t *a = times_at(L, 1, &a_count), *b = times_at(L, 2, &b_count);
  tdm_alignment found;
  tdm_error error;
  if (tdm_clock_fit(a, b, a_count < b_count ? a_count : b_count, drift, &found, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  return push_alignment(L, &found);
}

static int starts(lua_State *L) {
  tdm_run_view *view = tdm_bind_view(L, 1);
  const char *expression = luaL_checkstring(L, 2);
  lua_Integer most = luaL_checkinteger(L, 3);
  int64_t *start_ns;
  size_t count;
  tdm_error error;
  if (tdm_starts_named(view, expression, &start_ns, &count, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  size_t shown = most >= 0 && (size_t)most < count ? (size_t)most : count;
  int64_t *kept = lua_newuserdatauv(L, (shown + 1) * sizeof *kept, 0);
  if (shown > 0) memcpy(kept, start_ns, shown * sizeof *kept);
  free(start_ns);
  lua_createtable(L, (int)shown, 0);
  for (size_t i = 0; i < shown; i++) {
    lua_pushinteger(L, kept[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, (lua_Integer)count);
  return 2;
}

void tdm_bind_open_overlay(lua_State *L) {
  static const luaL_Reg methods[] = {{"extent", extent}, {"list", list_lanes}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"lanes", lanes}, {"given", given},   {"align", align},
                                       {"fit", fit},     {"starts", starts}, {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  lua_pushcfunction(L, free_lanes);
  lua_setfield(L, -2, "__gc");
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "overlay");
}
