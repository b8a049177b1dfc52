/* JSON Lines: what is written comes back the same, all of it; and bad lines are counted, not fatal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "read/reader.h"
#include "recording_fixture.h"
#include "target_fixture.h"
#include "trace/simulated/simulated.h"
#include "trace_fixture.h"
#include "write/writer.h"

static char *written(const tdm_recording *recording, size_t *length) {
  tdm_error error;
  const tdm_write_options options = {.run_id = "0badcafe", .run_name = "demo", .version = "1.2.3"};
  if (tdm_writer_named("jsonl")->write(recording, target, &options, &error) != TDM_OK)
    fail_msg("%s", error.message);
  return recording_file(target, length);
}

static void everything_comes_back(void **state) {
  (void)state;
  size_t length;
  tdm_recording *rich = recording_rich();
  char *text = written(rich, &length);
  tdm_recording *back = recording_read(&tdm_reader_jsonl, text, length, NULL);
  same_recordings(rich, back);
  size_t again_length;
  char *again = written(back, &again_length);
  assert_int_equal(length, again_length);
  tdm_recording_free(back);
  tdm_recording_free(rich);
  free(again);
  free(text);
}

static void lines_are_plain(void **state) {
  (void)state;
  tdm_recording *rich = recording_rich();
  char *text = written(rich, NULL);
  static const char *const lines[] = {
      "{\"record\":\"header\",\"format\":\"tandem-jsonl\",\"version\":1,\"program\":\"1.2.3\","
      "\"run\":\"0badcafe\",\"name\":\"demo\"}\n",
      "\n{\"record\":\"source\",\"source\":1,\"path\":\"rank 1.json.gz\",\"format\":\"kineto\","
      "\"detail\":\"schema 1\",\"rank\":1,\"utc_ns\":1711964646000000001,\"offset_ns\":0,"
      "\"first_ns\":-5,\"last_ns\":1000030000,\"rows\":87}\n",
      "\n{\"record\":\"track\",\"track\":1,\"process\":\"H100 #0\",\"name\":\"stream 7\","
      "\"kind\":\"stream\",\"lane\":\"GPU\",\"pid\":4312,\"device\":0,\"context\":1,"
      "\"stream\":7}\n",
      "\n{\"record\":\"layout\",\"layout\":0,\"category\":\"runtime\",\"shape\":\"span\","
      "\"args\":[[\"correlation\",\"int\"],[\"cbid\",\"int\"]]}\n",
      "\n{\"record\":\"span\",\"layout\":0,\"start_ns\":1000000008,\"dur_ns\":100,\"track\":0,"
      "\"name\":\"cudaLaunchKernel\",\"args\":{\"correlation\":500,"
      "\"cbid\":9223372036854775807}}\n",
      "\n{\"record\":\"instant\",\"layout\":5,\"start_ns\":-5,\"track\":0,\"name\":\"\","
      "\"args\":{\"correlation\":-1}}\n",
      "\n{\"record\":\"artifact\",\"name\":\"module.cubin\","
      "\"type\":\"application/octet-stream\",\"base64\":\"AP+Aeg==\"}\n"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (strstr(text, lines[i]) == NULL) fail_msg("no line %s in:\n%s", lines[i], text);
  free(text);
  tdm_recording_free(rich);
}

static void a_simulation_comes_back(void **state) {
  (void)state;
  fixture *f = fixture_new(1000000);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 3);
  fixture_track(f, 1, "A#1", "GPU", TDM_LANE_QUEUE, 0);
  fixture_name(f, 0, "a");
  fixture_name(f, 1, "b");
  tdm_trace_class_name(f->trace, 1, "chat", NULL);
  tdm_rng rng = {4};
  for (uint64_t i = 0; i < 50000; i++) { /* more than a piece of input, more than a buffer */
    uint64_t bits = tdm_rng_bits(&rng);
    fixture_span(f, bits & 1, bits >> 1 & 1, (int64_t)(bits >> 30 & 0xffffff), (int64_t)(i % 99),
                 FIXTURE_CLASS(1) | i);
  }
  fixture_flush(f);
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  assert_int_equal(tdm_simulated_record(f->trace, "demo", recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_end_source(recorder, &error), TDM_OK);
  tdm_recorder_free(recorder);
  size_t length;
  char *text = written(recording, &length);
  tdm_recording *back = recording_read(&tdm_reader_jsonl, text, length, NULL);
  same_recordings(recording, back);
  tdm_recording_free(back);
  tdm_recording_free(recording);
  free(text);
  fixture_free(f);
}

static void its_own_files_are_known_by_their_first_line(void **state) {
  (void)state;
  static const char *const ours[] = {
      "{\"record\":\"header\",\"format\":\"tandem-jsonl\",\"version\":1}\n",
      "{\"version\": 1, \"format\": \"tandem-jsonl\", \"record\": \"header\"}"};
  static const char *const others[] = {"", "{", "{\"ts\":1}\n\"tandem-jsonl\"", "tandem-jsonl"};
  for (size_t i = 0; i < 2; i++)
    assert_true(tdm_reader_jsonl.detect((const unsigned char *)ours[i], strlen(ours[i]), "x") > 90);
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(
        tdm_reader_jsonl.detect((const unsigned char *)others[i], strlen(others[i]), "x"), 0);
}

