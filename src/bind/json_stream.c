/* core.json_stream: JSON of other programs for Lua, a value at a time, so that a file larger than
 * memory can be read: what is not asked for is passed over and never becomes a value of Lua. Whole
 * files, packed or not, texts, JSON Lines. Owns the input and the tokens; the rules are
 * read/json's, but text that is no JSON ends the values instead of being repaired. Called by
 * lua/tandem/io/json_file.lua. */
#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "bind/bind.h"
#include "read/input.h"
#include "read/json/json.h"
#include "read/number.h"

static const char type_name[] = "tandem.json_stream";

typedef struct {
  tdm_input *input;
  tdm_json *json;
  size_t most;          /* bytes of a text; what is longer is cut */
  tdm_json_token token; /* of the value at hand; END: it was taken */
  bool in_list;         /* records are the items of a list */
  bool ended;           /* what follows is no JSON, or cannot be read */
  uint64_t records;     /* begun */
} stream;

static stream *check(lua_State *L) {
  stream *s = luaL_checkudata(L, 1, type_name);
  luaL_argcheck(L, s->json != NULL, 1, "closed");
  return s;
}

static int stream_close(lua_State *L) {
  stream *s = luaL_checkudata(L, 1, type_name);
  tdm_json_free(s->json);
  tdm_input_close(s->input);
  s->json = NULL;
  s->input = NULL;
  return 0;
}

/* core.json_stream(path | nil, text, most | nil) → stream | nil, message, code. The text must
 * outlive it: the stream keeps it. most: the bytes of a text that are wanted, where its beginning
 * is enough; else a text that is too long to be held ends the values. */
static int open_stream(lua_State *L) {
  size_t size = 0;
  const char *path = luaL_optstring(L, 1, NULL);
  const char *text = path == NULL ? luaL_checklstring(L, 2, &size) : NULL;
  lua_Integer most = luaL_optinteger(L, 3, LUA_MAXINTEGER);
  luaL_argcheck(L, most > 0, 3, "not positive");
  lua_settop(L, 2);
  stream *s = lua_newuserdatauv(L, sizeof *s, 1);
  *s = (stream){.token = TDM_JSON_END, .most = (size_t)most};
  luaL_setmetatable(L, type_name);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, 1);
  tdm_error error = {0};
  tdm_status status = path != NULL ? tdm_input_open(path, &s->input, &error)
                                   : tdm_input_open_memory(text, size, &s->input, &error);
  if (status == TDM_OK && (s->json = tdm_json_new(s->input)) == NULL)
    status = tdm_error_memory(&error, "a JSON text", sizeof *s);
  return status == TDM_OK ? 1 : tdm_bind_failure(L, &error);
}

/* ---- values ---- */

/* Repairs that make another value of a text than was written; the last is none where beginnings of
 * texts are enough. */
static const tdm_json_repair broken[] = {TDM_JSON_GARBAGE, TDM_JSON_PUNCTUATION, TDM_JSON_DEEP,
                                         TDM_JSON_TRUNCATED, TDM_JSON_LONG};
enum { BROKEN = sizeof broken / sizeof *broken };

static size_t broken_of(const stream *s) {
  return s->most < TDM_JSON_STRING_BYTES ? BROKEN - 1 : BROKEN;
}

/* Whether all up to here is JSON that could be read. */
static bool is_sound(stream *s) {
  for (size_t i = 0; i < broken_of(s); i++)
    if (tdm_json_repaired(s->json, broken[i]) > 0) s->ended = true;
  if (tdm_json_status(s->json, NULL) != TDM_OK) s->ended = true;
  return !s->ended;
}

static void pass(stream *s) {
  if (s->token == TDM_JSON_OBJECT || s->token == TDM_JSON_ARRAY) tdm_json_skip(s->json);
  s->token = TDM_JSON_END;
}

/* Passes what is left of the value at hand and of those that are open below `depth`; then the next
 * token. */
static tdm_json_token next_at(stream *s, uint32_t depth) {
  pass(s);
  while (tdm_json_depth(s->json) > depth)
    if (tdm_json_next(s->json) == TDM_JSON_END) return TDM_JSON_END;
  return tdm_json_next(s->json);
}

