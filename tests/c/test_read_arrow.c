/* read/arrow: texts too long to be held are cut while they are read, whatever packs them and
 * however wide their offsets are; the rows around them stay. Tables of other libraries are
 * tests/spec/arrow_spec.lua's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "read/arrow/inside.h"
#include "read/arrow/lz4.h"
#include "write/flatbuffer.h"

enum { LONG_BYTES = 18 << 20, MOST = 1100000, ROWS = 5, NONE = -1, LZ4 = 0, ZSTD = 1 };

/* ---- a stream of one batch: a number and a text a row ---- */

typedef struct {
  unsigned char *bytes;
  size_t length;
} text;

static void put(text *to, const void *bytes, size_t length) {
  to->bytes = realloc(to->bytes, to->length + length + 1);
  assert_non_null(to->bytes);
  if (length > 0) memcpy(to->bytes + to->length, bytes, length);
  to->length += length;
}

static void put_number(text *to, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++, value >>= 8) put(to, &(unsigned char){(unsigned char)value}, 1);
}

static void put_message(text *to, tdm_flatbuffer *flat, int kind, uint32_t header,
                        const text *body) {
  size_t length;
  tdm_flat_table_begin(flat);
  tdm_flat_field(flat, 3, (int64_t)body->length, 8);
  tdm_flat_field_offset(flat, 2, header);
  tdm_flat_field(flat, 1, kind, 1);
  const unsigned char *bytes = tdm_flat_finish(flat, tdm_flat_table_end(flat), &length);
  put_number(to, 0xFFFFFFFF, 4);
  put_number(to, length, 4);
  put(to, bytes, length);
  put(to, body->bytes, body->length);
  tdm_flat_free(flat);
}

static uint32_t put_field(tdm_flatbuffer *flat, const char *name, int kind) {
  uint32_t title = tdm_flat_text(flat, name);
  tdm_flat_table_begin(flat);
  if (kind == ARROW_INT) tdm_flat_field(flat, 0, 64, 4);
  if (kind == ARROW_INT) tdm_flat_field(flat, 1, 1, 1);
  uint32_t type = tdm_flat_table_end(flat);
  tdm_flat_table_begin(flat);
  tdm_flat_field_offset(flat, 0, title);
  tdm_flat_field_offset(flat, 3, type);
  tdm_flat_field(flat, 2, kind, 1);
  return tdm_flat_table_end(flat);
}

static void put_schema(text *to, int kind) {
  tdm_flatbuffer flat = {0};
  uint32_t fields[] = {put_field(&flat, "n", ARROW_INT), put_field(&flat, "text", kind)};
  uint32_t list = tdm_flat_offsets(&flat, fields, 2);
  tdm_flat_table_begin(&flat);
  tdm_flat_field_offset(&flat, 1, list);
  put_message(to, &flat, 1, tdm_flat_table_end(&flat), &(text){0});
}

/* A frame of blocks that are stored as they are, or, of one byte over and over, matches that reach
 * into the block before. */
static text packed_lz4(const text *of) {
  static const unsigned char head[] = {0x04, 0x22, 0x4D, 0x18, 0x40, 0x70, 0};
  text out = {0};
  put(&out, head, sizeof head);
  for (size_t at = 0, count; at < of->length; at += count) {
    const unsigned char *from = of->bytes + at;
    count = of->length - at < 1000000 ? of->length - at : 1000000;
    size_t run = 0;
    while (at > 0 && run < count && from[run] == from[-1]) run++;
    if (run < count || count < 1000) {
      put_number(&out, 0x80000000U | (uint32_t)count, 4);
      put(&out, from, count);
      continue;
    }
    text block = {0};
    size_t left = count - 1 - 4 - 15; /* the last byte stands for itself */
    put(&block, "\x0F\x01", 3);       /* no literals, one byte back */
    for (; left >= 255; left -= 255) put(&block, "\xFF", 1);
    put_number(&block, left, 1);
    put(&block, "\x10", 1);
    put(&block, from + count - 1, 1);
    put_number(&out, block.length, 4);
    put(&out, block.bytes, block.length);
    free(block.bytes);
  }
  put_number(&out, 0, 4);
  return out;
}

static text packed_zstd(const text *of) {
  text out = {.bytes = malloc(ZSTD_compressBound(of->length) + 1)};
  assert_non_null(out.bytes);
  out.length = ZSTD_compress(out.bytes, ZSTD_compressBound(of->length), of->bytes, of->length, 1);
  return out;
}

