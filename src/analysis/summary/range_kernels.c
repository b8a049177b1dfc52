/* Kernels by the ranges that launched them, as `nsys stats -r nvtx_kern_sum` has them: a kernel
 * counts in every range around its call. Options: by = "name" (default), "base" (kernels without
 * parameters and template arguments); each = "thread" (default; the range's), "device", "stream",
 * "process", "rank" (the kernel's). A kernel outside all ranges has a row without a range. */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "analysis/summary/inside.h"
#include "analysis/summary/summary.h"
#include "base/memory.h"

static const tdm_field fields[] = {
    TDM_SUMMARY_FIELDS,        TDM_SPLIT_FIELDS,           {"range_count", TDM_FIELD_INT},
    {"style", TDM_FIELD_TEXT}, {"domain", TDM_FIELD_TEXT}, TDM_LABEL_FIELDS("range"),
    {"kernel", TDM_FIELD_TEXT}};
enum {
  FIELD_SPLIT = TDM_SUMMARY_FIELD_COUNT,
  FIELD_RANGES = FIELD_SPLIT + TDM_SPLIT_FIELD_COUNT,
  FIELD_STYLE,
  FIELD_DOMAIN,
  FIELD_RANGE,
  FIELD_NAMES,
  FIELD_KERNEL,
  FIELDS
};

enum { KEY_SPLIT, KEY_NAME, KEY_DOMAIN, KEY_CATEGORY, KEY_KERNEL, KEYS };

typedef struct {
  uint32_t range, kernel; /* rows; TDM_NO_ROW: outside all ranges */
} pair;

typedef struct {
  tdm_run_view *view;
  tdm_split split;
  bool by_base;
  int64_t *split_of; /* by track */
  const tdm_range_work *work;
  pair *pair;
  size_t pairs, room;
  tdm_base_names bases;
  tdm_labels labels;
  tdm_groups groups;
} pairing;

static int add(pairing *p, uint32_t range, size_t kernel) {
  if (!tdm_array_grow(&p->pair, &p->room, p->pairs + 1, sizeof *p->pair)) return 0;
  p->pair[p->pairs++] = (pair){range, (uint32_t)kernel};
  return 1;
}

/* A kernel with each range around its call. */
static int find_pairs(pairing *p) {
  for (size_t i = 0; i < p->work->work->count; i++) {
    if (tdm_table_category(p->work->work, i) != TDM_WORK_KERNEL) continue;
    uint32_t call = p->work->launched->cause[i];
    uint32_t range = call != TDM_NO_ROW ? p->work->nesting.innermost[call] : TDM_NO_ROW;
    if (range == TDM_NO_ROW && !add(p, TDM_NO_ROW, i)) return 0;
    for (; range != TDM_NO_ROW; range = p->work->nesting.parent[range])
      if (!add(p, range, i)) return 0;
  }
  return 1;
}

static tdm_status group(pairing *p, tdm_error *error) {
  const tdm_table *ranges = p->work->nested, *work = p->work->work;
  tdm_status status = tdm_groups_open(&p->groups, KEYS, p->pairs, error);
  for (size_t i = 0; status == TDM_OK && i < p->pairs; i++) {
    int64_t key[KEYS] = {TDM_NONE, TDM_NONE, TDM_NONE, TDM_NONE, TDM_NONE};
    size_t range = p->pair[i].range, kernel = p->pair[i].kernel;
    bool failed = false;
    if (p->split != TDM_SPLIT_THREAD) key[KEY_SPLIT] = p->split_of[tdm_table_track(work, kernel)];
    if (p->pair[i].range != TDM_NO_ROW) {
      if (p->split == TDM_SPLIT_THREAD)
        key[KEY_SPLIT] = p->split_of[tdm_table_track(ranges, range)];
      key[KEY_NAME] = tdm_label_of(&p->labels, tdm_table_name(ranges, range));
      failed = key[KEY_NAME] == TDM_NONE;
      key[KEY_DOMAIN] = tdm_table_arg(ranges, TDM_RANGE_DOMAIN, range);
      key[KEY_CATEGORY] = tdm_table_category(ranges, range);
    }
    key[KEY_KERNEL] = p->by_base
                          ? tdm_base_names_id(&p->bases, p->view, tdm_table_name(work, kernel))
                          : tdm_table_name(work, kernel);
    if (failed || key[KEY_KERNEL] == TDM_NONE || tdm_groups_add(&p->groups, key) == UINT32_MAX)
      status = tdm_error_memory(error, "kernels by range", 0);
  }
  return status;
}

