/* See moments.h. Sums are exact (128 bits), so results do not depend on the order of values. */
#include "analysis/moments.h"

#include <math.h>

/* Leaves the k-th smallest at place k, nothing larger before it and nothing smaller after it. */
static void select_place(int64_t *values, size_t count, size_t k) {
  size_t low = 0, high = count - 1;
  while (low < high) {
    int64_t a = values[low], b = values[low + (high - low) / 2], c = values[high];
    int64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
    size_t i = low, j = high;
    for (;;) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i >= j) break;
      int64_t swapped = values[i];
      values[i++] = values[j];
      values[j--] = swapped;
    }
    if (k <= j)
      high = j;
    else
      low = j + 1;
  }
}

static double median_of(int64_t *values, size_t count) {
  size_t middle = count / 2;
  select_place(values, count, middle);
  if (count % 2 == 1) return (double)values[middle];
  int64_t below = values[0];
  for (size_t i = 1; i < middle; i++)
    if (values[i] > below) below = values[i];
  return ((double)below + (double)values[middle]) / 2;
}

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
  m.median = median_of(values, count);
  return m;
}
