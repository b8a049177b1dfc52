/* read/rocprof: real files against figures that Python's csv and json count in them, what no real
 * file has (copies, calls and markers in JSON) by hand, and what must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/reader.h"
#include "records_as_text.h"

#define DATA "tests/data/rocprof/"

typedef struct {
  uint64_t rows;
  int64_t total_ns;
  uint32_t names;
} figures;

/* Over the rows of one category. */
static figures figures_of(const tdm_recording *got, const char *category) {
  figures sum = {0};
  uint8_t seen[4096] = {0};
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    if (strcmp(tdm_recording_layout(got, i)->category, category) != 0) continue;
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    for (size_t row = 0; row < rows->count; row++) {
      int64_t name = tdm_kept(rows, TDM_NAME, row);
      sum.rows++;
      sum.total_ns += tdm_kept(rows, TDM_DUR, row);
      assert_true(name < (int64_t)sizeof seen);
      sum.names += !seen[name];
      seen[name] = 1;
    }
  }
  return sum;
}

static void assert_figures(const tdm_reader *reader, const char *path, const char *category,
                           uint64_t rows, int64_t total_ns, uint32_t names) {
  tdm_recording *got = read_path(reader, path);
  figures sum = figures_of(got, category);
  assert_int_equal(sum.rows, rows);
  assert_int_equal(sum.total_ns, total_ns);
  assert_int_equal(sum.names, names);
  size_t problems;
  tdm_recording_problems(got, &problems);
  assert_int_equal(problems, 0);
  tdm_recording_free(got);
}

static void tables_have_the_figures_that_python_counts(void **state) {
  (void)state;
  const tdm_reader *csv = &tdm_reader_rocprof_csv;
  assert_figures(csv, DATA "docs_kernel_trace.csv", "kernel", 7, 795453, 3);
  assert_figures(csv, DATA "gfx1151_decode_kernel_trace.csv", "kernel", 144, 1857381, 17);
  assert_figures(csv, DATA "docs_hip_runtime_trace.csv", "runtime", 8, 972177644, 5);
  assert_figures(csv, DATA "docs_marker_api_trace.csv", "nvtx", 5, 4962639, 5);
  assert_figures(csv, DATA "docs_memory_copy_trace.csv", "memcpy", 2, 1145680, 2);
  assert_figures(csv, DATA "gfx1151_decode_fetch_counter_collection.csv", "kernel", 34, 467793, 17);
  assert_figures(&tdm_reader_rocprof_json, DATA "908_results_cut.json.gz", "kernel", 340,
                 1369057610, 60);
}

static tdm_recording *read_csv(const char *text) {
  return read_bytes(&tdm_reader_rocprof_csv, text, strlen(text));
}

static void kernels_have_grids_in_blocks_and_their_resources(void **state) {
  (void)state;
  tdm_recording *got = read_csv(
      "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_"
      "Id\","
      "\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\","
      "\"Scratch_Size\",\"VGPR_Count\",\"SGPR_Count\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\","
      "\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
      "\"KERNEL_DISPATCH\",\"Agent 4\",\"2\",\"3\",\"77\",\"164\",\"33\",\"scale(float, long)\","
      "\"40054\",\"1000\",\"1500\",\"512\",\"16\",\"8\",\"128\",\"256\",\"2\",\"1\",\"24577\","
      "\"4\",\"1\"\n"
      "KERNEL_DISPATCH,4,2,,77,165,33,late,0,2000,1900,0,0,,,0,1,1,64,1,1\n");
  const char *const want[] = {
      "span kernel 1000+500 'scale(float, long)' correlation=40054 grid_x=97 grid_y=2 grid_z=1 "
      "block_x=256 block_y=2 block_z=1 static_shared_bytes=512 local_bytes_per_thread=16 "
      "registers_per_thread=8 scalar_registers=128 queue=2 dispatch=164 "
      "[AMD GPU agent 4 | stream 3 | stream GPU device=4 stream=3]",
      "span kernel 2000+0 'late' correlation=0 grid_y=1 grid_z=1 block_x=0 block_y=1 block_z=1 "
      "static_shared_bytes=0 local_bytes_per_thread=0 queue=2 dispatch=165 "
      "[AMD GPU agent 4 | queue 2 | stream GPU device=4 stream=2]"};
  assert_rows(got, 2, want);
  assert_int_equal(problem_count(got, "end before they begin"), 1);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "rocprofv3, kernels");
  tdm_recording_free(got);
}

