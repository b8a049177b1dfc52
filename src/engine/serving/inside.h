/* What the files of this room share: an instance, and what each file does with it. */
#ifndef TDM_ENGINE_SERVING_INSIDE_H
#define TDM_ENGINE_SERVING_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/serving/kv.h"
#include "engine/serving/parts.h"
#include "engine/serving/serving.h"
#include "model/llm/llm.h"

/* ---- policy.c */

/* The decisions of a step, one function each: who is next, whether it may run, what its chunk is,
 * whom to preempt, and the plan that asks them.
 *
 * A server's policy is a choice of each by its configuration, made once when an instance is opened;
 * vLLM's are the first of every enumeration in model/llm/replica.h. A plan grants blocks and
 * tokens, a decision only looks. Owns nothing: what decisions remember is in the instance. Called
 * by serving and the plans. */

struct tdm_serving;

/* A waiting request that might run in this step. */
typedef struct {
  uint32_t job;
  int64_t known;    /* tokens: its prompt and what it has generated */
  int64_t computed; /* of these: found in the cache, or given */
  int64_t held;     /* blocks that it has already */
  int64_t chunk;    /* would be computed in this step */
  tdm_kv_hit hit;
} tdm_candidate;

typedef struct {
  /* The queue. `first` is TDM_NO_JOB when nobody waits; `arrange`, before a plan admits anybody,
   * may be NULL. */
  void (*wait)(struct tdm_serving *s, uint32_t job, bool preempted);
  void (*leave)(struct tdm_serving *s, uint32_t job);
  void (*restore)(struct tdm_serving *s, uint32_t job); /* as if it had not left */
  void (*arrange)(struct tdm_serving *s);
  uint32_t (*first)(const struct tdm_serving *s);
  bool overtaking; /* a newcomer may become the first */
  bool dated;      /* a newcomer's place depends on when it is seen */
  bool shifting;   /* so may anybody while requests only decode */

  /* The blocks that the candidate has then if it may run, −1: it may not. */
  int64_t (*admit)(struct tdm_serving *s, const tdm_candidate *candidate);
  /* Tokens of a prompt in this step, 1 … todo; the plan takes no more of them than are left. */
  int64_t (*chunk)(struct tdm_serving *s, uint32_t job, int64_t todo, int64_t left);
  /* One of the running. */
  uint32_t (*victim)(struct tdm_serving *s);

  void (*plan)(struct tdm_serving *s, int64_t now_ns, int64_t seen_ns);
} tdm_policy;

tdm_policy tdm_policy_of(const tdm_serving_config *config);

/* While requests only decode, and nobody comes or ends, a plan would admit nobody. */
bool tdm_policy_steady(const struct tdm_serving *s);
/* Somebody who comes now might be admitted by the next plan. */
bool tdm_policy_heeds_arrival(const struct tdm_serving *s);

/* ---- the instance */

/* What an instance holds; shared by the files of this folder, seen by nobody else.
 *
 * A request is a job, a number into `jobs`. Running jobs are in one list in order of admission. A
 * job decodes implicitly (a member of `decoders`, its numbers as of `joined`) or explicitly: it is
 * in `explicit_jobs`, in the list's order, with the tokens that this step computes for it. */

#define TDM_NO_JOB UINT32_MAX

typedef enum {
  TDM_JOB_WAITING,
  TDM_JOB_EXPLICIT,
  TDM_JOB_DECODING,
  TDM_JOB_DONE,  /* has all its tokens, still holds its place and its blocks */
  TDM_JOB_PARKED /* holds blocks and takes no part: kept, or reserved and not yet filled */
} tdm_job_state;

