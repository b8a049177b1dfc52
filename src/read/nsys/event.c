/* Records of CUDA events. See nsys.h.
 *
 * Only the newest schema says when an event completed on the GPU, and not in every capture. The
 * others say which call recorded it: its start is then the event's time, the earliest that it can
 * have been. */
#include "read/nsys/nsys.h"

#include <stdlib.h>

#include "base/memory.h"

#define TABLE "CUPTI_ACTIVITY_KIND_CUDA_EVENT"
#define CALLS "CUPTI_ACTIVITY_KIND_RUNTIME"

enum { TIME, PROCESS, DEVICE, CONTEXT, STREAM, GREEN, CORRELATION, EVENT, EVENT_SYNC, COLUMNS };

static const tdm_nsys_column columns[COLUMNS] = {
    [TIME] = {"timestamp", TDM_NSYS_INT},
    [PROCESS] = {"globalPid", TDM_NSYS_INT},
    [DEVICE] = {"deviceId", TDM_NSYS_INT},
    [CONTEXT] = {"contextId", TDM_NSYS_INT},
    [STREAM] = {"streamId", TDM_NSYS_INT},
    [GREEN] = {"greenContextId", TDM_NSYS_INT},
    [CORRELATION] = {"correlationId", TDM_NSYS_INT},
    [EVENT] = {"eventId", TDM_NSYS_INT},
    [EVENT_SYNC] = {"eventSyncId", TDM_NSYS_INT},
};

enum { ROW_CORRELATION, ROW_EVENT, ROW_EVENT_SYNC, ROW_GREEN, ROW_ARGS };

static const tdm_arg args[ROW_ARGS] = {
    [ROW_CORRELATION] = {"correlation", TDM_ARG_INT},
    [ROW_EVENT] = {"event", TDM_ARG_INT},
    [ROW_EVENT_SYNC] = {"event_sync", TDM_ARG_INT},
    [ROW_GREEN] = {"green_context", TDM_ARG_INT},
};

typedef struct {
  uint32_t track, next; /* next: another of the same call, + 1; 0: none */
  int64_t args[ROW_ARGS];
} waiting_event;

typedef struct {
  uint32_t layout, name;
  waiting_event *waiting;
  size_t count, room, met;
  tdm_id_map calls; /* (correlation, pid) → the first of its events */
} event_reading;

static void put(tdm_nsys *nsys, const event_reading *reading, int64_t time_ns, uint32_t track,
                const int64_t values[ROW_ARGS]) {
  tdm_record_row(nsys->recorder, reading->layout, time_ns, 0, track, reading->name, values,
                 ROW_ARGS);
  if (nsys->last_ns == TDM_NONE || time_ns > nsys->last_ns) nsys->last_ns = time_ns;
}

static bool let_wait(event_reading *reading, int64_t pid, uint32_t track,
                     const int64_t values[ROW_ARGS]) {
  if (!tdm_array_grow(&reading->waiting, &reading->room, reading->count + 1,
                      sizeof *reading->waiting))
    return false;
  uint32_t *first =
      tdm_id_map_at(&reading->calls, (uint64_t)values[ROW_CORRELATION], (uint64_t)pid);
  if (first == NULL) return false;
  waiting_event *event = &reading->waiting[reading->count];
  *event = (waiting_event){.track = track, .next = *first + 1}; /* TDM_ID_NONE + 1: none */
  memcpy(event->args, values, sizeof event->args);
  *first = (uint32_t)reading->count++;
  return true;
}

static int64_t or_none(int64_t value) {
  return value == 0 ? TDM_NONE : value;
}

static tdm_status read_events(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                              tdm_error *error) {
  event_reading *reading = context;
  const tdm_nsys_values *column = block->column;
  reading->layout =
      tdm_record_layout(nsys->recorder, "cuda_event", TDM_SHAPE_INSTANT, args, ROW_ARGS);
  reading->name = tdm_record_text(nsys->recorder, "event record");
  for (size_t i = 0; i < block->count; i++) {
    int64_t process = column[PROCESS].integer[i];
    if (process == TDM_NONE) process = nsys->only_pid;
    uint32_t track = tdm_nsys_wait_track(nsys, process, column[DEVICE].integer[i],
                                         column[CONTEXT].integer[i], column[STREAM].integer[i]);
    const int64_t values[ROW_ARGS] = {
        [ROW_CORRELATION] = or_none(column[CORRELATION].integer[i]),
        [ROW_EVENT] = column[EVENT].integer[i],
        [ROW_EVENT_SYNC] = column[EVENT_SYNC].integer[i],
        [ROW_GREEN] = or_none(column[GREEN].integer[i]),
    };
    int64_t time_ns = or_none(column[TIME].integer[i]);
    if (time_ns != TDM_NONE)
      put(nsys, reading, time_ns, track, values);
    else if (!let_wait(reading, tdm_nsys_pid(process), track, values))
      return tdm_nsys_memory(error);
  }
  return TDM_OK;
}

/* Columns: start, thread, correlation. */
static tdm_status meet_calls(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                             tdm_error *error) {
  event_reading *reading = context;
  (void)error;
  for (size_t i = 0; i < block->count; i++) {
    int64_t start_ns = block->column[0].integer[i], correlation = block->column[2].integer[i];
    int64_t pid = tdm_nsys_pid(block->column[1].integer[i]);
    if (start_ns == TDM_NONE || correlation == TDM_NONE) continue;
    uint32_t index = tdm_id_map_find(&reading->calls, (uint64_t)correlation, (uint64_t)pid);
    for (uint32_t next = index + 1; next != 0; next = reading->waiting[next - 1].next) {
      waiting_event *event = &reading->waiting[next - 1];
      if (event->track == UINT32_MAX) break; /* a runtime call and its driver call: the first */
      put(nsys, reading, start_ns, event->track, event->args);
      event->track = UINT32_MAX;
      reading->met++;
    }
  }
  return TDM_OK;
}

tdm_status tdm_nsys_events_read(tdm_nsys *nsys, tdm_error *error) {
  static const tdm_nsys_column calls[] = {
      {"start", TDM_NSYS_INT}, {"globalTid", TDM_NSYS_INT}, {"correlationId", TDM_NSYS_INT}};
  if ((nsys->options->dropped & TDM_READ_NO_API) != 0 || !tdm_nsys_has(nsys, TABLE)) return TDM_OK;
  event_reading reading = {0};
  tdm_status status = tdm_nsys_scan(nsys, TABLE, columns, COLUMNS, read_events, &reading, error);
  if (status == TDM_OK && reading.count > 0)
    status = tdm_nsys_scan(nsys, CALLS, calls, 3, meet_calls, &reading, error);
  tdm_record_problem(nsys->recorder, "events without a time (dropped)",
                     reading.count - reading.met);
  tdm_id_map_free(&reading.calls);
  free(reading.waiting);
  return status;
}
