/* The answer of categories.c as frames and sentences. */
#include <stdlib.h>
#include <string.h>

#include "analysis/rules/inside.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

/* As the tool calls it whose users know this table. */
static const char idle_category[] = "CPU(non-GPU)";

enum { SUM_PART, SUM_CATEGORY, SUM_KEYS };

static tdm_status out_of_memory(tdm_error *error) {
  return tdm_error_memory(error, "categories", 0);
}

static const char *text_of(const tdm_categories *c, int64_t id) {
  return id == TDM_UNMATCHED ? NULL : c->texts.entries[id].bytes;
}

static double share_of(int64_t ns, int64_t all_ns) {
  return all_ns > 0 ? (double)ns / (double)all_ns : 0;
}

/* The wall clock of all devices of a part. */
static int64_t clock_of(const tdm_categories *c, const tdm_part *p) {
  int64_t wall_ns;
  return __builtin_mul_overflow(c->wall_ns, p->devices, &wall_ns) ? INT64_MAX : wall_ns;
}

/* The same, never less than the devices worked. */
static int64_t wall_of(const tdm_categories *c, const tdm_part *p) {
  int64_t wall_ns = clock_of(c, p);
  return wall_ns > p->busy.elapsed_ns ? wall_ns : p->busy.elapsed_ns;
}

static int longest_first(const void *a, const void *b) {
  const tdm_busy_sums *x = a, *y = b;
  if (x->elapsed_ns != y->elapsed_ns) return x->elapsed_ns > y->elapsed_ns ? -1 : 1;
  if (x->total_ns != y->total_ns) return x->total_ns > y->total_ns ? -1 : 1;
  return x->group < y->group ? -1 : x->group > y->group;
}

/* Times of one line of a frame: elapsed, its share of the GPU's, its share of the wall clock,
 * total, count. */
#define AMOUNT_FIELDS                                                                              \
  {"elapsed_ns", TDM_FIELD_INT}, {"share", TDM_FIELD_REAL}, {"wall_share", TDM_FIELD_REAL},        \
      {"total_ns", TDM_FIELD_INT}, {                                                               \
    "count", TDM_FIELD_INT                                                                         \
  }
enum { AMOUNT_FIELD_COUNT = 5 };

static void put_amounts(const tdm_categories *c, tdm_frame *frame, const tdm_busy_sums *a,
                        const tdm_part *p) {
  tdm_frame_int(frame, 0, a->elapsed_ns);
  tdm_frame_real(frame, 1, share_of(a->elapsed_ns, p->busy.elapsed_ns));
  tdm_frame_real(frame, 2, share_of(a->elapsed_ns, wall_of(c, p)));
  tdm_frame_int(frame, 3, a->total_ns);
  tdm_frame_int(frame, 4, a->count);
}

/* Lines by part, in a part the longest first: those of part p are sorted[first[p]] … sorted[first[p
 * + 1] - 1]. */
typedef struct {
  tdm_busy_sums *sorted;
  size_t *first;
} parted;

static void parted_close(parted *by) {
  free(by->sorted);
  free(by->first);
}

static tdm_status parted_open(const tdm_groups *groups, const tdm_busy_sums *from, size_t parts,
                              parted *by, tdm_error *error) {
  *by = (parted){tdm_array_new(groups->count, sizeof *by->sorted),
                 tdm_array_new(parts + 1, sizeof *by->first)};
  if (by->sorted == NULL || by->first == NULL) {
    parted_close(by);
    *by = (parted){0};
    return out_of_memory(error);
  }
  for (size_t g = 0; g < groups->count; g++) by->first[groups->key[g * groups->keys] + 1]++;
  for (size_t p = 0; p < parts; p++) by->first[p + 1] += by->first[p];
  for (size_t g = 0; g < groups->count; g++) {
    tdm_busy_sums *line = &by->sorted[by->first[groups->key[g * groups->keys]]++];
    *line = from[g];
    line->group = g;
  }
  for (size_t p = parts; p > 0; p--) by->first[p] = by->first[p - 1];
  by->first[0] = 0;
  for (size_t p = 0; p < parts; p++) {
    size_t n = by->first[p + 1] - by->first[p];
    if (n > 1) qsort(by->sorted + by->first[p], n, sizeof *by->sorted, longest_first);
  }
  return TDM_OK;
}

