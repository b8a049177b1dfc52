/* The reader of tandem's own CSV on tables by hand: columns in any order, kinds that nobody knows,
 * values of every form, tracks that edges name first, sources that there may be. What the writer
 * makes comes back in test_write_csv.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "read/csv.h"
#include "read/reader.h"
#include "records_as_text.h"

#define HEADER                                                                                     \
  "source,shape,start_ns,dur_ns,process,track,lane,category,name,correlation,bytes,request,args,"  \
  "track_kind,track_lane,pid,tid,device,context,stream,rank\n"

static tdm_recording *table(const char *text) {
  return read_bytes(&tdm_reader_tandem_csv, text, strlen(text));
}

static void columns_are_found_by_name(void **state) {
  (void)state;
  static const char *const want[] = {"span c 5+0 'b' [ |  | other OTHER]",
                                     "span c 7+2 'a' bytes=3 [p | t | thread CPU pid=4 tid=5]"};
  tdm_recording *got =
      table("name,start_ns,shape,source,x,category,dur_ns,bytes,pid,tid,track_kind,track_lane,"
            "process,track,name\n"
            "a,7,span,0,y,c,2,3,4,5,thread,CPU,p,t,z\n"
            "b,5,span,0,y,c\n\n");
  lines all = lines_of(got);
  assert_int_equal(all.count, 2);
  assert_string_equal(all.line[1], want[1]);
  assert_true(strncmp(all.line[0], "span c 5+0 'b' ", 15) == 0);
  lines_free(&all);
  tdm_recording_free(got);
  static const char *const lacks[] = {"source,shape,start_ns\n", "source,shape,name\n",
                                      "source,start_ns,name\n", ""};
  for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
    tdm_input *input;
    tdm_error error;
    assert_int_equal(tdm_input_open_memory(lacks[i], strlen(lacks[i]), &input, &error), TDM_OK);
    assert_int_equal(read_input(&tdm_reader_tandem_csv, input, NULL, &got, &error), TDM_INVALID);
    assert_string_equal(error.message, "memory: its header is not that of tandem's CSV");
    tdm_recording_free(got);
  }
}

static void kinds_and_lanes_that_nobody_knows_are_others(void **state) {
  (void)state;
  static const char *const want[] = {"span c 1+1 'n' [p | a | other OTHER]",
                                     "span c 2+1 'n' [p | b | stream GPU device=1 stream=2]",
                                     "span c 3+1 'n' [p | c | device OTHER context=9]",
                                     "span c 4+1 'n' [p | d | other COMM]"};
  tdm_recording *got = table(HEADER "0,span,1,1,p,a,x,c,n,,,,,strange,odd,,,,,,\n"
                                    "0,span,2,1,p,b,x,c,n,,,,,stream,GPU,,,1,,2,\n"
                                    "0,span,3,1,p,c,x,c,n,,,,,device,,,,,9,,\n"
                                    "0,span,4,1,p,d,x,c,n,,,,,,COMM,x,1.5,,,,\n");
  assert_rows(got, 4, want);
  tdm_recording_free(got);
}

static void arguments_have_the_types_of_json(void **state) {
  (void)state;
  static const char *const want[] = {
      ("span c 1+1 'n' correlation=7 bytes=8 request=9 a=1 b=1.5r c=t'x' d=1b e=0b "
       "f=j'{\"g\":[1,{}]}' h=j'[]' i=infr [p | t | other OTHER]"),
      "span c 2+1 'n' [p | t | other OTHER]", "span c 3+1 'n' [p | t | other OTHER]"};
  tdm_recording *got =
      table(HEADER "0,span,1,1,p,t,x,c,n,7,8,9,\"{\"\"a\"\":1,\"\"b\"\":1.5,\"\"c\"\":\"\"x\"\","
                   "\"\"d\"\":true,\"\"e\"\":false,\"\"f\"\":{\"\"g\"\":[1,{}]},\"\"h\"\":[],"
                   "\"\"i\"\":1e999,\"\"j\"\":null}\"\n"
                   "0,span,2,1,p,t,x,c,n,x,,,[1]\n0,span,3,1,p,t,x,c,n,,,,7\n");
  assert_rows(got, 3, want);
  tdm_recording_free(got);
}

/* A duration below zero is an edge's alone. */
static void durations_below_zero_are_those_of_edges(void **state) {
  (void)state;
  static const char *const want[] = {
      "edge edge 5+-2 'e' [p | t | other OTHER][p | t | other OTHER]",
      "instant c 5+0 'n' [p | t | other OTHER]", "span c 5+0 'm' [p | t | other OTHER]",
      "span c 5+0 'n' [p | t | other OTHER]"};
  tdm_recording *got =
      table(HEADER "0,span,5,-1,p,t,x,c,n\n0,span,5,0,p,t,x,c,m\n0,instant,5,,p,t,x,c,n\n"
                   "0,edge,5,-2,p,t,x,edge,e,,,,\"{\"\"to_process\"\":\"\"p\"\",\"\"to_track\"\":"
                   "\"\"t\"\",\"\"to_track\"\":\"\"u\"\",\"\"id\"\":\"\"x\"\",\"\"y\"\":[{}]}\"\n");
  assert_rows(got, 4, want);
  assert_int_equal(problem_count(got, "durations below zero"), 1);
  tdm_recording_free(got);
}

