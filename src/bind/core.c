/* tandem.core: version, features built in, where the program is, dates, base64, mixing,
 * interruption. Owns nothing. */
#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <nettle/base64.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/calendar.h"
#include "base/rng.h"
#include "bind/bind.h"
#include "bind/counted/counted.h"
#include "bind/failure.h"

/* core.version() → "0.1.0" */
static int core_version(lua_State *L) {
  lua_pushliteral(L, TDM_VERSION);
  return 1;
}

/* The widest vectors that this machine has and the lowered path can use. */
static const char *simd_level(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return "avx512";
  if (__builtin_cpu_supports("avx2")) return "avx2";
#endif
  return "scalar";
}

static void set_string(lua_State *L, const char *name, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, name);
}

/* core.features() → { name = text | boolean } */
static int core_features(lua_State *L) {
  lua_newtable(L);
  set_string(L, "lua", LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE);
  set_string(L, "sqlite", sqlite3_libversion());
  set_string(L, "simd", simd_level());
#if defined(__clang__)
  set_string(L, "compiler", "clang " __clang_version__);
#else
  set_string(L, "compiler", "gcc " __VERSION__);
#endif
#if defined(TDM_HAVE_EDIT)
  bool edit = true;
#else
  bool edit = false;
#endif
  lua_pushboolean(L, edit);
  lua_setfield(L, -2, "libedit");
  lua_getglobal(L, "require");
  lua_pushliteral(L, "cjson");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "_VERSION");
  lua_setfield(L, -3, "cjson");
  lua_pop(L, 1);
  return 1;
}

/* core.executable() → the path of this program | nil, message */
static int core_executable(lua_State *L) {
  char path[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  if (size < 0) {
    luaL_pushfail(L);
    lua_pushfstring(L, "/proc/self/exe: %s", strerror(errno));
    return 2;
  }
  lua_pushlstring(L, path, (size_t)size);
  return 1;
}

/* core.interrupted() → whether Ctrl-C was pressed and not yet answered */
static int core_interrupted(lua_State *L) {
  atomic_int *flag = tdm_bind_interrupt(L);
  lua_pushboolean(L, flag != NULL && atomic_load_explicit(flag, memory_order_relaxed) != 0);
  return 1;
}

/* core.interrupt(): what runs ends as if Ctrl-C had been pressed; who calls it answers it, too */
static int core_interrupt(lua_State *L) {
  atomic_int *flag = tdm_bind_interrupt(L);
  if (flag != NULL) atomic_store(flag, 1);
  return 0;
}

/* core.interrupt_clear(): answers it */
static int core_interrupt_clear(lua_State *L) {
  atomic_int *flag = tdm_bind_interrupt(L);
  if (flag != NULL) atomic_store(flag, 0);
  return 0;
}

/* core.clock() → seconds on a clock that only runs forward: for measuring, never in results */
static int core_clock(lua_State *L) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  lua_pushnumber(L, (lua_Number)t.tv_sec + (lua_Number)t.tv_nsec * 1e-9);
  return 1;
}

/* core.utc_ns() → nanoseconds since 1970: for dating what is kept, never in results */
static int core_utc_ns(lua_State *L) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  lua_pushinteger(L, (lua_Integer)t.tv_sec * 1000000000 + t.tv_nsec);
  return 1;
}

/* core.date_ns(text) → nanoseconds since 1970 of an ISO 8601 date and time | nil */
static int core_date_ns(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  int64_t utc_ns;
  if (strlen(text) == length && tdm_calendar_read(text, length, &utc_ns))
    lua_pushinteger(L, utc_ns);
  else
    luaL_pushfail(L);
  return 1;
}

/* core.unbase64(text) → what it encodes | nil where it is no base64 */
static int core_unbase64(lua_State *L) {
  size_t length, room;
  const char *text = luaL_checklstring(L, 1, &length);
  luaL_Buffer buffer;
  struct base64_decode_ctx context;
  base64_decode_init(&context);
  room = BASE64_DECODE_LENGTH(length);
  uint8_t *out = (uint8_t *)luaL_buffinitsize(L, &buffer, room);
  bool good = base64_decode_update(&context, &room, out, length, text) == 1 &&
              base64_decode_final(&context) == 1;
  luaL_pushresultsize(&buffer, good ? room : 0);
  if (!good) luaL_pushfail(L);
  return 1;
}

/* The n-th output of a seed, as SplitMix64 has it; the 0-th only scatters the seed's bits. */
static uint64_t drawn(lua_State *L) {
  return tdm_mix((uint64_t)luaL_checkinteger(L, 1) +
                 (uint64_t)luaL_optinteger(L, 2, 0) * TDM_GAMMA);
}

/* core.mix(seed, n?) → 64 bits that depend on these two alone */
static int core_mix(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)drawn(L));
  return 1;
}

/* core.fraction(seed, n?) → the upper 53 of them as a number at least 0 and below 1 */
static int core_fraction(lua_State *L) {
  lua_pushnumber(L, (double)(drawn(L) >> 11) * 0x1p-53);
  return 1;
}

/* core.hide_addresses(): string.format of this state shows none from now on */
static int core_hide_addresses(lua_State *L) {
  tdm_counted_hide_addresses(L);
  return 0;
}

void tdm_bind_open_core(lua_State *L) {
  static const luaL_Reg functions[] = {{"version", core_version},
                                       {"blamed", tdm_bind_blamed},
                                       {"features", core_features},
                                       {"executable", core_executable},
                                       {"clock", core_clock},
                                       {"utc_ns", core_utc_ns},
                                       {"date_ns", core_date_ns},
                                       {"unbase64", core_unbase64},
                                       {"mix", core_mix},
                                       {"fraction", core_fraction},
                                       {"hide_addresses", core_hide_addresses},
                                       {"interrupted", core_interrupted},
                                       {"interrupt", core_interrupt},
                                       {"interrupt_clear", core_interrupt_clear},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
