/* What a configuration and a request must be, told when they are not: an instance is opened, a
 * request submitted. The rules of what stands beside what are written here and nowhere else: the
 * language asks for them before anything is opened. Ranges are model/llm/options.c's. Called by
 * serving and bind/serving. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/serving/inside.h"

#define TOKENS_MAX ((int64_t)1 << 40) /* so that sums of them cannot overflow */

static void put(tdm_serving_config *c, const tdm_serving_option *o, double value) {
  char *at = (char *)c + o->offset;
  int64_t whole = (int64_t)value;
  int word = (int)value;
  bool flag = value != 0;
  switch (o->sort) {
  case TDM_OPTION_WHOLE: memcpy(at, &whole, sizeof whole); break;
  case TDM_OPTION_REAL:
  case TDM_OPTION_SECONDS: memcpy(at, &value, sizeof value); break;
  case TDM_OPTION_FLAG: memcpy(at, &flag, sizeof flag); break;
  case TDM_OPTION_WORD: memcpy(at, &word, sizeof word); break;
  }
}

void tdm_serving_config_default(tdm_serving_config *config) {
  *config = (tdm_serving_config){
      .blocks = 10000, .prefix_caching = true, .hash_tokens = 16, .batch_wait_ns = INT64_MAX};
  for (const tdm_serving_option *o = tdm_serving_options; o->name != NULL; o++)
    if (o->presets[TDM_SERVER_VLLM] != TDM_OPTION_UNSET)
      put(config, o, o->presets[TDM_SERVER_VLLM]);
}

typedef struct {
  tdm_serving_problem *out;
  size_t room, count;
} problems;

/* `where`: the option as td.generate's engine calls it. */
__attribute__((format(printf, 3, 4))) static void say(problems *p, const char *where,
                                                      const char *format, ...) {
  if (p->count < p->room) {
    tdm_serving_problem *one = &p->out[p->count];
    one->where = where;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(one->what, sizeof one->what, format, arguments);
    va_end(arguments);
  }
  p->count++;
}

static double number_of(const tdm_serving_config *c, const tdm_serving_option *o) {
  const char *at = (const char *)c + o->offset;
  int64_t whole;
  double real;
  if (o->sort == TDM_OPTION_WHOLE) {
    memcpy(&whole, at, sizeof whole);
    return (double)whole;
  }
  memcpy(&real, at, sizeof real);
  return real;
}

/* Each number in its range; 0 of what a record turns on is "not turned on". */
static void check_ranges(const tdm_serving_config *c, problems *p) {
  for (const tdm_serving_option *o = tdm_serving_options; o->name != NULL; o++) {
    if (o->sort == TDM_OPTION_FLAG || o->sort == TDM_OPTION_WORD) continue;
    double value = number_of(c, o);
    const char *where = o->key == NULL ? o->name : o->record != NULL ? o->record : o->key;
    if (o->required && value == 0) continue;
    if (!(value >= o->least) || (o->above_least && value == o->least) ||
        (o->most > 0 && value > o->most) || (o->sort != TDM_OPTION_WHOLE && isinf(value))) {
      char most[40] = "";
      if (o->most > 0) snprintf(most, sizeof most, ", at most %.15g", o->most);
      say(p, where, "%s%sis %.15g; it must be %s %g%s", where == o->record ? o->name : "",
          where == o->record ? " " : "", value, o->above_least ? "above" : "at least", o->least,
          most);
    }
  }
}

static const char for_vllm[] = "is for server = \"vllm\"";

static const char *order_word(tdm_serving_order order) {
  for (const tdm_serving_option *o = tdm_serving_options; o->name != NULL; o++)
    if (o->offset == offsetof(tdm_serving_config, order)) return o->words[order].name;
  return "";
}

