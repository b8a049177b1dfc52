/* Blocks of a timeline's file: bytes, deflated and as digits of base 85, one after the other in one
 * text; see timeline.h. */
#include "write/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"

enum { LEVEL = 6, WINDOW = 15 /* in zlib's format, which ends with a checksum */, MEMORY = 9 };
enum { PLANE_LEAST = 512 /* rows: below, a plane is no longer than its code */, PLANE_ROOM = 16 };
enum { CODE_BYTES = 100 /* of a code of 256 lengths, about */ };
#define NOISE 0.3 /* of its bytes: a plane that codes shorter has matches */

struct tdm_blocks {
  z_stream streams[2];
  z_stream *deflate, *spare; /* one of them each: zlib's state knows where its stream is */
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
  blocks->deflate = &blocks->streams[0];
  blocks->spare = &blocks->streams[1];
  if (deflateInit2(blocks->deflate, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
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
  deflateEnd(blocks->deflate);
  tdm_packer_free(blocks->packer);
  free(blocks->text);
  free(blocks->lengths);
  free(blocks->squeezed);
  free(blocks);
}

/* ---- text */

/* Printable, and nothing that JSON or a script element would escape; '/' is left out, so that no
 * address is among it. */
static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                             "!#$%()*+,-.:;=?@[]^_{|}";
enum { BASE = sizeof digits - 1 };
_Static_assert(BASE == 85, "five digits hold four bytes");

/* Of `count` bytes that are less than four at the end, one digit more than bytes. */
static size_t text_length(size_t count) {
  return count / 4 * 5 + (count % 4 > 0 ? count % 4 + 1 : 0);
}

static void put_text(char *out, const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i += 4) {
    size_t some = count - i < 4 ? count - i : 4;
    uint32_t word = 0;
    for (size_t k = 0; k < 4; k++) word = word << 8 | (k < some ? bytes[i + k] : 0);
    char five[5];
    for (size_t k = 5; k-- > 0; word /= BASE) five[k] = digits[word % BASE];
    memcpy(out, five, some + 1);
    out += some + 1;
  }
}

/* ---- deflating */

static bool make_room(tdm_blocks *b, size_t bound) {
  return bound <= UINT32_MAX && tdm_array_grow(&b->squeezed, &b->squeezed_room, bound, 1) &&
         tdm_array_grow(&b->text, &b->room, b->length + text_length(bound) + 1, 1) &&
         tdm_array_grow(&b->lengths, &b->lengths_room, b->count + 1, sizeof *b->lengths);
}

static void begin(tdm_blocks *b, size_t bound) {
  deflateReset(b->deflate);
  b->deflate->next_out = b->squeezed;
  b->deflate->avail_out = (uInt)bound;
}

static void feed(tdm_blocks *b, const unsigned char *bytes, size_t length, int flush) {
  b->deflate->next_in = (unsigned char *)(uintptr_t)bytes; /* zlib does not write there */
  b->deflate->avail_in = (uInt)length;
  int code = deflate(b->deflate, flush);
  if (code != (flush == Z_FINISH ? Z_STREAM_END : Z_OK)) b->status = TDM_BUG;
}

static size_t end(tdm_blocks *b, size_t bound) {
  size_t squeezed = bound - b->deflate->avail_out;
  put_text(b->text + b->length, b->squeezed, squeezed);
  b->lengths[b->count] = text_length(squeezed);
  b->length += b->lengths[b->count];
  b->text[b->length++] = '\n';
  return b->count++;
}

size_t tdm_blocks_add(tdm_blocks *b, const void *bytes, size_t length) {
  if (b->status != TDM_OK) return 0;
  size_t bound = length <= UINT32_MAX ? deflateBound(b->deflate, length) : SIZE_MAX;
  if (!make_room(b, bound)) {
    b->status = TDM_MEMORY;
    return 0;
  }
  begin(b, bound);
  feed(b, bytes, length, Z_FINISH);
  return end(b, bound);
}

/* Bytes that a plane takes with a code of its own and no matches. */
static double coded_alone(const unsigned char *bytes, size_t count) {
  size_t times[256] = {0};
  double bits = 0;
  for (size_t i = 0; i < count; i++) times[bytes[i]]++;
  for (size_t v = 0; v < 256; v++)
    if (times[v] > 0) bits += (double)times[v] * log2((double)count / (double)times[v]);
  return bits / 8 + CODE_BYTES;
}

static void set_strategy(tdm_blocks *b, int strategy) {
  if (deflateParams(b->deflate, LEVEL, strategy) != Z_OK) b->status = TDM_BUG;
}

/* One plane, which has a code of its own. In noise there are matches by chance only, and they cost
 * more than they save: then it is done again without. */
static void feed_plane(tdm_blocks *b, const unsigned char *plane, size_t rows) {
  double alone = coded_alone(plane, rows);
  uInt room = b->deflate->avail_out;
  bool doubtful = alone > NOISE * (double)rows;
  if (doubtful && deflateCopy(b->spare, b->deflate) != Z_OK) {
    b->status = TDM_MEMORY;
    return;
  }
  feed(b, plane, rows, Z_BLOCK);
  if (!doubtful) return;
  if (room - b->deflate->avail_out <= alone) {
    deflateEnd(b->spare);
    return;
  }
  deflateEnd(b->deflate);
  z_stream *ended = b->deflate;
  b->deflate = b->spare;
  b->spare = ended;
  set_strategy(b, Z_HUFFMAN_ONLY);
  feed(b, plane, rows, Z_BLOCK);
  set_strategy(b, Z_DEFAULT_STRATEGY);
}

static void feed_planes(tdm_blocks *b, const unsigned char *bytes, size_t length, size_t from,
                        size_t rows) {
  for (; rows > 0 && length - from >= rows; from += rows) feed_plane(b, bytes + from, rows);
  if (length > from) feed(b, bytes + from, length - from, Z_BLOCK);
}

size_t tdm_blocks_columns(tdm_blocks *b, int64_t *const *column, uint32_t columns, size_t first,
                          size_t rows) {
  const unsigned char *bytes;
  size_t length;
  tdm_error error;
  if (b->status != TDM_OK) return 0;
  b->status = tdm_pack(b->packer, column, columns, first, rows, &bytes, &length, &error);
  if (b->status != TDM_OK) return 0;
  if (rows < PLANE_LEAST) return tdm_blocks_add(b, bytes, length);
  size_t planes = (size_t)columns * sizeof(int64_t) + 1;
  size_t bound = deflateBound(b->deflate, length) + planes * PLANE_ROOM;
  if (!make_room(b, bound)) {
    b->status = TDM_MEMORY;
    return 0;
  }
  begin(b, bound);
  size_t at = 0;
  for (uint32_t c = 0; c < columns; c++) {
    size_t payload, count;
    size_t next = tdm_packed_planes(bytes, c, &payload, &count);
    feed(b, bytes + at, payload - at, Z_NO_FLUSH);
    feed_planes(b, bytes, next, payload, count);
    at = next;
  }
  feed(b, NULL, 0, Z_FINISH);
  return end(b, bound);
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
