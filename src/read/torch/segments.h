/* What the caching allocator held at the moment of a memory snapshot: segments and their blocks.
 *
 * Reads the snapshot's "segments", keeps sums for each device (the snapshot's counters end at them)
 * and makes metrics of them: for each segment its sizes and its largest free block, for each device
 * these summed, with the bytes that are free but cannot be given back (fragmentation), and what is
 * alive by stack, as folded text. Called by read/torch_snapshot. */
#ifndef TDM_READ_TORCH_SEGMENTS_H
#define TDM_READ_TORCH_SEGMENTS_H

#include "read/json/json.h"
#include "read/torch/inside.h"
#include "trace/intern.h"
#include "trace/recorder.h"

enum { TDM_TORCH_DEVICES = 1024 };

/* Sums over a device, in bytes unless they say otherwise. */
typedef struct {
  int64_t reserved;            /* segments */
  int64_t allocated;           /* blocks in use */
  int64_t active;              /* those, and freed ones that streams still use */
  int64_t requested_allocated; /* of the allocated ones, what was asked for */
  int64_t requested_active;    /* of the active ones */
  int64_t largest_free;        /* block that is not active */
  int64_t stranded;            /* not active, in segments with something active in them */
  int64_t segments, blocks;    /* how many */
} tdm_torch_held;

/* Zeroed memory is empty. */
typedef struct {
  tdm_torch_held *devices;
  size_t device_count, device_room;
  tdm_torch_stack stack;
  tdm_torch_text text;
  tdm_intern stacks; /* of live blocks, folded */
  tdm_intern owners; /* device, stream, stack: as int64_t */
  int64_t *live;     /* their bytes, by owner */
  size_t live_room;
  int64_t *pending; /* stack, bytes: of the segment being read */
  size_t pending_count, pending_room;
  uint64_t segments; /* of all devices */
} tdm_torch_segments;

void tdm_torch_segments_free(tdm_torch_segments *held);

/* Behind the OBJECT of a segment, up to its end: its metrics, and its part of the sums. False: out
 * of memory. */
bool tdm_torch_segment_read(tdm_torch_segments *held, tdm_json *json, tdm_recorder *recorder);

/* Metrics of the devices and the artifacts of what is alive, once all segments are read. */
bool tdm_torch_segments_end(tdm_torch_segments *held, tdm_recorder *recorder);

#endif
