/* Windows grow with the run, and a window's histogram with the range of its latencies. Called by
 * events/record.c, measure and the binding. */
#include "engine/windows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define BUCKETS_APART 64u /* room that a histogram takes beyond what it must */

tdm_windows *tdm_windows_new(const tdm_model *model) {
  tdm_windows *w = tdm_array_new(1, sizeof *w);
  if (w == NULL) return NULL;
  w->length_ns = model->window_ns;
  w->end_ns = model->duration_ns;
  w->row_count = model->window_rows;
  w->station_count = model->station_count;
  return w;
}

void tdm_windows_free(tdm_windows *w) {
  if (w == NULL) return;
  for (size_t i = 0; i < w->made * w->row_count; i++) free(w->items[i].counts);
  free(w->items);
  free(w->notes);
  free(w);
}

/* Room for windows up to number `index`. */
static bool reach(tdm_windows *w, size_t index) {
  if (index >= w->capacity) {
    size_t capacity = w->capacity == 0 ? 32 : w->capacity;
    while (capacity <= index) capacity *= 2;
    tdm_window *items = realloc(w->items, capacity * w->row_count * sizeof *items);
    if (items != NULL) w->items = items;
    size_t notes_size = (capacity * w->station_count + 1) * sizeof *w->notes;
    tdm_station_note *notes = items != NULL ? realloc(w->notes, notes_size) : NULL;
    if (notes == NULL) return false;
    w->notes = notes;
    w->capacity = capacity;
  }
  for (; w->made <= index; w->made++)
    for (size_t row = 0; row < w->row_count; row++)
      w->items[w->made * w->row_count + row] =
          (tdm_window){.min_ns = INT64_MAX, .max_ns = INT64_MIN};
  return true;
}

static size_t index_of(const tdm_windows *w, int64_t at_ns) {
  uint64_t index = (uint64_t)(at_ns / w->length_ns);
  return index >= TDM_WINDOWS_MOST ? TDM_WINDOWS_MOST - 1 : (size_t)index;
}

/* The window in which a request came. */
static tdm_window *window_of(tdm_windows *w, uint32_t class_index, int64_t arrival_ns) {
  size_t index = index_of(w, arrival_ns);
  if (index >= w->made && !reach(w, index)) return NULL;
  if (index >= w->count) w->count = index + 1;
  return &w->items[index * w->row_count + class_index];
}

/* Room for a bucket. */
static bool widen(tdm_window *window, uint32_t bucket) {
  uint32_t first = window->first, end = window->first + window->buckets;
  if (window->buckets == 0) first = end = bucket;
  if (bucket < first) first = bucket > BUCKETS_APART ? bucket - BUCKETS_APART : 0;
  if (bucket >= end) end = bucket + BUCKETS_APART;
  if (end > TDM_HISTOGRAM_BUCKETS) end = TDM_HISTOGRAM_BUCKETS;
  uint32_t *counts = tdm_array_new(end - first, sizeof *counts);
  if (counts == NULL) return false;
  if (window->buckets > 0)
    memcpy(counts + (window->first - first), window->counts, window->buckets * sizeof *counts);
  free(window->counts);
  window->counts = counts;
  window->first = first;
  window->buckets = end - first;
  return true;
}

static bool count(tdm_window *window, const tdm_class *class, int64_t time_ns, int64_t times) {
  uint32_t bucket = tdm_histogram_bucket(time_ns);
  if (bucket - window->first >= window->buckets && !widen(window, bucket)) return false;
  window->counts[bucket - window->first] += (uint32_t)times;
  window->completed += (uint64_t)times;
  window->sum_ns += time_ns * times;
  for (size_t i = 0; i < class->window_limit_count; i++)
    if (time_ns <= class->window_limits_ns[i]) window->within[i] += (uint64_t)times;
  if (time_ns < window->min_ns) window->min_ns = time_ns;
  if (time_ns > window->max_ns) window->max_ns = time_ns;
  return true;
}

bool tdm_windows_served(tdm_windows *w, const tdm_class *class, uint32_t class_index,
                        int64_t arrival_ns, int64_t latency_ns, bool good) {
  tdm_window *window = window_of(w, class_index, arrival_ns);
  if (window == NULL || !count(window, class, latency_ns, 1)) return false;
  window->within_slo += good;
  return true;
}

bool tdm_windows_time(tdm_windows *w, const tdm_class *class, size_t row, int64_t at_ns,
                      int64_t time_ns, int64_t times) {
  size_t index = index_of(w, at_ns);
  if (index >= w->made && !reach(w, index)) return false;
  return count(&w->items[index * w->row_count + row], class, time_ns, times);
}

bool tdm_windows_lost(tdm_windows *w, uint32_t class_index, int64_t arrival_ns) {
  tdm_window *window = window_of(w, class_index, arrival_ns);
  if (window != NULL) window->lost++;
  return window != NULL;
}

tdm_station_note *tdm_windows_note(tdm_windows *w) {
  if (w->noted >= w->made && !reach(w, w->noted)) return NULL;
  if (w->noted >= w->count) w->count = w->noted + 1;
  return &w->notes[w->noted++ * w->station_count];
}

int64_t tdm_windows_bound_ns(const tdm_windows *w) {
  if (w->noted >= TDM_WINDOWS_MOST) return INT64_MAX;
  int64_t from_ns = (int64_t)w->noted * w->length_ns;
  if (from_ns >= w->end_ns) return INT64_MAX;
  bool last = w->noted == TDM_WINDOWS_MOST - 1 || w->end_ns - from_ns <= w->length_ns;
  return last ? w->end_ns : from_ns + w->length_ns;
}

void tdm_window_merge(const tdm_window *window, tdm_histogram *into) {
  if (window->completed == 0) return;
  for (uint32_t i = 0; i < window->buckets; i++)
    into->counts[window->first + i] += window->counts[i];
  into->total += window->completed;
  if (window->min_ns < into->min_ns) into->min_ns = window->min_ns;
  if (window->max_ns > into->max_ns) into->max_ns = window->max_ns;
}
