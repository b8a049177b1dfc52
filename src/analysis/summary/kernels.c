/* See kernels.h. Graphs that were recorded as a whole have no kernels and are told apart. */
#include "analysis/summary/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_name.h"
#include "analysis/summary/summary.h"

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
  const tdm_table *table;
  tdm_split split;
  int64_t *split_of; /* by track */
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
                         "'by' does not know '%s'; there are name, base, mangled, grid", by);
  return tdm_split_option(options, &k->split, error);
}

/* TDM_NONE: out of memory. A kernel without a mangled name keeps the one it has. */
static int64_t name_of(kernels *k, size_t row) {
  int64_t name = k->table->name[row], mangled = k->table->arg[ARG_MANGLED][row];
  if (k->by_base) return tdm_base_names_id(&k->bases, k->view, name);
  return k->by_mangled && mangled != TDM_NONE ? mangled : name;
}

static tdm_status group(kernels *k, tdm_error *error) {
  const tdm_table *table = k->table;
  tdm_status status = tdm_groups_open(&k->groups, KEYS, table->count, error);
  k->split_of = tdm_split_keys(k->view, k->split);
  if (status == TDM_OK && k->split_of == NULL) status = tdm_error_memory(error, "kernels", 0);
  for (size_t i = 0; status == TDM_OK && i < table->count; i++) {
    int64_t key[KEYS] = {0};
    key[KEY_SPLIT] = k->split_of[table->track[i]];
    key[KEY_NAME] = name_of(k, i);
    for (size_t a = 0; k->by_grid && a < 6; a++) key[KEY_GRID + a] = table->arg[a][i];
    if (key[KEY_NAME] == TDM_NONE || tdm_groups_add(&k->groups, key) == UINT32_MAX)
      status = tdm_error_memory(error, "kernels", 0);
  }
  return status;
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
  tdm_status status = group(k, error);
  int64_t *dur_ns = malloc((k->table->count + 1) * sizeof *dur_ns);
  if (status == TDM_OK && dur_ns == NULL) status = tdm_error_memory(error, "kernels", 0);
  for (size_t i = 0; status == TDM_OK && i < k->table->count; i++)
    dur_ns[i] = k->table->end_ns[i] - k->table->start_ns[i];
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
  if (status == TDM_OK) status = tdm_run_view_table(view, &wanted_kernels, &k.table, error);
  if (status == TDM_OK) status = summarize(&k, out, error);
  if (status == TDM_OK && k.table->count == 0)
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
  free(k.split_of);
  tdm_groups_close(&k.groups);
  tdm_base_names_close(&k.bases);
  return status;
}
