/* One replica of an LLM server: a queue of requests, KV blocks, and engine steps whose length a
 * step model says.
 *
 * Continuous batching: as vLLM V1 schedules unless configured otherwise (policy.c): in each step
 * the running requests first, in order of admission, then waiting ones, within a budget of tokens
 * and sequences; long prompts in chunks; who finds no KV block preempts the last to be admitted,
 * which is computed anew later or, where host memory has room, moved there and back; a step that
 * preempts admits nobody. Static and dynamic batching, for other servers, take a batch and finish
 * it before they take another. A step takes in what arrived before it began; an idle replica begins
 * with what arrives at that very time.
 *
 * Steps in which only decoding goes on are made many at a time, as long as nothing else can happen;
 * results are those of single steps, to the nanosecond. The end of the j-th of such steps is their
 * first one's begin plus tdm_llm_decode_run_s(j).
 *
 * What is decided where: scheduler.c who is in a step, as vLLM does it; prefill_first.c and
 * decode_first.c other servers' steps; batching.c batches; queue.c, prefix_order.c and fairness.c
 * who is next; jobs.c what becomes of a request, of one that is preempted, too: computed anew or
 * swapped; kv_hold.c and kv_pool.c blocks and the prefix cache; kv_tiers.c tiers below it, loads.c
 * requests that wait for blocks from there; speculation.c drafts; adapters.c
 * and passed.c LoRA; jump.c how long steps are; check.c what a configuration may be.
 *
 * Owns everything about its requests from submission to their end. Which replica gets a request is
 * engine/events/dispatch.c's. Knows no clock: whoever owns it calls tdm_serving_advance at
 * tdm_serving_next_ns, and tdm_serving_submit in between, in order of time. The step model and what
 * events point to outlive it. Not locked: one thread at a time. */
#ifndef TDM_ENGINE_SERVING_SERVING_H
#define TDM_ENGINE_SERVING_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/llm/llm.h"

typedef struct tdm_serving tdm_serving;

void tdm_serving_config_default(tdm_serving_config *config);

typedef struct {
  const char *where; /* the option, as td.generate's engine calls it */
  char what[160];    /* to be read after it */
} tdm_serving_problem;

/* All that is wrong with a configuration: how many problems there are, the first `room` of them in
 * *out. tdm_serving_open refuses what has any. */
size_t tdm_serving_problems(const tdm_serving_config *config, tdm_serving_problem *out,
                            size_t room);

typedef struct {
  uint64_t id;                          /* the caller's; events say it */
  int64_t prompt_tokens, output_tokens; /* ≥ 1 each */
  uint64_t adapter;                     /* name of its LoRA adapter, 0: none */
  uint64_t luck; /* names what is drawn for it: as good as any other that is not repeated */
  /* Computed by another instance: */
  int64_t given_tokens; /* leading tokens that come with their KV: they need blocks, no
                         * computation; fewer than the prompt and made_tokens */
  int64_t made_tokens;  /* output tokens that it comes with: < output_tokens */
  int64_t made_ns;      /* when the last of these was there */
  bool remote; /* the KV of given_tokens is still there: when its turn comes blocks are reserved for
                * all its tokens, and it runs when these are filled */
  bool keeps;  /* its blocks stay when it is done, until they are released */
  int64_t max_output; /* tokens it is allowed to generate, which admission sees; 0: its output */
  int64_t predicted_output; /* which order sees; 0: its output */
  int32_t priority;
  uint32_t tenant;    /* < TDM_SERVING_TENANTS */
  uint32_t groups[2]; /* in which gaps between its tokens are told: see tdm_serving_tell_apart */
  /* Prefix hashes, each naming the whole prefix up to the end of its hash_tokens tokens, of prompt
   * and, as far as known, output. Copied. */
  const uint64_t *hashes;
  size_t hash_count;
  const int64_t *hash_ends; /* tokens up to the end of each, whole blocks; NULL: hash_tokens each */
  int64_t hashed_tokens; /* tokens that the hashes cover; 0: the prompt's, as far as they reach */
} tdm_serving_request;

#define TDM_SERVING_TENANTS (1u << 20)

typedef struct {
  uint64_t id;
  int64_t arrival_ns;
  int64_t queued_ns;    /* begin of the first step after it, where an engine's own clock starts */
  int64_t scheduled_ns; /* the first time */
  int64_t first_token_ns, finished_ns;
  int64_t prompt_tokens, output_tokens;
  int64_t cached_tokens; /* prompt tokens found in the prefix cache when first scheduled */
  int64_t below_tokens[TDM_KV_TIERS]; /* … beyond those in tiers below it */
  int64_t load_ns;                    /* that it waited for loads of these */
  uint32_t preemptions;
  int32_t priority;
  uint32_t tenant;
  uint32_t handle; /* of the blocks that it keeps */
} tdm_serving_outcome;

