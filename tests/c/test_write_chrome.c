/* The Chrome JSON writer: exact bytes for small traces, simulated and measured, then properties of
 * random ones, read back line by line (the writer puts one event on a line). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "read/reader.h"
#include "recording_fixture.h"
#include "target_fixture.h"
#include "trace/outfile.h"
#include "trace/simulated/simulated.h"
#include "trace/utf8.h"
#include "trace_fixture.h"
#include "write/texts.h"
#include "write/writer.h"

static tdm_status write_to(const char *path, const tdm_recording *recording, tdm_error *error) {
  return tdm_writer_named("chrome")->write(recording, path, NULL, error);
}

static char *written_recording(const tdm_recording *recording) {
  tdm_error error;
  if (write_to(target, recording, &error) != TDM_OK) fail_msg("%s", error.message);
  return recording_file(target, NULL);
}

static tdm_recording *recording_of(const tdm_trace *trace, const char *note) {
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  assert_int_equal(tdm_simulated_record(trace, "simulation", recorder, &error), TDM_OK);
  if (note != NULL) tdm_record_fact(recorder, "scenario", note);
  assert_int_equal(tdm_recorder_end_source(recorder, &error), TDM_OK);
  tdm_recorder_free(recorder);
  return recording;
}

static char *written(const tdm_trace *trace, const char *note) {
  tdm_recording *recording = recording_of(trace, note);
  char *text = written_recording(recording);
  tdm_recording_free(recording);
  return text;
}

static void a_small_trace_is_written_exactly(void **state) {
  (void)state;
  fixture *f = fixture_new(100);
  fixture_track(f, 0, "L40#1", "GPU", TDM_LANE_GPU, 2);
  fixture_track(f, 1, "host", "cpu", TDM_LANE_CPU, 1);
  fixture_track(f, 2, "L40#1", "GPU", TDM_LANE_QUEUE, 0);
  fixture_name(f, 0, "compute \"x\"");
  fixture_name(f, 1, "prepare");
  tdm_trace_class_name(f->trace, 0, "chat", NULL);
  f->sink.counter(f->sink.context, 0, "depth", "requests", NULL);
  fixture_span(f, 0, 0, 12345, 2000, 0); /* emitted out of order */
  fixture_span(f, 0, 0, 13000, 1, FIXTURE_CLASS(2) | 7);
  fixture_span(f, 1, 1, 0, 999, 0);
  fixture_span(f, 2, 0, 999, 0, 0);
  fixture_flush(f);
  tdm_counter_sample sample = {1500, 0, 0.25};
  f->sink.counters(f->sink.context, &sample, 1, NULL);
  char *text = written(f->trace, "de\tmo");
  assert_string_equal(
      text,
      "{\"displayTimeUnit\":\"ns\",\n"
      "\"otherData\":{\"scenario\":\"de\\tmo\",\"spans\":4,"
      "\"flowRequestsPerClass\":10000},\n"
      "\"traceEvents\":[\n"
      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"host\"}},\n"
      "{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":1,\"args\":{\"sort_index\":1}},\n"
      "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":3,\"args\":{\"name\":\"cpu\"}},\n"
      "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":3,"
      "\"args\":{\"sort_index\":3}},\n"
      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,\"args\":{\"name\":\"L40#1\"}},\n"
      "{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":2,\"args\":{\"sort_index\":2}},\n"
      "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":4,"
      "\"args\":{\"name\":\"GPU queue\"}},\n"
      "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":2,\"tid\":4,"
      "\"args\":{\"sort_index\":4}},\n"
      "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":5,"
      "\"args\":{\"name\":\"GPU 1\"}},\n"
      "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":2,\"tid\":5,"
      "\"args\":{\"sort_index\":5}},\n"
      "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":6,"
      "\"args\":{\"name\":\"GPU 2\"}},\n"
      "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":2,\"tid\":6,"
      "\"args\":{\"sort_index\":6}},\n"
      "{\"name\":\"compute \\\"x\\\"\",\"cat\":\"stage\",\"ph\":\"X\",\"ts\":12.345,\"dur\":2.000,"
      "\"pid\":2,\"tid\":5,\"args\":{\"request\":1,\"class\":\"chat\",\"batch\":1}},\n"
      "{\"name\":\"request\",\"cat\":\"flow\",\"ph\":\"f\",\"id\":\"0x0\",\"ts\":12.345,"
      "\"pid\":2,\"tid\":5,\"bp\":\"e\"},\n"
      "{\"name\":\"compute \\\"x\\\"\",\"cat\":\"stage\",\"ph\":\"X\",\"ts\":13.000,\"dur\":0.001,"
      "\"pid\":2,\"tid\":6,\"args\":{\"request\":8,\"class\":\"class 2\",\"batch\":1}},\n"
      "{\"name\":\"prepare\",\"cat\":\"stage\",\"ph\":\"X\",\"ts\":0.000,\"dur\":0.999,"
      "\"pid\":1,\"tid\":3,\"args\":{\"request\":1,\"class\":\"chat\",\"batch\":1}},\n"
      "{\"name\":\"request\",\"cat\":\"flow\",\"ph\":\"s\",\"id\":\"0x0\",\"ts\":0.000,"
      "\"pid\":1,\"tid\":3},\n"
      "{\"name\":\"compute \\\"x\\\"\",\"cat\":\"wait\",\"ph\":\"X\",\"ts\":0.999,\"dur\":0.000,"
      "\"pid\":2,\"tid\":4,\"args\":{\"request\":1,\"class\":\"chat\",\"batch\":1}},\n"
      "{\"name\":\"request\",\"cat\":\"flow\",\"ph\":\"t\",\"id\":\"0x0\",\"ts\":0.999,"
      "\"pid\":2,\"tid\":4},\n"
      "{\"name\":\"GPU active\",\"ph\":\"C\",\"ts\":12.345,\"pid\":1,\"args\":{\"requests\":1}},\n"
      "{\"name\":\"GPU active\",\"ph\":\"C\",\"ts\":13.000,\"pid\":1,\"args\":{\"requests\":2}},\n"
      "{\"name\":\"GPU active\",\"ph\":\"C\",\"ts\":13.001,\"pid\":1,\"args\":{\"requests\":1}},\n"
      "{\"name\":\"GPU active\",\"ph\":\"C\",\"ts\":14.345,\"pid\":1,\"args\":{\"requests\":0}},\n"
      "{\"name\":\"CPU active\",\"ph\":\"C\",\"ts\":0.000,\"pid\":1,\"args\":{\"requests\":1}},\n"
      "{\"name\":\"CPU active\",\"ph\":\"C\",\"ts\":0.999,\"pid\":1,\"args\":{\"requests\":0}},\n"
      "{\"name\":\"depth\",\"ph\":\"C\",\"ts\":1.500,\"pid\":1,\"args\":{\"requests\":0.25}}\n"
      "]}\n");
  free(text);
  fixture_free(f);
}

