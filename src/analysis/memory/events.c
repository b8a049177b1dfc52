/* Changes of memory, whatever tool told them: allocations, frees and counters as one list in time;
 * see inside.h. */
#include "analysis/memory/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void tdm_memory_events_close(tdm_memory_events *events) {
  free(events->event);
  free(events->space);
  *events = (tdm_memory_events){0};
}

int tdm_memory_put(tdm_memory_events *events, const tdm_memory_event *event) {
  if (!tdm_array_grow(&events->event, &events->room, events->count + 1, sizeof *events->event))
    return 0;
  events->event[events->count++] = *event;
  return 1;
}

/* ---- spaces ---- */

static void name_space(tdm_run_view *view, tdm_memory_space *space, const tdm_track *track) {
  char process[64] = "";
  if (space->pid != TDM_NONE) snprintf(process, sizeof process, "%.60s", track->process);
  for (uint32_t d = 0; !space->host && d < tdm_run_view_devices(view); d++) {
    const tdm_device *device = tdm_run_view_device(view, d);
    if (device->source != space->source || device->number != space->number ||
        space->number == TDM_NONE)
      continue;
    snprintf(space->name, sizeof space->name, "%s", device->name);
    return;
  }
  if (space->host)
    snprintf(space->name, sizeof space->name, "CPU%s%s", process[0] != 0 ? " of " : "", process);
  else if (space->number != TDM_NONE)
    snprintf(space->name, sizeof space->name, "GPU #%lld", (long long)space->number);
  else
    snprintf(space->name, sizeof space->name, "%s", track->process);
}

uint32_t tdm_memory_space_of(tdm_memory_events *events, tdm_run_view *view, int64_t track,
                             int64_t number, bool host, bool by_process) {
  static const tdm_track unknown = {.process = "", .name = "", .pid = TDM_NONE, .device = TDM_NONE};
  const tdm_track *on = tdm_run_view_track(view, track);
  if (on == NULL) on = &unknown; /* a damaged store */
  int64_t pid = by_process ? on->pid : TDM_NONE;
  for (size_t i = events->spaces; i-- > 0;) {
    const tdm_memory_space *known = &events->space[i];
    if (known->source == on->source && known->number == number && known->pid == pid &&
        known->host == host)
      return (uint32_t)i;
  }
  if (!tdm_array_grow(&events->space, &events->space_room, events->spaces + 1,
                      sizeof *events->space))
    return UINT32_MAX;
  const tdm_source *source = tdm_run_tables_source(tdm_run_view_tables(view), on->source);
  tdm_memory_space *space = &events->space[events->spaces];
  *space = (tdm_memory_space){.source = on->source,
                              .number = number,
                              .pid = pid,
                              .rank = source != NULL ? source->rank : TDM_NONE,
                              .host = host,
                              .sized = true,
                              .addressed = true,
                              .base = TDM_NONE,
                              .reserved_base = TDM_NONE};
  name_space(view, space, on);
  return (uint32_t)events->spaces++;
}

/* ---- the whole ---- */

static bool in_order(const tdm_memory_events *events) {
  for (size_t i = 1; i < events->count; i++)
    if (events->event[i].time_ns < events->event[i - 1].time_ns) return false;
  return true;
}

/* Merges neighbours bottom up: stable, unlike qsort, and sources come in order each. */
static tdm_status sort(tdm_memory_events *events, tdm_error *error) {
  if (in_order(events)) return TDM_OK;
  size_t count = events->count;
  tdm_memory_event *from = events->event, *to = tdm_array_raw(count, sizeof *to);
  if (to == NULL) return tdm_error_memory(error, "changes of memory", count * sizeof *to);
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t low = 0; low < count; low += 2 * width) {
      size_t middle = low + width < count ? low + width : count;
      size_t high = low + 2 * width < count ? low + 2 * width : count;
      size_t a = low, b = middle;
      for (size_t i = low; i < high; i++)
        to[i] =
            a < middle && (b == high || from[a].time_ns <= from[b].time_ns) ? from[a++] : from[b++];
    }
    tdm_memory_event *spare = from;
    from = to;
    to = spare;
  }
  events->event = from;
  events->room = count;
  free(to);
  return TDM_OK;
}

tdm_status tdm_memory_events_load(tdm_run_view *view, tdm_memory_events *events, tdm_error *error) {
  *events = (tdm_memory_events){0};
  int64_t last_ns;
  tdm_run_view_extent(view, &events->first_ns, &last_ns);
  tdm_status status = tdm_memory_from_rows(view, events, error);
  if (status == TDM_OK) status = tdm_memory_from_calls(view, events, error);
  if (status == TDM_OK) status = tdm_memory_from_counters(view, events, error);
  return status == TDM_OK ? sort(events, error) : status;
}
