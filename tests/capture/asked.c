/* A program as the CUDA runtime makes them: opens the driver, asks it for cuGetProcAddress, and
 * that for everything else. Arguments: the CUDA version that it asks for, "per-thread" for the
 * variants of the thread's own default stream. Launches 30 kernels, copies 3 times. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;
static int version;
static uint64_t flags = 1;

static void *call(const char *name) {
  void *given = NULL;
  int status = 0;
  int (*newer)(const char *, void **, int, uint64_t, int *) = NULL;
  int (*older)(const char *, void **, int, uint64_t) = NULL;
  if (version >= 12000) {
    *(void **)&newer = dlsym(library, "cuGetProcAddress_v2");
    if (!newer || newer("cuGetProcAddress", (void **)&newer, version, flags, &status)) exit(2);
  } else {
    *(void **)&older = dlsym(library, "cuGetProcAddress");
  }
  if (newer ? newer(name, &given, version, flags, &status) : older(name, &given, version, flags)) {
    fprintf(stderr, "no %s\n", name);
    exit(3);
  }
  return given;
}
#define CALL(name, ...) ((int (*)(__VA_ARGS__))call(name))

int main(int argc, char **argv) {
  version = argc > 1 ? atoi(argv[1]) : 0;
  if (argc > 2 && !strcmp(argv[2], "per-thread")) flags = 2;
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library || dlsym(library, "cuNever")) return 1;
  void *context = NULL, *code = NULL, *kernel = NULL, *function = NULL;
  uint64_t device = 0;
  static char host[1000];
  if (CALL("cuInit", unsigned)(0) || CALL("cuDevicePrimaryCtxRetain", void **, int)(&context, 0) ||
      CALL("cuCtxSetCurrent", void *)(context) ||
      CALL("cuLibraryLoadData", void **, const void *, void *, void *, unsigned, void *, void *,
           unsigned)(&code, "code", NULL, NULL, 0, NULL, NULL, 0) ||
      CALL("cuLibraryGetKernel", void **, void *, const char *)(&kernel, code, "_Z7gemm_20Pfi") ||
      CALL("cuKernelGetFunction", void **, void *)(&function, kernel) ||
      CALL("cuMemAlloc", uint64_t *, size_t)(&device, sizeof host))
    return 4;
  for (int i = 0; i < 3; i++)
    if (CALL("cuMemcpyHtoDAsync", uint64_t, const void *, size_t, void *)(device, host, sizeof host,
                                                                          NULL))
      return 5;
  for (int i = 0; i < 30; i++)
    if (CALL("cuLaunchKernel", void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
             unsigned, void *, void **, void **)(function, 1, 2, 3, 32, 2, 1, 0, NULL, NULL, NULL))
      return 6;
  return CALL("cuStreamSynchronize", void *)(NULL);
}
