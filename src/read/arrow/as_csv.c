/* An Arrow table as comma-separated values (RFC 4180), for whoever takes recorded requests or
 * measurements as CSV. What is not there is an empty cell. See arrow.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/arrow/arrow.h"

typedef struct {
  char *bytes;
  size_t used, room;
  bool failed;
} text;

static void put(text *to, const char *bytes, size_t length) {
  if (to->failed) return;
  to->failed = !tdm_array_grow(&to->bytes, &to->room, to->used + length + 1, 1);
  if (to->failed) return;
  memcpy(to->bytes + to->used, bytes, length);
  to->used += length;
}

static void put_cell(text *to, const char *bytes, size_t length) {
  bool plain = true;
  for (size_t i = 0; i < length && plain; i++) plain = memchr(",\"\r\n", bytes[i], 4) == NULL;
  if (plain) {
    put(to, bytes, length);
    return;
  }
  put(to, "\"", 1);
  for (size_t i = 0; i < length; i++)
    put(to, bytes[i] == '"' ? "\"\"" : bytes + i, bytes[i] == '"' ? 2 : 1);
  put(to, "\"", 1);
}

static tdm_status put_rows(tdm_arrow *arrow, text *to, tdm_error *error) {
  const tdm_csv_field *fields = NULL;
  size_t columns = tdm_arrow_columns(arrow);
  for (size_t c = 0; c < columns; c++) {
    const char *name = tdm_arrow_name(arrow, c);
    if (c > 0) put(to, ",", 1);
    put_cell(to, name, strlen(name));
  }
  put(to, "\n", 1);
  for (;;) {
    tdm_status status = tdm_arrow_next(arrow, &fields, error);
    if (status != TDM_OK || fields == NULL) return status;
    for (size_t c = 0; c < columns; c++) {
      if (c > 0) put(to, ",", 1);
      if (fields[c].text != NULL) put_cell(to, fields[c].text, fields[c].length);
    }
    put(to, "\n", 1);
    if (to->failed) return tdm_error_memory(error, "a table as text", to->used);
  }
}

tdm_status tdm_arrow_as_csv(const void *bytes, size_t length, char **csv, size_t *csv_length,
                            tdm_error *error) {
  tdm_input *input = NULL;
  tdm_arrow *arrow = NULL;
  text made = {0};
  tdm_status status = tdm_input_open_memory(bytes, length, &input, error);
  if (status == TDM_OK) status = tdm_arrow_open(input, bytes, length, &arrow, error);
  if (status == TDM_OK) status = put_rows(arrow, &made, error);
  tdm_arrow_close(arrow);
  tdm_input_close(input);
  *csv = made.bytes;
  *csv_length = made.used;
  return status;
}
