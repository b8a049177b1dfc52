/* Stacks by weight: what a flame graph is made of.
 *
 * Options: "weight" host (time on threads), gpu (time of the work launched inside a frame) or
 * samples, by default the first of these that the run has; "least_ns", "least_share", "depth",
 * "small_ns", "merge", "only" (categories of host spans, with commas). Frames "functions" and
 * "stacks", the latter in preorder, the heaviest first.
 *
 * The stacks are inside.h's and inside.h's; here the options, which tree is made, and its two
 * frames. */
#include "analysis/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/flame/inside.h"
#include "base/memory.h"

typedef enum { WEIGHT_HOST, WEIGHT_GPU, WEIGHT_SAMPLES, WEIGHT_ANY } weights;

typedef struct {
  tdm_run_view *view;
  weights weight;
  double least_ns, least_share;
  tdm_flame_limits limits;
  uint32_t kinds;
  bool merged;
  tdm_intern texts;
  tdm_flame_tree tree;
  tdm_answer *out;
} flame;

/* ---- options ---- */

static tdm_status read_only(flame *f, const char *list, tdm_error *error) {
  f->kinds = list == NULL ? UINT32_MAX : 0;
  while (list != NULL && *list != 0) {
    size_t length = strcspn(list, ",");
    uint32_t kind = 0;
    while (kind < TDM_FLAME_KERNEL && (strlen(tdm_flame_kind_name(kind)) != length ||
                                       strncmp(tdm_flame_kind_name(kind), list, length) != 0))
      kind++;
    if (kind == TDM_FLAME_KERNEL)
      return tdm_error_set(error, TDM_INVALID,
                           "'only' cannot be '%.*s'; it can be nvtx, user_annotation, cpu_op, "
                           "python_function, runtime, driver, osrt, mpi, nccl, sample",
                           (int)length, list);
    f->kinds |= 1u << kind;
    list += length + (list[length] == ',');
  }
  return TDM_OK;
}

static tdm_status read_options(flame *f, const tdm_options *options, tdm_error *error) {
  static const char *const names[] = {"host", "gpu", "samples"};
  const char *weight = tdm_option_text(options, "weight", NULL);
  f->weight = WEIGHT_ANY;
  for (int i = 0; weight != NULL && i < WEIGHT_ANY; i++)
    if (strcmp(weight, names[i]) == 0) f->weight = (weights)i;
  if (weight != NULL && f->weight == WEIGHT_ANY)
    return tdm_error_set(error, TDM_INVALID, "'weight' cannot be '%s'", weight);
  f->least_ns = tdm_option_number(options, "least_ns", 0);
  f->least_share = tdm_option_number(options, "least_share", 0);
  double depth = tdm_option_number(options, "depth", 0);
  f->limits = (tdm_flame_limits){
      .deepest = depth >= 1 && depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX,
      .small_mean = (int64_t)fmin(tdm_option_number(options, "small_ns", 0), 9e18),
      .small_kinds = 1u << TDM_FLAME_KERNEL | 1u << TDM_FLAME_MEMCPY | 1u << TDM_FLAME_MEMSET |
                     1u << TDM_FLAME_GRAPH | 1u << TDM_FLAME_STAGE,
      .gathered = TDM_FLAME_GATHERED};
  f->merged = tdm_option_flag(options, "merge") != 0;
  return read_only(f, tdm_option_text(options, "only", NULL), error);
}

/* ---- which tree ---- */

static void say_host(flame *f, const tdm_flame_stacks *stacks) {
  tdm_answer_basis(f->out, "weight: time on the thread while a frame was open, the time of the "
                           "frames in it included, of what the filter leaves; threads add up");
  if (stacks->cut > 0)
    tdm_answer_basis(f->out,
                     "%zu of %zu spans outlast the one they began in and are cut there "
                     "(%s in all)",
                     stacks->cut, stacks->spans, tdm_answer_time((double)stacks->cut_ns).text);
}

static const char *lacking(const flame *f, const tdm_wanted *wanted) {
  return tdm_run_view_lacking(f->view, wanted);
}

static void say_launched(flame *f, const tdm_flame_stacks *stacks, const tdm_flame_launched *seen) {
  tdm_answer_basis(f->out, "weight: time of kernels, copies and memsets on GPUs, under the frames "
                           "that were open when they were launched; what overlaps counts each");
  if (seen->without_call == 0) return;
  bool has_calls = stacks->launched != NULL && stacks->launched->calls->count > 0;
  tdm_answer_basis(
      f->out,
      "%zu of %zu have no recorded call%s (%.1f %% of the time) and lie under "
      "their streams",
      seen->without_call, seen->rows, has_calls ? "" : ": the run has no API calls",
      seen->total_ns > 0 ? 100.0 * (double)seen->without_call_ns / (double)seen->total_ns : 0.0);
}

