/* A second scheduler to compare engine/serving with: the same rules written down block by block and
 * step by step, with no regard to speed. Blocks have identities, a hash each, and stand in one
 * queue when nobody holds them; every token's step is made. A step planned ahead is really planned
 * ahead: two steps are in flight, and a request counts tokens that are on their way. */
#ifndef TDM_TESTS_SERVING_REFERENCE_H
#define TDM_TESTS_SERVING_REFERENCE_H

#include "serving_fixture.h"

#include "base/rng.h"

#define REF_JOBS     64
#define REF_BLOCKS   512
#define REF_ADAPTERS 8

/* Nanoseconds for each unit, whole numbers: no rounding. */
typedef struct {
  int64_t step, prefill_tokens, prefill_context, decode_seqs, decode_context;
  int64_t prefill_attention; /* of half a pair */
  int64_t decode_squares, sampled;
  int64_t swap_block, draft;
  int64_t adapter_load, adapter_step;
} ref_costs;

typedef struct {
  tdm_serving_request request;
  int64_t at_ns;
  int64_t generated, coming, computed; /* coming: tokens of steps in flight */
  int blocks[REF_BLOCKS], held;
  tdm_serving_outcome outcome;
  int64_t lost;
  int swapped;             /* blocks in host memory */
  bool drafting;           /* it got a token in the step before */
  bool scheduled, partial; /* partial: its prompt is begun and not complete */
  int64_t chunk;
} ref_job;

typedef struct {
  int job;
  int64_t chunk, drafts; /* drafts: of the chunk */
  bool samples;
} ref_part;

typedef struct {
  ref_part parts[REF_JOBS];
  int count;
  int started[REF_JOBS], started_count; /* scheduled for the first time */
  int64_t dur_ns;
} ref_step;

typedef struct {
  const tdm_serving_config *config;
  ref_costs costs, drafter; /* drafter: of config.draft */
  ref_job jobs[REF_JOBS];
  int job_count, arrived;
  int waiting[REF_JOBS], waiting_count;
  int running[REF_JOBS], running_count;
  int refs[REF_BLOCKS];
  uint64_t hash[REF_BLOCKS]; /* 0: holds nothing that can be found */
  uint64_t published[REF_BLOCKS], publications;
  int queue[REF_BLOCKS], queue_count;
  int64_t drafted, accepted;
  int64_t adapter_used[REF_ADAPTERS]; /* by name, where it is on the GPU: last use, else 0 */
  int64_t uses, loads;
  int64_t host_free, swaps, pause_ns; /* pause: of the step that comes */
  /* orders and plans of serving_policy_reference.h */
  double counters[REF_JOBS]; /* by tenant */
  int last_tenant;
  int batch[REF_JOBS], batch_count, last[REF_JOBS], last_count; /* SGLang's */
  bool last_prefills, full;
  double ratio;
} ref_server;

static inline void ref_remove(int *items, int *count, int item) {
  int kept = 0;
  for (int i = 0; i < *count; i++)
    if (items[i] != item) items[kept++] = items[i];
  *count = kept;
}

static inline int ref_block_count(const ref_server *s, int64_t tokens) {
  int64_t size = s->config->block_tokens;
  return (int)((tokens + size - 1) / size);
}

static inline uint64_t ref_hash(const ref_job *j, int block) {
  if ((size_t)block < j->request.hash_count) return j->request.hashes[block];
  return (uint64_t)1 << 63 | j->request.id << 32 | (uint64_t)block;
}

/* Of several blocks that hold the same the one that was first to. */
static inline int ref_find(const ref_server *s, uint64_t hash) {
  int found = -1;
  for (int i = 0; i < (int)s->config->blocks; i++)
    if (s->hash[i] == hash && (found < 0 || s->published[i] < s->published[found])) found = i;
  return found;
}

static inline void ref_grow(ref_server *s, ref_job *j, int count) {
  for (int i = 0; i < count; i++) {
    int block = s->queue[0];
    ref_remove(s->queue, &s->queue_count, block);
    s->hash[block] = 0;
    s->refs[block] = 1;
    j->blocks[j->held++] = block;
  }
}

