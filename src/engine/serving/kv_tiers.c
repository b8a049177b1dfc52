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

static bool is_entry(const tdm_kv_lower *tier, uint32_t entry, uint64_t hash) {
  return entry < tier->entry_count && tier->entries[entry].hash == hash &&
         tier->entries[entry].blocks > 0;
}

/* Units of a prefix mostly came one after the other, and are asked for so: the neighbours of the
 * last one are looked at first, which are in the processor's cache. */
static uint32_t entry_of(tdm_kv_lower *tier, uint64_t hash) {
  uint32_t last = tier->last;
  if (is_entry(tier, last + 1, hash)) return tier->last = last + 1;
  if (is_entry(tier, last - 1, hash)) return tier->last = last - 1;
  const tdm_hash_slot *slot = slot_of(tier, hash);
  if (slot == NULL) return TDM_KV_NONE;
  return tier->last = slot->row;
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
  tier->entries[entry].blocks = 0;
  tier->entries[entry].newer = tier->unused;
  tier->unused = entry;
}

static void entry_leave(tdm_kv_lower *tier, uint32_t entry) {
  tier->free += tier->entries[entry].blocks;
  entry_free(tier, entry);
}

/* Leading blocks of an entry that are there. */
static int64_t there(const tdm_kv_lower *tier, uint32_t entry, int64_t now_ns) {
  const tdm_kv_entry *e = &tier->entries[entry];
  return e->there_ns <= now_ns ? e->blocks : e->before;
}

static tdm_kv_lower lower_of(const tdm_kv_tier *config) {
  return (tdm_kv_lower){.is = *config,
                        .free = config->blocks,
                        .unused = TDM_KV_NONE,
                        .oldest = TDM_KV_NONE,
                        .newest = TDM_KV_NONE};
}

static void lower_close(tdm_kv_lower *tier) {
  free(tier->entries);
  tdm_hash_map_free(&tier->by_hash);
}

tdm_kv_lower *tdm_kv_lower_new(const tdm_kv_tier *config) {
  tdm_kv_lower *tier = malloc(sizeof *tier);
  if (tier != NULL) *tier = lower_of(config);
  return tier;
}

void tdm_kv_lower_free(tdm_kv_lower *tier) {
  if (tier == NULL) return;
  lower_close(tier);
  free(tier);
}

/* ---- ways */

static int64_t later_ns(int64_t begin_ns, double seconds) {
  if (!(seconds > 0)) return begin_ns;
  if (seconds > LONGEST_S) seconds = LONGEST_S;
  int64_t ns = (int64_t)(seconds * 1e9 + 0.5);
  return ns > INT64_MAX - 1 - begin_ns ? INT64_MAX - 1 : begin_ns + ns;
}

/* When so many have passed, behind those that began before. */
static int64_t passed_ns(int64_t free_ns, int64_t blocks, double block_s, int64_t now_ns) {
  return later_ns(free_ns > now_ns ? free_ns : now_ns, (double)blocks * block_s);
}

/* Stores so many blocks from now_ns on; when they have passed. */
static int64_t pass_down(tdm_kv_tiers *tiers, size_t k, int64_t blocks, int64_t now_ns) {
  tdm_kv_lower *tier = tiers->tiers[k];
  int64_t *free_ns = tier->is.one_way ? &tier->load_ns : &tier->store_ns;
  *free_ns = passed_ns(*free_ns, blocks, tier->is.store_s, now_ns);
  return *free_ns;
}

/* ---- what comes and goes */

/* What puts have in common. */
typedef struct {
  bool later;       /* it begins with the end of the step */
  bool follows;     /* a tier above takes the unit in, too, */
  int64_t above_ns; /* where it is there then */
  int64_t left_ns;  /* the first to take it in has it then, but for its latency */
} putting;

static void put(tdm_kv_tiers *tiers, size_t k, uint64_t hash, int64_t blocks, putting *how);

/* Until so many blocks are free, which are no more than all. What is on its way here goes on to the
 * tier below no sooner than it would have been here. */
