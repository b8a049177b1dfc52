/* One engine step of an LLM server, as sums over the sequences that take part in it.
 *
 * Everything a step model may ask, so that a step costs O(1) however many sequences it has: the
 * scheduler keeps these sums up to date, the step models (step.h) read them. Plain data, owned by
 * whoever fills it. A sequence that verifies drafted tokens decodes, which reads its keys once, and
 * computes the drafted ones as prompt tokens on top. */
#ifndef TDM_MODEL_LLM_BATCH_H
#define TDM_MODEL_LLM_BATCH_H

#include <stdint.h>

typedef struct {
  int64_t prefill_seqs;     /* sequences that compute prompt tokens in this step */
  int64_t prefill_tokens;   /* Σ n: new prompt tokens */
  double prefill_context;   /* Σ c: tokens these already have (earlier chunks, cached prefix) */
  double prefill_attention; /* Σ n·(c + (n + 1)/2): query–key pairs, causal */
  double prefill_squares;   /* Σ n² */
  int64_t decode_seqs;      /* one new token each */
  double decode_context;    /* Σ context of the decoding sequences: keys read, the new one among
                             * them */
  int64_t decode_context_max;
  double decode_squares; /* Σ context²; 0: not known, which only the correction for skew asks */
  int64_t sampled; /* tokens whose next one is wanted: of decoding sequences, completed prompts
                    * and drafts */
} tdm_llm_batch;

/* A sequence computes `tokens` ≥ 1 new prompt tokens on top of `context` that it has. */
static inline void tdm_llm_batch_add_prefill(tdm_llm_batch *batch, int64_t tokens, int64_t context,
                                             int completes) {
  double n = (double)tokens, c = (double)context;
  batch->prefill_seqs++;
  batch->prefill_tokens += tokens;
  batch->prefill_context += c;
  batch->prefill_attention += n * (c + (n + 1) / 2);
  batch->prefill_squares += n * n;
  batch->sampled += completes != 0;
}

/* A sequence computes one token; `context` counts it. */
static inline void tdm_llm_batch_add_decode(tdm_llm_batch *batch, int64_t context) {
  batch->decode_seqs++;
  batch->decode_context += (double)context;
  if (context > batch->decode_context_max) batch->decode_context_max = context;
  batch->decode_squares += (double)context * (double)context;
  batch->sampled++;
}

/* `seqs` decoding sequences of the batch, whose contexts add up to `context`, verify `drafted`
 * tokens each. */
static inline void tdm_llm_batch_add_drafts(tdm_llm_batch *batch, int64_t seqs, int64_t drafted,
                                            double context) {
  double n = (double)drafted, q = (double)seqs;
  batch->prefill_tokens += seqs * drafted;
  batch->prefill_attention += n * context + q * (n * (n + 1) / 2);
  batch->prefill_squares += q * n * n;
  batch->sampled += seqs * drafted;
}

/* Every decoding sequence is `steps` tokens longer. */
static inline void tdm_llm_batch_grow(tdm_llm_batch *batch, int64_t steps) {
  double k = (double)steps, n = (double)batch->decode_seqs;
  if (batch->decode_squares > 0) batch->decode_squares += k * (2 * batch->decode_context + n * k);
  batch->decode_context += n * k;
  batch->decode_context_max += steps;
}

#endif