static void put_batch(text *to, const text *buffers, size_t count, int codec) {
  tdm_flatbuffer flat = {0};
  text body = {0};
  size_t at[8], length[8];
  for (size_t i = 0; i < count; i++) {
    while (body.length % 8 != 0) put(&body, "", 1);
    at[i] = body.length;
    if (codec != NONE && buffers[i].length > 0) {
      text packed = codec == LZ4 ? packed_lz4(&buffers[i]) : packed_zstd(&buffers[i]);
      put_number(&body, buffers[i].length, 8);
      put(&body, packed.bytes, packed.length);
      free(packed.bytes);
    } else {
      put(&body, buffers[i].bytes, buffers[i].length);
    }
    length[i] = body.length - at[i];
  }
  tdm_flat_vector_begin(&flat, 16, count, 8);
  for (size_t i = count; i > 0; i--) {
    tdm_flat_number(&flat, (int64_t)length[i - 1], 8);
    tdm_flat_number(&flat, (int64_t)at[i - 1], 8);
  }
  uint32_t list = tdm_flat_vector_end(&flat, count);
  tdm_flat_table_begin(&flat);
  tdm_flat_field(&flat, 0, codec, 1);
  uint32_t packing = tdm_flat_table_end(&flat);
  tdm_flat_table_begin(&flat);
  tdm_flat_field(&flat, 0, ROWS, 8);
  tdm_flat_field_offset(&flat, 2, list);
  if (codec != NONE) tdm_flat_field_offset(&flat, 3, packing);
  put_message(to, &flat, 3, tdm_flat_table_end(&flat), &body);
  free(body.bytes);
}

/* "first", a long text of two-byte characters or of one byte, nothing, a shorter long one, "last".
 */
static const char *texts[ROWS];
static size_t lengths[ROWS];

static void make_texts(void) {
  if (texts[0] != NULL) return;
  char *two = malloc(LONG_BYTES), *one = malloc(LONG_BYTES);
  assert_true(two != NULL && one != NULL);
  memset(one, 'y', LONG_BYTES);
  memset(one, 'z', 900000); /* where a block that is stored ends, it is another byte */
  for (size_t i = 0; i < LONG_BYTES; i++) two[i] = (char)(i % 2 != 0 ? 0xA9 : 0xC3);
  const char *all[ROWS] = {"first", one, "", two, "last"};
  const size_t sizes[ROWS] = {5, LONG_BYTES, 0, MOST + 1, 4};
  memcpy(texts, all, sizeof all);
  memcpy(lengths, sizes, sizeof sizes);
}

/* `before`: bytes before the first text, as a slice of a table has them. */
static text stream_of(int kind, int codec, size_t before) {
  text out = {0}, numbers = {0}, offsets = {0}, heap = {0};
  size_t width = kind == ARROW_UTF8 ? 4 : 8;
  for (size_t i = 0; i < before; i++) put(&heap, "?", 1);
  put_number(&offsets, heap.length, width);
  for (size_t i = 0; i < ROWS; i++) {
    put_number(&numbers, i + 7, 8);
    put(&heap, texts[i], lengths[i]);
    put_number(&offsets, heap.length, width);
  }
  put_schema(&out, kind);
  const text buffers[] = {{0}, numbers, {0}, offsets, heap, {0}};
  put_batch(&out, buffers, 5, codec);
  free(numbers.bytes);
  free(offsets.bytes);
  free(heap.bytes);
  return out;
}

static void assert_rows(const text *stream, size_t most) {
  tdm_input *input;
  tdm_arrow *arrow;
  const tdm_csv_field *fields;
  tdm_error error = {0};
  assert_int_equal(tdm_input_open_memory(stream->bytes, stream->length, &input, &error), TDM_OK);
  if (tdm_arrow_open(input, most, &arrow, &error) != TDM_OK) fail_msg("%s", error.message);
  for (size_t i = 0; i < ROWS; i++) {
    if (tdm_arrow_next(arrow, &fields, &error) != TDM_OK) fail_msg("%s", error.message);
    assert_non_null(fields);
    assert_int_equal(atoi(fields[0].text), (int)i + 7);
    assert_int_equal(fields[1].length, lengths[i] < most ? lengths[i] : most);
    assert_memory_equal(fields[1].text, texts[i], fields[1].length);
  }
  assert_int_equal(tdm_arrow_next(arrow, &fields, &error), TDM_OK);
  assert_null(fields);
  tdm_arrow_close(arrow);
  tdm_input_close(input);
}

