/* Adapters by number. Called by the scheduler. */
#include "engine/serving/parts.h"

#include <stdlib.h>

#include "base/memory.h"

void tdm_adapters_open(tdm_adapters *adapters, int64_t most) {
  *adapters = (tdm_adapters){.most = most, .oldest = TDM_NO_ADAPTER, .newest = TDM_NO_ADAPTER};
}

void tdm_adapters_close(tdm_adapters *adapters) {
  free(adapters->items);
  tdm_hash_map_free(&adapters->by_id);
  *adapters = (tdm_adapters){0};
}

/* ---- names */

bool tdm_adapters_name(tdm_adapters *adapters, uint64_t id, uint32_t *number) {
  uint32_t hash = tdm_hash_number(id);
  tdm_hash_slot *slot = tdm_hash_first(&adapters->by_id, hash);
  while (slot != NULL && adapters->items[slot->row].id != id)
    slot = tdm_hash_next(&adapters->by_id, slot);
  if (slot != NULL) {
    *number = slot->row;
    return true;
  }
  *number = (uint32_t)adapters->count;
  if (!tdm_array_grow(&adapters->items, &adapters->capacity, adapters->count + 1,
                      sizeof *adapters->items) ||
      !tdm_hash_add(&adapters->by_id, hash, *number))
    return false;
  adapters->items[adapters->count++] =
      (tdm_adapter){.id = id, .passed = {.head = UINT32_MAX, .tail = UINT32_MAX}};
  return true;
}

/* ---- slots */

static void join_idle(tdm_adapters *adapters, uint32_t number) {
  tdm_adapter *a = &adapters->items[number];
  a->before = adapters->newest;
  a->after = TDM_NO_ADAPTER;
  if (adapters->newest != TDM_NO_ADAPTER)
    adapters->items[adapters->newest].after = number;
  else
    adapters->oldest = number;
  adapters->newest = number;
}

static void leave_idle(tdm_adapters *adapters, uint32_t number) {
  const tdm_adapter *a = &adapters->items[number];
  if (a->before != TDM_NO_ADAPTER)
    adapters->items[a->before].after = a->after;
  else
    adapters->oldest = a->after;
  if (a->after != TDM_NO_ADAPTER)
    adapters->items[a->after].before = a->before;
  else
    adapters->newest = a->before;
}

bool tdm_adapters_admit(const tdm_adapters *adapters, uint32_t number) {
  return number == TDM_NO_ADAPTER || adapters->items[number].users > 0 ||
         adapters->used < adapters->most;
}

bool tdm_adapters_take(tdm_adapters *adapters, uint32_t number) {
  tdm_adapter *a = &adapters->items[number];
  if (a->users++ > 0) return false;
  adapters->used++;
  if (a->resident) {
    leave_idle(adapters, number);
    return false;
  }
  if (adapters->resident == adapters->most) { /* not all are used: this one is admitted */
    adapters->items[adapters->oldest].resident = false;
    leave_idle(adapters, adapters->oldest);
  } else {
    adapters->resident++;
  }
  return a->resident = true;
}

void tdm_adapters_give(tdm_adapters *adapters, uint32_t number) {
  if (--adapters->items[number].users > 0) return;
  adapters->used--;
  join_idle(adapters, number);
}
