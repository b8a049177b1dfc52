/* Which tracks are of one process: what ids of calls are unique in; see run_view.h. Calls are
 * counted only where a file leaves it open whose a track is. */
#include "analysis/run_view/run_view.h"

#include <stdlib.h>

#include "analysis/groups.h"
#include "base/memory.h"

static const char *const call_categories[] = {"runtime", "driver", NULL};
static const tdm_wanted wanted_calls = {.categories = call_categories};

enum { KEY_SOURCE, KEY_PID, KEYS };

typedef struct {
  tdm_run_view *view;
  uint32_t tracks, sources;
  size_t *calls;     /* by track */
  size_t *processes; /* by source: those with threads */
  int64_t *main_pid; /* by source: of tracks without one */
} finding;

/* NULL: lost, or of no source. */
static const tdm_track *track_of(const finding *f, uint32_t track) {
  const tdm_track *about = tdm_run_view_track(f->view, track);
  return about != NULL && about->source < f->sources ? about : NULL;
}

static void count_calls(void *context, const tdm_row_block *block) {
  const finding *f = context;
  for (size_t k = 0; k < block->count; k++) f->calls[block->track[block->row[k]]]++;
}

/* Whose a track is does not depend on what somebody looks at. */
static tdm_status count_all_calls(finding *f, tdm_error *error) {
  if (!tdm_run_view_filtered(f->view))
    return tdm_run_view_pass(f->view, &wanted_calls, count_calls, f, error);
  tdm_run_view *all = NULL;
  tdm_status status = tdm_run_view_unfiltered(f->view, &all, error);
  if (status == TDM_OK) status = tdm_run_view_pass(all, &wanted_calls, count_calls, f, error);
  tdm_run_view_close(all);
  return status;
}

static bool is_open(const finding *f) {
  for (uint32_t t = 0; t < f->tracks; t++) {
    const tdm_track *track = track_of(f, t);
    if (track != NULL && track->pid == TDM_NONE && f->processes[track->source] > 1) return true;
  }
  return false;
}

/* The process of each file that made the most calls, of equals the first. */
static void choose(finding *f, const tdm_groups *groups, const uint32_t *process, size_t *most) {
  for (uint32_t t = 0; t < f->tracks; t++)
    if (process[t] != UINT32_MAX) most[process[t]] += f->calls[t];
  size_t *best = f->processes; /* position in `groups` + 1 of each file's */
  for (uint32_t s = 0; s < f->sources; s++) best[s] = 0;
  for (size_t g = 0; g < groups->count; g++) {
    size_t s = (size_t)groups->key[g * KEYS + KEY_SOURCE];
    if (best[s] != 0 && most[g] <= most[best[s] - 1]) continue;
    best[s] = g + 1;
    f->main_pid[s] = groups->key[g * KEYS + KEY_PID];
  }
}

static tdm_status find_main(finding *f, tdm_error *error) {
  tdm_groups groups = {0};
  uint32_t *process = tdm_array_new((size_t)f->tracks + 1, sizeof *process);
  size_t *most = tdm_array_new((size_t)f->tracks + 1, sizeof *most);
  tdm_status status = tdm_groups_open(&groups, KEYS, f->tracks, error);
  if (status == TDM_OK && (process == NULL || most == NULL))
    status = tdm_error_memory(error, "processes", f->tracks * sizeof *most);
  for (uint32_t t = 0; status == TDM_OK && t < f->tracks; t++) {
    const tdm_track *track = track_of(f, t);
    process[t] = UINT32_MAX;
    if (track == NULL || track->kind != TDM_TRACK_THREAD) continue;
    size_t known = groups.count;
    process[t] = tdm_groups_add(&groups, (const int64_t[KEYS]){track->source, track->pid});
    if (process[t] == UINT32_MAX) status = tdm_error_memory(error, "processes", 0);
    f->processes[track->source] += groups.count - known;
  }
  if (status == TDM_OK && is_open(f)) status = count_all_calls(f, error);
  if (status == TDM_OK) choose(f, &groups, process, most);
  tdm_groups_close(&groups);
  free(process);
  free(most);
  return status;
}

static tdm_status number(const finding *f, tdm_processes *out, tdm_error *error) {
  tdm_groups groups = {0};
  tdm_status status = tdm_groups_open(&groups, KEYS, f->tracks, error);
  for (uint32_t t = 0; status == TDM_OK && t < f->tracks; t++) {
    const tdm_track *track = track_of(f, t);
    int64_t key[KEYS] = {-1, t}; /* nobody's */
    if (track != NULL) key[KEY_SOURCE] = track->source;
    if (track != NULL)
      key[KEY_PID] = track->pid != TDM_NONE ? track->pid : f->main_pid[track->source];
    out->of[t] = tdm_groups_add(&groups, key);
    if (out->of[t] == UINT32_MAX) status = tdm_error_memory(error, "processes", 0);
  }
  out->count = (uint32_t)groups.count;
  tdm_groups_close(&groups);
  return status;
}

static void forget(void *object) {
  tdm_processes *processes = object;
  free(processes->of);
  free(processes);
}

tdm_status tdm_processes_of(tdm_run_view *view, const tdm_processes **out, tdm_error *error) {
  static const char key;
  view = tdm_run_view_all_sources(view);
  *out = tdm_run_view_kept(view, &key);
  if (*out != NULL) return TDM_OK;
  const tdm_run_tables *tables = tdm_run_view_tables(view);
  finding f = {.view = view,
               .tracks = tdm_run_tables_tracks(tables),
               .sources = tdm_run_tables_sources(tables)};
  f.calls = tdm_array_new((size_t)f.tracks + 1, sizeof *f.calls);
  f.processes = tdm_array_new((size_t)f.sources + 1, sizeof *f.processes);
  f.main_pid = tdm_array_new((size_t)f.sources + 1, sizeof *f.main_pid);
  tdm_processes *made = tdm_array_new(1, sizeof *made);
  if (made != NULL) made->of = tdm_array_new((size_t)f.tracks + 1, sizeof *made->of);
  tdm_status status = TDM_OK;
  if (f.calls == NULL || f.processes == NULL || f.main_pid == NULL || made == NULL ||
      made->of == NULL)
    status = tdm_error_memory(error, "processes", f.tracks * sizeof *f.calls);
  for (uint32_t s = 0; status == TDM_OK && s < f.sources; s++) f.main_pid[s] = TDM_NONE;
  if (status == TDM_OK) status = find_main(&f, error);
  if (status == TDM_OK) status = number(&f, made, error);
  free(f.calls);
  free(f.processes);
  free(f.main_pid);
  if (status == TDM_OK) {
    *out = made;
    return tdm_run_view_keep_apart(view, &key, made, forget, error);
  }
  if (made != NULL) forget(made);
  return status;
}
