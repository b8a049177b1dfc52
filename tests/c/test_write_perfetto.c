/* write/perfetto: what is written is read back the same. Equal means: every span, instant, counter
 * sample and edge with its shape, category, name, times to the nanosecond, arguments with their
 * types, and the whole track (heading, name, kind, lane, ids). Not kept: ids of edges, the order of
 * rows, and requests, metrics, facts and artifacts. Ends of edges are at the beginning of their
 * span. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "read/reader.h"
#include "records_as_text.h"
#include "write/writer.h"

static uint32_t track(made *m, const char *process, const char *name, tdm_track_kind kind,
                      tdm_lane lane, int64_t pid, int64_t id) {
  tdm_track about = TDM_TRACK_PLAIN;
  about.process = process;
  about.name = name;
  about.kind = kind;
  about.lane = lane;
  about.pid = pid;
  if (kind == TDM_TRACK_THREAD) about.tid = id;
  if (kind == TDM_TRACK_STREAM) {
    about.stream = id;
    about.device = 0;
    about.context = 1;
  }
  if (kind == TDM_TRACK_SERVER) about.capacity = id;
  return tdm_record_track(m->recorder, &about);
}

static void span(made *m, const char *category, tdm_shape shape, uint32_t on, int64_t start,
                 int64_t end, const char *name) {
  uint32_t layout = tdm_record_layout(m->recorder, category, shape, NULL, 0);
  tdm_record_row(m->recorder, layout, start, end - start, on, tdm_record_text(m->recorder, name),
                 NULL, 0);
}

static void correlated(made *m, const char *category, uint32_t on, int64_t start, int64_t end,
                       const char *name, int64_t correlation) {
  static const tdm_arg args[] = {{"correlation", TDM_ARG_INT}};
  uint32_t layout = tdm_record_layout(m->recorder, category, TDM_SHAPE_SPAN, args, 1);
  tdm_record_row(m->recorder, layout, start, end - start, on, tdm_record_text(m->recorder, name),
                 &correlation, 1);
}

static tdm_recording *written_and_read(const made *m) {
  const char *path = scratch_path(".pftrace");
  tdm_error error = {0};
  tdm_write_options options = {.run_id = "run-1", .run_name = "a name", .version = "1.2.3"};
  if (tdm_writer_perfetto.write(m->recording, path, &options, &error) != TDM_OK)
    fail_msg("%s", error.message);
  size_t length;
  char *bytes = slurp(path, &length);
  assert_true(tdm_reader_pftrace.detect((unsigned char *)bytes, length, "x") > 50);
  free(bytes);
  tdm_recording *back = read_path(&tdm_reader_pftrace, path);
  unlink(path);
  return back;
}

static void expect_same(made *m) {
  made_done(m);
  tdm_recording *back = written_and_read(m);
  assert_same_rows(back, m->recording);
  size_t problems;
  tdm_recording_problems(back, &problems);
  assert_int_equal(problems, 0);
  tdm_recording_free(back);
  tdm_recording_free(m->recording);
}

static void threads_streams_and_stations_come_back(void **state) {
  (void)state;
  made m = made_new();
  uint32_t main =
      track(&m, "python (4312)", "thread 4312 main", TDM_TRACK_THREAD, TDM_LANE_CPU, 4312, 4312);
  uint32_t other =
      track(&m, "python (4312)", "thread 4313", TDM_TRACK_THREAD, TDM_LANE_CPU, 4312, 4313);
  uint32_t whole = track(&m, "python (4312)", "process", TDM_TRACK_PROCESS, TDM_LANE_CPU, 4312, 0);
  uint32_t stream = track(&m, "H100 #0", "stream 7", TDM_TRACK_STREAM, TDM_LANE_GPU, 4312, 7);
  uint32_t queue = track(&m, "host", "cpu queue", TDM_TRACK_QUEUE, TDM_LANE_QUEUE, TDM_NONE, 0);
  uint32_t server = track(&m, "host", "cpu", TDM_TRACK_SERVER, TDM_LANE_CPU, TDM_NONE, 4);
  uint32_t lone = track(&m, "", "alone", TDM_TRACK_OTHER, TDM_LANE_OTHER, TDM_NONE, 0);
  span(&m, "cpu_op", TDM_SHAPE_SPAN, main, 1000000000000000001, 1000000000000000100, "aten::mm");
  span(&m, "runtime", TDM_SHAPE_SPAN, main, 1000000000000000002, 1000000000000000050, "launch");
  span(&m, "osrt", TDM_SHAPE_OPEN, other, 1000000000000000003, 1000000000000000200, "poll");
  span(&m, "nvtx", TDM_SHAPE_ASYNC, main, 1000000000000000010, 1000000000000000150, "step \"1\"");
  span(&m, "nvtx", TDM_SHAPE_ASYNC, main, 1000000000000000020, 1000000000000000120, "step 2");
  span(&m, "nvtx", TDM_SHAPE_ASYNC, whole, 1000000000000000020, 1000000000000000120, "only these");
  span(&m, "kernel", TDM_SHAPE_SPAN, stream, 1000000000000000060, 1000000000000000090, "gemm");
  span(&m, "kernel", TDM_SHAPE_SPAN, stream, 1000000000000000080, 1000000000000000095, "overlaps");
  span(&m, "kernel", TDM_SHAPE_SPAN, stream, 1000000000000000095, 1000000000000000095, "empty");
  span(&m, "wait", TDM_SHAPE_SPAN, queue, 1000000000000000001, 1000000000000000009, "prefill");
  span(&m, "stage", TDM_SHAPE_SPAN, server, 1000000000000000001, 1000000000000000009, "decode");
  span(&m, "stage", TDM_SHAPE_SPAN, server, 1000000000000000002, 1000000000000000003, "decode");
  span(&m, "marker", TDM_SHAPE_INSTANT, lone, 1000000000000000004, 1000000000000000004, "here");
  expect_same(&m);
}

static void arguments_keep_their_types(void **state) {
  (void)state;
  made m = made_new();
  uint32_t on = track(&m, "p", "t", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8);
  static const tdm_arg args[] = {{"int", TDM_ARG_INT},   {"real", TDM_ARG_REAL},
                                 {"text", TDM_ARG_TEXT}, {"json", TDM_ARG_JSON},
                                 {"bool", TDM_ARG_BOOL}, {"none", TDM_ARG_INT}};
  uint32_t text = tdm_record_text(m.recorder, "a \"text\"\n\xc3\xa9");
  uint32_t json = tdm_record_text(m.recorder, "{\"a\":[1,2.5,null]}");
  const tdm_shape shapes[] = {TDM_SHAPE_SPAN, TDM_SHAPE_INSTANT, TDM_SHAPE_OPEN, TDM_SHAPE_ASYNC};
  for (size_t i = 0; i < 4; i++) {
    uint32_t layout = tdm_record_layout(m.recorder, "cpu_op", shapes[i], args, 6);
    const int64_t values[][6] = {
        {INT64_MAX, tdm_record_real(-0.1), text, json, 1, TDM_NONE},
        {-1, tdm_record_real(1e300), text, json, 0, 5},
        {TDM_NONE, tdm_record_real(NAN), TDM_NONE, TDM_NONE, TDM_NONE, TDM_NONE}};
    for (int64_t row = 0; row < 3; row++)
      tdm_record_row(m.recorder, layout, 100 * row, shapes[i] == TDM_SHAPE_INSTANT ? 0 : 10, on,
                     text, values[row], 6);
  }
  expect_same(&m);
}

static void counters_keep_their_units_and_tracks(void **state) {
  (void)state;
  made m = made_new();
  uint32_t device = track(&m, "H100 #0", "GPU", TDM_TRACK_DEVICE, TDM_LANE_GPU, TDM_NONE, 0);
  uint32_t thread = track(&m, "p", "t", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8);
  uint32_t watts = tdm_record_text(m.recorder, "power"), w = tdm_record_text(m.recorder, "W");
  uint32_t memory = tdm_record_text(m.recorder, "memory"), b = tdm_record_text(m.recorder, "bytes");
  uint32_t none = tdm_record_text(m.recorder, "");
  tdm_record_sample(m.recorder, 5, device, watts, 401.25, w);
  tdm_record_sample(m.recorder, 6, device, watts, 0.1, w);
  tdm_record_sample(m.recorder, 7, device, memory, 8e10, b);
  tdm_record_sample(m.recorder, 7, thread, memory, -1, none);
  static const tdm_arg args[] = {
      {"value", TDM_ARG_INT}, {"unit", TDM_ARG_TEXT}, {"address", TDM_ARG_INT}};
  uint32_t layout = tdm_record_layout(m.recorder, "memory", TDM_SHAPE_SAMPLE, args, 3);
  const int64_t values[] = {1 << 20, b, 0x7f0000};
  tdm_record_row(m.recorder, layout, 9, 0, device, memory, values, 3);
  expect_same(&m);
}

static void edges_come_back_with_their_kinds(void **state) {
  (void)state;
  made m = made_new();
  uint32_t on = track(&m, "p", "t", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8);
  uint32_t stream = track(&m, "H100 #0", "stream 7", TDM_TRACK_STREAM, TDM_LANE_GPU, 7, 7);
  uint32_t empty = track(&m, "p", "t 2", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 9);
  correlated(&m, "runtime", on, 10, 20, "launch", 1); /* has edges: no correlations are drawn */
  correlated(&m, "kernel", stream, 30, 40, "gemm", 1);
  span(&m, "cpu_op", TDM_SHAPE_SPAN, on, 5, 100, "op");
  uint32_t ac2g = tdm_record_text(m.recorder, "ac2g");
  uint32_t other = tdm_record_text(m.recorder, "fwd\"bwd");
  tdm_record_edge(m.recorder, ac2g, 10, on, 30, stream, 77);
  tdm_record_edge(m.recorder, other, 5, on, 30, stream, 78);
  tdm_record_edge(m.recorder, other, 30, stream, 10, on, 79);    /* back in time */
  tdm_record_edge(m.recorder, other, 3, empty, 1000, empty, 80); /* where no spans are */
  expect_same(&m);
}

