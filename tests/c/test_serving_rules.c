/* What engine/serving takes and what it refuses: each rule of a configuration and of a request at
 * the last value that it allows and at the first that it does not. */
#include "serving_fixture.h"

#define MOST ((int64_t)1 << 40)

static tdm_llm_step *model;

static int make_model(void **state) {
  (void)state;
  model = serving_affine((tdm_llm_affine_piece){.step = 0.01});
  return 0;
}

static int free_model(void **state) {
  (void)state;
  tdm_llm_step_free(model);
  return 0;
}

static tdm_serving_config plain(void) {
  tdm_serving_config config;
  tdm_serving_config_default(&config);
  config.blocks = 100;
  return config;
}

/* As SGLang's: prompts alone, or decoding. */
static tdm_serving_config prefill_first(void) {
  tdm_serving_config config = plain();
  config.steps = TDM_STEPS_PREFILL_FIRST;
  config.shares_computed = true;
  return config;
}

/* As TGI's and others': every decoding request, then prompts. */
static tdm_serving_config decode_first(void) {
  tdm_serving_config config = plain();
  config.steps = TDM_STEPS_DECODE_FIRST;
  config.chunking = TDM_CHUNK_EQUAL;
  return config;
}

static tdm_serving_config in_batches(void) {
  tdm_serving_config config = plain();
  config.batching = TDM_SERVING_BATCH;
  config.prefix_caching = false;
  return config;
}

static tdm_status opened(const tdm_serving_config *config, tdm_serving **serving) {
  static const tdm_serving_events none = {0};
  tdm_error error;
  *serving = NULL;
  tdm_status status = tdm_serving_open(config, model, &none, serving, &error);
  assert_true((status == TDM_OK) == (*serving != NULL));
  return status;
}

#define OPENS(expected, base, ...)                                                                 \
  do {                                                                                             \
    tdm_serving_config c = base();                                                                 \
    tdm_serving *serving;                                                                          \
    __VA_ARGS__;                                                                                   \
    assert_int_equal(opened(&c, &serving), expected);                                              \
    tdm_serving_close(serving);                                                                    \
  } while (0)
#define FITS(base, ...)  OPENS(TDM_OK, base, __VA_ARGS__)
#define UNFIT(base, ...) OPENS(TDM_INVALID, base, __VA_ARGS__)

static void numbers_fit_up_to_their_limits(void **state) {
  (void)state;
  FITS(plain, c.block_tokens = 1);
  UNFIT(plain, c.block_tokens = 0);
  FITS(plain, c.block_tokens = c.hash_tokens = 1 << 20);
  UNFIT(plain, c.block_tokens = c.hash_tokens = (1 << 20) + 1);
  FITS(plain, c.blocks = 1);
  UNFIT(plain, c.blocks = 0);
  UNFIT(plain, c.blocks = MOST + 1);
  FITS(plain, c.max_seqs = 1);
  UNFIT(plain, c.max_seqs = 0);
  FITS(plain, c.max_seqs = c.max_batched_tokens = 1);
  FITS(plain, c.max_batched_tokens = MOST);
  UNFIT(plain, c.max_batched_tokens = MOST + 1);
  FITS(plain, c.max_batched_tokens = 256);
  UNFIT(plain, c.max_batched_tokens = 255); /* below max_seqs */
  FITS(in_batches, c.max_batched_tokens = 255);
  UNFIT(in_batches, c.max_batched_tokens = 0);
  FITS(prefill_first, c.max_batched_tokens = 255);
  UNFIT(plain, c.long_prefill_tokens = -1);
  UNFIT(plain, c.max_partial_prefills = -1);
  UNFIT(plain, c.host_blocks = -1);
  UNFIT(plain, c.max_adapters = -1);
  UNFIT(plain, c.draft_tokens = -1);
  FITS(in_batches, c.batch_wait_ns = 0);
  UNFIT(in_batches, c.batch_wait_ns = -1);
  FITS(plain, c.hash_tokens = 32);
  UNFIT(plain, c.hash_tokens = 8);
  UNFIT(plain, c.hash_tokens = 24);
  UNFIT(plain, c.hash_tokens = 0);
  UNFIT(plain, c.hash_tokens = MOST + 16);
  FITS(plain, (c.hash_tokens = 24, c.prefix_caching = false));
}

