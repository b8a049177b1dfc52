/* The counters of a Chrome trace: the sources' samples, and for simulations how many requests are
 * queued and how many GPU, transfer and CPU servers are busy; see inside.h. Owns nothing beyond a
 * call. */
#include "write/chrome/inside.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "trace/sweep.h"

#define PUT(text) TDM_OUTFILE_LITERAL(file, text)

/* ---- samples ---- */

typedef struct {
  int64_t time_ns;
  const tdm_kept_rows *rows;
  size_t row;
} sample;

/* Time, track, counter, value: a total order, whatever order they came in. */
static int compare_samples(const void *left, const void *right) {
  const sample *a = left, *b = right;
  static const uint32_t columns[] = {TDM_TRACK, TDM_NAME, TDM_ARGS};
  if (a->time_ns != b->time_ns) return TDM_ORDER(a->time_ns, b->time_ns);
  for (int i = 0; i < 3; i++) {
    int64_t x = tdm_kept(a->rows, columns[i], a->row), y = tdm_kept(b->rows, columns[i], b->row);
    if (x != y) return TDM_ORDER(x, y);
  }
  return 0;
}

static void sort_samples(sample *samples, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (compare_samples(&samples[i - 1], &samples[i]) > 0) {
      qsort(samples, count, sizeof *samples, compare_samples);
      return;
    }
}

static int samples_of(const tdm_layout *layout) {
  return layout != NULL && layout->shape == TDM_SHAPE_SAMPLE && layout->args > 0;
}

/* All samples with a value on a track; NULL: out of memory. */
static sample *gather_samples(const tdm_recording *recording, const tdm_chrome_tracks *tracks,
                              size_t *count) {
  size_t room = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(recording); i++)
    if (samples_of(tdm_recording_layout(recording, i)))
      room += tdm_recording_rows(recording, i)->count;
  sample *samples = tdm_array_new(room, sizeof *samples);
  *count = 0;
  for (uint32_t i = 0; samples != NULL && i < tdm_recording_layouts(recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(recording, i);
    if (!samples_of(layout)) continue;
    const tdm_kept_rows *rows = tdm_recording_rows(recording, i);
    for (size_t row = 0; row < rows->count; row++) {
      int64_t track = tdm_kept(rows, TDM_TRACK, row);
      if (!tdm_texts_has(layout->arg[0].type, tdm_kept(rows, TDM_ARGS, row)) || track < 0 ||
          track >= tracks->count || tracks->track[track].about == NULL)
        continue;
      int64_t time_ns = tdm_chrome_time(&tracks->track[track], tdm_kept(rows, TDM_START, row));
      samples[(*count)++] = (sample){time_ns, rows, row};
    }
  }
  return samples;
}

static void put_sample(const tdm_recording *recording, const tdm_chrome_tracks *tracks,
                       tdm_texts *texts, tdm_outfile *file, const sample *at) {
  const tdm_layout *layout = tdm_recording_layout(recording, at->rows->layout);
  const tdm_chrome_track *track = &tracks->track[tdm_kept(at->rows, TDM_TRACK, at->row)];
  PUT("{\"name\":");
  tdm_texts_put(texts, file, tdm_kept(at->rows, TDM_NAME, at->row));
  PUT(",\"ph\":\"C\",\"ts\":");
  tdm_outfile_micros(file, at->time_ns);
  if (track->lanes > 0) {
    tdm_chrome_put_track(track, 0, file);
  } else {
    PUT(",\"pid\":");
    tdm_outfile_integer(file, track->pid);
  }
  PUT(",\"args\":{");
  uint32_t column = tdm_layout_column(layout, "unit");
  int64_t unit = column != 0 ? tdm_kept(at->rows, column, at->row) : TDM_NONE;
  size_t length = 0;
  (void)tdm_recording_name(recording, unit, &length);
  if (length > 0)
    tdm_texts_put(texts, file, unit);
  else
    PUT("\"value\"");
  PUT(":");
  tdm_texts_value(texts, file, layout->arg[0].type, tdm_kept(at->rows, TDM_ARGS, at->row));
  PUT("}}");
}

/* ---- how many are busy ---- */

static int simulated(const tdm_track *about) {
  return about != NULL && (about->kind == TDM_TRACK_QUEUE || about->kind == TDM_TRACK_SERVER);
}

typedef struct {
  const tdm_recording *recording;
  const tdm_chrome_tracks *tracks;
  unsigned char *by_track; /* whether its spans are counted */
} choice;

