/* The library that CUDA's driver injects: loaded as the driver does into processes of their own,
 * over a fake libcupti (tests/capture/fake_cupti.c) that notes known activities; then their capture
 * file is read. Skipped where CUPTI's headers were not found, since there is no library then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#if __has_include(<cupti.h>)
#include "cupti_fixture.h"

static void one_of_each(void) {
  inject();
  note_calls_and_kernel();
  note_copies();
  note_others();
}

static void each_kind_of_activity_becomes_its_record(void **state) {
  (void)state;
  assert_int_equal(run(ALL, true, "", one_of_each), 0);
  assert_message("records: ");
  assert_message("CUPTI took 2.000 ms");
  const tdm_capture_record *r = next(NULL, TDM_CAPTURE_CALL);
  assert_non_null(r);
  assert_string_equal(text(r->name), "cudaLaunchKernel");
  assert_int_equal(r->detail, TDM_CAPTURE_RUNTIME);
  assert_int_equal(chunk_of(r)->tid, 0);
  assert_int_equal(r->address, 4242);
  assert_int_equal(r->correlation, 7);
  assert_int_equal(r->result, 2);
  assert_int_equal(r->end_ns - r->start_ns, 1500);
  r = next(r, TDM_CAPTURE_CALL);
  assert_string_equal(text(r->name), "cuLaunchKernel");
  assert_int_equal(r->detail, TDM_CAPTURE_DRIVER);
  assert_int_equal(r->address, 4243);
  assert_null(next(r, TDM_CAPTURE_CALL));

  r = next(NULL, TDM_CAPTURE_KERNEL);
  assert_string_equal(text(r->name), "void matmul<float>(float const*, float const*, float*, int)");
  assert_int_equal(r->end_ns - r->start_ns, 25000);
  assert_int_equal(r->ran.grid[0], 100000);
  assert_int_equal(r->ran.grid[2], 3);
  assert_int_equal(r->ran.block[0], 256);
  assert_int_equal(r->ran.registers, 40);
  assert_int_equal(r->ran.stream_id, 13);
  assert_int_equal(r->ran.device_id, 3);
  assert_int_equal(r->ran.shared_bytes, 1536);

  r = next(NULL, TDM_CAPTURE_COPY);
  assert_int_equal(r->detail, TDM_CAPTURE_H2D);
  assert_int_equal(r->flags, TDM_CAPTURE_PAGEABLE);
  assert_int_equal(r->amount, 1ll << 33);
  assert_int_equal(r->device, 1);
  assert_int_equal(r->stream, 14);
  r = next(r, TDM_CAPTURE_COPY);
  assert_int_equal(r->detail, TDM_CAPTURE_D2H);
  assert_int_equal(r->flags, 0);
  r = next(r, TDM_CAPTURE_COPY);
  assert_int_equal(r->detail, TDM_CAPTURE_D2D);
  r = next(r, TDM_CAPTURE_COPY);
  assert_int_equal(r->detail, TDM_CAPTURE_P2P);
  assert_int_equal(r->correlation, 9);
  assert_int_equal(r->amount, 4096);
  assert_null(next(r, TDM_CAPTURE_COPY));
  r = next(NULL, TDM_CAPTURE_FILL);
  assert_int_equal(r->amount, 77);
  assert_int_equal(r->stream, 16);

  r = next(NULL, TDM_CAPTURE_SYNC);
  assert_string_equal(text(r->name), "STREAM_SYNCHRONIZE");
  assert_int_equal(r->stream, 17);
  assert_int_equal(r->address, 0);
  r = next(NULL, TDM_CAPTURE_DEVICE);
  assert_string_equal(text(r->name), "A card");
  assert_int_equal(r->amount, 80ll << 30);
  r = next(NULL, TDM_CAPTURE_MEMORY);
  assert_int_equal(r->detail, TDM_CAPTURE_MEMORY_DEVICE);
  assert_int_equal(r->flags, 0);
  assert_int_equal(r->address, 0x7f0000000000);
  assert_int_equal(r->amount, 1 << 20);
  r = next(r, TDM_CAPTURE_MEMORY);
  assert_int_equal(r->flags, TDM_CAPTURE_FREED);
  r = next(NULL, TDM_CAPTURE_GRAPH);
  assert_int_equal(r->address, 99);
  assert_int_equal(r->correlation, 13);
  r = next(NULL, TDM_CAPTURE_RANGE);
  assert_string_equal(text(r->name), "CUPTI buffer flush");
  assert_int_equal(r->nvtx.tid, 4242);
  assert_int_equal(count(TDM_CAPTURE_CAUGHT), 0);
  assert_int_equal(atomic_load(&file.header->lost), 0);
}

enum { THREADS = 4, EACH = 100000 };

static void *note_many(void *first) {
  for (uint32_t i = 0; i < EACH; i++) {
    CUpti_ActivityKernel10 kernel = a_kernel(*(uint32_t *)first + i);
    NOTE(kernel);
  }
  return NULL;
}

static void many_kernels(void) {
  inject();
  pthread_t threads[THREADS];
  uint32_t firsts[THREADS];
  for (uint32_t i = 0; i < THREADS; i++) {
    firsts[i] = 1 + i * EACH;
    if (pthread_create(&threads[i], NULL, note_many, &firsts[i])) _exit(92);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static void many_threads_lose_no_record(void **state) {
  (void)state;
  assert_int_equal(run(ALL, true, "", many_kernels), 0);
  uint8_t *seen = calloc(THREADS * EACH + 1, 1);
  assert_non_null(seen);
  for (const tdm_capture_record *r = next(NULL, TDM_CAPTURE_KERNEL); r;
       r = next(r, TDM_CAPTURE_KERNEL))
    seen[r->correlation]++;
  for (size_t i = 1; i <= THREADS * EACH; i++) assert_int_equal(seen[i], 1);
  free(seen);
}

static void lose_some(void) {
  inject();
  note_calls_and_kernel();
  fake->lose(5);
  CUpti_ActivityKernel10 untimed = a_kernel(20);
  untimed.start = untimed.end = 0;
  NOTE(untimed);
  NOTE(untimed);
}

static void what_cupti_lost_is_counted(void **state) {
  (void)state;
  assert_int_equal(run(ALL, true, "", lose_some), 0);
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 1);
  const tdm_capture_record *r = next(NULL, TDM_CAPTURE_CAUGHT);
  assert_non_null(r);
  assert_int_equal(r->amount, 7);
  assert_null(next(r, TDM_CAPTURE_CAUGHT));
}

static void with_a_pause(void) {
  inject();
  for (int i = 0; i < 100 && !fake->enabled(CUPTI_ACTIVITY_KIND_RUNTIME); i++) nap(5);
  if (fake->enabled(CUPTI_ACTIVITY_KIND_RUNTIME)) _exit(93);
  note_calls_and_kernel();
  map_file();
  atomic_store(&file.header->recording, 1);
  for (int i = 0; i < 60000 && !fake->enabled(CUPTI_ACTIVITY_KIND_RUNTIME); i++) nap(5);
  note_calls_and_kernel();
  atomic_store(&file.header->recording, 0);
  for (int i = 0; i < 60000 && fake->enabled(CUPTI_ACTIVITY_KIND_RUNTIME); i++) nap(5);
  note_calls_and_kernel();
}

static void a_pause_is_not_recorded(void **state) {
  (void)state;
  assert_int_equal(run(ALL, false, "", with_a_pause), 0);
  assert_int_equal(count(TDM_CAPTURE_CALL), 2);
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 1);
}

static void with_a_range(void) {
  inject();
  note_calls_and_kernel();
  fake->call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
  note_calls_and_kernel();
  fake->call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
  note_calls_and_kernel();
}

static void ranges_of_the_program_switch_recording(void **state) {
  (void)state;
  assert_int_equal(run(ALL | TDM_CAPTURE_WANT_RANGES, false, "", with_a_range), 0);
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 1);
  assert_int_equal(run(ALL, true, "", with_a_range), 0);
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 3);
}

static void only_what_is_wanted_is_asked_of_cupti(void **state) {
  (void)state;
  assert_int_equal(run(TDM_CAPTURE_WANT_GPU | TDM_CAPTURE_WANT_GRAPHS, true, "", one_of_each), 0);
  assert_int_equal(count(TDM_CAPTURE_CALL), 0);
  assert_int_equal(count(TDM_CAPTURE_SYNC), 0);
  assert_int_equal(count(TDM_CAPTURE_MEMORY), 0);
  assert_int_equal(count(TDM_CAPTURE_GRAPH), 0); /* its nodes instead */
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 1);
  assert_int_equal(count(TDM_CAPTURE_COPY), 4);
}

