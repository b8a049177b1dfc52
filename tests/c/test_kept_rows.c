/* Rows kept in memory: every value of every width comes back, whatever pieces they came in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "trace/kept_rows.h"

static uint64_t seed = 1;
static uint64_t next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

/* Columns of one reach each, with and without TDM_NONE, around an end of the range or 0. */
enum { REACHES = 8, AROUND = 3, COLUMNS = REACHES * AROUND * 2, ROWS = 3 * TDM_KEPT_BLOCK + 1234 };

static int64_t value_for(uint32_t column) {
  static const uint64_t reach[REACHES] = {
      0, 1, UINT8_MAX, UINT8_MAX + 1, UINT16_MAX, UINT16_MAX + 1ull, UINT32_MAX, UINT64_MAX};
  static const int64_t around[AROUND] = {INT64_MIN + 1, -3, INT64_MAX};
  bool none = column % 2 == 1;
  uint64_t most = reach[column / 2 % REACHES], base = (uint64_t)around[column / 2 / REACHES];
  if (none && next_random() % 3 == 0) return TDM_NONE;
  uint64_t bits = next_random(), more = most == UINT64_MAX ? bits : bits % (most + 1);
  if (bits % 50 == 0) more = most; /* ends are there */
  if (bits % 50 == 1) more = 0;
  int64_t value = (int64_t)(around[column / 2 / REACHES] == INT64_MAX ? base - more : base + more);
  return value == TDM_NONE && !none ? INT64_MAX : value;
}

static int64_t *plain[COLUMNS];

static void add(tdm_kept_rows *kept, size_t first, size_t count) {
  int64_t *column[COLUMNS];
  for (uint32_t c = 0; c < COLUMNS; c++) column[c] = plain[c] + first;
  const tdm_rows rows = {.layout = 7, .count = count, .column = column};
  assert_true(tdm_kept_rows_add(kept, &rows));
}

static void assert_kept(const tdm_kept_rows *kept, size_t count) {
  assert_int_equal(kept->count, count);
  for (uint32_t c = 0; c < COLUMNS; c++)
    for (size_t i = 0; i < count; i++)
      if (tdm_kept(kept, c, i) != plain[c][i])
        fail_msg("column %u, row %zu: %lld is not %lld", c, i, (long long)tdm_kept(kept, c, i),
                 (long long)plain[c][i]);
}

static int make_plain(void **state) {
  (void)state;
  for (uint32_t c = 0; c < COLUMNS; c++) {
    plain[c] = malloc(ROWS * sizeof *plain[c]);
    if (plain[c] == NULL) return 1;
    for (size_t i = 0; i < ROWS; i++) plain[c][i] = value_for(c);
  }
  return 0;
}

static int free_plain(void **state) {
  (void)state;
  for (uint32_t c = 0; c < COLUMNS; c++) free(plain[c]);
  return 0;
}

static void every_value_comes_back(void **state) {
  (void)state;
  static const size_t pieces[] = {ROWS, TDM_KEPT_BLOCK, TDM_KEPT_BLOCK - 1, 777, 1};
  for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
    tdm_kept_rows kept;
    assert_true(tdm_kept_rows_open(&kept, 7, COLUMNS));
    for (size_t first = 0; first < ROWS; first += pieces[p]) {
      add(&kept, first, ROWS - first < pieces[p] ? ROWS - first : pieces[p]);
      if (first < 3 * pieces[p]) assert_kept(&kept, kept.count); /* before it is full, too */
    }
    assert_kept(&kept, ROWS);
    tdm_kept_rows_close(&kept);
  }
}

static uint8_t width_of(const tdm_kept_rows *kept, uint32_t reach, bool none) {
  return kept->column[2 * reach + none][0].width;
}

/* What a block takes is what the reach of its values needs, one more where some have none. */
static void blocks_are_as_narrow_as_their_values(void **state) {
  (void)state;
  static const uint8_t without[REACHES] = {0, 1, 1, 2, 2, 4, 4, 8};
  static const uint8_t with[REACHES] = {1, 1, 2, 2, 4, 4, 8, 8};
  tdm_kept_rows kept;
  assert_true(tdm_kept_rows_open(&kept, 7, COLUMNS));
  add(&kept, 0, TDM_KEPT_BLOCK);
  for (uint32_t r = 0; r < REACHES; r++) {
    assert_int_equal(width_of(&kept, r, false), without[r]);
    assert_int_equal(width_of(&kept, r, true), with[r]);
  }
  tdm_kept_rows_close(&kept);
}

enum { CASES = 4, NEAR = 40 };
static int64_t other_for(size_t c, size_t at) {
  return c == CASES - 1 ? TDM_NONE : 5 + (int64_t)(at % 3);
}

/* One value tells what the whole block takes, wherever it stands: the least of all, the most, the
 * one that is not there, the one that is. */
