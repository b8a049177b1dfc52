/* Kernels of collectives by what was sent: which collective, how many elements or bytes, in how
 * large a group. One frame, "collectives"; what its bytes are, and how fast that is, is
 * lua/tandem/analysis/collective_work.lua's.
 *
 * Sizes stand with the kernel (Kineto), with the operator that launched it (record_param_comms), or
 * as the payload of the NVTX range of NCCL around its launch. */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/summary/summary.h"
#include "base/memory.h"

#define SIZES                                                                                      \
  {"Collective name", TDM_ARG_TEXT}, {"In msg nelems", TDM_ARG_INT},                               \
      {"Out msg nelems", TDM_ARG_INT}, {"Group size", TDM_ARG_INT}, {                              \
    "dtype", TDM_ARG_TEXT                                                                          \
  }
enum { NAME, IN, OUT, GROUP, TYPE, TOLD }; /* what a row may tell */

static const char *const kernel_categories[] = {"kernel", "memcpy", "memset",
                                                "graph",  "stage",  NULL};
static const tdm_arg kernel_keys[] = {SIZES, {NULL, TDM_ARG_INT}};
/* Rows as those of tdm_gpu_work, so that they have the same numbers. */
static const tdm_wanted wanted_kernels = {.categories = kernel_categories,
                                          .keys = kernel_keys,
                                          .stage_lanes = 1u << TDM_LANE_GPU | 1u << TDM_LANE_H2D |
                                                         1u << TDM_LANE_D2H};

