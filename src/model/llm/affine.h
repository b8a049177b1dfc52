/* Step model: a fitted affine function of the batch, in pieces by the number of decoding sequences.
 *
 * Covers the usual published forms: prefill a + b·Σn + c·Σn², decode a + b·Σcontext + c·batch with
 * other coefficients from some batch size on; and the physics-informed one with costs for each
 * step, request and token. Owned by whoever makes it; made by the binding and by fits. */
#ifndef TDM_MODEL_LLM_AFFINE_H
#define TDM_MODEL_LLM_AFFINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/llm/batch.h"
#include "model/llm/step.h"

/* Seconds for each unit of the batch's field of that name. */
typedef struct {
  double decode_seqs_max; /* this piece holds up to so many; INFINITY in the last one */
  double step;            /* any step */
  double prefill_step;    /* more when the step has prefill tokens */
  double decode_step;     /* more when the step has decoding sequences */
  double prefill_seqs, prefill_tokens, prefill_context, prefill_attention, prefill_squares;
  double decode_seqs, decode_context, decode_context_max;
  double sampled;
} tdm_llm_affine_piece;

/* Copies the pieces, which rise in decode_seqs_max. No step is shorter than `floor_s` ≥ 0, since a
 * fit may be negative where it saw no data. Refuses coefficients that are not finite, and negative
 * ones of decode_context and decode_context_max: a decode step never gets faster as contexts
 * grow. */
tdm_status tdm_llm_affine_new(const tdm_llm_affine_piece *pieces, size_t count, double floor_s,
                              tdm_llm_step **out, tdm_error *error);

/* What affine step models multiply their coefficients with, summed over steps.
 *
 * A step of an affine model in one piece takes the sum of coefficient × term; so does any stretch
 * of time in which an engine is busy, with these sums. That makes fitting coefficients to measured
 * times a linear regression once the schedule is known. Pure functions; called by bind/serving_log.
 */

enum { TDM_LLM_TERMS = 12 };

/* In the order of the sums; fields of tdm_llm_affine_piece. */
extern const char *const tdm_llm_term_names[TDM_LLM_TERMS];

/* Adds a row of `steps` ≥ 1 steps, the first of which is `batch`: in those after it each decoding
 * sequence has one token more. */
void tdm_llm_terms_add(double sums[TDM_LLM_TERMS], const tdm_llm_batch *batch, int64_t steps);

#endif
