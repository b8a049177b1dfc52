/* Computation, communication and copies of each device, and what of the latter two ran alone. */
#include <stdlib.h>

#include "analysis/evidence/evidence.h"
#include "base/memory.h"

static const tdm_field fields[] = {TDM_EVIDENCE_DEVICE,
                                   {"elapsed_ns", TDM_FIELD_INT},
                                   {"busy_ns", TDM_FIELD_INT},
                                   {"compute_ns", TDM_FIELD_INT},
                                   {"comm_ns", TDM_FIELD_INT},
                                   {"copy_ns", TDM_FIELD_INT},
                                   {"exposed_comm_ns", TDM_FIELD_INT},
                                   {"exposed_copy_ns", TDM_FIELD_INT}};

/* Memsets count as computation. */
enum {
  COMPUTE = TDM_CLASS_BIT(TDM_CLASS_COMPUTE) | TDM_CLASS_BIT(TDM_CLASS_MEMSET),
  COMM = TDM_CLASS_BIT(TDM_CLASS_COMM),
  COPY = TDM_CLASS_BIT(TDM_CLASS_COPY)
};
static const unsigned masks[] = {TDM_CLASS_ANY, COMPUTE, COMM, COPY, COMPUTE | COMM};
enum { ANY_SET, COMPUTE_SET, COMM_SET, COPY_SET, KERNEL_SET, SETS };

static tdm_status without(const tdm_intervals *a, const tdm_intervals *b, int64_t *left_ns,
                          tdm_error *error) {
  tdm_intervals left = {0};
  tdm_status status = tdm_intervals_subtract(a, b, &left, error);
  *left_ns = tdm_intervals_total_ns(&left);
  tdm_intervals_close(&left);
  return status;
}

/* Of each device what lies in the times that the filter leaves. */
static tdm_status cut(const tdm_run_view *view, tdm_intervals *sets, tdm_error *error) {
  tdm_status status = TDM_OK;
  if (!tdm_run_view_narrowed(view)) return status;
  for (uint32_t d = 0; status == TDM_OK && d < tdm_run_view_devices(view); d++) {
    tdm_intervals whole = sets[d];
    sets[d] = (tdm_intervals){0};
    status = tdm_intervals_intersect(&whole, tdm_run_view_times(view), &sets[d], error);
    tdm_intervals_close(&whole);
  }
  return status;
}

static tdm_status put(tdm_run_view *view, uint32_t d, tdm_intervals *const *set, tdm_frame *frame,
                      tdm_error *error) {
  const tdm_intervals *busy = &set[ANY_SET][d], *left = tdm_run_view_times(view);
  int64_t comm_ns = 0, copy_ns = 0;
  if (busy->count == 0) return TDM_OK;
  tdm_status status = without(&set[COMM_SET][d], &set[COMPUTE_SET][d], &comm_ns, error);
  if (status == TDM_OK) status = without(&set[COPY_SET][d], &set[KERNEL_SET][d], &copy_ns, error);
  tdm_frame_row(frame);
  tdm_evidence_put_device(view, d, frame, 0);
  tdm_frame_int(frame, 2,
                tdm_run_view_narrowed(view) ? tdm_intervals_total_ns(left)
                                            : busy->end_ns[busy->count - 1] - busy->start_ns[0]);
  for (size_t s = ANY_SET; s <= COPY_SET; s++)
    tdm_frame_int(frame, 3 + s, tdm_intervals_total_ns(&set[s][d]));
  tdm_frame_int(frame, 7, comm_ns);
  tdm_frame_int(frame, 8, copy_ns);
  return status;
}

tdm_status tdm_evidence_overlap(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error) {
  const tdm_table *work = NULL;
  tdm_intervals *set[SETS] = {NULL};
  uint8_t *classes = NULL;
  (void)options;
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &work, error);
  if (status == TDM_OK && (classes = tdm_gpu_classes(view, work)) == NULL)
    status = tdm_error_memory(error, "intervals", work->count);
  for (size_t s = 0; status == TDM_OK && s < SETS; s++)
    if ((status = tdm_evidence_cover(view, work, classes, masks[s], &set[s], error)) == TDM_OK)
      status = cut(view, set[s], error);
  tdm_frame *frame = tdm_answer_frame(out, "devices", fields, 9);
  for (uint32_t d = 0; status == TDM_OK && d < tdm_run_view_devices(view); d++)
    status = put(view, d, set, frame, error);
  for (size_t s = 0; s < SETS; s++) tdm_evidence_free(view, set[s]);
  free(classes);
  return status;
}
