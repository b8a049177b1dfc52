/* A series of numbers as the sections of one replication, so that what is said of runs may be said
 * of it. Owns nothing. Called by the binding for scores, whose recorded run is one series. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/ranks.h"
#include "base/sections.h"

#define LARGEST 0x1p44 /* what the largest number becomes: sums of thousands stay exact */

/* Sums, sizes as whole numbers, and the mean of those. */
static double take(tdm_sections *s, const double *series, size_t count, double scale, int64_t *ns) {
  double sum = 0, sizes = 0, squares = 0;
  for (size_t j = 0; j < s->count; j++)
    for (size_t i = count * j / s->count; i < count * (j + 1) / s->count; i++) {
      ns[i] = (int64_t)llround(fabs(series[i]) * scale);
      s->items[j].sum_s += series[i] * scale / 1e9;
      sum += series[i];
      sizes += (double)ns[i];
    }
  for (size_t i = 0; i < count; i++) squares += pow(series[i] - sum / (double)count, 2);
  s->mean_s = sum / (double)count * scale / 1e9;
  s->sd_s = count > 1 ? sqrt(squares / (double)(count - 1)) * scale / 1e9 : 0;
  return sizes / (double)count;
}

bool tdm_sections_of_series(tdm_sections *s, const double *series, size_t count, size_t smooth,
                            double *unit_s) {
  double most = 0;
  if (!tdm_sections_new(s, tdm_sections_each(1))) return false;
  s->mean_s = s->sd_s = NAN;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(series[i]));
  double scale = most > 0 ? exp2(floor(log2(LARGEST / most))) : 1;
  *unit_s = scale / 1e9;
  if (count == 0) return true;
  int64_t *ns = tdm_array_new(count, 2 * sizeof *ns);
  bool room = ns != NULL;
  if (room) {
    double mean_ns = take(s, series, count, scale, ns);
    room = tdm_sections_scan(s, ns, count, mean_ns, smooth);
  }
  for (size_t j = 0; j < s->count && room; j++) {
    size_t from = count * j / s->count, to = count * (j + 1) / s->count;
    tdm_ranks_sort(ns + from, ns + count, to - from);
    room = tdm_section_keep(&s->items[j], ns + from, to - from);
  }
  free(ns);
  if (!room) tdm_sections_free(s);
  return room;
}
