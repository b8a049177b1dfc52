/* Lua's patterns, matched by backtracking with every step counted. Owns what a pattern means; what
 * becomes of a match is strings.c's. Called by strings.c. */
#include <ctype.h>
#include <lauxlib.h>
#include <string.h>

#include "bind/counted/inside.h"

enum { DEEPEST = 200 }; /* as in Lua: deeper patterns are refused as too complex */

static const char *match_here(tdm_matcher *m, const char *s, const char *p);

static inline void count(tdm_matcher *m, uint64_t steps) {
  m->steps += steps;
  if (m->steps < TDM_STEPS_PAID) return;
  uint64_t owed = m->steps;
  m->steps = 0;
  tdm_counted_pay(m->L, owed);
}

static inline unsigned char byte_at(const char *s) {
  return (unsigned char)*s;
}

/* ---- single characters */

/* Behind the class that begins at p: a character, %x or [set]. */
static const char *class_end(tdm_matcher *m, const char *p) {
  char first = *p++;
  if (first == '%') {
    if (p == m->pattern_end) luaL_error(m->L, "malformed pattern (ends with '%%')");
    return p + 1;
  }
  if (first != '[') return p;
  if (*p == '^') p++;
  bool any = false; /* a ']' that comes first stands for itself */
  while (!any || *p != ']') {
    if (p == m->pattern_end) luaL_error(m->L, "malformed pattern (missing ']')");
    any = true;
    if (*p++ == '%') {
      if (p == m->pattern_end) luaL_error(m->L, "malformed pattern (missing ']')");
      p++;
    }
  }
  return p + 1;
}

static bool is_of_letter(unsigned char c, unsigned char letter) {
  int is;
  switch (tolower(letter)) {
  case 'a': is = isalpha(c); break;
  case 'c': is = iscntrl(c); break;
  case 'd': is = isdigit(c); break;
  case 'g': is = isgraph(c); break;
  case 'l': is = islower(c); break;
  case 'p': is = ispunct(c); break;
  case 's': is = isspace(c); break;
  case 'u': is = isupper(c); break;
  case 'w': is = isalnum(c); break;
  case 'x': is = isxdigit(c); break;
  case 'z': is = c == 0; break; /* of older Luas, still understood */
  default: return letter == c;
  }
  return (is != 0) != (isupper(letter) != 0);
}

/* The set's members stand between p, at its '[', and last, at its ']'. */
static bool is_in_set(unsigned char c, const char *p, const char *last) {
  bool wanted = true;
  p++;
  if (*p == '^') {
    wanted = false;
    p++;
  }
  while (p < last) {
    if (*p == '%') {
      if (is_of_letter(c, byte_at(p + 1))) return wanted;
      p += 2;
    } else if (p[1] == '-' && p + 2 < last) {
      if (byte_at(p) <= c && c <= byte_at(p + 2)) return wanted;
      p += 3;
    } else {
      if (byte_at(p) == c) return wanted;
      p++;
    }
  }
  return !wanted;
}

/* Whether the character at s is of the class [p, end). */
static inline bool is_of(const tdm_matcher *m, const char *s, const char *p, const char *end) {
  if (s >= m->text_end) return false;
  switch (*p) {
  case '.': return true;
  case '%': return is_of_letter(byte_at(s), byte_at(p + 1));
  case '[': return is_in_set(byte_at(s), p, end - 1);
  default: return *p == *s;
  }
}

/* What looking at a character costs: sets are read member by member. */
static inline uint64_t price(const char *p, const char *end) {
  return *p == '[' ? (uint64_t)(end - p) : 1;
}

/* ---- repetitions; the class is [p, end), with its mark at end */

static const char *as_many(tdm_matcher *m, const char *s, const char *p, const char *end) {
  ptrdiff_t found = 0;
  uint64_t each = price(p, end);
  while (is_of(m, s + found, p, end)) {
    found++;
    if (each > 1) count(m, each);
  }
  if (each == 1) count(m, (uint64_t)found);
  for (; found >= 0; found--) {
    const char *rest = match_here(m, s + found, end + 1);
    if (rest != NULL) return rest;
  }
  return NULL;
}

