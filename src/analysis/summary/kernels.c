/* Kernels by name: count, time and its moments, as `nsys stats -r cuda_gpu_kern_sum` has them.
 * Options: by = "name" (default), "base" (without parameters and template arguments), "mangled" (as
 * the compiler names them), "grid" (name, grid and block); each = "device", "stream", "process",
 * "rank" (default: none): a row for each.
 *
 * Graphs that were recorded as a whole have no kernels and are told apart. */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "analysis/summary/summary.h"
#include "base/memory.h"

enum { KEY_SPLIT, KEY_NAME, KEY_GRID, KEYS = KEY_GRID + 6 };

static const char *const categories[] = {"kernel", "stage", NULL};
static const tdm_arg keys[] = {{"grid_x", TDM_ARG_INT},        {"grid_y", TDM_ARG_INT},
                               {"grid_z", TDM_ARG_INT},        {"block_x", TDM_ARG_INT},
                               {"block_y", TDM_ARG_INT},       {"block_z", TDM_ARG_INT},
                               {"mangled_name", TDM_ARG_TEXT}, {NULL, TDM_ARG_INT}};
enum { ARG_MANGLED = 6 }; /* after grid and block */
static const tdm_wanted wanted_kernels = {
    .categories = categories, .keys = keys, .stage_lanes = 1u << TDM_LANE_GPU};

static const tdm_field fields[] = {
    TDM_SUMMARY_FIELDS,         TDM_SPLIT_FIELDS,           {"grid_x", TDM_FIELD_INT},
    {"grid_y", TDM_FIELD_INT},  {"grid_z", TDM_FIELD_INT},  {"block_x", TDM_FIELD_INT},
    {"block_y", TDM_FIELD_INT}, {"block_z", TDM_FIELD_INT}, {"name", TDM_FIELD_TEXT}};
enum {
  FIELD_SPLIT = TDM_SUMMARY_FIELD_COUNT,
  FIELD_GRID = FIELD_SPLIT + TDM_SPLIT_FIELD_COUNT,
  FIELD_NAME = FIELD_GRID + 6,
  FIELDS
};

typedef struct {
  tdm_run_view *view;
  const tdm_table *table; /* kernels with their grids, or all GPU work, which others need as well */
  bool all_work;
  tdm_split split;
  bool by_base, by_grid, by_mangled;
  tdm_base_names bases;
  tdm_groups groups;
} kernels;

static tdm_status read_options(kernels *k, const tdm_options *options, tdm_error *error) {
  const char *by = tdm_option_text(options, "by", "name");
  k->by_base = strcmp(by, "base") == 0;
  k->by_grid = strcmp(by, "grid") == 0;
  k->by_mangled = strcmp(by, "mangled") == 0;
  if (!k->by_base && !k->by_grid && !k->by_mangled && strcmp(by, "name") != 0)
    return tdm_error_set(error, TDM_INVALID,
                         "'by' cannot be '%s'; it can be name, base, mangled, grid", by);
  return tdm_split_option(options, &k->split, error);
}

static bool is_kernel(const kernels *k, size_t row) {
  if (!k->all_work || tdm_table_category(k->table, row) == TDM_WORK_KERNEL) return true;
  if (tdm_table_category(k->table, row) != TDM_WORK_STAGE) return false;
  const tdm_track *track = tdm_run_view_track(k->view, tdm_table_track(k->table, row));
  return track != NULL && track->lane == TDM_LANE_GPU;
}

/* TDM_NONE: out of memory. A kernel without a mangled name keeps the one it has. */
static int64_t name_of(kernels *k, size_t row) {
  int64_t name = tdm_table_name(k->table, row);
  if (k->by_base) return tdm_base_names_id(&k->bases, k->view, name);
  if (!k->by_mangled) return name;
  int64_t mangled = tdm_table_arg(k->table, ARG_MANGLED, row);
  return mangled != TDM_NONE ? mangled : name;
}

