/* engine/serving: the prefix cache by hand. Blocks of 4 tokens; a prompt token takes 1 ms, a
 * decoding sequence 10 ms a step. "s1@20(8)": request 1 scheduled at 20 ms with 8 tokens found. */
#include "serving_fixture.h"

#include "base/rng.h"
#include "engine/serving/kv.h"

#define MS 1000000

static const tdm_llm_affine_piece plain = {.prefill_tokens = 1e-3, .decode_seqs = 10e-3};

static tdm_serving_config small(int64_t blocks) {
  tdm_serving_config config;
  tdm_serving_config_default(&config);
  config.block_tokens = config.hash_tokens = 4;
  config.blocks = blocks;
  config.max_batched_tokens = 100;
  config.max_seqs = 4;
  return config;
}

/* Names of prefixes: those of one row begin alike. */
static const uint64_t first[] = {101, 102, 103, 104}, second[] = {201, 202, 203, 204},
                      third[] = {301, 302, 303, 304};

static serving_arrival at(int64_t ms, uint64_t id, int64_t prompt, int64_t output,
                          const uint64_t *hashes, size_t count) {
  return (serving_arrival){ms * MS,
                           {.id = id,
                            .prompt_tokens = prompt,
                            .output_tokens = output,
                            .hashes = hashes,
                            .hash_count = count}};
}

static void expect(tdm_serving_config config, const serving_arrival *arrivals, size_t count,
                   const char *expected) {
  tdm_llm_step *model = serving_affine(plain);
  for (int slow = 0; slow < 2; slow++) {
    config.step_by_step = slow;
    serving_log log = serving_replay(&config, model, arrivals, count);
    char *text = serving_text(&log);
    assert_string_equal(text, expected);
    free(text);
    serving_log_free(&log);
  }
  tdm_llm_step_free(model);
}

#define EXPECT(config, arrivals, expected)                                                         \
  expect(config, arrivals, sizeof(arrivals) / sizeof *(arrivals), expected)

static void the_last_token_is_always_computed(void **state) {
  (void)state;
  serving_arrival arrivals[] = {at(0, 0, 8, 1, first, 2), at(20, 1, 8, 1, first, 2),
                                at(40, 2, 9, 1, first, 2), at(60, 3, 11, 1, first, 1)};
  EXPECT(small(50), arrivals,
         "s0@0 10@8 f0@8 s1@20(4) 11@24 f1@24 s2@40(8) 12@41 f2@41 s3@60(4) 13@67 f3@67");
}

static void a_prefix_is_shared_from_the_step_that_computes_it(void **state) {
  (void)state;
  serving_arrival arrivals[] = {at(0, 0, 10, 2, first, 2), at(0, 1, 10, 2, first, 2)};
  /* 10 + 2 tokens; KV blocks: 3 + 1, and none more for the 11th token */
  EXPECT(small(4), arrivals, "s0@0 s1@0(8) 10@12 11@12 f0@32 f1@32");
  /* one block less: the second waits for the first to end */
  EXPECT(small(3), arrivals, "s0@0 10@10 f0@20 s1@20(8) 11@22 f1@32");
}

static void the_ends_of_prefixes_are_forgotten_first(void **state) {
  (void)state;
  serving_arrival arrivals[] = {at(0, 0, 8, 1, first, 2), at(20, 1, 8, 1, second, 2),
                                at(40, 2, 4, 1, third, 1), at(60, 3, 9, 1, first, 2)};
  /* 4 blocks: first's two, second's two; the block of third takes first's second one */
  EXPECT(small(4), arrivals,
         "s0@0 10@8 f0@8 s1@20 11@28 f1@28 s2@40 12@44 f2@44 s3@60(4) 13@65 f3@65");
}

static void what_is_used_again_is_kept_longer(void **state) {
  (void)state;
  serving_arrival arrivals[] = {at(0, 0, 8, 1, first, 2), at(20, 1, 8, 1, second, 2),
                                at(40, 2, 9, 1, first, 2), at(60, 3, 9, 1, second, 2),
                                at(80, 4, 9, 1, first, 2)};
  /* 5 blocks: at 40 the fifth is taken besides; at 60 it is first in line again, before second's
   * blocks, both still there */
  EXPECT(small(5), arrivals,
         "s0@0 10@8 f0@8 s1@20 11@28 f1@28 s2@40(8) 12@41 f2@41 s3@60(8) 13@61 f3@61 s4@80(8) "
         "14@81 f4@81");
  /* 4 blocks: the request at 40 needs a third block and takes second's last one; that at 60 takes
   * the block of the tail of the one before, then first's last */
  EXPECT(small(4), arrivals,
         "s0@0 10@8 f0@8 s1@20 11@28 f1@28 s2@40(8) 12@41 f2@41 s3@60(4) 13@65 f3@65 s4@80(4) "
         "14@85 f4@85");
}

