/* Which distribution times have: maximum likelihood in the families that scenarios know, with
 * standard errors from Fisher's information and the distance that is left; see estimate.h. */
#include "analysis/estimate/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dist/dist.h"
#include "base/memory.h"
#include "base/special.h"

#define LOG_2PI     1.8378770664093454836
#define NEWTON_MOST 100
#define SAMPLE_MOST 500u

static const char *const names[TDM_FAMILY_COUNT] = {"constant", "normal",      "lognormal",
                                                    "gamma",    "exponential", "weibull"};

const char *tdm_family_name(tdm_family family) {
  return family < TDM_FAMILY_COUNT ? names[family] : NULL;
}

tdm_family tdm_family_named(const char *name) {
  tdm_family family = 0;
  while (family < TDM_FAMILY_COUNT && strcmp(names[family], name) != 0) family++;
  return family;
}

typedef struct {
  const double *x;
  double n, mean, variance;      /* the latter divided by n */
  double log_mean, log_variance; /* of the logarithms */
} sample;

static sample describe(const double *x, size_t count) {
  sample s = {.x = x, .n = (double)count};
  for (size_t i = 0; i < count; i++) s.mean += x[i] / s.n;
  for (size_t i = 0; i < count; i++) s.variance += (x[i] - s.mean) * (x[i] - s.mean) / s.n;
  if (!(x[0] > 0)) return s;
  for (size_t i = 0; i < count; i++) s.log_mean += log(x[i]) / s.n;
  for (size_t i = 0; i < count; i++) {
    double off = log(x[i]) - s.log_mean;
    s.log_variance += off * off / s.n;
  }
  return s;
}

static void fit_constant(const sample *s, tdm_family_fit *out) {
  out->parameters = 1;
  out->at[0] = out->mean = s->mean;
  out->log_likelihood = INFINITY;
}

static void fit_normal(const sample *s, tdm_family_fit *out) {
  out->parameters = 2;
  out->at[0] = out->mean = s->mean;
  out->at[1] = sqrt(s->variance);
  out->error[0] = out->at[1] / sqrt(s->n);
  out->error[1] = out->at[1] / sqrt(2 * s->n);
  out->cv = out->at[1] / s->mean;
  out->log_likelihood = -0.5 * s->n * (LOG_2PI + log(s->variance) + 1);
}

static void fit_lognormal(const sample *s, tdm_family_fit *out) {
  out->parameters = 2;
  out->at[0] = s->log_mean;
  out->at[1] = sqrt(s->log_variance);
  out->error[0] = out->at[1] / sqrt(s->n);
  out->error[1] = out->at[1] / sqrt(2 * s->n);
  out->mean = exp(s->log_mean + 0.5 * s->log_variance);
  out->cv = sqrt(expm1(s->log_variance));
  out->log_likelihood = -s->n * (s->log_mean + 0.5 * (LOG_2PI + log(s->log_variance) + 1));
}

/* log k − ψ(k) = log x̄ − mean log x, by Newton on log k from Greenwood and Durand's kind of start.
 */
static void fit_gamma(const sample *s, tdm_family_fit *out) {
  double gap = log(s->mean) - s->log_mean;
  double k = gap > 0 ? (3 - gap + sqrt((gap - 3) * (gap - 3) + 24 * gap)) / (12 * gap) : 1e12;
  for (int i = 0; i < NEWTON_MOST && gap > 0; i++) {
    double change = (log(k) - tdm_digamma(k) - gap) / (1 - k * tdm_trigamma(k));
    k *= exp(-change);
    if (fabs(change) < 1e-13) break;
  }
  out->parameters = 2;
  out->at[0] = out->mean = s->mean;
  out->at[1] = k;
  out->error[0] = s->mean / sqrt(k * s->n);
  out->error[1] = 1 / sqrt(s->n * (tdm_trigamma(k) - 1 / k));
  out->cv = 1 / sqrt(k);
  out->log_likelihood =
      s->n * ((k - 1) * s->log_mean - k - k * log(s->mean / k) - tdm_log_gamma(k));
}

static void fit_exponential(const sample *s, tdm_family_fit *out) {
  out->parameters = 1;
  out->at[0] = out->mean = s->mean;
  out->error[0] = s->mean / sqrt(s->n);
  out->cv = 1;
  out->log_likelihood = -s->n * (log(s->mean) + 1);
}

/* Σ x^k log x ÷ Σ x^k − 1/k = mean log x, by Newton on k; x is scaled by its largest value. */
static void fit_weibull(const sample *s, tdm_family_fit *out) {
  size_t count = (size_t)s->n;
  double most = s->x[count - 1], k = 1.2825498301618641 / sqrt(s->log_variance);
  double powers = 0;
  for (int round = 0; round < NEWTON_MOST; round++) {
    double of_log = 0, of_square = 0;
    powers = 0;
    for (size_t i = 0; i < count; i++) {
      double l = log(s->x[i] / most), power = exp(k * l);
      powers += power;
      of_log += power * l;
      of_square += power * l * l;
    }
    double a = of_log / powers, value = a - 1 / k - (s->log_mean - log(most));
    double slope = of_square / powers - a * a + 1 / (k * k);
    double next = k - value / slope;
    if (!(next > 0)) next = 0.5 * k;
    double change = fabs(next - k);
    k = next;
    if (change < 1e-13 * k) break;
  }
  powers = 0;
  for (size_t i = 0; i < count; i++) powers += exp(k * log(s->x[i] / most));
  double scale = most * pow(powers / s->n, 1 / k);
  out->parameters = 2;
  out->at[0] = k;
  out->at[1] = scale;
  out->error[0] = k * sqrt(6 / s->n) / 3.14159265358979323846;
  out->error[1] =
      scale / k *
      sqrt((1 + 6 * 0.42278433509846714 * 0.42278433509846714 / 9.8696044010893586) / s->n);
  double first = tdm_log_gamma(1 + 1 / k), second = tdm_log_gamma(1 + 2 / k);
  out->mean = scale * exp(first);
  out->cv = sqrt(expm1(second - 2 * first));
  out->log_likelihood = s->n * (log(k) - k * log(scale) + (k - 1) * s->log_mean - 1);
}

