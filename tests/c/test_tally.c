/* Tallies alone: wider slices hold what the pairs of narrow ones held, latencies are counted where
 * they arrived whether kept one by one or not, batch means are merged in pairs, and the length of a
 * run is what its arrivals say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model_fixture.h"

#include "base/rng.h"

#define NOTES (TDM_SLICES + 1)

static tdm_model *one_class(uint64_t requests, double gap_s) {
  tdm_model *m = model_new(requests, exponential(gap_s));
  model_serve(m, 0, model_station(m, 1, TDM_FIFO), exponential(0.1));
  model_end(m);
  return m;
}

/* A tally of a model that has two of everything, slices of a second. */
static tdm_tally *tally_of_two(tdm_model *m) {
  const tdm_model was = *m;
  tdm_tally *t = NULL;
  m->stage_count = m->station_count = m->memory_count = m->link_count = 2;
  m->pool_count = m->taker_count = 2;
  assert_int_equal(tdm_tally_new(m, TDM_SLICES * INT64_C(1000000000), TDM_TALLY_WHOLE, &t, NULL),
                   TDM_OK);
  *m = was;
  assert_int_equal(t->slice_ns, 1000000000);
  return t;
}

static void scramble(tdm_rng *rng, void *data, size_t bytes) {
  for (size_t i = 0; i + 8 <= bytes; i += 8) {
    int64_t value = (int64_t)(tdm_rng_bits(rng) >> 44);
    memcpy((char *)data + i, &value, 8);
  }
}

static void fill_class(tdm_rng *rng, tdm_class_slice *slice, bool counted) {
  scramble(rng, slice, offsetof(tdm_class_slice, counts));
  if (!counted) return;
  slice->counts = tdm_array_new(TDM_HISTOGRAM_BUCKETS, sizeof *slice->counts);
  for (size_t b = 0; b < TDM_HISTOGRAM_BUCKETS; b += 97) slice->counts[b] = 1 + b % 13;
}

static void expect_class(const tdm_class_slice *a, const tdm_class_slice *b,
                         const tdm_class_slice *both) {
  assert_int_equal(both->arrived, a->arrived + b->arrived);
  assert_int_equal(both->completed, a->completed + b->completed);
  assert_int_equal(both->within_slo, a->within_slo + b->within_slo);
  assert_int_equal(both->dropped, a->dropped + b->dropped);
  assert_int_equal(both->abandoned, a->abandoned + b->abandoned);
  assert_int_equal(both->timed_out, a->timed_out + b->timed_out);
  assert_int_equal(both->retried, a->retried + b->retried);
  assert_int_equal(both->latency_ns, a->latency_ns + b->latency_ns);
  assert_int_equal(both->min_ns, a->min_ns < b->min_ns ? a->min_ns : b->min_ns);
  assert_int_equal(both->max_ns, a->max_ns > b->max_ns ? a->max_ns : b->max_ns);
}

