/* See flatbuffer.h. */
#include "write/flatbuffer.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024, OFFSET = 4, SLOT = 2 };

void tdm_flat_free(tdm_flatbuffer *flat) {
  free(flat->bytes);
  *flat = (tdm_flatbuffer){0};
}

static unsigned char *at(const tdm_flatbuffer *flat, size_t from_end) {
  return flat->bytes + (flat->room - from_end);
}

/* Room for `more` bytes before those that are there; false: out of memory. */
static bool make_room(tdm_flatbuffer *flat, size_t more) {
  if (flat->failed) return false;
  if (flat->room - flat->used >= more) return true;
  size_t room = flat->room > 0 ? flat->room : FIRST_ROOM;
  while (room - flat->used < more) room *= 2;
  unsigned char *bytes = calloc(1, room);
  if (bytes == NULL) {
    flat->failed = true;
    return false;
  }
  if (flat->used > 0) memcpy(bytes + (room - flat->used), at(flat, flat->used), flat->used);
  free(flat->bytes);
  flat->bytes = bytes;
  flat->room = room;
  return true;
}

/* Zeros, so that what is pushed after `more` bytes lies at a multiple of `alignment`. */
static bool align(tdm_flatbuffer *flat, size_t alignment, size_t more) {
  if (alignment > flat->alignment) flat->alignment = alignment;
  size_t pad = (~(flat->used + more) + 1) & (alignment - 1);
  if (!make_room(flat, pad + more + alignment)) return false;
  for (size_t i = 0; i < pad; i++) *at(flat, ++flat->used) = 0;
  return true;
}

static void put(tdm_flatbuffer *flat, uint64_t value, size_t size) {
  if (!make_room(flat, size)) return;
  flat->used += size;
  for (size_t i = 0; i < size; i++) at(flat, flat->used)[i] = (unsigned char)(value >> (8 * i));
}

void tdm_flat_number(tdm_flatbuffer *flat, int64_t value, size_t size) {
  if (align(flat, size, 0)) put(flat, (uint64_t)value, size);
}

void tdm_flat_offset(tdm_flatbuffer *flat, uint32_t piece) {
  if (align(flat, OFFSET, 0)) put(flat, flat->used + OFFSET - piece, OFFSET);
}

void tdm_flat_vector_begin(tdm_flatbuffer *flat, size_t size, size_t count, size_t alignment) {
  (void)(align(flat, OFFSET, size * count) && align(flat, alignment, size * count));
}

uint32_t tdm_flat_vector_end(tdm_flatbuffer *flat, size_t count) {
  put(flat, count, OFFSET);
  return (uint32_t)flat->used;
}

uint32_t tdm_flat_offsets(tdm_flatbuffer *flat, const uint32_t *pieces, size_t count) {
  tdm_flat_vector_begin(flat, OFFSET, count, OFFSET);
  for (size_t i = count; i > 0; i--) tdm_flat_offset(flat, pieces[i - 1]);
  return tdm_flat_vector_end(flat, count);
}

uint32_t tdm_flat_text(tdm_flatbuffer *flat, const char *text) {
  size_t length = strlen(text);
  if (!align(flat, OFFSET, length + 1)) return 0;
  flat->used += length + 1;
  memcpy(at(flat, flat->used), text, length + 1);
  return tdm_flat_vector_end(flat, length);
}

void tdm_flat_table_begin(tdm_flatbuffer *flat) {
  memset(flat->fields, 0, sizeof flat->fields);
  flat->field_count = 0;
  flat->table_start = (uint32_t)flat->used;
}

static void set(tdm_flatbuffer *flat, uint32_t field) {
  flat->fields[field] = (uint32_t)flat->used;
  if (field >= flat->field_count) flat->field_count = field + 1;
}

void tdm_flat_field(tdm_flatbuffer *flat, uint32_t field, int64_t value, size_t size) {
  tdm_flat_number(flat, value, size);
  set(flat, field);
}

void tdm_flat_field_offset(tdm_flatbuffer *flat, uint32_t field, uint32_t piece) {
  tdm_flat_offset(flat, piece);
  set(flat, field);
}

uint32_t tdm_flat_table_end(tdm_flatbuffer *flat) {
  tdm_flat_number(flat, 0, OFFSET); /* how far its list of fields is: known below */
  uint32_t table = (uint32_t)flat->used;
  for (uint32_t i = flat->field_count; i > 0; i--)
    put(flat, flat->fields[i - 1] != 0 ? table - flat->fields[i - 1] : 0, SLOT);
  put(flat, table - flat->table_start, SLOT);
  put(flat, (flat->field_count + 2) * SLOT, SLOT);
  if (flat->failed) return 0;
  uint32_t back = (uint32_t)flat->used - table;
  for (size_t i = 0; i < OFFSET; i++) at(flat, table)[i] = (unsigned char)(back >> (8 * i));
  return table;
}

const unsigned char *tdm_flat_finish(tdm_flatbuffer *flat, uint32_t root, size_t *length) {
  if (align(flat, flat->alignment > OFFSET ? flat->alignment : OFFSET, OFFSET))
    tdm_flat_offset(flat, root);
  *length = flat->used;
  return flat->failed ? NULL : at(flat, flat->used);
}
