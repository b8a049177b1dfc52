/* A program that is linked to the CUDA driver, for tests of what is recorded of it: the first
 * argument says what it does, each with a known number of calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_cuda.h"

static void *context, *module;
static pthread_barrier_t both;

static void *begin(const char *kernel) {
  void *function = NULL;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuModuleLoadData(&module, "code") || cuModuleGetFunction(&function, module, kernel))
    exit(2);
  return function;
}

static void launch(void *function, void *stream, int times) {
  for (int i = 0; i < times; i++)
    if (cuLaunchKernel(function, 4, 3, 2, 256, 1, 1, 1024, stream, NULL, NULL)) exit(3);
}

/* Once each of what there is; two of it fail. */
static int whole(void) {
  void *scale = begin("scale_200"), *broken = NULL, *missing = NULL, *pinned = NULL;
  void *stream = NULL, *other = NULL, *graph = NULL, *made = NULL;
  uint64_t device = 0, rows = 0, too_much = 0;
  size_t pitch = 0;
  static char pageable[64 * 100];
  cuModuleGetFunction(&broken, module, "broken");
  if (cuModuleGetFunction(&missing, module, "missing") != 500) return 4;
  cuStreamCreate(&stream, 1);
  cuStreamCreate(&other, 1);
  cuMemAlloc_v2(&device, 1 << 20);
  if (cuMemAlloc_v2(&too_much, (size_t)1 << 40) != 2) return 5;
  cuMemAllocPitch_v2(&rows, &pitch, 100, 64, 4);
  cuMemHostAlloc(&pinned, 1 << 20, 0);
  memset(pinned, 7, 1 << 20);
  cuMemcpyHtoD_v2(device, pageable, sizeof pageable);
  cuMemcpyHtoDAsync_v2(device, pinned, 1 << 20, stream);
  rows_copy copy = {.from = {.kind = 1, .host = (uint64_t)pageable, .pitch = 100},
                    .to = {.kind = 2, .device = rows, .pitch = pitch},
                    .width = 100,
                    .height = 64};
  cuMemcpy2D_v2(&copy);
  launch(scale, stream, 1);
  launch_config config = {.grid = {9, 1, 1}, .block = {128, 2, 1}, .shared = 48, .on = other};
  cuLaunchKernelEx(&config, scale, NULL, NULL);
  if (cuLaunchKernel(broken, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL) != 719) return 6;
  cuMemsetD32Async(device, 0, 1000, stream);
  cuStreamBeginCapture_v2(stream, 0);
  launch(scale, stream, 2);
  cuStreamEndCapture(stream, &graph);
  cuGraphInstantiateWithFlags(&made, graph, 0);
  cuGraphLaunch(made, stream);
  cuMemcpyDtoHAsync_v2(pinned, device, 4000, stream);
  cuStreamSynchronize(stream);
  cuStreamSynchronize(other);
  cuGraphExecDestroy(made);
  cuMemFree_v2(device);
  cuMemFree_v2(rows);
  cuMemFreeHost(pinned);
  cuStreamDestroy_v2(stream);
  cuStreamDestroy_v2(other);
  return cuDevicePrimaryCtxRelease_v2(0);
}

static int launches_of_thread;
static void *thread(void *function) {
  void *stream = NULL;
  if (cuCtxSetCurrent(context) || cuStreamCreate(&stream, 1)) exit(4);
  launch(function, stream, launches_of_thread);
  cuStreamSynchronize(stream);
  return NULL;
}
static int threads(int count, int each) {
  pthread_t of[256];
  void *function = begin("scale_1");
  launches_of_thread = each;
  for (int i = 0; i < count; i++)
    if (pthread_create(&of[i], NULL, thread, function)) return 7;
  for (int i = 0; i < count; i++) pthread_join(of[i], NULL);
  return 0;
}

static int forks(void) {
  void *function = begin("parents_1");
  launch(function, NULL, 10);
  for (int i = 0; i < 3; i++) {
    pid_t child = fork();
    if (child == 0) {
      function = begin("childs_1");
      launch(function, NULL, 20);
      _exit(0);
    }
    waitpid(child, NULL, 0);
    launch(function, NULL, 1);
  }
  return 0;
}

