/* Where ranks meet; see process.h. */
#include <stdlib.h>

#include "analysis/process/process.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"
#include "base/order.h"

/* As tdm_gpu_work, and which ranks communicate where the source says. */
static const char *const work_categories[] = {"kernel", "memcpy", "memset", "graph", "stage", NULL};
static const tdm_arg work_keys[] = {{"Process Group Ranks", TDM_ARG_TEXT},
                                    {"Process Group Ranks", TDM_ARG_JSON},
                                    {"Process Group Name", TDM_ARG_TEXT},
                                    {NULL, TDM_ARG_INT}};
const tdm_wanted tdm_collective_work = {.categories = work_categories,
                                        .keys = work_keys,
                                        .stage_lanes = 1u << TDM_LANE_GPU | 1u << TDM_LANE_H2D |
                                                       1u << TDM_LANE_D2H};
enum { GROUP_RANKS, GROUP_RANKS_JSON, GROUP_NAME };

static int64_t who_of(const tdm_table *work, size_t w) {
  int64_t who = tdm_table_arg(work, GROUP_RANKS, w);
  if (who == TDM_NONE) who = tdm_table_arg(work, GROUP_RANKS_JSON, w);
  return who != TDM_NONE ? who : tdm_table_arg(work, GROUP_NAME, w);
}

tdm_status tdm_collectives_add(tdm_collectives *c, const tdm_table *work, const uint8_t *work_class,
                               const uint32_t *process, uint32_t source, tdm_error *error) {
  uint32_t nth = 0;
  for (size_t w = 0; w < work->count; w++) {
    if (work_class[w] != TDM_CLASS_COMM) continue;
    if (!tdm_array_grow(&c->part, &c->room, c->parts + 1, sizeof *c->part))
      return tdm_error_memory(error, "collectives", c->parts * sizeof *c->part);
    c->part[c->parts++] = (tdm_collective_part){.start_ns = tdm_table_start_ns(work, w),
                                                .end_ns = tdm_table_end_ns(work, w),
                                                .name = tdm_table_name(work, w),
                                                .track = tdm_table_track(work, w),
                                                .process = process[tdm_table_track(work, w)],
                                                .source = source,
                                                .nth = nth++,
                                                .who = who_of(work, w)};
  }
  return TDM_OK;
}

static int by_start(const void *left, const void *right) {
  const tdm_collective_part *a = left, *b = right;
  if (a->start_ns != b->start_ns) return TDM_ORDER(a->start_ns, b->start_ns);
  if (a->end_ns != b->end_ns) return TDM_ORDER(b->end_ns, a->end_ns);
  if (a->source != b->source) return TDM_ORDER(a->source, b->source);
  return TDM_ORDER(a->nth, b->nth);
}

/* Kinds, the how manyth of its kind each part is on its rank, how often ranks have a kind. */
static tdm_status number(tdm_collectives *c, tdm_groups *seen, int64_t *count, tdm_error *error) {
  for (size_t i = 0; i < c->parts; i++) {
    tdm_collective_part *part = &c->part[i];
    const int64_t kind[] = {part->name, part->who};
    part->kind = tdm_groups_add(&c->kinds, kind);
    const int64_t key[] = {part->process, part->kind};
    uint32_t g = part->kind == UINT32_MAX ? UINT32_MAX : tdm_groups_add(seen, key);
    if (g == UINT32_MAX) return tdm_error_memory(error, "collectives", 0);
    part->ordinal = count[g]++;
  }
  for (size_t g = 0; g < seen->count; g++) {
    int64_t *often = &c->often[seen->key[2 * g + 1]];
    *often = *often == 0 || *often == count[g] ? count[g] : -1;
  }
  return TDM_OK;
}

tdm_status tdm_collectives_match(tdm_collectives *c, tdm_error *error) {
  tdm_groups seen = {0};
  int64_t *count = tdm_array_new(c->parts + 1, sizeof *count);
  c->often = tdm_array_new(c->parts + 1, sizeof *c->often);
  if (c->parts > 1) qsort(c->part, c->parts, sizeof *c->part, by_start);
  tdm_status status = tdm_groups_open(&c->kinds, 2, c->parts, error);
  if (status == TDM_OK) status = tdm_groups_open(&c->same, 2, c->parts, error);
  if (status == TDM_OK) status = tdm_groups_open(&seen, 2, c->parts, error);
  if (status == TDM_OK && (count == NULL || c->often == NULL))
    status = tdm_error_memory(error, "collectives", c->parts * sizeof *count);
  if (status == TDM_OK) status = number(c, &seen, count, error);
  for (size_t i = 0; status == TDM_OK && i < c->parts; i++) {
    const int64_t key[] = {c->part[i].kind, c->part[i].ordinal};
    if (tdm_groups_add(&c->same, key) == UINT32_MAX)
      status = tdm_error_memory(error, "collectives", 0);
  }
  if (status == TDM_OK) status = tdm_groups_gather(&c->same, error);
  c->count = c->same.count;
  c->first = c->same.first;
  c->of = c->same.row;
  tdm_groups_close(&seen);
  free(count);
  return status;
}

bool tdm_collectives_meet(const tdm_collectives *c, size_t collective) {
  return c->first[collective + 1] - c->first[collective] > 1 &&
         c->often[c->same.key[2 * collective]] > 0;
}

int64_t tdm_collectives_ordinal(const tdm_collectives *c, size_t collective) {
  return c->same.key[2 * collective + 1];
}

static tdm_status add_source(tdm_run_view *view, uint32_t source, const uint32_t *process,
                             tdm_collectives *out, tdm_error *error) {
  tdm_run_view *of_source = NULL;
  const tdm_table *work;
  tdm_status status = tdm_run_view_of_source(view, source, &of_source, error);
  if (status == TDM_OK) status = tdm_run_view_table(of_source, &tdm_collective_work, &work, error);
  if (status == TDM_OK) {
    uint8_t *work_class = tdm_gpu_classes(of_source, work);
    status = work_class != NULL ? tdm_collectives_add(out, work, work_class, process, source, error)
                                : tdm_error_memory(error, "collectives", work->count);
    free(work_class);
  }
  tdm_run_view_close(of_source);
  return status;
}

tdm_status tdm_collectives_open(tdm_run_view *view, tdm_collectives *out, tdm_error *error) {
  *out = (tdm_collectives){0};
  const tdm_processes *processes = NULL;
  tdm_status status = tdm_processes_of(view, &processes, error);
  uint32_t sources = tdm_run_tables_sources(tdm_run_view_tables(view));
  for (uint32_t s = 0; status == TDM_OK && s < sources; s++)
    status = add_source(view, s, processes->of, out, error);
  return status == TDM_OK ? tdm_collectives_match(out, error) : status;
}

void tdm_collectives_close(tdm_collectives *c) {
  free(c->part);
  free(c->often);
  tdm_groups_close(&c->kinds);
  tdm_groups_close(&c->same);
  *c = (tdm_collectives){0};
}
