/* core.exact_encode, core.exact_decode: the exact JSON of sweep/exact.lua, which states its rules.
 * In C because every job, every answer and every stored point passes here. Owns nothing. */
#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "bind/bind.h"
#include "bind/failure.h"

enum { DEPTH_MAX = 100, KEYS_INLINE = 32, FIRST_TEXT = 4096, NUMBER_MAX = TDM_DECIMAL_SIZE };

/* ---- encoding ---- */

/* The text so far: on the C stack, then in userdata at the stack slot `box`, so that an error that
 * Lua raises leaks nothing. */
typedef struct {
  lua_State *L;
  int box;
  char *text;
  size_t length, capacity;
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

static void put_string(writer *w, const char *text, size_t length) {
  if (length > SIZE_MAX / 8) luaL_error(w->L, "JSON text too long");
  reserve(w, 6 * length + 2); /* \u00xx at worst */
  char *out = w->text + w->length;
  *out++ = '"';
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c >= 0x20 && c != '"' && c != '\\') {
      *out++ = (char)c;
      continue;
    }
    *out++ = '\\';
    switch (c) {
    case '\n': *out++ = 'n'; break;
    case '\t': *out++ = 't'; break;
    case '\r': *out++ = 'r'; break;
    case '"':
    case '\\': *out++ = (char)c; break;
    default:
      memcpy(out, "u00", 3);
      out[3] = "0123456789abcdef"[c >> 4];
      out[4] = "0123456789abcdef"[c & 15];
      out += 5;
    }
  }
  *out++ = '"';
  w->length = (size_t)(out - w->text);
}

static void put_number(writer *w, int at) {
  reserve(w, NUMBER_MAX);
  char *out = w->text + w->length;
  if (lua_isinteger(w->L, at)) {
    w->length += (size_t)snprintf(out, NUMBER_MAX, "%lld", (long long)lua_tointeger(w->L, at));
    return;
  }
  double value = lua_tonumber(w->L, at);
  if (isfinite(value))
    w->length += tdm_decimal_print(out, value);
  else if (isnan(value))
    put_text(w, "null", 4);
  else if (value > 0)
    put_text(w, "1e999", 5);
  else
    put_text(w, "-1e999", 6);
}

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

/* The keys of the table at `table`; the first KEYS_INLINE go into `keys`. Returns how many. */
static size_t list_keys(lua_State *L, int table, key *keys, size_t capacity) {
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1), count++) {
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_error(L, "cannot encode a table with a %s as key: a list has 1 … n, an object texts",
                 luaL_typename(L, -2));
    if (count < capacity) keys[count].text = lua_tolstring(L, -2, &keys[count].length);
  }
  return count;
}

static void put_value(writer *w, int depth);

static void put_list(writer *w, int table, size_t count, int depth) {
  lua_State *L = w->L;
  size_t entries = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) entries++;
  if (entries != count) luaL_error(L, "cannot encode a list with holes or with other keys");
  put(w, '[');
  for (size_t i = 1; i <= count; i++) {
    if (i > 1) put(w, ',');
    lua_rawgeti(L, table, (lua_Integer)i);
    put_value(w, depth);
    lua_pop(L, 1);
  }
  put(w, ']');
}

static void put_object(writer *w, int table, int depth) {
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
    if (i > 0) put(w, ',');
    put_string(w, keys[i].text, keys[i].length);
    put(w, ':');
    lua_pushlstring(L, keys[i].text, keys[i].length);
    lua_rawget(L, table);
    put_value(w, depth);
    lua_pop(L, 1);
  }
  put(w, '}');
}

/* The value on top of the stack, which stays there. */
static void put_value(writer *w, int depth) {
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
  case LUA_TTABLE: {
    if (depth >= DEPTH_MAX)
      luaL_error(L, "cannot encode a table nested more than %d deep (or within itself)", DEPTH_MAX);
    luaL_checkstack(L, 8, "JSON");
    int table = lua_gettop(L);
    size_t count = lua_rawlen(L, table);
    if (count > 0)
      put_list(w, table, count, depth + 1);
    else
      put_object(w, table, depth + 1);
    lua_settop(L, table);
    break;
  }
  default: luaL_error(L, "cannot encode a %s", luaL_typename(L, -1));
  }
}

