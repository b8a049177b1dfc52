/* See diff.h. */
#include "analysis/diff/diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/inside.h"
#include "base/memory.h"

#define FALSE_DISCOVERIES 0.05

static const tdm_field fields[] = {
    {"state", TDM_FIELD_TEXT},       {"category", TDM_FIELD_TEXT},  {"name", TDM_FIELD_TEXT},
    {"a_count", TDM_FIELD_INT},      {"b_count", TDM_FIELD_INT},    {"a_ns", TDM_FIELD_INT},
    {"b_ns", TDM_FIELD_INT},         {"change_ns", TDM_FIELD_INT},  {"half_ns", TDM_FIELD_REAL},
    {"change", TDM_FIELD_REAL},      {"a_mean_ns", TDM_FIELD_REAL}, {"b_mean_ns", TDM_FIELD_REAL},
    {"a_p99_ns", TDM_FIELD_INT},     {"b_p99_ns", TDM_FIELD_INT},   {"p", TDM_FIELD_REAL},
    {"significant", TDM_FIELD_BOOL}, {"df", TDM_FIELD_REAL},        {"repeats", TDM_FIELD_REAL}};
enum {
  STATE,
  CATEGORY,
  NAME,
  A_COUNT,
  B_COUNT,
  A_NS,
  B_NS,
  CHANGE_NS,
  HALF_NS,
  CHANGE,
  A_MEAN,
  B_MEAN,
  A_P99,
  B_P99,
  P,
  SIGNIFICANT,
  DF,
  REPEATS,
  FIELDS
};

/* One name on one side. Counts and times are means over its observations. */
typedef struct {
  double rows; /* of all observations */
  double count, total_ns;
  int64_t p99_ns;
  tdm_observed instances; /* durations of all rows */
  tdm_observed totals;    /* of the observations */
} side;

typedef struct {
  uint32_t key;
  side a, b;
  tdm_welch_result test;
} line;

/* What an observation has of a key. */
typedef struct {
  uint32_t observation;
  double sum_ns;
} total;

typedef struct {
  size_t observations; /* runs, or units of work */
  bool are_units;
  tdm_samples samples;
  size_t *first;   /* [keys + 1] where a key's rows begin in what follows */
  int64_t *dur_ns; /* by key */
  uint32_t *of;    /* by key: observations */
  double *part_ns; /* by key: what a row adds to its observation */
  double *weight;  /* [keys] of all rows */
  double *sum_ns;  /* [observations] of the key that is looked at, else 0 */
  total *totals;   /* [observations] of it, those that have some */
} half;

static void close_half(half *h) {
  tdm_samples_close(&h->samples);
  free(h->first);
  free(h->dur_ns);
  free(h->of);
  free(h->part_ns);
  free(h->weight);
  free(h->sum_ns);
  free(h->totals);
}

/* Lays rows side by side by key: a counting sort. */
static tdm_status gather(half *h, size_t keys, tdm_error *error) {
  const tdm_samples *s = &h->samples;
  h->first = tdm_array_new(keys + 2, sizeof *h->first);
  h->dur_ns = tdm_array_new(s->count + 1, sizeof *h->dur_ns);
  h->of = tdm_array_new(s->count + 1, sizeof *h->of);
  h->part_ns = tdm_array_new(s->count + 1, sizeof *h->part_ns);
  h->weight = tdm_array_new(keys + 1, sizeof *h->weight);
  h->sum_ns = tdm_array_new(h->observations + 1, sizeof *h->sum_ns);
  h->totals = tdm_array_new(h->observations + 1, sizeof *h->totals);
  if (h->first == NULL || h->dur_ns == NULL || h->of == NULL || h->part_ns == NULL ||
      h->weight == NULL || h->sum_ns == NULL || h->totals == NULL)
    return tdm_error_memory(error, "rows of a diff", s->count * sizeof *h->dur_ns);
  size_t *next = h->first + 1;
  for (size_t i = 0; i < s->count; i++) next[s->key[i] + 1]++;
  for (size_t k = 1; k <= keys; k++) next[k] += next[k - 1];
  for (size_t i = 0; i < s->count; i++) {
    size_t to = next[s->key[i]]++;
    h->dur_ns[to] = s->dur_ns[i];
    h->of[to] = s->observation[i];
    h->part_ns[to] = (double)s->dur_ns[i] * s->weight[i];
    h->weight[s->key[i]] += s->weight[i];
  }
  return TDM_OK;
}

