/* See correlation.h: an open-addressing table. Ids mostly count up, so that neighbours in time are
 * neighbours in the table; what lies a table's length apart is scattered. */
#include "analysis/correlation.h"

#include <stdlib.h>

#include "base/memory.h"

typedef struct {
  int64_t id;
  uint32_t process, row; /* row + 1; 0: free */
} slot;

typedef struct {
  slot *slots;
  size_t mask;
  unsigned bits;
  uint32_t *process; /* by track */
} id_table;

/* ---- processes ---- */

static bool has_rows(const tdm_place *place, const tdm_place *other) {
  return other != NULL && other->source == place->source && other->kind == TDM_TRACK_THREAD;
}

/* Numbers the processes: the first track of each stands for it. */
static uint32_t *processes_of(tdm_run_view *view) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  uint32_t *process = tdm_array_new((size_t)tracks + 1, sizeof *process);
  for (uint32_t t = 0; process != NULL && t < tracks; t++) {
    process[t] = t;
    const tdm_place *place = tdm_run_view_place(view, t);
    if (place == NULL) continue;
    int64_t pid = place->pid;
    for (uint32_t o = 0; o < tracks && pid == TDM_NONE; o++) {
      const tdm_place *other = tdm_run_view_place(view, o);
      if (has_rows(place, other)) pid = other->pid;
    }
    for (uint32_t o = 0; o < t; o++) {
      const tdm_place *other = tdm_run_view_place(view, o);
      if (other == NULL || other->source != place->source || other->pid != pid) continue;
      process[t] = process[o];
      break;
    }
  }
  return process;
}

/* ---- the table ---- */

static size_t place_of(const id_table *table, int64_t id, uint32_t process) {
  uint64_t far = (uint64_t)id >> table->bits ^ (uint64_t)process << 40;
  return (size_t)((uint64_t)id + (far * UINT64_C(0x9e3779b97f4a7c15) >> 20)) & table->mask;
}

static slot *find(const id_table *table, int64_t id, uint32_t process) {
  size_t at = place_of(table, id, process);
  while (table->slots[at].row != 0 &&
         (table->slots[at].id != id || table->slots[at].process != process))
    at = (at + 1) & table->mask;
  return &table->slots[at];
}

static tdm_status fill(id_table *table, const tdm_table *causes, size_t key, tdm_error *error) {
  table->bits = 4;
  while (((size_t)1 << table->bits) < 2 * causes->count) table->bits++;
  table->mask = ((size_t)1 << table->bits) - 1;
  table->slots = tdm_array_new(table->mask + 1, sizeof *table->slots);
  if (table->slots == NULL)
    return tdm_error_memory(error, "correlations", table->mask * sizeof *table->slots);
  for (size_t i = 0; i < causes->count; i++) {
    int64_t id = causes->arg[key][i];
    if (id <= 0) continue;
    uint32_t process = table->process[causes->track[i]];
    slot *at = find(table, id, process);
    if (at->row == 0) *at = (slot){.id = id, .process = process, .row = (uint32_t)i + 1};
  }
  return TDM_OK;
}

/* ---- the join ---- */

static void join(tdm_correlation *out, const id_table *table, const tdm_table *causes,
                 const tdm_table *effects, size_t key) {
  for (size_t i = 0; i < effects->count; i++) {
    int64_t id = effects->arg[key][i];
    out->cause[i] = TDM_NO_ROW;
    if (id <= 0) continue;
    const slot *at = find(table, id, table->process[effects->track[i]]);
    if (at->row == 0) continue;
    out->cause[i] = at->row - 1;
    out->first[at->row]++; /* counts; sums below */
    out->joined++;
  }
  size_t sum = 0;
  for (size_t c = 0; c <= causes->count; c++) {
    sum += out->first[c];
    out->first[c] = sum;
  }
  for (size_t i = effects->count; i-- > 0;) /* from the back: each count falls to its beginning */
    if (out->cause[i] != TDM_NO_ROW) out->effect[--out->first[out->cause[i] + 1]] = (uint32_t)i;
  for (size_t c = 0; c < causes->count; c++) out->first[c] = out->first[c + 1];
  out->first[causes->count] = out->joined;
}

tdm_status tdm_correlation_open(tdm_run_view *view, const tdm_table *causes, size_t cause_key,
                                const tdm_table *effects, size_t effect_key, tdm_correlation *out,
                                tdm_error *error) {
  *out = (tdm_correlation){0};
  id_table table = {.process = processes_of(view)};
  out->cause = tdm_array_new(effects->count + 1, sizeof *out->cause);
  out->effect = tdm_array_new(effects->count + 1, sizeof *out->effect);
  out->first = tdm_array_new(causes->count + 2, sizeof *out->first);
  tdm_status status = TDM_OK;
  if (table.process == NULL || out->cause == NULL || out->effect == NULL || out->first == NULL)
    status = tdm_error_memory(error, "correlations", effects->count * sizeof *out->cause);
  if (status == TDM_OK) status = fill(&table, causes, cause_key, error);
  if (status == TDM_OK) join(out, &table, causes, effects, effect_key);
  free(table.slots);
  free(table.process);
  if (status != TDM_OK) tdm_correlation_close(out);
  return status;
}

void tdm_correlation_close(tdm_correlation *correlation) {
  free(correlation->cause);
  free(correlation->first);
  free(correlation->effect);
  *correlation = (tdm_correlation){0};
}
