/* Open addressing over hashes kept with the entries. See intern.h. */
#include "trace/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Blocks double up to the largest: most tables stay small, and readers have many of them. */
enum { FIRST_BYTES = 1 << 12, BLOCK_BYTES = 1 << 18 };

static uint32_t hash_of(const unsigned char *bytes, size_t length) {
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t hash = length * odd;
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    hash = (hash ^ word) * odd;
    hash ^= hash >> 32;
  }
  uint64_t word = 0;
  memcpy(&word, bytes, length);
  hash = (hash ^ word) * odd;
  return (uint32_t)(hash >> 32);
}

void tdm_intern_clear(tdm_intern *table) {
  for (char *block = table->block; block != NULL;) {
    char *before;
    memcpy(&before, block, sizeof before);
    free(block);
    block = before;
  }
  free(table->entries);
  free(table->slots);
  *table = (tdm_intern){0};
}

static char *take_bytes(tdm_intern *table, size_t length) {
  if (table->block == NULL || length > table->block_size - table->block_used) {
    size_t size = sizeof(char *) + length;
    size_t usual = table->block == NULL ? FIRST_BYTES : 2 * table->block_size;
    if (usual > BLOCK_BYTES) usual = BLOCK_BYTES;
    if (size < usual) size = usual;
    char *block = malloc(size);
    if (block == NULL) return NULL;
    memcpy(block, &table->block, sizeof(char *));
    table->block = block;
    table->block_size = size;
    table->block_used = sizeof(char *);
  }
  char *bytes = table->block + table->block_used;
  table->block_used += length;
  return bytes;
}

static int grow_slots(tdm_intern *table) {
  size_t count = table->slot_count > 0 ? table->slot_count * 2 : 256;
  uint32_t *slots = tdm_array_new(count, sizeof *slots);
  if (slots == NULL) return 0;
  for (size_t i = 0; i < table->count; i++) {
    size_t at = table->entries[i].hash & (count - 1);
    while (slots[at] != 0) at = (at + 1) & (count - 1);
    slots[at] = (uint32_t)i + 1;
  }
  free(table->slots);
  table->slots = slots;
  table->slot_count = count;
  return 1;
}

/* The slot of the bytes, or the free one where they belong. */
static size_t slot_of(const tdm_intern *table, const void *bytes, size_t length, uint32_t hash) {
  size_t at = hash & (table->slot_count - 1);
  for (; table->slots[at] != 0; at = (at + 1) & (table->slot_count - 1)) {
    const tdm_intern_entry *entry = &table->entries[table->slots[at] - 1];
    if (entry->hash == hash && entry->length == length && memcmp(entry->bytes, bytes, length) == 0)
      break;
  }
  return at;
}

uint32_t tdm_intern_find(const tdm_intern *table, const void *bytes, size_t length) {
  if (table->count == 0) return TDM_INTERN_FAILED;
  uint32_t id = table->slots[slot_of(table, bytes, length, hash_of(bytes, length))];
  return id > 0 ? id - 1 : TDM_INTERN_FAILED;
}

uint32_t tdm_intern_put(tdm_intern *table, const void *bytes, size_t length, int *fresh) {
  if (fresh != NULL) *fresh = 0;
  if (length >= UINT32_MAX || table->count >= UINT32_MAX - 1) return TDM_INTERN_FAILED;
  if (2 * (table->count + 1) > table->slot_count && !grow_slots(table)) return TDM_INTERN_FAILED;
  uint32_t hash = hash_of(bytes, length);
  size_t at = slot_of(table, bytes, length, hash);
  if (table->slots[at] != 0) return table->slots[at] - 1;
  if (!tdm_array_grow(&table->entries, &table->capacity, table->count + 1, sizeof *table->entries))
    return TDM_INTERN_FAILED;
  char *copy = take_bytes(table, length + 1);
  if (copy == NULL) return TDM_INTERN_FAILED;
  memcpy(copy, bytes, length);
  copy[length] = 0;
  table->entries[table->count] = (tdm_intern_entry){copy, (uint32_t)length, hash};
  table->slots[at] = (uint32_t)++table->count;
  if (fresh != NULL) *fresh = 1;
  return (uint32_t)table->count - 1;
}
