/* What planes, lines and events of XPlanes become, by hand: names, arguments, details of kernels
 * and copies, allocators, threads, hand-overs, facts of devices, and damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xplane_fixture.h"

#define GPU             "[GPU #0 | stream 1 | stream GPU device=0 stream=1]"
#define HOST            "[host | t | thread CPU tid=1]"
#define ON_GPU(events)  "1{2'/device:GPU:0' 3{1:1 2'Stream #1(Kernel)' " events "} "
#define ON_HOST(events) "1{2'/host:CPU' 3{1:1 2't' " events "} "

/* ---- events of a GPU ---- */

static void kernels_are_called_without_the_marks_of_their_descriptors(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      ON_GPU("4{1:1} 4{1:2} 4{1:3} 4{1:4} 4{1:5} 4{1:6}") NAME(1, "a.kd") NAME(2, "b [clone .kd]")
          NAME(3, ".kd") NAME(4, "$c") NAME(5, "d.kdx") "4{1:6 2{1:6 2'raw' 4'shown.kd'}} }");
  const char *const want[] = {"span kernel 0+0 '$c' " GPU,    "span kernel 0+0 '.kd' " GPU,
                              "span kernel 0+0 'a' " GPU,     "span kernel 0+0 'b' " GPU,
                              "span kernel 0+0 'd.kdx' " GPU, "span kernel 0+0 'shown' " GPU};
  assert_rows(got, 6, want);
  tdm_recording_free(got);
}

static tdm_recording *kernel_of(const char *details) {
  char text[400];
  snprintf(text, sizeof text,
           ON_GPU("4{1:1 4{1:1 5'%s'}}") NAME(1, "Memcpy") STAT(1, "kernel_details") "}", details);
  return read_fields(text);
}

static void assert_kernel(const char *details, const char *args) {
  char want[300];
  snprintf(want, sizeof want, "span kernel 0+0 'Memcpy'%s " GPU, args);
  tdm_recording *got = kernel_of(details);
  assert_rows(got, 1, &(const char *){want});
  tdm_recording_free(got);
}

static void details_of_kernels_are_read_word_by_word(void **state) {
  (void)state;
  assert_kernel("", "");
  assert_kernel(" regs:1 ", " registers_per_thread=1");
  assert_kernel("regs: grid block: occ_pct:", "");
  assert_kernel("regs:0  group_mem:5   private_mem:6",
                " registers_per_thread=0 static_shared_bytes=5 local_bytes_per_thread=6");
  assert_kernel("grid:2,x,4,5 block:7", " grid_x=2 grid_z=4 block_x=7");
  assert_kernel("block:1,2 other:3 rest", " block_x=1 block_y=2");
  assert_kernel("occ_pct:0 regs:4096", " registers_per_thread=4096");
  assert_kernel("occ_pct:12.5", " occupancy_pct=12.5r");
  assert_kernel("static_shared:3 regs:4097 group_mem:4 block:8",
                " static_shared_bytes=3 block_x=8");
  assert_kernel("regs:-1 private_mem:4", "");
  assert_kernel("regs:1:2 dynamic_shared:9", " dynamic_shared_bytes=9");
  tdm_recording *got = kernel_of("regs:5000");
  assert_int_equal(problem_count(got, "register counts that no GPU has"), 1);
  tdm_recording_free(got);
  got = kernel_of("regs:4096");
  assert_int_equal(problem_count(got, "register counts that no GPU has"), 0);
  tdm_recording_free(got);
}

static void copies_and_memsets_are_told_by_details_or_name(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      ON_GPU("4{1:1} 4{1:2 4{1:1 5'kind_src:UNKNOWN kind_dst:pinned size:x async:1'}} 4{1:3} "
             "4{1:2 4{1:2 5'kind:Unknown size:7 async:0'}} 4{1:4 4{1:1 5'size:9'}} "
             "4{1:2 4{1:1 3:5}}") NAME(1, "MemcpyD2H") NAME(2, "k") NAME(3, "MemsetX")
          NAME(4, "Memset") STAT(1, "MEMCPY_DETAILS") STAT(2, "memset_details") "}");
  const char *const want[] = {"span kernel 0+0 'k' " GPU,
                              "span memcpy 0+0 'MemcpyD2H' kind=t'DtoH' " GPU,
                              "span memcpy 0+0 'Memset' bytes=9 " GPU,
                              "span memcpy 0+0 'k' dst_kind=t'pinned' async=1b " GPU,
                              "span memset 0+0 'MemsetX' " GPU,
                              "span memset 0+0 'k' bytes=7 async=0b " GPU};
  assert_rows(got, 6, want);
  tdm_recording_free(got);
}

