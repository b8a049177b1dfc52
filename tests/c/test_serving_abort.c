/* Requests that are not wanted any more: they leave with the next step, whatever they were doing,
 * and nothing of them stays. Random ones under all three plans, orders and queues; jumps over many
 * steps change nothing. */
#include "serving_fixture.h"

#include "base/rng.h"

#define CASES    400
#define REQUESTS 40

typedef struct {
  serving_log log;              /* first: the fixture's events write there */
  int64_t aborted_ns[REQUESTS]; /* -1: not */
  int64_t wanted_ns[REQUESTS];  /* to be aborted; INT64_MAX: never */
  bool waiting[REQUESTS];
  tdm_serving *serving;
  int64_t now_ns;
} world;

static int64_t below(tdm_rng *rng, int64_t n) {
  return (int64_t)tdm_index_below(tdm_rng_bits(rng), (uint64_t)n);
}

static void on_aborted(void *context, uint64_t id, bool waiting) {
  world *w = context;
  assert_true(w->aborted_ns[id] == -1);
  w->aborted_ns[id] = w->now_ns;
  w->waiting[id] = waiting;
}

static void advance_until(world *w, int64_t ns) {
  tdm_error error;
  for (int64_t next; (next = tdm_serving_next_ns(w->serving)) <= ns && next != INT64_MAX;) {
    w->now_ns = next;
    if (tdm_serving_advance(w->serving, next, &error) != TDM_OK) fail_msg("%s", error.message);
  }
}

static tdm_serving_config draw_config(tdm_rng *rng) {
  tdm_serving_config f;
  tdm_serving_config_default(&f);
  f.steps = (tdm_serving_steps)below(rng, 3);
  f.block_tokens = f.hash_tokens = 4;
  f.max_seqs = 1 + below(rng, 6);
  f.max_batched_tokens = 16 + below(rng, 60);
  f.prefix_caching = below(rng, 2) == 0;
  f.blocks = 30 + below(rng, 30);
  if (f.steps == TDM_STEPS_MIXED) {
    static const tdm_serving_order orders[] = {TDM_SERVING_FCFS, TDM_SERVING_PRIORITY,
                                               TDM_SERVING_SHORTEST_JOB, TDM_SERVING_FAIR};
    f.order = orders[below(rng, 4)];
    f.plans_ahead = below(rng, 3) == 0;
    if (below(rng, 3) == 0) {
      f.host_blocks = 20;
      f.swap_block_s = 1e-6;
    }
    if (f.order != TDM_SERVING_FAIR && below(rng, 3) == 0) f.max_adapters = 1 + below(rng, 2);
  } else {
    f.admission = f.steps == TDM_STEPS_PREFILL_FIRST ? TDM_ADMIT_ESTIMATE : TDM_ADMIT_MAXIMUM;
    bool prompts_first = f.steps == TDM_STEPS_PREFILL_FIRST;
    f.shares_computed = true;
    f.preempted_last = prompts_first;
    if (prompts_first)
      f.victim = TDM_PREEMPT_LEAST_OUTPUT;
    else
      f.chunking = TDM_CHUNK_BLOCKS;
  }
  return f;
}

typedef struct {
  int64_t at_ns;
  int request; /* of the arrivals; or, −1 − request, to be aborted */
} happening;

static int by_time(const void *a, const void *b) {
  const happening *x = a, *y = b;
  if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns ? -1 : 1;
  return (x->request < 0) - (y->request < 0);
}

