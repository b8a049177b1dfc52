/* Rows of one layout in memory, in few bytes and yet each a step away.
 *
 * A column lies in blocks of TDM_KEPT_BLOCK rows: values less the block's least, in 0, 1, 2, 4 or 8
 * bytes each; 0 stands for TDM_NONE where there is one. Times of neighbours are close, ids small,
 * and most arguments the same over and over, so that a row of a capture takes a third of its 8-byte
 * columns or less. The last block is not packed until it is full. Owns its bytes; the layout's
 * number is the caller's. Called by recordings and by tables of analyses; one thread at a time.
 */
#ifndef TDM_TRACE_KEPT_ROWS_H
#define TDM_TRACE_KEPT_ROWS_H

#include <string.h>

#include "trace/record.h"

enum { TDM_KEPT_SHIFT = 12, TDM_KEPT_BLOCK = 1 << TDM_KEPT_SHIFT };

typedef struct {
  const void *value; /* [rows of the block], `width` bytes each; of the last 8 may be read */
  int64_t base;
  uint64_t mask;        /* of `width` bytes */
  uint8_t width, shift; /* 1 << shift bytes lie between values */
  bool none;            /* 0 is TDM_NONE */
} tdm_kept_block;

typedef struct {
  uint32_t layout;
  size_t count;
  uint32_t columns;
  tdm_kept_block **column; /* [columns]; NULL: without rows, or forgotten */
  /* private */
  int64_t **last;    /* [columns] of the block that is not full */
  size_t last_room;  /* rows */
  size_t block_room; /* of each column */
} tdm_kept_rows;

/* False: out of memory; tdm_kept_rows_close it all the same. */
bool tdm_kept_rows_open(tdm_kept_rows *kept, uint32_t layout, uint32_t columns);
void tdm_kept_rows_close(tdm_kept_rows *kept);

/* False: out of memory. */
bool tdm_kept_rows_add(tdm_kept_rows *kept, const tdm_rows *rows);
/* One value to rows of one column: what is there already may be looked at meanwhile. False: out of
 * memory. */
bool tdm_kept_rows_append(tdm_kept_rows *kept, int64_t value);
/* A column that nobody looks at again, and no row is added to. */
void tdm_kept_rows_forget(tdm_kept_rows *kept, uint32_t column);

/* Values of the rows from `row` on. */
typedef void tdm_kept_values(const void *context, size_t row, size_t count, int64_t *out);
/* Writes a column anew, whose old values stay until all are there; no row is added to it
 * afterwards. False: out of memory, and it is as it was. */
bool tdm_kept_rows_rewrite(tdm_kept_rows *kept, uint32_t column, tdm_kept_values *values,
                           const void *context);
/* What it takes. */
size_t tdm_kept_rows_bytes(const tdm_kept_rows *kept);

/* Values of eight bytes each, as they are: borrowed. */
static inline tdm_kept_block tdm_kept_plain(const int64_t *value) {
  return (tdm_kept_block){.value = value, .mask = UINT64_MAX, .width = sizeof *value, .shift = 3};
}

/* Without a branch, as widths change from block to block; little-endian, as all machines that this
 * runs on. */
static inline int64_t tdm_kept_at(const tdm_kept_block *block, size_t at) {
  uint64_t more;
  memcpy(&more, (const unsigned char *)block->value + (at << block->shift), sizeof more);
  more &= block->mask;
  int64_t value = (int64_t)((uint64_t)block->base + more);
  return (block->none & (more == 0)) ? TDM_NONE : value;
}

/* A value of a column, by its blocks. */
static inline int64_t tdm_kept_in(const tdm_kept_block *blocks, size_t row) {
  return tdm_kept_at(&blocks[row >> TDM_KEPT_SHIFT], row & (TDM_KEPT_BLOCK - 1));
}

/* A value; the column is there and not forgotten. */
static inline int64_t tdm_kept(const tdm_kept_rows *kept, uint32_t column, size_t row) {
  return tdm_kept_in(kept->column[column], row);
}

#endif
