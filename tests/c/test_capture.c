/* What is recorded of programs that call a CUDA driver, by the interposer that is preloaded into
 * them: programs of tests/capture on a driver of our own. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>

#include "traced_fixture.h"

static char folder[PATH_MAX], library[PATH_MAX], path[64], output[64];

static void put_environment(const char *settings) {
  setenv(TDM_CAPTURE_FILE_VARIABLE, path, 1);
  setenv("LD_LIBRARY_PATH", folder, 1);
  setenv("LD_PRELOAD", library, 1);
  setenv("NVTX_INJECTION64_PATH", library, 1);
  if (*settings) putenv(strdup(settings));
}

/* Runs a program of tests/capture with the interposer; its status, its output in `output`. */
static int run_with(const char *settings, const char *program, const char *const *arguments) {
  pid_t pid = fork();
  if (pid == 0) {
    char file[PATH_MAX + 32], *argv[8] = {file};
    snprintf(file, sizeof file, "%s/%s", folder, program);
    for (int i = 0; arguments[i]; i++) argv[i + 1] = strdup(arguments[i]);
    put_environment(settings);
    if (!freopen(output, "w", stdout)) _exit(99);
    alarm(600);
    execv(file, argv);
    _exit(98);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}
#define RUN(program, ...) run_with("", program, (const char *const[]){__VA_ARGS__, NULL})

static size_t calls(const capture *of, const char *name) {
  return capture_count(of, TDM_CAPTURE_CALL, name, NULL);
}
static const tdm_capture_record *last_of(const capture *of, tdm_capture_kind kind,
                                         const char *name) {
  const captured_record *last = NULL;
  if (!capture_count(of, kind, name, &last))
    fail_msg("no record %d of %s", kind, name ? name : "any");
  return &last->record;
}

/* Every record has a name that was written, and times in order. */
static void assert_sound(const capture *of) {
  char *text = malloc(1 << 16);
  assert_int_equal(of->header->lost, 0);
  for (size_t i = 0; i < of->count; i++) {
    const tdm_capture_record *record = &of->records[i].record;
    if (record->kind == TDM_CAPTURE_NAME) continue;
    assert_true(strlen(capture_text(of, record->name, text)) > 0);
    assert_true(of->header->start_ns <= record->start_ns && record->start_ns <= record->end_ns);
  }
  free(text);
}

static void linked_programs_are_recorded_whole(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(RUN("linked", "whole"), 0);
  capture read = capture_read(path);
  assert_sound(&read);
  static const struct {
    const char *name;
    size_t times;
  } expected[] = {{"cuInit", 1},
                  {"cuModuleGetFunction", 3},
                  {"cuMemAlloc_v2", 2},
                  {"cuMemAllocPitch_v2", 1},
                  {"cuMemHostAlloc", 1},
                  {"cuMemcpyHtoD_v2", 1},
                  {"cuMemcpyHtoDAsync_v2", 1},
                  {"cuMemcpy2D_v2", 1},
                  {"cuMemcpyDtoHAsync_v2", 1},
                  {"cuMemsetD32Async", 1},
                  {"cuLaunchKernel", 4},
                  {"cuLaunchKernelEx", 1},
                  {"cuStreamBeginCapture_v2", 1},
                  {"cuStreamEndCapture", 1},
                  {"cuGraphLaunch", 1},
                  {"cuStreamSynchronize", 2},
                  {"cuMemFree_v2", 2},
                  {"cuStreamDestroy_v2", 2},
                  {"cuDevicePrimaryCtxRelease_v2", 1}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_int_equal(calls(&read, expected[i].name), expected[i].times);
  const tdm_capture_record *device = last_of(&read, TDM_CAPTURE_DEVICE, "Pretended GPU");
  assert_int_equal(device->amount, (uint64_t)16 << 30);
  capture_free(&read);
}

static void launches_tell_kernel_and_shape(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(RUN("linked", "whole"), 0);
  capture read = capture_read(path);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_LAUNCH, "scale_200", NULL), 4);
  size_t into_graph = 0, by_config = 0;
  for (size_t i = 0; i < read.count; i++) {
    const tdm_capture_record *r = &read.records[i].record;
    if (r->kind != TDM_CAPTURE_LAUNCH || r->name != capture_id("scale_200")) continue;
    into_graph += (r->flags & TDM_CAPTURE_CAPTURED) != 0;
    const tdm_capture_record *call = &read.records[i - 1].record;
    assert_int_equal(call->kind, TDM_CAPTURE_CALL);
    assert_int_equal(call->correlation, r->correlation);
    if (r->ran.grid[0] == 9) {
      by_config++;
      assert_int_equal(r->ran.block[0] * 1000 + r->ran.block[1], 128002);
      assert_int_equal(r->ran.shared_bytes, 48);
      assert_int_equal(r->ran.stream_id, 2);
      continue;
    }
    assert_int_equal(r->ran.grid[0] * 100 + r->ran.grid[1] * 10 + r->ran.grid[2], 432);
    assert_int_equal(r->ran.block[0], 256);
    assert_int_equal(r->ran.shared_bytes, 1024);
    assert_int_equal(r->ran.stream_id, 1);
  }
  assert_int_equal(into_graph, 2);
  assert_int_equal(by_config, 1);
  capture_free(&read);
}

