/* What overlays are made with inside this room: which lane a row belongs to; activity as signals.
 */
#ifndef TDM_ANALYSIS_OVERLAY_INSIDE_H
#define TDM_ANALYSIS_OVERLAY_INSIDE_H

#include "analysis/overlay/overlay.h"
#include "analysis/run_view/run_view.h"

/* Which lane of which group a row belongs to: the inside of lane_set.c.
 *
 * Owns what it remembers of names and tracks while it lives. */

/* Categories that lie on lanes, and of their arguments the kind of copies. */
extern const tdm_wanted tdm_lane_work;
/* All of them, for runs that have none of these. */
extern const tdm_wanted tdm_lane_anything;

typedef struct {
  tdm_run_view *view;
  const tdm_table *table;
  bool plain;
  tdm_name_marks kernel, kind, call;
  uint8_t *track_lane; /* by track */
  uint32_t tracks;
} tdm_row_lanes;

tdm_status tdm_row_lanes_open(tdm_run_view *view, tdm_row_lanes *out, tdm_error *error);
void tdm_row_lanes_close(tdm_row_lanes *lanes);

#define TDM_NO_LANE TDM_LANES
/* The lane of a row; TDM_NO_LANE: it keeps nothing busy. */
tdm_lane tdm_lane_of_row(tdm_row_lanes *lanes, size_t row);

/* Activity of lanes as signals, and how alike two of them are.
 *
 * Owns no state but what a call allocates. Called by activity.c. */

/* Bins of equal width from a time on: bin i is [from + i · width, from + (i + 1) · width). */
typedef struct {
  int64_t from_ns;
  double width_ns;
  size_t count;
} tdm_signal_frame;

/* How many were active in each bin, on average. */
void tdm_signal_of(const tdm_lane_steps *steps, const tdm_signal_frame *frame, double *out);

/* Correlations by lag, of signals without their means and of norm 1: sum of a[t] · b[t − lag], lag
 * from −(b's count − 1) to a's count − 1, summed over all pairs that are added. */
typedef struct {
  unsigned bits;
  size_t a_count, b_count;
  double *spectrum, *work;
  uint32_t pairs; /* those that change at all */
} tdm_correlation_sum;
tdm_status tdm_correlation_sum_open(size_t a_count, size_t b_count, tdm_correlation_sum *out,
                                    tdm_error *error);
void tdm_correlation_sum_add(tdm_correlation_sum *sum, const double *a, const double *b);
/* The sum over lags: value[lag + b_count − 1], [a_count + b_count − 1] of them, the sum's own. */
const double *tdm_correlation_sum_lags(tdm_correlation_sum *sum);
void tdm_correlation_sum_close(tdm_correlation_sum *sum);

/* Pearson's correlation of a window of a with b at a lag: 0 where one does not change. */
double tdm_signal_alike(const double *a, const double *b, size_t count);

#endif
