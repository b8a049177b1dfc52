/* Options of the scheduler of an LLM server: what each is called, may be and means, and what the
 * servers that are known have for it. The only list of them: td.generate's keys, their checks and
 * help, the lowering and the binding read it (as core.serving.options()). What they do is
 * engine/serving's; what stands beside what its check.c's. Owns nothing. */
#include "model/llm/replica.h"

/* In the order of the enumerations of replica.h. */
static const tdm_option_word orders[] = {
    {"fcfs", "in the order of arrival"},
    {"priority", "the smallest class priority first, then by arrival; the largest is preempted"},
    {"shortest_prompt", "fewest prompt tokens"},
    {"shortest_job", "fewest predicted output tokens"},
    {"longest_prefix", "most tokens in the prefix cache (SGLang's lpm; beyond 128 that wait the "
                       "queue stays as it is)"},
    {"prefix_weight", "depth first through shared prefixes, most waiting first (dfs-weight)"},
    {"fair", "the tenant with the least virtual token counter (VTC)"},
    {"function", NULL},
    {0}};

static const tdm_option_word steps[] = {
    {"mixed", NULL}, {"prefill_first", NULL}, {"decode_first", NULL}, {0}};

static const tdm_option_word admissions[] = {
    {"input", "its prompt finds blocks beside the cached ones"},
    {"prompt", "its whole prompt finds blocks, cached or not"},
    {"estimate", "its tokens and what all are expected to add find room (SGLang)"},
    {"maximum", "all it may ever need is free and promised to nobody"},
    {"function", NULL},
    {0}};

static const tdm_option_word victims[] = {
    {"last", "the last to be admitted; with order priority the least important"},
    {"least_output", "fewest tokens generated, then the longest prompt"},
    {"function", NULL},
    {0}};

static const tdm_option_word chunkings[] = {
    {"greedy", "in order, each as much as there is"},
    {"function", NULL},
    {"blocks", "in order, parts in whole blocks (FIRST_COME_FIRST_SERVED)"},
    {"equal", "a block for each in turn (EQUAL_PROGRESS)"},
    {0}};

static const tdm_option_word batchings[] = {{"continuous", NULL}, {"batch", NULL}, {0}};

const char *const tdm_kv_write_words[] = {"write_through", "write_through_selective", "write_back"};
const char *const tdm_kv_prefetch_words[] = {"none", "best_effort", "wait_complete", "timeout"};

const tdm_option_word tdm_serving_servers[] = {
    {"vllm", "running requests first, in order of admission, then waiting ones (V1)"},
    {"sglang",
     "as long as a prompt may start, steps compute prompts alone, else all decode (0.5.9 without "
     "overlap): max_batched_tokens is chunked_prefill_size, admit estimate, preempt least_output"},
    {"tensorrt_llm",
     "everybody decodes, prompts share what is left (in-flight batching of 1.1): admit maximum is "
     "GUARANTEED_NO_EVICT, admit prompt MAX_UTILIZATION; chunks when chunked_prefill = true"},
    {0}};

#define MOST           0x1p40 /* so that sums of tokens cannot overflow */
#define TOKENS_A_BLOCK 0x1p20 /* nor tokens in all blocks */
#define FIELD(NAME, SORT)                                                                          \
  .name = #NAME, .sort = TDM_OPTION_##SORT, .offset = offsetof(tdm_serving_config, NAME)
#define KEY(WORD, DOC)                      .key = (WORD), .doc = (DOC)
#define IN(RECORD, WORD, DOC)               .record = (RECORD), KEY(WORD, DOC)
#define RANGE(LEAST, MOST_)                 .least = (LEAST), .most = (MOST_)
#define PRESETS(VLLM, SGLANG, TENSORRT_LLM) .presets = {(VLLM), (SGLANG), (TENSORRT_LLM)}
#define PRESET(VALUE)                       PRESETS(VALUE, VALUE, VALUE)
#define UNSET                               TDM_OPTION_UNSET
#define NO_PRESET                           PRESET(UNSET)

