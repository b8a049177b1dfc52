/* A timeline's data: rows and numbers, blocks, levels of detail, activity, arrows, bottlenecks,
 * each read back from what is written and held against the spans themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "recording_fixture.h"
#include "timeline_fixture.h"
#include "write/timeline/inside.h"

/* ---- rows ---- */

static void check_rows(const tdm_frame *f) {
  for (uint32_t r = 0; r < f->rows; r++) {
    assert_true(f->first[r] <= f->first[r + 1]);
    for (size_t n = f->first[r] + 1; n < f->first[r + 1]; n++)
      assert_true(tdm_frame_span_at(f, n).start_ns >= tdm_frame_span_at(f, n - 1).end_ns);
  }
  assert_int_equal(f->first[f->rows], f->lanes.count);
  char *numbered = calloc(f->lanes.count + 1, 1);
  assert_non_null(numbered);
  for (size_t n = 0; n < f->lanes.count; n++) assert_int_equal(numbered[f->order[n]]++, 0);
  free(numbered);
}

static void spans_of_a_row_are_apart_in_order_and_numbered_once(void **state) {
  (void)state;
  tdm_error error;
  tdm_frame frame;
  tdm_recording *rich = recording_rich();
  assert_int_equal(tdm_frame_open(&frame, rich, &error), TDM_OK);
  assert_true(frame.lanes.count > 100);
  check_rows(&frame);
  tdm_frame_close(&frame);
  tdm_recording_free(rich);
  tdm_rng rng = {7};
  maker m = begin();
  uint32_t a = track(&m, "a", TDM_TRACK_SERVER, TDM_LANE_GPU, 9);
  for (int i = 0; i < 3000; i++) {
    int64_t from = (int64_t)tdm_index_below(tdm_rng_bits(&rng), 10000);
    span(&m, a, "stage", "x", from, from + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 50));
  }
  tdm_recording *random = end(&m);
  assert_int_equal(tdm_frame_open(&frame, random, &error), TDM_OK);
  assert_true(frame.rows > 5);
  check_rows(&frame);
  tdm_frame_close(&frame);
  tdm_recording_free(random);
}

/* ---- blocks ---- */

static void a_block_gives_its_bytes_back(void **state) {
  (void)state;
  unsigned char bytes[3000];
  tdm_rng rng = {3};
  tdm_error error;
  tdm_blocks *blocks = tdm_blocks_new();
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(i < 1500 ? i / 100 : tdm_rng_bits(&rng) >> 56);
  for (size_t length = 0; length <= 70; length++)
    assert_int_equal(tdm_blocks_add(blocks, bytes + length, length * length % 2900), length);
  assert_int_equal(tdm_blocks_status(blocks, &error), TDM_OK);
  assert_int_equal(tdm_blocks_count(blocks), 71);
  for (size_t length = 0; length <= 70; length++) {
    size_t got;
    unsigned char *back = block_bytes(blocks, length, &got);
    assert_int_equal(got, length * length % 2900);
    assert_memory_equal(back, bytes + length, got);
    free(back);
  }
  tdm_blocks_free(blocks);
}

/* ---- levels ---- */

/* Rows of so many spans: the second has fewer levels than the others. */
enum { ROWS = 3, SPANS = 20000 };
static const int64_t row_spans[ROWS] = {SPANS, 700, SPANS - 5};

static tdm_recording *many_spans(void) {
  maker m = begin();
  char name[8];
  for (int r = 0; r < ROWS; r++) {
    uint32_t on = track(&m, (char[]){(char)('a' + r), 0}, TDM_TRACK_STREAM, TDM_LANE_GPU, TDM_NONE);
    for (int64_t i = 0; i < row_spans[r]; i++) {
      snprintf(name, sizeof name, "k%d", (int)(i * i % 5));
      span(&m, on, "kernel", name, 1000 + i * 10, 1000 + i * 10 + (i + r) % 11);
    }
  }
  return end(&m);
}

