/* read/prometheus: a real scrape against figures that Python counts in it, each rule of the two
 * text formats by hand, when scrapes were made, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "read/prometheus/inside.h"
#include "read/reader.h"
#include "records_as_text.h"

static tdm_recording *read_text(const char *text) {
  return read_bytes(&tdm_reader_prometheus, text, strlen(text));
}

/* The only sample of a counter of this name. */
static double value_of(const tdm_recording *got, const char *counter) {
  double value = 0;
  int found = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    for (size_t row = 0; row < rows->count; row++) {
      const char *name = tdm_recording_name(got, (uint32_t)tdm_kept(rows, TDM_NAME, row), NULL);
      if (strcmp(name, counter) != 0) continue;
      value = tdm_record_double(tdm_kept(rows, TDM_ARGS, row));
      found++;
    }
  }
  assert_int_equal(found, 1);
  return value;
}

static void a_real_scrape_has_the_samples_that_python_counts(void **state) {
  (void)state;
  tdm_recording *got =
      read_path(&tdm_reader_prometheus, "tests/data/prometheus/sglang_llama8b_overloaded.prom");
  assert_int_equal(rows_count(got), 91);
  assert_true(value_of(got, "sglang:num_queue_reqs") == 2826);
  assert_true(value_of(got, "sglang:e2e_request_latency_seconds_count") == 11228);
  assert_true(value_of(got, "sglang:time_to_first_token_seconds_sum") == 2351897.9474117756);
  assert_true(value_of(got, "sglang:e2e_request_latency_seconds_bucket{le=\"60\"}") == 1513);
  size_t problems;
  tdm_recording_problems(got, &problems);
  assert_int_equal(problems, 0);
  tdm_recording_free(got);
}

static void samples_are_counters_where_their_labels_say(void **state) {
  (void)state;
  tdm_recording *got = read_text(
      "# HELP up \\\\ a help\n# TYPE up gauge\n"
      "up 1 2000\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"3\",UUID=\"GPU-1\",modelName=\"Tesla T4\",Hostname=\"n1\",} "
      "8.5 "
      "3000\r\n"
      "vllm:num_requests_running{engine=\"1\",model_name=\"qwen\",instance=\"h:8000\"} +Inf 4000\n"
      "  lat_seconds_bucket { le = \"1.0\" , path=\"a\\\"b\\\\c\\nd\" }\t7e0 5000 # {t=\"x\"} 0.5\n"
      "{__name__=\"lat_seconds_sum\",job=\"j\"} -0.5 1774099485123\n"
      "{\"a.b\",x=\"y\"} 1 6000.25\n");
  const char *const want[] = {
      "sample counter 1774099485123000000+0 'lat_seconds_sum' value=-0.5r unit=t's' "
      "[server | metrics | process OTHER]",
      "sample counter 2000000000000+0 'up' value=1r unit=t'' [server | metrics | process OTHER]",
      "sample counter 3000000000000+0 'DCGM_FI_DEV_POWER_USAGE' value=8.5r unit=t'' "
      "[Tesla T4 #3 of n1 | GPU | device GPU device=3]",
      "sample counter 4000000000000+0 'vllm:num_requests_running' value=infr unit=t'' "
      "[h:8000 | qwen engine 1 | process OTHER]",
      "sample counter 5000000000000+0 'lat_seconds_bucket{le=\"1\",path=\"a\"b\\c\nd\"}' value=7r "
      "unit=t'' [server | metrics | process OTHER]",
      "sample counter 6000250000000+0 'a.b{x=\"y\"}' value=1r unit=t'' "
      "[server | metrics | process OTHER]"};
  assert_rows(got, 6, want);
  tdm_recording_free(got);
}

static int64_t nth_time(const tdm_recording *got, size_t n) {
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++)
    if (tdm_recording_rows(got, i)->count > n) return tdm_kept(tdm_recording_rows(got, i), 0, n);
  return TDM_NONE;
}

