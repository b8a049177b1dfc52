/* The families of vLLM's metrics (0.25.1) that a simulated server knows, with their bounds. See
 * inside.h. */
#include <stddef.h>

#include "trace/metrics/inside.h"

const tdm_counter_family tdm_counter_families[TDM_COUNTERS] = {
    [TDM_COUNT_PREEMPTIONS] = {"num_preemptions", "Preemptions.", NULL},
    [TDM_COUNT_PROMPT] = {"prompt_tokens", "Prompt tokens, when the prompt is computed.", NULL},
    [TDM_COUNT_PROMPT_COMPUTED] = {"prompt_tokens_by_source", "Prompt tokens by where from.",
                                   "source=\"local_compute\""},
    [TDM_COUNT_PROMPT_HIT] = {"prompt_tokens_by_source", NULL, "source=\"local_cache_hit\""},
    [TDM_COUNT_PROMPT_BELOW] = {"prompt_tokens_by_source", NULL, "source=\"external_kv_transfer\""},
    [TDM_COUNT_PROMPT_CACHED] = {"prompt_tokens_cached",
                                 "Prompt tokens found in the prefix cache "
                                 "and below it.",
                                 NULL},
    [TDM_COUNT_GENERATION] = {"generation_tokens", "Generated tokens, as they come.", NULL},
    [TDM_COUNT_QUERIES] = {"prefix_cache_queries", "Tokens looked for in the prefix cache.", NULL},
    [TDM_COUNT_HITS] = {"prefix_cache_hits", "Tokens found in it.", NULL},
    [TDM_COUNT_BELOW_QUERIES] = {"external_prefix_cache_queries",
                                 "Tokens looked for in tiers below it.", NULL},
    [TDM_COUNT_BELOW_HITS] = {"external_prefix_cache_hits", "Tokens found there.", NULL},
    [TDM_COUNT_LOADED] = {"kv_offload_load_bytes", "Bytes from there to the GPUs.", NULL},
    [TDM_COUNT_STORED] = {"kv_offload_store_bytes", "Bytes from the GPUs to there.", NULL},
    [TDM_COUNT_STOPPED] = {"request_success", "Requests that have ended, by why.",
                           "finished_reason=\"stop\""},
    [TDM_COUNT_ABORTED] = {"request_success", NULL, "finished_reason=\"abort\""}};

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

const tdm_histogram_family tdm_histogram_families[TDM_HISTOGRAMS] = {
    [TDM_TIMES_TTFT] = {"time_to_first_token_seconds", "Time to the first token.", first_ms, true},
    [TDM_TIMES_ITL] = {"inter_token_latency_seconds", "Time between tokens.", gap_ms, true},
    [TDM_TIMES_TPOT] = {"request_time_per_output_token_seconds",
                        "A request's mean time of a token after the first.", gap_ms, true},
    [TDM_TIMES_E2E] = {"e2e_request_latency_seconds", "Time of a request.", request_ms, true},
    [TDM_TIMES_QUEUE] = {"request_queue_time_seconds", "Time in the queue.", request_ms, true},
    [TDM_TIMES_INFERENCE] = {"request_inference_time_seconds", "Time from the queue to the end.",
                             request_ms, true},
    [TDM_TIMES_PREFILL] = {"request_prefill_time_seconds",
                           "Time from the queue to the first token.", request_ms, true},
    [TDM_TIMES_DECODE] = {"request_decode_time_seconds", "Time from the first token to the last.",
                          request_ms, true},
    [TDM_TOKENS_PROMPT] = {"request_prompt_tokens", "A request's prompt, when it has ended.",
                           lengths, false},
    [TDM_TOKENS_GENERATION] = {"request_generation_tokens", "A request's output.", lengths, false},
    [TDM_TOKENS_COMPUTED] = {"request_prefill_kv_computed_tokens",
                             "A request's prompt tokens that were computed.", lengths, false},
    [TDM_TOKENS_ITERATION] = {"iteration_tokens_total", "Tokens of a step: prompts and output.",
                              iteration, false}};
