/* Walks arrival processes: the table of kinds, each with its fields and functions. Owns nothing but
 * what a description points to (freed here).
 * Called by the engine (event and lowered alike) and by the binding, which builds descriptions. */
#include "model/arrivals.h"

#include <math.h>
#include <stdlib.h>

#include "base/exponential.h"

#define END_NS      (INT64_MAX / 2) /* 146 years: what would come later never comes */
#define LONG_MEAN_S 5e4             /* gaps of a longer mean may be too long to draw in blocks */

/* A time or a gap, where tdm_round_ns, made for durations, would end after 26 days. */
static int64_t ns_of(double s) {
  double ns = s * 1e9;
  return ns < (double)END_NS ? llrint(ns) : END_NS;
}

static int64_t time_of(const tdm_arrivals *a, double clock_s) {
  return a->start_ns + ns_of(clock_s);
}

static int64_t add_gap(const tdm_arrival_cursor *c, double gap_s) {
  return c->time_ns + (gap_s > 0 ? ns_of(gap_s) : 0);
}

/* ---- evenly spaced */

/* Multiples of the gap, so that rounding does not add up. */
static bool constant_next(tdm_arrival_cursor *c) {
  c->time_ns = time_of(c->arrivals, (double)(c->n + 1) * (1 / c->arrivals->rps));
  return true;
}

static double constant_rate(const tdm_arrivals *a) {
  return a->rps;
}

/* ---- gaps of a distribution */

static void renewal_open(tdm_arrival_cursor *c) {
  double mean_s;
  if (tdm_dist_is_exponential(c->arrivals->gap, &mean_s) && mean_s <= LONG_MEAN_S)
    c->gap_mean_ns = mean_s * 1e9;
}

/* Exponential gaps come 64 at a time. */
static bool renewal_next(tdm_arrival_cursor *c) {
  if (c->gap_mean_ns < 0) {
    c->time_ns = add_gap(c, tdm_dist_draw(c->arrivals->gap, c->gaps, c->n, c->script));
    return true;
  }
  if (c->n % 64 == 0) tdm_exponential_run(c->gaps, c->n, 64, c->gap_mean_ns, c->block_ns);
  c->time_ns += c->block_ns[c->n % 64];
  return true;
}

static double renewal_rate(const tdm_arrivals *a) {
  double mean = tdm_dist_mean(a->gap);
  return mean > 0 ? 1 / mean : 0;
}

/* ---- Poisson whose rate switches */

static double state_rate(const tdm_arrivals *a, size_t state) {
  return a->states[2 * state];
}
static double state_stay_s(const tdm_arrivals *a, size_t state) {
  return a->states[2 * state + 1];
}

static tdm_status mmpp_check(const tdm_arrivals *a, tdm_error *error) {
  double most = 0;
  for (size_t i = 0; i < a->state_count; i++) {
    if (!(state_rate(a, i) >= 0) || !(state_stay_s(a, i) > 0))
      return tdm_error_set(error, TDM_INVALID,
                           "arrivals: state %zu needs a rate of at least 0 and a mean stay above 0",
                           i + 1);
    most = fmax(most, state_rate(a, i));
  }
  if (!(most > 0)) return tdm_error_set(error, TDM_INVALID, "arrivals: every state is silent");
  return TDM_OK;
}

/* As if it had run for long: in each state with the share of the time that it spends there. What is
 * left of an exponential stay is as long as a whole one. */
static void mmpp_open(tdm_arrival_cursor *c) {
  const tdm_arrivals *a = c->arrivals;
  double all = 0;
  for (size_t i = 0; i < a->state_count; i++) all += state_stay_s(a, i);
  double left = tdm_stream_unit(tdm_stream_child(c->aux, 1), 0) * all;
  for (; c->state + 1 < a->state_count; c->state++) {
    left -= state_stay_s(a, c->state);
    if (left <= 0) break;
  }
  c->switch_s = state_stay_s(a, c->state) * tdm_exponential(tdm_stream_bits(c->aux, 0));
}

