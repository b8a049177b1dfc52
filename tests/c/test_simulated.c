/* A collected trace as records: nothing lost, nothing invented, whatever is in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "trace/recording.h"
#include "trace/simulated/simulated.h"
#include "trace_fixture.h"

static tdm_recording *recorded(const tdm_trace *trace) {
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  assert_int_equal(tdm_simulated_record(trace, "demo", recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_end_source(recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_finish(recorder, &error), TDM_OK);
  tdm_recorder_free(recorder);
  return recording;
}

/* The layout of a category; its rows. */
static const tdm_kept_rows *rows_of(const tdm_recording *recording, const char *category) {
  for (uint32_t i = 0; i < tdm_recording_layouts(recording); i++)
    if (strcmp(tdm_recording_layout(recording, i)->category, category) == 0)
      return tdm_recording_rows(recording, i);
  return NULL;
}

static void tracks_spans_samples_and_requests_arrive(void **state) {
  (void)state;
  fixture *f = fixture_new(100);
  fixture_track(f, 0, "L40#1", "GPU", TDM_LANE_GPU, 2);
  fixture_track(f, 2, "L40#1", "GPU", TDM_LANE_QUEUE, 0); /* id 1 was never announced */
  fixture_name(f, 0, "compute");
  fixture_name(f, 3, "wait for it");
  tdm_trace_class_name(f->trace, 1, "chat", NULL);
  f->sink.counter(f->sink.context, 0, "depth", "requests", NULL);
  f->block.arg[f->block.count] = 7;
  fixture_span(f, 0, 0, 12345, 2000, FIXTURE_CLASS(1) | 5);
  f->block.arg[f->block.count - 1] = 7;
  fixture_span(f, 2, 3, 45, 12300, FIXTURE_CLASS(1) | 5);
  fixture_flush(f);
  tdm_counter_sample sample = {1500, 0, 0.25};
  f->sink.counters(f->sink.context, &sample, 1, NULL);
  tdm_request_record request = {FIXTURE_CLASS(1) | 5, 45, 14345, 0, 1, TDM_OUTCOME_OK};
  const double values[] = {128, 0.5, NAN, 7};
  static const char *const attributes[] = {"tokens", "share", "other", "kind"};
  for (uint32_t i = 0; i < 4; i++) f->sink.attribute(f->sink.context, i, attributes[i], NULL);
  f->sink.requests(f->sink.context, &request, values, 1, NULL);

  tdm_recording *r = recorded(f->trace);
  const tdm_kept_rows *stages = rows_of(r, "stage"), *waits = rows_of(r, "wait");
  assert_int_equal(stages->count, 1);
  assert_int_equal(tdm_kept(stages, TDM_START, 0), 12345);
  assert_int_equal(tdm_kept(stages, TDM_DUR, 0), 2000);
  const tdm_layout *layout = tdm_recording_layout(r, stages->layout);
  assert_int_equal(tdm_kept(stages, tdm_layout_column(layout, "request"), 0), FIXTURE_CLASS(1) | 5);
  assert_int_equal(tdm_kept(stages, tdm_layout_column(layout, "batch"), 0), 7);
  assert_string_equal(tdm_recording_name(r, (uint32_t)tdm_kept(stages, TDM_NAME, 0), NULL),
                      "compute");
  const tdm_track *track = tdm_recording_track(r, (uint32_t)tdm_kept(stages, TDM_TRACK, 0));
  assert_string_equal(track->process, "L40#1");
  assert_string_equal(track->name, "GPU");
  assert_int_equal(track->kind, TDM_TRACK_SERVER);
  assert_int_equal(track->lane, TDM_LANE_GPU);
  assert_int_equal(track->capacity, 2);

  assert_int_equal(waits->count, 1);
  assert_int_equal(tdm_kept(waits, TDM_START, 0), 45);
  assert_string_equal(tdm_recording_name(r, (uint32_t)tdm_kept(waits, TDM_NAME, 0), NULL),
                      "wait for it");
  track = tdm_recording_track(r, (uint32_t)tdm_kept(waits, TDM_TRACK, 0));
  assert_int_equal(track->kind, TDM_TRACK_QUEUE);
  assert_true(track->capacity == TDM_NONE); /* unlimited */

  const tdm_kept_rows *samples = rows_of(r, "counter");
  assert_int_equal(samples->count, 1);
  assert_int_equal(tdm_kept(samples, TDM_START, 0), 1500);
  assert_true(tdm_record_double(tdm_kept(samples, TDM_ARGS, 0)) == 0.25);
  assert_string_equal(tdm_recording_name(r, (uint32_t)tdm_kept(samples, TDM_NAME, 0), NULL),
                      "depth");
  assert_string_equal(tdm_recording_name(r, (uint32_t)tdm_kept(samples, TDM_ARGS + 1, 0), NULL),
                      "requests");

  const tdm_kept_rows *whole = rows_of(r, "request");
  assert_int_equal(whole->count, 1);
  layout = tdm_recording_layout(r, whole->layout);
  assert_int_equal(layout->shape, TDM_SHAPE_ASYNC);
  assert_int_equal(layout->args, 4); /* a class without the third attribute */
  assert_int_equal(tdm_kept(whole, TDM_START, 0), 45);
  assert_int_equal(tdm_kept(whole, TDM_DUR, 0), 14300);
  assert_int_equal(tdm_kept(whole, tdm_layout_column(layout, "request"), 0), FIXTURE_CLASS(1) | 5);
  assert_int_equal(tdm_kept(whole, tdm_layout_column(layout, "tokens"), 0), 128);
  assert_true(tdm_record_double(tdm_kept(whole, tdm_layout_column(layout, "share"), 0)) == 0.5);
  assert_int_equal(tdm_kept(whole, tdm_layout_column(layout, "attribute_kind"), 0), 7);
  assert_string_equal(tdm_recording_name(r, (uint32_t)tdm_kept(whole, TDM_NAME, 0), NULL), "chat");
  assert_string_equal(tdm_recording_track(r, (uint32_t)tdm_kept(whole, TDM_TRACK, 0))->process,
                      "workload");

  size_t count;
  const tdm_request_record *requests = tdm_recording_requests(r, &count);
  assert_int_equal(count, 1);
  assert_memory_equal(requests, &request, sizeof request);
  assert_string_equal(tdm_recording_request_class(r, 1), "chat");
  const tdm_source *source = tdm_recording_source(r, 0);
  assert_string_equal(source->path, "demo");
  assert_string_equal(source->format, "simulation");
  assert_int_equal(source->rows, 4);
  assert_int_equal(source->first_ns, 45);
  assert_int_equal(source->last_ns, 14345);
  tdm_recording_problems(r, &count);
  assert_int_equal(count, 0);
  tdm_recording_free(r);
  fixture_free(f);
}

