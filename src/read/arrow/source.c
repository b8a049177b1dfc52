/* Messages of Arrow's stream and file format, and the buffers of their bodies.
 *
 * A message is its head's length, a FlatBuffer and a body. A file has the same messages behind its
 * magic, and a footer, which is not looked at. See inside.h. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "read/arrow/inside.h"
#include "read/arrow/lz4.h"

enum {
  MAGIC_BYTES = 8,
  MESSAGE_BODY = 3,
  BATCH_BUFFERS = 2,
  BATCH_COMPRESSION = 3,
  BUFFER_BYTES = 16,
  CODEC_LZ4 = 0,
  CODEC_ZSTD = 1
};

#define CONTINUES  0xFFFFFFFFU
#define MOST_HEAD  (64 << 20)
#define MOST_BODY  ((int64_t)1 << 31)
#define MOST_BATCH ((size_t)1 << 31) /* of a batch, unpacked */
#define MOST_RATIO ((size_t)1 << 15) /* zstd packs no tighter */

struct arrow_source {
  tdm_input *input;
  const unsigned char *bytes; /* the rest of the piece in hand */
  size_t length;
  unsigned char *head, *body;
  size_t head_room, body_room;
  bool begun, is_file;
};

arrow_source *tdm_arrow_source_new(tdm_input *input) {
  arrow_source *source = calloc(1, sizeof *source);
  if (source != NULL) source->input = input;
  return source;
}

void tdm_arrow_source_free(arrow_source *source) {
  if (source == NULL) return;
  free(source->head);
  free(source->body);
  free(source);
}

/* So many bytes; fewer at the end of the input. The room grows with what comes, not with what is
 * promised. */
static tdm_status take(arrow_source *source, unsigned char **into, size_t *room, size_t wanted,
                       size_t *got, tdm_error *error) {
  *got = 0;
  while (*got < wanted) {
    if (source->length == 0) {
      tdm_status status = tdm_input_next(source->input, &source->bytes, &source->length, error);
      if (status != TDM_OK) return status;
      if (source->length == 0) return TDM_OK;
    }
    size_t count = wanted - *got < source->length ? wanted - *got : source->length;
    if (!tdm_array_grow(into, room, *got + count, 1))
      return tdm_error_memory(error, "a batch of a table", *got + count);
    memcpy(*into + *got, source->bytes, count);
    *got += count;
    source->bytes += count;
    source->length -= count;
  }
  return TDM_OK;
}

