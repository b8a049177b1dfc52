/* Calls of the CUDA (HIP) API in which the host waits for the GPU: the one place that tells them by
 * their names; see gpu_work.h. */
#include "analysis/run_view/gpu_work.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/run_view.h"
#include "base/memory.h"

/* "Synchronize" anywhere, or "Sync" as the last word before the version; "Async" has a small s. */
static bool is_wait(const char *name) {
  if (strstr(name, "Synchronize") != NULL) return true;
  for (const char *at = strstr(name, "Sync"); at != NULL; at = strstr(at + 4, "Sync"))
    if (at[4] == 0 || at[4] == '_') return true;
  return false;
}

uint8_t tdm_api_waits_for(const char *name) {
  if (!is_wait(name)) return TDM_WAITS_NOT;
  if (strstr(name, "Event") != NULL) return TDM_WAITS_EVENT;
  return strstr(name, "Stream") != NULL ? TDM_WAITS_STREAM : TDM_WAITS_DEVICE;
}

uint8_t *tdm_api_waits_of(tdm_run_view *view, const tdm_table *calls, size_t *inside) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  uint8_t *waits = tdm_array_new(calls->count + 1, 1);
  int64_t *until_ns =
      tdm_array_new((size_t)tracks + 1, sizeof *until_ns); /* the last wait, by track */
  tdm_name_marks marks = {0};
  *inside = 0;
  for (uint32_t t = 0; until_ns != NULL && t < tracks; t++) until_ns[t] = INT64_MIN;
  for (size_t i = 0; waits != NULL && until_ns != NULL && i < calls->count; i++) {
    uint8_t kind = tdm_name_mark(&marks, view, tdm_table_name(calls, i), tdm_api_waits_for);
    int64_t *until = &until_ns[tdm_table_track(calls, i)];
    if (kind == TDM_WAITS_NOT) continue;
    if (tdm_table_start_ns(calls, i) < *until && tdm_table_end_ns(calls, i) <= *until) {
      ++*inside;
      continue;
    }
    waits[i] = kind;
    if (tdm_table_end_ns(calls, i) > *until) *until = tdm_table_end_ns(calls, i);
  }
  tdm_name_marks_close(&marks);
  if (until_ns == NULL) {
    free(waits);
    waits = NULL;
  }
  free(until_ns);
  return waits;
}