static void a_hash_may_cover_several_blocks(void **state) {
  (void)state;
  tdm_serving_config config = small(5);
  config.hash_tokens = 8;
  /* 12 hashed tokens: a unit of two blocks and one of one */
  serving_arrival arrivals[] = {at(0, 0, 12, 1, first, 2), at(20, 1, 13, 1, first, 2),
                                at(40, 2, 12, 1, second, 2), at(60, 3, 12, 1, first, 2)};
  /* at 40: 3 blocks: the unused one, the tail of request 1, first's third block: 8 are left */
  EXPECT(config, arrivals,
         "s0@0 10@12 f0@12 s1@20(12) 11@21 f1@21 s2@40 12@52 f2@52 s3@60(8) 13@64 f3@64");
  config.blocks = 4;
  /* one more is gone: half of the first unit */
  EXPECT(config, arrivals,
         "s0@0 10@12 f0@12 s1@20(12) 11@21 f1@21 s2@40 12@52 f2@52 s3@60(4) 13@68 f3@68");
}

static void a_request_shares_no_more_of_a_hash_than_its_own_part(void **state) {
  (void)state;
  tdm_serving_config config = small(50);
  config.hash_tokens = 8;
  /* Two units of two blocks each; of the second one the other request has hashed one block. */
  serving_arrival arrivals[] = {at(0, 0, 16, 1, first, 2), at(20, 1, 17, 1, first, 2)};
  arrivals[1].request.hashed_tokens = 12;
  EXPECT(config, arrivals, "s0@0 10@16 f0@16 s1@20(12) 11@25 f1@25");
}

/* As TensorRT-LLM's: a prefix is shared once its step is over. Two lack what the first computes and
 * let the one behind them pass; then they come in their order. */
static void whoever_lacks_a_prefix_of_this_step_waits_for_it(void **state) {
  (void)state;
  tdm_serving_config config = small(50);
  config.steps = TDM_STEPS_DECODE_FIRST;
  config.admission = TDM_ADMIT_PROMPT;
  config.chunking = TDM_CHUNK_BLOCKS;
  config.shares_computed = true;
  serving_arrival arrivals[] = {at(0, 0, 10, 1, first, 2), at(0, 1, 10, 1, first, 2),
                                at(0, 2, 11, 1, first, 2), at(0, 3, 10, 1, second, 2)};
  EXPECT(config, arrivals, "s0@0 s1@0 s2@0 s3@0 10@41 f0@41 11@41 f1@41 12@41 f2@41 13@41 f3@41");
  config.waits_for_prefix = true;
  EXPECT(config, arrivals,
         "s0@0 s3@0 10@20 f0@20 13@20 f3@20 s1@20(8) s2@20(8) 11@25 f1@25 12@25 f2@25");
  /* Whoever needs nothing of this step goes on: another hash comes first, or none. */
  arrivals[1].request.hashes = third;
  arrivals[2].request.hash_count = 0;
  EXPECT(config, arrivals, "s0@0 s1@0 s2@0 s3@0 10@41 f0@41 11@41 f1@41 12@41 f2@41 13@41 f3@41");
}

static void a_full_pool_of_cached_units_serves_their_own_prompt(void **state) {
  (void)state;
  tdm_serving_config config = small(4);
  config.hash_tokens = 16;
  serving_arrival arrivals[] = {at(0, 0, 16, 1, first, 1), at(20, 1, 16, 1, first, 1)};
  EXPECT(config, arrivals, "s0@0 10@16 f0@16 s1@20(12) 11@24 f1@24");
}

static void outputs_serve_the_next_turn(void **state) {
  (void)state;
  serving_arrival arrivals[] = {at(0, 0, 8, 6, first, 3), at(100, 1, 14, 1, first, 3)};
  arrivals[0].request.hashed_tokens = 12; /* of 13 that have KV */
  EXPECT(small(50), arrivals, "s0@0 10@8 f0@58 s1@100(12) 11@102 f1@102");
  arrivals[0].request.output_tokens = 4; /* 11 have: its third block is not full */
  EXPECT(small(50), arrivals, "s0@0 10@8 f0@38 s1@100(8) 11@106 f1@106");
}

