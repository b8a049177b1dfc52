/* What lies in tiers below the GPUs' KV cache, and when it is back. Called by kv_pool and kv_hold
 * as units come and go, by loads. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "engine/serving/kv.h"

#define LONGEST_S 9e9 /* as nanoseconds in an int64_t */

/* ---- one tier */

static tdm_hash_slot *slot_of(const tdm_kv_lower *tier, uint64_t hash) {
  tdm_hash_slot *slot = tdm_hash_first(&tier->by_hash, tdm_hash_number(hash));
  while (slot != NULL && tier->entries[slot->row].hash != hash)
    slot = tdm_hash_next(&tier->by_hash, slot);
  return slot;
}

static uint32_t entry_of(const tdm_kv_lower *tier, uint64_t hash) {
  const tdm_hash_slot *slot = slot_of(tier, hash);
  return slot != NULL ? slot->row : TDM_KV_NONE;
}

static void unlink_entry(tdm_kv_lower *tier, uint32_t entry) {
  tdm_kv_entry *e = &tier->entries[entry];
  if (e->older != TDM_KV_NONE)
    tier->entries[e->older].newer = e->newer;
  else
    tier->oldest = e->newer;
  if (e->newer != TDM_KV_NONE)
    tier->entries[e->newer].older = e->older;
  else
    tier->newest = e->older;
}

static void append_entry(tdm_kv_lower *tier, uint32_t entry) {
  tdm_kv_entry *e = &tier->entries[entry];
  e->older = tier->newest;
  e->newer = TDM_KV_NONE;
  if (tier->newest != TDM_KV_NONE)
    tier->entries[tier->newest].newer = entry;
  else
    tier->oldest = entry;
  tier->newest = entry;
}

/* Without blocks and unlinked. TDM_KV_NONE: out of memory. */
static uint32_t entry_new(tdm_kv_lower *tier, uint64_t hash) {
  uint32_t entry = tier->unused;
  if (entry == TDM_KV_NONE) {
    if (tier->entry_count >= TDM_KV_NONE ||
        !tdm_array_grow(&tier->entries, &tier->entry_capacity, tier->entry_count + 1,
                        sizeof *tier->entries))
      return TDM_KV_NONE;
    entry = (uint32_t)tier->entry_count;
  }
  if (!tdm_hash_add(&tier->by_hash, tdm_hash_number(hash), entry)) return TDM_KV_NONE;
  if (entry == tier->unused)
    tier->unused = tier->entries[entry].newer;
  else
    tier->entry_count++;
  tier->entries[entry] = (tdm_kv_entry){.hash = hash};
  return entry;
}

static void entry_free(tdm_kv_lower *tier, uint32_t entry) {
  unlink_entry(tier, entry);
  tdm_hash_remove(&tier->by_hash, slot_of(tier, tier->entries[entry].hash));
  tier->entries[entry].newer = tier->unused;
  tier->unused = entry;
}

/* ---- what comes and goes */

static void put(tdm_kv_tiers *tiers, size_t k, uint64_t hash, int64_t blocks);

/* Until so many blocks are free, which are no more than all. */
static void make_room(tdm_kv_tiers *tiers, size_t k, int64_t wanted) {
  tdm_kv_lower *tier = &tiers->tiers[k];
  while (tier->free < wanted && tier->oldest != TDM_KV_NONE) {
    uint32_t entry = tier->oldest;
    tdm_kv_entry *e = &tier->entries[entry];
    int64_t part = tdm_least(wanted - tier->free, e->blocks);
    if (k + 1 < tiers->count && tiers->tiers[k + 1].is.write_back)
      put(tiers, k + 1, e->hash, e->blocks);
    e->blocks -= part;
    tier->free += part;
    if (e->blocks == 0) entry_free(tier, entry);
  }
}

/* A unit is stored, and where its tier takes it in those below that write through do. */
static void put(tdm_kv_tiers *tiers, size_t k, uint64_t hash, int64_t blocks) {
  tdm_kv_lower *tier = &tiers->tiers[k];
  uint32_t entry = entry_of(tier, hash);
  int64_t more = blocks - (entry != TDM_KV_NONE ? tier->entries[entry].blocks : 0);
  if (more <= 0) return;
  if (blocks <= tier->is.blocks) {
    if (entry == TDM_KV_NONE && (entry = entry_new(tier, hash)) == TDM_KV_NONE) {
      tiers->failed = true;
      return;
    }
    if (tier->entries[entry].blocks > 0) unlink_entry(tier, entry);
    make_room(tiers, k, more);
    tier->entries[entry].blocks = blocks;
    tier->free -= more;
    tier->stored += more;
    append_entry(tier, entry);
  }
  if (k + 1 < tiers->count && !tiers->tiers[k + 1].is.write_back) put(tiers, k + 1, hash, blocks);
}

void tdm_kv_tiers_computed(tdm_kv_tiers *tiers, uint64_t hash, int64_t blocks) {
  if (!tiers->tiers[0].is.write_back) put(tiers, 0, hash, blocks);
}

void tdm_kv_tiers_evicted(tdm_kv_tiers *tiers, uint64_t hash, int64_t blocks) {
  if (tiers->tiers[0].is.write_back) put(tiers, 0, hash, blocks);
}

