/* base/stats and the special functions under it: t and normal quantiles against published tables,
 * coverage of intervals, warm-up truncation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/special.h"
#include "base/stats.h"

static void normal_quantiles_match_the_table(void **state) {
  (void)state;
  const double table[][2] = {{0.5, 0},
                             {0.75, 0.674489750196081743},
                             {0.95, 1.644853626951472715},
                             {0.975, 1.959963984540054236},
                             {0.995, 2.575829303548900761},
                             {0.999, 3.090232306167813542},
                             {1e-9, -5.997807015007686872},
                             {1e-20, -9.262340089798407577}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    double got = tdm_normal_quantile(table[i][0]);
    assert_true(fabs(got - table[i][1]) <= 4e-15 * (1 + fabs(table[i][1])));
  }
  assert_true(tdm_normal_quantile(0) == -INFINITY);
  assert_true(tdm_normal_quantile(1) == INFINITY);
  assert_true(isnan(tdm_normal_quantile(-0.1)));
  assert_true(isnan(tdm_normal_quantile(1.1)));
}

static void the_normal_quantile_inverts_the_distribution_function(void **state) {
  (void)state;
  for (double x = -37; x < 5; x += 0.01) {
    assert_true(fabs(tdm_normal_quantile(tdm_normal_cdf(x)) - x) < 1e-9);
  }
}

static void student_quantiles_match_the_table(void **state) {
  (void)state;
  const double table[][3] = {{0.975, 1, 12.7062047361747},  {0.975, 2, 4.30265272974946},
                             {0.975, 4, 2.77644510519779},  {0.975, 9, 2.26215716279820},
                             {0.975, 29, 2.04522964213270}, {0.975, 120, 1.97993040508242},
                             {0.95, 5, 2.01504837333302},   {0.995, 10, 3.16927267261695},
                             {0.9995, 3, 12.9239786366880}, {0.75, 1, 1.0},
                             {0.025, 9, -2.26215716279820}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    double got = tdm_student_quantile(table[i][0], table[i][1]);
    assert_true(fabs(got / table[i][2] - 1) < 1e-12);
  }
  assert_true(tdm_student_quantile(0.5, 3) == 0);
  assert_true(fabs(tdm_student_quantile(0.975, INFINITY) - 1.959963984540054) < 1e-14);
  assert_true(fabs(tdm_student_quantile(0.975, 1e7) - 1.959963984540054) < 1e-6);
  assert_true(isnan(tdm_student_quantile(0.975, 0)));
  assert_true(isnan(tdm_student_quantile(1.5, 3)));
}

static void student_quantile_and_distribution_function_are_inverse(void **state) {
  (void)state;
  const double dfs[] = {0.7, 1, 3, 19.5, 1000, 1e6};
  for (size_t i = 0; i < sizeof dfs / sizeof dfs[0]; i++) {
    for (double p = 0.001; p < 1; p += 0.007) {
      double back = tdm_student_cdf(tdm_student_quantile(p, dfs[i]), dfs[i]);
      assert_true(fabs(back - p) < 1e-11);
    }
  }
}

static void the_weibull_shape_reproduces_the_cv(void **state) {
  (void)state;
  const double cvs[] = {0.001, 0.05, 0.5, 1, 2, 10, 100};
  for (size_t i = 0; i < sizeof cvs / sizeof cvs[0]; i++) {
    double k = tdm_weibull_shape_for_cv(cvs[i]);
    double cv = sqrt(expm1(tdm_log_gamma(1 + 2 / k) - 2 * tdm_log_gamma(1 + 1 / k)));
    assert_true(fabs(cv / cvs[i] - 1) < 1e-8);
  }
  assert_true(fabs(tdm_weibull_shape_for_cv(1) - 1) < 1e-12);
}

static void an_interval_is_the_textbook_one(void **state) {
  (void)state;
  const double five[] = {3, NAN, 5, 4, 6, 7};
  tdm_estimate estimate = tdm_interval(five, 6, 0.95);
  assert_true(fabs(estimate.value - 5) < 1e-15);
  assert_true(fabs(estimate.half - 2.77644510519779 * sqrt(2.5 / 5)) < 1e-12);
  estimate = tdm_interval(five, 1, 0.95);
  assert_true(estimate.value == 3 && isnan(estimate.half));
  assert_true(isnan(tdm_interval(five + 1, 1, 0.95).value));
  assert_true(isnan(tdm_interval(NULL, 0, 0.95).value));
}

/* One AR(1) path of mean 0 and unit noise, started in its stationary distribution. */
static void autoregress(double *path, size_t count, double phi, uint32_t replication) {
  tdm_stream stream = tdm_stream_named(7, replication, "ar");
  const double below_one = 1 - 0x1p-53;
  double x = tdm_normal_quantile(below_one * tdm_stream_unit(stream, count)) / sqrt(1 - phi * phi);
  for (size_t i = 0; i < count; i++) {
    x = phi * x + tdm_normal_quantile(below_one * tdm_stream_unit(stream, i));
    path[i] = x;
  }
}

