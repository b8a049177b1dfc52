/* Distributions between Lua and the core: built from their tables of the model, and shown as data
 * to the language. Owns no family: base/dist/dist.h's descriptions say what each takes, here they
 * are read by. Called by the files of bind/ that build a model, and from Lua as
 * core.distributions(), core.dist_problem(table), core.dist_moments(table) and core.dist_slices().
 */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/bind.h"
#include "bind/model/value.h"

/* ---- reading */

/* "p50" is 50, "p99.9" and "p999" are 99.9; 0 for any other key. */
static double percentile_of(const char *key) {
  if (key[0] != 'p' || key[1] < '0' || key[1] > '9') return 0;
  char *end;
  double percent = strtod(key + 1, &end);
  if (*end != '\0') return 0;
  while (percent > 100) percent /= 10;
  return percent;
}

/* Two percentiles, the lower first: the table's order may vary. */
static void read_percentiles(tdm_reader *r, tdm_dist_argument *out) {
  double *pairs = tdm_array_new(4, sizeof *pairs);
  if (!tdm_read_allocated(r, pairs, "two percentiles")) return;
  size_t count = 0;
  for (lua_pushnil(r->L); lua_next(r->L, -2) != 0; lua_pop(r->L, 1)) {
    if (lua_type(r->L, -2) != LUA_TSTRING || lua_type(r->L, -1) != LUA_TNUMBER) continue;
    double percent = percentile_of(lua_tostring(r->L, -2));
    if (!(percent > 0)) continue;
    if (count < 2) {
      size_t at = count == 1 && percent > pairs[0] ? 2 : 0;
      if (count == 1 && at == 0) memcpy(&pairs[2], &pairs[0], 2 * sizeof *pairs);
      pairs[at] = percent;
      pairs[at + 1] = lua_tonumber(r->L, -1);
    }
    count++;
  }
  out->list = pairs;
  out->count = count;
  out->given = count == 2;
}

static void read_parts(tdm_reader *r, const char *key, tdm_dist_argument *out) {
  size_t mark = tdm_read_open(r, key);
  size_t count = tdm_read_table(r) ? tdm_read_length(r) : 0;
  out->parts = tdm_array_new(count, sizeof *out->parts);
  if (tdm_read_allocated(r, out->parts, "parts of a distribution")) out->count = count;
  for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
    size_t item = tdm_read_open_item(r, i + 1);
    out->parts[i] = tdm_read_dist_here(r);
    tdm_read_close(r, item);
  }
  tdm_read_close(r, mark);
}

static void read_argument(tdm_reader *r, const tdm_dist_parameter *p, tdm_dist_argument *out) {
  if (p->sort == TDM_DIST_PERCENTILES) {
    read_percentiles(r, out);
    return;
  }
  out->given = tdm_read_has(r, p->key);
  if (!out->given && (p->optional || p->form > 0)) return;
  switch (p->sort) {
  case TDM_DIST_QUANTITY:
  case TDM_DIST_NUMBER: out->number = tdm_read_number(r, p->key); break;
  case TDM_DIST_WEIGHTS:
  case TDM_DIST_QUANTITIES:
  case TDM_DIST_EDGES: out->list = tdm_read_numbers(r, p->key, &out->count); break;
  case TDM_DIST_PARTS: read_parts(r, p->key, out); break;
  case TDM_DIST_FUNCTION:
    out->function = tdm_read_function(r, p->key);
    if (out->function == TDM_NO_INDEX) tdm_read_fail(r, "%s is missing", p->key);
    break;
  case TDM_DIST_PERCENTILES: break;
  }
}

/* Some form is whole, where the family has forms. */
static bool form_given(const tdm_dist_family *family, const tdm_dist_argument *given) {
  if (family->forms == NULL) return true;
  bool whole[3] = {false, true, true};
  for (unsigned i = 0; i < TDM_DIST_PARAMETERS && family->parameters[i].key != NULL; i++)
    if (!given[i].given) whole[family->parameters[i].form] = false;
  return whole[1] || whole[2];
}

static bool is_list(const tdm_dist_parameter *p) {
  return p->key != NULL && (p->sort == TDM_DIST_WEIGHTS || p->sort == TDM_DIST_QUANTITIES ||
                            p->sort == TDM_DIST_EDGES || p->sort == TDM_DIST_PARTS);
}