static void ends_of_edges_move_to_the_span_that_is_open_there(void **state) {
  (void)state;
  made m = made_new();
  uint32_t on = track(&m, "p", "t", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8);
  span(&m, "cpu_op", TDM_SHAPE_SPAN, on, 0, 100, "outer");
  span(&m, "cpu_op", TDM_SHAPE_SPAN, on, 10, 20, "inner");
  span(&m, "cpu_op", TDM_SHAPE_SPAN, on, 30, 40, "inner");
  uint32_t kind = tdm_record_text(m.recorder, "k");
  tdm_record_edge(m.recorder, kind, 15, on, 25, on, 1); /* inside the first; between the two */
  made_done(&m);
  tdm_recording *back = written_and_read(&m);
#define TRACK "[p | t | thread CPU pid=7 tid=8]"
  const char *const want[] = {"edge edge 10+-10 'k' " TRACK TRACK,
                              "span cpu_op 0+100 'outer' [p | t | thread CPU pid=7 tid=8]",
                              "span cpu_op 10+10 'inner' [p | t | thread CPU pid=7 tid=8]",
                              "span cpu_op 30+10 'inner' [p | t | thread CPU pid=7 tid=8]"};
  assert_rows(back, 4, want);
  tdm_recording_free(back);
  tdm_recording_free(m.recording);
}

