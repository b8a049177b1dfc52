/* Ranges projected onto GPUs: from the start of the first to the end of the last operation that was
 * launched inside, as `nsys stats -r nvtx_gpu_proj_sum` has them. Options: each = "device",
 * "stream" (a range is projected onto each apart), "process", "rank", "thread". A range that nests
 * on its thread has the calls that lie in it; one that does not (start and end) has those that its
 * thread began while it was open, no level and no children.
 *
 * Operations go to the innermost range around their call; then, from the last range to the first,
 * each range is joined into the one around it. One projection a range and part of the GPUs (device
 * or stream, when split by them), in a list that is short. */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/summary/inside.h"
#include "analysis/summary/summary.h"
#include "base/memory.h"

static const tdm_field fields[] = {TDM_SUMMARY_FIELDS,
                                   TDM_SPLIT_FIELDS,
                                   {"range_ns", TDM_FIELD_INT},
                                   {"gpu_ops", TDM_FIELD_INT},
                                   {"mean_gpu_ops", TDM_FIELD_REAL},
                                   {"mean_level", TDM_FIELD_REAL},
                                   {"mean_children", TDM_FIELD_REAL},
                                   {"style", TDM_FIELD_TEXT},
                                   {"domain", TDM_FIELD_TEXT},
                                   TDM_LABEL_FIELDS("name")};
enum {
  FIELD_SPLIT = TDM_SUMMARY_FIELD_COUNT,
  FIELD_RANGE_TIME = FIELD_SPLIT + TDM_SPLIT_FIELD_COUNT,
  FIELD_OPS,
  FIELD_MEAN_OPS,
  FIELD_LEVEL,
  FIELD_CHILDREN,
  FIELD_STYLE,
  FIELD_DOMAIN,
  FIELD_NAME,
  FIELD_NAMES,
  FIELDS
};

enum { KEY_SPLIT, KEY_NAME, KEY_DOMAIN, KEY_CATEGORY, KEY_NESTS, KEYS };

typedef struct {
  int64_t first_ns, last_ns, part;
  uint32_t ops, children, next; /* next: number + 1 of the range's next projection */
} projection;

typedef struct {
  int64_t projected_ns, range_ns, ops, children, level;
} instance;

typedef struct {
  tdm_run_view *view;
  tdm_split split;
  bool by_part;      /* the split is one of the GPUs' */
  int64_t *split_of; /* by track */
  const tdm_range_work *work;
  tdm_labels labels;
  projection *projection;
  size_t projections, room;
  uint32_t *head;  /* by nested range: number + 1 of its first projection */
  uint32_t *level; /* by nested range */
  tdm_groups groups;
  instance *instance;
  tdm_free_projections free;
} projecting;

/* ---- gathering ---- */

static int64_t part_of(const projecting *p, size_t op) {
  return p->by_part ? p->split_of[tdm_table_track(p->work->work, op)] : 0;
}

static projection *projection_for(projecting *p, uint32_t range, int64_t part) {
  uint32_t at = p->head[range];
  for (; at != 0; at = p->projection[at - 1].next)
    if (p->projection[at - 1].part == part) return &p->projection[at - 1];
  if (!tdm_array_grow(&p->projection, &p->room, p->projections + 1, sizeof *p->projection))
    return NULL;
  projection *made = &p->projection[p->projections++];
  *made = (projection){
      .first_ns = INT64_MAX, .last_ns = INT64_MIN, .part = part, .next = p->head[range]};
  p->head[range] = (uint32_t)p->projections;
  return made;
}

static int join(projecting *p, uint32_t range, int64_t part, int64_t first_ns, int64_t last_ns,
                uint32_t ops, uint32_t children) {
  projection *to = projection_for(p, range, part);
  if (to == NULL) return 0;
  if (first_ns < to->first_ns) to->first_ns = first_ns;
  if (last_ns > to->last_ns) to->last_ns = last_ns;
  to->ops += ops;
  to->children += children;
  return 1;
}

