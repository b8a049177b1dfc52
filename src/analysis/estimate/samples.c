/* Samples compared and described without assuming a distribution: Kolmogorov–Smirnov, Wasserstein,
 * quantiles with intervals; see estimate.h. M. Stephens, J. R. Stat. Soc. B 32 (1970), for the
 * correction. */
#include "analysis/estimate/estimate.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/special.h"

#define EXACT_PAIRS 250000u

double tdm_kolmogorov_above(double distance, double n) {
  double root = sqrt(n), x = distance * (root + 0.12 + 0.11 / root);
  if (x < 0.04) return 1;
  double p = 0;
  if (x < 1) { /* Jacobi's transform of the series, which converges where x is small */
    for (int k = 1; k <= 9; k += 2) p += exp(-(k * k) * 9.8696044010893586 / (8 * x * x));
    return 1 - p * 2.5066282746310005 / x;
  }
  for (int k = 1; k <= 20; k++) p += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * x * x);
  return p;
}

/* A shuffle of both samples is a path from (0, 0) to (n, m). The part of the paths to (i, j) that
 * were always nearer than `steps` ÷ nm, by their last step. */
static double exact_above(size_t n, size_t m, double distance) {
  double *inside = tdm_array_new(m + 1, sizeof *inside);
  if (inside == NULL) return NAN;
  double limit = distance * (double)n * (double)m - 0.5; /* differences are whole parts of nm */
  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= m; j++) {
      double off = fabs((double)i * (double)m - (double)j * (double)n);
      double from_i = i > 0 ? inside[j] * (double)i : 0;
      double from_j = j > 0 ? inside[j - 1] * (double)j : 0;
      double all = (double)(i + j);
      inside[j] = off > limit ? 0 : all > 0 ? (from_i + from_j) / all : 1;
    }
  double p = 1 - inside[m];
  free(inside);
  return p;
}

tdm_ks tdm_ks_samples(const double *a, size_t a_count, const double *b, size_t b_count) {
  double most = 0, n = (double)a_count, m = (double)b_count;
  for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
    double at = fmin(a[i], b[j]);
    while (i < a_count && a[i] <= at) i++;
    while (j < b_count && b[j] <= at) j++;
    most = fmax(most, fabs((double)i / n - (double)j / m));
  }
  double p = NAN;
  if (most == 0)
    p = 1;
  else if (n * m <= EXACT_PAIRS)
    p = exact_above(a_count, b_count, most);
  if (isnan(p)) p = tdm_kolmogorov_above(most, n * m / (n + m));
  return (tdm_ks){most, fmin(fmax(p, 0), 1)};
}

double tdm_wasserstein(const double *a, size_t a_count, const double *b, size_t b_count) {
  double sum = 0, at = fmin(a[0], b[0]);
  for (size_t i = 0, j = 0; i < a_count || j < b_count;) {
    double next = fmin(i < a_count ? a[i] : INFINITY, j < b_count ? b[j] : INFINITY);
    sum += (next - at) * fabs((double)i / (double)a_count - (double)j / (double)b_count);
    at = next;
    while (i < a_count && a[i] <= at) i++;
    while (j < b_count && b[j] <= at) j++;
  }
  return sum;
}

/* P(at most k of n values are below the quantile). */
static double binomial_to(double k, double n, double p) {
  if (k < 0) return 0;
  return k >= n ? 1 : 1 - tdm_beta_i(k + 1, n - k, p);
}

/* The most k with P(at most k) ≤ limit; −1: none. */
static double most_within(double n, double p, double limit) {
  double low = -1, high = n;
  while (high - low > 1) {
    double middle = floor((low + high) / 2);
    if (binomial_to(middle, n, p) <= limit)
      low = middle;
    else
      high = middle;
  }
  return low;
}

tdm_quantile tdm_quantile_of(const double *sorted, size_t count, double level, double confidence) {
  double n = (double)count, tail = 0.5 * (1 - confidence);
  double at = level * (n - 1), whole = floor(at);
  size_t i = (size_t)whole, next = i + 1 < count ? i + 1 : i;
  tdm_quantile out = {sorted[i] + (at - whole) * (sorted[next] - sorted[i]), NAN, NAN};
  double below = most_within(n, level, tail); /* x₍below + 1₎ is above with chance ≤ tail */
  double above = most_within(n, 1 - level, tail); /* the same, counted from the largest */
  if (below >= 0) out.low = sorted[(size_t)below];
  if (above >= 0) out.high = sorted[count - 1 - (size_t)above];
  return out;
}
