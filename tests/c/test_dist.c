/* base/dist: each sampler against its distribution function and moments at a fixed seed, single
 * draws against filled ones, coupling. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/dist/dist.h"
#include "base/exponential.h"
#include "base/special.h"

#define SAMPLES 1000000

static double *samples;
static uint64_t *ordinals;

static int set_up(void **state) {
  (void)state;
  samples = malloc(SAMPLES * sizeof *samples);
  ordinals = malloc(SAMPLES * sizeof *ordinals);
  for (uint64_t i = 0; ordinals != NULL && i < SAMPLES; i++) ordinals[i] = i;
  return samples == NULL || ordinals == NULL;
}

/* Vector code and single draws, at whatever width this machine has. */
static void exponential_numbers_are_draws_bit_for_bit(void **state) {
  (void)state;
  tdm_dist *dist;
  const tdm_stream stream = tdm_stream_named(1, 0, "numbers");
  assert_int_equal(tdm_dist_exponential(0.37, &dist, NULL), TDM_OK);
  for (uint64_t first = 0; first < (uint64_t)1 << 42; first = 3 * first + 5) {
    double block[67];
    tdm_exponential_numbers(stream, first, 67, 0.37, block);
    for (uint64_t i = 0; i < 67; i++)
      assert_true(block[i] == tdm_dist_draw(dist, stream, first + i, NULL));
  }
  tdm_dist_free(dist);
}

static int tear_down(void **state) {
  (void)state;
  free(samples);
  free(ordinals);
  return 0;
}

typedef double (*distribution)(double x, const double *p);