static inline void ref_publish(ref_server *s, const ref_job *j, int64_t tokens) {
  if (!s->config->prefix_caching) return;
  for (int i = 0; i < (int)(tokens / s->config->block_tokens); i++) {
    int block = j->blocks[i];
    if (s->hash[block] != 0) continue;
    s->hash[block] = ref_hash(j, i);
    s->published[block] = ++s->publications;
  }
}

static inline void ref_release(ref_server *s, ref_job *j) {
  while (j->held > 0) {
    int block = j->blocks[--j->held];
    if (--s->refs[block] == 0) s->queue[s->queue_count++] = block;
  }
}

static inline int ref_first(ref_server *s);
static inline void ref_arrange(ref_server *s);
static inline void ref_join_queue(ref_server *s, int job);
static inline void ref_serve(ref_server *s, int job, int64_t input, int64_t output);

static inline bool ref_less_important(const ref_job *a, const ref_job *b) {
  if (a->request.priority != b->request.priority) return a->request.priority > b->request.priority;
  return a->at_ns != b->at_ns ? a->at_ns > b->at_ns : a->request.id > b->request.id;
}

static inline int ref_victim(const ref_server *s) {
  int worst = s->running[s->running_count - 1];
  if (s->config->order != TDM_SERVING_PRIORITY) return worst;
  for (int i = 0; i < s->running_count; i++)
    if (ref_less_important(&s->jobs[s->running[i]], &s->jobs[worst])) worst = s->running[i];
  return worst;
}

static inline bool ref_ending(const ref_job *j) {
  return j->generated + j->coming == j->request.output_tokens;
}

static inline void ref_adapter_left(ref_server *s, uint64_t adapter);

static inline void ref_preempt(ref_server *s, int job) {
  ref_job *j = &s->jobs[job];
  ref_remove(s->running, &s->running_count, job);
  ref_adapter_left(s, j->request.adapter);
  ref_release(s, j);
  if (ref_ending(j)) return; /* its last token is on its way */
  int full = ref_block_count(s, j->computed);
  if (full > 0 && full <= s->host_free) {
    s->host_free -= full;
    s->swaps += full;
    s->pause_ns += full * s->costs.swap_block;
    j->swapped = full;
  } else {
    j->lost += j->computed;
    j->computed = 0;
  }
  j->drafting = false;
  j->outcome.preemptions++;
  memmove(s->waiting + 1, s->waiting, (size_t)s->waiting_count * sizeof *s->waiting);
  s->waiting[0] = job;
  s->waiting_count++;
}

static inline int64_t ref_least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline int64_t ref_limit(const ref_server *s, int64_t todo) {
  int64_t most = s->config->long_prefill_tokens;
  return most > 0 ? ref_least(todo, most) : todo;
}

static inline void ref_compute(ref_server *s, ref_step *step, int job, int64_t chunk) {
  ref_job *j = &s->jobs[job];
  int64_t known = j->request.prompt_tokens + j->generated + j->coming;
  bool samples = j->computed + chunk >= known;
  bool decodes = known - j->computed == 1 && j->generated + j->coming > 0;
  int64_t drafts = samples ? j->computed + chunk - known : 0, context = j->computed;
  step->parts[step->count++] = (ref_part){job, chunk, drafts, samples};
  if (samples) step->dur_ns += s->costs.sampled * (1 + drafts);
  if (decodes) {
    step->dur_ns += s->costs.decode_seqs + s->costs.decode_context * (j->computed + 1) +
                    s->costs.decode_squares * (j->computed + 1) * (j->computed + 1);
    chunk = drafts;
    context++;
  } else {
    step->dur_ns += s->costs.prefill_context * context;
  }
  step->dur_ns += s->costs.prefill_tokens * chunk +
                  s->costs.prefill_attention * chunk * (2 * context + chunk + 1);
}

