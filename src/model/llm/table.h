/* Step model from measured operator times.
 *
 * A step is the sum of: what each token costs outside attention (projections, norms, activations),
 * attention by (prefill tokens, their context, decoding sequences, mean context of these), experts
 * by (tokens, distinct experts met), what each sampled sequence costs (output head, sampler),
 * all-reduces where there are several GPUs, and overheads. Between measured points values are
 * linear.
 *
 * Chunks longer than any measured are taken piece by piece. Attention was measured with one chunk
 * of prefill and equal contexts of the decoding sequences. Several chunks stand in by their
 * query–key pairs, no cheaper than one chunk of mean size. Unequal contexts cost t_mean + α·(t_max
 * − t_mean), t_max being the time if all were as long as the longest, and α a fitted share by
 * bucket.
 *
 * Where several groups share their experts, each has a batch of its own: the others' are taken to
 * be alike, all their tokens meet at the experts, and come and go by gathers. Stages of a pipeline
 * follow each other.
 *
 * A run of decode steps is summed piece by piece, each piece linear, hence exactly. */
#ifndef TDM_MODEL_LLM_TABLE_H
#define TDM_MODEL_LLM_TABLE_H

#include "model/llm/collectives.h"
#include "model/llm/grid.h"
#include "model/llm/step.h"

/* Buckets of the skew correction. A bucket reaches up to and with its edge; the last has none. */
typedef struct {
  const double *edges;
  size_t count; /* of edges; buckets are one more */
} tdm_llm_buckets;

/* α by [prefill tokens][sequences][skew rate][longest context][prefill context]; prefill tokens are
 * points, between which α is linear, the others buckets. Skew rate is the share of
 * long sequences. */
typedef struct {
  const double *prefill_tokens;
  size_t prefill_count; /* 0: no correction */
  tdm_llm_buckets seqs, rate, longest, context;
  const double *alpha;
} tdm_llm_skew;

typedef struct {
  tdm_llm_grid *tokens;    /* 1 axis: tokens → seconds of the whole step; required */
  tdm_llm_grid *attention; /* 4 axes → seconds of one layer; required */
  tdm_llm_grid *experts;   /* 2 axes: tokens, distinct experts → seconds of one layer; or NULL */
  tdm_llm_grid *sampled;   /* 1 axis: sequences → seconds of the whole step; or NULL */
  double attention_layers, expert_layers;
  int64_t experts_all, experts_active;
  double expert_groups; /* GPUs that share whole experts: one meets so many times fewer; 1 */
  double data;          /* groups with batches of their own that share them; 0: 1 */
  tdm_llm_skew skew;
  tdm_llm_link link; /* all-reduces: so many a step, of so many bytes a token, among so many GPUs */
  double reduces, reduce_bytes;
  int64_t gpus;
  double gathers; /* so many a step, of all groups' tokens to experts, among gpus · data */
  double sends;   /* from one stage of a pipeline to the next */
  double step_s, sequence_s;
} tdm_llm_table;

/* Takes the grids over in every case; copies the arrays. */
tdm_status tdm_llm_table_new(const tdm_llm_table *table, tdm_llm_step **out, tdm_error *error);

#endif
