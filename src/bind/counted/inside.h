/* What the files of this room share: steps and what they cost, the matcher. */
#ifndef TDM_BIND_COUNTED_INSIDE_H
#define TDM_BIND_COUNTED_INSIDE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Steps between two payments: a third of a millisecond. */
#define TDM_STEPS_PAID 100000

/* Executes Lua instructions for the steps, where the state has a hook: budgets in instructions
 * count them, and a hook that stops the code raises here. May raise. */
void tdm_counted_pay(lua_State *L, uint64_t steps);

/* ---- pattern.c */

enum { TDM_PATTERN_CAPTURES = 32 };

typedef struct {
  const char *start;
  ptrdiff_t length; /* or one of these: */
} tdm_capture;

enum { TDM_CAPTURE_OPEN = -1, TDM_CAPTURE_POSITION = -2 };

/* A text and a pattern. The strings must stay on the stack of L. */
typedef struct {
  lua_State *L;
  const char *text, *text_end;
  const char *pattern, *pattern_end;
  uint64_t steps; /* since the last payment */
  int depth;      /* levels of the recursion that are left */
  int count;      /* of captures */
  tdm_capture captures[TDM_PATTERN_CAPTURES];
} tdm_matcher;

void tdm_matcher_open(tdm_matcher *m, lua_State *L, const char *text, size_t text_length,
                      const char *pattern, size_t pattern_length);
/* The end of the match that begins at `at`, or NULL. Forgets earlier captures. May raise. */
const char *tdm_matcher_at(tdm_matcher *m, const char *at);
/* The first match at or after `at`: its start, with its end in *end, or NULL. */
const char *tdm_matcher_from(tdm_matcher *m, const char *at, const char **end);
/* Pushes all captures of the match; without captures the whole match, where `start` is given.
 * Returns how many. May raise. */
int tdm_matcher_push_all(tdm_matcher *m, const char *start, const char *end);
/* Pushes one: 0 is the whole match where there are no captures. May raise. */
void tdm_matcher_push(tdm_matcher *m, int capture, const char *start, const char *end);

/* ---- protected.c: sets the global */

void tdm_counted_protected(lua_State *L);

/* ---- strings.c, tables.c: both want the library's table on top */

void tdm_counted_strings(lua_State *L);
void tdm_counted_tables(lua_State *L);

#endif
