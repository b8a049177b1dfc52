/* See asked.h. */
#include "analysis/asked.h"

#include <stdlib.h>

#include "analysis/groups.h"
#include "base/memory.h"

enum { KEY_SOURCE, KEY_PID, KEY_CORRELATION, KEYS };

static bool key_of(tdm_run_view *view, int64_t track, int64_t correlation, int64_t *key) {
  const tdm_place *place = tdm_run_view_place(view, track);
  if (correlation == TDM_NONE || place == NULL) return false;
  key[KEY_SOURCE] = place->source;
  key[KEY_PID] = place->pid;
  key[KEY_CORRELATION] = correlation;
  return true;
}

tdm_status tdm_asked_by(tdm_run_view *view, const tdm_table *work, const tdm_table *calls,
                        uint32_t **call, tdm_error *error) {
  tdm_groups groups = {0};
  tdm_status status = tdm_groups_open(&groups, KEYS, work->count + calls->count, error);
  uint32_t *first = tdm_array_new(calls->count + 1, sizeof *first); /* a group's first call */
  *call = tdm_array_new(work->count + 1, sizeof **call);
  if (status == TDM_OK && (first == NULL || *call == NULL))
    status = tdm_error_memory(error, "launches", work->count * sizeof **call);
  int64_t key[KEYS];
  size_t known = 0;
  for (size_t i = 0; status == TDM_OK && i < calls->count; i++) {
    if (!key_of(view, calls->track[i], calls->arg[TDM_API_CORRELATION][i], key)) continue;
    uint32_t group = tdm_groups_add(&groups, key);
    if (group == UINT32_MAX) status = tdm_error_memory(error, "launches", 0);
    if (group == known) first[known++] = (uint32_t)i;
  }
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) {
    (*call)[i] = TDM_NOT_ASKED;
    if (!key_of(view, work->track[i], work->arg[TDM_WORK_CORRELATION][i], key)) continue;
    uint32_t group = tdm_groups_add(&groups, key);
    if (group == UINT32_MAX) status = tdm_error_memory(error, "launches", 0);
    if (group < known) (*call)[i] = first[group];
  }
  tdm_groups_close(&groups);
  free(first);
  return status;
}
