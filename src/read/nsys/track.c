/* Tracks of an export: threads, processes, streams and devices by their numbers. See nsys.h.
 *
 * Every row asks for its track, nearly always for one that was asked for just before: a small table
 * answers those, a hash table the others. */
#include "read/nsys/nsys.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- tracks ---- */

typedef enum { KEY_THREAD, KEY_PROCESS, KEY_STREAM, KEY_DEVICE, KEY_GPU } key_kind;

enum { HEADING = 256 };

static const char *map_text(const tdm_nsys *nsys, const tdm_id_map *map, int64_t key) {
  uint32_t name = tdm_id_map_get(map, (uint64_t)key);
  if (name == TDM_ID_NONE) return NULL;
  const char *text = tdm_recorder_name(nsys->recorder, name, NULL);
  return text != NULL && text[0] != 0 ? text : NULL;
}

/* "python (4312)": the program without its folder. */
static void process_heading(const tdm_nsys *nsys, int64_t pid, char heading[HEADING]) {
  if (pid == TDM_NONE) {
    snprintf(heading, HEADING, "host");
    return;
  }
  const char *name = map_text(nsys, &nsys->processes, pid);
  if (name != NULL) {
    const char *slash = strrchr(name, '/');
    if (slash != NULL && slash[1] != 0) name = slash + 1;
  }
  snprintf(heading, HEADING, "%.200s (%lld)", name != NULL ? name : "process", (long long)pid);
}

static void gpu_heading(const tdm_nsys *nsys, int64_t gpu, char heading[HEADING]) {
  const char *name = map_text(nsys, &nsys->gpus, gpu);
  if (gpu == TDM_NONE)
    snprintf(heading, HEADING, "GPU");
  else
    snprintf(heading, HEADING, "%.200s #%lld", name != NULL ? name : "GPU", (long long)gpu);
}

/* The card behind a process's CUDA device: processes may see the cards in different orders. */
static int64_t gpu_of(const tdm_nsys *nsys, int64_t pid, int64_t device) {
  uint32_t gpu = tdm_id_map_find(&nsys->devices, (uint64_t)device, (uint64_t)pid);
  return gpu != TDM_ID_NONE ? gpu : device;
}

/* Its texts lie in `heading` and `name`. */
static tdm_track described(const tdm_nsys *nsys, const int64_t key[4], key_kind kind,
                           char heading[HEADING], char name[HEADING]) {
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = heading;
  track.name = name;
  switch (kind) {
  case KEY_THREAD: {
    track.kind = TDM_TRACK_THREAD;
    track.lane = TDM_LANE_CPU;
    track.pid = tdm_nsys_pid(key[1]);
    track.tid = tdm_nsys_tid(key[1]);
    const char *text = map_text(nsys, &nsys->threads, key[1]);
    process_heading(nsys, track.pid, heading);
    if (track.tid == TDM_NONE)
      snprintf(name, HEADING, "threads");
    else
      snprintf(name, HEADING, "thread %lld%s%.200s", (long long)track.tid, text != NULL ? " " : "",
               text != NULL ? text : "");
    break;
  }
  case KEY_PROCESS:
    track.kind = TDM_TRACK_PROCESS;
    track.lane = TDM_LANE_CPU;
    track.pid = key[1];
    process_heading(nsys, track.pid, heading);
    snprintf(name, HEADING, "process");
    break;
  case KEY_STREAM:
    track.kind = TDM_TRACK_STREAM;
    track.lane = TDM_LANE_GPU;
    track.pid = tdm_nsys_pid(key[0]);
    track.device = gpu_of(nsys, track.pid, key[1]);
    track.context = key[2];
    track.stream = key[3];
    gpu_heading(nsys, track.device, heading);
    snprintf(name, HEADING, "stream %lld", (long long)track.stream);
    break;
  case KEY_DEVICE:
  case KEY_GPU:
    track.kind = TDM_TRACK_DEVICE;
    track.lane = TDM_LANE_GPU;
    track.pid = tdm_nsys_pid(key[0]);
    track.device = kind == KEY_GPU ? key[1] : gpu_of(nsys, track.pid, key[1]);
    gpu_heading(nsys, track.device, heading);
    snprintf(name, HEADING, "GPU");
    break;
  }
  return track;
}

/* What runs on a stream tells the device of its context, the first time it is met. */
static void learn_context(tdm_nsys *nsys, const int64_t key[4]) {
  if (key[1] < 0 || key[1] >= UINT32_MAX - 1 || key[2] == TDM_NONE) return;
  uint32_t *device =
      tdm_id_map_at(&nsys->contexts, (uint64_t)key[2], (uint64_t)tdm_nsys_pid(key[0]));
  if (device == NULL) return;
  uint32_t its = (uint32_t)key[1] + 1;
  *device = *device == TDM_ID_NONE || *device == its ? its : 0;
}

static uint32_t make_track(tdm_nsys *nsys, const int64_t key[4], key_kind kind) {
  char heading[HEADING], name[HEADING];
  tdm_track track = described(nsys, key, kind, heading, name);
  return tdm_record_track(nsys->recorder, &track);
}

