/* The GPUs of a run, told apart by file and number. See run_view.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/inside.h"
#include "base/hash_map.h"
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

static uint32_t hash_of_name(const char *name, int64_t beside) {
  return tdm_hash_pair(tdm_hash_bytes(name, strlen(name)), (uint64_t)beside);
}

static uint32_t hash_of_device(const tdm_track *track) {
  if (track->device == TDM_NONE) return hash_of_name(track->process, track->source);
  return tdm_hash_pair((uint64_t)track->device, track->source);
}

/* The first device of a name and a rank, or `d` itself, which then is known. */
static bool first_of_name(const tdm_run_view *view, tdm_hash_map *names, uint32_t d,
                          uint32_t *first) {
  const tdm_device *device = &view->device[d];
  uint32_t hash = hash_of_name(device->name, device->rank);
  for (tdm_hash_slot *s = tdm_hash_first(names, hash); s != NULL; s = tdm_hash_next(names, s)) {
    const tdm_device *other = &view->device[s->row];
    *first = s->row;
    if (other->rank == device->rank && strcmp(other->name, device->name) == 0) return true;
  }
  *first = d;
  return tdm_hash_add(names, hash, d);
}

static tdm_status number_name(tdm_run_view *view, tdm_device *device, unsigned number,
                              tdm_error *error) {
  size_t room = strlen(device->name) + 16;
  char *name = malloc(room);
  if (name == NULL) return tdm_error_memory(error, "devices", room);
  snprintf(name, room, "%s (%u)", device->name, number);
  device->name = name;
  return tdm_run_view_keep(view, name, name, free, error);
}

/* Files that do not say their rank may call their devices the same: "NVIDIA H100 #0 (2)". */
static tdm_status name_apart(tdm_run_view *view, tdm_error *error) {
  unsigned *count = tdm_array_new(view->devices, sizeof *count); /* of the first of each name */
  tdm_hash_map names = {0};
  tdm_status status = TDM_OK;
  if (count == NULL) status = tdm_error_memory(error, "devices", view->devices);
  for (uint32_t d = 0; d < view->devices && status == TDM_OK; d++) {
    uint32_t first;
    if (!first_of_name(view, &names, d, &first))
      status = tdm_error_memory(error, "devices", view->devices);
    else if (++count[first] > 1)
      status = number_name(view, &view->device[d], count[first], error);
  }
  tdm_hash_map_free(&names);
  free(count);
  return status;
}

/* The device of a track, which is new where none is alike. False: out of memory. */
static bool device_of(tdm_run_view *view, tdm_hash_map *known, const tdm_track *track,
                      uint32_t *device) {
  uint32_t hash = hash_of_device(track);
  for (tdm_hash_slot *s = tdm_hash_first(known, hash); s != NULL; s = tdm_hash_next(known, s)) {
    *device = s->row;
    if (same_device(&view->device[s->row], track)) return true;
  }
  const tdm_source *source = tdm_run_tables_source(view->tables, track->source);
  *device = view->devices++;
  view->device[*device] = (tdm_device){.source = track->source,
                                       .number = track->device,
                                       .rank = source != NULL ? source->rank : TDM_NONE,
                                       .name = track->process};
  return tdm_hash_add(known, hash, *device);
}

tdm_status tdm_run_view_find_devices(tdm_run_view *view, tdm_error *error) {
  uint32_t tracks = tdm_run_tables_tracks(view->tables);
  view->device_of = tdm_array_new(tracks + 1, sizeof *view->device_of);
  view->device = tdm_array_new(tracks + 1, sizeof *view->device);
  if (view->device_of == NULL || view->device == NULL)
    return tdm_error_memory(error, "devices", tracks * sizeof *view->device);
  tdm_hash_map known = {0};
  bool fits = true;
  for (uint32_t t = 0; t < tracks && fits; t++) {
    view->device_of[t] = TDM_NO_DEVICE;
    const tdm_track *track = tdm_run_tables_track(view->tables, t);
    if (track == NULL) continue;
    bool simulated = track->device == TDM_NONE && track->kind == TDM_TRACK_SERVER;
    if (track->device == TDM_NONE && !(simulated && is_gpu_lane(track->lane))) continue;
    fits = device_of(view, &known, track, &view->device_of[t]);
  }
  tdm_hash_map_free(&known);
  return fits ? name_apart(view, error) : tdm_error_memory(error, "devices", tracks);
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
