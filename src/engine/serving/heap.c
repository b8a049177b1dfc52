/* Sifting up, closing gaps. Owns nothing beyond its heap. Called by decoders and queue. */
#include "engine/serving/heap.h"

#include <stdlib.h>

#include "base/memory.h"

void tdm_heap_close(tdm_heap *heap) {
  free(heap->items);
  free(heap->places);
  *heap = (tdm_heap){0};
}

static bool before(const tdm_heap_item *a, const tdm_heap_item *b) {
  if (a->key != b->key) return a->key < b->key;
  if (a->tie != b->tie) return a->tie < b->tie;
  return a->order < b->order;
}

/* `item` lies outside of the heap, or at its end, which is free. */
static void sift_up(const tdm_heap *heap, size_t place, const tdm_heap_item *item) {
  tdm_heap_item *items = heap->items;
  uint32_t *places = heap->places;
  while (place > 0) {
    size_t parent = (place - 1) / 2;
    if (!before(item, &items[parent])) break;
    items[place] = items[parent];
    places[items[place].member] = (uint32_t)place;
    place = parent;
  }
  items[place] = *item;
  places[item->member] = (uint32_t)place;
}

/* Fills a free place with the first of those below it, and so on. Returns what is free then. */
static size_t close_gap(const tdm_heap *heap, size_t place) {
  tdm_heap_item *items = heap->items;
  size_t count = heap->count, child;
  while ((child = 2 * place + 1) < count) {
    if (child + 1 < count && before(&items[child + 1], &items[child])) child++;
    items[place] = items[child];
    heap->places[items[place].member] = (uint32_t)place;
    place = child;
  }
  return place;
}

bool tdm_heap_push(tdm_heap *heap, tdm_heap_item item) {
  if (!tdm_array_grow(&heap->items, &heap->capacity, heap->count + 1, sizeof *heap->items) ||
      !tdm_array_grow(&heap->places, &heap->place_capacity, (size_t)item.member + 1,
                      sizeof *heap->places))
    return false;
  sift_up(heap, heap->count++, &item);
  return true;
}

void tdm_heap_remove(tdm_heap *heap, uint32_t member) {
  size_t place = heap->places[member];
  const tdm_heap_item *last = &heap->items[--heap->count];
  if (place == heap->count) return;
  sift_up(heap, close_gap(heap, place), last);
}
