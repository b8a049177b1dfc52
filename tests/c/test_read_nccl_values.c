/* read/nccl: each form of a value, in Python's pickles and JSON alike; what an entry or a line says
 * in each of its ways, by hand; pickles that cannot be; which files are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/reader.h"
#include "records_as_text.h"

#define DATA "tests/data/nccl/"

static const char *fact_of(const tdm_recording *got, const char *key) {
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(got, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(facts[i].key, key) == 0) return facts[i].value;
  return NULL;
}

/* ---- values ---- */

static void pickles_of_python_hold_what_its_json_says(void **state) {
  (void)state;
  static const char *const paths[] = {DATA "values.2.pickle", DATA "values.5.pickle"};
  tdm_recording *json = read_path(&tdm_reader_nccl_flight, DATA "values.json");
  size_t wanted, count;
  const tdm_fact *want = tdm_recording_facts(json, &wanted);
  assert_int_equal(rows_count(json), 3);
  for (int i = 0; i < 2; i++) {
    tdm_recording *got = read_path(&tdm_reader_nccl_flight, paths[i]);
    assert_same_rows(got, json);
    const tdm_fact *fact = tdm_recording_facts(got, &count);
    assert_int_equal(count, wanted);
    for (size_t f = 0; f < count; f++) {
      assert_string_equal(fact[f].key, want[f].key);
      assert_string_equal(fact[f].value, want[f].value);
    }
    tdm_recording_free(got);
  }
  /* Of each group 17 numbers of 64 bits, of three texts two that are not empty, and two more. */
  assert_int_equal(wanted, 2 * (17 + 2 + 2) + 302 + 1);
  assert_string_equal(fact_of(json, "pg.a.n6"), "-1");
  assert_string_equal(fact_of(json, "pg.a.n8"), "-129");
  assert_string_equal(fact_of(json, "pg.c.n12"), "-2147483649");
  assert_string_equal(fact_of(json, "pg.a.n15"), "9223372036854775807");
  assert_string_equal(fact_of(json, "pg.a.n16"), "-9223372036854775807");
  assert_null(fact_of(json, "pg.a.n17"));
  assert_null(fact_of(json, "pg.a.yes"));
  assert_string_equal(fact_of(json, "pg.b.last"), "v299");
  assert_string_equal(fact_of(json, "pg.d.only"), "7");
  assert_int_equal(strlen(fact_of(json, "pg.a.t59")), 59);
  assert_int_equal(strlen(fact_of(json, "pg.a.long")), 400);
  tdm_recording_free(json);
}

static tdm_recording *dump_of(const char *entries) {
  static char text[1 << 16];
  assert_true((size_t)snprintf(text, sizeof text, "{\"version\":\"2.4\",\"entries\":[%s]}",
                               entries) < sizeof text);
  return read_bytes(&tdm_reader_nccl_flight, text, strlen(text));
}

#define TRACK "[a rank | process group 1 | other COMM]"

/* What an entry made at 5 and done at 9 says beside that; NULL: nothing of bytes. */
static void assert_bytes(const char *sizes, const char *types, const char *want) {
  char *entry = malloc(strlen(sizes) + 400), row[300], first[40] = "";
  sscanf(types, "[\"%39[^\"]", first);
  sprintf(entry,
          "{\"pg_id\":1,\"time_created_ns\":5,\"time_discovered_completed_ns\":9,"
          "\"input_sizes\":%s,\"input_dtypes\":%s}",
          sizes, types);
  snprintf(row, sizeof row, "async nccl 5+4 'collective'%s%s%s%s%s " TRACK,
           want != NULL ? " bytes=" : "", want != NULL ? want : "",
           *first != 0 ? " data_type=t'" : "", first, *first != 0 ? "'" : "");
  tdm_recording *got = dump_of(entry);
  assert_rows(got, 1, &(const char *){row});
  tdm_recording_free(got);
  free(entry);
}

