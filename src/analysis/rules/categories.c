/* See categories.h. A subject is a distinct name, matched once; a line is a subject on one device
 * (rank, or all); a part is what the caller wants apart: a device, a rank, everything. */
#include "analysis/rules/categories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gpu_work.h"
#include "analysis/rules/rule_set.h"
#include "analysis/summary/summary.h"
#include "base/memory.h"
#include "trace/intern.h"

/* As the tool calls it whose users know this table. */
static const char idle_category[] = "CPU(non-GPU)";

enum { SUBJECT_CATEGORY, SUBJECT_NAME, SUBJECT_KEYS };
enum { LINE_PART, LINE_SUBJECT, LINE_KEYS };
enum { SUM_PART, SUM_CATEGORY, SUM_KEYS };
enum { UNMATCHED = -1 };

typedef struct {
  int64_t elapsed_ns, total_ns, count;
  size_t group;
} amounts;

typedef struct {
  tdm_labels labels;
  const char *name;     /* the view's */
  char *made;           /* ours, when it is no name of the view; may be NULL */
  int64_t category;     /* id in `texts`; UNMATCHED */
  const char *own_rule; /* a category that needs no rule */
} subject;

typedef struct {
  amounts busy;
  int64_t unmatched_ns, devices;
} part;

typedef struct {
  tdm_run_view *view;
  const tdm_table *table;
  tdm_rule_set *rules;
  tdm_split split;
  int64_t wall_ns; /* of one device */
  tdm_groups subjects, lines, parts;
  subject *subject;
  amounts *line;
  size_t line_room;
  part *part;
  tdm_intern texts; /* categories */
} categories;

static tdm_status out_of_memory(tdm_error *error) {
  return tdm_error_memory(error, "categories", 0);
}

static const char *text_of(const categories *c, int64_t id) {
  return id == UNMATCHED ? NULL : c->texts.entries[id].bytes;
}

/* ---- names ---- */

/* Copies are called as Nsight Systems calls them, whatever the source: rules are written so. */
static const char *copy_words(const char *kind) {
  static const char *const words[][2] = {{"HtoD", "Host-to-Device"},   {"DtoH", "Device-to-Host"},
                                         {"DtoD", "Device-to-Device"}, {"HtoH", "Host-to-Host"},
                                         {"PtoP", "Peer-to-Peer"},     {"HtoA", "Host-to-Array"},
                                         {"AtoH", "Array-to-Host"},    {"AtoA", "Array-to-Array"},
                                         {"AtoD", "Array-to-Device"},  {"DtoA", "Device-to-Array"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i][0], kind) == 0) return words[i][1];
  return kind;
}

static const char *copy_name(categories *c, subject *s, int64_t kind) {
  if (kind == TDM_NONE) return "[CUDA memcpy]";
  const char *words = copy_words(tdm_run_view_name(c->view, kind));
  size_t room = strlen(words) + sizeof "[CUDA memcpy ]";
  s->made = malloc(room);
  if (s->made != NULL) snprintf(s->made, room, "[CUDA memcpy %s]", words);
  return s->made;
}

static int set_category(categories *c, subject *s, const char *text) {
  uint32_t id = tdm_intern_put(&c->texts, text, strlen(text), NULL);
  s->category = id;
  return id != TDM_INTERN_FAILED;
}

static tdm_status name_subject(categories *c, size_t index, tdm_error *error) {
  subject *s = &c->subject[index];
  const int64_t *key = c->subjects.key + index * SUBJECT_KEYS;
  s->category = UNMATCHED;
  switch (key[SUBJECT_CATEGORY]) {
  case TDM_WORK_MEMCPY: s->name = copy_name(c, s, key[SUBJECT_NAME]); break;
  case TDM_WORK_MEMSET: s->name = "[CUDA memset]"; break;
  default: s->name = tdm_run_view_name(c->view, key[SUBJECT_NAME]);
  }
  if (s->name == NULL) return out_of_memory(error);
  if (c->rules != NULL) s->labels = tdm_rule_set_match(c->rules, s->name, strlen(s->name));
  const char *text = s->labels.label[TDM_LABEL_CATEGORY];
  if (text == NULL && key[SUBJECT_CATEGORY] == TDM_WORK_STAGE) {
    text = s->name; /* a simulated stage is named by what it does */
    s->own_rule = "(stage)";
  } else if (text == NULL && key[SUBJECT_CATEGORY] == TDM_WORK_GRAPH) {
    text = "cuda_graph"; /* recorded as a whole: what it ran is not known */
    s->own_rule = "(graph)";
  }
  return text == NULL || set_category(c, s, text) ? TDM_OK : out_of_memory(error);
}

