/* core.crew: a function of text shipped to several threads, each with a Lua state of its own.
 *
 * Work is texts, answers are texts; numbers say what belongs to what. A crew knows nothing of
 * sweeps. Each thread opens its state, asks for work, calls the function, hands in the answer; the
 * owner gives and takes from its own thread and is never called back. Meanwhile the function may
 * say how much of its work is done, and the owner may ask. Called by lua/tandem/sweep/crew.lua. */
#include <lauxlib.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "bind/bind.h"
#include "bind/guard.h"
#include "bind/ship/ship.h"
#include "parallel/replicate.h"

static const char type_name[] = "tandem.crew";

#define LOOK_MS    50   /* between two looks at the interrupt flag */
#define THREADS_AT 1024 /* most */

typedef struct message {
  struct message *next;
  lua_Integer number;
  bool failed;
  bool starved; /* failed because memory is short, for the answer too: its text is the question */
  size_t length;
  char text[];
} message;

typedef struct {
  message *first, *last;
} queue;

typedef struct crew crew;

typedef struct {
  crew *crew;
  pthread_t thread;
  double share; /* of what it works on, 0 to 1; guarded by the crew's lock */
} worker;

static const char own_worker; /* its address is the key of a state's worker in its registry */

struct crew {
  worker *workers;
  uint32_t count;
  tdm_shipment *shipment;
  tdm_state_maker make_state;
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t work;  /* given, or ending */
  pthread_cond_t done;  /* an answer, or a thread that could not begin */
  queue given, answers;
  uint32_t outstanding; /* given and not yet taken */
  bool ending;
  char broken[256]; /* why a thread could not begin */
};

/* ---- queues */

static message *message_new(lua_Integer number, const char *text, size_t length) {
  message *m = malloc(sizeof *m + length + 1);
  if (m == NULL) return NULL;
  *m = (message){.number = number, .length = length};
  memcpy(m->text, text, length);
  m->text[length] = '\0';
  return m;
}

static void put(queue *q, message *m) {
  if (q->last != NULL)
    q->last->next = m;
  else
    q->first = m;
  q->last = m;
}

static message *take(queue *q) {
  message *m = q->first;
  if (m == NULL) return NULL;
  q->first = m->next;
  if (q->first == NULL) q->last = NULL;
  m->next = NULL;
  return m;
}

static void drop(queue *q) {
  for (message *m = take(q); m != NULL; m = take(q)) free(m);
}

/* ---- a thread */

static int open_function(lua_State *L) {
  worker *w = lua_touserdata(L, 1);
  const crew *c = w->crew;
  lua_pushvalue(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &own_worker);
  tdm_shipment_prepare(L, c->shipment);
  tdm_shipment_open(L, c->shipment);
  lua_rawgeti(L, -1, 1);
  return 1;
}

/* The function stays at index 1. */
static lua_State *open_state(worker *w) {
  crew *c = w->crew;
  lua_State *L = c->make_state();
  char why[sizeof c->broken] = "out of memory: a thread's Lua state";
  if (L != NULL) {
    lua_pushcfunction(L, open_function);
    lua_pushlightuserdata(L, w);
    if (lua_pcall(L, 1, 1, 0) == LUA_OK) return L;
    snprintf(why, sizeof why, "%s", lua_tostring(L, -1));
    lua_close(L);
  }
  pthread_mutex_lock(&c->lock);
  snprintf(c->broken, sizeof c->broken, "%s", why);
  pthread_cond_broadcast(&c->done);
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

/* The function and the message → the function's answer. */
static int respond(lua_State *L) {
  const message *asked = lua_touserdata(L, 2);
  lua_settop(L, 1);
  lua_pushlstring(L, asked->text, asked->length);
  lua_call(L, 1, 1);
  return 1;
}

/* The answer to a text; its memory is the text's when there is none left for an answer. */
static message *answer(lua_State *L, message *asked) {
  size_t length = 0;
  lua_pushcfunction(L, respond);
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, asked);
  bool failed = lua_pcall(L, 2, 1, 0) != LUA_OK;
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
  if (text == NULL) {
    text = "the answer is not a text";
    length = strlen(text);
    failed = true;
  }
  message *m = message_new(asked->number, text, length);
  lua_settop(L, 1);
  if (m == NULL) {
    asked->failed = asked->starved = true;
    return asked;
  }
  m->failed = failed;
  free(asked);
  return m;
}

