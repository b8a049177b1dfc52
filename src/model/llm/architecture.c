/* From sizes to parameters, bytes and FLOPs. Owns no state. See architecture.h. */
#include "model/llm/architecture.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* kv_rank > 0 */
static void latent_attention(const tdm_llm_architecture *m, double cut, tdm_llm_shard *s) {
  double hidden = (double)m->hidden, heads = (double)m->heads / cut;
  double query = heads * (double)(m->nope_size + m->rope_size);
  double rank = (double)m->kv_rank, latent = (double)(m->kv_rank + m->rope_size);
  double value = heads * (double)m->value_size;
  double q = m->q_rank > 0 ? (double)m->q_rank * (hidden + query) : hidden * query;
  /* The down projections are on every GPU, as the cache is. */
  s->attention_params =
      q + hidden * latent + rank * (heads * (double)m->nope_size + value) + value * hidden;
  s->pair_flops = 2 * (query + value);
  s->key_flops = 2 * heads * (rank + latent);
  s->key_bytes = latent * m->kv_bytes;
  s->window_pair_flops = s->pair_flops;
  s->window_key_flops = s->key_flops;
  s->window_key_bytes = s->key_bytes;
}

/* One layer whose heads are of `size`. */
typedef struct {
  double params, pair_flops, key_bytes;
} grouped;

static grouped grouped_of(const tdm_llm_architecture *m, double cut, int64_t heads, int64_t width,
                          bool shared_kv) {
  double hidden = (double)m->hidden, size = (double)width;
  double query = (double)m->heads / cut * size;
  double kv_heads = (double)heads / cut; /* fewer heads than GPUs: one each */
  if (kv_heads < 1) kv_heads = 1;
  double projections = query * (m->q_gate ? 3 : 2) + (shared_kv ? 1 : 2) * kv_heads * size;
  return (grouped){hidden * projections, 4 * query, 2 * kv_heads * size * m->kv_bytes};
}

static void grouped_attention(const tdm_llm_architecture *m, double cut, tdm_llm_shard *s) {
  grouped full = grouped_of(m, cut, m->kv_heads, m->head_size, m->shared_kv != 0), windowed = full;
  if (m->window_head_size > 0)
    windowed = grouped_of(m, cut, m->window_kv_heads, m->window_head_size, false);
  double layers = s->full_layers + s->window_layers;
  if (layers > 0)
    s->attention_params =
        (s->full_layers * full.params + s->window_layers * windowed.params) / layers;
  s->pair_flops = s->key_flops = full.pair_flops;
  s->key_bytes = full.key_bytes;
  s->window_pair_flops = s->window_key_flops = windowed.pair_flops;
  s->window_key_bytes = windowed.key_bytes;
}

/* o_rank > 0. A key is made from the tokens of its stride and, in full layers, of the stride
 * before, by a matrix for what they give and one for their weights. */
static void compressed_attention(const tdm_llm_architecture *m, double cut, tdm_llm_shard *s) {
  double hidden = (double)m->hidden, size = (double)m->head_size;
  double query = (double)m->heads / cut * size, groups = (double)m->o_groups / cut;
  if (groups < 1) groups = 1;
  double rank = (double)m->o_rank;
  double q = (double)m->q_rank * (hidden + query);
  double out = query * rank + groups * rank * hidden;
  double layers = s->full_layers + s->coarse_layers + s->window_layers;
  double made = (4 * s->full_layers + 2 * s->coarse_layers) * hidden * size;
  s->attention_params = q + hidden * size + out + made / layers;
  s->pair_flops = s->key_flops = s->window_pair_flops = s->window_key_flops = 4 * query;
  s->key_bytes = s->window_key_bytes = size * m->kv_bytes;
}

