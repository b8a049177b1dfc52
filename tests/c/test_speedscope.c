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
#include "read/speedscope.h"
#include "records_as_text.h"
#include "write/speedscope.h"

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
  tdm_place place = TDM_PLACE_PLAIN;
  place.process = process;
  place.name = name;
  place.kind = TDM_TRACK_THREAD;
  place.lane = TDM_LANE_CPU;
  return tdm_record_track(m->recorder, &place);
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
      cmocka_unit_test(a_sampled_profile_is_spans_as_long_as_its_weights),
      cmocka_unit_test(it_is_known_by_its_schema_or_its_keys),
      cmocka_unit_test(bad_text_is_read_as_far_as_it_goes_or_refused),
      cmocka_unit_test(what_is_written_is_read_back),
      cmocka_unit_test(times_that_javascript_cannot_count_begin_at_zero),
      cmocka_unit_test(a_trace_of_nothing_can_be_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
