/* Rows of a table into their order: by start, longer ones first, then as they came.
 *
 * They come in a few long stretches that are in order (chunks, categories). Their numbers are
 * sorted, so that a table of millions takes a fraction of itself meanwhile; then one column after
 * the other is gathered. Called by load.c. */
#include <stdlib.h>

#include "analysis/run_view/inside.h"
#include "base/natural_order.h"

typedef struct {
  const tdm_kept_rows *rows;
  const uint32_t *row; /* in order; NULL: they are */
  uint32_t column;
} gathering;

static bool is_wrong(const void *context, uint32_t a, uint32_t b) {
  const tdm_kept_rows *rows = context;
  int64_t a_ns = tdm_kept(rows, TDM_START, a), b_ns = tdm_kept(rows, TDM_START, b);
  if (a_ns != b_ns) return a_ns > b_ns;
  return tdm_kept(rows, TDM_DUR, a) < tdm_kept(rows, TDM_DUR, b);
}

static void values_of(const void *context, size_t row, size_t count, int64_t *out) {
  const gathering *g = context;
  const tdm_kept_block *blocks = g->rows->column[g->column];
  for (size_t i = 0; i < count; i++) out[i] = tdm_kept_in(blocks, g->row[row + i]);
}

static void ends_of(const void *context, size_t row, size_t count, int64_t *out) {
  const gathering *g = context;
  for (size_t i = 0; i < count; i++) {
    size_t from = g->row != NULL ? g->row[row + i] : row + i;
    out[i] =
        tdm_loaded_end_ns(tdm_kept(g->rows, TDM_START, from), tdm_kept(g->rows, TDM_DUR, from));
  }
}

bool tdm_loaded_order(tdm_loaded *loaded) {
  tdm_kept_rows *rows = &loaded->rows;
  bool sorted;
  uint32_t *row = tdm_natural_order(rows->count, is_wrong, rows, &sorted);
  if (row == NULL && !sorted) return false;
  gathering g = {rows, row, TDM_DUR};
  bool fine = tdm_kept_rows_rewrite(rows, TDM_DUR, ends_of, &g);
  for (g.column = 0; !sorted && fine && g.column < rows->columns; g.column++)
    if (g.column != TDM_DUR) fine = tdm_kept_rows_rewrite(rows, g.column, values_of, &g);
  free(row);
  return fine;
}