static void nodes_come_to_what_is_under_them(void **state) {
  (void)state;
  enum { GAP = 0, LENGTH = 1, IDLE = 2, COUNT = 5, FAN = 32 };
  tdm_recording *recording = many_spans();
  written w = write_out(recording);
  const char *at = value_at(w.json, "levels");
  int64_t each = 1;
  int levels = 0;
  while ((at = strchr(at + 1, '[')) != NULL && at[1] != '"' && at[-1] != ':') {
    size_t rows, n;
    int64_t *gap = column_of(&w, at, GAP, &rows), *length = column_of(&w, at, LENGTH, &n);
    int64_t *idle = column_of(&w, at, IDLE, &n), *count = column_of(&w, at, COUNT, &n);
    int64_t end_ns = 0; /* of the node before */
    size_t node = 0;
    each *= FAN;
    levels++;
    for (int r = 0; r < ROWS; r++) {
      int64_t below = (row_spans[r] + each / FAN - 1) / (each / FAN);
      if (below <= 4 * FAN) continue; /* too few for this level */
      for (int64_t from = 0; from < row_spans[r]; from += each, node++) {
        int64_t last = from + each < row_spans[r] ? from + each : row_spans[r], sum = 0;
        for (int64_t k = from; k < last; k++) sum += (k + r) % 11;
        assert_true(node < rows);
        assert_int_equal(end_ns + gap[node], from * 10);
        end_ns += gap[node] + length[node];
        assert_int_equal(end_ns, (last - 1) * 10 + (last - 1 + r) % 11);
        assert_int_equal(length[node] - idle[node], sum);
        assert_int_equal(count[node], last - from);
      }
    }
    assert_int_equal(rows, node);
    free(gap);
    free(length);
    free(idle);
    free(count);
  }
  assert_int_equal(levels, 2); /* 625 and 20 nodes of the longest row */
  forget(&w);
  tdm_recording_free(recording);
}

/* ---- activity ---- */

enum { RANDOM_SPANS = 400, MOMENTS = 2000 };

static void active_counts_are_what_the_spans_say(void **state) {
  (void)state;
  tdm_rng rng = {11};
  maker m = begin();
  uint32_t a = track(&m, "gpu", TDM_TRACK_SERVER, TDM_LANE_GPU, 4);
  int active[MOMENTS] = {0};
  span(&m, a, "stage", "x", 0, MOMENTS);
  for (int i = 0; i < RANDOM_SPANS; i++) {
    int64_t from = (int64_t)tdm_index_below(tdm_rng_bits(&rng), MOMENTS - 100);
    int64_t to = from + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 100);
    span(&m, a, "stage", "x", from, to);
    for (int64_t t = from; t < to; t++) active[t]++;
  }
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  const char *steps = value_at(w.json, "steps");
  size_t rows, n, at = 0;
  int64_t *time = column_of(&w, steps, 0, &rows), *value = column_of(&w, steps, 1, &n);
  for (int64_t t = 0; t < MOMENTS; t++) {
    while (at + 1 < rows && time[at + 1] <= t) at++;
    assert_int_equal(value[at], active[t] + 1);
  }
  free(time);
  free(value);
  forget(&w);
  tdm_recording_free(recording);
}

static void bins_have_the_mean_the_least_and_the_most(void **state) {
  (void)state;
  tdm_rng rng = {13};
  tdm_error error;
  tdm_sweep sweep;
  tdm_load load;
  int active[MOMENTS] = {0};
  assert_int_equal(tdm_sweep_begin(&sweep, RANDOM_SPANS, &error), TDM_OK);
  for (int i = 0; i < RANDOM_SPANS; i++) {
    int64_t from = (int64_t)tdm_index_below(tdm_rng_bits(&rng), MOMENTS - 20);
    int64_t to = from + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 20);
    tdm_sweep_add(&sweep, from, to);
    for (int64_t t = from; t < to; t++) active[t]++;
  }
  assert_int_equal(tdm_sweep_ready(&sweep, &error), TDM_OK);
  assert_int_equal(tdm_load_open(&load, &sweep, MOMENTS, 300, &error), TDM_OK);
  for (size_t bin = 0; bin < (size_t)(MOMENTS / load.width_ns); bin++) {
    int64_t sum = 0, busy = 0, least = INT64_MAX, most = 0;
    for (int64_t t = (int64_t)bin * load.width_ns; t < (int64_t)(bin + 1) * load.width_ns; t++) {
      sum += active[t];
      busy += active[t] > 0;
      if (active[t] < least) least = active[t];
      if (active[t] > most) most = active[t];
    }
    assert_true(fabs(load.mean[bin] * (double)load.width_ns - (double)sum) < 1e-6);
    assert_true(fabs(load.busy[bin] * (double)load.width_ns - (double)busy) < 1e-6);
    assert_true(load.least[bin] == least && load.most[bin] == most);
  }
  tdm_load_close(&load);
  tdm_sweep_close(&sweep);
}

/* ---- arrows ---- */