/* Who takes whole batches, and who steps otherwise than vLLM, has less beside it. */
static void check_mechanics(const tdm_serving_config *c, problems *p) {
  const struct {
    const char *key;
    bool on;
  } vllms[] = {{"swap", c->host_blocks > 0},    {"speculation", c->draft_tokens > 0},
               {"lora", c->max_adapters > 0},   {"plans_ahead", c->plans_ahead},
               {"kv_tiers", c->tier_count > 0}, {"prefix_caching", c->prefix_caching}};
  bool mixed = c->steps == TDM_STEPS_MIXED, batches = c->batching == TDM_SERVING_BATCH;
  for (size_t i = 0; i < sizeof vllms / sizeof *vllms; i++) {
    if (!vllms[i].on) continue;
    if (batches)
      say(p, vllms[i].key, "is for continuous batching");
    else if (!mixed && i < 3)
      say(p, vllms[i].key, for_vllm);
  }
  if (!mixed && batches) say(p, "batching", "%s: this one batches continuously", for_vllm);
  if (c->tier_count > 0 && !c->prefix_caching)
    say(p, "kv_tiers", "keep blocks of the prefix cache: they want prefix_caching = true");
  if (c->draft_tokens > 0 && c->plans_ahead)
    say(p, "plans_ahead", "cannot know what a step accepts before it ends; drop speculation");
  if (c->draft_tokens > 0 && (c->order == TDM_SERVING_FAIR || c->victim != TDM_PREEMPT_LAST))
    say(p, "speculation", "gives several tokens a step, and %s counts one",
        c->order == TDM_SERVING_FAIR ? "order = \"fair\"" : "preempt");
  bool moves = c->order == TDM_SERVING_FAIR || c->order == TDM_SERVING_LONGEST_PREFIX ||
               c->order == TDM_SERVING_PREFIX_WEIGHT;
  if (c->max_adapters > 0 && mixed && (moves || c->preempted_last))
    say(p, "order",
        "'%s' is not for lora: requests that wait for an adapter stay in order of "
        "arrival or of a key",
        moves ? order_word(c->order) : "preempted last");
}

/* What a step is made of, and what goes with it. */
static void check_steps(const tdm_serving_config *c, problems *p) {
  bool mixed = c->steps == TDM_STEPS_MIXED, prefill_first = c->steps == TDM_STEPS_PREFILL_FIRST;
  if (c->batching == TDM_SERVING_CONTINUOUS && !prefill_first &&
      c->max_batched_tokens < c->max_seqs)
    say(p, "max_batched_tokens", "is below max_seqs: each running request may need a token");
  if (!mixed && c->chunked_prefill && c->max_batched_tokens < c->block_tokens)
    say(p, "max_batched_tokens", "is below block_tokens: no part of a prompt would ever fit");
  if (prefill_first && !c->shares_computed)
    say(p, "server", "computes prompts first: prefixes are shared once they are computed");
  if (c->admission == TDM_ADMIT_ESTIMATE && !prefill_first)
    say(p, "admit", "estimates are SGLang's (server = \"sglang\")");
  if (c->max_prefill_tokens != 0 && !prefill_first)
    say(p, "max_prefill_tokens", "is SGLang's (server = \"sglang\")");
  bool in_blocks = c->chunking == TDM_CHUNK_BLOCKS || c->chunking == TDM_CHUNK_EQUAL;
  if (in_blocks != (c->steps == TDM_STEPS_DECODE_FIRST) && c->chunking != TDM_CHUNK_FUNCTION)
    say(p, "chunk",
        "prompts share by blocks or equally where decoding comes first (server = "
        "\"tensorrt_llm\"), and only there");
}

