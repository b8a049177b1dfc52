/* The ladder queue. Events are in one of three parts, by time: the top (unsorted, the far
 * future), the rungs (buckets of equal width, each rung finer than and before the one above it),
 * the bottom (sorted, the next to leave). Popping refills an empty bottom with the next bucket; a
 * bucket too full to sort cheaply is spread over a new rung first. Bucket widths are powers of two
 * of nanoseconds, so that a bucket of width 1 holds one time and ends the refinement.
 *
 * Invariant: top.floor > rung[0].floor > rung[1].floor > …, and an event belongs to the first of
 * these whose floor is at or below its time, else to the bottom. Within a rung the bucket rises
 * with the time; times before its first and past its last bucket count to those.
 *
 * Memory: popping must not fail, so each push reserves room for every event in the bottom; a rung
 * that cannot be had is done without. Everything is kept for reuse until the ladder is freed.
 *
 * Called by engine/event_set only. */
#include "engine/events/event_set.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef unsigned __int128 key128;

enum {
  CHUNK_KEYS = 15,       /* a chunk is four cache lines */
  BUCKET_TARGET = 8,     /* events a bucket of a new rung gets on average, at least */
  SORT_MAX = 48,         /* a fuller bucket becomes a rung */
  BOTTOM_MAX = 128,      /* a bottom that grew beyond becomes a rung */
  RUNG_BUCKETS_MIN = 64, /* each rung refines by at least this factor */
  RUNGS_MAX = 16,        /* beyond, buckets are sorted whatever their size */
  RUN_KEYS = 16,         /* sorted by insertion; longer runs are merged */
  SLAB_CHUNKS_MIN = 32
};

typedef struct chunk chunk;
struct chunk {
  key128 keys[CHUNK_KEYS];
  chunk *next;
};

typedef struct slab slab;
struct slab {
  slab *next;
  alignas(64) chunk chunks[];
};

typedef struct {
  chunk *first;   /* the only one that may be part full */
  uint32_t used;  /* in the first chunk */
  uint32_t count; /* in all */
} bucket;

typedef struct {
  bucket *buckets; /* all empty while the rung is not in use */
  size_t allocated;
  size_t width;   /* buckets in use */
  size_t index;   /* that of the floor's bucket: earlier ones are empty */
  size_t count;   /* events */
  uint64_t start; /* of bucket 0 */
  uint64_t floor; /* earliest time that still goes into this rung */
  unsigned shift; /* a bucket is 2^shift ns wide */
} rung;

struct tdm_event_ladder {
  size_t count;
  key128 *bottom; /* events at [head, tail), ascending */
  size_t head, tail;
  size_t bottom_room; /* keys; twice the events, the upper half for merging */
  size_t depth;       /* rungs in use, the last one the finest */
  rung rungs[RUNGS_MAX];
  bucket top;
  uint64_t top_floor, top_min, top_max;
  chunk *free_chunks;
  size_t free_count, chunk_count;
  slab *slabs;
};

static uint64_t time_of(key128 key) {
  return (uint64_t)(key >> 64);
}

/* ---- chunks and buckets ---- */

static bool reserve_chunks(tdm_event_ladder *ladder, size_t wanted) {
  if (ladder->free_count >= wanted) return true;
  size_t more = wanted - ladder->free_count;
  if (more < ladder->chunk_count / 2) more = ladder->chunk_count / 2;
  if (more < SLAB_CHUNKS_MIN) more = SLAB_CHUNKS_MIN;
  slab *added = tdm_aligned_new(1, sizeof *added + more * sizeof(chunk));
  if (added == NULL) return false;
  added->next = ladder->slabs;
  ladder->slabs = added;
  for (size_t i = more; i-- > 0;) {
    added->chunks[i].next = ladder->free_chunks;
    ladder->free_chunks = &added->chunks[i];
  }
  ladder->free_count += more;
  ladder->chunk_count += more;
  return true;
}

