/* Construction of the distributions that rest on a table of weights: hyperexponential, Zipf,
 * empirical, histogram, mixture. The one-formula families are dist.c, sampling is draw.c. Owns
 * nothing beyond what it puts into a tdm_dist. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dist/inside.h"
#include "base/memory.h"

#define COUNT_MAX    100000000u /* items of one table: 2.4 GB, beyond any sensible input */
#define ZIPF_TABLE   4096u
#define ZIPF_LARGEST 1e15

/* Fails with a line about `what`; weights NULL means all one. */
static tdm_status check_weights(const char *what, const double *weights, size_t count,
                                double *total, tdm_error *error) {
  if (count == 0 || count > COUNT_MAX) {
    return tdm_error_set(error, TDM_INVALID, "%s must have between 1 and %u items, not %zu", what,
                         COUNT_MAX, count);
  }
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double weight = weights == NULL ? 1 : weights[i];
    if (!(weight >= 0 && weight < INFINITY)) {
      return tdm_error_set(error, TDM_INVALID,
                           "%s must be zero or positive and finite; item %zu is %g", what, i + 1,
                           weight);
    }
    sum += weight;
  }
  if (!(sum > 0 && sum < INFINITY)) {
    return tdm_error_set(error, TDM_INVALID, "%s must have a positive, finite sum, not %g", what,
                         sum);
  }
  *total = sum;
  return TDM_OK;
}

/* Weights need not be normalised; checked before. `total` of them is probability 1, or more when
 * the caller keeps a rest for itself (Zipf's tail). */
static tdm_status table_fill(dist_table *table, const double *weights, size_t count, double total,
                             tdm_error *error) {
  uint32_t guides = 1;
  while (guides < count) guides *= 2;
  table->cumulative = tdm_array_new(count, sizeof *table->cumulative);
  table->guide = tdm_array_new(guides, sizeof *table->guide);
  if (table->cumulative == NULL || table->guide == NULL) {
    return tdm_error_memory(error, "a table of weights", 8ull * count + 4ull * guides);
  }
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += weights[i];
    table->cumulative[i] = sum / total;
  }
  table->count = (uint32_t)count;
  table->guides = guides;
  return TDM_OK;
}

/* From the last possible item on exactly 1, whatever rounding left. */
static void table_close(dist_table *table, const double *weights) {
  for (uint32_t i = table->count; i-- > 0;) {
    table->cumulative[i] = 1;
    if (weights[i] > 0) break;
  }
}

static void table_guide(dist_table *table) {
  uint32_t i = 0;
  for (uint32_t j = 0; j < table->guides; j++) {
    double at = (double)j / table->guides;
    while (i + 1 < table->count && table->cumulative[i] < at) i++;
    table->guide[j] = i;
  }
}

static double *copy_numbers(const double *numbers, size_t count, tdm_error *error) {
  double *copy = tdm_array_new(count, sizeof *copy);
  if (copy == NULL)
    tdm_error_memory(error, "a distribution's values", 8ull * count);
  else
    memcpy(copy, numbers, count * sizeof *copy);
  return copy;
}

tdm_status tdm_dist_hyperexponential(const double *weights, const double *means, size_t count,
                                     tdm_dist **out, tdm_error *error) {
  *out = NULL;
  double total;
  tdm_status status = check_weights("hyperexponential: weights", weights, count, &total, error);
  if (status != TDM_OK) return status;
  double mean = 0, square = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(means[i] > 0 && means[i] < INFINITY)) {
      return tdm_error_set(error, TDM_INVALID,
                           "hyperexponential: means must be positive and finite; item %zu is %g",
                           i + 1, means[i]);
    }
    mean += weights[i] / total * means[i];
    square += weights[i] / total * 2 * means[i] * means[i];
  }
  tdm_dist *dist = tdm_dist_shell(KIND_HYPEREXPONENTIAL, error);
  if (dist == NULL) return TDM_MEMORY;
  dist->values = copy_numbers(means, count, error);
  if (dist->values == NULL || table_fill(&dist->table, weights, count, total, error) != TDM_OK) {
    tdm_dist_free(dist);
    return TDM_MEMORY;
  }
  table_close(&dist->table, weights);
  table_guide(&dist->table);
  dist->count = count;
  dist->mean = mean;
  dist->variance = square - mean * mean;
  snprintf(dist->text, sizeof dist->text, "hyperexponential, %zu phases, mean %g, cv %.4g", count,
           mean, sqrt(dist->variance) / mean);
  *out = dist;
  return TDM_OK;
}

