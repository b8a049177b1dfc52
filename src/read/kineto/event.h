/* One trace event, from its JSON object to what it says.
 *
 * Owns the copies of its texts; arguments go to kineto_args. Fields that mean nothing to the reader
 * are kept as arguments, too, but for those of metadata and counters. Called by the reader
 * "kineto". */
#ifndef TDM_READ_KINETO_EVENT_H
#define TDM_READ_KINETO_EVENT_H

#include "read/kineto/args.h"
#include "read/kineto/tracks.h"

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