static inline bool ref_run_running(ref_server *s, ref_step *step, int64_t *budget) {
  bool preempted = false;
  for (int i = 0; i<s->running_count && * budget> 0; i++) {
    int job = s->running[i];
    ref_job *j = &s->jobs[job];
    if (ref_ending(j)) continue;
    int64_t todo = j->request.prompt_tokens + j->generated + j->coming - j->computed;
    int64_t wanted = ref_limit(s, todo) + (j->drafting ? s->config->draft_tokens : 0);
    int64_t chunk = ref_least(wanted, *budget);
    int blocks = ref_block_count(s, j->computed + chunk) - j->held;
    while (blocks > s->queue_count) {
      int loser = ref_victim(s);
      preempted = true;
      for (int p = 0; p < step->count; p++) {
        if (step->parts[p].job != loser) continue;
        *budget += step->parts[p].chunk;
        step->parts[p--] = step->parts[--step->count];
      }
      for (int p = 0; p < i; p++)
        if (s->running[p] == loser) i--;
      ref_preempt(s, loser);
      if (loser == job) return true;
    }
    if (blocks > 0) ref_grow(s, j, blocks);
    step->parts[step->count++] = (ref_part){job, chunk, 0, false}; /* what it costs comes later */
    *budget -= chunk;
  }
  return preempted;
}

/* ---- LoRA adapters: names from 1 on */

static inline bool ref_adapter_runs(const ref_server *s, uint64_t adapter) {
  for (int i = 0; i < s->running_count; i++)
    if (s->jobs[s->running[i]].request.adapter == adapter) return true;
  return false;
}

static inline int64_t ref_adapters_running(const ref_server *s) {
  int64_t count = 0;
  for (uint64_t a = 1; a < REF_ADAPTERS && s->config->max_adapters > 0; a++)
    count += ref_adapter_runs(s, a);
  return count;
}

static inline bool ref_adapter_fits(const ref_server *s, uint64_t adapter) {
  return s->config->max_adapters == 0 || adapter == 0 || ref_adapter_runs(s, adapter) ||
         ref_adapters_running(s) < s->config->max_adapters;
}

/* Before the request runs. */
static inline void ref_adapter_load(ref_server *s, uint64_t adapter) {
  if (s->config->max_adapters == 0 || adapter == 0) return;
  if (s->adapter_used[adapter] == 0) {
    int64_t there = 0;
    uint64_t oldest = 0;
    for (uint64_t a = 1; a < REF_ADAPTERS; a++) {
      there += s->adapter_used[a] > 0;
      if (s->adapter_used[a] > 0 && !ref_adapter_runs(s, a) &&
          (oldest == 0 || s->adapter_used[a] < s->adapter_used[oldest]))
        oldest = a;
    }
    if (there == s->config->max_adapters) s->adapter_used[oldest] = 0;
    s->loads++;
    s->pause_ns += s->costs.adapter_load;
  }
  s->adapter_used[adapter] = ++s->uses;
}

/* It has left the running ones. */
static inline void ref_adapter_left(ref_server *s, uint64_t adapter) {
  if (s->config->max_adapters > 0 && adapter > 0) s->adapter_used[adapter] = ++s->uses;
}

/* Of those whose adapter fits; −1: none. */
static inline int ref_first_fitting(ref_server *s) {
  int all[REF_JOBS], count = s->waiting_count, job = -1;
  memcpy(all, s->waiting, sizeof all);
  s->waiting_count = 0;
  for (int i = 0; i < count; i++)
    if (ref_adapter_fits(s, s->jobs[all[i]].request.adapter))
      s->waiting[s->waiting_count++] = all[i];
  if (s->waiting_count > 0) job = ref_first(s);
  memcpy(s->waiting, all, sizeof all);
  s->waiting_count = count;
  return job;
}

/* Of the tokens found those that it comes with need no computing either, the first time. */
static inline int64_t ref_brings(const ref_job *j, int64_t found) {
  return !j->scheduled && found < j->request.given_tokens ? j->request.given_tokens : found;
}

