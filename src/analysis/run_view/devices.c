/* The GPUs of a run, told apart by file and number. See run_view.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/inside.h"
#include "base/memory.h"

static bool is_gpu_lane(tdm_lane lane) {
  return lane == TDM_LANE_GPU || lane == TDM_LANE_H2D || lane == TDM_LANE_D2H ||
         lane == TDM_LANE_COMM;
}

static bool same_device(const tdm_device *device, const tdm_track *track) {
  if (device->source != track->source) return false;
  if (track->device != TDM_NONE) return device->number == track->device;
  return device->number == TDM_NONE && strcmp(device->name, track->process) == 0;
}

/* Files that do not say their rank may call their devices the same: "NVIDIA H100 #0 (2)". */
static tdm_status name_apart(tdm_run_view *view, tdm_error *error) {
  for (uint32_t d = view->devices; d-- > 0;) { /* the last first: earlier ones have their names */
    tdm_device *device = &view->device[d];
    unsigned before = 0;
    for (uint32_t e = 0; e < d; e++)
      before +=
          view->device[e].rank == device->rank && strcmp(view->device[e].name, device->name) == 0;
    if (before == 0) continue;
    size_t room = strlen(device->name) + 16;
    char *name = malloc(room);
    if (name == NULL) return tdm_error_memory(error, "devices", room);
    snprintf(name, room, "%s (%u)", device->name, before + 1);
    device->name = name;
    tdm_status status = tdm_run_view_keep(view, name, name, free, error);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

tdm_status tdm_run_view_find_devices(tdm_run_view *view, tdm_error *error) {
  uint32_t tracks = tdm_run_tables_tracks(view->tables);
  view->device_of = tdm_array_new(tracks + 1, sizeof *view->device_of);
  view->device = tdm_array_new(tracks + 1, sizeof *view->device);
  if (view->device_of == NULL || view->device == NULL)
    return tdm_error_memory(error, "devices", tracks * sizeof *view->device);
  for (uint32_t t = 0; t < tracks; t++) {
    view->device_of[t] = TDM_NO_DEVICE;
    const tdm_track *track = tdm_run_tables_track(view->tables, t);
    if (track == NULL) continue;
    bool simulated = track->device == TDM_NONE && track->kind == TDM_TRACK_SERVER;
    if (track->device == TDM_NONE && !(simulated && is_gpu_lane(track->lane))) continue;
    uint32_t d = 0;
    while (d < view->devices && !same_device(&view->device[d], track)) d++;
    if (d == view->devices) {
      const tdm_source *source = tdm_run_tables_source(view->tables, track->source);
      view->device[view->devices++] = (tdm_device){.source = track->source,
                                                   .number = track->device,
                                                   .rank = source != NULL ? source->rank : TDM_NONE,
                                                   .name = track->process};
    }
    view->device_of[t] = d;
  }
  return name_apart(view, error);
}

uint32_t tdm_run_view_devices(const tdm_run_view *view) {
  return view->devices;
}

const tdm_device *tdm_run_view_device(const tdm_run_view *view, uint32_t index) {
  return index < view->devices ? &view->device[index] : NULL;
}

uint32_t tdm_run_view_device_of(const tdm_run_view *view, int64_t track) {
  if (track < 0 || track >= tdm_run_tables_tracks(view->tables)) return TDM_NO_DEVICE;
  return view->device_of[track];
}
