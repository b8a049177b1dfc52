/* Processes: a request's coroutine and the object `p` it speaks through.
 *
 * Coroutines are pooled by function: one whose function has returned is handed it again for the
 * next request, so a request costs no new thread. There is one `p`: only one process runs at a
 * time, and what p answers is that one's view. Called by the engine through tdm_hooks, and by
 * hooks.c.
 *
 *   p:use(station, amount)     queue at a station, hold it, leave it; seconds, bytes on a link
 *   p:hold(seconds)            time passes
 *   p:seize(memory, bytes)     wait for memory and take it
 *   p:release(memory, bytes)   give it back
 *   p.tokens, p.time, …        the request, as in a cost function
 *
 * Amounts are numbers, unit strings ("5ms") or distributions. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "bind/counted/counted.h"
#include "bind/worker/inside.h"

enum { ROLE_BASE = -1, MEMORY_OF_GPU = -1 }; /* stations: -1 - role; memories: -1 */

/* ---- p:use and its like */

/* The worker, when the running coroutine is the process itself. */
static tdm_worker *process_of(lua_State *L, const char *method) {
  tdm_worker *w = tdm_worker_of(L);
  if (!lua_istable(L, 1)) luaL_error(L, "write p:%s(…), with a colon", method);
  if (w->running == L) return w;
  if (w->running == NULL)
    luaL_error(L, "p:%s works only inside the process that got this p", method);
  luaL_error(L, "p:%s cannot be called inside a coroutine of your own", method);
  return w;
}

static int act(lua_State *L, tdm_worker *w, tdm_act what, uint32_t subject) {
  w->action.act = what;
  w->action.subject = subject;
  w->acted = true;
  return lua_yield(L, 0);
}

static inline tdm_known *known_at(tdm_worker *w, tdm_known_meaning meaning, const void *object) {
  return &w->known[meaning][(uintptr_t)object / 16 % TDM_KNOWN_ENTRIES];
}

/* Enters the value at `index`, whose meaning the caller fills in; the slot's last owner may go. */
static tdm_known *learn(lua_State *L, tdm_worker *w, tdm_known_meaning meaning, int index) {
  const void *object = lua_topointer(L, index);
  tdm_known *known = known_at(w, meaning, object);
  known->object = NULL; /* while the next may raise */
  tdm_worker_push_fixed(L, TDM_AT_KNOWN);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, 1 + (lua_Integer)(known - &w->known[0][0]));
  lua_pop(L, 1);
  *known = (tdm_known){.object = object};
  return known;
}

void tdm_process_unlearn(tdm_worker *w) {
  memset(w->known, 0, sizeof w->known);
}

/* A distribution or a text; each was converted once: upvalue `cache` remembers. */
static void convert_amount(lua_State *L, tdm_worker *w, int index, int cache, bool bytes) {
  lua_pushvalue(L, index);
  int type = lua_isnil(L, -1) ? LUA_TNIL : lua_rawget(L, lua_upvalueindex(cache));
  if (type == LUA_TNUMBER) {
    w->action.amount = lua_tonumber(L, -1);
  } else if (type == LUA_TLIGHTUSERDATA) {
    w->action.dist = lua_touserdata(L, -1);
    w->action.amount = 0;
  } else {
    lua_pushvalue(L, index);
    if (tdm_worker_amount(L, index, bytes, &w->action.amount, &w->action.dist))
      lua_pushnumber(L, w->action.amount);
    else
      lua_pushlightuserdata(L, (void *)(uintptr_t)w->action.dist);
    lua_rawset(L, lua_upvalueindex(cache));
  }
  tdm_known *known = learn(L, w, bytes ? TDM_KNOWN_BYTES : TDM_KNOWN_SECONDS, index);
  known->dist = w->action.dist;
  known->amount = w->action.amount;
}

static void read_amount(lua_State *L, tdm_worker *w, int index, int cache, bool bytes) {
  w->action.dist = NULL;
  if (lua_type(L, index) == LUA_TNUMBER) {
    w->action.amount = lua_tonumber(L, index);
  } else {
    const void *object = lua_topointer(L, index);
    const tdm_known *known = known_at(w, bytes ? TDM_KNOWN_BYTES : TDM_KNOWN_SECONDS, object);
    if (object != NULL && known->object == object) {
      w->action.dist = known->dist;
      w->action.amount = known->amount;
    } else {
      convert_amount(L, w, index, cache, bytes);
    }
  }
  if (w->action.dist == NULL && !(w->action.amount >= 0 && w->action.amount < INFINITY))
    luaL_error(L, "the amount is %f; it must be 0 or more, and finite", w->action.amount);
}

