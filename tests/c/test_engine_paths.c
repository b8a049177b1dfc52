/* Sample paths of FIFO stations, request by request, against recursions written here with their own
 * arithmetic on the same random bits: Lindley (P1), Kiefer–Wolfowitz by brute force (P2), tandems
 * by every path through the program (P3), Friedman's invariance (P4), no queue at infinitely many
 * servers (P9) and monotonicity under common random numbers (P10). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model_fixture.h"

#define SERVERS_MOST 20

/* ---- the independent account */

typedef struct {
  tdm_dist *(*make)(double, double);
  double mean, cv;
} family;

static tdm_dist *make_exponential(double mean, double cv) {
  (void)cv;
  return exponential(mean);
}
static tdm_dist *make_constant(double mean, double cv) {
  (void)cv;
  return constant(mean);
}
static tdm_dist *make_coin(double mean, double cv) {
  (void)cv;
  return coin(mean);
}

static tdm_dist *make(family f) {
  return f.make(f.mean, f.cv);
}

/* Whole ns, ties to even: llrint in the default mode. */
static int64_t rounded_ns(double seconds) {
  return llrint(seconds * 1e9);
}

static int64_t draw_ns(family f, const tdm_dist *dist, tdm_stream stream, uint64_t n) {
  if (f.make == make_exponential)
    return llrint(tdm_exponential(tdm_stream_bits(stream, n)) * (f.mean * 1e9));
  return rounded_ns(tdm_dist_draw(dist, stream, n, NULL));
}

static int64_t *draw_all(family f, tdm_stream stream, size_t count) {
  tdm_dist *dist = make(f);
  int64_t *drawn = calloc(count, sizeof *drawn);
  for (size_t n = 0; n < count; n++) drawn[n] = draw_ns(f, dist, stream, n);
  tdm_dist_free(dist);
  return drawn;
}

static int64_t *arrivals_of(family gap, uint32_t replication, size_t count) {
  tdm_stream stream = tdm_stream_child(tdm_stream_named(7, replication, "class/c"), 0);
  int64_t *times = draw_all(gap, stream, count);
  for (size_t n = 1; n < count; n++) times[n] += times[n - 1];
  return times;
}

static int64_t *services_of(family time, uint32_t replication, size_t stage, size_t count) {
  char name[16];
  snprintf(name, sizeof name, "c/t%zu", stage);
  return draw_all(time, tdm_stream_child(tdm_stream_named(7, replication, name), 0), count);
}

/* Departures of one FIFO station for arrivals given in order; servers = 0: unlimited. */
static void serve(const int64_t *arrivals, const int64_t *services, size_t count, uint32_t servers,
                  int64_t *departures) {
  int64_t free_ns[SERVERS_MOST] = {0};
  for (size_t n = 0; n < count; n++) {
    int64_t start_ns = arrivals[n];
    uint32_t first = 0;
    for (uint32_t s = 1; s < servers; s++)
      if (free_ns[s] < free_ns[first]) first = s;
    if (servers > 0 && free_ns[first] > start_ns) start_ns = free_ns[first];
    departures[n] = start_ns + services[n];
    if (servers > 0) free_ns[first] = departures[n];
  }
}

typedef struct {
  int64_t time_ns;
  size_t position, request;
} visit;

static int by_visit(const void *a, const void *b) {
  const visit *x = a, *y = b;
  if (x->time_ns != y->time_ns) return x->time_ns > y->time_ns ? 1 : -1;
  return (x->position > y->position) - (x->position < y->position);
}

typedef struct {
  family gap;
  size_t stages;
  family time[5];
  uint32_t servers[5]; /* 0: unlimited */
  double duration_s;   /* 0: the number of requests decides */
} shape;

