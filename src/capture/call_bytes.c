/* Bytes of calls. See driver.h. */
#include "capture/driver.h"

#include <stddef.h>

#include "capture/format.h"

/* One end of a copy of rows, as in the driver's CUDA_MEMCPY2D and, with `depth`, CUDA_MEMCPY3D. */
enum { HOST = 1, DEVICE, ARRAY, UNIFIED };
typedef struct {
  size_t x_bytes, y;
  int kind;
  const void *host;
  uint64_t device;
  void *array;
  size_t pitch;
} rows_end;
typedef struct {
  rows_end from, to;
  size_t width_bytes, height;
} rows_copy;
typedef struct {
  size_t x_bytes, y, z, level;
  int kind;
  const void *host;
  uint64_t device;
  void *array, *context; /* between devices: whose it is; else unused */
  size_t pitch, height;
} box_end;
typedef struct {
  box_end from, to;
  size_t width_bytes, height, depth;
} box_copy;

static uint8_t direction_of(int from, int to) {
  if (from == UNIFIED || to == UNIFIED) return TDM_CAPTURE_ANY;
  if (from == HOST) return to == HOST ? TDM_CAPTURE_H2H : TDM_CAPTURE_H2D;
  return to == HOST ? TDM_CAPTURE_D2H : TDM_CAPTURE_D2D;
}

static uint64_t batch_bytes(const size_t *sizes, size_t count) {
  uint64_t bytes = 0;
  for (size_t i = 0; sizes && i < count; i++) bytes += sizes[i];
  return bytes;
}

uint64_t tdm_call_bytes(const tdm_driver_call *call, const tdm_word *arguments,
                        uint8_t *direction) {
  uint64_t bytes = call->bytes ? arguments[call->bytes - 1] : 0;
  switch (call->does) {
  case COPY_2D: {
    const rows_copy *copy = (const rows_copy *)arguments[0];
    if (!copy) return 0;
    *direction = direction_of(copy->from.kind, copy->to.kind);
    return copy->width_bytes * copy->height;
  }
  case COPY_3D: {
    const box_copy *copy = (const box_copy *)arguments[0];
    if (!copy) return 0;
    *direction = direction_of(copy->from.kind, copy->to.kind);
    return copy->width_bytes * copy->height * copy->depth;
  }
  case COPY_BATCH:
    *direction = TDM_CAPTURE_ANY;
    return batch_bytes((const size_t *)arguments[2], arguments[3]);
  case COPY: *direction = call->how; return bytes;
  case FILL: return bytes * call->width;
  case FILL_2D: return bytes * arguments[call->bytes] * call->width;
  case ALLOCATE_PITCH: return arguments[1] ? *(const size_t *)arguments[1] * arguments[3] : 0;
  default: return bytes;
  }
}