static inline bool ref_admit(ref_server *s, ref_step *step, int64_t *budget) {
  if (s->waiting_count == 0 || *budget == 0 || s->running_count == s->config->max_seqs)
    return false;
  int job = ref_first_fitting(s);
  if (job < 0) return false;
  ref_job *j = &s->jobs[job];
  int64_t known = j->request.prompt_tokens + j->generated;
  int hits = 0, idle = 0, found[REF_BLOCKS];
  while (s->config->prefix_caching && j->swapped == 0 &&
         (hits + 1) * s->config->block_tokens < known) {
    int block = ref_find(s, ref_hash(j, hits));
    if (block < 0) break;
    found[hits++] = block;
    idle += s->refs[block] == 0;
  }
  int64_t computed = j->swapped > 0 ? j->computed : ref_brings(j, hits * s->config->block_tokens);
  int64_t chunk = ref_limit(s, known - computed);
  if (!s->config->chunked_prefill && known <= s->config->max_batched_tokens && chunk > *budget)
    return false;
  chunk = ref_least(chunk, *budget);
  int64_t room = s->config->reserve_full_input ? known : computed + chunk;
  if (ref_block_count(s, room) - hits + idle > s->queue_count) return false;
  ref_remove(s->waiting, &s->waiting_count, job);
  if (!j->scheduled) ref_serve(s, job, j->request.prompt_tokens, 0);
  s->last_tenant = (int)j->request.tenant;
  ref_adapter_load(s, j->request.adapter);
  s->running[s->running_count++] = job;
  for (int i = 0; i < hits; i++) {
    if (s->refs[found[i]]++ == 0) ref_remove(s->queue, &s->queue_count, found[i]);
    j->blocks[j->held++] = found[i];
  }
  ref_grow(s, j, ref_block_count(s, computed + chunk) - hits);
  s->host_free += j->swapped;
  s->swaps += j->swapped;
  s->pause_ns += j->swapped * s->costs.swap_block;
  j->swapped = 0;
  j->computed = computed;
  if (!j->scheduled) {
    j->scheduled = true;
    j->outcome.cached_tokens = hits * s->config->block_tokens;
    step->started[step->started_count++] = job;
  }
  ref_publish(s, j, computed + chunk);
  ref_compute(s, step, job, chunk);
  *budget -= chunk;
  return true;
}

#include "serving_policy_reference.h"

/* Drafting by a model: in its first pass the prompts of this step and the newest tokens, then one
 * token after the other of all that got one. */
static inline int64_t ref_drafting(const ref_server *s, const ref_step *step) {
  const ref_costs *d = &s->drafter;
  int64_t first = d->step, later = 0, passes = s->config->draft_tokens - 1;
  bool any = false;
  for (int i = 0; i < step->count; i++) {
    const ref_job *j = &s->jobs[step->parts[i].job];
    int64_t chunk = step->parts[i].chunk, got = j->generated + j->coming, context = j->computed + 1;
    bool decodes = j->request.prompt_tokens + got == context && got > 0;
    if (decodes) {
      first += d->decode_seqs + d->decode_context * context + d->decode_squares * context * context;
      context++;
    } else {
      first += d->prefill_tokens * chunk + d->prefill_context * j->computed;
    }
    if (!step->parts[i].samples) continue;
    any = true;
    first += d->sampled;
    later += passes * d->sampled;
    if (!decodes) context += chunk;
    for (int64_t pass = 0; pass < passes; pass++, context++)
      later += d->decode_seqs + d->decode_context * context + d->decode_squares * context * context;
  }
  return any ? first + passes * d->step + later : first;
}

/* False: there is nothing to do. What is computed counts from now on, its tokens are coming. */
static inline bool ref_plan(ref_server *s, int64_t seen_ns, ref_step *step) {
  while (s->arrived < s->job_count && s->jobs[s->arrived].at_ns < seen_ns)
    ref_join_queue(s, s->arrived++);
  *step = (ref_step){.dur_ns = s->costs.step};
  if (s->config->steps == TDM_STEPS_PREFILL_FIRST) return ref_plan_prefill_first(s, step);
  if (s->config->steps == TDM_STEPS_DECODE_FIRST) return ref_plan_decode_first(s, step);
  int64_t budget = s->config->max_batched_tokens;
  bool preempted = ref_run_running(s, step, &budget);
  int running = step->count;
  step->count = 0;
  for (int i = 0; i < running; i++) {
    ref_part part = step->parts[i]; /* read before it is written again: same places */
    const ref_job *j = &s->jobs[part.job];
    int64_t known = j->request.prompt_tokens + j->generated + j->coming;
    ref_publish(s, j, ref_least(j->computed + part.chunk, known));
    ref_compute(s, step, part.job, part.chunk);
  }
  if (!preempted && budget > 0 && s->running_count < s->config->max_seqs) ref_arrange(s);
  while (!preempted && ref_admit(s, step, &budget)) continue;
  bool samples = false;
  if (s->config->draft_tokens > 0 && s->config->draft != NULL && step->count > 0)
    step->dur_ns += ref_drafting(s, step);
  for (int i = 0; i < step->count; i++) {
    s->jobs[step->parts[i].job].computed += step->parts[i].chunk;
    s->jobs[step->parts[i].job].coming += step->parts[i].samples;
    samples |= step->parts[i].samples;
  }
  if (samples) step->dur_ns += s->config->draft_tokens * s->costs.draft;
  if (step->count > 0) {
    step->dur_ns += s->pause_ns + ref_adapters_running(s) * s->costs.adapter_step;
    s->pause_ns = 0;
  }
  return step->count > 0;
}

