/* core.json_read_exact: reads the exact JSON that core.json_write makes (lua/tandem/io/json.lua
 * states its rules). In C because every job, every answer and every stored point passes here.
 * Strict: what the writer would never write is refused. Owns nothing. */
#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/decimal.h"
#include "bind/bind.h"

enum { DEPTH_MAX = 100 };

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

/* core.json_read_exact(text) → value | nil, message, code */
static int read_exact(lua_State *L) {
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

void tdm_bind_open_json_read(lua_State *L) {
  lua_pushcfunction(L, read_exact);
  lua_setfield(L, -2, "json_read_exact");
}
