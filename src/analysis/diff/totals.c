/* The figures of a diff that have no name: see diff.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff.h"
#include "analysis/diff/inside.h"
#include "analysis/groups.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

static const tdm_field fields[] = {{"figure", TDM_FIELD_TEXT}, {"unit", TDM_FIELD_TEXT},
                                   {"a", TDM_FIELD_REAL},      {"b", TDM_FIELD_REAL},
                                   {"change", TDM_FIELD_REAL}, {"half", TDM_FIELD_REAL},
                                   {"speedup", TDM_FIELD_REAL}};
enum { FIGURE, UNIT, A, B, CHANGE, HALF, SPEEDUP, FIELDS };

typedef enum { TOTAL, BUSY, ELAPSED, WORK, MEMORY, FIGURES } figure;
static const char *const names[FIGURES] = {"total", "busy", "elapsed", "work", "memory"};
static const char *const units[FIGURES] = {"ns", "ns", "ns", "count", "B"};

/* Allocations as PyTorch's profiler records them: each says how much its device then has. */
static const char *const memory_categories[] = {"memory", NULL};
static const tdm_arg memory_keys[] = {
    {"Total Allocated", TDM_ARG_INT}, {"Device Id", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_memory = {
    .categories = memory_categories, .keys = memory_keys, .shapes = 1u << TDM_SHAPE_INSTANT};

typedef struct {
  double value[FIGURES]; /* NaN: the run does not tell */
  double variance;       /* of TOTAL, from the spread of the instances of each name */
  bool has_repeats;
} totals;

/* ---- one run ---- */

/* A nanosecond counts once a device. */
static tdm_status busy_of(tdm_run_view *view, const tdm_table *work, const bool *belongs,
                          double *busy_ns, tdm_error *error) {
  uint32_t devices = tdm_run_view_devices(view);
  int64_t *until = malloc((devices + 1) * sizeof *until);
  if (until == NULL) return tdm_error_memory(error, "devices", devices);
  for (uint32_t d = 0; d <= devices; d++) until[d] = INT64_MIN;
  *busy_ns = 0;
  for (size_t i = 0; i < work->count; i++) {
    if (belongs != NULL && !belongs[i]) continue;
    uint32_t device = tdm_run_view_device_of(view, work->track[i]);
    if (device == TDM_NO_DEVICE) device = devices;
    int64_t from = work->start_ns[i] > until[device] ? work->start_ns[i] : until[device];
    if (work->end_ns[i] <= from) continue;
    *busy_ns += (double)(work->end_ns[i] - from);
    until[device] = work->end_ns[i];
  }
  free(until);
  return TDM_OK;
}

/* Var(sum of n instances) = n s². What ran once has the relative spread of the rest; where nothing
 * repeats there is none. */
static tdm_status spread_of(const tdm_table *work, const bool *belongs, totals *t,
                            tdm_error *error) {
  tdm_groups groups = {0};
  tdm_status status = tdm_groups_open(&groups, 2, work->count, error);
  double *sum = NULL;
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) {
    int64_t key[2] = {work->category[i], work->name[i]};
    if (tdm_groups_add(&groups, key) == UINT32_MAX)
      status = tdm_error_memory(error, "rows of a diff", 0);
  }
  if (status == TDM_OK && (sum = tdm_array_new(3 * groups.count + 3, sizeof *sum)) == NULL)
    status = tdm_error_memory(error, "rows of a diff", 0);
  double *count = sum, *mean = sum + groups.count, *squares = sum + 2 * groups.count;
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) { /* Welford's recurrence */
    if (belongs != NULL && !belongs[i]) continue;
    uint32_t g = groups.group[i];
    double dur_ns = (double)(work->end_ns[i] - work->start_ns[i]), off = dur_ns - mean[g];
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
    int64_t bytes = memory->arg[0][i], device = memory->arg[1][i];
    if (bytes == TDM_NONE || device == TDM_NONE || device < 0) continue; /* < 0: the host */
    if (wanted != TDM_NONE && device != wanted) continue;
    if (!(*peak_bytes >= (double)bytes)) *peak_bytes = (double)bytes;
  }
  return status;
}

