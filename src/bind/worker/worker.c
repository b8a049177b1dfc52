/* A worker's life: its state, allocator and limits, and what several files of this room
 * need from Lua: positions for messages, amounts with units. See worker.h and inside.h. */
#include "bind/worker/inside.h"

#include <ctype.h>
#include <lauxlib.h>
#include <lualib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/counted/counted.h"
#include "bind/guard.h"
#include "bind/model/value.h"

/* ---- messages */

/* Code that is not the user's: our own modules, wherever they were loaded from. */
static bool is_ours(const lua_Debug *ar) {
  return strstr(ar->source, "lua/tandem/") != NULL;
}

/* Length of "FILE:LINE: " at the start of text when it is a position in that frame's file. */
static size_t position_length(const char *text, const lua_Debug *ar) {
  size_t length = strlen(ar->short_src);
  int line, end = 0;
  if (strncmp(text, ar->short_src, length) != 0) return 0;
  if (sscanf(text + length, ":%d: %n", &line, &end) != 1 || end == 0) return 0;
  return length + (size_t)end;
}

static void describe(lua_State *from, const char *text, char *out, size_t size) {
  lua_Debug ar;
  for (int level = 0; lua_getstack(from, level, &ar); level++) {
    lua_getinfo(from, "Sl", &ar);
    if (ar.currentline <= 0) continue;
    size_t position = position_length(text, &ar);
    if (!is_ours(&ar)) {
      if (position > 0)
        snprintf(out, size, "%s", text); /* it tells the user's line already */
      else
        snprintf(out, size, "%s:%d: %s", ar.short_src, ar.currentline, text);
      return;
    }
    text += position;
  }
  /* No frame of the user's is left when the last thing the function did was a tail call. */
  tdm_worker_push_fixed(from, TDM_AT_FUNCTIONS);
  lua_rawgeti(from, -1, (lua_Integer)tdm_worker_of(from)->called + 1);
  lua_remove(from, -2);
  lua_getinfo(from, ">S", &ar);
  if (ar.linedefined > 0 && position_length(text, &ar) == 0)
    snprintf(out, size, "%s:%d: %s", ar.short_src, ar.linedefined, text);
  else
    snprintf(out, size, "%s", text);
}

void tdm_worker_describe(lua_State *from, const char *text, char *out, size_t size) {
  describe(from, text, out, size);
  for (char *c = out; *c != '\0'; c++) /* one line */
    if (iscntrl((unsigned char)*c)) *c = *c == '\n' || *c == '\t' ? ' ' : '?';
}

/* ---- keys and helpers */

static const char keys[TDM_AT_END] = {0}; /* addresses are registry keys */

void tdm_worker_push_fixed(lua_State *L, int key) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &keys[key]);
}

void tdm_worker_set_fixed(lua_State *L) {
  for (int key = TDM_AT_HANDLER; key < TDM_AT_END; key++) {
    lua_pushvalue(L, key);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &keys[key]);
  }
}

void tdm_worker_push_helper(lua_State *L, const char *name) {
  luaL_checkstack(L, 8, name);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "tandem.sandbox.worker") != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "tandem.sandbox.worker");
    lua_call(L, 1, 1);
  }
  lua_getfield(L, -1, name);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

enum { DISTS_KEPT = 4096 };

static void clear_table(lua_State *L, int key) {
  tdm_worker_push_fixed(L, key);
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, -4);
  }
  lua_pop(L, 1);
}

/* Parameters that never come twice would fill the memory. No distribution is in use between two
 * conversions: the engine draws at once. */
static void forget_dists(lua_State *L, tdm_worker *w) {
  static const int caches[] = {TDM_AT_SECONDS, TDM_AT_BYTES, TDM_AT_DISTS, TDM_AT_NUMBERS};
  for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) clear_table(L, caches[i]);
  tdm_process_unlearn(w);
  tdm_worker_push_fixed(L, TDM_AT_FUNCTIONS);
  for (; w->all_functions > w->function_count; w->all_functions--) {
    lua_pushnil(L);
    lua_rawseti(L, -2, w->all_functions);
  }
  lua_pop(L, 1);
  for (size_t i = 0; i < w->dist_count; i++) tdm_dist_free(w->dists[i]);
  w->dist_count = 0;
}

