/* Which lines of Lua an input reaches, told to libFuzzer: to it all Lua is one loop of C. Included
 * before lua_script.h by fuzzers of what is written in Lua. */
#ifndef TESTS_FUZZ_LUA_LINES_H
#define TESTS_FUZZ_LUA_LINES_H

#include <lua.h>
#include <stdint.h>

enum { LUA_LINES = 1 << 16 };

/* libFuzzer looks at the bytes of this section as at its own counters. */
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t lua_lines[LUA_LINES];

/* FNV-1a over the file's name and the line. */
static void lua_lines_reached(lua_State *L, lua_Debug *at) {
  lua_getinfo(L, "S", at);
  uint32_t hash = 2166136261u;
  for (const char *c = at->short_src; *c != 0; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
  hash = (hash ^ (uint32_t)at->currentline) * 16777619u;
  uint8_t *counter = &lua_lines[(hash ^ hash >> 16) % LUA_LINES];
  if (*counter < UINT8_MAX) (*counter)++;
}

#define LUA_SCRIPT_HOOK(L) lua_sethook(L, lua_lines_reached, LUA_MASKLINE, 0)

#endif
