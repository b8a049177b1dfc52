/* The relay: what goes in comes out the same and in order, failures come back, nothing hangs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "trace/recorder.h"
#include "trace/recording.h"
#include "trace/relay.h"

static tdm_error failure;

/* Some of every kind of record; `rows` rows. */
static tdm_status push_some(const tdm_record_sink *sink, int64_t rows) {
  static const tdm_arg args[] = {{"bytes", TDM_ARG_INT}, {"kind", TDM_ARG_TEXT}};
  tdm_recorder *recorder = tdm_recorder_new(sink);
  tdm_recorder_begin_source(recorder, "a file", "a format");
  tdm_recorder_detail(recorder, "details");
  uint32_t layout = tdm_record_layout(recorder, "memcpy", TDM_SHAPE_SPAN, args, 2);
  tdm_track about = TDM_TRACK_PLAIN;
  about.process = "GPU";
  about.name = "stream 7";
  uint32_t track = tdm_record_track(recorder, &about);
  for (int64_t i = 0; i < rows; i++) {
    char text[32];
    snprintf(text, sizeof text, "copy %lld", (long long)(i % 1000));
    int64_t values[] = {i * 3, tdm_record_text(recorder, "HtoD")};
    tdm_record_row(recorder, layout, i, 5, track, tdm_record_text(recorder, text), values, 2);
  }
  tdm_record_fact(recorder, "key", "value");
  tdm_record_problem(recorder, "odd things", 3);
  tdm_record_metric(recorder, &(tdm_metric){.scope = "kernel", .name = "m", .value = 2});
  tdm_record_artifact(recorder, "log", "text/plain", "hello", 5);
  tdm_record_request_class(recorder, 1, "chat");
  tdm_record_requests(recorder, &(tdm_request_record){.request = 9, .end_ns = 4}, 1);
  tdm_status status = tdm_recorder_end_source(recorder, &failure);
  tdm_recorder_free(recorder);
  return status;
}

static void what_goes_in_comes_out(void **state) {
  (void)state;
  enum { ROWS = 100000 };
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink inner, sink;
  tdm_recording_sink(recording, &inner);
  tdm_relay *relay;
  assert_int_equal(tdm_relay_open(&inner, &relay, &failure), TDM_OK);
  tdm_relay_sink(relay, &sink);
  assert_int_equal(push_some(&sink, ROWS), TDM_OK);
  assert_int_equal(tdm_relay_finish(relay, &failure), TDM_OK);
  tdm_relay_close(relay);
  const tdm_kept_rows *rows = tdm_recording_rows(recording, 0);
  assert_int_equal(rows->count, ROWS);
  for (int64_t i = 0; i < ROWS; i++) {
    char text[32];
    snprintf(text, sizeof text, "copy %lld", (long long)(i % 1000));
    assert_int_equal(tdm_kept(rows, TDM_START, (size_t)i), i);
    assert_int_equal(tdm_kept(rows, TDM_ARGS, (size_t)i), i * 3);
    const char *name =
        tdm_recording_name(recording, (uint32_t)tdm_kept(rows, TDM_NAME, (size_t)i), NULL);
    assert_string_equal(name, text);
  }
  assert_string_equal(tdm_recording_track(recording, 0)->name, "stream 7");
  assert_string_equal(tdm_recording_layout(recording, 0)->arg[1].key, "kind");
  assert_string_equal(tdm_recording_source(recording, 0)->detail, "details");
  size_t count;
  assert_string_equal(tdm_recording_facts(recording, &count)->value, "value");
  assert_int_equal(tdm_recording_problems(recording, &count)->count, 3);
  assert_string_equal(tdm_recording_metrics(recording, &count)->scope, "kernel");
  assert_string_equal(tdm_recording_artifacts(recording, &count)->bytes, "hello");
  assert_int_equal(tdm_recording_requests(recording, &count)->end_ns, 4);
  assert_string_equal(tdm_recording_request_class(recording, 1), "chat");
  tdm_recording_free(recording);
}

typedef struct {
  int layouts, rows;
} refusal;

static tdm_status take_layout(void *context, uint32_t id, const tdm_layout *layout,
                              tdm_error *error) {
  (void)id, (void)layout, (void)error;
  ((refusal *)context)->layouts++;
  return TDM_OK;
}

static tdm_status refuse_rows(void *context, const tdm_rows *rows, tdm_error *error) {
  (void)rows;
  ((refusal *)context)->rows++;
  return tdm_error_set(error, TDM_IO, "the disk is full");
}

static void the_first_failure_comes_back_and_ends_it(void **state) {
  (void)state;
  refusal seen = {0};
  tdm_record_sink inner = {.context = &seen, .layout = take_layout, .rows = refuse_rows}, sink;
  tdm_relay *relay;
  assert_int_equal(tdm_relay_open(&inner, &relay, &failure), TDM_OK);
  tdm_relay_sink(relay, &sink);
  assert_null(sink.name); /* what the inner sink ignores is not copied either */
  tdm_status status = push_some(&sink, 3000000); /* more than may wait: the pusher is told */
  assert_int_equal(status, TDM_IO);
  assert_int_equal(tdm_relay_finish(relay, &failure), TDM_IO);
  assert_string_equal(failure.message, "the disk is full");
  assert_int_equal(seen.layouts, 1);
  assert_int_equal(seen.rows, 1);
  tdm_relay_close(relay);
}

/* Rows say of which layout they are; one that nobody announced has no columns. */
static void rows_of_a_layout_unheard_of_are_refused(void **state) {
  (void)state;
  refusal seen = {0};
  static const tdm_arg bytes = {"bytes", TDM_ARG_INT};
  const tdm_layout layout = {.category = "memcpy", .arg = &bytes, .args = 1};
  tdm_record_sink inner = {.context = &seen, .layout = take_layout, .rows = refuse_rows}, sink;
  tdm_relay *relay;
  assert_int_equal(tdm_relay_open(&inner, &relay, &failure), TDM_OK);
  tdm_relay_sink(relay, &sink);
  assert_int_equal(sink.layout(sink.context, 0, &layout, &failure), TDM_OK);
  assert_int_equal(sink.rows(sink.context, &(tdm_rows){.layout = 1}, &failure), TDM_BUG);
  assert_int_equal(tdm_relay_finish(relay, &failure), TDM_OK);
  assert_int_equal(seen.rows, 0);
  tdm_relay_close(relay);
}

static void closing_without_finishing_throws_the_rest_away(void **state) {
  (void)state;
  for (int i = 0; i < 20; i++) {
    tdm_recording *recording = tdm_recording_new();
    tdm_record_sink inner, sink;
    tdm_recording_sink(recording, &inner);
    tdm_relay *relay;
    assert_int_equal(tdm_relay_open(&inner, &relay, &failure), TDM_OK);
    tdm_relay_sink(relay, &sink);
    assert_int_equal(push_some(&sink, 100), TDM_OK);
    tdm_relay_close(relay);
    tdm_recording_free(recording);
  }
  tdm_relay_close(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_goes_in_comes_out),
      cmocka_unit_test(the_first_failure_comes_back_and_ends_it),
      cmocka_unit_test(rows_of_a_layout_unheard_of_are_refused),
      cmocka_unit_test(closing_without_finishing_throws_the_rest_away),
  };
  return cmocka_run_group_tests_name("parallel_relay", tests, NULL, NULL);
}