/* Each type; what is empty, "(null)", unknown or nothing is left out. */
static void arguments_have_their_type_and_some_mean_nothing_as_zero(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      ON_HOST(
          "4{1:1 3:0 4{1:1 2=1.5} 4{1:2 3:18446744073709551615} 4{1:3 4:-5} 4{1:4 5'x'} "
          "4{1:5 7:4} 4{1:6 5''} 4{1:7 5'(null)'} 4{1:8 7:99} 4{1:9 6'bytes'} 4{1:99 3:1} "
          "4{1:10 3:0} 4{1:11 4:0} 4{1:12 5'0'} 4{1:13 3:0} 4{1:14 3:4} 4{1:15 3:0} 4{1:16 3:1} "
          "4{1:17 3:9223372036854775808} 4{1:18 2:1 3=1 5:1 7'x'} 4{1:19 5'n'} 4{1:20 3:1} "
          "4{1:21 3:1}}") NAME(1, "f") STAT(1, "a") STAT(2, "b") STAT(3, "c") STAT(4, "d")
          STAT(5, "e") STAT(6, "f") STAT(7, "g") STAT(8, "h") STAT(9, "i") STAT(10, "id")
              STAT(11, "bytes_reserved") STAT(12, "data_type") STAT(13, "Theoretical_occupancy_pct")
                  STAT(14, "occupancy_min_grid_size") STAT(15, "occupancy_suggested_block_size")
                      STAT(16, "ids") STAT(17, "j") STAT(18, "k") STAT(19, "name") STAT(20, "_r")
                          STAT(21, "_a") "}");
  const char *const want[] = {"span cpu_op 0+0 'f' a=1.5r b=-1 c=-5 d=t'x' e=t'd' data_type=t'0' "
                              "occupancy_min_grid_size=4 ids=1 op_name=t'n' " HOST};
  assert_rows(got, 1, want);
  tdm_recording_free(got);
}

/* Arguments of a name hold for all its events, and an event's own come behind. */
static void arguments_of_a_name_are_those_of_its_events(void **state) {
  (void)state;
  tdm_recording *got = read_fields(ON_HOST(
      "4{1:1 3:0 4{1:2 3:2}} 4{1:1 2:1000 3:0}") "4{1:1 2{1:1 2'f' 5{1:1 3:1}}} " STAT(1, "a")
                                       STAT(2, "b") "}");
  const char *const want[] = {"span cpu_op 0+0 'f' a=1 b=2 " HOST, "span cpu_op 1+0 'f' a=1 " HOST};
  assert_rows(got, 2, want);
  tdm_recording_free(got);
}

/* ---- events of the host ---- */

