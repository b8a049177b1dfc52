/* A run by windows of time: who arrived in each, how long they took, how busy each station was.
 *
 * The slices of a tally are of its own choosing, to find a warm-up by; windows are as long as
 * somebody asked, for a day's hours and for objectives that hold in each. Requests count in the
 * window of their arrival, whenever they leave, and so do their times at LLM servers; gaps between
 * tokens, which belong to no request, in the window where they end. Areas of stations are
 * cumulative, noted at each window's end. The last window ends with the arrivals, and is shorter
 * where it must be.
 *
 * Owned by the tally, then by the measure. Filled by the event engine alone: what is asked for by
 * window is not lowered. */
#ifndef TDM_ENGINE_WINDOWS_H
#define TDM_ENGINE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "model/model.h"

#define TDM_WINDOWS_MOST 4096u /* the last one takes what comes after them */

/* Of a class, or of one of the times of an LLM server's stage. */
typedef struct {
  uint64_t completed, lost, within_slo;
  uint64_t within[TDM_WINDOW_LIMITS]; /* completed within each of the class's limits */
  int64_t sum_ns, min_ns, max_ns;
  uint32_t first, buckets; /* of a tdm_histogram: counts[i] is bucket first + i's */
  uint32_t *counts;
} tdm_window;

/* Of a station: cumulative up to a slice's or window's end, clipped there. */
typedef struct {
  int64_t queue_area_ns; /* ∫ waiting dt */
  int64_t busy_area_ns;  /* ∫ busy servers dt (jobs' share for ps: 1 while any) */
  int64_t down_area_ns;
  int64_t held_area_ns; /* of a GPU that comes and goes: ∫ it is held dt */
} tdm_station_note;

typedef struct {
  int64_t length_ns;
  int64_t end_ns; /* of the last window; INT64_MAX while it is not known */
  size_t row_count, station_count;
  size_t count; /* windows in which requests came, or that were noted */
  size_t made, capacity;
  size_t noted;
  tdm_window *items;       /* [window][row]: classes, then times of LLM servers */
  tdm_station_note *notes; /* [window][station] */
} tdm_windows;

/* NULL: out of memory. */
tdm_windows *tdm_windows_new(const tdm_model *model);
void tdm_windows_free(tdm_windows *windows);

/* A request has been served, or has not. False: out of memory. */
bool tdm_windows_served(tdm_windows *windows, const tdm_class *class, uint32_t class_index,
                        int64_t arrival_ns, int64_t latency_ns, bool good);
bool tdm_windows_lost(tdm_windows *windows, uint32_t class_index, int64_t arrival_ns);
/* A time of a request that came then, or so many gaps that ended then, of a class. */
bool tdm_windows_time(tdm_windows *windows, const tdm_class *class, size_t row, int64_t at_ns,
                      int64_t time_ns, int64_t times);

/* The notes of the next window, one a station; NULL: out of memory. */
tdm_station_note *tdm_windows_note(tdm_windows *windows);
/* When the next one ends; INT64_MAX: there are none after it. */
int64_t tdm_windows_bound_ns(const tdm_windows *windows);

static inline const tdm_window *tdm_windows_at(const tdm_windows *windows, size_t window,
                                               size_t row) {
  return &windows->items[window * windows->row_count + row];
}
/* Adds a window's latencies. */
void tdm_window_merge(const tdm_window *window, tdm_histogram *into);

#endif
