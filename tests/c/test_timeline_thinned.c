/* Thinned timelines: which spans stay, and whether nodes, sums and totals are still those of all,
 * held against what the test makes of what it recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "timeline_fixture.h"

/* Rows that the test knows without asking: a track each. Spans stand in bursts of 40, some are
 * long, one is of a name of its own. */
enum { SPANS = 60000, BURST = 40, FEW = 100, MOST = 8000, ODD = 31234 };

typedef struct {
  int64_t start_ns, end_ns;
  const char *name;
} made;

static made dense[SPANS], few[FEW];

static void make_spans(void) {
  static const char *const names[] = {"gemm", "copy", "reduce"};
  uint64_t state = 7;
  int64_t at_ns = 0;
  for (size_t i = 0; i < SPANS; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int64_t length_ns = 10 + (int64_t)(state >> 33) % 900;
    if (i % 10 < 3) length_ns *= 1 + (int64_t)(state >> 12) % 9;
    at_ns += i % BURST == 0 ? 3000 + (int64_t)(state >> 50) / 10 : 5;
    dense[i] = (made){at_ns, at_ns + length_ns, i == ODD ? "odd" : names[state >> 60 & 1]};
    at_ns += length_ns;
  }
  for (size_t i = 0; i < FEW; i++) few[i] = (made){(int64_t)i * 70, (int64_t)i * 70 + 60, "reduce"};
}

static tdm_recording *record(void) {
  maker m = begin();
  uint32_t a = track(&m, "a", TDM_TRACK_STREAM, TDM_LANE_GPU, 1);
  uint32_t b = track(&m, "b", TDM_TRACK_STREAM, TDM_LANE_GPU, 1);
  for (size_t i = 0; i < SPANS; i++)
    span(&m, a, "kernel", dense[i].name, dense[i].start_ns, dense[i].end_ns);
  for (size_t i = 0; i < FEW; i++)
    span(&m, b, "kernel", few[i].name, few[i].start_ns, few[i].end_ns);
  return end(&m);
}

typedef struct {
  tdm_recording *recording;
  written w;
  const char *thinned;
  size_t held;
  bool here[SPANS]; /* of the dense row */
} thin;

/* What is written, found by start and end; the rest of the file must be these and no others. */
static thin *write_thin(const tdm_timeline_wish *wish) {
  thin *t = calloc(1, sizeof *t);
  t->recording = record();
  t->w = write_wanted(t->recording, wish);
  t->thinned = value_at(t->w.json, "thinned");
  size_t rows, lengths, spans = 0;
  int64_t *gap = column_of(&t->w, value_at(t->w.json, "chunks"), 0, &rows);
  int64_t *length = column_of(&t->w, value_at(t->w.json, "chunks"), 1, &lengths);
  int64_t before = 0;
  t->held = (size_t)integer_at(t->thinned, "spans");
  assert_int_equal(rows, t->held);
  for (size_t i = 0, next = 0; i < rows; i++) {
    if (i % TDM_CHUNK_ROWS == 0) before = 0;
    int64_t start = gap[i] + before, end = start + length[i];
    before = end;
    if (i >= rows - FEW) {
      assert_int_equal(start, few[i - (rows - FEW)].start_ns);
      spans++;
      continue;
    }
    while (next < SPANS && dense[next].start_ns < start) next++;
    assert_true(next < SPANS && dense[next].start_ns == start && dense[next].end_ns == end);
    t->here[next] = true;
  }
  assert_int_equal(spans, FEW); /* a row with few keeps all */
  free(gap);
  free(length);
  return t;
}

static void forget_thin(thin *t) {
  forget(&t->w);
  tdm_recording_free(t->recording);
  free(t);
}

static void long_spans_and_the_longest_of_neighbours_stay(void **state) {
  (void)state;
  thin *t = write_thin(&(tdm_timeline_wish){.most = MOST});
  int64_t whole_ns = integer_at(t->thinned, "whole_ns");
  size_t group = (size_t)integer_at(t->thinned, "group"), longer = 0;
  assert_int_equal(integer_at(t->w.json, "length"), dense[SPANS - 1].end_ns);
  assert_in_range(t->held, MOST / 2, MOST);
  for (size_t i = 0; i < SPANS; i++) {
    int64_t length_ns = dense[i].end_ns - dense[i].start_ns;
    longer += length_ns >= whole_ns;
    if (length_ns >= whole_ns) assert_true(t->here[i]);
  }
  assert_in_range(longer, 200, MOST); /* else it says nothing */
  for (size_t from = 0; from < SPANS; from += group) {
    size_t best = from;
    for (size_t i = from; i < SPANS && i < from + group; i++)
      if (dense[i].end_ns - dense[i].start_ns > dense[best].end_ns - dense[best].start_ns) best = i;
    assert_true(t->here[best]);
  }
  assert_true(t->here[ODD]); /* the only one of its name */
  forget_thin(t);
}

