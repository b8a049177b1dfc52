/* Orders and plans of other servers than vLLM, on random configurations: the same outcomes as a
 * slow scheduler (serving_policy_reference.h), the same history whether steps are made singly or
 * many at a time, conservation, nobody starved; and what each promises. */
#include "serving_reference.h"

#include "base/rng.h"

#define CASES 600

static int64_t below(tdm_rng *rng, int64_t n) {
  return (int64_t)tdm_index_below(tdm_rng_bits(rng), (uint64_t)n);
}

/* least … most */
static int64_t from(tdm_rng *rng, int64_t least, int64_t most) {
  return least + below(rng, most - least + 1);
}

typedef struct {
  tdm_serving_config config;
  double weights[3];
  serving_arrival arrivals[REF_JOBS];
  uint64_t hashes[REF_JOBS][REF_BLOCKS];
  int count;
} scenario;

typedef enum { VLLM, SGLANG, TENSORRT_LLM } kind;

static void draw_policy(tdm_rng *rng, scenario *c, kind server) {
  static const tdm_serving_order orders[] = {TDM_SERVING_FCFS,          TDM_SERVING_SHORTEST_PROMPT,
                                             TDM_SERVING_SHORTEST_JOB,  TDM_SERVING_LONGEST_PREFIX,
                                             TDM_SERVING_PREFIX_WEIGHT, TDM_SERVING_FAIR,
                                             TDM_SERVING_PRIORITY};
  tdm_serving_config *f = &c->config;
  f->order = orders[below(rng, 7)];
  f->tenant_weights = c->weights;
  f->tenant_count = (size_t)below(rng, 4);
  for (int i = 0; i < 3; i++) c->weights[i] = (double)(1 << below(rng, 3));
  if (server == SGLANG) {
    f->steps = TDM_STEPS_PREFILL_FIRST;
    f->admission = below(rng, 4) > 0 ? TDM_ADMIT_ESTIMATE : TDM_ADMIT_INPUT;
    f->reserve_full_input = true;
    f->victim = TDM_PREEMPT_LEAST_OUTPUT;
    f->preempted_last = f->shares_computed = true;
    f->max_prefill_tokens = below(rng, 2) == 0 ? from(rng, 10, 200) : 0;
    f->max_batched_tokens = f->block_tokens * from(rng, 1, 6) + below(rng, f->block_tokens);
    f->new_tokens_most = from(rng, 5, 60);
    f->preempted_steps = below(rng, 20);
    f->new_token_ratio_steps = from(rng, 0, 60);
    f->new_token_ratio = 0.3;
    f->new_token_ratio_min = 0.05;
  } else if (server == TENSORRT_LLM) {
    f->steps = TDM_STEPS_DECODE_FIRST;
    f->admission = below(rng, 2) == 0 ? TDM_ADMIT_MAXIMUM : TDM_ADMIT_PROMPT;
    f->chunking = below(rng, 2) == 0 ? TDM_CHUNK_BLOCKS : TDM_CHUNK_EQUAL;
    f->shares_computed = true;
    if (f->max_batched_tokens < f->block_tokens) f->max_batched_tokens = f->block_tokens;
    if (f->order == TDM_SERVING_PRIORITY) f->order = TDM_SERVING_FCFS;
  }
}