static void push_number(lua_State *L, const char *text, size_t length) {
  int64_t integer;
  if (memchr(text, '.', length) == NULL && memchr(text, 'e', length) == NULL &&
      memchr(text, 'E', length) == NULL && tdm_number_integer(text, length, &integer))
    lua_pushinteger(L, (lua_Integer)integer);
  else if (isnan(tdm_number_double(text, length)))
    lua_pushlightuserdata(L, NULL); /* nothing that could be counted, or a key */
  else
    lua_pushnumber(L, tdm_number_double(text, length));
}

/* What is asked for of an object's keys. */
typedef enum { NOTHING, ALL, SUM } wanted;

static wanted wanted_of(lua_State *L, int keep, const char *key, size_t length) {
  if (keep == 0) return ALL;
  lua_pushlstring(L, key, length);
  lua_rawget(L, keep);
  bool sum = lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "sum") == 0;
  wanted what = !lua_toboolean(L, -1) ? NOTHING : sum ? SUM : ALL;
  lua_pop(L, 1);
  return what;
}

/* The numbers of a list, and of lists in it, become their sum. */
static void push_sum(lua_State *L, tdm_json *json) {
  uint32_t outside = tdm_json_depth(json) - 1;
  double sum = 0;
  while (tdm_json_depth(json) > outside) {
    tdm_json_token token = tdm_json_next(json);
    if (token == TDM_JSON_END) break;
    if (token != TDM_JSON_NUMBER) continue;
    size_t length;
    const char *text = tdm_json_value(json, &length);
    double number = tdm_number_double(text, length);
    if (!isnan(number)) sum += number;
  }
  lua_pushnumber(L, sum);
}

static void push_value(lua_State *L, const stream *s, tdm_json_token token, int keep, wanted how);

static void push_list(lua_State *L, const stream *s, int keep, wanted how) {
  lua_newtable(L);
  for (lua_Integer i = 1;; i++) {
    tdm_json_token token = tdm_json_next(s->json);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
    if (how == SUM && token == TDM_JSON_ARRAY)
      push_sum(L, s->json);
    else
      push_value(L, s, token, keep, how);
    lua_rawseti(L, -2, i);
  }
}

static void push_object(lua_State *L, const stream *s, int keep) {
  lua_newtable(L);
  while (tdm_json_next(s->json) == TDM_JSON_KEY) {
    size_t length;
    const char *key = tdm_json_value(s->json, &length);
    wanted what = wanted_of(L, keep, key, length);
    if (what == NOTHING) {
      tdm_json_skip(s->json);
      continue;
    }
    lua_pushlstring(L, key, length);
    push_value(L, s, tdm_json_next(s->json), keep, what);
    lua_rawset(L, -3);
  }
}

static void push_text(lua_State *L, const char *text, size_t length, size_t most) {
  if (length > most) {
    length = most;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
  }
  lua_pushlstring(L, text, length);
}

/* Depth is bounded by TDM_JSON_DEPTH. A null is what cjson makes of it. */
static void push_value(lua_State *L, const stream *s, tdm_json_token token, int keep, wanted how) {
  size_t length;
  const char *text = tdm_json_value(s->json, &length);
  luaL_checkstack(L, 8, "JSON");
  switch (token) {
  case TDM_JSON_OBJECT: push_object(L, s, keep); break;
  case TDM_JSON_ARRAY: push_list(L, s, keep, how); break;
  case TDM_JSON_STRING: push_text(L, text, length, s->most); break;
  case TDM_JSON_NUMBER: push_number(L, text, length); break;
  case TDM_JSON_TRUE: lua_pushboolean(L, true); break;
  case TDM_JSON_FALSE: lua_pushboolean(L, false); break;
  default: lua_pushlightuserdata(L, NULL); break;
  }
}

/* stream:value(keep) → the value at hand | nil: it was taken, or is no JSON. keep: of objects only
 * the keys that are true in it, at any depth; where one is "sum", lists in a list become sums. */
static int stream_value(lua_State *L) {
  stream *s = check(L);
  int keep = 0;
  if (!lua_isnoneornil(L, 2)) {
    luaL_checktype(L, 2, LUA_TTABLE);
    keep = 2;
  }
  if (s->token == TDM_JSON_END || s->ended) return 0;
  tdm_json_token token = s->token;
  s->token = TDM_JSON_END;
  push_value(L, s, token, keep, ALL);
  return is_sound(s) ? 1 : 0;
}

/* ---- ways through ---- */

static const char *kind_of(tdm_json_token token) {
  return token == TDM_JSON_OBJECT ? "object" : token == TDM_JSON_ARRAY ? "list" : "value";
}

