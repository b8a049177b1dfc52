/* Two runs in one time frame, lane by lane: clocks, lanes, both side by side, ways to find the
 * clock, both as one recording. Called by bind/overlay.c. */
#ifndef TDM_ANALYSIS_OVERLAY_OVERLAY_H
#define TDM_ANALYSIS_OVERLAY_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/answer.h"
#include "analysis/run_view/run_view.h"
#include "base/error.h"
#include "trace/recording.h"

/* The clock of one run told on that of another, and how it is found from paired times.
 *
 * Owns no state. The clock of the first run stays; times of the second are mapped to it. Called by
 * the alignment of two runs (activity.c, bind/overlay.c) and by all that lays one over the other.
 */

/* A time t of the second run is t + offset + drift · (t − origin) of the first. */
typedef struct {
  int64_t offset_ns;
  int64_t origin_ns; /* of the second's clock */
  double drift_ppm;
} tdm_clock;

/* At most as far as 64 bits go. Never decreasing in time_ns while the drift is above −10⁶ ppm. */
int64_t tdm_clock_time(const tdm_clock *clock, int64_t time_ns);
/* The time of the second run that lies there on the first one's clock, to the nanosecond. */
int64_t tdm_clock_back(const tdm_clock *clock, int64_t time_ns);

typedef enum {
  TDM_DRIFT_AUTO, /* applied when it is larger than twice its standard error, and a clock's */
  TDM_DRIFT_ON,
  TDM_DRIFT_OFF
} tdm_drift;

/* What is more is no drift of clocks: the runs go at different speeds. */
#define TDM_DRIFT_MOST_PPM 1000.0

typedef struct {
  tdm_clock clock;        /* with the drift that was applied */
  double drift_ppm;       /* as measured; NaN: too few events tell none */
  double drift_error_ppm; /* its standard error; NaN: likewise */
  double residual_ns;     /* median distance of the events after alignment; NaN: one event */
  size_t events;
} tdm_alignment;

/* Least squares over pairs of times, the i-th of both the same event, by Tukey's biweight: what
 * lies far off does not count. TDM_INVALID: no event, or one only where a drift is asked for. */
tdm_status tdm_clock_fit(const int64_t *first_ns, const int64_t *second_ns, size_t count,
                         tdm_drift drift, tdm_alignment *out, tdm_error *error);

/* How many of a lane's spans were active, as changes over time.
 *
 * Owns its arrays. Made once a lane; what compares lanes only walks it. */

typedef struct {
  size_t count;
  int64_t *time_ns; /* ascending */
  uint32_t *active; /* from time_ns[i] until the next change; before the first and from the last on
                       nothing is */
  uint32_t most;    /* at once */
  double *busy; /* the share of the time from time_ns[i] on in which they keep the lane busy, 0 to
                   1; NULL: all of it where any is active */
} tdm_lane_steps;

/* Spans need no order; empty ones are never active. `busy_ns`: how much of each span is busy,
 * evenly from its start to its end; NULL: all of it. */
tdm_status tdm_lane_steps_of(const int64_t *start_ns, const int64_t *end_ns, const int64_t *busy_ns,
                             size_t count, tdm_lane_steps *out, tdm_error *error);
void tdm_lane_steps_close(tdm_lane_steps *steps);

/* Two lanes at once: the parts of time in which neither changes. The second's times are mapped by
 * its clock. */
typedef struct {
  const tdm_lane_steps *a, *b;
  const int64_t *b_time_ns; /* b's changes on a's clock */
  size_t next_a, next_b;
  int64_t now_ns, to_ns;
  uint32_t active_a, active_b;
  double busy_a, busy_b;
} tdm_lane_walk;

typedef struct {
  int64_t from_ns, to_ns;
  uint32_t a, b;         /* how many are active */
  double busy_a, busy_b; /* the share of it that they keep the lane busy */
} tdm_lane_part;

/* Parts from from_ns to to_ns, in order and without gaps. Lanes may be empty. */
void tdm_lane_walk_begin(tdm_lane_walk *walk, const tdm_lane_steps *a, const tdm_lane_steps *b,
                         const int64_t *b_time_ns, int64_t from_ns, int64_t to_ns);
int tdm_lane_walk_next(tdm_lane_walk *walk, tdm_lane_part *part); /* 0: the end */

/* The lanes of a run: its rows by what they keep busy, ready to be laid over those of another run.
 *
 * Owns copies of times and names of rows and all it derives; the view is borrowed for the texts of
 * names. Lanes of two runs are the same when their labels are. Called by bind/overlay.c. */

/* What rows are put together by:
 *   LANE    QUEUE, CPU, H2D, GPU, D2H, COMM of the whole run
 *   DEVICE  the same, a GPU each: "GPU #1" is the second GPU of its run, whatever it is called
 *   STREAM  a stream, a thread, a simulated station each; threads by their order
 *   STAGE   a simulated stage each, by name */
typedef enum { TDM_BY_LANE, TDM_BY_DEVICE, TDM_BY_STREAM, TDM_BY_STAGE } tdm_lanes_by;

typedef struct {
  char *label;
  tdm_lane lane;
  uint64_t rank;       /* lanes stand in this order */
  size_t first, count; /* of the set's rows */
  tdm_lane_steps steps;
} tdm_lane_rows;

typedef struct {
  uint32_t lanes;
  tdm_lane_rows *lane; /* in order of rank */
  size_t rows;
  int64_t *start_ns, *end_ns; /* lane by lane, each in order of start */
  int64_t *busy_ns;           /* of lanes whose rows are busy in part; NULL */
  int64_t *name;              /* ids of the view's; lanes without a view have none: NULL */
  int64_t first_ns, last_ns;  /* over all rows; equal when there are none */
  bool plain;                 /* its rows had no category that lanes know: all count, by track */
} tdm_lane_set;