static void steps_fit_what_else_is_asked(void **state) {
  (void)state;
  FITS(decode_first, c.plans_ahead = true);
  FITS(prefill_first, c.plans_ahead = true);
  UNFIT(decode_first, (c.batching = TDM_SERVING_BATCH, c.prefix_caching = false));
  FITS(plain, c.plans_ahead = true);
  FITS(prefill_first, c.max_batched_tokens = 16);
  UNFIT(prefill_first, c.max_batched_tokens = 15); /* less than a block */
  FITS(prefill_first, (c.max_batched_tokens = 15, c.chunked_prefill = false));
  FITS(plain, (c.max_batched_tokens = 15, c.max_seqs = 15));
  UNFIT(prefill_first, c.shares_computed = false);
  FITS(prefill_first, c.admission = TDM_ADMIT_ESTIMATE);
  UNFIT(plain, c.admission = TDM_ADMIT_ESTIMATE);
  UNFIT(decode_first, c.admission = TDM_ADMIT_ESTIMATE);
  FITS(decode_first, c.chunking = TDM_CHUNK_BLOCKS);
  FITS(decode_first, c.chunking = TDM_CHUNK_FUNCTION);
  UNFIT(decode_first, c.chunking = TDM_CHUNK_GREEDY);
  FITS(plain, c.chunking = TDM_CHUNK_FUNCTION);
  UNFIT(plain, c.chunking = TDM_CHUNK_BLOCKS);
  UNFIT(plain, c.chunking = TDM_CHUNK_EQUAL);
}

static void ratios_and_weights_fit_up_to_their_limits(void **state) {
  (void)state;
  FITS(plain, c.new_token_ratio = 1);
  UNFIT(plain, c.new_token_ratio = 1.0001);
  FITS(plain, c.new_token_ratio = c.new_token_ratio_min = 0);
  FITS(plain, c.new_token_ratio_min = 0.7);
  UNFIT(plain, c.new_token_ratio_min = 0.7001);
  UNFIT(plain, c.new_token_ratio_min = -0.1);
  UNFIT(plain, c.new_token_ratio = NAN);
  FITS(plain, c.new_token_ratio_steps = c.preempted_steps = 0);
  FITS(plain, c.new_tokens_most = 1);
  UNFIT(plain, c.new_token_ratio_steps = -1);
  UNFIT(plain, c.new_tokens_most = 0);
  UNFIT(plain, c.preempted_steps = -1);
  FITS(plain, (c.order = TDM_SERVING_FAIR, c.input_weight = 0));
  UNFIT(plain, (c.order = TDM_SERVING_FAIR, c.input_weight = -1));
  UNFIT(plain, (c.order = TDM_SERVING_FAIR, c.output_weight = 0));
  const double weights[] = {1e-9, 9e8, 0, 1e9, NAN};
  FITS(plain, (c.tenant_weights = weights, c.tenant_count = 2));
  UNFIT(plain, (c.tenant_weights = weights, c.tenant_count = 3));
  UNFIT(plain, (c.tenant_weights = weights + 3, c.tenant_count = 1));
  UNFIT(plain, (c.tenant_weights = weights + 4, c.tenant_count = 1));
}