/* By Python: 34 values of 17 kernels, 42,346.6875 together; 1,024 of FETCH_SIZE's first. */
static void counters_are_metrics_of_their_launch(void **state) {
  (void)state;
  tdm_recording *got =
      read_path(&tdm_reader_rocprof_csv, DATA "gfx1151_decode_fetch_counter_collection.csv");
  size_t count;
  double sum = 0;
  const tdm_metric *metric = tdm_recording_metrics(got, &count);
  assert_int_equal(count, 34);
  for (size_t i = 0; i < count; i++) sum += metric[i].value;
  assert_true(sum == 42346.6875);
  assert_string_equal(metric[0].name, "FETCH_SIZE");
  assert_string_equal(metric[0].subject, "__amd_rocclr_copyBuffer");
  assert_int_equal(metric[0].ordinal, 0);
  assert_int_equal(metric[1].ordinal, 1);
  assert_true(metric[1].value == 10.5);
  tdm_recording_free(got);
}

static void several_counters_of_a_launch_share_its_number(void **state) {
  (void)state;
  tdm_recording *got = read_csv("Correlation_Id,Dispatch_Id,Agent_Id,Kernel_Name,Counter_Name,"
                                "Counter_Value\n1,7,1,k,A,1\n1,7,1,k,B,2\n2,9,1,k,A,3\n");
  size_t count;
  const tdm_metric *metric = tdm_recording_metrics(got, &count);
  assert_int_equal(count, 3);
  assert_int_equal(metric[0].ordinal, 0);
  assert_int_equal(metric[1].ordinal, 0);
  assert_int_equal(metric[2].ordinal, 1);
  assert_int_equal(rows_count(got), 0);
  tdm_recording_free(got);
}

static const char process_text[] =
    "{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"pid\":908,\"node\":{\"hostname\":\"node 7\"}},"
    "\"agents\":[{\"id\":{\"handle\":1},\"type\":1,\"logical_node_type_id\":0,"
    "\"product_name\":\"EPYC\"},{\"id\":{\"handle\":2},\"type\":2,\"logical_node_type_id\":3,"
    "\"product_name\":\"\",\"name\":\"gfx950\"}],"
    "\"strings\":{\"buffer_records\":[{\"kind\":\"HIP_RUNTIME_API\",\"operations\":[\"hipMalloc\","
    "\"hipMemcpy\"]},{\"kind\":\"MARKER_CORE_API\",\"operations\":[\"roctxMarkA\"]},"
    "{\"kind\":\"MEMORY_COPY\",\"operations\":[\"MEMORY_COPY_NONE\",\"MEMORY_COPY_HOST_TO_DEVICE\","
    "\"MEMORY_COPY_DEVICE_TO_HOST\"]},{\"kind\":\"HSA_CORE_API\",\"operations\":[\"hsa_init\"]}],"
    "\"marker_api\":[{\"key\":12,\"value\":\"step 2\"},{\"key\":11,\"value\":\"step 1\"}]},"
    "\"kernel_symbols\":[{\"kernel_id\":4,\"kernel_name\":\"k.kd\",\"arch_vgpr_count\":32,"
    "\"sgpr_count\":16}],"
    "\"buffer_records\":{\"hip_api\":[{\"kind\":0,\"operation\":1,\"thread_id\":909,"
    "\"correlation_id\":{\"internal\":5},\"start_timestamp\":100,\"end_timestamp\":190}],"
    "\"hsa_api\":[{\"kind\":3,\"operation\":0,\"thread_id\":909,\"correlation_id\":{\"internal\":6}"
    ","
    "\"start_timestamp\":90,\"end_timestamp\":95}],"
    "\"marker_api\":[{\"kind\":1,\"operation\":0,\"thread_id\":909,\"correlation_id\":"
    "{\"internal\":11},\"start_timestamp\":50,\"end_timestamp\":200}],"
    "\"memory_copy\":[{\"kind\":2,\"operation\":1,\"correlation_id\":{\"internal\":5},"
    "\"start_timestamp\":110,\"end_timestamp\":150,\"src_agent_id\":{\"handle\":1},"
    "\"dst_agent_id\":{\"handle\":2},\"bytes\":4096},{\"kind\":2,\"operation\":2,\"correlation_"
    "id\":"
    "{\"internal\":7},\"start_timestamp\":160,\"end_timestamp\":170,\"src_agent_id\":{\"handle\":2}"
    ","
    "\"dst_agent_id\":{\"handle\":1},\"bytes\":8,\"stream_id\":{\"handle\":9}}],"
    "\"kernel_dispatch\":[{\"correlation_id\":{\"internal\":8},\"start_timestamp\":151,"
    "\"end_timestamp\":153,\"dispatch_info\":{\"agent_id\":{\"handle\":2},\"queue_id\":{\"handle\":"
    "1},"
    "\"kernel_id\":4,\"dispatch_id\":1,\"group_segment_size\":64,\"private_segment_size\":0,"
    "\"workgroup_size\":{\"x\":64,\"y\":1,\"z\":1},\"grid_size\":{\"x\":128,\"y\":1,\"z\":1}},"
    "\"stream_id\":{\"handle\":9}},{\"correlation_id\":{\"internal\":8},\"start_timestamp\":154,"
    "\"end_timestamp\":155,\"dispatch_info\":{\"agent_id\":{\"handle\":77},\"kernel_id\":5}}],"
    "\"scratch_memory\":[{\"a\":1},{\"a\":2}]}}]}";

