/* Sifting up and down. Owns nothing beyond the heap it is given. Called by decoders and queue. */
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

static void put(tdm_heap *heap, size_t place, const tdm_heap_item *item) {
  heap->items[place] = *item;
  heap->places[item->member] = (uint32_t)place;
}

static void sift_up(tdm_heap *heap, size_t place, tdm_heap_item item) {
  while (place > 0) {
    size_t parent = (place - 1) / 2;
    if (!before(&item, &heap->items[parent])) break;
    put(heap, place, &heap->items[parent]);
    place = parent;
  }
  put(heap, place, &item);
}

static void sift_down(tdm_heap *heap, size_t place, tdm_heap_item item) {
  for (;;) {
    size_t child = 2 * place + 1;
    if (child >= heap->count) break;
    if (child + 1 < heap->count && before(&heap->items[child + 1], &heap->items[child])) child++;
    if (!before(&heap->items[child], &item)) break;
    put(heap, place, &heap->items[child]);
    place = child;
  }
  put(heap, place, &item);
}

bool tdm_heap_push(tdm_heap *heap, tdm_heap_item item) {
  if (!tdm_array_grow(&heap->items, &heap->capacity, heap->count + 1, sizeof *heap->items) ||
      !tdm_array_grow(&heap->places, &heap->place_capacity, (size_t)item.member + 1,
                      sizeof *heap->places))
    return false;
  sift_up(heap, heap->count++, item);
  return true;
}

void tdm_heap_remove(tdm_heap *heap, uint32_t member) {
  size_t place = heap->places[member];
  tdm_heap_item last = heap->items[--heap->count];
  if (place == heap->count) return;
  if (place > 0 && before(&last, &heap->items[(place - 1) / 2]))
    sift_up(heap, place, last);
  else
    sift_down(heap, place, last);
}