/* Keys may stand in any order, with spaces, as other programs write them. */
static void another_program_may_have_written_it(void **state) {
  (void)state;
  static const char text[] =
      "{\"version\": 1, \"format\": \"tandem-jsonl\", \"record\": \"header\"}\r\n"
      "\r\n"
      "{\"args\": [[\"x\", \"int\"], [\"y\", \"real\"], [\"on\", \"bool\"]], \"category\": \"op\", "
      "\"layout\": 77, \"record\": \"layout\", \"shape\": \"span\", \"ours\": {\"a\": [1]}}\r\n"
      "{\"kind\": \"thread\", \"record\": \"track\", \"track\": -9}\r\n"
      "{\"args\": {\"on\": true, \"y\": 2, \"x\": 1e3}, \"name\": \"n\", \"layout\": 77, "
      "\"record\": \"span\", \"start_ns\": 5.0, \"track\": -9}";
  tdm_recording *r = recording_read(&tdm_reader_jsonl, text, sizeof text - 1, NULL);
  const tdm_kept_rows *rows = tdm_recording_rows(r, 0);
  assert_int_equal(rows->count, 1);
  assert_int_equal(tdm_kept(rows, TDM_START, 0), 5);
  assert_int_equal(tdm_kept(rows, TDM_DUR, 0), 0);
  assert_int_equal(tdm_kept(rows, TDM_ARGS, 0), 1000);
  assert_true(tdm_record_double(tdm_kept(rows, TDM_ARGS + 1, 0)) == 2.0);
  assert_int_equal(tdm_kept(rows, TDM_ARGS + 2, 0), 1);
  size_t problems;
  tdm_recording_problems(r, &problems);
  assert_int_equal(problems, 0);
  tdm_recording_free(r);
}

#define HEADER "{\"record\":\"header\",\"format\":\"tandem-jsonl\",\"version\":1}\n"
#define TABLES                                                                                     \
  "{\"record\":\"layout\",\"layout\":0,\"category\":\"c\",\"shape\":\"span\","                     \
  "\"args\":[[\"x\",\"int\"]]}\n"                                                                  \
  "{\"record\":\"layout\",\"layout\":1,\"category\":\"e\",\"shape\":\"edge\","                     \
  "\"args\":[[\"to_track\",\"int\"]]}\n"                                                           \
  "{\"record\":\"track\",\"track\":0}\n"