static void json_has_calls_copies_markers_and_kernels_of_a_process(void **state) {
  (void)state;
  tdm_recording *got = read_bytes(&tdm_reader_rocprof_json, process_text, sizeof process_text - 1);
  const char *const want[] = {
      "span driver 90+5 'hsa_init' correlation=6 "
      "[process 908 | thread 909 | thread CPU pid=908 tid=909]",
      "span kernel 151+2 'k.kd' correlation=8 grid_x=2 grid_y=1 grid_z=1 block_x=64 block_y=1 "
      "block_z=1 static_shared_bytes=64 local_bytes_per_thread=0 registers_per_thread=32 "
      "scalar_registers=16 queue=1 dispatch=1 "
      "[gfx950 #3 | stream 9 | stream GPU pid=908 device=3 stream=9]",
      "span kernel 154+1 'kernel 5' correlation=8 [AMD GPU | copies | stream GPU pid=908]",
      "span memcpy 110+40 'Memcpy HtoD' correlation=5 bytes=4096 kind=t'HtoD' "
      "[gfx950 #3 | copies | stream GPU pid=908 device=3]",
      "span memcpy 160+10 'Memcpy DtoH' correlation=7 bytes=8 kind=t'DtoH' "
      "[gfx950 #3 | stream 9 | stream GPU pid=908 device=3 stream=9]",
      "span nvtx 50+150 'step 1' correlation=11 "
      "[process 908 | thread 909 | thread CPU pid=908 tid=909]",
      "span runtime 100+90 'hipMemcpy' correlation=5 "
      "[process 908 | thread 909 | thread CPU pid=908 tid=909]"};
  assert_rows(got, 7, want);
  assert_int_equal(problem_count(got, "kernels without a name"), 1);
  assert_int_equal(problem_count(got, "records of other kinds"), 2);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "rocprofv3, 1 process");
  tdm_recording_free(got);
}

