/* read/kineto on Chrome trace JSON of Intel's unitrace: commands and calls in the words of every
 * other trace, joined by correlation, though neither says it in so many words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/reader.h"
#include "records_as_text.h"

#define HOST "[RANK 3 HOST<node7> (4700) | thread 4711 | thread CPU pid=4700 tid=4711]"
#define GPU0                                                                                       \
  "[Intel GPU #1 | Thread 4711 L0 Engine<0,0> | stream GPU pid=4700 device=1 stream=4294967295]"
#define GPU1                                                                                       \
  "[Intel GPU #1 | Thread 4711 L0 Engine<1,0> | stream GPU pid=4700 device=1 stream=4294967294]"
#define T "1724779239000"

static void commands_and_calls_are_joined(void **state) {
  (void)state;
  static const char *const want[] = {
      "edge edge " T "080000+10000 'ac2g' " HOST GPU1,
      "edge edge " T "100000+20000 'ac2g' " HOST GPU0,
      "edge edge " T "120000+-10000 'g2ac' " GPU0 HOST,
      "span cpu_op " T "070000+130000 'training step' id=0 " HOST,
      "span driver " T "080000+9000 'zeCommandListAppendMemoryCopy' correlation=16 " HOST,
      "span driver " T "100000+8000 'zeCommandListAppendLaunchKernel' correlation=17 " HOST,
      "span driver " T "110000+70000 'zeEventHostSynchronize' " HOST,
      "span gpu_sync " T "180000+1000 'zeCommandListAppendBarrier' id=t'18' correlation=18 " GPU0,
      "span kernel " T "120000+50000 'gemm(float*)' id=t'17' correlation=17 grid_x=64 grid_y=2 "
      "grid_z=1 block_x=256 block_y=1 block_z=1 " GPU0,
      "span memcpy " T "090000+20000 'zeCommandListAppendMemoryCopy(M2D)' id=t'16' correlation=16 "
      "bytes=65536 kind=t'HtoD' " GPU1,
      "span mpi " T "200000+5000 'MPI_Barrier' ssize=8 src=0 stag=1 " HOST};
  tdm_recording *got = read_path(&tdm_reader_kineto, "tests/data/unitrace/two_queues.json");
  assert_rows(got, 11, want);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "unitrace");
  assert_int_equal(tdm_recording_source(got, 0)->rank, 3);
  size_t problems;
  tdm_recording_problems(got, &problems);
  assert_int_equal(problems, 2);
  assert_int_equal(problem_count(got, "end of the text too early"), 1);
  assert_int_equal(problem_count(got, "flows without an end"), 1); /* nobody waited for the copy */
  tdm_recording_free(got);
}

static tdm_recording *read_events(const char *events) {
  char text[4096];
  snprintf(text, sizeof text, "{ \"traceEvents\":[\n%s", events);
  return read_bytes(&tdm_reader_kineto, text, strlen(text));
}

