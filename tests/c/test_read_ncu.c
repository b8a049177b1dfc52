/* The reader of ncu --csv. copy_blocked.csv is real (tests/data/ncu); its numbers were counted with
 * python3's csv module. The other tables are written by hand in the form that the documentation of
 * Nsight Compute gives and that its users' parsers expect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "read/csv.h"
#include "read/number.h"
#include "read/reader.h"
#include "reader_fixture.h"

#define HEAD                                                                                       \
  "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","   \
  "\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
#define ROW(id, pid, kernel, device)                                                               \
  "\"" id "\",\"" pid "\",\"app\",\"127.0.0.1\",\"" kernel                                         \
  "\",\"1\",\"7\",\"(256, 1, 1)\",\"(16, 2, 1)\",\"" device "\",\"9.0\","

static const tdm_metric *metric_of(const reading *r, const char *subject, int64_t ordinal,
                                   const char *name, const char *unit) {
  size_t count;
  const tdm_metric *all = tdm_recording_metrics(r->recording, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(all[i].subject, subject) == 0 && all[i].ordinal == ordinal &&
        strcmp(all[i].name, name) == 0 &&
        (unit == NULL || (all[i].unit != NULL && strcmp(all[i].unit, unit) == 0)))
      return &all[i];
  return NULL;
}

static double value_of(const reading *r, const char *subject, int64_t ordinal, const char *name) {
  const tdm_metric *metric = metric_of(r, subject, ordinal, name, NULL);
  return metric != NULL ? metric->value : NAN;
}

static void a_real_details_page_is_read_whole(void **state) {
  (void)state;
  size_t length;
  char *bytes = load_file("tests/data/ncu/copy_blocked.csv", &length);
  assert_non_null(bytes);
  assert_true(tdm_reader_ncu.detect((unsigned char *)bytes, length, "x.csv") > 90);
  reading r = read_bytes(&tdm_reader_ncu, bytes, length, (tdm_read_options){0});
  assert_int_equal(r.status, TDM_OK);
  size_t count;
  const tdm_metric *all = tdm_recording_metrics(r.recording, &count);
  /* 31 metrics, 4 rules, 2 of them with a speedup; 10 columns that all rows repeat: sizes (6),
   * process, device, context, stream. */
  assert_int_equal(count, 31 + 4 + 2 + 10);
  double sum = 0;
  size_t texts = 0, rules = 0;
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(all[i].scope, "kernel");
    assert_int_equal(all[i].ordinal, 0);
    assert_int_equal(strncmp(all[i].subject, "copy_blocked[v1,cw51cXTLSUwv1sDUaKthrqN", 39), 0);
    if (strncmp(all[i].name, "rule.", 5) == 0)
      rules++;
    else if (all[i].text != NULL)
      texts++;
    else if (i >= 10)
      sum += all[i].value;
  }
  assert_int_equal(rules, 6);
  assert_int_equal(texts, 1); /* CachePreferNone */
  assert_true(fabs(sum - 202054257946.01) < 1e-3);
  const char *kernel = all[0].subject;
  assert_true(metric_of(&r, kernel, 0, "Memory Throughput", "%")->value == 61.84);
  assert_true(metric_of(&r, kernel, 0, "Memory Throughput", "byte/s")->value == 196456177859.63);
  assert_true(value_of(&r, kernel, 0, "grid_x") == 1024);
  assert_true(value_of(&r, kernel, 0, "block_x") == 256);
  const tdm_metric *rule = metric_of(&r, kernel, 0, "rule.HighPipeUtilization", NULL);
  assert_int_equal(strncmp(rule->text, "OPT: All compute pipelines are under-utilized.", 46), 0);
  assert_true(isnan(rule->value));
  assert_true(value_of(&r, kernel, 0, "rule.HighPipeUtilization.speedup_local") == 98.86);
  assert_string_equal(fact_value(&r, "gpu.0.compute_capability"), "7.5");
  assert_string_equal(fact_value(&r, "process.6153.name"), "python3.11");
  assert_string_equal(fact_value(&r, "host.name"), "127.0.0.1");
  assert_string_equal(tdm_recording_source(r.recording, 0)->detail,
                      "details page, 1 kernel launch");
  tdm_recording_problems(r.recording, &count);
  assert_int_equal(count, 0);
  reading_free(&r);
  free(bytes);
}

