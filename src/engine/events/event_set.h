/* The pending events, as 128-bit keys ordered by (time, rank, sequence); the payload rides in the
 * lowest bits, so a comparison is one wide compare and an event is never touched but through its
 * key. Up to TDM_HEAP_LIMIT pending: a sorted array, which at these sizes beats a heap because
 * inserting needs no branch that depends on the times. Above: a ladder queue (event_ladder.c),
 * to which the set moves once, in place. Both pop the same order. Cancelling is the owner's affair:
 * a dead event is recognised when it is popped.
 *
 * Called by the event engine only. */
#ifndef TDM_ENGINE_EVENTS_EVENT_SET_H
#define TDM_ENGINE_EVENTS_EVENT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ladder queue (Tang, Goh & Thng, ACM TOMACS 15, 2005): the event set for hundreds and more pending
 * events, constant amortised cost for any spread of times. Keys as below;
 * equal times are ordered by the rest of the key, as in the heap. Owns its memory. */

typedef struct tdm_event_ladder tdm_event_ladder;

tdm_event_ladder *tdm_event_ladder_new(void); /* NULL: out of memory */
void tdm_event_ladder_free(tdm_event_ladder *ladder);
bool tdm_event_ladder_push(tdm_event_ladder *ladder, unsigned __int128 key); /* false: no memory */
bool tdm_event_ladder_pop(tdm_event_ladder *ladder, unsigned __int128 *key); /* false: empty */

#define TDM_PAYLOAD_BITS  26
#define TDM_SEQUENCE_BITS 34
#define TDM_SEQUENCE_MAX  (((uint64_t)1 << TDM_SEQUENCE_BITS) - 1)

/* Rank decides among events of one instant: servers are freed before timers fire and before new
 * requests arrive; an LLM server's step takes in all who are there by then. */
typedef enum {
  TDM_EVENT_COMPLETE,
  TDM_EVENT_TIMER,
  TDM_EVENT_ARRIVAL,
  TDM_EVENT_STEP
} tdm_event_rank;

typedef unsigned __int128 tdm_event_key;

static inline tdm_event_key tdm_event_make(int64_t time_ns, tdm_event_rank rank, uint64_t sequence,
                                           uint32_t payload) {
  uint64_t low = (uint64_t)rank << (TDM_SEQUENCE_BITS + TDM_PAYLOAD_BITS) |
                 sequence << TDM_PAYLOAD_BITS | payload;
  return (tdm_event_key)(uint64_t)time_ns << 64 | low;
}
static inline int64_t tdm_event_time(tdm_event_key key) {
  return (int64_t)(key >> 64);
}
static inline tdm_event_rank tdm_event_rank_of(tdm_event_key key) {
  return (tdm_event_rank)((uint64_t)key >> (TDM_SEQUENCE_BITS + TDM_PAYLOAD_BITS));
}
static inline uint32_t tdm_event_payload(tdm_event_key key) {
  return (uint32_t)key & (((uint32_t)1 << TDM_PAYLOAD_BITS) - 1);
}

/* Measured (hold model): beyond about so many pending the ladder is as fast as the array. */
#define TDM_HEAP_LIMIT 64

typedef struct {
  tdm_event_key *keys; /* descending: the next event is the last */
  size_t count;
  size_t capacity;
  size_t limit;             /* above it the ladder takes over */
  tdm_event_ladder *ladder; /* NULL while the array is in use */
} tdm_event_set;

/* limit: SIZE_MAX keeps the array, 0 uses the ladder from the start. False: out of memory. */
bool tdm_event_set_open(tdm_event_set *set, size_t limit);
void tdm_event_set_close(tdm_event_set *set);

bool tdm_event_set_push_slow(tdm_event_set *set, tdm_event_key key); /* grows or moves */
bool tdm_event_set_pop_ladder(tdm_event_set *set, tdm_event_key *key);

/* One step of an insertion, other < key ? (*out = other, rest = key) : (*out = *rest, rest =
 * other), without a branch: which way it goes is a coin toss, and a wrong guess costs more than the
 * whole insertion. gcc makes a branch of every portable form; clang does not. */
static inline void tdm_event_step(tdm_event_key other, tdm_event_key key, tdm_event_key *out,
                                  tdm_event_key *rest) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  uint64_t other_low = (uint64_t)other, other_high = (uint64_t)(other >> 64);
  uint64_t out_low = (uint64_t)*rest, out_high = (uint64_t)(*rest >> 64);
  uint64_t rest_low = other_low, rest_high = other_high, difference = other_high;
  __asm__("cmpq %[key_low], %[other_low]\n\t"
          "sbbq %[key_high], %[difference]\n\t"
          "cmovcq %[other_low], %[out_low]\n\t"
          "cmovcq %[other_high], %[out_high]\n\t"
          "cmovcq %[key_low], %[rest_low]\n\t"
          "cmovcq %[key_high], %[rest_high]"
          : [out_low] "+&r"(out_low), [out_high] "+&r"(out_high), [rest_low] "+&r"(rest_low),
            [rest_high] "+&r"(rest_high), [difference] "+&r"(difference)
          : [other_low] "r"(other_low), [other_high] "r"(other_high), [key_low] "r"((uint64_t)key),
            [key_high] "r"((uint64_t)(key >> 64))
          : "cc");
  *out = (tdm_event_key)out_high << 64 | out_low;
  *rest = (tdm_event_key)rest_high << 64 | rest_low;
#else
  bool moves = other < key;
  *out = moves ? other : *rest;
  *rest = moves ? key : other;
#endif
}

/* keys: `count` of them, and room for one more. Few keys are all rewritten, many only as far as
 * they move. */
static inline void tdm_event_insert(tdm_event_key *keys, size_t count, tdm_event_key key) {
  tdm_event_key *at = keys + count;
  if (count > 12) {
    for (; at > keys && at[-1] < key; at--) *at = at[-1];
    *at = key;
    return;
  }
  tdm_event_key held = key; /* what goes into *at unless a smaller key moves up there */
  while (at > keys) {
    at--;
    tdm_event_step(at[0], key, &at[1], &held);
  }
  *at = held;
}

/* False: out of memory. */
static inline bool tdm_event_set_push(tdm_event_set *set, tdm_event_key key) {
  if (set->count == set->capacity) return tdm_event_set_push_slow(set, key);
  tdm_event_insert(set->keys, set->count++, key);
  return true;
}

/* The earliest event leaves; false: none is left. */
static inline bool tdm_event_set_pop(tdm_event_set *set, tdm_event_key *key) {
  if (set->count == 0) return set->ladder != NULL && tdm_event_set_pop_ladder(set, key);
  *key = set->keys[--set->count];
  return true;
}

#endif