static const char *rule_of(const subject *s) {
  return s->own_rule != NULL ? s->own_rule : s->labels.rule;
}

/* ---- counting ---- */

static int64_t name_key(const tdm_table *table, size_t row) {
  if (table->category[row] == TDM_WORK_MEMCPY) return table->arg[TDM_WORK_COPY_KIND][row];
  return table->category[row] == TDM_WORK_MEMSET ? 0 : table->name[row];
}

/* The groups of a row; lines and parts grow with them. */
static tdm_status place_row(categories *c, size_t row, uint32_t *line, uint32_t *into,
                            tdm_error *error) {
  const tdm_table *table = c->table;
  size_t lines = c->lines.count;
  int64_t subject_key[SUBJECT_KEYS] = {table->category[row], name_key(table, row)};
  int64_t part_key = tdm_split_key(c->view, c->split, table->track[row]);
  uint32_t named = tdm_groups_add(&c->subjects, subject_key);
  *into = tdm_groups_add(&c->parts, &part_key);
  int64_t line_key[LINE_KEYS] = {part_key, named};
  *line = tdm_groups_add(&c->lines, line_key);
  if (named == UINT32_MAX || *into == UINT32_MAX || *line == UINT32_MAX)
    return out_of_memory(error);
  if (c->lines.count == lines) return TDM_OK;
  if (!tdm_array_grow(&c->line, &c->line_room, lines + 1, sizeof *c->line))
    return out_of_memory(error);
  c->line[lines] = (amounts){0};
  return TDM_OK;
}

static void add(amounts *to, int64_t elapsed_ns, int64_t total_ns, int64_t count) {
  to->elapsed_ns += elapsed_ns;
  if (__builtin_add_overflow(to->total_ns, total_ns, &to->total_ns)) to->total_ns = INT64_MAX;
  to->count += count;
}

/* Rows come in order of start: what one adds to its device is what lies behind all ends so far. */
static tdm_status sweep(categories *c, int64_t *covered_ns, tdm_error *error) {
  const tdm_table *table = c->table;
  uint32_t devices = tdm_run_view_devices(c->view);
  for (size_t i = 0; i < table->count; i++) {
    uint32_t line, into, device = tdm_run_view_device_of(c->view, table->track[i]);
    tdm_status status = place_row(c, i, &line, &into, error);
    if (status != TDM_OK) return status;
    int64_t *covered = &covered_ns[device == TDM_NO_DEVICE ? devices : device];
    if (*covered == INT64_MIN) c->part[into].devices++;
    int64_t from_ns = table->start_ns[i] > *covered ? table->start_ns[i] : *covered;
    int64_t own_ns = 0;
    if (table->end_ns[i] > from_ns)
      own_ns = tdm_run_view_within_ns(c->view, from_ns, table->end_ns[i]);
    if (table->end_ns[i] > *covered) *covered = table->end_ns[i];
    int64_t dur_ns = table->end_ns[i] - table->start_ns[i];
    add(&c->line[line], own_ns, dur_ns, 1);
    add(&c->part[into].busy, own_ns, dur_ns, 1);
  }
  return TDM_OK;
}

static tdm_status count(categories *c, tdm_error *error) {
  size_t rows = c->table->count, devices = (size_t)tdm_run_view_devices(c->view) + 1;
  tdm_status status = tdm_groups_open(&c->subjects, SUBJECT_KEYS, rows, error);
  if (status == TDM_OK) status = tdm_groups_open(&c->lines, LINE_KEYS, rows, error);
  if (status == TDM_OK) status = tdm_groups_open(&c->parts, 1, rows, error);
  if (status != TDM_OK) return status;
  int64_t *covered_ns = tdm_array_new(devices, sizeof *covered_ns);
  c->part = tdm_array_new(devices + 1, sizeof *c->part);
  if (covered_ns == NULL || c->part == NULL) status = out_of_memory(error);
  for (size_t d = 0; status == TDM_OK && d < devices; d++) covered_ns[d] = INT64_MIN;
  if (status == TDM_OK) status = sweep(c, covered_ns, error);
  free(covered_ns);
  return status;
}

