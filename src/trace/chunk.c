/* See chunk.h. */
#include "trace/chunk.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"

#define NONE INT64_MIN

enum { VERSION = 1, HEAD = 7, COLUMN_HEAD = 9 };
enum { FORM_WIDTH = 7, FORM_DELTA = 8, FORM_NONE = 16, FORM_ZSTD = 32 };
enum { ZSTD_LEVEL = 1, WORTH_IT = 24 /* bytes: smaller payloads stay as they are */ };

static const unsigned widths[] = {0, 1, 2, 4, 8};

static unsigned width_code(uint64_t range) {
  return range == 0            ? 0
         : range <= UINT8_MAX  ? 1
         : range <= UINT16_MAX ? 2
         : range <= UINT32_MAX ? 3
                               : 4;
}

static void put32(unsigned char *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> (8 * i));
}
static void put64(unsigned char *at, uint64_t value) {
  for (int i = 0; i < 8; i++) at[i] = (unsigned char)(value >> (8 * i));
}
static uint32_t get32(const unsigned char *at) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) value |= (uint32_t)at[i] << (8 * i);
  return value;
}
static uint64_t get64(const unsigned char *at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

/* ---- packing ---- */

struct tdm_packer {
  ZSTD_CCtx *zstd; /* NULL: plain */
  uint64_t packed[TDM_CHUNK_ROWS];
  unsigned char planes[8 * TDM_CHUNK_ROWS];
  unsigned char *bytes;
  size_t room;
};

tdm_packer *tdm_packer_new(void) {
  tdm_packer *packer = malloc(sizeof *packer);
  if (packer == NULL) return NULL;
  packer->bytes = NULL;
  packer->room = 0;
  packer->zstd = ZSTD_createCCtx();
  if (packer->zstd != NULL) {
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_contentSizeFlag, 0);
    return packer;
  }
  free(packer);
  return NULL;
}

tdm_packer *tdm_packer_plain_new(void) {
  tdm_packer *packer = malloc(sizeof *packer);
  if (packer == NULL) return NULL;
  packer->zstd = NULL;
  packer->bytes = NULL;
  packer->room = 0;
  return packer;
}

void tdm_packer_free(tdm_packer *packer) {
  if (packer == NULL) return;
  ZSTD_freeCCtx(packer->zstd);
  free(packer->bytes);
  free(packer);
}

typedef struct {
  int64_t least, most;             /* of the values that are there */
  int64_t delta_least, delta_most; /* of the differences; all values there */
  size_t none;
  int delta_fits; /* no difference overflows */
} survey;

static survey look_at(const int64_t *value, size_t rows) {
  survey s = {.least = INT64_MAX, .most = INT64_MIN};
  uint64_t spread =
      0; /* sees whether any value needs more than 62 bits: differences then might too */
  for (size_t i = 0; i < rows; i++) {
    int64_t v = value[i];
    if (v == NONE) {
      s.none++;
      continue;
    }
    if (v < s.least) s.least = v;
    if (v > s.most) s.most = v;
    spread |= (uint64_t)(v ^ (v >> 63));
  }
  s.delta_fits = s.none == 0 && rows > 1 && spread >> 62 == 0;
  if (!s.delta_fits) return s;
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (size_t i = 1; i < rows; i++) {
    int64_t d = value[i] - value[i - 1];
    if (d < least) least = d;
    if (d > most) most = d;
  }
  s.delta_least = least;
  s.delta_most = most;
  return s;
}

/* Byte b of every value together: high bytes are mostly alike and cost nothing then. */
static void split_planes(const uint64_t *value, size_t count, unsigned width, unsigned char *out) {
  for (unsigned b = 0; b < width; b++)
    for (size_t i = 0; i < count; i++) out[b * count + i] = (unsigned char)(value[i] >> (8 * b));
}