/* Exponential gaps within a state are memoryless, so a gap that crosses a switch is redrawn at it.
 */
static bool mmpp_next(tdm_arrival_cursor *c) {
  const tdm_arrivals *a = c->arrivals;
  for (;;) {
    double rate = state_rate(a, c->state);
    double at = rate > 0 ? c->clock_s + tdm_exponential(tdm_stream_bits(c->gaps, c->draws++)) / rate
                         : INFINITY;
    if (at <= c->switch_s) {
      c->clock_s = at;
      c->time_ns = time_of(a, at);
      return true;
    }
    c->clock_s = c->switch_s;
    c->state = (c->state + 1) % a->state_count;
    c->switch_s +=
        state_stay_s(a, c->state) * tdm_exponential(tdm_stream_bits(c->aux, ++c->switches));
  }
}

static double mmpp_rate(const tdm_arrivals *a) {
  double requests = 0, time_s = 0;
  for (size_t i = 0; i < a->state_count; i++) {
    requests += state_rate(a, i) * state_stay_s(a, i);
    time_s += state_stay_s(a, i);
  }
  return requests / time_s;
}

/* ---- Poisson whose rate follows points */

static double curve_max(const tdm_arrivals *a) {
  double most = 0;
  for (size_t i = 0; i < a->points; i++) most = fmax(most, a->curve[2 * i + 1]);
  return most;
}

static tdm_status curve_check(const tdm_arrivals *a, tdm_error *error) {
  for (size_t i = 1; i < a->points; i++)
    if (a->curve[2 * i] < a->curve[2 * i - 2])
      return tdm_error_set(error, TDM_INVALID,
                           "arrivals: times of a rate curve must rise (point %zu)", i + 1);
  for (size_t i = 0; i < a->points; i++)
    if (!(a->curve[2 * i + 1] >= 0))
      return tdm_error_set(error, TDM_INVALID, "arrivals: rate %zu of the curve is negative",
                           i + 1);
  if (a->points == 0 || !(curve_max(a) > 0))
    return tdm_error_set(error, TDM_INVALID, "arrivals: the rate curve is zero everywhere");
  return TDM_OK;
}

static void curve_open(tdm_arrival_cursor *c) {
  c->rate_max = curve_max(c->arrivals);
}

static double rate_at(const tdm_arrivals *a, double t_s) {
  const double *p = a->curve;
  size_t last = a->points - 1;
  if (a->period_s > 0) t_s = fmod(t_s, a->period_s);
  if (t_s <= p[0]) return p[1];
  if (t_s >= p[2 * last]) return p[2 * last + 1];
  size_t low = 0, high = last;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (p[2 * middle] <= t_s)
      low = middle;
    else
      high = middle;
  }
  double span = p[2 * high] - p[2 * low];
  if (!(span > 0)) return p[2 * high + 1];
  return p[2 * low + 1] + (p[2 * high + 1] - p[2 * low + 1]) * (t_s - p[2 * low]) / span;
}

/* Thinning (Lewis & Shedler 1979): candidates at the largest rate, each kept with rate/largest. */
static bool curve_next(tdm_arrival_cursor *c) {
  const tdm_arrivals *a = c->arrivals;
  double last_rate = a->curve[2 * a->points - 1];
  for (;;) {
    c->clock_s += tdm_exponential(tdm_stream_bits(c->gaps, c->draws)) / c->rate_max;
    if (!(a->period_s > 0) && !(last_rate > 0) && c->clock_s > a->curve[2 * a->points - 2])
      return false; /* silent for ever */
    double keep = tdm_stream_unit(c->aux, c->draws++);
    if (keep * c->rate_max <= rate_at(a, c->clock_s)) break;
  }
  c->time_ns = time_of(a, c->clock_s);
  return true;
}

