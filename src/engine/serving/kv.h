/* The KV cache of one instance: the pool of blocks, tiers below it, and what a request holds of it.
 * Called by the scheduler, the prefix order and the tests. */
#ifndef TDM_ENGINE_SERVING_KV_H
#define TDM_ENGINE_SERVING_KV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"
#include "model/llm/llm.h"

/* ---- kv_tiers.c */

/* Tiers below the GPUs' KV cache: what blocks of cached prefixes lie in host memory, on disks, in a
 * store elsewhere, and when they are back.
 *
 * A tier has room for so many blocks and forgets those first that no request had among its leading
 * ones for the longest time, of one request the last ones first. It takes in what the tier above it
 * takes in (write-through) or what that loses (write-back); its room is taken at once, and the
 * blocks are found once they are there. What is computed is stored from the end of its step on,
 * what leaves the GPUs at once. What is loaded stays there. Loads of one tier follow each other,
 * and so do stores; they pass each other unless they have one way together. Several tiers go on
 * side by side, and what one takes in because the one above does is there no sooner than there.
 *
 * The last tier may be one that several instances share. Units are those of the pool, known by
 * hash. Owns its tables. Used by kv_pool, kv_hold, loads. */

typedef struct {
  uint64_t hash;
  int64_t blocks;        /* leading ones; 0: unused */
  int64_t there_ns;      /* since when they are there; INT64_MAX: on their way */
  int64_t before;        /* of these: there before */
  uint32_t older, newer; /* newer also in the list of unused entries */
} tdm_kv_entry;

typedef struct tdm_kv_lower {
  tdm_kv_tier is;
  int64_t free; /* blocks */
  tdm_kv_entry *entries;
  size_t entry_count, entry_capacity;
  uint32_t unused, oldest, newest;
  uint32_t last; /* found; its neighbours are likely to be next */
  tdm_hash_map by_hash;
  int64_t load_ns, store_ns; /* when the loads and stores that have begun have passed */
} tdm_kv_lower;

/* One that begins with the end of the step. */
typedef struct {
  uint64_t hash;
  int64_t blocks; /* that are on their way */
  uint32_t tier;
  bool follows; /* the one before it: it is no sooner there */
} tdm_kv_putting;

typedef struct {
  size_t count;
  tdm_kv_lower *tiers[TDM_KV_TIERS]; /* its own, the last maybe another's */
  tdm_kv_lower own[TDM_KV_TIERS];
  int64_t stored[TDM_KV_TIERS], loaded[TDM_KV_TIERS]; /* blocks, so far */
  bool back;          /* one is written back to, or is shared: more may be there at any time */
  bool frees;         /* what leaves the GPUs is stored then */
  bool prefetch;      /* one is */
  bool failed;        /* out of memory at some time */
  int64_t now_ns;     /* of what happens; its owner's to keep */
  int64_t left_ns;    /* what has left the GPUs is stored then: its blocks may be written to */
  int64_t storing_ns; /* the last store that has begun ends then */
  tdm_kv_putting *putting;
  size_t putting_count, putting_capacity;
} tdm_kv_tiers;

/* A prefix by its units: `ends` in units of `scale` tokens or blocks, NULL: units are alike. */
typedef struct {
  const uint64_t *hashes;
  const int64_t *ends;
  int64_t scale, unit_blocks;
  size_t count;
  int64_t blocks; /* that hashes cover */
} tdm_kv_prefix;

/* Blocks of a prefix that were found, by the nearest tier that has them. */
typedef struct {
  int64_t blocks;              /* all */
  int64_t found[TDM_KV_TIERS]; /* by tier */
  int64_t loads[TDM_KV_TIERS]; /* of these: not under way already */
} tdm_kv_below;

void tdm_kv_tiers_open(tdm_kv_tiers *tiers, const tdm_kv_tier *config, size_t count);
void tdm_kv_tiers_close(tdm_kv_tiers *tiers);
/* The last tier is this one, which outlives it, instead of one of its own. */
void tdm_kv_tiers_share(tdm_kv_tiers *tiers, tdm_kv_lower *tier);
/* One that several share; NULL: out of memory. */
tdm_kv_lower *tdm_kv_lower_new(const tdm_kv_tier *config);
void tdm_kv_lower_free(tdm_kv_lower *tier);
/* The leading blocks of a unit are on the GPUs now, as the prefix of so many requests so far; they
 * leave them. */
void tdm_kv_tiers_computed(tdm_kv_tiers *tiers, uint64_t hash, int64_t blocks, uint32_t requests);
void tdm_kv_tiers_evicted(tdm_kv_tiers *tiers, uint64_t hash, int64_t blocks);
/* A step ends at now_ns: what it has computed is stored from now on. */
void tdm_kv_tiers_step_done(tdm_kv_tiers *tiers, int64_t now_ns);
/* Something is on its way down, of its own. */
static inline bool tdm_kv_tiers_storing(const tdm_kv_tiers *tiers, int64_t now_ns) {
  return tiers->putting_count > 0 || tiers->storing_ns > now_ns;
}
/* A request has these leading units: each was in use later than the one behind it. */
void tdm_kv_tiers_touch(tdm_kv_tiers *tiers, const uint64_t *hashes, size_t count);
/* Blocks from … most − 1 of a prefix, as far as each is there in one of the first `count` tiers at
 * now_ns. Those in [ahead, ahead_end) of tiers that prefetch are under way. */
