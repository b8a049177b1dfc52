/* Host ranges whose name has a text in it (option "named"), and how long each device idled within
 * them. */
#include <stdlib.h>
#include <string.h>

#include "analysis/evidence/evidence.h"
#include "base/memory.h"

static const char *const categories[] = {"user_annotation", "nvtx", "cpu_op", NULL};
static const tdm_wanted wanted_ranges = {.categories = categories,
                                         .shapes = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN |
                                                   1u << TDM_SHAPE_ASYNC};

static const tdm_field fields[] = {TDM_EVIDENCE_DEVICE,
                                   {"elapsed_ns", TDM_FIELD_INT},
                                   {"count", TDM_FIELD_INT},
                                   {"total_ns", TDM_FIELD_INT},
                                   {"idle_ns", TDM_FIELD_INT}};
static const tdm_field worst_fields[] = {
    {"dur_ns", TDM_FIELD_INT}, {"start_ns", TDM_FIELD_INT}, {"name", TDM_FIELD_TEXT}};

typedef struct {
  tdm_run_view *view;
  const tdm_table *ranges;
  uint32_t *row; /* those whose name fits */
  size_t count;
} chosen;

static tdm_status choose(chosen *c, const char *named, tdm_error *error) {
  c->row = tdm_array_new(c->ranges->count + 1, sizeof *c->row);
  if (c->row == NULL) return tdm_error_memory(error, "ranges", c->ranges->count);
  int64_t known = TDM_NONE;
  bool fits = false;
  for (size_t i = 0; i < c->ranges->count; i++) {
    if (tdm_table_name(c->ranges, i) != known) {
      known = tdm_table_name(c->ranges, i);
      fits = strstr(tdm_run_view_name(c->view, known), named) != NULL;
    }
    if (fits) c->row[c->count++] = (uint32_t)i;
  }
  return TDM_OK;
}

/* Ranges of a device's own file only: another rank's loader does not hold this one up. */
static tdm_status put(const chosen *c, uint32_t d, const tdm_intervals *busy, tdm_frame *frame,
                      tdm_error *error) {
  tdm_intervals in = {0}, counted = {0}, gaps = {0};
  int64_t count = 0;
  tdm_status status = tdm_evidence_gaps(c->view, busy, &counted, &gaps, error);
  for (size_t i = 0; status == TDM_OK && i < c->count; i++) {
    const tdm_track *track = tdm_run_view_track(c->view, tdm_table_track(c->ranges, c->row[i]));
    if (track == NULL || track->source != tdm_run_view_device(c->view, d)->source) continue;
    count++;
    if (!tdm_intervals_add(&in, tdm_table_start_ns(c->ranges, c->row[i]),
                           tdm_table_end_ns(c->ranges, c->row[i])))
      status = tdm_error_memory(error, "ranges", c->count);
  }
  if (status == TDM_OK && count > 0 && counted.count > 0) {
    tdm_frame_row(frame);
    tdm_evidence_put_device(c->view, d, frame, 0);
    tdm_frame_int(frame, 2, tdm_intervals_total_ns(&counted));
    tdm_frame_int(frame, 3, count);
    tdm_frame_int(frame, 4, tdm_intervals_total_ns(&in));
    tdm_frame_int(frame, 5, tdm_intervals_common_ns(&in, &gaps));
  }
  tdm_intervals_close(&in);
  tdm_intervals_close(&counted);
  tdm_intervals_close(&gaps);
  return status;
}

static void put_worst(chosen *c, size_t limit, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "worst", worst_fields, 3);
  size_t kept = tdm_evidence_longest(c->ranges, c->row, c->count, limit);
  for (size_t i = 0; i < kept; i++) {
    uint32_t row = c->row[i];
    tdm_frame_row(frame);
    tdm_frame_int(frame, 0, tdm_table_end_ns(c->ranges, row) - tdm_table_start_ns(c->ranges, row));
    tdm_frame_int(frame, 1, tdm_table_start_ns(c->ranges, row));
    tdm_frame_name(frame, 2, tdm_run_view_name(c->view, tdm_table_name(c->ranges, row)));
  }
}

tdm_status tdm_evidence_ranges(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                               tdm_error *error) {
  chosen c = {.view = view};
  tdm_intervals *busy = NULL;
  tdm_status status = tdm_run_view_table(view, &wanted_ranges, &c.ranges, error);
  if (status == TDM_OK) status = tdm_evidence_busy(view, &busy, error);
  if (status == TDM_OK) status = choose(&c, tdm_option_text(options, "named", ""), error);
  tdm_frame *frame = tdm_answer_frame(out, "devices", fields, 6);
  for (uint32_t d = 0; status == TDM_OK && d < tdm_run_view_devices(view); d++)
    status = put(&c, d, &busy[d], frame, error);
  if (status == TDM_OK) put_worst(&c, tdm_evidence_count(options, "limit", 10), out);
  tdm_evidence_free(view, busy);
  free(c.row);
  return status;
}