/* What every step and every end of a request touches comes first, within few cache lines. */
typedef struct {
  tdm_job_state state;
  uint32_t prev, next; /* in the one list it is in */
  uint32_t adapter;    /* number, or TDM_NO_ADAPTER */
  uint64_t order;      /* of admission */
  int64_t prompt, output;
  int64_t generated, computed; /* tokens it has got; tokens that have KV */
  int64_t settled;             /* of computed: known when they were planned: others may find them */
  int64_t joined;              /* decoders' clock at which these were so */
  int64_t chunk;               /* explicit: tokens computed in this step, drafted ones included */
  int64_t accepted;            /* drafted ones that are right, once the step has begun */
  bool drafting;               /* the step before has drafted tokens for it */
  bool remote;                 /* what is given is not here yet */
  bool ready;                  /* waiting: holds the blocks of what is given */
  bool keeps;
  bool released; /* turned: gives its blocks back, else runs */
  bool passed;   /* waiting: stands beside the queue for its adapter's sake */
  int32_t priority;
  tdm_kv_hold hold;
  uint64_t id;
  int64_t arrival_ns, queued_ns;
  int64_t scheduled_ns, first_token_ns, last_token_ns; /* -1: not yet */
  int64_t cached_tokens;
  uint32_t preemptions, tenant;
  uint32_t groups[2]; /* of gaps between tokens */
  int64_t max_output;
  int64_t given;
  int64_t swapped;  /* waiting: blocks in host memory with all that is computed */
  uint64_t ordinal; /* of submission */
  int64_t key;      /* where order is a key; in a list who comes first has the least */
  int64_t predicted;
  int64_t whole;        /* blocks it was promised, counted where admission is by the maximum */
  int64_t prefilled;    /* where prefixes are shared once computed: of these, by prompts */
  uint64_t contributes; /* where prefixes are waited for: a hash that its prompt computes */
  uint64_t luck;
  int64_t turned_ns;    /* when it was filled or released */
  uint32_t next_passed; /* of those put back into the queue by this plan */
} tdm_job;

/* A row of equal decode steps: the ends of all follow from its begin. */
typedef struct {
  bool valid;
  int64_t begin_ns;
  tdm_llm_batch batch; /* of its first step */
  int64_t steps;       /* that are over */
} tdm_decode_run;

/* One that is not wanted any more. */
typedef struct {
  uint32_t job;
  uint64_t ordinal; /* of the job: another may have its number by now */
  int64_t at_ns;
} tdm_abort;

/* What a request has below the GPUs' KV cache. */
typedef struct {
  int64_t ahead, ahead_end; /* blocks whose loads began when it came */
  int64_t ahead_ns;         /* they are there */
  int64_t begin_ns;         /* it waits for loads, while it is loading */
  bool loading;
  bool fetching; /* into the first tier: blocks by tier, from then on */
  int64_t fetches[TDM_KV_TIERS], fetch_ns[TDM_KV_TIERS];
  int64_t brought[TDM_KV_TIERS]; /* of these, in time */
  int64_t load_ns;               /* that it has waited for them */
  int64_t tokens[TDM_KV_TIERS];  /* found when it was first scheduled, by tier */
} tdm_job_below;

/* What a step has beside its batch; from its plan on, until it is told. */
typedef struct {
  int64_t swapped_out, swapped_in; /* blocks */
  int64_t adapter_loads;
  double pause_s;                    /* before it computes */
  int64_t ready_ns;                  /* it computes no sooner: blocks are on their way */
  int64_t until_ns;                  /* it ends no sooner */
  int64_t tokens, drafted, accepted; /* of a step with speculation */
  /* Where a model drafts, what it has not seen: prompt tokens, and as decoding ones the sequences
   * whose prompts are complete. */
  tdm_llm_batch unseen;
} tdm_serving_beside;

/* One that waits, while the queue is arranged. */
typedef struct {
  uint32_t job, position; /* position: where it was */
  uint32_t units;         /* of its hashes, found in the cache */
  uint32_t group;
  bool ends;
  uint64_t hash;
  int64_t key;
} tdm_queue_rank;

struct tdm_serving {
  tdm_serving_config config;
  tdm_policy policy;
  const tdm_llm_step *model;
  tdm_serving_events events;
  tdm_kv_shape shape;

  tdm_job *jobs;
  size_t job_count, job_capacity;
  uint32_t unused_jobs;
  uint64_t submitted, admitted;

  tdm_job_list inbox;    /* arrived, not yet seen by a plan */
  tdm_job_list waiting;  /* where order is a list, */
  tdm_heap by_key;       /* a key of each request, */
  tdm_fairness fairness; /* or its tenant's */
  tdm_adapters adapters;
  tdm_heap passed_over;        /* waiting for their adapter's place, beside the queue */
  int64_t first_key, last_key; /* of a list */
  tdm_job_list running;
  tdm_job_list ready; /* waiting before all others: hold blocks that are filled */
  tdm_job_list parked;
  tdm_job_list turned; /* filled or released, not yet seen by a plan */
  uint32_t *explicit_jobs;
  size_t explicit_count, explicit_capacity;
  tdm_abort *aborts; /* not yet seen by a plan */
  size_t abort_count, abort_capacity;
  uint32_t latest;             /* the job that was submitted last */
  tdm_serving_refusal refusal; /* the latest */
  uint32_t *done;              /* jobs in state DONE */
  size_t done_count, done_capacity;
  tdm_decoders decoders;
  tdm_gaps gaps;
  tdm_kv_pool pool;
  tdm_kv_tiers tiers;
  tdm_job_below *below; /* by job; NULL: there are no tiers */
  size_t below_capacity;
  tdm_heap loading;  /* parked: wait for loads, by their end */
  uint64_t loads;    /* begun so far */
  int64_t host_free; /* blocks */
  tdm_serving_beside beside;
  bool extras; /* steps may have something beside: with drafts, swapping or adapters */

