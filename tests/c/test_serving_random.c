/* engine/serving on random configurations: the same outcomes as a scheduler written block by block
 * (serving_reference.h), the same history whether steps are made singly or many at a time, and the
 * laws that hold for any: conservation, causality, order. */
#include "serving_reference.h"

#include "base/rng.h"

#define CASES 400

static int64_t below(tdm_rng *rng, int64_t n) {
  return (int64_t)tdm_index_below(tdm_rng_bits(rng), (uint64_t)n);
}

/* least … most */
static int64_t from(tdm_rng *rng, int64_t least, int64_t most) {
  return least + below(rng, most - least + 1);
}

typedef struct {
  tdm_serving_config config;
  serving_arrival arrivals[REF_JOBS];
  uint64_t hashes[REF_JOBS][REF_BLOCKS];
  int count;
} scenario;

/* Requests of one family begin alike, for as many units as both have hashed. */
static void draw_hashes(tdm_rng *rng, scenario *c, int i) {
  tdm_serving_request *r = &c->arrivals[i].request;
  int64_t units = (r->prompt_tokens + c->config.hash_tokens - 1) / c->config.hash_tokens;
  uint64_t family = (uint64_t)below(rng, 3);
  int64_t common = below(rng, units + 1);
  r->hash_count = (size_t)below(rng, units + 1);
  /* the last one only names a whole unit, or this very prompt */
  for (size_t u = 0; u < r->hash_count; u++) {
    bool whole = (int64_t)(u + 1) * c->config.hash_tokens <= r->prompt_tokens;
    uint64_t name = (int64_t)u < common && whole ? family << 32 : (uint64_t)(i + 10) << 32;
    c->hashes[i][u] = tdm_mix(name | u) >> 1 | 1;
  }
  r->hashes = c->hashes[i];
}

