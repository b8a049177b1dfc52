/* See groups.h: an open-addressing table over the keys, then a counting sort. */
#include "analysis/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

tdm_status tdm_groups_open(tdm_groups *groups, size_t keys, size_t rows, tdm_error *error) {
  *groups = (tdm_groups){.keys = keys, .slots = 1024};
  groups->group = tdm_array_new(rows + 1, sizeof *groups->group);
  groups->slot = tdm_array_new(groups->slots, sizeof *groups->slot);
  if (groups->group != NULL && groups->slot != NULL) return TDM_OK;
  tdm_groups_close(groups);
  return tdm_error_memory(error, "groups of rows", rows * sizeof *groups->group);
}

void tdm_groups_close(tdm_groups *groups) {
  free(groups->key);
  free(groups->group);
  free(groups->first);
  free(groups->row);
  free(groups->slot);
  *groups = (tdm_groups){0};
}

/* Powers of an odd number: products that do not wait for one another. */
static const uint64_t factors[TDM_GROUP_KEYS] = {
    UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xdf442d22ce4859b9), UINT64_C(0x604a5ce3addef82d),
    UINT64_C(0xd94363fc538227b1), UINT64_C(0x2e2b795f2d10fd85), UINT64_C(0x4be7956e30a337e9),
    UINT64_C(0x5ecb31e4ccd2721d), UINT64_C(0x06d4b2611beb6861), UINT64_C(0x0f10cd6a9be88bf5),
    UINT64_C(0x80e0dcf76db02719), UINT64_C(0x779023cf069d510d), UINT64_C(0x4114e3439eebf211)};

static size_t hash_of(const int64_t *key, size_t keys) {
  uint64_t hash = 0;
  for (size_t i = 0; i < keys; i++) hash += (uint64_t)key[i] * factors[i];
  return (size_t)(hash ^ hash >> 29 ^ hash >> 47);
}

/* Slots hold group + 1; 0 is free. */
static int widen(tdm_groups *groups) {
  size_t slots = groups->slots * 4;
  uint32_t *slot = tdm_array_new(slots, sizeof *slot);
  if (slot == NULL) return 0;
  for (size_t g = 0; g < groups->count; g++) {
    size_t at = hash_of(groups->key + g * groups->keys, groups->keys) & (slots - 1);
    while (slot[at] != 0) at = (at + 1) & (slots - 1);
    slot[at] = (uint32_t)g + 1;
  }
  free(groups->slot);
  groups->slot = slot;
  groups->slots = slots;
  return 1;
}

static int same(const int64_t *a, const int64_t *b, size_t keys) {
  uint64_t differs = 0;
  for (size_t i = 0; i < keys; i++) differs |= (uint64_t)(a[i] ^ b[i]);
  return differs == 0;
}

uint32_t tdm_groups_add(tdm_groups *groups, const int64_t *key) {
  size_t at = hash_of(key, groups->keys) & (groups->slots - 1);
  for (; groups->slot[at] != 0; at = (at + 1) & (groups->slots - 1)) {
    uint32_t group = groups->slot[at] - 1;
    if (same(groups->key + group * groups->keys, key, groups->keys))
      return groups->group[groups->rows++] = group;
  }
  if (!tdm_array_grow(&groups->key, &groups->key_room, (groups->count + 1) * groups->keys,
                      sizeof *groups->key))
    return UINT32_MAX;
  memcpy(groups->key + groups->count * groups->keys, key, groups->keys * sizeof *key);
  uint32_t group = (uint32_t)groups->count++;
  groups->slot[at] = group + 1;
  if (groups->count * 2 > groups->slots && !widen(groups)) return UINT32_MAX;
  return groups->group[groups->rows++] = group;
}

tdm_status tdm_groups_gather(tdm_groups *groups, tdm_error *error) {
  groups->first = tdm_array_new(groups->count + 2, sizeof *groups->first);
  groups->row = tdm_array_new(groups->rows + 1, sizeof *groups->row);
  if (groups->first == NULL || groups->row == NULL)
    return tdm_error_memory(error, "groups of rows", groups->rows * sizeof *groups->row);
  size_t *next = groups->first + 1; /* shifted by one: each ends up where the next group begins */
  for (size_t i = 0; i < groups->rows; i++) next[groups->group[i] + 1]++;
  for (size_t g = 1; g <= groups->count; g++) next[g] += next[g - 1];
  for (size_t i = 0; i < groups->rows; i++) groups->row[next[groups->group[i]]++] = (uint32_t)i;
  return TDM_OK;
}
