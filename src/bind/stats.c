/* core.stats: intervals and quantiles of distributions, for searches written in Lua.
 * Owns nothing. Called by lua/tandem/plan, lua/tandem/score, lua/tandem/fit and lib/search. */
#include <lauxlib.h>
#include <math.h>

#include "base/special.h"
#include "base/stats.h"
#include "bind/bind.h"

static double confidence_at(lua_State *L, int index) {
  double confidence = luaL_optnumber(L, index, 0.95);
  luaL_argcheck(L, confidence > 0 && confidence < 1, index, "wants a number between 0 and 1");
  return confidence;
}

/* The numbers of the list at index 1, in memory that Lua frees. */
static double *values_at(lua_State *L, size_t *count) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer length = luaL_len(L, 1);
  double *values = lua_newuserdatauv(L, (size_t)(length > 0 ? length : 1) * sizeof *values, 0);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_geti(L, 1, i);
    values[i - 1] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
  *count = (size_t)length;
  return values;
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
  static const luaL_Reg functions[] = {{"interval", interval},
                                       {"moments", moments},
                                       {"batch_means", batch_means},
                                       {"student_quantile", student_quantile},
                                       {"normal_cdf", normal_cdf},
                                       {"normal_quantile", normal_quantile},
                                       {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "stats");
}
