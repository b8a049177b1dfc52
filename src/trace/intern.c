/* See intern.h. */
#include "trace/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Blocks double up to the largest: most tables stay small, and readers have many of them. */
enum { FIRST_BYTES = 1 << 12, BLOCK_BYTES = 1 << 18 };

void tdm_intern_clear(tdm_intern *table) {
  for (char *block = table->block; block != NULL;) {
    char *before;
    memcpy(&before, block, sizeof before);
    free(block);
    block = before;
  }
  free(table->entries);
  tdm_hash_map_free(&table->map);
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

static uint32_t find(const tdm_intern *table, const void *bytes, size_t length, uint32_t hash) {
  for (tdm_hash_slot *s = tdm_hash_first(&table->map, hash); s != NULL;
       s = tdm_hash_next(&table->map, s)) {
    const tdm_intern_entry *entry = &table->entries[s->row];
    if (entry->length == length && memcmp(entry->bytes, bytes, length) == 0) return s->row;
  }
  return TDM_INTERN_FAILED;
}

uint32_t tdm_intern_find(const tdm_intern *table, const void *bytes, size_t length) {
  return find(table, bytes, length, tdm_hash_bytes(bytes, length));
}

uint32_t tdm_intern_put(tdm_intern *table, const void *bytes, size_t length, int *fresh) {
  if (fresh != NULL) *fresh = 0;
  if (length >= UINT32_MAX || table->count >= UINT32_MAX - 1) return TDM_INTERN_FAILED;
  uint32_t hash = tdm_hash_bytes(bytes, length), id = find(table, bytes, length, hash);
  if (id != TDM_INTERN_FAILED) return id;
  if (!tdm_array_grow(&table->entries, &table->capacity, table->count + 1, sizeof *table->entries))
    return TDM_INTERN_FAILED;
  char *copy = take_bytes(table, length + 1);
  id = (uint32_t)table->count;
  if (copy == NULL || !tdm_hash_add(&table->map, hash, id)) return TDM_INTERN_FAILED;
  memcpy(copy, bytes, length);
  copy[length] = 0;
  table->entries[table->count++] = (tdm_intern_entry){copy, (uint32_t)length};
  if (fresh != NULL) *fresh = 1;
  return id;
}
