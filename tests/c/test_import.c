/* read/import: files of one process are one source, whatever their order, and files of others are
 * not; calls and kernels then share a process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "read/reader.h"
#include "records_as_text.h"

#define DATA "tests/data/rocprof/"

static tdm_recording *imported(const char *const *paths, size_t count) {
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_error error = {0};
  tdm_import_options options = {0};
  tdm_recording_sink(recording, &sink);
  if (tdm_import(paths, count, &options, &sink, &error) != TDM_OK) fail_msg("%s", error.message);
  return recording;
}

static uint64_t source_rows(const tdm_recording *got, uint32_t source) {
  return tdm_recording_source(got, source)->rows;
}

static size_t metrics_count(const tdm_recording *got) {
  size_t count;
  tdm_recording_metrics(got, &count);
  return count;
}

/* By Python's csv: 144 kernels and 920 calls; of another process, and so of another run, 34 kernels
 * with a counter each. */
static void the_tables_of_a_process_are_one_source(void **state) {
  (void)state;
  const char *const paths[] = {DATA "gfx1151_decode_kernel_trace.csv",
                               DATA "gfx1151_decode_fetch_counter_collection.csv",
                               DATA "gfx1151_decode_hip_api_trace.csv.gz"};
  tdm_recording *got = imported(paths, 3);
  assert_int_equal(tdm_recording_sources(got), 2);
  assert_string_equal(tdm_recording_source(got, 0)->path, DATA "gfx1151_decode_*");
  assert_string_equal(tdm_recording_source(got, 0)->detail, "rocprofv3, calls, kernels");
  assert_int_equal(source_rows(got, 0), 144 + 920);
  assert_int_equal(source_rows(got, 1), 0);
  assert_int_equal(problem_count(got, "kernels of another run"), 34);
  assert_int_equal(metrics_count(got), 34);
  for (uint32_t i = 0; i < tdm_recording_tracks(got); i++)
    if (tdm_recording_track(got, i)->source == 0)
      assert_int_equal(tdm_recording_track(got, i)->pid, 2684120);
  tdm_recording_free(got);
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

#define KERNELS_HEADER                                                                             \
  "Kind,Agent_Id,Queue_Id,Dispatch_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp\n"
#define COUNTERS_HEADER                                                                            \
  "Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Kernel_Name,Counter_Name,"              \
  "Counter_Value,Start_Timestamp,End_Timestamp\n"

/* Both tables of one run have its kernels, once each with its counters. */
static void kernels_with_counters_are_counted_once(void **state) {
  (void)state;
  char folder[] = "/tmp/tandem-import-XXXXXX";
  char kernels[64], counters[64];
  assert_non_null(mkdtemp(folder));
  snprintf(kernels, sizeof kernels, "%s/7_kernel_trace.csv", folder);
  snprintf(counters, sizeof counters, "%s/7_counter_collection.csv", folder);
  write_file(kernels, KERNELS_HEADER "KERNEL_DISPATCH,\"Agent 1\",1,1,k,5,10,20\n"
                                     "KERNEL_DISPATCH,\"Agent 1\",1,2,k,6,30,40\n");
  write_file(counters, COUNTERS_HEADER "5,1,\"Agent 1\",1,7,k,A,1,10,20\n"
                                       "5,1,\"Agent 1\",1,7,k,B,2,10,20\n"
                                       "6,2,\"Agent 1\",1,7,k,A,3,30,40\n");
  const char *paths[] = {counters, kernels};
  for (int turn = 0; turn < 2; turn++) {
    tdm_recording *got = imported(paths, 2);
    assert_int_equal(tdm_recording_sources(got), 1);
    assert_int_equal(source_rows(got, 0), 2);
    assert_int_equal(metrics_count(got), 3);
    assert_int_equal(problem_count(got, "kernels of another run"), 0);
    tdm_recording_free(got);
    paths[0] = kernels;
    paths[1] = counters;
  }
  tdm_recording *alone = imported(paths + 1, 1); /* nobody else tells when they ran */
  assert_int_equal(source_rows(alone, 0), 2);
  tdm_recording_free(alone);
  unlink(kernels);
  unlink(counters);
  rmdir(folder);
}

/* rocprofv3 runs the program anew for each set of counters: the first run tells what ran. */
static void passes_are_runs_of_their_own(void **state) {
  (void)state;
  char folder[] = "/tmp/tandem-import-XXXXXX";
  char path[3][128];
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i < 3; i++) {
    char pass[64];
    snprintf(pass, sizeof pass, "%s/pmc_%d", folder, 3 - i);
    assert_int_equal(mkdir(pass, 0700), 0);
    snprintf(path[i], sizeof path[i], "%s/%d_counter_collection.csv", pass, 70 + i);
    write_file(path[i], COUNTERS_HEADER "5,1,\"Agent 1\",1,7,k,A,1,10,20\n"
                                        "6,2,\"Agent 1\",1,7,k,A,3,30,40\n");
  }
  const char *const paths[] = {path[0], path[1], path[2]};
  tdm_recording *got = imported(paths, 3);
  assert_int_equal(tdm_recording_sources(got), 3);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(source_rows(got, i), i == 2 ? 2 : 0);
  assert_int_equal(problem_count(got, "kernels of another run"), 2); /* each */
  assert_int_equal(metrics_count(got), 6);
  tdm_recording_free(got);
  for (int i = 0; i < 3; i++) {
    unlink(path[i]);
    *strrchr(path[i], '/') = 0;
    rmdir(path[i]);
  }
  rmdir(folder);
}

