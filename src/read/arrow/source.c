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
  HEADER_DICTIONARY = 2,
  HEADER_BATCH = 3,
  CODEC_LZ4 = 0,
  CODEC_ZSTD = 1
};

#define CONTINUES  0xFFFFFFFFU
#define MOST_HEAD  (64 << 20)
#define MOST_BODY  ((int64_t)1 << 31)
#define MOST_BATCH ((size_t)1 << 31)    /* of a batch, unpacked */
#define MOST_RATIO ((size_t)1 << 15)    /* zstd packs no tighter */
#define LONG_HEAP  ((uint64_t)16 << 20) /* of texts: held whole until then */

struct arrow_source {
  tdm_input *input;
  const unsigned char *bytes; /* the rest of the piece in hand */
  size_t length;
  unsigned char *head, *body;
  size_t head_room, body_room;
  bool begun, is_file;
  const arrow_column *columns; /* NULL: texts are not cut */
  size_t count, most;
  unsigned char *heaps; /* of the message in hand, as it has them */
  size_t heap_room;
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
  free(source->heaps);
  free(source);
}

void tdm_arrow_source_cut(arrow_source *source, const arrow_column *columns, size_t count,
                          size_t most) {
  if (most == SIZE_MAX) return;
  source->columns = columns;
  source->count = count;
  source->most = most;
}

/* Some more bytes of the input, at most so many; none at its end. */
static tdm_status piece_of(arrow_source *source, size_t most, const unsigned char **bytes,
                           size_t *length, tdm_error *error) {
  *length = 0;
  if (source->length == 0) {
    tdm_status status = tdm_input_next(source->input, &source->bytes, &source->length, error);
    if (status != TDM_OK) return status;
  }
  *bytes = source->bytes;
  *length = most < source->length ? most : source->length;
  source->bytes += *length;
  source->length -= *length;
  return TDM_OK;
}

/* So many bytes behind those that are there; fewer at the end of the input. The room grows with
 * what comes, not with what is promised. */
static tdm_status add(arrow_source *source, unsigned char **into, size_t *room, size_t wanted,
                      size_t *used, tdm_error *error) {
  for (size_t got = 0, count = 1; got < wanted && count > 0; got += count) {
    const unsigned char *bytes;
    tdm_status status = piece_of(source, wanted - got, &bytes, &count, error);
    if (status != TDM_OK) return status;
    if (!tdm_array_grow(into, room, *used + count, 1))
      return tdm_error_memory(error, "a batch of a table", *used + count);
    if (count > 0) memcpy(*into + *used, bytes, count);
    *used += count;
  }
  return TDM_OK;
}

