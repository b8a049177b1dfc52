/* How many spans are active over time, against steps counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "trace/sweep.h"

/* Hand-over at one instant, zero-length spans and simultaneous starts make no phantom steps. */
static void a_sweep_has_no_phantom_steps(void **state) {
  (void)state;
  const tdm_step expected[] = {{0, 1}, {15, 0}, {20, 2}, {25, 1}, {29, 0}};
  tdm_sweep sweep;
  tdm_step step;
  assert_int_equal(tdm_sweep_begin(&sweep, 5, NULL), TDM_OK);
  tdm_sweep_add(&sweep, 0, 10);
  tdm_sweep_add(&sweep, 10, 15); /* hand-over */
  tdm_sweep_add(&sweep, 12, 12); /* zero length */
  tdm_sweep_add(&sweep, 20, 25); /* two at once */
  tdm_sweep_add(&sweep, 20, 29);
  assert_int_equal(tdm_sweep_ready(&sweep, NULL), TDM_OK);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_true(tdm_sweep_next(&sweep, &step));
    assert_int_equal(step.time_ns, expected[i].time_ns);
    assert_int_equal(step.active, expected[i].active);
  }
  assert_false(tdm_sweep_next(&sweep, &step));
  tdm_sweep_close(&sweep);
}

static void a_sweep_of_nothing_has_no_steps(void **state) {
  (void)state;
  tdm_sweep sweep;
  tdm_step step;
  assert_int_equal(tdm_sweep_begin(&sweep, 0, NULL), TDM_OK);
  assert_int_equal(tdm_sweep_ready(&sweep, NULL), TDM_OK);
  assert_false(tdm_sweep_next(&sweep, &step));
  tdm_sweep_close(&sweep);
}

/* Times of either sign and any size are sorted. */
static void a_sweep_sorts_all_of_int64(void **state) {
  (void)state;
  enum { SPANS = 5000 };
  tdm_sweep sweep;
  assert_int_equal(tdm_sweep_begin(&sweep, SPANS + 1, NULL), TDM_OK);
  tdm_rng rng = {3};
  for (unsigned i = 0; i < SPANS; i++) {
    int64_t start_ns = (int64_t)(tdm_rng_bits(&rng) >> (i % 40)) / 2 - (1 << 20);
    tdm_sweep_add(&sweep, start_ns, start_ns + 1);
  }
  tdm_sweep_add(&sweep, INT64_MIN, INT64_MIN + 1);
  assert_int_equal(tdm_sweep_ready(&sweep, NULL), TDM_OK);
  assert_int_equal(sweep.count, SPANS + 1);
  assert_true(sweep.starts[0] == INT64_MIN);
  for (size_t i = 1; i < sweep.count; i++) {
    assert_true(sweep.starts[i - 1] <= sweep.starts[i]);
    assert_true(sweep.ends[i - 1] <= sweep.ends[i]);
  }
  tdm_sweep_close(&sweep);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sweep_has_no_phantom_steps),
      cmocka_unit_test(a_sweep_of_nothing_has_no_steps),
      cmocka_unit_test(a_sweep_sorts_all_of_int64),
  };
  return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
