/* An LLM server in the event engine against the account of llm_fixture.h: the requests, every span
 * and counter, and the tally to the last integer. What a replica does with many requests at a time
 * is held by the tests of engine/serving. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "llm_fixture.h"

/* ---- requests and spans */

static void expect_span(book *b, book_span span) {
  if (span.start_ns == span.end_ns) return;
  for (size_t i = 0; i < b->span_count; i++) {
    book_span *s = &b->spans[i];
    if (s->start_ns != span.start_ns || s->end_ns != span.end_ns || s->request != span.request ||
        s->track != span.track || s->name != span.name || s->members != span.members ||
        s->bytes != span.bytes)
      continue;
    *s = b->spans[--b->span_count]; /* each is told once */
    return;
  }
  fail_msg("no span of request %lld on track %u from %lld to %lld ns", (long long)span.request,
           span.track, (long long)span.start_ns, (long long)span.end_ns);
}

static void expect_on(book *b, uint32_t track, uint32_t stage, uint64_t request, int64_t from_ns,
                      int64_t to_ns, int64_t bytes) {
  expect_span(b, (book_span){.start_ns = from_ns,
                             .end_ns = to_ns,
                             .request = request,
                             .track = track,
                             .name = stage,
                             .members = 1,
                             .bytes = bytes});
}

static void expect_step(book *b, uint32_t replica, int64_t from_ns, int64_t to_ns, int64_t tokens) {
  expect_span(b, (book_span){.start_ns = from_ns,
                             .end_ns = to_ns,
                             .request = TDM_NO_REQUEST,
                             .track = 2 * STATIONS + 1 + replica,
                             .name = 2, /* behind the stages */
                             .members = (uint32_t)tokens,
                             .bytes = TDM_NO_BYTES});
}

static void expect_trip(book *b, const trip *t, uint64_t i) {
  expect_on(b, 2 * t->prefill + 1, GENERATE, i, t->arrival_ns, t->start_ns, TDM_NO_BYTES);
  expect_on(b, 2 * t->prefill, GENERATE, i, t->start_ns, t->first_ns, TDM_NO_BYTES);
  expect_step(b, t->prefill, t->start_ns, t->first_ns, t->prompt);
  if (!t->moves) return;
  expect_on(b, 2 * LINK + 1, TRANSFER, i, t->asks_ns, t->moves_ns, TDM_NO_BYTES);
  expect_on(b, 2 * LINK, TRANSFER, i, t->moves_ns, t->moved_ns, t->bytes);
  expect_on(b, 2 * t->decode, GENERATE, i, t->moved_ns, t->done_ns, TDM_NO_BYTES);
  for (int64_t at_ns = t->moved_ns; at_ns < t->done_ns; at_ns += decode_step_ns)
    expect_step(b, t->decode, at_ns, at_ns + decode_step_ns, 1);
}

/* ---- tracks and counters */

enum { RUNNING, WAITING, BLOCKS, PREEMPTIONS, COUNTERS };

static struct {
  size_t tracks, names;
  tdm_counter_sample samples[4 * REQUESTS][COUNTERS];
  size_t count;
} told;

static tdm_status on_track(void *context, const tdm_sink_track *track, tdm_error *error) {
  (void)context, (void)error;
  char name[32];
  uint32_t of = track->id < 2 * STATIONS ? track->id / 2 : track->id - 2 * STATIONS - 1;
  bool delays = track->id == 2 * STATIONS, queue = track->id < 2 * STATIONS && track->id % 2 == 1;
  snprintf(name, sizeof name, of == LINK ? "link" : "replica %u", of);
  if (track->id > 2 * STATIONS) strcat(name, " steps");
  if (!delays) assert_string_equal(track->name, name);
  assert_string_equal(track->process, "host");
  assert_true(delays || queue == (track->lane == TDM_LANE_QUEUE));
  /* Any number of requests may be in a replica, and waits. */
  assert_true(delays || track->capacity == (track->id == 2 * LINK || track->id > 2 * STATIONS));
  told.tracks++;
  return TDM_OK;
}

