/* The requests of a simulated trace as rows of category "request": one from arrival to end, with
 * the attributes that its class has. Those that come when the trace's limit has cut its spans off
 * have no row: nothing of them would be inside. Owns nothing. Called by simulated.c. */
#ifndef TDM_TRACE_SIMULATED_REQUESTS_H
#define TDM_TRACE_SIMULATED_REQUESTS_H

#include "trace/collect.h"
#include "trace/recorder.h"

/* Pushes them into the open source; what fails sticks to the recorder. */
void tdm_simulated_requests(const tdm_trace *trace, tdm_recorder *recorder);

#endif