/* stream:record() → the kind of the next record ("object", "list", "value"), is it an item of a
 * list? | nil: there are no more. Records are values that stand one behind the other, or the items
 * of one list. */
static int stream_record(lua_State *L) {
  stream *s = check(L);
  while (!s->ended) {
    tdm_json_token token = next_at(s, s->in_list ? 1 : 0);
    if (!is_sound(s) || token == TDM_JSON_END) return 0;
    bool outermost = tdm_json_depth(s->json) == (token == TDM_JSON_ARRAY ? 1 : 0);
    if (token == TDM_JSON_ARRAY_END && s->in_list) {
      s->in_list = false;
    } else if (token == TDM_JSON_ARRAY && outermost && !s->in_list) {
      s->in_list = true;
    } else {
      s->token = token;
      s->records++;
      lua_pushstring(L, kind_of(token));
      lua_pushboolean(L, s->in_list);
      return 2;
    }
  }
  return 0;
}

/* Upvalues: the stream, the depth of the object's keys. */
static int next_key(lua_State *L) {
  stream *s = lua_touserdata(L, lua_upvalueindex(1));
  if (s->json == NULL || s->ended) return 0;
  if (next_at(s, (uint32_t)lua_tointeger(L, lua_upvalueindex(2))) != TDM_JSON_KEY) return 0;
  size_t length;
  const char *key = tdm_json_value(s->json, &length);
  lua_pushlstring(L, key, length);
  s->token = tdm_json_next(s->json);
  lua_pushstring(L, kind_of(s->token));
  return is_sound(s) ? 2 : 0;
}

static int next_item(lua_State *L) {
  stream *s = lua_touserdata(L, lua_upvalueindex(1));
  if (s->json == NULL || s->ended) return 0;
  tdm_json_token token = next_at(s, (uint32_t)lua_tointeger(L, lua_upvalueindex(2)));
  if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END || !is_sound(s)) return 0;
  s->token = token;
  lua_pushstring(L, kind_of(token));
  return 1;
}

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

static int enter(lua_State *L, tdm_json_token wanted_token, lua_CFunction next) {
  stream *s = check(L);
  if (s->token != wanted_token) {
    lua_pushcfunction(L, nothing);
    return 1;
  }
  s->token = TDM_JSON_END;
  lua_pushvalue(L, 1);
  lua_pushinteger(L, tdm_json_depth(s->json));
  lua_pushcclosure(L, next, 2);
  return 1;
}

/* stream:keys() → an iterator over the keys of the object at hand, each with its value's kind and
 * that value at hand. What is not taken of it is passed over. Of another value: none. */
static int stream_keys(lua_State *L) {
  return enter(L, TDM_JSON_OBJECT, next_key);
}

/* stream:items() → an iterator over the items of the list at hand, each at hand: their kinds. */
static int stream_items(lua_State *L) {
  return enter(L, TDM_JSON_ARRAY, next_item);
}

/* stream:problem() → nil: all that was read is JSON | what is wrong, the number of the record, is
 * it that the text ends too early? */
static int stream_problem(lua_State *L) {
  stream *s = check(L);
  tdm_error error = {0};
  const char *words = NULL;
  bool cut = false;
  for (size_t i = 0; i < broken_of(s) && words == NULL; i++) {
    if (tdm_json_repaired(s->json, broken[i]) == 0) continue;
    static const char *const names[BROKEN] = {
        "characters that are not JSON", "a comma, colon or bracket missing or too many",
        "values nested too deeply", "it ends in the middle", "a text of more than 16 MiB"};
    words = names[i];
    cut = broken[i] == TDM_JSON_TRUNCATED;
  }
  if (tdm_json_status(s->json, &error) != TDM_OK) words = error.message;
  if (words == NULL) return 0;
  lua_pushstring(L, words);
  lua_pushinteger(L, (lua_Integer)(s->records > 0 ? s->records : 1));
  lua_pushboolean(L, cut);
  return 3;
}

void tdm_bind_open_json_stream(lua_State *L) {
  static const luaL_Reg methods[] = {{"record", stream_record},
                                     {"keys", stream_keys},
                                     {"items", stream_items},
                                     {"value", stream_value},
                                     {"problem", stream_problem},
                                     {"close", stream_close},
                                     {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, stream_close);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, stream_close);
  lua_setfield(L, -2, "__close");
  lua_pop(L, 1);
  lua_pushcfunction(L, open_stream);
  lua_setfield(L, -2, "json_stream");
}