static int ascending(const void *x, const void *y) {
  const int64_t *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

static int by_observation(const void *x, const void *y) {
  const total *a = x, *b = y;
  return (a->observation > b->observation) - (a->observation < b->observation);
}

/* Totals of a key by observation; most have none of most keys. */
static tdm_observed observed_totals(half *h, size_t key) {
  tdm_observed o = {.count = (double)h->observations};
  size_t some = 0;
  bool in_order = true;
  for (size_t i = h->first[key]; i < h->first[key + 1]; i++) h->sum_ns[h->of[i]] += h->part_ns[i];
  for (size_t i = h->first[key]; i < h->first[key + 1]; i++) {
    uint32_t of = h->of[i];
    if (h->sum_ns[of] == 0) continue;
    in_order = in_order && (some == 0 || h->totals[some - 1].observation < of);
    h->totals[some++] = (total){of, h->sum_ns[of]};
    o.mean += h->sum_ns[of];
    h->sum_ns[of] = 0;
  }
  o.mean /= o.count; /* equal totals have no spread, not one of rounding */
  if (h->observations < 2) return o;
  if (!in_order) qsort(h->totals, some, sizeof *h->totals, by_observation);
  /* Of the others each has none: −mean off it, and so has the product of two that follow. */
  double next = (o.count - 1) * o.mean * o.mean;
  o.variance = (o.count - (double)some) * o.mean * o.mean / (o.count - 1);
  for (size_t i = 0; i < some; i++) {
    const total *t = &h->totals[i];
    double sum = t->sum_ns, off = sum - o.mean;
    o.variance += off * off / (o.count - 1);
    bool follows = i > 0 && t[-1].observation + 1 == t->observation;
    next += follows ? sum * t[-1].sum_ns : 0;
    if (t->observation > 0) next -= sum * o.mean;
    if (t->observation + 1 < h->observations) next -= sum * o.mean;
  }
  if (h->are_units) o.variance *= tdm_observed_drift(&o, next);
  return o;
}

/* Equal values have no variance at all, not one of rounding. */
static tdm_observed observed_times(const int64_t *sorted, size_t count) {
  tdm_observed o = {.count = (double)count};
  if (count == 0) return o;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += (double)(sorted[i] - sorted[0]);
  double off = sum / o.count;
  o.mean = (double)sorted[0] + off;
  for (size_t i = 0; i < count; i++) {
    double d = (double)(sorted[i] - sorted[0]) - off;
    squares += d * d;
  }
  if (count > 1) o.variance = squares / (o.count - 1);
  return o;
}

static side side_of(half *h, size_t key) {
  int64_t *values = h->dur_ns + h->first[key];
  size_t count = h->first[key + 1] - h->first[key];
  side s = {.rows = (double)count, .count = h->weight[key] / (double)h->observations};
  s.totals = observed_totals(h, key);
  s.total_ns = s.totals.mean;
  if (count > 1) qsort(values, count, sizeof *values, ascending);
  s.instances = observed_times(values, count);
  if (count > 0) s.p99_ns = values[(size_t)ceil(0.99 * (double)count) - 1];
  return s;
}

/* The half width is of the change of the total. Between instances the counts are taken as given. */
static tdm_welch_result test(const line *l, bool repeated) {
  if (repeated) return tdm_welch(l->a.totals, l->b.totals);
  tdm_welch_result mean = tdm_welch(l->a.instances, l->b.instances);
  tdm_observed a = l->a.instances, b = l->b.instances;
  if (isnan(mean.p)) return mean;
  /* A total of n instances varies as n times their mean. */
  a.mean *= a.count, a.variance *= a.count * a.count;
  b.mean *= b.count, b.variance *= b.count * b.count;
  tdm_welch_result sum = tdm_welch(a, b);
  mean.half = sum.half, mean.df = sum.df;
  return mean;
}

/* One run a side counts exactly; repeated observations vary in what they count, too. */
static const char *state_of(const line *l, double limit) {
  bool repeated = l->a.totals.count > 1 && l->b.totals.count > 1;
  if (l->a.rows == 0) return "added";
  if (l->b.rows == 0) return "removed";
  if (!repeated && l->a.count != l->b.count) return "changed";
  if (l->a.total_ns == l->b.total_ns) return "same";
  if (isnan(l->test.p)) return "undecided";
  return l->test.p <= limit ? "changed" : "same";
}

static int by_change(const void *x, const void *y) {
  const line *p = x, *q = y;
  double a = fabs(p->b.total_ns - p->a.total_ns), b = fabs(q->b.total_ns - q->a.total_ns);
  if (a != b) return a > b ? -1 : 1;
  return (p->key > q->key) - (p->key < q->key);
}

/* As far as 64 bits go. */
static int64_t whole(double value) {
  if (value >= 0x1p63) return INT64_MAX;
  return value <= -0x1p63 ? -INT64_MAX : (int64_t)llround(value);
}

static void put(tdm_frame *frame, const tdm_diff_keys *keys, const line *l, double limit,
                double repeats) {
  const char *text = keys->keys.entries[l->key].bytes;
  double change = l->b.total_ns - l->a.total_ns;
  tdm_frame_row(frame);
  tdm_frame_text(frame, STATE, state_of(l, limit));
  tdm_frame_text(frame, CATEGORY, text);
  if (text[strlen(text) + 1] != 0) tdm_frame_text(frame, NAME, text + strlen(text) + 1);
  tdm_frame_int(frame, A_COUNT, whole(l->a.count));
  tdm_frame_int(frame, B_COUNT, whole(l->b.count));
  tdm_frame_int(frame, A_NS, whole(l->a.total_ns));
  tdm_frame_int(frame, B_NS, whole(l->b.total_ns));
  tdm_frame_int(frame, CHANGE_NS, whole(change));
  tdm_frame_real(frame, HALF_NS, l->test.half);
  tdm_frame_real(frame, CHANGE, l->a.total_ns > 0 ? change / l->a.total_ns : NAN);
  if (l->a.rows > 0) tdm_frame_real(frame, A_MEAN, l->a.instances.mean);
  if (l->b.rows > 0) tdm_frame_real(frame, B_MEAN, l->b.instances.mean);
  if (l->a.rows > 0) tdm_frame_int(frame, A_P99, l->a.p99_ns);
  if (l->b.rows > 0) tdm_frame_int(frame, B_P99, l->b.p99_ns);
  tdm_frame_real(frame, P, l->test.p);
  if (!isnan(l->test.p)) tdm_frame_bool(frame, SIGNIFICANT, l->test.p <= limit);
  tdm_frame_real(frame, DF, l->test.df);
  tdm_frame_real(frame, REPEATS, repeats);
}

static tdm_status compare(half *a, half *b, const tdm_diff_keys *keys, tdm_answer *out,
                          tdm_error *error) {
  size_t count = keys->keys.count, tests = 0;
  line *lines = tdm_array_new(count + 1, sizeof *lines);
  double *p = tdm_array_new(count + 1, sizeof *p);
  tdm_status status =
      lines == NULL || p == NULL ? tdm_error_memory(error, "names of a diff", count) : TDM_OK;
  if (status == TDM_OK) status = gather(a, count, error);
  if (status == TDM_OK) status = gather(b, count, error);
  bool repeated = a->observations > 1 && b->observations > 1;
  for (size_t k = 0; status == TDM_OK && k < count; k++) {
    lines[k] = (line){.key = (uint32_t)k, .a = side_of(a, k), .b = side_of(b, k)};
    lines[k].test = test(&lines[k], repeated);
    if (!isnan(lines[k].test.p)) p[tests++] = lines[k].test.p;
  }
  tdm_frame *frame = tdm_answer_frame(out, "names", fields, FIELDS);
  if (status == TDM_OK) {
    double limit = tdm_false_discovery_limit(p, tests, FALSE_DISCOVERIES);
    qsort(lines, count, sizeof *lines, by_change);
    double repeats = repeated ? tdm_diff_repeats(a->observations, b->observations) : NAN;
    for (size_t k = 0; k < count; k++) put(frame, keys, &lines[k], limit, repeats);
  }
  free(lines);
  free(p);
  return status;
}

static tdm_status take(half *h, const tdm_diff_side *from, const tdm_diff_cover *covers,
                       tdm_diff_keys *keys, tdm_diff_by by, tdm_error *error) {
  tdm_status status = TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < from->count; i++)
    status = tdm_samples_add(&h->samples, keys, from->view[i], &covers[i], by, from->within, error);
  return status;
}

