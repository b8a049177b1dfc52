/* capture.follow(path) → a follower | nil, message, code; read/capture/follow for Lua.
 *
 * follower:look() → sums | nil, message, code: { records, calls, lost, bytes, processes, start_ns,
 * last_ns, recording, ended, command, names = {{ sort, name?, count, bytes, ns }}, devices = {{
 * number, name?, held, peak, busy_ns, last_ns? }} }, sort being "call", "kernel", "copy" or
 * "range". follower:wait(ms) sleeps; Ctrl-C ends it. follower:close(). Owns the follower. Called by
 * tandem.capture.live. */
#include "bind/capture/inside.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <time.h>

#include "bind/bind.h"
#include "read/capture/follow.h"

static const char follower_name[] = "tandem.capture.follower";

static void put(lua_State *L, const char *key, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, key);
}

static void put_flag(lua_State *L, const char *key, bool value) {
  lua_pushboolean(L, value);
  lua_setfield(L, -2, key);
}

static void put_text(lua_State *L, const char *key, const char *value) {
  lua_pushstring(L, value); /* nil of NULL */
  lua_setfield(L, -2, key);
}

static void push_names(lua_State *L, const tdm_follow_sums *sums) {
  static const char *const sorts[] = {[TDM_FOLLOW_CALLS] = "call",
                                      [TDM_FOLLOW_KERNELS] = "kernel",
                                      [TDM_FOLLOW_COPIES] = "copy",
                                      [TDM_FOLLOW_RANGES] = "range"};
  lua_createtable(L, (int)sums->name_count, 0);
  for (size_t i = 0; i < sums->name_count; i++) {
    const tdm_follow_name *name = &sums->names[i];
    lua_createtable(L, 0, 5);
    put_text(L, "sort", sorts[name->sort]);
    put_text(L, "name", name->name);
    put(L, "count", (int64_t)name->count);
    put(L, "bytes", (int64_t)name->bytes);
    put(L, "ns", name->ns);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static void push_devices(lua_State *L, const tdm_follow_sums *sums) {
  lua_createtable(L, (int)sums->device_count, 0);
  for (size_t i = 0; i < sums->device_count; i++) {
    const tdm_follow_device *device = &sums->devices[i];
    lua_createtable(L, 0, 6);
    put(L, "number", device->number);
    put_text(L, "name", device->name);
    put(L, "held", device->held);
    put(L, "peak", device->peak);
    put(L, "busy_ns", device->busy_ns);
    if (device->last_ns != INT64_MIN) put(L, "last_ns", device->last_ns);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static int look(lua_State *L) {
  tdm_capture_follower **follower = luaL_checkudata(L, 1, follower_name);
  luaL_argcheck(L, *follower != NULL, 1, "closed");
  tdm_follow_sums sums;
  tdm_error error;
  if (tdm_capture_follow_look(*follower, &sums, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  lua_createtable(L, 0, 12);
  put(L, "records", (int64_t)sums.records);
  put(L, "calls", (int64_t)sums.calls);
  put(L, "lost", (int64_t)sums.lost);
  put(L, "bytes", (int64_t)sums.bytes);
  put(L, "processes", sums.processes);
  put(L, "start_ns", sums.start_ns);
  put(L, "last_ns", sums.last_ns);
  put_flag(L, "recording", sums.recording);
  put_flag(L, "ended", sums.ended);
  put_text(L, "command", sums.command);
  push_names(L, &sums);
  lua_setfield(L, -2, "names");
  push_devices(L, &sums);
  lua_setfield(L, -2, "devices");
  return 1;
}

static int wait_a_while(lua_State *L) {
  lua_Integer ms = luaL_checkinteger(L, 2);
  struct timespec left = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
  nanosleep(&left, NULL);
  return 0;
}

static int close_follower(lua_State *L) {
  tdm_capture_follower **follower = luaL_checkudata(L, 1, follower_name);
  tdm_capture_follow_close(*follower);
  *follower = NULL;
  return 0;
}

int tdm_bind_capture_follow(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"look", look},           {"wait", wait_a_while},      {"close", close_follower},
      {"__gc", close_follower}, {"__close", close_follower}, {NULL, NULL}};
  const char *path = luaL_checkstring(L, 1);
  tdm_capture_follower **follower = lua_newuserdatauv(L, sizeof *follower, 0);
  *follower = NULL;
  if (luaL_newmetatable(L, follower_name)) {
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
  }
  lua_setmetatable(L, -2);
  tdm_error error;
  if (tdm_capture_follow_open(path, follower, &error) != TDM_OK) return tdm_bind_failure(L, &error);
  return 1;
}
