/* Speculative decoding: in each step some tokens are drafted for every decoding sequence, which
 * verifies them all at once and keeps those before the first wrong one, and one more.
 *
 * Each drafted token is right with the same probability, whatever came before; how many are right
 * depends on the sequence's own stream and its place in the output alone, so that neither order nor
 * preemption changes anybody's luck. A sequence that joins is walked through its next steps at once
 * and adds what it will get to sums by step: a step then costs the same for any number of them. An
 * instance's decoders own it. */
#ifndef TDM_ENGINE_SERVING_SPECULATION_H
#define TDM_ENGINE_SERVING_SPECULATION_H

#include <stdint.h>

#define TDM_DRAFT_MAX          64
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

#endif
