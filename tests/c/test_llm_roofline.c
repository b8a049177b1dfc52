/* Architectures against published sizes, rooflines against arithmetic done by hand. */
#include "model/llm/roofline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/rng.h"

static const tdm_llm_architecture llama_8b = {.layers = 32,
                                              .hidden = 4096,
                                              .vocabulary = 128256,
                                              .heads = 32,
                                              .kv_heads = 8,
                                              .head_size = 128,
                                              .dense_layers = 32,
                                              .intermediate = 14336,
                                              .attention_bytes = 2,
                                              .ffn_bytes = 2,
                                              .expert_bytes = 2,
                                              .embedding_bytes = 2,
                                              .kv_bytes = 2,
                                              .state_bytes = 4,
                                              .activation_bytes = 2};

static tdm_llm_architecture deepseek_v3(void) {
  tdm_llm_architecture m = llama_8b;
  m.layers = 61;
  m.hidden = 7168;
  m.vocabulary = 129280;
  m.heads = 128;
  m.kv_heads = m.head_size = 0;
  m.q_rank = 1536;
  m.kv_rank = 512;
  m.nope_size = 128;
  m.rope_size = 64;
  m.value_size = 128;
  m.dense_layers = 3;
  m.intermediate = 18432;
  m.experts = 256;
  m.experts_active = 8;
  m.expert_intermediate = m.shared_intermediate = 2048;
  return m;
}

static tdm_llm_shard shard(const tdm_llm_architecture *m, tdm_llm_parallelism cut) {
  tdm_llm_shard s;
  tdm_error error;
  if (tdm_llm_shard_of(m, &cut, &s, &error) != TDM_OK) fail_msg("%s", error.message);
  return s;
}

static void sizes_are_those_that_were_published(void **state) {
  (void)state;
  tdm_llm_parallelism one = {1, 1, 1, 1};
  tdm_llm_shard s = shard(&llama_8b, one);
  assert_true(fabs(tdm_llm_params(&s) / 8.03e9 - 1) < 0.001);
  assert_true(s.kv_bytes_token == 131072);
  tdm_llm_architecture m = deepseek_v3();
  s = shard(&m, one);
  assert_true(fabs(tdm_llm_params(&s) / 671e9 - 1) < 0.005);
  assert_true(fabs(tdm_llm_active_params(&s, 8) / 37e9 - 1) < 0.02);
  assert_true(s.kv_bytes_token == 61 * 576 * 2); /* 70,272 bytes a token */
}

static void gpus_share_weights_and_cache(void **state) {
  (void)state;
  tdm_llm_shard whole = shard(&llama_8b, (tdm_llm_parallelism){1, 1, 1, 1});
  tdm_llm_shard four = shard(&llama_8b, (tdm_llm_parallelism){4, 1, 1, 1});
  assert_true(fabs(four.weights_bytes * 4 / whole.weights_bytes - 1) < 1e-12);
  assert_true(four.kv_bytes_token * 4 == whole.kv_bytes_token);
  /* 16 GPUs, 8 heads of keys: two hold the same head. */
  tdm_llm_shard sixteen = shard(&llama_8b, (tdm_llm_parallelism){16, 1, 1, 1});
  assert_true(sixteen.kv_bytes_token * 8 == whole.kv_bytes_token);
  tdm_llm_shard staged = shard(&llama_8b, (tdm_llm_parallelism){1, 2, 1, 1});
  assert_true(staged.kv_bytes_token * 2 == whole.kv_bytes_token);
  /* Whole experts or slices of all: the same bytes. The latent cache is on every GPU. */
  tdm_llm_architecture m = deepseek_v3();
  tdm_llm_shard slices = shard(&m, (tdm_llm_parallelism){8, 1, 1, 1});
  tdm_llm_shard experts = shard(&m, (tdm_llm_parallelism){8, 1, 8, 1});
  assert_true(fabs(slices.weights_bytes / experts.weights_bytes - 1) < 1e-12);
  assert_true(slices.kv_bytes_token == 61 * 576 * 2);
}

