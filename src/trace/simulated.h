/* A simulated trace as records: what was collected from the engine, pushed into a recorder.
 *
 * Tracks become places (a QUEUE track a queue, every other one a server), their spans rows of
 * "wait" or "stage" with the arguments request (class << 48 | ordinal, as in the trace) and batch,
 * those of transfers with bytes too; requests become rows of "request" (see trace/record.h) on a
 * track of their own; samples, requests and classes follow. What the trace's limit dropped is
 * counted as a problem, and the fact "complete_until_ns" says from where on. Owns nothing. Called
 * by the binding. */
#ifndef TDM_TRACE_SIMULATED_H
#define TDM_TRACE_SIMULATED_H

#include "trace/collect.h"
#include "trace/recorder.h"

#define TDM_SIMULATION "simulation" /* the source's format */

/* Begins a source called `path` and leaves it open: the caller may add facts, and ends it. What
 * the recorder's sink refuses is told then. */
tdm_status tdm_simulated_record(const tdm_trace *trace, const char *path, tdm_recorder *recorder,
                                tdm_error *error);

#endif
