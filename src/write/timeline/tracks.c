/* Names, layouts, groups and tracks; how many spans each drawing row has. See inside.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "write/timeline/inside.h"

static void put_names(tdm_timeline_run *run) {
  const tdm_recording *recording = run->frame->recording;
  tdm_meta names = {0};
  tdm_meta_put(&names, "[");
  for (uint32_t i = 0; i < tdm_recording_names(recording); i++) {
    tdm_meta_next(&names);
    tdm_meta_string(&names, tdm_recording_name(recording, i, NULL));
  }
  tdm_meta_put(&names, "]");
  run->meta->failed |= names.failed;
  tdm_meta_key(run->meta, "names");
  if (!names.failed)
    tdm_meta_integer(run->meta, (int64_t)tdm_blocks_add(run->blocks, names.text, names.length));
  free(names.text);
}

static void put_layout(tdm_meta *meta, const tdm_layout *layout) {
  tdm_meta_put(meta, "{");
  tdm_meta_key(meta, "category");
  tdm_meta_string(meta, layout->category);
  tdm_meta_key(meta, "shape");
  tdm_meta_string(meta, tdm_shape_name(layout->shape));
  tdm_meta_key(meta, "args");
  tdm_meta_put(meta, "[");
  for (uint32_t a = 0; a < layout->args; a++) {
    tdm_meta_next(meta);
    tdm_meta_put(meta, "[");
    tdm_meta_string(meta, layout->arg[a].key);
    tdm_meta_put(meta, ",");
    tdm_meta_string(meta, tdm_arg_type_name(layout->arg[a].type));
    tdm_meta_put(meta, "]");
  }
  tdm_meta_put(meta, "]}");
}

static void put_layouts(tdm_timeline_run *run) {
  const tdm_recording *recording = run->frame->recording;
  tdm_meta_key(run->meta, "layouts");
  tdm_meta_put(run->meta, "[");
  for (uint32_t i = 0; i < tdm_recording_layouts(recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(recording, i);
    tdm_meta_next(run->meta);
    if (layout != NULL)
      put_layout(run->meta, layout);
    else
      tdm_meta_put(run->meta, "null");
  }
  tdm_meta_put(run->meta, "]");
}

static void put_instants(tdm_timeline_run *run) {
  const tdm_recording *recording = run->frame->recording;
  size_t count = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(recording, i);
    if (layout != NULL && layout->shape == TDM_SHAPE_INSTANT)
      count += tdm_recording_rows(recording, i)->count;
  }
  tdm_meta_key(run->meta, "instants");
  tdm_meta_integer(run->meta, (int64_t)count);
}

/* By number of source, where more than one rank is told. */
static void put_ranks(tdm_timeline_run *run) {
  const tdm_recording *recording = run->frame->recording;
  if (!run->frame->ranks) return;
  tdm_meta_key(run->meta, "ranks");
  tdm_meta_put(run->meta, "[");
  for (uint32_t i = 0; i < tdm_recording_sources(recording); i++) {
    int64_t rank = tdm_frame_rank(recording, i);
    tdm_meta_next(run->meta);
    if (rank != TDM_NONE)
      tdm_meta_integer(run->meta, rank);
    else
      tdm_meta_put(run->meta, "null");
  }
  tdm_meta_put(run->meta, "]");
}

static void put_known(tdm_meta *meta, const char *key, int64_t value) {
  if (value == TDM_NONE) return;
  tdm_meta_key(meta, key);
  tdm_meta_integer(meta, value);
}

static void put_track(tdm_timeline_run *run, const tdm_frame_track *track) {
  const tdm_track *about = tdm_recording_track(run->frame->recording, track->track);
  tdm_meta *meta = run->meta;
  tdm_meta_next(meta);
  tdm_meta_put(meta, "{");
  tdm_meta_key(meta, "id");
  tdm_meta_integer(meta, track->track);
  tdm_meta_key(meta, "name");
  tdm_meta_string(meta, about->name);
  tdm_meta_key(meta, "group");
  tdm_meta_integer(meta, track->group);
  tdm_meta_key(meta, "lane");
  tdm_meta_integer(meta, about->lane);
  tdm_meta_key(meta, "kind");
  tdm_meta_string(meta, tdm_track_kind_name(about->kind));
  put_known(meta, "capacity", about->capacity);
  put_known(meta, "pid", about->pid);
  put_known(meta, "tid", about->tid);
  put_known(meta, "device", about->device);
  put_known(meta, "context", about->context);
  put_known(meta, "stream", about->stream);
  tdm_meta_key(meta, "source");
  tdm_meta_integer(meta, about->source);
  tdm_meta_key(meta, "rows");
  tdm_meta_integer(meta, track->rows);
  tdm_meta_put(meta, "}");
}

tdm_status tdm_timeline_tracks(tdm_timeline_run *run, tdm_error *error) {
  const tdm_frame *f = run->frame;
  put_names(run);
  put_layouts(run);
  put_instants(run);
  put_ranks(run);
  tdm_meta_key(run->meta, "groups");
  tdm_meta_put(run->meta, "[");
  for (uint32_t i = 0; i < f->groups; i++) {
    tdm_meta_next(run->meta);
    tdm_meta_string(run->meta, f->group[i]);
  }
  tdm_meta_put(run->meta, "]");
  tdm_meta_key(run->meta, "tracks");
  tdm_meta_put(run->meta, "[");
  for (uint32_t i = 0; i < f->tracks; i++) put_track(run, &f->track[i]);
  tdm_meta_put(run->meta, "]");
  int64_t *counts = tdm_array_new(f->rows, sizeof *counts);
  if (counts == NULL) return tdm_error_memory(error, "a timeline", f->rows * sizeof *counts);
  for (uint32_t r = 0; r < f->rows; r++) counts[r] = (int64_t)(f->first[r + 1] - f->first[r]);
  tdm_timeline_list(run, "row_counts", &counts, 1, f->rows);
  free(counts);
  return TDM_OK;
}
