/* FlatBuffers, built backwards: as much as Arrow's metadata needs. A piece is known by how far it
 * is from the end. Owns its bytes. Failures are remembered; tdm_flatbuffer_finish tells. Used by
 * arrow.c. */
#ifndef TDM_WRITE_FLATBUFFER_H
#define TDM_WRITE_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TDM_FLAT_FIELDS = 8 };

typedef struct {
  unsigned char *bytes; /* filled from the end */
  size_t room, used, alignment;
  bool failed;
  uint32_t fields[TDM_FLAT_FIELDS]; /* of the table that is being built */
  uint32_t field_count, table_start;
} tdm_flatbuffer;

void tdm_flat_free(tdm_flatbuffer *flat);

/* Numbers, little-endian at their alignment. */
void tdm_flat_number(tdm_flatbuffer *flat, int64_t value, size_t size);
void tdm_flat_offset(tdm_flatbuffer *flat, uint32_t piece);
/* Room before elements that are then pushed last to first; then the count. */
void tdm_flat_vector_begin(tdm_flatbuffer *flat, size_t size, size_t count, size_t alignment);
uint32_t tdm_flat_vector_end(tdm_flatbuffer *flat, size_t count);
uint32_t tdm_flat_offsets(tdm_flatbuffer *flat, const uint32_t *pieces, size_t count);
uint32_t tdm_flat_text(tdm_flatbuffer *flat, const char *text);

/* A table: begun, its fields set in any order, ended. */
void tdm_flat_table_begin(tdm_flatbuffer *flat);
void tdm_flat_field(tdm_flatbuffer *flat, uint32_t field, int64_t value, size_t size);
void tdm_flat_field_offset(tdm_flatbuffer *flat, uint32_t field, uint32_t piece);
uint32_t tdm_flat_table_end(tdm_flatbuffer *flat);

/* Its bytes with the root's offset before them; NULL: out of memory. They stay the buffer's. */
const unsigned char *tdm_flat_finish(tdm_flatbuffer *flat, uint32_t root, size_t *length);

#endif