  /* Prefill-first and decode-first plans. */
  bool resting; /* decoding requests take no part in this step */
  tdm_rest *rests;
  size_t rest_count, rest_capacity;
  bool closed;          /* this plan admits nobody, the next one may */
  bool full;            /* nobody else is tried before somebody ends */
  int64_t ended;        /* requests that decoded, since the last decode step was planned, */
  int64_t ended_adds;   /* and what they still might have added */
  uint32_t *candidates; /* work space of plans and orders */
  size_t candidate_capacity;
  uint32_t passed; /* the last of those that wait for another's prefix */
  tdm_queue_rank *ranks;
  size_t rank_capacity;
  /* What is promised to those that run. */
  int64_t promised_blocks; /* that they do not have yet */
  int64_t pending_blocks;  /* to candidates of this plan */
  int64_t may_add;         /* by those that decode: Σ max_output − generated + joined */
  int64_t unbounded;       /* of them: those for which new_tokens_most counts */
  int64_t plan_adds;       /* by those whose prompt this plan completes */
  double ratio;            /* new_token_ratio when ratio_steps was 0 */
  int64_t ratio_steps;     /* decode steps since */

  bool stepping;   /* a step, or several, from begin_ns to end_ns */
  int64_t plan_ns; /* of the last plan */
  int64_t begin_ns, end_ns, steps;
  tdm_llm_batch batch;
  tdm_decode_run run;
  tdm_serving_held held; /* by the latest plan */
  int64_t wake_ns;       /* while not stepping: INT64_MAX, or when to plan */
  int64_t last_ns;       /* of the last call */
  bool draining, failed;

  tdm_serving_functions functions;
  tdm_serving_view *views; /* what they see of the running */
  size_t view_capacity;
  tdm_error error; /* of the first that failed */
};

/* ---- check.c */

tdm_status tdm_serving_check(const tdm_serving_config *config, tdm_error *error);
tdm_status tdm_serving_check_request(tdm_serving *s, const tdm_serving_request *request,
                                     tdm_error *error);
/* Tokens that it may generate, and all of its that may ever need blocks, as admission sees it. */
int64_t tdm_serving_most_output(const tdm_serving *s, const tdm_serving_request *request);
int64_t tdm_serving_whole_tokens(const tdm_serving *s, const tdm_serving_request *request);

/* ---- jobs.c: lists, and what happens to a request */

void tdm_job_prepend(tdm_serving *s, tdm_job_list *list, uint32_t job);
/* TDM_NO_JOB: at the end. */
void tdm_job_insert(tdm_serving *s, tdm_job_list *list, uint32_t job, uint32_t next);

static inline void tdm_job_append(tdm_serving *s, tdm_job_list *list, uint32_t job) {
  s->jobs[job].prev = list->tail;
  s->jobs[job].next = TDM_NO_JOB;
  if (list->tail != TDM_NO_JOB)
    s->jobs[list->tail].next = job;
  else
    list->head = job;
  list->tail = job;
  list->count++;
}

static inline void tdm_job_unlink(tdm_serving *s, tdm_job_list *list, uint32_t job) {
  uint32_t prev = s->jobs[job].prev, next = s->jobs[job].next;
  if (prev != TDM_NO_JOB)
    s->jobs[prev].next = next;
  else
    list->head = next;
  if (next != TDM_NO_JOB)
    s->jobs[next].prev = prev;
  else
    list->tail = prev;
  list->count--;
}

uint32_t tdm_job_new(tdm_serving *s); /* zeroed; TDM_NO_JOB: out of memory */
void tdm_job_free(tdm_serving *s, uint32_t job);