typedef struct {
  tdm_groups groups; /* by part and category */
  tdm_busy_sums *amount;
  int64_t *names; /* how many distinct ones */
} sums;

static tdm_status sum_up(const tdm_categories *c, sums *s, tdm_error *error) {
  size_t lines = c->lines.count;
  tdm_status status = tdm_groups_open(&s->groups, SUM_KEYS, lines, error);
  s->amount = tdm_array_new(lines + 1, sizeof *s->amount);
  s->names = tdm_array_new(lines + 1, sizeof *s->names);
  if (status == TDM_OK && (s->amount == NULL || s->names == NULL)) status = out_of_memory(error);
  for (size_t l = 0; status == TDM_OK && l < lines; l++) {
    int64_t sum_key[SUM_KEYS] = {c->lines.key[l * TDM_LINE_KEYS + TDM_LINE_PART],
                                 tdm_subject_of(c, l)->category};
    uint32_t g = tdm_groups_add(&s->groups, sum_key);
    if (g == UINT32_MAX) return out_of_memory(error);
    tdm_busy_sums_add(&s->amount[g], c->line[l].elapsed_ns, c->line[l].total_ns, c->line[l].count);
    s->names[g]++;
  }
  return status;
}

static const tdm_field category_fields[] = {AMOUNT_FIELDS,
                                            TDM_SPLIT_FIELDS,
                                            {"names", TDM_FIELD_INT},
                                            {"category", TDM_FIELD_TEXT},
                                            {"part", TDM_FIELD_INT}};
enum {
  CATEGORY_SPLIT = AMOUNT_FIELD_COUNT,
  CATEGORY_NAMES = CATEGORY_SPLIT + TDM_SPLIT_FIELD_COUNT,
  CATEGORY_TEXT,
  CATEGORY_PART,
  CATEGORY_FIELDS
};

static void put_idle(const tdm_categories *c, tdm_frame *frame, size_t index) {
  const tdm_part *p = &c->part[index];
  int64_t wall_ns = wall_of(c, p), idle_ns = wall_ns - p->busy.elapsed_ns;
  tdm_frame_row(frame);
  tdm_frame_int(frame, 0, idle_ns);
  tdm_frame_real(frame, 2, share_of(idle_ns, wall_ns));
  tdm_split_put(c->view, c->split, c->parts.key[index], frame, CATEGORY_SPLIT);
  tdm_frame_int(frame, CATEGORY_PART, (int64_t)index);
  tdm_frame_name(frame, CATEGORY_TEXT, idle_category);
}

static tdm_status put_categories(const tdm_categories *c, const size_t *order, tdm_answer *out,
                                 tdm_error *error) {
  sums s = {0};
  tdm_status status = sum_up(c, &s, error);
  parted by = {0};
  if (status == TDM_OK) status = parted_open(&s.groups, s.amount, c->parts.count, &by, error);
  tdm_frame *frame = tdm_answer_frame(out, "categories", category_fields, CATEGORY_FIELDS);
  for (size_t i = 0; status == TDM_OK && i < c->parts.count; i++) {
    size_t p = order[i];
    for (size_t k = by.first[p]; k < by.first[p + 1]; k++) {
      const int64_t *key = s.groups.key + by.sorted[k].group * SUM_KEYS;
      tdm_frame_row(frame);
      put_amounts(c, frame, &by.sorted[k], &c->part[p]);
      tdm_frame_int(frame, CATEGORY_PART, (int64_t)p);
      tdm_split_put(c->view, c->split, c->parts.key[p], frame, CATEGORY_SPLIT);
      tdm_frame_int(frame, CATEGORY_NAMES, s.names[by.sorted[k].group]);
      tdm_frame_name(frame, CATEGORY_TEXT, "unmatched");
      if (key[SUM_CATEGORY] != TDM_UNMATCHED)
        tdm_frame_text(frame, CATEGORY_TEXT, text_of(c, key[SUM_CATEGORY]));
    }
    put_idle(c, frame, p);
  }
  tdm_groups_close(&s.groups);
  free(s.amount);
  free(s.names);
  parted_close(&by);
  return status;
}

