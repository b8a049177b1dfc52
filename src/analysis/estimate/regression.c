/* Regression of times on sizes when noise is a factor: y = (Σ b_j x_j)(1 + e), E e = 0; see
 * estimate.h.
 *
 * H. White, Econometrica 48 (1980); J. MacKinnon and H. White, J. Econometrics 29 (1985): HC3; P.
 * Huber, Ann. Math. Stat. 35 (1964). */
#include "analysis/estimate/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"

#define ROUNDS_MOST   200
#define SETTLED       1e-12
#define HUBER         1.345 /* 95 % efficient under normal noise */
#define HUBER_ROUNDS  30
#define OUTLIER       5.0
#define MAD_TO_SIGMA  1.482602218505602
#define LEAST_SPREAD  1e-9 /* noise below a nanosecond in a second is rounding */
#define SERIES_LEAST  32u
#define CORRELATED    2.575829303548901 /* of a normal at 99 % */
#define LEVERAGE_MOST 0.9999

typedef struct {
  const tdm_regression_data *data;
  double *q;        /* rows × columns */
  double *weighted; /* √w y, then residuals √w (y − μ) */
  double *leverage;
  double *extra; /* weights of bounded influence; scratch */
  double *mean;
  double floor; /* no μ is weighted as if it were smaller */
  tdm_qr qr;
} work;

static double weight_root(const work *w, size_t i) {
  double mean = fmax(w->mean[i], w->floor);
  double power = w->data->power;
  return power == 2 ? 1 / mean : power == 0 ? 1 : pow(mean, -0.5 * power);
}

/* μ of coefficients b; how far it moved, relative to its sum. */
static double set_mean(work *w, const double *b) {
  const tdm_regression_data *d = w->data;
  double moved = 0, sum = 0;
  for (size_t i = 0; i < d->rows; i++) {
    double mean = 0;
    for (size_t j = 0; j < d->count; j++) mean += b[j] * d->columns[j][i];
    moved += fabs(mean - w->mean[i]);
    sum += fabs(mean);
    w->mean[i] = mean;
  }
  return sum > 0 ? moved / sum : moved;
}

/* One weighted least-squares step at the present μ; extra: further weights, or NULL. */
static bool step(work *w, const double *extra, bool flat, double *b) {
  const tdm_regression_data *d = w->data;
  for (size_t i = 0; i < d->rows; i++) {
    double root = flat ? 1 : weight_root(w, i);
    if (extra != NULL) root *= sqrt(extra[i]);
    w->weighted[i] = root * d->y[i];
    for (size_t j = 0; j < d->count; j++) w->q[j * d->rows + i] = root * d->columns[j][i];
  }
  if (!tdm_qr_factor(w->q, d->rows, d->count, &w->qr)) return false;
  tdm_qr_solve(&w->qr, w->q, w->weighted, b);
  return true;
}

/* Weights and coefficients settle together; half steps where they would go to and fro. */
static bool settle(work *w, double *b) {
  size_t count = w->data->count;
  double last[TDM_COLUMNS_MOST];
  if (!step(w, NULL, true, b)) return false;
  set_mean(w, b);
  for (int round = 0; round < ROUNDS_MOST; round++) {
    memcpy(last, b, count * sizeof *b);
    if (!step(w, NULL, false, b)) return false;
    if (round > 20)
      for (size_t j = 0; j < count; j++) b[j] = 0.5 * (b[j] + last[j]);
    if (set_mean(w, b) < SETTLED) break;
  }
  return step(w, NULL, false, b); /* Q at the final weights */
}

/* Residuals √w (y − μ) into w->weighted, and the leverage of rows. */
static void residuals(work *w) {
  const tdm_regression_data *d = w->data;
  for (size_t i = 0; i < d->rows; i++) {
    double leverage = 0;
    for (size_t j = 0; j < d->count; j++) leverage += w->q[j * d->rows + i] * w->q[j * d->rows + i];
    w->leverage[i] = fmin(leverage, LEVERAGE_MOST);
    w->weighted[i] = weight_root(w, i) * (d->y[i] - w->mean[i]);
  }
}