static void calls_of_drivers_are_told_by_their_names(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      ON_HOST("4{1:1 3:0 4{1:1 3:1}} 4{1:2 3:0 4{1:1 3:1}} 4{1:3 3:0 4{1:1 3:1}} "
              "4{1:4 3:0 4{1:1 3:1}} 4{1:5 3:0 4{1:1 5'1'}} 4{1:6 3:0} 4{1:7 3:0} 4{1:8 3:0 "
              "4{1:2 5'x'}} 4{1:9 4{1:2 5'y'}} 4{1:9} 4{1:10 3:0 4{1:2 5'GPU_0'}}") NAME(1, "cu")
          NAME(2, "cudaLaunch") NAME(3, "cuX") NAME(4, "hsa_x") NAME(5, "cuY") NAME(6, "$")
              NAME(7, "$f") NAME(8, "MemoryAllocation") NAME(9, "MemoryDeallocation")
                  NAME(10, "Memory") STAT(1, "correlation_id") STAT(2, "allocator_name") "}");
  const char *const want[] = {
      "instant cpu_op 0+0 'MemoryDeallocation' " HOST,
      "instant memory 0+0 'allocation' allocator=t'x' Device Type=0 " HOST,
      "instant memory 0+0 'deallocation' allocator=t'y' Device Type=0 " HOST,
      "span cpu_op 0+0 '$' " HOST,
      "span cpu_op 0+0 'Memory' allocator=t'GPU_0' " HOST,
      "span cpu_op 0+0 'cuY' correlation=t'1' " HOST,
      "span driver 0+0 'cuX' correlation=1 " HOST,
      "span driver 0+0 'hsa_x' correlation=1 " HOST,
      "span python_function 0+0 'f' " HOST,
      "span runtime 0+0 'cu' correlation=1 " HOST,
      "span runtime 0+0 'cudaLaunch' correlation=1 " HOST};
  assert_rows(got, 11, want);
  tdm_recording_free(got);
}

static void allocators_are_of_a_card_or_of_the_host(void **state) {
  (void)state;
  static const struct {
    const char *allocator, *args;
  } cases[] = {{"GPU_0_bfc", "Device Type=1 Device Id=0"},
               {"gpu_12", "Device Type=1 Device Id=12"},
               {"TPU_3_x", "Device Type=1 Device Id=3"},
               {"GPU_", "Device Type=0"},
               {"GPU_x", "Device Type=0"},
               {"GPU", "Device Type=0"},
               {"xGPU_1", "Device Type=0"},
               {"tpu_4", "Device Type=1 Device Id=4"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[300], want[200];
    snprintf(text, sizeof text,
             ON_HOST("4{1:1 4{1:1 5'%s'}}") NAME(1, "MemoryAllocation")
                 STAT(1, "allocator_name") "}",
             cases[i].allocator);
    snprintf(want, sizeof want, "instant memory 0+0 'allocation' allocator=t'%s' %s " HOST,
             cases[i].allocator, cases[i].args);
    tdm_recording *got = read_fields(text);
    assert_rows(got, 1, &(const char *){want});
    tdm_recording_free(got);
  }
}

/* A GPU with memory and without work has its name on a track; one with work has its streams. */
static void a_quiet_device_is_a_track_and_a_busy_one_is_none_more(void **state) {
  (void)state;
  tdm_recording *got = read_fields("1{2'/device:GPU:0' 3{1:1 2'Stream #1' 4{1:1}} " NAME(
      1, "k") "} "
              "1{2'/device:GPU:1' 3{1:1 2'Stream #1'} " STAT(
                  1,
                  "device_vendor") "6{1:1 5'AMD'}} " ON_HOST("4{1:1 4{1:1 5'GPU_0'}} 4{1:1 4{1:1 "
                                                             "5'GPU_1'}} 4{1:1 4{1:1 5'GPU_1'}} "
                                                             "4{1:1 4{1:1 5'GPU_2'}}")
                                       NAME(1, "MemoryAllocation") STAT(1, "allocator_name") "}");
  assert_int_equal(tdm_recording_tracks(got), 3);
  int found = 0;
  for (uint32_t t = 0; t < 3; t++) {
    const tdm_track *track = tdm_recording_track(got, t);
    if (track->kind != TDM_TRACK_DEVICE) continue;
    assert_string_equal(track->process, "AMD GPU #1");
    assert_int_equal(track->device, 1);
    found++;
  }
  assert_int_equal(found, 1);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "3 planes, 2 devices");
  tdm_recording_free(got);
}

/* ---- times ---- */