static const tdm_field kernel_fields[] = {AMOUNT_FIELDS,
                                          TDM_SPLIT_FIELDS,
                                          {"category", TDM_FIELD_TEXT},
                                          {"rule", TDM_FIELD_TEXT},
                                          {"phase", TDM_FIELD_TEXT},
                                          {"library", TDM_FIELD_TEXT},
                                          {"dtype", TDM_FIELD_TEXT},
                                          {"tensor_core", TDM_FIELD_BOOL},
                                          {"name", TDM_FIELD_TEXT},
                                          {"part", TDM_FIELD_INT}};
enum {
  KERNEL_SPLIT = AMOUNT_FIELD_COUNT,
  KERNEL_CATEGORY = KERNEL_SPLIT + TDM_SPLIT_FIELD_COUNT,
  KERNEL_RULE,
  KERNEL_PHASE,
  KERNEL_LIBRARY,
  KERNEL_DTYPE,
  KERNEL_TENSOR_CORE,
  KERNEL_NAME,
  KERNEL_PART,
  KERNEL_FIELDS
};

static void put_subject(const tdm_categories *c, tdm_frame *frame, const tdm_subject *s) {
  const char *const *label = s->labels.label;
  tdm_frame_text(frame, KERNEL_CATEGORY, text_of(c, s->category));
  tdm_frame_text(frame, KERNEL_RULE, s->own_rule != NULL ? s->own_rule : s->labels.rule);
  tdm_frame_text(frame, KERNEL_PHASE, label[TDM_LABEL_PHASE]);
  tdm_frame_text(frame, KERNEL_LIBRARY, label[TDM_LABEL_LIBRARY]);
  tdm_frame_text(frame, KERNEL_DTYPE, label[TDM_LABEL_DTYPE]);
  if (label[TDM_LABEL_TENSOR_CORE] != NULL)
    tdm_frame_bool(frame, KERNEL_TENSOR_CORE, strcmp(label[TDM_LABEL_TENSOR_CORE], "yes") == 0);
  tdm_frame_text(frame, KERNEL_NAME, s->name);
}

static tdm_status put_kernels(const tdm_categories *c, const size_t *order, tdm_answer *out,
                              tdm_error *error) {
  parted by;
  tdm_status status = parted_open(&c->lines, c->line, c->parts.count, &by, error);
  tdm_frame *frame = tdm_answer_frame(out, "kernels", kernel_fields, KERNEL_FIELDS);
  for (size_t i = 0; status == TDM_OK && i < c->parts.count; i++) {
    size_t p = order[i];
    for (size_t k = by.first[p]; k < by.first[p + 1]; k++) {
      tdm_frame_row(frame);
      put_amounts(c, frame, &by.sorted[k], &c->part[p]);
      tdm_split_put(c->view, c->split, c->parts.key[p], frame, KERNEL_SPLIT);
      tdm_frame_int(frame, KERNEL_PART, (int64_t)p);
      put_subject(c, frame, tdm_subject_of(c, by.sorted[k].group));
    }
  }
  parted_close(&by);
  return status;
}

static const tdm_field time_fields[] = {{"wall_ns", TDM_FIELD_INT},
                                        {"gpu_ns", TDM_FIELD_INT},
                                        {"non_gpu_ns", TDM_FIELD_INT},
                                        {"total_ns", TDM_FIELD_INT},
                                        {"unmatched_ns", TDM_FIELD_INT},
                                        {"devices", TDM_FIELD_INT},
                                        {"unmatched_share", TDM_FIELD_REAL},
                                        TDM_SPLIT_FIELDS,
                                        {"part", TDM_FIELD_INT}};
