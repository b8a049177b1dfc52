/* The roofline, group by group of kernels. See roofline.h. */
#include "model/llm/roofline.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

typedef struct {
  tdm_llm_step base;
  tdm_llm_architecture arch;
  tdm_llm_parallelism cut;
  tdm_llm_shard shard;
  tdm_llm_rates rates;
} roofline;

/* Time of work that asks two resources: never less than either, and more where both are asked
 * alike, since a kernel does not overlap them fully. Measured on one matrix product (gate and up of
 * Llama-3.1-8B on an RTX PRO 6000, 64 to 512 tokens): the root of squares is within about 4 %, the
 * larger alone up to about 23 % short. */
static double both(double a, double b) {
  return sqrt(a * a + b * b);
}
/* By squaring, since pow's last bits are the C library's own. */
double tdm_llm_distinct_experts(int64_t experts, int64_t active, int64_t tokens) {
  double missed = 1, power = 1 - (double)active / (double)experts;
  for (; tokens > 0; tokens /= 2, power *= power)
    if (tokens % 2 == 1) missed *= power;
  return (double)experts * (1 - missed);
}

double tdm_llm_experts_reached(int64_t groups, int64_t active) {
  return groups < 2 ? 1 : tdm_llm_distinct_experts(groups, 1, active) / (double)groups;
}

/* Tokens whose work at the full share takes as long: tiles that are not full, too few of them for
 * all multiprocessors. `ramp` tokens fill a tile. */
#define TILE_TOKENS        128.0
#define EXPERT_TILE_TOKENS 16.0
static double filled(double tokens, double half, double ramp) {
  return tokens + half * tokens / (tokens + ramp);
}

/* What multiplies: peak of the type, and the tokens at which it reaches half its share. */
typedef struct {
  double flops, half;
} multiplier;

/* Matrices of so many parameters, each of `bytes`, applied to `tokens`. */
static double matrix_s(const roofline *m, double params, double bytes, double tokens,
                       multiplier by) {
  const tdm_llm_rates *r = &m->rates;
  double work = 2 * params * filled(tokens, by.half, TILE_TOKENS);
  return both(work / (by.flops * r->matrix_efficiency),
              params * bytes / (r->bandwidth * r->weight_bandwidth));
}

static double weights_s(const roofline *m, double tokens, double sampled) {
  const tdm_llm_shard *s = &m->shard;
  const tdm_llm_architecture *a = &m->arch;
  const tdm_llm_rates *r = &m->rates;
  const multiplier head = {r->head_flops, r->head_half}, ffn = {r->ffn_flops, r->ffn_half};
  const multiplier attention = {r->attention_flops, r->attention_half};
  double sum = matrix_s(m, s->head_params, a->embedding_bytes, sampled, head);
  sum += (s->full_layers + s->coarse_layers + s->window_layers) *
         matrix_s(m, s->attention_params, a->attention_bytes, tokens, attention);
  if (s->linear_layers > 0)
    sum += s->linear_layers * matrix_s(m, s->linear_params, a->attention_bytes, tokens, attention);
  if (s->dense_layers > 0)
    sum += s->dense_layers * matrix_s(m, s->dense_params, a->ffn_bytes, tokens, ffn);
  if (s->expert_layers > 0)
    sum += s->expert_layers * (matrix_s(m, s->shared_params, a->ffn_bytes, tokens, ffn) +
                               matrix_s(m, s->router_params, a->embedding_bytes, tokens, head));
  return sum;
}

