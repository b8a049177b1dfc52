/* Counters: how far stations and GPUs are used (derived: true), then samples of the source, with
 * levels of detail over them. How many are active in each lane is activity.c's. See inside.h.
 *
 * A level has a node for TDM_TIMELINE_FAN samples or nodes: when the first and the last were, the
 * least, the greatest and the mean value (bits of doubles). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "write/texts.h"
#include "write/timeline/inside.h"

enum { TIME, VALUE, COLUMNS };
enum { USE_BINS = 2048, THIN_MOST = 8192 /* samples of a counter of a thinned run */ };
enum { FIRST, LAST, LEAST, MOST, MEAN, LEVEL_COLUMNS };

typedef struct {
  uint32_t track, layout;
  int64_t name, unit, time_ns, bits;
} sample;

static int by_counter(const void *left, const void *right) {
  const sample *a = left, *b = right;
  if (a->track != b->track) return TDM_ORDER(a->track, b->track);
  if (a->name != b->name) return TDM_ORDER(a->name, b->name);
  if (a->unit != b->unit) return TDM_ORDER(a->unit, b->unit);
  if (a->time_ns != b->time_ns) return TDM_ORDER(a->time_ns, b->time_ns);
  return TDM_ORDER(a->bits, b->bits);
}

static int64_t bits_of(double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double value_of(int64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static const tdm_layout *samples_of(const tdm_frame *f, uint32_t id) {
  const tdm_layout *layout = tdm_recording_layout(f->recording, id);
  bool wanted = layout != NULL && layout->shape == TDM_SHAPE_SAMPLE && layout->args > 0 &&
                (layout->arg[0].type == TDM_ARG_REAL || layout->arg[0].type == TDM_ARG_INT);
  return wanted ? layout : NULL;
}

static void take(const tdm_frame *f, uint32_t id, sample *samples, size_t *count) {
  const tdm_layout *layout = samples_of(f, id);
  if (layout == NULL) return;
  const tdm_kept_rows *rows = tdm_recording_rows(f->recording, id);
  uint32_t unit = tdm_layout_column(layout, "unit");
  for (size_t row = 0; row < rows->count; row++) {
    int64_t track = tdm_kept(rows, TDM_TRACK, row), value = tdm_kept(rows, TDM_ARGS, row);
    if (track < 0 || track >= tdm_recording_tracks(f->recording) ||
        f->track_index[track] == UINT32_MAX || !tdm_texts_has(layout->arg[0].type, value))
      continue;
    if (layout->arg[0].type == TDM_ARG_INT) value = bits_of((double)value);
    samples[(*count)++] =
        (sample){f->track_index[track],
                 id,
                 tdm_kept(rows, TDM_NAME, row),
                 unit > 0 ? tdm_kept(rows, unit, row) : TDM_NONE,
                 tdm_frame_time(f, (uint32_t)track, tdm_kept(rows, TDM_START, row)),
                 value};
  }
}

/* ---- levels */

typedef struct {
  int64_t *column[LEVEL_COLUMNS];
  size_t count;
} level;

static void put_node(level *over, size_t at, const level *under, size_t from, size_t to) {
  double least = value_of(under->column[LEAST][from]), most = value_of(under->column[MOST][from]);
  double sum = 0;
  for (size_t i = from; i < to; i++) {
    double low = value_of(under->column[LEAST][i]), high = value_of(under->column[MOST][i]);
    if (low < least) least = low;
    if (high > most) most = high;
    sum += value_of(under->column[MEAN][i]);
  }
  over->column[FIRST][at] = under->column[FIRST][from];
  over->column[LAST][at] = under->column[LAST][to - 1];
  over->column[LEAST][at] = bits_of(least);
  over->column[MOST][at] = bits_of(most);
  over->column[MEAN][at] = bits_of(sum / (double)(to - from));
}

/* Each level in the place of the one below it; those with more than `most` nodes are left out. */
static void put_levels(tdm_timeline_run *run, level *l, size_t most) {
  tdm_meta_key(run->meta, "levels");
  tdm_meta_put(run->meta, "[");
  while (l->count > TDM_TIMELINE_FAN * TDM_TIMELINE_FAN) {
    size_t count = 0;
    for (size_t from = 0; from < l->count; from += TDM_TIMELINE_FAN) {
      size_t to = from + TDM_TIMELINE_FAN < l->count ? from + TDM_TIMELINE_FAN : l->count;
      put_node(l, count++, l, from, to);
    }
    l->count = count;
    if (count <= most) tdm_timeline_list(run, NULL, l->column, LEVEL_COLUMNS, count);
  }
  tdm_meta_put(run->meta, "]");
}

/* The samples are in level `l`. */
static void put_counter(tdm_timeline_run *run, const char *name, const char *unit, uint32_t track,
                        bool derived, level *l) {
  tdm_meta *meta = run->meta;
  tdm_meta_next(meta);
  tdm_meta_put(meta, "{");
  tdm_meta_key(meta, "name");
  tdm_meta_string(meta, name);
  tdm_meta_key(meta, "unit");
  tdm_meta_string(meta, unit);
  tdm_meta_key(meta, "track");
  tdm_meta_integer(meta, track);
  tdm_meta_key(meta, "samples");
  tdm_meta_integer(meta, (int64_t)l->count);
  if (derived) {
    tdm_meta_key(meta, "derived");
    tdm_meta_put(meta, "true");
  }
  size_t most = run->thinning.number != NULL ? THIN_MOST : SIZE_MAX;
  bool coarse = l->count > most;
  if (coarse) {
    tdm_meta_key(meta, "coarse");
    tdm_meta_put(meta, "true");
  }
  int64_t *column[COLUMNS] = {l->column[FIRST], l->column[MEAN]};
  tdm_timeline_list(run, "blocks", column, COLUMNS, coarse ? 0 : l->count);
  put_levels(run, l, most);
  tdm_meta_put(meta, "}");
}

static void put_node_of(level *l, size_t at, int64_t time_ns, int64_t bits) {
  l->column[FIRST][at] = l->column[LAST][at] = time_ns;
  l->column[LEAST][at] = l->column[MOST][at] = l->column[MEAN][at] = bits;
}

static void put_samples(tdm_timeline_run *run, const sample *samples, size_t count, level *l) {
  const tdm_recording *recording = run->frame->recording;
  for (size_t i = 0; i < count; i++) put_node_of(l, i, samples[i].time_ns, samples[i].bits);
  l->count = count;
  put_counter(run, tdm_recording_name(recording, samples->name, NULL),
              samples->unit >= 0 ? tdm_recording_name(recording, samples->unit, NULL) : "",
              samples->track, false, l);
}

/* Busy servers of all servers, or the share of time with any work on a GPU, in percent to a tenth:
 * a sample for each of USE_BINS parts of the run, so that means of samples are means over time. */
static tdm_status put_use(tdm_timeline_run *run, const tdm_station *station, level *l,
                          tdm_error *error) {
  tdm_load load;
  tdm_status status = tdm_station_busy(run, station, USE_BINS, &load, error);
  if (status != TDM_OK) return status;
  const tdm_frame_track *track = &run->frame->track[station->first_track];
  const tdm_track *about = tdm_recording_track(run->frame->recording, track->track);
  const char *of = station->slots > 0 ? about->name : run->frame->group[track->group];
  char name[256];
  snprintf(name, sizeof name, "use of %s", of);
  for (l->count = 0; l->count < load.count; l->count++) {
    size_t i = l->count;
    double share = station->slots > 0 ? load.mean[i] / (double)station->slots : load.busy[i];
    put_node_of(l, i, (int64_t)i * load.width_ns, bits_of(round(1000 * share) / 10));
  }
  put_counter(run, name, "%", station->first_track, true, l);
  tdm_load_close(&load);
  return TDM_OK;
}

static tdm_status put_uses(tdm_timeline_run *run, level *l, tdm_error *error) {
  tdm_station *stations = tdm_array_new(run->frame->tracks, sizeof *stations);
  if (stations == NULL) return tdm_error_memory(error, "a timeline", run->frame->tracks);
  size_t count;
  tdm_status status = tdm_stations(run->frame, stations, &count, error);
  for (size_t i = 0; i < count && status == TDM_OK; i++)
    status = put_use(run, &stations[i], l, error);
  free(stations);
  return status;
}

static bool same_counter(const sample *a, const sample *b) {
  return a->track == b->track && a->name == b->name && a->unit == b->unit;
}

tdm_status tdm_timeline_counters(tdm_timeline_run *run, tdm_error *error) {
  const tdm_frame *f = run->frame;
  size_t room = 0, count = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(f->recording); i++)
    if (samples_of(f, i) != NULL) room += tdm_recording_rows(f->recording, i)->count;
  sample *samples = tdm_array_new(room, sizeof *samples);
  size_t cell_room = room > USE_BINS ? room : USE_BINS + 1;
  int64_t *cells = tdm_array_new(LEVEL_COLUMNS * cell_room, sizeof *cells);
  bool fits = samples != NULL && cells != NULL;
  level l = {.count = 0};
  for (size_t c = 0; fits && c < LEVEL_COLUMNS; c++) l.column[c] = cells + c * cell_room;
  for (uint32_t i = 0; fits && i < tdm_recording_layouts(f->recording); i++)
    take(f, i, samples, &count);
  if (fits && count > 1) qsort(samples, count, sizeof *samples, by_counter);
  tdm_meta_key(run->meta, "counters");
  tdm_meta_put(run->meta, "[");
  tdm_status status = fits ? put_uses(run, &l, error) : TDM_OK;
  for (size_t i = 0, next; fits && i < count; i = next) {
    for (next = i + 1; next < count && same_counter(&samples[i], &samples[next]);) next++;
    put_samples(run, samples + i, next - i, &l);
  }
  tdm_meta_put(run->meta, "]");
  free(samples);
  free(cells);
  return fits ? status : tdm_error_memory(error, "the counters of a timeline", room);
}
