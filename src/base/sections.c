/* Sections filled, excursions found. Owns the arrays of each tdm_sections. */
#include "base/sections.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/ranks.h"

#define SECTIONS_IN_ALL 16u
#define ONE_EACH        8u /* from so many replications on */

size_t tdm_sections_each(size_t replications) {
  if (replications >= ONE_EACH || replications == 0) return 1;
  return (SECTIONS_IN_ALL + replications - 1) / replications;
}

bool tdm_sections_new(tdm_sections *sections, size_t count) {
  *sections = (tdm_sections){.items = tdm_array_new(count, sizeof *sections->items)};
  if (sections->items == NULL) return false;
  sections->count = count;
  return true;
}

void tdm_sections_free(tdm_sections *sections) {
  for (size_t i = 0; i < sections->count; i++) {
    free(sections->items[i].sorted_ns);
    free(sections->items[i].below);
  }
  free(sections->items);
  free(sections->maxima_ns);
  *sections = (tdm_sections){0};
}

bool tdm_section_keep(tdm_section *section, const int64_t *ns, size_t count) {
  section->count = count;
  if (count == 0) return true;
  section->sorted_ns = tdm_array_new(count, sizeof *ns);
  if (section->sorted_ns == NULL) return false;
  memcpy(section->sorted_ns, ns, count * sizeof *ns);
  section->min_ns = ns[0];
  section->max_ns = ns[count - 1];
  return true;
}

bool tdm_section_count(tdm_section *section, const tdm_histogram *histogram) {
  section->count = histogram->total;
  if (histogram->total == 0) return true;
  section->min_ns = histogram->min_ns;
  section->max_ns = histogram->max_ns;
  section->first = tdm_histogram_bucket(histogram->min_ns);
  section->buckets = tdm_histogram_bucket(histogram->max_ns) - section->first + 1;
  section->below = tdm_array_new(section->buckets, sizeof *section->below);
  if (section->below == NULL) return false;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < section->buckets; i++)
    section->below[i] = sum += histogram->counts[section->first + i];
  return true;
}

/* Adds one to the largest ones: a heap whose root is the least of them. */
static void keep_maximum(tdm_sections *s, int64_t ns) {
  int64_t *heap = s->maxima_ns;
  size_t at;
  if (s->maxima < TDM_MAXIMA) {
    for (at = s->maxima++; at > 0 && heap[(at - 1) / 2] > ns; at = (at - 1) / 2)
      heap[at] = heap[(at - 1) / 2];
    heap[at] = ns;
    return;
  }
  if (ns <= heap[0]) return;
  for (at = 0;;) {
    size_t child = 2 * at + 1;
    if (child >= s->maxima) break;
    if (child + 1 < s->maxima && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= ns) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = ns;
}

bool tdm_sections_scan(tdm_sections *s, const int64_t *ns, size_t count, double level_ns,
                       size_t smooth) {
  int64_t spare[TDM_MAXIMA];
  s->maxima_ns = tdm_array_new(TDM_MAXIMA, sizeof *s->maxima_ns);
  if (s->maxima_ns == NULL) return false;
  s->scale = 1;
  double sum = 0, limit = level_ns * (double)smooth;
  int64_t most = -1;
  bool up = true;
  for (size_t i = 0; i < count; i++) {
    sum += (double)ns[i];
    if (i >= smooth) sum -= (double)ns[i - smooth];
    if (ns[i] > most) most = ns[i];
    if (i + 1 < smooth) continue;
    bool ends = up && sum < limit; /* times are whole, so that sums of them are exact */
    up = sum >= limit;
    if (!ends) continue;
    keep_maximum(s, most);
    most = -1;
  }
  if (most >= 0) keep_maximum(s, most);
  tdm_ranks_sort(s->maxima_ns, spare, s->maxima);
  for (size_t i = 0; i < s->maxima / 2; i++) {
    int64_t item = s->maxima_ns[i];
    s->maxima_ns[i] = s->maxima_ns[s->maxima - 1 - i];
    s->maxima_ns[s->maxima - 1 - i] = item;
  }
  return true;
}

size_t tdm_sections_reached(const tdm_sections *s, double ns) {
  size_t reached = 0;
  while (reached < s->maxima && (double)s->maxima_ns[reached] >= ns) reached++;
  return reached;
}
