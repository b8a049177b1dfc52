/* See moments.h. Sums are exact (128 bits), so results do not depend on the order of values. */
#include "analysis/moments.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/ranks.h"

tdm_moments tdm_moments_of(int64_t *values, size_t count) {
  tdm_moments m = {.count = count};
  if (count == 0) return m;
  __int128 sum = 0;
  m.min = m.max = values[0];
  for (size_t i = 0; i < count; i++) {
    sum += values[i];
    if (values[i] < m.min) m.min = values[i];
    if (values[i] > m.max) m.max = values[i];
  }
  m.total = sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
  m.mean = (double)sum / (double)count;
  if (count > 1 && m.min != m.max) {
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
      double off = (double)values[i] - m.mean;
      squares += off * off;
    }
    m.deviation = sqrt(squares / (double)(count - 1));
  }
  m.median = tdm_ranks_select_ns(values, count, 0.5);
  return m;
}

/* Doubles that are not negative are in the order of their bits. */

_Static_assert(sizeof(double) == sizeof(int64_t), "doubles are sorted as integers");

static tdm_status sort(double *values, size_t count, tdm_error *error) {
  int64_t *bits = tdm_array_new(2 * count + 1, sizeof *bits);
  if (bits == NULL) return tdm_error_memory(error, "a distribution", count * sizeof *values);
  memcpy(bits, values, count * sizeof *values);
  tdm_ranks_sort(bits, bits + count, count);
  memcpy(values, bits, count * sizeof *values);
  free(bits);
  return TDM_OK;
}

static double quantile(const double *sorted, size_t count, double level) {
  double at = level * (double)(count - 1);
  size_t below = (size_t)at;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (sorted[below + 1] - sorted[below]) * (at - (double)below);
}

tdm_status tdm_spread_of(double *values, size_t count, tdm_spread *spread, tdm_error *error) {
  *spread = (tdm_spread){.count = count};
  if (count == 0) return TDM_OK;
  tdm_status status = sort(values, count, error);
  if (status != TDM_OK) return status;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  spread->mean = sum / (double)count;
  for (size_t i = 0; i < count; i++) {
    double off = values[i] - spread->mean;
    squares += off * off;
  }
  spread->deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
  spread->min = values[0];
  spread->q25 = quantile(values, count, 0.25);
  spread->median = quantile(values, count, 0.5);
  spread->q75 = quantile(values, count, 0.75);
  spread->max = values[count - 1];
  return TDM_OK;
}

void tdm_spread_put(const tdm_spread *spread, tdm_frame *frame, size_t first_field) {
  const double values[] = {spread->mean,   spread->deviation, spread->min, spread->q25,
                           spread->median, spread->q75,       spread->max};
  tdm_frame_int(frame, first_field, (int64_t)spread->count);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    tdm_frame_real(frame, first_field + 1 + i, values[i]);
}