static const char *as_few(tdm_matcher *m, const char *s, const char *p, const char *end) {
  for (;; s++) {
    const char *rest = match_here(m, s, end + 1);
    if (rest != NULL) return rest;
    if (!is_of(m, s, p, end)) return NULL;
    count(m, price(p, end));
  }
}

/* ---- captures */

static const char *open_capture(tdm_matcher *m, const char *s, const char *p, ptrdiff_t length) {
  if (m->count >= TDM_PATTERN_CAPTURES) luaL_error(m->L, "too many captures");
  m->captures[m->count++] = (tdm_capture){.start = s, .length = length};
  const char *rest = match_here(m, s, p);
  if (rest == NULL) m->count--;
  return rest;
}

static const char *close_capture(tdm_matcher *m, const char *s, const char *p) {
  int last = m->count - 1;
  while (last >= 0 && m->captures[last].length != TDM_CAPTURE_OPEN) last--;
  if (last < 0) luaL_error(m->L, "invalid pattern capture");
  m->captures[last].length = s - m->captures[last].start;
  const char *rest = match_here(m, s, p);
  if (rest == NULL) m->captures[last].length = TDM_CAPTURE_OPEN;
  return rest;
}

/* Behind the text that an earlier capture holds, where it stands at s again; else NULL. */
static const char *same_again(tdm_matcher *m, const char *s, unsigned char digit) {
  int capture = digit - '1';
  if (capture < 0 || capture >= m->count || m->captures[capture].length == TDM_CAPTURE_OPEN)
    luaL_error(m->L, "invalid capture index %%%d", capture + 1);
  size_t length = (size_t)m->captures[capture].length;
  if ((size_t)(m->text_end - s) < length) return NULL;
  count(m, length / 8);
  return memcmp(m->captures[capture].start, s, length) == 0 ? s + length : NULL;
}

/* ---- %b and %f */

static const char *balanced(tdm_matcher *m, const char *s, const char *p) {
  if (p >= m->pattern_end - 1) luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
  if (s >= m->text_end || *s != p[0]) return NULL;
  ptrdiff_t open = 1;
  const char *at = s + 1;
  for (; at < m->text_end; at++) {
    if (*at == p[1]) {
      if (--open == 0) break;
    } else if (*at == p[0]) {
      open++;
    }
  }
  count(m, (uint64_t)(at - s));
  return at < m->text_end ? at + 1 : NULL;
}

static bool is_frontier(const tdm_matcher *m, const char *s, const char *p, const char *end) {
  unsigned char before = s == m->text ? 0 : byte_at(s - 1);
  unsigned char here = s == m->text_end ? 0 : byte_at(s);
  return !is_in_set(before, p, end - 1) && is_in_set(here, p, end - 1);
}

/* ---- the whole */

/* One class, with or without a mark. Returns whether the match goes on, at *s and *p; else the
 * result is in *s. */
static inline bool go_on(tdm_matcher *m, const char **s, const char **p) {
  const char *end = class_end(m, *p);
  if (**p == '[') count(m, price(*p, end));
  if (!is_of(m, *s, *p, end)) {
    *p = end + 1;
    if (*end == '*' || *end == '?' || *end == '-') return true; /* none of them */
    *s = NULL;
    return false;
  }
  const char *rest;
  switch (*end) { /* the pattern ends with a zero */
  case '*': *s = as_many(m, *s, *p, end); return false;
  case '+': *s = as_many(m, *s + 1, *p, end); return false;
  case '-': *s = as_few(m, *s, *p, end); return false;
  case '?':
    rest = match_here(m, *s + 1, end + 1);
    if (rest != NULL) {
      *s = rest;
      return false;
    }
    *p = end + 1;
    return true;
  default:
    ++*s;
    *p = end;
    return true;
  }
}

