/* A merge sort of row numbers, then each column is gathered. See row_sort.h. */
#include "trace/row_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void tdm_row_sorter_free(tdm_row_sorter *sorter) {
  free(sorter->index);
  free(sorter->other);
  free(sorter->column);
  *sorter = (tdm_row_sorter){0};
}

static int reserve(tdm_row_sorter *sorter, size_t count) {
  if (count <= sorter->room) return 1;
  tdm_row_sorter_free(sorter);
  sorter->index = tdm_array_new(count, sizeof *sorter->index);
  sorter->other = tdm_array_new(count, sizeof *sorter->other);
  sorter->column = tdm_array_new(count, sizeof *sorter->column);
  if (sorter->index == NULL || sorter->other == NULL || sorter->column == NULL) {
    tdm_row_sorter_free(sorter);
    return 0;
  }
  sorter->room = count;
  return 1;
}

/* Whether row b may stand after row a. */
static int in_order(const int64_t *start, const int64_t *dur, size_t a, size_t b) {
  return start[a] != start[b] ? start[a] < start[b] : dur[a] >= dur[b];
}

static void merge(const int64_t *start, const int64_t *dur, const uint32_t *from, uint32_t *to,
                  size_t left, size_t middle, size_t right) {
  size_t a = left, b = middle;
  for (size_t at = left; at < right; at++)
    to[at] = a < middle && (b >= right || in_order(start, dur, from[a], from[b])) ? from[a++]
                                                                                  : from[b++];
}

int tdm_rows_sort(tdm_row_sorter *sorter, int64_t *const *column, uint32_t columns, size_t count) {
  const int64_t *start = column[0], *dur = column[1];
  size_t sorted = 1;
  while (sorted < count && in_order(start, dur, sorted - 1, sorted)) sorted++;
  if (sorted >= count) return 1;
  if (!reserve(sorter, count)) return 0;
  uint32_t *from = sorter->index, *to = sorter->other;
  for (size_t i = 0; i < count; i++) from[i] = (uint32_t)i;
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t left = 0; left < count; left += 2 * width) {
      size_t middle = left + width < count ? left + width : count;
      size_t right = middle + width < count ? middle + width : count;
      merge(start, dur, from, to, left, middle, right);
    }
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
  for (uint32_t c = 0; c < columns; c++) {
    for (size_t i = 0; i < count; i++) sorter->column[i] = column[c][from[i]];
    memcpy(column[c], sorter->column, count * sizeof *sorter->column);
  }
  return 1;
}
