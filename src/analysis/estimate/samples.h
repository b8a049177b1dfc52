/* Samples compared and described without assuming a distribution: Kolmogorov–Smirnov, Wasserstein,
 * quantiles with intervals. Pure functions; samples called sorted must ascend and have no NaN.
 * Called by the binding and by estimate/family. */
#ifndef TDM_ANALYSIS_ESTIMATE_SAMPLES_H
#define TDM_ANALYSIS_ESTIMATE_SAMPLES_H

#include <stddef.h>

typedef struct {
  double distance; /* the largest difference of the distribution functions */
  double p;        /* chance of so much or more if both are drawn from one continuous distribution;
                      too large with ties, never too small */
} tdm_ks;

/* p is exact up to 250,000 pairs, asymptotic beyond. Both samples have at least one value. */
tdm_ks tdm_ks_samples(const double *a, size_t a_count, const double *b, size_t b_count);

/* P(K > √n-scaled distance) of Kolmogorov's limit with Stephens' correction for n values. */
double tdm_kolmogorov_above(double distance, double n);

/* ∫ |F_a − F_b|: how far values must be moved, on average, to make one sample of the other. In the
 * unit of the values. */
double tdm_wasserstein(const double *a, size_t a_count, const double *b, size_t b_count);

/* The level-quantile (Hyndman & Fan type 7) and the order statistics between which the population's
 * lies with at least that confidence, whatever the distribution. An end is NaN where the sample is
 * too small to have one. */
typedef struct {
  double value, low, high;
} tdm_quantile;
tdm_quantile tdm_quantile_of(const double *sorted, size_t count, double level, double confidence);

#endif
