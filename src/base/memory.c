/* Checked allocation. Owns no state. Called by every layer. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void *tdm_array_new(size_t count, size_t size) {
  return calloc(count > 0 ? count : 1, size);
}

int tdm_array_grow(void *items, size_t *capacity, size_t need, size_t size) {
  if (need <= *capacity) return 1;
  size_t grown = *capacity < 8 ? 8 : *capacity * 2;
  if (grown < need) grown = need;
  if (grown > SIZE_MAX / size) return 0;
  void *old;
  memcpy(&old, items, sizeof old); /* items is a T **; copying avoids aliasing it as void ** */
  void *fresh = realloc(old, grown * size);
  if (fresh == NULL) return 0;
  memcpy(items, &fresh, sizeof fresh);
  *capacity = grown;
  return 1;
}

void tdm_memory_return(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void *tdm_aligned_new(size_t count, size_t size) {
  if (count > (SIZE_MAX - 63) / (size > 0 ? size : 1)) return NULL;
  size_t bytes = (count * size + 63) & ~(size_t)63;
  void *block = aligned_alloc(64, bytes > 0 ? bytes : 64);
  if (block != NULL) memset(block, 0, bytes);
  return block;
}

void tdm_memory_zero(void *memory, size_t size) {
  memset(memory, 0, size);
}

char *tdm_string_copy(const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = malloc(bytes);
  if (copy != NULL) memcpy(copy, text, bytes);
  return copy;
}
