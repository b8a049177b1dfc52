/* Inside the reading of a capture file: what its files share.
 *
 * The file is walked twice, chunk by chunk: gather.c looks for what records need of others (names,
 * ends of ranges, sizes of allocations, devices), rows.c makes the rows. tracks.c has the tracks
 * that they lie on, walk.c the chunks. Included by those and by capture.c only. */
#ifndef TDM_READ_CAPTURE_INSIDE_H
#define TDM_READ_CAPTURE_INSIDE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/id_map.h"
#include "capture/format.h"
#include "read/arg_list.h"
#include "read/reader.h"

/* Gaps between calls, to say what a call costs at most: buckets of 8 ns. */
enum { TDM_CAPTURE_GAPS = 4096, TDM_CAPTURE_GAP_NS = 8, TDM_CAPTURE_DEVICES = 256 };

typedef struct {
  uint32_t track;
  int64_t call_end_ns;       /* of its last call; TDM_NONE */
  tdm_capture_record launch; /* the last one */
  bool promised;             /* there is one, and no call had it yet */
  tdm_capture_record call;   /* the last one, until what follows it is known */
  bool held;                 /* there is one */
  uint32_t pid;
} tdm_capture_thread;

typedef struct {
  tdm_recorder *recorder;
  const tdm_read_options *options;
  FILE *file;
  tdm_capture_header header;
  uint64_t chunks; /* that the file has, whole or cut */
  uint64_t walked; /* by both walks */
  bool failed;     /* out of memory */

  /* Gathered: */
  tdm_id_map names;                          /* numbers of the file → name ids */
  tdm_id_map programs;                       /* pid → name id */
  uint64_t device_name[TDM_CAPTURE_DEVICES]; /* numbers of the file; 0: not told */
  tdm_id_map ranges;    /* what range_key makes of one → whether it has ended */
  tdm_id_map allocated; /* pid and correlation → index of `bytes` */
  tdm_id_map devices;   /* pid and context → the device that it is of */
  int64_t *bytes;
  size_t bytes_count, bytes_room;
  int64_t last_ns; /* TDM_NONE: no record has a time */

  /* Made: */
  tdm_arg_layouts layouts;
  tdm_intern thread_keys, track_keys;
  tdm_capture_thread *threads; /* [thread_keys.count] */
  uint32_t *tracks;            /* [track_keys.count] */
  size_t thread_room, track_room;
  uint64_t records, calls, messages, estimated;
  uint64_t gaps[TDM_CAPTURE_GAPS];
} tdm_capture_reading;

/* What stands over a record. */
typedef struct {
  uint32_t pid, tid;
  char program[32];
} tdm_capture_owner;

/* A slot that begins a record; names take `slots` of them. */
typedef void (*tdm_capture_each)(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                                 const tdm_capture_record *record, size_t slots);

/* ---- walk.c ---- */

/* Calls `each` with every record. `tell`: count what is wrong with chunks as problems. */
tdm_status tdm_capture_walk(tdm_capture_reading *reading, tdm_capture_each each, bool tell,
                            tdm_error *error);
/* Whether the times of a record can be of this capture. */
bool tdm_capture_timely(const tdm_capture_reading *reading, const tdm_capture_record *record);

/* ---- gather.c ---- */

void tdm_capture_gather(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                        const tdm_capture_record *record, size_t slots);
/* The name id of a name of the file; of 0, and of one that is not there, that of `otherwise`. */
uint32_t tdm_capture_name_of(tdm_capture_reading *reading, uint64_t id, const char *otherwise);
bool tdm_capture_ended(const tdm_capture_reading *reading, const tdm_capture_owner *owner,
                       const tdm_capture_record *record);
/* Of a record: its own, or that of its context's work; 0: nothing tells. */
int64_t tdm_capture_device_of(const tdm_capture_reading *reading, const tdm_capture_owner *owner,
                              const tdm_capture_record *record);
/* Bytes that the call allocated; 0: it does not say. */
int64_t tdm_capture_allocated(const tdm_capture_reading *reading, uint32_t pid,
                              uint32_t correlation);

/* ---- tracks.c ---- */

/* NULL: out of memory. */
tdm_capture_thread *tdm_capture_thread_of(tdm_capture_reading *reading, uint32_t pid, uint32_t tid);
uint32_t tdm_capture_stream(tdm_capture_reading *reading, uint32_t pid, int64_t device,
                            int64_t context, int64_t stream);
uint32_t tdm_capture_device(tdm_capture_reading *reading, uint32_t pid, int64_t device);
void tdm_capture_tracks_free(tdm_capture_reading *reading);

/* ---- rows.c ---- */

void tdm_capture_make(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                      const tdm_capture_record *record, size_t slots);
/* What waited for more: last calls, launches that no call had. */
void tdm_capture_make_rest(tdm_capture_reading *reading);

#endif
