/* Latency statistics of a tally, of all time and slice by slice; see inside.h. Called by measure.c
 * and llm.c. */
#include "engine/measure/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  int64_t *ns, *spare;              /* one block; free(ns) */
  uint8_t *section, *spare_section; /* of each, behind it */
} kept;

static size_t kept_total(const tdm_tally *t, size_t first, size_t count) {
  size_t total = 0;
  for (size_t c = first; c < first + count; c++)
    if (all_kept(&t->exact[c])) total += (size_t)t->exact[c].count;
  return total;
}

static bool open_kept(const tdm_tally *t, size_t first, size_t count, kept *k) {
  size_t total = kept_total(t, first, count);
  size_t each = 2 * (sizeof *k->ns + sizeof *k->section);
  *k = (kept){.complete = true, .ns = tdm_array_new(total + 1, each)};
  if (k->ns == NULL) return false;
  k->spare = k->ns + total;
  k->section = (uint8_t *)(k->spare + total);
  k->spare_section = k->section + total;
  for (size_t c = first; c < first + count; c++) k->complete &= all_kept(&t->exact[c]);
  return true;
}

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

/* ---- sections */

#define KEPT_IN_ALL 262144u /* of a row's times in all replications, that are kept as they are */
#define KEPT_ANYWAY 1024u   /* in a section: no larger than its buckets */

static size_t section_of(const tdm_cut *cut, size_t each, uint32_t slice) {
  return (slice - cut->from) * each / (TDM_SLICES - cut->from);
}

/* Of kept times in their order, those of each section. */
static bool keep_sections(kept *k, tdm_sections *out) {
  size_t ends[TDM_SLICES + 1] = {0};
  for (size_t i = 0; i < k->count; i++) ends[k->section[i] + 1]++;
  for (size_t j = 0; j < out->count; j++) ends[j + 1] += ends[j];
  for (size_t i = 0; i < k->count; i++) k->spare[ends[k->section[i]]++] = k->ns[i];
  bool room = true;
  for (size_t j = 0, from = 0; j < out->count && room; from = ends[j++])
    room = tdm_section_keep(&out->items[j], k->spare + from, ends[j] - from);
  return room;
}

static bool count_section(const tdm_tally *t, size_t first, size_t count, tdm_cut *cut,
                          const kept *k, size_t section, tdm_sections *out) {
  tdm_class_measure unused = {0};
  int64_t latency_ns = 0;
  tdm_histogram_clear(&cut->part);
  for (size_t c = first; c < first + count; c++)
    for (uint32_t s = cut->from; s < TDM_SLICES; s++)
      if (section_of(cut, out->count, s) == section)
        add_slice(&unused, &t->classes[c * TDM_SLICES + s], &cut->part, &latency_ns);
  for (size_t i = 0; i < k->count; i++)
    if (k->section[i] == section) tdm_histogram_add(&cut->part, k->ns[i]);
  return tdm_section_count(&out->items[section], &cut->part);
}

/* Fills the sections' times: kept where they are and not too many, else by bucket. */
static bool fill_sections(const tdm_tally *t, size_t first, size_t count, tdm_cut *cut, kept *k,
                          const tdm_histogram *histogram, tdm_sections *out) {
  if (k->complete && (k->count * cut->replications <= KEPT_IN_ALL || k->count <= KEPT_ANYWAY))
    return keep_sections(k, out);
  if (out->count == 1) return tdm_section_count(&out->items[0], histogram);
  bool room = true;
  for (size_t j = 0; j < out->count && room; j++)
    room = count_section(t, first, count, cut, k, j, out);
  return room;
}

static void sum_sections(const tdm_tally *t, size_t first, size_t count, const tdm_cut *cut,
                         tdm_sections *out) {
  for (uint32_t s = cut->from; s < TDM_SLICES; s++) {
    tdm_section *section = &out->items[section_of(cut, out->count, s)];
    int64_t end_ns = s + 1 < TDM_SLICES && t->bounds_ns[s + 1] < t->window_ns ? t->bounds_ns[s + 1]
                                                                              : t->window_ns;
    if (end_ns > t->bounds_ns[s]) section->length_s += seconds((double)(end_ns - t->bounds_ns[s]));
    for (size_t c = first; c < first + count; c++) {
      const tdm_class_slice *slice = &t->classes[c * TDM_SLICES + s];
      section->sum_s += seconds((double)slice->latency_ns);
      section->arrived += slice->arrived;
      section->within += slice->within_slo;
    }
  }
}

/* The excursions of one class's times, in the order in which they ended; of more than are kept, of
 * the first ones but for a quarter, in which the run may fill up. */