/* Of the drafted tokens those before the first wrong one. */
static inline int64_t ref_right(const tdm_serving_config *config, const ref_job *j,
                                int64_t drafts) {
  double unit = tdm_stream_unit((tdm_stream){j->request.luck}, (uint64_t)j->generated), chance = 1;
  for (int64_t i = 0; i < drafts; i++) {
    chance *= config->acceptance;
    if (unit > chance) return i;
  }
  return drafts;
}

static inline void ref_complete(ref_server *s, const ref_step *step, int64_t now_ns) {
  for (int i = 0; i < step->count; i++) {
    ref_job *j = &s->jobs[step->parts[i].job];
    ref_computed(s, step->parts[i].job);
    if (!step->parts[i].samples) continue;
    ref_serve(s, step->parts[i].job, 0, 1);
    j->coming--;
    int64_t right = ref_right(s->config, j, step->parts[i].drafts);
    s->drafted += step->parts[i].drafts;
    s->accepted += right;
    int64_t got = ref_least(1 + right, j->request.output_tokens - j->generated);
    j->computed += got - 1 - step->parts[i].drafts;
    j->drafting = true;
    if (j->generated == 0) j->outcome.first_token_ns = now_ns;
    j->generated += got;
    if (j->generated == j->request.output_tokens) j->outcome.finished_ns = now_ns;
  }
  for (int r = 0; r < s->running_count;) { /* they leave in order of admission */
    int job = s->running[r];
    if (s->jobs[job].generated < s->jobs[job].request.output_tokens) {
      r++;
      continue;
    }
    ref_remove(s->running, &s->running_count, job);
    ref_adapter_left(s, s->jobs[job].request.adapter);
    ref_release(s, &s->jobs[job]);
  }
}

/* Runs all; outcomes are in the jobs. */
static inline ref_server *ref_replay_drafting(const tdm_serving_config *config, ref_costs costs,
                                              ref_costs drafter, const serving_arrival *arrivals,
                                              int count) {
  ref_server *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->config = config;
  s->costs = costs;
  s->drafter = drafter;
  s->last_tenant = -1;
  s->ratio = config->new_token_ratio;
  s->job_count = count;
  s->host_free = config->host_blocks;
  for (int i = 0; i < count; i++) {
    s->jobs[i].request = arrivals[i].request;
    s->jobs[i].at_ns = arrivals[i].at_ns;
  }
  for (int i = 0; i < (int)config->blocks; i++) s->queue[s->queue_count++] = i;
  ref_step steps[2];
  int planned = 0, depth = config->plans_ahead ? 2 : 1;
  int64_t now_ns = 0;
  for (int empty = 0; empty < 1000;) {
    while (planned < depth &&
           ref_plan(s, planned > 0 || empty == 0 ? now_ns : now_ns + 1, &steps[planned])) {
      if (planned == 0)
        for (int i = 0; i < steps[0].started_count; i++)
          s->jobs[steps[0].started[i]].outcome.scheduled_ns = now_ns;
      planned++;
      empty = 0;
    }
    if (planned == 0) { /* what preempted is planned again at once; then somebody must come */
      if (empty++ > REF_JOBS && s->arrived < s->job_count) now_ns = s->jobs[s->arrived].at_ns;
      continue;
    }
    now_ns += steps[0].dur_ns;
    ref_complete(s, &steps[0], now_ns);
    steps[0] = steps[1];
    if (--planned > 0)
      for (int i = 0; i < steps[0].started_count; i++)
        s->jobs[steps[0].started[i]].outcome.scheduled_ns = now_ns;
  }
  return s;
}

static inline ref_server *ref_replay(const tdm_serving_config *config, ref_costs costs,
                                     const serving_arrival *arrivals, int count) {
  return ref_replay_drafting(config, costs, (ref_costs){0}, arrivals, count);
}

#endif