static void an_empty_trace_is_valid(void **state) {
  (void)state;
  fixture *f = fixture_new(0);
  char *text = written(f->trace, NULL);
  assert_string_equal(text, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"spans\":0,"
                            "\"flowRequestsPerClass\":10000},\n"
                            "\"traceEvents\":[\n\n]}\n");
  free(text);
  fixture_free(f);
}

/* Tracks, names and `count` random spans with ties, zero lengths and true overlaps. */
static tdm_span *random_spans(size_t count, uint64_t seed) {
  tdm_span *spans = calloc(count, sizeof *spans);
  tdm_rng rng = {seed};
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = tdm_rng_bits(&rng);
    int64_t dur = bits % 5 == 0 ? 0 : (int64_t)(bits >> 8 & 1023);
    spans[i] = (tdm_span){(int64_t)(bits >> 20 & 0xffff),
                          dur,
                          bits >> 40 & 511,
                          1 + (bits & 3),
                          TDM_NO_BYTES,
                          (uint32_t)(bits >> 50 & 3),
                          (uint32_t)(bits >> 52 & 1)};
  }
  return spans;
}

static fixture *trace_of(const tdm_span *spans, size_t count) {
  fixture *f = fixture_new(1000000);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 0);
  fixture_track(f, 1, "A#1", "h2d", TDM_LANE_H2D, 0);
  fixture_track(f, 2, "A#1", "GPU", TDM_LANE_GPU, 0);
  fixture_track(f, 3, "A#1", "GPU queue", TDM_LANE_QUEUE, 0);
  fixture_name(f, 0, "a");
  fixture_name(f, 1, "b");
  for (size_t i = 0; i < count; i++) {
    f->block.arg[f->block.count] = spans[i].arg;
    fixture_span(f, spans[i].track, spans[i].name, spans[i].start_ns, spans[i].dur_ns,
                 spans[i].request);
  }
  fixture_flush(f);
  return f;
}

static void equal_traces_give_equal_bytes_whatever_the_order(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  tdm_span *spans = random_spans(COUNT, 5);
  for (size_t i = 0; i < 50; i++) { /* pairs that differ in the last keys only */
    spans[4 * i + 1] = spans[4 * i];
    spans[4 * i + 1].name ^= 1;
    spans[4 * i + 2] = spans[4 * i];
    spans[4 * i + 2].arg ^= 7;
  }
  fixture *f = trace_of(spans, COUNT);
  char *first = written(f->trace, NULL);
  fixture_free(f);
  for (uint64_t seed = 1; seed <= 3; seed++) {
    fixture_shuffle(spans, COUNT, seed);
    f = trace_of(spans, COUNT);
    char *again = written(f->trace, NULL);
    assert_string_equal(first, again);
    free(again);
    fixture_free(f);
  }
  free(first);
  free(spans);
}

/* Nanoseconds out of "12.345". */
static int64_t read_micros(const char *line, const char *key) {
  const char *at = strstr(line, key);
  assert_non_null(at);
  long long micros, rest;
  assert_int_equal(sscanf(at + strlen(key), "%lld.%3lld", &micros, &rest), 2);
  return micros * 1000 + rest;
}

static long read_long(const char *line, const char *key) {
  const char *at = strstr(line, key);
  assert_non_null(at);
  return strtol(at + strlen(key), NULL, 10);
}

/* On a thread, each span starts at or after the end of the one before; no time is lost; there are
 * no more threads than spans overlap; every flow starts once, ends once, in time order. */
static void threads_never_overlap_and_flows_are_whole(void **state) {
  (void)state;
  enum { COUNT = 20000, THREADS = 4096, REQUESTS = 20480, FLOWS = 10000 };
  tdm_span *spans = random_spans(COUNT, 11);
  for (size_t i = 0; i < COUNT; i += 2) spans[i].request = 9990 + i % 20; /* about the last */
  fixture *f = trace_of(spans, COUNT);
  char *text = written(f->trace, NULL);
  int64_t *thread_end = calloc(THREADS, sizeof *thread_end);
  int64_t total = 0, queue_peak = 0;
  long *begun = calloc(REQUESTS, sizeof *begun), *ended = calloc(REQUESTS, sizeof *ended);
  long *steps = calloc(REQUESTS, sizeof *steps), *wanted = calloc(REQUESTS, sizeof *wanted);
  long complete = 0, queue_threads = 0;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    if (strstr(line, "\"ph\":\"X\"") != NULL) {
      int64_t start = read_micros(line, "\"ts\":"), dur = read_micros(line, "\"dur\":");
      long tid = read_long(line, "\"tid\":");
      assert_in_range(tid, 1, THREADS - 1);
      assert_true(start >= thread_end[tid]);
      thread_end[tid] = start + dur;
      total += dur;
      complete++;
    } else if (strstr(line, "\"cat\":\"flow\"") != NULL) {
      long request = strtol(strstr(line, "\"id\":\"") + 6, NULL, 16);
      assert_in_range(request, 0, FLOWS - 1);
      begun[request] += strstr(line, "\"ph\":\"s\"") != NULL;
      ended[request] += strstr(line, "\"ph\":\"f\"") != NULL;
      steps[request]++;
    } else if (strstr(line, "\"name\":\"queued\"") != NULL) {
      long queued = read_long(line, "\"requests\":");
      if (queued > queue_peak) queue_peak = queued;
    } else if (strstr(line, "\"name\":\"GPU queue ") != NULL) {
      queue_threads++;
    }
  }
  int64_t expected = 0;
  for (size_t i = 0; i < COUNT; i++) {
    expected += spans[i].dur_ns;
    wanted[spans[i].request]++;
  }
  assert_int_equal(complete, COUNT);
  assert_int_equal(total, expected);
  for (long r = 0; r < FLOWS; r++) {
    assert_int_equal(begun[r], wanted[r] >= 2);
    assert_int_equal(ended[r], wanted[r] >= 2);
    assert_int_equal(steps[r], wanted[r] >= 2 ? wanted[r] : 0);
  }
  assert_true(queue_peak > 1);
  /* a zero-length span at a busy instant may need one lane more than are active */
  assert_in_range(queue_threads, queue_peak, queue_peak + 2);
  free(thread_end);
  free(begun);
  free(ended);
  free(steps);
  free(wanted);
  free(text);
  free(spans);
  fixture_free(f);
}

