/* Tracks as Nsight Systems' numbers: vm << 48 | pid << 24 | tid. Numbers that do not fit 24 bits,
 * and processes that two sources both have, get one that is free. See inside.h. */
#include <stdlib.h>

#include "base/id_map.h"
#include "base/memory.h"
#include "write/nsys/inside.h"

#define VM        (INT64_C(1) << 48)
#define BITS_24   0xffffff
#define FREE_FROM 0xf00000 /* above what systems give out */

typedef struct {
  uint32_t source;
  int64_t pid; /* as recorded; TDM_NONE: of tracks that do not say */
  int64_t given;
} process;

typedef struct {
  tdm_to_nsys_tracks *tracks;
  process *processes;
  size_t count, room;
  int64_t next_pid, next_tid;
  tdm_id_map tids; /* by tid and process: what it was given */
} numbering;

static bool is_thread(const tdm_track *track) {
  return track->kind == TDM_TRACK_THREAD;
}

/* The process that a source's threads belong to: where a GPU's track does not say its own, or says
 * one that has no threads. TDM_NONE: the source has no thread that says. */
static int64_t main_pid(const tdm_recording *recording, uint32_t source) {
  for (uint32_t t = 0; t < tdm_recording_tracks(recording); t++) {
    const tdm_track *track = tdm_recording_track(recording, t);
    if (track != NULL && track->source == source && is_thread(track) && track->pid != TDM_NONE)
      return track->pid;
  }
  return TDM_NONE;
}

static bool has_threads(const tdm_recording *recording, uint32_t source, int64_t pid) {
  for (uint32_t t = 0; t < tdm_recording_tracks(recording); t++) {
    const tdm_track *track = tdm_recording_track(recording, t);
    if (track != NULL && track->source == source && track->pid == pid && is_thread(track))
      return true;
  }
  return false;
}

static bool is_taken(const numbering *n, int64_t given) {
  for (size_t i = 0; i < n->count; i++)
    if (n->processes[i].given == given) return true;
  return false;
}

/* NULL: out of memory. */
static const process *process_of(numbering *n, const tdm_track *track) {
  const tdm_recording *recording = n->tracks->recording;
  int64_t pid = track->pid;
  bool gpu = track->kind == TDM_TRACK_STREAM || track->kind == TDM_TRACK_DEVICE;
  if (pid == TDM_NONE || (gpu && !has_threads(recording, track->source, pid))) {
    int64_t other = main_pid(recording, track->source);
    if (other != TDM_NONE) pid = other;
  }
  for (size_t i = 0; i < n->count; i++)
    if (n->processes[i].source == track->source && n->processes[i].pid == pid)
      return &n->processes[i];
  if (!tdm_array_grow(&n->processes, &n->room, n->count + 1, sizeof *n->processes)) return NULL;
  int64_t given = pid;
  if (pid == TDM_NONE || pid < 0 || pid >= FREE_FROM || is_taken(n, pid)) given = n->next_pid++;
  n->processes[n->count] = (process){track->source, pid, given & BITS_24};
  return &n->processes[n->count++];
}

/* -1: out of memory. */
static int64_t tid_of(numbering *n, const tdm_track *track, const process *of) {
  if (track->tid >= 0 && track->tid < FREE_FROM) return track->tid;
  if (track->tid == TDM_NONE) return is_thread(track) ? n->next_tid++ & BITS_24 : 0;
  uint32_t *given = tdm_id_map_at(&n->tids, (uint64_t)track->tid, (uint64_t)of->given);
  if (given == NULL) return -1;
  if (*given == TDM_ID_NONE) *given = (uint32_t)(n->next_tid++ & BITS_24);
  return *given;
}

tdm_status tdm_to_nsys_tracks_open(tdm_to_nsys_tracks *tracks, const tdm_recording *recording,
                                   tdm_error *error) {
  uint32_t count = tdm_recording_tracks(recording);
  numbering n = {.tracks = tracks, .next_pid = FREE_FROM, .next_tid = FREE_FROM};
  *tracks = (tdm_to_nsys_tracks){.recording = recording, .count = count};
  tracks->track = tdm_array_new(count, sizeof *tracks->track);
  bool fits = tracks->track != NULL;
  for (uint32_t t = 0; fits && t < count; t++) {
    const tdm_track *track = tdm_recording_track(recording, t);
    if (track == NULL) continue;
    const process *of = process_of(&n, track);
    int64_t tid = of != NULL ? tid_of(&n, track, of) : -1;
    fits = tid >= 0;
    if (!fits) break;
    const tdm_source *source = tdm_recording_source(recording, track->source);
    tracks->track[t] = (tdm_to_nsys_track){.global_pid = VM | of->given << 24,
                                           .global_tid = VM | of->given << 24 | tid,
                                           .device = track->device,
                                           .context = track->context,
                                           .stream = track->stream,
                                           .offset_ns = source != NULL ? source->offset_ns : 0};
  }
  free(n.processes);
  tdm_id_map_free(&n.tids);
  if (fits) return TDM_OK;
  return tdm_error_memory(error, "the tracks of a trace", count * sizeof *tracks->track);
}

void tdm_to_nsys_tracks_close(tdm_to_nsys_tracks *tracks) {
  free(tracks->track);
}
