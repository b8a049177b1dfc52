/* core.llm: language models and how long their steps take.
 *
 * llm.step { kind = "affine" | "roofline" | "table" | "capped", … } → model | nil, message, code
 * model:step_s(batch), model:decode_run_s(batch, k) → seconds
 * model:explain(batch) → seconds by cause; rooflines only
 * llm.shard(architecture, parallelism) → what one GPU holds | nil, message, code
 *
 * A batch is a table with the fields of tdm_llm_batch, or { prefill = { { tokens, context,
 * completes }, … }, decode = { context, … } }. Keys that nobody knows raise. Models are immutable
 * and live until they are collected. Called by lua/tandem/llm. */
#include "bind/llm.h"

#include <lauxlib.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "bind/bind.h"
#include "model/llm/llm.h"

static const char type_name[] = "tandem.llm_step";

/* ---- tables as structs */

typedef struct {
  const char *name;
  char type; /* 'i': int64_t, 'n': double */
  size_t offset;
} field;

#define INTEGER(type, name)                                                                        \
  { #name, 'i', offsetof(type, name) }
#define NUMBER(type, name)                                                                         \
  { #name, 'n', offsetof(type, name) }
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void read_field(lua_State *L, const field *f, void *to, const char *what) {
  char *at = (char *)to + f->offset;
  if (f->type == 'n') {
    int is_number;
    double value = lua_tonumberx(L, -1, &is_number);
    if (!is_number) luaL_error(L, "%s: %s is not a number", what, f->name);
    memcpy(at, &value, sizeof value);
    return;
  }
  int is_integer = lua_isboolean(L, -1);
  int64_t value = is_integer ? lua_toboolean(L, -1) : lua_tointegerx(L, -1, &is_integer);
  if (!is_integer) luaL_error(L, "%s: %s is not a whole number", what, f->name);
  memcpy(at, &value, sizeof value);
}

/* Fields that the table at `index` has; keys of `other` are somebody else's. */
static void read_fields(lua_State *L, int index, const field *fields, size_t count, void *to,
                        const char *what, const char *const *other) {
  index = lua_absindex(L, index);
  if (!lua_istable(L, index)) luaL_error(L, "%s: wants a table", what);
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "a number";
    const field *found = NULL;
    for (size_t i = 0; i < count && found == NULL; i++)
      if (strcmp(fields[i].name, key) == 0) found = &fields[i];
    const char *const *known = other;
    while (found == NULL && known != NULL && *known != NULL && strcmp(*known, key) != 0) known++;
    if (found != NULL)
      read_field(L, found, to, what);
    else if (known == NULL || *known == NULL)
      luaL_error(L, "%s: there is no field %s", what, key);
    lua_pop(L, 1);
  }
}

/* Reads the table that is field `key` of the one at `index`; nothing when there is none. */
static void read_part(lua_State *L, int index, const char *key, const field *fields, size_t count,
                      void *to) {
  if (lua_getfield(L, index, key) != LUA_TNIL) read_fields(L, -1, fields, count, to, key, NULL);
  lua_pop(L, 1);
}

static double number_or(lua_State *L, int index, const char *key, double fallback) {
  int type = lua_getfield(L, index, key);
  if (type != LUA_TNIL && type != LUA_TNUMBER) luaL_error(L, "%s is not a number", key);
  double value = type == LUA_TNIL ? fallback : lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

/* A list of numbers, kept alive by the userdata that is left on the stack. */
static double *numbers(lua_State *L, int index, const char *key, size_t *count) {
  lua_getfield(L, index, key);
  if (lua_isnil(L, -1)) {
    *count = 0;
    return NULL;
  }
  if (!lua_istable(L, -1)) luaL_error(L, "%s wants a list of numbers", key);
  *count = (size_t)luaL_len(L, -1);
  double *list = lua_newuserdatauv(L, (*count + 1) * sizeof *list, 0);
  for (size_t i = 0; i < *count; i++) {
    lua_geti(L, -2, (lua_Integer)i + 1);
    int is_number;
    list[i] = lua_tonumberx(L, -1, &is_number);
    if (!is_number) luaL_error(L, "%s: item %d is not a number", key, (int)i + 1);
    lua_pop(L, 1);
  }
  lua_remove(L, -2);
  return list;
}

/* ---- batches */

#define B(name) INTEGER(tdm_llm_batch, name)
#define D(name) NUMBER(tdm_llm_batch, name)
static const field batch_fields[] = {
    B(prefill_seqs),    B(prefill_tokens), D(prefill_context), D(prefill_attention),
    D(prefill_squares), B(decode_seqs),    D(decode_context),  B(decode_context_max),
    D(decode_squares),  B(sampled)};
#undef B
#undef D

static int64_t item(lua_State *L, lua_Integer i, const char *what) {
  lua_geti(L, -1, i);
  int is_integer;
  int64_t value = lua_tointegerx(L, -1, &is_integer);
  if (!is_integer && !lua_isnil(L, -1)) luaL_error(L, "batch: %s is not a whole number", what);
  lua_pop(L, 1);
  return value;
}

static tdm_llm_batch batch_at(lua_State *L, int index) {
  static const char *const lists[] = {"prefill", "decode", NULL};
  tdm_llm_batch batch = {0};
  read_fields(L, index, batch_fields, COUNT(batch_fields), &batch, "batch", lists);
  if (lua_getfield(L, index, "prefill") == LUA_TTABLE)
    for (lua_Integer i = 1; lua_geti(L, -1, i) == LUA_TTABLE || (lua_pop(L, 1), 0); i++) {
      int64_t tokens = item(L, 1, "tokens of a prefill"), context = item(L, 2, "its context");
      lua_geti(L, -1, 3);
      int completes = lua_isnil(L, -1) || lua_toboolean(L, -1);
      lua_pop(L, 2);
      tdm_llm_batch_add_prefill(&batch, tokens, context, completes);
    }
  lua_pop(L, 1);
  if (lua_getfield(L, index, "decode") == LUA_TTABLE) {
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count; i++)
      tdm_llm_batch_add_decode(&batch, item(L, i, "a context"));
  }
  lua_pop(L, 1);
  return batch;
}

/* ---- architectures */

#define A(name) INTEGER(tdm_llm_architecture, name)
#define N(name) NUMBER(tdm_llm_architecture, name)
static const field architecture_fields[] = {A(layers),
                                            A(hidden),
                                            A(vocabulary),
                                            A(tied),
                                            A(heads),
                                            A(kv_heads),
                                            A(head_size),
                                            A(q_gate),
                                            A(q_rank),
                                            A(kv_rank),
                                            A(nope_size),
                                            A(rope_size),
                                            A(value_size),
                                            A(shared_kv),
                                            A(window),
                                            A(window_layers),
                                            A(window_kv_heads),
                                            A(window_head_size),
                                            A(top_keys),
                                            A(index_heads),
                                            A(index_size),
                                            A(o_rank),
                                            A(o_groups),
                                            A(key_stride),
                                            A(coarse_layers),
                                            A(coarse_stride),
                                            A(linear_layers),
                                            A(linear_key_heads),
                                            A(linear_key_size),
                                            A(linear_value_heads),
                                            A(linear_value_size),
                                            A(linear_gate_rank),
                                            A(dense_layers),
                                            A(intermediate),
                                            A(experts),
                                            A(experts_active),
                                            A(expert_intermediate),
                                            A(shared_intermediate),
                                            N(attention_bytes),
                                            N(ffn_bytes),
                                            N(expert_bytes),
                                            N(embedding_bytes),
                                            N(kv_bytes),
                                            N(state_bytes),
                                            N(activation_bytes)};
#undef A
#undef N

static const field parallelism_fields[] = {
    INTEGER(tdm_llm_parallelism, tensor), INTEGER(tdm_llm_parallelism, pipeline),
    INTEGER(tdm_llm_parallelism, expert), INTEGER(tdm_llm_parallelism, data)};

static tdm_llm_architecture architecture_at(lua_State *L, int index) {
  tdm_llm_architecture model = {.attention_bytes = 2,
                                .ffn_bytes = 2,
                                .expert_bytes = 2,
                                .embedding_bytes = 2,
                                .kv_bytes = 2,
                                .state_bytes = 4,
                                .activation_bytes = 2};
  read_fields(L, index, architecture_fields, COUNT(architecture_fields), &model, "architecture",
              NULL);
  return model;
}

static void push_number(lua_State *L, const char *name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

static int shard(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  tdm_llm_architecture model = architecture_at(L, 1);
  tdm_llm_parallelism cut = {1, 1, 1, 1}, one = cut;
  if (!lua_isnoneornil(L, 2))
    read_fields(L, 2, parallelism_fields, COUNT(parallelism_fields), &cut, "parallelism", NULL);
  tdm_llm_shard part, whole;
  tdm_error error;
  if (tdm_llm_shard_of(&model, &one, &whole, &error) != TDM_OK ||
      tdm_llm_shard_of(&model, &cut, &part, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  double active = tdm_llm_active_params(&whole, model.experts_active);
  lua_createtable(L, 0, 8);
  push_number(L, "params", tdm_llm_params(&whole));
  push_number(L, "active_params", active);
  push_number(L, "flops_token", 2 * active);
  push_number(L, "weights_bytes", part.weights_bytes);
  push_number(L, "kv_bytes_token", part.kv_bytes_token);
  push_number(L, "window_bytes_token", part.window_bytes_token);
  push_number(L, "state_bytes_seq", part.state_bytes_seq);
  push_number(L, "pair_flops", part.pair_flops);
  push_number(L, "key_flops", part.key_flops);
  return 1;
}

/* ---- step models: the table is at 1, *out where they go */

#define P(name) NUMBER(tdm_llm_affine_piece, name)
static const field piece_fields[] = {
    P(decode_seqs_max), P(step),           P(prefill_step),    P(decode_step),
    P(prefill_seqs),    P(prefill_tokens), P(prefill_context), P(prefill_attention),
    P(prefill_squares), P(decode_seqs),    P(decode_context),  P(decode_context_max),
    P(sampled)};
#undef P

static tdm_status affine(lua_State *L, tdm_llm_step **out, tdm_error *error) {
  if (lua_getfield(L, 1, "pieces") != LUA_TTABLE) luaL_error(L, "affine: pieces are missing");
  size_t count = (size_t)luaL_len(L, -1);
  tdm_llm_affine_piece *pieces = lua_newuserdatauv(L, (count + 1) * sizeof *pieces, 0);
  for (size_t i = 0; i < count; i++) {
    pieces[i] = (tdm_llm_affine_piece){.decode_seqs_max = INFINITY};
    lua_geti(L, -2, (lua_Integer)i + 1);
    read_fields(L, -1, piece_fields, COUNT(piece_fields), &pieces[i], "affine", NULL);
    lua_pop(L, 1);
  }
  return tdm_llm_affine_new(pieces, count, number_or(L, 1, "floor_s", 0), out, error);
}

#define R(name) NUMBER(tdm_llm_rates, name)
static const field rate_fields[] = {R(bandwidth),
                                    R(attention_flops),
                                    R(ffn_flops),
                                    R(expert_flops),
                                    R(head_flops),
                                    R(pair_flops),
                                    R(matrix_efficiency),
                                    R(expert_efficiency),
                                    R(attention_efficiency),
                                    R(weight_bandwidth),
                                    R(expert_bandwidth),
                                    R(kv_bandwidth),
                                    R(attention_half),
                                    R(ffn_half),
                                    R(head_half),
                                    R(expert_half),
                                    R(expert_width),
                                    R(expert_excess),
                                    R(step_s),
                                    R(layer_s),
                                    R(expert_layer_s),
                                    R(sequence_s),
                                    R(token_s)};
#undef R
static const field link_fields[] = {NUMBER(tdm_llm_link, latency_s), NUMBER(tdm_llm_link, hop_s),
                                    NUMBER(tdm_llm_link, bandwidth)};

/* The rows of a grid as a flat list, which stays on the stack. */
typedef struct {
  const char *key;
  size_t axes, count;
  const double *numbers;
  tdm_llm_grid **out; /* stays NULL when there are no rows */
} rows;

static void read_rows(lua_State *L, rows *r) {
  r->numbers = numbers(L, 1, r->key, &r->count);
  if (r->count % (r->axes + 1) != 0)
    luaL_error(L, "%s wants rows of %d numbers", r->key, (int)r->axes + 1);
}

/* Nothing raises in here. */
static tdm_status make_grids(rows *grids, size_t count, tdm_error *error) {
  tdm_status status = TDM_OK;
  for (size_t i = 0; i < count && status == TDM_OK; i++)
    if (grids[i].numbers != NULL)
      status = tdm_llm_grid_new(grids[i].key, grids[i].axes, grids[i].numbers,
                                grids[i].count / (grids[i].axes + 1), grids[i].out, error);
  for (size_t i = 0; i < count && status != TDM_OK; i++) tdm_llm_grid_free(*grids[i].out);
  return status;
}

static tdm_status roofline(lua_State *L, tdm_llm_step **out, tdm_error *error) {
  lua_getfield(L, 1, "architecture");
  tdm_llm_architecture model = architecture_at(L, -1);
  tdm_llm_parallelism cut = {1, 1, 1, 1};
  read_part(L, 1, "parallelism", parallelism_fields, COUNT(parallelism_fields), &cut);
  /* Alone, a GPU asks no link. */
  tdm_llm_rates rates = {.links.inside.bandwidth = 1, .links.network.bandwidth = 1};
  if (cut.tensor * cut.data * cut.pipeline > 1) rates.links.inside.bandwidth = 0;
  read_part(L, 1, "rates", rate_fields, COUNT(rate_fields), &rates);
  read_part(L, 1, "link", link_fields, COUNT(link_fields), &rates.links.inside);
  rates.links.machine = (int64_t)number_or(L, 1, "machine", 0);
  if (rates.links.machine > 0) rates.links.network.bandwidth = 0;
  read_part(L, 1, "network", link_fields, COUNT(link_fields), &rates.links.network);
  rows reduces = {.key = "all_reduce", .axes = 2, .out = &rates.links.inside.all_reduce};
  read_rows(L, &reduces);
  tdm_status status = make_grids(&reduces, 1, error);
  return status != TDM_OK ? status : tdm_llm_roofline_new(&model, &cut, &rates, out, error);
}

static tdm_llm_buckets buckets(lua_State *L, int index, const char *key) {
  tdm_llm_buckets b;
  b.edges = numbers(L, index, key, &b.count);
  return b;
}

/* Lists stay on the stack while they are needed. */
static void skew_at(lua_State *L, tdm_llm_skew *skew) {
  if (lua_getfield(L, 1, "skew") == LUA_TNIL) return;
  luaL_checktype(L, -1, LUA_TTABLE);
  int at = lua_gettop(L);
  size_t alphas;
  skew->prefill_tokens = numbers(L, at, "prefill_tokens", &skew->prefill_count);
  skew->seqs = buckets(L, at, "seqs");
  skew->rate = buckets(L, at, "rate");
  skew->longest = buckets(L, at, "longest");
  skew->context = buckets(L, at, "context");
  skew->alpha = numbers(L, at, "alpha", &alphas);
  if (alphas != skew->prefill_count * (skew->seqs.count + 1) * (skew->rate.count + 1) *
                    (skew->longest.count + 1) * (skew->context.count + 1))
    luaL_error(L, "skew: as many shares as buckets");
}

static tdm_status table(lua_State *L, tdm_llm_step **out, tdm_error *error) {
  tdm_llm_table t = {.attention_layers = number_or(L, 1, "layers", 0),
                     .expert_layers = number_or(L, 1, "expert_layers", 0),
                     .expert_groups = number_or(L, 1, "expert_groups", 1),
                     .experts_all = (int64_t)number_or(L, 1, "experts_all", 0),
                     .experts_active = (int64_t)number_or(L, 1, "experts_active", 0),
                     .reduces = number_or(L, 1, "reduces", 0),
                     .reduce_bytes = number_or(L, 1, "reduce_bytes", 0),
                     .gpus = (int64_t)number_or(L, 1, "gpus", 1),
                     .data = number_or(L, 1, "data", 1),
                     .gathers = number_or(L, 1, "gathers", 0),
                     .sends = number_or(L, 1, "sends", 0),
                     .step_s = number_or(L, 1, "step_s", 0),
                     .sequence_s = number_or(L, 1, "sequence_s", 0)};
  luaL_checkstack(L, 40, NULL);
  read_part(L, 1, "link", link_fields, COUNT(link_fields), &t.link);
  skew_at(L, &t.skew);
  rows grids[] = {{.key = "tokens", .axes = 1, .out = &t.tokens},
                  {.key = "attention", .axes = 4, .out = &t.attention},
                  {.key = "experts", .axes = 2, .out = &t.experts},
                  {.key = "sampled", .axes = 1, .out = &t.sampled},
                  {.key = "all_reduce", .axes = 2, .out = &t.link.all_reduce}};
  for (size_t i = 0; i < COUNT(grids); i++) read_rows(L, &grids[i]);
  tdm_status status = make_grids(grids, COUNT(grids), error);
  return status != TDM_OK ? status : tdm_llm_table_new(&t, out, error);
}

static const field power_fields[] = {
    NUMBER(tdm_llm_power, limit_w),    NUMBER(tdm_llm_power, idle), NUMBER(tdm_llm_power, active),
    NUMBER(tdm_llm_power, memory),     NUMBER(tdm_llm_power, cap),  NUMBER(tdm_llm_power, width),
    NUMBER(tdm_llm_power, arithmetic),
};
static const field cap_fields[] = {NUMBER(tdm_llm_cap, memory), NUMBER(tdm_llm_cap, arithmetic),
                                   NUMBER(tdm_llm_cap, full), NUMBER(tdm_llm_cap, draw)};

/* NULL: why is in *error. */
static tdm_llm_step *inner_step(lua_State *L, const char *key, tdm_error *error) {
  lua_getfield(L, 1, key);
  tdm_llm_step *step = tdm_bind_llm_step_new(L, -1, error);
  lua_pop(L, 1);
  return step;
}

/* Nothing raises once the first step is there. */
static tdm_status under_cap(lua_State *L, tdm_llm_step **out, tdm_error *error) {
  tdm_llm_power power = {.limit_w = 1, .cap = 1, .width = 1}, *drawn = NULL;
  tdm_llm_cap cap = {.full = 1, .draw = 1};
  read_part(L, 1, "power", power_fields, COUNT(power_fields), &power);
  read_part(L, 1, "cap", cap_fields, COUNT(cap_fields), &cap);
  luaL_checkstack(L, 10, NULL);
  tdm_llm_step *step = inner_step(L, "step", error);
  if (step != NULL) power.memory_step = inner_step(L, "memory_step", error);
  if (power.memory_step != NULL) power.arithmetic_step = inner_step(L, "arithmetic_step", error);
  if (power.arithmetic_step != NULL && tdm_llm_power_new(&power, &drawn, error) == TDM_OK)
    return tdm_llm_capped_new(step, drawn, &cap, out, error);
  if (power.arithmetic_step == NULL) tdm_llm_step_free(power.memory_step);
  tdm_llm_step_free(step);
  return TDM_INVALID;
}

static int new_step(lua_State *L) {
  static const char *const kinds[] = {"affine", "roofline", "table", "capped", NULL};
  static tdm_status (*const makers[])(lua_State *, tdm_llm_step **,
                                      tdm_error *) = {affine, roofline, table, under_cap};
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  tdm_llm_step **kept = lua_newuserdatauv(L, sizeof *kept, 0);
  *kept = NULL;
  luaL_setmetatable(L, type_name);
  lua_getfield(L, 1, "kind");
  const char *kind = lua_tostring(L, -1);
  size_t i = 0;
  while (kinds[i] != NULL && (kind == NULL || strcmp(kinds[i], kind) != 0)) i++;
  if (kinds[i] == NULL)
    return luaL_error(L, "llm.step: kind is \"affine\", \"roofline\", \"table\" or \"capped\"");
  tdm_error error;
  if (makers[i](L, kept, &error) != TDM_OK) return tdm_bind_failure(L, &error);
  lua_pushvalue(L, 2);
  return 1;
}

const tdm_llm_step *tdm_bind_llm_step(lua_State *L, int index) {
  tdm_llm_step **kept = luaL_testudata(L, index, type_name);
  return kept != NULL ? *kept : NULL;
}

tdm_llm_step *tdm_bind_llm_step_new(lua_State *L, int index, tdm_error *error) {
  tdm_llm_step *step = NULL;
  index = lua_absindex(L, index);
  lua_pushcfunction(L, new_step);
  lua_pushvalue(L, index);
  int top = lua_gettop(L) - 2;
  if (lua_pcall(L, 1, 2, 0) == LUA_OK) {
    tdm_llm_step **kept = luaL_testudata(L, -2, type_name);
    if (kept != NULL) {
      step = *kept;
      *kept = NULL;
    }
  }
  if (step == NULL) {
    const char *why = lua_tostring(L, -1);
    tdm_error_set(error, TDM_INVALID, "%s", why != NULL ? why : "no step model");
  }
  lua_settop(L, top);
  return step;
}

static const tdm_llm_step *check_step(lua_State *L) {
  const tdm_llm_step *model = tdm_bind_llm_step(L, 1);
  if (model == NULL) luaL_argerror(L, 1, "not a step model");
  return model;
}

static int free_step(lua_State *L) {
  tdm_llm_step **kept = luaL_checkudata(L, 1, type_name);
  tdm_llm_step_free(*kept);
  *kept = NULL;
  return 0;
}

static int step_s(lua_State *L) {
  const tdm_llm_step *model = check_step(L);
  tdm_llm_batch batch = batch_at(L, 2);
  lua_pushnumber(L, tdm_llm_step_s(model, &batch));
  return 1;
}

static int decode_run_s(lua_State *L) {
  const tdm_llm_step *model = check_step(L);
  tdm_llm_batch batch = batch_at(L, 2);
  lua_Integer k = luaL_checkinteger(L, 3);
  luaL_argcheck(L, k >= 0, 3, "wants 0 or more steps");
  lua_pushnumber(L, tdm_llm_decode_run_s(model, &batch, k));
  return 1;
}

static int explain(lua_State *L) {
  const tdm_llm_step *model = check_step(L);
  if (strcmp(model->kind->name, "roofline") != 0)
    return luaL_argerror(L, 1, "only rooflines explain themselves");
  tdm_llm_batch batch = batch_at(L, 2);
  tdm_llm_breakdown b = tdm_llm_roofline_explain(model, &batch);
  lua_createtable(L, 0, 7);
  push_number(L, "weights", b.weights);
  push_number(L, "experts", b.experts);
  push_number(L, "prefill_attention", b.prefill_attention);
  push_number(L, "decode_attention", b.decode_attention);
  push_number(L, "elementwise", b.elementwise);
  push_number(L, "exchange", b.exchange);
  push_number(L, "overhead", b.overhead);
  return 1;
}

void tdm_bind_open_llm(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"step_s", step_s}, {"decode_run_s", decode_run_s}, {"explain", explain}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"step", new_step}, {"shard", shard}, {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  lua_pushcfunction(L, free_step);
  lua_setfield(L, -2, "__gc");
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "llm");
}
