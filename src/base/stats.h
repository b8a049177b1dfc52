/* Output analysis: confidence intervals and warm-up truncation.
 * Pure functions of their arguments. Called by the result builder and by searches. */
#ifndef TDM_BASE_STATS_H
#define TDM_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* What an estimate of a run's times rests on, enough or not; zeros elsewhere. */
typedef struct {
  double half;       /* of its interval before that is made longer, or what it would be */
  double excursions; /* beyond the figure; of a mean, beyond p99 */
  double telling;    /* … of those; see base/evidence.c */
  double worth;      /* independent requests, of a replication */
  double cycles;     /* ups and downs of a replication */
} tdm_evidence;

/* value ± half. half is NaN when the data cannot support an interval, value when there is none. */
typedef struct {
  double value;
  double half;
  double needs;      /* requests in all that would support one; 0: it is not known */
  bool needs_length; /* in longer replications; else in more of them as well */
  tdm_evidence seen;
} tdm_estimate;

/* Quantile of Student's t with `df` > 0 degrees of freedom (INFINITY: normal). */
double tdm_student_quantile(double p, double df);

/* Distribution function of Student's t. */
double tdm_student_cdf(double t, double df);

/* Mean of independent observations, one a replication, with its t interval. Also the interval of a
 * quantile by sectioning, when each observation is a replication's quantile. NaN observations (a
 * replication that saw nothing) are left out. confidence in (0, 1), for example 0.95. */
tdm_estimate tdm_interval(const double *observations, size_t count, double confidence);

/* Half-width about the mean of independent gaps (whose mean is near 0): the longer side of
 * Willink's interval for skewed data (Comm. Statist. Theory Meth. 34, 2005). NaN below two. */
double tdm_skewed_half(const double *gaps, size_t count, double confidence);

/* Mean of one correlated stationary series with a batch-means interval. Chooses the largest number
 * of batches whose means pass von Neumann's test for independence and widens the interval by what
 * lag-1 correlation is left; half = NaN when no number down to TDM_BATCHES_MIN passes.
 * *batches (may be NULL) receives the number used, 0 when none. */
#define TDM_BATCHES_MIN 8u
tdm_estimate tdm_batch_means(const double *series, size_t count, double confidence,
                             size_t *batches);

/* MSER: how many leading items of the series to discard, the d ≤ count/2 that minimises
 * Σ_{i≥d} (y_i − mean_d)² / (count − d)². Give it means of batches of five observations (MSER-5) or
 * of equal slices of time. A result of count/2 says that the run is too short to tell. */
size_t tdm_mser(const double *series, size_t count);

#endif
