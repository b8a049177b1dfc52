/* string.find, match, gmatch, gsub and rep over the counted matcher, and how steps are paid. Called
 * through counted.h. */
#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/counted/counted.h"
#include "bind/counted/inside.h"

/* ---- payment */

static const char payer; /* its address is the registry key of the function that pays */

/* A step takes as long as two to three instructions under a hook. What a script may execute is
 * lowered by that at once, and a loop only lets its hook come; other hooks see no count but what
 * they count themselves, so they get a loop that is not much longer than the steps were. */
enum { STEP_COSTS = 3, NOTICED = 1000, LOOP_STEPS = 4 };

void tdm_counted_pay(lua_State *L, uint64_t steps) {
  if (lua_gethook(L) == NULL) return;
  bool spent = tdm_allowance_spend(L, steps * STEP_COSTS);
  luaL_checkstack(L, 2, "steps");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &payer);
  lua_pushinteger(L, spent ? NOTICED : (lua_Integer)(steps / LOOP_STEPS));
  lua_call(L, 1, 0);
}

/* ---- positions */

/* Where a search begins, from 0; beyond the text where nothing can be found. */
static size_t begin_of(lua_Integer given, size_t length) {
  if (given > 0) return (size_t)given - 1;
  if (given == 0 || given < -(lua_Integer)length) return 0;
  return length - (size_t)-given;
}

static bool is_plain(const char *pattern, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (strchr("^$*+?.([%-", pattern[i]) != NULL && pattern[i] != '\0') return false;
  return true;
}

/* ---- find and match */

static const char *text_in(lua_State *L, const char *text, size_t length, const char *wanted,
                           size_t wanted_length) {
  if (wanted_length == 0) return text;
  uint64_t steps = 0;
  while (length >= wanted_length) {
    const char *at = memchr(text, *wanted, length - wanted_length + 1);
    if (at == NULL || memcmp(at, wanted, wanted_length) == 0) return at;
    length -= (size_t)(at + 1 - text);
    text = at + 1;
    steps += 1 + wanted_length / 16;
    if (steps < TDM_STEPS_PAID) continue;
    tdm_counted_pay(L, steps);
    steps = 0;
  }
  return NULL;
}

static int find_plain(lua_State *L, const char *text, size_t length, size_t begin,
                      const char *wanted, size_t wanted_length) {
  const char *at = text_in(L, text + begin, length - begin, wanted, wanted_length);
  if (at == NULL) {
    luaL_pushfail(L);
    return 1;
  }
  lua_pushinteger(L, at - text + 1);
  lua_pushinteger(L, at - text + (lua_Integer)wanted_length);
  return 2;
}

static int search(lua_State *L, bool positions) {
  size_t length, pattern_length;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  size_t begin = begin_of(luaL_optinteger(L, 3, 1), length);
  if (begin > length) {
    luaL_pushfail(L);
    return 1;
  }
  if (positions && (lua_toboolean(L, 4) || is_plain(pattern, pattern_length)))
    return find_plain(L, text, length, begin, pattern, pattern_length);
  bool anchored = *pattern == '^';
  tdm_matcher m;
  tdm_matcher_open(&m, L, text, length, pattern + anchored, pattern_length - anchored);
  const char *start = text + begin, *end;
  if (anchored)
    end = tdm_matcher_at(&m, start);
  else if ((start = tdm_matcher_from(&m, start, &end)) == NULL)
    end = NULL;
  if (end == NULL) {
    luaL_pushfail(L);
    return 1;
  }
  if (!positions) return tdm_matcher_push_all(&m, start, end);
  lua_pushinteger(L, start - text + 1);
  lua_pushinteger(L, end - text);
  return tdm_matcher_push_all(&m, NULL, NULL) + 2;
}

static int find(lua_State *L) {
  return search(L, true);
}
static int match(lua_State *L) {
  return search(L, false);
}

/* ---- gmatch */

