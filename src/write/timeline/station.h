/* What can be saturated and what can wait for it: a simulated station (its servers' track, its
 * queue's) or a measured GPU (all tracks of its group; launches that have not begun yet).
 *
 * Owns nothing. Called by counters.c and marks.c. */
#ifndef TDM_WRITE_TIMELINE_STATION_H
#define TDM_WRITE_TIMELINE_STATION_H

#include "write/timeline/load.h"
#include "write/timeline/parts.h"

typedef struct {
  uint32_t first_track, end_track; /* of tdm_frame.track */
  uint32_t queue;                  /* its queue's track, or UINT32_MAX */
  int64_t slots;                   /* servers; 0: a measured GPU */
} tdm_station;

/* All stations of a frame; at most as many as it has tracks. */
size_t tdm_stations(const tdm_frame *frame, tdm_station *out);

/* How many of its servers work; of a GPU, how many pieces of work run. */
tdm_status tdm_station_busy(const tdm_timeline_run *run, const tdm_station *station,
                            size_t bins_most, tdm_load *load, tdm_error *error);
/* How many wait for it. */
tdm_status tdm_station_waiting(const tdm_timeline_run *run, const tdm_station *station,
                               size_t bins_most, tdm_load *load, tdm_error *error);

/* The name that waits longest, all together, within a time; TDM_NONE: nothing waits there that has
 * a name. */
int64_t tdm_station_waits_for(const tdm_frame *frame, const tdm_station *station, int64_t from_ns,
                              int64_t to_ns);

#endif
