/* Threads, streams and devices of a capture. See inside.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "read/capture/inside.h"

enum { HEADING = 256 };

static const char *text_of(const tdm_capture_reading *reading, const tdm_id_map *map,
                           uint64_t key) {
  uint32_t name = tdm_id_map_get(map, key);
  return name != TDM_ID_NONE ? tdm_recorder_name(reading->recorder, name, NULL) : NULL;
}

static void process_heading(const tdm_capture_reading *reading, uint32_t pid,
                            char heading[HEADING]) {
  const char *program = text_of(reading, &reading->programs, pid);
  snprintf(heading, HEADING, "%.200s (%u)", program != NULL ? program : "process", pid);
}

static void device_heading(const tdm_capture_reading *reading, int64_t device,
                           char heading[HEADING]) {
  const char *name = NULL;
  if (device < TDM_CAPTURE_DEVICES && reading->device_name[device] != 0)
    name = text_of(reading, &reading->names, reading->device_name[device]);
  snprintf(heading, HEADING, "%.200s #%lld", name != NULL ? name : "GPU", (long long)device);
}

tdm_capture_thread *tdm_capture_thread_of(tdm_capture_reading *reading, uint32_t pid,
                                          uint32_t tid) {
  uint32_t key[2] = {pid, tid};
  int fresh;
  uint32_t id = tdm_intern_put(&reading->thread_keys, key, sizeof key, &fresh);
  if (id == TDM_INTERN_FAILED || !tdm_array_grow(&reading->threads, &reading->thread_room,
                                                 (size_t)id + 1, sizeof *reading->threads)) {
    reading->failed = true;
    return NULL;
  }
  tdm_capture_thread *thread = &reading->threads[id];
  if (!fresh) return thread;
  char heading[HEADING], name[HEADING] = "process";
  process_heading(reading, pid, heading);
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = heading;
  track.name = name;
  track.kind = TDM_TRACK_PROCESS;
  track.lane = TDM_LANE_CPU;
  track.pid = pid;
  if (tid != 0) {
    track.kind = TDM_TRACK_THREAD;
    track.tid = tid;
    snprintf(name, sizeof name, "thread %u", tid);
  }
  *thread = (tdm_capture_thread){
      .track = tdm_record_track(reading->recorder, &track), .call_end_ns = TDM_NONE, .pid = pid};
  return thread;
}

static uint32_t make_track(const tdm_capture_reading *reading, uint32_t pid, int64_t device,
                           int64_t context, int64_t stream) {
  char heading[HEADING], name[HEADING] = "GPU";
  device_heading(reading, device, heading);
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = heading;
  track.name = name;
  track.kind = TDM_TRACK_DEVICE;
  track.lane = TDM_LANE_GPU;
  track.pid = pid;
  track.device = device;
  if (stream != TDM_NONE) {
    track.kind = TDM_TRACK_STREAM;
    track.context = context;
    track.stream = stream;
    snprintf(name, sizeof name, "stream %lld", (long long)stream);
  }
  return tdm_record_track(reading->recorder, &track);
}

static uint32_t track_of(tdm_capture_reading *reading, uint32_t pid, int64_t device,
                         int64_t context, int64_t stream) {
  int64_t key[4] = {pid, device, context, stream};
  int fresh;
  uint32_t id = tdm_intern_put(&reading->track_keys, key, sizeof key, &fresh);
  if (id == TDM_INTERN_FAILED || !tdm_array_grow(&reading->tracks, &reading->track_room,
                                                 (size_t)id + 1, sizeof *reading->tracks)) {
    reading->failed = true;
    return 0;
  }
  if (fresh) reading->tracks[id] = make_track(reading, pid, device, context, stream);
  return reading->tracks[id];
}

uint32_t tdm_capture_stream(tdm_capture_reading *reading, uint32_t pid, int64_t device,
                            int64_t context, int64_t stream) {
  /* -1 in 32 bits or more. */
  if (stream < 0 || stream == TDM_CAPTURE_NO_STREAM)
    return tdm_capture_device(reading, pid, device);
  return track_of(reading, pid, device, context, stream);
}

uint32_t tdm_capture_device(tdm_capture_reading *reading, uint32_t pid, int64_t device) {
  return track_of(reading, pid, device, TDM_NONE, TDM_NONE);
}

void tdm_capture_tracks_free(tdm_capture_reading *reading) {
  tdm_intern_clear(&reading->thread_keys);
  tdm_intern_clear(&reading->track_keys);
  free(reading->threads);
  free(reading->tracks);
}
