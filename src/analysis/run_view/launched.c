/* What a thread launched on GPUs: rows there that have the correlation of one of its API calls. The
 * view keeps the calls' index; made when a filter by thread first meets such rows. See run_view.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/inside.h"
#include "base/memory.h"

static const char *const on_gpus[] = {"kernel", "memcpy", "memset", "graph", NULL};
static const char *const others[] = {"sync", "cuda_event",
                                     NULL}; /* on GPUs where they say theirs */

static bool is_one_of(const char *category, const char *const *list) {
  while (*list != NULL && strcmp(*list, category) != 0) list++;
  return *list != NULL;
}

static bool has_correlation(const tdm_run_view *view, const char *const *categories) {
  for (; *categories != NULL; categories++)
    if (tdm_run_view_has_key(view, *categories, "correlation")) return true;
  return false;
}

tdm_status tdm_run_view_check_thread(const tdm_run_view *view, const tdm_wanted *wanted,
                                     tdm_error *error) {
  const char *const *category = wanted->categories;
  if (view->filter.tid == TDM_NONE || category == NULL) return TDM_OK;
  while (*category != NULL && !(is_one_of(*category, on_gpus) && tdm_run_view_has(view, *category)))
    category++;
  if (*category == NULL ||
      (has_correlation(view, on_gpus) && has_correlation(view, tdm_api_calls.categories)))
    return TDM_OK;
  return tdm_error_set(error, TDM_INVALID,
                       "which GPU work thread %lld launched is not recorded (no argument "
                       "correlation on it and on API calls)",
                       (long long)view->filter.tid);
}

/* ---- the thread's calls ---- */

static void forget(void *object) {
  tdm_correlation_close(object);
  free(object);
}

static tdm_status index_calls(tdm_run_view *view, tdm_correlation *out, tdm_error *error) {
  static const tdm_table nothing = {0};
  const tdm_table *calls = NULL;
  tdm_run_view *whole = NULL;
  tdm_status status = tdm_run_view_at_all_times(view, &whole, error);
  if (status == TDM_OK) status = tdm_run_view_table(whole, &tdm_api_calls, &calls, error);
  return status == TDM_OK
             ? tdm_correlation_open(whole, calls, TDM_API_CORRELATION, &nothing, 0, out, error)
             : status;
}

static tdm_status calls_of(tdm_run_view *view, const tdm_correlation **out, tdm_error *error) {
  static const char key;
  *out = tdm_run_view_kept(view, &key);
  if (*out != NULL) return TDM_OK;
  tdm_correlation *made = tdm_array_new(1, sizeof *made);
  if (made == NULL) return tdm_error_memory(error, "launches", sizeof *made);
  tdm_status status = index_calls(view, made, error);
  if (status != TDM_OK) {
    forget(made);
    return status;
  }
  *out = made;
  return tdm_run_view_keep(view, &key, made, forget, error);
}

/* ---- rows ---- */

tdm_status tdm_run_view_launcher(tdm_run_view *view, const tdm_layout *layout,
                                 tdm_launcher *launcher, tdm_error *error) {
  uint32_t column = tdm_layout_column(layout, "correlation");
  bool is_id = column != 0 && layout->arg[column - TDM_ARGS].type == TDM_ARG_INT;
  *launcher = (tdm_launcher){.column = is_id ? column : 0};
  bool is_work = is_one_of(layout->category, on_gpus);
  if (view->filter.tid == TDM_NONE) return TDM_OK;
  launcher->chooses = is_work || (is_id && is_one_of(layout->category, others));
  return launcher->chooses && is_id ? calls_of(view, &launcher->calls, error) : TDM_OK;
}

bool tdm_run_view_launched(const tdm_run_view *view, const tdm_launcher *launcher, int64_t track,
                           int64_t correlation) {
  const tdm_track *about = tdm_run_tables_track(view->tables, track);
  if (about == NULL || (about->kind != TDM_TRACK_STREAM && about->kind != TDM_TRACK_DEVICE))
    return true;
  return launcher->calls != NULL &&
         tdm_correlation_find(launcher->calls, track, correlation) != TDM_NO_ROW;
}