static void what_makes_no_sense_is_counted(void **state) {
  (void)state;
  static const struct {
    const char *line, *problem;
  } cases[] = {
      {"[1]\n", "lines that are not records (dropped)"},
      {"nonsense\n", "lines that are not records (dropped)"},
      {"{\"record\":\"other\"}\n", "lines that are not records (dropped)"},
      {"{\"record\":\"span\",\"layout\":9,\"start_ns\":1,\"track\":0}\n",
       "rows of no known layout (dropped)"},
      {"{\"record\":\"instant\",\"layout\":0,\"start_ns\":1,\"track\":0}\n",
       "rows of no known layout (dropped)"},
      {"{\"record\":\"span\",\"layout\":0,\"start_ns\":1,\"track\":1}\n",
       "rows on no known track (dropped)"},
      {"{\"record\":\"edge\",\"layout\":1,\"start_ns\":1,\"track\":0,\"args\":{\"to_track\":4}}\n",
       "rows on no known track (dropped)"},
      {"{\"record\":\"edge\",\"layout\":1,\"start_ns\":1,\"track\":0}\n",
       "rows on no known track (dropped)"},
      {"{\"record\":\"span\",\"layout\":0,\"track\":0}\n", "rows without a start (dropped)"},
      {"{\"record\":\"span\",\"layout\":0,\"start_ns\":1.5,\"track\":0}\n",
       "rows without a start (dropped)"},
      {"{\"record\":\"span\",\"layout\":0,\"start_ns\":1,\"dur_ns\":-1,\"track\":0}\n",
       "durations below zero (made 0)"},
      {"{\"record\":\"request\",\"request\":1,\"class\":-1}\n", "requests of no class (dropped)"},
      {"{\"record\":\"span\",\"layout\":0,\"start_ns\":1,\"track\":0,\"args\":{\"z\":[2]}}\n",
       "arguments that their layout does not have (dropped)"},
      {"{\"record\":\"span\",\"layout\":0,\"start_ns\":1,\"track\":0,\"args\":{\"x\":\"2\"}}\n",
       "arguments of another type than their layout's (dropped)"},
      {"{\"record\":\"span\",\"layout\":0,\"start_ns\":1,\"track\":0,\"args\":{\"x\":[[2]]}}\n",
       "arguments of another type than their layout's (dropped)"},
      {"{\"record\":\"layout\",\"layout\":3,\"shape\":\"blob\",\"args\":[]}\n",
       "layouts that make no sense (dropped)"},
      {"{\"record\":\"layout\",\"layout\":3,\"shape\":\"span\",\"args\":[[\"x\",\"word\"]]}\n",
       "layouts that make no sense (dropped)"},
      {"{\"record\":\"layout\",\"layout\":0,\"shape\":\"span\",\"args\":[]}\n",
       "layouts announced twice (the first one holds)"},
      {"{\"record\":\"track\",\"track\":0}\n", "tracks announced twice (the second one holds)"},
      {"{\"record\":\"class\",\"name\":\"x\"}\n", "request classes without a number (dropped)"},
      {"{\"record\":\"fact\",\"key\":\"a\",\"value\":\"\\q\"}\n", "bad escapes in strings (kept)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1000];
    int length = snprintf(text, sizeof text, "%s%s%s", HEADER, TABLES, cases[i].line);
    tdm_recording *r = recording_read(&tdm_reader_jsonl, text, (size_t)length, NULL);
    size_t count;
    const tdm_problem *problem = tdm_recording_problems(r, &count);
    int found = 0;
    for (size_t k = 0; k < count; k++) found |= strcmp(problem[k].kind, cases[i].problem) == 0;
    if (!found) fail_msg("%s: no '%s'", cases[i].line, cases[i].problem);
    tdm_recording_free(r);
  }
}

static void an_argument_of_another_type_takes_no_others_along(void **state) {
  (void)state;
  static const char *const wrong[] = {"[[2],3]", "{\"y\":4}", "\"text\"", "1.5"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[600];
    int length =
        snprintf(text, sizeof text,
                 HEADER "{\"record\":\"layout\",\"layout\":0,\"category\":\"c\",\"shape\":\"span\","
                        "\"args\":[[\"x\",\"int\"],[\"y\",\"int\"]]}\n"
                        "{\"record\":\"track\",\"track\":0}\n"
                        "{\"record\":\"span\",\"layout\":0,\"start_ns\":1,\"track\":0,"
                        "\"args\":{\"x\":%s,\"y\":7}}\n",
                 wrong[i]);
    tdm_recording *r = recording_read(&tdm_reader_jsonl, text, (size_t)length, NULL);
    const tdm_kept_rows *rows = tdm_recording_rows(r, 0);
    assert_int_equal(rows->count, 1);
    assert_true(tdm_kept(rows, TDM_ARGS, 0) == TDM_NONE);
    assert_int_equal(tdm_kept(rows, TDM_ARGS + 1, 0), 7);
    tdm_recording_free(r);
  }
}

static void other_files_are_refused(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{\"record\":\"span\"}\n", "[]", "x", "{\"record\":\"header\"}",
      /* a version to come */
      "{\"record\":\"header\",\"format\":\"tandem-jsonl\",\"version\":2}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    tdm_status status;
    tdm_recording_free(recording_read(&tdm_reader_jsonl, texts[i], strlen(texts[i]), &status));
    assert_int_equal(status, TDM_INVALID);
  }
}

/* Cut anywhere, it is read as far as it goes. */
static void a_file_may_end_anywhere(void **state) {
  (void)state;
  size_t length;
  tdm_recording *rich = recording_rich();
  char *text = written(rich, &length);
  tdm_recording_free(rich);
  size_t head = strlen(HEADER) - 1;
  for (size_t cut = 0; cut < length; cut += cut < 4000 || cut > length - 400 ? 1 : 41) {
    tdm_status status;
    tdm_recording *r = recording_read(&tdm_reader_jsonl, text, cut, &status);
    assert_true(status == TDM_OK || cut < head + 100);
    assert_in_range(tdm_recording_sources(r), 1, 2);
    tdm_recording_free(r);
  }
  free(text);
}

static int stop_at_once(void *context, uint64_t done, uint64_t total) {
  (void)context;
  (void)done;
  (void)total;
  return 1;
}

static void reading_may_be_stopped(void **state) {
  (void)state;
  tdm_error error;
  tdm_input *input;
  tdm_recorder *recorder = tdm_recorder_new(&(tdm_record_sink){0});
  assert_int_equal(tdm_input_open_memory(HEADER TABLES, strlen(HEADER TABLES), &input, &error),
                   TDM_OK);
  tdm_recorder_begin_source(recorder, "memory", "tandem-jsonl");
  const tdm_read_options options = {.progress = stop_at_once};
  assert_int_equal(tdm_reader_jsonl.read(input, &options, recorder, &error), TDM_INTERRUPTED);
  tdm_recorder_free(recorder);
  tdm_input_close(input);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_comes_back),
      cmocka_unit_test(lines_are_plain),
      cmocka_unit_test(a_simulation_comes_back),
      cmocka_unit_test(its_own_files_are_known_by_their_first_line),
      cmocka_unit_test(another_program_may_have_written_it),
      cmocka_unit_test(what_makes_no_sense_is_counted),
      cmocka_unit_test(an_argument_of_another_type_takes_no_others_along),
      cmocka_unit_test(other_files_are_refused),
      cmocka_unit_test(a_file_may_end_anywhere),
      cmocka_unit_test(reading_may_be_stopped),
  };
  return cmocka_run_group_tests_name("jsonl", tests, make_folder, remove_folder);
}
