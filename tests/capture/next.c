/* A library that wraps a function of the C library, as tools in programs do, by RTLD_NEXT: it must
 * get the one after its own, whoever else stands in between. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

pid_t getppid(void) {
  pid_t (*real)(void) = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "getppid");
  return real && real != getppid ? real() : -1;
}
