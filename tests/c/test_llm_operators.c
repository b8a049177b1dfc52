/* Each group of kernels of a small model that has layers of every kind, against arithmetic done by
 * hand; and where sizes stop to fit together. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/llm/roofline.h"

/* Ten layers: five attend to all keys, three to a window, two have a state; four are dense. */
static const tdm_llm_architecture mixed = {.layers = 10,
                                           .hidden = 64,
                                           .vocabulary = 1000,
                                           .heads = 8,
                                           .kv_heads = 4,
                                           .head_size = 16,
                                           .window = 30,
                                           .window_layers = 3,
                                           .top_keys = 20,
                                           .index_heads = 3,
                                           .index_size = 8,
                                           .linear_layers = 2,
                                           .linear_key_heads = 4,
                                           .linear_key_size = 8,
                                           .linear_value_heads = 6,
                                           .linear_value_size = 12,
                                           .dense_layers = 4,
                                           .intermediate = 256,
                                           .experts = 16,
                                           .experts_active = 2,
                                           .expert_intermediate = 32,
                                           .shared_intermediate = 48,
                                           .attention_bytes = 2,
                                           .ffn_bytes = 1,
                                           .expert_bytes = 0.5,
                                           .embedding_bytes = 4,
                                           .kv_bytes = 1,
                                           .state_bytes = 4,
                                           .activation_bytes = 2};
static const tdm_llm_parallelism two_by_two = {.tensor = 2, .pipeline = 2, .expert = 2, .data = 2};
static const tdm_llm_parallelism one_gpu = {1, 1, 1, 1};

static bool near(double value, double expected) {
  return fabs(value - expected) <= 1e-12 * fabs(expected);
}

static tdm_llm_shard shard(const tdm_llm_architecture *m, tdm_llm_parallelism cut) {
  tdm_llm_shard s;
  tdm_error error;
  if (tdm_llm_shard_of(m, &cut, &s, &error) != TDM_OK) fail_msg("%s", error.message);
  return s;
}

/* ---- what a GPU holds */

static void layers_of_every_kind_have_their_parameters(void **state) {
  (void)state;
  tdm_llm_shard s = shard(&mixed, two_by_two);
  /* 4 heads of 16 for queries and back, 2 for keys and values; the indexer's 3·8 + 8 + 3 columns in
   * five of eight layers. */
  assert_true(near(s.attention_params, 64 * (2 * 64 + 2 * 32) + 64 * 35 * 5 / 8.0));
  assert_true(near(s.pair_flops, 4 * 64) && near(s.key_flops, 4 * 64));
  assert_true(near(s.key_bytes, 2 * 32) && near(s.index_flops, 2 * 24) && near(s.index_bytes, 8));
  /* Keys 2·8, values 3·12: query, key; value, output, gate; rate and decay. */
  assert_true(near(s.linear_params, 64 * (2 * 16 + 3 * 36 + 2 * 3)));
  assert_true(near(s.state_bytes, 36 * 8 * 4) && near(s.state_flops, 6 * 36 * 8));
  assert_true(near(s.dense_params, 3 * 64 * 128) && near(s.shared_params, 3 * 64 * 24));
  assert_true(near(s.router_params, 64 * 16) && near(s.head_params, 64 * 500));
  assert_true(near(s.expert_params, 3 * 64 * 16)); /* half of each of */
  assert_true(near(s.experts, 8));
  assert_true(s.full_layers == 5 && s.window_layers == 3 && s.linear_layers == 2);
  assert_true(s.dense_layers == 4 && s.expert_layers == 6);
  tdm_llm_architecture gated = mixed;
  gated.q_gate = 1;
  assert_true(near(shard(&gated, two_by_two).attention_params, s.attention_params + 64 * 64));
}

static void a_gpu_holds_its_stage_and_the_end_beside_it(void **state) {
  (void)state;
  tdm_llm_shard s = shard(&mixed, two_by_two);
  double layers =
      (8 * 13688.0 + 2 * 9344.0) * 2 + 4 * 24576.0 + 6 * 4608.0 + 6 * (1024 * 4.0 + 8 * 3072 * 0.5);
  assert_true(near(s.weights_bytes, layers / 2 + 32000 * 4.0));
  assert_true(near(s.kv_bytes_token, (5 * (64 + 8) + 3 * 64) / 2.0));
  assert_true(near(s.state_bytes_seq, 2 * 1152 / 2.0));
  tdm_llm_shard whole = shard(&mixed, (tdm_llm_parallelism){2, 1, 2, 2});
  assert_true(near(whole.weights_bytes, layers + 2 * 32000 * 4.0));
  tdm_llm_architecture tied = mixed;
  tied.tied = 1;
  whole = shard(&tied, (tdm_llm_parallelism){2, 1, 2, 2});
  assert_true(near(whole.weights_bytes, layers + 32000 * 4.0));
  double dense = 8 * 13688.0 + 2 * 9344 + 4 * 24576, expert = 6 * (4608.0 + 1024);
  assert_true(near(tdm_llm_params(&s), dense + expert + 6 * 8 * 3072 + 2 * 32000));
  assert_true(near(tdm_llm_active_params(&s, 2), dense + expert + 6 * 2 * 3072 + 32000));
}

