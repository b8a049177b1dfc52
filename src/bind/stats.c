/* core.stats: intervals and quantiles of distributions, for searches written in Lua.
 * Owns nothing. Called by lua/tandem/plan and lib/search. */
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

/* stats.interval(values, confidence?) → mean, half; half is nil below two values */
static int interval(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  double confidence = confidence_at(L, 2);
  lua_Integer count = luaL_len(L, 1);
  double *values = lua_newuserdatauv(L, (size_t)(count > 0 ? count : 1) * sizeof *values, 0);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_geti(L, 1, i);
    values[i - 1] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
  tdm_estimate e = tdm_interval(values, (size_t)count, confidence);
  lua_pushnumber(L, e.value);
  if (isnan(e.half))
    lua_pushnil(L);
  else
    lua_pushnumber(L, e.half);
  return 2;
}

/* stats.student_quantile(p, df), stats.student_cdf(t, df) */
static int student_quantile(lua_State *L) {
  lua_pushnumber(L, tdm_student_quantile(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
  return 1;
}
static int student_cdf(lua_State *L) {
  lua_pushnumber(L, tdm_student_cdf(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
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
  static const luaL_Reg functions[] = {
      {"interval", interval},       {"student_quantile", student_quantile},
      {"student_cdf", student_cdf}, {"normal_quantile", normal_quantile},
      {"normal_cdf", normal_cdf},   {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "stats");
}
