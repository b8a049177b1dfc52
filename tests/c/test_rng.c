/* base/rng: known answers, independence of streams, range of the uniform. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"

static void splitmix_gives_the_published_sequence(void **state) {
  (void)state;
  const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                               4593380528125082431u, 16408922859458223821u};
  tdm_rng rng = {1234567};
  tdm_stream stream = {1234567};
  for (uint64_t i = 0; i < 5; i++) {
    assert_true(tdm_rng_bits(&rng) == expected[i]);
    assert_true(tdm_stream_bits(stream, i) == expected[i]);
  }
}

static void a_stream_is_named_by_seed_replication_and_name(void **state) {
  (void)state;
  tdm_stream base = tdm_stream_named(1, 0, "service");
  assert_true(base.key == tdm_stream_named(1, 0, "service").key);
  assert_true(base.key != tdm_stream_named(2, 0, "service").key);
  assert_true(base.key != tdm_stream_named(1, 1, "service").key);
  assert_true(base.key != tdm_stream_named(1, 0, "servicf").key);
  assert_true(base.key != tdm_stream_named(1, 0, "").key);
  assert_true(tdm_stream_child(base, 0).key != base.key);
  assert_true(tdm_stream_child(base, 0).key != tdm_stream_child(base, 1).key);
}

/* Correlation of two uniform streams at a lag: N(0, 1/n), so 4 sigma is 4/√n. */
static double correlation(tdm_stream a, tdm_stream b, uint64_t lag, uint64_t n) {
  double sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    sum += (tdm_stream_unit(a, i) - 0.5) * (tdm_stream_unit(b, i + lag) - 0.5);
  }
  return 12 * sum / (double)n;
}

static void streams_do_not_correlate(void **state) {
  (void)state;
  const uint64_t n = 1000000;
  double limit = 4 / sqrt((double)n);
  tdm_stream base = tdm_stream_named(1, 0, "service");
  const tdm_stream others[] = {tdm_stream_named(2, 0, "service"), tdm_stream_named(1, 1, "service"),
                               tdm_stream_named(1, 0, "arrival"), tdm_stream_child(base, 0),
                               tdm_stream_child(base, 1)};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    for (uint64_t lag = 0; lag < 3; lag++) {
      assert_true(fabs(correlation(base, others[i], lag, n)) < limit);
    }
  }
  for (uint64_t lag = 1; lag < 5; lag++) {
    assert_true(fabs(correlation(base, base, lag, n)) < limit);
  }
}

static void a_unit_is_in_the_half_open_interval_without_zero(void **state) {
  (void)state;
  assert_true(tdm_unit(0) == 0x1p-53);
  assert_true(tdm_unit(UINT64_MAX) == 1.0);
  assert_true(tdm_unit(UINT64_MAX >> 1) == 0.5);
}

static void units_are_uniform(void **state) {
  (void)state;
  enum { CELLS = 1000, N = 1000000 };
  static uint32_t cells[CELLS];
  tdm_stream stream = tdm_stream_named(3, 0, "cells");
  for (uint64_t i = 0; i < N; i++) cells[(size_t)(tdm_stream_unit(stream, i) * (CELLS - 1e-9))]++;
  double chi = 0, expected = (double)N / CELLS;
  for (size_t i = 0; i < CELLS; i++) {
    chi += (cells[i] - expected) * (cells[i] - expected) / expected;
  }
  assert_true(fabs(chi - (CELLS - 1)) < 4 * sqrt(2.0 * (CELLS - 1)));
}

static void an_index_below_n_covers_its_range_evenly(void **state) {
  (void)state;
  assert_true(tdm_index_below(0, 7) == 0);
  assert_true(tdm_index_below(UINT64_MAX, 7) == 6);
  assert_true(tdm_index_below(UINT64_MAX, 1) == 0);
  unsigned counts[7] = {0};
  tdm_stream stream = tdm_stream_named(4, 0, "index");
  for (uint64_t i = 0; i < 700000; i++) counts[tdm_index_below(tdm_stream_bits(stream, i), 7)]++;
  for (int i = 0; i < 7; i++) assert_true(fabs(counts[i] - 1e5) < 4 * sqrt(1e5 * 6 / 7));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splitmix_gives_the_published_sequence),
      cmocka_unit_test(a_stream_is_named_by_seed_replication_and_name),
      cmocka_unit_test(streams_do_not_correlate),
      cmocka_unit_test(a_unit_is_in_the_half_open_interval_without_zero),
      cmocka_unit_test(units_are_uniform),
      cmocka_unit_test(an_index_below_n_covers_its_range_evenly),
  };
  return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
