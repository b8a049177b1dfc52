/* One trace event of Kineto or Chrome, from its JSON object to what it says: the tracks it lies on,
 * its arguments, what names of copies say. */
#ifndef TDM_READ_KINETO_EVENT_H
#define TDM_READ_KINETO_EVENT_H

#include <stdbool.h>

#include "read/json/json.h"
#include "read/kineto/kineto.h"
#include "trace/recorder.h"

/* The processes and threads of a Kineto or Chrome trace as tracks.
 *
 * A track is announced when its first event comes, with the names known by then, and renamed at the
 * end, since names may come after all events. Numbers of processes and threads may be texts
 * ("Spans", "stream 7"); then they are names. Owns those texts and the tracks. Called by the reader
 * "kineto". */

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

/* The arguments of an event, and the layouts that they make.
 *
 * Knows every key that occurred and how it is written today, and the layout of every tuple of
 * category, shape, keys and types. Owns those tables and one list of arguments, that of the event
 * being read. Called by the reader "kineto". */

typedef struct tdm_kineto_args tdm_kineto_args;

typedef struct {
  uint32_t key; /* of this table */
  tdm_arg_type type;
  int64_t value;
} tdm_kineto_arg;

tdm_kineto_args *tdm_kineto_args_new(tdm_recorder *recorder); /* NULL: out of memory */
void tdm_kineto_args_free(tdm_kineto_args *args);

/* ---- the list ---- */

void tdm_kineto_args_clear(tdm_kineto_args *args);
/* Reads what follows a KEY token: the value of the argument that it names. */
void tdm_kineto_args_read(tdm_kineto_args *args, tdm_json *json);
/* The same when its value's token has been read already. */
void tdm_kineto_args_take(tdm_kineto_args *args, const char *key, size_t length, tdm_json *json,
                          tdm_json_token token);
/* Adds one unless there is one of that key; `replace`: it then has its value. */
void tdm_kineto_args_put(tdm_kineto_args *args, uint32_t key, tdm_arg_type type, int64_t value,
                         bool replace);
void tdm_kineto_args_put_text(tdm_kineto_args *args, const char *key, const char *text);
void tdm_kineto_args_put_number(tdm_kineto_args *args, const char *key, const char *text,
                                size_t length);
bool tdm_kineto_args_has(tdm_kineto_args *args, const char *key);
const tdm_kineto_arg *tdm_kineto_args_all(const tdm_kineto_args *args, uint32_t *count);
const char *tdm_kineto_args_key(const tdm_kineto_args *args, uint32_t key);
/* TDM_KINETO_DEVICE, _CONTEXT, _STREAM: its value; TDM_NONE: it is not there. */
int64_t tdm_kineto_args_number(const tdm_kineto_args *args, tdm_kineto_use use);

/* ---- rows ---- */

/* A row with the list as its arguments; without those of the track when `gpu`. */
void tdm_kineto_args_row(tdm_kineto_args *args, uint32_t category, const char *category_name,
                         bool gpu, tdm_shape shape, int64_t start_ns, int64_t dur_ns,
                         uint32_t track, uint32_t name);

/* A text that is copied again and again. */
typedef struct {
  char *bytes; /* NUL-terminated; NULL: never had one */
  size_t length, room;
} tdm_kineto_text;

typedef struct {
  char phase; /* 0: none, or not one letter */
  bool has_name, has_category, has_time, has_dur, has_id, has_args;
  bool local_id; /* the id is its process's own */
  bool cut_off;  /* the file ended within it */
  int64_t time_ns, dur_ns;
  int64_t pid, tid; /* of kineto_tracks */
  int64_t id;
  tdm_kineto_text name, category;
  /* Of metadata: its argument "name" or "labels", as text. Of samples: the frame. */
  tdm_kineto_text value;
} tdm_kineto_event;

typedef struct {
  tdm_json *json;
  tdm_kineto_args *args;
  tdm_kineto_tracks *tracks;
  int time_power; /* of ten, from the file's unit to nanoseconds */
  /* Whether events of a category are wanted, asked before their arguments when it comes first. */
  bool (*wanted)(void *context, const tdm_kineto_event *event);
  void *context;
} tdm_kineto_event_reader;

/* After the OBJECT token; goes on behind its end. False: it is not wanted, or out of memory. */
bool tdm_kineto_event_read(const tdm_kineto_event_reader *reader, tdm_kineto_event *event);
void tdm_kineto_event_free(tdm_kineto_event *event);

#endif
