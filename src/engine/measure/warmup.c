/* Averages series over replications and finds the cut. Owns nothing. */
#include "engine/measure/measure.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/stats.h"

#define LEAST_BATCHES 20 /* below 100 requests nothing can be said about a warm-up */

/* Sum of the series' k-th batch when batches are `merged` of its own, and the last arrival in it.
 */
static double batch_sum(const tdm_series *series, size_t k, size_t merged, double *arrival_ns) {
  double sum = 0;
  for (size_t i = k * merged; i < (k + 1) * merged; i++) sum += (double)series->sums_ns[i];
  *arrival_ns = (double)series->arrivals_ns[(k + 1) * merged - 1];
  return sum;
}

/* Users of a closed loop begin all at once, a crowd that never comes again. Latencies of whole
 * requests need not show it: the first turns of conversations wait, whose last ones take the most.
 * So the first round of all users is left out, up to the last replication's end of it. A run of
 * which that is more than half has nothing else to show, and nothing is cut. */
static void leave_first_round(tdm_tally *const *tallies, size_t count, int64_t *warmup_ns,
                              bool *unsettled) {
  int64_t end_ns = 0;
  for (size_t r = 0; r < count; r++) {
    const tdm_tally *t = tallies[r];
    if (t->round_left > 0 || t->round_end_ns > t->last_arrival_ns / 2) {
      *unsettled = true;
      return;
    }
    if (t->round_end_ns > end_ns) end_ns = t->round_end_ns;
  }
  if (end_ns > *warmup_ns) *warmup_ns = end_ns;
}

/* The cut by the latencies of whole requests; none when there are too few of them to tell. */
static tdm_status cut_by_latency(tdm_tally *const *tallies, size_t count, int64_t *warmup_ns,
                                 bool *unsettled, tdm_error *error) {
  size_t batch = 0, batches = SIZE_MAX;
  for (size_t r = 0; r < count; r++)
    if (tallies[r]->series.batch > batch) batch = tallies[r]->series.batch;
  for (size_t r = 0; r < count; r++) {
    size_t own = tallies[r]->series.count / (batch / tallies[r]->series.batch);
    if (own < batches) batches = own;
  }
  if (batches < LEAST_BATCHES) return TDM_OK;
  double *means = tdm_array_new(2 * batches, sizeof *means);
  if (means == NULL) return tdm_error_memory(error, "warm-up", 2 * batches * sizeof *means);
  double *arrivals = means + batches;
  for (size_t r = 0; r < count; r++)
    for (size_t k = 0; k < batches; k++) {
      double arrival_ns;
      size_t merged = batch / tallies[r]->series.batch;
      means[k] += batch_sum(&tallies[r]->series, k, merged, &arrival_ns);
      arrivals[k] += arrival_ns / (double)count;
    }
  size_t cut = tdm_mser(means, batches);
  *unsettled = cut >= batches / 2;
  if (cut > 0) *warmup_ns = (int64_t)arrivals[cut - 1];
  for (size_t r = 0; r < count; r++) /* never more than half: the rest must carry the estimate */
    if (tallies[r]->bounds_ns[TDM_SLICES / 2] < *warmup_ns)
      *warmup_ns = tallies[r]->bounds_ns[TDM_SLICES / 2];
  free(means);
  return TDM_OK;
}

tdm_status tdm_warmup_find(tdm_tally *const *tallies, size_t count, int64_t *warmup_ns,
                           bool *unsettled, tdm_error *error) {
  *warmup_ns = 0;
  *unsettled = false;
  if (count == 0) return TDM_OK;
  tdm_status status = cut_by_latency(tallies, count, warmup_ns, unsettled, error);
  if (status == TDM_OK) leave_first_round(tallies, count, warmup_ns, unsettled);
  return status;
}
