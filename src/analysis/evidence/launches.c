/* How kernels were launched, a row a device: what their calls took, how many were short, how many
 * came from graphs, and how long the device waited for a call that began when it had already run
 * dry ("late") or had not ended by then ("waited"), in gaps no longer than "most_ns": longer ones
 * have another cause. */
#include <stdlib.h>

#include "analysis/evidence/evidence.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

static const tdm_field fields[] = {
    TDM_EVIDENCE_DEVICE,          {"elapsed_ns", TDM_FIELD_INT},  {"kernels", TDM_FIELD_INT},
    {"kernel_ns", TDM_FIELD_INT}, {"launched", TDM_FIELD_INT},    {"launch_ns", TDM_FIELD_INT},
    {"small", TDM_FIELD_INT},     {"small_ns", TDM_FIELD_INT},    {"small_gap_ns", TDM_FIELD_INT},
    {"late", TDM_FIELD_INT},      {"late_ns", TDM_FIELD_INT},     {"waited", TDM_FIELD_INT},
    {"waited_ns", TDM_FIELD_INT}, {"from_graphs", TDM_FIELD_INT}, {"whole_graphs", TDM_FIELD_INT}};
enum {
  ELAPSED = 2,
  KERNELS,
  KERNEL_NS,
  LAUNCHED,
  LAUNCH_NS,
  SMALL,
  SMALL_NS,
  SMALL_GAP_NS,
  LATE,
  LATE_NS,
  WAITED,
  WAITED_NS,
  FROM_GRAPHS,
  WHOLE_GRAPHS,
  FIELDS
};

typedef struct {
  int64_t value[FIELDS];
  int64_t first_ns, until_ns; /* the device has work until then */
} device;

/* What the filter leaves of a time. */
static int64_t left_ns(const tdm_run_view *view, int64_t from_ns, int64_t to_ns) {
  return tdm_intervals_within_ns(tdm_run_view_times(view), from_ns, to_ns);
}

static void add_kernel(device *d, const tdm_table *work, size_t i, double small_ns, int64_t gap_ns,
                       int64_t dur_ns) {
  d->value[KERNELS]++;
  d->value[KERNEL_NS] += dur_ns;
  if (tdm_table_arg(work, TDM_WORK_GRAPH_NODE, i) != TDM_NONE) d->value[FROM_GRAPHS]++;
  if ((double)dur_ns >= small_ns) return;
  d->value[SMALL]++;
  d->value[SMALL_NS] += dur_ns;
  if ((double)gap_ns < small_ns) d->value[SMALL_GAP_NS] += gap_ns;
}

/* A call may launch many kernels (a graph): it counts once. */
static void add_call(const tdm_run_view *view, device *d, const tdm_table *calls, uint32_t call,
                     bool *counted, int64_t idle_from_ns, int64_t start_ns, double most_ns) {
  if (call == TDM_NO_ROW || counted[call]) return;
  counted[call] = true;
  d->value[LAUNCHED]++;
  d->value[LAUNCH_NS] += tdm_table_end_ns(calls, call) - tdm_table_start_ns(calls, call);
  if (tdm_table_end_ns(calls, call) <= idle_from_ns || start_ns <= idle_from_ns) return;
  if ((double)(start_ns - idle_from_ns) > most_ns) return;
  d->value[WAITED]++;
  d->value[WAITED_NS] += left_ns(view, idle_from_ns, start_ns);
  if (tdm_table_start_ns(calls, call) <= idle_from_ns) return;
  d->value[LATE]++;
  d->value[LATE_NS] += left_ns(view, idle_from_ns, start_ns);
}

static void add_row(const tdm_run_view *view, device *d, const tdm_launched *launched,
                    bool *counted, size_t i, double small_ns, double most_ns) {
  const tdm_table *work = launched->work;
  int64_t start_ns = tdm_table_start_ns(work, i), end_ns = tdm_table_end_ns(work, i);
  bool is_first = d->until_ns == INT64_MIN;
  int64_t idle_from_ns = is_first ? start_ns : d->until_ns;
  int64_t gap_ns = left_ns(view, idle_from_ns, start_ns);
  bool seen = tdm_run_view_touches(view, start_ns, end_ns);
  if (is_first) d->first_ns = start_ns;
  if (seen && tdm_table_category(work, i) == TDM_WORK_KERNEL) {
    add_kernel(d, work, i, small_ns, gap_ns, end_ns - start_ns);
    add_call(view, d, launched->calls, launched->by_call.cause[i], counted, idle_from_ns, start_ns,
             most_ns);
  }
  if (seen && tdm_table_category(work, i) == TDM_WORK_GRAPH) d->value[WHOLE_GRAPHS]++;
  if (end_ns > d->until_ns) d->until_ns = end_ns;
}

tdm_status tdm_evidence_launches(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                 tdm_error *error) {
  const tdm_launched *launched = NULL;
  tdm_run_view *whole = NULL; /* the device may have fallen idle before what the filter leaves */
  uint32_t count = tdm_run_view_devices(view);
  double small_ns = tdm_option_number(options, "small_ns", 5000);
  double most_ns = tdm_option_number(options, "most_ns", 1e6);
  tdm_status status = tdm_run_view_at_all_times(view, &whole, error);
  if (status == TDM_OK) status = tdm_gpu_launched(whole, &launched, error);
  device *devices = tdm_array_new(count + 1, sizeof *devices);
  bool *counted = tdm_array_new(launched != NULL ? launched->calls->count + 1 : 1, sizeof *counted);
  if (status == TDM_OK && (devices == NULL || counted == NULL))
    status = tdm_error_memory(error, "devices", count);
  tdm_frame *frame = tdm_answer_frame(out, "devices", fields, FIELDS);
  for (uint32_t d = 0; status == TDM_OK && d < count; d++)
    devices[d] = (device){.until_ns = INT64_MIN};
  for (size_t i = 0; status == TDM_OK && i < launched->work->count; i++) {
    uint32_t d = tdm_run_view_device_of(view, tdm_table_track(launched->work, i));
    if (d != TDM_NO_DEVICE) add_row(view, &devices[d], launched, counted, i, small_ns, most_ns);
  }
  for (uint32_t d = 0; status == TDM_OK && d < count; d++) {
    if (devices[d].until_ns == INT64_MIN || tdm_run_view_times(view)->count == 0) continue;
    devices[d].value[ELAPSED] = tdm_run_view_narrowed(view)
                                    ? tdm_intervals_total_ns(tdm_run_view_times(view))
                                    : devices[d].until_ns - devices[d].first_ns;
    tdm_frame_row(frame);
    tdm_evidence_put_device(view, d, frame, 0);
    for (size_t f = ELAPSED; f < FIELDS; f++) tdm_frame_int(frame, f, devices[d].value[f]);
  }
  free(devices);
  free(counted);
  return status;
}