static tdm_status make_hyperexponential(const tdm_dist_argument *a, tdm_dist **out,
                                        tdm_error *error) {
  return tdm_dist_hyperexponential(a[0].list, a[1].list, a[0].count, out, error);
}

const tdm_dist_family tdm_dist_family_hyperexponential = {
    .name = "hyperexponential",
    .make = make_hyperexponential,
    .doc = "one of several exponentials: { {weight, mean}, … }",
    .example = "td.hyperexponential { {0.9, \"1ms\"}, {0.1, \"20ms\"} }",
    .pairs = "mean",
    .parameters = {{WEIGHTS}, {PARAMETER("means", QUANTITIES, POSITIVE, "means of the parts")}}};

/* ∫ x^−power dx from `from` to from·e^span. */
static double zipf_integral(double power, double from, double span) {
  double rise = 1 - power;
  double factor = rise == 0 ? span : expm1(rise * span) / rise;
  return exp(rise * log(from)) * factor;
}

/* Σ k^−power for k from first to n (n far above first ≥ 4097) by the midpoint Euler–Maclaurin
 * formula; relative error about power⁴·1e-16. */
double tdm_dist_zipf_rest(double power, double first, double n) {
  double from = first - 0.5, to = n + 0.5;
  double slopes = power * (pow(from, -power - 1) - pow(to, -power - 1));
  return zipf_integral(power, from, log(to / from)) - slopes / 24;
}

tdm_status tdm_dist_zipf(double n, double s, tdm_dist **out, tdm_error *error) {
  *out = NULL;
  if (!(n >= 1 && n <= ZIPF_LARGEST && n == floor(n))) {
    return tdm_error_set(error, TDM_INVALID, "zipf: n must be a whole number from 1 to %g, not %g",
                         ZIPF_LARGEST, n);
  }
  if (!(s >= 0 && s <= 100)) {
    return tdm_error_set(error, TDM_INVALID, "zipf: s must be between 0 and 100, not %g", s);
  }
  uint32_t head = n < ZIPF_TABLE ? (uint32_t)n : ZIPF_TABLE;
  tdm_dist *dist = tdm_dist_shell(KIND_ZIPF, error);
  double *weights = tdm_array_new(head, sizeof *weights);
  if (dist == NULL || weights == NULL) {
    free(weights);
    tdm_dist_free(dist);
    return tdm_error_memory(error, "a Zipf table", 8ull * head);
  }
  double total = 0, first = 0, second = 0;
  for (uint32_t i = head; i-- > 0;) { /* small terms first */
    double k = i + 1.0;
    weights[i] = pow(k, -s);
    total += weights[i];
    first += weights[i] * k;
    second += weights[i] * k * k;
  }
  if (n > head) {
    total += tdm_dist_zipf_rest(s, head + 1.0, n);
    first += tdm_dist_zipf_rest(s - 1, head + 1.0, n);
    second += tdm_dist_zipf_rest(s - 2, head + 1.0, n);
  }
  tdm_status status = table_fill(&dist->table, weights, head, total, error);
  if (status != TDM_OK) {
    free(weights);
    tdm_dist_free(dist);
    return status;
  }
  if (n <= head) table_close(&dist->table, weights);
  table_guide(&dist->table);
  free(weights);
  dist->mean = first / total;
  dist->variance = second / total - dist->mean * dist->mean;
  dist->as.zipf.head = dist->table.cumulative[head - 1];
  dist->as.zipf.from = head + 0.5;
  dist->as.zipf.n = n;
  dist->as.zipf.power = 1 - s;
  dist->as.zipf.log_span = n > head ? log((n + 0.5) / (head + 0.5)) : 0;
  dist->as.zipf.span = expm1(dist->as.zipf.power * dist->as.zipf.log_span);
  snprintf(dist->text, sizeof dist->text, "zipf over 1…%g, s %g", n, s);
  *out = dist;
  return TDM_OK;
}

static tdm_status make_zipf(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return tdm_dist_zipf(a[0].number, a[1].number, out, error);
}

