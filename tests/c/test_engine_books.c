/* The engine's books against the requests and spans it reports, by sums and sweeps of our own:
 * Little's law (P5), conservation where requests are dropped, give up, try again, fork, loop, ride
 * in batches and meet failures (P6), work conservation over queueing disciplines (P7), and the same
 * tally however the run is made (P8, P11). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model_fixture.h"
#include "parallel/replicate.h"

#define NOTES (TDM_SLICES + 1)

static void class_new(tdm_class *class, const char *name, tdm_dist *gap) {
  class->name = tdm_string_copy(name);
  class->arrivals = tdm_array_new(1, sizeof(tdm_arrivals));
  class->arrivals->kind = TDM_ARRIVE_RENEWAL;
  class->arrivals->gap = gap;
}

/* Two classes on one route, the second more urgent. */
static tdm_model *two_classes(uint64_t requests, double gap_s) {
  tdm_model *m = tdm_model_new();
  m->name = tdm_string_copy("test");
  m->requests = requests;
  assert_int_equal(tdm_model_set_classes(m, 2, NULL), TDM_OK);
  class_new(&m->classes[0], "low", exponential(gap_s));
  class_new(&m->classes[1], "high", lognormal(gap_s, 1.5));
  m->classes[0].priority = 1;
  return m;
}

static void batch(tdm_model *m, uint32_t stage, uint32_t max, int64_t wait_ns) {
  m->stages[stage].batch.max = max;
  m->stages[stage].batch.wait_ns = wait_ns;
}

static void breaks(tdm_model *m, uint32_t station, double mtbf_s, double mttr_s) {
  m->stations[station].mtbf = exponential(mtbf_s);
  m->stations[station].mttr = exponential(mttr_s);
}

static uint32_t on_link(tdm_model *m, uint32_t servers, double rate) {
  tdm_link *link = tdm_model_add_link(m);
  link->name = tdm_string_copy("link");
  link->bandwidth = 10;
  uint32_t station = model_station(m, servers, TDM_FIFO);
  m->stations[station].link = (uint32_t)m->link_count - 1;
  m->stations[station].rate = rate;
  return station;
}

/* ends_ns[k]: until when note k counts. */
static void ends_of(const tdm_tally *t, int64_t ends_ns[NOTES]) {
  for (int k = 0; k < TDM_SLICES; k++) ends_ns[k] = t->bounds_ns[k + 1];
  ends_ns[TDM_SLICES] = t->end_ns > t->window_ns ? t->end_ns : t->window_ns;
}

/* Stretches of time in which any of the intervals lasts. */
static void unite(intervals *all) {
  size_t count = 0;
  qsort(all->starts_ns, all->count, sizeof *all->starts_ns, by_time);
  qsort(all->ends_ns, all->count, sizeof *all->ends_ns, by_time);
  for (size_t i = 0, from = 0; i < all->count; i++) {
    if (i + 1 < all->count && all->starts_ns[i + 1] <= all->ends_ns[i]) continue;
    all->starts_ns[count] = all->starts_ns[from];
    all->ends_ns[count++] = all->ends_ns[i];
    from = i + 1;
  }
  all->count = count;
}

static void expect_areas(intervals *all, const tdm_tally *t, const int64_t *noted, size_t stride,
                         uint32_t most, const char *what) {
  int64_t ends_ns[NOTES], areas_ns[NOTES];
  ends_of(t, ends_ns);
  uint32_t peak = intervals_sweep(all, ends_ns, NOTES, areas_ns);
  for (size_t k = 0; k < NOTES; k++)
    if (noted[k * stride] != areas_ns[k])
      fail_msg("%s, slice %zu: %lld ns noted, the spans say %lld", what, k,
               (long long)noted[k * stride], (long long)areas_ns[k]);
  if (peak > most) fail_msg("%s: %u at once, at most %u can be", what, peak, most);
  intervals_free(all);
}

static void expect_busy(const tdm_model *m, const tdm_tally *t, const book *b, uint32_t i) {
  const size_t stride = sizeof *t->stations / sizeof(int64_t);
  intervals served = intervals_of(b, 2 * i);
  if (m->stations[i].discipline == TDM_PS) unite(&served);
  expect_areas(&served, t, &t->stations[i * NOTES].busy_area_ns, stride, m->stations[i].servers,
               m->stations[i].name);
}

