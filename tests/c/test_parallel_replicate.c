/* The pool of replications: the same measures whatever the number of threads, interruption keeps
 * whole replications, the earliest failure is the one that is told. Also run by `make test-tsan`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/memory.h"
#include "parallel/replicate.h"

#define REPLICATIONS 13
#define REQUESTS     400
#define NOBODY       UINT32_MAX

static const uint32_t thread_counts[] = {1, 2, 4};

/* ---- a model: Poisson arrivals, two stations; the second cost is a function when asked */

static tdm_dist *exponential(double mean) {
  tdm_dist *dist = NULL;
  assert_int_equal(tdm_dist_exponential(mean, &dist, NULL), TDM_OK);
  return dist;
}

static void add_stage(tdm_model *m, const char *name, uint32_t servers, double mean_s) {
  tdm_expr_builder *builder = tdm_expr_builder_new();
  tdm_expr *expr = NULL;
  tdm_station *station = tdm_model_add_station(m);
  station->name = tdm_string_copy(name);
  station->servers = servers;
  tdm_stage *stage = tdm_model_add_stage(m);
  stage->name = tdm_string_copy(name);
  stage->station = (uint32_t)m->station_count - 1;
  if (mean_s > 0) {
    tdm_expr_node node = tdm_expr_draw(builder, exponential(mean_s), 0);
    assert_int_equal(tdm_expr_finish(builder, node, &expr, NULL), TDM_OK);
    tdm_cost_from_expr(&stage->cost, expr, NULL);
  } else {
    tdm_expr_builder_free(builder);
    tdm_cost_from_function(&stage->cost, 0, NULL);
  }
  tdm_model_add_op(m, TDM_OP_SERVE)->a = (uint32_t)m->stage_count - 1;
}

static tdm_model *queueing_model(bool with_function) {
  tdm_error error = {0};
  tdm_model *m = tdm_model_new();
  m->name = tdm_string_copy("two stations");
  m->requests = REQUESTS;
  assert_int_equal(tdm_model_set_classes(m, 1, &error), TDM_OK);
  m->classes[0].name = tdm_string_copy("default");
  m->classes[0].arrivals = tdm_array_new(1, sizeof(tdm_arrivals));
  m->classes[0].arrivals->kind = TDM_ARRIVE_RENEWAL;
  m->classes[0].arrivals->gap = exponential(0.01);
  add_stage(m, "first", 2, 0.015);
  add_stage(m, "second", 1, with_function ? 0 : 0.007);
  tdm_model_add_op(m, TDM_OP_END);
  if (tdm_model_finish(m, &error) != TDM_OK) fail_msg("%s", error.message);
  return m;
}

/* ---- hooks: a worker for each replication, with something of its own to spoil */

typedef struct {
  atomic_uint opened, closed;
  uint32_t fails[2];     /* replications whose cost fails at request 100 */
  uint32_t stops;        /* the replication that asks for the run to stop */
  uint32_t stopped;      /* the replication whose cost is stopped in its call, at request 100 */
  atomic_int stop;       /* the flag it sets */
  atomic_uint *wait_for; /* replication 0 begins when this is not 0 any more; NULL: at once */
  bool fixed_warmup;
} world;

typedef struct {
  world *world;
  uint32_t replication;
  uint64_t calls; /* what a script would remember from one request to the next */
  tdm_hooks hooks;
} worker;

static tdm_status cost(void *context, uint32_t function, tdm_view *view, double *amount,
                       tdm_error *error) {
  worker *w = context;
  assert_int_equal(function, 0);
  tdm_view_look(view);
  w->calls++;
  if (view->ordinal == 100 &&
      (w->replication == w->world->fails[0] || w->replication == w->world->fails[1]))
    return tdm_error_set(error, TDM_HOOK, "replication %u fails", w->replication);
  if (view->ordinal == 100 && w->replication == w->world->stopped)
    return tdm_error_set(error, TDM_INTERRUPTED, "interrupted");
  if (view->ordinal == 100 && w->replication == w->world->stops) atomic_store(&w->world->stop, 1);
  *amount = 0.001 * (double)(1 + w->calls % 11);
  return TDM_OK;
}

