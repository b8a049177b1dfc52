/* Which rows belong to a range by who asked for them: GPU work counts where its API call began, as
 * profilers attribute kernels to steps; anything else where it began itself; see inside.h. */
#include "analysis/diff/inside.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/intervals.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

static const char *const categories[] = {"nvtx", "user_annotation", NULL};
static const tdm_wanted wanted_ranges = {.categories = categories,
                                         .shapes = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN |
                                                   1u << TDM_SHAPE_ASYNC};

static tdm_status find_windows(tdm_run_view *view, const char *range, tdm_intervals *windows,
                               tdm_error *error) {
  const tdm_table *ranges = NULL;
  tdm_status status = tdm_run_view_table(view, &wanted_ranges, &ranges, error);
  for (size_t i = 0; status == TDM_OK && i < ranges->count; i++)
    if (tdm_name_is(tdm_run_view_name(view, tdm_table_name(ranges, i)), range) &&
        !tdm_intervals_add(windows, tdm_table_start_ns(ranges, i), tdm_table_end_ns(ranges, i)))
      status = tdm_error_memory(error, "ranges", 0);
  if (status == TDM_OK && windows->count == 0)
    status = tdm_error_set(error, TDM_INVALID, "a run has no range '%s'", range);
  return status;
}

static bool contains(const tdm_intervals *set, int64_t at_ns) {
  size_t after = tdm_intervals_after(set, at_ns);
  return after < set->count && set->start_ns[after] <= at_ns;
}

/* GPU work belongs to when it was asked for. */
static tdm_status mark_work(tdm_run_view *view, const tdm_intervals *windows, bool *belongs,
                            tdm_error *error) {
  const tdm_launched *launched = NULL;
  tdm_status status = tdm_gpu_launched(view, &launched, error);
  for (size_t i = 0; status == TDM_OK && i < launched->work->count; i++) {
    uint32_t call = launched->by_call.cause[i];
    belongs[i] = call != TDM_NO_ROW && contains(windows, tdm_table_start_ns(launched->calls, call));
  }
  return status;
}

tdm_status tdm_within(tdm_run_view *view, const tdm_table *table, bool is_gpu_work,
                      const char *range, bool **belongs, tdm_error *error) {
  tdm_intervals windows = {0};
  *belongs = NULL;
  tdm_status status = find_windows(view, range, &windows, error);
  if (status == TDM_OK && (*belongs = tdm_array_new(table->count + 1, sizeof **belongs)) == NULL)
    status = tdm_error_memory(error, "ranges", table->count);
  if (status == TDM_OK && is_gpu_work)
    status = mark_work(view, &windows, *belongs, error);
  else
    for (size_t i = 0; status == TDM_OK && i < table->count; i++)
      (*belongs)[i] = contains(&windows, tdm_table_start_ns(table, i));
  tdm_intervals_close(&windows);
  return status;
}