static void what_cannot_be_cut_is_refused(void **state) {
  (void)state;
  tdm_llm_shard s;
  tdm_llm_parallelism three = {3, 1, 1, 1}, expert = {4, 1, 3, 1}, none = {0, 1, 1, 1};
  assert_int_equal(tdm_llm_shard_of(&llama_8b, &three, &s, NULL), TDM_INVALID);
  tdm_llm_architecture m = deepseek_v3();
  assert_int_equal(tdm_llm_shard_of(&m, &expert, &s, NULL), TDM_INVALID);
  assert_int_equal(tdm_llm_shard_of(&m, &none, &s, NULL), TDM_INVALID);
  m.experts = 0;
  assert_int_equal(tdm_llm_shard_of(&m, &(tdm_llm_parallelism){1, 1, 1, 1}, &s, NULL), TDM_INVALID);
}

static const tdm_llm_rates h100 = {.bandwidth = 3.35e12,
                                   .attention_flops = 989.4e12,
                                   .ffn_flops = 989.4e12,
                                   .expert_flops = 989.4e12,
                                   .head_flops = 989.4e12,
                                   .pair_flops = 989.4e12,
                                   .links.inside = {6e-6, 3e-6, 360e9, NULL},
                                   .links.network = {17e-6, 3e-6, 50e9, NULL},
                                   .matrix_efficiency = 0.7,
                                   .expert_efficiency = 0.5,
                                   .attention_efficiency = 0.5,
                                   .weight_bandwidth = 0.85,
                                   .expert_bandwidth = 0.85,
                                   .kv_bandwidth = 0.8,
                                   .step_s = 5e-4,
                                   .layer_s = 28e-6,
                                   .expert_layer_s = 3e-5,
                                   .sequence_s = 4e-6};

static tdm_llm_step *roofline_in(const tdm_llm_architecture *m, tdm_llm_parallelism cut,
                                 int64_t machine) {
  tdm_llm_step *model = NULL;
  tdm_error error;
  tdm_llm_rates rates = h100;
  rates.links.machine = machine;
  if (tdm_llm_roofline_new(m, &cut, &rates, &model, &error) != TDM_OK)
    fail_msg("%s", error.message);
  return model;
}
static tdm_llm_step *roofline(const tdm_llm_architecture *m, tdm_llm_parallelism cut) {
  return roofline_in(m, cut, 0);
}

static void one_token_takes_as_long_as_reading_the_weights(void **state) {
  (void)state;
  tdm_llm_step *model = roofline(&llama_8b, (tdm_llm_parallelism){1, 1, 1, 1});
  tdm_llm_batch b = {0};
  tdm_llm_batch_add_decode(&b, 1);
  tdm_llm_breakdown why = tdm_llm_roofline_explain(model, &b);
  /* All matrices but the embedding, 7.50 G of them, are read once. */
  assert_true(fabs(why.weights / (7.5047e9 * 2 / (3.35e12 * 0.85)) - 1) < 0.001);
  assert_true(fabs(why.overhead - (5e-4 + 32 * 28e-6 + 4e-6)) < 1e-12);
  assert_true(why.experts == 0 && why.exchange == 0 && why.prefill_attention == 0);
  double sum = why.weights + why.experts + why.prefill_attention + why.decode_attention +
               why.elementwise + why.exchange + why.overhead;
  assert_true(fabs(sum - tdm_llm_step_s(model, &b)) < 1e-12);
  tdm_llm_step_free(model);
}

static void a_long_prompt_takes_as_long_as_its_flops(void **state) {
  (void)state;
  tdm_llm_step *model = roofline(&llama_8b, (tdm_llm_parallelism){1, 1, 1, 1});
  tdm_llm_batch b = {0};
  tdm_llm_batch_add_prefill(&b, 8192, 0, 1);
  tdm_llm_breakdown why = tdm_llm_roofline_explain(model, &b);
  double layers = 6.98e9; /* without the head, which one token leaves through */
  assert_true(fabs(why.weights / (2 * layers * 8192 / (989.4e12 * 0.7)) - 1) < 0.01);
  double pairs = 8192.0 * 8193 / 2 * 4 * 4096 * 32;
  assert_true(fabs(why.prefill_attention / (pairs / (989.4e12 * 0.5)) - 1) < 0.001);
  tdm_llm_step_free(model);
}

/* Norms, rotations and residuals of each layer, gates of the dense ones and of the experts that are
 * met, each number of activation bytes, once through the memory. */