const tdm_dist_family tdm_dist_family_zipf = {
    .name = "zipf",
    .make = make_zipf,
    .doc = "1..n, k with weight k^-s",
    .example = "td.zipf { n = 1000, s = 1.1 }",
    .positional = 2,
    .parameters = {{PARAMETER("n", NUMBER, NOT_NEGATIVE, "values 1 to n"), .whole = true,
                    .least = 1, .most = 10000000},
                   {PARAMETER("s", NUMBER, NOT_NEGATIVE, "exponent of the weights")}}};

typedef struct {
  double value, weight;
} weighted;

static int by_value(const void *left, const void *right) {
  double a = ((const weighted *)left)->value, b = ((const weighted *)right)->value;
  return (a > b) - (a < b);
}

tdm_status tdm_dist_empirical(const double *values, const double *weights, size_t count,
                              tdm_dist **out, tdm_error *error) {
  *out = NULL;
  double total;
  const char *what = weights == NULL ? "empirical: values" : "empirical: weights";
  tdm_status status = check_weights(what, weights, count, &total, error);
  if (status != TDM_OK) return status;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(values[i])) {
      return tdm_error_set(error, TDM_INVALID, "empirical: values must be finite; item %zu is %g",
                           i + 1, values[i]);
    }
  }
  tdm_dist *dist = tdm_dist_shell(weights == NULL ? KIND_EMPIRICAL_EQUAL : KIND_EMPIRICAL, error);
  weighted *pairs = tdm_array_new(count, sizeof *pairs);
  double *sorted = tdm_array_new(count, sizeof *sorted);
  if (dist == NULL || pairs == NULL || sorted == NULL) {
    status = tdm_error_memory(error, "empirical values", 32ull * count);
    goto done;
  }
  for (size_t i = 0; i < count; i++) {
    pairs[i] = (weighted){values[i], weights == NULL ? 1 : weights[i]};
  }
  qsort(pairs, count, sizeof *pairs, by_value);
  dist->values = tdm_array_new(count, sizeof *dist->values);
  if (dist->values == NULL) {
    status = tdm_error_memory(error, "empirical values", 8ull * count);
    goto done;
  }
  double mean = 0;
  for (size_t i = 0; i < count; i++) {
    dist->values[i] = pairs[i].value;
    sorted[i] = pairs[i].weight;
    mean += pairs[i].weight / total * pairs[i].value;
  }
  double variance = 0;
  for (size_t i = 0; i < count; i++) {
    double gap = pairs[i].value - mean;
    variance += pairs[i].weight / total * gap * gap;
  }
  if (weights != NULL) {
    status = table_fill(&dist->table, sorted, count, total, error);
    if (status != TDM_OK) goto done;
    table_close(&dist->table, sorted);
    table_guide(&dist->table);
  }
  dist->count = count;
  dist->mean = mean;
  dist->variance = variance;
  snprintf(dist->text, sizeof dist->text, "empirical, %zu values, mean %g", count, mean);
  *out = dist;
  dist = NULL;
done:
  free(pairs);
  free(sorted);
  tdm_dist_free(dist);
  return status;
}

static tdm_status make_empirical(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return tdm_dist_empirical(a[0].list, a[1].list, a[0].count, out, error);
}

const tdm_dist_family tdm_dist_family_empirical = {
    .name = "empirical",
    .make = make_empirical,
    .doc = "one of the given values",
    .example = "td.empirical { 64, 128, 512, weights = { 5, 3, 1 } }",
    .items = "values",
    .parameters = {{PARAMETER("values", QUANTITIES, AS_ALLOWED, "the values")},
                   {WEIGHTS, .optional = true}}};