/* Lines joined, each with its end, and read. */
static reading read_table(const char *const *lines, size_t count) {
  char text[8192];
  size_t length = 0;
  for (size_t i = 0; i < count; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s\n", lines[i]);
  return read_bytes(&tdm_reader_ncu, text, length, (tdm_read_options){0});
}
#define LINES(lines) lines, sizeof(lines) / sizeof *(lines)

static void a_raw_page_has_a_row_a_launch_and_a_row_of_units(void **state) {
  (void)state;
  static const char *const lines[] = {
      "==PROF== Connected to process 108 (/usr/bin/app)",
      "==PROF== Profiling \"saxpy\" - 0: 0%....50%....100% - 9 passes",
      "hello from the program, with a \" in it",
      HEAD "\"gpu__time_duration.sum\",\"launch__func_cache_config\",\"sm__throughput.avg.pct\"",
      "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"us\",\"\",\"%\"",
      ROW("0", "108", "saxpy(int, float *)", "0") "\"1,212.50\",\"CachePreferNone\",\"n/a\"",
      ROW("1", "108", "scale", "0") "\"3.25\",\"CachePreferNone\",\"12.5\"",
      ROW("2", "108", "scale", "0") "\"4\",\"CachePreferNone\",\"nan\"",
      "==PROF== Disconnected from process 108",
  };
  reading r = read_table(LINES(lines));
  assert_int_equal(r.status, TDM_OK);
  const char *saxpy = "saxpy(int, float *)";
  const tdm_metric *time = metric_of(&r, saxpy, 0, "gpu__time_duration.sum", "us");
  assert_true(time->value == 1212.5);
  assert_null(time->text);
  assert_true(value_of(&r, "scale", 0, "gpu__time_duration.sum") == 3.25);
  assert_true(value_of(&r, "scale", 1, "gpu__time_duration.sum") == 4);
  assert_string_equal(metric_of(&r, saxpy, 0, "sm__throughput.avg.pct", "%")->text, "n/a");
  assert_string_equal(metric_of(&r, "scale", 1, "sm__throughput.avg.pct", "%")->text, "nan");
  assert_string_equal(metric_of(&r, saxpy, 0, "launch__func_cache_config", NULL)->text,
                      "CachePreferNone");
  assert_int_equal(problem_count(&r, "lines of the profiler (skipped)"), 3);
  assert_int_equal(problem_count(&r, "lines outside the table (skipped)"), 1);
  assert_string_equal(tdm_recording_source(r.recording, 0)->detail, "raw page, 3 kernel launches");
  reading_free(&r);
}

static void launches_count_for_each_process_and_device(void **state) {
  (void)state;
#define METRIC(value) "\"S\",\"Duration\",\"ns\",\"" value "\""
  static const char *const lines[] = {
      HEAD "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\r",
      ROW("0", "1", "k", "0") METRIC("10"),
      ROW("1", "1", "k", "0") METRIC("11"),
      ROW("1", "1", "k", "0") "\"S\",\"Other\",\"\",\"5 (1; 2; 2)\"",
      ROW("2", "1", "k", "1") METRIC("12"),
      ROW("0", "2", "k", "0") METRIC("13"),
      ROW("3", "1", "k", "0") METRIC("14"),
  };
  reading r = read_table(LINES(lines));
  assert_int_equal(r.status, TDM_OK);
  size_t count, found = 0;
  const tdm_metric *all = tdm_recording_metrics(r.recording, &count);
  static const int64_t ordinals[] = {0, 1, 0, 0, 2};
  for (size_t i = 0; i < count; i++) {
    if (strcmp(all[i].name, "Duration") != 0) continue;
    assert_true(all[i].value == 10 + (double)found);
    assert_int_equal(all[i].ordinal, ordinals[found]);
    found++;
  }
  assert_int_equal(found, 5);
  assert_true(value_of(&r, "k", 1, "Other") == 5);
  assert_int_equal(problem_count(&r, "instance values of metrics (left out)"), 1);
  reading_free(&r);
}

static void a_summary_is_over_all_launches(void **state) {
  (void)state;
  reading r = read_text(
      &tdm_reader_ncu,
      "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
      "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Invocations\",\"Section Name\","
      "\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n"
      "\"7\",\"app\",\"h\",\"k\",\"1\",\"7\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"0\",\"8.0\",\"3\",\"S\","
      "\"Duration\",\"ns\",\"1,000\",\"3,000\",\"2,000.50\"\n");
  assert_int_equal(r.status, TDM_OK);
  assert_true(value_of(&r, "k", TDM_NONE, "Duration (minimum)") == 1000);
  assert_true(value_of(&r, "k", TDM_NONE, "Duration (average)") == 2000.5);
  assert_true(value_of(&r, "k", TDM_NONE, "invocations") == 3);
  reading_free(&r);
}

static uint64_t asked;
static int stop_at_second(void *context, uint64_t done, uint64_t total) {
  (void)context;
  assert_true(done <= total);
  return ++asked == 2;
}

/* Asked every 2048 records. */
static void reading_stops_when_it_is_told_to(void **state) {
  (void)state;
  enum { ROWS = 6000, LINE = 160 };
  char *text = malloc(ROWS * LINE), *p = text;
  p += sprintf(p, "%s\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n", HEAD);
  for (int i = 0; i < ROWS - 100; i++)
    p += sprintf(p, "%s\"S\",\"Duration\",\"ns\",\"%d\"\n", ROW("0", "1", "k", "0"), i);
  size_t count;
  reading r = read_text(&tdm_reader_ncu, text);
  assert_int_equal(r.status, TDM_OK);
  tdm_recording_metrics(r.recording, &count);
  size_t all = count;
  reading_free(&r);
  asked = 0;
  r = read_bytes(&tdm_reader_ncu, text, strlen(text),
                 (tdm_read_options){.progress = stop_at_second});
  assert_int_equal(r.status, TDM_INTERRUPTED);
  assert_string_equal(r.error.message, "memory: reading was interrupted");
  assert_int_equal(asked, 2);
  tdm_recording_metrics(r.recording, &count);
  assert_in_range(all - count, ROWS - 100 - 4096, ROWS - 100 - 4096 + 20);
  reading_free(&r);
  free(text);
}

static void numbers_come_in_any_locale(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
    double value;
  } cases[] = {{"0", 1, 0},
               {"12", 2, 12},
               {"007", 3, 7},
               {"1.024", 5, 1.024},
               {"1,024", 5, 1024},
               {"12,319,469", 10, 12319469},
               {"4,963,609,951.19", 16, 4963609951.19},
               {"4.963.609.951,19", 16, 4963609951.19},
               {"1.234.567", 9, 1234567},
               {"45,7", 4, 45.7},
               {"-3.5e-05", 8, -3.5e-05},
               {"+2e3", 4, 2000},
               {"-1,024", 6, -1024},
               {"+1.024,5", 8, 1024.5},
               {"-45,7", 5, -45.7},
               {"-12,34,5", 0, 0},
               {"1,0245", 6, 1.0245},
               {"1e", 1, 1},
               {"1e+", 1, 1},
               {"2E-3x", 4, 0.002},
               {"1,024e2", 7, 102400},
               {"12 (3; 4)", 2, 12},
               {"12.2.1", 0, 0},
               {"1,2,3", 0, 0},
               {"1.", 0, 0},
               {".5", 0, 0},
               {"-", 0, 0},
               {"", 0, 0},
               {"n/a", 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value = 0;
    assert_int_equal(tdm_ncu_number(cases[i].text, &value), cases[i].length);
    assert_true(value == cases[i].value);
  }
}

static void csv_follows_the_rfc_and_bends(void **state) {
  (void)state;
  static const char text[] = "a,\"b \"\"c\"\",\nd\", \"e\" ,\r\n\n\"\",x\"y\"z,\"open,\nto the end";
  tdm_error error;
  tdm_input *input;
  tdm_input_open_memory(text, sizeof text - 1, &input, &error);
  tdm_csv *csv = tdm_csv_new(input);
  const tdm_csv_field *f;
  size_t count;
  assert_true(tdm_csv_next(csv, &f, &count));
  assert_int_equal(count, 4);
  assert_string_equal(f[0].text, "a");
  assert_string_equal(f[1].text, "b \"c\",\nd");
  assert_string_equal(f[2].text, "e ");
  assert_string_equal(f[3].text, "");
  assert_true(tdm_csv_next(csv, &f, &count));
  assert_int_equal(count, 1);
  assert_true(tdm_csv_next(csv, &f, &count));
  assert_int_equal(count, 3);
  assert_string_equal(f[1].text, "x\"y\"z");
  assert_string_equal(f[2].text, "open,\nto the end");
  assert_false(tdm_csv_next(csv, &f, &count));
  tdm_csv_free(csv);
  tdm_input_close(input);
}

/* Wherever the pieces of the input end: this record is cut where its fifth piece does. */
static void the_rest_of_a_record_that_was_cut_is_no_record(void **state) {
  (void)state;
  enum { PIECE = 1 << 18, FIRST = PIECE - 1, LONG = TDM_CSV_RECORD + 100 };
  char *text = malloc(FIRST + LONG + 8);
  memset(text, 'x', FIRST + LONG);
  text[FIRST - 1] = text[FIRST + LONG - 1] = '\n';
  memcpy(text + FIRST + LONG, "c,d\n", 4);
  tdm_error error;
  tdm_input *input;
  tdm_input_open_memory(text, FIRST + LONG + 4, &input, &error);
  tdm_csv *csv = tdm_csv_new(input);
  const tdm_csv_field *f;
  size_t count;
  assert_true(tdm_csv_next(csv, &f, &count));
  assert_true(tdm_csv_next(csv, &f, &count));
  assert_int_equal(f[0].length, TDM_CSV_RECORD + 1);
  assert_int_equal(tdm_csv_cut(csv), 1);
  assert_true(tdm_csv_next(csv, &f, &count));
  assert_int_equal(count, 2);
  assert_string_equal(f[0].text, "c");
  tdm_csv_free(csv);
  tdm_input_close(input);
  free(text);
}

static void a_quote_that_never_closes_costs_one_record(void **state) {
  (void)state;
  size_t rows = 200000;
  char *text = malloc(rows * 16 + 64), *p = text;
  p += sprintf(p, "one,\"open\n");
  for (size_t i = 0; i < rows; i++) p += sprintf(p, "%zu,x\n", i);
  tdm_error error;
  tdm_input *input;
  tdm_input_open_memory(text, (size_t)(p - text), &input, &error);
  tdm_csv *csv = tdm_csv_new(input);
  const tdm_csv_field *f;
  size_t count, seen = 0;
  assert_true(tdm_csv_next(csv, &f, &count));
  assert_int_equal(count, 2);
  assert_true(f[1].length > TDM_CSV_RECORD - 8);
  assert_int_equal(tdm_csv_cut(csv), 1);
  while (tdm_csv_next(csv, &f, &count)) {
    assert_int_equal(count, 2);
    assert_string_equal(f[1].text, "x");
    seen++;
  }
  assert_true(seen > 50000);
  tdm_csv_free(csv);
  tdm_input_close(input);
  free(text);
}

static void bad_input_ends_in_a_word(void **state) {
  (void)state;
  size_t length;
  char *bytes = load_file("tests/data/ncu/copy_blocked.csv", &length);
  for (size_t cut = 0; cut < length; cut += cut < 2000 ? 1 : 97) {
    reading r = read_bytes(&tdm_reader_ncu, bytes, cut, (tdm_read_options){0});
    assert_true(r.status == TDM_OK || (r.status == TDM_INVALID && cut < 300));
    reading_free(&r);
  }
  free(bytes);
  reading r = read_text(&tdm_reader_ncu, "time,value\n1,2\n");
  assert_int_equal(r.status, TDM_INVALID);
  assert_non_null(strstr(r.error.message, "memory: there is no table of ncu --csv"));
  reading_free(&r);
}

static void other_csv_is_not_taken(void **state) {
  (void)state;
  static const char other[] = "ID,Name,Value\n1,Kernel Name,2\n", prof[] = "==PROF== Connected\n";
  assert_int_equal(tdm_reader_ncu.detect((const unsigned char *)other, sizeof other - 1, "a.csv"),
                   0);
  assert_int_equal(tdm_reader_ncu.detect((const unsigned char *)prof, sizeof prof - 1, "a"), 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_real_details_page_is_read_whole),
      cmocka_unit_test(a_raw_page_has_a_row_a_launch_and_a_row_of_units),
      cmocka_unit_test(launches_count_for_each_process_and_device),
      cmocka_unit_test(a_summary_is_over_all_launches),
      cmocka_unit_test(reading_stops_when_it_is_told_to),
      cmocka_unit_test(numbers_come_in_any_locale),
      cmocka_unit_test(csv_follows_the_rfc_and_bends),
      cmocka_unit_test(the_rest_of_a_record_that_was_cut_is_no_record),
      cmocka_unit_test(a_quote_that_never_closes_costs_one_record),
      cmocka_unit_test(bad_input_ends_in_a_word),
      cmocka_unit_test(other_csv_is_not_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