static int ranges(void) {
  void *function = begin("scale_1");
  launch(function, NULL, 5);
  cuProfilerStart();
  launch(function, NULL, 7);
  cuProfilerStop();
  launch(function, NULL, 5);
  return 0;
}

static volatile sig_atomic_t in_handler;
static void handler(int number) {
  (void)number;
  in_handler++;
  cuStreamQuery(NULL);
}
/* Launches until a signal has come 200 times, at least 20000, and asks for a stream's state in
 * each, once between calls; says how many launches and signals. */
static int signals(void) {
  void *function = begin("scale_1");
  int launches = 0;
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 50}, {0, 50}}, never = {0};
  setitimer(ITIMER_REAL, &often, NULL);
  for (; launches < 20000 || in_handler < 200; launches += 1000) launch(function, NULL, 1000);
  setitimer(ITIMER_REAL, &never, NULL);
  raise(SIGALRM);
  return printf("%d %d\n", launches, in_handler) < 0;
}

/* Becomes nobody, who has no way to the capture file, and launches 9000: "first" that, or "later",
 * or by what it then executes ("exec"). 77: nobody has no way to the program either. */
static int drop(char **argv, const char *when) {
  int later = !strcmp(when, "later");
  void *function = later ? begin("scale_1") : NULL;
  launch(function, NULL, later ? 3 : 0);
  if (setgid(65534) || setuid(65534)) return 8;
  if (open(getenv("TANDEM_CAPTURE_FILE"), O_RDWR) >= 0) return 9;
  if (access(argv[0], X_OK) || access(getenv("LD_PRELOAD"), R_OK)) return 77;
  if (!strcmp(when, "exec")) execl(argv[0], argv[0], "launch", "9000", (char *)NULL);
  launch(later ? function : begin("scale_1"), NULL, later ? 9000 - 3 : 9000);
  return 0;
}

/* Closes what it knows not, and takes the numbers; with `unlinking` there is no way to the file. */
static int closing(int count, int unlinking) {
  void *function = begin("scale_1");
  launch(function, NULL, 3);
  for (int fd = 3; fd < 1024; fd++) close(fd);
  for (int fd = 900; fd < 1024; fd++) dup2(1, fd);
  if (unlinking) unlink(getenv("TANDEM_CAPTURE_FILE"));
  launch(function, NULL, count - 3);
  return 0;
}

/* A microsecond, in which the device does what it was given: else how much is under way would tell
 * how fast the machine is. */
static void let_device_work(void) {
  struct timespec now, begun;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begun.tv_sec) * 1000000000 + now.tv_nsec - begun.tv_nsec <= 1000);
}

/* Uses of the context come and go beside work, and end it last; says what is left before. */
static int releases(int count) {
  void *stream = NULL, *function = begin("scale_1"), *again = NULL;
  int streams = 0, events = 0;
  cuStreamCreate(&stream, 1);
  for (int i = 0; i < count; i++) {
    if (cuDevicePrimaryCtxRetain(&again, 0) || again != context) return 8;
    launch(function, stream, 1);
    if (cuDevicePrimaryCtxRelease_v2(0)) return 9;
    let_device_work();
  }
  cuStreamSynchronize(stream);
  fake_cuda_count(&streams, &events);
  printf("%d %d\n", streams, events);
  return cuDevicePrimaryCtxRelease_v2(0);
}

/* Contexts follow on one another, each with the handle of the one before, beside one that lives;
 * ended by the calls of today, or by those of CUDA 10 and 3. */
static int ends(int count, bool older) {
  int (*destroy)(void *) = older ? cuCtxDestroy : cuCtxDestroy_v2;
  int (*release)(int) = older ? cuDevicePrimaryCtxRelease : cuDevicePrimaryCtxRelease_v2;
  int (*reset)(int) = older ? cuDevicePrimaryCtxReset : cuDevicePrimaryCtxReset_v2;
  void *function = begin("scale_1"), *stream = NULL, *other = NULL, *beside = NULL;
  cuStreamCreate(&beside, 1);
  launch(function, beside, 1);
  for (int i = 0; i < count; i++) {
    if (cuCtxCreate_v2(&other, 0, i % 2) || cuStreamCreate(&stream, 1)) return 10;
    launch(function, stream, 3);
    cuStreamSynchronize(stream);
    if (older && i > count / 2) destroy = cuCtxDetach;
    if (destroy(other) || cuCtxSetCurrent(context)) return 11;
    launch(function, beside, 1);
  }
  cuStreamSynchronize(beside);
  if (reset(0)) return 12;
  begin("scale_1");
  launch(function, NULL, 1);
  cuStreamSynchronize(NULL);
  if (release(0)) return 13;
  begin("scale_1");
  launch(function, NULL, 1);
  return cuStreamSynchronize(NULL);
}

