/* Activity of lanes as signals, and how alike two of them are.
 *
 * Owns no state but what a call allocates. Called by activity.c. */
#ifndef TDM_ANALYSIS_OVERLAY_SIGNAL_H
#define TDM_ANALYSIS_OVERLAY_SIGNAL_H

#include "analysis/overlay/lane_steps.h"

/* Bins of equal width from a time on: bin i is [from + i · width, from + (i + 1) · width). */
typedef struct {
  int64_t from_ns;
  double width_ns;
  size_t count;
} tdm_signal_frame;

/* How many were active in each bin, on average. */
void tdm_signal_of(const tdm_lane_steps *steps, const tdm_signal_frame *frame, double *out);

/* In place; 2^bits complex numbers, real and imaginary parts side by side. */
void tdm_fft(double *values, unsigned bits, int inverse);

/* Correlations by lag, of signals without their means and of norm 1: sum of a[t] · b[t − lag], lag
 * from −(b's count − 1) to a's count − 1, summed over all pairs that are added. */
typedef struct {
  unsigned bits;
  size_t a_count, b_count;
  double *spectrum, *work;
  uint32_t pairs; /* those that change at all */
} tdm_correlation_sum;
tdm_status tdm_correlation_sum_open(size_t a_count, size_t b_count, tdm_correlation_sum *out,
                                    tdm_error *error);
void tdm_correlation_sum_add(tdm_correlation_sum *sum, const double *a, const double *b);
/* The sum over lags: value[lag + b_count − 1], [a_count + b_count − 1] of them, the sum's own. */
const double *tdm_correlation_sum_lags(tdm_correlation_sum *sum);
void tdm_correlation_sum_close(tdm_correlation_sum *sum);

/* Pearson's correlation of a window of a with b at a lag: 0 where one does not change. */
double tdm_signal_alike(const double *a, const double *b, size_t count);

#endif
