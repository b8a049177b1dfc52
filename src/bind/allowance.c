/* core.allowance: runs a script that may execute so many instructions, run for so long and take so
 * much memory, and says at which of its lines it was stopped. Owns the thread, its hook, its timer
 * and the limit of the state's allocator while it runs. Called by tandem.sandbox and tandem.expr,
 * on the thread that runs Lua. */
#include <lauxlib.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bind/bind.h"
#include "bind/guard.h"

/* Making an object and collecting it take the time of so many instructions, about: a table of 15, a
 * closure of 26, a coroutine or a string that is put together of 75, in two or three pieces. */
enum { STEP_INSTRUCTIONS = 1000, DEEPEST_FRAME = 250, ALLOCATION_COSTS = 20 };

/* Of the processor, between two ticks once the time is up: who was hit first may have been left. */
#define AGAIN_NS    INT64_C(10000000)
#define LATE_SIGNAL SIGVTALRM

typedef struct allowance allowance;

/* One a call; they nest, and the state's registry knows the innermost. */
struct allowance {
  allowance *outer;
  lua_State *base;            /* who called */
  lua_State *thread, *latest; /* the script's, and which of it and its coroutines was last seen */
  const char *source, *subject, *hint; /* the chunk's name; "the script"; how to raise the limits */
  lua_Integer instructions, executed;  /* the first 0: as many as it likes */
  /* Of the processor: what an instruction takes has no bound, where it compares long texts or calls
   * what C does. A timer tells when it is over; most_ns 0: as long as it likes. */
  int64_t most_ns, begun_ns;
  timer_t timer;
  volatile sig_atomic_t late;
  size_t bytes;          /* 0: as many as it likes */
  bool limit_met;        /* memory was refused at some time, */
  bool refused, starved; /* now, and even after garbage was collected for it */
  int64_t taken;
  lua_Alloc allocate; /* the state's own, and what it is given */
  void *context;
  lua_Hook planted; /* on base when it began: what Ctrl-C plants there later is for us */
  int line;         /* where it was stopped; 0 while it was not */
};

static const char innermost; /* its address is the registry key of the innermost */

static _Thread_local allowance *volatile ticking; /* the same, for the timers' handler */

static allowance *current(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &innermost);
  allowance *a = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return a;
}

/* The innermost running line of the script; 0 where none is known. */
static int line_of(lua_State *L, const char *source) {
  lua_Debug frame;
  for (int level = 0; level < DEEPEST_FRAME && lua_getstack(L, level, &frame); level++)
    if (lua_getinfo(L, "Sl", &frame) && frame.currentline > 0 && strcmp(frame.source, source) == 0)
      return frame.currentline;
  return 0;
}

static int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void count(lua_State *L, lua_Debug *record);

/* Async-signal-safe, and on the thread that runs Lua. Instructions are counted by the thousand, and
 * each may copy a gigabyte: after the present one the hook comes. */
static void on_tick(int signal_number) {
  (void)signal_number;
  allowance *a = ticking;
  lua_State *running = *tdm_guard_running();
  if (a == NULL || running == NULL) return;
  int64_t now_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  bool any = false;
  for (; a != NULL; a = a->outer) {
    if (a->most_ns > 0 && now_ns - a->begun_ns >= a->most_ns) a->late = 1;
    any = any || a->late != 0;
  }
  if (any && lua_gethook(running) == count) lua_sethook(running, count, LUA_MASKCOUNT, 1);
}

/* Without a timer, as where a process may have no more of them, instructions and memory hold it. */
static bool begin_ticking(allowance *a) {
  struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART}, before;
  sigemptyset(&action.sa_mask);
  sigaction(LATE_SIGNAL, &action, &before);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = LATE_SIGNAL};
  event._sigev_un._tid = gettid();
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &a->timer) != 0) return false;
  struct itimerspec when = {.it_interval = {.tv_nsec = AGAIN_NS},
                            .it_value = {.tv_sec = (time_t)(a->most_ns / 1000000000),
                                         .tv_nsec = (long)(a->most_ns % 1000000000)}};
  timer_settime(a->timer, 0, &when, NULL);
  return true;
}

