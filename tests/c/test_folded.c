/* read/folded and write/folded: a real file against figures counted by a few lines of Python, small
 * ones by hand, and what is written read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/lines.h"
#include "read/reader.h"
#include "records_as_text.h"
#include "write/writer.h"

#define TRACK "[ | folded stacks | thread CPU]"

static tdm_recording *read_text(const char *text) {
  return read_bytes(&tdm_reader_folded, text, strlen(text));
}

static void spans_lie_end_to_end_and_neighbours_share_frames(void **state) {
  (void)state;
  tdm_recording *got = read_text("# a comment\n"
                                 "main;a;b 10\n"
                                 "main;a;c 5\r\n"
                                 "\n"
                                 "main;a 1\n"
                                 "main 2.5\n"
                                 "no weight here\n"
                                 "idle thread;a 4");
  const char *const want[] = {"span sample 0+10 'b' samples=1 " TRACK,
                              "span sample 0+16 'a' samples=3 " TRACK,
                              "span sample 0+19 'main' samples=4 " TRACK,
                              "span sample 10+5 'c' samples=1 " TRACK,
                              "span sample 19+4 'a' samples=1 " TRACK,
                              "span sample 19+4 'idle thread' samples=1 " TRACK};
  assert_rows(got, 6, want);
  assert_int_equal(problem_count(got, "not a stack"), 1);
  assert_non_null(strstr(tdm_recording_source(got, 0)->detail, "weights of samples"));
  tdm_recording_free(got);
}

/* Wherever the pieces end in which they come. */
static void long_lines_keep_their_weights(void **state) {
  (void)state;
  static const size_t over[] = {0, 60, 64, 65, 70, 200, (1 << 18) - 3, 1 << 18, (3 << 18) + 40};
  char *text = malloc(TDM_LINE + (1 << 20) + 64);
  assert_non_null(text);
  for (size_t i = 0; i < sizeof over / sizeof *over; i++) {
    size_t length = TDM_LINE + over[i];
    memcpy(text, "main;", 5);
    memset(text + 5, 'x', length - 5);
    memcpy(text + length, " 12345\nmain;b 6\n", 16);
    tdm_recording *got = read_bytes(&tdm_reader_folded, text, length + 16);
    assert_int_equal(rows_count(got), 3);
    assert_int_equal(tdm_recording_source(got, 0)->last_ns, 12351);
    assert_int_equal(problem_count(got, "names of more than 1 MiB (cut)"), 1);
    assert_int_equal(problem_count(got, "lines of more than 64 MiB (cut)"), over[i] > 58);
    tdm_recording_free(got);
  }
  free(text);
}

/* By Python: 199 lines, weights 285 in all; 360 spans when neighbours share frames, 9,615 long
 * together, of which "java" 285 and "SpinPause" 7. */
static void a_real_file_has_the_figures_that_python_counts(void **state) {
  (void)state;
  tdm_recording *got = read_path(&tdm_reader_folded,
                                 "tests/data/speedscope/perf-vertx-stacks-01-collapsed-all.txt.gz");
  assert_int_equal(rows_count(got), 360);
  assert_int_equal(tdm_recording_source(got, 0)->last_ns, 285);
  int64_t sum = 0, spin = 0, java = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    for (size_t row = 0; row < rows->count; row++) {
      const char *name = tdm_recording_name(got, (uint32_t)tdm_kept(rows, TDM_NAME, row), NULL);
      sum += tdm_kept(rows, TDM_DUR, row);
      if (strcmp(name, "SpinPause") == 0) spin += tdm_kept(rows, TDM_DUR, row);
      if (strcmp(name, "java") == 0) java += tdm_kept(rows, TDM_DUR, row);
    }
  }
  assert_int_equal(sum, 9615);
  assert_int_equal(spin, 7);
  assert_int_equal(java, 285);
  size_t problems;
  tdm_recording_problems(got, &problems);
  assert_int_equal(problems, 0);
  tdm_recording_free(got);
}

static void weights_may_be_in_another_unit(void **state) {
  (void)state;
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  tdm_read_options options = {.time_unit = TDM_UNIT_MS};
  assert_int_equal(tdm_input_open_memory("a;b 1.5\n", 8, &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_folded, input, &options, &got, &error), TDM_OK);
  const char *const want[] = {"span sample 0+1500000 'a' samples=1 " TRACK,
                              "span sample 0+1500000 'b' samples=1 " TRACK};
  assert_rows(got, 2, want);
  assert_non_null(strstr(tdm_recording_source(got, 0)->detail, "milliseconds"));
  tdm_recording_free(got);
}

