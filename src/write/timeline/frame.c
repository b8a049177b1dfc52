/* What a timeline draws and where: drawing rows, and the spans of each in order; see inside.h. */
#include "write/timeline/inside.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/memory.h"
#include "base/order.h"

/* ---- time */

static int64_t offset_of(const tdm_recording *recording, const tdm_track *track) {
  const tdm_source *source = tdm_recording_source(recording, track->source);
  return source != NULL ? source->offset_ns : 0;
}

/* Of every track how its clock is off, asked once: all times go through it. False: out of memory.
 */
static bool find_offsets(tdm_frame *f) {
  uint32_t tracks = tdm_recording_tracks(f->recording);
  f->offset_ns = tdm_array_new(tracks, sizeof *f->offset_ns);
  uint32_t layouts = tdm_recording_layouts(f->recording);
  f->layout_rows = tdm_array_new(layouts, sizeof(const tdm_kept_rows *));
  if (f->offset_ns == NULL || f->layout_rows == NULL) return false;
  for (uint32_t i = 0; i < layouts; i++)
    if (tdm_recording_layout(f->recording, i) != NULL)
      f->layout_rows[i] = tdm_recording_rows(f->recording, i);
  for (uint32_t i = 0; i < tracks; i++) {
    const tdm_track *track = tdm_recording_track(f->recording, i);
    if (track != NULL) f->offset_ns[i] = offset_of(f->recording, track);
  }
  return true;
}

int64_t tdm_frame_length(const tdm_frame *f) {
  int64_t length_ns;
  return __builtin_sub_overflow(f->end_ns, f->origin_ns, &length_ns) ? INT64_MAX : length_ns;
}

static void widen(tdm_frame *f, int64_t from_ns, int64_t to_ns) {
  if (from_ns < f->origin_ns) f->origin_ns = from_ns;
  if (to_ns > f->end_ns) f->end_ns = to_ns;
}

/* Edges may leave before anything else begins. */
static void find_extent(tdm_frame *f) {
  f->origin_ns = INT64_MAX;
  f->end_ns = INT64_MIN;
  for (uint32_t i = 0; i < tdm_recording_layouts(f->recording); i++) {
    if (tdm_recording_layout(f->recording, i) == NULL) continue;
    const tdm_kept_rows *rows = tdm_recording_rows(f->recording, i);
    for (size_t row = 0; row < rows->count; row++) {
      int64_t track = tdm_kept(rows, TDM_TRACK, row);
      if (tdm_recording_track(f->recording, track) == NULL) continue;
      widen(f, tdm_frame_shifted(f->offset_ns[track], tdm_kept(rows, TDM_START, row)),
            tdm_frame_shifted(f->offset_ns[track], tdm_lanes_end(rows, (uint32_t)row)));
    }
  }
  if (f->end_ns < f->origin_ns) f->origin_ns = f->end_ns = 0;
}

/* ---- tracks */

typedef struct {
  uint32_t track, group;
  int64_t rank; /* 0 for all where fewer than two are told */
  const tdm_track *about;
} candidate;

static int by_group(const void *left, const void *right) {
  const candidate *a = left, *b = right;
  if (a->rank != b->rank) return TDM_ORDER(a->rank, b->rank);
  if (a->group != b->group) return TDM_ORDER(a->group, b->group);
  if (a->about->lane != b->about->lane) return TDM_ORDER(a->about->lane, b->about->lane);
  return TDM_ORDER(a->track, b->track);
}