static void arrows_lead_from_calls_to_the_kernels_they_launched(void **state) {
  (void)state;
  tdm_error error;
  tdm_frame frame;
  tdm_recording *rich = recording_rich();
  written w = write_out(rich);
  size_t rows, n;
  int64_t *from = column_of(&w, value_at(w.json, "arrows"), 0, &rows);
  int64_t *to = column_of(&w, value_at(w.json, "arrows"), 1, &n);
  assert_int_equal(tdm_frame_open(&frame, rich, &error), TDM_OK);
  size_t launches = 0;
  for (size_t i = 0; i < rows; i++) {
    tdm_frame_span call = tdm_frame_span_at(&frame, (size_t)from[i]);
    tdm_frame_span work = tdm_frame_span_at(&frame, (size_t)to[i]);
    if (strcmp(tdm_recording_layout(rich, work.layout)->category, "kernel") != 0) continue;
    assert_string_equal(tdm_recording_layout(rich, call.layout)->category, "runtime");
    assert_int_equal(work.start_ns - call.start_ns, 299);
    launches++;
  }
  assert_int_equal(launches, 40); /* 20 of each rank */
  tdm_frame_close(&frame);
  free(from);
  free(to);
  forget(&w);
  tdm_recording_free(rich);
}

/* ---- what is odd ---- */

static void a_recording_without_spans_has_none(void **state) {
  (void)state;
  maker m = begin();
  tdm_recording *empty = end(&m);
  written w = write_out(empty);
  assert_int_equal(integer_at(w.json, "length"), 0);
  assert_int_equal(integer_at(w.json, "spans"), 0);
  forget(&w);
  tdm_recording_free(empty);
  m = begin();
  uint32_t gpu = track(&m, "GPU", TDM_TRACK_DEVICE, TDM_LANE_GPU, TDM_NONE);
  for (int i = 0; i < 1000; i++)
    tdm_record_sample(m.recorder, 5000 + i, gpu, tdm_record_text(m.recorder, "SM active"), i,
                      tdm_record_text(m.recorder, "%"));
  tdm_recording *samples = end(&m);
  w = write_out(samples);
  assert_int_equal(integer_at(w.json, "length"), 999);
  assert_int_equal(integer_at(value_at(w.json, "counters"), "samples"), 1000);
  forget(&w);
  tdm_recording_free(samples);
}

static void times_before_zero_and_lengths_without_end_are_kept_in_range(void **state) {
  (void)state;
  maker m = begin();
  uint32_t a = track(&m, "a", TDM_TRACK_THREAD, TDM_LANE_CPU, TDM_NONE);
  span(&m, a, "runtime", "early", -700, -200);
  span(&m, a, "runtime", "late", 100, 300);
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  assert_memory_equal(value_at(w.json, "origin"), "\"-700\"", 6);
  assert_int_equal(integer_at(w.json, "length"), 1000);
  forget(&w);
  tdm_recording_free(recording);
  m = begin();
  a = track(&m, "gpu", TDM_TRACK_SERVER, TDM_LANE_GPU, 1);
  uint32_t layout = tdm_record_layout(m.recorder, "stage", TDM_SHAPE_SPAN, NULL, 0);
  uint32_t name = tdm_record_text(m.recorder, "x");
  tdm_record_row(m.recorder, layout, INT64_MIN + 1, INT64_MAX, a, name, NULL, 0);
  tdm_record_row(m.recorder, layout, 10, INT64_MAX, a, name, NULL, 0);
  tdm_record_row(m.recorder, layout, 20, -5, a, name, NULL, 0);
  recording = end(&m);
  w = write_out(recording);
  assert_true(integer_at(w.json, "length") == INT64_MAX);
  assert_int_equal(integer_at(w.json, "spans"), 3);
  forget(&w);
  tdm_recording_free(recording);
}

/* ---- bottlenecks ---- */

static const char *mark_of(const written *w, const char *kind) {
  char text[32];
  snprintf(text, sizeof text, "{\"kind\":\"%s\"", kind);
  return strstr(value_at(w->json, "marks"), text);
}

