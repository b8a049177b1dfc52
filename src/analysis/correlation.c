/* See correlation.h: a table with open addressing. */
#include "analysis/correlation.h"

#include <stdlib.h>

#include "analysis/processes.h"
#include "base/memory.h"

/* ---- the index ---- */

/* Ids mostly count up, so that neighbours in time are neighbours in the table; what lies a table's
 * length apart, and other processes, are scattered. */
static size_t slot_of(uint32_t process, int64_t id, size_t slots) {
  uint64_t far = (uint64_t)id >> __builtin_ctzl(slots) ^ (uint64_t)process << 40;
  return (size_t)((uint64_t)id + (far * UINT64_C(0x9e3779b97f4a7c15) >> 20)) & (slots - 1);
}

/* Slot of a cause, or the free one where it would be. */
static size_t find(const tdm_correlation *c, uint32_t process, int64_t id) {
  size_t slot = slot_of(process, id, c->slots);
  for (; c->slot[slot] != 0; slot = (slot + 1) & (c->slots - 1)) {
    uint32_t row = c->slot[slot] - 1;
    if (c->id[row] == id && c->process[c->causes->track[row]] == process) break;
  }
  return slot;
}

static void index_causes(tdm_correlation *c) {
  for (size_t i = 0; i < c->causes->count; i++) {
    if (c->id[i] <= 0) continue;
    size_t slot = find(c, c->process[c->causes->track[i]], c->id[i]);
    if (c->slot[slot] == 0) c->slot[slot] = (uint32_t)i + 1;
  }
}

uint32_t tdm_correlation_find(const tdm_correlation *c, int64_t track, int64_t id) {
  uint32_t found = id > 0 ? c->slot[find(c, c->process[track], id)] : 0;
  return found == 0 ? TDM_NO_ROW : found - 1;
}

/* ---- the join ---- */

static void join(tdm_correlation *c, const tdm_table *effects, size_t key) {
  size_t count = c->causes->count;
  for (size_t i = 0; i < effects->count; i++) {
    uint32_t cause = c->cause[i] = tdm_correlation_find(c, effects->track[i], effects->arg[key][i]);
    if (cause == TDM_NO_ROW) continue;
    c->first[cause + 1]++; /* counts; sums below */
    c->joined++;
  }
  size_t sum = 0;
  for (size_t i = 0; i <= count; i++) {
    sum += c->first[i];
    c->first[i] = sum;
  }
  for (size_t i = effects->count; i-- > 0;) /* from the back: each count falls to its beginning */
    if (c->cause[i] != TDM_NO_ROW) c->effect[--c->first[c->cause[i] + 1]] = (uint32_t)i;
  for (size_t i = 0; i < count; i++) c->first[i] = c->first[i + 1];
  c->first[count] = c->joined;
}

tdm_status tdm_correlation_open(tdm_run_view *view, const tdm_table *causes, size_t cause_key,
                                const tdm_table *effects, size_t effect_key, tdm_correlation *out,
                                tdm_error *error) {
  *out = (tdm_correlation){.causes = causes, .id = causes->arg[cause_key], .slots = 16};
  const tdm_processes *processes = NULL;
  tdm_status status = tdm_processes_of(view, &processes, error);
  if (status != TDM_OK) return status;
  while (out->slots < 2 * causes->count) out->slots *= 2;
  out->process = processes->of;
  out->slot = tdm_array_new(out->slots, sizeof *out->slot);
  out->cause = tdm_array_new(effects->count + 1, sizeof *out->cause);
  out->effect = tdm_array_new(effects->count + 1, sizeof *out->effect);
  out->first = tdm_array_new(causes->count + 2, sizeof *out->first);
  if (out->slot == NULL || out->cause == NULL || out->effect == NULL || out->first == NULL) {
    tdm_correlation_close(out);
    return tdm_error_memory(error, "correlations", effects->count * sizeof *out->cause);
  }
  index_causes(out);
  join(out, effects, effect_key);
  return TDM_OK;
}

void tdm_correlation_close(tdm_correlation *correlation) {
  free(correlation->cause);
  free(correlation->first);
  free(correlation->effect);
  free(correlation->slot);
  *correlation = (tdm_correlation){0};
}