static tdm_status take(arrow_source *source, unsigned char **into, size_t *room, size_t wanted,
                       size_t *got, tdm_error *error) {
  *got = 0;
  return add(source, into, room, wanted, got, error);
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

/* ---- bodies ---- */

static size_t width_of(arrow_type type) {
  return type == ARROW_UTF8 ? 4 : type == ARROW_LARGE_UTF8 ? 8 : 0;
}

/* The buffers of a column's cells behind `at`; *heap: the one of texts, 0: none. */
static size_t buffers_of(const arrow_cells *cells, const tdm_flat_list *views, size_t *view,
                         size_t at, size_t *heap) {
  int64_t more;
  *heap = 0;
  switch (cells->type) {
  case ARROW_NULL: return at;
  case ARROW_UTF8:
  case ARROW_LARGE_UTF8: *heap = at + 2; return at + 3;
  case ARROW_UTF8_VIEW:
    more = tdm_flat_number_at(views, (*view)++, 8, 0, 8);
    return at + 2 + (more > 0 && more < UINT16_MAX ? (size_t)more : 0);
  default: return at + 2;
  }
}

/* The batch of a message, and which of its buffers are texts that may be cut. False: of memory. */
static bool find_heaps(arrow_source *source, const tdm_flat_table *root, tdm_flat_table *batch,
                       tdm_flat_list *buffers) {
  int64_t kind = tdm_flat_int(root, 1, 1, 0);
  tdm_flat_table header = tdm_flat_child(root, 2);
  *batch = kind == HEADER_DICTIONARY ? tdm_flat_child(&header, 1) : header;
  *buffers = (tdm_flat_list){0};
  if (source->columns == NULL || (kind != HEADER_DICTIONARY && kind != HEADER_BATCH)) return true;
  *buffers = tdm_flat_elements(batch, BATCH_BUFFERS, BUFFER_BYTES);
  if (!tdm_array_grow(&source->heaps, &source->heap_room, buffers->count + 1, 1)) return false;
  memset(source->heaps, 0, buffers->count + 1);
  int64_t id = tdm_flat_int(&header, 0, 8, 0); /* of a dictionary */
  tdm_flat_list views = tdm_flat_elements(batch, 4, 8);
  size_t at = 0, view = 0, heap = 0;
  for (size_t c = 0; c < source->count && at < buffers->count; c++) {
    const arrow_column *column = &source->columns[c];
    bool words = kind == HEADER_DICTIONARY;
    if (words && column->dictionary != id) continue;
    const arrow_cells *cells = words ? &column->words : &column->cells;
    at = buffers_of(cells, &views, &view, at, &heap);
    if (heap > 0 && heap < buffers->count)
      source->heaps[heap] = (unsigned char)width_of(cells->type);
    if (words) break;
  }
  return true;
}

static void put_number(unsigned char *at, uint64_t value) {
  for (size_t i = 0; i < 8; i++, value >>= 8) at[i] = (unsigned char)value;
}

static tdm_status pass(arrow_source *source, size_t wanted, arrow_texts *texts, size_t *used,
                       tdm_error *error) {
  for (size_t count = 1; wanted > 0; wanted -= count) {
    const unsigned char *bytes;
    tdm_status status = piece_of(source, wanted, &bytes, &count, error);
    if (status != TDM_OK) return status;
    if (count == 0) return cut(source, error);
    if (texts != NULL &&
        !tdm_arrow_texts_put(texts, bytes, count, &source->body, &source->body_room, used))
      return tdm_error_memory(error, "a batch of a table", *used + count);
  }
  return TDM_OK;
}

/* Is there a long buffer of texts, are all in order and in the body, and is none packed? */
static bool is_cut(const arrow_source *source, const tdm_flat_table *batch,
                   const tdm_flat_list *buffers, uint64_t body) {
  uint64_t end = 0;
  bool is_long = false;
  if (tdm_flat_child(batch, BATCH_COMPRESSION).bytes != NULL) return false;
  for (size_t i = 0; i < buffers->count; i++) {
    uint64_t at = (uint64_t)tdm_flat_number_at(buffers, i, BUFFER_BYTES, 0, 8);
    uint64_t length = (uint64_t)tdm_flat_number_at(buffers, i, BUFFER_BYTES, 8, 8);
    if (at < end || at > body || length > body - at) return false;
    end = at + length;
    is_long = is_long || (source->heaps[i] != 0 && length > LONG_HEAP);
  }
  return is_long;
}

/* A body whose long texts end early: its head tells the new places of its buffers. */
static tdm_status take_cut(arrow_source *source, const tdm_flat_table *batch,
                           const tdm_flat_list *buffers, uint64_t body, size_t *used,
                           tdm_error *error) {
  uint64_t seen = 0;
  size_t offsets = 0, offset_bytes = 0;
  int64_t rows = tdm_flat_int(batch, 0, 8, 0);
  for (size_t i = 0; i < buffers->count; i++) {
    uint64_t at = (uint64_t)tdm_flat_number_at(buffers, i, BUFFER_BYTES, 0, 8);
    uint64_t length = (uint64_t)tdm_flat_number_at(buffers, i, BUFFER_BYTES, 8, 8);
    size_t begin = *used;
    tdm_status status = pass(source, at - seen, NULL, used, error);
    arrow_texts texts = {.offsets = offset_bytes > 0 ? source->body + offsets : NULL,
                         .offset_bytes = offset_bytes,
                         .width = source->heaps[i],
                         .rows = rows > 0 ? (size_t)rows : 0,
                         .most = source->most};
    bool shorten =
        texts.width > 0 && length > LONG_HEAP && tdm_arrow_texts_are_long(&texts, length);
    if (status != TDM_OK) return status;
    if (shorten) {
      /* The body may move as it grows: the offsets are worked on aside. */
      texts.offsets = malloc(offset_bytes);
      if (texts.offsets == NULL) return tdm_error_memory(error, "a batch", offset_bytes);
      memcpy(texts.offsets, source->body + offsets, offset_bytes);
      tdm_arrow_texts_begin(&texts);
      status = pass(source, length, &texts, used, error);
      memcpy(source->body + offsets, texts.offsets, offset_bytes);
      free(texts.offsets);
    } else {
      status = add(source, &source->body, &source->body_room, length, used, error);
      if (status == TDM_OK && *used - begin < length) return cut(source, error);
    }
    if (status != TDM_OK) return status;
    seen = at + length;
    offsets = begin;
    offset_bytes = *used - begin;
    unsigned char *entry = source->head + buffers->at + i * BUFFER_BYTES;
    put_number(entry, begin);
    put_number(entry + 8, *used - begin);
  }
  return pass(source, body - seen, NULL, used, error);
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
  tdm_flat_table root = tdm_flat_root(source->head, length), batch;
  tdm_flat_list buffers;
  int64_t body = tdm_flat_int(&root, MESSAGE_BODY, 8, 0);
  if (body < 0 || body > MOST_BODY)
    return tdm_error_set(error, TDM_INVALID, "%s: a batch of more than 2 GiB",
                         tdm_input_path(source->input));
  if (!find_heaps(source, &root, &batch, &buffers))
    return tdm_error_memory(error, "a batch of a table", buffers.count);
  got = 0;
  if (is_cut(source, &batch, &buffers, (uint64_t)body)) {
    status = take_cut(source, &batch, &buffers, (uint64_t)body, &got, error);
  } else {
    status = take(source, &source->body, &source->body_room, (size_t)body, &got, error);
    if (status == TDM_OK && got < (size_t)body) return cut(source, error);
  }
  message->body = (arrow_piece){source->body, got};
  message->heaps = source->heaps;
  message->heap_count = buffers.count;
  message->most = source->most;
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

typedef struct {
  arrow_texts *texts;
  unsigned char *bytes;
  size_t room, used;
} shortened;

static bool shorten(void *context, const unsigned char *bytes, size_t length) {
  shortened *to = context;
  return tdm_arrow_texts_put(to->texts, bytes, length, &to->bytes, &to->room, &to->used);
}

static bool pass_zstd(arrow_piece piece, size_t room, shortened *to) {
  enum { STEP = 1 << 17 };
  ZSTD_DStream *stream = ZSTD_createDStream();
  unsigned char *step = malloc(STEP);
  ZSTD_inBuffer in = {.src = piece.bytes, .size = piece.length};
  size_t passed = 0, left = 1;
  bool sound = stream != NULL && step != NULL;
  while (sound && (left != 0 || in.pos < in.size)) {
    ZSTD_outBuffer out = {.dst = step, .size = STEP};
    size_t before = in.pos;
    left = ZSTD_decompressStream(stream, &out, &in);
    sound = !ZSTD_isError(left) && (out.pos > 0 || in.pos > before || left == 0) &&
            out.pos <= room - passed && shorten(to, step, out.pos);
    passed += out.pos;
  }
  ZSTD_freeDStream(stream);
  free(step);
  return sound && passed == room;
}

/* Texts without what is too long of each; their offsets are rewritten. */
static bool unpack_texts(int codec, arrow_piece *piece, size_t room, arrow_texts *texts,
                         unsigned char **unpacked) {
  shortened to = {.texts = texts};
  tdm_arrow_texts_begin(texts);
  bool sound = codec == CODEC_ZSTD ? pass_zstd(*piece, room, &to)
                                   : tdm_lz4_pass(piece->bytes, piece->length, room, shorten, &to);
  *unpacked = to.bytes;
  *piece = (arrow_piece){to.bytes, to.used};
  return sound;
}

/* A packed buffer begins with how long it is unpacked; −1: it is not packed. */
static bool unpack_piece(arrow_buffers *buffers, size_t index, int codec, arrow_texts *texts,
                         size_t *total) {
  arrow_piece *piece = &buffers->pieces[index];
  if (piece->length == 0) return true;
  if (piece->length < 8) return false;
  uint64_t told = number(piece->bytes) | (uint64_t)number(piece->bytes + 4) << 32;
  piece->bytes += 8;
  piece->length -= 8;
  if (told == UINT64_MAX) return true;
  if (told > MOST_BATCH - *total || told / MOST_RATIO > piece->length) return false;
  *total += told;
  if (told > LONG_HEAP && texts->width > 0 && tdm_arrow_texts_are_long(texts, told))
    return unpack_texts(codec, piece, (size_t)told, texts, &buffers->unpacked[index]);
  buffers->unpacked[index] = malloc(told + 1);
  if (buffers->unpacked[index] == NULL ||
      !unpack(codec, *piece, buffers->unpacked[index], (size_t)told))
    return false;
  *piece = (arrow_piece){buffers->unpacked[index], (size_t)told};
  return true;
}

tdm_status tdm_arrow_buffers_of(const tdm_flat_table *batch, const arrow_message *message,
                                const char *path, arrow_buffers *buffers, tdm_error *error) {
  arrow_piece body = message->body;
  int64_t rows = tdm_flat_int(batch, 0, 8, 0);
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
    if (packed.bytes == NULL) continue;
    /* Offsets that were not packed lie in the body, which is as well ours. */
    arrow_texts texts = {.offsets = i > 0 ? (unsigned char *)buffers->pieces[i - 1].bytes : NULL,
                         .offset_bytes = i > 0 ? buffers->pieces[i - 1].length : 0,
                         .width = i < message->heap_count ? message->heaps[i] : 0,
                         .rows = rows > 0 ? (size_t)rows : 0,
                         .most = message->most};
    fits = unpack_piece(buffers, i, codec, &texts, &total);
  }
  if (fits) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID, "%s: a batch whose buffers are damaged", path);
}
