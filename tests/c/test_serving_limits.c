/* engine/serving where queueing theory has closed forms: one request at a time with constant steps
 * is M/D/1, a server that takes all that wait at once is a batch-service queue. Tolerances are
 * several standard errors of these run lengths. */
#include "serving_fixture.h"

#include "base/rng.h"

typedef struct {
  double wait_s, stay_s; /* sums: until it is scheduled, until it is finished */
  double steps, members;
  uint64_t finished;
} sums;

static void add_wait(void *context, const tdm_serving_outcome *o) {
  sums *t = context;
  t->wait_s += (double)(o->scheduled_ns - o->arrival_ns) * 1e-9;
  t->stay_s += (double)(o->finished_ns - o->arrival_ns) * 1e-9;
  t->finished++;
}

static void add_step(void *context, const tdm_serving_step *step) {
  sums *t = context;
  t->steps += (double)step->steps;
  t->members += (double)(step->steps * (step->batch.prefill_seqs + step->batch.decode_seqs));
}

/* Poisson arrivals of equal requests. */
static sums run_poisson(const tdm_serving_config *config, tdm_llm_affine_piece piece, double rate,
                        tdm_serving_request request, uint64_t count) {
  sums t = {0};
  tdm_serving_events events = {.context = &t, .finished = add_wait, .step = add_step};
  tdm_llm_step *model = serving_affine(piece);
  tdm_serving *serving;
  assert_int_equal(tdm_serving_open(config, model, &events, &serving, NULL), TDM_OK);
  tdm_stream gaps = tdm_stream_named(11, 0, "gaps");
  int64_t now_ns = 0;
  for (uint64_t i = 0; i < count; i++) {
    now_ns += (int64_t)(-log(tdm_stream_unit(gaps, i)) / rate * 1e9);
    serving_advance_until(serving, now_ns - 1);
    assert_int_equal(tdm_serving_submit(serving, now_ns, &request, NULL), TDM_OK);
  }
  serving_advance_until(serving, now_ns);
  tdm_serving_drain(serving, now_ns);
  serving_advance_until(serving, INT64_MAX);
  assert_int_equal(t.finished, count);
  tdm_serving_close(serving);
  tdm_llm_step_free(model);
  return t;
}

static void close_to(double value, double expected, double share) {
  if (fabs(value - expected) > share * expected) fail_msg("%g instead of %g", value, expected);
}

static tdm_serving_config continuous(int64_t max_seqs) {
  tdm_serving_config config;
  tdm_serving_config_default(&config);
  config.max_seqs = max_seqs;
  return config;
}

static void one_at_a_time_with_constant_steps_is_m_d_1(void **state) {
  (void)state;
  tdm_serving_config config = continuous(1);
  /* 1 prompt step and 9 decode steps of 0.1 s each: service 1 s; ρ = 0.8: Wq = ρ/(2(1 − ρ)) = 2 */
  tdm_serving_request request = {.prompt_tokens = 100, .output_tokens = 10};
  sums t = run_poisson(&config, (tdm_llm_affine_piece){.step = 0.1}, 0.8, request, 400000);
  close_to(t.wait_s / (double)t.finished, 2, 0.03);
}

/* Step times 0.3 + 0.05 b; expected times and batch sizes from the embedded chain's stationary
 * distribution (queue length at the ends of batches). */
static const tdm_llm_affine_piece linear = {.step = 0.3, .prefill_seqs = 0.05};
static const tdm_serving_request one_token = {.prompt_tokens = 1, .output_tokens = 1};

static void taking_all_that_wait_is_batch_service(void **state) {
  (void)state;
  tdm_serving_config config = continuous(2000);
  sums t = run_poisson(&config, linear, 12, one_token, 400000);
  close_to(t.members / t.steps, 9.001787, 0.01);
  close_to(t.stay_s / (double)t.finished, 1.226522, 0.01);
  config.max_seqs = 8;
  t = run_poisson(&config, linear, 8, one_token, 400000);
  close_to(t.members / t.steps, 4.039819, 0.01);
  close_to(t.stay_s / (double)t.finished, 0.827074, 0.02);
}

static void a_dynamic_batch_without_wait_is_batch_service(void **state) {
  (void)state;
  tdm_serving_config config = continuous(8);
  config.batching = TDM_SERVING_BATCH;
  config.prefix_caching = false;
  config.batch_wait_ns = 0;
  sums t = run_poisson(&config, linear, 8, one_token, 400000);
  close_to(t.members / t.steps, 4.039819, 0.01);
  close_to(t.stay_s / (double)t.finished, 0.827074, 0.02);
}

static void a_static_batch_waits_for_its_last_member(void **state) {
  (void)state;
  tdm_serving_config config = continuous(4);
  config.batching = TDM_SERVING_BATCH;
  config.prefix_caching = false;
  /* Next to no load: the i-th of 4 waits for 4 − i gaps of 10 s, 15 s on average */
  sums t = run_poisson(&config, (tdm_llm_affine_piece){.step = 1e-6}, 0.1, one_token, 200000);
  close_to(t.wait_s / (double)t.finished, 15, 0.01);
  assert_int_equal((int64_t)t.steps, 50000);
}

static void enough_places_make_every_request_independent(void **state) {
  (void)state;
  tdm_serving_config config = continuous(512);
  config.blocks = 1000000;
  /* Steps of constant length: M/D/∞ in steps; nobody waits longer than the step that runs, half of
   * it on average (the share of time in which one runs is close to 1). */
  tdm_serving_request request = {.prompt_tokens = 10, .output_tokens = 100};
  sums t = run_poisson(&config, (tdm_llm_affine_piece){.step = 0.01}, 50, request, 200000);
  close_to(t.wait_s / (double)t.finished, 0.005, 0.01);
  close_to(t.members / t.steps, 50 * 100 * 0.01, 0.01); /* Little: rate × time in steps */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_at_a_time_with_constant_steps_is_m_d_1),
      cmocka_unit_test(taking_all_that_wait_is_batch_service),
      cmocka_unit_test(a_dynamic_batch_without_wait_is_batch_service),
      cmocka_unit_test(a_static_batch_waits_for_its_last_member),
      cmocka_unit_test(enough_places_make_every_request_independent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
