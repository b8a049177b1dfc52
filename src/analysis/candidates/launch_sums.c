/* See launch_sums.h. */
#include "analysis/candidates/launch_sums.h"

#include <stdlib.h>

#include "analysis/groups.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

/* What is sorted: moments, and by row whose they are. */
typedef struct {
  uint64_t *moment;
  int64_t *owner;
  int32_t *owner_in_order; /* −1: none */
  uint32_t *by_moment, *by_owner;
} sorting;

static void sorting_close(sorting *s) {
  free(s->moment);
  free(s->owner);
  free(s->owner_in_order);
  free(s->by_moment);
  free(s->by_owner);
}

static bool sorting_open(sorting *s, size_t count) {
  s->moment = tdm_array_new(count + 1, sizeof *s->moment);
  s->owner = tdm_array_new(count + 1, sizeof *s->owner);
  s->owner_in_order = tdm_array_new(count + 1, sizeof *s->owner_in_order);
  s->by_moment = tdm_array_new(count + 1, sizeof *s->by_moment);
  s->by_owner = tdm_array_new(count + 1, sizeof *s->by_owner);
  return s->moment != NULL && s->owner != NULL && s->owner_in_order != NULL &&
         s->by_moment != NULL && s->by_owner != NULL;
}

/* Signed moments in unsigned order. */
static uint64_t unsigned_of(int64_t ns) {
  return (uint64_t)ns ^ (UINT64_C(1) << 63);
}

static void scatter(const tdm_launched *launched, const uint32_t *process, sorting *s) {
  for (size_t i = 0; i < launched->work->count; i++) {
    uint32_t call = launched->by_call.cause[i];
    bool known = call != TDM_NO_ROW;
    s->moment[i] = unsigned_of(known ? tdm_table_start_ns(launched->calls, call)
                                     : tdm_table_start_ns(launched->work, i));
    s->owner[i] = process[known ? tdm_table_track(launched->calls, call)
                                : tdm_table_track(launched->work, i)];
  }
}

static tdm_status sort(tdm_launch_sums *out, const tdm_table *work, sorting *s, tdm_error *error) {
  tdm_status status = tdm_order_by(s->moment, s->by_moment, work->count, error);
  if (status != TDM_OK) return status;
  for (size_t i = 0; i < work->count; i++) {
    int64_t owner = s->owner[s->by_moment[i]];
    s->owner_in_order[i] = owner >= 0 && owner <= INT32_MAX ? (int32_t)owner : -1;
  }
  tdm_order_by_track(s->owner_in_order, work->count, out->processes, out->first, s->by_owner);
  for (size_t i = 0; i < work->count; i++) {
    uint32_t row = s->by_moment[s->by_owner[i]];
    out->at_ns[i] = (int64_t)(s->moment[row] ^ (UINT64_C(1) << 63));
    out->sum_ns[i + 1] = tdm_sum_ns(
        out->sum_ns[i], tdm_length_ns(tdm_table_start_ns(work, row), tdm_table_end_ns(work, row)));
  }
  out->total_ns = out->sum_ns[work->count];
  return TDM_OK;
}

tdm_status tdm_launch_sums_open(tdm_run_view *view, tdm_launch_sums *out, tdm_error *error) {
  *out = (tdm_launch_sums){0};
  const tdm_launched *launched = NULL;
  const tdm_processes *processes = NULL;
  tdm_status status = tdm_gpu_launched(view, &launched, error);
  if (status == TDM_OK) status = tdm_processes_of(view, &processes, error);
  if (status != TDM_OK) return status;
  size_t count = launched->work->count;
  out->process = processes->of;
  out->processes = processes->count;
  out->first = tdm_array_new((size_t)processes->count + 2, sizeof *out->first);
  out->at_ns = tdm_array_new(count + 1, sizeof *out->at_ns);
  out->sum_ns = tdm_array_new(count + 1, sizeof *out->sum_ns);
  sorting s = {0};
  if (out->first == NULL || out->at_ns == NULL || out->sum_ns == NULL || !sorting_open(&s, count)) {
    status = tdm_error_memory(error, "launches", count * sizeof *out->at_ns);
  } else if (count > 0) {
    scatter(launched, processes->of, &s);
    status = sort(out, launched->work, &s, error);
  }
  sorting_close(&s);
  if (status != TDM_OK) tdm_launch_sums_close(out);
  return status;
}

void tdm_launch_sums_close(tdm_launch_sums *sums) {
  free(sums->first);
  free(sums->at_ns);
  free(sums->sum_ns);
  *sums = (tdm_launch_sums){0};
}

/* The first position from `low` to before `high` that is not before a moment. */
static uint32_t find(const int64_t *at_ns, uint32_t low, uint32_t high, int64_t moment_ns) {
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (at_ns[middle] < moment_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int64_t tdm_launch_sums_within(const tdm_launch_sums *sums, uint32_t process, int64_t from_ns,
                               int64_t to_ns) {
  if (process >= sums->processes) return 0;
  uint32_t low = sums->first[process], high = sums->first[process + 1];
  uint32_t begin = find(sums->at_ns, low, high, from_ns);
  return sums->sum_ns[find(sums->at_ns, begin, high, to_ns)] - sums->sum_ns[begin];
}

/* ---- each piece once ---- */

tdm_status tdm_launch_covers_open(tdm_launch_covers *covers, size_t ranges, tdm_error *error) {
  *covers = (tdm_launch_covers){0};
  return tdm_groups_open(&covers->owners, 2, ranges, error);
}

void tdm_launch_covers_close(tdm_launch_covers *covers) {
  tdm_groups_close(&covers->owners);
  free(covers->cover);
  *covers = (tdm_launch_covers){0};
}

int64_t tdm_launch_covers_add(tdm_launch_covers *covers, const tdm_launch_sums *sums, int64_t name,
                              int64_t track, int64_t from_ns, int64_t to_ns) {
  uint32_t process = sums->process[track];
  const int64_t key[] = {name, process};
  size_t before = covers->owners.count;
  uint32_t at = tdm_groups_add(&covers->owners, key);
  if (at == UINT32_MAX ||
      !tdm_array_grow(&covers->cover, &covers->room, covers->owners.count, sizeof *covers->cover))
    return -1;
  tdm_launch_cover *cover = &covers->cover[at];
  if (covers->owners.count > before) *cover = (tdm_launch_cover){from_ns, from_ns};
  if (cover->until_ns > from_ns) from_ns = cover->until_ns;
  if (to_ns <= from_ns) return 0;
  cover->until_ns = to_ns;
  return tdm_launch_sums_within(sums, process, from_ns, to_ns);
}