static tdm_llm_architecture latent(void) {
  tdm_llm_architecture m = mixed;
  m.kv_heads = m.head_size = m.top_keys = 0;
  m.q_rank = 24;
  m.kv_rank = 32;
  m.nope_size = 16;
  m.rope_size = 8;
  m.value_size = 12;
  return m;
}

static void a_latent_cache_is_whole_on_every_gpu(void **state) {
  (void)state;
  tdm_llm_architecture m = latent();
  tdm_llm_shard s = shard(&m, two_by_two);
  /* 4 heads: queries 4·24 through rank 24, the cache 32 + 8, keys 4·16, values 4·12 and back. */
  double rest = 64 * 40 + 32 * (64 + 48) + 48 * 64;
  assert_true(near(s.attention_params, 24 * (64 + 96) + rest));
  assert_true(near(s.pair_flops, 2 * (96 + 48)) && near(s.key_flops, 2 * 4 * (32 + 40)));
  assert_true(near(s.key_bytes, 40));
  m.q_rank = 0;
  assert_true(near(shard(&m, two_by_two).attention_params, 64 * 96 + rest));
}

/* ---- what a step takes */

static const tdm_llm_rates rates = {.bandwidth = 1e12,
                                    .attention_flops = 2e14,
                                    .ffn_flops = 3e14,
                                    .expert_flops = 5e14,
                                    .head_flops = 7e14,
                                    .pair_flops = 11e14,
                                    .links.inside = {6e-6, 3e-6, 360e9, NULL},
                                    .links.network = {17e-6, 5e-6, 50e9, NULL},
                                    .matrix_efficiency = 0.5,
                                    .expert_efficiency = 0.25,
                                    .attention_efficiency = 0.125,
                                    .weight_bandwidth = 0.75,
                                    .expert_bandwidth = 0.6,
                                    .kv_bandwidth = 0.4,
                                    .step_s = 1e-3,
                                    .layer_s = 2e-5,
                                    .expert_layer_s = 3e-5,
                                    .sequence_s = 5e-6,
                                    .token_s = 7e-8};

/* 43 tokens: 30 of a prompt on 40, 10 of another, three sequences with 300 keys. */
static tdm_llm_batch batch_of_both(void) {
  tdm_llm_batch b = {0};
  tdm_llm_batch_add_prefill(&b, 30, 40, 1);
  tdm_llm_batch_add_prefill(&b, 10, 0, 0);
  tdm_llm_batch_add_decode(&b, 20);
  tdm_llm_batch_add_decode(&b, 60);
  tdm_llm_batch_add_decode(&b, 220);
  return b;
}

static tdm_llm_breakdown explained(const tdm_llm_architecture *m, tdm_llm_parallelism cut,
                                   const tdm_llm_batch *b) {
  tdm_llm_step *model = NULL;
  assert_int_equal(tdm_llm_roofline_new(m, &cut, &rates, &model, NULL), TDM_OK);
  tdm_llm_breakdown why = tdm_llm_roofline_explain(model, b);
  double sum = why.weights + why.experts + why.prefill_attention + why.decode_attention +
               why.elementwise + why.exchange + why.overhead;
  assert_true(near(tdm_llm_step_s(model, b), sum));
  tdm_llm_step_free(model);
  return why;
}

/* A matrix of `params` parameters. */
static double product_s(double params, double bytes, double tokens, double flops) {
  return hypot(2 * params * tokens / (0.5 * flops), params * bytes / (0.75 * 1e12));
}

static void weights_are_read_once_and_multiplied_by_each_token(void **state) {
  (void)state;
  tdm_llm_batch b = batch_of_both();
  double expected = product_s(32000, 4, 4, 7e14) + /* four tokens are sampled */
                    8 * product_s(13688, 2, 43, 2e14) + 2 * product_s(9344, 2, 43, 2e14) +
                    4 * product_s(24576, 1, 43, 3e14) +
                    6 * (product_s(4608, 1, 43, 3e14) + product_s(1024, 4, 43, 7e14));
  assert_true(near(explained(&mixed, two_by_two, &b).weights, expected));
}

