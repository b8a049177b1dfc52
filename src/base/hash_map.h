/* The one hash table of the program: finds numbers of rows by hash.
 *
 * Its owner keeps the rows themselves (names, keys, nodes) in an array, in the order in which they
 * came, so nothing that a user sees depends on where a row lies in the map. A slot holds 32 bits of
 * hash beside the number: rows are looked at only where those agree, and growing looks at none.
 * Linear probing, at most half full, holes closed on removal. To look a key up:
 *
 *   for (tdm_hash_slot *s = tdm_hash_first(&map, hash); s != NULL; s = tdm_hash_next(&map, s))
 *     if (rows[s->row].key == key) return s->row;
 *
 * Owns its slots; zeroed memory is an empty map. Used by every layer. Numbers in files may be
 * chosen to be slow, so hashes depend on the process. */
#ifndef TDM_BASE_HASH_MAP_H
#define TDM_BASE_HASH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/rng.h"

#define TDM_HASH_FREE UINT32_MAX

typedef struct {
  uint32_t hash;
  uint32_t row; /* TDM_HASH_FREE: a free slot; its owner may write another number of this hash */
} tdm_hash_slot;

typedef struct {
  tdm_hash_slot *slots;
  size_t room, count; /* room: a power of two, or 0 */
} tdm_hash_map;

void tdm_hash_map_free(tdm_hash_map *map);  /* leaves an empty map */
void tdm_hash_map_clear(tdm_hash_map *map); /* keeps the memory */

/* Room for so many rows without growing. False: out of memory, nothing changed. */
bool tdm_hash_map_reserve(tdm_hash_map *map, size_t rows);

/* ---- hashes ---- */

extern uint64_t tdm_hash_seed; /* what the kernel gave this process */

/* Of one or two numbers. */
static inline uint32_t tdm_hash_number(uint64_t number) {
  return (uint32_t)tdm_mix(number ^ tdm_hash_seed);
}

static inline uint32_t tdm_hash_pair(uint64_t a, uint64_t b) {
  return (uint32_t)tdm_mix((a + tdm_hash_seed) * TDM_GAMMA ^ b);
}

/* Of ids that mostly count up: eight neighbours lie side by side, so that the next one is in the
 * processor's cache; their eights are scattered. */
static inline uint32_t tdm_hash_id(uint64_t id, uint64_t group) {
  uint64_t eight = id >> 3 ^ group * UINT64_C(0x2545f4914f6cdd1d) ^ tdm_hash_seed;
  unsigned __int128 wide = (unsigned __int128)eight * TDM_GAMMA;
  return ((uint32_t)(wide >> 64) ^ (uint32_t)wide) << 3 | ((uint32_t)id & 7);
}

static inline uint32_t tdm_hash_bytes(const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  uint64_t hash = tdm_hash_seed ^ length * TDM_GAMMA, word;
  for (; length >= 8; at += 8, length -= 8) {
    memcpy(&word, at, 8);
    hash = (hash ^ word) * TDM_GAMMA;
    hash ^= hash >> 32;
  }
  word = 0;
  memcpy(&word, at, length);
  return (uint32_t)((hash ^ word) * TDM_GAMMA >> 32);
}

/* ---- rows ---- */

static inline tdm_hash_slot *tdm_hash_from(const tdm_hash_map *map, size_t at, uint32_t hash) {
  for (;; at++) {
    tdm_hash_slot *slot = &map->slots[at & (map->room - 1)];
    if (slot->row == TDM_HASH_FREE) return NULL;
    if (slot->hash == hash) return slot;
  }
}

/* The rows of a hash, one after the other; NULL: no more. Slots stay where they are until the next
 * tdm_hash_add or tdm_hash_remove. */
static inline tdm_hash_slot *tdm_hash_first(const tdm_hash_map *map, uint32_t hash) {
  return map->room > 0 ? tdm_hash_from(map, hash, hash) : NULL;
}

static inline tdm_hash_slot *tdm_hash_next(const tdm_hash_map *map, const tdm_hash_slot *slot) {
  return tdm_hash_from(map, (size_t)(slot - map->slots) + 1, slot->hash);
}

/* Adds a row, whether or not others have its hash. False: out of memory. */
static inline bool tdm_hash_add(tdm_hash_map *map, uint32_t hash, uint32_t row) {
  if (2 * (map->count + 1) > map->room && !tdm_hash_map_reserve(map, map->count + 1)) return false;
  size_t at = hash & (map->room - 1);
  while (map->slots[at].row != TDM_HASH_FREE) at = (at + 1) & (map->room - 1);
  map->slots[at] = (tdm_hash_slot){hash, row};
  map->count++;
  return true;
}

void tdm_hash_remove(tdm_hash_map *map, tdm_hash_slot *slot);

#endif