static const char *const op_categories[] = {"cpu_op", NULL};
static const tdm_arg op_keys[] = {{"external_id", TDM_ARG_INT}, SIZES, {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_ops = {.categories = op_categories, .keys = op_keys};

static const char *const range_categories[] = {"nvtx", NULL};
static const tdm_arg range_keys[] = {
    {"external_id", TDM_ARG_INT}, {"payload", TDM_ARG_JSON}, {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_ranges = {.categories = range_categories, .keys = range_keys};
enum { RANGE_PAYLOAD = 1 };

static const tdm_field fields[] = {
    {"gpu_ns", TDM_FIELD_INT}, {"shortest_ns", TDM_FIELD_INT}, {"count", TDM_FIELD_INT},
    TDM_SPLIT_FIELDS,          {"name", TDM_FIELD_TEXT}, /* of the collective, or the range */
    {"sent", TDM_FIELD_INT},   {"received", TDM_FIELD_INT},    {"group", TDM_FIELD_INT},
    {"type", TDM_FIELD_TEXT},  {"payload", TDM_FIELD_TEXT},    {"kernel", TDM_FIELD_TEXT}};
enum {
  GPU_NS,
  SHORTEST,
  COUNT,
  SPLIT,
  FIELD_NAME = SPLIT + TDM_SPLIT_FIELD_COUNT,
  FIELD_SENT,
  FIELD_RECEIVED,
  FIELD_GROUP,
  FIELD_TYPE,
  FIELD_PAYLOAD,
  FIELD_KERNEL,
  FIELDS
};

enum { KEY_SPLIT, KEY_KERNEL, KEY_PAYLOAD, KEY_TOLD, KEYS = KEY_TOLD + TOLD };

typedef struct {
  tdm_run_view *view;
  const tdm_table *kernels;
  tdm_launching_ops ops, ranges;
  uint8_t *classes;
  tdm_groups groups;
  int64_t *ns; /* by row of the groups */
} gathering;

/* What the operator around a kernel's launch says, or one around that. */
static void ask_ops(const tdm_launching_ops *by, size_t row, int64_t key[KEYS]) {
  uint32_t op = by->ops->count > 0 ? by->op[row] : TDM_NO_ROW;
  while (op != TDM_NO_ROW && tdm_table_arg(by->ops, 1 + IN, op) == TDM_NONE)
    op = by->nesting.parent[op];
  if (op == TDM_NO_ROW) return;
  for (size_t i = 0; i < TOLD; i++) key[KEY_TOLD + i] = tdm_table_arg(by->ops, 1 + i, op);
}

/* The innermost range with a payload. */
static void ask_ranges(const tdm_launching_ops *by, size_t row, int64_t key[KEYS]) {
  uint32_t range = by->ops != NULL && by->ops->count > 0 ? by->op[row] : TDM_NO_ROW;
  while (range != TDM_NO_ROW && tdm_table_arg(by->ops, RANGE_PAYLOAD, range) == TDM_NONE)
    range = by->nesting.parent[range];
  if (range == TDM_NO_ROW) return;
  key[KEY_TOLD + NAME] = tdm_table_name(by->ops, range);
  key[KEY_PAYLOAD] = tdm_table_arg(by->ops, RANGE_PAYLOAD, range);
}

static bool gather(gathering *g) {
  const tdm_table *kernels = g->kernels;
  int64_t *split = tdm_split_keys(g->view, TDM_SPLIT_DEVICE);
  bool done = split != NULL;
  for (size_t i = 0; done && i < kernels->count; i++) {
    if (g->classes[i] != TDM_CLASS_COMM) continue;
    int64_t key[KEYS] = {split[tdm_table_track(kernels, i)], tdm_table_name(kernels, i), TDM_NONE};
    for (size_t k = 0; k < TOLD; k++) key[KEY_TOLD + k] = tdm_table_arg(kernels, k, i);
    if (key[KEY_TOLD + IN] == TDM_NONE) ask_ops(&g->ops, i, key);
    if (key[KEY_TOLD + IN] == TDM_NONE) ask_ranges(&g->ranges, i, key);
    g->ns[g->groups.rows] = tdm_table_end_ns(kernels, i) - tdm_table_start_ns(kernels, i);
    done = tdm_groups_add(&g->groups, key) != UINT32_MAX;
  }
  free(split);
  return done;
}

static void put_name(const gathering *g, tdm_frame *frame, size_t field, int64_t name) {
  if (name != TDM_NONE) tdm_frame_name(frame, field, tdm_run_view_name(g->view, name));
}

static void put(const gathering *g, size_t group, tdm_frame *frame) {
  const int64_t *key = g->groups.key + group * KEYS, *told = key + KEY_TOLD;
  int64_t sum_ns = 0, shortest_ns = INT64_MAX;
  for (size_t i = g->groups.first[group]; i < g->groups.first[group + 1]; i++) {
    int64_t ns = g->ns[g->groups.row[i]];
    sum_ns += ns;
    if (ns < shortest_ns) shortest_ns = ns;
  }
  tdm_frame_row(frame);
  tdm_frame_int(frame, GPU_NS, sum_ns);
  tdm_frame_int(frame, SHORTEST, shortest_ns);
  tdm_frame_int(frame, COUNT, (int64_t)(g->groups.first[group + 1] - g->groups.first[group]));
  tdm_split_put(g->view, TDM_SPLIT_DEVICE, key[KEY_SPLIT], frame, SPLIT);
  put_name(g, frame, FIELD_NAME, told[NAME]);
  tdm_frame_int(frame, FIELD_SENT, told[IN]);
  tdm_frame_int(frame, FIELD_RECEIVED, told[OUT]);
  tdm_frame_int(frame, FIELD_GROUP, told[GROUP]);
  put_name(g, frame, FIELD_TYPE, told[TYPE]);
  put_name(g, frame, FIELD_PAYLOAD, key[KEY_PAYLOAD]);
  put_name(g, frame, FIELD_KERNEL, key[KEY_KERNEL]);
}

static tdm_status load(gathering *g, tdm_error *error) {
  tdm_status status = tdm_run_view_table(g->view, &wanted_kernels, &g->kernels, error);
  if (status == TDM_OK) status = tdm_launching_ops_open(g->view, &wanted_ops, &g->ops, error);
  if (status == TDM_OK && tdm_run_view_has_key(g->view, "nvtx", "payload"))
    status = tdm_launching_ops_open(g->view, &wanted_ranges, &g->ranges, error);
  return status;
}

tdm_status tdm_collective_sizes(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error) {
  gathering g = {.view = view};
  (void)options;
  tdm_status status = load(&g, error);
  tdm_frame *frame = tdm_answer_frame(out, "collectives", fields, FIELDS);
  if (status == TDM_OK) {
    g.classes = tdm_gpu_classes(view, g.kernels);
    g.ns = tdm_array_new(g.kernels->count + 1, sizeof *g.ns);
    status = tdm_groups_open(&g.groups, KEYS, g.kernels->count, error);
  }
  if (status == TDM_OK && (g.classes == NULL || g.ns == NULL || !gather(&g)))
    status = tdm_error_memory(error, "collectives", 0);
  if (status == TDM_OK) status = tdm_groups_gather(&g.groups, error);
  for (size_t i = 0; status == TDM_OK && i < g.groups.count; i++) put(&g, i, frame);
  tdm_groups_close(&g.groups);
  free(g.classes);
  free(g.ns);
  tdm_launching_ops_close(&g.ops);
  tdm_launching_ops_close(&g.ranges);
  return status;
}