static void errors_are_recorded_and_left_alone(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(RUN("linked", "whole"), 0); /* which checks the errors that it gets */
  capture read = capture_read(path);
  size_t failed = 0;
  for (size_t i = 0; i < read.count; i++) {
    const tdm_capture_record *r = &read.records[i].record;
    if (r->kind != TDM_CAPTURE_CALL || r->result == 0) continue;
    failed++;
    if (r->name == capture_id("cuLaunchKernel")) assert_int_equal(r->result, 719);
    if (r->name == capture_id("cuMemAlloc_v2")) {
      assert_int_equal(r->result, 2);
      assert_int_equal(r->amount, (uint64_t)1 << 40);
    }
    if (r->name == capture_id("cuModuleGetFunction")) assert_int_equal(r->result, 500);
  }
  assert_int_equal(failed, 3);
  capture_free(&read);
  /* The driver is not asked about a handle that it has just refused. */
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(RUN("linked", "invalid"), 0);
}

static void memory_is_told_with_its_end(void **unused) {
  (void)unused;
  capture_make(path, TDM_CAPTURE_WANT_MEMORY, 0, true);
  assert_int_equal(RUN("linked", "whole"), 0);
  capture read = capture_read(path);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_CALL, NULL, NULL), 0);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_MEMORY, NULL, NULL), 6);
  const tdm_capture_record *of_device = last_of(&read, TDM_CAPTURE_MEMORY, "cuMemAlloc_v2");
  assert_int_equal(of_device->amount, 1 << 20);
  assert_int_equal(of_device->detail, TDM_CAPTURE_MEMORY_DEVICE);
  const tdm_capture_record *pinned = last_of(&read, TDM_CAPTURE_MEMORY, "cuMemHostAlloc");
  const tdm_capture_record *freed = last_of(&read, TDM_CAPTURE_MEMORY, "cuMemFreeHost");
  assert_int_equal(pinned->detail, TDM_CAPTURE_MEMORY_PINNED);
  assert_int_equal(freed->flags & TDM_CAPTURE_FREED, TDM_CAPTURE_FREED);
  assert_true(freed->address == pinned->address);
  /* The pitch is the driver's. */
  assert_int_equal(last_of(&read, TDM_CAPTURE_MEMORY, "cuMemAllocPitch_v2")->amount, 512 * 64);
  capture_free(&read);
}

/* So that another thread that is given an address before the call that freed it has returned comes
 * after it. */
static void memory_begins_after_its_call_and_ends_before(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(RUN("linked", "whole"), 0);
  capture read = capture_read(path);
  const tdm_capture_record *call = NULL;
  size_t begun = 0, ended = 0;
  for (size_t i = 0; i < read.count; i++) { /* a call comes before what it caused */
    const tdm_capture_record *r = &read.records[i].record;
    if (r->kind == TDM_CAPTURE_CALL) call = r;
    if (r->kind != TDM_CAPTURE_MEMORY) continue;
    assert_int_equal(r->correlation, call->correlation);
    assert_true(r->start_ns == r->end_ns && call->start_ns < call->end_ns);
    bool freed = r->flags & TDM_CAPTURE_FREED;
    assert_true(r->start_ns == (freed ? call->start_ns : call->end_ns));
    *(freed ? &ended : &begun) += 1;
  }
  assert_int_equal(begun, 3);
  assert_int_equal(ended, 3);
  capture_free(&read);
}

