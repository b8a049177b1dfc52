/* Recordings for the tests of readers and writers: a rich one, and whether two hold the same. */
#ifndef TDM_TESTS_RECORDING_FIXTURE_H
#define TDM_TESTS_RECORDING_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/reader.h"
#include "trace/recorder.h"
#include "trace/recording.h"

/* Ids end where the recording says that they do; names, tracks and sources have no holes. */
static inline void recording_ends(const tdm_recording *recording) {
  uint32_t names = tdm_recording_names(recording), tracks = tdm_recording_tracks(recording);
  uint32_t sources = tdm_recording_sources(recording), layouts = tdm_recording_layouts(recording);
  uint32_t classes = tdm_recording_request_classes(recording);
  assert_null(tdm_recording_name(recording, names, NULL));
  assert_null(tdm_recording_name(recording, -1, NULL));
  assert_null(tdm_recording_track(recording, tracks));
  assert_null(tdm_recording_track(recording, -1));
  assert_null(tdm_recording_source(recording, sources));
  assert_null(tdm_recording_layout(recording, layouts));
  assert_null(tdm_recording_rows(recording, layouts));
  assert_null(tdm_recording_request_class(recording, classes));
  for (uint32_t i = 0; i < names; i++) assert_non_null(tdm_recording_name(recording, i, NULL));
  for (uint32_t i = 0; i < tracks; i++) assert_non_null(tdm_recording_track(recording, i));
  for (uint32_t i = 0; i < sources; i++) assert_non_null(tdm_recording_source(recording, i));
}

/* ---- reading ---- */

/* What a reader makes of the bytes; its status goes to *status unless that is NULL: then OK. */
static inline tdm_recording *recording_read(const tdm_reader *reader, const void *bytes,
                                            size_t length, tdm_status *status) {
  tdm_error error;
  tdm_input *input = NULL;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  assert_int_equal(tdm_input_open_memory(bytes, length, &input, &error), TDM_OK);
  tdm_recorder_begin_source(recorder, "memory", reader->name);
  tdm_status got = reader->read(input, &(tdm_read_options){0}, recorder, &error);
  if (got != TDM_OK && status == NULL) fail_msg("%s", error.message);
  if (status != NULL) *status = got;
  assert_int_equal(tdm_recorder_end_source(recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_finish(recorder, &error), TDM_OK);
  tdm_recorder_free(recorder);
  tdm_input_close(input);
  recording_ends(recording);
  return recording;
}

static inline char *recording_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(size + 1);
  assert_int_equal(fread(text, 1, size, file), size);
  text[size] = 0;
  fclose(file);
  if (length != NULL) *length = size;
  return text;
}

/* ---- comparing ---- */

static inline void same_text(const char *a, const char *b) {
  assert_int_equal(a == NULL, b == NULL);
  if (a != NULL) assert_string_equal(a, b);
}

static inline void same_track(const tdm_track *a, const tdm_track *b) {
  assert_non_null(a);
  assert_non_null(b);
  assert_string_equal(a->process, b->process);
  assert_string_equal(a->name, b->name);
  assert_int_equal(a->kind, b->kind);
  assert_int_equal(a->lane, b->lane);
  assert_true(a->capacity == b->capacity && a->pid == b->pid && a->tid == b->tid &&
              a->device == b->device && a->context == b->context && a->stream == b->stream);
  assert_int_equal(a->source, b->source);
}

static inline void same_value(const tdm_recording *x, const tdm_recording *y, const tdm_arg *arg,
                              tdm_shape shape, int64_t a, int64_t b) {
  int names = arg->type == TDM_ARG_TEXT || arg->type == TDM_ARG_JSON;
  if (names && a != TDM_NONE && b != TDM_NONE) {
    assert_string_equal(tdm_recording_name(x, (uint32_t)a, NULL),
                        tdm_recording_name(y, (uint32_t)b, NULL));
  } else if (shape == TDM_SHAPE_EDGE && strcmp(arg->key, "to_track") == 0) {
    same_track(tdm_recording_track(x, (uint32_t)a), tdm_recording_track(y, (uint32_t)b));
  } else if (a != b) {
    fail_msg("%s: %lld is not %lld", arg->key, (long long)a, (long long)b);
  }
}

