/* read/speedscope and write/speedscope: speedscope's own samples and broken files, small ones by
 * hand, and what is written read back without a mend: so events are in order, balanced and nested,
 * as speedscope demands. Equal means: spans with category, name, times, heading and name of the
 * track; their shape, arguments and the track's ids are not kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "read/reader.h"
#include "records_as_text.h"
#include "write/writer.h"

#define DATA "tests/data/speedscope/"

static tdm_recording *read_text(const char *text) {
  return read_bytes(&tdm_reader_speedscope, text, strlen(text));
}

static void an_evented_profile_is_spans(void **state) {
  (void)state;
  static const char *const want[] = {"span frame 0+14 'a' [ | simple.txt | thread CPU]",
                                     "span frame 0+14 'b' [ | simple.txt | thread CPU]",
                                     "span frame 0+2 'c' [ | simple.txt | thread CPU]",
                                     "span frame 2+4 'd' [ | simple.txt | thread CPU]",
                                     "span frame 6+3 'c' [ | simple.txt | thread CPU]"};
  tdm_recording *got = read_path(&tdm_reader_speedscope, DATA "simple.speedscope.json");
  assert_rows(got, 5, want);
  assert_non_null(strstr(tdm_recording_source(got, 0)->detail, "without a unit of time"));
  size_t problems;
  tdm_recording_problems(got, &problems);
  assert_int_equal(problems, 0);
  tdm_recording_free(got);
}

static void a_frame_without_an_end_is_open(void **state) {
  (void)state;
  static const char *const want[] = {"open frame 0+100 'A' [ | p1 | thread CPU]"};
  tdm_recording *got = read_path(&tdm_reader_speedscope, DATA "incomplete-trace.json");
  assert_rows(got, 1, want);
  assert_int_equal(problem_count(got, "without an end"), 1);
  tdm_recording_free(got);
}

static void ends_that_do_not_match_are_mended_and_counted(void **state) {
  (void)state;
  static const char *const want[] = {
      "span frame 0+1 'A' [ | p1 | thread CPU]", "span frame 2+2 'A' [ | p1 | thread CPU]",
      "span frame 2+2 'B' [ | p1 | thread CPU]", "span frame 3+1 'A' [ | p1 | thread CPU]"};
  tdm_recording *got = read_path(&tdm_reader_speedscope, DATA "out-of-order-events.json");
  assert_rows(got, 4, want);
  assert_int_equal(problem_count(got, "end after the one they are in"), 1);
  assert_int_equal(problem_count(got, "did not begin"), 1);
  tdm_recording_free(got);
}

static void units_are_exact_whatever_the_order_of_keys(void **state) {
  (void)state;
  tdm_recording *got = read_text(
      "{\"profiles\":[{\"events\":[{\"at\":1700000000123456.789,\"frame\":1,\"type\":\"O\"},"
      "{\"type\":\"C\",\"at\":1700000000123457.0015,\"frame\":1}],\"endValue\":1,\"name\":\"us\","
      "\"unit\":\"microseconds\"},"
      "{\"type\":\"evented\",\"name\":\"s\",\"unit\":\"seconds\",\"events\":["
      "{\"type\":\"O\",\"frame\":0,\"at\":1.000000001},{\"type\":\"C\",\"frame\":0,\"at\":1e1},"
      "{\"type\":\"O\",\"frame\":0,\"at\":9},{\"type\":\"C\",\"frame\":0,\"at\":11},"
      "{\"type\":\"O\",\"frame\":7,\"at\":12},{\"type\":\"C\",\"frame\":7,\"at\":13},"
      "{\"type\":\"Z\",\"frame\":7,\"at\":13}]}],"
      "\"shared\":{\"other\":[1,{\"a\":2}],\"frames\":[{\"name\":\"f\",\"file\":\"a.py\",\"line\":"
      "3,"
      "\"col\":9,\"more\":[]},{\"name\":\"g\"}]}}");
  static const char *const want[] = {
      "span frame 10000000000+1000000000 'f' file=t'a.py' line=3 col=9 [ | s | thread CPU]",
      "span frame 1000000001+8999999999 'f' file=t'a.py' line=3 col=9 [ | s | thread CPU]",
      "span frame 12000000000+1000000000 '?' [ | s | thread CPU]",
      "span frame 1700000000123456789+213 'g' [ | us | thread CPU]"};
  assert_rows(got, 4, want);
  assert_int_equal(problem_count(got, "before the one before"), 1);
  assert_int_equal(problem_count(got, "not in the table"), 1);
  assert_int_equal(problem_count(got, "neither open nor close"), 1);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "");
  tdm_recording_free(got);
}

/* Wherever a value may stand another kind of value is passed over, objects and lists whole. */
static void values_of_other_kinds_are_passed_over(void **state) {
  (void)state;
  static const char *const others[] = {"{\"frames\":[1],\"name\":\"no\",\"at\":9}", "[[7],{}]",
                                       "null", "true"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const char *const o = others[i];
    char text[4000];
    snprintf(
        text, sizeof text,
        "{\"exporter\":%s,\"other\":%s,\"shared\":{\"x\":%s,\"frames\":[%s,{\"name\":\"a\","
        "\"file\":%s,\"line\":%s,\"col\":%s,\"x\":%s},{\"name\":%s,\"line\":4}]},"
        "\"profiles\":[%s,{\"type\":%s,\"name\":%s,\"unit\":\"nanoseconds\",\"x\":%s,"
        "\"startValue\":%s,\"endValue\":%s,\"events\":[%s,{\"type\":\"O\",\"frame\":0,\"at\":%s,"
        "\"x\":%s},{\"type\":%s,\"frame\":0,\"at\":7},{\"type\":\"C\",\"frame\":0,\"at\":5}]},"
        "{\"type\":\"sampled\",\"name\":\"s\",\"unit\":\"nanoseconds\",\"events\":%s,"
        "\"samples\":[%s,[1],[0,%s],[1]],\"weights\":[3,%s,2]}]}",
        o, o, o, o[0] == '{' ? "null" : o, o, o, o, o, o, o, o, o, o, o, o,
        o[0] == '{' ? "null" : o, o, o, o, o, o[0] == '[' ? "null" : o, o, o);
    static const char *const want[] = {"span frame 0+5 'a' [ | profile | thread CPU]",
                                       "span sample 0+3 '' line=4 samples=1 [ | s | thread CPU]",
                                       "span sample 3+0 '?' samples=1 [ | s | thread CPU]",
                                       "span sample 3+0 'a' samples=1 [ | s | thread CPU]",
                                       "span sample 3+2 '' line=4 samples=1 [ | s | thread CPU]"};
    tdm_recording *got = read_text(text);
    assert_rows(got, 5, want);
    /* a list of events has an object, which says nothing */
    assert_int_equal(problem_count(got, "neither open nor close"), o[0] == '[' ? 2 : 1);
    tdm_recording_free(got);
  }
}