/* *any: whether there is GPU work at all. */
static tdm_status build_launched(flame *f, tdm_flame_stacks *stacks, bool *any, tdm_error *error) {
  tdm_flame_tree host;
  tdm_flame_launched seen = {0};
  tdm_status status = tdm_flame_open(&host, TDM_FLAME_ROOT, error);
  stacks->tree = &host;
  if (status == TDM_OK) status = tdm_flame_stacks_read(stacks, false, error);
  if (status == TDM_OK) status = tdm_flame_launched_read(stacks, &f->tree, &seen, error);
  if (status == TDM_OK && seen.rows > 0) say_launched(f, stacks, &seen);
  *any = seen.rows > 0;
  tdm_flame_close(&host);
  return status;
}

static tdm_status build_samples(flame *f, tdm_flame_stacks *stacks, tdm_error *error) {
  tdm_status status = tdm_flame_stacks_samples(stacks, error);
  if (status == TDM_OK && stacks->spans > 0)
    tdm_answer_basis(f->out, "weight: samples whose stack has the frame");
  if (status == TDM_OK && stacks->spans == 0)
    tdm_answer_cannot(f->out,
                      "stacks by samples: %s no sampled stacks (no instants of category "
                      "sample)",
                      lacking(f, &tdm_flame_samples));
  return status;
}

static tdm_status build_host(flame *f, tdm_flame_stacks *stacks, tdm_error *error) {
  tdm_status status = tdm_flame_stacks_read(stacks, true, error);
  if (status == TDM_OK && stacks->spans > 0) say_host(f, stacks);
  if (status == TDM_OK && stacks->spans == 0)
    tdm_answer_cannot(f->out,
                      "stacks by host time: %s no spans on threads (categories nvtx, "
                      "user_annotation, cpu_op, python_function, runtime, driver, osrt, "
                      "mpi, nccl, sample)",
                      lacking(f, &tdm_flame_spans));
  return status;
}

/* The first weight that the run has something of. */
static tdm_status build_any(flame *f, tdm_flame_stacks *stacks, tdm_error *error) {
  f->weight = WEIGHT_HOST;
  tdm_status status = tdm_flame_stacks_read(stacks, true, error);
  if (status != TDM_OK || stacks->spans > 0) {
    if (status == TDM_OK) say_host(f, stacks);
    return status;
  }
  status = tdm_flame_stacks_samples(stacks, error);
  if (status == TDM_OK && stacks->spans > 0) {
    f->weight = WEIGHT_SAMPLES;
    tdm_answer_basis(f->out, "weight: samples whose stack has the frame");
    return status;
  }
  f->weight = WEIGHT_GPU;
  bool any = false;
  if (status == TDM_OK) status = build_launched(f, stacks, &any, error);
  if (status == TDM_OK && !any)
    tdm_answer_cannot(f->out,
                      "%s neither spans on threads (nvtx, cpu_op, python_function, runtime, "
                      "driver, osrt …) nor sampled stacks nor GPU work",
                      tdm_run_view_filtered(f->view) ? "the filter leaves" : "the run has");
  return status;
}

static tdm_status build_gpu(flame *f, tdm_flame_stacks *stacks, tdm_error *error) {
  bool any = false;
  tdm_status status = build_launched(f, stacks, &any, error);
  if (status == TDM_OK && !any)
    tdm_answer_cannot(f->out,
                      "stacks by GPU time: %s no GPU work (no rows of category kernel, "
                      "memcpy, memset or graph)",
                      lacking(f, &tdm_gpu_work));
  return status;
}

static tdm_status build(flame *f, tdm_error *error) {
  tdm_flame_stacks stacks = {.view = f->view,
                             .tree = &f->tree,
                             .texts = &f->texts,
                             .kinds = f->kinds,
                             .merged = f->merged};
  tdm_status status = tdm_flame_stacks_open(&stacks, error);
  if (status == TDM_OK) switch (f->weight) {
    case WEIGHT_HOST: status = build_host(f, &stacks, error); break;
    case WEIGHT_GPU: status = build_gpu(f, &stacks, error); break;
    case WEIGHT_SAMPLES: status = build_samples(f, &stacks, error); break;
    case WEIGHT_ANY: status = build_any(f, &stacks, error); break;
    }
  tdm_flame_stacks_close(&stacks);
  return status;
}

