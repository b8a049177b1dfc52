/* core.json_write(value, options) → text: the one JSON writer for Lua; lua/tandem/io/json.lua
 * states its rules and its options. In C because every answer of a sweep and every table passes
 * here. Owns nothing. */
#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "bind/bind.h"
#include "trace/utf8.h"

enum {
  EXACT_DEPTH_MAX = 100, /* what the exact reader takes */
  DEPTH_MAX = 1000,      /* a table within itself ends here */
  KEYS_INLINE = 32,
  FIRST_TEXT = 4096,
  NUMBER_MAX = TDM_DECIMAL_SIZE,
  LINE = 92, /* where `fit` breaks lines */
};

/* The text so far: on the C stack, then in userdata at the stack slot `box`, so that an error that
 * Lua raises leaks nothing. */
typedef struct {
  lua_State *L;
  int box, lists; /* stack slots; lists: nil, or the keys whose empty table is a list */
  char *text;
  size_t length, capacity;
  bool exact, floats, fit, spread; /* exact implies floats */
  int indent;                      /* spaces a level; 0: one line */
  size_t flat_until; /* while `fit` tries one line: where that ends; SIZE_MAX otherwise */
} writer;

static void reserve(writer *w, size_t more) {
  if (more <= w->capacity - w->length) return;
  size_t wanted = w->length + more;
  if (wanted < more || wanted > SIZE_MAX / 2) luaL_error(w->L, "JSON text too long");
  char *bigger = lua_newuserdatauv(w->L, wanted * 2, 0);
  memcpy(bigger, w->text, w->length);
  lua_replace(w->L, w->box);
  w->text = bigger;
  w->capacity = wanted * 2;
}

static void put(writer *w, char c) {
  reserve(w, 1);
  w->text[w->length++] = c;
}

static void put_text(writer *w, const char *text, size_t length) {
  reserve(w, length);
  memcpy(w->text + w->length, text, length);
  w->length += length;
}

/* ---- texts and numbers ---- */

static char *escape(char *out, unsigned char c) {
  *out++ = '\\';
  switch (c) {
  case '\n': *out++ = 'n'; break;
  case '\t': *out++ = 't'; break;
  case '\r': *out++ = 'r'; break;
  case '\b': *out++ = 'b'; break;
  case '\f': *out++ = 'f'; break;
  case '"':
  case '\\': *out++ = (char)c; break;
  default:
    memcpy(out, "u00", 3);
    out[3] = "0123456789abcdef"[c >> 4];
    out[4] = "0123456789abcdef"[c & 15];
    out += 5;
  }
  return out;
}

/* Exact texts pass byte by byte; others are UTF-8 afterwards: U+FFFD for each byte that is not. */
static void put_string(writer *w, const char *text, size_t length) {
  if (length > SIZE_MAX / 8) luaL_error(w->L, "JSON text too long");
  reserve(w, 6 * length + 2); /* \u00xx at worst */
  char *out = w->text + w->length;
  size_t good = w->exact ? length : tdm_utf8_valid(text, length);
  *out++ = '"';
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (i >= good && c != 0) {
      memcpy(out, "\xef\xbf\xbd", 3);
      out += 3;
    } else if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
      *out++ = (char)c;
      continue;
    } else {
      out = escape(out, c);
    }
    if (i >= good) good = i + 1 + tdm_utf8_valid(text + i + 1, length - i - 1);
  }
  *out++ = '"';
  w->length = (size_t)(out - w->text);
}

/* The fewest of 15, 16 and 17 digits that read back to the same double. */
static void put_finite(writer *w, double value) {
  char *out = w->text + w->length;
  if (w->floats) {
    w->length += tdm_decimal_print(out, value);
    return;
  }
  if (value == 0) value = 0; /* -0 is 0 */
  w->length += tdm_decimal_print_plain(out, value);
}

static void put_number(writer *w, int at) {
  reserve(w, NUMBER_MAX);
  if (lua_isinteger(w->L, at)) {
    w->length += (size_t)snprintf(w->text + w->length, NUMBER_MAX, "%lld",
                                  (long long)lua_tointeger(w->L, at));
    return;
  }
  double value = lua_tonumber(w->L, at);
  const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (isfinite(value)) {
    put_finite(w, value);
  } else if (!w->exact) {
    put_string(w, word, strlen(word));
  } else {
    word = isnan(value) ? "null" : value > 0 ? "1e999" : "-1e999";
    put_text(w, word, strlen(word));
  }
}