/* A row has room for so many arguments, the first of which is the request: the first attributes are
 * told, the others left out. */
static void attributes_that_a_row_has_no_room_for_are_left_out(void **state) {
  (void)state;
  enum { COUNT = TDM_LAYOUT_ARGS + 5 };
  char names[COUNT][16];
  double values[COUNT];
  fixture *f = fixture_new(100);
  fixture_track(f, 0, "L40#1", "GPU", TDM_LANE_GPU, 2);
  fixture_name(f, 0, "compute");
  tdm_trace_class_name(f->trace, 0, "chat", NULL);
  fixture_span(f, 0, 0, 10, 20, FIXTURE_CLASS(0) | 1);
  fixture_flush(f);
  for (uint32_t i = 0; i < COUNT; i++) {
    snprintf(names[i], sizeof names[i], "number_%u", i);
    values[i] = 1000 + i;
    f->sink.attribute(f->sink.context, i, names[i], NULL);
  }
  tdm_request_record request = {FIXTURE_CLASS(0) | 1, 10, 30, 0, 0, TDM_OUTCOME_OK};
  f->sink.requests(f->sink.context, &request, values, 1, NULL);
  tdm_recording *r = recorded(f->trace);
  const tdm_kept_rows *whole = rows_of(r, "request");
  const tdm_layout *layout = tdm_recording_layout(r, whole->layout);
  assert_int_equal(layout->args, TDM_LAYOUT_ARGS);
  for (uint32_t i = 1; i < TDM_LAYOUT_ARGS; i++) {
    assert_string_equal(layout->arg[i].key, names[i - 1]);
    assert_int_equal(tdm_kept(whole, TDM_ARGS + i, 0), 999 + i);
  }
  tdm_recording_free(r);
  fixture_free(f);
}