static void bytes_are_those_of_all_tensors(void **state) {
  (void)state;
  static const struct {
    const char *type, *bytes;
  } types[] = {
      {"Float", "12"},        {"Double", "24"}, {"Half", "6"},          {"BFloat16", "6"},
      {"Int", "12"},          {"Long", "24"},   {"Short", "6"},         {"Char", "3"},
      {"Byte", "3"},          {"Bool", "3"},    {"ComplexFloat", "24"}, {"ComplexDouble", "48"},
      {"UInt16", "6"},        {"UInt32", "12"}, {"UInt64", "24"},       {"ComplexHalf", "12"},
      {"Float8_e4m3fn", "3"}, {"Float8", "3"},  {"Quantized", NULL}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    char type[40];
    snprintf(type, sizeof type, "[\"%s\"]", types[i].type);
    assert_bytes("[[3]]", type, types[i].bytes);
  }
  assert_bytes("[[2,3],[4]]", "[\"Half\"]", "20");
  assert_bytes("[[2,3],[4],[1]]", "[\"Half\",\"Long\"]", "52");
  assert_bytes("[[]]", "[\"Float\"]", "4");
  assert_bytes("[[0,7]]", "[\"Float\"]", "0");
  assert_bytes("[[-1]]", "[\"Float\"]", NULL);
  assert_bytes("[[\"x\"]]", "[\"Float\"]", NULL);
  assert_bytes("[[\"6\"]]", "[\"Float\"]", "24");
  assert_bytes("[]", "[\"Float\"]", NULL);
  assert_bytes("[[3]]", "[]", NULL);
  assert_bytes("[[3]]", "7", NULL);
  assert_bytes("[[2305843009213693951]]", "[\"Float\"]", "9223372036854775804");
  assert_bytes("[[2305843009213693952]]", "[\"Float\"]", NULL);
  assert_bytes("[[2305843009213693951],[1]]", "[\"Float\",\"Byte\"]", "9223372036854775805");
  assert_bytes("[[2305843009213693951],[4]]", "[\"Float\",\"Byte\"]", NULL);
}

/* No more than 4096 sizes of a tensor are looked at, its own end being one. */
static void a_tensor_with_very_many_sizes_has_no_bytes(void **state) {
  (void)state;
  static char sizes[3 * 5000];
  for (int most = 4095; most <= 4096; most++) {
    char *at = sizes;
    at += sprintf(at, "[[1");
    for (int i = 1; i < most; i++) at += sprintf(at, ",1");
    sprintf(at, "]]");
    assert_bytes(sizes, "[\"Byte\"]", most == 4095 ? "1" : NULL);
  }
}

static void an_entry_ends_when_it_was_found_done(void **state) {
  (void)state;
  tdm_recording *got =
      dump_of("{\"pg_id\":1,\"time_created_ns\":5,\"time_discovered_completed_ns\":5,\"state\":"
              "\"started\"},"
              "{\"pg_id\":1,\"time_created_ns\":6,\"time_discovered_completed_ns\":5},"
              "{\"pg_id\":1,\"time_created_ns\":7,\"state\":\"completed\"},"
              "{\"pg_id\":1,\"time_created_ns\":8,\"state\":\"scheduled\"},"
              "{\"pg_id\":1,\"time_created_ns\":9,\"time_discovered_completed_ns\":null},"
              "{\"pg_id\":1,\"time_discovered_completed_ns\":9}");
  const char *const want[] = {
      "async nccl 5+0 'collective' state=t'started' " TRACK, "async nccl 6+0 'collective' " TRACK,
      "async nccl 7+0 'collective' state=t'completed' " TRACK,
      "open nccl 8+0 'collective' state=t'scheduled' " TRACK, "open nccl 9+0 'collective' " TRACK};
  assert_rows(got, 5, want);
  assert_int_equal(problem_count(got, "whose end was not seen"), 1);
  assert_int_equal(problem_count(got, "that end before they begin"), 1);
  assert_int_equal(problem_count(got, "entries without a time"), 1);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "flight recorder 2.4, 2 unfinished");
  tdm_recording_free(got);
}

