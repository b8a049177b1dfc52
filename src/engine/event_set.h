/* The pending events, as 128-bit keys ordered by (time, rank, sequence); the payload rides in the
 * lowest bits, so a comparison is one wide compare and an event is never touched but through its
 * key. Up to TDM_HEAP_LIMIT pending: a 4-ary heap whose children share a cache line. Above: a
 * ladder queue (engine/event_ladder), to which the set moves once, in place. Both pop the same
 * order. Cancelling is the owner's affair: a dead event is recognised when it is popped.
 *
 * Called by the event engine only. */
#ifndef TDM_ENGINE_EVENT_SET_H
#define TDM_ENGINE_EVENT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/event_ladder.h"

#define TDM_HEAP_LIMIT    256
#define TDM_PAYLOAD_BITS  26
#define TDM_SEQUENCE_BITS 34
#define TDM_SEQUENCE_MAX  (((uint64_t)1 << TDM_SEQUENCE_BITS) - 1)

/* Rank decides among events of one instant: servers are freed before timers fire and before new
 * requests arrive. */
typedef enum { TDM_EVENT_COMPLETE, TDM_EVENT_TIMER, TDM_EVENT_ARRIVAL } tdm_event_rank;

typedef unsigned __int128 tdm_event_key;

static inline tdm_event_key tdm_event_make(int64_t time_ns, tdm_event_rank rank, uint64_t sequence,
                                           uint32_t payload) {
  uint64_t low = (uint64_t)rank << (TDM_SEQUENCE_BITS + TDM_PAYLOAD_BITS) |
                 sequence << TDM_PAYLOAD_BITS | payload;
  return (tdm_event_key)(uint64_t)time_ns << 64 | low;
}
static inline int64_t tdm_event_time(tdm_event_key key) { return (int64_t)(key >> 64); }
static inline tdm_event_rank tdm_event_rank_of(tdm_event_key key) {
  return (tdm_event_rank)((uint64_t)key >> (TDM_SEQUENCE_BITS + TDM_PAYLOAD_BITS));
}
static inline uint32_t tdm_event_payload(tdm_event_key key) {
  return (uint32_t)key & (((uint32_t)1 << TDM_PAYLOAD_BITS) - 1);
}

typedef struct {
  tdm_event_key *heap; /* root at heap[0]; heap[1] starts a cache line */
  void *block;
  size_t count;    /* in the heap, the hole included */
  size_t capacity;
  size_t limit;    /* above it the ladder takes over */
  bool hole;       /* the root was popped and not yet replaced */
  tdm_event_ladder *ladder; /* NULL while the heap is in use */
} tdm_event_set;

/* limit: SIZE_MAX keeps the heap, 0 uses the ladder from the start. False: out of memory. */
bool tdm_event_set_open(tdm_event_set *set, size_t limit);
void tdm_event_set_close(tdm_event_set *set);

bool tdm_event_set_push_slow(tdm_event_set *set, tdm_event_key key); /* grows or moves */
bool tdm_event_set_pop_ladder(tdm_event_set *set, tdm_event_key *key);

static inline tdm_event_key tdm_event_least(const tdm_event_key *a, size_t *index) {
  size_t left = a[1] < a[0], right = 2 + (size_t)(a[3] < a[2]);
  tdm_event_key l = a[left], r = a[right];
  *index = r < l ? right : left;
  return r < l ? r : l;
}

/* Puts key at or below the hole at position i. Slots past the end hold the largest key, so the
 * minimum of four children needs no bounds check. */
static inline void tdm_event_sift_down(tdm_event_key *heap, size_t count, size_t i,
                                       tdm_event_key key) {
  for (;;) {
    size_t child = 4 * i + 1;
    if (child >= count) break;
    size_t offset;
    tdm_event_key least = tdm_event_least(heap + child, &offset);
    if (key < least) break;
    heap[i] = least;
    i = child + offset;
  }
  heap[i] = key;
}

static inline void tdm_event_sift_up(tdm_event_key *heap, size_t i, tdm_event_key key) {
  while (i > 0) {
    size_t parent = (i - 1) / 4;
    if (heap[parent] < key) break;
    heap[i] = heap[parent];
    i = parent;
  }
  heap[i] = key;
}

/* False: out of memory. */
static inline bool tdm_event_set_push(tdm_event_set *set, tdm_event_key key) {
  if (set->hole) {
    set->hole = false;
    tdm_event_sift_down(set->heap, set->count, 0, key);
    return true;
  }
  if (set->count + 4 >= set->capacity || set->ladder != NULL)
    return tdm_event_set_push_slow(set, key);
  tdm_event_sift_up(set->heap, set->count++, key);
  return true;
}

static inline void tdm_event_fill_hole(tdm_event_set *set) {
  set->hole = false;
  tdm_event_key last = set->heap[--set->count];
  set->heap[set->count] = ~(tdm_event_key)0;
  if (set->count > 0) tdm_event_sift_down(set->heap, set->count, 0, last);
}

/* The earliest event leaves; false: none is left. The root stays open for the next push, which an
 * event's handler usually makes. */
static inline bool tdm_event_set_pop(tdm_event_set *set, tdm_event_key *key) {
  if (set->ladder != NULL) return tdm_event_set_pop_ladder(set, key);
  if (set->hole) tdm_event_fill_hole(set);
  if (set->count == 0) return false;
  *key = set->heap[0];
  set->hole = true;
  return true;
}

#endif
