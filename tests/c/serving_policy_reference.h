/* Orders and plans of serving_reference.h other than vLLM's, written from what the servers do, with
 * no regard to speed: SGLang's loop with its two batches, TensorRT-LLM's two schedulers with their
 * lists. Included by serving_reference.h. */
#ifndef TDM_TESTS_SERVING_POLICY_REFERENCE_H
#define TDM_TESTS_SERVING_POLICY_REFERENCE_H

static inline int64_t ref_known(const ref_job *j) {
  return j->request.prompt_tokens + j->generated;
}

static inline int64_t ref_most(const ref_job *j) {
  int64_t most = j->request.max_output;
  return most > j->request.output_tokens ? most : j->request.output_tokens;
}

/* Blocks that it would find; found may be NULL. */
static inline int ref_hits(const ref_server *s, const ref_job *j, int *found) {
  int hits = 0;
  while (s->config->prefix_caching && (hits + 1) * s->config->block_tokens < ref_known(j)) {
    int block = ref_find(s, ref_hash(j, hits));
    if (block < 0) break;
    if (found != NULL) found[hits] = block;
    hits++;
  }
  return hits;
}

/* Of those that others may find too. */
static inline int ref_shared_hits(const ref_server *s, const ref_job *j) {
  int hits = ref_hits(s, j, NULL), hashed = (int)j->request.hash_count;
  int whole = (int)(j->request.prompt_tokens / s->config->block_tokens);
  if (hashed > whole) hashed = whole;
  return hits < hashed ? hits : hashed;
}

/* ---- orders */

static inline double ref_share(const ref_server *s, uint32_t tenant) {
  return tenant < s->config->tenant_count ? s->config->tenant_weights[tenant] : 1;
}

static inline void ref_serve(ref_server *s, int job, int64_t input, int64_t output) {
  uint32_t tenant = s->jobs[job].request.tenant;
  s->counters[tenant] +=
      (s->config->input_weight * (double)input + s->config->output_weight * (double)output) /
      ref_share(s, tenant);
}

static inline void ref_join_queue(ref_server *s, int job) {
  uint32_t tenant = s->jobs[job].request.tenant;
  double floor = s->last_tenant >= 0 ? s->counters[s->last_tenant] : 0;
  bool waits = false;
  for (int i = 0; i < s->waiting_count; i++) {
    uint32_t other = s->jobs[s->waiting[i]].request.tenant;
    waits |= other == tenant;
    if (i == 0 || s->counters[other] < floor) floor = s->counters[other];
  }
  if (!waits && s->counters[tenant] < floor) s->counters[tenant] = floor;
  s->waiting[s->waiting_count++] = job;
}

static inline bool ref_before(const ref_server *s, int a, int b) {
  const tdm_serving_request *x = &s->jobs[a].request, *y = &s->jobs[b].request;
  int64_t p = 0, q = 0;
  switch (s->config->order) {
  case TDM_SERVING_PRIORITY: p = x->priority, q = y->priority; break;
  case TDM_SERVING_SHORTEST_PROMPT: p = x->prompt_tokens, q = y->prompt_tokens; break;
  case TDM_SERVING_SHORTEST_JOB:
    p = x->predicted_output > 0 ? x->predicted_output : x->output_tokens;
    q = y->predicted_output > 0 ? y->predicted_output : y->output_tokens;
    break;
  default: break;
  }
  if (p != q) return p < q;
  return s->jobs[a].at_ns != s->jobs[b].at_ns ? s->jobs[a].at_ns < s->jobs[b].at_ns : a < b;
}

/* Each tenant's first stands for it: who was preempted, else who came first. */
static inline int ref_first_fair(const ref_server *s) {
  int best = -1;
  for (int i = 0; i < s->waiting_count; i++) {
    int job = s->waiting[i];
    bool first = true;
    for (int k = 0; k < i; k++)
      first = first && s->jobs[s->waiting[k]].request.tenant != s->jobs[job].request.tenant;
    if (!first) continue;
    if (best >= 0) {
      double a = s->counters[s->jobs[job].request.tenant];
      double b = s->counters[s->jobs[best].request.tenant];
      if (a > b || (a == b && job > best)) continue;
    }
    best = job;
  }
  return best;
}