/* Needs a free chunk when the bucket's first one is full. */
static void bucket_add(tdm_event_ladder *ladder, bucket *to, key128 key) {
  if (to->first == NULL || to->used == CHUNK_KEYS) {
    chunk *fresh = ladder->free_chunks;
    ladder->free_chunks = fresh->next;
    ladder->free_count--;
    fresh->next = to->first;
    to->first = fresh;
    to->used = 0;
  }
  to->first->keys[to->used++] = key;
  to->count++;
}

/* Takes the first chunk off; its keys stay readable until the next chunk is asked for. */
static chunk *bucket_take_chunk(tdm_event_ladder *ladder, bucket *from, uint32_t *used) {
  chunk *taken = from->first;
  *used = from->used;
  from->count -= from->used;
  from->first = taken->next;
  from->used = taken->next == NULL ? 0 : CHUNK_KEYS;
  taken->next = ladder->free_chunks;
  ladder->free_chunks = taken;
  ladder->free_count++;
  return taken;
}

static void bucket_range(const bucket *of, uint64_t *low, uint64_t *high) {
  *low = UINT64_MAX;
  *high = 0;
  uint32_t used = of->used;
  for (const chunk *c = of->first; c != NULL; c = c->next, used = CHUNK_KEYS) {
    for (uint32_t i = 0; i < used; i++) {
      uint64_t time = time_of(c->keys[i]);
      if (time < *low) *low = time;
      if (time > *high) *high = time;
    }
  }
}

/* ---- rungs ---- */

static size_t rung_index(const rung *r, uint64_t time) {
  if (time <= r->start) return 0;
  uint64_t index = (time - r->start) >> r->shift;
  return index < r->width ? (size_t)index : r->width - 1;
}

static void rung_add(tdm_event_ladder *ladder, rung *r, key128 key) {
  bucket_add(ladder, &r->buckets[rung_index(r, time_of(key))], key);
  r->count++;
}

/* Where the times above the finest rung start. */
static uint64_t upper_bound(const tdm_event_ladder *ladder, size_t depth) {
  return depth == 0 ? ladder->top_floor : ladder->rungs[depth - 1].floor;
}

static void set_upper_bound(tdm_event_ladder *ladder, size_t depth, uint64_t floor) {
  if (depth == 0) {
    ladder->top_floor = floor;
    return;
  }
  rung *r = &ladder->rungs[depth - 1];
  r->floor = floor;
  r->index = rung_index(r, floor);
}

/* A new finest rung for `count` events of times low < high, all before `end`; the part of the
 * range that its buckets do not cover goes back to the rung above, or the top. False: none can be
 * had, and nothing changed. */
static bool open_rung(tdm_event_ladder *ladder, size_t count, uint64_t low, uint64_t high,
                      uint64_t end) {
  if (ladder->depth == RUNGS_MAX) return false;
  rung *r = &ladder->rungs[ladder->depth];
  size_t buckets = count / BUCKET_TARGET;
  if (buckets < RUNG_BUCKETS_MIN) buckets = RUNG_BUCKETS_MIN;
  if (!reserve_chunks(ladder, count / CHUNK_KEYS + (count < buckets ? count : buckets) + 1))
    return false;
  if (r->allocated < buckets) {
    bucket *grown = calloc(buckets, sizeof *grown);
    if (grown == NULL) return false;
    free(r->buckets);
    r->buckets = grown;
    r->allocated = buckets;
  }
  uint64_t span = high - low, quotient = span / buckets;
  r->shift = quotient == 0 ? 0 : 64 - (unsigned)__builtin_clzll(quotient);
  r->width = (size_t)(span >> r->shift) + 1;
  r->index = 0;
  r->count = 0;
  r->start = low;
  r->floor = low;
  uint64_t covered = low + ((uint64_t)r->width << r->shift);
  set_upper_bound(ladder, ladder->depth, covered < end ? covered : end);
  ladder->depth++;
  return true;
}

/* ---- bottom ---- */

