/* What the files of the XPlane reader share: one plane at a time, and what is known of the file.
 *
 * A plane names its events and their arguments behind the lines that use them, so it is walked
 * twice, and lies in memory whole; the next one takes its place. Called by the files of this
 * room. */
#ifndef TDM_READ_XPLANE_INSIDE_H
#define TDM_READ_XPLANE_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id_map.h"
#include "read/arg_list.h"
#include "read/reader.h"
#include "trace/protobuf.h"

/* Fields by number. */
enum { SPACE_PLANE = 1, SPACE_ERROR, SPACE_WARNING, SPACE_HOST };
enum { PLANE_ID = 1, PLANE_NAME, PLANE_LINE, PLANE_EVENT_NAMES, PLANE_STAT_NAMES, PLANE_STAT };
enum { LINE_ID = 1, LINE_NAME, LINE_TIME, LINE_EVENT, LINE_DISPLAY = 11 };
enum { EVENT_META = 1, EVENT_OFFSET, EVENT_DURATION, EVENT_STAT, EVENT_OCCURRENCES };
enum { META_ID = 1, META_NAME, META_BYTES, META_DISPLAY, META_STAT };
enum { STAT_META = 1, STAT_DOUBLE, STAT_UINT, STAT_INT, STAT_TEXT, STAT_BYTES, STAT_REF };

/* Bytes of the plane in hand. */
typedef struct {
  const char *text;
  size_t length;
} tdm_xplane_text;

/* An argument by its name: what it means here. */
typedef struct {
  tdm_xplane_text name;
  uint8_t use;  /* of tdm_xplane_use */
  uint32_t key; /* a name id; TDM_ID_NONE: not asked for yet */
} tdm_xplane_stat_name;

typedef struct {
  tdm_xplane_text name, display;
  tdm_proto_field meta; /* all of it, for the arguments that all its events have */
  uint32_t id;          /* a name id; TDM_ID_NONE: not asked for yet */
} tdm_xplane_event_name;

typedef enum {
  TDM_XPLANE_HOST,
  TDM_XPLANE_GPU,
  TDM_XPLANE_TPU,
  TDM_XPLANE_CUSTOM, /* anything else with a name */
  TDM_XPLANE_TASK    /* what is known of the session */
} tdm_xplane_side;

typedef struct {
  tdm_xplane_text name;
  int64_t id, time_ns;
  bool has_events;
} tdm_xplane_line;

/* Two lines of the host that are one thread: its API calls, and the rest of what it did. */
typedef struct {
  int64_t calls, thread; /* ids of lines; that of calls is the thread's number */
  tdm_xplane_text name;
} tdm_xplane_pair;

/* One end of a hand-over between threads. */
typedef struct {
  uint64_t type, id;
  int64_t time_ns;
  uint32_t track;
} tdm_xplane_end;

typedef struct {
  tdm_xplane_end *end;
  size_t count, room;
} tdm_xplane_ends;

typedef struct {
  tdm_recorder *recorder;
  uint64_t dropped; /* TDM_READ_NO_… */
  tdm_arg_layouts layouts;
  tdm_arg_list args; /* of the event in hand */
  /* the plane in hand */
  tdm_xplane_side side;
  int64_t device;
  char heading[64];
  tdm_id_map stat_ids, event_ids;
  tdm_xplane_stat_name *stat;
  size_t stats, stat_room;
  tdm_xplane_event_name *event;
  size_t events, event_room;
  tdm_xplane_pair *pair;
  size_t pairs, pair_room;
  /* the line in hand */
  const char *line_category; /* of its events, where they do not say better */
  tdm_shape line_shape;
  int64_t line_ns;
  uint32_t track;
  /* the file */
  tdm_id_map quiet; /* devices without work, by number: their headings */
  tdm_xplane_ends producers, consumers;
  uint64_t planes, devices, records;
  int64_t session_utc_ns; /* when the session began; TDM_NONE: not said */
  int64_t session_end_utc_ns;
  int clock; /* 0: no times yet, 1: of the session, 2: of the epoch */
  bool failed;
} tdm_xplane;

/* What an argument is to the reader. */
typedef enum {
  TDM_XPLANE_ARG, /* an argument like any other */
  TDM_XPLANE_LEAVE_OUT,
  TDM_XPLANE_NOT_ZERO, /* left out where it is 0, which means unknown */
  TDM_XPLANE_CORRELATION,
  TDM_XPLANE_KERNEL,
  TDM_XPLANE_MEMCPY,
  TDM_XPLANE_MEMSET,
  TDM_XPLANE_ALLOCATOR,
  TDM_XPLANE_STEP,
  TDM_XPLANE_PRODUCER_TYPE,
  TDM_XPLANE_PRODUCER,
  TDM_XPLANE_CONSUMER_TYPE,
  TDM_XPLANE_CONSUMER
} tdm_xplane_use;

/* One plane: names, facts, lines (plane.c). */
void tdm_xplane_plane(tdm_xplane *x, const tdm_proto_field *plane);

/* What a plane is by its name; false: no name of a plane. */
bool tdm_xplane_side_of(const char *name, size_t length, tdm_xplane_side *side, int64_t *device);

/* The use of an argument and the key that it is stored by (event.c). */
tdm_xplane_use tdm_xplane_use_of(const char *name, size_t length, const char **key);

/* One event of the line in hand (event.c). */
void tdm_xplane_event(tdm_xplane *x, const tdm_proto_field *event);

tdm_xplane_line tdm_xplane_line_of(const tdm_proto_field *line);

/* Finds the pairs of a plane of the host (threads.c). */
void tdm_xplane_join_threads(tdm_xplane *x, const tdm_proto_field *plane);

/* Picoseconds from the line's time, cut to nanoseconds at both ends, so that what is adjacent stays
 * so. False: no duration, or beyond 64 bits (event.c). */
bool tdm_xplane_times(int64_t line_ns, int64_t offset_ps, int64_t duration_ps, int64_t *start_ns,
                      int64_t *end_ns);

/* All events of a line of a TPU's operators (ops.c). */
void tdm_xplane_ops(tdm_xplane *x, const tdm_proto_field *line);

/* The value of an argument; type -1: none that is kept. */
typedef struct {
  const tdm_xplane_stat_name *name;
  int type; /* a tdm_arg_type */
  int64_t value;
  tdm_xplane_text text; /* of TEXT: value is not set */
} tdm_xplane_value;
tdm_xplane_value tdm_xplane_stat(tdm_xplane *x, const tdm_proto_field *stat);

static inline bool tdm_xplane_is(tdm_xplane_text text, const char *word) {
  return text.length == strlen(word) && memcmp(text.text, word, text.length) == 0;
}
static inline bool tdm_xplane_begins(tdm_xplane_text text, const char *word) {
  return text.length >= strlen(word) && memcmp(text.text, word, strlen(word)) == 0;
}
static inline tdm_xplane_text tdm_xplane_text_of(const tdm_proto_field *field) {
  return (tdm_xplane_text){(const char *)field->bytes, field->length};
}

#endif