static inline int ref_first(ref_server *s) {
  tdm_serving_order order = s->config->order;
  if (order == TDM_SERVING_FAIR) return ref_first_fair(s);
  int job = s->waiting[0];
  if (order != TDM_SERVING_PRIORITY && order != TDM_SERVING_SHORTEST_PROMPT &&
      order != TDM_SERVING_SHORTEST_JOB)
    return job;
  for (int i = 1; i < s->waiting_count; i++)
    if (ref_before(s, s->waiting[i], job)) job = s->waiting[i];
  return job;
}

static inline void ref_sort(int *items, const int64_t *keys,
                            int count) { /* stable, greatest first */
  for (int i = 1; i < count; i++)
    for (int k = i; k > 0 && keys[items[k - 1]] < keys[items[k]]; k--) {
      int item = items[k];
      items[k] = items[k - 1];
      items[k - 1] = item;
    }
}

static inline void ref_arrange_longest(ref_server *s) {
  int64_t keys[REF_JOBS], size = s->config->block_tokens;
  int leaders[REF_JOBS], count = 0;
  for (int i = 0; i < s->waiting_count; i++) {
    const ref_job *j = &s->jobs[s->waiting[i]];
    int hits = ref_hits(s, j, NULL), unit = (int)((32 + size - 1) / size - 1);
    keys[s->waiting[i]] = hits;
    if (hits * size > 32 || (int64_t)(unit + 1) * size > j->request.prompt_tokens ||
        unit >= (int)j->request.hash_count)
      continue;
    bool follows = false;
    for (int k = 0; k < count; k++)
      follows |= s->jobs[leaders[k]].request.hashes[unit] == j->request.hashes[unit];
    if (follows)
      keys[s->waiting[i]] = -1;
    else
      leaders[count++] = s->waiting[i];
  }
  ref_sort(s->waiting, keys, s->waiting_count);
}

/* Appends to out the jobs of which the first `depth` blocks found are those of `like`, subtrees by
 * weight before those that end here. */
static inline int ref_depth_first(const ref_server *s, const int *jobs, int count, int depth,
                                  int *out) {
  int done = 0;
  int64_t weights[REF_JOBS];
  int heads[REF_JOBS], head_count = 0;
  for (int i = 0; i < count; i++) {
    if (ref_shared_hits(s, &s->jobs[jobs[i]]) <= depth) continue;
    uint64_t hash = ref_hash(&s->jobs[jobs[i]], depth);
    int h = 0;
    while (h < head_count && ref_hash(&s->jobs[heads[h]], depth) != hash) h++;
    if (h == head_count) {
      heads[head_count++] = jobs[i];
      weights[jobs[i]] = 0;
    }
    weights[heads[h]]++;
  }
  ref_sort(heads, weights, head_count);
  for (int h = 0; h < head_count; h++) {
    int group[REF_JOBS], members = 0;
    for (int i = 0; i < count; i++)
      if (ref_shared_hits(s, &s->jobs[jobs[i]]) > depth &&
          ref_hash(&s->jobs[jobs[i]], depth) == ref_hash(&s->jobs[heads[h]], depth))
        group[members++] = jobs[i];
    done += ref_depth_first(s, group, members, depth + 1, out + done);
  }
  for (int i = 0; i < count; i++)
    if (ref_shared_hits(s, &s->jobs[jobs[i]]) <= depth) out[done++] = jobs[i];
  return done;
}

static inline void ref_arrange(ref_server *s) {
  if (!s->config->prefix_caching) return; /* there is no tree */
  if (s->waiting_count < 2) return;
  if (s->config->order == TDM_SERVING_LONGEST_PREFIX) ref_arrange_longest(s);
  if (s->config->order != TDM_SERVING_PREFIX_WEIGHT) return;
  int out[REF_JOBS];
  ref_depth_first(s, s->waiting, s->waiting_count, 0, out);
  memcpy(s->waiting, out, (size_t)s->waiting_count * sizeof *out);
}

/* ---- what SGLang and TensorRT-LLM share */