/* What kept the first of the waiting requests out of a step. */
typedef enum {
  TDM_SERVING_NOT_HELD, /* nobody waited when it was planned */
  TDM_SERVING_BLOCKS,   /* free KV blocks were too few */
  TDM_SERVING_SEQS,     /* max_seqs were running */
  TDM_SERVING_TOKENS,   /* the step was full of tokens */
  TDM_SERVING_RULE,     /* another rule of the scheduler */
  TDM_SERVING_HELD      /* how many there are */
} tdm_serving_held;

/* Why a request could never run. */
typedef enum {
  TDM_REFUSED_TOKENS, /* it has more than 2^40 */
  TDM_REFUSED_BLOCKS, /* it may need more KV blocks than there are */
  TDM_REFUSED_STEP,   /* its prompt is longer than a step, and prompts are not chunked */
  TDM_REFUSED         /* how many there are */
} tdm_serving_refusal;

/* One step, or `steps` equal ones in a row. */
typedef struct {
  int64_t begin_ns, end_ns, steps;
  tdm_llm_batch batch;             /* of the first */
  int64_t kv_blocks;               /* in use in the last */
  int64_t tokens;                  /* that left with them */
  int64_t drafted, accepted;       /* tokens that were verified, and those that were right */
  int64_t swapped_out, swapped_in; /* blocks that moved to and from host memory before it */
  int64_t adapter_loads;           /* before it */
  int64_t running, waiting;
  tdm_serving_held held;
} tdm_serving_step;

/* Each may be NULL. They come in order of time, from within tdm_serving_advance (aborted also from
 * within tdm_serving_abort), and must not change the instance. */
typedef struct {
  void *context;
  /* begins or, after a preemption, resumes: of what is cached so many were below */
  void (*scheduled)(void *context, uint64_t id, int64_t now_ns, int64_t cached_tokens,
                    int64_t below_tokens, bool resumed);
  void (*first_token)(void *context, uint64_t id, int64_t now_ns);
  /* remote: blocks are reserved; of the given tokens so many are not cached here */
  void (*reserved)(void *context, uint64_t id, int64_t now_ns, uint32_t handle,
                   int64_t missing_tokens);
  /* `sequences` requests of a group had `steps` gaps between tokens each, begin_ns … end_ns
   * together */
  void (*token_gaps)(void *context, int64_t begin_ns, int64_t end_ns, int64_t steps,
                     int64_t sequences, uint32_t group);
  void (*preempted)(void *context, uint64_t id, int64_t now_ns, int64_t lost_tokens);
  void (*finished)(void *context, const tdm_serving_outcome *outcome);
  void (*aborted)(void *context, uint64_t id, bool waiting); /* waiting: it was not running */
  void (*step)(void *context, const tdm_serving_step *step);
} tdm_serving_events;

/* A request as a user's function sees it. */
typedef struct {
  uint64_t id;
  int64_t arrival_ns;
  int64_t prompt_tokens, max_output, predicted_output;
  int64_t generated_tokens, computed_tokens; /* computed: that have KV, or would find it cached */
  int64_t kv_blocks;                         /* that it has */
  uint32_t preemptions, tenant;
  int32_t priority;
} tdm_serving_view;

typedef struct {
  int64_t now_ns;
  int64_t running, waiting;
  int64_t free_blocks, blocks, block_tokens;
} tdm_serving_situation;

/* What a user's functions decide; one is asked where the configuration says so. Each returns
 * TDM_OK, or fills *error, which ends the advance. */
typedef struct {
  void *context;
  tdm_status (*order)(void *context, const tdm_serving_view *request,
                      const tdm_serving_situation *now, double *key, tdm_error *error);
  /* Tokens for which room is made, or −1: not now. */
  tdm_status (*admit)(void *context, const tdm_serving_view *request,
                      const tdm_serving_situation *now, int64_t *tokens, tdm_error *error);
  tdm_status (*preempt)(void *context, const tdm_serving_view *running, size_t count,
                        const tdm_serving_situation *now, size_t *index, tdm_error *error);
  tdm_status (*chunk)(void *context, const tdm_serving_view *request, int64_t left,
                      const tdm_serving_situation *now, int64_t *tokens, tdm_error *error);
} tdm_serving_functions;