static void *work(void *argument) {
  worker *w = argument;
  crew *c = w->crew;
  lua_State *L = open_state(w);
  if (L == NULL) return NULL;
  pthread_mutex_lock(&c->lock);
  for (;;) {
    while (c->given.first == NULL && !c->ending) pthread_cond_wait(&c->work, &c->lock);
    if (c->ending) break;
    message *asked = take(&c->given);
    pthread_mutex_unlock(&c->lock);
    message *m = answer(L, asked);
    pthread_mutex_lock(&c->lock);
    put(&c->answers, m);
    w->share = 0;
    pthread_cond_signal(&c->done);
  }
  pthread_mutex_unlock(&c->lock);
  lua_close(L);
  return NULL;
}

/* ---- the owner */

static int close_crew(lua_State *L) {
  crew *c = luaL_checkudata(L, 1, type_name);
  if (c->workers == NULL) return 0;
  pthread_mutex_lock(&c->lock);
  c->ending = true;
  pthread_cond_broadcast(&c->work);
  pthread_mutex_unlock(&c->lock);
  for (uint32_t i = 0; i < c->count; i++) pthread_join(c->workers[i].thread, NULL);
  free(c->workers);
  c->workers = NULL;
  drop(&c->given);
  drop(&c->answers);
  tdm_shipment_free(c->shipment);
  c->shipment = NULL;
  pthread_cond_destroy(&c->work);
  pthread_cond_destroy(&c->done);
  pthread_mutex_destroy(&c->lock);
  return 0;
}

static crew *open_of(lua_State *L) {
  crew *c = luaL_checkudata(L, 1, type_name);
  if (c->workers == NULL) luaL_error(L, "this crew is closed");
  return c;
}

/* crew:give(number, text): some thread will work on it */
static int give(lua_State *L) {
  crew *c = open_of(L);
  size_t length;
  lua_Integer number = luaL_checkinteger(L, 2);
  const char *text = luaL_checklstring(L, 3, &length);
  message *m = message_new(number, text, length);
  if (m == NULL) return luaL_error(L, "not enough memory");
  pthread_mutex_lock(&c->lock);
  put(&c->given, m);
  c->outstanding++;
  pthread_cond_signal(&c->work);
  pthread_mutex_unlock(&c->lock);
  return 0;
}

static struct timespec after_ms(int64_t ms) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += ms % 1000 * 1000000;
  until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  return until;
}

/* The next answer; NULL and *why when there is none. */
static message *wait_for(crew *c, double timeout_s, const atomic_int *stop, const char **why) {
  message *m = NULL;
  double left_ms = timeout_s * 1000;
  *why = NULL;
  pthread_mutex_lock(&c->lock);
  for (;;) {
    m = take(&c->answers);
    if (m != NULL) c->outstanding--;
    if (m != NULL) break;
    if (c->outstanding == 0) *why = "empty";
    if (c->broken[0] != '\0') *why = c->broken;
    if (stop != NULL && atomic_load(stop) != 0) *why = "interrupted";
    if (*why == NULL && left_ms <= 0) *why = "timeout";
    if (*why != NULL) break;
    int64_t look_ms = left_ms < LOOK_MS ? (int64_t)left_ms + 1 : LOOK_MS;
    struct timespec until = after_ms(look_ms);
    if (pthread_cond_timedwait(&c->done, &c->lock, &until) != 0) left_ms -= (double)look_ms;
  }
  pthread_mutex_unlock(&c->lock);
  return m;
}

/* crew:take(timeout_s) → number, text | number, nil, message | nil, why: "timeout", "empty",
 * "interrupted", or what keeps the crew from working */
