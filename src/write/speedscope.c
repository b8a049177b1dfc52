/* The speedscope writer: one evented profile for each track, for speedscope.app.
 *
 * Spans that overlap without nesting are in further profiles of the same name. A frame is a name
 * and, as its file, its category. All profiles begin and end with the trace, in nanoseconds; where
 * they are beyond 2^53, the most that JavaScript counts exactly, they begin at 0. Only spans have a
 * place in this format. */
#include "write/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/intern.h"
#include "trace/lanes.h"
#include "trace/outfile.h"

#define PUT(text) TDM_OUTFILE_LITERAL(&j->file, text)

#define EXACT ((int64_t)1 << 53)

typedef struct {
  uint32_t frame;
  int64_t end_ns;
} open_span;

typedef struct {
  const tdm_recording *recording;
  const tdm_write_options *options;
  tdm_outfile file;
  tdm_lanes lanes;
  tdm_intern frames;  /* name, category's id */
  uint32_t *category; /* [layouts] ids of their categories, by text */
  int64_t first_ns, last_ns, shift_ns;
  uint32_t *in_lane;
  open_span *open;
  size_t open_room;
} job;

static int64_t time_of(const job *j, uint32_t track, int64_t time_ns) {
  const tdm_track *about = tdm_recording_track(j->recording, track);
  const tdm_source *source = tdm_recording_source(j->recording, about->source);
  if (__builtin_add_overflow(time_ns, source != NULL ? source->offset_ns : 0, &time_ns) ||
      __builtin_sub_overflow(time_ns, j->shift_ns, &time_ns))
    return INT64_MAX;
  return time_ns;
}

static void put_time(job *j, int64_t time_ns) {
  if (time_ns < 0) PUT("-");
  tdm_outfile_unsigned(&j->file, time_ns < 0 ? (uint64_t)0 - (uint64_t)time_ns : (uint64_t)time_ns);
}

static void find_range(job *j) {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (uint32_t t = 0; t < j->lanes.tracks; t++)
    for (size_t i = j->lanes.first[t]; i < j->lanes.first[t + 1]; i++) {
      const tdm_laid_span *at = &j->lanes.span[i];
      const tdm_kept_rows *rows = tdm_recording_rows(j->recording, at->layout);
      int64_t start = time_of(j, t, tdm_kept(rows, TDM_START, at->row));
      int64_t end = time_of(j, t, tdm_lanes_end(rows, at->row));
      if (start < first) first = start;
      if (end > last) last = end;
    }
  if (first > last) first = last = 0;
  if (first < -EXACT || last > EXACT) j->shift_ns = first;
  j->first_ns = first - j->shift_ns;
  if (__builtin_sub_overflow(last, j->shift_ns, &j->last_ns)) j->last_ns = INT64_MAX;
}

/* ---- frames ---- */

static uint32_t frame_of(job *j, const tdm_laid_span *at) {
  const tdm_kept_rows *rows = tdm_recording_rows(j->recording, at->layout);
  const uint32_t key[] = {(uint32_t)tdm_kept(rows, TDM_NAME, at->row), j->category[at->layout]};
  return tdm_intern_put(&j->frames, key, sizeof key, NULL);
}

/* Categories with equal texts get equal numbers: that of the first layout with it. */
static int number_categories(job *j) {
  uint32_t layouts = tdm_recording_layouts(j->recording);
  tdm_intern texts = {0};
  uint32_t *first = tdm_array_new(layouts, sizeof *first);
  j->category = tdm_array_new(layouts, sizeof *j->category);
  int fits = first != NULL && j->category != NULL;
  for (uint32_t i = 0; fits && i < layouts; i++) {
    const tdm_layout *layout = tdm_recording_layout(j->recording, i);
    int fresh = 0;
    if (layout == NULL) continue;
    uint32_t id = tdm_intern_put(&texts, layout->category, strlen(layout->category), &fresh);
    fits = id != TDM_INTERN_FAILED;
    if (fits && fresh) first[id] = i;
    if (fits) j->category[i] = first[id];
  }
  for (size_t i = 0; fits && i < j->lanes.count; i++)
    fits = frame_of(j, &j->lanes.span[i]) != TDM_INTERN_FAILED;
  tdm_intern_clear(&texts);
  free(first);
  return fits;
}

static void put_frames(job *j) {
  PUT("\"shared\":{\"frames\":[");
  for (size_t i = 0; i < j->frames.count; i++) {
    uint32_t key[2];
    memcpy(key, j->frames.entries[i].bytes, sizeof key);
    const char *name = tdm_recording_name(j->recording, key[0], NULL);
    if (i > 0) PUT(",\n");
    PUT("{\"name\":");
    tdm_outfile_json(&j->file, name != NULL ? name : "");
    PUT(",\"file\":");
    tdm_outfile_json(&j->file, tdm_recording_layout(j->recording, key[1])->category);
    PUT("}");
  }
  PUT("]},\n");
}

/* ---- profiles ---- */

static void put_event(job *j, int opens, uint32_t frame, int64_t time_ns, int first) {
  if (!first) PUT(",\n");
  if (opens)
    PUT("{\"type\":\"O\",\"frame\":");
  else
    PUT("{\"type\":\"C\",\"frame\":");
  tdm_outfile_unsigned(&j->file, frame);
  PUT(",\"at\":");
  put_time(j, time_ns);
  PUT("}");
}