/* Of two spans that start together, the one that ends first comes first. */
static void flows_follow_time_within_an_instant(void **state) {
  (void)state;
  fixture *f = trace_of(
      (tdm_span[]){{0, 5, 1, 1, -1, 0, 0}, {0, 0, 1, 1, -1, 3, 1}, {5, 1, 1, 1, -1, 1, 0}}, 3);
  char *text = written(f->trace, NULL);
  static const char *const steps[] = {
      /* cpu is thread 3, h2d 5, the queue 4 */
      "\"ph\":\"s\",\"id\":\"0x1\",\"ts\":0.000,\"pid\":2,\"tid\":4}",
      "\"ph\":\"t\",\"id\":\"0x1\",\"ts\":0.000,\"pid\":1,\"tid\":3}",
      "\"ph\":\"f\",\"id\":\"0x1\",\"ts\":0.005,\"pid\":2,\"tid\":5,"};
  for (size_t i = 0; i < 3; i++)
    if (strstr(text, steps[i]) == NULL) fail_msg("no %s in\n%s", steps[i], text);
  free(text);
  fixture_free(f);
}

/* A server that serves a zero-length job and then the next at the same instant is one lane. */
static void one_server_is_one_thread(void **state) {
  (void)state;
  fixture *f = fixture_new(100);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 1);
  fixture_name(f, 0, "a");
  fixture_span(f, 0, 0, 0, 5, 9);
  fixture_span(f, 0, 0, 5, 3, 1);
  fixture_span(f, 0, 0, 5, 0, 4);
  fixture_span(f, 0, 0, 5, 0, 2);
  fixture_flush(f);
  char *text = written(f->trace, NULL);
  assert_non_null(strstr(text, "\"tid\":2,\"args\":{\"name\":\"cpu\"}"));
  assert_null(strstr(text, "\"tid\":3"));
  free(text);
  fixture_free(f);
}

static void a_limited_trace_says_so(void **state) {
  (void)state;
  fixture *f = fixture_new(10);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 1);
  fixture_name(f, 0, "a");
  for (int64_t i = 0; i < 40; i++) fixture_span(f, 0, 0, i, 1, (uint64_t)i);
  fixture_flush(f);
  char *text = written(f->trace, NULL);
  assert_non_null(strstr(text, "\"otherData\":{\"complete_until_ns\":\"10\",\"spans\":10,"
                               "\"problems\":{\"spans over the limit of a trace (dropped)\":30},"));
  free(text);
  fixture_free(f);
}

static void no_line(const char *text, const char *line) {
  if (strstr(text, line) != NULL) fail_msg("%s in:\n%s", line, text);
}

static void has_line(const char *text, const char *line) {
  if (strstr(text, line) == NULL) fail_msg("no %s in:\n%s", line, text);
}

/* One rank: its pid, device and stream numbers are kept; shapes have their phases; words are
 * Kineto's. */
