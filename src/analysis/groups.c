/* See groups.h: keys found by hash, then a counting sort. */
#include "analysis/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

tdm_status tdm_groups_open(tdm_groups *groups, size_t keys, size_t rows, tdm_error *error) {
  *groups = (tdm_groups){.keys = keys};
  groups->group = tdm_array_new(rows + 1, sizeof *groups->group);
  if (groups->group != NULL) return TDM_OK;
  return tdm_error_memory(error, "groups of rows", rows * sizeof *groups->group);
}

void tdm_groups_close(tdm_groups *groups) {
  free(groups->key);
  free(groups->group);
  free(groups->first);
  free(groups->row);
  tdm_hash_map_free(&groups->map);
  *groups = (tdm_groups){0};
}

/* Powers of an odd number: products that do not wait for one another. */
static const uint64_t factors[TDM_GROUP_KEYS] = {
    UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xdf442d22ce4859b9), UINT64_C(0x604a5ce3addef82d),
    UINT64_C(0xd94363fc538227b1), UINT64_C(0x2e2b795f2d10fd85), UINT64_C(0x4be7956e30a337e9),
    UINT64_C(0x5ecb31e4ccd2721d), UINT64_C(0x06d4b2611beb6861), UINT64_C(0x0f10cd6a9be88bf5),
    UINT64_C(0x80e0dcf76db02719), UINT64_C(0x779023cf069d510d), UINT64_C(0x4114e3439eebf211)};

static uint32_t hash_of(const int64_t *key, size_t keys) {
  uint64_t hash = tdm_hash_seed;
  for (size_t i = 0; i < keys; i++) hash += (uint64_t)key[i] * factors[i];
  return (uint32_t)(hash ^ hash >> 29 ^ hash >> 47);
}

static int same(const int64_t *a, const int64_t *b, size_t keys) {
  uint64_t differs = 0;
  for (size_t i = 0; i < keys; i++) differs |= (uint64_t)(a[i] ^ b[i]);
  return differs == 0;
}

uint32_t tdm_groups_of(tdm_groups *groups, const int64_t *key) {
  uint32_t hash = hash_of(key, groups->keys);
  for (tdm_hash_slot *s = tdm_hash_first(&groups->map, hash); s; s = tdm_hash_next(&groups->map, s))
    if (same(groups->key + s->row * groups->keys, key, groups->keys)) return s->row;
  if (!tdm_array_grow(&groups->key, &groups->key_room, (groups->count + 1) * groups->keys,
                      sizeof *groups->key) ||
      !tdm_hash_add(&groups->map, hash, (uint32_t)groups->count))
    return UINT32_MAX;
  memcpy(groups->key + groups->count * groups->keys, key, groups->keys * sizeof *key);
  return (uint32_t)groups->count++;
}

uint32_t tdm_groups_add(tdm_groups *groups, const int64_t *key) {
  uint32_t group = tdm_groups_of(groups, key);
  return group == UINT32_MAX ? group : (groups->group[groups->rows++] = group);
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

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

static void pass(const uint64_t *key, unsigned shift, const uint32_t *from, uint32_t *to,
                 size_t count) {
  size_t start[DIGITS] = {0};
  for (size_t i = 0; i < count; i++) start[key[from[i]] >> shift & (DIGITS - 1)]++;
  for (size_t d = 0, sum = 0; d < DIGITS; d++) {
    size_t here = start[d];
    start[d] = sum;
    sum += here;
  }
  for (size_t i = 0; i < count; i++) to[start[key[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
}

tdm_status tdm_order_by(const uint64_t *key, uint32_t *order, size_t count, tdm_error *error) {
  uint32_t *spare = tdm_array_raw(count + 1, sizeof *spare);
  if (spare == NULL) return tdm_error_memory(error, "an order", count * sizeof *spare);
  uint64_t differ = 0;
  for (size_t i = 0; i < count; i++) {
    order[i] = (uint32_t)i;
    differ |= key[i] ^ key[0];
  }
  uint32_t *from = order, *to = spare;
  for (unsigned shift = 0; shift < 64 && differ >> shift != 0; shift += DIGIT) {
    if ((differ >> shift & (DIGITS - 1)) == 0) continue;
    pass(key, shift, from, to, count);
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != order) memcpy(order, from, count * sizeof *order);
  free(spare);
  return TDM_OK;
}

/* By row: one of the two. */
typedef struct {
  const int32_t *plain;
  const tdm_kept_block *kept;
  uint32_t tracks;
} track_list;

static uint32_t slot_of(const track_list *list, size_t row) {
  int64_t track = list->plain != NULL ? list->plain[row] : tdm_kept_in(list->kept, row);
  return track >= 0 && track < list->tracks ? (uint32_t)track : list->tracks;
}

static void order_by_track(const track_list *list, size_t count, uint32_t *first, uint32_t *row) {
  uint32_t tracks = list->tracks;
  memset(first, 0, ((size_t)tracks + 2) * sizeof *first);
  for (size_t i = 0; i < count; i++) first[slot_of(list, i) + 1]++;
  for (uint32_t t = 0; t <= tracks; t++) first[t + 1] += first[t];
  for (size_t i = 0; i < count; i++) row[first[slot_of(list, i)]++] = (uint32_t)i;
  memmove(first + 1, first, ((size_t)tracks + 1) * sizeof *first);
  first[0] = 0;
}

void tdm_order_by_track(const int32_t *track, size_t count, uint32_t tracks, uint32_t *first,
                        uint32_t *row) {
  order_by_track(&(track_list){.plain = track, .tracks = tracks}, count, first, row);
}

void tdm_order_by_kept_track(const tdm_kept_block *track, size_t count, uint32_t tracks,
                             uint32_t *first, uint32_t *row) {
  order_by_track(&(track_list){.kept = track, .tracks = tracks}, count, first, row);
}