static void sort_run(key128 *keys, size_t count) {
  for (size_t i = 1; i < count; i++) {
    key128 key = keys[i];
    size_t j = i;
    for (; j > 0 && key < keys[j - 1]; j--) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

static void merge(const key128 *a, size_t a_count, const key128 *b, size_t b_count, key128 *out) {
  const key128 *a_end = a + a_count, *b_end = b + b_count;
  while (a < a_end && b < b_end) {
    bool second = *b < *a;
    *out++ = second ? *b : *a;
    a += !second;
    b += second;
  }
  memcpy(out, a, (size_t)(a_end - a) * sizeof *a);
  memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

/* Ascending. `spare` has room for as many keys. */
static void sort_keys(key128 *keys, size_t count, key128 *spare) {
  for (size_t i = 0; i < count; i += RUN_KEYS)
    sort_run(keys + i, count - i < RUN_KEYS ? count - i : RUN_KEYS);
  key128 *from = keys, *to = spare;
  for (size_t run = RUN_KEYS; run < count; run *= 2) {
    for (size_t i = 0; i < count; i += 2 * run) {
      size_t left = count - i < run ? count - i : run;
      size_t right = count - i - left < run ? count - i - left : run;
      merge(from + i, left, from + i + left, right, to + i);
    }
    key128 *swap = from;
    from = to;
    to = swap;
  }
  if (from != keys) memcpy(keys, from, count * sizeof *keys);
}

/* Empties a bucket into the bottom, which is empty. */
static void fill_bottom(tdm_event_ladder *ladder, bucket *from) {
  size_t at = from->count;
  ladder->head = 0;
  ladder->tail = at;
  /* From the back: the last added chunk comes first, and events of one time arrive in order. */
  while (from->count > 0) {
    uint32_t used;
    const chunk *taken = bucket_take_chunk(ladder, from, &used);
    at -= used;
    memcpy(ladder->bottom + at, taken->keys, used * sizeof(key128));
  }
  sort_keys(ladder->bottom, ladder->tail, ladder->bottom + ladder->bottom_room / 2);
}

static void spread_bucket(tdm_event_ladder *ladder, bucket *from) {
  rung *to = &ladder->rungs[ladder->depth - 1];
  while (from->count > 0) {
    key128 keys[CHUNK_KEYS]; /* the chunk may be reused while its keys are handed out */
    uint32_t used;
    const chunk *taken = bucket_take_chunk(ladder, from, &used);
    memcpy(keys, taken->keys, used * sizeof(key128));
    for (uint32_t i = 0; i < used; i++) rung_add(ladder, to, keys[i]);
  }
}

static void spread_bottom(tdm_event_ladder *ladder) {
  size_t count = ladder->tail - ladder->head;
  uint64_t low = time_of(ladder->bottom[ladder->head]);
  uint64_t high = time_of(ladder->bottom[ladder->tail - 1]);
  if (low == high || !open_rung(ladder, count, low, high, upper_bound(ladder, ladder->depth)))
    return;
  rung *to = &ladder->rungs[ladder->depth - 1];
  for (size_t i = ladder->head; i < ladder->tail; i++) rung_add(ladder, to, ladder->bottom[i]);
  ladder->head = ladder->tail = 0;
}

static void bottom_insert(tdm_event_ladder *ladder, key128 key) {
  key128 *keys = ladder->bottom;
  size_t low = ladder->head, high = ladder->tail;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  size_t before = low - ladder->head, after = ladder->tail - low;
  if (ladder->head > 0 && (before < after || ladder->tail == ladder->bottom_room / 2)) {
    ladder->head--;
    memmove(keys + ladder->head, keys + ladder->head + 1, before * sizeof *keys);
    keys[low - 1] = key;
  } else {
    memmove(keys + low + 1, keys + low, after * sizeof *keys);
    keys[low] = key;
    ladder->tail++;
  }
}

/* Moves the next events into the empty bottom. False: there are none. */
static bool refill(tdm_event_ladder *ladder) {
  for (;;) {
    while (ladder->depth > 0 && ladder->rungs[ladder->depth - 1].count == 0) ladder->depth--;
    if (ladder->depth == 0) {
      bucket *top = &ladder->top;
      if (top->count == 0) return false;
      uint64_t low = ladder->top_min, high = ladder->top_max;
      ladder->top_min = UINT64_MAX;
      ladder->top_max = 0;
      if (top->count > SORT_MAX && low < high &&
          open_rung(ladder, top->count, low, high, UINT64_MAX)) {
        spread_bucket(ladder, top);
        continue;
      }
      fill_bottom(ladder, top);
      ladder->top_floor = high + 1;
      return true;
    }
    rung *r = &ladder->rungs[ladder->depth - 1];
    size_t index = r->index;
    while (r->buckets[index].count == 0) index++;
    bucket *next = &r->buckets[index];
    uint64_t end = upper_bound(ladder, ladder->depth - 1);
    if (index + 1 < r->width) {
      uint64_t bucket_end = r->start + ((uint64_t)(index + 1) << r->shift);
      if (bucket_end < end) end = bucket_end;
    }
    r->count -= next->count;
    if (next->count > SORT_MAX) {
      uint64_t low, high;
      bucket_range(next, &low, &high);
      if (low < high && open_rung(ladder, next->count, low, high, end)) {
        spread_bucket(ladder, next);
        continue;
      }
    }
    fill_bottom(ladder, next);
    r->floor = end;
    r->index = index + 1 < r->width ? index + 1 : index;
    __builtin_prefetch(r->buckets[r->index].first);
    return true;
  }
}

/* ---- interface ---- */

tdm_event_ladder *tdm_event_ladder_new(void) {
  tdm_event_ladder *ladder = calloc(1, sizeof *ladder);
  if (ladder != NULL) ladder->top_min = UINT64_MAX;
  return ladder;
}

void tdm_event_ladder_free(tdm_event_ladder *ladder) {
  if (ladder == NULL) return;
  for (slab *s = ladder->slabs, *next; s != NULL; s = next) {
    next = s->next;
    free(s);
  }
  for (size_t i = 0; i < RUNGS_MAX; i++) free(ladder->rungs[i].buckets);
  free(ladder->bottom);
  free(ladder);
}

static bool reserve_bottom(tdm_event_ladder *ladder) {
  size_t room = ladder->bottom_room == 0 ? 1024 : 2 * ladder->bottom_room;
  if (ladder->count >= UINT32_MAX - 1 || room > SIZE_MAX / sizeof(key128)) return false;
  key128 *grown = realloc(ladder->bottom, room * sizeof *grown);
  if (grown == NULL) return false;
  ladder->bottom = grown;
  ladder->bottom_room = room;
  return true;
}

bool tdm_event_ladder_push(tdm_event_ladder *ladder, unsigned __int128 key) {
  if (ladder->count >= ladder->bottom_room / 2 && !reserve_bottom(ladder)) return false;
  if (ladder->free_count == 0 && !reserve_chunks(ladder, 1)) return false;
  uint64_t time = time_of(key);
  if (ladder->count++ == 0) { /* nothing is ordered: start afresh from the top */
    ladder->depth = 0;
    ladder->top_floor = 0;
  }
  if (time >= ladder->top_floor) {
    bucket_add(ladder, &ladder->top, key);
    if (time < ladder->top_min) ladder->top_min = time;
    if (time > ladder->top_max) ladder->top_max = time;
    return true;
  }
  for (size_t i = 0; i < ladder->depth; i++) {
    if (time < ladder->rungs[i].floor) continue;
    rung_add(ladder, &ladder->rungs[i], key);
    return true;
  }
  if (ladder->tail - ladder->head >= BOTTOM_MAX) {
    spread_bottom(ladder);
    if (ladder->head == ladder->tail && time >= ladder->rungs[ladder->depth - 1].floor) {
      rung_add(ladder, &ladder->rungs[ladder->depth - 1], key);
      return true;
    }
  }
  bottom_insert(ladder, key);
  return true;
}

bool tdm_event_ladder_pop(tdm_event_ladder *ladder, unsigned __int128 *key) {
  if (ladder->head == ladder->tail && !refill(ladder)) return false;
  *key = ladder->bottom[ladder->head++];
  ladder->count--;
  return true;
}