static void wide_slices_hold_what_pairs_held(void **state) {
  (void)state;
  tdm_model *m = one_class(100000, 1);
  tdm_tally *t = tally_of_two(m);
  tdm_rng rng = {5};
  static tdm_class_slice classes[TDM_SLICES];
  static tdm_stage_note stages[2][NOTES];
  static tdm_station_note stations[2][NOTES];
  static tdm_memory_note memories[2][NOTES];
  static tdm_pool_note pools[2][NOTES];
  static tdm_taker_slice takers[2][TDM_SLICES];
  static double links[2][NOTES];
  int64_t inside_ns[NOTES];
  uint64_t finished[NOTES];
  uint64_t counts[4] = {0};
  for (size_t k = 0; k < TDM_SLICES; k++) /* both of a pair, one, the other, none */
    fill_class(&rng, &t->classes[k], k % 8 < 2 || k % 8 == 2 || k % 8 == 5);
  scramble(&rng, t->stages, sizeof stages);
  scramble(&rng, t->stations, sizeof stations);
  scramble(&rng, t->memories, sizeof memories);
  scramble(&rng, t->pools, sizeof pools);
  scramble(&rng, t->takers, sizeof takers);
  scramble(&rng, t->links, sizeof links);
  scramble(&rng, t->in_system_ns, sizeof inside_ns);
  scramble(&rng, t->finished, sizeof finished);
  t->exact[0].count = 5;
  for (uint8_t i = 0; i < 5; i++) t->exact[0].slice[i] = (uint8_t)(3 * i);
  memcpy(classes, t->classes, sizeof classes);
  memcpy(stages, t->stages, sizeof stages);
  memcpy(stations, t->stations, sizeof stations);
  memcpy(memories, t->memories, sizeof memories);
  memcpy(pools, t->pools, sizeof pools);
  memcpy(takers, t->takers, sizeof takers);
  memcpy(links, t->links, sizeof links);
  memcpy(inside_ns, t->in_system_ns, sizeof inside_ns);
  memcpy(finished, t->finished, sizeof finished);
  tdm_tally_widen(t);
  assert_int_equal(t->slice_ns, 2000000000);
  for (int k = 0; k < NOTES; k++) assert_int_equal(t->bounds_ns[k], k * t->slice_ns);
  for (size_t k = 0; k < TDM_SLICES / 2; k++) {
    const size_t one = 2 * k, two = 2 * k + 1;
    expect_class(&classes[one], &classes[two], &t->classes[k]);
    bool counted[] = {one % 8 != 4 && one % 8 != 6, two % 8 == 1 || two % 8 == 5};
    assert_true((t->classes[k].counts != NULL) == (counted[0] || counted[1]));
    for (size_t b = 0; t->classes[k].counts != NULL && b < TDM_HISTOGRAM_BUCKETS; b++)
      assert_int_equal(t->classes[k].counts[b],
                       b % 97 == 0 ? (counted[0] + counted[1]) * (1 + b % 13) : 0);
    counts[counted[0] + 2 * counted[1]]++;
    for (size_t i = 0; i < 2; i++) {
      tdm_stage_note stage = stages[i][two];
      if (stages[i][one].max_wait_ns > stage.max_wait_ns)
        stage.max_wait_ns = stages[i][one].max_wait_ns;
      assert_memory_equal(&t->stages[i * NOTES + k], &stage, sizeof stage);
      assert_memory_equal(&t->stations[i * NOTES + k], &stations[i][two], sizeof stations[0][0]);
      assert_memory_equal(&t->memories[i * NOTES + k], &memories[i][two], sizeof memories[0][0]);
      assert_memory_equal(&t->links[i * NOTES + k], &links[i][two], sizeof links[0][0]);
      tdm_pool_note pool = pools[i][two];
      if (pools[i][one].kv_peak > pool.kv_peak) pool.kv_peak = pools[i][one].kv_peak;
      if (pools[i][one].replica_peak > pool.replica_peak)
        pool.replica_peak = pools[i][one].replica_peak;
      assert_memory_equal(&t->pools[i * NOTES + k], &pool, sizeof pool);
      const tdm_taker_slice *taker = &t->takers[i * TDM_SLICES + k];
      assert_int_equal(taker->prompt_tokens,
                       takers[i][one].prompt_tokens + takers[i][two].prompt_tokens);
      assert_int_equal(taker->output_tokens,
                       takers[i][one].output_tokens + takers[i][two].output_tokens);
      const tdm_taker_slice *empty = &t->takers[i * TDM_SLICES + TDM_SLICES / 2 + k];
      assert_true(empty->prompt_tokens == 0 && empty->output_tokens == 0);
    }
    assert_int_equal(t->in_system_ns[k], inside_ns[two]);
    assert_int_equal(t->finished[k], finished[two]);
    const tdm_class_slice *empty = &t->classes[TDM_SLICES / 2 + k];
    assert_true(empty->arrived == 0 && empty->completed == 0 && empty->counts == NULL);
    assert_true(empty->min_ns == INT64_MAX && empty->max_ns == INT64_MIN);
  }
  for (size_t i = 0; i < 4; i++) assert_true(counts[i] > 0);
  for (uint8_t i = 0; i < 5; i++) assert_int_equal(t->exact[0].slice[i], 3 * i / 2);
  tdm_tally_free(t);
  tdm_model_free(m);
}