static void crash(void) {
  inject();
  note_calls_and_kernel();
  raise(SIGSEGV);
}

static void be_terminated(void) {
  inject();
  note_calls_and_kernel();
  kill(getpid(), SIGTERM);
  for (;;) pause();
}

/* When what it did has been handed over, which is often. */
static void be_killed(void) {
  inject();
  note_calls_and_kernel();
  for (map_file(); count(TDM_CAPTURE_KERNEL) == 0; map_file()) nap(5);
  raise(SIGKILL);
}

static void a_program_that_is_killed_leaves_its_records(void **state) {
  (void)state;
  int status = run(ALL, true, "", be_terminated);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 1);
  status = run(ALL, true, "", be_killed);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 1);
  if (TDM_SHADOWED) return; /* which handle faults themselves */
  status = run(ALL, true, "", crash);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 1);
}

static struct sigaction chained; /* what a program's own handler replaced, and hands on to */
static void hands_on(int number, siginfo_t *info, void *context) {
  static int faults;
  if (++faults > 100) _exit(9);
  if ((chained.sa_flags & SA_SIGINFO) != 0)
    chained.sa_sigaction(number, info, context);
  else
    signal(number, SIG_DFL);
}

static void crash_with_a_chain(void) {
  inject();
  note_calls_and_kernel();
  struct sigaction own = {.sa_sigaction = hands_on, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &own, &chained);
  char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *(volatile char *)page = 1;
}

