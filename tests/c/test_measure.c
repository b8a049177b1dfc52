/* What a replication says once its warm-up is left out, against sums over the requests and spans
 * that it reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model_fixture.h"

#include "engine/measure/measure.h"

/* A single server and three, with warm-up to be cut: both are empty at first. */
static tdm_model *two_stations(double duration_s) {
  tdm_model *m = model_new(9000, exponential(1));
  if (duration_s > 0) {
    m->duration_ns = (int64_t)(duration_s * 1e9);
    m->requests = UINT64_MAX;
  }
  model_serve(m, 0, model_station(m, 1, TDM_FIFO), exponential(0.85));
  model_serve(m, 0, model_station(m, 3, TDM_FIFO), lognormal(2.4, 1));
  model_end(m);
  return m;
}

static bool near(double value, double expected) {
  return fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-12;
}

static double seconds(int64_t ns) {
  return (double)ns * 1e-9;
}

typedef struct {
  const tdm_model *model;
  const book *b;
  const tdm_tally *t;
  const tdm_measure *m;
  int64_t warmup_ns;
} run;

/* Where a number of requests ends the run, its window ends with the last of them, which counts. */
static int64_t until(const run *r, int64_t bound_ns) {
  return bound_ns + (r->model->requests != UINT64_MAX && bound_ns == r->m->window_ns);
}

static void window_begins_with_a_slice(const run *r) {
  int64_t from_ns = 0;
  for (int k = 0; k < TDM_SLICES - 4 && from_ns < r->warmup_ns; k++) from_ns += r->t->slice_ns;
  assert_int_equal(r->m->from_ns, from_ns);
  assert_int_equal(r->m->window_ns, r->t->window_ns);
}

static void requests_are_those_that_came_in_it(const run *r) {
  uint64_t count = 0, finished = 0;
  int64_t sum_ns = 0, least_ns = INT64_MAX, most_ns = 0;
  double squares = 0;
  int64_t *sorted = calloc(r->b->request_count, sizeof *sorted);
  for (size_t i = 0; i < r->b->request_count; i++) {
    const tdm_request_record *q = &r->b->requests[i];
    int64_t ns = q->end_ns - q->arrival_ns;
    finished += q->end_ns >= r->m->from_ns && q->end_ns < until(r, r->m->window_ns);
    if (q->arrival_ns < r->m->from_ns) continue;
    sorted[count++] = ns;
    sum_ns += ns;
    if (ns < least_ns) least_ns = ns;
    if (ns > most_ns) most_ns = ns;
  }
  double mean_s = seconds(sum_ns) / (double)count;
  for (uint64_t i = 0; i < count; i++)
    squares += (seconds(sorted[i]) - mean_s) * (seconds(sorted[i]) - mean_s);
  qsort(sorted, count, sizeof *sorted, by_time);
  const tdm_class_measure *all = &r->m->all;
  assert_int_equal(all->arrived, count);
  assert_int_equal(all->completed, count);
  assert_true(near(all->mean_s, mean_s));
  assert_true(near(all->min_s, seconds(least_ns)) && near(all->max_s, seconds(most_ns)));
  assert_true(fabs(all->sd_s / sqrt(squares / (double)count) - 1) < 0.01);
  for (int q = 0; q < TDM_QUANTILES; q++) {
    double rank = tdm_quantile_levels[q] * (double)count;
    size_t low = (size_t)rank > 1 ? (size_t)rank - 2 : 0, high = (size_t)rank + 2;
    if (high >= count) high = count - 1;
    assert_true(all->quantiles_s[q] >= seconds(sorted[low]) - 1e-12);
    assert_true(all->quantiles_s[q] <= seconds(sorted[high]) + 1e-12);
  }
  double window_s = seconds(r->m->window_ns - r->m->from_ns);
  assert_true(near(r->m->finished_per_s, (double)finished / window_s));
  assert_true(r->m->conserved && r->m->little_error < 1e-9);
  free(sorted);
}