static scenario *draw(uint64_t number, kind server) {
  scenario *c = calloc(1, sizeof *c);
  assert_non_null(c);
  tdm_rng rng = {
      tdm_stream_bits(tdm_stream_named(11, 0, "policies"), number * 4 + (uint64_t)server)};
  tdm_serving_config *f = &c->config;
  tdm_serving_config_default(f);
  f->block_tokens = (int64_t)1 << below(&rng, 5);
  f->hash_tokens = f->block_tokens;
  f->max_seqs = from(&rng, 1, 12);
  f->max_batched_tokens = f->max_seqs + below(&rng, 60);
  f->prefix_caching = below(&rng, 4) > 0;
  f->reserve_full_input = below(&rng, 2) == 0;
  f->chunked_prefill = below(&rng, 4) > 0;
  draw_policy(&rng, c, server);
  c->count = (int)from(&rng, 1, REF_JOBS);
  int64_t longest = 80, most = 1, at_ns = 0, spread_ns = (int64_t)1000 << below(&rng, 9);
  if (!f->chunked_prefill && server != SGLANG) longest = f->max_batched_tokens;
  for (int i = 0; i < c->count; i++) {
    tdm_serving_request *r = &c->arrivals[i].request;
    if (below(&rng, 4) > 0) at_ns += 2 * below(&rng, spread_ns); /* odd: no step ends then */
    c->arrivals[i].at_ns = at_ns + 1;
    r->id = (uint64_t)i;
    r->prompt_tokens = from(&rng, 1, longest);
    r->output_tokens = from(&rng, 1, 40);
    r->max_output = below(&rng, 2) == 0 ? r->output_tokens + below(&rng, 30) : 0;
    r->predicted_output = below(&rng, 2) * from(&rng, 1, 40);
    r->priority = (int32_t)below(&rng, 3);
    r->tenant = (uint32_t)below(&rng, 5);
    if (server != SGLANG && below(&rng, 4) == 0) r->given_tokens = below(&rng, r->prompt_tokens);
    uint64_t family = (uint64_t)below(&rng, 3);
    int64_t units = r->prompt_tokens / f->block_tokens, common = below(&rng, units + 1);
    r->hash_count = (size_t)below(&rng, units + 1);
    for (size_t u = 0; u < r->hash_count; u++) {
      uint64_t name = (int64_t)u < common ? family << 32 : (uint64_t)(i + 10) << 32;
      c->hashes[i][u] = tdm_mix(name | u) >> 1 | 1;
    }
    r->hashes = c->hashes[i];
    int64_t allowed = r->max_output > 0 ? r->max_output : r->output_tokens;
    if (r->prompt_tokens + allowed + 2 > most) most = r->prompt_tokens + allowed + 2;
  }
  int64_t least = (most + f->block_tokens - 1) / f->block_tokens;
  f->blocks = least + below(&rng, 2 * least);
  if (number % 2 == 1) serving_tell_apart(c->arrivals, (size_t)c->count);
  return c;
}

static tdm_serving_outcome outcome_of(const serving_log *log, uint64_t id) {
  for (size_t i = 0; i < log->outcome_count; i++)
    if (log->outcomes[i].id == id) return log->outcomes[i];
  fail_msg("request %d has no outcome", (int)id);
  return (tdm_serving_outcome){0};
}

static tdm_llm_step *whole_costs(ref_costs *costs) {
  *costs = (ref_costs){.step = 2000,
                       .prefill_tokens = 400,
                       .prefill_context = 6,
                       .decode_seqs = 900 * 2,
                       .decode_context = 8};
  return serving_affine((tdm_llm_affine_piece){.step = 2e-6,
                                               .prefill_tokens = 400e-9,
                                               .prefill_context = 6e-9,
                                               .decode_seqs = 1800e-9,
                                               .decode_context = 8e-9});
}

