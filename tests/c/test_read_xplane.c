/* read/xplane: real profiles of JAX against figures that a script counts in their bytes, what no
 * real file of ours has (CUDA's copies, derived lines, TPUs, other clocks) by hand, and what must
 * be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xplane_fixture.h"

#define DATA "tests/data/xplane/"

/* ---- real files ---- */

typedef struct {
  uint64_t rows;
  int64_t total_ns;
} figures;

/* Spans of a GPU's streams, or of the host's threads (device TDM_NONE). Memory has no time. */
static figures figures_of(const tdm_recording *got, int64_t device) {
  figures sum = {0};
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    const tdm_layout *layout = tdm_recording_layout(got, i);
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    for (size_t row = 0; layout->shape != TDM_SHAPE_EDGE && row < rows->count; row++) {
      const tdm_track *track = tdm_recording_track(got, (uint32_t)tdm_kept(rows, TDM_TRACK, row));
      if (track->device != device) continue;
      sum.rows++;
      sum.total_ns += tdm_kept(rows, TDM_DUR, row);
    }
  }
  return sum;
}

static uint64_t rows_of(const tdm_recording *got, const char *category) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++)
    if (strcmp(tdm_recording_layout(got, i)->category, category) == 0)
      count += tdm_recording_rows(got, i)->count;
  return count;
}

/* Sum of an argument over a category. */
static int64_t sum_of(const tdm_recording *got, const char *category, const char *key) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    const tdm_layout *layout = tdm_recording_layout(got, i);
    uint32_t column = tdm_layout_column(layout, key);
    if (strcmp(layout->category, category) != 0 || column == 0) continue;
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    for (size_t row = 0; row < rows->count; row++) sum += tdm_kept(rows, column, row);
  }
  return sum;
}

typedef struct {
  int64_t device; /* TDM_NONE: the host */
  uint64_t events;
  int64_t total_ns;
} plane_figures;

static void assert_planes(const tdm_recording *got, const plane_figures *want, size_t count) {
  for (size_t i = 0; i < count; i++) {
    figures sum = figures_of(got, want[i].device);
    assert_int_equal(sum.rows, want[i].events);
    assert_int_equal(sum.total_ns, want[i].total_ns);
  }
}

static void planes_have_the_figures_that_a_script_counts(void **state) {
  (void)state;
  static const plane_figures te[] = {{0, 150, 12133585}, {TDM_NONE, 1842, 9774483803}};
  static const plane_figures conv[] = {
      {0, 60, 4000165}, {1, 25, 3345845}, {2, 25, 3524285},
      {3, 25, 3403364}, {4, 25, 3493365}, {5, 25, 3464884},
      {6, 25, 3403004}, {7, 25, 3502165}, {TDM_NONE, 3415, 1911823171}};
  static const plane_figures legacy[] = {
      {0, 53, 889028}, {7, 25, 3586493}, {TDM_NONE, 5946, 30816778947}};
  tdm_recording *got = read_path(xplane, DATA "jax_te_fused_attn.xplane.pb.gz");
  assert_planes(got, te, 2);
  assert_int_equal(rows_of(got, "kernel"), 150);
  assert_int_equal(rows_of(got, "runtime"), 150);
  assert_int_equal(rows_of(got, "memory"), 59);
  assert_int_equal(rows_of(got, "edge"), 10);
  tdm_recording_free(got);
  got = read_path(xplane, DATA "mi300_jax_conv_0.8.xplane.pb.gz");
  assert_planes(got, conv, 9);
  assert_int_equal(rows_of(got, "runtime"), 234);
  assert_int_equal(rows_of(got, "memory"), 230);
  assert_int_equal(rows_of(got, "edge"), 195);
  tdm_recording_free(got);
  got = read_path(xplane, DATA "mi300_jax_conv_legacy.xplane.pb.gz");
  assert_planes(got, legacy, 3);
  assert_int_equal(rows_of(got, "memcpy"), 53);
  assert_int_equal(sum_of(got, "memcpy", "bytes"), INT64_C(53) * 655360);
  assert_int_equal(rows_of(got, "edge"), 540);
  assert_int_equal(problem_count(got, "register counts that no GPU has"), 25);
  tdm_recording_free(got);
}