static int gather(projecting *p) {
  const tdm_correlation *launched = p->work->launched;
  for (size_t call = 0; call < p->work->calls->count; call++) {
    uint32_t range = p->work->nesting.innermost[call];
    if (range == TDM_NO_ROW) continue;
    for (size_t e = launched->first[call]; e < launched->first[call + 1]; e++) {
      size_t op = launched->effect[e];
      if (!join(p, range, part_of(p, op), tdm_table_start_ns(p->work->work, op),
                tdm_table_end_ns(p->work->work, op), 1, 0))
        return 0;
    }
  }
  for (size_t range = p->work->nested->count; range-- > 0;) {
    uint32_t parent = p->work->nesting.parent[range];
    for (uint32_t at = p->head[range]; at != 0 && parent != TDM_NO_ROW;
         at = p->projection[at - 1].next) {
      projection one = p->projection[at - 1]; /* the list may move */
      if (!join(p, parent, one.part, one.first_ns, one.last_ns, one.ops, 1)) return 0;
    }
  }
  return 1;
}

/* ---- instances and groups ---- */

static int add(projecting *p, const tdm_table *table, size_t range, int64_t part, instance one) {
  int64_t key[KEYS];
  key[KEY_SPLIT] = p->by_part ? part : p->split_of[tdm_table_track(table, range)];
  key[KEY_NAME] = tdm_label_of(&p->labels, tdm_table_name(table, range));
  key[KEY_DOMAIN] = tdm_table_arg(table, TDM_RANGE_DOMAIN, range);
  key[KEY_CATEGORY] = tdm_table_category(table, range);
  key[KEY_NESTS] = table == p->work->nested;
  one.range_ns = tdm_table_end_ns(table, range) - tdm_table_start_ns(table, range);
  p->instance[p->groups.rows] = one;
  return key[KEY_NAME] != TDM_NONE && tdm_groups_add(&p->groups, key) != UINT32_MAX;
}

static int add_all(projecting *p) {
  for (size_t range = 0; range < p->work->nested->count; range++) {
    uint32_t parent = p->work->nesting.parent[range];
    p->level[range] = parent == TDM_NO_ROW ? 0 : p->level[parent] + 1;
    for (uint32_t at = p->head[range]; at != 0; at = p->projection[at - 1].next) {
      const projection *one = &p->projection[at - 1];
      if (!add(p, p->work->nested, range, one->part,
               (instance){.projected_ns = one->last_ns - one->first_ns,
                          .ops = one->ops,
                          .children = one->children,
                          .level = p->level[range]}))
        return 0;
    }
  }
  for (size_t i = 0; i < p->free.count; i++) {
    const tdm_free_projection *one = &p->free.projection[i];
    if (!add(p, one->nests ? p->work->nested : p->work->free, one->range, one->part,
             (instance){.projected_ns = one->last_ns - one->first_ns, .ops = one->ops}))
      return 0;
  }
  return 1;
}

/* ---- the answer ---- */

static void put(projecting *p, tdm_summary_line *line, const instance *sum, tdm_frame *frame) {
  const int64_t *key = p->groups.key + line->group * KEYS;
  double count = (double)line->moments.count;
  line->share = NAN; /* projections lie in one another: there is nothing they are shares of */
  tdm_frame_row(frame);
  tdm_summary_put(frame, 0, line);
  tdm_split_put(p->view, p->split, key[KEY_SPLIT], frame, FIELD_SPLIT);
  tdm_frame_int(frame, FIELD_RANGE_TIME, sum->range_ns);
  tdm_frame_int(frame, FIELD_OPS, sum->ops);
  tdm_frame_real(frame, FIELD_MEAN_OPS, (double)sum->ops / count);
  tdm_frame_real(frame, FIELD_LEVEL, (double)sum->level / count);
  tdm_frame_real(frame, FIELD_CHILDREN, (double)sum->children / count);
  tdm_frame_name(frame, FIELD_STYLE, tdm_range_style(key[KEY_CATEGORY], key[KEY_NESTS]));
  if (key[KEY_DOMAIN] != TDM_NONE)
    tdm_frame_name(frame, FIELD_DOMAIN, tdm_run_view_name(p->view, key[KEY_DOMAIN]));
  tdm_label_put_counted(&p->labels, frame, FIELD_NAME, key[KEY_NAME]);
}