static void activations_are_read_and_written_layer_by_layer(void **state) {
  (void)state;
  static const tdm_llm_parallelism alone = {1, 1, 1, 1}, halves = {2, 1, 1, 1};
  const double bandwidth = 3.35e12 * 0.85;
  tdm_llm_batch b = {0};
  tdm_llm_batch_add_prefill(&b, 100, 0, 1);
  tdm_llm_step *model = roofline(&llama_8b, alone);
  double numbers = 32 * (10 * 4096 + 3 * 14336);
  double got = tdm_llm_roofline_explain(model, &b).elementwise;
  assert_true(fabs(got / (100 * numbers * 2 / bandwidth) - 1) < 1e-12);
  tdm_llm_step_free(model);
  model = roofline(&llama_8b, halves); /* a GPU has half of what lies between */
  numbers = 32 * (10 * 4096 + 3 * 14336 / 2);
  got = tdm_llm_roofline_explain(model, &b).elementwise;
  assert_true(fabs(got / (100 * numbers * 2 / bandwidth) - 1) < 1e-12);
  tdm_llm_step_free(model);
  tdm_llm_architecture mixed = deepseek_v3(); /* three dense layers, 58 of eight experts and one */
  model = roofline(&mixed, alone);
  numbers = 61 * 10 * 7168 + 3 * 3 * 18432 + 58 * (3 * 2048 + 8 * (2 * 7168 + 3 * 2048));
  got = tdm_llm_roofline_explain(model, &b).elementwise;
  assert_true(fabs(got / (100 * numbers * 2 / bandwidth) - 1) < 1e-12);
  tdm_llm_step_free(model);
}

/* By drawing: independent choices of `active` different experts each. */
static void distinct_experts_are_those_that_random_choices_meet(void **state) {
  (void)state;
  tdm_rng rng = {11};
  double sum = 0;
  const int trials = 2000, tokens = 12;
  for (int t = 0; t < trials; t++) {
    int met[64] = {0}, distinct = 0;
    for (int i = 0; i < tokens; i++) {
      int mine[64] = {0};
      for (int chosen = 0; chosen < 4;) {
        size_t e = tdm_index_below(tdm_rng_bits(&rng), 64);
        if (mine[e]) continue;
        mine[e] = 1;
        chosen++;
        distinct += !met[e];
        met[e] = 1;
      }
    }
    sum += distinct;
  }
  assert_true(fabs(tdm_llm_distinct_experts(64, 4, tokens) - sum / trials) < 0.3);
  assert_true(tdm_llm_distinct_experts(64, 4, 0) == 0);
  assert_true(fabs(tdm_llm_distinct_experts(64, 4, 1) - 4) < 1e-9);
  assert_true(fabs(tdm_llm_distinct_experts(64, 4, 1 << 20) - 64) < 1e-9);
}

static tdm_llm_architecture random_architecture(tdm_rng *rng, int trial) {
  tdm_llm_architecture m = trial % 2 == 0 ? llama_8b : deepseek_v3();
  if (trial % 4 == 0) {
    m.window = 1 + (int64_t)tdm_index_below(tdm_rng_bits(rng), 600);
    m.window_layers = 20;
  }
  if (trial % 4 == 1) {
    m.top_keys = 1 + (int64_t)tdm_index_below(tdm_rng_bits(rng), 600);
    m.index_heads = 32;
    m.index_size = 128;
  }
  if (trial % 3 == 0) {
    m.linear_layers = 10;
    m.linear_key_heads = m.linear_value_heads = 16;
    m.linear_key_size = m.linear_value_size = 128;
  }
  return m;
}

static void a_run_is_the_sum_of_its_steps_and_never_shrinks(void **state) {
  (void)state;
  tdm_rng rng = {5};
  for (int trial = 0; trial < 60; trial++) {
    tdm_llm_architecture m = random_architecture(&rng, trial);
    tdm_llm_step *model = roofline(&m, (tdm_llm_parallelism){8, 1, 1, 1});
    int64_t seqs = 1 + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 100);
    int64_t context = (int64_t)tdm_index_below(tdm_rng_bits(&rng), 600);
    tdm_llm_batch b = {.decode_seqs = seqs,
                       .decode_context = (double)(seqs * context + seqs / 2 + 1),
                       .decode_context_max = context + 9,
                       .sampled = seqs};
    double before = 0, sum = 0;
    tdm_llm_batch now = b;
    for (int64_t k = 1; k < 700; k++) {
      sum += tdm_llm_step_s(model, &now);
      now.decode_context += (double)seqs;
      now.decode_context_max++;
      double run = tdm_llm_decode_run_s(model, &b, k);
      assert_true(run >= before && fabs(run - sum) <= 1e-11 * sum);
      before = run;
    }
    tdm_llm_step_free(model);
  }
}