static uint32_t gpu_of(lua_State *L, const tdm_worker *w, const char *role) {
  tdm_view_look(w->view);
  uint32_t gpu = w->view->gpu;
  if (gpu == TDM_NO_INDEX && w->model->gpu_count == 1) gpu = 0;
  if (gpu == TDM_NO_INDEX)
    luaL_error(L, "\"%s\" has no meaning before the request has a GPU; there are %d GPUs", role,
               (int)w->model->gpu_count);
  return gpu;
}

/* Index of the station or memory named by argument 2, from upvalue 1 (name → index). */
static lua_Integer subject_of(lua_State *L, tdm_worker *w, tdm_known_meaning meaning) {
  const void *object = lua_topointer(L, 2);
  const tdm_known *known = known_at(w, meaning, object);
  if (object != NULL && known->object == object) return known->subject;
  const char *what = meaning == TDM_KNOWN_STATION ? "station" : "memory";
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNUMBER) {
    if (lua_type(L, 2) != LUA_TSTRING)
      luaL_error(L, "wants the name of a %s, not %s", what, luaL_typename(L, 2));
    char text[48];
    snprintf(text, sizeof text, "a %s: the scenario", what);
    tdm_view_unknown(L, lua_upvalueindex(1), text, lua_tostring(L, 2));
  }
  lua_Integer subject = lua_tointeger(L, -1);
  lua_pop(L, 1);
  learn(L, w, meaning, 2)->subject = subject;
  return subject;
}

/* p:use(station, amount); upvalues: stations, seconds, bytes */
static int process_use(lua_State *L) {
  tdm_worker *w = process_of(L, "use");
  lua_Integer subject = subject_of(L, w, TDM_KNOWN_STATION);
  if (subject < 0) {
    const char *role = lua_tostring(L, 2);
    const tdm_gpu *gpu = &w->model->gpus[gpu_of(L, w, role)];
    uint32_t station = gpu->stations[ROLE_BASE - subject];
    if (station == TDM_NO_INDEX) return luaL_error(L, "%s has no \"%s\"", gpu->name, role);
    subject = station;
  }
  bool bytes = w->model->stations[subject].link != TDM_NO_INDEX;
  read_amount(L, w, 3, bytes ? 3 : 2, bytes);
  return act(L, w, TDM_ACT_USE, (uint32_t)subject);
}

/* p:hold(seconds); upvalue 2: seconds */
static int process_hold(lua_State *L) {
  tdm_worker *w = process_of(L, "hold");
  read_amount(L, w, 2, 2, false);
  return act(L, w, TDM_ACT_HOLD, 0);
}

static int claim(lua_State *L, const char *method, tdm_act what) {
  tdm_worker *w = process_of(L, method);
  lua_Integer subject = subject_of(L, w, TDM_KNOWN_MEMORY);
  if (subject == MEMORY_OF_GPU) {
    const tdm_gpu *gpu = &w->model->gpus[gpu_of(L, w, lua_tostring(L, 2))];
    if (gpu->memory == TDM_NO_INDEX)
      return luaL_error(L, "%s has no memory that the scenario limits", gpu->name);
    subject = gpu->memory;
  }
  read_amount(L, w, 3, 3, true);
  if (w->action.dist != NULL)
    return luaL_error(L, "p:%s wants a number of bytes, not a distribution", method);
  return act(L, w, what, (uint32_t)subject);
}

/* p:seize(memory, bytes), p:release(memory, bytes); upvalues: memories, nothing, bytes */
static int process_seize(lua_State *L) {
  return claim(L, "seize", TDM_ACT_SEIZE);
}
static int process_release(lua_State *L) {
  return claim(L, "release", TDM_ACT_RELEASE);
}

/* ---- set-up */

static void push_stations(lua_State *L, const tdm_model *model) {
  static const char *const roles[TDM_ROLES] = {"h2d", "gpu", "d2h"};
  lua_newtable(L);
  for (int role = 0; role < TDM_ROLES && model->gpu_count > 0; role++) {
    lua_pushinteger(L, ROLE_BASE - role);
    lua_setfield(L, -2, roles[role]);
  }
  for (size_t i = 0; i < model->station_count; i++) {
    lua_pushinteger(L, (lua_Integer)i);
    lua_setfield(L, -2, model->stations[i].name);
  }
}

