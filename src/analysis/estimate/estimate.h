/* Statistics of measured times, pure functions of arrays: least squares, regression when noise is a
 * factor, samples compared, families of distributions. Called by the binding and by tests. */
#ifndef TDM_ANALYSIS_ESTIMATE_ESTIMATE_H
#define TDM_ANALYSIS_ESTIMATE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Linear least squares by QR, with what an error analysis needs: the condition of the columns and
 * the leverage of the rows. Pure functions; the caller owns every array. Called by regression. */

#define TDM_COLUMNS_MOST 16u

/* X = Q R, X of `rows` × `columns`, column by column: column j begins at j × rows. */
typedef struct {
  size_t rows, columns;
  double scale[TDM_COLUMNS_MOST]; /* columns were divided by these: their Euclidean norms */
  double r[TDM_COLUMNS_MOST * TDM_COLUMNS_MOST]; /* upper triangle by rows, of the scaled columns */
  double
      condition; /* largest ÷ smallest singular value of the scaled columns; INFINITY: singular */
} tdm_qr;

/* x becomes Q, an orthonormal basis of its columns. False when the columns are dependent to
 * working precision: only `condition` means anything then. */
bool tdm_qr_factor(double *x, size_t rows, size_t columns, tdm_qr *qr);

/* The coefficients of the columns as they were given: min ‖X b − y‖. */
void tdm_qr_solve(const tdm_qr *qr, const double *q, const double *y, double *b);

/* columns × columns: R⁻¹ M R⁻ᵀ in the units of the given columns, `middle` symmetric (a sum of
 * q qᵀ): a sandwich's covariance. NULL: the identity, so (XᵀX)⁻¹. */
void tdm_qr_sandwich(const tdm_qr *qr, const double *middle, double *out);

/* Regression of times on sizes when noise is a factor: y = (Σ b_j x_j)(1 + e), E e = 0.
 *
 * Coefficients solve Σ w (y − μ) x = 0 with w = μ^−power, found by reweighting until they settle.
 * Power 2 is efficient where noise is a factor, and with it the mean of y ÷ μ is 1; power 1 leaves
 * Σ μ = Σ y whatever the shape of the noise; 0 is ordinary least squares. All three estimate the
 * mean, never the median, so that totals are right. Their covariance assumes nothing about the
 * noise (White's sandwich, HC3); where residuals of successive rows are correlated, it is that of
 * sums over batches. No row is ever dropped: outliers are counted, and what a fit that bounds their
 * influence would have said stands beside.
 *
 * Pure functions of their arguments. Called by the binding and by tests. */

typedef struct {
  const double *const *columns; /* a constant is a column of ones */
  size_t count;                 /* of columns */
  const double *y;
  size_t rows;
  double power;
  bool series; /* rows are in order of time: look for correlation */
} tdm_regression_data;

typedef struct {
  double b[TDM_COLUMNS_MOST];
  double covariance[TDM_COLUMNS_MOST * TDM_COLUMNS_MOST]; /* columns × columns */
  double df;                                              /* of Student's t for intervals */
  double condition;                                       /* of the weighted, scaled columns */
  double spread; /* standard deviation of y ÷ μ − 1, rows − columns in the denominator */
  double log_likelihood;            /* of normal noise with variance ∝ μ^power */
  double total;                     /* Σ y ÷ Σ μ */
  double least;                     /* the smallest μ */
  double correlation;               /* of successive residuals */
  size_t batches;                   /* used for the covariance; 0: rows are taken as independent */
  bool drifts;                      /* no number of batches made them independent */
  double bounded[TDM_COLUMNS_MOST]; /* coefficients under Huber's bounded influence */
  double bounded_total;             /* Σ μ of those ÷ Σ μ */
  size_t outliers;                  /* more than 5 robust standard deviations off */
  double outlier_share;             /* their part of Σ y */
} tdm_regression;

/* mean (rows, the caller's) receives μ. TDM_INVALID says what is wrong with the data: too few rows,
 * dependent columns, values that are not finite, no fit with positive means. */
tdm_status tdm_regress(const tdm_regression_data *data, double *mean, tdm_regression *out,
                       tdm_error *error);

/* Samples compared and described without assuming a distribution: Kolmogorov–Smirnov, Wasserstein,
 * quantiles with intervals. Pure functions; samples called sorted must ascend and have no NaN.
 * Called by the binding and by estimate/family. */

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

/* Which distribution times have: maximum likelihood in the families that scenarios know, with
 * standard errors from Fisher's information and the distance that is left. Pure functions of a
 * sample. Called by the binding and by tests. */

typedef enum {
  TDM_FAMILY_CONSTANT,
  TDM_FAMILY_NORMAL,
  TDM_FAMILY_LOGNORMAL,
  TDM_FAMILY_GAMMA,
  TDM_FAMILY_EXPONENTIAL,
  TDM_FAMILY_WEIBULL,
  TDM_FAMILY_COUNT
} tdm_family;

/* Parameters as the literature has them: normal µ, σ; lognormal µ, σ of the logarithm; gamma mean,
 * shape; exponential mean; Weibull shape, scale; constant the value. */
typedef struct {
  tdm_family family;
  int parameters;
  double at[2], error[2];
  double mean, cv; /* of the fitted distribution */
  double log_likelihood;
  double distance; /* Kolmogorov–Smirnov, sample against the fitted distribution */
} tdm_family_fit;

/* NULL for a number that is none; TDM_FAMILY_COUNT for a name that is none. */
const char *tdm_family_name(tdm_family family);
tdm_family tdm_family_named(const char *name);

/* False where the family cannot have made the sample: values ≤ 0 for those of positive numbers,
 * values that differ for a constant, none that differ for the others, fewer than two. */
bool tdm_family_fit_sorted(tdm_family family, const double *sorted, size_t count,
                           tdm_family_fit *out);

/* Chance of a distance as large when the family is right and its parameters were estimated, as they
 * were: `draws` samples of at most 500 values, always the same ones. NaN for a constant, and when
 * memory is short. */
double tdm_family_p(const tdm_family_fit *fit, size_t count, unsigned draws);

#endif
