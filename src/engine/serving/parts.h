/* The parts of one instance that know nothing of it, in reading order: the heap, speculative
 * decoding, the decoding set, fairness, adapters, gaps between tokens. An instance (inside.h) has
 * one of each. */
#ifndef TDM_ENGINE_SERVING_PARTS_H
#define TDM_ENGINE_SERVING_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"
#include "engine/serving/serving.h"
#include "model/llm/llm.h"

/* ---- heap.c */

/* A binary heap of (key, order) pairs that knows where each member lies, so that any can leave.
 *
 * The least key comes first, equal keys by order. Owns its arrays; members are the small numbers
 * by which its caller knows things. Used by the decoding set and the queue of one instance. */

typedef struct {
  int64_t key;
  int64_t tie;    /* among equal keys the least comes first, */
  uint64_t order; /* then the least of these */
  uint32_t member;
} tdm_heap_item;

/* Zeroed: empty. */
typedef struct {
  tdm_heap_item *items;
  size_t count, capacity;
  uint32_t *positions; /* by member: index into items */
  size_t position_capacity;
} tdm_heap;

void tdm_heap_close(tdm_heap *heap);

/* False: out of memory, nothing changed. */
bool tdm_heap_push(tdm_heap *heap, tdm_heap_item item);

/* The member is in the heap. */
void tdm_heap_remove(tdm_heap *heap, uint32_t member);

/* NULL: empty. */
static inline const tdm_heap_item *tdm_heap_first(const tdm_heap *heap) {
  return heap->count > 0 ? heap->items : NULL;
}

/* ---- speculation.c */

/* Speculative decoding: in each step some tokens are drafted for every decoding sequence, which
 * verifies them all at once and keeps those before the first wrong one, and one more.
 *
 * Each drafted token is right with the same probability, whatever came before; how many are right
 * depends on the sequence's own stream and its position in the output alone, so that neither order
 * nor preemption changes anybody's luck. A sequence that joins is walked through its next steps at
 * once and adds what it will get to sums by step: a step then costs the same for any number of
 * them. An instance's decoders own it. */

#define TDM_SPECULATION_WINDOW 64 /* steps that a sequence is walked ahead */

/* A sequence that decodes. */
typedef struct {
  uint64_t luck; /* key of its stream */
  int64_t generated, output;
  int64_t computed, blocks; /* tokens that have KV; blocks that it has */
  int64_t settled;          /* of computed: all but what was right in the last step */
} tdm_speculator;

/* One step of all that were walked through it. */
typedef struct {
  int64_t tokens, accepted; /* got; drafted ones that were right, whether still wanted or not */
  int64_t blocks;           /* needed */
  uint64_t squares;         /* growth of Σ computed², modulo 2^64 */
  int64_t longest;          /* most computed of one, at its begin */
} tdm_speculated;

typedef struct {
  int64_t draft, block_tokens;
  double chances[TDM_DRAFT_MAX];                /* [i]: that more than i are right */
  tdm_speculated steps[TDM_SPECULATION_WINDOW]; /* by clock */
} tdm_speculation;

void tdm_speculation_open(tdm_speculation *speculation, int64_t draft, double acceptance,
                          int64_t block_tokens);

/* Drafted tokens that are right, of as many as are drafted, after `generated` tokens. */
int64_t tdm_speculation_accepted(const tdm_speculation *speculation, uint64_t luck,
                                 int64_t generated);

/* One step of the sequence, which becomes what it is then: tokens that it gets. */
int64_t tdm_speculation_walk(const tdm_speculation *speculation, tdm_speculator *sequence);
/* Steps from `clock` on that it was walked through: until its last token, or a window. */
int64_t tdm_speculation_join(tdm_speculation *speculation, int64_t clock, tdm_speculator sequence);
/* It joined at `joined` as `sequence` says, and becomes what it is at `clock`; what it would have
 * got from then on is taken out. */
void tdm_speculation_leave(tdm_speculation *speculation, int64_t joined, int64_t clock,
                           tdm_speculator *sequence);
/* Nobody is left. */
void tdm_speculation_clear(tdm_speculation *speculation);

static inline tdm_speculated *tdm_speculation_at(tdm_speculation *speculation, int64_t clock) {
  return &speculation->steps[clock % TDM_SPECULATION_WINDOW];
}

/* ---- decoders.c */

/* The sequences of one instance that get one token in every step, kept so that a step need not
 * touch them.
 *
 * A clock counts steps; a member's numbers are those it joined with plus what the clock has moved
 * since. Sums tell what a step model asks; heaps tell who ends first and who is longest; counts by
 * residue tell how many need a new KV block in any coming step. Owns its heaps and counts, knows no
 * requests: members are small numbers. Used by the scheduler. */