static inline void ref_computed(ref_server *s, int job) {
  ref_job *j = &s->jobs[job];
  if (!s->config->shares_computed || j->chunk == 0) return;
  ref_publish(s, j, j->computed);
  j->chunk = 0;
}

/* Holds what it finds; the rest of its blocks come later. */
static inline void ref_begin(ref_server *s, ref_step *step, int job) {
  ref_job *j = &s->jobs[job];
  int found[REF_BLOCKS], hits = ref_hits(s, j, found);
  for (int i = 0; i < hits; i++) {
    if (s->refs[found[i]]++ == 0) ref_remove(s->queue, &s->queue_count, found[i]);
    j->blocks[j->held++] = found[i];
  }
  j->computed = ref_brings(j, hits * s->config->block_tokens);
  if (!j->scheduled) {
    ref_serve(s, job, j->request.prompt_tokens, 0);
    j->scheduled = true;
    j->outcome.cached_tokens = hits * s->config->block_tokens;
    step->started[step->started_count++] = job;
  }
  s->last_tenant = (int)j->request.tenant;
  ref_remove(s->waiting, &s->waiting_count, job);
  s->running[s->running_count++] = job;
}

static inline void ref_part_of(ref_server *s, ref_step *step, int job, int64_t chunk,
                               bool decodes) {
  ref_job *j = &s->jobs[job];
  if (!decodes) j->chunk = chunk;
  ref_compute(s, step, job, chunk);
  j->computed += chunk;
  j->partial = j->computed < ref_known(j);
  j->coming += step->parts[step->count - 1].samples;
}

/* Whoever is preempted waits again, where the server puts it. */
static inline void ref_pause(ref_server *s, int job) {
  ref_job *j = &s->jobs[job];
  ref_remove(s->running, &s->running_count, job);
  ref_release(s, j);
  j->lost += j->computed;
  j->computed = 0;
  j->partial = false;
  j->outcome.preemptions++;
  int at = s->config->preempted_last ? s->waiting_count : 0;
  memmove(s->waiting + at + 1, s->waiting + at,
          (size_t)(s->waiting_count - at) * sizeof *s->waiting);
  s->waiting[at] = job;
  s->waiting_count++;
}

/* ---- SGLang: running_batch, last_batch, chunked_req, batch_is_full */

static inline bool ref_ended(const ref_job *j) {
  return j->generated == j->request.output_tokens;
}

static inline int ref_drop_ended(ref_server *s, int *jobs, int *count) {
  int kept = 0, before = *count;
  for (int i = 0; i < before; i++)
    if (!ref_ended(&s->jobs[jobs[i]])) jobs[kept++] = jobs[i];
  *count = kept;
  return before - kept;
}

static inline int64_t ref_clip(const ref_server *s, int64_t tokens) {
  return ref_least(tokens, s->config->new_tokens_most);
}

static inline int64_t ref_pages(const ref_server *s, int64_t tokens) {
  return ref_block_count(s, tokens) * s->config->block_tokens;
}

typedef struct {
  double offset;
  int64_t current, input, chunk;
  int chosen[REF_JOBS], count;
} ref_adder;

static inline double ref_rest(const ref_server *s, const ref_adder *a) {
  return (double)(s->queue_count * s->config->block_tokens) - a->offset;
}

static inline void ref_spend(const ref_server *s, ref_adder *a, int64_t tokens, int64_t adds) {
  a->offset += (double)(ref_pages(s, tokens) + adds);
  a->current += ref_pages(s, tokens);
  a->input -= ref_pages(s, tokens);
  a->chunk -= ref_pages(s, tokens);
}

/* 0: goes on, 1: no tokens, 2: something else. */
static inline int ref_state(const ref_server *s, const ref_adder *a) {
  if (s->config->admission == TDM_ADMIT_ESTIMATE &&
      (ref_rest(s, a) <= 0 || s->queue_count * s->config->block_tokens <= a->current))
    return 1;
  return a->input <= 0 || a->chunk <= 0 ? 2 : 0;
}

