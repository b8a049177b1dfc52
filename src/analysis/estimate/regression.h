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
#ifndef TDM_ANALYSIS_ESTIMATE_REGRESSION_H
#define TDM_ANALYSIS_ESTIMATE_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/estimate/least_squares.h"
#include "base/error.h"

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

#endif