/* The reader's option is for profiles without a unit only. */
static void a_unit_that_is_told_counts(void **state) {
  (void)state;
  static const struct {
    const char *unit;
    tdm_time_unit otherwise;
    const char *row, *detail;
  } cases[] = {
      {"nanoseconds", TDM_UNIT_S, "span frame 3+4 'a' [ | p | thread CPU]", ""},
      {"microseconds", TDM_UNIT_S, "span frame 2500+4300 'a' [ | p | thread CPU]", ""},
      {"none", TDM_UNIT_NS, "span frame 3+4 'a' [ | p | thread CPU]", "unit"},
      {"none", TDM_UNIT_MS, "span frame 2500000+4300000 'a' [ | p | thread CPU]", "unit"},
      {"none", TDM_UNIT_S, "span frame 2500000000+4300000000 'a' [ | p | thread CPU]", "unit"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[400];
    int length = snprintf(text, sizeof text,
                          "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{\"type\":"
                          "\"evented\",\"name\":\"p\",\"unit\":\"%s\",\"events\":[{\"type\":"
                          "\"O\",\"frame\":0,\"at\":2.5},{\"type\":\"C\",\"frame\":0,\"at\":"
                          "6.8}]}]}",
                          cases[i].unit);
    tdm_input *input;
    tdm_recording *got;
    tdm_error error = {0};
    tdm_read_options options = {.time_unit = cases[i].otherwise};
    assert_int_equal(tdm_input_open_memory(text, (size_t)length, &input, &error), TDM_OK);
    assert_int_equal(read_input(&tdm_reader_speedscope, input, &options, &got, &error), TDM_OK);
    assert_rows(got, 1, &cases[i].row);
    assert_non_null(strstr(tdm_recording_source(got, 0)->detail, cases[i].detail));
    tdm_recording_free(got);
  }
}

/* Half a nanosecond away from zero; what is too large is as large as it can be. */
static void times_are_rounded_to_nanoseconds(void **state) {
  (void)state;
  static const struct {
    const char *from, *to, *row;
  } cases[] = {
      {"0.0014", "0.0015", "span frame 1+1 'a' [ | p | thread CPU]"},
      {"-0.0015", "0.0025", "span frame -2+5 'a' [ | p | thread CPU]"},
      {"-0.0014", "0.00249", "span frame -1+3 'a' [ | p | thread CPU]"},
      {"0", "9300000000000000", "span frame 0+9223372036854775807 'a' [ | p | thread CPU]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{\"type\":\"evented\","
             "\"name\":\"p\",\"unit\":\"microseconds\",\"events\":[{\"type\":\"O\",\"frame\":0,"
             "\"at\":%s},{\"type\":\"C\",\"frame\":0,\"at\":%s}]}]}",
             cases[i].from, cases[i].to);
    tdm_recording *got = read_text(text);
    assert_rows(got, 1, &cases[i].row);
    tdm_recording_free(got);
  }
}

static void a_sampled_profile_is_spans_as_long_as_its_weights(void **state) {
  (void)state;
  tdm_recording *got = read_text(
      "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
      "\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}]},"
      "\"profiles\":[{\"type\":\"sampled\",\"name\":\"p\",\"unit\":\"milliseconds\",\"startValue\":"
      "5,"
      "\"endValue\":20,\"samples\":[[0,1],[0,1],[0,2],[],[0]],\"weights\":[1,2.5,3,1,-1]}]}");
  static const char *const want[] = {
      "span sample 12500000+0 'a' samples=1 [ | p | thread CPU]",
      "span sample 5000000+3500000 'b' samples=2 [ | p | thread CPU]",
      "span sample 5000000+6500000 'a' samples=3 [ | p | thread CPU]",
      "span sample 8500000+3000000 'c' samples=1 [ | p | thread CPU]"};
  assert_rows(got, 4, want);
  assert_int_equal(problem_count(got, "negative weight"), 1);
  tdm_recording_free(got);
  /* What type it is shows by what it has. */
  got = read_text(
      "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{\"name\":\"p\",\"unit\":"
      "\"nanoseconds\",\"startValue\":5,\"samples\":[[0]],\"weights\":[3]},{\"name\":\"q\","
      "\"unit\":\"nanoseconds\",\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1},"
      "{\"type\":\"C\",\"frame\":0,\"at\":4}],\"samples\":[[0]],\"weights\":[9]}]}");
  static const char *const seen[] = {"span frame 1+3 'a' [ | q | thread CPU]",
                                     "span sample 5+3 'a' samples=1 [ | p | thread CPU]"};
  assert_rows(got, sizeof seen / sizeof *seen, seen);
  tdm_recording_free(got);
}

static int sure(const char *text) {
  return tdm_reader_speedscope.detect((const unsigned char *)text, strlen(text), "x");
}

static void it_is_known_by_its_schema_or_its_keys(void **state) {
  (void)state;
  assert_true(
      sure("\xef\xbb\xbf {\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"") >
      90);
  assert_true(sure("{\"shared\":{\"frames\":[]},\"profiles\":[{\"type\":\"sampled\"") > 50);
  assert_int_equal(sure("{\"traceEvents\":[]}"), 0);
  assert_int_equal(sure("[1,2]"), 0);
  assert_int_equal(sure(""), 0);
}

static void bad_text_is_read_as_far_as_it_goes_or_refused(void **state) {
  (void)state;
  size_t length;
  char *text = slurp(DATA "out-of-order-events.json", &length);
  size_t most = 0;
  for (size_t cut = 0; cut < length; cut++) {
    tdm_input *input;
    tdm_recording *got;
    tdm_error error = {0};
    char *copy = malloc(cut + 1);
    memcpy(copy, text, cut);
    assert_int_equal(tdm_input_open_memory(copy, cut, &input, &error), TDM_OK);
    tdm_status status = read_input(&tdm_reader_speedscope, input, NULL, &got, &error);
    if (status != TDM_OK) assert_non_null(strstr(error.message, "memory: no speedscope file"));
    if (rows_count(got) > most) most = rows_count(got);
    tdm_recording_free(got);
    free(copy);
  }
  assert_int_equal(most, 4);
  free(text);
}

/* ---- writing ---- */

static uint32_t track(made *m, const char *process, const char *name) {
  tdm_track about = TDM_TRACK_PLAIN;
  about.process = process;
  about.name = name;
  about.kind = TDM_TRACK_THREAD;
  about.lane = TDM_LANE_CPU;
  return tdm_record_track(m->recorder, &about);
}

static void span(made *m, const char *category, uint32_t on, int64_t start, int64_t end,
                 const char *name) {
  uint32_t layout = tdm_record_layout(m->recorder, category, TDM_SHAPE_SPAN, NULL, 0);
  tdm_record_row(m->recorder, layout, start, end - start, on, tdm_record_text(m->recorder, name),
                 NULL, 0);
}

static tdm_recording *written_and_read(made *m) {
  const char *path = scratch_path(".json");
  tdm_error error = {0};
  tdm_write_options options = {.run_id = "id", .run_name = "a \"name\"", .version = "1.2.3"};
  made_done(m);
  if (tdm_writer_speedscope.write(m->recording, path, &options, &error) != TDM_OK)
    fail_msg("%s", error.message);
  size_t length, problems;
  char *text = slurp(path, &length);
  assert_true(sure(text) > 90);
  free(text);
  tdm_recording *back = read_path(&tdm_reader_speedscope, path);
  unlink(path);
  tdm_recording_problems(back, &problems);
  assert_int_equal(problems, 0);
  return back;
}

static void what_is_written_is_read_back(void **state) {
  (void)state;
  static const char *const categories[] = {"cpu_op", "kernel", "stage"};
  tdm_rng rng = {5};
  for (int round = 0; round < 40; round++) {
    made m = made_new();
    uint32_t on[3] = {track(&m, "python (1)", "thread 1"), track(&m, "", "alone"),
                      track(&m, "H100 #0", "stream \"7\"")};
    for (int i = 0; i < 300; i++) {
      int64_t start = (int64_t)tdm_index_below(tdm_rng_bits(&rng), 200) - 50;
      int64_t dur = (int64_t)tdm_index_below(tdm_rng_bits(&rng), 40);
      char name[16];
      snprintf(name, sizeof name, "n%d", (int)tdm_index_below(tdm_rng_bits(&rng), 20));
      span(&m, categories[tdm_index_below(tdm_rng_bits(&rng), 3)],
           on[tdm_index_below(tdm_rng_bits(&rng), 3)], start, start + dur, name);
    }
    tdm_recording *back = written_and_read(&m);
    assert_same_rows(back, m.recording);
    tdm_recording_free(back);
    tdm_recording_free(m.recording);
  }
}

static void times_that_javascript_cannot_count_begin_at_zero(void **state) {
  (void)state;
  made m = made_new();
  uint32_t on = track(&m, "p", "t");
  span(&m, "cpu_op", on, 1700000000000000001, 1700000000000000100, "outer");
  span(&m, "cpu_op", on, 1700000000000000011, 1700000000000000020, "inner");
  tdm_recording *back = written_and_read(&m);
  static const char *const want[] = {"span cpu_op 0+99 'outer' [p | t | thread CPU]",
                                     "span cpu_op 10+9 'inner' [p | t | thread CPU]"};
  assert_rows(back, 2, want);
  tdm_recording_free(back);
  tdm_recording_free(m.recording);
}

/* All profiles begin with the first span of the trace and end with its last. */
static void profiles_begin_and_end_with_the_trace(void **state) {
  (void)state;
#define EXACT (INT64_C(1) << 53)
  static const struct {
    int64_t first, last;
    const char *range;
  } cases[] = {
      {5, 5, "\"startValue\":5,\"endValue\":5,"},
      {5, 90, "\"startValue\":5,\"endValue\":90,"},
      {-70, 90, "\"startValue\":-70,\"endValue\":90,"},
      {5, EXACT, "\"startValue\":5,\"endValue\":9007199254740992,"},
      {10, EXACT + 1, "\"startValue\":0,\"endValue\":9007199254740983,"},
      {-EXACT, 0, "\"startValue\":-9007199254740992,\"endValue\":0,"},
      {-EXACT - 1, 7, "\"startValue\":0,\"endValue\":9007199254741000,"},
      {INT64_MIN + 1, INT64_MAX - 7, "\"startValue\":0,\"endValue\":9223372036854775807,"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    made m = made_new();
    const char *path = scratch_path(".json");
    int64_t length_ns = cases[i].first < cases[i].last ? 3 : 0;
    span(&m, "cpu_op", track(&m, "p", "first"), cases[i].first, cases[i].first + length_ns, "a");
    span(&m, "cpu_op", track(&m, "p", "last"), cases[i].last - length_ns, cases[i].last, "b");
    made_done(&m);
    assert_int_equal(tdm_writer_speedscope.write(m.recording, path, NULL, NULL), TDM_OK);
    size_t length;
    char *text = slurp(path, &length), *at = text;
    for (int profiles = 0; profiles < 2; profiles++) {
      at = strstr(at, "\"startValue\"");
      assert_non_null(at);
      if (strncmp(at, cases[i].range, strlen(cases[i].range)) != 0)
        fail_msg("%.80s instead of %s", at, cases[i].range);
      at++;
    }
    unlink(path);
    free(text);
    tdm_recording_free(m.recording);
  }
}

static void a_trace_of_nothing_can_be_written(void **state) {
  (void)state;
  made m = made_new();
  tdm_recording *back = written_and_read(&m);
  assert_int_equal(rows_count(back), 0);
  tdm_recording_free(back);
  tdm_recording_free(m.recording);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_evented_profile_is_spans),
      cmocka_unit_test(a_frame_without_an_end_is_open),
      cmocka_unit_test(ends_that_do_not_match_are_mended_and_counted),
      cmocka_unit_test(units_are_exact_whatever_the_order_of_keys),
      cmocka_unit_test(values_of_other_kinds_are_passed_over),
      cmocka_unit_test(a_unit_that_is_told_counts),
      cmocka_unit_test(times_are_rounded_to_nanoseconds),
      cmocka_unit_test(a_sampled_profile_is_spans_as_long_as_its_weights),
      cmocka_unit_test(it_is_known_by_its_schema_or_its_keys),
      cmocka_unit_test(bad_text_is_read_as_far_as_it_goes_or_refused),
      cmocka_unit_test(what_is_written_is_read_back),
      cmocka_unit_test(times_that_javascript_cannot_count_begin_at_zero),
      cmocka_unit_test(profiles_begin_and_end_with_the_trace),
      cmocka_unit_test(a_trace_of_nothing_can_be_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
