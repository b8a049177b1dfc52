/* Decode-first steps, as TensorRT-LLM batches in flight (its C++ capacity and micro-batch
 * schedulers, 1.1): every running request decodes; prompts share the tokens that are left, those
 * begun before those that wait; a prompt has all its blocks from its begin. With
 * TDM_ADMIT_MAXIMUM nobody is ever preempted (guaranteed no evict), with TDM_ADMIT_PROMPT the last
 * is (maximum utilization), and a step that preempts admits nobody. Tokens found in the cache count
 * towards a step's budget nevertheless. Simplification: behind a prompt of which no block fits
 * nobody shorter is looked for, so that a step looks at no more of a queue than it takes. Called by
 * serving through the policy. */
#include "base/memory.h"
#include "base/order.h"
#include "engine/serving/inside.h"

/* ---- prompts of this step: those in parts, then candidates, as job.chunk */

/* A hash whose unit this step computes, which the job is the first to need; 0: none. */
static uint64_t contributes(const tdm_job *j, uint32_t units) {
  return units < j->hold.hash_count ? j->hold.hashes[units] : 0;
}

/* Somebody in this step computes what the candidate lacks next. */
static bool waits_for_prefix(tdm_serving *s, size_t prompts, uint32_t job) {
  tdm_job *j = &s->jobs[job];
  if (!s->config.waits_for_prefix || j->hold.hash_count == 0) return false;
  tdm_kv_hit hit;
  tdm_kv_hold_find(&j->hold, &s->shape, &s->pool, j->prompt + j->generated, &hit);
  j->contributes = contributes(j, hit.units);
  for (size_t i = 0; i < prompts && j->contributes != 0; i++)
    if (s->jobs[s->candidates[i]].contributes == j->contributes) return true;
  return false;
}

static bool note(tdm_serving *s, size_t count, uint32_t job) {
  if (!tdm_array_grow(&s->candidates, &s->candidate_capacity, count + 1, sizeof *s->candidates)) {
    s->failed = true;
    return false;
  }
  s->candidates[count] = job;
  return true;
}

static int64_t whole_chunk(const tdm_serving *s, uint32_t job) {
  const tdm_job *j = &s->jobs[job];
  return j->state == TDM_JOB_WAITING && j->scheduled_ns < 0 ? j->prompt + j->generated - j->given
                                                            : tdm_job_todo(j);
}

static bool equally(const tdm_serving *s) {
  return s->config.chunked_prefill && s->config.chunking == TDM_CHUNK_EQUAL;
}

/* What one can get at least, if anything is left. */
static int64_t first_part(const tdm_serving *s, uint32_t job) {
  int64_t whole = whole_chunk(s, job);
  return equally(s) ? tdm_least(whole, s->shape.block_tokens) : whole;
}

/* Takes candidates out of the queue as long as there are blocks, seats and tokens for them; puts
 * back those that wait for a prefix. Returns how many prompts there are then. */
static size_t collect(tdm_serving *s, size_t parts, int64_t left) {
  size_t count = parts, passed = 0;
  int64_t seats = s->config.max_seqs - s->running.count;
  for (size_t i = 0; i < parts; i++) left -= first_part(s, s->candidates[i]);
  for (uint32_t job; left > 0 && seats > 0 && (job = tdm_queue_first(s)) != TDM_NO_JOB;) {
    tdm_job *j = &s->jobs[job];
    if (waits_for_prefix(s, count, job)) {
      s->policy.leave(s, job);
      j->next_passed = passed > 0 ? s->passed : TDM_NO_JOB;
      s->passed = job;
      passed++;
      continue;
    }
    if (tdm_job_comes_whole(s, j) && whole_chunk(s, job) > left) break;
    tdm_candidate c = {.job = job, .known = j->prompt + j->generated, .chunk = whole_chunk(s, job)};
    c.computed = c.known - c.chunk;
    int64_t blocks = s->policy.admit(s, &c);
    if (blocks < 0 || !note(s, count, job)) break;
    s->policy.leave(s, job);
    s->pending_blocks += s->config.admission == TDM_ADMIT_MAXIMUM ? j->whole : blocks;
    left -= first_part(s, job);
    seats--;
    count++;
  }
  for (uint32_t job = s->passed; passed > 0; passed--) {
    uint32_t next = s->jobs[job].next_passed;
    s->policy.restore(s, job);
    job = next;
  }
  return count;
}

