/* Rows of a table into their order: by start, longer ones first, then as they came.
 *
 * They come in a few long stretches that are in order (chunks, categories). Their numbers are
 * sorted, so that a table of millions takes a fraction of itself meanwhile; then one column after
 * the other is gathered. Called by load.c. */
#include <stdlib.h>

#include "analysis/run_view/inside.h"
#include "base/natural_order.h"

static bool is_wrong(const void *context, uint32_t a, uint32_t b) {
  const tdm_loaded *loaded = context;
  const int64_t *start_ns = loaded->column[TDM_START], *dur_ns = loaded->column[TDM_DUR];
  return start_ns[a] > start_ns[b] || (start_ns[a] == start_ns[b] && dur_ns[a] < dur_ns[b]);
}

static bool gather(void **column, size_t width, const uint32_t *row, size_t count) {
  void *gathered = malloc(count * width);
  if (gathered == NULL) return false;
  if (width == sizeof(int64_t))
    for (size_t i = 0; i < count; i++) ((int64_t *)gathered)[i] = ((int64_t *)*column)[row[i]];
  else
    for (size_t i = 0; i < count; i++) ((int32_t *)gathered)[i] = ((int32_t *)*column)[row[i]];
  free(*column);
  *column = gathered;
  return true;
}

bool tdm_loaded_order(tdm_loaded *loaded, size_t columns) {
  size_t count = loaded->table.count;
  bool sorted;
  uint32_t *row = tdm_natural_order(count, is_wrong, loaded, &sorted);
  if (sorted) return true;
  if (row == NULL) return false;
  bool fine = true;
  for (size_t c = 0; fine && c < columns; c++)
    fine = loaded->column[c] == NULL || gather(&loaded->column[c], tdm_loaded_width(c), row, count);
  if (fine) loaded->room = count;
  free(row);
  return fine;
}