static void calls_are_joined_to_what_they_launched_by_correlation(void **state) {
  (void)state;
  made m = made_new();
  uint32_t a = track(&m, "a", "t", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8);
  uint32_t b = track(&m, "b", "t", TDM_TRACK_THREAD, TDM_LANE_CPU, 17, 18);
  uint32_t stream = track(&m, "H100 #0", "stream 7", TDM_TRACK_STREAM, TDM_LANE_GPU, 7, 7);
  correlated(&m, "runtime", a, 10, 20, "cudaGraphLaunch", 1);
  correlated(&m, "driver", a, 12, 15, "cuGraphLaunch", 1); /* the outer call is the one */
  correlated(&m, "runtime", b, 11, 12, "of another process", 1);
  correlated(&m, "kernel", stream, 30, 40, "first", 1);
  correlated(&m, "kernel", stream, 40, 50, "second", 1);
  correlated(&m, "kernel", stream, 60, 70, "of nobody", 2);
  made_done(&m);
  tdm_recording *back = written_and_read(&m);
#define CALLER "[a | t | thread CPU pid=7 tid=8]"
#define GPU    "[H100 #0 | stream 7 | stream GPU pid=7 device=0 context=1 stream=7]"
  const char *const want[] = {"edge edge 10+20 'correlation' " CALLER GPU,
                              "edge edge 10+30 'correlation' " CALLER GPU};
  lines all = lines_of(back);
  assert_int_equal(all.count, 8);
  assert_string_equal(all.line[0], want[0]);
  assert_string_equal(all.line[1], want[1]);
  lines_free(&all);
  tdm_recording_free(back);
  tdm_recording_free(m.recording);
}

