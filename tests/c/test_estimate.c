/* analysis/estimate against closed forms: regressions whose answer is a mean or a ratio, White's
 * covariance by hand, exact Kolmogorov–Smirnov chances by counting, likelihoods at their maxima. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/estimate/estimate.h"
#include "base/dist/dist.h"
#include "base/special.h"
#include "base/stats.h"

static void near(double got, double wanted, double relative) {
  if (!(fabs(got - wanted) <= relative * (1e-300 + fabs(wanted))))
    fail_msg("%.17g is not %.17g", got, wanted);
}

static const double ones[5] = {1, 1, 1, 1, 1};
static const double x5[5] = {1, 2, 3, 4, 5}, y5[5] = {2, 3, 5, 4, 8};

static tdm_regression regress(const double *const *columns, size_t count, const double *y,
                              size_t rows, double power, double *mean) {
  tdm_regression_data data = {columns, count, y, rows, power, false};
  tdm_regression out;
  assert_int_equal(tdm_regress(&data, mean, &out, NULL), TDM_OK);
  return out;
}

static void special_functions_match_closed_forms(void **state) {
  (void)state;
  const double euler = 0.57721566490153286, pi = 3.14159265358979323846;
  near(tdm_digamma(1), -euler, 1e-13);
  near(tdm_digamma(0.5), -euler - 2 * log(2), 1e-13);
  near(tdm_digamma(6), -euler + 1 + 1. / 2 + 1. / 3 + 1. / 4 + 1. / 5, 1e-13);
  near(tdm_trigamma(1), pi * pi / 6, 1e-12);
  near(tdm_trigamma(0.5), pi * pi / 2, 1e-12);
  for (double x = 0.01; x < 60; x *= 1.7) {
    near(tdm_gamma_p(1, x), -expm1(-x), 1e-12);
    near(tdm_gamma_p(0.5, x), erf(sqrt(x)), 1e-12);
    near(tdm_gamma_p(3, x), 1 - exp(-x) * (1 + x + x * x / 2), x < 0.1 ? 1e-8 : 1e-11);
  }
  near(tdm_gamma_p(1e6, 1e6), 0.5, 1e-3);
}

static void ordinary_least_squares_and_its_hc3_match_the_matrices(void **state) {
  (void)state;
  double mean[5];
  const double *columns[] = {ones, x5};
  tdm_regression r = regress(columns, 2, y5, 5, 0, mean);
  near(r.b[0], 0.5, 1e-12);
  near(r.b[1], 1.3, 1e-12);
  near(r.covariance[0], 1.246581632653061, 1e-11);
  near(r.covariance[1], -0.6, 1e-11);
  near(r.covariance[2], -0.6, 1e-11);
  near(r.covariance[3], 0.319183673469388, 1e-11);
  assert_true(r.df == 3);
  near(r.total, 1, 1e-12);
}

/* With y = b x (1 + e) alone, the estimates are mean(y ÷ x) and Σ y ÷ Σ x. */
static void proportional_costs_are_means_of_ratios_or_ratios_of_means(void **state) {
  (void)state;
  double mean[5], ratio = 0, squares = 0;
  const double *columns[] = {x5};
  for (int i = 0; i < 5; i++) ratio += y5[i] / x5[i] / 5;
  for (int i = 0; i < 5; i++) squares += pow(y5[i] / x5[i] / ratio - 1, 2);
  tdm_regression r = regress(columns, 1, y5, 5, 2, mean);
  near(r.b[0], ratio, 1e-13);
  near(r.covariance[0], ratio * ratio * squares / 25 / (0.8 * 0.8), 1e-12);
  near(r.spread, sqrt(squares / 4), 1e-12);
  near(mean[4], 5 * ratio, 1e-13);
  r = regress(columns, 1, y5, 5, 1, mean);
  near(r.b[0], 22. / 15, 1e-13);
  near(r.total, 1, 1e-13);
}

