/* What the writers of the result table share: the files of this room, and
 * nobody else. */
#ifndef TDM_BIND_RESULT_INSIDE_H
#define TDM_BIND_RESULT_INSIDE_H

#include <lua.h>

#include "base/sections.h"
#include "base/stats.h"
#include "bind/result/result.h"

typedef struct {
  const tdm_class_measure *of; /* of replication 0 */
  tdm_pool *latest;
  bool starved; /* memory was short: figures are missing, so there is no result */
} tdm_result_pools;

typedef struct {
  lua_State *L;
  const tdm_model *model;
  const tdm_measure *measures;
  size_t count;
  double confidence;
  double *scratch;         /* count doubles, a userdata on the stack */
  tdm_result_pools *pools; /* likewise */
  bool values;             /* estimates tell what they are made of */
  bool brief;              /* no distributions, nothing over time */
  bool bounded;    /* it is runs of this length that are told of: times grow with it, or many whole
                    * ones were asked for */
  double requests; /* that were measured */
  bool lone;       /* the only run of a load that moves */
  double drain; /* how far averages over the window may be off because runs begin and end empty */
  tdm_estimate evidence; /* of the mean latency: what it needs, queues need as well */
} tdm_result_writer;

typedef double (*tdm_result_reading)(const tdm_measure *m, size_t index, size_t which);
/* The times that readings of latencies speak of. */
typedef const tdm_class_measure *(*tdm_result_times)(const tdm_measure *m, size_t index,
                                                     size_t which);

/* ---- result.c, estimates.c: fields of the table on top */

void tdm_result_number(lua_State *L, const char *key, double value); /* NaN: none */
void tdm_result_integer(lua_State *L, const char *key, uint64_t value);
void tdm_result_text(lua_State *L, const char *key, const char *value);
tdm_estimate tdm_result_estimate(const tdm_result_writer *w, tdm_result_reading read, size_t index,
                                 size_t which);
void tdm_result_set(const tdm_result_writer *w, const char *key, tdm_result_reading read,
                    size_t index, size_t which);
/* A mean over time of what queues up, or (steady) of what does not; `series` is its number of
 * tdm_measure_series, SIZE_MAX: it has none. */
tdm_estimate tdm_result_over_time(const tdm_result_writer *w, tdm_result_reading read, size_t index,
                                  size_t which, size_t series, bool steady);
/* The same, no surer than the model knows it to be: `known` reads the relative error that it knows
 * of each replication. */
tdm_estimate tdm_result_no_surer(const tdm_result_writer *w, tdm_estimate e,
                                 tdm_result_reading known, size_t index, size_t which);
double tdm_result_mean(const tdm_result_writer *w, tdm_result_reading read, size_t index,
                       size_t which);
/* Pushes an estimate: the latest of tdm_result_estimate(), whose readings are still in the scratch.
 */
void tdm_result_push(const tdm_result_writer *w, tdm_estimate estimate);
/* Pushes what keeps the latest pool. */
tdm_result_pools *tdm_result_pools_new(lua_State *L);
/* The times of all replications together, until the next ones are asked for; NULL: out of memory.
 */
const tdm_pool *tdm_result_pool(const tdm_result_writer *w, tdm_result_times times, size_t index,
                                size_t which);
/* An objective: an estimate, and what else says on which side of its limit the truth is. */
typedef struct {
  double limit;
  tdm_estimate value;
  int side;             /* 1: within, surely; -1: beyond, surely; see tdm_pool_side */
  const tdm_pool *tail; /* of a percentile whose parts are told; else NULL */
} tdm_result_objective;

void tdm_result_percentile(const tdm_result_writer *w, tdm_result_times times, size_t index,
                           size_t which, double level, tdm_result_objective *out);
tdm_estimate tdm_result_time_mean(const tdm_result_writer *w, tdm_result_times times, size_t index,
                                  size_t which);
/* mean, p50, p90, p95, p99, p999 of times, whose own readings are at `first`. */
#define TDM_RESULT_TIMES (TDM_QUANTILES + 1)
void tdm_result_set_times(const tdm_result_writer *w, tdm_result_times times,
                          tdm_result_reading read, size_t index, const size_t which[]);
/* ---- series.c */

/* TDM_SLICES values, the series number `kind` of tdm_measure_series. */
void tdm_result_series(const tdm_result_writer *w, const char *key, size_t kind);
void tdm_result_all_series(const tdm_result_writer *w); /* `series` */

/* ---- stages.c */

void tdm_result_stages(const tdm_result_writer *w);
void tdm_result_resources(const tdm_result_writer *w); /* stations, memories, links */
/* `overload`, and whether there is one: more work comes than a station or link can do, and the
 * number inside keeps growing, or an LLM server does not keep up. A batching server is busy
 * whenever anybody waits, so that its busy time alone says nothing; a closed population limits
 * itself. */
bool tdm_result_overload(const tdm_result_writer *w);

/* ---- llm.c */

/* `llm`: what is told of each LLM server; nothing where there is none. */
void tdm_result_llm(const tdm_result_writer *w);
/* `llm` of `series`: what servers did over time. */
void tdm_result_llm_series(const tdm_result_writer *w);
/* The estimate that an objective like "ttft_p99" speaks of, for the class's first LLM stage; a
 * percentile is number `level` of the class's slo_levels. False: it is no such objective. */
bool tdm_result_llm_objective(const tdm_result_writer *w, size_t class_index, const char *metric,
                              size_t level, tdm_result_objective *out);
/* The class's first stage that an LLM server serves; NULL: none. */
const tdm_stage *tdm_result_llm_stage(const tdm_model *model, size_t class_index);
/* A time by the first letters of its name; TDM_LLM_TIMES: there is none. */
tdm_llm_time tdm_result_llm_time(const char *name, size_t length);

/* ---- windows.c */

/* `windows`: the run by windows of time; nothing where none are asked for. */
void tdm_result_windows(const tdm_result_writer *w);
/* The estimate of an objective that holds in each window or in a share of them, the model's entry
 * for it being on top; *number: how many of the class's window limits have been used so far;
 * *worst_s: when the worst window begins, NaN: it is of a share. Says whether more is better. */
bool tdm_result_window_objective(const tdm_result_writer *w, size_t class_index, size_t *number,
                                 tdm_result_objective *out, double *worst_s);

/* ---- saturation.c */

/* `overload` of an LLM server that does not keep up, or `unsettled` of one of which the run is too
 * short to tell. True: it is overloaded. */
bool tdm_result_saturation(const tdm_result_writer *w);

#endif