static void times_are_cut_to_nanoseconds_below_zero_too(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      "1{2'/host:CPU' 3{1:1 2't' 3:100 4{1:1 2:-1 3:1} 4{1:1 2:-1000 3:999} 4{1:1 2:-1001 3:2001} "
      "4{1:1 2:999 3:1} 4{1:1 2:0 3:-1} 4{1:1 2:9223372036854775807 3:0}} "
      "3{1:2 2'u' 3:-9223372036854775808 4{1:1 3:0} 4{1:1 2:1000 3:0} 4{1:1 2:-1 3:0}} " NAME(
          1, "f") "}");
  const char *const want[] = {
      "span cpu_op -9223372036854775807+0 'f' [host | u | thread CPU tid=2]",
      "span cpu_op 100+1 'f' " HOST,
      "span cpu_op 9223372036854875+0 'f' " HOST,
      "span cpu_op 98+3 'f' " HOST,
      "span cpu_op 99+0 'f' " HOST,
      "span cpu_op 99+1 'f' " HOST};
  assert_rows(got, 6, want);
  assert_int_equal(problem_count(got, "do not fit 64 bits"), 3);
  tdm_recording_free(got);
}

static void the_clock_of_the_first_line_decides(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      "1{2'/host:CPU' 3{1:1 2't' 3:99999999999999999 4{1:1 3:0}} "
      "3{1:2 2'u' 3:100000000000000000 4{1:1 3:0}} 3{1:3 2'v' 3:1700000000000000000}" NAME(
          1, "f") "} 1{2'Task Environment' " STAT(1, "profile_start_time")
          STAT(2, "profile_stop_time") "6{1:1 3:500} 6{1:2 3:500}}");
  const char *const want[] = {"span cpu_op 99999999999999999+0 'f' " HOST};
  assert_rows(got, 1, want);
  assert_int_equal(problem_count(got, "lines on another clock"), 1);
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, 500);
  assert_string_equal(fact_of(got, "capture.duration_ns"), "0");
  assert_string_equal(tdm_recording_source(got, 0)->detail, "2 planes, 0 devices");
  tdm_recording_free(got);
  got = read_fields("1{2'Task Environment' " STAT(1, "profile_start_time")
                        STAT(2, "profile_stop_time") "6{1:1 3:500} 6{1:2 3:499}}");
  assert_null(fact_of(got, "capture.duration_ns"));
  assert_string_equal(tdm_recording_source(got, 0)->detail, "1 plane, 0 devices");
  tdm_recording_free(got);
  got = read_fields("1{2'Task Environment' " STAT(1, "profile_stop_time") "6{1:1 3:500}}");
  assert_null(fact_of(got, "capture.duration_ns"));
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, TDM_NONE);
  tdm_recording_free(got);
}

/* ---- hand-overs ---- */

/* To each that takes it from the first that made it, of the same type and number, never back in
 * time. */
static void hand_overs_join_equal_types_and_numbers(void **state) {
  (void)state;
#define MADE(at, type, id) "4{1:1 2:" #at "000 3:0 4{1:1 3:" #type "} 4{1:2 3:" #id "}} "
#define TOOK(at, type, id) "4{1:1 2:" #at "000 3:0 4{1:3 3:" #type "} 4{1:4 3:" #id "}} "
  tdm_recording *got = read_fields(
      ON_HOST(MADE(9, 2, 5) MADE(2, 2, 5) MADE(3, 2, 6) MADE(4, 3, 5) MADE(1, 1, 9) MADE(7, 4, 1)
                  TOOK(10, 2, 5) TOOK(11, 2, 5) TOOK(12, 3, 5) TOOK(3, 2, 6) TOOK(6, 4, 1)
                      TOOK(8, 3, 4) TOOK(8, 3, 6) TOOK(8, 9, 9)) NAME(1, "f") STAT(1, "_pt")
          STAT(2, "_p") STAT(3, "_ct") STAT(4, "_c") "}");
  lines all = lines_of(got);
  const char *const want[] = {
      "edge edge 2+8 'async' " HOST HOST, "edge edge 2+9 'async' " HOST HOST,
      "edge edge 3+0 'async' " HOST HOST, "edge edge 4+8 'async' " HOST HOST};
  size_t edges = 0;
  for (size_t i = 0; i < all.count; i++) {
    if (strncmp(all.line[i], "edge", 4) != 0) continue;
    assert_true(edges < 4);
    assert_string_equal(all.line[i], want[edges]);
    edges++;
  }
  assert_int_equal(edges, 4);
  lines_free(&all);
  tdm_recording_free(got);
}

/* ---- planes and lines ---- */