/* What looks through keys before attention: a query for each of its heads, one key a token. */
static void indexer(const tdm_llm_architecture *m, tdm_llm_shard *s) {
  double hidden = (double)m->hidden, size = (double)m->index_size;
  double width = (double)m->index_heads * size;
  double from = m->q_rank > 0 ? (double)m->q_rank : hidden;
  double key = m->key_stride > 1 ? 4 * size : size; /* made as the keys are */
  double params = from * width + hidden * (key + (double)m->index_heads);
  s->attention_params +=
      params * s->full_layers / (s->full_layers + s->coarse_layers + s->window_layers);
  s->index_flops = 2 * width;
  s->index_bytes = size; /* kept in 8 bits */
}

static void linear_attention(const tdm_llm_architecture *m, double cut, tdm_llm_shard *s) {
  double key = (double)m->linear_key_heads * (double)m->linear_key_size / cut;
  double values = (double)m->linear_value_heads / cut;
  double value = values * (double)m->linear_value_size;
  /* Projections to query, key, value, output gate, decay and rate; the one back. Of gates as
   * products of two matrices the first is on every GPU, and there is a decay for each number. */
  double hidden = (double)m->hidden, rank = (double)m->linear_gate_rank;
  s->linear_params = hidden * (2 * key + 3 * value + 2 * values);
  if (rank > 0)
    s->linear_params = hidden * (2 * key + 2 * value + values) + rank * (2 * hidden + key + value);
  double state = value * (double)m->linear_key_size;
  s->state_bytes = state * m->state_bytes;
  s->state_flops = 6 * state; /* decay, outer product added, read by the query */
}

static void feed_forward(const tdm_llm_architecture *m, const tdm_llm_parallelism *cut,
                         tdm_llm_shard *s) {
  double gpus = (double)cut->tensor * (double)cut->data, matrix = 3 * (double)m->hidden;
  s->dense_params = matrix * (double)m->intermediate / (double)cut->tensor;
  s->shared_params = matrix * (double)m->shared_intermediate / (double)cut->tensor;
  s->router_params = (double)m->hidden * (double)m->experts;
  s->expert_params = matrix * (double)m->expert_intermediate / (gpus / (double)cut->expert);
  s->experts = (double)m->experts / (double)cut->expert;
}

static void layer_counts(const tdm_llm_architecture *m, tdm_llm_shard *s) {
  s->window_layers = (double)m->window_layers;
  s->linear_layers = (double)m->linear_layers;
  s->coarse_layers = (double)m->coarse_layers;
  s->full_layers = (double)(m->layers - m->coarse_layers - m->window_layers - m->linear_layers);
  s->dense_layers = (double)m->dense_layers;
  s->expert_layers = (double)(m->layers - m->dense_layers);
}

static void totals(const tdm_llm_architecture *m, const tdm_llm_parallelism *cut,
                   tdm_llm_shard *s) {
  double attending = s->full_layers + s->coarse_layers + s->window_layers;
  double stages = (double)cut->pipeline;
  double layers =
      (attending * s->attention_params + s->linear_layers * s->linear_params) * m->attention_bytes +
      (s->dense_layers * s->dense_params + s->expert_layers * s->shared_params) * m->ffn_bytes +
      s->expert_layers *
          (s->router_params * m->embedding_bytes + s->experts * s->expert_params * m->expert_bytes);
  /* With stages, the first holds the embedding, the last the head. */
  double ends = s->head_params + (cut->pipeline > 1 ? 0 : s->embedding_params);
  s->weights_bytes = layers / stages + ends * m->embedding_bytes;
  double stride = m->key_stride > 1 ? (double)m->key_stride : 1;
  double grows = s->full_layers * (s->key_bytes + s->index_bytes) / stride;
  if (m->coarse_layers > 0) grows += s->coarse_layers * s->key_bytes / (double)m->coarse_stride;
  s->state_bytes_seq = s->linear_layers * s->state_bytes / stages;
  if (m->o_rank > 0) /* windows lie apart from what grows */
    s->state_bytes_seq += attending * (double)m->window * s->window_key_bytes / stages;
  else
    s->window_bytes_token = s->window_layers * s->window_key_bytes / stages;
  s->kv_bytes_token = grows / stages + s->window_bytes_token;
}