/* The distribution whose checked form is on top, as a tdm_dist that the worker owns. */
static tdm_dist *make_dist(lua_State *L, tdm_worker *w) {
  tdm_error error;
  int top = lua_gettop(L);
  if (w->dist_count >= DISTS_KEPT) forget_dists(L, w);
  if (!tdm_array_grow(&w->dists, &w->dist_capacity, w->dist_count + 1, sizeof *w->dists))
    luaL_error(L, "not enough memory");
  tdm_worker_push_fixed(L, TDM_AT_FUNCTIONS);
  tdm_worker_push_fixed(L, TDM_AT_NUMBERS);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, top);
  lua_setfield(L, -2, "amount");
  tdm_reader reader = {.L = L,
                       .model = (tdm_model *)(uintptr_t)w->model,
                       .error = &error,
                       .function_list = top + 1,
                       .function_numbers = top + 2,
                       .function_count = w->all_functions};
  tdm_dist *dist = tdm_read_dist(&reader, "amount");
  if (dist == NULL || reader.status != TDM_OK) {
    tdm_dist_free(dist);
    luaL_error(L, "%s", reader.status != TDM_OK ? error.message : "not a distribution");
  }
  w->all_functions = reader.function_count;
  w->dists[w->dist_count++] = dist;
  lua_settop(L, top);
  return dist;
}

bool tdm_worker_amount(lua_State *L, int index, bool bytes, double *number, const tdm_dist **dist) {
  int top = lua_gettop(L);
  *dist = NULL;
  tdm_worker_push_helper(L, "amount");
  lua_pushvalue(L, index);
  lua_pushstring(L, bytes ? "B" : "s");
  lua_call(L, 2, 2);
  if (lua_type(L, top + 1) == LUA_TNUMBER) {
    *number = lua_tonumber(L, top + 1);
    lua_settop(L, top);
    return true;
  }
  tdm_worker_push_fixed(L, TDM_AT_DISTS);
  bool shared = !lua_isnil(L, top + 2);
  lua_pushvalue(L, top + 2);
  if (shared && lua_rawget(L, top + 3) == LUA_TLIGHTUSERDATA) {
    *dist = lua_touserdata(L, -1);
  } else {
    lua_pushvalue(L, top + 1);
    *dist = make_dist(L, tdm_worker_of(L));
    if (shared) {
      lua_pushvalue(L, top + 2);
      lua_pushlightuserdata(L, (void *)(uintptr_t)*dist);
      lua_rawset(L, top + 3);
    }
  }
  lua_settop(L, top);
  return false;
}

/* ---- what differs from an ordinary state */

/* Standard output is for results. */
static int print_to_stderr(lua_State *L) {
  int count = lua_gettop(L);
  luaL_Buffer line;
  luaL_buffinit(L, &line);
  for (int i = 1; i <= count; i++) {
    tdm_counted_text(L, i);
    luaL_addvalue(&line);
    if (i < count) luaL_addchar(&line, '\t');
  }
  luaL_addchar(&line, '\n');
  luaL_pushresult(&line);
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  fwrite(text, 1, length, stderr);
  return 0;
}

static int sorted_pairs(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  tdm_worker_push_helper(L, "pairs");
  lua_insert(L, 1);
  lua_call(L, 1, 3);
  return 3;
}

/* tandem, with record working. */
static int open_tandem(lua_State *L) {
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  if (lua_istable(L, -1)) {
    lua_pushcfunction(L, tdm_record_value);
    lua_setfield(L, -2, "record");
  }
  return 1;
}

/* Wraps the loader of module "tandem" that `require` would find. Absent in a bare state. */
static void preload_tandem(lua_State *L) {
  int top = lua_gettop(L);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchers");
  for (lua_Integer i = 1; lua_rawgeti(L, top + 2, i) == LUA_TFUNCTION; i++) {
    lua_pushliteral(L, "tandem");
    lua_call(L, 1, 1);
    if (lua_isfunction(L, -1)) {
      lua_pushcclosure(L, open_tandem, 1);
      lua_getfield(L, top + 1, "preload");
      lua_insert(L, -2);
      lua_setfield(L, -2, "tandem");
      break;
    }
    lua_settop(L, top + 2);
  }
  lua_settop(L, top);
}