static uint32_t number(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

static tdm_status cut(const arrow_source *source, tdm_error *error) {
  return tdm_error_set(error, TDM_INVALID, "%s: its last batch ends in the middle",
                       tdm_input_path(source->input));
}

/* The head's length; 0 at the end. */
static tdm_status take_length(arrow_source *source, uint32_t *length, tdm_error *error) {
  size_t got;
  *length = 0;
  tdm_status status = take(source, &source->head, &source->head_room, MAGIC_BYTES, &got, error);
  if (status != TDM_OK || got == 0) return status;
  if (!source->begun && got == MAGIC_BYTES && memcmp(source->head, "ARROW1", 6) == 0) {
    source->is_file = true;
    status = take(source, &source->head, &source->head_room, MAGIC_BYTES, &got, error);
    if (status != TDM_OK) return status;
  }
  source->begun = true;
  if (got == MAGIC_BYTES && number(source->head) == CONTINUES) *length = number(source->head + 4);
  if (*length > 0 || source->is_file || (got == MAGIC_BYTES && number(source->head) == CONTINUES))
    return TDM_OK; /* what follows the messages of a file is its footer */
  return tdm_error_set(error, TDM_INVALID, "%s: is not Arrow's stream behind its beginning",
                       tdm_input_path(source->input));
}

tdm_status tdm_arrow_source_next(arrow_source *source, arrow_message *message, tdm_error *error) {
  uint32_t length;
  size_t got;
  *message = (arrow_message){0};
  tdm_status status = take_length(source, &length, error);
  if (status != TDM_OK || length == 0) return status;
  if (length > MOST_HEAD) return cut(source, error);
  status = take(source, &source->head, &source->head_room, length, &got, error);
  if (status != TDM_OK) return status;
  if (got < length) return cut(source, error);
  message->head = (arrow_piece){source->head, length};
  tdm_flat_table root = tdm_flat_root(source->head, length);
  int64_t body = tdm_flat_int(&root, MESSAGE_BODY, 8, 0);
  if (body < 0 || body > MOST_BODY)
    return tdm_error_set(error, TDM_INVALID, "%s: a batch of more than 2 GiB",
                         tdm_input_path(source->input));
  status = take(source, &source->body, &source->body_room, (size_t)body, &got, error);
  if (status == TDM_OK && got < (size_t)body) return cut(source, error);
  message->body = (arrow_piece){source->body, (size_t)body};
  return status;
}

/* ---- buffers ---- */

void tdm_arrow_buffers_free(arrow_buffers *buffers) {
  for (size_t i = 0; buffers->unpacked != NULL && i < buffers->count; i++)
    free(buffers->unpacked[i]);
  free(buffers->unpacked);
  free(buffers->pieces);
  *buffers = (arrow_buffers){0};
}

static bool unpack(int codec, arrow_piece piece, unsigned char *out, size_t room) {
  if (codec == CODEC_ZSTD) return ZSTD_decompress(out, room, piece.bytes, piece.length) == room;
  return tdm_lz4_unpack(piece.bytes, piece.length, out, room);
}

/* A packed buffer begins with how long it is unpacked; −1: it is not packed. */
static bool unpack_piece(arrow_buffers *buffers, size_t index, int codec, size_t *total) {
  arrow_piece *piece = &buffers->pieces[index];
  if (piece->length == 0) return true;
  if (piece->length < 8) return false;
  uint64_t told = number(piece->bytes) | (uint64_t)number(piece->bytes + 4) << 32;
  piece->bytes += 8;
  piece->length -= 8;
  if (told == UINT64_MAX) return true;
  if (told > MOST_BATCH - *total || told / MOST_RATIO > piece->length) return false;
  *total += told;
  buffers->unpacked[index] = malloc(told + 1);
  if (buffers->unpacked[index] == NULL ||
      !unpack(codec, *piece, buffers->unpacked[index], (size_t)told))
    return false;
  *piece = (arrow_piece){buffers->unpacked[index], (size_t)told};
  return true;
}

tdm_status tdm_arrow_buffers_of(const tdm_flat_table *batch, arrow_piece body, const char *path,
                                arrow_buffers *buffers, tdm_error *error) {
  tdm_flat_list list = tdm_flat_elements(batch, BATCH_BUFFERS, BUFFER_BYTES);
  tdm_flat_table packed = tdm_flat_child(batch, BATCH_COMPRESSION);
  int codec = (int)tdm_flat_int(&packed, 0, 1, CODEC_LZ4);
  size_t total = 0;
  buffers->count = list.count;
  buffers->pieces = tdm_array_new(list.count + 1, sizeof *buffers->pieces);
  buffers->unpacked = tdm_array_new(list.count + 1, sizeof *buffers->unpacked);
  if (buffers->pieces == NULL || buffers->unpacked == NULL)
    return tdm_error_memory(error, "the buffers of a batch", list.count);
  bool fits = packed.bytes == NULL || codec == CODEC_LZ4 || codec == CODEC_ZSTD;
  for (size_t i = 0; i < list.count && fits; i++) {
    int64_t at = tdm_flat_number_at(&list, i, BUFFER_BYTES, 0, 8);
    int64_t length = tdm_flat_number_at(&list, i, BUFFER_BYTES, 8, 8);
    fits = at >= 0 && length >= 0 && (uint64_t)at <= body.length &&
           (uint64_t)length <= body.length - (uint64_t)at;
    if (!fits) break;
    if (length > 0) buffers->pieces[i] = (arrow_piece){body.bytes + at, (size_t)length};
    if (packed.bytes != NULL) fits = unpack_piece(buffers, i, codec, &total);
  }
  if (fits) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID, "%s: a batch whose buffers are damaged", path);
}
