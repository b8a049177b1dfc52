/* What the readers of rocprofv3's files share: what it traces, turned into records.
 *
 * JSON and CSV tell the same things with more or less of them; what one does not tell is TDM_NONE.
 * Grids of AMD count work-items, records count blocks. Owns nothing. Called by the two readers of
 * this room. */
#ifndef TDM_READ_ROCPROF_INSIDE_H
#define TDM_READ_ROCPROF_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/reader.h"
#include "trace/intern.h"

/* What was allocated, which frees do not say. */
struct tdm_rocprof_block {
  uint32_t track;
  int64_t bytes;
};

typedef struct {
  tdm_recorder *recorder;
  uint64_t dropped; /* TDM_READ_NO_… */
  uint64_t records;
  uint32_t kernels, copies, allocations; /* layouts */
  tdm_intern addresses;                  /* that were allocated */
  struct tdm_rocprof_block *blocks;      /* by address */
  size_t block_room;
} tdm_rocprof;

void tdm_rocprof_open(tdm_rocprof *rocprof, tdm_recorder *recorder,
                      const tdm_read_options *options);

void tdm_rocprof_close(tdm_rocprof *rocprof);

/* The GPU and where on it; `gpu`: its heading, "AMD Instinct MI350X #0". */
typedef struct {
  const char *gpu;
  int64_t pid, device, stream; /* no stream: the queue */
  int64_t queue;
} tdm_rocprof_place;

typedef struct {
  int64_t start_ns, end_ns, correlation;
} tdm_rocprof_time;

typedef struct {
  tdm_rocprof_place place;
  tdm_rocprof_time time;
  const char *name;
  size_t name_length;
  int64_t dispatch, kernel;
  int64_t grid[3], block[3]; /* in work-items */
  int64_t shared_bytes, scratch_bytes, vgpr, sgpr;
} tdm_rocprof_dispatch;

void tdm_rocprof_kernel(tdm_rocprof *rocprof, const tdm_rocprof_dispatch *dispatch);

/* `direction`: "MEMORY_COPY_HOST_TO_DEVICE". */
void tdm_rocprof_copy(tdm_rocprof *rocprof, const tdm_rocprof_place *place,
                      const tdm_rocprof_time *time, const char *direction, int64_t bytes);

/* "MEMORY_ALLOCATION_ALLOCATE", "…_FREE"; of the host's memory `place` has no GPU's device and
 * `host` is true. `known`: it says where it is; else it is where the address was allocated. */
typedef struct {
  tdm_rocprof_place place;
  tdm_rocprof_time time;
  const char *operation;
  int64_t address, bytes;
  bool host, known;
} tdm_rocprof_allocation;

void tdm_rocprof_allocate(tdm_rocprof *rocprof, const tdm_rocprof_allocation *allocation);

/* A call or a marker of a thread; `domain`: "HIP_RUNTIME_API", "HSA_CORE_API", "MARKER_CORE_API".
 */
void tdm_rocprof_call(tdm_rocprof *rocprof, const char *domain, const char *name, int64_t pid,
                      int64_t tid, const tdm_rocprof_time *time);

/* Of its CSV files: which are of one process. */
tdm_family tdm_rocprof_family(const unsigned char *head, size_t length, const char *path);

#endif
