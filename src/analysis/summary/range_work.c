/* See range_work.h. */
#include "analysis/summary/range_work.h"

#include "analysis/gpu_work.h"
#include "analysis/summary/ranges.h"

tdm_status tdm_range_work_open(tdm_run_view *view, tdm_range_work *out, tdm_error *error) {
  *out = (tdm_range_work){0};
  tdm_status status = tdm_run_view_table(view, &tdm_nested_ranges, &out->nested, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_free_ranges, &out->free, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_api_calls, &out->calls, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_gpu_work, &out->work, error);
  if (status == TDM_OK)
    status = tdm_correlation_open(view, out->calls, TDM_API_CORRELATION, out->work,
                                  TDM_WORK_CORRELATION, &out->launched, error);
  if (status == TDM_OK)
    status = tdm_nesting_open(view, out->nested, out->calls, &out->nesting, error);
  return status;
}

void tdm_range_work_close(tdm_range_work *work) {
  tdm_correlation_close(&work->launched);
  tdm_nesting_close(&work->nesting);
}

void tdm_range_work_explain(const tdm_range_work *work, tdm_answer *out) {
  if (work->nested->count + work->free->count == 0)
    tdm_answer_cannot(out, TDM_NO_RANGES);
  else if (work->work->count == 0)
    tdm_answer_cannot(out, "the run has nothing that a GPU did (no rows of category kernel, memcpy,"
                           " memset, graph)");
  else if (work->launched.joined == 0)
    tdm_answer_cannot(out, "which range launched what: no GPU work has an API call of the same"
                           " correlation (rows of category runtime or driver)");
  else
    tdm_answer_basis(out,
                     "%zu of %zu GPU operations have a recorded API call of theirs; only those"
                     " belong to ranges",
                     work->launched.joined, work->work->count);
}