/* 200 us by the kernel's name, and 400 us of the graph; or longer, by what a busy machine let the
 * program wait between its calls. Clocks that were joined in such a moment take some of it away. */
static bool times_are_theirs(const capture *of) {
  const tdm_capture_record *kernel = last_of(of, TDM_CAPTURE_KERNEL, "scale_200");
  const tdm_capture_record *graph = last_of(of, TDM_CAPTURE_GRAPH, NULL);
  return kernel->end_ns - kernel->start_ns >= 199000 && graph->end_ns - graph->start_ns >= 399000;
}

/* Of which test_capture_events is exact. */
static void device_times_are_estimated_by_events(void **unused) {
  (void)unused;
  bool theirs = false;
  for (int tries = 0; tries < 100 && !theirs; tries++) {
    capture_make(path, CAPTURE_ALL, 0, true);
    assert_int_equal(RUN("linked", "whole"), 0);
    capture read = capture_read(path);
    assert_sound(&read);
    assert_int_equal(capture_count(&read, TDM_CAPTURE_KERNEL, "scale_200", NULL), 2);
    assert_int_equal(capture_count(&read, TDM_CAPTURE_COPY, NULL, NULL), 4);
    assert_int_equal(capture_count(&read, TDM_CAPTURE_FILL, NULL, NULL), 1);
    const tdm_capture_record *kernel = last_of(&read, TDM_CAPTURE_KERNEL, "scale_200");
    assert_int_equal(kernel->flags & TDM_CAPTURE_ESTIMATED, TDM_CAPTURE_ESTIMATED);
    const tdm_capture_record *copy = last_of(&read, TDM_CAPTURE_COPY, "cuMemcpy2D_v2");
    assert_int_equal(copy->amount, 6400);
    assert_int_equal(copy->detail, TDM_CAPTURE_H2D);
    assert_int_equal(last_of(&read, TDM_CAPTURE_COPY, "cuMemcpyDtoHAsync_v2")->detail,
                     TDM_CAPTURE_D2H);
    theirs = times_are_theirs(&read);
    capture_free(&read);
  }
  assert_true(theirs);
}

static void uses_of_a_context_come_and_go_beside_its_work(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(RUN("linked", "releases", "1000"), 0);
  capture read = capture_read(path);
  assert_sound(&read); /* nothing is lost */
  assert_int_equal(capture_count(&read, TDM_CAPTURE_KERNEL, "scale_1", NULL), 1000);
  int streams = 0, events = 0;
  FILE *file = fopen(output, "r");
  assert_int_equal(fscanf(file, "%d %d", &streams, &events), 2);
  fclose(file);
  assert_int_equal(streams, 2); /* its own, and the one that joins the clocks */
  /* Four that join the clocks, and those of 256 launches that may wait to be asked about. */
  assert_in_range(events, 4 + 2, 4 + 2 * 257);
  capture_free(&read);
}

/* The driver aborts programs that use what has ended. */
static void contexts_end(const char *older) {
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(
      run_with("FAKE_CUDA_DEVICES=2", "linked", (const char *const[]){"ends", "20", older, NULL}),
      0);
  capture read = capture_read(path);
  assert_sound(&read);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_KERNEL, "scale_1", NULL), 1 + 20 * 4 + 2);
  size_t of_device[2] = {0}, contexts = 0;
  for (size_t i = 0; i < read.count; i++) {
    const tdm_capture_record *r = &read.records[i].record;
    if (r->kind != TDM_CAPTURE_KERNEL) continue;
    of_device[r->ran.device_id]++;
    if (r->ran.context_id > contexts) contexts = r->ran.context_id;
  }
  assert_int_equal(of_device[1], 10 * 3); /* though its context has the handle of another's */
  assert_int_equal(contexts, 1 + 20 + 2);
  capture_free(&read);
}

