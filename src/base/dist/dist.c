/* Construction of the families of one formula: checks parameters, knows moments and wording, and
 * what each family takes. Those that rest on tables are table.c, sampling is draw.c. */
#include "base/dist/dist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dist/inside.h"
#include "base/memory.h"
#include "base/special.h"

static tdm_dist *dist_new(dist_kind kind, double mean, double variance, tdm_error *error) {
  tdm_dist *dist = tdm_dist_shell(kind, error);
  if (dist == NULL) return NULL;
  dist->mean = mean;
  dist->variance = variance;
  return dist;
}

static bool is_positive(double x) {
  return x > 0 && x < INFINITY;
}

static tdm_status refuse(tdm_error *error, const char *what, const char *range, double got) {
  return tdm_error_set(error, TDM_INVALID, "%s must be %s, not %g", what, range, got);
}

#define POSITIVE     "positive and finite"
#define NOT_NEGATIVE "zero or positive and finite"

/* A constant that keeps the wording of the family it is the limit of. */
static tdm_status degenerate(double value, const char *text, tdm_dist **out, tdm_error *error) {
  tdm_dist *dist = dist_new(KIND_CONSTANT, value, 0, error);
  if (dist == NULL) return TDM_MEMORY;
  dist->as.constant.value = value;
  memcpy(dist->text, text, strnlen(text, sizeof dist->text - 1));
  *out = dist;
  return TDM_OK;
}

static tdm_status exponential_as(double mean, const char *text, tdm_dist **out, tdm_error *error) {
  tdm_dist *dist = dist_new(KIND_EXPONENTIAL, mean, mean * mean, error);
  if (dist == NULL) return TDM_MEMORY;
  dist->as.exponential.mean = mean;
  memcpy(dist->text, text, strnlen(text, sizeof dist->text - 1));
  *out = dist;
  return TDM_OK;
}

tdm_status tdm_dist_constant(double value, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (!isfinite(value)) return refuse(error, "constant: value", "finite", value);
  char text[64];
  snprintf(text, sizeof text, "constant %g", value);
  return degenerate(value, text, out, error);
}

static tdm_status make_constant(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return tdm_dist_constant(a[0].number, out, error);
}

const tdm_dist_family tdm_dist_family_constant = {
    .name = "constant",
    .make = make_constant,
    .doc = "always the same value",
    .example = "td.constant \"2ms\"",
    .positional = 1,
    .parameters = {{PARAMETER("value", QUANTITY, AS_ALLOWED, "the value")}}};

tdm_status tdm_dist_uniform(double min, double max, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (!isfinite(min)) return refuse(error, "uniform: min", "finite", min);
  if (!isfinite(max - min)) return refuse(error, "uniform: max", "finite", max);
  if (max < min) return refuse(error, "uniform: max", "at least min", max);
  char text[64];
  snprintf(text, sizeof text, "uniform, %g to %g", min, max);
  if (min == max) return degenerate(min, text, out, error);
  double width = max - min;
  tdm_dist *dist = dist_new(KIND_UNIFORM, min + 0.5 * width, width * width / 12, error);
  if (dist == NULL) return TDM_MEMORY;
  dist->as.uniform.min = min;
  dist->as.uniform.width = width;
  dist->as.uniform.max = max;
  memcpy(dist->text, text, sizeof text);
  *out = dist;
  return TDM_OK;
}

static tdm_status make_uniform(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return tdm_dist_uniform(a[0].number, a[1].number, out, error);
}

const tdm_dist_family tdm_dist_family_uniform = {
    .name = "uniform",
    .make = make_uniform,
    .doc = "equally likely between min and max",
    .example = "td.uniform(\"1ms\", \"3ms\")",
    .positional = 2,
    .parameters = {
        {PARAMETER("min", QUANTITY, AS_ALLOWED, "the least value")},
        {PARAMETER("max", QUANTITY, AS_ALLOWED, "the greatest value"), .at_least = "min"}}};

tdm_status tdm_dist_exponential(double mean, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (!is_positive(mean)) return refuse(error, "exponential: mean", POSITIVE, mean);
  char text[64];
  snprintf(text, sizeof text, "exponential, mean %g", mean);
  return exponential_as(mean, text, out, error);
}

static tdm_status make_exponential(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return tdm_dist_exponential(a[0].number, out, error);
}

