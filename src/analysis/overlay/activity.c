/* Alignment by activity. See overlay.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/overlay/inside.h"
#include "analysis/overlay/overlay.h"
#include "base/memory.h"

enum {
  BINS = 1 << 16,   /* of the longer run */
  WINDOWS = 16,     /* along the first run */
  FINE_BINS = 4096, /* of a window, in finer bins */
  FINER = 16,       /* from one width of bins to the next */
  AROUND = 2,       /* coarse bins on either side in which the finer lag is looked for */
  LEVELS = 3,
  EDGES_MOST = 20000,
  EDGES_LEAST = 10
};
/* Of unrelated activity the largest of so many lags is some six times their root mean square. */
static const double PEAK_LEAST = 8, LIKENESS_SURE = 0.5, LIKENESS_LEAST = 0.25;

typedef struct {
  const tdm_lane_pairs *pairs;
  int64_t a_from_ns, a_to_ns, b_from_ns, b_to_ns;
  double width_ns; /* of bins */
  size_t a_bins, b_bins;
  double *a, *b; /* [pairs][bins] */
  double *fine;  /* room for two windows */
  double lag;    /* in bins: a[t] is like b[t − lag] */
  double likeness;
  int64_t at_a_ns[WINDOWS], at_b_ns[WINDOWS];
  size_t windows;
} search;

/* ---- the whole at once ---- */

static void find_extents(search *s) {
  s->a_from_ns = s->b_from_ns = INT64_MAX;
  s->a_to_ns = s->b_to_ns = INT64_MIN;
  for (uint32_t i = 0; i < s->pairs->count; i++) {
    const tdm_lane_steps *a = &s->pairs->a[i]->steps, *b = &s->pairs->b[i]->steps;
    if (a->time_ns[0] < s->a_from_ns) s->a_from_ns = a->time_ns[0];
    if (b->time_ns[0] < s->b_from_ns) s->b_from_ns = b->time_ns[0];
    if (a->time_ns[a->count - 1] > s->a_to_ns) s->a_to_ns = a->time_ns[a->count - 1];
    if (b->time_ns[b->count - 1] > s->b_to_ns) s->b_to_ns = b->time_ns[b->count - 1];
  }
}

/* Sums and differences of such times are times. */
static bool is_near(int64_t time_ns) {
  return time_ns > -(INT64_C(1) << 61) && time_ns < INT64_C(1) << 61;
}

static tdm_status make_signals(search *s, tdm_error *error) {
  find_extents(s);
  if (!is_near(s->a_from_ns) || !is_near(s->a_to_ns) || !is_near(s->b_from_ns) ||
      !is_near(s->b_to_ns))
    return tdm_error_set(error, TDM_INVALID,
                         "the times of a run lie more than 73 years from its zero: align by first, "
                         "or set --offset TIME");
  double a_ns = (double)s->a_to_ns - (double)s->a_from_ns;
  double b_ns = (double)s->b_to_ns - (double)s->b_from_ns;
  s->width_ns = fmax(fmax(a_ns, b_ns) / BINS, 1);
  s->a_bins = (size_t)fmax(1, a_ns / s->width_ns); /* whole ones: a part would look less busy */
  s->b_bins = (size_t)fmax(1, b_ns / s->width_ns);
  size_t room = (s->a_bins + s->b_bins) * s->pairs->count;
  s->a = tdm_array_new(room, sizeof *s->a);
  s->fine = tdm_array_new(2 * (FINE_BINS + 2 * AROUND * FINER), sizeof *s->fine);
  if (s->a == NULL || s->fine == NULL)
    return tdm_error_memory(error, "activity", room * sizeof *s->a);
  s->b = s->a + s->a_bins * s->pairs->count;
  for (uint32_t i = 0; i < s->pairs->count; i++) {
    tdm_signal_frame of_a = {s->a_from_ns, s->width_ns, s->a_bins};
    tdm_signal_frame of_b = {s->b_from_ns, s->width_ns, s->b_bins};
    tdm_signal_of(&s->pairs->a[i]->steps, &of_a, s->a + i * s->a_bins);
    tdm_signal_of(&s->pairs->b[i]->steps, &of_b, s->b + i * s->b_bins);
  }
  return TDM_OK;
}

