/* A program that looks whether there is a CUDA driver, where there is none, and why. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

int main(void) {
  if (dlsym(RTLD_DEFAULT, "cuInit") != NULL) return 1;
  const char *why = dlerror();
  if (why == NULL || strstr(why, "cuInit") == NULL) return 2;
  return dlsym(dlopen(NULL, RTLD_LAZY), "cuLaunchKernel") != NULL;
}