static void a_file_says_its_host_its_gpus_and_when_it_began(void **state) {
  (void)state;
  tdm_recording *got = read_path(xplane, DATA "mi300_jax_conv_0.8.xplane.pb.gz");
  assert_string_equal(fact_of(got, "host.name"), "tw003");
  assert_string_equal(fact_of(got, "gpu.7.vendor"), "AMD");
  assert_string_equal(fact_of(got, "gpu.7.compute_capability"), "9.4");
  assert_string_equal(fact_of(got, "gpu.7.memory_bytes"), "206141652992");
  assert_string_equal(fact_of(got, "gpu.7.sm_count"), "304");
  assert_string_equal(fact_of(got, "gpu.7.clock_hz"), "2100000000");
  assert_string_equal(tdm_recording_source(got, 0)->detail, "11 planes, 8 devices");
  tdm_recording_free(got);
  got = read_path(xplane, DATA "jax_te_fused_attn.xplane.pb.gz");
  assert_true(tdm_recording_source(got, 0)->utc_ns == INT64_C(1779266702889805563));
  assert_string_equal(fact_of(got, "capture.duration_ns"), "9731909612");
  tdm_recording_free(got);
}

/* ---- by hand ---- */

static void copies_and_memsets_of_cuda_have_their_bytes_and_memories(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      "1{2'/device:GPU:1' "
      "3{1:7 2'Stream #7(MemcpyH2D,Memset,Compute)' 3:1000 "
      "4{1:1 2:2500 3:1500 4{1:1 7:10} 4{1:4 3:5}} "
      "4{1:2 2:9000 3:2000 4{1:2 5'kind:device num_bytes:64 async:1'}} "
      "4{1:3 2:12999 3:1001 4{1:3 5'regs:32 static_shared:8 dynamic_shared:16 grid:2,3,4 "
      "block:128,1,1 occ_pct:50'} 4{1:5 5'dot.3'} 4{1:6 2=0}}} " NAME(1, "MemcpyH2D")
          NAME(2, "Memset") NAME(3, "dot_kernel") STAT(1, "memcpy_details")
              STAT(2, "Memset_details") STAT(3, "kernel_details") STAT(4, "correlation_id")
                  STAT(5, "hlo_op") STAT(6, "theoretical_occupancy_pct") STAT(7, "device_vendor")
                      STAT(10, "kind_src:pinned kind_dst:device size:4096 dest:1 async:0")
                          STAT(11, "Nvidia") "6{1:7 7:11}}");
  const char *const want[] = {
      "span kernel 1012+2 'dot_kernel' hlo_op=t'dot.3' registers_per_thread=32 "
      "static_shared_bytes=8 dynamic_shared_bytes=16 grid_x=2 grid_y=3 grid_z=4 block_x=128 "
      "block_y=1 block_z=1 occupancy_pct=50r "
      "[NVIDIA GPU #1 | stream 7 | stream GPU device=1 stream=7]",
      "span memcpy 1002+2 'MemcpyH2D' correlation=5 kind=t'HtoD' src_kind=t'pinned' "
      "dst_kind=t'device' bytes=4096 async=0b "
      "[NVIDIA GPU #1 | stream 7 | stream GPU device=1 stream=7]",
      ("span memset 1009+2 'Memset' kind=t'device' bytes=64 async=1b "
       "[NVIDIA GPU #1 | stream 7 | stream GPU device=1 stream=7]")};
  assert_rows(got, 3, want);
  tdm_recording_free(got);
}

static void lines_that_repeat_a_gpus_time_are_not_its_kernels(void **state) {
  (void)state;
  tdm_recording *got =
      read_fields("1{2'/device:GPU:0' 3{1:1 2'Stream #1(Kernel)' 4{1:1 3:5000}} "
                  "3{1:2 2'XLA Modules' 4{1:2 3:6000}} "
                  "3{1:3 2'Steps' 11'Steps' 4{1:3 2:1 3:7000}} " NAME(1, "k [clone .kd]")
                      NAME(2, "jit_f") NAME(3, "12") "}");
  const char *const want[] = {
      "async gpu_user_annotation 0+6 'jit_f' [GPU #0 | XLA Modules | other GPU device=0]",
      "async gpu_user_annotation 0+7 '12' [GPU #0 | Steps | other GPU device=0]",
      "span kernel 0+5 'k' [GPU #0 | stream 1 | stream GPU device=0 stream=1]"};
  assert_rows(got, 3, want);
  tdm_recording_free(got);
}