static void expect_system(const tdm_tally *t, const book *b) {
  intervals inside = intervals_new(b->request_count);
  for (size_t i = 0; i < b->request_count; i++)
    intervals_add(&inside, b->requests[i].arrival_ns, b->requests[i].end_ns);
  expect_areas(&inside, t, t->in_system_ns, 1, UINT32_MAX, "the system");
}

/* ---- P5 */

static tdm_model *one_of_each(double duration_s) {
  tdm_model *m = two_classes(6000, 2.2);
  if (duration_s > 0) {
    m->duration_ns = (int64_t)(duration_s * 1e9);
    m->requests = UINT64_MAX;
  }
  model_serve(m, 0, model_station(m, 1, TDM_FIFO), exponential(0.9));
  model_serve(m, 0, model_station(m, 3, TDM_LIFO), lognormal(2.5, 1));
  model_serve(m, 0, model_station(m, 1, TDM_RANDOM), exponential(0.8));
  model_serve(m, 0, model_station(m, 2, TDM_PRIORITY), exponential(1.7));
  model_serve(m, 0, model_station(m, 2, TDM_PREEMPT), exponential(1.6));
  model_serve(m, 0, model_station(m, 4, TDM_PS), exponential(0.7));
  model_serve(m, 0, on_link(m, 3, 4), exponential(7));
  uint32_t batched = model_serve(m, 0, model_station(m, 2, TDM_FIFO), exponential(1.5));
  batch(m, batched, 4, 600000000);
  breaks(m, 0, 60, 2);
  breaks(m, 7, 90, 3);
  model_end(m);
  return m;
}

static void areas_are_sojourns(void **state) {
  (void)state;
  for (int bounded = 0; bounded < 2; bounded++) {
    tdm_model *m = one_of_each(bounded ? 4000.0 : 0);
    const size_t stride = sizeof(tdm_station_note) / sizeof(int64_t);
    book *b = book_new();
    tdm_tally *t = run_event(m, 0, 0, b);
    totals sum = totals_of(t);
    assert_int_equal(sum.arrived, sum.completed);
    assert_int_equal(sum.arrived, b->request_count);
    assert_int_equal(t->open, 0);
    int64_t sojourn_ns = 0;
    for (size_t i = 0; i < b->request_count; i++)
      sojourn_ns += b->requests[i].end_ns - b->requests[i].arrival_ns;
    assert_int_equal(sum.latency_ns, sojourn_ns);
    assert_int_equal(t->in_system_ns[TDM_SLICES], sojourn_ns);
    expect_system(t, b);
    for (uint32_t i = 0; i < m->station_count; i++) {
      expect_busy(m, t, b, i);
      intervals waiting = intervals_of(b, 2 * i + 1);
      expect_areas(&waiting, t, &t->stations[i * NOTES].queue_area_ns, stride, UINT32_MAX,
                   m->stations[i].name);
      /* Per station: what its visitors waited is ∫ queue dt; every one of them was served. */
      const tdm_stage_note *stage = &t->stages[i * NOTES + TDM_SLICES];
      assert_int_equal(stage->visits, sum.arrived);
      assert_int_equal(stage->wait_ns, t->stations[i * NOTES + TDM_SLICES].queue_area_ns);
      if (m->stations[i].discipline != TDM_PS && m->stages[i].batch.max == 1)
        assert_int_equal(stage->service_ns, t->stations[i * NOTES + TDM_SLICES].busy_area_ns);
    }
    tdm_tally_free(t);
    book_free(b);
    tdm_model_free(m);
  }
}

/* ---- P6 */

static tdm_cost units(double value) {
  return cost_of(constant(value));
}

static uint32_t jump_target(const tdm_model *m) {
  return (uint32_t)m->op_count;
}

