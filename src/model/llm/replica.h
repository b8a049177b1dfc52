/* How one replica of an LLM server schedules its requests: configuration as data.
 *
 * Filled by the binding (tdm_serving_config_default has vLLM's values), kept by models, obeyed and
 * checked by engine/serving. Plain numbers; owns nothing. What each field is called, may be and
 * means stands once, in options.c: the language's keys, their checks and help, the lowering and the
 * binding are made from it. */
#ifndef TDM_MODEL_LLM_REPLICA_H
#define TDM_MODEL_LLM_REPLICA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/llm/step.h"

typedef enum {
  TDM_SERVING_CONTINUOUS,
  TDM_SERVING_BATCH /* static or dynamic: see batch_wait_ns */
} tdm_serving_batching;

/* Who is next among those that wait; whoever was preempted comes before all others of its rank. */
typedef enum {
  TDM_SERVING_FCFS,
  TDM_SERVING_PRIORITY, /* lower priority first, then earlier arrival; preempts the contrary */
  TDM_SERVING_SHORTEST_PROMPT,
  TDM_SERVING_SHORTEST_JOB,   /* fewest predicted output tokens */
  TDM_SERVING_LONGEST_PREFIX, /* most tokens in the prefix cache */
  TDM_SERVING_PREFIX_WEIGHT,  /* depth first by how many others wait for the same prefix */
  TDM_SERVING_FAIR,           /* the tenant that was served least: virtual token counters */
  TDM_SERVING_ORDER_FUNCTION  /* least key of the user's function, then earlier arrival */
} tdm_serving_order;

/* What a step is made of. */
typedef enum {
  TDM_STEPS_MIXED,         /* running requests in order of admission, then waiting ones */
  TDM_STEPS_PREFILL_FIRST, /* prompts alone as long as any may start, else decoding alone */
  TDM_STEPS_DECODE_FIRST   /* every decoding request, then prompts with what is left */
} tdm_serving_steps;

/* When a waiting request may run: what must be free for it. */
typedef enum {
  TDM_ADMIT_INPUT,    /* its known tokens, or those of this step: see reserve_full_input */
  TDM_ADMIT_PROMPT,   /* all known tokens, cached or not, taken at once */
  TDM_ADMIT_ESTIMATE, /* its tokens and those that all are expected to add: see new_token_* */
  TDM_ADMIT_MAXIMUM,  /* all it may ever need, beside what is promised to others */
  TDM_ADMIT_FUNCTION
} tdm_serving_admission;

typedef enum {
  TDM_PREEMPT_LAST,         /* the last to be admitted; by priority: the least important */
  TDM_PREEMPT_LEAST_OUTPUT, /* fewest tokens generated, then the longest prompt */
  TDM_PREEMPT_FUNCTION
} tdm_serving_victim;

/* How prompts share what a step has left; the last two where steps are decode-first. */
typedef enum {
  TDM_CHUNK_GREEDY, /* in order, each as much as there is */
  TDM_CHUNK_FUNCTION,
  TDM_CHUNK_BLOCKS, /* in order, parts in whole blocks */
  TDM_CHUNK_EQUAL   /* a block for each in turn */
} tdm_serving_chunking;

/* What users' functions may decide for a replica. */
typedef enum {
  TDM_DECIDE_ORDER,
  TDM_DECIDE_ADMIT,
  TDM_DECIDE_PREEMPT,
  TDM_DECIDE_CHUNK,
  TDM_DECISIONS
} tdm_decision;

#define TDM_DRAFT_MAX 64 /* drafted tokens of one request in a step */

#define TDM_KV_TIERS 4

/* What a tier takes in. */
typedef enum {
  TDM_KV_THROUGH,   /* what the tier above it takes in */
  TDM_KV_SELECTIVE, /* of that what a second request has */
  TDM_KV_BACK,      /* what the tier above it has no more room for */
  TDM_KV_WRITES     /* how many there are */
} tdm_kv_write;

/* Loads that begin when a request comes, not when its turn comes. */
typedef enum {
  TDM_KV_NO_PREFETCH,
  TDM_KV_BEST_EFFORT,   /* what is there by its turn */
  TDM_KV_WAIT_COMPLETE, /* it waits for all */
  TDM_KV_TIMEOUT,       /* it waits for all, so long at most */
  TDM_KV_PREFETCHES     /* how many there are */
} tdm_kv_prefetch;

/* Where prefix blocks are kept that the GPUs have no room for, and how they come back. */
typedef struct {
  char name[32];
  int64_t blocks; /* room */
  double block_bytes;
  double block_s;   /* loading one, in which the way from there takes no other */
  double store_s;   /* storing one, in which the way there takes no other */
  double latency_s; /* of a load or a store, beside */
  bool one_way;     /* loads and stores take turns; else each has a way of its own */
  bool shared;      /* all replicas of the server have it together, and its ways */
  double worth;     /* to routers: of a block there, that of one on the GPUs being 1 */
  tdm_kv_write write;
  tdm_kv_prefetch prefetch;
  double timeout_s, timeout_token_s; /* how long a prefetch may take: so long, and each token */
} tdm_kv_tier;

extern const char *const tdm_kv_write_words[TDM_KV_WRITES];
extern const char *const tdm_kv_prefetch_words[TDM_KV_PREFETCHES];

/* Zeroes are not defaults: tdm_serving_config_default fills in vLLM's. A field more wants its line
 * in options.c. */
