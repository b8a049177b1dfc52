/* read/capture: records of capture files as rows; files that are cut, damaged, or not yet whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture_fixture.h"
#include "read/capture/capture.h"
#include "records_as_text.h"

static tdm_recording *read_and_free(capture *c) {
  tdm_recording *got = read_bytes(&tdm_reader_capture, c->bytes, c->length);
  free(c->bytes);
  return got;
}

static void a_call_its_launch_and_its_kernel_share_a_correlation(void **state) {
  (void)state;
  capture c = capture_new();
  capture_chunk(&c, 42, 43);
  uint64_t launch = capture_name(&c, "cuLaunchKernel"), gemm = capture_name(&c, "gemm");
  tdm_capture_record more = {.kind = TDM_CAPTURE_LAUNCH,
                             .correlation = 7,
                             .start_ns = 100,
                             .end_ns = 110,
                             .name = gemm,
                             .ran = {.grid = {4, 2, 1}, .block = {128, 1, 1}, .stream_id = 3}};
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CALL,
                                       .correlation = 7,
                                       .start_ns = 100,
                                       .end_ns = 110,
                                       .name = launch});
  capture_put(&c, more);
  capture_chunk(&c, 42, 0);
  more.kind = TDM_CAPTURE_KERNEL;
  more.start_ns = 120;
  more.end_ns = 150;
  more.ran.registers = 32;
  capture_put(&c, more);
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_DEVICE,
                                       .name = capture_name(&c, "NVIDIA H100"),
                                       .amount = 1 << 30});
  static const char *const want[] = {
      "span driver 1000000100+10 'cuLaunchKernel' correlation=7 return_code=0 function=t'gemm' "
      "grid_x=4 grid_y=2 grid_z=1 block_x=128 block_y=1 block_z=1 shared_bytes=0 "
      "device=0 stream=3 [infer (42) | thread 43 | thread CPU pid=42 tid=43]",
      "span kernel 1000000120+30 'gemm' correlation=7 registers_per_thread=32 grid_x=4 "
      "grid_y=2 grid_z=1 block_x=128 block_y=1 block_z=1 shared_bytes=0 "
      "[NVIDIA H100 #0 | stream 3 | stream GPU pid=42 device=0 context=0 stream=3]"};
  tdm_recording *got = read_and_free(&c);
  assert_rows(got, 2, want);
  tdm_recording_free(got);
}

static void a_chunk_that_went_on_to_another_thread_has_records_of_both(void **state) {
  (void)state;
  capture c = capture_new();
  capture_chunk(&c, 42, 43);
  uint64_t launch = capture_name(&c, "cuLaunchKernel"), gemm = capture_name(&c, "gemm");
  tdm_capture_record call = {
      .kind = TDM_CAPTURE_CALL, .correlation = 7, .start_ns = 100, .end_ns = 110, .name = launch};
  tdm_capture_record mark = {
      .kind = TDM_CAPTURE_MARK, .start_ns = 300, .end_ns = 300, .name = gemm};
  capture_put(&c, call);
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_THREAD, .address = 44});
  call.start_ns = 200;
  call.end_ns = 220;
  call.correlation = 8;
  capture_put(&c, call);
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_THREAD, .address = 0});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_THREAD, .address = UINT64_MAX});
  capture_put(&c, mark);
  capture_chunk(&c, 42, 43);
  mark.start_ns = mark.end_ns = 400;
  capture_put(&c, mark);
  static const char *const want[] = {
      "instant nvtx 1000000300+0 'gemm' [infer (42) | thread 44 | thread CPU pid=42 tid=44]",
      "instant nvtx 1000000400+0 'gemm' [infer (42) | thread 43 | thread CPU pid=42 tid=43]",
      "span driver 1000000100+10 'cuLaunchKernel' correlation=7 return_code=0 "
      "[infer (42) | thread 43 | thread CPU pid=42 tid=43]",
      "span driver 1000000200+20 'cuLaunchKernel' correlation=8 return_code=0 "
      "[infer (42) | thread 44 | thread CPU pid=42 tid=44]"};
  tdm_recording *got = read_and_free(&c);
  assert_rows(got, 4, want);
  assert_int_equal(problem_count(got, "damaged numbers of threads"), 2);
  assert_int_equal(problem_count(got, "not known"), 0);
  tdm_recording_free(got);
}

static void files_of_the_first_version_are_read(void **state) {
  (void)state;
  capture c = capture_new();
  capture_header(&c)->version = 1;
  capture_chunk(&c, 42, 43);
  capture_put(&c, (tdm_capture_record){
                      .kind = TDM_CAPTURE_MARK, .start_ns = 1, .name = capture_name(&c, "here")});
  static const char *const want[] = {
      "instant nvtx 1000000001+0 'here' [infer (42) | thread 43 | thread CPU pid=42 tid=43]"};
  tdm_recording *got = read_and_free(&c);
  assert_rows(got, 1, want);
  tdm_recording_free(got);
}

static void a_copy_says_its_way_and_an_allocation_the_bytes_of_its_call(void **state) {
  (void)state;
  capture c = capture_new();
  capture_chunk(&c, 42, 42);
  uint64_t alloc = capture_name(&c, "cudaMalloc");
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CALL,
                                       .detail = TDM_CAPTURE_RUNTIME,
                                       .correlation = 1,
                                       .start_ns = 0,
                                       .end_ns = 50,
                                       .name = alloc});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_MEMORY,
                                       .detail = TDM_CAPTURE_MEMORY_DEVICE,
                                       .correlation = 1,
                                       .start_ns = 50,
                                       .end_ns = 50,
                                       .address = 4096,
                                       .amount = 256});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_COPY,
                                       .detail = TDM_CAPTURE_H2D,
                                       .flags = TDM_CAPTURE_PAGEABLE,
                                       .correlation = 2,
                                       .start_ns = 60,
                                       .end_ns = 70,
                                       .amount = 256});
  static const char *const want[] = {
      "instant memory 1000000050+0 'allocation' correlation=1 bytes=256 address=4096 "
      "memory_kind=t'device' [GPU #0 | GPU | device GPU pid=42 device=0]",
      "span memcpy 1000000060+10 'Memcpy HtoD' correlation=2 bytes=256 kind=t'HtoD' "
      "src_kind=t'pageable' dst_kind=t'device' [GPU #0 | stream 0 | stream GPU pid=42 device=0 "
      "context=0 stream=0]",
      "span runtime 1000000000+50 'cudaMalloc' correlation=1 return_code=0 bytes=256 "
      "[infer (42) | thread 42 | thread CPU pid=42 tid=42]"};
  tdm_recording *got = read_and_free(&c);
  assert_rows(got, 3, want);
  tdm_recording_free(got);
}

static void a_range_cut_short_ends_with_the_capture(void **state) {
  (void)state;
  capture c = capture_new();
  capture_chunk(&c, 42, 42);
  tdm_capture_record whole = {.kind = TDM_CAPTURE_OPEN,
                              .flags = TDM_CAPTURE_PUSHED,
                              .start_ns = 10,
                              .end_ns = 10,
                              .name = capture_name(&c, "step")};
  capture_put(&c, whole);
  whole.kind = TDM_CAPTURE_RANGE;
  whole.end_ns = 500;
  capture_put(&c, whole);
  whole.kind = TDM_CAPTURE_OPEN;
  whole.start_ns = whole.end_ns = 600;
  capture_put(&c, whole);
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_MARK,
                                       .start_ns = 900,
                                       .end_ns = 900,
                                       .name = capture_name(&c, "here"),
                                       .nvtx = {.domain = capture_name(&c, "mine")}});
  static const char *const want[] = {
      ("instant nvtx 1000000900+0 'here' domain=t'mine' [infer (42) | thread 42 | thread CPU "
       "pid=42 tid=42]"),
      "open nvtx 1000000600+300 'step' [infer (42) | thread 42 | thread CPU pid=42 tid=42]",
      "span nvtx 1000000010+490 'step' [infer (42) | thread 42 | thread CPU pid=42 tid=42]"};
  tdm_recording *got = read_and_free(&c);
  assert_rows(got, 3, want);
  assert_int_equal(problem_count(got, "ranges without an end"), 1);
  tdm_recording_free(got);
}

static void names_of_any_length_are_read_and_what_is_lost_is_told(void **state) {
  (void)state;
  char name[500];
  memset(name, 'k', sizeof name);
  name[sizeof name - 1] = 0;
  capture c = capture_new();
  capture_chunk(&c, 1, 0);
  capture_put(
      &c, (tdm_capture_record){
              .kind = TDM_CAPTURE_KERNEL, .start_ns = 1, .end_ns = 2, .name = capture_hash(name)});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CAUGHT, .amount = 12});
  capture_chunk(&c, 1, 1);
  capture_name(&c, name);
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_MESSAGE,
                                       .name = capture_name(&c, "no CUPTI here")});
  capture_header(&c)->lost = 5;
  tdm_recording *got = read_and_free(&c);
  uint32_t kernels = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    const tdm_rows *rows = tdm_recording_rows(got, i);
    for (size_t r = 0; r < rows->count; r++, kernels++)
      assert_string_equal(tdm_recording_name(got, (uint32_t)rows->column[TDM_NAME][r], NULL), name);
  }
  assert_int_equal(kernels, 1);
  assert_int_equal(problem_count(got, "there was no room"), 5);
  assert_int_equal(problem_count(got, "profiling library"), 12);
  assert_int_equal(problem_count(got, "no CUPTI here"), 1);
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, 9000000000);
  tdm_recording_free(got);
}

/* Every length of a file with a record in each of two chunks. */
static void a_file_cut_anywhere_is_read_up_to_there(void **state) {
  (void)state;
  static const size_t cuts[] = {4096,
                                4100,
                                4096 + 64,
                                4096 + 128,
                                4096 + 200,
                                4096 + TDM_CAPTURE_CHUNK_BYTES,
                                4096 + TDM_CAPTURE_CHUNK_BYTES + 128};
  static const size_t rows[] = {0, 0, 0, 1, 1, 1, 2};
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
    capture c = capture_new();
    for (uint32_t chunk = 0; chunk < 2; chunk++) {
      capture_chunk(&c, 9, 9);
      capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CALL, .start_ns = 5, .end_ns = 6});
    }
    c.length = cuts[i];
    tdm_recording *got = read_and_free(&c);
    size_t sum = 0;
    for (uint32_t l = 0; l < tdm_recording_layouts(got); l++)
      sum += tdm_recording_rows(got, l)->count;
    assert_int_equal(sum, rows[i]);
    tdm_recording_free(got);
  }
}

