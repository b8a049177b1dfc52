/* KV caches that go from one instance to another: kept until released, reserved until filled. */
#include "base/rng.h"
#include "serving_fixture.h"

enum { REQUESTS = 160, PENDING = 4 * REQUESTS };

typedef enum { ARRIVES, FILLS, RELEASES } pending_kind;
typedef struct {
  pending_kind kind;
  int64_t at_ns;
  uint64_t id;
  uint32_t handle;
} pending;

/* A request as the test sees it. */
typedef struct {
  int64_t arrival_ns, prompt, output;
  int64_t move_ns; /* how long its KV is on its way */
  bool here;       /* it stays where its prompt is computed */
  uint64_t group;  /* its prompt begins as others' of the group */
  uint32_t kept, reserved;
  int64_t first_ns, reserved_ns, filled_ns, finished_ns, missing;
  int finished;
} travel;

typedef struct {
  tdm_serving *from, *to;
  tdm_serving_config config;
  travel travels[REQUESTS];
  pending list[PENDING]; /* things to come, not in order */
  size_t count;
  /* Told from within an advance, done after it: */
  uint64_t computed[REQUESTS], reserved[REQUESTS];
  size_t computed_count, reserved_count;
  int64_t now_ns, preemptions;
} world;

static void plan_for(world *w, pending_kind kind, int64_t at_ns, uint64_t id, uint32_t handle) {
  assert_true(w->count < PENDING);
  w->list[w->count++] = (pending){kind, at_ns, id, handle};
}

static void prompt_finished(void *context, const tdm_serving_outcome *o) {
  world *w = context;
  travel *t = &w->travels[o->id];
  t->finished++;
  if (t->here) {
    t->finished_ns = o->finished_ns;
    return;
  }
  assert_int_equal(o->output_tokens, 1);
  t->first_ns = o->first_token_ns;
  t->kept = o->handle;
  w->computed[w->computed_count++] = o->id;
}

static void output_finished(void *context, const tdm_serving_outcome *o) {
  world *w = context;
  travel *t = &w->travels[o->id];
  t->finished++;
  t->finished_ns = o->finished_ns;
  assert_true(o->first_token_ns == t->first_ns && o->output_tokens == t->output);
}

static void blocks_reserved(void *context, uint64_t id, int64_t now_ns, uint32_t handle,
                            int64_t missing) {
  world *w = context;
  travel *t = &w->travels[id];
  t->reserved = handle;
  t->reserved_ns = now_ns;
  t->missing = missing;
  assert_true(missing >= 0 && missing <= t->prompt);
  w->reserved[w->reserved_count++] = id;
}

static void count_preemption(void *context, uint64_t id, int64_t now_ns, int64_t lost) {
  world *w = context;
  (void)id, (void)now_ns, (void)lost;
  w->preemptions++;
}

static void submit(world *w, tdm_serving *to, tdm_serving_request request) {
  uint64_t hashes[64];
  const travel *t = &w->travels[request.id];
  request.hash_count = (size_t)(t->prompt / 2 / w->config.hash_tokens);
  if (request.hash_count > 64) request.hash_count = 64;
  for (size_t i = 0; i < request.hash_count; i++) hashes[i] = tdm_mix(t->group * 1000 + i + 1);
  request.hashes = hashes;
  tdm_error error;
  if (tdm_serving_submit(to, w->now_ns, &request, &error) != TDM_OK) fail_msg("%s", error.message);
}

static void happen(world *w, const pending *p) {
  travel *t = &w->travels[p->id];
  if (p->kind == RELEASES) {
    tdm_serving_release(w->from, w->now_ns, p->handle);
    return;
  }
  if (p->kind == FILLS) {
    t->filled_ns = w->now_ns;
    tdm_serving_filled(w->to, w->now_ns, t->reserved);
    return;
  }
  submit(w, w->from,
         (tdm_serving_request){.id = p->id,
                               .prompt_tokens = t->prompt,
                               .output_tokens = t->here ? t->output : 1,
                               .keeps = !t->here});
}

/* Computed prompts queue at the other instance; reserved blocks are filled some time later, and
 * the kept ones released at that time. */