/* The lists are as long as each other, also where one is empty; edges have one more. */
static void check_lengths(tdm_reader *r, const tdm_dist_family *family,
                          const tdm_dist_argument *given) {
  const tdm_dist_parameter *p = family->parameters;
  if (!is_list(&p[0]) || !is_list(&p[1]) || !given[0].given || !given[1].given) return;
  bool edges = p[0].sort == TDM_DIST_EDGES;
  if (given[0].count == given[1].count + edges) return;
  tdm_read_fail(r, "%s has %zu items, %s has %zu", p[0].key, given[0].count, p[1].key,
                given[1].count);
}

static tdm_dist *dist_from_table(tdm_reader *r) {
  const char *name = tdm_read_word(r, "dist");
  if (name == NULL) {
    tdm_read_fail(r, "a distribution is missing its name, dist");
    return NULL;
  }
  const tdm_dist_family *family = tdm_dist_family_named(name);
  if (family == NULL) {
    tdm_read_fail(r, "there is no distribution \"%s\"", name);
    return NULL;
  }
  tdm_dist_argument given[TDM_DIST_PARAMETERS] = {0};
  for (unsigned i = 0; i < TDM_DIST_PARAMETERS && family->parameters[i].key != NULL; i++)
    if (r->status == TDM_OK) read_argument(r, &family->parameters[i], &given[i]);
  if (!form_given(family, given)) tdm_read_fail(r, "%s wants %s", name, family->forms);
  check_lengths(r, family, given);
  tdm_dist *dist = NULL;
  tdm_error error = {0};
  if (r->status == TDM_OK) tdm_read_check(r, family->make(given, &dist, &error), &error);
  for (unsigned i = 0; i < TDM_DIST_PARAMETERS; i++) {
    for (size_t k = 0; dist == NULL && given[i].parts != NULL && k < given[i].count; k++)
      tdm_dist_free(given[i].parts[k]);
    free(given[i].parts);
    free(given[i].list);
  }
  return dist;
}

tdm_dist *tdm_read_dist_here(tdm_reader *r) {
  if (r->status != TDM_OK) return NULL;
  if (lua_type(r->L, -1) != LUA_TNUMBER) return tdm_read_table(r) ? dist_from_table(r) : NULL;
  tdm_dist *dist = NULL;
  tdm_error error = {0};
  tdm_read_check(r, tdm_dist_constant(lua_tonumber(r->L, -1), &dist, &error), &error);
  return dist;
}

tdm_dist *tdm_read_dist(tdm_reader *r, const char *key) {
  size_t mark = tdm_read_open(r, key);
  tdm_dist *dist = tdm_read_present(r) ? tdm_read_dist_here(r) : NULL;
  tdm_read_close(r, mark);
  return dist;
}

/* ---- shown to Lua */