/* Many more spans than a buffer holds, on queues and servers by turns: every one arrives, and sums
 * over each column are those of the trace. */
static void every_span_arrives_once(void **state) {
  (void)state;
  enum { COUNT = 300000 };
  fixture *f = fixture_new(COUNT);
  uint64_t sums[5] = {0};
  for (uint32_t t = 0; t < 8; t++)
    fixture_track(f, t, "host", t % 2 ? "q" : "s", t % 2 ? TDM_LANE_QUEUE : TDM_LANE_CPU, t);
  for (uint32_t n = 0; n < 3; n++) fixture_name(f, n, (char[]){(char)('a' + n), 0});
  tdm_rng rng = {4};
  for (uint64_t i = 0; i < COUNT; i++) {
    uint64_t bits = tdm_rng_bits(&rng);
    int64_t start = (int64_t)(i * 3 + bits % 1000), dur = (int64_t)(bits >> 20 & 4095);
    f->block.arg[f->block.count] = 1;
    fixture_span(f, bits >> 60 & 7, (uint32_t)(bits >> 40) % 3, start, dur, i);
    sums[0] += (uint64_t)start;
    sums[1] += (uint64_t)dur;
    sums[2] += i;
    sums[3] += (bits >> 60 & 1) == 0;
    sums[4] += (uint32_t)(bits >> 40) % 3;
  }
  fixture_flush(f);
  tdm_recording *r = recorded(f->trace);
  const tdm_kept_rows *both[] = {rows_of(r, "stage"), rows_of(r, "wait")};
  assert_int_equal(both[0]->count + both[1]->count, COUNT);
  assert_int_equal(both[0]->count, sums[3]);
  uint64_t seen[5] = {0};
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < both[k]->count; i++) {
      const tdm_track *track = tdm_recording_track(r, (uint32_t)tdm_kept(both[k], TDM_TRACK, i));
      assert_int_equal(track->kind, k == 0 ? TDM_TRACK_SERVER : TDM_TRACK_QUEUE);
      seen[0] += (uint64_t)tdm_kept(both[k], TDM_START, i);
      seen[1] += (uint64_t)tdm_kept(both[k], TDM_DUR, i);
      seen[2] += (uint64_t)tdm_kept(both[k], TDM_ARGS, i);
      seen[4] +=
          (uint64_t)(tdm_recording_name(r, (uint32_t)tdm_kept(both[k], TDM_NAME, i), NULL)[0] -
                     'a');
    }
  seen[3] = sums[3];
  assert_memory_equal(seen, sums, sizeof sums);
  tdm_recording_free(r);
  fixture_free(f);
}

static void what_the_limit_dropped_is_told(void **state) {
  (void)state;
  fixture *f = fixture_new(10);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 1);
  fixture_name(f, 0, "a");
  for (int64_t i = 0; i < 40; i++) fixture_span(f, 0, 0, i, 1, (uint64_t)i);
  fixture_flush(f);
  tdm_recording *r = recorded(f->trace);
  size_t count;
  const tdm_problem *problem = tdm_recording_problems(r, &count);
  assert_int_equal(count, 1);
  assert_string_equal(problem->kind, "spans over the limit of a trace (dropped)");
  assert_int_equal(problem->count, 30);
  const tdm_fact *fact = tdm_recording_facts(r, &count);
  assert_int_equal(count, 1);
  assert_string_equal(fact->key, "complete_until_ns");
  assert_string_equal(fact->value, "10");
  tdm_recording_free(r);
  fixture_free(f);
}