/* ---- tables ---- */

typedef struct {
  const char *text; /* owned by the table whose key it is */
  size_t length;
} key;

static int compare_keys(const void *a, const void *b) {
  const key *x = a, *y = b;
  size_t common = x->length < y->length ? x->length : y->length;
  int order = memcmp(x->text, y->text, common);
  return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

static void sort_keys(key *keys, size_t count) {
  if (count > KEYS_INLINE) {
    qsort(keys, count, sizeof *keys, compare_keys);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    key moving = keys[i];
    size_t at = i;
    for (; at > 0 && compare_keys(&keys[at - 1], &moving) > 0; at--) keys[at] = keys[at - 1];
    keys[at] = moving;
  }
}

/* The keys of the table at `table`; the first `capacity` go into `keys`. Returns how many. */
static size_t list_keys(lua_State *L, int table, key *keys, size_t capacity) {
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1), count++) {
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_error(L,
                 "cannot write a table with a %s as key as JSON: a list has 1 … n, an object "
                 "texts",
                 luaL_typename(L, -2));
    if (count < capacity) keys[count].text = lua_tolstring(L, -2, &keys[count].length);
  }
  return count;
}

/* Does the metatable at `table` carry this name? json.list and json.null are marked so. */
static bool is_named(lua_State *L, int table, const char *name) {
  if (luaL_getmetafield(L, table, "__name") == LUA_TNIL) return false;
  const char *found = lua_tostring(L, -1);
  bool same = found != NULL && strcmp(found, name) == 0;
  lua_pop(L, 1);
  return same;
}

static bool put_value(writer *w, int depth, bool may_be_list);

static void put_break(writer *w, int depth) {
  size_t spaces = (size_t)w->indent * (size_t)depth;
  reserve(w, spaces + 1);
  w->text[w->length++] = '\n';
  memset(w->text + w->length, ' ', spaces);
  w->length += spaces;
}

/* What stands before member `i`. */
static void put_comma(writer *w, size_t i, bool broken, int depth) {
  bool spaced = w->fit || w->indent > 0;
  if (i > 0) put(w, ',');
  if (broken) {
    put_break(w, depth);
  } else if (i > 0 && spaced) {
    put(w, ' ');
  }
}

static bool has_tables(lua_State *L, int table, size_t count) {
  for (size_t i = 1; i <= count; i++) {
    bool is_table = lua_rawgeti(L, table, (lua_Integer)i) == LUA_TTABLE;
    lua_pop(L, 1);
    if (is_table) return true;
  }
  return false;
}

static bool put_list(writer *w, int table, size_t count, int depth, bool broken) {
  lua_State *L = w->L;
  if (w->exact) {
    size_t entries = 0;
    for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) entries++;
    if (entries != count) luaL_error(L, "cannot encode a list with holes or with other keys");
  }
  put(w, '[');
  for (size_t i = 0; i < count; i++) {
    put_comma(w, i, broken, depth);
    lua_rawgeti(L, table, (lua_Integer)i + 1);
    if (!put_value(w, depth, false)) return false;
    lua_pop(L, 1);
  }
  if (broken && count > 0) put_break(w, depth - 1);
  put(w, ']');
  return true;
}

/* Is the key on top of the stack among those whose empty table is a list? */
static bool is_listed(writer *w) {
  if (lua_isnil(w->L, w->lists)) return false;
  lua_pushvalue(w->L, -1);
  lua_gettable(w->L, w->lists);
  bool listed = lua_toboolean(w->L, -1);
  lua_pop(w->L, 1);
  return listed;
}

static bool put_object(writer *w, int table, int depth, bool broken) {
  lua_State *L = w->L;
  key inline_keys[KEYS_INLINE], *keys = inline_keys;
  size_t count = list_keys(L, table, keys, KEYS_INLINE);
  if (count > KEYS_INLINE) {
    keys = lua_newuserdatauv(L, count * sizeof *keys, 0); /* stays on the stack while in use */
    list_keys(L, table, keys, count);
  }
  sort_keys(keys, count);
  put(w, '{');
  for (size_t i = 0; i < count; i++) {
    put_comma(w, i, broken, depth);
    put_string(w, keys[i].text, keys[i].length);
    put(w, ':');
    if (w->fit || w->indent > 0) put(w, ' ');
    lua_pushlstring(L, keys[i].text, keys[i].length);
    bool may_be_list = is_listed(w);
    lua_rawget(L, table);
    if (!put_value(w, depth, may_be_list)) return false;
    lua_pop(L, 1);
  }
  if (broken && count > 0) put_break(w, depth - 1);
  put(w, '}');
  return true;
}

