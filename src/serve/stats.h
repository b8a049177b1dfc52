/* What a server counts of itself, for GET /metrics. Written by the daemon's thread, read by
 * workers. */
#ifndef TDM_SERVE_STATS_H
#define TDM_SERVE_STATS_H

#include <stdatomic.h>
#include <stdint.h>

enum { TDM_LATENCIES = 8 };
/* Upper ends of the histogram's classes; the last has none. */
static const double tdm_latency_ends_s[TDM_LATENCIES - 1] = {0.001, 0.005, 0.025, 0.1,
                                                             0.5,   2.5,   10};

typedef struct {
  atomic_uint_fast64_t answers[6]; /* by the first digit of the status */
  atomic_uint_fast64_t latencies[TDM_LATENCIES];
  atomic_uint_fast64_t latency_ns; /* of all together */
  atomic_uint_fast64_t received_bytes;
  atomic_uint_fast64_t refused; /* before a handler saw them */
  atomic_uint_fast64_t cut;     /* connections that were too slow */
  atomic_int_fast64_t in_flight;
} tdm_stats;

#endif
