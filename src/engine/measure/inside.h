/* What the files of this room share: sums as means, LLM servers by themselves, latencies, what a
 * server can take. */
#ifndef TDM_ENGINE_MEASURE_INSIDE_H
#define TDM_ENGINE_MEASURE_INSIDE_H

#include <math.h>

#include "engine/measure/measure.h"
#include "engine/tally.h"

static inline double tdm_measure_ratio(double a, double b) {
  return b > 0 ? a / b : NAN;
}
/* Of a time average: in a window without length nothing was busy. */
static inline double tdm_measure_share(double area, double window) {
  return window > 0 ? area / window : 0;
}
static inline double tdm_measure_seconds(int64_t ns) {
  return (double)ns / 1e9; /* one rounding: equal times stay equal */
}

/* What is kept of a tally, and in how many sections. */
typedef struct {
  uint32_t from;         /* the first slice */
  uint32_t replications; /* this is one of so many */
  size_t smooth;         /* neighbours whose mean says whether an excursion has ended */
  tdm_histogram whole;   /* scratch, and … */
  tdm_histogram part;    /* … for sections; NULL counts: a replication is one */
} tdm_cut;

/* Of all of them. */
tdm_status tdm_measure_servers(const tdm_model *model, const tdm_tally *t, tdm_cut *cut,
                               tdm_measure *m, tdm_error *error);
/* Server i's values of slice k, those of stations being there. */
void tdm_measure_server_slice(const tdm_model *model, const tdm_tally *t, size_t i, uint32_t k,
                              tdm_measure *m);
void tdm_measure_free_server(tdm_server_measure *server);

/* Of all classes, what their service times say of the error of their waits: tails.c. */
tdm_status tdm_measure_tails(const tdm_model *model, tdm_measure *m, tdm_error *error);

/* Latency statistics of a tally: exact where every latency was kept, by histogram where there were
 * too many (see tdm_exact). */

/* Fills counts, latency statistics and sections of classes first…first+count-1, and their
 * histogram, which is cleared before. False: out of memory. */
bool tdm_latency_take(const tdm_tally *tally, size_t first, size_t count, tdm_cut *cut,
                      tdm_histogram *histogram, tdm_class_measure *out);

/* The p99 of those who arrived in each slice, all classes, in seconds; NaN where nobody did. The
 * histogram is scratch. False: out of memory. */
bool tdm_latency_series(const tdm_tally *tally, tdm_histogram *scratch, double p99_s[TDM_SLICES]);

/* About how many requests a second an LLM server can take at most: what its step models say of
 * steps that are full, for requests of mean size.
 *
 * Optimistic where it must choose: prompts that caches have save their computation and blocks,
 * routers lose nothing, nobody is preempted, batches are as large as is best up to the largest. So
 * a server that is offered more is overloaded, while one that is offered less may be. Owns nothing.
 * Called by backlog. */

/* Requests of mean size. */
typedef struct {
  double prompt_tokens, cached_tokens; /* cached: of the prompt */
  double decode_steps;                 /* one token each, after the first */
  double context;                      /* tokens that a decode step of it reads */
} tdm_request_size;

/* All replicas together; NaN: it cannot be said (batches that finish together, drafted tokens,
 * steps timed by the user's function). *by_steps: larger batches would not help, steps are what
 * limits. */
double tdm_capability_per_s(const tdm_llm_server *server, const tdm_request_size *size,
                            bool *by_steps);

#endif