/* The words of the categories, as "runtime or driver". */
static void say_missing(tdm_answer *out, const char *which, tdm_diff_by by) {
  char words[128] = "";
  const char *const *categories = tdm_diff_categories(by);
  for (size_t i = 0; categories != NULL && categories[i] != NULL; i++) {
    size_t used = strlen(words);
    snprintf(words + used, sizeof words - used, "%s%s", i > 0 ? " or " : "", categories[i]);
  }
  tdm_answer_cannot(out, "%s rows%s%s", which, words[0] != 0 ? " of category " : "", words);
}

static tdm_status by_name(const tdm_diff_side *a, const tdm_diff_side *b, tdm_diff_by by,
                          bool in_units, tdm_answer *out, tdm_error *error) {
  tdm_diff_keys keys = {0};
  half of_a = {0}, of_b = {0};
  tdm_diff_cover *covers = NULL;
  tdm_status status =
      tdm_diff_covers(a, b, in_units, &covers, &of_a.observations, &of_b.observations, error);
  of_a.are_units = of_b.are_units = status == TDM_OK && covers[0].unit_by_unit;
  if (status == TDM_OK) status = take(&of_a, a, covers, &keys, by, error);
  if (status == TDM_OK) status = take(&of_b, b, covers + a->count, &keys, by, error);
  bool none_a = of_a.samples.count == 0, none_b = of_b.samples.count == 0;
  if (status == TDM_OK && (none_a || none_b))
    say_missing(out, none_a && none_b ? "neither run has" : none_a ? "A has no" : "B has no", by);
  else if (status == TDM_OK)
    status = compare(&of_a, &of_b, &keys, out, error);
  free(covers);
  close_half(&of_a);
  close_half(&of_b);
  tdm_intern_clear(&keys.keys);
  return status;
}

tdm_status tdm_answer_diff(const tdm_diff_side *a, const tdm_diff_side *b,
                           const tdm_options *options, tdm_answer *out, tdm_error *error) {
  const char *word = tdm_option_text(options, "by", "kernel");
  bool in_units = strcmp(tdm_option_text(options, "over", "windows"), "units") == 0;
  if (strcmp(word, "alike") == 0) return tdm_diff_alike(a, b, out, error);
  if (strcmp(word, "total") == 0) return tdm_diff_totals(a, b, in_units, out, error);
  tdm_diff_by by = tdm_diff_by_named(word);
  if (by == TDM_DIFF_BYS) return tdm_error_set(error, TDM_INVALID, "'by' cannot be '%s'", word);
  return by_name(a, b, by, in_units, out, error);
}