static int by_value(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void fill_equals_draw(const tdm_dist *dist, tdm_stream stream, const tdm_script *script) {
  uint64_t n[2000];
  double filled[2000];
  for (uint64_t i = 0; i < 2000; i++) n[i] = i % 3 == 0 ? i * i * 1000003 : 7 * i;
  tdm_dist_fill(dist, stream, n, 2000, script, filled);
  for (size_t i = 0; i < 2000; i++) {
    double one = tdm_dist_draw(dist, stream, n[i], script);
    assert_memory_equal(&one, &filled[i], sizeof one);
  }
}

/* Fills samples; mean and variance within 4 sigma of the stated ones (as far as these and the
 * fourth moment exist). */
static void check_moments(const tdm_dist *dist) {
  tdm_stream stream = tdm_stream_named(2026, 0, "dist");
  fill_equals_draw(dist, stream, NULL);
  tdm_dist_fill(dist, stream, ordinals, SAMPLES, NULL, samples);
  double mean = 0, m2 = 0, m4 = 0, n = SAMPLES;
  for (size_t i = 0; i < SAMPLES; i++) mean += samples[i];
  mean /= n;
  for (size_t i = 0; i < SAMPLES; i++) {
    double square = (samples[i] - mean) * (samples[i] - mean);
    m2 += square / n;
    m4 += square * square / n;
  }
  double variance = tdm_dist_variance(dist);
  if (isfinite(variance)) {
    assert_true(fabs(mean - tdm_dist_mean(dist)) <= 4 * sqrt(variance / n));
    assert_true(fabs(m2 - variance) <= 4 * sqrt((m4 - m2 * m2) / n));
  }
}

/* Raw moments are ∫ k x^(k−1) (1 − F(x)) dx, of values that are not negative; of those that are
 * listed, where F jumps, less exactly. */
static void check_raw_moments(const tdm_dist *dist, distribution cdf, const double *p) {
  double last = log(tdm_dist_mean(dist)) + 12, first = last - 24, step = 24 / 300000.0;
  double sums[TDM_DIST_MOMENTS + 1] = {1};
  for (double at = first + 0.5 * step; at < last; at += step) {
    double x = exp(at), above = fmin(1, 1 - cdf(x, p));
    if (above < 1e-13) break;
    for (unsigned k = 1; k <= TDM_DIST_MOMENTS; k++) sums[k] += k * pow(x, k) * above * step;
  }
  for (unsigned k = 0; k <= TDM_DIST_MOMENTS; k++)
    assert_true(fabs(tdm_dist_moment(dist, k) / sums[k] - 1) < 2e-3);
}

/* Kolmogorov–Smirnov at 0.1 %, none below the least value, and three tail probabilities within 4
 * sigma. Frees dist. */
static void check(tdm_dist *dist, distribution cdf, const double *p) {
  assert_non_null(dist);
  check_moments(dist);
  qsort(samples, SAMPLES, sizeof *samples, by_value);
  assert_true(cdf(samples[0], p) >= 0);
  double furthest = 0, n = SAMPLES;
  for (size_t i = 0; i < SAMPLES; i++) {
    double at = cdf(samples[i], p);
    double above = (double)(i + 1) / n - at, below = at - (double)i / n;
    furthest = fmax(furthest, fmax(above, below));
  }
  assert_true(furthest * sqrt(n) < 1.95);
  if (samples[0] >= 0 && isfinite(tdm_dist_moment(dist, TDM_DIST_MOMENTS)))
    check_raw_moments(dist, cdf, p);
  const double tails[] = {0.9, 0.99, 0.9999};
  for (int t = 0; t < 3; t++) {
    double x = samples[(size_t)(tails[t] * n)]; /* near that level, at a point of the sample */
    double above = 1 - cdf(x, p);
    assert_true(fabs(n * (1 - tails[t]) - n * above) < 4 * sqrt(n * above));
  }
  tdm_dist_free(dist);
}

static double uniform_cdf(double x, const double *p) {
  return (x - p[0]) / (p[1] - p[0]);
}

static double exponential_cdf(double x, const double *p) {
  return -expm1(-x / p[0]);
}

static double normal_cdf(double x, const double *p) { /* mean, sd, min, max */
  double low = tdm_normal_cdf((p[2] - p[0]) / p[1]), high = tdm_normal_cdf((p[3] - p[0]) / p[1]);
  return (tdm_normal_cdf((x - p[0]) / p[1]) - low) / (high - low);
}

static double upper_tail_cdf(double x, const double *p) { /* standard normal above p[0] */
  return 1 - tdm_normal_cdf(-x) / tdm_normal_cdf(-p[0]);
}

static double lognormal_cdf(double x, const double *p) { /* mu, sigma */
  return tdm_normal_cdf((log(x) - p[0]) / p[1]);
}

/* Regularised lower incomplete gamma by its series; enough for the moderate arguments here. */
static double gamma_cdf(double x, const double *p) { /* shape, scale */
  double y = x / p[1], term = 1 / p[0], sum = term;
  if (y <= 0) return 0;
  for (int i = 1; i < 2000 && term > 1e-17 * sum; i++) {
    term *= y / (p[0] + i);
    sum += term;
  }
  return sum * exp(p[0] * log(y) - y - tdm_log_gamma(p[0]));
}

static double weibull_cdf(double x, const double *p) {
  return -expm1(-pow(x / p[1], p[0]));
}

static double pareto_cdf(double x, const double *p) { /* min, max, alpha */
  return (1 - pow(p[0] / x, p[2])) / (1 - pow(p[0] / p[1], p[2]));
}

static double two_phase_cdf(double x, const double *p) { /* weight, mean, weight, mean */
  return -p[0] * expm1(-x / p[1]) - p[2] * expm1(-x / p[3]);
}

static tdm_dist *made; /* what MAKE made */
#define MAKE(call) (assert_int_equal(call, TDM_OK), made)

static void uniform_follows_its_distribution(void **state) {
  (void)state;
  const double p[] = {-2, 5};
  check(MAKE(tdm_dist_uniform(-2, 5, &made, NULL)), uniform_cdf, p);
}

static void exponential_follows_its_distribution(void **state) {
  (void)state;
  const double p[] = {0.8};
  check(MAKE(tdm_dist_exponential(0.8, &made, NULL)), exponential_cdf, p);
}

static void normal_follows_its_distribution(void **state) {
  (void)state;
  const double whole[] = {3, 2, -INFINITY, INFINITY}, cut[] = {1, 2, 0, 4};
  check(MAKE(tdm_dist_normal(3, 2, -INFINITY, INFINITY, &made, NULL)), normal_cdf, whole);
  check(MAKE(tdm_dist_normal(1, 2, 0, 4, &made, NULL)), normal_cdf, cut);
}

static void a_normal_cut_far_out_follows_its_distribution(void **state) {
  (void)state;
  const double p[] = {9};
  check(MAKE(tdm_dist_normal(0, 1, 9, INFINITY, &made, NULL)), upper_tail_cdf, p);
}

static void lognormal_follows_its_distribution(void **state) {
  (void)state;
  double square = log(1 + 0.7 * 0.7);
  const double p[] = {log(0.02) - square / 2, sqrt(square)};
  check(MAKE(tdm_dist_lognormal(0.02, 0.7, &made, NULL)), lognormal_cdf, p);
}

static void lognormal_meets_its_percentiles(void **state) {
  (void)state;
  double z = tdm_normal_quantile(0.99);
  const double p[] = {log(0.02), log(0.11 / 0.02) / z};
  check(MAKE(tdm_dist_lognormal_percentiles(50, 0.02, 99, 0.11, &made, NULL)), lognormal_cdf, p);
  tdm_dist *swapped = MAKE(tdm_dist_lognormal_percentiles(99, 0.11, 50, 0.02, &made, NULL));
  double mean = exp(p[0] + p[1] * p[1] / 2);
  assert_true(fabs(tdm_dist_mean(swapped) / mean - 1) < 1e-12);
  tdm_dist_free(swapped);
}

static void gamma_follows_its_distribution(void **state) {
  (void)state;
  const double sharp[] = {4, 0.75}, flat[] = {0.25, 12};
  check(MAKE(tdm_dist_gamma(3, 0.5, &made, NULL)), gamma_cdf, sharp);
  check(MAKE(tdm_dist_gamma(3, 2, &made, NULL)), gamma_cdf, flat);
}

static void erlang_follows_its_distribution(void **state) {
  (void)state;
  const double few[] = {3, 0.5}, many[] = {40, 0.0375};
  check(MAKE(tdm_dist_erlang(3, 1.5, &made, NULL)), gamma_cdf, few);
  check(MAKE(tdm_dist_erlang(40, 1.5, &made, NULL)), gamma_cdf, many);
}

static void hyperexponential_follows_its_distribution(void **state) {
  (void)state;
  const double weights[] = {3, 1}, means[] = {1, 5}, p[] = {0.75, 1, 0.25, 5};
  check(MAKE(tdm_dist_hyperexponential(weights, means, 2, &made, NULL)), two_phase_cdf, p);
}

static void weibull_follows_its_distribution(void **state) {
  (void)state;
  const double p[] = {1.7, 2.5};
  check(MAKE(tdm_dist_weibull_shape(1.7, 2.5, &made, NULL)), weibull_cdf, p);
}

static void weibull_meets_its_mean_and_cv(void **state) {
  (void)state;
  tdm_dist *dist = MAKE(tdm_dist_weibull(0.3, 1.5, &made, NULL));
  assert_true(fabs(tdm_dist_mean(dist) / 0.3 - 1) < 1e-12);
  assert_true(fabs(tdm_dist_variance(dist) / (0.45 * 0.45) - 1) < 1e-9);
  check_moments(dist);
  tdm_dist_free(dist);
}

static void pareto_follows_its_distribution(void **state) {
  (void)state;
  const double bounded[] = {1, 1000, 1.2}, open[] = {2, INFINITY, 6}, heavy[] = {1, INFINITY, 0.8};
  check(MAKE(tdm_dist_pareto(1, 1000, 1.2, &made, NULL)), pareto_cdf, bounded);
  check(MAKE(tdm_dist_pareto(2, INFINITY, 6, &made, NULL)), pareto_cdf, open);
  check(MAKE(tdm_dist_pareto(1, INFINITY, 0.8, &made, NULL)), pareto_cdf, heavy);
}

static void pareto_moments_are_smooth_through_whole_alphas(void **state) {
  (void)state;
  for (double alpha = 1; alpha <= 2; alpha++) {
    tdm_dist *at = MAKE(tdm_dist_pareto(1, 50, alpha, &made, NULL));
    tdm_dist *near = MAKE(tdm_dist_pareto(1, 50, alpha + 1e-7, &made, NULL));
    assert_true(fabs(tdm_dist_mean(near) / tdm_dist_mean(at) - 1) < 1e-6);
    assert_true(fabs(tdm_dist_variance(near) / tdm_dist_variance(at) - 1) < 1e-5);
    tdm_dist_free(at);
    tdm_dist_free(near);
  }
  tdm_dist *heavy = MAKE(tdm_dist_pareto(1, INFINITY, 1, &made, NULL));
  assert_true(isinf(tdm_dist_mean(heavy)) && isinf(tdm_dist_variance(heavy)));
  tdm_dist_free(heavy);
}

static double histogram_cdf(double x, const double *p) { /* edges 0 1 4 10, masses of p */
  if (x < 1) return p[0] * x;
  if (x < 4) return p[0] + p[1] * (x - 1) / 3;
  return p[0] + p[1] + p[2] * (x - 4) / 6;
}

static void histogram_follows_its_distribution(void **state) {
  (void)state;
  const double edges[] = {0, 1, 4, 10}, counts[] = {20, 0, 60}, p[] = {0.25, 0, 0.75};
  check(MAKE(tdm_dist_histogram(edges, counts, 3, &made, NULL)), histogram_cdf, p);
}

static double mixture_cdf(double x, const double *p) { /* 30 % uniform 0…1, 70 % exponential p[0] */
  return 0.3 * fmin(fmax(x, 0), 1) - 0.7 * expm1(-x / p[0]);
}

static void mixture_follows_its_distribution(void **state) {
  (void)state;
  const double weights[] = {3, 0, 7}, p[] = {2};
  tdm_dist *parts[3];
  tdm_dist_uniform(0, 1, &parts[0], NULL);
  tdm_dist_lua(4, &parts[1], NULL); /* never picked, so its unknown mean does not count */
  tdm_dist_exponential(2, &parts[2], NULL);
  tdm_dist *mixture = MAKE(tdm_dist_mixture(weights, parts, 3, &made, NULL));
  assert_false(tdm_dist_needs_script(mixture));
  check(mixture, mixture_cdf, p);
}

/* Frequencies of values first…last within 4 sigma of their probabilities. */
static void check_frequencies(double first, double last, double probability) {
  double count = 0;
  for (size_t i = 0; i < SAMPLES; i++) count += samples[i] >= first && samples[i] <= last;
  double expected = SAMPLES * probability;
  assert_true(fabs(count - expected) <= 4 * sqrt(expected * (1 - probability)) + 1e-3);
}

static void check_zipf(double n, double s) {
  tdm_dist *dist = MAKE(tdm_dist_zipf(n, s, &made, NULL));
  check_moments(dist);
  for (size_t i = 0; i < SAMPLES; i++) {
    assert_true(samples[i] >= 1 && samples[i] <= n && samples[i] == floor(samples[i]));
  }
  double total = 0;
  for (double k = n; k >= 1; k--) total += pow(k, -s);
  double ranges[][2] = {{1, 1}, {2, 2}, {3, 10}, {11, 1000}, {4000, 4096}, {4097, 4200}, {n, n}};
  for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
    if (ranges[r][1] > n) continue;
    double mass = 0;
    for (double k = ranges[r][0]; k <= ranges[r][1]; k++) mass += pow(k, -s);
    check_frequencies(ranges[r][0], ranges[r][1], mass / total);
  }
  tdm_dist_free(dist);
}

