/* What was simulated as records: a collected trace as it is, and a run as a profiler would have
 * captured it. */
#ifndef TDM_TRACE_SIMULATED_SIMULATED_H
#define TDM_TRACE_SIMULATED_SIMULATED_H

#include "trace/collect.h"
#include "trace/recorder.h"
#include "trace/recording.h"

/* A simulated trace as records: what was collected from the engine, pushed into a recorder.
 *
 * Tracks become tracks (a QUEUE track a queue, every other one a server), their spans rows of
 * "wait" or "stage" with the arguments request (class << 48 | ordinal, as in the trace) and batch,
 * those of transfers with bytes too; requests become rows of "request" (see trace/record.h) on a
 * track of their own; samples, requests and classes follow. What the trace's limit dropped is
 * counted as a problem, and the fact "complete_until_ns" says from where on. Owns nothing. Called
 * by the binding. */
#define TDM_SIMULATION "simulation" /* the source's format */

/* Begins a source called `path` and leaves it open: the caller may add facts, and ends it. What
 * the recorder's sink refuses is told then. */
tdm_status tdm_simulated_record(const tdm_trace *trace, const char *path, tdm_recorder *recorder,
                                tdm_error *error);

/* A simulated run as a profiler would have captured it: the service that the scenario describes,
 * with a thread for each request in flight.
 *
 *   request        a range on the lowest thread that is free, from its arrival to its end:
 *                  "request 17 tokens=128", with class=NAME where there are several classes
 *   CPU stage, or a delay without a resource
 *                  a range inside it, named as the stage
 *   H2D, D2H stage a copy on a copy stream of its GPU, and the cudaMemcpyAsync that asked for it
 *   GPU stage      a kernel named as the stage on a compute stream of its GPU, as many streams as
 *                  run at once, and the cudaLaunchKernel that asked for it
 *   waiting        a gap: a call is made when the request enters the queue and takes no time, which
 *                  the model has none for
 *   batch          one piece of work, asked for by its first member when the last has come; the
 *                  others wait for it in a range named as the stage
 *
 * Times are those of the simulation, exact. Copies are between pinned memory and the device: they
 * run while the host does something else. Owns nothing; called by the binding. */

typedef enum {
  TDM_CAPTURED_NVTX,   /* ranges are NVTX ranges */
  TDM_CAPTURED_KINETO, /* ranges are user annotations; copies say their bandwidth */
} tdm_captured_manner;

/* Pushes the capture into `sink`, as one source. TDM_INVALID: the run was not simulated, or its
 * trace tells no requests. */
tdm_status tdm_captured(const tdm_recording *simulated, tdm_captured_manner manner,
                        const tdm_record_sink *sink, tdm_error *error);

#endif