static tdm_status match(categories *c, tdm_error *error) {
  tdm_status status = TDM_OK;
  if (c->rules != NULL) tdm_rule_set_forget(c->rules);
  c->subject = tdm_array_new(c->subjects.count + 1, sizeof *c->subject);
  if (c->subject == NULL) return out_of_memory(error);
  for (size_t s = 0; status == TDM_OK && s < c->subjects.count; s++)
    status = name_subject(c, s, error);
  for (size_t l = 0; status == TDM_OK && l < c->lines.count; l++) {
    const int64_t *key = c->lines.key + l * LINE_KEYS;
    if (c->subject[key[LINE_SUBJECT]].category != UNMATCHED) continue;
    for (size_t p = 0; p < c->parts.count; p++)
      if (c->parts.key[p] == key[LINE_PART]) c->part[p].unmatched_ns += c->line[l].elapsed_ns;
  }
  return status;
}

/* ---- the answer ---- */

static double share_of(int64_t ns, int64_t all_ns) {
  return all_ns > 0 ? (double)ns / (double)all_ns : 0;
}

static int64_t wall_of(const categories *c, const part *p) {
  int64_t wall_ns = c->wall_ns * p->devices;
  return wall_ns > p->busy.elapsed_ns ? wall_ns : p->busy.elapsed_ns;
}