/* Everything that can happen to a request, on one route. */
static tdm_model *everything(void) {
  tdm_model *m = two_classes(8000, 2.4);
  for (size_t c = 0; c < 2; c++) {
    m->classes[c].patience = exponential(c == 0 ? 6 : 20);
    m->classes[c].timeout = exponential(c == 0 ? 60 : 30);
    m->classes[c].retry = (tdm_retry){.max = 2, .backoff = 1.5, .factor = 2, .jitter = 0.5};
    m->classes[c].slo_ns = 10000000000;
  }
  m->state_slots = 2;
  uint32_t front = model_station(m, 2, TDM_FIFO), urgent = model_station(m, 1, TDM_PRIORITY);
  uint32_t gpu = model_station(m, 2, TDM_PREEMPT), shared = model_station(m, 50, TDM_PS);
  uint32_t batcher = model_station(m, 1, TDM_FIFO), wire = on_link(m, 2, 0);
  m->stations[front].queue_limit = 4;
  breaks(m, front, 50, 4);
  breaks(m, batcher, 40, 3);
  breaks(m, wire, 70, 2);
  tdm_memory *memory = tdm_model_add_memory(m);
  memory->name = tdm_string_copy("memory");
  memory->bytes = 3;

  model_serve(m, 0, front, exponential(1.9));
  *tdm_model_add_choice(m) = (tdm_choice){0.3, 2};
  *tdm_model_add_choice(m) = (tdm_choice){1.0, 4};
  tdm_op *op = tdm_model_add_op(m, TDM_OP_BRANCH);
  op->b = 2;
  model_serve(m, 0, urgent, exponential(1.5));
  tdm_model_add_op(m, TDM_OP_JUMP)->a = 9;
  op = tdm_model_add_op(m, TDM_OP_FORK);
  op->a = 2;
  op->b = 2;
  op->max = 9; /* where the whole request goes on */
  *tdm_model_add_choice(m) = (tdm_choice){0, jump_target(m)};
  model_serve(m, 0, gpu, exponential(1.6));
  tdm_model_add_op(m, TDM_OP_JOIN);
  *tdm_model_add_choice(m) = (tdm_choice){0, jump_target(m)};
  model_serve(m, 0, shared, exponential(0.8));
  tdm_model_add_op(m, TDM_OP_JOIN);
  assert_int_equal(jump_target(m), 9);
  tdm_model_add_op(m, TDM_OP_ENTER)->again = 0.3;
  uint32_t batched = model_serve(m, 0, batcher, exponential(1.1));
  batch(m, batched, 4, 500000000);
  op = tdm_model_add_op(m, TDM_OP_LOOP);
  op->a = 10;
  op->again = 0.3;
  op->max = 5;
  op->stream = 1;
  op = tdm_model_add_op(m, TDM_OP_SEIZE);
  op->b = 1;
  op->stream = 2;
  op->cost = units(1);
  model_serve(m, 0, wire, exponential(9));
  tdm_model_add_op(m, TDM_OP_RELEASE)->b = 1;
  m->classes[1].entry = m->classes[0].entry = 0;
  model_end(m);
  return m;
}

static void expect_conserved(const tdm_tally *t, const book *b) {
  totals sum = totals_of(t);
  uint64_t ended[TDM_OUTCOMES] = {0};
  for (size_t i = 0; i < b->request_count; i++) {
    if (i > 0) assert_true(b->requests[i].request != b->requests[i - 1].request);
    ended[b->requests[i].outcome]++;
  }
  assert_int_equal(t->open, 0);
  assert_int_equal(sum.arrived, b->request_count);
  assert_int_equal(sum.arrived, sum.completed + sum.dropped + sum.abandoned + sum.timed_out);
  assert_int_equal(sum.completed, ended[TDM_OUTCOME_OK]);
  assert_int_equal(sum.completed, t->finished[TDM_SLICES]);
  assert_int_equal(sum.dropped, ended[TDM_OUTCOME_DROPPED] + ended[TDM_OUTCOME_REFUSED]);
  assert_int_equal(sum.abandoned, ended[TDM_OUTCOME_ABANDONED]);
  assert_int_equal(sum.timed_out, ended[TDM_OUTCOME_TIMED_OUT]);
}

static void everybody_is_accounted_for(void **state) {
  (void)state;
  tdm_model *m = everything();
  for (uint32_t replication = 0; replication < 8; replication++) {
    book *b = book_new();
    tdm_tally *t = run_event(m, replication, 0, b);
    totals sum = totals_of(t);
    expect_conserved(t, b);
    assert_int_equal(sum.arrived, 8000);
    assert_true(sum.completed > 1000 && sum.dropped > 10 && sum.abandoned > 10 &&
                sum.timed_out > 10 && sum.retried > 100);
    expect_system(t, b);
    for (uint32_t i = 0; i < m->station_count; i++) expect_busy(m, t, b, i);
    tdm_tally_free(t);
    book_free(b);
  }
  tdm_model_free(m);
}