/* core.exact_encode(value) → text */
static int encode(lua_State *L) {
  char first[FIRST_TEXT];
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  lua_pushnil(L);
  lua_insert(L, 1); /* the box, then the value */
  writer w = {.L = L, .box = 1, .text = first, .capacity = sizeof first};
  put_value(&w, 0);
  lua_pushlstring(L, w.text, w.length);
  return 1;
}

/* ---- decoding ---- */

/* The text ends with a NUL, so that looking one byte ahead is always allowed. */
typedef struct {
  lua_State *L;
  const char *start, *at, *end;
  const char *problem;
} reader;

static bool fail(reader *r, const char *problem) {
  if (r->problem == NULL) r->problem = problem;
  return false;
}

static void skip_space(reader *r) {
  while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r') r->at++;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool read_integer(reader *r, const char *from) {
  bool negative = *from == '-';
  uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0), value = 0;
  for (const char *c = from + negative; c < r->at; c++) {
    uint64_t digit = (uint64_t)(*c - '0');
    if (value > (limit - digit) / 10) return fail(r, "an integer beyond 64 bits");
    value = value * 10 + digit;
  }
  lua_pushinteger(r->L, (lua_Integer)(negative ? 0 - value : value));
  return true;
}

static bool read_number(reader *r) {
  const char *from = r->at;
  bool integer = true;
  if (*r->at == '-') r->at++;
  if (!is_digit(*r->at)) return fail(r, "a number without digits");
  if (r->at[0] == '0' && is_digit(r->at[1])) return fail(r, "a number with a leading zero");
  while (is_digit(*r->at)) r->at++;
  if (*r->at == '.') {
    integer = false;
    if (!is_digit(*++r->at)) return fail(r, "a number that ends in a point");
    while (is_digit(*r->at)) r->at++;
  }
  if (*r->at == 'e' || *r->at == 'E') {
    integer = false;
    r->at++;
    if (*r->at == '+' || *r->at == '-') r->at++;
    if (!is_digit(*r->at)) return fail(r, "an exponent without digits");
    while (is_digit(*r->at)) r->at++;
  }
  if (integer) return read_integer(r, from);
  lua_pushnumber(r->L, tdm_decimal_read(from)); /* 1e999 is infinity */
  return true;
}

static int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* Four digits at r->at, or -1. */
static int read_hex(reader *r) {
  int code = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(*r->at);
    if (digit < 0) return -1;
    code = code * 16 + digit;
    r->at++;
  }
  return code;
}

