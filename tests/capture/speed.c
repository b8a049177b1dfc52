/* Calls of a driver that does nothing, in numbers: speed WHAT CALLS THREADS, each thread that many.
 * WHAT: "call" (nothing but an answer), "launch" (of a kernel that does nothing). Prints the
 * calls of a thread, the wall time and the processor time of a thread's calls. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_cuda.h"

static void *context, *function, *stream;
static long calls;
static int launches;
static pthread_barrier_t together;

static double now_s(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *thread(void *unused) {
  int version;
  cuCtxSetCurrent(context);
  pthread_barrier_wait(&together);
  for (long i = 0; i < calls; i++) {
    if (launches)
      cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL);
    else
      cuDriverGetVersion(&version);
  }
  return unused;
}

int main(int argc, char **argv) {
  int threads = argc > 3 ? atoi(argv[3]) : 0;
  pthread_t of[64];
  void *module = NULL;
  if (threads < 1 || threads > 64 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
      cuCtxSetCurrent(context) || cuModuleLoadData(&module, "code") ||
      cuModuleGetFunction(&function, module, "nothing") || cuStreamCreate(&stream, 1))
    return 1;
  launches = !strcmp(argv[1], "launch");
  calls = atol(argv[2]);
  pthread_barrier_init(&together, NULL, (unsigned)threads + 1);
  for (int i = 0; i < threads; i++) pthread_create(&of[i], NULL, thread, NULL);
  double cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
  pthread_barrier_wait(&together);
  double wall_s = now_s(CLOCK_MONOTONIC);
  for (int i = 0; i < threads; i++) pthread_join(of[i], NULL);
  wall_s = now_s(CLOCK_MONOTONIC) - wall_s;
  cpu_s = (now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s) / threads;
  printf("amount=%ld seconds=%.9f cpu=%.9f\n", calls, wall_s, cpu_s);
  return 0;
}
