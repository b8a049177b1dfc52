/* How many of a lane's spans were active, as changes over time.
 *
 * Owns its arrays. Made once a lane; what compares lanes only walks it. */
#ifndef TDM_ANALYSIS_OVERLAY_LANE_STEPS_H
#define TDM_ANALYSIS_OVERLAY_LANE_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct {
  size_t count;
  int64_t *time_ns; /* ascending */
  uint32_t *active; /* from time_ns[i] until the next change; before the first and from the last on
                       nothing is */
  uint32_t most;    /* at once */
} tdm_lane_steps;

/* Spans need no order; empty ones are never active. */
tdm_status tdm_lane_steps_of(const int64_t *start_ns, const int64_t *end_ns, size_t count,
                             tdm_lane_steps *out, tdm_error *error);
void tdm_lane_steps_close(tdm_lane_steps *steps);

/* Two lanes at once: the parts of time in which neither changes. The second's times are mapped by
 * its clock. */
typedef struct {
  const tdm_lane_steps *a, *b;
  const int64_t *b_time_ns; /* b's changes on a's clock */
  size_t next_a, next_b;
  int64_t now_ns, to_ns;
  uint32_t active_a, active_b;
} tdm_lane_walk;

typedef struct {
  int64_t from_ns, to_ns;
  uint32_t a, b;
} tdm_lane_part;

/* Parts from from_ns to to_ns, in order and without gaps. Lanes may be empty. */
void tdm_lane_walk_begin(tdm_lane_walk *walk, const tdm_lane_steps *a, const tdm_lane_steps *b,
                         const int64_t *b_time_ns, int64_t from_ns, int64_t to_ns);
int tdm_lane_walk_next(tdm_lane_walk *walk, tdm_lane_part *part); /* 0: the end */

#endif
