/* engine/serving: schedules worked out by hand, step by step. A step takes 1 ms for each prompt
 * token and 10 ms for each decoding sequence unless said otherwise, so times tell who was in it. */
#include "serving_fixture.h"

#define MS 1000000

static const tdm_llm_affine_piece plain = {.prefill_tokens = 1e-3, .decode_seqs = 10e-3};

static tdm_serving_config small(void) {
  tdm_serving_config config;
  tdm_serving_config_default(&config);
  config.block_tokens = config.hash_tokens = 4;
  config.blocks = 100;
  config.max_batched_tokens = 8;
  config.max_seqs = 4;
  config.prefix_caching = false;
  return config;
}

static serving_arrival at(int64_t ms, uint64_t id, int64_t prompt, int64_t output) {
  return (serving_arrival){ms * MS, {.id = id, .prompt_tokens = prompt, .output_tokens = output}};
}

/* Events are the same whether steps are made one by one or many at a time. */
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

static void one_request(void **state) {
  (void)state;
  serving_arrival arrivals[] = {at(5, 0, 6, 3)};
  /* prompt 5…11, two decode steps of 10 */
  EXPECT(small(), arrivals, "s0@5 10@11 f0@31");
}

static void a_second_request_joins_at_the_next_step(void **state) {
  (void)state;
  serving_arrival arrivals[] = {at(0, 0, 4, 4), at(8, 1, 3, 2)};
  /* 0: prompt …4, decode …14; from 14: decode 0 (10) + prompt 1 (3) …27; both decode …47 */
  EXPECT(small(), arrivals, "s0@0 10@4 s1@14 11@27 f0@47 f1@47");
}

static void long_prompts_are_chunked_behind_decodes(void **state) {
  (void)state;
  serving_arrival arrivals[] = {at(0, 0, 2, 5), at(1, 1, 16, 1)};
  /* 0: …2; then steps of one decode + 7 prompt tokens: …19, …36; last: decode + 2 …48; 0 decodes
   * a fourth time …58 */
  EXPECT(small(), arrivals, "s0@0 10@2 s1@2 11@48 f1@48 f0@58");
}

static void without_chunks_a_prompt_waits_for_an_empty_step(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.chunked_prefill = false;
  serving_arrival arrivals[] = {at(0, 0, 2, 3), at(1, 1, 8, 1)};
  /* 8 tokens and a decode are more than a step: 1 waits until 0 is done at 22 */
  EXPECT(config, arrivals, "s0@0 10@2 f0@22 s1@22 11@30 f1@30");
}

static void a_long_prompt_leaves_room_for_others(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.long_prefill_tokens = 3;
  serving_arrival arrivals[] = {at(0, 0, 7, 1), at(0, 1, 4, 2)};
  /* …6: 3 + 3; then 0: 3, 1: its last …10; then 0: its last one, 1 decodes …21 */
  EXPECT(config, arrivals, "s0@0 s1@0 11@10 10@21 f0@21 f1@21");
}

static void partial_prompts_are_limited(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.long_prefill_tokens = 3;
  config.max_partial_prefills = 1;
  serving_arrival arrivals[] = {at(0, 0, 6, 1), at(0, 1, 5, 1), at(0, 2, 1, 1)};
  /* …3: 1 would be a second unfinished prompt, and keeps 2 behind it; …10: the rest of 0, three
   * tokens of 1, and 2 */
  EXPECT(config, arrivals, "s0@0 s1@3 s2@3 10@10 f0@10 12@10 f2@10 11@12 f1@12");
}

static void the_number_of_sequences_is_limited(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.max_seqs = 2;
  serving_arrival arrivals[] = {at(0, 0, 2, 2), at(0, 1, 2, 3), at(0, 2, 1, 1)};
  /* prompts …4, decodes …24: 0 is done; 1 decodes with the prompt of 2 …35 */
  EXPECT(config, arrivals, "s0@0 s1@0 10@4 11@4 f0@24 s2@24 f1@35 12@35 f2@35");
}

