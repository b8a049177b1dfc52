/* See launches.h. Correlations of a capture lie close together, so a plain array by (process,
 * correlation) does; a table of groups when they do not. */
#include "analysis/breakdown/launches.h"

#include <stdlib.h>

#include "analysis/gpu_work.h"
#include "analysis/groups.h"
#include "base/memory.h"

/* ---- processes: numbers of (source, pid) by track ---- */

typedef struct {
  uint32_t *of; /* by track */
  uint32_t count;
} processes;

/* Sources whose GPU tracks do not say a pid have one process. */
static bool says_pid(const tdm_run_view *view, const tdm_run_tables *tables, uint32_t source) {
  for (uint32_t t = 0; t < tdm_run_tables_tracks(tables); t++) {
    const tdm_place *place = tdm_run_view_place(view, t);
    if (place != NULL && place->source == source && place->kind == TDM_TRACK_STREAM &&
        place->pid == TDM_NONE)
      return false;
  }
  return true;
}

static tdm_status find_processes(tdm_run_view *view, processes *p, tdm_error *error) {
  tdm_run_tables *tables = tdm_run_view_tables(view);
  uint32_t tracks = tdm_run_tables_tracks(tables), sources = tdm_run_tables_sources(tables);
  p->of = tdm_array_new(tracks + 1, sizeof *p->of);
  bool *says = tdm_array_new(sources + 1, sizeof *says);
  tdm_groups groups = {0};
  tdm_status status = p->of != NULL && says != NULL ? tdm_groups_open(&groups, 2, tracks, error)
                                                    : tdm_error_memory(error, "tracks", tracks);
  for (uint32_t s = 0; status == TDM_OK && s < sources; s++) says[s] = says_pid(view, tables, s);
  for (uint32_t t = 0; status == TDM_OK && t < tracks; t++) {
    const tdm_place *place = tdm_run_view_place(view, t);
    bool known = place != NULL && place->source < sources;
    int64_t key[2] = {known ? (int64_t)place->source : -1,
                      known && says[place->source] ? place->pid : TDM_NONE};
    p->of[t] = tdm_groups_add(&groups, key);
    if (p->of[t] == UINT32_MAX) status = tdm_error_memory(error, "tracks", tracks);
  }
  p->count = (uint32_t)groups.count;
  tdm_groups_close(&groups);
  free(says);
  return status;
}

/* ---- the join ---- */

typedef struct {
  const processes *process;
  const int64_t *track, *correlation;
  size_t count;
} side;

static int64_t key_of(const side *rows, size_t i) {
  return rows->process->of[rows->track[i]];
}

/* false: too far apart, or memory is short. */
static bool join_dense(const side *calls, const side *work, tdm_launches *out) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (size_t i = 0; i < calls->count; i++) {
    int64_t value = calls->correlation[i];
    if (value == TDM_NONE) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return true;
  uint64_t range = (uint64_t)high - (uint64_t)low + 1;
  uint64_t limit = (uint64_t)(calls->count + work->count) * 8 + 1024;
  if (range > limit || range * calls->process->count > limit) return false;
  uint32_t *first = tdm_array_new(range * calls->process->count, sizeof *first); /* row + 1 */
  if (first == NULL) return false;
  for (size_t i = calls->count; i-- > 0;) {
    if (calls->correlation[i] == TDM_NONE) continue;
    uint64_t at = (uint64_t)key_of(calls, i) * range + (uint64_t)(calls->correlation[i] - low);
    first[at] = (uint32_t)i + 1;
  }
  for (size_t i = 0; i < work->count; i++) {
    int64_t value = work->correlation[i];
    if (value == TDM_NONE || value < low || value > high) continue;
    out->call[i] = first[(uint64_t)key_of(work, i) * range + (uint64_t)(value - low)] - 1;
  }
  free(first);
  return true;
}

static tdm_status join_sparse(const side *calls, const side *work, tdm_launches *out,
                              tdm_error *error) {
  tdm_groups groups;
  tdm_status status = tdm_groups_open(&groups, 2, calls->count + work->count, error);
  uint32_t *first = malloc((calls->count + 1) * sizeof *first);
  if (status == TDM_OK && first == NULL) status = tdm_error_memory(error, "launches", 0);
  size_t known = 0;
  for (size_t i = 0; status == TDM_OK && i < calls->count + work->count; i++) {
    bool is_call = i < calls->count;
    const side *rows = is_call ? calls : work;
    size_t row = is_call ? i : i - calls->count;
    if (rows->correlation[row] == TDM_NONE) continue;
    int64_t key[2] = {key_of(rows, row), rows->correlation[row]};
    uint32_t group = tdm_groups_add(&groups, key);
    if (group == UINT32_MAX) status = tdm_error_memory(error, "launches", 0);
    if (is_call && group == known) first[known++] = (uint32_t)row;
    if (!is_call && group < known) out->call[row] = first[group];
  }
  free(first);
  tdm_groups_close(&groups);
  return status;
}

tdm_status tdm_launches_open(tdm_run_view *view, const tdm_table *work, tdm_launches *launches,
                             tdm_error *error) {
  *launches = (tdm_launches){0};
  tdm_status status = tdm_run_view_table(view, &tdm_api_calls, &launches->calls, error);
  if (status != TDM_OK) return status;
  const tdm_table *table = launches->calls;
  processes process = {0};
  launches->call = malloc((work->count + 1) * sizeof *launches->call);
  status = launches->call != NULL ? find_processes(view, &process, error)
                                  : tdm_error_memory(error, "launches", work->count);
  if (status == TDM_OK) {
    for (size_t i = 0; i < work->count; i++) launches->call[i] = TDM_NO_CALL;
    side calls = {&process, table->track, table->arg[TDM_API_CORRELATION], table->count};
    side rows = {&process, work->track, work->arg[TDM_WORK_CORRELATION], work->count};
    if (!join_dense(&calls, &rows, launches)) status = join_sparse(&calls, &rows, launches, error);
    for (size_t i = 0; i < work->count; i++) launches->joined += launches->call[i] != TDM_NO_CALL;
  }
  free(process.of);
  return status;
}

void tdm_launches_close(tdm_launches *launches) {
  free(launches->call);
  *launches = (tdm_launches){0};
}

void tdm_launches_missing(const tdm_run_view *view, const char *what, tdm_answer *out) {
  bool calls = tdm_run_view_has(view, "runtime") || tdm_run_view_has(view, "driver");
  if (!tdm_run_view_has(view, "kernel") && !tdm_run_view_has(view, "memcpy") &&
      !tdm_run_view_has(view, "memset") && !tdm_run_view_has(view, "graph"))
    tdm_answer_cannot(out, "%s: the run has no GPU work (rows of category kernel, memcpy, memset)",
                      what);
  else if (!calls)
    tdm_answer_cannot(out, "%s: the run has no API calls (rows of category runtime or driver)",
                      what);
  else
    tdm_answer_cannot(out, "%s: no GPU work shares its argument correlation with an API call",
                      what);
}