static void an_empty_trace_is_an_empty_source(void **state) {
  (void)state;
  fixture *f = fixture_new(10);
  tdm_recording *r = recorded(f->trace);
  assert_int_equal(tdm_recording_sources(r), 1);
  assert_int_equal(tdm_recording_source(r, 0)->rows, 0);
  assert_int_equal(tdm_recording_tracks(r), 0);
  tdm_recording_free(r);
  fixture_free(f);
}

static tdm_status refuse(void *context, const tdm_rows *rows, tdm_error *error) {
  (void)context;
  (void)rows;
  return tdm_error_set(error, TDM_IO, "full");
}

static void a_sink_that_refuses_is_heard_at_the_end(void **state) {
  (void)state;
  fixture *f = fixture_new(100000);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 1);
  fixture_name(f, 0, "a");
  for (int64_t i = 0; i < 70000; i++) fixture_span(f, 0, 0, i, 1, (uint64_t)i);
  fixture_flush(f);
  tdm_error error;
  tdm_recorder *recorder = tdm_recorder_new(&(tdm_record_sink){.rows = refuse});
  assert_int_equal(tdm_simulated_record(f->trace, "demo", recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_end_source(recorder, &error), TDM_IO);
  assert_string_equal(error.message, "full");
  tdm_recorder_free(recorder);
  fixture_free(f);
}

/* Requests that come when the spans are cut off have records, but no rows: no stage would lie in
 * them. */
static void requests_have_rows_as_long_as_there_are_spans(void **state) {
  (void)state;
  fixture *f = fixture_new(100);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 1);
  fixture_name(f, 0, "work");
  tdm_trace_class_name(f->trace, 0, "default", NULL);
  size_t inside = 0;
  for (int64_t i = 0; i < 90; i++) {
    tdm_request_record request = {(uint64_t)i, 1000 * i, 1000 * i + 400, -1, 0, TDM_OUTCOME_OK};
    f->sink.requests(f->sink.context, &request, NULL, 1, NULL);
    for (int64_t k = 0; k < 4; k++) fixture_span(f, 0, 0, 1000 * i + 100 * k, 100, (uint64_t)i);
  }
  fixture_flush(f);
  int64_t until_ns = tdm_trace_span_extent(f->trace).complete_until_ns;
  for (int64_t i = 0; i < 90; i++) inside += 1000 * i < until_ns;
  for (int64_t i = 0; i < 2; i++) { /* the last of those that do, the first of those that do not */
    tdm_request_record request = {90 + (uint64_t)i, until_ns - 1 + i, until_ns + 9, -1, 0,
                                  TDM_OUTCOME_OK};
    f->sink.requests(f->sink.context, &request, NULL, 1, NULL);
  }
  inside++;
  tdm_recording *r = recorded(f->trace);
  size_t count;
  tdm_recording_requests(r, &count);
  assert_int_equal(count, 92);
  assert_in_range(inside, 15, 30);
  assert_int_equal(rows_of(r, "request")->count, inside);
  tdm_recording_free(r);
  fixture_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(requests_have_rows_as_long_as_there_are_spans),
      cmocka_unit_test(tracks_spans_samples_and_requests_arrive),
      cmocka_unit_test(attributes_that_a_row_has_no_room_for_are_left_out),
      cmocka_unit_test(every_span_arrives_once),
      cmocka_unit_test(what_the_limit_dropped_is_told),
      cmocka_unit_test(an_empty_trace_is_an_empty_source),
      cmocka_unit_test(a_sink_that_refuses_is_heard_at_the_end),
  };
  return cmocka_run_group_tests_name("simulated", tests, NULL, NULL);
}