static tdm_status on_counter(void *context, uint32_t id, const char *name, const char *unit,
                             tdm_error *error) {
  static const char *const names[] = {"running", "waiting", "KV blocks", "preemptions"};
  char expected[32];
  (void)context, (void)error;
  snprintf(expected, sizeof expected, "replica %u %s", id / COUNTERS, names[id % COUNTERS]);
  assert_string_equal(name, expected);
  assert_string_equal(unit, id % COUNTERS == BLOCKS ? "blocks" : "requests");
  assert_int_equal(id, told.names++);
  return TDM_OK;
}

static tdm_status on_counters(void *context, const tdm_counter_sample *samples, size_t count,
                              tdm_error *error) {
  (void)context, (void)error;
  assert_int_equal(count, COUNTERS);
  assert_true(told.count < 4 * REQUESTS);
  memcpy(told.samples[told.count++], samples, sizeof *told.samples);
  return TDM_OK;
}

static void listen(book *b) {
  memset(&told, 0, sizeof told);
  b->sink.track = on_track;
  b->sink.counter = on_counter;
  b->sink.counters = on_counters;
}

static void expect_sample(uint32_t replica, int64_t at_ns, const double values[COUNTERS]) {
  for (size_t i = 0; i < told.count; i++) {
    tdm_counter_sample *s = told.samples[i];
    bool same = s->time_ns == at_ns;
    for (uint32_t k = 0; k < COUNTERS; k++)
      same = same && s[k].counter == replica * COUNTERS + k && s[k].value == values[k];
    if (!same) continue;
    memcpy(s, told.samples[--told.count], sizeof *told.samples);
    return;
  }
  fail_msg("replica %u, %lld ns: not %g running, %g waiting, %g blocks", replica, (long long)at_ns,
           values[RUNNING], values[WAITING], values[BLOCKS]);
}

/* Of each step as it begins, but who waits is counted when it is over; back at 0 behind the last.
 */
static void expect_counters(const account *a, const trip *t) {
  double values[COUNTERS] = {[RUNNING] = 1, [BLOCKS] = 1};
  bool last = true;
  for (size_t i = 0; i < REQUESTS; i++) {
    const trip *other = &a->trips[i];
    if (other->prefill != t->prefill || other == t) continue;
    values[WAITING] += other->ready_ns < t->first_ns && other->start_ns >= t->first_ns;
    values[BLOCKS] +=
        other->moves && other->first_ns <= t->start_ns && other->moved_ns > t->start_ns;
    last = last && other->start_ns != t->first_ns;
  }
  expect_sample(t->prefill, t->start_ns, values);
  if (last) expect_sample(t->prefill, t->first_ns, (const double[COUNTERS]){0});
  if (!t->moves) return;
  /* The first step by itself, all others as one row. */
  const double alone[COUNTERS] = {[RUNNING] = 1, [BLOCKS] = 1};
  expect_sample(t->decode, t->moved_ns, alone);
  if (t->output > 2) expect_sample(t->decode, t->moved_ns + decode_step_ns, alone);
  expect_sample(t->decode, t->done_ns, (const double[COUNTERS]){0});
}

/* ---- the tally */

/* ∫ up to each bound, by sweeps over what `add` puts there of each trip. */
typedef void (*interval_of)(intervals *all, const trip *t, uint32_t station);

static void add_queued(intervals *all, const trip *t, uint32_t station) {
  if (t->prefill == station) intervals_add(all, t->ready_ns, t->start_ns);
  if (t->moves && station == LINK) intervals_add(all, t->asks_ns, t->moves_ns);
}

static void add_busy(intervals *all, const trip *t, uint32_t station) {
  if (t->prefill == station) intervals_add(all, t->start_ns, t->first_ns);
  if (t->moves && station == LINK) intervals_add(all, t->moves_ns, t->moved_ns);
  if (t->moves && station == t->decode) intervals_add(all, t->moved_ns, t->done_ns);
}

