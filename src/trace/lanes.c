/* See lanes.h. Spans are counted and laid out by track, each track's are sorted by a natural merge
 * sort (they come in a few long runs: one or more a layout), then laid one by one. */
#include "trace/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/lane_stacks.h"

/* A laid span before it is laid: in the same memory. */
typedef struct {
  uint32_t layout, row;
  int64_t start_ns;
} item;

_Static_assert(sizeof(item) == sizeof(tdm_laid_span), "items become laid spans in place");

typedef struct {
  const tdm_kept_rows **rows; /* [layouts], NULL for those that are left out */
  const tdm_layout **layout;
  uint32_t layouts;
  size_t *runs; /* where runs begin, and the end */
  size_t run_room;
  item *spare;
  size_t spare_room;
  tdm_lane_stacks stacks;
  int serial; /* the track's jobs are never inside each other */
} laying;

static int64_t end_of(const laying *l, const item *at) {
  return tdm_lanes_end(l->rows[at->layout], at->row);
}

/* Whether b may stand behind a, when a came first. */
static int in_order(const laying *l, const item *a, const item *b) {
  if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns;
  int64_t a_end = end_of(l, a), b_end = end_of(l, b);
  if (l->serial && a_end == a->start_ns) return 1;
  if (l->serial && b_end == b->start_ns) return 0;
  return a_end >= b_end;
}

/* Merges two neighbouring runs; the shorter one waits in the spare memory. */
static void merge(const laying *l, item *left, size_t left_count, size_t right_count) {
  item *right = left + left_count, *end = right + right_count;
  if (left_count <= right_count) {
    memcpy(l->spare, left, left_count * sizeof *left);
    const item *a = l->spare, *a_end = a + left_count, *b = right;
    for (item *to = left; a < a_end; to++) *to = b < end && !in_order(l, a, b) ? *b++ : *a++;
    return;
  }
  memcpy(l->spare, right, right_count * sizeof *right);
  const item *a = right, *b = l->spare + right_count; /* each points behind its last */
  for (item *to = end; b > l->spare;) *--to = a > left && !in_order(l, a - 1, b - 1) ? *--a : *--b;
}

/* False: out of memory. */
static int sort(laying *l, item *items, size_t count) {
  size_t runs = 0;
  for (size_t at = 0; at < count;) {
    if (!tdm_array_grow(&l->runs, &l->run_room, runs + 2, sizeof *l->runs)) return 0;
    l->runs[runs++] = at;
    for (at++; at < count && in_order(l, &items[at - 1], &items[at]);) at++;
  }
  if (runs <= 1) return 1;
  if (!tdm_array_grow(&l->spare, &l->spare_room, count / 2, sizeof *l->spare)) return 0;
  l->runs[runs] = count;
  while (runs > 1) {
    size_t kept = 0;
    for (size_t i = 0; i < runs; i += 2) {
      if (i + 1 < runs)
        merge(l, items + l->runs[i], l->runs[i + 1] - l->runs[i], l->runs[i + 2] - l->runs[i + 1]);
      l->runs[kept++] = l->runs[i];
    }
    l->runs[kept] = count;
    runs = kept;
  }
  return 1;
}

/* Lays the spans of one track whose shape is ASYNC, or those whose shape is not, on lanes from
 * `base`; the others stay. False: out of memory. */
static int lay_shape(laying *l, item *items, size_t count, int async, uint32_t base, size_t *done) {
  tdm_lane_stacks_clear(&l->stacks);
  for (size_t i = 0; i < count; i++) {
    item at;
    memcpy(&at, &items[i], sizeof at);
    if ((l->layout[at.layout]->shape == TDM_SHAPE_ASYNC) != async) continue;
    tdm_laid_span laid = {.layout = at.layout, .row = at.row};
    /* The start lies where the lane goes: an ASYNC one must still be there in the second round. */
    int64_t start_ns = tdm_kept(l->rows[at.layout], TDM_START, at.row);
    if (!tdm_lane_stacks_put(&l->stacks, start_ns, end_of(l, &at), !async && !l->serial, &laid.lane,
                             &laid.depth))
      return 0;
    laid.lane += base;
    memcpy(&items[i], &laid, sizeof laid);
    ++*done;
  }
  return 1;
}

static int lay_track(laying *l, tdm_lanes *lanes, uint32_t track, const tdm_track *about) {
  size_t first = lanes->first[track], count = lanes->first[track + 1] - first, done = 0;
  item *items = (item *)(void *)(lanes->span + first);
  if (count == 0) return 1;
  l->serial = about != NULL && (about->kind == TDM_TRACK_QUEUE || about->kind == TDM_TRACK_SERVER);
  if (!sort(l, items, count) || !lay_shape(l, items, count, 0, 0, &done)) return 0;
  lanes->lanes[track] = l->stacks.lanes;
  if (done == count) return 1;
  if (!lay_shape(l, items, count, 1, lanes->lanes[track], &done)) return 0;
  lanes->lanes[track] += l->stacks.lanes;
  return 1;
}

