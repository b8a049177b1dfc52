/* The spans of a recording in order, track by track, and the sub-lane each is drawn on.
 *
 * Order: track, start, longer first, layout, row. On tracks of queues and servers zero-length spans
 * come first among those that start together: such a job ends before the next one begins.
 *
 * On one sub-lane of a track spans nest: each is inside the one below it or disjoint from it, and
 * touching is disjoint. Where the spans of a track nest anyway, as on a thread or a stream, there
 * is one sub-lane. A span that does not fit goes to the lowest sub-lane where it does, but a span
 * inside the one that was laid last stays with it. Jobs of queues and servers, and spans of shape
 * ASYNC, are never parts of each other: theirs are disjoint on each sub-lane, and those of ASYNC
 * come after the track's others. Fewest sub-lanes where spans are disjoint, few where they nest
 * (the fewest are a hard problem).
 *
 * Owns its arrays, not the recording. 16 bytes a span, 24 while it sorts. Called by the writers. */
#ifndef TDM_TRACE_LANES_H
#define TDM_TRACE_LANES_H

#include "trace/recording.h"

enum {
  TDM_LANES_SYNC = 1 << TDM_SHAPE_SPAN | 1 << TDM_SHAPE_OPEN,
  TDM_LANES_ALL = TDM_LANES_SYNC | 1 << TDM_SHAPE_ASYNC
};

typedef struct {
  uint32_t layout, row;
  uint32_t lane;  /* sub-lane on its track, from 0 */
  uint32_t depth; /* spans below it on its sub-lane */
} tdm_laid_span;

typedef struct {
  size_t count;
  tdm_laid_span *span; /* [count] */
  uint32_t tracks;
  size_t *first;   /* [tracks + 1] where each track's begin */
  uint32_t *lanes; /* [tracks] sub-lanes; 0 where a track has no spans */
} tdm_lanes;

/* `shapes`: which rows, TDM_LANES_ALL or some of it. */
tdm_status tdm_lanes_open(tdm_lanes *lanes, const tdm_recording *recording, unsigned shapes,
                          tdm_error *error);
void tdm_lanes_close(tdm_lanes *lanes);

/* When a row ends; never before it starts, never beyond the range of int64. */
static inline int64_t tdm_lanes_end(const tdm_kept_rows *rows, uint32_t row) {
  int64_t start = tdm_kept(rows, TDM_START, row), end;
  if (__builtin_add_overflow(start, tdm_kept(rows, TDM_DUR, row), &end)) return INT64_MAX;
  return end < start ? start : end;
}

#endif
