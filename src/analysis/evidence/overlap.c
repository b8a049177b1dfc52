/* Computation, communication and copies of each device, and what of the latter two ran alone.
 *
 * Of collectives that follow each other without computation between them, the last has nothing left
 * to run beside, however they are moved: its time alone is "last_comm_ns". */
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
                                   {"exposed_copy_ns", TDM_FIELD_INT},
                                   {"last_comm_ns", TDM_FIELD_INT}};

/* Memsets count as computation. */
enum {
  COMPUTE = TDM_CLASS_BIT(TDM_CLASS_COMPUTE) | TDM_CLASS_BIT(TDM_CLASS_MEMSET),
  COMM = TDM_CLASS_BIT(TDM_CLASS_COMM),
  COPY = TDM_CLASS_BIT(TDM_CLASS_COPY)
};
static const unsigned masks[] = {TDM_CLASS_ANY, COMPUTE, COMM, COPY, COMPUTE | COMM};
enum { ANY_SET, COMPUTE_SET, COMM_SET, COPY_SET, KERNEL_SET, SETS };

typedef struct {
  tdm_run_view *view;
  const tdm_table *work;
  const uint8_t *classes;
  tdm_intervals *set[SETS]; /* by device */
} covering;

/* The time alone of the last collective of each row of them. Rows of work come in order of their
 * starts; computation that begins between two of them parts rows. */
static int64_t last_of_rows_ns(const covering *c, uint32_t d, const tdm_intervals *alone) {
  const tdm_intervals *compute = &c->set[COMPUTE_SET][d];
  size_t last = SIZE_MAX, place = 0, members = 0;
  int64_t sum_ns = 0;
  for (size_t i = 0; i <= c->work->count; i++) {
    bool ends = i == c->work->count;
    if (!ends && (c->classes[i] != TDM_CLASS_COMM ||
                  tdm_run_view_device_of(c->view, tdm_table_track(c->work, i)) != d))
      continue;
    size_t after = ends ? SIZE_MAX : tdm_intervals_after(compute, tdm_table_start_ns(c->work, i));
    if (members > 0 && after != place) {
      if (members > 1)
        sum_ns += tdm_intervals_within_ns(alone, tdm_table_start_ns(c->work, last),
                                          tdm_table_end_ns(c->work, last));
      members = 0;
    }
    if (ends) break;
    if (members++ == 0 || tdm_table_end_ns(c->work, i) >= tdm_table_end_ns(c->work, last)) last = i;
    place = after;
  }
  return sum_ns;
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

static tdm_status put_alone(const covering *c, uint32_t d, tdm_frame *frame, tdm_error *error) {
  tdm_intervals comm = {0}, copies = {0};
  tdm_status status =
      tdm_intervals_subtract(&c->set[COMM_SET][d], &c->set[COMPUTE_SET][d], &comm, error);
  if (status == TDM_OK)
    status = tdm_intervals_subtract(&c->set[COPY_SET][d], &c->set[KERNEL_SET][d], &copies, error);
  tdm_frame_int(frame, 7, tdm_intervals_total_ns(&comm));
  tdm_frame_int(frame, 8, tdm_intervals_total_ns(&copies));
  tdm_frame_int(frame, 9, comm.count > 0 ? last_of_rows_ns(c, d, &comm) : 0);
  tdm_intervals_close(&comm);
  tdm_intervals_close(&copies);
  return status;
}

static tdm_status put(const covering *c, uint32_t d, tdm_frame *frame, tdm_error *error) {
  const tdm_intervals *busy = &c->set[ANY_SET][d], *left = tdm_run_view_times(c->view);
  if (busy->count == 0) return TDM_OK;
  tdm_frame_row(frame);
  tdm_evidence_put_device(c->view, d, frame, 0);
  tdm_frame_int(frame, 2,
                tdm_run_view_narrowed(c->view) ? tdm_intervals_total_ns(left)
                                               : busy->end_ns[busy->count - 1] - busy->start_ns[0]);
  for (size_t s = ANY_SET; s <= COPY_SET; s++)
    tdm_frame_int(frame, 3 + s, tdm_intervals_total_ns(&c->set[s][d]));
  return put_alone(c, d, frame, error);
}

tdm_status tdm_evidence_overlap(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error) {
  covering c = {.view = view};
  uint8_t *classes = NULL;
  (void)options;
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &c.work, error);
  if (status == TDM_OK && (classes = tdm_gpu_classes(view, c.work)) == NULL)
    status = tdm_error_memory(error, "intervals", c.work->count);
  c.classes = classes;
  for (size_t s = 0; status == TDM_OK && s < SETS; s++)
    if ((status = tdm_evidence_cover(view, c.work, classes, masks[s], &c.set[s], error)) == TDM_OK)
      status = cut(view, c.set[s], error);
  tdm_frame *frame = tdm_answer_frame(out, "devices", fields, 10);
  for (uint32_t d = 0; status == TDM_OK && d < tdm_run_view_devices(view); d++)
    status = put(&c, d, frame, error);
  for (size_t s = 0; s < SETS; s++) tdm_evidence_free(view, c.set[s]);
  free(classes);
  return status;
}