static void experts_are_read_as_often_as_they_are_met(void **state) {
  (void)state;
  tdm_llm_batch b = batch_of_both();
  /* 86 tokens of both groups pick 2 of 16; each half of the GPUs has half of the experts. */
  double met = 16 * (1 - pow(14.0 / 16, 86)) / 2, pairs = 86 * 2 / 2;
  double expected = 6 * hypot(pairs * 2 * 3072 / (5e14 * 0.25), met * 3072 * 0.5 / (1e12 * 0.6));
  assert_true(near(explained(&mixed, two_by_two, &b).experts, expected));
  tdm_llm_architecture dense = mixed;
  dense.dense_layers = 10;
  dense.experts = 0;
  assert_true(explained(&dense, one_gpu, &b).experts == 0);
}

static double attention_s(double flops, double bytes) {
  return hypot(flops / (11e14 * 0.125), bytes / (1e12 * 0.4));
}

static void prompts_attend_to_what_their_layers_see(void **state) {
  (void)state;
  tdm_llm_batch b = batch_of_both();
  double pairs = 30 * 40 + 30 * 31 / 2 + 10 * 11 / 2; /* 1720 */
  /* 40 tokens see 20 picked keys each, which an indexer picks of all; 30 in a window. */
  double flops = 5 * (40 * 20 * 256 + pairs * 48) + 3 * (40 * 30 * 256) + 2 * 40 * 1728.0;
  double bytes = 8 * 64 * (40 + 40.0) + 2 * 2 * 1152.0 * 2;
  assert_true(near(explained(&mixed, two_by_two, &b).prefill_attention, attention_s(flops, bytes)));
  tdm_llm_architecture wide = mixed;
  wide.window = 1000;
  wide.top_keys = 0;
  flops = 8 * pairs * 256 + 2 * 40 * 1728.0;
  assert_true(near(explained(&wide, two_by_two, &b).prefill_attention, attention_s(flops, bytes)));
  wide.top_keys = 1000;
  flops += 5 * pairs * 48;
  assert_true(near(explained(&wide, two_by_two, &b).prefill_attention, attention_s(flops, bytes)));
}

static void decoding_reads_the_keys_that_its_layers_see(void **state) {
  (void)state;
  tdm_llm_batch b = batch_of_both();
  double key_s = attention_s(256, 64), index_s = attention_s(48, 8);
  double states_s = attention_s(1728, 2 * 1152);
  double expected = (5 * 3 * 20 + 3 * 3 * 30) * key_s + 5 * 300 * index_s + 2 * 3 * states_s;
  assert_true(near(explained(&mixed, two_by_two, &b).decode_attention, expected));
  tdm_llm_architecture wide = mixed;
  wide.window = 100; /* the mean is not above it */
  wide.top_keys = 0;
  expected = 8 * 300 * key_s + 2 * 3 * states_s;
  assert_true(near(explained(&wide, two_by_two, &b).decode_attention, expected));
}

static void activations_go_through_memory(void **state) {
  (void)state;
  tdm_llm_batch b = batch_of_both();
  /* A group of two has 86 tokens' pairs, two a token; half of an expert's width on each GPU. */
  double numbers = 10 * 10 * 64 + 4 * (3 * 128) + 6 * (3 * 24 + 2 * (2 * 64 + 3 * 16));
  double expected = numbers * 43 * 2 / (1e12 * 0.75);
  assert_true(near(explained(&mixed, two_by_two, &b).elementwise, expected));
  numbers = 10 * 10 * 64 + 4 * (3 * 256) + 6 * (3 * 48 + 2 * (2 * 64 + 3 * 32));
  expected = numbers * 43 * 2 / (1e12 * 0.75);
  assert_true(near(explained(&mixed, one_gpu, &b).elementwise, expected));
}

static void sums_and_tokens_go_between_gpus(void **state) {
  (void)state;
  tdm_llm_batch b = batch_of_both();
  double bytes = 43 * 64 * 2;
  double reduce_s = 6e-6 + 3e-6 + bytes / 360e9;
  /* Of two halves of the experts a token that picks two meets 2 · (1 - 1/4). */
  double gather_s = 6e-6 + 2 * 3e-6 + 0.75 * 2 * 0.75 * bytes / 360e9;
  double send_s = 6e-6 + bytes / 360e9;
  /* After attention and after a dense layer; to the experts and back; from stage to stage. */
  double expected = (10 + 4) * reduce_s + 6 * 2 * gather_s + send_s;
  assert_true(near(explained(&mixed, two_by_two, &b).exchange, expected));
  tdm_llm_parallelism no_groups = {.tensor = 2, .pipeline = 1, .expert = 1, .data = 1};
  assert_true(near(explained(&mixed, no_groups, &b).exchange, 20 * reduce_s));
  assert_true(explained(&mixed, one_gpu, &b).exchange == 0);
}

