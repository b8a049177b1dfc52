/* See order.h. */
#include "analysis/order.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

static void pass(const uint64_t *key, unsigned shift, const uint32_t *from, uint32_t *to,
                 size_t count) {
  size_t place[DIGITS] = {0};
  for (size_t i = 0; i < count; i++) place[key[from[i]] >> shift & (DIGITS - 1)]++;
  for (size_t d = 0, sum = 0; d < DIGITS; d++) {
    size_t here = place[d];
    place[d] = sum;
    sum += here;
  }
  for (size_t i = 0; i < count; i++) to[place[key[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
}

tdm_status tdm_order_by(const uint64_t *key, uint32_t *order, size_t count, tdm_error *error) {
  uint32_t *spare = malloc((count + 1) * sizeof *spare);
  if (spare == NULL) return tdm_error_memory(error, "an order", count * sizeof *spare);
  uint64_t differ = 0;
  for (size_t i = 0; i < count; i++) {
    order[i] = (uint32_t)i;
    differ |= key[i] ^ key[0];
  }
  uint32_t *from = order, *to = spare;
  for (unsigned shift = 0; shift < 64 && differ >> shift != 0; shift += DIGIT) {
    if ((differ >> shift & (DIGITS - 1)) == 0) continue;
    pass(key, shift, from, to, count);
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != order) memcpy(order, from, count * sizeof *order);
  free(spare);
  return TDM_OK;
}

void tdm_order_by_track(const int64_t *track, size_t count, uint32_t tracks, uint32_t *first,
                        uint32_t *row) {
  memset(first, 0, ((size_t)tracks + 2) * sizeof *first);
#define SLOT(i) (track[i] >= 0 && track[i] < tracks ? (uint32_t)track[i] : tracks)
  for (size_t i = 0; i < count; i++) first[SLOT(i) + 1]++;
  for (uint32_t t = 0; t <= tracks; t++) first[t + 1] += first[t];
  for (size_t i = 0; i < count; i++) row[first[SLOT(i)]++] = (uint32_t)i;
#undef SLOT
  memmove(first + 1, first, ((size_t)tracks + 1) * sizeof *first);
  first[0] = 0;
}
