/* When a pool or a fleet becomes larger or smaller: tdm_scaler_decide against all that was wanted
 * before, kept in a list, and tdm_scaling_by_target at its bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "engine/events/state.h"

enum { LOOKS = 400, MOST = 6 };

/* What was wanted at each look, since the last decision the same way. */
typedef struct {
  int64_t at_ns[LOOKS];
  uint32_t size[LOOKS], wanted[LOOKS];
  size_t first_more, first_fewer, count;
} history;

/* More comes when more was wanted at every look for so long: the least of what was. So fewer: the
 * most. */
static int64_t decided(history *h, const tdm_scaling_rule *rule) {
  size_t last = h->count - 1, first = last;
  uint32_t size = h->size[last], least = h->wanted[last], most = least;
  bool more = least > size;
  if (least == size) return 0;
  size_t from = more ? h->first_more : h->first_fewer;
  while (first > from && h->wanted[first - 1] != h->size[first - 1] &&
         (h->wanted[first - 1] > h->size[first - 1]) == more)
    first--;
  for (size_t i = first; i <= last; i++) {
    if (h->wanted[i] < least) least = h->wanted[i];
    if (h->wanted[i] > most) most = h->wanted[i];
  }
  if (h->at_ns[last] - h->at_ns[first] < (more ? rule->up_ns : rule->down_ns)) return 0;
  *(more ? &h->first_more : &h->first_fewer) = h->count;
  int64_t change = (int64_t)(more ? least : most) - size;
  return more ? (change > 0 ? change : 0) : (change < 0 ? change : 0);
}

static void decisions_are_of_all_that_was_wanted_for_so_long(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 60; round++) {
    tdm_stream draws = tdm_stream_child(tdm_stream_named(5, 0, "scaler"), round);
    tdm_scaling_rule rule = {.up_ns = (int64_t)(round % 4) * 10,
                             .down_ns = (int64_t)(round % 5) * 7};
    tdm_scaler scaler = {.more_ns = -1, .fewer_ns = -1};
    history h = {.count = 0};
    uint32_t size = 3, changes = 0, wanted = 0;
    int64_t now_ns = 0;
    for (uint64_t i = 0; i < LOOKS; i++) {
      if (i > 0) now_ns += 1 + (int64_t)(tdm_stream_unit(draws, 3 * i) * 12);
      /* Mostly what it was, so that it holds for long. */
      if (tdm_stream_unit(draws, 3 * i + 1) < 0.3)
        wanted = (uint32_t)(tdm_stream_unit(draws, 3 * i + 2) * (MOST + 1));
      else if (tdm_stream_unit(draws, 3 * i + 2) < 0.1) /* failures and repairs */
        size = size > 2 ? size - 2 : size + 2;
      h.at_ns[h.count] = now_ns, h.size[h.count] = size, h.wanted[h.count++] = wanted;
      int64_t want = decided(&h, &rule);
      assert_int_equal(tdm_scaler_decide(&scaler, &rule, now_ns, size, wanted), want);
      size = (uint32_t)((int64_t)size + want);
      changes += want != 0;
    }
    assert_true(changes > 10);
  }
}

static void a_target_is_met_by_as_few_as_can_within_its_tolerance(void **state) {
  (void)state;
  tdm_scaling_rule rule = {.least = 1, .target = 4, .tolerance = 0.25};
  static const struct {
    double sum;
    uint32_t size, wanted;
  } cases[] = {
      {8, 2, 2},   {10, 2, 2}, {10.1, 2, 3}, {6, 2, 2},    {5.9, 2, 2},  {4, 2, 1},
      {4.1, 3, 2}, {0, 2, 1},  {1, 0, 1},    {12, 0, 3},   {12.1, 0, 4}, {28, 3, 7},
      {29, 3, 8},  {32, 8, 8}, {200, 8, 8},  {32.5, 1, 8},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t wanted = tdm_scaling_by_target(&rule, cases[i].sum, cases[i].size, 8);
    if (wanted != cases[i].wanted)
      fail_msg("%g of %u: %u, not %u", cases[i].sum, cases[i].size, wanted, cases[i].wanted);
  }
  rule.least = 3;
  assert_int_equal(tdm_scaling_by_target(&rule, 4, 3, 8), 3);
  assert_int_equal(tdm_scaling_by_target(&rule, 0, 3, 8), 3);
  assert_int_equal(tdm_scaling_by_target(&rule, 40, 3, 3), 3);
  rule.least = 0;
  assert_int_equal(tdm_scaling_by_target(&rule, 0, 3, 8), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decisions_are_of_all_that_was_wanted_for_so_long),
      cmocka_unit_test(a_target_is_met_by_as_few_as_can_within_its_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