static void spans_at_moments_stay(void **state) {
  (void)state;
  thin *without = write_thin(&(tdm_timeline_wish){.most = MOST});
  int64_t moments[400];
  size_t count = 0, at[400];
  for (size_t i = 11; i < SPANS && count < 400; i += 131) {
    if (without->here[i]) continue;
    at[count] = i;
    moments[count] = count % 2 == 0 ? dense[i].start_ns : dense[i].end_ns;
    count++;
  }
  assert_int_equal(count, 400);
  thin *t = write_thin(&(tdm_timeline_wish){.most = MOST, .moment = moments, .moments = count});
  size_t more = 0;
  for (size_t i = 0; i < count; i++) assert_true(t->here[at[i]]);
  for (size_t i = 0; i < SPANS; i++) more += t->here[i] && !without->here[i];
  assert_int_equal(more, count); /* and no others */
  forget_thin(without);
  forget_thin(t);
}

/* Each lowest node: 32 spans of the row in turn, how many, how long, and those of them that are
 * there. */
static void nodes_are_those_of_all_spans(void **state) {
  (void)state;
  thin *t = write_thin(&(tdm_timeline_wish){.most = MOST});
  const char *levels = value_at(t->w.json, "levels") + 1;
  int64_t *column[8];
  size_t rows, first = 0;
  assert_int_equal(integer_at(t->thinned, "level"), 1);
  for (uint32_t c = 0; c < 8; c++) column[c] = column_of(&t->w, levels, c, &rows);
  assert_int_equal(rows, (SPANS + 31) / 32);
  int64_t before = 0;
  for (size_t i = 0; i < rows; i++) {
    size_t from = 32 * i, to = from + 32 < SPANS ? from + 32 : SPANS, here = 0;
    int64_t busy = 0;
    for (size_t k = from; k < to; k++) {
      busy += dense[k].end_ns - dense[k].start_ns;
      here += t->here[k];
    }
    int64_t start = column[0][i] + before, length = column[1][i];
    before = start + length;
    assert_int_equal(start, dense[from].start_ns);
    assert_int_equal(before, dense[to - 1].end_ns);
    assert_int_equal(length - column[2][i], busy);
    assert_int_equal(column[5][i], to - from);
    assert_int_equal(column[6][i], first);
    assert_int_equal(column[7][i], here);
    first += here;
  }
  for (uint32_t c = 0; c < 8; c++) free(column[c]);
  forget_thin(t);
}

static int64_t sum_of(const written *w, const char *key, uint32_t column) {
  size_t rows;
  int64_t sum = 0, *value = column_of(w, value_at(w->json, key), column, &rows);
  for (size_t i = 0; i < rows; i++) sum += value[i];
  free(value);
  return sum;
}

static void counts_and_sums_are_those_of_all_spans(void **state) {
  (void)state;
  thin *t = write_thin(&(tdm_timeline_wish){.most = MOST});
  int64_t busy = 0;
  for (size_t i = 0; i < SPANS; i++) busy += dense[i].end_ns - dense[i].start_ns;
  int64_t all = busy + FEW * 60;
  assert_int_equal(sum_of(&t->w, "row_counts", 0), SPANS + FEW);
  assert_int_equal(sum_of(&t->w, "totals", 3), SPANS + FEW);
  assert_int_equal(sum_of(&t->w, "totals", 4), all);
  assert_int_equal(sum_of(&t->w, "sums", 3), SPANS); /* a row that is whole needs none */
  assert_int_equal(sum_of(&t->w, "sums", 4), busy);
  size_t rows, stretch = (size_t)integer_at(t->w.json, "stretch");
  int64_t *first = column_of(&t->w, value_at(t->w.json, "sums"), 0, &rows);
  for (size_t i = 0; i < rows; i++) assert_int_equal((size_t)first[i] % stretch, 0);
  free(first);
  forget_thin(t);
}

static void few_spans_are_all_there(void **state) {
  (void)state;
  tdm_recording *one = record(), *two = record();
  written whole = write_out(one),
          wanted = write_wanted(two, &(tdm_timeline_wish){.most = SPANS + FEW});
  size_t a, b;
  assert_string_equal(whole.json, wanted.json);
  const char *left = tdm_blocks_text(whole.blocks, &a), *right = tdm_blocks_text(wanted.blocks, &b);
  assert_int_equal(a, b);
  assert_memory_equal(left, right, a);
  forget(&whole);
  forget(&wanted);
  tdm_recording_free(one);
  tdm_recording_free(two);
}

/* However little is wanted, nodes and one span of each group are there, higher levels with them. */
static void a_tenth_of_the_nodes_is_a_level_higher(void **state) {
  (void)state;
  thin *t = write_thin(&(tdm_timeline_wish){.most = 300});
  const char *levels = value_at(t->w.json, "levels");
  size_t rows;
  assert_int_equal(integer_at(t->thinned, "level"), 2);
  assert_memory_equal(levels, "[[],[", 5); /* no row ends at the first */
  int64_t *count = column_of(&t->w, levels + 4, 5, &rows), sum = 0;
  assert_int_equal(rows, (SPANS + 1023) / 1024);
  for (size_t i = 0; i < rows; i++) sum += count[i];
  assert_int_equal(sum, SPANS);
  free(count);
  forget_thin(t);
}

int main(void) {
  make_spans();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_spans_and_the_longest_of_neighbours_stay),
      cmocka_unit_test(spans_at_moments_stay),
      cmocka_unit_test(nodes_are_those_of_all_spans),
      cmocka_unit_test(counts_and_sums_are_those_of_all_spans),
      cmocka_unit_test(few_spans_are_all_there),
      cmocka_unit_test(a_tenth_of_the_nodes_is_a_level_higher),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