typedef struct {
  int64_t clock; /* steps so far */
  int64_t count;
  int64_t computed; /* Σ tokens with KV */
  uint64_t squares; /* Σ of their squares, modulo 2^64 */
  int64_t block_tokens;
  int64_t *residues; /* members by (tokens with KV − clock) mod block_tokens; NULL: not counted */
  tdm_heap ends;     /* by the clock at which the member has its last token */
  tdm_heap longest;  /* by −(tokens with KV − clock) */
  tdm_speculation *speculation; /* NULL: one token a step; else all above but residues, longest */
} tdm_decoders;

/* What a member is when it joins. */
typedef struct {
  uint32_t member;
  uint64_t order;
  int64_t computed;  /* tokens with KV */
  int64_t remaining; /* tokens to come, ≥ 1; with speculation steps until it has them, or less */
} tdm_decoder;

/* `counts_blocks`: members' blocks grow with them. False: out of memory. */
bool tdm_decoders_open(tdm_decoders *decoders, int64_t block_tokens, bool counts_blocks);
void tdm_decoders_close(tdm_decoders *decoders);

bool tdm_decoders_join(tdm_decoders *decoders, const tdm_decoder *decoder);
/* `computed` as of now. */
void tdm_decoders_leave(tdm_decoders *decoders, uint32_t member, int64_t computed);

/* All get `steps` tokens, no more than the first to end has left. */
void tdm_decoders_advance(tdm_decoders *decoders, int64_t steps);

/* Steps until the first has its last token; there is a member. */
int64_t tdm_decoders_first_end(const tdm_decoders *decoders);
/* A member that has its last token, the one of lowest order; TDM_DECODERS_NONE: none. */
#define TDM_DECODERS_NONE UINT32_MAX
uint32_t tdm_decoders_ended(const tdm_decoders *decoders);

/* New blocks that the steps from … from + steps − 1 need, the next step being 0. */
int64_t tdm_decoders_blocks(const tdm_decoders *decoders, int64_t from, int64_t steps);
/* The most steps ≤ steps, from the one after next on, that need no more than `free` blocks. */
int64_t tdm_decoders_fitting(const tdm_decoders *decoders, int64_t steps, int64_t free);

/* The next step of all members, into a zeroed batch. */
void tdm_decoders_add(const tdm_decoders *decoders, tdm_llm_batch *batch);

/* ---- fairness.c */

/* Who was served how much: virtual token counters of tenants (Sheng et al., OSDI 2024).
 *
 * A tenant's counter is the tokens that its requests were served, weighted and divided by its
 * share; prompts count when they are admitted, output as it comes. Next is the tenant with the
 * least counter. Who comes back from idleness is lifted to the least of those that wait, or to the
 * tenant that was last to stop waiting, so that nobody saves up. Tokens of decoding requests are
 * counted by the decoders' clock, none touched in a step; choosing walks over the tenants that
 * wait. Owns tenants; jobs are the queue's. Called by queue and jobs. */

typedef struct {
  uint32_t head, tail;
  int64_t count;
} tdm_job_list;

typedef struct {
  double share;
  double lift;
  int64_t input, output;    /* tokens */
  int64_t decoding, joined; /* requests that decode; Σ of the clocks at which they joined */
  tdm_job_list waiting;     /* first come, first served */
  size_t position;          /* in the backlog while somebody waits */
} tdm_tenant;

#define TDM_NO_TENANT UINT32_MAX

typedef struct {
  double input_weight, output_weight;
  double *shares; /* by tenant, 1 beyond share_count */
  size_t share_count;
  tdm_tenant *tenants;
  size_t count, capacity;
  uint32_t *backlog; /* tenants of which somebody waits */
  size_t backlog_count, backlog_capacity;
  uint32_t last; /* to stop waiting; TDM_NO_TENANT: none did */
  int64_t waiting;
} tdm_fairness;

/* Copies the shares. False: out of memory. */
bool tdm_fairness_open(tdm_fairness *fairness, double input_weight, double output_weight,
                       const double *shares, size_t share_count);
void tdm_fairness_close(tdm_fairness *fairness);

/* False: out of memory. */
bool tdm_fairness_know(tdm_fairness *fairness, uint32_t tenant);
double tdm_fairness_counter(const tdm_fairness *fairness, uint32_t tenant, int64_t clock);

/* Somebody of the tenant waits, for whom its list is the caller's to fill: `lifted` unless it was
 * preempted. False: out of memory. */
bool tdm_fairness_wait(tdm_fairness *fairness, uint32_t tenant, bool lifted, int64_t clock);
void tdm_fairness_leave(tdm_fairness *fairness, uint32_t tenant);

