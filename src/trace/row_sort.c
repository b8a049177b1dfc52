/* A merge sort of keys, then each column is gathered. See row_sort.h.
 *
 * Records come as their spans end, so neighbours are often the wrong way round and distant rows
 * hardly ever: only stretches that are out of order are sorted; in them short runs by insertion,
 * and a merge touches only what overlaps. */
#include "trace/row_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { RUN = 16, STRETCH = 256 /* what sorting one apart costs, in rows */ };

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

/* Rows low … high - 1. */
static int sort_slice(tdm_row_sorter *sorter, int64_t *const *column, uint32_t columns, size_t low,
                      size_t high) {
  size_t count = high - low;
  if (!reserve(sorter, count)) return 0;
  row_key *keys = sorter->key;
  int64_t *start = column[0] + low, *dur = column[1] + low;
  for (size_t i = 0; i < count; i++) keys[i] = (row_key){start[i], dur[i], i};
  for (size_t at = 0; at < count; at += RUN)
    sort_run(keys + at, count - at < RUN ? count - at : RUN);
  for (size_t width = RUN; width < count; width *= 2)
    for (size_t at = 0; at + width < count; at += 2 * width)
      merge(keys + at, sorter->spare, width, count - at < 2 * width ? count - at : 2 * width);
  for (size_t i = 0; i < count; i++) start[i] = keys[i].start;
  for (size_t i = 0; i < count; i++) dur[i] = keys[i].dur;
  for (uint32_t c = 2; c < columns; c++) {
    for (size_t i = 0; i < count; i++) sorter->column[i] = column[c][low + keys[i].row];
    memcpy(column[c] + low, sorter->column, count * sizeof *sorter->column);
  }
  return 1;
}

static row_key key_at(int64_t *const *column, size_t row) {
  return (row_key){column[0][row], column[1][row], row};
}

/* Past the rows from `row` on that must stand before the row ahead of it, *least being the first of
 * them in order. */
static size_t past_moved(int64_t *const *column, size_t row, size_t count, row_key *least) {
  row_key last = key_at(column, row - 1);
  *least = key_at(column, row);
  for (; row < count; row++) {
    row_key here = key_at(column, row);
    if (!wrong(&last, &here)) break;
    if (wrong(least, &here)) *least = here;
  }
  return row;
}

/* The first of `count` sorted rows that must stand after `moved`. */
static size_t first_after(int64_t *const *column, size_t count, const row_key *moved) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    row_key other = key_at(column, middle);
    if (wrong(&other, moved))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

int tdm_rows_sort(tdm_row_sorter *sorter, int64_t *const *column, uint32_t columns, size_t count) {
  size_t budget = count; /* spent on stretches; then all rows are sorted at once */
  for (size_t row = 1; row < count; row++) {
    row_key before = key_at(column, row - 1), here = key_at(column, row), least;
    if (!wrong(&before, &here)) continue;
    size_t high = past_moved(column, row, count, &least);
    size_t low = first_after(column, row, &least), cost = high - low + STRETCH;
    if (cost > budget) return sort_slice(sorter, column, columns, 0, count);
    budget -= cost;
    if (!sort_slice(sorter, column, columns, low, high)) return 0;
    row = high - 1;
  }
  return 1;
}