static void compare(kind server, int64_t *preemptions, int64_t *cached) {
  ref_costs costs;
  tdm_llm_step *model = whole_costs(&costs);
  *preemptions = *cached = 0;
  for (uint64_t n = 0; n < CASES; n++) {
    scenario *c = draw(n, server);
    ref_server *reference = ref_replay(&c->config, costs, c->arrivals, c->count);
    serving_log log = serving_replay(&c->config, model, c->arrivals, (size_t)c->count);
    assert_int_equal(log.outcome_count, c->count);
    for (int i = 0; i < c->count; i++) {
      const tdm_serving_outcome *r = &reference->jobs[i].outcome;
      tdm_serving_outcome o = outcome_of(&log, (uint64_t)i);
      if (o.scheduled_ns != r->scheduled_ns || o.first_token_ns != r->first_token_ns ||
          o.finished_ns != r->finished_ns || o.preemptions != r->preemptions ||
          o.cached_tokens != r->cached_tokens)
        fail_msg("server %d case %d order %d request %d: scheduled %lld, %lld; first %lld, %lld; "
                 "finished %lld, %lld; cached %lld, %lld; preempted %u, %u",
                 (int)server, (int)n, (int)c->config.order, i, (long long)o.scheduled_ns,
                 (long long)r->scheduled_ns, (long long)o.first_token_ns,
                 (long long)r->first_token_ns, (long long)o.finished_ns, (long long)r->finished_ns,
                 (long long)o.cached_tokens, (long long)r->cached_tokens, o.preemptions,
                 r->preemptions);
      *preemptions += o.preemptions;
      *cached += o.cached_tokens;
    }
    serving_log_free(&log);
    free(reference);
    free(c);
  }
  tdm_llm_step_free(model);
}

static void orders_are_those_of_a_plain_scheduler(void **state) {
  (void)state;
  int64_t preemptions, cached;
  compare(VLLM, &preemptions, &cached);
  assert_true(preemptions > CASES && cached > CASES); /* the cases are not all dull */
}

static void prefill_first_steps_are_sglangs(void **state) {
  (void)state;
  int64_t preemptions, cached;
  compare(SGLANG, &preemptions, &cached);
  assert_true(preemptions > CASES / 4 && cached > CASES);
}

static void decode_first_steps_are_tensorrt_llms(void **state) {
  (void)state;
  int64_t preemptions, cached;
  compare(TENSORRT_LLM, &preemptions, &cached);
  assert_true(preemptions > CASES / 4 && cached > CASES);
}

static void check_laws(const scenario *c, const serving_log *log) {
  int64_t tokens = 0, wanted = 0, end_ns = 0, gaps = 0;
  assert_int_equal(log->outcome_count, c->count);
  for (int i = 0; i < c->count; i++) {
    tdm_serving_outcome o = outcome_of(log, (uint64_t)i);
    assert_true(o.arrival_ns <= o.queued_ns && o.queued_ns <= o.scheduled_ns);
    assert_true(o.scheduled_ns < o.first_token_ns && o.first_token_ns <= o.finished_ns);
    wanted += o.output_tokens;
    gaps += o.finished_ns - o.first_token_ns;
  }
  for (size_t i = 0; i < log->step_count; i++) {
    const tdm_serving_step *s = &log->steps[i];
    assert_true(s->begin_ns >= end_ns && s->end_ns > s->begin_ns && s->steps > 0);
    end_ns = s->end_ns;
    tokens += s->steps * s->batch.sampled;
    assert_in_range(s->kv_blocks, 1, c->config.blocks);
    assert_in_range(s->running, 1, c->config.max_seqs);
    if (c->config.steps != TDM_STEPS_PREFILL_FIRST)
      assert_in_range(s->batch.prefill_tokens + s->batch.decode_seqs, 1,
                      c->config.max_batched_tokens);
  }
  assert_int_equal(tokens, wanted); /* each token is made once */
  assert_int_equal(log->gaps, wanted - c->count);
  assert_int_equal(log->gap_ns, gaps); /* and no time between two is lost */
  serving_check_groups(log, c->arrivals, true);
}