static void expect_areas(const account *a, const tdm_tally *tally, uint32_t station,
                         interval_of add, bool queue) {
  int64_t ends_ns[TDM_SLICES + 1], areas_ns[TDM_SLICES + 1];
  intervals all = intervals_new(REQUESTS);
  for (size_t i = 0; i < REQUESTS; i++) add(&all, &a->trips[i], station);
  for (size_t k = 0; k < TDM_SLICES; k++) ends_ns[k] = tally->bounds_ns[k + 1];
  ends_ns[TDM_SLICES] = tally->end_ns;
  intervals_sweep(&all, ends_ns, TDM_SLICES + 1, areas_ns);
  for (size_t k = 0; k <= TDM_SLICES; k++) {
    const tdm_station_note *note = &tally->stations[station * (TDM_SLICES + 1) + k];
    int64_t noted_ns = queue ? note->queue_area_ns : note->busy_area_ns;
    if (noted_ns != areas_ns[k])
      fail_msg("station %u, slice %zu: %lld ns %s, not %lld", station, k, (long long)noted_ns,
               queue ? "waited" : "busy", (long long)areas_ns[k]);
  }
  intervals_free(&all);
}

static void expect_times(const tdm_tally *tally, const tdm_model *m, tdm_llm_time kind,
                         int64_t *times_ns, size_t count) {
  const tdm_exact *exact = &tally->exact[m->servers[0].first_times + kind];
  assert_int_equal(exact->count, count);
  qsort(times_ns, count, sizeof *times_ns, by_time);
  qsort(exact->latency_ns, count, sizeof *exact->latency_ns, by_time);
  for (size_t i = 0; i < count; i++)
    if (exact->latency_ns[i] != times_ns[i])
      fail_msg("time %d: %lld ns, not %lld", kind, (long long)exact->latency_ns[i],
               (long long)times_ns[i]);
}

static void expect_all_times(const account *a, const tdm_tally *tally, const tdm_model *m) {
  int64_t times_ns[TDM_LLM_TIMES][REQUESTS];
  size_t count = 0;
  for (size_t i = 0; i < REQUESTS; i++) {
    const trip *t = &a->trips[i];
    int64_t ttft_ns = t->first_ns - t->arrival_ns + output_token_ns;
    int64_t e2e_ns = t->left_ns - t->arrival_ns;
    times_ns[TDM_LLM_TTFT][i] = ttft_ns;
    times_ns[TDM_LLM_E2E][i] = e2e_ns;
    times_ns[TDM_LLM_QUEUE][i] = t->start_ns - t->arrival_ns;
    times_ns[TDM_LLM_NORM][i] = llrint((double)e2e_ns / (double)t->output);
    if (!t->moves) continue;
    times_ns[TDM_LLM_TPOT][count] = llrint((double)(e2e_ns - ttft_ns) / (double)(t->output - 1));
    times_ns[TDM_LLM_TRANSFER][count++] = t->moved_ns - t->first_ns;
  }
  assert_true(count > REQUESTS / 2 && count < REQUESTS);
  expect_times(tally, m, TDM_LLM_TTFT, times_ns[TDM_LLM_TTFT], REQUESTS);
  expect_times(tally, m, TDM_LLM_E2E, times_ns[TDM_LLM_E2E], REQUESTS);
  expect_times(tally, m, TDM_LLM_QUEUE, times_ns[TDM_LLM_QUEUE], REQUESTS);
  expect_times(tally, m, TDM_LLM_NORM, times_ns[TDM_LLM_NORM], REQUESTS);
  expect_times(tally, m, TDM_LLM_TPOT, times_ns[TDM_LLM_TPOT], count);
  expect_times(tally, m, TDM_LLM_TRANSFER, times_ns[TDM_LLM_TRANSFER], count);
}

static void expect_stages(const account *a, const tdm_tally *tally) {
  tdm_stage_note sums[2] = {{0}};
  for (size_t i = 0; i < REQUESTS; i++) {
    const trip *t = &a->trips[i];
    int64_t waits_ns[2] = {t->start_ns - t->arrival_ns, t->moves ? t->moves_ns - t->asks_ns : 0};
    sums[GENERATE].service_ns += t->first_ns - t->start_ns;
    if (t->moves) sums[GENERATE].service_ns += t->done_ns - t->moved_ns;
    if (t->moves) sums[TRANSFER].service_ns += latency_ns + t->moved_ns - t->moves_ns;
    for (int s = 0; s < 2; s++) {
      sums[s].visits += s == GENERATE || t->moves;
      sums[s].wait_ns += waits_ns[s];
      sums[s].delayed += waits_ns[s] > 0;
      sums[s].max_wait_ns = later(sums[s].max_wait_ns, waits_ns[s]);
    }
  }
  for (int s = 0; s < 2; s++) {
    const tdm_stage_note *notes = &tally->stages[s * (TDM_SLICES + 1)], *all = &notes[TDM_SLICES];
    int64_t max_wait_ns = 0;
    for (size_t k = 0; k <= TDM_SLICES; k++) max_wait_ns = later(max_wait_ns, notes[k].max_wait_ns);
    assert_int_equal(all->visits, sums[s].visits);
    assert_int_equal(all->delayed, sums[s].delayed);
    assert_int_equal(all->wait_ns, sums[s].wait_ns);
    assert_int_equal(all->service_ns, sums[s].service_ns);
    assert_int_equal(max_wait_ns, sums[s].max_wait_ns);
  }
}