/* Who times out while waiting for memory never had it: no more than fit may be inside. */
static void memory_is_not_given_twice(void **state) {
  (void)state;
  tdm_model *m = model_new(5000, exponential(0.5));
  m->classes[0].timeout = exponential(1.5);
  m->state_slots = 1;
  tdm_memory *memory = tdm_model_add_memory(m);
  memory->name = tdm_string_copy("memory");
  memory->bytes = 2;
  uint32_t station = model_station(m, TDM_UNLIMITED, TDM_FIFO);
  tdm_model_add_op(m, TDM_OP_SEIZE)->cost = units(1);
  model_serve(m, 0, station, exponential(1.2));
  tdm_model_add_op(m, TDM_OP_RELEASE);
  model_end(m);
  book *b = book_new();
  tdm_tally *t = run_event(m, 0, 0, b);
  expect_conserved(t, b);
  assert_true(totals_of(t).timed_out > 500);
  intervals inside = intervals_of(b, 2 * station);
  int64_t end_ns = t->end_ns, area_ns;
  assert_int_equal(intervals_sweep(&inside, &end_ns, 1, &area_ns), 2);
  /* A unit each: held is the number inside. */
  double held = t->memories[TDM_SLICES].held_area;
  assert_true(fabs(held / ((double)area_ns * 1e-9) - 1) < 1e-9);
  intervals_free(&inside);
  tdm_tally_free(t);
  book_free(b);
  tdm_model_free(m);
}

/* Everybody has the memory until the next one asks for it, who was to ask before it was known when
 * it is given back, and so asks first: a wait that ends as it begins leaves no span. */
static void a_wait_without_length_is_not_recorded(void **state) {
  (void)state;
  tdm_model *m = model_new(50, constant(1));
  m->state_slots = 1;
  tdm_memory *memory = tdm_model_add_memory(m);
  memory->name = tdm_string_copy("memory");
  memory->bytes = 1;
  uint32_t station = model_station(m, TDM_UNLIMITED, TDM_FIFO);
  model_serve(m, 0, station, constant(1.5));
  tdm_model_add_op(m, TDM_OP_SEIZE)->cost = units(1);
  model_serve(m, 0, station, constant(1));
  tdm_model_add_op(m, TDM_OP_RELEASE);
  model_end(m);
  book *b = book_new();
  tdm_tally *t = run_event(m, 0, 0, b);
  assert_int_equal(b->span_count, 2 * 50);
  for (size_t i = 0; i < b->span_count; i++) assert_true(b->spans[i].end_ns > b->spans[i].start_ns);
  tdm_tally_free(t);
  book_free(b);
  tdm_model_free(m);
}

/* Who takes the requests is asked a few times, then refuses: the run ends with what it says. */
static tdm_status refuse_requests(void *context, const tdm_request_record *records,
                                  const double *values, size_t count, tdm_error *error) {
  book *b = context;
  if (b->request_count < 4000) return book_requests(context, records, values, count, error);
  return tdm_error_set(error, TDM_LIMIT, "it is full");
}

static void a_run_ends_with_the_word_of_a_sink_that_refuses(void **state) {
  (void)state;
  tdm_model *m = everything();
  book *b = book_new();
  b->sink.requests = refuse_requests;
  tdm_engine *engine = NULL;
  tdm_error error = {0};
  tdm_engine_options options = {.seed = 7, .sink = &b->sink};
  assert_int_equal(tdm_engine_open(m, &options, &engine, &error), TDM_OK);
  assert_int_equal(tdm_engine_advance(engine, INT64_MAX, &error), TDM_LIMIT);
  assert_string_equal(error.message, "it is full");
  assert_in_range(b->request_count, 4000, 7999);
  tdm_engine_close(engine);
  book_free(b);
  tdm_model_free(m);
}