/* A loop of 10 us holds two operators; what follows it does not lie in it. */
static void the_innermost_operators_of_a_tpu_are_its_work(void **state) {
  (void)state;
  tdm_recording *got =
      read_fields("1{1:2 2'/device:TPU:2' 3{1:1 2'XLA Ops' 4{1:2 2:1000 3:4000} 4{1:1 2:0 3:10000} "
                  "4{1:2 2:5000 3:5000} 4{1:3 2:10000 3:1000}} "
                  "4{1:1 2{1:1 2'%while = while(...)' 4'while.1'}} "
                  "4{1:2 2{1:2 2'%fusion = ...' 4'fusion.2' 5{1:8 3:77}}} " NAME(3, "copy.3")
                      STAT(8, "flops") STAT(9, "device_type_string") "6{1:9 5'TPU v5e'}}");
  const char *const want[] = {
      "async gpu_user_annotation 0+10 'while.1' [TPU v5e #2 | XLA Ops | stream GPU device=2]",
      "span kernel 1+4 'fusion.2' flops=77 [TPU v5e #2 | XLA Ops | stream GPU device=2]",
      "span kernel 10+1 'copy.3' [TPU v5e #2 | XLA Ops | stream GPU device=2]",
      "span kernel 5+5 'fusion.2' flops=77 [TPU v5e #2 | XLA Ops | stream GPU device=2]"};
  assert_rows(got, 4, want);
  assert_string_equal(fact_of(got, "gpu.2.name"), "TPU v5e");
  tdm_recording_free(got);
}

static void the_host_has_calls_operators_python_steps_and_memory(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      "1{2'/host:CPU' 3{1:77 2'Host Threads/77' 11'Host Threads/77' "
      "4{1:1 3:1000 4{1:1 4:9}} 4{1:2 2:2000 3:1000 4{1:1 4:10}}} "
      "3{1:18446744073709551615 2'python3' 4{1:3 2:0 3:9000} 4{1:4 2:100 3:8000 4{1:2 4:3}} "
      "4{1:5 2:2000 3:1000 4{1:7 3:5} 4{1:8 3:1}} "
      "4{1:6 2:3000 4{1:3 5'GPU_1_bfc'} 4{1:4 4:512} 4{1:5 4:600} 4{1:6 4:4096}} "
      "4{1:7 2:4000 4{1:3 5'cpu'} 4{1:4 4:8}} 4{1:5 2:5000 4{1:9 3:5} 4{1:10 3:1}} "
      "4{1:5 2:1000 4{1:9 3:5} 4{1:10 3:1}}} " NAME(1, "hipLaunchKernel") NAME(2, "cuLaunchKernel")
          NAME(3, "$train.py:3 step") NAME(4, "train") NAME(5, "Execute")
              NAME(6, "MemoryAllocation") NAME(7, "MemoryDeallocation") STAT(1, "correlation_id")
                  STAT(2, "step_num") STAT(3, "allocator_name") STAT(4, "allocation_bytes")
                      STAT(5, "bytes_allocated") STAT(6, "addr") STAT(7, "_pt") STAT(8, "_p")
                          STAT(9, "_ct") STAT(10, "_c") "}");
  const char *const want[] = {
      "edge edge 2+3 'async' [host | python3 | thread CPU tid=-1]"
      "[host | python3 | thread CPU tid=-1]",
      "instant cpu_op 1+0 'Execute' [host | python3 | thread CPU tid=-1]",
      "instant cpu_op 5+0 'Execute' [host | python3 | thread CPU tid=-1]",
      "instant memory 3+0 'allocation' allocator=t'GPU_1_bfc' bytes=512 Total Allocated=600 "
      "address=4096 Device Type=1 Device Id=1 [host | python3 | thread CPU tid=-1]",
      "instant memory 4+0 'deallocation' allocator=t'cpu' bytes=8 Device Type=0 "
      "[host | python3 | thread CPU tid=-1]",
      "span cpu_op 2+1 'Execute' [host | python3 | thread CPU tid=-1]",
      "span driver 2+1 'cuLaunchKernel' correlation=10 [host | thread 77 | thread CPU tid=77]",
      "span python_function 0+9 'train.py:3 step' [host | python3 | thread CPU tid=-1]",
      "span runtime 0+1 'hipLaunchKernel' correlation=9 [host | thread 77 | thread CPU tid=77]",
      "span user_annotation 0+8 'train' step_num=3 [host | python3 | thread CPU tid=-1]"};
  assert_rows(got, 10, want);
  tdm_recording_free(got);
}