static void overheads_are_those_of_steps_layers_sequences_and_tokens(void **state) {
  (void)state;
  tdm_llm_batch b = batch_of_both();
  double expected = 1e-3 + 10 * 2e-5 + 6 * 3e-5 + (2 + 3) * 5e-6 + 43 * 7e-8;
  assert_true(near(explained(&mixed, two_by_two, &b).overhead, expected));
}

static void no_tokens_take_no_time(void **state) {
  (void)state;
  tdm_llm_batch none = {0};
  tdm_llm_breakdown why = explained(&mixed, one_gpu, &none);
  assert_true(why.weights == 0 && why.overhead == 0 && why.exchange == 0);
}

/* ---- what does not fit */

static bool fits(tdm_llm_architecture m, tdm_llm_parallelism cut) {
  tdm_llm_shard s;
  return tdm_llm_shard_of(&m, &cut, &s, NULL) == TDM_OK;
}

/* Each field at the last value that fits, and one beyond. */
static void sizes_fit_up_to_their_limits(void **state) {
  (void)state;
  tdm_llm_architecture full = mixed, m;
  full.window_layers = full.linear_layers = full.top_keys = 0;
#define FITS(field, value, last)                                                                   \
  m = last;                                                                                        \
  m.field = value;                                                                                 \
  assert_true(fits(m, one_gpu))
#define UNFIT(field, value, last)                                                                  \
  m = last;                                                                                        \
  m.field = value;                                                                                 \
  assert_false(fits(m, one_gpu))
  FITS(hidden, 1, mixed);
  UNFIT(hidden, 0, mixed);
  FITS(vocabulary, 1, mixed);
  UNFIT(vocabulary, 0, mixed);
  UNFIT(layers, 0, full);
  FITS(layers, 4, full);
  UNFIT(layers, 3, full);
  FITS(heads, 1, mixed);
  UNFIT(heads, 0, mixed);
  FITS(kv_heads, 1, mixed);
  UNFIT(kv_heads, 0, mixed);
  FITS(head_size, 1, mixed);
  UNFIT(head_size, 0, mixed);
  FITS(value_size, 1, latent());
  UNFIT(value_size, 0, latent());
  FITS(window_layers, 8, mixed);
  UNFIT(window_layers, 9, mixed);
  FITS(window_layers, 0, mixed);
  UNFIT(window_layers, -1, mixed);
  FITS(linear_layers, 7, mixed);
  UNFIT(linear_layers, 8, mixed);
  FITS(linear_layers, 0, mixed);
  UNFIT(linear_layers, -1, mixed);
  FITS(dense_layers, 10, mixed);
  UNFIT(dense_layers, 11, mixed);
  FITS(dense_layers, 0, mixed);
  UNFIT(dense_layers, -1, mixed);
  FITS(window, 1, mixed);
  UNFIT(window, 0, mixed);
  FITS(window, 0, full);
  FITS(intermediate, 1, mixed);
  UNFIT(intermediate, 0, mixed);
  FITS(experts, 2, mixed);
  UNFIT(experts, 1, mixed);
  FITS(experts_active, 1, mixed);
  UNFIT(experts_active, 0, mixed);
  FITS(expert_intermediate, 1, mixed);
  UNFIT(expert_intermediate, 0, mixed);
  m = mixed; /* no attention at all: heads do not matter */
  m.window_layers = 0;
  m.linear_layers = 10;
  m.heads = 0;
  assert_true(fits(m, one_gpu));
  m = mixed; /* no dense layers: their width does not, no expert layers: nor do experts */
  m.dense_layers = m.intermediate = 0;
  assert_true(fits(m, one_gpu));
  m = mixed;
  m.dense_layers = 10;
  m.experts = m.experts_active = m.expert_intermediate = 0;
  assert_true(fits(m, one_gpu));
#undef FITS
#undef UNFIT
}