/* ---- frames ---- */

static const tdm_field stack_fields[] = {
    {"depth", TDM_FIELD_INT},   {"share", TDM_FIELD_REAL},        {"total_ns", TDM_FIELD_INT},
    {"self_ns", TDM_FIELD_INT}, {"total_samples", TDM_FIELD_INT}, {"self_samples", TDM_FIELD_INT},
    {"count", TDM_FIELD_INT},   {"category", TDM_FIELD_TEXT},     {"name", TDM_FIELD_TEXT}};
enum { STACK_DEPTH, STACK_SHARE, STACK_WEIGHTS, STACK_COUNT = 6, STACK_CATEGORY, STACK_NAME };

static const tdm_field function_fields[] = {
    {"share", TDM_FIELD_REAL},       {"self_ns", TDM_FIELD_INT},       {"total_ns", TDM_FIELD_INT},
    {"self_samples", TDM_FIELD_INT}, {"total_samples", TDM_FIELD_INT}, {"count", TDM_FIELD_INT},
    {"category", TDM_FIELD_TEXT},    {"name", TDM_FIELD_TEXT}};
enum { FUNCTION_SHARE, FUNCTION_WEIGHTS, FUNCTION_COUNT = 5, FUNCTION_CATEGORY, FUNCTION_NAME };

static void put_weights(const flame *f, tdm_frame *frame, size_t field, int64_t first,
                        int64_t second) {
  if (f->weight == WEIGHT_SAMPLES) field += 2;
  tdm_frame_int(frame, field, first);
  tdm_frame_int(frame, field + 1, second);
}

static void put_label(flame *f, tdm_frame *frame, size_t field, uint32_t kind, uint32_t label) {
  if (tdm_flame_is_named(kind)) {
    tdm_frame_name(frame, field, tdm_run_view_name(f->view, label));
  } else if (kind == TDM_FLAME_GATHERED) {
    char text[48];
    snprintf(text, sizeof text, "(%u smaller frame%s)", label, label == 1 ? "" : "s");
    tdm_frame_text(frame, field, text);
  } else {
    tdm_frame_text(frame, field, kind == TDM_FLAME_ROOT ? "all" : f->texts.entries[label].bytes);
  }
}

static double share_of(const flame *f, int64_t weight) {
  int64_t all = f->tree.node[0].total;
  return all > 0 ? (double)weight / (double)all : NAN;
}

static void put_node(flame *f, tdm_frame *frame, uint32_t at) {
  const tdm_flame_node *node = &f->tree.node[at];
  tdm_frame_row(frame);
  tdm_frame_int(frame, STACK_DEPTH, node->depth);
  tdm_frame_real(frame, STACK_SHARE, share_of(f, node->total));
  put_weights(f, frame, STACK_WEIGHTS, node->total, node->self);
  tdm_frame_int(frame, STACK_COUNT, node->count > 0 ? node->count : TDM_NONE);
  tdm_frame_text(frame, STACK_CATEGORY, tdm_flame_kind_name(node->kind));
  put_label(f, frame, STACK_NAME, node->kind, node->label);
}

/* Calls of functions that are open on the way from the root do not add to their totals again. */
typedef struct {
  uint32_t kind, label;
  uint32_t open;
  int64_t self, total, count;
} function;

typedef struct {
  tdm_intern known;
  function *all;
  size_t room;
  uint32_t *of; /* by node */
} functions;

static bool is_function(uint32_t kind) {
  return kind < TDM_FLAME_RANK;
}

static bool number_functions(const flame *f, functions *to) {
  to->of = tdm_array_new(f->tree.count, sizeof *to->of);
  if (to->of == NULL) return false;
  for (size_t i = 0; i < f->tree.count; i++) {
    const tdm_flame_node *node = &f->tree.node[i];
    const uint32_t key[] = {node->kind, node->label};
    if (!is_function(node->kind)) continue;
    int fresh;
    uint32_t id = tdm_intern_put(&to->known, key, sizeof key, &fresh);
    if (id == TDM_INTERN_FAILED ||
        !tdm_array_grow(&to->all, &to->room, (size_t)id + 1, sizeof *to->all))
      return false;
    if (fresh) to->all[id] = (function){.kind = node->kind, .label = node->label};
    to->of[i] = id;
    to->all[id].self += node->self;
    to->all[id].count += node->count;
  }
  return true;
}

