/* Linear least squares by QR, with what an error analysis needs: the condition of the
 * columns and the leverage of the rows. Pure functions; the caller owns every array. Called by
 * estimate/regression. */
#ifndef TDM_ANALYSIS_ESTIMATE_LEAST_SQUARES_H
#define TDM_ANALYSIS_ESTIMATE_LEAST_SQUARES_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
