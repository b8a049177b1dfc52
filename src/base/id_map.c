/* See id_map.h. */
#include "base/id_map.h"

#include <stdlib.h>

#include "base/memory.h"

void tdm_id_map_free(tdm_id_map *map) {
  tdm_hash_map_free(&map->map);
  free(map->entries);
  *map = (tdm_id_map){0};
}

void tdm_id_map_clear(tdm_id_map *map) {
  tdm_hash_map_clear(&map->map);
  map->count = 0;
}

static tdm_id_entry *find(const tdm_id_map *map, uint64_t id, uint64_t group, uint32_t hash) {
  for (tdm_hash_slot *s = tdm_hash_first(&map->map, hash); s; s = tdm_hash_next(&map->map, s)) {
    tdm_id_entry *entry = &map->entries[s->row];
    if (entry->id == id && entry->group == group) return entry;
  }
  return NULL;
}

uint32_t tdm_id_map_find(const tdm_id_map *map, uint64_t id, uint64_t group) {
  const tdm_id_entry *entry = find(map, id, group, tdm_hash_id(id, group));
  return entry != NULL ? entry->value : TDM_ID_NONE;
}

uint32_t *tdm_id_map_at(tdm_id_map *map, uint64_t id, uint64_t group) {
  uint32_t hash = tdm_hash_id(id, group);
  tdm_id_entry *entry = find(map, id, group, hash);
  if (entry != NULL) return &entry->value;
  if (map->count >= TDM_ID_NONE ||
      !tdm_array_grow(&map->entries, &map->room, map->count + 1, sizeof *map->entries) ||
      !tdm_hash_add(&map->map, hash, (uint32_t)map->count))
    return NULL;
  entry = &map->entries[map->count++];
  *entry = (tdm_id_entry){id, group, TDM_ID_NONE};
  return &entry->value;
}
