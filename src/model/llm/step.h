/* How long an engine step takes: one interface for every kind of step model.
 *
 * A step model is immutable once made and shared by threads. Times are seconds; the caller rounds
 * them to nanoseconds once. Kinds: affine (fitted coefficients), roofline (architecture and
 * datasheet), table (measured operators), callback (somebody else's function); each has its own
 * header with its constructor. The scheduler (engine/serving) asks, the binding makes them.
 *
 * A batch without any token takes no time. */
#ifndef TDM_MODEL_LLM_STEP_H
#define TDM_MODEL_LLM_STEP_H

#include <stdint.h>

#include "model/llm/batch.h"

typedef struct tdm_llm_step tdm_llm_step;

/* What a kind implements; its struct begins with a tdm_llm_step. */
typedef struct {
  const char *name;
  double (*step_s)(const tdm_llm_step *model, const tdm_llm_batch *batch);
  /* NULL: the sum of step_s, one by one. */
  double (*decode_run_s)(const tdm_llm_step *model, const tdm_llm_batch *batch, int64_t k);
  void (*free)(tdm_llm_step *model);
  int64_t steps_ahead; /* a step is dear: no more than so many are asked for at once; 0: any */
} tdm_llm_step_kind;

struct tdm_llm_step {
  const tdm_llm_step_kind *kind;
};

double tdm_llm_step_s(const tdm_llm_step *model, const tdm_llm_batch *batch);

/* The same decode-only batch k ≥ 0 times, each sequence one token longer each time (decode_context
 * grows by decode_seqs, the extremes by 1): the time of all k. Monotone in k; in closed form where
 * the model is piecewise affine, so that it may differ from the sum of step_s in the last bits.
 * Callers that need one history whatever the length of their jumps take the end of step j as the
 * run's start plus tdm_llm_decode_run_s(…, j), in both cases. */
double tdm_llm_decode_run_s(const tdm_llm_step *model, const tdm_llm_batch *batch, int64_t k);

void tdm_llm_step_free(tdm_llm_step *model); /* NULL is fine */

#endif
