/* trace/record and trace/recorder: words of kinds, lanes of categories, and what a source's rows
 * span. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "records_as_text.h"

static void lanes_follow_from_the_category(void **state) {
  (void)state;
  static const struct {
    const char *category, *kind, *name;
    tdm_lane lane;
  } cases[] = {
      {"kernel", NULL, "gemm", TDM_LANE_GPU},
      {"kernel", NULL, "ncclDevKernel", TDM_LANE_COMM},
      {"kernel", NULL, "rccl_x", TDM_LANE_COMM},
      {"kernel", NULL, "my_nccl", TDM_LANE_GPU},
      {"kernel", NULL, "", TDM_LANE_GPU},
      {"memcpy", "HtoD", "", TDM_LANE_H2D},
      {"memcpy", "HtoA", "", TDM_LANE_H2D},
      {"memcpy", "DtoH", "", TDM_LANE_D2H},
      {"memcpy", "AtoH", "", TDM_LANE_D2H},
      {"memcpy", "PtoP", "", TDM_LANE_COMM},
      {"memcpy", "DtoD", "", TDM_LANE_GPU},
      {"memcpy", "HtoH", "", TDM_LANE_GPU},
      {"memcpy", "UVM HtoD", "", TDM_LANE_H2D},
      {"memcpy", "UVM DtoH", "", TDM_LANE_D2H},
      {"memcpy", NULL, "", TDM_LANE_GPU},
      {"memset", "HtoD", "", TDM_LANE_GPU},
      {"um", "UVM HtoD", "", TDM_LANE_H2D},
      {"um", "DtoH", "", TDM_LANE_D2H},
      {"um", NULL, "", TDM_LANE_GPU},
      {"graph", NULL, "", TDM_LANE_GPU},
      {"runtime", NULL, "", TDM_LANE_CPU},
      {"driver", NULL, "nccl", TDM_LANE_CPU},
      /* all else lies where its track does */
      {"kernels", NULL, "nccl", TDM_LANE_QUEUE},
      {"memory", "HtoD", "", TDM_LANE_QUEUE},
      {"user_annotation", "HtoD", "", TDM_LANE_QUEUE},
      {"gpu_sync", NULL, "", TDM_LANE_QUEUE},
      {"range", NULL, "", TDM_LANE_QUEUE},
      {"dram", NULL, "", TDM_LANE_QUEUE},
      {"nvtx", NULL, "nccl", TDM_LANE_QUEUE},
      {"", NULL, "", TDM_LANE_QUEUE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (tdm_record_lane(cases[i].category, cases[i].kind, cases[i].name, TDM_LANE_QUEUE) !=
        cases[i].lane)
      fail_msg("%s %s %s", cases[i].category, cases[i].kind != NULL ? cases[i].kind : "-",
               cases[i].name);
}

static void what_is_no_kind_has_the_last_word(void **state) {
  (void)state;
  assert_string_equal(tdm_track_kind_name(TDM_TRACK_QUEUE), "queue");
  assert_string_equal(tdm_track_kind_name(TDM_TRACK_KINDS - 1), "other");
  assert_string_equal(tdm_track_kind_name(TDM_TRACK_KINDS), "other");
  assert_string_equal(tdm_track_kind_name((tdm_track_kind)-1), "other");
  for (int i = 0; i < TDM_TRACK_KINDS; i++)
    for (int k = 0; k < i; k++)
      assert_string_not_equal(tdm_track_kind_name((tdm_track_kind)i),
                              tdm_track_kind_name((tdm_track_kind)k));
}

static void columns_are_found_by_key(void **state) {
  (void)state;
  static const tdm_arg args[] = {{"a", TDM_ARG_INT}, {"b", TDM_ARG_TEXT}, {"a", TDM_ARG_REAL}};
  const tdm_layout layout = {.category = "x", .args = 2, .arg = args};
  assert_int_equal(tdm_layout_column(&layout, "a"), TDM_ARGS);
  assert_int_equal(tdm_layout_column(&layout, "b"), TDM_ARGS + 1);
  assert_int_equal(tdm_layout_column(&layout, "c"), 0);
}