/* Two servers, both busy from 200 to 600 of 1000; three wait then, for "b" longest. */
/* As all times, those of requests count from the first moment of the run. */
static void requests_begin_where_the_run_does(void **state) {
  (void)state;
  static const tdm_request_record records[] = {
      {.request = 8, .arrival_ns = 5000, .end_ns = 5600, .gpu = 1, .outcome = TDM_OUTCOME_OK},
      {.request = 7, .arrival_ns = 4100, .end_ns = 0, .gpu = -1, .outcome = TDM_OUTCOME_OPEN}};
  maker m = begin();
  uint32_t a = track(&m, "a", TDM_TRACK_SERVER, TDM_LANE_GPU, 1);
  span(&m, a, "stage", "early", 4000, 4200);
  span(&m, a, "stage", "late", 5100, 6000);
  tdm_record_requests(m.recorder, records, 2);
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  assert_memory_equal(value_at(w.json, "origin"), "\"4000\"", 6);
  static const int64_t want[][2] = {
      /* id, class, arrival, end, outcome, gpu */
      {7, 8}, {0, 0}, {100, 1000}, {TDM_NONE, 1600}, {TDM_OUTCOME_OPEN, TDM_OUTCOME_OK}, {-1, 1}};
  for (uint32_t c = 0; c < 6; c++) {
    size_t rows;
    int64_t *got = column_of(&w, value_at(w.json, "requests"), c, &rows);
    assert_int_equal(rows, 2);
    assert_memory_equal(got, want[c], sizeof want[c]);
    free(got);
  }
  forget(&w);
  tdm_recording_free(recording);
}

/* A request's span says when it came and went; the table says what is different. */
static void the_table_has_what_spans_of_requests_do_not_say(void **state) {
  (void)state;
  static const tdm_request_record records[] = {
      {.request = 7, .arrival_ns = 4100, .end_ns = 4900, .outcome = TDM_OUTCOME_OK},
      {.request = 8, .arrival_ns = 4200, .end_ns = 5000, .outcome = TDM_OUTCOME_OK},
      {.request = 9, .arrival_ns = 4300, .end_ns = 0, .outcome = TDM_OUTCOME_OPEN},
      {.request = 11, .arrival_ns = 4400, .end_ns = 4500, .outcome = TDM_OUTCOME_OK}};
  static const int64_t spans[][3] = {
      /* request, start, end: one as in the table, one not, one open, one of none, one again */
      {7, 4100, 4900},
      {8, 4190, 5005},
      {9, 4300, 5200},
      {10, 4000, 4001},
      {7, 5000, 5001}};
  static const int64_t want[][4] = {{0, 10, 0, 400}, {0, -5, TDM_NONE, 500}};
  maker m = begin();
  uint32_t on = track(&m, "requests", TDM_TRACK_OTHER, TDM_LANE_OTHER, TDM_NONE);
  tdm_arg arg = {.key = "request", .type = TDM_ARG_INT};
  uint32_t layout = tdm_record_layout(m.recorder, "request", TDM_SHAPE_ASYNC, &arg, 1);
  for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
    tdm_record_row(m.recorder, layout, spans[i][1], spans[i][2] - spans[i][1], on,
                   tdm_record_text(m.recorder, "default"), &spans[i][0], 1);
  tdm_record_requests(m.recorder, records, sizeof records / sizeof *records);
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  for (uint32_t c = 0; c < 2; c++) {
    size_t rows;
    int64_t *got = column_of(&w, value_at(w.json, "requests"), 2 + c, &rows);
    assert_int_equal(rows, 4);
    assert_memory_equal(got, want[c], sizeof want[c]);
    free(got);
  }
  forget(&w);
  tdm_recording_free(recording);
}

static void a_full_station_is_marked_where_it_is_full(void **state) {
  (void)state;
  maker m = begin();
  uint32_t gpu = track(&m, "L40#0 gpu", TDM_TRACK_SERVER, TDM_LANE_GPU, 2);
  uint32_t queue = track(&m, "L40#0 gpu", TDM_TRACK_QUEUE, TDM_LANE_QUEUE, TDM_NONE);
  span(&m, gpu, "stage", "a", 0, 600000);
  span(&m, gpu, "stage", "b", 200000, 600000);
  span(&m, gpu, "stage", "b", 900000, 1000000);
  span(&m, queue, "wait", "a", 300000, 500000);
  span(&m, queue, "wait", "b", 200000, 600000);
  span(&m, queue, "wait", "b", 200000, 500000);
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  const char *mark = mark_of(&w, "saturated");
  assert_non_null(mark);
  assert_null(strstr(mark + 20, "\"saturated\""));
  assert_in_range(integer_at(mark, "from"), 200000, 201000);
  assert_in_range(integer_at(mark, "to"), 599000, 600000);
  assert_int_equal(integer_at(mark, "slots"), 2);
  assert_true(real_at(mark, "busy") > 0.98);
  assert_true(fabs(real_at(mark, "waiting") - 2.25) < 0.03);
  assert_int_equal(integer_at(mark, "most"), 3);
  assert_memory_equal(value_at(mark, "what"), "\"L40#0 gpu\"", 11);
  assert_memory_equal(value_at(mark, "stage"), "\"b\"", 3);
  assert_null(mark_of(&w, "queue")); /* it never grew to twice its first length */
  forget(&w);
  tdm_recording_free(recording);
}