const tdm_dist_family tdm_dist_family_exponential = {.name = "exponential",
                                                     .make = make_exponential,
                                                     .doc = "memoryless, by its mean",
                                                     .example = "td.exponential \"2ms\"",
                                                     .positional = 1,
                                                     .parameters = {{MEAN}}};

static double normal_density(double x) {
  return isinf(x) ? 0 : 0.39894228040143267794 * exp(-0.5 * x * x);
}

static void normal_wording(tdm_dist *dist) {
  double min = dist->as.normal.min, max = dist->as.normal.max;
  int used = snprintf(dist->text, sizeof dist->text, "normal, mean %g, sd %g", dist->as.normal.mean,
                      dist->as.normal.sd);
  size_t at = (size_t)used;
  if (isfinite(min) && isfinite(max)) {
    snprintf(dist->text + at, sizeof dist->text - at, ", cut to %g…%g", min, max);
  } else if (isfinite(min)) {
    snprintf(dist->text + at, sizeof dist->text - at, ", cut below %g", min);
  } else if (isfinite(max)) {
    snprintf(dist->text + at, sizeof dist->text - at, ", cut above %g", max);
  }
}

tdm_status tdm_dist_normal(double mean, double sd, double min, double max, tdm_dist **out,
                           tdm_error *error) {
  *out = NULL;
  if (!isfinite(mean)) return refuse(error, "normal: mean", "finite", mean);
  if (!(sd >= 0 && sd < INFINITY)) return refuse(error, "normal: sd", NOT_NEGATIVE, sd);
  if (isnan(min) || min == INFINITY) return refuse(error, "normal: min", "finite or absent", min);
  if (!(max > min) && !(sd == 0 && max == min)) {
    return refuse(error, "normal: max", "greater than min", max);
  }
  if (sd == 0) {
    if (mean < min || mean > max) {
      return refuse(error, "normal: mean", "within min and max when sd is 0", mean);
    }
    char text[64];
    snprintf(text, sizeof text, "normal, mean %g, sd 0", mean);
    return degenerate(mean, text, out, error);
  }
  double a = (min - mean) / sd, b = (max - mean) / sd;
  bool mirrored = a > 0;
  double low = mirrored ? tdm_normal_cdf(-b) : tdm_normal_cdf(a);
  double high = mirrored ? tdm_normal_cdf(-a) : tdm_normal_cdf(b);
  double width = high - low;
  if (!(width > 1e-300)) {
    return tdm_error_set(error, TDM_INVALID,
                         "normal: mean %g and sd %g leave nothing between min %g and max %g", mean,
                         sd, min, max);
  }
  double shift = (normal_density(a) - normal_density(b)) / width;
  double edge_a = isinf(a) ? 0 : a * normal_density(a);
  double edge_b = isinf(b) ? 0 : b * normal_density(b);
  double variance = sd * sd * (1 + (edge_a - edge_b) / width - shift * shift);
  tdm_dist *dist = dist_new(KIND_NORMAL, mean + sd * shift, variance, error);
  if (dist == NULL) return TDM_MEMORY;
  dist->as.normal.mean = mean;
  dist->as.normal.sd = sd;
  dist->as.normal.min = min;
  dist->as.normal.max = max;
  dist->as.normal.low = low;
  dist->as.normal.width = width;
  dist->as.normal.mirrored = mirrored;
  normal_wording(dist);
  *out = dist;
  return TDM_OK;
}

static const double cut_at_zero = 0;

static tdm_status make_normal(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  double min = a[2].given ? a[2].number : cut_at_zero, max = a[3].given ? a[3].number : INFINITY;
  return tdm_dist_normal(a[0].number, a[1].number, min, max, out, error);
}

const tdm_dist_family tdm_dist_family_normal = {
    .name = "normal",
    .make = make_normal,
    .doc = "normal, truncated at min (0 unless given) and max",
    .example = "td.normal { mean = \"5ms\", sd = \"1ms\", max = \"9ms\" }",
    .positional = 2,
    .parameters = {
        {PARAMETER("mean", QUANTITY, ANY_SIGN, "mean")},
        {PARAMETER("sd", QUANTITY, NOT_NEGATIVE, "standard deviation before truncation")},
        {PARAMETER("min", QUANTITY, AS_ALLOWED, "the least value"), .optional = true,
         .preset = &cut_at_zero},
        {PARAMETER("max", QUANTITY, AS_ALLOWED, "the greatest value"), .optional = true,
         .above = "min"}}};