static void jumps_change_nothing_and_laws_hold(void **state) {
  (void)state;
  ref_costs costs;
  tdm_llm_step *model = whole_costs(&costs);
  for (uint64_t n = 0; n < 3 * CASES; n++) {
    scenario *c = draw(n / 3, (kind)(n % 3));
    c->config.plans_ahead = n / 3 % 2 == 1;
    if (n / 3 % 4 > 1) c->config.reserve_full_input = false; /* a prompt in parts may lack room */
    serving_log logs[2];
    for (int slow = 0; slow < 2; slow++) {
      c->config.step_by_step = slow;
      logs[slow] = serving_replay(&c->config, model, c->arrivals, (size_t)c->count);
      check_laws(c, &logs[slow]);
    }
    if (logs[0].event_count != logs[1].event_count ||
        memcmp(logs[0].events, logs[1].events, logs[0].event_count * sizeof *logs[0].events) != 0)
      fail_msg("server %d case %d order %d differs", (int)(n % 3), (int)(n / 3),
               (int)c->config.order);
    for (int slow = 0; slow < 2; slow++) serving_log_free(&logs[slow]);
    free(c);
  }
  tdm_llm_step_free(model);
}

/* ---- functions that decide what the program would */

typedef struct {
  const scenario *c;
  tdm_serving_order order;
  int64_t longest; /* chunk */
  int64_t now_ns;
  int64_t asked[4];
} decider;

static void check_view(decider *d, const tdm_serving_view *v, const tdm_serving_situation *now) {
  const serving_arrival *a = &d->c->arrivals[v->id];
  const tdm_serving_request *r = &a->request;
  int64_t most = r->max_output > 0 ? r->max_output : r->output_tokens;
  int64_t predicted = r->predicted_output > 0 ? r->predicted_output : r->output_tokens;
  assert_true(v->arrival_ns == a->at_ns && v->prompt_tokens == r->prompt_tokens);
  assert_true(v->max_output == most && v->predicted_output == predicted);
  assert_true(v->tenant == r->tenant && v->priority == r->priority);
  assert_in_range(v->generated_tokens, 0, r->output_tokens);
  assert_in_range(v->computed_tokens, 0, v->prompt_tokens + v->generated_tokens);
  assert_true(now->now_ns >= d->now_ns && now->now_ns >= v->arrival_ns);
  d->now_ns = now->now_ns;
  assert_in_range(now->running, 0, d->c->config.max_seqs);
  assert_in_range(now->waiting, 0, d->c->count);
  assert_in_range(now->free_blocks, 0, d->c->config.blocks);
  assert_int_equal(now->blocks, d->c->config.blocks);
  assert_int_equal(now->block_tokens, d->c->config.block_tokens);
}

static tdm_status order_alike(void *context, const tdm_serving_view *v,
                              const tdm_serving_situation *now, double *key, tdm_error *error) {
  decider *d = context;
  (void)error;
  check_view(d, v, now);
  d->asked[0]++;
  /* keys of either sign, and between whole numbers */
  double number = d->order == TDM_SERVING_PRIORITY          ? v->priority
                  : d->order == TDM_SERVING_SHORTEST_PROMPT ? (double)v->prompt_tokens
                                                            : (double)v->predicted_output;
  *key = number / 4 - 2;
  return TDM_OK;
}

static tdm_status admit_alike(void *context, const tdm_serving_view *v,
                              const tdm_serving_situation *now, int64_t *tokens, tdm_error *error) {
  decider *d = context;
  (void)error;
  check_view(d, v, now);
  assert_true(now->waiting >= 1);
  d->asked[1]++;
  *tokens = v->prompt_tokens + v->generated_tokens;
  return TDM_OK;
}

static tdm_status preempt_alike(void *context, const tdm_serving_view *v, size_t count,
                                const tdm_serving_situation *now, size_t *index, tdm_error *error) {
  decider *d = context;
  int64_t blocks = now->free_blocks;
  (void)error;
  d->asked[2]++;
  *index = d->order == TDM_SERVING_PRIORITY ? 0 : count - 1;
  for (size_t i = 0; i < count; i++) {
    const tdm_serving_view *worst = &v[*index];
    check_view(d, &v[i], now);
    assert_in_range(v[i].kv_blocks, 0, now->blocks);
    blocks += v[i].kv_blocks;
    if (d->order != TDM_SERVING_PRIORITY) continue;
    if (v[i].priority != worst->priority       ? v[i].priority > worst->priority
        : v[i].arrival_ns != worst->arrival_ns ? v[i].arrival_ns > worst->arrival_ns
                                               : v[i].id > worst->id)
      *index = i;
  }
  if (!d->c->config.prefix_caching) assert_int_equal(blocks, now->blocks); /* all are somebody's */
  return TDM_OK;
}