/* Where a parabola through a peak and its neighbours is highest, from the peak. */
static double between(double before, double peak, double after) {
  double bend = before - 2 * peak + after;
  return bend < 0 ? fmax(-0.5, fmin(0.5, (before - after) / (2 * bend))) : 0;
}

static tdm_status find_peak(search *s, const double *value, size_t lags, uint32_t pairs,
                            tdm_error *error) {
  size_t best = 0;
  double squares = 0;
  for (size_t i = 0; i < lags; i++) {
    squares += value[i] * value[i];
    if (value[i] > value[best]) best = i;
  }
  double typical = sqrt(squares / (double)lags);
  s->likeness = value[best] / pairs;
  bool sure = s->likeness >= LIKENESS_SURE ||
              (s->likeness >= LIKENESS_LEAST && value[best] >= PEAK_LEAST * typical);
  if (!sure)
    return tdm_error_set(error, TDM_INVALID,
                         "the activity of the runs is nowhere alike (correlation %.2f at best): "
                         "align by first, event:PATTERN or arrivals, or set --offset TIME",
                         s->likeness);
  s->lag = (double)best - (double)(s->b_bins - 1);
  if (best > 0 && best + 1 < lags) s->lag += between(value[best - 1], value[best], value[best + 1]);
  return TDM_OK;
}

static tdm_status correlate(search *s, tdm_error *error) {
  tdm_correlation_sum sum;
  tdm_status status = tdm_correlation_sum_open(s->a_bins, s->b_bins, &sum, error);
  if (status != TDM_OK) return status;
  for (uint32_t i = 0; i < s->pairs->count; i++)
    tdm_correlation_sum_add(&sum, s->a + i * s->a_bins, s->b + i * s->b_bins);
  if (sum.pairs == 0)
    status = tdm_error_set(error, TDM_INVALID,
                           "the lanes that both runs have are busy all the time: nothing in their "
                           "activity says how their clocks lie (align by first, or --offset TIME)");
  else
    status =
        find_peak(s, tdm_correlation_sum_lags(&sum), s->a_bins + s->b_bins - 1, sum.pairs, error);
  tdm_correlation_sum_close(&sum);
  return status;
}

/* ---- windows ---- */

/* A window of a and the part of b that lags of −reach … reach need, one pair of lanes after the
 * other: score[lag + reach] is the mean correlation of those that change. */
typedef struct {
  size_t count, reach;
  double score[2 * 512 + 1];
} scan;

static void add_scores(scan *of, const double *a, const double *b, double *mean) {
  for (size_t lag = 0; lag <= 2 * of->reach; lag++)
    mean[lag] += tdm_signal_alike(a, b + 2 * of->reach - lag, of->count);
}

/* The best lag of a scan, between bins; 0: no likeness at all. */
static int best_lag(const scan *of, uint32_t pairs, double *lag, double *likeness) {
  size_t best = 0, lags = 2 * of->reach + 1;
  for (size_t i = 1; i < lags; i++)
    if (of->score[i] > of->score[best]) best = i;
  *likeness = of->score[best] / pairs;
  *lag = (double)best - (double)of->reach;
  if (best > 0 && best + 1 < lags)
    *lag += between(of->score[best - 1], of->score[best], of->score[best + 1]);
  return *likeness > 0;
}

/* The lag of a window near the lag of the whole, as far off as a drift of clocks may carry it. */
static int coarse_window(search *s, size_t first, size_t count, double *lag) {
  static const size_t most = 512;
  size_t reach = 2 + (size_t)((double)s->a_bins * TDM_DRIFT_MOST_PPM * 1e-6);
  if (reach > most) reach = most;
  scan of = {.count = count, .reach = reach};
  int64_t b_first = (int64_t)first - llround(s->lag) - (int64_t)reach;
  if (b_first < 0 || (size_t)b_first + count + 2 * reach > s->b_bins) return 0;
  for (uint32_t i = 0; i < s->pairs->count; i++)
    add_scores(&of, s->a + i * s->a_bins + first, s->b + i * s->b_bins + b_first, of.score);
  double likeness;
  if (!best_lag(&of, s->pairs->count, lag, &likeness) || likeness < s->likeness / 4) return 0;
  *lag += (double)llround(s->lag);
  return 1;
}