static int64_t latency_of(uint64_t i) {
  return (int64_t)(tdm_mix(i) >> 30);
}

/* Kept one by one up to the limit, then in the histogram of the slice each arrived in. */
static void latencies_are_counted_where_they_arrived(void **state) {
  (void)state;
  tdm_model *m = one_class(100000, 1);
  for (int more = -1; more <= 2000; more += more < 2 ? 1 : 1998) {
    tdm_tally *t = NULL;
    assert_int_equal(tdm_tally_new(m, TDM_SLICES, TDM_TALLY_WHOLE, &t, NULL), TDM_OK);
    const uint64_t count = (uint64_t)(TDM_EXACT_LIMIT + more);
    for (uint64_t i = 0; i < count; i++)
      assert_true(tdm_tally_latency(t, 0, (uint32_t)(i % 7), latency_of(i)));
    assert_int_equal(t->exact[0].count, count);
    uint64_t seen = 0;
    for (size_t k = 0; k < TDM_SLICES; k++)
      for (size_t b = 0; t->classes[k].counts != NULL && b < TDM_HISTOGRAM_BUCKETS; b++)
        seen += t->classes[k].counts[b];
    assert_int_equal(seen, more > 0 ? count : 0);
    for (uint64_t i = 0; more > 0 && i < count; i++)
      t->classes[i % 7].counts[tdm_histogram_bucket(latency_of(i))]--;
    for (size_t k = 0; more > 0 && k < 7; k++)
      for (size_t b = 0; b < TDM_HISTOGRAM_BUCKETS; b++)
        assert_int_equal(t->classes[k].counts[b], 0);
    tdm_tally_free(t);
  }
  tdm_model_free(m);
}

/* Many equal times at once are as many single ones, before and after the limit and across it. */
static void many_times_are_as_many_single_ones(void **state) {
  (void)state;
  tdm_model *m = one_class(100000, 1);
  tdm_tally *t[2];
  for (int i = 0; i < 2; i++)
    assert_int_equal(tdm_tally_new(m, TDM_SLICES, TDM_TALLY_WHOLE, &t[i], NULL), TDM_OK);
  for (uint64_t n = 1; n < 9; n++) {
    int64_t times = n == 3 ? TDM_EXACT_LIMIT - 200 : (int64_t)(50 * n);
    assert_true(tdm_tally_times(t[0], 0, (uint32_t)n / 2, 1000 + latency_of(n), times));
    for (int64_t i = 0; i < times; i++)
      assert_true(tdm_tally_times(t[1], 0, (uint32_t)n / 2, 1000 + latency_of(n), 1));
    const tdm_class_slice *slice = &t[0]->classes[n / 2];
    assert_true(slice->min_ns <= 1000 + latency_of(n) && slice->max_ns >= 1000 + latency_of(n));
    uint64_t seen = 0;
    for (size_t k = 0; k < TDM_SLICES; k++) seen += t[0]->classes[k].completed;
    assert_int_equal(seen, t[0]->exact[0].count);
  }
  assert_true(spend(t[0]) == spend(t[1]));
  tdm_model_free(m);
}

/* The sum of any batches is kept, each ends with its last request. */
static void batches_are_merged_in_pairs(void **state) {
  (void)state;
  tdm_model *m = one_class(10, 1);
  tdm_tally *t = NULL;
  assert_int_equal(tdm_tally_new(m, 1, TDM_TALLY_WHOLE, &t, NULL), TDM_OK);
  tdm_series *s = &t->series;
  assert_int_equal(s->batch, 5);
  for (int64_t i = 0; i < TDM_SERIES_LIMIT - 1; i++) {
    s->sum_ns = i;
    s->filled = 5;
    tdm_series_close_batch(s, 10 * i);
    assert_true(s->sum_ns == 0 && s->filled == 0);
    assert_int_equal(s->count, i + 1);
  }
  s->sum_ns = TDM_SERIES_LIMIT - 1;
  tdm_series_close_batch(s, 10 * (TDM_SERIES_LIMIT - 1));
  assert_int_equal(s->batch, 10);
  assert_int_equal(s->count, TDM_SERIES_LIMIT / 2);
  for (int64_t i = 0; i < TDM_SERIES_LIMIT / 2; i++) {
    assert_int_equal(s->sums_ns[i], 4 * i + 1);
    assert_int_equal(s->arrivals_ns[i], 10 * (2 * i + 1));
  }
  tdm_tally_free(t);
  tdm_model_free(m);
}

