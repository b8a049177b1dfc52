/* Byte strings to dense ids, equal bytes to equal ids.
 *
 * Owns copies of the bytes (NUL-terminated, in large blocks). Used by the recorder for names,
 * tracks and layouts, and by readers for their own keys. */
#ifndef TDM_TRACE_INTERN_H
#define TDM_TRACE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"

typedef struct {
  const char *bytes;
  uint32_t length;
} tdm_intern_entry;

typedef struct {
  tdm_intern_entry *entries;
  size_t count, capacity;
  tdm_hash_map map; /* ids by bytes */
  char *block;      /* the one being filled; each begins with a pointer to the one before */
  size_t block_used, block_size;
} tdm_intern;

#define TDM_INTERN_FAILED UINT32_MAX

/* Zeroed memory is an empty table. */
void tdm_intern_clear(tdm_intern *table);

/* The id of the bytes; *fresh (may be NULL) says whether they are new. TDM_INTERN_FAILED: out of
 * memory, or 2^32 - 2 entries. */
uint32_t tdm_intern_put(tdm_intern *table, const void *bytes, size_t length, int *fresh);

/* TDM_INTERN_FAILED: not there. */
uint32_t tdm_intern_find(const tdm_intern *table, const void *bytes, size_t length);

#endif