static void go_on(world *w) {
  for (size_t i = 0; i < w->computed_count; i++) {
    const travel *t = &w->travels[w->computed[i]];
    submit(w, w->to,
           (tdm_serving_request){.id = w->computed[i],
                                 .prompt_tokens = t->prompt,
                                 .output_tokens = t->output,
                                 .given_tokens = t->prompt,
                                 .made_tokens = 1,
                                 .made_ns = t->first_ns,
                                 .remote = true});
  }
  for (size_t i = 0; i < w->reserved_count; i++) {
    const travel *t = &w->travels[w->reserved[i]];
    plan_for(w, FILLS, w->now_ns + t->move_ns, w->reserved[i], t->reserved);
    plan_for(w, RELEASES, w->now_ns + t->move_ns, w->reserved[i], t->kept);
  }
  w->computed_count = w->reserved_count = 0;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static void advance(world *w, tdm_serving *serving) {
  tdm_error error;
  if (tdm_serving_next_ns(serving) != w->now_ns) return;
  if (tdm_serving_advance(serving, w->now_ns, &error) != TDM_OK) fail_msg("%s", error.message);
}

static void run(world *w) {
  for (;;) {
    size_t first = 0;
    for (size_t i = 1; i < w->count; i++)
      if (w->list[i].at_ns < w->list[first].at_ns) first = i;
    int64_t next_ns = least(tdm_serving_next_ns(w->from), tdm_serving_next_ns(w->to));
    if (w->count > 0 && w->list[first].at_ns <= next_ns) {
      pending p = w->list[first];
      memmove(&w->list[first], &w->list[first + 1], (w->count - first - 1) * sizeof p);
      w->count--;
      w->now_ns = p.at_ns;
      happen(w, &p);
    } else if (next_ns != INT64_MAX) {
      w->now_ns = next_ns;
      advance(w, w->from);
      advance(w, w->to);
    } else {
      return;
    }
    go_on(w);
  }
}

static void open(world *w, const tdm_llm_step *model) {
  tdm_serving_events from = {
      .context = w, .preempted = count_preemption, .finished = prompt_finished};
  tdm_serving_events to = {.context = w,
                           .preempted = count_preemption,
                           .finished = output_finished,
                           .reserved = blocks_reserved};
  tdm_error error;
  if (tdm_serving_open(&w->config, model, &from, &w->from, &error) != TDM_OK ||
      tdm_serving_open(&w->config, model, &to, &w->to, &error) != TDM_OK)
    fail_msg("%s", error.message);
}

static void nothing_is_held(world *w) {
  for (int i = 0; i < 2; i++) {
    tdm_serving_load load = tdm_serving_load_at(i == 0 ? w->from : w->to, w->now_ns);
    assert_int_equal(load.kv_blocks, 0);
    assert_int_equal(load.running + load.waiting, 0);
  }
  tdm_serving_close(w->from);
  tdm_serving_close(w->to);
}

static int64_t below(tdm_rng *rng, int64_t n) {
  return (int64_t)tdm_index_below(tdm_rng_bits(rng), (uint64_t)n);
}

static void random_world(world *w, tdm_rng *rng, bool step_by_step) {
  tdm_serving_config_default(&w->config);
  w->config.step_by_step = step_by_step;
  w->config.block_tokens = 4;
  w->config.hash_tokens = 4 * (1 + below(rng, 2));
  w->config.prefix_caching = below(rng, 2) == 0;
  w->config.plans_ahead = below(rng, 2) == 0;
  w->config.blocks = 40 + below(rng, 120);
  w->config.max_seqs = 1 + below(rng, 12);
  w->config.max_batched_tokens = w->config.max_seqs + below(rng, 200);
  w->config.order = below(rng, 3) == 0 ? TDM_SERVING_PRIORITY : TDM_SERVING_FCFS;
  w->config.reserve_full_input = below(rng, 3) > 0;
  const tdm_serving_admission admissions[] = {TDM_ADMIT_INPUT, TDM_ADMIT_PROMPT, TDM_ADMIT_MAXIMUM,
                                              TDM_ADMIT_FUNCTION};
  w->config.admission = admissions[below(rng, 4)];
  int64_t at_ns = 0, gap_ns = 1 + below(rng, 40) * 1000000, move_ns = below(rng, 200) * 1000000;
  for (uint64_t i = 0; i < REQUESTS; i++) {
    /* Times in whole milliseconds, as steps are: much happens at the same time. */
    at_ns += below(rng, gap_ns) / 1000000 * 1000000;
    w->travels[i] = (travel){.arrival_ns = at_ns,
                             .prompt = 1 + below(rng, 100),
                             .output = 2 + below(rng, 50),
                             .move_ns = below(rng, move_ns + 1) / 1000000 * 1000000,
                             .here = below(rng, 5) == 0,
                             .group = (uint64_t)below(rng, 3)};
    plan_for(w, ARRIVES, at_ns, i, 0);
  }
}

static void every_request_travels_once_and_leaves_nothing_behind(void **state) {
  (void)state;
  tdm_llm_step *model = serving_affine(
      (tdm_llm_affine_piece){.step = 0.002, .prefill_tokens = 0.0001, .decode_seqs = 0.001});
  static world w[2];
  for (uint64_t trial = 0; trial < 3000; trial++) {
    for (int i = 0; i < 2; i++) {
      tdm_rng rng = {trial + 1};
      w[i] = (world){0};
      random_world(&w[i], &rng, i == 1);
      open(&w[i], model);
      run(&w[i]);
      nothing_is_held(&w[i]);
      assert_true(w[i].config.admission != TDM_ADMIT_MAXIMUM || w[i].preemptions == 0);
    }
    for (size_t i = 0; i < REQUESTS; i++) {
      const travel *t = &w[0].travels[i], *single = &w[1].travels[i];
      assert_int_equal(t->finished, t->here ? 1 : 2);
      assert_true(t->here ||
                  (t->arrival_ns < t->first_ns && t->first_ns <= t->reserved_ns &&
                   t->filled_ns == t->reserved_ns + t->move_ns && t->filled_ns < t->finished_ns));
      /* Rows of steps in one go are single steps. */
      assert_int_equal(t->finished_ns, single->finished_ns);
      assert_int_equal(t->reserved_ns, single->reserved_ns);
      assert_int_equal(t->missing, single->missing);
    }
  }
  tdm_llm_step_free(model);
}

/* Constant steps of 10 ms; the next prompt finds no block until the first one's are released. */
static void kept_blocks_keep_others_out(void **state) {
  (void)state;
  tdm_llm_step *model = serving_affine((tdm_llm_affine_piece){.step = 0.01});
  static world w;
  w = (world){0};
  tdm_serving_config_default(&w.config);
  w.config.prefix_caching = false;
  w.config.blocks = 4; /* of 16 tokens */
  for (uint64_t i = 0; i < 2; i++) {
    w.travels[i] = (travel){.prompt = 60, .output = 3, .move_ns = 500000000};
    plan_for(&w, ARRIVES, 0, i, 0);
  }
  open(&w, model);
  run(&w);
  /* First: token at 10, KV there at 510, two more tokens at 530. Second: prompt from 510 on; its
   * blocks at the other end are free at 530, KV there at 1030. */
  assert_int_equal(w.travels[0].first_ns, 10000000);
  assert_int_equal(w.travels[0].reserved_ns, 10000000);
  assert_int_equal(w.travels[0].finished_ns, 530000000);
  assert_int_equal(w.travels[1].first_ns, 520000000);
  assert_int_equal(w.travels[1].reserved_ns, 530000000);
  assert_int_equal(w.travels[1].finished_ns, 1050000000);
  nothing_is_held(&w);
  tdm_llm_step_free(model);
}

/* Tokens that are cached at the other end do not travel. */
static void what_is_cached_is_not_missing(void **state) {
  (void)state;
  tdm_llm_step *model = serving_affine((tdm_llm_affine_piece){.step = 0.01});
  static world w;
  w = (world){0};
  tdm_serving_config_default(&w.config);
  for (uint64_t i = 0; i < 2; i++) {
    w.travels[i] = (travel){.prompt = 200, .output = 3, .move_ns = 1000000, .group = 7};
    plan_for(&w, ARRIVES, (int64_t)i * 1000000000, i, 0);
  }
  open(&w, model);
  run(&w);
  assert_int_equal(w.travels[0].missing, 200);
  assert_int_equal(w.travels[1].missing, 200 - 96); /* hashes cover half, in whole blocks */
  nothing_is_held(&w);
  tdm_llm_step_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_request_travels_once_and_leaves_nothing_behind),
      cmocka_unit_test(kept_blocks_keep_others_out),
      cmocka_unit_test(what_is_cached_is_not_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