/* A shift (a's clock less b's) made finer: bins of `width` around a's time `at`. */
static int finer_shift(search *s, int64_t at_ns, double width_ns, int64_t *shift_ns) {
  scan of = {.count = FINE_BINS, .reach = AROUND * FINER};
  tdm_signal_frame of_a = {at_ns - (int64_t)(FINE_BINS / 2 * width_ns), width_ns, FINE_BINS};
  tdm_signal_frame of_b = {of_a.from_ns - *shift_ns - (int64_t)((double)of.reach * width_ns),
                           width_ns, FINE_BINS + 2 * of.reach};
  for (uint32_t i = 0; i < s->pairs->count; i++) {
    tdm_signal_of(&s->pairs->a[i]->steps, &of_a, s->fine);
    tdm_signal_of(&s->pairs->b[i]->steps, &of_b, s->fine + FINE_BINS);
    add_scores(&of, s->fine, s->fine + FINE_BINS, of.score);
  }
  double lag, likeness;
  if (!best_lag(&of, s->pairs->count, &lag, &likeness)) return 0;
  *shift_ns += llround(lag * width_ns);
  return 1;
}

/* Where in a window most begins and ends: there is most to see. */
static int64_t liveliest_ns(const search *s, size_t first, size_t count, double span_ns) {
  int64_t from_ns = s->a_from_ns + (int64_t)((double)first * s->width_ns);
  double part_ns = (double)count * s->width_ns;
  size_t parts = (size_t)fmax(1, fmin(64, part_ns / span_ns));
  size_t best = 0, most = 0;
  for (size_t p = 0; p < parts; p++) {
    size_t changes = 0;
    for (uint32_t i = 0; i < s->pairs->count; i++) {
      const tdm_lane_steps *steps = &s->pairs->a[i]->steps;
      int64_t ends[2];
      size_t at[2];
      for (size_t e = 0; e < 2; e++) {
        ends[e] = from_ns + (int64_t)(part_ns * (double)(p + e) / (double)parts);
        size_t low = 0, high = steps->count;
        while (low < high) {
          size_t middle = low + (high - low) / 2;
          if (steps->time_ns[middle] < ends[e])
            low = middle + 1;
          else
            high = middle;
        }
        at[e] = low;
      }
      changes += at[1] - at[0] > 64 ? 64 : at[1] - at[0]; /* no lane outshouts the others */
    }
    if (changes <= most) continue;
    most = changes;
    best = p;
  }
  return from_ns + (int64_t)(part_ns * ((double)best + 0.5) / (double)parts);
}

static void follow_windows(search *s) {
  for (size_t w = 0; w < WINDOWS; w++) {
    size_t first = s->a_bins * w / WINDOWS, count = s->a_bins * (w + 1) / WINDOWS - first;
    double lag, width_ns = s->width_ns;
    if (count < 16 || !coarse_window(s, first, count, &lag)) continue;
    int64_t shift_ns = s->a_from_ns - s->b_from_ns + llround(lag * s->width_ns);
    int64_t at_ns = liveliest_ns(s, first, count, s->width_ns * FINE_BINS / FINER);
    for (int level = 0; level < LEVELS && width_ns > 1; level++) {
      width_ns /= FINER;
      if (!finer_shift(s, at_ns, width_ns, &shift_ns)) break;
    }
    s->at_a_ns[s->windows] = at_ns;
    s->at_b_ns[s->windows++] = at_ns - shift_ns;
  }
}

/* ---- starts that lie together ---- */

/* Starts of busy times: where a lane's count rises from nothing. */
static size_t next_start(const tdm_lane_steps *steps, size_t from) {
  while (from < steps->count &&
         (steps->active[from] == 0 || (from > 0 && steps->active[from - 1] > 0)))
    from++;
  return from;
}

typedef struct {
  int64_t a_ns, b_ns;
} edge;

static int by_a(const void *a, const void *b) {
  int64_t x = ((const edge *)a)->a_ns, y = ((const edge *)b)->a_ns;
  return x < y ? -1 : x > y;
}

