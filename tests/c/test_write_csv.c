/* The CSV writer: exact lines, and a table that a plain parser of RFC 4180 takes apart again; and
 * its reader: what was written comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "read/json/json.h"
#include "recording_fixture.h"
#include "target_fixture.h"
#include "trace/simulated/simulated.h"
#include "trace_fixture.h"
#include "write/writer.h"

enum { COLUMNS = 21 };

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
      ",CPU,runtime,cudaLaunchKernel,500,,,\"{\"\"cbid\"\":9223372036854775807}\",thread,CPU,",
      "\n0,sample,1000000000,0,H100 #0,GPU,GPU,counter,SM active,,,,"
      "\"{\"\"value\"\":0.1,\"\"unit\"\":\"\"%\"\"}\",",
      "\"{\"\"to_process\"\":\"\"H100 #0\"\",\"\"to_track\"\":\"\"stream "
      "7\"\",\"\"id\"\":500}\",thread,CPU,"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (strstr(text, lines[i]) == NULL) fail_msg("no %s in:\n%s", lines[i], text);
  static const char header[] = "source,shape,start_ns,dur_ns,process,track,lane,category,name,"
                               "correlation,bytes,request,args,track_kind,track_lane,pid,tid,"
                               "device,context,stream,rank\n";
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
                      "\n0,span,1,3,A#1,h2d,H2D,stage,\"decode, step\",,,2,\"{\"\"batch\"\":1}\","
                      "server,H2D,,,,,,\n"
                      "0,span,5,7,A#1,GPU,GPU,stage,\"decode, step\",,,281474976710658,"
                      "\"{\"\"batch\"\":1}\",server,GPU,,,,,,\n");
  free(text);
  tdm_recording_free(recording);
  fixture_free(f);
}

static tdm_recorder *recorder_into(tdm_recording *recording, uint32_t *track) {
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *r = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(r, "made", "test");
  tdm_track about = TDM_TRACK_PLAIN;
  about.process = "p";
  about.name = "t";
  *track = tdm_record_track(r, &about);
  return r;
}

static char *rows_of(tdm_recorder *r, tdm_recording *recording) {
  tdm_error error;
  assert_int_equal(tdm_recorder_end_source(r, &error), TDM_OK);
  tdm_recorder_free(r);
  char *text = written(recording), *rows = strdup(strchr(text, '\n') + 1);
  free(text);
  tdm_recording_free(recording);
  return rows;
}

#define END ",other,OTHER,,,,,,"

/* Each of these kinds of values, in a column of its own or among the arguments. */
static void values_of_every_kind_have_their_place(void **state) {
  (void)state;
  static const tdm_arg args[] = {
      {"bytes", TDM_ARG_REAL}, {"correlation", TDM_ARG_TEXT}, {"request", TDM_ARG_INT},
      {"real", TDM_ARG_REAL},  {"flag", TDM_ARG_BOOL},        {"text", TDM_ARG_TEXT},
      {"dims", TDM_ARG_JSON},  {"number", TDM_ARG_INT},       {"a \"key\"", TDM_ARG_INT}};
  enum { ARGS = sizeof args / sizeof *args };
  tdm_recording *recording = tdm_recording_new();
  uint32_t track;
  tdm_recorder *r = recorder_into(recording, &track);
  uint32_t layout = tdm_record_layout(r, "x,y", TDM_SHAPE_INSTANT, args, ARGS);
  int64_t name = tdm_record_text(r, "a\"b"), list = tdm_record_text(r, "[1,\"x\"]"),
          torn = tdm_record_text(r, "[1,"), none = TDM_NONE, nan = tdm_record_real((double)NAN);
  const int64_t rows[][ARGS] = {
      {tdm_record_real(1.5), name, 7, tdm_record_real((double)INFINITY), 1, name, list, 0, -3},
      {nan, none, none, tdm_record_real(-(double)INFINITY), 0, none, torn, INT64_MAX, none},
      {nan, none, none, nan, none, none, none, none, none},
      {nan, -1, 0, tdm_record_real(0), none, INT64_C(1) << 32, none, none, none}};
  for (size_t i = 0; i < 4; i++)
    tdm_record_row(r, layout, (int64_t)i - 1, 0, track, (uint32_t)name, rows[i], ARGS);
  char *text = rows_of(r, recording);
  assert_string_equal(
      text,
      "0,instant,-1,0,p,t,OTHER,\"x,y\",\"a\"\"b\",,,7,\"{\"\"bytes\"\":1.5,"
      "\"\"correlation\"\":\"\"a\\\"\"b\"\",\"\"real\"\":\"\"Infinity\"\",\"\"flag\"\":true,"
      "\"\"text\"\":\"\"a\\\"\"b\"\",\"\"dims\"\":[1,\"\"x\"\"],\"\"number\"\":0,"
      "\"\"a \\\"\"key\\\"\"\"\":-3}\"" END "\n"
      "0,instant,0,0,p,t,OTHER,\"x,y\",\"a\"\"b\",,,,\"{\"\"real\"\":\"\"-Infinity\"\","
      "\"\"flag\"\":false,\"\"dims\"\":\"\"[1,\"\",\"\"number\"\":9223372036854775807}\"" END "\n"
      "0,instant,1,0,p,t,OTHER,\"x,y\",\"a\"\"b\",,,," END "\n"
      "0,instant,2,0,p,t,OTHER,\"x,y\",\"a\"\"b\",,,0,\"{\"\"correlation\"\":\"\"\"\","
      "\"\"real\"\":0,"
      "\"\"text\"\":\"\"\"\"}\"" END "\n");
  free(text);
}