/* Two streams: one works without a pause, of the other captures are made. Says how many launches
 * were captured, and how many not. */
static volatile bool enough;
static void *busy(void *function) {
  static int done;
  void *stream = NULL;
  if (cuCtxSetCurrent(context) || cuStreamCreate(&stream, 1)) exit(14);
  pthread_barrier_wait(&both);
  for (; !enough; done += 50, usleep(100)) launch(function, stream, 50);
  cuStreamSynchronize(stream);
  return &done;
}
static int captures(int count) {
  void *function = begin("scale_1"), *stream = NULL, *graph = NULL, *done = NULL;
  pthread_t beside;
  cuStreamCreate(&stream, 0);
  pthread_barrier_init(&both, NULL, 2);
  if (pthread_create(&beside, NULL, busy, function)) return 15;
  pthread_barrier_wait(&both);
  for (int i = 0; i < count; i++) {
    usleep(200);
    if (cuStreamBeginCapture_v2(stream, i % 3)) return 16;
    launch(function, stream, 20);
    usleep(i % 2 * 1000);
    if (cuStreamEndCapture(stream, &graph)) return 17;
  }
  enough = true;
  pthread_join(beside, &done);
  if (cuStreamBeginCapture_v2(stream, 0)) return 18;
  if (!cuStreamBeginCapture_v2(stream, 0)) return 19;
  cuStreamDestroy_v2(stream); /* with its capture */
  launch(function, NULL, 7);
  return printf("%d %d\n", count * 20, *(int *)done + 7) < 0 || cuStreamSynchronize(NULL);
}

/* Calls that the driver has, and one that it lacks, whatever way they are asked for. */
static int finds(void) {
  void *ways[] = {RTLD_DEFAULT, dlopen(NULL, RTLD_LAZY), dlopen("libcuda.so.1", RTLD_LAZY)};
  for (int i = 0; i < 3; i++) {
    if (!dlsym(ways[i], "cuInit") || dlerror()) return 20;
    if (dlsym(ways[i], "cuStreamAddCallback")) return 21;
    const char *why = dlerror();
    if (!why || !strstr(why, "cuStreamAddCallback")) return 22;
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int count = argc > 2 ? atoi(argv[2]) : 0, each = argc > 3 ? atoi(argv[3]) : 0;
  if (!strcmp(what, "whole")) return whole();
  if (!strcmp(what, "threads")) return threads(count, each);
  if (!strcmp(what, "fork")) return forks();
  if (!strcmp(what, "ranges")) return ranges();
  if (!strcmp(what, "signals")) return signals();
  if (!strcmp(what, "drop")) return drop(argv, argc > 2 ? argv[2] : "");
  if (!strcmp(what, "close")) return closing(count, each);
  if (!strcmp(what, "releases")) return releases(count);
  if (!strcmp(what, "ends")) return ends(count, each);
  if (!strcmp(what, "captures")) return captures(count);
  if (!strcmp(what, "next")) return getppid() > 0 ? 0 : 1; /* next.c's */
  if (!strcmp(what, "invalid"))
    return begin("scale_1") &&
           cuLaunchKernel((void *)8, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) != 400;
  if (!strcmp(what, "default")) return finds();
  if (!strcmp(what, "limited")) {
    struct rlimit files = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &files);
  }
  launch(begin("scale_1"), NULL, count);
  if (!strcmp(what, "kill")) raise(SIGKILL);
  if (!strcmp(what, "abort")) abort();
  if (!strcmp(what, "exec")) execl(argv[0], argv[0], "launch", "4", (char *)NULL);
  return 0;
}