static inline int same_layout(const tdm_layout *a, const tdm_layout *b) {
  if (strcmp(a->category, b->category) != 0 || a->shape != b->shape || a->args != b->args) return 0;
  for (uint32_t i = 0; i < a->args; i++)
    if (strcmp(a->arg[i].key, b->arg[i].key) != 0 || a->arg[i].type != b->arg[i].type) return 0;
  return 1;
}

static inline void same_rows(const tdm_recording *x, const tdm_recording *y, uint32_t i,
                             uint32_t j) {
  const tdm_layout *layout = tdm_recording_layout(x, i);
  const tdm_kept_rows *a = tdm_recording_rows(x, i), *b = tdm_recording_rows(y, j);
  assert_int_equal(a->count, b->count);
  for (size_t row = 0; row < a->count; row++) {
    assert_true(tdm_kept(a, TDM_START, row) == tdm_kept(b, TDM_START, row));
    assert_true(tdm_kept(a, TDM_DUR, row) == tdm_kept(b, TDM_DUR, row));
    same_track(tdm_recording_track(x, (uint32_t)tdm_kept(a, TDM_TRACK, row)),
               tdm_recording_track(y, (uint32_t)tdm_kept(b, TDM_TRACK, row)));
    assert_string_equal(tdm_recording_name(x, (uint32_t)tdm_kept(a, TDM_NAME, row), NULL),
                        tdm_recording_name(y, (uint32_t)tdm_kept(b, TDM_NAME, row), NULL));
    for (uint32_t c = 0; c < layout->args; c++)
      same_value(x, y, &layout->arg[c], layout->shape, tdm_kept(a, TDM_ARGS + c, row),
                 tdm_kept(b, TDM_ARGS + c, row));
  }
}

static inline void same_sources(const tdm_recording *x, const tdm_recording *y) {
  assert_int_equal(tdm_recording_sources(x), tdm_recording_sources(y));
  for (uint32_t s = 0; s < tdm_recording_sources(x); s++) {
    const tdm_source *a = tdm_recording_source(x, s), *b = tdm_recording_source(y, s);
    assert_string_equal(a->path, b->path);
    assert_string_equal(a->format, b->format);
    assert_string_equal(a->detail, b->detail);
    assert_true(a->rank == b->rank && a->utc_ns == b->utc_ns && a->offset_ns == b->offset_ns);
    assert_true(a->first_ns == b->first_ns && a->last_ns == b->last_ns && a->rows == b->rows);
  }
}

/* Everything, whatever ids it has. */
static inline void same_recordings(const tdm_recording *x, const tdm_recording *y) {
  size_t a_count, b_count;
  same_sources(x, y);
  assert_int_equal(tdm_recording_tracks(x), tdm_recording_tracks(y));
  for (uint32_t i = 0; i < tdm_recording_layouts(x); i++) {
    if (tdm_recording_rows(x, i)->count == 0) continue;
    uint32_t j = 0;
    while (j < tdm_recording_layouts(y) &&
           !same_layout(tdm_recording_layout(x, i), tdm_recording_layout(y, j)))
      j++;
    assert_in_range(j, 0, tdm_recording_layouts(y) - 1);
    same_rows(x, y, i, j);
  }
  const tdm_fact *f = tdm_recording_facts(x, &a_count), *g = tdm_recording_facts(y, &b_count);
  assert_int_equal(a_count, b_count);
  for (size_t i = 0; i < a_count; i++) {
    assert_int_equal(f[i].source, g[i].source);
    assert_string_equal(f[i].key, g[i].key);
    assert_string_equal(f[i].value, g[i].value);
  }
  const tdm_problem *p = tdm_recording_problems(x, &a_count);
  const tdm_problem *q = tdm_recording_problems(y, &b_count);
  assert_int_equal(a_count, b_count);
  for (size_t i = 0; i < a_count; i++) {
    assert_int_equal(p[i].source, q[i].source);
    assert_string_equal(p[i].kind, q[i].kind);
    assert_true(p[i].count == q[i].count);
  }
  const tdm_metric *m = tdm_recording_metrics(x, &a_count), *n = tdm_recording_metrics(y, &b_count);
  assert_int_equal(a_count, b_count);
  for (size_t i = 0; i < a_count; i++) {
    same_text(m[i].scope, n[i].scope);
    same_text(m[i].subject, n[i].subject);
    same_text(m[i].name, n[i].name);
    same_text(m[i].unit, n[i].unit);
    same_text(m[i].text, n[i].text);
    assert_true(m[i].ordinal == n[i].ordinal);
    assert_true(tdm_record_real(m[i].value) == tdm_record_real(n[i].value));
  }
  const tdm_artifact *c = tdm_recording_artifacts(x, &a_count);
  const tdm_artifact *d = tdm_recording_artifacts(y, &b_count);
  assert_int_equal(a_count, b_count);
  for (size_t i = 0; i < a_count; i++) {
    assert_string_equal(c[i].name, d[i].name);
    assert_string_equal(c[i].type, d[i].type);
    assert_int_equal(c[i].length, d[i].length);
    assert_memory_equal(c[i].bytes, d[i].bytes, c[i].length);
  }
  const tdm_request_record *r = tdm_recording_requests(x, &a_count);
  const tdm_request_record *s = tdm_recording_requests(y, &b_count);
  assert_int_equal(a_count, b_count);
  for (size_t i = 0; i < a_count; i++)
    assert_true(r[i].request == s[i].request && r[i].arrival_ns == s[i].arrival_ns &&
                r[i].end_ns == s[i].end_ns && r[i].gpu == s[i].gpu &&
                r[i].class_index == s[i].class_index && r[i].outcome == s[i].outcome);
  assert_int_equal(tdm_recording_request_classes(x), tdm_recording_request_classes(y));
  for (uint32_t i = 0; i < tdm_recording_request_classes(x); i++)
    same_text(tdm_recording_request_class(x, i), tdm_recording_request_class(y, i));
}