static void damage_is_counted(void **state) {
  (void)state;
  capture c = capture_new();
  capture_chunk(&c, 9, 9);
  capture_put(&c, (tdm_capture_record){.kind = 200, .start_ns = 1, .end_ns = 2});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CALL, .start_ns = INT64_MIN / 2});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CALL, .start_ns = 9, .end_ns = 2});
  tdm_capture_name *name =
      (tdm_capture_name *)capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_NAME});
  name->slots = 9999;
  capture_chunk(&c, 9, 9);
  c.chunk->records = UINT32_MAX;
  tdm_recording *got = read_and_free(&c);
  assert_int_equal(problem_count(got, "kinds that are not known"), 1);
  assert_int_equal(problem_count(got, "not of this capture"), 1);
  assert_int_equal(problem_count(got, "end before they start"), 1);
  assert_int_equal(problem_count(got, "damaged names"), 1);
  assert_int_equal(problem_count(got, "damaged count"), 1);
  tdm_recording_free(got);
}

static void what_waits_for_a_context_stands_on_its_device(void **state) {
  (void)state;
  capture c = capture_new();
  capture_chunk(&c, 42, 0);
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_SYNC,
                                       .detail = 4,
                                       .correlation = 5,
                                       .start_ns = 50,
                                       .end_ns = 90,
                                       .name = capture_name(&c, "CONTEXT_SYNCHRONIZE"),
                                       .device = TDM_CAPTURE_NO_DEVICE,
                                       .context = 2,
                                       .stream = TDM_CAPTURE_NO_STREAM});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_FILL,
                                       .start_ns = 10,
                                       .end_ns = 80,
                                       .device = 3,
                                       .context = 2,
                                       .stream = 7});
  static const char *const want[] = {
      "async sync 1000000050+40 'CONTEXT_SYNCHRONIZE' correlation=5 kind=t'context_synchronize' "
      "[GPU #3 | GPU | device GPU pid=42 device=3]",
      "span memset 1000000010+70 'Memset' bytes=0 [GPU #3 | stream 7 | stream GPU pid=42 device=3 "
      "context=2 stream=7]"};
  tdm_recording *got = read_and_free(&c);
  assert_rows(got, 2, want);
  tdm_recording_free(got);
}