static void replication_intervals_cover_95_percent(void **state) {
  (void)state;
  double path[8];
  int covered = 0;
  const int runs = 10000;
  for (int r = 0; r < runs; r++) {
    autoregress(path, 8, 0, (uint32_t)r);
    tdm_estimate estimate = tdm_interval(path, 8, 0.95);
    covered += fabs(estimate.value) <= estimate.half;
  }
  assert_true(fabs(covered / (double)runs - 0.95) < 4 * sqrt(0.95 * 0.05 / runs));
}

/* Willink's end points solve a cubic (Hall 1992): t = a + G + 2aG² + 4a²G³/3. */
static void a_skewed_half_is_where_the_cubic_puts_it(void **state) {
  (void)state;
  const double even[] = {-3, -1, -1, 1, 1, 3}, skewed[] = {-1, -1, -1, -1, -1, -1, -1, 7};
  double t = tdm_student_quantile(0.975, 5);
  assert_true(fabs(tdm_skewed_half(even, 6, 0.95) - t * sqrt(22.0 / 5 / 6)) < 1e-12);
  t = tdm_student_quantile(0.975, 7);
  double sd = sqrt(8), cubes = (7 * pow(-1 / sd, 3) + pow(7 / sd, 3)) * 8 / 42;
  double a = cubes / (6 * sqrt(8)), up = tdm_skewed_half(skewed, 8, 0.95) * sqrt(8) / sd;
  assert_true(fabs(a - up + 2 * a * up * up - 4 * a * a * up * up * up / 3 + t) < 1e-9);
  assert_true(up > t);
  double mirrored[8];
  for (size_t i = 0; i < 8; i++) mirrored[i] = -skewed[i];
  assert_true(fabs(tdm_skewed_half(mirrored, 8, 0.95) - tdm_skewed_half(skewed, 8, 0.95)) < 1e-12);
  assert_true(tdm_skewed_half(mirrored, 1, 0.95) != tdm_skewed_half(mirrored, 1, 0.95));
}

static void batch_means_cover_a_correlated_series(void **state) {
  (void)state;
  enum { COUNT = 10000, RUNS = 1000 };
  double *path = malloc(COUNT * sizeof *path);
  assert_non_null(path);
  int covered = 0, undecided = 0;
  double halves = 0;
  for (uint32_t r = 0; r < RUNS; r++) {
    autoregress(path, COUNT, 0.9, r);
    tdm_estimate estimate = tdm_batch_means(path, COUNT, 0.95, NULL);
    if (isnan(estimate.half)) {
      undecided++;
      continue;
    }
    covered += fabs(estimate.value) <= estimate.half;
    halves += estimate.half;
  }
  free(path);
  int decided = RUNS - undecided;
  assert_true(undecided < RUNS / 50);
  assert_in_range(covered * 1000 / decided, 930, 970);
  double ideal = 1.959964 / (1 - 0.9) / sqrt(COUNT); /* were the variance known */
  assert_true(halves / decided > 0.95 * ideal && halves / decided < 1.15 * ideal);
}