static size_t batch_of(uint64_t requests) {
  tdm_model *m = one_class(requests, 1);
  tdm_tally *t = NULL;
  assert_int_equal(tdm_tally_new(m, tdm_tally_expected_ns(m), TDM_TALLY_WHOLE, &t, NULL), TDM_OK);
  size_t batch = t->series.batch;
  tdm_tally_free(t);
  tdm_model_free(m);
  return batch;
}

/* As small as they may be without a merge. */
static void batches_begin_as_large_as_the_requests_ask(void **state) {
  (void)state;
  assert_int_equal(batch_of(1), 5);
  assert_int_equal(batch_of(10 * TDM_SERIES_LIMIT - 1), 5);
  assert_int_equal(batch_of(10 * TDM_SERIES_LIMIT + 1), 10);
  assert_int_equal(batch_of(80 * TDM_SERIES_LIMIT + 1), 80);
}

static double expected_s(const tdm_model *m) {
  return (double)tdm_tally_expected_ns(m) * 1e-9;
}

/* Two a second. */
static void runs_are_as_long_as_their_arrivals_say(void **state) {
  (void)state;
  tdm_model *m = one_class(100, 0.5);
  tdm_arrivals *a = m->classes[0].arrivals;
  assert_true(tdm_tally_open_ended(m) && !tdm_tally_grows(m));
  assert_true(fabs(expected_s(m) - 50) < 1e-6);
  a->limit = 60; /* which ends before */
  assert_true(fabs(expected_s(m) - 30) < 1e-6);
  a->end_ns = 20 * INT64_C(1000000000);
  assert_true(fabs(expected_s(m) - 20) < 1e-6);
  a->end_ns = 40 * INT64_C(1000000000);
  assert_true(fabs(expected_s(m) - 30) < 1e-6);
  a->limit = 0;
  assert_true(fabs(expected_s(m) - 40) < 1e-6);
  a->end_ns = 60 * INT64_C(1000000000); /* the requests end before */
  assert_true(fabs(expected_s(m) - 50) < 1e-6);
  m->duration_ns = 45 * INT64_C(1000000000);
  assert_true(tdm_tally_open_ended(m));
  assert_true(fabs(expected_s(m) - 45) < 1e-6);
  m->requests = UINT64_MAX;
  assert_true(!tdm_tally_open_ended(m) && expected_s(m) == 45);
  tdm_model_free(m);
}

/* Ten users think for two seconds: 100 requests take 20 s at least. */
static void closed_runs_grow_from_their_thinking(void **state) {
  (void)state;
  tdm_model *m = one_class(100, 0.5);
  tdm_arrivals *a = m->classes[0].arrivals;
  a->kind = TDM_ARRIVE_CLOSED;
  a->users = 10;
  assert_true(tdm_tally_grows(m));
  assert_true(fabs(expected_s(m) - 1e-6 * TDM_SLICES) < 1e-12);
  a->think = exponential(2);
  assert_true(fabs(expected_s(m) - 20) < 1e-6);
  m->duration_ns = INT64_C(1000000000);
  assert_false(tdm_tally_grows(m));
  m->duration_ns = INT64_MAX;
  a->kind = TDM_ARRIVE_FUNCTION;
  assert_true(tdm_tally_grows(m));
  a->kind = TDM_ARRIVE_RENEWAL; /* a kind frees what is its own */
  tdm_dist_free(a->think);
  tdm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wide_slices_hold_what_pairs_held),
      cmocka_unit_test(latencies_are_counted_where_they_arrived),
      cmocka_unit_test(many_times_are_as_many_single_ones),
      cmocka_unit_test(batches_are_merged_in_pairs),
      cmocka_unit_test(batches_begin_as_large_as_the_requests_ask),
      cmocka_unit_test(runs_are_as_long_as_their_arrivals_say),
      cmocka_unit_test(closed_runs_grow_from_their_thinking),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