static const char *unfit(const tdm_llm_architecture *m, const tdm_llm_parallelism *cut) {
  if (m->layers < 1 || m->hidden < 1 || m->vocabulary < 1) return "has no layers, width or words";
  const int64_t cuts[] = {cut->tensor, cut->pipeline, cut->expert, cut->data};
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
    if (cuts[i] < 1 || cuts[i] > 1 << 20)
      return "parallelism must be at least 1 and no more than a million in each dimension";
  if (cut->pipeline > m->layers) return "has fewer layers than the pipeline has stages";
  if (cut->expert > 1 && m->dense_layers == m->layers) return "has no experts to divide (ep)";
  if (m->linear_layers < m->layers) {
    if (m->heads < 1) return "has no attention heads";
    if (m->kv_rank > 0 ? m->value_size < 1 : m->kv_heads < 1 || m->head_size < 1)
      return "attention heads have no size";
    if (m->heads % cut->tensor != 0) return "attention heads cannot be shared evenly by tp GPUs";
  }
  if (m->window_layers < 0 || m->linear_layers < 0 || m->dense_layers < 0 || m->coarse_layers < 0 ||
      m->window_layers + m->linear_layers + m->coarse_layers > m->layers ||
      m->dense_layers > m->layers)
    return "has more layers of a kind than layers";
  if (m->window_layers > 0 && m->window < 1) return "has window layers without a window";
  if (m->window_head_size > 0 && m->window_kv_heads < 1) return "window layers have no heads";
  if (m->coarse_layers > 0 && (m->o_rank < 1 || m->coarse_stride < 1))
    return "has coarse layers without a stride";
  if (m->o_rank > 0 && (m->o_groups < 1 || m->q_rank < 1 || m->window < 1))
    return "compressed attention wants groups, a rank of queries and a window";
  if (m->dense_layers > 0 && m->intermediate < 1) return "has dense layers without a width";
  if (m->dense_layers < m->layers && (m->experts < 1 || m->experts_active < 1 ||
                                      m->experts_active > m->experts || m->expert_intermediate < 1))
    return "has expert layers without experts";
  return NULL;
}

tdm_status tdm_llm_shard_of(const tdm_llm_architecture *model, const tdm_llm_parallelism *cut,
                            tdm_llm_shard *out, tdm_error *error) {
  memset(out, 0, sizeof *out);
  const char *why = unfit(model, cut);
  if (why != NULL) return tdm_error_set(error, TDM_INVALID, "language model: %s", why);
  int64_t gpus = cut->tensor * cut->data;
  if (gpus % cut->expert != 0 || (model->experts > 0 && cut->expert > model->experts))
    return tdm_error_set(error, TDM_INVALID,
                         "language model: expert parallelism %lld does not divide %lld GPUs, or "
                         "there are fewer experts",
                         (long long)cut->expert, (long long)gpus);
  double tensor = (double)cut->tensor;
  layer_counts(model, out);
  if (model->o_rank > 0)
    compressed_attention(model, tensor, out);
  else if (model->kv_rank > 0)
    latent_attention(model, tensor, out);
  else
    grouped_attention(model, tensor, out);
  if (model->linear_layers > 0) linear_attention(model, tensor, out);
  if (model->top_keys > 0 && out->full_layers > 0) indexer(model, out);
  feed_forward(model, cut, out);
  out->head_params = (double)model->hidden * (double)model->vocabulary / tensor;
  out->embedding_params = model->tied ? 0 : out->head_params;
  totals(model, cut, out);
  return TDM_OK;
}

static double params(const tdm_llm_shard *s, double experts) {
  return (s->full_layers + s->coarse_layers + s->window_layers) * s->attention_params +
         s->linear_layers * s->linear_params + s->dense_layers * s->dense_params +
         s->expert_layers * (s->shared_params + s->router_params + experts * s->expert_params) +
         s->head_params;
}

double tdm_llm_params(const tdm_llm_shard *whole) {
  return params(whole, whole->experts) + whole->embedding_params;
}

double tdm_llm_active_params(const tdm_llm_shard *whole, int64_t experts_active) {
  return params(whole, (double)experts_active);
}
