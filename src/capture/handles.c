/* Words by word, without locks. See handles.h. */
#include "capture/handles.h"

#include <stddef.h>

enum { TRIES = 16 };

static uint32_t slot_index(const tdm_handles *table, uint64_t key, uint32_t probe) {
  uint64_t spread = key * 0x9E3779B97F4A7C15u;
  return ((uint32_t)(spread >> 32) + probe) & (table->size - 1);
}

uint64_t tdm_handles_get(const tdm_handles *table, uint64_t key) {
  for (uint32_t i = 0; i < TRIES; i++) {
    tdm_handle *slot = &table->slots[slot_index(table, key, i)];
    uint64_t found = atomic_load_explicit(&slot->key, memory_order_acquire);
    if (found == key) return atomic_load_explicit(&slot->value, memory_order_acquire);
    if (!found) break;
  }
  return 0;
}

void tdm_handles_set(const tdm_handles *table, uint64_t key, uint64_t value) {
  if (!key) return;
  for (uint32_t i = 0; i < TRIES; i++) {
    tdm_handle *slot = &table->slots[slot_index(table, key, i)];
    uint64_t found = 0;
    if (atomic_compare_exchange_strong(&slot->key, &found, key) || found == key) {
      atomic_store_explicit(&slot->value, value, memory_order_release);
      return;
    }
  }
  tdm_handle *slot = &table->slots[slot_index(table, key, 0)];
  atomic_store(&slot->value, 0); /* so that the old value is never seen under the new key */
  atomic_store(&slot->key, key);
  atomic_store(&slot->value, value);
}

void tdm_handles_clear(const tdm_handles *table) {
  for (uint32_t i = 0; i < table->size; i++) atomic_store(&table->slots[i].value, 0);
}
