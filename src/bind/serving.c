/* core.serving: one replica of an LLM server, replayed; its options and rules as data.
 *
 * serving.options(), serving.problems(config): below.
 * serving.replay(config, step, requests, terms) → outcomes, totals | nil, message, code
 *
 * config: fields of tdm_serving_config by name, enumerations by their words below, kv_tiers as
 * read_tiers has them, others as vLLM has them. step: a model of core.llm. requests: a list of {
 * at_ns, prompt, output, given, priority, hashes, hashed } in order of time, the last four
 * optional. outcomes: in the same order, { queued_ns, scheduled_ns, first_token_ns, finished_ns,
 * cached_tokens, preemptions } and, where there are kv_tiers, below_tokens, a list, and load_ns;
 * totals: steps, busy_ns, stored and loaded, blocks by tier. With `terms` true outcomes have
 * waited, first and rest beside: what the engine did meanwhile (serving_log.h). Unknown keys raise.
 * Called by lua/tandem/llm and by tests/accuracy. */
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "bind/bind.h"
#include "bind/llm.h"
#include "bind/serving_log.h"
#include "engine/serving/serving.h"

static const char type_name[] = "tandem.serving";

/* ---- the configuration */

_Static_assert(sizeof(tdm_serving_order) == sizeof(int), "words are read as whole numbers");

/* The value on top, a word of the option's. */
static int read_word(lua_State *L, const tdm_serving_option *o) {
  const char *given = luaL_checkstring(L, -1);
  for (int i = 0; o->words[i].name != NULL; i++)
    if (strcmp(o->words[i].name, given) == 0) return i;
  return luaL_error(L, "serving: %s cannot be '%s'", o->name, given);
}

static void read_option(lua_State *L, const tdm_serving_option *o, tdm_serving_config *config) {
  char *at = (char *)config + o->offset;
  int is_integer = 1;
  switch (o->sort) {
  case TDM_OPTION_WHOLE: {
    int64_t value = lua_tointegerx(L, -1, &is_integer);
    memcpy(at, &value, sizeof value);
    break;
  }
  case TDM_OPTION_REAL:
  case TDM_OPTION_SECONDS: {
    double value = luaL_checknumber(L, -1);
    memcpy(at, &value, sizeof value);
    break;
  }
  case TDM_OPTION_FLAG: {
    bool value = lua_toboolean(L, -1);
    memcpy(at, &value, sizeof value);
    break;
  }
  case TDM_OPTION_WORD: {
    int value = read_word(L, o); /* as wide as an enumeration */
    memcpy(at, &value, sizeof value);
    break;
  }
  }
  if (!is_integer) luaL_error(L, "serving: %s is not a whole number", o->name);
}

static const tdm_serving_option *option_named(const char *name) {
  for (const tdm_serving_option *o = tdm_serving_options; o->name != NULL; o++)
    if (strcmp(o->name, name) == 0) return o;
  return NULL;
}

static double field_of(lua_State *L, const char *name, double otherwise) {
  lua_getfield(L, -1, name);
  double value = luaL_optnumber(L, -1, otherwise);
  lua_pop(L, 1);
  return value;
}

static bool flag_of(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  bool value = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return value;
}

/* The word of a field among `count`; 0: it says none. */
static int word_of(lua_State *L, const char *name, const char *const *words, int count) {
  lua_getfield(L, -1, name);
  const char *word = luaL_optstring(L, -1, words[0]);
  int found = 0;
  while (found < count && strcmp(word, words[found]) != 0) found++;
  if (found == count) luaL_error(L, "serving: %s is not %s", name, word);
  lua_pop(L, 1);
  return found;
}

/* The list on top: { { name, blocks, block_bytes, block_s, store_s, latency_s, one_way, shared,
 * worth, write, prefetch, timeout_s, timeout_token_s }, … }, the nearest first. */