static void names_say_what_commands_are(void **state) {
  (void)state;
  static const struct {
    const char *name, *want;
  } cases[] = {
      {"zeCommandListAppendMemoryCopy(D2M)[8]", "span memcpy 'zeCommandListAppendMemoryCopy(D2M)' "
                                                "kind=DtoH bytes=8"},
      {"zeCommandListAppendMemoryCopy(S2D)[8]", "span memcpy 'zeCommandListAppendMemoryCopy(S2D)' "
                                                "kind= bytes=8"},
      {"zeCommandListAppendMemoryCopy(D2D)", "span memcpy 'zeCommandListAppendMemoryCopy(D2D)' "
                                             "kind=DtoD bytes="},
      {"zeCommandListAppendMemoryFill[16]", "span memset 'zeCommandListAppendMemoryFill' kind= "
                                            "bytes=16"},
      {"k[SIMD_ANY {1; 2; x}]", "span kernel 'k[SIMD_ANY {1; 2; x}]' kind= bytes="},
      {"a[b]", "span kernel 'a[b]' kind= bytes="},
      {"[8]", "span kernel '[8]' kind= bytes="},
      {"]", "span kernel ']' kind= bytes="},
      {"Tile #1: k", "span kernel 'Tile #1: k' kind= bytes="}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char event[512], line[512], bytes[24] = "";
    snprintf(event, sizeof event,
             "{\"ph\":\"X\",\"tid\":9,\"pid\":8,\"name\":\"%s\",\"cat\":\"gpu_op\",\"ts\":1,"
             "\"dur\":2,\"args\":{\"id\":\"5\"}},",
             cases[i].name);
    tdm_recording *got = read_events(event);
    const char *kind = "";
    for (uint32_t l = 0; l < tdm_recording_layouts(got); l++) {
      const tdm_kept_rows *rows = tdm_recording_rows(got, l);
      const tdm_layout *layout = tdm_recording_layout(got, l);
      if (rows->count == 0) continue;
      uint32_t at = tdm_layout_column(layout, "kind"), size = tdm_layout_column(layout, "bytes");
      if (at > 0) kind = tdm_recording_name(got, tdm_kept(rows, at, 0), NULL);
      if (size > 0) snprintf(bytes, sizeof bytes, "%lld", (long long)tdm_kept(rows, size, 0));
      snprintf(line, sizeof line, "%s %s '%s' kind=%s bytes=%s", tdm_shape_name(layout->shape),
               layout->category, tdm_recording_name(got, tdm_kept(rows, TDM_NAME, 0), NULL), kind,
               bytes);
    }
    assert_string_equal(line, cases[i].want);
    tdm_recording_free(got);
  }
}

/* A command list that is run launches all that is in it; a call has one correlation. */
static void calls_of_several_commands_have_the_first(void **state) {
  (void)state;
#define EVENT(rest) "{\"tid\":2,\"pid\":1,\"ts\":5," rest "},\n"
  tdm_recording *got =
      read_events(EVENT("\"ph\":\"X\",\"dur\":3,\"cat\":\"cpu_op\",\"name\":"
                        "\"zeCommandQueueExecuteCommandLists\",\"id\":0")
                      EVENT("\"ph\":\"s\",\"name\":\"dep\",\"cat\":\"Flow_H2D_7_0\",\"id\":7")
                          EVENT("\"ph\":\"s\",\"name\":\"dep\",\"cat\":\"Flow_H2D_8_0\",\"id\":8"));
  static const char *const want[] = {
      "span driver 5000+3000 'zeCommandQueueExecuteCommandLists' correlation=7 "
      "[process 1 | thread 2 | thread CPU pid=1 tid=2]"};
  assert_rows(got, 1, want);
  assert_int_equal(problem_count(got, "commands beyond a call's first"), 1);
  tdm_recording_free(got);
}

/* More flows than categories are kept: each has one of its own. */
static void thousands_of_flows_have_one_category(void **state) {
  (void)state;
  size_t room = 3000 * 200, used = 0;
  char *text = malloc(room);
  used += (size_t)snprintf(text, room, "{ \"traceEvents\":[\n");
  for (int i = 1; i <= 1500; i++)
    used += (size_t)snprintf(
        text + used, room - used,
        "{\"ph\":\"s\",\"tid\":2,\"pid\":1,\"name\":\"dep\",\"cat\":\"Flow_H2D_%d_0\",\"ts\":%d,"
        "\"id\":%d},\n{\"ph\":\"t\",\"tid\":9,\"pid\":8,\"name\":\"dep\",\"cat\":\"Flow_H2D_%d_0\","
        "\"ts\":%d,\"id\":%d},\n",
        i, i, i, i, i + 1, i);
  tdm_recording *got = read_bytes(&tdm_reader_kineto, text, used);
  assert_int_equal(rows_count(got), 1500);
  assert_int_equal(problem_count(got, "categories"), 0);
  tdm_recording_free(got);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(commands_and_calls_are_joined),
                                     cmocka_unit_test(names_say_what_commands_are),
                                     cmocka_unit_test(calls_of_several_commands_have_the_first),
                                     cmocka_unit_test(thousands_of_flows_have_one_category)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