static void push_memories(lua_State *L, const tdm_model *model) {
  lua_newtable(L);
  for (int alias = 0; alias < 2 && model->gpu_count > 0; alias++) {
    lua_pushinteger(L, MEMORY_OF_GPU);
    lua_setfield(L, -2, alias == 0 ? "gpu" : "memory");
  }
  for (size_t i = 0; i < model->memory_count; i++) {
    lua_pushinteger(L, (lua_Integer)i);
    lua_setfield(L, -2, model->memories[i].name);
  }
}

/* Distributions made inside a function are forgotten with it. */
static void make_weak(lua_State *L, int index) {
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, index);
}

void tdm_process_open(lua_State *L, tdm_worker *w) {
  static const struct {
    const char *name;
    lua_CFunction function;
    bool memory;
  } methods[] = {{"use", process_use, false},
                 {"hold", process_hold, false},
                 {"seize", process_seize, true},
                 {"release", process_release, true}};
  int top = lua_gettop(L);
  push_stations(L, w->model);
  push_memories(L, w->model);
  make_weak(L, TDM_AT_SECONDS);
  make_weak(L, TDM_AT_BYTES);
  lua_newtable(L);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    lua_pushvalue(L, methods[i].memory ? top + 2 : top + 1);
    lua_pushvalue(L, TDM_AT_SECONDS);
    lua_pushvalue(L, TDM_AT_BYTES);
    lua_pushcclosure(L, methods[i].function, 3);
    lua_setfield(L, -2, methods[i].name);
  }
  tdm_view_push_metatable(L, &w->process_lens);
  lua_setmetatable(L, -2);
  lua_replace(L, TDM_AT_PROCESS);
  lua_settop(L, top);
}

/* ---- coroutines */

/* Makes a thread for a new handle; the argument is the worker. The caller made room for it. */
static int new_thread(lua_State *L) {
  tdm_worker *w = lua_touserdata(L, 1);
  tdm_worker_push_fixed(L, TDM_AT_THREADS);
  lua_State *thread = lua_newthread(L);
  lua_rawseti(L, -2, (lua_Integer)w->coroutine_count + 1);
  w->coroutines[w->coroutine_count++] = (tdm_coroutine){.thread = thread, .fresh = true};
  return 0;
}

static tdm_status take(tdm_worker *w, uint32_t function, uint32_t *handle, tdm_error *error) {
  uint32_t free = w->pool[function];
  if (free != 0) {
    w->pool[function] = w->coroutines[free - 1].next_free;
    *handle = free;
    return TDM_OK;
  }
  if (!tdm_array_grow(&w->coroutines, &w->coroutine_capacity, w->coroutine_count + 1,
                      sizeof *w->coroutines))
    return tdm_error_memory(error, "processes", w->coroutine_count * sizeof *w->coroutines);
  lua_pushcfunction(w->L, new_thread);
  lua_pushlightuserdata(w->L, w);
  if (lua_pcall(w->L, 1, 0, 0) != LUA_OK) return tdm_worker_failed(w, error);
  *handle = (uint32_t)w->coroutine_count;
  w->coroutines[*handle - 1].function = function;
  return TDM_OK;
}

static void give(tdm_worker *w, uint32_t handle) {
  tdm_coroutine *c = &w->coroutines[handle - 1];
  c->next_free = w->pool[c->function];
  w->pool[c->function] = handle;
}

static int to_text(lua_State *L) {
  tdm_counted_text(L, 1);
  return 1;
}

/* The error of a coroutine that died; its frames are still there. */
static tdm_status died(tdm_worker *w, lua_State *thread, tdm_error *error) {
  char message[sizeof error->message];
  lua_sethook(w->L, NULL, 0, 0); /* what stopped it has done so; the words are to be had */
  lua_pushcfunction(w->L, to_text);
  lua_xmove(thread, w->L, 1);
  const char *text = "an error that is not a text";
  if (lua_pcall(w->L, 1, 1, 0) == LUA_OK) text = lua_tostring(w->L, -1);
  tdm_worker_describe(thread, text, message, sizeof message);
  lua_pop(w->L, 1);
  lua_resetthread(thread);
  return tdm_error_set(error, tdm_worker_verdict(w), "%s", message);
}

