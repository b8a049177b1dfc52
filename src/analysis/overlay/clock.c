/* The clock of one run told on that of another, and how it is found from paired times; see
 * overlay.h. */
#include "analysis/overlay/overlay.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- telling times ---- */

static int64_t added(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? INT64_MAX : INT64_MIN;
  return sum;
}

static int64_t whole(double ns) {
  if (!(ns > -9.2e18)) return INT64_MIN;
  return ns < 9.2e18 ? (int64_t)llround(ns) : INT64_MAX;
}

int64_t tdm_clock_time(const tdm_clock *clock, int64_t time_ns) {
  int64_t shifted = added(time_ns, clock->offset_ns);
  if (clock->drift_ppm == 0) return shifted;
  double since = (double)time_ns - (double)clock->origin_ns;
  int64_t exact;
  if (!__builtin_sub_overflow(time_ns, clock->origin_ns, &exact)) since = (double)exact;
  return added(shifted, whole(since * clock->drift_ppm * 1e-6));
}

int64_t tdm_clock_back(const tdm_clock *clock, int64_t time_ns) {
  int64_t guess = added(time_ns, clock->offset_ns == INT64_MIN ? INT64_MAX : -clock->offset_ns);
  for (int i = 0; clock->drift_ppm != 0 && i < 8; i++) {
    int64_t off = time_ns - tdm_clock_time(clock, guess);
    if (off == 0) break;
    guess = added(guess, off);
  }
  return guess;
}

/* ---- the fit ---- */

/* y = level + slope · x, slope 0 where none is fitted; weights of the last turn. */
typedef struct {
  const double *x, *y;
  double *weight, *spare;
  size_t count;
  double level, slope, slope_error, distance;
} line;