static void more_work_never_takes_less_time(void **state) {
  (void)state;
  tdm_rng rng = {9};
  for (int trial = 0; trial < 400; trial++) {
    tdm_llm_architecture m = random_architecture(&rng, trial);
    tdm_llm_parallelism cut = {1 << (trial % 4), 1, 1 << (trial % 2), 1 << (trial % 3)};
    if (cut.tensor * cut.data % cut.expert != 0) cut.expert = 1;
    tdm_llm_step *model = roofline(&m, cut);
    tdm_llm_batch b = {0};
    double before = 0;
    for (int i = 0; i < 30; i++) {
      int64_t n = 1 + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 2000);
      if (tdm_rng_bits(&rng) % 2 == 0)
        tdm_llm_batch_add_prefill(&b, n, n / 2, i % 2);
      else
        /* Equal contexts: the mean, which windows look at, stays. */
        tdm_llm_batch_add_decode(&b, 1000);
      double now = tdm_llm_step_s(model, &b);
      assert_true(now > before && isfinite(now));
      before = now;
    }
    tdm_llm_step_free(model);
  }
}

static void exchanges_cost_what_the_links_say(void **state) {
  (void)state;
  tdm_llm_link link = {.latency_s = 6e-6, .hop_s = 3e-6, .bandwidth = 360e9};
  assert_true(tdm_llm_all_reduce_s(&link, 1, 1e9) == 0);
  assert_true(fabs(tdm_llm_all_reduce_s(&link, 8, 0) - 15e-6) < 1e-15);
  assert_true(fabs(tdm_llm_all_reduce_s(&link, 2, 360e6) - (9e-6 + 1e-3)) < 1e-12);
  assert_true(fabs(tdm_llm_all_gather_s(&link, 4, 360e6) - (12e-6 + 0.75e-3)) < 1e-12);
  assert_true(fabs(tdm_llm_send_s(&link, 360e6) - (6e-6 + 1e-3)) < 1e-12);
  /* Measured ones stand instead. */
  const double measured[] = {2, 0, 1e-5, 2, 1e6, 2e-5, 8, 0, 3e-5, 8, 1e6, 5e-5};
  assert_int_equal(tdm_llm_grid_new("all_reduce", 2, measured, 4, &link.all_reduce, NULL), TDM_OK);
  assert_true(fabs(tdm_llm_all_reduce_s(&link, 8, 5e5) - 4e-5) < 1e-15);
  assert_true(fabs(tdm_llm_all_reduce_s(&link, 5, 1e6) - 3.5e-5) < 1e-15);
  tdm_llm_grid_free(link.all_reduce);
}

static void machines_are_joined_by_their_network(void **state) {
  (void)state;
  tdm_llm_fabric links = {.inside = {.latency_s = 6e-6, .hop_s = 3e-6, .bandwidth = 400e9},
                          .network = {.latency_s = 17e-6, .hop_s = 3e-6, .bandwidth = 50e9},
                          .machine = 8};
  /* In one machine nothing goes out. */
  assert_true(tdm_llm_fabric_all_reduce_s(&links, 8, 1e6) ==
              tdm_llm_all_reduce_s(&links.inside, 8, 1e6));
  assert_true(tdm_llm_fabric_all_gather_s(&links, 4, 1e6) ==
              tdm_llm_all_gather_s(&links.inside, 4, 1e6));
  /* 32 GPUs in four machines: an eighth of the bytes crosses each port, 2·3/4 of it. */
  double inside = 15e-6 + 2 * 7.0 / 8 * 8e6 / 400e9, network = 23e-6 + 1.5 * 1e6 / 50e9;
  assert_true(fabs(tdm_llm_fabric_all_reduce_s(&links, 32, 8e6) - inside - network) < 1e-12);
  inside = 15e-6 + 7.0 / 8 * 8e6 / 400e9, network = 23e-6 + 0.75 * 1e6 / 50e9;
  assert_true(fabs(tdm_llm_fabric_all_gather_s(&links, 32, 8e6) - inside - network) < 1e-12);
  /* Stages of 4: every second send leaves the machine; of 8: every one; of 2 in one machine: none.
   */
  double near = 6e-6 + 1e6 / 400e9, far = 17e-6 + 1e6 / 50e9;
  assert_true(fabs(tdm_llm_fabric_pipeline_s(&links, 4, 4, 1e6) - 2 * near - far) < 1e-12);
  assert_true(fabs(tdm_llm_fabric_pipeline_s(&links, 3, 8, 1e6) - 2 * far) < 1e-12);
  assert_true(fabs(tdm_llm_fabric_pipeline_s(&links, 4, 2, 1e6) - 3 * near) < 1e-12);
  assert_true(tdm_llm_fabric_pipeline_s(&links, 1, 64, 1e6) == 0);
}