/* Counts the chosen spans; adds them where there is a sweep. */
static size_t take_chosen(const choice *chosen, tdm_sweep *sweep) {
  size_t count = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(chosen->recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(chosen->recording, i);
    if (layout == NULL || layout->shape != TDM_SHAPE_SPAN) continue;
    const tdm_kept_rows *rows = tdm_recording_rows(chosen->recording, i);
    for (size_t row = 0; row < rows->count; row++) {
      int64_t track = tdm_kept(rows, TDM_TRACK, row), dur = tdm_kept(rows, TDM_DUR, row), end;
      if (track < 0 || track >= chosen->tracks->count || !chosen->by_track[track] || dur <= 0)
        continue;
      int64_t start =
          tdm_chrome_time(&chosen->tracks->track[track], tdm_kept(rows, TDM_START, row));
      if (__builtin_add_overflow(start, dur, &end)) end = INT64_MAX;
      count++;
      if (sweep != NULL) tdm_sweep_add(sweep, start, end);
    }
  }
  return count;
}

static tdm_status put_active(const choice *chosen, const char *name, unsigned lanes,
                             tdm_outfile *file, const char **separator, tdm_error *error) {
  for (uint32_t t = 0; t < chosen->tracks->count; t++) {
    const tdm_track *about = chosen->tracks->track[t].about;
    chosen->by_track[t] = simulated(about) && (lanes >> about->lane & 1) != 0;
  }
  tdm_sweep sweep;
  tdm_status status = tdm_sweep_begin(&sweep, take_chosen(chosen, NULL), error);
  if (status != TDM_OK) return status;
  (void)take_chosen(chosen, &sweep);
  status = tdm_sweep_ready(&sweep, error);
  if (status != TDM_OK) return status;
  tdm_step step;
  while (tdm_sweep_next(&sweep, &step)) {
    tdm_outfile_text(file, *separator);
    *separator = ",\n";
    PUT("{\"name\":\"");
    tdm_outfile_text(file, name);
    PUT("\",\"ph\":\"C\",\"ts\":");
    tdm_outfile_micros(file, step.time_ns);
    PUT(",\"pid\":");
    tdm_outfile_integer(file, chosen->tracks->processes[0].pid);
    PUT(",\"args\":{\"requests\":");
    tdm_outfile_unsigned(file, step.active);
    PUT("}}");
  }
  tdm_sweep_close(&sweep);
  return TDM_OK;
}

static tdm_status put_busy(const tdm_recording *recording, const tdm_chrome_tracks *tracks,
                           tdm_outfile *file, const char **separator, tdm_error *error) {
  static const struct {
    const char *name;
    unsigned lanes;
  } counters[] = {
      {"queued", 1u << TDM_LANE_QUEUE},
      {"GPU active", 1u << TDM_LANE_GPU},
      {"transfer active", 1u << TDM_LANE_H2D | 1u << TDM_LANE_D2H | 1u << TDM_LANE_COMM},
      {"CPU active", 1u << TDM_LANE_CPU}};
  int any = 0;
  for (uint32_t t = 0; t < tracks->count; t++) any |= simulated(tracks->track[t].about);
  if (!any) return TDM_OK;
  choice choose = {recording, tracks, tdm_array_new(tracks->count, 1)};
  if (choose.by_track == NULL) return tdm_error_memory(error, "counters", tracks->count);
  tdm_status status = TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < sizeof counters / sizeof *counters; i++)
    status = put_active(&choose, counters[i].name, counters[i].lanes, file, separator, error);
  free(choose.by_track);
  return status;
}

tdm_status tdm_chrome_counters_put(const tdm_recording *recording, const tdm_chrome_tracks *tracks,
                                   tdm_texts *texts, tdm_outfile *file, const char **separator,
                                   tdm_error *error) {
  tdm_status status = put_busy(recording, tracks, file, separator, error);
  if (status != TDM_OK) return status;
  size_t count;
  sample *samples = gather_samples(recording, tracks, &count);
  if (samples == NULL) return tdm_error_memory(error, "counter samples", sizeof *samples);
  sort_samples(samples, count);
  for (size_t i = 0; i < count && file->failure == 0; i++) {
    tdm_outfile_text(file, *separator);
    *separator = ",\n";
    put_sample(recording, tracks, texts, file, &samples[i]);
  }
  free(samples);
  return TDM_OK;
}
