/* Ranges on threads, the calls inside them, and the GPU work that those launched: what projections
 * of ranges begin with; see inside.h. */
#include "analysis/summary/inside.h"

#include <stdlib.h>

#include "base/memory.h"

static void forget(void *object) {
  tdm_range_work *work = object;
  tdm_nesting_close(&work->nesting);
  free(work);
}

static tdm_status make(tdm_run_view *view, tdm_range_work *out, tdm_error *error) {
  const tdm_launched *launched = NULL;
  tdm_status status = tdm_run_view_table(view, &tdm_nested_ranges, &out->nested, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_free_ranges, &out->free, error);
  if (status == TDM_OK) status = tdm_gpu_launched(view, &launched, error);
  if (status != TDM_OK) return status;
  out->calls = launched->calls;
  out->work = launched->work;
  out->launched = &launched->by_call;
  return tdm_nesting_open(view, out->nested, out->calls, &out->nesting, error);
}

tdm_status tdm_range_work_of(tdm_run_view *view, const tdm_range_work **out, tdm_error *error) {
  static const char key;
  *out = tdm_run_view_kept(view, &key);
  if (*out != NULL) return TDM_OK;
  tdm_range_work *made = tdm_array_new(1, sizeof *made);
  if (made == NULL) return tdm_error_memory(error, "ranges", sizeof *made);
  tdm_status status = make(view, made, error);
  if (status != TDM_OK) {
    forget(made);
    return status;
  }
  *out = made;
  return tdm_run_view_keep(view, &key, made, forget, error);
}

void tdm_range_work_explain(const tdm_run_view *view, const tdm_range_work *work, tdm_answer *out) {
  if (work->nested->count + work->free->count == 0)
    tdm_answer_cannot(out, TDM_NO_RANGES, tdm_run_view_lacking(view, &tdm_nested_ranges));
  else if (work->work->count == 0)
    tdm_answer_cannot(out,
                      "%s no GPU work (no rows of category kernel, memcpy,"
                      " memset, graph)",
                      tdm_run_view_lacking(view, &tdm_gpu_work));
  else if (work->launched->joined == 0)
    tdm_answer_cannot(out, "which range launched what: no GPU work has an API call of the same"
                           " correlation (rows of category runtime or driver)");
  else
    tdm_answer_basis(out,
                     "%zu of %zu GPU operations have a recorded API call; only those"
                     " belong to ranges",
                     work->launched->joined, work->work->count);
}