static inline int ref_add(ref_server *s, ref_step *step, ref_adder *a, int job) {
  ref_job *j = &s->jobs[job];
  int64_t size = s->config->block_tokens;
  int found[REF_BLOCKS], hits = ref_hits(s, j, found), idle = 0;
  for (int i = 0; i < hits; i++) idle += s->refs[found[i]] == 0;
  int64_t extend = ref_known(j) - hits * size, adds = ref_clip(s, ref_most(j) - j->generated);
  bool estimates = s->config->admission == TDM_ADMIT_ESTIMATE;
  if (estimates && (double)(extend + adds) >= ref_rest(s, a)) return 1;
  if (ref_pages(s, extend) >= a->input && a->count > 0) return 2;
  if (estimates && (double)(extend + adds + idle * size) >= ref_rest(s, a)) return 1;
  if (!estimates &&
      ref_block_count(s, ref_known(j)) - hits + idle > s->queue_count - a->current / size)
    return 1;
  int64_t chunk = extend;
  if (s->config->chunked_prefill && ref_pages(s, extend) > a->chunk) {
    chunk = a->chunk / size * size;
    if (chunk <= 0) return 2;
  }
  ref_begin(s, step, job);
  a->chosen[a->count++] = job;
  j->chunk = chunk;
  j->partial = chunk < extend;
  ref_spend(s, a, chunk, j->partial ? 0 : ref_clip(s, ref_most(j)));
  return ref_state(s, a);
}

static inline bool ref_prefills(ref_server *s, ref_step *step, int chunked) {
  if ((s->full || s->waiting_count == 0) && chunked < 0) return false;
  ref_arrange(s);
  ref_adder a = {
      .input = s->config->max_prefill_tokens > 0 ? s->config->max_prefill_tokens : INT64_MAX / 2,
      .chunk = s->config->chunked_prefill ? s->config->max_batched_tokens : INT64_MAX / 2};
  for (int i = 0; i < s->batch_count; i++) {
    const ref_job *j = &s->jobs[s->batch[i]];
    a.offset += (double)ref_clip(s, ref_most(j) - j->generated) * s->ratio;
  }
  if (chunked >= 0) {
    ref_job *j = &s->jobs[chunked];
    int64_t limit = s->config->admission == TDM_ADMIT_ESTIMATE
                        ? ref_least(a.chunk, (int64_t)ref_rest(s, &a))
                        : a.chunk;
    if (limit <= 0) limit = a.chunk;
    int64_t todo = ref_known(j) - j->computed;
    j->chunk = ref_least(todo, limit);
    j->partial = j->chunk < todo;
    a.chosen[a.count++] = chunked;
    ref_spend(s, &a, j->chunk, j->partial ? 0 : ref_clip(s, ref_most(j)));
  }
  int result = 0;
  while (s->waiting_count > 0 && result == 0) {
    if (a.count >= s->config->max_seqs - s->batch_count) s->full = true;
    if (s->full) break;
    result = ref_add(s, step, &a, ref_first(s));
    if (result == 1) s->full = true;
  }
  s->last_count = 0;
  for (int i = 0; i < a.count; i++) {
    int job = a.chosen[i];
    ref_job *j = &s->jobs[job];
    int64_t chunk = j->chunk;
    ref_grow(s, j, ref_block_count(s, j->computed + chunk) - j->held);
    ref_part_of(s, step, job, chunk, false);
    s->last[s->last_count++] = job;
  }
  return a.count > 0;
}

static inline int ref_next_pages(const ref_server *s) {
  int pages = 0;
  for (int i = 0; i < s->batch_count; i++)
    pages += ref_block_count(s, s->jobs[s->batch[i]].computed + 1) - s->jobs[s->batch[i]].held;
  return pages;
}

/* Least output, then longest prompt, then last in the batch. */
static inline void ref_retract(ref_server *s) {
  while (ref_next_pages(s) > s->queue_count) {
    int worst = s->batch[0];
    for (int i = 1; i < s->batch_count; i++) {
      const ref_job *a = &s->jobs[s->batch[i]], *b = &s->jobs[worst];
      if (a->generated < b->generated ||
          (a->generated == b->generated && a->request.prompt_tokens >= b->request.prompt_tokens))
        worst = s->batch[i];
    }
    ref_remove(s->batch, &s->batch_count, worst);
    ref_pause(s, worst);
  }
  int64_t generated = 0, allowed = 0;
  for (int i = 0; i < s->batch_count; i++) {
    generated += s->jobs[s->batch[i]].generated + s->config->preempted_steps;
    allowed += ref_most(&s->jobs[s->batch[i]]);
  }
  s->ratio = allowed > 0 ? (double)generated / (double)allowed : 1;
  if (s->ratio > 1) s->ratio = 1;
  s->full = false;
}