/* A block is held at a prefill replica from the start until the KV has moved, but counts while a
 * step runs as it did when that began. */
static double held_ns(const account *a, const trip *t) {
  double area = (double)((t->moves ? t->moved_ns : t->first_ns) - t->start_ns);
  for (size_t i = 0; t->moves && i < REQUESTS; i++) {
    const trip *other = &a->trips[i];
    if (other->prefill != t->prefill || other->start_ns < t->first_ns) continue;
    if (other->start_ns < t->moved_ns && other->first_ns > t->moved_ns)
      area += (double)(other->first_ns - t->moved_ns);
  }
  return area;
}

static void expect_pools(const account *a, const tdm_tally *tally) {
  const tdm_pool_note *prefill = &tally->pools[TDM_SLICES];
  const tdm_pool_note *decode = &tally->pools[2 * TDM_SLICES + 1];
  tdm_pool_note p = {0}, d = {0};
  for (size_t i = 0; i < REQUESTS; i++) {
    const trip *t = &a->trips[i];
    p.busy_ns += t->first_ns - t->start_ns;
    p.prompt_tokens += t->prompt;
    p.handed_over += t->moves;
    p.asked.output_tokens += t->output;
    p.asked.context += (double)(t->output - 1) * ((double)t->prompt + (double)t->output / 2);
    p.kv_area += held_ns(a, t) * 1e-9;
    if (!t->moves) continue;
    d.steps += t->output - 1;
    d.kv_moved += (double)t->bytes;
    d.kv_area += (double)(t->done_ns - t->first_ns) * 1e-9;
  }
  assert_int_equal(prefill->steps, REQUESTS);
  assert_int_equal(prefill->sequences, REQUESTS);
  assert_int_equal(prefill->finished, REQUESTS);
  assert_int_equal(prefill->output_tokens, REQUESTS);
  assert_int_equal(prefill->busy_ns, p.busy_ns);
  assert_int_equal(prefill->prefill_tokens, p.prompt_tokens);
  assert_int_equal(prefill->prompt_tokens, p.prompt_tokens);
  assert_int_equal(prefill->handed_over, p.handed_over);
  assert_int_equal(prefill->asked.requests, REQUESTS);
  assert_int_equal(prefill->asked.left, 0);
  assert_int_equal(prefill->asked.prompt_tokens, p.prompt_tokens);
  assert_int_equal(prefill->asked.output_tokens, p.asked.output_tokens);
  assert_true(fabs(prefill->asked.context - p.asked.context) < 1e-6);
  assert_int_equal(prefill->api_ns, a->worked_ns);
  assert_true(fabs(prefill->kv_area - p.kv_area) < 1e-6);
  assert_int_equal(prefill->replica_area_ns, PREFILLS * tally->end_ns);
  assert_int_equal(decode->steps, d.steps);
  assert_int_equal(decode->sequences, d.steps);
  assert_int_equal(decode->output_tokens, d.steps);
  assert_int_equal(decode->busy_ns, d.steps * decode_step_ns);
  assert_int_equal(decode->finished, p.handed_over);
  assert_int_equal(decode->prefill_tokens + decode->prompt_tokens + decode->handed_over, 0);
  assert_true(fabs(decode->kv_moved - d.kv_moved) < 1e-3);
  assert_true(fabs(decode->kv_area - d.kv_area) < 1e-6);
  assert_int_equal(decode->replica_area_ns, DECODES * tally->end_ns);
}

