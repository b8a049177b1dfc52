/* See intervals.h. */
#include "analysis/intervals.h"

#include <stdlib.h>

#include "base/memory.h"

void tdm_intervals_close(tdm_intervals *set) {
  free(set->start_ns);
  free(set->end_ns);
  *set = (tdm_intervals){0};
}

static int append(tdm_intervals *set, int64_t start_ns, int64_t end_ns) {
  size_t room = set->room;
  if (set->count == set->room) {
    if (!tdm_array_grow(&set->start_ns, &room, set->count + 1, sizeof *set->start_ns)) return 0;
    room = set->room;
    if (!tdm_array_grow(&set->end_ns, &room, set->count + 1, sizeof *set->end_ns)) return 0;
    set->room = room;
  }
  set->start_ns[set->count] = start_ns;
  set->end_ns[set->count++] = end_ns;
  return 1;
}

int tdm_intervals_add(tdm_intervals *set, int64_t start_ns, int64_t end_ns) {
  if (end_ns <= start_ns) return 1;
  if (set->count > 0 && start_ns <= set->end_ns[set->count - 1]) {
    if (end_ns > set->end_ns[set->count - 1]) set->end_ns[set->count - 1] = end_ns;
    return 1;
  }
  return append(set, start_ns, end_ns);
}

int64_t tdm_intervals_total_ns(const tdm_intervals *set) {
  int64_t total = 0;
  for (size_t i = 0; i < set->count; i++) total += set->end_ns[i] - set->start_ns[i];
  return total;
}

size_t tdm_intervals_after(const tdm_intervals *set, int64_t at_ns) {
  size_t low = 0, high = set->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (set->end_ns[middle] <= at_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int64_t tdm_intervals_within_ns(const tdm_intervals *set, int64_t from_ns, int64_t to_ns) {
  if (to_ns <= from_ns) return 0;
  size_t low = tdm_intervals_after(set, from_ns);
  int64_t total_ns = 0;
  for (; low < set->count && set->start_ns[low] < to_ns; low++) {
    int64_t start_ns = set->start_ns[low] > from_ns ? set->start_ns[low] : from_ns;
    int64_t end_ns = set->end_ns[low] < to_ns ? set->end_ns[low] : to_ns;
    total_ns += end_ns - start_ns;
  }
  return total_ns;
}

static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}
static int64_t earlier(int64_t a, int64_t b) {
  return a < b ? a : b;
}

int64_t tdm_intervals_common_ns(const tdm_intervals *a, const tdm_intervals *b) {
  int64_t total = 0;
  for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
    int64_t start = later(a->start_ns[i], b->start_ns[j]);
    int64_t end = earlier(a->end_ns[i], b->end_ns[j]);
    if (end > start) total += end - start;
    if (a->end_ns[i] < b->end_ns[j])
      i++;
    else
      j++;
  }
  return total;
}

static tdm_status no_room(tdm_error *error) {
  return tdm_error_memory(error, "intervals", 0);
}

tdm_status tdm_intervals_union(const tdm_intervals *a, const tdm_intervals *b, tdm_intervals *out,
                               tdm_error *error) {
  for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
    int from_a = j == b->count || (i < a->count && a->start_ns[i] <= b->start_ns[j]);
    const tdm_intervals *from = from_a ? a : b;
    size_t at = from_a ? i++ : j++;
    if (!tdm_intervals_add(out, from->start_ns[at], from->end_ns[at])) return no_room(error);
  }
  return TDM_OK;
}

tdm_status tdm_intervals_intersect(const tdm_intervals *a, const tdm_intervals *b,
                                   tdm_intervals *out, tdm_error *error) {
  for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
    int64_t start = later(a->start_ns[i], b->start_ns[j]);
    int64_t end = earlier(a->end_ns[i], b->end_ns[j]);
    if (end > start && !append(out, start, end)) return no_room(error);
    if (a->end_ns[i] < b->end_ns[j])
      i++;
    else
      j++;
  }
  return TDM_OK;
}

tdm_status tdm_intervals_subtract(const tdm_intervals *a, const tdm_intervals *b,
                                  tdm_intervals *out, tdm_error *error) {
  size_t j = 0;
  for (size_t i = 0; i < a->count; i++) {
    int64_t start = a->start_ns[i], end = a->end_ns[i];
    while (j < b->count && b->end_ns[j] <= start) j++;
    for (size_t k = j; k < b->count && b->start_ns[k] < end; k++) {
      if (b->start_ns[k] > start && !append(out, start, b->start_ns[k])) return no_room(error);
      start = b->end_ns[k];
    }
    if (start < end && !append(out, start, end)) return no_room(error);
  }
  return TDM_OK;
}
