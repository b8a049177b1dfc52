/* Tracks as Nsight Systems' numbers: vm << 48 | pid << 24 | tid. Numbers that do not fit 24 bits,
 * and processes that two sources both have, get one that is free. See nsys_out.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "write/id_table.h"
#include "write/nsys_out.h"

#define VM        (INT64_C(1) << 48)
#define BITS_24   0xffffff
#define FREE_FROM 0xf00000 /* above what systems give out */

typedef struct {
  uint32_t source;
  int64_t pid; /* as recorded; TDM_NONE: of tracks that do not say */
  int64_t given;
} process;

typedef struct {
  tdm_to_nsys_places *places;
  process *processes;
  size_t count, room;
  int64_t next_pid, next_tid;
  tdm_id_table tids; /* by (tid, process): what it was given, + 1 */
} numbering;

static bool is_thread(const tdm_place *place) {
  return place->kind == TDM_TRACK_THREAD;
}

/* The process that a source's threads belong to: where a GPU's track does not say its own, or says
 * one that has no threads. TDM_NONE: the source has no thread that says. */
static int64_t main_pid(const tdm_recording *recording, uint32_t source) {
  for (uint32_t t = 0; t < tdm_recording_tracks(recording); t++) {
    const tdm_place *place = tdm_recording_track(recording, t);
    if (place != NULL && place->source == source && is_thread(place) && place->pid != TDM_NONE)
      return place->pid;
  }
  return TDM_NONE;
}

static bool has_threads(const tdm_recording *recording, uint32_t source, int64_t pid) {
  for (uint32_t t = 0; t < tdm_recording_tracks(recording); t++) {
    const tdm_place *place = tdm_recording_track(recording, t);
    if (place != NULL && place->source == source && place->pid == pid && is_thread(place))
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
static const process *process_of(numbering *n, const tdm_place *place) {
  const tdm_recording *recording = n->places->recording;
  int64_t pid = place->pid;
  bool gpu = place->kind == TDM_TRACK_STREAM || place->kind == TDM_TRACK_DEVICE;
  if (pid == TDM_NONE || (gpu && !has_threads(recording, place->source, pid))) {
    int64_t other = main_pid(recording, place->source);
    if (other != TDM_NONE) pid = other;
  }
  for (size_t i = 0; i < n->count; i++)
    if (n->processes[i].source == place->source && n->processes[i].pid == pid)
      return &n->processes[i];
  if (!tdm_array_grow(&n->processes, &n->room, n->count + 1, sizeof *n->processes)) return NULL;
  int64_t given = pid;
  if (pid == TDM_NONE || pid < 0 || pid >= FREE_FROM || is_taken(n, pid)) given = n->next_pid++;
  n->processes[n->count] = (process){place->source, pid, given & BITS_24};
  return &n->processes[n->count++];
}

/* -1: out of memory. */
static int64_t tid_of(numbering *n, const tdm_place *place, const process *of) {
  if (place->tid >= 0 && place->tid < FREE_FROM) return place->tid;
  if (place->tid == TDM_NONE) return is_thread(place) ? n->next_tid++ & BITS_24 : 0;
  tdm_id_slot *slot = tdm_id_table_put(&n->tids, place->tid, (uint32_t)of->given);
  if (slot == NULL) return -1;
  if (slot->value == 0) slot->value = (uint32_t)(n->next_tid++ & BITS_24) + 1;
  return slot->value - 1;
}

tdm_status tdm_to_nsys_places_open(tdm_to_nsys_places *places, const tdm_recording *recording,
                                   tdm_error *error) {
  uint32_t tracks = tdm_recording_tracks(recording);
  numbering n = {.places = places, .next_pid = FREE_FROM, .next_tid = FREE_FROM};
  *places = (tdm_to_nsys_places){.recording = recording, .tracks = tracks};
  places->place = tdm_array_new(tracks, sizeof *places->place);
  bool fits = places->place != NULL;
  for (uint32_t t = 0; fits && t < tracks; t++) {
    const tdm_place *place = tdm_recording_track(recording, t);
    if (place == NULL) continue;
    const process *of = process_of(&n, place);
    int64_t tid = of != NULL ? tid_of(&n, place, of) : -1;
    fits = tid >= 0;
    if (!fits) break;
    const tdm_source *source = tdm_recording_source(recording, place->source);
    places->place[t] = (tdm_to_nsys_place){.global_pid = VM | of->given << 24,
                                           .global_tid = VM | of->given << 24 | tid,
                                           .device = place->device,
                                           .context = place->context,
                                           .stream = place->stream,
                                           .offset_ns = source != NULL ? source->offset_ns : 0};
  }
  free(n.processes);
  free(n.tids.slots);
  if (fits) return TDM_OK;
  return tdm_error_memory(error, "the tracks of a trace", tracks * sizeof *places->place);
}

void tdm_to_nsys_places_close(tdm_to_nsys_places *places) {
  free(places->place);
}
