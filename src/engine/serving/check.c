/* What a configuration and a request must be, told when they are not: an instance is opened, a
 * request submitted. Called by serving. */
#include <math.h>

#include "engine/serving/state.h"

#define TOKENS_MAX       ((int64_t)1 << 40) /* so that sums of them cannot overflow */
#define BLOCK_TOKENS_MAX ((int64_t)1 << 20) /* nor tokens in all blocks */

void tdm_serving_config_default(tdm_serving_config *config) {
  *config = (tdm_serving_config){.block_tokens = 16,
                                 .blocks = 10000,
                                 .max_batched_tokens = 2048,
                                 .max_seqs = 256,
                                 .chunked_prefill = true,
                                 .reserve_full_input = true,
                                 .prefix_caching = true,
                                 .hash_tokens = 16,
                                 .new_token_ratio = 0.7,
                                 .new_token_ratio_min = 0.098,
                                 .new_token_ratio_steps = 600,
                                 .new_tokens_most = 4096,
                                 .preempted_steps = 20,
                                 .input_weight = 1,
                                 .output_weight = 2,
                                 .batch_wait_ns = INT64_MAX};
}

static tdm_status check_mechanics(const tdm_serving_config *c, tdm_error *error) {
  bool plain = c->host_blocks == 0 && c->draft_tokens == 0 && c->max_adapters == 0;
  if (c->batching == TDM_SERVING_BATCH && (c->prefix_caching || c->plans_ahead || !plain))
    return tdm_error_set(error, TDM_INVALID,
                         "prefix caching, planning ahead, swapping, speculation and adapters are "
                         "for continuous batching");
  if (c->steps != TDM_STEPS_MIXED && !plain)
    return tdm_error_set(error, TDM_INVALID,
                         "swapping, speculation and adapters are for mixed steps");
  const double times[] = {c->swap_block_s, c->draft_s, c->draft_share, c->adapter_load_s,
                          c->adapter_step_s};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    if (!(times[i] >= 0) || isinf(times[i]))
      return tdm_error_set(error, TDM_INVALID,
                           "what swapping, drafting and adapters take must be at least 0");
  if (c->draft_tokens > TDM_DRAFT_MAX || !(c->acceptance >= 0 && c->acceptance <= 1))
    return tdm_error_set(error, TDM_INVALID,
                         "draft_tokens must not be above %d, acceptance in 0 … 1", TDM_DRAFT_MAX);
  if (c->draft_tokens > 0 && c->plans_ahead)
    return tdm_error_set(error, TDM_INVALID,
                         "a step cannot be planned ahead of what the one before it accepts");
  bool moves = c->order == TDM_SERVING_FAIR || c->order == TDM_SERVING_LONGEST_PREFIX ||
               c->order == TDM_SERVING_PREFIX_WEIGHT || c->preempted_last;
  if (c->max_adapters > 0 && moves)
    return tdm_error_set(error, TDM_INVALID,
                         "with adapters the queue is in order of arrival or of a key");
  if (c->draft_tokens > 0 && (c->order == TDM_SERVING_FAIR || c->victim != TDM_PREEMPT_LAST))
    return tdm_error_set(error, TDM_INVALID,
                         "fair order and choosing whom to preempt count a token a step, and "
                         "speculation gives several");
  return TDM_OK;
}

