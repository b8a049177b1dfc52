/* trace/lanes: the order of spans and their sub-lanes, on hand-made tracks and against a slow check
 * of what the header promises on random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "trace/lanes.h"
#include "trace/recorder.h"

typedef struct {
  tdm_recording *recording;
  tdm_recorder *recorder;
  tdm_lanes lanes;
  tdm_error error;
} bench;

static void set_up(bench *b) {
  tdm_record_sink sink;
  memset(b, 0, sizeof *b);
  b->recording = tdm_recording_new();
  tdm_recording_sink(b->recording, &sink);
  b->recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(b->recorder, "test", "test");
}

static void lay(bench *b, unsigned shapes) {
  assert_int_equal(tdm_recorder_end_source(b->recorder, &b->error), TDM_OK);
  assert_int_equal(tdm_recorder_finish(b->recorder, &b->error), TDM_OK);
  assert_int_equal(tdm_lanes_open(&b->lanes, b->recording, shapes, &b->error), TDM_OK);
}

static void tear_down(bench *b) {
  tdm_lanes_close(&b->lanes);
  tdm_recorder_free(b->recorder);
  tdm_recording_free(b->recording);
}

static uint32_t track(bench *b, const char *name, tdm_track_kind kind) {
  tdm_track about = TDM_TRACK_PLAIN;
  about.name = name;
  about.kind = kind;
  return tdm_record_track(b->recorder, &about);
}

static void span(bench *b, const char *category, tdm_shape shape, uint32_t on, int64_t start,
                 int64_t end) {
  uint32_t layout = tdm_record_layout(b->recorder, category, shape, NULL, 0);
  tdm_record_row(b->recorder, layout, start, end - start, on, tdm_record_text(b->recorder, "x"),
                 NULL, 0);
}

/* start, end, lane, depth of the spans of a track, in order. */
static void expect(const bench *b, uint32_t on, size_t count, const int64_t (*want)[4]) {
  size_t first = b->lanes.first[on];
  assert_int_equal(b->lanes.first[on + 1] - first, count);
  for (size_t i = 0; i < count; i++) {
    const tdm_laid_span *laid = &b->lanes.span[first + i];
    const tdm_kept_rows *rows = tdm_recording_rows(b->recording, laid->layout);
    assert_int_equal(tdm_kept(rows, TDM_START, laid->row), want[i][0]);
    assert_int_equal(tdm_lanes_end(rows, laid->row), want[i][1]);
    assert_int_equal(laid->lane, want[i][2]);
    assert_int_equal(laid->depth, want[i][3]);
  }
}

static void calls_that_nest_lie_on_one_lane(void **state) {
  (void)state;
  bench b;
  set_up(&b);
  uint32_t on = track(&b, "thread", TDM_TRACK_THREAD);
  span(&b, "runtime", TDM_SHAPE_SPAN, on, 20, 30);
  span(&b, "runtime", TDM_SHAPE_SPAN, on, 30, 30);
  span(&b, "cpu_op", TDM_SHAPE_SPAN, on, 10, 100);
  span(&b, "cpu_op", TDM_SHAPE_SPAN, on, 10, 50);
  span(&b, "cpu_op", TDM_SHAPE_SPAN, on, 50, 60);
  span(&b, "cpu_op", TDM_SHAPE_SPAN, on, 100, 120);
  lay(&b, TDM_LANES_ALL);
  const int64_t want[][4] = {{10, 100, 0, 0}, {10, 50, 0, 1}, {20, 30, 0, 2},
                             {30, 30, 0, 2},  {50, 60, 0, 1}, {100, 120, 0, 0}};
  expect(&b, on, 6, want);
  assert_int_equal(b.lanes.lanes[on], 1);
  tear_down(&b);
}

static void what_overlaps_goes_to_the_next_lane_with_what_is_inside_it(void **state) {
  (void)state;
  bench b;
  set_up(&b);
  uint32_t idle = track(&b, "idle", TDM_TRACK_THREAD);
  uint32_t on = track(&b, "stream", TDM_TRACK_STREAM);
  span(&b, "kernel", TDM_SHAPE_SPAN, on, 0, 100);
  span(&b, "kernel", TDM_SHAPE_SPAN, on, 50, 101);
  span(&b, "kernel", TDM_SHAPE_SPAN, on, 60, 70); /* fits both; it belongs to the later one */
  span(&b, "kernel", TDM_SHAPE_SPAN, on, 70, 80);
  span(&b, "kernel", TDM_SHAPE_SPAN, on, 90, 110);
  span(&b, "kernel", TDM_SHAPE_SPAN, on, 100, 120);
  lay(&b, TDM_LANES_ALL);
  const int64_t want[][4] = {{0, 100, 0, 0}, {50, 101, 1, 0}, {60, 70, 1, 1},
                             {70, 80, 1, 1}, {90, 110, 2, 0}, {100, 120, 0, 0}};
  expect(&b, on, 6, want);
  expect(&b, idle, 0, NULL);
  assert_int_equal(b.lanes.lanes[on], 3);
  assert_int_equal(b.lanes.lanes[idle], 0);
  tear_down(&b);
}

