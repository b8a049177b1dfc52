/* See natural_order.h. */
#include "base/natural_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
  tdm_is_wrong *is_wrong;
  const void *context;
  uint32_t *number, *spare; /* [count] */
  uint32_t *begin;          /* of each stretch; then the end of the last */
  size_t stretches, room;
} ordering;

static bool find_stretches(ordering *o, size_t count) {
  for (size_t i = 0; i <= count; i++) {
    if (i > 0 && i < count && !o->is_wrong(o->context, (uint32_t)i - 1, (uint32_t)i)) continue;
    if (!tdm_array_grow(&o->begin, &o->room, o->stretches + 1, sizeof *o->begin)) return false;
    o->begin[o->stretches++] = (uint32_t)i;
  }
  o->stretches--;
  return true;
}

/* Two stretches side by side. What of the left stands before all of the right stays, and what of
 * the right stands after all of the left. */
static void merge(ordering *o, uint32_t low, uint32_t middle, uint32_t high) {
  uint32_t *number = o->number, first = number[middle], last = number[middle - 1];
  if (!o->is_wrong(o->context, last, first)) return;
  for (uint32_t end = middle; low < end;) {
    uint32_t half = low + (end - low) / 2;
    if (o->is_wrong(o->context, number[half], first))
      end = half;
    else
      low = half + 1;
  }
  for (uint32_t from = middle; from < high;) {
    uint32_t half = from + (high - from) / 2;
    if (o->is_wrong(o->context, last, number[half]))
      from = half + 1;
    else
      high = half;
  }
  memcpy(o->spare, number + low, (middle - low) * sizeof *number);
  uint32_t left = 0, lefts = middle - low, right = middle;
  while (left < lefts && right < high)
    number[low++] =
        o->is_wrong(o->context, o->spare[left], number[right]) ? number[right++] : o->spare[left++];
  memcpy(number + low, o->spare + left, (lefts - left) * sizeof *number);
}

static void merge_all(ordering *o) {
  while (o->stretches > 1) {
    size_t kept = 0;
    for (size_t i = 0; i < o->stretches; i += 2) {
      if (i + 1 < o->stretches) merge(o, o->begin[i], o->begin[i + 1], o->begin[i + 2]);
      o->begin[kept++] = o->begin[i];
    }
    o->begin[kept] = o->begin[o->stretches];
    o->stretches = kept;
  }
}

uint32_t *tdm_natural_order(size_t count, tdm_is_wrong *is_wrong, const void *context,
                            bool *sorted) {
  ordering o = {.is_wrong = is_wrong, .context = context};
  bool fine = count < UINT32_MAX && (count == 0 || find_stretches(&o, count));
  *sorted = fine && o.stretches <= 1;
  if (fine && !*sorted) {
    o.number = tdm_array_raw(count, sizeof *o.number);
    o.spare = tdm_array_raw(count, sizeof *o.spare);
    fine = o.number != NULL && o.spare != NULL;
    for (size_t i = 0; fine && i < count; i++) o.number[i] = (uint32_t)i;
    if (fine) merge_all(&o);
  }
  free(o.spare);
  free(o.begin);
  if (fine) return o.number;
  free(o.number);
  return NULL;
}
