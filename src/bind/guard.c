/* core.guard: runs user code so that Ctrl-C stops it and the session lives on.
 * Owns the SIGINT handler while such a call runs, and gives it back after; for a command, also
 * those of the signals that end the program, so that its temporary files go first. The handler
 * raises the flag that the engine polls and plants a Lua hook in the running coroutine; that is why
 * resume and wrap are offered in a form that keeps account of it. Called by the shell (REPL,
 * Jupyter) and by the command line. */
#include "bind/guard.h"

#include <errno.h>
#include <lauxlib.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bind/bind.h"

enum {
  AGAIN_INSTRUCTIONS =
      100000,           /* about a millisecond: after it, code that caught the stop is hit again */
  PRESSES_TO_LEAVE = 3, /* presses without an answer, LEAVE_MS after the first: give up */
  LEAVE_MS = 2000,
  SAME_PRESS_MS = 100, /* timeout(1) and its like signal a process and then its group */
  EXIT_INTERRUPTED = 130
};

/* One guarded call at a time; Lua runs on one thread. What the handler touches is volatile. */
static struct {
  lua_State *volatile base;    /* the thread that called; NULL: nothing is guarded */
  lua_State *volatile running; /* base, or the coroutine inside it that runs now */
  pthread_t home;              /* the operating system's thread of both */
  atomic_int *flag;            /* the engine polls it; may be NULL */
  volatile sig_atomic_t presses;
  bool early;         /* Ctrl-C was pressed before the call that it is meant for */
  int stops;          /* raised in Lua since the call began */
  atomic_int engines; /* runs under way that poll the flag */
  volatile sig_atomic_t
      ending; /* the signal that ends the program once it has cleaned up; 0: none */
  volatile int64_t first_press_ms, last_press_ms; /* monotonic */
} guard;

lua_State *volatile *tdm_guard_running(void) {
  return &guard.running;
}

void tdm_guard_engine_enter(void) {
  guard.engines++;
}
void tdm_guard_engine_leave(void) {
  guard.engines--;
}

/* Coroutines inherit hooks and outlive the call, hence the first test. */
static void stop_lua(lua_State *L, lua_Debug *record) {
  (void)record;
  static const char ours[] = "lua/tandem/";
  if (guard.presses == 0) {
    lua_sethook(L, NULL, 0, 0);
    return;
  }
  /* Code that catches errors gets a while to clean up, then no further instruction. */
  guard.stops++;
  lua_sethook(L, stop_lua, LUA_MASKCOUNT, guard.stops == 1 ? AGAIN_INSTRUCTIONS : 1);
  /* Where it was is of use to who wrote it: a line of ours tells nobody anything. */
  lua_Debug caller;
  if (lua_getstack(L, 1, &caller) != 0 && lua_getinfo(L, "S", &caller) != 0 &&
      strncmp(caller.short_src, ours, sizeof ours - 1) == 0) {
    lua_pushliteral(L, "interrupted");
    lua_error(L);
  }
  luaL_error(L, "interrupted");
}

static void plant_hook(lua_State *L) {
  lua_sethook(L, stop_lua, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
}

/* Async-signal-safe, and on Lua's own thread: lua_sethook may be called from a handler there. */
static void on_interrupt(int signal_number) {
  int saved = errno;
  if (!pthread_equal(pthread_self(), guard.home)) {
    pthread_kill(guard.home, signal_number);
    errno = saved;
    return;
  }
  if (signal_number != SIGINT) guard.ending = signal_number;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
  if (guard.presses > 0 && now_ms - guard.last_press_ms < SAME_PRESS_MS) return;
  if (guard.presses == 0) guard.first_press_ms = now_ms;
  guard.last_press_ms = now_ms;
  guard.presses++;
  if (guard.flag != NULL) atomic_store(guard.flag, 1);
  if (guard.base != NULL && (guard.engines == 0 || guard.presses > 1)) {
    plant_hook(guard.base);
    if (guard.running != guard.base) plant_hook(guard.running);
  }
  if (guard.presses >= PRESSES_TO_LEAVE && now_ms - guard.first_press_ms >= LEAVE_MS) {
    static const char text[] = "\ntandem: it does not stop; leaving\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(EXIT_INTERRUPTED);
    _exit(EXIT_INTERRUPTED);
  }
  errno = saved;
}

/* guard.call(handler, f, …) → as xpcall(f, handler, …), while Ctrl-C raises "interrupted" in f.
 * Inside another guarded call it is only xpcall. */
static int guard_call(lua_State *L) {
  luaL_checkany(L, 2);
  int arguments = lua_gettop(L) - 2;
  int status;
  if (guard.base != NULL) {
    status = lua_pcall(L, arguments, LUA_MULTRET, 1);
  } else {
    struct sigaction ours = {.sa_handler = on_interrupt}, before;
    sigemptyset(&ours.sa_mask);
    guard.flag = tdm_bind_interrupt(L);
    if (guard.early) {
      guard.early = false;
      guard.presses = 1;
      guard.first_press_ms = guard.last_press_ms = 0;
    } else if (guard.ending == 0) {
      if (guard.flag != NULL) atomic_store(guard.flag, 0);
      guard.presses = 0;
    }
    guard.stops = 0;
    guard.engines = 0;
    guard.home = pthread_self();
    guard.running = L;
    guard.base = L;
    sigaction(SIGINT, &ours, &before); /* no SA_RESTART: a blocked read returns */
    if (guard.presses != 0) plant_hook(L);
    status = lua_pcall(L, arguments, LUA_MULTRET, 1);
    sigaction(SIGINT, &before, NULL);
    lua_sethook(L, NULL, 0, 0);
    guard.base = guard.running = NULL;
    if (guard.flag != NULL) atomic_store(guard.flag, 0);
  }
  lua_pushboolean(L, status == LUA_OK);
  lua_replace(L, 1);
  return lua_gettop(L);
}

/* guard.ends(): Ctrl-C while the program began counts for the next call; from now on SIGTERM and
 * SIGHUP stop what is guarded as Ctrl-C does, and end the program when it is done
 * (tdm_guard_leave). One that is ignored, as under nohup, stays so. */
static int guard_ends(lua_State *L) {
  atomic_int *flag = tdm_bind_interrupt(L);
  guard.early = flag != NULL && atomic_load(flag) != 0;
  static const int signals[] = {SIGTERM, SIGHUP};
  struct sigaction ours = {.sa_handler = on_interrupt}, before;
  sigemptyset(&ours.sa_mask);
  guard.home = pthread_self();
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(signals[i], &ours, NULL);
  return 0;
}

void tdm_guard_leave(void) {
  if (guard.ending == 0) return;
  signal(guard.ending, SIG_DFL);
  raise(guard.ending);
}

/* guard.interrupted() → whether Ctrl-C was pressed during the present or the last guarded call */
static int guard_interrupted(lua_State *L) {
  lua_pushboolean(L, guard.presses > 0);
  return 1;
}

/* guard.seconds() → a clock that only goes forward, for :time */
static int guard_seconds(lua_State *L) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(L, (lua_Number)now.tv_sec + (lua_Number)now.tv_nsec * 1e-9);
  return 1;
}

void tdm_bind_open_guard(lua_State *L) {
  static const luaL_Reg functions[] = {{"call", guard_call},
                                       {"ends", guard_ends},
                                       {"interrupted", guard_interrupted},
                                       {"seconds", guard_seconds},
                                       {NULL, NULL}};
  luaL_newlib(L, functions);
  tdm_coroutine_functions(L, &guard.running);
  lua_setfield(L, -2, "guard");
}