/* Counted are: kernels, copies, memsets, graphs, unified memory moved, simulated stages and waits;
 * on the CPU operators and API calls but for those that only wait for a GPU. A run with none of
 * these shows all its spans on the lanes of their tracks. TDM_INVALID: no row for such lanes. */
tdm_status tdm_lane_set_of(tdm_run_view *view, tdm_lanes_by by, tdm_lane_set *out,
                           tdm_error *error);

/* A set made by hand: lanes in their order, rows of each in any. */
typedef struct {
  const char *label;
  tdm_lane lane;
  size_t count;
  const int64_t *start_ns, *end_ns;
  const int64_t *busy_ns; /* NULL: from start to end */
} tdm_lane_given;
tdm_status tdm_lane_set_given(const tdm_lane_given *given, uint32_t count, tdm_lane_set *out,
                              tdm_error *error);

void tdm_lane_set_close(tdm_lane_set *set);

/* The lane of this label; NULL: there is none. */
const tdm_lane_rows *tdm_lane_set_named(const tdm_lane_set *set, const char *label);

/* Two runs in one time frame: their lanes side by side, and what each had over the other.
 *
 * Owns the second run's times on the first one's clock; both sets of lanes, and the views whose
 * names they use, are borrowed. The first run is called real, the second simulated, whatever they
 * are. Called by bind/overlay.c. */

typedef struct {
  const char *label;
  tdm_lane lane;
  const tdm_lane_rows *real, *simulated; /* NULL: the run has no such lane */
  int64_t *time_ns;                      /* of the simulated lane's changes, on the real clock */
} tdm_overlaid_lane;

typedef struct {
  const tdm_lane_set *real, *simulated;
  tdm_clock clock;
  int64_t from_ns, to_ns; /* the frame, on the real clock */
  uint32_t lanes;
  tdm_overlaid_lane *lane; /* the real run's in their order, the others where their kind stands */
} tdm_overlaid;

tdm_status tdm_overlaid_open(const tdm_lane_set *real, const tdm_lane_set *simulated,
                             const tdm_clock *clock, int64_t from_ns, int64_t to_ns,
                             tdm_overlaid *out, tdm_error *error);
void tdm_overlaid_close(tdm_overlaid *overlaid);

/* Frames: lanes (how busy each, and how long both, one, none were active), differences (the longest
 * times in which one was busy and the other not; `most` of them). Views may be NULL: then nobody
 * knows what ran. */
tdm_status tdm_overlaid_answer(const tdm_overlaid *overlaid, tdm_run_view *real,
                               tdm_run_view *simulated, size_t most, tdm_answer *out,
                               tdm_error *error);

/* Shares of equal bins of the frame, and means of how many were active. */
typedef struct {
  double *real_busy, *simulated_busy, *both_busy;
  double *real_mean, *simulated_mean;
} tdm_overlaid_bins;
void tdm_overlaid_bin(const tdm_overlaid *overlaid, uint32_t lane, size_t count,
                      const tdm_overlaid_bins *out);

/* A walk over a lane of the frame; lanes that a run does not have are never busy. */
void tdm_overlaid_walk(const tdm_overlaid *overlaid, uint32_t lane, tdm_lane_walk *walk);

/* One clock for two runs, from what their lanes did. Owns no state. Called by bind/overlay.c; times
 * that the caller pairs itself go to tdm_clock_fit. */

/* Lanes that both have, but for queues: where waits begin is not where work does. */
typedef struct {
  uint32_t count;
  const tdm_lane_rows **a, **b; /* [count] */
} tdm_lane_pairs;
tdm_status tdm_lane_pairs_open(const tdm_lane_set *a, const tdm_lane_set *b, tdm_lane_pairs *out,
                               tdm_error *error);
void tdm_lane_pairs_close(tdm_lane_pairs *pairs);

/* The first work on a lane that both have is at the same time. */
tdm_status tdm_align_first(const tdm_lane_pairs *pairs, tdm_drift drift, tdm_alignment *out,
                           tdm_error *error);

/* Where the activity of lanes agrees best: a cross-correlation finds the offset to a bin, windows
 * along the run follow it into ever finer bins and see a drift, and starts of spans that then lie
 * together settle it. `likeness`: the correlation there, 1 for equal activity. TDM_INVALID: the
 * correlation has no peak. */
tdm_status tdm_align_activity(const tdm_lane_pairs *pairs, tdm_drift drift, tdm_alignment *out,
                              double *likeness, tdm_error *error);

/* When spans whose names match an expression began. Owns no state. Starts of all spans, instants
 * and async spans whose names match, ascending; the caller frees them. `expression` is PCRE2,
 * searched anywhere in a name. TDM_INVALID: it is wrong. */
tdm_status tdm_starts_named(tdm_run_view *view, const char *expression, int64_t **start_ns,
                            size_t *count, tdm_error *error);

/* Two stored runs as one recording, on one clock: what writers of traces take.
 *
 * Names, tracks, layouts and sources of the second run are numbered after those of the first;
 * processes are called "real: …", "simulated: …". Figures, facts and artifacts stay out. Called by
 * bind/overlay.c. */

typedef struct {
  tdm_run_view *view;
  const char *word;       /* before the names of its processes */
  const tdm_clock *clock; /* NULL: its times stay */
  int64_t from_ns, to_ns; /* rows that touch this time of its own clock */
} tdm_both_side;

tdm_status tdm_both_record(const tdm_both_side *side, size_t count, tdm_recording *recording,
                           tdm_error *error);

#endif
