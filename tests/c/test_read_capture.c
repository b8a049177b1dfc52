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
#include "read/capture/follow.h"
#include "read/reader.h"
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
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    for (size_t r = 0; r < rows->count; r++, kernels++)
      assert_string_equal(tdm_recording_name(got, (uint32_t)tdm_kept(rows, TDM_NAME, r), NULL),
                          name);
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

/* Cards have theirs up to number 255, and where the file tells it. */
static void names_that_the_file_does_not_have_are_made(void **state) {
  (void)state;
  capture c = capture_new();
  capture_chunk(&c, 9, 9);
  uint64_t gemm = capture_name(&c, "gemm"), card = capture_name(&c, "H100");
  const uint16_t devices[] = {0, 254, 255, 256, 300};
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    if (i > 0)
      capture_put(
          &c, (tdm_capture_record){.kind = TDM_CAPTURE_DEVICE, .device = devices[i], .name = card});
    capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_KERNEL,
                                         .start_ns = 10,
                                         .end_ns = 20,
                                         .name = gemm,
                                         .ran = {.device_id = devices[i]}});
  }
  tdm_capture_record mark = {.kind = TDM_CAPTURE_MARK, .start_ns = 300, .end_ns = 300};
  capture_put(&c, mark);
  mark.name = 77;
  capture_put(&c, mark);
  capture_put(&c, mark);
  tdm_recording *got = read_and_free(&c);
  size_t seen = 0;
  for (uint32_t t = 0; t < tdm_recording_tracks(got); t++) {
    const tdm_track *track = tdm_recording_track(got, t);
    if (track->kind != TDM_TRACK_STREAM && track->kind != TDM_TRACK_DEVICE) continue;
    char want[32];
    snprintf(want, sizeof want, "%s #%d",
             track->device == 254 || track->device == 255 ? "H100" : "GPU", (int)track->device);
    assert_string_equal(track->process, want);
    seen++;
  }
  assert_int_equal(seen, sizeof devices / sizeof *devices);
  assert_int_equal(problem_count(got, "names that the file does not have"), 2);
  tdm_recording_free(got);
}

/* Numbers of processes and threads are int32_t in a run; 0 is no process. */
static void records_of_no_process_are_left_out(void **state) {
  (void)state;
  static const struct {
    uint32_t pid, tid, records, left_out;
  } of[] = {{0, 1, 2, 2},
            {1, 0, 2, 0},
            {INT32_MAX, INT32_MAX, 2, 0},
            {INT32_MAX + 1u, 1, 2, 2},
            {1, INT32_MAX + 1u, 2, 2},
            {0, 1, 0, 0}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    capture c = capture_new();
    capture_chunk(&c, of[i].pid, of[i].tid);
    for (size_t k = 0; k < of[i].records; k++)
      capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CALL, .start_ns = 9, .end_ns = 10});
    tdm_recording *got = read_and_free(&c);
    assert_int_equal(rows_count(got), of[i].records - of[i].left_out);
    assert_int_equal(problem_count(got, "records of no process"), of[i].left_out);
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

static const char *fact_of(const tdm_recording *r, const char *key) {
  size_t count;
  const tdm_fact *all = tdm_recording_facts(r, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(all[i].key, key) == 0) return all[i].value;
  return "(none)";
}

#define STREAM(n) "[GPU #0 | stream " n " | stream GPU pid=42 device=0 context=0 stream=" n "]"
#define DEVICE    "[GPU #0 | GPU | device GPU pid=42 device=0]"
#define THREAD    "[infer (42) | thread 43 | thread CPU pid=42 tid=43]"

