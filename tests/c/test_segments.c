/* Segments of recorded prompts: on random ones, against the rule asked of every pair of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/rows.h"

enum { ROWS = 14, MOST = 7, TOKENS = 16 };

typedef struct {
  uint32_t block[MOST];
  size_t count, unit;
} prompt;

static int draw(int below) {
  static uint32_t luck = 7;
  luck = luck * 1664525u + 1013904223u;
  return (int)(luck >> 8) % below;
}

static bool shares(const prompt *a, const prompt *b, size_t blocks) {
  return a->count >= blocks && b->count >= blocks &&
         memcmp(a->block, b->block, blocks * sizeof *a->block) == 0;
}

/* Whether some prompts part behind so many blocks of one, or one ends there and another goes on:
 * but not where it is the same conversation alone, that went on after it had ended. */
static bool is_end(const prompt *all, const prompt *of, size_t blocks) {
  if (blocks == of->count) return true;
  bool ends[ROWS] = {false}, goes[ROWS] = {false}, late = false;
  size_t enders = 0, goers = 0, gone = 0;
  bool same = true;
  for (size_t r = 0; r < ROWS; r++) {
    if (!shares(&all[r], of, blocks)) continue;
    if (all[r].count > blocks) {
      if (all[r].block[blocks] != of->block[blocks]) return true;
      goes[all[r].unit] = true;
      gone++;
    } else {
      ends[all[r].unit] = true;
      late |= gone > 0;
    }
  }
  for (size_t u = 0; u < ROWS; u++) {
    enders += ends[u];
    goers += goes[u];
    same &= ends[u] == goes[u];
  }
  return enders > 0 && goers > 0 && !(enders == 1 && same && !late);
}

static void assert_joined(const prompt *all, const tdm_request_rows *rows) {
  uint64_t hash[ROWS * MOST];
  const prompt *of[ROWS * MOST];
  size_t begin[ROWS * MOST], found = 0;
  for (size_t r = 0; r < ROWS; r++) {
    const uint64_t *hashes;
    const int64_t *tokens;
    size_t count = tdm_rows_segments(rows, r, &hashes, &tokens), s = 0, from = 0;
    for (size_t blocks = 1; blocks <= all[r].count; blocks++) {
      if (!is_end(all, &all[r], blocks)) continue;
      assert_true(s < count);
      assert_int_equal(tokens[s], (int64_t)blocks * TOKENS);
      hash[found] = hashes[s++];
      of[found] = &all[r];
      begin[found++] = from + 1; /* up to its first block */
      from = blocks;
    }
    assert_int_equal(s, count);
  }
  for (size_t a = 0; a < found; a++)
    for (size_t b = 0; b < a; b++)
      assert_int_equal(hash[a] == hash[b], begin[a] == begin[b] && shares(of[a], of[b], begin[a]));
}

/* Prompts of few ids, each often the beginning of another; alone, or in conversations. */
static void segments_end_where_prompts_part(void **state) {
  (void)state;
  for (int round = 0; round < 400; round++) {
    prompt all[ROWS];
    uint32_t ids[ROWS * MOST], firsts[ROWS];
    uint64_t ends[ROWS];
    size_t used = 0, units = 0;
    bool talks = round % 2 == 0;
    for (size_t r = 0; r < ROWS; r++) {
      prompt *p = &all[r];
      bool anew = !talks || r == 0 || draw(3) == 0;
      if (anew) firsts[units++] = (uint32_t)r;
      p->unit = units - 1;
      p->count = 0;
      if (r > 0 && draw(4) > 0) { /* what an earlier one has, or its beginning, and more */
        const prompt *before = anew ? &all[draw((int)r)] : p - 1;
        size_t kept = draw(3) > 0 ? before->count : (size_t)draw((int)before->count + 1);
        memcpy(p->block, before->block, sizeof p->block);
        p->count = kept;
      }
      for (int more = draw(4); more > 0 && p->count < MOST; more--)
        p->block[p->count++] = (uint32_t)draw(2);
      memcpy(ids + used, p->block, p->count * sizeof *ids);
      used += p->count;
      ends[r] = used;
    }
    tdm_request_rows rows = {.count = ROWS,
                             .firsts = talks ? firsts : NULL,
                             .conversations = talks ? units : 0,
                             .block_ids = ids,
                             .block_ends = ends,
                             .block_tokens = TOKENS};
    tdm_error error;
    assert_int_equal(tdm_rows_join_blocks(&rows, &error), TDM_OK);
    assert_joined(all, &rows);
    free(rows.segments);
    free(rows.segment_tokens);
    free(rows.segment_ends);
  }
}

/* More ends of blocks than the table begins with. */
static void long_prompts_part_where_they_do(void **state) {
  (void)state;
  enum { LONG = 3000, SHARED = 2000 };
  static uint32_t ids[2 * LONG];
  for (uint32_t i = 0; i < LONG; i++) {
    ids[i] = i;
    ids[LONG + i] = i < SHARED ? i : LONG + i;
  }
  uint64_t ends[2] = {LONG, 2 * LONG};
  tdm_request_rows rows = {
      .count = 2, .block_ids = ids, .block_ends = ends, .block_tokens = TOKENS};
  tdm_error error;
  assert_int_equal(tdm_rows_join_blocks(&rows, &error), TDM_OK);
  for (size_t r = 0; r < 2; r++) {
    const uint64_t *hashes;
    const int64_t *tokens;
    assert_int_equal(tdm_rows_segments(&rows, r, &hashes, &tokens), 2);
    assert_int_equal(tokens[0], SHARED * TOKENS);
    assert_int_equal(tokens[1], LONG * TOKENS);
    assert_true(hashes[0] == rows.segments[0]);
  }
  assert_true(rows.segments[1] != rows.segments[3]);
  free(rows.segments);
  free(rows.segment_tokens);
  free(rows.segment_ends);
}

static void prompts_that_are_not_told_have_no_segments(void **state) {
  (void)state;
  tdm_request_rows rows = {.count = 3};
  tdm_error error;
  assert_int_equal(tdm_rows_join_blocks(&rows, &error), TDM_OK);
  assert_null(rows.segment_ends);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(segments_end_where_prompts_part),
      cmocka_unit_test(long_prompts_part_where_they_do),
      cmocka_unit_test(prompts_that_are_not_told_have_no_segments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