enum { TURNS = 25 };
static const double QUANTUM_NS = 0.5; /* what rounding to nanoseconds alone makes */

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median_of(double *values, size_t count) {
  qsort(values, count, sizeof *values, ascending);
  return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static double residual_of(const line *l, size_t i) {
  return l->y[i] - l->level - l->slope * l->x[i];
}

static double distance_of(const line *l) {
  for (size_t i = 0; i < l->count; i++) l->spare[i] = fabs(residual_of(l, i));
  return median_of(l->spare, l->count);
}

/* Slopes between events half the run apart: few bad ones do not move their median. */
static double first_slope(const line *l) {
  size_t half = l->count / 2, made = 0;
  for (size_t i = 0; i + half < l->count; i++) {
    double run = l->x[i + half] - l->x[i];
    if (run > 0) l->spare[made++] = (l->y[i + half] - l->y[i]) / run;
  }
  return made > 0 ? median_of(l->spare, made) : 0;
}

static void weigh(line *l, double scale) {
  double reach = 4.685 * scale;
  for (size_t i = 0; i < l->count; i++) {
    double u = residual_of(l, i) / reach;
    l->weight[i] = fabs(u) < 1 ? (1 - u * u) * (1 - u * u) : 0;
  }
}

/* One turn of weighted least squares; returns how far the line moved at most. */
static double solve(line *l, bool with_slope) {
  double sum = 0, mean_x = 0, mean_y = 0, across = 0, along = 0, level = l->level, slope = l->slope;
  for (size_t i = 0; i < l->count; i++) {
    sum += l->weight[i];
    mean_x += l->weight[i] * l->x[i];
    mean_y += l->weight[i] * l->y[i];
  }
  if (!(sum > 0)) return 0;
  mean_x /= sum;
  mean_y /= sum;
  for (size_t i = 0; i < l->count; i++) {
    double dx = l->x[i] - mean_x;
    across += l->weight[i] * dx * dx;
    along += l->weight[i] * dx * (l->y[i] - mean_y);
  }
  l->slope = with_slope && across > 0 ? along / across : 0;
  l->level = mean_y - l->slope * mean_x;
  double squares = 0;
  for (size_t i = 0; i < l->count; i++)
    squares += l->weight[i] * residual_of(l, i) * residual_of(l, i);
  double spread = sum > 2 ? fmax(sqrt(squares / (sum - 2)), QUANTUM_NS) : NAN;
  l->slope_error = across > 0 ? spread / sqrt(across) : NAN;
  double end = l->count > 0 ? l->x[l->count - 1] : 0;
  return fmax(fabs(l->level - level), fabs(l->level + l->slope * end - level - slope * end));
}

static void fit(line *l, bool with_slope) {
  l->slope = with_slope ? first_slope(l) : 0;
  for (size_t i = 0; i < l->count; i++) l->spare[i] = l->y[i] - l->slope * l->x[i];
  l->level = median_of(l->spare, l->count);
  for (int turn = 0; turn < TURNS; turn++) {
    weigh(l, fmax(1.4826 * distance_of(l), QUANTUM_NS));
    if (solve(l, with_slope) < 0.01) break;
  }
  l->distance = distance_of(l);
}

static bool is_applied(const line *with, size_t count, tdm_drift drift) {
  if (drift == TDM_DRIFT_ON) return true;
  double ppm = with->slope * 1e6;
  return drift == TDM_DRIFT_AUTO && count >= 3 && fabs(ppm) <= TDM_DRIFT_MOST_PPM &&
         fabs(with->slope) > 2 * with->slope_error;
}

/* How far both clocks have gone since their first events; false: further than 64 bits. */
static bool relative(const int64_t *first_ns, const int64_t *second_ns, size_t count, double *x,
                     double *y) {
  for (size_t i = 0; i < count; i++) {
    int64_t a, b, apart;
    if (__builtin_sub_overflow(first_ns[i], first_ns[0], &a) ||
        __builtin_sub_overflow(second_ns[i], second_ns[0], &b) ||
        __builtin_sub_overflow(a, b, &apart))
      return false;
    x[i] = (double)b;
    y[i] = (double)apart;
  }
  return true;
}

static tdm_status fit_both(line *l, const int64_t *first_ns, const int64_t *second_ns,
                           tdm_drift drift, tdm_alignment *out, tdm_error *error) {
  line with = *l;
  out->drift_ppm = out->drift_error_ppm = out->residual_ns = NAN;
  if (l->count >= 2) {
    fit(&with, true);
    out->drift_ppm = with.slope * 1e6;
    out->drift_error_ppm = l->count >= 3 ? with.slope_error * 1e6 : NAN;
  }
  bool applied = l->count >= 2 && is_applied(&with, l->count, drift);
  if (applied)
    *l = with;
  else
    fit(l, false);
  int64_t base;
  if (__builtin_sub_overflow(first_ns[0], second_ns[0], &base))
    return tdm_error_set(error, TDM_INVALID, "the clocks lie more than 292 years apart");
  out->clock = (tdm_clock){.offset_ns = added(base, whole(l->level)),
                           .origin_ns = second_ns[0],
                           .drift_ppm = applied ? out->drift_ppm : 0};
  if (l->count > 1) out->residual_ns = l->distance;
  return TDM_OK;
}

tdm_status tdm_clock_fit(const int64_t *first_ns, const int64_t *second_ns, size_t count,
                         tdm_drift drift, tdm_alignment *out, tdm_error *error) {
  *out = (tdm_alignment){.events = count};
  if (count == 0) return tdm_error_set(error, TDM_INVALID, "no event is in both runs");
  if (count == 1 && drift == TDM_DRIFT_ON)
    return tdm_error_set(error, TDM_INVALID,
                         "one event tells no drift: align by activity, by arrivals or by an event "
                         "that both runs have often, or leave the drift out");
  double *values = tdm_array_new(count, 4 * sizeof *values);
  if (values == NULL) return tdm_error_memory(error, "an alignment", count * 4 * sizeof *values);
  line l = {.x = values,
            .y = values + count,
            .weight = values + 2 * count,
            .spare = values + 3 * count,
            .count = count};
  tdm_status status = TDM_OK;
  if (!relative(first_ns, second_ns, count, values, values + count))
    status = tdm_error_set(error, TDM_INVALID, "the times of a run lie more than 292 years apart");
  if (status == TDM_OK) status = fit_both(&l, first_ns, second_ns, drift, out, error);
  free(values);
  return status;
}
