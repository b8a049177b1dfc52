/* Two runs in one time frame: their lanes side by side, and what each had over the other.
 *
 * Owns the second run's times on the first one's clock; both sets of lanes, and the views whose
 * names they use, are borrowed. The first run is called real, the second simulated, whatever they
 * are. Called by bind/overlay.c. */
#ifndef TDM_ANALYSIS_OVERLAY_OVERLAID_H
#define TDM_ANALYSIS_OVERLAY_OVERLAID_H

#include "analysis/answer.h"
#include "analysis/overlay/clock.h"
#include "analysis/overlay/lane_set.h"

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

/* Frames: lanes (how long both, one, none were busy), differences (the longest times in which one
 * was busy and the other not; `most` of them). Views may be NULL: then nobody knows what ran. */
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

#endif
