/* What the files beside this one share to make events: rows of category "memory", API calls, and
 * counters each have their own. Called by events.c. */
#ifndef TDM_ANALYSIS_MEMORY_SOURCE_H
#define TDM_ANALYSIS_MEMORY_SOURCE_H

#include "analysis/memory/events.h"

/* The place that answers to these, made when it is new. UINT32_MAX: out of memory. */
uint32_t tdm_memory_place_of(tdm_memory_events *events, tdm_run_view *view, int64_t track,
                             int64_t number, bool host, bool by_process);

/* Appends an event; a zeroed `action` is an allocation. 0: out of memory. */
int tdm_memory_put(tdm_memory_events *events, const tdm_memory_event *event);

tdm_status tdm_memory_from_rows(tdm_run_view *view, tdm_memory_events *events, tdm_error *error);
tdm_status tdm_memory_from_calls(tdm_run_view *view, tdm_memory_events *events, tdm_error *error);
/* After the others: counters give the beginnings of their places, and are events where a place has
 * no others. */
tdm_status tdm_memory_from_counters(tdm_run_view *view, tdm_memory_events *events,
                                    tdm_error *error);

#endif