static void every_kind_of_record_is_a_row(void **state) {
  (void)state;
  capture c = capture_new();
  capture_chunk(&c, 42, 43);
  for (uint8_t way = 0; way <= TDM_CAPTURE_ANY + 1; way++)
    capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_COPY,
                                         .detail = way,
                                         .flags = way == TDM_CAPTURE_D2H   ? TDM_CAPTURE_PAGEABLE
                                                  : way == TDM_CAPTURE_H2H ? TDM_CAPTURE_ESTIMATED
                                                                           : 0,
                                         .start_ns = way,
                                         .end_ns = way + 1,
                                         .stream = way,
                                         .amount = way == 1 ? UINT64_MAX : way});
  static const uint64_t graphs[] = {5, 0, INT64_MAX, UINT64_MAX};
  for (int i = 0; i < 4; i++)
    capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_GRAPH,
                                         .flags = i == 1 ? TDM_CAPTURE_ESTIMATED : 0,
                                         .correlation = 9,
                                         .start_ns = 20 + i,
                                         .end_ns = 30,
                                         .address = graphs[i]});
  for (uint8_t detail = 0; detail <= 5; detail++)
    capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_SYNC,
                                         .detail = detail,
                                         .start_ns = 40 + detail,
                                         .end_ns = 50,
                                         .stream = TDM_CAPTURE_NO_STREAM});
  for (uint8_t detail = 0; detail <= 5; detail++)
    capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_MEMORY,
                                         .detail = detail,
                                         .flags = detail == 3 ? TDM_CAPTURE_FREED : 0,
                                         .start_ns = 60 + detail,
                                         .end_ns = 60 + detail,
                                         .result = detail == 4 ? 2 : 0,
                                         .address = 4096,
                                         .amount = detail});
  uint64_t range = capture_name(&c, "range"), named = capture_name(&c, "mine");
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_RANGE,
                                       .start_ns = 70,
                                       .end_ns = 80,
                                       .name = range,
                                       .nvtx = {.category = named, .color = 255, .tid = 44}});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_RANGE,
                                       .flags = TDM_CAPTURE_PUSHED,
                                       .start_ns = 71,
                                       .end_ns = 71,
                                       .nvtx = {.category = 3}});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CALL,
                                       .flags = TDM_CAPTURE_CAPTURED,
                                       .start_ns = 90,
                                       .end_ns = 91,
                                       .result = -5,
                                       .amount = 7});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_LAUNCH,
                                       .start_ns = 95,
                                       .end_ns = 95,
                                       .correlation = 77,
                                       .ran = {.shared_bytes = 3}});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_DEVICE, .device = 0, .amount = 1 << 20});
  static const char *const want[] = {
      "async nvtx 1000000070+10 'range' nvtx_category=t'mine' color=255 "
      "[infer (42) | thread 44 | thread CPU pid=42 tid=44]",
      "async sync 1000000040+10 'synchronize' " DEVICE,
      "async sync 1000000041+9 'event_synchronize' kind=t'event_synchronize' " DEVICE,
      "async sync 1000000042+8 'stream_wait_event' kind=t'stream_wait_event' " DEVICE,
      "async sync 1000000043+7 'stream_synchronize' kind=t'stream_synchronize' " DEVICE,
      "async sync 1000000044+6 'context_synchronize' kind=t'context_synchronize' " DEVICE,
      "async sync 1000000045+5 'synchronize' " DEVICE,
      "instant driver 1000000095+0 'cuLaunchKernel' correlation=77 function=t'kernel' grid_x=0 "
      "grid_y=0 grid_z=0 block_x=0 block_y=0 block_z=0 shared_bytes=3 device=0 stream=0 " THREAD,
      "instant memory 1000000060+0 'allocation' bytes=0 address=4096 memory_kind=t'device' " DEVICE,
      "instant memory 1000000061+0 'allocation' bytes=1 address=4096 memory_kind=t'device' " DEVICE,
      "instant memory 1000000062+0 'allocation' bytes=2 address=4096 memory_kind=t'pinned' " DEVICE,
      "instant memory 1000000063+0 'deallocation' bytes=3 address=4096 "
      "memory_kind=t'managed' " DEVICE,
      "instant memory 1000000064+0 'failed allocation' bytes=4 address=4096 "
      "memory_kind=t'array' " DEVICE,
      "instant memory 1000000065+0 'allocation' bytes=5 address=4096 memory_kind=t'device' " DEVICE,
      "span driver 1000000090+1 'CUDA call' return_code=-5 bytes=7 captured=1b " THREAD,
      "span graph 1000000020+10 'CUDA graph 5' correlation=9 graph_id=5 " STREAM("0"),
      "span graph 1000000021+9 'CUDA graph' correlation=9 graph_id=0 estimated=1b " STREAM("0"),
      "span graph 1000000022+8 'CUDA graph 9223372036854775807' correlation=9 "
      "graph_id=9223372036854775807 " STREAM("0"),
      "span graph 1000000023+7 'CUDA graph' correlation=9 " STREAM("0"),
      "span memcpy 1000000000+1 'Memcpy unknown' bytes=0 " STREAM("0"),
      "span memcpy 1000000001+1 'Memcpy HtoD' bytes=9223372036854775807 kind=t'HtoD' "
      "src_kind=t'pinned' dst_kind=t'device' " STREAM("1"),
      "span memcpy 1000000002+1 'Memcpy DtoH' bytes=2 kind=t'DtoH' src_kind=t'device' "
      "dst_kind=t'pageable' " STREAM("2"),
      "span memcpy 1000000003+1 'Memcpy DtoD' bytes=3 kind=t'DtoD' src_kind=t'device' "
      "dst_kind=t'device' " STREAM("3"),
      "span memcpy 1000000004+1 'Memcpy HtoH' bytes=4 kind=t'HtoH' estimated=1b " STREAM("4"),
      "span memcpy 1000000005+1 'Memcpy PtoP' bytes=5 kind=t'PtoP' src_kind=t'device' "
      "dst_kind=t'device' " STREAM("5"),
      "span memcpy 1000000006+1 'Memcpy unknown' bytes=6 " STREAM("6"),
      "span memcpy 1000000007+1 'Memcpy unknown' bytes=7 " STREAM("7"),
      "span nvtx 1000000071+0 'range' nvtx_category=t'category 3' " THREAD,
  };
  capture_header(&c)->lost = (uint64_t)INT64_MAX + 1;
  capture_header(&c)->limit_bytes = 1 << 30;
  capture_header(&c)->wanted = 5;
  tdm_recording *got = read_and_free(&c);
  assert_rows(got, sizeof want / sizeof *want, want);
  assert_int_equal(problem_count(got, "launches without a call"), 1);
  static const char *const facts[][2] = {{"capture.recorded", "api,memory"},
                                         {"capture.command", "./infer --fast"},
                                         {"capture.calls", "1"},
                                         {"capture.processes", "1"},
                                         {"capture.limit_bytes", "1073741824"},
                                         {"capture.estimated", "2"},
                                         {"capture.lost", "9223372036854775807"},
                                         {"capture.call_gap_ns", "(none)"},
                                         {"gpu.0.name", "GPU"},
                                         {"gpu.0.memory_bytes", "1048576"}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    assert_string_equal(fact_of(got, facts[i][0]), facts[i][1]);
  tdm_recording_free(got);
}

