/* Busy fractions and mean activity per bin, against sums done by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "trace/activity.h"
#include "trace/sweep.h"
#include "trace_fixture.h"

static fixture *two_lanes(void) {
  fixture *f = fixture_new(1000);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 2);
  fixture_track(f, 1, "L40#1", "GPU", TDM_LANE_GPU, 1);
  fixture_track(f, 2, "L40#2", "GPU", TDM_LANE_GPU, 3);
  fixture_name(f, 0, "work");
  return f;
}

static void near(double value, double expected) {
  if (value > expected + 1e-12 || value < expected - 1e-12)
    fail_msg("%.17g is not %.17g", value, expected);
}

static void bins_hold_busy_fraction_and_mean(void **state) {
  (void)state;
  fixture *f = two_lanes();
  fixture_span(f, 0, 0, 0, 15, 0);  /* bin 0 whole, bin 1 half */
  fixture_span(f, 0, 0, 5, 10, 1);  /* overlaps it */
  fixture_span(f, 1, 0, 30, 10, 2); /* bin 3 */
  fixture_span(f, 2, 0, 35, 5, 3);
  fixture_flush(f);
  tdm_activity activity;
  assert_int_equal(tdm_activity_open(&activity, f->trace, TDM_ACTIVITY_BY_LANE, 0, 40, 4, NULL),
                   TDM_OK);
  assert_int_equal(activity.rows, 2);
  const tdm_activity_row *cpu = &activity.row[0], *gpu = &activity.row[1];
  assert_string_equal(cpu->name, "CPU");
  assert_int_equal(cpu->capacity, 2);
  near(cpu->busy[0], 1.0);
  near(cpu->active[0], 1.5);
  near(cpu->busy[1], 0.5);
  near(cpu->active[1], 1.0);
  near(cpu->busy[2], 0.0);
  assert_string_equal(gpu->name, "GPU");
  assert_int_equal(gpu->capacity, 4);
  near(gpu->busy[3], 1.0);
  near(gpu->active[3], 1.5);
  tdm_activity_close(&activity);
  fixture_free(f);
}

static void tracks_have_rows_of_their_own(void **state) {
  (void)state;
  fixture *f = two_lanes();
  fixture_span(f, 2, 0, 10, 10, 0);
  fixture_flush(f);
  tdm_activity activity;
  assert_int_equal(tdm_activity_open(&activity, f->trace, TDM_ACTIVITY_BY_TRACK, 0, 0, 2, NULL),
                   TDM_OK);
  assert_int_equal(activity.rows, 3);
  assert_string_equal(activity.row[2].process, "L40#2");
  assert_int_equal(activity.row[2].capacity, 3);
  assert_int_equal(activity.from_ns, 10); /* no range given: that of the spans */
  assert_int_equal(activity.to_ns, 20);
  near(activity.row[2].busy[0], 1.0);
  near(activity.row[1].busy[0], 0.0);
  tdm_activity_close(&activity);
  fixture_free(f);
}

/* Over any binning, the bins add up to the spans' durations. */
static void bins_conserve_time(void **state) {
  (void)state;
  fixture *f = two_lanes();
  tdm_rng rng = {7};
  double total = 0;
  for (uint64_t i = 0; i < 900; i++) {
    int64_t dur = (int64_t)tdm_index_below(tdm_rng_bits(&rng), 5000);
    int64_t start = (int64_t)tdm_index_below(tdm_rng_bits(&rng), 100000);
    fixture_span(f, (uint32_t)(1 + i % 2), 0, start, dur, i);
    total += (double)dur;
  }
  fixture_flush(f);
  for (size_t bins = 1; bins < 500; bins = bins * 3 + 1) {
    tdm_activity a;
    assert_int_equal(
        tdm_activity_open(&a, f->trace, TDM_ACTIVITY_BY_LANE, -1000, 120000, bins, NULL), TDM_OK);
    double sum = 0;
    for (size_t i = 0; i < bins; i++) {
      __int128 low = (__int128)121000 * (__int128)i / (__int128)bins;
      __int128 high = (__int128)121000 * ((__int128)i + 1) / (__int128)bins;
      sum += a.row[1].active[i] * (double)(high - low);
      assert_true(a.row[1].busy[i] <= 1.0 + 1e-12);
      assert_true(a.row[1].active[i] >= a.row[1].busy[i] - 1e-12);
    }
    assert_true(sum > total - 1e-3 && sum < total + 1e-3);
    tdm_activity_close(&a);
  }
  fixture_free(f);
}

