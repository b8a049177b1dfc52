/* See moments.h. Sums are exact (128 bits), so results do not depend on the order of values. */
#include "analysis/moments.h"

#include <math.h>

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
