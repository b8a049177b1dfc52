/* Pairs of numbers to numbers, in one flat array.
 *
 * Ids of traces mostly count up, so neighbours lie side by side: the next one is in the cache. Owns
 * its slots. Used by the writers. */
#ifndef TDM_WRITE_ID_TABLE_H
#define TDM_WRITE_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct {
  int64_t id;
  uint32_t group;
  uint32_t value; /* + 1; 0: free */
} tdm_id_slot;

/* Zeroed is empty. */
typedef struct {
  tdm_id_slot *slots;
  size_t room, count; /* room: a power of two */
} tdm_id_table;

static inline tdm_id_slot *tdm_id_slot_of(const tdm_id_table *table, int64_t id, uint32_t group) {
  uint64_t bits = (uint64_t)id; /* eight neighbours stay together, their eights are scattered */
  uint64_t eight =
      ((bits >> 3) ^ group * UINT64_C(0x2545f4914f6cdd1d)) * UINT64_C(0x9e3779b97f4a7c15);
  size_t at = (size_t)((eight >> 29 & ~UINT64_C(7)) | (bits & 7));
  for (;; at++) {
    tdm_id_slot *slot = &table->slots[at & (table->room - 1)];
    if (slot->value == 0 || (slot->id == id && slot->group == group)) return slot;
  }
}

/* The slot of a pair, a fresh one with value 0 when it was not there: its owner must then set the
 * value. NULL: out of memory. */
static inline tdm_id_slot *tdm_id_table_put(tdm_id_table *table, int64_t id, uint32_t group) {
  if (2 * table->count >= table->room) {
    tdm_id_table wider = {.room = table->room > 0 ? 4 * table->room : 1024, .count = table->count};
    wider.slots = tdm_array_new(wider.room, sizeof *wider.slots);
    if (wider.slots == NULL) return NULL;
    for (size_t i = 0; i < table->room; i++) {
      const tdm_id_slot *old = &table->slots[i];
      if (old->value != 0) *tdm_id_slot_of(&wider, old->id, old->group) = *old;
    }
    free(table->slots);
    *table = wider;
  }
  tdm_id_slot *slot = tdm_id_slot_of(table, id, group);
  if (slot->value == 0) {
    slot->id = id;
    slot->group = group;
    table->count++;
  }
  return slot;
}

/* NULL: it is not there. */
static inline const tdm_id_slot *tdm_id_table_find(const tdm_id_table *table, int64_t id,
                                                   uint32_t group) {
  if (table->room == 0) return NULL;
  const tdm_id_slot *slot = tdm_id_slot_of(table, id, group);
  return slot->value != 0 ? slot : NULL;
}

#endif
