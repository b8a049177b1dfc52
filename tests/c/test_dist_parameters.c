/* base/dist: what constructors refuse and how distributions are worded. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/dist/dist.h"

static tdm_dist *made; /* what MAKE made */
#define MAKE(call) (assert_int_equal(call, TDM_OK), made)

static void descriptions_name_family_and_parameters(void **state) {
  (void)state;
  char text[120], cut[8];
  tdm_dist *dist = MAKE(tdm_dist_exponential(0.8, &made, NULL));
  assert_string_equal(tdm_dist_describe(dist, text, sizeof text), "exponential, mean 0.8");
  assert_string_equal(tdm_dist_describe(dist, cut, sizeof cut), "exponen");
  tdm_dist_free(dist);
  dist = MAKE(tdm_dist_normal(5, 2, 0, INFINITY, &made, NULL));
  assert_string_equal(tdm_dist_describe(dist, text, sizeof text),
                      "normal, mean 5, sd 2, cut below 0");
  tdm_dist_free(dist);
  dist = MAKE(tdm_dist_zipf(1000, 1.1, &made, NULL));
  assert_string_equal(tdm_dist_describe(dist, text, sizeof text), "zipf over 1…1000, s 1.1");
  tdm_dist_free(dist);
}

/* The call fails, makes nothing, and its message holds `text`. */
#define REFUSES(call, text)                                                                        \
  do {                                                                                             \
    tdm_error error = {TDM_OK, ""};                                                                \
    made = (tdm_dist *)&error;                                                                     \
    assert_int_equal(call, TDM_INVALID);                                                           \
    assert_null(made);                                                                             \
    if (strstr(error.message, text) == NULL) assert_string_equal(error.message, text);             \
    made = NULL;                                                                                   \
  } while (0)

static void wrong_parameters_are_named_with_their_range(void **state) {
  (void)state;
  const double bad[] = {1, -1}, zero[] = {0, 0}, ok[] = {1, 2}, falling[] = {1, 2, 2};
  REFUSES(tdm_dist_constant(NAN, &made, &error), "constant: value must be finite");
  REFUSES(tdm_dist_uniform(3, 2, &made, &error), "uniform: max must be at least min, not 2");
  REFUSES(tdm_dist_exponential(-1, &made, &error),
          "exponential: mean must be positive and finite, not -1");
  REFUSES(tdm_dist_normal(0, -1, 0, 1, &made, &error), "normal: sd");
  REFUSES(tdm_dist_normal(0, 1, 1, 1, &made, &error), "normal: max must be greater than min");
  REFUSES(tdm_dist_normal(0, 1, 60, 70, &made, &error), "mean 0 and sd 1 leave nothing");
  REFUSES(tdm_dist_lognormal(0, 1, &made, &error), "lognormal: mean");
  REFUSES(tdm_dist_lognormal(1, -1, &made, &error), "lognormal: cv");
  REFUSES(tdm_dist_lognormal_percentiles(50, 2, 99, 1, &made, &error), "lognormal: p99");
  REFUSES(tdm_dist_lognormal_percentiles(50, 2, 100, 3, &made, &error), "below 100");
  REFUSES(tdm_dist_gamma(1, -0.5, &made, &error), "gamma: cv");
  REFUSES(tdm_dist_erlang(1.5, 1, &made, &error), "erlang: k must be a whole number");
  REFUSES(tdm_dist_hyperexponential(bad, ok, 2, &made, &error), "item 2 is -1");
  REFUSES(tdm_dist_hyperexponential(ok, bad, 2, &made, &error), "means must be positive");
  REFUSES(tdm_dist_weibull(1, 1e3, &made, &error), "weibull: cv");
  REFUSES(tdm_dist_weibull_shape(0, 1, &made, &error), "weibull: shape");
  REFUSES(tdm_dist_pareto(2, 1, 1, &made, &error), "pareto: max");
  REFUSES(tdm_dist_pareto(0, 1, 1, &made, &error), "pareto: min");
  REFUSES(tdm_dist_zipf(0, 1, &made, &error), "zipf: n must be a whole number from 1");
  REFUSES(tdm_dist_empirical(ok, zero, 2, &made, &error), "positive, finite sum");
  REFUSES(tdm_dist_empirical(ok, NULL, 0, &made, &error), "empirical: values must have");
  REFUSES(tdm_dist_histogram(falling, ok, 2, &made, &error), "item 3 is 2");
  REFUSES(tdm_dist_mixture(bad, NULL, 2, &made, &error), "mixture: weights");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(descriptions_name_family_and_parameters),
      cmocka_unit_test(wrong_parameters_are_named_with_their_range),
  };
  return cmocka_run_group_tests_name("dist_parameters", tests, NULL, NULL);
}
