/* The lanes of a run: its rows by what they keep busy, ready to be laid over those of another run.
 *
 * Owns copies of times and names of rows and all it derives; the view is borrowed for the texts of
 * names. Lanes of two runs are the same when their labels are. Called by bind/overlay.c. */
#ifndef TDM_ANALYSIS_OVERLAY_LANE_SET_H
#define TDM_ANALYSIS_OVERLAY_LANE_SET_H

#include "analysis/overlay/lane_steps.h"
#include "analysis/run_view.h"

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
} tdm_lane_given;
tdm_status tdm_lane_set_given(const tdm_lane_given *given, uint32_t count, tdm_lane_set *out,
                              tdm_error *error);

void tdm_lane_set_close(tdm_lane_set *set);

/* The lane of this label; NULL: there is none. */
const tdm_lane_rows *tdm_lane_set_named(const tdm_lane_set *set, const char *label);

#endif