static void a_batch_takes_as_long_through_stages_as_through_one_gpu_and_the_sends(void **state) {
  (void)state;
  tdm_llm_batch b = {0};
  for (int i = 0; i < 20; i++) tdm_llm_batch_add_decode(&b, 700);
  tdm_llm_batch_add_prefill(&b, 300, 0, 1);
  tdm_llm_step *one = roofline(&llama_8b, (tdm_llm_parallelism){2, 1, 1, 1});
  double sends_s = 3 * (6e-6 + 320 * 4096 * 2 / 360e9);
  double far_s = (17e-6 + 320 * 4096 * 2 / 50e9) - (6e-6 + 320 * 4096 * 2 / 360e9);
  for (int machines = 1; machines <= 2; machines++) {
    tdm_llm_step *four = roofline_in(&llama_8b, (tdm_llm_parallelism){2, 4, 1, 1}, 8 / machines);
    double more_s = sends_s + (machines - 1) * far_s;
    assert_true(fabs(tdm_llm_step_s(four, &b) - tdm_llm_step_s(one, &b) - more_s) < 1e-12);
    tdm_llm_step_free(four);
  }
  tdm_llm_step_free(one);
}

static void experts_of_all_groups_are_shared_by_their_gpus(void **state) {
  (void)state;
  tdm_llm_architecture m = deepseek_v3();
  tdm_llm_step *model = roofline_in(&m, (tdm_llm_parallelism){1, 1, 16, 16}, 8);
  tdm_llm_batch b = {0};
  for (int i = 0; i < 64; i++) tdm_llm_batch_add_decode(&b, 1000);
  tdm_llm_breakdown why = tdm_llm_roofline_explain(model, &b);
  /* 1,024 tokens meet all 256 experts; each GPU reads its 16, in 58 layers. */
  double read_s = 58 * 16 * 3 * 7168.0 * 2048 * 2 / (3.35e12 * 0.85);
  double work_s = 58 * 1024.0 * 8 / 16 * 2 * 3 * 7168 * 2048 / (989.4e12 * 0.5);
  assert_true(fabs(why.experts / hypot(read_s, work_s) - 1) < 1e-6);
  /* Tokens of all groups go to the GPUs of their experts and come back: eight choices of 16 miss
   * one GPU with (15/16)^8. */
  double bytes = 1024 * 7168.0 * 2 * (1 - pow(15.0 / 16, 8));
  double far_s = 20e-6 + 0.5 * bytes / 8 / 50e9, near_s = 15e-6 + 7.0 / 8 * bytes / 360e9;
  assert_true(fabs(why.exchange / (58 * 2 * (far_s + near_s)) - 1) < 1e-12);
  tdm_llm_shard s = shard(&m, (tdm_llm_parallelism){1, 1, 16, 16});
  assert_true(s.experts == 16 && s.kv_bytes_token == 61 * 576 * 2);
  tdm_llm_step_free(model);
  /* Experts that all GPUs have a part of want all tokens everywhere. */
  model = roofline_in(&m, (tdm_llm_parallelism){1, 1, 1, 8}, 8);
  why = tdm_llm_roofline_explain(model, &b);
  near_s = 15e-6 + 7.0 / 8 * 512 * 7168.0 * 2 / 360e9;
  assert_true(fabs(why.exchange / (58 * 2 * near_s) - 1) < 1e-12);
  tdm_llm_step_free(model);
}