/* All groups' tokens come together at the experts. */
static double experts_s(const roofline *m, int64_t tokens) {
  const tdm_llm_shard *s = &m->shard;
  const tdm_llm_rates *r = &m->rates;
  if (s->expert_layers <= 0) return 0;
  int64_t all = tokens * m->cut.data;
  double met = tdm_llm_distinct_experts(m->arch.experts, m->arch.experts_active, all);
  double share = s->expert_params / (double)m->cut.expert;
  /* met experts, each with its tokens; a slice of one is so wide */
  double pairs = (double)(all * m->arch.experts_active), each = pairs / met;
  double slices = (double)(m->cut.tensor * m->cut.data) / (double)m->cut.expert;
  double width = (double)m->arch.expert_intermediate / slices;
  double work = met * filled(each, r->expert_half, EXPERT_TILE_TOKENS) * 2 * share *
                (1 + r->expert_width / width);
  double busiest = m->cut.expert > 1 ? 1 + r->expert_excess : 1;
  return s->expert_layers * busiest *
         both(work / (r->expert_flops * r->expert_efficiency),
              met * share * m->arch.expert_bytes / (r->bandwidth * r->expert_bandwidth));
}

/* Tokens that one key stands for. */
static double stride_of(const roofline *m) {
  return m->arch.key_stride > 1 ? (double)m->arch.key_stride : 1;
}

/* Reading a window, or those keys that an indexer picked, bounds the keys of a query. */
static double prefill_attention_s(const roofline *m, const tdm_llm_batch *b) {
  if (b->prefill_tokens == 0) return 0;
  const tdm_llm_architecture *a = &m->arch;
  const tdm_llm_shard *s = &m->shard;
  const tdm_llm_rates *r = &m->rates;
  double tokens = (double)b->prefill_tokens, pairs = b->prefill_attention;
  double keys = pairs / stride_of(m), full = keys, windowed = pairs, indexed = 0;
  if (a->top_keys > 0) {
    full = tdm_least_real(keys, tokens * (double)a->top_keys);
    indexed = keys * s->index_flops;
  }
  if (a->window > 0) windowed = tdm_least_real(pairs, tokens * (double)a->window);
  double work = s->full_layers * (full * s->pair_flops + indexed) +
                s->window_layers * windowed * s->window_pair_flops +
                s->linear_layers * tokens * s->state_flops;
  double context = b->prefill_context + tokens;
  double bytes = s->full_layers * s->key_bytes * context / stride_of(m) +
                 s->window_layers * s->window_key_bytes * context +
                 s->linear_layers * 2 * s->state_bytes * (double)b->prefill_seqs;
  if (a->o_rank > 0) {
    work += (s->full_layers + s->coarse_layers) * windowed * s->window_pair_flops;
    bytes += (s->full_layers + s->coarse_layers) * s->window_key_bytes * tokens;
  }
  if (s->coarse_layers > 0) {
    work += s->coarse_layers * pairs / (double)a->coarse_stride * s->pair_flops;
    bytes += s->coarse_layers * s->key_bytes * context / (double)a->coarse_stride;
  }
  return both(work / (r->pair_flops * r->attention_efficiency),
              bytes / (r->bandwidth * r->kv_bandwidth));
}

/* Σ keys read by decoding sequences in a layer of each kind. */
typedef struct {
  double looked, picked, windowed, coarse;
} keys_read;

static double keys_s(const roofline *m, keys_read n) {
  const tdm_llm_shard *s = &m->shard;
  const tdm_llm_rates *r = &m->rates;
  double flops = r->pair_flops * r->attention_efficiency, bytes = r->bandwidth * r->kv_bandwidth;
  double key_s = both(s->key_flops / flops, s->key_bytes / bytes);
  double window_key_s = both(s->window_key_flops / flops, s->window_key_bytes / bytes);
  double windows = s->window_layers + (m->arch.o_rank > 0 ? s->full_layers + s->coarse_layers : 0);
  double sum = (s->full_layers * n.picked + s->coarse_layers * n.coarse) * key_s +
               windows * n.windowed * window_key_s;
  if (m->arch.top_keys > 0)
    sum += s->full_layers * n.looked * both(s->index_flops / flops, s->index_bytes / bytes);
  return sum;
}

/* Σ over k steps of min(mean + step, limit), mean the mean context of the sequences. */
static double clipped(double mean, double limit, double k) {
  double below = 0;
  if (mean < limit) below = tdm_least_real(k, ceil(limit - mean));
  if (below >= k) return k * mean + k * (k - 1) / 2;
  return below * mean + below * (below - 1) / 2 + (k - below) * limit;
}

