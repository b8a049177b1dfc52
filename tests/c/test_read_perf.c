/* read/perf: real files against figures that a few lines of Python count in them (samples, threads,
 * frames), every spelling of a sample by hand, and what must not be taken for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/reader.h"
#include "records_as_text.h"

static tdm_recording *read_text(const char *text) {
  return read_bytes(&tdm_reader_perf, text, strlen(text));
}

static void a_sample_is_an_instant_of_its_thread_named_by_its_stack(void **state) {
  (void)state;
  tdm_recording *got =
      read_text("python3 4312/4313 [002] 203265.377019123:    1001001 cpu-clock: \n"
                "\t             6f1 inner+0x1f (/work dir/(old)/forks)\n"
                "\t             789 main (/workdir/forks)\r\n"
                "\t 606258d4c544155 [unknown] ([unknown])\n"
                "\n"
                "python3 4312 203265.5: cycles:u: \n"
                "\t  f7eb [unknown] (/lib/libpthread-2.19.so)\n"
                "\tffff [unknown] ([kernel.kallsyms])\n"
                "\t  12 Ljava/lang/Object;::wait (/tmp/perf-1.map)\n"
                "\t  13 operator+ (inlined)\n"
                "\n"
                "nothing recorded   77 1.000000: sched:sched_switch: prev_comm=a 5 b\n"
                "\n");
  const char *const want[] = {
      "instant sample 1000000000+0 '(no stack)' event=t'sched:sched_switch' "
      "[nothing recorded (77) | thread 77 | thread CPU pid=77 tid=77]",
      "instant sample 203265377019123+0 '[unknown];main;inner' cpu=2 event=t'cpu-clock' "
      "period=1001001 [python3 (4312) | thread 4313 | thread CPU pid=4312 tid=4313]",
      "instant sample 203265500000000+0 "
      "'operator+;Ljava/lang/Object:::wait;[kernel.kallsyms];[libpthread-2.19.so]' "
      "event=t'cycles:u' [python3 (4312) | thread 4312 | thread CPU pid=4312 tid=4312]"};
  assert_rows(got, 3, want);
  assert_string_equal(tdm_recording_source(got, 0)->detail,
                      "3 samples of 3 events: cpu-clock 1, cycles:u 1, sched:sched_switch 1");
  size_t problems;
  tdm_recording_problems(got, &problems);
  assert_int_equal(problems, 0);
  tdm_recording_free(got);
}

static void names_of_threads_may_have_blanks_and_numbers(void **state) {
  (void)state;
  tdm_recording *got = read_text("GC Thread 2 77/80 [001] 2.0: 5 cycles: \n\n"
                                 "kworker/0:1 12 [000] 3.000001: cycles:pp: \n"
                                 "python 12 [003] 4.5:\n\t1 f (b)\n\n");
  const char *const want[] = {
      "instant sample 2000000000+0 '(no stack)' cpu=1 event=t'cycles' period=5 "
      "[GC Thread 2 (77) | thread 80 | thread CPU pid=77 tid=80]",
      "instant sample 3000001000+0 '(no stack)' cpu=0 event=t'cycles:pp' "
      "[kworker/0:1 (12) | thread 12 | thread CPU pid=12 tid=12]",
      "instant sample 4500000000+0 'f' cpu=3 event=t'sample' "
      "[python (12) | thread 12 | thread CPU pid=12 tid=12]"};
  assert_rows(got, 3, want);
  tdm_recording_free(got);
}

static void samples_without_times_lie_a_nanosecond_apart(void **state) {
  (void)state;
  tdm_recording *got = read_text("java 5 cycles: \n\t1 a (b)\n\njava 5 cycles: \n\t1 c (b)\n\n"
                                 "java 5 9.5: cycles: \n\t1 d (b)\n");
  const char *const want[] = {
      "instant sample 0+0 'a' event=t'cycles' [java (5) | thread 5 | thread CPU pid=5 tid=5]",
      "instant sample 1+0 'c' event=t'cycles' [java (5) | thread 5 | thread CPU pid=5 tid=5]",
      "instant sample 2+0 'd' event=t'cycles' [java (5) | thread 5 | thread CPU pid=5 tid=5]"};
  assert_rows(got, 3, want);
  assert_string_equal(tdm_recording_source(got, 0)->detail,
                      "3 samples of 1 event without times: cycles 3");
  tdm_recording_free(got);
}

static void what_is_no_sample_is_counted(void **state) {
  (void)state;
  tdm_recording *got = read_text("a 5 9.5: cycles: \n\t1 f (b)\n"
                                 "perf: interrupted\n"
                                 "\t1 lost (b)\n"
                                 "\n"
                                 "a 5 cycles: \n");
  const char *const want[] = {"instant sample 9500000000+0 'f' event=t'cycles' [a (5) | thread 5 | "
                              "thread CPU pid=5 tid=5]"};
  assert_rows(got, 1, want);
  assert_int_equal(problem_count(got, "no sample and no frame"), 1);
  assert_int_equal(problem_count(got, "samples without a time"), 1);
  tdm_recording_free(got);
}

static void samples_may_be_left_out(void **state) {
  (void)state;
  static const char text[] = "a 5 9.5: cycles: \n\t1 f (b)\n\n";
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  tdm_read_options options = {.dropped = TDM_READ_NO_CPU};
  assert_int_equal(tdm_input_open_memory(text, sizeof text - 1, &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_perf, input, &options, &got, &error), TDM_OK);
  assert_int_equal(rows_count(got), 0);
  tdm_recording_free(got);
}

/* Frames in the names of all rows. */
static size_t frames_of(const tdm_recording *got) {
  size_t frames = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    for (size_t row = 0; row < rows->count; row++) {
      const char *at = tdm_recording_name(got, (uint32_t)tdm_kept(rows, TDM_NAME, row), NULL);
      for (frames++; (at = strchr(at, ';')) != NULL; at++) frames++;
    }
  }
  return frames;
}

