/* When devices did nothing: gaps of at least "least_ns", the longest of them with what surrounds
 * them, and chunks of time with how busy they were. */
#include <stdlib.h>

#include "analysis/evidence/evidence.h"
#include "base/memory.h"

static const tdm_field device_fields[] = {
    TDM_EVIDENCE_DEVICE,           {"elapsed_ns", TDM_FIELD_INT}, {"busy_ns", TDM_FIELD_INT},
    {"gaps", TDM_FIELD_INT},       {"gap_ns", TDM_FIELD_INT},     {"chunks", TDM_FIELD_INT},
    {"low_chunks", TDM_FIELD_INT}, {"low_idle_ns", TDM_FIELD_INT}};
static const tdm_field gap_fields[] = {
    TDM_EVIDENCE_DEVICE, {"dur_ns", TDM_FIELD_INT}, {"start_ns", TDM_FIELD_INT}};
static const tdm_field chunk_fields[] = {TDM_EVIDENCE_DEVICE,
                                         {"start_ns", TDM_FIELD_INT},
                                         {"dur_ns", TDM_FIELD_INT},
                                         {"busy", TDM_FIELD_REAL}};

typedef struct {
  tdm_run_view *view;
  double least_ns, low;
  size_t chunks, limit;
  tdm_frame *devices, *gaps, *chunk;
} idle;

/* Gaps of a device that are long enough, and the longest of them. */
static tdm_status put_gaps(idle *k, uint32_t device, const tdm_intervals *gaps, int64_t *count,
                           int64_t *total_ns, tdm_error *error) {
  uint32_t *row = tdm_array_new(gaps->count + 1, sizeof *row);
  size_t large = 0;
  if (row == NULL) return tdm_error_memory(error, "gaps", gaps->count);
  for (size_t i = 0; i < gaps->count; i++) {
    int64_t dur_ns = gaps->end_ns[i] - gaps->start_ns[i];
    if ((double)dur_ns < k->least_ns) continue;
    row[large++] = (uint32_t)i;
    *total_ns += dur_ns;
  }
  *count = (int64_t)large;
  size_t kept = tdm_evidence_longest_of(gaps, row, large, k->limit);
  for (size_t i = 0; i < kept; i++) {
    tdm_frame_row(k->gaps);
    tdm_evidence_put_device(k->view, device, k->gaps, 0);
    tdm_frame_int(k->gaps, 2, gaps->end_ns[row[i]] - gaps->start_ns[row[i]]);
    tdm_frame_int(k->gaps, 3, gaps->start_ns[row[i]]);
  }
  free(row);
  return TDM_OK;
}

typedef struct {
  int64_t all, low, low_idle_ns;
} chunk_sums;

/* Equal pieces of the time that counts; those between a filter's times are none. */
static chunk_sums put_chunks(idle *k, uint32_t device, const tdm_intervals *counted,
                             const tdm_intervals *gaps) {
  chunk_sums sums = {0};
  int64_t from_ns = counted->start_ns[0];
  int64_t length_ns = counted->end_ns[counted->count - 1] - from_ns;
  for (size_t c = 0; c < k->chunks; c++) {
    int64_t start_ns = from_ns + (int64_t)((__int128)length_ns * (int64_t)c / (int64_t)k->chunks);
    int64_t end_ns =
        from_ns + (int64_t)((__int128)length_ns * (int64_t)(c + 1) / (int64_t)k->chunks);
    int64_t dur_ns = tdm_intervals_within_ns(counted, start_ns, end_ns);
    int64_t idle_ns = tdm_intervals_within_ns(gaps, start_ns, end_ns);
    double share = dur_ns > 0 ? (double)(dur_ns - idle_ns) / (double)dur_ns : 1;
    if (dur_ns == 0 && end_ns > start_ns) continue;
    sums.all++;
    if (share < k->low) {
      sums.low++;
      sums.low_idle_ns += idle_ns;
    }
    tdm_frame_row(k->chunk);
    tdm_evidence_put_device(k->view, device, k->chunk, 0);
    tdm_frame_int(k->chunk, 2, start_ns);
    tdm_frame_int(k->chunk, 3, dur_ns);
    tdm_frame_real(k->chunk, 4, share);
  }
  return sums;
}

static tdm_status put_device(idle *k, uint32_t device, const tdm_intervals *counted,
                             const tdm_intervals *gaps, tdm_error *error) {
  int64_t count = 0, gap_ns = 0, elapsed_ns = tdm_intervals_total_ns(counted);
  if (counted->count == 0) return TDM_OK;
  tdm_status status = put_gaps(k, device, gaps, &count, &gap_ns, error);
  if (status != TDM_OK) return status;
  chunk_sums sums = put_chunks(k, device, counted, gaps);
  tdm_frame_row(k->devices);
  tdm_evidence_put_device(k->view, device, k->devices, 0);
  tdm_frame_int(k->devices, 2, elapsed_ns);
  tdm_frame_int(k->devices, 3, elapsed_ns - tdm_intervals_total_ns(gaps));
  tdm_frame_int(k->devices, 4, count);
  tdm_frame_int(k->devices, 5, gap_ns);
  tdm_frame_int(k->devices, 6, sums.all);
  tdm_frame_int(k->devices, 7, sums.low);
  tdm_frame_int(k->devices, 8, sums.low_idle_ns);
  return TDM_OK;
}

tdm_status tdm_evidence_idle(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error) {
  tdm_intervals *busy = NULL;
  idle k = {.view = view,
            .least_ns = tdm_option_number(options, "least_ns", 1),
            .low = tdm_option_number(options, "low", 0.5),
            .chunks = tdm_evidence_count(options, "chunks", 30),
            .limit = tdm_evidence_count(options, "limit", 10)};
  tdm_status status = tdm_evidence_busy(view, &busy, error);
  k.devices = tdm_answer_frame(out, "devices", device_fields, 9);
  k.gaps = tdm_answer_frame(out, "gaps", gap_fields, 4);
  k.chunk = tdm_answer_frame(out, "chunks", chunk_fields, 5);
  for (uint32_t d = 0; status == TDM_OK && d < tdm_run_view_devices(view); d++) {
    tdm_intervals counted = {0}, gaps = {0};
    status = tdm_evidence_gaps(view, &busy[d], &counted, &gaps, error);
    if (status == TDM_OK) status = put_device(&k, d, &counted, &gaps, error);
    tdm_intervals_close(&counted);
    tdm_intervals_close(&gaps);
  }
  tdm_evidence_free(view, busy);
  return status;
}
