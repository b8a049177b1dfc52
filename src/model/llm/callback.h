/* Step model: somebody else's function of the batch, asked for each step.
 *
 * What is shared by threads only has the function's number. A replication binds it to its own way
 * of asking, and owns what comes out: it keeps the sums of the rows of decode steps asked last, so
 * that a step is asked once however rows are cut. The function is one of the batch alone. */
#ifndef TDM_MODEL_LLM_CALLBACK_H
#define TDM_MODEL_LLM_CALLBACK_H

#include <stdbool.h>

#include "base/error.h"
#include "model/llm/step.h"

/* Seconds ≥ 0. Failures are the caller's to remember: it returns 0 from then on. */
typedef struct {
  void *context;
  double (*step_s)(void *context, uint32_t function, const tdm_llm_batch *batch);
} tdm_llm_asking;

tdm_status tdm_llm_callback_new(uint32_t function, tdm_llm_step **out, tdm_error *error);
/* Whether a model asks somebody, who is there only while a replication runs. */
bool tdm_llm_callback_is(const tdm_llm_step *model);
/* *out is NULL where the model asks nobody, and is used as it is. What `asking` points to outlives
 * *out. */
tdm_status tdm_llm_callback_bind(const tdm_llm_step *model, const tdm_llm_asking *asking,
                                 tdm_llm_step **out, tdm_error *error);

#endif
