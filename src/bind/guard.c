/* core.guard: runs user code so that Ctrl-C stops it and the session lives on.
 * Owns the SIGINT handler while such a call runs, and gives it back after. The handler raises the
 * flag that the engine polls and plants a Lua hook in the running coroutine; that is why resume
 * and wrap stand here in a form that keeps account of it. Called by the shell (REPL, Jupyter). */
#include "bind/guard.h"

#include <errno.h>
#include <lauxlib.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "bind/bind.h"

enum {
  AGAIN_INSTRUCTIONS =
      100000,           /* about a millisecond: after it, code that caught the stop is hit again */
  PRESSES_TO_LEAVE = 3, /* presses without an answer, LEAVE_SECONDS after the first: give up */
  LEAVE_SECONDS = 2,
  EXIT_INTERRUPTED = 130
};

/* One guarded call at a time; Lua runs on one thread. What the handler touches is volatile. */
static struct {
  lua_State *volatile base;    /* the thread that called; NULL: nothing is guarded */
  lua_State *volatile running; /* base, or the coroutine inside it that runs now */
  pthread_t home;              /* the operating system's thread of both */
  atomic_int *flag;            /* the engine polls it; may be NULL */
  volatile sig_atomic_t presses;
  int stops;                     /* raised in Lua since the call began */
  volatile sig_atomic_t engines; /* runs under way that poll the flag */
  volatile time_t first_press_s; /* monotonic */
} guard;

void tdm_guard_engine_enter(void) {
  guard.engines++;
}
void tdm_guard_engine_leave(void) {
  guard.engines--;
}

/* Coroutines inherit hooks and outlive the call, hence the first test. */
static void stop_lua(lua_State *L, lua_Debug *record) {
  (void)record;
  if (guard.presses == 0) {
    lua_sethook(L, NULL, 0, 0);
    return;
  }
  /* Code that catches errors gets a while to clean up, then no further instruction. */
  guard.stops++;
  lua_sethook(L, stop_lua, LUA_MASKCOUNT, guard.stops == 1 ? AGAIN_INSTRUCTIONS : 1);
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
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (guard.presses == 0) guard.first_press_s = now.tv_sec;
  guard.presses++;
  if (guard.flag != NULL) atomic_store(guard.flag, 1);
  if (guard.base != NULL && (guard.engines == 0 || guard.presses > 1)) {
    plant_hook(guard.base);
    if (guard.running != guard.base) plant_hook(guard.running);
  }
  if (guard.presses >= PRESSES_TO_LEAVE && now.tv_sec - guard.first_press_s >= LEAVE_SECONDS) {
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
    if (guard.flag != NULL) atomic_store(guard.flag, 0);
    guard.presses = 0;
    guard.stops = 0;
    guard.engines = 0;
    guard.home = pthread_self();
    guard.running = L;
    guard.base = L;
    sigaction(SIGINT, &ours, &before); /* no SA_RESTART: a blocked read returns */
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

/* guard.interrupted() → whether Ctrl-C was pressed during the present or the last guarded call */
static int guard_interrupted(lua_State *L) {
  lua_pushboolean(L, guard.presses > 0);
  return 1;
}

/* Moves `arguments` values to co and runs it. Returns the number of values that it left on L, or
 * -1 with the error value on top. [-arguments, +results, m] */
static int resume_into(lua_State *L, lua_State *co, int arguments) {
  int results = 0;
  if (!lua_checkstack(co, arguments)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, arguments);
  lua_State *outer = guard.running;
  guard.running = co;
  int status = lua_resume(co, L, arguments, &results);
  guard.running = outer;
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(co, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, results);
  return results;
}

/* coroutine.resume, with account of who runs. */
static int guard_resume(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  luaL_argexpected(L, co != NULL, 1, "coroutine");
  int results = resume_into(L, co, lua_gettop(L) - 1);
  lua_pushboolean(L, results >= 0);
  int returned = results >= 0 ? results : 1;
  lua_insert(L, -(returned + 1));
  return returned + 1;
}

static int wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  int results = resume_into(L, co, lua_gettop(L));
  if (results >= 0) return results;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) { /* it died: closes its pending variables */
    status = lua_resetthread(co);
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* coroutine.wrap, the same. */
static int guard_wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, wrapped, 1);
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
  static const luaL_Reg functions[] = {
      {"call", guard_call}, {"interrupted", guard_interrupted}, {"resume", guard_resume},
      {"wrap", guard_wrap}, {"seconds", guard_seconds},         {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "guard");
}
