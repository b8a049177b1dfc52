/* core.serving: one replica of an LLM server, replayed.
 *
 * serving.replay(config, step, requests, terms) → outcomes, totals | nil, message, code
 *
 * config: fields of tdm_serving_config by name, enumerations by their words below, others as vLLM
 * has them. step: a model of core.llm. requests: a list of {
 * at_ns, prompt, output, given, priority, hashes, hashed } in order of time, the last four
 * optional. outcomes: in the same order, { queued_ns, scheduled_ns, first_token_ns, finished_ns,
 * cached_tokens, preemptions }; totals: steps, busy_ns. With `terms` true outcomes have waited,
 * first and rest beside: what the engine did meanwhile (serving_log.h). Unknown keys raise. Called
 * by lua/tandem/llm and by tests/accuracy. */
#include <lauxlib.h>
#include <stddef.h>
#include <string.h>

#include "base/rng.h"
#include "bind/bind.h"
#include "bind/failure.h"
#include "bind/llm.h"
#include "bind/serving_log.h"
#include "engine/serving/serving.h"

static const char type_name[] = "tandem.serving";

/* ---- the configuration */

typedef enum { NUMBER, REAL, FLAG, ORDER, BATCHING, STEPS, ADMISSION, VICTIM, CHUNKING } field_kind;

typedef struct {
  const char *name;
  field_kind kind;
  size_t offset;
} field;

#define FIELD(kind, name)                                                                          \
  { #name, kind, offsetof(tdm_serving_config, name) }

static const field fields[] = {FIELD(NUMBER, block_tokens),
                               FIELD(NUMBER, blocks),
                               FIELD(NUMBER, max_batched_tokens),
                               FIELD(NUMBER, max_seqs),
                               FIELD(FLAG, chunked_prefill),
                               FIELD(NUMBER, long_prefill_tokens),
                               FIELD(NUMBER, max_partial_prefills),
                               FIELD(FLAG, reserve_full_input),
                               FIELD(FLAG, prefix_caching),
                               FIELD(NUMBER, hash_tokens),
                               FIELD(ORDER, order),
                               FIELD(STEPS, steps),
                               FIELD(ADMISSION, admission),
                               FIELD(VICTIM, victim),
                               FIELD(CHUNKING, chunking),
                               FIELD(NUMBER, max_prefill_tokens),
                               FIELD(FLAG, preempted_last),
                               FIELD(FLAG, shares_computed),
                               FIELD(FLAG, waits_for_prefix),
                               FIELD(REAL, new_token_ratio),
                               FIELD(REAL, new_token_ratio_min),
                               FIELD(NUMBER, new_token_ratio_steps),
                               FIELD(NUMBER, new_tokens_most),
                               FIELD(NUMBER, preempted_steps),
                               FIELD(REAL, input_weight),
                               FIELD(REAL, output_weight),
                               FIELD(FLAG, plans_ahead),
                               FIELD(BATCHING, batching),
                               FIELD(NUMBER, batch_wait_ns),
                               FIELD(FLAG, batch_returns_together),
                               FIELD(NUMBER, host_blocks),
                               FIELD(REAL, swap_block_s),
                               FIELD(NUMBER, max_adapters),
                               FIELD(REAL, adapter_load_s),
                               FIELD(REAL, adapter_step_s),
                               FIELD(NUMBER, draft_tokens),
                               FIELD(REAL, acceptance),
                               FIELD(REAL, draft_s),
                               FIELD(REAL, draft_share),
                               FIELD(FLAG, step_by_step)};

/* In the order of the enumerations of model/llm/replica.h. */
static void read_word(lua_State *L, field_kind kind, tdm_serving_config *config) {
  static const char *const orders[] = {"fcfs",         "priority",       "shortest_prompt",
                                       "shortest_job", "longest_prefix", "prefix_weight",
                                       "fair",         "function",       NULL};
  static const char *const steps[] = {"mixed", "prefill_first", "decode_first", NULL};
  static const char *const admissions[] = {"input",   "prompt",   "estimate",
                                           "maximum", "function", NULL};
  static const char *const victims[] = {"last", "least_output", "function", NULL};
  static const char *const chunkings[] = {"greedy", "function", "blocks", "equal", NULL};
  static const char *const batchings[] = {"continuous", "batch", NULL};
  const char *const *words[] = {
      [ORDER] = orders,   [STEPS] = steps,        [ADMISSION] = admissions,
      [VICTIM] = victims, [CHUNKING] = chunkings, [BATCHING] = batchings};
  int value = luaL_checkoption(L, -1, NULL, words[kind]);
  switch (kind) {
  case ORDER: config->order = (tdm_serving_order)value; break;
  case STEPS: config->steps = (tdm_serving_steps)value; break;
  case ADMISSION: config->admission = (tdm_serving_admission)value; break;
  case VICTIM: config->victim = (tdm_serving_victim)value; break;
  case CHUNKING: config->chunking = (tdm_serving_chunking)value; break;
  default: config->batching = (tdm_serving_batching)value; break;
  }
}

static void read_field(lua_State *L, const field *f, tdm_serving_config *config) {
  char *at = (char *)config + f->offset;
  int is_integer = 1;
  if (f->kind == NUMBER) {
    int64_t value = lua_tointegerx(L, -1, &is_integer);
    memcpy(at, &value, sizeof value);
  } else if (f->kind == REAL) {
    double value = luaL_checknumber(L, -1);
    memcpy(at, &value, sizeof value);
  } else if (f->kind == FLAG) {
    bool value = lua_toboolean(L, -1);
    memcpy(at, &value, sizeof value);
  } else {
    read_word(L, f->kind, config);
  }
  if (!is_integer) luaL_error(L, "serving: %s is no whole number", f->name);
}

static tdm_serving_config config_at(lua_State *L, int index) {
  tdm_serving_config config;
  tdm_serving_config_default(&config);
  luaL_checktype(L, index, LUA_TTABLE);
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "(a number)";
    const field *found = NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && found == NULL; i++)
      if (strcmp(fields[i].name, key) == 0) found = &fields[i];
    if (found == NULL) luaL_error(L, "serving: there is no field %s", key);
    read_field(L, found, &config);
    lua_pop(L, 1);
  }
  return config;
}

