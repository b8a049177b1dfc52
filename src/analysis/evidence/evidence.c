/* See evidence.h. */
#include "analysis/evidence/evidence.h"

#include <stdlib.h>

#include "base/memory.h"

tdm_status tdm_evidence_cover(tdm_run_view *view, const tdm_table *work, const uint8_t *classes,
                              unsigned mask, tdm_intervals **sets, tdm_error *error) {
  *sets = tdm_array_new(tdm_run_view_devices(view) + 1, sizeof **sets);
  if (*sets == NULL) return tdm_error_memory(error, "devices", 0);
  for (size_t i = 0; i < work->count; i++) {
    uint32_t device = tdm_run_view_device_of(view, tdm_table_track(work, i));
    if (device == TDM_NO_DEVICE || !(mask >> classes[i] & 1)) continue;
    if (!tdm_intervals_add(&(*sets)[device], tdm_table_start_ns(work, i),
                           tdm_table_end_ns(work, i)))
      return tdm_error_memory(error, "intervals", work->count);
  }
  return TDM_OK;
}

void tdm_evidence_free(tdm_run_view *view, tdm_intervals *sets) {
  for (uint32_t d = 0; sets != NULL && d < tdm_run_view_devices(view); d++)
    tdm_intervals_close(&sets[d]);
  free(sets);
}

tdm_status tdm_evidence_busy(tdm_run_view *view, tdm_intervals **sets, tdm_error *error) {
  const tdm_table *work = NULL;
  tdm_run_view *whole = NULL;
  uint8_t *classes = NULL;
  tdm_status status = tdm_run_view_at_all_times(view, &whole, error);
  if (status == TDM_OK) status = tdm_run_view_table(whole, &tdm_gpu_work, &work, error);
  if (status == TDM_OK && (classes = tdm_gpu_classes(whole, work)) == NULL)
    status = tdm_error_memory(error, "devices", work->count);
  if (status == TDM_OK)
    status = tdm_evidence_cover(whole, work, classes, TDM_CLASS_ANY, sets, error);
  free(classes);
  return status;
}

tdm_status tdm_evidence_gaps(const tdm_run_view *view, const tdm_intervals *busy,
                             tdm_intervals *counted, tdm_intervals *gaps, tdm_error *error) {
  tdm_status status = TDM_OK;
  if (busy->count == 0) return status;
  if (tdm_run_view_narrowed(view))
    status = tdm_intervals_union(tdm_run_view_times(view), &(tdm_intervals){0}, counted, error);
  else if (!tdm_intervals_add(counted, busy->start_ns[0], busy->end_ns[busy->count - 1]))
    status = tdm_error_memory(error, "gaps", busy->count);
  return status == TDM_OK ? tdm_intervals_subtract(counted, busy, gaps, error) : status;
}

/* ---- the longest rows ---- */

/* One of the two. */
typedef struct {
  const tdm_table *table;
  const tdm_intervals *set;
} lengths;

static int64_t length_of(const lengths *of, uint32_t row) {
  return of->table != NULL ? tdm_table_end_ns(of->table, row) - tdm_table_start_ns(of->table, row)
                           : of->set->end_ns[row] - of->set->start_ns[row];
}

static bool is_longer(const lengths *of, uint32_t a, uint32_t b) {
  int64_t x = length_of(of, a), y = length_of(of, b);
  return x != y ? x > y : a < b;
}

/* A heap whose first is the shortest of the kept ones. */
static void sift(const lengths *of, uint32_t *heap, size_t count, size_t at) {
  for (;;) {
    size_t least = at;
    for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
      if (is_longer(of, heap[least], heap[child])) least = child;
    if (least == at) return;
    uint32_t moved = heap[at];
    heap[at] = heap[least];
    heap[least] = moved;
    at = least;
  }
}

static size_t longest(const lengths *of, uint32_t *row, size_t count, size_t limit) {
  size_t kept = count < limit ? count : limit;
  for (size_t i = kept; i > 0; i--) sift(of, row, kept, i - 1);
  for (size_t i = kept; i < count && kept > 0; i++) {
    if (!is_longer(of, row[i], row[0])) continue;
    row[0] = row[i];
    sift(of, row, kept, 0);
  }
  for (size_t n = kept; n > 1; n--) { /* the shortest to the end */
    uint32_t last = row[0];
    row[0] = row[n - 1];
    row[n - 1] = last;
    sift(of, row, n - 1, 0);
  }
  return kept;
}

size_t tdm_evidence_longest(const tdm_table *table, uint32_t *row, size_t count, size_t limit) {
  return longest(&(lengths){.table = table}, row, count, limit);
}

size_t tdm_evidence_longest_of(const tdm_intervals *set, uint32_t *row, size_t count,
                               size_t limit) {
  return longest(&(lengths){.set = set}, row, count, limit);
}

size_t tdm_evidence_count(const tdm_options *options, const char *key, size_t otherwise) {
  double value = tdm_option_number(options, key, (double)otherwise);
  if (!(value >= 0)) return 0;
  return value < 1e6 ? (size_t)value : 1000000;
}

void tdm_evidence_put_device(tdm_run_view *view, uint32_t device, tdm_frame *frame, size_t first) {
  if (device == TDM_NO_DEVICE) return;
  const tdm_device *of = tdm_run_view_device(view, device);
  tdm_frame_text(frame, first, of->name);
  tdm_frame_int(frame, first + 1, of->rank);
}