static void make_room(tdm_kv_tiers *tiers, size_t k, int64_t wanted) {
  tdm_kv_lower *tier = tiers->tiers[k];
  while (tier->free < wanted && tier->oldest != TDM_KV_NONE) {
    uint32_t entry = tier->oldest;
    tdm_kv_entry *e = &tier->entries[entry];
    int64_t part = tdm_least(wanted - tier->free, e->blocks);
    putting how = {.later = e->there_ns == INT64_MAX,
                   .above_ns = e->there_ns > tiers->now_ns ? e->there_ns : tiers->now_ns};
    if (k + 1 < tiers->count && tiers->tiers[k + 1]->is.write == TDM_KV_BACK)
      put(tiers, k + 1, e->hash, e->blocks, &how);
    e->blocks -= part;
    e->before = tdm_least(e->before, e->blocks);
    tier->free += part;
    if (e->blocks == 0) entry_free(tier, entry);
  }
}

/* Room for a unit, of which the tier has less. TDM_KV_NONE: out of memory. */
static uint32_t take_in(tdm_kv_tiers *tiers, size_t k, uint64_t hash, int64_t blocks) {
  tdm_kv_lower *tier = tiers->tiers[k];
  uint32_t entry = entry_of(tier, hash);
  if (entry == TDM_KV_NONE && (entry = entry_new(tier, hash)) == TDM_KV_NONE) {
    tiers->failed = true;
    return TDM_KV_NONE;
  }
  tdm_kv_entry *e = &tier->entries[entry];
  int64_t more = blocks - e->blocks;
  if (e->blocks > 0) unlink_entry(tier, entry);
  make_room(tiers, k, more);
  e->before = there(tier, entry, tiers->now_ns);
  e->blocks = blocks;
  e->there_ns = INT64_MAX;
  tier->free -= more;
  append_entry(tier, entry);
  return entry;
}

static void put_later(tdm_kv_tiers *tiers, size_t k, uint64_t hash, int64_t more, bool follows) {
  if (!tdm_array_grow(&tiers->putting, &tiers->putting_capacity, tiers->putting_count + 1,
                      sizeof *tiers->putting)) {
    tiers->failed = true;
    return;
  }
  tiers->putting[tiers->putting_count++] =
      (tdm_kv_putting){.hash = hash, .blocks = more, .tier = (uint32_t)k, .follows = follows};
}

/* So many more of an entry are on their way from now_ns on, and there no sooner than above. */
static int64_t send(tdm_kv_tiers *tiers, size_t k, uint32_t entry, int64_t more, int64_t now_ns,
                    int64_t above_ns) {
  int64_t passed = pass_down(tiers, k, more, now_ns);
  int64_t there_ns = later_ns(passed, tiers->tiers[k]->is.latency_s);
  if (there_ns < above_ns) there_ns = above_ns;
  if (there_ns > tiers->storing_ns) tiers->storing_ns = there_ns;
  if (entry != TDM_KV_NONE) tiers->tiers[k]->entries[entry].there_ns = there_ns;
  return passed;
}

/* A unit is stored, and where its tier takes it in those below that write through do. */
static void put(tdm_kv_tiers *tiers, size_t k, uint64_t hash, int64_t blocks, putting *how) {
  tdm_kv_lower *tier = tiers->tiers[k];
  uint32_t entry = entry_of(tier, hash);
  int64_t more = blocks - (entry != TDM_KV_NONE ? tier->entries[entry].blocks : 0);
  if (more <= 0) return;
  if (blocks <= tier->is.blocks) {
    entry = take_in(tiers, k, hash, blocks);
    if (entry == TDM_KV_NONE) return;
    tiers->stored[k] += more;
    if (how->later) {
      put_later(tiers, k, hash, more, how->follows);
    } else {
      int64_t passed = send(tiers, k, entry, more, tiers->now_ns, how->above_ns);
      how->above_ns = tier->entries[entry].there_ns;
      if (!how->follows) how->left_ns = passed;
    }
    how->follows = true;
  }
  if (k + 1 < tiers->count && tiers->tiers[k + 1]->is.write != TDM_KV_BACK)
    put(tiers, k + 1, hash, blocks, how);
}

void tdm_kv_tiers_computed(tdm_kv_tiers *tiers, uint64_t hash, int64_t blocks, uint32_t requests) {
  putting how = {.later = true};
  tdm_kv_write write = tiers->tiers[0]->is.write;
  if (write == TDM_KV_BACK || (write == TDM_KV_SELECTIVE && requests < 2)) return;
  put(tiers, 0, hash, blocks, &how);
}

