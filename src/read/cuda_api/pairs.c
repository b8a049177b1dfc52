/* Open addressing with backward shift on removal, so that memory follows what is open and not the
 * length of the trace. See pairs.h. */
#include "read/cuda_api/pairs.h"

#include <stdlib.h>

#include "base/memory.h"

/* How far a list of one key is walked: only recursion and lost ends make lists at all. */
enum { WALK = 64, FIRST_SLOTS = 64 };

void tdm_api_pairs_init(tdm_api_pairs *pairs) {
  *pairs = (tdm_api_pairs){.oldest_end = TDM_API_NO_CALL, .newest_end = TDM_API_NO_CALL};
}

void tdm_api_pairs_clear(tdm_api_pairs *pairs) {
  for (size_t i = 0; i < pairs->count; i++) free(pairs->halves[i].args);
  free(pairs->halves);
  free(pairs->slots);
  tdm_api_pairs_init(pairs);
}

static size_t home_of(const tdm_api_pairs *pairs, tdm_api_pair_key key) {
  uint64_t hash = (key.a * UINT64_C(0x9e3779b97f4a7c15)) ^ key.b;
  hash *= UINT64_C(0xd6e8feb86659fd93);
  hash ^= hash >> 32;
  return (size_t)hash & (pairs->slot_count - 1);
}

/* The slot of the key, or the free one where it would be. */
static tdm_api_pair_slot *find_slot(const tdm_api_pairs *pairs, tdm_api_pair_key key) {
  size_t at = home_of(pairs, key);
  while (pairs->slots[at].newest != 0 &&
         (pairs->slots[at].key.a != key.a || pairs->slots[at].key.b != key.b))
    at = (at + 1) & (pairs->slot_count - 1);
  return &pairs->slots[at];
}

static bool grow_slots(tdm_api_pairs *pairs) {
  size_t count = pairs->slot_count > 0 ? 2 * pairs->slot_count : FIRST_SLOTS;
  tdm_api_pair_slot *before = pairs->slots;
  size_t before_count = pairs->slot_count;
  pairs->slots = tdm_array_new(count, sizeof *pairs->slots);
  if (pairs->slots == NULL) {
    pairs->slots = before;
    return false;
  }
  pairs->slot_count = count;
  for (size_t i = 0; i < before_count; i++)
    if (before[i].newest != 0) *find_slot(pairs, before[i].key) = before[i];
  free(before);
  return true;
}

static void free_slot(tdm_api_pairs *pairs, tdm_api_pair_slot *slot) {
  size_t mask = pairs->slot_count - 1, hole = (size_t)(slot - pairs->slots);
  for (size_t at = (hole + 1) & mask; pairs->slots[at].newest != 0; at = (at + 1) & mask) {
    size_t home = home_of(pairs, pairs->slots[at].key);
    if (((at - home) & mask) < ((at - hole) & mask)) continue; /* it may not move before its home */
    pairs->slots[hole] = pairs->slots[at];
    hole = at;
  }
  pairs->slots[hole].newest = 0;
  pairs->slots_used--;
}

static tdm_api_args *copy_args(const tdm_api_args *args) {
  tdm_api_args *copy = malloc(sizeof *copy);
  if (copy != NULL) *copy = *args;
  return copy;
}

uint32_t tdm_api_pairs_put(tdm_api_pairs *pairs, tdm_api_thread *thread, const tdm_api_half *half,
                           const tdm_api_args *args) {
  if (4 * (pairs->slots_used + 1) > 3 * pairs->slot_count && !grow_slots(pairs))
    return TDM_API_NO_CALL;
  uint32_t id = pairs->free - 1;
  if (pairs->free == 0) {
    id = (uint32_t)pairs->count;
    if (id == TDM_API_NO_CALL - 1 ||
        !tdm_array_grow(&pairs->halves, &pairs->room, pairs->count + 1, sizeof *pairs->halves))
      return TDM_API_NO_CALL;
  }
  tdm_api_args *copy = args->count > 0 ? copy_args(args) : NULL;
  if (args->count > 0 && copy == NULL) return TDM_API_NO_CALL;
  if (pairs->free == 0)
    pairs->count++;
  else
    pairs->free = pairs->halves[id].older;
  tdm_api_half *made = &pairs->halves[id];
  *made = *half;
  made->args = copy;
  tdm_api_pair_slot *slot = find_slot(pairs, half->key);
  if (slot->newest == 0) pairs->slots_used++;
  slot->key = half->key;
  made->older = slot->newest;
  slot->newest = id + 1;
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
  tdm_api_pair_slot *slot = find_slot(pairs, half->key);
  uint32_t *link = &slot->newest;
  while (*link != id + 1) link = &pairs->halves[*link - 1].older;
  *link = half->older;
  if (slot->newest == 0) free_slot(pairs, slot);
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
  if (pairs->slot_count == 0) return TDM_API_NO_CALL;
  uint32_t best = TDM_API_NO_CALL;
  uint32_t at = find_slot(pairs, half->key)->newest;
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
