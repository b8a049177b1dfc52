/* Two runs in one time frame, for Lua: core.overlay, a table of
 *   lanes(view, by) → lanes            | nil, message, code
 *   given({ { label, lane, start_ns, end_ns, busy_ns? }… }) → lanes
 *   align(lanes, lanes, "first"|"activity", drift?) → alignment | nil, message, code
 *   fit(times, times, drift?) → alignment  | nil, message, code
 *   starts(view, expression, most) → times, count | nil, message, code
 *   lay(lanes, lanes, clock, from_ns, to_ns) → overlaid | nil, message, code
 *   write { real, simulated, … } → true | nil, message, code: both runs as one trace
 * overlaid:lanes(), :answer(most), :bins(lane, count), :parts(lane, most).
 *
 * Lanes keep the view they came from alive for the names of its rows. Owns no other state; what is
 * counted is src/analysis/overlay's. */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/overlay/overlay.h"
#include "base/memory.h"
#include "bind/analysis.h"
#include "bind/bind.h"
#include "write/writer.h"

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
  if (tdm_lane_set_of(view, (tdm_lanes_by)by, set, &error) != TDM_OK ||
      tdm_run_view_sound(view, &error) != TDM_OK)
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
    list[i].busy_ns = NULL;
    if (lua_getfield(L, one, "busy_ns") != LUA_TNIL) list[i].busy_ns = times_at(L, -1, &ends);
    if (ends != list[i].count) return luaL_error(L, "as many busy times as starts");
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

