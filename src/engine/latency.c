#include "engine/latency.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/ranks.h"

static double seconds(double ns) {
  return ns / 1e9;
}

static bool all_kept(const tdm_exact *exact) {
  return exact->count <= TDM_EXACT_LIMIT;
}

/* Latencies that were kept, of classes whose latencies were. */
typedef struct {
  bool complete; /* no class has gone over to histograms */
  size_t count;
  int64_t *ns, *spare; /* one block; free(ns) */
} kept;

static size_t kept_total(const tdm_tally *t, size_t first, size_t count) {
  size_t total = 0;
  for (size_t c = first; c < first + count; c++)
    if (all_kept(&t->exact[c])) total += (size_t)t->exact[c].count;
  return total;
}

static bool open_kept(const tdm_tally *t, size_t first, size_t count, kept *k) {
  size_t total = kept_total(t, first, count);
  *k = (kept){.complete = true, .ns = tdm_array_new(2 * total + 1, sizeof *k->ns)};
  if (k->ns == NULL) return false;
  k->spare = k->ns + total;
  for (size_t c = first; c < first + count; c++) k->complete &= all_kept(&t->exact[c]);
  return true;
}

/* ---- one group of classes */

static void add_slice(tdm_class_measure *m, const tdm_class_slice *slice, tdm_histogram *histogram,
                      int64_t *latency_ns) {
  m->arrived += slice->arrived;
  m->completed += slice->completed;
  m->within_slo += slice->within_slo;
  m->dropped += slice->dropped;
  m->abandoned += slice->abandoned;
  m->timed_out += slice->timed_out;
  m->retried += slice->retried;
  *latency_ns += slice->latency_ns;
  if (slice->counts == NULL || slice->completed == 0) return;
  tdm_histogram view = {slice->counts, slice->completed, slice->min_ns, slice->max_ns};
  tdm_histogram_merge(histogram, &view);
}

static double sd_s(const kept *k) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < k->count; i++) sum += seconds((double)k->ns[i]);
  for (size_t i = 0; i < k->count; i++) {
    double d = seconds((double)k->ns[i]) - sum / (double)k->count;
    squares += d * d;
  }
  return k->count > 1 ? sqrt(squares / (double)(k->count - 1)) : NAN;
}

static double quantile_s(const kept *k, const tdm_histogram *histogram, double level) {
  if (!k->complete || k->count == 0) return seconds(tdm_histogram_quantile(histogram, level));
  return seconds(tdm_ranks_quantile_ns(k->ns, k->count, level));
}

bool tdm_latency_take(const tdm_tally *t, size_t first, size_t count, uint32_t from,
                      const double *levels, size_t level_count, tdm_histogram *histogram,
                      tdm_class_measure *m) {
  int64_t latency_ns = 0;
  kept k;
  if (!open_kept(t, first, count, &k)) return false;
  *m = (tdm_class_measure){
      .mean_s = NAN, .min_s = NAN, .max_s = NAN, .sd_s = NAN, .slo_s = m->slo_s};
  tdm_histogram_clear(histogram);
  for (size_t c = first; c < first + count; c++) {
    const tdm_exact *exact = &t->exact[c];
    for (uint32_t s = from; s < TDM_SLICES; s++)
      add_slice(m, &t->classes[c * TDM_SLICES + s], histogram, &latency_ns);
    for (uint64_t i = 0; all_kept(exact) && i < exact->count; i++)
      if (exact->slice[i] >= from) k.ns[k.count++] = exact->latency_ns[i];
  }
  for (size_t i = 0; i < k.count; i++) tdm_histogram_add(histogram, k.ns[i]);
  if (k.complete) tdm_ranks_sort(k.ns, k.spare, k.count);
  for (int q = 0; q < TDM_QUANTILES; q++)
    m->quantiles_s[q] = quantile_s(&k, histogram, tdm_quantile_levels[q]);
  for (size_t q = 0; q < level_count; q++) m->slo_s[q] = quantile_s(&k, histogram, levels[q]);
  if (m->completed > 0) {
    m->mean_s = seconds((double)latency_ns / (double)m->completed);
    m->min_s = seconds((double)histogram->min_ns);
    m->max_s = seconds((double)histogram->max_ns);
    m->sd_s = k.complete ? sd_s(&k) : seconds(tdm_histogram_sd(histogram));
  }
  free(k.ns);
  return true;
}

/* ---- over time */

/* Moves kept latencies to their slices: those of slice s are at starts[s]…starts[s+1]-1. */
static void sort_by_slice(const tdm_tally *t, kept *k, size_t starts[TDM_SLICES + 1]) {
  size_t next[TDM_SLICES];
  for (int pass = 0; pass < 2; pass++) {
    for (size_t c = 0; c < t->class_count; c++) {
      const tdm_exact *exact = &t->exact[c];
      for (uint64_t i = 0; all_kept(exact) && i < exact->count; i++) {
        if (pass == 0)
          starts[exact->slice[i] + 1]++;
        else
          k->ns[next[exact->slice[i]]++] = exact->latency_ns[i];
      }
    }
    for (size_t s = 0; pass == 0 && s < TDM_SLICES; s++) {
      starts[s + 1] += starts[s];
      next[s] = starts[s];
    }
  }
}

static double histogram_p99(const tdm_tally *t, uint32_t slice, const int64_t *ns, size_t count,
                            tdm_histogram *scratch) {
  tdm_class_measure unused = {0};
  int64_t latency_ns = 0;
  tdm_histogram_clear(scratch);
  for (size_t c = 0; c < t->class_count; c++)
    add_slice(&unused, &t->classes[c * TDM_SLICES + slice], scratch, &latency_ns);
  for (size_t i = 0; i < count; i++) tdm_histogram_add(scratch, ns[i]);
  return tdm_histogram_quantile(scratch, 0.99);
}

bool tdm_latency_series(const tdm_tally *t, tdm_histogram *scratch, double p99_s[TDM_SLICES]) {
  size_t starts[TDM_SLICES + 1] = {0};
  kept k;
  if (!open_kept(t, 0, t->class_count, &k)) return false;
  sort_by_slice(t, &k, starts);
  for (uint32_t s = 0; s < TDM_SLICES; s++) {
    int64_t *ns = k.ns + starts[s];
    size_t count = starts[s + 1] - starts[s];
    bool exact = k.complete && count > 0;
    p99_s[s] = seconds(exact ? tdm_ranks_select_ns(ns, count, 0.99)
                             : histogram_p99(t, s, ns, count, scratch));
  }
  free(k.ns);
  return true;
}
