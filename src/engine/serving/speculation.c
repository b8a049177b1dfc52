/* Sequences walked ahead. Called by the decoders and the scheduler. */
#include "engine/serving/parts.h"

#include <string.h>

#include "base/rng.h"

void tdm_speculation_open(tdm_speculation *speculation, int64_t draft, double acceptance,
                          int64_t block_tokens) {
  memset(speculation, 0, sizeof *speculation);
  speculation->draft = draft;
  speculation->block_tokens = block_tokens;
  double chance = 1;
  for (int64_t i = 0; i < draft; i++) speculation->chances[i] = chance *= acceptance;
}

int64_t tdm_speculation_accepted(const tdm_speculation *speculation, uint64_t luck,
                                 int64_t generated) {
  double unit = tdm_stream_unit((tdm_stream){luck}, (uint64_t)generated);
  int64_t accepted = 0;
  while (accepted < speculation->draft && unit <= speculation->chances[accepted]) accepted++;
  return accepted;
}

/* One step: what it adds to the sums of all. */
static tdm_speculated walk(const tdm_speculation *speculation, tdm_speculator *q) {
  tdm_speculated step = {.longest = q->computed};
  int64_t size = speculation->block_tokens;
  int64_t blocks = (q->computed + 1 + speculation->draft + size - 1) / size;
  if (blocks > q->blocks) {
    step.blocks = blocks - q->blocks;
    q->blocks = blocks;
  }
  step.accepted = tdm_speculation_accepted(speculation, q->luck, q->generated);
  step.tokens = 1 + step.accepted;
  if (step.tokens > q->output - q->generated) step.tokens = q->output - q->generated;
  step.squares = (uint64_t)step.tokens * (uint64_t)(2 * q->computed + step.tokens);
  q->settled = q->computed + 1;
  q->generated += step.tokens;
  q->computed += step.tokens;
  return step;
}

int64_t tdm_speculation_walk(const tdm_speculation *speculation, tdm_speculator *sequence) {
  return walk(speculation, sequence).tokens;
}

int64_t tdm_speculation_join(tdm_speculation *speculation, int64_t clock, tdm_speculator sequence) {
  int64_t steps = 0;
  while (steps < TDM_SPECULATION_WINDOW && sequence.generated < sequence.output) {
    tdm_speculated one = walk(speculation, &sequence);
    tdm_speculated *all = tdm_speculation_at(speculation, clock + steps++);
    all->tokens += one.tokens;
    all->accepted += one.accepted;
    all->blocks += one.blocks;
    all->squares += one.squares;
    if (one.longest > all->longest) all->longest = one.longest;
  }
  return steps;
}

void tdm_speculation_leave(tdm_speculation *speculation, int64_t joined, int64_t clock,
                           tdm_speculator *sequence) {
  for (int64_t at = joined; at < clock; at++) walk(speculation, sequence);
  tdm_speculator rest = *sequence;
  for (int64_t at = clock; at < joined + TDM_SPECULATION_WINDOW && rest.generated < rest.output;
       at++) {
    tdm_speculated one = walk(speculation, &rest);
    tdm_speculated *all = tdm_speculation_at(speculation, at);
    all->tokens -= one.tokens;
    all->accepted -= one.accepted;
    all->blocks -= one.blocks;
    all->squares -= one.squares;
  }
}

void tdm_speculation_clear(tdm_speculation *speculation) {
  memset(speculation->steps, 0, sizeof speculation->steps);
}