/* Batches whose station fails, with members that run out of time. */
static void failing_batches_lose_nobody(void **state) {
  (void)state;
  tdm_model *m = model_new(6000, exponential(0.5));
  m->classes[0].timeout = exponential(8);
  uint32_t station = model_station(m, 2, TDM_FIFO);
  batch(m, model_serve(m, 0, station, exponential(2)), 4, 300000000);
  breaks(m, station, 10, 6);
  model_end(m);
  book *b = book_new();
  tdm_tally *t = run_event(m, 0, 0, b);
  expect_conserved(t, b);
  expect_system(t, b);
  expect_busy(m, t, b, station);
  tdm_tally_free(t);
  book_free(b);
  tdm_model_free(m);
}

/* Static batches are full, but for what is left when arrivals have ended. */
static void static_batches_are_full(void **state) {
  (void)state;
  tdm_model *m = model_new(4003, exponential(1));
  uint32_t station = model_station(m, 1, TDM_FIFO);
  batch(m, model_serve(m, 0, station, exponential(1.2)), 4, INT64_MAX);
  model_end(m);
  book *b = book_new();
  tdm_tally *t = run_event(m, 0, 0, b);
  expect_conserved(t, b);
  uint32_t batches = 0, partial = 0;
  for (size_t i = 0; i < b->span_count; i++) {
    if (b->spans[i].track != 2 * station) continue;
    batches++;
    partial += b->spans[i].members != 4;
  }
  assert_int_equal(batches, 1001);
  assert_int_equal(partial, 1);
  assert_int_equal(t->stages[TDM_SLICES].batches, 1001);
  tdm_tally_free(t);
  book_free(b);
  tdm_model_free(m);
}

/* ---- P7 */

static tdm_tally *under(tdm_discipline discipline, uint32_t servers, tdm_dist *time) {
  tdm_model *m = two_classes(20000, 2.0);
  model_serve(m, 0, model_station(m, servers, discipline), time);
  model_end(m);
  tdm_tally *t = run_event(m, 1, 0, NULL);
  tdm_model_free(m);
  return t;
}

static void order_of_service_does_not_change_the_work(void **state) {
  (void)state;
  static const tdm_discipline others[] = {TDM_LIFO, TDM_RANDOM, TDM_PRIORITY};
  for (uint32_t servers = 1; servers <= 3; servers++) {
    tdm_tally *fifo = under(TDM_FIFO, servers, constant(0.9 * servers));
    for (size_t i = 0; i < 3; i++) {
      tdm_tally *t = under(others[i], servers, constant(0.9 * servers));
      /* Equal services: the number inside is the same at all times, so the mean wait is too. */
      assert_memory_equal(t->stations, fifo->stations, NOTES * sizeof *t->stations);
      assert_memory_equal(t->in_system_ns, fifo->in_system_ns, NOTES * sizeof(int64_t));
      assert_int_equal(t->stages[TDM_SLICES].wait_ns, fifo->stages[TDM_SLICES].wait_ns);
      tdm_tally_free(t);
    }
    tdm_tally_free(fifo);
  }
}

static void busy_periods_are_those_of_fifo(void **state) {
  (void)state;
  static const tdm_discipline others[] = {TDM_LIFO, TDM_RANDOM, TDM_PRIORITY, TDM_PREEMPT};
  tdm_tally *fifo = under(TDM_FIFO, 1, lognormal(0.9, 2));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    tdm_tally *t = under(others[i], 1, lognormal(0.9, 2));
    for (size_t k = 0; k < NOTES; k++)
      assert_int_equal(t->stations[k].busy_area_ns, fifo->stations[k].busy_area_ns);
    assert_int_equal(t->end_ns, fifo->end_ns);
    assert_true(t->stations[TDM_SLICES].queue_area_ns != fifo->stations[TDM_SLICES].queue_area_ns);
    tdm_tally_free(t);
  }
  tdm_tally_free(fifo);
}

/* ---- P8, P11 */

static uint64_t hash_in_pieces(const tdm_model *m, uint32_t replication, int64_t piece_ns,
                               size_t heap_limit) {
  tdm_engine *engine = NULL;
  tdm_tally *tally = NULL;
  tdm_error error = {0};
  tdm_engine_options options = {.seed = 7, .replication = replication, .heap_limit = heap_limit};
  assert_int_equal(tdm_engine_open(m, &options, &engine, &error), TDM_OK);
  for (int64_t i = 1; i <= 200; i++)
    assert_int_equal(tdm_engine_advance(engine, i * piece_ns, &error), TDM_OK);
  assert_int_equal(tdm_engine_advance(engine, INT64_MAX, &error), TDM_OK);
  assert_int_equal(tdm_engine_finish(engine, &tally, &error), TDM_OK);
  tdm_engine_close(engine);
  return spend(tally);
}