static void cuts_fit_up_to_their_limits(void **state) {
  (void)state;
  assert_true(fits(mixed, (tdm_llm_parallelism){8, 10, 16, 2}));
  assert_false(fits(mixed, (tdm_llm_parallelism){8, 11, 16, 2})); /* more stages than layers */
  assert_false(fits(mixed, (tdm_llm_parallelism){16, 1, 1, 1}));  /* more GPUs than heads */
  assert_false(fits(mixed, (tdm_llm_parallelism){8, 1, 32, 4}));  /* more groups than experts */
  assert_false(fits(mixed, (tdm_llm_parallelism){8, 1, 3, 1}));   /* which do not divide the GPUs */
  const tdm_llm_parallelism none[] = {{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}};
  for (size_t i = 0; i < 4; i++) assert_false(fits(mixed, none[i]));
  assert_true(fits(mixed, (tdm_llm_parallelism){1, 1, 1, 1 << 20}));
  assert_false(fits(mixed, (tdm_llm_parallelism){1, 1, 1, (1 << 20) + 1}));
  tdm_llm_architecture dense = mixed;
  dense.dense_layers = 10;
  assert_true(fits(dense, (tdm_llm_parallelism){2, 1, 1, 1}));
  assert_false(fits(dense, (tdm_llm_parallelism){2, 1, 2, 1}));
}

static bool takes(tdm_llm_rates r) {
  tdm_llm_step *model;
  bool taken = tdm_llm_roofline_new(&mixed, &one_gpu, &r, &model, NULL) == TDM_OK;
  assert_true(taken == (model != NULL));
  tdm_llm_step_free(model);
  return taken;
}

#define RATE(field) offsetof(tdm_llm_rates, field)
static void rates_are_taken_up_to_their_limits(void **state) {
  (void)state;
  const size_t speeds[] = {RATE(bandwidth),
                           RATE(attention_flops),
                           RATE(ffn_flops),
                           RATE(expert_flops),
                           RATE(head_flops),
                           RATE(pair_flops),
                           RATE(links.inside.bandwidth),
                           RATE(links.network.bandwidth)};
  const size_t shares[] = {RATE(matrix_efficiency),    RATE(expert_efficiency),
                           RATE(attention_efficiency), RATE(weight_bandwidth),
                           RATE(expert_bandwidth),     RATE(kv_bandwidth)};
  const size_t times[] = {RATE(step_s),
                          RATE(layer_s),
                          RATE(expert_layer_s),
                          RATE(sequence_s),
                          RATE(token_s),
                          RATE(attention_half),
                          RATE(ffn_half),
                          RATE(head_half),
                          RATE(expert_half),
                          RATE(expert_width),
                          RATE(expert_excess),
                          RATE(links.inside.latency_s),
                          RATE(links.inside.hop_s),
                          RATE(links.network.latency_s),
                          RATE(links.network.hop_s)};
  const struct {
    const size_t *fields;
    size_t count;
    double good[2], bad[4];
  } kinds[] = {{speeds, 8, {1e-9, 1e30}, {0, -1, INFINITY, NAN}},
               {shares, 6, {1e-9, 1}, {0, -0.5, 1.0001, NAN}},
               {times, 9, {0, 1e6}, {-1e-9, -1, INFINITY, NAN}}};
  for (size_t k = 0; k < 3; k++)
    for (size_t f = 0; f < kinds[k].count; f++) {
      tdm_llm_rates r = rates;
      double *at = (double *)(void *)((char *)&r + kinds[k].fields[f]);
      for (size_t i = 0; i < 2; i++) {
        *at = kinds[k].good[i];
        assert_true(takes(r));
      }
      for (size_t i = 0; i < 4; i++) {
        *at = kinds[k].bad[i];
        assert_false(takes(r));
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layers_of_every_kind_have_their_parameters),
      cmocka_unit_test(a_gpu_holds_its_stage_and_the_end_beside_it),
      cmocka_unit_test(a_latent_cache_is_whole_on_every_gpu),
      cmocka_unit_test(weights_are_read_once_and_multiplied_by_each_token),
      cmocka_unit_test(experts_are_read_as_often_as_they_are_met),
      cmocka_unit_test(prompts_attend_to_what_their_layers_see),
      cmocka_unit_test(decoding_reads_the_keys_that_its_layers_see),
      cmocka_unit_test(activations_go_through_memory),
      cmocka_unit_test(sums_and_tokens_go_between_gpus),
      cmocka_unit_test(overheads_are_those_of_steps_layers_sequences_and_tokens),
      cmocka_unit_test(no_tokens_take_no_time),
      cmocka_unit_test(sizes_fit_up_to_their_limits),
      cmocka_unit_test(cuts_fit_up_to_their_limits),
      cmocka_unit_test(rates_are_taken_up_to_their_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
