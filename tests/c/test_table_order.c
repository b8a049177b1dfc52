/* Rows of an analysis' table in order: random ones with many ties, in stretches that are in order
 * and without any, held against a plain sort by insertion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "analysis/run_view/inside.h"
#include "base/rng.h"

enum { MOST = 300, COLUMNS = TDM_LOADED_ARGS + 1, ROUNDS = 300 };

static tdm_rng rng = {77};

static int64_t below(uint64_t n) {
  return (int64_t)tdm_index_below(tdm_rng_bits(&rng), n);
}

typedef struct {
  int64_t start_ns, dur_ns;
  int32_t as_it_came;
} row;

static int stands_after(const row *a, const row *b) {
  return a->start_ns != b->start_ns ? a->start_ns > b->start_ns : a->dur_ns < b->dur_ns;
}

static void sort_plainly(row *rows, size_t count) {
  for (size_t i = 1; i < count; i++)
    for (size_t k = i; k > 0 && stands_after(&rows[k - 1], &rows[k]); k--) {
      row other = rows[k];
      rows[k] = rows[k - 1];
      rows[k - 1] = other;
    }
}

/* `step`: how far starts go on at most; often back to the beginning when it is small. */
static void make(row *rows, size_t count, int64_t step) {
  int64_t at = 0;
  for (size_t i = 0; i < count; i++) {
    at = below(40) == 0 || step == 0 ? below(50) - 9 : at + below((uint64_t)step);
    rows[i] = (row){at, below(4) - 1, (int32_t)i};
  }
}

/* Of a row in the order of a table: what came in a column, and the end for the duration. */
static int64_t value_of(const row *of, uint32_t column) {
  switch (column) {
  case TDM_START: return of->start_ns;
  case TDM_DUR: return of->start_ns + (of->dur_ns > 0 ? of->dur_ns : 0);
  case TDM_TRACK: return of->as_it_came;
  case TDM_NAME: return 2 * (int64_t)of->as_it_came;
  case TDM_LOADED_CATEGORY: return -of->as_it_came;
  default: return INT64_MAX - of->as_it_came;
  }
}

static void rows_come_by_start_then_longer_ones_then_as_they_came(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    row rows[MOST];
    int64_t value[COLUMNS][MOST], *column[COLUMNS];
    size_t count = (size_t)below(MOST);
    tdm_loaded loaded = {.next = NULL};
    make(rows, count, round % 5);
    for (uint32_t c = 0; c < COLUMNS; c++) {
      column[c] = value[c];
      for (size_t i = 0; i < count; i++)
        value[c][i] = c == TDM_DUR ? rows[i].dur_ns : value_of(&rows[i], c);
    }
    assert_true(tdm_kept_rows_open(&loaded.rows, 0, COLUMNS));
    assert_true(
        tdm_kept_rows_add(&loaded.rows, &(const tdm_rows){.count = count, .column = column}));
    assert_true(tdm_loaded_order(&loaded));
    sort_plainly(rows, count);
    for (size_t i = 0; i < count; i++)
      for (uint32_t c = 0; c < COLUMNS; c++)
        assert_int_equal(tdm_kept(&loaded.rows, c, i), value_of(&rows[i], c));
    tdm_kept_rows_close(&loaded.rows);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_come_by_start_then_longer_ones_then_as_they_came)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
