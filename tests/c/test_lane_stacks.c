/* trace/lane_stacks: the lane and depth of each span, against lanes that are all looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "trace/lane_stacks.h"

enum { LANES = 64, DEEP = 64 };

typedef struct {
  int64_t end[LANES][DEEP];
  uint32_t depth[LANES], lanes, last;
} plain;

static void take_off(plain *p, uint32_t lane, int64_t now_ns) {
  while (p->depth[lane] > 0 && p->end[lane][p->depth[lane] - 1] <= now_ns) p->depth[lane]--;
}

static int fits(plain *p, uint32_t lane, int64_t start_ns, int64_t end_ns, int nests) {
  take_off(p, lane, start_ns);
  return p->depth[lane] == 0 || (nests && p->end[lane][p->depth[lane] - 1] >= end_ns);
}

/* Inside the span before it, else the lowest lane that is free or has one around it. */
static uint32_t place(plain *p, int64_t start_ns, int64_t end_ns, int nests) {
  uint32_t lane = p->last;
  if (p->lanes == 0 || !nests || !fits(p, lane, start_ns, end_ns, 1) || p->depth[lane] == 0)
    for (lane = 0; !fits(p, lane, start_ns, end_ns, nests);) lane++;
  if (lane >= p->lanes) p->lanes = lane + 1;
  p->last = lane;
  p->end[lane][p->depth[lane]++] = end_ns;
  return lane;
}

static int64_t below(tdm_rng *rng, uint64_t n) {
  return (int64_t)tdm_index_below(tdm_rng_bits(rng), n);
}

static void lanes_are_the_lowest_that_fit(void **state) {
  (void)state;
  static plain p;
  tdm_lane_stacks stacks = {0};
  tdm_rng rng = {tdm_stream_bits(tdm_stream_named(1, 0, "lanes"), 0)};
  uint32_t widest = 0;
  for (int round = 0; round < 400; round++) {
    p = (plain){0};
    int64_t now_ns = 0, longest = 1 + below(&rng, 60);
    int nesting = round % 3;
    for (int i = 0; i < 60; i++) {
      uint32_t lane, depth;
      now_ns += below(&rng, 4);
      int64_t end_ns = now_ns + below(&rng, (uint64_t)longest + 1);
      int nests = nesting == 2 ? (int)below(&rng, 2) : nesting;
      uint32_t want = place(&p, now_ns, end_ns, nests);
      assert_true(tdm_lane_stacks_put(&stacks, now_ns, end_ns, nests, &lane, &depth));
      assert_int_equal(lane, want);
      assert_int_equal(depth, p.depth[want] - 1);
      assert_int_equal(stacks.lanes, p.lanes);
      if (p.lanes > widest) widest = p.lanes;
      /* no more room than the widest of all rounds needed */
      uint32_t leaves = 2;
      while (leaves < widest) leaves *= 2;
      assert_int_equal(stacks.leaves, leaves);
    }
    tdm_lane_stacks_clear(&stacks);
    assert_int_equal(stacks.lanes, 0);
    assert_int_equal(stacks.node_count, 0);
  }
  assert_true(widest > 8);
  tdm_lane_stacks_free(&stacks);
  assert_null(stacks.nodes);
}

static void spans_to_the_end_of_time_are_open(void **state) {
  (void)state;
  tdm_lane_stacks stacks = {0};
  uint32_t lane, depth;
  assert_true(tdm_lane_stacks_put(&stacks, 0, INT64_MAX, 0, &lane, &depth));
  assert_int_equal(lane, 0);
  assert_true(tdm_lane_stacks_put(&stacks, 1, 2, 0, &lane, &depth));
  assert_int_equal(lane, 1);
  assert_true(tdm_lane_stacks_put(&stacks, 3, INT64_MAX, 1, &lane, &depth));
  assert_true(lane == 0 && depth == 1);
  assert_true(tdm_lane_stacks_put(&stacks, 4, INT64_MAX - 1, 1, &lane, &depth));
  assert_true(lane == 0 && depth == 2);
  assert_true(tdm_lane_stacks_put(&stacks, INT64_MAX - 1, INT64_MAX, 0, &lane, &depth));
  assert_true(lane == 0 && depth == 0); /* all have ended by then */
  tdm_lane_stacks_free(&stacks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_are_the_lowest_that_fit),
      cmocka_unit_test(spans_to_the_end_of_time_are_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
