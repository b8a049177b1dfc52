/* Raw moments of distributions, by closed forms. Owns nothing. What is infinite is told so, what is
 * a function's is not known. */
#include <math.h>

#include "base/dist/inside.h"
#include "base/special.h"

static double factorial(unsigned k) {
  double product = 1;
  for (unsigned i = 2; i <= k; i++) product *= i;
  return product;
}

static double power(double x, unsigned k) {
  double product = 1;
  for (unsigned i = 0; i < k; i++) product *= x;
  return product;
}

/* Of a uniform value between low and high. */
static double flat(double low, double high, unsigned k) {
  double sum = 0; /* (high^(k+1) − low^(k+1)) ÷ (high − low) ÷ (k + 1), without the difference */
  for (unsigned i = 0; i <= k; i++) sum += power(high, i) * power(low, k - i);
  return sum / (k + 1);
}

/* b^k φ(b), 0 where the normal distribution is not cut. */
static double edge(double b, unsigned k) {
  return isinf(b) ? 0 : power(b, k) * 0.39894228040143267794 * exp(-0.5 * b * b);
}

static double normal(const tdm_dist *d, unsigned k) {
  double mean = d->as.normal.mean, sd = d->as.normal.sd;
  double a = (d->as.normal.min - mean) / sd, b = (d->as.normal.max - mean) / sd;
  double unit[TDM_DIST_MOMENTS + 1] = {1}, sum = 0, choose = 1; /* of (x − mean) ÷ sd */
  for (unsigned i = 1; i <= k; i++)
    unit[i] = (i > 1 ? (i - 1) * unit[i - 2] : 0) +
              (edge(a, i - 1) - edge(b, i - 1)) / d->as.normal.width;
  for (unsigned i = 0; i <= k; i++) {
    sum += choose * power(sd, i) * unit[i] * power(mean, k - i);
    choose *= (double)(k - i) / (i + 1);
  }
  return sum;
}

/* Sums of exponentials, and what lies between: scale^k Γ(shape + k) ÷ Γ(shape). */
static double rising(double shape, double scale, unsigned k) {
  double product = 1;
  for (unsigned i = 0; i < k; i++) product *= scale * (shape + i);
  return product;
}

static double gamma_moment(const tdm_dist *d, unsigned k) {
  double shape = d->as.gamma.boost > 0 ? 1 / d->as.gamma.boost : d->as.gamma.d + 1.0 / 3;
  return rising(shape, d->as.gamma.scale, k);
}

static double pareto(const tdm_dist *d, unsigned k) {
  double alpha = -1 / d->as.pareto.exponent, rise = k - alpha;
  double span = log(d->as.pareto.max / d->as.pareto.min), factor = span;
  if (isinf(span))
    factor = rise < 0 ? -1 / rise : INFINITY;
  else if (rise != 0)
    factor = expm1(rise * span) / rise;
  return power(d->as.pareto.min, k) * alpha / (1 - d->as.pareto.floor) * factor;
}

static double share_of(const dist_table *table, size_t i) {
  return table->cumulative[i] - (i > 0 ? table->cumulative[i - 1] : 0);
}

/* Shares as they were weighed: differences of cumulative ones near 1 have lost too much. */
static double zipf(const tdm_dist *d, unsigned k) {
  double total = 0, sum = 0, s = 1 - d->as.zipf.power, first = d->table.count + 1.0;
  for (double i = d->table.count; i >= 1; i--) {
    double weight = pow(i, -s);
    total += weight;
    sum += weight * power(i, k);
  }
  if (d->as.zipf.n < first) return sum / total;
  return (sum + tdm_dist_zipf_rest(s - k, first, d->as.zipf.n)) /
         (total + tdm_dist_zipf_rest(s, first, d->as.zipf.n));
}

static double listed(const tdm_dist *d, unsigned k) {
  double sum = 0;
  if (d->kind == KIND_EMPIRICAL_EQUAL) {
    for (size_t i = 0; i < d->count; i++) sum += power(d->values[i], k) / (double)d->count;
    return sum;
  }
  for (size_t i = 0; i < d->table.count; i++) {
    double share = share_of(&d->table, i);
    if (!(share > 0)) continue;
    switch (d->kind) {
    case KIND_HYPEREXPONENTIAL: sum += share * factorial(k) * power(d->values[i], k); break;
    case KIND_HISTOGRAM: sum += share * flat(d->values[i], d->values[i + 1], k); break;
    case KIND_MIXTURE: sum += share * tdm_dist_moment(d->parts[i], k); break;
    default: sum += share * power(d->values[i], k);
    }
  }
  return sum;
}

double tdm_dist_moment(const tdm_dist *d, unsigned k) {
  double log_k;
  switch (d->kind) {
  case KIND_CONSTANT: return power(d->as.constant.value, k);
  case KIND_UNIFORM: return flat(d->as.uniform.min, d->as.uniform.max, k);
  case KIND_EXPONENTIAL: return factorial(k) * power(d->as.exponential.mean, k);
  case KIND_NORMAL: return normal(d, k);
  case KIND_LOGNORMAL:
    log_k = k * (d->as.lognormal.mu + 0.5 * k * d->as.lognormal.sigma * d->as.lognormal.sigma);
    return exp(log_k);
  case KIND_GAMMA: return gamma_moment(d, k);
  case KIND_ERLANG: return rising(d->as.erlang.k, d->as.erlang.scale, k);
  case KIND_WEIBULL:
    return power(d->as.weibull.scale, k) * exp(tdm_log_gamma(1 + k * d->as.weibull.exponent));
  case KIND_PARETO: return pareto(d, k);
  case KIND_ZIPF: return zipf(d, k);
  case KIND_EMPIRICAL_EQUAL:
  case KIND_EMPIRICAL:
  case KIND_HISTOGRAM:
  case KIND_HYPEREXPONENTIAL:
  case KIND_MIXTURE: return listed(d, k);
  default: return k == 0 ? 1 : NAN; /* a function's, or of a family whose nobody has written */
  }
}
