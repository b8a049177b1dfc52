/* The processes and threads of a Kineto or Chrome trace as tracks.
 *
 * A track is announced when its first event comes, with the names known by then, and renamed at the
 * end, since names may come after all events. Numbers of processes and threads may be texts
 * ("Spans", "stream 7"); then they are names. Owns those texts and the tracks. Called by the reader
 * "kineto".
 */
#ifndef TDM_READ_KINETO_TRACKS_H
#define TDM_READ_KINETO_TRACKS_H

#include <stdbool.h>

#include "trace/recorder.h"

typedef struct tdm_kineto_tracks tdm_kineto_tracks;

tdm_kineto_tracks *tdm_kineto_tracks_new(tdm_recorder *recorder); /* NULL: out of memory */
void tdm_kineto_tracks_free(tdm_kineto_tracks *tracks);

/* A pid or tid that is no number, as one that equals no number; texts of numbers are those. */
int64_t tdm_kineto_text_id(tdm_kineto_tracks *tracks, const char *text, size_t length);

/* The text of such a one; NULL: it is a number, or TDM_NONE. */
const char *tdm_kineto_id_text(const tdm_kineto_tracks *tracks, int64_t id);

/* What is known of where an event lies; TDM_NONE where nothing is. */
typedef struct {
  int64_t pid, tid;
  bool gpu;
  int64_t device, context, stream; /* of the GPU's */
} tdm_kineto_where;

uint32_t tdm_kineto_track(tdm_kineto_tracks *tracks, const tdm_kineto_where *where);

/* Where a flow ends or begins: the track of the event before it when pid and tid are the same. */
uint32_t tdm_kineto_track_beside(tdm_kineto_tracks *tracks, int64_t pid, int64_t tid);

/* The process as a whole, or the device if it is one: counters. */
uint32_t tdm_kineto_process_track(tdm_kineto_tracks *tracks, int64_t pid);

void tdm_kineto_name_process(tdm_kineto_tracks *tracks, int64_t pid, const char *name);
void tdm_kineto_label_process(tdm_kineto_tracks *tracks, int64_t pid, const char *label);
void tdm_kineto_name_thread(tdm_kineto_tracks *tracks, int64_t pid, int64_t tid, const char *name);
void tdm_kineto_name_device(tdm_kineto_tracks *tracks, int64_t device, const char *name);

/* This process calls CUDA. When only one does, the GPU's tracks are its own; of several, those are
 * that flows from its threads lead to. */
void tdm_kineto_launches(tdm_kineto_tracks *tracks, int64_t pid);
void tdm_kineto_flows_to(tdm_kineto_tracks *tracks, uint32_t from_track, uint32_t to_track);

/* Tells the recorder what the tracks are called in the end. */
void tdm_kineto_tracks_finish(tdm_kineto_tracks *tracks);

#endif
