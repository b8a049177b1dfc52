/* Walks arrival processes. Owns nothing but what a description points to (freed here).
 * Called by the engine (event and lowered alike) and by the binding, which builds descriptions. */
#include "model/arrivals.h"

#include <math.h>
#include <stdlib.h>

#include "base/exponential.h"

void tdm_arrivals_free(tdm_arrivals *arrivals) {
  if (arrivals == NULL) return;
  tdm_dist_free(arrivals->batch);
  tdm_dist_free(arrivals->gap);
  tdm_dist_free(arrivals->think);
  free(arrivals->rates);
  free(arrivals->sojourns_s);
  free(arrivals->curve);
  free(arrivals->times_ns);
  tdm_rows_clear(&arrivals->rows);
  free(arrivals);
}

static double curve_max(const tdm_arrivals *arrivals) {
  double most = 0;
  for (size_t i = 0; i < arrivals->points; i++)
    most = arrivals->curve[2 * i + 1] > most ? arrivals->curve[2 * i + 1] : most;
  return most;
}

tdm_status tdm_arrivals_check(const tdm_arrivals *a, tdm_error *error) {
  if (a->kind == TDM_ARRIVE_CONSTANT && !(a->gap_s > 0))
    return tdm_error_set(error, TDM_INVALID, "arrivals: the rate must be above 0");
  if (a->kind == TDM_ARRIVE_CURVE) {
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
  }
  if (a->kind == TDM_ARRIVE_MMPP) {
    double most = 0;
    for (size_t i = 0; i < a->states; i++) {
      if (!(a->rates[i] >= 0) || !(a->sojourns_s[i] > 0))
        return tdm_error_set(
            error, TDM_INVALID,
            "arrivals: state %zu needs a rate of at least 0 and a mean stay above 0", i + 1);
      most = a->rates[i] > most ? a->rates[i] : most;
    }
    if (!(most > 0)) return tdm_error_set(error, TDM_INVALID, "arrivals: every state is silent");
  }
  if (a->kind == TDM_ARRIVE_CLOSED && a->users == 0)
    return tdm_error_set(error, TDM_INVALID, "arrivals: a closed loop needs at least one user");
  if (a->kind == TDM_ARRIVE_LIST)
    for (size_t i = 1; i < a->count; i++)
      if (a->times_ns[i] < a->times_ns[i - 1])
        return tdm_error_set(error, TDM_INVALID, "arrivals: times must rise (row %zu)", i + 1);
  if (a->kind == TDM_ARRIVE_LIST && a->repeats > 1 &&
      (a->period_ns < a->times_ns[a->count - 1] ||
       (double)a->period_ns * (double)a->repeats > 0x1p61))
    return tdm_error_set(error, TDM_INVALID, "arrivals: a list repeats after its end, and ends");
  if (a->kind == TDM_ARRIVE_LIST && a->rows.count > 0 && tdm_rows_units(&a->rows) != a->count)
    return tdm_error_set(error, TDM_INVALID, "arrivals: %zu times for %zu rows", a->count,
                         tdm_rows_units(&a->rows));
  return tdm_rows_check(&a->rows, error);
}

int64_t tdm_arrivals_list_end_ns(const tdm_arrivals *a) {
  if (a->kind != TDM_ARRIVE_LIST || a->count == 0) return 0;
  return a->times_ns[a->count - 1] +
         (a->repeats > 1 ? (int64_t)(a->repeats - 1) * a->period_ns : 0);
}

/* As if it had run for long: in each state with the share of the time that it spends there. What is
 * left of an exponential stay is as long as a whole one. */
static size_t first_state(const tdm_arrivals *a, double u) {
  double all = 0;
  size_t state = 0;
  for (size_t i = 0; i < a->states; i++) all += a->sojourns_s[i];
  for (double left = u * all; state + 1 < a->states; state++) {
    left -= a->sojourns_s[state];
    if (left <= 0) break;
  }
  return state;
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
  double mean_s;
  if (arrivals->kind == TDM_ARRIVE_RENEWAL && tdm_dist_is_exponential(arrivals->gap, &mean_s))
    cursor->gap_mean_ns = mean_s * 1e9;
  if (arrivals->kind == TDM_ARRIVE_CURVE) cursor->rate_max = curve_max(arrivals);
  if (arrivals->kind == TDM_ARRIVE_MMPP) {
    cursor->state = first_state(arrivals, tdm_stream_unit(tdm_stream_child(cursor->aux, 1), 0));
    cursor->switch_s =
        arrivals->sojourns_s[cursor->state] * tdm_exponential(tdm_stream_bits(cursor->aux, 0));
  }
}

/* Exponential gaps within a state are memoryless, so a gap that crosses a switch is redrawn at it.
 */
static bool next_mmpp(tdm_arrival_cursor *c) {
  const tdm_arrivals *a = c->arrivals;
  for (;;) {
    double rate = a->rates[c->state];
    double at = rate > 0 ? c->clock_s + tdm_exponential(tdm_stream_bits(c->gaps, c->draws++)) / rate
                         : INFINITY;
    if (at <= c->switch_s) {
      c->clock_s = at;
      return true;
    }
    c->clock_s = c->switch_s;
    c->state = (c->state + 1) % a->states;
    c->switch_s +=
        a->sojourns_s[c->state] * tdm_exponential(tdm_stream_bits(c->aux, ++c->switches));
  }
}