static void mark_sampled(const tdm_frame *f, char *sampled, uint32_t tracks) {
  for (uint32_t i = 0; i < tdm_recording_layouts(f->recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(f->recording, i);
    if (layout == NULL || layout->shape != TDM_SHAPE_SAMPLE) continue;
    const tdm_kept_rows *rows = tdm_recording_rows(f->recording, i);
    for (size_t row = 0; row < rows->count; row++) {
      int64_t track = tdm_kept(rows, TDM_TRACK, row);
      if (track >= 0 && track < tracks) sampled[track] = 1;
    }
  }
}

int64_t tdm_frame_rank(const tdm_recording *recording, uint32_t source) {
  const tdm_source *about = tdm_recording_source(recording, source);
  return about != NULL ? about->rank : TDM_NONE;
}

static bool has_ranks(const tdm_recording *recording) {
  int64_t first = TDM_NONE;
  for (uint32_t i = 0; i < tdm_recording_sources(recording); i++) {
    int64_t rank = tdm_frame_rank(recording, i);
    if (rank != TDM_NONE && first != TDM_NONE && rank != first) return true;
    if (rank != TDM_NONE) first = rank;
  }
  return false;
}

/* `known`: the groups that there are, by source and process. False: out of memory. */
static bool group_of(tdm_frame *f, tdm_hash_map *known, uint32_t *sources, const tdm_track *track,
                     uint32_t *group) {
  uint32_t hash = tdm_hash_bytes(track->process, strlen(track->process));
  hash = tdm_hash_pair(hash, track->source);
  for (tdm_hash_slot *s = tdm_hash_first(known, hash); s != NULL; s = tdm_hash_next(known, s))
    if (sources[s->row] == track->source && strcmp(f->group[s->row], track->process) == 0) {
      *group = s->row;
      return true;
    }
  *group = f->groups++;
  sources[*group] = track->source;
  f->group[*group] = track->process;
  return tdm_hash_add(known, hash, *group);
}

static bool arrange_tracks(tdm_frame *f) {
  uint32_t ids = tdm_recording_tracks(f->recording);
  f->track = tdm_array_new(ids, sizeof *f->track);
  f->track_index = tdm_array_new(ids, sizeof *f->track_index);
  f->group = tdm_array_new(ids, sizeof *f->group);
  uint32_t *sources = tdm_array_new(ids, sizeof *sources);
  candidate *found = tdm_array_new(ids, sizeof *found);
  char *sampled = tdm_array_new(ids, 1);
  bool fits = f->track != NULL && f->track_index != NULL && f->group != NULL && sources != NULL &&
              found != NULL && sampled != NULL;
  uint32_t count = 0;
  tdm_hash_map known = {0};
  f->ranks = has_ranks(f->recording);
  if (fits) mark_sampled(f, sampled, ids);
  for (uint32_t i = 0; fits && i < ids; i++) {
    const tdm_track *track = tdm_recording_track(f->recording, i);
    f->track_index[i] = UINT32_MAX;
    bool spans = i < f->lanes.tracks && f->lanes.first[i + 1] > f->lanes.first[i];
    if (track == NULL || (!spans && sampled[i] == 0)) continue;
    candidate *one = &found[count++];
    *one = (candidate){.track = i, .about = track};
    if (f->ranks) one->rank = tdm_frame_rank(f->recording, track->source);
    fits = group_of(f, &known, sources, track, &one->group);
  }
  tdm_hash_map_free(&known);
  if (count > 1) qsort(found, count, sizeof *found, by_group);
  for (uint32_t i = 0; i < count; i++) {
    f->track[i] = (tdm_frame_track){.track = found[i].track, .group = found[i].group};
    f->track_index[found[i].track] = i;
  }
  f->tracks = count;
  free(sources);
  free(found);
  free(sampled);
  return fits;
}

/* ---- rows */

/* Rows of a track: of each sub-lane one more than the greatest depth. `base` gets where those of
 * each sub-lane begin. */
static uint32_t rows_of(const tdm_lanes *lanes, uint32_t track, uint32_t *base) {
  uint32_t count = lanes->lanes[track];
  memset(base, 0, ((size_t)count + 1) * sizeof *base);
  for (size_t i = lanes->first[track]; i < lanes->first[track + 1]; i++) {
    const tdm_laid_span *at = &lanes->span[i];
    if (base[at->lane + 1] < at->depth + 1) base[at->lane + 1] = at->depth + 1;
  }
  for (uint32_t lane = 0; lane < count; lane++) base[lane + 1] += base[lane];
  return base[count];
}

static uint32_t *lane_bases(const tdm_frame *f) {
  uint32_t widest = 0;
  for (uint32_t t = 0; t < f->lanes.tracks; t++)
    if (f->lanes.lanes[t] > widest) widest = f->lanes.lanes[t];
  return tdm_array_new((size_t)widest + 1, sizeof(uint32_t));
}

static bool arrange_rows(tdm_frame *f) {
  uint32_t *base = lane_bases(f);
  if (base == NULL) return false;
  for (uint32_t i = 0; i < f->tracks; i++) {
    tdm_frame_track *t = &f->track[i];
    t->first_row = f->rows;
    if (t->track < f->lanes.tracks) t->rows = rows_of(&f->lanes, t->track, base);
    f->rows += t->rows;
  }
  f->first = tdm_array_new((size_t)f->rows + 1, sizeof *f->first);
  f->order = tdm_array_new(f->lanes.count, sizeof *f->order);
  bool fits = f->first != NULL && f->order != NULL;
  size_t next = 0;
  for (uint32_t i = 0; fits && i < f->tracks; i++) {
    const tdm_frame_track *t = &f->track[i];
    if (t->rows == 0) continue;
    (void)rows_of(&f->lanes, t->track, base);
    size_t begin = f->lanes.first[t->track], end = f->lanes.first[t->track + 1];
    size_t *count = &f->first[t->first_row];
    /* Counted one row ahead, summed up, then each row's end moves to its place as it fills. */
    for (size_t k = begin; k < end; k++)
      count[base[f->lanes.span[k].lane] + f->lanes.span[k].depth]++;
    for (uint32_t row = 0; row < t->rows; row++) {
      size_t here = count[row];
      count[row] = next;
      next += here;
    }
    for (size_t k = begin; k < end; k++) {
      size_t *at = &count[base[f->lanes.span[k].lane] + f->lanes.span[k].depth];
      f->order[(*at)++] = (uint32_t)k;
    }
    for (uint32_t row = t->rows; row-- > 1;) count[row] = count[row - 1];
    count[0] = next - (end - begin);
  }
  if (fits) f->first[f->rows] = next;
  free(base);
  return fits;
}

tdm_status tdm_frame_open(tdm_frame *f, const tdm_recording *recording, tdm_error *error) {
  *f = (tdm_frame){.recording = recording};
  tdm_status status = tdm_lanes_open(&f->lanes, recording, TDM_LANES_ALL, error);
  if (status != TDM_OK) return status;
  if (f->lanes.count >= UINT32_MAX)
    status = tdm_error_set(error, TDM_LIMIT, "more than %u spans in one timeline", UINT32_MAX - 1);
  else if (!find_offsets(f) || !arrange_tracks(f) || !arrange_rows(f))
    status = tdm_error_memory(error, "a timeline", f->lanes.count * sizeof *f->order);
  if (status == TDM_OK)
    find_extent(f);
  else
    tdm_frame_close(f);
  return status;
}

void tdm_frame_close(tdm_frame *f) {
  tdm_lanes_close(&f->lanes);
  free(f->track);
  free(f->track_index);
  free(f->offset_ns);
  free(f->layout_rows);
  free(f->group);
  free(f->first);
  free(f->order);
  *f = (tdm_frame){0};
}