static void facts_of_devices_are_of_one_spelling(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      "1{2'/device:GPU:3' " STAT(1, "clock_rate") STAT(2, "core_count") STAT(3, "memory_bandwidth")
          STAT(4, "memory_size") STAT(5, "compute_cap_major") STAT(6, "device_vendor") STAT(
              7,
              "other") "6{1:1 3:1980000} 6{1:2 3:132} 6{1:3 3:3350} 6{1:4 3:80} 6{1:5 3:9} "
                       "6{1:6 5'Nvidia'} 6{1:7 3:1}} "
                       "1{2'/device:TPU:4' " STAT(1, "clock_rate") STAT(5, "compute_cap_minor")
                           STAT(6, "compute_cap_major") STAT(
                               7,
                               "device_type_string") "6{1:1 3:9223372036854775} 6{1:5 3:0} 6{1:6 "
                                                     "3:2} "
                                                     "6{1:7 5'a name that is longer than the "
                                                     "forty bytes kept'}} "
                                                     "1{2'/device:GPU:5' " STAT(1, "clock_rate")
                                                         STAT(5,
                                                              "compute_cap_minor") "6{1:1 "
                                                                                   "3:"
                                                                                   "92233720368547"
                                                                                   "76} 6{1:5 "
                                                                                   "3:0} 6:1 "
                                                                                   "6{1:9 3:1}} "
                                                                                   "1{2'/"
                                                                                   "host:CPU'"
                                                                                   " " STAT(
                                                                                       1,
                                                                                       "clock_"
                                                                                       "rate") "6{"
                                                                                               "1:"
                                                                                               "1 "
                                                                                               "3:"
                                                                                               "5}"
                                                                                               "}");
  assert_string_equal(fact_of(got, "gpu.3.clock_hz"), "1980000000");
  assert_string_equal(fact_of(got, "gpu.3.sm_count"), "132");
  assert_string_equal(fact_of(got, "gpu.3.memory_bytes_per_s"), "3350");
  assert_string_equal(fact_of(got, "gpu.3.memory_bytes"), "80");
  assert_string_equal(fact_of(got, "gpu.3.vendor"), "NVIDIA");
  assert_null(fact_of(got, "gpu.3.compute_capability"));
  assert_null(fact_of(got, "gpu.3.name"));
  assert_string_equal(fact_of(got, "gpu.4.clock_hz"), "9223372036854775000");
  assert_string_equal(fact_of(got, "gpu.4.compute_capability"), "2.0");
  assert_string_equal(fact_of(got, "gpu.4.name"), "a name that is longer than the forty by");
  assert_null(fact_of(got, "gpu.5.clock_hz"));
  assert_null(fact_of(got, "gpu.5.compute_capability"));
  assert_null(fact_of(got, "gpu.5.vendor"));
  assert_string_equal(tdm_recording_source(got, 0)->detail, "4 planes, 3 devices");
  tdm_recording_free(got);
}

