/* read/nccl: a flight recorder's pickle and its JSON twin give the same records, counted by hand;
 * pickles that want code to be run, or are damaged, are refused; NCCL Inspector's examples against
 * figures that Python's json counts in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/reader.h"
#include "records_as_text.h"

#define DATA "tests/data/nccl/"

static void pickle_and_json_say_the_same(void **state) {
  (void)state;
  static const char *const want[] = {
      "async nccl 1724779239936775119+39036605 'nccl:all_reduce' bytes=48 sequence=1 "
      "p2p_sequence=0 operation=1 record=0 state=t'completed' data_type=t'Float' p2p=0b "
      "found_started_ns=1724779239936776119 gpu_ms=0.5r timeout_ms=600000 "
      "[rank 3 | process group 0, default_pg | other COMM]",
      "async nccl 1724779239986775119+40000000 'nccl:all_gather' bytes=2080 sequence=2 "
      "p2p_sequence=0 operation=2 record=1 state=t'completed' data_type=t'BFloat16' p2p=0b "
      "timeout_ms=600000 [rank 3 | process group 0, default_pg | other COMM]",
      "open nccl 1724779240031775119+0 'nccl:send' bytes=80 sequence=3 p2p_sequence=0 "
      "operation=3 record=2 state=t'started' data_type=t'Long' p2p=1b "
      "found_started_ns=1724779240032775119 timeout_ms=600000 "
      "[rank 3 | process group 1, pp | other COMM]"};
  const char *const paths[] = {DATA "nccl_trace_rank_3", DATA "nccl_trace_rank_3.json"};
  for (int i = 0; i < 2; i++) {
    tdm_recording *got = read_path(&tdm_reader_nccl_flight, paths[i]);
    assert_rows(got, 3, want);
    const tdm_source *source = tdm_recording_source(got, 0);
    assert_int_equal(source->rank, 3);
    assert_int_equal(source->utc_ns, 0);
    assert_string_equal(source->detail, "flight recorder 2.10, NCCL 2.26.6, 1 unfinished");
    size_t facts;
    const tdm_fact *fact = tdm_recording_facts(got, &facts);
    assert_int_equal(facts, 6);
    assert_string_equal(fact[2].key, "pg.0.ranks");
    assert_string_equal(fact[2].value, "[0, 1]");
    assert_string_equal(fact[5].key, "pg.0.last_completed_collective");
    assert_string_equal(fact[5].value, "2");
    tdm_recording_free(got);
  }
}

static void assert_refused(const tdm_reader *reader, const char *bytes, size_t length,
                           const char *why) {
  tdm_input *input;
  tdm_recording *recording;
  tdm_error error = {0};
  assert_int_equal(tdm_input_open_memory(bytes, length, &input, &error), TDM_OK);
  assert_int_equal(read_input(reader, input, NULL, &recording, &error), TDM_INVALID);
  if (strstr(error.message, why) == NULL) fail_msg("%s", error.message);
  tdm_recording_free(recording);
}

#define REFUSED(text, why) assert_refused(&tdm_reader_nccl_flight, text, sizeof text - 1, why)

static void nothing_of_a_pickle_is_run(void **state) {
  (void)state;
  REFUSED("\x80\x02}q\0(X\7\0\0\0versioncposix\nsystem\nX\4\0\0\0true\x85Rs.", "GLOBAL at byte 18");
  REFUSED("\x80\x04\x8c\x05posix\x8c\x06system\x93.", "STACK_GLOBAL");
  REFUSED("\x80\x02)R.", "REDUCE");
  REFUSED("\x80\x02}b.", "BUILD");
  REFUSED("\x80\x02(iposix\nsystem\n.", "INST");
  REFUSED("\x80\x02)\x81.", "NEWOBJ");
  REFUSED("\x80\x02PX\n.", "PERSID");
  REFUSED("\x80\x02\x82\x01.", "EXT");
  REFUSED("\x80\x02\xff.", "instruction 0xff at byte 2");
}

static void damaged_pickles_are_refused(void **state) {
  (void)state;
  REFUSED("\x80\x02}", "ends too early");
  REFUSED("\x80\x02X\xff\xff\xff\xff.", "damaged at byte 2");
  REFUSED("\x80\x02u.", "damaged at byte 2");
  REFUSED("\x80\x02(u.", "damaged at byte 3");
  REFUSED("\x80\x02h\x07.", "damaged at byte 2");
  REFUSED("\x80\x02K\x07.", "neither \"version\" nor \"entries\"");
  REFUSED("\x80\x02.", "neither \"version\" nor \"entries\"");
}

/* Every beginning of a dump is an error, none a crash. */
static void cut_dumps_are_refused(void **state) {
  (void)state;
  size_t length;
  char bytes[4096];
  FILE *file = fopen(DATA "nccl_trace_rank_3", "rb");
  assert_non_null(file);
  length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (size_t cut = 1; cut < length; cut++)
    assert_refused(&tdm_reader_nccl_flight, bytes, cut, cut == 1 ? "" : "the pickle ");
}

