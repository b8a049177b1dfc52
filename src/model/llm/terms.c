/* Terms of affine step models: an arithmetic series for a row of steps. See terms.h. */
#include "model/llm/terms.h"

const char *const tdm_llm_term_names[TDM_LLM_TERMS] = {
    "step",           "prefill_step",    "decode_step",        "prefill_seqs",
    "prefill_tokens", "prefill_context", "prefill_attention",  "prefill_squares",
    "decode_seqs",    "decode_context",  "decode_context_max", "sampled"};

void tdm_llm_terms_add(double sums[TDM_LLM_TERMS], const tdm_llm_batch *b, int64_t steps) {
  double k = (double)steps, grown = k * (k - 1) / 2;
  int decodes = b->decode_seqs > 0;
  const double row[TDM_LLM_TERMS] = {k,
                                     b->prefill_seqs > 0 ? k : 0,
                                     decodes ? k : 0,
                                     k * (double)b->prefill_seqs,
                                     k * (double)b->prefill_tokens,
                                     k * b->prefill_context,
                                     k * b->prefill_attention,
                                     k * b->prefill_squares,
                                     k * (double)b->decode_seqs,
                                     k * b->decode_context + grown * (double)b->decode_seqs,
                                     decodes ? k * (double)b->decode_context_max + grown : 0,
                                     k * (double)b->sampled};
  for (int i = 0; i < TDM_LLM_TERMS; i++) sums[i] += row[i];
}