/* Appends one column at `out`; returns the bytes written. There is room. */
static size_t pack_column(tdm_packer *packer, const int64_t *value, size_t rows, unsigned char *out,
                          size_t room) {
  survey s = look_at(value, rows);
  unsigned form = 0;
  size_t count = rows, head = COLUMN_HEAD;
  uint64_t range, base;
  if (s.none == rows) {
    base = (uint64_t)NONE;
    range = 0;
  } else {
    base = (uint64_t)s.least;
    range = (uint64_t)s.most - base;
    if (s.none > 0) { /* the range of what is there is below 2^64 - 1: zero is free to be none */
      base--;
      range++;
      form |= FORM_NONE;
    }
  }
  form |= width_code(range);
  if (s.delta_fits) {
    uint64_t spread = (uint64_t)s.delta_most - (uint64_t)s.delta_least;
    if (width_code(spread) < (form & FORM_WIDTH)) {
      form = FORM_DELTA | width_code(spread);
      base = (uint64_t)s.delta_least;
    }
  }
  if (form & FORM_DELTA) {
    head += 8;
    put64(out + COLUMN_HEAD, (uint64_t)value[0]);
    count = rows - 1;
    for (size_t i = 0; i < count; i++)
      packer->packed[i] = (uint64_t)value[i + 1] - (uint64_t)value[i] - base;
  } else if (form & FORM_NONE) {
    for (size_t i = 0; i < count; i++)
      packer->packed[i] = value[i] == NONE ? 0 : (uint64_t)value[i] - base;
  } else if ((form & FORM_WIDTH) > 0) {
    for (size_t i = 0; i < count; i++) packer->packed[i] = (uint64_t)value[i] - base;
  }
  put64(out + 1, base);
  unsigned width = widths[form & FORM_WIDTH];
  size_t payload = width * count;
  if (payload > 0) {
    split_planes(packer->packed, count, width, packer->planes);
    size_t squeezed = 0;
    bool worth_it = packer->zstd != NULL && payload >= WORTH_IT;
    if (worth_it)
      squeezed = ZSTD_compress2(packer->zstd, out + head, room - head, packer->planes, payload);
    if (worth_it && !ZSTD_isError(squeezed) && squeezed + squeezed / 16 < payload) {
      form |= FORM_ZSTD;
      payload = squeezed;
    } else {
      memcpy(out + head, packer->planes, payload);
    }
  }
  out[0] = (unsigned char)form;
  return head + payload;
}

tdm_status tdm_pack(tdm_packer *packer, int64_t *const *column, uint32_t columns, size_t first,
                    size_t rows, const unsigned char **bytes, size_t *length, tdm_error *error) {
  if (rows == 0 || rows > TDM_CHUNK_ROWS || columns > TDM_CHUNK_COLUMNS)
    return tdm_error_set(error, TDM_BUG, "chunk: %zu rows of %u columns", rows, columns);
  size_t index = HEAD + 4 * ((size_t)columns + 1);
  size_t each = COLUMN_HEAD + 8 + ZSTD_compressBound(8 * rows);
  if (!tdm_array_grow(&packer->bytes, &packer->room, index + columns * each, 1))
    return tdm_error_memory(error, "a chunk", index + columns * each);
  unsigned char *out = packer->bytes;
  out[0] = VERSION;
  out[1] = (unsigned char)columns;
  out[2] = (unsigned char)(columns >> 8);
  put32(out + 3, (uint32_t)rows);
  size_t at = index;
  for (uint32_t c = 0; c < columns; c++) {
    put32(out + HEAD + 4 * c, (uint32_t)at);
    at += pack_column(packer, column[c] + first, rows, out + at, packer->room - at);
  }
  put32(out + HEAD + 4 * columns, (uint32_t)at);
  *bytes = out;
  *length = at;
  return TDM_OK;
}

size_t tdm_packed_planes(const unsigned char *bytes, uint32_t column, size_t *begin, size_t *rows) {
  size_t at = get32(bytes + HEAD + 4 * (size_t)column);
  bool delta = (bytes[at] & FORM_DELTA) != 0;
  *begin = at + COLUMN_HEAD + (delta ? sizeof(int64_t) : 0);
  *rows = get32(bytes + 3) - (delta ? 1 : 0);
  return get32(bytes + HEAD + 4 * ((size_t)column + 1));
}

/* ---- unpacking ---- */

struct tdm_unpacker {
  ZSTD_DCtx *zstd;
  const unsigned char *bytes;
  size_t length, rows;
  uint32_t columns;
  unsigned char planes[8 * TDM_CHUNK_ROWS];
};

tdm_unpacker *tdm_unpacker_new(void) {
  tdm_unpacker *unpacker = malloc(sizeof *unpacker);
  if (unpacker == NULL) return NULL;
  unpacker->bytes = NULL;
  unpacker->columns = 0;
  unpacker->zstd = ZSTD_createDCtx();
  if (unpacker->zstd != NULL) return unpacker;
  free(unpacker);
  return NULL;
}

