/* Order statistics against the C library's sort. */
#include "base/ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"

static int by_value(const void *a, const void *b) {
  int64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

/* `spread` bits of each time are random: few make many ties. */
static void fill(int64_t *ns, size_t count, uint32_t spread, uint64_t key) {
  for (size_t i = 0; i < count; i++)
    ns[i] = (int64_t)(tdm_mix(key + i * TDM_GAMMA) >> (64 - spread));
}

static void sorting_and_selecting_agree_with_qsort(void **state) {
  (void)state;
  static const size_t counts[] = {1, 2, 3, 63, 64, 65, 1000, 16384};
  static const uint32_t spreads[] = {1, 4, 20, 40, 62};
  static int64_t ns[16384], spare[16384], expected[16384], shuffled[16384];
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
      size_t count = counts[c];
      fill(ns, count, spreads[s], 7 * c + s);
      memcpy(expected, ns, sizeof ns);
      memcpy(shuffled, ns, sizeof ns);
      qsort(expected, count, sizeof *expected, by_value);
      tdm_ranks_sort(ns, spare, count);
      assert_memory_equal(ns, expected, count * sizeof *ns);
      for (double level = 0; level <= 1; level += 0.125) {
        double at = level * (double)(count - 1);
        size_t low = (size_t)at, high = low + 1 < count ? low + 1 : low;
        double wanted =
            (double)expected[low] + (at - (double)low) * (double)(expected[high] - expected[low]);
        assert_true(tdm_ranks_quantile_ns(ns, count, level) == wanted);
        assert_true(tdm_ranks_select_ns(shuffled, count, level) == wanted);
      }
    }
}

static void sorted_and_reversed_times_are_no_special_case(void **state) {
  (void)state;
  static int64_t ns[5000], spare[5000];
  for (int64_t i = 0; i < 5000; i++) ns[i] = i;
  assert_true(tdm_ranks_select_ns(ns, 5000, 0.5) == 2499.5);
  for (int64_t i = 0; i < 5000; i++) ns[i] = 5000 - i;
  assert_true(tdm_ranks_select_ns(ns, 5000, 0.99) == 4950.01);
  tdm_ranks_sort(ns, spare, 5000);
  for (int64_t i = 0; i < 5000; i++) assert_int_equal(ns[i], i + 1);
}

static void a_median_stays_in_the_range_of_times(void **state) {
  (void)state;
  int64_t extremes[] = {INT64_MAX, 0, INT64_MAX};
  assert_true(tdm_ranks_median_ns(extremes, 3) == INT64_MAX);
  int64_t pair[] = {9, 4};
  assert_int_equal(tdm_ranks_median_ns(pair, 2), 6);
  assert_int_equal(tdm_ranks_median_ns(NULL, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sorting_and_selecting_agree_with_qsort),
      cmocka_unit_test(sorted_and_reversed_times_are_no_special_case),
      cmocka_unit_test(a_median_stays_in_the_range_of_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