static void weights_that_preserve_totals_do_so_with_several_columns(void **state) {
  (void)state;
  double mean[5], square[5];
  for (int i = 0; i < 5; i++) square[i] = x5[i] * x5[i];
  const double *columns[] = {ones, x5, square};
  tdm_regression r = regress(columns, 3, y5, 5, 1, mean);
  near(r.total, 1, 1e-10);
  r = regress(columns, 3, y5, 5, 2, mean);
  double sum = 0;
  for (int i = 0; i < 5; i++) sum += y5[i] / mean[i] / 5;
  near(sum, 1, 1e-10);
}

static void units_of_columns_do_not_matter(void **state) {
  (void)state;
  double mean[5], bytes[5];
  for (int i = 0; i < 5; i++) bytes[i] = x5[i] * 1e12;
  const double *columns[] = {ones, x5}, *large[] = {ones, bytes};
  tdm_regression a = regress(columns, 2, y5, 5, 2, mean);
  tdm_regression b = regress(large, 2, y5, 5, 2, mean);
  near(b.b[1] * 1e12, a.b[1], 1e-10);
  near(b.covariance[3] * 1e24, a.covariance[3], 1e-9);
  near(b.condition, a.condition, 1e-9);
}

static void dependent_columns_are_refused_and_near_ones_have_their_condition(void **state) {
  (void)state;
  double mean[5], twice[5], tilted[5];
  for (int i = 0; i < 5; i++) twice[i] = 2 * x5[i], tilted[i] = 1 + 1e-4 * (i - 2);
  const double *same[] = {x5, twice}, *close[] = {ones, tilted};
  tdm_regression_data data = {same, 2, y5, 5, 2, false};
  tdm_regression out;
  tdm_error error;
  assert_int_equal(tdm_regress(&data, mean, &out, &error), TDM_INVALID);
  assert_non_null(strstr(error.message, "collinear"));
  /* Unit columns at an angle θ have singular values √(1 ± cos θ); tan θ is 1e-4 √2 here. */
  out = regress(close, 2, y5, 5, 0, mean);
  double angle = atan(1e-4 * sqrt(2));
  near(out.condition, 1 / tan(angle / 2), 1e-6);
  data = (tdm_regression_data){close, 2, y5, 2, 2, false};
  assert_int_equal(tdm_regress(&data, mean, &out, &error), TDM_INVALID);
}

static void what_no_regression_has_is_refused(void **state) {
  (void)state;
  double y[TDM_COLUMNS_MOST + 3], x[TDM_COLUMNS_MOST + 3], mean[TDM_COLUMNS_MOST + 3];
  const double *columns[TDM_COLUMNS_MOST + 1];
  for (size_t i = 0; i < TDM_COLUMNS_MOST + 3; i++) y[i] = x[i] = (double)i + 1;
  for (size_t i = 0; i <= TDM_COLUMNS_MOST; i++) columns[i] = x;
  tdm_regression out;
  tdm_error error;
  tdm_regression_data data = {columns, 0, y, TDM_COLUMNS_MOST + 3, 2, false};
  assert_int_equal(tdm_regress(&data, mean, &out, &error), TDM_INVALID);
  assert_string_equal(error.message, "a regression has 1 to 16 columns, not 0");
  data.count = TDM_COLUMNS_MOST + 1;
  assert_int_equal(tdm_regress(&data, mean, &out, &error), TDM_INVALID);
  assert_string_equal(error.message, "a regression has 1 to 16 columns, not 17");
  data.count = TDM_COLUMNS_MOST;
  assert_int_equal(tdm_regress(&data, mean, &out, &error), TDM_INVALID);
  assert_non_null(strstr(error.message, "collinear"));
  /* Nothing but 0 can be told of the last row, and no time is. */
  data.count = 1;
  x[TDM_COLUMNS_MOST + 2] = 0;
  assert_int_equal(tdm_regress(&data, mean, &out, &error), TDM_INVALID);
  assert_string_equal(error.message, "the best fit has times that are not above 0");
}

