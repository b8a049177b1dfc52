/* Some of many numbers, each with its place among those that are picked: a bit for each of all and
 * a count for each word, where an array by number would be mostly empty.
 *
 * Owns its arrays. Used by the graph of the critical path: for calls among records, joints among
 * points. */
#ifndef TDM_ANALYSIS_PATH_PICKS_H
#define TDM_ANALYSIS_PATH_PICKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TDM_PICKS_WORD = 64 };

typedef struct {
  uint64_t *bit;
  uint32_t *before; /* by word: how many are picked before it; once they are numbered */
  size_t words, count;
} tdm_picks;

/* False: out of memory; tdm_picks_close it all the same. */
bool tdm_picks_open(tdm_picks *picks, size_t numbers);
void tdm_picks_close(tdm_picks *picks);

static inline void tdm_picks_add(tdm_picks *picks, uint32_t number) {
  picks->bit[number / TDM_PICKS_WORD] |= (uint64_t)1 << number % TDM_PICKS_WORD;
}

/* After the last was added. */
void tdm_picks_count(tdm_picks *picks);
/* The picked numbers in order: numbers [count]. */
void tdm_picks_list(const tdm_picks *picks, uint32_t *numbers);

/* The place of a number that is picked. */
static inline uint32_t tdm_picks_place(const tdm_picks *picks, uint32_t number) {
  size_t word = number / TDM_PICKS_WORD;
  uint64_t lower = ((uint64_t)1 << number % TDM_PICKS_WORD) - 1;
  return picks->before[word] + (uint32_t)__builtin_popcountll(picks->bit[word] & lower);
}

#endif
