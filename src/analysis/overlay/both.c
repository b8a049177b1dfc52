/* Two stored runs as one recording, on one clock: what writers of traces take; see overlay.h. The
 * store pushes a run into a sink, which numbers it anew and passes it on. */
#include "analysis/overlay/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/store/store.h"

/* Requests of a later run have numbers that those of an earlier one are not likely to have, so that
 * nothing joins them. */
#define REQUESTS_APART ((int64_t)1 << 40)

typedef struct {
  const tdm_both_side *side;
  size_t number; /* of the side */
  tdm_recording *recording;
  tdm_record_sink to;                       /* the recording's */
  uint32_t names, tracks, layouts, sources; /* of those before */
  int64_t *values;                          /* columns that change */
  size_t room;
} renumbering;

static int64_t time_of(const renumbering *r, int64_t time_ns) {
  return r->side->clock != NULL ? tdm_clock_time(r->side->clock, time_ns) : time_ns;
}

static tdm_status take_name(void *context, uint32_t id, const char *text, size_t length,
                            tdm_error *error) {
  const renumbering *r = context;
  return r->to.name(r->to.context, r->names + id, text, length, error);
}

static tdm_status take_track(void *context, uint32_t id, const tdm_track *track, tdm_error *error) {
  const renumbering *r = context;
  tdm_track moved = *track;
  size_t room = strlen(r->side->word) + strlen(track->process) + 3;
  char *process = malloc(room);
  if (process == NULL) return tdm_error_memory(error, "a track", room);
  snprintf(process, room, "%s: %s", r->side->word, track->process);
  moved.process = process;
  moved.source = r->sources + track->source;
  tdm_status status = r->to.track(r->to.context, r->tracks + id, &moved, error);
  free(process);
  return status;
}

static tdm_status take_layout(void *context, uint32_t id, const tdm_layout *layout,
                              tdm_error *error) {
  const renumbering *r = context;
  return r->to.layout(r->to.context, r->layouts + id, layout, error);
}

static tdm_status take_source(void *context, uint32_t id, const tdm_source *source,
                              tdm_error *error) {
  const renumbering *r = context;
  tdm_source moved = *source;
  if (r->number > 0) { /* whose zero lies elsewhere: one clock, and the first one's */
    moved.utc_ns = TDM_NONE;
    if (moved.first_ns != TDM_NONE) {
      moved.first_ns = time_of(r, moved.first_ns);
      moved.last_ns = time_of(r, moved.last_ns);
    }
  }
  return r->to.source(r->to.context, r->sources + id, &moved, error);
}

/* What is added to an argument: names and tracks are numbered anew, requests kept apart. */
static int64_t added_to(const renumbering *r, const tdm_layout *layout, uint32_t arg) {
  const tdm_arg *one = &layout->arg[arg];
  if (one->type == TDM_ARG_TEXT || one->type == TDM_ARG_JSON) return r->names;
  if (one->type != TDM_ARG_INT) return 0;
  if (layout->shape == TDM_SHAPE_EDGE && strcmp(one->key, "to_track") == 0) return r->tracks;
  if (strcmp(one->key, "request") == 0) return (int64_t)r->number * REQUESTS_APART;
  return 0;
}

static void shift_times(const renumbering *r, const tdm_rows *rows, int64_t *start, int64_t *dur) {
  for (size_t i = 0; i < rows->count; i++) {
    int64_t start_ns = rows->column[TDM_START][i], end_ns;
    if (__builtin_add_overflow(start_ns, rows->column[TDM_DUR][i], &end_ns)) end_ns = INT64_MAX;
    start[i] = time_of(r, start_ns);
    dur[i] = time_of(r, end_ns) - start[i];
  }
}

static void shift_ids(const tdm_rows *rows, uint32_t column, int64_t by, int64_t *out) {
  for (size_t i = 0; i < rows->count; i++) {
    int64_t value = rows->column[column][i];
    out[i] = value != TDM_NONE ? value + by : TDM_NONE;
  }
}

static tdm_status take_rows(void *context, const tdm_rows *rows, tdm_error *error) {
  renumbering *r = context;
  const tdm_layout *layout = tdm_recording_layout(r->recording, r->layouts + rows->layout);
  uint32_t columns = TDM_ARGS + layout->args;
  int64_t *column[TDM_ARGS + TDM_LAYOUT_ARGS];
  if (!tdm_array_grow(&r->values, &r->room, columns * rows->count, sizeof *r->values))
    return tdm_error_memory(error, "rows", columns * rows->count * sizeof *r->values);
  for (uint32_t c = 0; c < columns; c++) column[c] = r->values + c * rows->count;
  shift_times(r, rows, column[TDM_START], column[TDM_DUR]);
  shift_ids(rows, TDM_TRACK, r->tracks, column[TDM_TRACK]);
  shift_ids(rows, TDM_NAME, r->names, column[TDM_NAME]);
  for (uint32_t a = 0; a < layout->args; a++) {
    int64_t by = added_to(r, layout, a);
    if (by == 0)
      column[TDM_ARGS + a] = rows->column[TDM_ARGS + a];
    else
      shift_ids(rows, TDM_ARGS + a, by, column[TDM_ARGS + a]);
  }
  tdm_rows moved = {.layout = r->layouts + rows->layout,
                    .source = r->sources + rows->source,
                    .count = rows->count,
                    .column = column};
  return r->to.rows(r->to.context, &moved, error);
}

tdm_status tdm_both_record(const tdm_both_side *side, size_t count, tdm_recording *recording,
                           tdm_error *error) {
  tdm_status status = TDM_OK;
  for (size_t i = 0; i < count && status == TDM_OK; i++) {
    renumbering r = {.side = &side[i],
                     .number = i,
                     .recording = recording,
                     .names = tdm_recording_names(recording),
                     .tracks = tdm_recording_tracks(recording),
                     .layouts = tdm_recording_layouts(recording),
                     .sources = tdm_recording_sources(recording)};
    tdm_recording_sink(recording, &r.to);
    const tdm_record_sink sink = {.context = &r,
                                  .name = take_name,
                                  .track = take_track,
                                  .layout = take_layout,
                                  .rows = take_rows,
                                  .source = take_source};
    status = tdm_store_load(tdm_run_view_database(side[i].view),
                            tdm_run_tables_run(tdm_run_view_tables(side[i].view)), side[i].from_ns,
                            side[i].to_ns, &sink, error);
    free(r.values);
  }
  return status;
}
