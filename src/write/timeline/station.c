/* What can be saturated and what can wait for it: a simulated station (its servers' track, its
 * queue's) or a measured GPU (all tracks of its group; launches that have not begun yet); see
 * inside.h. */
#include "write/timeline/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/memory.h"

static const char STEPS[] = " steps"; /* what a replica's track is called after its station */

static const tdm_track *track_index(const tdm_frame *f, uint32_t track) {
  return tdm_recording_track(f->recording, f->track[track].track);
}

static size_t first_span(const tdm_frame *f, uint32_t track) {
  return f->first[f->track[track].first_row];
}

static size_t end_span(const tdm_frame *f, uint32_t track) {
  return f->first[f->track[track].first_row + f->track[track].rows];
}

static const char *category_of(const tdm_frame *f, size_t number) {
  return tdm_recording_layout(f->recording, f->lanes.span[f->order[number]].layout)->category;
}

static const char *category_at_first(const tdm_frame *f, uint32_t track) {
  return first_span(f, track) < end_span(f, track) ? category_of(f, first_span(f, track)) : "";
}

/* Queues by group and name. */
static bool queues_of(const tdm_frame *f, tdm_hash_map *queues) {
  for (uint32_t i = 0; i < f->tracks; i++) {
    const tdm_track *track = track_index(f, i);
    if (track->kind != TDM_TRACK_QUEUE) continue;
    uint32_t name = tdm_hash_bytes(track->name, strlen(track->name));
    if (!tdm_hash_add(queues, tdm_hash_pair(name, f->track[i].group), i)) return false;
  }
  return true;
}

/* The queue of a station has its process and its name; that of a replica has no " steps". */
static uint32_t queue_of(const tdm_frame *f, const tdm_hash_map *queues, uint32_t station,
                         bool steps) {
  const char *name = track_index(f, station)->name;
  size_t length = strlen(name), end = strlen(STEPS);
  if (steps && length > end && strcmp(name + length - end, STEPS) == 0) length -= end;
  uint32_t hash = tdm_hash_pair(tdm_hash_bytes(name, length), f->track[station].group);
  for (tdm_hash_slot *s = tdm_hash_first(queues, hash); s != NULL; s = tdm_hash_next(queues, s)) {
    const char *queue = track_index(f, s->row)->name;
    if (f->track[s->row].group == f->track[station].group && strncmp(queue, name, length) == 0 &&
        queue[length] == '\0')
      return s->row;
  }
  return UINT32_MAX;
}

static tdm_station station_of(const tdm_frame *f, const tdm_hash_map *queues, uint32_t track) {
  bool steps = strcmp(category_at_first(f, track), "step") == 0;
  return (tdm_station){.first_track = track,
                       .end_track = track + 1,
                       .queue = queue_of(f, queues, track, steps),
                       .slots = track_index(f, track)->capacity,
                       .steps = steps};
}

static bool has_work(const tdm_frame *f, uint32_t track) {
  tdm_track_kind kind = track_index(f, track)->kind;
  if (kind != TDM_TRACK_STREAM && kind != TDM_TRACK_DEVICE) return false;
  for (size_t n = first_span(f, track); n < end_span(f, track); n++)
    if (tdm_timeline_is_work(category_of(f, n))) return true;
  return false;
}

tdm_status tdm_stations(const tdm_frame *f, tdm_station *out, size_t *count, tdm_error *error) {
  tdm_hash_map queues = {0};
  *count = 0;
  if (!queues_of(f, &queues)) {
    tdm_hash_map_free(&queues);
    return tdm_error_memory(error, "a timeline", f->tracks);
  }
  for (uint32_t i = 0, end; i < f->tracks; i = end) {
    bool gpu = false;
    for (end = i; end < f->tracks && f->track[end].group == f->track[i].group; end++) {
      const tdm_track *track = track_index(f, end);
      if (track->kind == TDM_TRACK_SERVER && track->capacity > 0)
        out[(*count)++] = station_of(f, &queues, end);
      gpu = gpu || has_work(f, end);
    }
    if (gpu)
      out[(*count)++] = (tdm_station){.first_track = i, .end_track = end, .queue = UINT32_MAX};
  }
  tdm_hash_map_free(&queues);
  return TDM_OK;
}

static tdm_status load_of(const tdm_frame *f, tdm_sweep *sweep, size_t bins_most, tdm_load *load,
                          tdm_error *error) {
  tdm_status status = tdm_sweep_ready(sweep, error);
  if (status != TDM_OK) return status;
  status = tdm_load_open(load, sweep, tdm_frame_length(f), bins_most, error);
  tdm_sweep_close(sweep);
  return status;
}

