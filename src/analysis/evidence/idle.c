/* When devices did nothing: gaps of at least "least_ns", the longest of them with what surrounds
 * them, and chunks of time with how busy they were. See evidence.h. */
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

static tdm_status put_gaps(idle *k, uint32_t device, const tdm_intervals *busy, int64_t *count,
                           int64_t *total_ns, tdm_error *error) {
  tdm_intervals gaps = {0};
  tdm_status status = tdm_evidence_gaps(busy, &gaps, error);
  uint32_t *row = tdm_array_new(gaps.count + 1, sizeof *row);
  size_t large = 0;
  if (status == TDM_OK && row == NULL) status = tdm_error_memory(error, "gaps", gaps.count);
  for (size_t i = 0; status == TDM_OK && i < gaps.count; i++) {
    int64_t dur_ns = gaps.end_ns[i] - gaps.start_ns[i];
    if ((double)dur_ns < k->least_ns) continue;
    row[large++] = (uint32_t)i;
    *total_ns += dur_ns;
  }
  *count = (int64_t)large;
  tdm_table table = {.count = gaps.count, .start_ns = gaps.start_ns, .end_ns = gaps.end_ns};
  size_t kept = status == TDM_OK ? tdm_evidence_longest(&table, row, large, k->limit) : 0;
  for (size_t i = 0; i < kept; i++) {
    tdm_frame_row(k->gaps);
    tdm_evidence_put_device(k->view, device, k->gaps, 0);
    tdm_frame_int(k->gaps, 2, gaps.end_ns[row[i]] - gaps.start_ns[row[i]]);
    tdm_frame_int(k->gaps, 3, gaps.start_ns[row[i]]);
  }
  free(row);
  tdm_intervals_close(&gaps);
  return status;
}

/* Equal pieces of the time from a device's first work to its last. */
static void put_chunks(idle *k, uint32_t device, const tdm_intervals *busy, int64_t *low,
                       int64_t *low_idle_ns) {
  int64_t from_ns = busy->start_ns[0], length_ns = busy->end_ns[busy->count - 1] - from_ns;
  size_t at = 0;
  for (size_t c = 0; c < k->chunks; c++) {
    int64_t start_ns = from_ns + (int64_t)((__int128)length_ns * (int64_t)c / (int64_t)k->chunks);
    int64_t end_ns =
        from_ns + (int64_t)((__int128)length_ns * (int64_t)(c + 1) / (int64_t)k->chunks);
    int64_t busy_ns = 0;
    while (at < busy->count && busy->end_ns[at] <= start_ns) at++;
    for (size_t i = at; i < busy->count && busy->start_ns[i] < end_ns; i++) {
      int64_t a = busy->start_ns[i] > start_ns ? busy->start_ns[i] : start_ns;
      int64_t b = busy->end_ns[i] < end_ns ? busy->end_ns[i] : end_ns;
      busy_ns += b - a;
    }
    double share = end_ns > start_ns ? (double)busy_ns / (double)(end_ns - start_ns) : 1;
    if (share < k->low) {
      ++*low;
      *low_idle_ns += end_ns - start_ns - busy_ns;
    }
    tdm_frame_row(k->chunk);
    tdm_evidence_put_device(k->view, device, k->chunk, 0);
    tdm_frame_int(k->chunk, 2, start_ns);
    tdm_frame_int(k->chunk, 3, end_ns - start_ns);
    tdm_frame_real(k->chunk, 4, share);
  }
}

static tdm_status put_device(idle *k, uint32_t device, const tdm_intervals *busy,
                             tdm_error *error) {
  int64_t count = 0, gap_ns = 0, low = 0, low_idle_ns = 0;
  if (busy->count == 0) return TDM_OK;
  tdm_status status = put_gaps(k, device, busy, &count, &gap_ns, error);
  if (status != TDM_OK) return status;
  put_chunks(k, device, busy, &low, &low_idle_ns);
  tdm_frame_row(k->devices);
  tdm_evidence_put_device(k->view, device, k->devices, 0);
  tdm_frame_int(k->devices, 2, busy->end_ns[busy->count - 1] - busy->start_ns[0]);
  tdm_frame_int(k->devices, 3, tdm_intervals_total_ns(busy));
  tdm_frame_int(k->devices, 4, count);
  tdm_frame_int(k->devices, 5, gap_ns);
  tdm_frame_int(k->devices, 6, (int64_t)k->chunks);
  tdm_frame_int(k->devices, 7, low);
  tdm_frame_int(k->devices, 8, low_idle_ns);
  return TDM_OK;
}

tdm_status tdm_evidence_idle(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error) {
  const tdm_table *work = NULL;
  tdm_intervals *busy = NULL;
  uint8_t *classes = NULL;
  idle k = {.view = view,
            .least_ns = tdm_option_number(options, "least_ns", 1),
            .low = tdm_option_number(options, "low", 0.5),
            .chunks = tdm_evidence_count(options, "chunks", 30),
            .limit = tdm_evidence_count(options, "limit", 10)};
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &work, error);
  if (status == TDM_OK && (classes = tdm_gpu_classes(view, work)) == NULL)
    status = tdm_error_memory(error, "gaps", work->count);
  if (status == TDM_OK)
    status = tdm_evidence_cover(view, work, classes, TDM_CLASS_ANY, &busy, error);
  k.devices = tdm_answer_frame(out, "devices", device_fields, 9);
  k.gaps = tdm_answer_frame(out, "gaps", gap_fields, 4);
  k.chunk = tdm_answer_frame(out, "chunks", chunk_fields, 5);
  for (uint32_t d = 0; status == TDM_OK && d < tdm_run_view_devices(view); d++)
    status = put_device(&k, d, &busy[d], error);
  tdm_evidence_free(view, busy);
  free(classes);
  return status;
}