static void a_run_is_one_run_however_it_is_made(void **state) {
  (void)state;
  tdm_model *models[] = {everything(), one_of_each(0), one_of_each(3000)};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    uint64_t others = 0;
    for (uint32_t replication = 0; replication < 3; replication++) {
      book *b = book_new();
      uint64_t hash = spend(run_event(models[i], replication, 0, NULL));
      assert_true(hash == spend(run_event(models[i], replication, 0, b)));
      assert_true(hash == spend(run_event(models[i], replication, 1, NULL)));
      assert_true(hash == spend(run_event(models[i], replication, SIZE_MAX, NULL)));
      assert_true(hash == hash_in_pieces(models[i], replication, 17000000001, 0));
      assert_true(hash == hash_in_pieces(models[i], replication, 40000000000, 1));
      assert_true(hash != others);
      others = hash;
      book_free(b);
    }
    tdm_model_free(models[i]);
  }
}

static uint64_t measures_hash(const tdm_model *m, uint32_t threads, tdm_engine_choice engine) {
  tdm_replications all;
  tdm_error error = {0};
  uint64_t hash = 0xcbf29ce484222325u;
  tdm_replicate_options options = {.seed = 7,
                                   .replications = 11,
                                   .threads = threads,
                                   .engine = engine,
                                   .warmup_ns = TDM_WARMUP_AUTO};
  if (tdm_replicate(m, &options, &all, &error) != TDM_OK) fail_msg("%s", error.message);
  assert_int_equal(all.count, 11);
  for (uint32_t r = 0; r < all.count; r++) {
    const tdm_measure *one = &all.measures[r];
    assert_true(one->conserved);
    assert_true(one->little_error < 1e-9);
    mix(&hash, &one->all, offsetof(tdm_class_measure, sections));
    mix(&hash, one->stages, one->stage_count * sizeof *one->stages);
    mix(&hash, one->stations, one->station_count * sizeof *one->stations);
    mix(&hash, one->series,
        (TDM_SERIES_SYSTEM + 2 * one->station_count) * TDM_SLICES * sizeof *one->series);
  }
  mix(&hash, all.latency.counts, TDM_HISTOGRAM_BUCKETS * sizeof *all.latency.counts);
  tdm_replications_free(&all);
  return hash;
}

static void threads_do_not_matter(void **state) {
  (void)state;
  tdm_model *busy = everything();
  tdm_model *chain = model_new(5000, exponential(1));
  model_serve(chain, 0, model_station(chain, 1, TDM_FIFO), exponential(0.9));
  model_serve(chain, 0, model_station(chain, 3, TDM_FIFO), exponential(2.6));
  model_end(chain);
  uint64_t hash = measures_hash(busy, 1, TDM_ENGINE_AUTO);
  assert_true(hash == measures_hash(busy, 2, TDM_ENGINE_AUTO));
  assert_true(hash == measures_hash(busy, 3, TDM_ENGINE_AUTO));
  hash = measures_hash(chain, 1, TDM_ENGINE_EVENT);
  for (uint32_t threads = 1; threads <= 3; threads++)
    assert_true(hash == measures_hash(chain, threads, TDM_ENGINE_LOWERED));
  assert_true(hash == measures_hash(chain, 3, TDM_ENGINE_EVENT));
  tdm_model_free(busy);
  tdm_model_free(chain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(areas_are_sojourns),
      cmocka_unit_test(everybody_is_accounted_for),
      cmocka_unit_test(memory_is_not_given_twice),
      cmocka_unit_test(a_wait_without_length_is_not_recorded),
      cmocka_unit_test(a_run_ends_with_the_word_of_a_sink_that_refuses),
      cmocka_unit_test(failing_batches_lose_nobody),
      cmocka_unit_test(static_batches_are_full),
      cmocka_unit_test(order_of_service_does_not_change_the_work),
      cmocka_unit_test(busy_periods_are_those_of_fifo),
      cmocka_unit_test(a_run_is_one_run_however_it_is_made),
      cmocka_unit_test(threads_do_not_matter),
  };
  return cmocka_run_group_tests_name("engine: books", tests, NULL, NULL);
}