static int64_t edge_id(const char *id) {
  char text[600];
  snprintf(text, sizeof text,
           HEADER "0,edge,1,2,p,t,x,edge,e,,,,\"{\"\"to_process\"\":\"\"p\"\",\"\"to_track\"\":"
                  "\"\"u\"\",\"\"id\"\":%s}\"\n",
           id);
  tdm_recording *got = table(text);
  const tdm_kept_rows *rows = tdm_recording_rows(got, 0);
  assert_int_equal(tdm_recording_layout(got, 0)->shape, TDM_SHAPE_EDGE);
  assert_int_equal(rows->count, 1);
  int64_t found = tdm_kept(rows, TDM_ARGS + 1, 0);
  tdm_recording_free(got);
  return found;
}

static void edges_and_samples_say_all_that_they_need(void **state) {
  (void)state;
  assert_int_equal(edge_id("7"), 7);
  assert_int_equal(edge_id("1.5"), TDM_NONE);
  assert_int_equal(edge_id("\"\"7\"\""), TDM_NONE);
  static const char *const want[] = {
      "sample counter 1+0 'u' value=1.5r unit=t'%' [p | t | other OTHER]",
      "sample counter 2+0 'u' value=infr unit=t'' [p | t | other OTHER]",
      "sample counter 3+0 'u' value=0r unit=t'' [p | t | other OTHER]"};
  tdm_recording *got = table(
      HEADER "0,sample,1,0,p,t,x,counter,u,,,,\"{\"\"x\"\":{\"\"value\"\":9},\"\"value\"\":1.5,"
             "\"\"unit\"\":\"\"%\"\"}\"\n"
             "0,sample,2,0,p,t,x,counter,u,,,,\"{\"\"value\"\":\"\"Infinity\"\",\"\"unit\"\":7}\"\n"
             "0,sample,3,0,p,t,x,counter,u,,,,\"{\"\"value\"\":0}\"\n"
             "0,sample,4,0,p,t,x,counter,u,,,,\"{\"\"value\"\":[1]}\"\n"
             "0,sample,5,0,p,t,x,counter,u,,,,\n"
             "0,edge,1,2,p,t,x,edge,e,,,,\"{\"\"to_process\"\":\"\"p\"\"}\"\n"
             "0,edge,1,2,p,t,x,edge,e,,,,\"{\"\"to_track\"\":\"\"p\"\"}\"\n"
             "0,edge,9223372036854775807,1,p,t,x,edge,e,,,,\"{\"\"to_process\"\":\"\"p\"\",\"\"to_"
             "track\"\":\"\"u\"\"}\"\n");
  assert_rows(got, 3, want);
  assert_int_equal(problem_count(got, "samples without a value"), 2);
  assert_int_equal(problem_count(got, "edges that do not say where"), 3);
  tdm_recording_free(got);
}

/* An edge names a track before a row tells its numbers; two tracks may have the same names. */
static void tracks_are_told_once_by_names_and_numbers(void **state) {
  (void)state;
  static const char *const want[] = {
      "edge edge 1+2 'e' [p | t | thread CPU tid=1][p | u | stream GPU device=3]",
      "span c 2+1 'n' [p | t | thread CPU tid=1]", "span c 3+1 'n' [p | t | thread CPU tid=2]",
      "span c 4+1 'n' [p | u | stream GPU device=3]"};
  tdm_recording *got = table(
      HEADER
      "0,edge,1,2,p,t,x,edge,e,,,,\"{\"\"to_process\"\":\"\"p\"\",\"\"to_track\"\":\"\"u\"\"}\","
      "thread,CPU,,1,,,,\n"
      "0,span,2,1,p,t,x,c,n,,,,,thread,CPU,,1,,,,\n0,span,3,1,p,t,x,c,n,,,,,thread,CPU,,2,,,,\n"
      "0,span,4,1,p,u,x,c,n,,,,,stream,GPU,,,3,,,\n");
  assert_rows(got, 4, want);
  assert_int_equal(tdm_recording_tracks(got), 3);
  tdm_recording_free(got);
}

static void sources_are_those_from_0_to_255(void **state) {
  (void)state;
  tdm_recording *got =
      table(HEADER "-1,span,1,1,p,t,x,c,n\n0,span,2,1,p,t,x,c,n,,,,,,,,,,,,4\n"
                   "255,span,3,1,p,t,x,c,n,,,,,,,,,,,,0\n256,span,4,1,p,t,x,c,n\n");
  assert_int_equal(rows_count(got), 2);
  assert_int_equal(tdm_recording_sources(got), 2);
  assert_int_equal(tdm_recording_source(got, 0)->rank, 4);
  assert_int_equal(tdm_recording_source(got, 1)->rank, 0);
  assert_int_equal(tdm_recording_source(got, 1)->rows, 1);
  assert_int_equal(problem_count(got, "rows that make no sense"), 2);
  tdm_recording_free(got);
}