/* Spans of tracks [first, end) whose category is `category`; NULL: work of a GPU. */
static tdm_status load_tracks(const tdm_frame *f, uint32_t first, uint32_t end,
                              const char *category, size_t bins_most, tdm_load *load,
                              tdm_error *error) {
  tdm_sweep sweep;
  size_t from = first_span(f, first), to = end_span(f, end - 1);
  tdm_status status = tdm_sweep_begin(&sweep, to - from, error);
  if (status != TDM_OK) return status;
  for (size_t n = from; n < to; n++) {
    const char *is = category_of(f, n);
    if (category != NULL ? strcmp(is, category) != 0 : !tdm_timeline_is_work(is)) continue;
    tdm_frame_span span = tdm_frame_span_at(f, n);
    tdm_sweep_add(&sweep, span.start_ns, span.end_ns);
  }
  return load_of(f, &sweep, bins_most, load, error);
}

tdm_status tdm_station_busy(const tdm_timeline_run *run, const tdm_station *s, size_t bins_most,
                            tdm_load *load, tdm_error *error) {
  const char *category = s->steps ? "step" : s->slots > 0 ? "stage" : NULL;
  return load_tracks(run->frame, s->first_track, s->end_track, category, bins_most, load, error);
}

/* A launch waits from the end of its call until its work begins. */
static tdm_status load_launches(const tdm_timeline_run *run, const uint32_t *arrow, size_t arrows,
                                size_t bins_most, tdm_load *load, tdm_error *error) {
  const tdm_frame *f = run->frame;
  tdm_sweep sweep;
  tdm_status status = tdm_sweep_begin(&sweep, arrows, error);
  if (status != TDM_OK) return status;
  for (size_t i = 0; i < arrows; i++) {
    size_t call = (size_t)run->arrow_from[arrow[i]], work = (size_t)run->arrow_to[arrow[i]];
    if (!tdm_timeline_is_work(category_of(f, work)) || tdm_timeline_is_work(category_of(f, call)))
      continue;
    tdm_sweep_add(&sweep, tdm_frame_span_at(f, call).end_ns, tdm_frame_span_at(f, work).start_ns);
  }
  return load_of(f, &sweep, bins_most, load, error);
}

tdm_status tdm_station_waiting(const tdm_timeline_run *run, const tdm_station *s,
                               const uint32_t *arrow, size_t arrows, size_t bins_most,
                               tdm_load *load, tdm_error *error) {
  if (s->slots == 0) return load_launches(run, arrow, arrows, bins_most, load, error);
  uint32_t end = s->queue != UINT32_MAX ? s->queue + 1 : s->first_track + 1;
  return load_tracks(run->frame, end - 1, end, "wait", bins_most, load, error);
}

/* The first span of a row that ends after a time. */
static size_t first_after(const tdm_frame *f, uint32_t row, int64_t time_ns) {
  size_t low = f->first[row], high = f->first[row + 1];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (tdm_frame_span_at(f, middle).end_ns <= time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool tdm_station_waits_for(const tdm_frame *f, const tdm_station *s, int64_t from_ns, int64_t to_ns,
                           int64_t *name) {
  uint32_t names = tdm_recording_names(f->recording);
  int64_t best = *name = TDM_NONE;
  if (s->queue == UINT32_MAX) return true;
  double *sum_ns = tdm_array_new(names, sizeof *sum_ns);
  if (sum_ns == NULL) return false;
  const tdm_frame_track *queue = &f->track[s->queue];
  for (uint32_t row = queue->first_row; row < queue->first_row + queue->rows; row++)
    for (size_t n = first_after(f, row, from_ns); n < f->first[row + 1]; n++) {
      tdm_frame_span span = tdm_frame_span_at(f, n);
      if (span.start_ns >= to_ns) break;
      if (span.name < 0 || span.name >= names) continue;
      int64_t begin_ns = span.start_ns > from_ns ? span.start_ns : from_ns;
      int64_t end_ns = span.end_ns < to_ns ? span.end_ns : to_ns;
      sum_ns[span.name] += (double)(end_ns - begin_ns);
      if (best == TDM_NONE || sum_ns[span.name] > sum_ns[best]) best = span.name;
    }
  free(sum_ns);
  *name = best;
  return true;
}