static void an_end_is_seen_wherever_it_stands(void **state) {
  (void)state;
  static const int64_t one[CASES] = {-1000, 1000, TDM_NONE, 7};
  static const uint8_t width[CASES] = {2, 2, 1, 1};
  int64_t *column[CASES];
  for (size_t c = 0; c < CASES; c++) {
    column[c] = malloc(TDM_KEPT_BLOCK * sizeof *column[c]);
    assert_non_null(column[c]);
    for (size_t i = 0; i < TDM_KEPT_BLOCK; i++) column[c][i] = other_for(c, i);
  }
  const tdm_rows rows = {.layout = 7, .count = TDM_KEPT_BLOCK, .column = column};
  for (size_t at = 0; at < TDM_KEPT_BLOCK; at++) {
    if (at == NEAR) at = TDM_KEPT_BLOCK - NEAR;
    tdm_kept_rows kept;
    assert_true(tdm_kept_rows_open(&kept, 7, CASES));
    for (size_t c = 0; c < CASES; c++) column[c][at] = one[c];
    assert_true(tdm_kept_rows_add(&kept, &rows));
    for (uint32_t c = 0; c < CASES; c++) {
      assert_int_equal(kept.column[c][0].width, width[c]);
      for (size_t i = 0; i < TDM_KEPT_BLOCK; i++)
        assert_true(tdm_kept(&kept, c, i) == (i == at ? one[c] : other_for(c, i)));
      column[c][at] = other_for(c, at);
    }
    tdm_kept_rows_close(&kept);
  }
  for (size_t c = 0; c < CASES; c++) free(column[c]);
}

static void a_forgotten_column_leaves_the_others(void **state) {
  (void)state;
  tdm_kept_rows kept;
  assert_true(tdm_kept_rows_open(&kept, 7, COLUMNS));
  add(&kept, 0, ROWS);
  tdm_kept_rows_forget(&kept, 3);
  assert_null(kept.column[3]);
  for (size_t i = 0; i < ROWS; i += 100) assert_true(tdm_kept(&kept, 4, i) == plain[4][i]);
  tdm_kept_rows_close(&kept);
}

static void take_from_the_end(const void *context, size_t row, size_t count, int64_t *out) {
  const tdm_kept_rows *kept = context;
  for (size_t i = 0; i < count; i++) out[i] = tdm_kept(kept, 5, kept->count - 1 - row - i);
}

/* A column written anew may be made of what it was, and takes as little. */
static void a_column_is_written_anew_beside_the_others(void **state) {
  (void)state;
  tdm_kept_rows kept;
  assert_true(tdm_kept_rows_open(&kept, 7, COLUMNS));
  add(&kept, 0, ROWS);
  size_t bytes = tdm_kept_rows_bytes(&kept);
  assert_true(tdm_kept_rows_rewrite(&kept, 5, take_from_the_end, &kept));
  for (size_t i = 0; i < ROWS; i++) {
    assert_true(tdm_kept(&kept, 5, i) == plain[5][ROWS - 1 - i]);
    assert_true(tdm_kept(&kept, 4, i) == plain[4][i]);
  }
  assert_true(tdm_kept_rows_rewrite(&kept, 5, take_from_the_end, &kept));
  assert_kept(&kept, ROWS);
  assert_int_equal(tdm_kept_rows_bytes(&kept), bytes);
  tdm_kept_rows_forget(&kept, 5);
  size_t width = 0;
  for (size_t b = 0; b < ROWS / TDM_KEPT_BLOCK; b++) width += kept.column[4][b].width;
  assert_true(bytes - tdm_kept_rows_bytes(&kept) >= width * TDM_KEPT_BLOCK);
  tdm_kept_rows_close(&kept);
}

/* One value after the other, each of which may be looked at as soon as it is there. */
static void values_are_appended(void **state) {
  (void)state;
  for (uint32_t c = 0; c < COLUMNS; c++) {
    tdm_kept_rows kept;
    assert_true(tdm_kept_rows_open(&kept, 7, 1));
    for (size_t i = 0; i < ROWS; i++) {
      assert_true(tdm_kept_rows_append(&kept, plain[c][i]));
      assert_int_equal(kept.count, i + 1);
      assert_true(tdm_kept(&kept, 0, i) == plain[c][i]);
      assert_true(tdm_kept(&kept, 0, i / 2) == plain[c][i / 2]);
    }
    tdm_kept_rows_close(&kept);
  }
}

static void no_rows_are_no_blocks(void **state) {
  (void)state;
  tdm_kept_rows kept;
  assert_true(tdm_kept_rows_open(&kept, 7, COLUMNS));
  add(&kept, 0, 0);
  assert_int_equal(kept.count, 0);
  assert_true(tdm_kept_rows_rewrite(&kept, 5, take_from_the_end, &kept));
  assert_int_equal(tdm_kept_rows_bytes(&kept), 0);
  tdm_kept_rows_close(&kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_comes_back),
      cmocka_unit_test(blocks_are_as_narrow_as_their_values),
      cmocka_unit_test(an_end_is_seen_wherever_it_stands),
      cmocka_unit_test(a_forgotten_column_leaves_the_others),
      cmocka_unit_test(a_column_is_written_anew_beside_the_others),
      cmocka_unit_test(values_are_appended),
      cmocka_unit_test(no_rows_are_no_blocks),
  };
  return cmocka_run_group_tests(tests, make_plain, free_plain);
}