static void zipf_has_its_frequencies(void **state) {
  (void)state;
  check_zipf(1, 1);
  check_zipf(12, 0);
  check_zipf(100, 1.1);
  check_zipf(4097, 0.5);
  check_zipf(100000, 1);
  check_zipf(1000000, 0.8);
}

static void zipf_knows_its_mean_beyond_the_table(void **state) {
  (void)state;
  const double exponents[] = {0, 0.5, 1, 2, 3.5};
  for (size_t i = 0; i < 5; i++) {
    double total = 0, first = 0, second = 0, third = 0, fourth = 0, s = exponents[i];
    for (double k = 1e6; k >= 1; k--) {
      total += pow(k, -s);
      first += pow(k, 1 - s);
      second += pow(k, 2 - s);
      third += pow(k, 3 - s);
      fourth += pow(k, 4 - s);
    }
    tdm_dist *dist = MAKE(tdm_dist_zipf(1e6, s, &made, NULL));
    assert_true(fabs(tdm_dist_mean(dist) / (first / total) - 1) < 1e-10);
    double variance = second / total - first / total * (first / total);
    assert_true(fabs(tdm_dist_variance(dist) / variance - 1) < 1e-9);
    assert_true(fabs(tdm_dist_moment(dist, 3) / (third / total) - 1) < 1e-9);
    assert_true(fabs(tdm_dist_moment(dist, 4) / (fourth / total) - 1) < 1e-9);
    tdm_dist_free(dist);
  }
}

