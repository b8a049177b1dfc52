/* Busy fraction and mean activity per bin, by integrating the step function of sweep.h. */
#include "trace/activity.h"

#include <stdlib.h>

#include "base/memory.h"
#include "trace/sweep.h"

/* Start of bin i; 128-bit, because the product of a time and a count may not fit 64. */
static int64_t bin_edge(const tdm_activity *activity, size_t i) {
  __int128 length = (__int128)activity->to_ns - activity->from_ns;
  return (int64_t)(activity->from_ns + length * (__int128)i / (__int128)activity->bins);
}

/* The extent of all spans, when the caller named none. */
static void cover_spans(tdm_activity *activity, const tdm_trace *trace) {
  int64_t from = INT64_MAX, to = INT64_MIN;
  for (size_t c = 0; c < tdm_trace_chunks(trace); c++) {
    const tdm_trace_chunk *chunk = tdm_trace_chunk_at(trace, c);
    for (size_t i = 0; i < chunk->count; i++) {
      int64_t end = chunk->start_ns[i] + chunk->dur_ns[i];
      if (chunk->start_ns[i] < from) from = chunk->start_ns[i];
      if (end > to) to = end;
    }
  }
  if (from > to) return;
  activity->from_ns = from;
  activity->to_ns = to;
}

/* The bin that time has reached. */
typedef struct {
  size_t bin;
  int64_t end_ns;
} cursor;

/* Adds `count` active spans over [low, high) to the bins it meets, from the cursor on. */
static void add_stretch(const tdm_activity *activity, tdm_activity_row *row, cursor *at,
                        int64_t low, int64_t high, uint64_t count) {
  if (low < activity->from_ns) low = activity->from_ns;
  if (high > activity->to_ns) high = activity->to_ns;
  while (low < high) {
    while (at->end_ns <= low) at->end_ns = bin_edge(activity, ++at->bin + 1);
    int64_t until = high < at->end_ns ? high : at->end_ns;
    row->busy[at->bin] += (double)(until - low);
    row->active[at->bin] += (double)(until - low) * (double)count;
    low = until;
  }
}

static tdm_status fill_row(const tdm_activity *activity, tdm_activity_row *row,
                           const tdm_trace *trace, const unsigned char *chosen, tdm_error *error) {
  row->busy = tdm_array_new(activity->bins, sizeof *row->busy);
  row->active = tdm_array_new(activity->bins, sizeof *row->active);
  if (row->busy == NULL || row->active == NULL)
    return tdm_error_memory(error, "a timeline", activity->bins * 2 * sizeof *row->busy);
  tdm_sweep sweep;
  tdm_status status = tdm_sweep_open(&sweep, trace, chosen, error);
  if (status != TDM_OK) return status;
  tdm_step step, previous = {0};
  cursor at = {0, bin_edge(activity, 1)};
  while (tdm_sweep_next(&sweep, &step)) {
    if (previous.active > 0)
      add_stretch(activity, row, &at, previous.time_ns, step.time_ns, previous.active);
    previous = step;
  }
  tdm_sweep_close(&sweep);
  for (size_t i = 0; i < activity->bins; i++) {
    double width = (double)(bin_edge(activity, i + 1) - bin_edge(activity, i));
    if (width <= 0) continue; /* more bins than nanoseconds */
    row->busy[i] /= width;
    row->active[i] /= width;
  }
  return TDM_OK;
}

static tdm_status add_row(tdm_activity *activity, const tdm_trace *trace, const char *process,
                          const char *name, const unsigned char *chosen, tdm_error *error) {
  tdm_activity_row *row = &activity->row[activity->rows];
  *row = (tdm_activity_row){.process = process, .name = name};
  int found = 0, unlimited = 0;
  for (uint32_t t = 0; t < tdm_trace_tracks(trace); t++) {
    if (!chosen[t]) continue;
    const tdm_track *track = tdm_trace_track(trace, t);
    row->lane = track->lane;
    row->capacity += track->capacity;
    unlimited |= track->capacity == 0;
    found = 1;
  }
  if (!found) return TDM_OK;
  if (unlimited) row->capacity = 0;
  activity->rows++; /* before it is filled: close frees what a failure leaves */
  return fill_row(activity, row, trace, chosen, error);
}

static tdm_status add_rows(tdm_activity *activity, const tdm_trace *trace,
                           tdm_activity_grouping grouping, unsigned char *chosen,
                           tdm_error *error) {
  uint32_t tracks = (uint32_t)tdm_trace_tracks(trace);
  tdm_status status = TDM_OK;
  if (grouping == TDM_ACTIVITY_BY_TRACK) {
    for (uint32_t t = 0; t < tracks && status == TDM_OK; t++) {
      const tdm_track *track = tdm_trace_track(trace, t);
      if (track == NULL) continue;
      chosen[t] = 1;
      status = add_row(activity, trace, track->process, track->name, chosen, error);
      chosen[t] = 0;
    }
    return status;
  }
  for (unsigned lane = 0; lane < TDM_LANES && status == TDM_OK; lane++) {
    for (uint32_t t = 0; t < tracks; t++) {
      const tdm_track *track = tdm_trace_track(trace, t);
      chosen[t] = track != NULL && track->lane == (tdm_lane)lane;
    }
    status = add_row(activity, trace, NULL, tdm_lane_name((tdm_lane)lane), chosen, error);
  }
  return status;
}

tdm_status tdm_activity_open(tdm_activity *activity, const tdm_trace *trace,
                             tdm_activity_grouping grouping, int64_t from_ns, int64_t to_ns,
                             size_t bins, tdm_error *error) {
  *activity = (tdm_activity){.bins = bins, .from_ns = from_ns, .to_ns = to_ns};
  if (bins == 0 || from_ns > to_ns)
    return tdm_error_set(error, TDM_INVALID,
                         "timeline: needs at least one bin and an end after its start");
  if (from_ns == to_ns) cover_spans(activity, trace);
  size_t tracks = tdm_trace_tracks(trace);
  size_t rows = grouping == TDM_ACTIVITY_BY_TRACK ? tracks : TDM_LANES;
  activity->row = tdm_array_new(rows, sizeof *activity->row);
  unsigned char *chosen = tdm_array_new(tracks, 1);
  tdm_status status = activity->row != NULL && chosen != NULL
                          ? add_rows(activity, trace, grouping, chosen, error)
                          : tdm_error_memory(error, "a timeline", rows * sizeof *activity->row);
  free(chosen);
  if (status != TDM_OK) tdm_activity_close(activity);
  return status;
}

void tdm_activity_close(tdm_activity *activity) {
  for (size_t i = 0; i < activity->rows; i++) {
    free(activity->row[i].busy);
    free(activity->row[i].active);
  }
  free(activity->row);
  *activity = (tdm_activity){0};
}