/* The shortest 20th of the gaps between calls; a gap is told in steps of 8 ns, of 100 at least. */
static void the_gap_between_calls_is_told_where_there_are_enough(void **state) {
  (void)state;
  static const struct {
    int calls, close; /* so many of the gaps are 16 ns, the others 100 */
    const char *gap;
  } cases[] = {
      {100, 50, "(none)"}, {101, 0, "104"}, {101, 4, "104"}, {101, 5, "24"}, {101, 100, "24"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    capture c = capture_new();
    capture_chunk(&c, 42, 43);
    int64_t at_ns = 0;
    for (int k = 0; k < cases[i].calls; k++) {
      capture_put(&c, (tdm_capture_record){
                          .kind = TDM_CAPTURE_CALL, .start_ns = at_ns, .end_ns = at_ns + 5});
      at_ns += 5 + (k < cases[i].close ? 16 : 100);
    }
    /* overlapping, and further off than gaps are counted */
    capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CALL, .start_ns = 1, .end_ns = 2});
    capture_put(&c, (tdm_capture_record){
                        .kind = TDM_CAPTURE_CALL, .start_ns = 2 + 4096 * 8, .end_ns = 1 << 20});
    tdm_recording *got = read_and_free(&c);
    assert_string_equal(fact_of(got, "capture.call_gap_ns"), cases[i].gap);
    tdm_recording_free(got);
  }
}