static void set_text(lua_State *L, const char *key, const char *text) {
  if (text == NULL) return;
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

static void set_true(lua_State *L, const char *key, bool value) {
  if (!value) return;
  lua_pushboolean(L, true);
  lua_setfield(L, -2, key);
}

static void push_parameter(lua_State *L, const tdm_dist_parameter *p) {
  static const char *const sorts[] = {"quantity", "number", "weights",     "quantities",
                                      "edges",    "parts",  "percentiles", "function"};
  static const char *const signs[] = {NULL, "positive", "as_allowed", "any"};
  lua_newtable(L);
  set_text(L, "key", p->key);
  set_text(L, "doc", p->doc);
  set_text(L, "sort", sorts[p->sort]);
  set_text(L, "sign", signs[p->sign]);
  set_text(L, "above", p->above);
  set_text(L, "at_least", p->at_least);
  set_true(L, "optional", p->optional);
  set_true(L, "whole", p->whole);
  lua_pushinteger(L, p->form);
  lua_setfield(L, -2, "form");
  if (p->most > p->least) {
    lua_pushnumber(L, p->least);
    lua_setfield(L, -2, "least");
    lua_pushnumber(L, p->most);
    lua_setfield(L, -2, "most");
  }
  if (p->preset != NULL) {
    lua_pushnumber(L, *p->preset);
    lua_setfield(L, -2, "preset");
  }
}

/* core.distributions() → { { name, spelled, doc, example, pairs, items, forms, positional,
 * parameters = { { key, doc, sort, sign, form, … }, … } }, … }, in base/dist/dist.h's words */
static int distributions(lua_State *L) {
  lua_newtable(L);
  for (int i = 0; tdm_dist_families[i] != NULL; i++) {
    const tdm_dist_family *family = tdm_dist_families[i];
    lua_newtable(L);
    set_text(L, "name", family->name);
    set_text(L, "spelled", family->spelled != NULL ? family->spelled : family->name);
    set_text(L, "doc", family->doc);
    set_text(L, "example", family->example);
    set_text(L, "pairs", family->pairs);
    set_text(L, "items", family->items);
    set_text(L, "forms", family->forms);
    lua_pushinteger(L, family->positional);
    lua_setfield(L, -2, "positional");
    lua_newtable(L);
    for (int k = 0; k < TDM_DIST_PARAMETERS && family->parameters[k].key != NULL; k++) {
      push_parameter(L, &family->parameters[k]);
      lua_rawseti(L, -2, k + 1);
    }
    lua_setfield(L, -2, "parameters");
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* The distribution of the table at 1; NULL with what makes it impossible in *error. Raises when
 * memory is short. */
static tdm_dist *dist_at_one(lua_State *L, tdm_error *error) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  luaL_checkstack(L, (int)TDM_READ_DEPTH + LUA_MINSTACK, NULL);
  lua_newtable(L);
  lua_newtable(L);
  lua_pushvalue(L, 1);
  tdm_reader reader = {.L = L, .error = error, .function_list = 2, .function_numbers = 3};
  tdm_dist *dist = tdm_read_dist_here(&reader);
  if (reader.status == TDM_OK) return dist;
  tdm_dist_free(dist);
  if (reader.status == TDM_MEMORY) luaL_error(L, "not enough memory"); /* nothing is impossible */
  return NULL;
}

/* core.dist_problem(table) → what makes the distribution impossible, nil when nothing does */
static int dist_problem(lua_State *L) {
  tdm_error error = {0};
  tdm_dist *dist = dist_at_one(L, &error);
  tdm_dist_free(dist);
  if (dist != NULL) return 0;
  const char *message =
      error.message; /* "POSITION: what", the position being empty for the table itself */
  lua_pushstring(L, strncmp(message, ": ", 2) == 0 ? message + 2 : message);
  return 1;
}

/* core.dist_moments(table) → mean, variance, whether it is exponential; nil when the distribution
 * is impossible, or when its moments are not known (functions) */
static int dist_moments(lua_State *L) {
  tdm_error error = {0};
  tdm_dist *dist = dist_at_one(L, &error);
  if (dist == NULL) return 0;
  double mean = tdm_dist_mean(dist), variance = tdm_dist_variance(dist);
  bool exponential = tdm_dist_is_exponential(dist, NULL);
  tdm_dist_free(dist);
  if (isnan(mean)) return 0;
  lua_pushnumber(L, mean);
  lua_pushnumber(L, variance);
  lua_pushboolean(L, exponential);
  return 3;
}

#define DRAWS_OF_SLICE 1024

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* core.dist_slices(table, count) → means of so many slices of equal probability, rising; nil when
 * the distribution is impossible, or calls a function */
static int dist_slices(lua_State *L) {
  tdm_error error = {0};
  lua_Integer count = luaL_checkinteger(L, 2);
  luaL_argcheck(L, count >= 1 && count <= 4096, 2, "wants 1 to 4096 slices");
  size_t all = (size_t)count * DRAWS_OF_SLICE;
  tdm_dist *dist = dist_at_one(L, &error);
  bool known = dist != NULL && !isnan(tdm_dist_mean(dist));
  double *draws = known ? tdm_array_new(all, sizeof *draws) : NULL;
  known = draws != NULL;
  tdm_stream stream = tdm_stream_named(1, 0, "slices");
  for (size_t i = 0; i < all && known; i++) draws[i] = tdm_dist_draw(dist, stream, i, NULL);
  tdm_dist_free(dist);
  if (!known) return 0;
  qsort(draws, all, sizeof *draws, by_size);
  lua_createtable(L, (int)count, 0);
  for (lua_Integer i = 0; i < count; i++) {
    double sum = 0;
    for (size_t k = 0; k < DRAWS_OF_SLICE; k++) sum += draws[(size_t)i * DRAWS_OF_SLICE + k];
    lua_pushnumber(L, sum / DRAWS_OF_SLICE);
    lua_rawseti(L, -2, i + 1);
  }
  free(draws);
  return 1;
}

void tdm_bind_open_dist(lua_State *L) {
  static const luaL_Reg functions[] = {{"distributions", distributions},
                                       {"dist_problem", dist_problem},
                                       {"dist_moments", dist_moments},
                                       {"dist_slices", dist_slices},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