/* Copies config and events; events may be NULL. */
tdm_status tdm_serving_open(const tdm_serving_config *config, const tdm_llm_step *step,
                            const tdm_serving_events *events, tdm_serving **out, tdm_error *error);
/* A tier that several instances share: the last of each, in place of one of its own. Whoever owns
 * the clock owns it, advances them in order of time, and closes them first. NULL: out of memory. */
typedef struct tdm_kv_lower tdm_kv_store;
tdm_kv_store *tdm_kv_store_new(const tdm_kv_tier *tier);
void tdm_kv_store_free(tdm_kv_store *store); /* NULL is fine */
/* Before the first request; nothing where it has no tiers. */
void tdm_serving_share(tdm_serving *serving, tdm_kv_store *store);
/* Before the first request: gaps between tokens are told by group, in two ways at once: requests
 * have groups[0] < first and, where second > 0, groups[1] < second, whose gaps are told again, as
 * of group first + groups[1]. Otherwise all are of group 0. */
tdm_status tdm_serving_tell_apart(tdm_serving *serving, size_t first, size_t second,
                                  tdm_error *error);
/* Before the first request: copies the functions that the configuration asks for. */
void tdm_serving_decide(tdm_serving *serving, const tdm_serving_functions *functions);
void tdm_serving_close(tdm_serving *serving); /* NULL is fine */

/* now_ns ≤ tdm_serving_next_ns, never falling. TDM_LIMIT: it could never run here;
 * tdm_serving_refused() says why. */
tdm_status tdm_serving_submit(tdm_serving *serving, int64_t now_ns,
                              const tdm_serving_request *request, tdm_error *error);
/* Of the latest request that could never run. */
tdm_serving_refusal tdm_serving_refused(const tdm_serving *serving);
/* Blocks that are reserved have their KV: whose they are runs in its turn, before all that wait. */
void tdm_serving_filled(tdm_serving *serving, int64_t now_ns, uint32_t handle);
/* Blocks that were kept or reserved are free again; the request is forgotten. */
void tdm_serving_release(tdm_serving *serving, int64_t now_ns, uint32_t handle);
/* Of the request that was submitted last, until it is done. */
uint32_t tdm_serving_handle(const tdm_serving *serving);
/* A request is not wanted any more: it leaves with the first plan that sees this, at once where no
 * step runs, and `aborted` tells of it. Nothing of one that is done by then, or in a batch that has
 * begun. */
void tdm_serving_abort(tdm_serving *serving, int64_t now_ns, uint32_t handle);
/* Nobody else comes, until somebody does: batches that would wait for more members start. */
void tdm_serving_drain(tdm_serving *serving, int64_t now_ns);

/* When it wants to be advanced; INT64_MAX: idle. Submissions change it. */
int64_t tdm_serving_next_ns(const tdm_serving *serving);
/* A step runs or is to begin; else it idles, though blocks may be on their way to it. */
bool tdm_serving_works(const tdm_serving *serving);
/* now_ns = tdm_serving_next_ns: ends what ends now, begins what comes next. */
tdm_status tdm_serving_advance(tdm_serving *serving, int64_t now_ns, tdm_error *error);

/* The instance is about to be closed in the middle of its work: tells of the steps that are over at
 * now_ns. What the present step would have made is lost; nothing but closing may follow. */
void tdm_serving_halt(tdm_serving *serving, int64_t now_ns);

/* For routers: what is here at now_ns, between the last call and the next advance. */
typedef struct {
  int64_t running, waiting; /* requests */
  int64_t kv_blocks;        /* in use */
  int64_t host_blocks;      /* of requests that are swapped out */
} tdm_serving_load;
tdm_serving_load tdm_serving_load_at(const tdm_serving *serving, int64_t now_ns);
/* Blocks that went into a tier, and were loaded from it, so far. */
void tdm_serving_moved(const tdm_serving *serving, size_t tier, int64_t *stored, int64_t *loaded);
/* Blocks that a tier has, on their way among them; of a shared one whoever's. */
int64_t tdm_serving_tier_blocks(const tdm_serving *serving, size_t tier);
/* What of the present steps is over at now_ns, as if they ended there: whole steps, blocks in use
 * now. False: it idles. */
bool tdm_serving_step_at(const tdm_serving *serving, int64_t now_ns, tdm_serving_step *step);
/* Leading prompt tokens of the request that are cached now; those in tiers below by their worth. */
int64_t tdm_serving_cached_tokens(const tdm_serving *serving, int64_t now_ns,
                                  const tdm_serving_request *request);

#endif