static int sure(const char *text) {
  return tdm_reader_folded.detect((const unsigned char *)text, strlen(text), "x");
}

static void only_lines_with_weights_are_taken_for_folded_stacks(void **state) {
  (void)state;
  assert_true(sure("a;b 1\na;c 2\n") > 0);
  assert_true(sure("# made by perf\n\na 1\na;c 2") > 0);
  assert_int_equal(sure("a 1\nb 2\n"), 0);
  assert_int_equal(sure("a;b\nc;d\n"), 0);
  assert_int_equal(sure("{\"a\":\"b;c 1\"}\n"), 0);
  assert_int_equal(sure("a;b 1\nsome prose; and more\n"), 0);
  assert_int_equal(sure(""), 0);
}

static void a_file_without_a_stack_is_refused(void **state) {
  (void)state;
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  assert_int_equal(tdm_input_open_memory("hello\nyou\n", 10, &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_folded, input, NULL, &got, &error), TDM_INVALID);
  assert_string_equal(error.message, "memory: no folded stacks: no line is \"a;b;c 123\"");
  tdm_recording_free(got);
}

/* ---- writing ---- */

static uint32_t track(made *m, const char *process, const char *name) {
  tdm_track about = TDM_TRACK_PLAIN;
  about.process = process;
  about.name = name;
  about.kind = TDM_TRACK_THREAD;
  return tdm_record_track(m->recorder, &about);
}

static void span(made *m, uint32_t on, int64_t start, int64_t end, const char *name) {
  uint32_t layout = tdm_record_layout(m->recorder, "cpu_op", TDM_SHAPE_SPAN, NULL, 0);
  tdm_record_row(m->recorder, layout, start, end - start, on, tdm_record_text(m->recorder, name),
                 NULL, 0);
}

static char *written(made *m) {
  const char *path = scratch_path(".folded");
  tdm_error error = {0};
  made_done(m);
  if (tdm_writer_folded.write(m->recording, path, NULL, &error) != TDM_OK)
    fail_msg("%s", error.message);
  size_t length;
  char *text = slurp(path, &length);
  unlink(path);
  tdm_recording_free(m->recording);
  return text;
}

static void self_times_of_equal_stacks_are_summed(void **state) {
  (void)state;
  made m = made_new();
  uint32_t a = track(&m, "python (1)", "main"), b = track(&m, "", "b"), c = track(&m, "", "");
  span(&m, a, 0, 100, "step");
  span(&m, a, 10, 40, "mm");
  span(&m, a, 20, 25, "launch");
  span(&m, a, 50, 60, "mm");
  span(&m, a, 200, 300, "step");
  span(&m, a, 200, 300, "all of it");
  span(&m, b, 0, 7, "a;b\nc");
  span(&m, b, 3, 10, "beside it");
  span(&m, b, 11, 11, "no time");
  span(&m, c, 0, 5, "");
  char *text = written(&m);
  assert_string_equal(text, "python (1);main;step 60\n"
                            "python (1);main;step;mm 35\n"
                            "python (1);main;step;mm;launch 5\n"
                            "python (1);main;step;all of it 100\n"
                            "b;a:b c 7\n"
                            "b;beside it 7\n"
                            "(no name) 5\n");
  tdm_recording *back = read_text(text);
  assert_int_equal(tdm_recording_source(back, 0)->last_ns, 60 + 35 + 5 + 100 + 7 + 7 + 5);
  tdm_recording_free(back);
  free(text);
}

static void a_trace_without_spans_is_an_empty_file(void **state) {
  (void)state;
  made m = made_new();
  char *text = written(&m);
  assert_string_equal(text, "");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spans_lie_end_to_end_and_neighbours_share_frames),
      cmocka_unit_test(long_lines_keep_their_weights),
      cmocka_unit_test(a_real_file_has_the_figures_that_python_counts),
      cmocka_unit_test(weights_may_be_in_another_unit),
      cmocka_unit_test(only_lines_with_weights_are_taken_for_folded_stacks),
      cmocka_unit_test(a_file_without_a_stack_is_refused),
      cmocka_unit_test(self_times_of_equal_stacks_are_summed),
      cmocka_unit_test(a_trace_without_spans_is_an_empty_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