static void put(const pairing *p, const tdm_summary_line *line, int64_t ranges, tdm_frame *frame) {
  const int64_t *key = p->groups.key + line->group * KEYS;
  tdm_frame_row(frame);
  tdm_summary_put(frame, 0, line);
  tdm_split_put(p->view, p->split, key[KEY_SPLIT], frame, FIELD_SPLIT);
  tdm_frame_int(frame, FIELD_RANGES, ranges);
  if (p->by_base)
    tdm_frame_text(frame, FIELD_KERNEL, tdm_base_names_text(&p->bases, key[KEY_KERNEL]));
  else
    tdm_frame_name(frame, FIELD_KERNEL, tdm_run_view_name(p->view, key[KEY_KERNEL]));
  if (key[KEY_NAME] == TDM_NONE) return;
  tdm_frame_name(frame, FIELD_STYLE, tdm_range_style(key[KEY_CATEGORY], true));
  if (key[KEY_DOMAIN] != TDM_NONE)
    tdm_frame_name(frame, FIELD_DOMAIN, tdm_run_view_name(p->view, key[KEY_DOMAIN]));
  tdm_label_put_counted(&p->labels, frame, FIELD_RANGE, key[KEY_NAME]);
}

/* How many ranges a group has kernels of. `seen`: by range, the last group that it was counted in.
 */
static int64_t ranges_of(const pairing *p, uint32_t group, uint32_t *seen) {
  int64_t count = 0;
  for (size_t i = p->groups.first[group]; i < p->groups.first[group + 1]; i++) {
    uint32_t range = p->pair[p->groups.row[i]].range;
    if (range == TDM_NO_ROW || seen[range] == group + 1) continue;
    seen[range] = group + 1;
    count++;
  }
  return count;
}

static tdm_status summarize(pairing *p, tdm_frame *frame, tdm_error *error) {
  p->split_of = tdm_split_keys(p->view, p->split);
  uint32_t *seen = tdm_array_new(p->work->nested->count + 1, sizeof *seen);
  int64_t *value = NULL;
  tdm_summary_line *lines = NULL;
  tdm_status status = TDM_OK;
  if (p->split_of == NULL || seen == NULL || !find_pairs(p) ||
      (value = tdm_array_new(p->pairs + 1, sizeof *value)) == NULL)
    status = tdm_error_memory(error, "kernels by range", p->pairs * sizeof *value);
  if (status == TDM_OK) status = group(p, error);
  const tdm_table *work = p->work->work;
  for (size_t i = 0; status == TDM_OK && i < p->pairs; i++)
    value[i] =
        tdm_table_end_ns(work, p->pair[i].kernel) - tdm_table_start_ns(work, p->pair[i].kernel);
  if (status == TDM_OK) status = tdm_summary_of(&p->groups, value, &lines, error);
  for (size_t g = 0; status == TDM_OK && g < p->groups.count; g++)
    put(p, &lines[g], ranges_of(p, lines[g].group, seen), frame);
  free(lines);
  free(value);
  free(seen);
  return status;
}

tdm_status tdm_answer_range_kernels(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                    tdm_error *error) {
  pairing p = {.view = view,
               .labels = tdm_labels_of(view, options),
               .by_base = strcmp(tdm_option_text(options, "by", "name"), "base") == 0};
  tdm_status status = tdm_split_option(options, &p.split, error);
  if (p.split == TDM_SPLIT_NONE) p.split = TDM_SPLIT_THREAD;
  if (status == TDM_OK) status = tdm_range_work_of(view, &p.work, error);
  tdm_frame *frame = tdm_answer_frame(out, "range_kernels", fields, FIELDS);
  bool has_ranges = status == TDM_OK && p.work->nested->count > 0;
  if (has_ranges) status = summarize(&p, frame, error);
  if (status == TDM_OK) tdm_range_work_explain(view, p.work, out);
  size_t apart = status == TDM_OK ? p.work->free->count + p.work->nesting.looses : 0;
  if (apart > 0)
    tdm_answer_cannot(out,
                      "kernels of %zu ranges that do not nest on their thread (start and end):"
                      " `projected` has their GPU time",
                      apart);
  tdm_answer_basis(out, "a kernel counts in every range around its call, so that shares are of the "
                        "sum of all rows and ranges inside one another share kernels");
  tdm_groups_close(&p.groups);
  tdm_base_names_close(&p.bases);
  tdm_labels_close(&p.labels);
  free(p.split_of);
  free(p.pair);
  return status;
}
