/* Lanes of two runs: steps and walks against a line of nanoseconds, clocks there and back, the
 * correlation of signals against its definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "analysis/overlay/inside.h"
#include "analysis/overlay/overlay.h"

static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

/* ---- steps: how many are active at each nanosecond ---- */

enum { LINE = 400, SPANS = 40 };
typedef struct {
  tdm_lane_steps steps;
  uint32_t line[LINE];
} lane;

static lane random_lane(size_t spans) {
  lane made = {0};
  int64_t start[SPANS], end[SPANS];
  for (size_t i = 0; i < spans; i++) {
    start[i] = (int64_t)(next_random() % LINE);
    end[i] = start[i] + (int64_t)(next_random() % 30);
    if (end[i] > LINE) end[i] = LINE;
    for (int64_t t = start[i]; t < end[i]; t++) made.line[t]++;
  }
  tdm_error error;
  assert_int_equal(tdm_lane_steps_of(start, end, NULL, spans, &made.steps, &error), TDM_OK);
  return made;
}

/* Visits that touch, lie over one another and end together, against sums nanosecond by nanosecond.
 */
static void spans_in_part_take_turns(void **state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    int64_t start[SPANS], end[SPANS], busy[SPANS];
    double share[LINE] = {0};
    uint32_t active[LINE] = {0};
    for (size_t i = 0; i < SPANS; i++) {
      start[i] = (int64_t)(next_random() % (LINE / 10)) * 10;
      end[i] = start[i] + (int64_t)(next_random() % 3) * 10;
      if (end[i] > LINE) end[i] = LINE;
      busy[i] = end[i] > start[i] ? (int64_t)(next_random() % (uint64_t)(end[i] - start[i])) : 0;
      for (int64_t t = start[i]; t < end[i]; t++) {
        share[t] += (double)busy[i] / (double)(end[i] - start[i]);
        active[t]++;
      }
    }
    tdm_lane_steps steps, none = {0};
    tdm_error error;
    assert_int_equal(tdm_lane_steps_of(start, end, busy, SPANS, &steps, &error), TDM_OK);
    tdm_lane_walk walk;
    tdm_lane_part part;
    tdm_lane_walk_begin(&walk, &steps, &none, none.time_ns, 0, LINE);
    while (tdm_lane_walk_next(&walk, &part))
      for (int64_t t = part.from_ns; t < part.to_ns; t++) {
        assert_int_equal(part.a, active[t]);
        assert_true(fabs(part.busy_a - (share[t] < 1 ? share[t] : 1)) < 1e-9);
        assert_true(part.busy_b == 0);
      }
    tdm_lane_steps_close(&steps);
  }
}

static void walks_are_lines(void **state) {
  (void)state;
  for (int round = 0; round < 500; round++) {
    lane a = random_lane(next_random() % SPANS), b = random_lane(next_random() % SPANS);
    int64_t from_ns = (int64_t)(next_random() % LINE), at_ns = from_ns;
    int64_t to_ns = from_ns + 1 + (int64_t)(next_random() % (uint64_t)(LINE - from_ns));
    tdm_lane_walk walk;
    tdm_lane_part part;
    tdm_lane_walk_begin(&walk, &a.steps, &b.steps, b.steps.time_ns, from_ns, to_ns);
    while (tdm_lane_walk_next(&walk, &part)) {
      assert_int_equal(part.from_ns, at_ns);
      assert_true(part.to_ns > part.from_ns);
      for (; at_ns < part.to_ns; at_ns++) {
        assert_int_equal(part.a, a.line[at_ns]);
        assert_int_equal(part.b, b.line[at_ns]);
      }
    }
    assert_int_equal(at_ns, to_ns);
    tdm_lane_steps_close(&a.steps);
    tdm_lane_steps_close(&b.steps);
  }
}