static void contexts_end_one_by_one(void **unused) {
  (void)unused;
  contexts_end("0");
}
static void contexts_end_by_the_calls_of_older_programs_too(void **unused) {
  (void)unused;
  contexts_end("1");
}

/* Whose failures the program tells by its code. */
static void captures_into_graphs_are_left_alone_and_other_work_is_timed(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(RUN("linked", "captures", "300"), 0);
  capture read = capture_read(path);
  assert_sound(&read);
  size_t captured = 0, ran = 0, marked = 0;
  FILE *file = fopen(output, "r");
  assert_int_equal(fscanf(file, "%zu %zu", &captured, &ran), 2);
  fclose(file);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_KERNEL, "scale_1", NULL), ran);
  for (size_t i = 0; i < read.count; i++) {
    const tdm_capture_record *r = &read.records[i].record;
    marked += r->kind == TDM_CAPTURE_LAUNCH && r->flags & TDM_CAPTURE_CAPTURED;
  }
  assert_int_equal(marked, captured);
  capture_free(&read);
}

static void asked(const char *settings, const char *version, const char *streams,
                  const char *launch, const char *copy) {
  capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
  assert_int_equal(run_with(settings, "asked", (const char *const[]){version, streams, NULL}), 0);
  capture read = capture_read(path);
  assert_sound(&read);
  assert_int_equal(calls(&read, launch), 30);
  assert_int_equal(calls(&read, copy), 3);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_LAUNCH, "gemm_20(float*, int)", NULL), 30);
  assert_int_equal(last_of(&read, TDM_CAPTURE_CALL, copy)->amount, 1000);
  assert_int_equal(calls(&read, "cuMemAlloc_v2"), 1);
  capture_free(&read);
}

static void programs_that_ask_the_driver_for_calls_get_the_right_ones(void **unused) {
  (void)unused;
  asked("", "12000", "legacy", "cuLaunchKernel", "cuMemcpyHtoDAsync_v2");
  asked("", "12000", "per-thread", "cuLaunchKernel_ptsz", "cuMemcpyHtoDAsync_v2_ptsz");
  asked("", "11030", "legacy", "cuLaunchKernel", "cuMemcpyHtoDAsync_v2");
}

static void calls_are_known_by_version_where_their_address_is_not(void **unused) {
  (void)unused;
  asked("FAKE_CUDA_ELSEWHERE=1", "12000", "legacy", "cuLaunchKernel", "cuMemcpyHtoDAsync_v2");
}

static void each_thread_is_counted(void **unused) {
  (void)unused;
  capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
  assert_int_equal(RUN("linked", "threads", "16", "3000"), 0);
  capture read = capture_read(path);
  assert_sound(&read);
  assert_int_equal(calls(&read, "cuLaunchKernel"), 16 * 3000);
  assert_int_equal(calls(&read, "cuStreamSynchronize"), 16);
  uint32_t tids[64], counts[64], seen = 0;
  for (size_t i = 0; i < read.count; i++) {
    const captured_record *r = &read.records[i];
    if (r->record.kind != TDM_CAPTURE_LAUNCH) continue;
    uint32_t at = 0;
    while (at < seen && tids[at] != r->tid) at++;
    if (at == seen) tids[at] = r->tid, counts[seen++] = 0;
    counts[at]++;
  }
  assert_int_equal(seen, 16);
  for (uint32_t i = 0; i < seen; i++) assert_int_equal(counts[i], 3000);
  capture_free(&read);
}

static void children_are_followed(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(RUN("linked", "fork"), 0);
  capture read = capture_read(path);
  assert_sound(&read);
  const captured_record *parent = NULL, *child = NULL;
  assert_int_equal(capture_count(&read, TDM_CAPTURE_LAUNCH, "parents_1", &parent), 13);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_LAUNCH, "childs_1", &child), 60);
  assert_int_not_equal(parent->pid, child->pid);
  capture_free(&read);

  capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
  assert_int_equal(RUN("linked", "exec", "3"), 0);
  read = capture_read(path);
  assert_sound(&read);
  assert_int_equal(calls(&read, "cuInit"), 2);
  assert_int_equal(calls(&read, "cuLaunchKernel"), 7);
  capture_free(&read);
}