static const char *fact_of(const tdm_recording *got, const char *key) {
  size_t count;
  const tdm_fact *fact = tdm_recording_facts(got, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(fact[i].key, key) == 0) return fact[i].value;
  return "";
}

/* By Python, over the lines of the files: 136 samples with 590 frames, one thread; 561 with 2,659,
 * of "swapper" 324 and "forks" 237. */
static void real_files_have_the_figures_that_python_counts(void **state) {
  (void)state;
  tdm_recording *got =
      read_path(&tdm_reader_perf, "tests/data/speedscope/simple-with-header.linux-perf.txt.gz");
  assert_int_equal(rows_count(got), 136);
  assert_int_equal(frames_of(got), 590);
  assert_int_equal(tdm_recording_source(got, 0)->first_ns, 198789478194000);
  assert_string_equal(fact_of(got, "host.name"), "e2b5bab9a538");
  assert_string_equal(fact_of(got, "system.cpu"), "Intel(R) Core(TM) i7-4870HQ CPU @ 2.50GHz");
  tdm_recording_free(got);
  got = read_path(&tdm_reader_perf, "tests/data/speedscope/forks.linux-perf.txt.gz");
  assert_int_equal(rows_count(got), 561);
  assert_int_equal(frames_of(got), 2659);
  tdm_recording_free(got);
}

static int sure(const char *text) {
  return tdm_reader_perf.detect((const unsigned char *)text, strlen(text), "x");
}

static void only_samples_are_taken_for_samples(void **state) {
  (void)state;
  assert_true(sure("a 5 9.5: cycles: \n\t1 f (b)\n\n") > 0);
  assert_true(sure("# ========\n# captured on: now\n#\na 5/6 [000] 9.5: 7 cycles: ") > 0);
  assert_true(sure("\n\na 5 cycles:\n\t1 f (b)\n") > 0);
  assert_true(sure("# perf version : 6.1\n# a header longer than what is looked at") > 0);
  assert_int_equal(sure("main;work 3\nmain;rest 4\n"), 0);
  assert_int_equal(sure("a 5 9.5: cycles\n"), 0);
  assert_int_equal(sure("a b 9.5: cycles:\n"), 0);
  assert_int_equal(sure(" a 5 9.5: cycles:\n"), 0);
  assert_int_equal(sure("step 5 loss: 0.3\nstep 6 loss: 0.2\n"), 0);
  assert_true(sure("a 5 9.5:\n\t1 f (b)\n") > 0);
  assert_int_equal(sure("epoch 5 9.5:\nepoch 6 9.5:\n"), 0);
  assert_int_equal(sure("# a comment alone\n"), 0);
}

static void a_file_without_a_sample_is_refused(void **state) {
  (void)state;
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  assert_int_equal(tdm_input_open_memory("# perf version : 6.1\n", 21, &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_perf, input, NULL, &got, &error), TDM_INVALID);
  assert_string_equal(error.message, "memory: no samples of `perf script` in it");
  tdm_recording_free(got);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sample_is_an_instant_of_its_thread_named_by_its_stack),
      cmocka_unit_test(names_of_threads_may_have_blanks_and_numbers),
      cmocka_unit_test(samples_without_times_lie_a_nanosecond_apart),
      cmocka_unit_test(what_is_no_sample_is_counted),
      cmocka_unit_test(samples_may_be_left_out),
      cmocka_unit_test(real_files_have_the_figures_that_python_counts),
      cmocka_unit_test(only_samples_are_taken_for_samples),
      cmocka_unit_test(a_file_without_a_sample_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