static void a_measured_trace_is_spelt_as_kineto_does(void **state) {
  (void)state;
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *r = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(r, "rank 0.json", "nsys-sqlite");
  tdm_recorder_utc(r, INT64_C(1711964646000000001));
  recording_fill_rank(r, 0);
  assert_int_equal(tdm_recorder_end_source(r, &error), TDM_OK);
  tdm_recorder_free(r);
  char *text = written_recording(recording);
  static const char *const lines[] = {
      "{\"displayTimeUnit\":\"ns\",\n\"baseTimeNanoseconds\":1711964646000000001,\n"
      "\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100 a\\\"b",
      "\n\"pid\":4312,\n\"otherData\":{\"spans\":61,\"problems\":{"
      "\"events without an end (kept as open)\":1}},\n",
      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":4312,\"args\":{\"name\":\"python\"}},\n",
      "{\"name\":\"process_labels\",\"ph\":\"M\",\"pid\":0,\"args\":{\"labels\":\"GPU 0\"}},\n",
      "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":7,\"args\":{\"name\":"
      "\"stream 7\"}},\n",
      "\n{\"name\":\"cudaLaunchKernel\",\"cat\":\"cuda_runtime\",\"ph\":\"X\",\"ts\":1000001.008,"
      "\"dur\":0.100,\"pid\":4312,\"tid\":4313,\"args\":{\"correlation\":501}},\n",
      "\"cat\":\"kernel\",\"ph\":\"X\",\"ts\":1000001.307,\"dur\":0.651,\"pid\":0,\"tid\":7,"
      "\"args\":{\"device\":0,\"context\":1,\"stream\":7,\"correlation\":501,\"grid\":[1024,1,1],"
      "\"registers per thread\":32,\"occupancy\":\"Infinity\",\"dims\":[[1,2.5],{\"k\":null}],"
      "\"graph \\\"x\\\"\":false,\"label\":\"cudaLaunchKernel\"}},\n",
      "\"dims\":\"[not \\\"json\\\"\"", /* a JSON text that is none */
      "\n{\"name\":\"open\",\"cat\":\"nvtx\",\"ph\":\"B\",\"ts\":1000000.000,\"pid\":4312,"
      "\"tid\":4313},\n",
      "\"cat\":\"user_annotation\",\"ph\":\"b\",\"ts\":1000000.200,\"id\":\"0x100000002\","
      "\"pid\":4312,\"tid\":4313,\"args\":{\"correlation\":3}},\n",
      "\"cat\":\"user_annotation\",\"ph\":\"e\",\"ts\":1000009.200,\"id\":\"0x100000002\","
      "\"pid\":4312,\"tid\":4313},\n",
      "\n{\"name\":\"\",\"cat\":\"cpu_instant_event\",\"ph\":\"i\",\"ts\":-0.005,\"s\":\"t\","
      "\"pid\":4312,\"tid\":4313,\"args\":{\"correlation\":-1}},\n",
      "\n{\"name\":\"ac2g\",\"cat\":\"ac2g\",\"ph\":\"s\",\"id\":500,\"ts\":1000000.008,"
      "\"pid\":4312,\"tid\":4313},\n"
      "{\"name\":\"ac2g\",\"cat\":\"ac2g\",\"ph\":\"f\",\"id\":500,\"ts\":1000000.307,"
      "\"pid\":0,\"tid\":7,\"bp\":\"e\"},\n",
      "\n{\"name\":\"SM "
      "active\",\"ph\":\"C\",\"ts\":1000000.000,\"pid\":0,\"args\":{\"%\":0.1}},\n"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) has_line(text, lines[i]);
  no_line(text, "\"name\":\"queued\""); /* nothing was simulated */
  no_line(text, "flowRequestsPerClass");
  free(text);
  tdm_recording_free(recording);
}

/* Two ranks have the same numbers; each process and thread still has its own. */
/* A device is called as a fact says; if none does, as its process without its number. */
static void a_device_without_a_name_has_that_of_its_process(void **state) {
  (void)state;
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *r = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(r, "memory", "test");
  tdm_record_fact(r, "gpu.1.numSms", "58");
  tdm_record_fact(r, "gpu.0.numSms", "132");
  tdm_record_fact(r, "gpu.0.name", "H100");
  uint32_t layout = tdm_record_layout(r, "kernel", TDM_SHAPE_SPAN, NULL, 0);
  for (int device = 0; device < 3; device++) {
    tdm_track about = TDM_TRACK_PLAIN;
    about.process = device == 0 ? "another #0" : device == 1 ? "L4 #1" : "T4 #2";
    about.name = "stream 7";
    about.kind = TDM_TRACK_STREAM;
    about.lane = TDM_LANE_GPU;
    about.device = device;
    about.stream = 7;
    tdm_record_row(r, layout, 10, 5, tdm_record_track(r, &about), tdm_record_text(r, "k"), NULL, 0);
  }
  assert_int_equal(tdm_recorder_end_source(r, &error), TDM_OK);
  tdm_recorder_free(r);
  char *text = written_recording(recording);
  has_line(text, "\"deviceProperties\":[{\"id\":1,\"numSms\":58,\"name\":\"L4\"},"
                 "{\"id\":0,\"numSms\":132,\"name\":\"H100\"},{\"id\":2,\"name\":\"T4\"}]");
  free(text);
  tdm_recording_free(recording);
}

static void ranks_do_not_share_processes(void **state) {
  (void)state;
  tdm_recording *rich = recording_rich();
  char *text = written_recording(rich);
  has_line(text, "\"process_labels\",\"ph\":\"M\",\"pid\":4312,\"args\":{\"labels\":"
                 "\"CPU, rank \\\"0\\\".json\"}}");
  has_line(text, "\"process_labels\",\"ph\":\"M\",\"pid\":1,\"args\":{\"labels\":"
                 "\"CPU, rank 1\"}}");
  has_line(text, "\"process_labels\",\"ph\":\"M\",\"pid\":2,\"args\":{\"labels\":"
                 "\"GPU 0, rank 1\"}}");
  no_line(text, "baseTimeNanoseconds"); /* only one of them knows the time of day */
  free(text);
  tdm_recording_free(rich);
}

/* Of several files a process says whose it is, beside what it is or alone. */
static void labels_name_the_file_or_its_rank(void **state) {
  (void)state;
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *r = tdm_recorder_new(&sink);
  uint32_t layout = tdm_record_layout(r, "op", TDM_SHAPE_SPAN, NULL, 0);
  for (int64_t s = 0; s < 2; s++) {
    tdm_recorder_begin_source(r, s == 0 ? "a \"file\"" : "b", "test");
    if (s == 1) tdm_recorder_rank(r, 3);
    for (int64_t i = 0; i < 2; i++) {
      tdm_track track = TDM_TRACK_PLAIN;
      track.process = i == 0 ? "numbered" : "plain";
      track.name = "t";
      if (i == 0) track.kind = TDM_TRACK_THREAD;
      if (i == 0) track.pid = track.tid = 50 + s;
      tdm_record_row(r, layout, 1, 1, tdm_record_track(r, &track), tdm_record_text(r, "x"), NULL,
                     0);
    }
    assert_int_equal(tdm_recorder_end_source(r, &error), TDM_OK);
  }
  tdm_recorder_free(r);
  char *text = written_recording(recording);
  static const char *const labels[] = {"CPU, a \\\"file\\\"", "a \\\"file\\\"", "CPU, rank 3",
                                       "rank 3"};
  for (size_t i = 0; i < 4; i++) {
    char want[64];
    snprintf(want, sizeof want, "{\"labels\":\"%s\"}", labels[i]);
    has_line(text, want);
  }
  free(text);
  tdm_recording_free(recording);
}

