/* What the spans of a row within one chunk come to by name and layout, so that a page sums up a
 * long range without unpacking its chunks: only those at its ends. See inside.h.
 *
 * Few spans are summed up as fast by themselves; a run whose rows are so short that this would be
 * as long as they are has none, either. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "write/timeline/inside.h"

enum { FIRST, NAME, LAYOUT, COUNT, TOTAL, LONGEST, COLUMNS };
enum { WORTH_IT = 16 * TDM_CHUNK_ROWS, SHARE = 16 };

typedef struct {
  int64_t name;
  uint32_t layout;
  int64_t length_ns;
} item;

static int by_name(const void *left, const void *right) {
  const item *a = left, *b = right;
  if (a->name != b->name) return TDM_ORDER(a->name, b->name);
  return TDM_ORDER(a->layout, b->layout);
}

/* Rows of the table for the `count` items of a stretch; how many there are in all, at most `most`.
 */
static size_t put_stretch(int64_t *const *column, size_t rows, size_t most, size_t first,
                          item *items, size_t count) {
  qsort(items, count, sizeof *items, by_name);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || by_name(&items[i - 1], &items[i]) != 0) {
      if (rows == most) return most + 1;
      column[FIRST][rows] = (int64_t)first;
      column[NAME][rows] = items[i].name;
      column[LAYOUT][rows] = items[i].layout;
      column[COUNT][rows] = column[TOTAL][rows] = column[LONGEST][rows] = 0;
      rows++;
    }
    size_t at = rows - 1;
    column[COUNT][at]++;
    if (__builtin_add_overflow(column[TOTAL][at], items[i].length_ns, &column[TOTAL][at]))
      column[TOTAL][at] = INT64_MAX; /* damaged lengths */
    if (items[i].length_ns > column[LONGEST][at]) column[LONGEST][at] = items[i].length_ns;
  }
  return rows;
}

/* How many rows there are; more than `most`: too many. */
static size_t fill(const tdm_frame *f, int64_t *const *column, size_t most, item *items) {
  size_t rows = 0;
  for (uint32_t row = 0; row < f->rows && rows <= most; row++) {
    for (size_t n = f->first[row]; n < f->first[row + 1] && rows <= most;) {
      size_t end = n - n % TDM_CHUNK_ROWS + TDM_CHUNK_ROWS, begin = n;
      if (end > f->first[row + 1]) end = f->first[row + 1];
      for (; n < end; n++) {
        tdm_frame_span span = tdm_frame_span_at(f, n);
        items[n - begin] = (item){span.name, span.layout, span.end_ns - span.start_ns};
      }
      rows = put_stretch(column, rows, most, begin, items, end - begin);
    }
  }
  return rows;
}

tdm_status tdm_timeline_sums(tdm_timeline_run *run, tdm_error *error) {
  const tdm_frame *f = run->frame;
  size_t spans = f->first[f->rows], most = spans >= WORTH_IT ? spans / SHARE : 0, rows = 0;
  int64_t *column[COLUMNS] = {0};
  if (most > 0) {
    int64_t *cells = tdm_array_new(COLUMNS * most, sizeof *cells);
    item *items = tdm_array_new(TDM_CHUNK_ROWS, sizeof *items);
    for (size_t c = 0; cells != NULL && c < COLUMNS; c++) column[c] = cells + c * most;
    if (cells != NULL && items != NULL) rows = fill(f, column, most, items);
    free(items);
    if (cells == NULL || items == NULL) {
      free(cells);
      return tdm_error_memory(error, "the sums of a timeline", spans);
    }
  }
  tdm_timeline_list(run, "sums", column, COLUMNS, rows <= most ? rows : 0);
  free(column[0]);
  return TDM_OK;
}