static void a_death_leaves_all_that_was_done(void **unused) {
  (void)unused;
  static const char *const ways[] = {"kill", "abort"};
  static const int signals[] = {SIGKILL, SIGABRT};
  for (int i = 0; i < 2; i++) {
    capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
    assert_int_equal(WTERMSIG(RUN("linked", ways[i], "9000")), signals[i]);
    capture read = capture_read(path);
    assert_sound(&read);
    assert_int_equal(calls(&read, "cuLaunchKernel"), 9000);
    capture_free(&read);
  }
}

static void no_room_is_counted_and_harmless(void **unused) {
  (void)unused;
  capture_make(path, TDM_CAPTURE_WANT_API, 1000000, true);
  assert_int_equal(RUN("linked", "launch", "50000"), 0);
  capture read = capture_read(path);
  assert_true(read.size <= 1000000);
  size_t kept = calls(&read, NULL) + capture_count(&read, TDM_CAPTURE_LAUNCH, NULL, NULL);
  size_t others = 5; /* calls before the launches */
  assert_int_equal(kept + read.header->lost, 2 * 50000 + others);
  capture_free(&read);
  capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
  assert_int_equal(RUN("linked", "limited", "50000"), 0); /* to files of 1 MiB */
}

static void programs_that_give_up_their_rights_are_recorded(void **unused) {
  (void)unused;
  if (geteuid() != 0) skip();
  static const char *const when[] = {"first", "later", "exec"};
  for (int i = 0; i < 3; i++) {
    capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
    int status = RUN("linked", "drop", when[i]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip(); /* built where nobody may look */
    assert_int_equal(status, 0);
    capture read = capture_read(path);
    assert_sound(&read);
    assert_int_equal(calls(&read, "cuLaunchKernel"), 9000);
    assert_int_equal(read.header->unreachable, 0);
    capture_free(&read);
  }
}

static void programs_that_close_what_they_know_not_are_recorded(void **unused) {
  (void)unused;
  struct stat said;
  capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
  assert_int_equal(RUN("linked", "close", "9000", "0"), 0);
  capture read = capture_read(path);
  assert_sound(&read);
  assert_int_equal(calls(&read, "cuLaunchKernel"), 9000);
  assert_int_equal(stat(output, &said), 0);
  assert_int_equal(said.st_size, 0); /* which has had the number of our descriptor */
  capture_free(&read);
}

static void a_file_that_cannot_be_reached_any_more_is_told(void **unused) {
  (void)unused;
  char kept[64];
  capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
  int fd = open(path, O_RDONLY);
  snprintf(kept, sizeof kept, "/proc/self/fd/%d", fd);
  assert_int_equal(RUN("linked", "close", "9000", "1"), 0);
  capture read = capture_read(kept);
  assert_int_equal(read.header->unreachable, ENOENT);
  size_t others = 5; /* calls before the launches */
  size_t written = calls(&read, NULL) + capture_count(&read, TDM_CAPTURE_LAUNCH, NULL, NULL);
  assert_int_equal(written + read.header->lost, 2 * 9000 + others);
  capture_free(&read);
  close(fd);
}

static void ranges_of_the_program_switch_recording(void **unused) {
  (void)unused;
  capture_make(path, TDM_CAPTURE_WANT_API | TDM_CAPTURE_WANT_RANGES, 0, false);
  assert_int_equal(RUN("linked", "ranges"), 0);
  capture read = capture_read(path);
  assert_int_equal(calls(&read, "cuLaunchKernel"), 7);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_LAUNCH, "scale_1", NULL), 7);
  assert_int_equal(read.header->recording, 0);
  capture_free(&read);
  capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
  assert_int_equal(RUN("linked", "ranges"), 0);
  read = capture_read(path);
  assert_int_equal(calls(&read, "cuLaunchKernel"), 17);
  assert_int_equal(calls(&read, "cuProfilerStart"), 1);
  capture_free(&read);
}

