/* Sets of times, groups of rows, moments and quartiles of values: against brute force. Times as
 * text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer.h"
#include "analysis/groups.h"
#include "analysis/intervals.h"
#include "analysis/moments.h"

static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

/* ---- intervals: a set is also a line of nanoseconds, each in it or not ---- */

enum { LINE = 600 };
typedef struct {
  tdm_intervals set;
  unsigned char line[LINE];
} both;

static both random_set(size_t rows) {
  both made = {0};
  int64_t start_ns = 0;
  for (size_t i = 0; i < rows; i++) {
    start_ns += (int64_t)(next_random() % 17);
    int64_t end_ns = start_ns + (int64_t)(next_random() % 14) - 2; /* some are empty, some turned */
    if (end_ns > LINE || start_ns >= LINE) break;
    assert_true(tdm_intervals_add(&made.set, start_ns, end_ns));
    for (int64_t t = start_ns; t < end_ns; t++) made.line[t] = 1;
  }
  return made;
}

static void is_line(const tdm_intervals *set, const unsigned char *line) {
  unsigned char covered[LINE] = {0};
  int64_t total = 0, expected = 0;
  for (size_t i = 0; i < set->count; i++) {
    assert_true(set->start_ns[i] < set->end_ns[i]);
    if (i > 0) assert_true(set->end_ns[i - 1] <= set->start_ns[i]);
    for (int64_t t = set->start_ns[i]; t < set->end_ns[i]; t++) covered[t]++;
  }
  assert_memory_equal(covered, line, LINE);
  for (size_t t = 0; t < LINE; t++) expected += line[t];
  total = tdm_intervals_total_ns(set);
  assert_int_equal(total, expected);
}

static void sets_of_times_agree_with_a_line_of_nanoseconds(void **state) {
  (void)state;
  for (size_t round = 0; round < 400; round++) {
    both a = random_set(next_random() % 90), b = random_set(next_random() % 90);
    unsigned char either[LINE], common[LINE], only_a[LINE];
    int64_t common_ns = 0;
    for (size_t t = 0; t < LINE; t++) {
      either[t] = a.line[t] | b.line[t];
      common[t] = a.line[t] & b.line[t];
      only_a[t] = a.line[t] & !b.line[t];
      common_ns += common[t];
    }
    is_line(&a.set, a.line);
    int64_t from = (int64_t)(next_random() % LINE), to = (int64_t)(next_random() % LINE),
            within = 0;
    for (int64_t t = from; t < to; t++) within += a.line[t];
    assert_int_equal(tdm_intervals_within_ns(&a.set, from, to), within);
    size_t after = tdm_intervals_after(&a.set, from);
    assert_true(after == a.set.count || a.set.end_ns[after] > from);
    assert_true(after == 0 || a.set.end_ns[after - 1] <= from);
    assert_int_equal(tdm_intervals_common_ns(&a.set, &b.set), common_ns);
    assert_int_equal(tdm_intervals_common_ns(&b.set, &a.set), common_ns);
    tdm_intervals out[3] = {{0}};
    tdm_error error;
    assert_int_equal(tdm_intervals_union(&a.set, &b.set, &out[0], &error), TDM_OK);
    assert_int_equal(tdm_intervals_intersect(&a.set, &b.set, &out[1], &error), TDM_OK);
    assert_int_equal(tdm_intervals_subtract(&a.set, &b.set, &out[2], &error), TDM_OK);
    is_line(&out[0], either);
    is_line(&out[1], common);
    is_line(&out[2], only_a);
    for (size_t k = 0; k < 3; k++) tdm_intervals_close(&out[k]);
    tdm_intervals_close(&a.set);
    tdm_intervals_close(&b.set);
  }
}

static void touching_intervals_are_one_and_share_nothing(void **state) {
  (void)state;
  tdm_intervals a = {0}, b = {0};
  assert_true(tdm_intervals_add(&a, 10, 20) && tdm_intervals_add(&a, 20, 30));
  assert_true(tdm_intervals_add(&b, 30, 40));
  assert_int_equal(a.count, 1);
  assert_int_equal(tdm_intervals_total_ns(&a), 20);
  assert_int_equal(tdm_intervals_common_ns(&a, &b), 0);
  tdm_intervals_close(&a);
  tdm_intervals_close(&b);
}

/* ---- groups ---- */

enum { ROWS = 20000, KEYS = 3 };

static void groups_are_those_of_equal_keys(void **state) {
  (void)state;
  static int64_t key[ROWS][KEYS];
  static const uint64_t kinds[] = {1, 5, 40, 1u << 20}; /* values of a key: few to many groups */
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    tdm_groups groups;
    tdm_error error;
    assert_int_equal(tdm_groups_open(&groups, KEYS, ROWS, &error), TDM_OK);
    uint32_t newest = 0;
    for (size_t i = 0; i < ROWS; i++) {
      for (size_t c = 0; c < KEYS; c++)
        key[i][c] = (int64_t)(next_random() % kinds[k]) - 3 * (int64_t)c;
      uint32_t group = tdm_groups_add(&groups, key[i]);
      assert_true(group <= newest); /* numbered in the order of their first row */
      if (group == newest) newest++;
      assert_memory_equal(groups.key + group * KEYS, key[i], sizeof key[i]);
    }
    for (size_t g = 1; g < groups.count && g < 300; g++) /* no two groups of one key */
      for (size_t before = 0; before < g; before++)
        assert_memory_not_equal(groups.key + g * KEYS, groups.key + before * KEYS, sizeof key[0]);
    assert_int_equal(tdm_groups_gather(&groups, &error), TDM_OK);
    assert_int_equal(groups.first[groups.count], ROWS);
    for (size_t g = 0; g < groups.count; g++)
      for (size_t at = groups.first[g]; at < groups.first[g + 1]; at++) {
        assert_int_equal(groups.group[groups.row[at]], g);
        if (at > groups.first[g]) assert_true(groups.row[at] > groups.row[at - 1]);
      }
    tdm_groups_close(&groups);
  }
}

