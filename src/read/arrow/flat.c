/* See flat.h. */
#include "read/arrow/flat.h"

#include <string.h>

/* A little-endian number that lies within the buffer, else 0. */
static int64_t number(const unsigned char *bytes, size_t length, size_t at, size_t size) {
  if (bytes == NULL || at > length || length - at < size) return 0;
  uint64_t value = 0;
  for (size_t i = size; i > 0; i--) value = value << 8 | bytes[at + i - 1];
  switch (size) {
  case 1: return (int8_t)value;
  case 2: return (int16_t)value;
  case 4: return (int32_t)value;
  default: return (int64_t)value;
  }
}

static tdm_flat_table table_at(const unsigned char *bytes, size_t length, size_t at) {
  static const tdm_flat_table none = {0};
  tdm_flat_table table = {.bytes = bytes, .length = length, .at = at};
  if (bytes == NULL || at > length || length - at < 4) return none;
  int64_t fields = (int64_t)at - number(bytes, length, at, 4);
  if (fields < 0 || (uint64_t)fields > length || length - (size_t)fields < 4) return none;
  table.fields = (size_t)fields;
  table.field_bytes = (uint16_t)number(bytes, length, table.fields, 2);
  return table.field_bytes >= 4 && length - table.fields >= table.field_bytes ? table : none;
}

tdm_flat_table tdm_flat_root(const unsigned char *bytes, size_t length) {
  return table_at(bytes, length, (uint32_t)number(bytes, length, 0, 4));
}

/* Where a field lies; 0: it is not there. */
static size_t field_at(const tdm_flat_table *table, unsigned field) {
  size_t entry = 4 + 2 * (size_t)field;
  if (table->bytes == NULL || entry + 2 > table->field_bytes) return 0;
  size_t offset = (uint16_t)number(table->bytes, table->length, table->fields + entry, 2);
  return offset != 0 && offset <= table->length - table->at ? table->at + offset : 0;
}

int64_t tdm_flat_int(const tdm_flat_table *table, unsigned field, size_t size, int64_t usual) {
  size_t at = field_at(table, field);
  return at != 0 ? number(table->bytes, table->length, at, size) : usual;
}

/* What an offset at a place leads to; 0: nothing. */
static size_t followed(const tdm_flat_table *table, size_t at) {
  if (at == 0) return 0;
  uint32_t offset = (uint32_t)number(table->bytes, table->length, at, 4);
  return offset != 0 && offset <= table->length - at ? at + offset : 0;
}

tdm_flat_table tdm_flat_child(const tdm_flat_table *table, unsigned field) {
  size_t at = followed(table, field_at(table, field));
  return table_at(at != 0 ? table->bytes : NULL, table->length, at);
}

tdm_flat_list tdm_flat_elements(const tdm_flat_table *table, unsigned field, size_t size) {
  size_t at = followed(table, field_at(table, field));
  tdm_flat_list list = {.of = table};
  if (at == 0 || table->length - at < 4) return list;
  size_t count = (uint32_t)number(table->bytes, table->length, at, 4);
  if (count > (table->length - at - 4) / size) return list;
  list.at = at + 4;
  list.count = count;
  return list;
}

int64_t tdm_flat_number_at(const tdm_flat_list *list, size_t index, size_t element, size_t offset,
                           size_t size) {
  if (index >= list->count) return 0;
  return number(list->of->bytes, list->of->length, list->at + index * element + offset, size);
}

tdm_flat_table tdm_flat_table_at(const tdm_flat_list *list, size_t index) {
  size_t at = index < list->count ? followed(list->of, list->at + 4 * index) : 0;
  return table_at(at != 0 ? list->of->bytes : NULL, at != 0 ? list->of->length : 0, at);
}

const char *tdm_flat_string(const tdm_flat_table *table, unsigned field, size_t *length) {
  tdm_flat_list list = tdm_flat_elements(table, field, 1);
  *length = list.count;
  return list.at != 0 ? (const char *)table->bytes + list.at : NULL;
}