static void measure_noise(const work *w, tdm_regression *out) {
  const tdm_regression_data *d = w->data;
  double n = (double)d->rows, squares = 0, relative = 0, logs = 0, of_y = 0, of_mean = 0;
  out->least = INFINITY;
  for (size_t i = 0; i < d->rows; i++) {
    double ratio = d->y[i] / w->mean[i] - 1;
    relative += ratio * ratio;
    squares += w->weighted[i] * w->weighted[i];
    logs -= 2 * log(weight_root(w, i));
    of_y += d->y[i];
    of_mean += w->mean[i];
    out->least = fmin(out->least, w->mean[i]);
  }
  double typical = pow(of_mean / n, 1 - 0.5 * d->power) * LEAST_SPREAD;
  double variance = fmax(squares / n, typical * typical);
  out->spread = sqrt(relative / (n - (double)d->count));
  out->log_likelihood = -0.5 * (n * (log(2 * 3.14159265358979323846 * variance) + 1) + logs);
  out->total = of_y / of_mean;
}

/* Whether successive residuals are correlated, and into how many batches they must be put. */
static void find_batches(const work *w, tdm_regression *out) {
  size_t n = w->data->rows;
  double lagged = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    squares += w->weighted[i] * w->weighted[i];
    if (i > 0) lagged += w->weighted[i] * w->weighted[i - 1];
  }
  out->correlation = squares > 0 ? lagged / squares : 0;
  if (!w->data->series || n < SERIES_LEAST ||
      fabs(out->correlation) * sqrt((double)n) < CORRELATED || out->spread < LEAST_SPREAD)
    return;
  tdm_batch_means(w->weighted, n, 0.95, &out->batches);
  out->drifts = out->batches == 0;
  if (out->drifts) out->batches = TDM_BATCHES_MIN;
  if (out->batches <= w->data->count + 1) out->batches = 0;
}

/* Rows alone (HC3), or summed over batches of successive rows. */
static void covariance(const work *w, tdm_regression *out) {
  const tdm_regression_data *d = w->data;
  size_t n = d->rows, k = d->count, groups = out->batches > 0 ? out->batches : n;
  double middle[TDM_COLUMNS_MOST * TDM_COLUMNS_MOST] = {0};
  for (size_t g = 0, i = 0; g < groups; g++) {
    double sum[TDM_COLUMNS_MOST] = {0};
    for (size_t end = (size_t)((double)(g + 1) * (double)n / (double)groups + 0.5); i < end; i++) {
      double e = w->weighted[i] / (1 - w->leverage[i]);
      for (size_t j = 0; j < k; j++) sum[j] += w->q[j * n + i] * e;
    }
    for (size_t a = 0; a < k; a++)
      for (size_t b = 0; b < k; b++) middle[a * k + b] += sum[a] * sum[b];
  }
  out->df = (double)(n - k);
  if (out->batches > 0) {
    double g = (double)out->batches;
    out->df = g - 1;
    for (size_t a = 0; a < k * k; a++) middle[a] *= g / (g - 1);
  }
  tdm_qr_sandwich(&w->qr, middle, out->covariance);
}