static int asked;
static int look(void *context, uint64_t done, uint64_t total) {
  (void)context;
  asked++;
  assert_true(done <= total);
  return 0;
}

/* As large as a file may be said to be: one chunk of records, and a hole. */
static void a_hole_of_any_size_costs_nothing(void **state) {
  (void)state;
  capture c = capture_new();
  capture_chunk(&c, 42, 42);
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CALL, .end_ns = 5});
  capture_header(&c)->chunks = UINT64_MAX;
  char path[] = "/tmp/tandem-hole-XXXXXX";
  int fd = mkstemp(path);
  assert_int_equal(write(fd, c.bytes, c.length), c.length);
  bool holds = ftruncate(fd, (off_t)1 << 42) == 0; /* not every file system does */
  close(fd);
  free(c.bytes);
  if (!holds) unlink(path);
  if (!holds) skip();
  tdm_input *input;
  tdm_error error;
  assert_int_equal(tdm_input_open(path, &input, &error), TDM_OK);
  tdm_recording *got = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(got, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(recorder, path, tdm_reader_capture.name);
  tdm_read_options options = {.progress = look};
  assert_int_equal(tdm_reader_capture.read(input, &options, recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_end_source(recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_finish(recorder, &error), TDM_OK);
  assert_int_equal(tdm_recording_rows(got, 0)->count, 1);
  assert_int_equal(asked, 2); /* once a walk */
  tdm_recorder_free(recorder);
  tdm_recording_free(got);
  tdm_input_close(input);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_call_its_launch_and_its_kernel_share_a_correlation),
      cmocka_unit_test(a_chunk_that_went_on_to_another_thread_has_records_of_both),
      cmocka_unit_test(files_of_the_first_version_are_read),
      cmocka_unit_test(a_copy_says_its_way_and_an_allocation_the_bytes_of_its_call),
      cmocka_unit_test(a_range_cut_short_ends_with_the_capture),
      cmocka_unit_test(names_of_any_length_are_read_and_what_is_lost_is_told),
      cmocka_unit_test(a_file_cut_anywhere_is_read_up_to_there),
      cmocka_unit_test(damage_is_counted),
      cmocka_unit_test(what_waits_for_a_context_stands_on_its_device),
      cmocka_unit_test(a_hole_of_any_size_costs_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
