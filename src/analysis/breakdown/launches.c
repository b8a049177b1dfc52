/* See launches.h: a table with open addressing, in which correlations that follow one another lie
 * side by side, as they come. */
#include "analysis/breakdown/launches.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/gpu_work.h"
#include "analysis/groups.h"
#include "base/memory.h"

/* ---- processes: numbers of (source, pid) by track ---- */

typedef struct {
  uint32_t *of; /* by track */
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
  tdm_groups_close(&groups);
  free(says);
  return status;
}

/* ---- the join ---- */

typedef struct {
  int64_t correlation;
  uint32_t process, row; /* of calls + 1; 0: free */
} slot;

typedef struct {
  slot *slot;
  size_t mask;
} call_table;

/* Blocks of correlations are scattered, those within a block are neighbours. */
static size_t place_of(const call_table *table, uint32_t process, int64_t correlation) {
  uint64_t block = ((uint64_t)correlation >> 12) * 64 + process;
  block *= UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)((block >> 20) + ((uint64_t)correlation & 4095)) & table->mask;
}

static slot *find(const call_table *table, uint32_t process, int64_t correlation) {
  size_t at = place_of(table, process, correlation);
  while (table->slot[at].row != 0 &&
         (table->slot[at].correlation != correlation || table->slot[at].process != process))
    at = (at + 1) & table->mask;
  return &table->slot[at];
}

static bool build(const processes *process, const tdm_table *calls, call_table *table) {
  const int64_t *correlation = calls->arg[TDM_API_CORRELATION];
  size_t room = 1024;
  while (room < 2 * calls->count) room *= 2;
  table->slot = tdm_array_new(room, sizeof *table->slot);
  table->mask = room - 1;
  if (table->slot == NULL) return false;
  for (size_t i = 0; i < calls->count; i++) {
    if (correlation[i] == TDM_NONE) continue;
    slot *at = find(table, process->of[calls->track[i]], correlation[i]);
    if (at->row == 0) *at = (slot){correlation[i], process->of[calls->track[i]], (uint32_t)i + 1};
  }
  return true;
}

static bool join(const processes *process, tdm_launches *out) {
  const int64_t *correlation = out->work->arg[TDM_WORK_CORRELATION];
  call_table table;
  if (!build(process, out->calls, &table)) return false;
  for (size_t i = 0; i < out->work->count; i++) {
    out->call[i] = TDM_NO_CALL;
    if (correlation[i] == TDM_NONE) continue;
    out->call[i] = find(&table, process->of[out->work->track[i]], correlation[i])->row - 1;
    out->joined += out->call[i] != TDM_NO_CALL;
  }
  free(table.slot);
  return true;
}

static void release(void *value) {
  tdm_launches *launches = value;
  free(launches->call);
  free(launches);
}

tdm_status tdm_launches_of(tdm_run_view *view, const tdm_launches **out, tdm_error *error) {
  static const char kept_under = 0;
  *out = tdm_run_view_kept(view, &kept_under);
  if (*out != NULL) return TDM_OK;
  tdm_launches *made = tdm_array_new(1, sizeof *made);
  if (made == NULL) return tdm_error_memory(error, "launches", sizeof *made);
  processes process = {0};
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &made->work, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_api_calls, &made->calls, error);
  if (status == TDM_OK) status = find_processes(view, &process, error);
  if (status == TDM_OK) {
    made->call = malloc((made->work->count + 1) * sizeof *made->call);
    if (made->call == NULL || !join(&process, made))
      status = tdm_error_memory(error, "launches", made->work->count);
  }
  free(process.of);
  if (status != TDM_OK) {
    release(made);
    return status;
  }
  *out = made;
  return tdm_run_view_keep(view, &kept_under, made, release, error);
}

uint8_t tdm_launches_graph(const char *name) {
  return strstr(name, "GraphLaunch") != NULL;
}

void tdm_launches_missing(const tdm_run_view *view, const char *what, tdm_answer *out) {
  bool calls = tdm_run_view_has(view, "runtime") || tdm_run_view_has(view, "driver");
  bool works = false;
  static const char *const work[] = {"kernel", "memcpy", "memset", "graph", "stage"};
  for (size_t i = 0; i < sizeof work / sizeof *work; i++)
    works = works || tdm_run_view_has(view, work[i]);
  if (!works)
    tdm_answer_cannot(out, "%s: the run has no GPU work (rows of category kernel, memcpy, memset)",
                      what);
  else if (!calls)
    tdm_answer_cannot(out, "%s: the run has no API calls (rows of category runtime or driver)",
                      what);
  else
    tdm_answer_cannot(out, "%s: no GPU work shares its argument correlation with an API call",
                      what);
}