/* When each request leaves a tandem: by name of the request. Free it. */
static int64_t *departures_of(const shape *s, uint32_t replication, size_t count) {
  int64_t *times = arrivals_of(s->gap, replication, count);
  int64_t *arrivals = calloc(count, sizeof *arrivals), *work = calloc(count, sizeof *work);
  int64_t *out = calloc(count, sizeof *out);
  visit *order = calloc(count, sizeof *order);
  for (size_t n = 0; n < count; n++) order[n] = (visit){times[n], n, n};
  for (size_t k = 0; k < s->stages; k++) {
    int64_t *services = services_of(s->time[k], replication, k, count);
    for (size_t n = 0; n < count; n++) {
      arrivals[n] = order[n].time_ns;
      work[n] = services[order[n].request];
    }
    serve(arrivals, work, count, s->servers[k], out);
    for (size_t n = 0; n < count; n++) order[n] = (visit){out[n], n, order[n].request};
    qsort(order, count, sizeof *order, by_visit);
    free(services);
  }
  for (size_t n = 0; n < count; n++) times[order[n].request] = order[n].time_ns;
  free(arrivals);
  free(work);
  free(out);
  free(order);
  return times;
}

static tdm_model *tandem(const shape *s, size_t requests) {
  tdm_model *m = model_new(requests, make(s->gap));
  if (s->duration_s > 0) {
    m->requests = UINT64_MAX;
    m->duration_ns = llrint(s->duration_s * 1e9);
  }
  m->classes[0].slo_ns = 3000000000;
  for (size_t k = 0; k < s->stages; k++) {
    uint32_t servers = s->servers[k] == 0 ? TDM_UNLIMITED : s->servers[k];
    model_serve(m, 0, model_station(m, servers, TDM_FIFO), make(s->time[k]));
  }
  model_end(m);
  return m;
}

static void expect_departures(const book *b, const int64_t *departures) {
  for (size_t n = 0; n < b->request_count; n++) {
    assert_int_equal(b->requests[n].request, n);
    if (b->requests[n].end_ns != departures[n])
      fail_msg("request %zu leaves at %lld ns, the recursion says %lld", n,
               (long long)b->requests[n].end_ns, (long long)departures[n]);
  }
}

/* ---- P1, P2 */

static const family poisson = {make_exponential, 1.0, 0};

static void one_server_is_lindley(void **state) {
  (void)state;
  const shape shapes[] = {
      {poisson, 1, {{make_exponential, 0.9, 0}}, {1}, 0},
      {{gamma_gap, 1.0, 2.5}, 1, {{lognormal, 0.85, 1.8}}, {1}, 0},
      {{make_constant, 1.0, 0}, 1, {{make_constant, 1.0, 0}}, {1}, 0},
      {{make_coin, 1.0, 0}, 1, {{make_coin, 0.8, 0}}, {1}, 0},
      {poisson, 1, {{make_exponential, 1.5, 0}}, {1}, 0}, /* overload */
  };
  const size_t count = 40000;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    tdm_model *m = tandem(&shapes[i], count);
    book *b = book_new();
    tdm_tally_free(run_event(m, 0, 0, b));
    assert_int_equal(b->request_count, count);
    int64_t *arrivals = arrivals_of(shapes[i].gap, 0, count);
    int64_t *services = services_of(shapes[i].time[0], 0, 0, count);
    int64_t left_ns = 0; /* D of the request before */
    for (size_t n = 0; n < count; n++) {
      left_ns = (arrivals[n] > left_ns ? arrivals[n] : left_ns) + services[n];
      assert_int_equal(b->requests[n].arrival_ns, arrivals[n]);
      assert_int_equal(b->requests[n].end_ns, left_ns);
    }
    free(arrivals);
    free(services);
    book_free(b);
    tdm_model_free(m);
  }
}