static tdm_status lognormal_as(double mu, double sigma, const char *text, tdm_dist **out,
                               tdm_error *error) {
  double square = sigma * sigma;
  double mean = exp(mu + 0.5 * square);
  tdm_dist *dist = dist_new(KIND_LOGNORMAL, mean, mean * mean * expm1(square), error);
  if (dist == NULL) return TDM_MEMORY;
  dist->as.lognormal.mu = mu;
  dist->as.lognormal.sigma = sigma;
  memcpy(dist->text, text, strnlen(text, sizeof dist->text - 1));
  *out = dist;
  return TDM_OK;
}

tdm_status tdm_dist_lognormal(double mean, double cv, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (!is_positive(mean)) return refuse(error, "lognormal: mean", POSITIVE, mean);
  if (!(cv >= 0 && cv <= 1e6)) return refuse(error, "lognormal: cv", "between 0 and 1e6", cv);
  char text[64];
  snprintf(text, sizeof text, "lognormal, mean %g, cv %g", mean, cv);
  if (cv == 0) return degenerate(mean, text, out, error);
  double square = log1p(cv * cv);
  return lognormal_as(log(mean) - 0.5 * square, sqrt(square), text, out, error);
}

tdm_status tdm_dist_lognormal_percentiles(double percent_a, double value_a, double percent_b,
                                          double value_b, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (percent_a > percent_b) {
    double percent = percent_a, value = value_a;
    percent_a = percent_b;
    value_a = value_b;
    percent_b = percent;
    value_b = value;
  }
  if (!(percent_a > 0)) return refuse(error, "lognormal: a percentile", "above 0", percent_a);
  if (!(percent_b < 100)) return refuse(error, "lognormal: a percentile", "below 100", percent_b);
  if (!(percent_a < percent_b)) {
    return refuse(error, "lognormal: the two percentiles", "different", percent_a);
  }
  char name[48];
  snprintf(name, sizeof name, "lognormal: p%g", percent_a);
  if (!is_positive(value_a)) return refuse(error, name, POSITIVE, value_a);
  snprintf(name, sizeof name, "lognormal: p%g", percent_b);
  if (!(value_b >= value_a && value_b < INFINITY)) {
    char range[64];
    snprintf(range, sizeof range, "finite and at least p%g (%g)", percent_a, value_a);
    return refuse(error, name, range, value_b);
  }
  char text[100];
  snprintf(text, sizeof text, "lognormal, p%g %g, p%g %g", percent_a, value_a, percent_b, value_b);
  if (value_a == value_b) return degenerate(value_a, text, out, error);
  double za = tdm_normal_quantile(percent_a / 100), zb = tdm_normal_quantile(percent_b / 100);
  double sigma = (log(value_b) - log(value_a)) / (zb - za);
  return lognormal_as(log(value_a) - sigma * za, sigma, text, out, error);
}

static tdm_status make_lognormal(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  const double *p = a[2].list;
  return a[2].given ? tdm_dist_lognormal_percentiles(p[0], p[1], p[2], p[3], out, error)
                    : tdm_dist_lognormal(a[0].number, a[1].number, out, error);
}

const tdm_dist_family tdm_dist_family_lognormal = {
    .name = "lognormal",
    .make = make_lognormal,
    .doc = "skewed, by mean and cv or by any two percentiles (p50, p99)",
    .example = "td.lognormal { p50 = \"20ms\", p99 = \"180ms\" }",
    .positional = 2,
    .forms = "mean and cv, or exactly two percentiles such as p50 and p99",
    .parameters = {{MEAN, .form = 1},
                   {CV, .form = 1},
                   {PARAMETER("p50", PERCENTILES, POSITIVE, "a percentile"), .form = 2}}};

static tdm_status gamma_as(double shape, double mean, const char *text, tdm_dist **out,
                           tdm_error *error) {
  tdm_dist *dist = dist_new(KIND_GAMMA, mean, mean * mean / shape, error);
  if (dist == NULL) return TDM_MEMORY;
  double boosted = shape < 1 ? shape + 1 : shape;
  dist->as.gamma.d = boosted - 1.0 / 3;
  dist->as.gamma.c = 1 / sqrt(9 * dist->as.gamma.d);
  dist->as.gamma.boost = shape < 1 ? 1 / shape : 0;
  dist->as.gamma.scale = mean / shape;
  memcpy(dist->text, text, strnlen(text, sizeof dist->text - 1));
  *out = dist;
  return TDM_OK;
}

