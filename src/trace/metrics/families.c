/* What each server calls what it counts, with the bounds of its histograms: the only list of these
 * names, for who writes and for who reads. vLLM 0.25.1, SGLang of 2026, TensorRT-LLM 1.3, Dynamo's
 * frontend and llm-d's router of 2026. See inside.h. */
#include <stddef.h>
#include <string.h>

#include "trace/metrics/inside.h"

#define COUNTER(NAME, MEANING, WHAT, LABEL, HELP)                                                  \
  { (NAME), (HELP), (LABEL), (MEANING), TDM_METRICS_COUNTER, TDM_COUNT_##WHAT, NULL }
#define GAUGE(NAME, MEANING, WHAT, HELP)                                                           \
  { (NAME), (HELP), NULL, (MEANING), TDM_METRICS_GAUGE, TDM_GAUGE_##WHAT, NULL }
#define HISTOGRAM(NAME, MEANING, WHAT, BOUNDS, HELP)                                               \
  { (NAME), (HELP), NULL, (MEANING), TDM_METRICS_HISTOGRAM, TDM_##WHAT, (BOUNDS) }
#define SAME NULL /* as the line before, with another label */

/* ---- bounds: milliseconds (_us: microseconds) or tokens; the one that is no number is left to who
 * writes them */

static const int64_t first_ms[] = {1,     5,     10,    20,     40,     60,      80,   100,
                                   250,   500,   750,   1000,   2500,   5000,    7500, 10000,
                                   20000, 40000, 80000, 160000, 640000, 2560000, 0};
static const int64_t gap_ms[] = {10,  25,   50,   75,   100,  150,   200,   300,   400,   500,
                                 750, 1000, 2500, 5000, 7500, 10000, 20000, 40000, 80000, 0};
static const int64_t request_ms[] = {300,    500,    800,    1000,    1500,    2000,  2500,  5000,
                                     10000,  15000,  20000,  30000,   40000,   50000, 60000, 120000,
                                     240000, 480000, 960000, 1920000, 7680000, 0};
static const int64_t lengths[] = {1,     2,      5,      10,     20,   50,    100,
                                  200,   500,    1000,   2000,   5000, 10000, 20000,
                                  50000, 100000, 200000, 500000, 0};
static const int64_t iteration[] = {1,   8,    16,   32,   64,   128,   256,
                                    512, 1024, 2048, 4096, 8192, 16384, 0};

static const int64_t sglang_first_ms[] = {100,   200,    400,    600,    800,   1000,  2000,
                                          4000,  6000,   8000,   10000,  20000, 40000, 60000,
                                          80000, 100000, 200000, 400000, 0};
static const int64_t sglang_gap_ms[] = {2,   4,   6,    8,    10,   15,   20,   25,
                                        30,  35,  40,   60,   80,   100,  200,  400,
                                        600, 800, 1000, 2000, 4000, 6000, 8000, 0};
static const int64_t sglang_request_ms[] = {
    100,   200,   400,   600,    800,    1000,   2000,   4000,    6000,    8000,    10000, 20000,
    40000, 60000, 80000, 100000, 200000, 400000, 600000, 1200000, 1800000, 2400000, 0};
static const int64_t sglang_queue_ms[] = {
    1,      5,       10,      50,      100,     200,     500,     1000,    2000,    3000,
    4000,   5000,    10000,   15000,   20000,   30000,   40000,   50000,   60000,   70000,
    80000,  90000,   100000,  200000,  300000,  400000,  500000,  600000,  700000,  800000,
    900000, 1000000, 1200000, 1400000, 1600000, 1800000, 2000000, 2500000, 3000000, 0};
static const int64_t sglang_lengths[] = {
    100,   300,   500,   700,    1000,   1500,   2000,   3000,   4000,   5000,    6000,    7000,
    8000,  9000,  10000, 12500,  15000,  17500,  20000,  22500,  25000,  27500,   30000,   35000,
    40000, 60000, 80000, 100000, 200000, 300000, 400000, 600000, 800000, 1000000, 1100000, 0};
static const int64_t trtllm_prefill_ms[] = {1,     5,      10,     25,      50,    100,   250,
                                            500,   1000,   2500,   5000,    10000, 20000, 40000,
                                            80000, 160000, 640000, 2560000, 0};

/* Dynamo's: 0, then equal ratios from the least to the most, rounded to two digits. */
static const int64_t dynamo_first_us[] = {-1,        2200,      4700,      10000,    22000,
                                          47000,     100000,    220000,    470000,   1000000,
                                          2200000,   4700000,   10000000,  22000000, 48000000,
                                          100000000, 220000000, 480000000, 0};
static const int64_t dynamo_gap_us[] = {-1,    1900,   3500,   6700,   13000,   24000,   45000,
                                        84000, 160000, 300000, 560000, 1100000, 2000000, 0};
static const int64_t dynamo_request_us[] = {-1,        2000000,   4000000,  8000000,
                                            16000000,  32000000,  64000000, 130000000,
                                            260000000, 510000000, 0};
static const int64_t dynamo_prompts[] = {-1,   100,   210,   430,   870,    1800, 3600,
                                         7400, 15000, 31000, 63000, 130000, 0};
static const int64_t dynamo_outputs[] = {-1, 100, 210, 430, 880, 1800, 3700, 7600, 16000, 32000, 0};

static const int64_t llm_d_request_us[] = {
    5000,       25000,      50000,      100000,    200000,    400000,    600000,    800000,
    1000000,    1250000,    1500000,    2000000,   3000000,   4000000,   5000000,   6000000,
    8000000,    10000000,   15000000,   20000000,  30000000,  45000000,  60000000,  120000000,
    180000000,  240000000,  300000000,  360000000, 480000000, 600000000, 900000000, 1200000000,
    1800000000, 2700000000, 3600000000, 0};
static const int64_t llm_d_first_us[] = {
    5000,     25000,    50000,    100000,   200000,   400000,    600000,  800000,  1000000,
    1250000,  1500000,  2000000,  3000000,  4000000,  5000000,   6000000, 8000000, 10000000,
    15000000, 20000000, 30000000, 45000000, 60000000, 120000000, 0};
static const int64_t llm_d_tpot_us[] = {500,    2050,   5000,   10000,   20000,   40000,  60000,
                                        80000,  100000, 125000, 150000,  200000,  300000, 400000,
                                        500000, 600000, 800000, 1000000, 2000000, 0};
static const int64_t llm_d_gap_us[] = {1000,   5000,    10000,   20000,  40000,  60000,
                                       80000,  100000,  150000,  200000, 300000, 500000,
                                       750000, 1000000, 2000000, 0};
static const int64_t llm_d_prompts[] = {1,     8,      16,     32,     64,      128,   256,
                                        512,   1024,   2048,   4096,   8192,    16384, 32778,
                                        65536, 131072, 262144, 524288, 1048576, 0};
static const int64_t llm_d_outputs[] = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 0};

/* ---- families, in the order in which they are written */

static const tdm_metrics_family vllm[] = {
    GAUGE("num_requests_running", "running", RUNNING, "Requests in the batch."),
    GAUGE("num_requests_waiting", "waiting", WAITING, "Requests in the queue."),
    GAUGE("kv_cache_usage_perc", "kv", KV_USAGE, "Share of the KV blocks in use, 0 to 1."),
    GAUGE("cache_config_info", NULL, CONFIG, "The cache's configuration."),
    COUNTER("num_preemptions", "preempted", PREEMPTIONS, NULL, "Preemptions."),
    COUNTER("prompt_tokens", "prompts", PROMPT, NULL,
            "Prompt tokens, when the prompt is computed."),
    COUNTER("prompt_tokens_by_source", NULL, PROMPT_COMPUTED, "source=\"local_compute\"",
            "Prompt tokens by where from."),
    COUNTER("prompt_tokens_by_source", NULL, PROMPT_HIT, "source=\"local_cache_hit\"", SAME),
    COUNTER("prompt_tokens_by_source", NULL, PROMPT_BELOW, "source=\"external_kv_transfer\"", SAME),
    COUNTER("prompt_tokens_cached", NULL, PROMPT_CACHED, NULL,
            "Prompt tokens found in the prefix cache and below it."),
    COUNTER("generation_tokens", "generated", GENERATION, NULL, "Generated tokens, as they come."),
    COUNTER("prefix_cache_queries", "queries", QUERIES, NULL,
            "Tokens looked for in the prefix cache."),
    COUNTER("prefix_cache_hits", "hits", HITS, NULL, "Tokens found in it."),
    COUNTER("external_prefix_cache_queries", NULL, BELOW_QUERIES, NULL,
            "Tokens looked for in tiers below it."),
    COUNTER("external_prefix_cache_hits", NULL, BELOW_HITS, NULL, "Tokens found there."),
    COUNTER("kv_offload_load_bytes", NULL, LOADED, NULL, "Bytes from there to the GPUs."),
    COUNTER("kv_offload_store_bytes", NULL, STORED, NULL, "Bytes from the GPUs to there."),
    COUNTER("request_success", "ended", STOPPED, "finished_reason=\"stop\"",
            "Requests that have ended, by why."),
    COUNTER("request_success", NULL, ABORTED, "finished_reason=\"abort\"", SAME),
    HISTOGRAM("time_to_first_token_seconds", "ttft", TIMES_TTFT, first_ms,
              "Time to the first token."),
    HISTOGRAM("inter_token_latency_seconds", "itl", TIMES_ITL, gap_ms, "Time between tokens."),
    HISTOGRAM("request_time_per_output_token_seconds", "tpot", TIMES_TPOT, gap_ms,
              "A request's mean time of a token after the first."),
    HISTOGRAM("e2e_request_latency_seconds", "e2e", TIMES_E2E, request_ms, "Time of a request."),
    HISTOGRAM("request_queue_time_seconds", "queue", TIMES_QUEUE, request_ms, "Time in the queue."),
    HISTOGRAM("request_inference_time_seconds", "inference", TIMES_INFERENCE, request_ms,
              "Time from the queue to the end."),
    HISTOGRAM("request_prefill_time_seconds", "prefill", TIMES_PREFILL, request_ms,
              "Time from the queue to the first token."),
    HISTOGRAM("request_decode_time_seconds", "decode", TIMES_DECODE, request_ms,
              "Time from the first token to the last."),
    HISTOGRAM("request_prompt_tokens", "prompt", TOKENS_PROMPT, lengths,
              "A request's prompt, when it has ended."),
    HISTOGRAM("request_generation_tokens", "output", TOKENS_GENERATION, lengths,
              "A request's output."),
    HISTOGRAM("request_prefill_kv_computed_tokens", NULL, TOKENS_COMPUTED, lengths,
              "A request's prompt tokens that were computed."),
    HISTOGRAM("iteration_tokens_total", NULL, TOKENS_ITERATION, iteration,
              "Tokens of a step: prompts and output."),
    {0}};

/* Tokens, hits and lengths are counted when a request ends, tokens by mode as they come. Its wait
 * is, too, which a real one tells when it is over. */
static const tdm_metrics_family sglang[] = {
    GAUGE("num_running_reqs", "running", RUNNING, "Requests in the batch."),
    GAUGE("num_queue_reqs", "waiting", WAITING, "Requests in the queue."),
    GAUGE("full_token_usage", "kv", KV_USAGE, "Share of the KV cache in use, 0 to 1."),
    GAUGE("token_usage", NULL, KV_USAGE, "The same, of the fullest pool."),
    GAUGE("max_total_num_tokens", NULL, TOKENS, "Tokens that the KV cache holds."),
    GAUGE("page_size", NULL, BLOCK_TOKENS, "Tokens of a page of the KV cache."),
    GAUGE("num_pages", NULL, BLOCKS, "Pages of the KV cache."),
    COUNTER("prompt_tokens", "prompts", ENDED_PROMPT, NULL,
            "Prompt tokens of requests that ended."),
    COUNTER("generation_tokens", "generated", ENDED_GENERATION, NULL,
            "Generated tokens of requests that ended."),
    COUNTER("realtime_tokens", NULL, PROMPT_COMPUTED, "mode=\"prefill_compute\"",
            "Tokens as they come, by how."),
    COUNTER("realtime_tokens", NULL, PROMPT_CACHED, "mode=\"prefill_cache\"", SAME),
    COUNTER("realtime_tokens", NULL, GENERATION, "mode=\"decode\"", SAME),
    COUNTER("cached_tokens", "hits", ENDED_HIT, "cache_source=\"device\"",
            "Prompt tokens that were found, of requests that ended."),
    COUNTER("cached_tokens", NULL, ENDED_BELOW, "cache_source=\"host\"", SAME),
    COUNTER("num_requests", "ended", STOPPED, NULL, "Requests that have ended."),
    COUNTER("num_aborted_requests", NULL, ABORTED, NULL, "Requests that were given up."),
    COUNTER("num_retracted_requests", "preempted", PREEMPTIONS, NULL, "Preemptions."),
    HISTOGRAM("time_to_first_token_seconds", "ttft", TIMES_TTFT, sglang_first_ms,
              "Time to the first token."),
    HISTOGRAM("inter_token_latency_seconds", "itl", TIMES_ITL, sglang_gap_ms,
              "Time between tokens."),
    HISTOGRAM("e2e_request_latency_seconds", "e2e", TIMES_E2E, sglang_request_ms,
              "Time of a request."),
    HISTOGRAM("queue_time_seconds", "queue", TIMES_QUEUE, sglang_queue_ms, "Time in the queue."),
    HISTOGRAM("prompt_tokens_histogram", "prompt", TOKENS_PROMPT, sglang_lengths,
              "A request's prompt, when it has ended."),
    HISTOGRAM("uncached_prompt_tokens_histogram", NULL, TOKENS_COMPUTED, sglang_lengths,
              "A request's prompt tokens that were computed."),
    HISTOGRAM("generation_tokens_histogram", "output", TOKENS_GENERATION, sglang_lengths,
              "A request's output."),
    {0}};

/* All of a request is counted when it ends. */
static const tdm_metrics_family tensorrt_llm[] = {
    GAUGE("num_requests_running", "running", RUNNING, "Requests that are active."),
    GAUGE("num_requests_waiting", "waiting", WAITING, "Requests in the queue."),
    GAUGE("kv_cache_utilization", "kv", KV_USAGE, "Share of the KV blocks in use, 0 to 1."),
    GAUGE("kv_cache_max_blocks", NULL, BLOCKS, "Blocks of the KV cache."),
    GAUGE("kv_cache_used_blocks", NULL, KV_USED, "Blocks in use."),
    GAUGE("kv_cache_tokens_per_block", NULL, BLOCK_TOKENS, "Tokens of a block."),
    COUNTER("request_success", "ended", STOPPED, "finished_reason=\"stop\"",
            "Requests that have ended."),
    COUNTER("prompt_tokens", "prompts", ENDED_PROMPT, NULL,
            "Prompt tokens of requests that ended."),
    COUNTER("prompt_cached_tokens", "hits", ENDED_CACHED, NULL,
            "… of them, those that were found."),
    COUNTER("generation_tokens", "generated", ENDED_GENERATION, NULL,
            "Generated tokens of requests that ended."),
    HISTOGRAM("e2e_request_latency_seconds", "e2e", TIMES_E2E, request_ms, "Time of a request."),
    HISTOGRAM("time_to_first_token_seconds", "ttft", TIMES_TTFT_ENDED, first_ms,
              "Time to the first token."),
    HISTOGRAM("time_per_output_token_seconds", "tpot", TIMES_TPOT, gap_ms,
              "A request's mean time of a token after the first."),
    HISTOGRAM("request_queue_time_seconds", "queue", TIMES_QUEUE, request_ms, "Time in the queue."),
    HISTOGRAM("request_prefill_time_seconds", "prefill", TIMES_PREFILL, trtllm_prefill_ms,
              "Time from the queue to the first token."),
    HISTOGRAM("request_decode_time_seconds", "decode", TIMES_DECODE, request_ms,
              "Time from the first token to the last."),
    HISTOGRAM("request_inference_time_seconds", "inference", TIMES_INFERENCE, request_ms,
              "Time from the queue to the end."),
    {0}};

/* Prompts count with their first token, lengths of answers when they end. Its queue are those that
 * wait for their first token. */
#define DYNAMO_LABELS "endpoint=\"chat_completions\",request_type=\"stream\""
static const tdm_metrics_family dynamo[] = {
    COUNTER("requests_started", "came", CAME, DYNAMO_LABELS, "Requests that have come."),
    COUNTER("requests", "ended", STOPPED, DYNAMO_LABELS ",status=\"success\",error_type=\"\"",
            "Requests that have ended, by how."),
    COUNTER("requests", NULL, ABORTED, DYNAMO_LABELS ",status=\"error\",error_type=\"cancelled\"",
            SAME),
    GAUGE("inflight_requests", "running", INSIDE, "Requests that have not ended."),
    GAUGE("queued_requests", NULL, UNANSWERED, "… of them, those without a first token."),
    COUNTER("output_tokens", "generated", GENERATION, NULL, "Generated tokens, as they come."),
    GAUGE("model_total_kv_blocks", NULL, BLOCKS, "Blocks of a worker's KV cache."),
    GAUGE("model_kv_cache_block_size", NULL, BLOCK_TOKENS, "Tokens of a block."),
    HISTOGRAM("time_to_first_token_seconds", "ttft", TIMES_TTFT, dynamo_first_us,
              "Time to the first token."),
    HISTOGRAM("inter_token_latency_seconds", "itl", TIMES_ITL, dynamo_gap_us,
              "Time between tokens."),
    HISTOGRAM("request_duration_seconds", "e2e", TIMES_E2E, dynamo_request_us,
              "Time of a request."),
    HISTOGRAM("input_sequence_tokens", "prompt", TOKENS_PROMPT_FIRST, dynamo_prompts,
              "A request's prompt."),
    HISTOGRAM("cached_tokens", NULL, TOKENS_CACHED_FIRST, dynamo_prompts,
              "… of it, what was found in the prefix cache."),
    HISTOGRAM("output_sequence_tokens", "output", TOKENS_GENERATION, dynamo_outputs,
              "A request's output."),
    {0}};

/* Lengths count when a request ends. */
static const tdm_metrics_family llm_d[] = {
    COUNTER("request", "came", CAME, NULL, "Requests that have come."),
    COUNTER("request_error", NULL, ABORTED, "error_code=\"ClientDisconnect\"",
            "Requests that were given up."),
    GAUGE("request_running", "running", INSIDE, "Requests that have not ended."),
    HISTOGRAM("request_duration_seconds", "e2e", TIMES_E2E, llm_d_request_us, "Time of a request."),
    HISTOGRAM("request_ttft_seconds", "ttft", TIMES_TTFT, llm_d_first_us,
              "Time to the first token."),
    HISTOGRAM("request_streaming_tpot_seconds", "tpot", TIMES_TPOT, llm_d_tpot_us,
              "A request's mean time of a token after the first."),
    HISTOGRAM("request_streaming_itl_seconds", "itl", TIMES_ITL, llm_d_gap_us,
              "Time between tokens."),
    HISTOGRAM("request_input_tokens", "prompt", TOKENS_PROMPT, llm_d_prompts,
              "A request's prompt."),
    HISTOGRAM("request_cached_tokens", NULL, TOKENS_CACHED, llm_d_prompts,
              "… of it, what was found in the prefix cache."),
    HISTOGRAM("request_output_tokens", "output", TOKENS_GENERATION, llm_d_outputs,
              "A request's output."),
    {0}};

enum { MS = 1000000, US = 1000 };

const tdm_metrics_dialect tdm_metrics_dialects[] = {
    {"vllm", "vllm:", "engine=\"0\",", "model_name", vllm, MS, false},
    {"sglang", "sglang:", "engine_type=\"unified\",", "model_name", sglang, MS, false},
    {"tensorrt_llm", "trtllm_", "engine_type=\"trtllm\",", "model_name", tensorrt_llm, MS, false},
    {"dynamo", "dynamo_frontend_", "", "model", dynamo, US, true},
    {"llm_d", "llm_d_epp_", "", "model_name", llm_d, US, true},
    {0}};

const tdm_metrics_dialect *tdm_metrics_dialect_of(const char *server) {
  const tdm_metrics_dialect *dialect = tdm_metrics_dialects;
  while (dialect->server != NULL && strcmp(dialect->server, server) != 0) dialect++;
  return dialect->server != NULL ? dialect : tdm_metrics_dialects;
}
