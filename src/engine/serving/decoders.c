/* Implicit decoding. Called by the scheduler. */
#include "engine/serving/parts.h"

#include <stdlib.h>

#include "base/memory.h"

bool tdm_decoders_open(tdm_decoders *decoders, int64_t block_tokens, bool counts_blocks) {
  *decoders = (tdm_decoders){.block_tokens = block_tokens};
  if (!counts_blocks) return true;
  decoders->residues = tdm_array_new((size_t)block_tokens, sizeof *decoders->residues);
  return decoders->residues != NULL;
}

void tdm_decoders_close(tdm_decoders *decoders) {
  free(decoders->residues);
  tdm_heap_close(&decoders->ends);
  tdm_heap_close(&decoders->longest);
  free(decoders->speculation);
  *decoders = (tdm_decoders){0};
}

static int64_t residue(const tdm_decoders *decoders, int64_t value) {
  int64_t rest = value % decoders->block_tokens;
  return rest < 0 ? rest + decoders->block_tokens : rest;
}

bool tdm_decoders_join(tdm_decoders *decoders, const tdm_decoder *d) {
  int64_t length = d->computed - decoders->clock;
  tdm_heap_item item = {
      .key = decoders->clock + d->remaining, .order = d->order, .member = d->member};
  if (!tdm_heap_push(&decoders->ends, item)) return false;
  item.key = -length;
  if (decoders->speculation == NULL && !tdm_heap_push(&decoders->longest, item)) {
    tdm_heap_remove(&decoders->ends, d->member);
    return false;
  }
  decoders->count++;
  decoders->computed += d->computed;
  decoders->squares += (uint64_t)d->computed * (uint64_t)d->computed;
  if (decoders->residues != NULL) decoders->residues[residue(decoders, length)]++;
  return true;
}

void tdm_decoders_leave(tdm_decoders *decoders, uint32_t member, int64_t computed) {
  tdm_heap_remove(&decoders->ends, member);
  if (decoders->speculation == NULL) tdm_heap_remove(&decoders->longest, member);
  decoders->count--;
  decoders->computed -= computed;
  decoders->squares -= (uint64_t)computed * (uint64_t)computed;
  if (decoders->residues != NULL)
    decoders->residues[residue(decoders, computed - decoders->clock)]--;
  if (decoders->speculation != NULL && decoders->count == 0)
    tdm_speculation_clear(decoders->speculation);
}

void tdm_decoders_advance(tdm_decoders *decoders, int64_t steps) {
  if (decoders->speculation != NULL) {
    for (; steps > 0; steps--) {
      tdm_speculated *step = tdm_speculation_at(decoders->speculation, decoders->clock++);
      decoders->computed += step->tokens;
      decoders->squares += step->squares;
      *step = (tdm_speculated){0};
    }
    return;
  }
  decoders->clock += steps;
  decoders->squares +=
      (uint64_t)steps * (2 * (uint64_t)decoders->computed + (uint64_t)(steps * decoders->count));
  decoders->computed += steps * decoders->count;
}

int64_t tdm_decoders_first_end(const tdm_decoders *decoders) {
  return tdm_heap_first(&decoders->ends)->key - decoders->clock;
}

uint32_t tdm_decoders_ended(const tdm_decoders *decoders) {
  const tdm_heap_item *first = tdm_heap_first(&decoders->ends);
  return first != NULL && first->key <= decoders->clock ? first->member : TDM_DECODERS_NONE;
}

/* A member needs a block in the step at whose begin its tokens fill its blocks. Those that do in a
 * step have this residue, those in the step after it the one before. */
static int64_t filled_at(const tdm_decoders *decoders, int64_t step) {
  return residue(decoders, -(decoders->clock + step));
}

static int64_t before(const tdm_decoders *decoders, int64_t residue) {
  return residue > 0 ? residue - 1 : decoders->block_tokens - 1;
}

static int64_t speculated_blocks(const tdm_decoders *decoders, int64_t from, int64_t steps) {
  int64_t blocks = 0;
  for (int64_t i = 0; i < steps; i++)
    blocks += tdm_speculation_at(decoders->speculation, decoders->clock + from + i)->blocks;
  return blocks;
}

int64_t tdm_decoders_blocks(const tdm_decoders *decoders, int64_t from, int64_t steps) {
  if (decoders->speculation != NULL) return speculated_blocks(decoders, from, steps);
  if (steps <= 0 || decoders->residues == NULL || decoders->count == 0) return 0;
  if (steps == 1) return decoders->residues[filled_at(decoders, from)];
  int64_t rounds = steps / decoders->block_tokens, blocks = rounds * decoders->count;
  int64_t filled = filled_at(decoders, from); /* as after whole rounds */
  for (int64_t i = rounds * decoders->block_tokens; i < steps; i++) {
    blocks += decoders->residues[filled];
    filled = before(decoders, filled);
  }
  return blocks;
}

int64_t tdm_decoders_fitting(const tdm_decoders *decoders, int64_t steps, int64_t free_blocks) {
  if (decoders->residues == NULL || decoders->count == 0) return steps;
  int64_t rounds = free_blocks / decoders->count;
  if (rounds > steps / decoders->block_tokens) return steps;
  free_blocks -= rounds * decoders->count;
  int64_t fitting = rounds * decoders->block_tokens, filled = filled_at(decoders, 1);
  for (; fitting < steps; fitting++) { /* less than a round: the blocks do not last for one */
    free_blocks -= decoders->residues[filled];
    if (free_blocks < 0) break;
    filled = before(decoders, filled);
  }
  return fitting;
}

void tdm_decoders_add(const tdm_decoders *decoders, tdm_llm_batch *batch) {
  if (decoders->count == 0) return;
  int64_t moved = decoders->clock + 1; /* a step reads the token that it makes room for */
  batch->decode_seqs = decoders->count;
  batch->decode_context = (double)(decoders->computed + decoders->count);
  if (decoders->speculation != NULL)
    batch->decode_context_max =
        tdm_speculation_at(decoders->speculation, decoders->clock)->longest + 1;
  else
    batch->decode_context_max = moved - tdm_heap_first(&decoders->longest)->key;
  batch->decode_squares =
      (double)(decoders->squares + (uint64_t)(2 * decoders->computed + decoders->count));
  batch->sampled = decoders->count;
  if (decoders->speculation != NULL)
    tdm_llm_batch_add_drafts(batch, decoders->count, decoders->speculation->draft,
                             batch->decode_context);
}