void tdm_kv_tiers_evicted(tdm_kv_tiers *tiers, uint64_t hash, int64_t blocks) {
  putting how = {.above_ns = tiers->now_ns};
  if (tiers->tiers[0]->is.write != TDM_KV_BACK) return;
  put(tiers, 0, hash, blocks, &how);
  if (how.left_ns > tiers->left_ns) tiers->left_ns = how.left_ns;
}

void tdm_kv_tiers_step_done(tdm_kv_tiers *tiers, int64_t now_ns) {
  int64_t above_ns = now_ns;
  for (size_t i = 0; i < tiers->putting_count; i++) {
    const tdm_kv_putting *p = &tiers->putting[i];
    uint32_t entry = entry_of(tiers->tiers[p->tier], p->hash);
    if (!p->follows) above_ns = now_ns;
    send(tiers, p->tier, entry, p->blocks, now_ns, above_ns);
    if (entry != TDM_KV_NONE) above_ns = tiers->tiers[p->tier]->entries[entry].there_ns;
  }
  tiers->putting_count = 0;
}

void tdm_kv_tiers_touch(tdm_kv_tiers *tiers, const uint64_t *hashes, size_t count) {
  for (size_t k = 0; k < tiers->count; k++) {
    tdm_kv_lower *tier = tiers->tiers[k];
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
    tiers->own[k] = lower_of(&config[k]);
    tiers->tiers[k] = &tiers->own[k];
    tiers->back |= config[k].write == TDM_KV_BACK || config[k].shared;
    tiers->prefetch |= config[k].prefetch != TDM_KV_NO_PREFETCH;
  }
  tiers->frees = count > 0 && config[0].write == TDM_KV_BACK;
}

void tdm_kv_tiers_share(tdm_kv_tiers *tiers, tdm_kv_lower *tier) {
  tiers->tiers[tiers->count - 1] = tier;
}

/* What has not begun to come into a tier that others have, too, never will. */
static void take_back(tdm_kv_tiers *tiers) {
  for (size_t i = 0; i < tiers->putting_count; i++) {
    size_t k = tiers->putting[i].tier;
    tdm_kv_lower *tier = tiers->tiers[k];
    uint32_t entry = entry_of(tier, tiers->putting[i].hash);
    if (tier == &tiers->own[k] || entry == TDM_KV_NONE) continue;
    if (tier->entries[entry].there_ns == INT64_MAX) entry_leave(tier, entry);
  }
}

void tdm_kv_tiers_close(tdm_kv_tiers *tiers) {
  take_back(tiers);
  for (size_t k = 0; k < tiers->count; k++) lower_close(&tiers->own[k]);
  free(tiers->putting);
  *tiers = (tdm_kv_tiers){0};
}

/* ---- what is there, and when it is back */

static int64_t unit_end(const tdm_kv_prefix *prefix, size_t unit) {
  return prefix->ends != NULL ? prefix->ends[unit] / prefix->scale
                              : (int64_t)(unit + 1) * prefix->unit_blocks;
}

/* The nearest tier that has the block behind so many of the unit's; sets how many it has. */
static size_t nearest(const tdm_kv_tiers *tiers, size_t count, uint64_t hash, int64_t behind,
                      int64_t now_ns, int64_t *blocks) {
  for (size_t k = 0; k < count; k++) {
    uint32_t entry = entry_of(tiers->tiers[k], hash);
    if (entry == TDM_KV_NONE) continue;
    *blocks = there(tiers->tiers[k], entry, now_ns);
    if (*blocks > behind) return k;
  }
  return count;
}

/* Blocks of a prefix in a row, of one unit and one tier. */
typedef struct {
  size_t unit, tier;
  int64_t begin; /* of the unit */
  int64_t at, blocks;
} stretch;

/* The next that is there in the first tiers, from `at` on; false: there is none. */
static bool next_stretch(const tdm_kv_tiers *tiers, size_t count, const tdm_kv_prefix *prefix,
                         int64_t limit, int64_t now_ns, stretch *s) {
  int64_t has;
  if (s->at >= limit) return false;
  while (s->unit < prefix->count && unit_end(prefix, s->unit) <= s->at) s->unit++;
  if (s->unit == prefix->count) return false;
  s->begin = s->unit > 0 ? unit_end(prefix, s->unit - 1) : 0;
  s->tier = nearest(tiers, count, prefix->hashes[s->unit], s->at - s->begin, now_ns, &has);
  if (s->tier == count) return false;
  s->blocks = tdm_least(tdm_least(s->begin + has, unit_end(prefix, s->unit)), limit) - s->at;
  return true;
}