/* ---- a rich one ---- */

#define RECORDING_ODD_TEXT "a\"b\\c\n\t\x01\x7f, caf\xc3\xa9 \xf0\x9f\x98\x80;"

/* One process with a thread, a GPU with a stream: every shape, every type of argument, values that
 * are not there and values at the edges of their ranges. */
static inline void recording_fill_rank(tdm_recorder *r, int64_t rank) {
  static const tdm_arg api_args[] = {{"correlation", TDM_ARG_INT}, {"cbid", TDM_ARG_INT}};
  static const tdm_arg kernel_args[] = {{"correlation", TDM_ARG_INT},
                                        {"grid_x", TDM_ARG_INT},
                                        {"grid_y", TDM_ARG_INT},
                                        {"grid_z", TDM_ARG_INT},
                                        {"registers_per_thread", TDM_ARG_INT},
                                        {"occupancy", TDM_ARG_REAL},
                                        {"dims", TDM_ARG_JSON},
                                        {"graph \"x\"", TDM_ARG_BOOL},
                                        {"label", TDM_ARG_TEXT}};
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = "python (4312)";
  track.name = "thread 4313 " RECORDING_ODD_TEXT;
  track.kind = TDM_TRACK_THREAD;
  track.lane = TDM_LANE_CPU;
  track.pid = 4312;
  track.tid = 4313;
  uint32_t thread = tdm_record_track(r, &track);
  track = TDM_TRACK_PLAIN;
  track.process = "H100 #0";
  track.name = "stream 7";
  track.kind = TDM_TRACK_STREAM;
  track.lane = TDM_LANE_GPU;
  track.pid = 4312;
  track.device = 0;
  track.context = 1;
  track.stream = 7;
  uint32_t stream = tdm_record_track(r, &track);
  track.name = "GPU";
  track.kind = TDM_TRACK_DEVICE;
  track.stream = TDM_NONE;
  uint32_t gpu = tdm_record_track(r, &track);

  uint32_t api = tdm_record_layout(r, "runtime", TDM_SHAPE_SPAN, api_args, 2);
  uint32_t kernel = tdm_record_layout(r, "kernel", TDM_SHAPE_SPAN, kernel_args, 9);
  uint32_t range = tdm_record_layout(r, "nvtx", TDM_SHAPE_SPAN, NULL, 0);
  uint32_t open = tdm_record_layout(r, "nvtx", TDM_SHAPE_OPEN, NULL, 0);
  uint32_t async = tdm_record_layout(r, "user_annotation", TDM_SHAPE_ASYNC, api_args, 1);
  uint32_t mark = tdm_record_layout(r, "marker", TDM_SHAPE_INSTANT, api_args, 1);
  uint32_t launch = tdm_record_text(r, "cudaLaunchKernel");
  uint32_t gemm = tdm_record_text(r, "gemm<" RECORDING_ODD_TEXT ">");
  uint32_t dims = tdm_record_text(r, "[[1,2.5],{\"k\":null}]");
  uint32_t odd_json = tdm_record_text(r, "[not \"json\"");
  for (int64_t i = 0; i < 20; i++) {
    int64_t t = 1000000007 + 1000 * i + rank;
    tdm_record_row(r, range, t, 999, thread, tdm_record_text(r, "step"), NULL, 0);
    tdm_record_row(r, api, t + 1, 100, thread, launch,
                   (int64_t[]){500 + i, i % 2 ? TDM_NONE : INT64_MAX}, 2);
    const int64_t values[] = {500 + i,
                              1024,
                              i % 3,
                              i == 5 ? INT64_MIN + 1 : 1,
                              i % 4 ? 32 : TDM_NONE,
                              tdm_record_real(i == 0   ? NAN
                                              : i == 1 ? (double)INFINITY
                                              : i == 2 ? -(double)INFINITY
                                                       : 1.0 / ((double)i - 2.9)),
                              i % 2 ? dims : (i % 3 ? odd_json : TDM_NONE),
                              i % 3 == 0 ? TDM_NONE : i % 3 - 1,
                              i % 2 ? launch : TDM_NONE};
    tdm_record_row(r, kernel, t + 300, 650 + i, stream, gemm, values, 9);
    tdm_record_edge(r, tdm_record_text(r, "ac2g"), t + 1, thread, t + 300, stream, 500 + i);
  }
  tdm_record_edge(r, tdm_record_text(r, "fwdbwd"), 2000, thread, 1000, thread, TDM_NONE);
  tdm_record_row(r, open, 1000000000, 30000, thread, tdm_record_text(r, "open"), NULL, 0);
  tdm_record_row(r, async, 1000000100, 5000, thread, gemm, (int64_t[]){TDM_NONE}, 1);
  tdm_record_row(r, async, 1000000200, 9000, thread, gemm, (int64_t[]){3}, 1);
  tdm_record_row(r, mark, -5, 0, thread, tdm_record_text(r, ""), (int64_t[]){-1}, 1);
  tdm_record_sample(r, 1000000000, gpu, tdm_record_text(r, "SM active"), 0.1,
                    tdm_record_text(r, "%"));
  tdm_record_sample(r, 1000000100, gpu, tdm_record_text(r, "SM active"), 1e300,
                    tdm_record_text(r, "%"));
  tdm_record_fact(r, "gpu.0.name", "NVIDIA H100 " RECORDING_ODD_TEXT);
  tdm_record_fact_int(r, "pid", 4312);
  tdm_record_problem(r, "events without an end (kept as open)", 1);
}