static void the_smallest_dump_is_read(void **state) {
  (void)state;
  static const char json[] = "{\"version\":\"2.4\",\"entries\":[]}";
  static const char pickle[] = "\x80\x02}(X\7\0\0\0versionX\3\0\0\0002.4X\7\0\0\0entries]u.";
  tdm_recording *got = read_bytes(&tdm_reader_nccl_flight, json, sizeof json - 1);
  assert_int_equal(rows_count(got), 0);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "flight recorder 2.4, 0 unfinished");
  tdm_recording_free(got);
  got = read_bytes(&tdm_reader_nccl_flight, pickle, sizeof pickle - 1);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "flight recorder 2.4, 0 unfinished");
  tdm_recording_free(got);
}

/* By Python: 3 records, 103,141 µs, 19,327,418,368 bytes. */
static void inspectors_examples_have_the_figures_that_python_counts(void **state) {
  (void)state;
  tdm_recording *got = read_path(&tdm_reader_nccl_inspector, DATA "inspector_readme.jsonl");
  assert_int_equal(tdm_recording_layouts(got), 1);
  const tdm_kept_rows *rows = tdm_recording_rows(got, 0);
  int64_t dur_ns = 0, bytes = 0;
  assert_int_equal(rows->count, 3);
  for (size_t i = 0; i < 3; i++) {
    dur_ns += tdm_kept(rows, TDM_DUR, i);
    bytes += tdm_kept(rows, TDM_ARGS, i);
  }
  assert_int_equal(dur_ns, 103141000);
  assert_int_equal(bytes, INT64_C(19327418368));
  assert_int_equal(problem_count(got, "placed before the time of their dump"), 2);
  assert_int_equal(tdm_recording_source(got, 0)->rank, TDM_NONE); /* three ranks in one file */
  tdm_recording_free(got);
}

static void operations_end_with_their_last_kernel(void **state) {
  (void)state;
  static const char text[] =
      "{\"header\":{\"id\":\"0xab\",\"rank\":4,\"n_ranks\":8,\"nnodes\":1},\"metadata\":{"
      "\"inspector_output_format_version\":\"v5.1\",\"dump_timestamp_us\":900,\"pid\":7},"
      "\"coll_perf\":{\"coll\":\"AllReduce\",\"coll_sn\":3,\"coll_msg_size_bytes\":64,"
      "\"coll_exec_time_us\":20,\"coll_busbw_gbs\":1.5,\"events\":[{\"event_type\":\"KernelCh\","
      "\"event_trace_ts\":{\"kernel_stop_ts\":650}},{\"event_trace_ts\":{\"kernel_stop_ts\":640}}]"
      "}}\n\n"
      "{\"header\":{\"id\":\"0xab\",\"comm_name\":\"DP\",\"rank\":4},\"metadata\":{"
      "\"dump_timestamp_us\":900,\"pid\":7},\"p2p_perf\":{\"p2p\":\"Send\",\"p2p_peer\":1,"
      "\"p2p_msg_size_bytes\":8,\"p2p_exec_time_us\":0.5}}\n"
      "{\"header\":{\"rank\":4}}\n";
  static const char *const want[] = {
      "async nccl 630000+20000 'AllReduce' bytes=64 sequence=3 ranks=8 nodes=1 bus_gb_per_s=1.5r "
      "[rank 4 | communicator 0xab | other COMM pid=7]",
      "async nccl 899500+500 'Send' bytes=8 peer=1 [rank 4 | communicator 0xab | other COMM "
      "pid=7]"};
  tdm_recording *got = read_bytes(&tdm_reader_nccl_inspector, text, sizeof text - 1);
  assert_rows(got, 2, want);
  assert_int_equal(problem_count(got, "lines without an operation"), 1);
  assert_int_equal(tdm_recording_source(got, 0)->rank, 4);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "NCCL Inspector v5.1");
  tdm_recording_free(got);
  assert_refused(&tdm_reader_nccl_inspector, "{}\n", 3, "no line of it is an operation");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pickle_and_json_say_the_same),
      cmocka_unit_test(nothing_of_a_pickle_is_run),
      cmocka_unit_test(damaged_pickles_are_refused),
      cmocka_unit_test(cut_dumps_are_refused),
      cmocka_unit_test(the_smallest_dump_is_read),
      cmocka_unit_test(inspectors_examples_have_the_figures_that_python_counts),
      cmocka_unit_test(operations_end_with_their_last_kernel)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