static void a_fault_that_is_handed_on_ends_the_program(void **state) {
  (void)state;
  if (TDM_SHADOWED) return; /* sanitizers handle faults themselves */
  int status = run(ALL, true, "", crash_with_a_chain);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 1);
}

static void own_handler(int number) {
  (void)number;
  _exit(7);
}

static void with_a_handler(void) {
  signal(SIGTERM, own_handler);
  inject();
  raise(SIGTERM);
}

static void handlers_of_the_program_stay(void **state) {
  (void)state;
  int status = run(ALL, true, "", with_a_handler);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void be_stuck(void) {
  inject();
  kill(getpid(), SIGTERM);
  for (;;) pause();
}

static void a_stuck_flush_holds_no_program_back(void **state) {
  (void)state;
  int status = run(ALL, true, "stuck", be_stuck); /* which an alarm would end otherwise */
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  assert_int_equal(run(ALL, true, "stuck", inject), 0);
  assert_message("did not hand over its last records");
}

static void with_children(void) {
  inject();
  note_calls_and_kernel();
  for (int i = 0; i < 3; i++) {
    pid_t child = fork();
    if (child == 0 && i == 2) raise(SIGTERM);
    if (child == 0 && i == 1) _exit(0);
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
  }
  note_calls_and_kernel();
}

static void children_of_fork_flush_nothing(void **state) {
  (void)state;
  assert_int_equal(run(ALL, true, "", with_children), 0);
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 2);
  assert_int_equal(count(TDM_CAPTURE_CALL), 4);
}

static void stop_profiling(void) {
  inject();
  note_calls_and_kernel();
  fake->call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
  raise(SIGKILL);
}

static void the_end_of_profiling_flushes(void **state) {
  (void)state;
  run(ALL, true, "", stop_profiling);
  assert_int_equal(count(TDM_CAPTURE_KERNEL), 1);
}