static void times_before_zero_come_back(void **state) {
  (void)state;
  made m = made_new();
  uint32_t on = track(&m, "p", "t", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8);
  span(&m, "cpu_op", TDM_SHAPE_SPAN, on, -1000, 100, "outer");
  span(&m, "cpu_op", TDM_SHAPE_SPAN, on, -5, -5, "inner");
  uint32_t kind = tdm_record_text(m.recorder, "k");
  tdm_record_edge(m.recorder, kind, -5, on, -2000, on, 1);
  expect_same(&m);
}

static void utc_and_facts_survive(void **state) {
  (void)state;
  made m = made_new();
  uint32_t on = track(&m, "p", "t", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8);
  span(&m, "cpu_op", TDM_SHAPE_SPAN, on, 500, 600, "x");
  tdm_recorder_utc(m.recorder, 1700000000123456789);
  tdm_record_fact(m.recorder, "gpu.0.name", "NVIDIA H100");
  for (int i = 1; i < 200; i++) { /* more than an event may have arguments */
    char key[16];
    snprintf(key, sizeof key, "fact %d", i);
    tdm_record_fact_int(m.recorder, key, i);
  }
  made_done(&m);
  tdm_recording *back = written_and_read(&m);
  assert_int_equal(tdm_recording_source(back, 0)->utc_ns, 1700000000123456789);
  assert_string_equal(tdm_recording_source(back, 0)->detail, "written by tandem 1.2.3");
  size_t facts;
  assert_string_equal(tdm_recording_facts(back, &facts)->key, "gpu.0.name");
  assert_string_equal(tdm_recording_facts(back, &facts)->value, "NVIDIA H100");
  assert_int_equal(facts, 200);
  assert_string_equal(tdm_recording_facts(back, &facts)[199].value, "199");
  tdm_recording_free(back);
  tdm_recording_free(m.recording);
}

/* The clocks are tied at the first time, which is 0 in the file when it was before zero. */
static void utc_survives_a_beginning_at_or_before_zero(void **state) {
  (void)state;
  for (int64_t first = -1000; first <= 0; first += 1000) {
    made m = made_new();
    uint32_t on = track(&m, "p", "t", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8);
    span(&m, "cpu_op", TDM_SHAPE_SPAN, on, first, 600, "x");
    tdm_recorder_utc(m.recorder, 1700000000123456789);
    made_done(&m);
    tdm_recording *back = written_and_read(&m);
    assert_true(tdm_recording_source(back, 0)->utc_ns == 1700000000123456789);
    assert_true(tdm_recording_source(back, 0)->first_ns == first);
    tdm_recording_free(back);
    tdm_recording_free(m.recording);
  }
}

static void processes_with_one_id_stay_apart(void **state) {
  (void)state;
  made m = made_new();
  uint32_t a = track(&m, "rank 0", "thread 8", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8);
  uint32_t b = track(&m, "rank 1", "thread 8", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8);
  uint32_t c = track(&m, "rank 1", "thread big", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 1LL << 40);
  span(&m, "cpu_op", TDM_SHAPE_SPAN, a, 0, 100, "a");
  span(&m, "cpu_op", TDM_SHAPE_SPAN, b, 50, 150, "b");
  span(&m, "cpu_op", TDM_SHAPE_SPAN, c, 50, 150, "c");
  expect_same(&m);
}

/* ---- descriptors as Perfetto sees them, by the wire format alone */

typedef struct {
  const unsigned char *at, *end;
} wire;

static uint64_t varint(wire *w) {
  uint64_t value = 0;
  for (int shift = 0; w->at < w->end; shift += 7) {
    value |= (uint64_t)(*w->at & 0x7f) << shift;
    if (*w->at++ < 0x80) break;
  }
  return value;
}

/* The next field: its number; what it holds is in *value, or in *inside. 0: no more. */
static uint64_t field(wire *w, uint64_t *value, wire *inside) {
  if (w->at >= w->end) return 0;
  uint64_t key = varint(w);
  *inside = (wire){NULL, NULL};
  switch (key & 7) {
  case 0: *value = varint(w); break;
  case 1: w->at += 8; break;
  case 2:
    *value = varint(w);
    *inside = (wire){w->at, w->at + *value};
    w->at += *value;
    break;
  default: w->at += 4;
  }
  return key >> 3;
}

