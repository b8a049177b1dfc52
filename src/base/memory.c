/* Checked allocation. Owns no state. Called by every layer. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { LARGE_BYTES = 2 << 20, PAGE_BYTES = 4096 };

/* What is large is touched from end to end: by large pages, each of which the system is asked for
 * once in place of 512 times. It may refuse; then pages are small. */
static void *with_large_pages(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
  if (block == NULL || bytes < LARGE_BYTES) return block;
  uintptr_t from = ((uintptr_t)block + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1);
  uintptr_t to = ((uintptr_t)block + bytes) & ~(uintptr_t)(PAGE_BYTES - 1);
  madvise((void *)from, to - from, MADV_HUGEPAGE);
#endif
  return block;
}

void *tdm_array_new(size_t count, size_t size) {
  if (size > 0 && count > SIZE_MAX / size) return NULL;
  void *block = calloc(count > 0 ? count : 1, size);
  return with_large_pages(block, count * size);
}

void *tdm_array_raw(size_t count, size_t size) {
  if (size > 0 && count > SIZE_MAX / size) return NULL;
  return with_large_pages(malloc(count > 0 ? count * size : 1), count * size);
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
  with_large_pages(fresh, grown * size);
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
  with_large_pages(block, bytes);
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
