/* What the files of this room share: what is drawn and where, loads over time, JSON that grows, the
 * parts of a run, what can be saturated. */
#ifndef TDM_WRITE_TIMELINE_INSIDE_H
#define TDM_WRITE_TIMELINE_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/lanes.h"
#include "trace/sweep.h"
#include "write/timeline/timeline.h"

/* What a timeline draws and where: drawing rows, and the spans of each in order.
 *
 * Tracks stand in groups (processes) by rank where ranks are told, then in order of their first
 * track, in a group by lane, then as recorded. A track has a row for each depth of each of its
 * sub-lanes (trace/lanes.h), so that the spans of a row are disjoint. Spans are numbered row by
 * row, in a row by start. Times are nanoseconds from the origin, the first moment of anything that
 * the run has.
 *
 * Owns its arrays, not the recording. Called by the files of this room. */

typedef struct {
  uint32_t track; /* id of the recording */
  uint32_t group;
  uint32_t first_row, rows;
} tdm_frame_track;

typedef struct {
  const tdm_recording *recording;
  int64_t origin_ns, end_ns; /* of the run's clock; equal when it has no time */
  tdm_lanes lanes;
  uint32_t tracks, groups;
  tdm_frame_track *track;            /* [tracks] in drawing order: those with spans or samples */
  uint32_t *track_index;             /* [ids] → index into `track`, or UINT32_MAX */
  const tdm_kept_rows **layout_rows; /* [layouts] */
  int64_t *offset_ns;                /* [ids] what their sources' clocks are off */
  const char **group;                /* [groups] their names */
  bool ranks;                        /* sources say more than one rank */
  uint32_t rows;
  size_t *first;   /* [rows + 1] numbers of spans */
  uint32_t *order; /* [spans] by number: index into lanes.span */
} tdm_frame;

tdm_status tdm_frame_open(tdm_frame *frame, const tdm_recording *recording, tdm_error *error);
void tdm_frame_close(tdm_frame *frame);

/* TDM_NONE: not said. */
int64_t tdm_frame_rank(const tdm_recording *recording, uint32_t source);

/* From the origin to the end, at most INT64_MAX. */
int64_t tdm_frame_length(const tdm_frame *frame);
/* A time of a source as the run's, at most as far as 64 bits go. */
static inline int64_t tdm_frame_shifted(int64_t offset_ns, int64_t time_ns) {
  int64_t out;
  if (!__builtin_add_overflow(time_ns, offset_ns, &out)) return out;
  return offset_ns > 0 ? INT64_MAX : INT64_MIN + 1;
}
/* A time of a track's source as nanoseconds from the origin. */
static inline int64_t tdm_frame_time(const tdm_frame *f, uint32_t track, int64_t time_ns) {
  int64_t at = tdm_frame_shifted(f->offset_ns[track], time_ns), out;
  if (!__builtin_sub_overflow(at, f->origin_ns, &out)) return out;
  return at > f->origin_ns ? INT64_MAX : INT64_MIN + 1;
}

typedef struct {
  int64_t start_ns, end_ns; /* from the origin */
  int64_t name;
  uint32_t track, layout, row;
} tdm_frame_span;

/* By the place in lanes.span. Asked several times of every span. */
static inline tdm_frame_span tdm_frame_laid_span(const tdm_frame *f, size_t place) {
  const tdm_laid_span *at = &f->lanes.span[place];
  const tdm_kept_rows *rows = f->layout_rows[at->layout];
  uint32_t track = (uint32_t)tdm_kept(rows, TDM_TRACK, at->row);
  return (tdm_frame_span){.start_ns = tdm_frame_time(f, track, tdm_kept(rows, TDM_START, at->row)),
                          .end_ns = tdm_frame_time(f, track, tdm_lanes_end(rows, at->row)),
                          .name = tdm_kept(rows, TDM_NAME, at->row),
                          .track = track,
                          .layout = at->layout,
                          .row = at->row};
}
/* The same by number. */
static inline tdm_frame_span tdm_frame_span_at(const tdm_frame *f, size_t number) {
  return tdm_frame_laid_span(f, f->order[number]);
}

