/* A program that looks whether there is a CUDA driver, where there is none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int main(void) {
  if (dlsym(RTLD_DEFAULT, "cuInit") != NULL) return 1;
  return dlsym(dlopen(NULL, RTLD_LAZY), "cuLaunchKernel") != NULL;
}