/* A call that launches two kernels, of a source without edges, and calls of two processes with
 * equal correlations: an arrow to each kernel, no two with one id. */
static void launches_are_joined_by_correlation(void **state) {
  (void)state;
  static const tdm_arg args[] = {{"correlation", TDM_ARG_INT}};
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *r = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(r, "x", "nsys-sqlite");
  uint32_t call = tdm_record_layout(r, "driver", TDM_SHAPE_SPAN, args, 1);
  uint32_t kernel = tdm_record_layout(r, "kernel", TDM_SHAPE_SPAN, args, 1);
  uint32_t name = tdm_record_text(r, "n");
  for (int64_t pid = 100; pid < 102; pid++) {
    tdm_track track = TDM_TRACK_PLAIN;
    track.process = pid == 100 ? "a" : "b";
    track.kind = TDM_TRACK_THREAD;
    track.pid = track.tid = pid;
    uint32_t thread = tdm_record_track(r, &track);
    track = TDM_TRACK_PLAIN;
    track.process = "GPU 0";
    track.kind = TDM_TRACK_STREAM;
    track.pid = pid;
    track.device = 0;
    track.stream = pid;
    uint32_t stream = tdm_record_track(r, &track);
    const int64_t one = 7;
    tdm_record_row(r, call, pid, 1, thread, name, &one, 1);
    tdm_record_row(r, kernel, 10 * pid, 5, stream, name, &one, 1);
    if (pid == 100) tdm_record_row(r, kernel, 10 * pid + 5, 5, stream, name, &one, 1);
    const int64_t none = TDM_NONE; /* which is no number that two share */
    tdm_record_row(r, call, pid + 50, 1, thread, name, &none, 1);
    tdm_record_row(r, kernel, 10 * pid + 50, 5, stream, name, &none, 1);
  }
  assert_int_equal(tdm_recorder_end_source(r, &error), TDM_OK);
  tdm_recorder_free(r);
  char *text = written_recording(recording);
  static const char *const flows[] = {
      "\"ph\":\"s\",\"id\":7,\"ts\":0.100,\"pid\":100,\"tid\":100}",
      "\"ph\":\"f\",\"id\":7,\"ts\":1.000,\"pid\":0,\"tid\":100,\"bp\":\"e\"}",
      "\"ph\":\"s\",\"id\":8,\"ts\":0.100,\"pid\":100,\"tid\":100}",
      "\"ph\":\"f\",\"id\":8,\"ts\":1.005,\"pid\":0,\"tid\":100,\"bp\":\"e\"}",
      "\"ph\":\"s\",\"id\":9,\"ts\":0.101,\"pid\":101,\"tid\":101}",
      "\"ph\":\"f\",\"id\":9,\"ts\":1.010,\"pid\":0,\"tid\":101,\"bp\":\"e\"}"};
  for (size_t i = 0; i < 6; i++) has_line(text, flows[i]);
  size_t ends = 0;
  for (const char *at = text; (at = strstr(at, "\"bp\":\"e\"")) != NULL; at++) ends++;
  assert_int_equal(ends, 3);
  free(text);
  tdm_recording_free(recording);
}

/* Spans of two tracks that overlap any way, and arrows from any time of one to any of the other: an
 * end is on the thread of the span that began last of those that hold its time or begin at it, on
 * the first thread of its track where none does. */
enum { ARROW_SPANS = 60, ARROWS = 200, LENGTH_NS = 2000 };

static long thread_of(const long *tid, const int64_t *start, const int64_t *end, int64_t at_ns) {
  int found = -1;
  for (int i = 0; i < ARROW_SPANS; i++)
    if (start[i] <= at_ns && end[i] >= at_ns && (found < 0 || start[i] > start[found])) found = i;
  return found < 0 ? tid[ARROW_SPANS] : tid[found];
}

static void arrows_end_on_the_thread_of_their_span(void **state) {
  (void)state;
  tdm_error error;
  tdm_rng rng = {21};
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *r = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(r, "x", "test");
  uint32_t kind = tdm_record_text(r, "leads to"), on[2]; /* the first of all names */
  int64_t start[2][ARROW_SPANS], end[2][ARROW_SPANS], at[ARROWS][2];
  long tid[2][ARROW_SPANS + 1] = {{0}};
  uint32_t layout = tdm_record_layout(r, "op", TDM_SHAPE_SPAN, NULL, 0);
  for (int t = 0; t < 2; t++) {
    tdm_track track = TDM_TRACK_PLAIN;
    track.process = track.name = t == 0 ? "left" : "right";
    track.kind = TDM_TRACK_THREAD;
    on[t] = tdm_record_track(r, &track);
    for (int i = 0; i < ARROW_SPANS; i++) { /* no two begin together */
      char name[16];
      start[t][i] = 20 + i * 30 + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 30);
      end[t][i] = start[t][i] + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 90);
      snprintf(name, sizeof name, "%d:%d", t, i);
      tdm_record_row(r, layout, start[t][i], end[t][i] - start[t][i], on[t],
                     tdm_record_text(r, name), NULL, 0);
    }
  }
  for (int i = 0; i < ARROWS; i++) {
    for (int t = 0; t < 2; t++) {
      int span = (int)tdm_index_below(tdm_rng_bits(&rng), ARROW_SPANS);
      at[i][t] = i % 4 == 0   ? start[t][span]
                 : i % 4 == 1 ? end[t][span]
                              : (int64_t)tdm_index_below(tdm_rng_bits(&rng), LENGTH_NS);
    }
    tdm_record_edge(r, kind, at[i][0], on[0], at[i][1], on[1], i + 1);
  }
  assert_int_equal(tdm_recorder_end_source(r, &error), TDM_OK);
  tdm_recorder_free(r);
  char *text = written_recording(recording), *copy = strdup(text);
  for (char *line = strtok(copy, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    int t, i;
    if (strstr(line, "\"ph\":\"X\"") == NULL) continue;
    assert_int_equal(sscanf(strstr(line, "\"name\":") + 7, "\"%d:%d\"", &t, &i), 2);
    tid[t][i] = read_long(line, "\"tid\":");
    if (tid[t][ARROW_SPANS] == 0 || tid[t][i] < tid[t][ARROW_SPANS])
      tid[t][ARROW_SPANS] = tid[t][i];
  }
  int ends = 0;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    int t = strstr(line, "\"ph\":\"f\"") != NULL;
    if (!t && strstr(line, "\"ph\":\"s\"") == NULL) continue;
    has_line(line, "\"name\":\"leads to\",\"cat\":\"leads to\"");
    long arrow = read_long(line, "\"id\":") - 1;
    assert_in_range(arrow, 0, ARROWS - 1);
    int64_t time_ns = read_micros(line, "\"ts\":");
    assert_int_equal(time_ns, at[arrow][t]);
    assert_int_equal(read_long(line, "\"tid\":"), thread_of(tid[t], start[t], end[t], time_ns));
    ends++;
  }
  assert_int_equal(ends, 2 * ARROWS);
  free(copy);
  free(text);
  tdm_recording_free(recording);
}