tdm_status tdm_dist_histogram(const double *edges, const double *counts, size_t bins,
                              tdm_dist **out, tdm_error *error) {
  *out = NULL;
  double total;
  tdm_status status = check_weights("histogram: counts", counts, bins, &total, error);
  if (status != TDM_OK) return status;
  for (size_t i = 0; i <= bins; i++) {
    if (!isfinite(edges[i]) || (i > 0 && !(edges[i] > edges[i - 1]))) {
      return tdm_error_set(error, TDM_INVALID,
                           "histogram: edges must be finite and rising; item %zu is %g", i + 1,
                           edges[i]);
    }
  }
  tdm_dist *dist = tdm_dist_shell(KIND_HISTOGRAM, error);
  if (dist == NULL) return TDM_MEMORY;
  dist->values = copy_numbers(edges, bins + 1, error);
  if (dist->values == NULL || table_fill(&dist->table, counts, bins, total, error) != TDM_OK) {
    tdm_dist_free(dist);
    return TDM_MEMORY;
  }
  table_close(&dist->table, counts);
  table_guide(&dist->table);
  double mean = 0, variance = 0;
  for (size_t i = 0; i < bins; i++)
    mean += counts[i] / total * (0.5 * edges[i] + 0.5 * edges[i + 1]);
  for (size_t i = 0; i < bins; i++) {
    double width = edges[i + 1] - edges[i], gap = edges[i] + 0.5 * width - mean;
    variance += counts[i] / total * (gap * gap + width * width / 12);
  }
  dist->count = bins;
  dist->mean = mean;
  dist->variance = variance;
  snprintf(dist->text, sizeof dist->text, "histogram, %zu bins over %g to %g, mean %g", bins,
           edges[0], edges[bins], mean);
  *out = dist;
  return TDM_OK;
}

static tdm_status make_histogram(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return tdm_dist_histogram(a[0].list, a[1].list, a[1].count, out, error);
}

const tdm_dist_family tdm_dist_family_histogram = {
    .name = "histogram",
    .make = make_histogram,
    .doc = "bins with counts, uniform inside a bin",
    .example = "td.histogram { edges = { 0, 128, 512, 2048 }, counts = { 700, 250, 50 } }",
    .parameters = {{PARAMETER("edges", EDGES, AS_ALLOWED, "bin edges, rising")},
                   {PARAMETER("counts", WEIGHTS, NOT_NEGATIVE, "weight of each bin")}}};

/* Moments of a mixture; parts that are never picked do not count. */
static void mixture_moments(tdm_dist *dist, const double *weights, double total) {
  double mean = 0, square = 0;
  for (size_t i = 0; i < dist->count; i++) {
    const tdm_dist *part = dist->parts[i];
    double p = weights[i] / total;
    if (p == 0) continue;
    mean += p * part->mean;
    square += p * (part->variance + part->mean * part->mean);
    dist->needs_script = dist->needs_script || part->needs_script;
  }
  dist->mean = mean;
  dist->variance = isinf(square) ? INFINITY : square - mean * mean;
}

tdm_status tdm_dist_mixture(const double *weights, tdm_dist *const *parts, size_t count,
                            tdm_dist **out, tdm_error *error) {
  *out = NULL;
  double total;
  tdm_status status = check_weights("mixture: weights", weights, count, &total, error);
  if (status != TDM_OK) return status;
  tdm_dist *dist = tdm_dist_shell(KIND_MIXTURE, error);
  if (dist == NULL) return TDM_MEMORY;
  tdm_dist **copies = tdm_array_new(count, sizeof(tdm_dist *));
  if (copies == NULL) {
    tdm_dist_free(dist);
    return tdm_error_memory(error, "a mixture's parts", 8ull * count);
  }
  status = table_fill(&dist->table, weights, count, total, error);
  if (status != TDM_OK) {
    free(copies);
    tdm_dist_free(dist);
    return status;
  }
  table_close(&dist->table, weights);
  table_guide(&dist->table);
  for (size_t i = 0; i < count; i++) copies[i] = parts[i];
  dist->parts = copies; /* from here on they are the mixture's, and nothing can fail any more */
  dist->count = count;
  mixture_moments(dist, weights, total);
  snprintf(dist->text, sizeof dist->text, "mixture of %zu, mean %g", count, dist->mean);
  *out = dist;
  return TDM_OK;
}

static tdm_status make_mixture(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  return tdm_dist_mixture(a[0].list, a[1].parts, a[0].count, out, error);
}

const tdm_dist_family tdm_dist_family_mixture = {
    .name = "mixture",
    .make = make_mixture,
    .doc = "one of several: { {weight, distribution}, … }",
    .example = "td.mixture { {0.8, td.constant \"1ms\"}, {0.2, td.exponential \"10ms\"} }",
    .pairs = "distribution",
    .parameters = {{WEIGHTS}, {PARAMETER("parts", PARTS, NOT_NEGATIVE, "distributions")}}};
