/* Columns packed and unpacked: every value comes back, damage is told, nothing is trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "trace/chunk.h"

static uint64_t seed = 1;
static uint64_t next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static tdm_packer *packer;
static tdm_unpacker *unpacker;
static tdm_error failure;

static int open_both(void **state) {
  (void)state;
  packer = tdm_packer_new();
  unpacker = tdm_unpacker_new();
  return packer == NULL || unpacker == NULL;
}
static int close_both(void **state) {
  (void)state;
  tdm_packer_free(packer);
  tdm_unpacker_free(unpacker);
  return 0;
}

/* Packs one column, unpacks it, compares; returns the packed length. */
static size_t there_and_back(int64_t *values, size_t rows) {
  static int64_t out[TDM_CHUNK_ROWS + 1];
  int64_t *column[] = {values};
  const unsigned char *bytes;
  size_t length, seen;
  uint32_t columns;
  assert_int_equal(tdm_pack(packer, column, 1, 0, rows, &bytes, &length, &failure), TDM_OK);
  assert_int_equal(tdm_unpack_open(unpacker, bytes, length, &columns, &seen, &failure), TDM_OK);
  assert_int_equal(columns, 1);
  assert_int_equal(seen, rows);
  memset(out, 0x5a, sizeof out);
  assert_int_equal(tdm_unpack(unpacker, 0, out, &failure), TDM_OK);
  assert_memory_equal(out, values, rows * sizeof *values);
  assert_int_equal(out[rows], 0x5a5a5a5a5a5a5a5a); /* and nothing behind them */
  return length;
}

static void every_kind_of_column_comes_back(void **state) {
  (void)state;
  static const int64_t edges[] = {
      0,   1,     -1,    INT64_MIN,  INT64_MAX, INT64_MIN + 1, INT64_MAX - 1, 255,
      256, 65535, 65536, UINT32_MAX, 1LL << 32, 1LL << 33,     -(1LL << 62),  1LL << 62};
  enum { EDGES = sizeof edges / sizeof *edges };
  static int64_t values[TDM_CHUNK_ROWS];
  static const size_t sizes[] = {1, 2, 3, 7, 100, 8191, TDM_CHUNK_ROWS};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (unsigned kind = 0; kind < 40; kind++) {
      unsigned bits = kind < 32 ? kind * 2 : 63;
      for (size_t i = 0; i < sizes[s]; i++) {
        int64_t noise = (int64_t)(next_random() & ((UINT64_C(1) << bits) - 1));
        switch (kind % 5) {
        case 0: values[i] = noise; break;
        case 1: values[i] = -noise; break;
        case 2: values[i] = (int64_t)i * 1000 + noise % 100; break;
        case 3: values[i] = next_random() % 3 == 0 ? INT64_MIN : noise; break;
        default: values[i] = edges[next_random() % EDGES]; break;
        }
      }
      there_and_back(values, sizes[s]);
    }
  for (size_t a = 0; a < EDGES; a++)
    for (size_t b = 0; b < EDGES; b++) {
      int64_t pair[] = {edges[a], edges[b], edges[a]};
      there_and_back(pair, 3);
    }
}

static void what_repeats_costs_nothing(void **state) {
  (void)state;
  static int64_t values[TDM_CHUNK_ROWS];
  for (size_t i = 0; i < TDM_CHUNK_ROWS; i++) values[i] = 1234567890123456789;
  assert_in_range(there_and_back(values, TDM_CHUNK_ROWS), 1, 32);
  for (size_t i = 0; i < TDM_CHUNK_ROWS; i++) values[i] = INT64_MIN;
  assert_in_range(there_and_back(values, TDM_CHUNK_ROWS), 1, 32);
  for (size_t i = 0; i < TDM_CHUNK_ROWS; i++) values[i] = 5000 + 17 * (int64_t)i;
  assert_in_range(there_and_back(values, TDM_CHUNK_ROWS), 1, 40);
}

/* Random bytes over a good chunk, and every truncation: an error or values, never a crash. */
static void a_damaged_chunk_is_an_error(void **state) {
  (void)state;
  enum { ROWS = 500, COLUMNS = 4 };
  static int64_t values[COLUMNS][ROWS], out[TDM_CHUNK_ROWS];
  int64_t *column[COLUMNS];
  for (size_t c = 0; c < COLUMNS; c++) {
    column[c] = values[c];
    for (size_t i = 0; i < ROWS; i++) values[c][i] = (int64_t)(next_random() >> (16 * c));
  }
  const unsigned char *bytes;
  size_t length, rows;
  uint32_t columns;
  assert_int_equal(tdm_pack(packer, column, COLUMNS, 0, ROWS, &bytes, &length, &failure), TDM_OK);
  for (size_t cut = 0; cut < length; cut++) {
    unsigned char *copy = malloc(cut > 0 ? cut : 1); /* exact: a sanitizer sees a byte too far */
    memcpy(copy, bytes, cut);
    if (tdm_unpack_open(unpacker, copy, cut, &columns, &rows, &failure) == TDM_OK)
      fail_msg("%zu of %zu bytes were taken for a chunk", cut, length);
    free(copy);
  }
  unsigned char *copy = malloc(length);
  for (int round = 0; round < 20000; round++) {
    memcpy(copy, bytes, length);
    for (int i = 0; i < 3; i++) {
      size_t reach = next_random() % 2 == 0 ? length : 40 < length ? 40 : length;
      copy[next_random() % reach] = (unsigned char)next_random();
    }
    if (tdm_unpack_open(unpacker, copy, length, &columns, &rows, &failure) != TDM_OK) continue;
    for (uint32_t c = 0; c < columns; c++)
      if (tdm_unpack(unpacker, c, out, &failure) != TDM_OK)
        assert_string_equal(failure.message, "a chunk of the store is damaged");
  }
  free(copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_column_comes_back),
      cmocka_unit_test(what_repeats_costs_nothing),
      cmocka_unit_test(a_damaged_chunk_is_an_error),
  };
  return cmocka_run_group_tests_name("chunk", tests, open_both, close_both);
}