/* docs_*.csv have one prefix and four processes: whatever the order, none is joined. */
static void files_of_several_processes_stay_apart(void **state) {
  (void)state;
  const char *paths[] = {DATA "docs_kernel_trace.csv", DATA "docs_hip_runtime_trace.csv",
                         DATA "docs_marker_api_trace.csv", DATA "docs_counter_collection.csv"};
  for (int turn = 0; turn < 4; turn++) {
    tdm_recording *got = imported(paths, 4);
    assert_int_equal(tdm_recording_sources(got), 4);
    tdm_recording_free(got);
    const char *first = paths[0];
    memmove(paths, paths + 1, 3 * sizeof *paths);
    paths[3] = first;
  }
}

static void agents_name_and_number_the_gpus(void **state) {
  (void)state;
  char folder[] = "/tmp/tandem-import-XXXXXX";
  char kernels[64], agents[64], copies[64], scratch[64];
  assert_non_null(mkdtemp(folder));
  snprintf(kernels, sizeof kernels, "%s/7_kernel_trace.csv", folder);
  snprintf(agents, sizeof agents, "%s/7_agent_info.csv", folder);
  snprintf(copies, sizeof copies, "%s/7_memory_copy_trace.csv", folder);
  snprintf(scratch, sizeof scratch, "%s/7_scratch_memory_trace.csv", folder);
  write_file(agents, "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Name\",\"Product_Name\"\n"
                     "0,0,\"CPU\",\"EPYC\",\"EPYC\"\n4,1,\"GPU\",\"gfx942\",\"MI300X\"\n"
                     "6,2,\"GPU\",\"gfx942\",\"\"\n");
  write_file(kernels, "Kind,Agent_Id,Queue_Id,Dispatch_Id,Kernel_Name,Correlation_Id,"
                      "Start_Timestamp,End_Timestamp\nKERNEL_DISPATCH,\"Agent 2\",1,1,k,5,10,20\n"
                      "KERNEL_DISPATCH,\"GPU 0\",1,2,k,6,10,20\n"
                      "KERNEL_DISPATCH,4,1,3,k,7,30,40\n"
                      "KERNEL_DISPATCH,\"Agent 9\",1,4,k,8,30,40\n");
  write_file(copies, "Kind,Direction,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,"
                     "Start_Timestamp,End_Timestamp\n"
                     "MEMORY_COPY,MEMORY_COPY_DEVICE_TO_HOST,\"Agent 1\",\"Agent 0\",9,50,60\n");
  write_file(scratch, "Kind,Operation,Agent_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
                      "SCRATCH,ALLOC,1,0,1,2\n");
  const char *const paths[] = {kernels, copies, scratch, agents};
  tdm_recording *got = imported(paths, 4);
  assert_int_equal(tdm_recording_sources(got), 1);
  const char *const want[] = {"span kernel 10+10 'k' correlation=5 queue=1 dispatch=1 "
                              "[gfx942 #1 | queue 1 | stream GPU device=1 stream=1]",
                              "span kernel 10+10 'k' correlation=6 queue=1 dispatch=2 "
                              "[MI300X #0 | queue 1 | stream GPU device=0 stream=1]",
                              "span kernel 30+10 'k' correlation=7 queue=1 dispatch=3 "
                              "[MI300X #0 | queue 1 | stream GPU device=0 stream=1]",
                              "span kernel 30+10 'k' correlation=8 queue=1 dispatch=4 "
                              "[AMD GPU agent 9 | queue 1 | stream GPU device=9 stream=1]",
                              "span memcpy 50+10 'Memcpy DtoH' correlation=9 kind=t'DtoH' "
                              "[MI300X #0 | copies | stream GPU device=0]"};
  assert_rows(got, 5, want);
  assert_int_equal(problem_count(got, "rows of tables that are not read (left out)"), 1);
  tdm_recording_free(got);
  for (size_t i = 0; i < 4; i++) unlink(paths[i]);
  rmdir(folder);
}