/* The mean number of intervals in the window. */
static double mean_in(const run *r, intervals *all) {
  const int64_t bounds_ns[] = {r->m->from_ns, r->m->window_ns};
  int64_t areas_ns[2];
  intervals_sweep(all, bounds_ns, 2, areas_ns);
  intervals_free(all);
  return seconds(areas_ns[1] - areas_ns[0]) / seconds(r->m->window_ns - r->m->from_ns);
}

static void numbers_are_areas_over_the_window(const run *r) {
  intervals inside = intervals_new(r->b->request_count);
  for (size_t i = 0; i < r->b->request_count; i++)
    intervals_add(&inside, r->b->requests[i].arrival_ns, r->b->requests[i].end_ns);
  assert_true(near(r->m->in_system, mean_in(r, &inside)));
  int64_t last_ns = 0;
  for (size_t i = 0; i < r->b->request_count; i++)
    if (r->b->requests[i].arrival_ns > last_ns) last_ns = r->b->requests[i].arrival_ns;
  if (r->model->requests == UINT64_MAX) last_ns = r->m->window_ns;
  for (uint32_t s = 0; s < 2; s++) {
    intervals busy = intervals_of(r->b, 2 * s), waiting = intervals_of(r->b, 2 * s + 1);
    double servers = s == 0 ? 1 : 3, work_s = 0;
    for (size_t i = 0; i < busy.count; i++) work_s += seconds(busy.ends_ns[i] - busy.starts_ns[i]);
    assert_true(near(r->m->stations[s].utilization, mean_in(r, &busy) / servers));
    assert_true(near(r->m->stations[s].queue, mean_in(r, &waiting)));
    assert_true(near(r->m->stations[s].offered, work_s / (servers * seconds(last_ns))));
    assert_true(r->m->stations[s].down == 0);
  }
}

static void stages_are_those_that_began_in_it(const run *r) {
  for (uint32_t s = 0; s < 2; s++) {
    uint64_t visits = 0, delayed = 0;
    int64_t service_ns = 0, wait_ns = 0, longest_ns = 0;
    for (size_t i = 0; i < r->b->span_count; i++) {
      const book_span *span = &r->b->spans[i];
      int64_t ns = span->end_ns - span->start_ns;
      if (span->track == 2 * s && span->start_ns >= r->m->from_ns) {
        visits++;
        service_ns += ns;
      }
      if (span->track == 2 * s + 1 && span->end_ns >= r->m->from_ns) {
        delayed += ns > 0;
        wait_ns += ns;
        if (ns > longest_ns) longest_ns = ns;
      }
    }
    const tdm_stage_measure *stage = &r->m->stages[s];
    assert_int_equal(stage->visits, visits);
    assert_int_equal(stage->delayed, delayed);
    assert_true(near(stage->service_s, seconds(service_ns) / (double)visits));
    assert_true(near(stage->wait_s, seconds(wait_ns) / (double)visits));
    assert_true(near(stage->max_wait_s, seconds(longest_ns)));
  }
}

static void slices_tell_what_was_in_each(const run *r) {
  int64_t areas_ns[TDM_SLICES], bounds_ns[TDM_SLICES];
  intervals inside = intervals_new(r->b->request_count);
  for (size_t i = 0; i < r->b->request_count; i++)
    intervals_add(&inside, r->b->requests[i].arrival_ns, r->b->requests[i].end_ns);
  for (int k = 0; k < TDM_SLICES; k++) bounds_ns[k] = r->t->bounds_ns[k + 1];
  intervals_sweep(&inside, bounds_ns, TDM_SLICES, areas_ns);
  intervals_free(&inside);
  for (size_t k = 0; k < TDM_SLICES; k++) {
    int64_t from_ns = r->t->bounds_ns[k], to_ns = r->t->bounds_ns[k + 1], sum_ns = 0;
    double arrived = 0, finished = 0;
    for (size_t i = 0; i < r->b->request_count; i++) {
      const tdm_request_record *q = &r->b->requests[i];
      finished += q->end_ns >= from_ns && q->end_ns < until(r, to_ns);
      if (q->arrival_ns < from_ns || q->arrival_ns >= to_ns) continue;
      arrived++;
      sum_ns += q->end_ns - q->arrival_ns;
    }
    double area_s = seconds(areas_ns[k] - (k > 0 ? areas_ns[k - 1] : 0));
    assert_true(tdm_measure_series(r->m, TDM_SERIES_ARRIVED)[k] == arrived);
    assert_true(tdm_measure_series(r->m, TDM_SERIES_FINISHED)[k] == finished);
    assert_true(near(tdm_measure_series(r->m, TDM_SERIES_LATENCY)[k], seconds(sum_ns) / arrived));
    assert_true(
        near(tdm_measure_series(r->m, TDM_SERIES_IN_SYSTEM)[k], area_s / seconds(to_ns - from_ns)));
  }
  const int quarter = TDM_SLICES / 4;
  double late = (double)(areas_ns[TDM_SLICES - 1] - areas_ns[3 * quarter - 1]);
  double early = (double)(areas_ns[2 * quarter - 1] - areas_ns[quarter - 1]);
  const int64_t *bounds = r->t->bounds_ns; /* the last slice ends with the window */
  late /= (double)(bounds[4 * quarter] - bounds[3 * quarter]);
  early /= (double)(bounds[2 * quarter] - bounds[quarter]);
  assert_true(near(r->m->growth, late / early));
}

