/* Operators (of PyTorch) by name: their time on the host, and that of the GPU work that was
 * launched in them. Options: each = "process", "rank", "thread" (of the operators). Two frames:
 * operators, and kernels by the operator that launched them, split by the kernels' stream when each
 * = "stream". Work is launched by the innermost operator around its API call; where no call was
 * recorded, by the operator of the same external id. */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/summary/summary.h"
#include "base/memory.h"

static const char *const categories[] = {"cpu_op", NULL};
static const tdm_arg args[] = {{"external_id", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_ops = {.categories = categories, .keys = args};

static const tdm_field op_fields[] = {{"share", TDM_FIELD_REAL},
                                      {"gpu_self_ns", TDM_FIELD_INT},
                                      {"gpu_total_ns", TDM_FIELD_INT},
                                      {"self_ns", TDM_FIELD_INT},
                                      {"total_ns", TDM_FIELD_INT},
                                      {"mean_ns", TDM_FIELD_REAL},
                                      {"count", TDM_FIELD_INT},
                                      {"outermost", TDM_FIELD_INT},
                                      {"launching", TDM_FIELD_INT},
                                      {"gpu_ops", TDM_FIELD_INT},
                                      TDM_SPLIT_FIELDS,
                                      {"name", TDM_FIELD_TEXT}};
enum {
  OP_SHARE,
  OP_GPU_SELF,
  OP_GPU_TOTAL,
  OP_SELF,
  OP_TOTAL,
  OP_MEAN,
  OP_COUNT,
  OP_OUTERMOST,
  OP_LAUNCHING,
  OP_GPU_OPS,
  OP_SPLIT,
  OP_NAME = OP_SPLIT + TDM_SPLIT_FIELD_COUNT,
  OP_FIELDS
};

static const tdm_field kernel_fields[] = {
    TDM_SUMMARY_FIELDS, TDM_SPLIT_FIELDS, {"op", TDM_FIELD_TEXT}, {"kernel", TDM_FIELD_TEXT}};
enum {
  KERNEL_SPLIT = TDM_SUMMARY_FIELD_COUNT,
  KERNEL_OP = KERNEL_SPLIT + TDM_SPLIT_FIELD_COUNT,
  KERNEL_NAME,
  KERNEL_FIELDS
};

enum { KEY_SPLIT, KEY_OP, KEY_KERNEL, KEYS };

/* Of one operator call, and of all of a name: what a call inside another of its name took is in the
 * total of that one, so that totals of a name are those of its outermost calls. */
typedef struct {
  int64_t gpu_self_ns, gpu_total_ns, self_ns, total_ns, count, outermost, launching, gpu_ops;
  uint32_t group;
} figures;

typedef struct {
  tdm_run_view *view;
  tdm_split split;
  tdm_launching_ops by;
  const tdm_table *ops, *work; /* of `by` */
  const uint32_t *op;          /* of `by` */
  bool *recursive;             /* by operator: inside another of its name */
  figures *figures;
} operators;

/* ---- who launched what, and how long ---- */

/* What a graph's node took is in the total of the operator that launched the graph, too, unless
 * the captured one lies in that. */
static void add_replay(operators *o, size_t row) {
  uint32_t call = o->by.call_of[row];
  uint32_t launching = call != TDM_NO_ROW ? o->by.nesting.innermost[call] : TDM_NO_ROW;
  uint32_t around = o->op[row];
  while (around != TDM_NO_ROW && around != launching) around = o->by.nesting.parent[around];
  if (launching != TDM_NO_ROW && around == TDM_NO_ROW)
    o->figures[launching].gpu_total_ns +=
        tdm_table_end_ns(o->work, row) - tdm_table_start_ns(o->work, row);
}

/* Operators come in order of their starts, so that an operator's own come after it. */
static bool measure(operators *o) {
  o->recursive = tdm_nesting_recursive(&o->by.nesting, o->ops);
  o->figures = tdm_array_new(o->ops->count + 1, sizeof *o->figures);
  if (o->recursive == NULL || o->figures == NULL) return false;
  for (size_t i = 0; i < o->work->count; i++) {
    if (o->op[i] == TDM_NO_ROW) continue;
    figures *f = &o->figures[o->op[i]];
    f->gpu_self_ns += tdm_table_end_ns(o->work, i) - tdm_table_start_ns(o->work, i);
    f->gpu_ops++;
    f->launching = 1;
    if (tdm_launching_ops_replayed(&o->by, i)) add_replay(o, i);
  }
  for (size_t op = o->ops->count; op-- > 0;) {
    figures *f = &o->figures[op];
    f->count = 1;
    f->outermost = !o->recursive[op];
    f->total_ns = tdm_table_end_ns(o->ops, op) - tdm_table_start_ns(o->ops, op);
    f->self_ns += f->total_ns;
    f->gpu_total_ns += f->gpu_self_ns;
    if (o->by.nesting.parent[op] == TDM_NO_ROW) continue;
    figures *around = &o->figures[o->by.nesting.parent[op]];
    around->self_ns -= f->total_ns;
    around->gpu_total_ns += f->gpu_total_ns;
  }
  return true;
}

/* ---- operators by name ---- */

static int order(const void *a, const void *b) {
  const figures *x = a, *y = b;
  if (x->gpu_self_ns != y->gpu_self_ns) return x->gpu_self_ns > y->gpu_self_ns ? -1 : 1;
  if (x->self_ns != y->self_ns) return x->self_ns > y->self_ns ? -1 : 1;
  return x->group < y->group ? -1 : x->group > y->group;
}

static void put_op(const operators *o, const tdm_groups *groups, const figures *f, double all_ns,
                   tdm_frame *frame) {
  const int64_t *key = groups->key + f->group * 2;
  tdm_frame_row(frame);
  if (all_ns > 0) tdm_frame_real(frame, OP_SHARE, (double)f->gpu_self_ns / all_ns);
  tdm_frame_int(frame, OP_GPU_SELF, f->gpu_self_ns);
  tdm_frame_int(frame, OP_GPU_TOTAL, f->gpu_total_ns);
  tdm_frame_int(frame, OP_SELF, f->self_ns);
  tdm_frame_int(frame, OP_TOTAL, f->total_ns);
  tdm_frame_real(frame, OP_MEAN, (double)f->total_ns / (double)f->outermost);
  tdm_frame_int(frame, OP_COUNT, f->count);
  tdm_frame_int(frame, OP_OUTERMOST, f->outermost);
  tdm_frame_int(frame, OP_LAUNCHING, f->launching);
  tdm_frame_int(frame, OP_GPU_OPS, f->gpu_ops);
  tdm_split_put(o->view, o->split, key[KEY_SPLIT], frame, OP_SPLIT);
  tdm_frame_name(frame, OP_NAME, tdm_run_view_name(o->view, key[KEY_OP]));
}

static void sum(const operators *o, const tdm_groups *groups, figures *sums) {
  for (size_t g = 0; g < groups->count; g++) sums[g].group = (uint32_t)g;
  for (size_t op = 0; op < o->ops->count; op++) {
    const figures *f = &o->figures[op];
    figures *to = &sums[groups->group[op]];
    to->gpu_self_ns += f->gpu_self_ns;
    to->gpu_total_ns += f->outermost ? f->gpu_total_ns : 0;
    to->self_ns += f->self_ns;
    to->total_ns += f->outermost ? f->total_ns : 0;
    to->count += f->count;
    to->outermost += f->outermost;
    to->launching += f->launching;
    to->gpu_ops += f->gpu_ops;
  }
}

static tdm_status put_ops(const operators *o, tdm_frame *frame, tdm_error *error) {
  tdm_groups groups;
  int64_t *split = tdm_split_keys(o->view, o->split);
  tdm_status status = tdm_groups_open(&groups, 2, o->ops->count, error);
  bool failed = split == NULL;
  for (size_t op = 0; status == TDM_OK && !failed && op < o->ops->count; op++) {
    const int64_t key[] = {split[tdm_table_track(o->ops, op)], tdm_table_name(o->ops, op)};
    failed = tdm_groups_add(&groups, key) == UINT32_MAX;
  }
  figures *sums = tdm_array_new(groups.count + 1, sizeof *sums);
  if (status == TDM_OK && (failed || sums == NULL))
    status = tdm_error_memory(error, "operators", groups.count * sizeof *sums);
  if (status == TDM_OK) {
    double all_ns = 0;
    sum(o, &groups, sums);
    qsort(sums, groups.count, sizeof *sums, order);
    for (size_t g = 0; g < groups.count; g++) all_ns += (double)sums[g].gpu_self_ns;
    for (size_t g = 0; g < groups.count; g++) put_op(o, &groups, &sums[g], all_ns, frame);
  }
  free(sums);
  free(split);
  tdm_groups_close(&groups);
  return status;
}

/* ---- kernels by operator ---- */

static void put_kernel(const operators *o, tdm_split split, const int64_t *key,
                       const tdm_summary_line *line, tdm_frame *frame) {
  tdm_frame_row(frame);
  tdm_summary_put(frame, 0, line);
  tdm_split_put(o->view, split, key[KEY_SPLIT], frame, KERNEL_SPLIT);
  if (key[KEY_OP] != TDM_NONE)
    tdm_frame_name(frame, KERNEL_OP, tdm_run_view_name(o->view, key[KEY_OP]));
  tdm_frame_name(frame, KERNEL_NAME, tdm_run_view_name(o->view, key[KEY_KERNEL]));
}

static tdm_status put_kernels(const operators *o, tdm_split by, tdm_frame *frame,
                              tdm_error *error) {
  tdm_groups groups;
  tdm_split split = by == TDM_SPLIT_THREAD ? TDM_SPLIT_NONE : by; /* kernels have no thread */
  int64_t *split_of = tdm_split_keys(o->view, split);
  int64_t *dur_ns = tdm_array_new(o->work->count + 1, sizeof *dur_ns);
  tdm_summary_line *lines = NULL;
  tdm_status status = tdm_groups_open(&groups, KEYS, o->work->count, error);
  bool failed = split_of == NULL || dur_ns == NULL;
  for (size_t i = 0; status == TDM_OK && !failed && i < o->work->count; i++) {
    if (tdm_table_category(o->work, i) != TDM_WORK_KERNEL) continue;
    const int64_t key[KEYS] = {split_of[tdm_table_track(o->work, i)],
                               o->op[i] != TDM_NO_ROW ? tdm_table_name(o->ops, o->op[i]) : TDM_NONE,
                               tdm_table_name(o->work, i)};
    dur_ns[groups.rows] = tdm_table_end_ns(o->work, i) - tdm_table_start_ns(o->work, i);
    failed = tdm_groups_add(&groups, key) == UINT32_MAX;
  }
  if (status == TDM_OK && failed) status = tdm_error_memory(error, "kernels of operators", 0);
  if (status == TDM_OK) status = tdm_summary_of(&groups, dur_ns, &lines, error);
  for (size_t g = 0; status == TDM_OK && g < groups.count; g++)
    put_kernel(o, split, groups.key + lines[g].group * KEYS, &lines[g], frame);
  free(lines);
  free(dur_ns);
  free(split_of);
  tdm_groups_close(&groups);
  return status;
}

/* ---- the answer ---- */

static tdm_status load(operators *o, tdm_error *error) {
  tdm_status status = tdm_launching_ops_open(o->view, &wanted_ops, &o->by, error);
  o->ops = o->by.ops, o->work = o->by.work, o->op = o->by.op;
  if (status == TDM_OK && o->ops->count > 0 && !measure(o))
    status = tdm_error_memory(error, "operators", o->ops->count * sizeof *o->figures);
  return status;
}

static void explain(const operators *o, tdm_answer *out) {
  if (o->ops->count == 0) {
    tdm_answer_cannot(out, "%s no operators (no rows of category cpu_op)",
                      tdm_run_view_lacking(o->view, &wanted_ops));
    return;
  }
  if (o->by.found == 0)
    tdm_answer_cannot(out, "time on GPUs: no GPU work has an API call of the same correlation, nor "
                           "an operator of the same external_id");
  else
    tdm_answer_basis(out,
                     "%zu of %zu GPU operations were launched in an operator, %zu of them told"
                     " by external id; share: of the GPU time of those, gpu self: launched in "
                     "the operator itself, gpu total: in those inside it as well",
                     o->by.found, o->work->count, o->by.by_id);
  tdm_launching_ops_say(&o->by, out);
}

tdm_status tdm_answer_ops(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                          tdm_error *error) {
  operators o = {.view = view};
  tdm_split split = TDM_SPLIT_NONE;
  tdm_status status = tdm_split_option(options, &split, error);
  o.split = split == TDM_SPLIT_STREAM || split == TDM_SPLIT_DEVICE ? TDM_SPLIT_NONE : split;
  if (status == TDM_OK) status = load(&o, error);
  tdm_frame *ops = tdm_answer_frame(out, "ops", op_fields, OP_FIELDS);
  tdm_frame *kernels = tdm_answer_frame(out, "kernels", kernel_fields, KERNEL_FIELDS);
  if (status == TDM_OK && o.ops->count > 0) {
    status = put_ops(&o, ops, error);
    if (status == TDM_OK) status = put_kernels(&o, split, kernels, error);
  }
  if (status == TDM_OK) explain(&o, out);
  tdm_launching_ops_close(&o.by);
  free(o.recursive);
  free(o.figures);
  return status;
}