static void signal_handlers_may_call_the_driver(void **unused) {
  (void)unused;
  capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
  assert_int_equal(RUN("linked", "signals"), 0);
  capture read = capture_read(path);
  int launches = 0, signals = 0;
  FILE *file = fopen(output, "r");
  assert_int_equal(fscanf(file, "%d %d", &launches, &signals), 2);
  fclose(file);
  size_t kept = calls(&read, "cuLaunchKernel") + calls(&read, "cuStreamQuery") +
                capture_count(&read, TDM_CAPTURE_LAUNCH, NULL, NULL);
  assert_true(signals > 200 && calls(&read, "cuStreamQuery") > 0);
  assert_int_equal(kept + read.header->lost, 2 * (size_t)launches + (size_t)signals);
  capture_free(&read);
}

static void programs_are_left_as_they_are(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(RUN("linked", "next"), 0);    /* RTLD_NEXT of others */
  assert_int_equal(RUN("linked", "default"), 0); /* the driver's symbols are found */
  assert_int_equal(RUN("driverless", "x"), 0);   /* and not where there is no driver */
  unlink(path);
  assert_int_equal(RUN("linked", "whole"), 0); /* without a file */
  assert_int_equal(RUN("asked", "12000"), 0);
}

/* As the injection of CUPTI is, into the same program. */
static void an_injected_library_is_loaded_beside(void **unused) {
  (void)unused;
  char setting[PATH_MAX + 64], said[32] = "";
  snprintf(setting, sizeof setting, "CUDA_INJECTION64_PATH=%s/libnext.so", folder);
  capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
  assert_int_equal(run_with(setting, "linked", (const char *const[]){"launch", "3", NULL}), 0);
  FILE *file = fopen(output, "r");
  assert_non_null(fgets(said, sizeof said, file));
  fclose(file);
  assert_string_equal(said, "injected\n");
  capture read = capture_read(path);
  assert_int_equal(calls(&read, "cuLaunchKernel"), 3);
  capture_free(&read);
}

static const tdm_capture_record *range(const capture *of, const char *name) {
  return last_of(of, TDM_CAPTURE_RANGE, name);
}

static void nvtx_ranges_and_marks_are_recorded(void **unused) {
  (void)unused;
  capture_make(path, TDM_CAPTURE_WANT_NVTX, 0, true);
  assert_int_equal(RUN("nvtx", "x"), 0); /* which checks the levels that it is told */
  capture read = capture_read(path);
  const tdm_capture_record *outer = range(&read, "outer"), *step = range(&read, "step");
  const tdm_capture_record *wide = range(&read, "größer \xF0\x9F\x98\x80");
  assert_true(outer->start_ns <= wide->start_ns && wide->end_ns <= outer->end_ns);
  assert_int_equal(outer->flags, TDM_CAPTURE_PUSHED);
  assert_true(step->nvtx.domain == capture_id("engine") && outer->nvtx.domain == 0);
  assert_true(step->nvtx.category == capture_id("decode"));
  assert_true(step->nvtx.color == 0xFF00FF00);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_MARK, "a mark", NULL), 1);
  const tdm_capture_record *handed = range(&read, "handed over");
  assert_int_equal(handed->flags, 0);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_OPEN, "never ended", NULL), 1);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_RANGE, "never ended", NULL), 0);
  assert_true(last_of(&read, TDM_CAPTURE_OPEN, "step")->nvtx.range == step->nvtx.range);
  size_t deep = capture_count(&read, TDM_CAPTURE_RANGE, "deep", NULL);
  assert_int_equal(deep + read.header->lost, 200);
  capture_free(&read);
  capture_make(path, TDM_CAPTURE_WANT_API, 0, true);
  assert_int_equal(WEXITSTATUS(RUN("nvtx", "x")), 1); /* not wanted: NVTX stays without a library */
}