static void a_preempted_request_finds_its_own_blocks(void **state) {
  (void)state;
  serving_arrival arrivals[] = {at(0, 0, 7, 4, NULL, 0), at(0, 1, 7, 5, NULL, 0)};
  /* 5 blocks: 2 + 2 for prompts …14, both decode …34 (8 tokens each). Then 0 takes the fifth and 1
   * finds none: it loses 8 tokens. 0 decodes …44, …54 and ends. Nobody took the blocks of 1: of its
   * 9 tokens 8 are found, and it goes on as if nothing had been …64, …74, …84 */
  EXPECT(small(5), arrivals, "s0@0 s1@0 10@14 11@14 p1@34(8) f0@54 s1@54(8) f1@84");
}

static void routers_may_ask_what_is_cached(void **state) {
  (void)state;
  tdm_serving_config config = small(50);
  tdm_llm_step *model = serving_affine(plain);
  tdm_serving *serving;
  assert_int_equal(tdm_serving_open(&config, model, NULL, &serving, NULL), TDM_OK);
  serving_arrival a = at(0, 0, 10, 1, first, 2), b = at(0, 1, 8, 1, first, 4),
                  c = at(0, 2, 40, 1, first, 4), d = at(0, 3, 8, 1, second, 2);
  assert_int_equal(tdm_serving_cached_tokens(serving, 0, &a.request), 0);
  assert_int_equal(tdm_serving_submit(serving, 0, &a.request, NULL), TDM_OK);
  serving_advance_until(serving, 100 * MS);
  assert_int_equal(tdm_serving_cached_tokens(serving, 0, &a.request), 8);
  assert_int_equal(tdm_serving_cached_tokens(serving, 0, &b.request), 4);
  assert_int_equal(tdm_serving_cached_tokens(serving, 0, &c.request), 8);
  assert_int_equal(tdm_serving_cached_tokens(serving, 0, &d.request), 0);
  tdm_serving_close(serving);
  tdm_llm_step_free(model);
}

#define MANY 200

/* With room for all, one hash for several blocks finds what a hash for each block finds. */
static void coarse_hashes_find_the_same_while_nothing_is_forgotten(void **state) {
  (void)state;
  static uint64_t fine[MANY][64], coarse[MANY][16];
  tdm_llm_step *model = serving_affine(plain);
  for (uint64_t n = 0; n < 50; n++) {
    tdm_rng rng = {tdm_stream_bits(tdm_stream_named(5, 0, "coarse"), n)};
    serving_arrival arrivals[2][MANY];
    int64_t now_ms = 0;
    for (uint64_t i = 0; i < MANY; i++) {
      size_t units = 1 + tdm_index_below(tdm_rng_bits(&rng), 16);
      size_t common = tdm_index_below(tdm_rng_bits(&rng), units + 1);
      for (size_t u = 0; u < units; u++) {
        coarse[i][u] = tdm_mix((u < common ? n : 1000 + i) << 8 | u) << 2;
        for (size_t b = 0; b < 4; b++) fine[i][4 * u + b] = coarse[i][u] + b;
      }
      now_ms += (int64_t)tdm_index_below(tdm_rng_bits(&rng), 100);
      int64_t prompt = (int64_t)(16 * units + tdm_index_below(tdm_rng_bits(&rng), 16));
      int64_t output = 1 + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 20);
      arrivals[0][i] = at(now_ms, i, prompt, output, fine[i], 4 * units);
      arrivals[1][i] = at(now_ms, i, prompt, output, coarse[i], units);
    }
    serving_log logs[2];
    for (int c = 0; c < 2; c++) {
      tdm_serving_config config = small(100000);
      config.hash_tokens = c == 0 ? 4 : 16;
      logs[c] = serving_replay(&config, model, arrivals[c], MANY);
    }
    assert_int_equal(logs[0].event_count, logs[1].event_count);
    assert_memory_equal(logs[0].events, logs[1].events,
                        logs[0].event_count * sizeof *logs[0].events);
    for (int c = 0; c < 2; c++) serving_log_free(&logs[c]);
  }
  tdm_llm_step_free(model);
}

