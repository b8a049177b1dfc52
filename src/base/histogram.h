/* Log-linear histogram of times: 128 buckets an octave, found from the top bits of the time as a
 * double. A bucket is at most 1/128 of its lower bound wide, so a bucket's midpoint is within
 * 0.39 % of anything in it. Merging adds integers, hence is exact and independent of order.
 *
 * Owns its counts. Filled by engines (adding to `counts` directly is allowed as long as total,
 * min_ns and max_ns follow), read by the result builder. Not locked: one per thread, merged
 * afterwards. */
#ifndef TDM_BASE_HISTOGRAM_H
#define TDM_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

#define TDM_HISTOGRAM_PER_OCTAVE 128u
/* One for zero, 63 octaves, one for 2^63 to which the largest times round. */
#define TDM_HISTOGRAM_BUCKETS (63u * TDM_HISTOGRAM_PER_OCTAVE + 2u)

typedef struct {
  uint64_t *counts; /* TDM_HISTOGRAM_BUCKETS of them */
  uint64_t total;
  int64_t min_ns; /* INT64_MAX while empty */
  int64_t max_ns; /* INT64_MIN while empty */
} tdm_histogram;

/* Bucket of a time; negative times count as zero. */
static inline uint32_t tdm_histogram_bucket(int64_t ns) {
  if (ns <= 0) {
    return 0;
  }
  double value = (double)ns;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint32_t)((bits >> 45) - 1023u * TDM_HISTOGRAM_PER_OCTAVE) + 1u;
}

/* A bucket holds lower ≤ ns < upper. Bucket 0 holds exactly 0. */
double tdm_histogram_lower(uint32_t bucket);
double tdm_histogram_upper(uint32_t bucket);

/* Fills *histogram; free with tdm_histogram_free (which is fine on a zeroed struct too). */
tdm_status tdm_histogram_new(tdm_histogram *histogram, tdm_error *error);
void tdm_histogram_free(tdm_histogram *histogram);
void tdm_histogram_clear(tdm_histogram *histogram);

static inline void tdm_histogram_add(tdm_histogram *histogram, int64_t ns) {
  histogram->counts[tdm_histogram_bucket(ns)]++;
  histogram->total++;
  histogram->min_ns = ns < histogram->min_ns ? ns : histogram->min_ns;
  histogram->max_ns = ns > histogram->max_ns ? ns : histogram->max_ns;
}

/* Adds `from` into `into`. */
void tdm_histogram_merge(tdm_histogram *into, const tdm_histogram *from);

/* The time in ns below which the fraction q of the samples lies: the bucket by rank, linear inside
 * it, within min_ns…max_ns. NaN when empty. */
double tdm_histogram_quantile(const tdm_histogram *histogram, double q);

/* From bucket midpoints: within 0.39 % of the samples' mean. NaN when empty. */
double tdm_histogram_mean(const tdm_histogram *histogram);
/* Standard deviation of the samples (divisor total - 1), from midpoints. NaN below two samples. */
double tdm_histogram_sd(const tdm_histogram *histogram);

#endif