static void the_last_admitted_is_preempted_and_computed_anew(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.blocks = 4;
  serving_arrival arrivals[] = {at(0, 0, 4, 7), at(0, 1, 3, 4)};
  /* Blocks: 1 + 1 for the prompts …7. First decode: 0 needs a block for its 5th token (2), 1 fills
   * its first …27. Second: 1 needs one (2 + 2 = 4) …47. 0 has 6, 1 has 5 tokens. Third …67, where 1
   * ends; nothing is preempted. */
  EXPECT(config, arrivals, "s0@0 s1@0 10@7 11@7 f1@67 f0@97");
  config.blocks = 3;
  /* At 27 request 1 needs a second block, 0 has two of three: 1 is preempted with 4 computed
   * tokens (two tokens got). Nobody is admitted in this step …37, nor later: it has 5 tokens to
   * compute, which need 2 blocks, and 0 keeps its own for 5 decodes …67. Then 1 computes its 5
   * tokens …72 and decodes once …82. */
  serving_arrival tight[] = {at(0, 0, 4, 6), at(0, 1, 3, 4)};
  EXPECT(config, tight, "s0@0 s1@0 10@7 11@7 p1@27(4) f0@67 s1@67 f1@82");
}

typedef struct {
  int asked;
  size_t count;
  tdm_serving_view views[4];
  tdm_serving_situation now;
  size_t victim;
} witness;

static tdm_status look_and_choose(void *context, const tdm_serving_view *running, size_t count,
                                  const tdm_serving_situation *now, size_t *victim,
                                  tdm_error *error) {
  witness *w = context;
  (void)error;
  w->asked++;
  w->count = count;
  memcpy(w->views, running, count * sizeof *running);
  w->now = *now;
  *victim = w->victim;
  return TDM_OK;
}

/* Blocks of 4: prompts of 4 and 3 …7, then decodes of 20 ms; four blocks are full when the first
 * has 8 tokens computed, at 87 after four of them, and needs a third block. */
static void functions_see_what_each_request_has_by_then(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.blocks = 4;
  config.victim = TDM_PREEMPT_FUNCTION;
  tdm_llm_step *model = serving_affine(plain);
  for (size_t victim = 0; victim < 2; victim++)
    for (int slow = 0; slow < 2; slow++) {
      witness w = {.victim = victim};
      serving_log log = {0};
      tdm_serving_events events = serving_listen(&log);
      const tdm_serving_functions functions = {.context = &w, .preempt = look_and_choose};
      serving_arrival a = at(0, 5, 4, 7), b = at(0, 6, 3, 7);
      a.request.tenant = 3;
      b.request.priority = 2;
      b.request.max_output = 9;
      tdm_serving *serving;
      config.step_by_step = slow;
      assert_int_equal(tdm_serving_open(&config, model, &events, &serving, NULL), TDM_OK);
      tdm_serving_decide(serving, &functions);
      assert_int_equal(tdm_serving_submit(serving, 0, &a.request, NULL), TDM_OK);
      assert_int_equal(tdm_serving_submit(serving, 0, &b.request, NULL), TDM_OK);
      serving_advance_until(serving, 87 * MS - 1);
      assert_int_equal(w.asked, 0);
      serving_advance_until(serving, 87 * MS);
      assert_int_equal(w.asked, 1);
      assert_int_equal(w.count, 2);
      const tdm_serving_view *v = w.views;
      assert_true(v[0].id == 5 && v[0].prompt_tokens == 4 && v[0].max_output == 7);
      assert_true(v[0].generated_tokens == 5 && v[0].computed_tokens == 8 && v[0].kv_blocks == 2);
      assert_true(v[0].tenant == 3 && v[0].priority == 0 && v[0].preemptions == 0);
      assert_true(v[1].id == 6 && v[1].prompt_tokens == 3 && v[1].max_output == 9);
      assert_true(v[1].generated_tokens == 5 && v[1].computed_tokens == 7 && v[1].kv_blocks == 2);
      assert_true(v[1].priority == 2 && v[1].arrival_ns == 0);
      assert_true(w.now.now_ns == 87 * MS && w.now.running == 2 && w.now.waiting == 0);
      assert_true(w.now.free_blocks == 0 && w.now.blocks == 4 && w.now.block_tokens == 4);
      assert_int_equal(log.events[log.event_count - 1].kind, PREEMPTED);
      assert_int_equal(log.events[log.event_count - 1].id, 5 + victim);
      serving_advance_until(serving, INT64_MAX - 1);
      assert_int_equal(log.outcome_count, 2);
      tdm_serving_close(serving);
      serving_log_free(&log);
    }
  tdm_llm_step_free(model);
}

static void full_inputs_are_reserved(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.blocks = 5;
  serving_arrival arrivals[] = {at(0, 0, 8, 2), at(1, 1, 12, 1)};
  /* 0 has 2 blocks, then 3 for its 9th token: 2 are left for the 12 tokens of 1, which need 3 */
  EXPECT(config, arrivals, "s0@0 10@8 f0@18 s1@18 11@30 f1@30");
  config.reserve_full_input = false;
  /* 7 of its tokens fit beside the decode at 8 …25, then 5 more …30 */
  EXPECT(config, arrivals, "s0@0 10@8 s1@8 f0@25 11@30 f1@30");
}

