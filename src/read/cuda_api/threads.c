/* Processes and threads of a CUDA-API trace: their tracks, and the calls that are open on them; see
 * calls.h. */
#include "read/cuda_api/calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void tdm_api_threads_clear(tdm_api_threads *threads) {
  for (size_t i = 0; i < threads->ids.count && i < threads->room; i++) free(threads->threads[i]);
  tdm_intern_clear(&threads->ids);
  tdm_intern_clear(&threads->processes);
  free(threads->threads);
  free(threads->process_names);
  *threads = (tdm_api_threads){0};
}

/* The name that a process had first: it changes while a program starts. */
static const char *name_process(tdm_api_threads *threads, const tdm_api_record *record, bool *ok) {
  int fresh;
  uint32_t id = tdm_intern_put(&threads->processes, &record->pid, sizeof record->pid, &fresh);
  *ok = id != TDM_INTERN_FAILED && tdm_array_grow(&threads->process_names, &threads->process_room,
                                                  (size_t)id + 1, sizeof *threads->process_names);
  if (!*ok) return NULL;
  if (fresh) threads->process_names[id] = record->process;
  return threads->process_names[id];
}

static tdm_track track_of(const tdm_api_thread *thread) {
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = thread->heading;
  track.lane = TDM_LANE_CPU;
  track.pid = thread->pid;
  track.kind = TDM_TRACK_PROCESS;
  track.name = "process";
  return track;
}

uint32_t tdm_api_thread_process(const tdm_api_thread *thread, tdm_recorder *recorder) {
  tdm_track track = track_of(thread);
  return tdm_record_track(recorder, &track);
}

static void make_track(tdm_recorder *recorder, tdm_api_thread *thread, const char *process) {
  char name[64] = "calls of all threads";
  if (process == NULL || process[0] == 0) process = "process";
  if (thread->pid == TDM_NONE)
    snprintf(thread->heading, sizeof thread->heading, "%.64s", process);
  else
    snprintf(thread->heading, sizeof thread->heading, "%.64s (%" PRId64 ")", process, thread->pid);
  tdm_track track = track_of(thread);
  if (thread->tid != TDM_NONE) {
    track.kind = TDM_TRACK_THREAD;
    snprintf(name, sizeof name, "thread %" PRId64, thread->tid);
  }
  track.name = name;
  track.tid = thread->tid;
  thread->track = tdm_record_track(recorder, &track);
}

uint32_t tdm_api_threads_find(tdm_api_threads *threads, tdm_recorder *recorder,
                              const tdm_api_record *record) {
  if (threads->ids.count > 0) {
    const tdm_api_thread *latest = threads->threads[threads->latest];
    if (latest->pid == record->pid && latest->tid == record->tid) return threads->latest;
  }
  int64_t key[2] = {record->pid, record->tid};
  uint32_t id = tdm_intern_find(&threads->ids, key, sizeof key);
  if (id == TDM_INTERN_FAILED) {
    bool ok;
    const char *process = name_process(threads, record, &ok);
    tdm_api_thread *thread = ok ? tdm_array_new(1, sizeof *thread) : NULL;
    if (thread == NULL || !tdm_array_grow(&threads->threads, &threads->room, threads->ids.count + 1,
                                          sizeof *threads->threads)) {
      free(thread);
      return UINT32_MAX;
    }
    id = tdm_intern_put(&threads->ids, key, sizeof key, NULL);
    if (id == TDM_INTERN_FAILED) {
      free(thread);
      return UINT32_MAX;
    }
    threads->threads[id] = thread;
    thread->pid = record->pid;
    thread->tid = record->tid;
    thread->newest = TDM_API_NO_CALL;
    make_track(recorder, thread, process);
  }
  threads->latest = id;
  return id;
}
