/* Sums of a timeline's chunks, read back from what is written and held against sums that the test
 * makes of what it recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "timeline_fixture.h"

/* As many as are worth it, on two tracks, whose border lies within a chunk; then the least. */
enum { FIRST = 90001, SECOND = 45000, ENOUGH = 16 * TDM_CHUNK_ROWS, NAMES = 3, KINDS = 2 };

static const char *const names[NAMES] = {"gemm", "copy", "reduce"};
static const char *const kinds[KINDS] = {"kernel", "stage"};

/* What span i of a track is, disjoint from the next. */
static size_t name_of(size_t i) {
  return i * 7 % 11 % NAMES;
}
static size_t kind_of(size_t i) {
  return i / 5 % KINDS;
}
static int64_t length_of(size_t i) {
  return (int64_t)(i * 2654435761u % 97);
}

static tdm_recording *record(size_t first, size_t second) {
  maker m = begin();
  const size_t counts[] = {first, second};
  for (size_t t = 0; t < 2; t++) {
    if (counts[t] == 0) continue;
    uint32_t on = track(&m, t == 0 ? "a" : "b", TDM_TRACK_STREAM, TDM_LANE_GPU, 1);
    for (size_t i = 0; i < counts[t]; i++)
      span(&m, on, kinds[kind_of(i)], names[name_of(i)], (int64_t)i * 100,
           (int64_t)i * 100 + length_of(i));
  }
  return end(&m);
}

typedef struct {
  int64_t count, total, longest;
} sum;

typedef struct {
  sum of[NAMES][KINDS];
} chunk_sums;

/* Of the spans first … end - 1, numbered over both tracks. */
static chunk_sums expected(size_t first, size_t end, size_t on_first) {
  chunk_sums out = {0};
  for (size_t n = first; n < end; n++) {
    size_t i = n < on_first ? n : n - on_first;
    sum *s = &out.of[name_of(i)][kind_of(i)];
    s->count++;
    s->total += length_of(i);
    if (length_of(i) > s->longest) s->longest = length_of(i);
  }
  return out;
}

typedef struct {
  int64_t *column[6];
  size_t rows;
} table;

static table read_sums(const written *w) {
  table t = {0};
  for (uint32_t c = 0; c < 6; c++)
    t.column[c] = column_of(w, value_at(w->json, "sums"), c, &t.rows);
  return t;
}

static void close_table(table *t) {
  for (int c = 0; c < 6; c++) free(t->column[c]);
}

/* Takes the rows of one stretch, from *row on, off what is expected of it. */
static void take(const table *t, size_t *row, size_t first, const tdm_recording *recording,
                 chunk_sums *want) {
  int64_t before[2] = {-1, -1};
  for (; *row < t->rows && t->column[0][*row] == (int64_t)first; ++*row) {
    int64_t id = t->column[1][*row], layout = t->column[2][*row];
    const char *name = tdm_recording_name(recording, id, NULL);
    const char *kind = tdm_recording_layout(recording, (uint32_t)layout)->category;
    size_t n = 0, k = 0;
    while (n < NAMES && strcmp(names[n], name) != 0) n++;
    while (k < KINDS && strcmp(kinds[k], kind) != 0) k++;
    assert_true(n < NAMES && k < KINDS);
    assert_true(id > before[0] || (id == before[0] && layout > before[1])); /* each once */
    before[0] = id, before[1] = layout;
    assert_int_equal(t->column[3][*row], want->of[n][k].count);
    assert_int_equal(t->column[4][*row], want->of[n][k].total);
    assert_int_equal(t->column[5][*row], want->of[n][k].longest);
    want->of[n][k] = (sum){0};
  }
  for (size_t n = 0; n < NAMES; n++)
    for (size_t k = 0; k < KINDS; k++) assert_int_equal(want->of[n][k].count, 0);
}

static void sums_are_those_of_each_row_in_each_chunk(void **state) {
  (void)state;
  tdm_recording *recording = record(FIRST, SECOND);
  written w = write_out(recording);
  table t = read_sums(&w);
  size_t row = 0;
  for (size_t first = 0, end; first < FIRST + SECOND; first = end) {
    end = (first / TDM_CHUNK_ROWS + 1) * TDM_CHUNK_ROWS;
    if (first < FIRST && end > FIRST) end = FIRST; /* where the first track's row ends */
    if (end > FIRST + SECOND) end = FIRST + SECOND;
    chunk_sums want = expected(first, end, FIRST);
    take(&t, &row, first, recording, &want);
  }
  assert_int_equal(row, t.rows);
  close_table(&t);
  forget(&w);
  tdm_recording_free(recording);
}

static size_t rows_of(tdm_recording *recording) {
  written w = write_out(recording);
  table t = read_sums(&w);
  size_t rows = t.rows;
  close_table(&t);
  forget(&w);
  tdm_recording_free(recording);
  return rows;
}

static void few_spans_have_none(void **state) {
  (void)state;
  assert_int_equal(rows_of(record(ENOUGH - 1, 0)), 0);
  assert_int_equal(rows_of(record(ENOUGH, 0)), 16 * NAMES * KINDS);
}

/* A row a span would be as long as the spans are: one in 16 is the most. */
static void names_that_come_once_have_none(void **state) {
  (void)state;
  for (int rest = 0; rest < 2; rest++) {
    maker m = begin();
    uint32_t on = track(&m, "a", TDM_TRACK_STREAM, TDM_LANE_GPU, 1);
    for (size_t i = 0; i < ENOUGH; i++) { /* 512 names in each chunk, or one more in the last */
      char name[32];
      size_t of = i % 512;
      if (rest && i == ENOUGH - 1) of = 512;
      snprintf(name, sizeof name, "%zu", of);
      span(&m, on, "kernel", name, (int64_t)i, (int64_t)i + 1);
    }
    assert_int_equal(rows_of(end(&m)), rest ? 0 : ENOUGH / 16);
  }
}

static void lengths_of_centuries_are_summed_up(void **state) {
  (void)state;
  maker m = begin();
  uint32_t on = track(&m, "a", TDM_TRACK_STREAM, TDM_LANE_GPU, 1);
  uint32_t other = track(&m, "b", TDM_TRACK_STREAM, TDM_LANE_GPU, 1);
  for (size_t i = 0; i + 2 < ENOUGH; i++) span(&m, on, "kernel", "x", (int64_t)i, (int64_t)i + 1);
  span(&m, other, "kernel", "y", 0, INT64_MAX / 2 + 10);
  span(&m, other, "kernel", "y", INT64_MAX / 2 + 10, INT64_MAX - 1);
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  table t = read_sums(&w);
  assert_int_equal(t.rows, 17);
  assert_int_equal(t.column[3][16], 2);
  assert_int_equal(t.column[4][16], INT64_MAX - 1);
  assert_int_equal(t.column[5][16], INT64_MAX / 2 + 10);
  close_table(&t);
  forget(&w);
  tdm_recording_free(recording);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_of_each_row_in_each_chunk),
      cmocka_unit_test(few_spans_have_none),
      cmocka_unit_test(names_that_come_once_have_none),
      cmocka_unit_test(lengths_of_centuries_are_summed_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