static double decode_attention_s(const roofline *m, const tdm_llm_batch *b, double k) {
  if (b->decode_seqs == 0) return 0;
  const tdm_llm_architecture *a = &m->arch;
  const tdm_llm_shard *s = &m->shard;
  const tdm_llm_rates *r = &m->rates;
  double seqs = (double)b->decode_seqs, mean = b->decode_context / seqs, stride = stride_of(m);
  double all = seqs * clipped(mean, INFINITY, k);
  keys_read n = {.looked = all / stride, .picked = all / stride, .windowed = all};
  if (a->window > 0) n.windowed = seqs * clipped(mean, (double)a->window, k);
  if (a->top_keys > 0) n.picked = seqs * clipped(mean, (double)a->top_keys * stride, k) / stride;
  if (s->coarse_layers > 0) n.coarse = all / (double)a->coarse_stride;
  double states = both(2 * s->state_bytes / (r->bandwidth * r->kv_bandwidth),
                       s->state_flops / (r->pair_flops * r->attention_efficiency));
  return keys_s(m, n) + k * s->linear_layers * seqs * states;
}

/* Norms with their residual, rotations and gates read and write activations. Experts' inputs are
 * gathered and their outputs combined, each as wide as the model whatever part of an expert a GPU
 * holds; what lies between is as wide as that part. */
static double elementwise_s(const roofline *m, double tokens) {
  const tdm_llm_architecture *a = &m->arch;
  const tdm_llm_shard *s = &m->shard;
  double hidden = (double)a->hidden, tensor = (double)m->cut.tensor, data = (double)m->cut.data;
  double expert = (double)m->cut.expert, slices = tensor * data / expert;
  double pairs = data * (double)a->experts_active / expert; /* met by one token of each group */
  double dense = 3 * (double)a->intermediate / tensor;
  double sparse = 3 * (double)a->shared_intermediate / tensor +
                  pairs * (2 * hidden + 3 * (double)a->expert_intermediate / slices);
  double numbers =
      (double)a->layers * 10 * hidden + s->dense_layers * dense + s->expert_layers * sparse;
  return numbers * tokens * a->activation_bytes / (m->rates.bandwidth * m->rates.weight_bandwidth);
}

static double exchange_s(const roofline *m, double tokens) {
  const tdm_llm_shard *s = &m->shard;
  const tdm_llm_fabric *links = &m->rates.links;
  int64_t tensor = m->cut.tensor, data = m->cut.data;
  double bytes = tokens * (double)m->arch.hidden * m->arch.activation_bytes;
  double reduce = tdm_llm_fabric_all_reduce_s(links, tensor, bytes);
  double reached = tdm_llm_experts_reached(m->cut.expert, m->arch.experts_active);
  double sum = (double)m->arch.layers * reduce + s->dense_layers * reduce;
  if (data == 1)
    sum += s->expert_layers * reduce;
  else if (s->expert_layers > 0)
    sum += s->expert_layers * 2 *
           tdm_llm_fabric_all_gather_s(links, tensor * data, bytes * (double)data * reached);
  return sum + tdm_llm_fabric_pipeline_s(links, m->cut.pipeline, tensor * data, bytes);
}

static double overhead_s(const roofline *m, const tdm_llm_batch *b) {
  const tdm_llm_rates *r = &m->rates;
  double tokens = (double)(b->prefill_tokens + b->decode_seqs);
  return r->step_s + r->layer_s * (double)m->arch.layers +
         r->expert_layer_s * m->shard.expert_layers +
         r->sequence_s * (double)(b->prefill_seqs + b->decode_seqs) + r->token_s * tokens;
}

tdm_llm_breakdown tdm_llm_roofline_explain(const tdm_llm_step *base, const tdm_llm_batch *b) {
  const roofline *m = (const roofline *)base;
  int64_t count = b->prefill_tokens + b->decode_seqs;
  if (count == 0) return (tdm_llm_breakdown){0};
  double tokens = (double)count;
  return (tdm_llm_breakdown){.weights = weights_s(m, tokens, (double)b->sampled),
                             .experts = experts_s(m, count),
                             .prefill_attention = prefill_attention_s(m, b),
                             .decode_attention = decode_attention_s(m, b, 1),
                             .elementwise = elementwise_s(m, tokens),
                             .exchange = exchange_s(m, tokens),
                             .overhead = overhead_s(m, b)};
}

