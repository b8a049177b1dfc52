/* How many spans are active in each lane over time: what is queued, how many kernels and copies
 * run, how many threads are busy. Work counts wherever it stands; of everything else only what
 * nothing encloses, and only on the CPU: ranges over the GPU's work are no work. See parts.h.
 *
 * A lane with few changes is told exactly, { steps: [block …] } of time and count from then on. One
 * with many is told in bins of equal width, { width_ns, bins: [block …] } of mean (bits of a
 * double), least and greatest count. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/sweep.h"
#include "write/timeline/parts.h"

enum { STEPS_MOST = 1 << 17, BINS = 1 << 14 };
enum { TIME, ACTIVE, STEP_COLUMNS };
enum { MEAN, LEAST, MOST, BIN_COLUMNS };

typedef struct {
  const tdm_frame *frame;
  unsigned char *lane; /* [spans] by number; TDM_LANES: not counted */
  size_t count[TDM_LANES];
} chosen;

/* Simulated service and waiting, what GPUs do. */
static bool is_work(const char *category) {
  static const char *const work[] = {"stage", "wait", "kernel", "memcpy", "memset", "graph", "um"};
  for (size_t i = 0; i < sizeof work / sizeof *work; i++)
    if (strcmp(category, work[i]) == 0) return true;
  return false;
}

static void choose_layout(chosen *c, uint32_t id) {
  const tdm_frame *f = c->frame;
  const tdm_layout *layout = tdm_recording_layout(f->recording, id);
  uint32_t kind = layout != NULL ? tdm_layout_column(layout, "kind") : 0;
  if (layout == NULL || strcmp(layout->category, "request") == 0) return;
  const tdm_rows *rows = tdm_recording_rows(f->recording, id);
  bool work = is_work(layout->category);
  for (size_t k = 0; k < f->lanes.count; k++) {
    const tdm_laid_span *at = &f->lanes.span[k];
    if (at->layout != id || (at->depth > 0 && !work)) continue;
    int64_t said = kind > 0 ? rows->column[kind][at->row] : TDM_NONE;
    const tdm_place *place =
        tdm_recording_track(f->recording, (uint32_t)rows->column[TDM_TRACK][at->row]);
    const char *name =
        tdm_recording_name(f->recording, (uint32_t)rows->column[TDM_NAME][at->row], NULL);
    tdm_lane lane = tdm_record_lane(
        layout->category, said >= 0 ? tdm_recording_name(f->recording, (uint32_t)said, NULL) : NULL,
        name != NULL ? name : "", place->lane);
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
    tdm_frame_span span = tdm_frame_span_at(f, f->number[k]);
    tdm_sweep_add(sweep, span.start_ns, span.end_ns);
  }
  return tdm_sweep_ready(sweep, error);
}

static bool put_steps(tdm_timeline_run *run, tdm_sweep *sweep) {
  size_t room = 2 * sweep->count + 1, count = 0;
  int64_t *cells = tdm_array_new(STEP_COLUMNS * room, sizeof *cells);
  if (cells == NULL) return false;
  int64_t *column[STEP_COLUMNS] = {cells, cells + room};
  for (tdm_step step; tdm_sweep_next(sweep, &step); count++) {
    column[TIME][count] = step.time_ns;
    column[ACTIVE][count] = (int64_t)step.active;
  }
  tdm_timeline_list(run, "steps", column, STEP_COLUMNS, count);
  free(cells);
  return true;
}

typedef struct {
  double area[BINS]; /* active × ns */
  int64_t least[BINS], most[BINS];
  int64_t mean[BINS];
  int64_t width_ns;
} bins;

/* `active` from from_ns until to_ns. */
static void spread(bins *b, int64_t from_ns, int64_t to_ns, int64_t active) {
  while (from_ns < to_ns) {
    size_t bin = (size_t)(from_ns / b->width_ns);
    if (bin >= BINS) return;
    int64_t edge_ns = (int64_t)(bin + 1) * b->width_ns, end_ns = to_ns < edge_ns ? to_ns : edge_ns;
    b->area[bin] += (double)active * (double)(end_ns - from_ns);
    if (active < b->least[bin]) b->least[bin] = active;
    if (active > b->most[bin]) b->most[bin] = active;
    from_ns = end_ns;
  }
}

static bool put_bins(tdm_timeline_run *run, tdm_sweep *sweep) {
  const tdm_frame *f = run->frame;
  bins *b = tdm_array_new(1, sizeof *b);
  if (b == NULL) return false;
  int64_t length_ns = f->end_ns - f->origin_ns, at_ns = 0, active = 0;
  b->width_ns = length_ns / BINS + 1;
  for (size_t i = 0; i < BINS; i++) b->least[i] = INT64_MAX;
  for (tdm_step step; tdm_sweep_next(sweep, &step);) {
    spread(b, at_ns, step.time_ns, active);
    at_ns = step.time_ns;
    active = (int64_t)step.active;
  }
  spread(b, at_ns, length_ns, active);
  for (size_t i = 0; i < BINS; i++) {
    double mean = b->area[i] / (double)b->width_ns;
    memcpy(&b->mean[i], &mean, sizeof mean);
    if (b->least[i] == INT64_MAX) b->least[i] = 0;
  }
  tdm_meta_key(run->meta, "width_ns");
  tdm_meta_integer(run->meta, b->width_ns);
  int64_t *column[BIN_COLUMNS] = {b->mean, b->least, b->most};
  tdm_timeline_list(run, "bins", column, BIN_COLUMNS, (size_t)(length_ns / b->width_ns) + 1);
  free(b);
  return true;
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
  bool fits = 2 * sweep.count <= STEPS_MOST ? put_steps(run, &sweep) : put_bins(run, &sweep);
  tdm_meta_put(run->meta, "}");
  tdm_sweep_close(&sweep);
  return fits ? TDM_OK : tdm_error_memory(error, "the activity of a timeline", c->count[lane]);
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
