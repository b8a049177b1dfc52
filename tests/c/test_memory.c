/* Arrays: counts that overflow are refused, none is an array too, large ones are as small ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"

enum { LARGE = 5 << 20 }; /* of 8 bytes: more than a large page, and no whole number of them */

static void too_many_are_refused(void **state) {
  (void)state;
  size_t capacity = 0;
  int64_t *none = NULL;
  assert_null(tdm_array_new(SIZE_MAX / 4, 8));
  assert_null(tdm_array_raw(SIZE_MAX / 4, 8)); /* by the product alone: four bytes */
  assert_null(tdm_aligned_new(SIZE_MAX / 4, 8));
  assert_false(tdm_array_grow(&none, &capacity, SIZE_MAX / 4, 8));
  assert_null(none);
  assert_int_equal(capacity, 0);
}

static void none_is_an_array(void **state) {
  (void)state;
  void *made[] = {tdm_array_new(0, 8), tdm_array_raw(0, 8), tdm_aligned_new(0, 8)};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    assert_non_null(made[i]);
    free(made[i]);
  }
}

static void large_ones_hold_all_they_are_asked_for(void **state) {
  (void)state;
  int64_t *zeroed = tdm_array_new(LARGE + 3, sizeof *zeroed);
  int64_t *aligned = tdm_aligned_new(LARGE + 3, sizeof *aligned);
  int64_t *raw = tdm_array_raw(LARGE + 3, sizeof *raw);
  assert_true(zeroed != NULL && aligned != NULL && raw != NULL);
  assert_int_equal((uintptr_t)aligned % 64, 0);
  for (size_t i = 0; i < LARGE + 3; i++) {
    assert_int_equal(zeroed[i] | aligned[i], 0);
    raw[i] = (int64_t)i;
  }
  size_t capacity = LARGE + 3;
  assert_true(tdm_array_grow(&raw, &capacity, LARGE + 4, sizeof *raw));
  assert_int_equal(capacity, 2 * (LARGE + 3));
  raw[capacity - 1] = -1;
  for (size_t i = 0; i < LARGE + 3; i++) assert_int_equal(raw[i], i);
  free(zeroed);
  free(aligned);
  free(raw);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(too_many_are_refused),
      cmocka_unit_test(none_is_an_array),
      cmocka_unit_test(large_ones_hold_all_they_are_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
