/* A library that wraps a function of the C library, as tools in programs do, by RTLD_NEXT: it must
 * get the one after its own, whoever else stands in between. Also what $CUDA_INJECTION64_PATH may
 * name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int InitializeInjection(void) {
  return puts("injected");
}

pid_t getppid(void) {
  pid_t (*real)(void) = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "getppid");
  return real && real != getppid ? real() : -1;
}
