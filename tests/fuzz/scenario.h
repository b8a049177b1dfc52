/* One scenario text through everything that scenarios go through, for the fuzzers of this
 * directory: keeps a Lua state, bounds its memory and the time of a run, and ends the process when
 * tests/fuzz/scenario.lua finds a fault or anything reaches standard output. */
#ifndef TESTS_FUZZ_SCENARIO_H
#define TESTS_FUZZ_SCENARIO_H

#include <lauxlib.h>
#include <lualib.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/state.h"
#include "bind/bind.h"

#define SCENARIO_MEMORY_BYTES ((size_t)192 << 20) /* of the Lua state, everything in it */
#define SCENARIO_RUN_MS       500                 /* processor time of a run before it is cut */
#define SCENARIO_INPUTS       500                 /* a fresh state after so many */

static struct {
  lua_State *L;
  lua_Alloc allocate;
  void *allocate_context;
  size_t bytes;
  unsigned inputs;
  timer_t timer;
  atomic_int stop;
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

static void scenario_time_out(int signal_number) {
  (void)signal_number;
  atomic_store(&scenario.stop, 1);
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
  tdm_bind_set_interrupt(scenario.L, &scenario.stop);
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
  struct sigaction action = {.sa_handler = scenario_time_out, .sa_flags = SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  sigemptyset(&action.sa_mask);
  sigaction(SIGRTMIN, &action, NULL);
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &scenario.timer) != 0)
    scenario_fail("no timer");
  scenario_watch_output();
  atexit(scenario_close);
}

static int scenario_traceback(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

/* path: tells Lua from JSON. */
static inline void scenario_input(const uint8_t *data, size_t size, const char *path) {
  if (scenario.timer == NULL) scenario_start();
  if (scenario.L == NULL || scenario.inputs++ >= SCENARIO_INPUTS) scenario_open();
  lua_State *L = scenario.L;
  struct itimerspec limit = {.it_value = {.tv_nsec = SCENARIO_RUN_MS * 1000000L},
                             .it_interval = {.tv_nsec = SCENARIO_RUN_MS * 1000000L}};
  timer_settime(scenario.timer, 0, &limit, NULL);
  lua_settop(L, 1); /* the function of scenario.lua stays */
  lua_pushcfunction(L, scenario_traceback);
  lua_pushvalue(L, 1);
  lua_pushlstring(L, (const char *)data, size);
  lua_pushstring(L, path);
  int status = lua_pcall(L, 2, 0, 2);
  memset(&limit, 0, sizeof limit);
  timer_settime(scenario.timer, 0, &limit, NULL);
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