/* All that does not change while a decode batch runs on. */
static double fixed_s(const roofline *m, const tdm_llm_batch *b) {
  int64_t count = b->prefill_tokens + b->decode_seqs;
  double tokens = (double)count;
  return weights_s(m, tokens, (double)b->sampled) + experts_s(m, count) +
         prefill_attention_s(m, b) + elementwise_s(m, tokens) + exchange_s(m, tokens) +
         overhead_s(m, b);
}

static double roofline_step_s(const tdm_llm_step *base, const tdm_llm_batch *batch) {
  const roofline *m = (const roofline *)base;
  return fixed_s(m, batch) + decode_attention_s(m, batch, 1);
}

static double roofline_decode_run_s(const tdm_llm_step *base, const tdm_llm_batch *batch,
                                    int64_t k) {
  const roofline *m = (const roofline *)base;
  return fixed_s(m, batch) * (double)k + decode_attention_s(m, batch, (double)k);
}

static void roofline_free(tdm_llm_step *base) {
  tdm_llm_grid_free(((roofline *)base)->rates.links.inside.all_reduce);
  free(base);
}

static const tdm_llm_step_kind roofline_kind = {.name = "roofline",
                                                .step_s = roofline_step_s,
                                                .decode_run_s = roofline_decode_run_s,
                                                .free = roofline_free};

static tdm_status check_rates(const tdm_llm_rates *r, tdm_error *error) {
  const double positive[] = {r->bandwidth,
                             r->attention_flops,
                             r->ffn_flops,
                             r->expert_flops,
                             r->head_flops,
                             r->pair_flops,
                             r->links.inside.bandwidth,
                             r->links.network.bandwidth};
  const double shares[] = {r->matrix_efficiency, r->expert_efficiency, r->attention_efficiency,
                           r->weight_bandwidth,  r->expert_bandwidth,  r->kv_bandwidth};
  const double times[] = {r->step_s,
                          r->layer_s,
                          r->expert_layer_s,
                          r->sequence_s,
                          r->token_s,
                          r->attention_half,
                          r->ffn_half,
                          r->head_half,
                          r->expert_half,
                          r->expert_width,
                          r->expert_excess,
                          r->links.inside.latency_s,
                          r->links.inside.hop_s,
                          r->links.network.latency_s,
                          r->links.network.hop_s};
  for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
    if (!(positive[i] > 0) || isinf(positive[i]))
      return tdm_error_set(error, TDM_INVALID, "roofline: rates must be positive numbers");
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    if (!(shares[i] > 0 && shares[i] <= 1))
      return tdm_error_set(error, TDM_INVALID, "roofline: efficiencies must be in (0, 1]");
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    if (!(times[i] >= 0) || isinf(times[i]))
      return tdm_error_set(error, TDM_INVALID, "roofline: overheads must be numbers ≥ 0");
  return TDM_OK;
}

tdm_status tdm_llm_roofline_new(const tdm_llm_architecture *model, const tdm_llm_parallelism *cut,
                                const tdm_llm_rates *rates, tdm_llm_step **out, tdm_error *error) {
  *out = NULL;
  tdm_llm_shard shard;
  tdm_status status = tdm_llm_shard_of(model, cut, &shard, error);
  if (status == TDM_OK) status = check_rates(rates, error);
  roofline *made = status == TDM_OK ? malloc(sizeof *made) : NULL;
  if (made == NULL) {
    tdm_llm_grid_free(rates->links.inside.all_reduce);
    return status != TDM_OK ? status : tdm_error_memory(error, "roofline", sizeof *made);
  }
  *made = (roofline){{&roofline_kind}, *model, *cut, shard, *rates};
  *out = &made->base;
  return TDM_OK;
}