static inline bool ref_plan_prefill_first(ref_server *s, ref_step *step) {
  int chunked = -1;
  for (int i = 0; i < s->running_count; i++)
    if (s->jobs[s->running[i]].partial) chunked = s->running[i];
  if (s->last_prefills) {
    ref_remove(s->last, &s->last_count, chunked);
    if (ref_drop_ended(s, s->last, &s->last_count) > 0) s->full = false;
    for (int i = 0; i < s->last_count; i++) s->batch[s->batch_count++] = s->last[i];
    s->last_count = 0;
  }
  s->last_prefills = ref_prefills(s, step, chunked);
  if (s->last_prefills) return true;
  if (ref_drop_ended(s, s->batch, &s->batch_count) > 0 || s->batch_count == 0) s->full = false;
  if (s->batch_count == 0) {
    if (s->running_count == 0 && s->waiting_count == 0) s->ratio = s->config->new_token_ratio;
    return false;
  }
  double fall = s->config->new_token_ratio_steps > 0
                    ? (s->config->new_token_ratio - s->config->new_token_ratio_min) /
                          (double)s->config->new_token_ratio_steps
                    : 0;
  if (ref_next_pages(s) > s->queue_count)
    ref_retract(s);
  else
    s->ratio = s->ratio - fall > s->config->new_token_ratio_min ? s->ratio - fall
                                                                : s->config->new_token_ratio_min;
  for (int i = 0; i < s->batch_count; i++) {
    ref_job *j = &s->jobs[s->batch[i]];
    ref_grow(s, j, ref_block_count(s, j->computed + 1) - j->held);
    ref_part_of(s, step, s->batch[i], 1, true);
  }
  return true;
}

/* ---- TensorRT-LLM: a capacity scheduler, then a micro-batch scheduler */

static inline int ref_to_completion(const ref_server *s, const ref_job *j) {
  return ref_block_count(s, j->request.prompt_tokens + ref_most(j)) - j->held;
}

static inline int ref_one_step(const ref_server *s, const ref_job *j) {
  if (j->held == 0) return ref_block_count(s, ref_known(j));
  return j->partial ? 0 : ref_block_count(s, j->computed + 1) - j->held;
}

/* Those that may take part, running ones first. True: somebody was paused. */
static inline bool ref_capacity(ref_server *s, int *fitting, int *count) {
  bool maximum = s->config->admission == TDM_ADMIT_MAXIMUM, paused = false;
  int left = s->queue_count, scheduled = 0;
  *count = 0;
  for (int i = 0; i < s->running_count;) {
    const ref_job *j = &s->jobs[s->running[i]];
    int need = maximum ? ref_to_completion(s, j) : ref_one_step(s, j);
    if (!maximum && scheduled + need > s->queue_count) {
      ref_pause(s, s->running[s->running_count - 1]);
      paused = true;
      continue;
    }
    scheduled += need;
    left -= need;
    fitting[(*count)++] = s->running[i++];
  }
  if (!maximum) left = s->queue_count - scheduled;
  if (paused) return true;
  for (int i = 0; i < *count; i++) { /* what they take may be what others would have found */
    ref_job *j = &s->jobs[fitting[i]];
    if (!j->partial) ref_grow(s, j, ref_block_count(s, j->computed + 1) - j->held);
  }
  if (*count < s->config->max_seqs) ref_arrange(s);
  int rest[REF_JOBS], rest_count = s->waiting_count, saved = s->last_tenant;
  double counters[REF_JOBS];
  memcpy(counters, s->counters, sizeof counters);
  memcpy(rest, s->waiting, sizeof rest);
  while (s->waiting_count > 0 && *count < s->config->max_seqs) {
    int job = ref_first(s);
    const ref_job *j = &s->jobs[job];
    int need = maximum ? ref_to_completion(s, j) : ref_one_step(s, j);
    if (need > left) break;
    left -= need;
    fitting[(*count)++] = job;
    ref_remove(s->waiting, &s->waiting_count, job);
    if (!j->scheduled) ref_serve(s, job, j->request.prompt_tokens, 0);
  }
  memcpy(s->waiting, rest, sizeof rest);
  s->waiting_count = rest_count;
  memcpy(s->counters, counters, sizeof counters);
  s->last_tenant = saved;
  return false;
}