static double curve_rate(const tdm_arrivals *a, double t_s) {
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
static bool next_curve(tdm_arrival_cursor *c) {
  const tdm_arrivals *a = c->arrivals;
  double last_rate = a->curve[2 * a->points - 1];
  for (;;) {
    c->clock_s += tdm_exponential(tdm_stream_bits(c->gaps, c->draws)) / c->rate_max;
    if (!(a->period_s > 0) && !(last_rate > 0) && c->clock_s > a->curve[2 * a->points - 2])
      return false; /* silent for ever */
    double keep = tdm_stream_unit(c->aux, c->draws++);
    if (keep * c->rate_max <= curve_rate(a, c->clock_s)) return true;
  }
}

/* Exponential gaps come 64 at a time. */
static int64_t exponential_gap(tdm_arrival_cursor *c) {
  if (c->n % 64 == 0) tdm_exponential_run(c->gaps, c->n, 64, c->gap_mean_ns, c->block_ns);
  return c->block_ns[c->n % 64];
}

/* A time since the start of the run, where tdm_round_ns, made for durations, would end after 26
 * days. */
static int64_t time_of(const tdm_arrivals *a, double clock_s) {
  double ns = clock_s * 1e9;
  return a->start_ns + (ns < 0x1p62 ? llrint(ns) : INT64_MAX / 2);
}

static int64_t add_gap(const tdm_arrival_cursor *c, double gap_s) {
  int64_t gap_ns = tdm_round_ns(gap_s * 1e9);
  return c->time_ns > INT64_MAX / 2 ? c->time_ns : c->time_ns + gap_ns;
}

bool tdm_arrival_next(tdm_arrival_cursor *c, int64_t *time_ns, uint32_t *size) {
  const tdm_arrivals *a = c->arrivals;
  double gap_s;
  switch (a->kind) {
  case TDM_ARRIVE_CONSTANT: /* multiples of the gap, so that rounding does not add up */
    c->time_ns = time_of(a, (double)(c->n + 1) * a->gap_s);
    break;
  case TDM_ARRIVE_RENEWAL:
    if (c->gap_mean_ns >= 0)
      c->time_ns += exponential_gap(c);
    else
      c->time_ns = add_gap(c, tdm_dist_draw(a->gap, c->gaps, c->n, c->script));
    break;
  case TDM_ARRIVE_MMPP:
    if (!next_mmpp(c)) return false;
    c->time_ns = time_of(a, c->clock_s);
    break;
  case TDM_ARRIVE_CURVE:
    if (!next_curve(c)) return false;
    c->time_ns = time_of(a, c->clock_s);
    break;
  case TDM_ARRIVE_LIST:
    if (c->n >= a->count * (a->repeats > 1 ? a->repeats : 1)) return false;
    c->time_ns =
        a->start_ns + a->times_ns[c->n % a->count] + (int64_t)(c->n / a->count) * a->period_ns;
    break;
  case TDM_ARRIVE_FUNCTION:
    if (c->call == NULL ||
        !c->call(c->call_context, a->function, c->n, (double)c->time_ns * 1e-9, &gap_s))
      return false;
    c->time_ns = add_gap(c, gap_s);
    break;
  case TDM_ARRIVE_CLOSED: return false;
  }
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
  double rate = 0, weight = 0, mean;
  switch (a->kind) {
  case TDM_ARRIVE_CONSTANT: rate = 1 / a->gap_s; break;
  case TDM_ARRIVE_RENEWAL:
    mean = tdm_dist_mean(a->gap);
    rate = mean > 0 ? 1 / mean : 0;
    break;
  case TDM_ARRIVE_MMPP:
    for (size_t i = 0; i < a->states; i++) {
      rate += a->rates[i] * a->sojourns_s[i];
      weight += a->sojourns_s[i];
    }
    rate /= weight;
    break;
  case TDM_ARRIVE_CURVE:
    for (size_t i = 1; i < a->points; i++) {
      double span = a->curve[2 * i] - a->curve[2 * i - 2];
      rate += span * (a->curve[2 * i + 1] + a->curve[2 * i - 1]) / 2;
      weight += span;
    }
    rate = weight > 0 ? rate / weight : a->curve[1];
    break;
  case TDM_ARRIVE_LIST:
    if (a->repeats > 1)
      rate = (double)a->count / ((double)a->period_ns * 1e-9);
    else if (a->count > 1 && a->times_ns[a->count - 1] > 0)
      rate = (double)a->count / ((double)a->times_ns[a->count - 1] * 1e-9);
    break;
  case TDM_ARRIVE_CLOSED:
  case TDM_ARRIVE_FUNCTION: break;
  }
  if (a->batch != NULL) {
    mean = tdm_dist_mean(a->batch);
    if (mean >= 1) rate *= mean;
  }
  return rate;
}