static double cdf_of(const tdm_family_fit *fit, double x) {
  const double *at = fit->at;
  if (fit->family == TDM_FAMILY_CONSTANT) return x >= at[0] ? 1 : 0;
  if (fit->family == TDM_FAMILY_NORMAL) return tdm_normal_cdf((x - at[0]) / at[1]);
  if (!(x > 0)) return 0;
  switch (fit->family) {
  case TDM_FAMILY_LOGNORMAL: return tdm_normal_cdf((log(x) - at[0]) / at[1]);
  case TDM_FAMILY_GAMMA: return tdm_gamma_p(at[1], x * at[1] / at[0]);
  case TDM_FAMILY_EXPONENTIAL: return -expm1(-x / at[0]);
  default: return -expm1(-pow(x / at[1], at[0]));
  }
}

/* Equal values are one step of the sample's distribution function. */
static double distance_of(const tdm_family_fit *fit, const double *sorted, size_t count) {
  if (fit->family == TDM_FAMILY_CONSTANT) return 0;
  double most = 0, n = (double)count;
  for (size_t i = 0; i < count;) {
    size_t end = i + 1;
    while (end < count && sorted[end] <= sorted[i]) end++;
    double at = cdf_of(fit, sorted[i]);
    most = fmax(most, fmax(fabs(at - (double)i / n), fabs((double)end / n - at)));
    i = end;
  }
  return most;
}

bool tdm_family_fit_sorted(tdm_family family, const double *sorted, size_t count,
                           tdm_family_fit *out) {
  static void (*const fits[])(const sample *, tdm_family_fit *) = {
      fit_constant, fit_normal, fit_lognormal, fit_gamma, fit_exponential, fit_weibull};
  memset(out, 0, sizeof *out);
  out->family = family;
  if (count < 2 || family >= TDM_FAMILY_COUNT) return false;
  bool one_value = sorted[0] == sorted[count - 1];
  if (one_value != (family == TDM_FAMILY_CONSTANT)) return false;
  if (family > TDM_FAMILY_NORMAL && !(sorted[0] > 0)) return false;
  sample s = describe(sorted, count);
  fits[family](&s, out);
  out->distance = distance_of(out, sorted, count);
  return isfinite(out->mean);
}

static tdm_dist *distribution(const tdm_family_fit *fit) {
  const double *at = fit->at;
  tdm_dist *made = NULL;
  switch (fit->family) {
  case TDM_FAMILY_NORMAL: tdm_dist_normal(at[0], at[1], -INFINITY, INFINITY, &made, NULL); break;
  case TDM_FAMILY_LOGNORMAL: tdm_dist_lognormal(fit->mean, fit->cv, &made, NULL); break;
  case TDM_FAMILY_GAMMA: tdm_dist_gamma(fit->mean, fit->cv, &made, NULL); break;
  case TDM_FAMILY_EXPONENTIAL: tdm_dist_exponential(at[0], &made, NULL); break;
  case TDM_FAMILY_WEIBULL: tdm_dist_weibull_shape(at[0], at[1], &made, NULL); break;
  default: break;
  }
  return made;
}

static int ascending(const void *x, const void *y) {
  const double *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

double tdm_family_p(const tdm_family_fit *fit, size_t count, unsigned draws) {
  size_t size = count < SAMPLE_MOST ? count : SAMPLE_MOST;
  tdm_dist *source = size >= 2 ? distribution(fit) : NULL;
  double *x = source != NULL ? tdm_array_new(size, sizeof *x) : NULL;
  double p = NAN;
  if (x != NULL) {
    /* The distance shrinks as the root of the size, but for Stephens' terms. */
    double root = sqrt((double)size), whole = sqrt((double)count);
    double limit = fit->distance * (whole + 0.12 + 0.11 / whole) / (root + 0.12 + 0.11 / root);
    tdm_stream all = tdm_stream_named(1, 0, "goodness of fit");
    unsigned above = 0;
    for (unsigned d = 0; d < draws; d++) {
      tdm_stream stream = tdm_stream_child(all, d);
      for (size_t i = 0; i < size; i++) x[i] = tdm_dist_draw(source, stream, i, NULL);
      qsort(x, size, sizeof *x, ascending);
      tdm_family_fit again;
      above += tdm_family_fit_sorted(fit->family, x, size, &again) && again.distance >= limit;
    }
    p = (above + 1.0) / (draws + 1.0);
  }
  free(x);
  tdm_dist_free(source);
  return p;
}
