/* 64-bit numbers to 32-bit ones: a hash table for readers whose formats number things as they like,
 * also to be slow: where a number lies depends on the process. Zeroed is empty. Owns its slots. */
#ifndef TDM_READ_ID_MAP_H
#define TDM_READ_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t *key;
  uint32_t *value; /* + 1; 0: free */
  size_t count, slots;
  uint64_t seed; /* of the hash */
} tdm_id_map;

#define TDM_ID_NONE UINT32_MAX

void tdm_id_map_free(tdm_id_map *map);
void tdm_id_map_clear(tdm_id_map *map); /* keeps the memory */

/* TDM_ID_NONE: not there. */
uint32_t tdm_id_map_get(const tdm_id_map *map, uint64_t key);

/* Adds or replaces. 0: out of memory. */
int tdm_id_map_put(tdm_id_map *map, uint64_t key, uint32_t value);

#endif
