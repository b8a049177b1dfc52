/* read/gecko: real profiles against figures that Python's json counts in them; the shapes of other
 * versions by hand: deltas, shared tables, offsets to callers, phases; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/reader.h"
#include "records_as_text.h"

#define DATA "tests/data/gecko/"

/* Samples, their distinct stacks, the bytes of those, the sum of all times; markers. */
static void assert_figures(const char *file, size_t samples, size_t stacks, size_t bytes,
                           int64_t times_ns, size_t markers) {
  char path[128];
  uint8_t seen[4096] = {0};
  size_t counted = 0, distinct = 0, length = 0, others = 0, sum_bytes = 0;
  int64_t sum_ns = 0;
  snprintf(path, sizeof path, DATA "%s", file);
  tdm_recording *got = read_path(&tdm_reader_gecko, path);
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    bool sample = strcmp(tdm_recording_layout(got, i)->category, "sample") == 0;
    if (!sample) others += rows->count;
    for (size_t row = 0; row < rows->count && sample; row++) {
      int64_t name = tdm_kept(rows, TDM_NAME, row);
      counted++;
      sum_ns += tdm_kept(rows, TDM_START, row);
      assert_true(name < (int64_t)sizeof seen);
      if (!seen[name]) {
        distinct++;
        tdm_recording_name(got, name, &length);
        sum_bytes += length;
      }
      seen[name] = 1;
    }
  }
  assert_int_equal(counted, samples);
  assert_int_equal(distinct, stacks);
  assert_int_equal(sum_bytes, bytes);
  assert_int_equal(sum_ns, times_ns);
  assert_int_equal(others, markers);
  tdm_recording_free(got);
}

static void profiles_have_the_figures_that_python_counts(void **state) {
  (void)state;
  assert_figures("firefox63_simple.json.gz", 39, 14, 14174, 763994704, 0);
  assert_figures("gecko-2.json.gz", 21, 6, 286, INT64_C(7063000000), 28);
  assert_figures("processed-3.json.gz", 21, 6, 209, INT64_C(7063000000), 27);
  assert_figures("samply_perf_ls.json.gz", 5130, 353, 50946, INT64_C(7887253619244), 0);
}

static tdm_recording *read_profile(const char *text) {
  return read_bytes(&tdm_reader_gecko, text, strlen(text));
}

#define TRACK "[ls (7) | thread 8 main | thread CPU pid=7 tid=8]"

/* Version 66 on: tables of all threads, behind them; deltas; callers by how far they stand back. */
static void shared_tables_deltas_and_offsets(void **state) {
  (void)state;
  static const char *const want[] = {"instant sample 1500000+0 'main;f:g' weight=2 " TRACK,
                                     "instant sample 2000000+0 'main' weight=1 " TRACK,
                                     "instant sample 2250000+0 '(no stack)' weight=1 " TRACK};
  tdm_recording *got = read_profile(
      "{\"threads\":[{\"name\":\"main\",\"processName\":\"ls\",\"pid\":\"7\",\"tid\":8,"
      "\"samples\":{\"timeDeltas\":[1.5,0.5,0.25],\"stack\":[1,0,null],\"weight\":[2,1,1],"
      "\"length\":3}}],"
      "\"shared\":{\"stackTable\":{\"frame\":[0,1],\"prefixOffset\":[0,1]},"
      "\"frameTable\":{\"func\":[1,0]},\"funcTable\":{\"name\":[1,0]},"
      "\"stringArray\":[\"main\",\"f;g\"]},"
      "\"meta\":{\"version\":36,\"preprocessedProfileVersion\":70,\"startTime\":1000.25}}");
  assert_rows(got, 3, want);
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, 1000250000);
  tdm_recording_free(got);
}

