/* An inference server in small, linked to the CUDA driver: starts, loads weights, answers requests
 * (input, kernels, output), cleans up. tests/data/capture is a capture of it. Argument: how many
 * requests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_cuda.h"

enum { LAYERS = 4, LAYER_BYTES = 2 << 20, INPUT_BYTES = 16 << 10, OUTPUT_BYTES = 4 << 10 };

static void need(int result, const char *what) {
  if (result == 0) return;
  fprintf(stderr, "infer: %s: error %d\n", what, result);
  exit(1);
}

/* What the host does between two requests. */
static void prepare(void) {
  const struct timespec moment = {.tv_nsec = 400000};
  nanosleep(&moment, NULL);
}

int main(int argc, char **argv) {
  static const char *const names[] = {"attention_300us", "gemm_500us", "softmax_40us"};
  int requests = argc > 1 ? atoi(argv[1]) : 6;
  void *context = NULL, *module = NULL, *stream = NULL, *kernel[3];
  uint64_t layer[LAYERS], input, output;
  need(cuInit(0), "cuInit");
  need(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  need(cuModuleLoadData(&module, "code"), "cuModuleLoadData");
  for (int k = 0; k < 3; k++)
    need(cuModuleGetFunction(&kernel[k], module, names[k]), "cuModuleGetFunction");
  need(cuStreamCreate(&stream, 1), "cuStreamCreate");

  char *weights = malloc(LAYER_BYTES);
  if (weights == NULL) return 1;
  memset(weights, 1, LAYER_BYTES);
  for (int i = 0; i < LAYERS; i++) {
    need(cuMemAlloc_v2(&layer[i], LAYER_BYTES), "cuMemAlloc");
    need(cuMemcpyHtoD_v2(layer[i], weights, LAYER_BYTES), "cuMemcpyHtoD");
  }
  need(cuMemAlloc_v2(&input, INPUT_BYTES), "cuMemAlloc");
  need(cuMemAlloc_v2(&output, OUTPUT_BYTES), "cuMemAlloc");

  for (int r = 0; r < requests; r++) {
    prepare();
    need(cuMemcpyHtoDAsync_v2(input, weights, INPUT_BYTES, stream), "cuMemcpyHtoDAsync");
    for (int i = 0; i < LAYERS; i++)
      for (int k = 0; k < 3; k++)
        need(cuLaunchKernel(kernel[k], 64, 1, 1, 128, 1, 1, 0, stream, NULL, NULL),
             "cuLaunchKernel");
    need(cuMemcpyDtoHAsync_v2(weights, output, OUTPUT_BYTES, stream), "cuMemcpyDtoHAsync");
    need(cuStreamSynchronize(stream), "cuStreamSynchronize");
  }
  printf("%d requests answered\n", requests);

  for (int i = 0; i < LAYERS; i++) need(cuMemFree_v2(layer[i]), "cuMemFree");
  need(cuMemFree_v2(input), "cuMemFree");
  need(cuMemFree_v2(output), "cuMemFree");
  need(cuStreamDestroy_v2(stream), "cuStreamDestroy");
  need(cuDevicePrimaryCtxRelease_v2(0), "cuDevicePrimaryCtxRelease");
  free(weights);
  return 0;
}