static inline void tdm_fairness_join(tdm_fairness *fairness, uint32_t tenant, int64_t clock) {
  fairness->tenants[tenant].decoding++;
  fairness->tenants[tenant].joined += clock;
}
static inline void tdm_fairness_part(tdm_fairness *fairness, uint32_t tenant, int64_t joined,
                                     int64_t clock) {
  tdm_tenant *t = &fairness->tenants[tenant];
  t->decoding--;
  t->joined -= joined;
  t->output += clock - joined;
}

/* ---- adapters.c */

/* LoRA adapters of one instance: which are on the GPU, and who among them is in use.
 *
 * At most so many are there at a time. Those of running requests stay; of the others the one that
 * was in use longest ago makes room. An adapter is known by a small number once it has been named,
 * and has a list of waiting requests that were passed over for its sake. Owns its tables; requests
 * are jobs of the instance. Work is by changes, never by adapters. Used by the scheduler. */

#define TDM_NO_ADAPTER UINT32_MAX

typedef struct {
  uint64_t id;
  int64_t users; /* running requests */
  bool resident;
  uint32_t before, after; /* resident without users: in order of last use */
  tdm_job_list passed;    /* waiting requests, as they were passed over */
} tdm_adapter;

/* Zeroed: none may be there, and nobody is kept out. */
typedef struct {
  tdm_adapter *items;
  size_t count, capacity;
  tdm_hash_map by_id;           /* numbers of items */
  int64_t most, resident, used; /* used: have users */
  uint32_t oldest, newest;      /* of those without users */
} tdm_adapters;

void tdm_adapters_open(tdm_adapters *adapters, int64_t most);
void tdm_adapters_close(tdm_adapters *adapters);

/* Its number, maybe a new one. False: out of memory. */
bool tdm_adapters_name(tdm_adapters *adapters, uint64_t id, uint32_t *number);

/* One more request may use it now; TDM_NO_ADAPTER may always. */
bool tdm_adapters_admit(const tdm_adapters *adapters, uint32_t number);
/* It is admitted. True: it had to be loaded. */
bool tdm_adapters_take(tdm_adapters *adapters, uint32_t number);
void tdm_adapters_give(tdm_adapters *adapters, uint32_t number);

/* ---- gaps.c */

/* Gaps between tokens, told by group of requests.
 *
 * A row of decode steps gives every sequence of an instance the same gaps, so it is enough to know
 * how many of them are of which group. Requests are told apart in two ways at once, by stage and by
 * tenant: each is in one group of either. Where all are alike nothing is counted, and nothing
 * costs.
 *
 * An instance owns it. Called by jobs, when sequences begin and cease to decode implicitly, and by
 * serving, when their steps are over. */

/* Decoding requests whose last token came at the same time; only where steps are prefill-first,
 * which leave them out. */
typedef struct {
  int64_t since_ns, count;
} tdm_rest;

typedef struct {
  size_t first, second; /* groups of the first way and of the second */
  size_t count;         /* of both; 0: all are alike */
  int64_t *decoding;    /* [group]: sequences */
  int64_t *drafted;     /* [clock % TDM_SPECULATION_WINDOW][group]: their tokens; NULL: one each */
  int64_t *resting;     /* [rest][group]: sequences */
  size_t resting_capacity;
} tdm_gaps;

/* False: out of memory. */
bool tdm_gaps_open(tdm_gaps *gaps, size_t first, size_t second, bool drafts);
void tdm_gaps_close(tdm_gaps *gaps);

/* One sequence of these groups gets `times` gaps of its own. */
void tdm_gaps_one(const tdm_gaps *gaps, const tdm_serving_events *events, const uint32_t groups[2],
                  int64_t begin_ns, int64_t end_ns, int64_t times);
/* All that decode get one in each step; drafts: what came beside them came with the last. */
void tdm_gaps_tell(tdm_gaps *gaps, const tdm_serving_events *events, int64_t clock,
                   const tdm_serving_step *step);
/* Likewise those of one rest, from its begin on. */
void tdm_gaps_tell_rest(const tdm_gaps *gaps, const tdm_serving_events *events, size_t rest,
                        int64_t since_ns, const tdm_serving_step *step);

/* Sequences begin to decode (sign 1), or cease to. */
void tdm_gaps_count(tdm_gaps *gaps, const uint32_t groups[2], int sign);
/* What a sequence that is so at `joined` gets of the steps from `clock` on is counted, or no more.
 * It is walked no further than a window from `joined` on. */
void tdm_gaps_draft(tdm_gaps *gaps, const tdm_speculation *speculation, const uint32_t groups[2],
                    tdm_speculator sequence, int64_t joined, int64_t clock, int sign);
/* Likewise of a rest, which must have room. */
bool tdm_gaps_rest(tdm_gaps *gaps, size_t rest, const uint32_t groups[2], int sign);
/* All that decode are one rest. */
void tdm_gaps_rest_all(tdm_gaps *gaps);

#endif