/* Operator "dot" runs twice on thread b and once, elsewhere in time, on thread a. The calls of line
 * 77 lie within b's, all of them; one of line 78 lies in neither. */
static void calls_lie_on_the_thread_whose_operators_hold_all_of_them(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      "1{2'/host:CPU' 3{1:77 2'Host Threads/77' 4{1:1 2:2000 3:1000 4{1:1 4:1} 4{1:2 5'dot'}} "
      "4{1:1 2:7000 3:1000 4{1:1 4:2} 4{1:2 5'dot'}} 4{1:1 2:9000 3:1000 4{1:1 4:3}}} "
      "3{1:78 2'Host Threads/78' 4{1:1 2:7000 3:1000 4{1:1 4:4} 4{1:2 5'dot'}} "
      "4{1:1 2:20000 3:1000 4{1:1 4:5} 4{1:2 5'dot'}}} "
      "3{1:5 2'a' 4{1:2 2:1000 3:3000}} "
      "3{1:6 2'b' 4{1:2 2:1000 3:3000} 4{1:2 2:6000 3:3000}} " NAME(1, "hipLaunchKernel")
          NAME(2, "dot") STAT(1, "correlation_id") STAT(2, "hlo_op") "}");
  const char *const want[] = {
      "span cpu_op 1+3 'dot' [host | a | thread CPU tid=5]",
      "span cpu_op 1+3 'dot' [host | b | thread CPU tid=77]",
      "span cpu_op 6+3 'dot' [host | b | thread CPU tid=77]",
      "span runtime 2+1 'hipLaunchKernel' correlation=1 hlo_op=t'dot' [host | b | thread CPU "
      "tid=77]",
      "span runtime 20+1 'hipLaunchKernel' correlation=5 hlo_op=t'dot' "
      "[host | thread 78 | thread CPU tid=78]",
      "span runtime 7+1 'hipLaunchKernel' correlation=2 hlo_op=t'dot' [host | b | thread CPU "
      "tid=77]",
      "span runtime 7+1 'hipLaunchKernel' correlation=4 hlo_op=t'dot' "
      "[host | thread 78 | thread CPU tid=78]",
      "span runtime 9+1 'hipLaunchKernel' correlation=3 [host | b | thread CPU tid=77]"};
  assert_rows(got, 8, want);
  tdm_recording_free(got);
}

/* Two lines of calls fit one thread; and one that fits two threads. */
static void threads_that_two_lines_claim_or_that_are_two_stay_apart(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      "1{2'/host:CPU' 3{1:77 2'Host Threads/77' 4{1:1 2:2000 3:1000 4{1:1 4:1} 4{1:2 5'dot'}}} "
      "3{1:78 2'Host Threads/78' 4{1:1 2:2000 3:1000 4{1:1 4:2} 4{1:2 5'dot'}}} "
      "3{1:79 2'Host Threads/79' 4{1:1 2:7000 3:1000 4{1:1 4:3} 4{1:2 5'add'}}} "
      "3{1:6 2'b' 4{1:2 2:1000 3:3000} 4{1:3 2:6000 3:3000}} "
      "3{1:7 2'c' 4{1:3 2:6000 3:3000}} " NAME(1, "hipLaunchKernel") NAME(2, "dot") NAME(3, "add")
          STAT(1, "correlation_id") STAT(2, "hlo_op") "}");
  for (uint32_t t = 0; t < tdm_recording_tracks(got); t++) {
    const tdm_track *track = tdm_recording_track(got, t);
    assert_true(track->tid < 10 || strncmp(track->name, "thread 7", 8) == 0);
  }
  assert_int_equal(tdm_recording_tracks(got), 5);
  tdm_recording_free(got);
}

