/* See kept_rows.h. */
#include "trace/kept_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool tdm_kept_rows_open(tdm_kept_rows *kept, uint32_t layout, uint32_t columns) {
  *kept = (tdm_kept_rows){.layout = layout, .columns = columns};
  kept->column = tdm_array_new(columns, sizeof *kept->column);
  kept->last = tdm_array_new(columns, sizeof *kept->last);
  if (kept->column != NULL && kept->last != NULL) return true;
  tdm_kept_rows_close(kept);
  return false;
}

/* Full blocks, whose values are their own. */
static size_t full_blocks(const tdm_kept_rows *kept) {
  return kept->count >> TDM_KEPT_SHIFT;
}

/* What blocks without a byte a value read. */
static const unsigned char nothing[TDM_KEPT_BLOCK + sizeof(uint64_t)];

static void free_values(tdm_kept_block *block) {
  if (block->width > 0) free((void *)(uintptr_t)block->value);
}

void tdm_kept_rows_forget(tdm_kept_rows *kept, uint32_t column) {
  tdm_kept_block *blocks = kept->column[column];
  for (size_t b = 0; blocks != NULL && b < full_blocks(kept); b++) free_values(&blocks[b]);
  free(blocks);
  free(kept->last[column]);
  kept->column[column] = NULL;
  kept->last[column] = NULL;
}

void tdm_kept_rows_close(tdm_kept_rows *kept) {
  for (uint32_t c = 0; kept->column != NULL && kept->last != NULL && c < kept->columns; c++)
    tdm_kept_rows_forget(kept, c);
  free(kept->column);
  free(kept->last);
  *kept = (tdm_kept_rows){0};
}

/* Room for rows behind those that the last block has, and for its place. */
static bool make_room(tdm_kept_rows *kept, size_t rows) {
  size_t need = (kept->count & (TDM_KEPT_BLOCK - 1)) + rows, blocks = full_blocks(kept) + 1;
  size_t room = kept->last_room > 0 ? 2 * kept->last_room : rows;
  if (room < need) room = need;
  if (room > TDM_KEPT_BLOCK) room = TDM_KEPT_BLOCK;
  size_t block_room = kept->block_room;
  for (uint32_t c = 0; c < kept->columns; c++) {
    block_room = kept->block_room;
    if (!tdm_array_grow(&kept->column[c], &block_room, blocks, sizeof **kept->column)) return false;
    if (need <= kept->last_room) continue;
    int64_t *grown = realloc(kept->last[c], room * sizeof *grown);
    if (grown == NULL) return false;
    kept->last[c] = grown;
  }
  kept->block_room = block_room;
  if (need > kept->last_room) kept->last_room = room;
  for (uint32_t c = 0; c < kept->columns; c++)
    kept->column[c][blocks - 1] = tdm_kept_plain(kept->last[c]);
  return true;
}

/* One loop a width, of values that are all there, so that compilers take several at once. */
#define NARROW(type)                                                                               \
  do {                                                                                             \
    type *narrow = out;                                                                            \
    if (none)                                                                                      \
      for (size_t i = 0; i < count; i++)                                                           \
        narrow[i] = value[i] == TDM_NONE ? 0 : (type)((uint64_t)value[i] - base);                  \
    else                                                                                           \
      for (size_t i = 0; i < count; i++) narrow[i] = (type)((uint64_t)value[i] - base);            \
  } while (0)

static void narrow(void *out, const int64_t *value, size_t count, const tdm_kept_block *as) {
  uint64_t base = (uint64_t)as->base;
  bool none = as->none;
  switch (as->width) {
  case 1: NARROW(uint8_t); break;
  case 2: NARROW(uint16_t); break;
  case 4: NARROW(uint32_t); break;
  default: memcpy(out, value, count * sizeof *value);
  }
}
#undef NARROW

/* Least and most of what is there: by lanes, none of which waits for another. */
static bool reach_of(const int64_t *value, int64_t *least, int64_t *most) {
  enum { LANES = 4 };
  int64_t low[LANES], high[LANES];
  for (size_t l = 0; l < LANES; l++) low[l] = INT64_MAX, high[l] = INT64_MIN;
  for (size_t at = 0; at < TDM_KEPT_BLOCK; at += LANES)
    for (size_t l = 0; l < LANES; l++) {
      int64_t one = value[at + l];
      low[l] = one < low[l] ? one : low[l];
      high[l] = one > high[l] ? one : high[l];
    }
  for (size_t l = 1; l < LANES; l++) {
    low[0] = low[l] < low[0] ? low[l] : low[0];
    high[0] = high[l] > high[0] ? high[l] : high[0];
  }
  *least = low[0];
  *most = high[0];
  if (*least != TDM_NONE) return false;
  *least = INT64_MAX;
  for (size_t i = 0; i < TDM_KEPT_BLOCK; i++)
    if (value[i] < *least && value[i] != TDM_NONE) *least = value[i];
  return true;
}