/* Two ranks with what belongs to neither. */
static inline tdm_recording *recording_rich(void) {
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *r = tdm_recorder_new(&sink);
  for (int64_t rank = 0; rank < 2; rank++) {
    tdm_recorder_begin_source(r, rank ? "rank 1.json.gz" : "rank \"0\".json", "kineto");
    tdm_recorder_detail(r, "schema 1");
    if (rank == 1) tdm_recorder_rank(r, 1);
    if (rank == 1) tdm_recorder_utc(r, INT64_C(1711964646000000001));
    recording_fill_rank(r, rank);
    assert_int_equal(tdm_recorder_end_source(r, &error), TDM_OK);
  }
  tdm_metric metric = {"kernel", "gemm", 3, "gpu__time_duration.sum", "ns", 1234.5, NULL};
  tdm_record_metric(r, &metric);
  metric = (tdm_metric){"run", NULL, TDM_NONE, "note", NULL, NAN, RECORDING_ODD_TEXT};
  tdm_record_metric(r, &metric);
  metric = (tdm_metric){"run", NULL, TDM_NONE, "limit", "", (double)INFINITY, NULL};
  tdm_record_metric(r, &metric);
  for (size_t length = 0; length < 5; length++)
    tdm_record_artifact(r, "module.cubin", "application/octet-stream", "\0\xff\x80z\n", length);
  tdm_record_request_class(r, 2, "chat");
  for (uint64_t i = 0; i < 300; i++) {
    tdm_request_record request = {
        UINT64_C(2) << 48 | i, (int64_t)i * 10, (int64_t)i * 10 + 7, (int32_t)(i % 3) - 1, 2,
        (tdm_outcome)(i % 6)};
    tdm_record_requests(r, &request, 1);
  }
  assert_int_equal(tdm_recorder_finish(r, &error), TDM_OK);
  tdm_recorder_free(r);
  return recording;
}

#endif