static int longest_first(const void *a, const void *b) {
  const amounts *x = a, *y = b;
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

static void put_amounts(const categories *c, tdm_frame *frame, const amounts *a, const part *p) {
  tdm_frame_int(frame, 0, a->elapsed_ns);
  tdm_frame_real(frame, 1, share_of(a->elapsed_ns, p->busy.elapsed_ns));
  tdm_frame_real(frame, 2, share_of(a->elapsed_ns, wall_of(c, p)));
  tdm_frame_int(frame, 3, a->total_ns);
  tdm_frame_int(frame, 4, a->count);
}

/* The lines of one part, in order. Returns how many. */
static size_t gather(const tdm_groups *groups, const amounts *from, int64_t part_key,
                     amounts *out) {
  size_t n = 0;
  for (size_t g = 0; g < groups->count; g++) {
    if (groups->key[g * groups->keys] != part_key) continue;
    out[n] = from[g];
    out[n++].group = g;
  }
  qsort(out, n, sizeof *out, longest_first);
  return n;
}

typedef struct {
  tdm_groups groups; /* by part and category */
  amounts *amount;
  int64_t *names; /* how many distinct ones */
} sums;

static tdm_status sum_up(const categories *c, sums *s, tdm_error *error) {
  size_t lines = c->lines.count;
  tdm_status status = tdm_groups_open(&s->groups, SUM_KEYS, lines, error);
  s->amount = tdm_array_new(lines + 1, sizeof *s->amount);
  s->names = tdm_array_new(lines + 1, sizeof *s->names);
  if (status == TDM_OK && (s->amount == NULL || s->names == NULL)) status = out_of_memory(error);
  for (size_t l = 0; status == TDM_OK && l < lines; l++) {
    const int64_t *key = c->lines.key + l * LINE_KEYS;
    int64_t sum_key[SUM_KEYS] = {key[LINE_PART], c->subject[key[LINE_SUBJECT]].category};
    uint32_t g = tdm_groups_add(&s->groups, sum_key);
    if (g == UINT32_MAX) return out_of_memory(error);
    add(&s->amount[g], c->line[l].elapsed_ns, c->line[l].total_ns, c->line[l].count);
    s->names[g]++;
  }
  return status;
}

static const tdm_field category_fields[] = {
    AMOUNT_FIELDS, TDM_SPLIT_FIELDS, {"names", TDM_FIELD_INT}, {"category", TDM_FIELD_TEXT}};
enum {
  CATEGORY_SPLIT = AMOUNT_FIELD_COUNT,
  CATEGORY_NAMES = CATEGORY_SPLIT + TDM_SPLIT_FIELD_COUNT,
  CATEGORY_TEXT,
  CATEGORY_FIELDS
};

static void put_idle(const categories *c, tdm_frame *frame, size_t index) {
  const part *p = &c->part[index];
  int64_t wall_ns = wall_of(c, p), idle_ns = wall_ns - p->busy.elapsed_ns;
  tdm_frame_row(frame);
  tdm_frame_int(frame, 0, idle_ns);
  tdm_frame_real(frame, 2, share_of(idle_ns, wall_ns));
  tdm_split_put(c->view, c->split, c->parts.key[index], frame, CATEGORY_SPLIT);
  tdm_frame_name(frame, CATEGORY_TEXT, idle_category);
}

static tdm_status put_categories(const categories *c, const size_t *order, tdm_answer *out,
                                 tdm_error *error) {
  sums s = {0};
  tdm_status status = sum_up(c, &s, error);
  amounts *sorted = tdm_array_new(c->lines.count + 1, sizeof *sorted);
  if (status == TDM_OK && sorted == NULL) status = out_of_memory(error);
  tdm_frame *frame = tdm_answer_frame(out, "categories", category_fields, CATEGORY_FIELDS);
  for (size_t i = 0; status == TDM_OK && i < c->parts.count; i++) {
    size_t p = order[i], n = gather(&s.groups, s.amount, c->parts.key[p], sorted);
    for (size_t k = 0; k < n; k++) {
      const int64_t *key = s.groups.key + sorted[k].group * SUM_KEYS;
      tdm_frame_row(frame);
      put_amounts(c, frame, &sorted[k], &c->part[p]);
      tdm_split_put(c->view, c->split, key[SUM_PART], frame, CATEGORY_SPLIT);
      tdm_frame_int(frame, CATEGORY_NAMES, s.names[sorted[k].group]);
      tdm_frame_name(frame, CATEGORY_TEXT, "unmatched");
      if (key[SUM_CATEGORY] != UNMATCHED)
        tdm_frame_text(frame, CATEGORY_TEXT, text_of(c, key[SUM_CATEGORY]));
    }
    put_idle(c, frame, p);
  }
  tdm_groups_close(&s.groups);
  free(s.amount);
  free(s.names);
  free(sorted);
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
                                          {"name", TDM_FIELD_TEXT}};
enum {
  KERNEL_SPLIT = AMOUNT_FIELD_COUNT,
  KERNEL_CATEGORY = KERNEL_SPLIT + TDM_SPLIT_FIELD_COUNT,
  KERNEL_RULE,
  KERNEL_PHASE,
  KERNEL_LIBRARY,
  KERNEL_DTYPE,
  KERNEL_TENSOR_CORE,
  KERNEL_NAME,
  KERNEL_FIELDS
};

static void put_subject(const categories *c, tdm_frame *frame, const subject *s) {
  const char *const *label = s->labels.label;
  tdm_frame_text(frame, KERNEL_CATEGORY, text_of(c, s->category));
  tdm_frame_text(frame, KERNEL_RULE, rule_of(s));
  tdm_frame_text(frame, KERNEL_PHASE, label[TDM_LABEL_PHASE]);
  tdm_frame_text(frame, KERNEL_LIBRARY, label[TDM_LABEL_LIBRARY]);
  tdm_frame_text(frame, KERNEL_DTYPE, label[TDM_LABEL_DTYPE]);
  if (label[TDM_LABEL_TENSOR_CORE] != NULL)
    tdm_frame_bool(frame, KERNEL_TENSOR_CORE, strcmp(label[TDM_LABEL_TENSOR_CORE], "yes") == 0);
  tdm_frame_text(frame, KERNEL_NAME, s->name);
}

static tdm_status put_kernels(const categories *c, const size_t *order, tdm_answer *out,
                              tdm_error *error) {
  amounts *sorted = tdm_array_new(c->lines.count + 1, sizeof *sorted);
  if (sorted == NULL) return out_of_memory(error);
  tdm_frame *frame = tdm_answer_frame(out, "kernels", kernel_fields, KERNEL_FIELDS);
  for (size_t i = 0; i < c->parts.count; i++) {
    size_t p = order[i], n = gather(&c->lines, c->line, c->parts.key[p], sorted);
    for (size_t k = 0; k < n; k++) {
      const int64_t *key = c->lines.key + sorted[k].group * LINE_KEYS;
      tdm_frame_row(frame);
      put_amounts(c, frame, &sorted[k], &c->part[p]);
      tdm_split_put(c->view, c->split, key[LINE_PART], frame, KERNEL_SPLIT);
      put_subject(c, frame, &c->subject[key[LINE_SUBJECT]]);
    }
  }
  free(sorted);
  return TDM_OK;
}

static const tdm_field time_fields[] = {
    {"wall_ns", TDM_FIELD_INT},          {"gpu_ns", TDM_FIELD_INT},
    {"non_gpu_ns", TDM_FIELD_INT},       {"total_ns", TDM_FIELD_INT},
    {"unmatched_ns", TDM_FIELD_INT},     {"devices", TDM_FIELD_INT},
    {"unmatched_share", TDM_FIELD_REAL}, TDM_SPLIT_FIELDS};
enum { TIME_SPLIT = 7, TIME_FIELDS = TIME_SPLIT + TDM_SPLIT_FIELD_COUNT };

static void put_times(const categories *c, const size_t *order, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "time", time_fields, TIME_FIELDS);
  for (size_t i = 0; i < c->parts.count; i++) {
    const part *p = &c->part[order[i]];
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
  }
}