const tdm_serving_option tdm_serving_options[] = {
    {FIELD(max_seqs, WHOLE),
     KEY("max_seqs", "running requests at a time; 256, for other servers 2048"), RANGE(1, MOST),
     PRESETS(256, 2048, 2048)},
    {FIELD(max_batched_tokens, WHOLE),
     KEY("max_batched_tokens",
         "tokens of one step, prompts and outputs together; of SGLang prompts"),
     RANGE(1, MOST), PRESET(8192)},
    {FIELD(block_tokens, WHOLE),
     KEY("block_tokens", "tokens a block of the KV cache; vLLM 16, SGLang 1, TensorRT-LLM 32"),
     RANGE(1, TOKENS_A_BLOCK), PRESETS(16, 1, 32)},
    {FIELD(chunked_prefill, FLAG),
     KEY("chunked_prefill",
         "long prompts in pieces, beside decoding; false: a prompt waits until it fits"),
     PRESETS(1, 1, 0)},
    {FIELD(max_prefill_tokens, WHOLE),
     KEY("max_prefill_tokens", "SGLang: a prompt that exceeds what is left of them in a step "
                               "starts the next one; 0: no limit"),
     RANGE(0, MOST), PRESETS(UNSET, 16384, UNSET)},
    {FIELD(long_prefill_tokens, WHOLE),
     KEY("long_prefill_tokens", "most prompt tokens of one request in a step; 0: no limit"),
     RANGE(0, MOST), PRESET(0)},
    {FIELD(max_partial_prefills, WHOLE),
     KEY("max_partial_prefills", "unfinished prompts that a further one may join; 0: no limit"),
     RANGE(0, MOST), PRESET(0)},
    {FIELD(reserve_full_input, FLAG),
     KEY("reserve_full_input", "admit a request only when its whole prompt finds blocks"),
     PRESET(1)},
    {FIELD(prefix_caching, FLAG),
     KEY("prefix_caching",
         "keep blocks whose prefix may come again; true with continuous batching"),
     NO_PRESET},
    {FIELD(plans_ahead, FLAG),
     KEY("plans_ahead", "a step is planned while the one before it runs (asynchronous scheduling)"),
     PRESET(0)},
    {FIELD(abort, FLAG),
     KEY("abort", "a request that has timed out leaves with the next step, a batch that has begun "
                  "aside; false: it is finished in vain"),
     PRESET(1)},
    {FIELD(order, WORD),
     KEY("order", "who waits first: a name, or a function(request, state) that returns a key, the "
                  "least first"),
     PRESET(TDM_SERVING_FCFS), .words = orders},
    {FIELD(admission, WORD),
     KEY("admit", "when the first may run: a name, or a function(request, state) that returns "
                  "true, false or the tokens to have room for"),
     PRESETS(TDM_ADMIT_INPUT, TDM_ADMIT_ESTIMATE, TDM_ADMIT_MAXIMUM), .words = admissions},
    {FIELD(victim, WORD),
     KEY("preempt",
         "whom to preempt: a name, or a function(requests, state) that returns one of them"),
     PRESETS(TDM_PREEMPT_LAST, TDM_PREEMPT_LEAST_OUTPUT, TDM_PREEMPT_LAST), .words = victims},
    {FIELD(chunking, WORD),
     KEY("chunk", "how prompts share a step: a name, or a function(request, budget, state) that "
                  "returns tokens"),
     PRESETS(TDM_CHUNK_GREEDY, TDM_CHUNK_GREEDY, TDM_CHUNK_BLOCKS), .words = chunkings},
    {FIELD(new_token_ratio, REAL),
     IN("estimate", "ratio", "share of the tokens they may still add, at first and after idleness"),
     RANGE(0, 1), PRESET(0.7)},
    {FIELD(new_token_ratio_min, REAL), IN("estimate", "least", "the share falls to this"),
     RANGE(0, 1), PRESET(0.098)},
    {FIELD(new_token_ratio_steps, WHOLE), IN("estimate", "steps", "in so many decode steps"),
     RANGE(0, MOST), PRESET(600)},
    {FIELD(new_tokens_most, WHOLE),
     IN("estimate", "most", "tokens of one request that are counted"), RANGE(1, MOST),
     PRESET(4096)},
    {FIELD(preempted_steps, WHOLE),
     IN("estimate", "after", "decode steps that room is made for when somebody was preempted"),
     RANGE(0, MOST), PRESET(20)},
    {FIELD(input_weight, REAL), IN("fairness", "input", "what a prompt token counts"), PRESET(1)},
    {FIELD(output_weight, REAL), IN("fairness", "output", "… an output token"), .above_least = true,
     PRESET(2)},
    {FIELD(draft_tokens, WHOLE),
     IN("speculation", "tokens", "drafted for each decoding request in a step"),
     RANGE(1, TDM_DRAFT_MAX), .required = true, NO_PRESET},
    {FIELD(acceptance, REAL),
     IN("speculation", "acceptance",
        "probability that a drafted token is right, those before it being so"),
     RANGE(0, 1), .required = true, NO_PRESET},
    {FIELD(draft_s, SECONDS),
     IN("speculation", "time", "drafting one token, for all requests together; 0 unless given"),
     NO_PRESET},
    {FIELD(draft_share, REAL),
     IN("speculation", "share",
        "… as a share of what the model itself takes for it; 0 unless given"),
     NO_PRESET},
    {FIELD(max_adapters, WHOLE),
     IN("lora", "max",
        "on the GPU at a time; those of running requests stay, the one that was used longest ago "
        "makes room"),
     RANGE(1, 0x1p20), .required = true, NO_PRESET},
    {FIELD(adapter_load_s, SECONDS),
     IN("lora", "load", "loading one that is not there; 0 unless given"), NO_PRESET},
    {FIELD(adapter_step_s, SECONDS),
     IN("lora", "step", "more of every step, for each adapter in use"), NO_PRESET},
    /* What makes a server this server, and what the lowering works out. */
    {FIELD(steps, WORD), PRESETS(TDM_STEPS_MIXED, TDM_STEPS_PREFILL_FIRST, TDM_STEPS_DECODE_FIRST),
     .words = steps},
    {FIELD(preempted_last, FLAG), PRESETS(UNSET, 1, UNSET)},
    {FIELD(shares_computed, FLAG), PRESETS(UNSET, 1, 1)},
    {FIELD(waits_for_prefix, FLAG), PRESETS(UNSET, UNSET, 1)},
    {FIELD(blocks, WHOLE), RANGE(1, MOST), NO_PRESET},
    {FIELD(hash_tokens, WHOLE), NO_PRESET},
    {FIELD(batching, WORD), NO_PRESET, .words = batchings},
    {FIELD(batch_wait_ns, WHOLE), NO_PRESET},
    {FIELD(batch_returns_together, FLAG), NO_PRESET},
    {FIELD(host_blocks, WHOLE), RANGE(0, MOST), NO_PRESET},
    {FIELD(swap_block_s, SECONDS), NO_PRESET},
    {FIELD(step_by_step, FLAG), NO_PRESET},
    {0}};
