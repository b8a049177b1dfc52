/* The option `metrics` of core.run, see metrics.h, and what servers call what they count:
 *
 * metric_names() → { { server, prefix, names = { meaning = name } }, … }
 *
 * Called by run.c and lua/tandem/metrics/names.lua. */
#include "bind/metrics.h"

#include <lauxlib.h>
#include <math.h>

#include "base/memory.h"
#include "bind/bind.h"
#include "trace/metrics/metrics.h"

static const char type_name[] = "tandem.metrics";

struct tdm_bind_metrics {
  tdm_metrics *metrics;
  const char *path; /* the options have it */
  int64_t utc_s;
};

static int collect(lua_State *L) {
  tdm_bind_metrics *m = luaL_checkudata(L, 1, type_name);
  tdm_metrics_free(m->metrics);
  m->metrics = NULL;
  return 0;
}

static int64_t scrape_ns(lua_State *L, int options) {
  lua_getfield(L, options, "scrape_s");
  double seconds = luaL_checknumber(L, -1);
  lua_pop(L, 1);
  if (!(seconds >= 0.001 && seconds <= 1e9)) luaL_error(L, "scrape_s must be from 0.001 to 1e9");
  return (int64_t)llround(seconds * 1e9);
}

/* The text of a field of the table on top, which keeps it; NULL: none. */
static const char *text_of(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1);
  return text;
}

static void read_servers(lua_State *L, int options, tdm_metrics *metrics) {
  tdm_error error;
  if (lua_getfield(L, options, "servers") == LUA_TTABLE) {
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
      luaL_checktype(L, -1, LUA_TTABLE);
      const char *model = text_of(L, "model"), *dialect = text_of(L, "dialect");
      lua_pushvalue(L, -2); /* tostring would change a key */
      if (tdm_metrics_server_is(metrics, lua_tostring(L, -1), model,
                                tdm_metrics_dialect_of(dialect != NULL ? dialect : ""),
                                &error) != TDM_OK)
        luaL_error(L, "%s", error.message);
      lua_pop(L, 2);
    }
  }
  lua_pop(L, 1);
}

tdm_bind_metrics *tdm_bind_metrics_new(lua_State *L, tdm_served_sink *sink) {
  if (lua_getfield(L, 2, "metrics") == LUA_TNIL) {
    lua_pop(L, 1);
    return NULL;
  }
  int options = lua_gettop(L);
  luaL_checktype(L, options, LUA_TTABLE);
  tdm_bind_metrics *m = lua_newuserdatauv(L, sizeof *m, 0);
  *m = (tdm_bind_metrics){0};
  if (luaL_newmetatable(L, type_name)) {
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  m->metrics = tdm_metrics_new(scrape_ns(L, options));
  if (m->metrics == NULL) luaL_error(L, "not enough memory");
  lua_getfield(L, options, "path");
  m->path = luaL_checkstring(L, -1);
  lua_getfield(L, options, "utc_s");
  m->utc_s = luaL_checkinteger(L, -1);
  lua_pop(L, 2);
  read_servers(L, options, m->metrics);
  tdm_metrics_sink(m->metrics, sink);
  return m;
}

tdm_status tdm_bind_metrics_write(tdm_bind_metrics *m, tdm_error *error) {
  return m == NULL ? TDM_OK : tdm_metrics_write(m->metrics, m->path, m->utc_s, error);
}

/* Counters with their _total. */
static void push_names(lua_State *L, const tdm_metrics_family *family) {
  lua_newtable(L);
  for (; family->name != NULL; family++) {
    if (family->meaning == NULL) continue;
    lua_pushfstring(L, "%s%s", family->name, family->kind == TDM_METRICS_COUNTER ? "_total" : "");
    lua_setfield(L, -2, family->meaning);
  }
}

static int metric_names(lua_State *L) {
  lua_newtable(L);
  for (int i = 0; tdm_metrics_dialects[i].server != NULL; i++) {
    lua_createtable(L, 0, 3);
    lua_pushstring(L, tdm_metrics_dialects[i].server);
    lua_setfield(L, -2, "server");
    lua_pushstring(L, tdm_metrics_dialects[i].prefix);
    lua_setfield(L, -2, "prefix");
    push_names(L, tdm_metrics_dialects[i].families);
    lua_setfield(L, -2, "names");
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

void tdm_bind_open_metrics(lua_State *L) {
  lua_pushcfunction(L, metric_names);
  lua_setfield(L, -2, "metric_names");
}