/* The table is read once for each source. */
static void records_that_are_too_long_are_counted_once(void **state) {
  (void)state;
  char *text = malloc(TDM_CSV_RECORD + 1000), *at = text;
  at += sprintf(at, "%s", HEADER "0,span,1,1,p,t,x,c,");
  memset(at, 'n', TDM_CSV_RECORD);
  strcpy(at + TDM_CSV_RECORD, "\n1,span,2,1,p,t,x,c,n\n2,span,3,1,p,t,x,c,n\n");
  tdm_recording *got = table(text);
  free(text);
  assert_int_equal(tdm_recording_sources(got), 3);
  assert_int_equal(rows_count(got), 3);
  assert_int_equal(problem_count(got, "records that are too long"), 1);
  tdm_recording_free(got);
}

/* Kinds of rows are at most 2048: of more, several arguments become one text, one stays as it is.
 */
static void kinds_of_rows_are_bounded(void **state) {
  (void)state;
  enum { KINDS = 2060, ROOM = 64 };
  char *text = malloc((KINDS + 2) * ROOM + sizeof HEADER), *at = text;
  at += sprintf(at, "%s", HEADER);
  for (int i = 0; i < KINDS; i++) at += sprintf(at, "0,span,%d,1,p,t,x,c%d,n,%d,8\n", i, i, i + 1);
  strcpy(at, "0,span,9000,1,p,t,x,d,n,,5\n0,span,9001,1,p,t,x,e,n\n");
  tdm_recording *got = table(text);
  free(text);
  assert_int_equal(rows_count(got), KINDS + 2);
  assert_int_equal(problem_count(got, "kept as JSON (too many kinds)"), KINDS - 2048);
  uint32_t layouts = tdm_recording_layouts(got);
  assert_int_equal(layouts, KINDS + 2);
  static const struct {
    uint32_t back, args;
    const char *key;
  } of[] = {{1, 0, NULL}, {2, 1, "bytes"}, {3, 1, "args"}, {KINDS + 2, 2, "correlation"}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    const tdm_layout *layout = tdm_recording_layout(got, layouts - of[i].back);
    assert_int_equal(layout->args, of[i].args);
    if (of[i].key != NULL) assert_string_equal(layout->arg[0].key, of[i].key);
  }
  const tdm_kept_rows *rows = tdm_recording_rows(got, layouts - 3);
  assert_string_equal(tdm_recording_name(got, tdm_kept(rows, TDM_ARGS, 0), NULL),
                      "{\"correlation\":2060,\"bytes\":8}");
  tdm_recording_free(got);
}

static void what_is_not_wanted_is_left_out(void **state) {
  (void)state;
  static const char text[] = HEADER "0,span,1,1,p,t,x,cpu_op,n\n0,span,2,1,p,t,x,kernel,n\n";
  tdm_read_options options = {.dropped = TDM_READ_NO_CPU};
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  assert_int_equal(tdm_input_open_memory(text, sizeof text - 1, &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_tandem_csv, input, &options, &got, &error), TDM_OK);
  assert_rows(got, 1, &(const char *){"span kernel 2+1 'n' [p | t | other OTHER]"});
  tdm_recording_free(got);
}

static int sure(const char *text, size_t length) {
  return tdm_reader_tandem_csv.detect((const unsigned char *)text, length, "x");
}

static void it_is_told_by_its_first_columns(void **state) {
  (void)state;
  static const char begins[] = "source,shape,start_ns,dur_ns,process,track,";
  assert_true(sure(begins, sizeof begins - 1) > 90);
  assert_true(sure(HEADER, sizeof HEADER - 1) > 90);
  assert_int_equal(sure(begins, sizeof begins - 2), 0);
  assert_int_equal(sure("source,shape,start_ns,dur_ns,process,tracks,", 44), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_found_by_name),
      cmocka_unit_test(kinds_and_lanes_that_nobody_knows_are_others),
      cmocka_unit_test(arguments_have_the_types_of_json),
      cmocka_unit_test(durations_below_zero_are_those_of_edges),
      cmocka_unit_test(edges_and_samples_say_all_that_they_need),
      cmocka_unit_test(tracks_are_told_once_by_names_and_numbers),
      cmocka_unit_test(sources_are_those_from_0_to_255),
      cmocka_unit_test(records_that_are_too_long_are_counted_once),
      cmocka_unit_test(kinds_of_rows_are_bounded),
      cmocka_unit_test(what_is_not_wanted_is_left_out),
      cmocka_unit_test(it_is_told_by_its_first_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