/* ---- read back ---- */

static const char kineto_text[] =
    "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"H100\",\"numSms\":132,"
    "\"computeMajor\":9,\"computeMinor\":0}],\"distributedInfo\":{\"rank\":3,\"pg\":[{\"n\":\"0\"}]"
    "},"
    "\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":1711964646000000000,\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":12,\"args\":{\"name\":\"python3\"}},\n"
    "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":0,\"args\":{\"labels\":\"GPU 0\"}},\n"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":12,\"tid\":13,\"args\":{\"name\":\"main\"}},\n"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":12,\"tid\":13,\"ts\":10.001,"
    "\"dur\":30.5,\"args\":{\"External id\":4,\"Input Dims\":[[2,3],[3,2]],\"On\":true}},\n"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":12,\"tid\":13,"
    "\"ts\":11,\"dur\":2,\"args\":{\"cbid\":211,\"correlation\":88}},\n"
    "{\"ph\":\"s\",\"id\":88,\"pid\":12,\"tid\":13,\"ts\":11,\"cat\":\"ac2g\",\"name\":\"ac2g\"},\n"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":20.123,"
    "\"dur\":5,\"args\":{\"device\":0,\"context\":1,\"stream\":7,\"correlation\":88,"
    "\"grid\":[1,2,3],\"block\":[128,1,1],\"registers per thread\":32,\"shared memory\":0,"
    "\"est. achieved occupancy %\":37.5}},\n"
    "{\"ph\":\"f\",\"id\":88,\"pid\":0,\"tid\":7,\"ts\":20.123,\"cat\":\"ac2g\",\"name\":\"ac2g\","
    "\"bp\":\"e\"},\n"
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy DtoH (Device -> Pinned)\",\"pid\":0,"
    "\"tid\":7,\"ts\":26,\"dur\":1,\"args\":{\"device\":0,\"context\":1,\"stream\":7,"
    "\"bytes\":4096}},\n"
    "{\"ph\":\"i\",\"cat\":\"marker\",\"s\":\"g\",\"name\":\"now\",\"pid\":12,\"tid\":13,\"ts\":15}"
    ",\n"
    "{\"ph\":\"b\",\"cat\":\"io\",\"id\":5,\"name\":\"read\",\"pid\":12,\"tid\":13,\"ts\":12},\n"
    "{\"ph\":\"b\",\"cat\":\"io\",\"id\":6,\"name\":\"read\",\"pid\":12,\"tid\":13,\"ts\":13},\n"
    "{\"ph\":\"e\",\"cat\":\"io\",\"id\":5,\"name\":\"read\",\"pid\":12,\"tid\":13,\"ts\":14},\n"
    "{\"ph\":\"e\",\"cat\":\"io\",\"id\":6,\"name\":\"read\",\"pid\":12,\"tid\":13,\"ts\":16},\n"
    "{\"ph\":\"C\",\"name\":\"depth\",\"pid\":12,\"ts\":17,\"args\":{\"value\":2.5}},\n"
    "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"unfinished\",\"pid\":12,\"tid\":13,\"ts\":9}\n]}"
    "\n";

/* Every row of every layout. */
static void same_layouts(const tdm_recording *x, const tdm_recording *y) {
  for (uint32_t i = 0; i < tdm_recording_layouts(x); i++) {
    const tdm_layout *layout = tdm_recording_layout(x, i);
    uint32_t j = 0;
    while (j < tdm_recording_layouts(y) && !same_layout(layout, tdm_recording_layout(y, j))) j++;
    if (j == tdm_recording_layouts(y)) fail_msg("no layout %s", layout->category);
    same_rows(x, y, i, j);
  }
}

typedef struct {
  uint64_t count, starts, durations;
} totals;

static totals totals_of(const tdm_recording *r, const tdm_layout *like) {
  totals sum = {0};
  for (uint32_t i = 0; i < tdm_recording_layouts(r); i++) {
    const tdm_layout *layout = tdm_recording_layout(r, i);
    const tdm_kept_rows *rows = tdm_recording_rows(r, i);
    if (strcmp(layout->category, like->category) != 0 || layout->shape != like->shape) continue;
    sum.count += rows->count;
    for (size_t row = 0; row < rows->count; row++) {
      sum.starts += (uint64_t)tdm_kept(rows, TDM_START, row);
      sum.durations += (uint64_t)tdm_kept(rows, TDM_DUR, row);
    }
  }
  return sum;
}

/* As many rows of each category and shape, with the same sums of times. (Arguments that are null
 * are left out, which makes other layouts.) */
static void same_totals(const tdm_recording *x, const tdm_recording *y) {
  for (uint32_t i = 0; i < tdm_recording_layouts(x); i++) {
    const tdm_layout *layout = tdm_recording_layout(x, i);
    totals a = totals_of(x, layout), b = totals_of(y, layout);
    if (memcmp(&a, &b, sizeof a) != 0)
      fail_msg("%s %s: %llu rows, then %llu", layout->category, tdm_shape_name(layout->shape),
               (unsigned long long)a.count, (unsigned long long)b.count);
  }
}