static int put_name(job *j, const tdm_track *track) {
  size_t room = strlen(track->process) + strlen(track->name) + 4;
  char *name = malloc(room);
  if (name == NULL) return 0;
  strcpy(name, track->process);
  if (track->process[0] != 0 && track->name[0] != 0) strcat(name, " | ");
  strcat(name, track->name);
  tdm_outfile_json(&j->file, name);
  free(name);
  return 1;
}

static int put_profile(job *j, uint32_t track, const uint32_t *order, size_t count) {
  const tdm_laid_span *span = j->lanes.span + j->lanes.first[track];
  size_t open = 0;
  PUT("{\"type\":\"evented\",\"name\":");
  if (!put_name(j, tdm_recording_track(j->recording, track))) return 0;
  PUT(",\"unit\":\"nanoseconds\",\"startValue\":");
  put_time(j, j->first_ns);
  PUT(",\"endValue\":");
  put_time(j, j->last_ns);
  PUT(",\"events\":[");
  for (size_t i = 0; i < count; i++) {
    const tdm_laid_span *at = &span[order[i]];
    const tdm_kept_rows *rows = tdm_recording_rows(j->recording, at->layout);
    for (; open > at->depth; open--)
      put_event(j, 0, j->open[open - 1].frame, j->open[open - 1].end_ns, 0);
    if (!tdm_array_grow(&j->open, &j->open_room, open + 1, sizeof *j->open)) return 0;
    open_span fresh = {frame_of(j, at), time_of(j, track, tdm_lanes_end(rows, at->row))};
    j->open[open++] = fresh;
    put_event(j, 1, fresh.frame, time_of(j, track, tdm_kept(rows, TDM_START, at->row)), i == 0);
  }
  for (; open > 0; open--) put_event(j, 0, j->open[open - 1].frame, j->open[open - 1].end_ns, 0);
  PUT("]}");
  return 1;
}

static int put_track(job *j, uint32_t track, size_t *profiles) {
  size_t first = j->lanes.first[track], count = j->lanes.first[track + 1] - first;
  uint32_t lanes = j->lanes.lanes[track];
  size_t *end = tdm_array_new((size_t)lanes + 1, sizeof *end);
  if (end == NULL) return 0;
  for (size_t i = 0; i < count; i++) end[j->lanes.span[first + i].lane + 1]++;
  for (uint32_t lane = 0; lane < lanes; lane++) end[lane + 1] += end[lane];
  for (size_t i = 0; i < count; i++) j->in_lane[end[j->lanes.span[first + i].lane]++] = (uint32_t)i;
  int fits = 1;
  for (uint32_t lane = 0; fits && lane < lanes; lane++) {
    size_t begin = lane > 0 ? end[lane - 1] : 0;
    if ((*profiles)++ > 0) PUT(",\n");
    fits = put_profile(j, track, j->in_lane + begin, end[lane] - begin);
  }
  free(end);
  return fits;
}

static int put_all(job *j) {
  size_t profiles = 0;
  find_range(j);
  if (!number_categories(j)) return 0;
  j->in_lane = tdm_array_new(j->lanes.count, sizeof *j->in_lane);
  if (j->in_lane == NULL) return 0;
  PUT("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":");
  const char *version = j->options != NULL ? j->options->version : NULL;
  char exporter[64];
  snprintf(exporter, sizeof exporter, version != NULL ? "tandem@%s" : "tandem", version);
  tdm_outfile_json(&j->file, exporter);
  if (j->options != NULL && j->options->run_name != NULL) {
    PUT(",\"name\":");
    tdm_outfile_json(&j->file, j->options->run_name);
  }
  PUT(",\n");
  put_frames(j);
  PUT("\"profiles\":[");
  for (uint32_t t = 0; t < j->lanes.tracks; t++)
    if (j->lanes.lanes[t] > 0 && !put_track(j, t, &profiles)) return 0;
  PUT("]}\n");
  return 1;
}

static tdm_status write_speedscope(const tdm_recording *recording, const char *path,
                                   const tdm_write_options *options, tdm_error *error) {
  job *j = tdm_array_new(1, sizeof *j);
  if (j == NULL) return tdm_error_memory(error, "a speedscope file", sizeof *j);
  j->recording = recording;
  j->options = options;
  tdm_status status = tdm_lanes_open(&j->lanes, recording, TDM_LANES_ALL, error);
  if (status == TDM_OK) status = tdm_outfile_open(&j->file, path, error);
  if (status == TDM_OK) {
    if (put_all(j)) {
      status = tdm_outfile_commit(&j->file, error);
    } else {
      tdm_outfile_abort(&j->file);
      status = tdm_error_memory(error, "a speedscope file", j->lanes.count * sizeof *j->in_lane);
    }
  }
  tdm_lanes_close(&j->lanes);
  tdm_intern_clear(&j->frames);
  free(j->category);
  free(j->in_lane);
  free(j->open);
  free(j);
  return status;
}

const tdm_writer tdm_writer_speedscope = {.name = "speedscope",
                                          .title = "speedscope profiles",
                                          .ending = ".speedscope.json",
                                          .write = write_speedscope};
