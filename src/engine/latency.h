/* Latency statistics of a tally: exact where every latency was kept, by histogram where there were
 * too many (see tdm_exact). Called by engine/measure. */
#ifndef TDM_ENGINE_LATENCY_H
#define TDM_ENGINE_LATENCY_H

#include "engine/measure.h"

/* Fills counts, latency statistics and slo_s (at `levels`) of classes first…first+count-1 from
 * slice `from` on, and their histogram, which is cleared before. False: out of memory. */
bool tdm_latency_take(const tdm_tally *tally, size_t first, size_t count, uint32_t from,
                      const double *levels, size_t level_count, tdm_histogram *histogram,
                      tdm_class_measure *out);

/* The p99 of those who arrived in each slice, all classes, in seconds; NaN where nobody did. The
 * histogram is scratch. False: out of memory. */
bool tdm_latency_series(const tdm_tally *tally, tdm_histogram *scratch, double p99_s[TDM_SLICES]);

#endif
