/* Numbers of files, alone or in groups, to small numbers of ours.
 *
 * Ids mostly count up and may be anything; a group tells apart ids that are unique only within it
 * (correlations of a process). Owns its entries; zeroed memory is an empty map. Used by readers and
 * writers. */
#ifndef TDM_BASE_ID_MAP_H
#define TDM_BASE_ID_MAP_H

#include "base/hash_map.h"

#define TDM_ID_NONE UINT32_MAX

typedef struct {
  uint64_t id, group;
  uint32_t value;
} tdm_id_entry;

typedef struct {
  tdm_id_entry *entries; /* in the order in which they came */
  size_t count, room;
  tdm_hash_map map;
} tdm_id_map;

void tdm_id_map_free(tdm_id_map *map);
void tdm_id_map_clear(tdm_id_map *map); /* keeps the memory */

/* The value; TDM_ID_NONE: it is not there. */
uint32_t tdm_id_map_find(const tdm_id_map *map, uint64_t id, uint64_t group);

/* The value, made with TDM_ID_NONE where it was not there; good until the next one is made. NULL:
 * out of memory. */
uint32_t *tdm_id_map_at(tdm_id_map *map, uint64_t id, uint64_t group);

/* Adds or replaces. False: out of memory. */
static inline bool tdm_id_map_set(tdm_id_map *map, uint64_t id, uint64_t group, uint32_t value) {
  uint32_t *at = tdm_id_map_at(map, id, group);
  if (at != NULL) *at = value;
  return at != NULL;
}

/* The same for ids that need no group. */
static inline uint32_t tdm_id_map_get(const tdm_id_map *map, uint64_t id) {
  return tdm_id_map_find(map, id, 0);
}
static inline bool tdm_id_map_put(tdm_id_map *map, uint64_t id, uint32_t value) {
  return tdm_id_map_set(map, id, 0, value);
}

#endif
