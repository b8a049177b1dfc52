/* base/histogram: bucket bounds, quantile error against exact order statistics, merging. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/histogram.h"
#include "base/rng.h"

static tdm_histogram fresh(void) {
  tdm_histogram histogram;
  assert_int_equal(tdm_histogram_new(&histogram, NULL), TDM_OK);
  return histogram;
}

static void every_time_lies_within_its_bucket(void **state) {
  (void)state;
  tdm_stream stream = tdm_stream_named(1, 0, "times");
  for (uint64_t i = 0; i < 1000000; i++) {
    uint64_t bits = tdm_stream_bits(stream, i);
    int64_t ns = (int64_t)(bits >> (11 + (bits & 51))); /* all magnitudes below 2^53 */
    uint32_t bucket = tdm_histogram_bucket(ns);
    assert_true(bucket < TDM_HISTOGRAM_BUCKETS);
    assert_true(tdm_histogram_lower(bucket) <= (double)ns);
    assert_true((double)ns < tdm_histogram_upper(bucket));
  }
}

static void buckets_are_contiguous_and_narrow(void **state) {
  (void)state;
  assert_true(tdm_histogram_lower(0) == 0);
  for (uint32_t i = 1; i + 1 < TDM_HISTOGRAM_BUCKETS; i++) {
    assert_true(tdm_histogram_upper(i) == tdm_histogram_lower(i + 1));
    double width = tdm_histogram_upper(i) - tdm_histogram_lower(i);
    assert_true(width <= tdm_histogram_lower(i) / 128);
  }
}

static void extreme_times_have_a_bucket(void **state) {
  (void)state;
  assert_int_equal(tdm_histogram_bucket(0), 0);
  assert_int_equal(tdm_histogram_bucket(-5), 0);
  assert_int_equal(tdm_histogram_bucket(1), 1);
  assert_int_equal(tdm_histogram_bucket(INT64_MAX), TDM_HISTOGRAM_BUCKETS - 1);
}

static int by_time(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

/* Fills a histogram and a sorted array with the same exponential times of this mean. */
static tdm_histogram sampled(int64_t *times, size_t count, double mean_ns, const char *name) {
  tdm_histogram histogram = fresh();
  tdm_stream stream = tdm_stream_named(9, 0, name);
  for (size_t i = 0; i < count; i++) {
    times[i] = (int64_t)(-mean_ns * log(tdm_stream_unit(stream, i)));
    tdm_histogram_add(&histogram, times[i]);
  }
  qsort(times, count, sizeof *times, by_time);
  return histogram;
}

static void quantiles_are_within_a_bucket_of_the_order_statistic(void **state) {
  (void)state;
  const size_t count = 1000000;
  const double means[] = {40, 3e3, 2e7, 5e12};
  const double levels[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999};
  int64_t *times = malloc(count * sizeof *times);
  assert_non_null(times);
  for (size_t m = 0; m < 4; m++) {
    tdm_histogram histogram = sampled(times, count, means[m], "quantiles");
    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
      double exact = (double)times[(size_t)ceil(levels[l] * (double)count) - 1];
      double got = tdm_histogram_quantile(&histogram, levels[l]);
      assert_true(fabs(got - exact) <= exact / 128);
    }
    assert_true(tdm_histogram_quantile(&histogram, 0) == (double)times[0]);
    assert_true(tdm_histogram_quantile(&histogram, 1) == (double)times[count - 1]);
    tdm_histogram_free(&histogram);
  }
  free(times);
}

static void quantiles_of_a_smooth_sample_are_within_a_quarter_percent(void **state) {
  (void)state;
  const size_t count = 1000000;
  int64_t *times = malloc(count * sizeof *times);
  assert_non_null(times);
  tdm_histogram histogram = sampled(times, count, 2e7, "smooth");
  const double levels[] = {0.5, 0.9, 0.99, 0.999};
  for (size_t l = 0; l < 4; l++) {
    double exact = (double)times[(size_t)(levels[l] * (double)count) - 1];
    assert_true(fabs(tdm_histogram_quantile(&histogram, levels[l]) / exact - 1) < 0.0026);
  }
  tdm_histogram_free(&histogram);
  free(times);
}

static void quantiles_rise_with_the_level(void **state) {
  (void)state;
  int64_t times[500];
  tdm_histogram histogram = sampled(times, 500, 900, "rise");
  double before = -1;
  for (int i = 0; i <= 1000; i++) {
    double at = tdm_histogram_quantile(&histogram, i / 1000.0);
    assert_true(at >= before);
    before = at;
  }
  tdm_histogram_free(&histogram);
}