static void mechanics_fit_together(void **state) {
  (void)state;
  UNFIT(in_batches, c.prefix_caching = true);
  UNFIT(in_batches, c.plans_ahead = true);
  UNFIT(in_batches, c.host_blocks = 1);
  UNFIT(in_batches, c.draft_tokens = 1);
  UNFIT(in_batches, c.max_adapters = 1);
  FITS(plain, (c.host_blocks = 1, c.draft_tokens = 1, c.max_adapters = 1));
  UNFIT(decode_first, c.host_blocks = 1);
  UNFIT(decode_first, c.draft_tokens = 1);
  UNFIT(prefill_first, c.max_adapters = 1);
  UNFIT(plain, c.swap_block_s = -1e-9);
  UNFIT(plain, c.draft_s = INFINITY);
  UNFIT(plain, c.draft_share = NAN);
  UNFIT(plain, c.adapter_load_s = -1);
  UNFIT(plain, c.adapter_step_s = -1);
  FITS(plain, (c.draft_tokens = 8, c.acceptance = 1));
  UNFIT(plain, (c.draft_tokens = MOST, c.acceptance = 1));
  UNFIT(plain, c.acceptance = 1.0001);
  UNFIT(plain, c.acceptance = -0.1);
  UNFIT(plain, (c.draft_tokens = 1, c.plans_ahead = true));
  FITS(plain, c.preempted_last = true);
  UNFIT(plain, (c.max_adapters = 1, c.preempted_last = true));
  FITS(plain, (c.max_adapters = 1, c.order = TDM_SERVING_PRIORITY));
  UNFIT(plain, (c.max_adapters = 1, c.order = TDM_SERVING_FAIR));
  UNFIT(plain, (c.max_adapters = 1, c.order = TDM_SERVING_LONGEST_PREFIX));
  UNFIT(plain, (c.max_adapters = 1, c.order = TDM_SERVING_PREFIX_WEIGHT));
  UNFIT(plain, (c.draft_tokens = 1, c.order = TDM_SERVING_FAIR));
  UNFIT(plain, (c.draft_tokens = 1, c.victim = TDM_PREEMPT_LEAST_OUTPUT));
  FITS(plain, c.victim = TDM_PREEMPT_LEAST_OUTPUT);
}

/* ---- requests ---- */

#define SUBMITS(expected, base, change, ...)                                                       \
  do {                                                                                             \
    tdm_serving_config c = base();                                                                 \
    tdm_serving *serving;                                                                          \
    change;                                                                                        \
    assert_int_equal(opened(&c, &serving), TDM_OK);                                                \
    tdm_serving_request r = {.prompt_tokens = 10, .output_tokens = 5};                             \
    __VA_ARGS__;                                                                                   \
    assert_int_equal(tdm_serving_submit(serving, 0, &r, NULL), expected);                          \
    tdm_serving_close(serving);                                                                    \
  } while (0)
#define TAKEN(base, change, ...)    SUBMITS(TDM_OK, base, change, __VA_ARGS__)
#define REFUSED(base, change, ...)  SUBMITS(TDM_INVALID, base, change, __VA_ARGS__)
#define TOO_MUCH(base, change, ...) SUBMITS(TDM_LIMIT, base, change, __VA_ARGS__)
#define NOTHING                     (void)c

static void requests_fit_up_to_their_limits(void **state) {
  (void)state;
  TAKEN(plain, NOTHING, r.prompt_tokens = r.output_tokens = 1);
  REFUSED(plain, NOTHING, r.prompt_tokens = 0);
  REFUSED(plain, NOTHING, r.output_tokens = 0);
  TOO_MUCH(plain, NOTHING, r.prompt_tokens = MOST + 1);
  TOO_MUCH(plain, NOTHING, r.output_tokens = MOST + 1);
  TAKEN(plain, NOTHING, (r.made_tokens = 4, r.given_tokens = 13));
  REFUSED(plain, NOTHING, r.made_tokens = 5);
  REFUSED(plain, NOTHING, r.made_tokens = -1);
  TAKEN(plain, NOTHING, r.given_tokens = 9);
  REFUSED(plain, NOTHING, r.given_tokens = 10);
  REFUSED(plain, NOTHING, r.given_tokens = -1);
  REFUSED(plain, NOTHING, (r.made_tokens = 4, r.given_tokens = 14));
  TAKEN(plain, NOTHING, r.remote = true);
  REFUSED(decode_first, NOTHING, r.remote = true);
  TAKEN(decode_first, NOTHING, r.keeps = true);
  REFUSED(in_batches, NOTHING, r.remote = true);
  REFUSED(in_batches, NOTHING, r.keeps = true);
  TAKEN(plain, NOTHING, r.hashed_tokens = 15);
  REFUSED(plain, NOTHING, r.hashed_tokens = 16);
  REFUSED(plain, NOTHING, r.hashed_tokens = -1);
  TAKEN(plain, NOTHING, r.tenant = TDM_SERVING_TENANTS - 1);
  REFUSED(plain, NOTHING, r.tenant = TDM_SERVING_TENANTS);
}

