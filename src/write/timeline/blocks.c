/* Blocks of a timeline's file: bytes, deflated and in base64, one after the other in one text; see
 * timeline.h. */
#include "write/timeline/timeline.h"

#include <nettle/base64.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/memory.h"

enum { LEVEL = 6, RAW = -15 /* no zlib head */, MEMORY = 9 };

struct tdm_blocks {
  z_stream deflate;
  tdm_packer *packer;
  char *text;
  size_t length, room;
  size_t *lengths;
  size_t count, lengths_room;
  unsigned char *squeezed;
  size_t squeezed_room;
  tdm_status status;
};

tdm_blocks *tdm_blocks_new(void) {
  tdm_blocks *blocks = tdm_array_new(1, sizeof *blocks);
  if (blocks == NULL) return NULL;
  if (deflateInit2(&blocks->deflate, LEVEL, Z_DEFLATED, RAW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
    free(blocks);
    return NULL;
  }
  blocks->packer = tdm_packer_plain_new();
  if (blocks->packer != NULL) return blocks;
  tdm_blocks_free(blocks);
  return NULL;
}

void tdm_blocks_free(tdm_blocks *blocks) {
  if (blocks == NULL) return;
  deflateEnd(&blocks->deflate);
  tdm_packer_free(blocks->packer);
  free(blocks->text);
  free(blocks->lengths);
  free(blocks->squeezed);
  free(blocks);
}

size_t tdm_blocks_add(tdm_blocks *b, const void *bytes, size_t length) {
  if (b->status != TDM_OK) return 0;
  size_t bound = deflateBound(&b->deflate, length);
  if (length > UINT32_MAX || bound > UINT32_MAX ||
      !tdm_array_grow(&b->squeezed, &b->squeezed_room, bound, 1) ||
      !tdm_array_grow(&b->text, &b->room, b->length + BASE64_ENCODE_RAW_LENGTH(bound) + 1, 1) ||
      !tdm_array_grow(&b->lengths, &b->lengths_room, b->count + 1, sizeof *b->lengths)) {
    b->status = TDM_MEMORY;
    return 0;
  }
  deflateReset(&b->deflate);
  b->deflate.next_in = (unsigned char *)(uintptr_t)bytes; /* zlib does not write there */
  b->deflate.avail_in = (uInt)length;
  b->deflate.next_out = b->squeezed;
  b->deflate.avail_out = (uInt)bound;
  if (deflate(&b->deflate, Z_FINISH) != Z_STREAM_END) b->status = TDM_BUG;
  size_t squeezed = bound - b->deflate.avail_out;
  base64_encode_raw(b->text + b->length, squeezed, b->squeezed);
  b->lengths[b->count] = BASE64_ENCODE_RAW_LENGTH(squeezed);
  b->length += b->lengths[b->count];
  b->text[b->length++] = '\n';
  return b->count++;
}

size_t tdm_blocks_columns(tdm_blocks *b, int64_t *const *column, uint32_t columns, size_t first,
                          size_t rows) {
  const unsigned char *bytes;
  size_t length;
  tdm_error error;
  if (b->status != TDM_OK) return 0;
  b->status = tdm_pack(b->packer, column, columns, first, rows, &bytes, &length, &error);
  return b->status == TDM_OK ? tdm_blocks_add(b, bytes, length) : 0;
}

tdm_status tdm_blocks_status(const tdm_blocks *b, tdm_error *error) {
  if (b->status == TDM_OK) return TDM_OK;
  if (b->status == TDM_MEMORY) return tdm_error_memory(error, "a timeline", b->room);
  return tdm_error_set(error, b->status, "the blocks of a timeline could not be written");
}

size_t tdm_blocks_count(const tdm_blocks *b) {
  return b->count;
}

size_t tdm_blocks_length(const tdm_blocks *b, size_t block) {
  return b->lengths[block];
}

const char *tdm_blocks_text(const tdm_blocks *b, size_t *length) {
  *length = b->length;
  return b->text != NULL ? b->text : "";
}
