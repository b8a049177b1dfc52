/* See calls.h. */
#include "analysis/calls.h"

#include <stdlib.h>

#include "base/memory.h"

uint32_t *tdm_processes(tdm_run_view *view, uint32_t *count) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view)), known = 0;
  uint32_t *process = tdm_array_new((size_t)tracks + 1, sizeof *process);
  uint32_t *first = tdm_array_new((size_t)tracks + 1, sizeof *first);
  for (uint32_t t = 0; process != NULL && first != NULL && t < tracks; t++) {
    const tdm_place *place = tdm_run_view_place(view, t);
    uint32_t p = 0;
    for (; place != NULL && p < known; p++) {
      const tdm_place *other = tdm_run_view_place(view, first[p]);
      if (other != NULL && other->source == place->source && other->pid == place->pid) break;
    }
    if (place == NULL) p = known;
    if (p == known) first[known++] = t;
    process[t] = p;
  }
  if (first == NULL) {
    free(process);
    process = NULL;
  }
  free(first);
  if (count != NULL) *count = known;
  return process;
}

static size_t slot_of(uint32_t process, int64_t correlation, size_t slots) {
  uint64_t h = ((uint64_t)correlation ^ (uint64_t)process << 40) * 0x9e3779b97f4a7c15u;
  return (size_t)(h >> 20) & (slots - 1);
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
