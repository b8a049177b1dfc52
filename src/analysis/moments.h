/* Count, sum, mean, median, extremes and standard deviation of durations, as Nsight Systems counts
 * them: the median of an even number is the mean of the middle two, the deviation is the sample's
 * (n − 1), 0 for one value. Owns no state. */
#ifndef TDM_ANALYSIS_MOMENTS_H
#define TDM_ANALYSIS_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  size_t count;
  int64_t total, min, max; /* total is clamped to the range of int64 */
  double mean, median, deviation;
} tdm_moments;

/* Rearranges the values. Zero values give zeros. */
tdm_moments tdm_moments_of(int64_t *values, size_t count);

#endif
