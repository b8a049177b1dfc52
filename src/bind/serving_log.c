/* The log of a replay: one row a row of steps, with the terms summed up to its end.
 *
 * Owns its rows. Terms at a time within a step are those of its share, so that they times the
 * model's coefficients are the time itself. Called by bind/serving. */
#include "bind/serving_log.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/llm/llm.h"

typedef struct tdm_serving_row {
  int64_t begin_ns, end_ns;
  double until[TDM_LLM_TERMS];
} row;

void tdm_serving_log_add(tdm_serving_log *log, const tdm_serving_step *step) {
  if (!log->wanted || log->failed) return;
  if (!tdm_array_grow(&log->rows, &log->capacity, log->count + 1, sizeof *log->rows)) {
    log->failed = true;
    return;
  }
  row *r = &log->rows[log->count];
  *r = (row){.begin_ns = step->begin_ns, .end_ns = step->end_ns};
  if (log->count > 0) memcpy(r->until, r[-1].until, sizeof r->until);
  tdm_llm_terms_add(r->until, &step->batch, step->steps);
  log->count++;
}

/* Rows that ended by `at_ns`. */
static size_t rows_until(const tdm_serving_log *log, int64_t at_ns) {
  size_t low = 0, high = log->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (log->rows[middle].end_ns <= at_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void terms_at(const tdm_serving_log *log, int64_t at_ns, double out[TDM_LLM_TERMS]) {
  size_t done = rows_until(log, at_ns);
  for (int i = 0; i < TDM_LLM_TERMS; i++) out[i] = done > 0 ? log->rows[done - 1].until[i] : 0;
  if (done == log->count || log->rows[done].begin_ns >= at_ns) return;
  const row *r = &log->rows[done];
  double share = (double)(at_ns - r->begin_ns) / (double)(r->end_ns - r->begin_ns);
  for (int i = 0; i < TDM_LLM_TERMS; i++) out[i] += share * (r->until[i] - out[i]);
}

static void push_between(lua_State *L, const char *name, const double from[TDM_LLM_TERMS],
                         const double to[TDM_LLM_TERMS]) {
  lua_createtable(L, 0, TDM_LLM_TERMS);
  for (int i = 0; i < TDM_LLM_TERMS; i++) {
    lua_pushnumber(L, to[i] - from[i]);
    lua_setfield(L, -2, tdm_llm_term_names[i]);
  }
  lua_setfield(L, -2, name);
}

void tdm_serving_log_push(lua_State *L, const tdm_serving_log *log, const tdm_serving_outcome *o) {
  const int64_t times[] = {o->arrival_ns, o->queued_ns, o->first_token_ns, o->finished_ns};
  static const char *const names[] = {"waited", "first", "rest"};
  double at[4][TDM_LLM_TERMS];
  for (int i = 0; i < 4; i++) terms_at(log, times[i], at[i]);
  for (int i = 0; i < 3; i++) push_between(L, names[i], at[i], at[i + 1]);
}

void tdm_serving_log_close(tdm_serving_log *log) {
  free(log->rows);
  *log = (tdm_serving_log){0};
}