static tdm_status chunk_alike(void *context, const tdm_serving_view *v, int64_t left,
                              const tdm_serving_situation *now, int64_t *tokens, tdm_error *error) {
  decider *d = context;
  (void)error;
  check_view(d, v, now);
  assert_in_range(left, 1, d->c->config.max_batched_tokens);
  d->asked[3]++;
  int64_t todo = v->prompt_tokens + v->generated_tokens - v->computed_tokens;
  assert_true(todo > 0);
  *tokens = todo < d->longest ? todo : d->longest;
  return TDM_OK;
}

static serving_log decided(const tdm_serving_config *config, const tdm_llm_step *model,
                           decider *d) {
  serving_log log = {0};
  tdm_serving_events events = serving_listen(&log);
  const tdm_serving_functions functions = {.context = d,
                                           .order = order_alike,
                                           .admit = admit_alike,
                                           .preempt = preempt_alike,
                                           .chunk = chunk_alike};
  tdm_serving *serving;
  assert_int_equal(tdm_serving_open(config, model, &events, &serving, NULL), TDM_OK);
  tdm_serving_decide(serving, &functions);
  for (int i = 0; i < d->c->count; i++) {
    int64_t ns = d->c->arrivals[i].at_ns;
    serving_advance_until(serving, ns - 1);
    assert_int_equal(tdm_serving_submit(serving, ns, &d->c->arrivals[i].request, NULL), TDM_OK);
  }
  serving_advance_until(serving, INT64_MAX);
  tdm_serving_close(serving);
  return log;
}

static void functions_that_say_the_same_change_nothing(void **state) {
  (void)state;
  ref_costs costs;
  tdm_llm_step *model = whole_costs(&costs);
  int64_t asked[4] = {0};
  for (uint64_t n = 0; n < CASES; n++) {
    scenario *c = draw(n, VLLM);
    decider d = {.c = c, .order = c->config.order, .longest = 3 + (int64_t)(n % 20)};
    bool keyed = d.order == TDM_SERVING_PRIORITY || d.order == TDM_SERVING_SHORTEST_PROMPT ||
                 d.order == TDM_SERVING_SHORTEST_JOB;
    for (int i = 0; i < c->count; i++) c->arrivals[i].request.groups[0] = 0;
    c->config.reserve_full_input = true;
    if (c->config.chunked_prefill) c->config.long_prefill_tokens = d.longest;
    serving_log own = serving_replay(&c->config, model, c->arrivals, (size_t)c->count);
    if (keyed) c->config.order = TDM_SERVING_ORDER_FUNCTION;
    c->config.admission = TDM_ADMIT_FUNCTION;
    c->config.victim = TDM_PREEMPT_FUNCTION;
    if (c->config.chunked_prefill) c->config.chunking = TDM_CHUNK_FUNCTION;
    c->config.long_prefill_tokens = 0;
    for (int slow = 0; slow < 2; slow++) {
      c->config.step_by_step = slow;
      d.now_ns = 0;
      serving_log log = decided(&c->config, model, &d);
      assert_int_equal(log.event_count, own.event_count);
      assert_memory_equal(log.events, own.events, own.event_count * sizeof *own.events);
      serving_log_free(&log);
    }
    for (int i = 0; i < 4; i++) asked[i] += d.asked[i];
    serving_log_free(&own);
    free(c);
  }
  for (int i = 0; i < 4; i++) assert_true(asked[i] > CASES);
  tdm_llm_step_free(model);
}

/* ---- virtual token counters */

typedef struct {
  double served[2];
  uint32_t tenants[600];
  int64_t prompts[600];
  int64_t waiting[2];
  double gap, least, most; /* of the difference while both wait */
  tdm_serving *serving;
} service;