static int take_answer(lua_State *L) {
  crew *c = open_of(L);
  double timeout_s = luaL_optnumber(L, 2, HUGE_VAL);
  const char *why;
  tdm_guard_engine_enter();
  message *m = wait_for(c, timeout_s, tdm_bind_interrupt(L), &why);
  tdm_guard_engine_leave();
  if (m == NULL) {
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
  }
  lua_pushinteger(L, m->number);
  if (m->failed) lua_pushnil(L);
  if (m->starved)
    lua_pushliteral(L, "not enough memory");
  else
    lua_pushlstring(L, m->text, m->length);
  int results = m->failed ? 3 : 2;
  free(m);
  return results;
}

/* crew:under_way() → how many answers could be taken, and how much of others is done: 2.5 of two
 * that wait and one that is half done. It never falls but by taking. */
static int under_way(lua_State *L) {
  crew *c = open_of(L);
  double sum = 0;
  pthread_mutex_lock(&c->lock);
  for (const message *m = c->answers.first; m != NULL; m = m->next) sum++;
  for (uint32_t i = 0; i < c->count; i++) sum += c->workers[i].share;
  pthread_mutex_unlock(&c->lock);
  lua_pushnumber(L, sum);
  return 1;
}

/* core.crew_share(share): how much of its present work is done, says the function of a crew, from 0
 * to 1; nothing outside of one */
static int tell_share(lua_State *L) {
  double share = luaL_checknumber(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &own_worker);
  worker *w = lua_touserdata(L, -1);
  if (w == NULL || !(share >= 0 && share <= 1)) return 0;
  pthread_mutex_lock(&w->crew->lock);
  if (share > w->share) w->share = share;
  pthread_mutex_unlock(&w->crew->lock);
  return 0;
}

static void set_metatable(lua_State *L) {
  static const luaL_Reg methods[] = {{"give", give},
                                     {"take", take_answer},
                                     {"under_way", under_way},
                                     {"close", close_crew},
                                     {NULL, NULL}};
  static const luaL_Reg events[] = {{"__gc", close_crew}, {"__close", close_crew}, {NULL, NULL}};
  if (luaL_newmetatable(L, type_name)) {
    luaL_setfuncs(L, events, 0);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
  }
  lua_setmetatable(L, -2);
}

static uint32_t thread_count(lua_State *L) {
  lua_Integer wanted = luaL_optinteger(L, 2, 0);
  luaL_argcheck(L, wanted >= 0 && wanted <= THREADS_AT, 2, "wants 0 to 1024 threads");
  return wanted > 0 ? (uint32_t)wanted : tdm_processors();
}

/* core.crew(function, threads) → crew | nil, message, code. threads 0: one for each processor. */
static int new_crew(lua_State *L) {
  tdm_error error = {0};
  luaL_checktype(L, 1, LUA_TFUNCTION);
  uint32_t count = thread_count(L);
  crew *c = lua_newuserdatauv(L, sizeof *c, 0);
  memset(c, 0, sizeof *c);
  set_metatable(L);
  c->make_state = tdm_bind_maker(L);
  if (c->make_state == NULL) return luaL_error(L, "nobody said how to open a Lua state");
  lua_createtable(L, 1, 0);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 1);
  if (tdm_ship(L, -1, &c->shipment, &error) != TDM_OK) return tdm_bind_failure(L, &error);
  lua_pop(L, 1);
  c->workers = tdm_array_new(count, sizeof *c->workers);
  if (c->workers == NULL) {
    tdm_shipment_free(c->shipment);
    return luaL_error(L, "not enough memory");
  }
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->work, NULL);
  pthread_cond_init(&c->done, NULL);
  pthread_mutex_lock(&c->lock); /* whoever begins at once waits until all are counted */
  while (c->count < count) {
    worker *w = &c->workers[c->count];
    w->crew = c;
    if (pthread_create(&w->thread, NULL, work, w) != 0) break;
    c->count++;
  }
  pthread_mutex_unlock(&c->lock);
  if (c->count == 0) {
    tdm_error_set(&error, TDM_MEMORY, "no thread could be started: not enough memory");
    return tdm_bind_failure(L, &error);
  }
  return 1;
}

/* core.processors() → how many this process may use */
static int processors(lua_State *L) {
  lua_pushinteger(L, tdm_processors());
  return 1;
}

void tdm_bind_open_crew(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"crew", new_crew}, {"crew_share", tell_share}, {"processors", processors}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
