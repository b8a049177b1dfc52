/* The Lua object around a collected trace. Owns it until collected or closed. */
#include "bind/trace.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "trace/recording.h"
#include "trace/simulated/simulated.h"
#include "trace/store/store.h"
#include "write/writer.h"

static const char type_name[] = "tandem.trace";

tdm_trace *tdm_bind_trace_check(lua_State *L, int at) {
  tdm_trace **slot = luaL_checkudata(L, at, type_name);
  if (*slot == NULL) luaL_error(L, "this trace is closed");
  return *slot;
}

static tdm_trace *check(lua_State *L) {
  return tdm_bind_trace_check(L, 1);
}

static int close_trace(lua_State *L) {
  tdm_trace **slot = luaL_checkudata(L, 1, type_name);
  tdm_trace_free(*slot);
  *slot = NULL;
  return 0;
}

/* The notes in the table at 3, {{key, value}, …}, as facts of the open source. Raises nothing. */
static void record_notes(lua_State *L, tdm_recorder *recorder) {
  lua_Integer count = lua_istable(L, 3) ? (lua_Integer)lua_rawlen(L, 3) : 0;
  for (lua_Integer i = 1; i <= count; i++) {
    if (lua_rawgeti(L, 3, i) == LUA_TTABLE) {
      int key = lua_rawgeti(L, -1, 1), value = lua_rawgeti(L, -2, 2);
      if (key == LUA_TSTRING && value == LUA_TSTRING)
        tdm_record_fact(recorder, lua_tostring(L, -2), lua_tostring(L, -1));
      lua_pop(L, 2);
    }
    lua_pop(L, 1);
  }
}

/* trace:chrome(path, {{key, value}, …}) → true | nil, message, code */
static int write_chrome(lua_State *L) {
  tdm_trace *trace = check(L);
  const char *path = luaL_checkstring(L, 2);
  luaL_checkstack(L, 4, "notes");
  lua_settop(L, 3);
  tdm_error error;
  tdm_record_sink sink;
  tdm_recording *recording = tdm_recording_new();
  tdm_recorder *recorder = NULL;
  if (recording != NULL) {
    tdm_recording_sink(recording, &sink);
    recorder = tdm_recorder_new(&sink);
  }
  tdm_status status = recorder != NULL
                          ? tdm_simulated_record(trace, TDM_SIMULATION, recorder, &error)
                          : tdm_error_memory(&error, "a trace", 0);
  if (status == TDM_OK) {
    record_notes(L, recorder);
    status = tdm_recorder_end_source(recorder, &error);
  }
  tdm_recorder_free(recorder);
  if (status == TDM_OK) status = tdm_writer_chrome.write(recording, path, NULL, &error);
  tdm_recording_free(recording);
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  lua_pushboolean(L, 1);
  return 1;
}

/* trace:counts() → spans kept, spans dropped */
static int counts(lua_State *L) {
  tdm_trace_extent extent = tdm_trace_span_extent(check(L));
  lua_pushinteger(L, (lua_Integer)extent.kept);
  lua_pushinteger(L, (lua_Integer)extent.dropped);
  return 2;
}

static int compare_latency(const void *a, const void *b) {
  const tdm_request_record *const *x = a, *const *y = b;
  int64_t dx = (*x)->end_ns - (*x)->arrival_ns, dy = (*y)->end_ns - (*y)->arrival_ns;
  if (dx != dy) return dx < dy ? 1 : -1;
  return ((*x)->request > (*y)->request) - ((*x)->request < (*y)->request);
}

static int compare_arrival(const void *a, const void *b) {
  const tdm_request_record *const *x = a, *const *y = b;
  if ((*x)->arrival_ns != (*y)->arrival_ns) return (*x)->arrival_ns < (*y)->arrival_ns ? -1 : 1;
  return ((*x)->request > (*y)->request) - ((*x)->request < (*y)->request);
}

static void push_request(lua_State *L, const tdm_trace *trace, const tdm_request_record *r) {
  lua_createtable(L, 0, 6);
  lua_pushinteger(L, (lua_Integer)(r->request & (((uint64_t)1 << 48) - 1)) + 1);
  lua_setfield(L, -2, "id");
  lua_pushstring(L, tdm_trace_class(trace, r->class_index));
  lua_setfield(L, -2, "class");
  lua_pushnumber(L, (double)r->arrival_ns / 1e9);
  lua_setfield(L, -2, "arrival_s");
  lua_pushnumber(L, (double)(r->end_ns - r->arrival_ns) / 1e9);
  lua_setfield(L, -2, "latency_s");
  lua_pushstring(L, tdm_outcome_name(r->outcome));
  lua_setfield(L, -2, "outcome");
}

/* trace:requests("all" | "sample" | "slowest", count) → list of requests, by arrival; the slowest
 * by latency. A sample is spread evenly over all of them. */
static int list_requests(lua_State *L) {
  static const char *const modes[] = {"all", "sample", "slowest", NULL};
  tdm_trace *trace = check(L);
  int mode = luaL_checkoption(L, 2, "all", modes);
  size_t total = tdm_trace_request_extent(trace).kept;
  size_t wanted = (size_t)luaL_optinteger(L, 3, (lua_Integer)total);
  const tdm_request_record *records = tdm_trace_requests(trace);
  const tdm_request_record **order =
      lua_newuserdatauv(L, (total > 0 ? total : 1) * sizeof(tdm_request_record *), 0);
  for (size_t i = 0; i < total; i++) order[i] = &records[i];
  qsort(order, total, sizeof *order, mode == 2 ? compare_latency : compare_arrival);
  if (wanted > total) wanted = total;
  lua_newtable(L);
  for (size_t i = 0; i < wanted; i++) {
    push_request(L, trace, order[mode == 1 ? i * total / wanted : i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

static const luaL_Reg methods[] = {{"chrome", write_chrome},
                                   {"counts", counts},
                                   {"close", close_trace},
                                   {"requests", list_requests},
                                   {"__gc", close_trace},
                                   {"__close", close_trace},
                                   {NULL, NULL}};

tdm_trace **tdm_bind_trace_new(lua_State *L) {
  tdm_trace **slot = lua_newuserdatauv(L, sizeof *slot, 0);
  *slot = NULL;
  if (luaL_newmetatable(L, type_name)) {
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
  }
  lua_setmetatable(L, -2);
  return slot;
}