void tdm_unpacker_free(tdm_unpacker *unpacker) {
  if (unpacker == NULL) return;
  ZSTD_freeDCtx(unpacker->zstd);
  free(unpacker);
}

static tdm_status damaged(tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "a chunk of the store is damaged");
}

tdm_status tdm_unpack_open(tdm_unpacker *unpacker, const void *bytes, size_t length,
                           uint32_t *columns, size_t *rows, tdm_error *error) {
  const unsigned char *at = bytes;
  unpacker->columns = 0;
  if (length < HEAD || at[0] != VERSION) return damaged(error);
  *columns = at[1] | (uint32_t)at[2] << 8;
  *rows = get32(at + 3);
  size_t index = HEAD + 4 * ((size_t)*columns + 1);
  if (*columns > TDM_CHUNK_COLUMNS || *rows == 0 || *rows > TDM_CHUNK_ROWS || length < index)
    return damaged(error);
  size_t before = index;
  for (uint32_t c = 0; c <= *columns; c++) {
    size_t offset = get32(at + HEAD + 4 * c);
    if (offset < before || offset > length) return damaged(error);
    before = offset;
  }
  unpacker->bytes = at;
  unpacker->length = length;
  unpacker->columns = *columns;
  unpacker->rows = *rows;
  return TDM_OK;
}

static void join_planes(const unsigned char *plane, size_t count, unsigned width, uint64_t base,
                        int64_t *out) {
  switch (width) {
  case 0:
    for (size_t i = 0; i < count; i++) out[i] = (int64_t)base;
    break;
  case 1:
    for (size_t i = 0; i < count; i++) out[i] = (int64_t)(base + plane[i]);
    break;
  case 2:
    for (size_t i = 0; i < count; i++)
      out[i] = (int64_t)(base + (plane[i] | (uint64_t)plane[count + i] << 8));
    break;
  case 4:
    for (size_t i = 0; i < count; i++)
      out[i] = (int64_t)(base + (plane[i] | (uint64_t)plane[count + i] << 8 |
                                 (uint64_t)plane[2 * count + i] << 16 |
                                 (uint64_t)plane[3 * count + i] << 24));
    break;
  default:
    for (size_t i = 0; i < count; i++) {
      uint64_t value = 0;
      for (unsigned b = 0; b < 8; b++) value |= (uint64_t)plane[b * count + i] << (8 * b);
      out[i] = (int64_t)(base + value);
    }
  }
}

tdm_status tdm_unpack(tdm_unpacker *unpacker, uint32_t column, int64_t *out, tdm_error *error) {
  if (column >= unpacker->columns) return damaged(error);
  size_t begin = get32(unpacker->bytes + HEAD + 4 * column);
  size_t end = get32(unpacker->bytes + HEAD + 4 * (column + 1));
  const unsigned char *at = unpacker->bytes + begin;
  size_t left = end - begin, rows = unpacker->rows, count = rows;
  if (left < COLUMN_HEAD || (at[0] & FORM_WIDTH) > 4) return damaged(error);
  unsigned form = at[0], width = widths[form & FORM_WIDTH];
  uint64_t base = get64(at + 1), first = 0;
  at += COLUMN_HEAD;
  left -= COLUMN_HEAD;
  if (form & FORM_DELTA) {
    if (left < 8) return damaged(error);
    first = get64(at);
    at += 8;
    left -= 8;
    count--;
  }
  size_t payload = width * count;
  if (form & FORM_ZSTD) {
    size_t length = ZSTD_decompressDCtx(unpacker->zstd, unpacker->planes, payload, at, left);
    if (ZSTD_isError(length) || length != payload) return damaged(error);
    at = unpacker->planes;
  } else if (left != payload) {
    return damaged(error);
  }
  if (form & FORM_DELTA) {
    join_planes(at, count, width, base, out + 1);
    out[0] = (int64_t)first;
    for (size_t i = 1; i < rows; i++) out[i] = (int64_t)((uint64_t)out[i] + (uint64_t)out[i - 1]);
    return TDM_OK;
  }
  join_planes(at, count, width, base, out);
  if (form & FORM_NONE)
    for (size_t i = 0; i < rows; i++)
      if ((uint64_t)out[i] == base) out[i] = NONE;
  return TDM_OK;
}