/* Steps that are over, and tokens that left with them, at the end of each slice. */
static void expect_progress(const account *a, const tdm_tally *tally) {
  for (size_t k = 0; k < TDM_SLICES; k++) {
    int64_t at_ns = tally->bounds_ns[k + 1], prefills = 0, decodes = 0;
    for (size_t i = 0; i < REQUESTS; i++) {
      const trip *t = &a->trips[i];
      prefills += t->first_ns <= at_ns;
      if (!t->moves || t->moved_ns > at_ns) continue;
      decodes +=
          (at_ns < t->done_ns ? at_ns - t->moved_ns : t->done_ns - t->moved_ns) / decode_step_ns;
    }
    assert_int_equal(tally->pools[k].output_tokens, prefills);
    assert_int_equal(tally->pools[TDM_SLICES + 1 + k].output_tokens, decodes);
  }
}

/* ---- the tests */

static void expect_run(double gap_s) {
  tdm_model *m = server_model(gap_s);
  account *a = account_of(gap_s);
  book *b = book_new();
  listen(b);
  tdm_tally *tally = run_event(m, 0, 0, b);
  uint64_t seen = tally_hash(tally);
  assert_int_equal(b->request_count, REQUESTS);
  for (size_t i = 0; i < REQUESTS; i++) {
    assert_int_equal(b->requests[i].arrival_ns, a->trips[i].arrival_ns);
    assert_int_equal(b->requests[i].end_ns, a->trips[i].left_ns);
  }
  for (size_t i = 0; i < REQUESTS; i++) expect_trip(b, &a->trips[i], i);
  assert_int_equal(b->span_count, 0); /* all are accounted for */
  for (uint32_t s = 0; s < STATIONS; s++) {
    expect_areas(a, tally, s, add_queued, true);
    expect_areas(a, tally, s, add_busy, false);
  }
  expect_all_times(a, tally, m);
  expect_stages(a, tally);
  expect_pools(a, tally);
  expect_progress(a, tally);
  for (size_t i = 0; i < REQUESTS; i++) expect_counters(a, &a->trips[i]);
  assert_int_equal(told.count, 0);
  assert_int_equal(told.names, COUNTERS * (PREFILLS + DECODES));
  assert_int_equal(told.tracks, 2 * STATIONS + 1 + PREFILLS + DECODES);
  /* Nothing of it depends on somebody looking. */
  tdm_tally *unseen = run_event(m, 0, 0, NULL);
  assert_memory_equal(unseen->pools, tally->pools, 2 * (TDM_SLICES + 1) * sizeof *tally->pools);
  assert_int_equal(spend(unseen), seen);
  tdm_tally_free(tally);
  book_free(b);
  free(a);
  tdm_model_free(m);
}

static void a_busy_server_is_its_recursions(void **state) {
  (void)state;
  expect_run(0.13); /* queues everywhere */
}

static void an_idle_server_is_its_recursions(void **state) {
  (void)state;
  expect_run(0.5);
}

/* A decision is the user's, and there may be no Lua, or one that knows nothing of it. */
static void decisions_want_lua(void **state) {
  (void)state;
  static const tdm_hooks without = {0};
  static const tdm_hooks *const hooks[] = {NULL, &without};
  for (size_t i = 0; i < 2; i++) {
    tdm_model *m = server_model(0.5);
    m->servers[0].pools[0].decide[TDM_DECIDE_ADMIT] = 0;
    m->servers[0].pools[0].config.admission = TDM_ADMIT_FUNCTION;
    tdm_engine *engine = NULL;
    tdm_error error = {0};
    tdm_engine_options options = {.seed = 7, .hooks = hooks[i]};
    assert_int_equal(tdm_engine_open(m, &options, &engine, &error), TDM_OK);
    assert_int_equal(tdm_engine_advance(engine, INT64_MAX, &error), TDM_INVALID);
    assert_string_equal(error.message,
                        "a scheduler's decision is a Lua function, and no Lua is at hand");
    tdm_engine_close(engine);
    tdm_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decisions_want_lua),
      cmocka_unit_test(a_busy_server_is_its_recursions),
      cmocka_unit_test(an_idle_server_is_its_recursions),
  };
  return cmocka_run_group_tests_name("engine: an LLM server", tests, NULL, NULL);
}
