/* A merge sort of keys, then each column is gathered. See row_sort.h.
 *
 * Records come as their spans end, so neighbours are often the wrong way round and distant rows
 * hardly ever: short runs are sorted by insertion, and a merge touches only what overlaps. */
#include "trace/row_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { RUN = 16 };

struct tdm_row_key {
  int64_t start, dur;
  size_t row;
};
typedef struct tdm_row_key row_key;

void tdm_row_sorter_free(tdm_row_sorter *sorter) {
  free(sorter->key);
  free(sorter->spare);
  free(sorter->column);
  *sorter = (tdm_row_sorter){0};
}

static int reserve(tdm_row_sorter *sorter, size_t count) {
  if (count <= sorter->room) return 1;
  tdm_row_sorter_free(sorter);
  sorter->key = tdm_array_new(count, sizeof *sorter->key);
  sorter->spare = tdm_array_new(count, sizeof *sorter->spare);
  sorter->column = tdm_array_new(count, sizeof *sorter->column);
  if (sorter->key == NULL || sorter->spare == NULL || sorter->column == NULL) {
    tdm_row_sorter_free(sorter);
    return 0;
  }
  sorter->room = count;
  return 1;
}

/* Whether b must stand before a, which came before it. Without a branch: none could be foreseen. */
static inline size_t wrong(const row_key *a, const row_key *b) {
  return (size_t)((a->start > b->start) | ((a->start == b->start) & (a->dur < b->dur)));
}

static void sort_run(row_key *keys, size_t count) {
  for (size_t i = 1; i < count; i++) {
    row_key moved = keys[i];
    size_t at = i;
    for (; at > 0 && wrong(&keys[at - 1], &moved); at--) keys[at] = keys[at - 1];
    keys[at] = moved;
  }
}

/* Merges keys[0…middle) and keys[middle…high), each of them in order. */
static void merge(row_key *keys, row_key *spare, size_t middle, size_t high) {
  if (!wrong(&keys[middle - 1], &keys[middle])) return;
  size_t low = 0;
  for (size_t above = middle; low < above;) { /* what stands before all of the right stays */
    size_t half = low + (above - low) / 2;
    if (wrong(&keys[half], &keys[middle]))
      above = half;
    else
      low = half + 1;
  }
  memcpy(spare, keys + low, (middle - low) * sizeof *spare);
  const row_key *left = spare, *right = keys + middle;
  const row_key *left_end = spare + (middle - low), *right_end = keys + high;
  row_key *to = keys + low;
  while (left < left_end && right < right_end) {
    size_t second = wrong(left, right);
    *to++ = *(second ? right : left);
    right += second;
    left += 1 - second;
  }
  memcpy(to, left, (size_t)(left_end - left) * sizeof *to);
}

int tdm_rows_sort(tdm_row_sorter *sorter, int64_t *const *column, uint32_t columns, size_t count) {
  const int64_t *start = column[0], *dur = column[1];
  size_t sorted = 1;
  while (sorted < count && (start[sorted - 1] < start[sorted] ||
                            (start[sorted - 1] == start[sorted] && dur[sorted - 1] >= dur[sorted])))
    sorted++;
  if (sorted >= count) return 1;
  if (!reserve(sorter, count)) return 0;
  row_key *keys = sorter->key;
  for (size_t i = 0; i < count; i++) keys[i] = (row_key){start[i], dur[i], i};
  for (size_t low = 0; low < count; low += RUN)
    sort_run(keys + low, count - low < RUN ? count - low : RUN);
  for (size_t width = RUN; width < count; width *= 2)
    for (size_t low = 0; low + width < count; low += 2 * width)
      merge(keys + low, sorter->spare, width, count - low < 2 * width ? count - low : 2 * width);
  for (size_t i = 0; i < count; i++) column[0][i] = keys[i].start;
  for (size_t i = 0; i < count; i++) column[1][i] = keys[i].dur;
  for (uint32_t c = 2; c < columns; c++) {
    for (size_t i = 0; i < count; i++) sorter->column[i] = column[c][keys[i].row];
    memcpy(column[c], sorter->column, count * sizeof *sorter->column);
  }
  return 1;
}