/* Sections hold the latencies of those who came in their part of the window. */
static void sections_hold_what_came_in_them(const run *r, size_t each) {
  const tdm_sections *sections = &r->m->all.sections;
  assert_int_equal(sections->count, each);
  uint32_t from = 0;
  while (r->t->bounds_ns[from] < r->m->from_ns) from++;
  for (size_t j = 0; j < each; j++) {
    size_t first = from, end = TDM_SLICES; /* of its slices */
    while ((first - from) * each / (TDM_SLICES - from) < j) first++;
    for (end = first; end < TDM_SLICES && (end - from) * each / (TDM_SLICES - from) == j;) end++;
    int64_t from_ns = r->t->bounds_ns[first], to_ns = until(r, r->t->bounds_ns[end]);
    int64_t sum_ns = 0, min_ns = INT64_MAX, max_ns = 0;
    uint64_t count = 0, arrived = 0;
    for (size_t i = 0; i < r->b->request_count; i++) {
      const tdm_request_record *q = &r->b->requests[i];
      if (q->arrival_ns < from_ns || q->arrival_ns >= to_ns) continue;
      int64_t ns = q->end_ns - q->arrival_ns;
      arrived++, count++, sum_ns += ns;
      min_ns = ns < min_ns ? ns : min_ns;
      max_ns = ns > max_ns ? ns : max_ns;
    }
    const tdm_section *s = &sections->items[j];
    assert_true(s->count == count && s->arrived == arrived);
    assert_true(near(s->sum_s, seconds(sum_ns)));
    assert_true(s->min_ns == min_ns && s->max_ns == max_ns);
  }
  assert_true(sections->scale == 1 && sections->maxima > 0);
}

static void measures_are_those_of_the_requests_and_spans(void **state) {
  (void)state;
  for (int way = 0; way < 2; way++)
    for (int part = 0; part < 3; part++) { /* none, a quarter, more than may be left out */
      tdm_model *m = two_stations(way == 0 ? 0 : 8000);
      book *b = book_new();
      tdm_tally *t = run_event(m, 0, 0, b);
      const int64_t warmups_ns[] = {0, t->window_ns / 4 + 1, t->window_ns};
      tdm_measure measure;
      const uint32_t replications = part == 0 ? 1 : part == 1 ? 5 : 8;
      assert_int_equal(tdm_measure_take(m, t, warmups_ns[part], replications, &measure, NULL),
                       TDM_OK);
      run r = {m, b, t, &measure, warmups_ns[part]};
      window_begins_with_a_slice(&r);
      requests_are_those_that_came_in_it(&r);
      numbers_are_areas_over_the_window(&r);
      stages_are_those_that_began_in_it(&r);
      slices_tell_what_was_in_each(&r);
      sections_hold_what_came_in_them(&r, tdm_sections_each(replications));
      tdm_measure_free(&measure);
      tdm_tally_free(t);
      book_free(b);
      tdm_model_free(m);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measures_are_those_of_the_requests_and_spans),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