/* What is held of the batch: its body and what was unpacked from it. */
static size_t held(const text *stream, int kind) {
  tdm_input *input;
  tdm_error error = {0};
  arrow_message message;
  arrow_buffers buffers = {0};
  arrow_column columns[] = {{.dictionary = -1, .cells = {.type = ARROW_INT, .bits = 64}},
                            {.dictionary = -1, .cells = {.type = (arrow_type)kind}}};
  assert_int_equal(tdm_input_open_memory(stream->bytes, stream->length, &input, &error), TDM_OK);
  arrow_source *source = tdm_arrow_source_new(input);
  assert_int_equal(tdm_arrow_source_next(source, &message, &error), TDM_OK);
  tdm_arrow_source_cut(source, columns, 2, MOST);
  assert_int_equal(tdm_arrow_source_next(source, &message, &error), TDM_OK);
  tdm_flat_table root = tdm_flat_root(message.head.bytes, message.head.length);
  tdm_flat_table batch = tdm_flat_child(&root, 2);
  assert_int_equal(tdm_arrow_buffers_of(&batch, &message, "f", &buffers, &error), TDM_OK);
  size_t bytes = message.body.length;
  for (size_t i = 0; i < buffers.count; i++)
    if (buffers.unpacked[i] != NULL) bytes += buffers.pieces[i].length;
  tdm_arrow_buffers_free(&buffers);
  tdm_arrow_source_free(source);
  tdm_input_close(input);
  return bytes;
}

static void long_texts_are_not_held_whole(void **state) {
  (void)state;
  static const int kinds[] = {ARROW_UTF8, ARROW_LARGE_UTF8}, codecs[] = {NONE, LZ4, ZSTD};
  make_texts();
  for (size_t k = 0; k < 2; k++)
    for (size_t c = 0; c < 3; c++) {
      text stream = stream_of(kinds[k], codecs[c], k * 100);
      assert_rows(&stream, MOST);
      assert_in_range(held(&stream, kinds[k]), 2 * MOST, codecs[c] == NONE ? 3 * MOST : 6 << 20);
      if (k == 0) assert_rows(&stream, SIZE_MAX);
      free(stream.bytes);
    }
}

/* Offsets out of the texts: no text stands there; a body that ends early. */
static void damaged_texts_are_none(void **state) {
  (void)state;
  make_texts();
  for (int which = 0; which < 3; which++) {
    text stream = stream_of(ARROW_UTF8, NONE, 0);
    unsigned char *offsets = memmem(stream.bytes, stream.length, "\0\0\0\0\5\0\0\0", 8);
    assert_non_null(offsets);
    if (which < 2) offsets[which == 0 ? 7 : 4 * ROWS + 3] = 0x7F;
    if (which == 2) stream.length -= 3;
    tdm_input *input;
    tdm_arrow *arrow;
    const tdm_csv_field *fields;
    tdm_error error = {0};
    assert_int_equal(tdm_input_open_memory(stream.bytes, stream.length, &input, &error), TDM_OK);
    assert_int_equal(tdm_arrow_open(input, MOST, &arrow, &error), TDM_OK);
    tdm_status status = TDM_OK;
    for (int i = 0; i < ROWS && status == TDM_OK; i++) {
      status = tdm_arrow_next(arrow, &fields, &error);
      bool damaged = which == 0 ? i < 2 : i == ROWS - 1;
      if (status == TDM_OK) assert_int_equal(fields[1].text == NULL, damaged);
    }
    assert_int_equal(status, which == 2 ? TDM_INVALID : TDM_OK);
    tdm_arrow_close(arrow);
    tdm_input_close(input);
    free(stream.bytes);
  }
}

/* Offsets are one more than rows: with fewer, and backwards, nothing is cut. */
static void offsets_of_long_texts_are_checked(void **state) {
  (void)state;
  uint32_t offsets[] = {0, 5, 900, 905, 905};
  arrow_texts given = {.offsets = (unsigned char *)offsets, .width = 4, .rows = 3, .most = 100};
  given.offset_bytes = 16;
  assert_true(tdm_arrow_texts_are_long(&given, 905));
  assert_false(tdm_arrow_texts_are_long(&given, 904));
  given.offset_bytes = 15;
  assert_false(tdm_arrow_texts_are_long(&given, 905));
  given.offset_bytes = 20;
  assert_true(tdm_arrow_texts_are_long(&given, 905));
  given.most = 895;
  assert_false(tdm_arrow_texts_are_long(&given, 905));
  given.most = 894;
  assert_true(tdm_arrow_texts_are_long(&given, 905));
  offsets[3] = 899;
  assert_false(tdm_arrow_texts_are_long(&given, 905));
  given.offsets = NULL;
  assert_false(tdm_arrow_texts_are_long(&given, 905));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(long_texts_are_not_held_whole),
                                     cmocka_unit_test(offsets_of_long_texts_are_checked),
                                     cmocka_unit_test(damaged_texts_are_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
