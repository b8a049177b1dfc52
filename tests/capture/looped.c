/* A program on the fake driver that runs before it is traced: prints its number, synchronizes until
 * there is the file that its argument names, then makes a hundred rounds of thirteen calls. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "fake_cuda.h"

int main(int count, char **words) {
  static char host[4096];
  void *context = NULL, *module = NULL, *function = NULL;
  uint64_t device = 0;
  if (count < 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuModuleLoadData(&module, "code") || cuModuleGetFunction(&function, module, "scale_20us"))
    return 2;
  printf("%d\n", (int)getpid());
  fflush(stdout);
  while (access(words[1], F_OK)) {
    cuStreamSynchronize(NULL);
    usleep(10000);
  }
  for (int i = 0; i < 100; i++) {
    cuMemAlloc_v2(&device, sizeof host);
    cuMemcpyHtoD_v2(device, host, sizeof host);
    for (int k = 0; k < 10; k++)
      cuLaunchKernel(function, 4, 3, 2, 256, 1, 1, 1024, NULL, NULL, NULL);
    cuStreamSynchronize(NULL);
    cuMemFree_v2(device);
  }
  sleep(1); /* until the tracer has seen the last of them */
  return 0;
}