static void empirical_has_its_frequencies(void **state) {
  (void)state;
  const double values[] = {9, 2, 5, 2.5}, weights[] = {1, 4, 0, 5};
  tdm_dist *dist = MAKE(tdm_dist_empirical(values, NULL, 4, &made, NULL));
  check_moments(dist);
  for (int i = 0; i < 4; i++) check_frequencies(values[i], values[i], 0.25);
  tdm_dist_free(dist);
  dist = MAKE(tdm_dist_empirical(values, weights, 4, &made, NULL));
  check_moments(dist);
  for (int i = 0; i < 4; i++) check_frequencies(values[i], values[i], weights[i] / 10);
  tdm_dist_free(dist);
}

static void a_large_uneven_table_has_its_frequencies(void **state) {
  (void)state;
  enum { ITEMS = 3000 };
  double values[ITEMS], weights[ITEMS];
  for (int i = 0; i < ITEMS; i++) {
    values[i] = i;
    weights[i] = i % 7 == 0 ? 0 : i < 1500 ? 1e-3 : i;
  }
  tdm_dist *dist = MAKE(tdm_dist_empirical(values, weights, ITEMS, &made, NULL));
  check_moments(dist);
  double total = 0, middle = 0;
  for (int i = 0; i < ITEMS; i++) {
    total += weights[i];
    if (i >= 1800 && i <= 2099) middle += weights[i];
    if (i % 7 == 0) check_frequencies(i, i, 0);
  }
  check_frequencies(1800, 2099, middle / total);
  tdm_dist_free(dist);
}

