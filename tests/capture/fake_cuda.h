/* The calls of fake_cuda.c, for programs that are traced in tests. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  unsigned grid[3], block[3], shared;
  void *on, *attributes;
  unsigned attribute_count;
} launch_config;
typedef struct {
  size_t x, y;
  int kind;
  uint64_t host, device;
  void *array;
  size_t pitch;
} rows_end;
typedef struct {
  rows_end from, to;
  size_t width, height;
} rows_copy;

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxReset_v2(int device);
int cuDevicePrimaryCtxRelease(int device);
int cuDevicePrimaryCtxReset(int device);
int cuCtxDestroy(void *context);
int cuCtxDetach(void *context);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **parameters, void **extra);
int cuLaunchKernelEx(const launch_config *config, void *function, void **parameters, void **extra);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuGraphInstantiateWithFlags(void **made, void *graph, uint64_t flags);
int cuGraphLaunch(void *graph, void *stream);
int cuGraphExecDestroy(void *graph);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);
int cuMemcpy2D_v2(const rows_copy *copy);
int cuMemsetD32Async(uint64_t at, unsigned value, size_t count, void *stream);
int cuMemAlloc_v2(uint64_t *at, size_t bytes);
int cuMemFree_v2(uint64_t at);
int cuMemHostAlloc(void **at, size_t bytes, unsigned flags);
int cuMemFreeHost(void *at);
int cuMemAllocPitch_v2(uint64_t *at, size_t *pitch, size_t width, size_t height, unsigned element);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamQuery(void *stream);
int cuStreamSynchronize(void *stream);
int cuProfilerStart(void);
int cuProfilerStop(void);

/* None of CUDA's calls: the streams and events that there are. */
void fake_cuda_count(int *streams, int *events);

#endif