static void a_station_with_a_free_server_is_not_marked(void **state) {
  (void)state;
  maker m = begin();
  uint32_t gpu = track(&m, "gpu", TDM_TRACK_SERVER, TDM_LANE_GPU, 2);
  span(&m, gpu, "stage", "a", 0, 1000000);
  for (int64_t i = 0; i < 250; i++) span(&m, gpu, "stage", "b", i * 4000, i * 4000 + 3000);
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  assert_memory_equal(value_at(w.json, "marks"), "[]", 2);
  forget(&w);
  tdm_recording_free(recording);
}

/* One more comes every 10 µs until 400, all leave at 500: it grows to 40. */
static void a_queue_that_grows_is_marked_until_it_is_longest(void **state) {
  (void)state;
  maker m = begin();
  uint32_t gpu = track(&m, "gpu", TDM_TRACK_SERVER, TDM_LANE_GPU, 8);
  uint32_t queue = track(&m, "gpu", TDM_TRACK_QUEUE, TDM_LANE_QUEUE, TDM_NONE);
  span(&m, gpu, "stage", "a", 0, 1000000);
  for (int64_t i = 0; i < 40; i++) span(&m, queue, "wait", "a", i * 10000, 500000);
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  const char *mark = mark_of(&w, "queue");
  assert_non_null(mark);
  assert_in_range(integer_at(mark, "from"), 0, 12000);
  assert_in_range(integer_at(mark, "to"), 390000, 400000);
  assert_int_equal(integer_at(mark, "most"), 40);
  assert_true(real_at(mark, "first") < 2 && real_at(mark, "last") > 39);
  assert_null(mark_of(&w, "saturated"));
  forget(&w);
  tdm_recording_free(recording);
}

/* Calls of 1 µs every 2 µs; kernels of 10 µs one after the other: launches pile up. */
static void launches_that_pile_up_before_a_gpu_are_marked(void **state) {
  (void)state;
  static const tdm_arg args[] = {{"correlation", TDM_ARG_INT}};
  maker m = begin();
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = "python (1)";
  track.name = "thread 1";
  track.kind = TDM_TRACK_THREAD;
  track.lane = TDM_LANE_CPU;
  track.pid = 1;
  uint32_t thread = tdm_record_track(m.recorder, &track);
  track.process = "H100 #0";
  track.name = "stream 7";
  track.kind = TDM_TRACK_STREAM;
  track.lane = TDM_LANE_GPU;
  track.device = 0;
  uint32_t stream = tdm_record_track(m.recorder, &track);
  track.process = "H100 #1"; /* what is launched there begins at once */
  track.device = 1;
  uint32_t other = tdm_record_track(m.recorder, &track);
  uint32_t call = tdm_record_layout(m.recorder, "runtime", TDM_SHAPE_SPAN, args, 1);
  uint32_t kernel = tdm_record_layout(m.recorder, "kernel", TDM_SHAPE_SPAN, args, 1);
  uint32_t name = tdm_record_text(m.recorder, "x");
  for (int64_t i = 0; i < 100; i++) {
    tdm_record_row(m.recorder, call, i * 2000, 1000, thread, name, &i, 1);
    tdm_record_row(m.recorder, kernel, 1000 + i * 10000, 10000, stream, name, &i, 1);
    int64_t there = 1000 + i;
    tdm_record_row(m.recorder, call, i * 2000 + 1000, 1000, thread, name, &there, 1);
    tdm_record_row(m.recorder, kernel, i * 2000 + 2000, 500, other, name, &there, 1);
  }
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  const char *full = mark_of(&w, "saturated"), *grows = mark_of(&w, "queue");
  assert_non_null(full);
  assert_non_null(grows);
  assert_int_equal(integer_at(full, "slots"), 0);
  assert_memory_equal(value_at(full, "what"), "\"H100 #0\"", 9);
  assert_in_range(integer_at(full, "to"), 990000, 1001000);
  assert_in_range(integer_at(grows, "to"), 190000, 210000);
  assert_in_range(integer_at(grows, "most"), 78, 82); /* 100 launched, 20 done at 200 µs */
  assert_null(strstr(grows + 10, "\"queue\""));
  forget(&w);
  tdm_recording_free(recording);
}