void tdm_job_go_explicit(tdm_serving *s, uint32_t job);   /* behind all explicit ones */
void tdm_job_make_explicit(tdm_serving *s, uint32_t job); /* it decodes implicitly */
void tdm_job_preempt(tdm_serving *s, uint32_t job, int64_t now_ns);
void tdm_job_swap_in(tdm_serving *s, uint32_t job); /* it has blocks to come back to */
/* The chunk is computed: maybe a token, maybe the last one. */
void tdm_job_step_done(tdm_serving *s, uint32_t job, int64_t now_ns);
void tdm_job_finish(tdm_serving *s, uint32_t job, int64_t now_ns);
void tdm_job_take_turned(tdm_serving *s, uint32_t job);
void tdm_job_abort(tdm_serving *s, uint32_t job); /* nothing, where it is done or in a batch */
/* It has been walked to its end, or further now: false, true. */
bool tdm_job_speculates_on(tdm_serving *s, uint32_t job);
void tdm_job_release_done(tdm_serving *s, int64_t now_ns); /* those in state DONE leave */

/* ---- policy.c: estimates */

/* Tokens that are free and not expected to be taken. */
double tdm_policy_room(const tdm_serving *s);

/* ---- loads.c: prefixes that come from tiers below the GPUs' KV cache */

bool tdm_loads_know(tdm_serving *s, uint32_t job); /* it has been submitted; false: out of memory */
void tdm_loads_prefetch(tdm_serving *s, uint32_t job); /* it begins to wait */

typedef enum {
  TDM_LOADS_NONE,  /* nothing is there, or it is to be computed all the same */
  TDM_LOADS_THERE, /* it counts as computed: the candidate says so */
  TDM_LOADS_WAIT,  /* the request has left the queue and is parked until it is there */
  TDM_LOADS_HELD   /* blocks are too few */
} tdm_loads_answer;
/* What tiers have of the candidate beyond what it would find. `below`: for tdm_loads_taken, which
 * is to be called when the candidate is admitted with what is there. */
tdm_loads_answer tdm_loads_ask(tdm_serving *s, tdm_candidate *candidate, tdm_kv_below *below,
                               int64_t now_ns);
int64_t tdm_loads_taken(tdm_serving *s, const tdm_candidate *candidate, const tdm_kv_below *below,
                        int64_t now_ns); /* when all are there */
/* The same where loads go beside the step or before it: true: it counts as computed, and
 * tdm_loads_taken is to be called when the candidate is admitted. */
bool tdm_loads_join(tdm_serving *s, tdm_candidate *candidate, tdm_kv_below *below, int64_t now_ns);
int64_t tdm_loads_found(const tdm_serving *s, uint32_t job); /* tokens, when first scheduled */
/* The candidate runs or loads: of what it knows what lies in tiers has been in use. */
void tdm_loads_touch(tdm_serving *s, const tdm_candidate *candidate);
/* Those whose loads have ended before it may run, before all others. */
void tdm_loads_end(tdm_serving *s, int64_t seen_ns);
void tdm_loads_abort(tdm_serving *s, uint32_t job); /* it is loading */
void tdm_loads_close(tdm_serving *s);

static inline int64_t tdm_loads_next_ns(const tdm_serving *s) {
  const tdm_heap_item *first = tdm_heap_first(&s->loading);
  return first != NULL ? first->key : INT64_MAX;
}
static inline bool tdm_loads_has(const tdm_serving *s, uint32_t job) {
  return s->below != NULL && s->below[job].loading;
}

/* ---- queue.c, prefix_order.c: those that wait, but for the inbox */

uint32_t tdm_queue_oldest(const tdm_serving *s); /* TDM_NO_JOB: nobody */
void tdm_queue_choose(tdm_policy *policy, tdm_serving_order order);
void tdm_queue_return(tdm_serving *s, uint32_t job); /* to the place that it has left */
void tdm_queue_close(tdm_serving *s);
void tdm_prefix_order_longest(tdm_serving *s);
void tdm_prefix_order_weight(tdm_serving *s);

/* Who holds blocks already comes before all that the policy orders: others may wait for them. */
static inline uint32_t tdm_queue_first(const tdm_serving *s) {
  return s->ready.count > 0 ? s->ready.head : s->policy.first(s);
}
static inline int64_t tdm_queue_count(const tdm_serving *s) {
  return s->ready.count + s->waiting.count + (int64_t)s->by_key.count + s->fairness.waiting +
         (int64_t)s->passed_over.count;
}
static inline void tdm_queue_leave(tdm_serving *s, uint32_t job) {
  if (s->jobs[job].ready)
    tdm_job_unlink(s, &s->ready, job);
  else
    s->policy.leave(s, job);
}

