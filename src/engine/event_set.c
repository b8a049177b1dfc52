/* The part of the event set that is off the hot path: memory, growth and the move into the ladder.
 * Owns the heap's block and the ladder; the events' payloads are the engine's. Called by
 * event_set.h's inline functions and by the event engine, which opens and closes the set. */
#include "engine/event_set.h"

#include <stdlib.h>
#include <string.h>

enum {
  LINE_BYTES = 64,
  LINE_KEYS = LINE_BYTES / sizeof(tdm_event_key),
  ROOT_OFFSET = LINE_KEYS - 1, /* keys before the root, so that heap[1] starts a line */
  SPARE_KEYS = 4,              /* past the last event, for sift_down's reads */
  FIRST_CAPACITY = 64
};

/* Gives the heap at least `wanted` slots; the new ones hold the largest key. Leaves the set as it
 * was when memory is short. */
static bool resize(tdm_event_set *set, size_t wanted) {
  if (wanted > SIZE_MAX / sizeof(tdm_event_key) - 2 * LINE_KEYS) return false;
  size_t keys = (ROOT_OFFSET + wanted + LINE_KEYS - 1) / LINE_KEYS * LINE_KEYS;
  tdm_event_key *block = aligned_alloc(LINE_BYTES, keys * sizeof *block);
  if (block == NULL) return false;
  memset(block, 0xff, keys * sizeof *block);
  if (set->count > 0) memcpy(block + ROOT_OFFSET, set->heap, set->count * sizeof *block);
  free(set->block);
  set->block = block;
  set->heap = block + ROOT_OFFSET;
  set->capacity = wanted;
  return true;
}

/* A capacity that sends the push after `limit` events to push_slow. */
static size_t capped(size_t capacity, size_t limit) {
  return limit < capacity - SPARE_KEYS ? limit + SPARE_KEYS : capacity;
}

static bool move_to_ladder(tdm_event_set *set) {
  tdm_event_ladder *ladder = tdm_event_ladder_new();
  if (ladder == NULL) return false;
  for (size_t i = 0; i < set->count; i++) {
    if (tdm_event_ladder_push(ladder, set->heap[i])) continue;
    tdm_event_ladder_free(ladder);
    return false;
  }
  free(set->block);
  set->block = NULL;
  set->heap = NULL;
  set->count = 0;
  set->capacity = 0;
  set->ladder = ladder;
  return true;
}

bool tdm_event_set_open(tdm_event_set *set, size_t limit) {
  *set = (tdm_event_set){.limit = limit};
  return limit == 0 ? move_to_ladder(set) : resize(set, capped(FIRST_CAPACITY, limit));
}

void tdm_event_set_close(tdm_event_set *set) {
  free(set->block);
  tdm_event_ladder_free(set->ladder);
  *set = (tdm_event_set){0};
}

bool tdm_event_set_push_slow(tdm_event_set *set, tdm_event_key key) {
  if (set->ladder == NULL && set->count >= set->limit && !move_to_ladder(set)) return false;
  if (set->ladder != NULL) return tdm_event_ladder_push(set->ladder, key);
  if (set->capacity > SIZE_MAX / 2 || !resize(set, capped(2 * set->capacity, set->limit)))
    return false;
  tdm_event_sift_up(set->heap, set->count++, key);
  return true;
}

bool tdm_event_set_pop_ladder(tdm_event_set *set, tdm_event_key *key) {
  return tdm_event_ladder_pop(set->ladder, key);
}