static scenario *draw(uint64_t number, bool any) {
  scenario *c = calloc(1, sizeof *c);
  assert_non_null(c);
  tdm_rng rng = {tdm_stream_bits(tdm_stream_named(7, 0, any ? "any" : "reference"), number)};
  tdm_serving_config *f = &c->config;
  tdm_serving_config_default(f);
  f->block_tokens = (int64_t)1 << below(&rng, 5);
  f->hash_tokens = f->block_tokens * (any ? from(&rng, 1, 4) : 1);
  f->max_seqs = from(&rng, 1, 12);
  f->max_batched_tokens = f->max_seqs + below(&rng, 60);
  f->chunked_prefill = below(&rng, 4) > 0;
  f->long_prefill_tokens = below(&rng, 3) == 0 ? from(&rng, 1, 30) : 0;
  f->reserve_full_input = below(&rng, 2) == 0;
  f->prefix_caching = below(&rng, 3) > 0;
  f->order = below(&rng, 3) == 0 ? TDM_SERVING_PRIORITY : TDM_SERVING_FCFS;
  f->plans_ahead = below(&rng, 3) == 0;
  if (any && below(&rng, 4) == 0) {
    f->batching = TDM_SERVING_BATCH;
    f->prefix_caching = f->plans_ahead = false;
    f->batch_wait_ns = below(&rng, 2) == 0 ? INT64_MAX : from(&rng, 0, 400000);
    f->batch_returns_together = below(&rng, 2) == 0;
  }
  if (any && below(&rng, 3) == 0) f->max_partial_prefills = from(&rng, 1, 3);
  if (f->batching == TDM_SERVING_CONTINUOUS && below(&rng, 2) == 0) {
    f->host_blocks = from(&rng, 1, 30);
    f->swap_block_s = 700e-9;
  }
  if (f->batching == TDM_SERVING_CONTINUOUS && below(&rng, 2) == 0) {
    f->max_adapters = from(&rng, 1, 3);
    f->adapter_load_s = 5e-6;
    f->adapter_step_s = 110e-9;
  }
  if (f->batching == TDM_SERVING_CONTINUOUS && !f->plans_ahead && below(&rng, 2) == 0) {
    f->draft_tokens = from(&rng, 1, 6);
    f->acceptance = (double)below(&rng, 11) / 10;
    f->draft_s = 300e-9;
  }
  c->count = (int)from(&rng, 1, REF_JOBS);
  int64_t longest = f->chunked_prefill ? 80 : f->max_batched_tokens, most = 1, at_ns = 0;
  int64_t spread_ns = (int64_t)1000 << below(&rng, 9);
  for (int i = 0; i < c->count; i++) {
    tdm_serving_request *r = &c->arrivals[i].request;
    if (below(&rng, 4) > 0) at_ns += 2 * below(&rng, spread_ns); /* odd: no step ends then */
    c->arrivals[i].at_ns = at_ns + 1;
    r->id = (uint64_t)i;
    r->prompt_tokens = from(&rng, 1, longest);
    r->output_tokens = from(&rng, 1, 40);
    r->priority = (int32_t)below(&rng, 3);
    r->luck = tdm_rng_bits(&rng);
    r->adapter = (uint64_t)below(&rng, REF_ADAPTERS);
    if (below(&rng, 4) == 0) r->given_tokens = below(&rng, r->prompt_tokens);
    if (f->prefix_caching) draw_hashes(&rng, c, i);
    int64_t tokens = r->prompt_tokens + r->output_tokens - 1 + f->draft_tokens;
    if (tokens > most) most = tokens;
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

static int64_t lost_of(const serving_log *log, uint64_t id) {
  int64_t lost = 0;
  for (size_t i = 0; i < log->event_count; i++)
    if (log->events[i].kind == PREEMPTED && log->events[i].id == id) lost += log->events[i].value;
  return lost;
}

/* An affine model to which squares of contexts cost something too, as skew does in measured ones.
 */
typedef struct {
  tdm_llm_step base;
  tdm_llm_step *affine;
  double square_s;
} squaring;

static double squaring_step_s(const tdm_llm_step *base, const tdm_llm_batch *batch) {
  const squaring *m = (const squaring *)base;
  return tdm_llm_step_s(m->affine, batch) + m->square_s * batch->decode_squares;
}
static void free_nothing(tdm_llm_step *base) {
  (void)base;
}

static void outcomes_are_those_of_a_plain_scheduler(void **state) {
  (void)state;
  static const tdm_llm_step_kind kind = {
      .name = "squaring", .step_s = squaring_step_s, .free = free_nothing};
  ref_costs costs = {.decode_squares = 3,
                     .sampled = 50,
                     .step = 2000,
                     .prefill_tokens = 400,
                     .prefill_context = 6,
                     .decode_seqs = 900 * 2,
                     .decode_context = 8,
                     .prefill_attention = 1,
                     .swap_block = 700,
                     .adapter_load = 5000,
                     .adapter_step = 110};
  tdm_llm_step *model = serving_affine((tdm_llm_affine_piece){.step = 2e-6,
                                                              .prefill_tokens = 400e-9,
                                                              .prefill_context = 6e-9,
                                                              .prefill_attention = 2e-9,
                                                              .sampled = 50e-9,
                                                              .decode_seqs = 1800e-9,
                                                              .decode_context = 8e-9});
  const squaring squares = {{&kind}, model, 3e-9};
  ref_costs drafter = {.decode_squares = 1,
                       .sampled = 20,
                       .step = 500,
                       .prefill_tokens = 40,
                       .prefill_context = 3,
                       .decode_seqs = 70,
                       .decode_context = 2};
  tdm_llm_step *draft = serving_affine((tdm_llm_affine_piece){.step = 500e-9,
                                                              .prefill_tokens = 40e-9,
                                                              .prefill_context = 3e-9,
                                                              .decode_seqs = 70e-9,
                                                              .sampled = 20e-9,
                                                              .decode_context = 2e-9});
  const squaring drafts = {{&kind}, draft, 1e-9};
  int64_t preemptions = 0, cached = 0, swaps = 0, accepted = 0, loads = 0;
  for (uint64_t n = 0; n < CASES; n++) {
    scenario *c = draw(n, false);
    if (c->config.draft_tokens > 0 && n % 2 == 0) {
      c->config.draft = &drafts.base;
      c->config.draft_s = 0;
    }
    costs.draft = (int64_t)(c->config.draft_s * 1e9 + 0.5);
    ref_server *reference = ref_replay_drafting(&c->config, costs, drafter, c->arrivals, c->count);
    serving_log log = serving_replay(&c->config, &squares.base, c->arrivals, (size_t)c->count);
    assert_int_equal(log.outcome_count, c->count);
    for (int i = 0; i < c->count; i++) {
      const ref_job *j = &reference->jobs[i];
      tdm_serving_outcome o = outcome_of(&log, (uint64_t)i);
      if (o.scheduled_ns != j->outcome.scheduled_ns ||
          o.first_token_ns != j->outcome.first_token_ns ||
          o.finished_ns != j->outcome.finished_ns || o.preemptions != j->outcome.preemptions ||
          o.cached_tokens != j->outcome.cached_tokens || lost_of(&log, (uint64_t)i) != j->lost)
        fail_msg("case %d request %d: scheduled %lld, %lld; first %lld, %lld; finished %lld, %lld; "
                 "cached %lld, %lld; preempted %u, %u (%lld, %lld)",
                 (int)n, i, (long long)o.scheduled_ns, (long long)j->outcome.scheduled_ns,
                 (long long)o.first_token_ns, (long long)j->outcome.first_token_ns,
                 (long long)o.finished_ns, (long long)j->outcome.finished_ns,
                 (long long)o.cached_tokens, (long long)j->outcome.cached_tokens, o.preemptions,
                 j->outcome.preemptions, (long long)lost_of(&log, (uint64_t)i), (long long)j->lost);
      preemptions += o.preemptions;
      cached += o.cached_tokens;
    }
    int64_t moved = 0, drafted = 0, right = 0, loaded = 0;
    for (size_t i = 0; i < log.step_count; i++) {
      moved += log.steps[i].swapped_out + log.steps[i].swapped_in;
      drafted += log.steps[i].drafted;
      right += log.steps[i].accepted;
      loaded += log.steps[i].adapter_loads;
    }
    assert_int_equal(drafted, reference->drafted);
    assert_int_equal(right, reference->accepted);
    accepted += right;
    assert_int_equal(loaded, reference->loads);
    loads += loaded;
    assert_int_equal(moved, reference->swaps);
    assert_int_equal(reference->host_free, c->config.host_blocks);
    swaps += moved;
    serving_log_free(&log);
    free(reference);
    free(c);
  }
  assert_true(preemptions > CASES && cached > CASES && swaps > CASES && accepted > CASES &&
              loads > CASES); /* the cases are not all dull */
  tdm_llm_step_free(draft);
  tdm_llm_step_free(model);
}

/* Coefficients without common measure, and pieces. */
static tdm_llm_step *crooked(void) {
  tdm_llm_affine_piece pieces[] = {{.decode_seqs_max = 3,
                                    .step = 1.234567e-6,
                                    .prefill_tokens = 0.3571e-6,
                                    .prefill_squares = 1.7e-10,
                                    .decode_seqs = 0.777e-6,
                                    .decode_context = 7.31e-9,
                                    .decode_context_max = 3.3e-9},
                                   {.decode_seqs_max = INFINITY,
                                    .step = 2.2e-6,
                                    .prefill_attention = 1.1e-9,
                                    .prefill_tokens = 0.2e-6,
                                    .decode_seqs = 0.51e-6,
                                    .decode_context = 9.77e-9,
                                    .sampled = 1e-8}};
  tdm_llm_step *model;
  assert_int_equal(tdm_llm_affine_new(pieces, 2, 0, &model, NULL), TDM_OK);
  return model;
}

static void assert_same_outcome(const tdm_serving_outcome *a, const tdm_serving_outcome *b) {
  assert_int_equal(a->id, b->id);
  assert_int_equal(a->queued_ns, b->queued_ns);
  assert_int_equal(a->scheduled_ns, b->scheduled_ns);
  assert_int_equal(a->first_token_ns, b->first_token_ns);
  assert_int_equal(a->finished_ns, b->finished_ns);
  assert_int_equal(a->cached_tokens, b->cached_tokens);
  assert_int_equal(a->preemptions, b->preemptions);
  assert_memory_equal(a->below_tokens, b->below_tokens, sizeof a->below_tokens);
  assert_int_equal(a->load_ns, b->load_ns);
}

/* A row of equal steps says what its steps say one by one. */
static void assert_rows_of(const serving_log *rows, const serving_log *steps) {
  size_t next = 0;
  for (size_t i = 0; i < rows->step_count; i++) {
    const tdm_serving_step *row = &rows->steps[i];
    tdm_serving_step sum = {0}, last = {0};
    assert_true(next + (size_t)row->steps <= steps->step_count);
    assert_int_equal(row->begin_ns, steps->steps[next].begin_ns);
    assert_int_equal(row->held, steps->steps[next].held);
    assert_memory_equal(&row->batch, &steps->steps[next].batch, sizeof row->batch);
    for (int64_t k = 0; k < row->steps; k++) {
      last = steps->steps[next++];
      sum.tokens += last.tokens;
      sum.drafted += last.drafted;
      sum.accepted += last.accepted;
      sum.swapped_out += last.swapped_out;
      sum.swapped_in += last.swapped_in;
      sum.adapter_loads += last.adapter_loads;
    }
    assert_int_equal(row->end_ns, last.end_ns);
    assert_int_equal(row->kv_blocks, last.kv_blocks);
    assert_int_equal(row->running, last.running);
    assert_int_equal(row->waiting, last.waiting);
    assert_int_equal(row->tokens, sum.tokens);
    assert_int_equal(row->drafted, sum.drafted);
    assert_int_equal(row->accepted, sum.accepted);
    assert_int_equal(row->swapped_out, sum.swapped_out);
    assert_int_equal(row->swapped_in, sum.swapped_in);
    assert_int_equal(row->adapter_loads, sum.adapter_loads);
  }
  assert_int_equal(next, steps->step_count);
}

/* In rows and singly; adds how many steps each took. */
static void assert_jumps(scenario *c, const tdm_llm_step *model, size_t steps[2],
                         int64_t below_tokens[TDM_KV_TIERS], int64_t *load_ns) {
  serving_log logs[2];
  for (int slow = 0; slow < 2; slow++) {
    c->config.step_by_step = slow;
    logs[slow] = serving_replay(&c->config, model, c->arrivals, (size_t)c->count);
    steps[slow] += logs[slow].step_count;
  }
  assert_int_equal(logs[0].event_count, logs[1].event_count);
  assert_memory_equal(logs[0].events, logs[1].events, logs[0].event_count * sizeof *logs[0].events);
  assert_int_equal(logs[0].outcome_count, c->count);
  assert_int_equal(logs[1].outcome_count, c->count);
  for (size_t i = 0; i < logs[0].outcome_count; i++) {
    const tdm_serving_outcome *o = &logs[0].outcomes[i];
    assert_same_outcome(o, &logs[1].outcomes[i]);
    for (size_t k = 0; k < TDM_KV_TIERS; k++) below_tokens[k] += o->below_tokens[k];
    *load_ns += o->load_ns;
  }
  assert_int_equal(logs[0].gaps, logs[1].gaps);
  assert_int_equal(logs[0].gap_ns, logs[1].gap_ns);
  assert_memory_equal(logs[0].group_gaps, logs[1].group_gaps, sizeof logs[0].group_gaps);
  assert_memory_equal(logs[0].group_gap_ns, logs[1].group_gap_ns, sizeof logs[0].group_gap_ns);
  assert_rows_of(&logs[0], &logs[1]);
  for (int slow = 0; slow < 2; slow++) serving_log_free(&logs[slow]);
}

static tdm_kv_write write_of(tdm_rng *rng, size_t tier) {
  int64_t choice = below(rng, 4);
  if (choice == 0) return TDM_KV_BACK;
  return choice == 1 && tier == 0 ? TDM_KV_SELECTIVE : TDM_KV_THROUGH;
}

/* As SGLang and TensorRT-LLM step, which have less beside it. */
static void step_otherwise(scenario *c, tdm_serving_steps steps) {
  tdm_serving_config *f = &c->config;
  for (int i = 0; i < c->count; i++) c->arrivals[i].request.given_tokens = 0;
  f->steps = steps;
  f->shares_computed = true;
  f->host_blocks = f->max_adapters = f->draft_tokens = f->long_prefill_tokens = 0;
  f->order = TDM_SERVING_FCFS;
  f->blocks += 2;
  f->chunked_prefill = true;
  f->max_batched_tokens += 2 * f->block_tokens;
  if (steps == TDM_STEPS_PREFILL_FIRST) {
    f->admission = TDM_ADMIT_ESTIMATE;
    f->victim = TDM_PREEMPT_LEAST_OUTPUT;
    f->preempted_last = true;
  } else {
    f->admission = TDM_ADMIT_MAXIMUM;
    f->chunking = TDM_CHUNK_BLOCKS;
    f->waits_for_prefix = true;
  }
}

/* What a server of other steps has. */
static void fit_tiers(uint64_t number, tdm_serving_config *f) {
  tdm_rng rng = {tdm_stream_bits(tdm_stream_named(7, 0, "other steps"), number)};
  if (f->steps == TDM_STEPS_DECODE_FIRST) f->tier_count = 1;
  for (size_t k = 0; k < f->tier_count; k++) {
    tdm_kv_tier *t = &f->tiers[k];
    t->prefetch = TDM_KV_NO_PREFETCH;
    if (f->steps == TDM_STEPS_DECODE_FIRST) t->write = TDM_KV_BACK;
    if (k == 0) continue;
    t->prefetch = (tdm_kv_prefetch)from(&rng, TDM_KV_BEST_EFFORT, TDM_KV_TIMEOUT);
    t->timeout_s = (double)below(&rng, 100) * 1e-6;
    t->timeout_token_s = (double)below(&rng, 3) * 1e-8;
  }
}

/* Of all sorts: smaller and larger than the GPUs' cache, fast, slow, of no length at all. */
static void draw_tiers(uint64_t number, tdm_serving_config *f) {
  tdm_rng rng = {tdm_stream_bits(tdm_stream_named(7, 0, "tiers"), number)};
  f->tier_count = (size_t)from(&rng, 1, TDM_KV_TIERS);
  for (size_t k = 0; k < f->tier_count; k++) {
    f->tiers[k] =
        (tdm_kv_tier){.blocks = below(&rng, (k == 0 ? 1 : 4) * f->blocks),
                      .block_s = (double)below(&rng, 4) * 3e-7,
                      .store_s = (double)below(&rng, 4) * 4e-7,
                      .latency_s = below(&rng, 2) > 0 ? 5e-6 : 0,
                      .one_way = below(&rng, 2) > 0,
                      .worth = 0.5,
                      .write = write_of(&rng, k),
                      .prefetch = below(&rng, 3) == 0 ? TDM_KV_WAIT_COMPLETE : TDM_KV_NO_PREFETCH};
    snprintf(f->tiers[k].name, sizeof f->tiers[k].name, "t%zu", k);
  }
}

static void jumps_change_nothing_with_tiers(void **state) {
  (void)state;
  tdm_llm_step *model = crooked();
  size_t steps[2] = {0}, cases = 0;
  int64_t tokens[TDM_KV_TIERS] = {0}, load_ns = 0;
  for (uint64_t n = 0; n < 8 * CASES; n++) {
    scenario *c = draw(n, true);
    if (c->config.batching == TDM_SERVING_CONTINUOUS && c->config.prefix_caching) {
      draw_tiers(n, &c->config);
      if (n % 3 > 0)
        step_otherwise(c, n % 3 == 1 ? TDM_STEPS_PREFILL_FIRST : TDM_STEPS_DECODE_FIRST);
      if (n % 3 > 0) fit_tiers(n, &c->config);
      assert_jumps(c, model, steps, tokens, &load_ns);
      cases++;
    }
    free(c);
  }
  assert_true(cases > CASES && steps[0] < steps[1] && load_ns > 0);
  assert_true(tokens[0] > CASES && tokens[1] > CASES && tokens[2] > CASES && tokens[3] > 100);
  tdm_llm_step_free(model);
}

static void jumps_change_nothing(void **state) {
  (void)state;
  tdm_llm_step *model = crooked();
  size_t steps[2] = {0};
  int64_t tokens[TDM_KV_TIERS] = {0}, load_ns = 0;
  for (uint64_t n = 0; n < CASES; n++) {
    scenario *c = draw(n, true);
    assert_jumps(c, model, steps, tokens, &load_ns);
    assert_true(tokens[0] == 0 && load_ns == 0);
    free(c);
  }
  /* Rows are as long as they can be: shorter ones would cost time and nothing else. */
  assert_true(steps[0] <= 55399 && steps[1] == 140531);
  tdm_llm_step_free(model);
}

static void check_steps(const scenario *c, const serving_log *log) {
  int64_t tokens = 0, wanted = 0, end_ns = 0;
  for (int i = 0; i < c->count; i++) wanted += c->arrivals[i].request.output_tokens;
  for (size_t i = 0; i < log->step_count; i++) {
    const tdm_serving_step *s = &log->steps[i];
    assert_true(s->begin_ns >= end_ns && s->end_ns > s->begin_ns && s->steps > 0);
    end_ns = s->end_ns;
    tokens += s->tokens;
    assert_in_range(s->kv_blocks, 1, c->config.blocks);
    assert_in_range(s->running, 1, c->config.max_seqs);
    if (c->config.batching == TDM_SERVING_CONTINUOUS)
      assert_in_range(s->batch.prefill_tokens + s->batch.decode_seqs, 1,
                      c->config.max_batched_tokens);
  }
  assert_int_equal(tokens, wanted); /* each token is made once */
}

static void requests_are_conserved_in_time_and_in_order(void **state) {
  (void)state;
  tdm_llm_step *model = crooked();
  for (uint64_t n = 0; n < CASES; n++) {
    scenario *c = draw(n, true);
    serving_log log = serving_replay(&c->config, model, c->arrivals, (size_t)c->count);
    assert_int_equal(log.outcome_count, c->count);
    check_steps(c, &log);
    int64_t scheduled_ns = 0, firsts = 0, gaps = 0;
    for (int i = 0; i < c->count; i++) {
      tdm_serving_outcome o = outcome_of(&log, (uint64_t)i);
      assert_int_equal(o.arrival_ns, c->arrivals[i].at_ns);
      assert_true(o.arrival_ns <= o.queued_ns && o.queued_ns <= o.scheduled_ns);
      assert_true(o.scheduled_ns < o.first_token_ns);
      assert_true(o.first_token_ns <= o.finished_ns);
      assert_true(o.cached_tokens < o.prompt_tokens);
      gaps += o.output_tokens - 1;
      if (c->config.order == TDM_SERVING_FCFS && c->config.max_adapters == 0) {
        assert_true(o.scheduled_ns >= scheduled_ns);
        scheduled_ns = o.scheduled_ns;
      }
    }
    for (size_t i = 0; i < log.event_count; i++) firsts += log.events[i].kind == FIRST_TOKEN;
    assert_int_equal(firsts, c->count);
    assert_int_equal(log.gaps, gaps);
    serving_check_groups(&log, c->arrivals, c->config.batching == TDM_SERVING_CONTINUOUS);
    serving_log_free(&log);
    free(c);
  }
  tdm_llm_step_free(model);
}

/* Steps and tokens that are over. */
typedef struct {
  int64_t steps, tokens;
} made;

static void add_made(void *context, const tdm_serving_step *step) {
  made *m = context;
  m->steps += step->steps;
  m->tokens += step->tokens;
}

/* Of what is told and of the present steps, at a time when the load was `load`. */
static made made_at(const tdm_serving *serving, made told, int64_t ns,
                    const tdm_serving_load *load) {
  tdm_serving_step step;
  if (!tdm_serving_step_at(serving, ns, &step)) {
    assert_int_equal(load->running, 0);
    return told;
  }
  assert_true(step.begin_ns <= ns && step.end_ns == ns && step.steps >= 0);
  assert_int_equal(step.kv_blocks, load->kv_blocks);
  assert_int_equal(step.running, load->running);
  assert_int_equal(step.waiting, load->waiting);
  return (made){told.steps + step.steps, told.tokens + step.tokens};
}

/* What routers see between steps does not depend on how steps are made. */
static void load_is_the_same_at_any_time(void **state) {
  (void)state;
  tdm_llm_step *model = crooked();
  for (uint64_t n = 0; n < CASES; n++) {
    scenario *c = draw(n, true);
    tdm_serving *servers[2];
    made told[2] = {0};
    for (int slow = 0; slow < 2; slow++) {
      c->config.step_by_step = slow;
      tdm_serving_events events = {.context = &told[slow], .step = add_made};
      assert_int_equal(tdm_serving_open(&c->config, model, &events, &servers[slow], NULL), TDM_OK);
    }
    for (int i = 0; i < c->count; i++) {
      tdm_serving_load load[2];
      made over[2];
      for (int slow = 0; slow < 2; slow++) {
        int64_t ns = c->arrivals[i].at_ns - 1;
        serving_advance_until(servers[slow], ns);
        load[slow] = tdm_serving_load_at(servers[slow], ns);
        over[slow] = made_at(servers[slow], told[slow], ns, &load[slow]);
        assert_int_equal(
            tdm_serving_submit(servers[slow], c->arrivals[i].at_ns, &c->arrivals[i].request, NULL),
            TDM_OK);
      }
      assert_memory_equal(&load[0], &load[1], sizeof *load);
      assert_memory_equal(&over[0], &over[1], sizeof *over);
    }
    for (int slow = 0; slow < 2; slow++) tdm_serving_close(servers[slow]); /* while busy */
    free(c);
  }
  tdm_llm_step_free(model);
}

typedef struct {
  int64_t steps, tokens, gaps, gap_ns;
} totals;

/* Until half of the requests have come, and a moment longer. */
static totals halted(const scenario *c, const tdm_llm_step *model, int64_t moment_ns) {
  serving_log log = {0};
  tdm_serving_events events = serving_listen(&log);
  tdm_serving *serving;
  int64_t now_ns = 0;
  totals sum = {0};
  assert_int_equal(tdm_serving_open(&c->config, model, &events, &serving, NULL), TDM_OK);
  for (int i = 0; i < (c->count + 1) / 2; i++) {
    now_ns = c->arrivals[i].at_ns;
    serving_advance_until(serving, now_ns - 1);
    assert_int_equal(tdm_serving_submit(serving, now_ns, &c->arrivals[i].request, NULL), TDM_OK);
  }
  serving_advance_until(serving, now_ns + moment_ns);
  tdm_serving_halt(serving, now_ns + moment_ns);
  tdm_serving_close(serving);
  for (size_t i = 0; i < log.step_count; i++) {
    sum.steps += log.steps[i].steps;
    sum.tokens += log.steps[i].steps * log.steps[i].batch.sampled;
  }
  sum.gaps = log.gaps;
  sum.gap_ns = log.gap_ns;
  serving_log_free(&log);
  return sum;
}

static void a_halt_tells_of_every_step_that_is_over(void **state) {
  (void)state;
  tdm_llm_step *model = crooked();
  int64_t tokens = 0;
  for (uint64_t n = 0; n < CASES; n++) {
    scenario *c = draw(n, true);
    int64_t moment_ns = (int64_t)n * 731;
    totals sums[2];
    for (int slow = 0; slow < 2; slow++) {
      c->config.step_by_step = slow;
      sums[slow] = halted(c, model, moment_ns);
    }
    assert_memory_equal(&sums[0], &sums[1], sizeof *sums);
    tokens += sums[0].tokens;
    free(c);
  }
  assert_true(tokens > CASES);
  tdm_llm_step_free(model);
}

/* Sequences whose drafts are walked ahead more than once: their gaps, group by group. */
static void long_outputs_with_drafts_have_every_gap(void **state) {
  (void)state;
  tdm_llm_step *model = crooked();
  tdm_rng rng = {64};
  for (int n = 0; n < 60; n++) {
    tdm_serving_config config;
    tdm_serving_config_default(&config);
    config.blocks = 4000;
    config.draft_tokens = from(&rng, 1, 4);
    config.acceptance = (double)below(&rng, 6) / 10;
    config.draft_s = 300e-9;
    serving_arrival arrivals[12] = {0};
    for (size_t i = 0; i < 12; i++) {
      arrivals[i].at_ns = (i > 0 ? arrivals[i - 1].at_ns : 0) + below(&rng, 200000);
      arrivals[i].request = (tdm_serving_request){.id = i,
                                                  .luck = i,
                                                  .prompt_tokens = from(&rng, 1, 60),
                                                  .output_tokens = from(&rng, 1, 400)};
    }
    serving_tell_apart(arrivals, 12);
    serving_log log = serving_replay(&config, model, arrivals, 12);
    assert_int_equal(log.outcome_count, 12);
    serving_check_groups(&log, arrivals, true);
    serving_log_free(&log);
  }
  tdm_llm_step_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcomes_are_those_of_a_plain_scheduler),
      cmocka_unit_test(jumps_change_nothing),
      cmocka_unit_test(jumps_change_nothing_with_tiers),
      cmocka_unit_test(requests_are_conserved_in_time_and_in_order),
      cmocka_unit_test(long_outputs_with_drafts_have_every_gap),
      cmocka_unit_test(load_is_the_same_at_any_time),
      cmocka_unit_test(a_halt_tells_of_every_step_that_is_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