static void scrapes_are_made_when_a_comment_says(void **state) {
  (void)state;
  tdm_recording *got = read_text("# 2026-03-21T13:24:45.5Z\na 1\nb 2\n# EOF\n"
                                 "# 2026-03-21 13:25:00\na 3\n"
                                 "# 1774099515.25\na 4\n# a comment\n# 7 of 9\nb 5\n");
  assert_int_equal(rows_count(got), 5);
  assert_int_equal(nth_time(got, 0), 1774099485500000000);
  assert_int_equal(nth_time(got, 1), 1774099485500000000);
  assert_int_equal(nth_time(got, 2), 1774099500000000000);
  assert_int_equal(nth_time(got, 3), 1774099515250000000);
  assert_int_equal(nth_time(got, 4), 1774099515250000000);
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, 0);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "5 samples, 3 scrapes");
  tdm_recording_free(got);
}

static void one_scrape_without_a_time_has_its_files(void **state) {
  (void)state;
  char path[] = "/tmp/tandem-scrape-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, "a 1\nb 2\na_created 1.5e9\nc NaN\n", 30) == 30);
  const struct timespec times[2] = {{.tv_sec = 5}, {.tv_sec = 1774099485, .tv_nsec = 7}};
  assert_int_equal(futimens(file, times), 0);
  close(file);
  tdm_recording *got = read_path(&tdm_reader_prometheus, path);
  unlink(path);
  assert_int_equal(rows_count(got), 2);
  assert_int_equal(nth_time(got, 0), 1774099485000000007);
  assert_string_equal(tdm_recording_source(got, 0)->detail,
                      "3 samples, 1 scrape, at the file's time, without times of creation");
  assert_int_equal(problem_count(got, "not a number"), 1);
  tdm_recording_free(got);
}

static void one_scrape_may_have_its_time_in_its_name(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int64_t utc_ns;
  } files[] = {{"2026-03-21T13:24:45Z.prom", 1774099485000000000},
               {"m8-20260321-132445.prom", 1774099485000000000},
               {"vllm_2026_03_21_13_24_45.prom", 1774099485000000000},
               {"1774099485.prom", 1774099485000000000},
               {"a1774099485123.prom", 1774099485123000000},
               {"2026-03-21.prom", TDM_NONE},
               {"20260321132445678.prom", TDM_NONE},
               {"20261321-132445.prom", TDM_NONE},
               {"2774099485.prom", TDM_NONE}};
  char folder[] = "/tmp/tandem-scrape-XXXXXX", path[96];
  assert_non_null(mkdtemp(folder));
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputs("a 1\n", file) >= 0 && fclose(file) == 0);
    tdm_recording *got = read_path(&tdm_reader_prometheus, path);
    unlink(path);
    int named = strstr(tdm_recording_source(got, 0)->detail, "in the file's name") != NULL;
    if (named != (files[i].utc_ns != TDM_NONE) || (named && nth_time(got, 0) != files[i].utc_ns))
      fail_msg("%s", files[i].name);
    tdm_recording_free(got);
  }
  rmdir(folder);
}

static void assert_refused(const char *text, const char *why) {
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  assert_int_equal(tdm_input_open_memory(text, strlen(text), &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_prometheus, input, NULL, &got, &error), TDM_INVALID);
  assert_string_equal(error.message, why);
  tdm_recording_free(got);
}

static void several_scrapes_without_a_time_are_refused(void **state) {
  (void)state;
  static const char why[] =
      "memory: 2 scrapes that do not say when they were made: put a line like "
      "\"# 2026-03-21T13:24:45Z\" before each";
  assert_refused("a 1\n# EOF\na 2\n# EOF\n", why);
  assert_refused("a{x=\"1\"} 1\na{x=\"2\"} 1\na{x=\"1\"} 2\n", why);
  tdm_recording *got = read_text("# EOF\n");
  assert_int_equal(rows_count(got), 0);
  tdm_recording_free(got);
}

static void lines_that_are_no_sample_are_counted(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "a",           "a b",  "9a 1",  "a{x=1} 1", "a{x=\"1\" 1",         "a{x=\"1} 1",
      "a{=\"1\"} 1", "{} 1", "a 1 x", "a 1 2 3",  "a{x=\"1\"y=\"2\"} 1", "a{\"b\",\"c\"} 1"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[128];
    snprintf(text, sizeof text, "%s\nright 1 5\n", wrong[i]);
    tdm_recording *got = read_text(text);
    if (rows_count(got) != 1 || problem_count(got, "no sample") != 1) fail_msg("%s", wrong[i]);
    tdm_recording_free(got);
  }
}