static void markers_are_instants_and_intervals(void **state) {
  (void)state;
  static const char *const want[] = {"async marker 1000000+2500000 'load' " TRACK,
                                     "instant marker 2000000+0 'load' " TRACK,
                                     "instant marker 3000000+0 'paint' phase=t'start' " TRACK,
                                     "instant marker 4000000+0 'paint' phase=t'end' " TRACK};
  tdm_recording *got = read_profile(
      "{\"meta\":{\"version\":27,\"preprocessedProfileVersion\":50},\"threads\":[{\"name\":"
      "\"main\",\"processName\":\"ls\",\"pid\":7,\"tid\":8,\"stringArray\":[\"load\",\"paint\"],"
      "\"markers\":{\"data\":[{\"type\":\"Text\",\"startTime\":77},null,null,null],"
      "\"name\":[0,0,1,1],\"startTime\":[1,2,3,null],\"endTime\":[3.5,null,null,4],"
      "\"phase\":[1,0,2,3],\"length\":4}}]}");
  assert_rows(got, 4, want);
  tdm_recording_free(got);
  /* Raw and older: times and phases in the payload. */
  got = read_profile(
      "{\"meta\":{\"version\":9},\"threads\":[{\"name\":\"main\",\"processName\":\"ls\",\"pid\":7,"
      "\"tid\":8,\"markers\":{\"data\":[[0,9,{\"startTime\":1,\"endTime\":3.5}],[0,2],"
      "[1,3,{\"interval\":\"start\"}],[1,4,{\"interval\":\"end\"}]],"
      "\"schema\":{\"name\":0,\"time\":1,\"data\":2}},\"stringTable\":[\"load\",\"paint\"]}]}");
  assert_rows(got, 4, want);
  tdm_recording_free(got);
}

static void damaged_stacks_end(void **state) {
  (void)state;
  tdm_recording *got = read_profile(
      "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":41},\"threads\":[{\"samples\":{"
      "\"stack\":[0,1,99,-1,1e300],\"time\":[1,2,3,4,5,\"x\",null]},\"stackTable\":{\"frame\":[0,"
      "99],\"prefix\":[0,0]},\"frameTable\":{\"func\":[-5]},\"stringArray\":[]}]}");
  assert_int_equal(rows_count(got), 5);
  assert_true(problem_count(got, "stacks whose caller does not come before them") > 0);
  assert_int_equal(problem_count(got, "samples without a time"), 2);
  tdm_recording_free(got);
}

#define PROCESSED(threads)                                                                         \
  "{\"meta\":{\"version\":27,\"preprocessedProfileVersion\":50},\"threads\":[" threads "]}"
#define TABLES                                                                                     \
  "\"stackTable\":{\"frame\":[0,1,2,3,4],\"prefix\":[null,0,1,-1,null]},\"frameTable\":{\"func\":" \
  "[0,1,"                                                                                          \
  "2,-1,9],\"location\":[null,null,null,-1,null]},\"funcTable\":{\"name\":[0,1,7]},"               \
  "\"stringArray\":[\"a\",\"b;c\"]"
#define PLAIN "[process | thread  | thread CPU]"

/* What has no name is unknown, what has no stack says so, callers come first. */
static void stacks_are_named_from_their_roots(void **state) {
  (void)state;
  static const char *const want[] = {"instant sample 1000000+0 'a' " PLAIN,
                                     "instant sample 2000000+0 'a;b:c' " PLAIN,
                                     "instant sample 3000000+0 'a;b:c;[unknown]' " PLAIN,
                                     "instant sample 4000000+0 '[unknown]' " PLAIN,
                                     "instant sample 5000000+0 '[unknown]' " PLAIN,
                                     "instant sample 6000000+0 '(no stack)' " PLAIN,
                                     "instant sample 7000000+0 '(no stack)' " PLAIN,
                                     "instant sample 8000000+0 '(no stack)' " PLAIN,
                                     "instant sample 9000000+0 'a' weight=3 " PLAIN};
  tdm_recording *got = read_profile(PROCESSED(
      "{\"samples\":{\"stack\":[0,1,2,3,4,5,-1,0.5,0,0],\"time\":[1,2,3,4,5,6,7,8,9,1e300],"
      "\"weight\":[null,null,null,null,null,null,1.5,null,3]}," TABLES "}"));
  assert_rows(got, 9, want);
  assert_int_equal(problem_count(got, "samples without a time"), 1);
  assert_int_equal(problem_count(got, "whose caller"), 0);
  assert_string_equal(tdm_recording_source(got, 0)->detail,
                      "processed profile 50, 9 samples, 0 markers");
  tdm_recording_free(got);
}