static double curve_mean(const tdm_arrivals *a) {
  double requests = 0, time_s = 0;
  for (size_t i = 1; i < a->points; i++) {
    double span = a->curve[2 * i] - a->curve[2 * i - 2];
    requests += span * (a->curve[2 * i + 1] + a->curve[2 * i - 1]) / 2;
    time_s += span;
  }
  return time_s > 0 ? requests / time_s : a->curve[1];
}

/* ---- users who wait for their answer */

static tdm_status closed_check(const tdm_arrivals *a, tdm_error *error) {
  if (a->users > 0) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID, "arrivals: a closed loop needs at least one user");
}

/* ---- given times */

static tdm_status list_check(const tdm_arrivals *a, tdm_error *error) {
  for (size_t i = 1; i < a->count; i++)
    if (a->times_ns[i] < a->times_ns[i - 1])
      return tdm_error_set(error, TDM_INVALID, "arrivals: times must rise (row %zu)", i + 1);
  if (a->repeats > 1 && (a->period_ns < a->times_ns[a->count - 1] ||
                         (double)a->period_ns * (double)a->repeats > 0x1p61))
    return tdm_error_set(error, TDM_INVALID, "arrivals: a list repeats after its end, and ends");
  if (a->rows.count > 0 && tdm_rows_units(&a->rows) != a->count)
    return tdm_error_set(error, TDM_INVALID, "arrivals: %zu times for %zu rows", a->count,
                         tdm_rows_units(&a->rows));
  return TDM_OK;
}

static bool list_next(tdm_arrival_cursor *c) {
  const tdm_arrivals *a = c->arrivals;
  if (c->n >= a->count * (a->repeats > 1 ? a->repeats : 1)) return false;
  c->time_ns =
      a->start_ns + a->times_ns[c->n % a->count] + (int64_t)(c->n / a->count) * a->period_ns;
  return true;
}

static double list_rate(const tdm_arrivals *a) {
  if (a->repeats > 1) return (double)a->count / ((double)a->period_ns * 1e-9);
  if (a->count < 2 || a->times_ns[a->count - 1] == 0) return 0;
  return (double)a->count / ((double)a->times_ns[a->count - 1] * 1e-9);
}

int64_t tdm_arrivals_list_end_ns(const tdm_arrivals *a) {
  if (a->kind != TDM_ARRIVE_LIST || a->count == 0) return 0;
  return a->times_ns[a->count - 1] +
         (a->repeats > 1 ? (int64_t)(a->repeats - 1) * a->period_ns : 0);
}

/* ---- gaps of a user's function */

static bool function_next(tdm_arrival_cursor *c) {
  double gap_s;
  if (c->call == NULL ||
      !c->call(c->call_context, c->arrivals, c->n, (double)c->time_ns * 1e-9, &gap_s))
    return false;
  c->time_ns = add_gap(c, gap_s);
  return true;
}

/* ---- all of them */