static void pause_ms(long ms) {
  nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

static tdm_status open_worker(void *context, uint32_t replication, void **out,
                              const tdm_hooks **hooks, tdm_error *error) {
  world *all = context;
  worker *w = tdm_array_new(1, sizeof *w);
  if (w == NULL) return tdm_error_memory(error, "worker", sizeof *w);
  while (replication == 0 && all->wait_for != NULL && atomic_load(all->wait_for) == 0) pause_ms(1);
  /* Those after the one that asks for the end begin when it has asked: they cannot all be over. */
  while (all->stops != NOBODY && replication > all->stops && atomic_load(&all->stop) == 0)
    pause_ms(1);
  *w = (worker){.world = all, .replication = replication, .hooks = {.context = w, .cost = cost}};
  *out = w;
  *hooks = &w->hooks;
  atomic_fetch_add(&all->opened, 1);
  return TDM_OK;
}

static void close_worker(void *context, uint32_t replication, void *out) {
  world *all = context;
  assert_int_equal(((worker *)out)->replication, replication);
  atomic_fetch_add(&all->closed, 1);
  free(out);
}

static world new_world(void) {
  return (world){.fails = {NOBODY, NOBODY}, .stops = NOBODY, .stopped = NOBODY};
}

static tdm_replicate_options plain_options(uint32_t threads, tdm_engine_choice engine) {
  return (tdm_replicate_options){.seed = 5,
                                 .replications = REPLICATIONS,
                                 .threads = threads,
                                 .engine = engine,
                                 .warmup_ns = TDM_WARMUP_AUTO};
}

static tdm_status replicate(const tdm_model *m, world *all, uint32_t threads, tdm_replications *out,
                            tdm_error *error) {
  tdm_replicate_options options = plain_options(threads, TDM_ENGINE_AUTO);
  /* An automatic warm-up is that of all replications together: fewer of them may find another. */
  if (all->fixed_warmup) options.warmup_ns = 1000000;
  options.hooks = (tdm_hook_source){all, open_worker, close_worker, NULL, NULL};
  options.stop = &all->stop;
  tdm_status status = tdm_replicate(m, &options, out, error);
  assert_int_equal(atomic_load(&all->opened), atomic_load(&all->closed));
  return status;
}

/* ---- equality, bit for bit */

static void assert_bits(const void *a, const void *b, size_t bytes) {
  assert_memory_equal(a, b, bytes);
}

static void assert_same_measure(const tdm_measure *a, const tdm_measure *b) {
  assert_int_equal(a->from_ns, b->from_ns);
  assert_int_equal(a->end_ns, b->end_ns);
  assert_int_equal(a->events, b->events);
  assert_int_equal(a->all.completed, b->all.completed);
  assert_int_equal(a->interrupted, b->interrupted);
  assert_bits(&a->all.mean_s, &b->all.mean_s, sizeof a->all.mean_s);
  assert_bits(&a->all.sd_s, &b->all.sd_s, sizeof a->all.sd_s);
  assert_bits(a->all.quantiles_s, b->all.quantiles_s, sizeof a->all.quantiles_s);
  assert_bits(&a->in_system, &b->in_system, sizeof a->in_system);
  assert_int_equal(a->stage_count, b->stage_count);
  for (size_t i = 0; i < a->stage_count; i++) {
    assert_int_equal(a->stages[i].visits, b->stages[i].visits);
    assert_int_equal(a->stages[i].delayed, b->stages[i].delayed);
    assert_bits(&a->stages[i].wait_s, &b->stages[i].wait_s, sizeof(double));
    assert_bits(&a->stages[i].max_wait_s, &b->stages[i].max_wait_s, sizeof(double));
  }
  for (size_t i = 0; i < a->station_count; i++)
    assert_bits(&a->stations[i].utilization, &b->stations[i].utilization, sizeof(double));
  for (size_t kind = 0; kind < TDM_SERIES_SYSTEM; kind++)
    assert_bits(tdm_measure_series(a, kind), tdm_measure_series(b, kind),
                TDM_SLICES * sizeof(double));
}

static void assert_same(const tdm_replications *a, const tdm_replications *b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) assert_same_measure(&a->measures[i], &b->measures[i]);
}

static void assert_same_latency(const tdm_histogram *a, const tdm_histogram *b) {
  for (double q = 0; q <= 1; q += 1.0 / 64) {
    double x = tdm_histogram_quantile(a, q), y = tdm_histogram_quantile(b, q);
    assert_bits(&x, &y, sizeof x);
  }
  double x = tdm_histogram_mean(a), y = tdm_histogram_mean(b);
  assert_bits(&x, &y, sizeof x);
}

/* ---- tests */

