/* GPU work by the operator that launched it and the shapes that it was given: what a roofline is
 * made of. Two frames. "shapes": a row for each operator, shapes and types of its inputs, and GPU;
 * lists are JSON as the profiler wrote them. "gpus": from the first work of each to its last. What
 * such an operator must compute and move is lua/tandem/analysis/roofline.lua's. */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/summary/summary.h"
#include "base/memory.h"

static const char *const categories[] = {"cpu_op", NULL};
static const tdm_arg args[] = {{"external_id", TDM_ARG_INT},
                               {"Input Dims", TDM_ARG_JSON},
                               {"Input type", TDM_ARG_JSON},
                               {"Concrete Inputs", TDM_ARG_JSON},
                               {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted = {.categories = categories, .keys = args};
enum { ARG_DIMS = 1, ARG_TYPES, ARG_CONCRETE };

static const tdm_field fields[] = {
    {"share", TDM_FIELD_REAL},  {"gpu_ns", TDM_FIELD_INT}, {"count", TDM_FIELD_INT},
    {"pieces", TDM_FIELD_INT},  TDM_SPLIT_FIELDS,          {"name", TDM_FIELD_TEXT},
    {"dims", TDM_FIELD_TEXT},   {"types", TDM_FIELD_TEXT}, {"concrete", TDM_FIELD_TEXT},
    {"kernel", TDM_FIELD_TEXT}, /* that took most of it at once */
};
enum {
  SHARE,
  GPU_NS,
  COUNT,
  PIECES,
  SPLIT,
  NAME = SPLIT + TDM_SPLIT_FIELD_COUNT,
  DIMS,
  TYPES,
  CONCRETE,
  KERNEL,
  FIELDS
};

static const tdm_field gpu_fields[] = {
    {"window_ns", TDM_FIELD_INT}, {"gpu_ns", TDM_FIELD_INT}, TDM_SPLIT_FIELDS};
enum { GPU_WINDOW, GPU_SUM, GPU_SPLIT, GPU_FIELDS = GPU_SPLIT + TDM_SPLIT_FIELD_COUNT };

enum { KEY_SPLIT, KEY_OP, KEY_DIMS, KEY_TYPES, KEY_CONCRETE, KEYS };

typedef struct {
  int64_t gpu_ns, count, pieces;
  int64_t longest_ns, kernel; /* its name */
  uint32_t group;
} figures;

static int order(const void *a, const void *b) {
  const figures *x = a, *y = b;
  if (x->gpu_ns != y->gpu_ns) return x->gpu_ns > y->gpu_ns ? -1 : 1;
  return x->group < y->group ? -1 : x->group > y->group;
}

/* An operator is counted with its first piece: `seen` by operator. */
static void add(const tdm_launching_ops *by, size_t row, figures *to, bool *seen) {
  int64_t dur_ns = by->work->end_ns[row] - by->work->start_ns[row];
  to->gpu_ns += dur_ns;
  to->pieces++;
  to->count += !seen[by->op[row]];
  seen[by->op[row]] = true;
  if (dur_ns < to->longest_ns) return;
  to->longest_ns = dur_ns;
  to->kernel = by->work->name[row];
}

static void put(tdm_run_view *view, const int64_t *key, const figures *f, double all_ns,
                tdm_frame *frame) {
  tdm_frame_row(frame);
  if (all_ns > 0) tdm_frame_real(frame, SHARE, (double)f->gpu_ns / all_ns);
  tdm_frame_int(frame, GPU_NS, f->gpu_ns);
  tdm_frame_int(frame, COUNT, f->count);
  tdm_frame_int(frame, PIECES, f->pieces);
  tdm_split_put(view, TDM_SPLIT_DEVICE, key[KEY_SPLIT], frame, SPLIT);
  tdm_frame_name(frame, NAME, tdm_run_view_name(view, key[KEY_OP]));
  for (int i = 0; i < 3; i++)
    if (key[KEY_DIMS + i] != TDM_NONE)
      tdm_frame_name(frame, DIMS + (size_t)i, tdm_run_view_name(view, key[KEY_DIMS + i]));
  tdm_frame_name(frame, KERNEL, tdm_run_view_name(view, f->kernel));
}

static tdm_status group_rows(tdm_run_view *view, const tdm_launching_ops *by, tdm_groups *groups,
                             tdm_error *error) {
  int64_t *split = tdm_split_keys(view, TDM_SPLIT_DEVICE);
  bool failed = split == NULL;
  for (size_t i = 0; !failed && i < by->work->count; i++) {
    uint32_t op = by->op[i];
    if (op == TDM_NO_ROW) continue;
    const int64_t key[KEYS] = {split[by->work->track[i]], by->ops->name[op],
                               by->ops->arg[ARG_DIMS][op], by->ops->arg[ARG_TYPES][op],
                               by->ops->arg[ARG_CONCRETE][op]};
    failed = tdm_groups_add(groups, key) == UINT32_MAX;
  }
  free(split);
  return failed ? tdm_error_memory(error, "shapes of operators", by->work->count) : TDM_OK;
}

static tdm_status by_shapes(tdm_run_view *view, const tdm_launching_ops *by, tdm_frame *frame,
                            tdm_error *error) {
  tdm_groups groups;
  tdm_status status = tdm_groups_open(&groups, KEYS, by->work->count, error);
  if (status == TDM_OK) status = group_rows(view, by, &groups, error);
  figures *sums = tdm_array_new(groups.count + 1, sizeof *sums);
  bool *seen = tdm_array_new(by->ops->count + 1, sizeof *seen);
  if (status == TDM_OK && (sums == NULL || seen == NULL))
    status = tdm_error_memory(error, "shapes of operators", groups.count * sizeof *sums);
  if (status == TDM_OK) {
    double all_ns = 0;
    size_t row = 0;
    for (size_t g = 0; g < groups.count; g++) sums[g].group = (uint32_t)g;
    for (size_t i = 0; i < by->work->count; i++)
      if (by->op[i] != TDM_NO_ROW) add(by, i, &sums[groups.group[row++]], seen);
    for (size_t i = 0; i < by->work->count; i++)
      all_ns += (double)(by->work->end_ns[i] - by->work->start_ns[i]);
    qsort(sums, groups.count, sizeof *sums, order);
    for (size_t g = 0; g < groups.count; g++)
      put(view, groups.key + sums[g].group * KEYS, &sums[g], all_ns, frame);
  }
  free(seen);
  free(sums);
  tdm_groups_close(&groups);
  return status;
}

typedef struct {
  int64_t first_ns, last_ns, gpu_ns;
} extent;

static tdm_status by_gpu(tdm_run_view *view, const tdm_table *work, tdm_frame *frame,
                         tdm_error *error) {
  tdm_groups groups;
  int64_t *split = tdm_split_keys(view, TDM_SPLIT_DEVICE);
  tdm_status status = tdm_groups_open(&groups, 1, work->count, error);
  bool failed = split == NULL;
  for (size_t i = 0; status == TDM_OK && !failed && i < work->count; i++)
    failed = tdm_groups_add(&groups, &split[work->track[i]]) == UINT32_MAX;
  extent *of = tdm_array_new(groups.count + 1, sizeof *of);
  if (status == TDM_OK && (failed || of == NULL))
    status = tdm_error_memory(error, "GPUs", groups.count * sizeof *of);
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) {
    extent *e = &of[groups.group[i]];
    if (e->gpu_ns == 0 || work->start_ns[i] < e->first_ns) e->first_ns = work->start_ns[i];
    if (e->gpu_ns == 0 || work->end_ns[i] > e->last_ns) e->last_ns = work->end_ns[i];
    e->gpu_ns += work->end_ns[i] - work->start_ns[i];
  }
  for (size_t g = 0; status == TDM_OK && g < groups.count; g++) {
    tdm_frame_row(frame);
    tdm_frame_int(frame, GPU_WINDOW, of[g].last_ns - of[g].first_ns);
    tdm_frame_int(frame, GPU_SUM, of[g].gpu_ns);
    tdm_split_put(view, TDM_SPLIT_DEVICE, groups.key[g], frame, GPU_SPLIT);
  }
  free(of);
  free(split);
  tdm_groups_close(&groups);
  return status;
}

static void explain(tdm_run_view *view, const tdm_launching_ops *by, tdm_answer *out) {
  bool some = false;
  for (size_t i = 0; i < by->ops->count && !some; i++) some = by->ops->arg[ARG_DIMS][i] != TDM_NONE;
  if (by->ops->count == 0)
    tdm_answer_cannot(out, "%s no operators (no rows of category cpu_op)",
                      tdm_run_view_lacking(view, &wanted));
  else if (by->found == 0)
    tdm_answer_cannot(out, "no GPU work has an API call of the same correlation, nor an operator "
                           "of the same external_id");
  else if (!some)
    tdm_answer_cannot(out, "operators have no shapes (Input Dims): profile with "
                           "record_shapes=True");
  else
    tdm_answer_basis(out, "%zu of %zu GPU operations were launched in an operator", by->found,
                     by->work->count);
}

tdm_status tdm_answer_roofline(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                               tdm_error *error) {
  tdm_launching_ops by;
  (void)options;
  tdm_status status = tdm_launching_ops_open(view, &wanted, &by, error);
  tdm_frame *frame = tdm_answer_frame(out, "shapes", fields, FIELDS);
  tdm_frame *gpus = tdm_answer_frame(out, "gpus", gpu_fields, GPU_FIELDS);
  if (status == TDM_OK && by.ops->count > 0) status = by_shapes(view, &by, frame, error);
  if (status == TDM_OK && by.ops->count > 0) status = by_gpu(view, by.work, gpus, error);
  if (status == TDM_OK) explain(view, &by, out);
  tdm_launching_ops_close(&by);
  return status;
}