/* In order, parts in whole blocks where prompts are chunked. */
static void share_in_order(tdm_serving *s, size_t count, int64_t left) {
  bool blocks = s->config.chunked_prefill && s->config.chunking == TDM_CHUNK_BLOCKS;
  int64_t block = blocks ? s->shape.block_tokens : 1;
  for (size_t i = 0; i < count; i++) {
    uint32_t job = s->candidates[i];
    int64_t todo = whole_chunk(s, job);
    int64_t chunk = tdm_least(s->policy.chunk(s, job, todo, left), left);
    if (chunk < todo) chunk = chunk / block * block;
    s->jobs[job].chunk = chunk;
    left = chunk < todo ? 0 : left - chunk; /* nobody short slips by */
  }
}

/* A block for each in turn, less where less is left of its prompt. */
static void share_equally(tdm_serving *s, size_t count, int64_t left) {
  for (bool progress = true; progress && left > 0;) {
    progress = false;
    for (size_t i = 0; i < count; i++) {
      tdm_job *j = &s->jobs[s->candidates[i]];
      int64_t part = tdm_least(s->shape.block_tokens, whole_chunk(s, s->candidates[i]) - j->chunk);
      if (part == 0 || part > left) continue;
      j->chunk += part;
      left -= part;
      progress = true;
    }
  }
}

static void share(tdm_serving *s, size_t count, int64_t left) {
  int64_t whole = 0;
  for (size_t i = 0; i < count; i++) {
    s->jobs[s->candidates[i]].chunk = 0;
    whole += whole_chunk(s, s->candidates[i]);
  }
  if (!equally(s))
    share_in_order(s, count, left);
  else if (whole > left)
    share_equally(s, count, left);
  else
    for (size_t i = 0; i < count; i++)
      s->jobs[s->candidates[i]].chunk = whole_chunk(s, s->candidates[i]);
}

/* The prompt's cached tokens need no computing; a part ends with a block. */
static void start(tdm_serving *s, uint32_t job, int64_t now_ns) {
  int64_t chunk = s->jobs[job].chunk, block = s->shape.block_tokens;
  tdm_candidate c;
  tdm_kv_below below;
  tdm_scheduler_candidate(s, job, &c);
  bool loads = s->tiers.count > 0 && tdm_loads_join(s, &c, &below, now_ns);
  if (c.computed + chunk < c.known && s->config.chunked_prefill &&
      s->config.chunking != TDM_CHUNK_FUNCTION)
    chunk = (c.computed + chunk) / block * block - c.computed;
  c.chunk = tdm_least(chunk, c.known - c.computed);
  if (loads) tdm_loads_taken(s, &c, &below, now_ns);
  tdm_scheduler_admit(s, &c, tdm_kv_blocks(&s->shape, c.known), now_ns);
}

void tdm_decode_first_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns) {
  tdm_scheduler_accept(s, seen_ns);
  bool preempted = tdm_scheduler_make_room(s, now_ns);
  s->closed = preempted;
  int64_t left = s->config.max_batched_tokens - s->decoders.count;
  size_t parts = s->explicit_count;
  for (size_t i = 0; i < parts; i++) {
    uint32_t job = s->explicit_jobs[i];
    if (!note(s, i, job)) return;
    s->jobs[job].contributes = contributes(&s->jobs[job], s->jobs[job].hold.published);
  }
  s->pending_blocks = 0;
  if (!preempted && s->policy.arrange != NULL && s->running.count < s->config.max_seqs)
    s->policy.arrange(s);
  size_t count = preempted ? parts : collect(s, parts, left);
  s->pending_blocks = 0;
  share(s, count, left);
  for (size_t i = count; i-- > parts;)
    if (s->jobs[s->candidates[i]].chunk == 0) s->policy.restore(s, s->candidates[i]);
  for (size_t i = parts; i < count; i++)
    if (s->jobs[s->candidates[i]].chunk > 0) start(s, s->candidates[i], now_ns);
}