static void look(service *s) {
  if (s->waiting[0] == 0 || s->waiting[1] == 0) {
    s->least = s->most = s->served[0] - s->served[1];
    return;
  }
  double difference = s->served[0] - s->served[1];
  if (difference < s->least) s->least = difference;
  if (difference > s->most) s->most = difference;
  if (s->most - s->least > s->gap) s->gap = s->most - s->least;
}

static void serve_prompt(void *context, uint64_t id, int64_t now_ns, int64_t cached, int64_t below,
                         bool resumed) {
  service *s = context;
  (void)now_ns, (void)cached, (void)below;
  uint32_t tenant = s->tenants[id];
  s->waiting[tenant]--;
  if (!resumed) s->served[tenant] += (double)s->prompts[id];
  look(s);
}

static void serve_output(void *context, const tdm_serving_outcome *o) {
  service *s = context;
  s->served[o->tenant] += 2 * (double)o->output_tokens; /* late, by what is in the batch */
  look(s);
}

/* Sheng et al., theorem 4.4: while two tenants wait, what they are served in any interval differs
 * by 2·max(w_p·longest prompt, w_q·tokens in a batch) at most. Outputs are counted here when they
 * are complete, so that each tenant's service is late by what its running requests have. Fair or
 * not is told apart: first come, first served exceeds the bound. */
static void tenants_that_wait_are_served_alike(void **state) {
  (void)state;
  ref_costs costs;
  tdm_llm_step *model = whole_costs(&costs);
  for (int fair = 0; fair < 2; fair++) {
    tdm_serving_config config;
    tdm_serving_config_default(&config);
    config.order = fair ? TDM_SERVING_FAIR : TDM_SERVING_FCFS;
    config.steps = TDM_STEPS_DECODE_FIRST;
    config.admission = TDM_ADMIT_MAXIMUM; /* as in the theorem nobody is preempted */
    config.chunking = TDM_CHUNK_BLOCKS;
    config.shares_computed = true;
    config.prefix_caching = false;
    config.block_tokens = 1;
    config.blocks = 400;
    config.max_seqs = 16;
    config.max_batched_tokens = 200;
    static service s;
    s = (service){0};
    tdm_serving_events events = {
        .context = &s, .scheduled = serve_prompt, .finished = serve_output};
    assert_int_equal(tdm_serving_open(&config, model, &events, &s.serving, NULL), TDM_OK);
    tdm_rng rng = {tdm_stream_bits(tdm_stream_named(5, 0, "tenants"), 1)};
    for (uint64_t i = 0; i < 600; i++) {
      tdm_serving_request r = {.id = i, .tenant = i % 3 > 0}; /* one sends twice as many, */
      r.prompt_tokens = r.tenant == 0 ? from(&rng, 1, 20) : from(&rng, 20, 80); /* and longer */
      r.output_tokens = from(&rng, 1, 60);
      s.tenants[i] = r.tenant;
      s.prompts[i] = r.prompt_tokens;
      s.waiting[r.tenant]++;
      assert_int_equal(tdm_serving_submit(s.serving, 0, &r, NULL), TDM_OK);
    }
    serving_advance_until(s.serving, INT64_MAX - 1);
    double bound = 2 * fmax(80, 2.0 * 400), late = 2.0 * 400;
    if (fair)
      assert_true(s.gap <= bound + late);
    else
      assert_true(s.gap > bound + late);
    tdm_serving_close(s.serving);
  }
  tdm_llm_step_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_are_those_of_a_plain_scheduler),
      cmocka_unit_test(prefill_first_steps_are_sglangs),
      cmocka_unit_test(decode_first_steps_are_tensorrt_llms),
      cmocka_unit_test(jumps_change_nothing_and_laws_hold),
      cmocka_unit_test(functions_that_say_the_same_change_nothing),
      cmocka_unit_test(tenants_that_wait_are_served_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