static void allocations_of_json_are_memory(void **state) {
  (void)state;
  static const char text[] =
      "{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"pid\":908},\"agents\":[{\"id\":{\"handle\":2},"
      "\"type\":2,\"logical_node_type_id\":0,\"product_name\":\"MI300X\"}],"
      "\"strings\":{\"buffer_records\":[{\"kind\":\"MEMORY_ALLOCATION\",\"operations\":["
      "\"MEMORY_ALLOCATION_NONE\",\"MEMORY_ALLOCATION_ALLOCATE\",\"MEMORY_ALLOCATION_FREE\"]}]},"
      "\"buffer_records\":{\"memory_allocation\":[{\"kind\":0,\"operation\":1,\"correlation_id\":{"
      "\"internal\":5},\"start_timestamp\":10,\"end_timestamp\":12,\"agent_id\":{\"handle\":2},"
      "\"address\":4096,\"allocation_size\":64},{\"kind\":0,\"operation\":2,\"correlation_id\":{"
      "\"internal\":6},\"start_timestamp\":20,\"end_timestamp\":22,\"agent_id\":{\"handle\":0},"
      "\"address\":{\"value\":4096},\"allocation_size\":0}]}}]}";
  static const char *const want[] = {
      "instant memory 10+0 'allocation' correlation=5 bytes=64 address=4096 "
      "[MI300X #0 | memory | device GPU pid=908 device=0]",
      "instant memory 20+0 'deallocation' correlation=6 bytes=64 address=4096 "
      "[MI300X #0 | memory | device GPU pid=908 device=0]"};
  tdm_recording *got = read_bytes(&tdm_reader_rocprof_json, text, sizeof text - 1);
  assert_rows(got, 2, want);
  tdm_recording_free(got);
}

/* Of a CPU, of a GPU by either numbering, of nobody; frees lie where it was allocated. */
static void allocations_of_tables_lie_where_their_agent_is(void **state) {
  (void)state;
  static const char *const want[] = {
      "instant memory 1+0 'allocation' correlation=10 bytes=64 address=4096 "
      "[AMD GPU #1 | memory | device GPU pid=7 device=1]",
      "instant memory 2+0 'allocation' correlation=11 bytes=32 address=9223372036854775807 "
      "[AMD GPU agent 4 | memory | device GPU pid=7 device=4]",
      "instant memory 4+0 'deallocation' correlation=13 bytes=64 address=4096 "
      "[AMD GPU #1 | memory | device GPU pid=7 device=1]",
      "instant memory 5+0 'deallocation' correlation=14 bytes=32 address=9223372036854775807 "
      "[AMD GPU agent 4 | memory | device GPU pid=7 device=4]",
      "instant memory 7+0 'allocation' correlation=16 bytes=8 [AMD GPU #1 | memory | device GPU "
      "pid=7 device=1]"};
  tdm_recording *got =
      read_csv("Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,Start_Timestamp,"
               "End_Timestamp,Process_Id\n"
               "M,MEMORY_ALLOCATION_ALLOCATE,GPU 1,64,0x1000,10,1,1,7\n"
               "M,MEMORY_ALLOCATION_ALLOCATE,Agent 4,32,0x7fffffffffffffff,11,2,2,7\n"
               "M,MEMORY_ALLOCATION_FREE,,0,0x1000,13,4,4,7\n"
               "M,MEMORY_ALLOCATION_FREE,,0,9223372036854775807,14,5,5,7\n"
               "M,MEMORY_ALLOCATION_FREE,,0,0x2000,15,6,6,7\n"
               "M,MEMORY_ALLOCATION_VMEM_ALLOCATE,GPU-1,8,0x,16,7,7,7\n"
               "M,MEMORY_ALLOCATION_NONE,GPU-1,8,0x1,17,8,8,7\n"
               "M,MEMORY_ALLOCATION_ALLOCATE,GPU-1,8,0x1,18,,8,7\n");
  assert_rows(got, 5, want);
  assert_int_equal(problem_count(got, "frees of what was not seen allocated"), 1);
  assert_int_equal(problem_count(got, "records of other kinds"), 1);
  assert_int_equal(problem_count(got, "records without times"), 1);
  tdm_recording_free(got);
  got = read_csv("Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,Start_Timestamp,"
                 "End_Timestamp,Process_Id\n"
                 "M,MEMORY_ALLOCATION_ALLOCATE,CPU 0,64,0x8000000000000000,10,1,1,7\n");
  lines all = lines_of(got);
  assert_int_equal(all.count, 1);
  assert_non_null(strstr(all.line[0], "'allocation' correlation=10 bytes=64 "));
  assert_non_null(strstr(all.line[0], "kind=t'pinned'"));
  assert_null(strstr(all.line[0], "address"));
  lines_free(&all);
  tdm_recording_free(got);
}

