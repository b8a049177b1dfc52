/* What affine step models multiply their coefficients with, summed over steps.
 *
 * A step of an affine model in one piece takes the sum of coefficient × term; so does any stretch
 * of time in which an engine is busy, with these sums. That makes fitting coefficients to measured
 * times a linear regression once the schedule is known. Pure functions; called by
 * bind/serving_log. */
#ifndef TDM_MODEL_LLM_TERMS_H
#define TDM_MODEL_LLM_TERMS_H

#include <stdint.h>

#include "model/llm/batch.h"

enum { TDM_LLM_TERMS = 12 };

/* In the order of the sums; fields of tdm_llm_affine_piece. */
extern const char *const tdm_llm_term_names[TDM_LLM_TERMS];

/* Adds a row of `steps` ≥ 1 steps, the first of which is `batch`: in those after it each decoding
 * sequence has one token more. */
void tdm_llm_terms_add(double sums[TDM_LLM_TERMS], const tdm_llm_batch *batch, int64_t steps);

#endif