/* How the values of a block take fewest bytes. */
static tdm_kept_block narrowest(const int64_t *value) {
  int64_t least, most;
  tdm_kept_block as = {.none = reach_of(value, &least, &most)};
  if (least > most) return as; /* none has a value */
  uint64_t reach = (uint64_t)most - (uint64_t)least;
  as.base = as.none ? (int64_t)((uint64_t)least - 1) : least;
  if (as.none && reach < UINT64_MAX) reach++;
  if (reach > UINT32_MAX) return tdm_kept_plain(NULL);
  as.width = reach == 0 ? 0 : reach <= UINT8_MAX ? 1 : reach <= UINT16_MAX ? 2 : 4;
  as.shift = as.width / 2; /* of 1, 2 and 4 bytes */
  as.mask = as.width > 0 ? UINT64_MAX >> (64 - 8 * as.width) : 0;
  return as;
}

/* A block that is full, of values that stand `at` rows behind the beginnings of `from`. */
static bool pack(tdm_kept_rows *kept, int64_t *const *from, size_t at) {
  size_t block = kept->count >> TDM_KEPT_SHIFT;
  for (uint32_t c = 0; c < kept->columns; c++) {
    tdm_kept_block as = narrowest(from[c] + at);
    size_t bytes = TDM_KEPT_BLOCK * (size_t)as.width + sizeof(uint64_t);
    void *out = as.width > 0 ? malloc(bytes) : NULL;
    if (as.width > 0 && out == NULL) {
      while (c-- > 0) { /* what the block had before stands in `last` still */
        free_values(&kept->column[c][block]);
        kept->column[c][block] = tdm_kept_plain(kept->last[c]);
      }
      return false;
    }
    if (as.width > 0) narrow(out, from[c] + at, TDM_KEPT_BLOCK, &as);
    as.value = out != NULL ? out : nothing;
    kept->column[c][block] = as;
  }
  return true;
}

bool tdm_kept_rows_add(tdm_kept_rows *kept, const tdm_rows *rows) {
  for (size_t done = 0; done < rows->count;) {
    size_t at = kept->count & (TDM_KEPT_BLOCK - 1), some = rows->count - done;
    if (some > TDM_KEPT_BLOCK - at) some = TDM_KEPT_BLOCK - at;
    bool whole = some == TDM_KEPT_BLOCK; /* goes past `last` */
    if (!make_room(kept, whole ? 0 : some)) return false;
    for (uint32_t c = 0; !whole && c < kept->columns; c++)
      memcpy(kept->last[c] + at, rows->column[c] + done, some * sizeof(int64_t));
    if (whole && !pack(kept, rows->column, done)) return false;
    if (!whole && at + some == TDM_KEPT_BLOCK && !pack(kept, kept->last, 0)) return false;
    kept->count += some;
    done += some;
  }
  return true;
}

bool tdm_kept_rows_append(tdm_kept_rows *kept, int64_t value) {
  size_t at = kept->count & (TDM_KEPT_BLOCK - 1);
  if ((at == 0 || at == kept->last_room) && !make_room(kept, 1)) return false;
  kept->last[0][at] = value;
  if (at + 1 == TDM_KEPT_BLOCK && !pack(kept, kept->last, 0)) return false;
  kept->count++;
  return true;
}

bool tdm_kept_rows_rewrite(tdm_kept_rows *kept, uint32_t column, tdm_kept_values *values,
                           const void *context) {
  tdm_kept_rows made;
  int64_t *some = malloc(TDM_KEPT_BLOCK * sizeof *some);
  bool fine = tdm_kept_rows_open(&made, kept->layout, 1) && some != NULL;
  for (size_t row = 0; fine && row < kept->count; row = made.count) {
    size_t count = kept->count - row;
    if (count > TDM_KEPT_BLOCK) count = TDM_KEPT_BLOCK;
    values(context, row, count, some);
    fine = tdm_kept_rows_add(&made, &(tdm_rows){.count = count, .column = &some});
  }
  if (fine && kept->count > 0) {
    tdm_kept_rows_forget(kept, column);
    kept->column[column] = made.column[0];
    kept->last[column] = made.last[0];
    made.column[0] = NULL;
    made.last[0] = NULL;
  }
  tdm_kept_rows_close(&made);
  free(some);
  return fine;
}

size_t tdm_kept_rows_bytes(const tdm_kept_rows *kept) {
  size_t bytes = 0, blocks = full_blocks(kept);
  for (uint32_t c = 0; c < kept->columns; c++) {
    if (kept->column[c] == NULL) continue;
    bytes += kept->block_room * sizeof **kept->column + kept->last_room * sizeof(int64_t);
    for (size_t b = 0; b < blocks; b++) bytes += TDM_KEPT_BLOCK * (size_t)kept->column[c][b].width;
  }
  return bytes;
}