/* Of eight threads that launch kernels each is found; those that only copy do not say enough. */
static void the_threads_of_a_real_file_are_found(void **state) {
  (void)state;
  tdm_recording *got = read_path(xplane, DATA "mi300_jax_conv_0.8.xplane.pb.gz");
  int joined = 0, apart = 0;
  for (uint32_t t = 0; t < tdm_recording_tracks(got); t++) {
    const tdm_track *track = tdm_recording_track(got, t);
    joined +=
        strncmp(track->name, "py_xla_execute/", 15) == 0 && track->tid >= 583 && track->tid <= 604;
    apart += strncmp(track->name, "thread ", 7) == 0;
  }
  assert_int_equal(joined, 8);
  assert_int_equal(apart, 7);
  tdm_recording_free(got);
}

static void times_of_the_epoch_are_told_by_their_size(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      "1{2'/host:CPU' 3{1:1 2't' 3:1700000000000000000 4{1:1 3:5000}} "
      "3{1:2 2'u' 3:5 4{1:1 3:5000}} " NAME(1, "f") "} "
                                                    "1{2'Task Environment' " STAT(
                                                        1, "profile_start_time") "6{1:1 3:17}}");
  const char *const want[] = {
      "span cpu_op 1700000000000000000+5 'f' [host | t | thread CPU tid=1]"};
  assert_rows(got, 1, want);
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, 0);
  assert_int_equal(problem_count(got, "lines on another clock"), 1);
  tdm_recording_free(got);
}

static void sums_and_damage_are_left_out_and_counted(void **state) {
  (void)state;
  tdm_recording *got =
      read_fields("1{2'/host:CPU' 3{1:1 2't' 4{1:1 5:12 3:9000} 4'\377' 4{1:99 3:1000} "
                  "4{1:1 2:9223372036854775807 3:9}} " NAME(1, "f") "} 2'lost' 4'a' 4'b' 9'?'");
  const char *const want[] = {"span cpu_op 0+1 '' [host | t | thread CPU tid=1]"};
  assert_rows(got, 1, want);
  assert_int_equal(problem_count(got, "sums over many"), 1);
  assert_int_equal(problem_count(got, "events that cannot be read"), 1);
  assert_int_equal(problem_count(got, "events without a name"), 1);
  assert_int_equal(problem_count(got, "do not fit 64 bits"), 1);
  assert_int_equal(problem_count(got, "errors that the profiler itself tells"), 1);
  assert_int_equal(problem_count(got, "not planes"), 1);
  assert_string_equal(fact_of(got, "capture.error"), "lost");
  assert_string_equal(fact_of(got, "host.1.name"), "b");
  tdm_recording_free(got);
}

static void what_is_not_wanted_is_left_out(void **state) {
  (void)state;
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  tdm_read_options options = {.dropped = TDM_READ_NO_API | TDM_READ_NO_CPU};
  assert_int_equal(tdm_input_open(DATA "jax_te_fused_attn.xplane.pb.gz", &input, &error), TDM_OK);
  assert_int_equal(read_input(xplane, input, &options, &got, &error), TDM_OK);
  assert_int_equal(rows_of(got, "kernel"), 150);
  assert_int_equal(rows_count(got), 150 + 59);
  tdm_recording_free(got);
}

/* ---- other files, and parts of one ---- */

static int sure(const char *text) {
  tdm_proto_buffer file = {0};
  proto_fields(&file, text);
  int how = xplane->detect(file.bytes, file.used, "x");
  assert_int_equal(tdm_reader_pftrace.detect(file.bytes, file.used, "x"), 0);
  tdm_proto_free(&file);
  return how;
}

