/* Which row of one table caused which rows of another, by an id that both carry: calls and what
 * they launched, operators and theirs; see gpu_work.h. A table with open addressing. */
#include "analysis/run_view/gpu_work.h"

#include <stdlib.h>

#include "analysis/run_view/run_view.h"
#include "base/memory.h"

/* ---- the index ---- */

/* The first cause of an id; NULL: none has it. */
static const tdm_hash_slot *find(const tdm_correlation *c, uint32_t process, int64_t id,
                                 uint32_t hash) {
  const tdm_hash_slot *slot = tdm_hash_first(&c->map, hash);
  for (; slot != NULL; slot = tdm_hash_next(&c->map, slot))
    if (tdm_table_arg(c->causes, c->id, slot->row) == id &&
        c->process[tdm_table_track(c->causes, slot->row)] == process)
      break;
  return slot;
}

/* There is room for all. */
static void index_causes(tdm_correlation *c) {
  for (size_t i = 0; i < c->causes->count; i++) {
    int64_t id = tdm_table_arg(c->causes, c->id, i);
    if (id <= 0) continue;
    uint32_t process = c->process[tdm_table_track(c->causes, i)];
    uint32_t hash = tdm_hash_id((uint64_t)id, process);
    if (find(c, process, id, hash) == NULL) (void)tdm_hash_add(&c->map, hash, (uint32_t)i);
  }
}

uint32_t tdm_correlation_find(const tdm_correlation *c, int64_t track, int64_t id) {
  if (id <= 0) return TDM_NO_ROW;
  uint32_t process = c->process[track];
  const tdm_hash_slot *slot = find(c, process, id, tdm_hash_id((uint64_t)id, process));
  return slot != NULL ? slot->row : TDM_NO_ROW;
}

/* ---- the join ---- */

static void join(tdm_correlation *c, const tdm_table *effects, size_t key) {
  size_t count = c->causes->count;
  for (size_t i = 0; i < effects->count; i++) {
    uint32_t cause = c->cause[i] =
        tdm_correlation_find(c, tdm_table_track(effects, i), tdm_table_arg(effects, key, i));
    if (cause == TDM_NO_ROW) continue;
    c->first[cause + 1]++; /* counts; sums below */
    c->joined++;
  }
  uint32_t sum = 0;
  for (size_t i = 0; i <= count; i++) {
    sum += c->first[i];
    c->first[i] = sum;
  }
  for (size_t i = effects->count; i-- > 0;) /* from the back: each count falls to its beginning */
    if (c->cause[i] != TDM_NO_ROW) c->effect[--c->first[c->cause[i] + 1]] = (uint32_t)i;
  for (size_t i = 0; i < count; i++) c->first[i] = c->first[i + 1];
  c->first[count] = (uint32_t)c->joined;
}

tdm_status tdm_correlation_open(tdm_run_view *view, const tdm_table *causes, size_t cause_key,
                                const tdm_table *effects, size_t effect_key, tdm_correlation *out,
                                tdm_error *error) {
  *out = (tdm_correlation){.causes = causes, .id = cause_key};
  const tdm_processes *processes = NULL;
  tdm_status status = tdm_processes_of(view, &processes, error);
  if (status != TDM_OK) return status;
  out->process = processes->of;
  out->cause = tdm_array_new(effects->count + 1, sizeof *out->cause);
  out->effect = tdm_array_new(effects->count + 1, sizeof *out->effect);
  out->first = tdm_array_new(causes->count + 2, sizeof *out->first);
  size_t ids = 0;
  for (size_t i = 0; i < causes->count; i++) ids += tdm_table_arg(causes, cause_key, i) > 0;
  if (!tdm_hash_map_reserve(&out->map, ids) || out->cause == NULL || out->effect == NULL ||
      out->first == NULL) {
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
  tdm_hash_map_free(&correlation->map);
  *correlation = (tdm_correlation){0};
}