static void exact_data_have_no_error_and_no_outliers(void **state) {
  (void)state;
  double mean[5], y[5];
  for (int i = 0; i < 5; i++) y[i] = 2e-3 + 3e-6 * x5[i];
  const double *columns[] = {ones, x5};
  tdm_regression r = regress(columns, 2, y, 5, 2, mean);
  near(r.b[0], 2e-3, 1e-11);
  near(r.b[1], 3e-6, 1e-9);
  assert_true(r.spread < 1e-12 && isfinite(r.log_likelihood));
  assert_int_equal(r.outliers, 0);
}

/* A Gaussian's, noise growing as μ^(power ÷ 2); data that leave none have a billionth of the
 * typical. */
static void log_likelihoods_are_those_of_the_density_in_any_unit(void **state) {
  (void)state;
  double mean[5], exact[5], scaled[5];
  const double *columns[] = {ones, x5};
  for (int power = 0; power <= 2; power++) {
    tdm_regression r = regress(columns, 2, y5, 5, power, mean);
    double squares = 0, logs = 0;
    for (int i = 0; i < 5; i++) squares += pow(y5[i] - mean[i], 2) / pow(mean[i], power) / 5;
    for (int i = 0; i < 5; i++) {
      double variance = squares * pow(mean[i], power);
      logs -= 0.5 * (log(2 * acos(-1) * variance) + pow(y5[i] - mean[i], 2) / variance);
    }
    near(r.log_likelihood, logs, 1e-12);
    logs = 0;
    for (int i = 0; i < 5; i++) exact[i] = 7 + 2 * x5[i], scaled[i] = 1e3 * exact[i];
    for (int i = 0; i < 5; i++)
      logs -=
          0.5 * (log(2 * acos(-1) * pow(1e-9, 2) * pow(13, 2 - power) * pow(exact[i], power)) + 1);
    near(regress(columns, 2, exact, 5, power, mean).log_likelihood, logs, 1e-9);
    near(regress(columns, 2, scaled, 5, power, mean).log_likelihood, logs - 5 * log(1e3), 1e-9);
  }
}

static void an_outlier_is_told_not_dropped(void **state) {
  (void)state;
  enum { N = 101 };
  double y[N], one[N], mean[N], sum = 0;
  for (int i = 0; i < N; i++) one[i] = 1, y[i] = 1 + 0.01 * (i % 5 - 2);
  y[50] = 51;
  for (int i = 0; i < N; i++) sum += y[i];
  const double *columns[] = {one};
  tdm_regression r = regress(columns, 1, y, N, 2, mean);
  near(r.b[0], sum / N, 1e-12);
  assert_int_equal(r.outliers, 1);
  near(r.outlier_share, 51 / sum, 1e-12);
  assert_true(fabs(r.bounded[0] - 1) < 0.01);
  near(r.bounded_total, r.bounded[0] / r.b[0], 1e-12);
}

/* y = (a + b x)(1 + e) with lognormal noise, 60 rows; 2000 data sets. Each interval must cover the
 * truth in 95 %: at least 1867 of 2000 (one false alarm in 1000 were it exactly 95 %). */