static void jobs_of_a_station_are_never_inside_each_other(void **state) {
  (void)state;
  bench b;
  set_up(&b);
  uint32_t on = track(&b, "server", TDM_TRACK_SERVER);
  span(&b, "stage", TDM_SHAPE_SPAN, on, 0, 100);
  span(&b, "stage", TDM_SHAPE_SPAN, on, 10, 20);
  span(&b, "stage", TDM_SHAPE_SPAN, on, 20, 30);
  span(&b, "stage", TDM_SHAPE_SPAN, on, 100, 110);
  span(&b, "stage", TDM_SHAPE_SPAN, on, 100, 100); /* done before the next begins */
  lay(&b, TDM_LANES_ALL);
  const int64_t want[][4] = {
      {0, 100, 0, 0}, {10, 20, 1, 0}, {20, 30, 1, 0}, {100, 100, 0, 0}, {100, 110, 0, 0}};
  expect(&b, on, 5, want);
  tear_down(&b);
}

static void asynchronous_spans_come_after_the_others(void **state) {
  (void)state;
  bench b;
  set_up(&b);
  uint32_t on = track(&b, "thread", TDM_TRACK_THREAD);
  span(&b, "nvtx", TDM_SHAPE_ASYNC, on, 0, 100);
  span(&b, "nvtx", TDM_SHAPE_ASYNC, on, 10, 20);
  span(&b, "runtime", TDM_SHAPE_SPAN, on, 5, 15);
  span(&b, "runtime", TDM_SHAPE_OPEN, on, 6, 12);
  span(&b, "marker", TDM_SHAPE_INSTANT, on, 7, 7);
  lay(&b, TDM_LANES_ALL);
  const int64_t want[][4] = {{0, 100, 1, 0}, {5, 15, 0, 0}, {6, 12, 0, 1}, {10, 20, 2, 0}};
  expect(&b, on, 4, want);
  assert_int_equal(b.lanes.lanes[on], 3);
  tdm_lanes_close(&b.lanes);
  assert_int_equal(tdm_lanes_open(&b.lanes, b.recording, TDM_LANES_SYNC, &b.error), TDM_OK);
  expect(&b, on, 2, want + 1 /* and then not the last */);
  assert_int_equal(b.lanes.lanes[on], 1);
  tear_down(&b);
}

static void times_at_the_edge_of_the_range_are_kept(void **state) {
  (void)state;
  bench b;
  set_up(&b);
  uint32_t on = track(&b, "thread", TDM_TRACK_THREAD);
  uint32_t layout = tdm_record_layout(b.recorder, "a", TDM_SHAPE_SPAN, NULL, 0);
  tdm_record_row(b.recorder, layout, INT64_MAX - 5, INT64_MAX, on, 0, NULL, 0);
  tdm_record_row(b.recorder, layout, INT64_MAX, 0, on, 0, NULL, 0);
  tdm_record_row(b.recorder, layout, INT64_MIN + 1, 5, on, 0, NULL, 0);
  tdm_record_row(b.recorder, layout, 10, -5, on, 0, NULL, 0);
  lay(&b, TDM_LANES_ALL);
  const int64_t want[][4] = {{INT64_MIN + 1, INT64_MIN + 6, 0, 0},
                             {10, 10, 0, 0},
                             {INT64_MAX - 5, INT64_MAX, 0, 0},
                             {INT64_MAX, INT64_MAX, 0, 0}};
  expect(&b, on, 4, want);
  tear_down(&b);
}

static void a_trace_without_spans_has_no_lanes(void **state) {
  (void)state;
  bench b;
  set_up(&b);
  lay(&b, TDM_LANES_ALL);
  assert_int_equal(b.lanes.count, 0);
  assert_int_equal(b.lanes.tracks, 0);
  tear_down(&b);
}

/* ---- random tracks, checked the slow way ---- */

typedef struct {
  int64_t start, end;
  uint32_t lane, depth, layout, row;
  int async;
} flat;