static void measures_do_not_depend_on_threads(void **state) {
  (void)state;
  tdm_model *m = queueing_model(false);
  static const tdm_engine_choice engines[] = {TDM_ENGINE_EVENT, TDM_ENGINE_LOWERED};
  tdm_replications first = {0};
  for (size_t e = 0; e < 2; e++)
    for (size_t t = 0; t < 3; t++) {
      tdm_replications out;
      tdm_error error = {0};
      tdm_replicate_options options = plain_options(thread_counts[t], engines[e]);
      assert_int_equal(tdm_replicate(m, &options, &out, &error), TDM_OK);
      assert_int_equal(out.count, REPLICATIONS);
      assert_int_equal(out.lowered, engines[e] == TDM_ENGINE_LOWERED);
      if (t == 0) {
        tdm_replications_free(&first);
        first = out;
        continue;
      }
      assert_same(&first, &out, REPLICATIONS);
      assert_same_latency(&first.latency, &out.latency);
      tdm_replications_free(&out);
    }
  assert_true(first.measures[0].all.mean_s != first.measures[1].all.mean_s);
  tdm_replications_free(&first);
  tdm_model_free(m);
}

/* Of very many stages nobody keeps what each did in each slice: the same figures, and the trace is
 * told once. */
static tdm_status count_requests(void *context, const tdm_request_record *records,
                                 const double *values, size_t count, tdm_error *error) {
  (void)records, (void)values, (void)error;
  *(size_t *)context += count;
  return TDM_OK;
}

static void lean_runs_measure_the_same(void **state) {
  (void)state;
  static const tdm_engine_choice engines[] = {TDM_ENGINE_EVENT, TDM_ENGINE_LOWERED};
  static const int64_t warmups_ns[] = {TDM_WARMUP_AUTO, 0, 1500000000};
  tdm_model *m = queueing_model(false);
  for (size_t timed = 0; timed < 2; timed++) {
    if (timed) {
      m->requests = UINT64_MAX;
      m->duration_ns = 4000000000;
    }
    for (size_t e = 0; e < 2; e++)
      for (size_t w = 0; w < 3; w++) {
        tdm_replications whole, lean;
        tdm_error error = {0};
        size_t requests = 0;
        tdm_sink sink = {.context = &requests, .requests = count_requests};
        tdm_replicate_options options = plain_options(2, engines[e]);
        options.warmup_ns = warmups_ns[w];
        assert_int_equal(tdm_replicate(m, &options, &whole, &error), TDM_OK);
        options.lean_stages = 1;
        options.sink = &sink;
        assert_int_equal(tdm_replicate(m, &options, &lean, &error), TDM_OK);
        assert_int_equal(lean.count, REPLICATIONS);
        assert_int_equal(lean.warmup_unsettled, whole.warmup_unsettled);
        assert_same(&whole, &lean, REPLICATIONS);
        assert_same_latency(&whole.latency, &lean.latency);
        assert_true(requests > 0);
        if (!timed) assert_int_equal(requests, REQUESTS);
        tdm_replications_free(&whole);
        tdm_replications_free(&lean);
      }
  }
  tdm_model_free(m);
}

static void hooks_see_one_replication_each(void **state) {
  (void)state;
  tdm_model *m = queueing_model(true);
  tdm_replications first, out;
  tdm_error error = {0};
  world all = new_world();
  assert_int_equal(replicate(m, &all, 1, &first, &error), TDM_OK);
  assert_int_equal(atomic_load(&all.opened), REPLICATIONS);
  for (size_t t = 1; t < 3; t++) {
    world again = new_world();
    assert_int_equal(replicate(m, &again, thread_counts[t], &out, &error), TDM_OK);
    assert_same(&first, &out, REPLICATIONS);
    tdm_replications_free(&out);
  }
  tdm_replications_free(&first);
  tdm_model_free(m);
}

static void interruption_keeps_whole_replications(void **state) {
  (void)state;
  tdm_model *m = queueing_model(true);
  tdm_replications whole, out;
  tdm_error error = {0};
  world undisturbed = new_world();
  undisturbed.fixed_warmup = true;
  assert_int_equal(replicate(m, &undisturbed, 1, &whole, &error), TDM_OK);
  for (size_t t = 0; t < 3; t++) {
    world all = new_world();
    all.stops = 6;
    all.fixed_warmup = true;
    assert_int_equal(replicate(m, &all, thread_counts[t], &out, &error), TDM_INTERRUPTED);
    assert_int_equal(error.status, TDM_INTERRUPTED);
    assert_true(out.interrupted);
    assert_true(out.count < REPLICATIONS);
    /* One thread: the six before it, and itself when it was over before it looked. */
    if (thread_counts[t] == 1) assert_in_range(out.count, 6, 7);
    /* On several threads the first may be cut short too; it then stands alone, and says so. */
    if (out.measures[0].interrupted)
      assert_int_equal(out.count, 1);
    else
      assert_same(&whole, &out, out.count);
    tdm_replications_free(&out);
  }
  tdm_replications_free(&whole);
  tdm_model_free(m);
}