static void entries_have_either_name_of_a_sequence_and_any_name_of_a_group(void **state) {
  (void)state;
#define DONE "\"time_created_ns\":5,\"time_discovered_completed_ns\":6"
  tdm_recording *got = dump_of(
      "{\"process_group\":[\"2\",\"tp\"]," DONE ",\"collective_seq_id\":3,\"seq_id\":4,"
      "\"duration_ms\":2,\"is_p2p\":1},"
      "{\"process_group\":[\"2\",\"\"]," DONE ",\"seq_id\":4,\"duration_ms\":true,\"is_p2p\":true},"
      "{\"process_group\":[\"2\"]," DONE ",\"duration_ms\":\"3\"},"
      "{\"process_group\":\"2\",\"pg_id\":\"8\"," DONE "},"
      "{" DONE "}");
  const char *const want[] = {
      "async nccl 5+1 'collective' [a rank | process group 8 | other COMM]",
      "async nccl 5+1 'collective' [a rank | process group | other COMM]",
      "async nccl 5+1 'collective' gpu_ms=3r [a rank | process group 2 | other COMM]",
      ("async nccl 5+1 'collective' sequence=3 gpu_ms=2r [a rank | process group 2, tp | other "
       "COMM]"),
      "async nccl 5+1 'collective' sequence=4 p2p=1b [a rank | process group 2 | other COMM]"};
  assert_rows(got, 5, want);
  tdm_recording_free(got);
}

/* A dict is looked at as far as its first 4096 keys. */
static void a_key_is_found_among_many(void **state) {
  (void)state;
  static char text[1 << 16];
  for (int before = 4095; before <= 4096; before++) {
    char *at = text;
    at += sprintf(at, "{");
    for (int i = 0; i < before; i++) at += sprintf(at, "\"k%d\":%d,", i, i);
    sprintf(at, "\"version\":\"2.4\"}");
    tdm_input *input;
    tdm_recording *got;
    tdm_error error;
    assert_int_equal(tdm_input_open_memory(text, strlen(text), &input, &error), TDM_OK);
    tdm_status status = read_input(&tdm_reader_nccl_flight, input, NULL, &got, &error);
    assert_int_equal(status, before == 4095 ? TDM_OK : TDM_INVALID);
    tdm_recording_free(got);
  }
}

/* ---- pickles ---- */

static void assert_pickle(const char *bytes, size_t length, const char *why) {
  tdm_input *input;
  tdm_recording *got;
  tdm_error error = {0};
  assert_int_equal(tdm_input_open_memory(bytes, length, &input, &error), TDM_OK);
  tdm_status status = read_input(&tdm_reader_nccl_flight, input, NULL, &got, &error);
  assert_int_equal(status, why == NULL ? TDM_OK : TDM_INVALID);
  if (why != NULL && strstr(error.message, why) == NULL) fail_msg("%s", error.message);
  if (why == NULL) assert_string_equal(fact_of(got, "pg.a.b"), "1");
  tdm_recording_free(got);
}
#define PICKLE(text, why) assert_pickle("\x80\x02" text, sizeof text + 1, why)

/* {"version": "2", "pg_config": {"a": {"b": …}}} with … as given. */
#define BEGIN      "}(X\7\0\0\0versionX\1\0\0\0002X\t\0\0\0pg_config}X\1\0\0\0a}X\1\0\0\0b"
#define ALL(inner) BEGIN inner "ssu."