static void planes_and_lines_have_their_names(void **state) {
  (void)state;
#define LINE(number, name) "3{1:" #number " " name " 4{1:1}}"
  tdm_recording *got = read_fields(
      "1{2'/host:X' " LINE(1, "2'a'") NAME(
          1,
          "f") "} "
               "1{2'/host:CPU' " LINE(2, "2'Host Threads/7'") LINE(3, "2'Host Threads/x'")
                   LINE(4, "") LINE(5, "2'name' 11'shown'") LINE(6, "2'name' 11''") NAME(
                       1,
                       "f") "} "
                            "1{2'/device:CUSTOM:Megascale Trace' " LINE(1, "2'b'") NAME(
                                1,
                                "f") "} "
                                     "1{2'/device:Other' " LINE(1, "2'c'") NAME(
                                         1,
                                         "f") "} "
                                              "1{2'any name' " LINE(1, "2'd'") NAME(
                                                  1,
                                                  "f") "} "
                                                       "1{2'/device:GPU:x' " LINE(1, "2'e'") NAME(
                                                           1,
                                                           "f") "} "
                                                                "1{2'/device:GPU:1' " LINE(
                                                                    1,
                                                                    "2'Stream #'") LINE(2,
                                                                                        "2'"
                                                                                        "Stream "
                                                                                        "#12'")
                                                                    LINE(3, "2'XLA Ops'") NAME(
                                                                        1,
                                                                        "f") "} "
                                                                             "1{2'/"
                                                                             "device:TPU:2' " LINE(
                                                                                 1, "2'Stream #1'")
                                                                                 LINE(2, "2'XLA "
                                                                                         "Ops'")
                                                                                     LINE(3,
                                                                                          "2'XLA "
                                                                                          "Opsx'")
                                                                                         NAME(
                                                                                             1,
                                                                                             "f") "}");
  const char *const want[] = {
      "async custom 0+0 'f' [GPU:x | e | other OTHER]",
      "async custom 0+0 'f' [Megascale Trace | b | other OTHER]",
      "async custom 0+0 'f' [Other | c | other OTHER]",
      "async custom 0+0 'f' [any name | d | other OTHER]",
      "async gpu_user_annotation 0+0 'f' [GPU #1 | Stream # | other GPU device=1]",
      "async gpu_user_annotation 0+0 'f' [GPU #1 | XLA Ops | other GPU device=1]",
      "async gpu_user_annotation 0+0 'f' [TPU #2 | Stream #1 | other GPU device=2]",
      "async gpu_user_annotation 0+0 'f' [TPU #2 | XLA Opsx | other GPU device=2]",
      "instant cpu_op 0+0 'f' [host | name | thread CPU tid=6]",
      "instant cpu_op 0+0 'f' [host | shown | thread CPU tid=5]",
      "instant cpu_op 0+0 'f' [host | thread 4 | thread CPU tid=4]",
      "instant cpu_op 0+0 'f' [host | thread 7 | thread CPU tid=2]",
      "instant cpu_op 0+0 'f' [host | Host Threads/x | thread CPU tid=3]",
      "instant cpu_op 0+0 'f' [host:X | a | thread CPU tid=1]",
      "span kernel 0+0 'f' [GPU #1 | stream 12 | stream GPU device=1 stream=12]",
      "span kernel 0+0 'f' [TPU #2 | XLA Ops | stream GPU device=2]"};
  lines all = lines_of(got);
  assert_int_equal(all.count, sizeof want / sizeof *want);
  for (size_t i = 0; i < all.count; i++) {
    bool found = false;
    for (size_t w = 0; w < sizeof want / sizeof *want; w++)
      found |= strcmp(all.line[i], want[w]) == 0;
    if (!found) fail_msg("unexpected: %s", all.line[i]);
  }
  lines_free(&all);
  tdm_recording_free(got);
}

/* Of a TPU's operators a loop in a loop, one that begins with what holds it, and one without a
 * time. */
static void operators_in_operators_are_work_only_where_they_hold_none(void **state) {
  (void)state;
  tdm_recording *got = read_fields(
      "1{2'/device:TPU:0' 3{1:1 2'XLA Ops' 4{1:3 2:0 3:2000} 4{1:2 2:0 3:5000} 4{1:1 2:0 3:9000} "
      "4{1:4 2:2000 3:1000} 4{1:5 2:6000 3:0} 4{1:6 2:9000 3:0} 4{1:7 2:10000 3:1000} "
      "4{1:8 2:10000 3:1000}} " NAME(1, "outer") NAME(2, "inner") NAME(3, "first") NAME(4, "next")
          NAME(5, "empty") NAME(6, "behind") NAME(7, "twin") NAME(8, "equal") "}");
#define TPU "[TPU #0 | XLA Ops | stream GPU device=0]"
  const char *const want[] = {"async gpu_user_annotation 0+5 'inner' " TPU,
                              "async gpu_user_annotation 0+9 'outer' " TPU,
                              "async gpu_user_annotation 10+1 'twin' " TPU,
                              "span kernel 0+2 'first' " TPU,
                              "span kernel 10+1 'equal' " TPU,
                              "span kernel 2+1 'next' " TPU,
                              "span kernel 6+0 'empty' " TPU,
                              "span kernel 9+0 'behind' " TPU};
  assert_rows(got, 8, want);
  tdm_recording_free(got);
}