/* A replica is used while it makes steps, which is no saturation; its queue has its station's name.
 */
static void a_replica_is_used_by_its_steps(void **state) {
  (void)state;
  maker m = begin();
  uint32_t queue = track(&m, "answer", TDM_TRACK_QUEUE, TDM_LANE_QUEUE, TDM_NONE);
  track(&m, "answer", TDM_TRACK_SERVER, TDM_LANE_GPU, TDM_NONE);
  uint32_t steps = track(&m, "answer steps", TDM_TRACK_SERVER, TDM_LANE_GPU, 1);
  for (int64_t i = 0; i < 75; i++) span(&m, steps, "step", "step", i * 1000, i * 1000 + 1000);
  span(&m, steps, "step", "step", 99000, 100000);
  for (int64_t i = 0; i < 8; i++) span(&m, queue, "wait", "answer", i * 5000, 45000);
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  tdm_recording_free(recording);
  const char *at = value_at(w.json, "stations");
  assert_true(fabs(real_at(at, "used") - 0.76) < 1e-5);
  assert_null(mark_of(&w, "saturated"));
  const char *grows = mark_of(&w, "queue");
  assert_non_null(grows);
  assert_memory_equal(value_at(grows, "what"), "\"answer steps\"", 14);
  assert_int_equal(integer_at(grows, "most"), 8);
  forget(&w);
}

/* Two servers from 1 to 14 ms: 7 of 26 ms of servers are used, and of two idle times that are the
 * longest the first is told. Then a GPU as it was measured, where what overlaps counts once. */
static void a_station_says_how_much_of_it_is_used(void **state) {
  (void)state;
  maker m = begin();
  uint32_t gpu = track(&m, "gpu", TDM_TRACK_SERVER, TDM_LANE_GPU, 2);
  span(&m, gpu, "stage", "a", 1000000, 3000000);
  span(&m, gpu, "stage", "b", 1500000, 2500000);
  span(&m, gpu, "stage", "a", 4000000, 4500000);
  span(&m, gpu, "stage", "a", 7000000, 9000000);
  span(&m, gpu, "stage", "a", 11500000, 12000000);
  span(&m, gpu, "stage", "b", 13000000, 14000000);
  tdm_track about = TDM_TRACK_PLAIN;
  about.process = "H100 #0";
  about.name = "stream 7";
  about.kind = TDM_TRACK_STREAM;
  about.lane = TDM_LANE_GPU;
  about.device = 0;
  uint32_t stream = tdm_record_track(m.recorder, &about);
  span(&m, stream, "kernel", "x", 2000000, 4000000);
  span(&m, stream, "kernel", "y", 3000000, 5000000);
  span(&m, stream, "kernel", "x", 10000000, 12000000);
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  tdm_recording_free(recording);
  static const struct {
    int64_t slots, from, to, busy, idle_from, idle_to;
    double used;
  } want[] = {{2, 1000000, 14000000, 6000000, 4500000, 7000000, 7.0 / 26},
              {0, 2000000, 12000000, 5000000, 5000000, 10000000, 5.0 / 10}};
  const char *at = value_at(w.json, "stations");
  for (size_t i = 0; i < 2; i++) {
    at = strchr(at + 1, '{');
    assert_non_null(at);
    assert_int_equal(integer_at(at, "slots"), want[i].slots);
    int64_t shift_ns = 1000000; /* times are from the first span on */
    assert_int_equal(integer_at(at, "from"), want[i].from - shift_ns);
    assert_int_equal(integer_at(at, "to"), want[i].to - shift_ns);
    assert_int_equal(integer_at(at, "busy"), want[i].busy);
    assert_int_equal(integer_at(at, "idle_from"), want[i].idle_from - shift_ns);
    assert_int_equal(integer_at(at, "idle_to"), want[i].idle_to - shift_ns);
    assert_true(fabs(real_at(at, "used") - want[i].used) < 1e-5);
  }
  forget(&w);
}

/* Its only work took no time, and another station's took all of it. */
static void a_station_of_work_without_length_is_not_used(void **state) {
  (void)state;
  maker m = begin();
  uint32_t none = track(&m, "gpu 0", TDM_TRACK_SERVER, TDM_LANE_GPU, 1);
  uint32_t all = track(&m, "gpu 1", TDM_TRACK_SERVER, TDM_LANE_GPU, 1);
  span(&m, none, "stage", "a", 500, 500);
  span(&m, all, "stage", "a", 0, 1000);
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  tdm_recording_free(recording);
  const char *at = value_at(w.json, "stations");
  assert_true(real_at(at, "used") == 0);
  at = strchr(strchr(at + 1, '{') + 1, '{');
  assert_non_null(at);
  assert_true(real_at(at, "used") == 1);
  forget(&w);
}