#define FIELD(NAME, SORT, MEMBER)                                                                  \
  { .name = (NAME), .sort = TDM_ARRIVAL_##SORT, .offset = offsetof(tdm_arrivals, MEMBER) }
#define LIST(NAME, SORT, MEMBER, COUNT)                                                            \
  {                                                                                                \
    .name = (NAME), .sort = TDM_ARRIVAL_##SORT, .offset = offsetof(tdm_arrivals, MEMBER),          \
    .count = offsetof(tdm_arrivals, COUNT)                                                         \
  }

const tdm_arrival_process tdm_arrival_processes[] = {
    [TDM_ARRIVE_CONSTANT] = {"constant",
                             {FIELD("rps", POSITIVE, rps)},
                             .next = constant_next,
                             .rate = constant_rate},
    [TDM_ARRIVE_RENEWAL] = {"renewal",
                            {FIELD("gap", DIST, gap)},
                            .open = renewal_open,
                            .next = renewal_next,
                            .rate = renewal_rate},
    [TDM_ARRIVE_MMPP] = {"mmpp",
                         {LIST("states", PAIRS, states, state_count)},
                         .check = mmpp_check,
                         .open = mmpp_open,
                         .next = mmpp_next,
                         .rate = mmpp_rate},
    [TDM_ARRIVE_CURVE] = {"curve",
                          {LIST("points", PAIRS, curve, points),
                           FIELD("period", SECONDS, period_s)},
                          .check = curve_check,
                          .open = curve_open,
                          .next = curve_next,
                          .rate = curve_mean},
    [TDM_ARRIVE_CLOSED] = {"closed",
                           {FIELD("users", COUNT, users), FIELD("think", DIST, think)},
                           .check = closed_check},
    [TDM_ARRIVE_LIST] = {"list",
                         {LIST("times", TIMES, times_ns, count), FIELD("repeats", COUNT, repeats),
                          FIELD("period", NS, period_ns)},
                         .check = list_check,
                         .next = list_next,
                         .rate = list_rate},
    [TDM_ARRIVE_FUNCTION] = {"lua",
                             {FIELD("fn", FUNCTION, function), FIELD("coroutine", FLAG, coroutine)},
                             .next = function_next},
    {0}};

static const tdm_arrival_process *process_of(const tdm_arrivals *a) {
  return &tdm_arrival_processes[a->kind];
}

void tdm_arrivals_free(tdm_arrivals *a) {
  if (a == NULL) return;
  for (const tdm_arrival_field *f = process_of(a)->fields; f->name != NULL; f++) {
    void *at = (char *)a + f->offset;
    if (f->sort == TDM_ARRIVAL_DIST) tdm_dist_free(*(tdm_dist **)at);
    if (f->sort == TDM_ARRIVAL_PAIRS) free(*(double **)at);
    if (f->sort == TDM_ARRIVAL_TIMES) free(*(int64_t **)at);
  }
  tdm_dist_free(a->batch);
  tdm_rows_clear(&a->rows);
  free(a);
}

tdm_status tdm_arrivals_check(const tdm_arrivals *a, tdm_error *error) {
  tdm_status status = process_of(a)->check != NULL ? process_of(a)->check(a, error) : TDM_OK;
  return status == TDM_OK ? tdm_rows_check(&a->rows, error) : status;
}

void tdm_arrival_cursor_open(tdm_arrival_cursor *cursor, const tdm_arrivals *arrivals,
                             tdm_stream stream, const tdm_script *script) {
  *cursor = (tdm_arrival_cursor){.arrivals = arrivals,
                                 .gaps = stream,
                                 .sizes = tdm_stream_child(stream, 1),
                                 .aux = tdm_stream_child(stream, 2),
                                 .script = script,
                                 .gap_mean_ns = -1,
                                 .time_ns = arrivals->start_ns};
  if (process_of(arrivals)->open != NULL) process_of(arrivals)->open(cursor);
}

bool tdm_arrival_next(tdm_arrival_cursor *c, int64_t *time_ns, uint32_t *size) {
  const tdm_arrivals *a = c->arrivals;
  if (process_of(a)->next == NULL || c->time_ns >= END_NS || !process_of(a)->next(c) ||
      c->time_ns >= END_NS)
    return false;
  *size = 1;
  if (a->batch != NULL) {
    double drawn = floor(tdm_dist_draw(a->batch, c->sizes, c->n, c->script) + 0.5);
    *size = drawn >= 1 ? (drawn < 1e6 ? (uint32_t)drawn : 1000000u) : 1;
  }
  c->n++;
  *time_ns = c->time_ns;
  return true;
}

double tdm_arrivals_rate(const tdm_arrivals *a) {
  double rate = process_of(a)->rate != NULL ? process_of(a)->rate(a) : 0;
  if (a->batch == NULL) return rate;
  double mean = tdm_dist_mean(a->batch);
  return mean >= 1 ? rate * mean : rate;
}
