/* Log-linear histogram: allocation, merging, and what is read off the buckets.
 * Owns the counts of each tdm_histogram. Called by engines and the result builder. */
#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

double tdm_histogram_lower(uint32_t bucket) {
  if (bucket == 0) return 0;
  uint64_t bits = ((uint64_t)(bucket - 1) + 1023u * TDM_HISTOGRAM_PER_OCTAVE) << 45;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

double tdm_histogram_upper(uint32_t bucket) {
  return tdm_histogram_lower(bucket + 1);
}

/* The smallest and largest whole ns a bucket can hold. Narrow buckets (below 128 ns) hold one. */
static double first_ns(uint32_t bucket) {
  return ceil(tdm_histogram_lower(bucket));
}

static double last_ns(uint32_t bucket) {
  return ceil(tdm_histogram_upper(bucket)) - 1;
}

static double middle_ns(uint32_t bucket) {
  return 0.5 * (first_ns(bucket) + last_ns(bucket));
}

/* Buckets in use: first_used ≤ i < end_used. None while empty. */
static uint32_t first_used(const tdm_histogram *histogram) {
  return histogram->total > 0 ? tdm_histogram_bucket(histogram->min_ns) : 0;
}

static uint32_t end_used(const tdm_histogram *histogram) {
  return histogram->total > 0 ? tdm_histogram_bucket(histogram->max_ns) + 1 : 0;
}

static double within(const tdm_histogram *histogram, double ns) {
  double min = (double)histogram->min_ns, max = (double)histogram->max_ns;
  return ns < min ? min : ns > max ? max : ns;
}

tdm_status tdm_histogram_new(tdm_histogram *histogram, tdm_error *error) {
  histogram->counts = tdm_aligned_new(TDM_HISTOGRAM_BUCKETS, sizeof *histogram->counts);
  histogram->total = 0;
  histogram->min_ns = INT64_MAX;
  histogram->max_ns = INT64_MIN;
  if (histogram->counts != NULL) return TDM_OK;
  return tdm_error_memory(error, "a histogram", TDM_HISTOGRAM_BUCKETS * sizeof(uint64_t));
}

void tdm_histogram_free(tdm_histogram *histogram) {
  free(histogram->counts);
  histogram->counts = NULL;
}

void tdm_histogram_clear(tdm_histogram *histogram) {
  uint32_t first = first_used(histogram);
  memset(histogram->counts + first, 0, (end_used(histogram) - first) * sizeof *histogram->counts);
  histogram->total = 0;
  histogram->min_ns = INT64_MAX;
  histogram->max_ns = INT64_MIN;
}

void tdm_histogram_merge(tdm_histogram *into, const tdm_histogram *from) {
  for (uint32_t i = first_used(from); i < end_used(from); i++) into->counts[i] += from->counts[i];
  into->total += from->total;
  if (from->min_ns < into->min_ns) into->min_ns = from->min_ns;
  if (from->max_ns > into->max_ns) into->max_ns = from->max_ns;
}

double tdm_histogram_quantile(const tdm_histogram *histogram, double q) {
  if (histogram->total == 0 || isnan(q)) return NAN;
  double rank = q * (double)histogram->total;
  if (rank <= 0) return (double)histogram->min_ns;
  uint64_t seen = 0;
  for (uint32_t i = first_used(histogram); i < end_used(histogram); i++) {
    uint64_t here = histogram->counts[i];
    if (here == 0) continue;
    if ((double)(seen + here) >= rank) {
      double inside = (rank - (double)seen) / (double)here;
      double first = first_ns(i);
      return within(histogram, first + inside * (last_ns(i) - first));
    }
    seen += here;
  }
  return (double)histogram->max_ns;
}

double tdm_histogram_mean(const tdm_histogram *histogram) {
  if (histogram->total == 0) return NAN;
  double sum = 0;
  for (uint32_t i = first_used(histogram); i < end_used(histogram); i++) {
    if (histogram->counts[i] > 0) {
      sum += (double)histogram->counts[i] * within(histogram, middle_ns(i));
    }
  }
  return within(histogram, sum / (double)histogram->total);
}

double tdm_histogram_sd(const tdm_histogram *histogram) {
  if (histogram->total < 2) return NAN;
  double mean = tdm_histogram_mean(histogram), sum = 0;
  for (uint32_t i = first_used(histogram); i < end_used(histogram); i++) {
    if (histogram->counts[i] == 0) continue;
    double gap = within(histogram, middle_ns(i)) - mean;
    sum += (double)histogram->counts[i] * gap * gap;
  }
  return sqrt(sum / (double)(histogram->total - 1));
}