static void an_interrupted_first_replication_is_kept(void **state) {
  (void)state;
  tdm_model *m = queueing_model(true);
  m->requests = 1000000;
  tdm_replications out;
  tdm_error error = {0};
  world all = new_world();
  all.stops = 0;
  assert_int_equal(replicate(m, &all, 1, &out, &error), TDM_INTERRUPTED);
  assert_int_equal(out.count, 1);
  assert_true(out.measures[0].interrupted);
  assert_in_range(out.measures[0].all.arrived, 1, 5000);
  tdm_replications_free(&out);
  tdm_model_free(m);
}

/* Of 1000 s of arrivals a second was seen: rates are of that second. */
static void a_call_that_was_stopped_ends_what_was_seen(void **state) {
  (void)state;
  tdm_model *m = queueing_model(true);
  m->requests = UINT64_MAX;
  m->duration_ns = 1000 * INT64_C(1000000000);
  tdm_replications out;
  tdm_error error = {0};
  world all = new_world();
  all.stopped = 0;
  assert_int_equal(replicate(m, &all, 1, &out, &error), TDM_INTERRUPTED);
  assert_int_equal(out.count, 1);
  assert_true(out.measures[0].interrupted);
  assert_in_range(out.measures[0].all.arrived, 90, 120);
  assert_in_range(out.measures[0].window_ns, 500000000, 2000000000);
  tdm_replications_free(&out);
  tdm_model_free(m);
}

static void the_earliest_failure_is_told(void **state) {
  (void)state;
  tdm_model *m = queueing_model(true);
  for (int round = 0; round < 4; round++)
    for (size_t t = 0; t < 3; t++) {
      tdm_replications out;
      tdm_error error = {0};
      world all = new_world();
      all.fails[0] = 3;
      all.fails[1] = 4;
      assert_int_equal(replicate(m, &all, thread_counts[t], &out, &error), TDM_HOOK);
      assert_string_equal(error.message, "replication 3 fails");
      assert_null(out.measures);
    }
  tdm_model_free(m);
}

typedef struct {
  atomic_uint calls;
  uint32_t last, of;
  bool fell;
} progress_log;

static void note_progress(void *context, uint32_t done, uint32_t of) {
  progress_log *log = context;
  log->fell |= done < log->last || done > of;
  log->last = done;
  log->of = of;
  atomic_fetch_add(&log->calls, 1);
}

static void progress_is_told_while_it_runs(void **state) {
  (void)state;
  tdm_model *m = queueing_model(true);
  for (size_t t = 0; t < 3; t++) {
    tdm_replications out;
    tdm_error error = {0};
    progress_log log = {0};
    world all = new_world();
    all.wait_for = &log.calls; /* so that there is something to tell of */
    tdm_replicate_options options = plain_options(thread_counts[t], TDM_ENGINE_AUTO);
    options.hooks = (tdm_hook_source){&all, open_worker, close_worker, NULL, NULL};
    options.progress = note_progress;
    options.progress_context = &log;
    assert_int_equal(tdm_replicate(m, &options, &out, &error), TDM_OK);
    assert_true(atomic_load(&log.calls) > 0);
    assert_int_equal(log.of, REPLICATIONS);
    assert_false(log.fell);
    tdm_replications_free(&out);
  }
  tdm_model_free(m);
}

static void what_cannot_be_lowered_is_refused(void **state) {
  (void)state;
  tdm_model *m = queueing_model(true);
  tdm_replications out;
  tdm_error error = {0};
  tdm_replicate_options options = plain_options(2, TDM_ENGINE_LOWERED);
  assert_int_equal(tdm_replicate(m, &options, &out, &error), TDM_INVALID);
  assert_non_null(strstr(error.message, "cannot be lowered"));
  tdm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measures_do_not_depend_on_threads),
      cmocka_unit_test(lean_runs_measure_the_same),
      cmocka_unit_test(hooks_see_one_replication_each),
      cmocka_unit_test(interruption_keeps_whole_replications),
      cmocka_unit_test(an_interrupted_first_replication_is_kept),
      cmocka_unit_test(a_call_that_was_stopped_ends_what_was_seen),
      cmocka_unit_test(the_earliest_failure_is_told),
      cmocka_unit_test(progress_is_told_while_it_runs),
      cmocka_unit_test(what_cannot_be_lowered_is_refused),
  };
  return cmocka_run_group_tests_name("parallel/replicate", tests, NULL, NULL);
}