/* lanes:is_plain() → whether the run has only spans of no kind, which are all shown */
static int is_plain(lua_State *L) {
  const tdm_lane_set *set = luaL_checkudata(L, 1, type_name);
  lua_pushboolean(L, set->plain);
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

/* ---- one over the other ---- */

static const char overlaid_name[] = "tandem.overlaid";

static tdm_clock clock_at(lua_State *L, int at) {
  luaL_checktype(L, at, LUA_TTABLE);
  at = lua_absindex(L, at);
  tdm_clock clock;
  lua_getfield(L, at, "offset_ns");
  clock.offset_ns = luaL_checkinteger(L, -1);
  lua_getfield(L, at, "origin_ns");
  clock.origin_ns = luaL_checkinteger(L, -1);
  lua_getfield(L, at, "drift_ppm");
  clock.drift_ppm = luaL_checknumber(L, -1);
  lua_pop(L, 3);
  return clock;
}

static int lay(lua_State *L) {
  const tdm_lane_set *real = luaL_checkudata(L, 1, type_name);
  const tdm_lane_set *simulated = luaL_checkudata(L, 2, type_name);
  tdm_clock clock = clock_at(L, 3);
  int64_t from_ns = luaL_checkinteger(L, 4), to_ns = luaL_checkinteger(L, 5), length_ns;
  luaL_argcheck(L, from_ns < to_ns && !__builtin_sub_overflow(to_ns, from_ns, &length_ns), 5,
                "a frame begins before it ends");
  tdm_overlaid *overlaid = lua_newuserdatauv(L, sizeof *overlaid, 2);
  *overlaid = (tdm_overlaid){0};
  luaL_setmetatable(L, overlaid_name);
  for (int side = 1; side <= 2; side++) {
    lua_pushvalue(L, side);
    lua_setiuservalue(L, -2, side);
  }
  tdm_error error;
  if (tdm_overlaid_open(real, simulated, &clock, from_ns, to_ns, overlaid, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  return 1;
}

static int free_overlaid(lua_State *L) {
  tdm_overlaid_close(luaL_checkudata(L, 1, overlaid_name));
  return 0;
}

static uint32_t lane_at(lua_State *L, const tdm_overlaid *overlaid, int at) {
  lua_Integer lane = luaL_checkinteger(L, at);
  luaL_argcheck(L, lane >= 1 && lane <= overlaid->lanes, at, "there is no such lane");
  return (uint32_t)(lane - 1);
}

/* overlaid:lanes() → { { label, kind, real, simulated }… } */
static int overlaid_lanes(lua_State *L) {
  const tdm_overlaid *overlaid = luaL_checkudata(L, 1, overlaid_name);
  lua_createtable(L, (int)overlaid->lanes, 0);
  for (uint32_t i = 0; i < overlaid->lanes; i++) {
    const tdm_overlaid_lane *lane = &overlaid->lane[i];
    lua_createtable(L, 0, 4);
    lua_pushstring(L, lane->label);
    lua_setfield(L, -2, "label");
    lua_pushstring(L, tdm_lane_name(lane->lane));
    lua_setfield(L, -2, "kind");
    lua_pushboolean(L, lane->real != NULL);
    lua_setfield(L, -2, "real");
    lua_pushboolean(L, lane->simulated != NULL);
    lua_setfield(L, -2, "simulated");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* The view that a side's lanes came from; it stays on the stack. NULL: none. */
static tdm_run_view *view_of_side(lua_State *L, int overlaid, int side) {
  lua_getiuservalue(L, overlaid, side);
  return lua_getiuservalue(L, -1, 1) == LUA_TNIL ? NULL : tdm_bind_view(L, -1);
}

/* overlaid:answer(most) */
static int overlaid_answer(lua_State *L) {
  const tdm_overlaid *overlaid = luaL_checkudata(L, 1, overlaid_name);
  lua_Integer most = luaL_checkinteger(L, 2);
  luaL_argcheck(L, most >= 0 && most <= 1000000, 2, "0 to 1,000,000");
  luaL_checkstack(L, 24, "answer");
  tdm_run_view *real = view_of_side(L, 1, 1), *simulated = view_of_side(L, 1, 2);
  tdm_answer *made = tdm_bind_new_answer(L);
  tdm_error error;
  tdm_status status = tdm_overlaid_answer(overlaid, real, simulated, (size_t)most, made, &error);
  if (status == TDM_OK && real != NULL) status = tdm_run_view_sound(real, &error);
  if (status == TDM_OK && simulated != NULL) status = tdm_run_view_sound(simulated, &error);
  return tdm_bind_answer(L, made, status, &error);
}

/* overlaid:bins(lane, count) → { real_busy = { … }, … } */
static int overlaid_bins(lua_State *L) {
  static const char *const names[] = {"real_busy", "simulated_busy", "both_busy", "real_mean",
                                      "simulated_mean"};
  const tdm_overlaid *overlaid = luaL_checkudata(L, 1, overlaid_name);
  uint32_t lane = lane_at(L, overlaid, 2);
  lua_Integer count = luaL_checkinteger(L, 3);
  luaL_argcheck(L, count >= 1 && count <= 1000000, 3, "1 to 1,000,000");
  size_t n = (size_t)count;
  double *values = lua_newuserdatauv(L, 5 * n * sizeof *values, 0);
  tdm_overlaid_bins bins = {values, values + n, values + 2 * n, values + 3 * n, values + 4 * n};
  tdm_overlaid_bin(overlaid, lane, n, &bins);
  lua_createtable(L, 0, 5);
  for (size_t k = 0; k < 5; k++) {
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < n; i++) {
      lua_pushnumber(L, values[k * n + i]);
      lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, names[k]);
  }
  return 1;
}

/* overlaid:parts(lane, most) → { from, real, simulated, from, … }: how many are active from when
 * on, nil when there are more parts than that. */
static int overlaid_parts(lua_State *L) {
  const tdm_overlaid *overlaid = luaL_checkudata(L, 1, overlaid_name);
  uint32_t lane = lane_at(L, overlaid, 2);
  lua_Integer most = luaL_checkinteger(L, 3), count = 0;
  tdm_lane_walk walk;
  tdm_lane_part part;
  lua_newtable(L);
  tdm_overlaid_walk(overlaid, lane, &walk);
  while (tdm_lane_walk_next(&walk, &part)) {
    if (count == most) return 0;
    const int64_t values[] = {part.from_ns, part.a, part.b};
    for (int i = 0; i < 3; i++) {
      lua_pushinteger(L, values[i]);
      lua_rawseti(L, -2, 3 * count + i + 1);
    }
    count++;
  }
  return 1;
}

/* ---- as a trace ---- */

static int64_t whole_field(lua_State *L, const char *key) {
  lua_getfield(L, 1, key);
  int64_t value = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return value;
}

/* write { real, simulated: views; real_word, simulated_word, clock, from_ns, to_ns, format, path,
 * name, version } */
static int write_both(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  luaL_checkstack(L, 24, "write");
  lua_getfield(L, 1, "clock");
  tdm_clock clock = clock_at(L, -1);
  int64_t from_ns = whole_field(L, "from_ns"), to_ns = whole_field(L, "to_ns");
  tdm_both_side side[2] = {{.from_ns = from_ns, .to_ns = to_ns},
                           {.clock = &clock,
                            .from_ns = tdm_clock_back(&clock, from_ns),
                            .to_ns = tdm_clock_back(&clock, to_ns)}};
  const char *const views[] = {"real", "simulated"}, *const words[] = {"real_word",
                                                                       "simulated_word"};
  const char *const texts[] = {"format", "path", "name", "version"};
  const char *text[4];
  for (int i = 0; i < 2; i++) { /* they all stay on the stack */
    lua_getfield(L, 1, views[i]);
    side[i].view = tdm_bind_view(L, -1);
    lua_getfield(L, 1, words[i]);
    side[i].word = luaL_checkstring(L, -1);
  }
  for (int i = 0; i < 4; i++) {
    lua_getfield(L, 1, texts[i]);
    text[i] = luaL_checkstring(L, -1);
  }
  const tdm_writer *writer = tdm_writer_named(text[0]);
  if (writer == NULL) return luaL_error(L, "no format '%s'", text[0]);
  const tdm_write_options options = {.run_name = text[2], .version = text[3]};
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_status status =
      recording != NULL ? TDM_OK : tdm_error_memory(&error, "a trace", sizeof recording);
  if (status == TDM_OK) status = tdm_both_record(side, 2, recording, &error);
  if (status == TDM_OK) status = writer->write(recording, text[1], &options, &error);
  tdm_recording_free(recording);
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  lua_pushboolean(L, 1);
  return 1;
}

static void new_type(lua_State *L, const char *name, const luaL_Reg *methods,
                     lua_CFunction collect) {
  luaL_newmetatable(L, name);
  lua_pushcfunction(L, collect);
  lua_setfield(L, -2, "__gc");
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

void tdm_bind_open_overlay(lua_State *L) {
  static const luaL_Reg of_lanes[] = {{"extent", extent}, {"is_plain", is_plain}, {NULL, NULL}};
  static const luaL_Reg of_overlaid[] = {{"lanes", overlaid_lanes},
                                         {"answer", overlaid_answer},
                                         {"bins", overlaid_bins},
                                         {"parts", overlaid_parts},
                                         {NULL, NULL}};
  static const luaL_Reg functions[] = {{"lanes", lanes},      {"given", given},   {"align", align},
                                       {"fit", fit},          {"starts", starts}, {"lay", lay},
                                       {"write", write_both}, {NULL, NULL}};
  new_type(L, type_name, of_lanes, free_lanes);
  new_type(L, overlaid_name, of_overlaid, free_overlaid);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "overlay");
}