static void small_times_are_exact(void **state) {
  (void)state;
  tdm_histogram histogram = fresh();
  for (int64_t ns = 0; ns <= 100; ns++) tdm_histogram_add(&histogram, ns);
  for (int i = 1; i <= 101; i++)
    assert_true(tdm_histogram_quantile(&histogram, (i - 0.5) / 101) == i - 1);
  assert_true(tdm_histogram_mean(&histogram) == 50);
  assert_true(fabs(tdm_histogram_sd(&histogram) - sqrt(101.0 * 102 / 12)) < 1e-12);
  tdm_histogram_free(&histogram);
}

static void mean_and_sd_are_within_half_a_percent(void **state) {
  (void)state;
  const size_t count = 1000000;
  int64_t *times = malloc(count * sizeof *times);
  assert_non_null(times);
  tdm_histogram histogram = sampled(times, count, 7e6, "moments");
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) mean += (double)times[i] / (double)count;
  for (size_t i = 0; i < count; i++) squares += pow((double)times[i] - mean, 2);
  assert_true(fabs(tdm_histogram_mean(&histogram) / mean - 1) < 0.0039);
  assert_true(fabs(tdm_histogram_sd(&histogram) / sqrt(squares / (double)(count - 1)) - 1) < 0.005);
  tdm_histogram_free(&histogram);
  free(times);
}

static bool same(const tdm_histogram *a, const tdm_histogram *b) {
  return a->total == b->total && a->min_ns == b->min_ns && a->max_ns == b->max_ns &&
         memcmp(a->counts, b->counts, TDM_HISTOGRAM_BUCKETS * sizeof *a->counts) == 0;
}

static void merging_is_exact_in_any_order_and_grouping(void **state) {
  (void)state;
  tdm_histogram parts[3], whole = fresh();
  int64_t times[1000];
  const char *names[] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++) {
    parts[i] = sampled(times, 1000, 1e5 * (i + 1), names[i]);
    for (int j = 0; j < 1000; j++) tdm_histogram_add(&whole, times[j]);
  }
  tdm_histogram left = fresh(), right = fresh(), inner = fresh();
  tdm_histogram_merge(&left, &parts[0]);
  tdm_histogram_merge(&left, &parts[1]);
  tdm_histogram_merge(&left, &parts[2]);
  tdm_histogram_merge(&inner, &parts[2]);
  tdm_histogram_merge(&inner, &parts[1]);
  tdm_histogram_merge(&right, &inner);
  tdm_histogram_merge(&right, &parts[0]);
  assert_true(same(&left, &right));
  assert_true(same(&left, &whole));
  tdm_histogram_clear(&left);
  tdm_histogram_merge(&whole, &left); /* nothing added, nothing changed */
  assert_true(same(&whole, &right));
  for (int i = 0; i < 3; i++) tdm_histogram_free(&parts[i]);
  tdm_histogram_free(&whole);
  tdm_histogram_free(&left);
  tdm_histogram_free(&right);
  tdm_histogram_free(&inner);
}

static void an_empty_histogram_has_no_quantile(void **state) {
  (void)state;
  tdm_histogram histogram = fresh();
  assert_true(isnan(tdm_histogram_quantile(&histogram, 0.5)));
  assert_true(isnan(tdm_histogram_mean(&histogram)));
  assert_true(isnan(tdm_histogram_sd(&histogram)));
  tdm_histogram_add(&histogram, 12345678);
  assert_true(tdm_histogram_quantile(&histogram, 0.5) == 12345678);
  assert_true(tdm_histogram_mean(&histogram) == 12345678);
  assert_true(isnan(tdm_histogram_sd(&histogram)));
  tdm_histogram_free(&histogram);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_time_lies_within_its_bucket),
      cmocka_unit_test(buckets_are_contiguous_and_narrow),
      cmocka_unit_test(extreme_times_have_a_bucket),
      cmocka_unit_test(quantiles_are_within_a_bucket_of_the_order_statistic),
      cmocka_unit_test(quantiles_of_a_smooth_sample_are_within_a_quarter_percent),
      cmocka_unit_test(quantiles_rise_with_the_level),
      cmocka_unit_test(small_times_are_exact),
      cmocka_unit_test(mean_and_sd_are_within_half_a_percent),
      cmocka_unit_test(merging_is_exact_in_any_order_and_grouping),
      cmocka_unit_test(an_empty_histogram_has_no_quantile),
  };
  return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