/* All blocks hold 1600 tokens. */
static void requests_fit_into_all_blocks(void **state) {
  (void)state;
  TAKEN(plain, NOTHING, r.prompt_tokens = 1596); /* the last token needs no block */
  TOO_MUCH(plain, NOTHING, r.prompt_tokens = 1597);
  TAKEN(plain, c.draft_tokens = 3, r.prompt_tokens = 1593);
  TOO_MUCH(plain, c.draft_tokens = 3, r.prompt_tokens = 1594);
  TAKEN(plain, c.draft_tokens = 3, (r.prompt_tokens = 1600, r.output_tokens = 1));
  TAKEN(plain, c.admission = TDM_ADMIT_MAXIMUM, r.prompt_tokens = 1595);
  TOO_MUCH(plain, c.admission = TDM_ADMIT_MAXIMUM, r.prompt_tokens = 1596);
  TAKEN(plain, c.admission = TDM_ADMIT_MAXIMUM, r.max_output = 1590);
  TOO_MUCH(plain, c.admission = TDM_ADMIT_MAXIMUM, r.max_output = 1591);
  TAKEN(plain, (c.admission = TDM_ADMIT_MAXIMUM, c.draft_tokens = 3), r.prompt_tokens = 1592);
  TOO_MUCH(plain, (c.admission = TDM_ADMIT_MAXIMUM, c.draft_tokens = 3), r.prompt_tokens = 1593);
  TAKEN(prefill_first, c.admission = TDM_ADMIT_ESTIMATE, r.prompt_tokens = 1593);
  TOO_MUCH(prefill_first, c.admission = TDM_ADMIT_ESTIMATE, r.prompt_tokens = 1594);
}

/* Without chunks a prompt must fit into a step; what it generates need not. */
static void requests_fit_into_a_step(void **state) {
  (void)state;
#define WHOLE (c.chunked_prefill = false, c.max_batched_tokens = 300)
  TAKEN(plain, WHOLE, (r.prompt_tokens = 300, r.output_tokens = 900));
  TOO_MUCH(plain, WHOLE, r.prompt_tokens = 301);
  TAKEN(decode_first, WHOLE, (r.prompt_tokens = 300, r.output_tokens = 900));
  TOO_MUCH(decode_first, WHOLE, r.prompt_tokens = 301);
  TAKEN(prefill_first, WHOLE, r.prompt_tokens = 301);
  TAKEN(in_batches, WHOLE, r.prompt_tokens = 301);
  TAKEN(plain, c.max_batched_tokens = 300, r.prompt_tokens = 301);
}

/* What is refused is told with the value and both ends of its range, where it has two. */
static void a_number_out_of_range_is_told_with_the_range(void **state) {
  (void)state;
  static const struct {
    int64_t max_seqs, block_tokens;
    double swap_block_s;
    const char *want;
  } cases[] = {
      {0, 16, 0, "max_seqs is 0; it must be at least 1, at most 1099511627776"},
      {1, 1048577, 0, "block_tokens is 1048577; it must be at least 1, at most 1048576"},
      {1, 16, -0.5, "swap_block_s is -0.5; it must be at least 0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static const tdm_serving_events none = {0};
    tdm_serving_config c = plain();
    tdm_serving *serving = NULL;
    tdm_error error;
    c.max_seqs = cases[i].max_seqs;
    c.block_tokens = c.hash_tokens = cases[i].block_tokens;
    c.swap_block_s = cases[i].swap_block_s;
    assert_int_equal(tdm_serving_open(&c, model, &none, &serving, &error), TDM_INVALID);
    assert_string_equal(error.message, cases[i].want);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_fit_up_to_their_limits),
      cmocka_unit_test(a_number_out_of_range_is_told_with_the_range),
      cmocka_unit_test(steps_fit_what_else_is_asked),
      cmocka_unit_test(ratios_and_weights_fit_up_to_their_limits),
      cmocka_unit_test(mechanics_fit_together),
      cmocka_unit_test(requests_fit_up_to_their_limits),
      cmocka_unit_test(requests_fit_into_all_blocks),
      cmocka_unit_test(requests_fit_into_a_step),
  };
  return cmocka_run_group_tests(tests, make_model, free_model);
}