static uint32_t track_of(tdm_nsys *nsys, key_kind kind, int64_t a, int64_t b, int64_t c,
                         int64_t d) {
  uint64_t hash = (uint64_t)a * 0x9e3779b97f4a7c15u ^ (uint64_t)b * 0xc2b2ae3d27d4eb4fu ^
                  (uint64_t)c * 0x165667b19e3779f9u ^
                  ((uint64_t)d * 8 + kind) * 0x27d4eb2f165667c5u;
  tdm_nsys_track_memo *memo = &nsys->memo[hash >> 58];
  if (memo->used && memo->key[0] == a && memo->key[1] == b && memo->key[2] == c &&
      memo->key[3] == d && memo->kind == (int)kind)
    return memo->track;
  int64_t key[5] = {a, b, c, d, (int64_t)kind};
  int fresh;
  uint32_t id = tdm_intern_put(&nsys->track_keys, key, sizeof key, &fresh);
  if (id == TDM_INTERN_FAILED ||
      !tdm_array_grow(&nsys->tracks, &nsys->track_room, (size_t)id + 1, sizeof *nsys->tracks))
    return make_track(nsys, key, kind);
  if (fresh) nsys->tracks[id] = make_track(nsys, key, kind);
  *memo = (tdm_nsys_track_memo){
      .key = {a, b, c, d}, .kind = (int)kind, .track = nsys->tracks[id], .used = true};
  return memo->track;
}

uint32_t tdm_nsys_thread_track(tdm_nsys *nsys, int64_t global_tid) {
  return track_of(nsys, KEY_THREAD, 0, global_tid, 0, 0);
}

void tdm_nsys_thread_name(tdm_nsys *nsys, int64_t global_tid, uint32_t called) {
  int64_t key[5] = {0, global_tid, 0, 0, KEY_THREAD};
  if (!tdm_id_map_put(&nsys->threads, (uint64_t)global_tid, called)) return;
  uint32_t id = tdm_intern_find(&nsys->track_keys, key, sizeof key);
  if (id == TDM_INTERN_FAILED || id >= nsys->track_room) return;
  char heading[HEADING], name[HEADING];
  tdm_track track = described(nsys, key, KEY_THREAD, heading, name);
  tdm_record_track_rename(nsys->recorder, nsys->tracks[id], &track);
}

uint32_t tdm_nsys_process_track(tdm_nsys *nsys, int64_t global_pid) {
  return track_of(nsys, KEY_PROCESS, 0, tdm_nsys_pid(global_pid), 0, 0);
}

uint32_t tdm_nsys_device_track(tdm_nsys *nsys, int64_t global_pid, int64_t device) {
  return track_of(nsys, KEY_DEVICE, global_pid, device, 0, 0);
}

uint32_t tdm_nsys_gpu_track(tdm_nsys *nsys, int64_t gpu) {
  return track_of(nsys, KEY_GPU, TDM_NONE, gpu, 0, 0);
}

static uint32_t stream_track(tdm_nsys *nsys, int64_t global_pid, int64_t device, int64_t context,
                             int64_t stream) {
  /* What waits for a whole context bears stream -1, in 32 bits or more. */
  if (stream == TDM_NONE || stream < 0 || stream == UINT32_MAX)
    return tdm_nsys_device_track(nsys, global_pid, device);
  return track_of(nsys, KEY_STREAM, global_pid, device, context, stream);
}

uint32_t tdm_nsys_stream_track(tdm_nsys *nsys, int64_t global_pid, int64_t device, int64_t context,
                               int64_t stream) {
  size_t tracks = nsys->track_keys.count;
  uint32_t track = stream_track(nsys, global_pid, device, context, stream);
  const int64_t key[4] = {global_pid, device, context, stream};
  if (nsys->track_keys.count != tracks) learn_context(nsys, key);
  return track;
}

uint32_t tdm_nsys_wait_track(tdm_nsys *nsys, int64_t global_pid, int64_t device, int64_t context,
                             int64_t stream) {
  uint32_t of_context =
      tdm_id_map_find(&nsys->contexts, (uint64_t)context, (uint64_t)tdm_nsys_pid(global_pid));
  if (of_context != TDM_ID_NONE && of_context != 0) device = (int64_t)of_context - 1;
  return stream_track(nsys, global_pid, device, context, stream);
}

uint32_t tdm_nsys_host_track(tdm_nsys *nsys, const char *name) {
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = "host";
  track.name = name;
  return tdm_record_track(nsys->recorder, &track);
}

void tdm_nsys_tracks_free(tdm_nsys *nsys) {
  tdm_id_map_free(&nsys->processes);
  tdm_id_map_free(&nsys->threads);
  tdm_id_map_free(&nsys->gpus);
  tdm_id_map_free(&nsys->devices);
  tdm_id_map_free(&nsys->contexts);
  tdm_intern_clear(&nsys->track_keys);
  free(nsys->tracks);
}
