/* Welch's test and the false discovery rate against values worked out by hand, and the longest rows
 * of evidence against a plain sort. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/diff/diff.h"
#include "analysis/evidence/evidence.h"

static void welch_has_students_t(void **state) {
  (void)state;
  /* Equal variances and sizes: Student's t with 8 degrees of freedom, t = 5. */
  tdm_observed a = {5, 102, 2.5}, b = {5, 107, 2.5};
  tdm_welch_result r = tdm_welch(a, b);
  assert_true(fabs(r.p - 0.00105282) < 1e-7);
  assert_true(fabs(r.half - 2.306004135) < 1e-6);
}

static void welch_needs_two_observations(void **state) {
  (void)state;
  tdm_observed one = {1, 5, 0}, two = {2, 5, 1};
  assert_true(isnan(tdm_welch(one, two).p));
  assert_true(isnan(tdm_welch(two, one).half));
}

static void constants_differ_or_do_not(void **state) {
  (void)state;
  tdm_observed a = {3, 5, 0}, b = {3, 6, 0};
  assert_true(tdm_welch(a, a).p == 1 && tdm_welch(a, b).p == 0);
}

/* 1 … 16 climb: a correlation of 0.8 as it is found, and no more than 1 − 4 / 16 as it is taken. */
static void what_drifts_varies_more(void **state) {
  (void)state;
  tdm_observed climb = {16, 8.5, 340 / 15.0}, few = {11, 6, 11};
  double next = 0;
  for (int i = 1; i < 16; i++) next += (i - 8.5) * (i + 1 - 8.5);
  assert_true(fabs(tdm_observed_drift(&climb, next) - 1.75 / 0.25) < 1e-12);
  assert_true(tdm_observed_drift(&climb, -next) == 1);
  assert_true(tdm_observed_drift(&few, 80) == 1);
  /* found 0.1, its bias (1 + 0.3) / 16 */
  assert_true(fabs(tdm_observed_drift(&climb, 34) - 1.18125 / 0.81875) < 1e-12);
}

static void false_discoveries_are_limited(void **state) {
  (void)state;
  double all[] = {0.01, 0.04, 0.03, 0.005}; /* limits 0.0125, 0.025, 0.0375, 0.05 */
  double some[] = {0.02, 0.6, 0.001, 0.9};
  double none[] = {0.2, 0.5};
  assert_true(tdm_false_discovery_limit(all, 4, 0.05) == 0.04);
  assert_true(tdm_false_discovery_limit(some, 4, 0.05) == 0.02);
  assert_true(tdm_false_discovery_limit(none, 2, 0.05) == -1);
  assert_true(tdm_false_discovery_limit(none, 0, 0.05) == -1);
}

enum { ROWS = 257 };
static int64_t length[ROWS];

static int longer(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  if (length[a] != length[b]) return length[a] > length[b] ? -1 : 1;
  return (a > b) - (a < b);
}

static void longest_rows_come_sorted(void **state) {
  (void)state;
  int64_t start[ROWS] = {0};
  uint32_t expected[ROWS], row[ROWS];
  const tdm_kept_block starts = tdm_kept_plain(start);
  const tdm_kept_block ends = tdm_kept_plain(length);
  const tdm_table table = {.count = ROWS, .start = &starts, .end = &ends};
  const tdm_intervals set = {.count = ROWS, .start_ns = start, .end_ns = length};
  for (uint32_t i = 0; i < ROWS; i++) {
    length[i] = (i * 7919u) % 101; /* many ties */
    expected[i] = i;
  }
  qsort(expected, ROWS, sizeof *expected, longer);
  for (size_t limit = 0; limit < ROWS + 10; limit += 19) {
    for (uint32_t i = 0; i < ROWS; i++) row[i] = i;
    size_t kept = tdm_evidence_longest(&table, row, ROWS, limit);
    assert_int_equal(kept, limit < ROWS ? limit : ROWS);
    assert_memory_equal(row, expected, kept * sizeof *row);
    for (uint32_t i = 0; i < ROWS; i++) row[i] = i;
    assert_int_equal(tdm_evidence_longest_of(&set, row, ROWS, limit), kept);
    assert_memory_equal(row, expected, kept * sizeof *row);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(welch_has_students_t),       cmocka_unit_test(welch_needs_two_observations),
      cmocka_unit_test(constants_differ_or_do_not), cmocka_unit_test(false_discoveries_are_limited),
      cmocka_unit_test(longest_rows_come_sorted),   cmocka_unit_test(what_drifts_varies_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