/* Two counters of one name that differ in their unit, told in turns: each has its samples in time,
 * and levels whose nodes have the first and last time, the least, the most and the mean of FAN
 * nodes of the level below. */
enum { SAMPLES = 4096 }; /* a level of 256 is the last */

static void counters_have_their_samples_and_levels_of_them(void **state) {
  (void)state;
  static const char *const units[] = {"W", "%"};
  tdm_rng rng = {51};
  static double value[2][SAMPLES];
  maker m = begin();
  uint32_t gpu = track(&m, "gpu", TDM_TRACK_DEVICE, TDM_LANE_GPU, TDM_NONE);
  uint32_t name = tdm_record_text(m.recorder, "power");
  for (int i = 0; i < SAMPLES; i++)
    for (int c = 0; c < 2; c++) {
      value[c][i] = (double)tdm_index_below(tdm_rng_bits(&rng), 2000) - 1000;
      tdm_record_sample(m.recorder, 10 * i + c, gpu, name, value[c][i],
                        tdm_record_text(m.recorder, units[c]));
    }
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  tdm_recording_free(recording);
  const char *at = value_at(w.json, "counters");
  for (int c = 0; c < 2; c++) {
    at = value_at(at, "unit");
    assert_memory_equal(at + 1, units[c], 1);
    size_t rows, below = SAMPLES;
    int64_t *time_ns = column_of(&w, value_at(at, "blocks"), 0, &rows);
    assert_int_equal(rows, SAMPLES);
    int64_t *bits = column_of(&w, value_at(at, "blocks"), 1, &rows);
    double least[SAMPLES], most[SAMPLES], mean[SAMPLES];
    int64_t first[SAMPLES], last[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
      assert_int_equal(time_ns[i], 10 * i + c);
      assert_true(tdm_record_double(bits[i]) == value[c][i]);
      first[i] = last[i] = time_ns[i];
      least[i] = most[i] = mean[i] = value[c][i];
    }
    free(time_ns);
    free(bits);
    const char *level = value_at(at, "levels") + 1;
    for (; below > TDM_TIMELINE_FAN * TDM_TIMELINE_FAN; level = strchr(level, ']') + 2) {
      size_t nodes = 0;
      for (size_t from = 0; from < below; from += TDM_TIMELINE_FAN, nodes++) {
        double sum = 0, low = INFINITY, high = -INFINITY;
        size_t i = from;
        for (; i < below && i < from + TDM_TIMELINE_FAN; i++) {
          low = fmin(low, least[i]);
          high = fmax(high, most[i]);
          sum += mean[i];
        }
        first[nodes] = first[from];
        last[nodes] = last[i - 1];
        least[nodes] = low;
        most[nodes] = high;
        mean[nodes] = sum / (double)(i - from);
      }
      below = nodes;
      int64_t *got[5];
      for (uint32_t k = 0; k < 5; k++) {
        got[k] = column_of(&w, level, k, &rows);
        assert_int_equal(rows, nodes);
      }
      for (size_t i = 0; i < nodes; i++) {
        assert_int_equal(got[0][i], first[i]);
        assert_int_equal(got[1][i], last[i]);
        assert_true(tdm_record_double(got[2][i]) == least[i]);
        assert_true(tdm_record_double(got[3][i]) == most[i]);
        assert_true(tdm_record_double(got[4][i]) == mean[i]);
      }
      for (uint32_t k = 0; k < 5; k++) free(got[k]);
    }
    assert_int_equal(level[-1], ']');
  }
  forget(&w);
}

/* A station of one server and its queue, part by part of a run: how much of the part the server is
 * busy, in percent, and how many wait, in quarters. What is marked is found again from these. */
enum { PARTS = 1024, PART_NS = 10000 };