/* Whether it, or one that it runs in, has had its time. */
static bool is_late(const allowance *a) {
  for (; a != NULL; a = a->outer)
    if (a->late != 0) return true;
  return false;
}

static const char *words(lua_State *L, const allowance *a) {
  if (is_late(a)) {
    while (a->late == 0) a = a->outer;
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%g", (double)a->most_ns / 1e9);
    return lua_pushfstring(L, "%s ran for more than %s s of processor time%s", a->subject, seconds,
                           a->hint);
  }
  return a->starved ? lua_pushfstring(L, "%s uses more than %I bytes of memory%s", a->subject,
                                      (LUAI_UACINT)a->bytes, a->hint)
                    : lua_pushfstring(L, "%s ran for more than %I instructions%s", a->subject,
                                      (LUAI_UACINT)a->instructions, a->hint);
}

/* Coroutines of the script inherit it. Once it has stopped the script, every instruction fails, so
 * that no pcall of it can go on. */
static void count(lua_State *L, lua_Debug *record) {
  (void)record;
  allowance *a = current(L);
  if (a == NULL) { /* a coroutine that outlived the call */
    lua_sethook(L, NULL, 0, 0);
    return;
  }
  lua_Hook stop = lua_gethook(a->base);
  if (stop != a->planted && stop != NULL) {
    lua_sethook(L, stop, lua_gethookmask(a->base), lua_gethookcount(a->base));
    return;
  }
  a->latest = L;
  a->executed += STEP_INSTRUCTIONS;
  bool over = a->instructions > 0 && a->executed > a->instructions;
  if (a->line == 0 && !a->starved && !over && !is_late(a)) return;
  if (a->line == 0) a->line = line_of(L, a->source);
  if (a->line == 0) a->line = line_of(a->thread, a->source);
  if (a->line == 0) a->line = -1;
  lua_sethook(L, count, LUA_MASKCOUNT, 1);
  words(L, a);
  lua_error(L);
}

/* Lua collects garbage when it is refused memory, which takes nothing new, and asks again. A script
 * that catches the second refusal must not go on: each further one would collect all again. */
static void *limited(void *context, void *block, size_t old_size, size_t size) {
  allowance *a = context;
  int64_t more = (int64_t)size - (block != NULL ? (int64_t)old_size : 0);
  /* One call can work for minutes, as the parser of a long text; it ends where it takes memory. */
  if (more > 0 && a->line == 0 && a->late != 0) {
    a->limit_met = true;
    return NULL;
  }
  if (more > 0 && a->bytes > 0 && a->taken + more > (int64_t)a->bytes) {
    if (a->refused) {
      a->starved = true;
      lua_sethook(a->thread, count, LUA_MASKCOUNT, 1);
      lua_sethook(a->latest, count, LUA_MASKCOUNT, 1);
    }
    a->refused = a->limit_met = true;
    return NULL;
  }
  void *made = a->allocate(a->context, block, old_size, size);
  if (made != NULL || size == 0) a->taken += more;
  if (more > 0) a->refused = false;
  if (block == NULL && !a->limit_met) /* once it is met, memory is what is told */
    a->executed += ALLOCATION_COSTS;
  return made;
}

bool tdm_allowance_spend(lua_State *L, uint64_t instructions) {
  allowance *a = current(L);
  if (a == NULL || a->instructions == 0) return false;
  uint64_t left = a->executed < a->instructions ? (uint64_t)(a->instructions - a->executed) : 0;
  a->executed += (lua_Integer)(instructions < left ? instructions : left);
  return true;
}