tdm_status tdm_dist_gamma(double mean, double cv, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (!is_positive(mean)) return refuse(error, "gamma: mean", POSITIVE, mean);
  if (!(cv >= 0 && cv <= 1000)) return refuse(error, "gamma: cv", "between 0 and 1000", cv);
  char text[64];
  snprintf(text, sizeof text, "gamma, mean %g, cv %g", mean, cv);
  if (cv < 1e-9) return degenerate(mean, text, out, error);
  if (cv == 1) return exponential_as(mean, text, out, error);
  return gamma_as(1 / (cv * cv), mean, text, out, error);
}

static tdm_status make_gamma(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return tdm_dist_gamma(a[0].number, a[1].number, out, error);
}

const tdm_dist_family tdm_dist_family_gamma = {.name = "gamma",
                                               .make = make_gamma,
                                               .doc = "gamma, by mean and cv",
                                               .example = "td.gamma { mean = \"2ms\", cv = 0.5 }",
                                               .positional = 2,
                                               .parameters = {{MEAN}, {CV}}};

tdm_status tdm_dist_erlang(double k, double mean, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (!(k >= 1 && k <= 1e9 && k == floor(k))) {
    return refuse(error, "erlang: k", "a whole number from 1 to 1e9", k);
  }
  if (!is_positive(mean)) return refuse(error, "erlang: mean", POSITIVE, mean);
  char text[64];
  snprintf(text, sizeof text, "erlang, k %g, mean %g", k, mean);
  if (k == 1) return exponential_as(mean, text, out, error);
  /* Up to 16 uniforms: their product stays far above the smallest double, one logarithm does. */
  if (k > 16) return gamma_as(k, mean, text, out, error);
  tdm_dist *dist = dist_new(KIND_ERLANG, mean, mean * mean / k, error);
  if (dist == NULL) return TDM_MEMORY;
  dist->as.erlang.k = (uint32_t)k;
  dist->as.erlang.scale = mean / k;
  memcpy(dist->text, text, sizeof text);
  *out = dist;
  return TDM_OK;
}

static tdm_status make_erlang(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return tdm_dist_erlang(a[0].number, a[1].number, out, error);
}

const tdm_dist_family tdm_dist_family_erlang = {
    .name = "erlang",
    .make = make_erlang,
    .doc = "sum of k exponentials",
    .example = "td.erlang { k = 4, mean = \"2ms\" }",
    .positional = 2,
    .parameters = {{PARAMETER("k", NUMBER, NOT_NEGATIVE, "how many exponentials are summed"),
                    .whole = true, .least = 1, .most = 1000000},
                   {MEAN}}};

static tdm_status weibull_as(double shape, double scale, const char *text, tdm_dist **out,
                             tdm_error *error) {
  double one = tdm_log_gamma(1 + 1 / shape), two = tdm_log_gamma(1 + 2 / shape);
  double mean = scale * exp(one);
  tdm_dist *dist = dist_new(KIND_WEIBULL, mean, mean * mean * expm1(two - 2 * one), error);
  if (dist == NULL) return TDM_MEMORY;
  dist->as.weibull.exponent = 1 / shape;
  dist->as.weibull.scale = scale;
  memcpy(dist->text, text, strnlen(text, sizeof dist->text - 1));
  *out = dist;
  return TDM_OK;
}

tdm_status tdm_dist_weibull(double mean, double cv, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (!is_positive(mean)) return refuse(error, "weibull: mean", POSITIVE, mean);
  if (!(cv == 0 || (cv >= TDM_WEIBULL_CV_MIN && cv <= TDM_WEIBULL_CV_MAX))) {
    return refuse(error, "weibull: cv", "0 or between 0.001 and 100", cv);
  }
  char text[64];
  snprintf(text, sizeof text, "weibull, mean %g, cv %g", mean, cv);
  if (cv == 0) return degenerate(mean, text, out, error);
  if (cv == 1) return exponential_as(mean, text, out, error);
  double shape = tdm_weibull_shape_for_cv(cv);
  return weibull_as(shape, mean * exp(-tdm_log_gamma(1 + 1 / shape)), text, out, error);
}

tdm_status tdm_dist_weibull_shape(double shape, double scale, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (!(shape >= 0.01 && shape <= 1e4)) {
    return refuse(error, "weibull: shape", "between 0.01 and 10000", shape);
  }
  if (!is_positive(scale)) return refuse(error, "weibull: scale", POSITIVE, scale);
  char text[64];
  snprintf(text, sizeof text, "weibull, shape %g, scale %g", shape, scale);
  if (shape == 1) return exponential_as(scale, text, out, error);
  return weibull_as(shape, scale, text, out, error);
}