static void what_was_written_is_read_back(void **state) {
  (void)state;
  tdm_recording *once =
      recording_read(&tdm_reader_kineto, kineto_text, sizeof kineto_text - 1, NULL);
  size_t length, count;
  assert_int_equal(write_to(target, once, NULL), TDM_OK);
  char *text = recording_file(target, &length);
  tdm_recording *twice = recording_read(&tdm_reader_kineto, text, length, NULL);
  same_layouts(once, twice);
  assert_int_equal(tdm_recording_tracks(once), tdm_recording_tracks(twice));
  assert_true(tdm_recording_source(twice, 0)->utc_ns == INT64_C(1711964646000000000));
  assert_int_equal(tdm_recording_source(twice, 0)->rank, 3);
  const tdm_fact *facts = tdm_recording_facts(once, &count);
  assert_in_range(count, 6, 20);
  for (size_t i = 0; i < count; i++) {
    size_t others, k = 0;
    const tdm_fact *other = tdm_recording_facts(twice, &others);
    while (k < others &&
           (strcmp(other[k].key, facts[i].key) != 0 || strcmp(other[k].value, facts[i].value) != 0))
      k++;
    if (k == others) fail_msg("lost %s = %s", facts[i].key, facts[i].value);
  }
  free(text);
  tdm_recording_free(once);
  tdm_recording_free(twice);
}

/* Real traces. */
static void real_traces_are_read_back(void **state) {
  (void)state;
  static const char *const files[] = {
      "nccl_parser_config__nccl_data.json.gz", "h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
      "inference__vllm_prefilldecode_piecewise__graph_execution.json.gz",
      "ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz"};
  const char *data = getenv("TANDEM_DATA");
  if (data == NULL) {
    print_message("TANDEM_DATA is not set: no real traces\n");
    skip();
  }
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[512];
    tdm_error error;
    tdm_input *input;
    size_t length;
    snprintf(path, sizeof path, "%s/kineto/%s", data, files[i]);
    tdm_recording *once = tdm_recording_new();
    tdm_record_sink sink;
    tdm_recording_sink(once, &sink);
    tdm_recorder *recorder = tdm_recorder_new(&sink);
    assert_int_equal(tdm_input_open(path, &input, &error), TDM_OK);
    tdm_recorder_begin_source(recorder, path, "kineto");
    assert_int_equal(tdm_reader_kineto.read(input, &(tdm_read_options){0}, recorder, &error),
                     TDM_OK);
    assert_int_equal(tdm_recorder_end_source(recorder, &error), TDM_OK);
    tdm_recorder_free(recorder);
    tdm_input_close(input);
    assert_int_equal(write_to(target, once, &error), TDM_OK);
    char *text = recording_file(target, &length);
    tdm_recording *twice = recording_read(&tdm_reader_kineto, text, length, NULL);
    same_totals(once, twice);
    free(text);
    tdm_recording_free(once);
    tdm_recording_free(twice);
  }
}

static void text_is_quoted_for_json(void **state) {
  (void)state;
  const char *cases[][2] = {
      {"plain", "\"plain\""},
      {"a\"b\\c", "\"a\\\"b\\\\c\""},
      {"\n\r\t\x01\x1f\x7f", "\"\\n\\r\\t\\u0001\\u001f\\u007f\""},
      {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
       "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
      {"\xff\xc3", "\"\\ufffd\\ufffd\""},                         /* never a start; cut short */
      {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                         /* overlong */
      {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},              /* a surrogate */
      {"\xf4\x90\x80\x80x", "\"\\ufffd\\ufffd\\ufffd\\ufffdx\""}, /* above U+10FFFF */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t length;
    char *quoted = tdm_json_quote(cases[i][0], &length);
    assert_string_equal(quoted, cases[i][1]);
    assert_int_equal(length, strlen(cases[i][1]));
    free(quoted);
  }
}

static void structures_are_told_from_texts(void **state) {
  (void)state;
  static const char *const structures[] = {"[]",
                                           "{}",
                                           "[1,-2.5e+3,0]",
                                           "{\"a\":[true,false,null]}",
                                           "[\"\\u00e9\\n\"]",
                                           "{ \"a\" : [ ] }"};
  static const char *const texts[] = {"",           "1",           "\"a\"", "[",     "[1,]",
                                      "{\"a\"}",    "[1] ",        "[01]",  "[.5]",  "[1.]",
                                      "[\"\\q\"]",  "[\"\n\"]",    "[NaN]", "{a:1}", "[1][2]",
                                      "[\"\xff\"]", "[\"\\u12\"]", "[tru]", "[-]",   "[1e]",
                                      "{,}",        "[\"a",        "[\n1]"};
  for (size_t i = 0; i < sizeof structures / sizeof *structures; i++)
    if (!tdm_json_is_structure(structures[i], strlen(structures[i])))
      fail_msg("%s is one", structures[i]);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (tdm_json_is_structure(texts[i], strlen(texts[i]))) fail_msg("%s is none", texts[i]);
  char deep[1000];
  memset(deep, '[', 500);
  memset(deep + 500, ']', 500);
  assert_false(tdm_json_is_structure(deep, 1000)); /* not without end */
}

static void numbers_are_exact(void **state) {
  (void)state;
  tdm_outfile *file = malloc(sizeof *file);
  assert_int_equal(tdm_outfile_open(file, target, NULL), TDM_OK);
  const int64_t times[] = {0, 1, 999, 1000, 12345, -1, -1000, -12345, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    tdm_outfile_micros(file, times[i]);
    tdm_outfile_text(file, " ");
  }
  const uint64_t counts[] = {0, 9, 10, 99, 100, 101, 12345, UINT64_MAX};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    tdm_outfile_unsigned(file, counts[i]);
    tdm_outfile_text(file, " ");
  }
  const double values[] = {0.1, 1.0 / 3.0,        1e300,      -2.5, 5.0, 1e15, -123456789012345.0,
                           0.0, (double)INFINITY, (double)NAN};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    tdm_outfile_double(file, values[i]);
    tdm_outfile_text(file, " ");
  }
  assert_int_equal(tdm_outfile_commit(file, NULL), TDM_OK);
  char *text = recording_file(target, NULL);
  assert_string_equal(text,
                      "0.000 0.001 0.999 1.000 12.345 -0.001 -1.000 -12.345 "
                      "9223372036854775.807 -9223372036854775.808 "
                      "0 9 10 99 100 101 12345 18446744073709551615 "
                      "0.1 0.3333333333333333 1e+300 -2.5 5 1e+15 -123456789012345 0 null null ");
  free(text);
  free(file);
}

