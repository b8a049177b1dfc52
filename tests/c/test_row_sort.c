/* Rows sorted by start, longer first, otherwise as they came: held against insertion, one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/rng.h"
#include "trace/row_sort.h"

enum { MOST = 1500 };
static int64_t start[MOST], dur[MOST], mark[MOST];
static size_t expected[MOST];

static void sorts_like_insertion(tdm_row_sorter *sorter, size_t count) {
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    size_t at = used++;
    for (; at > 0; at--) {
      size_t before = expected[at - 1];
      if (start[before] < start[i] || (start[before] == start[i] && dur[before] >= dur[i])) break;
      expected[at] = before;
    }
    expected[at] = i;
    mark[i] = (int64_t)i;
  }
  int64_t *columns[] = {start, dur, mark};
  assert_true(tdm_rows_sort(sorter, columns, 3, count));
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(mark[i], expected[i]);
    assert_true(i == 0 || start[i - 1] <= start[i]);
  }
}

static void rows_of_every_disorder_are_sorted_and_ties_keep_their_order(void **state) {
  (void)state;
  tdm_row_sorter sorter = {0};
  tdm_rng rng = {9};
  /* how far a start may stray: not at all, a few rows, everywhere; few values: many ties */
  static const uint64_t stray[] = {1, 5, 100, 100000};
  for (size_t count = 0; count < MOST; count = count < 70 ? count + 1 : count * 3 / 2)
    for (size_t k = 0; k < 4; k++) {
      for (size_t i = 0; i < count; i++) {
        uint64_t bits = tdm_rng_bits(&rng);
        start[i] = (int64_t)(i / 3 + tdm_index_below(bits, stray[k])) - 50;
        dur[i] = (int64_t)(bits & 3);
      }
      sorts_like_insertion(&sorter, count);
    }
  tdm_row_sorter_free(&sorter);
}

static void times_of_either_sign_and_any_size_are_sorted(void **state) {
  (void)state;
  tdm_row_sorter sorter = {0};
  tdm_rng rng = {2};
  for (size_t i = 0; i < MOST; i++) {
    start[i] = i % 7 == 0 ? INT64_MIN : (int64_t)(tdm_rng_bits(&rng) << (i % 60));
    dur[i] = i % 5 == 0 ? INT64_MIN : (int64_t)tdm_rng_bits(&rng);
  }
  sorts_like_insertion(&sorter, MOST);
  tdm_row_sorter_free(&sorter);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_every_disorder_are_sorted_and_ties_keep_their_order),
      cmocka_unit_test(times_of_either_sign_and_any_size_are_sorted),
  };
  return cmocka_run_group_tests_name("row_sort", tests, NULL, NULL);
}
