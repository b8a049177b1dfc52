/* How many spans are active in each lane over time: what is queued, how many kernels and copies
 * run, how many threads are busy. Work counts wherever it stands; of everything else only what
 * nothing encloses, and only on the CPU: ranges over the GPU's work are no work. See inside.h.
 *
 * A lane with few changes is told exactly, { steps: [block …] } of time and count from then on. One
 * with many is told in bins of equal width, { width_ns, bins: [block …] } of mean (bits of a
 * double, to 1/4096), least and greatest count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "write/timeline/inside.h"

enum { STEPS_MOST = 1 << 16, BINS = 1 << 14, MEAN_PARTS = 4096 };
enum { TIME, ACTIVE, STEP_COLUMNS };
enum { MEAN, LEAST, MOST, BIN_COLUMNS };

typedef struct {
  const tdm_frame *frame;
  unsigned char *lane; /* [spans] by place in lanes.span; TDM_LANES: not counted */
  size_t count[TDM_LANES];
} chosen;

static void choose_layout(chosen *c, uint32_t id) {
  const tdm_frame *f = c->frame;
  const tdm_layout *layout = tdm_recording_layout(f->recording, id);
  uint32_t kind = layout != NULL ? tdm_layout_column(layout, "kind") : 0;
  if (layout == NULL || strcmp(layout->category, "request") == 0) return;
  const tdm_kept_rows *rows = tdm_recording_rows(f->recording, id);
  bool work = tdm_timeline_is_work(layout->category) || strcmp(layout->category, "stage") == 0 ||
              strcmp(layout->category, "wait") == 0;
  for (size_t k = 0; k < f->lanes.count; k++) {
    const tdm_laid_span *at = &f->lanes.span[k];
    if (at->layout != id || (at->depth > 0 && !work)) continue;
    int64_t said = kind > 0 ? tdm_kept(rows, kind, at->row) : TDM_NONE;
    const tdm_track *track = tdm_recording_track(f->recording, tdm_kept(rows, TDM_TRACK, at->row));
    const char *name = tdm_recording_name(f->recording, tdm_kept(rows, TDM_NAME, at->row), NULL);
    tdm_lane lane = tdm_record_lane(layout->category, tdm_recording_name(f->recording, said, NULL),
                                    name != NULL ? name : "", track->lane);
    if (!work && lane != TDM_LANE_CPU) continue;
    c->lane[k] = (unsigned char)lane;
    c->count[lane]++;
  }
}

/* ---- a lane */

static tdm_status sweep_lane(const chosen *c, tdm_lane lane, tdm_sweep *sweep, tdm_error *error) {
  const tdm_frame *f = c->frame;
  tdm_status status = tdm_sweep_begin(sweep, c->count[lane], error);
  if (status != TDM_OK) return status;
  for (size_t k = 0; k < f->lanes.count; k++) {
    if (c->lane[k] != lane) continue;
    tdm_frame_span span = tdm_frame_laid_span(f, k);
    tdm_sweep_add(sweep, span.start_ns, span.end_ns);
  }
  return tdm_sweep_ready(sweep, error);
}

static tdm_status put_steps(tdm_timeline_run *run, tdm_sweep *sweep, tdm_error *error) {
  size_t room = 2 * sweep->count + 1, count = 0;
  int64_t *cells = tdm_array_new(STEP_COLUMNS * room, sizeof *cells);
  if (cells == NULL) return tdm_error_memory(error, "the activity of a timeline", room);
  int64_t *column[STEP_COLUMNS] = {cells, cells + room};
  for (tdm_step step; tdm_sweep_next(sweep, &step); count++) {
    column[TIME][count] = step.time_ns;
    column[ACTIVE][count] = (int64_t)step.active;
  }
  tdm_timeline_list(run, "steps", column, STEP_COLUMNS, count);
  free(cells);
  return TDM_OK;
}

static tdm_status put_bins(tdm_timeline_run *run, tdm_sweep *sweep, tdm_error *error) {
  const tdm_frame *f = run->frame;
  tdm_load load;
  tdm_status status = tdm_load_open(&load, sweep, tdm_frame_length(f), BINS, error);
  if (status != TDM_OK) return status;
  int64_t *mean = tdm_array_new(load.count, sizeof *mean);
  if (mean == NULL) {
    tdm_load_close(&load);
    return tdm_error_memory(error, "the activity of a timeline", BINS * sizeof *mean);
  }
  for (size_t i = 0; i < load.count; i++) {
    double rounded = round(load.mean[i] * MEAN_PARTS) / MEAN_PARTS; /* so that it packs */
    memcpy(&mean[i], &rounded, sizeof *mean);
  }
  tdm_meta_key(run->meta, "width_ns");
  tdm_meta_integer(run->meta, load.width_ns);
  int64_t *column[BIN_COLUMNS] = {mean, load.least, load.most};
  tdm_timeline_list(run, "bins", column, BIN_COLUMNS, load.count);
  free(mean);
  tdm_load_close(&load);
  return TDM_OK;
}

static tdm_status put_lane(tdm_timeline_run *run, const chosen *c, tdm_lane lane,
                           tdm_error *error) {
  tdm_sweep sweep;
  tdm_status status = sweep_lane(c, lane, &sweep, error);
  if (status != TDM_OK) return status;
  tdm_meta_next(run->meta);
  tdm_meta_put(run->meta, "{");
  tdm_meta_key(run->meta, "lane");
  tdm_meta_integer(run->meta, lane);
  status =
      2 * sweep.count <= STEPS_MOST ? put_steps(run, &sweep, error) : put_bins(run, &sweep, error);
  tdm_meta_put(run->meta, "}");
  tdm_sweep_close(&sweep);
  return status;
}

tdm_status tdm_timeline_activity(tdm_timeline_run *run, tdm_error *error) {
  chosen c = {.frame = run->frame, .lane = tdm_array_new(run->frame->lanes.count, 1)};
  if (c.lane == NULL) return tdm_error_memory(error, "a timeline", run->frame->lanes.count);
  memset(c.lane, TDM_LANES, run->frame->lanes.count);
  for (uint32_t i = 0; i < tdm_recording_layouts(run->frame->recording); i++) choose_layout(&c, i);
  tdm_status status = TDM_OK;
  tdm_meta_key(run->meta, "activity");
  tdm_meta_put(run->meta, "[");
  for (int lane = 0; lane < TDM_LANES && status == TDM_OK; lane++)
    if (c.count[lane] > 0 && lane != TDM_LANE_OTHER)
      status = put_lane(run, &c, (tdm_lane)lane, error);
  tdm_meta_put(run->meta, "]");
  free(c.lane);
  return status;
}
