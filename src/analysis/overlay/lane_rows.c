/* Which lane of which group a row belongs to: the inside of lane_set.c; see inside.h. */
#include "analysis/overlay/inside.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/process/process.h"
#include "base/memory.h"

enum { KERNEL, MEMCPY, MEMSET, GRAPH, UM, STAGE, WAIT, RUNTIME, DRIVER, CPU_OP };

static const char *const categories[] = {"kernel", "memcpy",  "memset", "graph",  "um", "stage",
                                         "wait",   "runtime", "driver", "cpu_op", NULL};
static const tdm_arg keys[] = {{"kind", TDM_ARG_TEXT}, {NULL, TDM_ARG_INT}};

const tdm_wanted tdm_lane_work = {.categories = categories, .keys = keys};
const tdm_wanted tdm_lane_anything = {.categories = NULL};

static bool has_work(const tdm_run_view *view) {
  for (const char *const *category = categories; *category != NULL; category++)
    if (tdm_run_view_has(view, *category)) return true;
  return false;
}

tdm_status tdm_row_lanes_open(tdm_run_view *view, tdm_row_lanes *out, tdm_error *error) {
  *out = (tdm_row_lanes){.view = view,
                         .plain = !has_work(view),
                         .tracks = tdm_run_tables_tracks(tdm_run_view_tables(view))};
  out->track_lane = tdm_array_new(out->tracks + 1, 1);
  if (out->track_lane == NULL) return tdm_error_memory(error, "lanes", out->tracks);
  for (uint32_t t = 0; t < out->tracks; t++) {
    const tdm_track *track = tdm_run_view_track(view, t);
    out->track_lane[t] = (uint8_t)(track != NULL ? track->lane : TDM_LANE_OTHER);
  }
  return tdm_run_view_table(view, out->plain ? &tdm_lane_anything : &tdm_lane_work, &out->table,
                            error);
}

void tdm_row_lanes_close(tdm_row_lanes *lanes) {
  tdm_name_marks_close(&lanes->kernel);
  tdm_name_marks_close(&lanes->kind);
  tdm_name_marks_close(&lanes->call);
  free(lanes->track_lane);
}

static uint8_t kernel_lane(const char *name) {
  return (uint8_t)tdm_record_lane("kernel", NULL, name, TDM_LANE_GPU);
}

static uint8_t copy_lane(const char *kind) {
  return (uint8_t)tdm_record_lane("memcpy", kind, "", TDM_LANE_OTHER);
}

static uint8_t call_lane(const char *name) {
  return tdm_api_action_of(name) == TDM_ACTION_WAIT ? TDM_NO_LANE : TDM_LANE_CPU;
}

/* Copies that say no way lie on the GPU; page faults and the like of unified memory nowhere. */
static tdm_lane lane_of_copy(tdm_row_lanes *lanes, size_t row, tdm_lane otherwise) {
  int64_t kind = tdm_table_arg(lanes->table, 0, row);
  if (kind == TDM_NONE) return otherwise;
  tdm_lane lane = (tdm_lane)tdm_name_mark(&lanes->kind, lanes->view, kind, copy_lane);
  return lane != TDM_LANE_OTHER ? lane : otherwise;
}

tdm_lane tdm_lane_of_row(tdm_row_lanes *lanes, size_t row) {
  const tdm_table *table = lanes->table;
  tdm_lane own = (tdm_lane)lanes->track_lane[tdm_table_track(table, row)];
  if (lanes->plain) return own;
  switch (tdm_table_category(table, row)) {
  case KERNEL:
    return (tdm_lane)tdm_name_mark(&lanes->kernel, lanes->view, tdm_table_name(table, row),
                                   kernel_lane);
  case MEMCPY: return lane_of_copy(lanes, row, TDM_LANE_GPU);
  case UM: return lane_of_copy(lanes, row, TDM_NO_LANE);
  case MEMSET:
  case GRAPH: return TDM_LANE_GPU;
  case RUNTIME:
  case DRIVER:
    return (tdm_lane)tdm_name_mark(&lanes->call, lanes->view, tdm_table_name(table, row),
                                   call_lane);
  case CPU_OP: return TDM_LANE_CPU;
  default: return own;
  }
}