/* ---- passed.c: LoRA adapters and those that wait for them */

/* Who is next, adapters considered: where there are any. */
uint32_t tdm_passed_first(tdm_serving *s);
/* One with an adapter runs, or runs no more. */
void tdm_passed_admitted(tdm_serving *s, uint32_t job);
void tdm_passed_ended(tdm_serving *s, uint32_t job);
void tdm_passed_leave(tdm_serving *s, uint32_t job); /* it stands beside the queue */
void tdm_passed_close(tdm_serving *s);

/* ---- ask.c: the user's functions. Their failure is in s->error, and ends the advance. */

double tdm_ask_order(tdm_serving *s, uint32_t job);
int64_t tdm_ask_admit(tdm_serving *s, const tdm_candidate *candidate);
int64_t tdm_ask_chunk(tdm_serving *s, uint32_t job, int64_t todo, int64_t left);
uint32_t tdm_ask_victim(tdm_serving *s);

/* ---- scheduler.c, prefill_first.c, decode_first.c, batching.c: who computes what in the step that
 * begins now. Requests that came before `seen_ns` are seen. */
void tdm_scheduler_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns);
void tdm_scheduler_take_turned(tdm_serving *s, int64_t seen_ns);
void tdm_prefill_first_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns);
void tdm_decode_first_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns);
void tdm_scheduler_accept(tdm_serving *s, int64_t seen_ns);
void tdm_batching_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns);
int64_t tdm_batching_wake_ns(const tdm_serving *s); /* when an idle one begins if nobody comes */
/* What the cache has of the job's known tokens; its chunk is 0. */
void tdm_scheduler_candidate(const tdm_serving *s, uint32_t job, tdm_candidate *c);
/* The candidate, out of the queue, takes what was found and has `blocks` blocks then, and runs. */
void tdm_scheduler_admit(tdm_serving *s, const tdm_candidate *candidate, int64_t blocks,
                         int64_t now_ns);
/* There are blocks for all that is known of the candidate beside what was found. */
bool tdm_scheduler_has_room(const tdm_serving *s, const tdm_candidate *candidate);
/* It leaves the queue with these. */
void tdm_scheduler_park(tdm_serving *s, const tdm_candidate *candidate);
/* Blocks that the job lacks to have `tokens` tokens. */
int64_t tdm_scheduler_lacking(const tdm_serving *s, const tdm_job *j, int64_t tokens);
void tdm_scheduler_grow(tdm_serving *s, tdm_job *j, int64_t blocks);
/* The blocks that the job may need beyond those it has are promised (sign 1), or no more (−1). */
void tdm_scheduler_promise(tdm_serving *s, const tdm_job *j, int sign);
/* All that decode get the blocks of their next token, preempting whom the policy says until there
 * are enough. True: somebody was. */
bool tdm_scheduler_make_room(tdm_serving *s, int64_t now_ns);

/* ---- jump.c: how long steps take, and how many there are in one go */

void tdm_jump_begin(tdm_serving *s, int64_t now_ns);
/* The end of the j-th step from begin_ns on. */
int64_t tdm_jump_end_ns(const tdm_serving *s, int64_t j);
/* Whole steps over at now_ns, at most steps − 1. */
int64_t tdm_jump_steps_over(const tdm_serving *s, int64_t now_ns);
/* Somebody has come at now_ns whom a plan must look at. */
void tdm_jump_cut(tdm_serving *s, int64_t now_ns);

/* Tokens that it verifies beside its own. */
static inline int64_t tdm_job_drafts(const tdm_serving *s, const tdm_job *job) {
  return job->drafting ? s->config.draft_tokens : 0;
}

/* Without chunks what a job has is computed in one step. Preempted ones may have generated more
 * than a step takes: those come back in parts. */
static inline bool tdm_job_comes_whole(const tdm_serving *s, const tdm_job *job) {
  return !s->config.chunked_prefill && job->prompt + job->generated <= s->config.max_batched_tokens;
}

/* Tokens without KV that are known. */
static inline int64_t tdm_job_todo(const tdm_job *job) {
  return job->prompt + job->generated - job->computed;
}

#endif