static void a_pickle_that_cannot_be_is_damaged_where_it_cannot(void **state) {
  (void)state;
  PICKLE(ALL("K\1"), NULL);
  PICKLE(ALL("N0K\1"), NULL);
  PICKLE(ALL("\x8a\1\1"), NULL);
  PICKLE(ALL("\x8b\2\0\0\0\1\0"), NULL);
  PICKLE(ALL("\x8a\x08\1\0\0\0\0\0\0\0"), NULL);
  PICKLE(ALL("K\1q\0000h\0"), NULL);
  PICKLE(ALL("K\1r\2\0\0\0000j\2\0\0\0"), NULL);
  PICKLE(ALL("X\1\0\0\0001"), NULL);
  PICKLE(ALL("\x8c\1"
             "1"),
         NULL);
  PICKLE(ALL("\x8d\1\0\0\0\0\0\0\0001"), NULL);
  PICKLE("0", "ends too early"); /* damaged or cut: nothing follows that would tell */
  PICKLE("0.", "damaged at byte 2");
  PICKLE("(0.", "damaged at byte 3");
  PICKLE("K\1s.", "damaged at byte 4");
  PICKLE("]K\1K\2s.", "damaged at byte 7");
  PICKLE("}K\1a.", "damaged at byte 5");
  PICKLE("a.", "damaged at byte 2");
  PICKLE("](a.", "damaged at byte 4");
  PICKLE("}(K\1u.", "damaged at byte 6");
  PICKLE("](K\1K\2u.", "damaged at byte 8");
  PICKLE("((K\1e.", "damaged at byte 6");
  PICKLE("e.", "damaged at byte 2");
  PICKLE("t.", "damaged at byte 2");
  PICKLE("K\1\x86.", "damaged at byte 4");
  PICKLE("(K\1\x86.", "damaged at byte 5");
  PICKLE("q\0.", "damaged at byte 2");
  PICKLE("K\1r\xff\0\0\0.", "damaged at byte 4");
  PICKLE("K\1q\0000h\1.", "damaged at byte 7");
  PICKLE("K\1q\1h\0.", "damaged at byte 6");
}

/* ---- NCCL Inspector ---- */

static tdm_recording *inspected(const char *text) {
  return read_bytes(&tdm_reader_nccl_inspector, text, strlen(text));
}

static void lines_have_their_figures_by_either_name(void **state) {
  (void)state;
  tdm_recording *got = inspected(
      "{\"hostname\":\"h\",\"comm_name\":\"x\",\"rank\":0,\"rank\":1,\"n_ranks\":2,\"nnodes\":3,"
      "\"inspector_output_format_version\":\"v4\",\"pid\":4,\"dump_timestamp_us\":100,"
      "\"coll\":\"Reduce\",\"coll_sn\":5,\"coll_msg_size_bytes\":6,\"coll_exec_time_us\":7.5,"
      "\"coll_timing_source\":\"kernel\",\"coll_algobw_gbs\":8.5,\"coll_busbw_gbs\":9.5}\n"
      " \t \n\n"
      "{\"hostname\":\"i\",\"rank\":0,\"inspector_output_format_version\":\"v5\",\"id\":\"y\","
      "\"p2p\":\"Recv\",\"p2p_sn\":5,\"p2p_peer\":6,\"p2p_msg_size_bytes\":7,"
      "\"p2p_exec_time_us\":0,\"p2p_timing_source\":\"host\",\"p2p_algobw_gbs\":1,"
      "\"p2p_busbw_gbs\":2,\"kernel_stop_ts\":50,\"kernel_stop_ts\":70,\"kernel_stop_ts\":60}\n"
      "{\"rank\":0,\"coll\":\"A\",\"coll_exec_time_us\":-1,\"dump_timestamp_us\":100}\n"
      "{\"rank\":0,\"coll\":\"A\",\"dump_timestamp_us\":100}\n"
      "{\"rank\":0,\"coll\":\"A\",\"coll_exec_time_us\":1}\n"
      "{\"rank\":0,\"coll_exec_time_us\":1,\"dump_timestamp_us\":100}\n"
      "{\"rank\":0,\"coll\":\"A\",\"coll_exec_time_us\":1,\"dump_timestamp_us\":9223372036854776}\n"
      "{\"coll\":\"A\",\"coll_exec_time_us\":1,\"dump_timestamp_us\":9223372036854775}");
  const char *const want[] = {
      "async nccl 70000+0 'Recv' bytes=7 sequence=5 peer=6 timing=t'host' algorithm_gb_per_s=1r "
      "bus_gb_per_s=2r [rank 0 | communicator y | other COMM]",
      "async nccl 9223372036854774000+1000 'A' [a rank | communicator  | other COMM]",
      "async nccl 92500+7500 'Reduce' bytes=6 sequence=5 ranks=2 nodes=3 timing=t'kernel' "
      "algorithm_gb_per_s=8.5r bus_gb_per_s=9.5r [rank 0 | communicator x | other COMM pid=4]"};
  assert_rows(got, 3, want);
  assert_int_equal(problem_count(got, "lines without an operation and its time"), 5);
  assert_int_equal(problem_count(got, "placed before the time of their dump"), 2);
  assert_string_equal(fact_of(got, "host.name"), "h");
  assert_string_equal(tdm_recording_source(got, 0)->detail, "NCCL Inspector v4");
  assert_int_equal(tdm_recording_source(got, 0)->rank, TDM_NONE);
  tdm_recording_free(got);
  got = inspected("{\"rank\":0,\"coll\":\"A\",\"coll_exec_time_us\":1,\"dump_timestamp_us\":1}");
  assert_int_equal(tdm_recording_source(got, 0)->rank, 0);
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, 0);
  tdm_recording_free(got);
}