static void it_is_told_by_the_name_of_its_first_plane(void **state) {
  (void)state;
  assert_true(sure("1{1:3 2'/device:GPU:0' 3{1:1}}") > 0);
  assert_true(sure("1{2'Task Environment'}") > 0);
  assert_true(sure("1{9:1} 1{2'/host:CPU'}") > 0);
  assert_int_equal(sure("1{2'a name'}"), 0);
  assert_true(sure("4'name' 2'lost' 3'careful' 1{2'/host:CPU'}") > 0);
  assert_int_equal(sure("5'/host:CPU'"), 0);
  assert_int_equal(sure("5'x' 1{2'/host:CPU'}"), 0);
  assert_int_equal(sure("1{1'x' 2'/host:CPU'}"), 0);
  assert_int_equal(sure("1{2:7}"), 0);
  assert_int_equal(sure(""), 0);
}

static void assert_refused(const char *text, const char *why) {
  tdm_proto_buffer file = {0};
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  proto_fields(&file, text);
  assert_int_equal(tdm_input_open_memory(file.bytes, file.used, &input, &error), TDM_OK);
  assert_int_equal(read_input(xplane, input, NULL, &got, &error), TDM_INVALID);
  assert_string_equal(error.message, why);
  tdm_recording_free(got);
  tdm_proto_free(&file);
}

static void what_has_no_planes_is_refused_and_one_that_is_only_named_is_not(void **state) {
  (void)state;
  assert_refused("", "memory: no XSpace: there is nothing in it");
  assert_refused("4'host'", "memory: no XSpace: there is nothing in it");
  assert_refused("1:4", "memory: no XSpace: it does not consist of planes");
  tdm_recording *got = read_fields("1{2'/host:CPU'}");
  assert_int_equal(rows_count(got), 0);
  tdm_recording_free(got);
}

static void a_file_cut_anywhere_gives_the_planes_that_it_has(void **state) {
  (void)state;
  tdm_proto_buffer file = {0};
  size_t whole = 0, parts = 0;
  proto_fields(
      &file, "1{2'/host:CPU' 3{1:1 2't' 4{1:1 3:1000}} " NAME(
                 1, "f") "} "
                         "1{2'/device:GPU:0' 3{1:1 2'Stream #1' 4{1:1 3:1000}} " NAME(1, "k") "}");
  for (size_t length = 0; length <= file.used; length++) {
    tdm_input *input;
    tdm_recording *got;
    tdm_error error;
    assert_int_equal(tdm_input_open_memory(file.bytes, length, &input, &error), TDM_OK);
    tdm_status status = read_input(xplane, input, NULL, &got, &error);
    whole += status == TDM_OK && rows_count(got) == 2;
    parts += status == TDM_OK && rows_count(got) == 1;
    assert_true(status == TDM_OK || status == TDM_INVALID);
    if (status == TDM_OK && length < file.used && rows_count(got) == 1 &&
        problem_count(got, "cut off by the end") == 0)
      assert_int_equal(length, 1 + 1 + file.bytes[1]); /* right behind the first */
    tdm_recording_free(got);
  }
  assert_int_equal(whole, 1);
  assert_int_equal(parts, file.used - (size_t)(2 + file.bytes[1]));
  tdm_proto_free(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes_have_the_figures_that_a_script_counts),
      cmocka_unit_test(a_file_says_its_host_its_gpus_and_when_it_began),
      cmocka_unit_test(copies_and_memsets_of_cuda_have_their_bytes_and_memories),
      cmocka_unit_test(lines_that_repeat_a_gpus_time_are_not_its_kernels),
      cmocka_unit_test(the_innermost_operators_of_a_tpu_are_its_work),
      cmocka_unit_test(the_host_has_calls_operators_python_steps_and_memory),
      cmocka_unit_test(calls_lie_on_the_thread_whose_operators_hold_all_of_them),
      cmocka_unit_test(threads_that_two_lines_claim_or_that_are_two_stay_apart),
      cmocka_unit_test(the_threads_of_a_real_file_are_found),
      cmocka_unit_test(times_of_the_epoch_are_told_by_their_size),
      cmocka_unit_test(sums_and_damage_are_left_out_and_counted),
      cmocka_unit_test(what_is_not_wanted_is_left_out),
      cmocka_unit_test(it_is_told_by_the_name_of_its_first_plane),
      cmocka_unit_test(what_has_no_planes_is_refused_and_one_that_is_only_named_is_not),
      cmocka_unit_test(a_file_cut_anywhere_gives_the_planes_that_it_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