static void intervals_cover_the_truth_under_skewed_noise(void **state) {
  (void)state;
  enum { N = 60, SETS = 2000 };
  double x[N], one[N], y[N], mean[N];
  tdm_dist *noise;
  assert_int_equal(tdm_dist_lognormal(1, 0.2, &noise, NULL), TDM_OK);
  int covered[2] = {0}, total = 0;
  for (uint64_t set = 0; set < SETS; set++) {
    tdm_stream s = tdm_stream_child(tdm_stream_named(7, 0, "coverage"), set);
    for (uint64_t i = 0; i < N; i++) {
      one[i] = 1;
      x[i] = 10 + (double)(i * 37 % 61) * 5;
      y[i] = (2 + 0.05 * x[i]) * tdm_dist_draw(noise, s, i, NULL);
    }
    const double *columns[] = {one, x};
    tdm_regression r = regress(columns, 2, y, N, 2, mean);
    double t = tdm_student_quantile(0.975, r.df), truth[2] = {2, 0.05};
    for (int j = 0; j < 2; j++)
      covered[j] += fabs(r.b[j] - truth[j]) <= t * sqrt(r.covariance[j * 3]);
    total += fabs(r.total - 1) < 0.02;
  }
  tdm_dist_free(noise);
  assert_true(covered[0] >= 1867 && covered[1] >= 1867);
  assert_true(covered[0] <= 1950 && covered[1] <= 1950);
  assert_true(total > SETS * 99 / 100);
}

/* A mean of an AR(1) series, ρ = 0.8: rows as if independent would cover in some 50 %. */
static void correlated_rows_have_wider_intervals_that_cover(void **state) {
  (void)state;
  enum { N = 1024, SETS = 400 };
  static double y[N], one[N], mean[N];
  int covered = 0, batched = 0;
  for (uint64_t set = 0; set < SETS; set++) {
    tdm_stream s = tdm_stream_child(tdm_stream_named(3, 0, "series"), set);
    double level = 0;
    for (uint64_t i = 0; i < N; i++) {
      level = 0.8 * level + 0.6 * tdm_normal_quantile(tdm_stream_unit(s, i) - 0x1p-54);
      one[i] = 1;
      y[i] = 1 + 0.05 * level;
    }
    const double *columns[] = {one};
    tdm_regression_data data = {columns, 1, y, N, 2, true};
    tdm_regression r;
    assert_int_equal(tdm_regress(&data, mean, &r, NULL), TDM_OK);
    batched += r.batches > 0 && fabs(r.correlation - 0.8) < 0.1;
    covered += fabs(r.b[0] - 1) <= tdm_student_quantile(0.975, r.df) * sqrt(r.covariance[0]);
  }
  assert_int_equal(batched, SETS);
  assert_true(covered >= 360); /* 90 %: batch means are a little short at this length */
}

/* Rows that follow each other: the sandwich over B batches of successive rows, times B ÷ (B - 1).
 * Of a constant and a centred slope every factor is known: X'X is diagonal, a row's leverage is 1 ÷
 * n + x² ÷ Σx². */
static void the_covariance_of_correlated_rows_is_the_batches_sandwich(void **state) {
  (void)state;
  enum { N = 1024 };
  static double y[N], one[N], x[N], mean[N];
  tdm_stream s = tdm_stream_named(5, 0, "series");
  double level = 0, squares = 0, sum = 0, products = 0;
  for (uint64_t i = 0; i < N; i++) {
    level = 0.8 * level + tdm_normal_quantile(tdm_stream_unit(s, i) - 0x1p-54);
    one[i] = 1;
    x[i] = (double)(i * 37 % N) - (N - 1) / 2.0;
    y[i] = 50 + 0.01 * x[i] + level;
    squares += x[i] * x[i], sum += y[i], products += x[i] * y[i];
  }
  const double *columns[] = {one, x};
  tdm_regression_data data = {columns, 2, y, N, 0, true};
  tdm_regression r;
  assert_int_equal(tdm_regress(&data, mean, &r, NULL), TDM_OK);
  near(r.b[0], sum / N, 1e-12);
  near(r.b[1], products / squares, 1e-11);
  double b = (double)r.batches, middle[3] = {0};
  assert_true(r.batches > 3 && r.batches < N / 2);
  assert_true(r.df == b - 1);
  size_t i = 0;
  for (double g = 1; g <= b; g++) {
    double all = 0, slope = 0;
    for (; (double)i < floor(g * N / b + 0.5); i++) {
      double e =
          (y[i] - sum / N - products / squares * x[i]) / (1 - 1. / N - x[i] * x[i] / squares);
      all += e, slope += x[i] * e;
    }
    middle[0] += all * all, middle[1] += all * slope, middle[2] += slope * slope;
  }
  near(r.covariance[0], b / (b - 1) * middle[0] / N / N, 1e-9);
  near(r.covariance[1], b / (b - 1) * middle[1] / N / squares, 1e-8);
  near(r.covariance[2], r.covariance[1], 1e-12);
  near(r.covariance[3], b / (b - 1) * middle[2] / squares / squares, 1e-9);
}

