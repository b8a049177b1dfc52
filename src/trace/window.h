/* Which records fit under a limit: those that start before a cut-off in time.
 *
 * Times are counted in a log-linear grid (64 steps an octave, exact below 64 ns). When more than
 * `limit` records were admitted, the cut-off falls, step by step, until the rest fit. Counts only
 * grow, so the final cut-off depends on the set of records and not on their order. Loses at most
 * 1/64 of the covered time to the grid. Used by collect.c alone. */
#ifndef TDM_TRACE_WINDOW_H
#define TDM_TRACE_WINDOW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TDM_WINDOW_STEPS (58u * 64u) /* covers every non-negative int64 */

typedef struct {
  size_t limit;
  size_t kept;
  uint64_t dropped;
  uint32_t cutoff; /* steps at and above are given up */
  uint64_t counts[TDM_WINDOW_STEPS];
} tdm_window;

static inline void tdm_window_init(tdm_window *window, size_t limit) {
  memset(window, 0, sizeof *window);
  window->limit = limit;
  window->cutoff = TDM_WINDOW_STEPS;
}

static inline uint32_t tdm_window_step(int64_t time_ns) {
  if (time_ns < 64) return time_ns < 0 ? 0 : (uint32_t)time_ns;
  uint32_t octave = 63u - (uint32_t)__builtin_clzll((uint64_t)time_ns);
  return (octave - 5) * 64 + ((uint32_t)(time_ns >> (octave - 6)) & 63);
}

static inline int tdm_window_holds(const tdm_window *window, int64_t time_ns) {
  return tdm_window_step(time_ns) < window->cutoff;
}

/* Counts a record; true when it is to be kept. */
static inline int tdm_window_admit(tdm_window *window, int64_t time_ns) {
  uint32_t step = tdm_window_step(time_ns);
  if (step >= window->cutoff) {
    window->dropped++;
    return 0;
  }
  window->counts[step]++;
  window->kept++;
  return 1;
}

/* Takes back an admission whose record could not be stored. */
static inline void tdm_window_retract(tdm_window *window, int64_t time_ns) {
  window->counts[tdm_window_step(time_ns)]--;
  window->kept--;
}

/* Lowers the cut-off until the kept records fit; true when it moved over kept records, and the
 * owner must discard those that the window no longer holds. */
static inline int tdm_window_shrink(tdm_window *window) {
  if (window->kept <= window->limit) return 0;
  while (window->kept > window->limit) {
    uint64_t given_up = window->counts[--window->cutoff];
    window->counts[window->cutoff] = 0;
    window->kept -= (size_t)given_up;
    window->dropped += given_up;
  }
  return 1;
}

/* The time of the cut-off; INT64_MAX when nothing was given up. */
static inline int64_t tdm_window_until(const tdm_window *window) {
  uint32_t step = window->cutoff;
  if (step >= TDM_WINDOW_STEPS) return INT64_MAX;
  if (step < 64) return (int64_t)step;
  return (int64_t)(64 + (step & 63)) << (step / 64 - 1);
}

#endif
