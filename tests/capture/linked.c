/* A program that is linked to the CUDA driver, for tests of what is recorded of it: the first
 * argument says what it does, each with a known number of calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_cuda.h"

static void *context, *module;

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
/* Launches 20000, and asks for a stream's state in each signal; says how many signals. */
static int signals(void) {
  void *function = begin("scale_1");
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 50}, {0, 50}}, never = {0};
  setitimer(ITIMER_REAL, &often, NULL);
  launch(function, NULL, 20000);
  setitimer(ITIMER_REAL, &never, NULL);
  return printf("%d\n", in_handler) < 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int count = argc > 2 ? atoi(argv[2]) : 0, each = argc > 3 ? atoi(argv[3]) : 0;
  if (!strcmp(what, "whole")) return whole();
  if (!strcmp(what, "threads")) return threads(count, each);
  if (!strcmp(what, "fork")) return forks();
  if (!strcmp(what, "ranges")) return ranges();
  if (!strcmp(what, "signals")) return signals();
  if (!strcmp(what, "next")) return getppid() > 0 ? 0 : 1; /* next.c's */
  if (!strcmp(what, "default")) return dlsym(RTLD_DEFAULT, "cuInit") ? 0 : 1;
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