void tdm_kv_tiers_touch(tdm_kv_tiers *tiers, const uint64_t *hashes, size_t count) {
  for (size_t k = 0; k < tiers->count; k++) {
    tdm_kv_lower *tier = &tiers->tiers[k];
    for (size_t i = count; i-- > 0;) {
      uint32_t entry = entry_of(tier, hashes[i]);
      if (entry == TDM_KV_NONE || entry == tier->newest) continue;
      unlink_entry(tier, entry);
      append_entry(tier, entry);
    }
  }
}

void tdm_kv_tiers_open(tdm_kv_tiers *tiers, const tdm_kv_tier *config, size_t count) {
  *tiers = (tdm_kv_tiers){.count = count};
  for (size_t k = 0; k < count; k++) {
    tiers->tiers[k] = (tdm_kv_lower){.is = config[k],
                                     .free = config[k].blocks,
                                     .unused = TDM_KV_NONE,
                                     .oldest = TDM_KV_NONE,
                                     .newest = TDM_KV_NONE};
    tiers->back |= config[k].write_back;
    tiers->prefetch |= config[k].prefetch;
  }
}

void tdm_kv_tiers_close(tdm_kv_tiers *tiers) {
  for (size_t k = 0; k < tiers->count; k++) {
    free(tiers->tiers[k].entries);
    tdm_hash_map_free(&tiers->tiers[k].by_hash);
  }
  *tiers = (tdm_kv_tiers){0};
}

/* ---- what is there, and when it is back */

static int64_t unit_end(const tdm_kv_prefix *prefix, size_t unit) {
  return prefix->ends != NULL ? prefix->ends[unit] / prefix->scale
                              : (int64_t)(unit + 1) * prefix->unit_blocks;
}

/* The nearest tier that has the block behind so many of the unit's; sets how many it has. */
static size_t nearest(const tdm_kv_tiers *tiers, uint64_t hash, int64_t behind, int64_t *blocks) {
  for (size_t k = 0; k < tiers->count; k++) {
    uint32_t entry = entry_of(&tiers->tiers[k], hash);
    if (entry == TDM_KV_NONE || tiers->tiers[k].entries[entry].blocks <= behind) continue;
    *blocks = tiers->tiers[k].entries[entry].blocks;
    return k;
  }
  return tiers->count;
}

void tdm_kv_tiers_find(const tdm_kv_tiers *tiers, const tdm_kv_prefix *prefix, int64_t from,
                       int64_t most, int64_t ahead, int64_t ahead_end, tdm_kv_below *below) {
  size_t unit = 0;
  *below = (tdm_kv_below){0};
  if (prefix->ends == NULL) unit = (size_t)(from / prefix->unit_blocks);
  int64_t at = from, limit = tdm_least(most, prefix->blocks);
  while (unit < prefix->count && at < limit) {
    int64_t begin = unit > 0 ? unit_end(prefix, unit - 1) : 0, end = unit_end(prefix, unit), has;
    if (at >= end) {
      unit++;
      continue;
    }
    size_t k = nearest(tiers, prefix->hashes[unit], at - begin, &has);
    if (k == tiers->count) break;
    int64_t part = tdm_least(tdm_least(begin + has, end), limit) - at;
    bool fetched = tiers->tiers[k].is.prefetch && at >= ahead && at < ahead_end;
    below->found[k] += part;
    if (!fetched) below->loads[k] += part;
    at += part;
  }
  below->blocks = at - from;
}

static int64_t later_ns(int64_t begin_ns, double seconds) {
  if (!(seconds > 0)) return begin_ns;
  if (seconds > LONGEST_S) seconds = LONGEST_S;
  int64_t ns = (int64_t)(seconds * 1e9 + 0.5);
  return ns > INT64_MAX - 1 - begin_ns ? INT64_MAX - 1 : begin_ns + ns;
}

/* When so many have passed. */
static int64_t passed_ns(const tdm_kv_lower *tier, int64_t blocks, int64_t now_ns) {
  int64_t begin_ns = tier->free_ns > now_ns ? tier->free_ns : now_ns;
  return later_ns(begin_ns, (double)blocks * tier->is.block_s);
}

int64_t tdm_kv_tiers_there_ns(const tdm_kv_tiers *tiers, const int64_t *loads, int64_t now_ns) {
  int64_t there_ns = now_ns;
  for (size_t k = 0; k < tiers->count; k++) {
    const tdm_kv_lower *tier = &tiers->tiers[k];
    if (loads[k] == 0) continue;
    int64_t at_ns = later_ns(passed_ns(tier, loads[k], now_ns), tier->is.latency_s);
    if (at_ns > there_ns) there_ns = at_ns;
  }
  return there_ns;
}

int64_t tdm_kv_tiers_load(tdm_kv_tiers *tiers, const int64_t *loads, int64_t now_ns) {
  int64_t there_ns = tdm_kv_tiers_there_ns(tiers, loads, now_ns);
  for (size_t k = 0; k < tiers->count; k++) {
    if (loads[k] == 0) continue;
    tiers->tiers[k].free_ns = passed_ns(&tiers->tiers[k], loads[k], now_ns);
    tiers->tiers[k].loaded += loads[k];
  }
  return there_ns;
}

int64_t tdm_kv_tiers_worth(const tdm_kv_tiers *tiers, const tdm_kv_below *below,
                           int64_t block_tokens) {
  double tokens = 0;
  for (size_t k = 0; k < tiers->count; k++)
    tokens += (double)(below->found[k] * block_tokens) * tiers->tiers[k].is.worth;
  return (int64_t)tokens;
}
