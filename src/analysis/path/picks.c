/* See picks.h. */
#include "analysis/path/picks.h"

#include <stdlib.h>

#include "base/memory.h"

bool tdm_picks_open(tdm_picks *picks, size_t numbers) {
  size_t words = numbers / TDM_PICKS_WORD + 1;
  *picks = (tdm_picks){.bit = tdm_array_new(words, sizeof *picks->bit),
                       .before = tdm_array_raw(words, sizeof *picks->before),
                       .words = words};
  return picks->bit != NULL && picks->before != NULL;
}

void tdm_picks_close(tdm_picks *picks) {
  free(picks->bit);
  free(picks->before);
  *picks = (tdm_picks){0};
}

void tdm_picks_count(tdm_picks *picks) {
  picks->count = 0;
  for (size_t w = 0; w < picks->words; w++) {
    picks->before[w] = (uint32_t)picks->count;
    picks->count += (size_t)__builtin_popcountll(picks->bit[w]);
  }
}

void tdm_picks_list(const tdm_picks *picks, uint32_t *numbers) {
  size_t count = 0;
  for (size_t w = 0; w < picks->words; w++)
    for (uint64_t left = picks->bit[w]; left != 0; left &= left - 1)
      numbers[count++] = (uint32_t)(w * TDM_PICKS_WORD) + (uint32_t)__builtin_ctzll(left);
}
