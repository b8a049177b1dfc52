/* Memory follows what is open and not the length of the trace. See calls.h. */
#include "read/cuda_api/calls.h"

#include <stdlib.h>

#include "base/memory.h"

/* How far a list of one key is walked: only recursion and lost ends make lists at all. */
enum { WALK = 64 };

void tdm_api_pairs_init(tdm_api_pairs *pairs) {
  *pairs = (tdm_api_pairs){.oldest_end = TDM_API_NO_CALL, .newest_end = TDM_API_NO_CALL};
}

void tdm_api_pairs_clear(tdm_api_pairs *pairs) {
  for (size_t i = 0; i < pairs->count; i++) free(pairs->halves[i].args);
  free(pairs->halves);
  tdm_hash_map_free(&pairs->newest);
  tdm_api_pairs_init(pairs);
}

/* The slot of the newest half of a key; NULL: it has none. */
static tdm_hash_slot *find_slot(const tdm_api_pairs *pairs, tdm_api_pair_key key) {
  const tdm_hash_map *map = &pairs->newest;
  tdm_hash_slot *slot = tdm_hash_first(map, tdm_hash_pair(key.a, key.b));
  for (; slot != NULL; slot = tdm_hash_next(map, slot)) {
    const tdm_api_pair_key *has = &pairs->halves[slot->row].key;
    if (has->a == key.a && has->b == key.b) break;
  }
  return slot;
}

static tdm_api_args *copy_args(const tdm_api_args *args) {
  tdm_api_args *copy = malloc(sizeof *copy);
  if (copy != NULL) *copy = *args;
  return copy;
}

uint32_t tdm_api_pairs_put(tdm_api_pairs *pairs, tdm_api_thread *thread, const tdm_api_half *half,
                           const tdm_api_args *args) {
  uint32_t id = pairs->free - 1;
  if (pairs->free == 0) {
    id = (uint32_t)pairs->count;
    if (id == TDM_API_NO_CALL - 1 ||
        !tdm_array_grow(&pairs->halves, &pairs->room, pairs->count + 1, sizeof *pairs->halves))
      return TDM_API_NO_CALL;
  }
  tdm_api_args *copy = args->count > 0 ? copy_args(args) : NULL;
  if (args->count > 0 && copy == NULL) return TDM_API_NO_CALL;
  tdm_hash_slot *slot = find_slot(pairs, half->key);
  uint32_t older = slot != NULL ? slot->row + 1 : 0;
  if (slot != NULL) {
    slot->row = id;
  } else if (!tdm_hash_add(&pairs->newest, tdm_hash_pair(half->key.a, half->key.b), id)) {
    free(copy);
    return TDM_API_NO_CALL;
  }
  if (pairs->free == 0)
    pairs->count++;
  else
    pairs->free = pairs->halves[id].older;
  tdm_api_half *made = &pairs->halves[id];
  *made = *half;
  made->args = copy;
  made->older = older;
  uint32_t *top = half->is_end ? &pairs->newest_end : &thread->newest;
  made->above = TDM_API_NO_CALL;
  made->below = *top;
  if (*top != TDM_API_NO_CALL)
    pairs->halves[*top].above = id;
  else if (half->is_end)
    pairs->oldest_end = id;
  *top = id;
  pairs->ends += half->is_end;
  return id;
}

void tdm_api_pairs_drop(tdm_api_pairs *pairs, tdm_api_thread *thread, uint32_t id) {
  tdm_api_half *half = &pairs->halves[id];
  tdm_hash_slot *slot = find_slot(pairs, half->key);
  if (slot->row != id) {
    uint32_t *link = &pairs->halves[slot->row].older;
    while (*link != id + 1) link = &pairs->halves[*link - 1].older;
    *link = half->older;
  } else if (half->older != 0) {
    slot->row = half->older - 1;
  } else {
    tdm_hash_remove(&pairs->newest, slot);
  }
  if (half->above != TDM_API_NO_CALL)
    pairs->halves[half->above].below = half->below;
  else if (half->is_end)
    pairs->newest_end = half->below;
  else
    thread->newest = half->below;
  if (half->below != TDM_API_NO_CALL)
    pairs->halves[half->below].above = half->above;
  else if (half->is_end)
    pairs->oldest_end = half->above;
  pairs->ends -= half->is_end;
  free(half->args);
  half->args = NULL;
  half->older = pairs->free;
  pairs->free = id + 1;
}

uint32_t tdm_api_pairs_match(const tdm_api_pairs *pairs, const tdm_api_half *half, bool by_id) {
  uint32_t best = TDM_API_NO_CALL;
  const tdm_hash_slot *slot = find_slot(pairs, half->key);
  uint32_t at = slot != NULL ? slot->row + 1 : 0;
  for (int i = 0; at != 0 && i < WALK; i++, at = pairs->halves[at - 1].older) {
    const tdm_api_half *other = &pairs->halves[at - 1];
    if (other->is_end == half->is_end) continue;
    if (by_id && other->name != half->name && !((other->does | half->does) & TDM_API_UNNAMED))
      continue;
    /* An end that came early must be later than the beginning; at the same time it belongs to the
     * call before. */
    bool ordered =
        half->is_end ? other->time_ns <= half->time_ns
                     : other->time_ns > half->time_ns || (by_id && other->time_ns == half->time_ns);
    if (!ordered) continue;
    bool same_depth =
        other->depth == half->depth || other->depth == TDM_NONE || half->depth == TDM_NONE;
    if (same_depth && half->is_end) return at - 1;
    /* Of early ends the earliest; of beginnings at another depth the newest. */
    if (best == TDM_API_NO_CALL || (!half->is_end && other->time_ns < pairs->halves[best].time_ns))
      best = at - 1;
  }
  return best;
}
