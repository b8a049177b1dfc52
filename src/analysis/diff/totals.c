/* The figures of a diff that have no name: see diff.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff.h"
#include "analysis/diff/inside.h"
#include "analysis/groups.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

static const tdm_field fields[] = {
    {"figure", TDM_FIELD_TEXT},  {"unit", TDM_FIELD_TEXT},   {"a", TDM_FIELD_REAL},
    {"b", TDM_FIELD_REAL},       {"change", TDM_FIELD_REAL}, {"half", TDM_FIELD_REAL},
    {"speedup", TDM_FIELD_REAL}, {"df", TDM_FIELD_REAL},     {"repeats", TDM_FIELD_REAL}};
enum { FIGURE, UNIT, A, B, CHANGE, HALF, SPEEDUP, DF, REPEATS, FIELDS };

typedef enum { TOTAL, COMPUTE, BUSY, ELAPSED, WORK, MEMORY, FIGURES } figure;
static const char *const names[FIGURES] = {"total", "compute", "busy", "elapsed", "work", "memory"};
static const char *const units[FIGURES] = {"ns", "ns", "ns", "ns", "count", "B"};

/* Allocations as PyTorch's profiler records them: each says how much its device then has. */
static const char *const memory_categories[] = {"memory", NULL};
static const tdm_arg memory_keys[] = {
    {"Total Allocated", TDM_ARG_INT}, {"Device Id", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_memory = {
    .categories = memory_categories, .keys = memory_keys, .shapes = 1u << TDM_SHAPE_INSTANT};

/* As tdm_gpu_work, row by row: a kernel's launches of one size are repeats of each other. */
static const char *const work_categories[] = {"kernel", "memcpy", "memset", "graph", "stage", NULL};
static const tdm_arg size_keys[] = {{"grid_x", TDM_ARG_INT},
                                    {"grid_y", TDM_ARG_INT},
                                    {"grid_z", TDM_ARG_INT},
                                    {"bytes", TDM_ARG_INT},
                                    {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_sizes = {.categories = work_categories,
                                        .keys = size_keys,
                                        .stage_lanes = 1u << TDM_LANE_GPU | 1u << TDM_LANE_H2D |
                                                       1u << TDM_LANE_D2H};
enum { SIZE_KEYS = 4 };

typedef struct {
  double value[FIGURES]; /* NaN: the run does not tell */
  double variance;       /* of TOTAL, from the spread of the instances of each name and size */
  bool has_repeats;
} totals;

/* ---- one run ---- */

/* GPU work of a run, and the observations that its rows count in. */
typedef struct {
  tdm_run_view *view;
  const tdm_table *work;
  const bool *belongs;  /* by row; NULL: all do */
  const uint8_t *class; /* by row */
  const tdm_diff_cover *cover;
  totals *of; /* by observation of the side */
} counting;

/* NULL: the row counts nowhere. */
static totals *totals_of_row(const counting *c, size_t row) {
  if (c->belongs != NULL && !c->belongs[row]) return NULL;
  uint32_t device = tdm_run_view_device_of(c->view, tdm_table_track(c->work, row));
  size_t observation = tdm_diff_observation(c->cover, device, tdm_table_start_ns(c->work, row));
  return observation == SIZE_MAX ? NULL : &c->of[observation];
}

/* A nanosecond counts once a device, where the work began that it is of. */
static tdm_status add_busy(const counting *c, tdm_error *error) {
  uint32_t devices = tdm_run_view_devices(c->view);
  int64_t *until = tdm_array_raw(devices + 1, sizeof *until);
  if (until == NULL) return tdm_error_memory(error, "devices", devices);
  for (uint32_t d = 0; d <= devices; d++) until[d] = INT64_MIN;
  double weight = tdm_diff_weight(c->cover);
  for (size_t i = 0; i < c->work->count; i++) {
    totals *of = totals_of_row(c, i);
    if (of == NULL) continue;
    uint32_t device = tdm_run_view_device_of(c->view, tdm_table_track(c->work, i));
    if (device == TDM_NO_DEVICE) device = devices;
    int64_t from = tdm_table_start_ns(c->work, i) > until[device] ? tdm_table_start_ns(c->work, i)
                                                                  : until[device];
    if (tdm_table_end_ns(c->work, i) <= from) continue;
    of->value[BUSY] += (double)(tdm_table_end_ns(c->work, i) - from) * weight;
    until[device] = tdm_table_end_ns(c->work, i);
  }
  free(until);
  return TDM_OK;
}

static tdm_status group_by_size(const tdm_table *work, tdm_groups *groups, tdm_error *error) {
  tdm_status status = tdm_groups_open(groups, 2 + SIZE_KEYS, work->count, error);
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) {
    int64_t key[2 + SIZE_KEYS] = {tdm_table_category(work, i), tdm_table_name(work, i)};
    for (size_t k = 0; k < SIZE_KEYS; k++) key[2 + k] = tdm_table_arg(work, k, i);
    if (tdm_groups_add(groups, key) == UINT32_MAX)
      status = tdm_error_memory(error, "rows of a diff", 0);
  }
  return status;
}

/* Var(sum of n instances) = n s². What ran once has the relative spread of the rest; where nothing
 * repeats there is none. */
static tdm_status spread_of(tdm_run_view *view, const bool *belongs, totals *t, tdm_error *error) {
  const tdm_table *work = NULL;
  tdm_groups groups = {0};
  tdm_status status = tdm_run_view_table(view, &wanted_sizes, &work, error);
  if (status == TDM_OK) status = group_by_size(work, &groups, error);
  double *sum = NULL;
  if (status == TDM_OK && (sum = tdm_array_new(3 * groups.count + 3, sizeof *sum)) == NULL)
    status = tdm_error_memory(error, "rows of a diff", 0);
  double *count = sum, *mean = sum + groups.count, *squares = sum + 2 * groups.count;
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) { /* Welford's recurrence */
    if (belongs != NULL && !belongs[i]) continue;
    uint32_t g = groups.group[i];
    double dur_ns = (double)(tdm_table_end_ns(work, i) - tdm_table_start_ns(work, i)),
           off = dur_ns - mean[g];
    mean[g] += off / ++count[g];
    squares[g] += off * (dur_ns - mean[g]);
  }
  double once = 0, repeated = 0; /* Σ n m² of the names that ran once, and of the others */
  for (size_t g = 0; status == TDM_OK && g < groups.count; g++) {
    if (count[g] > 1) t->variance += count[g] * squares[g] / (count[g] - 1);
    *(count[g] > 1 ? &repeated : &once) += count[g] * mean[g] * mean[g];
  }
  t->has_repeats = repeated > 0;
  if (t->has_repeats) t->variance *= 1 + once / repeated;
  free(sum);
  tdm_groups_close(&groups);
  return status;
}

static tdm_status memory_of(tdm_run_view *view, double *peak_bytes, tdm_error *error) {
  const tdm_table *memory = NULL;
  int64_t wanted = tdm_run_view_filter_of(view)->device; /* rows lie on threads, which stay */
  tdm_status status = tdm_run_view_table(view, &wanted_memory, &memory, error);
  for (size_t i = 0; status == TDM_OK && i < memory->count; i++) {
    int64_t bytes = tdm_table_arg(memory, 0, i), device = tdm_table_arg(memory, 1, i);
    if (bytes == TDM_NONE || device == TDM_NONE || device < 0) continue; /* < 0: the host */
    if (wanted != TDM_NONE && device != wanted) continue;
    if (!(*peak_bytes >= (double)bytes)) *peak_bytes = (double)bytes;
  }
  return status;
}

static void add_work(const counting *c) {
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  const tdm_work_units *cut = c->cover->units;
  double weight = tdm_diff_weight(c->cover);
  for (size_t i = 0; i < c->work->count; i++) {
    totals *of = totals_of_row(c, i);
    if (of == NULL) continue;
    of->value[TOTAL] +=
        (double)(tdm_table_end_ns(c->work, i) - tdm_table_start_ns(c->work, i)) * weight;
    if (c->class[i] == TDM_CLASS_COMPUTE)
      of->value[COMPUTE] +=
          (double)(tdm_table_end_ns(c->work, i) - tdm_table_start_ns(c->work, i)) * weight;
    of->value[WORK] += weight;
    if (tdm_table_start_ns(c->work, i) < first_ns) first_ns = tdm_table_start_ns(c->work, i);
    if (tdm_table_end_ns(c->work, i) > last_ns) last_ns = tdm_table_end_ns(c->work, i);
  }
  totals *of = &c->of[c->cover->first];
  if (cut == NULL && last_ns >= first_ns) of->value[ELAPSED] = (double)(last_ns - first_ns);
  for (size_t u = 0; cut != NULL && u < cut->count; u++)
    if (c->cover->only == 0 || c->cover->only == u + 1)
      of[c->cover->unit_by_unit ? u : 0].value[ELAPSED] +=
          (double)(cut->to_ns[u] - cut->from_ns[u]) * weight;
}

/* The totals of a view's observations, from its first on. */
static tdm_status totals_of(tdm_run_view *view, const char *within, const tdm_diff_cover *cover,
                            totals *side, tdm_error *error) {
  bool *belongs = NULL;
  uint8_t *class = NULL;
  size_t count = cover->unit_by_unit ? cover->units->count : 1;
  double memory_bytes = NAN;
  counting c = {.view = view, .cover = cover, .of = side};
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &c.work, error);
  if (status == TDM_OK && within != NULL)
    status = tdm_within(view, c.work, true, within, &belongs, error);
  if (status == TDM_OK && within == NULL) status = memory_of(view, &memory_bytes, error);
  if (status == TDM_OK && (class = tdm_gpu_classes(view, c.work)) == NULL)
    status = tdm_error_memory(error, "classes of GPU work", c.work->count);
  bool some = status == TDM_OK && c.work->count > 0;
  c.belongs = belongs;
  c.class = class;
  for (size_t i = 0; i < count; i++) {
    totals *of = &side[cover->first + i];
    for (size_t f = 0; f < FIGURES; f++) of->value[f] = some && f <= WORK ? 0 : NAN;
    if (cover->units == NULL) of->value[ELAPSED] = NAN;
    of->value[MEMORY] = memory_bytes;
  }
  if (some) {
    add_work(&c);
    status = add_busy(&c, error);
  }
  if (some && status == TDM_OK && cover->units == NULL)
    status = spread_of(view, belongs, &side[cover->first], error);
  free(belongs);
  free(class);
  return status;
}

/* ---- two sides ---- */

/* Observations of a side. Only runs repeat a peak of memory. */
typedef struct {
  const totals *of;
  size_t count;
  bool are_units;
} observations;

/* Units follow each other: what drifts varies more than their spread says. */
static tdm_observed over(const observations *side, figure f) {
  tdm_observed o = {.count = (double)side->count};
  double next = 0;
  for (size_t i = 0; i < side->count; i++) o.mean += side->of[i].value[f];
  o.mean /= o.count; /* equal values have no spread, not one of rounding */
  for (size_t i = 0; i < side->count && side->count > 1; i++) {
    double off = side->of[i].value[f] - o.mean;
    o.variance += off * off / (o.count - 1);
    if (i > 0) next += off * (side->of[i - 1].value[f] - o.mean);
  }
  if (side->are_units) o.variance *= tdm_observed_drift(&o, next);
  return o;
}

static tdm_welch_result tested(const observations *x, const observations *y, figure f) {
  const totals *a = x->of, *b = y->of;
  tdm_welch_result none = {NAN, NAN, NAN};
  if (f == MEMORY && x->are_units) return none;
  if (x->count > 1 && y->count > 1) return tdm_welch(over(x, f), over(y, f));
  if (f != TOTAL || x->count > 1 || y->count > 1 || !a->has_repeats || !b->has_repeats) return none;
  none.half = 1.959963984540054 * sqrt(a->variance + b->variance);
  return none;
}

static void put(const observations *a, const observations *b, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "totals", fields, FIELDS);
  for (figure f = TOTAL; f < FIGURES; f++) {
    double of_a = over(a, f).mean, of_b = over(b, f).mean;
    if (isnan(of_a) && isnan(of_b)) continue;
    tdm_frame_row(frame);
    tdm_frame_text(frame, FIGURE, names[f]);
    tdm_frame_text(frame, UNIT, units[f]);
    tdm_frame_real(frame, A, of_a);
    tdm_frame_real(frame, B, of_b);
    if (isnan(of_a) || isnan(of_b)) continue;
    if (of_a > 0) tdm_frame_real(frame, CHANGE, (of_b - of_a) / of_a);
    tdm_welch_result test = tested(a, b, f);
    tdm_frame_real(frame, HALF, test.half);
    tdm_frame_real(frame, DF, test.df);
    if (!isnan(test.df)) tdm_frame_real(frame, REPEATS, tdm_diff_repeats(a->count, b->count));
    if (f <= ELAPSED && of_b > 0) tdm_frame_real(frame, SPEEDUP, of_a / of_b);
  }
}

tdm_status tdm_diff_totals(const tdm_diff_side *a, const tdm_diff_side *b, bool in_units,
                           tdm_answer *out, tdm_error *error) {
  tdm_diff_cover *covers = NULL;
  size_t count[2] = {0, 0};
  tdm_status status = tdm_diff_covers(a, b, in_units, &covers, &count[0], &count[1], error);
  totals *of = status == TDM_OK ? tdm_array_new(count[0] + count[1] + 1, sizeof *of) : NULL;
  if (status == TDM_OK && of == NULL) status = tdm_error_memory(error, "a diff", 0);
  for (size_t i = 0; status == TDM_OK && i < a->count + b->count; i++) {
    const tdm_diff_side *side = i < a->count ? a : b;
    status = totals_of(side->view[i < a->count ? i : i - a->count], side->within, &covers[i],
                       i < a->count ? of : of + count[0], error);
  }
  if (status == TDM_OK) {
    observations of_a = {of, count[0], covers[0].unit_by_unit};
    observations of_b = {of + count[0], count[1], covers[0].unit_by_unit};
    put(&of_a, &of_b, out);
  }
  free(of);
  free(covers);
  return status;
}