static void batch_means_admit_when_a_series_is_too_short(void **state) {
  (void)state;
  double drift[200];
  for (int i = 0; i < 200; i++) drift[i] = i;
  size_t batches = 99;
  tdm_estimate estimate = tdm_batch_means(drift, 200, 0.95, &batches);
  assert_true(fabs(estimate.value - 99.5) < 1e-12);
  assert_true(isnan(estimate.half));
  assert_int_equal(batches, 0);
  estimate = tdm_batch_means(drift, TDM_BATCHES_MIN - 1, 0.95, &batches);
  assert_true(isnan(estimate.half));
  assert_true(isnan(tdm_batch_means(drift, 0, 0.95, &batches).value));
}

static void independent_data_keep_many_batches(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  double *path = malloc(COUNT * sizeof *path);
  assert_non_null(path);
  autoregress(path, COUNT, 0, 1);
  size_t batches;
  tdm_estimate estimate = tdm_batch_means(path, COUNT, 0.95, &batches);
  assert_true(batches >= 64);
  assert_true(fabs(estimate.half / (1.96 / sqrt(COUNT)) - 1) < 0.3);
  free(path);
}

static void mser_cuts_a_known_transient(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  double path[COUNT];
  size_t total = 0;
  for (uint32_t r = 0; r < 100; r++) {
    autoregress(path, COUNT, 0.5, r);
    for (size_t i = 0; i < COUNT; i++) path[i] += i < 200 ? 20.0 * (1 - (double)i / 200) : 0;
    size_t cut = tdm_mser(path, COUNT);
    assert_true(cut >= 150 && cut < COUNT / 2); /* past where the bias exceeds 5 of 20 */
    total += cut;
  }
  assert_true(total < 100 * 300); /* and not much of the good part on average */
}

static void mser_keeps_a_stationary_series(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  double path[COUNT];
  size_t total = 0;
  for (uint32_t r = 0; r < 100; r++) {
    autoregress(path, COUNT, 0.5, r);
    total += tdm_mser(path, COUNT);
  }
  assert_true(total < 100 * COUNT / 5);
}

static void mser_equals_its_definition(void **state) {
  (void)state;
  double path[61];
  for (uint32_t r = 0; r < 50; r++) {
    autoregress(path, 61, 0.8, r);
    double least = INFINITY;
    size_t best = 0;
    for (size_t d = 0; d <= 30; d++) {
      double mean = 0, squares = 0, kept = (double)(61 - d);
      for (size_t i = d; i < 61; i++) mean += path[i] / kept;
      for (size_t i = d; i < 61; i++) squares += (path[i] - mean) * (path[i] - mean);
      if (squares / (kept * kept) < least) {
        least = squares / (kept * kept);
        best = d;
      }
    }
    assert_int_equal(tdm_mser(path, 61), best);
  }
}

static void mser_handles_degenerate_series(void **state) {
  (void)state;
  const double flat[] = {4, 4, 4, 4, 4, 4};
  assert_int_equal(tdm_mser(flat, 6), 0);
  assert_int_equal(tdm_mser(flat, 1), 0);
  assert_int_equal(tdm_mser(NULL, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(normal_quantiles_match_the_table),
      cmocka_unit_test(the_normal_quantile_inverts_the_distribution_function),
      cmocka_unit_test(student_quantiles_match_the_table),
      cmocka_unit_test(student_quantile_and_distribution_function_are_inverse),
      cmocka_unit_test(the_weibull_shape_reproduces_the_cv),
      cmocka_unit_test(an_interval_is_the_textbook_one),
      cmocka_unit_test(replication_intervals_cover_95_percent),
      cmocka_unit_test(a_skewed_half_is_where_the_cubic_puts_it),
      cmocka_unit_test(batch_means_cover_a_correlated_series),
      cmocka_unit_test(batch_means_admit_when_a_series_is_too_short),
      cmocka_unit_test(independent_data_keep_many_batches),
      cmocka_unit_test(mser_cuts_a_known_transient),
      cmocka_unit_test(mser_keeps_a_stationary_series),
      cmocka_unit_test(mser_equals_its_definition),
      cmocka_unit_test(mser_handles_degenerate_series),
  };
  return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
