/* td.record(name, value) inside hooks: numbers a user wants beside the usual ones. Kept by the
 * worker for the replication, in order; merged by bind/run. Called by Lua and by hooks.c. */
#include <lauxlib.h>
#include <stdlib.h>

#include "base/memory.h"
#include "bind/worker/inside.h"

void tdm_record_clear(tdm_worker *w) {
  for (size_t i = 0; i < w->series_count; i++) {
    free(w->series[i].name);
    free(w->series[i].values);
  }
  w->series_count = 0;
}

static tdm_recorded_series *find_series(lua_State *L, tdm_worker *w) {
  tdm_worker_push_fixed(L, TDM_AT_RECORDED);
  lua_pushvalue(L, 1);
  if (lua_rawget(L, -2) == LUA_TNUMBER) return &w->series[lua_tointeger(L, -1)];
  lua_pushvalue(L, 1);
  lua_pushinteger(L, (lua_Integer)w->series_count);
  if (!tdm_array_grow(&w->series, &w->series_capacity, w->series_count + 1, sizeof *w->series))
    luaL_error(L, "not enough memory");
  char *name = tdm_string_copy(lua_tostring(L, 1));
  if (name == NULL) luaL_error(L, "not enough memory");
  w->series[w->series_count] = (tdm_recorded_series){.name = name};
  tdm_recorded_series *series = &w->series[w->series_count++];
  lua_rawset(L, -4);
  return series;
}

int tdm_record_value(lua_State *L) {
  tdm_worker *w = tdm_worker_of(L);
  if (lua_type(L, 1) != LUA_TSTRING) return luaL_error(L, "td.record wants a name and a number");
  int is_number;
  double value = lua_tonumberx(L, 2, &is_number);
  if (!is_number)
    return luaL_error(L, "td.record(\"%s\", …) wants a number, not %s", lua_tostring(L, 1),
                      luaL_typename(L, 2));
  tdm_recorded_series *s = find_series(L, w);
  s->sum += value;
  if (s->count == 0 || value < s->min) s->min = value;
  if (s->count == 0 || value > s->max) s->max = value;
  s->count++;
  if (s->kept < TDM_RECORDED_VALUES) {
    if (!tdm_array_grow(&s->values, &s->capacity, s->kept + 1, sizeof *s->values))
      return luaL_error(L, "not enough memory");
    s->values[s->kept++] = value;
  }
  return 0;
}

void tdm_worker_recorded(const tdm_worker *w,
                         void (*each)(void *context, const tdm_recorded *recorded), void *context) {
  for (size_t i = 0; i < w->series_count; i++) {
    const tdm_recorded_series *s = &w->series[i];
    tdm_recorded recorded = {s->name, s->count, s->sum, s->min, s->max, s->values, s->kept};
    each(context, &recorded);
  }
}