static void enter(const flame *f, functions *to, uint32_t at) {
  const tdm_flame_node *node = &f->tree.node[at];
  if (!is_function(node->kind)) return;
  function *one = &to->all[to->of[at]];
  if (one->open++ == 0) one->total += node->total;
}

static void leave(const flame *f, functions *to, uint32_t at) {
  if (is_function(f->tree.node[at].kind)) to->all[to->of[at]].open--;
}

/* Every node in preorder, the heaviest child first; functions are entered and left on the way. */
static tdm_status walk(flame *f, functions *to, tdm_error *error) {
  tdm_frame *frame =
      tdm_answer_frame(f->out, "stacks", stack_fields, sizeof stack_fields / sizeof *stack_fields);
  const tdm_flame_tree *tree = &f->tree;
  size_t *next = tdm_array_new(tree->count, sizeof *next);
  if (next == NULL) return tdm_error_memory(error, "stacks", tree->count * sizeof *next);
  memcpy(next, tree->first, tree->count * sizeof *next);
  put_node(f, frame, 0);
  for (uint32_t at = 0;;) {
    if (next[at] < tree->first[at + 1]) {
      at = tree->child[next[at]++];
      put_node(f, frame, at);
      enter(f, to, at);
    } else if (at == 0) {
      break;
    } else {
      leave(f, to, at);
      at = tree->node[at].parent;
    }
  }
  free(next);
  return TDM_OK;
}

static int most_own_first(const void *a, const void *b) {
  const function *p = a, *q = b;
  if (p->self != q->self) return p->self > q->self ? -1 : 1;
  if (p->total != q->total) return p->total > q->total ? -1 : 1;
  if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
  return p->label < q->label ? -1 : p->label > q->label;
}

static void put_functions(flame *f, functions *from, tdm_frame *frame) {
  if (from->known.count > 0) qsort(from->all, from->known.count, sizeof *from->all, most_own_first);
  for (size_t i = 0; i < from->known.count; i++) {
    const function *one = &from->all[i];
    tdm_frame_row(frame);
    tdm_frame_real(frame, FUNCTION_SHARE, share_of(f, one->self));
    put_weights(f, frame, FUNCTION_WEIGHTS, one->self, one->total);
    tdm_frame_int(frame, FUNCTION_COUNT, one->count > 0 ? one->count : TDM_NONE);
    tdm_frame_text(frame, FUNCTION_CATEGORY, tdm_flame_kind_name(one->kind));
    put_label(f, frame, FUNCTION_NAME, one->kind, one->label);
  }
}

static tdm_status put(flame *f, tdm_error *error) {
  functions all = {0};
  tdm_frame *frame = tdm_answer_frame(f->out, "functions", function_fields,
                                      sizeof function_fields / sizeof *function_fields);
  tdm_status status = TDM_OK;
  if (!number_functions(f, &all))
    status = tdm_error_memory(error, "functions", f->tree.count * sizeof(function));
  if (status == TDM_OK) status = tdm_flame_order(&f->tree, error);
  if (status == TDM_OK) status = walk(f, &all, error);
  if (status == TDM_OK) put_functions(f, &all, frame);
  tdm_intern_clear(&all.known);
  free(all.all);
  free(all.of);
  return status;
}

/* ---- the answer ---- */

static tdm_status prune(flame *f, tdm_error *error) {
  double least = fmax(f->least_ns, f->least_share * (double)f->tree.node[0].total);
  f->limits.least = (int64_t)ceil(fmin(fmax(least, 0), 9e18));
  if (f->limits.least == 0 && f->limits.small_mean == 0 && f->limits.deepest == UINT32_MAX)
    return TDM_OK;
  return tdm_flame_prune(&f->tree, &f->limits, error);
}

tdm_status tdm_answer_flame(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error) {
  flame f = {.view = view, .out = out};
  tdm_status status = read_options(&f, options, error);
  if (status == TDM_OK) status = tdm_flame_open(&f.tree, TDM_FLAME_ROOT, error);
  if (status == TDM_OK) status = build(&f, error);
  if (status == TDM_OK && f.tree.count > 1) {
    tdm_flame_sum(&f.tree);
    status = prune(&f, error);
    if (status == TDM_OK) status = put(&f, error);
  } else if (status == TDM_OK) {
    tdm_answer_frame(out, "functions", function_fields,
                     sizeof function_fields / sizeof *function_fields);
    tdm_answer_frame(out, "stacks", stack_fields, sizeof stack_fields / sizeof *stack_fields);
  }
  tdm_flame_close(&f.tree);
  tdm_intern_clear(&f.texts);
  return status;
}