static size_t files_in_folder(void) {
  size_t count = 0;
  DIR *listing = opendir(folder);
  for (const struct dirent *entry; (entry = readdir(listing)) != NULL;)
    count += entry->d_name[0] != '.';
  closedir(listing);
  return count;
}

/* A failure leaves the old file as it was and nothing new beside it. */
static void failures_leave_nothing_half_written(void **state) {
  (void)state;
  tdm_error error;
  fixture *f = trace_of((tdm_span[]){{0, 5, 1, 1, -1, 0, 0}}, 1);
  tdm_recording *r = recording_of(f->trace, NULL);
  char missing[96];
  snprintf(missing, sizeof missing, "%s/none/trace.json", folder);
  assert_int_equal(write_to(missing, r, &error), TDM_IO);
  assert_non_null(strstr(error.message, "none/trace.json: No such file or directory"));
  assert_int_equal(write_to(folder, r, &error), TDM_IO);
  assert_non_null(strstr(error.message, "Is a directory"));
  assert_int_equal(write_to("/dev/full", r, &error), TDM_IO);
  assert_string_equal(error.message, "cannot write /dev/full: No space left on device");

  FILE *old = fopen(target, "w");
  fputs("old", old);
  fclose(old);
  tdm_outfile *file = malloc(sizeof *file);
  assert_int_equal(tdm_outfile_open(file, target, &error), TDM_OK);
  tdm_outfile_text(file, "new");
  assert_int_equal(files_in_folder(), 2);
  tdm_outfile_abort(file);
  assert_int_equal(files_in_folder(), 1);
  char *text = recording_file(target, NULL);
  assert_string_equal(text, "old");
  free(text);
  free(file);
  tdm_recording_free(r);
  fixture_free(f);
}

/* As `tandem export -o - >> file` does. */
static void what_an_open_descriptor_has_written_stays(void **state) {
  (void)state;
  FILE *shared = fopen(target, "w+");
  assert_non_null(shared);
  fputs("before,", shared);
  fflush(shared);
  char name[32];
  snprintf(name, sizeof name, "/dev/fd/%d", fileno(shared));
  tdm_error error;
  tdm_outfile *file = malloc(sizeof *file);
  assert_int_equal(tdm_outfile_open(file, name, &error), TDM_OK);
  tdm_outfile_text(file, "ours,");
  assert_int_equal(tdm_outfile_commit(file, &error), TDM_OK);
  assert_int_equal(write(fileno(shared), "after", 5), 5);
  fclose(shared);
  char *text = recording_file(target, NULL);
  assert_string_equal(text, "before,ours,after");
  free(text);
  assert_int_equal(tdm_outfile_open(file, "/dev/fd/99999", &error), TDM_IO);
  assert_string_equal(error.message, "cannot write /dev/fd/99999: Bad file descriptor");
  free(file);
}

static void links_and_modes_survive(void **state) {
  (void)state;
  fixture *f = trace_of((tdm_span[]){{0, 5, 1, 1, -1, 0, 0}}, 1);
  tdm_recording *r = recording_of(f->trace, NULL);
  char name[96];
  snprintf(name, sizeof name, "%s/link.json", folder);
  assert_int_equal(write_to(target, r, NULL), TDM_OK);
  assert_int_equal(chmod(target, 0640), 0);
  assert_int_equal(symlink(target, name), 0);
  assert_int_equal(write_to(name, r, NULL), TDM_OK);
  struct stat status;
  assert_int_equal(lstat(name, &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_int_equal(lstat(target, &status), 0);
  assert_int_equal(status.st_mode & 07777, 0640);
  unlink(name);
  tdm_recording_free(r);
  fixture_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_small_trace_is_written_exactly),
      cmocka_unit_test(an_empty_trace_is_valid),
      cmocka_unit_test(equal_traces_give_equal_bytes_whatever_the_order),
      cmocka_unit_test(threads_never_overlap_and_flows_are_whole),
      cmocka_unit_test(flows_follow_time_within_an_instant),
      cmocka_unit_test(one_server_is_one_thread),
      cmocka_unit_test(a_limited_trace_says_so),
      cmocka_unit_test(a_measured_trace_is_spelt_as_kineto_does),
      cmocka_unit_test(a_device_without_a_name_has_that_of_its_process),
      cmocka_unit_test(ranks_do_not_share_processes),
      cmocka_unit_test(labels_name_the_file_or_its_rank),
      cmocka_unit_test(arrows_end_on_the_thread_of_their_span),
      cmocka_unit_test(launches_are_joined_by_correlation),
      cmocka_unit_test(what_was_written_is_read_back),
      cmocka_unit_test(real_traces_are_read_back),
      cmocka_unit_test(text_is_quoted_for_json),
      cmocka_unit_test(structures_are_told_from_texts),
      cmocka_unit_test(numbers_are_exact),
      cmocka_unit_test(failures_leave_nothing_half_written),
      cmocka_unit_test(what_an_open_descriptor_has_written_stays),
      cmocka_unit_test(links_and_modes_survive),
  };
  return cmocka_run_group_tests_name("write_chrome", tests, make_folder, remove_folder);
}
