/* The CSV writer: exact lines, and a table that a plain parser of RFC 4180 takes apart again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "read/json.h"
#include "recording_fixture.h"
#include "target_fixture.h"
#include "trace/simulated.h"
#include "trace_fixture.h"
#include "write/writer.h"

enum { COLUMNS = 13 };

static char *written(const tdm_recording *recording) {
  tdm_error error;
  if (tdm_writer_named("csv")->write(recording, target, NULL, &error) != TDM_OK)
    fail_msg("%s", error.message);
  return recording_file(target, NULL);
}

/* Takes one record apart in place; returns where the next begins. */
static char *split(char *at, char *cells[COLUMNS]) {
  for (int c = 0; c < COLUMNS; c++) {
    char *to = at;
    cells[c] = at;
    int quoted = *at == '"';
    if (quoted) at++;
    while (quoted ? !(at[0] == '"' && at[1] != '"') : *at != ',' && *at != '\n') {
      assert_int_not_equal(*at, 0);
      if (quoted && *at == '"') at++;
      *to++ = *at++;
    }
    if (quoted) at++;
    assert_int_equal(*at, c + 1 < COLUMNS ? ',' : '\n');
    at++;
    *to = 0;
  }
  return at;
}

static void rows_are_plain(void **state) {
  (void)state;
  tdm_recording *rich = recording_rich();
  char *text = written(rich);
  static const char *const lines[] = {
      ",CPU,runtime,cudaLaunchKernel,500,,,\"{\"\"cbid\"\":9223372036854775807}\"\n",
      "\n0,sample,1000000000,0,H100 #0,GPU,GPU,counter,SM active,,,,"
      "\"{\"\"value\"\":0.1,\"\"unit\"\":\"\"%\"\"}\"\n",
      "\"{\"\"to_process\"\":\"\"H100 #0\"\",\"\"to_track\"\":\"\"stream "
      "7\"\",\"\"id\"\":500}\"\n"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (strstr(text, lines[i]) == NULL) fail_msg("no %s in:\n%s", lines[i], text);
  static const char header[] = "source,shape,start_ns,dur_ns,process,track,lane,category,name,"
                               "correlation,bytes,request,args\n";
  assert_memory_equal(text, header, sizeof header - 1);
  free(text);
  tdm_recording_free(rich);
}

static void a_plain_parser_takes_it_apart(void **state) {
  (void)state;
  tdm_recording *rich = recording_rich();
  char *text = written(rich), *cells[COLUMNS];
  char *at = split(text, cells);
  assert_string_equal(cells[0], "source");
  assert_string_equal(cells[12], "args");
  tdm_json *json = tdm_json_new_text();
  int64_t before = INT64_MIN;
  size_t rows = 0, odd = 0;
  for (; *at != 0; rows++) {
    at = split(at, cells);
    int64_t start = strtoll(cells[2], NULL, 10);
    assert_true(start >= before);
    before = start;
    odd += strcmp(cells[5], "thread 4313 " RECORDING_ODD_TEXT) == 0;
    if (cells[12][0] == 0) continue;
    tdm_json_text(json, cells[12], strlen(cells[12]));
    assert_int_equal(tdm_json_next(json), TDM_JSON_OBJECT);
    tdm_json_skip(json);
    assert_int_equal(tdm_json_next(json), TDM_JSON_END);
  }
  for (int i = 0; i < TDM_JSON_REPAIRS; i++)
    assert_int_equal(tdm_json_repaired(json, (tdm_json_repair)i), 0);
  assert_int_equal(rows, 174); /* 2 * (4 * 20 + 7) */
  assert_int_equal(odd, 2 * (3 * 20 + 5));
  tdm_json_free(json);
  free(text);
  tdm_recording_free(rich);
}

static void a_simulation_is_one_row_a_span(void **state) {
  (void)state;
  fixture *f = fixture_new(100);
  fixture_track(f, 0, "A#1", "GPU", TDM_LANE_GPU, 1);
  fixture_track(f, 1, "A#1", "h2d", TDM_LANE_H2D, 1);
  fixture_name(f, 0, "decode, step");
  fixture_span(f, 0, 0, 5, 7, FIXTURE_CLASS(1) | 2);
  fixture_span(f, 1, 0, 1, 3, 2);
  fixture_flush(f);
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  assert_int_equal(tdm_simulated_record(f->trace, "demo", recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_end_source(recorder, &error), TDM_OK);
  tdm_recorder_free(recorder);
  char *text = written(recording);
  assert_string_equal(strchr(text, '\n'),
                      "\n0,span,1,3,A#1,h2d,H2D,stage,\"decode, step\",,,2,\"{\"\"batch\"\":1}\"\n"
                      "0,span,5,7,A#1,GPU,GPU,stage,\"decode, step\",,,281474976710658,"
                      "\"{\"\"batch\"\":1}\"\n");
  free(text);
  tdm_recording_free(recording);
  fixture_free(f);
}

static void a_failure_leaves_nothing(void **state) {
  (void)state;
  tdm_error error;
  tdm_recording *rich = recording_rich();
  assert_int_equal(tdm_writer_named("csv")->write(rich, folder, NULL, &error), TDM_IO);
  assert_int_equal(tdm_writer_named("csv")->write(rich, "/dev/full", NULL, &error), TDM_IO);
  assert_string_equal(error.message, "cannot write /dev/full: No space left on device");
  tdm_recording_free(rich);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_plain),
      cmocka_unit_test(a_plain_parser_takes_it_apart),
      cmocka_unit_test(a_simulation_is_one_row_a_span),
      cmocka_unit_test(a_failure_leaves_nothing),
  };
  return cmocka_run_group_tests_name("write_csv", tests, make_folder, remove_folder);
}
