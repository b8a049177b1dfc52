/* Adapters by number. Called by the scheduler. */
#include "engine/serving/adapters.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"

void tdm_adapters_open(tdm_adapters *adapters, int64_t most) {
  *adapters = (tdm_adapters){.most = most, .oldest = TDM_NO_ADAPTER, .newest = TDM_NO_ADAPTER};
}

void tdm_adapters_close(tdm_adapters *adapters) {
  free(adapters->items);
  free(adapters->buckets);
  *adapters = (tdm_adapters){0};
}

/* ---- names */

static size_t bucket_of(const tdm_adapters *adapters, uint64_t id) {
  size_t at = (size_t)(tdm_mix(id) & (adapters->bucket_count - 1));
  while (adapters->buckets[at] != 0 && adapters->items[adapters->buckets[at] - 1].id != id)
    at = (at + 1) & (adapters->bucket_count - 1);
  return at;
}

/* At most half full. */
static bool make_buckets(tdm_adapters *adapters) {
  if (2 * (adapters->count + 1) <= adapters->bucket_count) return true;
  size_t count = adapters->bucket_count > 0 ? 2 * adapters->bucket_count : 16;
  uint32_t *buckets = tdm_array_new(count, sizeof *buckets);
  if (buckets == NULL) return false;
  free(adapters->buckets);
  adapters->buckets = buckets;
  adapters->bucket_count = count;
  for (size_t i = 0; i < adapters->count; i++)
    buckets[bucket_of(adapters, adapters->items[i].id)] = (uint32_t)i + 1;
  return true;
}

bool tdm_adapters_name(tdm_adapters *adapters, uint64_t id, uint32_t *number) {
  if (!make_buckets(adapters)) return false;
  size_t at = bucket_of(adapters, id);
  if (adapters->buckets[at] == 0) {
    if (!tdm_array_grow(&adapters->items, &adapters->capacity, adapters->count + 1,
                        sizeof *adapters->items))
      return false;
    adapters->items[adapters->count++] =
        (tdm_adapter){.id = id, .passed = {.head = UINT32_MAX, .tail = UINT32_MAX}};
    adapters->buckets[at] = (uint32_t)adapters->count;
  }
  *number = adapters->buckets[at] - 1;
  return true;
}

/* ---- places */

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
