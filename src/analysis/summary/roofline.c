/* GPU work by the operator that launched it and the shapes that it was given: what a roofline is
 * made of. Two frames. "shapes": a row for each operator, shapes and types of its inputs, and GPU;
 * lists are JSON as the profiler wrote them. "gpus": from the first work of each to its last. What
 * such an operator must compute and move is lua/tandem/analysis/roofline.lua's.
 *
 * Shapes stand with operators (Kineto's record_shapes), or in the names of ranges, as PyTorch's
 * emit_nvtx(record_shapes=True) writes them: "aten::mm, seq = 7, op_id = 9, sizes = [[3, 5],
 * [5, 7]]". Those tell no types: that field stays empty. */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

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

static const char *const range_categories[] = {"nvtx", NULL};
static const tdm_arg range_args[] = {{"external_id", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_ranges = {.categories = range_categories, .keys = range_args};

typedef struct {
  tdm_run_view *view;
  tdm_launching_ops by;
  bool ranges;               /* operators are ranges that tell sizes in their names */
  tdm_base_names ops, sizes; /* of ranges */
} launches;

/* ---- names of ranges ---- */

static const char sizes_follow[] = ", sizes = [";

static void op_of(const char *name, char *out, size_t room) {
  static const char *const counters[] = {", seq = ", ", op_id = ", sizes_follow};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
    const char *at = strstr(name, counters[i]);
    if (at != NULL && (size_t)(at - name) < length) length = (size_t)(at - name);
  }
  if (length >= room) length = room - 1;
  memcpy(out, name, length);
  out[length] = 0;
}

/* The list of lists; "" where none is told, or it does not end. */
static void sizes_of(const char *name, char *out, size_t room) {
  const char *at = strstr(name, sizes_follow);
  size_t length = 0;
  int depth = 0;
  out[0] = 0;
  if (at == NULL) return;
  at += sizeof sizes_follow - 2;
  do {
    depth += at[length] == '[' ? 1 : at[length] == ']' ? -1 : 0;
    if (at[length] == 0 || ++length >= room) return;
  } while (depth > 0);
  memcpy(out, at, length);
  out[length] = 0;
}

static uint8_t tells_sizes(const char *name) {
  return strstr(name, sizes_follow) != NULL;
}

/* Work in a range that tells no sizes (one of NCCL, of the user) is of the one around it that does.
 * Whether any does. */
static bool climb(launches *l) {
  tdm_launching_ops *by = &l->by;
  tdm_name_marks marks = {0};
  bool some = false;
  for (size_t i = 0; i < by->work->count; i++) {
    uint32_t op = by->op[i];
    while (op != TDM_NO_ROW &&
           !tdm_name_mark(&marks, l->view, tdm_table_name(by->ops, op), tells_sizes))
      op = by->nesting.parent[op];
    if (op != TDM_NO_ROW) by->op[i] = op;
    some = some || op != TDM_NO_ROW;
  }
  tdm_name_marks_close(&marks);
  return some;
}

/* Whether some range's name tells sizes; rows are passed by, as few runs have such. */
typedef struct {
  tdm_run_view *view;
  tdm_name_marks marks;
  bool some;
} sizes_told;

static void look_for_sizes(void *context, const tdm_row_block *rows) {
  sizes_told *told = context;
  for (size_t i = 0; i < rows->count && !told->some; i++)
    told->some =
        tdm_name_mark(&told->marks, told->view, rows->name[rows->row[i]], tells_sizes) != 0;
}

static tdm_status find_sizes(tdm_run_view *view, bool *some, tdm_error *error) {
  sizes_told told = {.view = view};
  tdm_status status = tdm_run_view_pass(view, &wanted_ranges, look_for_sizes, &told, error);
  tdm_name_marks_close(&told.marks);
  *some = told.some;
  return status;
}

static bool has_shapes(const tdm_launching_ops *by) {
  for (size_t i = 0; i < by->ops->count; i++)
    if (tdm_table_arg(by->ops, ARG_DIMS, i) != TDM_NONE) return true;
  return false;
}

/* Operators with shapes; where there are none, ranges with sizes; where there are none, operators
 * as they are. */
static tdm_status open_launches(launches *l, tdm_error *error) {
  tdm_status status = tdm_launching_ops_open(l->view, &wanted, &l->by, error);
  if (status != TDM_OK || (l->by.ops->count > 0 && has_shapes(&l->by))) return status;
  launches other = {.view = l->view, .ranges = true};
  bool told = false;
  status = find_sizes(l->view, &told, error);
  if (status != TDM_OK || !told) return status;
  status = tdm_launching_ops_open(l->view, &wanted_ranges, &other.by, error);
  if (status == TDM_OK && other.by.ops->count > 0 && climb(&other)) {
    tdm_launching_ops_close(&l->by);
    *l = other;
    l->ops.base_of = op_of;
    l->sizes.base_of = sizes_of;
    return TDM_OK;
  }
  tdm_launching_ops_close(&other.by);
  return status;
}

static void close_launches(launches *l) {
  tdm_launching_ops_close(&l->by);
  tdm_base_names_close(&l->ops);
  tdm_base_names_close(&l->sizes);
}

/* ---- rows ---- */

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

/* An operator is counted with its first piece, of a captured one with the first of each launch of
 * its graph. `seen`, by operator: that launch + 1, or UINT32_MAX; 0: none yet. */
static void add(const tdm_launching_ops *by, size_t row, figures *to, uint32_t *seen) {
  uint32_t mark = tdm_launching_ops_replayed(by, row) ? by->call_of[row] + 1 : UINT32_MAX;
  int64_t dur_ns = tdm_table_end_ns(by->work, row) - tdm_table_start_ns(by->work, row);
  to->gpu_ns += dur_ns;
  to->pieces++;
  to->count += seen[by->op[row]] != mark;
  seen[by->op[row]] = mark;
  if (dur_ns < to->longest_ns) return;
  to->longest_ns = dur_ns;
  to->kernel = tdm_table_name(by->work, row);
}

/* What an operator's rows are told apart by. False: out of memory. */
static bool key_of(launches *l, int64_t split, uint32_t op, int64_t key[KEYS]) {
  const tdm_table *ops = l->by.ops;
  key[KEY_SPLIT] = split;
  if (!l->ranges) {
    key[KEY_OP] = tdm_table_name(ops, op);
    for (size_t i = 0; i < 3; i++) key[KEY_DIMS + i] = tdm_table_arg(ops, ARG_DIMS + i, op);
    return true;
  }
  key[KEY_OP] = tdm_base_names_id(&l->ops, l->view, tdm_table_name(ops, op));
  key[KEY_DIMS] = tdm_base_names_id(&l->sizes, l->view, tdm_table_name(ops, op));
  key[KEY_TYPES] = key[KEY_CONCRETE] = TDM_NONE;
  return key[KEY_OP] != TDM_NONE && key[KEY_DIMS] != TDM_NONE;
}

static void put_names(const launches *l, const int64_t *key, tdm_frame *frame) {
  if (l->ranges) {
    const char *dims = tdm_base_names_text(&l->sizes, key[KEY_DIMS]);
    tdm_frame_text(frame, NAME, tdm_base_names_text(&l->ops, key[KEY_OP]));
    if (dims[0] != 0) tdm_frame_text(frame, DIMS, dims);
    return;
  }
  tdm_frame_name(frame, NAME, tdm_run_view_name(l->view, key[KEY_OP]));
  for (int i = 0; i < 3; i++)
    if (key[KEY_DIMS + i] != TDM_NONE)
      tdm_frame_name(frame, DIMS + (size_t)i, tdm_run_view_name(l->view, key[KEY_DIMS + i]));
}

static void put(const launches *l, const int64_t *key, const figures *f, double all_ns,
                tdm_frame *frame) {
  tdm_frame_row(frame);
  if (all_ns > 0) tdm_frame_real(frame, SHARE, (double)f->gpu_ns / all_ns);
  tdm_frame_int(frame, GPU_NS, f->gpu_ns);
  tdm_frame_int(frame, COUNT, f->count);
  tdm_frame_int(frame, PIECES, f->pieces);
  tdm_split_put(l->view, TDM_SPLIT_DEVICE, key[KEY_SPLIT], frame, SPLIT);
  put_names(l, key, frame);
  tdm_frame_name(frame, KERNEL, tdm_run_view_name(l->view, f->kernel));
}

static tdm_status group_rows(launches *l, tdm_groups *groups, tdm_error *error) {
  const tdm_launching_ops *by = &l->by;
  int64_t *split = tdm_split_keys(l->view, TDM_SPLIT_DEVICE), key[KEYS];
  bool failed = split == NULL;
  for (size_t i = 0; !failed && i < by->work->count; i++)
    if (by->op[i] != TDM_NO_ROW)
      failed = !key_of(l, split[tdm_table_track(by->work, i)], by->op[i], key) ||
               tdm_groups_add(groups, key) == UINT32_MAX;
  free(split);
  return failed ? tdm_error_memory(error, "shapes of operators", by->work->count) : TDM_OK;
}

static tdm_status by_shapes(launches *l, tdm_frame *frame, tdm_error *error) {
  const tdm_launching_ops *by = &l->by;
  tdm_groups groups;
  tdm_status status = tdm_groups_open(&groups, KEYS, by->work->count, error);
  if (status == TDM_OK) status = group_rows(l, &groups, error);
  figures *sums = tdm_array_new(groups.count + 1, sizeof *sums);
  uint32_t *seen = tdm_array_new(by->ops->count + 1, sizeof *seen);
  if (status == TDM_OK && (sums == NULL || seen == NULL))
    status = tdm_error_memory(error, "shapes of operators", groups.count * sizeof *sums);
  if (status == TDM_OK) {
    double all_ns = 0;
    size_t row = 0;
    for (size_t g = 0; g < groups.count; g++) sums[g].group = (uint32_t)g;
    for (size_t i = 0; i < by->work->count; i++)
      if (by->op[i] != TDM_NO_ROW) add(by, i, &sums[groups.group[row++]], seen);
    for (size_t i = 0; i < by->work->count; i++)
      all_ns += (double)(tdm_table_end_ns(by->work, i) - tdm_table_start_ns(by->work, i));
    qsort(sums, groups.count, sizeof *sums, order);
    for (size_t g = 0; g < groups.count; g++)
      put(l, groups.key + sums[g].group * KEYS, &sums[g], all_ns, frame);
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
    failed = tdm_groups_add(&groups, &split[tdm_table_track(work, i)]) == UINT32_MAX;
  extent *of = tdm_array_new(groups.count + 1, sizeof *of);
  if (status == TDM_OK && (failed || of == NULL))
    status = tdm_error_memory(error, "GPUs", groups.count * sizeof *of);
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) {
    extent *e = &of[groups.group[i]];
    if (e->gpu_ns == 0 || tdm_table_start_ns(work, i) < e->first_ns)
      e->first_ns = tdm_table_start_ns(work, i);
    if (e->gpu_ns == 0 || tdm_table_end_ns(work, i) > e->last_ns)
      e->last_ns = tdm_table_end_ns(work, i);
    e->gpu_ns += tdm_table_end_ns(work, i) - tdm_table_start_ns(work, i);
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

static void explain(const launches *l, tdm_answer *out) {
  const tdm_launching_ops *by = &l->by;
  if (by->ops->count == 0)
    tdm_answer_cannot(out,
                      "%s no operators (no rows of category cpu_op, nor ranges of NVTX with "
                      "sizes in their names, as emit_nvtx(record_shapes=True) writes them)",
                      tdm_run_view_lacking(l->view, &wanted));
  else if (by->found == 0)
    tdm_answer_cannot(out, "no GPU work has an API call of the same correlation, nor an operator "
                           "of the same external_id");
  else if (!l->ranges && !has_shapes(by))
    tdm_answer_cannot(out, "operators have no shapes (Input Dims): profile with "
                           "record_shapes=True");
  else
    tdm_answer_basis(out, "%zu of %zu GPU operations were launched in %s", by->found,
                     by->work->count, l->ranges ? "a range" : "an operator");
  tdm_launching_ops_say(by, out);
}

tdm_status tdm_answer_roofline(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                               tdm_error *error) {
  launches l = {.view = view};
  (void)options;
  tdm_status status = open_launches(&l, error);
  tdm_frame *frame = tdm_answer_frame(out, "shapes", fields, FIELDS);
  tdm_frame *gpus = tdm_answer_frame(out, "gpus", gpu_fields, GPU_FIELDS);
  if (status == TDM_OK && l.by.ops->count > 0) status = by_shapes(&l, frame, error);
  if (status == TDM_OK && l.by.ops->count > 0) status = by_gpu(view, l.by.work, gpus, error);
  if (status == TDM_OK) explain(&l, out);
  close_launches(&l);
  return status;
}
