/* Sorting times and picking the k-th smallest: by radix, insertion and quickselect. See ranks.h. */
#include "base/ranks.h"

#include <string.h>

static inline void insertion_sort(int64_t *ns, uint8_t *tags, size_t count) {
  for (size_t i = 1; i < count; i++) {
    int64_t item = ns[i];
    uint8_t tag = tags != NULL ? tags[i] : 0;
    size_t k = i;
    for (; k > 0 && ns[k - 1] > item; k--) {
      ns[k] = ns[k - 1];
      if (tags != NULL) tags[k] = tags[k - 1];
    }
    ns[k] = item;
    if (tags != NULL) tags[k] = tag;
  }
}

/* By bytes from the least significant one; bytes that all times share are skipped. */
static inline void radix_sort(int64_t *ns, int64_t *spare, uint8_t *tags, uint8_t *spare_tags,
                              size_t count) {
  int64_t *from = ns, *to = spare;
  uint8_t *tags_from = tags, *tags_to = spare_tags;
  uint64_t differ = 0;
  for (size_t i = 1; i < count; i++) differ |= (uint64_t)(ns[i] ^ ns[0]);
  for (uint32_t shift = 0; shift < 64; shift += 8) {
    size_t starts[256] = {0}, at = 0;
    if ((differ >> shift & 255) == 0) continue;
    for (size_t i = 0; i < count; i++) starts[(uint64_t)from[i] >> shift & 255]++;
    for (size_t b = 0; b < 256; b++) {
      size_t here = starts[b];
      starts[b] = at;
      at += here;
    }
    for (size_t i = 0; i < count; i++) {
      size_t place = starts[(uint64_t)from[i] >> shift & 255]++;
      to[place] = from[i];
      if (tags != NULL) tags_to[place] = tags_from[i];
    }
    int64_t *filled = to;
    to = from;
    from = filled;
    uint8_t *filled_tags = tags_to;
    tags_to = tags_from;
    tags_from = filled_tags;
  }
  if (from == ns) return;
  memcpy(ns, from, count * sizeof *ns);
  if (tags != NULL) memcpy(tags, tags_from, count);
}

void tdm_ranks_sort(int64_t *ns, int64_t *spare, size_t count) {
  if (count < 64)
    insertion_sort(ns, NULL, count);
  else
    radix_sort(ns, spare, NULL, NULL, count);
}

void tdm_ranks_sort_tagged(int64_t *ns, int64_t *spare, uint8_t *tags, uint8_t *spare_tags,
                           size_t count) {
  if (count < 64)
    insertion_sort(ns, tags, count);
  else
    radix_sort(ns, spare, tags, spare_tags, count);
}

double tdm_ranks_quantile_ns(const int64_t *sorted, size_t count, double level) {
  double at = level * (double)(count - 1);
  size_t low = (size_t)at;
  double value = (double)sorted[low];
  if (low + 1 < count) value += (at - (double)low) * (double)(sorted[low + 1] - sorted[low]);
  return value;
}

/* Wirth's selection: afterwards ns[k] is where sorting would put it, what is before is not larger,
 * what is behind is not smaller. */
static void select_rank(int64_t *ns, ptrdiff_t count, ptrdiff_t k) {
  ptrdiff_t low = 0, high = count - 1;
  while (low < high) {
    int64_t pivot = ns[k];
    ptrdiff_t i = low, j = high;
    while (i <= j) {
      while (ns[i] < pivot) i++;
      while (ns[j] > pivot) j--;
      if (i > j) break;
      int64_t item = ns[i];
      ns[i++] = ns[j];
      ns[j--] = item;
    }
    if (j < k) low = i;
    if (k < i) high = j;
  }
}

double tdm_ranks_select_ns(int64_t *ns, size_t count, double level) {
  double at = level * (double)(count - 1);
  size_t low = (size_t)at;
  select_rank(ns, (ptrdiff_t)count, (ptrdiff_t)low);
  double value = (double)ns[low];
  if (low + 1 >= count) return value;
  int64_t next = ns[low + 1];
  for (size_t i = low + 2; i < count; i++) next = ns[i] < next ? ns[i] : next;
  return value + (at - (double)low) * (double)(next - ns[low]);
}

int64_t tdm_ranks_median_ns(int64_t *ns, size_t count) {
  if (count == 0) return 0;
  double median = tdm_ranks_select_ns(ns, count, 0.5);
  if (median >= 0x1p63) return INT64_MAX; /* the nearest double of INT64_MAX is one more */
  return median < -0x1p63 ? INT64_MIN : (int64_t)median;
}
