/* How many spans are active, as a step function of time.
 *
 * Chosen spans' starts and ends are sorted apart and merged; all changes at one instant are one
 * step, and an instant where ends and starts cancel is none, so a server handed from one request
 * to the next shows no dip. Zero-length spans are never active.
 *
 * Owns two arrays of times. Called by the Chrome writer (counters) and activity.c. */
#ifndef TDM_TRACE_SWEEP_H
#define TDM_TRACE_SWEEP_H

#include "trace/collect.h"

typedef struct {
  int64_t *starts, *ends; /* sorted */
  size_t count;           /* of each */
  size_t next_start, next_end;
  uint64_t active;
} tdm_sweep;

typedef struct {
  int64_t time_ns;
  uint64_t active; /* from time_ns on */
} tdm_step;

/* Takes the spans on tracks t with chosen[t] != 0; `chosen` has tdm_trace_tracks() entries. */
tdm_status tdm_sweep_open(tdm_sweep *sweep, const tdm_trace *trace, const unsigned char *chosen,
                          tdm_error *error);
int tdm_sweep_next(tdm_sweep *sweep, tdm_step *step); /* 0: no more steps */
void tdm_sweep_close(tdm_sweep *sweep);

#endif