/* Their groups, and their durations in the same order. */
static tdm_status group(kernels *k, int64_t *dur_ns, tdm_error *error) {
  const tdm_table *table = k->table;
  int64_t *split_of = tdm_split_keys(k->view, k->split);
  tdm_status status = tdm_groups_open(&k->groups, KEYS, table->count, error);
  bool failed = split_of == NULL || dur_ns == NULL;
  for (size_t i = 0; status == TDM_OK && !failed && i < table->count; i++) {
    if (!is_kernel(k, i)) continue;
    int64_t key[KEYS] = {
        [KEY_SPLIT] = split_of[tdm_table_track(table, i)], [KEY_NAME] = name_of(k, i)};
    for (size_t a = 0; k->by_grid && a < 6; a++) key[KEY_GRID + a] = tdm_table_arg(table, a, i);
    dur_ns[k->groups.rows] = tdm_table_end_ns(table, i) - tdm_table_start_ns(table, i);
    failed = key[KEY_NAME] == TDM_NONE || tdm_groups_add(&k->groups, key) == UINT32_MAX;
  }
  free(split_of);
  return status == TDM_OK && failed ? tdm_error_memory(error, "kernels", 0) : status;
}

static void put(kernels *k, const tdm_summary_line *line, tdm_frame *frame) {
  const int64_t *key = k->groups.key + line->group * KEYS;
  tdm_frame_row(frame);
  tdm_summary_put(frame, 0, line);
  tdm_split_put(k->view, k->split, key[KEY_SPLIT], frame, FIELD_SPLIT);
  for (size_t a = 0; k->by_grid && a < 6; a++)
    tdm_frame_int(frame, FIELD_GRID + a, key[KEY_GRID + a]);
  if (k->by_base)
    tdm_frame_text(frame, FIELD_NAME, tdm_base_names_text(&k->bases, key[KEY_NAME]));
  else
    tdm_frame_name(frame, FIELD_NAME, tdm_run_view_name(k->view, key[KEY_NAME]));
}

static tdm_status summarize(kernels *k, tdm_answer *out, tdm_error *error) {
  int64_t *dur_ns = tdm_array_raw(k->table->count + 1, sizeof *dur_ns);
  tdm_status status = group(k, dur_ns, error);
  tdm_summary_line *lines = NULL;
  if (status == TDM_OK) status = tdm_summary_of(&k->groups, dur_ns, &lines, error);
  tdm_frame *frame = tdm_answer_frame(out, "kernels", fields, FIELDS);
  for (size_t g = 0; status == TDM_OK && g < k->groups.count; g++) put(k, &lines[g], frame);
  free(lines);
  free(dur_ns);
  return status;
}

tdm_status tdm_answer_kernels(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                              tdm_error *error) {
  kernels k = {.view = view};
  tdm_status status = read_options(&k, options, error);
  k.all_work = !k.by_grid && !k.by_mangled;
  if (status == TDM_OK)
    status =
        tdm_run_view_table(view, k.all_work ? &tdm_gpu_work : &wanted_kernels, &k.table, error);
  if (status == TDM_OK) status = summarize(&k, out, error);
  if (status == TDM_OK && k.groups.rows == 0)
    tdm_answer_cannot(out, "%s no kernels (no rows of category kernel%s)",
                      tdm_run_view_lacking(view, &wanted_kernels),
                      tdm_run_view_has(view, "graph") ? "; its CUDA graphs were recorded whole"
                                                      : "");
  if (status == TDM_OK && k.by_grid && k.table->count > 0 &&
      !tdm_run_view_has_key(view, "kernel", "grid_x"))
    tdm_answer_cannot(out, "grids and blocks: kernels of this run do not have grid_x");
  if (status == TDM_OK && k.by_mangled && k.table->count > 0 &&
      !tdm_run_view_has_key(view, "kernel", "mangled_name"))
    tdm_answer_cannot(out, "mangled names: kernels of this run do not have mangled_name");
  tdm_answer_basis(out, "share: of the time of all kernels, overlapping ones counted each");
  tdm_groups_close(&k.groups);
  tdm_base_names_close(&k.bases);
  return status;
}
