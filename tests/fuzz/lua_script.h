/* Any bytes through a function of Lua, for the fuzzers of this directory: keeps a Lua state, bounds
 * its memory and the time of an input, and ends the process when the function raises or anything
 * reaches standard output. LUA_SCRIPT, defined before, is the file that returns the function; it is
 * given the bytes and a word of the fuzzer's. */
#ifndef TESTS_FUZZ_LUA_SCRIPT_H
#define TESTS_FUZZ_LUA_SCRIPT_H

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

#define SCRIPT_MEMORY_BYTES ((size_t)192 << 20) /* of the Lua state, everything in it */
#define SCRIPT_INPUTS       500                 /* a fresh state after so many */

static struct {
  lua_State *L;
  lua_Alloc allocate;
  void *allocate_context;
  size_t bytes;
  unsigned inputs;
  bool started;
} script;

/* The state's own allocator with a limit: a script cannot eat the machine's memory. */
static void *script_allocate(void *context, void *block, size_t old_size, size_t size) {
  (void)context;
  size_t held = block != NULL ? old_size : 0;
  if (size > held && script.bytes - held + size > SCRIPT_MEMORY_BYTES) return NULL;
  void *moved = script.allocate(script.allocate_context, block, old_size, size);
  if (moved != NULL || size == 0) script.bytes += size - held;
  return moved;
}

static void script_fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

static void script_close(void) {
  if (script.L != NULL) lua_close(script.L);
  script.L = NULL;
}

static void script_open(void) {
  script_close();
  script.inputs = 0;
  script.L = tdm_state_open();
  if (script.L == NULL) script_fail("no Lua state");
  script.allocate = lua_getallocf(script.L, &script.allocate_context);
  script.bytes =
      (size_t)lua_gc(script.L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(script.L, LUA_GCCOUNTB);
  lua_setallocf(script.L, script_allocate, NULL);
  tdm_bind_set_interrupt(script.L, &time_limit.stop);
  if (luaL_dofile(script.L, LUA_SCRIPT) != LUA_OK)
    script_fail(lua_tostring(script.L, -1)); /* run from the root of the sources */
}

/* Standard output belongs to results: nothing here may write there. */
static void script_watch_output(void) {
  FILE *file = tmpfile();
  if (file == NULL || dup2(fileno(file), STDOUT_FILENO) < 0) script_fail("no standard output");
  fclose(file);
}

static void script_start(void) {
  script_watch_output();
  atexit(script_close);
  script.started = true;
}

static int script_traceback(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

/* word: what the bytes are to be taken for. */
static inline void script_input(const uint8_t *data, size_t size, const char *word) {
  if (!script.started) script_start();
  if (script.L == NULL || script.inputs++ >= SCRIPT_INPUTS) script_open();
  lua_State *L = script.L;
  time_limit_begin();
#ifdef LUA_SCRIPT_HOOK
  LUA_SCRIPT_HOOK(L);
#endif
  lua_settop(L, 1); /* the function stays */
  lua_pushcfunction(L, script_traceback);
  lua_pushvalue(L, 1);
  lua_pushlstring(L, (const char *)data, size);
  lua_pushstring(L, word);
  int status = lua_pcall(L, 2, 0, 2);
  time_limit_end();
  /* Out of memory is an answer; the state may be full of garbage now. */
  const char *message = status == LUA_OK ? NULL : lua_tostring(L, -1);
  if (status == LUA_ERRMEM || (message != NULL && strstr(message, "not enough memory") != NULL))
    script_close();
  else if (status != LUA_OK)
    script_fail(message != NULL ? message : "an error without words");
  fflush(stdout);
  if (lseek(STDOUT_FILENO, 0, SEEK_END) > 0) script_fail("something was printed");
}

#endif
