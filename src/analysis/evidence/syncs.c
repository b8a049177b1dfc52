/* Calls that make the host wait for the GPU, the longest of them, and the time a device idled
 * because one of its process had just waited: gaps in which such a call ended. */
#include <stdlib.h>

#include "analysis/evidence/evidence.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

static const tdm_field device_fields[] = {
    TDM_EVIDENCE_DEVICE, {"gaps", TDM_FIELD_INT}, {"idle_ns", TDM_FIELD_INT}};
static const tdm_field total_fields[] = {{"count", TDM_FIELD_INT}, {"total_ns", TDM_FIELD_INT}};
static const tdm_field worst_fields[] = {{"dur_ns", TDM_FIELD_INT},
                                         {"start_ns", TDM_FIELD_INT},
                                         {"pid", TDM_FIELD_INT},
                                         {"tid", TDM_FIELD_INT},
                                         {"call", TDM_FIELD_TEXT}};

/* Of streams and of whole devices, as Nsight Systems' rule; events are waited for on purpose. */
static uint32_t *select_syncs(tdm_run_view *view, const tdm_table *calls, size_t *count) {
  size_t inside = 0;
  uint32_t *row = tdm_array_new(calls->count + 1, sizeof *row);
  uint8_t *waits = tdm_api_waits_of(view, calls, &inside);
  for (size_t i = 0; row != NULL && waits != NULL && i < calls->count; i++)
    if (waits[i] == TDM_WAITS_DEVICE || waits[i] == TDM_WAITS_STREAM) row[(*count)++] = (uint32_t)i;
  if (waits == NULL) {
    free(row);
    row = NULL;
  }
  free(waits);
  return row;
}

/* The process of each device's streams; TDM_NONE: not said, or several. NULL: out of memory. */
static int64_t *processes_of(tdm_run_view *view) {
  uint32_t devices = tdm_run_view_devices(view);
  int64_t *pid = tdm_array_new(devices, sizeof *pid);
  bool *several = tdm_array_new(devices, sizeof *several);
  if (pid == NULL || several == NULL) {
    free(pid);
    free(several);
    return NULL;
  }
  for (uint32_t d = 0; d < devices; d++) pid[d] = TDM_NONE;
  for (uint32_t t = 0; t < tdm_run_tables_tracks(tdm_run_view_tables(view)); t++) {
    const tdm_track *track = tdm_run_view_track(view, t);
    uint32_t d = tdm_run_view_device_of(view, t);
    if (track == NULL || d == TDM_NO_DEVICE) continue;
    several[d] |= pid[d] != TDM_NONE && track->pid != pid[d];
    pid[d] = track->pid;
  }
  for (uint32_t d = 0; d < devices; d++)
    if (several[d]) pid[d] = TDM_NONE;
  free(several);
  return pid;
}

static void put_idle(tdm_run_view *view, uint32_t device, int64_t pid, const tdm_intervals *busy,
                     const tdm_table *calls, const int64_t *ends, const uint32_t *row, size_t syncs,
                     tdm_frame *frame) {
  uint32_t source = tdm_run_view_device(view, device)->source; /* ranks may share process ids */
  int64_t gaps = 0, idle_ns = 0;
  size_t next = 0;
  for (size_t i = 1; i < busy->count; i++) {
    while (next < syncs && ends[next] < busy->end_ns[i - 1]) next++;
    for (size_t s = next; s < syncs && ends[s] <= busy->start_ns[i]; s++) {
      const tdm_track *track = tdm_run_view_track(view, tdm_table_track(calls, row[s]));
      if (track == NULL || track->source != source || (pid != TDM_NONE && track->pid != pid))
        continue;
      gaps++;
      idle_ns += busy->start_ns[i] - busy->end_ns[i - 1];
      break;
    }
  }
  tdm_frame_row(frame);
  tdm_evidence_put_device(view, device, frame, 0);
  tdm_frame_int(frame, 2, gaps);
  tdm_frame_int(frame, 3, idle_ns);
}

