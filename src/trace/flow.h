/* Which step of its request's flow each span is. Owns nothing; called by the Chrome writer. */
#ifndef TDM_TRACE_FLOW_H
#define TDM_TRACE_FLOW_H

#include "trace/order.h"

/* Fills mark[order->count], by canonical position: 's' first span of its request, 't' in between,
 * 'f' last, 0 no flow (the request's only span, or its ordinal is `requests` or above). Spans of a
 * request follow each other by start, then end, then canonical position. */
tdm_status tdm_flow_mark(const tdm_trace *trace, const tdm_order *order, uint64_t requests,
                         char *mark, tdm_error *error);

#endif
