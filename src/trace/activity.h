/* How busy each lane was over time, in equal bins: what the terminal timeline draws.
 *
 * Owns its rows. Called by the binding; reads a collected trace. */
#ifndef TDM_TRACE_ACTIVITY_H
#define TDM_TRACE_ACTIVITY_H

#include "trace/collect.h"

typedef enum {
  TDM_ACTIVITY_BY_LANE, /* one row per lane over all processes, in lane order */
  TDM_ACTIVITY_BY_TRACK /* one row per track, in track order */
} tdm_activity_grouping;

typedef struct {
  const char *process; /* NULL by lane; borrowed from the trace */
  const char *name;    /* the lane's or the track's; borrowed */
  tdm_lane lane;
  uint64_t capacity; /* servers of the row's tracks together; 0: some track is unlimited */
  double *busy;      /* [bins] fraction of the bin with at least one span, 0…1 */
  double *active;    /* [bins] mean number of spans at once */
} tdm_activity_row;

typedef struct {
  size_t rows;
  tdm_activity_row *row; /* lanes without tracks have none */
  size_t bins;
  int64_t from_ns, to_ns; /* what the bins divide; their edges fall on whole nanoseconds */
} tdm_activity;

/* Divides [from_ns, to_ns) into `bins`; from_ns == to_ns means from the first start to the last
 * end. Spans outside count for nothing. An empty trace gives rows of zeros. */
tdm_status tdm_activity_open(tdm_activity *activity, const tdm_trace *trace,
                             tdm_activity_grouping grouping, int64_t from_ns, int64_t to_ns,
                             size_t bins, tdm_error *error);
void tdm_activity_close(tdm_activity *activity);

#endif
