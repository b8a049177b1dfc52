/* The length of steps. Equal decode steps are laid end to end from the first one's begin, so that
 * where a row of them is interrupted makes no difference. Called by serving. */
#include "engine/serving/inside.h"

#define LONGEST_S 9e9 /* as nanoseconds in an int64_t */

static int64_t later_ns(int64_t begin_ns, double seconds) {
  if (!(seconds > 0)) return begin_ns;
  if (seconds > LONGEST_S) seconds = LONGEST_S;
  int64_t ns = (int64_t)(seconds * 1e9 + 0.5);
  return ns > INT64_MAX - 1 - begin_ns ? INT64_MAX - 1 : begin_ns + ns;
}

static tdm_llm_batch decoding(const tdm_serving *s) {
  return (tdm_llm_batch){.decode_seqs = s->batch.decode_seqs,
                         .decode_context = s->batch.decode_context,
                         .decode_context_max = s->batch.decode_context_max,
                         .decode_squares = s->batch.decode_squares,
                         .sampled = s->batch.decode_seqs};
}

/* By a model of its own: a pass over what it has not seen, the newest tokens among it, then one
 * token after the other, of requests whose prompts this step completes as well. */
static double draft_model_s(const tdm_serving *s) {
  const tdm_llm_batch *unseen = &s->beside.unseen;
  tdm_llm_batch first = *unseen, next = decoding(s);
  first.decode_seqs = next.decode_seqs;
  first.decode_context = next.decode_context;
  first.decode_context_max = next.decode_context_max;
  first.decode_squares = next.decode_squares;
  first.sampled = next.decode_seqs + unseen->decode_seqs;
  tdm_llm_batch_grow(&next, 1);
  next.decode_seqs += unseen->decode_seqs;
  next.decode_context += unseen->decode_context;
  next.decode_squares += unseen->decode_squares;
  if (unseen->decode_context_max > next.decode_context_max)
    next.decode_context_max = unseen->decode_context_max;
  next.sampled = next.decode_seqs;
  double sum = tdm_llm_step_s(s->config.draft, &first);
  if (next.decode_seqs == 0) return sum;
  return sum + tdm_llm_decode_run_s(s->config.draft, &next, s->config.draft_tokens - 1);
}

/* Drafting after a step of `step_s`: in the first pass the prompts as well, then for the decoding
 * sequences alone. */
static double drafting_s(const tdm_serving *s, double step_s) {
  const tdm_serving_config *c = &s->config;
  if (c->draft_tokens == 0) return 0;
  if (c->draft != NULL) return draft_model_s(s);
  if (s->batch.sampled == 0) return 0;
  double passes = (double)c->draft_tokens, sum = passes * c->draft_s;
  if (!(c->draft_share > 0)) return sum;
  tdm_llm_batch decode = decoding(s);
  return sum + c->draft_share * (step_s + (passes - 1) * tdm_llm_step_s(s->model, &decode));
}

static double adapters_s(const tdm_serving *s) {
  return (double)s->adapters.used * s->config.adapter_step_s;
}

int64_t tdm_jump_end_ns(const tdm_serving *s, int64_t j) {
  const tdm_decode_run *run = &s->run;
  if (!run->valid) {
    double seconds = tdm_llm_step_s(s->model, &s->batch);
    if (!s->extras) return later_ns(s->begin_ns, seconds);
    const tdm_serving_beside *beside = &s->beside;
    seconds = seconds + drafting_s(s, seconds) + beside->pause_s + adapters_s(s);
    int64_t end_ns =
        later_ns(beside->ready_ns > s->begin_ns ? beside->ready_ns : s->begin_ns, seconds);
    return end_ns > beside->until_ns ? end_ns : beside->until_ns;
  }
  double seconds = tdm_llm_decode_run_s(s->model, &run->batch, run->steps + j);
  if (s->extras) seconds += (double)(run->steps + j) * adapters_s(s);
  int64_t end_ns = later_ns(run->begin_ns, seconds);
  return end_ns > s->begin_ns ? end_ns : s->begin_ns;
}

/* The job's drafted tokens are verified: how many are right is known from now on. */
static void verify(tdm_serving *s, tdm_job *j, tdm_llm_batch *batch) {
  int64_t drafted = j->chunk - 1, wanted = j->output - j->generated;
  if (drafted == 0) return;
  int64_t right = tdm_speculation_accepted(s->decoders.speculation, j->luck, j->generated);
  j->accepted = right < drafted ? right : drafted;
  tdm_llm_batch_add_drafts(batch, 1, drafted, (double)(j->computed + 1));
  s->beside.drafted += drafted;
  s->beside.accepted += j->accepted;
  s->beside.tokens += (1 + j->accepted < wanted ? 1 + j->accepted : wanted) - 1;
}

static void draft_prompt(tdm_serving *s, const tdm_job *j, bool completes) {
  tdm_llm_batch_add_prefill(&s->beside.unseen, j->chunk, j->computed, 0);
  if (completes) tdm_llm_batch_add_decode(&s->beside.unseen, j->computed + j->chunk + 1);
}