/* "p7 t7/8 …": process and thread descriptors in the order of their packets. */
static void describe_file(const char *path, char *out, size_t room) {
  enum { PACKET = 1, DESCRIPTOR = 60, PROCESS = 3, THREAD = 4, PID = 1, TID = 2 };
  size_t length, used = 0;
  char *bytes = slurp(path, &length);
  wire file = {(unsigned char *)bytes, (unsigned char *)bytes + length}, packet, track, part, none;
  uint64_t value, number;
  out[0] = 0;
  while ((number = field(&file, &value, &packet)) != 0)
    while (number == PACKET && (number = field(&packet, &value, &track)) != 0) {
      uint64_t kind = number == DESCRIPTOR ? 1 : 0;
      number = PACKET;
      while (kind != 0 && (kind = field(&track, &value, &part)) != 0) {
        uint64_t ids[3] = {0}, which;
        if (kind != PROCESS && kind != THREAD) continue;
        while ((which = field(&part, &value, &none)) != 0)
          if (which == PID || which == TID) ids[which] = value;
        used += (size_t)(kind == PROCESS ? snprintf(out + used, room - used, "p%d ", (int)ids[PID])
                                         : snprintf(out + used, room - used, "t%d/%d ",
                                                    (int)ids[PID], (int)ids[TID]));
      }
    }
  free(bytes);
}

/* Perfetto takes 0 for the idle task, ids have 32 bits, and each can be told but once. */
static void processes_and_threads_have_descriptors_where_perfetto_can_have_them(void **state) {
  (void)state;
  made m = made_new();
  const struct {
    const char *process;
    tdm_track_kind kind;
    int64_t pid, tid;
  } tracks[] = {
      {"a", TDM_TRACK_THREAD, 7, 8},
      {"a", TDM_TRACK_THREAD, 7, 1},
      {"a", TDM_TRACK_THREAD, 7, INT32_MAX},
      {"a", TDM_TRACK_THREAD, 7, 0},
      {"a", TDM_TRACK_THREAD, 7, -3},
      {"a", TDM_TRACK_THREAD, 7, 1LL << 31},
      {"a", TDM_TRACK_THREAD, 9, 8}, /* not the group's */
      {"same id", TDM_TRACK_THREAD, 7, 9},
      {"idle", TDM_TRACK_THREAD, 0, 5},
      {"one", TDM_TRACK_PROCESS, 1, 0},
      {"most", TDM_TRACK_PROCESS, INT32_MAX, 0},
      {"more", TDM_TRACK_PROCESS, 1LL << 31, 0},
      {"gpu", TDM_TRACK_STREAM, 12, 3},
      {"late", TDM_TRACK_STREAM, 20, 3},
      {"late", TDM_TRACK_THREAD, 21, 4},
  };
  for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++) {
    char name[16];
    snprintf(name, sizeof name, "track %zu", i);
    uint32_t on = track(&m, tracks[i].process, name, tracks[i].kind, TDM_LANE_CPU, tracks[i].pid,
                        tracks[i].tid);
    span(&m, "cpu_op", TDM_SHAPE_SPAN, on, (int64_t)i, 100, "a");
  }
  made_done(&m);
  const char *path = scratch_path(".pftrace");
  tdm_error error = {0};
  tdm_write_options options = {.run_id = "1", .run_name = "n", .version = "1"};
  assert_int_equal(tdm_writer_perfetto.write(m.recording, path, &options, &error), TDM_OK);
  char told[512];
  describe_file(path, told, sizeof told);
  assert_string_equal(told, "p7 p1 p2147483647 p21 t7/8 t7/1 t7/2147483647 t21/4 ");
  unlink(path);
  tdm_recording_free(m.recording);
}