static void many_servers_are_kiefer_wolfowitz(void **state) {
  (void)state;
  const size_t count = 5000;
  for (uint32_t c = 1; c <= SERVERS_MOST; c++) {
    const shape shapes[] = {
        {poisson, 1, {{make_exponential, 0.95 * c, 0}}, {c}, 0},
        {{gamma_gap, 1.0, 1.7}, 1, {{lognormal, 0.9 * c, 2.0}}, {c}, 0},
        {{make_constant, 1.0, 0}, 1, {{make_coin, 0.9 * c, 0}}, {c}, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
      tdm_model *m = tandem(&shapes[i], count);
      book *b = book_new();
      tdm_tally_free(run_event(m, c, 0, b));
      assert_int_equal(b->request_count, count);
      int64_t *departures = departures_of(&shapes[i], c, count);
      expect_departures(b, departures);
      free(departures);
      book_free(b);
      tdm_model_free(m);
    }
  }
}

/* ---- P3 */

static void expect_same_requests(const book *a, const book *b) {
  assert_int_equal(a->request_count, b->request_count);
  for (size_t n = 0; n < a->request_count; n++) {
    assert_int_equal(a->requests[n].arrival_ns, b->requests[n].arrival_ns);
    assert_int_equal(a->requests[n].end_ns, b->requests[n].end_ns);
  }
}

static void expect_every_path_agrees(const shape *s, size_t requests, const char *what) {
  tdm_model *m = tandem(s, requests);
  book *by_events = book_new(), *by_ladder = book_new(), *by_recursion = book_new();
  uint64_t hash = spend(run_event(m, 0, 0, by_events));
  if (spend(run_event(m, 0, 1, by_ladder)) != hash) fail_msg("%s: the ladder differs", what);
  if (spend(run_lowered(m, 0, by_recursion)) != hash)
    fail_msg("%s: the lowered engine differs", what);
  if (spend(run_lowered(m, 0, NULL)) != hash)
    fail_msg("%s: the lowered engine differs without a trace", what);
  expect_same_requests(by_events, by_ladder);
  expect_same_requests(by_events, by_recursion);
  assert_int_equal(by_events->span_count, by_recursion->span_count);
  int64_t *departures = departures_of(s, 0, by_events->request_count);
  expect_departures(by_events, departures);
  free(departures);
  if (tdm_lowered_is_wide(m)) {
    tdm_tally *wide[TDM_LANES_WIDE];
    assert_int_equal(tdm_lowered_run_wide(m, 7, 0, NULL, wide, NULL), TDM_OK);
    for (uint32_t r = 0; r < TDM_LANES_WIDE; r++) {
      uint64_t expected = r == 0 ? hash : spend(run_event(m, r, 0, NULL));
      if (spend(wide[r]) != expected) fail_msg("%s: lane %u differs", what, r);
    }
  }
  book_free(by_events);
  book_free(by_ladder);
  book_free(by_recursion);
  tdm_model_free(m);
}

static void tandems_agree_by_every_path(void **state) {
  (void)state;
  const family gaps = {make_exponential, 1 / 0.9, 0};
  const struct {
    const char *what;
    shape shape;
  } cases[] = {
      {"T5",
       {gaps,
        5,
        {{make_exponential, 0.8, 0},
         {make_exponential, 0.6, 0},
         {make_exponential, 4, 0},
         {make_exponential, 0.5, 0},
         {make_exponential, 0.7, 0}},
        {1, 1, 4, 1, 1},
        0}},
      {"T5 for a time",
       {gaps,
        5,
        {{make_exponential, 0.8, 0},
         {make_exponential, 0.6, 0},
         {make_exponential, 4, 0},
         {make_exponential, 0.5, 0},
         {make_exponential, 0.7, 0}},
        {1, 1, 4, 1, 1},
        24000}},
      {"many servers",
       {gaps,
        3,
        {{make_exponential, 1.5, 0}, {make_exponential, 3.9, 0}, {make_exponential, 15, 0}},
        {2, 4, 16},
        0}},
      {"no limit",
       {gaps,
        3,
        {{make_exponential, 0.9, 0}, {make_exponential, 8, 0}, {make_exponential, 0.7, 0}},
        {1, 0, 1},
        0}},
      {"overload", {gaps, 2, {{make_exponential, 2, 0}, {make_exponential, 1.4, 0}}, {2, 1}, 0}},
      {"overload for a time",
       {gaps, 2, {{make_exponential, 1, 0}, {make_exponential, 1.4, 0}}, {1, 1}, 20000}},
      {"constants",
       {gaps,
        3,
        {{make_constant, 0.9, 0}, {make_constant, 3.5, 0}, {make_constant, 1, 0}},
        {1, 4, 1},
        0}},
      {"ties",
       {{make_constant, 1, 0},
        4,
        {{make_constant, 2, 0}, {make_coin, 1, 0}, {make_coin, 2, 0}, {make_constant, 1, 0}},
        {3, 2, 3, 1},
        0}},
      {"ties at unlimited stations",
       {{make_coin, 1, 0},
        4,
        {{make_constant, 1, 0}, {make_coin, 3, 0}, {make_constant, 2, 0}, {make_coin, 1, 0}},
        {0, 0, 2, 2},
        0}},
      {"general",
       {{gamma_gap, 1.0, 1.5},
        3,
        {{lognormal, 0.8, 2}, {gamma_gap, 1.6, 0.6}, {make_exponential, 0.9, 0}},
        {1, 2, 1},
        0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect_every_path_agrees(&cases[i].shape, 24000, cases[i].what);
    expect_every_path_agrees(&cases[i].shape, 7, cases[i].what);
  }
  /* The last few are the first whose latencies are not kept one by one. */
  for (size_t more = 1; more < 8; more += 2)
    expect_every_path_agrees(&cases[0].shape, TDM_EXACT_LIMIT + more, "beyond what is kept");
}

/* Long enough for slices of more requests than come at once where they come alone. */
static void groups_come_alike_by_events_and_by_recursion(void **state) {
  (void)state;
  const shape s = {{make_exponential, 4, 0},
                   2,
                   {{make_exponential, 0.8, 0}, {make_exponential, 3, 0}},
                   {1, 4},
                   0};
  const size_t counts[] = {360000, 20037};
  for (size_t i = 0; i < 2; i++)
    for (int of_one = 0; of_one < 2; of_one++) {
      tdm_model *m = tandem(&s, counts[i]);
      m->classes[0].arrivals->batch = of_one ? constant(3) : coin(2);
      book *by_events = book_new(), *by_recursion = book_new();
      uint64_t hash = spend(run_event(m, 0, 0, by_events));
      assert_true(spend(run_lowered(m, 0, by_recursion)) == hash);
      assert_true(spend(run_lowered(m, 0, NULL)) == hash);
      expect_same_requests(by_events, by_recursion);
      size_t together = 0;
      for (size_t n = 1; n < by_events->request_count; n++)
        together += by_events->requests[n].arrival_ns == by_events->requests[n - 1].arrival_ns;
      if (of_one) assert_int_equal(together, counts[i] - (counts[i] + 2) / 3);
      assert_true(together > counts[i] / 4);
      book_free(by_events);
      book_free(by_recursion);
      tdm_model_free(m);
    }
}

/* Long runs: batches and slices of more requests than a vector's chunk has, past those whose
 * latencies are kept one by one. */
static void long_runs_agree_eight_at_a_time(void **state) {
  (void)state;
  const shape s = {{make_exponential, 1.0, 0},
                   2,
                   {{make_exponential, 0.8, 0}, {make_exponential, 3, 0}},
                   {1, 4},
                   0};
  tdm_model *m = tandem(&s, 360000);
  if (tdm_lowered_is_wide(m)) {
    tdm_tally *wide[TDM_LANES_WIDE];
    assert_int_equal(tdm_lowered_run_wide(m, 7, 0, NULL, wide, NULL), TDM_OK);
    assert_true(wide[0]->series.batch > 128);
    for (uint32_t r = 0; r < TDM_LANES_WIDE; r++) {
      uint64_t hash = tally_hash(wide[r]);
      tdm_tally_free(wide[r]);
      if (r != 0 && r != 5) continue; /* these two are enough */
      if (spend(run_lowered(m, r, NULL)) != hash) fail_msg("lane %u differs", r);
    }
  }
  tdm_model_free(m);
}

/* ---- P4 */

static void order_of_constant_stations_does_not_matter(void **state) {
  (void)state;
  const size_t count = 20000;
  const double times[3] = {1.0, 0.8, 0.9};
  const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const family gap = {make_exponential, 1 / 0.8, 0};
  int64_t *arrivals = arrivals_of(gap, 0, count), *slowest = calloc(count, sizeof *slowest);
  int64_t *services = calloc(count, sizeof *services);
  for (size_t n = 0; n < count; n++) services[n] = rounded_ns(times[0]);
  serve(arrivals, services, count, 1, slowest);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    shape s = {gap, 3, {{0}}, {1, 1, 1}, 0};
    for (int k = 0; k < 3; k++) s.time[k] = (family){make_constant, times[orders[i][k]], 0};
    tdm_model *m = tandem(&s, count);
    book *b = book_new();
    tdm_tally_free(run_event(m, 0, 0, b));
    /* The waits are those of the slowest station alone. */
    for (size_t n = 0; n < count; n++)
      assert_int_equal(b->requests[n].end_ns, slowest[n] + rounded_ns(0.8) + rounded_ns(0.9));
    book_free(b);
    tdm_model_free(m);
  }
  free(arrivals);
  free(services);
  free(slowest);
}

/* ---- P9, P10 */

static void nobody_waits_for_unlimited_servers(void **state) {
  (void)state;
  const size_t count = 20000;
  const shape s = {{gamma_gap, 1.0, 2}, 1, {{lognormal, 50, 1.5}}, {0}, 0};
  tdm_model *m = tandem(&s, count);
  book *b = book_new();
  tdm_tally *tally = run_event(m, 0, 0, b);
  int64_t *services = services_of(s.time[0], 0, 0, count);
  for (size_t n = 0; n < count; n++)
    assert_int_equal(b->requests[n].end_ns, b->requests[n].arrival_ns + services[n]);
  assert_int_equal(tally->stages[TDM_SLICES].wait_ns, 0);
  assert_int_equal(tally->stages[TDM_SLICES].delayed, 0);
  assert_int_equal(tally->stations[TDM_SLICES].queue_area_ns, 0);
  free(services);
  tdm_tally_free(tally);
  book_free(b);
  tdm_model_free(m);
}

static book *run_station(uint32_t servers, double mean, size_t count) {
  const shape s = {{gamma_gap, 1.0, 1.5}, 1, {{make_exponential, mean, 0}}, {servers}, 0};
  tdm_model *m = tandem(&s, count);
  book *b = book_new();
  tdm_tally_free(run_event(m, 3, 0, b));
  tdm_model_free(m);
  return b;
}

/* Nobody leaves later in `better` than in `worse`, and somebody earlier. */
static void expect_no_later(const book *better, const book *worse) {
  size_t earlier = 0;
  assert_int_equal(better->request_count, worse->request_count);
  for (size_t n = 0; n < better->request_count; n++) {
    assert_true(better->requests[n].end_ns <= worse->requests[n].end_ns);
    earlier += better->requests[n].end_ns < worse->requests[n].end_ns;
  }
  assert_true(earlier > 0);
}

static void more_servers_delay_nobody(void **state) {
  (void)state;
  book *few = run_station(1, 3.8, 10000);
  for (uint32_t c = 2; c <= 8; c++) {
    book *more = run_station(c, 3.8, 10000);
    expect_no_later(more, few);
    book_free(few);
    few = more;
  }
  book_free(few);
}

static void longer_services_speed_nobody(void **state) {
  (void)state;
  book *fast = run_station(4, 3.0, 10000);
  for (double mean = 3.1; mean < 4.5; mean += 0.2) {
    book *slow = run_station(4, mean, 10000);
    expect_no_later(fast, slow);
    book_free(fast);
    fast = slow;
  }
  book_free(fast);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_server_is_lindley),
      cmocka_unit_test(many_servers_are_kiefer_wolfowitz),
      cmocka_unit_test(tandems_agree_by_every_path),
      cmocka_unit_test(groups_come_alike_by_events_and_by_recursion),
      cmocka_unit_test(long_runs_agree_eight_at_a_time),
      cmocka_unit_test(order_of_constant_stations_does_not_matter),
      cmocka_unit_test(nobody_waits_for_unlimited_servers),
      cmocka_unit_test(more_servers_delay_nobody),
      cmocka_unit_test(longer_services_speed_nobody),
  };
  return cmocka_run_group_tests_name("engine: sample paths", tests, NULL, NULL);
}
