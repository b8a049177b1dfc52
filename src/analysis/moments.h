/* What many values come to: moments of durations, and how figures spread. Owns no state. */
#ifndef TDM_ANALYSIS_MOMENTS_H
#define TDM_ANALYSIS_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/answer.h"

/* Count, sum, mean, median, extremes and standard deviation of durations, as Nsight Systems counts
 * them: the median of an even number is the mean of the middle two, the deviation is the sample's
 * (n − 1), 0 for one value. */
typedef struct {
  size_t count;
  int64_t total, min, max; /* total is clamped to the range of int64 */
  double mean, median, deviation;
} tdm_moments;

/* Rearranges the values. Zero values give zeros. */
tdm_moments tdm_moments_of(int64_t *values, size_t count);

/* How values spread: count, mean, standard deviation of the sample (n − 1), extremes and quartiles,
 * interpolated linearly between order statistics as pandas' describe does. */
typedef struct {
  size_t count;
  double mean, deviation; /* deviation: NaN of a single value */
  double min, q25, median, q75, max;
} tdm_spread;

/* Sorts the values, none of which is negative or a NaN. Zeros when there are none. */
tdm_status tdm_spread_of(double *values, size_t count, tdm_spread *spread, tdm_error *error);

/* The fields of a frame that tdm_spread_put fills, with a unit behind their names. */
#define TDM_SPREAD_FIELDS(unit)                                                                    \
  {"count", TDM_FIELD_INT}, {"mean" unit, TDM_FIELD_REAL}, {"stddev" unit, TDM_FIELD_REAL},        \
      {"min" unit, TDM_FIELD_REAL}, {"q25" unit, TDM_FIELD_REAL}, {"median" unit, TDM_FIELD_REAL}, \
      {"q75" unit, TDM_FIELD_REAL}, {                                                              \
    "max" unit, TDM_FIELD_REAL                                                                     \
  }
enum { TDM_SPREAD_FIELD_COUNT = 8 };
void tdm_spread_put(const tdm_spread *spread, tdm_frame *frame, size_t first_field);

#endif