/* How a server writes to a tier, and reads ahead from it. */
static void check_tier(const tdm_serving_config *c, size_t k, problems *p) {
  const tdm_kv_tier *t = &c->tiers[k];
  bool ahead = t->prefetch != TDM_KV_NO_PREFETCH;
  if (t->write == TDM_KV_SELECTIVE && k > 0)
    say(p, "kv_tiers", "\"%s\": write_through_selective is for the first tier", t->name);
  if (t->shared && k + 1 < c->tier_count)
    say(p, "kv_tiers", "\"%s\" is shared: only the last tier may be", t->name);
  switch (c->steps) {
  case TDM_STEPS_MIXED:
    if (ahead && t->prefetch != TDM_KV_WAIT_COMPLETE)
      say(p, "kv_tiers",
          "\"%s\": prefetch = \"%s\" is for server = \"sglang\"; here \"none\" or "
          "\"wait_complete\"",
          t->name, tdm_kv_prefetch_words[t->prefetch]);
    break;
  case TDM_STEPS_PREFILL_FIRST:
    if (ahead && k == 0)
      say(p, "kv_tiers", "\"%s\": prefetch goes into the first tier, which has none", t->name);
    if (!ahead && k > 0)
      say(p, "kv_tiers", "\"%s\" wants a prefetch: server = \"sglang\" has no other way from there",
          t->name);
    break;
  case TDM_STEPS_DECODE_FIRST:
    if (k > 0)
      say(p, "kv_tiers", "\"%s\": server = \"tensorrt_llm\" has one tier, host memory", t->name);
    else if (t->write != TDM_KV_BACK || ahead || t->shared)
      say(p, "kv_tiers",
          "\"%s\": server = \"tensorrt_llm\" has write = \"write_back\" alone, "
          "without prefetch, not shared",
          t->name);
    break;
  }
}

static void check_tiers(const tdm_serving_config *c, problems *p) {
  if (c->tier_count > TDM_KV_TIERS) {
    say(p, "kv_tiers", "are %zu; at most %d", c->tier_count, TDM_KV_TIERS);
    return;
  }
  for (size_t k = 0; k < c->tier_count; k++) {
    const tdm_kv_tier *tier = &c->tiers[k];
    check_tier(c, k, p);
    if (tier->blocks < 0 || tier->blocks > TOKENS_MAX || !(tier->block_s >= 0) ||
        !(tier->store_s >= 0) || !(tier->latency_s >= 0) || !(tier->timeout_s >= 0) ||
        !(tier->timeout_token_s >= 0) || !(tier->worth >= 0 && tier->worth <= 1))
      say(p, "kv_tiers", "\"%s\" wants blocks and seconds of at least 0, a worth from 0 to 1",
          tier->name);
    for (size_t i = 0; i < k; i++)
      if (strcmp(c->tiers[i].name, tier->name) == 0)
        say(p, "kv_tiers", "has two named \"%s\"", tier->name);
  }
}

size_t tdm_serving_problems(const tdm_serving_config *c, tdm_serving_problem *out, size_t room) {
  problems p = {.out = out, .room = room};
  check_ranges(c, &p);
  check_steps(c, &p);
  check_mechanics(c, &p);
  check_tiers(c, &p);
  if (c->new_token_ratio_min > c->new_token_ratio)
    say(&p, "estimate", "least is above ratio, from which it falls");
  for (size_t i = 0; i < c->tenant_count; i++)
    if (!(c->tenant_weights[i] > 0 && c->tenant_weights[i] < 1e9))
      say(&p, "fairness", "the share of tenant %zu must be above 0, and below 1e9", i);
  if (c->prefix_caching && c->block_tokens > 0 &&
      (c->hash_tokens < c->block_tokens || c->hash_tokens > TOKENS_MAX ||
       c->hash_tokens % c->block_tokens != 0))
    say(&p, "hash_tokens", "is not a multiple of block_tokens");
  return p.count;
}

tdm_status tdm_serving_check(const tdm_serving_config *c, tdm_error *error) {
  tdm_serving_problem first;
  if (tdm_serving_problems(c, &first, 1) == 0) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID, "%s %s", first.where, first.what);
}

/* Requests and what they may add stay below all blocks, so that an empty instance takes each. */
static int64_t estimate_limit(const tdm_serving *s) {
  return s->config.blocks * s->config.block_tokens - 2;
}

int64_t tdm_serving_most_output(const tdm_serving *s, const tdm_serving_request *r) {
  int64_t most = r->max_output > r->output_tokens ? r->max_output : r->output_tokens;
  if (s->config.admission != TDM_ADMIT_ESTIMATE) return most;
  int64_t limit = estimate_limit(s) - r->prompt_tokens;
  return most > limit ? limit : most;
}

static int64_t drafts_of(const tdm_serving *s, const tdm_serving_request *r) {
  return r->output_tokens > 1 ? s->config.draft_tokens : 0;
}

