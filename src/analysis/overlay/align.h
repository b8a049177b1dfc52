/* One clock for two runs, from what their lanes did. Owns no state. Called by bind/overlay.c; times
 * that the caller pairs itself go to tdm_clock_fit. */
#ifndef TDM_ANALYSIS_OVERLAY_ALIGN_H
#define TDM_ANALYSIS_OVERLAY_ALIGN_H

#include "analysis/overlay/clock.h"
#include "analysis/overlay/lane_set.h"

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

#endif
