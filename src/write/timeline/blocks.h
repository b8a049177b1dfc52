/* Blocks of a timeline's file: bytes, deflated and in base64, one after the other in one text.
 *
 * A page cuts a block out of the text by its length and inflates it only when it looks at it. A
 * columns block is a chunk (trace/chunk.h) of at most TDM_CHUNK_ROWS rows whose columns are not
 * squeezed by themselves. Failures stick: callers write without checking and ask at the end.
 *
 * Owns the text, the lengths and the compressor. Called by the files of this room. */
#ifndef TDM_WRITE_TIMELINE_BLOCKS_H
#define TDM_WRITE_TIMELINE_BLOCKS_H

#include "trace/chunk.h"

typedef struct tdm_blocks tdm_blocks;

tdm_blocks *tdm_blocks_new(void); /* NULL: out of memory */
void tdm_blocks_free(tdm_blocks *blocks);

/* The number of the new block, from 0. */
size_t tdm_blocks_add(tdm_blocks *blocks, const void *bytes, size_t length);
/* Rows first … first + rows - 1 of the columns, 1 … TDM_CHUNK_ROWS of them. */
size_t tdm_blocks_columns(tdm_blocks *blocks, int64_t *const *column, uint32_t columns,
                          size_t first, size_t rows);

tdm_status tdm_blocks_status(const tdm_blocks *blocks, tdm_error *error);

size_t tdm_blocks_count(const tdm_blocks *blocks);
/* Characters of a block, without the line end that follows it. */
size_t tdm_blocks_length(const tdm_blocks *blocks, size_t block);
const char *tdm_blocks_text(const tdm_blocks *blocks, size_t *length);

#endif
