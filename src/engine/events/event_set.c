/* The part of the event set that is off the hot path: memory, growth and the move into the ladder.
 * Owns the array and the ladder; the events' payloads are the engine's. Called by event_set.h's
 * inline functions and by the event engine, which opens and closes the set. */
#include "engine/events/event_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 16 };

/* Gives the array `wanted` slots, or as many as the limit allows, so that the push above the limit
 * is a slow one. Leaves the set as it was when memory is short. */
static bool resize(tdm_event_set *set, size_t wanted) {
  if (wanted > set->limit) wanted = set->limit;
  tdm_event_key *keys = tdm_aligned_new(wanted, sizeof *keys);
  if (keys == NULL) return false;
  if (set->count > 0) memcpy(keys, set->keys, set->count * sizeof *keys);
  free(set->keys);
  set->keys = keys;
  set->capacity = wanted;
  return true;
}

/* With a ladder the array has no slots: every push is a slow one, every pop finds it empty. */
static bool move_to_ladder(tdm_event_set *set) {
  tdm_event_ladder *ladder = tdm_event_ladder_new();
  if (ladder == NULL) return false;
  for (size_t i = set->count; i-- > 0;) {
    if (tdm_event_ladder_push(ladder, set->keys[i])) continue;
    tdm_event_ladder_free(ladder);
    return false;
  }
  free(set->keys);
  set->keys = NULL;
  set->count = set->capacity = 0;
  set->ladder = ladder;
  return true;
}

bool tdm_event_set_open(tdm_event_set *set, size_t limit) {
  *set = (tdm_event_set){.limit = limit};
  return limit == 0 ? move_to_ladder(set) : resize(set, FIRST_CAPACITY);
}

void tdm_event_set_close(tdm_event_set *set) {
  free(set->keys);
  tdm_event_ladder_free(set->ladder);
  *set = (tdm_event_set){0};
}

bool tdm_event_set_push_slow(tdm_event_set *set, tdm_event_key key) {
  if (set->ladder == NULL && set->count >= set->limit && !move_to_ladder(set)) return false;
  if (set->ladder != NULL) return tdm_event_ladder_push(set->ladder, key);
  if (set->capacity > SIZE_MAX / 2 || !resize(set, 2 * set->capacity)) return false;
  tdm_event_insert(set->keys, set->count++, key);
  return true;
}

bool tdm_event_set_pop_ladder(tdm_event_set *set, tdm_event_key *key) {
  return tdm_event_ladder_pop(set->ladder, key);
}