/* A stack that stands too far back, or nowhere, is a root; one that calls itself is cut. */
static void callers_stand_before_what_they_call(void **state) {
  (void)state;
  static const char *const want[] = {
      "instant sample 1000000+0 'a' " PLAIN, "instant sample 2000000+0 'a;b' " PLAIN,
      "instant sample 3000000+0 'c' " PLAIN, "instant sample 4000000+0 'd' " PLAIN,
      "instant sample 5000000+0 'a;b;e' " PLAIN};
  tdm_recording *got =
      read_profile(PROCESSED("{\"samples\":{\"stack\":[0,1,2,3,4],\"time\":[1,2,3,4,5]},"
                             "\"stackTable\":{\"frame\":[0,1,2,3,4],"
                             "\"prefixOffset\":[0,1,3,-1,3]},\"frameTable\":{\"func\":[0,1,2,3,4]},"
                             "\"funcTable\":{\"name\":"
                             "[0,1,2,3,4]},\"stringArray\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}"));
  assert_rows(got, 5, want);
  tdm_recording_free(got);
  got =
      read_profile(PROCESSED("{\"samples\":{\"stack\":[0,1],\"time\":[1,2]},\"stackTable\":{"
                             "\"frame\":[0,1],\"prefix\":[0,9]},"
                             "\"frameTable\":{\"location\":[0,1]},\"stringArray\":[\"a\",\"b\"]}"));
  static const char *const cut[] = {"instant sample 1000000+0 'a' " PLAIN,
                                    "instant sample 2000000+0 'b' " PLAIN};
  assert_rows(got, 2, cut);
  assert_int_equal(problem_count(got, "whose caller does not come before them"), 2);
  tdm_recording_free(got);
}

/* 1024 frames are kept, the innermost. */
static void deep_stacks_are_cut_at_their_roots(void **state) {
  (void)state;
  static char text[64 << 10];
  for (int depth = 1024; depth <= 1025; depth++) {
    char *at = text;
    at += sprintf(at,
                  "{\"meta\":{\"preprocessedProfileVersion\":50},\"threads\":[{\"samples\":{"
                  "\"stack\":[%d],\"time\":[1]},\"stackTable\":{\"prefix\":[null",
                  depth - 1);
    for (int i = 1; i < depth; i++) at += sprintf(at, ",%d", i - 1);
    at += sprintf(at, "],\"frame\":[1");
    for (int i = 1; i < depth; i++) at += sprintf(at, ",0");
    sprintf(at, "]},\"frameTable\":{\"location\":[0,1]},\"stringArray\":[\"f\",\"root\"]}]}");
    tdm_recording *got = read_profile(text);
    const tdm_kept_rows *rows = tdm_recording_rows(got, 0);
    const char *name = tdm_recording_name(got, (uint32_t)tdm_kept(rows, TDM_NAME, 0), NULL);
    assert_int_equal(strlen(name), depth == 1024 ? 4 + 2 * 1023 : 1 + 2 * 1023);
    assert_int_equal(strncmp(name, "root;f", 6) == 0, depth == 1024);
    assert_int_equal(problem_count(got, "stacks that are too deep"), depth == 1024 ? 0 : 1);
    tdm_recording_free(got);
  }
}

static void samples_are_in_nanoseconds_where_meta_says_so(void **state) {
  (void)state;
  static const char *const want[] = {"instant sample 2000+0 '(no stack)' " PLAIN,
                                     "instant sample 3000+0 '(no stack)' " PLAIN};
  tdm_recording *got = read_profile(
      "{\"meta\":{\"sampleUnits\":{\"eventDelay\":\"ms\",\"time\":\"ns\",\"x\":{}},"
      "\"preprocessedProfileVersion\":50,\"product\":\"p\",\"startTime\":\"x\"},\"threads\":[{"
      "\"samples\":{\"stack\":[],\"time\":[2000,3000,null]}}]}");
  assert_rows(got, 2, want);
  assert_string_equal(tdm_recording_source(got, 0)->detail,
                      "processed profile 50, p, 2 samples, 0 markers");
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, TDM_NONE);
  tdm_recording_free(got);
}

