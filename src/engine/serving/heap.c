/* Sifting up, closing gaps. Owns nothing beyond its heap. Called by decoders and queue. */
#include "engine/serving/parts.h"

#include <stdlib.h>

#include "base/memory.h"

void tdm_heap_close(tdm_heap *heap) {
  free(heap->items);
  free(heap->positions);
  *heap = (tdm_heap){0};
}

static bool before(const tdm_heap_item *a, const tdm_heap_item *b) {
  if (a->key != b->key) return a->key < b->key;
  if (a->tie != b->tie) return a->tie < b->tie;
  return a->order < b->order;
}

/* `item` lies outside of the heap, or at its end, which is free. */
static void sift_up(const tdm_heap *heap, size_t position, const tdm_heap_item *item) {
  tdm_heap_item *items = heap->items;
  uint32_t *positions = heap->positions;
  while (position > 0) {
    size_t parent = (position - 1) / 2;
    if (!before(item, &items[parent])) break;
    items[position] = items[parent];
    positions[items[position].member] = (uint32_t)position;
    position = parent;
  }
  items[position] = *item;
  positions[item->member] = (uint32_t)position;
}

/* Fills a free position with the first of those below it, and so on. Returns what is free then. */
static size_t close_gap(const tdm_heap *heap, size_t position) {
  tdm_heap_item *items = heap->items;
  size_t count = heap->count, child;
  while ((child = 2 * position + 1) < count) {
    if (child + 1 < count && before(&items[child + 1], &items[child])) child++;
    items[position] = items[child];
    heap->positions[items[position].member] = (uint32_t)position;
    position = child;
  }
  return position;
}

bool tdm_heap_push(tdm_heap *heap, tdm_heap_item item) {
  if (!tdm_array_grow(&heap->items, &heap->capacity, heap->count + 1, sizeof *heap->items) ||
      !tdm_array_grow(&heap->positions, &heap->position_capacity, (size_t)item.member + 1,
                      sizeof *heap->positions))
    return false;
  sift_up(heap, heap->count++, &item);
  return true;
}

void tdm_heap_remove(tdm_heap *heap, uint32_t member) {
  size_t position = heap->positions[member];
  const tdm_heap_item *last = &heap->items[--heap->count];
  if (position == heap->count) return;
  sift_up(heap, close_gap(heap, position), last);
}
