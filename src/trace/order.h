/* The canonical order of a trace's spans, and the sub-lane each is drawn on.
 *
 * Order: track, start, zero-length spans first, request, duration, name, argument. It depends on
 * the set of spans only, so identical traces come out identical whatever engine emitted them.
 * Zero-length spans first, because a server that starts and ends a job at one instant does so
 * before the job that follows, and then needs no second lane.
 *
 * Sub-lanes: in that order, a span goes to the lowest-numbered lane of its track whose last span
 * has ended. Spans on one lane are therefore disjoint, and there are as many lanes as truly
 * overlap.
 *
 * Owns its arrays, not the trace. Called by the writers. */
#ifndef TDM_TRACE_ORDER_H
#define TDM_TRACE_ORDER_H

#include "trace/collect.h"

typedef struct {
  size_t count;
  uint32_t *index; /* [count] span index in the trace, in canonical order */
  uint32_t *lane;  /* [count] sub-lane of that span, from 0 */
  size_t tracks;
  size_t *first;   /* [tracks + 1] where each track begins in `index` */
  uint32_t *lanes; /* [tracks] sub-lanes of the track; 0 where it has no spans */
} tdm_order;

tdm_status tdm_order_open(tdm_order *order, const tdm_trace *trace, tdm_error *error);
void tdm_order_close(tdm_order *order);

#endif
