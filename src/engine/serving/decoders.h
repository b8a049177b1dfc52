/* The sequences of one instance that get one token in every step, kept so that a step need not
 * touch them.
 *
 * A clock counts steps; a member's numbers are those it joined with plus what the clock has moved
 * since. Sums tell what a step model asks; heaps tell who ends first and who is longest; counts by
 * residue tell how many need a new KV block in any coming step. Owns its heaps and counts, knows no
 * requests: members are small numbers. Used by the scheduler. */
#ifndef TDM_ENGINE_SERVING_DECODERS_H
#define TDM_ENGINE_SERVING_DECODERS_H

#include "engine/serving/heap.h"
#include "engine/serving/speculation.h"
#include "model/llm/batch.h"

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

#endif