static size_t lane_edges(const tdm_lane_steps *a, const tdm_lane_steps *b, const tdm_clock *clock,
                         double within_ns, size_t stride, edge *out, size_t room) {
  size_t made = 0, met = 0, j = next_start(b, 0);
  for (size_t i = next_start(a, 0); i < a->count && made < room; i = next_start(a, i + 1)) {
    if (met++ % stride != 0) continue;
    int64_t at_ns = a->time_ns[i];
    size_t next;
    while (j < b->count && (next = next_start(b, j + 1)) < b->count &&
           llabs(tdm_clock_time(clock, b->time_ns[next]) - at_ns) <=
               llabs(tdm_clock_time(clock, b->time_ns[j]) - at_ns))
      j = next;
    if (j >= b->count) break;
    if ((double)llabs(tdm_clock_time(clock, b->time_ns[j]) - at_ns) <= within_ns)
      out[made++] = (edge){at_ns, b->time_ns[j]};
  }
  return made;
}

/* Fits the clock to the starts that lie within some nanoseconds of each other; leaves it as it is
 * when there are fewer than `least`. A few tell no drift. */
static tdm_status settle(const tdm_lane_pairs *pairs, tdm_drift drift, double within_ns,
                         size_t least, tdm_alignment *out, tdm_error *error) {
  edge *edges = tdm_array_new(EDGES_MOST, sizeof *edges);
  int64_t *times = tdm_array_new(EDGES_MOST, 2 * sizeof *times);
  tdm_status status = TDM_OK;
  size_t made = 0;
  if (edges == NULL || times == NULL) status = tdm_error_memory(error, "an alignment", 0);
  for (uint32_t i = 0; status == TDM_OK && i < pairs->count; i++) {
    size_t room = EDGES_MOST / pairs->count, stride = pairs->a[i]->steps.count / 2 / room + 1;
    made += lane_edges(&pairs->a[i]->steps, &pairs->b[i]->steps, &out->clock, within_ns, stride,
                       edges + made, room);
  }
  if (status == TDM_OK && made >= least) {
    qsort(edges, made, sizeof *edges, by_a);
    for (size_t i = 0; i < made; i++) {
      times[i] = edges[i].a_ns;
      times[EDGES_MOST + i] = edges[i].b_ns;
    }
    status = tdm_clock_fit(times, times + EDGES_MOST, made,
                           made < EDGES_LEAST ? TDM_DRIFT_OFF : drift, out, error);
  }
  free(edges);
  free(times);
  return status;
}

tdm_status tdm_align_activity(const tdm_lane_pairs *pairs, tdm_drift drift, tdm_alignment *out,
                              double *likeness, tdm_error *error) {
  search s = {.pairs = pairs};
  tdm_status status = make_signals(&s, error);
  if (status == TDM_OK) status = correlate(&s, error);
  if (status == TDM_OK) {
    follow_windows(&s);
    if (s.windows == 0) { /* too short for windows: the whole is one */
      s.at_a_ns[0] = s.a_from_ns;
      s.at_b_ns[0] = s.b_from_ns - llround(s.lag * s.width_ns);
      s.windows = 1;
    }
    tdm_drift first = s.windows >= 3 ? drift : TDM_DRIFT_OFF;
    status = tdm_clock_fit(s.at_a_ns, s.at_b_ns, s.windows, first, out, error);
  }
  if (status == TDM_OK) {
    double scatter_ns = out->residual_ns > 0 ? out->residual_ns : 0;
    double fine_ns = s.windows > 1 ? s.width_ns / (FINER * FINER * FINER) : s.width_ns;
    status = settle(pairs, drift, fmax(4 * scatter_ns, fmax(2 * fine_ns, 2)),
                    s.windows >= 3 ? EDGES_LEAST : 2, out, error);
  }
  if (status == TDM_OK && drift == TDM_DRIFT_ON && out->events < EDGES_LEAST && s.windows < 3)
    status = tdm_error_set(error, TDM_INVALID,
                           "there is too little activity in common to tell a drift: leave it out, "
                           "or align by an event that both runs have often");
  *likeness = s.likeness;
  free(s.a);
  free(s.fine);
  return status;
}