void tdm_kv_tiers_find(const tdm_kv_tiers *tiers, size_t count, const tdm_kv_prefix *prefix,
                       int64_t from, int64_t most, int64_t ahead, int64_t ahead_end, int64_t now_ns,
                       tdm_kv_below *below);
/* Blocks from … most − 1 of a prefix, as far as each is in the first tier or among the next `has`
 * of its tier, which are: they come into the first tier at once. Sets how many came by tier. */
void tdm_kv_tiers_bring(tdm_kv_tiers *tiers, const tdm_kv_prefix *prefix, int64_t from,
                        int64_t most, const int64_t *has, int64_t *came);
/* Whole units of blocks from … most − 1 leave the first tier. */
void tdm_kv_tiers_leave(tdm_kv_tiers *tiers, const tdm_kv_prefix *prefix, int64_t from,
                        int64_t most);
/* When so many blocks of each tier would be there if their loads began now. */
int64_t tdm_kv_tiers_there_ns(const tdm_kv_tiers *tiers, const int64_t *loads, int64_t now_ns);
/* They begin. */
int64_t tdm_kv_tiers_load(tdm_kv_tiers *tiers, const int64_t *loads, int64_t now_ns);
/* Tokens' worth to a router of what is below. */
int64_t tdm_kv_tiers_worth(const tdm_kv_tiers *tiers, const tdm_kv_below *below,
                           int64_t block_tokens);

/* ---- kv_pool.c */

/* The KV blocks of one instance, by counts: which are used, and in what order free ones are reused.
 *
 * Blocks have no identity here. The free ones form one queue, least recently freed first, of runs:
 * anonymous blocks, blocks of a cached prefix unit, blocks that a preempted request may find again.
 * Taking blocks eats runs from the front and forgets what they held. A unit is the tokens that
 * a hash covers (one block or several); its hash names the whole prefix up to its end, and what is
 * cached of it are its leading blocks. Work is proportional to runs touched, never to blocks.
 *
 * Owns runs, units and their table. Simplification: a unit that anyone holds is held whole.
 * Out of memory sets `failed`, which its owner looks at after each change. Used by kv_hold. */

#define TDM_KV_NONE UINT32_MAX

typedef struct {
  int64_t blocks;
  uint32_t prev, next; /* in the free queue; next also in the list of unused runs */
  uint32_t unit;       /* whose blocks these are, TDM_KV_NONE: none's */
  bool kept;           /* a preempted request's: stays, even empty, until it is claimed */
} tdm_kv_run;

typedef struct {
  uint64_t hash;
  int64_t blocks;    /* leading blocks that are cached */
  uint32_t refs;     /* requests that hold it */
  uint32_t requests; /* that had it so far */
  uint32_t run;      /* while refs is 0: its position in the free queue */
  uint32_t next;     /* of the same bucket, or of the list of unused units */
  uint32_t twin_before,
      twin_after; /* ring of units of the same hash; the oldest is in the bucket */
} tdm_kv_unit;

typedef struct {
  int64_t blocks, free;
  uint32_t head, tail; /* the free queue */
  tdm_kv_run *runs;
  size_t run_count, run_capacity;
  uint32_t unused_runs;
  tdm_kv_unit *units;
  size_t unit_count, unit_capacity, units_cached;
  size_t twins; /* units beside the oldest of their hash */
  uint32_t unused_units;
  uint32_t *buckets; /* by hash */
  size_t bucket_count;
  bool failed;         /* out of memory at some time: counts are no longer right */
  tdm_kv_tiers *tiers; /* its owner's, told of units that come and go; NULL: none */
} tdm_kv_pool;

/* False: out of memory. */
bool tdm_kv_pool_open(tdm_kv_pool *pool, int64_t blocks);
void tdm_kv_pool_close(tdm_kv_pool *pool);

/* `count` ≤ free blocks become used. */
void tdm_kv_pool_take(tdm_kv_pool *pool, int64_t count);
/* How many of the next `count` ≤ free can be taken and nobody would find more than before: those
 * before the first free unit that has twins, who might be held, or have more blocks. */
int64_t tdm_kv_pool_plain(const tdm_kv_pool *pool, int64_t count);
/* How many of them no unit loses. */
int64_t tdm_kv_pool_nobodys(const tdm_kv_pool *pool, int64_t count);
/* Used blocks become free, behind all others. */
void tdm_kv_pool_give(tdm_kv_pool *pool, int64_t count);
/* The same; what is left of them can be claimed by the run returned. TDM_KV_NONE: out of memory. */
uint32_t tdm_kv_pool_keep(tdm_kv_pool *pool, int64_t count);
/* How many of a kept run are left. */
int64_t tdm_kv_pool_kept(const tdm_kv_pool *pool, uint32_t run);
/* The first `count` ≤ kept become used again; others stay, anonymous. The run is gone. */
void tdm_kv_pool_claim(tdm_kv_pool *pool, uint32_t run, int64_t count);