/* ---- which files are told ---- */

static int sure(const tdm_reader *reader, const char *text, size_t length) {
  return reader->detect((const unsigned char *)text, length, "x");
}
#define FLIGHT(text)    sure(&tdm_reader_nccl_flight, text, sizeof text - 1)
#define INSPECTOR(text) sure(&tdm_reader_nccl_inspector, text, sizeof text - 1)

static void files_are_told_by_their_words(void **state) {
  (void)state;
  static char far[400] = "{\"entries\":[],\"version\":\"2\"";
  assert_true(FLIGHT("\x80\x02 collective_seq_id") > 85);
  assert_true(FLIGHT("\x80\x05 pg_config") > 85);
  assert_true(FLIGHT("\x80\x03 time_created_ns") > 85);
  assert_true(FLIGHT("\x80\x04 entries version") > 0);
  assert_int_equal(FLIGHT("\x80\x04 entries"), 0);
  assert_int_equal(FLIGHT("\x80\x04 version"), 0);
  assert_int_equal(FLIGHT("\x80\x01 pg_config"), 0);
  assert_int_equal(FLIGHT("\x80\x06 pg_config"), 0);
  assert_int_equal(FLIGHT("\x80\x02"), 0);
  assert_true(FLIGHT(" \n{\"pg_config\",\"version\"") > 60);
  assert_true(FLIGHT("{\"collective_seq_id\",\"entries\"") > 60);
  assert_int_equal(FLIGHT("{\"pg_config\""), 0);
  assert_int_equal(FLIGHT("{\"traceEvents\",\"pg_config\",\"version\""), 0);
  assert_int_equal(FLIGHT("[\"pg_config\",\"version\""), 0);
  assert_int_equal(FLIGHT(" "), 0);
  assert_true(FLIGHT("{\"entries\",\"version\"") > 0);
  assert_int_equal(FLIGHT("{\"entries\""), 0);
  assert_int_equal(FLIGHT("{\"version\""), 0);
  assert_true(sure(&tdm_reader_nccl_flight, far, 255) > 0);
  assert_int_equal(sure(&tdm_reader_nccl_flight, far, 256), 0);
  assert_true(INSPECTOR(" {\"p2p_perf\",\"dump_timestamp_us\"") > 60);
  assert_true(INSPECTOR("{\"coll_perf\"") > 0);
  assert_int_equal(INSPECTOR("{\"dump_timestamp_us\""), 0);
  assert_int_equal(INSPECTOR("[\"coll_perf\""), 0);
  assert_int_equal(INSPECTOR(" "), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pickles_of_python_hold_what_its_json_says),
      cmocka_unit_test(bytes_are_those_of_all_tensors),
      cmocka_unit_test(a_tensor_with_very_many_sizes_has_no_bytes),
      cmocka_unit_test(an_entry_ends_when_it_was_found_done),
      cmocka_unit_test(entries_have_either_name_of_a_sequence_and_any_name_of_a_group),
      cmocka_unit_test(a_key_is_found_among_many),
      cmocka_unit_test(a_pickle_that_cannot_be_is_damaged_where_it_cannot),
      cmocka_unit_test(lines_have_their_figures_by_either_name),
      cmocka_unit_test(files_are_told_by_their_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