static void times_far_from_the_capture_are_left_out(void **state) {
  (void)state;
  static const int64_t second = 1000000000, ten_years = 3650 * 86400 * INT64_C(1000000000);
  const struct {
    int64_t start_ns, end_ns;
    size_t rows;
  } cases[] = {{-60 * second, 0, 1},      {-60 * second - 1, 0, 0},
               {ten_years, ten_years, 1}, {ten_years + 1, ten_years + 1, 0},
               {0, ten_years, 1},         {0, ten_years + 1, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    capture c = capture_new();
    capture_chunk(&c, 42, 43);
    capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_CALL,
                                         .start_ns = cases[i].start_ns,
                                         .end_ns = cases[i].end_ns});
    tdm_recording *got = read_and_free(&c);
    assert_int_equal(rows_count(got), cases[i].rows);
    assert_int_equal(problem_count(got, "not of this capture"), 1 - cases[i].rows);
    tdm_recording_free(got);
  }
}

/* ---- a file that grows ---- */

static void save(const capture *c, const char *path) {
  FILE *file = fopen(path, "wb");
  assert_int_equal(fwrite(c->bytes, 1, c->length, file), c->length);
  fclose(file);
}

static void assert_sum(const tdm_follow_sums *sums, size_t at, int sort, const char *name,
                       uint64_t count, int64_t ns, uint64_t bytes) {
  assert_true(at < sums->name_count);
  assert_int_equal(sums->names[at].sort, sort);
  assert_string_equal(sums->names[at].name, name);
  assert_int_equal(sums->names[at].count, count);
  assert_int_equal(sums->names[at].ns, ns);
  assert_int_equal(sums->names[at].bytes, bytes);
}