/* ---- damage ---- */

static void names_are_found_by_either_number_and_bad_ones_are_counted(void **state) {
  (void)state;
  tdm_recording *got = read_fields(ON_HOST(
      "4{1:1 3:0} 4{1:2 3:0} 4{1:3 3:0 4{1:4 3:5}} 4{1:0 3:0}") "4{1:1 2{1:9 2'key'}} 4{2{1:2 "
                                                                "2'inside'}} 4{1:3} 4'\010' "
                                                                "5'\010' "
                                                                "5{2{1:4 2'stat'}} 4{2'\377'}}");
  const char *const want[] = {"span cpu_op 0+0 '' stat=5 " HOST, "span cpu_op 0+0 '' " HOST,
                              "span cpu_op 0+0 'inside' " HOST, "span cpu_op 0+0 'key' " HOST};
  lines all = lines_of(got);
  assert_int_equal(all.count, 4);
  for (size_t i = 0; i < 4; i++) {
    bool found = false;
    for (size_t w = 0; w < 4; w++) found |= strcmp(all.line[i], want[w]) == 0;
    if (!found) fail_msg("unexpected: %s", all.line[i]);
  }
  lines_free(&all);
  assert_int_equal(problem_count(got, "names that cannot be read"), 3);
  assert_int_equal(problem_count(got, "events without a name"), 1);
  tdm_recording_free(got);
}

static void what_breaks_off_is_kept_up_to_there(void **state) {
  (void)state;
  /* a line of one event and half a field; a plane that ends in half a field */
  static const char file[] = "\12\47\22\11/host:CPU"
                             "\32\14\10\1\22\1t\"\4\10\1\30\0\10"
                             "\"\7\10\1\22\3\22\1f"
                             "\52\2\10\1"
                             "\10";
  tdm_recording *got = read_bytes(xplane, file, sizeof file - 1);
  const char *const want[] = {"span cpu_op 0+0 'f' " HOST};
  assert_rows(got, 1, want);
  assert_int_equal(problem_count(got, "lines that break off"), 1);
  assert_int_equal(problem_count(got, "planes that break off"), 1);
  tdm_recording_free(got);
}

static void what_the_file_tells_of_itself_is_a_fact(void **state) {
  (void)state;
  tdm_recording *got = read_fields("1{2'/host:CPU'} 3'careful' 4'one' 4'two' 4'three' 2''");
  assert_string_equal(fact_of(got, "capture.warning"), "careful");
  assert_string_equal(fact_of(got, "host.name"), "one");
  assert_string_equal(fact_of(got, "host.1.name"), "two");
  assert_string_equal(fact_of(got, "host.2.name"), "three");
  assert_null(fact_of(got, "capture.error"));
  tdm_recording_free(got);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_are_called_without_the_marks_of_their_descriptors),
      cmocka_unit_test(details_of_kernels_are_read_word_by_word),
      cmocka_unit_test(copies_and_memsets_are_told_by_details_or_name),
      cmocka_unit_test(arguments_have_their_type_and_some_mean_nothing_as_zero),
      cmocka_unit_test(arguments_of_a_name_are_those_of_its_events),
      cmocka_unit_test(calls_of_drivers_are_told_by_their_names),
      cmocka_unit_test(allocators_are_of_a_card_or_of_the_host),
      cmocka_unit_test(a_quiet_device_is_a_track_and_a_busy_one_is_none_more),
      cmocka_unit_test(times_are_cut_to_nanoseconds_below_zero_too),
      cmocka_unit_test(the_clock_of_the_first_line_decides),
      cmocka_unit_test(hand_overs_join_equal_types_and_numbers),
      cmocka_unit_test(facts_of_devices_are_of_one_spelling),
      cmocka_unit_test(planes_and_lines_have_their_names),
      cmocka_unit_test(operators_in_operators_are_work_only_where_they_hold_none),
      cmocka_unit_test(names_are_found_by_either_number_and_bad_ones_are_counted),
      cmocka_unit_test(what_breaks_off_is_kept_up_to_there),
      cmocka_unit_test(what_the_file_tells_of_itself_is_a_fact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