static int read_config(lua_State *L) {
  tdm_serving_config *config = lua_touserdata(L, 2);
  *config = config_at(L, 1);
  return 0;
}

tdm_status tdm_bind_serving_config(lua_State *L, int index, tdm_serving_config *config,
                                   tdm_error *error) {
  index = lua_absindex(L, index);
  lua_pushcfunction(L, read_config);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, config);
  if (lua_pcall(L, 2, 0, 0) == LUA_OK) return TDM_OK;
  const char *why = lua_tostring(L, -1);
  tdm_status status = tdm_error_set(error, TDM_INVALID, "%s", why != NULL ? why : "no settings");
  lua_pop(L, 1);
  return status;
}

/* ---- the requests */

/* A number of the table on top. */
static int64_t number_of(lua_State *L, const char *name, bool required) {
  int is_integer = 1;
  int64_t value = 0;
  if (lua_getfield(L, -1, name) != LUA_TNIL || required) value = lua_tointegerx(L, -1, &is_integer);
  if (!is_integer) luaL_error(L, "serving: a request's %s is no whole number", name);
  lua_pop(L, 1);
  return value;
}

/* The request on top of the stack; leaves its hashes, a userdata or nil, on it. */
static tdm_serving_request request_at_top(lua_State *L) {
  tdm_serving_request r = {.prompt_tokens = number_of(L, "prompt", true),
                           .output_tokens = number_of(L, "output", true),
                           .given_tokens = number_of(L, "given", false),
                           .max_output = number_of(L, "max_output", false),
                           .predicted_output = number_of(L, "predicted", false),
                           .priority = (int32_t)number_of(L, "priority", false),
                           .tenant = (uint32_t)number_of(L, "tenant", false),
                           .hashed_tokens = number_of(L, "hashed", false)};
  if (lua_getfield(L, -1, "hashes") != LUA_TTABLE) return r;
  r.hash_count = (size_t)luaL_len(L, -1);
  uint64_t *hashes = lua_newuserdatauv(L, (r.hash_count + 1) * sizeof *hashes, 0);
  for (size_t i = 0; i < r.hash_count; i++) {
    lua_geti(L, -2, (lua_Integer)i + 1);
    hashes[i] = (uint64_t)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  lua_remove(L, -2);
  r.hashes = hashes;
  return r;
}

/* ---- the replay */

typedef struct {
  tdm_serving *serving;
  tdm_serving_outcome *outcomes; /* by id; a userdata that the stack keeps */
  int64_t steps, busy_ns;
  tdm_serving_log log;
} replay;

static void keep_outcome(void *context, const tdm_serving_outcome *outcome) {
  replay *r = context;
  r->outcomes[outcome->id] = *outcome;
}

static void count_step(void *context, const tdm_serving_step *step) {
  replay *r = context;
  r->steps += step->steps;
  r->busy_ns += step->end_ns - step->begin_ns;
  tdm_serving_log_add(&r->log, step);
}

static int close_replay(lua_State *L) {
  replay *r = luaL_checkudata(L, 1, type_name);
  tdm_serving_close(r->serving);
  r->serving = NULL;
  tdm_serving_log_close(&r->log);
  return 0;
}

/* Up to, not with, `until_ns`. */
static tdm_status advance(tdm_serving *serving, int64_t until_ns, tdm_error *error) {
  tdm_status status = TDM_OK;
  for (int64_t next; status == TDM_OK && (next = tdm_serving_next_ns(serving)) < until_ns;)
    status = tdm_serving_advance(serving, next, error);
  return status;
}

static tdm_status feed(lua_State *L, int requests, replay *r, size_t count, tdm_error *error) {
  int64_t now_ns = 0;
  for (size_t i = 0; i < count; i++) {
    lua_geti(L, requests, (lua_Integer)i + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    now_ns = number_of(L, "at_ns", true);
    tdm_serving_request request = request_at_top(L);
    request.id = i;
    request.luck = tdm_mix(i);
    tdm_status status = advance(r->serving, now_ns, error);
    if (status == TDM_OK) status = tdm_serving_submit(r->serving, now_ns, &request, error);
    if (status != TDM_OK) return status;
    lua_pop(L, 2);
  }
  tdm_status status = advance(r->serving, now_ns + 1, error);
  if (status != TDM_OK) return status;
  tdm_serving_drain(r->serving, now_ns);
  return advance(r->serving, INT64_MAX, error);
}

static void set(lua_State *L, const char *name, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static int serving_replay(lua_State *L) {
  tdm_serving_config config = config_at(L, 1);
  const tdm_llm_step *model = tdm_bind_llm_step(L, 2);
  luaL_argcheck(L, model != NULL, 2, "not a step model");
  luaL_checktype(L, 3, LUA_TTABLE);
  bool terms = lua_toboolean(L, 4);
  lua_settop(L, 3);
  size_t count = (size_t)luaL_len(L, 3);
  replay *r = lua_newuserdatauv(L, sizeof *r, 0);
  *r = (replay){.log.wanted = terms};
  luaL_setmetatable(L, type_name);
  r->outcomes = lua_newuserdatauv(L, (count + 1) * sizeof *r->outcomes, 0);
  memset(r->outcomes, 0, (count + 1) * sizeof *r->outcomes);
  tdm_serving_events events = {.context = r, .finished = keep_outcome, .step = count_step};
  tdm_error error;
  if (tdm_serving_open(&config, model, &events, &r->serving, &error) != TDM_OK ||
      feed(L, 3, r, count, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  if (r->log.failed) {
    tdm_error_memory(&error, "the log of a replay", r->log.count);
    return tdm_bind_failure(L, &error);
  }
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    const tdm_serving_outcome *o = &r->outcomes[i];
    lua_createtable(L, 0, terms ? 9 : 6);
    set(L, "queued_ns", o->queued_ns);
    set(L, "scheduled_ns", o->scheduled_ns);
    set(L, "first_token_ns", o->first_token_ns);
    set(L, "finished_ns", o->finished_ns);
    set(L, "cached_tokens", o->cached_tokens);
    set(L, "preemptions", o->preemptions);
    if (terms) tdm_serving_log_push(L, &r->log, o);
    lua_seti(L, -2, (lua_Integer)i + 1);
  }
  lua_createtable(L, 0, 2);
  set(L, "steps", r->steps);
  set(L, "busy_ns", r->busy_ns);
  return 2;
}

void tdm_bind_open_serving(lua_State *L) {
  static const luaL_Reg functions[] = {{"replay", serving_replay}, {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  lua_pushcfunction(L, close_replay);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "serving");
}