static void add_work(const tdm_table *work, const bool *belongs, totals *t) {
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  t->value[TOTAL] = t->value[WORK] = 0;
  for (size_t i = 0; i < work->count; i++) {
    if (belongs != NULL && !belongs[i]) continue;
    t->value[TOTAL] += (double)(work->end_ns[i] - work->start_ns[i]);
    t->value[WORK]++;
    if (work->start_ns[i] < first_ns) first_ns = work->start_ns[i];
    if (work->end_ns[i] > last_ns) last_ns = work->end_ns[i];
  }
  if (t->value[WORK] > 0) t->value[ELAPSED] = (double)(last_ns - first_ns);
}

static tdm_status totals_of(tdm_run_view *view, const char *within, totals *t, tdm_error *error) {
  const tdm_table *work = NULL;
  bool *belongs = NULL;
  *t = (totals){0};
  for (size_t f = 0; f < FIGURES; f++) t->value[f] = NAN;
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &work, error);
  if (status == TDM_OK && within != NULL)
    status = tdm_within(view, work, true, within, &belongs, error);
  if (status == TDM_OK && work->count > 0) {
    add_work(work, belongs, t);
    status = busy_of(view, work, belongs, &t->value[BUSY], error);
    if (status == TDM_OK) status = spread_of(work, belongs, t, error);
  }
  if (status == TDM_OK && within == NULL) status = memory_of(view, &t->value[MEMORY], error);
  free(belongs);
  return status;
}

/* ---- two sides ---- */

static tdm_observed over_runs(const totals *of, size_t runs, figure f) {
  tdm_observed o = {.count = (double)runs};
  for (size_t i = 0; i < runs; i++) o.mean += of[i].value[f] / o.count;
  for (size_t i = 0; i < runs && runs > 1; i++)
    o.variance += (of[i].value[f] - o.mean) * (of[i].value[f] - o.mean) / (o.count - 1);
  return o;
}

static double half_width(const totals *a, size_t runs_a, const totals *b, size_t runs_b, figure f) {
  if (runs_a > 1 && runs_b > 1)
    return tdm_welch(over_runs(a, runs_a, f), over_runs(b, runs_b, f)).half;
  if (f != TOTAL || runs_a > 1 || runs_b > 1 || !a->has_repeats || !b->has_repeats) return NAN;
  return 1.959963984540054 * sqrt(a->variance + b->variance);
}

static void put(const totals *a, size_t runs_a, const totals *b, size_t runs_b, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "totals", fields, FIELDS);
  for (figure f = TOTAL; f < FIGURES; f++) {
    double of_a = over_runs(a, runs_a, f).mean, of_b = over_runs(b, runs_b, f).mean;
    if (isnan(of_a) && isnan(of_b)) continue;
    tdm_frame_row(frame);
    tdm_frame_text(frame, FIGURE, names[f]);
    tdm_frame_text(frame, UNIT, units[f]);
    tdm_frame_real(frame, A, of_a);
    tdm_frame_real(frame, B, of_b);
    if (isnan(of_a) || isnan(of_b)) continue;
    if (of_a > 0) tdm_frame_real(frame, CHANGE, (of_b - of_a) / of_a);
    tdm_frame_real(frame, HALF, half_width(a, runs_a, b, runs_b, f));
    if (f <= ELAPSED && of_b > 0) tdm_frame_real(frame, SPEEDUP, of_a / of_b);
  }
}

tdm_status tdm_diff_totals(const tdm_diff_side *a, const tdm_diff_side *b, tdm_answer *out,
                           tdm_error *error) {
  totals *of = tdm_array_new(a->count + b->count, sizeof *of);
  tdm_status status = of == NULL ? tdm_error_memory(error, "a diff", 0) : TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < a->count + b->count; i++) {
    const tdm_diff_side *side = i < a->count ? a : b;
    status = totals_of(side->view[i < a->count ? i : i - a->count], side->within, &of[i], error);
  }
  if (status == TDM_OK) put(of, a->count, of + a->count, b->count, out);
  free(of);
  return status;
}
