/* Activity of lanes as signals, and how alike two of them are; see inside.h. */
#include "analysis/overlay/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- signals ---- */

/* The change that holds at a time; count: none yet. */
static size_t step_at(const tdm_lane_steps *steps, int64_t time_ns) {
  size_t low = 0, high = steps->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (steps->time_ns[middle] <= time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? steps->count : low - 1;
}

void tdm_signal_of(const tdm_lane_steps *steps, const tdm_signal_frame *frame, double *out) {
  memset(out, 0, frame->count * sizeof *out);
  size_t step = step_at(steps, frame->from_ns);
  if (step == steps->count) step = 0;
  for (; step + 1 < steps->count; step++) {
    if (steps->active[step] == 0) continue;
    double from = ((double)steps->time_ns[step] - (double)frame->from_ns) / frame->width_ns;
    double to = ((double)steps->time_ns[step + 1] - (double)frame->from_ns) / frame->width_ns;
    if (from >= (double)frame->count) break;
    if (to > (double)frame->count) to = (double)frame->count;
    if (from < 0) from = 0;
    size_t bin = (size_t)from;
    while (from < to && bin < frame->count) {
      double stop = fmin((double)(bin + 1), to);
      out[bin++] += (stop - from) * steps->active[step];
      from = stop;
    }
  }
}

double tdm_signal_alike(const double *a, const double *b, size_t count) {
  double a_sum = 0, b_sum = 0, aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < count; i++) {
    a_sum += a[i];
    b_sum += b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
  }
  double n = (double)count;
  double of_a = aa - a_sum * a_sum / n, of_b = bb - b_sum * b_sum / n;
  if (!(of_a > 1e-9 * aa) || !(of_b > 1e-9 * bb)) return 0;
  return (ab - a_sum * b_sum / n) / sqrt(of_a * of_b);
}

/* ---- Fourier transform: radix 2, decimation in time ---- */

static void reorder(double *values, size_t count) {
  for (size_t i = 1, j = 0; i < count; i++) {
    size_t bit = count >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    for (size_t part = 0; part < 2; part++) {
      double swap = values[2 * i + part];
      values[2 * i + part] = values[2 * j + part];
      values[2 * j + part] = swap;
    }
  }
}

static void combine(double *values, size_t count, size_t half, double sign) {
  const double turn = sign * acos(-1) / (double)half;
  for (size_t k = 0; k < half; k++) {
    double wr = cos(turn * (double)k), wi = sin(turn * (double)k);
    for (size_t i = k; i < count; i += 2 * half) {
      double *low = values + 2 * i, *high = values + 2 * (i + half);
      double re = high[0] * wr - high[1] * wi, im = high[0] * wi + high[1] * wr;
      high[0] = low[0] - re;
      high[1] = low[1] - im;
      low[0] += re;
      low[1] += im;
    }
  }
}

/* In place; 2^bits complex numbers, real and imaginary parts side by side. */
static void fft(double *values, unsigned bits, int inverse) {
  size_t count = (size_t)1 << bits;
  reorder(values, count);
  for (size_t half = 1; half < count; half *= 2) combine(values, count, half, inverse ? 1 : -1);
  for (size_t i = 0; inverse && i < 2 * count; i++) values[i] /= (double)count;
}

/* ---- sums of correlations ---- */

tdm_status tdm_correlation_sum_open(size_t a_count, size_t b_count, tdm_correlation_sum *out,
                                    tdm_error *error) {
  *out = (tdm_correlation_sum){.a_count = a_count, .b_count = b_count};
  while (((size_t)1 << out->bits) < a_count + b_count) out->bits++;
  size_t count = (size_t)2 << out->bits;
  out->spectrum = tdm_array_new(count, sizeof(double));
  out->work = tdm_array_new(count, sizeof(double));
  if (out->spectrum != NULL && out->work != NULL) return TDM_OK;
  tdm_correlation_sum_close(out);
  return tdm_error_memory(error, "a correlation", 2 * count * sizeof(double));
}

/* A signal without its mean and of norm 1, as every second number; 0: it never changes. */
static int put_normal(const double *signal, size_t count, double *out) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += signal[i];
  double mean = count > 0 ? sum / (double)count : 0;
  for (size_t i = 0; i < count; i++) squares += (signal[i] - mean) * (signal[i] - mean);
  if (!(squares > 1e-9 * mean * mean * (double)count)) return 0;
  double norm = 1 / sqrt(squares);
  for (size_t i = 0; i < count; i++) out[2 * i] = (signal[i] - mean) * norm;
  return 1;
}

void tdm_correlation_sum_add(tdm_correlation_sum *sum, const double *a, const double *b) {
  size_t count = (size_t)1 << sum->bits;
  double *z = sum->work;
  memset(z, 0, 2 * count * sizeof *z);
  if (!put_normal(a, sum->a_count, z) || !put_normal(b, sum->b_count, z + 1)) return;
  sum->pairs++;
  fft(z, sum->bits, 0); /* both at once: a + i b */
  for (size_t k = 0; k < count; k++) {
    size_t m = (count - k) & (count - 1);
    double ar = (z[2 * k] + z[2 * m]) / 2, ai = (z[2 * k + 1] - z[2 * m + 1]) / 2;
    double br = (z[2 * k + 1] + z[2 * m + 1]) / 2, bi = (z[2 * m] - z[2 * k]) / 2;
    sum->spectrum[2 * k] += ar * br + ai * bi; /* a · conj b */
    sum->spectrum[2 * k + 1] += ai * br - ar * bi;
  }
}

const double *tdm_correlation_sum_lags(tdm_correlation_sum *sum) {
  size_t count = (size_t)1 << sum->bits, lags = sum->a_count + sum->b_count - 1;
  memcpy(sum->work, sum->spectrum, 2 * count * sizeof(double));
  fft(sum->work, sum->bits, 1);
  double *out = sum->spectrum; /* done with */
  for (size_t i = 0; i < lags; i++) {
    size_t at = (i + count - (sum->b_count - 1)) & (count - 1);
    out[i] = sum->work[2 * at];
  }
  return out;
}

void tdm_correlation_sum_close(tdm_correlation_sum *sum) {
  free(sum->spectrum);
  free(sum->work);
  *sum = (tdm_correlation_sum){0};
}
