/* See kept_rows.h. */
#include "trace/kept_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool tdm_kept_rows_open(tdm_kept_rows *kept, uint32_t layout, uint32_t columns) {
  *kept = (tdm_kept_rows){.layout = layout, .columns = columns};
  kept->column = tdm_array_new(columns, sizeof *kept->column);
  kept->last = tdm_array_new(columns, sizeof *kept->last);
  return kept->column != NULL && kept->last != NULL;
}

/* Full blocks, whose values are their own. */
static size_t full_blocks(const tdm_kept_rows *kept) {
  return kept->count >> TDM_KEPT_SHIFT;
}

void tdm_kept_rows_forget(tdm_kept_rows *kept, uint32_t column) {
  tdm_kept_block *blocks = kept->column[column];
  for (size_t b = 0; blocks != NULL && b < full_blocks(kept); b++)
    free((void *)(uintptr_t)blocks[b].value);
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
    kept->column[c][blocks - 1] =
        (tdm_kept_block){.value = kept->last[c], .width = sizeof(int64_t)};
  return true;
}

void tdm_kept_narrow(void *out, const int64_t *value, size_t count, const tdm_kept_block *as) {
  for (size_t i = 0; i < count; i++) {
    bool none = as->none && value[i] == TDM_NONE;
    uint64_t more = none ? 0 : (uint64_t)value[i] - (uint64_t)as->base;
    switch (as->width) {
    case 1: ((uint8_t *)out)[i] = (uint8_t)more; break;
    case 2: ((uint16_t *)out)[i] = (uint16_t)more; break;
    case 4: ((uint32_t *)out)[i] = (uint32_t)more; break;
    default: ((int64_t *)out)[i] = value[i];
    }
  }
}

tdm_kept_block tdm_kept_narrowest(const int64_t *value, size_t count) {
  int64_t least = INT64_MAX, most = INT64_MIN;
  tdm_kept_block as = {0};
  for (size_t i = 0; i < count; i++) {
    if (value[i] == TDM_NONE) {
      as.none = true;
      continue;
    }
    if (value[i] < least) least = value[i];
    if (value[i] > most) most = value[i];
  }
  if (least > most) return as; /* none has a value */
  uint64_t reach = (uint64_t)most - (uint64_t)least;
  as.base = as.none ? (int64_t)((uint64_t)least - 1) : least;
  if (as.none && reach < UINT64_MAX) reach++;
  as.width = reach == 0            ? 0
             : reach <= UINT8_MAX  ? 1
             : reach <= UINT16_MAX ? 2
             : reach <= UINT32_MAX ? 4
                                   : sizeof(int64_t);
  return as;
}

/* The last block is full. */
static bool pack_last(tdm_kept_rows *kept) {
  size_t block = kept->count >> TDM_KEPT_SHIFT;
  for (uint32_t c = 0; c < kept->columns; c++) {
    tdm_kept_block as = tdm_kept_narrowest(kept->last[c], TDM_KEPT_BLOCK);
    void *out = as.width > 0 ? malloc(TDM_KEPT_BLOCK * (size_t)as.width) : NULL;
    if (as.width > 0 && out == NULL) {
      while (c-- > 0) { /* these values stand in `last` still */
        free((void *)(uintptr_t)kept->column[c][block].value);
        kept->column[c][block] = (tdm_kept_block){.value = kept->last[c], .width = sizeof(int64_t)};
      }
      return false;
    }
    if (as.width > 0) tdm_kept_narrow(out, kept->last[c], TDM_KEPT_BLOCK, &as);
    as.value = out;
    kept->column[c][block] = as;
  }
  return true;
}

bool tdm_kept_rows_add(tdm_kept_rows *kept, const tdm_rows *rows) {
  for (size_t done = 0; done < rows->count;) {
    size_t at = kept->count & (TDM_KEPT_BLOCK - 1), some = rows->count - done;
    if (some > TDM_KEPT_BLOCK - at) some = TDM_KEPT_BLOCK - at;
    if (!make_room(kept, some)) return false;
    for (uint32_t c = 0; c < kept->columns; c++)
      memcpy(kept->last[c] + at, rows->column[c] + done, some * sizeof(int64_t));
    if (at + some == TDM_KEPT_BLOCK && !pack_last(kept)) return false;
    kept->count += some;
    done += some;
  }
  return true;
}
