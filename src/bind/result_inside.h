/* What the writers of the result table share: result.c, result_llm.c, and nobody else. */
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
void tdm_result_text(lua_State *L, const char *key, const char *value);
tdm_estimate tdm_result_estimate(const tdm_result_writer *w, tdm_result_reading read, size_t index,
                                 size_t which);
void tdm_result_set(const tdm_result_writer *w, const char *key, tdm_result_reading read,
                    size_t index, size_t which);
/* TDM_SLICES values, the series number `kind` of tdm_measure_series. */
void tdm_result_series(const tdm_result_writer *w, const char *key, size_t kind);

/* ---- result_llm.c */

/* `llm`: what is told of each LLM server; nothing where there is none. */
void tdm_result_llm(const tdm_result_writer *w);
/* `llm` of `series`: what servers did over time. */
void tdm_result_llm_series(const tdm_result_writer *w);
/* The server that is overloaded most beyond doubt; where none is, one of which the run is too short
 * to tell; UINT32_MAX: neither. */
typedef struct {
  uint32_t server;
  tdm_backlog_verdict verdict;
  tdm_serving_held why; /* most of its requests were kept out */
} tdm_result_saturation;
tdm_result_saturation tdm_result_llm_saturation(const tdm_result_writer *w);
/* `bound` and a text that says it. */
const char *tdm_result_llm_bound(const tdm_result_saturation *of, const char **words);
/* The estimate that an objective like "ttft_p99" speaks of, for the class's first LLM stage; a
 * percentile is number `level` of the class's slo_levels. False: it is no such objective. */
bool tdm_result_llm_objective(const tdm_result_writer *w, size_t class_index, const char *metric,
                              size_t level, tdm_estimate *out);

#endif