static void say_basis(const categories *c, bool given, tdm_answer *out) {
  tdm_answer_basis(out, "elapsed: each nanosecond of a device once, for the work on it that began "
                        "first (copies and memsets too); total: durations summed");
  tdm_answer_basis(out, "share: of the GPU's elapsed time; wall share: of %s of %.9g s%s",
                   given ? "the given wall clock" : "the recorded time", (double)c->wall_ns / 1e9,
                   c->split == TDM_SPLIT_DEVICE ? "" : " for every device");
  for (size_t p = 0; p < c->parts.count; p++)
    if (c->wall_ns * c->part[p].devices < c->part[p].busy.elapsed_ns) {
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
static size_t *order_parts(const categories *c) {
  size_t *order = tdm_array_new(c->parts.count + 1, sizeof *order);
  for (size_t p = 0; order != NULL && p < c->parts.count; p++) {
    size_t at = p;
    for (; at > 0 && c->parts.key[order[at - 1]] > c->parts.key[p]; at--) order[at] = order[at - 1];
    order[at] = p;
  }
  return order;
}

static tdm_status tell(categories *c, bool given, tdm_answer *out, tdm_error *error) {
  size_t *order = order_parts(c);
  if (order == NULL) return out_of_memory(error);
  tdm_status status = put_categories(c, order, out, error);
  if (status == TDM_OK) status = put_kernels(c, order, out, error);
  if (status == TDM_OK) put_times(c, order, out);
  free(order);
  if (c->table->count == 0)
    tdm_answer_cannot(out, "the run has no GPU work (no rows of category kernel, memcpy, memset or "
                           "graph)");
  say_basis(c, given, out);
  return status;
}

static tdm_status read_options(categories *c, const tdm_options *options, bool *given,
                               tdm_error *error) {
  const char *each = tdm_option_text(options, "each", "device");
  if (strcmp(each, "device") == 0)
    c->split = TDM_SPLIT_DEVICE;
  else if (strcmp(each, "rank") == 0)
    c->split = TDM_SPLIT_RANK;
  else if (strcmp(each, "all") != 0)
    return tdm_error_set(error, TDM_INVALID,
                         "'each' does not know '%s'; there are device, rank, all", each);
  double elapsed_ns = tdm_option_number(options, "elapsed", 0);
  if (!(elapsed_ns >= 0 && elapsed_ns < 9e15))
    return tdm_error_set(error, TDM_INVALID, "'elapsed' is no time that a run may take");
  *given = elapsed_ns > 0;
  c->wall_ns = *given ? (int64_t)elapsed_ns : tdm_run_view_within_ns(c->view, INT64_MIN, INT64_MAX);
  c->rules = tdm_option_object(options, "rules");
  return TDM_OK;
}

tdm_status tdm_answer_categories(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                 tdm_error *error) {
  categories c = {.view = view};
  bool given = false;
  tdm_status status = read_options(&c, options, &given, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_gpu_work, &c.table, error);
  if (status == TDM_OK) status = count(&c, error);
  if (status == TDM_OK) status = match(&c, error);
  if (status == TDM_OK) status = tell(&c, given, out, error);
  for (size_t s = 0; c.subject != NULL && s < c.subjects.count; s++) free(c.subject[s].made);
  free(c.subject);
  free(c.line);
  free(c.part);
  tdm_intern_clear(&c.texts);
  tdm_groups_close(&c.subjects);
  tdm_groups_close(&c.lines);
  tdm_groups_close(&c.parts);
  return status;
}