tdm_status tdm_process_resume(void *context, uint32_t function, tdm_view *view, uint32_t *handle,
                              tdm_action *action, tdm_error *error) {
  tdm_worker *w = context;
  lua_State *L = w->L;
  if (w->failure.status != TDM_OK) return tdm_worker_failure(w, error);
  if (*handle == 0) {
    tdm_status status = take(w, function, handle, error);
    if (status != TDM_OK) return status;
  }
  tdm_coroutine *c = &w->coroutines[*handle - 1];
  lua_State *thread = c->thread;
  int results, arguments = 0;
  if (c->fresh) {
    c->fresh = false;
    lua_pushvalue(L, w->first_function + 2 * (int)function);
    lua_pushvalue(L, TDM_AT_PROCESS);
    lua_xmove(L, thread, 2);
    arguments = 1;
  }
  w->running = thread;
  w->acted = false;
  tdm_worker_enter(w, function, view);
  w->inner = thread;
  int status = lua_resume(thread, L, arguments, &results);
  w->inner = NULL;
  tdm_worker_leave(w);
  w->running = NULL;
  if (status == LUA_YIELD) {
    if (!w->acted)
      return tdm_worker_complain(w, function, error,
                                 "coroutine.yield means nothing in a process; use p:hold(seconds)");
    *action = w->action;
    return TDM_OK;
  }
  uint32_t done = *handle;
  *handle = 0;
  if (status != LUA_OK) return died(w, thread, error);
  lua_settop(thread, 0);
  c->fresh = true;
  give(w, done);
  action->act = TDM_ACT_DONE;
  return TDM_OK;
}

void tdm_process_forget(void *context, uint32_t handle) {
  tdm_worker *w = context;
  if (handle == 0 || handle > w->coroutine_count) return;
  tdm_coroutine *c = &w->coroutines[handle - 1];
  lua_resetthread(c->thread); /* what the function left pending is closed; errors have no reader */
  lua_settop(c->thread, 0);
  c->fresh = true;
  give(w, handle);
}

void tdm_process_clear(tdm_worker *w) {
  w->coroutine_count = 0;
  w->running = NULL;
  tdm_process_unlearn(w);
  if (w->function_count > 0) memset(w->pool, 0, w->function_count * sizeof *w->pool);
}

/* ---- arrival processes */

/* Pushes the thread of an arrival process; arguments: the worker, its function's number. */
static int open_gaps(lua_State *L) {
  lua_Integer function = lua_tointeger(L, 2);
  tdm_worker_push_fixed(L, TDM_AT_THREADS);
  if (lua_rawgeti(L, -1, -1 - function) != LUA_TNIL) return 1;
  tdm_worker_push_fixed(L, TDM_AT_FUNCTIONS);
  lua_State *thread = lua_newthread(L);
  lua_rawgeti(L, -2, function + 1);
  lua_xmove(L, thread, 1);
  lua_pushvalue(L, -1);
  lua_rawseti(L, 3, -1 - function);
  return 1;
}

tdm_status tdm_process_gap(tdm_worker *w, uint32_t function, bool *more, tdm_error *error) {
  lua_State *L = w->L;
  int results;
  lua_pushcfunction(L, open_gaps);
  lua_pushlightuserdata(L, w);
  lua_pushinteger(L, function);
  if (lua_pcall(L, 2, 1, 0) != LUA_OK) return tdm_worker_failed(w, error);
  lua_State *thread = lua_tothread(L, -1); /* stays in the table of threads */
  lua_pop(L, 1);
  *more = false;
  if (lua_status(thread) == LUA_OK && lua_gettop(thread) == 0) return TDM_OK; /* it has ended */
  tdm_worker_enter(w, function, NULL);
  w->inner = thread;
  int status = lua_resume(thread, L, 0, &results);
  w->inner = NULL;
  tdm_worker_leave(w);
  if (status != LUA_OK && status != LUA_YIELD) return died(w, thread, error);
  if (status == LUA_OK) {
    lua_settop(thread, 0);
    return TDM_OK;
  }
  lua_settop(thread, lua_gettop(thread) - results + (results > 0 ? 1 : 0));
  if (results == 0)
    lua_pushnil(L);
  else
    lua_xmove(thread, L, 1);
  *more = !lua_isnil(L, -1);
  if (!*more) lua_pop(L, 1);
  return TDM_OK;
}