/* Each process has its own start; names of processes and threads are what there is of them. */
static void processes_are_moved_to_the_clock_of_the_first(void **state) {
  (void)state;
  static const char *const want[] = {
      ("instant sample 1000000+0 '(no stack)' [process (7) | thread 8 main | thread CPU pid=7 "
       "tid=8]"),
      "instant sample 251000000+0 '(no stack)' [tab | thread  | thread CPU]",
      "instant sample 500000+0 '(no stack)' [p (1) | thread 2  | thread CPU pid=1 tid=2]"};
  tdm_recording *got = read_profile(
      "{\"meta\":{\"version\":20,\"startTime\":1000,\"product\":\"Firefox\"},"
      "\"processes\":[{\"meta\":{\"version\":99,\"startTime\":1250,\"product\":\"no\"},\"threads\":"
      "["
      "{\"pid\":\"tab\",\"samples\":{\"schema\":{\"time\":0,\"x\":1},\"data\":[[1,2]]}}]},7,"
      "{\"meta\":{\"startTime\":999.5},\"threads\":[3,[4],{\"pid\":1,\"tid\":2,\"processName\":"
      "\"p\","
      "\"samples\":{\"schema\":{\"time\":1,\"stack\":12},\"data\":[[7,1,9]]}}]}],"
      "\"threads\":[{\"pid\":7,\"tid\":8,\"name\":\"main\",\"samples\":{\"schema\":{\"time\":11},"
      "\"data\":[[0,0,0,0,0,0,0,0,0,0,0,1,5,6]]}}]}");
  assert_rows(got, 3, want);
  assert_int_equal(problem_count(got, "threads that are no objects"), 2);
  assert_int_equal(problem_count(got, "processes that are no objects"), 1);
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, 1000000000);
  assert_string_equal(tdm_recording_source(got, 0)->detail,
                      "Gecko profile 20, Firefox, 3 samples, 0 markers");
  tdm_recording_free(got);
}

static void markers_without_a_time_or_backwards_are_counted(void **state) {
  (void)state;
  static const char *const want[] = {
      "async marker 5000000+0 'm' " PLAIN, "async marker 6000000+0 'm' " PLAIN,
      "instant marker 7000000+0 'm' " PLAIN, "instant marker 8000000+0 'marker' " PLAIN};
  tdm_recording *got = read_profile(PROCESSED(
      "{\"markers\":{\"name\":[0,0,0,1,0,0],\"startTime\":[5,6,7,8,null,null],"
      "\"endTime\":[5,4,9,null,null,3],\"phase\":[1,1,0,1,3,2]},\"stringArray\":[\"m\"]}"));
  assert_rows(got, 4, want);
  assert_int_equal(problem_count(got, "markers without a time"), 2);
  assert_int_equal(problem_count(got, "end before they begin"), 1);
  tdm_recording_free(got);
}

/* Raw layouts: a payload with one of two times says nothing of the marker's. */
static void payloads_with_half_an_interval_are_instants(void **state) {
  (void)state;
  static const char *const want[] = {"async marker 1000000+2000000 'm' " PLAIN,
                                     "instant marker 5000000+0 'm' " PLAIN,
                                     "instant marker 6000000+0 'm' " PLAIN};
  tdm_recording *got = read_profile("{\"meta\":{\"version\":9},\"threads\":[{\"markers\":{"
                                    "\"schema\":{\"name\":0,\"time\":1,\"data\":2},"
                                    "\"data\":[[0,5,{\"startTime\":1}],[0,6,{\"endTime\":9}],[0,7,{"
                                    "\"startTime\":1,\"endTime\":3}]]},"
                                    "\"stringTable\":[\"m\"]}]}");
  assert_rows(got, 3, want);
  tdm_recording_free(got);
}

/* Of the developer tools' panel: samples are moved, markers are not. */
static void a_wrapped_profile_has_its_samples_alone(void **state) {
  (void)state;
  static const char *const want[] = {"instant sample 1000000+0 '(no stack)' " PLAIN};
  tdm_recording *got = read_profile("{\"profile\":{\"meta\":{\"version\":9,\"startTime\":5},"
                                    "\"threads\":[{\"samples\":{\"schema\":{"
                                    "\"time\":0},\"data\":[[1]]},\"markers\":{\"schema\":{\"name\":"
                                    "0,\"time\":1},\"data\":[[0,1],[0,2]]}"
                                    "}]}}");
  assert_rows(got, 1, want);
  assert_int_equal(problem_count(got, "markers on another clock"), 2);
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, TDM_NONE);
  tdm_recording_free(got);
}