static void two_sample_chances_match_counting(void **state) {
  (void)state;
  const double a[] = {1, 2, 3, 4, 5}, apart[] = {6, 7, 8, 9, 10}, one_in[] = {4.5, 7, 8, 9, 10};
  tdm_ks k = tdm_ks_samples(a, 5, apart, 5);
  assert_true(k.distance == 1);
  near(k.p, 2. / 252, 1e-12); /* two of the C(10, 5) orders */
  k = tdm_ks_samples(a, 5, one_in, 5);
  near(k.distance, 0.8, 1e-12);
  near(k.p, 20. / 252, 1e-12);
  k = tdm_ks_samples(a, 5, a, 5);
  assert_true(k.distance == 0 && k.p == 1);
  k = tdm_ks_samples(a, 1, apart, 3); /* one value first or last among four: 2 of 4 */
  near(k.p, 0.5, 1e-12);
  /* Kolmogorov's limit at its 5 % and 1 % points, and where both series meet. */
  near(tdm_kolmogorov_above(1.3580986 / 1e6, 1e12), 0.05, 1e-4);
  near(tdm_kolmogorov_above(1.6276236 / 1e6, 1e12), 0.01, 1e-4);
  near(tdm_kolmogorov_above((1 - 1e-9) / 1e6, 1e12), tdm_kolmogorov_above((1 + 1e-9) / 1e6, 1e12),
       1e-6);
}

static void exact_and_limiting_chances_agree_for_large_samples(void **state) {
  (void)state;
  double a[400], b[400];
  for (int i = 0; i < 400; i++) a[i] = i, b[i] = i * 1.0 + 32.5;
  tdm_ks k = tdm_ks_samples(a, 400, b, 400);
  near(k.distance, 33. / 400, 1e-12);
  assert_true(fabs(k.p - tdm_kolmogorov_above(k.distance, 200)) < 0.01);
}

static void wasserstein_is_the_mean_move(void **state) {
  (void)state;
  const double a[] = {0, 1, 3}, b[] = {5, 6, 8}, c[] = {0, 0, 3, 3}, d[] = {1.5};
  near(tdm_wasserstein(a, 3, b, 3), 5, 1e-14);
  near(tdm_wasserstein(c, 4, d, 1), 1.5, 1e-14);
  near(tdm_wasserstein(a, 3, c, 4), 0.5,
       1e-12); /* quantile by quantile: 0, then 1 against 0, then 1 against 3 */
  assert_true(tdm_wasserstein(a, 3, a, 3) == 0);
}

/* The sign test's table: for the median of ten the second and ninth values. */
static void quantile_intervals_are_order_statistics(void **state) {
  (void)state;
  double x[100];
  for (int i = 0; i < 100; i++) x[i] = i + 1;
  tdm_quantile q = tdm_quantile_of(x, 10, 0.5, 0.95);
  near(q.value, 5.5, 1e-14);
  assert_true(q.low == 2 && q.high == 9);
  q = tdm_quantile_of(x, 100, 0.5, 0.95);
  assert_true(q.low == 40 && q.high == 61);
  q = tdm_quantile_of(x, 5, 0.5, 0.95);
  assert_true(isnan(q.low) && isnan(q.high)); /* 2 × 2⁻⁵ is more than 5 % */
  q = tdm_quantile_of(x, 100, 0.99, 0.95);
  assert_true(isnan(q.high) && q.low == 97);
}