/* From the first start to the last end; an edge counts where it begins, whatever its arrival. */
static void a_source_spans_its_rows(void **state) {
  (void)state;
  static const struct {
    tdm_shape shape;
    int64_t start, dur, first, last;
  } cases[] = {
      {TDM_SHAPE_SPAN, 10, 5, 10, 15},    {TDM_SHAPE_SPAN, 10, 0, 10, 10},
      {TDM_SHAPE_SPAN, 10, -5, 10, 10},   {TDM_SHAPE_SPAN, 10, INT64_MAX, 10, INT64_MAX},
      {TDM_SHAPE_ASYNC, -7, 3, -7, -4},   {TDM_SHAPE_EDGE, 10, 5, 10, 10},
      {TDM_SHAPE_INSTANT, 12, 0, 12, 12},
  };
  enum { CASES = sizeof cases / sizeof *cases };
  static const tdm_arg args[] = {{"to_track", TDM_ARG_INT}, {"id", TDM_ARG_INT}};
  for (size_t i = 0; i <= CASES; i++) { /* each alone, then all together */
    made m = made_new();
    tdm_track about = TDM_TRACK_PLAIN;
    int64_t track = tdm_record_track(m.recorder, &about), first = INT64_MAX, last = INT64_MIN;
    for (size_t k = i < CASES ? i : 0; k < (i < CASES ? i + 1 : CASES); k++) {
      uint32_t layout = tdm_record_layout(m.recorder, "x", cases[k].shape, args, 2);
      tdm_record_row(m.recorder, layout, cases[k].start, cases[k].dur, (uint32_t)track,
                     tdm_record_text(m.recorder, "row"), (int64_t[]){track, TDM_NONE}, 2);
      if (cases[k].first < first) first = cases[k].first;
      if (cases[k].last > last) last = cases[k].last;
    }
    made_done(&m);
    const tdm_source *source = tdm_recording_source(m.recording, 0);
    assert_int_equal(source->first_ns, first);
    assert_int_equal(source->last_ns, last);
    assert_int_equal(source->rows, i < CASES ? 1 : CASES);
    tdm_recording_free(m.recording);
  }
}

/* One of each. */
static tdm_status put_everything(tdm_recorder *recorder, tdm_error *error) {
  tdm_recorder_begin_source(recorder, "a.json", "made");
  uint32_t track = tdm_record_track(
      recorder, &(tdm_track){.process = "p", .name = "n", .kind = TDM_TRACK_THREAD, .pid = 1});
  uint32_t layout = tdm_record_layout(recorder, "stage", TDM_SHAPE_SPAN, NULL, 0);
  tdm_record_row(recorder, layout, 1, 2, track, tdm_record_text(recorder, "x"), NULL, 0);
  tdm_record_fact(recorder, "key", "value");
  tdm_record_problem(recorder, "broken", 1);
  tdm_record_metric(recorder, &(tdm_metric){.scope = "s", .subject = "t", .name = "m", .value = 1});
  tdm_record_artifact(recorder, "file", "text", "bytes", 5);
  tdm_record_requests(recorder, &(tdm_request_record){.request = 1}, 1);
  tdm_record_request_class(recorder, 0, "class");
  tdm_status status = tdm_recorder_end_source(recorder, error);
  return status != TDM_OK ? status : tdm_recorder_finish(recorder, error);
}

static tdm_status refuse(tdm_error *error) {
  return tdm_error_set(error, TDM_LIMIT, "it is full");
}
static tdm_status refuse_fact(void *context, uint32_t source, const char *key, const char *value,
                              tdm_error *error) {
  (void)source, (void)key, (void)value;
  ++*(int *)context;
  return refuse(error);
}
static tdm_status refuse_metric(void *context, const tdm_metric *metric, tdm_error *error) {
  (void)metric;
  *(int *)context += 100;
  return refuse(error);
}
static tdm_status refuse_artifact(void *context, const char *name, const char *type,
                                  const void *bytes, size_t length, tdm_error *error) {
  (void)name, (void)type, (void)bytes, (void)length;
  *(int *)context += 100;
  return refuse(error);
}