static int sure(const char *text) {
  return tdm_reader_gecko.detect((const unsigned char *)text, strlen(text), "x");
}

static void profiles_are_told_by_two_words_or_their_meta(void **state) {
  (void)state;
  assert_true(sure(" \n{\"preprocessedProfileVersion\"") > 88);
  assert_true(sure("{\"stackTable\",\"frameTable\"") > 80);
  assert_true(sure("{\"meta\",\"version\",\"threads\"") > 0);
  assert_true(sure("{\"meta\",\"version\",\"libs\",\"breakpadId\"") > 60);
  assert_true(sure("{\"meta\",\"GeckoMain\"") > 0);
  static const char *const none[] = {"",
                                     " ",
                                     "[\"stackTable\",\"frameTable\"",
                                     "{\"stackTable\"",
                                     "{\"meta\"",
                                     "{\"meta\",\"version\"",
                                     "{\"meta\",\"threads\"",
                                     "{\"version\",\"threads\"",
                                     "{\"meta\",\"version\",\"libs\"",
                                     "{\"meta\",\"version\",\"breakpadId\"",
                                     "{\"libs\",\"breakpadId\"",
                                     "{\"traceEvents\",\"stackTable\",\"frameTable\""};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_int_equal(sure(none[i]), 0);
}

static void assert_refused(const char *text, const char *why) {
  tdm_input *input;
  tdm_recording *recording;
  tdm_error error = {0};
  assert_int_equal(tdm_input_open_memory(text, strlen(text), &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_gecko, input, NULL, &recording, &error), TDM_INVALID);
  if (strstr(error.message, why) == NULL) fail_msg("%s", error.message);
  tdm_recording_free(recording);
}

static void unknown_versions_are_refused_by_number(void **state) {
  (void)state;
  assert_refused("{\"meta\":{\"version\":8},\"threads\":[]}",
                 "a Gecko profile of version 8; versions 9 to 36 are read");
  assert_refused("{\"meta\":{\"version\":37},\"threads\":[]}", "a Gecko profile of version 37");
  assert_refused("{\"meta\":{\"version\":36,\"preprocessedProfileVersion\":71},\"threads\":[]}",
                 "a processed profile of version 71; versions up to 70 are read");
  assert_refused("{\"threads\":[]}", "it has no meta.version");
  assert_refused("[]", "a profile is an object");
  assert_refused("{\"meta\":{\"version\":30,\"preprocessedProfileVersion\":54,\"sampleUnits\":{"
                 "\"time\":\"bytes\"}},\"threads\":[]}",
                 "a profile of sizes");
  assert_refused("{\"meta\":{\"preprocessedProfileVersion\":0},\"threads\":[]}",
                 "it has no meta.version");
  tdm_recording *got = read_profile("{\"meta\":{\"version\":36},\"threads\":[]}");
  assert_int_equal(rows_count(got), 0);
  tdm_recording_free(got);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(profiles_have_the_figures_that_python_counts),
      cmocka_unit_test(shared_tables_deltas_and_offsets),
      cmocka_unit_test(markers_are_instants_and_intervals),
      cmocka_unit_test(damaged_stacks_end),
      cmocka_unit_test(stacks_are_named_from_their_roots),
      cmocka_unit_test(callers_stand_before_what_they_call),
      cmocka_unit_test(deep_stacks_are_cut_at_their_roots),
      cmocka_unit_test(samples_are_in_nanoseconds_where_meta_says_so),
      cmocka_unit_test(processes_are_moved_to_the_clock_of_the_first),
      cmocka_unit_test(markers_without_a_time_or_backwards_are_counted),
      cmocka_unit_test(payloads_with_half_an_interval_are_instants),
      cmocka_unit_test(a_wrapped_profile_has_its_samples_alone),
      cmocka_unit_test(profiles_are_told_by_two_words_or_their_meta),
      cmocka_unit_test(unknown_versions_are_refused_by_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
