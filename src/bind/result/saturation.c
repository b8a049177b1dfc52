/* The part of the result table about LLM servers that do not keep up, or may not. What is a verdict
 * is engine/backlog's; here are its words. Called by result.c. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>

#include "bind/result/inside.h"

typedef struct {
  uint32_t server; /* TDM_NO_INDEX: every one keeps up */
  tdm_backlog_verdict verdict;
  tdm_serving_held why; /* most of its requests were kept out */
} saturation;

static double held(const tdm_server_measure *server, size_t why) {
  return isnan(server->all.held[why]) ? 0 : server->all.held[why];
}

static tdm_serving_held held_most(const tdm_result_writer *w, size_t server) {
  size_t most = TDM_SERVING_NOT_HELD;
  double share = 0;
  for (size_t why = TDM_SERVING_NOT_HELD + 1; why < TDM_SERVING_HELD; why++) {
    double one = 0;
    for (size_t r = 0; r < w->count; r++) one += held(&w->measures[r].servers[server], why);
    if (one > share) most = why, share = one;
  }
  return (tdm_serving_held)most;
}

static tdm_backlog_verdict judge(const tdm_result_writer *w, size_t server) {
  tdm_backlog sum = {0};
  for (size_t r = 0; r < w->count; r++)
    tdm_backlog_add(&sum, &w->measures[r].servers[server].backlog);
  return tdm_backlog_judge(&sum, (double)w->count, (double)w->model->servers[server].count);
}

static saturation worst_of(const tdm_result_writer *w) {
  saturation worst = {.server = TDM_NO_INDEX};
  for (size_t i = 0; i < w->model->server_count; i++) {
    tdm_backlog_verdict one = judge(w, i);
    bool sure = one.state == TDM_BACKLOG_WAITS || one.state == TDM_BACKLOG_INSIDE;
    bool was_sure = worst.server != TDM_NO_INDEX && worst.verdict.state != TDM_BACKLOG_UNSURE;
    if (one.state == TDM_BACKLOG_NONE || (was_sure && !sure)) continue;
    if (worst.server != TDM_NO_INDEX && sure == was_sure && !(one.load > worst.verdict.load))
      continue;
    worst = (saturation){(uint32_t)i, one, held_most(w, i)};
  }
  return worst;
}

static const char *bound_of(const saturation *of, const char **words) {
  static const struct {
    const char *name, *words;
  } all[TDM_SERVING_HELD] = {
      {"steps", "computing is the limit: its steps take longer the more sequences run"},
      {"kv", "its KV cache is the limit: requests wait for blocks"},
      {"seqs", "max_seqs is the limit: as many sequences as may run do"},
      {"tokens", "computing is the limit: its steps are full of tokens (max_batched_tokens)"},
      {"rule", "a rule of its scheduler keeps requests waiting"}};
  /* Places and blocks may run out only because steps are so long that more would not help. */
  bool runs = of->verdict.state == TDM_BACKLOG_INSIDE, steps = of->verdict.by_steps;
  bool full = of->why == TDM_SERVING_SEQS || of->why == TDM_SERVING_BLOCKS;
  tdm_serving_held why = steps && (runs || full) ? TDM_SERVING_NOT_HELD : of->why;
  if (runs && !steps && why == TDM_SERVING_NOT_HELD) {
    *words = "the largest batch that it may run does not suffice";
    return NULL;
  }
  *words = all[why].words;
  return all[why].name;
}

/* Ever more requests are inside, and nothing says that it is more than a run that fills up. */
static void set_unsure(const tdm_result_writer *w, const saturation *found) {
  lua_State *L = w->L;
  const tdm_backlog_verdict *v = &found->verdict;
  const char *name = w->model->servers[found->server].name;
  char load[96] = "what it can take at most is not known";
  if (!isnan(v->load))
    snprintf(load, sizeof load, "it is offered about %.0f %% of what it can take at most",
             fmin(v->load * 100, 1e9));
  lua_createtable(L, 0, 3);
  tdm_result_text(L, "resource", name);
  tdm_result_number(L, "load", v->load);
  lua_pushfstring(
      L,
      "%s has more and more requests inside, %d to %d in the second half of the run, and "
      "%s: the run is too short to tell whether it keeps up, and its latencies may "
      "still grow",
      name, (int)fmin(v->inside_first + 0.5, 1e9), (int)fmin(v->inside_last + 0.5, 1e9), load);
  lua_setfield(L, -2, "reason");
  lua_setfield(L, -2, "unsettled");
}

/* An LLM server that does not keep up; whatever else is overloaded is upstream of what it serves,
 * or beyond. */
bool tdm_result_saturation(const tdm_result_writer *w) {
  lua_State *L = w->L;
  saturation found = worst_of(w);
  if (found.server == TDM_NO_INDEX) return false;
  if (found.verdict.state == TDM_BACKLOG_UNSURE) {
    set_unsure(w, &found);
    return false;
  }
  bool waits = found.verdict.state == TDM_BACKLOG_WAITS;
  const char *name = w->model->servers[found.server].name, *words;
  lua_createtable(L, 0, 4);
  tdm_result_text(L, "resource", name);
  tdm_result_number(L, "load", found.verdict.load);
  const char *bound = bound_of(&found, &words);
  if (bound != NULL) tdm_result_text(L, "bound", bound);
  char offered[48] = "far more than"; /* next to nobody is done, or nobody */
  if (found.verdict.load < 100)
    snprintf(offered, sizeof offered, "%d %% of what", (int)(found.verdict.load * 100 + 0.5));
  lua_pushfstring(L,
                  "%s is offered %s it %s: %s as long as the load "
                  "lasts, so latencies say more about the run's length than the system; %s",
                  name, offered,
                  waits && !(found.verdict.by_steps && found.verdict.load > 1) ? "serves"
                                                                               : "can serve",
                  waits ? "its queue grows" : "more and more requests run at once", words);
  lua_setfield(L, -2, "reason");
  lua_setfield(L, -2, "overload");
  return true;
}