typedef struct {
  int64_t end_ns;
  uint32_t row;
} ending;

static int by_end(const void *x, const void *y) {
  const ending *a = x, *b = y;
  if (a->end_ns != b->end_ns) return a->end_ns < b->end_ns ? -1 : 1;
  return (a->row > b->row) - (a->row < b->row);
}

/* The waits in order of their ends. */
static int64_t *sort_by_end(const tdm_table *calls, uint32_t *row, size_t count) {
  ending *order = tdm_array_new(count + 1, sizeof *order);
  int64_t *ends = tdm_array_new(count + 1, sizeof *ends);
  if (order != NULL && ends != NULL) {
    for (size_t i = 0; i < count; i++) order[i] = (ending){tdm_table_end_ns(calls, row[i]), row[i]};
    qsort(order, count, sizeof *order, by_end);
    for (size_t i = 0; i < count; i++) {
      ends[i] = order[i].end_ns;
      row[i] = order[i].row;
    }
  } else {
    free(ends);
    ends = NULL;
  }
  free(order);
  return ends;
}

static void put_worst(tdm_run_view *view, const tdm_table *calls, uint32_t *row, size_t count,
                      size_t limit, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "worst", worst_fields, 5);
  count = tdm_evidence_longest(calls, row, count, limit);
  for (size_t i = 0; i < count; i++) {
    const tdm_track *track = tdm_run_view_track(view, tdm_table_track(calls, row[i]));
    tdm_frame_row(frame);
    tdm_frame_int(frame, 0, tdm_table_end_ns(calls, row[i]) - tdm_table_start_ns(calls, row[i]));
    tdm_frame_int(frame, 1, tdm_table_start_ns(calls, row[i]));
    if (track != NULL) tdm_frame_int(frame, 2, track->pid);
    if (track != NULL) tdm_frame_int(frame, 3, track->tid);
    tdm_frame_name(frame, 4, tdm_run_view_name(view, tdm_table_name(calls, row[i])));
  }
}

static void put_total(const tdm_table *calls, const uint32_t *row, size_t count, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "total", total_fields, 2);
  int64_t total_ns = 0;
  for (size_t i = 0; i < count; i++)
    total_ns += tdm_table_end_ns(calls, row[i]) - tdm_table_start_ns(calls, row[i]);
  tdm_frame_row(frame);
  tdm_frame_int(frame, 0, (int64_t)count);
  tdm_frame_int(frame, 1, total_ns);
}

tdm_status tdm_evidence_syncs(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                              tdm_error *error) {
  const tdm_table *calls = NULL, *work = NULL;
  tdm_intervals *busy = NULL;
  uint8_t *classes = NULL;
  uint32_t *row = NULL;
  int64_t *ends = NULL, *pids = NULL;
  size_t count = 0;
  tdm_status status = tdm_run_view_table(view, &tdm_api_calls, &calls, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_gpu_work, &work, error);
  if (status == TDM_OK &&
      ((classes = tdm_gpu_classes(view, work)) == NULL ||
       (row = select_syncs(view, calls, &count)) == NULL ||
       (ends = sort_by_end(calls, row, count)) == NULL || (pids = processes_of(view)) == NULL))
    status = tdm_error_memory(error, "calls", calls->count);
  if (status == TDM_OK)
    status = tdm_evidence_cover(view, work, classes, TDM_CLASS_ANY, &busy, error);
  if (status == TDM_OK) {
    tdm_frame *devices = tdm_answer_frame(out, "devices", device_fields, 4);
    for (uint32_t d = 0; d < tdm_run_view_devices(view); d++)
      put_idle(view, d, pids[d], &busy[d], calls, ends, row, count, devices);
    put_total(calls, row, count, out);
    put_worst(view, calls, row, count, tdm_evidence_count(options, "limit", 10), out);
  }
  tdm_evidence_free(view, busy);
  free(classes);
  free(row);
  free(ends);
  free(pids);
  return status;
}
