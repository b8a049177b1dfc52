/* Which recorded row a request has. See rows.h. */
#include "model/rows.h"

#include <stdlib.h>

void tdm_rows_clear(tdm_request_rows *rows) {
  for (size_t i = 0; i < rows->column_count; i++) free(rows->columns[i]);
  free(rows->columns);
  free(rows->firsts);
  free(rows->block_ids);
  free(rows->block_ends);
  *rows = (tdm_request_rows){0};
}

tdm_status tdm_rows_check(const tdm_request_rows *rows, tdm_error *error) {
  for (size_t i = 0; i < rows->conversations; i++) {
    size_t before = i > 0 ? rows->firsts[i - 1] : 0;
    bool rises = i > 0 ? rows->firsts[i] > before : rows->firsts[i] == 0;
    if (!rises || rows->firsts[i] >= rows->count)
      return tdm_error_set(error, TDM_INVALID, "rows: conversation %zu begins nowhere", i + 1);
  }
  for (size_t i = 0; rows->block_ends != NULL && i < rows->count; i++)
    if (i > 0 && rows->block_ends[i] < rows->block_ends[i - 1])
      return tdm_error_set(error, TDM_INVALID, "rows: blocks of row %zu end before they begin",
                           i + 1);
  return TDM_OK;
}

size_t tdm_rows_at(const tdm_request_rows *rows, tdm_stream picks, uint64_t n, uint64_t round) {
  size_t units = tdm_rows_units(rows);
  size_t unit =
      (size_t)(rows->random ? tdm_index_below(tdm_stream_bits(picks, n), units) : n % units);
  if (rows->firsts == NULL) return unit;
  size_t end = unit + 1 < units ? rows->firsts[unit + 1] : rows->count;
  size_t turns = end - rows->firsts[unit];
  return rows->firsts[unit] + (size_t)(round < turns ? round : turns - 1);
}
