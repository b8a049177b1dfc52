/* Blocks of recorded prompts joined to segments: the edges of the tree that their prefixes make.
 *
 * A segment ends where two prompts part, or where one ends and another's goes on, unless the other
 * is a later turn of the same conversation: that finds all of what is cached, and adds to it. So a
 * cache of segments, of which leading blocks may be there, holds at every time what one of blocks
 * would. Called when rows have been read. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "model/rows.h"

/* The end of a block in some prompt, by the hash of all up to it. */
typedef struct {
  uint64_t hash;        /* 0: free */
  uint64_t next;        /* behind it, in the first prompt that goes on; 0: none does */
  uint32_t ender, goer; /* + 1: the first conversation that ends here, that goes on */
  bool many;            /* others do, too */
  bool late;            /* one ends where some had gone on before */
  bool parts;
} place;

typedef struct {
  place *places;
  size_t count, room; /* a power of two */
} tree;

static place *find(const tree *t, uint64_t hash) {
  size_t at = (size_t)tdm_mix(hash) & (t->room - 1);
  while (t->places[at].hash != 0 && t->places[at].hash != hash) at = (at + 1) & (t->room - 1);
  return &t->places[at];
}

static bool grow(tree *t) {
  if (2 * (t->count + 1) <= t->room) return true;
  tree wider = {.room = t->room == 0 ? 1024 : 2 * t->room, .count = t->count};
  wider.places = tdm_array_new(wider.room, sizeof *wider.places);
  if (wider.places == NULL) return false;
  for (size_t i = 0; i < t->room; i++)
    if (t->places[i].hash != 0) *find(&wider, t->places[i].hash) = t->places[i];
  free(t->places);
  *t = wider;
  return true;
}

static uint64_t chained(uint64_t chain, uint32_t id) {
  uint64_t hash = tdm_mix(chain ^ tdm_mix((uint64_t)id + TDM_GAMMA));
  return hash != 0 ? hash : 1;
}

static void note(place *p, uint32_t *who, uint32_t unit) {
  if (*who == 0) *who = unit + 1;
  p->many |= *who != unit + 1;
}

static bool take(tree *t, const uint32_t *ids, size_t count, uint32_t unit) {
  uint64_t chain = TDM_GAMMA;
  for (size_t i = 0; i < count; i++) {
    if (!grow(t)) return false;
    chain = chained(chain, ids[i]);
    place *here = find(t, chain);
    t->count += here->hash == 0;
    here->hash = chain;
    if (i + 1 < count) {
      uint64_t next = chained(chain, ids[i + 1]);
      here->parts |= here->next != 0 && here->next != next;
      here->next = next;
      note(here, &here->goer, unit);
    } else {
      here->late |= here->next != 0;
      note(here, &here->ender, unit);
    }
  }
  return true;
}

/* Only where one conversation ended and then went on it may be one segment. */
static bool is_end(const place *p) {
  bool both = p->ender != 0 && p->goer != 0;
  return p->parts || (both && (p->many || p->late || p->ender != p->goer));
}

/* Units of rows, told one after the other. */
static size_t unit_of(const tdm_request_rows *rows, size_t row, size_t unit) {
  if (rows->firsts == NULL) return row;
  while (unit + 1 < rows->conversations && rows->firsts[unit + 1] <= row) unit++;
  return unit;
}

static tdm_status cut(tdm_request_rows *rows, const tree *t, tdm_error *error) {
  size_t count = 0, hash_room = 0, token_room = 0;
  for (size_t row = 0; row < rows->count; row++) {
    size_t ids;
    const uint32_t *id = tdm_rows_blocks(rows, row, &ids);
    uint64_t chain = TDM_GAMMA, begin = 0; /* a segment's name is its first block's */
    for (size_t i = 0; i < ids; i++) {
      chain = chained(chain, id[i]);
      if (begin == 0) begin = chain;
      if (i + 1 < ids && !is_end(find(t, chain))) continue;
      if (!tdm_array_grow(&rows->segments, &hash_room, count + 1, sizeof *rows->segments) ||
          !tdm_array_grow(&rows->segment_tokens, &token_room, count + 1,
                          sizeof *rows->segment_tokens))
        return tdm_error_memory(error, "recorded prompts", count);
      rows->segments[count] = begin;
      begin = 0;
      rows->segment_tokens[count++] = (int64_t)(i + 1) * rows->block_tokens;
    }
    rows->segment_ends[row] = count;
  }
  return TDM_OK;
}

tdm_status tdm_rows_join_blocks(tdm_request_rows *rows, tdm_error *error) {
  if (rows->block_tokens == 0 || rows->block_ends == NULL) return TDM_OK;
  tree t = {0};
  bool room = grow(&t);
  for (size_t row = 0, unit = 0; room && row < rows->count; row++) {
    size_t ids;
    const uint32_t *id = tdm_rows_blocks(rows, row, &ids);
    unit = unit_of(rows, row, unit);
    room = take(&t, id, ids, (uint32_t)unit);
  }
  rows->segment_ends = tdm_array_new(rows->count, sizeof *rows->segment_ends);
  tdm_status status = room && rows->segment_ends != NULL
                          ? cut(rows, &t, error)
                          : tdm_error_memory(error, "recorded prompts", t.room);
  free(t.places);
  return status;
}
