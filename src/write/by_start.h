/* All rows of a recording in the order of time, for writers of one table. Owns nothing beyond the
 * list. Used by csv.c and sheet.c. */
#ifndef TDM_WRITE_BY_START_H
#define TDM_WRITE_BY_START_H

#include "trace/recording.h"

typedef struct {
  int64_t start_ns; /* on the clock of the run */
  uint32_t layout, row;
} tdm_row_place;

/* By start, then layout, then row; the caller frees it. NULL: out of memory. */
tdm_row_place *tdm_rows_by_start(const tdm_recording *recording, size_t *count);

#endif