static void rows_of_tracks_lie_side_by_side_and_strangers_come_last(void **state) {
  (void)state;
  enum { TRACKS = 9, COUNT = 400 };
  int32_t track[COUNT];
  uint32_t first[TRACKS + 2], row[COUNT], at = 0;
  memset(first, 0xa5, sizeof first); /* callers give memory as it comes */
  for (size_t i = 0; i < COUNT; i++) track[i] = (int32_t)(next_random() % (TRACKS + 4)) - 2;
  tdm_order_by_track(track, COUNT, TRACKS, first, row);
  for (int64_t t = 0; t <= TRACKS; t++) {
    assert_int_equal(first[t], at);
    for (uint32_t i = 0; i < COUNT; i++)
      if (t < TRACKS ? track[i] == t : track[i] < 0 || track[i] >= TRACKS)
        assert_int_equal(row[at++], i);
  }
  assert_int_equal(first[TRACKS + 1], COUNT);
}

/* ---- moments and quartiles ---- */

enum { VALUES = 2000 };

static int by_value(const void *a, const void *b) {
  int64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static double quantile_of(const int64_t *sorted, size_t count, double level) {
  double at = level * (double)(count - 1), below = floor(at);
  double low = (double)sorted[(size_t)below], high = (double)sorted[(size_t)ceil(at)];
  return low + (high - low) * (at - below);
}

static void is_near(double a, double b) {
  assert_true(fabs(a - b) <= 1e-9 * fmax(1, fabs(b)));
}

static void moments_and_quartiles_agree_with_sorting(void **state) {
  (void)state;
  static int64_t values[VALUES], sorted[VALUES];
  static double reals[VALUES];
  for (int round = 0; round < 300; round++) {
    size_t count = round < 12 ? (size_t)round + 1 : 1 + next_random() % VALUES;
    long double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
      values[i] = (int64_t)(next_random() >> (24 + round % 39));
      sum += (long double)values[i];
      reals[i] = (double)values[i];
    }
    for (size_t i = 0; i < count; i++) {
      long double off = (long double)values[i] - sum / (long double)count;
      squares += off * off;
    }
    memcpy(sorted, values, sizeof values);
    qsort(sorted, count, sizeof *sorted, by_value);
    double deviation = count > 1 ? (double)sqrtl(squares / (long double)(count - 1)) : 0;
    tdm_moments m = tdm_moments_of(values, count);
    assert_int_equal(m.total, (int64_t)sum);
    assert_int_equal(m.min, sorted[0]);
    assert_int_equal(m.max, sorted[count - 1]);
    is_near(m.mean, (double)(sum / (long double)count));
    is_near(m.median, quantile_of(sorted, count, 0.5));
    is_near(m.deviation, deviation);
    tdm_spread spread;
    tdm_error error;
    assert_int_equal(tdm_spread_of(reals, count, &spread, &error), TDM_OK);
    is_near(spread.mean, m.mean);
    is_near(spread.q25, quantile_of(sorted, count, 0.25));
    is_near(spread.median, m.median);
    is_near(spread.q75, quantile_of(sorted, count, 0.75));
    is_near(spread.max, (double)m.max);
    if (count > 1) is_near(spread.deviation, deviation);
    if (count == 1) assert_true(isnan(spread.deviation));
  }
}

static void sums_beyond_64_bits_are_clamped(void **state) {
  (void)state;
  int64_t values[] = {INT64_MAX, INT64_MAX, INT64_MAX};
  tdm_moments m = tdm_moments_of(values, 3);
  assert_true(m.total == INT64_MAX && m.deviation == 0);
  is_near(m.mean, (double)INT64_MAX);
  assert_int_equal(tdm_moments_of(values, 0).count, 0);
}

/* ---- times in sentences ---- */

static void times_have_three_digits_and_the_unit_that_fits(void **state) {
  (void)state;
  static const struct {
    double ns;
    const char *text;
  } known[] = {{0, "0 s"},        {0.4, "0 s"},          {1, "1 ns"},
               {999.4, "999 ns"}, {999.6, "1 µs"},       {1500, "1.50 µs"},
               {10000, "10 µs"},  {21338500, "21.3 ms"}, {667444632, "667 ms"},
               {1e9, "1 s"},      {-2.5e6, "-2.50 ms"},  {59.8e9, "59.8 s"},
               {3600e9, "1 h"},   {5.4e12, "1.50 h"},    {NAN, "0 s"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    assert_string_equal(tdm_answer_time(known[i].ns).text, known[i].text);
  assert_int_equal(strlen(tdm_answer_time((double)INT64_MIN).text), strlen("-2560000 h"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_have_three_digits_and_the_unit_that_fits),
      cmocka_unit_test(sets_of_times_agree_with_a_line_of_nanoseconds),
      cmocka_unit_test(touching_intervals_are_one_and_share_nothing),
      cmocka_unit_test(groups_are_those_of_equal_keys),
      cmocka_unit_test(rows_of_tracks_lie_side_by_side_and_strangers_come_last),
      cmocka_unit_test(moments_and_quartiles_agree_with_sorting),
      cmocka_unit_test(sums_beyond_64_bits_are_clamped),
  };
  return cmocka_run_group_tests_name("intervals", tests, NULL, NULL);
}
