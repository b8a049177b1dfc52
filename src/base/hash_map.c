/* Growing and shrinking of the map; the rest is inline. See hash_map.h. */
#include "base/hash_map.h"

#include <stdlib.h>
#include <sys/auxv.h>

#include "base/memory.h"

enum { FIRST_SLOTS = 32 };

uint64_t tdm_hash_seed;

/* Before main, so that no lookup asks whether it was done. */
__attribute__((constructor)) static void take_seed(void) {
  const void *bytes = (const void *)getauxval(AT_RANDOM);
  if (bytes != NULL) memcpy(&tdm_hash_seed, bytes, sizeof tdm_hash_seed);
}

void tdm_hash_map_free(tdm_hash_map *map) {
  free(map->slots);
  *map = (tdm_hash_map){0};
}

void tdm_hash_map_clear(tdm_hash_map *map) {
  if (map->count > 0) memset(map->slots, 0xff, map->room * sizeof *map->slots);
  map->count = 0;
}

bool tdm_hash_map_reserve(tdm_hash_map *map, size_t rows) {
  size_t room = map->room > 0 ? map->room : FIRST_SLOTS;
  while (room < 2 * rows) room *= 2;
  if (room == map->room) return true;
  tdm_hash_map wide = {.slots = tdm_array_raw(room, sizeof *wide.slots), .room = room};
  if (wide.slots == NULL) return false;
  memset(wide.slots, 0xff, room * sizeof *wide.slots); /* TDM_HASH_FREE */
  for (size_t i = 0; i < map->room; i++)
    if (map->slots[i].row != TDM_HASH_FREE)
      (void)tdm_hash_add(&wide, map->slots[i].hash, map->slots[i].row);
  free(map->slots);
  *map = wide;
  return true;
}

void tdm_hash_remove(tdm_hash_map *map, tdm_hash_slot *slot) {
  size_t mask = map->room - 1, hole = (size_t)(slot - map->slots);
  for (size_t at = (hole + 1) & mask; map->slots[at].row != TDM_HASH_FREE; at = (at + 1) & mask) {
    size_t home = map->slots[at].hash & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue; /* it may not move before its home */
    map->slots[hole] = map->slots[at];
    hole = at;
  }
  map->slots[hole].row = TDM_HASH_FREE;
  map->count--;
}