static int ascending(const void *x, const void *y) {
  const double *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

static double robust_spread(const work *w) {
  size_t n = w->data->rows;
  for (size_t i = 0; i < n; i++) w->extra[i] = fabs(w->weighted[i]);
  qsort(w->extra, n, sizeof *w->extra, ascending);
  return MAD_TO_SIGMA * 0.5 * (w->extra[(n - 1) / 2] + w->extra[n / 2]);
}

/* The same regression with residuals beyond 1.345 robust deviations counted less. Weights by μ stay
 * those of the first fit, whose μ is in w->mean. Rearranges w. */
static void bound_influence(work *w, tdm_regression *out) {
  const tdm_regression_data *d = w->data;
  double sum = 0, all = 0, bounded = 0, spread = robust_spread(w);
  memcpy(out->bounded, out->b, d->count * sizeof *out->b);
  out->bounded_total = 1;
  if (!(spread > 0) || out->spread < LEAST_SPREAD) return;
  for (size_t i = 0; i < d->rows; i++) {
    all += d->y[i];
    if (fabs(w->weighted[i]) <= OUTLIER * spread) continue;
    out->outliers++;
    sum += d->y[i];
  }
  out->outlier_share = sum / all;
  for (int round = 0; round < HUBER_ROUNDS; round++) {
    for (size_t i = 0; i < d->rows; i++)
      w->extra[i] = fmin(1, HUBER * spread / fmax(fabs(w->weighted[i]), 1e-300));
    double last[TDM_COLUMNS_MOST];
    memcpy(last, out->bounded, sizeof last);
    if (!step(w, w->extra, false, out->bounded)) break;
    double moved = 0;
    for (size_t j = 0; j < d->count; j++)
      moved = fmax(moved, fabs(out->bounded[j] - last[j]) / fmax(fabs(last[j]), 1e-300));
    for (size_t i = 0; i < d->rows; i++) {
      double mean = 0;
      for (size_t j = 0; j < d->count; j++) mean += out->bounded[j] * d->columns[j][i];
      w->weighted[i] = weight_root(w, i) * (d->y[i] - mean);
    }
    if (moved < 1e-9) break;
    spread = robust_spread(w);
  }
  double total = 0;
  for (size_t i = 0; i < d->rows; i++) {
    total += w->mean[i];
    for (size_t j = 0; j < d->count; j++) bounded += out->bounded[j] * d->columns[j][i];
  }
  out->bounded_total = bounded / total;
}

static tdm_status check(const tdm_regression_data *d, double *floor, tdm_error *error) {
  if (d->count == 0 || d->count > TDM_COLUMNS_MOST)
    return tdm_error_set(error, TDM_INVALID, "a regression has 1 to %u columns, not %zu",
                         TDM_COLUMNS_MOST, d->count);
  if (d->rows <= d->count)
    return tdm_error_set(error, TDM_INVALID, "%zu values cannot tell %zu coefficients", d->rows,
                         d->count);
  double sum = 0;
  for (size_t i = 0; i < d->rows; i++) {
    bool finite = isfinite(d->y[i]);
    for (size_t j = 0; j < d->count; j++) finite = finite && isfinite(d->columns[j][i]);
    if (!finite) return tdm_error_set(error, TDM_INVALID, "value %zu is not a number", i + 1);
    sum += d->y[i];
  }
  if (!(sum > 0)) return tdm_error_set(error, TDM_INVALID, "the values do not sum to a time");
  *floor = 1e-3 * sum / (double)d->rows;
  return TDM_OK;
}

static tdm_status fit(work *w, tdm_regression *out, tdm_error *error) {
  if (!settle(w, out->b)) {
    out->condition = w->qr.condition;
    return tdm_error_set(error, TDM_INVALID,
                         "the columns are collinear: some are sums of the others");
  }
  out->condition = w->qr.condition;
  residuals(w);
  measure_noise(w, out);
  if (!(out->least > 0))
    return tdm_error_set(error, TDM_INVALID, "the best fit has times that are not above 0");
  find_batches(w, out);
  covariance(w, out);
  bound_influence(w, out);
  return TDM_OK;
}

tdm_status tdm_regress(const tdm_regression_data *data, double *mean, tdm_regression *out,
                       tdm_error *error) {
  memset(out, 0, sizeof *out);
  work w = {.data = data, .mean = mean};
  tdm_status status = check(data, &w.floor, error);
  if (status != TDM_OK) return status;
  size_t n = data->rows;
  double *room = tdm_array_new(n * (data->count + 3), sizeof *room);
  if (room == NULL) return tdm_error_memory(error, "a regression", n * sizeof *room);
  w.q = room;
  w.weighted = room + n * data->count;
  w.leverage = w.weighted + n;
  w.extra = w.leverage + n;
  memset(mean, 0, n * sizeof *mean);
  status = fit(&w, out, error);
  free(room);
  return status;
}