static stretch stretch_from(const tdm_kv_prefix *prefix, int64_t from) {
  size_t unit = prefix->ends == NULL ? (size_t)(from / prefix->unit_blocks) : 0;
  return (stretch){.unit = unit, .at = from};
}

void tdm_kv_tiers_find(const tdm_kv_tiers *tiers, size_t count, const tdm_kv_prefix *prefix,
                       int64_t from, int64_t most, int64_t ahead, int64_t ahead_end, int64_t now_ns,
                       tdm_kv_below *below) {
  *below = (tdm_kv_below){0};
  int64_t limit = tdm_least(most, prefix->blocks);
  stretch s = stretch_from(prefix, from);
  for (; next_stretch(tiers, count, prefix, limit, now_ns, &s); s.at += s.blocks) {
    bool prefetches = tiers->tiers[s.tier]->is.prefetch != TDM_KV_NO_PREFETCH;
    bool fetched = prefetches && s.at >= ahead && s.at < ahead_end;
    below->found[s.tier] += s.blocks;
    if (!fetched) below->loads[s.tier] += s.blocks;
  }
  below->blocks = s.at - from;
}

void tdm_kv_tiers_bring(tdm_kv_tiers *tiers, const tdm_kv_prefix *prefix, int64_t from,
                        int64_t most, const int64_t *has, int64_t *came) {
  int64_t limit = tdm_least(most, prefix->blocks);
  stretch s = stretch_from(prefix, from);
  for (; next_stretch(tiers, tiers->count, prefix, limit, tiers->now_ns, &s); s.at += s.blocks) {
    if (s.tier == 0) continue;
    int64_t part = tdm_least(s.blocks, has[s.tier] - came[s.tier]);
    int64_t blocks = s.at + part - s.begin;
    uint32_t entry = TDM_KV_NONE;
    if (part > 0 && blocks <= tiers->tiers[0]->is.blocks)
      entry = take_in(tiers, 0, prefix->hashes[s.unit], blocks);
    if (entry == TDM_KV_NONE) return;
    tiers->tiers[0]->entries[entry].there_ns = tiers->now_ns;
    came[s.tier] += part;
    if (part < s.blocks) return;
  }
}

void tdm_kv_tiers_leave(tdm_kv_tiers *tiers, const tdm_kv_prefix *prefix, int64_t from,
                        int64_t most) {
  tdm_kv_lower *tier = tiers->tiers[0];
  for (size_t unit = 0; unit < prefix->count && unit_end(prefix, unit) <= most; unit++) {
    int64_t begin = unit > 0 ? unit_end(prefix, unit - 1) : 0;
    uint32_t entry = begin >= from ? entry_of(tier, prefix->hashes[unit]) : TDM_KV_NONE;
    if (entry != TDM_KV_NONE) entry_leave(tier, entry);
  }
}

int64_t tdm_kv_tiers_there_ns(const tdm_kv_tiers *tiers, const int64_t *loads, int64_t now_ns) {
  int64_t all_ns = now_ns;
  for (size_t k = 0; k < tiers->count; k++) {
    const tdm_kv_lower *tier = tiers->tiers[k];
    if (loads[k] == 0) continue;
    int64_t at_ns =
        later_ns(passed_ns(tier->load_ns, loads[k], tier->is.block_s, now_ns), tier->is.latency_s);
    if (at_ns > all_ns) all_ns = at_ns;
  }
  return all_ns;
}

int64_t tdm_kv_tiers_load(tdm_kv_tiers *tiers, const int64_t *loads, int64_t now_ns) {
  int64_t there_ns = tdm_kv_tiers_there_ns(tiers, loads, now_ns);
  for (size_t k = 0; k < tiers->count; k++) {
    tdm_kv_lower *tier = tiers->tiers[k];
    if (loads[k] == 0) continue;
    tier->load_ns = passed_ns(tier->load_ns, loads[k], tier->is.block_s, now_ns);
    tiers->loaded[k] += loads[k];
  }
  return there_ns;
}

int64_t tdm_kv_tiers_worth(const tdm_kv_tiers *tiers, const tdm_kv_below *below,
                           int64_t block_tokens) {
  double tokens = 0;
  for (size_t k = 0; k < tiers->count; k++)
    tokens += (double)(below->found[k] * block_tokens) * tiers->tiers[k]->is.worth;
  return (int64_t)tokens;
}