/* Blocks are neither lost nor made by any sequence of takings and givings. */
static void pools_conserve_blocks(void **state) {
  (void)state;
  tdm_kv_pool pool;
  assert_true(tdm_kv_pool_open(&pool, 1000));
  tdm_rng rng = {tdm_stream_bits(tdm_stream_named(6, 0, "pool"), 0)};
  int64_t used = 0;
  uint32_t kept[8];
  for (int i = 0; i < 8; i++) kept[i] = TDM_KV_NONE;
  for (int i = 0; i < 100000; i++) {
    int64_t count = (int64_t)tdm_index_below(tdm_rng_bits(&rng), 60);
    uint32_t *slot = &kept[tdm_index_below(tdm_rng_bits(&rng), 8)];
    uint64_t deed = tdm_index_below(tdm_rng_bits(&rng), 3);
    if (deed == 0 && count <= pool.free) {
      tdm_kv_pool_take(&pool, count);
      used += count;
    } else if (deed == 1 && count <= used) {
      tdm_kv_pool_give(&pool, count);
      used -= count;
    } else if (deed == 2 && *slot != TDM_KV_NONE) {
      int64_t left = tdm_kv_pool_kept(&pool, *slot);
      assert_in_range(left, 0, 60);
      tdm_kv_pool_claim(&pool, *slot, left / 2);
      used += left / 2;
      *slot = TDM_KV_NONE;
    } else if (deed == 2 && count > 0 && count <= used) {
      *slot = tdm_kv_pool_keep(&pool, count);
      used -= count;
    }
    assert_int_equal(pool.free + used, 1000);
    int64_t queued = 0;
    for (uint32_t run = pool.head; run != TDM_KV_NONE; run = pool.runs[run].next)
      queued += pool.runs[run].blocks;
    assert_int_equal(queued, pool.free);
  }
  assert_in_range(pool.run_count, 1, 2 * 8 + 3); /* anonymous neighbours are one run */
  tdm_kv_pool_close(&pool);
}

/* Three of one hash and one of another, of two blocks each, are taken from the oldest on. */
static void units_of_one_hash_are_counted_until_their_blocks_are_taken(void **state) {
  (void)state;
  tdm_kv_pool pool;
  assert_true(tdm_kv_pool_open(&pool, 8));
  tdm_kv_pool_take(&pool, 8);
  uint32_t units[4];
  static const uint64_t hash[] = {7, 7, 9, 7};
  for (int i = 0; i < 4; i++) {
    units[i] = tdm_kv_pool_add(&pool, hash[i]);
    assert_int_not_equal(units[i], TDM_KV_NONE);
    pool.units[units[i]].blocks = 2;
    assert_int_equal(pool.twins, i < 1 ? 0 : i < 3 ? 1 : 2);
  }
  for (int i = 0; i < 4; i++) tdm_kv_pool_release(&pool, units[i]);
  static const int64_t left[] = {1, 0, 0, 0};
  static const uint32_t next[] = {1, 3, 3, 4};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(tdm_kv_pool_plain(&pool, 2), pool.twins > 0 && hash[i] == 7 ? 0 : 2);
    tdm_kv_pool_take(&pool, 2);
    assert_int_equal(pool.twins, left[i]);
    assert_int_equal(tdm_kv_pool_find(&pool, 7), next[i] < 4 ? units[next[i]] : TDM_KV_NONE);
  }
  assert_int_equal(tdm_kv_pool_find(&pool, 9), TDM_KV_NONE);
  assert_int_equal(pool.units_cached, 0);
  tdm_kv_pool_close(&pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_token_is_always_computed),
      cmocka_unit_test(a_prefix_is_shared_from_the_step_that_computes_it),
      cmocka_unit_test(the_ends_of_prefixes_are_forgotten_first),
      cmocka_unit_test(what_is_used_again_is_kept_longer),
      cmocka_unit_test(a_hash_may_cover_several_blocks),
      cmocka_unit_test(a_request_shares_no_more_of_a_hash_than_its_own_part),
      cmocka_unit_test(whoever_lacks_a_prefix_of_this_step_waits_for_it),
      cmocka_unit_test(a_full_pool_of_cached_units_serves_their_own_prompt),
      cmocka_unit_test(outputs_serve_the_next_turn),
      cmocka_unit_test(a_preempted_request_finds_its_own_blocks),
      cmocka_unit_test(routers_may_ask_what_is_cached),
      cmocka_unit_test(coarse_hashes_find_the_same_while_nothing_is_forgotten),
      cmocka_unit_test(pools_conserve_blocks),
      cmocka_unit_test(units_of_one_hash_are_counted_until_their_blocks_are_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