/* How many of something are active over time, in bins of equal width from the origin on.
 *
 * Owns its arrays. Called by the files of this room. */

typedef struct {
  size_t count;
  int64_t width_ns;
  double *mean; /* [count] active on average */
  double *busy; /* [count] share of the bin with any */
  int64_t *least, *most;
  int64_t first_ns, last_ns;        /* from the first that is active to the end of the last */
  int64_t busy_ns;                  /* with any, exactly */
  int64_t idle_from_ns, idle_to_ns; /* the longest time with none between the two */
} tdm_load;

/* Walks through a sweep that is ready; at most bins_most + 1 bins. When it fails, nothing is left
 * to close. */
tdm_status tdm_load_open(tdm_load *load, tdm_sweep *sweep, int64_t length_ns, size_t bins_most,
                         tdm_error *error);
void tdm_load_close(tdm_load *load);

/* A JSON text that grows in memory. Failures stick; NULL at the end: out of memory. Owns the text.
 * Called by the files of this room. */

/* Zeroed is empty. */
typedef struct {
  char *text;
  size_t length, room;
  bool failed;
} tdm_meta;

void tdm_meta_put(tdm_meta *meta, const char *text);
void tdm_meta_integer(tdm_meta *meta, int64_t value);
void tdm_meta_real(tdm_meta *meta, double value);       /* finite; six digits */
void tdm_meta_string(tdm_meta *meta, const char *text); /* quoted */
/* `,` unless an object or a list has just begun; what follows is its next part. */
void tdm_meta_next(tdm_meta *meta);
void tdm_meta_key(tdm_meta *meta, const char *key); /* next, "key": */

/* The parts of one run in a timeline's file: each writes its blocks and its keys of the run's
 * object. The file's description is timeline.h's. Called by timeline.c only. */

/* Spans of one name and layout on one track. */
typedef struct {
  uint32_t name, track, layout; /* track: an index of tdm_frame.track */
  int64_t count, total_ns, longest_ns;
  size_t longest; /* the number of the first that is as long */
} tdm_total;

/* How many spans are how long: by octave and 32nd of it. */
enum { TDM_LENGTHS_BITS = 5, TDM_LENGTHS = 64 << TDM_LENGTHS_BITS };
typedef struct {
  size_t count[TDM_LENGTHS];
} tdm_lengths;

static inline size_t tdm_lengths_of(int64_t length_ns) {
  uint64_t length = length_ns > 0 ? (uint64_t)length_ns : 0;
  size_t parts = (size_t)1 << TDM_LENGTHS_BITS;
  if (length < parts) return length;
  size_t shift = 63 - (size_t)__builtin_clzll(length) - TDM_LENGTHS_BITS;
  return ((shift + 1) << TDM_LENGTHS_BITS) + (length >> shift & (parts - 1));
}

/* The least length that is counted there. */
static inline int64_t tdm_lengths_least(size_t at) {
  size_t parts = (size_t)1 << TDM_LENGTHS_BITS;
  return at < parts ? (int64_t)at : (int64_t)((parts + at % parts) << (at / parts - 1));
}

/* Which spans are written of a run that has too many, see thinning.c. Zeroed: all. */
typedef struct {
  uint32_t *number; /* [count] of those that are, rising; NULL: all are */
  size_t count;
  size_t *first;         /* [rows + 1] of a row's first within `number` */
  unsigned char *bottom; /* [rows] the level of a row's lowest nodes, 0: it has none and is whole */
  unsigned level;        /* that of long rows */
  int64_t whole_ns;      /* all that are at least so long are written; INT64_MAX: not said */
  size_t group;          /* and the longest of so many neighbours in a row */
  size_t stretch;        /* spans of a row whose sums are one set of rows */
} tdm_thinning;

/* Of a run while its parts are written. */
typedef struct {
  const tdm_frame *frame;
  tdm_recording *recording; /* the frame's, which forgets arguments that are written */
  tdm_blocks *blocks;
  tdm_meta *meta;
  uint64_t *request; /* [requests] ids, rising; their numbers here are the rows of the table */
  size_t requests;
  int64_t *arrow_from, *arrow_to; /* [arrows] numbers of spans; one piece of memory */
  size_t arrows;
  tdm_total *total; /* [totals] by name, track, layout */
  size_t totals;
  tdm_lengths lengths;
  int64_t *block_ns; /* the longest of every TDM_TIMELINE_FAN spans of each row, row by row */
  tdm_thinning thinning;
} tdm_timeline_run;