typedef struct {
  int64_t block_tokens;
  int64_t blocks;               /* usable ones: vLLM keeps one of its count for itself */
  int64_t max_batched_tokens;   /* of one step, ≥ max_seqs; continuous batching only */
  int64_t max_seqs;             /* running at a time; size of a batch */
  bool chunked_prefill;         /* without: a prompt that does not fit into the step waits */
  int64_t long_prefill_tokens;  /* most prompt tokens of one request in a step; 0: no limit */
  int64_t max_partial_prefills; /* unfinished prompts that a further one may join; 0: no limit */
  bool reserve_full_input;      /* admit only when all known tokens would fit */
  bool prefix_caching;
  int64_t hash_tokens; /* tokens that each hash covers: a multiple of block_tokens */
  tdm_serving_order order;
  tdm_serving_steps steps;
  tdm_serving_admission admission;
  tdm_serving_victim victim;
  tdm_serving_chunking chunking;
  int64_t max_prefill_tokens; /* a prompt that exceeds what is left of them starts alone; 0: no
                               * limit; prefill-first steps only */
  bool preempted_last;        /* who was preempted waits behind all others, not before them */
  bool shares_computed;  /* a prefix is found once its step is over, not as soon as it is planned */
  bool waits_for_prefix; /* who lacks a prefix block that this step computes waits for it */
  /* Estimates: a running request is expected to add this share of the tokens it still may, a share
   * that falls by each decode step and rises when somebody was preempted. */
  double new_token_ratio, new_token_ratio_min;
  int64_t new_token_ratio_steps; /* from the first to the second */
  int64_t new_tokens_most;       /* of one request that estimates count */
  int64_t preempted_steps;       /* decode steps that room is made for after a preemption */
  /* Fairness: what a token counts, and by tenant the share that is due to it (1 beyond). */
  double input_weight, output_weight;
  const double *tenant_weights; /* outlives the configuration; tdm_serving_open copies it */
  size_t tenant_count;
  /* A step is planned while the one before it runs: it knows of arrivals and freed blocks one step
   * late, as vLLM with asynchronous scheduling. */
  bool plans_ahead;
  bool abort; /* who has timed out leaves with the next plan; else it is finished in vain */
  tdm_serving_batching batching;
  int64_t batch_wait_ns; /* a batch starts when full or its oldest has waited so long; INT64_MAX:
                          * only when full, or when told that nobody else comes */
  bool batch_returns_together; /* nobody leaves before the last of the batch */
  /* Continuous batching only, from here on. A preempted request's blocks move to host memory while
   * there is room, and back when it runs again, before the step computes: as vLLM V0's cache engine
   * copies them on the stream that then computes. */
  int64_t host_blocks; /* room; 0: what is preempted is computed anew */
  double swap_block_s; /* one block, either way */
  /* LoRA: a request names its adapter; those of running requests must be on the GPU. Who cannot be
   * served for that is passed over; a step waits for what is loaded, as vLLM's does. */
  int64_t max_adapters;  /* on the GPU at a time; 0: they do not matter */
  double adapter_load_s; /* one that is not there */
  double adapter_step_s; /* more of every step, for each in use */
  /* Tiers below the GPUs' KV cache, the nearest first. How they are loaded from follows the steps:
   * see engine/serving/loads.c. */
  size_t tier_count;
  tdm_kv_tier tiers[TDM_KV_TIERS];
  /* Speculative decoding: each decoding sequence computes its next token and as many drafted ones,
   * which count towards max_batched_tokens and need KV blocks, right or wrong. */
  int64_t draft_tokens; /* 0: none */
  double acceptance;    /* probability that a drafted token is right, those before it being so */
  double draft_s;       /* drafting one token for all sequences together: so long, */
  double draft_share;   /* and so much of the time that the model itself would take for it */
  /* Or a model drafts: its steps, for the same prompts and tokens. NULL: none. Outlives whoever
   * is configured. */
  const tdm_llm_step *draft;
  bool step_by_step; /* many steps one by one: for tests, and where each is told */
} tdm_serving_config;

/* ---- Options as data */

typedef enum {
  TDM_OPTION_WHOLE,   /* int64_t */
  TDM_OPTION_REAL,    /* double */
  TDM_OPTION_SECONDS, /* double */
  TDM_OPTION_FLAG,    /* bool */
  TDM_OPTION_WORD     /* an enumeration, by the words of its values in order */
} tdm_option_sort;

typedef enum {
  TDM_SERVER_VLLM,
  TDM_SERVER_SGLANG,
  TDM_SERVER_TENSORRT_LLM,
  TDM_SERVERS
} tdm_serving_server;

typedef struct {
  const char *name;
  const char *doc; /* NULL: not for the language, as "function", which has none of its own there */
} tdm_option_word;

#define TDM_OPTION_UNSET (-1.0) /* of a preset: there is none */

typedef struct {
  const char *name;   /* of the field, and in the model table */
  const char *key;    /* in td.generate's engine; NULL: the language has no such key … */
  const char *record; /* … or in this record of it */
  const char *doc;    /* one line, where there is a key */
  tdm_option_sort sort;
  size_t offset;                /* in tdm_serving_config */
  double least, most;           /* of a number; most 0: no limit */
  bool above_least;             /* it must exceed `least` */
  bool required;                /* in its record */
  double presets[TDM_SERVERS];  /* what each server has where nobody says */
  const tdm_option_word *words; /* NULL ends them */
} tdm_serving_option;

extern const tdm_serving_option tdm_serving_options[]; /* one without a name ends them */
extern const tdm_option_word tdm_serving_servers[];    /* in the order of tdm_serving_server */

#endif