/* Those that start together come by layout, then as they were recorded. */
static void rows_that_start_together_keep_their_order(void **state) {
  (void)state;
  tdm_recording *recording = tdm_recording_new();
  uint32_t track, layouts[2];
  tdm_recorder *r = recorder_into(recording, &track);
  layouts[0] = tdm_record_layout(r, "a", TDM_SHAPE_SPAN, NULL, 0);
  layouts[1] = tdm_record_layout(r, "b", TDM_SHAPE_SPAN, NULL, 0);
  static const struct {
    int layout, start;
    const char *name;
  } rows[] = {{1, 5, "b1"}, {0, 5, "a1"}, {1, 3, "b2"}, {0, 5, "a2"}, {1, 5, "b3"},
              {0, 9, "a3"}, {0, 3, "a4"}, {1, 5, "b4"}, {0, 5, "a5"}, {1, 1, "b5"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    tdm_record_row(r, layouts[rows[i].layout], rows[i].start, 2, track,
                   tdm_record_text(r, rows[i].name), NULL, 0);
  char *text = rows_of(r, recording), names[64] = "";
  for (const char *at = text; *at != 0; at = strchr(at, '\n') + 1) {
    static const char before[] = "p,t,OTHER,a,";
    strncat(names, strstr(at, "p,t,OTHER,") + sizeof before - 1, 2);
    strcat(names, " ");
  }
  assert_string_equal(names, "b5 a4 b2 a1 a2 a5 b1 b3 b4 a3 ");
  free(text);
}

static int compare_lines(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Its lines in order: rows that start together may change places. */
static size_t sorted_lines(char *text, char **lines, size_t most) {
  size_t count = 0;
  for (char *at = strtok(text, "\n"); at != NULL && count < most; at = strtok(NULL, "\n"))
    lines[count++] = at;
  qsort(lines, count, sizeof *lines, compare_lines);
  return count;
}

/* What is written, read, and written again. */
static void assert_comes_back(const tdm_recording *recording) {
  enum { MOST = 1000 };
  static char *first[MOST], *second[MOST];
  tdm_status status;
  char *text = written(recording);
  tdm_recording *back = recording_read(&tdm_reader_tandem_csv, text, strlen(text), &status);
  assert_int_equal(status, TDM_OK);
  char *again = written(back);
  size_t count = sorted_lines(text, first, MOST);
  assert_true(count > 1 && count < MOST);
  assert_int_equal(sorted_lines(again, second, MOST), count);
  for (size_t i = 0; i < count; i++) assert_string_equal(second[i], first[i]);
  free(text);
  free(again);
  tdm_recording_free(back);
}

static void everything_comes_back(void **state) {
  (void)state;
  tdm_recording *rich = recording_rich();
  assert_comes_back(rich);
  tdm_recording_free(rich);
}

/* Two ranks whose tracks have the same names, and an edge to a track that comes later. */
static void sources_come_back_apart(void **state) {
  (void)state;
  tdm_error error;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *r = tdm_recorder_new(&sink);
  uint32_t layout = tdm_record_layout(r, "kernel", TDM_SHAPE_SPAN, NULL, 0);
  for (int rank = 0; rank < 2; rank++) {
    tdm_track thread = TDM_TRACK_PLAIN, gpu = TDM_TRACK_PLAIN;
    tdm_recorder_begin_source(r, rank == 0 ? "a" : "b", "test");
    tdm_recorder_rank(r, 5 + rank);
    thread.process = gpu.process = "p";
    thread.name = "thread";
    thread.tid = 10 + rank;
    gpu.name = "stream 7";
    gpu.kind = TDM_TRACK_STREAM;
    gpu.device = rank;
    uint32_t from = tdm_record_track(r, &thread), to = tdm_record_track(r, &gpu);
    tdm_record_edge(r, tdm_record_text(r, "ac2g"), 1, from, 5, to, 3);
    tdm_record_row(r, layout, 5, 2, to, tdm_record_text(r, "k"), NULL, 0);
    assert_int_equal(tdm_recorder_end_source(r, &error), TDM_OK);
  }
  tdm_recorder_free(r);
  assert_comes_back(recording);
  char *text = written(recording);
  tdm_status status;
  tdm_recording *back = recording_read(&tdm_reader_tandem_csv, text, strlen(text), &status);
  assert_int_equal(tdm_recording_sources(back), 2);
  assert_int_equal(tdm_recording_tracks(back), 4);
  assert_int_equal(tdm_recording_source(back, 1)->rank, 6);
  free(text);
  tdm_recording_free(back);
  tdm_recording_free(recording);
}

static void what_makes_no_sense_is_counted(void **state) {
  (void)state;
  static const char text[] =
      "source,shape,start_ns,dur_ns,process,track,lane,category,name,correlation,bytes,request,"
      "args\n"
      "0,span,1,-2,p,t,CPU,x,a,,,,\n999,span,1,2,p,t,CPU,x,a,,,,\n0,spam,1,2,p,t,CPU,x,a,,,,\n"
      "0,span,x,2,p,t,CPU,x,a,,,,\n0,edge,1,2,p,t,CPU,edge,a,,,,{}\n"
      "0,sample,1,0,p,t,CPU,counter,a,,,,{}\n0,span\n";
  tdm_status status;
  tdm_recording *got = recording_read(&tdm_reader_tandem_csv, text, sizeof text - 1, &status);
  size_t count, sum = 0;
  const tdm_problem *problem = tdm_recording_problems(got, &count);
  for (size_t i = 0; i < count; i++) sum += problem[i].count;
  assert_int_equal(status, TDM_OK);
  assert_int_equal(sum, 7);
  tdm_recording_free(got);
  got = recording_read(&tdm_reader_tandem_csv, "source,name\n", 12, &status);
  assert_int_equal(status, TDM_INVALID);
  tdm_recording_free(got);
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
      cmocka_unit_test(values_of_every_kind_have_their_place),
      cmocka_unit_test(rows_that_start_together_keep_their_order),
      cmocka_unit_test(everything_comes_back),
      cmocka_unit_test(sources_come_back_apart),
      cmocka_unit_test(what_makes_no_sense_is_counted),
      cmocka_unit_test(a_failure_leaves_nothing),
  };
  return cmocka_run_group_tests_name("write_csv", tests, make_folder, remove_folder);
}
