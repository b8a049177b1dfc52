/* Sorts rows of columns by start, longer rows first, otherwise as they came. Used by the recorder.
 */
#ifndef TDM_TRACE_ROW_SORT_H
#define TDM_TRACE_ROW_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Scratch memory, kept between calls. Zeroed is empty. */
typedef struct {
  struct tdm_row_key *key, *spare;
  int64_t *column;
  size_t room;
} tdm_row_sorter;

void tdm_row_sorter_free(tdm_row_sorter *sorter);

/* Columns 0 and 1 are start and duration. Rows that are in order already cost one pass, rows that
 * nearly are little more. 0: out of memory, the rows are as they were. */
int tdm_rows_sort(tdm_row_sorter *sorter, int64_t *const *column, uint32_t columns, size_t count);

#endif