static void replay(world *w, const tdm_serving_config *config, const tdm_llm_step *model,
                   uint64_t number) {
  tdm_rng rng = {tdm_stream_bits(tdm_stream_named(5, 1, "requests"), number)};
  tdm_serving_events events = serving_listen(&w->log);
  tdm_error error;
  uint32_t handles[REQUESTS];
  happening list[2 * REQUESTS];
  tdm_serving_request requests[REQUESTS] = {0};
  size_t count = 0;
  events.aborted = on_aborted;
  if (tdm_serving_open(config, model, &events, &w->serving, &error) != TDM_OK)
    fail_msg("%s", error.message);
  int64_t at_ns = 0;
  for (int i = 0; i < REQUESTS; i++) {
    tdm_serving_request *r = &requests[i];
    at_ns += 2 * below(&rng, 40000); /* odd: no step ends then */
    r->id = (uint64_t)i;
    r->prompt_tokens = 1 + below(&rng, 15);
    r->output_tokens = 1 + below(&rng, 60);
    r->priority = (int32_t)below(&rng, 3);
    r->tenant = (uint32_t)below(&rng, 3);
    r->adapter = (uint64_t)below(&rng, 4);
    list[count++] = (happening){at_ns + 1, i};
    w->aborted_ns[i] = -1;
    w->wanted_ns[i] = INT64_MAX;
    if (below(&rng, 2) == 0) continue;
    w->wanted_ns[i] = at_ns + 1 + 2 * below(&rng, 200000);
    list[count++] = (happening){w->wanted_ns[i], -1 - i};
  }
  qsort(list, count, sizeof *list, by_time);
  for (size_t k = 0; k < count; k++) {
    int i = list[k].request;
    advance_until(w, list[k].at_ns - 1);
    w->now_ns = list[k].at_ns;
    if (i < 0) {
      bool done = false;
      for (size_t o = 0; o < w->log.outcome_count; o++)
        done |= w->log.outcomes[o].id == (uint64_t)(-1 - i);
      if (!done) tdm_serving_abort(w->serving, w->now_ns, handles[-1 - i]);
      continue;
    }
    if (tdm_serving_submit(w->serving, w->now_ns, &requests[i], &error) != TDM_OK)
      fail_msg("%s", error.message);
    handles[i] = tdm_serving_handle(w->serving);
  }
  advance_until(w, INT64_MAX - 1);
}

/* The end of the step after the one that runs, where steps are planned ahead. */
static void check(const world *w, const tdm_serving_config *config) {
  tdm_serving_load load = tdm_serving_load_at(w->serving, w->now_ns);
  assert_int_equal(load.running + load.waiting + load.kv_blocks + load.host_blocks, 0);
  for (int i = 0; i < REQUESTS; i++) {
    size_t outcomes = 0;
    for (size_t k = 0; k < w->log.outcome_count; k++) {
      if (w->log.outcomes[k].id != (uint64_t)i) continue;
      outcomes++;
      size_t after = 0; /* steps that began after it was unwanted, and were over when it finished */
      for (size_t s = 0; s < w->log.step_count; s++)
        after += (size_t)(w->log.steps[s].begin_ns > w->wanted_ns[i] &&
                          w->log.steps[s].end_ns <= w->log.outcomes[k].finished_ns)
                     ? (size_t)w->log.steps[s].steps
                     : 0;
      assert_true(after <= (size_t)config->plans_ahead);
    }
    assert_int_equal(outcomes + (w->aborted_ns[i] >= 0), 1);
    assert_true(w->aborted_ns[i] == -1 || w->aborted_ns[i] >= w->wanted_ns[i]);
  }
}

static void who_is_unwanted_leaves_without_a_trace(void **state) {
  (void)state;
  tdm_llm_step *model = serving_affine((tdm_llm_affine_piece){
      .step = 2e-6, .prefill_tokens = 400e-9, .decode_seqs = 1800e-9, .decode_context = 8e-9});
  size_t waiting = 0, running = 0, done = 0;
  for (uint64_t n = 0; n < CASES; n++) {
    tdm_rng rng = {tdm_stream_bits(tdm_stream_named(5, 0, "aborts"), n)};
    tdm_serving_config config = draw_config(&rng);
    world *worlds[2];
    for (int slow = 0; slow < 2; slow++) {
      worlds[slow] = calloc(1, sizeof *worlds[slow]);
      assert_non_null(worlds[slow]);
      config.step_by_step = slow;
      replay(worlds[slow], &config, model, n);
      check(worlds[slow], &config);
    }
    const serving_log *a = &worlds[0]->log, *b = &worlds[1]->log;
    if (a->event_count != b->event_count ||
        memcmp(a->events, b->events, a->event_count * sizeof *a->events) != 0 ||
        memcmp(worlds[0]->aborted_ns, worlds[1]->aborted_ns, sizeof worlds[0]->aborted_ns) != 0)
      fail_msg("case %d differs", (int)n);
    for (int i = 0; i < REQUESTS; i++) {
      waiting += worlds[0]->aborted_ns[i] >= 0 && worlds[0]->waiting[i];
      running += worlds[0]->aborted_ns[i] >= 0 && !worlds[0]->waiting[i];
    }
    done += a->outcome_count;
    for (int slow = 0; slow < 2; slow++) {
      tdm_serving_close(worlds[slow]->serving);
      serving_log_free(&worlds[slow]->log);
      free(worlds[slow]);
    }
  }
  tdm_llm_step_free(model);
  assert_true(waiting > CASES && running > CASES && done > CASES); /* they are not all dull */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(who_is_unwanted_leaves_without_a_trace)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
