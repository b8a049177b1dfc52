/* core.keep: a simulated run into a store: its figures, and its trace where there is one. Measured
 * runs come from core.import. Called by store/keep.lua. */
#include <lauxlib.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/trace.h"
#include "trace/simulated/simulated.h"
#include "trace/store/store.h"

typedef struct {
  tdm_run_info info;
  const char *summary;
  tdm_metric *metrics; /* a userdata of the caller's */
  size_t count;
  const tdm_trace *trace; /* NULL: not kept */
  bool interrupted;
} kept_run;

/* A text field of the table at `at`, NULL when there is none; the table keeps it alive, for which
 * it must be a string: of a number only a converted copy would be one. */
static const char *text_field(lua_State *L, int at, const char *key) {
  const char *text = NULL;
  if (lua_getfield(L, at, key) == LUA_TSTRING)
    text = lua_tostring(L, -1);
  else if (!lua_isnil(L, -1))
    luaL_error(L, "'%s' is not a text", key);
  lua_pop(L, 1);
  return text;
}

static tdm_metric read_metric(lua_State *L, int at) {
  tdm_metric metric = {.scope = text_field(L, at, "scope"),
                       .subject = text_field(L, at, "subject"),
                       .ordinal = TDM_NONE,
                       .name = text_field(L, at, "name"),
                       .unit = text_field(L, at, "unit"),
                       .value = NAN,
                       .text = text_field(L, at, "text")};
  if (lua_getfield(L, at, "value") != LUA_TNIL) metric.value = luaL_checknumber(L, -1);
  lua_pop(L, 1);
  return metric;
}

static void read_metrics(lua_State *L, kept_run *run) {
  int list = lua_getfield(L, 2, "metrics") == LUA_TTABLE ? lua_gettop(L) : 0;
  run->count = list != 0 ? (size_t)luaL_len(L, list) : 0;
  run->metrics = lua_newuserdatauv(L, (run->count > 0 ? run->count : 1) * sizeof *run->metrics, 0);
  for (size_t i = 0; i < run->count; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    run->metrics[i] = read_metric(L, lua_gettop(L));
    lua_pop(L, 1);
  }
}

static tdm_status record_trace(const kept_run *run, const tdm_record_sink *sink, tdm_store_run *out,
                               tdm_error *error) {
  tdm_recorder *recorder = tdm_recorder_new(sink);
  if (recorder == NULL) return tdm_error_memory(error, "a recorder", 0);
  tdm_status status = tdm_simulated_record(run->trace, run->info.name, recorder, error);
  if (status == TDM_OK) status = tdm_recorder_end_source(recorder, error);
  tdm_recorder_free(recorder);
  tdm_trace_extent spans = tdm_trace_span_extent(run->trace);
  if (status == TDM_OK)
    status = tdm_store_run_extent(out, spans.dropped, spans.complete_until_ns, error);
  return status;
}

static tdm_status keep(tdm_store *store, const kept_run *run, char *id, tdm_error *error) {
  tdm_store_run *out;
  tdm_status status = tdm_store_begin_run(store, &run->info, &out, error);
  if (status != TDM_OK) return status;
  memcpy(id, tdm_store_run_id(out), TDM_STORE_ID_LENGTH + 1);
  tdm_record_sink sink;
  tdm_store_run_sink(out, &sink);
  for (size_t i = 0; i < run->count && status == TDM_OK; i++)
    status = sink.metric(sink.context, &run->metrics[i], error);
  if (status == TDM_OK && run->trace != NULL) status = record_trace(run, &sink, out, error);
  if (status != TDM_OK) {
    tdm_store_discard_run(out);
    return status;
  }
  return run->interrupted ? tdm_store_abort_run(out, run->summary, error)
                          : tdm_store_commit_run(out, run->summary, error);
}

static int stopped(void *flag) {
  return flag != NULL && atomic_load_explicit((atomic_int *)flag, memory_order_relaxed) != 0;
}

/* core.keep(path, { name, scenario, hash, version, seed, summary, interrupted, created_utc_ns,
 * metrics = { { scope, subject, name, unit, value | text }, … } }, trace | nil) → run id | nil,
 * message, code */
static int keep_run(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 3);
  kept_run run = {.info = {.created_utc_ns = TDM_NONE}};
  if (!lua_isnil(L, 3)) run.trace = tdm_bind_trace_check(L, 3);
  lua_getfield(L, 2, "seed");
  run.info.seed = (uint64_t)luaL_checkinteger(L, -1);
  run.info.name = text_field(L, 2, "name");
  run.info.scenario = text_field(L, 2, "scenario");
  run.info.scenario_hash = text_field(L, 2, "hash");
  run.info.version = text_field(L, 2, "version");
  run.summary = text_field(L, 2, "summary");
  if (lua_getfield(L, 2, "created_utc_ns") != LUA_TNIL)
    run.info.created_utc_ns = luaL_checkinteger(L, -1);
  lua_getfield(L, 2, "interrupted");
  run.interrupted = lua_toboolean(L, -1);
  if (run.info.name == NULL) run.info.name = "";
  read_metrics(L, &run);
  char id[TDM_STORE_ID_LENGTH + 1];
  tdm_error error;
  tdm_store *store = NULL;
  /* After Ctrl-C the flag is set: what was finished is kept all the same. */
  tdm_status status =
      tdm_store_open(path, stopped, run.interrupted ? NULL : tdm_bind_interrupt(L), &store, &error);
  if (status == TDM_OK) status = keep(store, &run, id, &error);
  tdm_store_close(store);
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  lua_pushstring(L, id);
  return 1;
}

void tdm_bind_open_keep(lua_State *L) {
  lua_pushcfunction(L, keep_run);
  lua_setfield(L, -2, "keep");
}