static char *marks_wanted(const int *busy, const int *quarters) {
  char *out = calloc(1, 1 << 18), *p = out;
  for (int from = 0, to; from < PARTS; from = to + 1) {
    for (to = from; to < PARTS && busy[to] >= 98; to++) continue;
    if (to - from >= 4) p += sprintf(p, "saturated %d %d;", from, to);
  }
  for (int from = 0; from < PARTS; from++) {
    int to = from, peak = from;
    if (quarters[from] < 4 || (from > 0 && quarters[from - 1] >= 4)) continue;
    while (to < PARTS && quarters[to] >= 4) to++;
    for (int i = from; i < to; i++)
      if (quarters[i] > quarters[peak]) peak = i;
    if (peak - from < 3 || quarters[peak] < 2 * quarters[from]) continue;
    p += sprintf(p, "queue %d %d %g %g;", from, peak + 1, quarters[from] / 4.0,
                 quarters[peak] / 4.0);
  }
  return out;
}

static void marks_are_the_parts_that_their_rules_say(void **state) {
  (void)state;
  tdm_rng rng = {31};
  static int busy[PARTS], quarters[PARTS];
  maker m = begin();
  uint32_t gpu = track(&m, "gpu", TDM_TRACK_SERVER, TDM_LANE_GPU, 1);
  uint32_t queue = track(&m, "gpu", TDM_TRACK_QUEUE, TDM_LANE_QUEUE, TDM_NONE);
  for (int i = 0; i < PARTS; i++) {
    static const int shares[] = {97, 98, 98, 99, 100, 98}, more[] = {-2, 0, 1, 1, 2, 3};
    busy[i] = shares[tdm_index_below(tdm_rng_bits(&rng), 6)];
    quarters[i] = i > 0 ? quarters[i - 1] + more[tdm_index_below(tdm_rng_bits(&rng), 6)] : 0;
    if (quarters[i] > 12 || quarters[i] < 0)
      quarters[i] = (int)tdm_index_below(tdm_rng_bits(&rng), 6);
    if (i == PARTS - 1) { /* parts are that long where the run is a little less than all of them */
      busy[i] = 97;
      quarters[i] = 0;
    }
    int64_t at_ns = (int64_t)i * PART_NS;
    span(&m, gpu, "stage", "a", at_ns, at_ns + busy[i] * PART_NS / 100);
    for (int w = quarters[i]; w > 0; w -= 4)
      span(&m, queue, "wait", "a", at_ns, at_ns + (w < 4 ? w : 4) * PART_NS / 4);
  }
  tdm_recording *recording = end(&m);
  written w = write_out(recording);
  tdm_recording_free(recording);
  char *want = marks_wanted(busy, quarters), *got = calloc(1, 1 << 18), *p = got;
  for (int queues = 0; queues < 2; queues++)
    for (const char *at = value_at(w.json, "marks"); (at = strstr(at, "{\"kind\":")) != NULL;
         at++) {
      int is_queue = strncmp(at + 8, "\"queue\"", 7) == 0;
      if (is_queue != queues) continue;
      p += sprintf(p, "%s %d %d", queues ? "queue" : "saturated",
                   (int)(integer_at(at, "from") / PART_NS), (int)(integer_at(at, "to") / PART_NS));
      p += queues ? sprintf(p, " %g %g;", real_at(at, "first"), real_at(at, "last"))
                  : sprintf(p, ";");
    }
  assert_string_equal(got, want);
  free(want);
  free(got);
  forget(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spans_of_a_row_are_apart_in_order_and_numbered_once),
      cmocka_unit_test(a_block_gives_its_bytes_back),
      cmocka_unit_test(nodes_come_to_what_is_under_them),
      cmocka_unit_test(active_counts_are_what_the_spans_say),
      cmocka_unit_test(bins_have_the_mean_the_least_and_the_most),
      cmocka_unit_test(arrows_lead_from_calls_to_the_kernels_they_launched),
      cmocka_unit_test(a_recording_without_spans_has_none),
      cmocka_unit_test(times_before_zero_and_lengths_without_end_are_kept_in_range),
      cmocka_unit_test(requests_begin_where_the_run_does),
      cmocka_unit_test(the_table_has_what_spans_of_requests_do_not_say),
      cmocka_unit_test(a_full_station_is_marked_where_it_is_full),
      cmocka_unit_test(a_station_with_a_free_server_is_not_marked),
      cmocka_unit_test(a_queue_that_grows_is_marked_until_it_is_longest),
      cmocka_unit_test(a_replica_is_used_by_its_steps),
      cmocka_unit_test(a_station_says_how_much_of_it_is_used),
      cmocka_unit_test(a_station_of_work_without_length_is_not_used),
      cmocka_unit_test(counters_have_their_samples_and_levels_of_them),
      cmocka_unit_test(marks_are_the_parts_that_their_rules_say),
      cmocka_unit_test(launches_that_pile_up_before_a_gpu_are_marked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