static void signals_are_means(void **state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    lane a = random_lane(1 + next_random() % (SPANS - 1));
    int64_t from_ns = (int64_t)(next_random() % 100) - 50, width = 1 + (int64_t)(next_random() % 9);
    double out[50];
    const tdm_signal_frame frame = {from_ns, (double)width, 50};
    tdm_signal_of(&a.steps, &frame, out);
    for (int64_t bin = 0; bin < 50; bin++) {
      double sum = 0;
      for (int64_t t = from_ns + bin * width; t < from_ns + (bin + 1) * width; t++)
        if (t >= 0 && t < LINE) sum += a.line[t];
      assert_true(fabs(out[bin] - sum / (double)width) < 1e-9);
    }
    tdm_lane_steps_close(&a.steps);
  }
}

/* ---- clocks ---- */

static void clocks_go_there_and_back(void **state) {
  (void)state;
  const tdm_clock clock = {.offset_ns = -123456789, .origin_ns = 1000, .drift_ppm = 250.5};
  for (int round = 0; round < 1000; round++) {
    int64_t time_ns = (int64_t)(next_random() >> 12);
    int64_t back_ns = tdm_clock_back(&clock, tdm_clock_time(&clock, time_ns));
    assert_true(llabs(back_ns - time_ns) <= 1);
  }
  const tdm_clock far = {.offset_ns = INT64_MAX};
  assert_int_equal(tdm_clock_time(&far, 5), INT64_MAX);
  const tdm_clock near = {.offset_ns = 7};
  assert_int_equal(tdm_clock_time(&near, -3), 4);
}

static void impossible_clocks_are_refused(void **state) {
  (void)state;
  tdm_alignment found;
  tdm_error error;
  const int64_t low[] = {INT64_MIN + 1, 0, 5}, high[] = {INT64_MAX, 3, 9};
  assert_int_equal(tdm_clock_fit(low, high, 3, TDM_DRIFT_AUTO, &found, &error), TDM_INVALID);
  assert_int_equal(tdm_clock_fit(low, high, 0, TDM_DRIFT_AUTO, &found, &error), TDM_INVALID);
}

/* ---- correlation ---- */

enum { A = 37, B = 23 };

/* By its definition: the sum over what overlaps, of signals without their means and of norm 1. */
static double correlation_at(const double *a, const double *b, int lag) {
  double a_mean = 0, b_mean = 0, aa = 0, bb = 0, sum = 0;
  for (int i = 0; i < A; i++) a_mean += a[i] / A;
  for (int i = 0; i < B; i++) b_mean += b[i] / B;
  for (int i = 0; i < A; i++) aa += (a[i] - a_mean) * (a[i] - a_mean);
  for (int i = 0; i < B; i++) bb += (b[i] - b_mean) * (b[i] - b_mean);
  for (int t = 0; t < A; t++)
    if (t - lag >= 0 && t - lag < B) sum += (a[t] - a_mean) * (b[t - lag] - b_mean);
  return sum / sqrt(aa * bb);
}

static void correlations_are_their_definition(void **state) {
  (void)state;
  double a[A], b[B], flat[B] = {0};
  tdm_correlation_sum sum;
  tdm_error error;
  for (int i = 0; i < A; i++) a[i] = (double)(next_random() % 1000);
  for (int i = 0; i < B; i++) b[i] = (double)(next_random() % 1000);
  assert_int_equal(tdm_correlation_sum_open(A, B, &sum, &error), TDM_OK);
  tdm_correlation_sum_add(&sum, a, b);
  tdm_correlation_sum_add(&sum, a, flat); /* never changes: says nothing */
  assert_int_equal(sum.pairs, 1);
  const double *lags = tdm_correlation_sum_lags(&sum);
  for (int lag = -(B - 1); lag < A; lag++)
    assert_true(fabs(lags[lag + B - 1] - correlation_at(a, b, lag)) < 1e-9);
  tdm_correlation_sum_close(&sum);
  assert_true(fabs(tdm_signal_alike(a, a, A) - 1) < 1e-9);
  assert_true(tdm_signal_alike(b, flat, B) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(walks_are_lines),
                                     cmocka_unit_test(spans_in_part_take_turns),
                                     cmocka_unit_test(signals_are_means),
                                     cmocka_unit_test(clocks_go_there_and_back),
                                     cmocka_unit_test(impossible_clocks_are_refused),
                                     cmocka_unit_test(correlations_are_their_definition)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
