/* core.stats: intervals and quantiles of distributions, for searches written in Lua.
 * Owns nothing. Called by lua/tandem/plan, lua/tandem/score, lua/tandem/fit and lib/search. */
#include <lauxlib.h>
#include <math.h>

#include "base/sections.h"
#include "base/special.h"
#include "base/stats.h"
#include "bind/bind.h"

static double confidence_at(lua_State *L, int index) {
  double confidence = luaL_optnumber(L, index, 0.95);
  luaL_argcheck(L, confidence > 0 && confidence < 1, index, "wants a number between 0 and 1");
  return confidence;
}

/* The numbers of the list at an index, in memory that Lua frees. */
static double *list_at(lua_State *L, int index, size_t *count) {
  luaL_checktype(L, index, LUA_TTABLE);
  lua_Integer length = luaL_len(L, index);
  double *values = lua_newuserdatauv(L, (size_t)(length > 0 ? length : 1) * sizeof *values, 0);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_geti(L, index, i);
    values[i - 1] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
  *count = (size_t)length;
  return values;
}

static double *values_at(lua_State *L, size_t *count) {
  return list_at(L, 1, count);
}

static void push_estimate(lua_State *L, tdm_estimate e) {
  lua_pushnumber(L, e.value);
  if (isnan(e.half))
    lua_pushnil(L);
  else
    lua_pushnumber(L, e.half);
}

/* stats.interval(values, confidence?) → mean, half; half is nil below two values */
static int interval(lua_State *L) {
  double confidence = confidence_at(L, 2);
  size_t count;
  double *values = values_at(L, &count);
  push_estimate(L, tdm_interval(values, count, confidence));
  return 2;
}

/* stats.moments(values) → mean, standard deviation (n − 1); that is nil below two values */
static int moments(lua_State *L) {
  size_t count;
  double *values = values_at(L, &count), mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) mean += values[i];
  mean /= (double)count;
  for (size_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
  double sd = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
  push_estimate(L, (tdm_estimate){.value = mean, .half = sd});
  return 2;
}

/* stats.batch_means(series, confidence?) → mean, half, batches: of one correlated series; half is
 * nil where no number of batches looks independent */
static int batch_means(lua_State *L) {
  double confidence = confidence_at(L, 2);
  size_t count, batches;
  double *values = values_at(L, &count);
  push_estimate(L, tdm_batch_means(values, count, confidence, &batches));
  lua_pushinteger(L, (lua_Integer)batches);
  return 3;
}

/* ---- series with the evidence that runs want */

#define POOL "tandem.series"

typedef struct {
  tdm_sections sections;
  tdm_pool *pool;
  double unit_s;
} series;

static int free_series(lua_State *L) {
  series *s = luaL_checkudata(L, 1, POOL);
  tdm_pool_free(s->pool);
  s->pool = NULL;
  tdm_sections_free(&s->sections);
  return 0;
}

/* stats.series(values, smooth?) → what may be asked for its mean and its quantiles, as one
 * replication of a run */
static int new_series(lua_State *L) {
  lua_Integer smooth = luaL_optinteger(L, 2, 1);
  luaL_argcheck(L, smooth > 0, 2, "wants a number above 0");
  size_t count;
  double *values = values_at(L, &count);
  series *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (series){0};
  luaL_setmetatable(L, POOL);
  if (!tdm_sections_of_series(&s->sections, values, count, (size_t)smooth, &s->unit_s))
    return luaL_error(L, "not enough memory");
  s->pool = tdm_pool_new(1, false);
  if (s->pool == NULL || !tdm_pool_add(s->pool, &s->sections))
    return luaL_error(L, "not enough memory");
  tdm_pool_of_series(s->pool, (size_t)smooth);
  return 1;
}

/* → value, half or nil, needs or nil: how many values would do */
static int push_series(lua_State *L, tdm_estimate e, double unit) {
  push_estimate(L, (tdm_estimate){.value = e.value / unit, .half = e.half / unit});
  if (isnan(e.half) && e.needs > 0)
    lua_pushnumber(L, e.needs);
  else
    lua_pushnil(L);
  return 3;
}

/* …:mean(confidence?) → as above, and how many independent values they are worth */
static int series_mean(lua_State *L) {
  series *s = luaL_checkudata(L, 1, POOL);
  tdm_estimate e = tdm_pool_mean(s->pool, confidence_at(L, 2));
  push_series(L, e, s->unit_s);
  lua_pushnumber(L, e.seen.worth);
  return 4;
}

static double level_at(lua_State *L, int index) {
  double level = luaL_checknumber(L, index);
  luaL_argcheck(L, level >= 0 && level <= 1, index, "wants a number from 0 to 1");
  return level;
}

static int series_quantile(lua_State *L) {
  series *s = luaL_checkudata(L, 1, POOL);
  double level = level_at(L, 2);
  return push_series(L, tdm_pool_quantile(s->pool, level, confidence_at(L, 3)), s->unit_s);
}

/* …:ratio(by, level, confidence?): of the quantiles of two series of the same requests */
static int series_ratio(lua_State *L) {
  series *s = luaL_checkudata(L, 1, POOL), *by = luaL_checkudata(L, 2, POOL);
  double level = level_at(L, 3);
  tdm_estimate e = tdm_pool_quantile_ratio(s->pool, by->pool, level, confidence_at(L, 4));
  return push_series(L, e, s->unit_s / by->unit_s);
}

static void open_series(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"mean", series_mean}, {"quantile", series_quantile}, {"ratio", series_ratio}, {NULL, NULL}};
  luaL_newmetatable(L, POOL);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, free_series);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
}

/* stats.student_quantile(p, df) */
static int student_quantile(lua_State *L) {
  lua_pushnumber(L, tdm_student_quantile(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
  return 1;
}

/* stats.normal_quantile(p), stats.normal_cdf(z) */
static int normal_quantile(lua_State *L) {
  lua_pushnumber(L, tdm_normal_quantile(luaL_checknumber(L, 1)));
  return 1;
}
static int normal_cdf(lua_State *L) {
  lua_pushnumber(L, tdm_normal_cdf(luaL_checknumber(L, 1)));
  return 1;
}

void tdm_bind_open_stats(lua_State *L) {
  open_series(L);
  static const luaL_Reg functions[] = {{"interval", interval},
                                       {"moments", moments},
                                       {"batch_means", batch_means},
                                       {"series", new_series},
                                       {"student_quantile", student_quantile},
                                       {"normal_cdf", normal_cdf},
                                       {"normal_quantile", normal_quantile},
                                       {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "stats");
}
