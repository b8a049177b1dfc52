/* Time in equal bins, and amounts spread over them. Owns no state. */
#ifndef TDM_ANALYSIS_BINS_H
#define TDM_ANALYSIS_BINS_H

#include "analysis/analysis.h"
#include "analysis/intervals.h"

#define TDM_BINS_MOST 10000

typedef struct {
  int64_t from_ns, to_ns;
  size_t count;
} tdm_bins;

/* Option bins (30; 1 … TDM_BINS_MOST). */
tdm_status tdm_bins_option(const tdm_options *options, size_t *count, tdm_error *error);

/* Where bin `index` begins; of `count`: where the last one ends. On whole nanoseconds. */
int64_t tdm_bins_edge(const tdm_bins *bins, size_t index);

/* Adds `rate` for every nanosecond from start to end to the sums of the bins it lies in. */
void tdm_bins_add(const tdm_bins *bins, int64_t start_ns, int64_t end_ns, double rate, double *sum);

/* Adds how long the set is in each bin. */
void tdm_bins_cover(const tdm_bins *bins, const tdm_intervals *set, double *sum);

#endif
