/* One scenario text through everything that scenarios go through, for the fuzzers of this
 * directory: keeps a Lua state, bounds its memory and the time of a run, and ends the process when
 * tests/fuzz/scenario.lua finds a fault or anything reaches standard output. */
#ifndef TESTS_FUZZ_SCENARIO_H
#define TESTS_FUZZ_SCENARIO_H

#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "bind/bind.h"
#include "time_limit.h"

#define SCENARIO_MEMORY_BYTES ((size_t)192 << 20) /* of the Lua state, everything in it */
#define SCENARIO_INPUTS       500                 /* a fresh state after so many */

static struct {
  lua_State *L;
  lua_Alloc allocate;
  void *allocate_context;
  size_t bytes;
  unsigned inputs;
  bool started;
} scenario;

/* The state's own allocator with a limit: a script cannot eat the machine's memory. */
static void *scenario_allocate(void *context, void *block, size_t old_size, size_t size) {
  (void)context;
  size_t held = block != NULL ? old_size : 0;
  if (size > held && scenario.bytes - held + size > SCENARIO_MEMORY_BYTES) return NULL;
  void *moved = scenario.allocate(scenario.allocate_context, block, old_size, size);
  if (moved != NULL || size == 0) scenario.bytes += size - held;
  return moved;
}

static void scenario_fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

static void scenario_close(void) {
  if (scenario.L != NULL) lua_close(scenario.L);
  scenario.L = NULL;
}

static void scenario_open(void) {
  scenario_close();
  scenario.inputs = 0;
  scenario.L = tdm_state_open();
  if (scenario.L == NULL) scenario_fail("no Lua state");
  scenario.allocate = lua_getallocf(scenario.L, &scenario.allocate_context);
  scenario.bytes =
      (size_t)lua_gc(scenario.L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(scenario.L, LUA_GCCOUNTB);
  lua_setallocf(scenario.L, scenario_allocate, NULL);
  tdm_bind_set_interrupt(scenario.L, &time_limit.stop);
  if (luaL_dofile(scenario.L, "tests/fuzz/scenario.lua") != LUA_OK)
    scenario_fail(lua_tostring(scenario.L, -1)); /* run from the root of the sources */
}

/* Standard output belongs to results: nothing here may write there. */
static void scenario_watch_output(void) {
  FILE *file = tmpfile();
  if (file == NULL || dup2(fileno(file), STDOUT_FILENO) < 0) scenario_fail("no standard output");
  fclose(file);
}

static void scenario_start(void) {
  scenario_watch_output();
  atexit(scenario_close);
  scenario.started = true;
}

static int scenario_traceback(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

/* path: tells Lua from JSON. */
static inline void scenario_input(const uint8_t *data, size_t size, const char *path) {
  if (!scenario.started) scenario_start();
  if (scenario.L == NULL || scenario.inputs++ >= SCENARIO_INPUTS) scenario_open();
  lua_State *L = scenario.L;
  time_limit_begin();
  lua_settop(L, 1); /* the function of scenario/init.lua stays */
  lua_pushcfunction(L, scenario_traceback);
  lua_pushvalue(L, 1);
  lua_pushlstring(L, (const char *)data, size);
  lua_pushstring(L, path);
  int status = lua_pcall(L, 2, 0, 2);
  time_limit_end();
  /* Out of memory is an answer; the state may be full of garbage now. */
  const char *message = status == LUA_OK ? NULL : lua_tostring(L, -1);
  if (status == LUA_ERRMEM || (message != NULL && strstr(message, "not enough memory") != NULL))
    scenario_close();
  else if (status != LUA_OK)
    scenario_fail(message != NULL ? message : "an error without words");
  fflush(stdout);
  if (lseek(STDOUT_FILENO, 0, SEEK_END) > 0) scenario_fail("something was printed");
}

#endif