/* The first that is there: as it is to be shown, without mangling, as it is. */
static void symbols_have_the_best_of_their_names(void **state) {
  (void)state;
  static const char *const names[][2] = {
      {"\"formatted_kernel_name\":\"a\",\"demangled_kernel_name\":\"b\",\"kernel_name\":\"c\"",
       "a"},
      {"\"formatted_kernel_name\":\"\",\"demangled_kernel_name\":\"b\",\"kernel_name\":\"c\"", "b"},
      {"\"kernel_name\":\"c\",\"formatted_kernel_name\":\"a\"", "a"},
      {"\"kernel_name\":\"c\",\"demangled_kernel_name\":\"b\"", "b"},
      {"\"kernel_name\":\"c\"", "c"},
      {"\"kernel_name\":\"\"", "kernel 4"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[600], want[200];
    snprintf(text, sizeof text,
             "{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"pid\":1},\"kernel_symbols\":[{\"kernel_"
             "id\":4,%s}],"
             "\"buffer_records\":{\"kernel_dispatch\":[{\"start_timestamp\":1,\"end_timestamp\":2,"
             "\"dispatch_info\":{\"kernel_id\":4}}]}}]}",
             names[i][0]);
    tdm_recording *got = read_bytes(&tdm_reader_rocprof_json, text, strlen(text));
    snprintf(want, sizeof want, "span kernel 1+1 '%s' [AMD GPU | copies | stream GPU pid=1]",
             names[i][1]);
    assert_rows(got, 1, &(const char *){want});
    tdm_recording_free(got);
  }
}

static tdm_family family_of(const char *path, const char *text) {
  return tdm_reader_rocprof_csv.family((const unsigned char *)text, strlen(text), path);
}

/* What stands before the name of a table, whatever it was packed with; and whose rows it has. */
static void tables_of_a_process_are_told_by_their_names(void **state) {
  (void)state;
  static const struct {
    const char *path;
    size_t stem;
  } cases[] = {{"a/b_kernel_trace.csv", 4},     {"a/b_kernel_trace.csv.gz", 4},
               {"a/b_kernel_trace", 4},         {"b_hip_api_trace.csv", 2},
               {"a/agent_info.csv", 2},         {"kernel_trace.csv", 0},
               {"a/bkernel_trace.csv", 0},      {"a/b_kernel_traces.csv", 0},
               {"a/b_other_trace.csv", 0},      {".csv", 0},
               {"b_memory_copy_trace.csv", 2},  {"", 0},
               {"b_counter_collection.csv", 2}, {"b_kernel_trace.zst", 2},
               {"b_kernel_trace.gz", 2},        {"b_kernel_trace.txt", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(family_of(cases[i].path, "").stem, cases[i].stem);
  static const char path[] = "b_kernel_trace.csv";
  assert_int_equal(family_of(path, "Kind,Process_Id,X\nk,908,1\nk,909,1\n").process, 908);
  assert_int_equal(family_of(path, "Process_Id\n7\n").process, 7);
  assert_int_equal(family_of(path, "Kind,Process_Id\nk\n").process, TDM_NONE);
  assert_int_equal(family_of(path, "Kind,Process_Id\nk,x\n").process, TDM_NONE);
  assert_int_equal(family_of(path, "Kind,X\nk,1\n").process, TDM_NONE);
  assert_int_equal(family_of(path, "Kind,Process_Id\n").process, TDM_NONE);
  assert_int_equal(family_of("b.csv", "Process_Id\n7\n").process, TDM_NONE);
}

/* Kernels or counters by the header, the pass by the folder. */
static void runs_of_their_own_are_told_by_header_and_folder(void **state) {
  (void)state;
  tdm_family traced = family_of("x.csv", "Kind,Dispatch_Id\n"),
             counted = family_of("pmc_1/pass_12/h/9_counter_collection.csv",
                                 "Dispatch_Id,Counter_Value\n"),
             called = family_of("pmc_x/pass_3.csv", "Domain,Function\n");
  assert_true(traced.kernels && !traced.counters && traced.pass == 0);
  assert_true(!counted.kernels && counted.counters && counted.pass == 12);
  assert_true(!called.kernels && !called.counters && called.pass == 0);
}

static void what_is_not_wanted_is_left_out(void **state) {
  (void)state;
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  tdm_read_options options = {.dropped = TDM_READ_NO_API | TDM_READ_NO_GPU};
  assert_int_equal(tdm_input_open_memory(process_text, sizeof process_text - 1, &input, &error),
                   TDM_OK);
  assert_int_equal(read_input(&tdm_reader_rocprof_json, input, &options, &got, &error), TDM_OK);
  assert_int_equal(rows_count(got), 1); /* the marker */
  tdm_recording_free(got);
}

static int sure(const tdm_reader *reader, const char *text) {
  return reader->detect((const unsigned char *)text, strlen(text), "x");
}

static void other_tables_and_objects_are_not_taken(void **state) {
  (void)state;
  const tdm_reader *csv = &tdm_reader_rocprof_csv, *json = &tdm_reader_rocprof_json;
  assert_true(sure(csv, "\"Domain\",\"Function\",\"Correlation_Id\",\"Start_Timestamp\"\n") > 0);
  assert_true(sure(csv, "Correlation_Id,Counter_Name,Counter_Value") > 0);
  assert_int_equal(sure(csv, "Correlation_Id,Name\n1,Start_Timestamp\n"), 0);
  assert_int_equal(sure(csv, "\"ID\",\"Kernel Name\",\"Metric Name\"\n"), 0);
  assert_true(sure(json, " {\n \"rocprofiler-sdk-tool\": [") > 0);
  assert_int_equal(sure(json, "{\"traceEvents\":[],\"rocprofiler-sdk-tool\":1}"), 0);
  assert_int_equal(sure(json, "{"), 0);
}

static void assert_refused(const tdm_reader *reader, const char *text, const char *why) {
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  assert_int_equal(tdm_input_open_memory(text, strlen(text), &input, &error), TDM_OK);
  assert_int_equal(read_input(reader, input, NULL, &got, &error), TDM_INVALID);
  assert_string_equal(error.message, why);
  tdm_recording_free(got);
}

static void what_has_no_table_is_refused_and_a_header_alone_is_not(void **state) {
  (void)state;
  assert_refused(
      &tdm_reader_rocprof_csv, "Correlation_Id,Start_Timestamp,End_Timestamp\n1,2,3\n",
      "memory: its header is of no table of rocprofv3 that is read (kernels, copies, API "
      "calls, counters)");
  assert_refused(&tdm_reader_rocprof_json, "{\"rocprofiler-sdk-tool\":[]}",
                 "memory: no process of rocprofv3 in it");
  tdm_recording *got = read_csv("Domain,Function,Correlation_Id,Start_Timestamp,End_Timestamp\n");
  assert_int_equal(rows_count(got), 0);
  tdm_recording_free(got);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_have_the_figures_that_python_counts),
      cmocka_unit_test(kernels_have_grids_in_blocks_and_their_resources),
      cmocka_unit_test(counters_are_metrics_of_their_launch),
      cmocka_unit_test(several_counters_of_a_launch_share_its_number),
      cmocka_unit_test(json_has_calls_copies_markers_and_kernels_of_a_process),
      cmocka_unit_test(allocations_of_json_are_memory),
      cmocka_unit_test(allocations_of_tables_lie_where_their_agent_is),
      cmocka_unit_test(symbols_have_the_best_of_their_names),
      cmocka_unit_test(tables_of_a_process_are_told_by_their_names),
      cmocka_unit_test(runs_of_their_own_are_told_by_header_and_folder),
      cmocka_unit_test(what_is_not_wanted_is_left_out),
      cmocka_unit_test(other_tables_and_objects_are_not_taken),
      cmocka_unit_test(what_has_no_table_is_refused_and_a_header_alone_is_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
