/* See id_map.h. Open addressing, at most two thirds full. */
#include "read/id_map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/memory.h"

void tdm_id_map_free(tdm_id_map *map) {
  free(map->key);
  free(map->value);
  *map = (tdm_id_map){0};
}

void tdm_id_map_clear(tdm_id_map *map) {
  if (map->count > 0) memset(map->value, 0, map->slots * sizeof *map->value);
  map->count = 0;
}

/* What the kernel gives each process. */
static uint64_t random_seed(void) {
  uint64_t seed = 0;
  const void *bytes = (const void *)getauxval(AT_RANDOM);
  if (bytes != NULL) memcpy(&seed, bytes, sizeof seed);
  return seed;
}

/* The finalizer of splitmix64, over what nobody can know beforehand. */
static size_t slot_of(const tdm_id_map *map, uint64_t key) {
  uint64_t hash = key ^ map->seed;
  hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
  size_t at = (size_t)(hash ^ hash >> 31) & (map->slots - 1);
  while (map->value[at] != 0 && map->key[at] != key) at = (at + 1) & (map->slots - 1);
  return at;
}

uint32_t tdm_id_map_get(const tdm_id_map *map, uint64_t key) {
  return map->count > 0 ? map->value[slot_of(map, key)] - 1 : TDM_ID_NONE;
}

static int grow(tdm_id_map *map) {
  tdm_id_map wide = {.slots = map->slots > 0 ? 2 * map->slots : 16,
                     .seed = map->slots > 0 ? map->seed : random_seed()};
  wide.key = tdm_array_new(wide.slots, sizeof *wide.key);
  wide.value = tdm_array_new(wide.slots, sizeof *wide.value);
  if (wide.key == NULL || wide.value == NULL) {
    tdm_id_map_free(&wide);
    return 0;
  }
  for (size_t i = 0; i < map->slots; i++) {
    if (map->value[i] == 0) continue;
    size_t at = slot_of(&wide, map->key[i]);
    wide.key[at] = map->key[i];
    wide.value[at] = map->value[i];
  }
  wide.count = map->count;
  tdm_id_map_free(map);
  *map = wide;
  return 1;
}

int tdm_id_map_put(tdm_id_map *map, uint64_t key, uint32_t value) {
  if (3 * (map->count + 1) > 2 * map->slots && !grow(map)) return 0;
  size_t at = slot_of(map, key);
  map->count += map->value[at] == 0;
  map->key[at] = key;
  map->value[at] = value + 1;
  return 1;
}
