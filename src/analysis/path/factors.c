/* See factors.h. */
#include "analysis/path/factors.h"

#include <stdlib.h>

#include "base/memory.h"

void tdm_factors_close(tdm_factors *factors) {
  free(factors->of_row);
  free(factors->of_group);
  free(factors->single);
  free(factors->is_single);
  tdm_kept_rows_close(&factors->marks);
  *factors = (tdm_factors){0};
}

bool tdm_factors_write_out(tdm_factors *factors, size_t rows) {
  if (factors->of_row != NULL) return true;
  float *of_row = tdm_array_raw(rows + 1, sizeof *of_row);
  if (of_row == NULL) return false;
  for (size_t i = 0; i < rows; i++) of_row[i] = tdm_factor_of(factors, (uint32_t)i);
  tdm_factors_close(factors);
  factors->of_row = of_row;
  return true;
}

bool tdm_factors_raise_groups(tdm_factors *factors, size_t rows, const tdm_kept_block *group_of,
                              const float *factor, size_t groups) {
  for (size_t i = 0; factors->of_row != NULL && i < rows; i++)
    if (factors->of_row[i] < factor[tdm_kept_in(group_of, i)])
      factors->of_row[i] = factor[tdm_kept_in(group_of, i)];
  if (factors->of_row != NULL) return true;
  if (factors->of_group == NULL) {
    factors->of_group = tdm_array_raw(groups + 1, sizeof *factors->of_group);
    if (factors->of_group == NULL) return false;
    for (size_t g = 0; g < groups; g++) factors->of_group[g] = 1;
    factors->group_of = group_of;
  }
  for (size_t g = 0; g < groups; g++)
    if (factors->of_group[g] < factor[g]) factors->of_group[g] = factor[g];
  return true;
}

bool tdm_factors_scale(tdm_factors *factors, size_t rows, tdm_kept_rows *marks, float times) {
  if (!tdm_factors_any(factors)) { /* two groups are all there is */
    factors->of_group = tdm_array_raw(2, sizeof *factors->of_group);
    factors->marks = *marks;
    if (factors->of_group == NULL) return false;
    factors->of_group[0] = 1;
    factors->of_group[1] = times;
    factors->group_of = factors->marks.column[0];
    return true;
  }
  bool fine = tdm_factors_write_out(factors, rows);
  for (size_t i = 0; fine && i < rows; i++)
    if (tdm_kept(marks, 0, i) != 0) factors->of_row[i] *= times;
  tdm_kept_rows_close(marks);
  return fine;
}

/* Rows that are single already, and these. */
static bool merge(tdm_factors *factors, const tdm_row_factor *row, size_t count) {
  tdm_row_factor *merged = tdm_array_raw(factors->singles + count + 1, sizeof *merged);
  if (merged == NULL) return false;
  size_t n = 0, a = 0, b = 0;
  while (a < factors->singles || b < count) {
    bool from_old = b == count || (a < factors->singles && factors->single[a].row <= row[b].row);
    tdm_row_factor next = from_old ? factors->single[a++] : row[b++];
    if (n == 0 || merged[n - 1].row != next.row)
      merged[n++] = next;
    else if (merged[n - 1].factor < next.factor)
      merged[n - 1].factor = next.factor;
  }
  free(factors->single);
  factors->single = merged;
  factors->singles = n;
  return true;
}

bool tdm_factors_raise_rows(tdm_factors *factors, size_t rows, const tdm_row_factor *row,
                            size_t count) {
  for (size_t i = 0; factors->of_row != NULL && i < count; i++)
    if (factors->of_row[row[i].row] < row[i].factor) factors->of_row[row[i].row] = row[i].factor;
  if (factors->of_row != NULL) return true;
  if (factors->is_single == NULL) factors->is_single = tdm_array_new(rows / 8 + 1, 1);
  if (factors->is_single == NULL || !merge(factors, row, count)) return false;
  for (size_t i = 0; i < count; i++)
    factors->is_single[row[i].row / 8] |= (uint8_t)(1u << row[i].row % 8);
  return true;
}

float tdm_factors_of_single(const tdm_factors *factors, uint32_t row) {
  size_t low = 0, high = factors->singles;
  while (low + 1 < high) {
    size_t middle = low + (high - low) / 2;
    if (factors->single[middle].row <= row)
      low = middle;
    else
      high = middle;
  }
  return factors->single[low].factor;
}