static void another_clock(void) {
  inject();
  note_calls_and_kernel();
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  map_file();
  file.header->start_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void times_of_a_cupti_with_its_own_clock_are_monotonic(void **state) {
  (void)state;
  assert_int_equal(run(ALL, true, "clock", another_clock), 0);
  const tdm_capture_record *r = next(NULL, TDM_CAPTURE_KERNEL);
  assert_non_null(r);
  int64_t early_ns = file.header->start_ns - r->start_ns;
  /* Its clock is an hour ahead; between its record and the end a busy machine may let time go by.
   */
  assert_true(early_ns > -INT64_C(600000000000) && early_ns < INT64_C(600000000000));
}

static void refused(void) {
  inject();
  unsigned *stood_back = dlsym(dlopen(fake_path, RTLD_NOW), "stood_back");
  if (*stood_back || fake->enabled(CUPTI_ACTIVITY_KIND_RUNTIME)) _exit(94);
}

static void accepted(void) {
  inject();
  unsigned *stood_back = dlsym(dlopen(fake_path, RTLD_NOW), "stood_back");
  if (*stood_back != 1 || fake->unsubscribed()) _exit(95);
}

static void no_library(void) {
  setenv("TANDEM_CUPTI", "/nowhere/libcupti.so", 1);
  inject();
}

static void says_why_cupti_cannot_be_used(void **state) {
  (void)state;
  assert_int_equal(run(ALL, true, "", accepted), 0);
  assert_int_equal(run(ALL, true, "held", refused), 0);
  assert_message("CUPTI cannot be used: ");
  assert_message("another profiler is using it in this program");
  assert_int_equal(run(ALL, true, "kernels", refused), 0);
  assert_message("refuses to record kernels: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
  assert_int_equal(run(ALL, true, "", no_library), 0);
  assert_message("TANDEM_CUPTI names /nowhere/libcupti.so, which cannot be opened");
}

/* Copies of the fake in a tree as Python packages have it: CUDA's runtime in one folder, CUPTI in
 * another. */
static void as_packages(const char *loaded) {
  char command[16384], path[8192];
  snprintf(command, sizeof command,
           "mkdir -p %s.d/cuda_runtime/lib %s.d/cuda_cupti/lib && cp %s "
           "%s.d/cuda_runtime/lib/libcudart.so.12 && cp %s %s.d/cuda_cupti/lib/libcupti.so.12",
           file_path, file_path, fake_path, file_path, fake_path, file_path);
  if (system(command)) _exit(97);
  snprintf(path, sizeof path, "%s.d/%s", file_path, loaded);
  if (!dlopen(path, RTLD_NOW)) _exit(98);
  unsetenv("TANDEM_CUPTI");
  inject();
}

static void with_a_runtime(void) {
  as_packages("cuda_runtime/lib/libcudart.so.12");
}

static void with_cupti_mapped(void) {
  as_packages("cuda_cupti/lib/libcupti.so.12");
}

static void finds_the_cupti_of_the_program(void **state) {
  (void)state;
  char clean[256];
  int status = run(ALL, true, "", with_a_runtime);
  assert_int_equal(status, 0);
  assert_message("cuda_runtime/lib/../../cuda_cupti/lib/libcupti.so.12");
  assert_int_equal(run(ALL, true, "", with_cupti_mapped), 0);
  assert_message(".d/cuda_cupti/lib/libcupti.so.12");
  snprintf(clean, sizeof clean, "rm -rf %s.d", file_path);
  assert_int_equal(system(clean), 0);
}

/* As tandem capture starts programs: with both libraries. The program is linked to the fake driver,
 * which loads the injected one. */
static void trace_by_both(const char *what, const char *when) {
  char preload[4096], folder[4096], program[4200];
  strcpy(preload, library_path);
  strcpy(strrchr(preload, '/'), "/capture.so");
  strcpy(folder, library_path);
  strcpy(strrchr(folder, '/'), "/test/capture");
  snprintf(program, sizeof program, "%s/linked", folder);
  setenv("LD_PRELOAD", preload, 1);
  setenv("LD_LIBRARY_PATH", folder, 1);
  setenv("CUDA_INJECTION64_PATH", library_path, 1);
  execl(program, program, what, when, (char *)NULL);
  _exit(96);
}
static void traced_by_both(void) {
  trace_by_both("whole", NULL);
}
static void traced_as_nobody(void) {
  trace_by_both("drop", "first");
}

static bool is_called(const char *wanted) {
  for (const tdm_capture_record *r = next(NULL, TDM_CAPTURE_CALL); r; r = next(r, TDM_CAPTURE_CALL))
    if (!strcmp(text(r->name), wanted)) return true;
  return false;
}

static void the_interposer_records_where_cupti_cannot(void **state) {
  (void)state;
  assert_int_equal(run(ALL, true, "", traced_by_both), 0);
  assert_message("records: ");
  assert_false(is_called("cuLaunchKernel"));
  assert_false(is_called("cuMemAlloc_v2"));
  assert_int_equal(count(TDM_CAPTURE_KERNEL) + count(TDM_CAPTURE_MEMORY), 0);
  assert_int_equal(run(ALL, true, "held", traced_by_both), 0);
  assert_message("another profiler is using it in this program");
  assert_true(is_called("cuLaunchKernel"));
  assert_true(is_called("cuMemAlloc_v2"));
  assert_true(count(TDM_CAPTURE_KERNEL) > 0);
}

/* Which the driver loads when the program has no way to the file any more. */
static void programs_that_give_up_their_rights_are_recorded(void **state) {
  (void)state;
  if (geteuid() != 0) skip();
  int status = run(ALL, true, "", traced_as_nobody);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip(); /* built where nobody may look */
  assert_int_equal(status, 0);
  assert_message("records: ");
  assert_false(is_called("cuLaunchKernel"));
}

/* NVIDIA's own, which this machine has since it has its headers; without a card it refuses, and
 * says so. */
static void nvidias_library(void) {
  unsetenv("TANDEM_CUPTI");
  inject();
}

static void nvidias_own_library_is_found(void **state) {
  (void)state;
  if (TDM_SHADOWED) skip(); /* it is not ours to sanitize */
  int status = run(ALL, true, "", nvidias_library);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  const tdm_capture_record *r = next(NULL, TDM_CAPTURE_MESSAGE);
  assert_non_null(r);
  print_message("%s\n", text(r->name));
}

static int prepare(void **state) {
  (void)state;
  int fd = mkstemp(file_path);
  if (fd < 0) return -1;
  close(fd);
  /* build/test/test_capture_cupti → build/capture_cupti.so */
  ssize_t length = readlink("/proc/self/exe", fake_path, sizeof fake_path - 32);
  if (length < 0) return -1;
  fake_path[length] = 0;
  *strrchr(fake_path, '/') = 0;
  strcpy(library_path, fake_path);
  strcat(fake_path, "/libcupti_fake.so");
  *strrchr(library_path, '/') = 0;
  strcat(library_path, "/capture_cupti.so");
  return 0;
}

static int clean(void **state) {
  (void)state;
  return unlink(file_path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_of_activity_becomes_its_record),
      cmocka_unit_test(many_threads_lose_no_record),
      cmocka_unit_test(what_cupti_lost_is_counted),
      cmocka_unit_test(a_pause_is_not_recorded),
      cmocka_unit_test(ranges_of_the_program_switch_recording),
      cmocka_unit_test(only_what_is_wanted_is_asked_of_cupti),
      cmocka_unit_test(a_program_that_is_killed_leaves_its_records),
      cmocka_unit_test(a_fault_that_is_handed_on_ends_the_program),
      cmocka_unit_test(handlers_of_the_program_stay),
      cmocka_unit_test(a_stuck_flush_holds_no_program_back),
      cmocka_unit_test(children_of_fork_flush_nothing),
      cmocka_unit_test(the_end_of_profiling_flushes),
      cmocka_unit_test(times_of_a_cupti_with_its_own_clock_are_monotonic),
      cmocka_unit_test(says_why_cupti_cannot_be_used),
      cmocka_unit_test(finds_the_cupti_of_the_program),
      cmocka_unit_test(the_interposer_records_where_cupti_cannot),
      cmocka_unit_test(programs_that_give_up_their_rights_are_recorded),
      cmocka_unit_test(nvidias_own_library_is_found),
  };
  return cmocka_run_group_tests(tests, prepare, clean);
}

#else

static void is_skipped_without_the_headers_of_cupti(void **state) {
  (void)state;
  print_message("CUPTI's headers were not found: capture_cupti.so is not built\n");
  skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_skipped_without_the_headers_of_cupti)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
