/* A binary heap of (key, order) pairs that knows where each member lies, so that any can leave.
 *
 * The least key comes first, equal keys by order. Owns its arrays; members are the small numbers
 * by which its caller knows things. Used by the decoding set and the queue of one instance. */
#ifndef TDM_ENGINE_SERVING_HEAP_H
#define TDM_ENGINE_SERVING_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t key;
  int64_t tie;    /* among equal keys the least comes first, */
  uint64_t order; /* then the least of these */
  uint32_t member;
} tdm_heap_item;

/* Zeroed: empty. */
typedef struct {
  tdm_heap_item *items;
  size_t count, capacity;
  uint32_t *places; /* by member: index into items */
  size_t place_capacity;
} tdm_heap;

void tdm_heap_close(tdm_heap *heap);

/* False: out of memory, nothing changed. */
bool tdm_heap_push(tdm_heap *heap, tdm_heap_item item);

/* The member is in the heap. */
void tdm_heap_remove(tdm_heap *heap, uint32_t member);

/* NULL: empty. */
static inline const tdm_heap_item *tdm_heap_first(const tdm_heap *heap) {
  return heap->count > 0 ? heap->items : NULL;
}

#endif