/* The table at `table` as it is laid out; false where one line was tried and is too short. */
static bool put_table(writer *w, int table, bool list, size_t count, int depth) {
  if (!w->fit || w->flat_until != SIZE_MAX) {
    bool broken = w->indent > 0 && !w->fit;
    if (broken && list && !w->spread) broken = has_tables(w->L, table, count);
    return list ? put_list(w, table, count, depth, broken) : put_object(w, table, depth, broken);
  }
  size_t start = w->length, used = (size_t)w->indent * (size_t)(depth - 1);
  w->flat_until = start + (used < LINE ? LINE - used : 0);
  bool fits = list ? put_list(w, table, count, depth, false) : put_object(w, table, depth, false);
  fits = fits && w->length <= w->flat_until;
  w->flat_until = SIZE_MAX;
  if (fits) return true;
  lua_settop(w->L, table);
  w->length = start;
  return list ? put_list(w, table, count, depth, true) : put_object(w, table, depth, true);
}

static bool put_members(writer *w, int depth, bool may_be_list) {
  lua_State *L = w->L;
  if (depth >= (w->exact ? EXACT_DEPTH_MAX : DEPTH_MAX))
    luaL_error(L,
               "cannot write a table as JSON that is nested more than %d deep (or within itself)",
               w->exact ? EXACT_DEPTH_MAX : DEPTH_MAX);
  luaL_checkstack(L, 8, "JSON");
  int table = lua_gettop(L);
  size_t count = lua_rawlen(L, table);
  bool list = count > 0;
  if (!list && !w->exact) {
    if (is_named(L, table, "null")) return put_text(w, "null", 4), true;
    lua_pushnil(L);
    bool empty = lua_next(L, table) == 0;
    lua_settop(L, table);
    list = empty && (may_be_list || is_named(L, table, "list"));
  }
  bool done = put_table(w, table, list, count, depth + 1);
  lua_settop(L, table);
  return done;
}

/* The value on top of the stack, which stays there. False: see put_table. */
static bool put_value(writer *w, int depth, bool may_be_list) {
  lua_State *L = w->L;
  switch (lua_type(L, -1)) {
  case LUA_TNUMBER: put_number(w, -1); break;
  case LUA_TBOOLEAN:
    if (lua_toboolean(L, -1))
      put_text(w, "true", 4);
    else
      put_text(w, "false", 5);
    break;
  case LUA_TSTRING: {
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    put_string(w, text, length);
    break;
  }
  case LUA_TTABLE:
    if (!put_members(w, depth, may_be_list)) return false;
    break;
  default:
    if (w->exact || !(lua_isnil(L, -1) || (lua_islightuserdata(L, -1) && !lua_touserdata(L, -1))))
      luaL_error(L, "cannot write a %s as JSON", luaL_typename(L, -1));
    put_text(w, "null", 4); /* light userdata NULL is cjson's null */
  }
  return w->length <= w->flat_until;
}

static int option(lua_State *L, const char *name) {
  lua_getfield(L, 2, name);
  return lua_gettop(L);
}

/* core.json_write(value, { indent, fit, spread, lists, floats, exact }) → text */
static int json_write(lua_State *L) {
  char first[FIRST_TEXT];
  luaL_checkany(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  writer w = {.L = L, .text = first, .capacity = sizeof first, .flat_until = SIZE_MAX};
  w.exact = lua_toboolean(L, option(L, "exact"));
  w.floats = w.exact || lua_toboolean(L, option(L, "floats"));
  w.fit = lua_toboolean(L, option(L, "fit"));
  w.spread = lua_toboolean(L, option(L, "spread"));
  w.indent = (int)luaL_optinteger(L, option(L, "indent"), w.fit ? 2 : 0);
  w.lists = option(L, "lists");
  lua_pushnil(L);
  w.box = lua_gettop(L);
  lua_pushvalue(L, 1);
  put_value(&w, 0, false);
  lua_pushlstring(L, w.text, w.length);
  return 1;
}

void tdm_bind_open_json_write(lua_State *L) {
  lua_pushcfunction(L, json_write);
  lua_setfield(L, -2, "json_write");
}
