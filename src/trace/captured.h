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
#ifndef TDM_TRACE_CAPTURED_H
#define TDM_TRACE_CAPTURED_H

#include "trace/recording.h"

typedef enum {
  TDM_CAPTURED_NVTX,   /* ranges are NVTX ranges */
  TDM_CAPTURED_KINETO, /* ranges are user annotations; copies say their bandwidth */
} tdm_captured_manner;

/* Pushes the capture into `sink`, as one source. TDM_INVALID: the run was not simulated, or its
 * trace tells no requests. */
tdm_status tdm_captured(const tdm_recording *simulated, tdm_captured_manner manner,
                        const tdm_record_sink *sink, tdm_error *error);

#endif
