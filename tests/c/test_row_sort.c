/* Rows sorted by start, longer first, otherwise as they came: against qsort, whatever the times,
 * and where a few rows of many are out of place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "trace/row_sort.h"

enum { ROWS = 5000 };
static int64_t start[ROWS], dur[ROWS], number[ROWS];

typedef struct {
  int64_t start, dur, number;
} row;

static int by_start(const void *a, const void *b) {
  const row *x = a, *y = b;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  if (x->dur != y->dur) return x->dur > y->dur ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static void rows_come_in_order_with_all_their_columns(void **state) {
  (void)state;
  static row rows[ROWS];
  tdm_row_sorter sorter = {0};
  uint64_t random = 88172645463325252u;
  for (int kind = 0; kind < 80; kind++) {
    size_t count = kind < 10 ? (size_t)kind : ROWS;
    for (size_t i = 0; i < count; i++) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      int64_t noise = (int64_t)(random >> (kind < 60 ? kind : 1));
      int64_t even = (int64_t)i * 10;
      start[i] = kind % 3 == 0 ? noise : kind % 3 == 1 ? noise % 5 : even + noise % 50;
      if (kind >= 60) start[i] = i % 700 < 5 ? even - noise % (kind % 2 == 0 ? 900 : 9000) : even;
      dur[i] = kind % 2 == 0 ? (int64_t)(random >> 40) % 7 : (int64_t)random;
      number[i] = (int64_t)i;
      rows[i] = (row){start[i], dur[i], number[i]};
    }
    qsort(rows, count, sizeof *rows, by_start);
    int64_t *column[] = {start, dur, number};
    assert_true(tdm_rows_sort(&sorter, column, 3, count));
    for (size_t i = 0; i < count; i++)
      if (start[i] != rows[i].start || dur[i] != rows[i].dur || number[i] != rows[i].number)
        fail_msg("kind %d: row %zu is %lld", kind, i, (long long)number[i]);
  }
  tdm_row_sorter_free(&sorter);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_come_in_order_with_all_their_columns),
  };
  return cmocka_run_group_tests_name("row_sort", tests, NULL, NULL);
}