/* Frees name no agent: they lie where their address was allocated. */
static void allocations_are_memory(void **state) {
  (void)state;
  char folder[] = "/tmp/tandem-import-XXXXXX";
  char agents[64], memory[64];
  assert_non_null(mkdtemp(folder));
  snprintf(agents, sizeof agents, "%s/7_agent_info.csv", folder);
  snprintf(memory, sizeof memory, "%s/7_memory_allocation_trace.csv", folder);
  write_file(agents, "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Name\",\"Product_Name\"\n"
                     "0,0,\"CPU\",\"EPYC\",\"EPYC\"\n4,1,\"GPU\",\"gfx942\",\"MI300X\"\n");
  write_file(memory,
             "Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,"
             "Start_Timestamp,End_Timestamp\n"
             "MEMORY_ALLOCATION,MEMORY_ALLOCATION_ALLOCATE,\"Agent 1\",4096,0x10000,3,10,12\n"
             "MEMORY_ALLOCATION,MEMORY_ALLOCATION_VMEM_ALLOCATE,\"Agent 0\",64,0x20,4,11,12\n"
             "MEMORY_ALLOCATION,MEMORY_ALLOCATION_FREE,\"\",0,0x10000,5,20,21\n"
             "MEMORY_ALLOCATION,MEMORY_ALLOCATION_FREE,\"\",0,0x77,6,20,21\n"
             "MEMORY_ALLOCATION,MEMORY_ALLOCATION_NONE,\"Agent 1\",0,0x77,6,20,21\n");
  const char *const paths[] = {memory, agents};
  tdm_recording *got = imported(paths, 2);
  static const char *const want[] = {
      "instant memory 10+0 'allocation' correlation=3 bytes=4096 address=65536 "
      "[MI300X #0 | memory | device GPU device=0]",
      "instant memory 11+0 'allocation' correlation=4 bytes=64 address=32 memory_kind=t'pinned' "
      "[process 0 | memory | process CPU]",
      "instant memory 20+0 'deallocation' correlation=5 bytes=4096 address=65536 "
      "[MI300X #0 | memory | device GPU device=0]"};
  assert_rows(got, 3, want);
  assert_int_equal(problem_count(got, "frees of what was not seen allocated"), 1);
  assert_int_equal(problem_count(got, "records of other kinds"), 1);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "rocprofv3, agents, allocations");
  tdm_recording_free(got);
  for (size_t i = 0; i < 2; i++) unlink(paths[i]);
  rmdir(folder);
}

/* A file that is named twice is read twice, as it was asked for. */
static void one_file_is_no_family_of_its_own(void **state) {
  (void)state;
  const char *const paths[] = {DATA "gfx1151_decode_kernel_trace.csv",
                               DATA "gfx1151_decode_kernel_trace.csv"};
  tdm_recording *got = imported(paths, 2);
  assert_int_equal(tdm_recording_sources(got), 2);
  tdm_recording_free(got);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_tables_of_a_process_are_one_source),
                                     cmocka_unit_test(files_of_several_processes_stay_apart),
                                     cmocka_unit_test(kernels_with_counters_are_counted_once),
                                     cmocka_unit_test(passes_are_runs_of_their_own),
                                     cmocka_unit_test(agents_name_and_number_the_gpus),
                                     cmocka_unit_test(allocations_are_memory),
                                     cmocka_unit_test(one_file_is_no_family_of_its_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