static void check_track(const bench *b, uint32_t on, int serial) {
  size_t first = b->lanes.first[on], count = b->lanes.first[on + 1] - first;
  flat *all = calloc(count + 1, sizeof *all);
  for (size_t i = 0; i < count; i++) {
    const tdm_laid_span *laid = &b->lanes.span[first + i];
    const tdm_kept_rows *rows = tdm_recording_rows(b->recording, laid->layout);
    assert_int_equal(tdm_kept(rows, TDM_TRACK, laid->row), on);
    all[i] = (flat){tdm_kept(rows, TDM_START, laid->row),
                    tdm_lanes_end(rows, laid->row),
                    laid->lane,
                    laid->depth,
                    laid->layout,
                    laid->row,
                    tdm_recording_layout(b->recording, laid->layout)->shape == TDM_SHAPE_ASYNC};
    if (i == 0) continue;
    const flat *p = &all[i - 1], *q = &all[i];
    assert_true(p->start <= q->start);
    if (p->start != q->start) continue;
    int p_empty = p->end == p->start, q_empty = q->end == q->start;
    if (serial && p_empty != q_empty)
      assert_true(p_empty);
    else
      assert_true(p->end >= q->end);
    if (p->end == q->end)
      assert_true(p->layout < q->layout || (p->layout == q->layout && p->row < q->row));
  }
  for (size_t i = 0; i < count; i++) {
    uint32_t depth = 0;
    for (size_t j = 0; j < i; j++) {
      if (all[j].lane != all[i].lane) continue;
      assert_int_equal(all[i].async, all[j].async);
      int inside = all[j].end > all[i].start;
      if (!inside) continue;
      assert_true(!serial && !all[i].async && all[j].end >= all[i].end);
      depth++;
    }
    assert_int_equal(all[i].depth, depth);
  }
  /* Disjoint spans on the fewest lanes: as many as overlap at once. */
  if (serial) {
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) {
      uint32_t now = 0;
      for (size_t j = 0; j <= i; j++)
        now += !all[j].async && !all[i].async && (j == i || all[j].end > all[i].start);
      if (now > most) most = now;
    }
    uint32_t used = 0;
    for (size_t i = 0; i < count; i++)
      if (!all[i].async && all[i].lane >= used) used = all[i].lane + 1;
    assert_int_equal(used, most);
  }
  free(all);
}

static void random_tracks_are_as_promised(void **state) {
  (void)state;
  tdm_rng rng = {7};
  for (int round = 0; round < 300; round++) {
    bench b;
    set_up(&b);
    uint32_t on[4] = {track(&b, "a", TDM_TRACK_THREAD), track(&b, "b", TDM_TRACK_SERVER),
                      track(&b, "c", TDM_TRACK_STREAM), track(&b, "d", TDM_TRACK_QUEUE)};
    int64_t range = 1 + (int64_t)tdm_index_below(tdm_rng_bits(&rng), round % 3 == 0 ? 20 : 1000);
    for (int i = 0; i < 400; i++) {
      static const tdm_shape shapes[] = {TDM_SHAPE_SPAN, TDM_SHAPE_OPEN, TDM_SHAPE_ASYNC};
      static const char *const categories[] = {"x", "y", "z"};
      int64_t start = (int64_t)tdm_index_below(tdm_rng_bits(&rng), (uint64_t)range);
      int64_t dur = (int64_t)tdm_index_below(tdm_rng_bits(&rng), (uint64_t)(1 + range / 3));
      span(&b, categories[tdm_index_below(tdm_rng_bits(&rng), 3)],
           shapes[tdm_index_below(tdm_rng_bits(&rng), 3)],
           on[tdm_index_below(tdm_rng_bits(&rng), 4)], start, start + dur);
    }
    lay(&b, TDM_LANES_ALL);
    assert_int_equal(b.lanes.count, 400);
    check_track(&b, on[0], 0);
    check_track(&b, on[1], 1);
    check_track(&b, on[2], 0);
    check_track(&b, on[3], 1);
    tear_down(&b);
  }
}

static void a_hundred_thousand_at_once_need_as_many_lanes_and_no_time(void **state) {
  (void)state;
  bench b;
  set_up(&b);
  uint32_t on = track(&b, "queue", TDM_TRACK_QUEUE);
  for (int i = 0; i < 100000; i++) span(&b, "wait", TDM_SHAPE_SPAN, on, i, 1000000 - i);
  lay(&b, TDM_LANES_ALL);
  assert_int_equal(b.lanes.lanes[on], 100000);
  tear_down(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_that_nest_lie_on_one_lane),
      cmocka_unit_test(what_overlaps_goes_to_the_next_lane_with_what_is_inside_it),
      cmocka_unit_test(jobs_of_a_station_are_never_inside_each_other),
      cmocka_unit_test(asynchronous_spans_come_after_the_others),
      cmocka_unit_test(times_at_the_edge_of_the_range_are_kept),
      cmocka_unit_test(a_trace_without_spans_has_no_lanes),
      cmocka_unit_test(random_tracks_are_as_promised),
      cmocka_unit_test(a_hundred_thousand_at_once_need_as_many_lanes_and_no_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