/* Counts the rows of each track into `first`, one row ahead. */
static tdm_status count_rows(const laying *l, tdm_lanes *lanes, tdm_error *error) {
  for (uint32_t i = 0; i < l->layouts; i++) {
    if (l->rows[i] == NULL) continue;
    if (l->rows[i]->count > UINT32_MAX)
      return tdm_error_set(error, TDM_LIMIT, "more than %u rows of one layout", UINT32_MAX);
    for (size_t row = 0; row < l->rows[i]->count; row++) {
      int64_t track = tdm_kept(l->rows[i], TDM_TRACK, row);
      if (track < 0 || track >= lanes->tracks)
        return tdm_error_set(error, TDM_BUG, "lanes: a row lies on a track that is not there");
      lanes->first[track + 1]++;
    }
    lanes->count += l->rows[i]->count;
  }
  for (uint32_t t = 0; t < lanes->tracks; t++) lanes->first[t + 1] += lanes->first[t];
  return TDM_OK;
}

/* Puts the rows where their tracks begin; `at` counts on from there. */
static void scatter(const laying *l, const tdm_lanes *lanes, size_t *at) {
  memcpy(at, lanes->first, lanes->tracks * sizeof *at);
  for (uint32_t i = 0; i < l->layouts; i++) {
    if (l->rows[i] == NULL) continue;
    for (size_t row = 0; row < l->rows[i]->count; row++) {
      int64_t start_ns = tdm_kept(l->rows[i], TDM_START, row);
      item fresh = {.layout = i, .row = (uint32_t)row, .start_ns = start_ns};
      memcpy(&lanes->span[at[tdm_kept(l->rows[i], TDM_TRACK, row)]++], &fresh, sizeof fresh);
    }
  }
}

static tdm_status lay(laying *l, tdm_lanes *lanes, const tdm_recording *recording,
                      tdm_error *error) {
  lanes->tracks = tdm_recording_tracks(recording);
  lanes->first = tdm_array_new((size_t)lanes->tracks + 1, sizeof *lanes->first);
  lanes->lanes = tdm_array_new(lanes->tracks, sizeof *lanes->lanes);
  if (lanes->first == NULL || lanes->lanes == NULL)
    return tdm_error_memory(error, "the tracks of a trace", lanes->tracks * sizeof(size_t));
  tdm_status status = count_rows(l, lanes, error);
  if (status != TDM_OK) return status;
  lanes->span = tdm_array_new(lanes->count, sizeof *lanes->span);
  size_t *at = tdm_array_new(lanes->tracks, sizeof *at);
  int fits = lanes->span != NULL && at != NULL;
  if (fits) scatter(l, lanes, at);
  free(at);
  for (uint32_t t = 0; fits && t < lanes->tracks; t++)
    fits = lay_track(l, lanes, t, tdm_recording_track(recording, t));
  return fits ? TDM_OK
              : tdm_error_memory(error, "the spans of a trace", lanes->count * sizeof(item));
}

tdm_status tdm_lanes_open(tdm_lanes *lanes, const tdm_recording *recording, unsigned shapes,
                          tdm_error *error) {
  *lanes = (tdm_lanes){0};
  laying l = {.layouts = tdm_recording_layouts(recording)};
  l.rows = tdm_array_new(l.layouts, sizeof *l.rows);
  l.layout = tdm_array_new(l.layouts, sizeof *l.layout);
  tdm_status status = TDM_OK;
  if (l.rows == NULL || l.layout == NULL)
    status = tdm_error_memory(error, "layouts", l.layouts * sizeof *l.rows);
  for (uint32_t i = 0; status == TDM_OK && i < l.layouts; i++) {
    l.layout[i] = tdm_recording_layout(recording, i);
    if (l.layout[i] != NULL && (1u << l.layout[i]->shape & shapes & TDM_LANES_ALL) != 0)
      l.rows[i] = tdm_recording_rows(recording, i);
  }
  if (status == TDM_OK) status = lay(&l, lanes, recording, error);
  free(l.rows);
  free(l.layout);
  free(l.runs);
  free(l.spare);
  tdm_lane_stacks_free(&l.stacks);
  if (status != TDM_OK) tdm_lanes_close(lanes);
  return status;
}

void tdm_lanes_close(tdm_lanes *lanes) {
  free(lanes->span);
  free(lanes->first);
  free(lanes->lanes);
  *lanes = (tdm_lanes){0};
}