static double scripted(void *context, uint32_t function, const double *arguments, size_t count) {
  assert_int_equal(function, 17);
  assert_int_equal(count, 1);
  assert_true(arguments[0] > 0 && arguments[0] < 1);
  return *(double *)context * arguments[0];
}

static void a_lua_distribution_calls_the_script_with_a_uniform(void **state) {
  (void)state;
  double factor = 3;
  tdm_script script = {&factor, scripted};
  tdm_dist *dist = MAKE(tdm_dist_lua(17, &made, NULL));
  tdm_stream stream = tdm_stream_named(1, 0, "lua");
  assert_true(tdm_dist_needs_script(dist));
  assert_true(isnan(tdm_dist_mean(dist)) && isnan(tdm_dist_variance(dist)));
  assert_true(isnan(tdm_dist_draw(dist, stream, 1, NULL)));
  fill_equals_draw(dist, stream, &script);
  double sum = 0;
  for (uint64_t i = 0; i < 100000; i++) sum += tdm_dist_draw(dist, stream, i, &script);
  assert_true(fabs(sum / 1e5 - 1.5) < 4 * 3 / sqrt(12e5));
  tdm_dist_free(dist);
}

static void limits_of_families_are_recognised(void **state) {
  (void)state;
  double value;
  tdm_dist *dist = MAKE(tdm_dist_erlang(1, 2, &made, NULL));
  assert_true(tdm_dist_is_exponential(dist, &value) && value == 2);
  tdm_dist_free(dist);
  dist = MAKE(tdm_dist_gamma(2, 1, &made, NULL));
  assert_true(tdm_dist_is_exponential(dist, NULL));
  tdm_dist_free(dist);
  dist = MAKE(tdm_dist_lognormal(2, 0, &made, NULL));
  assert_true(tdm_dist_mean(dist) == 2 && tdm_dist_variance(dist) == 0);
  assert_true(tdm_dist_draw(dist, (tdm_stream){5}, 9, NULL) == 2);
  fill_equals_draw(dist, (tdm_stream){5}, NULL);
  tdm_dist_free(dist);
}

