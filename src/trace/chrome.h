/* Writes a collected trace as Chrome trace JSON, which Perfetto and chrome://tracing open.
 *
 * One process per place (the host first, then the GPUs), one thread per sub-lane of a track, spans
 * as complete events (X), requests as flows (s, t, f) from span to span, counters (C) for queued
 * requests and active GPU, transfer and CPU work, computed from the spans. Times are microseconds
 * with exactly three decimals, so nothing is rounded. Events stand in canonical order (order.h):
 * equal traces give equal bytes. The file appears under its name only when it is complete.
 *
 * Called by the command line and the binding. */
#ifndef TDM_TRACE_CHROME_H
#define TDM_TRACE_CHROME_H

#include "trace/collect.h"

/* A line of "otherData": the scenario's name, its seed, the program's version. */
typedef struct {
  const char *key;
  const char *value;
} tdm_chrome_note;

typedef struct {
  const tdm_chrome_note *notes;
  size_t note_count;
  uint64_t flow_requests; /* flows for the first so many requests of each class; 0: none */
  int counters;           /* the four computed ones; sampled counters are always written */
} tdm_chrome_options;

#define TDM_CHROME_DEFAULTS ((tdm_chrome_options){.flow_requests = 10000, .counters = 1})

/* `options` may be NULL: the defaults. What the trace had to drop stands in "otherData". */
tdm_status tdm_chrome_write(const tdm_trace *trace, const char *path,
                            const tdm_chrome_options *options, tdm_error *error);

#endif