static void priorities_come_first_and_preempt_the_least(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.order = TDM_SERVING_PRIORITY;
  config.max_seqs = 1;
  serving_arrival arrivals[] = {at(0, 0, 2, 2), at(1, 1, 2, 1), at(2, 2, 2, 1)};
  arrivals[1].request.priority = 5;
  arrivals[2].request.priority = 1;
  EXPECT(config, arrivals, "s0@0 10@2 f0@12 s2@12 12@14 f2@14 s1@14 11@16 f1@16");
  /* The first to be admitted is the least important: it is the one that loses its blocks. */
  config.max_seqs = 4;
  config.blocks = 3;
  serving_arrival two[] = {at(0, 0, 3, 4), at(0, 1, 4, 6)};
  two[0].request.priority = 9;
  /* 1 is first in the queue; 7 tokens …7, both decode …27 (0 has 4 with KV, 1 has 5: 3 blocks);
   * then 0 needs a second block */
  EXPECT(config, two, "s1@0 s0@0 11@7 10@7 p0@27(4) f1@67 s0@67 f0@82");
}

static void a_request_may_bring_its_kv(void **state) {
  (void)state;
  serving_arrival arrivals[] = {at(0, 0, 7, 3)};
  arrivals[0].request.given_tokens = 6;
  EXPECT(small(), arrivals, "s0@0(6) 10@1 f0@21");
}

static void a_step_planned_ahead_knows_arrivals_and_ends_late(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.plans_ahead = true;
  serving_arrival arrivals[] = {at(0, 0, 4, 4), at(5, 1, 3, 2)};
  /* 1 comes during the decode 4…14; that of 14…24 is planned at 4: 1 begins at 24 */
  EXPECT(config, arrivals, "s0@0 10@4 s1@24 f0@37 11@37 f1@47");
  config.max_seqs = 1;
  serving_arrival first_come[] = {at(0, 0, 4, 2), at(0, 1, 3, 1), at(0, 2, 3, 1)};
  /* nothing can be planned for the time right after 14: the end of 0 is awaited */
  EXPECT(config, first_come, "s0@0 10@4 f0@14 s1@14 11@17 f1@17 s2@17 12@20 f2@20");
  config.max_seqs = 2;
  serving_arrival late[] = {at(0, 0, 2, 2), at(0, 1, 2, 4), at(0, 2, 1, 1)};
  /* 0 ends at 24; its place is free for the step after the next */
  EXPECT(config, late, "s0@0 s1@0 10@4 11@4 f0@24 s2@34 f1@45 12@45 f2@45");
  /* Other servers, which overlap likewise: beside decoding, and alone. */
  config = small();
  config.plans_ahead = config.shares_computed = true;
  config.steps = TDM_STEPS_DECODE_FIRST;
  config.chunking = TDM_CHUNK_BLOCKS;
  EXPECT(config, arrivals, "s0@0 10@4 s1@24 f0@37 11@37 f1@47");
  config.steps = TDM_STEPS_PREFILL_FIRST;
  config.chunking = TDM_CHUNK_GREEDY;
  EXPECT(config, arrivals, "s0@0 10@4 s1@24 11@27 f0@47 f1@47");
}

static void static_batches_are_full_or_final(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.batching = TDM_SERVING_BATCH;
  config.max_seqs = 2;
  serving_arrival arrivals[] = {at(0, 0, 2, 2), at(3, 1, 2, 3), at(4, 2, 2, 1)};
  /* prompts 3…7, decodes …27 and …37; then the last one, nobody else coming */
  EXPECT(config, arrivals, "s0@3 s1@3 10@7 11@7 f0@27 f1@37 s2@37 12@39 f2@39");
  config.batch_returns_together = true;
  EXPECT(config, arrivals, "s0@3 s1@3 10@7 11@7 f0@37 f1@37 s2@37 12@39 f2@39");
}

