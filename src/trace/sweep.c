/* The step function of active spans. See sweep.h. */
#include "trace/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SIGN 0x8000000000000000u /* flipped, it orders negative before positive */

static int is_sorted(const int64_t *times, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (times[i] < times[i - 1]) return 0;
  return 1;
}

/* Least-significant-byte radix sort; a byte that all times share costs nothing. */
static void sort_times(int64_t *times, int64_t *spare, size_t count) {
  if (is_sorted(times, count)) return;
  size_t histogram[8][256];
  memset(histogram, 0, sizeof histogram);
  for (size_t i = 0; i < count; i++) {
    uint64_t key = (uint64_t)times[i] ^ SIGN;
    for (unsigned b = 0; b < 8; b++) histogram[b][key >> (8 * b) & 255]++;
  }
  int64_t *from = times, *to = spare;
  for (unsigned b = 0; b < 8 && count > 0; b++) {
    size_t *slots = histogram[b];
    if (slots[((uint64_t)from[0] ^ SIGN) >> (8 * b) & 255] == count) continue;
    size_t at = 0;
    for (unsigned v = 0; v < 256; v++) {
      size_t here = slots[v];
      slots[v] = at;
      at += here;
    }
    for (size_t i = 0; i < count; i++)
      to[slots[((uint64_t)from[i] ^ SIGN) >> (8 * b) & 255]++] = from[i];
    int64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != times) memcpy(times, from, count * sizeof *times);
}

tdm_status tdm_sweep_begin(tdm_sweep *sweep, size_t room, tdm_error *error) {
  *sweep = (tdm_sweep){.starts = tdm_array_new(room, sizeof *sweep->starts),
                       .ends = tdm_array_new(room, sizeof *sweep->ends)};
  if (sweep->starts != NULL && sweep->ends != NULL) return TDM_OK;
  tdm_sweep_close(sweep);
  return tdm_error_memory(error, "a sweep", 2 * room * sizeof *sweep->starts);
}

tdm_status tdm_sweep_ready(tdm_sweep *sweep, tdm_error *error) {
  int64_t *spare = tdm_array_new(sweep->count, sizeof *spare);
  if (spare == NULL) {
    size_t bytes = sweep->count * sizeof *spare;
    tdm_sweep_close(sweep);
    return tdm_error_memory(error, "a sweep", bytes);
  }
  sort_times(sweep->starts, spare, sweep->count);
  sort_times(sweep->ends, spare, sweep->count);
  free(spare);
  return TDM_OK;
}

int tdm_sweep_next(tdm_sweep *sweep, tdm_step *step) {
  while (sweep->next_end < sweep->count) { /* starts run out first */
    int64_t now = sweep->ends[sweep->next_end];
    if (sweep->next_start < sweep->count && sweep->starts[sweep->next_start] < now)
      now = sweep->starts[sweep->next_start];
    uint64_t before = sweep->active;
    while (sweep->next_start < sweep->count && sweep->starts[sweep->next_start] == now) {
      sweep->next_start++;
      sweep->active++;
    }
    while (sweep->next_end < sweep->count && sweep->ends[sweep->next_end] == now) {
      sweep->next_end++;
      sweep->active--;
    }
    if (sweep->active == before) continue;
    *step = (tdm_step){now, sweep->active};
    return 1;
  }
  return 0;
}

void tdm_sweep_close(tdm_sweep *sweep) {
  free(sweep->starts);
  free(sweep->ends);
  *sweep = (tdm_sweep){0};
}
