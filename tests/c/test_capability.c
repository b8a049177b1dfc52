/* engine/measure/capability: what an LLM server can take at most, against the time of a full step
 * by hand. Steps cost a + b a prompt token + c a sequence that decodes + d a token of their
 * contexts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "serving_fixture.h"

#include "engine/measure/inside.h"

static const double a = 4e-3, b = 20e-6, c = 100e-6, d = 10e-9;
/* 300 tokens of a prompt, 50 of them cached, then 80 decode steps over 340 tokens. */
static const tdm_request_size size = {
    .prompt_tokens = 300, .cached_tokens = 50, .decode_steps = 80, .context = 340};
enum { UNCACHED = 250 };

static tdm_replica_pool pool_of(tdm_pool_role role, int64_t max_seqs, int64_t budget) {
  tdm_replica_pool pool = {.role = role, .count = 1};
  tdm_serving_config_default(&pool.config);
  pool.config.max_seqs = max_seqs;
  pool.config.max_batched_tokens = budget;
  pool.config.block_tokens = 16;
  pool.config.blocks = 100000;
  pool.config.chunked_prefill = true;
  pool.step = serving_affine((tdm_llm_affine_piece){
      .step = a, .prefill_tokens = b, .decode_seqs = c, .decode_context = d});
  return pool;
}

static double capability(tdm_replica_pool *pools, size_t count, bool *by_steps) {
  tdm_llm_server server = {.pools = pools, .pool_count = count};
  double per_s = tdm_capability_per_s(&server, &size, by_steps);
  for (size_t i = 0; i < count; i++) tdm_llm_step_free(pools[i].step);
  return per_s;
}

static void expect(double got, double wanted) {
  if (!(fabs(got / wanted - 1) < 1e-9)) fail_msg("%.12g instead of %.12g", got, wanted);
}

static double decoding_s(double seqs) {
  return a + (c + 340 * d) * seqs;
}
/* Of a step in which so many decode, and as many prompts as these leave are computed. */
static double mixed_s(double seqs) {
  return decoding_s(seqs) + b * UNCACHED * seqs / 80;
}

static void steps_mix_prompts_with_those_that_decode(void **state) {
  (void)state;
  bool by_steps;
  tdm_replica_pool pool = pool_of(TDM_POOL_WHOLE, 64, 8192);
  expect(capability(&pool, 1, &by_steps), 64 / (80 * mixed_s(64)));
  /* 512 at a time would do 1.26 times as much. */
  assert_true(512 / mixed_s(512) > 1.1 * 64 / mixed_s(64));
  assert_false(by_steps);
  pool = pool_of(TDM_POOL_WHOLE, 512, 8192);
  pool.count = 3;
  expect(capability(&pool, 1, &by_steps), 3 * 512 / (80 * mixed_s(512)));
  assert_true(4096 / mixed_s(4096) < 1.1 * 512 / mixed_s(512));
  assert_true(by_steps);
  /* Prompts whole, and one at a time or more. */
  pool = pool_of(TDM_POOL_WHOLE, 64, 8192);
  pool.config.chunked_prefill = false;
  expect(capability(&pool, 1, &by_steps), 64 / (80 * mixed_s(64)));
}

static void tokens_and_blocks_limit_how_many_decode(void **state) {
  (void)state;
  bool by_steps;
  /* Each that decodes brings 250 ÷ 80 tokens of prompts: 200 tokens are those of 48. */
  tdm_replica_pool pool = pool_of(TDM_POOL_WHOLE, 256, 200);
  expect(capability(&pool, 1, &by_steps), 48 / (80 * mixed_s(48)));
  /* 290 tokens of each are its own: 100 blocks of 16 hold five. */
  pool = pool_of(TDM_POOL_WHOLE, 256, 8192);
  pool.config.blocks = 100;
  expect(capability(&pool, 1, &by_steps), 5 / (80 * mixed_s(5)));
  /* Without room for one there is one all the same. */
  pool = pool_of(TDM_POOL_WHOLE, 256, 8192);
  pool.config.blocks = 10;
  expect(capability(&pool, 1, &by_steps), 1 / (80 * mixed_s(1)));
}

/* Steps of prompts alone: 1000 tokens are four of them. */
static void prompts_first_have_steps_of_their_own(void **state) {
  (void)state;
  bool by_steps;
  tdm_replica_pool pool = pool_of(TDM_POOL_WHOLE, 64, 1000);
  pool.config.steps = TDM_STEPS_PREFILL_FIRST;
  double prompt_s = a / 4 + b * UNCACHED;
  expect(capability(&pool, 1, &by_steps), 64 / (80 * (decoding_s(64) + 64. / 80 * prompt_s)));
  /* In parts of 100 tokens, each in a step. */
  pool = pool_of(TDM_POOL_WHOLE, 64, 100);
  pool.config.steps = TDM_STEPS_PREFILL_FIRST;
  prompt_s = 2.5 * (a + b * 100);
  expect(capability(&pool, 1, &by_steps), 64 / (80 * (decoding_s(64) + 64. / 80 * prompt_s)));
}

static void pools_apart_do_what_the_slower_one_does(void **state) {
  (void)state;
  bool by_steps;
  double prompts = 1 / (a / 4 + b * UNCACHED), decodes = 64 / (80 * decoding_s(64));
  tdm_replica_pool pools[] = {pool_of(TDM_POOL_PREFILL, 64, 1000),
                              pool_of(TDM_POOL_DECODE, 64, 64)};
  assert_true(decodes < prompts);
  expect(capability(pools, 2, &by_steps), decodes);
  assert_false(by_steps);
  pools[0] = pool_of(TDM_POOL_PREFILL, 64, 1000);
  pools[1] = pool_of(TDM_POOL_DECODE, 64, 64);
  pools[1].count = 4;
  assert_true(4 * decodes > prompts);
  expect(capability(pools, 2, &by_steps), prompts);
  assert_false(by_steps); /* 32 prompts a step would be 1.16 times as fast */
}

/* Batches that finish together, and drafts: nobody can tell. */
static void some_servers_cannot_be_told(void **state) {
  (void)state;
  bool by_steps;
  tdm_replica_pool pool = pool_of(TDM_POOL_WHOLE, 64, 8192);
  pool.config.batching = TDM_SERVING_BATCH;
  assert_true(isnan(capability(&pool, 1, &by_steps)));
  pool = pool_of(TDM_POOL_WHOLE, 64, 8192);
  pool.config.draft_tokens = 1;
  assert_true(isnan(capability(&pool, 1, &by_steps)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_mix_prompts_with_those_that_decode),
      cmocka_unit_test(tokens_and_blocks_limit_how_many_decode),
      cmocka_unit_test(prompts_first_have_steps_of_their_own),
      cmocka_unit_test(pools_apart_do_what_the_slower_one_does),
      cmocka_unit_test(some_servers_cannot_be_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
