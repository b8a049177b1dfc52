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

static void rows_come_by_start_then_longer_ones_then_as_they_came(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    row rows[MOST];
    size_t count = (size_t)below(MOST);
    tdm_loaded loaded = {.room = count, .table = {.count = count}};
    make(rows, count, round % 5);
    for (size_t c = 0; c < COLUMNS; c++) loaded.column[c] = calloc(count + 1, tdm_loaded_width(c));
    for (size_t i = 0; i < count; i++) {
      ((int64_t *)loaded.column[TDM_START])[i] = rows[i].start_ns;
      ((int64_t *)loaded.column[TDM_DUR])[i] = rows[i].dur_ns;
      ((int32_t *)loaded.column[TDM_TRACK])[i] = rows[i].as_it_came;
      ((int32_t *)loaded.column[TDM_NAME])[i] = 2 * rows[i].as_it_came;
      ((int32_t *)loaded.column[TDM_LOADED_CATEGORY])[i] = -rows[i].as_it_came;
      ((int64_t *)loaded.column[TDM_LOADED_ARGS])[i] = INT64_MAX - rows[i].as_it_came;
    }
    assert_true(tdm_loaded_order(&loaded, COLUMNS));
    sort_plainly(rows, count);
    for (size_t i = 0; i < count; i++) {
      int32_t came = rows[i].as_it_came;
      assert_int_equal(((int64_t *)loaded.column[TDM_START])[i], rows[i].start_ns);
      assert_int_equal(((int64_t *)loaded.column[TDM_DUR])[i], rows[i].dur_ns);
      assert_int_equal(((int32_t *)loaded.column[TDM_TRACK])[i], came);
      assert_int_equal(((int32_t *)loaded.column[TDM_NAME])[i], 2 * came);
      assert_int_equal(((int32_t *)loaded.column[TDM_LOADED_CATEGORY])[i], -came);
      assert_int_equal(((int64_t *)loaded.column[TDM_LOADED_ARGS])[i], INT64_MAX - came);
    }
    for (size_t c = 0; c < COLUMNS; c++) free(loaded.column[c]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_come_by_start_then_longer_ones_then_as_they_came)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
