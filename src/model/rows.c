/* Which recorded row a request has. See rows.h. */
#include "model/rows.h"

#include <stdlib.h>

void tdm_rows_clear(tdm_request_rows *rows) {
  for (size_t i = 0; i < rows->column_count; i++) free(rows->columns[i]);
  free(rows->columns);
  free(rows->firsts);
  free(rows->roots);
  free(rows->begins);
  free(rows->joins);
  free(rows->block_ids);
  free(rows->block_ends);
  free(rows->segments);
  free(rows->segment_tokens);
  free(rows->segment_ends);
  *rows = (tdm_request_rows){0};
}

/* Who is begun by a row of an earlier conversation cannot begin itself. */
static tdm_status check_agents(const tdm_request_rows *rows, tdm_error *error) {
  if (rows->roots == NULL && rows->begin_count == 0 && rows->join_count == 0) return TDM_OK;
  bool roots = rows->firsts != NULL && rows->root_count > 0;
  for (size_t i = 0; roots && i < rows->root_count; i++)
    roots = rows->roots[i] < rows->conversations && (i == 0 || rows->roots[i] > rows->roots[i - 1]);
  if (!roots) return tdm_error_set(error, TDM_INVALID, "rows: roots are not conversations, rising");
  for (size_t i = 0; i < rows->begin_count; i++) {
    const tdm_row_begins *b = &rows->begins[i];
    bool rises = i == 0 || b->row >= rows->begins[i - 1].row;
    if (!rises || b->unit >= rows->conversations || b->row >= rows->firsts[b->unit])
      return tdm_error_set(error, TDM_INVALID, "rows: sub-agent %zu is begun by no row before it",
                           i + 1);
  }
  for (size_t i = 0; i < rows->join_count; i++)
    if (rows->joins[i] >= rows->count || (i > 0 && rows->joins[i] <= rows->joins[i - 1]))
      return tdm_error_set(error, TDM_INVALID, "rows: joins are not rows, rising");
  return TDM_OK;
}

tdm_status tdm_rows_check(const tdm_request_rows *rows, tdm_error *error) {
  for (size_t i = 0; i < rows->conversations; i++) {
    size_t before = i > 0 ? rows->firsts[i - 1] : 0;
    bool rises = i > 0 ? rows->firsts[i] > before : rows->firsts[i] == 0;
    if (!rises || rows->firsts[i] >= rows->count)
      return tdm_error_set(error, TDM_INVALID, "rows: conversation %zu begins nowhere", i + 1);
  }
  tdm_status status = check_agents(rows, error);
  if (status != TDM_OK) return status;
  for (size_t i = 0; rows->block_ends != NULL && i < rows->count; i++)
    if (i > 0 && rows->block_ends[i] < rows->block_ends[i - 1])
      return tdm_error_set(error, TDM_INVALID, "rows: blocks of row %zu end before they begin",
                           i + 1);
  return TDM_OK;
}

size_t tdm_rows_turn(const tdm_request_rows *rows, size_t unit, uint64_t round) {
  if (rows->firsts == NULL) return unit;
  size_t end = unit + 1 < rows->conversations ? rows->firsts[unit + 1] : rows->count;
  size_t turns = end - rows->firsts[unit];
  return rows->firsts[unit] + (size_t)(round < turns ? round : turns - 1);
}

size_t tdm_rows_at(const tdm_request_rows *rows, tdm_stream picks, uint64_t n, uint64_t round) {
  size_t units = tdm_rows_units(rows);
  size_t unit =
      (size_t)(rows->random ? tdm_index_below(tdm_stream_bits(picks, n), units) : n % units);
  return tdm_rows_turn(rows, rows->roots != NULL ? rows->roots[unit] : unit, round);
}

const tdm_row_begins *tdm_rows_begun(const tdm_request_rows *rows, size_t row, size_t *count) {
  size_t low = 0, high = rows->begin_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (rows->begins[middle].row < row)
      low = middle + 1;
    else
      high = middle;
  }
  size_t end = low;
  while (end < rows->begin_count && rows->begins[end].row == row) end++;
  *count = end - low;
  return rows->begins + low;
}

bool tdm_rows_joins(const tdm_request_rows *rows, size_t row) {
  size_t low = 0, high = rows->join_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (rows->joins[middle] == row) return true;
    if (rows->joins[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}