static void read_tiers(lua_State *L, tdm_serving_config *config) {
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_Integer count = luaL_len(L, -1);
  if (count > TDM_KV_TIERS) luaL_error(L, "serving: more than %d kv_tiers", TDM_KV_TIERS);
  config->tier_count = (size_t)count;
  for (lua_Integer k = 0; k < count; k++) {
    tdm_kv_tier *tier = &config->tiers[k];
    lua_geti(L, -1, k + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    lua_getfield(L, -1, "name");
    snprintf(tier->name, sizeof tier->name, "%s", luaL_checkstring(L, -1));
    lua_pop(L, 1);
    tier->blocks = (int64_t)field_of(L, "blocks", 0);
    tier->block_bytes = field_of(L, "block_bytes", 0);
    tier->block_s = field_of(L, "block_s", 0);
    tier->latency_s = field_of(L, "latency_s", 0);
    tier->store_s = field_of(L, "store_s", 0);
    tier->one_way = flag_of(L, "one_way");
    tier->shared = flag_of(L, "shared");
    tier->worth = field_of(L, "worth", 1);
    tier->write = (tdm_kv_write)word_of(L, "write", tdm_kv_write_words, TDM_KV_WRITES);
    tier->prefetch =
        (tdm_kv_prefetch)word_of(L, "prefetch", tdm_kv_prefetch_words, TDM_KV_PREFETCHES);
    tier->timeout_s = field_of(L, "timeout_s", 0);
    tier->timeout_token_s = field_of(L, "timeout_token_s", 0);
    lua_pop(L, 1);
  }
}

static tdm_serving_config config_at(lua_State *L, int index) {
  tdm_serving_config config;
  tdm_serving_config_default(&config);
  luaL_checktype(L, index, LUA_TTABLE);
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "(a number)";
    if (strcmp(key, "kv_tiers") == 0) {
      read_tiers(L, &config);
      lua_pop(L, 1);
      continue;
    }
    const tdm_serving_option *found = option_named(key);
    if (found == NULL) luaL_error(L, "serving: there is no field %s", key);
    read_option(L, found, &config);
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

/* ---- options and rules, as data */

static void set_text(lua_State *L, const char *key, const char *text) {
  if (text == NULL) return;
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

static void set_number(lua_State *L, const char *key, double value) {
  if (value == (double)(lua_Integer)value)
    lua_pushinteger(L, (lua_Integer)value);
  else
    lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}

/* { { name, doc }, … }; `described`: those alone that have a doc. */
static void push_words(lua_State *L, const tdm_option_word *words, bool described) {
  lua_newtable(L);
  for (lua_Integer n = 0; words->name != NULL; words++) {
    if (described && words->doc == NULL) continue;
    lua_createtable(L, 2, 0);
    lua_pushstring(L, words->name);
    lua_rawseti(L, -2, 1);
    lua_pushstring(L, words->doc);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, ++n);
  }
}

static void push_preset(lua_State *L, const tdm_serving_option *o, double value) {
  if (o->sort == TDM_OPTION_WORD)
    lua_pushstring(L, o->words[(int)value].name);
  else if (o->sort == TDM_OPTION_FLAG)
    lua_pushboolean(L, value != 0);
  else if (o->sort == TDM_OPTION_WHOLE)
    lua_pushinteger(L, (lua_Integer)value);
  else
    lua_pushnumber(L, value);
}

static void push_option(lua_State *L, const tdm_serving_option *o) {
  static const char *const sorts[] = {"whole", "real", "seconds", "flag", "word"};
  lua_newtable(L);
  set_text(L, "name", o->name);
  set_text(L, "key", o->key);
  set_text(L, "record", o->record);
  set_text(L, "doc", o->doc);
  set_text(L, "sort", sorts[o->sort]);
  set_number(L, "least", o->least);
  if (o->most > 0) set_number(L, "most", o->most);
  lua_pushboolean(L, o->above_least);
  lua_setfield(L, -2, "above_least");
  lua_pushboolean(L, o->required);
  lua_setfield(L, -2, "required");
  if (o->words != NULL) {
    push_words(L, o->words, true);
    lua_setfield(L, -2, "words");
  }
  lua_newtable(L);
  for (int i = 0; i < TDM_SERVERS; i++) {
    if (o->presets[i] == TDM_OPTION_UNSET) continue;
    push_preset(L, o, o->presets[i]);
    lua_setfield(L, -2, tdm_serving_servers[i].name);
  }
  lua_setfield(L, -2, "presets");
}

/* serving.options() → { { name, key, record, doc, sort, least, most, above_least, required, words,
 * presets = { vllm = …, … } }, … }, servers: model/llm/replica.h's words */
static int serving_options(lua_State *L) {
  lua_newtable(L);
  for (int i = 0; tdm_serving_options[i].name != NULL; i++) {
    push_option(L, &tdm_serving_options[i]);
    lua_rawseti(L, -2, i + 1);
  }
  push_words(L, tdm_serving_servers, true);
  return 2;
}

/* serving.problems(config) → { { where, what }, … }: what no scheduler may be */
static int serving_problems(lua_State *L) {
  tdm_serving_config config = config_at(L, 1);
  tdm_serving_problem found[16];
  size_t count = tdm_serving_problems(&config, found, sizeof found / sizeof *found);
  lua_newtable(L);
  for (size_t i = 0; i < count && i < sizeof found / sizeof *found; i++) {
    lua_createtable(L, 0, 2);
    set_text(L, "where", found[i].where);
    set_text(L, "what", found[i].what);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* ---- the requests */

/* A number of the table on top. */
static int64_t number_of(lua_State *L, const char *name, bool required) {
  int is_integer = 1;
  int64_t value = 0;
  if (lua_getfield(L, -1, name) != LUA_TNIL || required) value = lua_tointegerx(L, -1, &is_integer);
  if (!is_integer) luaL_error(L, "serving: a request's %s is not a whole number", name);
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

#define REPLICAS_MOST 16

typedef struct {
  tdm_serving *servings[REPLICAS_MOST];
  size_t count;
  tdm_kv_store *store;           /* that they share; NULL: none */
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
  for (size_t i = 0; i < r->count; i++) tdm_serving_close(r->servings[i]);
  r->count = 0;
  tdm_kv_store_free(r->store);
  r->store = NULL;
  tdm_serving_log_close(&r->log);
  return 0;
}

/* Whose turn is first; of equals the first. */
static tdm_serving *next_of(const replay *r) {
  tdm_serving *next = r->servings[0];
  for (size_t i = 1; i < r->count; i++)
    if (tdm_serving_next_ns(r->servings[i]) < tdm_serving_next_ns(next)) next = r->servings[i];
  return next;
}

/* Up to, not with, `until_ns`. */
static tdm_status advance(const replay *r, int64_t until_ns, tdm_error *error) {
  tdm_status status = TDM_OK;
  for (tdm_serving *next; status == TDM_OK && tdm_serving_next_ns(next = next_of(r)) < until_ns;)
    status = tdm_serving_advance(next, tdm_serving_next_ns(next), error);
  return status;
}

static tdm_status feed(lua_State *L, int requests, replay *r, size_t count, tdm_error *error) {
  int64_t now_ns = 0;
  for (size_t i = 0; i < count; i++) {
    lua_geti(L, requests, (lua_Integer)i + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    now_ns = number_of(L, "at_ns", true);
    int64_t replica = number_of(L, "replica", false);
    if (replica < 0 || (size_t)replica >= r->count)
      luaL_error(L, "serving: there is no replica %d", (int)replica);
    tdm_serving_request request = request_at_top(L);
    request.id = i;
    request.luck = tdm_mix(i);
    tdm_status status = advance(r, now_ns, error);
    if (status == TDM_OK)
      status = tdm_serving_submit(r->servings[replica], now_ns, &request, error);
    if (status != TDM_OK) return status;
    lua_pop(L, 2);
  }
  tdm_status status = advance(r, now_ns + 1, error);
  if (status != TDM_OK) return status;
  for (size_t i = 0; i < r->count; i++) tdm_serving_drain(r->servings[i], now_ns);
  return advance(r, INT64_MAX, error);
}

static tdm_status open_replicas(replay *r, size_t count, const tdm_serving_config *config,
                                const tdm_llm_step *model, tdm_error *error) {
  tdm_serving_events events = {.context = r, .finished = keep_outcome, .step = count_step};
  const tdm_kv_tier *last = config->tier_count > 0 ? &config->tiers[config->tier_count - 1] : NULL;
  if (last != NULL && last->shared && (r->store = tdm_kv_store_new(last)) == NULL)
    return tdm_error_memory(error, "a store", sizeof *last);
  for (; r->count < count; r->count++) {
    tdm_status status = tdm_serving_open(config, model, &events, &r->servings[r->count], error);
    if (status != TDM_OK) return status;
    if (r->store != NULL) tdm_serving_share(r->servings[r->count], r->store);
  }
  return TDM_OK;
}

static void set(lua_State *L, const char *name, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static void push_below(lua_State *L, const tdm_serving_config *config,
                       const tdm_serving_outcome *o) {
  lua_createtable(L, (int)config->tier_count, 0);
  for (size_t k = 0; k < config->tier_count; k++) {
    lua_pushinteger(L, o->below_tokens[k]);
    lua_rawseti(L, -2, (lua_Integer)k + 1);
  }
  lua_setfield(L, -2, "below_tokens");
  set(L, "load_ns", o->load_ns);
}

/* Of all replicas together, by tier. */
static void push_moved(lua_State *L, const tdm_serving_config *config, const replay *r) {
  lua_createtable(L, (int)config->tier_count, 0);
  lua_createtable(L, (int)config->tier_count, 0);
  for (size_t k = 0; k < config->tier_count; k++) {
    int64_t all_stored = 0, all_loaded = 0;
    for (size_t i = 0; i < r->count; i++) {
      int64_t stored, loaded;
      tdm_serving_moved(r->servings[i], k, &stored, &loaded);
      all_stored += stored;
      all_loaded += loaded;
    }
    lua_pushinteger(L, all_loaded);
    lua_rawseti(L, -2, (lua_Integer)k + 1);
    lua_pushinteger(L, all_stored);
    lua_rawseti(L, -3, (lua_Integer)k + 1);
  }
  lua_setfield(L, -3, "loaded");
  lua_setfield(L, -2, "stored");
}

/* serving.replay(config, model, requests, terms, replicas) → { { queued_ns, …, by request } },
 * { steps, busy_ns, … }: requests { at_ns, prompt, output, …, replica } in order of time, replicas
 * counted from 0 */
static int serving_replay(lua_State *L) {
  tdm_serving_config config = config_at(L, 1);
  const tdm_llm_step *model = tdm_bind_llm_step(L, 2);
  luaL_argcheck(L, model != NULL, 2, "not a step model");
  luaL_checktype(L, 3, LUA_TTABLE);
  bool terms = lua_toboolean(L, 4);
  lua_Integer replicas = luaL_optinteger(L, 5, 1);
  luaL_argcheck(L, replicas >= 1 && replicas <= REPLICAS_MOST, 5, "not a number of replicas");
  lua_settop(L, 3);
  size_t count = (size_t)luaL_len(L, 3);
  replay *r = lua_newuserdatauv(L, sizeof *r, 0);
  *r = (replay){.log.wanted = terms};
  luaL_setmetatable(L, type_name);
  r->outcomes = lua_newuserdatauv(L, (count + 1) * sizeof *r->outcomes, 0);
  memset(r->outcomes, 0, (count + 1) * sizeof *r->outcomes);
  tdm_error error;
  if (open_replicas(r, (size_t)replicas, &config, model, &error) != TDM_OK ||
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
    if (config.tier_count > 0) push_below(L, &config, o);
    if (terms) tdm_serving_log_push(L, &r->log, o);
    lua_seti(L, -2, (lua_Integer)i + 1);
  }
  lua_createtable(L, 0, 2);
  set(L, "steps", r->steps);
  set(L, "busy_ns", r->busy_ns);
  if (config.tier_count > 0) push_moved(L, &config, r);
  return 2;
}

void tdm_bind_open_serving(lua_State *L) {
  static const luaL_Reg functions[] = {{"replay", serving_replay},
                                       {"options", serving_options},
                                       {"problems", serving_problems},
                                       {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  lua_pushcfunction(L, close_replay);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "serving");
}