/* What those that decode implicitly get in this step. */
static void speculate(tdm_serving *s) {
  const tdm_speculated *step = tdm_speculation_at(s->decoders.speculation, s->decoders.clock);
  s->beside.tokens += step->tokens;
  s->beside.drafted += s->decoders.count * s->config.draft_tokens;
  s->beside.accepted += step->accepted;
}

static void fill_batch(tdm_serving *s) {
  tdm_llm_batch *batch = &s->batch;
  *batch = (tdm_llm_batch){0};
  if (!s->resting) tdm_decoders_add(&s->decoders, batch);
  if (!s->resting && s->decoders.speculation != NULL) speculate(s);
  for (size_t i = 0; i < s->explicit_count; i++) {
    tdm_job *j = &s->jobs[s->explicit_jobs[i]];
    int64_t todo = tdm_job_todo(j);
    if (j->chunk == 0) continue;
    if (s->extras) s->beside.tokens += j->chunk >= todo;
    if (todo == 1 && j->generated > 0) {
      tdm_llm_batch_add_decode(batch, j->computed + 1);
      verify(s, j, batch);
    } else {
      tdm_llm_batch_add_prefill(batch, j->chunk, j->computed, j->chunk == todo);
      if (s->config.draft != NULL) draft_prompt(s, j, j->chunk == todo);
    }
  }
}

/* Steps in which nobody ends before the last, blocks last, and a plan would change nothing: who
 * waits now is kept out by what only an end can give. */
static int64_t equal_steps(const tdm_serving *s) {
  if (s->config.step_by_step || s->config.draft_tokens > 0) return 1;
  if (s->config.batching == TDM_SERVING_CONTINUOUS &&
      (s->done_count > 0 || s->inbox.count > 0 || s->turned.count > 0 || s->abort_count > 0 ||
       tdm_loads_next_ns(s) < s->begin_ns))
    return 1;
  if (s->config.batching == TDM_SERVING_CONTINUOUS && !tdm_policy_steady(s)) return 1;
  if (s->config.steps == TDM_STEPS_PREFILL_FIRST &&
      (s->rest_count != 1 || s->rests[0].since_ns != s->begin_ns))
    return 1;
  int64_t steps = tdm_decoders_first_end(&s->decoders), ahead = s->model->kind->steps_ahead;
  if (ahead > 0 && steps > ahead) steps = ahead;
  int64_t blocks = s->pool.free;
  if (s->pool.twins > 0 && tdm_queue_count(s) > 0 && s->running.count < s->config.max_seqs) {
    int64_t most = tdm_decoders_blocks(&s->decoders, 1, steps - 1);
    blocks = tdm_kv_pool_plain(&s->pool, most < blocks ? most : blocks);
  }
  if (s->tiers.frees) { /* a step that takes a unit's blocks waits for its store */
    int64_t most = tdm_decoders_blocks(&s->decoders, 1, steps - 1);
    blocks = tdm_kv_pool_nobodys(&s->pool, most < blocks ? most : blocks);
  }
  return 1 + tdm_decoders_fitting(&s->decoders, steps - 1, blocks);
}

void tdm_jump_begin(tdm_serving *s, int64_t now_ns) {
  s->stepping = true;
  s->begin_ns = now_ns;
  fill_batch(s);
  s->steps = 1;
  if (s->tiers.left_ns > s->beside.ready_ns) s->beside.ready_ns = s->tiers.left_ns;
  bool waits = s->beside.pause_s > 0 || s->beside.ready_ns > now_ns || s->beside.until_ns > now_ns;
  if (s->explicit_count == 0 && s->config.draft_tokens == 0 && !waits) {
    if (!s->run.valid) {
      s->run.valid = true;
      s->run.begin_ns = now_ns;
      s->run.batch = s->batch;
      s->run.steps = 0;
    }
    s->steps = equal_steps(s);
  } else {
    s->run.valid = false;
  }
  s->end_ns = tdm_jump_end_ns(s, s->steps);
}

int64_t tdm_jump_steps_over(const tdm_serving *s, int64_t now_ns) {
  int64_t low = 0, high = s->steps; /* steps up to low are over, those up to high are not */
  if (high == 1) return 0;
  double share = (double)(now_ns - s->begin_ns) / (double)(s->end_ns - s->begin_ns + 1);
  int64_t guess = (int64_t)((double)high * share), width = 1;
  if (guess >= high) guess = high - 1;
  if (guess > 0 && tdm_jump_end_ns(s, guess) > now_ns) {
    high = guess;
    while (high - width > low && tdm_jump_end_ns(s, high - width) > now_ns) {
      high -= width;
      width *= 2;
    }
    if (high - width > low) low = high - width;
  } else {
    low = guess;
    while (low + width < high && tdm_jump_end_ns(s, low + width) <= now_ns) {
      low += width;
      width *= 2;
    }
    if (low + width < high) high = low + width;
  }
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (tdm_jump_end_ns(s, middle) <= now_ns)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void tdm_jump_cut(tdm_serving *s, int64_t now_ns) {
  if (s->steps == 1) return;
  int64_t steps = tdm_jump_steps_over(s, now_ns) + 1 + s->config.plans_ahead;
  if (steps >= s->steps) return;
  s->steps = steps;
  s->end_ns = tdm_jump_end_ns(s, steps);
}