static bool scan_class(const tdm_tally *t, size_t c, const tdm_cut *cut, int64_t *scratch,
                       tdm_sections *out) {
  const tdm_exact *exact = &t->exact[c];
  uint64_t completed = 0, skip = all_kept(exact) ? 0 : TDM_EXACT_LIMIT / 4;
  size_t count = 0;
  double sum = 0;
  for (uint32_t s = cut->from; s < TDM_SLICES; s++) {
    completed += t->classes[c * TDM_SLICES + s].completed;
    sum += (double)t->classes[c * TDM_SLICES + s].latency_ns;
  }
  for (uint64_t i = skip; i < exact->count && i < TDM_EXACT_LIMIT; i++)
    if (skip > 0 || exact->slice[i] >= cut->from) scratch[count++] = exact->latency_ns[i];
  double level_ns = completed > 0 ? sum / (double)completed : 0;
  if (!tdm_sections_scan(out, scratch, count, level_ns, cut->smooth)) return false;
  if (skip > 0 && count > 0) out->scale = (double)completed / (double)count;
  return true;
}

/* Of several classes, the one that goes beyond their common p99 most often: what drives several up
 * together is one excursion. */
static bool scan(const tdm_tally *t, size_t first, size_t count, const tdm_cut *cut, double p99_ns,
                 tdm_sections *out) {
  int64_t *scratch = tdm_array_new(TDM_EXACT_LIMIT, sizeof *scratch);
  bool room = scratch != NULL;
  double most = -1;
  for (size_t c = first; c < first + count && room; c++) {
    tdm_sections one = {0};
    room = scan_class(t, c, cut, scratch, &one);
    double reached = room ? (double)tdm_sections_reached(&one, p99_ns) * one.scale : 0;
    if (!room || reached <= most) {
      tdm_sections_free(&one);
      continue;
    }
    most = reached;
    free(out->maxima_ns);
    out->maxima_ns = one.maxima_ns;
    out->maxima = one.maxima;
    out->scale = one.scale;
  }
  free(scratch);
  return room;
}

/* ---- one group of classes */

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

bool tdm_latency_take(const tdm_tally *t, size_t first, size_t count, tdm_cut *cut,
                      tdm_histogram *histogram, tdm_class_measure *m) {
  uint32_t from = cut->from;
  size_t each = tdm_sections_each(cut->replications);
  int64_t latency_ns = 0;
  kept k;
  if (!open_kept(t, first, count, &k)) return false;
  *m = (tdm_class_measure){.mean_s = NAN, .min_s = NAN, .max_s = NAN, .sd_s = NAN};
  tdm_histogram_clear(histogram);
  for (size_t c = first; c < first + count; c++) {
    const tdm_exact *exact = &t->exact[c];
    for (uint32_t s = from; s < TDM_SLICES; s++)
      add_slice(m, &t->classes[c * TDM_SLICES + s], histogram, &latency_ns);
    for (uint64_t i = 0; all_kept(exact) && i < exact->count; i++) {
      if (exact->slice[i] < from) continue;
      k.section[k.count] = (uint8_t)section_of(cut, each, exact->slice[i]);
      k.ns[k.count++] = exact->latency_ns[i];
    }
  }
  for (size_t i = 0; i < k.count; i++) tdm_histogram_add(histogram, k.ns[i]);
  if (k.complete && each > 1)
    tdm_ranks_sort_tagged(k.ns, k.spare, k.section, k.spare_section, k.count);
  else if (k.complete)
    tdm_ranks_sort(k.ns, k.spare, k.count);
  for (int q = 0; q < TDM_QUANTILES; q++)
    m->quantiles_s[q] = quantile_s(&k, histogram, tdm_quantile_levels[q]);
  if (m->completed > 0) {
    m->mean_s = seconds((double)latency_ns / (double)m->completed);
    m->min_s = seconds((double)histogram->min_ns);
    m->max_s = seconds((double)histogram->max_ns);
    m->sd_s = k.complete ? sd_s(&k) : seconds(tdm_histogram_sd(histogram));
  }
  bool room = tdm_sections_new(&m->sections, each) &&
              fill_sections(t, first, count, cut, &k, histogram, &m->sections);
  free(k.ns);
  if (!room) return false;
  sum_sections(t, first, count, cut, &m->sections);
  m->sections.mean_s = m->mean_s;
  m->sections.sd_s = m->sd_s;
  return scan(t, first, count, cut, m->quantiles_s[TDM_Q99] * 1e9, &m->sections);
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
