/* Linear least squares by QR, with what an error analysis needs: the condition of the columns and
 * the leverage of the rows; see estimate.h.
 *
 * Columns are scaled to norm 1 first, so that bytes and tokens are alike and the condition number
 * speaks of their directions alone. */
#include "analysis/estimate/estimate.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-11 /* a column's part that the columns before it do not explain */

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

/* One-sided Jacobi on a copy of R: its column norms become the singular values. */
static double condition_of(const double *r, size_t n) {
  double a[TDM_COLUMNS_MOST * TDM_COLUMNS_MOST]; /* by columns */
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) a[j * n + i] = i <= j ? r[i * n + j] : 0;
  for (int sweep = 0; sweep < 60; sweep++) {
    double most = 0;
    for (size_t p = 0; p + 1 < n; p++)
      for (size_t q = p + 1; q < n; q++) {
        double *x = a + p * n, *y = a + q * n;
        double xx = dot(x, x, n), yy = dot(y, y, n), xy = dot(x, y, n);
        double size = sqrt(xx * yy);
        if (!(size > 0) || fabs(xy) <= 1e-15 * size) continue;
        if (fabs(xy) / size > most) most = fabs(xy) / size;
        double tau = (yy - xx) / (2 * xy);
        double t = copysign(1, tau) / (fabs(tau) + sqrt(1 + tau * tau));
        double c = 1 / sqrt(1 + t * t), s = c * t;
        for (size_t i = 0; i < n; i++) {
          double old = x[i];
          x[i] = c * old - s * y[i];
          y[i] = s * old + c * y[i];
        }
      }
    if (most < 1e-14) break;
  }
  double low = INFINITY, high = 0;
  for (size_t j = 0; j < n; j++) {
    double norm = sqrt(dot(a + j * n, a + j * n, n));
    low = fmin(low, norm);
    high = fmax(high, norm);
  }
  return low > 0 ? high / low : INFINITY;
}

/* Gram–Schmidt, each column orthogonalised twice, which is as orthogonal as Householder's. */
bool tdm_qr_factor(double *x, size_t rows, size_t columns, tdm_qr *qr) {
  memset(qr, 0, sizeof *qr);
  qr->rows = rows;
  qr->columns = columns;
  qr->condition = INFINITY;
  if (rows < columns || columns == 0) return false;
  for (size_t j = 0; j < columns; j++) {
    double *v = x + j * rows;
    double norm = sqrt(dot(v, v, rows));
    if (!(norm > 0) || isinf(norm)) return false;
    qr->scale[j] = norm;
    for (size_t i = 0; i < rows; i++) v[i] /= norm;
    for (int pass = 0; pass < 2; pass++)
      for (size_t k = 0; k < j; k++) {
        const double *u = x + k * rows;
        double along = dot(u, v, rows);
        qr->r[k * columns + j] += along;
        for (size_t i = 0; i < rows; i++) v[i] -= along * u[i];
      }
    double left = sqrt(dot(v, v, rows));
    if (!(left > DEPENDENT)) return false;
    qr->r[j * columns + j] = left;
    for (size_t i = 0; i < rows; i++) v[i] /= left;
  }
  qr->condition = condition_of(qr->r, columns);
  return true;
}

/* R z = z, in place. */
static void back_substitute(const tdm_qr *qr, double *z) {
  size_t n = qr->columns;
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++) z[i] -= qr->r[i * n + j] * z[j];
    z[i] /= qr->r[i * n + i];
  }
}

void tdm_qr_solve(const tdm_qr *qr, const double *q, const double *y, double *b) {
  for (size_t j = 0; j < qr->columns; j++) b[j] = dot(q + j * qr->rows, y, qr->rows);
  back_substitute(qr, b);
  for (size_t j = 0; j < qr->columns; j++) b[j] /= qr->scale[j];
}

void tdm_qr_sandwich(const tdm_qr *qr, const double *middle, double *out) {
  size_t n = qr->columns;
  double half[TDM_COLUMNS_MOST * TDM_COLUMNS_MOST], z[TDM_COLUMNS_MOST];
  for (size_t j = 0; j < n; j++) { /* half = R⁻¹ M, column by column */
    for (size_t i = 0; i < n; i++) z[i] = middle != NULL ? middle[i * n + j] : (double)(i == j);
    back_substitute(qr, z);
    for (size_t i = 0; i < n; i++) half[i * n + j] = z[i];
  }
  for (size_t i = 0; i < n; i++) { /* (R⁻¹ halfᵀ)ᵀ = half R⁻ᵀ, row by row */
    memcpy(z, half + i * n, n * sizeof *z);
    back_substitute(qr, z);
    for (size_t j = 0; j < n; j++) out[i * n + j] = z[j] / (qr->scale[i] * qr->scale[j]);
  }
}