static void what_a_sink_does_not_take_is_left_out_and_nothing_follows_a_failure(void **state) {
  (void)state;
  tdm_error error;
  tdm_record_sink sink = {.context = NULL};
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  assert_int_equal(put_everything(recorder, &error), TDM_OK);
  tdm_recorder_free(recorder);
  int calls = 0;
  sink = (tdm_record_sink){
      .context = &calls, .fact = refuse_fact, .metric = refuse_metric, .artifact = refuse_artifact};
  recorder = tdm_recorder_new(&sink);
  assert_int_equal(put_everything(recorder, &error), TDM_LIMIT);
  assert_string_equal(error.message, "it is full");
  assert_int_equal(calls, 1);
  assert_true(tdm_recorder_failed(recorder));
  tdm_recorder_free(recorder);
}

static void names_that_nobody_reads_are_cut_between_characters(void **state) {
  (void)state;
  made m = made_new();
  size_t most = TDM_NAME_BYTES, length;
  char *text = malloc(most + 8);
  assert_non_null(text);
  memset(text, 'a', most + 8);
  tdm_recorder_name(m.recorder, tdm_record_name(m.recorder, text, most), &length);
  assert_int_equal(length, most);
  memcpy(text + most - 1, "\xe2\x82\xac", 3); /* across the limit */
  uint32_t cut = tdm_record_name(m.recorder, text, most + 8);
  const char *name = tdm_recorder_name(m.recorder, cut, &length);
  assert_int_equal(length, most - 1);
  assert_int_equal(name[length - 1], 'a');
  memcpy(text + most, "\xe2\x82\xac", 3); /* behind it */
  text[most - 1] = 'b';
  tdm_recorder_name(m.recorder, tdm_record_name(m.recorder, text, most + 3), &length);
  assert_int_equal(length, most);
  memcpy(text + most - 3, "\xf0\x9f\x98\x80", 4); /* all but its last byte */
  cut = tdm_record_name(m.recorder, text, most + 1);
  tdm_recorder_name(m.recorder, cut, &length);
  assert_int_equal(length, most - 3);
  memset(text, 0x80, most + 8); /* no character begins anywhere: four bytes fewer, then mended */
  cut = tdm_record_name(m.recorder, text, most + 8);
  name = tdm_recorder_name(m.recorder, cut, &length);
  assert_int_equal(length, 3 * (most - 4));
  assert_memory_equal(name + length - 3, "\xef\xbf\xbd", 3);
  free(text);
  made_done(&m);
  assert_int_equal(problem_count(m.recording, "names of more than 1 MiB"), 4);
  assert_int_equal(problem_count(m.recording, "texts that are not UTF-8"), 1);
  tdm_recording_free(m.recording);
}

static void names_of_metrics_are_cut_as_names_are(void **state) {
  (void)state;
  made m = made_new();
  size_t most = TDM_NAME_BYTES, count;
  char *text = malloc(most + 9);
  assert_non_null(text);
  memset(text, 'a', most + 8);
  text[most + 8] = '\0';
  tdm_record_metric(m.recorder, &(tdm_metric){.subject = text, .name = "m", .value = 1});
  tdm_record_metric(m.recorder, &(tdm_metric){.subject = NULL, .name = text, .value = 2});
  text[most] = '\0';
  tdm_record_metric(m.recorder, &(tdm_metric){.subject = text, .name = "n", .value = 3});
  free(text);
  made_done(&m);
  const tdm_metric *metrics = tdm_recording_metrics(m.recording, &count);
  assert_int_equal(count, 3);
  assert_int_equal(strlen(metrics[0].subject), most);
  assert_string_equal(metrics[0].name, "m");
  assert_true(metrics[0].value > 0 && metrics[0].value < 2);
  assert_null(metrics[1].subject);
  assert_int_equal(strlen(metrics[1].name), most);
  assert_int_equal(strlen(metrics[2].subject), most);
  assert_int_equal(problem_count(m.recording, "names of more than 1 MiB"), 2);
  tdm_recording_free(m.recording);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_follow_from_the_category),
      cmocka_unit_test(what_is_no_kind_has_the_last_word),
      cmocka_unit_test(columns_are_found_by_key),
      cmocka_unit_test(a_source_spans_its_rows),
      cmocka_unit_test(names_of_metrics_are_cut_as_names_are),
      cmocka_unit_test(names_that_nobody_reads_are_cut_between_characters),
      cmocka_unit_test(what_a_sink_does_not_take_is_left_out_and_nothing_follows_a_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
