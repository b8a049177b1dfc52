/* What the writers of the result table share: result.c, result_stages.c, result_llm.c,
 * result_saturation.c, and nobody else. */
#ifndef TDM_BIND_RESULT_INSIDE_H
#define TDM_BIND_RESULT_INSIDE_H

#include <lua.h>

#include "base/stats.h"
#include "bind/result.h"

typedef struct {
  lua_State *L;
  const tdm_model *model;
  const tdm_measure *measures;
  size_t count;
  double confidence;
  double *scratch; /* count doubles, a userdata on the stack */
  bool values;     /* estimates tell what they are made of */
  bool brief;      /* no distributions, nothing over time */
} tdm_result_writer;

typedef double (*tdm_result_reading)(const tdm_measure *m, size_t index, size_t which);

/* ---- result.c: fields of the table on top */

void tdm_result_number(lua_State *L, const char *key, double value); /* NaN: none */
void tdm_result_integer(lua_State *L, const char *key, uint64_t value);
void tdm_result_text(lua_State *L, const char *key, const char *value);
tdm_estimate tdm_result_estimate(const tdm_result_writer *w, tdm_result_reading read, size_t index,
                                 size_t which);
void tdm_result_set(const tdm_result_writer *w, const char *key, tdm_result_reading read,
                    size_t index, size_t which);
double tdm_result_mean(const tdm_result_writer *w, tdm_result_reading read, size_t index,
                       size_t which);
/* Pushes an estimate: the latest of tdm_result_estimate(), whose readings are still in the scratch.
 */
void tdm_result_push(const tdm_result_writer *w, tdm_estimate estimate);
/* TDM_SLICES values, the series number `kind` of tdm_measure_series. */
void tdm_result_series(const tdm_result_writer *w, const char *key, size_t kind);

/* ---- result_stages.c */

void tdm_result_stages(const tdm_result_writer *w);
void tdm_result_resources(const tdm_result_writer *w); /* stations, memories, links */
/* Overload: more work comes than a station or link can do, and the number inside keeps growing, or
 * an LLM server does not keep up. A batching server is busy whenever anybody waits, so that its
 * busy time alone says nothing; a closed population limits itself. */
void tdm_result_overload(const tdm_result_writer *w);

/* ---- result_llm.c */

/* `llm`: what is told of each LLM server; nothing where there is none. */
void tdm_result_llm(const tdm_result_writer *w);
/* `llm` of `series`: what servers did over time. */
void tdm_result_llm_series(const tdm_result_writer *w);
/* The estimate that an objective like "ttft_p99" speaks of, for the class's first LLM stage; a
 * percentile is number `level` of the class's slo_levels. False: it is no such objective. */
bool tdm_result_llm_objective(const tdm_result_writer *w, size_t class_index, const char *metric,
                              size_t level, tdm_estimate *out);

/* ---- result_saturation.c */

/* `overload` of an LLM server that does not keep up, or `unsettled` of one of which the run is too
 * short to tell. True: it is overloaded. */
bool tdm_result_saturation(const tdm_result_writer *w);

#endif