static int status_of(lua_State *L, allowance *a) {
  int results = 0;
  lua_State *volatile *running = tdm_guard_running();
  lua_State *outer = *running;
  allowance *outer_ticking = ticking;
  lua_pushlightuserdata(L, a);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &innermost);
  lua_sethook(a->thread, count, LUA_MASKCOUNT, STEP_INSTRUCTIONS);
  ticking = a;
  *running = a->thread;
  bool timed = a->most_ns > 0 && begin_ticking(a);
  lua_setallocf(L, limited, a);
  int status = lua_resume(a->thread, L, 0, &results);
  lua_setallocf(L, a->allocate, a->context);
  if (timed) timer_delete(a->timer);
  *running = outer;
  ticking = outer_ticking;
  /* Ctrl-C has stopped it: whoever called has the same while to clean up. */
  lua_Hook last = lua_gethook(a->thread);
  if (last != count && last != NULL)
    lua_sethook(L, last, lua_gethookmask(a->thread), lua_gethookcount(a->thread));
  lua_sethook(a->thread, NULL, 0, 0);
  if (a->outer != NULL)
    lua_pushlightuserdata(L, a->outer);
  else
    lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &innermost);
  return status;
}

/* Whether the error on top is Lua's own of memory; text buffers raise it as any other, and who
 * resumes a coroutine may put a place before it. */
static bool is_out_of_memory(lua_State *L) {
  static const char own[] = "not enough memory";
  size_t length = 0;
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
  return text != NULL && length >= sizeof own - 1 &&
         strcmp(text + length - (sizeof own - 1), own) == 0;
}

/* core.allowance(chunk, source, instructions, bytes, seconds of the processor, subject = nil) →
 * true, what the chunk returns first | false, what it raised, the script's line, whether a limit
 * was met. source is the chunk's; 0: no limit; the subject is what messages tell of instead of a
 * script. */
static int run_within(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  allowance a = {.base = L, .source = luaL_checkstring(L, 2)};
  a.instructions = luaL_checkinteger(L, 3);
  lua_Integer bytes = luaL_checkinteger(L, 4);
  lua_Number seconds = luaL_checknumber(L, 5);
  luaL_argcheck(L, a.instructions >= 0, 3, "is negative");
  luaL_argcheck(L, bytes >= 0, 4, "is negative");
  luaL_argcheck(L, seconds >= 0 && seconds < 1e9, 5, "is no time");
  a.bytes = (size_t)bytes;
  a.most_ns = (int64_t)(seconds * 1e9);
  a.subject = luaL_optstring(L, 6, "the script");
  a.hint = lua_isnoneornil(L, 6) ? " (--script-limit raises this)" : "";
  a.begun_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  a.outer = current(L);
  a.allocate = lua_getallocf(L, &a.context);
  a.planted = lua_gethook(L);
  a.thread = a.latest = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, a.thread, 1);
  int status = status_of(L, &a);
  lua_State *co = a.thread;
  if (status == LUA_OK) {
    lua_pushboolean(L, true);
    if (lua_gettop(co) == 0)
      lua_pushnil(L);
    else {
      lua_settop(co, 1);
      lua_xmove(co, L, 1);
    }
    return 2;
  }
  int line = a.line != 0 ? a.line : line_of(co, a.source);
  lua_pushboolean(L, false);
  if (status == LUA_YIELD)
    lua_pushliteral(L, "the script yields outside a coroutine");
  else if (a.limit_met && is_out_of_memory(co)) {
    a.starved = true;
    a.line = line > 0 ? line : -1;
    words(L, &a);
  } else
    lua_xmove(co, L, 1);
  if (line > 0)
    lua_pushinteger(L, line);
  else
    lua_pushnil(L);
  lua_pushboolean(L, a.line != 0);
  lua_resetthread(co);
  return 4;
}

void tdm_bind_open_allowance(lua_State *L) {
  lua_pushcfunction(L, run_within);
  lua_setfield(L, -2, "allowance");
}
