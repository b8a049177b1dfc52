/* Dispatch to the kind, and what a kind without a closed form does. Owns no state. */
#include "model/llm/step.h"

#include <stddef.h>

double tdm_llm_step_s(const tdm_llm_step *model, const tdm_llm_batch *batch) {
  if (batch->prefill_tokens == 0 && batch->decode_seqs == 0) return 0;
  return model->kind->step_s(model, batch);
}

double tdm_llm_decode_run_s(const tdm_llm_step *model, const tdm_llm_batch *batch, int64_t k) {
  if (batch->decode_seqs == 0) return 0;
  if (model->kind->decode_run_s != NULL) return model->kind->decode_run_s(model, batch, k);
  tdm_llm_batch now = *batch;
  double sum = 0;
  for (int64_t i = 0; i < k; i++) {
    sum += model->kind->step_s(model, &now);
    tdm_llm_batch_grow(&now, 1);
  }
  return sum;
}

void tdm_llm_step_free(tdm_llm_step *model) {
  if (model != NULL) model->kind->free(model);
}