/* A number may be cut and still be one. */
static void a_line_that_is_too_long_counts_once(void **state) {
  (void)state;
  size_t most = (size_t)150 << 20;
  char *text = malloc(most + 40);
  assert_non_null(text);
  memcpy(text, "a 1 5\n", 6);
  memset(text + 6, 'x', most);
  memcpy(text + 6 + most, "\na 2 6\n# EOF\n", 14);
  tdm_recording *got = read_text(text);
  free(text);
  assert_int_equal(problem_count(got, "lines that are no sample (left out)"), 1);
  assert_int_equal(rows_count(got), 2);
  tdm_recording_free(got);
}

static void a_last_line_without_its_end_is_left_out(void **state) {
  (void)state;
  tdm_recording *got = read_text("a 1 5\na 234 6\na 25");
  assert_int_equal(rows_count(got), 2);
  assert_int_equal(problem_count(got, "last line without its end"), 1);
  tdm_recording_free(got);
  got = read_text("a 1 5\n# EOF");
  assert_int_equal(rows_count(got), 1);
  assert_int_equal(problem_count(got, "last line"), 0);
  tdm_recording_free(got);
}

static int sure(const char *text) {
  return tdm_reader_prometheus.detect((const unsigned char *)text, strlen(text), "x");
}

static void only_metrics_are_taken_for_metrics(void **state) {
  (void)state;
  assert_true(sure("# HELP a b\n") > 80);
  assert_true(sure("\n# TYPE a counter\na 1") > 80);
  assert_true(sure("# EOF") > 80);
  assert_true(sure("a{b=\"c\"} 1") > 0);
  assert_true(sure("a 1\na 1 5") > 0);
  assert_true(tdm_reader_prometheus.detect((const unsigned char *)"a 1", 3, "a.prom") > 0);
  assert_int_equal(sure("return 1"), 0);
  assert_true(sure("{__name__=\"a\"} 1 5\n") > 0);
  assert_int_equal(sure("main;work 3\n"), 0);
  assert_int_equal(sure("a 1\nnot a sample at all\n"), 0);
  assert_int_equal(sure("{\"a\":1}\n"), 0);
  assert_int_equal(sure("# only a comment\n"), 0);
  assert_int_equal(sure("hello world\n"), 0);
}

/* As Go's ParseFloat spells and reads them. */
static void values_are_numbers_infinities_and_none(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } good[] = {{"0", 0},
              {"1", 1},
              {"-1.5", -1.5},
              {"+2", 2},
              {"1e3", 1e3},
              {"+1.5E-3", 1.5e-3},
              {"Inf", INFINITY},
              {"+Inf", INFINITY},
              {"-Inf", -INFINITY},
              {"inf", INFINITY},
              {"Infinity", INFINITY},
              {"+Infinity", INFINITY},
              {"-infinity", -INFINITY}};
  static const char *const bad[] = {"",     "+",        "-",    "++1", "+-1", "in",
                                    "infi", "-infinit", "+nan", "x",   "1x"};
  double value;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    char text[32]; /* what stands behind the text is none of it */
    snprintf(text, sizeof text, "%s%s", good[i].text, "inity7");
    assert_true(tdm_prom_value(text, strlen(good[i].text), &value));
    assert_true(value == good[i].value);
  }
  assert_true(tdm_prom_value("NaN", 3, &value) && isnan(value));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (tdm_prom_value(bad[i], strlen(bad[i]), &value)) fail_msg("'%s' is no value", bad[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_real_scrape_has_the_samples_that_python_counts),
      cmocka_unit_test(samples_are_counters_where_their_labels_say),
      cmocka_unit_test(scrapes_are_made_when_a_comment_says),
      cmocka_unit_test(one_scrape_without_a_time_has_its_files),
      cmocka_unit_test(one_scrape_may_have_its_time_in_its_name),
      cmocka_unit_test(several_scrapes_without_a_time_are_refused),
      cmocka_unit_test(lines_that_are_no_sample_are_counted),
      cmocka_unit_test(a_line_that_is_too_long_counts_once),
      cmocka_unit_test(a_last_line_without_its_end_is_left_out),
      cmocka_unit_test(only_metrics_are_taken_for_metrics),
      cmocka_unit_test(values_are_numbers_infinities_and_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