int64_t tdm_serving_whole_tokens(const tdm_serving *s, const tdm_serving_request *r) {
  return r->prompt_tokens + tdm_serving_most_output(s, r) + drafts_of(s, r);
}

static tdm_status refuse(tdm_serving *s, tdm_serving_refusal why, const char *words, int64_t tokens,
                         int64_t most, tdm_error *error) {
  char text[sizeof error->message];
  snprintf(text, sizeof text, words, (long long)tokens, (long long)most);
  s->refusal = why;
  return tdm_error_set(error, TDM_LIMIT, "%s", text);
}

/* What an empty instance could never run. */
static tdm_status check_room(tdm_serving *s, const tdm_serving_request *r, tdm_error *error) {
  const tdm_serving_config *c = &s->config;
  int64_t tokens = r->prompt_tokens + r->output_tokens - 1, drafts = drafts_of(s, r);
  int64_t room = c->blocks * c->block_tokens, whole = tdm_serving_whole_tokens(s, r);
  if (tokens + drafts > room)
    return refuse(s, TDM_REFUSED_BLOCKS, "%lld tokens need more than all %lld KV blocks",
                  tokens + drafts, c->blocks, error);
  if (c->admission == TDM_ADMIT_MAXIMUM && whole > room)
    return refuse(s, TDM_REFUSED_BLOCKS, "%lld tokens may need more than all %lld KV blocks", whole,
                  c->blocks, error);
  if (c->admission == TDM_ADMIT_ESTIMATE && tokens + 1 > estimate_limit(s))
    return refuse(s, TDM_REFUSED_BLOCKS,
                  "%lld tokens are more than %lld, all but two of the KV cache", tokens + 1,
                  estimate_limit(s), error);
  if (c->batching == TDM_SERVING_CONTINUOUS && !c->chunked_prefill &&
      c->steps != TDM_STEPS_PREFILL_FIRST && r->prompt_tokens > c->max_batched_tokens)
    return refuse(s, TDM_REFUSED_STEP,
                  "a prompt of %lld tokens does not fit into a step of %lld, and prompts are not "
                  "chunked",
                  r->prompt_tokens, c->max_batched_tokens, error);
  return TDM_OK;
}

tdm_status tdm_serving_check_request(tdm_serving *s, const tdm_serving_request *r,
                                     tdm_error *error) {
  if (r->prompt_tokens < 1 || r->output_tokens < 1)
    return tdm_error_set(error, TDM_INVALID,
                         "a request has at least one prompt token and one output token");
  if (r->prompt_tokens > TOKENS_MAX || r->output_tokens > TOKENS_MAX)
    return refuse(s, TDM_REFUSED_TOKENS, "a request has %lld tokens, more than %lld",
                  r->prompt_tokens > TOKENS_MAX ? r->prompt_tokens : r->output_tokens, TOKENS_MAX,
                  error);
  if (r->made_tokens < 0 || r->made_tokens >= r->output_tokens)
    return tdm_error_set(error, TDM_INVALID, "made_tokens must be below output_tokens");
  if (r->given_tokens < 0 || r->given_tokens >= r->prompt_tokens + r->made_tokens)
    return tdm_error_set(error, TDM_INVALID,
                         "given_tokens must be below the prompt and the tokens "
                         "made, whose last is still to be computed");
  if (r->remote && s->config.steps != TDM_STEPS_MIXED)
    return tdm_error_set(error, TDM_INVALID, "blocks are reserved by plans of mixed steps only");
  if (s->config.batching == TDM_SERVING_BATCH && (r->remote || r->keeps))
    return tdm_error_set(error, TDM_INVALID,
                         "requests go from instance to instance by continuous "
                         "batching only");
  if (r->hashed_tokens < 0 || r->hashed_tokens > r->prompt_tokens + r->output_tokens)
    return tdm_error_set(error, TDM_INVALID, "more tokens are hashed than the request has");
  if (r->tenant >= TDM_SERVING_TENANTS)
    return tdm_error_set(error, TDM_INVALID, "tenant %u is not below %u", r->tenant,
                         TDM_SERVING_TENANTS);
  return check_room(s, r, error);
}
