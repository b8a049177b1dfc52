/* Step model from first principles: an architecture on GPUs of known rates.
 *
 * Every group of kernels takes the longer of its FLOPs at the peak rate and its bytes at the memory
 * bandwidth, both reduced by an efficiency: projections and feed-forward by their weights, experts
 * by the expected number of distinct ones that the tokens pick, attention by query–key pairs
 * (prefill) or keys read (decode). Added are element-wise traffic, exchanges between GPUs, and
 * overheads for each step, layer and sequence. GPUs that take part do equal work; of several data
 * groups the batch is one's, and the others' are alike. Pipeline stages follow each other: a step
 * is the time of one batch through all of them.
 *
 * Rates, efficiencies and overheads are the caller's, who knows where they come from. */
#ifndef TDM_MODEL_LLM_ROOFLINE_H
#define TDM_MODEL_LLM_ROOFLINE_H

#include "model/llm/architecture.h"
#include "model/llm/collectives.h"
#include "model/llm/step.h"

typedef struct {
  double bandwidth;       /* of memory, bytes/s, by the datasheet */
  double attention_flops; /* FLOP/s by the datasheet in the type of the projections, */
  double ffn_flops;       /* of the dense and shared feed-forward layers, */
  double expert_flops;    /* of the experts, */
  double head_flops;      /* of the output head and the router, */
  double pair_flops;      /* of attention itself */
  tdm_llm_fabric links;   /* between GPUs: those of a stage follow each other, then the next's */
  /* Shares of the above that kernels reach. */
  double matrix_efficiency, expert_efficiency, attention_efficiency;
  double weight_bandwidth, expert_bandwidth, kv_bandwidth;
  /* Products of few tokens reach less than their share: `half` more tokens' worth of work from some
   * hundred tokens on, fewer below, where memory is the limit. By the type of what is multiplied;
   * experts count the tokens of one of them, and narrow slices of one reach less: expert_width is
   * where they reach half. 0: all reach their share. */
  double attention_half, ffn_half, head_half, expert_half, expert_width;
  /* Whole experts on several GPUs get unequal work, and all wait for the busiest: so much more than
   * an equal part. */
  double expert_excess;
  /* Seconds. */
  double step_s, layer_s, expert_layer_s, sequence_s, token_s;
} tdm_llm_rates;

/* Takes measured all-reduces of the link over in every case. */
tdm_status tdm_llm_roofline_new(const tdm_llm_architecture *model, const tdm_llm_parallelism *cut,
                                const tdm_llm_rates *rates, tdm_llm_step **out, tdm_error *error);

/* Where the time of a step goes, in seconds; they sum to tdm_llm_step_s. */
typedef struct {
  double weights, experts, prefill_attention, decode_attention, elementwise, exchange, overhead;
} tdm_llm_breakdown;
/* Model must be a roofline. */
tdm_llm_breakdown tdm_llm_roofline_explain(const tdm_llm_step *model, const tdm_llm_batch *batch);
/* Distinct experts that `tokens` independent choices of `active` out of `experts` meet, expected.
 */
double tdm_llm_distinct_experts(int64_t experts, int64_t active, int64_t tokens);

/* Share of the `groups` of GPUs with whole experts that a token goes to and comes back from: those
 * that hold one of its own. 1 where each holds a part of every expert. */
double tdm_llm_experts_reached(int64_t groups, int64_t active);

#endif
