/* How long a step of an LLM server takes, by the user's function of the batch. Called by the engine
 * through hooks.
 *
 * The batch is one table for all such functions of a worker, filled before each call; asking for
 * what it does not have raises. */
#include <lauxlib.h>
#include <math.h>

#include "bind/counted/counted.h"
#include "bind/worker/inside.h"

static const char *const keys[] = {
    "prefill_seqs", "prefill_tokens", "prefill_context",    "prefill_attention", "prefill_squares",
    "decode_seqs",  "decode_context", "decode_context_max", "decode_squares",    "sampled"};
enum { KEYS = sizeof keys / sizeof *keys };

static int unknown(lua_State *L) {
  return tdm_view_unknown(L, 1, "a batch", tdm_counted_text(L, 2));
}

void tdm_step_open(lua_State *L, tdm_worker *w) {
  w->first_step_key = lua_gettop(L) + 1;
  luaL_checkstack(L, KEYS + LUA_MINSTACK, "a batch");
  for (int i = 0; i < KEYS; i++) {
    lua_pushstring(L, keys[i]);
    lua_pushvalue(L, -1);
    lua_pushinteger(L, 0);
    lua_rawset(L, TDM_AT_STEP);
  }
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, unknown);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, TDM_AT_STEP);
}

static void set(tdm_worker *w, int key) { /* the value on top */
  lua_pushvalue(w->L, w->first_step_key + key);
  lua_insert(w->L, -2);
  lua_rawset(w->L, TDM_AT_STEP);
}

static void fill(tdm_worker *w, const tdm_llm_batch *b) {
  const double values[KEYS] = {(double)b->prefill_seqs, (double)b->prefill_tokens,
                               b->prefill_context,      b->prefill_attention,
                               b->prefill_squares,      (double)b->decode_seqs,
                               b->decode_context,       (double)b->decode_context_max,
                               b->decode_squares,       (double)b->sampled};
  for (int i = 0; i < KEYS; i++) {
    lua_pushnumber(w->L, values[i]);
    set(w, i);
  }
}

tdm_status tdm_step_ask(void *context, uint32_t function, const tdm_llm_batch *batch,
                        double *seconds, tdm_error *error) {
  tdm_worker *w = context;
  lua_State *L = w->L;
  if (w->failure.status != TDM_OK) return tdm_worker_failure(w, error);
  fill(w, batch);
  tdm_worker_enter(w, function, NULL);
  lua_pushvalue(L, w->first_function + 2 * (int)function);
  lua_pushvalue(L, TDM_AT_STEP);
  int status = lua_pcall(L, 1, 1, TDM_AT_HANDLER);
  tdm_worker_leave(w);
  if (status != LUA_OK) return tdm_worker_failed(w, error);
  bool is_number = lua_type(L, -1) == LUA_TNUMBER;
  *seconds = lua_tonumber(L, -1);
  const char *type = luaL_typename(L, -1);
  lua_pop(L, 1);
  if (is_number && *seconds >= 0 && *seconds < INFINITY) return TDM_OK;
  if (is_number)
    return tdm_worker_complain(w, function, error,
                               "a step takes %g s; it must be 0 or more, and finite", *seconds);
  return tdm_worker_complain(w, function, error,
                             "the function of a step returned %s; wanted seconds, a number", type);
}