tdm_status tdm_serving_check(const tdm_serving_config *c, tdm_error *error) {
  const struct {
    const char *name;
    int64_t value, least;
  } numbers[] = {{"block_tokens", c->block_tokens, 1},
                 {"blocks", c->blocks, 1},
                 {"max_seqs", c->max_seqs, 1},
                 {"max_batched_tokens", c->max_batched_tokens, 1},
                 {"long_prefill_tokens", c->long_prefill_tokens, 0},
                 {"max_partial_prefills", c->max_partial_prefills, 0},
                 {"host_blocks", c->host_blocks, 0},
                 {"max_adapters", c->max_adapters, 0},
                 {"draft_tokens", c->draft_tokens, 0}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i].value < numbers[i].least || numbers[i].value > TOKENS_MAX)
      return tdm_error_set(error, TDM_INVALID, "%s must be at least %lld, and not above 2^40",
                           numbers[i].name, (long long)numbers[i].least);
  if (c->block_tokens > BLOCK_TOKENS_MAX)
    return tdm_error_set(error, TDM_INVALID, "block_tokens must not be above 2^20");
  if (c->batch_wait_ns < 0)
    return tdm_error_set(error, TDM_INVALID, "batch_wait_ns must be at least 0");
  if (c->batching == TDM_SERVING_CONTINUOUS && c->steps != TDM_STEPS_PREFILL_FIRST &&
      c->max_batched_tokens < c->max_seqs)
    return tdm_error_set(error, TDM_INVALID,
                         "max_batched_tokens must not be below max_seqs: each running request "
                         "may need one token of a step");
  if (c->steps != TDM_STEPS_MIXED && (c->plans_ahead || c->batching == TDM_SERVING_BATCH))
    return tdm_error_set(error, TDM_INVALID,
                         "planning ahead and whole batches are for mixed steps only");
  if (c->steps != TDM_STEPS_MIXED && c->chunked_prefill && c->max_batched_tokens < c->block_tokens)
    return tdm_error_set(error, TDM_INVALID, "max_batched_tokens must not be below block_tokens");
  if (c->steps == TDM_STEPS_PREFILL_FIRST && !c->shares_computed)
    return tdm_error_set(error, TDM_INVALID, "prefill-first steps share prefixes once computed");
  if (c->admission == TDM_ADMIT_ESTIMATE && c->steps != TDM_STEPS_PREFILL_FIRST)
    return tdm_error_set(error, TDM_INVALID, "estimates are for prefill-first steps");
  if ((c->chunking == TDM_CHUNK_BLOCKS || c->chunking == TDM_CHUNK_EQUAL) !=
          (c->steps == TDM_STEPS_DECODE_FIRST) &&
      c->chunking != TDM_CHUNK_FUNCTION)
    return tdm_error_set(error, TDM_INVALID,
                         "decode-first steps share by blocks or equally, and only they");
  if (!(c->new_token_ratio >= 0 && c->new_token_ratio_min >= 0 &&
        c->new_token_ratio_min <= c->new_token_ratio && c->new_token_ratio <= 1) ||
      c->new_token_ratio_steps < 0 || c->new_tokens_most < 0 || c->preempted_steps < 0)
    return tdm_error_set(error, TDM_INVALID,
                         "new_token_ratio falls from at most 1 to new_token_ratio_min ≥ 0");
  if (c->order == TDM_SERVING_FAIR && !(c->input_weight >= 0 && c->output_weight > 0))
    return tdm_error_set(error, TDM_INVALID, "output tokens must count, and input not below 0");
  for (size_t i = 0; i < c->tenant_count; i++)
    if (!(c->tenant_weights[i] > 0 && c->tenant_weights[i] < 1e9))
      return tdm_error_set(error, TDM_INVALID, "the weight of tenant %zu must be above 0", i);
  tdm_status status = check_mechanics(c, error);
  if (status != TDM_OK) return status;
  if (c->prefix_caching && (c->hash_tokens < c->block_tokens || c->hash_tokens > TOKENS_MAX ||
                            c->hash_tokens % c->block_tokens != 0))
    return tdm_error_set(error, TDM_INVALID, "hash_tokens must be a multiple of block_tokens");
  return TDM_OK;
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

tdm_status tdm_serving_check_request(const tdm_serving *s, const tdm_serving_request *r,
                                     tdm_error *error) {
  if (r->prompt_tokens < 1 || r->output_tokens < 1)
    return tdm_error_set(error, TDM_INVALID,
                         "a request has at least one prompt token and one output token");
  if (r->prompt_tokens > TOKENS_MAX || r->output_tokens > TOKENS_MAX)
    return tdm_error_set(error, TDM_LIMIT, "a request has more than 2^40 tokens");
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
  int64_t drafts = drafts_of(s, r);
  int64_t tokens = r->prompt_tokens + r->output_tokens - 1;
  if (tokens + drafts > s->config.blocks * s->config.block_tokens)
    return tdm_error_set(error, TDM_LIMIT, "%lld tokens need more than all %lld KV blocks",
                         (long long)(tokens + drafts), (long long)s->config.blocks);
  if (r->tenant >= TDM_SERVING_TENANTS)
    return tdm_error_set(error, TDM_INVALID, "tenant %u is not below %u", r->tenant,
                         TDM_SERVING_TENANTS);
  if (s->config.admission == TDM_ADMIT_MAXIMUM &&
      tdm_serving_whole_tokens(s, r) > s->config.blocks * s->config.block_tokens)
    return tdm_error_set(error, TDM_LIMIT, "%lld tokens may need more than all %lld KV blocks",
                         (long long)tdm_serving_whole_tokens(s, r), (long long)s->config.blocks);
  if (s->config.admission == TDM_ADMIT_ESTIMATE && tokens + 1 > estimate_limit(s))
    return tdm_error_set(error, TDM_LIMIT,
                         "%lld tokens are more than %lld, all but two of the KV "
                         "cache",
                         (long long)tokens + 1, (long long)estimate_limit(s));
  if (s->config.batching == TDM_SERVING_CONTINUOUS && !s->config.chunked_prefill &&
      s->config.steps != TDM_STEPS_PREFILL_FIRST && tokens > s->config.max_batched_tokens)
    return tdm_error_set(error, TDM_LIMIT,
                         "%lld tokens do not fit into a step of %lld, and prompts are not chunked",
                         (long long)tokens, (long long)s->config.max_batched_tokens);
  return TDM_OK;
}