/* What stands behind a '%'. Returns as go_on. */
static bool go_on_special(tdm_matcher *m, const char **s, const char **p) {
  unsigned char letter = byte_at(*p + 1);
  if (letter == 'b') {
    *s = balanced(m, *s, *p + 2);
    *p += 4;
    return *s != NULL;
  }
  if (letter == 'f') {
    const char *set = *p + 2;
    if (*set != '[') luaL_error(m->L, "missing '[' after '%%f' in pattern");
    *p = class_end(m, set);
    count(m, price(set, *p));
    if (is_frontier(m, *s, set, *p)) return true;
    *s = NULL;
    return false;
  }
  if (isdigit(letter)) {
    *s = same_again(m, *s, letter);
    *p += 2;
    return *s != NULL;
  }
  return go_on(m, s, p);
}

/* The end of a match of the pattern from p at s, or NULL. */
static const char *match_here(tdm_matcher *m, const char *s, const char *p) {
  if (m->depth-- == 0) luaL_error(m->L, "pattern too complex");
  bool on = true;
  while (on && p != m->pattern_end) {
    count(m, 1);
    switch (*p) {
    case '(':
      on = false;
      s = p[1] == ')' ? open_capture(m, s, p + 2, TDM_CAPTURE_POSITION)
                      : open_capture(m, s, p + 1, TDM_CAPTURE_OPEN);
      break;
    case ')':
      on = false;
      s = close_capture(m, s, p + 1);
      break;
    case '$':
      if (p + 1 != m->pattern_end) {
        on = go_on(m, &s, &p);
      } else {
        on = false;
        s = s == m->text_end ? s : NULL;
      }
      break;
    case '%': on = go_on_special(m, &s, &p); break;
    default: on = go_on(m, &s, &p); break;
    }
  }
  m->depth++;
  return s;
}

void tdm_matcher_open(tdm_matcher *m, lua_State *L, const char *text, size_t text_length,
                      const char *pattern, size_t pattern_length) {
  m->L = L;
  m->text = text;
  m->text_end = text + text_length;
  m->pattern = pattern;
  m->pattern_end = pattern + pattern_length;
  m->steps = 0;
  m->depth = DEEPEST;
  m->count = 0;
}

const char *tdm_matcher_at(tdm_matcher *m, const char *at) {
  m->count = 0;
  m->depth = DEEPEST;
  return match_here(m, at, m->pattern);
}

/* The character that every match begins with, or -1. */
static int certain_first(const tdm_matcher *m) {
  const char *p = m->pattern;
  if (p == m->pattern_end || strchr("^$*+?.([%-)", *p) != NULL) return -1;
  return p[1] != '\0' && strchr("*+?-", p[1]) != NULL ? -1 : byte_at(p);
}

const char *tdm_matcher_from(tdm_matcher *m, const char *at, const char **end) {
  int first = certain_first(m);
  for (; at <= m->text_end; at++) {
    if (first >= 0) {
      const char *next = memchr(at, first, (size_t)(m->text_end - at));
      if (next == NULL) return NULL;
      count(m, (uint64_t)(next - at) / 16);
      at = next;
    }
    *end = tdm_matcher_at(m, at);
    if (*end != NULL) return at;
  }
  return NULL;
}

void tdm_matcher_push(tdm_matcher *m, int capture, const char *start, const char *end) {
  if (capture >= m->count) {
    if (capture != 0) luaL_error(m->L, "invalid capture index %%%d", capture + 1);
    lua_pushlstring(m->L, start, (size_t)(end - start));
    return;
  }
  const tdm_capture *c = &m->captures[capture];
  if (c->length == TDM_CAPTURE_OPEN) luaL_error(m->L, "unfinished capture");
  if (c->length == TDM_CAPTURE_POSITION)
    lua_pushinteger(m->L, c->start - m->text + 1);
  else
    lua_pushlstring(m->L, c->start, (size_t)c->length);
}

int tdm_matcher_push_all(tdm_matcher *m, const char *start, const char *end) {
  int count_of = m->count == 0 && start != NULL ? 1 : m->count;
  luaL_checkstack(m->L, count_of, "too many captures");
  for (int i = 0; i < count_of; i++) tdm_matcher_push(m, i, start, end);
  return count_of;
}
