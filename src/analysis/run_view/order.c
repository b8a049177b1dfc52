/* Rows of a table into their order: by start, longer ones first, then as they came.
 *
 * Rows come in a few long stretches that are in order (chunks, categories): these are found and
 * merged as numbers of rows, so that a table of millions takes a fraction of itself while it is
 * sorted; then one column after the other is gathered. Called by load.c. */
#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/inside.h"
#include "base/memory.h"

typedef struct {
  const int64_t *start_ns, *dur_ns;
  uint32_t *row, *spare; /* [count] */
  uint32_t *begin;       /* of each stretch; then the end of the last */
  size_t stretches, room;
} ordering;

/* Whether row b must stand before row a, which came before it. */
static bool is_wrong(const ordering *o, uint32_t a, uint32_t b) {
  return o->start_ns[a] > o->start_ns[b] ||
         (o->start_ns[a] == o->start_ns[b] && o->dur_ns[a] < o->dur_ns[b]);
}

static bool find_stretches(ordering *o, size_t count) {
  for (size_t row = 0; row <= count; row++) {
    if (row > 0 && row < count && !is_wrong(o, (uint32_t)row - 1, (uint32_t)row)) continue;
    if (!tdm_array_grow(&o->begin, &o->room, o->stretches + 1, sizeof *o->begin)) return false;
    o->begin[o->stretches++] = (uint32_t)row;
  }
  o->stretches--;
  return true;
}

/* Of the places from low to high, in order, how many begin those of which `row` is not wrong. */
static uint32_t past(const ordering *o, uint32_t low, uint32_t high, uint32_t row, bool is_before) {
  while (low < high) {
    uint32_t middle = low + (high - low) / 2, other = o->row[middle];
    if (is_before ? is_wrong(o, row, other) : !is_wrong(o, other, row))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Two stretches side by side; only what overlaps is touched. */
static void merge(ordering *o, uint32_t low, uint32_t middle, uint32_t high) {
  uint32_t *row = o->row;
  if (!is_wrong(o, row[middle - 1], row[middle])) return;
  low = past(o, low, middle, row[middle], false);
  high = past(o, middle, high, row[middle - 1], true);
  memcpy(o->spare, row + low, (middle - low) * sizeof *row);
  uint32_t left = 0, lefts = middle - low, right = middle;
  while (left < lefts && right < high)
    row[low++] = is_wrong(o, o->spare[left], row[right]) ? row[right++] : o->spare[left++];
  memcpy(row + low, o->spare + left, (lefts - left) * sizeof *row);
}

static void merge_all(ordering *o) {
  while (o->stretches > 1) {
    size_t kept = 0;
    for (size_t i = 0; i < o->stretches; i += 2) {
      if (i + 1 < o->stretches) merge(o, o->begin[i], o->begin[i + 1], o->begin[i + 2]);
      o->begin[kept++] = o->begin[i];
    }
    o->begin[kept] = o->begin[o->stretches];
    o->stretches = kept;
  }
}

static bool gather(const ordering *o, void **column, size_t width, size_t count) {
  void *gathered = malloc(count * width);
  if (gathered == NULL) return false;
  if (width == sizeof(int64_t))
    for (size_t i = 0; i < count; i++) ((int64_t *)gathered)[i] = ((int64_t *)*column)[o->row[i]];
  else
    for (size_t i = 0; i < count; i++) ((int32_t *)gathered)[i] = ((int32_t *)*column)[o->row[i]];
  free(*column);
  *column = gathered;
  return true;
}

static bool order(ordering *o, tdm_loaded *loaded, size_t columns, size_t count) {
  o->row = malloc(count * sizeof *o->row);
  o->spare = malloc(count * sizeof *o->spare);
  if (o->row == NULL || o->spare == NULL) return false;
  for (size_t i = 0; i < count; i++) o->row[i] = (uint32_t)i;
  merge_all(o);
  free(o->spare);
  o->spare = NULL;
  bool fine = true;
  for (size_t c = 0; fine && c < columns; c++)
    fine = gather(o, &loaded->column[c], tdm_loaded_width(c), count);
  return fine;
}

bool tdm_loaded_order(tdm_loaded *loaded, size_t columns) {
  size_t count = loaded->table.count;
  ordering o = {.start_ns = loaded->column[TDM_START], .dur_ns = loaded->column[TDM_DUR]};
  if (count == 0) return true;
  bool fine = count < UINT32_MAX && find_stretches(&o, count);
  if (fine && o.stretches > 1) {
    fine = order(&o, loaded, columns, count);
    if (fine) loaded->room = count;
  }
  free(o.row);
  free(o.spare);
  free(o.begin);
  return fine;
}
