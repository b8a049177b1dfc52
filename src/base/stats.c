/* Student's t, intervals over replications, batch means for one long run, MSER truncation.
 * Pure functions. Called by the result builder and by searches. */
#include "base/stats.h"

#include <math.h>

#include "base/special.h"

#define BATCHES_MOST 256u

/* P(T > t) for t ≥ 0. */
static double student_above(double t, double df) {
  if (isinf(df)) return tdm_normal_cdf(-t);
  double square = t * t;
  if (square < df) return 0.5 - 0.5 * tdm_beta_i(0.5, 0.5 * df, square / (df + square));
  return 0.5 * tdm_beta_i(0.5 * df, 0.5, df / (df + square));
}

double tdm_student_cdf(double t, double df) {
  if (isnan(t) || !(df > 0)) return NAN;
  return t > 0 ? 1 - student_above(t, df) : student_above(-t, df);
}

double tdm_student_quantile(double p, double df) {
  if (!(p >= 0 && p <= 1) || !(df > 0)) return NAN;
  if (p == 0.5) return 0;
  double above = p < 0.5 ? p : 1 - p;
  double z = -tdm_normal_quantile(above);
  if (isinf(df) || isinf(z)) return p < 0.5 ? -z : z;
  /* Newton on log P(T > t) over log t, where a power tail is a straight line, kept in a bracket. */
  double log_density_0 = tdm_log_gamma(0.5 * (df + 1)) - tdm_log_gamma(0.5 * df) -
                         0.5 * log(df * 3.14159265358979323846);
  double low = 0, high = INFINITY;
  double t = z + (z * z * z + z) / (4 * df); /* Cornish–Fisher, a start only */
  for (int i = 0; i < 200; i++) {
    double tail = student_above(t, df);
    if (tail > above)
      low = t;
    else
      high = t;
    double density = exp(log_density_0 - 0.5 * (df + 1) * log1p(t * t / df));
    double next = t * exp(log(tail / above) * tail / (t * density));
    if (!(next > low && next < high)) next = isinf(high) ? 2 * t : 0.5 * (low + high);
    if (fabs(next - t) <= 1e-15 * t) {
      t = next;
      break;
    }
    t = next;
  }
  return p < 0.5 ? -t : t;
}

/* Mean and sum of squared gaps of the items that are not NaN; returns how many. */
static size_t spread_of(const double *items, size_t count, double *mean, double *squares) {
  size_t used = 0;
  *mean = 0;
  *squares = 0;
  for (size_t i = 0; i < count; i++) {
    if (isnan(items[i])) continue;
    used++;
    double gap = items[i] - *mean;
    *mean += gap / (double)used;
    *squares += gap * (items[i] - *mean);
  }
  return used;
}

/* A report asks for hundreds of intervals of one kind: the last quantile is remembered. */
static double student_half(double confidence, double df) {
  static _Thread_local double last_confidence, last_df, last_quantile;
  if (confidence != last_confidence || df != last_df) {
    last_quantile = tdm_student_quantile(0.5 + 0.5 * confidence, df);
    last_confidence = confidence;
    last_df = df;
  }
  return last_quantile;
}

static double half_width(double squares, size_t count, double confidence) {
  double df = (double)count - 1;
  return student_half(confidence, df) * sqrt(squares / df / (double)count);
}

tdm_estimate tdm_interval(const double *observations, size_t count, double confidence) {
  double mean, squares;
  size_t used = spread_of(observations, count, &mean, &squares);
  if (used == 0) return (tdm_estimate){.value = NAN, .half = NAN};
  return (tdm_estimate){.value = mean,
                        .half = used < 2 ? NAN : half_width(squares, used, confidence)};
}

/* Of t: where the skewness a·6·√count puts it. */
static double willink(double t, double a) {
  return fabs(a) < 1e-6 ? t : (cbrt(1 + 6 * a * (t - a)) - 1) / (2 * a);
}

double tdm_skewed_half(const double *gaps, size_t count, double confidence) {
  double mean, squares, cubes = 0, n = (double)count;
  if (spread_of(gaps, count, &mean, &squares) < 2) return NAN;
  if (!(squares > 0)) return 0;
  double sd = sqrt(squares / (n - 1)), t = tdm_student_quantile(0.975, n - 1);
  for (size_t i = 0; i < count; i++) cubes += pow((gaps[i] - mean) / sd, 3);
  double skewness = count > 2 ? n * cubes / ((n - 1) * (n - 2)) : 0;
  double a = skewness / (6 * sqrt(n));
  /* Far out the cubic runs away: how much longer is told at 95 %. */
  double longer = fmax(fabs(willink(t, a)), fabs(willink(-t, a))) / t;
  return longer * student_half(confidence, n - 1) * sd / sqrt(n);
}

/* Von Neumann's ratio as an estimate of lag-1 correlation: 1 − Σ(y_i+1 − y_i)² ÷ 2Σ(y_i − mean)²,
 * near N(0, (k − 2)/(k² − 1)) for k independent items. */
static double von_neumann(const double *items, size_t count, double squares) {
  if (!(squares > 0)) return 0;
  double steps = 0;
  for (size_t i = 1; i < count; i++) {
    double step = items[i] - items[i - 1];
    steps += step * step;
  }
  return 1 - steps / (2 * squares);
}

tdm_estimate tdm_batch_means(const double *series, size_t count, double confidence,
                             size_t *batches) {
  if (batches != NULL) *batches = 0;
  double mean, squares;
  spread_of(series, count, &mean, &squares);
  if (count == 0) return (tdm_estimate){.value = NAN, .half = NAN};
  tdm_estimate estimate = {.value = mean, .half = NAN};
  double means[BATCHES_MOST];
  for (size_t k = BATCHES_MOST; k >= TDM_BATCHES_MIN; k /= 2) {
    size_t length = count / k;
    if (length == 0) continue;
    const double *from = series + (count - k * length); /* the remainder is the oldest part */
    for (size_t i = 0; i < k; i++) {
      double sum = 0;
      for (size_t j = 0; j < length; j++) sum += from[i * length + j];
      means[i] = sum / (double)length;
    }
    double batch_mean;
    spread_of(means, k, &batch_mean, &squares);
    double correlation = von_neumann(means, k, squares);
    double size = (double)k;
    double limit = tdm_normal_quantile(0.8) * sqrt((size - 2) / (size * size - 1));
    if (correlation > limit) continue;
    double widen = correlation > 0 ? sqrt((1 + correlation) / (1 - correlation)) : 1;
    estimate.half = half_width(squares, k, confidence) * widen;
    if (batches != NULL) *batches = k;
    break;
  }
  return estimate;
}

size_t tdm_mser(const double *series, size_t count) {
  if (count == 0) return 0;
  size_t best = count / 2;
  double least = INFINITY, mean = 0, squares = 0;
  for (size_t d = count; d-- > 0;) { /* from the end, so that each item is added once */
    double kept = (double)(count - d);
    double gap = series[d] - mean;
    mean += gap / kept;
    squares += gap * (series[d] - mean);
    if (d > count / 2) continue;
    double statistic = squares / (kept * kept);
    if (statistic <= least) { /* a tie discards less */
      least = statistic;
      best = d;
    }
  }
  return best;
}