static tdm_status make_weibull(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return a[2].given ? tdm_dist_weibull_shape(a[2].number, a[3].number, out, error)
                    : tdm_dist_weibull(a[0].number, a[1].number, out, error);
}

const tdm_dist_family tdm_dist_family_weibull = {
    .name = "weibull",
    .make = make_weibull,
    .doc = "Weibull, by mean and cv or by shape and scale",
    .example = "td.weibull { shape = 0.7, scale = \"2ms\" }",
    .positional = 2,
    .forms = "mean and cv, or shape and scale",
    .parameters = {
        {MEAN, .form = 1},
        {CV, .form = 1},
        {PARAMETER("shape", NUMBER, POSITIVE, "shape: below 1 a decreasing hazard"), .form = 2},
        {PARAMETER("scale", QUANTITY, POSITIVE, "scale"), .form = 2}}};

/* ∫ x^(power−1) dx from 1 to e^span, exact through power = 0. */
static double power_integral(double power, double span) {
  if (isinf(span)) return power < 0 ? -1 / power : INFINITY;
  return power == 0 ? span : expm1(power * span) / power;
}

tdm_status tdm_dist_pareto(double min, double max, double alpha, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (!is_positive(min)) return refuse(error, "pareto: min", POSITIVE, min);
  if (!(max >= min)) return refuse(error, "pareto: max", "at least min", max);
  if (!(alpha >= 0.01 && alpha <= 1000)) {
    return refuse(error, "pareto: alpha", "between 0.01 and 1000", alpha);
  }
  char text[100];
  snprintf(text, sizeof text, "pareto, %g to %g, alpha %g", min, max, alpha);
  if (min == max) return degenerate(min, text, out, error);
  double span = log(max / min);
  double least = isinf(max) ? 0 : exp(-alpha * span);
  double mass = alpha / -expm1(-alpha * span);
  double mean = min * mass * power_integral(1 - alpha, span);
  double square = min * min * mass * power_integral(2 - alpha, span);
  double variance = isinf(square) ? INFINITY : square - mean * mean;
  tdm_dist *dist = dist_new(KIND_PARETO, mean, variance > 0 ? variance : 0, error);
  if (dist == NULL) return TDM_MEMORY;
  dist->as.pareto.min = min;
  dist->as.pareto.max = max;
  dist->as.pareto.floor = least;
  dist->as.pareto.exponent = -1 / alpha;
  memcpy(dist->text, text, sizeof text);
  *out = dist;
  return TDM_OK;
}

static tdm_status make_pareto(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  double max = a[1].given ? a[1].number : INFINITY;
  return tdm_dist_pareto(a[0].number, max, a[2].number, out, error);
}

const tdm_dist_family tdm_dist_family_pareto = {
    .name = "pareto",
    .make = make_pareto,
    .doc = "heavy tail between min and max, index alpha",
    .example = "td.pareto { min = \"1ms\", max = \"10s\", alpha = 1.3 }",
    .parameters = {{PARAMETER("min", QUANTITY, POSITIVE, "the least value")},
                   {PARAMETER("max", QUANTITY, POSITIVE, "the greatest value"), .above = "min"},
                   {PARAMETER("alpha", NUMBER, POSITIVE, "tail index")}}};

tdm_status tdm_dist_lua(uint32_t function, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  tdm_dist *dist = dist_new(KIND_LUA, NAN, NAN, error);
  if (dist == NULL) return TDM_MEMORY;
  dist->as.lua.function = function;
  dist->needs_script = true;
  snprintf(dist->text, sizeof dist->text, "Lua function");
  *out = dist;
  return TDM_OK;
}

static tdm_status make_lua(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return tdm_dist_lua(a[0].function, out, error);
}

const tdm_dist_family tdm_dist_family_lua = {
    .name = "lua",
    .make = make_lua,
    .doc = "a Lua function of u, uniform in (0,1)",
    .example = "td.sample(function(u) return 0.001 + 0.002 * u end)",
    .spelled = "sample",
    .positional = 1,
    .parameters = {
        {PARAMETER("fn", FUNCTION, NOT_NEGATIVE, "function(u) of a uniform u in (0,1)")}}};