static void random_traces_come_back(void **state) {
  (void)state;
  static const tdm_shape shapes[] = {TDM_SHAPE_SPAN, TDM_SHAPE_SPAN, TDM_SHAPE_OPEN,
                                     TDM_SHAPE_ASYNC, TDM_SHAPE_INSTANT};
  static const char *const categories[] = {"cpu_op", "kernel", "stage"};
  tdm_rng rng = {11};
  for (int round = 0; round < 40; round++) {
    made m = made_new();
    uint32_t on[5] = {
        track(&m, "p", "t 1", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 8),
        track(&m, "p", "t 2", TDM_TRACK_THREAD, TDM_LANE_CPU, 7, 9),
        track(&m, "g", "stream 7", TDM_TRACK_STREAM, TDM_LANE_GPU, 7, 7),
        track(&m, "h", "cpu", TDM_TRACK_SERVER, TDM_LANE_CPU, TDM_NONE, 3),
        track(&m, "", "q", TDM_TRACK_QUEUE, TDM_LANE_QUEUE, TDM_NONE, 0),
    };
    for (int i = 0; i < 500; i++) {
      tdm_shape shape = shapes[tdm_index_below(tdm_rng_bits(&rng), 5)];
      int64_t start = (int64_t)tdm_index_below(tdm_rng_bits(&rng), 300);
      int64_t dur = (int64_t)tdm_index_below(tdm_rng_bits(&rng), 60);
      char name[16];
      snprintf(name, sizeof name, "n%d", (int)tdm_index_below(tdm_rng_bits(&rng), 30));
      span(&m, categories[tdm_index_below(tdm_rng_bits(&rng), 3)], shape,
           on[tdm_index_below(tdm_rng_bits(&rng), 5)], start,
           shape == TDM_SHAPE_INSTANT ? start : start + dur, name);
    }
    expect_same(&m);
  }
}

/* A real trace, read, written and read again: the same rows, and none of them mended. */
static void expect_back(const char *path) {
  made m = {.recording = read_path(&tdm_reader_kineto, path)};
  size_t problems;
  tdm_recording *back = written_and_read(&m);
  assert_true(rows_count(m.recording) > 0);
  assert_same_rows(back, m.recording);
  tdm_recording_problems(back, &problems);
  assert_int_equal(problems, 0);
  tdm_recording_free(back);
  tdm_recording_free(m.recording);
}

static void real_traces_come_back(void **state) {
  (void)state;
  expect_back("tests/data/kineto/"
              "critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz");
  expect_back("tests/data/kineto/critical_path__cuda_event_sync__event_sync_trace.json.gz");
  expect_back("tests/data/kineto/inference__vllm_decode_full__graph_execution.json.gz");
}

static void large_real_traces_come_back(void **state) {
  (void)state;
  static const char *const files[] = {"h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
                                      "df_index_resolver__df_index_resolver.json.gz",
                                      "inference__xdit_sd_3.5__profile_trace_rank_0.json.gz"};
  const char *data = getenv("TANDEM_DATA");
  if (data == NULL) {
    print_message("TANDEM_DATA is not set: the large traces are left out\n");
    skip();
  }
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/kineto/%s", data, files[i]);
    expect_back(path);
  }
}

static void a_trace_of_nothing_can_be_written(void **state) {
  (void)state;
  made m = made_new();
  expect_same(&m);
}

static void a_directory_that_is_not_there_is_named(void **state) {
  (void)state;
  made m = made_new();
  made_done(&m);
  tdm_error error = {0};
  assert_int_equal(tdm_writer_perfetto.write(m.recording, "/nowhere/at/all", NULL, &error), TDM_IO);
  assert_non_null(strstr(error.message, "/nowhere/at/all"));
  tdm_recording_free(m.recording);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_streams_and_stations_come_back),
      cmocka_unit_test(arguments_keep_their_types),
      cmocka_unit_test(counters_keep_their_units_and_tracks),
      cmocka_unit_test(edges_come_back_with_their_kinds),
      cmocka_unit_test(ends_of_edges_move_to_the_span_that_is_open_there),
      cmocka_unit_test(calls_are_joined_to_what_they_launched_by_correlation),
      cmocka_unit_test(times_before_zero_come_back),
      cmocka_unit_test(utc_and_facts_survive),
      cmocka_unit_test(utc_survives_a_beginning_at_or_before_zero),
      cmocka_unit_test(processes_with_one_id_stay_apart),
      cmocka_unit_test(processes_and_threads_have_descriptors_where_perfetto_can_have_them),
      cmocka_unit_test(random_traces_come_back),
      cmocka_unit_test(real_traces_come_back),
      cmocka_unit_test(large_real_traces_come_back),
      cmocka_unit_test(a_trace_of_nothing_can_be_written),
      cmocka_unit_test(a_directory_that_is_not_there_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
