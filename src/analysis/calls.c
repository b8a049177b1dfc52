/* See calls.h. */
#include "analysis/calls.h"

#include <stdlib.h>

#include "base/memory.h"

/* The pid of a track; of one without, that of the first thread of its file. */
static int64_t pid_of(tdm_run_view *view, const tdm_place *place) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  for (uint32_t t = 0; place->pid == TDM_NONE && t < tracks; t++) {
    const tdm_place *other = tdm_run_view_place(view, t);
    if (other != NULL && other->source == place->source && other->kind == TDM_TRACK_THREAD)
      return other->pid;
  }
  return place->pid;
}

uint32_t *tdm_processes(tdm_run_view *view, uint32_t *count) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view)), known = 0;
  uint32_t *process = tdm_array_new((size_t)tracks + 1, sizeof *process);
  uint32_t *first = tdm_array_new((size_t)tracks + 1, sizeof *first);
  int64_t *pid = tdm_array_new((size_t)tracks + 1, sizeof *pid); /* by process */
  bool failed = process == NULL || first == NULL || pid == NULL;
  for (uint32_t t = 0; !failed && t < tracks; t++) {
    const tdm_place *place = tdm_run_view_place(view, t);
    int64_t own = place != NULL ? pid_of(view, place) : TDM_NONE;
    uint32_t p = 0;
    for (; place != NULL && p < known; p++) {
      const tdm_place *other = tdm_run_view_place(view, first[p]);
      if (other != NULL && other->source == place->source && pid[p] == own) break;
    }
    if (place == NULL) p = known;
    if (p == known) {
      pid[known] = own;
      first[known++] = t;
    }
    process[t] = p;
  }
  free(first);
  free(pid);
  if (count != NULL) *count = known;
  if (!failed) return process;
  free(process);
  return NULL;
}

/* Correlations mostly count up, so that neighbours in time are neighbours in the table; what lies a
 * table's length apart, and other processes, are scattered. */
static size_t slot_of(uint32_t process, int64_t correlation, size_t slots) {
  uint64_t far = (uint64_t)correlation >> __builtin_ctzl(slots) ^ (uint64_t)process << 40;
  return (size_t)((uint64_t)correlation + (far * UINT64_C(0x9e3779b97f4a7c15) >> 20)) & (slots - 1);
}

/* Slot of a call, or the free one where it would be. */
static size_t find(const tdm_calls *calls, uint32_t process, int64_t correlation) {
  size_t slot = slot_of(process, correlation, calls->slots);
  for (; calls->slot[slot] != 0; slot = (slot + 1) & (calls->slots - 1)) {
    uint32_t row = calls->slot[slot] - 1;
    if (calls->correlation[row] == correlation &&
        calls->process[calls->table->track[row]] == process)
      break;
  }
  return slot;
}

tdm_status tdm_calls_open(tdm_calls *calls, const tdm_table *table, size_t correlation_arg,
                          int64_t last_category, const uint32_t *process, tdm_error *error) {
  *calls = (tdm_calls){
      .table = table, .correlation = table->arg[correlation_arg], .process = process, .slots = 16};
  while (calls->slots < 2 * table->count) calls->slots *= 2;
  calls->slot = tdm_array_new(calls->slots, sizeof *calls->slot);
  if (calls->slot == NULL) return tdm_error_memory(error, "calls", calls->slots * 4);
  for (size_t i = 0; i < table->count; i++) {
    if (table->category[i] > last_category || calls->correlation[i] == TDM_NONE) continue;
    size_t slot = find(calls, process[table->track[i]], calls->correlation[i]);
    if (calls->slot[slot] == 0) calls->slot[slot] = (uint32_t)i + 1;
  }
  return TDM_OK;
}

void tdm_calls_close(tdm_calls *calls) {
  free(calls->slot);
  *calls = (tdm_calls){0};
}

uint32_t tdm_calls_find(const tdm_calls *calls, uint32_t process, int64_t correlation) {
  if (correlation == TDM_NONE) return TDM_NO_CALL;
  uint32_t found = calls->slot[find(calls, process, correlation)];
  return found == 0 ? TDM_NO_CALL : found - 1;
}