static void one_unlimited_track_makes_a_lane_unlimited(void **state) {
  (void)state;
  fixture *f = two_lanes();
  fixture_track(f, 3, "host", "pool", TDM_LANE_CPU, 0);
  tdm_activity activity;
  assert_int_equal(tdm_activity_open(&activity, f->trace, TDM_ACTIVITY_BY_LANE, 0, 9, 1, NULL),
                   TDM_OK);
  assert_int_equal(activity.row[0].capacity, 0);
  assert_int_equal(activity.row[1].capacity, 4);
  tdm_activity_close(&activity);
  fixture_free(f);
}

static void odd_requests_are_answered(void **state) {
  (void)state;
  fixture *f = two_lanes();
  tdm_activity activity;
  tdm_error error;
  assert_int_equal(tdm_activity_open(&activity, f->trace, TDM_ACTIVITY_BY_LANE, 0, 9, 0, &error),
                   TDM_INVALID);
  assert_int_equal(tdm_activity_open(&activity, f->trace, TDM_ACTIVITY_BY_LANE, 9, 0, 3, &error),
                   TDM_INVALID);
  assert_int_equal(tdm_activity_open(&activity, f->trace, TDM_ACTIVITY_BY_LANE, 0, 0, 3, &error),
                   TDM_OK); /* an empty trace */
  near(activity.row[0].busy[2], 0.0);
  tdm_activity_close(&activity);
  fixture_span(f, 0, 0, 1, 1, 0);
  fixture_flush(f);
  assert_int_equal(tdm_activity_open(&activity, f->trace, TDM_ACTIVITY_BY_LANE, 0, 2, 9, &error),
                   TDM_OK); /* more bins than nanoseconds */
  tdm_activity_close(&activity);
  fixture_free(f);
}

/* Hand-over at one instant, zero-length spans and simultaneous starts make no phantom steps. */
static void a_sweep_has_no_phantom_steps(void **state) {
  (void)state;
  fixture *f = two_lanes();
  fixture_span(f, 0, 0, 0, 10, 0);
  fixture_span(f, 0, 0, 10, 5, 1); /* hand-over */
  fixture_span(f, 0, 0, 12, 0, 2); /* zero length */
  fixture_span(f, 0, 0, 20, 5, 3); /* two at once */
  fixture_span(f, 0, 0, 20, 9, 4);
  fixture_span(f, 1, 0, 3, 3, 5); /* another track: not chosen */
  fixture_flush(f);
  const unsigned char chosen[3] = {1, 0, 0};
  const tdm_step expected[] = {{0, 1}, {15, 0}, {20, 2}, {25, 1}, {29, 0}};
  tdm_sweep sweep;
  tdm_step step;
  assert_int_equal(tdm_sweep_open(&sweep, f->trace, chosen, NULL), TDM_OK);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_true(tdm_sweep_next(&sweep, &step));
    assert_int_equal(step.time_ns, expected[i].time_ns);
    assert_int_equal(step.active, expected[i].active);
  }
  assert_false(tdm_sweep_next(&sweep, &step));
  tdm_sweep_close(&sweep);
  fixture_free(f);
}

/* Times of either sign and any size are sorted. */
static void a_sweep_sorts_all_of_int64(void **state) {
  (void)state;
  fixture *f = fixture_new(100000);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 0);
  fixture_name(f, 0, "work");
  tdm_rng rng = {3};
  for (uint64_t i = 0; i < 5000; i++)
    fixture_span(f, 0, 0, (int64_t)(tdm_rng_bits(&rng) >> (i % 40)) / 2 - (1 << 20), 1, i);
  fixture_span(f, 0, 0, INT64_MIN, 1, 5000);
  fixture_flush(f);
  const unsigned char chosen[1] = {1};
  tdm_sweep sweep;
  assert_int_equal(tdm_sweep_open(&sweep, f->trace, chosen, NULL), TDM_OK);
  assert_true(sweep.starts[0] == INT64_MIN);
  for (size_t i = 1; i < sweep.count; i++) {
    assert_true(sweep.starts[i - 1] <= sweep.starts[i]);
    assert_true(sweep.ends[i - 1] <= sweep.ends[i]);
  }
  tdm_sweep_close(&sweep);
  fixture_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bins_hold_busy_fraction_and_mean),
      cmocka_unit_test(tracks_have_rows_of_their_own),
      cmocka_unit_test(bins_conserve_time),
      cmocka_unit_test(one_unlimited_track_makes_a_lane_unlimited),
      cmocka_unit_test(odd_requests_are_answered),
      cmocka_unit_test(a_sweep_has_no_phantom_steps),
      cmocka_unit_test(a_sweep_sorts_all_of_int64),
  };
  return cmocka_run_group_tests_name("activity", tests, NULL, NULL);
}