enum { TIME_SPLIT = 7, TIME_PART = TIME_SPLIT + TDM_SPLIT_FIELD_COUNT, TIME_FIELDS };

static void put_times(const tdm_categories *c, const size_t *order, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "time", time_fields, TIME_FIELDS);
  for (size_t i = 0; i < c->parts.count; i++) {
    const tdm_part *p = &c->part[order[i]];
    int64_t gpu_ns = p->busy.elapsed_ns, wall_ns = wall_of(c, p);
    tdm_frame_row(frame);
    tdm_frame_int(frame, 0, wall_ns);
    tdm_frame_int(frame, 1, gpu_ns);
    tdm_frame_int(frame, 2, wall_ns - gpu_ns);
    tdm_frame_int(frame, 3, p->busy.total_ns);
    tdm_frame_int(frame, 4, p->unmatched_ns);
    tdm_frame_int(frame, 5, p->devices);
    tdm_frame_real(frame, 6, share_of(p->unmatched_ns, gpu_ns));
    tdm_split_put(c->view, c->split, c->parts.key[order[i]], frame, TIME_SPLIT);
    tdm_frame_int(frame, TIME_PART, (int64_t)order[i]);
  }
}

static void say_basis(const tdm_categories *c, bool given, tdm_answer *out) {
  tdm_answer_basis(out, "elapsed: each nanosecond of a GPU once, for the work that began first, "
                        "copies too; total: durations summed");
  tdm_answer_basis(out, "share: of the GPU's elapsed time; wall share: of %s of %.9g s%s",
                   given ? "the given wall clock" : "the recorded time", (double)c->wall_ns / 1e9,
                   c->split == TDM_SPLIT_DEVICE ? "" : " for every device");
  for (size_t p = 0; p < c->parts.count; p++)
    if (clock_of(c, &c->part[p]) < c->part[p].busy.elapsed_ns) {
      tdm_answer_basis(out, "the given wall clock is shorter than the GPU worked: %s is taken as 0",
                       idle_category);
      break;
    }
  for (size_t r = 0; c->rules != NULL && r < tdm_rule_set_count(c->rules); r++)
    if (tdm_rule_set_gave_up(c->rules, r) > 0)
      tdm_answer_basis(out,
                       "rule %s reached the match limit on %llu of %zu names and did not match "
                       "them",
                       tdm_rule_set_id(c->rules, r),
                       (unsigned long long)tdm_rule_set_gave_up(c->rules, r), c->subjects.count);
}

/* Parts by key: devices in the order of the run's list, ranks by number. */
static size_t *order_parts(const tdm_categories *c) {
  size_t *order = tdm_array_new(c->parts.count + 1, sizeof *order);
  for (size_t p = 0; order != NULL && p < c->parts.count; p++) {
    size_t at = p;
    for (; at > 0 && c->parts.key[order[at - 1]] > c->parts.key[p]; at--) order[at] = order[at - 1];
    order[at] = p;
  }
  return order;
}

tdm_status tdm_categories_tell(const tdm_categories *c, bool given, tdm_answer *out,
                               tdm_error *error) {
  size_t *order = order_parts(c);
  if (order == NULL) return out_of_memory(error);
  tdm_status status = put_categories(c, order, out, error);
  if (status == TDM_OK) status = put_kernels(c, order, out, error);
  if (status == TDM_OK) put_times(c, order, out);
  free(order);
  if (c->table->count == 0)
    tdm_answer_cannot(out, "%s no GPU work (no rows of category kernel, memcpy, memset or graph)",
                      tdm_run_view_lacking(c->view, &tdm_gpu_work));
  say_basis(c, given, out);
  return status;
}