/* Tiles that are not full: so many tokens more from some hundred on. Narrow slices; experts with
 * unequal work. */
static void few_tokens_and_narrow_slices_reach_less(void **state) {
  (void)state;
  tdm_llm_architecture m = deepseek_v3();
  tdm_llm_parallelism slices = {8, 1, 1, 1}, whole = {8, 1, 8, 1};
  tdm_llm_batch prompt = {0};
  tdm_llm_batch_add_prefill(&prompt, 512, 0, 1);
  tdm_llm_rates rates = h100;
  rates.bandwidth = 1e18; /* so that work alone counts */
  tdm_llm_step *plain, *half;
  assert_int_equal(tdm_llm_roofline_new(&m, &slices, &rates, &plain, NULL), TDM_OK);
  rates.attention_half = rates.ffn_half = rates.head_half = 128;
  rates.expert_half = 32;
  rates.expert_width = 256;
  rates.expert_excess = 0.25;
  assert_int_equal(tdm_llm_roofline_new(&m, &slices, &rates, &half, NULL), TDM_OK);
  tdm_llm_breakdown a = tdm_llm_roofline_explain(plain, &prompt),
                    b = tdm_llm_roofline_explain(half, &prompt);
  /* The head computes one token: 1 + 128/129 of it, too little to see. */
  assert_true(fabs(b.weights / a.weights - (512 + 128.0 * 512 / 640) / 512) < 2e-4);
  /* 4,096 pairs at 256 experts, nearly all met: 16 tokens each; slices of 2,048 / 8. */
  assert_true(fabs(b.experts / a.experts - 2 * (16 + 32 * 0.5) / 16) < 1e-3);
  tdm_llm_step_free(half);
  assert_int_equal(tdm_llm_roofline_new(&m, &whole, &rates, &half, NULL), TDM_OK);
  b = tdm_llm_roofline_explain(half, &prompt);
  assert_true(fabs(b.experts / a.experts - 1.25 * 2 * (1 + 256.0 / 2048)) < 1e-3);
  tdm_llm_step_free(half);
  tdm_llm_step_free(plain);
  rates.expert_width = -1;
  assert_int_equal(tdm_llm_roofline_new(&m, &whole, &rates, &half, NULL), TDM_INVALID);
}

static void rates_that_make_no_sense_are_refused(void **state) {
  (void)state;
  tdm_llm_parallelism one = {1, 1, 1, 1};
  tdm_llm_step *model;
  tdm_llm_rates bad = h100;
  bad.weight_bandwidth = 1.1;
  assert_int_equal(tdm_llm_roofline_new(&llama_8b, &one, &bad, &model, NULL), TDM_INVALID);
  bad = h100;
  bad.bandwidth = 0;
  assert_int_equal(tdm_llm_roofline_new(&llama_8b, &one, &bad, &model, NULL), TDM_INVALID);
  bad = h100;
  bad.layer_s = NAN;
  assert_int_equal(tdm_llm_roofline_new(&llama_8b, &one, &bad, &model, NULL), TDM_INVALID);
  assert_null(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_are_those_that_were_published),
      cmocka_unit_test(gpus_share_weights_and_cache),
      cmocka_unit_test(what_cannot_be_cut_is_refused),
      cmocka_unit_test(one_token_takes_as_long_as_reading_the_weights),
      cmocka_unit_test(a_long_prompt_takes_as_long_as_its_flops),
      cmocka_unit_test(activations_are_read_and_written_layer_by_layer),
      cmocka_unit_test(distinct_experts_are_those_that_random_choices_meet),
      cmocka_unit_test(a_run_is_the_sum_of_its_steps_and_never_shrinks),
      cmocka_unit_test(more_work_never_takes_less_time),
      cmocka_unit_test(exchanges_cost_what_the_links_say),
      cmocka_unit_test(machines_are_joined_by_their_network),
      cmocka_unit_test(a_batch_takes_as_long_through_stages_as_through_one_gpu_and_the_sends),
      cmocka_unit_test(experts_of_all_groups_are_shared_by_their_gpus),
      cmocka_unit_test(few_tokens_and_narrow_slices_reach_less),
      cmocka_unit_test(rates_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