static void families_on_one_stream_rise_together(void **state) {
  (void)state;
  const double values[] = {5, 1, 2}, weights[] = {1, 2, 3}, edges[] = {0, 1, 3, 4};
  tdm_dist *all[11];
  tdm_dist_uniform(0, 1, &all[0], NULL);
  tdm_dist_exponential(1, &all[1], NULL);
  tdm_dist_normal(0, 1, -INFINITY, INFINITY, &all[2], NULL);
  tdm_dist_normal(0, 1, 2, 5, &all[3], NULL); /* the mirrored branch */
  tdm_dist_lognormal(1, 1, &all[4], NULL);
  tdm_dist_weibull(1, 2, &all[5], NULL);
  tdm_dist_pareto(1, 10, 1.5, &all[6], NULL);
  tdm_dist_zipf(1e9, 0.9, &all[7], NULL);
  tdm_dist_empirical(values, weights, 3, &all[8], NULL);
  tdm_dist_empirical(values, NULL, 3, &all[9], NULL);
  tdm_dist_histogram(edges, weights, 3, &all[10], NULL);
  tdm_stream stream = tdm_stream_named(1, 0, "coupled");
  for (uint64_t i = 0; i < 20000; i++) {
    double lead = tdm_dist_draw(all[1], stream, 2 * i, NULL);
    double next = tdm_dist_draw(all[1], stream, 2 * i + 1, NULL);
    if (lead == next) continue;
    for (int j = 0; j < 11; j++) {
      double a = tdm_dist_draw(all[j], stream, 2 * i, NULL);
      double b = tdm_dist_draw(all[j], stream, 2 * i + 1, NULL);
      assert_true(lead < next ? a <= b : a >= b);
    }
  }
  for (int j = 0; j < 11; j++) tdm_dist_free(all[j]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniform_follows_its_distribution),
      cmocka_unit_test(exponential_follows_its_distribution),
      cmocka_unit_test(exponential_numbers_are_draws_bit_for_bit),
      cmocka_unit_test(normal_follows_its_distribution),
      cmocka_unit_test(a_normal_cut_far_out_follows_its_distribution),
      cmocka_unit_test(lognormal_follows_its_distribution),
      cmocka_unit_test(lognormal_meets_its_percentiles),
      cmocka_unit_test(gamma_follows_its_distribution),
      cmocka_unit_test(erlang_follows_its_distribution),
      cmocka_unit_test(hyperexponential_follows_its_distribution),
      cmocka_unit_test(weibull_follows_its_distribution),
      cmocka_unit_test(weibull_meets_its_mean_and_cv),
      cmocka_unit_test(pareto_follows_its_distribution),
      cmocka_unit_test(pareto_moments_are_smooth_through_whole_alphas),
      cmocka_unit_test(histogram_follows_its_distribution),
      cmocka_unit_test(mixture_follows_its_distribution),
      cmocka_unit_test(zipf_has_its_frequencies),
      cmocka_unit_test(zipf_knows_its_mean_beyond_the_table),
      cmocka_unit_test(empirical_has_its_frequencies),
      cmocka_unit_test(a_large_uneven_table_has_its_frequencies),
      cmocka_unit_test(a_lua_distribution_calls_the_script_with_a_uniform),
      cmocka_unit_test(limits_of_families_are_recognised),
      cmocka_unit_test(families_on_one_stream_rise_together),
  };
  return cmocka_run_group_tests_name("dist", tests, set_up, tear_down);
}