typedef struct {
  tdm_matcher matcher;
  const char *from;
  const char *last; /* the end of the last match: an empty one is not found there again */
} walk;

static int next_match(lua_State *L) {
  walk *w = lua_touserdata(L, lua_upvalueindex(3));
  w->matcher.L = L;
  const char *at = w->from, *end;
  while ((at = tdm_matcher_from(&w->matcher, at, &end)) != NULL) {
    if (end != w->last) {
      w->from = w->last = end;
      return tdm_matcher_push_all(&w->matcher, at, end);
    }
    at++;
  }
  return 0;
}

static int gmatch(lua_State *L) {
  size_t length, pattern_length;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  size_t begin = begin_of(luaL_optinteger(L, 3, 1), length);
  lua_settop(L, 2);
  walk *w = lua_newuserdatauv(L, sizeof *w, 0);
  tdm_matcher_open(&w->matcher, L, text, length, pattern, pattern_length);
  w->from = text + (begin > length ? length + 1 : begin);
  w->last = NULL;
  lua_pushcclosure(L, next_match, 3);
  return 1;
}

/* ---- gsub */

static void add_template(tdm_matcher *m, luaL_Buffer *out, const char *start, const char *end) {
  lua_State *L = m->L;
  size_t length;
  const char *template = lua_tolstring(L, 3, &length), *percent;
  const char *template_end = template + length;
  while ((percent = memchr(template, '%', (size_t)(template_end - template))) != NULL) {
    luaL_addlstring(out, template, (size_t)(percent - template));
    char which = percent[1]; /* the zero at the end is none of these */
    if (which == '%') {
      luaL_addchar(out, '%');
    } else if (which == '0') {
      luaL_addlstring(out, start, (size_t)(end - start));
    } else if (which >= '1' && which <= '9') {
      tdm_matcher_push(m, which - '1', start, end);
      luaL_addvalue(out);
    } else {
      luaL_error(L, "invalid use of '%c' in replacement string", '%');
    }
    template = percent + 2;
  }
  luaL_addlstring(out, template, (size_t)(template_end - template));
}

/* Adds what stands for the match; false: the match itself. */
static bool add_replacement(tdm_matcher *m, luaL_Buffer *out, int type, const char *start,
                            const char *end) {
  lua_State *L = m->L;
  if (type == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, tdm_matcher_push_all(m, start, end), 1);
  } else if (type == LUA_TTABLE) {
    tdm_matcher_push(m, 0, start, end);
    lua_gettable(L, 3);
  } else {
    add_template(m, out, start, end);
    return true;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(out, start, (size_t)(end - start));
    return false;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  luaL_addvalue(out);
  return true;
}

static int gsub(lua_State *L) {
  size_t length, pattern_length;
  const char *at = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  int type = lua_type(L, 3);
  luaL_argexpected(
      L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE,
      3, "string/function/table");
  lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1), made = 0;
  bool anchored = *pattern == '^', changed = false;
  tdm_matcher m;
  luaL_Buffer out;
  const char *last = NULL;
  luaL_buffinit(L, &out);
  tdm_matcher_open(&m, L, at, length, pattern + anchored, pattern_length - anchored);
  while (made < most) {
    const char *end, *start = at;
    if (anchored)
      end = tdm_matcher_at(&m, start);
    else if ((start = tdm_matcher_from(&m, at, &end)) == NULL)
      end = NULL;
    if (end == NULL) break;
    luaL_addlstring(&out, at, (size_t)(start - at));
    at = start;
    if (end != last) {
      made++;
      if (add_replacement(&m, &out, type, start, end)) changed = true;
      at = last = end;
    } else if (at < m.text_end) {
      luaL_addchar(&out, *at++);
    } else {
      break;
    }
    if (anchored) break;
  }
  if (changed) {
    luaL_addlstring(&out, at, (size_t)(m.text_end - at));
    luaL_pushresult(&out);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, made);
  return 2;
}

/* ---- rep: by doubling, and nothing at all of nothing */