static int ascending(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static double log_density(tdm_family family, const double *at, double x) {
  switch (family) {
  case TDM_FAMILY_NORMAL: return -log(at[1]) - 0.5 * pow((x - at[0]) / at[1], 2);
  case TDM_FAMILY_LOGNORMAL: return -log(at[1] * x) - 0.5 * pow((log(x) - at[0]) / at[1], 2);
  case TDM_FAMILY_GAMMA: {
    double rate = at[1] / at[0];
    return at[1] * log(rate) + (at[1] - 1) * log(x) - rate * x - tdm_log_gamma(at[1]);
  }
  case TDM_FAMILY_EXPONENTIAL: return -log(at[0]) - x / at[0];
  default: return log(at[0] / at[1]) + (at[0] - 1) * log(x / at[1]) - pow(x / at[1], at[0]);
  }
}

static double likelihood(tdm_family family, const double *at, const double *x, size_t n) {
  double sum = 0, pi = 3.14159265358979323846;
  for (size_t i = 0; i < n; i++) sum += log_density(family, at, x[i]);
  return sum - (family <= TDM_FAMILY_LOGNORMAL ? 0.5 * log(2 * pi) * (double)n : 0);
}

/* Fisher's information is what the likelihood's curvature is at its maximum, on average. */
static void fits_are_maxima_and_recover_what_was_drawn(void **state) {
  (void)state;
  enum { N = 20000 };
  static double x[N];
  for (tdm_family f = TDM_FAMILY_NORMAL; f < TDM_FAMILY_COUNT; f++) {
    tdm_dist *source = NULL;
    double truth[2] = {0};
    if (f == TDM_FAMILY_NORMAL) {
      tdm_dist_normal(truth[0] = 3, truth[1] = 0.4, -INFINITY, INFINITY, &source, NULL);
    } else if (f == TDM_FAMILY_LOGNORMAL) {
      tdm_dist_lognormal(2, 0.3, &source, NULL);
      truth[1] = sqrt(log1p(0.09));
      truth[0] = log(2) - 0.5 * truth[1] * truth[1];
    } else if (f == TDM_FAMILY_GAMMA) {
      tdm_dist_gamma(truth[0] = 5, 0.5, &source, NULL);
      truth[1] = 4;
    } else if (f == TDM_FAMILY_EXPONENTIAL) {
      tdm_dist_exponential(truth[0] = 0.01, &source, NULL);
    } else {
      tdm_dist_weibull_shape(truth[0] = 1.7, truth[1] = 6, &source, NULL);
    }
    for (uint64_t i = 0; i < N; i++)
      x[i] = tdm_dist_draw(source, tdm_stream_named(5, 0, tdm_family_name(f)), i, NULL);
    tdm_dist_free(source);
    qsort(x, N, sizeof *x, ascending);
    tdm_family_fit fit;
    assert_true(tdm_family_fit_sorted(f, x, N, &fit));
    double top = likelihood(f, fit.at, x, N);
    near(fit.log_likelihood, top, 1e-9);
    for (int j = 0; j < fit.parameters; j++) {
      assert_true(fabs(fit.at[j] - truth[j]) < 4 * fit.error[j]);
      double step = 0.5 * fit.error[j], up[2] = {fit.at[0], fit.at[1]},
             down[2] = {fit.at[0], fit.at[1]};
      up[j] += step;
      down[j] -= step;
      double high = likelihood(f, up, x, N), low = likelihood(f, down, x, N);
      assert_true(high < top && low < top && fabs(high - low) < 0.1 * (2 * top - high - low));
    }
    assert_true(fit.distance < 0.012 && tdm_family_p(&fit, N, 99) > 0.01);
    for (tdm_family other = TDM_FAMILY_NORMAL; other < TDM_FAMILY_COUNT; other++) {
      tdm_family_fit wrong;
      if (other == f || !tdm_family_fit_sorted(other, x, N, &wrong)) continue;
      /* An exponential sample is a gamma and a Weibull one too. */
      if (f != TDM_FAMILY_EXPONENTIAL) assert_true(wrong.log_likelihood < fit.log_likelihood);
    }
  }
}

static void families_are_refused_where_they_cannot_be(void **state) {
  (void)state;
  const double same[] = {2, 2, 2}, zero[] = {0, 1, 2}, few[] = {1};
  tdm_family_fit fit;
  assert_true(tdm_family_fit_sorted(TDM_FAMILY_CONSTANT, same, 3, &fit));
  assert_true(fit.mean == 2 && fit.distance == 0);
  assert_false(tdm_family_fit_sorted(TDM_FAMILY_NORMAL, same, 3, &fit));
  assert_false(tdm_family_fit_sorted(TDM_FAMILY_GAMMA, zero, 3, &fit));
  assert_true(tdm_family_fit_sorted(TDM_FAMILY_NORMAL, zero, 3, &fit));
  assert_false(tdm_family_fit_sorted(TDM_FAMILY_EXPONENTIAL, few, 1, &fit));
  assert_int_equal(tdm_family_named("gama"), TDM_FAMILY_COUNT);
}

/* 200 exponential samples of 50: p below 0.1 in about a tenth of them (5 … 38: one false alarm in
 * 1000 or rarer); evenly spread ones are seen not to be exponential. */
static void the_goodness_of_fit_has_the_level_it_states(void **state) {
  (void)state;
  double x[200];
  int below = 0;
  tdm_family_fit fit;
  for (uint64_t set = 0; set < 200; set++) {
    tdm_stream s = tdm_stream_child(tdm_stream_named(11, 0, "level"), set);
    for (uint64_t i = 0; i < 50; i++) x[i] = -log(tdm_stream_unit(s, i));
    qsort(x, 50, sizeof *x, ascending);
    assert_true(tdm_family_fit_sorted(TDM_FAMILY_EXPONENTIAL, x, 50, &fit));
    below += tdm_family_p(&fit, 50, 99) <= 0.1;
  }
  assert_in_range(below, 8, 36);
  for (int i = 0; i < 200; i++) x[i] = 1 + 0.01 * i;
  assert_true(tdm_family_fit_sorted(TDM_FAMILY_EXPONENTIAL, x, 200, &fit));
  assert_true(tdm_family_p(&fit, 200, 199) <= 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(special_functions_match_closed_forms),
      cmocka_unit_test(ordinary_least_squares_and_its_hc3_match_the_matrices),
      cmocka_unit_test(proportional_costs_are_means_of_ratios_or_ratios_of_means),
      cmocka_unit_test(weights_that_preserve_totals_do_so_with_several_columns),
      cmocka_unit_test(units_of_columns_do_not_matter),
      cmocka_unit_test(dependent_columns_are_refused_and_near_ones_have_their_condition),
      cmocka_unit_test(what_no_regression_has_is_refused),
      cmocka_unit_test(exact_data_have_no_error_and_no_outliers),
      cmocka_unit_test(log_likelihoods_are_those_of_the_density_in_any_unit),
      cmocka_unit_test(an_outlier_is_told_not_dropped),
      cmocka_unit_test(intervals_cover_the_truth_under_skewed_noise),
      cmocka_unit_test(correlated_rows_have_wider_intervals_that_cover),
      cmocka_unit_test(the_covariance_of_correlated_rows_is_the_batches_sandwich),
      cmocka_unit_test(two_sample_chances_match_counting),
      cmocka_unit_test(exact_and_limiting_chances_agree_for_large_samples),
      cmocka_unit_test(wasserstein_is_the_mean_move),
      cmocka_unit_test(quantile_intervals_are_order_statistics),
      cmocka_unit_test(fits_are_maxima_and_recover_what_was_drawn),
      cmocka_unit_test(families_are_refused_where_they_cannot_be),
      cmocka_unit_test(the_goodness_of_fit_has_the_level_it_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