static bool add_unicode(reader *r, luaL_Buffer *buffer) {
  int code = read_hex(r);
  if (code < 0) return fail(r, "\\u wants four hexadecimal digits");
  if (code >= 0xD800 && code < 0xE000) {
    int low = -1;
    if (code < 0xDC00 && r->at[0] == '\\' && r->at[1] == 'u') {
      r->at += 2;
      low = read_hex(r);
    }
    if (low < 0xDC00 || low > 0xDFFF) return fail(r, "half of a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  lua_pushfstring(r->L, "%U", (long)code);
  luaL_addvalue(buffer);
  return true;
}

static bool add_escape(reader *r, luaL_Buffer *buffer) {
  char c = *r->at++;
  switch (c) {
  case 'n': c = '\n'; break;
  case 't': c = '\t'; break;
  case 'r': c = '\r'; break;
  case 'b': c = '\b'; break;
  case 'f': c = '\f'; break;
  case '"':
  case '\\':
  case '/': break;
  case 'u': return add_unicode(r, buffer);
  default: return fail(r, "an unknown escape");
  }
  luaL_addchar(buffer, c);
  return true;
}

/* r->at is behind the opening quote. Pushes the string. */
static bool read_string(reader *r) {
  const char *from = r->at;
  while ((unsigned char)*r->at >= 0x20 && *r->at != '"' && *r->at != '\\') r->at++;
  if (*r->at == '"') {
    lua_pushlstring(r->L, from, (size_t)(r->at++ - from));
    return true;
  }
  luaL_Buffer buffer;
  luaL_buffinit(r->L, &buffer);
  for (;;) {
    luaL_addlstring(&buffer, from, (size_t)(r->at - from));
    if (*r->at == '"') break;
    if (*r->at != '\\') return fail(r, "a text that is not closed");
    r->at++;
    if (!add_escape(r, &buffer)) return false;
    from = r->at;
    while ((unsigned char)*r->at >= 0x20 && *r->at != '"' && *r->at != '\\') r->at++;
  }
  r->at++;
  luaL_pushresult(&buffer);
  return true;
}

static bool read_value(reader *r, int depth);

static bool read_list(reader *r, int depth) {
  lua_newtable(r->L);
  skip_space(r);
  if (*r->at == ']') return r->at++, true;
  for (lua_Integer i = 1;; i++) {
    if (!read_value(r, depth)) return false;
    lua_rawseti(r->L, -2, i);
    skip_space(r);
    if (*r->at == ']') return r->at++, true;
    if (*r->at != ',') return fail(r, "no ',' or ']' after a value");
    r->at++;
  }
}

static bool read_object(reader *r, int depth) {
  lua_State *L = r->L;
  lua_newtable(L);
  skip_space(r);
  if (*r->at == '}') return r->at++, true;
  for (;;) {
    skip_space(r);
    if (*r->at != '"') return fail(r, "no \"key\"");
    r->at++;
    if (!read_string(r)) return false;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, -3) != LUA_TNIL) return fail(r, "a key given twice");
    lua_pop(L, 1);
    skip_space(r);
    if (*r->at != ':') return fail(r, "no ':' after a key");
    r->at++;
    if (!read_value(r, depth)) return false;
    lua_rawset(L, -3);
    skip_space(r);
    if (*r->at == '}') return r->at++, true;
    if (*r->at != ',') return fail(r, "no ',' or '}' after a value");
    r->at++;
  }
}

static bool read_word(reader *r, const char *word, size_t length) {
  if (strncmp(r->at, word, length) != 0) return fail(r, "not a value");
  r->at += length;
  return true;
}

/* Pushes the value at r->at. After a failure the stack holds what was begun. */
static bool read_value(reader *r, int depth) {
  skip_space(r);
  switch (*r->at) {
  case '{':
  case '[':
    if (depth >= DEPTH_MAX) return fail(r, "nested too deep");
    luaL_checkstack(r->L, 8, "JSON");
    return *r->at++ == '{' ? read_object(r, depth + 1) : read_list(r, depth + 1);
  case '"': r->at++; return read_string(r);
  case 't': lua_pushboolean(r->L, 1); return read_word(r, "true", 4);
  case 'f': lua_pushboolean(r->L, 0); return read_word(r, "false", 5);
  case 'n': lua_pushnumber(r->L, (lua_Number)NAN); return read_word(r, "null", 4);
  case '\0': return fail(r, "the text ends too early");
  default: return read_number(r);
  }
}

/* core.exact_decode(text) → value | nil, message, code */
static int decode(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  reader r = {.L = L, .start = text, .at = text, .end = text + length};
  lua_settop(L, 1);
  bool good = read_value(&r, 0);
  if (good) {
    skip_space(&r);
    if (r.at != r.end) good = fail(&r, "more text after the value");
  }
  if (good) return 1;
  tdm_error error;
  tdm_error_set(&error, TDM_INVALID, "not exact JSON: %s at byte %lld", r.problem,
                (long long)(r.at - r.start) + 1);
  return tdm_bind_failure(L, &error);
}

void tdm_bind_open_exact(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"exact_encode", encode}, {"exact_decode", decode}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