static int repeat(lua_State *L) {
  size_t length, between;
  const char *text = luaL_checklstring(L, 1, &length);
  lua_Integer times = luaL_checkinteger(L, 2);
  const char *separator = luaL_optlstring(L, 3, "", &between);
  size_t unit = length + between;
  if (times <= 0 || unit == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  if (unit < length || unit > (size_t)LUA_MAXINTEGER / (size_t)times)
    return luaL_error(L, "resulting string too large");
  size_t whole = (size_t)times * unit - between;
  luaL_Buffer out;
  char *to = luaL_buffinitsize(L, &out, whole);
  memcpy(to, text, length);
  if (times > 1) {
    memcpy(to + length, separator, between);
    for (size_t made = unit; made < whole;) {
      size_t more = made < whole - made ? made : whole - made;
      memcpy(to + made, to, more);
      made += more;
    }
  }
  luaL_pushresultsize(&out, whole);
  return 1;
}

/* ---- format, without addresses */

const char *tdm_counted_text(lua_State *L, int at) {
  bool shown = luaL_getmetafield(L, at, "__tostring") != LUA_TNIL;
  if (shown) lua_pop(L, 1);
  switch (lua_type(L, at)) {
  case LUA_TTABLE:
  case LUA_TFUNCTION:
  case LUA_TUSERDATA:
  case LUA_TLIGHTUSERDATA:
  case LUA_TTHREAD:
    if (!shown) return lua_pushstring(L, luaL_typename(L, at));
    break;
  default: break;
  }
  return luaL_tolstring(L, at, NULL);
}

/* Lua's own, with its name and the place of the call in its complaints. Upvalue 1: Lua's own. */
static int format_by_lua(lua_State *L, int arguments) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  if (lua_pcall(L, arguments, 1, 0) == LUA_OK) return 1;
  const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  if (strncmp(message, "bad argument", 12) != 0 && strncmp(message, "invalid ", 8) != 0)
    return lua_error(L);
  return luaL_error(L, "%s", luaL_gsub(L, message, "'?'", "'format'"));
}

static int format_hiding(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length), *end = text + length;
  int arguments = lua_gettop(L), at = 1;
  for (const char *c = memchr(text, '%', length); c != NULL && c + 1 < end;
       c = memchr(c, '%', (size_t)(end - c))) {
    c++;
    while (c < end && *c != '\0' && strchr("-+ #.0123456789", *c) != NULL) c++;
    if (c >= end) break;
    if (*c != '%' && ++at <= arguments && *c == 's') {
      tdm_counted_text(L, at);
      lua_replace(L, at);
    }
    if (*c++ == 'p') return luaL_error(L, "invalid conversion '%%p' to 'format'");
  }
  return format_by_lua(L, arguments);
}

void tdm_counted_hide_addresses(lua_State *L) {
  lua_getglobal(L, LUA_STRLIBNAME);
  lua_getfield(L, -1, "format");
  if (lua_tocfunction(L, -1) != format_hiding) {
    lua_pushcclosure(L, format_hiding, 1);
    lua_setfield(L, -2, "format");
  } else {
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

void tdm_counted_strings(lua_State *L) {
  static const luaL_Reg functions[] = {{"find", find}, {"match", match}, {"gmatch", gmatch},
                                       {"gsub", gsub}, {"rep", repeat},  {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}

void tdm_counted_install(lua_State *L) {
  /* Its name has our own folder in it, so that messages tell the user's line instead. */
  static const char pay[] = "local steps = ... for _ = 1, steps do end";
  if (luaL_loadbuffer(L, pay, sizeof pay - 1, "=lua/tandem/steps") != LUA_OK) lua_error(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &payer);
  lua_getglobal(L, LUA_STRLIBNAME);
  tdm_counted_strings(L);
  lua_getglobal(L, LUA_TABLIBNAME);
  tdm_counted_tables(L);
  lua_pop(L, 2);
  tdm_counted_protected(L);
}
