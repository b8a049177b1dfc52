/* How many times as fast rows of the graph are under a change.
 *
 * Factors of millions of rows are told by group where groups are what changes, and single rows
 * apart; only names are written out row by row. Owns its arrays, not the groups of rows. Used by
 * changes (change.c). */
#ifndef TDM_ANALYSIS_PATH_FACTORS_H
#define TDM_ANALYSIS_PATH_FACTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/kept_rows.h"

typedef struct {
  uint32_t row;
  float factor;
} tdm_row_factor;

/* Zeroed: all rows are as fast as they were. */
typedef struct {
  float *of_row;                  /* NULL: by group, and single ones */
  const tdm_kept_block *group_of; /* by row; borrowed, or of `marks` */
  tdm_kept_rows marks;
  float *of_group;        /* 1 at least; NULL: no groups */
  tdm_row_factor *single; /* by row */
  size_t singles;
  uint8_t *is_single; /* a bit by row; NULL: there are none */
} tdm_factors;

void tdm_factors_close(tdm_factors *factors);

/* Writes them out, each as it is; false: out of memory. Then of_row may be changed. */
bool tdm_factors_write_out(tdm_factors *factors, size_t rows);
/* The larger of a row's factor and its group's, or its own; false: out of memory. All calls have
 * the same groups; single rows come in their order. */
bool tdm_factors_raise_groups(tdm_factors *factors, size_t rows, const tdm_kept_block *group_of,
                              const float *factor, size_t groups);
bool tdm_factors_raise_rows(tdm_factors *factors, size_t rows, const tdm_row_factor *row,
                            size_t count);

/* So many times the factor of rows that are marked, 1 of 0 and 1 by row; it owns the marks from
 * then on, also when it is out of memory (false). No groups are raised after it. */
bool tdm_factors_scale(tdm_factors *factors, size_t rows, tdm_kept_rows *marks, float times);

static inline bool tdm_factors_any(const tdm_factors *factors) {
  return factors->of_row != NULL || factors->of_group != NULL || factors->single != NULL;
}

/* Of a row that is marked as single. */
float tdm_factors_of_single(const tdm_factors *factors, uint32_t row);

static inline float tdm_factor_of(const tdm_factors *factors, uint32_t row) {
  if (factors->of_row != NULL) return factors->of_row[row];
  float of = factors->of_group != NULL ? factors->of_group[tdm_kept_in(factors->group_of, row)] : 1;
  if (factors->is_single == NULL || !(factors->is_single[row / 8] >> row % 8 & 1)) return of;
  float own = tdm_factors_of_single(factors, row);
  return own > of ? own : of;
}

#endif