/* The oldest unit of this hash, TDM_KV_NONE: not cached. */
uint32_t tdm_kv_pool_find(const tdm_kv_pool *pool, uint64_t hash);
/* A new unit without blocks, held once; requests that compute the same at the same time make
 * twins. TDM_KV_NONE: out of memory. */
uint32_t tdm_kv_pool_add(tdm_kv_pool *pool, uint64_t hash);
/* One more holds the unit. If it was free, its first `blocks` leave the free queue; what it had
 * beyond stays there, anonymous. */
void tdm_kv_pool_hold(tdm_kv_pool *pool, uint32_t unit, int64_t blocks);
/* One less; with the last its blocks become free, behind all others. */
void tdm_kv_pool_release(tdm_kv_pool *pool, uint32_t unit);

/* ---- kv_hold.c */

/* What one request holds of the KV pool: leading blocks shared with others through cached units,
 * and blocks of its own.
 *
 * A request publishes the blocks it has filled under its hashes, so that others with the same
 * prefix hold them too; where somebody was faster it keeps a copy of its own. Tokens beyond the
 * hashes are nobody else's, but a preempted request finds its own again unless they were taken
 * meanwhile. Owns its copy of the hashes. Used by the scheduler. */

typedef struct {
  int64_t block_tokens;
  int64_t unit_blocks; /* that a hash covers */
} tdm_kv_shape;

typedef struct {
  uint64_t *hashes; /* NULL: none */
  int64_t *ends;    /* blocks up to the end of each hash's unit; NULL: they are of one size */
  uint32_t *units;  /* by hash: held, or TDM_KV_NONE; behind the hashes in one allocation */
  uint32_t hash_count;
  uint32_t published;    /* units before it are settled */
  int64_t hashed_blocks; /* leading full blocks that the hashes cover */
  int64_t blocks;        /* all that it has, shared or own */
  int64_t own;
  uint32_t kept;     /* after a preemption: what it may find again, or TDM_KV_NONE */
  int64_t kept_full; /* how many of those were full of tokens */
} tdm_kv_hold;

/* Leading blocks that need not be computed. */
typedef struct {
  int64_t blocks; /* all */
  int64_t kept;   /* the last of them, from before a preemption */
  int64_t free;   /* blocks that leave the free queue when these are taken */
  uint32_t units;
} tdm_kv_hit;

/* Hashes and their ends (in tokens; NULL: units are alike) are copied. False: out of memory. */
bool tdm_kv_hold_open(tdm_kv_hold *hold, const tdm_kv_shape *shape, const uint64_t *hashes,
                      const int64_t *ends, size_t count, int64_t hashed_tokens);
void tdm_kv_hold_close(tdm_kv_hold *hold); /* holds nothing any more */

static inline int64_t tdm_kv_blocks(const tdm_kv_shape *shape, int64_t tokens) {
  return (tokens + shape->block_tokens - 1) / shape->block_tokens;
}

/* Blocks before the end of a unit. */
static inline int64_t tdm_kv_unit_end(const tdm_kv_hold *hold, const tdm_kv_shape *shape,
                                      uint32_t unit) {
  return hold->ends != NULL ? hold->ends[unit] : (int64_t)(unit + 1) * shape->unit_blocks;
}

static inline int64_t tdm_kv_unit_begin(const tdm_kv_hold *hold, const tdm_kv_shape *shape,
                                        uint32_t unit) {
  return unit > 0 ? tdm_kv_unit_end(hold, shape, unit - 1) : 0;
}

/* What a request that holds nothing would find for its first `tokens` tokens; the last one is
 * always computed, since its output is wanted. */
void tdm_kv_hold_find(const tdm_kv_hold *hold, const tdm_kv_shape *shape, const tdm_kv_pool *pool,
                      int64_t tokens, tdm_kv_hit *hit);
/* Its hashes that cover the first `tokens` tokens, at least in part. */
size_t tdm_kv_hold_units(const tdm_kv_hold *hold, const tdm_kv_shape *shape, int64_t tokens);
/* Takes what was found, nothing having changed since. */
void tdm_kv_hold_claim(tdm_kv_hold *hold, const tdm_kv_shape *shape, tdm_kv_pool *pool,
                       const tdm_kv_hit *hit);
/* `count` ≤ free more blocks. */
static inline void tdm_kv_hold_grow(tdm_kv_hold *hold, tdm_kv_pool *pool, int64_t count) {
  hold->blocks += count;
  hold->own += count;
  if (count > 0) tdm_kv_pool_take(pool, count);
}
/* Shares the blocks that the first `tokens` tokens fill. */
void tdm_kv_hold_publish(tdm_kv_hold *hold, const tdm_kv_shape *shape, tdm_kv_pool *pool,
                         int64_t tokens);
/* Gives everything back, its last block first; `tokens` are computed. With `keep` it may come
 * back. */
void tdm_kv_hold_release(tdm_kv_hold *hold, const tdm_kv_shape *shape, tdm_kv_pool *pool,
                         int64_t tokens, bool keep);

#endif