/* Without chunks nobody is cut, but who has become longer than a step. */
static inline bool ref_whole(const ref_server *s, const ref_job *j) {
  return !s->config->chunked_prefill && ref_known(j) <= s->config->max_batched_tokens;
}

static inline void ref_chunks(ref_server *s, const int *prompts, int count, int64_t capacity) {
  int64_t size = s->config->block_tokens, whole = 0;
  int64_t todo[REF_JOBS], loop = 1, used = 0;
  for (int i = 0; i < count; i++) {
    ref_job *j = &s->jobs[prompts[i]];
    whole += todo[i] = ref_known(j) - (j->held > 0 ? j->computed : ref_brings(j, 0));
    j->chunk = todo[i];
  }
  if (whole <= capacity) return;
  for (int i = 0; i < count; i++) s->jobs[prompts[i]].chunk = 0;
  if (s->config->chunking == TDM_CHUNK_BLOCKS || !s->config->chunked_prefill) {
    bool stop = false;
    for (int i = 0; i < count && !stop; i++) {
      int64_t chunk = ref_least(todo[i], capacity);
      if (chunk < todo[i] && s->config->chunked_prefill) chunk = chunk / size * size;
      if (chunk < todo[i] && ref_whole(s, &s->jobs[prompts[i]])) chunk = 0;
      s->jobs[prompts[i]].chunk = chunk;
      capacity -= chunk;
      stop = chunk < todo[i]; /* nobody short slips by */
    }
    return;
  }
  for (int round = 0; used < capacity && loop > 0; round++) {
    loop = 0;
    for (int i = 0; i < count; i++) {
      ref_job *j = &s->jobs[prompts[i]];
      int64_t more = ref_least(size, todo[i] - j->chunk);
      if (used + more > capacity && round == 0) { /* nor here: those that wait come last */
        while (count > 0 && s->jobs[prompts[count - 1]].held == 0) count--;
        count = count > i ? count : i;
      }
      if (used + more > capacity) continue;
      j->chunk += more;
      used += more;
      loop += more;
    }
  }
}

static inline bool ref_plan_decode_first(ref_server *s, ref_step *step) {
  int fitting[REF_JOBS], count, prompts[REF_JOBS], prompt_count = 0;
  ref_capacity(s, fitting, &count);
  int64_t capacity = s->config->max_batched_tokens;
  for (int i = 0; i < count; i++) {
    const ref_job *j = &s->jobs[fitting[i]];
    if (j->held > 0 && !j->partial)
      capacity--;
    else
      prompts[prompt_count++] = fitting[i];
  }
  ref_chunks(s, prompts, prompt_count, capacity);
  for (int i = 0; i < count; i++) {
    ref_job *j = &s->jobs[fitting[i]];
    if (j->held == 0 || j->partial) continue;
    ref_grow(s, j, ref_block_count(s, j->computed + 1) - j->held);
    ref_part_of(s, step, fitting[i], 1, true);
  }
  for (int i = 0; i < prompt_count; i++) {
    ref_job *j = &s->jobs[prompts[i]];
    int64_t chunk = j->chunk, size = s->config->block_tokens;
    if (chunk == 0) continue;
    if (j->held == 0) {
      ref_begin(s, step, prompts[i]);
      if (s->config->chunked_prefill && j->computed + chunk < ref_known(j))
        chunk = (j->computed + chunk) / size * size - j->computed;
      chunk = ref_least(chunk, ref_known(j) - j->computed);
      ref_grow(s, j, ref_block_count(s, ref_known(j)) - j->held);
    }
    ref_part_of(s, step, prompts[i], chunk, false);
  }
  return step->count > 0;
}

#endif