static void a_file_that_grows_is_summed_up_as_it_comes(void **state) {
  (void)state;
  const char *path = scratch_path(".tdmc");
  capture c = capture_new();
  capture_header(&c)->recording = 1;
  capture_chunk(&c, 42, 43);
  uint64_t init = capture_name(&c, "cuInit"), gemm = capture_name(&c, "gemm");
  capture_put(
      &c, (tdm_capture_record){
              .kind = TDM_CAPTURE_CALL, .start_ns = 0, .end_ns = 30, .name = init, .amount = 8});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_KERNEL,
                                       .start_ns = 100,
                                       .end_ns = 150,
                                       .name = gemm,
                                       .ran = {.device_id = 1}});
  save(&c, path);
  tdm_capture_follower *f;
  tdm_follow_sums sums;
  tdm_error error = {0};
  assert_int_equal(tdm_capture_follow_open(path, &f, &error), TDM_OK);
  for (int again = 0; again < 2; again++) { /* nothing is counted twice */
    assert_int_equal(tdm_capture_follow_look(f, &sums, &error), TDM_OK);
    assert_int_equal(sums.records, 2);
    assert_int_equal(sums.calls, 1);
    assert_int_equal(sums.processes, 1);
    assert_int_equal(sums.start_ns, 1000000000);
    assert_int_equal(sums.last_ns, 1000000150);
    assert_int_equal(sums.bytes, c.length);
    assert_true(sums.recording);
    assert_false(sums.ended);
    assert_int_equal(sums.name_count, 2);
    assert_sum(&sums, 0, TDM_FOLLOW_CALLS, "cuInit", 1, 30, 8);
    assert_sum(&sums, 1, TDM_FOLLOW_KERNELS, "gemm", 1, 50, 0);
    assert_int_equal(sums.device_count, 2);
    assert_int_equal(sums.devices[0].busy_ns, 0);
    assert_int_equal(sums.devices[1].busy_ns, 50);
    assert_int_equal(sums.devices[1].last_ns, 1000000150);
  }
  /* More in the same chunk, and another process. Work that overlaps counts once. */
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_KERNEL,
                                       .start_ns = 140,
                                       .end_ns = 170,
                                       .name = gemm,
                                       .ran = {.device_id = 1}});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_COPY,
                                       .detail = TDM_CAPTURE_D2H,
                                       .start_ns = 150,
                                       .end_ns = 170,
                                       .device = 1,
                                       .amount = 64});
  capture_put(&c, (tdm_capture_record){
                      .kind = TDM_CAPTURE_FILL, .start_ns = 180, .end_ns = 181, .device = 1});
  capture_put(&c, (tdm_capture_record){
                      .kind = TDM_CAPTURE_GRAPH, .start_ns = 175, .end_ns = 191, .device = 1});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_MARK, .start_ns = 400, .end_ns = 400});
  capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_DEVICE,
                                       .start_ns = 900,
                                       .end_ns = 900,
                                       .name = capture_name(&c, "H100"),
                                       .device = 1});
  for (uint8_t way = TDM_CAPTURE_P2P; way <= TDM_CAPTURE_ANY; way++)
    capture_put(&c, (tdm_capture_record){
                        .kind = TDM_CAPTURE_COPY, .detail = way, .start_ns = 5, .end_ns = 6});
  uint64_t last = capture_name(&c, "the last of its chunk, and with more letters than a slot has");
  capture_chunk(&c, 44, 44);
  static const struct {
    uint64_t address, amount;
    uint16_t flags, detail;
    int32_t result;
  } changes[] = {{4096, 100, 0, TDM_CAPTURE_MEMORY_DEVICE, 0},
                 {8192, 50, 0, TDM_CAPTURE_MEMORY_MANAGED, 0},
                 {4096, 0, TDM_CAPTURE_FREED, TDM_CAPTURE_MEMORY_DEVICE, 0},
                 {4096, 0, TDM_CAPTURE_FREED, TDM_CAPTURE_MEMORY_DEVICE, 0}, /* twice */
                 {4096, 30, 0, TDM_CAPTURE_MEMORY_DEVICE, 0},
                 {4096, 40, 0, TDM_CAPTURE_MEMORY_DEVICE, 0}, /* its end was not seen */
                 {12288, 1000, 0, TDM_CAPTURE_MEMORY_PINNED, 0},
                 {16384, 1000, 0, TDM_CAPTURE_MEMORY_DEVICE, 2}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    capture_put(&c, (tdm_capture_record){.kind = TDM_CAPTURE_MEMORY,
                                         .detail = (uint8_t)changes[i].detail,
                                         .flags = changes[i].flags,
                                         .start_ns = 500,
                                         .end_ns = 500,
                                         .device = 2,
                                         .result = changes[i].result,
                                         .address = changes[i].address,
                                         .amount = changes[i].amount});
  capture_put(&c, (tdm_capture_record){
                      .kind = TDM_CAPTURE_RANGE, .start_ns = 10, .end_ns = 20, .name = last});
  capture_header(&c)->lost = 3;
  capture_header(&c)->recording = 0;
  capture_header(&c)->ended = 1;
  save(&c, path);
  assert_int_equal(tdm_capture_follow_look(f, &sums, &error), TDM_OK);
  assert_int_equal(sums.records, 2 + 5 + 2 + 8 + 1);
  assert_int_equal(sums.calls, 1);
  assert_int_equal(sums.lost, 3);
  assert_int_equal(sums.processes, 2);
  assert_int_equal(sums.last_ns, 1000000500);
  assert_false(sums.recording);
  assert_true(sums.ended);
  assert_int_equal(sums.name_count, 6);
  assert_sum(&sums, 1, TDM_FOLLOW_KERNELS, "gemm", 2, 80, 0);
  assert_sum(&sums, 2, TDM_FOLLOW_COPIES, "DtoH", 1, 20, 64);
  assert_sum(&sums, 3, TDM_FOLLOW_COPIES, "PtoP", 1, 1, 0);
  assert_sum(&sums, 4, TDM_FOLLOW_COPIES, "unknown", 1, 1, 0);
  assert_sum(&sums, 5, TDM_FOLLOW_RANGES,
             "the last of its chunk, and with more letters than a slot has", 1, 10, 0);
  assert_int_equal(sums.device_count, 3);
  assert_string_equal(sums.devices[1].name, "H100");
  assert_null(sums.devices[2].name);
  assert_int_equal(sums.devices[1].busy_ns, 50 + 20 + 1 + 10);
  assert_int_equal(sums.devices[2].held, 90);
  assert_int_equal(sums.devices[2].peak, 150);
  tdm_capture_follow_close(f);
  free(c.bytes);
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
      cmocka_unit_test(names_that_the_file_does_not_have_are_made),
      cmocka_unit_test(records_of_no_process_are_left_out),
      cmocka_unit_test(damage_is_counted),
      cmocka_unit_test(what_waits_for_a_context_stands_on_its_device),
      cmocka_unit_test(a_hole_of_any_size_costs_nothing),
      cmocka_unit_test(every_kind_of_record_is_a_row),
      cmocka_unit_test(the_gap_between_calls_is_told_where_there_are_enough),
      cmocka_unit_test(times_far_from_the_capture_are_left_out),
      cmocka_unit_test(a_file_that_grows_is_summed_up_as_it_comes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
