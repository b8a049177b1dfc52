/* How many spans are active, as a step function of time.
 *
 * Spans' starts and ends are sorted apart and merged; all changes at one instant are one
 * step, and an instant where ends and starts cancel is none, so a server handed from one request
 * to the next shows no dip. Zero-length spans are never active.
 *
 * Owns two arrays of times. Called by the Chrome writer (its counters). */
#ifndef TDM_TRACE_SWEEP_H
#define TDM_TRACE_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct {
  int64_t *starts, *ends; /* sorted once ready */
  size_t count;           /* of each */
  size_t next_start, next_end;
  uint64_t active;
} tdm_sweep;

typedef struct {
  int64_t time_ns;
  uint64_t active; /* from time_ns on */
} tdm_step;

/* Span by span: begin with room for all that are coming, add them, and it is ready. When one fails,
 * nothing is left to close. */
tdm_status tdm_sweep_begin(tdm_sweep *sweep, size_t room, tdm_error *error);
static inline void tdm_sweep_add(tdm_sweep *sweep, int64_t start_ns, int64_t end_ns) {
  if (end_ns <= start_ns) return;
  sweep->starts[sweep->count] = start_ns;
  sweep->ends[sweep->count++] = end_ns;
}
tdm_status tdm_sweep_ready(tdm_sweep *sweep, tdm_error *error);

int tdm_sweep_next(tdm_sweep *sweep, tdm_step *step); /* 0: no more steps */
void tdm_sweep_close(tdm_sweep *sweep);

#endif