static int open_state(lua_State *L) {
  tdm_worker *w = lua_touserdata(L, 1);
  lua_settop(L, 0);
  luaL_openlibs(L);
  tdm_counted_install(L);
  tdm_counted_hide_addresses(L);
  lua_getglobal(L, LUA_COLIBNAME);
  tdm_coroutine_functions(L, &w->inner);
  lua_settop(L, 0);
  tdm_shipment_prepare(L, w->shipment);
  preload_tandem(L);
  lua_newtable(L);
  lua_pushglobaltable(L);
  lua_pushnil(L);
  while (lua_next(L, 2) != 0) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, 1);
  }
  lua_settop(L, 1);
  lua_pushcfunction(L, print_to_stderr);
  lua_setfield(L, 1, "print");
  lua_pushcfunction(L, sorted_pairs);
  lua_setfield(L, 1, "pairs");
  lua_setfield(L, LUA_REGISTRYINDEX, TDM_SHIP_BASE);
  return 0;
}

static void *allocate(void *context, void *block, size_t old_size, size_t new_size) {
  tdm_worker *w = context;
  if (block == NULL) old_size = 0; /* Lua tells a type there */
  if (new_size == 0) {
    free(block);
    w->memory_used -= old_size;
    return NULL;
  }
  size_t limit = w->options.memory_bytes;
  if (limit > 0 && w->limited && new_size > old_size &&
      w->memory_used + new_size - old_size > limit)
    return NULL;
  void *result = realloc(block, new_size);
  if (result != NULL) w->memory_used += new_size - old_size;
  return result;
}

enum { STEP_INSTRUCTIONS = 10000 };

static void count_instructions(lua_State *L, lua_Debug *ar) {
  (void)ar;
  tdm_worker *w = tdm_worker_of(L);
  w->instructions += STEP_INSTRUCTIONS;
  if (w->limited && w->instructions > w->options.instructions)
    luaL_error(L, "the function ran for more than %I instructions",
               (LUAI_UACINT)w->options.instructions);
}

void tdm_worker_reset_hook(tdm_worker *w) {
  w->interrupted = w->overrun = false;
  if (w->options.instructions > 0)
    lua_sethook(w->L, count_instructions, LUA_MASKCOUNT, STEP_INSTRUCTIONS);
  else
    lua_sethook(w->L, NULL, 0, 0);
}

/* ---- life */

static bool allocate_arrays(tdm_worker *w) {
  size_t count = w->function_count;
  w->lenses = tdm_array_new(count, sizeof *w->lenses);
  w->sum_lenses = tdm_array_new(count, sizeof *w->sum_lenses);
  w->draws = tdm_array_new(count, sizeof *w->draws);
  w->pool = tdm_array_new(count, sizeof *w->pool);
  return w->lenses != NULL && w->sum_lenses != NULL && w->draws != NULL && w->pool != NULL;
}

tdm_status tdm_worker_open(const tdm_shipment *shipment, const tdm_model *model,
                           const tdm_bind_functions *functions, const tdm_worker_options *options,
                           tdm_worker **out, tdm_error *error) {
  *out = NULL;
  tdm_worker *w = tdm_array_new(1, sizeof *w);
  if (w == NULL) return tdm_error_memory(error, "a worker", sizeof *w);
  w->shipment = shipment;
  w->model = model;
  w->functions = *functions;
  if (options != NULL) w->options = *options;
  w->function_count = (uint32_t)tdm_shipment_count(shipment);
  w->attr_count = (uint32_t)model->attr_count;
  w->L = allocate_arrays(w) ? lua_newstate(allocate, w) : NULL;
  if (w->L == NULL) {
    tdm_worker_close(w);
    return tdm_error_memory(error, "a worker's Lua state", 0);
  }
  *(tdm_worker **)lua_getextraspace(w->L) = w;
  tdm_worker_bind_hooks(w);
  lua_pushcfunction(w->L, open_state);
  lua_pushlightuserdata(w->L, w);
  if (lua_pcall(w->L, 1, 0, 0) != LUA_OK) {
    const char *message = lua_tostring(w->L, -1);
    tdm_error_set(error, TDM_BUG, "%s", message != NULL ? message : "a worker does not open");
    tdm_worker_close(w);
    return TDM_BUG;
  }
  tdm_worker_reset_hook(w);
  *out = w;
  return TDM_OK;
}

void tdm_worker_close(tdm_worker *w) {
  if (w == NULL) return;
  if (w->L != NULL) lua_close(w->L);
  tdm_record_clear(w);
  for (size_t i = 0; i < w->dist_count; i++) tdm_dist_free(w->dists[i]);
  free(w->series);
  free(w->dists);
  free(w->coroutines);
  free(w->lenses);
  free(w->sum_lenses);
  free(w->draws);
  free(w->pool);
  free(w);
}