static void dynamic_batches_start_when_the_oldest_has_waited(void **state) {
  (void)state;
  tdm_serving_config config = small();
  config.batching = TDM_SERVING_BATCH;
  config.max_seqs = 3;
  config.batch_wait_ns = 10 * MS;
  serving_arrival arrivals[] = {at(0, 0, 2, 1),  at(3, 1, 2, 1),  at(11, 2, 1, 1),
                                at(12, 3, 1, 1), at(12, 4, 1, 1), at(50, 5, 1, 1)};
  EXPECT(config, arrivals,
         "s0@10 s1@10 10@14 f0@14 11@14 f1@14 s2@14 s3@14 s4@14 12@17 f2@17 13@17 f3@17 14@17 "
         "f4@17 s5@50 15@51 f5@51");
}

static void what_cannot_run_is_refused(void **state) {
  (void)state;
  tdm_serving_config config = small();
  tdm_llm_step *model = serving_affine(plain);
  tdm_serving *serving;
  config.blocks = 2;
  assert_int_equal(tdm_serving_open(&config, model, NULL, &serving, NULL), TDM_OK);
  tdm_serving_request request = {.prompt_tokens = 8, .output_tokens = 2};
  assert_int_equal(tdm_serving_submit(serving, 0, &request, NULL), TDM_LIMIT);
  request.output_tokens = 1;
  assert_int_equal(tdm_serving_submit(serving, 0, &request, NULL), TDM_OK);
  request.output_tokens = 0;
  assert_int_equal(tdm_serving_submit(serving, 0, &request, NULL), TDM_INVALID);
  assert_int_equal(tdm_serving_next_ns(serving), 0);
  assert_int_equal(tdm_serving_advance(serving, 1, NULL), TDM_INVALID);
  assert_int_equal(tdm_serving_advance(serving, 0, NULL), TDM_OK);
  assert_int_equal(tdm_serving_submit(serving, 9 * MS, &request, NULL), TDM_INVALID);
  tdm_serving_close(serving);
  config.max_batched_tokens = 3;
  assert_int_equal(tdm_serving_open(&config, model, NULL, &serving, NULL), TDM_INVALID);
  config = small();
  config.prefix_caching = true;
  config.hash_tokens = 6;
  assert_int_equal(tdm_serving_open(&config, model, NULL, &serving, NULL), TDM_INVALID);
  tdm_llm_step_free(model);
}

static void steps_tell_their_batch(void **state) {
  (void)state;
  tdm_llm_step *model = serving_affine(plain);
  tdm_serving_config config = small();
  serving_arrival arrivals[] = {at(0, 0, 2, 5), at(1, 1, 16, 1)};
  serving_log log = serving_replay(&config, model, arrivals, 2);
  assert_int_equal(log.step_count, 5);
  const tdm_serving_step *third = &log.steps[2];
  assert_int_equal(third->begin_ns, 19 * MS);
  assert_int_equal(third->batch.prefill_seqs, 1);
  assert_int_equal(third->batch.prefill_tokens, 7);
  assert_true(third->batch.prefill_context == 7);
  assert_true(third->batch.prefill_attention == 7 * (7 + 4.0));
  assert_int_equal(third->batch.decode_seqs, 1);
  assert_true(third->batch.decode_context == 4);
  assert_int_equal(third->batch.decode_context_max, 4);
  assert_int_equal(third->batch.sampled, 1);
  assert_int_equal(third->kv_blocks, 1 + 4);
  assert_int_equal(third->running, 2);
  assert_int_equal(log.steps[3].batch.sampled, 2);
  assert_int_equal(log.gaps, 4);
  assert_int_equal(log.gap_ns, 56 * MS);
  serving_log_free(&log);
  tdm_llm_step_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_request),
      cmocka_unit_test(a_second_request_joins_at_the_next_step),
      cmocka_unit_test(long_prompts_are_chunked_behind_decodes),
      cmocka_unit_test(without_chunks_a_prompt_waits_for_an_empty_step),
      cmocka_unit_test(a_long_prompt_leaves_room_for_others),
      cmocka_unit_test(partial_prompts_are_limited),
      cmocka_unit_test(the_number_of_sequences_is_limited),
      cmocka_unit_test(the_last_admitted_is_preempted_and_computed_anew),
      cmocka_unit_test(functions_see_what_each_request_has_by_then),
      cmocka_unit_test(full_inputs_are_reserved),
      cmocka_unit_test(priorities_come_first_and_preempt_the_least),
      cmocka_unit_test(a_request_may_bring_its_kv),
      cmocka_unit_test(a_step_planned_ahead_knows_arrivals_and_ends_late),
      cmocka_unit_test(static_batches_are_full_or_final),
      cmocka_unit_test(dynamic_batches_start_when_the_oldest_has_waited),
      cmocka_unit_test(what_cannot_run_is_refused),
      cmocka_unit_test(steps_tell_their_batch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