static tdm_status summarize(projecting *p, tdm_frame *frame, tdm_error *error) {
  int64_t *value = tdm_array_new(p->groups.rows + 1, sizeof *value);
  instance *sum = tdm_array_new(p->groups.count + 1, sizeof *sum);
  tdm_summary_line *lines = NULL;
  tdm_status status =
      value == NULL || sum == NULL ? tdm_error_memory(error, "projections", 0) : TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < p->groups.rows; i++) {
    const instance *one = &p->instance[i];
    instance *to = &sum[p->groups.group[i]];
    value[i] = one->projected_ns;
    to->range_ns += one->range_ns;
    to->ops += one->ops;
    to->level += one->level;
    to->children += one->children;
  }
  if (status == TDM_OK) status = tdm_summary_of(&p->groups, value, &lines, error);
  for (size_t g = 0; status == TDM_OK && g < p->groups.count; g++)
    put(p, &lines[g], &sum[lines[g].group], frame);
  free(lines);
  free(value);
  free(sum);
  return status;
}

static tdm_status project(projecting *p, tdm_frame *frame, tdm_error *error) {
  size_t ranges = p->work->nested->count;
  p->split_of = tdm_split_keys(p->view, p->split);
  p->head = tdm_array_new(ranges + 1, sizeof *p->head);
  p->level = tdm_array_new(ranges + 1, sizeof *p->level);
  if (p->split_of == NULL || p->head == NULL || p->level == NULL || !gather(p))
    return tdm_error_memory(error, "projections", ranges * sizeof *p->head);
  tdm_status status =
      tdm_free_projections_open(p->view, p->work, p->by_part ? p->split_of : NULL, &p->free, error);
  size_t rows = p->projections + p->free.count;
  if (status == TDM_OK) status = tdm_groups_open(&p->groups, KEYS, rows, error);
  p->instance = tdm_array_new(rows + 1, sizeof *p->instance);
  if (status == TDM_OK && (p->instance == NULL || !add_all(p)))
    status = tdm_error_memory(error, "projections", rows * sizeof *p->instance);
  return status == TDM_OK ? summarize(p, frame, error) : status;
}

tdm_status tdm_answer_projected(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error) {
  projecting p = {.view = view, .labels = tdm_labels_of(view, options)};
  tdm_status status = tdm_split_option(options, &p.split, error);
  p.by_part = p.split == TDM_SPLIT_DEVICE || p.split == TDM_SPLIT_STREAM;
  if (status == TDM_OK) status = tdm_range_work_of(view, &p.work, error);
  tdm_frame *frame = tdm_answer_frame(out, "projected", fields, FIELDS);
  if (status == TDM_OK) status = project(&p, frame, error);
  if (status == TDM_OK) tdm_range_work_explain(view, p.work, out);
  if (status == TDM_OK && p.groups.count == 0 && p.work->launched->joined > 0 &&
      p.work->nested->count + p.work->free->count > 0)
    tdm_answer_cannot(out, "ranges on the GPU: no GPU work was launched inside a range");
  tdm_answer_basis(out, "a projection: from the start of the first to the end of the last GPU "
                        "operation that was launched inside the range on its thread, idle time in "
                        "between included");
  tdm_labels_close(&p.labels);
  tdm_free_projections_close(&p.free);
  tdm_groups_close(&p.groups);
  free(p.split_of);
  free(p.projection);
  free(p.head);
  free(p.level);
  free(p.instance);
  return status;
}
