/* FlatBuffers, read where they lie: as much as Arrow's metadata needs. Every access is checked, so
 * that any bytes may be given; what is not there reads as 0, empty or false. Owns nothing. */
#ifndef TDM_READ_ARROW_FLAT_H
#define TDM_READ_ARROW_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const unsigned char *bytes; /* of the whole buffer; NULL: there is no such table */
  size_t length, at, fields, field_bytes;
} tdm_flat_table;

typedef struct {
  const tdm_flat_table *of;
  size_t at, count;
} tdm_flat_list;

tdm_flat_table tdm_flat_root(const unsigned char *bytes, size_t length);
/* A number of 1, 2, 4 or 8 bytes, signed. */
int64_t tdm_flat_int(const tdm_flat_table *table, unsigned field, size_t size, int64_t usual);
tdm_flat_table tdm_flat_child(const tdm_flat_table *table, unsigned field);
/* The elements of a vector; `size` bytes each are known to be there. */
tdm_flat_list tdm_flat_elements(const tdm_flat_table *table, unsigned field, size_t size);
/* A number within an element, `offset` bytes from its beginning. */
int64_t tdm_flat_number_at(const tdm_flat_list *list, size_t index, size_t element, size_t offset,
                           size_t size);
tdm_flat_table tdm_flat_table_at(const tdm_flat_list *list, size_t index);
/* Not NUL-terminated; NULL: none. */
const char *tdm_flat_string(const tdm_flat_table *table, unsigned field, size_t *length);

#endif