static void nvtx_ranges_of_a_name_switch_recording(void **unused) {
  (void)unused;
  capture_make(path, TDM_CAPTURE_WANT_NVTX, 0, false);
  capture_set_range(path, "outer");
  assert_int_equal(RUN("nvtx", "x"), 0);
  capture read = capture_read(path);
  assert_non_null(range(&read, "outer"));
  assert_non_null(range(&read, "step"));
  assert_int_equal(capture_count(&read, TDM_CAPTURE_OPEN, "outer", NULL), 1);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_MARK, "a mark", NULL), 1);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_RANGE, "handed over", NULL), 0);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_RANGE, "deep", NULL), 0);
  assert_int_equal(read.header->recording, 0);
  assert_int_equal(read.header->inside, 0);
  capture_free(&read);
  capture_make(path, TDM_CAPTURE_WANT_API, 0, false); /* started and ended by two threads */
  capture_set_range(path, "handed over");
  assert_int_equal(RUN("nvtx", "x"), 0); /* ranges are followed where they are not recorded */
  read = capture_read(path);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_RANGE, "handed over", NULL), 0);
  assert_int_equal(read.header->recording, 0);
  capture_free(&read);
}

static void ranges_left_open_end_with_who_opened_them(void **unused) {
  (void)unused;
  static const char *const names[] = {"never ended", "left open"}; /* by a process, a thread */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    capture_make(path, TDM_CAPTURE_WANT_NVTX, 0, false);
    capture_set_range(path, names[i]);
    assert_int_equal(RUN("nvtx", "x"), 0);
    capture read = capture_read(path);
    assert_int_equal(capture_count(&read, TDM_CAPTURE_OPEN, names[i], NULL), 1);
    assert_int_equal(read.header->inside, 0);
    assert_int_equal(read.header->recording, 0);
    capture_free(&read);
  }
}

int main(void) {
  ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 32);
  if (length < 0) return 1;
  folder[length] = '\0';
  *strrchr(folder, '/') = '\0';
  snprintf(library, sizeof library, "%.*s/../capture.so", (int)sizeof library - 32, folder);
  strcat(folder, "/capture");
  snprintf(path, sizeof path, "/tmp/tandem-capture-XXXXXX");
  snprintf(output, sizeof output, "/tmp/tandem-output-XXXXXX");
  close(mkstemp(path));
  close(mkstemp(output));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linked_programs_are_recorded_whole),
      cmocka_unit_test(launches_tell_kernel_and_shape),
      cmocka_unit_test(errors_are_recorded_and_left_alone),
      cmocka_unit_test(memory_is_told_with_its_end),
      cmocka_unit_test(memory_begins_after_its_call_and_ends_before),
      cmocka_unit_test(device_times_are_estimated_by_events),
      cmocka_unit_test(uses_of_a_context_come_and_go_beside_its_work),
      cmocka_unit_test(contexts_end_one_by_one),
      cmocka_unit_test(contexts_end_by_the_calls_of_older_programs_too),
      cmocka_unit_test(captures_into_graphs_are_left_alone_and_other_work_is_timed),
      cmocka_unit_test(programs_that_ask_the_driver_for_calls_get_the_right_ones),
      cmocka_unit_test(calls_are_known_by_version_where_their_address_is_not),
      cmocka_unit_test(each_thread_is_counted),
      cmocka_unit_test(children_are_followed),
      cmocka_unit_test(a_death_leaves_all_that_was_done),
      cmocka_unit_test(no_room_is_counted_and_harmless),
      cmocka_unit_test(programs_that_give_up_their_rights_are_recorded),
      cmocka_unit_test(programs_that_close_what_they_know_not_are_recorded),
      cmocka_unit_test(a_file_that_cannot_be_reached_any_more_is_told),
      cmocka_unit_test(ranges_of_the_program_switch_recording),
      cmocka_unit_test(signal_handlers_may_call_the_driver),
      cmocka_unit_test(programs_are_left_as_they_are),
      cmocka_unit_test(an_injected_library_is_loaded_beside),
      cmocka_unit_test(nvtx_ranges_and_marks_are_recorded),
      cmocka_unit_test(nvtx_ranges_of_a_name_switch_recording),
      cmocka_unit_test(ranges_left_open_end_with_who_opened_them),
  };
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  unlink(output);
  return failures;
}