enum { TDM_TIMELINE_FAN = 32 }; /* nodes or spans under a node */

/* Nodes that a row gets over `below` nodes or spans. */
size_t tdm_timeline_nodes(size_t below);

/* Sums up by name, track and layout, and measures lengths: before the thinning. */
tdm_status tdm_totals_find(tdm_timeline_run *run, tdm_error *error);

/* Chooses the spans; `wish` says how many, or NULL: all. After the totals. */
tdm_status tdm_thinning_choose(tdm_timeline_run *run, const tdm_timeline_wish *wish,
                               tdm_error *error);
void tdm_thinning_close(tdm_thinning *thinning);

/* How many spans are written, and the number of the i-th. */
size_t tdm_thinning_spans(const tdm_timeline_run *run);
static inline size_t tdm_thinning_number(const tdm_timeline_run *run, size_t i) {
  return run->thinning.number != NULL ? run->thinning.number[i] : i;
}
/* The place of a span among those that are written; SIZE_MAX: it is not. */
size_t tdm_thinning_place(const tdm_timeline_run *run, size_t number);
/* Where the stretch of a row that begins with span n ends, for the table of sums. */
size_t tdm_thinning_stretch(const tdm_timeline_run *run, uint32_t row, size_t n);

tdm_status tdm_timeline_thinning(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_tracks(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_requests(tdm_timeline_run *run, tdm_error *error); /* before the spans */
tdm_status tdm_timeline_spans(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_pyramid(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_arrows(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_counters(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_activity(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_totals(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_sums(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_marks(tdm_timeline_run *run, tdm_error *error); /* after the arrows */

/* From the end of what stands before to a start: of neighbours in a row shorter than moments.
 * Wraps, as times of damaged files are anything. */
int64_t tdm_timeline_gap(int64_t start_ns, int64_t before_ns);

/* Whether rows of a category are what a GPU does. */
bool tdm_timeline_is_work(const char *category);

/* The row of a request, or TDM_NONE. */
int64_t tdm_timeline_request_row(const tdm_timeline_run *run, int64_t request);

/* Rows of columns as blocks of TDM_CHUNK_ROWS: "key": [block, …]. */
void tdm_timeline_list(tdm_timeline_run *run, const char *key, int64_t *const *column,
                       uint32_t columns, size_t rows);

/* What can be saturated and what can wait for it: a simulated station (its servers' track, its
 * queue's) or a measured GPU (all tracks of its group; launches that have not begun yet).
 *
 * Owns nothing. Called by counters.c and marks.c. */

typedef struct {
  uint32_t first_track, end_track; /* of tdm_frame.track */
  uint32_t queue;                  /* its queue's track, or UINT32_MAX */
  int64_t slots;                   /* servers; 0: a measured GPU */
  bool steps;                      /* a replica of an LLM server: its steps, one at a time */
} tdm_station;

/* All stations of a frame; at most as many as it has tracks. */
tdm_status tdm_stations(const tdm_frame *frame, tdm_station *out, size_t *count, tdm_error *error);

/* How many of its servers work; of a GPU, how many pieces of work run. */
tdm_status tdm_station_busy(const tdm_timeline_run *run, const tdm_station *station,
                            size_t bins_most, tdm_load *load, tdm_error *error);
/* How many wait for it. Of a GPU `arrow` are numbers of the arrows that reach it. */
tdm_status tdm_station_waiting(const tdm_timeline_run *run, const tdm_station *station,
                               const uint32_t *arrow, size_t arrows, size_t bins_most,
                               tdm_load *load, tdm_error *error);

/* The name that waits longest, all together, within a time; TDM_NONE: nothing waits there that has
 * a name. False: out of memory. */
bool tdm_station_waits_for(const tdm_frame *frame, const tdm_station *station, int64_t from_ns,
                           int64_t to_ns, int64_t *name);

#endif
